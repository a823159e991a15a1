/* numpy.c - NumPy arrays and scalars without NumPy's C API: in by __array_interface__, out by the buffer protocol. One
 * build serves every NumPy version, and none: while NumPy is not imported, no object is an array.
 *
 * In: ndarrays and NumPy's scalars. Out: tensors sharing the array's memory; arrays sharing the tensor's. Independent of:
 * operators. */
#include "core/binding.h"

/* NumPy's types; they live as long as the process. */
static PyTypeObject *array_type, *number_type;

static bool find_numpy(void)
{
    if (array_type)
        return true;
    PyObject *name = PyUnicode_FromString("numpy"), *numpy = name ? PyImport_GetModule(name) : NULL;
    PyObject *array = numpy ? PyObject_GetAttrString(numpy, "ndarray") : NULL;
    PyObject *number = array ? PyObject_GetAttrString(numpy, "generic") : NULL;
    PyErr_Clear(); /* partially imported: there are no arrays yet */
    if (number && PyType_Check(array) && PyType_Check(number)) {
        array_type = (PyTypeObject *)Py_NewRef(array);
        number_type = (PyTypeObject *)Py_NewRef(number);
    }
    Py_XDECREF(name);
    Py_XDECREF(numpy);
    Py_XDECREF(array);
    Py_XDECREF(number);
    return array_type != NULL;
}

/* Numbers and lists have no buffer: rejected at once, with or without NumPy. */
bool kp_is_array(PyObject *o) { return PyObject_CheckBuffer(o) && find_numpy() && PyObject_TypeCheck(o, array_type); }
bool kp_is_numpy_number(PyObject *o) { return find_numpy() && PyObject_TypeCheck(o, number_type); }

/* ---- dtypes ---- */

static int refuse_type(PyObject *o)
{
    PyObject *dtype = PyObject_GetAttrString(o, "dtype"), *type = dtype ? PyObject_GetAttrString(dtype, "type") : NULL;
    if (type && PyType_Check(type)) /* a record is a numpy.void */
        PyErr_Format(PyExc_TypeError,
                     "can't convert np.ndarray of type %s. The only supported types are: float64, float32, float16, "
                     "complex64, complex128, int64, int32, int16, int8, uint64, uint32, uint16, uint8, and bool.",
                     strcmp(((PyTypeObject *)type)->tp_name, "record") ? ((PyTypeObject *)type)->tp_name : "numpy.void");
    Py_XDECREF(dtype);
    Py_XDECREF(type);
    return -1;
}

/* NumPy names ml_dtypes' types in dtype.name alone; their typestr is raw bytes. */
static int find_by_name(PyObject *o, kt_dtype *d)
{
    PyObject   *dtype = PyObject_GetAttrString(o, "dtype"), *name = dtype ? PyObject_GetAttrString(dtype, "name") : NULL;
    const char *text = name ? PyUnicode_AsUTF8(name) : NULL;
    const int   status = text ? 0 : -1;
    *d = text && (strncmp(text, "bfloat16", 8) == 0 || strncmp(text, "float8", 6) == 0) ? kt_dtype_find(text) : KT_NONE;
    Py_XDECREF(dtype);
    Py_XDECREF(name);
    return status;
}

/* Any byte order: elements are read one by one. */
static int dtype_of_elements(PyObject *o, const char *typestr, kt_dtype *d)
{
    *d = KT_NONE;
    for (int i = KT_NONE + 1; i < KT_NUM_DTYPES && *d == KT_NONE; i++) {
        const char *known = kt_dtype_numpy((kt_dtype)i);
        if (*known && strcmp(known + 1, typestr + 1) == 0 && known[1] != 'V')
            *d = (kt_dtype)i;
    }
    if (*d == KT_NONE && find_by_name(o, d))
        return -1;
    return *d == KT_NONE ? refuse_type(o) : 0;
}

static int dtype_of(PyObject *o, const char *typestr, kt_dtype *d)
{
    if (dtype_of_elements(o, typestr, d))
        return -1;
    if (typestr[0] == '>') {
        PyErr_SetString(PyExc_ValueError, "given numpy array has byte order different from the native byte order. "
                                          "Conversion between byte orders is currently not supported.");
        return -1;
    }
    return 0;
}

