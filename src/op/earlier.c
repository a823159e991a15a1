/* earlier.c - two mistakes in one call: the one that PyTorch checks first is reported. In: a call with an error pending,
 * or with an out= that will be refused. Out: that error, or the earlier one. It writes nothing and makes no call that
 * could succeed. */
#include "op/call.h"
#include "op/target.h"

/* Only a failed call pays for the order. */
KT__COLD kt_status kt__unless_earlier(kt_status (*check)(const void *), const void *what)
{
    kt_error_state *later = kt_error_push();
    if (!later)
        return kt_error_status();
    const kt_status earlier = check(what);
    kt_error_pop(later);
    if (!earlier)
        return kt_error_status();
    kt_clear();
    return check(what);
}

static kt_status tape_rules(const void *call) { return kt__tape.rules(call); }

/* PyTorch checks the target (a leaf, or an out= with a history) before the arguments. */
KT__COLD kt_status kt__first_mistake(const kt_call *call)
{
    const kt_row *row = call->row;
    bool          itself = call->form == KT_OUT || (!row->way->lists && kt__arg_spec(row, 0)->kind == KT_ARG_TENSOR);
    const bool opaque = call->form == KT_OUT && row->target.grad == TARGET_OPAQUE;
    if (row->way->composes && !row->node && !opaque) /* a composite: its own checks precede the writes of its parts */
        itself = false;
    for (int i = 0; call->form == KT_OUT && i < kt__n_results(call->row); i++)
        itself = itself && call->out[i];
    if (call->form == KT_OUT) /* rows without a derivative may write to any target */
        itself = itself && (call->row->node || row->target.grad == TARGET_OPAQUE) && call->row->rule != RULE_COMPARE;
    return itself && kt__is_watched(call) ? kt__unless_earlier(tape_rules, call) : kt_error_status();
}

/* Dims, sizes and dtypes of an indexing call; numbers that do not fit and missing kernels are reported last. */
static kt_status check_operands(const kt_call *call)
{
    kt_call plain = *call;
    if (call->row->id == KT_OP_index_add)
        plain.given &= ~(1u << 4);
    else if (call->row->id == KT_OP_scatter_value || call->row->id == KT_OP_scatter_value_combine)
        plain.arg[3].s = KT_INT(0);
    const kt_status status = kt__rehearse(&plain);
    if (status != KT_ERR_NOT_IMPLEMENTED)
        return status;
    kt_clear();
    return KT_OK;
}

/* The arguments of a scatter except reduce=, which PyTorch reads after the memory check. */
static kt_status check_scattered(const kt_call *call, const char *reduction)
{
    kt_call named = *call;
    named.arg[4].str = reduction;
    return check_operands(&named);
}

/* Checks before the memory check in rows that must not read what they write: arguments and the dtype of out=. */
kt_status kt__check_before_memory(const void *what)
{
    const kt_call *call = what;
    const bool     out = call->form == KT_OUT;
    switch (call->row->id) {
    case KT_OP_index_add:
    case KT_OP_index_reduce:
    case KT_OP_index_select:
        if (check_operands(call))
            return kt_error_status();
        break;
    case KT_OP_take:
        if (call->arg[1].t->dtype != KT_I64)
            return check_operands(call);
        break;
    case KT_OP_gather:
    case KT_OP_index_copy:
        if (kt__wrap_dim(&(int64_t){call->arg[1].i}, call->arg[0].t->ndim))
            return kt_error_status();
        break;
    case KT_OP_masked_select:
        if (call->arg[1].t->dtype != KT_BOOL)
            return check_operands(call);
        break;
    case KT_OP_nonzero:
    case KT_OP_nonzero_static: break;
    case KT_OP_scatter:
    case KT_OP_scatter_add:
    case KT_OP_scatter_value: return check_operands(call);
    case KT_OP_scatter_combine:
    case KT_OP_scatter_value_combine: return check_scattered(call, "add");
    case KT_OP_scatter_reduce: return check_scattered(call, "sum");
    default: return KT_OK;
    }
    return out ? kt__check_out(call, (kt_dtype)call->arg[0].t->dtype, KT_NONE) : KT_OK;
}

/* Indexing rows whose result has the size of self: when they check out= for internal overlap. */
typedef enum asks { NEVER, FIRST, AS_IT_IS, AS_IT_WILL_BE } asks;

static asks asks_of(int op)
{
    switch (op) {
    case KT_OP_scatter:
    case KT_OP_scatter_add:
    case KT_OP_scatter_combine:
    case KT_OP_scatter_reduce:
    case KT_OP_scatter_value:
    case KT_OP_scatter_value_combine: return FIRST; /* before its dtype */
    case KT_OP_index_select:
    case KT_OP_masked_select:
    case KT_OP_take: return AS_IT_IS;
    case KT_OP_gather:
    case KT_OP_index_add:
    case KT_OP_index_copy:
    case KT_OP_index_reduce: return AS_IT_WILL_BE; /* after resizing */
    default: return NEVER;
    }
}

/* Index values and missing kernels are checked last: an out= that cannot be written is refused before. */
kt_status kt__check_before_values(const kt_call *call)
{
    const asks       when = asks_of(call->row->id);
    const kt_tensor *out = call->out[0], *self = call->arg[0].t;
    if (when == NEVER || (out->dtype == self->dtype && !kt__overlaps_itself(out)))
        return KT_OK;
    if (kt__check_before_memory(call) || (when == FIRST && kt__check_written(out, NULL, 0)) ||
        kt__check_out(call, (kt_dtype)self->dtype, KT_NONE))
        return kt_error_status();
    const kt_tensor *like = call->row->id == KT_OP_gather ? call->arg[2].t : self;
    return when == AS_IT_IS || kt__has_sizes(out, kt__sizes(like)) ? kt__check_written(out, NULL, 0) : KT_OK;
}
