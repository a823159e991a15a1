/* dlpack.c - exchange of tensors with other libraries by DLPack capsules, without a copy.
 *
 * In: a Tensor, or an object with __dlpack__, or a capsule. Out: a capsule ("dltensor", or "dltensor_versioned" if
 * version 1 is requested), or a Tensor on the other library's memory. A capsule is consumed once, and renamed then. On a device
 * the consumer's stream waits for ours. The structs are those of the DLPack specification. Independent of: single libraries. */
#include "core/binding.h"

enum { DL_CUDA_HOST = 3 }; /* pinned memory */
enum { DL_INT = 0, DL_UINT = 1, DL_FLOAT = 2, DL_BFLOAT = 4, DL_COMPLEX = 5, DL_BOOL = 6, DL_E4M3FN = 10,
       DL_E4M3FNUZ = 11, DL_E5M2 = 12, DL_E5M2FNUZ = 13, DL_E8M0FNU = 14 };
enum { DL_READ_ONLY = 1, DL_COPIED = 2 };

typedef struct dl_tensor {
    void *data;
    struct {
        int32_t kind, index;
    } device;
    int32_t ndim;
    struct {
        uint8_t  code, bits;
        uint16_t lanes;
    } type;
    int64_t *sizes, *strides; /* strides NULL: row-major */
    uint64_t byte_offset;
} dl_tensor;

typedef struct dl_managed {
    dl_tensor tensor;
    void     *owner;
    void (*deleter)(struct dl_managed *self);
} dl_managed;

typedef struct dl_versioned {
    struct {
        uint32_t major, minor;
    } version;
    void *owner;
    void (*deleter)(struct dl_versioned *self);
    uint64_t  flags;
    dl_tensor tensor;
} dl_versioned;

static const char plain_name[] = "dltensor", plain_used[] = "used_dltensor";
static const char versioned_name[] = "dltensor_versioned", versioned_used[] = "used_dltensor_versioned";

static const struct {
    kt_dtype dtype;
    uint8_t  code, bits;
} types[] = {
    {KT_BOOL, DL_BOOL, 8},        {KT_U8, DL_UINT, 8},          {KT_U16, DL_UINT, 16},     {KT_U32, DL_UINT, 32},
    {KT_U64, DL_UINT, 64},        {KT_I8, DL_INT, 8},           {KT_I16, DL_INT, 16},      {KT_I32, DL_INT, 32},
    {KT_I64, DL_INT, 64},         {KT_F16, DL_FLOAT, 16},       {KT_F32, DL_FLOAT, 32},    {KT_F64, DL_FLOAT, 64},
    {KT_BF16, DL_BFLOAT, 16},     {KT_C32, DL_COMPLEX, 32},     {KT_C64, DL_COMPLEX, 64},  {KT_C128, DL_COMPLEX, 128},
    {KT_E4M3FN, DL_E4M3FN, 8},    {KT_E5M2, DL_E5M2, 8},        {KT_E4M3FNUZ, DL_E4M3FNUZ, 8},
    {KT_E5M2FNUZ, DL_E5M2FNUZ, 8}, {KT_E8M0FNU, DL_E8M0FNU, 8},
};
enum { N_TYPES = sizeof types / sizeof *types };

/* ---- out ---- */

/* One allocation: the managed tensor first, then sizes and strides. */
typedef struct lent {
    union {
        dl_managed   plain;
        dl_versioned versioned;
    } as;
    kt_tensor *t; /* owned */
    int64_t    dims[];
} lent;

static void free_lent(lent *l)
{
    kt_drop(l->t); /* atomic reference count: needs no GIL */
    PyMem_RawFree(l);
}
static void delete_plain(dl_managed *m) { free_lent(m->owner); }
static void delete_versioned(dl_versioned *m) { free_lent(m->owner); }

/* Destructor of an unconsumed capsule: releases the tensor. */
static void forget(PyObject *capsule)
{
    if (PyCapsule_IsValid(capsule, plain_name)) {
        dl_managed *m = PyCapsule_GetPointer(capsule, plain_name);
        m->deleter(m);
    } else if (PyCapsule_IsValid(capsule, versioned_name)) {
        dl_versioned *m = PyCapsule_GetPointer(capsule, versioned_name);
        m->deleter(m);
    }
}

