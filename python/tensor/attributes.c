/* attributes.c - the attributes of Tensor: dtype, shape, device, grad, T, real and others.
 *
 * In: a Tensor. Out: the engine's answers as objects. */
#include "core/binding.h"

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
    if (kt_is_inference(kp_tensor_of(self)))
        return PyErr_Format(PyExc_RuntimeError, "Inference tensors do not track version counter.");
    return PyLong_FromUnsignedLong(kt_tensor_version(kp_tensor_of(self)));
}

/* Which tensor the object has: swap_tensors changes it, `data = ` does not. */
static PyObject *get_cdata(PyObject *self, void *unused)
{
    (void)unused;
    return PyLong_FromVoidPtr(kp_tensor_of(self));
}

/* An attribute that is a unary operator; the closure points at its row. */
static PyObject *get_by_row(PyObject *self, void *row)
{
    kt_tensor *result = kp_run_row(*(const kt_row *const *)row, kp_tensor_of(self));
    return result ? kp_wrap(result) : NULL;
}

static int copied(PyObject *to, PyObject *from)
{
    PyObject *done = PyObject_CallMethod(to, "copy_", "O", from);
    Py_XDECREF(done);
    return done ? 0 : -1;
}

/* x.real = value copies a tensor there, and any other value as x.real[...] = value does. */
static int set_part(PyObject *self, PyObject *value, void *row)
{
    PyObject *part = NULL;
    int       status = -1;
    if (!value)
        PyErr_Format(PyExc_AttributeError, "can't delete %s", kt_row_name(*(const kt_row *const *)row));
    else if ((part = get_by_row(self, row)))
        status = kp_is_tensor(value) ? copied(part, value) : PyObject_SetItem(part, Py_Ellipsis, value);
    Py_XDECREF(part);
    return status;
}

static PyObject *get_data(PyObject *self, void *unused)
{
    (void)unused;
    kt_tensor *data = NULL;
    return kt_get_data(kp_tensor_of(self), &data) ? kp_raise() : kp_wrap(data);
}

static int set_data(PyObject *self, PyObject *value, void *unused)
{
    (void)unused;
    if (!value)
        PyErr_SetString(PyExc_RuntimeError, "Deleting tensor data is not allowed. Delete tensor instead!");
    else if (!kp_is_tensor(value))
        PyErr_Format(PyExc_TypeError, "Variable data has to be a tensor, but got %s", Py_TYPE(value)->tp_name);
    else if (kp_wait_for(kp_tensor_of(self)))
        return -1;
    else if (kt_set_data(kp_tensor_of(self), kp_tensor_of(value)))
        kp_raise();
    else
        return 0;
    return -1;
}

static PyObject *get_base(PyObject *self, void *unused)
{
    (void)unused;
    kt_tensor *base = kt_base(kp_tensor_of(self));
    return base ? kp_wrap_borrowed(base) : Py_NewRef(Py_None);
}

static PyObject *get_nbytes(PyObject *self, void *unused)
{
    (void)unused;
    kt_tensor *t = kp_tensor_of(self);
    return PyLong_FromLongLong(kt_numel(t) * (long long)kt_dtype_size(kt_dtype_of(t)));
}

static int warn_of_no_dims(const char *name, const char *advice)
{
    return PyErr_WarnFormat(PyExc_UserWarning, 1, "Tensor.%s is deprecated on 0-D tensors. %s", name, advice);
}

