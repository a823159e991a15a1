/* product.c - matrix products in one plan: mm, bmm, mv, dot, their sums with an addend (addmm and kin), and batches that
 * broadcast. In: a call whose row says MATMUL. Out: a plan over [batch..., m, n, k], with stride 0 where an operand lacks the
 * dim. Which product it is follows from the ranks: the last dims are m, k and k, n; a vector lacks its outer one. */
#include <string.h>

#include "call/target.h"
#include "call/wrap.h"
#include "tables/kernels/product.h"
#include "tensor/work.h"

typedef struct product {
    const kt__product *kind;
    kt_tensor *a, *b, *c; /* c: the addend, or NULL */
    int64_t    m, n, k;
    int        batch, rank;        /* dims of the result: all, and those before m and n */
    int64_t    sizes[KT_MAX_DIMS]; /* of the result */
} product;

static bool has_m(const product *p) { return p->a->ndim >= 2; }
static bool has_n(const product *p) { return p->b->ndim >= 2; }
static int  batch_of(const kt_tensor *t) { return t->ndim > 2 ? t->ndim - 2 : 0; }

/* ---- what the products differ in ---- */

typedef enum asked { ASKED_FIRST, ASKED_SECOND, ASKED_NONE } asked;

struct kt__product {
    int   a, b;          /* ranks of the factors; 0: any, with batches that broadcast */
    bool  conjugates;    /* the first factor, where it is complex */
    bool  dtypes_first;  /* PyTorch looks at dtypes before sizes */
    asked target;        /* the factor whose dtype a target must have, where PyTorch asks before it compares the factors */
    bool  asks_always;   /* also where the factors have one dtype */
    bool  asks_matching; /* only where the addend has the dtype of the first factor */
    bool  addend_first;  /* the addend is looked at before the factors */
    bool  addend_vector; /* it has at most one dim, and sizes that do not fit are told with it */
    bool  activates;     /* an activation function is applied to the results */
    bool  names_result;  /* in place an addend that does not fit is told beside the result's size, whether it would grow or not */
    kt_status (*bad_ranks)(const product *p);
    kt_status (*bad_sizes)(const product *p);
};

static KT__COLD kt_status no_dims(void)
{
    return kt_fail(KT_ERR_INDEX, "Dimension specified as 0 but tensor has no dimensions");
}

static KT__COLD kt_status ranks_of_mm(const product *p)
{
    return kt_fail(KT_ERR_RUNTIME, "%s must be a matrix", p->a->ndim != 2 ? "self" : "mat2");
}

static KT__COLD kt_status ranks_of_addmm(const product *p)
{
    const int a = p->a->ndim, b = p->b->ndim;
    return kt_fail(KT_ERR_RUNTIME, "%s must be a matrix, got %d-D tensor", a != 2 ? "mat1" : "mat2", a != 2 ? a : b);
}

static KT__COLD kt_status ranks_of_bmm(const product *p)
{
    return kt_fail(KT_ERR_RUNTIME, "%s must be a 3D tensor", p->a->ndim != 3 ? "batch1" : "batch2");
}

static KT__COLD kt_status ranks_of_baddbmm(const product *p)
{
    return p->a->ndim == 3 && p->b->ndim < 3 ? kt__wrap_dim(&(int64_t){2}, p->b->ndim) : ranks_of_bmm(p);
}

static KT__COLD kt_status ranks_of_addmv(const product *p)
{
    return kt_fail(KT_ERR_RUNTIME, "vector + matrix @ vector expected, got %d, %d, %d", p->c ? p->c->ndim : 1, p->a->ndim,
                   p->b->ndim);
}

static KT__COLD kt_status ranks_of_mv(const product *p) { return p->a->ndim ? ranks_of_addmv(p) : no_dims(); }

static KT__COLD kt_status ranks_of_batches(const product *p)
{
    return kt_fail(KT_ERR_RUNTIME, "a product of batches needs at least one 3D tensor, but got %dD and %dD", p->a->ndim,
                   p->b->ndim);
}

