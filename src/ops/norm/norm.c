/* norm.c - see norm.h. */
#include <string.h>

#include "ops/norm/norm.h"

void kt__norm_add(kt__norm_operands *o, kt_tensor *t, int64_t s0, int64_t s1, int64_t s2, int64_t s3)
{
    int64_t *stride = o->stride[o->n];
    stride[0] = s0, stride[1] = s1, stride[2] = s2, stride[3] = s3;
    o->t[o->n++] = t;
}

kt_status kt__norm_run(const kt_call *call, int kernel, const kt__norm_operands *o, const int64_t *sizes, int dims, double eps)
{
    kt_plan    plan;
    kt_tensor *first = NULL;
    int        at = 0, outs = 0;
    int64_t    has = 0;
    for (int i = 0; i < o->n; i++)
        first = first ? first : o->t[i];
    kt__plan_begin(&plan, kt__row_called(call), kernel, kt__dtype_rows[first->dtype].compute, 0, first);
    plan.nd = (uint8_t)dims;
    plan.numel = 1;
    for (int d = 0; d < dims; d++) {
        plan.size[d] = sizes[d];
        plan.numel *= sizes[d];
    }
    for (int i = 0; i < o->n; i++) {
        kt_tensor *t = o->t[i];
        if (!t)
            continue;
        kt__set_operand(&plan, at, t, o->as[i] ? o->as[i] : (kt_dtype)t->dtype, o->as[i] ? KT_WHY_PROMOTION : KT_WHY_NONE);
        for (int d = 0; d < dims; d++)
            plan.stride[at][d] = o->stride[i][d] * (int64_t)kt__itemsize(t);
        has |= INT64_C(1) << i;
        outs += i < o->n_out;
        at++;
    }
    plan.n_out = (uint8_t)outs;
    plan.n_in = (uint8_t)(at - outs);
    plan.param[plan.n_param++] = KT_FLOAT(eps);
    plan.param[plan.n_param++] = KT_INT(has);
    plan.param[plan.n_param++] = KT_INT(o->constant);
    return kt__launch(&plan, first);
}

static bool is_read_as_it_is(const kt_tensor *t, const kt_tensor *input) { return t->dtype == KT_F32 && input->dtype != KT_F64; }

kt_status kt__norm_judge(const kt_call *call, const kt_tensor *input, const char *name, const kt_tensor *t)
{
    if (!t || t->dtype == input->dtype)
        return KT_OK;
    return is_read_as_it_is(t, input) ? kt__allow(kt__mode(), call, "input", input, KT_F32, KT_WHY_PROMOTION)
                                      : kt__allow(kt__mode(), call, name, t, (kt_dtype)input->dtype, KT_WHY_PROMOTION);
}

kt_status kt__norm_fail_found(const kt_call *call, const kt_tensor *input, const kt_tensor *t)
{
    return kt__fail_dtype(call, KT_ERR_RUNTIME, "expected scalar type %s but found %s",
                          kt_dtype_torch_name((kt_dtype)input->dtype), kt_dtype_torch_name((kt_dtype)t->dtype));
}

bool kt__norm_parameter(const kt_call *call, const char *name, kt_tensor **t, const kt_tensor *input)
{
    if (kt__norm_judge(call, input, name, *t))
        return false;
    if (*t && (*t)->dtype != input->dtype && !is_read_as_it_is(*t, input))
        *t = kt__converted_inside(*t, (kt_dtype)input->dtype, KT_WHY_PROMOTION);
    *t = *t ? kt__norm_dense(*t) : NULL;
    return !kt__failed();
}

kt_tensor *kt__norm_new(const kt_call *call, const kt_tensor *beside, kt_dtype dtype, kt_shape sizes)
{
    kt_tensor *t = kt__scoped(kt__tensor_new(dtype, kt__device(beside), sizes));
    if (t)
        t->lineage = dtype == beside->dtype ? beside->lineage : KT__RECORD(KT_BORN, call->row->name, KT_NONE, dtype, 0);
    return t;
}
