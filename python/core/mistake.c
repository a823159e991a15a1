/* mistake.c - TypeErrors for arguments that fit no form, with PyTorch's texts.
 *
 * In: what bind.c found. Out: TypeErrors, and signatures as printed in them. Independent of: single operators. */
#include "core/binding.h"

static const char *kind_name(int kind)
{
    switch (kind) {
    case KP_ARG_OBJECT: return "object";
    case KP_ARG_LAYOUT: return "torch.layout";
    case KP_ARG_NO_NAME:
    case KP_ARG_NAME: return "name";
    case KP_ARG_NAMES: return "tuple of names";
    case KP_ARG_TRUTH: return "bool";
    case KP_ARG_WORD: return "str";
    case KP_ARG_ENDS: return "tuple of floats";
    case KP_ARG_OUT:
    case KP_ARG_LIKE:
    case KT_ARG_TENSOR:
    case KT_ARG_TENSOR_OR_SCALAR: return "Tensor";
    case KP_ARG_OUTS:
    case KT_ARG_TENSORS: return "tuple of Tensors";
    case KT_ARG_SCALAR: return "Number";
    case KT_ARG_SCALARS: return "tuple of Scalars";
    case KT_ARG_INT: return "int";
    case KT_ARG_INTS: return "tuple of ints";
    case KT_ARG_FLOAT: return "float";
    case KT_ARG_BOOL: return "bool";
    case KT_ARG_DTYPE: return "torch.dtype";
    case KP_ARG_CPU:
    case KT_ARG_DEVICE: return "torch.device";
    case KT_ARG_FORMAT: return "torch.memory_format";
    case KT_ARG_STRING: return "str";
    case KT_ARG_GENERATOR: return "torch.Generator";
    default: return "?";
    }
}

/* ---- signatures ---- */

/* A default of a schema as signatures print it: [0, 1] is {0,1}, 'fro' is "fro". */
static PyObject *written_default(kp_span written)
{
    char   text[64];
    size_t n = 0;
    for (int i = 0; i < written.n && n < sizeof text - 1; i++)
        if (written.text[i] != ' ')
            text[n++] = written.text[i] == '['    ? '{'
                        : written.text[i] == ']'  ? '}'
                        : written.text[i] == '\'' ? '"'
                                                  : written.text[i];
    return PyUnicode_FromStringAndSize(text, (Py_ssize_t)n);
}

/* One number stands for all of a list that it may stand for. */
static PyObject *list_text(kt_shape list, bool one_may_do)
{
    PyObject *text = PyUnicode_FromFormat(one_may_do ? "%lld" : "{%lld", (long long)list.d[0]);
    for (int64_t i = 1; i < list.n && !one_may_do && text; i++)
        PyUnicode_AppendAndDel(&text, PyUnicode_FromFormat(",%lld", (long long)list.d[i]));
    if (!one_may_do && text)
        PyUnicode_AppendAndDel(&text, PyUnicode_FromString("}"));
    return text;
}

static PyObject *default_text(const kt_arg_spec *spec)
{
    switch ((kt_arg_kind)spec->kind) {
    case KT_ARG_SCALAR:
    case KT_ARG_TENSOR_OR_SCALAR:
        if (spec->value.s.kind) {
            PyObject *number = kp_from_scalar(spec->value.s);
            PyObject *text = number ? PyObject_Repr(number) : NULL;
            Py_XDECREF(number);
            return text;
        }
        break;
    case KT_ARG_INT:
        if (!spec->optional)
            return PyUnicode_FromFormat("%lld", (long long)spec->value.i);
        break;
    case KT_ARG_FLOAT:
        if (!spec->optional) {
            PyObject *number = PyFloat_FromDouble(spec->value.f);
            PyObject *text = number ? PyObject_Repr(number) : NULL;
            Py_XDECREF(number);
            return text;
        }
        break;
    case KT_ARG_BOOL: return PyUnicode_FromString(spec->value.b ? "True" : "False");
    case KT_ARG_INTS:
        if (spec->value.ints.n > 0)
            return list_text(spec->value.ints, spec->alone);
        break;
    case KT_ARG_STRING:
        if (spec->value.str)
            return PyUnicode_FromFormat("\"%s\"", spec->value.str);
        break;
    default: break;
    }
    return PyUnicode_FromString("None");
}

