/* distance.c - pairwise distances and renormalization: cdist and renorm. In: tensors. Out: norms of differences; a tensor
 * whose slices have bounded norms. */
#include <math.h>
#include <string.h>

#include "call/made.h"
#include "call/move.h"
#include "call/refuse.h"
#include "call/target.h"
#include "tables/kernels/norm.h"

/* ---- cdist ---- */

enum { P = 2, MODE };

/* Leaves both in the dtype that is computed in. */
static kt_status check_pair(const kt_call *call, kt_tensor **x)
{
    for (int i = 0; i < 2; i++)
        if (x[i]->ndim < 2)
            return kt_fail(KT_ERR_RUNTIME, "cdist only supports at least 2D tensors, X%d got: %dD", i + 1, x[i]->ndim);
    const int64_t columns[] = {x[0]->sizes[x[0]->ndim - 1], x[1]->sizes[x[1]->ndim - 1]};
    if (columns[0] != columns[1])
        return kt_fail(KT_ERR_RUNTIME, "X1 and X2 must have the same number of columns. X1: %lld X2: %lld", (long long)columns[0],
                       (long long)columns[1]);
    if (kt__refuse(call, STAGE_AFTER))
        return kt_error_status();
    if (!(kt__arg(call, P)->f >= 0))
        return kt_fail(KT_ERR_RUNTIME, "cdist only supports non-negative p values");
    if (kt__given(call, MODE) && (call->arg[MODE].i < 0 || call->arg[MODE].i > 2))
        return kt_fail(KT_ERR_RUNTIME, "possible modes: 0, 1, 2, but was: %lld", (long long)call->arg[MODE].i);
    kt__decision        room;
    const kt__decision *d = kt__resolve_in_body(call, &room);
    if (!d || kt__one_device(x, 2))
        return kt_error_status();
    for (int i = 0; i < 2; i++)
        x[i] = kt__converted_inside(x[i], (kt_dtype)d->common, KT_WHY_PROMOTION);
    return x[0] && x[1] ? KT_OK : kt_error_status();
}

/* |x - y|^2 = |x|^2 + |y|^2 - 2 xy: a matrix product, fast and less accurate. */
static kt_tensor *by_product(kt_tensor *x, kt_tensor *y)
{
    kt_tensor *own = kt_sum_dim(kt_mul(x, x), KT_SHAPE(-1), .keepdim = true);
    kt_tensor *others = kt_transpose(kt_sum_dim(kt_mul(y, y), KT_SHAPE(-1), .keepdim = true), -2, -1);
    kt_tensor *both = kt_matmul(kt_mul_s(x, KT_INT(-2)), kt_transpose(y, -2, -1));
    return kt_sqrt(kt_clamp_min_s(kt_add(kt_add(both, own), others), KT_INT(0)));
}

static kt_tensor *by_difference(kt_tensor *x, kt_tensor *y, double p)
{
    kt_tensor *apart = kt_sub(kt_unsqueeze(x, -2), kt_unsqueeze(y, -3));
    if (apart && apart->sizes[apart->ndim - 1] == 0)
        return kt_sum_dim(apart, KT_SHAPE(-1));
    if (p == 0) /* the number of differing elements, NaN for NaN: vector_norm would count a NaN */
        return kt_sum_dim(kt_clamp_max_s(kt_ceil(kt_abs(apart)), KT_INT(1)), KT_SHAPE(-1));
    if (isinf(p)) /* the largest of those that are numbers, unlike vector_norm's */
        apart = kt_masked_fill(apart, kt_isnan(apart), KT_INT(0));
    return kt_linalg_vector_norm(apart, .ord = KT_FLOAT(p), .dim = KT_SHAPE(-1));
}

/* A few rows of x at a time, to bound the memory for differences. */
static kt_tensor *piecewise(kt_tensor *x, kt_tensor *y, double p)
{
    enum { SOME = 1 << 18 };
    const int64_t rows = x->sizes[x->ndim - 2], others = y->numel > x->numel ? y->numel : x->numel;
    const int64_t each = others > SOME ? 1 : SOME / (others ? others : 1);
    if (rows <= each)
        return by_difference(x, y, p);
    kt_tensor *out = NULL;
    for (int64_t i = 0; i < rows; i += each) {
        KT_SCOPE;
        const int64_t n = rows - i < each ? rows - i : each;
        kt_tensor    *part = by_difference(kt_narrow(x, -2, i, n), y, p);
        if (part && !out) {
            int64_t sizes[KT_MAX_DIMS];
            for (int d = 0; d < part->ndim; d++)
                sizes[d] = d == part->ndim - 2 ? rows : part->sizes[d];
            out = kt__tensor_new((kt_dtype)part->dtype, kt__device(part), (kt_shape){part->ndim, sizes});
        }
        if (!part || !out || !kt_copy_(kt_narrow(out, -2, i, n), part)) {
            kt__unref(out);
            return NULL;
        }
    }
    return kt__scoped(out);
}

