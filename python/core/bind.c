/* bind.c - binds Python arguments to the arguments of a row, by a form of the function (forms.c).
 *
 * In: positionals and keywords as vectorcall gives them. Out: a kt_call ready to run, or a description of what does not
 * fit, which becomes an exception only when no other form takes the call. Independent of: single operators.
 *
 * The order of checks is PyTorch's, since it decides which mistake is reported: too many positionals, then each parameter
 * by position or keyword, then unknown keywords. What take.c deferred is an error of the chosen form. A list of integers
 * that is the only positional may be given as several integers. NumPy's names for some arguments (axis, keepdims) are
 * accepted. */
#include "core/binding.h"

static const char *const synonyms[][4] = {{"dim", "axis"}, {"keepdim", "keepdims"}, {"input", "x", "a", "x1"}, {"other", "x2"}};
enum { N_SYNONYMS = sizeof synonyms / sizeof *synonyms };

const char *kp_arg_name(const kt_arg_spec *spec, bool method)
{
    const bool tensor = spec->kind == KT_ARG_TENSOR || spec->kind == KT_ARG_TENSOR_OR_SCALAR;
    return !method && tensor && strcmp(spec->name, "self") == 0 ? "input" : spec->name;
}

/* None means the default where the schema allows it; it is also accepted for flags of factory functions and for lists like int[1]
 * that are empty by default. */
static bool may_be_none(const kp_row_facts *form, const kt_arg_spec *spec)
{
    return spec->optional || (spec->has_default && ((spec->kind == KT_ARG_INTS && spec->alone && spec->value.ints.n == 0) ||
                                                    (spec->kind == KT_ARG_BOOL && spec->keyword_only && form->device_at >= 0)));
}

/* None for a required argument of the row (sort's stable=) is zero. */
static int leave_out(kp_args *a, const kp_row_facts *form, int i)
{
    const int          at = form->at[i];
    const kt_arg_spec *wanted = at == KP_NOWHERE || !form->row ? NULL : kt_row_arg(form->row, at);
    if (wanted && !wanted->has_default && !wanted->optional) {
        a->call.arg[at] = (kt_value){0};
        a->call.given |= 1u << at;
    }
    return 1;
}

static inline int put(kp_args *a, const kp_row_facts *form, int i, Py_ssize_t position, PyObject *o, kp_mistake *m)
{
    if (o == Py_None && may_be_none(form, &form->spec[i]))
        return leave_out(a, form, i);
    m->what = KP_WRONG_TYPE;
    m->arg = i;
    m->position = position;
    m->element = -1;
    int taken = kp_take(a, form, i, o, m);
    if (taken > 0) {
        if (KP_LIKELY(form->at[i] < KP_FIRST_TARGET))
            a->call.given |= 1u << form->at[i];
        m->what = KP_FITS;
    } else if (taken == 0 && !m->unasked && !m->got) {
        m->got = Py_NewRef(Py_TYPE(o));
    }
    return taken;
}

/* ---- all of them ---- */

static bool same_name(PyObject *a, PyObject *b)
{
    return a == b || (PyUnicode_GET_LENGTH(a) == PyUnicode_GET_LENGTH(b) && PyUnicode_Compare(a, b) == 0);
}

static PyObject *with_keyword(PyObject *wanted, PyObject *const *values, PyObject *keywords, Py_ssize_t n)
{
    for (Py_ssize_t k = 0; k < n; k++)
        if (PyTuple_GET_ITEM(keywords, k) == wanted)
            return values[k];
    for (Py_ssize_t k = 0; k < n; k++)
        if (same_name(PyTuple_GET_ITEM(keywords, k), wanted))
            return values[k];
    return NULL;
}

static PyObject *with_synonym(PyObject *wanted, PyObject *const *values, PyObject *keywords, Py_ssize_t n)
{
    for (int i = 0; i < N_SYNONYMS; i++) {
        if (PyUnicode_CompareWithASCIIString(wanted, synonyms[i][0]) != 0)
            continue;
        for (int j = 1; j < 4 && synonyms[i][j]; j++)
            for (Py_ssize_t k = 0; k < n; k++)
                if (PyUnicode_CompareWithASCIIString(PyTuple_GET_ITEM(keywords, k), synonyms[i][j]) == 0)
                    return values[k];
    }
    return NULL;
}

bool kp_has_synonym(PyObject *name)
{
    for (int i = 0; i < N_SYNONYMS; i++)
        if (PyUnicode_CompareWithASCIIString(name, synonyms[i][0]) == 0)
            return true;
    return false;
}

/* As PyTorch counts: all required parameters from there on. */
static int tell_missing(const kp_row_facts *form, int first, kp_mistake *m)
{
    *m = (kp_mistake){.what = KP_MISSING, .arg = first};
    for (int i = first; i < form->n_args; i++)
        m->n_missing += !form->spec[i].has_default;
    return 0;
}

