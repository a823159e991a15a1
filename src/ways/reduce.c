/* reduce.c - the way of reductions. In: a call whose row says REDUCE. Out: a plan in which the outputs have stride 0 in
 * the reduced dims. The positions of dim=, keepdim= and others come from the argument table: no operator is known by
 * name. The kernel's column says what an empty reduction gives. */
#include <math.h>
#include <string.h>

#include "call/refuse.h"
#include "call/target.h"
#include "tables/kernels/order.h"
#include "tables/kernels/reduce.h"
#include "tables/schema.h"

enum { MOST_OUTPUTS = 2 };

typedef struct fold {
    uint64_t mask;                /* bit i: dim i is reduced */
    bool     all, keep;           /* all: none was named */
    int      rank;                /* of the outputs */
    int64_t  sizes[KT_MAX_DIMS];
    int      n_out;
    kt_tensor *out[MOST_OUTPUTS]; /* owned */
} fold;

/* ---- which dims go ---- */

static kt_status add_dim(int64_t dim, int rank, uint64_t *mask)
{
    if (kt__wrap_dim(&dim, rank))
        return kt_error_status();
    if (*mask >> dim & 1)
        return kt_fail(KT_ERR_RUNTIME, "dim %lld appears multiple times in the list of dims", (long long)dim);
    *mask |= 1ull << dim;
    return KT_OK;
}

/* No dim means all dims. dim=[] means all too, except for any and all, where it reduces nothing. */
static kt_status reduced_dims(const kt_call *call, const kt_tensor *t, fold *f)
{
    int                at = call->row->fold.dim;
    const kt_arg_spec *spec = at >= 0 ? kt__arg_spec(call->row, at) : NULL;
    bool               given = spec && kt__given(call, at);
    f->mask = 0;
    if (spec && spec->kind == KT_ARG_INT && (given || !spec->optional))
        return add_dim(kt__arg_int(call, at), t->ndim, &f->mask);
    kt_shape dims = given ? call->arg[at].ints : KT_SCALAR;
    for (int64_t i = 0; i < dims.n; i++)
        if (add_dim(dims.d[i], t->ndim, &f->mask))
            return kt_error_status();
    f->all = !dims.n && !(given && call->row->rule == RULE_TRUTH);
    if (f->all)
        f->mask = t->ndim == 64 ? ~0ull : (1ull << t->ndim) - 1;
    return KT_OK;
}

static kt_status fold_shape(const kt_call *call, const kt_tensor *self, fold *f)
{
    int keepdim = call->row->fold.keepdim;
    *f = (fold){.keep = keepdim >= 0 && kt__arg_bool(call, keepdim), .n_out = kt__n_results(call->row)};
    if (reduced_dims(call, self, f))
        return kt_error_status();
    for (int i = 0; i < self->ndim; i++)
        if (!(f->mask >> i & 1) || f->keep)
            f->sizes[f->rank++] = f->mask >> i & 1 ? 1 : self->sizes[i];
    return KT_OK;
}

/* ---- a fold of nothing ---- */

#define NOTHING INFINITY /* the column `empty` of the kernels: an empty reduction has no result */

static bool identity_of(int kernel, double *value)
{
#define KERNEL(name, empty) [KT__PLACE_OF(KT_K_##name)] = empty,
    static const double reductions[] = {
#include "tables/kernels/reduce.def"
    };
    static const double ranks[] = {
#include "tables/kernels/order.def"
    };
#undef KERNEL
    *value = (KT__FAMILY_OF(kernel) == KT_FAMILY_order ? ranks : reductions)[KT__PLACE_OF(kernel)];
    return *value != NOTHING;
}

/* false: none. As PyTorch names it: in a list as it is written there. */
static bool first_empty(const kt_call *call, const kt_tensor *self, uint64_t mask, int64_t *dim)
{
    const int      at = call->row->fold.dim;
    const bool     listed = at >= 0 && kt__arg_spec(call->row, at)->kind == KT_ARG_INTS && kt__given(call, at);
    const kt_shape dims = listed ? call->arg[at].ints : KT_SCALAR;
    for (int i = 0; i < (dims.n ? dims.n : self->ndim); i++) {
        *dim = dims.n ? dims.d[i] : i;
        const int64_t from_first = *dim < 0 ? *dim + self->ndim : *dim;
        if (mask >> from_first & 1 && self->sizes[from_first] == 0)
            return true;
    }
    return false;
}

