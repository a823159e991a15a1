/* policy.c - see policy.h. It knows no rule of promotion: the resolver and the bodies say what is converted. */
#include "call/policy.h"

/* ---- whose tensor is it? ---- */

/* The argument of the call whose memory `t` lies in, as the schema names it; NULL: none. A view of an operand is the operand. */
static const char *argument_of(const kt_call *call, const kt_tensor *t)
{
    const kt__input_map *map = &call->row->inputs;
    for (int i = 0; i < map->n; i++) {
        const int  at = map->at[i];
        const bool listed = map->lists >> i & 1;
        if (!kt__given(call, at) || call->scalars >> at & 1)
            continue;
        kt_tensor *const *of = listed ? call->arg[at].ts.t : &call->arg[at].t;
        for (int64_t k = 0; k < (listed ? call->arg[at].ts.n : 1); k++)
            if (of[k] && of[k]->storage == t->storage)
                return kt__arg_spec(call->row, at)->name;
    }
    return NULL;
}

static bool is_target(const kt_call *call, const kt_tensor *t)
{
    bool any = false;
    for (int i = 0; call->form == KT_OUT && i < kt__n_results(call->row); i++)
        any |= call->out[i] && call->out[i]->storage == t->storage;
    return any;
}

bool kt__is_inner(const kt_call *call, const kt_tensor *t)
{
    if (kt__named.node)
        return true;
    return kt__frame && kt__frame != call && !argument_of(kt__frame, t) && !is_target(kt__frame, t);
}

/* ---- judging ---- */

static kt_status judge(uint64_t mode, const kt_call *call, const char *operand, kt_dtype from, kt_dtype to, kt_reason why)
{
    static const char *const words[KT_NUM_REASONS] = {
        [KT_WHY_PROMOTION] = "promotion",    [KT_WHY_SCALAR] = "promotion by a number",
        [KT_WHY_AUTOCAST] = "autocast",      [KT_WHY_RESULT] = "the result's dtype",
        [KT_WHY_ASSIGN] = "assignment",      [KT_WHY_INDEX] = "an index",
        [KT_WHY_GRADIENT] = "a gradient",    [KT_WHY_LOADING] = "loading",
        [KT_WHY_OPTIMIZER] = "an optimizer", [KT_WHY_INTEROP] = "interop"};
    const kt_policy policy = kt__policy(mode);
    const bool      loses = !kt_can_cast_level(from, to, KT_CAST_SAFE);
    if (KT__UNLIKELY(kt__trying))
        kt__narrowed |= loses;
    if (policy >= KT_TORCH || (policy == KT_SAFE && !loses))
        return KT_OK;
    return kt__fail_conversion(call, operand, from, to, words[why] ? words[why] : "implicit");
}

kt_status kt__allow(uint64_t mode, const kt_call *call, const char *operand, const kt_tensor *t, kt_dtype to, kt_reason why)
{
    const bool inner = why != KT_WHY_GRADIENT && kt__is_inner(call, t); /* backward(gradient) is the user's */
    if ((kt_dtype)t->dtype == to || why == KT_WHY_EXPLICIT || inner || (kt__policy(mode) >= KT_TORCH && !kt__trying))
        return KT_OK;
    const char *name = kt__frame ? argument_of(kt__frame, t) : NULL;
    return judge(mode, call, name ? name : operand, (kt_dtype)t->dtype, to, why);
}

kt_status kt__allow_joined(const kt_call *call)
{
    const uint64_t mode = kt__mode();
    kt_status      status = KT_OK;
    kt__gathered   g;
    if (kt__policy(mode) >= KT_TORCH && !kt__trying)
        return KT_OK;
    kt__gather(call, &g);
    const kt_dtype common = kt__common_dtype(&g, 0, mode, &status);
    for (int i = 0; i < g.n && !status; i++)
        if (g.t[i])
            status = kt__allow(mode, call, kt__arg_spec(call->row, kt__operand_argument(call, i))->name, g.t[i], common,
                               KT_WHY_PROMOTION);
    return status;
}

kt_status kt__allow_result(const kt_call *call, kt_dtype result, const kt_tensor *target)
{
    if (result == (kt_dtype)target->dtype || kt__is_inner(call, target))
        return KT_OK;
    return judge(kt__mode(), call, "the result", result, (kt_dtype)target->dtype, KT_WHY_RESULT);
}
