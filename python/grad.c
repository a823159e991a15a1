/* grad.c - what Python sees of the tape: grad, requires_grad, grad_fn, backward.
 *
 * In: Tensors. Out: the engine's answers. Must not know: how a graph is kept. */
#include "binding.h"

PyObject *kp_get_grad(PyObject *self, void *unused)
{
    (void)unused;
    kt_tensor *grad = kt_grad(kp_tensor_of(self));
    return grad ? kp_wrap_borrowed(grad) : Py_NewRef(Py_None);
}

int kp_set_grad(PyObject *self, PyObject *value, void *unused)
{
    (void)unused;
    if (value && value != Py_None && !kp_is_tensor(value)) {
        PyErr_Format(PyExc_TypeError, "assigned grad expected to be a Tensor or None but got grad of type %s",
                     Py_TYPE(value)->tp_name);
        return -1;
    }
    if (value == self) {
        PyErr_SetString(PyExc_RuntimeError, "can't assign Variable as its own grad");
        return -1;
    }
    if (kt_set_grad(kp_tensor_of(self), value && value != Py_None ? kp_tensor_of(value) : NULL)) {
        kp_raise();
        return -1;
    }
    return 0;
}

PyObject *kp_get_requires_grad(PyObject *self, void *unused)
{
    (void)unused;
    return PyBool_FromLong(kt_requires_grad(kp_tensor_of(self)));
}

int kp_set_requires_grad(PyObject *self, PyObject *value, void *unused)
{
    (void)unused;
    kt_tensor *t = kp_tensor_of(self);
    if (!value || !PyBool_Check(value)) {
        PyErr_SetString(PyExc_RuntimeError, "requires_grad must be a bool");
        return -1;
    }
    if (value == Py_True && !(kt_dtype_category(kt_dtype_of(t)) & (KT_CAT_FLOAT | KT_CAT_COMPLEX))) {
        PyErr_SetString(PyExc_RuntimeError, "only Tensors of floating point and complex dtype can require gradients");
        return -1;
    }
    if (kt_set_requires_grad(t, value == Py_True)) {
        kp_raise();
        return -1;
    }
    return 0;
}

PyObject *kp_requires_grad_(PyObject *self, PyObject *args, PyObject *keywords)
{
    static char *names[] = {"requires_grad", NULL};
    PyObject    *on = Py_True;
    if (!PyArg_ParseTupleAndKeywords(args, keywords, "|O:requires_grad_", names, &on))
        return NULL;
    if (!PyBool_Check(on)) {
        PyErr_Format(PyExc_TypeError, "requires_grad_(): argument 'requires_grad' (position 1) must be bool, not %s",
                     Py_TYPE(on)->tp_name);
        return NULL;
    }
    return kt_set_requires_grad(kp_tensor_of(self), on == Py_True) ? kp_raise() : Py_NewRef(self);
}

PyObject *kp_get_is_leaf(PyObject *self, void *unused)
{
    (void)unused;
    return PyBool_FromLong(kt_is_leaf(kp_tensor_of(self)));
}

/* ---- grad_fn: the name of the node that made the tensor ---- */

typedef struct kp_node {
    PyObject_HEAD
    const char *name; /* of the operator table: it lives on */
} kp_node;

static PyObject *node_name(PyObject *self, PyObject *unused)
{
    (void)unused;
    return PyUnicode_FromString(((kp_node *)self)->name);
}

static PyObject *node_repr(PyObject *self)
{
    return PyUnicode_FromFormat("<%s object at %p>", ((kp_node *)self)->name, self);
}

static PyMethodDef node_methods[] = {
    {"name", node_name, METH_NOARGS, "the name of the operator's backward"},
    {NULL, NULL, 0, NULL},
};

PyTypeObject kp_node_type = {
    PyVarObject_HEAD_INIT(NULL, 0).tp_name = "karat.Node",
    .tp_doc = PyDoc_STR("What made a tensor, as the tape recorded it."),
    .tp_basicsize = sizeof(kp_node),
    .tp_flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_DISALLOW_INSTANTIATION,
    .tp_repr = node_repr,
    .tp_methods = node_methods,
};

PyObject *kp_get_grad_fn(PyObject *self, void *unused)
{
    (void)unused;
    const char *name = kt_grad_fn_name(kp_tensor_of(self));
    if (!name)
        return kt_failed() ? kp_raise() : Py_NewRef(Py_None);
    kp_node *node = PyObject_New(kp_node, &kp_node_type);
    if (node)
        node->name = name;
    return (PyObject *)node;
}

/* ---- backward ---- */

PyObject *kp_backward(PyObject *self, PyObject *args, PyObject *keywords)
{
    static char *names[] = {"gradient", "retain_graph", "create_graph", NULL};
    PyObject    *gradient = Py_None, *retain = Py_None;
    int          create = 0;
    if (!PyArg_ParseTupleAndKeywords(args, keywords, "|OOp:backward", names, &gradient, &retain, &create))
        return NULL;
    if (gradient != Py_None && !kp_is_tensor(gradient)) {
        PyErr_Format(PyExc_TypeError, "gradients can be either Tensors or None, but got %s",
                     Py_TYPE(gradient)->tp_name);
        return NULL;
    }
    int keep = retain == Py_None ? create : PyObject_IsTrue(retain);
    if (keep < 0)
        return NULL;
    kt_backward_opts options = {.size = sizeof options,
                                .gradient = gradient == Py_None ? NULL : kp_tensor_of(gradient),
                                .retain_graph = keep,
                                .create_graph = create};
    uint8_t   before = kp_enter();
    kt_status status = kt_backward_kw(kp_tensor_of(self), &options);
    kp_leave(before);
    return status ? kp_raise() : Py_NewRef(Py_None);
}
