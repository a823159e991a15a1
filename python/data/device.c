/* device.c - device, memory_format and layout objects.
 *
 * In: the engine's devices and shapes. Out: objects printed as PyTorch prints them. Independent of: tensors. */
#include "core/binding.h"

/* ---- device ---- */

typedef struct kp_device {
    PyObject_HEAD
    kt_device d;
    int       has_index; /* "cpu" and "cpu:0" differ, as in PyTorch */
} kp_device;

static PyObject *new_device(kt_device d, int has_index)
{
    kp_device *self = PyObject_New(kp_device, &kp_device_type);
    if (!self)
        return NULL;
    self->d = d;
    self->has_index = has_index;
    return (PyObject *)self;
}

PyObject *kp_device_object(kt_device d) { return new_device(d, d.kind > KT_META); }
PyObject *kp_device_object_of(kt_device d) { return new_device(d, d.index >= 0 && d.kind > KT_META); }

/* Device kinds that PyTorch knows and Karat lacks: a device object may name them, no tensor can be there. Their kind is
 * -2 and less. */
static const char *const absent[] = {"cuda", "ipu",  "xpu", "mkldnn", "opengl", "opencl", "ideep", "hip",  "ve",
                                     "fpga", "maia", "xla", "lazy",   "vulkan", "mps",    "hpu",   "mtia", "privateuseone"};
enum { N_ABSENT = sizeof absent / sizeof *absent };

enum { CUDA = -2, XPU = -4 };

/* The errors of a CPU-only build of PyTorch; with the backend there but no device, those of its CUDA build. */
static int refuse_absent(int kind)
{
    if (kind == CUDA && kt_device_check((kt_device){KT_CUDA, 0}))
        kp_raise();
    else if (kind == XPU)
        PyErr_SetString(PyExc_AssertionError, "Torch not compiled with XPU enabled");
    else
        PyErr_Format(PyExc_RuntimeError, "PyTorch is not linked with support for %s devices", absent[-kind - 2]);
    return -1;
}

/* The index after the colon at name[n]; 1 if there is one, 0 if not, -1: not a valid index. */
static int read_index(const char *name, size_t n, kt_device *d)
{
    char *end = NULL;
    long  index = name[n] ? strtol(name + n + 1, &end, 10) : 0;
    d->index = (int32_t)index;
    if (!name[n] || !(*end || end == name + n + 1 || index < 0 || index > 127 || (name[n + 1] == '0' && index) ||
                      name[n + 1] == '+' || name[n + 1] == ' '))
        return 1;
    PyErr_Format(PyExc_RuntimeError, "Invalid device string: '%s'", name);
    return -1;
}

/* "cuda", "cuda:1" where there is no such device: 1 and its kind; else 0. */
static int find_absent(const char *name, kt_device *d)
{
    const size_t n = strcspn(name, ":");
    for (int i = 0; i < N_ABSENT; i++)
        if (strlen(absent[i]) == n && strncmp(absent[i], name, n) == 0) {
            d->kind = -2 - i;
            return read_index(name, n, d);
        }
    return 0;
}

/* "cpu:3": any index names the one CPU. */
static int find_numbered(const char *name, kt_device *d)
{
    const size_t n = strcspn(name, ":");
    if (!name[n] || !((n == 3 && memcmp(name, "cpu", n) == 0) || (n == 4 && memcmp(name, "meta", n) == 0)))
        return 0;
    d->kind = n == 3 ? KT_CPU : KT_META;
    return read_index(name, n, d);
}

static int device_named(const char *name, kt_device *d)
{
    char         kind[32];
    const size_t n = strcspn(name, ":");
    int          found = find_numbered(name, d);
    if (found)
        return found;
    if (name[n] && n < sizeof kind) { /* any index may be named; using it shows whether there is such a device */
        memcpy(kind, name, n);
        kind[n] = '\0';
        *d = kt_device_find(kind);
        if (d->kind >= 0)
            return read_index(name, n, d);
        kt_clear();
    }
    *d = kt_device_find(name);
    if (d->kind >= 0)
        return 1;
    found = find_absent(name, d);
    if (found)
        kt_clear();
    else
        kp_raise();
    return found ? found : -1;
}

