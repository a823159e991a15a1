/* end.c - see end.h. In: a call and what its body made. Out: results that the call owns, or targets written to. */
#include "call/end.h"

#include "call/target.h"
#include "call/wrap.h"

kt_status kt__run_as(kt_call *call, kt_call *c)
{
    const int n = kt__n_results(call->row);
    c->form = call->form;
    for (int i = 0; i < n; i++)
        c->out[i] = call->out[i];
    const kt_status status = kt_call_run(c);
    for (int i = 0; i < n && !status; i++)
        call->out[i] = c->out[i];
    return status;
}

/* ---- out= ---- */

/* Checks the target as the copy will, before resizing: a refused target keeps its sizes. */
static kt_status record_copy(kt_tensor *out, kt_tensor *made)
{
    kt_call c;
    kt__open(&c, KT_OP_copy, KT_INPLACE);
    kt__put_tensor(&c, 0, out);
    kt__put_tensor(&c, 1, made);
    if (kt__tape.rules(&c) || kt__bind_target(out, kt__sizes(made), NULL))
        return kt_error_status();
    kt_status status = kt__run_copy(&c, KT_WHY_RESULT);
    if (!status)
        kt__unref(c.out[0]);
    return status;
}

/* Does a result or a target require grad? A row with a node has asked before. */
static bool is_wanted(const kt_call *call, kt_tensor *const *made, int n)
{
    uint32_t flags = 0;
    for (int i = 0; i < n; i++)
        flags |= kt__grad_flags(made[i]) | kt__grad_flags(call->out[i]);
    return flags & KT_T_REQUIRES_GRAD && kt__mode() & KT_M_GRAD && !kt__born_flags && kt__tape.rules &&
           (n == 1 || !call->row->node);
}

kt_status kt__check_ends(const kt_call *call, kt_tensor *const *made, int n)
{
    kt__decision d = {.result = made[0]->dtype, .second = n > 1 ? made[1]->dtype : KT_NONE};
    const bool   wanted = call->form == KT_OUT && is_wanted(call, made, n);
    if (call->form != KT_OUT)
        return KT_OK;
    for (int i = 0; i < n; i++)
        if (KT__UNLIKELY(kt__are_dual(kt__grad_flags(made[i]) | kt__grad_flags(call->out[i]))))
            return kt__refuse_forward_out(call);
    if (wanted && kt__tape.rules(call))
        return kt_error_status();
    for (int i = 0; i < n; i++) {
        const kt__gathered at = {.n = 0, .first = made[i]};
        d.second = i > 1 ? made[i]->dtype : d.second;
        if (kt__check_target(call, &at, &d, i, kt__sizes(made[i])))
            return kt_error_status();
    }
    return KT_OK;
}

static kt_status store(kt_call *call, kt_tensor *const *made, int n)
{
    if (kt__check_ends(call, made, n))
        return kt_error_status();
    if (call->row->target.grad == TARGET_RECORDED && is_wanted(call, made, n))
        return record_copy(call->out[0], made[0]);
    if (call->row->target.silent_resize && !kt__has_sizes(call->out[0], kt__sizes(made[0])) &&
        kt__tensor_resize(call->out[0], kt__sizes(made[0]), NULL))
        return kt_error_status();
    if (kt__store_several(call->out, made, n))
        return kt_error_status();
    for (int i = 0; i < n; i++)
        kt__wrote(call->out[i]);
    return KT_OK;
}

/* ---- in place ---- */

/* A row with a node is recorded by its way, which counts the write too; else the copy is what is recorded. */
static kt_status write_over(kt_call *call, kt_tensor *made)
{
    kt_tensor *self = call->arg[0].t;
    if (kt__check_written(self, NULL, 0)) /* elements that show the same memory cannot all be written */
        return kt_error_status();
    if (call->row->node) {
        const kt_status status = kt__copy_into(self, made, KT_WHY_RESULT, KT_ROUND_TORCH);
        call->out[0] = status ? NULL : kt__ref(self);
        return status;
    }
    kt_call c;
    kt__open(&c, KT_OP_copy, KT_INPLACE);
    kt__put_tensor(&c, 0, self);
    kt__put_tensor(&c, 1, made);
    const kt_status status = kt__run_copy(&c, KT_WHY_RESULT);
    call->out[0] = status ? NULL : c.out[0];
    return status;
}

/* ---- ending ---- */

/* The first input, and the first that has that dtype, which it becomes if there is one. */
static const kt_tensor *input_like(const kt_call *call, kt_dtype dtype)
{
    const kt_tensor *first = NULL;
    for (int k = 0; k < call->row->inputs.n; k++) {
        const int at = call->row->inputs.at[k];
        if (!kt__given(call, at) || call->scalars >> at & 1)
            continue;
        const bool       list = call->row->inputs.lists >> k & 1;
        const int64_t    n = list ? call->arg[at].ts.n : 1;
        kt_tensor *const *t = list ? call->arg[at].ts.t : &call->arg[at].t;
        for (int64_t i = 0; i < n; i++) {
            if (t[i] && t[i]->dtype == dtype)
                return t[i];
            first = first ? first : t[i];
        }
    }
    return first;
}

/* A dtype is never lost: what a body made without saying where its dtype came from has that of an input, follows from the first
 * one's, or, places and truths, is born here. */
static void trace(const kt_call *call, kt_tensor *made)
{
    const kt_tensor *from = input_like(call, (kt_dtype)made->dtype);
    const int        category = kt__dtype_rows[made->dtype].category;
    if (from && from->dtype == made->dtype)
        made->lineage = from->lineage;
    else if (from && category & (KT_CAT_FLOAT | KT_CAT_COMPLEX))
        made->lineage = KT__RECORD(KT_WHY_PROMOTION, call->row->name, from->dtype, made->dtype, from->lineage);
    else
        made->lineage = KT__RECORD(KT_BORN, call->row->name, KT_NONE, made->dtype, 0);
}

kt_status kt__end_several(kt_call *call, kt_tensor *const *made, int n)
{
    for (int i = 0; i < n; i++)
        if (!made[i])
            return kt_error_status();
    if (kt__failed())
        return kt_error_status();
    if (call->form == KT_INPLACE)
        return write_over(call, made[0]);
    if (call->form == KT_OUT && store(call, made, n))
        return kt_error_status();
    for (int i = 0; i < n; i++) {
        if (!made[i]->lineage && call->form == KT_PLAIN)
            trace(call, made[i]);
        call->out[i] = kt__ref(call->form == KT_OUT ? call->out[i] : made[i]);
    }
    return KT_OK;
}

kt_status kt__end(kt_call *call, kt_tensor *made) { return kt__end_several(call, &made, 1); }

kt_status kt__end_made(kt_call *call, kt_tensor *made, const kt_tensor *origin, kt_status status)
{
    if (!status && origin)
        made->lineage = origin->lineage;
    if (!status)
        status = kt__end(call, made);
    kt__unref(made);
    return status;
}
