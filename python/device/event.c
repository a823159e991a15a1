/* event.c - Event objects: marks in the work of a stream.
 *
 * In: a device. Out: objects that tell when the work before them is done, and how long it took. The engine's event is made when
 * it is first recorded, as its device's index is only known then. It may be forgotten at any time: work that waits for it keeps
 * what it needs. Independent of: what is queued. */
#include "core/binding.h"

typedef struct kp_event {
    PyObject_HEAD
    kt_device device; /* index -1: the current one, when it is recorded */
    kt_event *e;      /* NULL: not recorded yet */
    bool      timed;
} kp_event;

static kp_event *of(PyObject *self) { return (kp_event *)self; }

static bool is_host(kt_device d) { return d.kind == KT_CPU || d.kind == KT_META; }

static kp_event *needs_event(PyObject *o, const char *function)
{
    if (PyObject_TypeCheck(o, &kp_event_type))
        return of(o);
    PyErr_Format(PyExc_TypeError, "%s(): expected a torch.Event, got %s", function, Py_TYPE(o)->tp_name);
    return NULL;
}

static PyObject *made(PyTypeObject *type, kt_device d, bool timed)
{
    kp_event *self = (kp_event *)type->tp_alloc(type, 0);
    if (!self)
        return NULL;
    self->device = (kt_device){d.kind, -1};
    self->timed = timed;
    return (PyObject *)self;
}

PyObject *kp_event_new(kt_device d) { return made(&kp_event_type, d, false); }

#define FLAG(called) {.name = called, .kind = KT_ARG_BOOL, .has_default = 1, .keyword_only = 1}

static PyObject *event_new(PyTypeObject *type, PyObject *args, PyObject *keywords)
{
    static kp_signature signature = {.name = "Event",
                                     .spec = {{.name = "device", .kind = KT_ARG_DEVICE, .optional = 1, .has_default = 1},
                                              FLAG("enable_timing"), FLAG("blocking"), FLAG("interprocess")}};
    kp_args             a;
    if (kp_parse_new(&a, &signature, args, keywords))
        return NULL;
    kp_args_free(&a);
    const kt_device d = a.call.given & 1 ? a.call.arg[0].device : kp_accelerator();
    return d.kind < 0 ? NULL : made(type, d, (a.call.given & 2) && a.call.arg[1].b);
}

static void event_dealloc(PyObject *self)
{
    kt_event_drop(of(self)->e);
    Py_TYPE(self)->tp_free(self);
}

static PyObject *event_repr(PyObject *self)
{
    const kp_event *e = of(self);
    return PyUnicode_FromFormat("torch.Event device_type=%s, device_index=%d, event_flag=%d, event_id=%zu",
                                kt_device_name((kt_device){e->device.kind, 0}), (int)e->device.index, e->timed, (size_t)e->e);
}

/* ---- recording and waiting ---- */
static int current_of(const kp_event *e, kt_stream *s)
{
    const kt_device d = {e->device.kind, e->device.index < 0 ? kt_device_index(e->device.kind) : e->device.index};
    if (!kt_stream_current(d, s))
        return 0;
    kp_raise();
    return -1;
}

int kp_event_record(PyObject *event, kt_stream s, const char *function)
{
    kp_event *e = needs_event(event, function);
    if (!e)
        return -1;
    if (is_host(e->device)) {
        PyErr_Format(PyExc_RuntimeError, "%s backend doesn't support events.", kt_device_name((kt_device){e->device.kind, 0}));
        return -1;
    }
    if (e->device.kind != s.device.kind) {
        PyErr_Format(PyExc_RuntimeError, "Event device type %s does not match recording stream's device type %s.",
                     kt_device_name((kt_device){e->device.kind, 0}), kt_device_name(s.device));
        return -1;
    }
    const kp_entry before = kp_enter();
    kt_status     status = e->e ? KT_OK : kt_event_new(s.device, e->timed, &e->e);
    if (!status)
        status = kt_event_record(e->e, s);
    kp_leave(before);
    if (status) {
        kp_raise();
        return -1;
    }
    e->device = s.device;
    return 0;
}

int kp_event_gate(PyObject *event, kt_stream s, const char *function)
{
    kp_event *e = needs_event(event, function);
    if (!e)
        return -1;
    if (!e->e)
        return 0;
    const kp_entry  before = kp_enter();
    const kt_status status = kt_stream_after_event(s, e->e);
    kp_leave(before);
    if (status)
        kp_raise();
    return status ? -1 : 0;
}

