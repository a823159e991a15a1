/* graph.c - Graph objects: work of a stream that was captured once and is replayed.
 *
 * In: the thread's current stream. Out: the same work again, on the same memory. Independent of: what is captured. */
#include "core/binding.h"

typedef struct kp_graph {
    PyObject_HEAD
    kt_device device; /* of the capture */
    kt_graph *g;      /* NULL: nothing captured */
    PyThreadState *captures; /* the thread that captures now */
} kp_graph;

static kp_graph *of(PyObject *self) { return (kp_graph *)self; }

/* An unfinished capture ends with its object: a thread that captures could do nothing else. */
static void forget(kp_graph *self)
{
    if (self->captures == PyThreadState_Get() && kt_capture_end(&self->g))
        kt_clear();
    self->captures = NULL;
    kt_graph_drop(self->g);
    self->g = NULL;
}

static void graph_dealloc(PyObject *self)
{
    forget(of(self));
    Py_TYPE(self)->tp_free(self);
}

static PyObject *begin(PyObject *self, PyObject *device)
{
    kp_graph *g = of(self);
    kt_stream s;
    if (kp_device_or_accelerator(device, "capture_begin", &s.device))
        return NULL;
    if (g->g || g->captures)
        return PyErr_Format(PyExc_RuntimeError,
                            "This CUDAGraph instance already owns a captured graph. To capture a new graph, create a new "
                            "instance.");
    if (kt_stream_current(s.device, &s))
        return kp_raise();
    if (!s.handle)
        return PyErr_Format(PyExc_RuntimeError, "CUDA graphs must be captured on a non-default stream. (However, after capture, "
                                                "it's ok to replay them on the default stream.)");
    if (kt_capture_begin(s))
        return kp_raise();
    g->device = s.device;
    g->captures = PyThreadState_Get();
    Py_RETURN_NONE;
}

static PyObject *end(PyObject *self, PyObject *unused)
{
    (void)unused;
    if (of(self)->captures != PyThreadState_Get())
        return PyErr_Format(PyExc_RuntimeError, "this graph does not capture on this thread");
    of(self)->captures = NULL;
    return kt_capture_end(&of(self)->g) ? kp_raise() : Py_NewRef(Py_None);
}

static PyObject *replay(PyObject *self, PyObject *unused)
{
    (void)unused;
    kt_stream s;
    if (!of(self)->g)
        return PyErr_Format(PyExc_RuntimeError, "Called CUDAGraph::replay without a preceding successful capture.");
    const kp_entry  before = kp_enter();
    const kt_status status =
        kt_stream_current(of(self)->device, &s) ? kt_error_status() : kt_graph_replay(of(self)->g, s);
    kp_leave(before);
    return status ? kp_raise() : Py_NewRef(Py_None);
}

static PyObject *reset(PyObject *self, PyObject *unused)
{
    (void)unused;
    forget(of(self));
    Py_RETURN_NONE;
}

static PyMethodDef methods[] = {
    {"_begin", begin, METH_O, "_begin(device): this thread's work is recorded, not done"},
    {"_end", end, METH_NOARGS, "until here"},
    {"replay", replay, METH_NOARGS, "do the recorded work, on the current stream"},
    {"reset", reset, METH_NOARGS, "forget the recorded work and its memory"},
    {NULL, NULL, 0, NULL},
};

PyTypeObject kp_graph_type = {
    PyVarObject_HEAD_INIT(NULL, 0).tp_name = "karat.Graph",
    .tp_doc = PyDoc_STR("Work that was recorded once and is done again."),
    .tp_basicsize = sizeof(kp_graph),
    .tp_flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_BASETYPE,
    .tp_new = PyType_GenericNew,
    .tp_dealloc = graph_dealloc,
    .tp_methods = methods,
};

static PyObject *is_capturing(PyObject *module, PyObject *unused)
{
    (void)module, (void)unused;
    return PyBool_FromLong(kt_is_capturing());
}

PyMethodDef kp_graph_functions[] = {
    {"is_capturing", is_capturing, METH_NOARGS, "is this thread's work recorded?"},
    {NULL, NULL, 0, NULL},
};
