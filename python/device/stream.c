/* stream.c - Stream objects: queues of a device, the pool they come from, and a thread's current ones.
 *
 * In: devices. Out: objects that name a stream; two of one stream are equal. Streams are never dropped: they come from a pool of
 * each device in turn, as PyTorch's do, so that an object may be forgotten while its stream is current or has work, and an id
 * stays valid. Independent of: what is queued. */
#include "core/binding.h"

kt_device kp_accelerator(void)
{
    const kt_device d = kt_device_accelerator();
    if (d.kind < 0)
        PyErr_SetString(PyExc_RuntimeError, "Cannot access accelerator device when none is available.");
    return d;
}

int kp_device_or_accelerator(PyObject *o, const char *function, kt_device *d)
{
    if (!o || o == Py_None) {
        *d = kp_accelerator();
        return d->kind < 0 ? -1 : 0;
    }
    const int known = kp_to_device(o, d);
    if (known == 0)
        PyErr_Format(PyExc_TypeError, "%s(): argument 'device' (position 1) must be torch.device, not %s", function,
                     Py_TYPE(o)->tp_name);
    return known > 0 ? 0 : -1;
}

/* ---- the pool: all fields with the GIL held ---- */
enum { IN_TURN = 32, LEAST_PRIORITY = -5 }; /* CUDA has six priorities: 0 and above it -1 to -5 */

typedef struct pool {
    struct pool *next;
    kt_device    device;
    int          priority, n, last;
    kt_handle    stream[IN_TURN];
} pool;
static pool *pools;

static bool same_device(kt_device a, kt_device b) { return a.kind == b.kind && a.index == b.index; }

static pool *pool_of(kt_device d, int priority)
{
    pool *p = pools;
    while (p && !(same_device(p->device, d) && p->priority == priority))
        p = p->next;
    if (!p && (p = PyMem_RawCalloc(1, sizeof *p))) {
        p->next = pools;
        p->device = d;
        p->priority = priority;
        p->last = -1;
        pools = p;
    }
    if (!p)
        PyErr_NoMemory();
    return p;
}

static int from_pool(kt_device d, int64_t priority, kt_stream *s)
{
    pool *p = pool_of(d, priority < LEAST_PRIORITY ? LEAST_PRIORITY : (int)priority);
    if (!p)
        return -1;
    if (p->n < IN_TURN) {
        if (kt_stream_new(d, p->priority, s)) {
            kp_raise();
            return -1;
        }
        p->stream[p->n++] = s->handle;
    }
    p->last = (p->last + 1) % p->n;
    *s = (kt_stream){d, p->stream[p->last]};
    return 0;
}

bool kp_stream_is_known(kt_stream s)
{
    kt_stream now;
    if (s.handle == 0)
        return true;
    if (!kt_stream_current(s.device, &now) && now.handle == s.handle)
        return true;
    for (const pool *p = pools; p; p = p->next)
        for (int i = 0; i < p->n && same_device(p->device, s.device); i++)
            if (p->stream[i] == s.handle)
                return true;
    kt_clear();
    return false;
}

/* ---- objects ---- */
typedef struct kp_stream {
    PyObject_HEAD
    kt_stream s;
} kp_stream;

static kt_stream of(PyObject *self) { return ((kp_stream *)self)->s; }

PyObject *kp_stream_object(PyTypeObject *type, kt_stream s)
{
    kp_stream *self = (kp_stream *)type->tp_alloc(type, 0);
    if (self)
        self->s = s;
    return (PyObject *)self;
}

int kp_to_stream(PyObject *o, kt_stream *s)
{
    if (!PyObject_TypeCheck(o, &kp_stream_type))
        return 0;
    *s = of(o);
    return 1;
}

static int needs_stream(PyObject *o, const char *function, kt_stream *s)
{
    if (kp_to_stream(o, s))
        return 0;
    PyErr_Format(PyExc_TypeError, "%s(): expected a torch.Stream, got %s", function, Py_TYPE(o)->tp_name);
    return -1;
}

static bool is_host(kt_device d) { return d.kind == KT_CPU || d.kind == KT_META; }

