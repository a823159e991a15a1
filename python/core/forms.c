/* forms.c - the forms of a function: PyTorch's overloads of a name, each with the row that serves it.
 *
 * In: the rows of a name, their packed arguments, and the OVERLOAD lines where PyTorch's overloads are not simply the rows.
 * Out: one allocation with a kp_row_facts per form, built when the function is first called. A parameter is matched with
 * the row's argument of the same name; a form with a parameter that no row has is listed in messages but not served. Independent
 * of: any operator by name (the tables do). */
#include "core/binding.h"
#include "tables/schema.h"

#define MAKER                                                                                                           \
    "ScalarType? dtype=None, Layout? layout=None, Device? device=None, bool? pin_memory=False, bool? requires_grad=False"

#define KARATS_OWN "~str casting='unsafe', ~str rounding='torch'" /* how `to` casts */

enum { IN_FUNCTION = 1, IN_FUNCTION_INPLACE = 2, IN_METHOD = 4, IN_METHOD_INPLACE = 8, IS_DEPRECATED = 16, IS_PYTHON = 32 };
enum { F = IN_FUNCTION, f = IN_FUNCTION_INPLACE, M = IN_METHOD, m = IN_METHOD_INPLACE, D = IS_DEPRECATED, P = IS_PYTHON };

static const struct overload {
    const char *name;
    unsigned    where; /* function or method, in place or not: where PyTorch has it */
    const char *parameters;
} overloads[] = {
#define OVERLOAD(name, where, parameters) {#name, where, parameters},
#include "tables/ops.def"
};
enum { N_OVERLOADS = sizeof overloads / sizeof *overloads };

typedef struct parameter {
    bool        out; /* a target: "out", or in a schema of torch.ops a tensor that is written to and passed by name */
    kt_arg_spec spec;
    PyObject   *name;
    kp_span     value; /* the default's text */
    char        own[40], rows[40]; /* the parameter's name and that of the row's argument */
} parameter;

/* ---- reading a form ---- */

/* The types of schemas, and those that only Python's overloads have. */
static const struct {
    const char *type;
    uint8_t     kind;
} kinds[] = {
#define TYPE(type, kind, field, c) {type, KT_ARG_##kind},
#include "tables/types.def"
    {"Layout", KP_ARG_LAYOUT},      {"Like", KP_ARG_LIKE},         {"Dimname", KP_ARG_NAME}, {"Dimname[]", KP_ARG_NAMES},
    {"NoDimname", KP_ARG_NO_NAME}, {"Ends", KP_ARG_ENDS},         {"Truth", KP_ARG_TRUTH},
};

static int kind_of(schema_span type)
{
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
        if (schema_is(type, kinds[i].type))
            return kinds[i].kind;
    return -1;
}

static void copy_name(char *into, const char *from, size_t n)
{
    n = n < 39 ? n : 39;
    memcpy(into, from, n);
    into[n] = 0;
}

/* -1: there is an argument of a type that the binding does not know; its text in *unknown. */
static int take_parameters(const schema_text *t, parameter *p, const char **unknown)
{
    for (int i = 0; i < t->n_args; i++) {
        const schema_arg *a = &t->arg[i];
        const int         kind = kind_of(a->type);
        if (kind < 0) {
            *unknown = a->type.s;
            return -1;
        }
        p[i] = (parameter){.spec = {.kind = (uint8_t)kind, .optional = a->optional, .has_default = a->value.s != NULL,
                                    .keyword_only = a->hidden ? KP_UNSHOWN : a->keyword, .alone = a->alone,
                                    .element = schema_is(a->type, "float[]")  ? KT_SCALAR_FLOAT
                                               : schema_is(a->type, "bool[]") ? KT_SCALAR_BOOL
                                                                              : 0,
                                    .holes = schema_is_holed(a)},
                           .value = {a->value.s, a->value.n}};
        copy_name(p[i].own, a->name.s, (size_t)a->name.n);
        copy_name(p[i].rows, a->target.s, (size_t)a->target.n);
        p[i].out = schema_is(a->name, "out") || (a->written && a->keyword);
    }
    return t->n_args;
}

static int read_parameters(const char *text, parameter *p)
{
    schema_text t = {0};
    const char *unknown = NULL;
    if (!schema_args(&t, text, 0)) {
        PyErr_Format(PyExc_SystemError, "OVERLOAD: %s at '%s'", t.mistake, t.at);
        return -1;
    }
    const int n = take_parameters(&t, p, &unknown);
    if (n < 0)
        PyErr_Format(PyExc_SystemError, "OVERLOAD: no such type at '%s'", unknown);
    return n;
}

