/* make.c - tensors out of Python's things: tensor, as_tensor, asarray, from_numpy, new_tensor, and the constructors of
 * old (FloatTensor).
 *
 * In: numbers, nested sequences, arrays, tensors. Out: new tensors, or the same where as_ says that it may be. What
 * data means is data.c's and numpy.c's. */
#include "binding.h"

typedef struct wish { /* what a maker was asked for */
    kt_dtype  dtype;  /* KT_NONE: as the data has it */
    kt_device device; /* KT_DEVICE_DEFAULT: where it is */
    bool      copy;   /* new memory always */
} wish;

/* The tensor, or what `to` makes of it. Takes over the reference. */
static kt_tensor *fulfil(kt_tensor *t, wish w)
{
    const kt_row *to = kp_row("to");
    kt_call       call;
    if (!to || (!w.copy && !w.dtype && w.device.kind == KT_DEVICE_DEFAULT)) {
        if (!to)
            kt_drop(t);
        return to ? t : NULL;
    }
    kt_call_begin(&call, to, KT_PLAIN);
    call.arg[0].t = t;
    call.given = 1;
    if (w.dtype) {
        call.arg[1].dtype = w.dtype;
        call.given |= 2;
    }
    if (w.device.kind != KT_DEVICE_DEFAULT) {
        call.arg[2].device = w.device;
        call.given |= 4;
    }
    call.arg[3].b = w.copy;
    call.given |= 8;
    kt_status status = kp_run(&call, kp_is_large(t, NULL));
    kt_drop(t);
    if (status)
        kp_raise();
    return status ? NULL : call.out[0];
}

static kt_tensor *without_history(kt_tensor *t) /* takes over the reference */
{
    const kt_row *detach = t ? kp_row("detach") : NULL;
    kt_call       call;
    if (!detach) {
        kt_drop(t);
        return NULL;
    }
    kt_call_begin(&call, detach, KT_PLAIN);
    call.arg[0].t = t;
    call.given = 1;
    kt_status status = kp_run(&call, false);
    kt_drop(t);
    if (status)
        kp_raise();
    return status ? NULL : call.out[0];
}

/* Owned: a tensor of the data. Where w.copy is not asked for, tensors and arrays are shared as far as they can be. */
static kt_tensor *make(PyObject *data, wish w, const char *maker)
{
    if (kp_is_tensor(data)) {
        kt_tensor *t = fulfil(kt_keep(kp_tensor_of(data)), w);
        return w.copy ? without_history(t) : t;
    }
    if (kp_is_array(data)) {
        kt_tensor *t = kp_from_array(data, maker, !w.copy);
        return t ? fulfil(t, w) : NULL;
    }
    kt_tensor *t = kp_from_data(data, w.dtype, maker);
    return t && w.device.kind > KT_CPU ? fulfil(t, (wish){.device = w.device}) : t;
}

/* ---- the arguments that all of them take ---- */

#define DATA(called)  {.name = called, .kind = KP_ARG_OBJECT}
#define DTYPE(only)   {.name = "dtype", .kind = KT_ARG_DTYPE, .optional = 1, .has_default = 1, .keyword_only = only}
#define DEVICE(only)  {.name = "device", .kind = KT_ARG_DEVICE, .optional = 1, .has_default = 1, .keyword_only = only}
#define GRAD          {.name = "requires_grad", .kind = KT_ARG_BOOL, .has_default = 1, .keyword_only = 1}
#define PIN           {.name = "pin_memory", .kind = KT_ARG_BOOL, .has_default = 1, .keyword_only = 1}
#define COPY          {.name = "copy", .kind = KT_ARG_BOOL, .optional = 1, .has_default = 1, .keyword_only = 1}

static wish wish_of(const kp_args *a, int dtype, int device, bool copy)
{
    const kt_device usual = kt_get_default_device(), as_is = {KT_DEVICE_DEFAULT, 0};
    return (wish){a->call.given >> dtype & 1 ? a->call.arg[dtype].dtype : KT_NONE,
                  a->call.given >> device & 1   ? a->call.arg[device].device
                  : usual.kind == KT_CPU ? as_is
                                         : usual,
                  copy};
}

