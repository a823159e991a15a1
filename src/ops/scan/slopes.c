/* slopes.c - gradient: slopes of a function that is known at points, along some dims. In: calls of LIST rows. Out: one tensor
 * for each dim, in the vocabulary of ops.h, so that the tape sees the parts.
 *
 * At a point between two others the slope is that of the parabola through the three, at an end that of the line through two
 * (edge_order 1) or of the parabola through three (2): B. Fornberg, Generation of finite difference formulas on arbitrarily
 * spaced grids, 1988. */
#include "call/made.h"
#include "call/move.h"
#include "call/policy.h"

enum { SELF, SPACING, DIM, EDGE_ORDER };

typedef struct line {
    kt_tensor *t;
    int64_t    dim, n; /* n elements along dim */
} line;

static kt_tensor *part(line a, int64_t start, int64_t length) { return kt_narrow(a.t, a.dim, start, length); }
static kt_tensor *scaled(kt_tensor *t, double by) { return kt_mul_by_number_s(t, KT_FLOAT(by)); }

/* By how far the points are apart. */
static kt_tensor *even(line a, kt_scalar step, int64_t order)
{
    kt_tensor *inner = scaled(kt_sub(part(a, 2, a.n - 2), part(a, 0, a.n - 2)), 0.5), *first, *last;
    if (order == 1) {
        first = kt_sub(part(a, 1, 1), part(a, 0, 1));
        last = kt_sub(part(a, a.n - 1, 1), part(a, a.n - 2, 1));
    } else {
        first = kt_sub(scaled(part(a, 1, 1), 2), kt_add(scaled(part(a, 0, 1), 1.5), scaled(part(a, 2, 1), 0.5)));
        last = kt_sub(kt_add(scaled(part(a, a.n - 1, 1), 1.5), scaled(part(a, a.n - 3, 1), 0.5)), scaled(part(a, a.n - 2, 1), 2));
    }
    kt_tensor *all[] = {kt_true_divide_s(first, step), kt_true_divide_s(inner, step), kt_true_divide_s(last, step)};
    return kt_failed() ? NULL : kt_cat(all, 3, .dim = a.dim);
}

static kt_tensor *weighted(kt_tensor *a, kt_tensor *wa, kt_tensor *b, kt_tensor *wb, kt_tensor *c, kt_tensor *wc)
{
    return kt_add(kt_add(kt_mul(wa, a), kt_mul(wb, b)), kt_mul(wc, c));
}

/* The slope at the first point, or going backwards at the last. */
static kt_tensor *end_slope(line a, line steps, bool last, int64_t order)
{
    const int64_t p = last ? a.n - 1 : 0, toward = last ? -1 : 1, s = last ? steps.n - 1 : 0;
    kt_tensor    *near = part(steps, s, 1), *f0 = part(a, p, 1), *f1 = part(a, p + toward, 1);
    if (order == 1)
        return kt_true_divide(last ? kt_sub(f0, f1) : kt_sub(f1, f0), near);
    kt_tensor *far = part(steps, s + toward, 1), *both = kt_add(near, far), *f2 = part(a, p + 2 * toward, 1);
    kt_tensor *w0 = kt_true_divide(kt_add(near, both), kt_mul(near, both)), *w1 = kt_true_divide(both, kt_mul(near, far)),
              *w2 = kt_true_divide(near, kt_mul(far, both));
    return last ? weighted(f0, w0, f1, kt_neg(w1), f2, w2) : weighted(f0, kt_neg(w0), f1, w1, f2, kt_neg(w2));
}

/* By the places of the points. */
static kt_tensor *uneven(line a, kt_tensor *places, int64_t order)
{
    int64_t sizes[KT_MAX_DIMS];
    for (int d = 0; d < a.t->ndim; d++)
        sizes[d] = d == a.dim ? -1 : 1;
    line          steps = {kt_reshape(kt_diff(places), ((kt_shape){a.t->ndim, sizes})), a.dim, places->sizes[0] - 1};
    const int64_t inside = a.n - 2;
    if (!steps.t)
        return NULL;
    kt_tensor *before = part(steps, 0, steps.n - 1), *behind = part(steps, 1, steps.n - 1), *both = kt_add(before, behind);
    kt_tensor *left = kt_true_divide(kt_neg(behind), kt_mul(before, both)),
              *middle = kt_true_divide(kt_sub(behind, before), kt_mul(before, behind)),
              *right = kt_true_divide(before, kt_mul(behind, both));
    kt_tensor *all[] = {end_slope(a, steps, false, order),
                        weighted(part(a, 0, inside), left, part(a, 1, inside), middle, part(a, 2, inside), right),
                        end_slope(a, steps, true, order)};
    return kt_failed() ? NULL : kt_cat(all, 3, .dim = a.dim);
}

