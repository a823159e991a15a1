/* segments.c - segment_reduce: sum, mean, max, min or product of pieces that lie behind each other along a dim. In: data, and
 * the lengths of its segments, or where they begin and end. Out: an element for each segment; of an empty one `initial`, or what
 * the reduction begins with. Made of operators, which have the derivatives. */
#include <math.h>
#include <string.h>

#include "call/made.h"
#include "call/move.h"

enum { DATA, REDUCE, LENGTHS, INDICES, OFFSETS, AXIS, UNSAFE, INITIAL };

typedef enum { SEGMENT_SUM, SEGMENT_MEAN, SEGMENT_MAX, SEGMENT_MIN, SEGMENT_PROD, SEGMENT_OTHER } segment_op;

static segment_op op_of(const char *name)
{
    static const struct { const char *name; segment_op op; } names[] = {
        {"sum", SEGMENT_SUM}, {"mean", SEGMENT_MEAN}, {"max", SEGMENT_MAX}, {"amax", SEGMENT_MAX},
        {"min", SEGMENT_MIN}, {"amin", SEGMENT_MIN}, {"prod", SEGMENT_PROD}};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (strcmp(name, names[i].name) == 0)
            return names[i].op;
    return SEGMENT_OTHER;
}

/* ---- checks ---- */

static kt_status check_places(const kt_call *call, const kt_tensor *data, const kt_tensor *places, bool lengths, int64_t axis)
{
    if (axis != places->ndim - 1)
        return kt_fail(KT_ERR_RUNTIME, "segment_reduce(): Expected axis to be the last dimension of %s but got %lld.",
                       lengths ? "lengths" : "offsets", (long long)axis);
    if (places->dtype != KT_I64 && places->dtype != KT_I32)
        return kt__fail_dtype(call, KT_ERR_NOT_IMPLEMENTED, "\"_segment_reduce_%s_cpu_kernel1\" not implemented for '%s'",
                              lengths ? "lengths" : "offsets", kt_dtype_torch_name((kt_dtype)places->dtype));
    for (int d = 0; d < axis; d++)
        if (places->sizes[d] != data->sizes[d])
            return kt_fail(KT_ERR_RUNTIME, "segment_reduce(): data and its segments have different sizes before the axis");
    if (!lengths && !places->sizes[axis])
        return kt_fail(KT_ERR_RUNTIME, "segment_reduce(): offsets have at least one element");
    return KT_OK;
}

/* PyTorch looks at the values on every device, unless `unsafe` says not to; on meta there are none. */
static kt_status check_lengths(kt_tensor *lengths, int64_t size)
{
    if (lengths->backend == KT_META)
        return KT_OK;
    if (!lengths->numel)
        return kt_fail(KT_ERR_RUNTIME, "min(): Expected reduction dim to be specified for input.numel() == 0. Specify the "
                       "reduction dim with the 'dim' argument.");
    const int64_t n = lengths->sizes[lengths->ndim - 1];
    int64_t      *length = kt__read_ints(lengths);
    if (!length)
        return kt_error_status();
    bool negative = false, whole = true;
    for (int64_t i = 0; i < lengths->numel; i++)
        negative |= length[i] < 0;
    for (int64_t row = 0; row < lengths->numel / n && !negative; row++) {
        int64_t sum = 0;
        for (int64_t i = 0; i < n && sum <= size; i++)
            sum += length[row * n + i] <= size ? length[row * n + i] : size + 1;
        whole &= sum == size;
    }
    kt__free_ints(length, lengths);
    if (negative)
        return kt_fail(KT_ERR_RUNTIME, "lengths contains negative value!");
    return whole ? KT_OK
                 : kt_fail(KT_ERR_RUNTIME, "segment_reduce(): Expected all rows of lengths along axis to sum to "
                           "data.size(lengths.dim()-1) when !unsafe.");
}

/* ---- the reduction ---- */

