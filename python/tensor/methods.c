/* methods.c - the methods of Tensor that are not operators: sizes and strides, conversion to Python numbers and lists,
 * and casts such as half().
 *
 * In: a Tensor. Out: numbers, lists, Tensors. Operators as methods come from the table (function.c). */
#include "core/binding.h"

#include <karat/plugin/storage.h>

static const kt_row *row_to;
static int           format_at; /* its argument memory_format */

int kp_methods_start(void)
{
    row_to = kp_row("to");
    while (row_to && format_at < kt_row_n_args(row_to) && kt_row_arg(row_to, format_at)->kind != KT_ARG_FORMAT)
        format_at++;
    return row_to ? 0 : -1;
}

/* ---- leaving ---- */

static PyObject *item(PyObject *self, PyObject *unused)
{
    (void)unused;
    return kp_from_scalar(kp_item(kp_tensor_of(self)));
}

typedef struct reader {
    kt_shape    shape;
    kt_dtype    dtype;
    size_t      itemsize;
    const char *at;
} reader;

static PyObject *read_dim(reader *r, int64_t dim)
{
    if (dim == r->shape.n) {
        PyObject *number = kp_from_scalar(kt_scalar_load(r->at, r->dtype));
        r->at += r->itemsize;
        return number;
    }
    PyObject *list = PyList_New((Py_ssize_t)r->shape.d[dim]);
    for (int64_t i = 0; list && i < r->shape.d[dim]; i++) {
        PyObject *one = read_dim(r, dim + 1);
        if (one)
            PyList_SET_ITEM(list, i, one);
        else
            Py_CLEAR(list);
    }
    return list;
}

static PyObject *list_of(const kt_tensor *t)
{
    reader r = {kt_sizes(t), kt_dtype_of(t), kt_dtype_size(kt_dtype_of(t)), NULL};
    size_t bytes = (size_t)kt_numel(t) * r.itemsize;
    char  *elements = PyMem_Malloc(bytes ? bytes : 1);
    if (!elements)
        return PyErr_NoMemory();
    r.at = elements;
    PyObject *list = kp_read(t, elements, bytes) ? kp_raise() : read_dim(&r, 0);
    PyMem_Free(elements);
    return list;
}

/* A list may be made while others run (the garbage collector calls destructors): they may give the tensor other sizes. */
static PyObject *to_list(PyObject *self, PyObject *unused)
{
    (void)unused;
    kt_tensor *lent;
    if (kt_lend(kp_tensor_of(self), false, &lent))
        return kp_raise();
    PyObject *list = list_of(lent);
    kt_drop(lent);
    return list;
}

/* The elements in row-major order as bytes, for pickle. */
static PyObject *to_bytes(PyObject *self, PyObject *unused)
{
    (void)unused;
    kt_tensor *t;
    if (kt_lend(kp_tensor_of(self), false, &t))
        return kp_raise();
    size_t    bytes = (size_t)kt_numel(t) * kt_dtype_size(kt_dtype_of(t));
    PyObject *result = PyBytes_FromStringAndSize(NULL, (Py_ssize_t)bytes);
    if (result && kp_read(t, PyBytes_AS_STRING(result), bytes)) {
        Py_CLEAR(result);
        kp_raise();
    }
    kt_drop(t);
    return result;
}

/* ---- asking ---- */

static PyObject *ask_numel(PyObject *self, PyObject *unused)
{
    (void)unused;
    return PyLong_FromLongLong(kt_numel(kp_tensor_of(self)));
}

static PyObject *ask_dim(PyObject *self, PyObject *unused)
{
    (void)unused;
    return PyLong_FromLongLong(kt_ndim(kp_tensor_of(self)));
}

static PyObject *ask_offset(PyObject *self, PyObject *unused)
{
    (void)unused;
    return PyLong_FromLongLong(kt_storage_offset(kp_tensor_of(self)));
}

static PyObject *ask_element_size(PyObject *self, PyObject *unused)
{
    (void)unused;
    return PyLong_FromSize_t(kt_dtype_size(kt_dtype_of(kp_tensor_of(self))));
}

