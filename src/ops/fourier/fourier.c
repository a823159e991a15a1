/* fourier.c - the three rows that run the kernel: complex to complex, real to complex, complex to real, over several dims.
 *
 * In: calls of fft_c2c, fft_r2c, fft_c2r. Out: one plan for each dim, the first from the operand to the result, the others from
 * the result to itself. Results lie as PyTorch's do: the dims that are transformed side by side, the last of them innermost. */
#include <math.h>

#include "call/made.h"
#include "ops/fourier/fourier.h"
#include "tables/kernels/fourier.h"

typedef struct dims { /* that are transformed, outer to inner as the result lies */
    int n, at[KT_MAX_DIMS];
} dims;

typedef enum kind { COMPLEX_TO_COMPLEX, REAL_TO_COMPLEX, COMPLEX_TO_REAL } kind;

/* Those with long strides first; the last that was named stays last where it is cut to its half. */
static void sort_by_stride(const kt_tensor *t, int *at, int n)
{
    for (int i = 1; i < n; i++)
        for (int k = i; k > 0 && t->strides[at[k]] > t->strides[at[k - 1]]; k--) {
            const int moved = at[k];
            at[k] = at[k - 1];
            at[k - 1] = moved;
        }
}

/* keeps_last: the name of a row that does so, and needs a dim; NULL: another. */
static kt_status read_dims(const kt_call *call, const char *keeps_last, dims *d)
{
    const kt_tensor *self = call->arg[0].t;
    const kt_shape   given = kt__arg_ints(call, 1);
    if (given.n > KT_MAX_DIMS)
        return kt_fail(KT_ERR_RUNTIME, "FFT dims must be unique");
    d->n = (int)given.n;
    for (int i = 0; i < d->n; i++) {
        int64_t dim = given.d[i];
        if (self->ndim == 0)
            return kt_fail(KT_ERR_INDEX, "Dimension specified as %lld but tensor has no dimensions", (long long)dim);
        if (kt__wrap_dim(&dim, self->ndim))
            return kt_error_status();
        for (int k = 0; k < i; k++)
            if (d->at[k] == dim)
                return kt_fail(KT_ERR_RUNTIME, "FFT dims must be unique");
        d->at[i] = (int)dim;
    }
    sort_by_stride(self, d->at, d->n - (keeps_last && d->n));
    return d->n || !keeps_last ? KT_OK : kt_fail(KT_ERR_RUNTIME, "%s must transform at least one axis", keeps_last);
}

/* The dims that are not in d, as exchanges from both ends leave them, the first in d for the last that is not: so PyTorch's
 * stand, and so they stay where their strides are equal. */
static int other_dims(int ndim, const dims *d, int *order)
{
    bool taken[KT_MAX_DIMS] = {false};
    int  n = 0;
    for (int i = 0; i < d->n; i++)
        taken[d->at[i]] = true;
    for (int end = ndim; n < end; n++) {
        order[n] = n;
        if (!taken[n])
            continue;
        do
            end--;
        while (end > n && taken[end]);
        if (end == n)
            break;
        order[n] = end;
    }
    return n;
}

/* The other dims first, by their strides, then those of d. */
static kt_tensor *result_of(const kt_tensor *self, kt_dtype dtype, const int64_t *sizes, const dims *d)
{
    int       order[KT_MAX_DIMS];
    int64_t   strides[KT_MAX_DIMS];
    const int n = other_dims(self->ndim, d, order);
    sort_by_stride(self, order, n);
    memcpy(order + n, d->at, (size_t)d->n * sizeof *order);
    int64_t step = 1;
    for (int i = self->ndim - 1; i >= 0; i--) {
        strides[order[i]] = step;
        step *= sizes[order[i]] > 1 ? sizes[order[i]] : 1;
    }
    return kt__scoped(
        kt__tensor_new_strided(dtype, kt__device(self), (kt_shape){self->ndim, sizes}, (kt_shape){self->ndim, strides}));
}

/* One dim, n points. */
static kt_status launch(const kt_call *call, kt_tensor *out, kt_tensor *in, int dim, int64_t n, double scale, bool inverse)
{
    kt_tensor *const all[] = {out, in};
    kt_plan          plan;
    kt__plan_begin(&plan, kt__row_called(call), KT_K_fourier, kt__dtype_rows[kt_dtype_real((kt_dtype)out->dtype)].compute, 1, in);
    plan.numel = out->numel;
    plan.n_param = 3;
    plan.param[0] = KT_INT(n);
    plan.param[1] = KT_FLOAT(scale);
    plan.param[2] = KT_INT(inverse);
    for (int i = 0; i < 2; i++)
        kt__set_operand(&plan, i, all[i], (kt_dtype)all[i]->dtype, KT_WHY_NONE);
    kt__plan_lines(&plan, all, 2, dim);
    const int last = plan.nd++;
    plan.size[last - 1] = out->sizes[dim];
    plan.size[last] = in->sizes[dim];
    plan.stride[0][last] = plan.stride[1][last - 1] = 0;
    plan.stride[1][last] = in->strides[dim] * (int64_t)kt__itemsize(in);
    return kt__launch(&plan, out);
}

