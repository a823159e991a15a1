/* hook.c - Python functions called when a gradient is complete: register_hook and its handle.
 *
 * In: a Tensor and a function of its gradient. Out: a handle whose remove() ends it. Its exceptions pass through the
 * engine unchanged. Independent of: how backward works. */
#include "core/binding.h"

typedef struct kp_handle {
    PyObject_HEAD
    kt_hook *hook; /* owned; NULL once removed */
} kp_handle;

static void release_function(void *context)
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

static int visit_one(kt_hook_call call, void *context, void *with)
{
    const visit_with *v = with;
    return call == call_function ? v->visit(context, v->arg) : 0;
}

int kp_hooks_traverse(kt_tensor *t, visitproc visit, void *arg)
{
    return kt_hooks_visit(t, visit_one, &(visit_with){visit, arg});
}

static PyObject *register_with(PyObject *self, PyObject *function,
                               kt_hook *(*add)(kt_tensor *, const char *, kt_hook_call, void *, void (*)(void *)))
{
    PyObject   *name = PyObject_GetAttrString(function, "__name__");
    const char *text = name && PyUnicode_Check(name) ? PyUnicode_AsUTF8(name) : NULL;
    PyErr_Clear();
    PyObject *dict = kp_get_dict(self, NULL); /* from now on the object is tracked */
    if (!dict) {
        Py_XDECREF(name);
        return NULL;
    }
    Py_DECREF(dict);
    kt_hook *hook = add(kp_tensor_of(self), text ? text : "<unknown>", call_function, Py_NewRef(function), release_function);
    Py_XDECREF(name);
    if (!hook) {
        Py_DECREF(function);
        return kp_raise();
    }
    kp_handle *handle = PyObject_New(kp_handle, &kp_handle_type);
    if (handle)
        handle->hook = hook;
    else
        kt_hook_remove(hook);
    return (PyObject *)handle;
}

PyObject *kp_register_hook(PyObject *self, PyObject *function) { return register_with(self, function, kt_hook_add); }

PyObject *kp_register_hook_after(PyObject *self, PyObject *function)
{
    return register_with(self, function, kt_hook_add_after);
}

static PyObject *handle_remove(PyObject *self, PyObject *unused)
{
    (void)unused;
    kp_handle *h = (kp_handle *)self;
    kt_hook   *hook = h->hook;
    h->hook = NULL;
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