/* ---- by a kernel of its own ---- */

static bool has_kernel(const kt_tensor *const *x, double p)
{
    const kt_dtype    dtype = (kt_dtype)x[0]->dtype;
    const kt_backend *backend = kt__backend(x[0]->backend);
    const bool        floats = (dtype == KT_F32 || dtype == KT_F64) && x[1]->dtype == dtype;
    const bool        lazy = (x[0]->flags | x[1]->flags) & KT_T_NEG;
    return floats && !lazy && (p == 1 || p == 2 || isinf(p)) &&
           (!backend->kernels || backend->kernels[KT_K_distances] >> kt__dtype_rows[dtype].compute & 1);
}

/* [batch, lines, elements]: of the batch dims of both, broadcast. */
static kt_tensor *as_lines(kt_tensor *t, const int64_t *batch, int n, int64_t many)
{
    int64_t       sizes[KT_MAX_DIMS];
    const int64_t lines = t->sizes[t->ndim - 2], elements = t->sizes[t->ndim - 1];
    memcpy(sizes, batch, (size_t)n * sizeof *sizes);
    sizes[n] = lines, sizes[n + 1] = elements;
    if (t->ndim == 3 && t->sizes[0] == many)
        return t;
    return kt_reshape(kt_expand(t, ((kt_shape){n + 2, sizes})), KT_SHAPE(many, lines, elements));
}

static void set_lines(kt_plan *plan, int at, const kt_tensor *t, int lines, int elements)
{
    const int64_t width = (int64_t)kt__itemsize(t);
    kt__set_operand(plan, at, t, (kt_dtype)t->dtype, KT_WHY_NONE);
    for (int d = 0; d < plan->nd; d++)
        plan->stride[at][d] = 0;
    plan->stride[at][0] = t->strides[0] * width;
    plan->stride[at][lines] = t->strides[1] * width;
    plan->stride[at][elements] = t->strides[2] * width;
}

static kt_tensor *by_kernel(const kt_call *call, kt_tensor *const *x, double p)
{
    enum { LINES = 1, OTHERS, ELEMENTS, DIMS };
    int64_t    batch[KT_MAX_DIMS], many = 1;
    int        n = 0;
    kt_tensor *of[2];
    for (int i = 0; i < 2; i++)
        if (!(of[i] = kt_select(kt_select(x[i], -1, 0), -1, 0)))
            return NULL;
    if (kt__broadcast(of, 2, batch, &n))
        return NULL;
    for (int i = 0; i < n; i++)
        many *= batch[i];
    kt_tensor *a = as_lines(x[0], batch, n, many), *b = as_lines(x[1], batch, n, many);
    batch[n] = x[0]->sizes[x[0]->ndim - 2], batch[n + 1] = x[1]->sizes[x[1]->ndim - 2];
    kt_tensor *out = kt__failed() ? NULL : kt__scoped(kt__tensor_new((kt_dtype)x[0]->dtype, kt__device(x[0]),
                                                                     (kt_shape){n + 2, batch}));
    kt_tensor *all = out ? kt_view(out, KT_SHAPE(many, batch[n], batch[n + 1])) : NULL;
    if (!all)
        return NULL;
    kt_plan plan;
    kt__plan_begin(&plan, kt__row_called(call), KT_K_distances, kt__dtype_rows[out->dtype].compute, 2, x[0]);
    plan.n_out = 1, plan.numel = out->numel, plan.nd = DIMS;
    plan.size[0] = many, plan.size[LINES] = batch[n], plan.size[OTHERS] = batch[n + 1], plan.size[ELEMENTS] = a->sizes[2];
    set_lines(&plan, 0, all, LINES, OTHERS);
    set_lines(&plan, 1, a, LINES, ELEMENTS);
    set_lines(&plan, 2, b, OTHERS, ELEMENTS);
    plan.param[0] = KT_FLOAT(p), plan.n_param = 1;
    out->lineage = x[0]->lineage;
    return kt__launch_long(&plan, out) ? NULL : out;
}

