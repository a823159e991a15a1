/* foreach.c - the _foreach functions: one elementwise operator for every tensor of a list.
 *
 * In: calls of the rows of tables/ops/lists.def. Out: a list of new tensors, or the tensors of the first list written to. Each
 * tensor's call is that of the operator: its dtype rule, errors, layout and lineage. What no tape records runs as one batch,
 * after all calls have passed their checks: a refused list is unchanged. Independent of: what an operator computes. */
#include "base/alloc.h"
#include "base/fills.h"
#include "call/made.h"
#include "call/move.h"
#include "call/refuse.h"
#include "plan/batch.h"

/* ---- the lists ---- */

enum { NOWHERE = -1 };

/* The first list; a number may stand before it (_foreach_pow of a number). */
static int first_list(const kt_call *call)
{
    for (int i = 0; i < kt__n_args(call->row); i++)
        if (kt__arg_spec(call->row, i)->kind == KT_ARG_TENSORS)
            return i;
    return NOWHERE;
}

static kt_status check_lists(const kt_call *call, int first)
{
    const int64_t n = call->arg[first].ts.n;
    if (n == 0)
        return kt_fail(KT_ERR_RUNTIME, "Tensor list must have at least one tensor.");
    for (int i = 0; i < kt__n_args(call->row); i++) {
        const int kind = kt__arg_spec(call->row, i)->kind;
        if (kind == KT_ARG_TENSORS && call->arg[i].ts.n != n)
            return kt_fail(KT_ERR_RUNTIME, "Tensor lists must have the same number of tensors, got %lld and %lld", (long long)n,
                           (long long)call->arg[i].ts.n);
        if (kind == KT_ARG_SCALARS && call->arg[i].ss.n != n)
            return kt_fail(KT_ERR_RUNTIME, "Tensor list must have same number of elements as scalar list.");
    }
    return KT_OK;
}

/* ---- one tensor's call ---- */

/* Arguments stand where the operator has them. `packed`: numbers for the last argument, NULL where the row has none. */
static void open_one(kt_call *c, const kt_call *call, int op, int64_t i, const kt_scalar *packed)
{
    kt__open(c, op, (kt_form)call->form);
    for (int k = 0; k < kt__n_args(call->row); k++) {
        const bool either = kt__arg_spec(c->row, k)->kind == KT_ARG_TENSOR_OR_SCALAR;
        if (!kt__given(call, k))
            continue;
        c->given |= 1u << k;
        switch (kt__arg_spec(call->row, k)->kind) {
        case KT_ARG_TENSORS: c->arg[k].t = call->arg[k].ts.t[i]; continue;
        case KT_ARG_SCALARS: c->arg[k].s = call->arg[k].ss.s[i]; break;
        case KT_ARG_TENSOR:
            if (!packed) {
                c->arg[k].t = call->arg[k].t;
                continue;
            }
            c->arg[k].s = packed[i];
            break;
        default: c->arg[k] = call->arg[k];
        }
        c->scalars |= (uint32_t)either << k;
    }
}

/* By itself. */
static kt_status run_one(kt_call *call, kt_call *c, int64_t i)
{
    if (kt_call_run(c))
        return kt_error_status();
    if (call->form == KT_PLAIN)
        call->list[i] = c->out[0];
    else
        kt__unref(c->out[0]);
    return KT_OK;
}

/* With the batch. *added: false without an error where it must run by itself. */
static kt_status add_one(kt_call *call, kt_call *c, int64_t i, kt__batch *batch, bool *added)
{
    kt_plan    plan;
    kt_tensor *out;
    const bool elementwise = c->row->way->broadcasts;
    if (kt__refuse(c, STAGE_CALL) || (elementwise ? kt__plan_elementwise : kt__plan_fold)(c, &plan, &out))
        return kt_error_status();
    *added = out != NULL;
    if (!out)
        return KT_OK;
    const kt_status status = kt__batch_add(batch, &plan, out);
    if (call->form == KT_PLAIN)
        call->list[i] = out;
    else
        kt__unref(out); /* the caller's list holds it */
    return status;
}

/* ---- the list's call ---- */

/* PyTorch's list has one node: if a tensor requires grad, all results do. */
static kt_status finish(kt_call *call, kt_status status)
{
    const uint32_t flags = kt__input_flags(call);
    if (!status && call->form == KT_PLAIN && flags & KT_T_REQUIRES_GRAD && kt__are_followed(flags))
        status = kt__tape.beside(call);
    return kt__list_done(call, status);
}

