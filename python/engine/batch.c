/* batch.c - vmap in Python: levels, and tensors into and out of them. In: Tensors with a dim of examples. Out: Tensors that
 * show one. What a function does with them is no business of this file. */
#include "core/binding.h"

/* The scope's tensor as an object; NULL: the engine's error is raised. */
static PyObject *given(kt_tensor *t, kp_entry before)
{
    kt_keep(t);
    kp_leave(before);
    return t ? kp_wrap(t) : kp_raise();
}

static PyObject *begin(PyObject *module, PyObject *const *argv, Py_ssize_t n)
{
    (void)module;
    if (n != 2)
        return PyErr_Format(PyExc_TypeError, "batch_begin: a size and a randomness");
    const long long size = PyLong_AsLongLong(argv[0]), randomness = PyLong_AsLongLong(argv[1]);
    if (PyErr_Occurred())
        return NULL;
    return kt_batch_begin(size, (kt_randomness)randomness) ? kp_raise() : Py_NewRef(Py_None);
}

static PyObject *end(PyObject *module, PyObject *unused)
{
    (void)module, (void)unused;
    return kt_batch_end() ? kp_raise() : Py_NewRef(Py_None);
}

static int tensor_and_dim(PyObject *const *argv, Py_ssize_t n, long long *dim)
{
    if (n != 2 || !kp_is_tensor(argv[0])) {
        PyErr_SetString(PyExc_TypeError, "a Tensor and a dim");
        return -1;
    }
    *dim = PyLong_AsLongLong(argv[1]);
    return PyErr_Occurred() ? -1 : 0;
}

static PyObject *moved(kt_tensor *(*move)(kt_tensor *t, int64_t dim), PyObject *const *argv, Py_ssize_t n)
{
    long long dim = 0;
    if (tensor_and_dim(argv, n, &dim))
        return NULL;
    KT_SCOPE;
    const kp_entry before = kp_enter_any();
    return given(move(kp_tensor_of(argv[0]), dim), before);
}

static PyObject *in(PyObject *module, PyObject *const *argv, Py_ssize_t n)
{
    (void)module;
    return moved(kt_batch_in, argv, n);
}

static PyObject *out(PyObject *module, PyObject *const *argv, Py_ssize_t n)
{
    (void)module;
    return moved(kt_batch_out, argv, n);
}

static PyObject *depth(PyObject *module, PyObject *unused)
{
    (void)module, (void)unused;
    return PyLong_FromLongLong(kt_batch_depth());
}

static int is_tensor(PyObject *o)
{
    if (!kp_is_tensor(o))
        PyErr_Format(PyExc_TypeError, "expected a Tensor, got %s", Py_TYPE(o)->tp_name);
    return kp_is_tensor(o);
}

static PyObject *is_batched_here(PyObject *module, PyObject *o)
{
    (void)module;
    return is_tensor(o) ? PyBool_FromLong(kt_is_batched_here(kp_tensor_of(o))) : NULL;
}

static PyObject *facts(PyObject *module, PyObject *o)
{
    (void)module;
    if (!is_tensor(o))
        return NULL;
    kt_tensor *t = kp_tensor_of(o), *value = kt_batch_value(t);
    if (!value)
        Py_RETURN_NONE;
    return Py_BuildValue("LLN", (long long)kt_batch_level(t), (long long)kt_batch_dim(t), kp_wrap_borrowed(value));
}

/* ---- rules of the user's own ---- */

static PyObject *randomness_of(PyObject *module, PyObject *o)
{
    (void)module;
    return is_tensor(o) ? PyLong_FromLong(kt_batch_randomness(kp_tensor_of(o))) : NULL;
}


typedef struct outside {
    PyObject *function, *arguments, *answer;
} outside;

static void call_outside(void *with)
{
    outside *o = with;
    o->answer = PyObject_Call(o->function, o->arguments, NULL);
}

static PyObject *batch_outside(PyObject *module, PyObject *args)
{
    (void)module;
    outside   o = {NULL, NULL, NULL};
    PyObject *t = NULL;
    if (!PyArg_ParseTuple(args, "OOO!:batch_outside", &t, &o.function, &PyTuple_Type, &o.arguments) || !is_tensor(t))
        return NULL;
    if (kt_batch_outside(kp_tensor_of(t), call_outside, &o)) {
        Py_XDECREF(o.answer);
        return kp_raise();
    }
    return o.answer;
}

static PyObject *in_as(PyObject *module, PyObject *args)
{
    (void)module;
    PyObject *value = NULL, *t = NULL;
    long long dim = 0;
    if (!PyArg_ParseTuple(args, "OLO:batch_in_as", &value, &dim, &t) || !is_tensor(value) || !is_tensor(t))
        return NULL;
    KT_SCOPE;
    const kp_entry before = kp_enter_any();
    return given(kt_batch_in_as(kp_tensor_of(value), dim, kp_tensor_of(t)), before);
}

/* ---- transforms: functions that call a function of the user's with tensors of their own ---- */

static __thread int transforms; /* that run on this thread, vmap apart */

bool kp_in_transform(void) { return transforms > 0 || kt_batch_depth() > 0; }

