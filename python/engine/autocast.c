/* autocast.c - the state of autocast on this thread, read and set, and the scopes that keep its casts: what a context manager is
 * made of. In: devices, dtypes, flags. Out: the engine's settings. */
#include "core/binding.h"

#include <karat/autocast.h>
#include <karat/conversions.h>
#include <karat/lineage.h>
#include <karat/plugin/call.h>
#include <stdlib.h>

/* Of a device that need not be here, if it is CUDA's: its autocast has a state all the same. */
static int kind_of(PyObject *o, kt_device_kind *kind)
{
    kt_device d;
    if (PyUnicode_Check(o) && PyUnicode_CompareWithASCIIString(o, "cuda") == 0)
        return *kind = KT_CUDA, 1;
    const int found = PyUnicode_Check(o) ? kp_to_device(o, &d) : 0;
    if (found == 0)
        PyErr_Format(PyExc_TypeError, "a device type must be str, not %s", Py_TYPE(o)->tp_name);
    *kind = (kt_device_kind)(found > 0 ? d.kind : KT_DEVICE_DEFAULT);
    return found > 0;
}

static PyObject *get_autocast(PyObject *module, PyObject *device)
{
    (void)module;
    kt_device_kind kind;
    if (!kind_of(device, &kind))
        return NULL;
    const kt_dtype dtype = kt_autocast_dtype(kind);
    if (!dtype)
        return kp_raise();
    PyObject *o = kp_dtype_object(dtype);
    return o ? Py_BuildValue("(NN)", PyBool_FromLong(kt_autocast_enabled(kind)), o) : NULL;
}

static PyObject *set_autocast(PyObject *module, PyObject *args)
{
    (void)module;
    PyObject      *device, *dtype;
    int            on;
    kt_device_kind kind;
    kt_dtype       d;
    if (!PyArg_ParseTuple(args, "OpO!:set_autocast", &device, &on, &kp_dtype_type, &dtype) || !kind_of(device, &kind) ||
        !kp_to_dtype(dtype, &d))
        return NULL;
    return kt_set_autocast_dtype(kind, d) || kt_set_autocast_enabled(kind, on) ? kp_raise() : Py_NewRef(Py_None);
}

static PyObject *get_meta(PyObject *module, PyObject *unused)
{
    (void)module, (void)unused;
    const kt_device_kind kind = kt_autocast_meta();
    if (kind == KT_DEVICE_DEFAULT)
        Py_RETURN_NONE;
    return PyUnicode_FromString(kind == KT_CUDA ? "cuda" : kt_device_name((kt_device){(int)kind, 0})); /* CUDA need not be here */
}

static PyObject *set_meta(PyObject *module, PyObject *o)
{
    (void)module;
    kt_device_kind kind = KT_DEVICE_DEFAULT;
    if (o != Py_None && !kind_of(o, &kind))
        return NULL;
    return kt_set_autocast_meta(kind) ? kp_raise() : Py_NewRef(Py_None);
}

static PyObject *get_cache(PyObject *module, PyObject *unused)
{
    (void)module, (void)unused;
    return PyBool_FromLong(kt_autocast_cache_enabled());
}

static PyObject *set_cache(PyObject *module, PyObject *o)
{
    (void)module;
    const int on = PyObject_IsTrue(o);
    if (on < 0)
        return NULL;
    kt_set_autocast_cache_enabled(on);
    Py_RETURN_NONE;
}

static PyObject *enter(PyObject *module, PyObject *unused)
{
    (void)module, (void)unused;
    return PyLong_FromLong(kt_autocast_enter());
}

static PyObject *leave(PyObject *module, PyObject *unused)
{
    (void)module, (void)unused;
    return PyLong_FromLong(kt_autocast_leave());
}

static PyObject *clear_cache(PyObject *module, PyObject *unused)
{
    (void)module, (void)unused;
    kt_autocast_clear_cache();
    Py_RETURN_NONE;
}