int kp_numpy_dtype(PyObject *o, kt_dtype *d)
{
    PyObject   *dtype = PyObject_GetAttrString(o, "dtype"), *str = dtype ? PyObject_GetAttrString(dtype, "str") : NULL;
    const char *text = str ? PyUnicode_AsUTF8(str) : NULL;
    const int   status = text ? dtype_of_elements(o, text, d) : -1;
    Py_XDECREF(dtype);
    Py_XDECREF(str);
    return status;
}

/* A NumPy scalar as a Python number: 1 done, 0 not convertible, -1 exception. */
bool kp_is_numpy_bool(PyObject *o)
{
    const char *name = Py_TYPE(o)->tp_name;
    return strcmp(name, "numpy.bool_") == 0 || strcmp(name, "numpy.bool") == 0;
}

int kp_numpy_number(PyObject *o, kt_scalar *s)
{
    PyObject *number = PyObject_CallMethod(o, "item", NULL);
    if (!number)
        return -1;
    const int found = kp_is_numpy_number(number) ? 0 : kp_to_scalar(number, s); /* longdouble.item() returns a longdouble */
    if (found > 0 && PyBool_Check(number)) /* PyTorch accepts Python's bools only */
        *s = KT_FLOAT(number == Py_True);
    Py_DECREF(number);
    return found;
}

/* ---- in ---- */

static void let_go(void *owner)
{
    if (!Py_IsInitialized())
        return;
    PyGILState_STATE gil = PyGILState_Ensure();
    Py_DECREF((PyObject *)owner);
    PyGILState_Release(gil);
}

/* Reads a tuple of integers; returns the count, or -1. */
static int64_t read_tuple(PyObject *tuple, int64_t *d)
{
    if (!PyTuple_Check(tuple) || PyTuple_GET_SIZE(tuple) > KT_MAX_DIMS) {
        PyErr_Format(PyExc_ValueError, "an array of more than %d dims", (int)KT_MAX_DIMS);
        return -1;
    }
    for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(tuple); i++) {
        d[i] = PyLong_AsLongLong(PyTuple_GET_ITEM(tuple, i));
        if (d[i] == -1 && PyErr_Occurred())
            return -1;
    }
    return PyTuple_GET_SIZE(tuple);
}

static int strides_of(PyObject *given, kt_shape sizes, int64_t itemsize, int64_t *strides)
{
    const int64_t n = read_tuple(given, strides);
    if (n >= 0 && n != sizes.n)
        PyErr_SetString(PyExc_ValueError, "the array's strides are not as many as its sizes");
    if (n != sizes.n)
        return -1;
    for (int64_t i = 0; i < sizes.n; i++) {
        if (strides[i] % itemsize) {
            PyErr_SetString(PyExc_ValueError, "given numpy array strides not a multiple of the element byte size. Copy "
                                              "the numpy array to reallocate the memory.");
            return -1;
        }
        strides[i] /= itemsize;
        if (strides[i] < 0) {
            PyErr_SetString(PyExc_ValueError,
                            "At least one stride in the given numpy array is negative, and tensors with negative "
                            "strides are not currently supported. (You can probably work around this by making a copy "
                            "of your array  with array.copy().) ");
            return -1;
        }
    }
    return 0;
}

static int warn_read_only(void)
{
    static bool warned; /* once a process; under the GIL */
    return kp_warn_once(&warned,
                        "The given NumPy array is not writable, and PyTorch does not support non-writable tensors. "
                        "This means writing to this tensor will result in undefined behavior. You may want to copy the "
                        "array to protect its data or make it writable before converting it to a tensor. This type of "
                        "warning will be suppressed for the rest of this program.");
}

