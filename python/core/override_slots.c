/* override_slots.c - what Python itself asks of a tensor (an index, len, bool, a number, its text, `in`, +t) asks for
 * __torch_function__ before it runs.
 *
 * In: the slots of Tensor's type before it is made. Out: the same slots with ours before them. The function that a class is given
 * is the method of Tensor for that slot, which runs the slot when no class is asked. Plain tensors pay one type check.
 * Independent of: what the slots do. */
#include "core/binding.h"

static PyObject *methods_own(const char *name) { return PyDict_GetItemString(kp_tensor_type->tp_dict, name); }

/* 1: *answer is the result or NULL with an exception. */
static int ask(const char *name, PyObject *const *argv, Py_ssize_t n, PyObject **answer)
{
    return KP_UNLIKELY(kp_any_may_override(argv, n)) && kp_override_call(name, true, methods_own(name), argv, n, NULL, answer);
}

/* The answer as a truth, a length, or that it was given. Steals it. */
static int as_truth(PyObject *answer)
{
    const int truth = answer ? PyObject_IsTrue(answer) : -1;
    Py_XDECREF(answer);
    return truth;
}

static int as_bool(PyObject *answer)
{
    if (answer && !PyBool_Check(answer)) {
        PyErr_Format(PyExc_TypeError, "__bool__ should return bool, returned %s", Py_TYPE(answer)->tp_name);
        Py_CLEAR(answer);
    }
    return as_truth(answer);
}

static Py_ssize_t as_length(PyObject *answer)
{
    Py_ssize_t length = answer ? PyNumber_AsSsize_t(answer, PyExc_OverflowError) : -1;
    Py_XDECREF(answer);
    if (length < 0 && !PyErr_Occurred())
        PyErr_SetString(PyExc_ValueError, "__len__() should return >= 0");
    return length;
}

/* ---- one argument: a slot, the method that a class is given, the type of the result, how an answer becomes it ---- */

#define AS_IT_IS
#define SLOTS(X)                                                              \
    X(mp_length, lenfunc, Py_ssize_t, "__len__", as_length)                   \
    X(sq_length, lenfunc, Py_ssize_t, "__len__", as_length)                   \
    X(nb_bool, inquiry, int, "__bool__", as_bool)                             \
    X(nb_float, unaryfunc, PyObject *, "__float__", AS_IT_IS)                 \
    X(nb_int, unaryfunc, PyObject *, "__int__", AS_IT_IS)                     \
    X(nb_index, unaryfunc, PyObject *, "__index__", AS_IT_IS)                 \
    X(nb_positive, unaryfunc, PyObject *, "positive", AS_IT_IS)               \
    X(tp_repr, reprfunc, PyObject *, "__repr__", AS_IT_IS)

#define X(slot, kind, type, name, convert)                                    \
    static kind own_##slot;                                                   \
    static type asking_##slot(PyObject *self)                                 \
    {                                                                         \
        PyObject *answer;                                                     \
        return ask(name, &self, 1, &answer) ? convert(answer) : own_##slot(self); \
    }
SLOTS(X)
#undef X

/* ---- keys and elements ---- */

static binaryfunc    own_subscript;
static objobjargproc own_assign;
static objobjproc    own_contains;
static getiterfunc   own_iterate;

static PyObject *asking_subscript(PyObject *self, PyObject *key)
{
    PyObject *argv[2] = {self, key}, *answer;
    return ask("__getitem__", argv, 2, &answer) ? answer : own_subscript(self, key);
}

static int asking_assign(PyObject *self, PyObject *key, PyObject *value)
{
    PyObject *argv[3] = {self, key, value}, *answer;
    if (!value || !ask("__setitem__", argv, 3, &answer))
        return own_assign(self, key, value);
    Py_XDECREF(answer);
    return answer ? 0 : -1;
}

static int asking_contains(PyObject *self, PyObject *element)
{
    PyObject *argv[2] = {self, element}, *answer;
    return kp_may_override(self) && ask("__contains__", argv, 2, &answer) ? as_truth(answer) : own_contains(self, element);
}

static PyObject *asking_iterate(PyObject *self)
{
    if (!kp_may_override(self) || kt_ndim(kp_tensor_of(self)) == 0)
        return own_iterate(self);
    PyObject *items = PyObject_CallMethod(self, "unbind", "i", 0), *all = items ? PyObject_GetIter(items) : NULL;
    Py_XDECREF(items);
    return all;
}

#define PUT(kind, own, asking)           \
    do {                                 \
        own = (kind)slots[i].pfunc;      \
        slots[i].pfunc = (void *)asking; \
    } while (0)

void kp_override_slots(PyType_Slot *slots, int n)
{
    for (int i = 0; i < n; i++)
        switch (slots[i].slot) {
#define X(slot, kind, type, name, convert)             \
    case Py_##slot:                                    \
        PUT(kind, own_##slot, asking_##slot); \
        break;
            SLOTS(X)
#undef X
        case Py_mp_subscript: PUT(binaryfunc, own_subscript, asking_subscript); break;
        case Py_mp_ass_subscript: PUT(objobjargproc, own_assign, asking_assign); break;
        case Py_sq_contains: PUT(objobjproc, own_contains, asking_contains); break;
        case Py_tp_iter: PUT(getiterfunc, own_iterate, asking_iterate); break;
        default: break;
        }
}