static void describe(dl_tensor *to, lent *l)
{
    kt_tensor *t = l->t;
    const int  n = (int)kt_ndim(t);
    const kt_device d = kt_device_of(t);
    char           *memory = kt_storage_data(t); /* of a device: an address that only it can use */
    memory = memory ? memory + kt_storage_offset(t) * (int64_t)kt_dtype_size(kt_dtype_of(t)) : NULL;
    *to = (dl_tensor){.data = kt_numel(t) ? memory : NULL, .device = {kt_device_dlpack(d), d.index}, .ndim = n,
                      .sizes = l->dims, .strides = l->dims + n};
    for (int i = 0; i < N_TYPES; i++)
        if (types[i].dtype == kt_dtype_of(t)) {
            to->type.code = types[i].code;
            to->type.bits = types[i].bits;
            to->type.lanes = 1;
        }
    for (int i = 0; i < n; i++) {
        l->dims[i] = kt_sizes(t).d[i];
        l->dims[n + i] = kt_strides(t).d[i];
    }
}

/* Steals the reference. */
static PyObject *lend(kt_tensor *t, bool versioned, bool copied)
{
    lent *l = PyMem_RawMalloc(sizeof *l + 2 * (size_t)kt_ndim(t) * sizeof(int64_t));
    if (!l) {
        kt_drop(t);
        return PyErr_NoMemory();
    }
    l->t = t;
    if (versioned) {
        l->as.versioned = (dl_versioned){.version = {1, 0}, .owner = l, .deleter = delete_versioned,
                                         .flags = copied ? DL_COPIED : 0};
        describe(&l->as.versioned.tensor, l);
    } else {
        l->as.plain = (dl_managed){.owner = l, .deleter = delete_plain};
        describe(&l->as.plain.tensor, l);
    }
    PyObject *capsule = PyCapsule_New(&l->as, versioned ? versioned_name : plain_name, forget);
    if (!capsule)
        free_lent(l);
    return capsule;
}

static int refuse(const kt_tensor *t)
{
    if (kt_is_conj(t))
        PyErr_SetString(PyExc_BufferError, "Can't export tensors with the conjugate bit set");
    else if (kt_is_neg(t)) /* PyTorch exports the wrong numbers here */
        PyErr_SetString(PyExc_BufferError, "Can't export tensors with the negative bit set");
    else if (!kt_device_dlpack(kt_device_of(t)))
        PyErr_Format(PyExc_BufferError, "Cannot pack tensors on %s", kt_device_name(kt_device_of(t)));
    else
        return 0;
    return -1;
}

static kt_tensor *memory_of(kt_tensor *t) /* owned */
{
    kt_tensor *memory = NULL;
    if (kt_lend(t, false, &memory))
        kp_raise();
    return memory;
}

/* ---- the consumer's stream ---- */

/* stream= as a stream of the device: 1; 0: nobody's has to wait; -1 and an exception. */
static int consumers_stream(PyObject *stream, kt_device d, kt_stream *s)
{
    enum { NO_WAIT = -1, DEFAULT = 1 };
    if (stream != Py_None && !PyLong_CheckExact(stream)) {
        PyErr_SetString(PyExc_TypeError, "stream must be ``int`` or ``none``");
        return -1;
    }
    int             large = 0;
    const long long raw = stream == Py_None ? DEFAULT : PyLong_AsLongLongAndOverflow(stream, &large);
    *s = (kt_stream){d, raw == DEFAULT ? 0 : (kt_handle)raw};
    if (stream != Py_None && raw == NO_WAIT && !large)
        return 0;
    if (d.kind == KT_CPU && stream == Py_None)
        return 0;
    if (d.kind == KT_CPU)
        PyErr_SetString(PyExc_AssertionError, "stream should be None on cpu.");
    else if (d.kind == KT_CUDA && raw == 0) /* legacy or of the thread: the specification forbids it */
        PyErr_SetString(PyExc_AssertionError, "unsupported stream on CUDA: 0");
    else if (large || (d.kind != KT_CUDA && !kp_stream_is_known(*s))) /* CUDA's may be another library's */
        PyErr_Format(PyExc_BufferError, "there is no stream %S on device %s:%d", stream, kt_device_name(d), (int)d.index);
    else
        return 1;
    return -1;
}