static double scale_of(const kt_tensor *signal, const dims *d, int64_t normalization)
{
    double points = 1;
    for (int i = 0; i < d->n; i++)
        points *= (double)signal->sizes[d->at[i]];
    return normalization == KT__NORM_BY_ROOT ? 1 / sqrt(points) : normalization == KT__NORM_BY_COUNT ? 1 / points : 1;
}

static kt_status check_points(const kt_tensor *signal, const dims *d)
{
    for (int i = 0; i < d->n; i++)
        if (signal->sizes[d->at[i]] < 1)
            return kt_fail(KT_ERR_RUNTIME, "Invalid number of data points (%lld) specified", (long long)signal->sizes[d->at[i]]);
    return KT_OK;
}

kt_status kt__body_fft_c2c(kt_call *call)
{
    KT_SCOPE;
    kt_tensor   *self = call->arg[0].t;
    const bool   inverse = !kt__arg_bool(call, 3);
    kt__decision room;
    dims         d;
    if (read_dims(call, NULL, &d) || !kt__resolve_in_body(call, &room) || check_points(self, &d))
        return kt_error_status();
    if (d.n == 0)
        return kt__end(call, kt_clone(self));
    kt_tensor *out = result_of(self, (kt_dtype)room.result, self->sizes, &d), *in = self;
    double     scale = scale_of(self, &d, kt__arg_int(call, 2));
    if (!out)
        return kt_error_status();
    for (int i = d.n - 1; i >= 0; i--) {
        if (launch(call, out, in, d.at[i], self->sizes[d.at[i]], scale, inverse))
            return kt_error_status();
        in = out;
        scale = 1;
    }
    return kt__end(call, out);
}

kt_status kt__body_fft_r2c(kt_call *call)
{
    KT_SCOPE;
    kt_tensor   *self = call->arg[0].t;
    const bool   onesided = kt__arg_bool(call, 3);
    kt__decision room;
    dims         d;
    int64_t      sizes[KT_MAX_DIMS];
    if (read_dims(call, "rfftn", &d) || !kt__resolve_in_body(call, &room))
        return kt_error_status();
    if (check_points(self, &d))
        return kt_error_status();
    const int     last = d.at[d.n - 1];
    const int64_t n = self->sizes[last];
    memcpy(sizes, self->sizes, (size_t)self->ndim * sizeof *sizes);
    sizes[last] = onesided ? n / 2 + 1 : n;
    kt_tensor *out = result_of(self, (kt_dtype)room.result, sizes, &d);
    if (!out || launch(call, out, self, last, n, scale_of(self, &d, kt__arg_int(call, 2)), false))
        return kt_error_status();
    for (int i = d.n - 2; i >= 0; i--)
        if (launch(call, out, out, d.at[i], self->sizes[d.at[i]], 1, false))
            return kt_error_status();
    return kt__end(call, out);
}

kt_status kt__body_fft_c2r(kt_call *call)
{
    KT_SCOPE;
    kt_tensor    *self = call->arg[0].t, *in = self;
    const int64_t n = kt__arg_int(call, 3);
    kt__decision  room;
    dims          d;
    int64_t       sizes[KT_MAX_DIMS];
    if (read_dims(call, "irfftn", &d) || !kt__resolve_in_body(call, &room))
        return kt_error_status();
    const int last = d.at[d.n - 1];
    if (n < 1)
        return kt_fail(KT_ERR_RUNTIME, "Invalid number of data points (%lld) specified", (long long)n);
    if (self->sizes[last] != n / 2 + 1)
        return kt_fail(KT_ERR_RUNTIME, "_fft_c2r: %lld points follow from %lld complex numbers, not from %lld", (long long)n,
                       (long long)(n / 2 + 1), (long long)self->sizes[last]);
    memcpy(sizes, self->sizes, (size_t)self->ndim * sizeof *sizes);
    sizes[last] = n;
    dims others = d, only = {.n = 1, .at = {last}};
    others.n--;
    if (check_points(self, &others))
        return kt_error_status();
    if (others.n > 0) {
        kt_tensor *between = result_of(self, (kt_dtype)self->dtype, self->sizes, &others);
        for (int i = others.n - 1; i >= 0 && between; i--) {
            if (launch(call, between, in, others.at[i], self->sizes[others.at[i]], 1, true))
                return kt_error_status();
            in = between;
        }
        if (!between)
            return kt_error_status();
    }
    kt_tensor *out = result_of(in, (kt_dtype)room.result, sizes, &only);
    if (!out || launch(call, out, in, last, n, scale_of(out, &d, kt__arg_int(call, 2)), true))
        return kt_error_status();
    return kt__end(call, out);
}
