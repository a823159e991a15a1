/* tensor.c - the Tensor type: made of the slots of several files. In: the arguments of Tensor(...). Out: the type, tensors as
 * text. Independent of: operators, who owns an object (life.c). */
#include "core/binding.h"

#include <structmember.h>

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
    {Py_tp_dealloc, kp_tensor_dealloc},
    {Py_tp_traverse, kp_tensor_traverse},
    {Py_tp_clear, kp_tensor_clear},
    {Py_tp_setattro, kp_tensor_setattr},
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
    kp_life_start();
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
