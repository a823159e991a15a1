/* pool_run.c - see pool.h. */
#include "ops/window/pool.h"

#include <string.h>

#include "tables/kernels/window.h"

kt_status kt__pool_takes(const kt_call *call, const kt_tensor *t, kt__pooled_ints ints, bool halves, const char *missing)
{
    return kt__pool_takes_dtype(call, (kt_dtype)t->dtype, ints, halves, missing);
}

kt_status kt__pool_takes_dtype(const kt_call *call, kt_dtype d, kt__pooled_ints ints, bool halves, const char *missing)
{
    const bool wide = d == KT_U16 || d == KT_U32 || d == KT_U64;
    const bool integer = kt__dtype_rows[d].category == KT_CAT_INT && !wide && (ints == KT__ALL_INTS || (ints && d == KT_I64));
    if (integer || d == KT_F32 || d == KT_F64 || (halves && (d == KT_F16 || d == KT_BF16)))
        return KT_OK;
    return kt__fail_dtype(call, KT_ERR_NOT_IMPLEMENTED, "\"%s\" not implemented for '%s'", missing, kt_dtype_torch_name(d));
}

const char *kt__pool_kernel(const kt_tensor *t, int dims, const char *plain, const char *last)
{
    return t->ndim == dims + 2 && kt__suggested_format(t) != KT_CONTIGUOUS_FORMAT ? last : plain;
}

kt_shape kt__pooled_sizes(const kt_tensor *t, const int64_t *space, int dims, int64_t *room)
{
    memcpy(room, t->sizes, sizeof *room * (size_t)t->ndim);
    memcpy(room + t->ndim - dims, space, sizeof *room * (size_t)dims);
    return (kt_shape){t->ndim, room};
}

kt_tensor *kt__new_pooled(const kt_tensor *like, kt_dtype dtype, const int64_t *space, int dims, bool plain)
{
    int64_t          room[KT_MAX_DIMS];
    const bool       rows = plain || like->ndim != dims + 2;
    kt_memory_format format = rows ? KT_CONTIGUOUS_FORMAT : kt__suggested_format(like);
    return kt__new_in_format(like, dtype, kt__pooled_sizes(like, space, dims, room), format);
}

static void set_geometry(kt_plan *plan, const kt__pooling *g)
{
    kt__push_int(plan, g->dims);
    kt__push_dims(plan, g->kernel, g->dims);
    kt__push_dims(plan, g->stride, g->dims);
    kt__push_dims(plan, g->padding, g->dims);
    kt__push_dims(plan, g->dilation, g->dims);
    kt__push_int(plan, g->with_padding);
    kt__push_int(plan, g->divisor);
}

/* An image without a batch is a batch of one. */
static void add_batch(kt_plan *plan, int n)
{
    plan->size[plan->nd] = 1;
    for (int i = 0; i < n; i++)
        plan->stride[i][plan->nd] = 0;
    plan->nd++;
}

kt_status kt__run_pool(kt_call *call, int kernel, const kt__decision *d, kt_tensor *const *t, int n_out, int n_in,
                       const kt__pooling *g)
{
    const int n = n_out + n_in;
    kt_plan   plan;
    kt__plan_begin(&plan, kt__row_called(call), kernel, d->compute, n_in, t[0]);
    plan.n_out = (uint8_t)n_out;
    plan.origin = d->origin;
    plan.numel = t[0]->numel;
    plan.nd = 0;
    for (int i = 0; i < n; i++) {
        kt__set_operand(&plan, i, t[i], i == n_out ? (kt_dtype)d->as[0] : (kt_dtype)t[i]->dtype,
                        i == n_out ? (kt_reason)d->why[0] : KT_WHY_NONE);
        if (t[i]->ndim == g->dims + 1)
            add_batch(&plan, n);
        kt__plan_block(&plan, i, n, t[i]);
    }
    set_geometry(&plan, g);
    kt__trace_fold(call, t[n_out], d, t, n_out);
    return kt__launch_long(&plan, t[0]);
}

kt_status kt__largest_back(kt_call *call, const kt__decision *d, kt_tensor *grad, const kt_tensor *self, kt_tensor *indices,
                           int dims, bool plain)
{
    if (indices->dtype != KT_I64)
        return kt__fail_dtype(call, KT_ERR_RUNTIME, "expected scalar type Long but found %s",
                              kt_dtype_torch_name((kt_dtype)indices->dtype));
    kt_tensor *out = kt__new_pooled(self, (kt_dtype)d->result, self->sizes + self->ndim - dims, dims, plain);
    if (!out)
        return kt_error_status();
    kt_tensor *const t[] = {out, grad, indices};
    return kt__end_itself(call, out, kt__run_pool(call, KT_K_max_pool_backward, d, t, 1, 2, kt__even(dims)));
}

kt_status kt__check_sizes(const kt_tensor *t, kt_shape want)
{
    for (int64_t i = 0; i < want.n; i++) {
        const int64_t is = i < t->ndim ? t->sizes[i] : -1;
        if (t->ndim != want.n || is != want.d[i])
            return kt_fail(KT_ERR_RUNTIME, "Expected a tensor of dimension %lld and tensor.size[%lld] == %lld but got: dimension "
                           "%d and tensor.size[%lld] = %lld", (long long)want.n, (long long)i, (long long)want.d[i], t->ndim,
                           (long long)i, (long long)is);
    }
    return KT_OK;
}
