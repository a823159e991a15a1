/* operator.c - one overload of torch.ops: a schema, the row that serves it, and how its arguments are bound.
 *
 * In: a schema in PyTorch's words, of an appended row or of tables/aten.def. Out: an object that is called. torch.ops binds more
 * strictly than the functions of torch do, and reports mistakes with the schema; the texts are PyTorch's. Independent of: single
 * operators, and who made a row. */
#include "core/binding.h"
#include "tables/schema.h"

#include <karat/plugin/operator.h>

typedef struct kp_operator {
    PyObject_HEAD
    vectorcallfunc vectorcall;
    PyObject      *said;   /* the schema: "aten::add.Tensor(Tensor self, ...) -> Tensor" */
    PyObject      *name;   /* "aten::add" */
    PyObject      *face;   /* borrowed: what __torch_function__ is shown, an OpOverload, which owns this; NULL: this */
    kp_row_facts  *form;   /* form->row is the row */
    kt_form        as;
    bool           appended;
    bool           ruled;  /* has `face` a rule of the user's for vmap? */
    PyObject      *type[KP_MOST_PARAMETERS]; /* of each argument, as messages say it: "Optional[List[int]]" */
    PyObject      *instead[KP_MOST_PARAMETERS]; /* a default that the row does not have, or has in another way; or NULL */
} kp_operator;

/* ---- texts ---- */

static PyObject *span_text(schema_span s) { return PyUnicode_FromStringAndSize(s.s ? s.s : "", s.s ? s.n : 0); }

static PyObject *type_text(const schema_arg *a)
{
    static const char *const words[][2] = {{"Tensor[]", "List[Tensor]"}, {"Tensor?[]", "List[Optional[Tensor]]"},
                                           {"int[]", "List[int]"}, {"float[]", "List[float]"}, {"bool[]", "List[bool]"},
                                           {"Scalar[]", "List[number]"}, {"Scalar", "number"}, {"ScalarType", "int"},
                                           {"MemoryFormat", "int"}, {"Layout", "int"}};
    PyObject *text = NULL;
    for (size_t i = 0; i < sizeof words / sizeof *words && !text; i++)
        if (schema_is(a->type, words[i][0]))
            text = PyUnicode_FromString(words[i][1]);
    if (!text && !PyErr_Occurred())
        text = span_text(a->type);
    if (text && a->optional)
        Py_SETREF(text, PyUnicode_FromFormat("Optional[%U]", text));
    return text;
}

/* Why an object was not taken: the last line. Of a list, its first element that does not fit. */
static PyObject *details(const kt_arg_spec *spec, PyObject *o)
{
    if (spec->kind == KT_ARG_TENSOR || spec->kind == KT_ARG_TENSOR_OR_SCALAR || spec->kind == KP_ARG_OUT)
        return PyUnicode_FromFormat("Cast error details: Unable to cast %S to Tensor", o);
    if (spec->kind == KT_ARG_SCALAR)
        return PyUnicode_FromFormat("Cast error details: Cannot cast %S to number", o);
    const bool list = PyList_Check(o) || PyTuple_Check(o);
    if (spec->kind == KT_ARG_INTS && !list && !spec->alone)
        return PyUnicode_FromFormat(" Python error details: TypeError: '%s' object is not iterable", Py_TYPE(o)->tp_name);
    PyObject *what = (PyObject *)Py_TYPE(o);
    for (Py_ssize_t i = 0; spec->kind == KT_ARG_INTS && list && i < PySequence_Fast_GET_SIZE(o); i++) {
        PyObject *one = PySequence_Fast_GET_ITEM(o, i);
        if (!PyIndex_Check(one)) {
            what = (PyObject *)Py_TYPE(one);
            break;
        }
    }
    return PyUnicode_FromFormat("Cast error details: Unable to cast Python instance of type %R to C++ type '?' (#define "
                                "PYBIND11_DETAILED_ERROR_MESSAGES or compile in debug mode for details)",
                                what);
}