#define SELF           {.name = "self", .kind = KT_ARG_TENSOR}
#define OTHER(called)  {.name = called, .kind = KT_ARG_TENSOR}
#define FORMAT(none)   {.name = "memory_format", .kind = KT_ARG_FORMAT, .optional = none, .has_default = 1, .keyword_only = 1}
#define DIMS(called)                                                                                            \
    {{.name = called, .spec = {SELF, {.name = "dim", .kind = KT_ARG_INT, .optional = 1, .has_default = 1}}},    \
     {.name = called, .spec = {SELF, {.name = "dim", .kind = KP_ARG_NAME}}}}

static PyObject *one_dim(PyObject *self, const kp_args *a, int64_t (*one)(const kt_tensor *, int64_t))
{
    const int64_t dim = a->call.arg[1].i;
    if (kt_ndim(kp_tensor_of(self)) == 0)
        return PyErr_Format(PyExc_IndexError, "Dimension specified as %lld but tensor has no dimensions", (long long)dim);
    int64_t n = one(kp_tensor_of(self), dim);
    return kt_failed() ? kp_raise() : PyLong_FromLongLong(n);
}

static PyObject *ask_size(PyObject *self, PyObject *const *argv, Py_ssize_t n, PyObject *keywords)
{
    static kp_signature signatures[] = DIMS("size");
    kp_args             a;
    if (!n && !keywords)
        return kp_size_object(kt_sizes(kp_tensor_of(self)));
    if (kp_parse_method(&a, signatures, 2, self, argv, n, keywords) < 0)
        return NULL;
    kp_args_free(&a);
    return a.call.given & 2 ? one_dim(self, &a, kt_size) : kp_size_object(kt_sizes(kp_tensor_of(self)));
}

static PyObject *ask_stride(PyObject *self, PyObject *const *argv, Py_ssize_t n, PyObject *keywords)
{
    static kp_signature signatures[] = DIMS("stride");
    kp_args             a;
    if (kp_parse_method(&a, signatures, 2, self, argv, n, keywords) < 0)
        return NULL;
    kp_args_free(&a);
    if (a.call.given & 2)
        return one_dim(self, &a, kt_stride);
    PyObject *size = kp_size_object(kt_strides(kp_tensor_of(self)));
    PyObject *tuple = size ? PyTuple_GetSlice(size, 0, PyTuple_GET_SIZE(size)) : NULL;
    Py_XDECREF(size);
    return tuple;
}

static PyObject *ask_contiguous(PyObject *self, PyObject *const *argv, Py_ssize_t n, PyObject *keywords)
{
    static kp_signature signature = {.name = "is_contiguous", .spec = {SELF, FORMAT(0)}};
    kp_args             a;
    int32_t             format = KT_CONTIGUOUS_FORMAT;
    if (n || keywords) {
        if (kp_parse_method(&a, &signature, 1, self, argv, n, keywords) < 0)
            return NULL;
        kp_args_free(&a);
        format = a.call.given & 2 ? a.call.arg[1].format : format;
    }
    return PyBool_FromLong(kt_is_contiguous_as(kp_tensor_of(self), (kt_memory_format)format));
}

static PyObject *has_category(PyObject *self, unsigned categories)
{
    return PyBool_FromLong((kt_dtype_category(kt_dtype_of(kp_tensor_of(self))) & categories) != 0);
}

static PyObject *ask_floating(PyObject *self, PyObject *unused)
{
    (void)unused;
    return has_category(self, KT_CAT_FLOAT);
}

static PyObject *ask_complex(PyObject *self, PyObject *unused)
{
    (void)unused;
    return has_category(self, KT_CAT_COMPLEX);
}

static PyObject *ask_signed(PyObject *self, PyObject *unused)
{
    (void)unused;
    return PyBool_FromLong(kt_dtype_is_signed(kt_dtype_of(kp_tensor_of(self))));
}

/* Address of the first element, on its device; 0 if there is none. */
static PyObject *ask_data_ptr(PyObject *self, PyObject *unused)
{
    (void)unused;
    const kt_tensor *t = kp_tensor_of(self);
    const char      *memory = kt_numel(t) ? kt_storage_data(t) : NULL;
    if (!memory)
        return kt_failed() ? kp_raise() : PyLong_FromLong(0);
    return PyLong_FromVoidPtr((void *)(memory + (size_t)kt_storage_offset(t) * kt_dtype_size(kt_dtype_of(t))));
}

