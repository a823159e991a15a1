/* histogram.c - counting values: bincount, histc, histogram. In: tensors, bins and weights. Out: counts or sums, and the
 * edges of the bins. Elements are counted as integers, which become the result's dtype at the end: no count is lost to
 * it. */
#include <math.h>

#include "call/made.h"
#include "call/refuse.h"
#include "plan/meta.h"
#include "ways/index.h"

static kt_status admit(const kt_call *call)
{
    kt__decision room;
    return kt__resolve_in_body(call, &room) ? KT_OK : kt_error_status();
}

static bool on_meta(const kt_tensor *t) { return kt__backend(t->backend)->stores_nothing; }

static int64_t whole(kt_tensor *t) { return t ? kt_item_scalar(t).v.i : 0; }

/* Ones for each index, expanded from one element. */
static kt_tensor *ones_for(const kt_tensor *at)
{
    return at ? kt_expand(kt_ones(KT_SHAPE(1), .dtype = KT_I64, .device = kt__device(at)), KT_SHAPE(at->numel)) : NULL;
}

/* ---- bincount ---- */

enum { WEIGHTS = 1, MINLENGTH = 2 };

static kt_status check_numbers(const kt_call *call, kt_tensor *at, int64_t *n)
{
    const kt_tensor   *w = kt__given(call, WEIGHTS) ? call->arg[WEIGHTS].t : NULL;
    const bool         row = at->ndim == 1;
    kt_aminmax_results ends = {NULL, NULL};
    if (row)
        ends = kt_aminmax(at);
    if (kt__failed())
        return kt_error_status();
    if (!row || whole(ends.min) < 0)
        return kt_fail(KT_ERR_RUNTIME, "bincount only supports 1-d non-negative integral inputs.");
    if (w && (w->ndim != 1 || w->numel != at->numel))
        return kt_fail(KT_ERR_RUNTIME, "weights should be 1-d and have the same length as input");
    *n = whole(ends.max);
    if (*n == INT64_MAX)
        return kt_fail(KT_ERR_RUNTIME, "maximum value of input overflowed, it should be < %lld but got %lld",
                       (long long)INT64_MAX, (long long)*n);
    ++*n;
    return KT_OK;
}

kt_status kt__body_bincount(kt_call *call)
{
    KT_SCOPE;
    kt_tensor *self = call->arg[0].t, *w = kt__given(call, WEIGHTS) ? call->arg[WEIGHTS].t : NULL;
    int64_t    n = 0, least = kt__arg_int(call, MINLENGTH);
    if (on_meta(self) || (w && on_meta(w)))
        return kt__fail_on_meta("bincount");
    if (admit(call))
        return kt_error_status();
    if (least < 0)
        return kt_fail(KT_ERR_RUNTIME, "minlength should be >= 0");
    if (self->ndim == 1 && self->numel == 0)
        return kt__end(call, kt_zeros(KT_SHAPE(least), .dtype = KT_I64, .device = kt__device(self)));
    kt_tensor *at = kt__as_index(self);
    if (!at || check_numbers(call, at, &n) || kt__one_device((kt_tensor *[]){self, w}, w ? 2 : 1))
        return kt_error_status();
    const kt_dtype sums = !w ? KT_I64 : w->dtype == KT_F32 ? KT_F32 : KT_F64;
    kt_tensor     *into = kt_zeros(KT_SHAPE(n < least ? least : n), .dtype = sums, .device = kt__device(self));
    return kt__end(call, kt_index_add_(into, 0, at, w ? kt__converted(w, sums, KT_WHY_PROMOTION) : ones_for(at)));
}

/* ---- bins ---- */

/* The sum of `weight` (NULL: the count) per bin; elements outside go to an extra bin, which is dropped. */
static kt_tensor *tally(kt_tensor *at, kt_tensor *inside, kt_tensor *weight, int64_t bins, kt_dtype dtype)
{
    if (!at || !inside)
        return NULL;
    at = kt_where_s(inside, kt_clamp_max_s(at, KT_INT(bins - 1)), KT_INT(bins)); /* the last edge is inside */
    kt_tensor *sums = kt_zeros(KT_SHAPE(bins + 1), .dtype = weight ? dtype : KT_I64, .device = kt__device(inside));
    sums = kt_narrow(kt_index_add_(sums, 0, at, weight ? weight : ones_for(at)), 0, 0, bins);
    return sums && sums->dtype != dtype ? kt__converted_inside(sums, dtype, KT_WHY_RESULT) : kt_clone(sums);
}

static kt_tensor *within(kt_tensor *x, kt_tensor *low, kt_tensor *high)
{
    return kt_logical_and(kt_ge(x, low), kt_le(x, high));
}