static KT__COLD kt_status ranks_of_dot(const product *p)
{
    return kt_fail(KT_ERR_RUNTIME, "1D tensors expected, but got %dD and %dD tensors", p->a->ndim, p->b->ndim);
}

static KT__COLD kt_status sizes_of_mm(const product *p)
{
    const int64_t *x = p->a->sizes, *y = p->b->sizes;
    return kt_fail(KT_ERR_RUNTIME, "mat1 and mat2 shapes cannot be multiplied (%lldx%lld and %lldx%lld)", (long long)x[0],
                   (long long)x[1], (long long)y[0], (long long)y[1]);
}

static KT__COLD kt_status sizes_of_mv(const product *p)
{
    const int64_t *x = p->a->sizes, *y = p->b->sizes;
    if (p->c && p->c->ndim == 0)
        return no_dims();
    return kt_fail(KT_ERR_RUNTIME, "size mismatch, got input (%lld), mat (%lldx%lld), vec (%lld)",
                   (long long)(p->c ? p->c->sizes[0] : x[0]), (long long)x[0], (long long)x[1], (long long)y[0]);
}

static KT__COLD kt_status sizes_of_dot(const product *p)
{
    const long long x = p->a->sizes[0], y = p->b->sizes[0];
    return kt_fail(KT_ERR_RUNTIME,
                   "inconsistent tensor size, expected tensor [%lld] and src [%lld] to have the same number of elements, but "
                   "got %lld and %lld elements respectively",
                   x, y, x, y);
}

static KT__COLD kt_status sizes_of_bmm(const product *p)
{
    const kt_tensor *b = p->b;
    int64_t          left = 1; /* batches; those that broadcast are the same by now */
    for (int i = 0; i < p->batch; i++)
        left *= p->sizes[i];
    const int64_t right = p->kind->a ? b->sizes[0] : left, rows = b->sizes[has_n(p) ? b->ndim - 2 : 0];
    return kt_fail(KT_ERR_RUNTIME,
                   "Expected size for first two dimensions of batch2 tensor to be: [%lld, %lld] but got: [%lld, %lld].",
                   (long long)left, (long long)p->k, (long long)right, (long long)rows);
}

const kt__product kt__product_mm = {.a = 2, .b = 2, .target = ASKED_FIRST, .bad_ranks = ranks_of_mm, .bad_sizes = sizes_of_mm};
const kt__product kt__product_addmm = {.a = 2,
                                       .b = 2,
                                       .dtypes_first = true,
                                       .target = ASKED_NONE,
                                       .names_result = true,
                                       .bad_ranks = ranks_of_addmm,
                                       .bad_sizes = sizes_of_mm};
const kt__product kt__product_addmm_activation = {.a = 2,
                                                  .b = 2,
                                                  .dtypes_first = true,
                                                  .target = ASKED_NONE,
                                                  .activates = true,
                                                  .bad_ranks = ranks_of_addmm,
                                                  .bad_sizes = sizes_of_mm};
const kt__product kt__product_bmm = {
    .a = 3, .b = 3, .target = ASKED_SECOND, .bad_ranks = ranks_of_bmm, .bad_sizes = sizes_of_bmm};
const kt__product kt__product_baddbmm = {.a = 3,
                                         .b = 3,
                                         .dtypes_first = true,
                                         .target = ASKED_SECOND,
                                         .asks_matching = true,
                                         .addend_first = true,
                                         .bad_ranks = ranks_of_baddbmm,
                                         .bad_sizes = sizes_of_bmm};
const kt__product kt__product_mv = {.a = 2, .b = 1, .target = ASKED_SECOND, .bad_ranks = ranks_of_mv, .bad_sizes = sizes_of_mv};
const kt__product kt__product_addmv = {.a = 2,
                                       .b = 1,
                                       .target = ASKED_SECOND,
                                       .addend_vector = true,
                                       .bad_ranks = ranks_of_addmv,
                                       .bad_sizes = sizes_of_mv};