static bool has_examples(const kt_call *call)
{
    const kt__input_map *map = &call->row->inputs;
    uint32_t             flags = 0;
    for (int i = 0; i < map->n; i++) {
        const kt_value *given = &call->arg[map->at[i]];
        if (!kt__given(call, map->at[i]) || call->scalars >> map->at[i] & 1)
            continue;
        if (!(map->lists >> i & 1))
            flags |= given->t ? given->t->flags : 0;
        else
            for (int64_t k = 0; k < given->ts.n; k++)
                flags |= given->ts.t[k] ? given->ts.t[k]->flags : 0;
    }
    return flags & KT_T_BATCHED;
}

/* Histories, tensors of inference mode, examples and operators that are not elementwise have rules of their own. */
static bool goes_together(const kt_call *call, int op, int first)
{
    if (!kt__rows[op].way->broadcasts || kt__are_followed(kt__input_flags(call)) || has_examples(call))
        return false;
    for (int64_t i = 0; call->form != KT_PLAIN && i < call->arg[first].ts.n; i++)
        if (call->arg[first].ts.t[i]->flags & KT_T_INFERENCE)
            return false;
    return true;
}

/* Runs the batch, which holds tensors [*begin, end). */
static kt_status flush(kt_call *call, kt__batch *batch, int64_t *begin, int64_t end)
{
    if (kt__batch_run(batch))
        return kt_error_status();
    for (; call->form != KT_PLAIN && *begin < end; ++*begin)
        kt__wrote(call->arg[0].ts.t[*begin]);
    return KT_OK;
}

/* May every tensor of the list be written to? What the tape refuses is refused before the first is changed. */
static kt_status check_histories(const kt_call *call, int op, int64_t n, const kt_scalar *packed)
{
    for (int64_t i = 0; i < n; i++) {
        kt_call c;
        open_one(&c, call, op, i, packed);
        if (kt__is_watched(&c) && kt__tape.rules(&c))
            return kt_error_status();
    }
    return KT_OK;
}

static kt_status each_packed(kt_call *call, int op, const kt_scalar *packed)
{
    const int     first = first_list(call);
    const int64_t n = call->arg[first].ts.n;
    if (check_lists(call, first) ||
        (call->form != KT_PLAIN && kt__is_watched(call) && check_histories(call, op, n, packed)))
        return kt_error_status();
    const bool together = goes_together(call, op, first);
    kt__batch  batch = {.expected = together ? n : 0};
    int64_t    begin = 0;
    kt_status  status = call->form == KT_PLAIN ? kt__list_of(call, n) : KT_OK;
    for (int64_t i = 0; i < n && !status; i++) {
        kt_call c;
        bool    added = false;
        open_one(&c, call, op, i, packed);
        status = together ? add_one(call, &c, i, &batch, &added) : KT_OK;
        if (status || added)
            continue;
        status = flush(call, &batch, &begin, i) ? kt_error_status() : run_one(call, &c, i); /* it may read what they write */
        begin = i + 1;
    }
    if (!status)
        status = flush(call, &batch, &begin, n);
    kt__batch_free(&batch);
    return finish(call, status);
}

static kt_status each(kt_call *call, int op) { return each_packed(call, op, NULL); }

/* ---- the greater or less of a tensor and a number ---- */

/* The number as a tensor of the result's dtype. */
static kt_tensor *beside(const kt_tensor *t, kt_scalar number)
{
    const bool     widens = number.kind == KT_SCALAR_FLOAT && kt__dtype_rows[t->dtype].category < KT_CAT_FLOAT;
    const kt_dtype dtype = widens ? kt__default_dtype() : (kt_dtype)t->dtype;
    return kt_full(KT_SCALAR, number, .dtype = dtype, .device = kt__device(t));
}

/* A bound of clamp takes what flows at a tie and at NaN; here the tensor has half of it, and all: the tape records maximum. */
static kt_status each_or_number(kt_call *call, int number, int tensor)
{
    if (!kt__are_followed(kt__input_flags(call)))
        return each(call, number);
    KT_SCOPE;
    const int64_t n = call->arg[0].ts.n;
    const bool    own = kt__arg_spec(call->row, 1)->kind == KT_ARG_SCALARS;
    kt_status     status = check_lists(call, 0);
    if (!status && call->form == KT_PLAIN)
        status = kt__list_of(call, n);
    for (int64_t i = 0; i < n && !status; i++) {
        kt_call          c;
        const kt_tensor *t = call->arg[0].ts.t[i];
        const kt_scalar  s = own ? call->arg[1].ss.s[i] : call->arg[1].s;
        const bool       ordered = s.kind != KT_SCALAR_COMPLEX && kt__dtype_rows[t->dtype].category != KT_CAT_COMPLEX;
        open_one(&c, call, ordered ? tensor : number, i, NULL); /* complex ones are refused in clamp's words */
        if (ordered) {
            c.arg[1].t = beside(t, s);
            c.scalars = 0;
        }
        status = kt__failed() ? kt_error_status() : run_one(call, &c, i);
    }
    return finish(call, status);
}