/* A tensor of one element: PyTorch rounds it to the narrow float, which a number would not be. */
static kt_tensor *number(const kt_tensor *x, double value)
{
    return kt_full(KT_SHAPE(1), KT_FLOAT(value), .dtype = (kt_dtype)x->dtype, .device = kt__device(x));
}

static kt_tensor *flat(kt_tensor *t) { return kt_reshape(t, KT_SHAPE(t->numel)); }

/* Minimum and maximum; unchanged if the tensor is empty or on meta. */
static void ends_of(kt_tensor *x, double *low, double *high)
{
    if (x->numel == 0 || on_meta(x))
        return;
    kt_aminmax_results ends = kt_aminmax(x);
    *low = ends.min ? kt_item(ends.min) : 0;
    *high = ends.max ? kt_item(ends.max) : 0;
}

static kt_status check_bins(int64_t bins)
{
    return bins > 0 ? KT_OK
                    : kt_fail(KT_ERR_RUNTIME, "torch.histogram(): bins must be > 0, but got %lld for dimension 0",
                              (long long)bins);
}

/* ---- histc: the bin is computed in the dtype's arithmetic ---- */

static kt_tensor *linear_bins(kt_tensor *x, double low, double high, int64_t bins)
{
    const bool exact = x && kt_dtype_category((kt_dtype)x->dtype) == KT_CAT_INT;
    x = exact ? kt__converted_inside(x, KT_I64, KT_WHY_PROMOTION) : x;
    if (!x)
        return NULL;
    kt_tensor *first = number(x, low), *last = number(x, high), *count = number(x, (double)bins);
    kt_tensor *place = kt_div(kt_mul(kt_sub(x, first), count), kt_sub(last, first), .rounding_mode = exact ? "trunc" : NULL);
    return tally(kt__as_index(place), within(x, first, last), NULL, bins, KT_I64);
}

static kt_status bound(const kt_call *call, int at, double *value)
{
    const kt_scalar s = kt__arg_scalar(call, at);
    if (s.kind == KT_SCALAR_COMPLEX && s.im != 0)
        return kt_fail(KT_ERR_RUNTIME, "value cannot be converted to type double without overflow");
    *value = s.kind == KT_SCALAR_FLOAT || s.kind == KT_SCALAR_COMPLEX ? s.v.re : (double)s.v.i;
    return KT_OK;
}

kt_status kt__body_histc(kt_call *call)
{
    KT_SCOPE;
    kt_tensor    *self = call->arg[0].t;
    const int64_t bins = kt__arg_int(call, 1);
    double        low = 0, high = 0;
    if (bound(call, 2, &low) || bound(call, 3, &high) || check_bins(bins))
        return kt_error_status();
    const kt_category kind = kt_dtype_category((kt_dtype)self->dtype);
    if (kind == KT_CAT_INT && low <= high)
        low = trunc(low), high = trunc(high); /* bounds are of the input's dtype: two that become one choose nothing */
    const bool chosen = low != high;
    if (!chosen && kt__refuse(call, STAGE_AFTER)) /* the ends of the input are asked for first */
        return kt_error_status();
    if (!chosen && kind != KT_CAT_BOOL)
        ends_of(self, &low, &high);
    if (kt__failed())
        return kt_error_status();
    if (isnan(low) && !chosen)
        return kt_fail(KT_ERR_RUNTIME, "torch.histc: range of [nan, nan] is not finite");
    if (!isfinite(low) || !isfinite(high))
        return kt_fail(KT_ERR_RUNTIME, "torch.histc: range of [%g, %g] is not finite", low, high);
    if (low > high)
        return kt_fail(KT_ERR_RUNTIME, "torch.histc: max must be larger than min");
    if (admit(call))
        return kt_error_status();
    const double apart = low == high;
    kt_tensor   *counts = linear_bins(flat(self), low - apart, high + apart, bins);
    return kt__end(call, kt__converted_inside(counts, (kt_dtype)self->dtype, KT_WHY_RESULT));
}

/* ---- histogram: the bin is found by binary search among the edges ---- */

enum { WEIGHT = 2, DENSITY = 3 }; /* of histogram_edges, which counts */

static kt_status check_weight(const kt_call *call)
{
    const kt_tensor *self = call->arg[0].t, *w = kt__given(call, WEIGHT) ? call->arg[WEIGHT].t : NULL;
    if (kt__refuse(call, STAGE_AFTER))
        return kt_error_status();
    return !w || w->numel == self->numel
               ? KT_OK
               : kt_fail(KT_ERR_RUNTIME,
                         "torch.histogramdd: if weight tensor is provided it should have the same shape as the input tensor "
                         "excluding its innermost dimension, but got input with shape [%lld, 1] and weight with shape [%lld]",
                         (long long)self->numel, (long long)w->numel);
}

