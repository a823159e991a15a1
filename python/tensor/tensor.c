/* tensor.c - the Tensor object: one reference to a kt_tensor, the same object for the same tensor.
 *
 * In: owned kt_tensor references. Out: Tensor objects; the tensor's wrapper slot points back, so that p.grad is p.grad
 * while someone holds it. When an object with attributes or of a subclass is freed before its tensor, class and
 * attributes stay in the slot (a tuple, its address tagged in the lowest bit) for the tensor's next object. Independent
 * of: operators.
 *
 * Objects of exactly this type come from a free list and are not tracked by the garbage collector until the user sets an
 * attribute or a hook: only then can they be part of a cycle. Objects of subclasses are always tracked. */
#include "core/binding.h"

#include <structmember.h>

enum { SPARE_MOST = 256 };
static kp_tensor *spare; /* linked through `dict` */
static int        n_spare;

PyObject *kp_new_shell(void)
{
    kp_tensor *self = spare;
    if (KP_LIKELY(self != NULL)) {
        spare = (kp_tensor *)self->dict;
        n_spare--;
        PyObject_Init((PyObject *)self, kp_tensor_type);
    } else {
        self = PyObject_GC_New(kp_tensor, kp_tensor_type);
        if (!self)
            return NULL;
    }
    self->t = NULL;
    self->dict = NULL;
    self->weak = NULL;
    return (PyObject *)self;
}

static PyObject *left_in(void *slot) /* the tuple; NULL: the slot holds an object */
{
    return (uintptr_t)slot & 1 ? (PyObject *)((uintptr_t)slot & ~(uintptr_t)1) : NULL;
}

/* The tensor was freed without another object; on any thread. */
static void throw_away(void *slot)
{
    if (!left_in(slot) || !Py_IsInitialized())
        return;
    PyGILState_STATE gil = PyGILState_Ensure();
    Py_DECREF(left_in(slot));
    PyGILState_Release(gil);
}

static void track_if_needed(kp_tensor *self);

/* A new object with the class and attributes of the previous one. Steals the reference. */
static PyObject *wrap_again(kt_tensor *t, void **slot)
{
    PyObject     *left = left_in(*slot), *dict = PyTuple_GET_ITEM(left, 1);
    PyTypeObject *type = (PyTypeObject *)PyTuple_GET_ITEM(left, 0);
    kp_tensor    *self = (kp_tensor *)(type == kp_tensor_type ? kp_new_shell() : type->tp_alloc(type, 0));
    if (!self) {
        kt_drop(t);
        return NULL;
    }
    self->t = t;
    self->dict = dict == Py_None ? NULL : Py_NewRef(dict);
    *slot = self;
    Py_DECREF(left);
    track_if_needed(self);
    return (PyObject *)self;
}

/* Saves class and attributes in the tensor's slot if the tensor has other owners. */
static void leave_behind(kp_tensor *self, PyTypeObject *type)
{
    PyObject *error[3], *left;
    if (!kt_is_shared(self->t))
        return;
    PyErr_Fetch(&error[0], &error[1], &error[2]); /* an exception may be pending during deallocation */
    left = PyTuple_Pack(2, type, self->dict ? self->dict : Py_None);
    if (left)
        *kt_tensor_wrapper(self->t) = (void *)((uintptr_t)left | 1);
    else
        PyErr_Clear();
    PyErr_Restore(error[0], error[1], error[2]);
}