/* The consumer's work waits for ours, and the memory for the consumer's. */
static int hand_over(kt_tensor *t, kt_stream to)
{
    kt_stream now;
    if (kt_stream_current(to.device, &now) ||
        (now.handle != to.handle && (kt_stream_after(to, now) || kt_used_on(t, to)))) {
        kp_raise();
        return -1;
    }
    return 0;
}

/* dl_device=: (type, index) as a device of ours. */
static int device_asked(PyObject *pair, kt_device *d)
{
    if (!PyTuple_Check(pair) && !PyList_Check(pair)) {
        PyErr_Format(PyExc_TypeError, "_to_dlpack(): argument 'dl_device' must be tuple of ints, not %s", Py_TYPE(pair)->tp_name);
        return -1;
    }
    PyObject *two = PySequence_Tuple(pair);
    int       type = 0, index = 0;
    if (two && PyTuple_GET_SIZE(two) != 2)
        PyErr_SetString(PyExc_RuntimeError, "dl_device must be either None or a tuple of ints");
    const bool read = two && PyTuple_GET_SIZE(two) == 2 && PyArg_ParseTuple(two, "ii", &type, &index);
    Py_XDECREF(two);
    if (!read)
        return -1;
    *d = kt_device_from_dlpack(type, index);
    if (d->kind < 0)
        PyErr_Format(PyExc_BufferError, "Unsupported device_type: %d", type);
    return d->kind < 0 ? -1 : 0;
}

static kt_tensor *moved(kt_tensor *t, kt_device d) /* owned */
{
    kt_call call;
    kt_call_begin(&call, kp_rows.to, KT_PLAIN);
    call.arg[0].t = t;
    call.arg[2].device = d;
    call.given = 5;
    if (!kp_run(&call, kp_is_large(t, NULL)))
        return call.out[0];
    kp_raise();
    return NULL;
}

static long version_asked(PyObject *version) /* -1 and an exception: not a version */
{
    PyObject  *first = version == Py_None ? PyLong_FromLong(0) : PySequence_GetItem(version, 0);
    const long major = first ? PyLong_AsLong(first) : -1;
    Py_XDECREF(first);
    return PyErr_Occurred() ? -1 : major;
}

/* __dlpack__(*, stream=-1, max_version=None, dl_device=None, copy=None) */
PyObject *kp_dlpack(PyObject *self, PyObject *args, PyObject *keywords)
{
    static char *names[] = {"stream", "max_version", "dl_device", "copy", NULL};
    PyObject    *stream = NULL, *version = Py_None, *device = Py_None, *copy = Py_None;
    kt_tensor   *t = kp_tensor_of(self);
    kt_device    d = kt_device_of(t);
    kt_stream    consumer;
    if (!PyArg_ParseTupleAndKeywords(args, keywords, "|$OOOO:__dlpack__", names, &stream, &version, &device, &copy))
        return NULL;
    if (kt_requires_grad(t)) {
        PyErr_SetString(PyExc_BufferError, "Can't export tensors that require gradient, use tensor.detach()");
        return NULL;
    }
    if (refuse(t) || (device != Py_None && device_asked(device, &d)))
        return NULL;
    const int waits = stream ? consumers_stream(stream, kt_device_of(t), &consumer) : 0;
    if (waits < 0)
        return NULL;
    if (copy != Py_None && !PyBool_Check(copy))
        return PyErr_Format(PyExc_TypeError, "_to_dlpack(): argument 'copy' must be bool, not %s", Py_TYPE(copy)->tp_name);
    const long major = version_asked(version);
    if (major < 0)
        return NULL;
    const bool moves = d.kind != kt_device_of(t).kind || d.index != kt_device_of(t).index;
    if (moves && copy == Py_False)
        return PyErr_Format(PyExc_ValueError, "cannot move (i.e. copy=False) tensor from %s:%d to %s:%d without copying.",
                            kt_device_name(kt_device_of(t)), (int)kt_device_of(t).index, kt_device_name(d), (int)d.index);
    const bool copied = copy == Py_True || moves;
    t = moves ? moved(t, d) : copied ? kp_run_row(kp_rows.clone, t) : memory_of(t);
    if (t && waits && !moves && hand_over(t, consumer)) { /* what moved arrives in the order of its own device's streams */
        kt_drop(t);
        return NULL;
    }
    return t ? lend(t, major >= 1, copied) : NULL;
}

