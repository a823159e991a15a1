/* parse.c - arguments of functions that are no rows (karat.tensor, result_type, finfo ...): the same binder, on a
 * signature written down here in C, so that they take and refuse arguments in the same words.
 *
 * In: what vectorcall gives, a signature. Out: values by position. Must not know: what the functions do. */
#include "binding.h"

static void start(kp_signature *s)
{
    s->facts = (kp_row_facts){.spec = s->spec, .device_at = -1};
    while (s->spec[s->facts.n_args].name) {
        s->facts.n_positional += !s->spec[s->facts.n_args].keyword_only;
        s->facts.n_args++;
    }
}

int kp_parse(kp_args *a, kp_signature *s, bool method, PyObject *const *argv, Py_ssize_t n, PyObject *keywords)
{
    kp_mistake mistake = {0};
    if (!s->facts.spec)
        start(s);
    int bound = kp_bind(a, &s->facts, KT_PLAIN, method, argv, n, keywords, &mistake);
    if (!bound)
        kp_raise_mistake(s->name, &s->facts, method, n, &mistake);
    return bound > 0 ? 0 : -1;
}

int kp_parse_any(kp_args *a, kp_signature *overloads, int n_overloads, PyObject *const *argv, Py_ssize_t n,
                 PyObject *keywords)
{
    const kp_row_facts *rows[8];
    kp_mistake          mistake = {0};
    for (int i = 0; i < n_overloads; i++) {
        if (!overloads[i].facts.spec)
            start(&overloads[i]);
        rows[i] = &overloads[i].facts;
        int bound = kp_bind(a, rows[i], KT_PLAIN, false, argv, n, keywords, &mistake);
        if (bound)
            return bound > 0 ? i : -1;
    }
    kp_raise_no_overload(overloads[0].name, rows, n_overloads, false, argv, n, keywords);
    return -1;
}

void kp_refuse_all(kp_signature *overloads, int n_overloads, PyObject *const *argv, Py_ssize_t n, PyObject *keywords)
{
    const kp_row_facts *rows[8];
    for (int i = 0; i < n_overloads; i++) {
        if (!overloads[i].facts.spec)
            start(&overloads[i]);
        rows[i] = &overloads[i].facts;
    }
    kp_raise_no_overload(overloads[0].name, rows, n_overloads, false, argv, n, keywords);
}