PyObject *kp_wrap(kt_tensor *t)
{
    if (KP_UNLIKELY(!t))
        return NULL;
    void **slot = kt_tensor_wrapper(t);
    if (KP_UNLIKELY(*slot != NULL)) {
        if (left_in(*slot))
            return wrap_again(t, slot);
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

PyObject *kp_wrap_as(kt_tensor *t, PyTypeObject *type)
{
    if (!t || type == kp_tensor_type)
        return kp_wrap(t);
    kp_tensor *self = (kp_tensor *)type->tp_alloc(type, 0);
    if (!self) {
        kt_drop(t);
        return NULL;
    }
    self->t = t;
    *kt_tensor_wrapper(t) = self;
    return (PyObject *)self;
}

static void tensor_dealloc(PyObject *o)
{
    kp_tensor *self = (kp_tensor *)o;
    const bool exact = Py_IS_TYPE(o, kp_tensor_type);
    if (KP_UNLIKELY(!exact || self->dict))
        PyObject_GC_UnTrack(o);
    if (KP_UNLIKELY(self->weak != NULL))
        PyObject_ClearWeakRefs(o);
    PyTypeObject *type = Py_TYPE(o);
    if (KP_LIKELY(self->t != NULL)) {
        *kt_tensor_wrapper(self->t) = NULL;
        if (KP_UNLIKELY(!exact || (self->dict && (PyDict_GET_SIZE(self->dict) || kt_has_hooks(self->t)))))
            leave_behind(self, type);
    }
    if (KP_UNLIKELY(self->dict != NULL))
        Py_CLEAR(self->dict);
    kt_drop(self->t);
    if (KP_LIKELY(exact && n_spare < SPARE_MOST)) {
        self->dict = (PyObject *)spare;
        spare = self;
        n_spare++;
    } else {
        type->tp_free(o);
    }
    Py_DECREF(type);
}

static int tensor_traverse(PyObject *o, visitproc visit, void *arg)
{
    const kp_tensor *self = (const kp_tensor *)o;
    Py_VISIT(Py_TYPE(o));
    if (self->t && kt_is_shared(self->t)) /* the tensor lives on: keep its attributes */
        return 0;
    Py_VISIT(self->dict);
    const int stop = self->t ? kp_hooks_traverse(self->t, visit, arg) : 0;
    return stop || !self->t ? stop : kp_context_traverse(self->t, visit, arg);
}

/* Keeps the dict: its presence means that the object is tracked. */
static int tensor_clear(PyObject *o)
{
    kp_tensor *self = (kp_tensor *)o;
    if (self->dict)
        PyDict_Clear(self->dict);
    if (self->t)
        kt_hooks_clear(self->t);
    return 0;
}

/* Attributes may form a cycle: from the first one on the object is tracked. */
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

/* As dealloc expects: plain tensors without attributes are not tracked. */
static void track_as_its_type_needs(kp_tensor *self)
{
    PyObject  *o = (PyObject *)self;
    const bool needed = self->dict || !Py_IS_TYPE(o, kp_tensor_type);
    if (needed && !PyObject_GC_IsTracked(o))
        PyObject_GC_Track(o);
    else if (!needed)
        PyObject_GC_UnTrack(o);
}

PyObject *kp_swap(PyObject *one, PyObject *other)
{
    kp_tensor *a = (kp_tensor *)one, *b = (kp_tensor *)other;
    if (!kp_is_tensor(other))
        return PyErr_Format(PyExc_TypeError, "expected a Tensor, got %s", Py_TYPE(other)->tp_name);
    if (a->weak || b->weak)
        return PyErr_Format(PyExc_RuntimeError, "Cannot swap t%d because it has weakref associated with it", a->weak ? 1 : 2);
    PyTypeObject *type = Py_TYPE(one);
    if (type->tp_basicsize != Py_TYPE(other)->tp_basicsize)
        return PyErr_Format(PyExc_RuntimeError, "Cannot swap t1 and t2 if they have different slots");
    const kp_tensor kept = *a;
    a->t = b->t;
    a->dict = b->dict;
    b->t = kept.t;
    b->dict = kept.dict;
    *kt_tensor_wrapper(a->t) = a;
    *kt_tensor_wrapper(b->t) = b;
    Py_SET_TYPE(one, Py_TYPE(other));
    Py_SET_TYPE(other, type);
    track_as_its_type_needs(a);
    track_as_its_type_needs(b);
    Py_RETURN_NONE;
}

/* Tensor(2, 3), Tensor([1., 2.]), and Tensor(t): a new object sharing t's values, without history. */
static PyObject *tensor_new(PyTypeObject *type, PyObject *args, PyObject *keywords)
{
    return kp_wrap_as(kp_legacy(KT_NONE, NULL, args, keywords), type);
}

/* == is elementwise, so tensors hash by identity. */
static Py_hash_t tensor_hash(PyObject *self) { return (Py_hash_t)(intptr_t)self; }

static PyObject *shown_as(PyObject *self, const char *called)
{
    const kp_entry before = kp_enter_any(); /* its elements may have to be copied */
    char         *text = kt_to_string_as(kp_tensor_of(self), called);
    kp_leave(before);
    PyObject *result = kt_failed() ? kp_raise() : PyUnicode_FromString(text);
    kt_free_string(text);
    return result;
}

static PyObject *tensor_repr(PyObject *self)
{
    PyObject *name = Py_IS_TYPE(self, kp_tensor_type) ? NULL : PyType_GetName(Py_TYPE(self));
    if (!name)
        return PyErr_Occurred() ? NULL : shown_as(self, "tensor");
    const char *called = PyUnicode_AsUTF8(name);
    PyObject   *result = called ? shown_as(self, called) : NULL;
    Py_DECREF(name);
    return result;
}

PyObject *kp_plain_repr(PyObject *self, PyObject *unused)
{
    (void)unused;
    return shown_as(self, "tensor");
}

/* ---- the type, assembled from the slots of several files ---- */

static PyMemberDef offsets[] = {
    {"__dictoffset__", T_PYSSIZET, offsetof(kp_tensor, dict), READONLY, NULL},
    {"__weaklistoffset__", T_PYSSIZET, offsetof(kp_tensor, weak), READONLY, NULL},
    {NULL, 0, 0, 0, NULL},
};

static const PyType_Slot own_slots[] = {
    {Py_tp_doc, "A tensor: elements of one dtype, and where that dtype came from (karat.explain)."},
    {Py_tp_new, tensor_new},
    {Py_tp_dealloc, tensor_dealloc},
    {Py_tp_traverse, tensor_traverse},
    {Py_tp_clear, tensor_clear},
    {Py_tp_setattro, tensor_setattr},
    {Py_tp_repr, tensor_repr},
    {Py_tp_hash, tensor_hash},
    {Py_tp_members, offsets},
    {Py_tp_getset, kp_tensor_getset},
    {Py_tp_methods, kp_tensor_methods},
    {0, NULL},
};

PyTypeObject *kp_tensor_type;

int kp_tensor_start(PyObject *module)
{
    static const PyType_Slot *const parts[] = {own_slots, kp_number_slots, kp_index_slots};
    PyType_Slot                     slots[96];
    int                             n = 0;
    kt_on_wrapper_left(throw_away);
    if (kp_tensor_type) /* the module is loaded again: existing tensors keep their type */
        return PyModule_AddObjectRef(module, "Tensor", (PyObject *)kp_tensor_type);
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++)
        for (const PyType_Slot *s = parts[i]; s->slot && n < 95; s++)
            slots[n++] = *s;
    slots[n] = (PyType_Slot){0, NULL};
    kp_override_slots(slots, n);
    PyType_Spec spec = {.name = "karat.Tensor",
                        .basicsize = sizeof(kp_tensor),
                        .flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_BASETYPE | Py_TPFLAGS_HAVE_GC,
                        .slots = slots};
    kp_tensor_type = (PyTypeObject *)PyType_FromModuleAndSpec(module, &spec, NULL);
    if (!kp_tensor_type)
        return -1;
    kp_tensor_type->tp_name = "Tensor"; /* as shown in Python's messages; __module__ stays karat */
    return PyModule_AddObjectRef(module, "Tensor", (PyObject *)kp_tensor_type);
}
