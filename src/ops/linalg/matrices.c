/* matrices.c - see matrices.h. */
#include "ops/linalg/matrices.h"

#include <string.h>

#include <karat/linalg.h>

#include "base/alloc.h"
#include "call/move.h"

/* ---- shapes ---- */
kt_status kt__check_matrices(const kt_tensor *t, const char *who, const char *name)
{
    return t->ndim >= 2 ? KT_OK
                        : kt_fail(KT_ERR_RUNTIME, "%s: The input tensor %s must have at least 2 dimensions.", who, name);
}

kt_status kt__check_square(const kt_tensor *t, const char *who)
{
    if (kt__check_matrices(t, who, "A"))
        return kt_error_status();
    if (kt__rows_in(t) == kt__columns_in(t))
        return KT_OK;
    return kt_fail(KT_ERR_RUNTIME, "%s: A must be batches of square matrices, but they are %lld by %lld matrices", who,
                   (long long)kt__rows_in(t), (long long)kt__columns_in(t));
}

kt_status kt__check_equation(const kt_tensor *a, const kt_tensor *b, bool left, const char *who)
{
    if (kt__check_matrices(b, who, "B"))
        return kt_error_status();
    if (kt__rows_in(a) == (left ? kt__rows_in(b) : kt__columns_in(b)))
        return KT_OK;
    return kt_fail(KT_ERR_RUNTIME, "%s: Incompatible shapes of A and B for the equation %s = B (%lldx%lld and %lldx%lld)", who,
                   left ? "AX" : "XA", (long long)kt__rows_in(a), (long long)kt__columns_in(a), (long long)kt__rows_in(b),
                   (long long)kt__columns_in(b));
}

/* PyTorch names b first. */
kt_status kt__meet_batches(const kt_tensor *a, const kt_tensor *b, int64_t *sizes, kt_shape *batch)
{
    const kt_shape x = kt__batch_of(b), y = kt__batch_of(a);
    batch->n = x.n > y.n ? x.n : y.n;
    batch->d = sizes;
    for (int64_t i = 0; i < batch->n; i++) {
        const int64_t at_x = i - (batch->n - x.n), at_y = i - (batch->n - y.n);
        const int64_t p = at_x < 0 ? 1 : x.d[at_x], q = at_y < 0 ? 1 : y.d[at_y];
        if (p != q && p != 1 && q != 1)
            return kt_fail(KT_ERR_RUNTIME,
                           "The size of tensor a (%lld) must match the size of tensor b (%lld) at non-singleton dimension %lld",
                           (long long)p, (long long)q, (long long)i);
        sizes[i] = p == 1 ? q : p;
    }
    return KT_OK;
}

kt_tensor *kt__with_batch(kt_tensor *t, kt_shape batch, int rank)
{
    int64_t sizes[KT_MAX_DIMS];
    if (!t || batch.n + rank > KT_MAX_DIMS)
        return NULL;
    memcpy(sizes, batch.d, (size_t)batch.n * sizeof *sizes);
    for (int i = 0; i < rank; i++)
        sizes[batch.n + i] = t->sizes[t->ndim - rank + i];
    const kt_shape wanted = {batch.n + rank, sizes};
    if (t->ndim == wanted.n && memcmp(t->sizes, sizes, (size_t)wanted.n * sizeof *sizes) == 0)
        return t;
    return kt_expand(t, wanted);
}

/* ---- results ---- */
static kt_tensor *new_tensor(const kt_tensor *like, kt_dtype dtype, kt_shape batch, int rank, int64_t rows, int64_t columns)
{
    int64_t sizes[KT_MAX_DIMS], strides[KT_MAX_DIMS], step = 1;
    if (batch.n + rank > KT_MAX_DIMS) {
        kt_fail(KT_ERR_RUNTIME, "only tensors with up to %d dims are supported", KT_MAX_DIMS);
        return NULL;
    }
    if (batch.n)
        memcpy(sizes, batch.d, (size_t)batch.n * sizeof *sizes);
    sizes[batch.n] = rows;
    if (rank == 2) {
        sizes[batch.n + 1] = columns;
        strides[batch.n] = 1;
        strides[batch.n + 1] = rows > 1 ? rows : 1;
        step = strides[batch.n + 1] * (columns > 1 ? columns : 1);
    } else if (rank == 1) {
        strides[batch.n] = 1;
        step = rows > 1 ? rows : 1;
    }
    for (int64_t i = batch.n - 1; i >= 0; i--) {
        strides[i] = step;
        step *= sizes[i] > 1 ? sizes[i] : 1;
    }
    const kt_shape shape = {batch.n + rank, sizes}, lying = {batch.n + rank, strides};
    return kt__scoped(kt__tensor_new_strided(dtype, kt__device(like), shape, lying));
}

