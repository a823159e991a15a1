/* make.c - tensors from Python objects: tensor, as_tensor, asarray, from_numpy, new_tensor, and the legacy constructors
 * (FloatTensor).
 *
 * In: numbers, nested sequences, arrays, tensors. Out: new tensors, or the same one where as_tensor and asarray allow it.
 * data.c and numpy.c read the data. */
#include "core/binding.h"

typedef struct wish { /* the options of a factory function */
    kt_dtype  dtype;  /* KT_NONE: the data's */
    kt_device device; /* KT_DEVICE_DEFAULT: the data's */
    bool      copy;   /* always copy */
} wish;

static bool is_there(const kt_tensor *t, kt_device wished)
{
    const kt_device d = kt_device_of(t);
    return wished.kind == KT_DEVICE_DEFAULT || (wished.kind == d.kind && wished.index == d.index);
}

static bool is_fulfilled(const kt_tensor *t, wish w)
{
    return !w.copy && (!w.dtype || w.dtype == kt_dtype_of(t)) && is_there(t, w.device);
}

/* The tensor, converted by `to` if needed. Steals the reference. */
static kt_tensor *fulfil(kt_tensor *t, wish w)
{
    kt_call call;
    if (!w.copy && !w.dtype && w.device.kind == KT_DEVICE_DEFAULT)
        return t;
    if (w.copy && is_fulfilled(t, (wish){w.dtype, w.device, false})) {
        kt_tensor *copy = kp_run_row(kp_rows.clone, t);
        kt_drop(t);
        return copy;
    }
    kt_call_begin(&call, kp_rows.to, KT_PLAIN);
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

static kt_tensor *without_history(kt_tensor *t) /* steals the reference */
{
    kt_tensor *plain = t ? kp_run_row(kp_rows.detach, t) : NULL;
    kt_drop(t);
    return plain;
}

/* Does another library export it by DLPack? Built-in types are not heap types: a list is rejected at once. */
static bool is_lender(PyObject *o)
{
    return PyType_HasFeature(Py_TYPE(o), Py_TPFLAGS_HEAPTYPE) && PyObject_HasAttrString(o, "__dlpack__");
}

static bool is_lender_of_cuda(PyObject *o)
{
    return PyType_HasFeature(Py_TYPE(o), Py_TPFLAGS_HEAPTYPE) && PyObject_HasAttrString(o, "__cuda_array_interface__");
}

/* Is it a storage (karat/storage.py)? Its bytes are read as elements of the dtype that is wished. */
static bool is_storage(PyObject *o)
{
    return PyType_HasFeature(Py_TYPE(o), Py_TPFLAGS_HEAPTYPE) && PyObject_HasAttrString(o, "_as_elements");
}

static PyObject *elements_of(PyObject *storage, kt_dtype dtype)
{
    PyObject *of = kp_dtype_object(dtype), *made = of ? PyObject_CallMethod(storage, "_as_elements", "O", of) : NULL;
    Py_XDECREF(of);
    return made;
}

static kt_tensor *unwrap(PyObject *tensor) /* steals the object; owned */
{
    kt_tensor *t = tensor ? kt_keep(kp_tensor_of(tensor)) : NULL;
    Py_XDECREF(tensor);
    return t;
}

/* Owned: a tensor of the data. Unless w.copy, tensors and arrays share memory if possible. */
static kt_tensor *make(PyObject *data, wish w, const char *maker)
{
    if (kp_is_tensor(data)) {
        kt_tensor *given = kp_tensor_of(data);
        if (is_fulfilled(given, w))
            return kt_keep(given);
        kt_tensor *made = fulfil(kt_keep(given), w);
        return w.copy ? without_history(made) : made; /* tensor(t) copies values, as_tensor(t) converts t and keeps its history */
    }
    if (kp_is_array(data)) {
        kt_tensor *t = kp_from_array(data, maker, !w.copy);
        return t ? fulfil(t, w) : NULL;
    }
    if (is_storage(data)) {
        kt_tensor *t = unwrap(elements_of(data, w.dtype));
        return t ? fulfil(t, (wish){.device = w.device}) : NULL;
    }
    if (is_lender(data)) {
        kt_tensor *t = unwrap(kp_from_dlpack(data));
        return t ? fulfil(t, w) : NULL;
    }
    if (is_lender_of_cuda(data)) {
        kt_tensor *t = kp_from_cuda_array(data);
        return t ? fulfil(t, w) : NULL;
    }
    kt_tensor *t = kp_from_data(data, w.dtype, maker);
    return t && w.device.kind > KT_CPU ? fulfil(t, (wish){.device = w.device}) : t;
}

/* ---- their common arguments ---- */

#define DATA(called)  {.name = called, .kind = KP_ARG_OBJECT}
#define DTYPE(only)   {.name = "dtype", .kind = KT_ARG_DTYPE, .optional = 1, .has_default = 1, .keyword_only = only}
#define DEVICE(only)  {.name = "device", .kind = KT_ARG_DEVICE, .optional = 1, .has_default = 1, .keyword_only = only}
#define GRAD          {.name = "requires_grad", .kind = KT_ARG_BOOL, .has_default = 1, .keyword_only = 1}
#define PIN           {.name = "pin_memory", .kind = KT_ARG_BOOL, .has_default = 1, .keyword_only = 1}
#define NAMES         {.name = "names", .kind = KP_ARG_NAMES, .has_default = 1, .optional = 1, .keyword_only = 1}
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
    if (!t)
        return kp_tell(NULL, NULL, NULL, 0);
    if (kp_after(NULL, KT_OK)) { /* a warning filter raised an exception */
        kp_raise();
        kt_drop(t);
        return NULL;
    }
    if (wants_grad && kp_want_grad(t)) {
        kt_drop(t);
        return NULL;
    }
    return kp_wrap(t);
}

