/* neighbours.c - diff, trapezoid, cumulative_trapezoid and vander: composites of neighbouring elements and scans. In:
 * calls of BODY rows. Out: one tensor, in the vocabulary of ops.h, so that the tape sees the parts. */
#include "call/made.h"
#include "call/refuse.h"

/* ---- differences ---- */

static kt_tensor *all_but_first(kt_tensor *t, int64_t dim)
{
    const int64_t n = t ? kt_size(t, dim) : 0;
    return t ? kt_narrow(t, dim, n ? 1 : 0, n ? n - 1 : 0) : NULL;
}

static kt_tensor *all_but_last(kt_tensor *t, int64_t dim)
{
    const int64_t n = t ? kt_size(t, dim) : 0;
    return t ? kt_narrow(t, dim, 0, n ? n - 1 : 0) : NULL;
}

/* prepend and append may differ from self in the size of that dim only. */
static kt_status check_more(const kt_tensor *self, const kt_tensor *more, int64_t dim)
{
    if (!more)
        return KT_OK;
    if (more->ndim != self->ndim)
        return kt_fail(KT_ERR_RUNTIME, "diff expects prepend or append to be the same dimension as input");
    for (int d = 0; d < self->ndim; d++)
        if (d != dim && more->sizes[d] != self->sizes[d])
            return kt_fail(KT_ERR_RUNTIME,
                           "diff expects the shape of tensor to prepend or append to match that of input except along the "
                           "differencing dimension; input.size(%d) = %lld, but got tensor.size(%d) = %lld",
                           d, (long long)self->sizes[d], d, (long long)more->sizes[d]);
    return KT_OK;
}

kt_status kt__body_diff(kt_call *call)
{
    KT_SCOPE;
    kt_tensor *t = call->arg[0].t, *parts[3];
    int64_t    times = kt__arg_int(call, 1), dim = kt__arg_int(call, 2), n = 0;
    kt_tensor *before = kt__given(call, 3) ? call->arg[3].t : NULL, *behind = kt__given(call, 4) ? call->arg[4].t : NULL;
    if (t->ndim == 0)
        return kt_fail(KT_ERR_RUNTIME, "diff expects input to be at least one-dimensional");
    if (kt__wrap_dim(&dim, t->ndim) || check_more(t, before, dim) || check_more(t, behind, dim))
        return kt_error_status();
    if (times < 0)
        return kt_fail(KT_ERR_RUNTIME, "order must be non-negative but got %lld", (long long)times);
    if (before)
        parts[n++] = before;
    parts[n++] = t;
    if (behind)
        parts[n++] = behind;
    if (times == 0) /* nothing is put before or behind either */
        t = kt_clone(t);
    else if (n > 1)
        t = kt_cat(parts, n, .dim = dim);
    const bool truths = t && t->dtype == KT_BOOL;
    for (int64_t i = 0; t && i < times && kt_size(t, dim); i++) /* of nothing the tensor itself */
        t = truths ? kt_logical_xor(all_but_first(t, dim), all_but_last(t, dim))
                   : kt_sub(all_but_first(t, dim), all_but_last(t, dim));
    return t && kt__check_history(call) ? kt_error_status() : kt__end(call, t);
}

/* ---- trapezoidal rule ---- */

static kt_status no_dims(int64_t dim)
{
    return kt_fail(KT_ERR_INDEX, "Dimension specified as %lld but tensor has no dimensions", (long long)dim);
}

/* x shaped to broadcast against y: 1-dim along dim, or any shape that broadcasts. */
static kt_tensor *beside(const char *name, kt_tensor *x, const kt_tensor *y, int64_t dim)
{
    int64_t sizes[KT_MAX_DIMS];
    if (x->ndim > y->ndim || (x->ndim == y->ndim && x->ndim != 1))
        return x;
    if (x->ndim == 1 && x->sizes[0] != y->sizes[dim]) {
        kt_fail(KT_ERR_RUNTIME, "%s: There must be one `x` value for each sample point", name);
        return NULL;
    }
    for (int d = 0; d < y->ndim; d++) {
        const int from = d - (y->ndim - x->ndim);
        sizes[d] = x->ndim == 1 ? (d == dim ? x->sizes[0] : 1) : from >= 0 ? x->sizes[from] : 1;
    }
    return kt_reshape(x, (kt_shape){y->ndim, sizes});
}

