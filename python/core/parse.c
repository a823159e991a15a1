/* parse.c - arguments of functions that are not rows (karat.tensor, result_type, finfo ...): the same binder on a
 * signature in C, so that they accept arguments alike and raise the same errors.
 *
 * In: what vectorcall gives, a signature. Out: values by position. Independent of: what the functions do. */
#include "core/binding.h"

static const uint8_t in_order[KP_MOST_PARAMETERS] = {0,  1,  2,  3,  4,  5,  6,  7,  8,  9,  10, 11,
                                                      12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23};

static int start(kp_signature *s)
{
    kp_row_facts facts = {.spec = s->spec, .name = s->names, .at = in_order, .device_at = -1, .pin_at = -1};
    for (int i = 0; s->spec[i].name; i++) {
        s->names[i] = PyUnicode_InternFromString(s->spec[i].name);
        if (!s->names[i])
            return -1;
        s->spec[i].has_default |= s->spec[i].optional;
        facts.n_positional += !s->spec[i].keyword_only;
        facts.known |= (uint32_t)kp_has_synonym(s->names[i]) << i;
        facts.n_args++;
    }
    facts.spread = facts.n_positional == 1 && s->spec[0].kind == KT_ARG_INTS;
    s->facts = facts;
    return 0;
}

int kp_parse(kp_args *a, kp_signature *s, bool method, PyObject *const *argv, Py_ssize_t n, PyObject *keywords)
{
    kp_mistake mistake = {0};
    if (!s->facts.spec && start(s))
        return -1;
    int bound = kp_bind(a, s->name, &s->facts, KT_PLAIN, method, argv, n, keywords, &mistake);
    if (!bound)
        kp_raise_mistake(s->name, &s->facts, method, n, &mistake);
    if (bound <= 0)
        kp_tell(s->name, &s->facts, argv, n);
    kp_mistake_free(&mistake);
    return bound > 0 ? 0 : -1;
}

static int parse_any(kp_args *a, kp_signature *overloads, int n_overloads, bool method, PyObject *const *argv, Py_ssize_t n,
                     PyObject *keywords)
{
    kp_row_facts forms[8];
    kp_mistake   mistake = {.unasked = true};
    for (int i = 0; i < n_overloads; i++) {
        if (!overloads[i].facts.spec && start(&overloads[i]))
            return -1;
        forms[i] = overloads[i].facts;
        int bound = kp_bind(a, overloads[i].name, &forms[i], KT_PLAIN, method, argv, n, keywords, &mistake);
        if (bound < 0)
            kp_tell(overloads[i].name, &forms[i], argv, n);
        if (bound)
            return bound > 0 ? i : -1;
    }
    kp_raise_mistakes(overloads[0].name, forms, n_overloads, method, argv, n, keywords);
    kp_tell(overloads[0].name, forms, argv, n);
    return -1;
}

int kp_parse_any(kp_args *a, kp_signature *overloads, int n_overloads, PyObject *const *argv, Py_ssize_t n,
                 PyObject *keywords)
{
    return parse_any(a, overloads, n_overloads, false, argv, n, keywords);
}

int kp_parse_method(kp_args *a, kp_signature *overloads, int n_overloads, PyObject *self, PyObject *const *argv, Py_ssize_t n,
                    PyObject *keywords)
{
    const Py_ssize_t given = n + (keywords ? PyTuple_GET_SIZE(keywords) : 0);
    PyObject        *few[8], **all = given < 8 ? few : PyMem_Malloc((size_t)(given + 1) * sizeof *all);
    if (!all) {
        PyErr_NoMemory();
        return -1;
    }
    all[0] = self;
    memcpy(all + 1, argv, (size_t)given * sizeof *all);
    int which = parse_any(a, overloads, n_overloads, true, all, n + 1, keywords);
    if (all != few)
        PyMem_Free(all);
    return which;
}

PyObject *kp_flattened(PyObject *args, PyObject *keywords, PyObject ***all)
{
    const Py_ssize_t n = PyTuple_GET_SIZE(args), k = keywords ? PyDict_GET_SIZE(keywords) : 0;
    PyObject        *names = PyTuple_New(k), *key, *value;
    Py_ssize_t       at = 0;
    *all = PyMem_New(PyObject *, n + k + 1);
    if (!*all)
        PyErr_NoMemory();
    if (!names || !*all) {
        Py_XDECREF(names);
        return NULL;
    }
    memcpy(*all, ((PyTupleObject *)args)->ob_item, (size_t)n * sizeof **all);
    for (Py_ssize_t i = 0; i < k && PyDict_Next(keywords, &at, &key, &value); i++) {
        PyTuple_SET_ITEM(names, i, Py_NewRef(key));
        (*all)[n + i] = value;
    }
    return names;
}

int kp_parse_new(kp_args *a, kp_signature *s, PyObject *args, PyObject *keywords)
{
    PyObject **all, *names = kp_flattened(args, keywords, &all);
    const int  status = names ? kp_parse(a, s, false, all, PyTuple_GET_SIZE(args), names) : -1;
    PyMem_Free(all);
    Py_XDECREF(names);
    return status;
}