/* The device that a string names, available or not; -1: none. */
static int device_of_text(PyObject *text, kt_device *d)
{
    PyObject   *kept;
    const char *name = kp_text(text, &kept);
    int         found = name ? device_named(name, d) : -1;
    Py_XDECREF(kept);
    return found;
}

/* A device index from an int: 0; -1 and an exception. */
static int read_number(PyObject *o, kt_device *d)
{
    int             overflow;
    const long long i = PyLong_AsLongLongAndOverflow(o, &overflow);
    if (overflow)
        PyErr_SetString(PyExc_ValueError, "Overflow when unpacking long long");
    else if (i < 0)
        PyErr_SetString(PyExc_RuntimeError, "Device index must not be negative");
    else if (i > 127) /* PyTorch's int8 overflows here */
        PyErr_Format(PyExc_RuntimeError, "Device index must be at most 127, got %lld", i);
    else
        d->index = (int32_t)i;
    return PyErr_Occurred() ? -1 : 0;
}

/* An int is an accelerator's index: 0; -1 and an exception. */
static int of_number(PyObject *o, kt_device *d)
{
    d->kind = kt_device_accelerator().kind;
    if (d->kind < 0)
        d->kind = CUDA;
    return read_number(o, d);
}

static int check_index(kt_device d)
{
    char        text[32] = "";
    const char *name = kt_device_name(d);
    const int   n = kt_device_count(name);
    if (d.index < n)
        return 1;
    for (size_t i = 0; i + 1 < sizeof text && name[i]; i++)
        text[i] = (char)Py_TOUPPER(name[i]);
    PyErr_Format(PyExc_RuntimeError, "%s error: invalid device ordinal\n  there is no %s:%d: %d '%s' %s", text, name,
                 (int)d.index, n, name, n == 1 ? "device is here" : "devices are here");
    return -1;
}

bool kp_is_absent_device(PyObject *o)
{
    kt_device d = {KT_CPU, 0};
    if (PyLong_Check(o) && !PyBool_Check(o))
        return !of_number(o, &d) ? d.kind < 0 : (PyErr_Clear(), false);
    if (PyUnicode_Check(o))
        return device_of_text(o, &d) >= 0 ? d.kind < 0 : (PyErr_Clear(), false);
    return Py_IS_TYPE(o, &kp_device_type) && ((kp_device *)o)->d.kind < 0;
}

int kp_to_device(PyObject *o, kt_device *d)
{
    bool has_index = true;
    if (PyLong_Check(o) && !PyBool_Check(o)) {
        if (of_number(o, d))
            return -1;
    } else if (Py_IS_TYPE(o, &kp_device_type)) {
        *d = ((kp_device *)o)->d;
        has_index = ((kp_device *)o)->has_index;
    } else if (!PyUnicode_Check(o)) {
        return 0;
    } else if (device_of_text(o, d) < 0) {
        return -1;
    }
    if (d->kind < 0)
        return refuse_absent(d->kind);
    if (d->kind == KT_CPU || d->kind == KT_META)
        d->index = 0;
    else if (!has_index)
        d->index = kt_device_index(d->kind);
    else
        return check_index(*d);
    return 1;
}

void kp_refuse_kind(kt_device expected, kt_device passed)
{
    PyErr_Format(PyExc_RuntimeError, "legacy constructor expects device type: %s but device type: %s was passed",
                 kt_device_name(expected), passed.kind < 0 ? absent[-passed.kind - 2] : kt_device_name(passed));
}

int kp_to_cpu(PyObject *o)
{
    kt_device d = {CUDA, 0};
    if (PyLong_Check(o) && !PyBool_Check(o)) {
        if (read_number(o, &d))
            return -1;
    } else if (Py_IS_TYPE(o, &kp_device_type)) {
        d = ((kp_device *)o)->d;
    } else if (!PyUnicode_Check(o)) {
        return 0;
    } else if (device_of_text(o, &d) < 0) {
        return -1;
    }
    if (d.kind == KT_CPU)
        return 1;
    kp_refuse_kind((kt_device){KT_CPU, 0}, d);
    return -1;
}