static PyObject *argument_text(const kp_row_facts *form, int i, bool method)
{
    const kt_arg_spec *spec = &form->spec[i];
    const char        *name = kp_arg_name(spec, method);
    if (!spec->has_default)
        return PyUnicode_FromFormat("%s %s", kind_name(spec->kind), name);
    PyObject *value = form->defaults ? written_default(form->defaults[i]) : default_text(spec);
    if (!value)
        return NULL;
    PyObject *text = PyUnicode_FromFormat("%s %s = %U", kind_name(spec->kind), name, value);
    Py_DECREF(value);
    return text;
}

static int append(PyObject *parts, PyObject *text) /* steals text */
{
    int status = text ? PyList_Append(parts, text) : -1;
    Py_XDECREF(text);
    return status;
}

/* The pieces of a signature, "*" among them. */
static PyObject *pieces_of(const kp_row_facts *form, bool method)
{
    PyObject *parts = PyList_New(0);
    bool      star = false;
    for (int i = method ? 1 : 0; parts && i < form->n_args; i++) {
        if (form->spec[i].keyword_only == KP_UNSHOWN)
            continue;
        if ((form->spec[i].keyword_only && !star && append(parts, PyUnicode_FromString("*"))) ||
            append(parts, argument_text(form, i, method)))
            Py_CLEAR(parts);
        star = star || form->spec[i].keyword_only;
    }
    return parts;
}

static PyObject *joined(PyObject *parts, const char *before, const char *after) /* steals parts */
{
    PyObject *comma = parts ? PyUnicode_FromString(", ") : NULL;
    PyObject *list = comma ? PyUnicode_Join(comma, parts) : NULL;
    PyObject *result = list ? PyUnicode_FromFormat("%s%U%s", before, list, after) : NULL;
    Py_XDECREF(parts);
    Py_XDECREF(comma);
    Py_XDECREF(list);
    return result;
}

PyObject *kp_signature_text(const kp_row_facts *form, bool method) { return joined(pieces_of(form, method), "(", ")"); }

/* ---- one form, and what is wrong with it ---- */

static void raise_missing(const char *name, const kp_row_facts *form, bool method, const kp_mistake *m)
{
    PyObject *list = PyUnicode_FromString("");
    int       left = m->n_missing;
    for (int i = m->arg; list && left && i < form->n_args; i++) {
        const kt_arg_spec *spec = &form->spec[i];
        if (!spec->has_default) {
            Py_SETREF(list, PyUnicode_FromFormat("%U%s\"%s\"", list, left == m->n_missing ? "" : ", ",
                                                 kp_arg_name(spec, method)));
            left--;
        }
    }
    if (list)
        PyErr_Format(PyExc_TypeError, "%s() missing %d required positional argument%s: %U", name, m->n_missing,
                     m->n_missing == 1 ? "s" : "", list); /* PyTorch's plural, inverted there too */
    Py_XDECREF(list);
}

static void raise_too_many(const char *name, const kp_row_facts *form, bool method, Py_ssize_t n_given)
{
    const int n_positional = form->n_positional - method;
    int       needed = 0;
    for (int i = method; i < form->n_args; i++)
        needed += !form->spec[i].has_default;
    if (needed != n_positional) /* PyTorch counts required keyword-only parameters too */
        PyErr_Format(PyExc_TypeError, "%s() takes from %d to %d positional arguments but %zd were given", name, needed,
                     n_positional, n_given - method);
    else
        PyErr_Format(PyExc_TypeError, "%s() takes %d positional argument%s but %zd %s given", name, n_positional,
                     n_positional == 1 ? "" : "s", n_given - method, n_given - method == 1 ? "was" : "were");
}