/* stream=None: the current one. */
static int stream_given(PyObject *self, PyObject *args, PyObject *keywords, const char *format, kt_stream *s)
{
    static char *names[] = {"stream", NULL};
    PyObject    *stream = Py_None;
    if (!PyArg_ParseTupleAndKeywords(args, keywords, format, names, &stream))
        return -1;
    if (stream == Py_None)
        return current_of(of(self), s);
    if (kp_to_stream(stream, s))
        return 0;
    PyErr_Format(PyExc_TypeError, "%s(): expected a torch.Stream, got %s", strchr(format, ':') + 1, Py_TYPE(stream)->tp_name);
    return -1;
}

static PyObject *record(PyObject *self, PyObject *args, PyObject *keywords)
{
    kt_stream s;
    return stream_given(self, args, keywords, "|O:record", &s) || kp_event_record(self, s, "record") ? NULL : Py_NewRef(Py_None);
}

static PyObject *wait(PyObject *self, PyObject *args, PyObject *keywords)
{
    kt_stream s;
    return stream_given(self, args, keywords, "|O:wait", &s) || kp_event_gate(self, s, "wait") ? NULL : Py_NewRef(Py_None);
}

static PyObject *query(PyObject *self, PyObject *unused)
{
    (void)unused;
    bool done = true;
    return of(self)->e && kt_event_done(of(self)->e, &done) ? kp_raise() : PyBool_FromLong(done);
}

static PyObject *synchronize(PyObject *self, PyObject *unused)
{
    (void)unused;
    const kp_entry  before = kp_enter();
    const kt_status status = of(self)->e ? kt_event_sync(of(self)->e) : KT_OK;
    kp_leave(before);
    return status ? kp_raise() : Py_NewRef(Py_None);
}

static PyObject *elapsed_time(PyObject *self, PyObject *end)
{
    double          milliseconds = 0;
    const kp_event *from = of(self), *to = needs_event(end, "elapsed_time");
    if (!to)
        return NULL;
    if (from->device.kind != to->device.kind)
        return PyErr_Format(PyExc_RuntimeError, "Event device type %s does not match other's device type %s.",
                            kt_device_name((kt_device){from->device.kind, 0}), kt_device_name((kt_device){to->device.kind, 0}));
    if (!from->timed || !to->timed)
        return PyErr_Format(PyExc_ValueError, "Both events must be created with argument 'enable_timing=True'.");
    if (!from->e || !to->e)
        return PyErr_Format(PyExc_ValueError, "Both events must be recorded before calculating elapsed time.");
    return kt_event_elapsed(from->e, to->e, &milliseconds) ? kp_raise() : PyFloat_FromDouble(milliseconds);
}

/* ---- the type ---- */
static PyObject *get_device(PyObject *self, void *unused)
{
    (void)unused;
    return kp_device_object_of(of(self)->device);
}

static PyObject *get_id(PyObject *self, void *unused)
{
    (void)unused;
    return PyLong_FromVoidPtr(of(self)->e);
}

static PyGetSetDef getset[] = {
    {"device", get_device, NULL, "whose work it marks; without an index before it is recorded", NULL},
    {"event_id", get_id, NULL, "its number; 0: not recorded yet", NULL},
    {NULL, NULL, NULL, NULL, NULL},
};

static PyMethodDef methods[] = {
    {"record", KP_FUNCTION(record), METH_VARARGS | METH_KEYWORDS, "record(stream=None): marks the stream's work so far"},
    {"wait", KP_FUNCTION(wait), METH_VARARGS | METH_KEYWORDS, "wait(stream=None): the stream's later work waits for it"},
    {"query", query, METH_NOARGS, "is the work before it done? True if it was not recorded"},
    {"synchronize", synchronize, METH_NOARGS, "wait for the work before it"},
    {"elapsed_time", elapsed_time, METH_O, "elapsed_time(end_event): milliseconds from this one to that"},
    {NULL, NULL, 0, NULL},
};

PyTypeObject kp_event_type = {
    PyVarObject_HEAD_INIT(NULL, 0).tp_name = "karat.Event",
    .tp_doc = PyDoc_STR("Event(device=None, *, enable_timing=False, blocking=False, interprocess=False): a mark in the work of a "
                        "stream."),
    .tp_basicsize = sizeof(kp_event),
    .tp_flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_BASETYPE,
    .tp_new = event_new,
    .tp_dealloc = event_dealloc,
    .tp_repr = event_repr,
    .tp_getset = getset,
    .tp_methods = methods,
};