const kt__product kt__product_dot = {.a = 1,
                                     .b = 1,
                                     .dtypes_first = true,
                                     .target = ASKED_FIRST,
                                     .asks_always = true,
                                     .bad_ranks = ranks_of_dot,
                                     .bad_sizes = sizes_of_dot};
const kt__product kt__product_vdot = {.a = 1,
                                      .b = 1,
                                      .conjugates = true,
                                      .dtypes_first = true,
                                      .target = ASKED_FIRST,
                                      .asks_always = true,
                                      .bad_ranks = ranks_of_dot,
                                      .bad_sizes = sizes_of_dot};
const kt__product kt__product_batches = {.target = ASKED_SECOND, .bad_ranks = ranks_of_batches, .bad_sizes = sizes_of_bmm};

/* ---- shapes ---- */

static bool ranks_fit(const product *p)
{
    const int a = p->a->ndim, b = p->b->ndim;
    if (!p->kind->a)
        return a >= 1 && b >= 1 && (a >= 3 || b >= 3);
    return a == p->kind->a && b == p->kind->b && !(p->kind->addend_vector && p->c->ndim > 1);
}

/* The leading dims of the result: those of both, broadcast. */
static kt_status batch_sizes(product *p)
{
    kt_tensor  lead[2]; /* stand-ins that carry the leading sizes alone */
    kt_tensor *leads[2] = {&lead[0], &lead[1]};
    lead[0].ndim = (uint8_t)batch_of(p->a);
    lead[0].sizes = p->a->sizes;
    lead[1].ndim = (uint8_t)batch_of(p->b);
    lead[1].sizes = p->b->sizes;
    return kt__broadcast(leads, 2, p->sizes, &p->batch);
}

static kt_status size_at(const kt_tensor *t, int64_t dim, int64_t *size)
{
    if (t->ndim == 0)
        return kt_fail(KT_ERR_INDEX, "Dimension specified as %lld but tensor has no dimensions", (long long)dim);
    if (kt__wrap_dim(&dim, t->ndim))
        return kt_error_status();
    *size = t->sizes[dim];
    return KT_OK;
}

/* The row expand knows the words of what does not grow to these sizes. */
static kt_status must_expand(const kt_tensor *t, kt_shape sizes)
{
    bool grows = t->ndim <= sizes.n;
    for (int i = 0; i < t->ndim && grows; i++)
        grows = t->sizes[i] == sizes.d[sizes.n - t->ndim + i] || t->sizes[i] == 1;
    if (KT__LIKELY(grows))
        return KT_OK;
    kt_call expand;
    kt__open(&expand, KT_OP_expand, KT_PLAIN);
    kt__put_tensor(&expand, 0, t);
    kt__put(&expand, 1, ints, sizes);
    return kt_call_run(&expand);
}

kt_status kt__check_batch_addend(const kt_tensor *c, const kt_tensor *a, const kt_tensor *b, bool summed)
{
    int64_t sizes[3];
    if ((!summed && size_at(a, 0, &sizes[0])) || size_at(a, 1, &sizes[1]) || size_at(b, 2, &sizes[2]))
        return kt_error_status();
    return must_expand(c, summed ? (kt_shape){2, sizes + 1} : (kt_shape){3, sizes});
}