kt_tensor *kt__new_matrices(const kt_tensor *like, kt_dtype dtype, kt_shape batch, int64_t rows, int64_t columns)
{
    return new_tensor(like, dtype, batch, 2, rows, columns);
}
kt_status kt__end_matrices(kt_call *call, kt_tensor *made, bool lent)
{
    const kt_tensor *out = call->form == KT_OUT ? call->out[0] : NULL;
    const bool       takes = !out || (lent && out->numel == 0 && made && out->dtype == made->dtype);
    return kt__end(call, takes || !made ? made : kt_contiguous(made));
}

kt_tensor *kt__new_vectors(const kt_tensor *like, kt_dtype dtype, kt_shape batch, int64_t n)
{
    return new_tensor(like, dtype, batch, 1, n, 1);
}
kt_tensor *kt__new_numbers(const kt_tensor *like, kt_dtype dtype, kt_shape batch)
{
    return new_tensor(like, dtype, batch, 0, 1, 1);
}
kt_tensor *kt__nothing_like(const kt_tensor *like, kt_dtype dtype)
{
    return kt__new_vectors(like, dtype, KT_SCALAR, 0);
}

/* ---- plans ---- */

/* The dims before the last `rank` as one; false: they do not lie at one distance. */
static bool collapse(const kt_tensor *t, int rank, int64_t *count, int64_t *step)
{
    *count = 1;
    *step = 0;
    for (int d = t->ndim - rank - 1; d >= 0; d--) {
        if (t->sizes[d] == 1)
            continue;
        if (*count > 1 && t->numel && t->strides[d] != *step * *count) /* no element, no distance */
            return false;
        if (*count == 1)
            *step = t->strides[d];
        *count *= t->sizes[d];
    }
    return true;
}

static kt_status set_dims(kt_plan *plan, int at, const kt_tensor *t, int rank)
{
    enum { DIMS = 3 };
    int64_t      *size = plan->size + DIMS * at, *stride = plan->stride[at] + DIMS * at, count, step;
    const int64_t width = (int64_t)kt__itemsize(t);
    if (!collapse(t, rank, &count, &step))
        return kt_fail(KT_ERR_RUNTIME, "a batch of matrices with gaps");
    size[0] = count, stride[0] = step * width;
    for (int i = 0; i < 2; i++) { /* a vector has one column */
        size[1 + i] = i < rank ? t->sizes[t->ndim - rank + i] : 1;
        stride[1 + i] = i < rank ? t->strides[t->ndim - rank + i] * width : 0;
    }
    return KT_OK;
}

kt_status kt__run_matrices(kt_call *call, int kernel, const kt_tensor *like, const kt__matrix_arg *arg, int n_out, int n_in,
                           const kt_scalar *param, int n_param)
{
    enum { DIMS = 3, LONG = 4096 };
    kt_tensor *t[KT__MOST_MATRICES];
    const int  n = n_out + n_in;
    kt_plan    plan;
    for (int i = 0; i < n; i++) {
        int64_t count, step;
        if (!(t[i] = arg[i].t))
            return kt_error_status();
        if (i >= n_out && !collapse(t[i], arg[i].rank, &count, &step) && !(t[i] = kt_contiguous(t[i])))
            return kt_error_status();
    }
    if (kt__one_device(t, n))
        return kt_error_status();
    kt__plan_begin(&plan, kt__row_called(call), kernel, kt__dtype_rows[like->dtype].compute, n_in, t[0]);
    plan.n_out = (uint8_t)n_out;
    plan.nd = (uint8_t)(DIMS * n);
    plan.numel = 0;
    plan.n_param = (uint8_t)n_param;
    for (int i = 0; i < n_param; i++)
        plan.param[i] = param[i];
    for (int i = 0; i < n; i++) {
        kt__set_operand(&plan, i, t[i], (kt_dtype)t[i]->dtype, KT_WHY_NONE);
        memset(plan.stride[i], 0, sizeof *plan.stride[i] * (size_t)(DIMS * n));
        if (set_dims(&plan, i, t[i], arg[i].rank))
            return kt_error_status();
        if (i < n_out && t[i]->numel > plan.numel)
            plan.numel = t[i]->numel;
    }
    for (int i = 0; i < n_out; i++)
        t[i]->lineage = t[i]->dtype == like->dtype
                            ? like->lineage
                            : KT__RECORD(KT_WHY_PROMOTION, call->row->name, like->dtype, t[i]->dtype, like->lineage);
    return plan.numel >= LONG ? kt__launch_long(&plan, t[0]) : kt__launch(&plan, t[0]);
}