static PyObject *short_name(PyObject *o) { return PyObject_GetAttrString((PyObject *)Py_TYPE(o), "__name__"); }

static int raise_wrong_type(const kp_operator *f, int i, PyObject *o)
{
    PyObject *why = details(&f->form->spec[i], o), *found = why ? short_name(o) : NULL;
    if (found)
        PyErr_Format(PyExc_RuntimeError,
                     "%U() Expected a value of type '%U' for argument '%U' but instead found type '%U'.\nPosition: %d\nValue: "
                     "%R\nDeclaration: %U\n%U",
                     f->name, f->type[i], f->form->name[i], found, i, o, f->said, why);
    Py_XDECREF(why);
    Py_XDECREF(found);
    return 0;
}

/* ---- binding ---- */

static bool all_tensors(PyObject *o, bool holes)
{
    if (!PyList_Check(o) && !PyTuple_Check(o))
        return false;
    for (Py_ssize_t i = 0; i < PySequence_Fast_GET_SIZE(o); i++) {
        PyObject *one = PySequence_Fast_GET_ITEM(o, i);
        if (!kp_is_tensor(one) && !(holes && one == Py_None))
            return false;
    }
    return true;
}

/* Where torch.ops is stricter or wider than a function of torch. */
static bool may_be(const kt_arg_spec *spec, PyObject *o)
{
    switch (spec->kind) {
    case KT_ARG_SCALAR: return !kp_is_tensor(o);
    case KT_ARG_TENSORS: return all_tensors(o, spec->holes);
    case KT_ARG_DEVICE: return !PyLong_Check(o);
    default: return true;
    }
}

/* 1: taken; 0: an error about the arguments is raised; -1: another one. */
static int take(const kp_operator *f, kp_args *a, int i, PyObject *o)
{
    const kt_arg_spec *spec = &f->form->spec[i];
    kp_mistake         mistake = {.unasked = true, .arg = i, .element = -1};
    if (o == Py_None && spec->optional)
        return 1;
    PyObject *number = spec->kind == KT_ARG_INT && PyBool_Check(o)   ? PyLong_FromLong(o == Py_True)
                       : spec->kind == KT_ARG_BOOL && PyLong_Check(o) ? PyBool_FromLong(PyObject_IsTrue(o))
                                                                      : Py_NewRef(o);
    if (!number)
        return -1;
    int taken = may_be(spec, number) ? kp_take(a, f->form, i, number, &mistake) : 0;
    Py_DECREF(number);
    kp_mistake_free(&mistake);
    const bool later = a->late.what == KP_HAS_DIMS || a->late.what == KP_NO_INDEX; /* an error of the operator */
    if (taken > 0 && (!a->late.what || later)) {
        if (f->form->at[i] < KP_FIRST_TARGET)
            a->call.given |= 1u << f->form->at[i];
        return 1;
    }
    if (taken < 0 && (spec->kind == KT_ARG_DEVICE || !PyErr_ExceptionMatches(PyExc_TypeError)))
        return -1; /* no such device, for example */
    PyErr_Clear();
    return raise_wrong_type(f, i, o);
}

static int find_keyword(const kp_operator *f, PyObject *keyword)
{
    for (int i = 0; i < f->form->n_args; i++)
        if (f->form->name[i] == keyword || PyUnicode_Compare(f->form->name[i], keyword) == 0)
            return i;
    return -1;
}

static int check_keywords(const kp_operator *f, Py_ssize_t n, PyObject *keywords)
{
    for (Py_ssize_t k = 0; keywords && k < PyTuple_GET_SIZE(keywords); k++) {
        PyObject *keyword = PyTuple_GET_ITEM(keywords, k);
        const int i = find_keyword(f, keyword);
        if (i >= 0 && i >= n)
            continue;
        if (i < 0)
            PyErr_Format(PyExc_RuntimeError, "Unknown keyword argument '%U' for operator '%U'. Schema: %U", keyword, f->name,
                         f->said);
        else
            PyErr_Format(PyExc_RuntimeError, "Argument '%U' specified both as positional and keyword argument. Schema: %U",
                         keyword, f->said);
        return 0;
    }
    return 1;
}