static PyObject *ask_device_index(PyObject *self, PyObject *unused)
{
    (void)unused;
    kt_device d = kt_device_of(kp_tensor_of(self));
    return PyLong_FromLong(d.kind <= KT_META ? -1 : d.index);
}

static PyObject *ask_nonzero(PyObject *self, PyObject *unused)
{
    (void)unused;
    int truth = PyObject_IsTrue(self);
    return truth < 0 ? NULL : PyBool_FromLong(truth);
}

static PyObject *ask_inference(PyObject *self, PyObject *unused)
{
    (void)unused;
    return PyBool_FromLong(kt_is_inference(kp_tensor_of(self)));
}

static PyObject *detach_here(PyObject *self, PyObject *unused)
{
    (void)unused;
    return kt_detach_(kp_tensor_of(self)) ? Py_NewRef(self) : kp_raise();
}

/* Same sizes? Same memory, sizes and strides? */
static PyObject *ask_same_size(PyObject *self, PyObject *const *argv, Py_ssize_t n, PyObject *keywords)
{
    static kp_signature signature = {.name = "is_same_size", .spec = {SELF, OTHER("other")}};
    kp_args             given;
    if (kp_parse_method(&given, &signature, 1, self, argv, n, keywords) < 0)
        return NULL;
    kp_args_free(&given);
    kt_shape a = kt_sizes(kp_tensor_of(self)), b = kt_sizes(given.call.arg[1].t);
    return PyBool_FromLong(a.n == b.n && (a.n == 0 || memcmp(a.d, b.d, (size_t)a.n * sizeof *a.d) == 0));
}

static PyObject *ask_set_to(PyObject *self, PyObject *const *argv, Py_ssize_t n, PyObject *keywords)
{
    static kp_signature signature = {.name = "is_set_to", .spec = {SELF, OTHER("tensor")}};
    kp_args             given;
    if (kp_parse_method(&given, &signature, 1, self, argv, n, keywords) < 0)
        return NULL;
    kp_args_free(&given);
    kt_tensor *a = kp_tensor_of(self), *b = given.call.arg[1].t;
    kt_shape   sizes[2] = {kt_sizes(a), kt_sizes(b)}, strides[2] = {kt_strides(a), kt_strides(b)};
    const size_t bytes = (size_t)sizes[0].n * sizeof *sizes[0].d;
    return PyBool_FromLong(kt_shares_storage(a, b) && kt_storage_offset(a) == kt_storage_offset(b) &&
                           sizes[0].n == sizes[1].n &&
                           (!bytes || (memcmp(sizes[0].d, sizes[1].d, bytes) == 0 &&
                                       memcmp(strides[0].d, strides[1].d, bytes) == 0)));
}

static PyObject *ask_view(PyObject *self, PyObject *unused)
{
    (void)unused;
    return PyBool_FromLong(kt_is_view(kp_tensor_of(self)));
}

/* (address, bytes) of the storage, for storage objects (karat/storage.py). */
static PyObject *ask_storage(PyObject *self, PyObject *unused)
{
    (void)unused;
    const kt_tensor *t = kp_tensor_of(self);
    return Py_BuildValue("(Nn)", PyLong_FromVoidPtr(kt_storage_data(t)), (Py_ssize_t)kt_storage_bytes(t));
}

static PyObject *ask_storage_identity(PyObject *self, PyObject *unused)
{
    (void)unused;
    return PyLong_FromVoidPtr((void *)(uintptr_t)kt_storage_identity(kp_tensor_of(self)));
}

static PyObject *ask_storage_content(PyObject *self, PyObject *unused)
{
    (void)unused;
    const kt_tensor *t = kp_tensor_of(self);
    if (kt_device_of(t).kind != KT_CPU)
        return PyErr_Format(PyExc_NotImplementedError, "Not available for '%s' device type", kt_device_name(kt_device_of(t)));
    return PyBytes_FromStringAndSize(kt_storage_data(t), (Py_ssize_t)kt_storage_bytes(t));
}

