/* append.c - rows that are appended while a program runs (plugin/operator.h). In: an operator as its maker describes it. Out: a
 * row in one piece of memory, with all that tools/gen_rows.c works out for those of the table, from the same reading of its
 * schema. kernels.c runs them. */
#include "call/append.h"

#include <errno.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "call/call.h"
#include "call/wrap.h"
#include "tables/kernels/families.h"
#include "tables/schema.h"

_Static_assert((int)SCHEMA_ARGS == (int)KT_MAX_ARGS && (int)SCHEMA_RESULTS == (int)KT_MAX_RESULTS,
               "the limits of schemas are those of calls");

/* ---- where they stand ---- */

static _Atomic(const kt_row *) appended[KT_MOST_APPENDED];
static _Atomic int             n_appended;
static pthread_mutex_t         appending = PTHREAD_MUTEX_INITIALIZER;

const kt_row *kt__appended_at(int index)
{
    return index < atomic_load_explicit(&n_appended, memory_order_acquire)
               ? atomic_load_explicit(&appended[index], memory_order_relaxed)
               : NULL;
}

const kt_value *kt_call_arg(const kt_call *call, int i)
{
    return call && call->row && i >= 0 && i < kt__n_args(call->row) ? kt__arg(call, i) : NULL;
}

/* ---- reading ---- */

kt_status kt__check_node_type(const kt_node_type *type)
{
    if (!type)
        return kt_fail(KT_ERR_TYPE, "expected a node's type, got NULL");
    if (type->abi != KT_NODE_ABI || type->size != sizeof *type)
        return kt_fail(KT_ERR_VALUE, "a node's type of ABI %u and %u bytes: this Karat has ABI %d and %zu bytes", type->abi,
                       type->size, KT_NODE_ABI, sizeof *type);
    if (!type->run || !(type->name || type->name_of))
        return kt_fail(KT_ERR_VALUE, "a node's type needs a name and `run`");
    if (type->flags & ~(uint32_t)(KT_NODE_ZEROS | KT_NODE_ALWAYS))
        return kt_fail(KT_ERR_VALUE, "a node's type with the flags %#x: there are KT_NODE_ZEROS and KT_NODE_ALWAYS", type->flags);
    if (type->context > KT_NODE_MOST)
        return kt_fail(KT_ERR_VALUE, "a node keeps no context of %u bytes", type->context);
    return KT_OK;
}

static kt_status refuse(const kt_operator *op, const char *why)
{
    return kt_fail(KT_ERR_VALUE, "operator %s: %s", op->name, why);
}

static kt_status read_rule(const kt_operator *op, uint8_t *rule)
{
    static const char *const words[] = {
#define RULE(name, gives) #name,
#include "tables/rules.def"
    };
    *rule = RULE_NONE;
    for (size_t i = 0; op->dtypes && i < sizeof words / sizeof *words; i++)
        if (strcmp(words[i], op->dtypes) == 0) {
            *rule = (uint8_t)i;
            return KT_OK;
        }
    return op->dtypes ? kt_fail(KT_ERR_VALUE, "operator %s: there is no dtype rule %s", op->name, op->dtypes) : KT_OK;
}

static kt_status read_accepts(const kt_operator *op, uint8_t *accepts)
{
    static const char letters[] = "BIFC"; /* ORDER as kt_category */
    *accepts = op->accepts ? 0 : 15;
    for (const char *c = op->accepts ? op->accepts : ""; *c; c++) {
        const char *at = strchr(letters, *c);
        if (!at)
            return kt_fail(KT_ERR_VALUE, "operator %s: it accepts letters of BIFC, not '%s'", op->name, op->accepts);
        *accepts |= (uint8_t)(1 << (at - letters));
    }
    return KT_OK;
}

static const struct {
    const char *type;
    uint8_t     kind;
} types[] = {
#define TYPE(type, kind, field, c) {type, KT_ARG_##kind},
#include "tables/types.def"
};

