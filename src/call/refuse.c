/* refuse.c - see refuse.h. In: a call, and the lines of its row. Out: the error of the first that holds, in PyTorch's words. */
#include "call/refuse.h"

#include <string.h>

#include "base/str.h"
#include "call/autocast.h"

/* ---- facts ---- */

static int operand_at(const kt_call *call, int argument)
{
    const kt__operand_map *map = &call->row->operands;
    for (int k = 0, n = 0; k < map->n; k++) {
        if (!(call->given >> map->at[k] & 1))
            continue;
        if (map->at[k] == argument)
            return n;
        n++;
    }
    return -1;
}

static kt_dtype listed(const kt_call *call, int argument, int64_t at)
{
    const kt_value *list = &call->arg[argument];
    return at < list->ts.n && list->ts.t[at] ? (kt_dtype)list->ts.t[at]->dtype : KT_NONE;
}

kt_dtype kt__fact_dtype(const kt__facts *f, int argument)
{
    const kt_call *call = f->call;
    const int      operand = f->g ? operand_at(call, argument) : -1;
    if (operand >= 0)
        return (kt_dtype)f->g->dtype[operand];
    if (!(call->given >> argument & 1))
        return KT_NONE;
    switch (kt__arg_spec(call->row, argument)->kind) {
    case KT_ARG_TENSOR: return (kt_dtype)call->arg[argument].t->dtype;
    case KT_ARG_TENSOR_OR_SCALAR:
        return call->scalars >> argument & 1 ? kt__dtype_of_number(call->arg[argument].s)
                                             : (kt_dtype)call->arg[argument].t->dtype;
    case KT_ARG_SCALAR: return kt__dtype_of_number(call->arg[argument].s);
    case KT_ARG_DTYPE: return call->arg[argument].dtype;
    case KT_ARG_TENSORS: return listed(call, argument, 0);
    default: return KT_NONE;
    }
}

int64_t kt__fact_unlike(const kt__facts *f, int i)
{
    const kt_value *list = &f->call->arg[i];
    for (int64_t k = 1; k < list->ts.n; k++)
        if (listed(f->call, i, k) != listed(f->call, i, 0))
            return k;
    return 0;
}

bool kt__fact_addresses(const kt__facts *f, int i)
{
    bool all = true;
    for (int64_t k = 0; k < f->call->arg[i].ts.n; k++) {
        const kt_dtype d = listed(f->call, i, k);
        all &= !d || kt__fact_indexes(d) || d == KT_U8 || d == KT_BOOL;
    }
    return all;
}

bool kt__fact_says(const kt__facts *f, int i, const char *word)
{
    const char *said = kt__arg(f->call, i)->str;
    return said && strcmp(said, word) == 0;
}

bool kt__narrows(kt_dtype from, kt_dtype to)
{
    int refusal = 0;
    return from && to && kt__promote_quiet(from, to, &refusal) != to;
}

kt_dtype kt__fact_written(const kt__facts *f)
{
    const kt_tensor *t = f->call->form == KT_OUT ? f->call->out[0] : kt__first_tensor(f->call);
    return t ? (kt_dtype)t->dtype : KT_NONE;
}

/* ---- texts ---- */

static int argument_named(const kt_row *row, const char *name, size_t n)
{
    for (int i = 0; i < kt__n_args(row); i++) {
        const char *argument = kt__arg_spec(row, i)->name;
        if (strlen(argument) == n && memcmp(argument, name, n) == 0)
            return i;
    }
    return -1;
}

/* The dtype that a word in braces stands for. */
static kt_dtype named(const kt__facts *f, const char *name, size_t n)
{
    static const char *const words[] = {"out", "out2", "result", "result2"};
    for (int i = 0; i < 4; i++)
        if (strlen(words[i]) == n && memcmp(words[i], name, n) == 0)
            return i < 2 ? kt__fact_out(f, i) : f->result[i - 2];
    if (n == 7 && memcmp(name, "written", n) == 0)
        return kt__fact_written(f);
    const char  *dot = memchr(name, '.', n);
    const size_t whole = dot ? (size_t)(dot - name) : n;
    const int    at = argument_named(f->call->row, name, whole);
    return at < 0 ? KT_NONE : dot ? listed(f->call, at, kt__fact_unlike(f, at)) : kt__fact_dtype(f, at);
}

/* "tensors.at": where in the list the first stands that is unlike. */
static bool add_place(kt__str *into, const kt__facts *f, const char *word, size_t n)
{
    const bool place = n > 3 && memcmp(word + n - 3, ".at", 3) == 0;
    if (place)
        kt__str_addf(into, "%lld", (long long)kt__fact_unlike(f, argument_named(f->call->row, word, n - 3)));
    return place;
}

/* "{op}", "{missing}", "{self}" (Float), "{self:c}" (float), "{self:np}" (float32), "{self:type}" (torch.FloatTensor),
 * "{self:summary}" (Float{[2, 3]}); of a list "{tensors}" is the dtype of the first, "{tensors.other}" that of the first unlike
 * it. */