static kt_tensor *pinned_if(bool pins, kt_tensor *t) /* steals the reference */
{
    return pins && t ? kp_pin_made(t) : t;
}

static int warn_of_copy(const char *name, bool method)
{
    return PyErr_WarnFormat(PyExc_UserWarning, 1,
                            "To copy construct from a tensor, it is recommended to use sourceTensor.detach().clone() or "
                            "sourceTensor.detach().clone().requires_grad_(True), rather than %s%s(sourceTensor).",
                            method ? "tensor." : "torch.", name);
}

/* The arguments that tensor and new_tensor share: data, dtype=, device=, requires_grad=, pin_memory=. NULL: they are refused. */
static PyObject *read_copied(kp_args *a, kp_signature *signature, bool method, PyObject *const *argv, Py_ssize_t n,
                             PyObject *keywords, wish *w, bool *wants_grad, bool *pins)
{
    if (kp_parse(a, signature, false, argv, n, keywords))
        return NULL;
    PyObject *data = (PyObject *)(void *)a->call.arg[0].t;
    *w = wish_of(a, 1, 2, true);
    *wants_grad = a->call.given & 8 && a->call.arg[3].b;
    *pins = a->call.given & 16 && a->call.arg[4].b;
    kp_args_free(a);
    return kp_is_tensor(data) && warn_of_copy(signature->name, method) ? NULL : data;
}

static PyObject *make_tensor(PyObject *module, PyObject *const *argv, Py_ssize_t n, PyObject *keywords)
{
    (void)module;
    static kp_signature signature = {.name = "tensor", .spec = {DATA("data"), DTYPE(1), DEVICE(1), GRAD, PIN, NAMES}};
    kp_args             a;
    wish                w;
    bool                wants_grad, pins;
    PyObject           *data = read_copied(&a, &signature, false, argv, n, keywords, &w, &wants_grad, &pins);
    return data ? finish(pinned_if(pins, make(data, w, "tensor")), wants_grad) : NULL;
}

PyObject *kp_new_tensor(PyObject *self, PyObject *const *argv, Py_ssize_t n, PyObject *keywords)
{
    static kp_signature signature = {.name = "new_tensor", .spec = {DATA("data"), DTYPE(1), DEVICE(1), GRAD, PIN}};
    kp_args             a;
    wish                w;
    bool                wants_grad, pins;
    PyObject           *data = read_copied(&a, &signature, true, argv, n, keywords, &w, &wants_grad, &pins);
    if (!data)
        return NULL;
    if (!w.dtype)
        w.dtype = kt_dtype_of(kp_tensor_of(self));
    if (!(a.call.given & 4))
        w.device = kt_device_of(kp_tensor_of(self));
    return finish(pinned_if(pins, make(data, w, "new_tensor")), wants_grad);
}