static kt_tensor *pair_sums(kt_tensor *y, int64_t dim) { return kt_add(all_but_last(y, dim), all_but_first(y, dim)); }

/* Twice the areas. */
static kt_tensor *strips(const char *name, kt_tensor *x, kt_tensor *y, int64_t dim)
{
    kt_tensor *places = beside(name, x, y, dim);
    return places ? kt_mul(pair_sums(y, dim), kt_sub(all_but_first(places, dim), all_but_last(places, dim))) : NULL;
}

static kt_tensor *zeros_without(kt_tensor *y, int64_t dim)
{
    int64_t sizes[KT_MAX_DIMS];
    int     n = 0;
    for (int d = 0; d < y->ndim; d++)
        if (d != dim)
            sizes[n++] = y->sizes[d];
    return kt_new_zeros(y, ((kt_shape){n, sizes}));
}

/* Where the trapezoids are as wide as each other. */
static kt_status equal_steps(kt_call *call, const char *name, kt_scalar dx, int64_t dim, bool each)
{
    KT_SCOPE;
    kt_tensor *y = call->arg[0].t;
    if (!each && y->ndim == 0)
        return no_dims(dim);
    if (!each && kt__wrap_dim(&dim, y->ndim))
        return kt_error_status();
    if (!each && y->sizes[dim] == 0) /* before anything is asked of the elements */
        return kt__end(call, zeros_without(y, dim));
    if (kt__refuse(call, STAGE_AFTER))
        return kt_error_status();
    if (dx.kind == KT_SCALAR_COMPLEX || dx.kind == KT_SCALAR_BOOL)
        return kt_fail(KT_ERR_RUNTIME, "%s: Currently, we only support dx as a real number.", name);
    if (y->ndim == 0)
        return kt_fail(KT_ERR_INDEX, "slice() cannot be applied to a 0-dim tensor.");
    if (kt__wrap_dim(&dim, y->ndim))
        return kt_error_status();
    const double wide = dx.kind == KT_SCALAR_FLOAT ? dx.v.re : (double)dx.v.i;
    if (each)
        return kt__end(call, kt_cumsum(kt_mul_by_number_s(pair_sums(y, dim), KT_FLOAT(wide / 2.0)), dim));
    /* The ends count half. Integers are summed in int64, the two ends are not, as in PyTorch. */
    kt_tensor *ends = kt_add(kt_select(y, dim, 0), kt_select(y, dim, -1));
    kt_tensor *sum = kt_sub(kt_sum_dim(y, KT_SHAPE(dim)), kt_mul_by_number_s(ends, KT_FLOAT(0.5)));
    return kt__end(call, kt_mul_by_number_s(sum, KT_FLOAT(wide)));
}

static kt_status places_given(kt_call *call, const char *name, bool each)
{
    KT_SCOPE;
    kt_tensor *y = call->arg[0].t, *x = call->arg[1].t;
    int64_t    dim = kt__arg_int(call, 2);
    kt__decision room;
    if (kt__wrap_dim(&dim, y->ndim))
        return kt_error_status();
    if (!each && y->ndim == 0)
        return no_dims(dim);
    if (!each && y->sizes[dim] == 0)
        return kt__end(call, zeros_without(y, dim));
    if (kt__refuse(call, STAGE_AFTER))
        return kt_error_status();
    if (y->ndim == 0)
        return kt_fail(KT_ERR_INDEX, "slice() cannot be applied to a 0-dim tensor.");
    kt_tensor *twice = kt__resolve_in_body(call, &room) ? strips(name, x, y, dim) : NULL;
    if (!twice)
        return kt_error_status();
    return kt__end(call, kt_div_by_number_s(each ? kt_cumsum(twice, dim) : kt_sum_dim(twice, KT_SHAPE(dim)), KT_FLOAT(2.0)));
}

