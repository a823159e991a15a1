/* refusal.c - the explanation of a failed call: its operands, its line, and fixes.
 *
 * In: a call and the error that is pending. Out: more text, by the lineage layer, and the same as data
 * (kt_error_mistake). Inside a composite the outermost call is explained: the one that the user wrote. Independent of: the
 * rules. Out of memory: the first line alone. */
#include <stdarg.h>
#include <string.h>

#include <karat/lineage.h>

#include "base/alloc.h"
#include "base/str.h"
#include "call/call.h"
#include "tables/schema.h"

/* ---- the record ---- */

typedef struct record {
    kt_mistake m;
    char       op[sizeof((kt__mistake *)0)->op], name[KT__NOTED][48], words[KT__FIXES][KT__FIX_WORDS];
    int64_t    sizes[KT__NOTED][KT_MAX_DIMS];
} record;

_Static_assert(sizeof((kt_mistake *)0)->operand / sizeof *((kt_mistake *)0)->operand == KT__NOTED &&
                   sizeof((kt_mistake *)0)->fix / sizeof *((kt_mistake *)0)->fix == KT__FIXES,
               "the public record has room for what is noted");

static void free_record(void *r) { kt__system_put(r, sizeof(record)); }

static void keep_operand(record *r, int i, const kt__operand_note *o)
{
    kt__str name = kt__str_in(r->name[i], sizeof r->name[i]);
    kt__str_add(&name, o->name);
    if (o->element)
        kt__str_addf(&name, "[%d]", o->element - 1);
    r->m.operand[i].name = r->name[i];
    r->m.operand[i].dtype = (kt_dtype)o->dtype;
    if (!o->tensor)
        return;
    memcpy(r->sizes[i], o->tensor->sizes, (size_t)o->tensor->ndim * sizeof(int64_t));
    r->m.operand[i].shape = (kt_shape){o->tensor->ndim, r->sizes[i]};
    r->m.operand[i].lineage = o->tensor->lineage;
}

static void keep(const kt__mistake *m)
{
    record *r = kt__system_get(sizeof *r);
    if (!r)
        return;
    memcpy(r->op, m->op, sizeof r->op);
    r->m = (kt_mistake){.size = sizeof r->m, .op = r->op, .file = m->file, .line = m->line, .n = m->n, .n_fixes = m->n_fixes};
    for (int i = 0; i < m->n; i++)
        keep_operand(r, i, &m->operand[i]);
    for (int i = 0; i < m->n_fixes; i++) {
        const kt__fix *fix = &m->fix[i];
        memcpy(r->words[i], fix->words, sizeof r->words[i]);
        r->m.fix[i] = (kt_fix){.kind = (kt_fix_kind)fix->kind,
                               .dtype = (kt_dtype)fix->dtype,
                               .policy = (kt_policy)fix->policy,
                               .operands = fix->operands,
                               .loses = fix->loses,
                               .text = r->words[i]};
    }
    kt__error_set_record(r, free_record);
}

bool kt_error_mistake(kt_mistake *out)
{
    const record *r = kt__error_record();
    if (!r || !out)
        return false;
    const size_t size = out->size < sizeof r->m ? out->size : sizeof r->m;
    memcpy(out, &r->m, size);
    out->size = size;
    return true;
}

const char *kt_fix_kind_name(kt_fix_kind kind)
{
    static const char *const names[] = {
        [KT_FIX_CAST] = "cast",   [KT_FIX_MAKE] = "make",     [KT_FIX_OUT_OF_PLACE] = "out_of_place",
        [KT_FIX_DTYPE] = "dtype", [KT_FIX_POLICY] = "policy",
    };
    return (size_t)kind < sizeof names / sizeof *names ? names[kind] : "?";
}

/* ---- the operator ---- */

static bool in_binding(void) { return kt__lineage.in_binding && kt__lineage.in_binding(); }

const char *kt__row_display_name(const kt_row *row, bool by_binding, char *room, size_t size)
{
    static const char *const families[][2] = {{"nn_", ""}, {"linalg_", "linalg."}, {"special_", "special."}, {"fft_", "fft."}};
    kt__str                  s = kt__str_in(room, size);
    const char              *name = by_binding ? (row->schema[0] == '_' ? kt__schema_display_name(row) : row->schema) : row->name;
    name = row->appended ? row->name : name; /* mylib::scale in every language */
    for (size_t i = 0; by_binding && i < sizeof families / sizeof *families; i++)
        if (strncmp(name, families[i][0], strlen(families[i][0])) == 0) {
            name += strlen(families[i][0]);
            kt__str_add(&s, families[i][1]);
            break;
        }
    kt__str_addn(&s, name, (size_t)schema_name_length(name));
    return room;
}

