/* quantile.c - quantile and nanquantile. In: a tensor and q from 0 to 1. Out: elements of the sorted dim, or values
 * interpolated between two. Composed of sort, gather and lerp, which have the derivatives.
 *
 * R. J. Hyndman and Y. Fan, Sample quantiles in statistical packages, The American Statistician 50 (1996), definition 7. */
#include <string.h>

#include "call/check.h"
#include "call/made.h"
#include "call/target.h"

enum { Q = 1, DIM, KEEPDIM, INTERPOLATION };
typedef enum between { LINEAR, LOWER, HIGHER, MIDPOINT, NEAREST, N_WAYS } between;

static kt_status way_of(const kt_call *call, between *way)
{
    static const char *const names[N_WAYS] = {"linear", "lower", "higher", "midpoint", "nearest"};
    const char              *name = kt__arg(call, INTERPOLATION)->str;
    for (*way = LINEAR; *way < N_WAYS; ++*way)
        if (strcmp(name, names[*way]) == 0)
            return KT_OK;
    return kt_fail(KT_ERR_RUNTIME,
                   "quantile() interpolation must be one of linear, lower, higher, midpoint or nearest, but got %s", name);
}

static bool same_device(const kt_tensor *a, const kt_tensor *b) { return a->backend == b->backend && a->index == b->index; }

static kt_status check_inputs(const kt_call *call, const kt_tensor *self, const kt_tensor *q)
{
    const kt_tensor *out = call->form == KT_OUT ? call->out[0] : NULL;
    kt__decision     room;
    if (self->numel == 0)
        return kt_fail(KT_ERR_RUNTIME, "quantile() input tensor must be non-empty");
    if (q->ndim > 1)
        return kt_fail(KT_ERR_RUNTIME, "quantile() q must be a scalar or 1D tensor");
    if (!kt__resolve_in_body(call, &room))
        return kt_error_status();
    if (!same_device(q, self))
        return kt_fail(KT_ERR_RUNTIME, "quantile() q tensor must be on the same device as the input tensor");
    if (kt__check_out(call, (kt_dtype)self->dtype, KT_NONE))
        return kt_error_status();
    return !out || same_device(out, self)
               ? KT_OK
               : kt_fail(KT_ERR_RUNTIME, "quantile() out tensor must be on the same device as the input tensor");
}

static kt_status check_values(kt_tensor *q)
{
    return kt__check_range(&q, 1, &(kt__range){.low = KT_FLOAT(0), .high = KT_FLOAT(1), .says = {KT_FAULT_QUANTILE}});
}

/* What is asked about as the last dim, in order; in the place of a dim that was moved there stands one of size 1. */
static kt_tensor *in_order(kt_tensor *self, bool all, int64_t dim)
{
    if (all || self->ndim == 0)
        return kt_sort(kt_reshape(self, KT_SHAPE(self->numel))).values;
    return kt_sort(kt_transpose(kt_unsqueeze(self, self->ndim), dim, self->ndim)).values;
}

/* How far along the last dim: a NaN ranks highest, and is the answer unless it is to be passed over. */
static kt_tensor *ranks(kt_tensor *sorted, kt_tensor *q, bool pass_nans)
{
    const int64_t last = sorted->sizes[sorted->ndim - 1] - 1;
    kt_tensor    *nans = kt_isnan(sorted);
    if (!pass_nans)
        return kt_masked_fill(kt_mul_s(q, KT_INT(last)), kt_any_dim(nans, -1, .keepdim = true), KT_INT(last));
    kt_tensor *numbers = kt_sum_dim(kt_logical_not(nans), KT_SHAPE(-1), .keepdim = true);
    kt_tensor *most = kt_clamp_min_s(kt_sub_s(numbers, KT_INT(1)), KT_INT(0));
    return kt_mul(q, kt__converted_inside(most, (kt_dtype)q->dtype, KT_WHY_PROMOTION));
}