static void raise_wrong_element(const char *name, const kt_arg_spec *spec, const char *arg, const kp_mistake *m,
                                Py_ssize_t position)
{
    const char *kind = kind_name(spec->kind), *got = ((PyTypeObject *)m->got)->tp_name;
    if (spec->kind == KT_ARG_TENSORS || spec->kind == KP_ARG_OUTS)
        PyErr_Format(PyExc_TypeError, "expected Tensor as element %zd in argument %d, but got %s", m->element, m->arg, got);
    else if (m->element > 0)
        PyErr_Format(PyExc_TypeError,
                     "%s(): argument '%s' failed to unpack the object at pos %zd with error \"type must be %s,but got %s\"",
                     name, arg, m->element + 1, kind, got);
    else if (m->position)
        PyErr_Format(PyExc_TypeError, "%s(): argument '%s' (position %zd) must be %s, but found element of type %s at pos 0",
                     name, arg, position, kind, got);
    else
        PyErr_Format(PyExc_TypeError, "%s(): argument '%s' must be %s, not list", name, arg, kind);
}

static void raise_too_large(const char *name, const char *arg, const kp_mistake *m)
{
    if (m->element == -2)
        PyErr_SetString(PyExc_OverflowError, PyObject_RichCompareBool(m->value, Py_False, Py_LT) > 0
                                                 ? "can't convert negative int to unsigned"
                                                 : "int too big to convert");
    else if (m->element == -1)
        PyErr_SetString(PyExc_ValueError, "Overflow when unpacking long long");
    else
        PyErr_Format(PyExc_TypeError,
                     "%s(): argument '%s' failed to unpack the object at pos %zd with error \"Overflow when unpacking long "
                     "long\n\"",
                     name, arg, m->element + 1);
}

/* Positions are those the user wrote: a method's self is not counted. */
void kp_raise_mistake(const char *name, const kp_row_facts *form, bool method, Py_ssize_t n_given, const kp_mistake *m)
{
    const kt_arg_spec *spec = &form->spec[m->arg >= 0 && m->arg < form->n_args ? m->arg : 0];
    const char        *arg = kp_arg_name(spec, method);
    const Py_ssize_t   position = m->position - (method ? 1 : 0);
    switch (m->what) {
    case KP_TOO_MANY: raise_too_many(name, form, method, n_given); break;
    case KP_MISSING: raise_missing(name, form, method, m); break;
    case KP_UNKNOWN: PyErr_Format(PyExc_TypeError, "%s() got an unexpected keyword argument '%U'", name, m->got); break;
    case KP_TWICE: PyErr_Format(PyExc_TypeError, "%s() got multiple values for argument '%U'", name, m->got); break;
    case KP_TOO_LARGE: raise_too_large(name, arg, m); break;
    case KP_NO_INDEX: PyErr_Format(PyExc_RuntimeError, "%s must be an 0-dim integral Tensor.", arg); break;
    case KP_HAS_DIMS:
        PyErr_Format(PyExc_RuntimeError,
                     "%s only supports 0-dimensional start and end tensors, but got %s with %lld dimension(s).", name, arg,
                     (long long)kt_ndim(kp_tensor_of(m->value)));
        break;
    case KP_WRONG_ELEMENT: raise_wrong_element(name, spec, arg, m, position); break;
    default:
        if (m->position)
            PyErr_Format(PyExc_TypeError, "%s(): argument '%s' (position %zd) must be %s, not %s", name, arg, position,
                         kind_name(spec->kind), ((PyTypeObject *)m->got)->tp_name);
        else
            PyErr_Format(PyExc_TypeError, "%s(): argument '%s' must be %s, not %s", name, arg, kind_name(spec->kind),
                         ((PyTypeObject *)m->got)->tp_name);
    }
}