/* What the addend must be: of the result's size after broadcasting, and in place of that size before. */
static kt_status addend_fits(const kt_call *call, const product *p)
{
    const kt_tensor *c = p->c;
    bool             same = c->ndim == p->rank, grows = c->ndim <= p->rank;
    for (int i = 0; i < c->ndim && grows; i++) {
        int64_t want = p->sizes[p->rank - c->ndim + i];
        same &= c->sizes[i] == want;
        grows = c->sizes[i] == want || c->sizes[i] == 1;
    }
    if (KT__LIKELY(same || (grows && call->form != KT_INPLACE)))
        return KT_OK;
    if (p->kind->addend_vector && !grows)
        return p->kind->bad_sizes(p);
    if (call->form == KT_INPLACE && (grows || p->kind->names_result)) {
        return kt_fail(KT_ERR_RUNTIME, "Bad in-place call: input tensor size %s and output tensor size %s should match",
                       KT__SIZES_TEXT(c), KT__SHAPE_TEXT((kt_shape){p->rank, p->sizes}));
    }
    if (call->form == KT_OUT && kt__policy(kt__mode()) != KT_PERMISSIVE && kt__check_out(call, (kt_dtype)p->b->dtype, KT_NONE))
        return kt_error_status();
    return must_expand(c, (kt_shape){p->rank, p->sizes});
}

static kt_status shape_of(const kt_call *call, product *p)
{
    const kt_tensor *a = p->a, *b = p->b;
    if (KT__UNLIKELY(!ranks_fit(p)))
        return p->kind->bad_ranks(p);
    p->m = has_m(p) ? a->sizes[a->ndim - 2] : 1;
    p->k = a->sizes[a->ndim - 1];
    p->n = has_n(p) ? b->sizes[b->ndim - 1] : 1;
    p->batch = 0;
    if (!p->kind->a) {
        if (batch_sizes(p))
            return kt_error_status();
    } else if (a->ndim == 3) {
        p->sizes[p->batch++] = a->sizes[0];
        if (KT__UNLIKELY(a->sizes[0] != b->sizes[0]))
            return p->kind->bad_sizes(p);
    }
    if (KT__UNLIKELY(p->k != (has_n(p) ? b->sizes[b->ndim - 2] : b->sizes[0])))
        return p->kind->bad_sizes(p);
    p->rank = p->batch;
    if (has_m(p))
        p->sizes[p->rank++] = p->m;
    if (has_n(p))
        p->sizes[p->rank++] = p->n;
    return p->c ? addend_fits(call, p) : KT_OK;
}

/* ---- the target ---- */

/* Of factors of two dtypes PyTorch first asks whether the target has that of one. */
static kt_status mixed_target(const kt_call *call, const product *p)
{
    const kt__product *kind = p->kind;
    if (KT__LIKELY(call->form == KT_PLAIN || (p->a->dtype == p->b->dtype && !kind->asks_always)) ||
        kt__policy(kt__mode()) == KT_PERMISSIVE || kind->target == ASKED_NONE ||
        (kind->asks_matching && p->c->dtype != p->a->dtype))
        return KT_OK;
    return kt__check_out(call, (kt_dtype)(kind->target == ASKED_FIRST ? p->a->dtype : p->b->dtype), KT_NONE);
}

static kt_status target(kt_call *call, const kt__decision *d, const product *p, kt_tensor **out)
{
    kt_shape shape = {p->rank, p->sizes};
    if (KT__LIKELY(call->form == KT_PLAIN)) {
        *out = kt__tensor_new((kt_dtype)d->result, kt__device(p->a), shape);
        return *out ? KT_OK : kt_error_status();
    }
    if (kt__check_out(call, (kt_dtype)d->result, KT_NONE))
        return kt_error_status();
    if (call->form == KT_INPLACE) {
        if (kt__check_written(p->c, NULL, 0))
            return kt_error_status();
        *out = kt__ref(p->c);
        return KT_OK;
    }
    const kt__gathered at = {.n = 0, .first = p->a}; /* a buffer may lie over the factors: see written_over */
    return kt__outputs_of(call, &at, d, shape, NULL, out, 1);
}

/* A product reads its factors many times, so what is written over one is made beside it first; an addend is read once,
 * where the result is written, and may be the result itself. */
static bool written_over(const kt_tensor *out, const product *p)
{
    return kt__overlap_of(out, p->a) != KT_OVERLAP_NONE || kt__overlap_of(out, p->b) != KT_OVERLAP_NONE ||
           (p->c && kt__overlap_of(out, p->c) > KT_OVERLAP_FULL);
}