static int kind_of(const schema_arg *a)
{
    for (size_t i = 0; i < sizeof types / sizeof *types; i++)
        if (schema_is(a->type, types[i].type))
            return types[i].kind;
    return -1;
}

/* A number that ends where its text does. */
static bool read_int(schema_span text, int64_t *value)
{
    char *end = NULL;
    errno = 0;
    *value = strtoll(text.s, &end, 10);
    return !errno && end == text.s + text.n;
}

static bool read_real(schema_span text, double *value)
{
    char *end = NULL;
    *value = strtod(text.s, &end);
    return end == text.s + text.n;
}

static bool read_scalar(schema_span text, kt_scalar *value)
{
    if (schema_is(text, "True") || schema_is(text, "False"))
        *value = KT_FLAG(schema_is(text, "True"));
    else if (read_int(text, &value->v.i))
        value->kind = KT_SCALAR_INT;
    else if (read_real(text, &value->v.re))
        value->kind = KT_SCALAR_FLOAT;
    return value->kind != 0;
}

/* "[0, 1]"; `room` holds as many integers as the text has characters. */
static bool read_ints(schema_span text, int64_t *room, kt_shape *value)
{
    const char *s = schema_blanks(text.s + 1), *end = text.s + text.n - 1;
    *value = (kt_shape){0, room};
    while (s < end) {
        const schema_span one = {s, (int)strcspn(s, ",] ")};
        if (!read_int(one, &room[value->n]))
            return false;
        value->n++;
        s = schema_blanks(s + one.n);
        s = *s == ',' ? schema_blanks(s + 1) : s;
    }
    return text.s[0] == '[' && *end == ']';
}

static char *copy_text(char **room, const char *s, int n)
{
    char *into = *room;
    memcpy(into, s, (size_t)n);
    into[n] = 0;
    *room += n + 1;
    return into;
}

/* "[1.5, True]": numbers of one kind, where the list has one; they stand where integers do, three words each. */
static bool read_numbers(schema_span text, kt_arg_spec *spec, int64_t **room)
{
    kt_scalar  *number = (kt_scalar *)(void *)*room;
    int64_t     n = 0;
    const char *s = schema_blanks(text.s + 1), *end = text.s + text.n - 1;
    for (; s < end; n++) {
        const schema_span one = {s, (int)strcspn(s, ",] ")};
        number[n] = (kt_scalar){.kind = 0};
        if (!one.n || !read_scalar(one, &number[n]))
            return false;
        if (spec->element == KT_SCALAR_FLOAT && number[n].kind == KT_SCALAR_INT)
            number[n] = KT_FLOAT((double)number[n].v.i);
        if (spec->element && number[n].kind != spec->element)
            return false;
        s = schema_blanks(s + one.n);
        s = *s == ',' ? schema_blanks(s + 1) : s;
    }
    spec->value.ss.s = number;
    spec->value.ss.n = n;
    *room += n * (int64_t)(sizeof(kt_scalar) / sizeof(int64_t));
    return text.n > 1 && text.s[0] == '[' && *end == ']';
}

