/* window.c - see window.h. */
#include "ops/window/window.h"

kt_status kt__per_dim(kt_shape list, int dims, const char *what, int64_t *to)
{
    if (list.n != 1 && list.n != dims)
        return kt_fail(KT_ERR_RUNTIME,
                       "expected %s to be a single integer value or a list of %d values to match the convolution dimensions, "
"but got "
                       "%s=%s",
                       what, dims, what, KT__SHAPE_TEXT(list));
    for (int i = 0; i < dims; i++)
        to[i] = list.d[list.n == 1 ? 0 : i];
    return KT_OK;
}

void kt__push_int(kt_plan *plan, int64_t value) { plan->param[plan->n_param++] = KT_INT(value); }

void kt__push_dims(kt_plan *plan, const int64_t *values, int dims)
{
    for (int i = 0; i < KT__SPACE; i++)
        kt__push_int(plan, i < dims ? values[i] : 0);
}

kt_tensor *kt__batched(kt_tensor *input, int dims, const char *op, bool *unbatched)
{
    *unbatched = input->ndim == dims + 1;
    if (input->ndim != dims + 1 && input->ndim != dims + 2) {
        kt_fail(KT_ERR_RUNTIME, "Expected %dD (unbatched) or %dD (batched) input to %s, but got input of size: %s", dims + 1,
                dims + 2,
                op, KT__SIZES_TEXT(input));
        return NULL;
    }
    return *unbatched ? kt_unsqueeze(input, 0) : input;
}
