/* chain.c - see chain.h. */
#include "ops/optimizer/chain.h"

#include "base/alloc.h"
#include "call/move.h"
#include "call/target.h"
#include "plan/batch.h"
#include "tensor/device.h"

static const struct {
    uint16_t row;
    uint8_t  inputs, numbers;
} kinds[KT__NUM_LINK_KINDS] = {
#define LINK(name, kernel, row, inputs, numbers, rounds) [KT__LINK_##name] = {KT_OP_##row, inputs, numbers},
#include "tables/kernels/chain.def"
#undef LINK
};

/* ---- as one plan ---- */

static bool is_plain(kt_dtype d) { return d == KT_F32 || d == KT_F64 || d == KT_BF16 || d == KT_F16; }

static kt_dtype real_of(const kt_tensor *t)
{
    return t->dtype == KT_C64 ? KT_F32 : t->dtype == KT_C128 ? KT_F64 : (kt_dtype)t->dtype;
}

static bool device_has(const kt_tensor *t, int compute)
{
    const kt_backend *b = kt__backends[t->backend];
    return !b->kernels || b->kernels[KT_K_chain] >> compute & 1;
}

/* Calls of operators have their own rules for these: histories, tensors of inference mode, examples, mixed dtypes and devices. */
static bool is_one_plan(kt_tensor *const *t, int n)
{
    enum { APART = KT_T_CONJ | KT_T_NEG | KT_T_INFERENCE | KT_T_BATCHED };
    const kt_dtype d = real_of(t[0]);
    if (!is_plain(d) || t[0]->ndim == KT_MAX_DIMS || kt__born_flags || !device_has(t[0], kt__dtype_rows[d].compute))
        return false;
    for (int k = 0; k < n; k++)
        if (t[k]->dtype != t[0]->dtype || t[k]->backend != t[0]->backend || t[k]->index != t[0]->index ||
            t[k]->flags & APART || kt__is_followed(t[k]) || !kt__same_sizes(t[k], t[0]))
            return false;
    return true;
}

static void set_array(kt_plan *plan, int at, const kt_tensor *t)
{
    const kt_dtype d = real_of(t);
    const int64_t  width = kt__dtype_rows[d].size;
    kt__set_operand(plan, at, t, d, KT_WHY_NONE);
    plan->arg[at].is = (uint8_t)d;
    for (int k = 0; k < t->ndim; k++)
        plan->stride[at][k] = t->strides[k] * (int64_t)kt__itemsize(t);
    if (t->dtype != d)
        plan->stride[at][t->ndim] = width;
}

static kt_status add_plan(kt_call *call, const kt__chain *c, kt_tensor *const *t, int n, kt__batch *batch)
{
    kt_plan        plan;
    const kt_dtype d = real_of(t[0]);
    kt__plan_begin(&plan, kt__row_called(call), KT_K_chain, kt__dtype_rows[d].compute, 1, t[0]);
    plan.n_out = (uint8_t)(n - 1);
    plan.numel = t[0]->dtype == d ? t[0]->numel : 2 * t[0]->numel;
    plan.nd = t[0]->ndim;
    memcpy(plan.size, t[0]->sizes, t[0]->ndim * sizeof *plan.size);
    if (t[0]->dtype != d)
        plan.size[plan.nd++] = 2;
    for (int k = 0; k < n; k++)
        set_array(&plan, k, t[k]);
    plan.n_param = (uint8_t)(c->n > c->n_numbers ? c->n : c->n_numbers);
    for (int i = 0; i < plan.n_param; i++) {
        plan.param[i] = KT_INT(i < c->n ? c->link[i] : 0);
        plan.param[i].im = i < c->n_numbers ? c->number[i] : 0;
    }
    kt__collapse(&plan, true);
    return kt__batch_add(batch, &plan, t[0]);
}

/* Each link is a write of its own; `counted` of each array have been counted. */
static void count_writes(const kt__chain *c, kt_tensor *const *t, int n_written, int counted)
{
    for (int k = 0; k < n_written; k++) {
        int writes = -counted;
        for (int i = 0; i < c->n; i++)
            writes += KT__LINK_PART(c->link[i], 1) == k;
        for (; writes > 0; writes--)
            kt__wrote(t[k]);
    }
}

/* ---- as calls ---- */

static kt_status put_input(kt_call *c, const kt__chain *chain, int arg, int from, kt_tensor *const *value)
{
    if (from < KT__CHAIN_NUMBER)
        kt__put_tensor(c, arg, value[from]);
    else if (chain->followed[from - KT__CHAIN_NUMBER])
        kt__put_tensor(c, arg, chain->followed[from - KT__CHAIN_NUMBER]);
    else
        kt__put_either(c, arg, KT_FLOAT(chain->number[from - KT__CHAIN_NUMBER]));
    return KT_OK;
}