/* The default of an argument as a value; what it points at goes into `ints` and `text`. */
static bool read_default(const schema_arg *a, kt_arg_spec *spec, int64_t **ints, char **text)
{
    const schema_span v = a->value;
    int64_t           none = 0;
    if (!v.s || schema_is(v, "None"))
        return !v.s || spec->optional;
    switch (spec->kind) {
    case KT_ARG_SCALAR:
    case KT_ARG_TENSOR_OR_SCALAR: return read_scalar(v, &spec->value.s);
    case KT_ARG_INT: return read_int(v, &spec->value.i);
    case KT_ARG_FLOAT: return read_real(v, &spec->value.f);
    case KT_ARG_BOOL:
        spec->value.b = schema_is(v, "True");
        return spec->value.b || schema_is(v, "False");
    case KT_ARG_INTS:
        if (v.n < 2 || !read_ints(v, *ints, &spec->value.ints))
            return read_int(v, &none) && a->alone && (**ints = none, spec->value.ints = (kt_shape){1, *ints}, ++*ints, true);
        *ints += spec->value.ints.n;
        return true;
    case KT_ARG_STRING:
        if (v.n < 2 || (v.s[0] != '\'' && v.s[0] != '"'))
            return false;
        spec->value.str = copy_text(text, v.s + 1, v.n - 2);
        return true;
    case KT_ARG_DTYPE: {
        char name[32];
        return v.n < (int)sizeof name && (spec->value.dtype = kt_dtype_find(copy_text(&(char *){name}, v.s, v.n))) != KT_NONE;
    }
    case KT_ARG_DEVICE:
        spec->value.device = (kt_device){KT_CPU, 0};
        return schema_is(v, "'cpu'") || schema_is(v, "\"cpu\"");
    case KT_ARG_SCALARS: return read_numbers(v, spec, ints);
    default: return false;
    }
}

static kt_status read_args(const kt_operator *op, const schema_text *t, kt_arg_spec *args, int64_t *ints, char **text)
{
    for (int i = 0; i < t->n_args; i++) {
        const schema_arg *a = &t->arg[i];
        const int         kind = kind_of(a);
        if (kind < 0)
            return kt_fail(KT_ERR_VALUE, "operator %s: there is no type %.*s", op->name, a->type.n, a->type.s);
        args[i] = (kt_arg_spec){.name = copy_text(text, a->name.s, a->name.n), .kind = (uint8_t)kind, .optional = a->optional,
                                .has_default = a->value.s != NULL, .keyword_only = a->keyword, .written = a->written,
                                .holes = schema_is_holed(a), .alone = a->alone,
                                .absent = a->optional && (!a->value.s || schema_is(a->value, "None")),
                                .element = schema_is(a->type, "float[]")  ? KT_SCALAR_FLOAT
                                           : schema_is(a->type, "bool[]") ? KT_SCALAR_BOOL
                                                                          : 0};
        if (!read_default(a, &args[i], &ints, text))
            return kt_fail(KT_ERR_VALUE, "operator %s: %.*s is no default of the argument %s", op->name, a->value.n, a->value.s,
                           args[i].name);
    }
    return KT_OK;
}

/* ---- appending ---- */

static bool writes(const schema_text *t)
{
    for (int i = 0; i < t->n_args; i++)
        if (t->arg[i].written)
            return true;
    return false;
}

static bool gives_more(const schema_text *t) /* than tensors, of which the tape knows how many */
{
    for (int i = 0; i < t->n_results; i++)
        if (schema_is_plain(&t->result_type[i]) || t->result_type[i].optional)
            return true;
    return t->list || !t->n_results;
}

static kt_status check_operator(const kt_operator *op, schema_text *t)
{
    schema_span all;
    if (!op->name || !op->schema)
        return kt_fail(KT_ERR_VALUE, "an operator needs a name and a schema");
    for (const char *c = op->name;; c++) { /* names with colons or dots between them: mylib::scale */
        const char *end = schema_name(c, &all);
        if (!end)
            return kt_fail(KT_ERR_VALUE, "'%.80s' is no name of an operator", op->name);
        c = end + strspn(end, ":.") - 1;
        if (!*end)
            break;
        if (end == c + 1)
            return kt_fail(KT_ERR_VALUE, "'%.80s' is no name of an operator", op->name);
    }
    if (!schema_read(t, op->schema))
        return kt_fail(KT_ERR_VALUE, "operator %s: %s at '%s' in its schema \"%s\"", op->name, t->mistake, t->at, op->schema);
    if (op->node && writes(t))
        return refuse(op, "it writes to an argument: a derivative is of an operator that does not");
    if (!op->composite && gives_more(t))
        return refuse(op, "its schema gives a list, a number, a string or nothing, or may give nothing: that is of a composite, "
                          "whose parts are recorded");
    if (op->node && op->composite)
        return refuse(op, "a composite has the derivatives of what it is made of, and no node of its own");
    if (op->n_saved < 0 || op->n_saved > 1 << 20 || (!op->node && (op->setup || op->n_saved)))
        return refuse(op, "what it saves is for its node");
    return op->node ? kt__check_node_type(op->node) : KT_OK;
}