/* ---- the plan ---- */

static void batch_strides(kt_plan *plan, int at, const kt_tensor *t, int own)
{
    int64_t item = (int64_t)kt__itemsize(t);
    int     lead = plan->nd - 3 - own;
    for (int d = 0; d < plan->nd - 3; d++)
        plan->stride[at][d] =
            d < lead || (t->sizes[d - lead] == 1 && plan->size[d] != 1) ? 0 : t->strides[d - lead] * item;
}

static void matrix_strides(kt_plan *plan, int at, const kt_tensor *t, int m, int n, int k)
{
    int64_t  item = (int64_t)kt__itemsize(t);
    int64_t *s = &plan->stride[at][plan->nd - 3];
    s[0] = m < 0 ? 0 : t->strides[m] * item;
    s[1] = n < 0 ? 0 : t->strides[n] * item;
    s[2] = k < 0 ? 0 : t->strides[k] * item;
}

/* The addend over the dims of the result; 0 where it is broadcast. */
static void addend_strides(kt_plan *plan, const product *p)
{
    const kt_tensor *c = p->c;
    int64_t          item = (int64_t)kt__itemsize(c), *s = plan->stride[3];
    memset(s, 0, (size_t)plan->nd * sizeof *s);
    for (int i = 0; i < c->ndim; i++) {
        int at = p->rank - c->ndim + i; /* dim of the result, then of the plan */
        if (c->sizes[i] == 1 && p->sizes[at] != 1)
            continue;
        s[at < p->batch ? at : at == p->batch && has_m(p) ? p->batch : p->batch + 1] = c->strides[i] * item;
    }
}

/* Dims that lie behind each other in every operand are one: leading ones among themselves, and with m where the second
 * factor has no batch (a batch times one matrix is one larger product). */
static void fold_batches(kt_plan *plan)
{
    for (int d = plan->nd - 4; d >= 0; d--) {
        bool one = true;
        for (int i = 0; i < 3 && one; i++)
            one = plan->stride[i][d] == plan->stride[i][d + 1] * plan->size[d + 1];
        if (!one && plan->size[d] != 1)
            continue;
        if (plan->size[d] != 1)
            plan->size[d + 1] *= plan->size[d];
        size_t after = (size_t)(plan->nd - 1 - d) * sizeof(int64_t);
        memmove(&plan->size[d], &plan->size[d + 1], after);
        for (int i = 0; i < 3; i++)
            memmove(&plan->stride[i][d], &plan->stride[i][d + 1], after);
        plan->nd--;
    }
}

static bool is_zero(kt_scalar s)
{
    return s.kind == KT_SCALAR_INT || s.kind == KT_SCALAR_BOOL ? s.v.i == 0 : s.v.re == 0 && s.im == 0;
}

static kt_status scales(const kt_call *call, const kt__decision *d, kt_plan *plan)
{
    if (!kt__given(call, 3) && !kt__given(call, 4))
        return KT_OK;
    kt_dtype computed = d->compute == KT_IN_F32 ? KT_F32 : (kt_dtype)d->common;
    plan->param[0] = kt__arg_scalar(call, 4);
    plan->param[1] = kt__arg_scalar(call, 3);
    plan->n_param = 2;
    for (int i = 0; i < 2; i++)
        if (!kt_scalar_fits(plan->param[i], computed))
            return kt__fail_overflow(call, computed);
    return KT_OK;
}

enum { USE_GELU = 5 };