/* T: dims reversed. */
static PyObject *get_reversed(PyObject *self, void *unused)
{
    (void)unused;
    kt_tensor    *t = kp_tensor_of(self);
    const int64_t rank = kt_ndim(t);
    int64_t       dims[KT_MAX_DIMS];
    kt_call       call;
    if (rank == 0 && warn_of_no_dims("T", "This function is the identity in these cases."))
        return NULL;
    if (rank != 2 && rank != 0 &&
        PyErr_WarnFormat(PyExc_UserWarning, 1,
                         "The use of `x.T` on tensors of dimension other than 2 to reverse their shape is deprecated and it "
                         "will throw an error in a future release. Consider `x.mT` to transpose batches of matrices or "
                         "`x.permute(*torch.arange(x.ndim - 1, -1, -1))` to reverse the dimensions of a tensor."))
        return NULL;
    for (int64_t i = 0; i < rank; i++)
        dims[i] = rank - 1 - i;
    kt_call_begin(&call, kp_rows.permute, KT_PLAIN);
    call.arg[0].t = t;
    call.arg[1].ints = (kt_shape){rank, dims};
    call.given = 3;
    return kp_run(&call, false) ? kp_raise() : kp_wrap(call.out[0]);
}

/* mT, mH, H: the last two dims swapped; mH and H also conjugate. */
static PyObject *get_adjoint(PyObject *self, void *which)
{
    const char     *name = which;
    const long long rank = kt_ndim(kp_tensor_of(self));
    kt_call         call;
    if (rank == 0 && warn_of_no_dims(name, name[strlen(name) - 1] == 'H' ? "Consider using x.conj()."
                                                                         : "This function is the identity in these cases."))
        return NULL;
    if (rank == 0 && strcmp(name, "mT") == 0)
        return Py_NewRef(self);
    if (name[0] == 'H' ? rank != 2 && rank != 0 : rank == 1)
        return PyErr_Format(PyExc_RuntimeError,
                            name[0] == 'H' ? "tensor.%s is only supported on matrices (2-D tensors). Got %lld-D tensor.%s"
                                           : "tensor.%s is only supported on matrices or batches of matrices. Got "
                                             "%lld-D tensor.%s",
                            name, rank,
                            name[0] == 'H' && rank > 2 ? " For batches of matrices, consider using tensor.mH" : "");
    kt_call_begin(&call, kp_rows.transpose, KT_PLAIN);
    call.arg[0].t = kp_tensor_of(self);
    call.arg[1].i = -2;
    call.arg[2].i = -1;
    call.given = 7;
    if (rank && kp_run(&call, false))
        return kp_raise();
    if (strcmp(name, "mT") == 0)
        return kp_wrap(call.out[0]);
    kt_tensor *turned = rank ? call.out[0] : kt_keep(kp_tensor_of(self));
    kt_tensor *result = kp_run_row(kp_rows.conj, turned);
    kt_drop(turned);
    return result ? kp_wrap(result) : NULL;
}

/* is_cuda and others: the closure is the device name; NULL: a device that Karat does not have. */
static PyObject *get_is_on(PyObject *self, void *device)
{
    const char *name = kt_device_name(kt_device_of(kp_tensor_of(self)));
    return PyBool_FromLong(device && strncmp(name, device, strlen(device)) == 0);
}

static PyObject *get_output_nr(PyObject *self, void *unused)
{
    (void)unused;
    return PyLong_FromLongLong(kt_output_nr(kp_tensor_of(self)));
}

static PyObject *get_names(PyObject *self, void *unused)
{
    (void)unused;
    PyObject *names = PyTuple_New((Py_ssize_t)kt_ndim(kp_tensor_of(self)));
    for (Py_ssize_t i = 0; names && i < PyTuple_GET_SIZE(names); i++)
        PyTuple_SET_ITEM(names, i, Py_NewRef(Py_None));
    return names;
}

static PyObject *get_priority(PyObject *self, void *unused)
{
    (void)self, (void)unused;
    return PyLong_FromLong(1000); /* NumPy's operators defer to ours */
}

static PyObject *get_layout(PyObject *self, void *unused)
{
    (void)self, (void)unused;
    return kp_layout_object();
}