PyObject *kp_dlpack_device(PyObject *self, PyObject *unused)
{
    (void)unused;
    const kt_tensor *t = kp_tensor_of(self);
    const kt_device  d = kt_device_of(t);
    const int        type = kt_is_pinned(t) ? DL_CUDA_HOST : kt_device_dlpack(d);
    if (!type)
        return PyErr_Format(PyExc_ValueError, "Unknown device type %s for Dlpack", kt_device_name(d));
    return Py_BuildValue("(ii)", type, (int)d.index);
}

static PyObject *to_dlpack(PyObject *module, PyObject *o)
{
    (void)module;
    if (!kp_is_tensor(o))
        return PyErr_Format(PyExc_TypeError, "_to_dlpack(): argument 'data' (position 1) must be Tensor, not %s",
                            Py_TYPE(o)->tp_name);
    kt_tensor *t = refuse(kp_tensor_of(o)) ? NULL : memory_of(kp_tensor_of(o));
    return t ? lend(t, false, false) : NULL;
}

/* ---- in ---- */

static void give_back_plain(void *owner)
{
    dl_managed *m = owner;
    if (m->deleter)
        m->deleter(m);
}
static void give_back_versioned(void *owner)
{
    dl_versioned *m = owner;
    if (m->deleter)
        m->deleter(m);
}

static kt_dtype dtype_of(const dl_tensor *d)
{
    for (int i = 0; i < N_TYPES; i++)
        if (types[i].code == d->type.code && types[i].bits == d->type.bits && d->type.lanes == 1)
            return types[i].dtype;
    return KT_NONE;
}

/* A tensor on the producer's memory; on failure the capsule keeps it. */
static kt_tensor *take(const dl_tensor *d, void (*release)(void *), void *owner)
{
    int64_t        dense[KT_MAX_DIMS], step = 1;
    const kt_dtype dtype = dtype_of(d);
    kt_tensor     *t = NULL;
    const kt_device device = kt_device_from_dlpack(d->device.kind, d->device.index);
    if (device.kind < 0) {
        PyErr_Format(PyExc_RuntimeError, "Unsupported device_type: %d", (int)d->device.kind);
        return NULL;
    }
    if (dtype == KT_NONE || d->ndim < 0 || d->ndim > KT_MAX_DIMS) {
        PyErr_Format(PyExc_BufferError, "Unsupported code %d, %d bits, %d lanes, %d dims", (int)d->type.code,
                     (int)d->type.bits, (int)d->type.lanes, (int)d->ndim);
        return NULL;
    }
    for (int i = d->ndim; i-- > 0; step *= d->sizes[i])
        dense[i] = step;
    kp_entry  before = kp_enter();
    kt_status status = kt_make_over_on(device, (char *)d->data + (d->data ? d->byte_offset : 0), dtype,
                                       (kt_shape){d->ndim, d->sizes}, (kt_shape){d->ndim, d->strides ? d->strides : dense},
                                       "from_dlpack", release, owner, &t);
    kp_leave(before);
    if (status)
        kp_raise();
    return status ? NULL : t;
}

static PyObject *from_capsule(PyObject *capsule)
{
    const bool plain = PyCapsule_IsValid(capsule, plain_name);
    if (!plain && !PyCapsule_IsValid(capsule, versioned_name)) {
        PyErr_SetString(PyExc_RuntimeError,
                        "from_dlpack received an invalid capsule. Note that DLTensor capsules can be consumed only once, "
                        "so you might have already constructed a tensor from it once.");
        return NULL;
    }
    void *managed = PyCapsule_GetPointer(capsule, plain ? plain_name : versioned_name);
    if (!plain && ((dl_versioned *)managed)->version.major > 1) {
        PyErr_Format(PyExc_BufferError, "DLPack version %u is not known here", ((dl_versioned *)managed)->version.major);
        return NULL;
    }
    kt_tensor *t = plain ? take(&((dl_managed *)managed)->tensor, give_back_plain, managed)
                         : take(&((dl_versioned *)managed)->tensor, give_back_versioned, managed);
    if (t && PyCapsule_SetName(capsule, plain ? plain_used : versioned_used)) {
        kt_drop(t);
        return NULL;
    }
    return kp_wrap(t);
}