/* CUDA's library has the gelu by tanh alone, so that PyTorch uses that there. */
static kt_status activation(const kt_call *call, const kt__decision *d, const product *p, kt_plan *plan)
{
    const bool gelu = kt__arg_bool(call, USE_GELU);
    if (gelu && kt__dtype_rows[d->common].category != KT_CAT_FLOAT)
        return kt__fail_dtype(call, KT_ERR_NOT_IMPLEMENTED, "\"GeluKernelImpl\" not implemented for '%s'",
                              kt_dtype_torch_name((kt_dtype)d->common));
    if (!plan->n_param)
        plan->param[0] = plan->param[1] = KT_INT(1);
    plan->param[2] = KT_INT(!gelu ? KT__THEN_RELU : kt__device(p->a).kind == KT_CUDA ? KT__THEN_GELU_TANH : KT__THEN_GELU);
    plan->n_param = 3;
    return KT_OK;
}

/* Everything but the target. */
static kt_status plan_product(const kt_call *call, const kt__gathered *g, const kt__decision *d, const product *p,
                              kt_plan *plan)
{
    kt__plan_begin(plan, kt__row_called(call), g->kernel, d->compute, g->n, p->a);
    plan->nd = (uint8_t)(p->batch + 3);
    plan->numel = p->m * p->n;
    for (int i = 0; i < p->batch; i++)
        plan->numel *= plan->size[i] = p->sizes[i];
    plan->size[p->batch] = p->m;
    plan->size[p->batch + 1] = p->n;
    plan->size[p->batch + 2] = p->k;
    const int        first = p->c ? 1 : 0; /* the addend comes first in the call and last in the plan */
    kt_tensor *const in[3] = {p->a, p->b, p->c};
    plan->origin = first && d->origin != 0xff ? (d->origin ? d->origin - 1 : 2) : d->origin;
    for (int i = 0; i < g->n; i++) {
        int from = i < 2 ? first + i : 0;
        kt__set_operand(plan, 1 + i, in[i], (kt_dtype)d->as[from], (kt_reason)d->why[from]);
    }
    if (p->kind->conjugates && kt__dtype_rows[d->common].category == KT_CAT_COMPLEX)
        plan->arg[1].bits ^= KT_BIT_CONJ;
    const int a = p->a->ndim, b = p->b->ndim;
    batch_strides(plan, 1, p->a, batch_of(p->a));
    matrix_strides(plan, 1, p->a, a - 2, -1, a - 1);
    batch_strides(plan, 2, p->b, batch_of(p->b));
    matrix_strides(plan, 2, p->b, -1, b >= 2 ? b - 1 : -1, b >= 2 ? b - 2 : 0);
    if (!p->c)
        return KT_OK;
    addend_strides(plan, p);
    if (scales(call, d, plan) || (p->kind->activates && activation(call, d, p, plan)))
        return kt_error_status();
    if (plan->numel && !(plan->n_param && is_zero(plan->param[1])))
        kt__warn_of_real_part((kt_dtype)p->c->dtype, (kt_dtype)d->as[0]);
    return KT_OK;
}

static kt_status run_into(kt_tensor *out, const product *p, const kt__decision *d, kt_plan *plan)
{
    kt__set_operand(plan, 0, out, (kt_dtype)d->result, KT_WHY_NONE);
    batch_strides(plan, 0, out, p->batch);
    matrix_strides(plan, 0, out, has_m(p) ? p->batch : -1, has_n(p) ? p->rank - 1 : -1, -1);
    if (p->batch && !p->c)
        fold_batches(plan);
    const int64_t depth = plan->size[plan->nd - 1]; /* numel counts the results */
    const bool    takes_long = plan->numel && depth > KT__LONG_PRODUCTS / plan->numel;
    return takes_long ? kt__launch_long(plan, out) : kt__launch(plan, out);
}

static kt_status run_beside(kt_tensor *out, const product *p, const kt__decision *d, kt_plan *plan)
{
    kt_tensor *apart = kt__tensor_new((kt_dtype)d->result, kt__device(out), kt__sizes(out));
    if (!apart)
        return kt_error_status();
    kt_status status = run_into(apart, p, d, plan);
    if (!status)
        status = kt__copy_into(out, apart, KT_WHY_NONE, KT_ROUND_TORCH);
    kt__unref(apart);
    return status;
}