static const char *op_text(const kt_row *row, kt_form form, char *room, size_t size)
{
    const bool by_binding = in_binding();
    const char *ending = form == KT_INPLACE ? "_" : form == KT_OUT && !by_binding ? "_out" : "";
    kt__row_display_name(row, by_binding, room, size - strlen(ending));
    return strcat(room, ending);
}

const char *kt__op_text(const kt_call *call, char *room, size_t size)
{
    call = kt__frame ? kt__frame : call;
    return call ? op_text(call->row, (kt_form)call->form, room, size) : "a copy";
}

/* ---- the operands ---- */

static void note(kt__mistake *m, const char *name, int element, const kt_tensor *t)
{
    if (m->n < KT__NOTED)
        m->operand[m->n++] = (kt__operand_note){
            .name = name, .tensor = t, .dtype = t ? t->dtype : KT_NONE, .element = (int16_t)element};
}

/* Of a long list: the first element, and those with another dtype. */
static void note_list(kt__mistake *m, const char *name, kt_tensor *const *t, int64_t n)
{
    enum { ALL_OF = 4 };
    for (int64_t k = 0; kt__is_list(n, t, sizeof *t) && k < n && k < INT16_MAX; k++)
        if (t[k] && (k < ALL_OF || !t[0] || t[k]->dtype != t[0]->dtype))
            note(m, name, (int)k + 1, t[k]);
}

static void note_call(kt__mistake *m, const kt_call *call)
{
    const kt_form form = (kt_form)call->form;
    m->row = call->row;
    op_text(call->row, form, m->op, sizeof m->op);
    for (int i = 0; i < kt__n_args(call->row); i++) {
        const kt_arg_spec *spec = kt__arg_spec(call->row, i);
        const bool         number = call->scalars >> i & 1;
        if (!kt__given(call, i))
            continue;
        if (spec->kind == KT_ARG_TENSORS)
            note_list(m, spec->name, call->arg[i].ts.t, call->arg[i].ts.n);
        else if (spec->kind == KT_ARG_TENSOR_OR_SCALAR || (spec->kind == KT_ARG_TENSOR && call->arg[i].t))
            note(m, spec->name, 0, number ? NULL : call->arg[i].t);
    }
    const int results = form == KT_OUT ? kt__n_results(call->row) : 0;
    for (int i = 0; i < results; i++)
        if (call->out[i])
            note(m, "out", results > 1 ? i + 1 : 0, call->out[i]);
}

/* ---- explaining ---- */

static void finish(kt__mistake *m)
{
    m->site = kt__named.site;
    if (kt__lineage.explain)
        kt__lineage.explain(m);
    keep(m);
}

static void explain(const kt_call *call, const char *operand, kt_dtype from, kt_dtype to)
{
    if (kt__frame)
        call = kt__frame;
    kt__refused |= kt__trying;
    if (!call || kt__trying)
        return;
    kt__mistake m = {.about_dtypes = true};
    uint16_t    convert = 0;
    note_call(&m, call);
    for (int i = 0; i < m.n && operand; i++)
        if (m.operand[i].tensor && m.operand[i].dtype == from && strcmp(m.operand[i].name, operand) == 0)
            convert |= (uint16_t)(1u << i);
    kt__find_fixes(call, &m, convert, to);
    finish(&m);
}

void kt__explain_refusal(const kt_call *call) { explain(call, NULL, KT_NONE, KT_NONE); }

KT__COLD void kt__explain_failure(const kt_call *call)
{
    if (kt__frame || kt__trying || kt_error_status() == KT_ERR_FOREIGN || kt__error_record())
        return;
    kt__mistake m = {.about_dtypes = false};
    note_call(&m, call);
    finish(&m);
}

/* ---- failing ---- */

kt_status kt__fail_dtype(const kt_call *call, kt_status code, const char *format, ...)
{
    char    text[1024];
    va_list more;
    va_start(more, format);
    vsnprintf(text, sizeof text, format, more);
    va_end(more);
    if (kt__failed())
        return kt_error_status();
    kt_fail(code, "%s", text);
    kt__explain_refusal(call);
    return code;
}