static PyObject *finish(kt_tensor *t, bool wants_grad)
{
    if (t && wants_grad && kp_want_grad(t)) {
        kt_drop(t);
        return NULL;
    }
    return kp_wrap(t);
}

static int warn_of_copy(const char *name, bool method)
{
    return PyErr_WarnFormat(PyExc_UserWarning, 1,
                            "To copy construct from a tensor, it is recommended to use sourceTensor.detach().clone() or "
                            "sourceTensor.detach().clone().requires_grad_(True), rather than %s%s(sourceTensor).",
                            method ? "tensor." : "torch.", name);
}

static PyObject *make_tensor(PyObject *module, PyObject *const *argv, Py_ssize_t n, PyObject *keywords)
{
    (void)module;
    static kp_signature signature = {.name = "tensor", .spec = {DATA("data"), DTYPE(1), DEVICE(1), GRAD, PIN}};
    kp_args             a;
    if (kp_parse(&a, &signature, false, argv, n, keywords))
        return NULL;
    PyObject *data = (PyObject *)(void *)a.call.arg[0].t;
    wish      w = wish_of(&a, 1, 2, true);
    bool      wants_grad = a.call.given & 8 && a.call.arg[3].b;
    kp_args_free(&a);
    if (kp_is_tensor(data) && warn_of_copy("tensor", false))
        return NULL;
    return finish(make(data, w, "tensor"), wants_grad);
}

PyObject *kp_new_tensor(PyObject *self, PyObject *const *argv, Py_ssize_t n, PyObject *keywords)
{
    static kp_signature signature = {.name = "new_tensor", .spec = {DATA("data"), DTYPE(1), DEVICE(1), GRAD, PIN}};
    kp_args             a;
    if (kp_parse(&a, &signature, false, argv, n, keywords))
        return NULL;
    PyObject *data = (PyObject *)(void *)a.call.arg[0].t;
    wish      w = wish_of(&a, 1, 2, true);
    bool      wants_grad = a.call.given & 8 && a.call.arg[3].b;
    kp_args_free(&a);
    if (kp_is_tensor(data) && warn_of_copy("new_tensor", true))
        return NULL;
    if (!w.dtype)
        w.dtype = kt_dtype_of(kp_tensor_of(self));
    if (!(a.call.given & 4))
        w.device = kt_device_of(kp_tensor_of(self));
    return finish(make(data, w, "new_tensor"), wants_grad);
}

static PyObject *as_tensor(PyObject *module, PyObject *const *argv, Py_ssize_t n, PyObject *keywords)
{
    (void)module;
    static kp_signature signature = {.name = "as_tensor", .spec = {DATA("data"), DTYPE(0), DEVICE(0)}};
    kp_args             a;
    if (kp_parse(&a, &signature, false, argv, n, keywords))
        return NULL;
    PyObject *data = (PyObject *)(void *)a.call.arg[0].t;
    wish      w = wish_of(&a, 1, 2, false);
    kp_args_free(&a);
    return finish(make(data, w, "as_tensor"), false);
}

static PyObject *as_array(PyObject *module, PyObject *const *argv, Py_ssize_t n, PyObject *keywords)
{
    (void)module;
    static kp_signature signature = {.name = "asarray", .spec = {DATA("obj"), DTYPE(1), DEVICE(1), COPY, GRAD}};
    kp_args             a;
    if (kp_parse(&a, &signature, false, argv, n, keywords))
        return NULL;
    PyObject *data = (PyObject *)(void *)a.call.arg[0].t;
    wish      w = wish_of(&a, 1, 2, a.call.given & 8 && a.call.arg[3].b);
    bool      wants_grad = a.call.given & 16 && a.call.arg[4].b;
    kp_args_free(&a);
    return finish(make(data, w, "asarray"), wants_grad);
}

static PyObject *from_numpy(PyObject *module, PyObject *array)
{
    (void)module;
    if (!kp_is_array(array)) {
        PyErr_Format(PyExc_TypeError, "expected np.ndarray (got %s)", Py_TYPE(array)->tp_name);
        return NULL;
    }
    return kp_wrap(kp_from_array(array, "from_numpy", true));
}

/* ---- the constructors of old: sizes, or data, or a tensor to look at ---- */

