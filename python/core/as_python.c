/* as_python.c - too many, too few or unknown arguments, in Python's own words: functions that PyTorch writes in Python
 * raise these.
 *
 * In: a form and what was given. Out: a TypeError, or none where the count is right. Independent of: single operators. */
#include "core/binding.h"

static void raise_missing(const char *of, const char *name, const kp_row_facts *form, Py_ssize_t n, PyObject *keywords)
{
    PyObject *list = PyUnicode_FromString("");
    int       missing[KP_MOST_PARAMETERS], count = 0;
    for (int i = (int)n; i < form->n_args; i++)
        if (!form->spec[i].has_default && !(keywords && PySequence_Contains(keywords, form->name[i]) > 0))
            missing[count++] = i;
    for (int i = 0; list && i < count; i++) { /* 'a', 'b', and 'c' */
        const char *between = i == 0 ? "" : i < count - 1 ? ", " : count == 2 ? " and " : ", and ";
        Py_SETREF(list, PyUnicode_FromFormat("%U%s'%U'", list, between, form->name[missing[i]]));
    }
    if (list && count)
        PyErr_Format(PyExc_TypeError, "%s%s() missing %d required positional argument%s: %U", of, name, count,
                     count == 1 ? "" : "s", list);
    Py_XDECREF(list);
}

/* Unknown names first, then too many, then too few: Python's order. */
void kp_raise_as_python(const char *name, const kp_row_facts *form, bool method, Py_ssize_t n, PyObject *keywords)
{
    const char *of = method ? "Tensor." : "";
    int         needed = 0;
    for (int i = 0; i < form->n_positional; i++)
        needed += !form->spec[i].has_default;
    for (Py_ssize_t k = 0; keywords && k < PyTuple_GET_SIZE(keywords); k++) {
        PyObject *keyword = PyTuple_GET_ITEM(keywords, k);
        int       at = 0;
        while (at < form->n_args && PyUnicode_Compare(form->name[at], keyword) != 0)
            at++;
        if (at < form->n_args && at >= n)
            continue;
        PyErr_Format(PyExc_TypeError, at < form->n_args ? "%s%s() got multiple values for argument '%U'"
                                                        : "%s%s() got an unexpected keyword argument '%U'",
                     of, name, keyword);
        return;
    }
    if (n <= form->n_positional)
        raise_missing(of, name, form, n, keywords);
    else if (needed < form->n_positional)
        PyErr_Format(PyExc_TypeError, "%s%s() takes from %d to %d positional arguments but %zd were given", of, name, needed,
                     form->n_positional, n);
    else
        PyErr_Format(PyExc_TypeError, "%s%s() takes %d positional argument%s but %zd were given", of, name, form->n_positional,
                     form->n_positional == 1 ? "" : "s", n);
}