/* Owned: a tensor sharing the array's memory; it keeps the array alive. */
static kt_tensor *over(PyObject *array, PyObject *interface, const char *maker, bool warn)
{
    int64_t     sizes[KT_MAX_DIMS], strides[KT_MAX_DIMS];
    PyObject   *shape = PyDict_GetItemString(interface, "shape"), *data = PyDict_GetItemString(interface, "data");
    PyObject   *type = PyDict_GetItemString(interface, "typestr");
    const char *typestr = type ? PyUnicode_AsUTF8(type) : NULL;
    kt_dtype    dtype;
    kt_tensor  *t = NULL;
    if (!typestr || !shape || !data || !PyTuple_Check(data) || PyTuple_GET_SIZE(data) != 2) {
        PyErr_SetString(PyExc_ValueError, "the array's __array_interface__ is not what NumPy promises");
        return NULL;
    }
    if (dtype_of(array, typestr, &dtype))
        return NULL;
    kt_shape  size = {read_tuple(shape, sizes), sizes};
    PyObject *steps = PyObject_GetAttrString(array, "strides"); /* __array_interface__ omits those of contiguous arrays */
    int       status = size.n < 0 || !steps ? -1 : strides_of(steps, size, (int64_t)kt_dtype_size(dtype), strides);
    Py_XDECREF(steps);
    if (status)
        return NULL;
    void *memory = PyLong_AsVoidPtr(PyTuple_GET_ITEM(data, 0));
    if ((!memory && PyErr_Occurred()) || (warn && PyTuple_GET_ITEM(data, 1) == Py_True && warn_read_only()))
        return NULL;
    kp_entry before = kp_enter();
    status = kt_make_over(memory, dtype, size, (kt_shape){size.n, strides}, maker, let_go, array, &t);
    kp_leave(before);
    if (status) {
        kp_raise();
        return NULL;
    }
    Py_INCREF(array); /* released by let_go */
    return t;
}

kt_tensor *kp_from_array(PyObject *array, const char *maker, bool warn)
{
    PyObject *interface = PyObject_GetAttrString(array, "__array_interface__");
    if (!interface)
        return NULL;
    kt_tensor *t = PyDict_Check(interface) ? over(array, interface, maker, warn) : NULL;
    if (!t && !PyErr_Occurred())
        PyErr_SetString(PyExc_ValueError, "the array's __array_interface__ is not what NumPy promises");
    Py_DECREF(interface);
    return t;
}

/* Owned: a NumPy scalar as a 0-dim tensor. */
kt_tensor *kp_from_number(PyObject *number, const char *maker)
{
    PyObject  *numpy = PyImport_ImportModule("numpy");
    PyObject  *array = numpy ? PyObject_CallMethod(numpy, "asarray", "O", number) : NULL;
    kt_tensor *t = array ? kp_from_array(array, maker, false) : NULL;
    Py_XDECREF(numpy);
    Py_XDECREF(array);
    return t;
}

/* ---- out: an object that exports a tensor's memory, and the array on it ---- */

typedef struct kp_lender {
    PyObject_HEAD
    kt_tensor  *t; /* owned */
    Py_ssize_t  sizes[KT_MAX_DIMS], strides[KT_MAX_DIMS];
    const char *format;
    Py_ssize_t  itemsize;
} kp_lender;

static void lender_dealloc(PyObject *self)
{
    kt_drop(((kp_lender *)self)->t);
    PyObject_Free(self);
}

static int lend(PyObject *self, Py_buffer *view, int flags)
{
    kp_lender *l = (kp_lender *)self;
    (void)flags; /* only NumPy sees the object, and it requests everything */
    *view = (Py_buffer){.buf = kt_data(l->t), .obj = Py_NewRef(self), .len = (Py_ssize_t)kt_numel(l->t) * l->itemsize,
                        .itemsize = l->itemsize, .format = (char *)(uintptr_t)l->format, .ndim = (int)kt_ndim(l->t),
                        .shape = l->sizes, .strides = l->strides};
    return 0;
}

static PyBufferProcs lender_buffer = {.bf_getbuffer = lend};
PyTypeObject         kp_lender_type = {
            PyVarObject_HEAD_INIT(NULL, 0).tp_name = "karat.lender",
            .tp_doc = PyDoc_STR("Lends a tensor's memory to an array."),
            .tp_basicsize = sizeof(kp_lender),
            .tp_dealloc = lender_dealloc,
            .tp_as_buffer = &lender_buffer,
            .tp_flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_DISALLOW_INSTANTIATION,
};

