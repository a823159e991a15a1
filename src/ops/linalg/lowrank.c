/* lowrank.c - singular values of large matrices in a random subspace. In: calls of svd_lowrank and pca_lowrank. Out: tensors made
 * of other operators, which the tape records.
 *
 * N. Halko, P.-G. Martinsson, J. Tropp, Finding structure with randomness, 2009: a basis Q of what A makes of random vectors,
 * sharpened by products with A^H and A (algorithm 4.4); the singular values of Q^H A, a small matrix, are A's (5.1). */
#include "ops/linalg/matrices.h"

/* A, of which M is subtracted after each product (NULL: nothing): A - M is not made. */
typedef struct difference {
    kt_tensor *a, *m;
} difference;

static kt_tensor *adjoint(kt_tensor *t) { return t ? kt_adjoint(t) : NULL; }
static kt_tensor *basis(kt_tensor *t) { return t ? kt_linalg_qr(t).Q : NULL; }

static kt_tensor *times(const difference *d, kt_tensor *x)
{
    kt_tensor *product = kt_matmul(d->a, x);
    return d->m ? kt_sub(product, kt_matmul(d->m, x)) : product;
}

/* PyTorch draws in float32 for dtypes that it has no method for: their product is refused. */
static kt_dtype drawn(kt_dtype d)
{
    return d == KT_F16 || d == KT_F64 || kt__dtype_rows[d].category == KT_CAT_COMPLEX ? d : KT_F32;
}

static kt_tensor *subspace(const difference *d, int64_t q, int64_t times_more)
{
    const difference back = {adjoint(d->a), adjoint(d->m)};
    const kt_shape   sizes = KT_SHAPE(d->a->sizes[d->a->ndim - 1], q);
    kt_tensor       *random = kt_randn(sizes, .dtype = drawn((kt_dtype)d->a->dtype), .device = kt__device(d->a));
    kt_tensor       *found = basis(times(d, random));
    for (int64_t i = 0; i < times_more && found; i++)
        found = basis(times(d, basis(times(&back, found))));
    return found;
}

static kt_status check_matrix(const kt_tensor *a)
{
    return a->ndim >= 2 ? KT_OK
                        : kt_fail(KT_ERR_VALUE, "not enough values to unpack (expected 2, got %d)", a->ndim);
}

static kt_status end_svd(kt_call *call, kt_tensor *a, kt_tensor *m, int64_t q, int64_t times_more)
{
    const bool wide = a->sizes[a->ndim - 2] < a->sizes[a->ndim - 1];
    difference d = {wide ? adjoint(a) : a, m ? kt_broadcast_to(m, kt__sizes(a)) : NULL};
    if (m && !d.m)
        return kt_error_status();
    d.m = wide ? adjoint(d.m) : d.m;
    kt_tensor *q_of = d.a ? subspace(&d, q, times_more) : NULL, *back = adjoint(q_of);
    if (!back)
        return kt_error_status();
    kt_tensor *small = kt_matmul(back, d.a);
    small = d.m ? kt_sub(small, kt_matmul(back, d.m)) : small;
    const kt_linalg_svd_results of = kt_linalg_svd(small, .full_matrices = KT_SOME(false));
    kt_tensor *left = of.U ? kt_matmul(q_of, of.U) : NULL, *right = adjoint(of.Vh);
    kt_tensor *made[] = {wide ? right : left, of.S, wide ? left : right};
    return left && right ? kt__end_several(call, made, 3) : kt_error_status();
}

kt_status kt__body_svd_lowrank(kt_call *call)
{
    enum { A, Q, ITERATIONS, M };
    KT_SCOPE;
    kt_tensor *a = call->arg[A].t;
    if (check_matrix(a))
        return kt_error_status();
    return end_svd(call, a, kt__given(call, M) ? call->arg[M].t : NULL, kt__given(call, Q) ? call->arg[Q].i : 6,
                   kt__given(call, ITERATIONS) ? call->arg[ITERATIONS].i : 2);
}

kt_status kt__body_pca_lowrank(kt_call *call)
{
    enum { A, Q, CENTER, ITERATIONS };
    KT_SCOPE;
    kt_tensor    *a = call->arg[A].t;
    const int64_t more = kt__arg_int(call, ITERATIONS);
    if (check_matrix(a))
        return kt_error_status();
    const int64_t m = a->sizes[a->ndim - 2], n = a->sizes[a->ndim - 1], least = m < n ? m : n;
    const int64_t q = kt__given(call, Q) ? call->arg[Q].i : least < 6 ? least : 6;
    if (q < 0 || q > least)
        return kt_fail(KT_ERR_VALUE, "q(=%lld) must be non-negative integer and not greater than min(m, n)=%lld", (long long)q,
                       (long long)least);
    if (more < 0)
        return kt_fail(KT_ERR_VALUE, "niter(=%lld) must be non-negative integer", (long long)more);
    kt_tensor *centred = kt__arg_bool(call, CENTER) ? kt_sub(a, kt_mean_dim(a, KT_SHAPE(-2), .keepdim = true)) : a;
    return centred ? end_svd(call, centred, NULL, q, more) : kt_error_status();
}