/* ---- what a region did ---- */

static int append(PyObject **list, PyObject *one)
{
    if (!one || PyList_Append(*list, one))
        Py_CLEAR(*list);
    Py_XDECREF(one);
    return *list != NULL;
}

PyObject *kp_conversions_list(const kt_conversions *of)
{
    kt_conversion c = {.size = sizeof c};
    PyObject     *list = PyList_New(0);
    for (int64_t i = 0; list && kt_conversions_read(of, i, &c); i++)
        append(&list, Py_BuildValue("(isNNssiKK)", c.phase, c.op, kp_dtype_object(c.from), kp_dtype_object(c.to),
                                    kt_reason_name(c.why), c.file, c.line, (unsigned long long)c.count,
                                    (unsigned long long)c.bytes));
    return list;
}

typedef struct outer { /* where calls were counted before the region was entered */
    kt_autocast_counts **counts;
    kt_collecting        conversions;
    struct outer        *next;
} outer;

typedef struct seen {
    PyObject_HEAD
    kt_autocast_counts *counts;
    kt_conversions     *conversions;
    outer              *entered; /* once for each time; the object owns itself as often: the thread refers to it */
} seen;

static PyObject *seen_enter(PyObject *self, PyObject *unused)
{
    (void)unused;
    seen  *s = (seen *)self;
    outer *o = malloc(sizeof *o);
    if (!o)
        return PyErr_NoMemory();
    *o = (outer){kt_autocast_count(&s->counts), kt_collect(KT_COLLECT_REGION, (kt_collecting){&s->conversions, 0}), s->entered};
    s->entered = o;
    Py_INCREF(self);
    Py_RETURN_NONE;
}

static PyObject *seen_leave(PyObject *self, PyObject *unused)
{
    (void)unused;
    seen  *s = (seen *)self;
    outer *o = s->entered;
    if (!o)
        Py_RETURN_NONE;
    kt_autocast_counts **was = kt_autocast_count(o->counts);
    kt_collect(KT_COLLECT_REGION, o->conversions);
    s->entered = o->next;
    free(o);
    if (was == &s->counts) /* else it was entered on another thread, which still refers to it */
        Py_DECREF(self);
    Py_RETURN_NONE;
}

static PyObject *seen_operators(PyObject *self, PyObject *unused)
{
    (void)unused;
    kt_autocast_counted c = {.size = sizeof c};
    PyObject           *list = PyList_New(0);
    for (int64_t i = 0; list && kt_autocast_counts_read(((seen *)self)->counts, i, &c); i++)
        append(&list, Py_BuildValue("(ssNKNsi)", c.op, kt_autocast_class_name(c.class_), kp_dtype_object(c.dtype),
                                    (unsigned long long)c.count, PyBool_FromLong(c.narrow_weights), c.file, c.line));
    return list;
}

static PyObject *seen_conversions(PyObject *self, PyObject *unused)
{
    (void)unused;
    return kp_conversions_list(((seen *)self)->conversions);
}

static PyObject *seen_recorded(PyObject *self, PyObject *unused)
{
    (void)unused;
    return PyBool_FromLong(kt_autocast_counts_recorded(((seen *)self)->counts));
}

static PyObject *seen_backward(PyObject *self, PyObject *unused)
{
    (void)unused;
    const char *file;
    int         line;
    if (!kt_autocast_counts_backward(((seen *)self)->counts, &file, &line))
        Py_RETURN_NONE;
    return Py_BuildValue("(si)", file, line);
}

static void seen_free(PyObject *self)
{
    kt_autocast_counts_free(((seen *)self)->counts);
    kt_conversions_free(((seen *)self)->conversions);
    Py_TYPE(self)->tp_free(self);
}