/* The struct format of a dtype; those that struct lacks are exported as integers of their size. */
static const char *letter_of(kt_dtype d)
{
    switch (d) {
    case KT_BOOL: return "?";
    case KT_U8: return "B";
    case KT_I8: return "b";
    case KT_I16: return "h";
    case KT_I32: return "i";
    case KT_I64: return sizeof(long) == 8 ? "l" : "q"; /* NumPy's int64 is long where that has 8 bytes */
    case KT_U16: return "H";
    case KT_U32: return "I";
    case KT_U64: return sizeof(long) == 8 ? "L" : "Q";
    case KT_F16: return "e";
    case KT_F32: return "f";
    case KT_F64: return "d";
    case KT_C64: return "Zf";
    case KT_C128: return "Zd";
    default: return kt_dtype_size(d) == 1 ? "B" : kt_dtype_size(d) == 2 ? "H" : "I";
    }
}

static PyObject *new_lender(kt_tensor *t)
{
    kp_lender *l = PyObject_New(kp_lender, &kp_lender_type);
    if (!l)
        return NULL;
    if (kt_lend(t, true, &l->t)) {
        PyObject_Free(l);
        return kp_raise();
    }
    l->format = letter_of(kt_dtype_of(t));
    l->itemsize = (Py_ssize_t)kt_dtype_size(kt_dtype_of(t));
    for (int64_t i = 0; i < kt_ndim(t); i++) {
        l->sizes[i] = (Py_ssize_t)kt_sizes(t).d[i];
        l->strides[i] = (Py_ssize_t)kt_strides(t).d[i] * l->itemsize;
    }
    return (PyObject *)l;
}

/* An ml_dtypes type by name; without that package PyTorch's error and a hint. */
static PyObject *foreign_type(const kt_tensor *t)
{
    const kt_dtype d = kt_dtype_of(t);
    PyObject *package = d == KT_C32 ? NULL : PyImport_ImportModule("ml_dtypes");
    PyObject *type = package ? PyObject_GetAttrString(package, kt_dtype_name(d)) : NULL;
    Py_XDECREF(package);
    if (!type) {
        char text[160];
        PyErr_Clear();
        PyOS_snprintf(text, sizeof text, "Got unsupported ScalarType %s%s", kt_dtype_torch_name(d),
                      d == KT_C32 ? "" : "\n  NumPy has no such type: install ml_dtypes, or convert to float32 first");
        kp_refuse_dtype(KT_ERR_TYPE, t, "numpy", d == KT_C32 ? KT_C64 : KT_F32, text);
    }
    return type;
}

static PyObject *array_on(kt_tensor *t)
{
    const kt_dtype d = kt_dtype_of(t);
    const bool     known = d != KT_BF16 && d != KT_C32 && !kt_dtype_is_float8(d);
    PyObject      *type = known ? NULL : foreign_type(t);
    if (!known && !type)
        return NULL;
    PyObject *numpy = PyImport_ImportModule("numpy"), *lender = numpy ? new_lender(t) : NULL;
    PyObject *array = lender ? PyObject_CallMethod(numpy, "asarray", "O", lender) : NULL;
    if (array && type)
        Py_SETREF(array, PyObject_CallMethod(array, "view", "O", type));
    Py_XDECREF(type);
    Py_XDECREF(numpy);
    Py_XDECREF(lender);
    return array;
}

static void refuse_device(kt_device d)
{
    PyObject *device = kp_device_object(d);
    if (device)
        PyErr_Format(PyExc_TypeError, "can't convert %S device type tensor to numpy. Use Tensor.cpu() to copy the tensor to host "
                                      "memory first.", device);
    Py_XDECREF(device);
}

static int refuse_numpy(PyObject *self)
{
    const kt_tensor *t = kp_tensor_of(self);
    if (kt_requires_grad(t) && kt_grad_enabled())
        PyErr_SetString(PyExc_RuntimeError,
                        "Can't call numpy() on Tensor that requires grad. Use tensor.detach().numpy() instead.");
    else if (kt_device_of(t).kind != KT_CPU)
        refuse_device(kt_device_of(t));
    else if (kt_is_conj(t))
        PyErr_SetString(PyExc_RuntimeError, "Can't call numpy() on Tensor that has conjugate bit set. Use "
                                            "tensor.resolve_conj().numpy() instead.");
    else if (kt_is_neg(t))
        PyErr_SetString(PyExc_RuntimeError, "Can't call numpy() on Tensor that has negative bit set. Use "
                                            "tensor.resolve_neg().numpy() instead.");
    else
        return 0;
    kp_tell("numpy", NULL, &self, 1);
    return -1;
}