static PyObject *refuse_arguments(const char *given)
{
    return PyErr_Format(PyExc_TypeError, "device() received an invalid combination of arguments - got (%s), but expected one "
                                         "of:\n * (torch.device device)\n * (str type, int index = -1)\n", given);
}

static PyObject *device_new(PyTypeObject *type, PyObject *args, PyObject *keywords)
{
    static char *names[] = {"type", "index", NULL};
    PyObject    *name, *index = Py_None;
    kt_device    d = {0, 0};
    PyObject    *other = keywords ? PyDict_GetItemString(keywords, "device") : NULL;
    if (other && PyDict_GET_SIZE(keywords) == 1 && !PyTuple_GET_SIZE(args))
        return PyObject_CallOneArg((PyObject *)type, other);
    if (!PyTuple_GET_SIZE(args) && !(keywords && PyDict_GetItemString(keywords, "type")))
        return refuse_arguments(keywords && PyDict_GET_SIZE(keywords) ? "index=int, " : "");
    if (!PyArg_ParseTupleAndKeywords(args, keywords, "O|O:device", names, &name, &index))
        return NULL;
    if (PyLong_Check(name) && !PyBool_Check(name))
        return of_number(name, &d) ? NULL : new_device(d, 1);
    if (Py_IS_TYPE(name, &kp_device_type)) {
        d = ((kp_device *)name)->d;
    } else if (!PyUnicode_Check(name)) {
        return refuse_arguments(Py_TYPE(name)->tp_name);
    } else if (device_of_text(name, &d) < 0) {
        return NULL;
    }
    if (index == Py_None)
        return new_device(d, Py_IS_TYPE(name, &kp_device_type)
                                 ? ((kp_device *)name)->has_index
                                 : PyUnicode_FindChar(name, ':', 0, PyUnicode_GET_LENGTH(name), 1) >= 0);
    if (!PyLong_Check(index) || PyBool_Check(index))
        return PyErr_Format(PyExc_TypeError, "device(): argument 'index' %smust be int, not %s",
                            PyTuple_GET_SIZE(args) > 1 ? "(position 2) " : "", Py_TYPE(index)->tp_name);
    if (PyUnicode_Check(name) && PyUnicode_FindChar(name, ':', 0, PyUnicode_GET_LENGTH(name), 1) >= 0)
        return PyErr_Format(PyExc_RuntimeError, "type (string) must not include an index because index was passed "
                                                "explicitly: %U", name);
    return read_number(index, &d) ? NULL : new_device(d, 1);
}

static PyObject *device_type_name(PyObject *self, void *unused)
{
    (void)unused;
    const kt_device d = ((kp_device *)self)->d;
    const char     *name = d.kind < 0 ? absent[-d.kind - 2] : kt_device_name(d);
    return PyUnicode_FromStringAndSize(name, (Py_ssize_t)strcspn(name, ":"));
}

static PyObject *device_index(PyObject *self, void *unused)
{
    (void)unused;
    kp_device *d = (kp_device *)self;
    return d->has_index ? PyLong_FromLong(d->d.index) : Py_NewRef(Py_None);
}

static PyObject *device_text(PyObject *self, const char *with, const char *without)
{
    kp_device *d = (kp_device *)self;
    PyObject  *name = device_type_name(self, NULL);
    if (!name)
        return NULL;
    PyObject *text =
        d->has_index ? PyUnicode_FromFormat(with, name, (int)d->d.index) : PyUnicode_FromFormat(without, name);
    Py_DECREF(name);
    return text;
}

static PyObject *device_repr(PyObject *self)
{
    return device_text(self, "device(type='%U', index=%d)", "device(type='%U')");
}
static PyObject *device_str(PyObject *self) { return device_text(self, "%U:%d", "%U"); }

static PyObject *device_compare(PyObject *a, PyObject *b, int op)
{
    if (!Py_IS_TYPE(b, &kp_device_type) || (op != Py_EQ && op != Py_NE))
        Py_RETURN_NOTIMPLEMENTED;
    kp_device *x = (kp_device *)a, *y = (kp_device *)b;
    bool same = x->d.kind == y->d.kind && x->has_index == y->has_index && (!x->has_index || x->d.index == y->d.index);
    return PyBool_FromLong(same == (op == Py_EQ));
}