static PyMethodDef seen_methods[] = {
    {"enter", seen_enter, METH_NOARGS, "this thread's calls are counted here"},
    {"leave", seen_leave, METH_NOARGS, "and no longer"},
    {"operators", seen_operators, METH_NOARGS, "[(op, class, dtype, count, narrow weights?, file, line)]"},
    {"conversions", seen_conversions, METH_NOARGS, "[(0, op, from, to, why, file, line, count, bytes)]"},
    {"recorded", seen_recorded, METH_NOARGS, "did the tape record one of the calls?"},
    {"backward", seen_backward, METH_NOARGS, "(file, line) from where backward ran inside; None: it did not"},
    {NULL, NULL, 0, NULL},
};

PyTypeObject kp_seen_type = {
    PyVarObject_HEAD_INIT(NULL, 0).tp_name = "karat.AutocastSeen",
    .tp_doc = PyDoc_STR("What the calls under autocast did."),
    .tp_basicsize = sizeof(seen),
    .tp_flags = Py_TPFLAGS_DEFAULT,
    .tp_new = PyType_GenericNew,
    .tp_dealloc = seen_free,
    .tp_methods = seen_methods,
};

static PyObject *class_operators(PyObject *module, PyObject *unused)
{
    (void)module, (void)unused;
    PyObject     *list = PyList_New(0);
    const kt_row *row;
    for (int i = 0; list && (row = kt_row_at(i)) && !strchr(kt_row_name(row), ':'); i++) /* not appended ones */
        append(&list, PyUnicode_FromString(kt_row_name(row)));
    return list;
}

static PyObject *get_class(PyObject *module, PyObject *args)
{
    (void)module;
    const char    *op;
    PyObject      *device;
    kt_device_kind kind;
    if (!PyArg_ParseTuple(args, "sO", &op, &device))
        return NULL;
    kind = PyUnicode_CompareWithASCIIString(device, "cpu") ? KT_CUDA : KT_CPU;
    return PyUnicode_FromString(kt_autocast_class_name(kt_autocast_class_of(op, kind)));
}

static PyObject *set_class(PyObject *module, PyObject *args)
{
    (void)module;
    const char *op, *name;
    PyObject   *device;
    if (!PyArg_ParseTuple(args, "sOs", &op, &device, &name))
        return NULL;
    int c = 0;
    while (c <= KT_AUTOCAST_REFUSED && strcmp(kt_autocast_class_name((kt_autocast_class)c), name))
        c++;
    const kt_device_kind kind = PyUnicode_CompareWithASCIIString(device, "cpu") ? KT_CUDA : KT_CPU;
    return kt_set_autocast_class(op, kind, (kt_autocast_class)c) ? kp_raise() : Py_NewRef(Py_None);
}

PyMethodDef kp_autocast_functions[] = {
    {"get_autocast", get_autocast, METH_O, "of a device type: is autocast on, and which dtype does it lower to?"},
    {"set_autocast", set_autocast, METH_VARARGS, "set both"},
    {"get_autocast_meta", get_meta, METH_NOARGS, "the device type that meta tensors stand for, or None"},
    {"set_autocast_meta", set_meta, METH_O, "set_autocast_meta(device type or None)"},
    {"get_autocast_cache", get_cache, METH_NOARGS, "are casts of weights kept?"},
    {"set_autocast_cache", set_cache, METH_O, "keep them, or not"},
    {"autocast_enter", enter, METH_NOARGS, "a scope is entered; how many are"},
    {"autocast_leave", leave, METH_NOARGS, "one is left; the last one out drops the casts"},
    {"autocast_operators", class_operators, METH_NOARGS, "the operators that have a class"},
    {"autocast_class", get_class, METH_VARARGS, "autocast_class(op, device type): its class on this thread"},
    {"set_autocast_class", set_class, METH_VARARGS, "set_autocast_class(op, device type, class): on this thread"},
    {"autocast_clear_cache", clear_cache, METH_NOARGS, "drop them now"},
    {NULL, NULL, 0, NULL},
};
