/* fold.c - what reductions and scans share: what their own arguments change (dtype=, unbiased= and correction=, the order of a
 * norm), and where the results' dtypes came from. In: the call. Out: the wanted dtype, the kernel's parameters, lineage. */
#include "call/call.h"
#include "tables/kernels/reduce.h"

/* A sum with out= accumulates in the dtype of out=. */
static void wanted_dtype(const kt_call *call, int at, kt__gathered *g)
{
    g->want = at < 0 ? KT_NONE : (uint8_t)kt__arg_dtype(call, at);
    g->asked = g->want != KT_NONE;
    if (call->form == KT_OUT && (call->row->rule == RULE_SUM || call->row->rule == RULE_TRUTH))
        g->want = call->out[0]->dtype;
}

static double real_of(kt_scalar s)
{
    return s.kind == KT_SCALAR_FLOAT || s.kind == KT_SCALAR_COMPLEX ? s.v.re : (double)s.v.i;
}

/* k of kthvalue, from 1 to the size of the dim. An empty dim is reported elsewhere. */
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
    wanted_dtype(call, at->dtype, g);
    if (at->k >= 0 && rank_wanted(call, at, g))
        return kt_error_status();
    if (at->descending >= 0)
        g->param[g->n_param++] = KT_INT(kt__arg_bool(call, at->descending));
    if (g->kernel == KT_K_nansum && kt_dtype_category((kt_dtype)g->dtype[0]) & (KT_CAT_BOOL | KT_CAT_INT))
        g->accepts |= KT_CAT_COMPLEX; /* of what has no NaN it is a sum */
    if (g->kernel == KT_K_nansum && kt_dtype_category((kt_dtype)(g->want ? g->want : g->dtype[0])) != KT_CAT_FLOAT)
        g->kernel = KT_K_sum; /* no NaN is possible */
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

const kt__decision *kt__decide_fold(const kt_call *call, kt__gathered *g, kt__decision *room)
{
    kt__gather(call, g);
    return kt__refine_fold(call, g) ? NULL : kt__resolve(call, g, kt__mode(), room);
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
