/* profiler.c - profiles for torch.profiler: start, stop, ranges, and a profile's events as Python objects.
 *
 * In: karat/profiler.h. Out: the functions below and the type Profile. Independent of: what is made of the events. */
#include "core/binding.h"

#include <karat/plugin/site.h>

typedef struct kp_profile {
    PyObject_HEAD
    kt_profile *profile;
    PyObject   *modules; /* by id: those that were called, kept alive so that no other gets their id */
} kp_profile;

static PyObject *modules_seen; /* a dict while a profile wants to know of modules; NULL: none does */

int kp_note_module(PyObject *module)
{
    if (!modules_seen)
        return 0;
    PyObject *id = PyLong_FromVoidPtr(module);
    const int status = id ? PyDict_SetItem(modules_seen, id, module) : -1;
    Py_XDECREF(id);
    return status;
}

/* ---- events ---- */

/* The lines by their numbers: many events share them (site_line). */
static PyObject *stack_object(const kt_profile_event *e)
{
    PyObject *list = PyList_New(e->n_stack);
    for (int64_t i = 0; list && i < e->n_stack; i++) {
        PyObject *line = PyLong_FromUnsignedLong(e->stack[i]);
        if (line)
            PyList_SET_ITEM(list, i, line);
        else
            Py_CLEAR(list);
    }
    return list;
}

static PyObject *sizes_object(const kt_profile_input *in)
{
    const int64_t n = in->tensor ? in->shape.n : 0;
    PyObject     *list = PyList_New(n);
    for (int64_t d = 0; list && d < n; d++) {
        PyObject *size = PyLong_FromLongLong(in->shape.d[d]);
        if (size)
            PyList_SET_ITEM(list, d, size);
        else
            Py_CLEAR(list);
    }
    return list;
}

/* ([sizes of each input], [the name of its dtype, "" of what is no tensor]) */
static PyObject *inputs_object(const kt_profile_event *e)
{
    PyObject *shapes = PyList_New(e->n_inputs), *dtypes = PyList_New(e->n_inputs);
    for (int64_t i = 0; shapes && dtypes && i < e->n_inputs; i++) {
        PyObject *sizes = sizes_object(&e->inputs[i]);
        PyObject *dtype = PyUnicode_FromString(e->inputs[i].tensor ? kt_dtype_name(e->inputs[i].dtype) : "");
        if (sizes)
            PyList_SET_ITEM(shapes, i, sizes);
        if (dtype)
            PyList_SET_ITEM(dtypes, i, dtype);
        if (!sizes || !dtype)
            Py_CLEAR(shapes);
    }
    if (!shapes || !dtypes) {
        Py_XDECREF(shapes);
        Py_XDECREF(dtypes);
        return NULL;
    }
    return Py_BuildValue("(NN)", shapes, dtypes);
}

static PyObject *event_object(const kt_profile_event *e)
{
    PyObject *inputs = inputs_object(e), *stack = inputs ? stack_object(e) : NULL;
    PyObject *name = stack ? PyUnicode_DecodeUTF8(e->name, (Py_ssize_t)strlen(e->name), "replace") : NULL;
    if (!name) {
        Py_XDECREF(inputs);
        Py_XDECREF(stack);
        return NULL;
    }
    return Py_BuildValue("(sNLKKKizisNNsLNzLsLKsi)", kt_profile_kind_name(e->kind), name, (long long)e->parent,
                         (unsigned long long)e->begin, (unsigned long long)e->end, (unsigned long long)e->thread, (int)e->failed,
                         e->file, e->line, kt_profile_kind_name(e->kind), stack, inputs, e->dtype ? kt_dtype_name(e->dtype) : "",
                         (long long)e->sequence, PyLong_FromVoidPtr((void *)(uintptr_t)e->object), e->where, (long long)e->bytes,
                         e->kind == KT_PROFILE_CONVERSION ? kt_reason_name(e->why) : "", (long long)e->flops,
                         (unsigned long long)(uintptr_t)e->address,
                         e->kind == KT_PROFILE_MEMORY || e->kind == KT_PROFILE_PLAN ? kt_device_name(e->device) : "",
                         (int)e->device.index);
}

static PyObject *profile_events(PyObject *self, PyObject *unused)
{
    (void)unused;
    const kt_profile *p = ((kp_profile *)self)->profile;
    PyObject         *list = PyList_New(0);
    kt_profile_event  e = {.size = sizeof e};
    for (int64_t i = 0; list && kt_profile_read(p, i, &e); i++) {
        PyObject *one = event_object(&e);
        if (!one || PyList_Append(list, one))
            Py_CLEAR(list);
        Py_XDECREF(one);
    }
    return list;
}

static PyObject *profile_write_trace(PyObject *self, PyObject *args)
{
    PyObject   *path;
    const char *more;
    if (!PyArg_ParseTuple(args, "O&s:write_trace", PyUnicode_FSConverter, &path, &more))
        return NULL;
    const kt_status status = kt_profile_write_trace(((kp_profile *)self)->profile, PyBytes_AS_STRING(path), more);
    Py_DECREF(path);
    return status ? kp_raise() : Py_NewRef(Py_None);
}