static kt_status no_norm_of_nothing(const kt_call *call, const kt_tensor *self, const fold *f, double order)
{
    int64_t dim;
    if (!(order < 0) && !isinf(order))
        return KT_OK;
    if (f->all)
        return kt_fail(KT_ERR_RUNTIME,
                       "linalg.vector_norm cannot compute the %g norm on an empty tensor because the operation does not "
                       "have an identity",
                       order);
    return !first_empty(call, self, f->mask, &dim)
               ? KT_OK
               : kt_fail(KT_ERR_RUNTIME,
                         "linalg.vector_norm cannot compute the %g norm on the dimension %lldbecause this dimension is "
                         "empty and the operation does not have an identity",
                         order, (long long)dim);
}

/* max of an empty tensor is an error: PyTorch's message depends on the operator. */
static kt_status check_not_empty(const kt_call *call, const kt_tensor *self, const kt__gathered *g, const fold *f)
{
    double      ignored;
    char        name[32];
    const char *schema = call->row->schema; /* begins with the name that users know */
    if (g->kernel == KT_K_norm)
        return no_norm_of_nothing(call, self, f, g->param[0].v.re);
    if (identity_of(g->kernel, &ignored))
        return KT_OK;
    bool both = g->kernel == KT_K_aminmax, where = call->row->rule == RULE_INDEX;
    int64_t dim;
    snprintf(name, sizeof name, "%.*s", schema_name_length(schema), schema);
    if (f->all && both)
        return kt_fail(KT_ERR_RUNTIME,
                       "aminmax(): cannot compute aminmax over an empty dimension as the operation has no identity.");
    if (f->all)
        return kt_fail(where ? KT_ERR_INDEX : KT_ERR_RUNTIME,
                       "%s(): Expected reduction dim to be specified for input.numel() == 0.%s", name,
                       where ? "" : " Specify the reduction dim with the 'dim' argument.");
    return !first_empty(call, self, f->mask, &dim)
               ? KT_OK
               : kt_fail(KT_ERR_INDEX, "%s%s: Expected reduction dim %lld to have non-zero size.", name, both ? "" : "()",
                         (long long)dim);
}

/* A variance divides by N - correction. */
static void warn_of_freedom(const kt_call *call, const kt__gathered *g, const fold *f)
{
    const char *schema = call->row->schema;
    int64_t     n_out = 1;
    if (call->row->fold.unbiased < 0 && call->row->fold.correction < 0)
        return;
    for (int i = 0; i < f->rank; i++)
        n_out *= f->sizes[i];
    if ((double)(g->t[0]->numel / (n_out ? n_out : 1)) > g->param[0].v.re)
        return;
    kt__warn("%.*s(): degrees of freedom is <= 0. Correction should be strictly less than the reduction factor (input numel "
             "divided by output numel).",
             schema_name_length(schema), schema);
}

static kt_status fill_identity(int kernel, const fold *f)
{
    double    value = 0;
    kt_status status = KT_OK;
    identity_of(kernel, &value);
    for (int i = 0; i < f->n_out && !status; i++)
        status = kt__fill_with(f->out[i], KT_FLOAT(value));
    return status;
}

/* ---- the plan ---- */

static void prepare(const kt_call *call, const kt__gathered *g, const kt__decision *d, const fold *f, kt_plan *plan)
{
    const kt_tensor *self = g->t[0];
    int              in = f->n_out;
    kt__plan_begin(plan, kt__row_called(call), g->kernel, d->compute, 1, self);
    plan->n_out = (uint8_t)f->n_out;
    plan->origin = d->origin;
    plan->numel = self->numel;
    plan->nd = self->ndim;
    plan->n_param = g->n_param;
    memcpy(plan->param, g->param, g->n_param * sizeof *g->param);
    for (int o = 0; o < f->n_out; o++) {
        kt_dtype made = (kt_dtype)(o ? d->second : d->result);
        kt__set_operand(plan, o, f->out[o], made, made == f->out[o]->dtype ? KT_WHY_NONE : KT_WHY_RESULT);
    }
    kt__set_operand(plan, in, self, (kt_dtype)d->as[0], (kt_reason)d->why[0]);
    for (int i = 0, at = 0; i < self->ndim; i++) {
        bool gone = f->mask >> i & 1;
        plan->size[i] = self->sizes[i];
        plan->stride[in][i] = self->strides[i] * (int64_t)kt__itemsize(self);
        for (int o = 0; o < f->n_out; o++)
            plan->stride[o][i] = gone ? 0 : f->out[o]->strides[at] * (int64_t)kt__itemsize(f->out[o]);
        at += !gone || f->keep;
    }
    bool counts_places = call->row->rule == RULE_WITH_INDEX || g->kernel == KT_K_argmax || g->kernel == KT_K_argmin;
    kt__collapse(plan, !counts_places); /* an index counts in the tensor's order of dims */
    plan->contiguous = 0;
}

/* ---- the way of a call ---- */

typedef struct folded {
    const kt_call      *call;
    const kt__gathered *g;
} folded;