static int bind_all(const kp_operator *f, kp_args *a, PyObject *const *argv, Py_ssize_t n, PyObject *keywords)
{
    const kp_row_facts *form = f->form;
    const Py_ssize_t    all = n + (keywords ? PyTuple_GET_SIZE(keywords) : 0);
    if (all > form->n_args) {
        PyErr_Format(PyExc_RuntimeError, "%U() expected at most %d argument(s) but received %zd argument(s). Declaration: %U",
                     f->name, form->n_args, all, f->said);
        return 0;
    }
    if (n > form->n_positional) {
        PyErr_Format(PyExc_RuntimeError, "%U() takes %d positional argument(s) but %zd was/were given.  Declaration: %U", f->name,
                     form->n_positional, n, f->said);
        return 0;
    }
    for (int i = 0; i < form->n_args; i++) {
        PyObject *o = i < n ? argv[i] : NULL;
        for (Py_ssize_t k = n; !o && k < all; k++)
            o = find_keyword(f, PyTuple_GET_ITEM(keywords, k - n)) == i ? argv[k] : NULL;
        o = o ? o : f->instead[i];
        if (o) {
            const int taken = take(f, a, i, o);
            if (taken <= 0)
                return taken;
        } else if (!form->spec[i].has_default) {
            PyErr_Format(PyExc_RuntimeError, "%U() is missing value for argument '%U'. Declaration: %U", f->name, form->name[i],
                         f->said);
            return 0;
        }
    }
    return check_keywords(f, n, keywords);
}

static int bind(const kp_operator *f, kp_args *a, PyObject *const *argv, Py_ssize_t n, PyObject *keywords)
{
    kt_call_begin(&a->call, f->form->row, f->as);
    a->work = 0;
    a->n_held = a->n_owned = a->pool_used = 0;
    a->numbers = 0;
    a->method = false;
    a->into = NULL;
    a->pins = false;
    a->late.what = KP_FITS;
    int bound = bind_all(f, a, argv, n, keywords);
    if (bound > 0)
        bound = kp_complete(a, kt_row_name(f->form->row), f->form, argv, n);
    if (bound <= 0)
        kp_args_free(a);
    return bound;
}

/* ---- results ---- */

static PyObject *number_of(kt_tensor *t, int kind) /* steals the reference */
{
    const kt_scalar s = kp_item(t);
    kt_drop(t);
    if (!s.kind)
        return kp_raise();
    return kind == KT_ARG_FLOAT && s.kind == KT_SCALAR_INT ? PyFloat_FromDouble((double)s.v.i) : kp_from_scalar(s);
}

static PyObject *string_of(kt_tensor *t) /* steals the reference */
{
    PyObject *text = PyUnicode_DecodeUTF8(kt_data(t), kt_numel(t), NULL);
    kt_drop(t);
    return text;
}

static PyObject *result_at(kt_call *call, int i)
{
    const int kind = kt_row_result_kind(call->row, i);
    if (!call->out[i])
        Py_RETURN_NONE;
    return kind == KT_ARG_TENSOR ? kp_wrap(call->out[i])
           : kind == KT_ARG_STRING  ? string_of(call->out[i])
                                 : number_of(call->out[i], kind);
}

static PyObject *results_of(kt_call *call)
{
    const int n = call->n_out;
    if (kt_row_result_kind(call->row, 0) == KT_ARG_TENSORS) {
        PyObject *tuple = kp_call_results(call, NULL);
        PyObject *list = tuple && tuple != Py_None ? PySequence_List(tuple) : Py_XNewRef(tuple);
        Py_XDECREF(tuple);
        return list;
    }
    if (n == 0)
        Py_RETURN_NONE;
    if (n == 1)
        return result_at(call, 0);
    PyObject *all = PyTuple_New(n);
    for (int i = 0; i < n; i++) { /* each is taken over, even after an exception */
        PyObject *one = result_at(call, i);
        if (all && one) {
            PyTuple_SET_ITEM(all, i, one);
        } else {
            Py_XDECREF(one);
            Py_CLEAR(all);
        }
    }
    return all;
}