static Py_hash_t device_hash(PyObject *self)
{
    kp_device *d = (kp_device *)self;
    return (Py_hash_t)d->d.kind * 1000 + (d->has_index ? d->d.index : 999);
}

static PyGetSetDef device_getset[] = {
    {"type", device_type_name, NULL, "\"cpu\", \"meta\", ...", NULL},
    {"index", device_index, NULL, "which of them, or None", NULL},
    {NULL, NULL, NULL, NULL, NULL},
};

/* ---- the default device, and `with device:` ---- */

enum { DEEPEST = 64 };
static _Thread_local struct {
    kt_device before[DEEPEST];
    int       depth;
} scopes;

/* A CUDA device need not be there: who makes a tensor is told. */
static int to_usual(PyObject *o, kt_device *d)
{
    if (!Py_IS_TYPE(o, &kp_device_type) || ((kp_device *)o)->d.kind != CUDA)
        return kp_to_device(o, d);
    *d = (kt_device){KT_CUDA, ((kp_device *)o)->has_index ? ((kp_device *)o)->d.index : -1};
    return 1;
}

static PyObject *device_enter(PyObject *self, PyObject *unused)
{
    (void)unused;
    if (scopes.depth == DEEPEST)
        return PyErr_Format(PyExc_RuntimeError, "more than %d scopes of a default device", DEEPEST);
    scopes.before[scopes.depth] = kt_get_default_device();
    kt_device d;
    if (to_usual(self, &d) <= 0)
        return NULL;
    if (kt_set_default_device(d))
        return kp_raise();
    scopes.depth++;
    return Py_NewRef(self);
}

static PyObject *device_exit(PyObject *self, PyObject *unused)
{
    (void)self, (void)unused;
    if (scopes.depth > 0 && kt_set_default_device(scopes.before[--scopes.depth]))
        return kp_raise();
    Py_RETURN_NONE;
}

static PyObject *get_default_device(PyObject *module, PyObject *unused)
{
    (void)module, (void)unused;
    const kt_device d = kt_get_default_device();
    if (d.index < 0 && kt_device_check(d))
        return kp_raise();
    return d.kind == KT_CUDA && !kt_device_count("cuda") ? new_device((kt_device){CUDA, d.index}, 1) : kp_device_object(d);
}

static PyObject *set_default_device(PyObject *module, PyObject *o)
{
    (void)module;
    kt_device d = {KT_DEVICE_DEFAULT, 0};
    if (o != Py_None && to_usual(o, &d) <= 0)
        return PyErr_Occurred() ? NULL : PyErr_Format(PyExc_TypeError, "a device is needed, not %s", Py_TYPE(o)->tp_name);
    return kt_set_default_device(d) ? kp_raise() : Py_NewRef(Py_None);
}

PyMethodDef kp_device_functions[] = {
    {"get_default_device", get_default_device, METH_NOARGS, "where makers put tensors when no device is given"},
    {"set_default_device", set_default_device, METH_O, "set it for this thread; None: the CPU"},
    {NULL, NULL, 0, NULL},
};

static PyMethodDef device_methods[] = {
    {"__enter__", device_enter, METH_NOARGS, "makers put tensors here in the scope"},
    {"__exit__", device_exit, METH_VARARGS, "and where they did before, after it"},
    {NULL, NULL, 0, NULL},
};

PyTypeObject kp_device_type = {
    PyVarObject_HEAD_INIT(NULL, 0).tp_name = "karat.device",
    .tp_doc = PyDoc_STR("device(type, index=None): where a tensor lives."),
    .tp_basicsize = sizeof(kp_device),
    .tp_flags = Py_TPFLAGS_DEFAULT,
    .tp_new = device_new,
    .tp_repr = device_repr,
    .tp_str = device_str,
    .tp_richcompare = device_compare,
    .tp_hash = device_hash,
    .tp_getset = device_getset,
    .tp_methods = device_methods,
};