/* For the producer: our current stream, where its device is one of ours. Borrowed by the dict. */
static int tell_stream(PyObject *o, PyObject *asked)
{
    kt_stream s;
    int       type = 0, index = 0;
    PyObject *device = PyObject_HasAttrString(o, "__dlpack_device__") ? PyObject_CallMethod(o, "__dlpack_device__", NULL) : NULL;
    const bool read = device && PyTuple_Check(device) && PyArg_ParseTuple(device, "ii", &type, &index);
    Py_XDECREF(device);
    PyErr_Clear();
    const kt_device d = read ? kt_device_from_dlpack(type, index) : (kt_device){-1, 0};
    if (d.kind <= KT_META)
        return 0;
    if (kt_stream_current(d, &s)) {
        kp_raise();
        return -1;
    }
    PyObject *number = PyLong_FromUnsignedLongLong(s.handle ? s.handle : 1); /* 1: the default stream */
    const int status = number ? PyDict_SetItemString(asked, "stream", number) : -1;
    Py_XDECREF(number);
    return status;
}

/* The capsule of an object with __dlpack__; called again without max_version if it does not accept it. */
static PyObject *ask_for_capsule(PyObject *o, PyObject *keywords)
{
    PyObject *method = PyObject_GetAttrString(o, "__dlpack__"), *none = PyTuple_New(0);
    PyObject *asked = Py_BuildValue("{s:(ii)}", "max_version", 1, 0), *capsule = NULL;
    if (method && none && asked && !(keywords && PyDict_Update(asked, keywords)) && !tell_stream(o, asked)) {
        capsule = PyObject_Call(method, none, asked);
        if (!capsule && PyErr_ExceptionMatches(PyExc_TypeError)) {
            PyErr_Clear();
            PyDict_DelItemString(asked, "max_version");
            capsule = PyObject_Call(method, none, asked);
        }
    }
    Py_XDECREF(method);
    Py_XDECREF(none);
    Py_XDECREF(asked);
    return capsule;
}

static PyObject *take_from(PyObject *o, PyObject *keywords)
{
    if (!PyObject_HasAttrString(o, "__dlpack__"))
        return from_capsule(o);
    PyObject *capsule = ask_for_capsule(o, keywords);
    PyObject *t = capsule ? from_capsule(capsule) : NULL;
    Py_XDECREF(capsule);
    return t;
}

PyObject *kp_from_dlpack(PyObject *o) { return take_from(o, NULL); }

static PyObject *from_dlpack(PyObject *module, PyObject *args, PyObject *keywords)
{
    (void)module;
    PyObject *o;
    return PyArg_ParseTuple(args, "O:from_dlpack", &o) ? take_from(o, keywords) : NULL;
}

/* (type, index) in DLPack of a device. */
static PyObject *dlpack_type(PyObject *module, PyObject *o)
{
    (void)module;
    kt_device d;
    if (kp_to_device(o, &d) <= 0)
        return PyErr_Occurred() ? NULL : PyErr_Format(PyExc_TypeError, "a device is needed, not %s", Py_TYPE(o)->tp_name);
    if (!kt_device_dlpack(d))
        return PyErr_Format(PyExc_BufferError, "Cannot pack tensors on %s", kt_device_name(d));
    return Py_BuildValue("(ii)", kt_device_dlpack(d), (int)d.index);
}

PyMethodDef kp_dlpack_functions[] = {
    {"dlpack_type", dlpack_type, METH_O, "dlpack_type(device): (type, index) in DLPack"},
    {"from_dlpack", KP_FUNCTION(from_dlpack), METH_VARARGS | METH_KEYWORDS,
     "from_dlpack(ext_tensor, **asked): a tensor on another library's memory; what is asked goes to its __dlpack__"},
    {"to_dlpack", to_dlpack, METH_O, "to_dlpack(tensor): a capsule that lends its memory"},
    {NULL, NULL, 0, NULL},
};