static PyObject *store(const kt_row *row, PyObject *out, PyObject *made) /* steals `made` */
{
    const bool fits = made && kp_is_tensor(made) && kp_wait_for(kp_tensor_of(out)) == 0;
    if (fits && kp_say_warnings(NULL, kt_store(row, kp_tensor_of(out), kp_tensor_of(made))) == KT_OK) {
        Py_DECREF(made);
        return Py_NewRef(out);
    }
    Py_XDECREF(made);
    return PyErr_Occurred() ? NULL : kp_raise();
}

static PyObject *run(const kp_operator *f, kp_args *a)
{
    const kt_row   *row = f->form->row;
    const kt_status status = kp_run(&a->call, !f->appended && a->work > KP_LARGE_NUMEL);
    kp_args_free(a);
    PyObject *result = status ? kp_raise() : results_of(&a->call);
    return KP_LIKELY(!a->into) ? result : store(row, a->into, result);
}

/* ---- calls ---- */

static bool is_overridden(const kp_operator *f, PyObject *face, PyObject *const *argv, Py_ssize_t n, PyObject *keywords,
                          PyObject **answer)
{
    return KP_UNLIKELY(kp_any_may_override(argv, n + (keywords ? PyTuple_GET_SIZE(keywords) : 0))) &&
           kp_override_call(PyUnicode_AsUTF8(f->name), false, face, argv, n, keywords, answer);
}

/* Is the call one of tensors that show examples, for which the user has registered a rule? */
static bool is_by_rule(const kp_operator *f, PyObject *const *argv, Py_ssize_t n, PyObject *keywords, PyObject **answer)
{
    if (KP_LIKELY(!f->ruled) || !f->face || !kp_in_transform())
        return false;
    PyObject *rule = PyObject_GetAttrString(f->face, "_by_rule");
    *answer = rule ? PyObject_Vectorcall(rule, argv, (size_t)n, keywords) : NULL;
    Py_XDECREF(rule);
    if (*answer != Py_NotImplemented)
        return true;
    Py_DECREF(*answer);
    return false;
}

static PyObject *call_operator(PyObject *self, PyObject *const *argv, size_t nargsf, PyObject *keywords)
{
    const kp_operator *f = (const kp_operator *)self;
    const Py_ssize_t   n = PyVectorcall_NARGS(nargsf);
    PyObject          *answer;
    kp_args            a;
    if (is_overridden(f, f->face ? f->face : self, argv, n, keywords, &answer) || is_by_rule(f, argv, n, keywords, &answer))
        return answer;
    Py_INCREF(self); /* a kernel may end the operator */
    const int bound = bind(f, &a, argv, n, keywords);
    answer = bound > 0 ? run(f, &a) : kp_tell(PyUnicode_AsUTF8(f->name), f->form, argv, n);
    Py_DECREF(self);
    return answer;
}

