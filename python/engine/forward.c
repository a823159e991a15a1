/* forward.c - forward mode for Python: levels, and dual tensors. karat/autograd/forward_ad.py has the names. */
#include "core/binding.h"

#include <karat/plugin/node.h>

static PyObject *enter_level(PyObject *module, PyObject *unused)
{
    (void)module, (void)unused;
    const int64_t level = kt_dual_level_enter();
    return level < 0 ? kp_raise() : PyLong_FromLongLong(level);
}

static PyObject *exit_level(PyObject *module, PyObject *o)
{
    (void)module;
    const long long level = PyLong_AsLongLong(o);
    if (level == -1 && PyErr_Occurred())
        return NULL;
    return kt_dual_level_exit(level) ? kp_raise() : Py_NewRef(Py_None);
}

static int is_tensor(PyObject *o, const char *function, const char *argument)
{
    if (kp_is_tensor(o))
        return 1;
    PyErr_Format(PyExc_TypeError, "%s(): argument '%s' must be Tensor, not %s", function, argument, Py_TYPE(o)->tp_name);
    return 0;
}

static PyObject *make_dual(PyObject *module, PyObject *args)
{
    (void)module;
    PyObject *t, *tangent, *result;
    long long level;
    if (!PyArg_ParseTuple(args, "OOL:_make_dual", &t, &tangent, &level) || !is_tensor(t, "_make_dual", "primal") ||
        !is_tensor(tangent, "_make_dual", "tangent"))
        return NULL;
    KT_SCOPE;
    const kp_entry before = kp_enter_any();
    kt_tensor     *dual = kt_make_dual(kp_tensor_of(t), kp_tensor_of(tangent), level);
    kp_leave(before);
    result = kp_after(NULL, dual ? KT_OK : kt_error_status()) ? kp_raise() : kp_wrap(kt_keep(dual));
    return result;
}

/* (primal, tangent or None) */
static PyObject *unpack_dual(PyObject *module, PyObject *args)
{
    (void)module;
    PyObject *t;
    long long level;
    if (!PyArg_ParseTuple(args, "OL:_unpack_dual", &t, &level) || !is_tensor(t, "_unpack_dual", "dual"))
        return NULL;
    KT_SCOPE;
    kt_tensor      *primal = NULL, *tangent = NULL;
    const kp_entry  before = kp_enter_any();
    const kt_status status = kt_unpack_dual(kp_tensor_of(t), level, &primal, &tangent);
    kp_leave(before);
    if (kp_after(NULL, status))
        return kp_raise();
    PyObject *first = kp_wrap_borrowed(primal), *second = tangent ? kp_wrap_borrowed(tangent) : Py_NewRef(Py_None);
    PyObject *both = first && second ? PyTuple_Pack(2, first, second) : NULL;
    Py_XDECREF(first);
    Py_XDECREF(second);
    return both;
}

static PyObject *is_dual(PyObject *module, PyObject *t)
{
    (void)module;
    if (!is_tensor(t, "is_dual", "t"))
        return NULL;
    return PyBool_FromLong(kt_dual_levels(kp_tensor_of(t)) != 0);
}

static PyObject *is_forward_enabled(PyObject *module, PyObject *unused)
{
    (void)module, (void)unused;
    return PyBool_FromLong(kt_forward_enabled());
}

static PyObject *set_forward(PyObject *module, PyObject *o)
{
    (void)module;
    const int on = PyObject_IsTrue(o);
    if (on < 0)
        return NULL;
    kt_set_forward_enabled(on);
    Py_RETURN_NONE;
}

PyMethodDef kp_forward_functions[] = {
    {"enter_dual_level", enter_level, METH_NOARGS, "a new level of forward mode"},
    {"exit_dual_level", exit_level, METH_O, "ends the level, which is the last one that was entered"},
    {"make_dual", make_dual, METH_VARARGS, "make_dual(primal, tangent, level)"},
    {"unpack_dual", unpack_dual, METH_VARARGS, "unpack_dual(dual, level): (primal, tangent or None)"},
    {"is_dual", is_dual, METH_O, "has the tensor a tangent that is seen now?"},
    {"is_forward_enabled", is_forward_enabled, METH_NOARGS, "is forward mode on?"},
    {"set_forward_enabled", set_forward, METH_O, "forward mode on or off, on this thread"},
    {NULL, NULL, 0, NULL},
};
