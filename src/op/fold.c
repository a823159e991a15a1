/* fold.c - what reductions and scans share: what their own arguments change (dtype=, unbiased= and correction=, the order of a
 * norm), the dtypes that out= may have, in PyTorch's words, and where the results' dtypes came from. In: the call. Out: the
 * wanted dtype, the kernel's parameters, lineage. */
#include "op/kernels.h"
#include "op/target.h"

static bool is_exact(kt_dtype d) { return kt_dtype_category(d) & (KT_CAT_BOOL | KT_CAT_INT); }

/* dtype= and out= must not contradict each other, of a mean once its dtype is found; a sum into a buffer adds up in the buffer's
 * dtype. */
static kt_status wanted_dtype(const kt_call *call, int at, kt__gathered *g)
{
    g->want = at < 0 ? KT_NONE : (uint8_t)kt__arg_dtype(call, at);
    if (call->form != KT_OUT)
        return KT_OK;
    uint8_t into = call->out[0]->dtype;
    bool    sums = call->row->rule == RULE_SUM;
    if (g->kernel == KT_K_nanmean && is_exact((kt_dtype)g->dtype[0]))
        return kt__fail_dtype(call, KT_ERR_RUNTIME,
                              "nanmean(): integral types and 'Bool' are not supported for nanmean, even for empty tensors.");
    if (g->want && g->want != into && (g->kernel == KT_K_nansum || g->kernel == KT_K_nanmean) &&
        !is_exact((kt_dtype)g->dtype[0])) /* of integers it is a sum */
        return kt__fail_dtype(call, KT_ERR_RUNTIME, "nansum: provided dtype must match dtype of result. Got %s and %s.",
                              kt_dtype_torch_name(into), kt_dtype_torch_name(g->want));
    if (g->want && g->want != into && sums)
        return kt__same_dtype(call, (kt_dtype)g->want, call->out[0]);
    if (sums || call->row->rule == RULE_TRUTH)
        g->want = into;
    return KT_OK;
}

static double real_of(kt_scalar s)
{
    return s.kind == KT_SCALAR_FLOAT || s.kind == KT_SCALAR_COMPLEX ? s.v.re : (double)s.v.i;
}

/* Which one by rank, from 1: there must be so many. Of none there is no rank at all, and that is said elsewhere. */
static kt_status rank_wanted(const kt_call *call, const kt__fold_args *at, kt__gathered *g)
{
    const kt_tensor *self = call->arg[0].t;
    int64_t          k = kt__arg_int(call, at->k), dim = kt__arg_int(call, at->dim);
    if (kt__wrap_dim(&dim, self->ndim))
        return kt_error_status();
    const int64_t n = self->ndim ? self->sizes[dim] : 1;
    if (n && (k < 1 || k > n))
        return kt_fail(KT_ERR_RUNTIME, "kthvalue(): selected number k out of range for dimension %lld", (long long)dim);
    g->param[g->n_param++] = KT_INT(k);
    return KT_OK;
}

kt_status kt__refine_fold(const kt_call *call, kt__gathered *g)
{
    const kt__fold_args *at = &call->row->fold;
    if (wanted_dtype(call, at->dtype, g) || (at->k >= 0 && rank_wanted(call, at, g)))
        return kt_error_status();
    if (at->descending >= 0)
        g->param[g->n_param++] = KT_INT(kt__arg_bool(call, at->descending));
    if (g->kernel == KT_K_nansum && kt_dtype_category((kt_dtype)(g->want ? g->want : g->dtype[0])) != KT_CAT_FLOAT)
        g->kernel = KT_K_sum; /* there is no NaN to look for */
    kt_scalar given = {.kind = 0};
    if (at->correction >= 0 || at->order >= 0)
        given = kt__arg_scalar(call, at->correction >= 0 ? at->correction : at->order);
    if (at->order >= 0 && given.kind == KT_SCALAR_COMPLEX)
        return kt_fail(KT_ERR_RUNTIME, "linalg.vector_norm: Expected a non-complex scalar as the order of norm.");
    if (given.kind == KT_SCALAR_COMPLEX && given.im != 0)
        return kt_fail(KT_ERR_RUNTIME, "value cannot be converted to type double without overflow");
    if (at->unbiased >= 0)
        g->param[g->n_param++] = KT_FLOAT(kt__arg_bool(call, at->unbiased));
    if (at->correction >= 0)
        g->param[g->n_param++] = KT_FLOAT(given.kind ? real_of(given) : 1.0);
    if (at->order >= 0)
        g->param[g->n_param++] = KT_FLOAT(given.kind ? real_of(given) : 2.0);
    return KT_OK;
}