static const char differ[] = "torch.gradient expected spacing to be unspecified, a scalar or it's spacing and dim arguments to "
                             "have the same length, but got a spacing argument of length %lld and a dim argument of length %lld.";

/* Which dims, wrapped. `spacings`: how many are given, -1: one for all. */
static kt_status dims_of(const kt_call *call, int64_t spacings, int64_t *dims, int64_t *n)
{
    const kt_tensor *self = call->arg[SELF].t;
    const int64_t    order = kt__arg_int(call, EDGE_ORDER);
    const bool       named = kt__given(call, DIM);
    *n = named ? call->arg[DIM].ints.n : self->ndim;
    if (self->dtype == KT_U8)
        return kt_fail(KT_ERR_RUNTIME, "torch.gradient does not support uint8 input.");
    if (!named && spacings >= 0 && spacings != self->ndim)
        return kt_fail(KT_ERR_RUNTIME,
                       "torch.gradient expected spacing to be unspecified, a scalar, or a list of length equal to 'self.dim() = "
                       "%d', since dim argument was not given, but got a list of length %lld", self->ndim, (long long)spacings);
    if (spacings >= 0 && spacings != *n)
        return kt_fail(KT_ERR_RUNTIME, differ, (long long)spacings, (long long)*n);
    if (order != 1 && order != 2)
        return kt_fail(KT_ERR_RUNTIME, "torch.gradient only supports edge_order=1 and edge_order=2.");
    uint64_t seen = 0;
    for (int64_t i = 0; i < *n; i++) {
        int64_t dim = named ? call->arg[DIM].ints.d[i] : i;
        if (kt__wrap_dim(&dim, self->ndim))
            return kt_error_status();
        if (seen >> dim & 1)
            return kt_fail(KT_ERR_RUNTIME, "dim %lld appears multiple times in the list of dims", (long long)dim);
        seen |= UINT64_C(1) << dim;
        dims[i] = dim;
    }
    if (*n && self->ndim == 0)
        return kt_fail(KT_ERR_INDEX, "Dimension specified as %lld but tensor has no dimensions",
                       (long long)call->arg[DIM].ints.d[0]);
    for (int64_t i = 0; i < *n; i++)
        if (self->sizes[dims[i]] < order + 1)
            return kt_fail(KT_ERR_RUNTIME, "torch.gradient expected each dimension size to be at least edge_order+1");
    return KT_OK;
}

/* What is made of the places is not judged, so they are. */
static kt_status may_meet(const kt_call *call, kt_tensor *const *places, int64_t n)
{
    const kt_tensor *self = call->arg[SELF].t;
    for (int64_t i = 0; places && i < n; i++) {
        const kt_dtype common = kt_promote_types((kt_dtype)self->dtype, (kt_dtype)places[i]->dtype);
        if (kt__allow(kt__mode(), call, "self", self, common, KT_WHY_PROMOTION) ||
            kt__allow(kt__mode(), call, "spacing", places[i], common, KT_WHY_PROMOTION))
            return kt_error_status();
    }
    return KT_OK;
}

static kt_status slopes(kt_call *call, int64_t spacings, const kt_scalar *steps, kt_tensor *const *places)
{
    KT_SCOPE;
    kt_tensor *self = call->arg[SELF].t;
    int64_t    dims[KT_MAX_DIMS], n;
    for (int64_t i = 0; places && i < spacings; i++)
        if (places[i]->ndim != 1)
            return kt_fail(KT_ERR_RUNTIME,
                           "torch.gradient expected each element of spacing to have one dimension, but got an element with %d "
                           "dimensions!", places[i]->ndim);
    if (dims_of(call, spacings, dims, &n) || may_meet(call, places, spacings) || kt__list_of(call, n))
        return kt_error_status();
    for (int64_t i = 0; i < n; i++) {
        const line a = {self, dims[i], self->sizes[dims[i]]};
        kt_tensor *made = places ? uneven(a, places[i], kt__arg_int(call, EDGE_ORDER))
                                 : even(a, steps[spacings < 0 ? 0 : i], kt__arg_int(call, EDGE_ORDER));
        if (!made)
            return kt__list_done(call, kt_error_status());
        call->list[i] = kt__ref(made);
    }
    return KT_OK;
}

kt_status kt__body_gradient(kt_call *call)
{
    const kt_scalar step = kt__given(call, SPACING) ? call->arg[SPACING].s : KT_INT(1);
    return slopes(call, -1, &step, NULL);
}
kt_status kt__body_gradient_steps(kt_call *call)
{
    return slopes(call, call->arg[SPACING].ss.n, call->arg[SPACING].ss.s, NULL);
}
kt_status kt__body_gradient_at(kt_call *call) { return slopes(call, call->arg[SPACING].ts.n, NULL, call->arg[SPACING].ts.t); }
