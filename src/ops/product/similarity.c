/* similarity.c - how near two tensors are: pairwise_distance, cosine_similarity, pdist. In: tensors. Out: a number for each pair
 * of lines. The first two are composites: the operators inside are recorded, as in PyTorch. */
#include <math.h>

#include "call/made.h"
#include "call/policy.h"

/* ---- lines of two tensors ---- */

kt_status kt__body_pairwise_distance(kt_call *call)
{
    enum { FIRST, SECOND, P, EPS, KEEPDIM };
    KT_SCOPE;
    kt_tensor *apart = kt_add_s(kt_sub(call->arg[FIRST].t, call->arg[SECOND].t), KT_FLOAT(kt__arg(call, EPS)->f));
    return kt__end(call, kt_norm_along(apart, KT_FLOAT(kt__arg(call, P)->f), KT_SHAPE(-1),
                                       .keepdim = kt__arg_bool(call, KEEPDIM)));
}

/* Both over the same sizes; what is no float in their common dtype. */
static kt_status bring_together(const kt_call *call, kt_tensor **t, kt_dtype *common)
{
    static const char *const names[] = {"x1", "x2"};
    kt__gathered             g;
    int64_t                  sizes[KT_MAX_DIMS];
    int                      rank = 0;
    kt_status                status = KT_OK;
    kt__gather(call, &g);
    *common = kt__common_dtype(&g, 0, kt__mode(), &status);
    if (status)
        return status;
    if (kt__dtype_rows[*common].category != KT_CAT_FLOAT)
        return kt__fail_dtype(call, KT_ERR_RUNTIME, "expected common dtype to be floating point, yet common dtype is %s",
                              kt_dtype_torch_name(*common));
    if (kt__broadcast(t, 2, sizes, &rank))
        return kt_error_status();
    const kt_shape whole = {rank, sizes};
    for (int i = 0; i < 2; i++) {
        if (kt__allow(kt__mode(), call, names[i], t[i], *common, KT_WHY_PROMOTION))
            return kt_error_status();
        if (kt__dtype_rows[t[i]->dtype].category != KT_CAT_FLOAT)
            t[i] = kt__converted_inside(t[i], *common, KT_WHY_PROMOTION);
        t[i] = kt_expand(t[i], whole);
    }
    return kt__failed() ? kt_error_status() : KT_OK;
}

/* t divided by its length along dim, which is not less than `least`: in the dtype of t, then in the common one. The gradient
 * passes as if it were the length. */
static kt_tensor *of_length_one(kt_tensor *t, int64_t dim, double least, kt_dtype common)
{
    kt_tensor *length = kt_clone(kt_linalg_vector_norm(t, .dim = KT_SHAPE(dim), .keepdim = true));
    {
        KT_NO_GRAD;
        const kt_scalar held = KT_FLOAT(kt__holds(KT_FLOAT(least), (kt_dtype)t->dtype) ? least : INFINITY);
        kt_tensor      *bound = kt_scalar_tensor(held, .dtype = (kt_dtype)t->dtype, .device = kt__device(t));
        kt_tensor *bounded = bound && length ? kt_maximum(length, bound) : NULL;
        length = bounded ? kt_copy_(length, bounded) : NULL;
    }
    return kt__converted_inside(kt_true_divide(t, length), common, KT_WHY_PROMOTION);
}

kt_status kt__body_cosine_similarity(kt_call *call)
{
    enum { FIRST, SECOND, DIM, EPS };
    KT_SCOPE;
    kt_tensor   *t[] = {call->arg[FIRST].t, call->arg[SECOND].t};
    int64_t      dim = kt__arg_int(call, DIM);
    const double eps = kt__arg(call, EPS)->f;
    kt_dtype     common;
    if (!(eps >= 0))
        return kt_fail(KT_ERR_RUNTIME, "eps must be non-negative, got: %g", eps);
    if (bring_together(call, t, &common) || kt__wrap_dim(&dim, t[0]->ndim))
        return kt_error_status();
    for (int i = 0; i < 2; i++)
        if (!kt__holds(KT_FLOAT(eps), kt__arithmetic_of((kt_dtype)t[i]->dtype)))
            return kt__fail_overflow(call, kt__arithmetic_of((kt_dtype)t[i]->dtype));
    kt_tensor *product = kt_mul(of_length_one(t[0], dim, eps, common), of_length_one(t[1], dim, eps, common));
    return kt__end(call, kt_sum_dim(product, KT_SHAPE(dim)));
}

/* ---- every two lines of one ---- */

static kt_status check_lines(const kt_call *call, const kt_tensor *x, double p)
{
    if (x->ndim != 2)
        return kt_fail(KT_ERR_RUNTIME, "pdist only supports 2D tensors, got: %dD", x->ndim);
    if (kt__dtype_rows[x->dtype].category != KT_CAT_FLOAT)
        return kt__fail_dtype(call, KT_ERR_RUNTIME, "pdist only supports floating-point dtypes");
    if (!(p >= 0))
        return kt_fail(KT_ERR_RUNTIME, "pdist only supports non-negative p values");
    return x->dtype == KT_F32 || x->dtype == KT_F64
               ? KT_OK
               : kt__fail_dtype(call, KT_ERR_NOT_IMPLEMENTED, "\"pdist\" not implemented for '%s'",
                                kt_dtype_torch_name((kt_dtype)x->dtype));
}

/* A line and those below it. */
static kt_tensor *from_line(kt_tensor *x, int64_t i, double p)
{
    kt_tensor *apart = kt_sub(kt_narrow(x, 0, i, 1), kt_narrow(x, 0, i + 1, x->sizes[0] - i - 1));
    if (x->sizes[1] == 0)
        return kt_sum_dim(apart, KT_SHAPE(1));
    if (p == 0) /* the number of differing elements, NaN for NaN */
        return kt_sum_dim(kt_clamp_max_s(kt_ceil(kt_abs(apart)), KT_INT(1)), KT_SHAPE(1));
    return kt_linalg_vector_norm(apart, .ord = KT_FLOAT(p), .dim = KT_SHAPE(1));
}

kt_status kt__body_pdist(kt_call *call)
{
    KT_SCOPE;
    kt_tensor   *x = call->arg[0].t;
    const double p = kt__arg(call, 1)->f;
    if (check_lines(call, x, p))
        return kt_error_status();
    const int64_t n = x->sizes[0];
    kt_tensor    *out = kt_empty(KT_SHAPE(n > 1 ? n * (n - 1) / 2 : 0), .dtype = (kt_dtype)x->dtype, .device = kt__device(x));
    for (int64_t i = 0, at = 0; out && i + 1 < n; at += n - 1 - i, i++) {
        KT_SCOPE;
        if (!kt_copy_(kt_narrow(out, 0, at, n - 1 - i), from_line(x, i, p)))
            return kt_error_status();
    }
    return kt__end(call, out);
}