kt_status kt__body_trapezoid_x(kt_call *call) { return places_given(call, "trapezoid", false); }
kt_status kt__body_trapz_x(kt_call *call) { return places_given(call, "trapezoid", false); }
kt_status kt__body_cumulative_trapezoid_x(kt_call *call) { return places_given(call, "cumulative_trapezoid", true); }
kt_status kt__body_trapezoid_dx(kt_call *call)
{
    return equal_steps(call, "trapezoid", kt__arg_scalar(call, 1), kt__arg_int(call, 2), false);
}
kt_status kt__body_trapz_dx(kt_call *call)
{
    return equal_steps(call, "trapezoid", KT_FLOAT(kt__arg(call, 1)->f), kt__arg_int(call, 2), false);
}
kt_status kt__body_cumulative_trapezoid_dx(kt_call *call)
{
    return equal_steps(call, "cumulative_trapezoid", kt__arg_scalar(call, 1), kt__arg_int(call, 2), true);
}

/* ---- powers ---- */

/* 1, x, x * x, ... along a new last dim; n is at least 1. */
static kt_tensor *powers(kt_tensor *x, int64_t n)
{
    int64_t sizes[KT_MAX_DIMS];
    if (!x)
        return NULL;
    for (int d = 0; d < x->ndim; d++)
        sizes[d] = x->sizes[d];
    sizes[x->ndim] = n - 1;
    kt_tensor *column = kt_unsqueeze(x, -1), *repeated = kt_expand(column, ((kt_shape){x->ndim + 1, sizes}));
    kt_tensor *higher = n > 1 ? kt_cumprod(repeated, -1) : repeated;
    kt_tensor *both[] = {kt_ones_like(column, .dtype = higher ? kt_dtype_of(higher) : KT_NONE), higher};
    return both[0] && higher ? kt_cat(both, 2, .dim = -1) : NULL;
}

kt_status kt__body_vander(kt_call *call)
{
    KT_SCOPE;
    kt_tensor *x = call->arg[0].t;
    if (x->ndim != 1)
        return kt_fail(KT_ERR_RUNTIME, "x must be a one-dimensional tensor.");
    const int64_t n = kt__given(call, 1) ? call->arg[1].i : x->sizes[0];
    if (n < 0)
        return kt_fail(KT_ERR_RUNTIME, "N must be non-negative.");
    kt__decision        room;
    const kt__decision *d = kt__resolve_in_body(call, &room);
    if (!d)
        return kt_error_status();
    if (n < 2)
        return kt__end(call, kt_new_ones(x, KT_SHAPE(x->sizes[0], n), .dtype = (kt_dtype)d->result));
    kt_tensor *rising = powers(x, n);
    return kt__end(call, kt__arg_bool(call, 2) || !rising ? rising : kt_flip(rising, KT_SHAPE(1)));
}

kt_status kt__body_linalg_vander(kt_call *call)
{
    KT_SCOPE;
    kt_tensor *x = call->arg[0].t;
    const int64_t n = kt__given(call, 1) ? call->arg[1].i : x->ndim ? x->sizes[x->ndim - 1] : 1;
    if (n <= 1)
        return kt_fail(KT_ERR_RUNTIME, "N must be greater than 1.");
    if (x->ndim == KT_MAX_DIMS)
        return kt_fail(KT_ERR_RUNTIME, "only tensors with up to %d dims are supported", KT_MAX_DIMS);
    return kt__end(call, powers(x->ndim ? x : kt_reshape(x, KT_SHAPE(1)), n));
}