/* call_first(packet, operators, ...): the first of the overloads that takes the arguments; none: all that is wrong. */
static PyObject *call_first(PyObject *module, PyObject *const *argv, Py_ssize_t n, PyObject *keywords)
{
    PyObject *overloads = n > 1 ? argv[1] : NULL, *all = NULL, *answer;
    (void)module;
    if (!overloads || !PyTuple_Check(overloads) || PyTuple_GET_SIZE(overloads) == 0)
        return PyErr_Format(PyExc_TypeError, "expected a tuple of operators");
    const Py_ssize_t many = PyTuple_GET_SIZE(overloads);
    if (is_overridden((const kp_operator *)PyTuple_GET_ITEM(overloads, 0), argv[0], argv + 2, n - 2, keywords, &answer))
        return answer;
    if (many == 1)
        return PyObject_Vectorcall(PyTuple_GET_ITEM(overloads, 0), argv + 2, (size_t)n - 2, keywords);
    for (Py_ssize_t i = 0; i < many; i++) {
        const kp_operator *f = (const kp_operator *)PyTuple_GET_ITEM(overloads, i);
        kp_args            a;
        const int          bound = bind(f, &a, argv + 2, n - 2, keywords);
        if (bound) {
            Py_XDECREF(all);
            if (bound < 0)
                return NULL;
            if (!is_by_rule(f, argv + 2, n - 2, keywords, &answer))
                return run(f, &a);
            kp_args_free(&a);
            return answer;
        }
        PyObject *type, *value, *trace;
        PyErr_Fetch(&type, &value, &trace);
        PyObject *more = PyUnicode_FromFormat("%V%S\n\n", all, "", value ? value : Py_None);
        Py_XSETREF(all, more);
        Py_XDECREF(type);
        Py_XDECREF(value);
        Py_XDECREF(trace);
        if (!all)
            return NULL;
    }
    const kp_operator *first = (const kp_operator *)PyTuple_GET_ITEM(overloads, 0);
    PyErr_Format(PyExc_RuntimeError, "Overloaded torch operator invoked from Python failed to match any schema:\n%U", all);
    Py_DECREF(all);
    return kp_tell(PyUnicode_AsUTF8(first->name), first->form, argv + 2, n - 2);
}

/* ---- the object ---- */

static void operator_dealloc(PyObject *o)
{
    kp_operator *self = (kp_operator *)o;
    for (int i = 0; i < KP_MOST_PARAMETERS; i++) {
        Py_XDECREF(self->type[i]);
        Py_XDECREF(self->instead[i]);
    }
    Py_XDECREF(self->said);
    Py_XDECREF(self->name);
    PyMem_Free(self->form);
    PyObject_Free(o);
}

static PyObject *operator_repr(PyObject *o) { return PyUnicode_FromFormat("<operator %U of karat>", ((kp_operator *)o)->said); }

static PyObject *get_row(PyObject *o, void *unused)
{
    (void)unused;
    return PyUnicode_FromString(kt_row_name(((kp_operator *)o)->form->row));
}

static PyObject *get_face(PyObject *o, void *unused)
{
    (void)unused;
    PyObject *face = ((kp_operator *)o)->face;
    return Py_NewRef(face ? face : Py_None);
}

static int set_face(PyObject *o, PyObject *value, void *unused)
{
    (void)unused;
    ((kp_operator *)o)->face = value == Py_None ? NULL : value;
    return 0;
}

static PyObject *get_has_rule(PyObject *o, void *unused)
{
    (void)unused;
    return PyBool_FromLong(((kp_operator *)o)->ruled);
}

static int set_has_rule(PyObject *o, PyObject *value, void *unused)
{
    (void)unused;
    ((kp_operator *)o)->ruled = value == Py_True;
    return 0;
}

static PyGetSetDef operator_getset[] = {
    {"row", get_row, NULL, "the name of the row that serves it", NULL},
    {"face", get_face, set_face, "what __torch_function__ is shown; it owns this object", NULL},
    {"has_rule", get_has_rule, set_has_rule, "has it a rule for vmap, its face's _by_rule?", NULL},
    {NULL, NULL, NULL, NULL, NULL},
};

PyTypeObject kp_operator_type = {
    PyVarObject_HEAD_INIT(NULL, 0).tp_name = "karat.operator",
    .tp_flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_DISALLOW_INSTANTIATION | Py_TPFLAGS_HAVE_VECTORCALL,
    .tp_basicsize = sizeof(kp_operator),
    .tp_dealloc = operator_dealloc,
    .tp_repr = operator_repr,
    .tp_call = PyVectorcall_Call,
    .tp_vectorcall_offset = offsetof(kp_operator, vectorcall),
    .tp_getset = operator_getset,
};

/* In these PyTorch takes numbers for tensors. */
static bool takes_numbers(const schema_text *t)
{
    static const char *const names[] = {"add", "sub", "mul", "div", "subtract", "multiply", "divide", "true_divide",
                                        "floor_divide"};
    schema_span name = t->name;
    name.n -= name.s[name.n - 1] == '_';
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (schema_is(name, names[i]))
            return true;
    return false;
}

