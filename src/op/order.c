/* order.c - what is made of sorted dims: argsort, msort, topk. In: calls of BODY rows. Out: parts of what sort gives. */
#include "op/made.h"
#include "op/move.h"

static kt_status argsort(kt_call *call, int64_t dim, bool descending)
{
    KT_SCOPE;
    kt_tensor *places = kt_sort(call->arg[0].t, .dim = KT_SOME(dim), .descending = descending).indices;
    return call->form == KT_OUT ? kt__made_into(call, places) : kt__made(call, places);
}

kt_status kt__body_argsort(kt_call *call) { return argsort(call, kt__arg_int(call, 1), kt__arg_bool(call, 2)); }
kt_status kt__body_argsort_stable(kt_call *call) { return argsort(call, kt__arg_int(call, 2), kt__arg_bool(call, 3)); }

kt_status kt__body_msort(kt_call *call)
{
    KT_SCOPE;
    kt_tensor *values = kt_sort(call->arg[0].t, .dim = KT_SOME(0)).values;
    return call->form == KT_OUT ? kt__made_into(call, values) : kt__made(call, values);
}

/* The first k of a sorted dim, as a tensor of its own. */
static kt_status first_of(kt_tensor *t, int64_t dim, int64_t k, kt_tensor **result)
{
    kt_tensor *part = t && t->ndim ? kt_narrow(t, dim, 0, k) : t;
    return part ? kt__call_clone(part, KT_CONTIGUOUS_FORMAT, result) : kt_error_status();
}

/* out=, which takes over both results. */
static kt_status write_both(kt_call *call, kt_tensor *values, kt_tensor *indices)
{
    kt_tensor *made[] = {values, indices};
    kt_status  status = KT_OK;
    for (int i = 0; i < 2 && !status; i++)
        if (call->out[i]->dtype != made[i]->dtype)
            status = kt__fail_dtype(call, KT_ERR_RUNTIME, "Expected out tensor to have dtype %s, but got %s instead",
                                    kt_dtype_c_name(made[i]->dtype), kt_dtype_c_name(call->out[i]->dtype));
    for (int i = 0; i < 2 && !status; i++) {
        if (!kt__same_sizes(call->out[i], made[i]))
            status = kt__tensor_resize(call->out[i], kt__sizes(made[i]));
        status = status ? status : kt__check_written(call->out[i], NULL, 0);
        status = status ? status : kt__copy_into(call->out[i], made[i], KT_WHY_RESULT, KT_ROUND_TORCH);
    }
    for (int i = 0; i < 2; i++) {
        kt__unref(made[i]);
        if (!status)
            kt__ref(call->out[i]);
    }
    return status;
}

kt_status kt__body_topk(kt_call *call)
{
    KT_SCOPE;
    kt_tensor *self = call->arg[0].t;
    int64_t    k = call->arg[1].i, dim = kt__arg_int(call, 2);
    if (kt__wrap_dim(&dim, self->ndim))
        return kt_error_status();
    if (self->dtype == KT_BOOL)
        return kt__fail_dtype(call, KT_ERR_RUNTIME, "topk does not support bool dtypes on CPU");
    if (kt_dtype_category((kt_dtype)self->dtype) == KT_CAT_COMPLEX)
        return kt__fail_dtype(call, KT_ERR_RUNTIME, " topk does not support complex dtypes on CPU");
    if (k < 0 || k > (self->ndim ? self->sizes[dim] : 1))
        return kt_fail(KT_ERR_RUNTIME, "selected index k out of range");
    kt_sort_results all = kt_sort(self, .dim = KT_SOME(dim), .descending = kt__arg_bool(call, 3));
    kt_tensor      *values = NULL, *indices = NULL;
    kt_status       status = first_of(all.values, dim, k, &values);
    status = status ? status : first_of(all.indices, dim, k, &indices);
    if (!status && call->form == KT_OUT)
        return write_both(call, values, indices);
    if (status) {
        kt__unref(values);
        return status;
    }
    call->out[0] = values;
    call->out[1] = indices;
    return KT_OK;
}