kt_status kt__body_cdist(kt_call *call)
{
    enum { MANY = 25, ALWAYS = 1, NEVER = 2 };
    KT_SCOPE;
    const double  p = kt__arg(call, P)->f;
    const int64_t mode = kt__given(call, MODE) ? call->arg[MODE].i : 0;
    kt_tensor    *x[2] = {call->arg[0].t, call->arg[1].t};
    if (check_pair(call, x))
        return kt_error_status();
    const bool many = x[0]->sizes[x[0]->ndim - 2] > MANY || x[1]->sizes[x[1]->ndim - 2] > MANY;
    const bool product = p == 2 && mode != NEVER && (mode == ALWAYS || many) && x[0]->numel && x[1]->numel;
    if (!product && x[0]->numel && x[1]->numel && kt__refuse_known(call, NULL, (kt_dtype)x[0]->dtype))
        return kt_error_status();
    if (!product && x[0]->numel && x[1]->numel && has_kernel((const kt_tensor *const *)x, p))
        return kt__end(call, by_kernel(call, x, p));
    return kt__end(call, product ? by_product(x[0], x[1]) : piecewise(x[0], x[1], p));
}

/* ---- renorm ---- */

static double real_of(kt_scalar s)
{
    return s.kind == KT_SCALAR_FLOAT || s.kind == KT_SCALAR_COMPLEX ? s.v.re : (double)s.v.i;
}

static kt_status check_renorm(const kt_call *call, int64_t *dim)
{
    const kt_tensor *self = call->arg[0].t;
    const double     p = real_of(call->arg[1].s), most = real_of(call->arg[3].s);
    if (call->arg[1].s.kind == KT_SCALAR_COMPLEX)
        return kt_fail(KT_ERR_RUNTIME, "renorm: p must be real-valued");
    if (!(p > 0))
        return kt_fail(KT_ERR_RUNTIME, "renorm: non-positive-norm not supported");
    if (call->arg[3].s.kind == KT_SCALAR_COMPLEX)
        return kt_fail(KT_ERR_RUNTIME, "renorm: maxnorm must be real-valued");
    if (!(most >= 0))
        return kt_fail(KT_ERR_RUNTIME, "renorm: expected maxnorm to be >= 0 but got %g", most);
    if (self->ndim < 2)
        return kt_fail(KT_ERR_RUNTIME, "renorm: input needs at least 2 dimensions, got %d dimensions", self->ndim);
    kt__decision room;
    if (kt__check_out(call, (kt_dtype)self->dtype, KT_NONE))
        return kt_error_status();
    const bool refused = kt__wrap_dim(dim, self->ndim) || kt__refuse(call, STAGE_AFTER) || !kt__resolve_in_body(call, &room);
    return refused ? kt_error_status() : KT_OK;
}

kt_tensor *kt__slice_norms(kt_tensor *t, int64_t dim, double p)
{
    int64_t        others[KT_MAX_DIMS], n = 0;
    const kt_dtype wide = t->dtype == KT_F16 || t->dtype == KT_BF16 ? KT_F32 : t->dtype == KT_C32 ? KT_C64 : (kt_dtype)t->dtype;
    for (int d = 0; d < t->ndim; d++)
        if (d != dim)
            others[n++] = d;
    t = kt__converted_inside(t, wide, KT_WHY_PROMOTION);
    return kt_linalg_vector_norm(t, .ord = KT_FLOAT(p), .dim = (kt_shape){n, others}, .keepdim = true);
}

kt_status kt__body_renorm(kt_call *call)
{
    KT_SCOPE;
    kt_tensor *self = call->arg[0].t;
    int64_t    dim = call->arg[2].i;
    if (check_renorm(call, &dim))
        return kt_error_status();
    const double most = real_of(call->arg[3].s);
    kt_tensor   *norm = kt__slice_norms(self, dim, real_of(call->arg[1].s));
    kt_tensor   *factor = kt_mul_s(kt_reciprocal(kt_add_s(norm, KT_FLOAT(1e-7))), KT_FLOAT(most));
    factor = kt_masked_fill(factor, kt_logical_not(kt_gt_s(norm, KT_FLOAT(most))), KT_INT(1));
    factor = kt__converted_inside(factor, kt_dtype_real((kt_dtype)self->dtype), KT_WHY_RESULT);
    return kt__end(call, kt_mul(kt_contiguous(self), factor));
}