/* ---- the parameters of a row without overloads ---- */

static void insert(parameter *p, int *n, int at, const char *name, int kind)
{
    memmove(p + at + 1, p + at, (size_t)(*n - at) * sizeof *p);
    p[at] = (parameter){.spec = {.kind = (uint8_t)kind, .has_default = 1, .optional = 1, .keyword_only = 1}};
    copy_name(p[at].own, name, strlen(name));
    copy_name(p[at].rows, name, strlen(name));
    p[at].out = strcmp(name, "out") == 0;
    ++*n;
}

/* Factory functions also take layout and pin_memory. */
static int parameters_of_row(const kt_row *row, parameter *p)
{
    int n = kt_row_n_args(row);
    for (int i = 0; i < n; i++) {
        p[i] = (parameter){.spec = *kt_row_arg(row, i)};
        copy_name(p[i].own, p[i].spec.name, strlen(p[i].spec.name));
        copy_name(p[i].rows, p[i].spec.name, strlen(p[i].spec.name));
    }
    for (int i = 0; i < n; i++)
        if (p[i].spec.kind == KT_ARG_DEVICE) {
            insert(p, &n, i + 1, "pin_memory", KT_ARG_BOOL);
            insert(p, &n, i, "layout", KP_ARG_LAYOUT);
            break;
        }
    for (int i = n - 1; i > 0; i--) /* PyTorch has the memory format first */
        if (p[i].spec.kind == KT_ARG_FORMAT && p[i].spec.keyword_only && p[i - 1].spec.keyword_only) {
            parameter format = p[i];
            p[i] = p[i - 1];
            p[i - 1] = format;
        }
    if (kt_row_has_form(row, KT_OUT))
        insert(p, &n, n, "out", KT_ARG_TENSOR);
    return n;
}

/* ---- which row serves it ---- */

static bool serves(int wanted, int given, bool made) /* made: a number is converted to a tensor */
{
    return wanted == given || (wanted == KT_ARG_TENSOR_OR_SCALAR && (given == KT_ARG_TENSOR || given == KT_ARG_SCALAR)) ||
           (made && wanted == KT_ARG_TENSOR && (given == KT_ARG_SCALAR || given == KT_ARG_TENSOR_OR_SCALAR)) ||
           ((wanted == KT_ARG_SCALAR || wanted == KT_ARG_INT) && given == KT_ARG_TENSOR) ||
           (wanted == KT_ARG_INTS && given == KT_ARG_INT) || (wanted == KT_ARG_DTYPE && given == KP_ARG_LIKE) ||
           (wanted == KT_ARG_FLOAT && given == KP_ARG_ENDS) || (wanted == KT_ARG_STRING && given == KT_ARG_INT) ||
           (wanted == KT_ARG_BOOL && given == KP_ARG_TRUTH);
}

static bool is_dropped(const parameter *p)
{
    return p->spec.kind == KP_ARG_LAYOUT || (p->spec.kind == KP_ARG_NAMES && p->spec.optional) ||
           strcmp(p->own, "pin_memory") == 0 || strcmp(p->own, "non_blocking") == 0 || p->out;
}

static bool match(const kt_row *row, bool made, const parameter *p, int n, uint8_t *at, uint32_t *zeros)
{
    uint32_t found = 0;
    *zeros = 0;
    for (int i = 0; i < n; i++) {
        at[i] = KP_NOWHERE;
        for (int k = 0; k < kt_row_n_args(row); k++)
            if (strcmp(kt_row_arg(row, k)->name, p[i].rows) == 0 &&
                serves(kt_row_arg(row, k)->kind, p[i].spec.kind, made)) {
                at[i] = (uint8_t)k;
                found |= 1u << k;
            }
        if (at[i] == KP_NOWHERE && !is_dropped(&p[i]))
            return false;
    }
    for (int k = 0; k < kt_row_n_args(row); k++) {
        const kt_arg_spec *spec = kt_row_arg(row, k);
        if ((found >> k & 1) || spec->has_default || spec->optional)
            continue;
        if (spec->kind != KT_ARG_SCALAR)
            return false;
        *zeros |= 1u << k;
    }
    return true;
}

/* ---- a form in its memory ---- */

typedef struct block { /* a form and everything it points to */
    kt_arg_spec spec[KP_MOST_PARAMETERS];
    PyObject   *name[KP_MOST_PARAMETERS];
    kp_span     defaults[KP_MOST_PARAMETERS];
    uint8_t     at[KP_MOST_PARAMETERS];
} block;

