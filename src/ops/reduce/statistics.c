/* statistics.c - trace, logsumexp of complex numbers, cov, corrcoef: composites of sums and products. In: calls of BODY
 * rows. */
#include "call/check.h"
#include "call/made.h"
#include "call/refuse.h"

kt_status kt__body_trace(kt_call *call)
{
    KT_SCOPE;
    kt_tensor *self = call->arg[0].t;
    if (self->ndim != 2)
        return kt_fail(KT_ERR_RUNTIME, "trace: expected a matrix, but got tensor with dim %d", self->ndim);
    return kt__end(call, kt_sum(kt_diagonal(self)));
}

/* ---- logsumexp of complex numbers: the maximum real part is factored out ---- */

static kt_tensor *complex_logsumexp(const kt_call *call)
{
    kt_tensor *x = call->arg[0].t, *top = NULL;
    kt_shape   dims = call->arg[1].ints;
    bool       keep = kt__arg_bool(call, 2);
    if (!x->numel)
        return kt_log(kt_sum_dim(x, dims, .keepdim = keep));
    top = kt_amax(kt_real(x), .dim = dims, .keepdim = true);
    top = kt_where_s(kt_isfinite(top), top, KT_INT(0));
    kt_tensor *rest = kt_log(kt_sum_dim(kt_exp(kt_sub(x, top)), dims, .keepdim = keep));
    return rest ? kt_add(rest, kt_reshape(top, kt_sizes(rest))) : NULL;
}

kt_status kt__body_logsumexp(kt_call *call)
{
    if (kt_dtype_category((kt_dtype)call->arg[0].t->dtype) != KT_CAT_COMPLEX)
        return kt__run_reduce(call);
    KT_SCOPE;
    kt__decision        room;
    const kt__decision *d = kt__resolve_in_body(call, &room);
    if (!d || kt__refuse_target(call, (kt_dtype)d->result, KT_NONE)) /* a cast is looked at when the result is there */
        return kt_error_status();
    return kt__end(call, complex_logsumexp(call));
}

/* ---- cov ---- */

enum { CORRECTION = 1, FWEIGHTS, AWEIGHTS };

static kt_status check_weights(const kt_call *call, int at, int64_t observations)
{
    const kt_tensor *w = kt__given(call, at) ? call->arg[at].t : NULL;
    const char      *name = kt__arg_spec(call->row, at)->name;
    if (!w)
        return KT_OK;
    if (w->ndim > 1)
        return kt_fail(KT_ERR_RUNTIME, "cov(): expected %s to have one or fewer dimensions but got %s with %d dimensions",
                       name, name, w->ndim);
    if (kt__refuse_case(call, at))
        return kt_error_status();
    if (w->numel != observations)
        return kt_fail(KT_ERR_RUNTIME,
                       "cov(): expected %s to have the same numel as there are observations in the input but got %lld != "
                       "%lld",
                       name, (long long)w->numel, (long long)observations);
    return kt__check_not_negative(call->arg[at].t, at == FWEIGHTS ? KT_FAULT_COV_FWEIGHTS : KT_FAULT_COV_AWEIGHTS);
}

static kt_status check_rows(const kt_call *call)
{
    const int rank = call->arg[0].t->ndim;
    return rank <= 2 ? KT_OK
                     : kt_fail(KT_ERR_RUNTIME,
                               "%s(): expected input to have two or fewer dimensions but got an input with %d dimensions",
                               call->row->name, rank);
}

/* The weight of each observation; NULL: equal weights. Counts must be integers: the copy is no operand, and no policy refuses its
 * promotion. */
static kt_tensor *weights(const kt_call *call)
{
    kt_tensor *often = kt__given(call, FWEIGHTS) ? kt_clone(call->arg[FWEIGHTS].t) : NULL;
    kt_tensor *much = kt__given(call, AWEIGHTS) ? call->arg[AWEIGHTS].t : NULL;
    return often && much ? kt_mul(often, much) : often ? often : much;
}

static void warn_of_freedom(void)
{
    kt__warn("cov(): degrees of freedom is <= 0. Correction should be strictly less than the number of observations.");
}