/* ---- errors ---- */
static kt_status fail_info(kt__info_text text, const char *who, const kt_tensor *info, int64_t at, int32_t value)
{
    char      where[48] = "";
    const int v = value;
    if (info->ndim)
        snprintf(where, sizeof where, "(Batch element %lld): ", (long long)at);
    switch (text) {
    case KT__NOT_INVERTIBLE:
        return kt_fail(KT_ERR_LINALG,
                       "%s: %sThe diagonal element %d is zero, the inversion could not be completed because the input matrix is "
                       "singular.",
                       who, where, v);
    case KT__NOT_POSITIVE:
        return kt_fail(KT_ERR_LINALG,
                       "%s: %sThe factorization could not be completed because the input is not positive-definite (the "
                       "leading minor "
                       "of order %d is not positive-definite).",
                       who, where, v);
    case KT__NOT_SOLVABLE:
        return kt_fail(KT_ERR_LINALG, "%s: %sThe solver failed because the input matrix is singular.", who, where);
    case KT__ZERO_PIVOT:
        return kt_fail(KT_ERR_RUNTIME,
                       "%s: %sU[%d,%d] is zero and using it on lu_solve would result in a division by zero. If you still want to "
                       "perform the factorization, consider calling linalg.lu(A, pivot) or linalg.lu_factor_ex(A, pivot)",
                       who, where, v, v);
    case KT__SINGULAR_BLOCK: /* PyTorch has no words for it, and fails an assertion */
        return kt_fail(KT_ERR_LINALG, "%s: %sUnknown error code: %d.", who, where, v);
    case KT__NO_GENERAL_EIGENVALUES:
        if (v < 0)
            return kt_fail(KT_ERR_RUNTIME, "%s: input tensor should not contain infs or NaNs.", who);
        break;
    case KT__NO_LEAST_SQUARES:
        if (v > 0)
            return kt_fail(KT_ERR_LINALG,
                           "%s: %sThe least squares solution could not be computed because the input matrix does not have full "
                           "rank (error code: %d).",
                           who, where, v);
        break;
    case KT__NO_EIGENVALUES:
    case KT__NO_SINGULAR_VALUES: break;
    }
    if (v < 0)
        return kt_fail(KT_ERR_LINALG,
                       "%s: %sThe algorithm failed to converge because the input matrix contained non-finite values.",
                       who, where);
    return kt_fail(KT_ERR_LINALG,
                   "%s: %sThe algorithm failed to converge because the input matrix is ill-conditioned or has too many "
                   "repeated %s "
                   "(error code: %d).",
                   who, where, text == KT__NO_SINGULAR_VALUES ? "singular values" : "eigenvalues", v);
}

/* Of one example of many: all of them are looked at. */
kt_status kt__check_info(const kt_tensor *info, kt__info_text text, const char *who)
{
    while (info->flags & KT_T_BATCHED)
        info = kt__example_of(info)->value;
    const size_t bytes = (size_t)info->numel * sizeof(int32_t);
    size_t       granted = 0;
    kt_status    status = KT_OK;
    if (info->backend == KT_META || !info->numel)
        return KT_OK;
    int32_t *values = kt__block_get(bytes, &granted);
    if (!values)
        return kt__fail_memory(bytes);
    status = kt_read(info, values, bytes);
    for (int64_t i = 0; !status && i < info->numel; i++)
        if (values[i])
            status = fail_info(text, who, info, i, values[i]);
    kt__block_put(values, granted);
    return status;
}