static void add_word(kt__str *into, const kt__facts *f, const char *word, size_t n)
{
    const char *colon = memchr(word, ':', n);
    const size_t name = colon ? (size_t)(colon - word) : n;
    if (n == 2 && memcmp(word, "op", 2) == 0)
        kt__str_add(into, f->call->row->name);
    else if (n == 7 && memcmp(word, "missing", 7) == 0)
        kt__str_add(into, f->g ? f->g->missing : f->call->row->missing);
    else if (colon && colon[1] == 's') {
        const int at = argument_named(f->call->row, word, name);
        kt__str_addf(into, "%s{%s}", kt_dtype_torch_name(named(f, word, name)), KT__SIZES_TEXT(f->call->arg[at].t));
    } else if (!add_place(into, f, word, n)) {
        const kt_dtype d = named(f, word, name);
        char           type[64];
        kt__str_add(into, !colon            ? kt_dtype_torch_name(d)
                          : colon[1] == 'c' ? kt_dtype_c_name(d)
                          : colon[1] == 't' ? kt__type_text(d, type, sizeof type)
                                            : kt_dtype_name(d));
    }
}

static kt_status fail(const kt__facts *f, const kt__refusal_line *line)
{
    char    text[1024];
    kt__str s = kt__str_in(text, sizeof text);
    for (const char *c = line->text; *c;) {
        const size_t plain = strcspn(c, "{");
        kt__str_addn(&s, c, plain);
        c += plain;
        if (*c == '{') {
            const size_t n = strcspn(c + 1, "}");
            add_word(&s, f, c + 1, n);
            c += n + 2;
        }
    }
    return kt__fail_dtype(f->call, (kt_status)line->status, "%s", text);
}

/* ---- asking ---- */

static kt_status ask(const kt__facts *f, kt__stage stage)
{
    const kt_row *row = f->call->row;
    for (int i = 0; i < row->n_refusals; i++)
        if (row->refusals[i].stage == stage && row->refusals[i].when(f))
            return fail(f, &row->refusals[i]);
    return KT_OK;
}

/* The operands as the lines read them before the resolver is asked. NULL: as given. Operands that must have one dtype are
 * promoted under policy permissive, and what is asked then, such as whether there is a kernel, is asked of their common dtype:
 * the call is refused if it would be after a cast, and only then. */
static const kt__gathered *read_as(const kt_call *call, uint64_t mode, kt__gathered *g)
{
    const kt__rule rule = (kt__rule)call->row->rule;
    const int      first = rule == RULE_MATCH_REST;
    if (KT__LIKELY(kt__policy(mode) != KT_PERMISSIVE) || (rule != RULE_MATCH && rule != RULE_TO_COMPLEX && !first))
        return NULL;
    kt_call   numbered = *call;
    kt_status status;
    bool      mixed = false;
    numbered.scalars |= call->row->operands.numbers;
    kt__gather(&numbered, g);
    for (int i = first; i < g->n; i++)
        mixed |= g->t[i] && g->dtype[i] != g->dtype[first];
    const kt_dtype common = mixed ? kt__common_dtype(g, first, mode, &status) : KT_NONE;
    for (int i = first; i < g->n && common; i++)
        g->dtype[i] = (uint8_t)common;
    return common ? g : NULL;
}

kt_dtype kt__seen_dtype(const kt_call *call, int argument)
{
    kt__gathered   room;
    const uint64_t mode = kt__mode();
    return kt__fact_dtype(&(kt__facts){.call = call, .g = read_as(call, mode, &room), .mode = mode}, argument);
}

kt_status kt__refuse_slow(const kt_call *call, kt__stage stage)
{
    kt__gathered   room;
    const uint64_t mode = kt__mode();
    return ask(&(kt__facts){.call = call, .g = read_as(call, mode, &room), .mode = mode}, stage);
}

kt_status kt__refuse_case(const kt_call *call, int argument)
{
    kt__gathered    room;
    const uint64_t  mode = kt__mode();
    const kt__facts facts = {.call = call, .g = read_as(call, mode, &room), .mode = mode};
    for (int i = 0; i < call->row->n_refusals; i++) {
        const kt__refusal_line *line = &call->row->refusals[i];
        if (line->stage == STAGE_CASE && line->at == argument && line->when(&facts))
            return fail(&facts, line);
    }
    return KT_OK;
}

kt_status kt__refuse_mix(const kt_call *call, const kt__gathered *g)
{
    return ask(&(kt__facts){.call = call, .g = g, .mode = kt__mode()}, STAGE_MIX);
}

kt_status kt__refuse_known(const kt_call *call, const kt__gathered *g, kt_dtype result)
{
    kt__gathered   room;
    const uint64_t mode = kt__mode();
    return ask(&(kt__facts){.call = call, .g = g ? g : read_as(call, mode, &room), .mode = mode, .result = {result}},
               STAGE_KNOWN);
}

kt_status kt__refuse_target(const kt_call *call, kt_dtype result, kt_dtype second)
{
    return ask(&(kt__facts){.call = call, .mode = kt__mode(), .result = {result, second}}, STAGE_OUT);
}