/* A dim name that a tensor, or the first of a list, does not have; or names for the tensor that the call would make. */
void kp_raise_no_name(const char *function, int kind, PyObject *name, PyObject *tensor)
{
    if (kind == KP_ARG_NO_NAME) {
        PyErr_Format(PyExc_RuntimeError,
                     "%s: You passed a dimname (string) to this op in place of a dimension index but it does not yet support "
                     "this behavior. Please pass a dimension index to work around this.",
                     function);
        return;
    }
    if (PyList_Check(tensor) || PyTuple_Check(tensor)) {
        if (PySequence_Fast_GET_SIZE(tensor) == 0) {
            PyErr_SetString(PyExc_ValueError, "expected a non-empty list of Tensors");
            return;
        }
        tensor = PySequence_Fast_GET_ITEM(tensor, 0);
    }
    if (kind == KP_ARG_NAMES && !kp_is_tensor(tensor)) {
        PyErr_Format(PyExc_NotImplementedError, "torch.%s: dims have no names here", function);
        return;
    }
    PyObject *dims = PyUnicode_FromString("");
    for (int64_t i = 0; dims && kp_is_tensor(tensor) && i < kt_ndim(kp_tensor_of(tensor)); i++)
        Py_SETREF(dims, PyUnicode_FromFormat("%U%sNone", dims, i ? ", " : ""));
    if (dims && PyUnicode_IsIdentifier(name))
        PyErr_Format(PyExc_RuntimeError, "Name '%U' not found in Tensor[%U].", name, dims);
    else if (dims)
        PyErr_Format(PyExc_RuntimeError,
                     "Invalid name: a valid identifier contains only digits, alphabetical characters, and/or underscore "
                     "and starts with a non-digit. got: '%U'.",
                     name);
    Py_XDECREF(dims);
}

/* ---- none of several forms ---- */

enum { MOST_ORDERED = 13 };

typedef struct given { /* what the user wrote, without a method's self */
    PyObject *const *argv;
    Py_ssize_t       n, n_keywords;
    PyObject        *keywords;
    Py_ssize_t       order[MOST_ORDERED]; /* order in which keywords are listed */
} given;

/* MurmurHash64A, as libstdc++ uses it for strings. */
static uint64_t hash_of(const char *text, size_t n)
{
    const uint64_t factor = 0xc6a4a7935bd1e995u;
    uint64_t       hash = 0xc70f6907u ^ (n * factor), word;
    for (; n >= 8; n -= 8, text += 8) {
        memcpy(&word, text, 8);
        word *= factor;
        hash = (hash ^ (word ^ word >> 47) * factor) * factor;
    }
    if (n) {
        word = 0;
        memcpy(&word, text, n); /* little endian */
        hash = (hash ^ word) * factor;
    }
    hash = (hash ^ hash >> 47) * factor;
    return hash ^ hash >> 47;
}

/* PyTorch lists keywords in the iteration order of a hash table with 13 buckets: the first of a bucket goes to the front,
 * any other before the rest of its bucket. More than 13 are not listed. */
static given as_given(bool method, PyObject *const *argv, Py_ssize_t n, PyObject *keywords)
{
    given    g = {argv + method, n - method, keywords ? PyTuple_GET_SIZE(keywords) : 0, keywords, {0}};
    uint64_t chain[MOST_ORDERED];
    if (g.n_keywords > MOST_ORDERED)
        g.n_keywords = MOST_ORDERED;
    for (Py_ssize_t k = 0; k < g.n_keywords; k++) {
        Py_ssize_t  bytes = 0, at = 0;
        const char *name = PyUnicode_AsUTF8AndSize(PyTuple_GET_ITEM(keywords, k), &bytes);
        chain[k] = name ? hash_of(name, (size_t)bytes) % MOST_ORDERED : 0;
        while (at < k && chain[g.order[at]] != chain[k])
            at++;
        at = at < k ? at : 0;
        memmove(g.order + at + 1, g.order + at, (size_t)(k - at) * sizeof *g.order);
        g.order[at] = k;
    }
    PyErr_Clear();
    return g;
}

