/* resolve.c - the resolver: all dtype decisions of a call. In: a row, its operands, the mode word. Out: for each operand
 * what the kernel must see it as and why, the compute type and the result dtype; or a refusal in PyTorch's words.
 * It is independent of kernels, memory and shapes. A dry run uses it unchanged. */
#include <string.h>

#include "base/alloc.h"
#include "call/autocast.h"
#include "call/policy.h"
#include "call/refuse.h"
#include "call/target.h"

_Static_assert((int)KT_NUM_COMPUTE == (int)KT__NUM_COMPUTES && (int)KT_IN_C128 == (int)KT__COMPUTE_c128 &&
                   (int)KT_IN_I32 == (int)KT__COMPUTE_i32,
               "the plan's compute types are those of the dtype table, in its order");

static bool category_is(kt_dtype d, int mask) { return (kt__dtype_rows[d].category & mask) != 0; }

/* ---- promotion: dimensioned tensors beat 0-dim tensors beat numbers, unless the weaker has a higher category ---- */

static kt_dtype join(kt_dtype a, kt_dtype b, uint64_t mode, kt_status *status)
{
    if (a == KT_NONE || b == KT_NONE || a == b)
        return a ? a : b;
    int      refusal = 0;
    kt_dtype d = kt__promote_quiet(a, b, &refusal);
    if (d == KT_NONE && kt__policy(mode) == KT_PERMISSIVE)
        d = kt__promote_permissive(a, b);
    if (d == KT_NONE)
        *status = kt__promote_fail(a, b, refusal);
    return d;
}

static kt_dtype prefer(kt_dtype strong, kt_dtype weak, uint64_t mode, kt_status *status)
{
    if (strong == KT_NONE || weak == KT_NONE || category_is(strong, KT_CAT_COMPLEX))
        return strong ? strong : weak;
    if (category_is(strong, KT_CAT_FLOAT)) {
        if (!category_is(weak, KT_CAT_COMPLEX))
            return strong;
        kt_dtype c = kt_dtype_complex(strong);
        if (c == KT_NONE && kt__policy(mode) == KT_PERMISSIVE)
            c = KT_C64;
        if (c == KT_NONE)
            *status = kt_fail(KT_ERR_RUNTIME, "Unknown Complex ScalarType for %s", kt_dtype_torch_name(strong));
        return c;
    }
    if (category_is(weak, KT_CAT_COMPLEX)) /* of any integer; only equal ranks refuse uint16 and kin */
        return weak;
    if (strong == KT_BOOL || category_is(weak, KT_CAT_FLOAT))
        return join(strong, weak, mode, status);
    return strong;
}

kt_dtype kt__common_dtype(const kt__gathered *g, int first, uint64_t mode, kt_status *status)
{
    kt_dtype by_rank[3] = {KT_NONE, KT_NONE, KT_NONE};
    *status = KT_OK;
    for (int i = first; i < g->n && !*status; i++) {
        int at = g->swap && i < 2 ? 1 - i : i; /* a refusal names the operands in the kernel's order */
        by_rank[g->rank[at]] = join(by_rank[g->rank[at]], g->dtype[at], mode, status);
    }
    kt_dtype weak = *status ? KT_NONE : prefer(by_rank[RANK_ZERO], by_rank[RANK_NUMBER], mode, status);
    return *status ? KT_NONE : prefer(by_rank[RANK_DIM], weak, mode, status);
}

/* ---- refusals ---- */

static kt_status missing(const kt_call *call, const kt__gathered *g, kt_dtype d)
{
    return kt__fail_dtype(call, KT_ERR_NOT_IMPLEMENTED, "\"%s\" not implemented for '%s'", g->missing,
                          kt_dtype_torch_name(d));
}

/* The row's message for a mismatch, or the common one. */
static kt_status mismatch(const kt_call *call, const kt__gathered *g, int at)
{
    if (kt__refuse_mix(call, g))
        return kt_error_status();
    return kt__fail_dtype(call, KT_ERR_RUNTIME, "expected dtype %s for `%s` but got dtype %s",
                          kt_dtype_c_name((kt_dtype)g->dtype[0]), kt__arg_spec(call->row, kt__operand_argument(call, at))->name,
                          kt_dtype_c_name((kt_dtype)g->dtype[at]));
}

/* ---- the rules ---- */

static kt_status match(const kt_call *call, const kt__gathered *g, int first, uint64_t mode, kt_dtype *common)
{
    kt_status status = KT_OK;
    *common = g->dtype[first];
    for (int i = first + 1; i < g->n; i++) {
        if (!g->t[i] || g->dtype[i] == g->dtype[first])
            continue;
        if (kt__policy(mode) != KT_PERMISSIVE)
            return mismatch(call, g, i);
        *common = kt__common_dtype(g, first, mode, &status);
        return status;
    }
    return KT_OK;
}