/* A vector of segments for what has more dims behind the axis. */
static kt_tensor *beside(kt_tensor *t, int ndim)
{
    for (int d = t ? t->ndim : ndim; t && d < ndim; d++)
        t = kt_unsqueeze(t, -1);
    return t;
}

/* Which segment each element belongs to, counted from 1: 0 is before the first, n + 1 behind the last. */
static kt_tensor *segment_of(kt_tensor *offsets, const kt_tensor *data, int64_t axis)
{
    int64_t sizes[KT_MAX_DIMS];
    memcpy(sizes, data->sizes, (size_t)(axis + 1) * sizeof *sizes);
    kt_tensor *place = kt_arange(KT_INT(0), KT_INT(data->sizes[axis]), .dtype = KT_I64, .device = kt__device(data));
    place = kt_contiguous(kt_expand(place, ((kt_shape){(int)axis + 1, sizes})));
    kt_tensor *found = kt_searchsorted(kt_contiguous(offsets), place, .right = true);
    found = beside(found, data->ndim);
    return found ? kt_expand(found, kt__sizes(data)) : NULL;
}

static kt_scalar begins_with(segment_op op)
{
    return op == SEGMENT_MAX ? KT_FLOAT(-INFINITY) : op == SEGMENT_MIN ? KT_FLOAT(INFINITY) : KT_FLOAT(op == SEGMENT_PROD);
}

/* `initial` has no part in ties, nor in the number that a mean divides by. */
static kt_tensor *with_initial(kt_tensor *out, segment_op op, kt_tensor *lengths, const kt_scalar *initial)
{
    kt_tensor *first = initial ? kt_full_like(out, *initial) : NULL;
    if (op == SEGMENT_MEAN) {
        lengths = beside(lengths, out->ndim);
        kt_tensor *mean = kt_true_divide(out, kt__converted_inside(kt_clamp_min_s(lengths, KT_INT(1)), (kt_dtype)out->dtype,
                                                                   KT_WHY_PROMOTION));
        return kt_where(kt_eq_s(lengths, KT_INT(0)), initial ? first : kt_full_like(out, KT_FLOAT(NAN)), mean);
    }
    if (initial && (op == SEGMENT_MAX || op == SEGMENT_MIN)) { /* an initial NaN is what the segment gives */
        kt_tensor *beyond = op == SEGMENT_MAX ? kt_lt(out, first) : kt_gt(out, first);
        return kt_where(kt_logical_or(beyond, kt_isnan(first)), first, out);
    }
    return kt_clone(out, .memory_format = KT_CONTIGUOUS_FORMAT);
}

/* `out` is of the numbers alone. The NaNs of a segment are all its maximum and its minimum: they share its gradient. That of a
 * product's only NaN is the product of the numbers. */
static kt_tensor *with_nans(kt_tensor *out, segment_op op, kt_tensor *data, kt_tensor *nan, kt_tensor *index, kt_shape sizes,
                            int64_t axis)
{
    const kt_dtype dtype = (kt_dtype)data->dtype;
    const int64_t  n = sizes.d[axis] - 2;
    kt_tensor     *none = kt_zeros(sizes, .dtype = dtype, .device = kt__device(data));
    kt_tensor     *counted = kt_scatter_add(none, axis, index, kt__converted_inside(nan, dtype, KT_WHY_PROMOTION));
    kt_tensor     *summed = kt_scatter_add(none, axis, index, kt_where_s(nan, data, KT_INT(0)));
    kt_tensor     *count = kt_narrow(counted, axis, 1, n), *sum = kt_narrow(summed, axis, 1, n);
    kt_tensor     *some = kt_gt_s(count, KT_INT(0));
    if (op != SEGMENT_PROD)
        return kt_where(some, kt_true_divide(sum, kt_clamp_min_s(count, KT_INT(1))), out);
    kt_tensor *once = kt_masked_fill(kt_ones_like(count), kt_gt_s(count, KT_INT(1)), KT_FLOAT(NAN));
    return kt_where(some, kt_mul(out, kt_mul(sum, once)), out);
}