/* `to` for half(), cpu() and others; memory_format= is accepted. */
static PyObject *cast_to(PyObject *self, kp_signature *signature, kt_dtype dtype, kt_device device, PyObject *const *argv,
                         Py_ssize_t n, PyObject *keywords)
{
    kt_status status;
    kt_call call;
    kt_call_begin(&call, row_to, KT_PLAIN);
    call.arg[0].t = kp_tensor_of(self);
    call.given = 1;
    if (n || keywords) {
        kp_args a;
        if (kp_parse_method(&a, signature, 1, self, argv, n, keywords) < 0)
            return NULL;
        kp_args_free(&a);
        call.arg[format_at].format = a.call.arg[1].format;
        call.given |= a.call.given & 2 ? 1u << format_at : 0;
    }
    if (dtype) {
        call.arg[1].dtype = dtype;
        call.given |= 2;
    }
    if (device.kind != KT_DEVICE_DEFAULT) {
        call.arg[2].device = device;
        call.given |= 4;
    }
    kt_call_set_display_name(signature->name);
    status = kp_run(&call, kp_is_large(kp_tensor_of(self), NULL));
    kt_call_set_display_name(NULL);
    return status ? kp_raise() : kp_wrap(call.out[0]);
}

static PyObject *to_cpu(PyObject *self, PyObject *const *argv, Py_ssize_t n, PyObject *keywords)
{
    static kp_signature signature = {.name = "cpu", .spec = {SELF, FORMAT(1)}};
    return cast_to(self, &signature, KT_NONE, (kt_device){KT_CPU, 0}, argv, n, keywords);
}

static PyObject *to_type_of(PyObject *self, PyObject *const *argv, Py_ssize_t n, PyObject *keywords)
{
    static kp_signature signature = {.name = "type_as", .spec = {SELF, OTHER("other")}};
    kp_args             a;
    if (kp_parse_method(&a, &signature, 1, self, argv, n, keywords) < 0)
        return NULL;
    kp_args_free(&a);
    const kt_tensor *other = a.call.arg[1].t;
    return cast_to(self, &signature, kt_dtype_of(other), kt_device_of(other), NULL, 0, NULL);
}

static PyObject *ask_conj(PyObject *self, PyObject *unused)
{
    (void)unused;
    return PyBool_FromLong(kt_is_conj(kp_tensor_of(self)));
}

static PyObject *ask_neg(PyObject *self, PyObject *unused)
{
    (void)unused;
    return PyBool_FromLong(kt_is_neg(kp_tensor_of(self)));
}

/* Python finds these on the type, not on the object: they ask for __torch_function__ themselves. */
static bool ask(const char *name, PyObject *const *argv, Py_ssize_t n, PyObject **answer)
{
    return KP_UNLIKELY(kp_may_override(argv[0])) &&
           kp_override_call(name, true, PyDict_GetItemString(kp_tensor_type->tp_dict, name), argv, n, NULL, answer);
}

static PyObject *to_complex(PyObject *self, PyObject *unused)
{
    (void)unused;
    kt_scalar s;
    PyObject *answer;
    if (ask("__complex__", &self, 1, &answer))
        return answer;
    if (kp_warn_of_lost_grad(kp_tensor_of(self)) || kp_only_element(self, &s))
        return NULL;
    PyObject *number = kp_from_scalar(s);
    PyObject *result = number ? PyObject_CallOneArg((PyObject *)&PyComplex_Type, number) : NULL;
    Py_XDECREF(number);
    return result;
}

/* A 0-dim tensor is formatted as its number; any other, and a subclass's, as its repr. */
static PyObject *format(PyObject *self, PyObject *spec)
{
    const kt_tensor *t = kp_tensor_of(self);
    PyObject        *argv[2] = {self, spec}, *answer;
    if (ask("__format__", argv, 2, &answer))
        return answer;
    if (kt_ndim(t) != 0 || kt_device_of(t).kind == KT_META || !Py_IS_TYPE(self, kp_tensor_type))
        return PyObject_CallMethod((PyObject *)&PyBaseObject_Type, "__format__", "OO", self, spec);
    PyObject *number = item(self, NULL);
    PyObject *text = number ? PyObject_Format(number, spec) : NULL;
    Py_XDECREF(number);
    return text;
}