/* ---- layout: tensors are strided; the others can be named and compared ---- */

typedef struct kp_layout {
    PyObject_HEAD
    const char *name;
} kp_layout;

static kp_layout *layout_object[8]; /* strided first; for good */

static PyObject *layout_repr(PyObject *self) { return PyUnicode_FromFormat("torch.%s", ((kp_layout *)self)->name); }

PyTypeObject kp_layout_type = {
    PyVarObject_HEAD_INIT(NULL, 0).tp_name = "karat.layout",
    .tp_doc = PyDoc_STR("How a tensor keeps its elements."),
    .tp_basicsize = sizeof(kp_layout),
    .tp_flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_DISALLOW_INSTANTIATION,
    .tp_repr = layout_repr,
};

static int start_layouts(PyObject *module)
{
    static const char *const names[] = {"strided",    "sparse_coo", "sparse_csr", "sparse_csc",
                                        "sparse_bsr", "sparse_bsc", "jagged",     "_mkldnn"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        layout_object[i] = PyObject_New(kp_layout, &kp_layout_type);
        if (!layout_object[i])
            return -1;
        layout_object[i]->name = names[i];
        if (PyModule_AddObjectRef(module, names[i], (PyObject *)layout_object[i]))
            return -1;
    }
    return 0;
}

PyObject *kp_layout_object(void) { return Py_NewRef((PyObject *)layout_object[0]); }

int kp_to_layout(PyObject *o)
{
    if (!Py_IS_TYPE(o, &kp_layout_type) || o == (PyObject *)layout_object[0])
        return Py_IS_TYPE(o, &kp_layout_type);
    PyErr_Format(PyExc_NotImplementedError, "%R: tensors are strided here; there are no sparse, nested or MKL-DNN layouts", o);
    return -1;
}

/* ---- memory formats: the value, and its name ---- */

typedef struct kp_format {
    PyObject_HEAD
    int32_t     value;
    const char *name;
} kp_format;

static PyObject *format_repr(PyObject *self) { return PyUnicode_FromFormat("torch.%s", ((kp_format *)self)->name); }

static PyGetSetDef format_getset[] = {{"__module__", kp_home_of, NULL, NULL, NULL}, {NULL, NULL, NULL, NULL, NULL}};

PyTypeObject kp_format_type = {
    PyVarObject_HEAD_INIT(NULL, 0).tp_name = "karat.memory_format",
    .tp_doc = PyDoc_STR("The order of a tensor's elements in memory."),
    .tp_basicsize = sizeof(kp_format),
    .tp_flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_DISALLOW_INSTANTIATION,
    .tp_repr = format_repr,
    .tp_getset = format_getset,
};

static kp_format *format_object[4]; /* one object for each value, for good */

int kp_formats_start(PyObject *module)
{
    if (start_layouts(module))
        return -1;
    static const struct {
        const char *name;
        int32_t     value;
    } formats[] = {{"preserve_format", KT_PRESERVE_FORMAT},
                   {"contiguous_format", KT_CONTIGUOUS_FORMAT},
                   {"channels_last", KT_CHANNELS_LAST},
                   {"channels_last_3d", KT_CHANNELS_LAST_3D}};
    for (size_t i = 0; i < sizeof formats / sizeof *formats; i++) {
        kp_format *o = PyObject_New(kp_format, &kp_format_type);
        if (!o)
            return -1;
        o->value = formats[i].value;
        o->name = formats[i].name;
        format_object[i] = o;
        if (PyModule_AddObjectRef(module, formats[i].name, (PyObject *)o))
            return -1;
    }
    return 0;
}

int kp_to_format(PyObject *o, int32_t *f)
{
    if (!Py_IS_TYPE(o, &kp_format_type))
        return 0;
    *f = ((kp_format *)o)->value;
    return 1;
}

PyObject *kp_format_object(int32_t f)
{
    for (size_t i = 0; i < sizeof format_object / sizeof *format_object; i++)
        if (format_object[i]->value == f)
            return Py_NewRef((PyObject *)format_object[i]);
    Py_UNREACHABLE();
}
