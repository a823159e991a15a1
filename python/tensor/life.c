/* life.c - who owns whom: a tensor and its Python object, each of which may outlive the other's owners.
 *
 * In: references to tensors. Out: their objects. Independent of: operators, what a tensor holds.
 *
 * A tensor has at most one object at a time, which its slot names. Normally the object owns a reference to the tensor. When
 * the object loses its last reference while the engine still holds the tensor (a graph, a view, .grad), the two change places:
 * the tensor owns the object, with its address, class, attributes and weak references (the slot's lowest bit says so), and the
 * object refers to the tensor without owning it. They change back when somebody in Python asks for the tensor, or uses an object
 * that he got by a weak reference; and when the engine's last reference goes, after which the object lives as long as Python
 * refers to it. All of it happens with the GIL held.
 *
 * Objects of exactly this type come from a free list and are not tracked by the garbage collector until the user sets an
 * attribute or a hook: only then can they be part of a cycle. Objects of subclasses are always tracked. */
#include "core/binding.h"

#include <structmember.h>

enum { SPARE_MOST = 4096 };
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

/* Of exactly the Tensor type, without attributes and weak references; tracked only if it was of another class before. */
static void put_shell(kp_tensor *self)
{
    PyObject_GC_UnTrack(self);
    if (KP_LIKELY(n_spare < SPARE_MOST)) {
        self->dict = (PyObject *)spare;
        spare = self;
        n_spare++;
    } else {
        PyObject_GC_Del(self);
    }
    Py_DECREF(kp_tensor_type);
}

/* ---- the slot ---- */

static inline kp_tensor *in_slot(void *slot) { return (kp_tensor *)((uintptr_t)slot & ~(uintptr_t)1); }
static inline bool       owns_object(void *slot) { return (uintptr_t)slot & 1; } /* does the tensor? */

/* The object has lost its last reference: does the tensor, which others hold, own it from now on? If another object took its
 * place, it does not. */
static bool stays_with_tensor(kp_tensor *self)
{
    if (!self->t || !kt_is_shared(self->t) || *kt_tensor_wrapper(self->t) != self)
        return false;
    Py_SET_REFCNT((PyObject *)self, 1); /* the tensor's, which may be freed at once */
    kt_wrapper_drop(self->t, self);
    return true;
}

void kp_own(kp_tensor *self)
{
    void **slot = self->t ? kt_tensor_wrapper(self->t) : NULL;
    if (!slot || *slot != (void *)((uintptr_t)self | 1))
        return;
    kt_keep(self->t);
    *slot = self;
    Py_DECREF((PyObject *)self); /* the caller has another */
}

/* Python code may run, which finds an engine without an error. */
static void drop_object(kp_tensor *self)
{
    kt_error_state *aside = kt_error_push();
    Py_DECREF((PyObject *)self);
    kt_error_pop(aside);
}

static bool let_go(kt_tensor *t)
{
    void     **slot = kt_tensor_wrapper(t), *was = *slot;
    kp_tensor *self = in_slot(was);
    if (!owns_object(was)) { /* they changed places while this thread waited: the reference is one of several */
        kt_drop(t);
        return true;
    }
    if (KP_LIKELY(Py_REFCNT(self) == 1 && Py_IS_TYPE(self, kp_tensor_type) && !self->dict && !self->weak)) {
        *slot = NULL;
        put_shell(self);
        return false;
    }
    *slot = self;
    drop_object(self);
    return true;
}

static inline bool holds_gil(void)
{
#if PY_VERSION_HEX >= 0x030D0000
    return PyThreadState_GetUnchecked() != NULL;
#else
    PyThreadState *running = _PyThreadState_UncheckedGet(); /* before 3.12 of any thread */
    return running && running == PyGILState_GetThisThreadState();
#endif
}

/* The engine's last reference goes, on any thread. True: that reference is the binding's now. */
static bool engine_left(kt_tensor *t)
{
    if (!Py_IsInitialized())
        return false;
    if (KP_LIKELY(holds_gil()))
        return let_go(t);
    PyGILState_STATE gil = PyGILState_Ensure();
    const bool       taken = let_go(t);
    PyGILState_Release(gil);
    return taken;
}

/* ---- objects of tensors ---- */

/* The object that is in the slot is about to be freed (it waits in Python's list of what is nested deep): another one takes its
 * class and its attributes. */
static kp_tensor *successor(const kp_tensor *dying)
{
    PyTypeObject *type = Py_TYPE(dying);
    kp_tensor    *self = (kp_tensor *)(type == kp_tensor_type ? kp_new_shell() : type->tp_alloc(type, 0));
    if (self)
        self->dict = Py_XNewRef(dying->dict);
    return self;
}

static void track_if_needed(kp_tensor *self);

static PyObject *wrap_known(kt_tensor *t, void **slot)
{
    kp_tensor *known = in_slot(*slot);
    if (owns_object(*slot)) { /* the given reference becomes the object's, the tensor's one the caller's */
        *slot = known;
        return (PyObject *)known;
    }
    if (KP_LIKELY(Py_REFCNT(known) > 0)) {
        Py_INCREF(known);
        kt_drop(t);
        return (PyObject *)known;
    }
    kp_tensor *next = successor(known);
    if (!next) {
        kt_drop(t);
        return NULL;
    }
    next->t = t;
    *slot = next;
    track_if_needed(next);
    return (PyObject *)next;
}