PyGetSetDef kp_tensor_getset[] = {
    {"dtype", get_dtype, NULL, "the type of its elements", NULL},
    {"shape", get_shape, NULL, "the sizes of its dims", NULL},
    {"device", get_device, NULL, "where its memory is", NULL},
    {"ndim", get_ndim, NULL, "how many dims it has", NULL},
    {"itemsize", get_itemsize, NULL, "bytes of one element", NULL},
    {"_grad", kp_get_grad, kp_set_grad, "grad, under the name by which programs put it there", NULL},
    {"_grad_fn", kp_get_grad_fn, NULL, "grad_fn", NULL},
    {"grad", kp_get_grad, kp_set_grad, "the gradient collected by backward, or None", NULL},
    {"grad_dtype", kp_get_grad_dtype, kp_set_grad_dtype, "of a leaf: the dtype of its gradient; None: any", NULL},
    {"requires_grad", kp_get_requires_grad, kp_set_requires_grad, "is a gradient wanted?", NULL},
    {"is_leaf", kp_get_is_leaf, NULL, "was it made by the user, not by a recorded operator?", NULL},
    {"grad_fn", kp_get_grad_fn, NULL, "the recorded operator that made it, or None", NULL},
    {"T", get_reversed, NULL, "the dims in reverse", NULL},
    {"real", get_by_row, set_part, "real parts; set: written to", (void *)&kp_rows.real},
    {"imag", get_by_row, set_part, "imaginary parts; set: written to", (void *)&kp_rows.imag},
    {"mT", get_adjoint, NULL, "the last two dims exchanged", "mT"},
    {"mH", get_adjoint, NULL, "the last two dims exchanged, conjugated", "mH"},
    {"H", get_adjoint, NULL, "the matrix transposed and conjugated", "H"},
    {"nbytes", get_nbytes, NULL, "bytes of all elements", NULL},
    {"layout", get_layout, NULL, "how elements are kept: strided", NULL},
    {"is_cpu", get_is_on, NULL, "is it on the CPU?", "cpu"},
    {"is_meta", get_is_on, NULL, "has it no data?", "meta"},
    {"is_cuda", get_is_on, NULL, "is it on a CUDA device?", "cuda"},
    {"is_ipu", get_is_on, NULL, "False: there are none of that kind", NULL},
    {"is_maia", get_is_on, NULL, "False: there are none of that kind", NULL},
    {"is_mps", get_is_on, NULL, "False: there are none of that kind", NULL},
    {"is_mtia", get_is_on, NULL, "False: there are none of that kind", NULL},
    {"is_sparse_csr", get_is_on, NULL, "False: there are none of that kind", NULL},
    {"is_vulkan", get_is_on, NULL, "False: there are none of that kind", NULL},
    {"is_xla", get_is_on, NULL, "False: there are none of that kind", NULL},
    {"is_xpu", get_is_on, NULL, "False: there are none of that kind", NULL},
    {"is_sparse", get_is_on, NULL, "False: there are none of that kind", NULL},
    {"is_quantized", get_is_on, NULL, "False: there are none of that kind", NULL},
    {"is_mkldnn", get_is_on, NULL, "False: there are none of that kind", NULL},
    {"is_nested", get_is_on, NULL, "False: there are none of that kind", NULL},
    {"names", get_names, NULL, "dims have no names here", NULL},
    {"output_nr", get_output_nr, NULL, "which result of its operator it is", NULL},
    {"retains_grad", kp_get_retains_grad, NULL, "does a result keep its gradient?", NULL},
    {"data", get_data, set_data, "the same values without history; set: other values, sizes, dtype in their place", NULL},
    {"_base", get_base, NULL, "of a view, the tensor that it looks into; None", NULL},
    {"__array_priority__", get_priority, NULL, NULL, NULL},
    {"__cuda_array_interface__", kp_cuda_array_interface, NULL, "its memory on a CUDA device, for other libraries", NULL},
    {"_cdata", get_cdata, NULL, "a number that tells the tensors of objects apart", NULL},
    {"_version", get_version, NULL, "how often it was written in place", NULL},
    {"__dict__", kp_get_dict, PyObject_GenericSetDict, NULL, NULL},
    {NULL, NULL, NULL, NULL, NULL},
};
