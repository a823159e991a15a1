/* hook.c - Python functions called when a gradient is complete, or when a node runs: register_hook and its handle.
 *
 * In: a Tensor or a node and a function of its gradients. Out: a handle whose remove() ends it. Its exceptions pass through the
 * engine unchanged. Independent of: how backward works. */
#include "core/binding.h"

#include <karat/plugin/node.h>

typedef struct kp_handle {
    PyObject_HEAD
    kt_hook *hook;    /* owned; NULL once removed, and of a context before it has its node */
    bool     removed;
} kp_handle;

void kp_release_object(void *context)
{
    if (!Py_IsInitialized())
        return;
    PyGILState_STATE gil = PyGILState_Ensure();
    Py_DECREF((PyObject *)context);
    PyGILState_Release(gil);
}

/* The return value of a hook, which replaces the gradient. */
static kt_status take_result(PyObject *result, kt_tensor **instead)
{
    if (result && result != Py_None && !kp_is_tensor(result))
        PyErr_Format(PyExc_TypeError, "expected Variable, but hook returned '%s'", Py_TYPE(result)->tp_name);
    if (!result || PyErr_Occurred())
        return kp_fail_with_exception();
    if (result != Py_None)
        *instead = kt_keep(kp_tensor_of(result));
    return KT_OK;
}

static kt_status call_function(kt_tensor *grad, void *context, kt_tensor **instead)
{
    PyGILState_STATE gil = PyGILState_Ensure();
    PyObject        *shown = grad ? kp_wrap_borrowed(grad) : Py_NewRef(Py_None);
    PyObject        *result = shown ? PyObject_CallOneArg(context, shown) : NULL;
    kt_status        status = take_result(result, instead);
    Py_XDECREF(shown);
    Py_XDECREF(result);
    PyGILState_Release(gil);
    return status;
}

/* ---- garbage collection: a hook may refer to its own tensor ---- */

typedef struct visit_with {
    visitproc visit;
    void     *arg;
} visit_with;

static int visit_one(void (*release)(void *), void *context, void *with)
{
    const visit_with *v = with;
    return release == kp_release_object ? v->visit(context, v->arg) : 0;
}

int kp_hooks_traverse(kt_tensor *t, visitproc visit, void *arg)
{
    return kt_hooks_visit(t, visit_one, &(visit_with){visit, arg});
}

int kp_node_hooks_traverse(const kt_node *node, visitproc visit, void *arg)
{
    return kt_node_hooks_visit(node, visit_one, &(visit_with){visit, arg});
}

static PyObject *name_of(PyObject *function) /* a str */
{
    PyObject *name = PyObject_GetAttrString(function, "__name__");
    if (name && PyUnicode_Check(name) && PyUnicode_AsUTF8(name))
        return name;
    PyErr_Clear();
    Py_XDECREF(name);
    return PyUnicode_FromString("<unknown>");
}

static PyObject *new_handle(kt_hook *hook) /* steals the hook */
{
    kp_handle *handle = PyObject_New(kp_handle, &kp_handle_type);
    if (!handle) {
        kt_hook_remove(hook);
        return NULL;
    }
    handle->hook = hook;
    handle->removed = false;
    return (PyObject *)handle;
}

static PyObject *register_with(PyObject *self, PyObject *function,
                               kt_hook *(*add)(kt_tensor *, const char *, kt_hook_call, void *, void (*)(void *)))
{
    PyObject *name = name_of(function);
    PyObject *dict = name ? kp_get_dict(self, NULL) : NULL; /* from now on the object is tracked */
    if (!dict) {
        Py_XDECREF(name);
        return NULL;
    }
    Py_DECREF(dict);
    kt_hook *hook = add(kp_tensor_of(self), PyUnicode_AsUTF8(name), call_function, Py_NewRef(function), kp_release_object);
    Py_XDECREF(name);
    if (!hook) {
        Py_DECREF(function);
        return kp_raise();
    }
    return new_handle(hook);
}

PyObject *kp_register_hook(PyObject *self, PyObject *function) { return register_with(self, function, kt_hook_add); }

PyObject *kp_register_hook_after(PyObject *self, PyObject *function)
{
    return register_with(self, function, kt_hook_add_after);
}

/* ---- of nodes ---- */

/* of: which gradient each shown one is, or -1: none; NULL: the same. */
static PyObject *shown(kt_tensor *const *grads, Py_ssize_t n, const int32_t *of)
{
    PyObject *all = PyTuple_New(n);
    for (Py_ssize_t i = 0; all && i < n; i++) {
        kt_tensor *grad = !of ? grads[i] : of[i] < 0 ? NULL : grads[of[i]];
        PyObject  *one = grad ? kp_wrap_borrowed(grad) : Py_NewRef(Py_None);
        if (one)
            PyTuple_SET_ITEM(all, i, one);
        else
            Py_CLEAR(all);
    }
    return all;
}