static const kt__fold_args no_fold = {-1, -1, -1, -1, -1, -1, -1, -1};

static void fill_in(kt_row *row, const kt_operator *op, const schema_text *t)
{
    const schema_facts f = schema_facts_of(t);
    row->way = t->list ? &kt__way_list : &kt__way_body;
    row->body = kt__run_appended;
    row->kernel = KT_K_none;
    row->exact = 0xff;
    row->forms = 1 << KT_PLAIN;
    row->fold = no_fold;
    row->n_args = (uint8_t)t->n_args;
    row->n_results = (uint8_t)t->n_results;
    row->required = f.required;
    row->checked = f.checked;
    row->operands.n = (uint8_t)f.n_operands;
    row->operands.bare = f.n_operands == t->n_args;
    memcpy(row->operands.at, f.operand, sizeof row->operands.at);
    row->inputs.n = (uint8_t)f.n_inputs;
    row->inputs.lists = f.lists;
    row->inputs.pointed = f.pointed;
    row->inputs.special = f.lists || op->node;
    memcpy(row->inputs.at, f.input, sizeof row->inputs.at);
    row->internal = schema_is_internal(op->schema);
    row->section = "appended";
    row->node = op->composite ? NULL : !op->node ? "NotImplemented" : op->node->name ? op->node->name : op->name;
}

typedef struct block { /* a row and all that it points at */
    kt_row       row;
    kt__appended appended;
    kt__kernels  kernels;
    kt_arg_spec  args[KT_MAX_ARGS];
    int64_t      ints[]; /* the defaults of int[]; the texts follow */
} block;

static const char *copy_line(char **room, const char *s) { return s ? copy_text(room, s, (int)strlen(s)) : ""; }

static kt_status make_row(const kt_operator *op, const schema_text *t, kt_row **made)
{
    /* Names and defaults are parts of the schema, each with a byte to end it; of two characters one is a number at most, of as
     * many words as a kt_scalar has. */
    const size_t length = strlen(op->schema), ints = (length / 2 + KT_MAX_ARGS) * (sizeof(kt_scalar) / sizeof(int64_t));
    const size_t texts = 2 * length + strlen(op->name) + (op->doc ? strlen(op->doc) : 0) + 2 * KT_MAX_ARGS + KT_MAX_RESULTS + 8;
    const size_t bytes = (sizeof(block) + ints * sizeof(int64_t) + texts + 63) & ~(size_t)63;
    block       *b = aligned_alloc(64, bytes); /* for good: none of the memory that is counted */
    if (!b)
        return kt__fail_memory(bytes);
    memset(b, 0, bytes);
    char   *text = (char *)(b->ints + ints);
    kt_row *row = &b->row;
    fill_in(row, op, t);
    row->name = copy_line(&text, op->name);
    row->missing = row->name;
    row->schema = copy_line(&text, op->schema);
    row->doc = copy_line(&text, op->doc);
    row->args = b->args;
    row->appended = &b->appended;
    b->appended = (kt__appended){.body = op->body, .setup = op->setup, .node = op->node, .n_saved = (uint32_t)op->n_saved,
                                 .composite = op->composite, .kernels = &b->kernels};
    for (int i = 0; i < t->n_results; i++) {
        b->appended.result_kind[i] = t->list ? KT_ARG_TENSORS : (uint8_t)kind_of(&t->result_type[i]);
        b->appended.optional |= (uint8_t)(t->result_type[i].optional << i);
        if (t->n_results > 1)
            row->results[i] = t->result[i].s ? copy_text(&text, t->result[i].s, t->result[i].n) : "";
    }
    if (read_rule(op, &row->rule) || read_accepts(op, &row->accepts) || read_args(op, t, b->args, b->ints, &text)) {
        free(b);
        return kt_error_status();
    }
    if (row->rule != RULE_NONE && (!row->operands.n || row->operands.n > KT_MOST_GATHERED)) {
        free(b);
        return kt_fail(KT_ERR_VALUE, "operator %s: a dtype rule is about 1 to %d tensors", op->name, KT_MOST_GATHERED);
    }
    *made = row;
    return KT_OK;
}