/* ---- a tensor beside the list ---- */

static kt_status each_with(kt_call *call, int op)
{
    const kt_tensor *other = call->arg[1].t;
    if (other->ndim != 0)
        return kt_fail(KT_ERR_RUNTIME, "scalar tensor expected to be 0 dim but it has %d dimensions and %lld elements.",
                       other->ndim, (long long)other->numel);
    return each(call, op);
}

enum { PACKED = 3 }; /* the argument of addcmul and addcdiv that holds a number for each tensor */

static kt_status check_packed(const kt_tensor *scalars, int64_t n)
{
    if (!kt__is_contiguous(scalars))
        return kt_fail(KT_ERR_RUNTIME, "Expected scalars to be contiguous.");
    if (scalars->ndim != 1)
        return kt_fail(KT_ERR_RUNTIME, "Expected packed scalar Tensor to be of dimension 1. Got %d instead.", scalars->ndim);
    if (scalars->numel != n)
        return kt_fail(KT_ERR_RUNTIME, "Expected length of scalars to match input of length %lld but got %lld instead.",
                       (long long)n, (long long)scalars->numel);
    return KT_OK;
}

static kt_status each_of_packed(kt_call *call, int op)
{
    const int64_t n = call->arg[0].ts.n;
    if (check_packed(call->arg[PACKED].t, n))
        return kt_error_status();
    KT_SCOPE;
    const kt_tensor *scalars = kt_to(call->arg[PACKED].t, .device = {KT_CPU, 0});
    if (!scalars)
        return kt_error_status();
    const size_t bytes = (size_t)n * sizeof(kt_scalar);
    kt_scalar   *s = n ? kt__system_get(bytes) : NULL;
    if (n && !s)
        return kt__fail_memory(bytes);
    kt__fill_settle(scalars->data);
    for (int64_t i = 0; i < n; i++)
        s[i] = kt_scalar_load(scalars->data + (size_t)i * kt__itemsize(scalars), (kt_dtype)scalars->dtype);
    const kt_status status = each_packed(call, op, s);
    kt__system_put(s, bytes);
    return status;
}

/* ---- reductions ---- */

enum { ORD = 1, DTYPE = 2 };

static kt_status check_order(const kt_call *call, kt_scalar ord)
{
    const kt_value *list = &call->arg[0];
    if (ord.kind == KT_SCALAR_COMPLEX)
        return kt_fail(KT_ERR_RUNTIME, "foreach_tensor_norm_slow expects ord to be integer or float");
    for (int64_t i = 0; ord.kind == KT_SCALAR_FLOAT && ord.v.re == __builtin_inf() && i < list->ts.n; i++)
        if (list->ts.t[i]->numel == 0)
            return kt_fail(KT_ERR_RUNTIME, "_foreach_norm cannot compute the infinity norm on an empty tensor because the "
                                           "operation does not have an identity");
    return KT_OK;
}

static void open_norm(kt_call *c, const kt_call *call, int64_t i)
{
    enum { DTYPE_OF_NORM = 4 };
    kt__open(c, KT_OP_linalg_vector_norm, KT_PLAIN);
    kt__put_tensor(c, 0, call->arg[0].ts.t[i]);
    kt__put(c, ORD, s, kt__arg_scalar(call, ORD));
    if (kt__given(call, DTYPE))
        kt__put(c, DTYPE_OF_NORM, dtype, call->arg[DTYPE].dtype);
}

kt_status kt__body_foreach_norm(kt_call *call)
{
    if (check_lists(call, 0) || check_order(call, kt__arg_scalar(call, ORD)))
        return kt_error_status();
    const int64_t n = call->arg[0].ts.n;
    const bool    together = !kt__are_followed(kt__input_flags(call)) && !has_examples(call) && !(kt__mode() & KT_M_AUTOCAST);
    kt__batch     batch = {.expected = together ? n : 0};
    kt_status     status = kt__list_of(call, n);
    for (int64_t i = 0; i < n && !status; i++) {
        kt_call c;
        bool    added = false;
        open_norm(&c, call, i);
        status = together ? add_one(call, &c, i, &batch, &added) : KT_OK;
        if (!status && !added)
            status = run_one(call, &c, i); /* it reads nothing that the others write */
    }
    if (!status)
        status = kt__batch_run(&batch);
    kt__batch_free(&batch);
    return finish(call, status);
}