static kt_status check_dims(const void *what)
{
    const folded    *w = what;
    const kt_tensor *self = w->call->arg[0].t;
    fold             f;
    if (fold_shape(w->call, self, &f))
        return kt_error_status();
    return self->numel ? KT_OK : check_not_empty(w->call, self, w->g, &f);
}

/* The dtype of out=, where it follows from that of self. */
static kt_status check_out_like_self(const kt_call *call)
{
    const uint8_t  rule = call->row->rule;
    const kt_dtype self = (kt_dtype)call->arg[0].t->dtype, second = rule == RULE_WITH_INDEX ? KT_I64 : self;
    if (rule != RULE_SAME && rule != RULE_WITH_INDEX)
        return KT_OK;
    return kt__check_out(call, self, kt__n_results(call->row) > 1 ? second : KT_NONE);
}

/* Checked before a missing kernel: the dims, the lines that come after them, and the dtype of out=. */
static kt_status check_before_kernel(const void *what)
{
    const folded *w = what;
    const bool    early = w->call->row->target.dtype_before_dims;
    if ((early && check_out_like_self(w->call)) || check_dims(what) || kt__refuse(w->call, STAGE_AFTER))
        return kt_error_status();
    return early ? KT_OK : check_out_like_self(w->call);
}

/* All of a call but its launch. */
typedef struct ready {
    kt__gathered        g;
    kt__decision        room;
    const kt__decision *d;
    kt__taping          taping;
    fold                f;
    bool                apart; /* its target lies in what it reads: nothing else is set */
} ready;

static kt_status get_ready(kt_call *call, ready *r, kt_plan *plan)
{
    kt_tensor *self = call->arg[0].t;
    r->apart = false;
    kt__gather(call, &r->g);
    if (kt__refine_fold(call, &r->g))
        return kt_error_status();
    const kt__decision *d = r->d = kt__resolve(call, &r->g, kt__mode(), &r->room);
    if (!d) /* refusals by rule come before the dims, a missing kernel after them */
        return kt_error_status() == KT_ERR_NOT_IMPLEMENTED
                   ? kt__report_earlier_error(check_before_kernel, &(folded){call, &r->g})
                   : kt_error_status();
    if (call->row->target.dtype_before_dims && kt__check_out(call, (kt_dtype)d->result, (kt_dtype)d->second))
        return kt_error_status();
    if (fold_shape(call, self, &r->f))
        return kt_error_status();
    if (!self->numel && check_not_empty(call, self, &r->g, &r->f))
        return kt_error_status();
    if (kt__refuse(call, STAGE_AFTER) || kt__check_out(call, (kt_dtype)d->result, (kt_dtype)d->second))
        return kt_error_status();
    const kt_shape shape = {r->f.rank, r->f.sizes};
    r->apart = call->form == KT_OUT && kt__reads_target(call, shape, false);
    if (r->apart)
        return KT_OK;
    if (kt__tape_before(call, kt__seen_as(plan, &r->g, d), r->g.any_grad, &r->taping))
        return kt_error_status();
    const kt_status status = kt__outputs_of(call, &r->g, d, shape, NULL, r->f.out, r->f.n_out);
    if (status)
        return kt__tape_after(call, NULL, &r->taping, status);
    warn_of_freedom(call, &r->g, &r->f);
    prepare(call, &r->g, d, &r->f, plan);
    return KT_OK;
}

kt_status kt__run_reduce(kt_call *call)
{
    ready      r;
    kt_plan    plan;
    kt_tensor *self = call->arg[0].t;
    if (get_ready(call, &r, &plan))
        return kt_error_status();
    if (r.apart)
        return kt__run_apart(call);
    kt_status status = self->numel ? kt__launch(&plan, r.f.out[0]) : fill_identity(r.g.kernel, &r.f);
    if (!status && self->numel && r.f.n_out > 1 && plan.arg[1].bits)
        status = kt__apply_lazy_bits(plan.row, r.f.out[1]);
    kt__trace_fold(call, self, r.d, r.f.out, r.f.n_out);
    return kt__finish_several(call, &plan, &r.taping, r.f.out, r.f.n_out, status);
}

kt_status kt__plan_fold(kt_call *call, kt_plan *plan, kt_tensor **out)
{
    ready r;
    *out = NULL;
    if (!call->arg[0].t->numel || call->form != KT_PLAIN)
        return KT_OK;
    if (get_ready(call, &r, plan))
        return kt_error_status();
    kt__trace_fold(call, call->arg[0].t, r.d, r.f.out, r.f.n_out);
    *out = r.f.out[0];
    return KT_OK;
}

const kt__way kt__way_reduce = {.run = kt__run_reduce, .decide = kt__decide_fold, .fuses = true};