static PyObject *describe_given(const given *g)
{
    PyObject *list = PyUnicode_FromString("");
    for (Py_ssize_t i = 0; list && i < g->n; i++)
        Py_SETREF(list, PyUnicode_FromFormat("%U%s%s", list, i ? ", " : "", Py_TYPE(g->argv[i])->tp_name));
    for (Py_ssize_t i = 0; list && i < g->n_keywords; i++) {
        const Py_ssize_t k = g->order[i];
        Py_SETREF(list, PyUnicode_FromFormat("%U%s%U=%s%s", list, g->n ? ", " : "", PyTuple_GET_ITEM(g->keywords, k),
                                             Py_TYPE(g->argv[g->n + k])->tp_name, g->n ? "" : ", "));
    }
    return list;
}

/* "list of [int, str]" */
static PyObject *full_type(PyObject *o)
{
    const char *name = Py_TYPE(o)->tp_name;
    if (!PyList_Check(o) && !PyTuple_Check(o))
        return PyUnicode_FromString(name);
    const bool       list = PyList_Check(o);
    const Py_ssize_t n = PySequence_Fast_GET_SIZE(o);
    PyObject        *text = PyUnicode_FromFormat("%s of %s", name, list ? "[" : "(");
    for (Py_ssize_t i = 0; text && i < n; i++)
        Py_SETREF(text, PyUnicode_FromFormat("%U%s%s", text, i ? ", " : "", Py_TYPE(PySequence_Fast_GET_ITEM(o, i))->tp_name));
    if (text)
        Py_SETREF(text, PyUnicode_FromFormat("%U%s%s", text, !list && n == 1 ? "," : "", list ? "]" : ")"));
    return text;
}

/* A piece is "Type name": PyTorch compares texts, so a parameter with a default never matches. */
static PyObject *keyword_of_piece(PyObject *piece, const given *g, Py_ssize_t *at)
{
    const Py_ssize_t space = PyUnicode_FindChar(piece, ' ', 0, PyUnicode_GET_LENGTH(piece), -1);
    PyObject        *name = PyUnicode_Substring(piece, space + 1, PyUnicode_GET_LENGTH(piece)), *found = NULL;
    for (Py_ssize_t k = 0; name && k < g->n_keywords && !found; k++)
        if (PyUnicode_Compare(PyTuple_GET_ITEM(g->keywords, k), name) == 0) {
            found = PyTuple_GET_ITEM(g->keywords, k);
            *at = g->n + k;
        }
    Py_XDECREF(name);
    return found;
}

static PyObject *wrong_keywords(PyObject *pieces, const given *g)
{
    const bool counts = PyList_GET_SIZE(pieces) == g->n + g->n_keywords;
    PyObject  *wrong = PyList_New(0);
    for (Py_ssize_t k = 0; wrong && k < g->n_keywords; k++) {
        PyObject *name = PyTuple_GET_ITEM(g->keywords, g->order[k]);
        bool      known = false;
        for (Py_ssize_t i = g->n; counts && i < PyList_GET_SIZE(pieces) && !known; i++) {
            Py_ssize_t at;
            known = keyword_of_piece(PyList_GET_ITEM(pieces, i), g, &at) == name;
        }
        if (!known && PyList_Append(wrong, name))
            Py_CLEAR(wrong);
    }
    return wrong;
}

/* "(Tensor, !float!, dim1=int)": wrong types are marked. */
static PyObject *marked_types(PyObject *pieces, const given *g)
{
    PyObject *parts = PyList_New(0);
    for (Py_ssize_t i = 0; parts && i < PyList_GET_SIZE(pieces); i++) {
        PyObject  *piece = PyList_GET_ITEM(pieces, i);
        Py_ssize_t at = i;
        PyObject  *keyword = i < g->n ? NULL : keyword_of_piece(piece, g, &at);
        if (i >= g->n && !keyword)
            continue;
        const Py_ssize_t space = PyUnicode_FindChar(piece, ' ', 0, PyUnicode_GET_LENGTH(piece), -1);
        PyObject        *type = PyUnicode_Substring(piece, 0, space < 0 ? 0 : space), *got = full_type(g->argv[at]);
        const char      *mark = type && got && PyUnicode_Compare(type, got) == 0 ? "" : "!";
        PyObject        *text = !got      ? NULL
                                : keyword ? PyUnicode_FromFormat("%s%U=%U%s", mark, keyword, got, mark)
                                          : PyUnicode_FromFormat("%s%U%s", mark, got, mark);
        Py_XDECREF(type);
        Py_XDECREF(got);
        if (append(parts, text))
            Py_CLEAR(parts);
    }
    return joined(parts, "(", g->n ? ")" : ", )");
}