/* The divisor: the count or the sum of weights, minus the correction, at least 0. */
static kt_tensor *freedom(const kt_call *call, kt_tensor *w, kt_tensor *total)
{
    kt_scalar  correction = KT_INT(kt__arg_int(call, CORRECTION));
    kt_tensor *less = NULL;
    if (kt__given(call, AWEIGHTS) && correction.v.i)
        less = kt_mul_s(kt_true_divide(kt_sum(kt_mul(w, call->arg[AWEIGHTS].t)), total), correction);
    kt_tensor *left = less ? kt_sub(total, less) : kt_sub_s(total, correction);
    if (left && !kt__backend(left->backend)->stores_nothing && kt_item(left) <= 0)
        warn_of_freedom();
    return kt_clamp_min_s(left, KT_INT(0));
}

/* As a bool: no smallest positive number would do as a bound in every dtype. */
static kt_status check_total(kt_tensor *total)
{
    kt_tensor *some = kt_ne_s(total, KT_INT(0));
    if (!some)
        return kt_error_status();
    return kt__check_range(&some, 1, &(kt__range){.low = KT_INT(1), .high = KT_INT(1), .says = {KT_FAULT_COV_SUM}});
}

static kt_tensor *covariance(const kt_call *call)
{
    kt_tensor *self = call->arg[0].t, *x = self->ndim == 2 ? self : kt_view(kt_contiguous(self), KT_SHAPE(1, -1));
    int64_t    n = x ? x->sizes[1] : 0;
    kt_tensor *w = NULL, *mean;
    if (!x || check_weights(call, FWEIGHTS, n) || check_weights(call, AWEIGHTS, n))
        return NULL;
    w = weights(call);
    if (!w) {
        int64_t left = n - kt__arg_int(call, CORRECTION);
        if (left <= 0)
            warn_of_freedom();
        mean = kt_true_divide_s(kt_sum_dim(x, KT_SHAPE(1), .keepdim = true), KT_INT(n));
        x = kt_sub(x, mean);
        return kt_squeeze(kt_true_divide_s(kt_mm(x, kt_conj(kt_t(x))), KT_INT(left > 0 ? left : 0)));
    }
    kt_tensor *total = kt_sum(w);
    if (check_total(total))
        return NULL;
    mean = kt_true_divide(kt_sum_dim(kt_mul(x, w), KT_SHAPE(1), .keepdim = true), total);
    x = kt_sub(x, mean);
    if (!x)
        return NULL;
    kt_tensor *weighted = kt__converted_inside(kt_mul(x, w), (kt_dtype)x->dtype, KT_WHY_RESULT);
    kt_tensor *products = kt_mm(x, kt_conj(kt_t(weighted)));
    return kt_squeeze(kt_true_divide(products, freedom(call, w, total)));
}

kt_status kt__body_cov(kt_call *call)
{
    KT_SCOPE;
    if (check_rows(call) || kt__refuse(call, STAGE_AFTER))
        return kt_error_status();
    return kt__end(call, covariance(call));
}

/* ---- corrcoef ---- */

static kt_tensor *within_1(kt_tensor *t) { return kt_clamp_s(t, .min = KT_INT(-1), .max = KT_INT(1)); }

kt_status kt__body_corrcoef(kt_call *call)
{
    KT_SCOPE;
    if (check_rows(call))
        return kt_error_status();
    kt_tensor *c = kt_cov(call->arg[0].t);
    if (c && c->ndim == 0)
        return kt__end(call, kt_true_divide(c, c));
    kt_tensor *spread = kt_sqrt(kt_real(kt_diagonal(c)));
    c = kt_true_divide(kt_true_divide(c, kt_unsqueeze(spread, 1)), kt_unsqueeze(spread, 0));
    const bool complex = c && kt_dtype_category((kt_dtype)c->dtype) == KT_CAT_COMPLEX;
    if (complex)
        return kt__end(call, kt_complex(within_1(kt_real(c)), within_1(kt_imag(c))));
    return kt__end(call, within_1(c));
}
