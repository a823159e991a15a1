/* attributes.c - what one reads from a Tensor without calling: dtype, shape, device, grad and their kin.
 *
 * In: a Tensor. Out: the engine's answers as objects. */
#include "binding.h"

static PyObject *get_dtype(PyObject *self, void *unused)
{
    (void)unused;
    return kp_dtype_object(kt_dtype_of(kp_tensor_of(self)));
}

static PyObject *get_shape(PyObject *self, void *unused)
{
    (void)unused;
    return kp_size_object(kt_sizes(kp_tensor_of(self)));
}

static PyObject *get_device(PyObject *self, void *unused)
{
    (void)unused;
    return kp_device_object(kt_device_of(kp_tensor_of(self)));
}

static PyObject *get_ndim(PyObject *self, void *unused)
{
    (void)unused;
    return PyLong_FromLongLong(kt_ndim(kp_tensor_of(self)));
}

static PyObject *get_itemsize(PyObject *self, void *unused)
{
    (void)unused;
    return PyLong_FromSize_t(kt_dtype_size(kt_dtype_of(kp_tensor_of(self))));
}

static PyObject *get_version(PyObject *self, void *unused)
{
    (void)unused;
    return PyLong_FromUnsignedLong(kt_tensor_version(kp_tensor_of(self)));
}

/* An attribute that is an operator of one argument; its row's name is the closure. */
static PyObject *get_by_row(PyObject *self, void *name)
{
    const kt_row *row = kp_row(name);
    kt_call       call;
    if (!row)
        return NULL;
    kt_call_begin(&call, row, KT_PLAIN);
    call.arg[0].t = kp_tensor_of(self);
    call.given = 1;
    return kp_run(&call, false) ? kp_raise() : kp_wrap(call.out[0]);
}

PyGetSetDef kp_tensor_getset[] = {
    {"dtype", get_dtype, NULL, "the type of its elements", NULL},
    {"shape", get_shape, NULL, "the sizes of its dims", NULL},
    {"device", get_device, NULL, "where its memory is", NULL},
    {"ndim", get_ndim, NULL, "how many dims it has", NULL},
    {"itemsize", get_itemsize, NULL, "bytes of one element", NULL},
    {"grad", kp_get_grad, kp_set_grad, "the gradient collected by backward, or None", NULL},
    {"requires_grad", kp_get_requires_grad, kp_set_requires_grad, "is a gradient wanted?", NULL},
    {"is_leaf", kp_get_is_leaf, NULL, "was it made by the user, not by a recorded operator?", NULL},
    {"grad_fn", kp_get_grad_fn, NULL, "the recorded operator that made it, or None", NULL},
    {"T", get_by_row, NULL, "the matrix transposed", "t"},
    {"real", get_by_row, NULL, "real parts", "real"},
    {"imag", get_by_row, NULL, "imaginary parts", "imag"},
    {"_version", get_version, NULL, "how often it was written in place", NULL},
    {"__dict__", kp_get_dict, PyObject_GenericSetDict, NULL, NULL},
    {NULL, NULL, NULL, NULL, NULL},
};