/* The remark on a form with as many parameters as arguments were given; "" for others. */
static PyObject *remark_on(PyObject *pieces, const given *g, const char *on_keywords, const char *on_types, const char *end)
{
    if (PyList_GET_SIZE(pieces) != g->n + g->n_keywords || (g->n + g->n_keywords == 0))
        return PyUnicode_FromString("");
    PyObject *wrong = wrong_keywords(pieces, g), *text = NULL;
    if (!wrong)
        return NULL;
    const bool keywords = PyList_GET_SIZE(wrong) > 0;
    PyObject  *what = keywords ? joined(Py_NewRef(wrong), "", "") : marked_types(pieces, g);
    if (what)
        text = PyUnicode_FromFormat("%s%U%s", keywords ? on_keywords : on_types, what, end);
    Py_XDECREF(what);
    Py_DECREF(wrong);
    return text;
}

static PyObject *pieces_or_empty(const kp_row_facts *form, bool method) /* "()" is one piece without text */
{
    PyObject *pieces = pieces_of(form, method);
    if (pieces && PyList_GET_SIZE(pieces) == 0 && append(pieces, PyUnicode_FromString("")))
        Py_CLEAR(pieces);
    return pieces;
}

static PyObject *listed(const kp_row_facts *form, bool method, const given *g)
{
    PyObject *pieces = pieces_or_empty(form, method), *signature = kp_signature_text(form, method), *text = NULL;
    PyObject *remark = pieces ? remark_on(pieces, g, "      didn't match because some of the keywords were incorrect: ",
                                          "      didn't match because some of the arguments have invalid types: ", "\n")
                              : NULL;
    if (signature && remark)
        text = PyUnicode_FromFormat(" * %U\n%U", signature, remark);
    Py_XDECREF(pieces);
    Py_XDECREF(signature);
    Py_XDECREF(remark);
    return text;
}

static void raise_the_only(const char *name, const kp_row_facts *form, bool method, const given *g)
{
    PyObject *pieces = pieces_or_empty(form, method), *signature = kp_signature_text(form, method);
    PyObject *remark = pieces ? remark_on(pieces, g, "", "", "") : NULL, *types = remark ? describe_given(g) : NULL;
    PyObject *wrong = types ? wrong_keywords(pieces, g) : NULL; /* listed even where the count is wrong */
    if (wrong && PyList_GET_SIZE(wrong)) {
        wrong = joined(wrong, "", "");
        if (wrong)
            PyErr_Format(PyExc_TypeError,
                         "%s() received an invalid combination of arguments - got unrecognized keyword arguments: %U", name,
                         wrong);
    } else if (signature && remark && types && wrong) {
        if (PyUnicode_GET_LENGTH(remark))
            PyErr_Format(PyExc_TypeError, "%s() received an invalid combination of arguments - got %U, but expected %U",
                         name, remark, signature);
        else
            PyErr_Format(PyExc_TypeError, "%s() received an invalid combination of arguments - got (%U), but expected %U",
                         name, types, signature);
    }
    Py_XDECREF(pieces);
    Py_XDECREF(signature);
    Py_XDECREF(remark);
    Py_XDECREF(types);
    Py_XDECREF(wrong);
}