/* A row that was withdrawn and is appended again as it was: so a program that does it over and over needs no new one. */
static const kt_row *withdrawn_as(const kt_row *row, int n)
{
    const kt__appended *a = row->appended;
    for (int i = 0; i < n; i++) {
        const kt_row       *old = atomic_load_explicit(&appended[i], memory_order_relaxed);
        const kt__appended *o = old->appended;
        if (kt_row_is_withdrawn(old) && strcmp(old->name, row->name) == 0 && strcmp(old->schema, row->schema) == 0 &&
            strcmp(old->doc, row->doc) == 0 && old->rule == row->rule && old->accepts == row->accepts && o->body == a->body &&
            o->setup == a->setup && o->node == a->node && o->n_saved == a->n_saved && o->composite == a->composite)
            return old;
    }
    return NULL;
}

/* *entered: the row, or the old one that is the same. */
static kt_status enter(kt_row *row, const kt_row **entered)
{
    kt_status status = KT_OK;
    pthread_mutex_lock(&appending);
    const int     n = atomic_load_explicit(&n_appended, memory_order_relaxed);
    const kt_row *old = withdrawn_as(row, n);
    if (kt_row_find(row->name))
        status = kt_fail(KT_ERR_VALUE, "operator %s: there is one of that name", row->name);
    else if (!old && n == KT_MOST_APPENDED)
        status = kt_fail(KT_ERR_RUNTIME, "operator %s: %d are appended already, and there is no room for more", row->name, n);
    if (!status && old) {
        atomic_store_explicit(&old->appended->kernels->withdrawn, false, memory_order_release);
        *entered = old;
    } else if (!status) {
        row->id = (uint16_t)(KT_NUM_OPS + n);
        atomic_store_explicit(&appended[n], row, memory_order_relaxed);
        atomic_store_explicit(&n_appended, n + 1, memory_order_release);
        *entered = row;
    }
    pthread_mutex_unlock(&appending);
    return status;
}

kt_status kt_row_append(const kt_operator *op, const kt_row **row)
{
    kt_operator own;
    schema_text t;
    kt_row     *made = NULL;
    if (!op || !row)
        return kt_fail(KT_ERR_TYPE, "kt_row_append: NULL");
    *row = NULL;
    op = kt__options(op, &own, sizeof own);
    if (!op || check_operator(op, &t) || make_row(op, &t, &made))
        return kt_error_status();
    enter(made, row);
    if (*row != made)
        free(made);
    if (!*row)
        return kt_error_status();
    const kt_kernel any = {.size = sizeof any, .run = kt__kernel_of_body};
    if (op->body && kt_row_kernel(*row, &any)) {
        kt_row_withdraw(*row);
        *row = NULL;
        return kt_error_status();
    }
    return KT_OK;
}

kt_status kt_row_withdraw(const kt_row *row)
{
    if (!row || !row->appended)
        return kt_fail(KT_ERR_VALUE, "%s was not appended: it cannot be withdrawn", row ? row->name : "NULL");
    pthread_mutex_lock(&appending);
    atomic_store_explicit(&row->appended->kernels->withdrawn, true, memory_order_release);
    pthread_mutex_unlock(&appending);
    kt__kernels_clear(row);
    return KT_OK;
}

bool kt_row_is_withdrawn(const kt_row *row)
{
    return row && row->appended && atomic_load_explicit(&row->appended->kernels->withdrawn, memory_order_acquire);
}