static int take_results(PyObject *function, PyObject *given, Py_ssize_t n, const int32_t *of, kt_node_grads *grads)
{
    if (given == Py_None)
        return 0;
    if (!PyTuple_Check(given)) {
        PyErr_Format(PyExc_TypeError, "expected tuple, but hook returned '%s'", Py_TYPE(given)->tp_name);
        return -1;
    }
    if (PyTuple_GET_SIZE(given) != n) {
        PyObject *name = name_of(function);
        if (name)
            PyErr_Format(PyExc_RuntimeError, "hook '%U' has returned an incorrect number of values (got %zd, but expected %zd)",
                         name, PyTuple_GET_SIZE(given), n);
        Py_XDECREF(name);
        return -1;
    }
    for (Py_ssize_t i = 0; i < n; i++) {
        PyObject *one = PyTuple_GET_ITEM(given, i);
        if (one != Py_None && !kp_is_tensor(one)) {
            PyErr_Format(PyExc_TypeError, "expected Variable, but hook returned '%s'", Py_TYPE(one)->tp_name);
            return -1;
        }
        if (one != Py_None && of && of[i] < 0) {
            PyErr_SetString(PyExc_RuntimeError, "can't replace a None gradient with a non-None value");
            return -1;
        }
        if (one != Py_None)
            grads->instead[of ? of[i] : i] = kt_keep(kp_tensor_of(one));
    }
    grads->replaces = true;
    return 0;
}

static kt_status call_on_node(kt_node_grads *grads, void *context)
{
    PyGILState_STATE gil = PyGILState_Ensure();
    PyObject        *function = Py_NewRef((PyObject *)context), *answer = NULL;
    const int32_t   *of = NULL;
    const Py_ssize_t n = kp_context_outputs(grads->node, &of, grads->n_results), n_in = (Py_ssize_t)grads->n_inputs;
    PyObject        *results = shown(grads->results, n, of);
    PyObject        *inputs = results && grads->inputs ? shown(grads->inputs, n_in, NULL) : NULL;
    kt_status        status = KT_OK;
    if (inputs)
        answer = PyObject_CallFunctionObjArgs(function, inputs, results, NULL);
    else if (results && !grads->inputs)
        answer = PyObject_CallOneArg(function, results);
    if (!answer || take_results(function, answer, inputs ? n_in : n, inputs ? NULL : of, grads))
        status = kp_fail_with_exception();
    Py_XDECREF(answer);
    Py_XDECREF(inputs);
    Py_XDECREF(results);
    Py_DECREF(function);
    PyGILState_Release(gil);
    return status;
}

static kt_hook *put_on(kt_node *node, PyObject *function, bool before) /* NULL: an exception */
{
    PyObject *name = name_of(function);
    if (!name)
        return NULL;
    kt_hook *hook = (before ? kt_node_hook_add_before : kt_node_hook_add)(node, PyUnicode_AsUTF8(name), call_on_node,
                                                                          Py_NewRef(function), kp_release_object);
    Py_DECREF(name);
    if (!hook) {
        Py_DECREF(function);
        kp_raise();
    }
    return hook;
}

PyObject *kp_node_register(kt_node *node, PyObject *function, bool before)
{
    kt_hook *hook = node ? put_on(node, function, before) : NULL;
    return node && !hook ? NULL : new_handle(hook);
}

int kp_handle_put(PyObject *handle, kt_node *node, PyObject *function, bool before)
{
    kp_handle *h = (kp_handle *)handle;
    if (h->removed)
        return 0;
    h->hook = put_on(node, function, before);
    return h->hook ? 0 : -1;
}

/* ---- the handle ---- */

static PyObject *handle_remove(PyObject *self, PyObject *unused)
{
    (void)unused;
    kp_handle *h = (kp_handle *)self;
    kt_hook   *hook = h->hook;
    h->hook = NULL;
    h->removed = true;
    if (hook)
        kt_hook_remove(hook);
    Py_RETURN_NONE;
}

static PyObject *handle_enter(PyObject *self, PyObject *unused)
{
    (void)unused;
    return Py_NewRef(self);
}

static PyObject *handle_exit(PyObject *self, PyObject *args)
{
    (void)args;
    return handle_remove(self, NULL);
}

static void handle_dealloc(PyObject *self)
{
    if (((kp_handle *)self)->hook)
        kt_hook_drop(((kp_handle *)self)->hook); /* the hook stays */
    PyObject_Free(self);
}

static PyMethodDef handle_methods[] = {
    {"remove", handle_remove, METH_NOARGS, "the hook runs no more"},
    {"__enter__", handle_enter, METH_NOARGS, NULL},
    {"__exit__", handle_exit, METH_VARARGS, NULL},
    {NULL, NULL, 0, NULL},
};

PyTypeObject kp_handle_type = {
    PyVarObject_HEAD_INIT(NULL, 0).tp_name = "karat.RemovableHandle",
    .tp_doc = PyDoc_STR("What ends a hook: handle.remove(), or the end of a with block."),
    .tp_basicsize = sizeof(kp_handle),
    .tp_flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_DISALLOW_INSTANTIATION,
    .tp_dealloc = handle_dealloc,
    .tp_methods = handle_methods,
};

PyObject *kp_retain_grad(PyObject *self, PyObject *unused)
{
    (void)unused;
    return kt_retain_grad(kp_tensor_of(self)) ? kp_raise() : Py_NewRef(Py_None);
}

PyObject *kp_get_retains_grad(PyObject *self, void *unused)
{
    (void)unused;
    return PyBool_FromLong(kt_retains_grad(kp_tensor_of(self)));
}