static kt_tensor *of_sizes(kt_dtype dtype, PyObject *const *argv, Py_ssize_t n)
{
    int64_t    sizes[KT_MAX_DIMS];
    kt_tensor *t = NULL;
    if (n > KT_MAX_DIMS) {
        PyErr_Format(PyExc_ValueError, "a tensor has at most %d dims", (int)KT_MAX_DIMS);
        return NULL;
    }
    for (Py_ssize_t i = 0; i < n; i++) {
        if (!PyIndex_Check(argv[i])) {
            PyErr_Format(PyExc_TypeError, "new(): argument 'size' failed to unpack the object at pos %zd with error "
                                          "\"type must be tuple of ints,but got %s\"", i + 1, Py_TYPE(argv[i])->tp_name);
            return NULL;
        }
        sizes[i] = PyNumber_AsSsize_t(argv[i], PyExc_OverflowError);
        if (sizes[i] == -1 && PyErr_Occurred())
            return NULL;
    }
    uint8_t   before = kp_enter();
    kt_status status = kt_make(dtype, (kt_shape){n, sizes}, "Tensor", &t);
    kp_leave(before);
    if (status)
        kp_raise();
    return status ? NULL : t;
}

/* dtype KT_NONE: torch.Tensor itself, which takes any tensor and makes the default dtype of other things. */
kt_tensor *kp_legacy(kt_dtype dtype, PyObject *const *argv, Py_ssize_t n)
{
    const kt_dtype made = dtype ? dtype : kt_get_default_dtype();
    PyObject      *one = n == 1 ? argv[0] : NULL;
    if (n == 0)
        return of_sizes(made, (PyObject *[]){Py_False}, 1); /* no element */
    if (!one || (PyIndex_Check(one) && !kp_is_tensor(one) && !kp_is_array(one)))
        return of_sizes(made, argv, n);
    if (Py_IS_TYPE(one, &kp_size_type))
        return of_sizes(made, ((PyTupleObject *)one)->ob_item, PyTuple_GET_SIZE(one));
    if (kp_is_tensor(one)) {
        if (dtype && kt_dtype_of(kp_tensor_of(one)) != dtype) {
            PyErr_Format(PyExc_TypeError, "expected %s (got %s)", kt_dtype_torch_name(dtype),
                         kt_dtype_torch_name(kt_dtype_of(kp_tensor_of(one))));
            return NULL;
        }
        return without_history(kt_keep(kp_tensor_of(one)));
    }
    if (!PySequence_Check(one) && !kp_is_array(one)) {
        PyErr_Format(PyExc_TypeError, "new(): data must be a sequence (got %s)", Py_TYPE(one)->tp_name);
        return NULL;
    }
    return make(one, (wish){.dtype = made, .copy = true}, "Tensor");
}

static PyObject *legacy(PyObject *module, PyObject *const *argv, Py_ssize_t n)
{
    (void)module;
    kt_dtype dtype;
    if (n < 1 || !kp_to_dtype(argv[0], &dtype)) {
        PyErr_SetString(PyExc_TypeError, "legacy() takes a dtype first");
        return NULL;
    }
    return kp_wrap(kp_legacy(dtype, argv + 1, n - 1));
}

PyMethodDef kp_make_functions[] = {
    {"tensor", KP_FUNCTION(make_tensor), METH_FASTCALL | METH_KEYWORDS,
     "tensor(data, *, dtype=None, device=None, requires_grad=False): numbers, nested sequences of them, arrays as a new "
     "tensor"},
    {"as_tensor", KP_FUNCTION(as_tensor), METH_FASTCALL | METH_KEYWORDS,
     "as_tensor(data, dtype=None, device=None): a tensor of the data, sharing memory where that can be"},
    {"asarray", KP_FUNCTION(as_array), METH_FASTCALL | METH_KEYWORDS,
     "asarray(obj, *, dtype=None, device=None, copy=None, requires_grad=False): a tensor of the data"},
    {"from_numpy", from_numpy, METH_O, "from_numpy(array): a tensor on the array's own memory"},
    {"legacy", KP_FUNCTION(legacy), METH_FASTCALL, "legacy(dtype, *sizes) or legacy(dtype, data)"},
    {NULL, NULL, 0, NULL},
};