static kt_tensor *density_of(kt_tensor *hist, kt_tensor *edges)
{
    return kt_true_divide(kt_true_divide(hist, kt_sum(hist)), kt_diff(edges));
}

/* What is between the edges, in order. */
static kt_status count_between(kt_call *call, kt_tensor *edges)
{
    kt_tensor    *self = call->arg[0].t, *w = kt__given(call, WEIGHT) ? call->arg[WEIGHT].t : NULL, *x = flat(self);
    const int64_t bins = edges->numel - 1;
    kt_tensor    *at = kt_sub_s(kt_searchsorted(edges, x, .right = true), KT_INT(1));
    kt_tensor    *inside = within(x, kt_narrow(edges, 0, 0, 1), kt_narrow(edges, 0, bins, 1));
    kt_tensor    *hist = tally(at, inside, w ? flat(w) : NULL, bins, (kt_dtype)self->dtype);
    if (hist && kt__arg_bool(call, DENSITY))
        hist = kt__converted(density_of(hist, edges), (kt_dtype)self->dtype, KT_WHY_RESULT);
    return kt__end_several(call, (kt_tensor *[]){hist, edges}, 2);
}

static kt_status check_outs(const kt_call *call)
{
    const kt_dtype d = (kt_dtype)call->arg[0].t->dtype;
    return kt__check_out(call, d, d);
}

kt_status kt__body_histogram_edges(kt_call *call)
{
    KT_SCOPE;
    kt_tensor *self = call->arg[0].t, *edges = call->arg[1].t;
    if (edges->ndim != 1)
        return kt_fail(KT_ERR_RUNTIME,
                       "torch.histogramdd: bins tensor should have one dimension, but got %d dimensions in the bins tensor for "
                       "dimension 0",
                       edges->ndim);
    if (edges->numel == 0)
        return kt_fail(KT_ERR_RUNTIME,
                       "torch.histogramdd: bins tensor should have at least 1 element, but got 0 elements in the bins tensor for "
                       "dimension 0");
    if (on_meta(self))
        return kt__fail_on_meta("histogram.bins_tensor");
    if (check_weight(call) || check_outs(call) || check_bins(edges->numel - 1) || admit(call) ||
        kt__one_device((kt_tensor *[]){self, edges}, 2))
        return kt_error_status();
    edges = kt_clone(edges, .memory_format = KT_CONTIGUOUS_FORMAT);
    return edges ? count_between(call, edges) : kt_error_status();
}

static kt_status range_of(const kt_call *call, double *low, double *high)
{
    const bool chosen = kt__given(call, 2);
    if (chosen != kt__given(call, 3))
        return kt_fail(KT_ERR_RUNTIME,
                       "torch.histogramdd: for a 1-dimensional histogram range should have 2 elements, but got 1");
    *low = chosen ? call->arg[2].f : 0;
    *high = chosen ? call->arg[3].f : 1;
    if (!chosen && call->arg[0].t->numel && admit(call))
        return kt_error_status();
    if (!chosen)
        ends_of(call->arg[0].t, low, high);
    if (kt__failed())
        return kt_error_status();
    if (!isfinite(*low) || !isfinite(*high)) /* messages print NaN without its sign */
        return kt_fail(KT_ERR_RUNTIME, "torch.histogramdd: dimension 0's range [%g, %g] is not finite",
                       isnan(*low) ? NAN : *low, isnan(*high) ? NAN : *high);
    if (*low > *high)
        return kt_fail(KT_ERR_RUNTIME, "torch.histogramdd: min should not exceed max, but got min %g max %g for dimension 0",
                       *low, *high);
    const double apart = *low == *high ? 0.5 : 0;
    *low -= apart;
    *high += apart;
    return KT_OK;
}

kt_status kt__body_histogram(kt_call *call)
{
    KT_SCOPE;
    kt_tensor    *self = call->arg[0].t;
    const int64_t bins = kt__arg_int(call, 1);
    double        low, high;
    if (on_meta(self))
        return kt__fail_on_meta("histogram.bin_ct");
    if (check_outs(call) || check_bins(bins) || range_of(call, &low, &high) || kt__refuse(call, STAGE_AFTER))
        return kt_error_status();
    kt_tensor *edges = kt_linspace(KT_FLOAT(low), KT_FLOAT(high), bins + 1, .dtype = (kt_dtype)self->dtype,
                                   .device = kt__device(self));
    kt_call    c;
    if (!edges)
        return kt_error_status();
    kt__open(&c, KT_OP_histogram_edges, KT_PLAIN);
    kt__put_tensor(&c, 0, self);
    kt__put_tensor(&c, 1, edges);
    if (kt__given(call, 4))
        kt__put_tensor(&c, WEIGHT, call->arg[4].t);
    kt__put(&c, DENSITY, b, kt__arg_bool(call, 5));
    return kt__run_as(call, &c);
}
