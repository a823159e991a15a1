/* unfolded.c - tensors that are read as matrices: some of their dims are the rows, the others the columns. In: calls of
 * tensorinv and tensorsolve, and of the nuclear norm. Out: results, or PyTorch's refusals. They are made of inv, solve and
 * matrix_norm. */
#include "base/warn.h"
#include "ops/linalg/matrices.h"

static int64_t product_of(const int64_t *sizes, int64_t n)
{
    int64_t product = 1;
    for (int64_t i = 0; i < n; i++)
        product *= sizes[i];
    return product;
}

kt_status kt__body_linalg_tensorinv(kt_call *call)
{
    KT_SCOPE;
    kt_tensor    *t = call->arg[0].t;
    const int64_t first = kt__arg_int(call, 1);
    int64_t       sizes[KT_MAX_DIMS];
    if (first <= 0)
        return kt_fail(KT_ERR_RUNTIME, "Expected a strictly positive integer for 'ind', but got %lld",
                       (long long)first);
    if (first > t->ndim)
        return kt_fail(KT_ERR_RUNTIME, "ArrayRef: invalid slice, N = %lld; size = %d", (long long)first, t->ndim);
    const int64_t rest = t->ndim - first, rows = product_of(t->sizes, first),
                  columns = product_of(t->sizes + first, rest);
    if (rows != columns)
        return kt_fail(KT_ERR_RUNTIME,
                       "Expected self to satisfy the requirement prod(self.shape[ind:]) == prod(self.shape[:ind]), but "
                       "got %lld != "
                       "%lld",
                       (long long)columns, (long long)rows);
    for (int64_t i = 0; i < t->ndim; i++)
        sizes[i] = t->sizes[(i + first) % t->ndim];
    const kt_linalg_inv_ex_results r = kt_linalg_inv_ex(kt_reshape(t, KT_SHAPE(columns, rows)));
    kt_tensor *made = kt_reshape(r.inverse, ((kt_shape){t->ndim, sizes}));
    if (!made || kt__check_ends(call, &made, 1) || kt__check_info(r.info, KT__NOT_INVERTIBLE, "inv"))
        return kt_error_status();
    return kt__end_matrices(call, made, false);
}

kt_status kt__body_linalg_tensorsolve(kt_call *call)
{
    KT_SCOPE;
    kt_tensor *t = call->arg[0].t, *other = call->arg[1].t;
    if (kt__given(call, 2)) {
        const kt_shape dims = call->arg[2].ints;
        int64_t        last[KT_MAX_DIMS];
        for (int64_t i = 0; i < dims.n && i < KT_MAX_DIMS; i++)
            last[i] = t->ndim - dims.n + i;
        if (!(t = kt_movedim(t, dims, ((kt_shape){dims.n, last}))))
            return kt_error_status();
    }
    if (other->ndim > t->ndim)
        return kt_fail(KT_ERR_RUNTIME, "ArrayRef: invalid slice, N = %d; size = %d", other->ndim, t->ndim);
    const int64_t  first = other->ndim, rest = t->ndim - first;
    const kt_shape result = {rest, t->sizes + first};
    const int64_t  columns = product_of(result.d, rest);
    if (columns != other->numel)
        return kt_fail(KT_ERR_RUNTIME,
                       "Expected self to satisfy the requirement prod(self.shape[other.ndim:]) == "
                       "prod(self.shape[:other.ndim]), but "
                       "got %lld != %lld",
                       (long long)columns, (long long)other->numel);
    kt_tensor *x = kt_linalg_solve(kt_reshape(t, KT_SHAPE(columns, columns)), kt_flatten(other));
    return kt__end(call, kt_reshape(x, result));
}

/* ---- the nuclear norm ---- */
static kt_status nuclear(kt_call *call, kt_shape dims, bool keepdim)
{
    KT__WARN_ONCE("at::nuclear_norm is deprecated and it is just left for JIT compatibility. It will be removed in a future "
                  "PyTorch release. Please use `linalg.matrix_norm(A, 'nuc', dim, keepdim)` instead");
    return kt__end(call, kt_linalg_matrix_norm_str(call->arg[0].t, .ord = "nuc", .dim = dims, .keepdim = keepdim));
}

kt_status kt__body_nuclear_norm(kt_call *call)
{
    KT_SCOPE;
    return nuclear(call, KT_SHAPE(-2, -1), kt__arg_bool(call, 1));
}

kt_status kt__body_nuclear_norm_dim(kt_call *call)
{
    KT_SCOPE;
    const kt_shape dims = call->arg[1].ints; /* one number stands for both */
    return nuclear(call, dims.n == 1 ? KT_SHAPE(dims.d[0], dims.d[0]) : dims, kt__arg_bool(call, 2));
}