/* PyTorch's numbers of device types; devices that it does not know follow the one that it gives to such. */
enum { TYPE_CPU = 0, TYPE_CUDA = 1, TYPE_META = 14, TYPE_OTHER = 20 };
static int type_of_kind(int kind)
{
    return kind == KT_CPU    ? TYPE_CPU
           : kind == KT_META ? TYPE_META
           : kind == KT_CUDA ? TYPE_CUDA
                             : TYPE_OTHER + kind - KT_FIRST_OTHER;
}
/* -1: none */
static int kind_of_type(int64_t type)
{
    for (int kind = KT_CPU; kind < KT_FIRST_OTHER + 16; kind++)
        if (type_of_kind(kind) == type)
            return kind;
    return -1;
}

/* stream_id=, device_index=, device_type=: another object of the same stream. */
static PyObject *stream_of_id(PyTypeObject *type, int64_t id, int64_t index, int64_t device_type)
{
    kt_stream s = {{kind_of_type(device_type), index < 0 || index > INT32_MAX ? -1 : (int32_t)index}, (kt_handle)id}, now;
    if (is_host(s.device) && id == 0)
        return kp_stream_object(type, s);
    if (s.device.kind < KT_CUDA || kt_stream_current(s.device, &now)) {
        kt_clear();
        return PyErr_Format(PyExc_RuntimeError, "there is no device of type %lld and index %lld", (long long)device_type,
                            (long long)index);
    }
    if (!kp_stream_is_known(s))
        return PyErr_Format(PyExc_RuntimeError, "there is no stream %lld on device %s:%d", (long long)id,
                            kt_device_name(s.device), (int)s.device.index);
    return kp_stream_object(type, s);
}

static PyObject *stream_new(PyTypeObject *type, PyObject *args, PyObject *keywords)
{
    static kp_signature usual = {.name = "Stream",
                                 .spec = {{.name = "device", .kind = KT_ARG_DEVICE, .optional = 1, .has_default = 1},
                                          {.name = "priority", .kind = KT_ARG_INT, .has_default = 1, .keyword_only = 1}}};
    static kp_signature by_id = {.name = "Stream",
                                 .spec = {{.name = "stream_id", .kind = KT_ARG_INT, .keyword_only = 1},
                                          {.name = "device_index", .kind = KT_ARG_INT, .keyword_only = 1},
                                          {.name = "device_type", .kind = KT_ARG_INT, .keyword_only = 1}}};
    const bool has_id = keywords && PyDict_GetItemString(keywords, "stream_id");
    kp_args    a;
    if (kp_parse_new(&a, has_id ? &by_id : &usual, args, keywords))
        return NULL;
    kp_args_free(&a);
    if (has_id)
        return stream_of_id(type, a.call.arg[0].i, a.call.arg[1].i, a.call.arg[2].i);
    kt_stream     s = {a.call.given & 1 ? a.call.arg[0].device : kp_accelerator(), 0};
    const int64_t priority = a.call.given & 2 ? a.call.arg[1].i : 0;
    if (s.device.kind < 0)
        return NULL;
    if (priority > 0 && !is_host(s.device))
        return PyErr_Format(PyExc_RuntimeError, "Expected %s stream priority to be less than or equal to 0, got %lld",
                            kt_device_name(s.device), (long long)priority);
    return !is_host(s.device) && from_pool(s.device, priority, &s) ? NULL : kp_stream_object(type, s);
}

static PyObject *stream_repr(PyObject *self)
{
    const kt_stream s = of(self);
    return PyUnicode_FromFormat("torch.Stream device_type=%s, device_index=%d, stream_id=%lld", kt_device_name(s.device),
                                is_host(s.device) ? -1 : (int)s.device.index, (long long)s.handle);
}

static PyObject *stream_compare(PyObject *a, PyObject *b, int op)
{
    kt_stream y;
    if (op != Py_EQ && op != Py_NE)
        Py_RETURN_NOTIMPLEMENTED;
    const bool same = kp_to_stream(b, &y) && same_device(of(a).device, y.device) && of(a).handle == y.handle;
    return PyBool_FromLong(same == (op == Py_EQ));
}

static Py_hash_t stream_hash(PyObject *self)
{
    const kt_stream s = of(self);
    const Py_hash_t h = (Py_hash_t)(s.handle ^ (uint64_t)s.device.kind << 40 ^ (uint64_t)s.device.index << 32);
    return h == -1 ? -2 : h;
}