/* A dtype refused outside of any operator: one tensor, what it ought to be, and a policy that takes it as it is (0: none). */
static kt_status refuse(kt_status status, const kt_tensor *t, const char *op, kt_fix_kind fix, kt_dtype wanted, kt_policy under,
                        const char *text)
{
    if (kt__failed())
        return kt_error_status();
    kt__mistake m = {.about_dtypes = true, .n_fixes = 1};
    kt__str     name = kt__str_in(m.op, sizeof m.op);
    kt_fail(status, "%s", text ? text : "");
    if (!t || !op || !kt__dtype_valid(wanted) || (unsigned)fix > KT_FIX_POLICY)
        return kt_error_status(); /* nothing to explain */
    kt__str_add(&name, op);
    note(&m, "self", 0, t);
    m.fix[0] = (kt__fix){.kind = (uint8_t)fix,
                         .dtype = (uint8_t)wanted,
                         .operands = fix == KT_FIX_CAST || fix == KT_FIX_MAKE,
                         .loses = !kt_can_cast_level((kt_dtype)t->dtype, wanted, KT_CAST_SAFE)};
    if (under)
        m.fix[m.n_fixes++] = (kt__fix){.kind = KT_FIX_POLICY, .policy = (uint8_t)under};
    finish(&m);
    return kt_error_status();
}

kt_status kt_refuse_dtype(kt_status status, const kt_tensor *t, const char *op, kt_fix_kind fix, kt_dtype wanted,
                          const char *text)
{
    return refuse(status, t, op, fix, wanted, 0, text);
}

kt_status kt_refuse_unlike(kt_status status, const char *op, const kt_tensor *a, const char *a_name, const kt_tensor *b,
                           const char *b_name, const char *text)
{
    const kt_tensor *const t[] = {a, b};
    if (kt__failed())
        return kt_error_status();
    kt__mistake m = {.about_dtypes = true};
    kt_fail(status, "%s", text ? text : "");
    if (!op || !a_name || !b_name || !a || !b)
        return kt_error_status(); /* nothing to explain */
    kt__str into = kt__str_in(m.op, sizeof m.op);
    kt__str_add(&into, op);
    note(&m, a_name, 0, a);
    note(&m, b_name, 0, b);
    for (int lossy = 0; lossy < 2; lossy++)
        for (int i = 0; i < 2; i++) {
            const kt_dtype to = (kt_dtype)t[1 - i]->dtype;
            const bool     loses = !kt_can_cast_level((kt_dtype)t[i]->dtype, to, KT_CAST_SAFE);
            if (loses == lossy)
                m.fix[m.n_fixes++] = (kt__fix){.kind = KT_FIX_CAST, .dtype = (uint8_t)to, .operands = 1u << i, .loses = loses};
        }
    finish(&m);
    return kt_error_status();
}

kt_status kt_refuse_grad(const kt_tensor *t, const char *op, kt_fix_kind fix, const char *text)
{
    kt_policy under = 0;
    for (int policy = kt_get_policy() + 1; t && policy <= KT_PERMISSIVE && !under; policy++) {
        kt_mode_guard guard = kt_policy_open((kt_policy)policy);
        under = kt_may_require_grad((kt_dtype)t->dtype) ? (kt_policy)policy : 0;
        kt_mode_close(&guard);
    }
    return refuse(KT_ERR_RUNTIME, t, op, fix, kt_get_default_dtype(), under, text);
}

const char *kt__policy_text(kt_policy policy, char *room, size_t size)
{
    const char *name = kt_policy_name(policy);
    kt__str     s = kt__str_in(room, size);
    if (in_binding()) {
        kt__str_addf(&s, "karat.policy(\"%s\")", name);
        return room;
    }
    kt__str_add(&s, "KT_POLICY(KT_");
    for (; *name; name++)
        kt__str_addf(&s, "%c", *name >= 'a' && *name <= 'z' ? *name - 'a' + 'A' : *name);
    kt__str_add(&s, ")");
    return room;
}

kt_status kt__fail_conversion(const kt_call *call, const char *operand, kt_dtype from, kt_dtype to, const char *why)
{
    char room[64], op[64];
    if (kt__failed())
        return kt_error_status();
    kt_fail(KT_ERR_TYPE, "%s refuses to convert %s from %s to %s in %s (%s)",
            kt__policy_text(kt_get_policy(), room, sizeof room), operand, kt_dtype_name(from), kt_dtype_name(to),
            kt__op_text(call, op, sizeof op), why);
    explain(call, operand, from, to);
    return KT_ERR_TYPE;
}