/* FLOAT rules turn integers into the default float, DOUBLE all into the widest. */
static kt_dtype as_float(uint8_t rule, kt_dtype d)
{
    if (rule == RULE_DOUBLE)
        return category_is(d, KT_CAT_COMPLEX) ? KT_C128 : KT_F64;
    bool floats = rule == RULE_FLOAT || rule == RULE_FLOAT_TO_REAL;
    return floats && category_is(d, KT_CAT_BOOL | KT_CAT_INT) ? kt_get_default_dtype() : d;
}

static kt_status common_and_result(const kt_call *call, const kt__gathered *g, uint64_t mode, kt_dtype *common,
                                   kt_dtype *result)
{
    kt_status status = KT_OK;
    switch (g->rule) {
    case RULE_SAME:
    case RULE_TO_BOOL:
    case RULE_TO_REAL:
    case RULE_TRUTH:
    case RULE_INDEX:
    case RULE_WITH_INDEX: *common = g->dtype[0]; break;
    case RULE_MEAN:
    case RULE_NORM: *common = (kt_dtype)(g->want ? g->want : g->dtype[0]); break;
    case RULE_DEFAULT: *common = g->want ? (kt_dtype)g->want : kt_get_default_dtype(); break;
    case RULE_COUNT: *common = g->want ? (kt_dtype)g->want : KT_I64; break;
    case RULE_SUM:
        *common = g->want                                              ? (kt_dtype)g->want
                  : category_is(g->dtype[0], KT_CAT_BOOL | KT_CAT_INT) ? KT_I64
                                                                       : (kt_dtype)g->dtype[0];
        break;
    case RULE_MATCH:
    case RULE_TO_COMPLEX: status = match(call, g, 0, mode, common); break;
    case RULE_MATCH_REST: status = match(call, g, 1, mode, common); break;
    case RULE_WHERE: *common = kt__common_dtype(g, 1, mode, &status); break;
    case RULE_DOUBLE: /* each operand on its own: no two are joined */
        *common = KT_F64;
        for (int i = 0; i < g->n; i++)
            *common = category_is((kt_dtype)g->dtype[i], KT_CAT_COMPLEX) ? KT_C128 : *common;
        break;
    default: *common = kt__common_dtype(g, 0, mode, &status); break;
    }
    if (status)
        return status;
    *common = as_float(g->rule, *common);
    *result = *common;
    if (g->rule == RULE_COMPARE || g->rule == RULE_TO_BOOL)
        *result = KT_BOOL;
    if (g->rule == RULE_TRUTH)
        *result = g->want ? (kt_dtype)g->want : *common == KT_U8 ? KT_U8 : KT_BOOL;
    if (g->rule == RULE_INDEX)
        *result = KT_I64;
    if (g->rule == RULE_SEARCH)
        *result = g->want ? (kt_dtype)g->want : KT_I64;
    if (g->rule == RULE_TO_REAL || g->rule == RULE_FLOAT_TO_REAL || g->rule == RULE_NORM)
        *result = kt_dtype_real(*common);
    if (g->rule == RULE_TO_COMPLEX)
        *result = kt_dtype_complex(*common);
    return KT_OK;
}