static PyObject *profile_span(PyObject *self, void *unused)
{
    (void)unused;
    uint64_t begin, end;
    kt_profile_span(((kp_profile *)self)->profile, &begin, &end);
    return Py_BuildValue("(KK)", (unsigned long long)begin, (unsigned long long)end);
}

static PyObject *profile_lost(PyObject *self, void *unused)
{
    (void)unused;
    return PyLong_FromLongLong(kt_profile_lost(((kp_profile *)self)->profile));
}

static PyObject *profile_modules(PyObject *self, void *unused)
{
    (void)unused;
    PyObject *modules = ((kp_profile *)self)->modules;
    return Py_NewRef(modules ? modules : Py_None);
}

static void profile_free(PyObject *self)
{
    kt_profile_free(((kp_profile *)self)->profile);
    Py_XDECREF(((kp_profile *)self)->modules);
    Py_TYPE(self)->tp_free(self);
}

static PyMethodDef profile_methods[] = {
    {"events", profile_events, METH_NOARGS,
     "[(kind, name, parent, begin, end, thread, failed, file, line, category, stack, (shapes, dtypes), dtype, sequence, object, "
     "where, bytes, why, flops, address, device, index)], times in ns"},
    {"write_trace", profile_write_trace, METH_VARARGS, "write_trace(path, more): Chrome's trace format; more: further members"},
    {NULL, NULL, 0, NULL},
};
static PyGetSetDef profile_attributes[] = {
    {"span", profile_span, NULL, "(begin, end) in ns", NULL},
    {"lost", profile_lost, NULL, "events that there was no memory for", NULL},
    {"modules", profile_modules, NULL, "the modules that were called, by their id", NULL},
    {NULL, NULL, NULL, NULL, NULL},
};

PyTypeObject kp_profile_type = {
    PyVarObject_HEAD_INIT(NULL, 0)
    .tp_name = "karat._karat.Profile",
    .tp_basicsize = sizeof(kp_profile),
    .tp_dealloc = profile_free,
    .tp_flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_DISALLOW_INSTANTIATION,
    .tp_doc = PyDoc_STR("what ran between profiler_start and profiler_stop"),
    .tp_methods = profile_methods,
    .tp_getset = profile_attributes,
};

/* ---- start, stop, ranges ---- */
static PyObject *start(PyObject *module, PyObject *args)
{
    (void)module;
    int memory, stacks, all_threads, modules;
    if (!PyArg_ParseTuple(args, "pppp:profiler_start", &memory, &stacks, &all_threads, &modules))
        return NULL;
    if (kt_profiler_start(.memory = memory, .stacks = stacks, .all_threads = all_threads, .modules = modules))
        return kp_raise();
    if (modules)
        Py_XSETREF(modules_seen, PyDict_New());
    return modules && !modules_seen ? NULL : Py_NewRef(Py_None);
}

static PyObject *stop(PyObject *module, PyObject *unused)
{
    (void)module, (void)unused;
    kt_profile *profile = kt_profiler_stop();
    if (!profile)
        return kp_raise();
    kp_profile *self = PyObject_New(kp_profile, &kp_profile_type);
    if (!self) {
        kt_profile_free(profile);
        return NULL;
    }
    self->profile = profile;
    self->modules = modules_seen;
    modules_seen = NULL;
    return (PyObject *)self;
}

static PyObject *is_on(PyObject *module, PyObject *unused)
{
    (void)module, (void)unused;
    return PyBool_FromLong(kt_profiler_is_on());
}

static PyObject *range_begin(PyObject *module, PyObject *name)
{
    (void)module;
    const char *text = PyUnicode_AsUTF8(name);
    if (!text)
        return NULL;
    const kp_entry before = kp_enter(); /* the range has the user's line */
    const uint64_t range = kt_range_begin(text);
    kp_leave(before);
    return PyLong_FromUnsignedLongLong(range);
}

static PyObject *range_end(PyObject *module, PyObject *range)
{
    (void)module;
    const unsigned long long id = PyLong_AsUnsignedLongLong(range);
    if (id == (unsigned long long)-1 && PyErr_Occurred())
        return NULL;
    kt_range_end(id);
    Py_RETURN_NONE;
}

static PyObject *site_line(PyObject *module, PyObject *number)
{
    (void)module;
    const unsigned long site = PyLong_AsUnsignedLong(number);
    if (site == (unsigned long)-1 && PyErr_Occurred())
        return NULL;
    int             line = 0;
    const char     *file = kt_site_file((uint32_t)site, &line);
    const uintptr_t code = kt_site_code((uint32_t)site);
    return Py_BuildValue("(siO)", file, line, code ? ((PyCodeObject *)code)->co_name : Py_None);
}

PyMethodDef kp_profiler_functions[] = {
    {"site_line", site_line, METH_O, "site_line(number) -> (file, line, function or None) of a line in an event's stack"},
    {"profiler_start", start, METH_VARARGS, "profiler_start(memory, stacks, all_threads, modules)"},
    {"profiler_stop", stop, METH_NOARGS, "profiler_stop() -> Profile"},
    {"profiler_is_on", is_on, METH_NOARGS, "is a profile running on this thread?"},
    {"range_begin", range_begin, METH_O, "range_begin(name) -> what range_end takes; 0: nobody watches"},
    {"range_end", range_end, METH_O, "range_end(range)"},
    {NULL, NULL, 0, NULL},
};