static int name_parameter(parameter *p, bool method)
{
    p->spec.name = p->own;
    p->name = PyUnicode_InternFromString(kp_arg_name(&p->spec, method));
    if (!p->name)
        return -1;
    p->spec.name = strcmp(p->own, "self") == 0 ? "self" : PyUnicode_AsUTF8(p->name); /* interned names live on */
    return p->spec.name ? 0 : -1;
}

/* A method's self comes first, wherever the row has it. */
static void self_first(parameter *p, int n)
{
    for (int i = n - 1; i > 0; i--)
        if (strcmp(p[i].own, "self") == 0) {
            parameter self = p[i];
            memmove(p + 1, p, (size_t)i * sizeof *p);
            p[0] = self;
            p[0].spec.kind = KT_ARG_TENSOR;
        }
}

/* PyTorch writes nn.functional in Python: flags are read by truth value, and a loss compares the reduction string. */
static void read_as_python(kt_arg_spec *spec)
{
    static const char *const flags[] = {"inplace", "size_average", "reduce"};
    for (size_t i = 0; i < sizeof flags / sizeof *flags; i++)
        if (spec->kind == KT_ARG_BOOL && strcmp(spec->name, flags[i]) == 0)
            spec->kind = KP_ARG_TRUTH;
    if (spec->kind == KT_ARG_STRING && strcmp(spec->name, "reduction") == 0)
        spec->kind = KP_ARG_WORD;
}

static int fill(kp_row_facts *form, block *b, parameter *p, int n, const kt_row *const *rows, int n_rows, bool with_out,
                bool method)
{
    int kept = 0;
    if (method)
        self_first(p, n);
    for (int i = 0; i < n; i++) { /* only functions have out= */
        if (p[i].out) {
            p[i].spec.kind = p[i].spec.kind == KT_ARG_TENSORS ? KP_ARG_OUTS : KP_ARG_OUT;
            if (!with_out)
                continue;
        }
        p[kept++] = p[i];
    }
    uint32_t zeros = 0;
    *form = (kp_row_facts){
        .spec = b->spec, .name = b->name, .defaults = b->defaults, .at = b->at, .n_args = kept, .device_at = -1,
        .pin_at = -1};
    memset(b->at, KP_NOWHERE, sizeof b->at);
    for (int i = 0; i < 2 * n_rows && !form->row; i++) /* prefer a row that takes the number itself */
        if (match(rows[i % n_rows], i >= n_rows, p, kept, b->at, &zeros))
            form->row = rows[i % n_rows];
    form->zeros = form->row ? zeros : 0;
    for (int i = 0; i < kept; i++) {
        if (name_parameter(&p[i], method))
            return -1;
        if (p[i].spec.kind == KP_ARG_OUT && form->row && kt_row_n_results(form->row) > 1)
            p[i].spec.kind = KP_ARG_OUTS;
        b->spec[i] = p[i].spec;
        if (form->row && strncmp(kt_row_name(form->row), "nn_", 3) == 0)
            read_as_python(&b->spec[i]);
        if (strcmp(p[i].own, "pin_memory") == 0)
            form->pin_at = i;
        b->name[i] = p[i].name;
        b->defaults[i] = p[i].value;
        form->n_positional += !p[i].spec.keyword_only;
        form->known |= (uint32_t)kp_has_synonym(p[i].name) << i;
        if (!form->row)
            b->at[i] = KP_NOWHERE;
    }
    form->spread = form->n_positional == method + 1 && b->spec[method].kind == KT_ARG_INTS;
    for (int k = 0; form->row && k < kt_row_n_args(form->row); k++)
        if (kt_row_arg(form->row, k)->kind == KT_ARG_DEVICE)
            form->device_at = k;
    form->results = form->row ? kp_result_type(form->row, KT_PLAIN) : NULL;
    form->results_out = form->results ? kp_result_type(form->row, KT_OUT) : NULL;
    return PyErr_Occurred() ? -1 : 0;
}

static unsigned face_of(kt_form form, bool method)
{
    return method ? (form == KT_INPLACE ? IN_METHOD_INPLACE : IN_METHOD)
                  : (form == KT_INPLACE ? IN_FUNCTION_INPLACE : IN_FUNCTION);
}

static int count_overloads(const char *name, unsigned face)
{
    int n = 0;
    for (int i = 0; i < N_OVERLOADS; i++)
        n += (overloads[i].where & face) && strcmp(overloads[i].name, name) == 0;
    return n;
}