static void raise_list(const char *name, const kp_row_facts *forms, int n_forms, bool method, const given *g)
{
    PyObject *types = describe_given(g), *wanted = PyUnicode_FromString("");
    for (int i = 0; wanted && i < n_forms; i++) {
        if (forms[i].deprecated)
            continue;
        PyObject *one = listed(&forms[i], method, g);
        if (one)
            Py_SETREF(wanted, PyUnicode_FromFormat("%U%U", wanted, one));
        else
            Py_CLEAR(wanted);
        Py_XDECREF(one);
    }
    if (types && wanted)
        PyErr_Format(PyExc_TypeError,
                     "%s() received an invalid combination of arguments - got (%U), but expected one of:\n%U", name,
                     types, wanted);
    Py_XDECREF(types);
    Py_XDECREF(wanted);
}

static bool takes_so_many(const kp_row_facts *form, bool method, Py_ssize_t n)
{
    int needed = 0, most = 0;
    for (int i = method; i < form->n_args; i++) {
        needed += !form->spec[i].has_default;
        most += form->spec[i].keyword_only != KP_UNSHOWN;
    }
    return n >= needed && n <= most;
}

static void raise_of_one(const char *name, const kp_row_facts *form, bool method, PyObject *const *argv, Py_ssize_t n,
                         PyObject *keywords)
{
    kp_args    a;
    kp_mistake mistake = {0};
    int        bound = kp_bind(&a, name, form, KT_PLAIN, method, argv, n, keywords, &mistake);
    if (bound > 0) {
        kp_args_free(&a);
        PyErr_Format(PyExc_TypeError, "%s(): an argument changed while the arguments were read", name);
    } else if (bound == 0) {
        kp_raise_mistake(name, form, method, n, &mistake);
    }
    kp_mistake_free(&mistake);
}

/* If exactly one form takes as many arguments as were given, its mistake is reported; else all forms are listed, as in
 * PyTorch. A method without parameters is refused in Python's words. */
void kp_raise_mistakes(const char *name, const kp_row_facts *forms, int n_forms, bool method, PyObject *const *argv,
                       Py_ssize_t n, PyObject *keywords)
{
    const given g = as_given(method, argv, n, keywords);
    int         fitting = 0, shown = 0, best = 0, last = 0;
    if (n_forms == 1 && method && forms[0].n_args == 1) {
        if (g.n_keywords)
            PyErr_Format(PyExc_TypeError, "TensorBase.%s() takes no keyword arguments", name);
        else
            PyErr_Format(PyExc_TypeError, "TensorBase.%s() takes no arguments (%zd given)", name, g.n);
        return;
    }
    if (forms[0].python) {
        kp_raise_as_python(name, &forms[0], method, n, keywords);
        if (PyErr_Occurred())
            return;
    }
    for (int i = 0; i < n_forms; i++) {
        if (forms[i].deprecated)
            continue;
        shown++;
        last = i;
        if (takes_so_many(&forms[i], method, g.n + g.n_keywords)) {
            fitting++;
            best = i;
        }
    }
    if (n_forms == 1 || fitting == 1)
        raise_of_one(name, &forms[n_forms == 1 ? 0 : best], method, argv, n, keywords);
    else if (shown == 1)
        raise_the_only(name, &forms[last], method, &g);
    else
        raise_list(name, forms, n_forms, method, &g);
}

int kp_warn_deprecated(const char *name, const kp_row_facts *forms, int n_forms, int which, bool method)
{
    PyObject *used = kp_signature_text(&forms[which], method), *others = PyUnicode_FromString("");
    for (int i = 0; others && i < n_forms; i++) {
        PyObject *one = forms[i].deprecated ? NULL : kp_signature_text(&forms[i], method);
        if (one)
            Py_SETREF(others, PyUnicode_FromFormat("%U\n\t%s%U", others, name, one));
        Py_XDECREF(one);
    }
    int status = used && others ? PyErr_WarnFormat(PyExc_UserWarning, 1,
                                                   "This overload of %s is deprecated:\n\t%s%U\nConsider using one of the "
                                                   "following signatures instead:%U",
                                                   name, name, used, others)
                                : -1;
    Py_XDECREF(used);
    Py_XDECREF(others);
    return status;
}