static kt_tensor *reduced(kt_tensor *data, segment_op op, kt_tensor *offsets, kt_tensor *lengths, int64_t axis,
                          const kt_scalar *initial)
{
    int64_t       sizes[KT_MAX_DIMS];
    const int64_t n = offsets->sizes[axis] - 1;
    const bool    compares = op == SEGMENT_MAX || op == SEGMENT_MIN;
    memcpy(sizes, data->sizes, (size_t)data->ndim * sizeof *sizes);
    sizes[axis] = n + 2;
    kt_tensor *index = segment_of(offsets, data, axis);
    kt_tensor *begin = kt_full(((kt_shape){data->ndim, sizes}), initial && !compares ? *initial : begins_with(op),
                               .dtype = (kt_dtype)data->dtype, .device = kt__device(data));
    kt_tensor *nan = (compares || op == SEGMENT_PROD) && kt__is_followed(data) ? kt_isnan(data) : NULL;
    kt_tensor *numbers = nan ? kt_masked_fill(data, nan, begins_with(op)) : data;
    kt_tensor *all = op == SEGMENT_SUM || op == SEGMENT_MEAN
                         ? kt_scatter_add(begin, axis, index, data)
                         : kt_scatter_reduce(begin, axis, index, numbers, compares ? op == SEGMENT_MAX ? "amax" : "amin" : "prod",
                                             .include_self = KT_SOME(!compares));
    kt_tensor *out = kt_narrow(all, axis, 1, n);
    out = out ? with_initial(out, op, lengths, initial) : NULL;
    return nan && out ? with_nans(out, op, data, nan, index, (kt_shape){data->ndim, sizes}, axis) : out;
}

kt_status kt__body_segment_reduce(kt_call *call)
{
    KT_SCOPE;
    kt_tensor       *data = call->arg[DATA].t, *lengths = kt__given(call, LENGTHS) ? call->arg[LENGTHS].t : NULL;
    kt_tensor       *offsets = kt__given(call, OFFSETS) ? call->arg[OFFSETS].t : NULL;
    const segment_op op = op_of(call->arg[REDUCE].str);
    int64_t          axis = kt__arg_int(call, AXIS);
    if (kt__wrap_dim(&axis, data->ndim))
        return kt_error_status();
    if (kt__given(call, INDICES))
        return kt_fail(KT_ERR_RUNTIME, "segment_reduce(): indices based reduction is not supported yet.");
    if (op == SEGMENT_OTHER)
        return kt_fail(KT_ERR_RUNTIME, "reduce argument must be either sum, prod, mean, amax or amin, got %s",
                       call->arg[REDUCE].str);
    if (!lengths && !offsets)
        return kt_fail(KT_ERR_RUNTIME, "segment_reduce(): Either lengths or offsets must be defined.");
    const bool by_length = !offsets;
    kt_tensor *places = by_length ? lengths : offsets;
    if (kt__one_device((kt_tensor *[]){data, places}, 2) || check_places(call, data, places, by_length, axis) ||
        (by_length && !kt__arg_bool(call, UNSAFE) && check_lengths(lengths, data->sizes[axis])))
        return kt_error_status();
    places = kt__converted_inside(places, KT_I64, KT_WHY_PROMOTION);
    if (by_length && places) {
        kt_tensor *zero = kt_zeros_like(places->sizes[axis] ? kt_narrow(places, axis, 0, 1) : kt_sum_dim(places, KT_SHAPE(axis),
                                        .keepdim = true));
        lengths = places;
        offsets = kt_cat(((kt_tensor *[]){zero, kt_cumsum(places, axis)}), 2, .dim = axis);
    } else if (places) {
        offsets = places;
        lengths = kt_diff(places, .dim = KT_SOME(axis));
    }
    const kt_scalar initial = kt__given(call, INITIAL) ? call->arg[INITIAL].s : KT_INT(0);
    return kt__failed() ? kt_error_status()
                        : kt__end(call, reduced(data, op, offsets, lengths, axis, kt__given(call, INITIAL) ? &initial : NULL));
}