/* force=True: detach, cpu, resolve_conj, resolve_neg. Owned. */
static kt_tensor *plain_copy(kt_tensor *t)
{
    const kt_row *const steps[] = {kp_rows.detach, kp_rows.to, kp_rows.resolve_conj, kp_rows.resolve_neg};
    t = kt_keep(t);
    for (size_t i = 0; t && i < sizeof steps / sizeof *steps; i++) {
        kt_call call;
        kt_call_begin(&call, steps[i], KT_PLAIN);
        call.arg[0].t = t;
        call.given = 1;
        if (i == 1) {
            call.arg[2].device = (kt_device){KT_CPU, 0};
            call.given |= 4;
        }
        kt_status status = kp_run(&call, false);
        kt_drop(t);
        if (status)
            kp_raise();
        t = status ? NULL : call.out[0];
    }
    return t;
}

PyObject *kp_numpy(PyObject *self, PyObject *const *argv, Py_ssize_t n, PyObject *keywords)
{
    static kp_signature signature = {.name = "numpy", .spec = {{.name = "self", .kind = KT_ARG_TENSOR},
                                               {.name = "force", .kind = KT_ARG_BOOL, .has_default = 1, .keyword_only = 1}}};
    PyObject           *all[4] = {self};
    kp_args             a;
    if (n > 0 || (keywords && PyTuple_GET_SIZE(keywords) > 2)) {
        PyErr_Format(PyExc_TypeError, "numpy() takes 0 positional arguments but %zd %s given", n, n == 1 ? "was" : "were");
        return NULL;
    }
    for (Py_ssize_t i = 0; keywords && i < PyTuple_GET_SIZE(keywords); i++)
        all[1 + i] = argv[i];
    if (kp_parse(&a, &signature, true, all, 1, keywords))
        return NULL;
    const bool force = a.call.given & 2 && a.call.arg[1].b;
    kp_args_free(&a);
    kt_tensor *t = kp_tensor_of(self);
    if (!force)
        return refuse_numpy(self) ? NULL : array_on(t);
    t = plain_copy(t);
    PyObject *array = t ? array_on(t) : NULL;
    kt_drop(t);
    return array;
}

/* __array__(dtype=None, copy=None): what NumPy calls. */
PyObject *kp_array(PyObject *self, PyObject *args, PyObject *keywords)
{
    static char *names[] = {"dtype", "copy", NULL};
    PyObject    *dtype = Py_None, *copy = Py_None;
    if (!PyArg_ParseTupleAndKeywords(args, keywords, "|OO:__array__", names, &dtype, &copy) ||
        refuse_numpy(self))
        return NULL;
    PyObject *array = array_on(kp_tensor_of(self));
    if (array && dtype != Py_None) {
        PyObject *given = Py_BuildValue("{s:O}", "copy", copy == Py_True ? Py_True : Py_False);
        PyObject *astype = given ? PyObject_GetAttrString(array, "astype") : NULL, *one = PyTuple_Pack(1, dtype);
        Py_SETREF(array, astype && one ? PyObject_Call(astype, one, given) : NULL);
        Py_XDECREF(given);
        Py_XDECREF(astype);
        Py_XDECREF(one);
    } else if (array && copy == Py_True) {
        Py_SETREF(array, PyObject_CallMethod(array, "copy", NULL));
    }
    return array;
}

/* Converts the result of a NumPy function back to a tensor: np.sin(t). As in PyTorch, bool becomes uint8. */
PyObject *kp_array_wrap(PyObject *self, PyObject *const *argv, Py_ssize_t n)
{
    (void)self;
    kt_dtype d;
    if (n < 1 || !kp_is_array(argv[0])) {
        PyErr_SetString(PyExc_TypeError, "__array_wrap__ takes an array");
        return NULL;
    }
    if (kp_numpy_dtype(argv[0], &d))
        return NULL;
    PyObject *array = d == KT_BOOL ? PyObject_CallMethod(argv[0], "astype", "s", "uint8") : Py_NewRef(argv[0]);
    PyObject *tensor = array ? kp_wrap(kp_from_array(array, "numpy", false)) : NULL;
    Py_XDECREF(array);
    return tensor;
}