static PyObject *as_tensor(PyObject *module, PyObject *const *argv, Py_ssize_t n, PyObject *keywords)
{
    (void)module;
    static kp_signature signature = {.name = "as_tensor", .spec = {DATA("data"), DTYPE(1), DEVICE(1)}};
    kp_args             a;
    if (kp_parse(&a, &signature, false, argv, n, keywords))
        return NULL;
    PyObject *data = (PyObject *)(void *)a.call.arg[0].t;
    wish      w = wish_of(&a, 1, 2, false);
    kp_args_free(&a);
    return finish(make(data, w, "as_tensor"), false);
}

/* copy=False: an error where a copy is needed. */
static int refuse_to_copy(const kt_tensor *t, wish w)
{
    if (!is_there(t, w.device))
        PyErr_Format(PyExc_ValueError, "can't alias tensor from device '%s' to '%s'.", kt_device_name(kt_device_of(t)),
                     kt_device_name(w.device));
    else if (w.dtype && w.dtype != kt_dtype_of(t))
        PyErr_Format(PyExc_ValueError, "can't alias tensor with dtype '%s' into dtype '%s'.",
                     kt_dtype_torch_name(kt_dtype_of(t)), kt_dtype_torch_name(w.dtype));
    else
        return 0;
    return -1;
}

/* Owned: a tensor sharing the object's memory, unless it is a sequence or a number. */
static kt_tensor *as_it_is(PyObject *o, wish w, bool must_share)
{
    if (kp_is_tensor(o))
        return kt_keep(kp_tensor_of(o));
    if (kp_is_array(o))
        return kp_from_array(o, "asarray", !w.copy);
    if (kp_is_numpy_number(o)) {
        if (!must_share)
            return kp_from_number(o, "asarray");
        PyErr_SetString(PyExc_RuntimeError,
                        "can't alias NumPy scalars. Either remove copy=False or transform it in a ndarray. ");
        return NULL;
    }
    if (PyCapsule_CheckExact(o))
        return unwrap(kp_from_dlpack(o));
    if (PyObject_CheckBuffer(o))
        return unwrap(kp_from_buffer(o, w.dtype ? w.dtype : kt_get_default_dtype(), -1, 0, "asarray"));
    if (must_share) {
        PyErr_SetString(PyExc_ValueError, "can't alias arbitrary sequence into a tensor.");
        return NULL;
    }
    return make(o, w, "asarray");
}