static void put_number(kt_call *c, int arg, double value)
{
    if (kt__arg_spec(c->row, arg)->kind == KT_ARG_TENSOR_OR_SCALAR)
        kt__put_either(c, arg, KT_FLOAT(value));
    else
        kt__put(c, arg, s, KT_FLOAT(value));
}

/* A link whose parameter is a tensor: the same, with the parameter as one more factor. */
static kt_tensor *call_followed(int kind, kt_tensor *const *in, kt_tensor *by)
{
    switch (kind) {
    case KT__LINK_add_scaled:
        return kt_addcmul(in[0], in[1], by);
    case KT__LINK_lerp:
        return kt_lerp(in[0], in[1], by);
    case KT__LINK_addcmul:
        return kt_addcmul(in[0], kt_mul(in[1], by), in[2]);
    case KT__LINK_addcdiv:
        return kt_addcdiv(in[0], kt_mul(in[1], by), in[2]);
    default:
        kt_fail(KT_ERR_NOT_IMPLEMENTED, "karat: a step is not differentiated by this option");
        return NULL;
    }
}

/* A register that is an array is written in place, but for the gradient. */
static kt_status call_link(const kt__chain *chain, int64_t link, kt_tensor **value, int n_written)
{
    const int  kind = KT__LINK_PART(link, 0), to = KT__LINK_PART(link, 1), first = KT__LINK_PART(link, 5);
    const bool in_place = to < n_written, copies = kind == KT__LINK_copy;
    kt_call    c;
    if (copies && !in_place) {
        kt_tensor *from = value[KT__LINK_PART(link, 2)];
        value[to] = chain->forgets ? kt_detach(from) : from;
        return value[to] ? KT_OK : kt_error_status();
    }
    if (kinds[kind].numbers && chain->followed[first]) {
        kt_tensor *in[3];
        for (int k = 0; k < 3; k++)
            in[k] = value[KT__LINK_PART(link, 2 + k)];
        value[to] = call_followed(kind, in, chain->followed[first]);
        return value[to] ? KT_OK : kt_error_status();
    }
    kt__open(&c, kinds[kind].row, in_place ? KT_INPLACE : KT_PLAIN);
    if (copies)
        kt__put_tensor(&c, 0, value[to]);
    for (int k = 0; k < kinds[kind].inputs; k++)
        put_input(&c, chain, k + copies, KT__LINK_PART(link, 2 + k), value);
    for (int k = 0; k < kinds[kind].numbers; k++)
        put_number(&c, kinds[kind].inputs + k, chain->number[first + k]);
    if (kt_call_run(&c))
        return kt_error_status();
    if (in_place)
        kt__unref(c.out[0]);
    else if (!(value[to] = kt__scoped(c.out[0])))
        return kt_error_status();
    return KT_OK;
}

static kt_tensor *as_real(kt_tensor *t) { return t && real_of(t) != t->dtype ? kt_view_as_real(t) : t; }

static kt_status copy_back(const kt__chain *c, kt_tensor *const *t, int n, kt_tensor *const *value, kt_tensor *const *before)
{
    for (int k = 0; k < n; k++)
        if (!kt_can_cast((kt_dtype)value[k]->dtype, real_of(t[k])))
            return kt_fail(KT_ERR_RUNTIME, "result type %s can't be cast to the desired output type %s",
                           kt_dtype_torch_name((kt_dtype)value[k]->dtype), kt_dtype_torch_name((kt_dtype)t[k]->dtype));
    for (int k = 0; k < n; k++)
        if (value[k] != before[k] && !kt_copy_(as_real(t[k]), value[k]))
            return kt_error_status();
    count_writes(c, t, n, 1);
    return KT_OK;
}

static bool is_recorded(kt_tensor *const *t, int n)
{
    bool recorded = false;
    for (int k = 0; k < n; k++)
        recorded |= kt__is_followed(t[k]);
    return recorded;
}

/* Of a recorded step no link writes: gradients need the values that would be lost. Results are copied back. */
static kt_status call_links(const kt__chain *c, kt_tensor *const *t, int n)
{
    KT_SCOPE;
    kt_tensor *value[KT__CHAIN_REGISTERS] = {NULL}, *before[KT__CHAIN_ARRAYS];
    for (int k = 0; k < n; k++) {
        before[k] = value[k] = as_real(c->follows && k < n - 1 ? kt_clone(t[k]) : t[k]);
        if (!value[k])
            return kt_error_status();
    }
    for (int i = 0; i < c->n; i++)
        if (call_link(c, c->link[i], value, c->follows ? 0 : n - 1))
            return kt_error_status();
    return c->follows ? copy_back(c, t, n - 1, value, before) : KT_OK;
}