static kt_status one_device(const kt__gathered *g)
{
    for (int i = 1; i < g->n; i++)
        if (KT__UNLIKELY(g->t[i]->backend != g->t[0]->backend || g->t[i]->index != g->t[0]->index))
            return kt__refuse_devices(g->t[0], g->t[i]);
    return KT_OK;
}

typedef struct sized {
    const kt_call *call;
    product        p;
} sized;

static kt_status check_sizes(const void *what)
{
    sized one = *(const sized *)what;
    if (shape_of(one.call, &one.p))
        return kt_error_status();
    return one.call->form == KT_OUT ? kt__check_out(one.call, (kt_dtype)one.p.b->dtype, KT_NONE) : KT_OK;
}

/* The dtype of an out= comes before a kernel that is missing. */
static kt_status check_out(const void *what)
{
    const sized *one = what;
    return kt__check_out(one->call, (kt_dtype)one->p.b->dtype, KT_NONE);
}

kt_status kt__run_matmul(kt_call *call)
{
    kt__gathered        g;
    kt__decision        room;
    const kt__decision *d = NULL;
    kt_plan             plan;
    kt__taping          taping;
    product             p;
    kt_tensor          *out = NULL;
    kt__gather(call, &g);
    p.kind = call->row->product;
    p.c = g.n == 3 ? g.t[0] : NULL;
    p.a = g.t[g.n - 2];
    p.b = g.t[g.n - 1];
    if (p.kind->dtypes_first) {
        if (!p.c && mixed_target(call, &p))
            return kt_error_status();
        if (!p.c && !ranks_fit(&p))
            return p.kind->bad_ranks(&p);
        if ((p.kind->addend_first && kt__check_batch_addend(p.c, p.a, p.b, false)) || mixed_target(call, &p))
            return kt_error_status();
        if (!(d = kt__resolve(call, &g, kt__mode(), &room)))
            return kt_error_status() == KT_ERR_NOT_IMPLEMENTED ? kt__report_earlier_error(check_sizes, &(sized){call, p})
                                                                : kt_error_status();
        if (shape_of(call, &p))
            return kt_error_status();
    } else if (shape_of(call, &p) || mixed_target(call, &p)) {
        return kt_error_status();
    } else if (!(d = kt__resolve(call, &g, kt__mode(), &room))) {
        const bool missing = kt_error_status() == KT_ERR_NOT_IMPLEMENTED && p.a->dtype == p.b->dtype;
        return missing && call->form == KT_OUT ? kt__report_earlier_error(check_out, &(sized){call, p}) : kt_error_status();
    }
    const kt_shape shape = {p.rank, p.sizes};
    if (call->form == KT_OUT && !kt__has_sizes(call->out[0], shape) && kt__reads_target(call, shape, false))
        return kt__run_apart(call); /* what is read would be resized, or grown over */
    if (one_device(&g) || kt__tape_before(call, kt__seen_as(&plan, &g, d), g.any_grad, &taping))
        return kt_error_status();
    kt_status status = target(call, d, &p, &out);
    if (!status)
        status = plan_product(call, &g, d, &p, &plan);
    if (status) {
        kt__unref(out);
        return kt__tape_after(call, NULL, &taping, status);
    }
    if (KT__UNLIKELY(call->form != KT_PLAIN && written_over(out, &p)))
        status = run_beside(out, &p, d, &plan);
    else
        status = run_into(out, &p, d, &plan);
#ifndef KT_NO_LINEAGE
    if (call->form == KT_PLAIN)
        out->lineage = p.a->dtype == d->result ? p.a->lineage /* what flows through a layer, not its weight or bias */
                       : d->origin != 0xff
                           ? g.t[d->origin]->lineage
                           : KT__RECORD(KT_WHY_PROMOTION, call->row->name, p.a->dtype, d->result, p.a->lineage);
#endif
    return kt__finish(call, &plan, &taping, out, status);
}

const kt__way kt__way_matmul = {.run = kt__run_matmul};