/* ---- casts named after a dtype ---- */

#define CASTS(X)                                                                                               \
    X(bool, KT_BOOL) X(byte, KT_U8) X(char, KT_I8) X(short, KT_I16) X(int, KT_I32) X(long, KT_I64)             \
    X(half, KT_F16) X(bfloat16, KT_BF16) X(float, KT_F32) X(double, KT_F64) X(chalf, KT_C32) X(cfloat, KT_C64) \
    X(cdouble, KT_C128)

#define X(called, dtype)                                                                                              \
    static PyObject *cast_##called(PyObject *self, PyObject *const *argv, Py_ssize_t n, PyObject *keywords)           \
    {                                                                                                                 \
        static kp_signature signature = {.name = #called, .spec = {SELF, FORMAT(1)}};                                 \
        return cast_to(self, &signature, dtype, (kt_device){KT_DEVICE_DEFAULT, 0}, argv, n, keywords);                \
    }
CASTS(X)
#undef X

PyMethodDef kp_tensor_methods[] = {
    {"_plain_repr", kp_plain_repr, METH_NOARGS, "the text of a plain tensor, whatever the class"},
    {"item", item, METH_NOARGS, "the one element as a Python number"},
    {"tolist", to_list, METH_NOARGS, "the elements as nested lists"},
    {"_bytes", to_bytes, METH_NOARGS, "the elements as raw bytes"},
    {"numel", ask_numel, METH_NOARGS, "how many elements it has"},
    {"nelement", ask_numel, METH_NOARGS, "how many elements it has"},
    {"dim", ask_dim, METH_NOARGS, "how many dims it has"},
    {"size", KP_FUNCTION(ask_size), METH_FASTCALL | METH_KEYWORDS, "size(dim=None): the sizes, or one of them"},
    {"stride", KP_FUNCTION(ask_stride), METH_FASTCALL | METH_KEYWORDS, "stride(dim=None): the strides, or one of them"},
    {"storage_offset", ask_offset, METH_NOARGS, "where it begins in its storage, in elements"},
    {"element_size", ask_element_size, METH_NOARGS, "bytes of one element"},
    {"is_contiguous", KP_FUNCTION(ask_contiguous), METH_FASTCALL | METH_KEYWORDS, "is it dense and in this order?"},
    {"is_floating_point", ask_floating, METH_NOARGS, "is its dtype a real float?"},
    {"is_complex", ask_complex, METH_NOARGS, "is its dtype complex?"},
    {"is_signed", ask_signed, METH_NOARGS, "can its dtype hold negative numbers?"},
    {"data_ptr", ask_data_ptr, METH_NOARGS, "the address of its first element"},
    {"get_device", ask_device_index, METH_NOARGS, "the index of its device; -1 for the CPU"},
    {"ndimension", ask_dim, METH_NOARGS, "how many dims it has"},
    {"is_nonzero", ask_nonzero, METH_NOARGS, "is the one element not zero?"},
    {"detach_", detach_here, METH_NOARGS, "itself, without its history"},
    {"is_inference", ask_inference, METH_NOARGS, "was it made in inference mode?"},
    {"is_pinned", KP_FUNCTION(kp_is_pinned), METH_FASTCALL | METH_KEYWORDS, "is its memory pinned host memory?"},
    {"pin_memory", KP_FUNCTION(kp_pin_memory), METH_FASTCALL | METH_KEYWORDS,
     "in pinned host memory, which copies to a device need not wait for; itself if it is there"},
    {"record_stream", kp_record_stream, METH_O,
     "record_stream(s): its memory is used by work of the stream s, and is not reused before that is done"},
    {"is_set_to", KP_FUNCTION(ask_set_to), METH_FASTCALL | METH_KEYWORDS,
     "is_set_to(tensor): the same geometry over the same memory?"},
    {"_is_view", ask_view, METH_NOARGS, "does it look into another tensor?"},
    {"_storage", ask_storage, METH_NOARGS, "(address, bytes) of its memory"},
    {"_swap", kp_swap, METH_O, "exchanges tensor, class and attributes with another"},
    {"_use_count", kp_use_count, METH_NOARGS, "how many own it: this object, graphs, views, .grad"},
    {"_fix_weakref", kp_fix_weakref, METH_NOARGS, "nothing: an object that a weak reference gave owns its tensor"},
    {"_storage_identity", ask_storage_identity, METH_NOARGS, "a number that tensors of one storage have in common"},
    {"_storage_content", ask_storage_content, METH_NOARGS, "a copy of its memory"},
    {"is_same_size", KP_FUNCTION(ask_same_size), METH_FASTCALL | METH_KEYWORDS, "is_same_size(other): are the sizes equal?"},
    {"cpu", KP_FUNCTION(to_cpu), METH_FASTCALL | METH_KEYWORDS, "on the CPU; itself where it is there"},
    {"type_as", KP_FUNCTION(to_type_of), METH_FASTCALL | METH_KEYWORDS,
     "type_as(other): in the dtype and on the device of the other"},
    {"is_conj", ask_conj, METH_NOARGS, "is it conjugated when read?"},
    {"is_neg", ask_neg, METH_NOARGS, "is it negated when read?"},
    {"new", KP_FUNCTION(kp_new), METH_VARARGS | METH_KEYWORDS, "new(*sizes) or new(data): a tensor of its dtype"},
    {"new_tensor", KP_FUNCTION(kp_new_tensor), METH_FASTCALL | METH_KEYWORDS,
     "new_tensor(data, *, dtype=None, device=None, requires_grad=False): the data as a tensor of this dtype and device"},
    {"equal", KP_FUNCTION(kp_equal), METH_FASTCALL | METH_KEYWORDS, "equal(other): the same sizes and elements?"},
    {"allclose", KP_FUNCTION(kp_all_close), METH_FASTCALL | METH_KEYWORDS,
     "allclose(other, rtol=1e-05, atol=1e-08, equal_nan=False): is every element close?"},
    {"numpy", KP_FUNCTION(kp_numpy), METH_FASTCALL | METH_KEYWORDS, "numpy(*, force=False): an array on its memory"},
    {"__array__", KP_FUNCTION(kp_array), METH_VARARGS | METH_KEYWORDS, NULL},
    {"__dlpack__", KP_FUNCTION(kp_dlpack), METH_VARARGS | METH_KEYWORDS, NULL},
    {"__dlpack_device__", kp_dlpack_device, METH_NOARGS, NULL},
    {"__array_wrap__", KP_FUNCTION(kp_array_wrap), METH_FASTCALL, NULL},
    {"__format__", format, METH_O, NULL},
    {"__torch_function__", KP_FUNCTION(kp_torch_function), METH_CLASS | METH_VARARGS | METH_KEYWORDS, NULL},
    {"__init_subclass__", KP_FUNCTION(kp_init_subclass), METH_CLASS | METH_VARARGS | METH_KEYWORDS, NULL},
    {"as_subclass", kp_as_subclass, METH_O, "as_subclass(cls): an object of the class on the same memory"},
    {"_make_subclass", KP_FUNCTION(kp_make_subclass), METH_STATIC | METH_VARARGS | METH_KEYWORDS, NULL},
    {"__complex__", to_complex, METH_NOARGS, NULL},
    {"backward", KP_FUNCTION(kp_backward), METH_VARARGS | METH_KEYWORDS,
     "backward(gradient=None, retain_graph=None, create_graph=False, inputs=None): gradients of the leaves this was made of"},
    {"register_hook", kp_register_hook, METH_O, "register_hook(function): it sees the gradient, and may give another"},
    {"register_post_accumulate_grad_hook", kp_register_hook_after, METH_O,
     "register_post_accumulate_grad_hook(function): it sees the leaf after backward has added to its gradient"},
    {"retain_grad", kp_retain_grad, METH_NOARGS, "a result keeps its gradient as a leaf does"},
    {"requires_grad_", KP_FUNCTION(kp_requires_grad_), METH_VARARGS | METH_KEYWORDS,
     "requires_grad_(requires_grad=True): ask for a gradient, or no longer"},
#define X(name, dtype) {#name, KP_FUNCTION(cast_##name), METH_FASTCALL | METH_KEYWORDS, "to the dtype of that name"},
    CASTS(X)
#undef X
    {NULL, NULL, 0, NULL},
};