/* ---- the list ---- */

static void tensors_of(const kt_call *call, const kt__stepped *s, int64_t i, kt_tensor **t)
{
    for (int k = 0; k < s->n; k++)
        t[k] = call->arg[s->arg[k]].ts.t[i];
}

static kt_status check_lists(const kt_call *call, const kt__stepped *s)
{
    const int64_t n = call->arg[0].ts.n;
    int           arg[KT__CHAIN_ARRAYS + 3], n_args = s->n;
    memcpy(arg, s->arg, sizeof s->arg);
    for (int i = 0; i < 2 && s->beside[i]; i++)
        arg[n_args++] = s->beside[i];
    if (s->steps >= 0)
        arg[n_args++] = s->steps;
    for (int i = 0; i < n_args; i++)
        if (call->arg[arg[i]].ts.n != n)
            return kt_fail(KT_ERR_RUNTIME, "Expected %s.size() == n_tensors to be true, but got false.",
                           kt__arg_spec(call->row, arg[i])->name);
    return KT_OK;
}

static kt_status check_each(const kt_call *call, const kt__stepped *s)
{
    for (int64_t i = 0; i < call->arg[0].ts.n; i++) {
        kt_tensor *t[KT__CHAIN_ARRAYS], *step = s->steps >= 0 ? call->arg[s->steps].ts.t[i] : NULL;
        tensors_of(call, s, i, t);
        if (step && step->numel != 1)
            return kt_fail(KT_ERR_RUNTIME, "a Tensor with %lld elements cannot be converted to Scalar", (long long)step->numel);
        for (int k = 0; k + 1 < s->n; k++)
            if (kt__check_written(t[k], t, s->n))
                return kt_error_status();
    }
    return KT_OK;
}

static kt_status add_one(kt_call *call, const kt__stepped *s, int64_t i, kt__batch *batch)
{
    kt_tensor *t[KT__CHAIN_ARRAYS];
    kt__chain  c = {.n = 0};
    KT_SCOPE;
    const double step = s->reads_step ? kt_item(call->arg[s->steps].ts.t[i]) : 0;
    tensors_of(call, s, i, t);
    if (kt__failed() || s->links(&c, call, i, step) || kt__failed()) /* numbers that are followed are calculated by operators */
        return kt_error_status();
    if (!c.follows && is_one_plan(t, s->n)) {
        count_writes(&c, t, s->n - 1, 0);
        return add_plan(call, &c, t, s->n, batch);
    }
    c.follows |= is_recorded(t, s->n);
    return kt__batch_run(batch) ? kt_error_status() : call_links(&c, t, s->n); /* it may read what they write */
}

/* Whether a tensor stands in the list twice, as where a group has a parameter twice: 1, 0, or -1 without memory. */
static int repeats(kt_tensor *const *list, int64_t n)
{
    size_t places = 4;
    while (places < 2 * (size_t)n)
        places *= 2;
    size_t            granted;
    const kt_tensor **seen = kt__block_get(places * sizeof *seen, &granted);
    if (!seen)
        return -1;
    memset(seen, 0, places * sizeof *seen);
    int found = 0;
    for (int64_t i = 0; i < n && !found; i++) {
        size_t at = ((uintptr_t)list[i] >> 6) & (places - 1);
        while (seen[at] && seen[at] != list[i])
            at = (at + 1) & (places - 1);
        found = seen[at] == list[i];
        seen[at] = list[i];
    }
    kt__block_put(seen, granted);
    return found;
}

/* All steps are counted at once, unless one of them is counted several times: then each step reads what it has counted, and the
 * states that the one before has written. */
kt_status kt__run_chains(kt_call *call, const kt__stepped *s)
{
    const int64_t n = call->arg[0].ts.n;
    kt__batch     batch = {.expected = n};
    kt_status     status = check_lists(call, s) || check_each(call, s) ? kt_error_status() : KT_OK;
    const bool    counts = !status && n && s->steps >= 0;
    const int     one_by_one = counts ? repeats(call->arg[s->steps].ts.t, n) : 0;
    if (one_by_one < 0 || (counts && !one_by_one && kt_foreach_add_(call->arg[s->steps].ts.t, n, KT_INT(1))))
        status = kt_error_status();
    for (int64_t i = 0; i < n && !status; i++) {
        if (one_by_one && (kt__batch_run(&batch) || !kt_add_s_(call->arg[s->steps].ts.t[i], KT_INT(1))))
            status = kt_error_status();
        else
            status = add_one(call, s, i, &batch);
    }
    if (!status)
        status = kt__batch_run(&batch);
    kt__batch_free(&batch);
    return kt__list_done(call, status);
}