/* The sum of a tensor's powers, computed and summed in `wide`. */
static kt_tensor *power_sum(kt_tensor *t, kt_scalar ord, kt_dtype wide)
{
    const bool     complex = kt__dtype_rows[t->dtype].category == KT_CAT_COMPLEX;
    const kt_dtype as = !complex ? wide : wide == KT_F64 ? KT_C128 : KT_C64;
    return kt_sum(kt_pow_s(kt_abs(kt__converted_inside(t, as, KT_WHY_PROMOTION)), ord));
}

kt_status kt__body_foreach_powsum(kt_call *call)
{
    KT_SCOPE;
    const kt_scalar ord = kt__arg_scalar(call, ORD);
    if (check_lists(call, 0))
        return kt_error_status();
    if (ord.kind == KT_SCALAR_COMPLEX)
        return kt_fail(KT_ERR_RUNTIME, "value cannot be converted to type double without overflow");
    kt_status status = kt__list_of(call, call->arg[0].ts.n);
    for (int64_t i = 0; i < call->arg[0].ts.n && !status; i++) {
        kt_tensor     *t = call->arg[0].ts.t[i];
        const kt_dtype of = kt__given(call, DTYPE) ? call->arg[DTYPE].dtype : (kt_dtype)t->dtype;
        const kt_dtype real = of == KT_C128 ? KT_F64 : kt__dtype_rows[of].category == KT_CAT_COMPLEX ? KT_F32 : of;
        const bool     whole = kt__dtype_rows[of].category & (KT_CAT_BOOL | KT_CAT_INT);
        if (whole || kt__dtype_rows[real].size == 1) /* PyTorch sums integers as int64 */
            status = kt__fail_dtype(call, KT_ERR_NOT_IMPLEMENTED, "\"powsum_cpu\" not implemented for '%s'",
                                    kt_dtype_torch_name(whole && !kt__given(call, DTYPE) ? KT_I64 : of));
        kt_tensor *sum =
            status ? NULL : kt__converted_inside(power_sum(t, ord, kt__arithmetic_of(real)), real, KT_WHY_RESULT);
        call->list[i] = sum ? kt__ref(sum) : NULL;
        status = sum ? KT_OK : kt_error_status();
    }
    return finish(call, status);
}

/* ---- the rows ---- */

#define ROW(name, run, op) kt_status kt__body_foreach_##name(kt_call *call) { return run(call, KT_OP_##op); }
#define UNARY(name) ROW(name, each, name)
UNARY(abs)
UNARY(acos)
UNARY(asin)
UNARY(atan)
UNARY(ceil)
UNARY(cos)
UNARY(cosh)
UNARY(erf)
UNARY(erfc)
UNARY(exp)
UNARY(expm1)
UNARY(floor)
UNARY(frac)
UNARY(lgamma)
UNARY(log)
UNARY(log10)
UNARY(log1p)
UNARY(log2)
UNARY(neg)
UNARY(reciprocal)
UNARY(round)
UNARY(rsqrt)
UNARY(sigmoid)
UNARY(sign)
UNARY(sin)
UNARY(sinh)
UNARY(sqrt)
UNARY(tan)
UNARY(tanh)
UNARY(trunc)
UNARY(zero)
UNARY(max)
UNARY(copy)

#define BINARY(name, number, tensor) /* the operators that serve numbers and tensors */ \
    ROW(name, each, number) ROW(name##_scalars, each, number) ROW(name##_list, each, tensor)
BINARY(add, add, add)
BINARY(sub, sub, sub)
BINARY(mul, mul, mul)
BINARY(div, div, div)
BINARY(pow, pow, pow)
BINARY(clamp_min, clamp_min, clamp_min)
BINARY(clamp_max, clamp_max, clamp_max)
BINARY(lerp, lerp, lerp)

#define BOUND(name, number) \
    kt_status kt__body_foreach_##name(kt_call *call) { return each_or_number(call, KT_OP_##number, KT_OP_##name); } \
    kt_status kt__body_foreach_##name##_scalars(kt_call *call) { return each_or_number(call, KT_OP_##number, KT_OP_##name); } \
    ROW(name##_list, each, name)
BOUND(maximum, clamp_min)
BOUND(minimum, clamp_max)

ROW(add_tensor, each_with, add)
ROW(mul_tensor, each_with, mul)
ROW(div_tensor, each_with, div)
ROW(pow_base, each, pow_base)
ROW(addcmul, each, addcmul)
ROW(addcmul_scalars, each, addcmul)
ROW(addcmul_tensor, each_of_packed, addcmul)
ROW(addcdiv, each, addcdiv)
ROW(addcdiv_scalars, each, addcdiv)
ROW(addcdiv_tensor, each_of_packed, addcdiv)