/* ---- waiting ---- */
static PyObject *said(kt_status status) { return status ? kp_raise() : Py_NewRef(Py_None); }

static PyObject *query(PyObject *self, PyObject *unused)
{
    (void)unused;
    bool idle = true;
    return kt_stream_idle(of(self), &idle) ? kp_raise() : PyBool_FromLong(idle);
}

static PyObject *synchronize(PyObject *self, PyObject *unused)
{
    (void)unused;
    const kp_entry  before = kp_enter();
    const kt_status status = kt_stream_sync(of(self));
    kp_leave(before);
    return said(status);
}

static PyObject *wait_event(PyObject *self, PyObject *event)
{
    return kp_event_gate(event, of(self), "wait_event") ? NULL : Py_NewRef(Py_None);
}

static PyObject *wait_stream(PyObject *self, PyObject *other)
{
    kt_stream s;
    if (needs_stream(other, "wait_stream", &s))
        return NULL;
    if (is_host(s.device))
        return PyErr_Format(PyExc_RuntimeError, "%s backend doesn't support events.", kt_device_name(s.device));
    const kp_entry  before = kp_enter();
    const kt_status status = kt_stream_after(of(self), s);
    kp_leave(before);
    return said(status);
}

static PyObject *record_event(PyObject *self, PyObject *args, PyObject *keywords)
{
    static char *names[] = {"event", NULL};
    PyObject    *event = Py_None;
    if (!PyArg_ParseTupleAndKeywords(args, keywords, "|O:record_event", names, &event))
        return NULL;
    event = event == Py_None ? kp_event_new(of(self).device) : Py_NewRef(event);
    if (event && kp_event_record(event, of(self), "record_event"))
        Py_CLEAR(event);
    return event;
}

/* ---- the current one ---- */
static int make_current(kt_stream s)
{
    if (is_host(s.device))
        return 0;
    if (kt_device_set_index(s.device) || kt_stream_set(s)) {
        kp_raise();
        return -1;
    }
    return 0;
}

/* `with stream:` keeps what was current: the device's index, and the stream of the device that is entered. */
enum { DEEPEST = 64 };
static _Thread_local struct {
    struct {
        int       index;
        kt_stream stream;
    } before[DEEPEST];
    int depth;
} scopes;

static PyObject *enter(PyObject *self, PyObject *unused)
{
    (void)unused;
    const kt_stream s = of(self);
    kt_stream       now = s;
    if (scopes.depth == DEEPEST)
        return PyErr_Format(PyExc_RuntimeError, "more than %d scopes of a stream", DEEPEST);
    if (!is_host(s.device) && kt_stream_current(s.device, &now))
        return kp_raise();
    const int index = kt_device_index(s.device.kind);
    if (make_current(s))
        return NULL;
    scopes.before[scopes.depth].index = index;
    scopes.before[scopes.depth++].stream = now;
    return Py_NewRef(self);
}

static PyObject *leave(PyObject *self, PyObject *unused)
{
    (void)self, (void)unused;
    if (scopes.depth == 0)
        Py_RETURN_NONE;
    const kt_stream before = scopes.before[--scopes.depth].stream;
    if (make_current(before))
        return NULL;
    const kt_device d = {before.device.kind, scopes.before[scopes.depth].index};
    return said(is_host(d) ? KT_OK : kt_device_set_index(d));
}

/* current_stream(device, type), default_stream(device, type): type is Stream or a class made of it. */
static PyObject *ask_stream(PyObject *args, bool current)
{
    PyObject *device, *type;
    kt_stream s = {.handle = 0};
    if (!PyArg_ParseTuple(args, "OO", &device, &type))
        return NULL;
    if (!PyType_Check(type) || !PyType_IsSubtype((PyTypeObject *)type, &kp_stream_type))
        return PyErr_Format(PyExc_TypeError, "a class of streams is needed, not %R", type);
    if (kp_device_or_accelerator(device, "current_stream", &s.device))
        return NULL;
    if (current && kt_stream_current(s.device, &s))
        return kp_raise();
    return kp_stream_object((PyTypeObject *)type, s);
}

static PyObject *current_stream(PyObject *module, PyObject *args)
{
    (void)module;
    return ask_stream(args, true);
}