static kt_tensor *whole(kt_tensor *rank) { return kt__as_index(rank); }

static kt_tensor *taken(kt_tensor *sorted, kt_tensor *rank, between way)
{
    rank = way == LOWER ? kt_floor(rank) : way == HIGHER ? kt_ceil(rank) : way == NEAREST ? kt_round(rank) : rank;
    kt_tensor *below = kt_gather(sorted, -1, whole(rank));
    if (way != LINEAR && way != MIDPOINT)
        return below;
    kt_tensor *above = kt_gather(sorted, -1, whole(kt_ceil(rank)));
    kt_tensor *part = way == MIDPOINT ? kt_full_like(rank, KT_FLOAT(0.5)) : kt_frac(rank);
    return kt_lerp(below, above, part);
}

/* Dims of size 1 for those that went, where they are to be kept; then q as the first dim, or as none. */
static kt_tensor *shaped(const kt_call *call, kt_tensor *t, int64_t dim, bool along_q)
{
    const kt_tensor *self = call->arg[0].t;
    const bool       keep = kt__arg_bool(call, KEEPDIM), all = !kt__given(call, DIM);
    for (int d = 0; t && all && keep && d < self->ndim; d++)
        t = kt_unsqueeze(t, 0);
    if (!all && !keep && self->ndim)
        t = kt_squeeze_dim(t, KT_SHAPE(dim));
    if (along_q)
        t = kt_transpose(kt_unsqueeze(t, 0), 0, -1);
    return kt_unsafe_squeeze(t, -1);
}

static kt_status quantile(kt_call *call, kt_tensor *self, kt_tensor *q, bool pass_nans)
{
    between way;
    int64_t dim = kt__given(call, DIM) ? call->arg[DIM].i : 0;
    if (!self || !q || way_of(call, &way) || check_inputs(call, self, q) || kt__wrap_dim(&dim, self->ndim) || check_values(q))
        return kt_error_status();
    kt_tensor *sorted = in_order(self, !kt__given(call, DIM), dim), *rank = sorted ? ranks(sorted, q, pass_nans) : NULL;
    if (!rank)
        return kt_error_status();
    for (int d = rank->ndim; d < sorted->ndim; d++) /* one row of ranks for all */
        rank = kt_unsqueeze(rank, 0);
    int64_t sizes[KT_MAX_DIMS];
    for (int d = 0; d < sorted->ndim; d++)
        sizes[d] = d < sorted->ndim - 1 ? sorted->sizes[d] : q->numel;
    rank = kt_expand(rank, ((kt_shape){sorted->ndim, sizes}));
    return kt__end(call, shaped(call, rank ? taken(sorted, rank, way) : NULL, dim, q->ndim));
}

static kt_status by_tensor(kt_call *call, bool pass_nans)
{
    return quantile(call, call->arg[0].t, call->arg[Q].t, pass_nans);
}

static kt_status by_number(kt_call *call, bool pass_nans)
{
    const double q = call->arg[Q].f;
    kt_tensor   *self = call->arg[0].t;
    if (!(q >= 0 && q <= 1))
        return kt_fail(KT_ERR_RUNTIME, "quantile() q must be in the range [0, 1] but got %g", q);
    return quantile(call, self, kt_scalar_tensor(KT_FLOAT(q), .dtype = (kt_dtype)self->dtype, .device = kt__device(self)),
                    pass_nans);
}

kt_status kt__body_quantile(kt_call *call)
{
    KT_SCOPE;
    return by_tensor(call, false);
}

kt_status kt__body_quantile_number(kt_call *call)
{
    KT_SCOPE;
    return by_number(call, false);
}

kt_status kt__body_nanquantile(kt_call *call)
{
    KT_SCOPE;
    return by_tensor(call, true);
}

kt_status kt__body_nanquantile_number(kt_call *call)
{
    KT_SCOPE;
    return by_number(call, true);
}
