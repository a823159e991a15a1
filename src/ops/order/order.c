/* order.c - what is made of sorted dims: argsort, msort, topk. In: calls of BODY rows. Out: parts of what sort gives. */
#include "call/made.h"
#include "call/target.h"

static kt_status argsort(kt_call *call, int64_t dim, bool descending)
{
    KT_SCOPE;
    kt_tensor *places = kt_sort(call->arg[0].t, .dim = KT_SOME(dim), .descending = descending).indices;
    if (places && kt__check_history(call))
        return kt_error_status();
    return kt__end(call, places);
}

kt_status kt__body_argsort(kt_call *call) { return argsort(call, kt__arg_int(call, 1), kt__arg_bool(call, 2)); }
kt_status kt__body_argsort_stable(kt_call *call) { return argsort(call, kt__arg_int(call, 2), kt__arg_bool(call, 3)); }

kt_status kt__body_msort(kt_call *call)
{
    KT_SCOPE;
    kt_tensor *values = kt_sort(call->arg[0].t, .dim = KT_SOME(0)).values;
    if (values && kt__check_history(call))
        return kt_error_status();
    return kt__end(call, values);
}

/* The first k of a sorted dim, as a tensor of its own. */
static kt_tensor *first_of(kt_tensor *t, int64_t dim, int64_t k)
{
    return kt_clone(t && t->ndim ? kt_narrow(t, dim, 0, k) : t, .memory_format = KT_CONTIGUOUS_FORMAT);
}

kt_status kt__body_topk(kt_call *call)
{
    KT_SCOPE;
    kt_tensor *self = call->arg[0].t;
    int64_t      k = call->arg[1].i, dim = kt__arg_int(call, 2);
    kt__decision room;
    if (kt__wrap_dim(&dim, self->ndim))
        return kt_error_status();
    if (k < 0 || k > (self->ndim ? self->sizes[dim] : 1))
        return kt_fail(KT_ERR_RUNTIME, "selected index k out of range");
    if (!kt__resolve_in_body(call, &room))
        return kt_error_status();
    kt_sort_results all = kt_sort(self, .dim = KT_SOME(dim), .descending = kt__arg_bool(call, 3));
    return kt__end_several(call, (kt_tensor *[]){first_of(all.values, dim, k), first_of(all.indices, dim, k)}, 2);
}
