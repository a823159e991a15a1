/* norm.c - rules of rows that normalize the last dims: parameters that differ from example to example are applied to what is
 * normalized without them, and what flows back to parameters is summed for each example. */
#include <string.h>

#include "batch/batch.h"

static kt_tensor *given_at(const kt_call *call, int i) { return kt__given(call, i) ? call->arg[i].t : NULL; }

static void leave_out(kt_call *call, int i) { call->given &= ~(1u << i); }

static int argument_named(const kt_row *row, const char *name)
{
    for (int i = 0; i < kt__n_args(row); i++)
        if (strcmp(kt__arg_spec(row, i)->name, name) == 0)
            return i;
    return -1;
}

static kt_status put_result(kt__lift *l, int i, kt_tensor *t)
{
    kt__unref(l->inner.out[i]);
    l->inner.out[i] = t ? kt__ref(t) : NULL;
    return t ? KT_OK : kt_error_status();
}

/* A parameter is broadcast against the value: its dims are the last ones. */
static kt_tensor *beside(const kt__lift *l, kt_tensor *parameter, int rank)
{
    return kt__lifted(l, parameter, rank);
}

static bool are_of(const kt_call *call, kt_dtype dtype)
{
    const kt__input_map *map = &call->row->inputs;
    bool                 same = dtype == KT_F32 || dtype == KT_F64;
    for (int k = 0; k < map->n && same; k++)
        if (!(map->lists >> k & 1) && given_at(call, map->at[k]))
            same = given_at(call, map->at[k])->dtype == dtype;
    return same;
}

/* Is the parameter of the sizes that are normalized? The row refuses others. */
static bool fits(const kt_tensor *t, kt_shape normalized)
{
    bool same = !t || t->ndim == normalized.n;
    for (int i = 0; t && same && i < t->ndim; i++)
        same = t->sizes[i] == normalized.d[i];
    return same;
}

kt_status kt__batch_normalized(kt__lift *l)
{
    const kt_call *call = l->call;
    const int      weight = argument_named(call->row, "weight"), bias = argument_named(call->row, "bias");
    kt_tensor     *input = call->arg[0].t, *by = given_at(call, weight), *add = bias < 0 ? NULL : given_at(call, bias);
    const kt_shape sizes = call->arg[argument_named(call->row, "normalized_shape")].ints;
    if (!kt__at_level(by, l->level) && !kt__at_level(add, l->level))
        return kt__batch_itself(l);
    if (!are_of(call, (kt_dtype)input->dtype) || !fits(by, sizes) || !fits(add, sizes))
        return kt__batch_loop(l);
    kt__put_tensor(&l->inner, 0, kt__lifted_all(l, input));
    leave_out(&l->inner, weight);
    if (bias >= 0)
        leave_out(&l->inner, bias);
    if (kt__failed() || kt_call_run(&l->inner))
        return kt_error_status();
    kt_tensor *made = l->inner.out[0];
    if (by)
        made = kt_mul(made, beside(l, by, input->ndim));
    if (add)
        made = kt_add(made, beside(l, add, input->ndim));
    return made == l->inner.out[0] ? KT_OK : put_result(l, 0, made);
}

/* ---- what flows back: (grad_out, input, weight, statistics, normalized_shape, output_mask) ---- */

enum { GRAD_OUT, INPUT, WEIGHT, STATISTICS, SHAPE, MASK };

/* What the parameters get of each example: the sum over the dims that are not normalized. */
static kt_tensor *summed(kt_tensor *t, int64_t rank, int64_t normalized)
{
    int64_t dims[KT_MAX_DIMS];
    for (int64_t i = 0; i < rank - normalized; i++)
        dims[i] = 1 + i;
    return rank > normalized ? kt_sum_dim(t, ((kt_shape){rank - normalized, dims})) : t;
}

/* The input less its mean, by its reciprocal deviation; without a mean where there is one statistic. */
static kt_tensor *normalized_of(const kt__lift *l, kt_tensor *input)
{
    const kt_call *call = l->call;
    kt_tensor     *x = kt__lifted_all(l, input);
    for (int64_t i = 0; i < call->arg[STATISTICS].ts.n; i++) {
        kt_tensor *statistic = kt__lifted_all(l, call->arg[STATISTICS].ts.t[i]);
        const bool mean = i + 1 < call->arg[STATISTICS].ts.n;
        x = mean ? kt_sub(x, statistic) : kt_mul(x, statistic);
    }
    return x;
}

static bool asks_for(const kt_call *call, int i) { return i < call->arg[MASK].ints.n && call->arg[MASK].ints.d[i]; }

static kt_status back_to_parameters(kt__lift *l, kt_tensor *grad)
{
    const kt_call *call = l->call;
    kt_tensor     *input = call->arg[INPUT].t;
    const int64_t  n = call->arg[SHAPE].ints.n;
    if (asks_for(call, 1) && put_result(l, 1, summed(kt_mul(grad, normalized_of(l, input)), input->ndim, n)))
        return kt_error_status();
    return asks_for(call, 2) ? put_result(l, 2, summed(grad, input->ndim, n)) : KT_OK;
}

/* A result that is not asked for is empty, for each example. */
static kt_status repeat_empty(kt__lift *l)
{
    for (int i = 0; i < l->inner.n_out; i++)
        if (!asks_for(l->call, i) && put_result(l, i, kt__lifted_all(l, l->inner.out[i])))
            return kt_error_status();
    return KT_OK;
}

kt_status kt__batch_normalized_back(kt__lift *l)
{
    const kt_call *call = l->call;
    kt_tensor     *input = call->arg[INPUT].t, *weight = given_at(call, WEIGHT), *statistics[2];
    const int64_t  only_input[] = {asks_for(call, 0), 0, 0}, n = call->arg[STATISTICS].ts.n;
    if (!are_of(call, (kt_dtype)input->dtype) || n < 1 || n > 2)
        return kt__batch_loop(l);
    for (int64_t i = 0; i < n; i++)
        statistics[i] = kt__lifted_all(l, call->arg[STATISTICS].ts.t[i]);
    kt_tensor *grad = kt__lifted_all(l, call->arg[GRAD_OUT].t);
    kt__put_tensor(&l->inner, GRAD_OUT, weight && grad ? kt_mul(grad, beside(l, weight, input->ndim)) : grad);
    kt__put_tensor(&l->inner, INPUT, kt__lifted_all(l, input));
    leave_out(&l->inner, WEIGHT);
    l->inner.arg[STATISTICS].ts.t = statistics;
    kt__put(&l->inner, MASK, ints, ((kt_shape){call->arg[MASK].ints.n, only_input}));
    if (kt__failed() || kt_call_run(&l->inner))
        return kt_error_status();
    return repeat_empty(l) ? kt_error_status() : back_to_parameters(l, grad);
}