/* Defaults of the schema that the row's schema does not have in these words. */
static int take_defaults(kp_operator *f, const schema_text *t)
{
    schema_text row;
    if (f->appended || !schema_read(&row, kt_row_schema(f->form->row)))
        return 0;
    PyObject *ast = PyImport_ImportModule("ast");
    int       status = ast ? 0 : -1;
    for (int i = 0; !status && i < t->n_args; i++) {
        const schema_span value = t->arg[i].value;
        const int         at = f->form->at[i], kind = f->form->spec[i].kind;
        if (!value.s || at >= row.n_args || schema_is(value, "None") || kind == KT_ARG_FORMAT || kind == KT_ARG_DTYPE)
            continue;
        const schema_span own = row.arg[at].value;
        if (own.s && own.n == value.n && memcmp(own.s, value.s, (size_t)own.n) == 0)
            continue;
        PyObject *text = span_text(value);
        f->instead[i] = text ? PyObject_CallMethod(ast, "literal_eval", "O", text) : NULL;
        status = f->instead[i] ? 0 : -1;
        Py_XDECREF(text);
    }
    Py_XDECREF(ast);
    return status;
}

static PyObject *make_operator(const char *space, const char *said, const schema_text *t, const kt_row *const *rows, int n_rows,
                               kt_form form, bool appended)
{
    kp_row_facts *facts = kp_form_of_schema(t, rows, n_rows, !appended && takes_numbers(t));
    kp_operator  *f = facts && facts->row ? PyObject_New(kp_operator, &kp_operator_type) : NULL;
    if (!f) {
        PyMem_Free(facts);
        return PyErr_Occurred() ? NULL : Py_NewRef(Py_None);
    }
    memset((char *)f + sizeof(PyObject), 0, sizeof *f - sizeof(PyObject));
    f->vectorcall = call_operator;
    f->form = facts;
    f->as = form;
    f->appended = appended;
    f->said = PyUnicode_FromFormat("%s::%s", space, said);
    f->name = span_text(t->name);
    if (f->name)
        Py_SETREF(f->name, PyUnicode_FromFormat("%s::%U", space, f->name));
    bool made = f->said && f->name;
    for (int i = 0; i < t->n_args && made; i++)
        made = (f->type[i] = type_text(&t->arg[i])) != NULL;
    if (made && take_defaults(f, t) == 0)
        return (PyObject *)f;
    Py_DECREF(f);
    return NULL;
}

/* ---- those of the table ---- */

enum { IN_PLACE__, IN_PLACE_I };
static const struct aten {
    const char *schema;
    uint8_t     in_place;
    const char *out;
} aten[] = {
#define ATEN(schema, in_place, out) {schema, IN_PLACE_##in_place, out},
#define OPS(out) out
#include "tables/aten.def"
};
enum { N_ATEN = sizeof aten / sizeof *aten, LONGEST = 1024 };

/* The schema in place, or with out=, as PyTorch prints it. */
static bool derive(const struct aten *a, bool in_place, char *room)
{
    const char *open = strchr(a->schema, '('), *close = strstr(a->schema, ") ->");
    const int   name = schema_name_length(a->schema), n = (int)(close - open) - 1;
    if (!open || !close || strlen(a->schema) > LONGEST - 64)
        return false;
    if (in_place)
        snprintf(room, LONGEST, "%.*s_%.*s(Tensor(a!)%.*s) -> Tensor(a!)", name, a->schema, (int)(open - a->schema) - name,
                 a->schema + name, n - (int)strlen("Tensor"), open + 1 + strlen("Tensor"));
    else
        snprintf(room, LONGEST, "%.*s.%s(%.*s, %sTensor(a!) out) -> Tensor(a!)", name, a->schema, a->out, n, open + 1,
                 memmem(open, (size_t)n, "*, ", 3) ? "" : "*, ");
    return true;
}