/* A keyword that no parameter took: unknown, or already given by position. */
static int tell_superfluous(const kp_row_facts *form, Py_ssize_t n, bool method, PyObject *keywords, kp_mistake *m)
{
    PyObject *first = NULL;
    for (Py_ssize_t k = 0; k < PyTuple_GET_SIZE(keywords); k++) {
        PyObject *name = PyTuple_GET_ITEM(keywords, k);
        int       known = -1;
        for (int i = method; i < form->n_args && known < 0; i++)
            known = same_name(form->name[i], name) ? i : -1;
        if (known >= 0 && (known >= form->n_positional || known >= n))
            continue;
        if (known >= 0 || !first) {
            first = name;
            kp_mistake_free(m);
            *m = (kp_mistake){.what = known < 0 ? KP_UNKNOWN : KP_TWICE, .arg = known, .got = Py_NewRef(name)};
            bool synonym = false;
            for (int i = 0; known < 0 && i < N_SYNONYMS; i++)
                for (int j = 1; j < 4 && synonyms[i][j]; j++)
                    synonym = synonym || PyUnicode_CompareWithASCIIString(name, synonyms[i][j]) == 0;
            if (!synonym)
                return 0;
        }
    }
    return 0;
}

static int bind_all(kp_args *a, const kp_row_facts *form, bool method, PyObject *const *argv, Py_ssize_t n,
                    PyObject *keywords, kp_mistake *m)
{
    const Py_ssize_t n_keywords = keywords ? PyTuple_GET_SIZE(keywords) : 0;
    Py_ssize_t       at = 0, used = 0;
    if (n > form->n_positional && !form->spread) {
        m->what = KP_TOO_MANY;
        return 0;
    }
    for (int i = 0; i < form->n_args; i++) {
        PyObject  *o = NULL;
        Py_ssize_t position = 0;
        if (at < n && i < form->n_positional) {
            o = argv[at++];
            position = at;
        } else if (used < n_keywords) {
            o = with_keyword(form->name[i], argv + n, keywords, n_keywords);
            if (!o && form->known >> i & 1)
                o = with_synonym(form->name[i], argv + n, keywords, n_keywords);
            used += o != NULL;
        }
        if (!o && form->spec[i].has_default)
            continue;
        if (!o)
            return m->unasked ? 0 : tell_missing(form, i, m);
        if (form->spread && i == method && position) {
            if (kp_is_index(o)) {
                m->arg = i;
                m->position = position;
                kt_shape list;
                int      taken = kp_take_ints(a, argv + i, n - i, &list, m);
                if (taken <= 0) {
                    m->what = KP_WRONG_TYPE;
                    return taken;
                }
                if (form->at[i] != KP_NOWHERE) {
                    a->call.arg[form->at[i]].ints = list;
                    a->call.given |= 1u << form->at[i];
                }
                at = n;
                continue;
            }
            if (n > form->n_positional) {
                m->what = KP_TOO_MANY;
                return 0;
            }
        }
        int taken = put(a, form, i, position, o, m);
        if (taken <= 0)
            return taken;
    }
    if (KP_LIKELY(used == n_keywords))
        return 1;
    return m->unasked ? 0 : tell_superfluous(form, n, method, keywords, m);
}

/* Numbers where the row takes tensors: converted with the weak dtype they have beside the first tensor. */
static int make_tensors(kp_args *a, const kp_row_facts *form)
{
    const kt_tensor *beside = NULL;
    for (int i = 0; i < form->n_args && !beside; i++) {
        const int at = form->at[i];
        if (at != KP_NOWHERE && (a->call.given >> at & 1) && !((a->numbers | a->call.scalars) >> at & 1) &&
            (form->spec[i].kind == KT_ARG_TENSOR || form->spec[i].kind == KT_ARG_TENSOR_OR_SCALAR))
            beside = a->call.arg[at].t;
    }
    for (int at = 0; at < KT_MAX_ARGS; at++) {
        if (!(a->numbers >> at & 1))
            continue;
        PyObject *t = kp_number_as_tensor(a->call.arg[at].s, beside);
        if (!t)
            return -1;
        a->held[a->n_held++] = t;
        a->call.arg[at].t = kp_tensor_of(t);
    }
    return 1;
}

static int complete(kp_args *a, const char *name, const kp_row_facts *form, bool method, PyObject *const *argv, Py_ssize_t n)
{
    if (KP_UNLIKELY(a->late.what)) {
        if (a->late.what == KP_NO_NAME)
            kp_raise_no_name(name, form->spec[a->late.arg].kind, a->late.value, n ? argv[0] : a->late.value);
        else
            kp_raise_mistake(name, form, method, n, &a->late);
        return -1;
    }
    if (KP_UNLIKELY(form->zeros)) {
        for (int at = 0; at < KT_MAX_ARGS; at++)
            if (form->zeros >> at & 1)
                a->call.arg[at].s = KT_INT(0);
        a->call.given |= form->zeros;
    }
    return KP_UNLIKELY(a->numbers) ? make_tensors(a, form) : 1;
}

int kp_complete(kp_args *a, const char *name, const kp_row_facts *form, PyObject *const *argv, Py_ssize_t n)
{
    return complete(a, name, form, false, argv, n);
}

int kp_bind(kp_args *a, const char *name, const kp_row_facts *form, kt_form as, bool method, PyObject *const *argv,
            Py_ssize_t n, PyObject *keywords, kp_mistake *mistake)
{
    if (KP_LIKELY(form->row != NULL))
        kt_call_begin(&a->call, form->row, as);
    else
        a->call.given = a->call.scalars = 0;
    a->work = 0;
    a->n_held = a->n_owned = a->pool_used = 0;
    a->numbers = 0;
    a->method = method;
    a->into = NULL;
    a->pins = false;
    a->late.what = KP_FITS;
    mistake->what = KP_FITS;
    int bound = bind_all(a, form, method, argv, n, keywords, mistake);
    if (bound > 0)
        bound = complete(a, name, form, method, argv, n);
    if (bound <= 0)
        kp_args_free(a);
    return bound;
}
