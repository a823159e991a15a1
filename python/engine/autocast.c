/* autocast.c - the state of autocast on this thread, read and set, and the scopes that keep its casts: what a context manager is
 * made of. In: devices, dtypes, flags. Out: the engine's settings. */
#include "core/binding.h"

#include <karat/autocast.h>

static int kind_of(PyObject *o, kt_device_kind *kind)
{
    kt_device d;
    const int found = PyUnicode_Check(o) ? kp_to_device(o, &d) : 0;
    if (found == 0)
        PyErr_Format(PyExc_TypeError, "a device type must be str, not %s", Py_TYPE(o)->tp_name);
    *kind = (kt_device_kind)(found > 0 ? d.kind : KT_DEVICE_DEFAULT);
    return found > 0;
}

static PyObject *get_autocast(PyObject *module, PyObject *device)
{
    (void)module;
    kt_device_kind kind;
    if (!kind_of(device, &kind))
        return NULL;
    const kt_dtype dtype = kt_autocast_dtype(kind);
    if (!dtype)
        return kp_raise();
    PyObject *o = kp_dtype_object(dtype);
    return o ? Py_BuildValue("(NN)", PyBool_FromLong(kt_autocast_enabled(kind)), o) : NULL;
}

static PyObject *set_autocast(PyObject *module, PyObject *args)
{
    (void)module;
    PyObject      *device, *dtype;
    int            on;
    kt_device_kind kind;
    kt_dtype       d;
    if (!PyArg_ParseTuple(args, "OpO!:set_autocast", &device, &on, &kp_dtype_type, &dtype) || !kind_of(device, &kind) ||
        !kp_to_dtype(dtype, &d))
        return NULL;
    return kt_set_autocast_dtype(kind, d) || kt_set_autocast_enabled(kind, on) ? kp_raise() : Py_NewRef(Py_None);
}

static PyObject *get_cache(PyObject *module, PyObject *unused)
{
    (void)module, (void)unused;
    return PyBool_FromLong(kt_autocast_cache_enabled());
}

static PyObject *set_cache(PyObject *module, PyObject *o)
{
    (void)module;
    const int on = PyObject_IsTrue(o);
    if (on < 0)
        return NULL;
    kt_set_autocast_cache_enabled(on);
    Py_RETURN_NONE;
}

static PyObject *enter(PyObject *module, PyObject *unused)
{
    (void)module, (void)unused;
    return PyLong_FromLong(kt_autocast_enter());
}

static PyObject *leave(PyObject *module, PyObject *unused)
{
    (void)module, (void)unused;
    return PyLong_FromLong(kt_autocast_leave());
}

static PyObject *clear_cache(PyObject *module, PyObject *unused)
{
    (void)module, (void)unused;
    kt_autocast_clear_cache();
    Py_RETURN_NONE;
}

PyMethodDef kp_autocast_functions[] = {
    {"get_autocast", get_autocast, METH_O, "of a device type: is autocast on, and which dtype does it lower to?"},
    {"set_autocast", set_autocast, METH_VARARGS, "set both"},
    {"get_autocast_cache", get_cache, METH_NOARGS, "are casts of weights kept?"},
    {"set_autocast_cache", set_cache, METH_O, "keep them, or not"},
    {"autocast_enter", enter, METH_NOARGS, "a scope is entered; how many are"},
    {"autocast_leave", leave, METH_NOARGS, "one is left; the last one out drops the casts"},
    {"autocast_clear_cache", clear_cache, METH_NOARGS, "drop them now"},
    {NULL, NULL, 0, NULL},
};