static PyObject *default_stream(PyObject *module, PyObject *args)
{
    (void)module;
    return ask_stream(args, false);
}

static PyObject *set_stream(PyObject *module, PyObject *o)
{
    (void)module;
    kt_stream s;
    return needs_stream(o, "set_stream", &s) || make_current(s) ? NULL : Py_NewRef(Py_None);
}

/* Streams of other libraries: a raw handle, of a device that such exist for. */
static PyObject *external_stream(PyObject *module, PyObject *args)
{
    (void)module;
    unsigned long long handle;
    PyObject          *device, *type;
    kt_stream          s;
    if (!PyArg_ParseTuple(args, "KOO!", &handle, &device, &PyType_Type, &type) ||
        kp_device_or_accelerator(device, "ExternalStream", &s.device))
        return NULL;
    s.handle = handle;
    if (!PyType_IsSubtype((PyTypeObject *)type, &kp_stream_type))
        return PyErr_Format(PyExc_TypeError, "a class of streams is needed, not %R", type);
    if (s.device.kind != KT_CUDA && !kp_stream_is_known(s))
        return PyErr_Format(PyExc_RuntimeError, "there is no stream %llu on device %s:%d", handle, kt_device_name(s.device),
                            (int)s.device.index);
    return kp_stream_object((PyTypeObject *)type, s);
}

PyMethodDef kp_stream_functions[] = {
    {"current_stream", current_stream, METH_VARARGS, "current_stream(device, type): this thread's"},
    {"default_stream", default_stream, METH_VARARGS, "default_stream(device, type): the device's"},
    {"external_stream", external_stream, METH_VARARGS, "external_stream(handle, device, type): another library's"},
    {"set_stream", set_stream, METH_O, "set_stream(stream): this thread's calls are queued there"},
    {NULL, NULL, 0, NULL},
};

/* ---- the type ---- */
static PyObject *get_device(PyObject *self, void *unused)
{
    (void)unused;
    return kp_device_object(of(self).device);
}

static PyObject *get_index(PyObject *self, void *unused)
{
    (void)unused;
    return PyLong_FromLong(is_host(of(self).device) ? -1 : of(self).device.index);
}

static PyObject *get_type(PyObject *self, void *unused)
{
    (void)unused;
    return PyLong_FromLong(type_of_kind(of(self).device.kind));
}

static PyObject *get_id(PyObject *self, void *unused)
{
    (void)unused;
    return PyLong_FromLongLong((long long)of(self).handle);
}

static PyGetSetDef getset[] = {
    {"device", get_device, NULL, "whose queue it is", NULL},
    {"device_index", get_index, NULL, "the index of its device", NULL},
    {"device_type", get_type, NULL, "the number of its device's type", NULL},
    {"stream_id", get_id, NULL, "its number; 0: the device's default stream", NULL},
    {"native_handle", get_id, NULL, "the backend's own name of it", NULL},
    {NULL, NULL, NULL, NULL, NULL},
};

static PyMethodDef methods[] = {
    {"query", query, METH_NOARGS, "is all its work done?"},
    {"synchronize", synchronize, METH_NOARGS, "wait for its work"},
    {"wait_event", wait_event, METH_O, "wait_event(event): its later work waits for the event"},
    {"wait_stream", wait_stream, METH_O, "wait_stream(stream): its later work waits for the other's work so far"},
    {"record_event", KP_FUNCTION(record_event), METH_VARARGS | METH_KEYWORDS,
     "record_event(event=None): an event that marks its work so far"},
    {"__enter__", enter, METH_NOARGS, "calls are queued on it in the scope"},
    {"__exit__", leave, METH_VARARGS, "and where they were before, after it"},
    {NULL, NULL, 0, NULL},
};

PyTypeObject kp_stream_type = {
    PyVarObject_HEAD_INIT(NULL, 0).tp_name = "karat.Stream",
    .tp_doc = PyDoc_STR("Stream(device=None, *, priority=0): a queue of a device; its work is done in order."),
    .tp_basicsize = sizeof(kp_stream),
    .tp_flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_BASETYPE,
    .tp_new = stream_new,
    .tp_repr = stream_repr,
    .tp_richcompare = stream_compare,
    .tp_hash = stream_hash,
    .tp_getset = getset,
    .tp_methods = methods,
};