static PyObject *leave(PyObject *module, PyObject *unused)
{
    (void)module, (void)unused;
    transforms--;
    return kt_transform_end() ? kp_raise() : Py_NewRef(Py_None);
}

static PyObject *in_transform(PyObject *module, PyObject *unused)
{
    (void)module, (void)unused;
    return PyBool_FromLong(kp_in_transform());
}

static PyObject *alias(PyObject *module, PyObject *o)
{
    (void)module;
    if (!is_tensor(o))
        return NULL;
    KT_SCOPE;
    const kp_entry before = kp_enter_any();
    return given(kt_grad_alias(kp_tensor_of(o)), before);
}

static PyObject *constant(PyObject *module, PyObject *o)
{
    (void)module;
    if (!is_tensor(o))
        return NULL;
    KT_SCOPE;
    const kp_entry before = kp_enter_any();
    return given(kt_grad_constant(kp_tensor_of(o)), before);
}

/* The tensors of a tuple or list. */
static kt_tensor **unwrapped(PyObject *all, Py_ssize_t *n)
{
    *n = PySequence_Fast_GET_SIZE(all);
    kt_tensor **t = PyMem_Calloc((size_t)*n + 1, sizeof *t);
    if (!t)
        PyErr_NoMemory();
    for (Py_ssize_t i = 0; t && i < *n; i++) {
        PyObject *one = PySequence_Fast_GET_ITEM(all, i);
        if (!is_tensor(one)) {
            PyMem_Free(t);
            return NULL;
        }
        t[i] = kp_tensor_of(one);
    }
    return t;
}

/* What is no tensor is left out. */
static PyObject *enter(PyObject *module, PyObject *given)
{
    (void)module;
    if (!PyList_Check(given))
        return PyErr_Format(PyExc_TypeError, "transform_enter: a list of what the function is given");
    const Py_ssize_t n = PyList_GET_SIZE(given);
    int64_t          tensors = 0;
    kt_tensor      **t = PyMem_Calloc((size_t)n + 1, sizeof *t);
    if (!t)
        return PyErr_NoMemory();
    for (Py_ssize_t i = 0; i < n; i++)
        if (kp_is_tensor(PyList_GET_ITEM(given, i)))
            t[tensors++] = kp_tensor_of(PyList_GET_ITEM(given, i));
    const kt_status status = kt_transform_begin(t, tensors);
    PyMem_Free(t);
    if (status)
        return kp_raise();
    transforms++;
    Py_RETURN_NONE;
}

static PyObject *depends_beyond(PyObject *module, PyObject *args)
{
    (void)module;
    PyObject *outs = NULL, *ins = NULL;
    if (!PyArg_ParseTuple(args, "O!O!:depends_beyond", &PyTuple_Type, &outs, &PyTuple_Type, &ins))
        return NULL;
    Py_ssize_t  n_out = 0, n_in = 0;
    kt_tensor **out_tensors = unwrapped(outs, &n_out), **in_tensors = out_tensors ? unwrapped(ins, &n_in) : NULL;
    bool        beyond = false;
    if (in_tensors)
        beyond = kt_depends_beyond(out_tensors, n_out, in_tensors, n_in);
    const bool failed = !in_tensors;
    PyMem_Free(out_tensors);
    PyMem_Free(in_tensors);
    if (failed)
        return NULL;
    return kt_failed() ? kp_raise() : PyBool_FromLong(beyond);
}

PyMethodDef kp_batch_functions[] = {
    {"batch_begin", KP_FUNCTION(begin), METH_FASTCALL,
     "batch_begin(size, randomness): a level of vmap; 0 error, 1 different, 2 same"},
    {"batch_end", end, METH_NOARGS, "the innermost level ends"},
    {"batch_in", KP_FUNCTION(in), METH_FASTCALL, "batch_in(t, dim): one example of t"},
    {"batch_out", KP_FUNCTION(out), METH_FASTCALL, "batch_out(t, dim): all examples, in dim"},
    {"batch_depth", depth, METH_NOARGS, "how many levels are open on this thread"},
    {"is_batched_here", is_batched_here, METH_O, "is it of the innermost level?"},
    {"batch_facts", facts, METH_O, "(level, dim, value) of a batched tensor; None of others"},
    {"batch_outside", batch_outside, METH_VARARGS, "batch_outside(t, function, args): function(*args) outside of t's level"},
    {"batch_randomness", randomness_of, METH_O, "that of its level"},
    {"batch_in_as", in_as, METH_VARARGS, "batch_in_as(value, dim, t): one example of value, of t's level"},
    {"transform_enter", enter, METH_O, "transform_enter(given): a transform of karat.func calls the user's function with these"},
    {"transform_leave", leave, METH_NOARGS, "it has ended"},
    {"in_transform", in_transform, METH_NOARGS, "does one run on this thread?"},
    {"grad_alias", alias, METH_O, "a tensor on the same memory that wants a gradient, for torch.func"},
    {"grad_constant", constant, METH_O, "the same value without a history, but with tangents, for torch.func"},
    {"depends_beyond", depends_beyond, METH_VARARGS, "depends_beyond(outputs, inputs): do the outputs depend on other leaves?"},
    {NULL, NULL, 0, NULL},
};