/* Values and places in order: three rows that refuse a dtype in their own words. */
static kt_status check_order_out(const kt_call *call, const kt__decision *d)
{
    const kt_dtype values = (kt_dtype)call->out[0]->dtype, places = (kt_dtype)call->out[1]->dtype;
    const char    *wants = kt_dtype_torch_name(d->result), *is = kt_dtype_torch_name(values), *at = kt_dtype_torch_name(places);
    if (values == d->result && places == KT_I64)
        return KT_OK;
    switch (call->row->id) {
    case KT_OP_mode:
        return values != d->result
                   ? kt__fail_dtype(call, KT_ERR_RUNTIME, "expected scalar type '%s' but got '%s' for values output", wants, is)
                   : kt__fail_dtype(call, KT_ERR_RUNTIME, "expected scalar type 'Long' but got '%s' for indices output", at);
    case KT_OP_kthvalue:
        return kt__fail_dtype(call, KT_ERR_RUNTIME,
                              values != d->result ? "output values must be of same type as input"
                                                  : "output indices must be of scalar type Long");
    case KT_OP_median_dim:
    case KT_OP_nanmedian_dim:
        return values != d->result
                   ? kt__fail_dtype(call, KT_ERR_RUNTIME,
                                    "Expected tensor for 'values' to have the same type as tensor for argument #2 'self'; but "
                                    "type torch.%sTensor does not equal torch.%sTensor (while checking arguments for median)",
                                    is, wants)
                   : kt__fail_dtype(call, KT_ERR_RUNTIME,
                                    "Expected tensor for argument #1 'indices' to have scalar type Long; but got torch.%sTensor "
                                    "instead (while checking arguments for median)",
                                    at);
    default: return KT_OK;
    }
}

/* A mean whose dtype= and out= differ; nanmean's sum is taken in the dtype of out=. */
static kt_status check_mean_out(const kt_call *call)
{
    const kt_dtype into = (kt_dtype)call->out[0]->dtype;
    const kt_dtype want = kt__arg_dtype(call, call->row->fold.dtype);
    if (call->row->kernel != KT_K_nanmean)
        return want ? kt__same_dtype(call, want, call->out[0]) : KT_OK;
    return is_exact(into) ? kt__fail_dtype(call, KT_ERR_NOT_IMPLEMENTED, "\"%s\" not implemented for '%s'", call->row->missing,
                                           kt_dtype_torch_name(into))
                          : KT_OK;
}

/* The others cast their result as every out= does. */
kt_status kt__check_fold_out(const kt_call *call, const kt__decision *d)
{
    const kt_row *row = call->row;
    if (call->form != KT_OUT)
        return KT_OK;
    kt_dtype into = (kt_dtype)call->out[0]->dtype, from = (kt_dtype)call->arg[0].t->dtype;
    int      several = kt__n_results(row);
    if (row->rule == RULE_TRUTH && into != KT_BOOL && into != KT_U8)
        return kt__fail_dtype(call, KT_ERR_RUNTIME, "%s only supports bool tensor for result, got: %s",
                              row->kernel == KT_K_any ? "any" : "all", kt_dtype_torch_name(into));
    if (row->rule == RULE_SAME && several == 1 && row->fold.dim >= 0 && into != from)
        return kt__fail_dtype(call, KT_ERR_RUNTIME,
                              "Expected the dtype for input and out to match, but got %s for input's dtype and %s for "
                              "out's dtype.",
                              kt_dtype_torch_name(from), kt_dtype_torch_name(into));
    if (row->rule == RULE_SAME && several == 1 && !kt_can_cast(from, into))
        return kt__fail_dtype(call, KT_ERR_RUNTIME,
                              "Expected canCast( typeMetaToScalarType(self.dtype()), typeMetaToScalarType(out.dtype())) to "
                              "be true, but got false.  (Could this error message be improved?  If so, please report an "
                              "enhancement request to PyTorch.)");
    if (row->kernel == KT_K_logsumexp && !(kt_dtype_category(into) & (KT_CAT_FLOAT | KT_CAT_COMPLEX)))
        return kt__fail_dtype(call, KT_ERR_RUNTIME,
                              "logsumexp(): Expected floating point type for result tensor, but got: %s",
                              kt_dtype_torch_name(into));
    if (row->rule == RULE_WITH_INDEX && check_order_out(call, d))
        return kt_error_status();
    if (row->rule == RULE_MEAN && check_mean_out(call))
        return kt_error_status();
    bool exact = row->rule == RULE_INDEX || row->rule == RULE_NORM || several > 1;
    for (int i = 0; i < several && exact; i++)
        if (kt__same_dtype(call, (kt_dtype)(i ? d->second : d->result), call->out[i]))
            return kt_error_status();
    return KT_OK;
}

void kt__trace_fold(const kt_call *call, const kt_tensor *self, const kt__decision *d, kt_tensor *const *out, int n)
{
    if (KT__UNLIKELY(d->why[0] && self->numel))
        kt__warn_of_real_part((kt_dtype)self->dtype, (kt_dtype)d->as[0]);
#ifndef KT_NO_LINEAGE
    for (int i = 0; i < n && call->form == KT_PLAIN; i++) {
        uint8_t dtype = out[i]->dtype;
        out[i]->lineage = self->dtype == dtype ? self->lineage
                                               : KT__RECORD(d->why[0] ? (kt_reason)d->why[0] : KT_WHY_PROMOTION,
                                                            call->row->name, self->dtype, dtype, self->lineage);
    }
#else
    (void)call, (void)self, (void)d, (void)out, (void)n;
#endif
}
