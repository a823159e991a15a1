/* dlpack.c - exchange of tensors with other libraries by DLPack capsules, without a copy.
 *
 * In: a Tensor, or an object with __dlpack__, or a capsule. Out: a capsule ("dltensor", or "dltensor_versioned" if
 * version 1 is requested), or a Tensor on the other library's memory. A capsule is consumed once, and renamed then. The
 * structs are those of the DLPack specification. Independent of: single libraries. */
#include "core/binding.h"

enum { DL_CPU = 1 };
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
    *to = (dl_tensor){.data = kt_numel(t) ? kt_data(t) : NULL, .device = {DL_CPU, 0}, .ndim = n, .sizes = l->dims,
                      .strides = l->dims + n};
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
    else if (kt_device_of(t).kind != KT_CPU)
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

/* __dlpack__(*, stream=None, max_version=None, dl_device=None, copy=None) */
PyObject *kp_dlpack(PyObject *self, PyObject *args, PyObject *keywords)
{
    static char *names[] = {"stream", "max_version", "dl_device", "copy", NULL};
    PyObject    *stream = Py_None, *version = Py_None, *device = Py_None, *copy = Py_None;
    kt_tensor   *t = kp_tensor_of(self);
    long         major = 0;
    if (!PyArg_ParseTupleAndKeywords(args, keywords, "|$OOOO:__dlpack__", names, &stream, &version, &device, &copy))
        return NULL;
    if (kt_requires_grad(t)) {
        PyErr_SetString(PyExc_BufferError, "Can't export tensors that require gradient, use tensor.detach()");
        return NULL;
    }
    if (refuse(t))
        return NULL;
    if (stream != Py_None && !PyLong_CheckExact(stream))
        return PyErr_Format(PyExc_TypeError, "stream must be ``int`` or ``none``");
    if (stream != Py_None && PyLong_AsLong(stream) != -1)
        return PyErr_Format(PyExc_AssertionError, "stream should be None on cpu.");
    if (PyErr_Occurred()) { /* larger than any stream handle */
        PyErr_Clear();
        return PyErr_Format(PyExc_AssertionError, "stream should be None on cpu.");
    }
    if (copy != Py_None && !PyBool_Check(copy))
        return PyErr_Format(PyExc_TypeError, "_to_dlpack(): argument 'copy' must be bool, not %s", Py_TYPE(copy)->tp_name);
    if (version != Py_None) {
        PyObject *first = PySequence_GetItem(version, 0);
        major = first ? PyLong_AsLong(first) : -1;
        Py_XDECREF(first);
        if (major == -1 && PyErr_Occurred())
            return NULL;
    }
    const bool copied = copy == Py_True;
    t = copied ? kp_run_row(kp_rows.clone, t) : memory_of(t);
    return t ? lend(t, major >= 1, copied) : NULL;
}

PyObject *kp_dlpack_device(PyObject *self, PyObject *unused)
{
    (void)unused;
    const kt_device d = kt_device_of(kp_tensor_of(self));
    if (d.kind != KT_CPU)
        return PyErr_Format(PyExc_ValueError, "Unknown device type %s for Dlpack", kt_device_name(d));
    return Py_BuildValue("(ii)", DL_CPU, 0);
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
    if (d->device.kind != DL_CPU) {
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
    uint8_t   before = kp_enter();
    kt_status status = kt_make_over((char *)d->data + (d->data ? d->byte_offset : 0), dtype, (kt_shape){d->ndim, d->sizes},
                                    (kt_shape){d->ndim, d->strides ? d->strides : dense}, "from_dlpack", release, owner, &t);
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

/* The capsule of an object with __dlpack__; called again without max_version if it does not accept it. */
static PyObject *ask_for_capsule(PyObject *o)
{
    PyObject *method = PyObject_GetAttrString(o, "__dlpack__"), *none = PyTuple_New(0);
    PyObject *version = Py_BuildValue("{s:(ii)}", "max_version", 1, 0), *capsule = NULL;
    if (method && none && version) {
        capsule = PyObject_Call(method, none, version);
        if (!capsule && PyErr_ExceptionMatches(PyExc_TypeError)) {
            PyErr_Clear();
            capsule = PyObject_CallNoArgs(method);
        }
    }
    Py_XDECREF(method);
    Py_XDECREF(none);
    Py_XDECREF(version);
    return capsule;
}

PyObject *kp_from_dlpack(PyObject *o)
{
    if (!PyObject_HasAttrString(o, "__dlpack__"))
        return from_capsule(o);
    PyObject *capsule = ask_for_capsule(o);
    PyObject *t = capsule ? from_capsule(capsule) : NULL;
    Py_XDECREF(capsule);
    return t;
}

static PyObject *from_dlpack(PyObject *module, PyObject *o)
{
    (void)module;
    return kp_from_dlpack(o);
}

PyMethodDef kp_dlpack_functions[] = {
    {"from_dlpack", from_dlpack, METH_O, "from_dlpack(ext_tensor): a tensor on another library's memory"},
    {"to_dlpack", to_dlpack, METH_O, "to_dlpack(tensor): a capsule that lends its memory"},
    {NULL, NULL, 0, NULL},
};