static PyObject *aten_names(PyObject *module, PyObject *unused)
{
    (void)module, (void)unused;
    PyObject *names = PyDict_New(); /* in the table's order */
    for (int i = 0; names && i < 2 * N_ATEN; i++) {
        const struct aten *a = &aten[i / 2];
        if (i % 2 && !a->in_place)
            continue;
        PyObject *name = PyUnicode_FromStringAndSize(a->schema, schema_name_length(a->schema));
        if (name && i % 2)
            Py_SETREF(name, PyUnicode_FromFormat("%U_", name));
        if (!name || PyDict_SetItem(names, name, Py_None))
            Py_CLEAR(names);
        Py_XDECREF(name);
    }
    return names;
}

/* Rows that may serve a name. */
typedef struct named {
    const kt_row *const *rows;
    int                  n;
    kt_form              form;
} named;

/* One of the first serves it, or one of the others. */
static int add_overload(PyObject *found, const char *schema, const named *by)
{
    schema_text t;
    if (!schema_read(&t, schema)) {
        PyErr_Format(PyExc_SystemError, "aten.def: %s at '%s'", t.mistake, t.at);
        return -1;
    }
    PyObject *key = span_text(t.overload);
    PyObject *made = key ? make_operator("aten", schema, &t, by[0].rows, by[0].n, by[0].form, false) : NULL;
    if (made == Py_None && by[1].n)
        Py_SETREF(made, make_operator("aten", schema, &t, by[1].rows, by[1].n, by[1].form, false));
    PyObject *pair = made ? Py_BuildValue("(Os)", made, schema) : NULL;
    const int status = pair ? PyDict_SetItem(found, key, pair) : -1;
    Py_XDECREF(pair);
    Py_XDECREF(key);
    Py_XDECREF(made);
    return status;
}

static bool is_named(const struct aten *a, const char *name, size_t n)
{
    return (size_t)schema_name_length(a->schema) == n && strncmp(a->schema, name, n) == 0;
}

/* {overload: (operator, schema)} of a name; operator None: no row serves it. */
static PyObject *aten_overloads(PyObject *module, PyObject *name)
{
    PyObject *kept, *found = NULL;
    char      room[LONGEST];
    named     by[2] = {{0}}; /* those of the name; those that the function of that name is made of: _name */
    (void)module;
    const char *text = PyUnicode_Check(name) ? kp_text(name, &kept) : NULL;
    if (!text)
        return PyErr_Occurred() ? NULL : PyErr_Format(PyExc_TypeError, "expected a name");
    const size_t n = strlen(text);
    snprintf(room, sizeof room, "_%s", text);
    by[0].n = kp_rows_named(text, &by[0].rows, &by[0].form);
    by[1].n = kp_rows_named(room, &by[1].rows, &by[1].form);
    const bool any = by[0].n + by[1].n > 0;
    int        status = (found = PyDict_New()) ? 0 : -1;
    for (int i = 0; !status && any && i < N_ATEN; i++)
        if (is_named(&aten[i], text, n))
            status = add_overload(found, aten[i].schema, by);
        else if (aten[i].in_place && n && text[n - 1] == '_' && is_named(&aten[i], text, n - 1) && derive(&aten[i], true, room))
            status = add_overload(found, room, by);
    for (int i = 0; !status && any && i < N_ATEN; i++) /* PyTorch lists those with out= last */
        if (aten[i].out && is_named(&aten[i], text, n) && derive(&aten[i], false, room))
            status = add_overload(found, room, by);
    Py_DECREF(kept);
    if (status)
        Py_CLEAR(found);
    return found;
}

/* ---- appended ones ---- */