static PyObject *as_array(PyObject *module, PyObject *const *argv, Py_ssize_t n, PyObject *keywords)
{
    (void)module;
    static kp_signature signature = {.name = "asarray", .spec = {DATA("obj"), DTYPE(1), DEVICE(1), COPY, GRAD}};
    kp_args             a;
    if (kp_parse(&a, &signature, false, argv, n, keywords))
        return NULL;
    PyObject  *data = (PyObject *)(void *)a.call.arg[0].t;
    const bool says_copy = a.call.given & 8, wants_grad = a.call.given & 16 && a.call.arg[4].b;
    const bool must_share = says_copy && !a.call.arg[3].b;
    wish       w = wish_of(&a, 1, 2, says_copy && a.call.arg[3].b);
    kp_args_free(&a);
    kt_tensor *t = as_it_is(data, w, must_share);
    if (t && must_share && refuse_to_copy(t, w)) {
        kt_drop(t);
        return NULL;
    }
    if (t && !is_fulfilled(t, w))
        t = wants_grad ? fulfil(t, w) : without_history(fulfil(t, w));
    else if (t && kt_requires_grad(t) && !wants_grad) /* requires_grad=False clears it on a leaf, as in PyTorch */
        t = kt_is_leaf(t) && !kt_set_requires_grad(t, false) ? t : without_history(t);
    return finish(t, wants_grad);
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

/* ---- legacy constructors: sizes, or data, or a tensor to share ---- */

static kt_tensor *of_sizes(kt_dtype dtype, kt_shape sizes)
{
    kt_tensor *t = NULL;
    kp_entry   before = kp_enter();
    kt_status  status = kt_make(dtype, sizes, "Tensor", &t);
    if (!status && kt_deterministic() != KT_NOT_ASKED) { /* deterministic mode fills uninitialized memory */
        kt_call call;
        kt_call_begin(&call, kp_rows.empty_like, KT_PLAIN);
        call.arg[0].t = t;
        call.given = 1;
        status = kt_call_run(&call);
        kt_drop(t);
        t = status ? NULL : call.out[0];
    }
    kp_leave(before);
    if (status)
        kp_raise();
    return status ? NULL : t;
}

static PyObject *options_text(kt_dtype dtype, kt_device device)
{
    return PyUnicode_FromFormat("TensorOptions(dtype=%s, device=%s, layout=Strided, requires_grad=false (default), "
                                "pinned_memory=false (default), memory_format=(nullopt))",
                                kt_dtype_c_name(dtype), kt_device_name(device));
}

/* A new object sharing the tensor's memory and history; it must have this dtype, unless KT_NONE, and be where `like` is, if that
 * is not NULL. */
static kt_tensor *of_tensor(kt_dtype dtype, const kt_tensor *like, kt_tensor *t)
{
    char            name[32];
    const bool      is_new = like != NULL;
    const kt_device home = is_new ? kt_device_of(like) : kt_device_of(t);
    if ((!dtype || kt_dtype_of(t) == dtype) && is_there(t, home))
        return kp_run_row(kp_rows.alias, t);
    PyObject *expected = options_text(dtype, home), *got = expected ? options_text(kt_dtype_of(t), kt_device_of(t)) : NULL;
    PyObject   *text = got ? PyUnicode_FromFormat("expected %U (got %U)", expected, got) : NULL;
    const char *said = text ? PyUnicode_AsUTF8(text) : NULL;
    PyOS_snprintf(name, sizeof name, is_new ? "new" : "%sTensor", kt_dtype_torch_name(dtype));
    if (said)
        kp_refuse_dtype(KT_ERR_TYPE, t, name, dtype, said);
    Py_XDECREF(text);
    Py_XDECREF(expected);
    Py_XDECREF(got);
    return NULL;
}

static kt_tensor *of_data(kt_dtype made, PyObject *o)
{
    if (kp_is_tensor(o) || (!PySequence_Check(o) && !kp_is_array(o))) {
        PyErr_Format(PyExc_TypeError, "new(): data must be a sequence (got %s)",
                     kp_is_tensor(o) ? "Tensor" : Py_TYPE(o)->tp_name);
        return NULL;
    }
    return make(o, (wish){.dtype = made, .device = {KT_DEVICE_DEFAULT, 0}, .copy = true}, "Tensor");
}

enum { NOTHING, OTHER, SIZE, SOME_DATA };
#define CPU_ALONE(shown) {.name = "device", .kind = KP_ARG_CPU, .optional = 1, .has_default = 1, .keyword_only = shown}

/* A single tuple or list is data, unless it is a Size. */
static bool is_listed_data(PyObject *o) { return (PyList_Check(o) || PyTuple_Check(o)) && !Py_IS_TYPE(o, &kp_size_type); }

static kt_tensor *of_arguments(kt_dtype dtype, const kt_tensor *like, const kp_args *a, int which, PyObject *const *argv,
                               Py_ssize_t n, bool says_device)
{
    const kt_dtype made = dtype ? dtype : kt_get_default_dtype();
    if (which == NOTHING)
        return of_sizes(made, KT_SHAPE(0));
    if (which == SIZE && n == 1 && is_listed_data(argv[0]))
        return of_data(made, argv[0]);
    if (which == SIZE)
        return of_sizes(made, a->call.arg[0].ints);
    if (which == SOME_DATA)
        return of_data(made, (PyObject *)(void *)a->call.arg[0].t);
    if (!says_device)
        return of_tensor(dtype, like, a->call.arg[0].t);
    PyErr_SetString(PyExc_RuntimeError,
                    like ? "Legacy tensor new of the form tensor.new(tensor, device=device) is not supported.  Use "
                             "torch.as_tensor(...) instead."
                           : "Legacy tensor constructor of the form torch.Tensor(tensor, device=device) is not supported.  Use "
                             "torch.tensor(...) or torch.as_tensor(...) instead.");
    return NULL;
}

/* dtype KT_NONE: torch.Tensor itself, which accepts any tensor and otherwise creates the default dtype. */
kt_tensor *kp_legacy(kt_dtype dtype, const kt_tensor *like, PyObject *args, PyObject *keywords)
{
    static kp_signature overloads[] = {
        [NOTHING] = {.name = "new", .spec = {CPU_ALONE(1)}},
        [OTHER] = {.name = "new", .spec = {{.name = "other", .kind = KT_ARG_TENSOR}, CPU_ALONE(KP_UNSHOWN)}},
        [SIZE] = {.name = "new", .spec = {{.name = "size", .kind = KT_ARG_INTS}, CPU_ALONE(1)}},
        [SOME_DATA] = {.name = "new", .spec = {DATA("data"), CPU_ALONE(1)}},
    };
    const Py_ssize_t n = PyTuple_GET_SIZE(args);
    if (n == 1 && !(keywords && PyDict_GET_SIZE(keywords)) && is_listed_data(PyTuple_GET_ITEM(args, 0)))
        return of_data(dtype ? dtype : kt_get_default_dtype(), PyTuple_GET_ITEM(args, 0)); /* its first number may be an int */
    PyObject       **all, *names = kp_flattened(args, keywords, &all);
    kt_tensor       *t = NULL;
    kp_args          a;
    const int        which = names ? kp_parse_any(&a, overloads, 4, all, n, names) : -1;
    if (which >= 0) {
        t = of_arguments(dtype, like, &a, which, all, n, keywords && PyDict_GetItemString(keywords, "device"));
        kp_args_free(&a);
    }
    PyMem_Free(all);
    Py_XDECREF(names);
    return t;
}

static PyObject *legacy(PyObject *module, PyObject *args, PyObject *keywords)
{
    (void)module;
    kt_dtype  dtype;
    PyObject *rest = PyTuple_GetSlice(args, 1, PyTuple_GET_SIZE(args));
    if (rest && (PyTuple_GET_SIZE(args) < 1 || !kp_to_dtype(PyTuple_GET_ITEM(args, 0), &dtype))) {
        PyErr_SetString(PyExc_TypeError, "legacy() takes a dtype first");
        Py_CLEAR(rest);
    }
    PyObject *tensor = rest ? kp_wrap(kp_legacy(dtype, NULL, rest, keywords)) : NULL;
    Py_XDECREF(rest);
    return tensor;
}

/* The device that is asked for, of the kind of `home`; *rest: the other keywords, and a device that is none. 0 or -1. */
static int asked_near(kt_device home, PyObject *keywords, kt_device *d, PyObject **rest)
{
    PyObject *asked = keywords ? PyDict_GetItemString(keywords, "device") : NULL;
    int       is_device = asked == Py_None;
    *d = home;
    *rest = keywords ? PyDict_Copy(keywords) : PyDict_New();
    if (*rest && asked && !is_device)
        is_device = kp_to_device(asked, d);
    if (!*rest || is_device <= 0)
        return *rest && is_device == 0 ? 0 : -1;
    if (d->kind == home.kind)
        return PyDict_DelItemString(*rest, "device");
    kp_refuse_kind(home, *d);
    return -1;
}

/* On another device than the CPU: what is made there goes to it; a tensor must be there. */
static kt_tensor *new_elsewhere(const kt_tensor *like, PyObject *args, PyObject *keywords)
{
    PyObject  *rest = NULL;
    kt_device  d;
    kt_tensor *made = NULL;
    const bool of_other = (PyTuple_GET_SIZE(args) == 1 && kp_is_tensor(PyTuple_GET_ITEM(args, 0))) ||
                          (keywords && PyDict_GetItemString(keywords, "other"));
    const bool says_device = keywords && PyDict_GetItemString(keywords, "device");
    if (asked_near(kt_device_of(like), keywords, &d, &rest) == 0 &&
        !(of_other && says_device && PyDict_SetItemString(rest, "device", Py_None))) /* which is refused there */
        made = kp_legacy(kt_dtype_of(like), like, args, rest);
    Py_XDECREF(rest);
    return made && !of_other ? fulfil(made, (wish){.device = d}) : made;
}

/* t.new(...): the legacy constructor of its dtype and device. */
PyObject *kp_new(PyObject *self, PyObject *args, PyObject *keywords)
{
    const kt_tensor *like = kp_tensor_of(self);
    return kp_wrap(kt_device_of(like).kind == KT_CPU ? kp_legacy(kt_dtype_of(like), like, args, keywords)
                                                     : new_elsewhere(like, args, keywords));
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
    {"legacy", KP_FUNCTION(legacy), METH_VARARGS | METH_KEYWORDS, "legacy(dtype, *sizes) or legacy(dtype, data)"},
    {NULL, NULL, 0, NULL},
};