PyObject *kp_wrap(kt_tensor *t)
{
    if (KP_UNLIKELY(!t))
        return NULL;
    void **slot = kt_tensor_wrapper(t);
    if (KP_UNLIKELY(*slot != NULL))
        return wrap_known(t, slot);
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

/* ---- the end of an object ---- */

static void give_up(PyObject *o, bool exact)
{
    kp_tensor *self = (kp_tensor *)o;
    if (stays_with_tensor(self))
        return;
    PyTypeObject *type = Py_TYPE(o);
    if (KP_UNLIKELY(!exact || self->dict))
        PyObject_GC_UnTrack(o);
    if (KP_UNLIKELY(self->weak != NULL))
        PyObject_ClearWeakRefs(o);
    if (KP_LIKELY(self->t != NULL)) {
        void **slot = kt_tensor_wrapper(self->t);
        *slot = KP_LIKELY(*slot == self) ? NULL : *slot;
    }
    if (KP_UNLIKELY(self->dict != NULL))
        Py_CLEAR(self->dict);
    kt_drop(self->t);
    if (KP_LIKELY(exact)) {
        put_shell(self);
        return;
    }
    type->tp_free(o);
    Py_DECREF(type);
}

static void clear_slots(PyObject *o, PyTypeObject *type) /* the __slots__ that the class itself has */
{
#if PY_VERSION_HEX >= 0x030C0000
    PyMemberDef *member = PyObject_GetItemData((PyObject *)type);
#else
    PyMemberDef *member = (PyMemberDef *)(void *)((char *)type + Py_TYPE(type)->tp_basicsize);
#endif
    for (Py_ssize_t i = 0; i < Py_SIZE(type); i++)
        if (member[i].type == T_OBJECT_EX && !(member[i].flags & READONLY))
            Py_CLEAR(*(PyObject **)(void *)((char *)o + member[i].offset));
}

/* __del__, and what it resurrects. True: the object lives on. */
static bool finalize(PyObject *o)
{
    PyObject_GC_Track(o);
    if (PyObject_CallFinalizerFromDealloc(o) || stays_with_tensor((kp_tensor *)o))
        return true;
    PyObject_GC_UnTrack(o);
    return false;
}

/* Of classes that are written in Python, in place of Python's own: that one has called __del__ and cleared the __slots__ before
 * it asks whether the tensor keeps the object. */
static void give_up_of_subclass(PyObject *o)
{
    if (stays_with_tensor((kp_tensor *)o))
        return;
    PyTypeObject *type = Py_TYPE(o);
    PyObject_GC_UnTrack(o);
    Py_TRASHCAN_BEGIN(o, kp_tensor_dealloc)
    if (!type->tp_finalize || !finalize(o)) {
        for (; type != kp_tensor_type; type = type->tp_base)
            clear_slots(o, type);
        give_up(o, false);
    }
    Py_TRASHCAN_END
}

/* One function for all of them: an object may become one of another class (x.__class__ = Tensor) only where it is the same. */
void kp_tensor_dealloc(PyObject *o)
{
    kp_tensor *self = (kp_tensor *)o;
    const bool exact = Py_IS_TYPE(o, kp_tensor_type);
    if (KP_LIKELY(exact && self->t && !self->dict && !self->weak)) { /* most are of this kind: in one step */
        Py_SET_REFCNT(o, 1);
        if (kt_wrapper_drop(self->t, self))
            put_shell(self);
    } else if (!exact && Py_TYPE(o)->tp_dealloc == kp_tensor_dealloc)
        give_up_of_subclass(o);
    else
        give_up(o, exact);
}

void kp_life_of_subclass(PyTypeObject *type) { type->tp_dealloc = kp_tensor_dealloc; }

/* ---- garbage collection ---- */

int kp_tensor_traverse(PyObject *o, visitproc visit, void *arg)
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
int kp_tensor_clear(PyObject *o)
{
    kp_tensor *self = (kp_tensor *)o;
    if (self->t && kt_is_shared(self->t))
        return 0;
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
        PyObject_GC_Track((PyObject *)self);
}

int kp_tensor_setattr(PyObject *o, PyObject *name, PyObject *value)
{
    const int asked = KP_UNLIKELY(kp_may_override(o)) ? kp_override_setattr(o, name, value) : 0;
    if (asked)
        return asked < 0 ? -1 : 0;
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
    const bool needed = self->dict || !Py_IS_TYPE((PyObject *)self, kp_tensor_type);
    if (needed && !PyObject_GC_IsTracked((PyObject *)self))
        PyObject_GC_Track((PyObject *)self);
    else if (!needed)
        PyObject_GC_UnTrack((PyObject *)self);
}

/* ---- two objects change tensors ---- */

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
    kp_own(a);
    kp_own(b);
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

PyObject *kp_use_count(PyObject *self, PyObject *unused)
{
    (void)unused;
    return PyLong_FromLong(kt_owner_count(kp_tensor_of(self)));
}

PyObject *kp_fix_weakref(PyObject *self, PyObject *unused)
{
    (void)self, (void)unused;
    Py_RETURN_NONE;
}

void kp_life_start(void) { kt_on_wrapper_left(engine_left); }