static kt_status decide(const kt_call *call, const kt__gathered *given, uint64_t mode, kt__decision *d)
{
    const kt_row *row = call->row;
    kt__gathered  g = *given;
    kt_dtype      common = KT_NONE, result = KT_NONE;
    memset(d, 0, sizeof *d);
    if (kt__refuse(call, STAGE_BEFORE))
        return kt_error_status();
    if (mode & KT_M_AUTOCAST && kt__autocast_dtypes(call, &g, mode, d->why))
        return kt_error_status();
    if (row->way->broadcasts && kt__check_shapes(call, given))
        return kt_error_status();
    if (common_and_result(call, &g, mode, &common, &result)) {
        if (g.rule != RULE_MATCH && g.rule != RULE_MATCH_REST && g.rule != RULE_TO_COMPLEX)
            kt__explain_refusal(call);
        return kt_error_status();
    }
    if (!category_is(common, g.accepts)) {
        if ((row->way->broadcasts || row->way->composes) && kt__check_out(call, result, KT_NONE))
            return kt_error_status();
        return missing(call, &g, common);
    }

    kt_status    ignored = KT_OK;
    kt__gathered tensors = g;
    tensors.n = tensors.swap = 0;
    for (int i = 0; i < g.n; i++)
        if (g.t[i]) {
            tensors.dtype[tensors.n] = g.dtype[i];
            tensors.rank[tensors.n++] = g.rank[i];
        }
    bool     by_number = tensors.n < g.n && tensors.n && category_is(common, KT_CAT_FLOAT | KT_CAT_COMPLEX);
    kt_dtype alone = by_number ? kt__common_dtype(&tensors, g.rule == RULE_WHERE, mode | KT_PERMISSIVE, &ignored) : common;
    by_number = as_float(g.rule, alone) != common; /* would the tensors alone have given it? x / 2 is float whatever the 2 */
    const bool casts = mode & KT_M_AUTOCAST && memcmp(g.dtype, given->dtype, g.n) != 0;
    bool folds = g.rule == RULE_SUM || g.rule == RULE_MEAN || g.rule == RULE_NORM; /* dtype= is theirs */
    const bool into_out = call->form == KT_OUT && !row->body && !g.asked; /* a body writes into out= what it has made */
    d->origin = 0xff;
    d->why_result = by_number ? KT_WHY_SCALAR : casts ? KT_WHY_AUTOCAST : KT_WHY_PROMOTION;
    for (int i = 0; i < g.n; i++) {
        bool condition = g.rule == RULE_WHERE && i == 0;
        d->as[i] = condition ? given->dtype[0] : (uint8_t)common;
        if (!g.t[i])
            continue;
        bool accumulates = folds && !g.want && !d->why[i]; /* exempt from policy */
        if (given->dtype[i] != d->as[i] && !d->why[i])
            d->why[i] = !folds                 ? d->why_result
                        : !g.want              ? KT_WHY_PROMOTION
                        : into_out             ? KT_WHY_RESULT
                                               : KT_WHY_EXPLICIT;
        if (given->dtype[i] == result && d->origin == 0xff && !condition)
            d->origin = (uint8_t)i;
        if (accumulates || given->dtype[i] == d->as[i])
            continue;
        if (kt__allow(mode, call, kt__arg_spec(row, kt__operand_argument(call, i))->name, g.t[i], (kt_dtype)d->as[i],
                      (kt_reason)d->why[i]))
            return kt_error_status();
        d->inner |= kt__is_inner(call, g.t[i]);
    }
    d->common = (uint8_t)common;
    d->result = (uint8_t)result;
    d->second = (uint8_t)(g.rule == RULE_WITH_INDEX ? KT_I64 : common);
    d->compute = kt__dtype_rows[common].compute;
    return KT_OK;
}

/* ---- the cache of decisions ---- */

KT__HOT_LOCAL kt__decided *kt__decisions;

typedef struct table {
    kt__exit_hook at_exit;
    kt__decided   entry[KT_DECISIONS];
} table;

static void forget(kt__exit_hook *hook)
{
    table *t = (table *)(void *)hook; /* the hook is its first member */
    kt__decisions = NULL;
    kt__system_put(t, sizeof *t);
}

/* Without memory for the cache every call is resolved again. */
static kt__decided *decisions(void)
{
    if (kt__decisions)
        return kt__decisions;
    table *t = kt__system_get(sizeof *t);
    if (!t)
        return NULL;
    memset(t, 0, sizeof *t);
    if (!kt__on_thread_exit(&t->at_exit, forget)) {
        kt__system_put(t, sizeof *t);
        return NULL;
    }
    return kt__decisions = t->entry;
}

kt_status kt__resolve_anew(const kt_call *call, const kt__gathered *g, uint64_t mode, kt__decision_key key, kt__decision *d)
{
    kt_status status = decide(call, g, mode, d);
    const bool waived = d->inner && kt__policy(mode) < KT_TORCH; /* the user's own call would be refused */
    if (!status && !kt__trying && !waived && decisions()) {
        kt__decided *entry = &kt__decisions[kt__decision_slot(key)];
        entry->key = key;
        entry->decision = *d;
    }
    return status;
}

KT__COLD uint32_t kt__record_result(const kt_call *call, kt__decision *d, const kt_tensor *first, uint32_t site)
{
    const uint32_t id = KT__RECORD((kt_reason)d->why_result, call->row->name, first->dtype, d->result, first->lineage);
    if (id != KT__UNTRACKED) /* a later attempt may find memory */
        d->recorded = (kt__recorded){first->lineage, site, id};
    return id;
}

kt_status kt_result_type(const kt_value *operand, int n, uint32_t scalars, kt_dtype *result)
{
    kt__gathered g = {.n = (uint8_t)n};
    kt_status    status = KT_OK;
    if (n < 1 || n > KT_MOST_GATHERED)
        return kt_fail(KT_ERR_VALUE, "result_type: 1 to %d operands, not %d", KT_MOST_GATHERED, n);
    if (!operand || !result)
        return kt_fail(KT_ERR_VALUE, "result_type: NULL");
    for (int i = 0; i < n; i++) {
        const bool       number = scalars >> i & 1;
        const kt_tensor *t = number ? NULL : operand[i].t;
        if (!number && !t)
            return kt_fail(KT_ERR_TYPE, "expected a tensor, got NULL");
        g.dtype[i] = number ? (uint8_t)kt__dtype_of_number(operand[i].s) : t->dtype;
        g.rank[i] = number || t->flags & KT_T_WRAPPED ? RANK_NUMBER : t->ndim ? RANK_DIM : RANK_ZERO;
    }
    *result = kt__common_dtype(&g, 0, kt__mode(), &status);
    return status;
}
