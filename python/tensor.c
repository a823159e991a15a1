/* tensor.c - the Tensor object: one reference to a kt_tensor, the same object for the same tensor.
 *
 * In: owned kt_tensor references. Out: Tensor objects; the tensor's wrapper slot points back, so that p.grad is p.grad while
 * someone holds it. Must not know: operators.
 *
 * Objects of exactly this type come from a free list and are unknown to the garbage collector until the user gives them an
 * attribute: only then can they be part of a cycle. Objects of subclasses are tracked from birth, as Python does it. */
#include "binding.h"

enum { SPARE_MOST = 256 };
static kp_tensor *spare; /* linked through `dict` */
static int        n_spare;

PyObject *kp_new_shell(void)
{
    kp_tensor *self = spare;
    if (KP_LIKELY(self != NULL)) {
        spare = (kp_tensor *)self->dict;
        n_spare--;
        PyObject_Init((PyObject *)self, &kp_tensor_type);
    } else {
        self = PyObject_GC_New(kp_tensor, &kp_tensor_type);
        if (!self)
            return NULL;
    }
    self->t = NULL;
    self->dict = NULL;
    self->weak = NULL;
    return (PyObject *)self;
}

PyObject *kp_wrap(kt_tensor *t)
{
    if (KP_UNLIKELY(!t))
        return NULL;
    void **slot = kt_tensor_wrapper(t);
    if (KP_UNLIKELY(*slot != NULL)) {
        PyObject *known = Py_NewRef((PyObject *)*slot);
        kt_drop(t);
        return known;
    }
    PyObject *self = kp_new_shell();
    if (KP_UNLIKELY(!self)) {
        kt_drop(t);
        return NULL;
    }
    ((kp_tensor *)self)->t = t;
    *slot = self;
    return self;
}

PyObject *kp_wrap_borrowed(kt_tensor *t)
{
    return kp_wrap(kt_keep(t));
}

static void tensor_dealloc(PyObject *o)
{
    kp_tensor *self = (kp_tensor *)o;
    const bool exact = Py_IS_TYPE(o, &kp_tensor_type);
    if (KP_UNLIKELY(!exact || self->dict))
        PyObject_GC_UnTrack(o);
    if (KP_LIKELY(self->t != NULL))
        *kt_tensor_wrapper(self->t) = NULL;
    if (KP_UNLIKELY(self->weak != NULL))
        PyObject_ClearWeakRefs(o);
    if (KP_UNLIKELY(self->dict != NULL))
        Py_CLEAR(self->dict);
    kt_drop(self->t);
    if (KP_LIKELY(exact && n_spare < SPARE_MOST)) {
        self->dict = (PyObject *)spare;
        spare = self;
        n_spare++;
        return;
    }
    Py_TYPE(o)->tp_free(o); /* the type of a subclass is released by Python's own dealloc, which called this one */
}

static int tensor_traverse(PyObject *o, visitproc visit, void *arg)
{
    Py_VISIT(((kp_tensor *)o)->dict);
    return 0;
}

static int tensor_clear(PyObject *o)
{
    Py_CLEAR(((kp_tensor *)o)->dict);
    return 0;
}

/* The user's attributes may close a cycle: from the first on the collector knows the object. */
static void track_if_needed(kp_tensor *self)
{
    if (self->dict && !PyObject_GC_IsTracked((PyObject *)self))
        PyObject_GC_Track(self);
}

static int tensor_setattr(PyObject *o, PyObject *name, PyObject *value)
{
    int status = PyObject_GenericSetAttr(o, name, value);
    track_if_needed((kp_tensor *)o);
    return status;
}

PyObject *kp_get_dict(PyObject *o, void *unused)
{
    PyObject *dict = PyObject_GenericGetDict(o, unused);
    track_if_needed((kp_tensor *)o);
    return dict;
}

/* Tensor(t): another object of the class on the same values, without history. Values come from karat.tensor. */
static PyObject *tensor_new(PyTypeObject *type, PyObject *args, PyObject *keywords)
{
    if ((keywords && PyDict_GET_SIZE(keywords)) || PyTuple_GET_SIZE(args) != 1 || !kp_is_tensor(PyTuple_GET_ITEM(args, 0))) {
        PyErr_Format(PyExc_TypeError, "%s() takes one Tensor; make one of other data by karat.tensor", type->tp_name);
        return NULL;
    }
    kt_call       call;
    const kt_row *row = kp_row("detach");
    if (!row)
        return NULL;
    kt_call_begin(&call, row, KT_PLAIN);
    call.arg[0].t = kp_tensor_of(PyTuple_GET_ITEM(args, 0));
    call.given = 1;
    if (kp_run(&call, false))
        return kp_raise();
    if (type == &kp_tensor_type)
        return kp_wrap(call.out[0]);
    kp_tensor *self = (kp_tensor *)type->tp_alloc(type, 0);
    if (!self) {
        kt_drop(call.out[0]);
        return NULL;
    }
    self->t = call.out[0];
    *kt_tensor_wrapper(self->t) = self;
    return (PyObject *)self;
}

static PyObject *tensor_repr(PyObject *self)
{
    char *text = kt_to_string(kp_tensor_of(self));
    if (!text)
        return kp_raise();
    PyObject *result = PyUnicode_FromString(text);
    kt_free_string(text);
    return result;
}

PyTypeObject kp_tensor_type = {
    PyVarObject_HEAD_INIT(NULL, 0).tp_name = "karat.Tensor",
    .tp_doc = PyDoc_STR("A tensor: elements of one dtype, and where that dtype came from (karat.explain)."),
    .tp_basicsize = sizeof(kp_tensor),
    .tp_flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_BASETYPE | Py_TPFLAGS_HAVE_GC,
    .tp_new = tensor_new,
    .tp_dealloc = tensor_dealloc,
    .tp_traverse = tensor_traverse,
    .tp_clear = tensor_clear,
    .tp_dictoffset = offsetof(kp_tensor, dict),
    .tp_weaklistoffset = offsetof(kp_tensor, weak),
    .tp_setattro = tensor_setattr,
    .tp_repr = tensor_repr,
    .tp_richcompare = kp_compare,
    .tp_iter = kp_iterate,
    .tp_as_number = &kp_number_methods,
    .tp_as_mapping = &kp_mapping_methods,
    .tp_as_sequence = &kp_sequence_methods,
    .tp_getset = kp_tensor_getset,
    .tp_methods = kp_tensor_methods,
};