/* (operator, schema) of the appended row "space::name.overload"; None: there is none. */
static PyObject *appended_operator(PyObject *module, PyObject *name)
{
    PyObject *kept, *made = NULL;
    (void)module;
    const char *text = PyUnicode_Check(name) ? kp_text(name, &kept) : NULL;
    if (!text)
        return PyErr_Occurred() ? NULL : PyErr_Format(PyExc_TypeError, "expected a name");
    const kt_row *row = strstr(text, "::") ? kt_row_find(text) : NULL;
    schema_text   t;
    if (!row) {
        Py_DECREF(kept);
        Py_RETURN_NONE;
    }
    const char *said = kt_row_schema(row);
    if (!schema_read(&t, said)) {
        PyErr_Format(PyExc_SystemError, "%s: %s", said, t.mistake);
    } else {
        char         space[64];
        const size_t n = (size_t)(strstr(text, "::") - text);
        snprintf(space, sizeof space, "%.*s", (int)n, text);
        made = make_operator(space, said + (t.space.s ? t.space.n + 2 : 0), &t, &row, 1, KT_PLAIN, true);
    }
    Py_DECREF(kept);
    return made ? Py_BuildValue("(Ns)", made, said) : NULL;
}

/* The names of all appended rows, in their order. */
static PyObject *appended_names(PyObject *module, PyObject *unused)
{
    (void)module, (void)unused;
    PyObject     *all = PyList_New(0);
    const kt_row *row;
    for (int i = 0; all && (row = kt_row_at(i)); i++) {
        const bool appended = strstr(kt_row_name(row), "::") && !kt_row_is_withdrawn(row);
        PyObject  *name = appended ? PyUnicode_FromString(kt_row_name(row)) : NULL;
        if (PyErr_Occurred() || (name && PyList_Append(all, name)))
            Py_CLEAR(all);
        Py_XDECREF(name);
    }
    return all;
}

/* ---- schemas as data ---- */

/* (type as written, name, default or None, keyword-only, alias) */
static PyObject *argument_data(const schema_arg *a, schema_span name)
{
    return Py_BuildValue("(NNNON)", span_text(a->said), span_text(name), a->value.s ? span_text(a->value) : Py_NewRef(Py_None),
                         a->keyword ? Py_True : Py_False, span_text(a->alias));
}

/* read_schema(text): (space, name, overload, arguments, results), or (mistake, where) as a pair. */
static PyObject *read_schema(PyObject *module, PyObject *text)
{
    schema_text t;
    PyObject   *kept;
    (void)module;
    const char *s = PyUnicode_Check(text) ? kp_text(text, &kept) : NULL;
    if (!s)
        return PyErr_Occurred() ? NULL : PyErr_Format(PyExc_TypeError, "expected a schema");
    PyObject *answer = NULL;
    if (!schema_read(&t, s)) {
        answer = Py_BuildValue("(sn)", t.mistake, (Py_ssize_t)(t.at >= s && t.at <= s + strlen(s) ? t.at - s : 0));
    } else {
        PyObject *args = PyList_New(0), *results = PyList_New(0);
        bool      made = args && results;
        for (int i = 0; made && i < t.n_args + t.n_results; i++) {
            const bool is_arg = i < t.n_args;
            PyObject  *one = is_arg ? argument_data(&t.arg[i], t.arg[i].name)
                                    : argument_data(&t.result_type[i - t.n_args], t.result[i - t.n_args]);
            made = one && PyList_Append(is_arg ? args : results, one) == 0;
            Py_XDECREF(one);
        }
        if (made)
            answer = Py_BuildValue("(NNNOO)", span_text(t.space), span_text(t.name), span_text(t.overload), args, results);
        Py_XDECREF(args);
        Py_XDECREF(results);
    }
    Py_DECREF(kept);
    return answer;
}

PyMethodDef kp_operator_functions[] = {
    {"aten_names", aten_names, METH_NOARGS, "the names of torch.ops.aten"},
    {"aten_overloads", aten_overloads, METH_O, "{overload: (operator, schema)} of a name"},
    {"appended_operator", appended_operator, METH_O, "(operator, schema) of an appended row; None: there is none"},
    {"appended_names", appended_names, METH_NOARGS, "the names of appended rows"},
    {"read_schema", read_schema, METH_O, "a schema as data, or (mistake, where)"},
    {"call_first", KP_FUNCTION(call_first), METH_FASTCALL | METH_KEYWORDS, "call_first(packet, operators, *args, **kwargs)"},
    {NULL, NULL, 0, NULL},
};