static bool has_argument(const kt_row *row, const char *name)
{
    for (int i = 0; i < kt_row_n_args(row); i++)
        if (strcmp(kt_row_arg(row, i)->name, name) == 0)
            return true;
    return false;
}

/* A schema of torch.ops names its targets one by one; numbers stand for tensors only where PyTorch takes them. */
kp_row_facts *kp_form_of_schema(const schema_text *t, const kt_row *const *rows, int n_rows, bool numbers)
{
    parameter     p[KP_MOST_PARAMETERS + 3];
    const char   *unknown = NULL;
    const int     n = take_parameters(t, p, &unknown);
    kp_row_facts *form = n < 0 ? NULL : PyMem_Malloc(sizeof(kp_row_facts) + sizeof(block));
    if (n < 0)
        PyErr_Format(PyExc_NotImplementedError, "karat has no arguments of the type that begins '%.32s'", unknown);
    else if (!form)
        PyErr_NoMemory();
    if (!form)
        return NULL;
    for (int i = 0; i < n; i++) /* an appended row has its targets among its arguments */
        p[i].out = p[i].out && !(n_rows == 1 && has_argument(rows[0], p[i].rows));
    for (int i = 0; numbers && i < n; i++)
        if (p[i].spec.kind == KT_ARG_TENSOR && !p[i].out)
            p[i].spec.kind = KT_ARG_TENSOR_OR_SCALAR;
    block *b = (block *)(void *)(form + 1);
    int    status = fill(form, b, p, n, rows, n_rows, true, false);
    for (int i = 0; !status && !form->row && i < n; i++) /* functions of nn call it input */
        if (strcmp(p[i].own, "self") == 0) {
            copy_name(p[i].rows, "input", strlen("input"));
            status = fill(form, b, p, n, rows, n_rows, true, false);
        }
    if (status) {
        PyMem_Free(form);
        return NULL;
    }
    int n_targets = 0;
    for (int i = 0; i < form->n_args; i++) { /* several targets are several arguments here */
        if (b->spec[i].kind == KP_ARG_OUTS && p[i].out && !schema_is(t->arg[i].type, "Tensor[]"))
            b->spec[i].kind = KP_ARG_OUT;
        if (b->spec[i].kind == KP_ARG_OUT)
            b->at[i] = (uint8_t)(KP_FIRST_TARGET + n_targets++);
        Py_XSETREF(b->name[i], PyUnicode_InternFromString(p[i].own)); /* `self`, not `input` */
        if (!b->name[i]) {
            PyMem_Free(form);
            return NULL;
        }
        b->spec[i].name = PyUnicode_AsUTF8(b->name[i]);
    }
    if (form->row && !kt_row_has_form(form->row, KT_OUT) && n_targets > 1)
        form->row = NULL;
    form->results = form->results_out = NULL;
    form->spread = false;
    form->known = 0;
    return form;
}

kp_row_facts *kp_forms_of(const char *name, const char *otherwise, const kt_row *const *rows, int n_rows, kt_form form,
                          bool method, int *n)
{
    const unsigned face = face_of(form, method);
    const char    *under = count_overloads(name, face) ? name : otherwise;
    const int      n_overloads = under ? count_overloads(under, face) : 0;
    const bool     with_out = !method && form == KT_PLAIN;
    *n = n_overloads ? n_overloads : n_rows;
    const size_t  head = (size_t)*n * sizeof(kp_row_facts);
    kp_row_facts *forms = PyMem_Malloc(head + (size_t)*n * sizeof(block));
    block        *blocks = (block *)(void *)(forms + *n);
    parameter     p[KP_MOST_PARAMETERS + 3];
    if (!forms) {
        PyErr_NoMemory();
        return NULL;
    }
    int made = 0, status = 0;
    for (int i = 0; i < N_OVERLOADS && n_overloads && !status; i++) {
        if (!(overloads[i].where & face) || strcmp(overloads[i].name, under) != 0)
            continue;
        int count = read_parameters(overloads[i].parameters, p);
        status = count < 0 ? -1 : fill(&forms[made], &blocks[made], p, count, rows, n_rows, with_out, method);
        forms[made].python = (overloads[i].where & IS_PYTHON) != 0;
        forms[made++].deprecated = (overloads[i].where & IS_DEPRECATED) != 0;
    }
    for (; made < *n && !status; made++) {
        int count = parameters_of_row(rows[made], p);
        status = fill(&forms[made], &blocks[made], p, count, &rows[made], 1, with_out, method);
        forms[made].defaults = NULL;
    }
    if (!status)
        return forms;
    PyMem_Free(forms);
    return NULL;
}
