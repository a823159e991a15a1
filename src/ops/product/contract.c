/* contract.c - sums of products over chosen dims: tensordot, inner, vecdot, and products of several matrices. In: calls of
 * their rows. Out: results of mm and kin; none has a derivative of its own. */
#include <string.h>

#include "base/alloc.h"
#include "call/call.h"
#include "call/end.h"
#include "call/made.h"
#include "call/move.h"
#include "call/refuse.h"
#include "call/target.h"
#include "call/wrap.h"
#include "tables/kernels/product.h"

/* ---- tensordot ---- */

/* Which dims are summed, in order; with PyTorch's refusals. */
typedef struct side {
    kt_tensor *t;
    int64_t    n, summed[KT_MAX_DIMS];
    uint64_t   mask;
} side;

static kt_status side_of(kt_tensor *t, kt_shape dims, side *s)
{
    s->t = t;
    s->n = dims.n;
    s->mask = 0;
    for (int64_t i = 0; i < dims.n; i++) {
        int64_t d = dims.d[i];
        if (kt__wrap_dim(&d, t->ndim))
            return kt_error_status();
        if (s->mask >> d & 1)
            return kt_fail(KT_ERR_RUNTIME, "dim %lld appears multiple times in the list of dims", (long long)d);
        s->mask |= 1ull << d;
        s->summed[i] = d;
    }
    return KT_OK;
}

/* A dim of size 1 broadcasts against any size: the other side is summed first. */
static kt_status meet(side *a, side *b, kt_shape dims_a, kt_shape dims_b)
{
    for (int64_t i = 0; i < a->n; i++) {
        int64_t x = a->t->ndim ? a->t->sizes[a->summed[i]] : 1, y = b->t->ndim ? b->t->sizes[b->summed[i]] : 1;
        if (x == y)
            continue;
        if (x != 1 && y != 1)
            return kt_fail(
                KT_ERR_RUNTIME,
                "contracted dimensions need to match, but first has size %lld in dim %lld and second has size "
                "%lld in dim %lld",
                (long long)x, (long long)dims_a.d[i], (long long)y, (long long)dims_b.d[i]);
        side *longer = x == 1 ? b : a;
        longer->t =
            kt_sum_dim(longer->t, KT_SHAPE(longer->summed[i]), .keepdim = true, .dtype = (kt_dtype)longer->t->dtype);
        if (!longer->t)
            return kt_error_status();
    }
    return KT_OK;
}

/* The tensor with its free dims before, or after, the summed ones; appends the free sizes. */
typedef struct turned {
    kt_tensor *t;
    int64_t    kept, inner; /* elements of the free dims, of the summed ones */
} turned;

static turned turn(const side *s, bool summed_first, int64_t *sizes, int64_t *rank)
{
    int64_t order[KT_MAX_DIMS], at = 0;
    turned  m = {s->t, 1, 1};
    for (int64_t i = 0; i < s->n && summed_first; i++)
        order[at++] = s->summed[i];
    for (int64_t d = 0; d < s->t->ndim; d++)
        if (!(s->mask >> d & 1)) {
            order[at++] = d;
            m.kept *= sizes[(*rank)++] = s->t->sizes[d];
        }
    for (int64_t i = 0; i < s->n && !summed_first; i++)
        order[at++] = s->summed[i];
    for (int64_t i = 0; i < s->n && s->t->ndim; i++)
        m.inner *= s->t->sizes[s->summed[i]];
    if (s->t->ndim)
        m.t = kt_permute(s->t, (kt_shape){at, order});
    return m;
}

static kt_tensor *tensordot(kt_call *call, kt_tensor *self, kt_tensor *other, kt_shape dims_a, kt_shape dims_b)
{
    side    a, b;
    int64_t sizes[2 * KT_MAX_DIMS], rank = 0;
    if (dims_a.n != dims_b.n) {
        kt_fail(KT_ERR_RUNTIME, "both dimension lists should have same length");
        return NULL;
    }
    kt__decision room;
    if (!kt__resolve_in_body(call, &room) || side_of(self, dims_a, &a) || side_of(other, dims_b, &b) ||
        meet(&a, &b, dims_a, dims_b))
        return NULL;
    const turned left = turn(&a, false, sizes, &rank), right = turn(&b, true, sizes, &rank);
    if (rank > KT_MAX_DIMS) {
        kt_fail(KT_ERR_RUNTIME, "only tensors with up to %d dims are supported", KT_MAX_DIMS);
        return NULL;
    }
    kt_tensor *product =
        left.kept == 1 && right.kept == 1
            ? kt_dot(kt_reshape(left.t, KT_SHAPE(left.inner)), kt_reshape(right.t, KT_SHAPE(right.inner)))
            : kt_mm(kt_reshape(left.t, KT_SHAPE(left.kept, left.inner)), kt_reshape(right.t, KT_SHAPE(right.inner, right.kept)));
    return kt_view(product, (kt_shape){rank, sizes});
}

static kt_status end_contraction(kt_call *call, kt_tensor *made)
{
    const kt_tensor *out = made && call->form == KT_OUT ? call->out[0] : NULL;
    if (out && kt__grad_flags(out) & KT_T_REQUIRES_GRAD && kt__mode() & KT_M_GRAD && !kt__has_sizes(out, kt__sizes(made)))
        return kt_fail(KT_ERR_RUNTIME,
                       "tensordot(): the 'out' tensor was specified and requires gradients, and its shape does not match the "
                       "expected result. Either remove the 'out' argument, ensure it does not require gradients, or make sure "
                       "its shape matches the expected output.");
    return out && kt__check_out(call, (kt_dtype)made->dtype, KT_NONE) ? kt_error_status() : kt__end(call, made);
}

kt_status kt__body_tensordot(kt_call *call)
{
    KT_SCOPE;
    return end_contraction(call, tensordot(call, call->arg[0].t, call->arg[1].t, call->arg[2].ints, call->arg[3].ints));
}

static kt_status run_pair_as(kt_call *call, int op, kt_tensor *a, kt_tensor *b)
{
    kt_call c;
    kt__open(&c, op, KT_PLAIN);
    kt__put_tensor(&c, 0, a);
    kt__put_tensor(&c, 1, b);
    return kt__run_as(call, &c);
}

kt_status kt__body_inner(kt_call *call)
{
    kt_tensor *a = call->arg[0].t, *b = call->arg[1].t;
    KT_SCOPE;
    if (a->ndim == 0 || b->ndim == 0)
        return run_pair_as(call, KT_OP_mul, a, b);
    if (a->sizes[a->ndim - 1] != b->sizes[b->ndim - 1]) {
        return kt_fail(KT_ERR_RUNTIME,
                       "inner() the last dimension must match on both input tensors but got shapes %s and %s", KT__SIZES_TEXT(a),
                       KT__SIZES_TEXT(b));
    }
    return end_contraction(call, tensordot(call, a, b, KT_SHAPE(-1), KT_SHAPE(-1)));
}

/* ---- vecdot ---- */

kt_status kt__body_linalg_vecdot(kt_call *call)
{
    kt_tensor *x = call->arg[0].t, *y = call->arg[1].t;
    int64_t    dim = kt__arg_int(call, 2);
    if (x->ndim == 1 && y->ndim == 1 && dim >= -1 && dim <= 0)
        return kt__check_out(call, (kt_dtype)x->dtype, KT_NONE) ? kt_error_status() : run_pair_as(call, KT_OP_vdot, x, y);
    KT_SCOPE;
    return kt__end(call, kt_sum_dim(kt_mul(kt_conj(x), y), KT_SHAPE(dim)));
}

/* ---- several matrices: the order of products with the fewest multiplications ---- */

typedef struct chain {
    kt_tensor **m; /* matrices, vectors at the ends made such */
    int64_t     n;
    double     *cost; /* of the best way to multiply [first, last], by first * n + last */
    int64_t    *cut;  /* after which matrix the best order splits */
} chain;

static kt_status chain_fits(kt_call *call, kt_tensor *const *t, int64_t n)
{
    for (int64_t i = 0; i < n; i += n - 1)
        if (t[i]->ndim != 1 && t[i]->ndim != 2)
            return kt_fail(KT_ERR_RUNTIME, "multi_dot(): the %s tensor must be 1D or 2D but got %dD",
                           i ? "last" : "first", t[i]->ndim);
    for (int64_t i = 1; i < n - 1; i++)
        if (t[i]->ndim != 2)
            return kt_fail(KT_ERR_RUNTIME, "multi_dot(): tensor %lld must be 2D but got %dD", (long long)i, t[i]->ndim);
    for (int64_t i = 0; i < n; i++) {
        if (t[i]->dtype != t[0]->dtype && kt__refuse_case(call, 0))
            return kt_error_status();
        if (i > 0 && t[i - 1]->sizes[t[i - 1]->ndim - 1] != t[i]->sizes[0]) {
            return kt_fail(KT_ERR_RUNTIME,
                           "multi_dot(): tensors %lld and %lld with shapes %s and %s cannot be multiplied",
                           (long long)i - 1, (long long)i, KT__SIZES_TEXT(t[i - 1]), KT__SIZES_TEXT(t[i]));
        }
    }
    return KT_OK;
}

/* By lengths of parts: S. S. Godbole, On efficient computation of matrix chain products, IEEE Transactions on Computers 22
 * (1973); T. H. Cormen et al., Introduction to Algorithms (3rd ed., 2009), section 15.2. */
static void find_cuts(const chain *c)
{
    int64_t n = c->n;
    for (int64_t i = 0; i < n; i++)
        c->cost[i * n + i] = 0;
    for (int64_t length = 1; length < n; length++)
        for (int64_t first = 0; first + length < n; first++) {
            int64_t last = first + length;
            double  best = -1, outer = (double)c->m[first]->sizes[0] * (double)c->m[last]->sizes[1];
            for (int64_t cut = first; cut < last; cut++) {
                double cost =
                    c->cost[first * n + cut] + c->cost[(cut + 1) * n + last] + outer * (double)c->m[cut]->sizes[1];
                if (best < 0 || cost < best) {
                    best = cost;
                    c->cut[first * n + last] = cut;
                }
            }
            c->cost[first * n + last] = best;
        }
}

static kt_tensor *multiply(const chain *c, int64_t first, int64_t last)
{
    if (first == last)
        return c->m[first];
    int64_t cut = c->cut[first * c->n + last];
    return kt_mm(multiply(c, first, cut), multiply(c, cut + 1, last));
}

/* Vectors at the ends are treated as a row and a column. */
static kt_tensor *multi_dot(kt_tensor *const *t, int64_t n)
{
    size_t     room = (size_t)n * sizeof(kt_tensor *) + (size_t)n * (size_t)n * (sizeof(double) + sizeof(int64_t));
    char      *memory = n < 1 << 20 ? kt__system_get(room) : NULL;
    kt_tensor *y = NULL;
    if (!memory) {
        kt__fail_memory(room);
        return NULL;
    }
    chain c = {.n = n, .cost = (double *)(void *)memory};
    c.cut = (int64_t *)(void *)(c.cost + n * n);
    c.m = (kt_tensor **)(void *)(c.cut + n * n);
    for (int64_t i = 0; i < n; i++)
        c.m[i] = t[i]->ndim == 1 ? kt_unsqueeze(t[i], i ? 1 : 0) : t[i];
    if (!kt__failed() && !(kt__is_mix(c.m, n) && kt__cast_together(c.m, n))) {
        find_cuts(&c);
        y = multiply(&c, 0, n - 1);
    }
    kt__system_put(memory, room);
    int64_t sizes[2], rank = 0;
    if (t[0]->ndim == 2)
        sizes[rank++] = t[0]->sizes[0];
    if (t[n - 1]->ndim == 2)
        sizes[rank++] = t[n - 1]->sizes[1];
    return kt_view(y, (kt_shape){rank, sizes});
}

kt_status kt__body_linalg_multi_dot(kt_call *call)
{
    kt_tensor *const *t = call->arg[0].ts.t;
    int64_t           n = call->arg[0].ts.n;
    if (n < 2)
        return kt_fail(KT_ERR_RUNTIME, "multi_dot(): expected at least 2 tensors but got %lld", (long long)n);
    if (chain_fits(call, t, n))
        return kt_error_status();
    KT_SCOPE;
    kt_tensor *y = multi_dot(t, n);
    return y && kt__check_out(call, (kt_dtype)y->dtype, KT_NONE) ? kt_error_status() : kt__end(call, y);
}

kt_status kt__body_chain_matmul(kt_call *call)
{
    kt_tensor *const *t = call->arg[0].ts.t;
    int64_t           n = call->arg[0].ts.n;
    for (int64_t i = 0; i < n; i++)
        if (t[i]->ndim != 2)
            return kt_fail(KT_ERR_RUNTIME, "Tensor dimension is %d, expected 2 instead.", t[i]->ndim);
    if (n == 0)
        return kt_fail(KT_ERR_RUNTIME, "chain_matmul(): Expected one or more matrices");
    if (n > 1) {
        kt_call c = *call;
        c.row = &kt__rows[KT_OP_linalg_multi_dot];
        return kt__run_as(call, &c);
    }
    kt_tensor      *copy = NULL;
    const kt_status status = call->form == KT_PLAIN ? kt__call1(KT_OP_clone, t[0], &copy) : KT_OK;
    return copy || status ? kt__end_itself(call, copy, status) : kt__end(call, t[0]);
}

/* ---- float8 ---- */

static kt_tensor *given_tensor(const kt_call *call, int at) { return kt__given(call, at) ? call->arg[at].t : NULL; }

enum { BIAS = 4, SCALE_RESULT, OUT_DTYPE };

static kt_status check_scaled(const kt_call *call)
{
    static const char *const names[] = {"mat1", "mat2"};
    const kt_tensor         *bias = given_tensor(call, BIAS), *scale = given_tensor(call, SCALE_RESULT);
    kt_tensor *const         a = call->arg[0].t, *const b = call->arg[1].t;
    for (int i = 0; i < 2; i++)
        if (call->arg[i].t->ndim != 2)
            return kt_fail(KT_ERR_RUNTIME, "%s must be a matrix", names[i]);
    if (a->sizes[1] != b->sizes[0])
        return kt_fail(KT_ERR_RUNTIME, "mat1 and mat2 shapes cannot be multiplied (%lldx%lld and %lldx%lld)",
                       (long long)a->sizes[0], (long long)a->sizes[1], (long long)b->sizes[0], (long long)b->sizes[1]);
    if (call->arg[2].t->numel != 1 || call->arg[3].t->numel != 1)
        return kt_fail(KT_ERR_RUNTIME, "Now _scaled_mm only supports per-tensor scaling for CPU backend.");
    for (int i = 0; i < 2; i++)
        if (kt__dtype_rows[call->arg[i].t->dtype].size != 1 || !(kt__dtype_rows[call->arg[i].t->dtype].category & KT_CAT_FLOAT))
            return kt__fail_dtype(call, KT_ERR_RUNTIME, "Expected %s to be Float8 matrix got %s", names[i],
                                  kt__dtype_rows[call->arg[i].t->dtype].torch_name);
    if (scale && (scale->numel != 1 || scale->dtype != KT_F32))
        return kt__fail_dtype(call, KT_ERR_RUNTIME, "scale_result must be a float scalar");
    if (bias && bias->numel != b->sizes[1])
        return kt_fail(KT_ERR_RUNTIME, "Bias must be size %lld but got %lld", (long long)b->sizes[1], (long long)bias->numel);
    return KT_OK;
}

/* a @ b in float32. In one plan, so that a device may multiply them as they are; where it is differentiated, by the operators. */
static kt_tensor *product_of_float8(const kt_call *call, kt_tensor *a, kt_tensor *b)
{
    if (kt_requires_grad(a) || kt_requires_grad(b) || kt__tape.levels())
        return kt_matmul(kt_to(a, .dtype = KT_F32), kt_to(b, .dtype = KT_F32));
    const int64_t m = a->sizes[0], n = b->sizes[1], k = a->sizes[1], size[] = {m, n, k};
    kt_tensor    *y = kt__scoped(kt__tensor_new(KT_F32, kt__device(a), KT_SHAPE(m, n)));
    kt_plan       plan;
    if (!y || kt__one_device((kt_tensor *[]){a, b}, 2))
        return NULL;
    y->lineage = KT__RECORD(KT_BORN, call->row->name, KT_NONE, KT_F32, 0);
    kt__plan_begin(&plan, kt__row_called(call), KT_K_matmul, KT_IN_F32, 2, y);
    plan.nd = 3;
    plan.numel = m * n;
    memcpy(plan.size, size, sizeof size);
    kt_tensor *const t[] = {y, a, b};
    const int        dims[][3] = {{0, 1, -1}, {0, -1, 1}, {-1, 1, 0}}; /* of m, n and k; -1: it lacks the dim */
    for (int i = 0; i < 3; i++) {
        kt__set_operand(&plan, i, t[i], KT_F32, i ? KT_WHY_PROMOTION : KT_WHY_NONE);
        for (int d = 0; d < 3; d++)
            plan.stride[i][d] = dims[i][d] < 0 ? 0 : t[i]->strides[dims[i][d]] * (int64_t)kt__itemsize(t[i]);
    }
    return kt__launch_long(&plan, y) ? NULL : y;
}

/* A scale of the result is used where out_dtype says float8, as in PyTorch. */
kt_status kt__body_scaled_mm(kt_call *call)
{
    if (check_scaled(call))
        return kt_error_status();
    KT_SCOPE;
    const bool       named = kt__given(call, OUT_DTYPE) && call->arg[OUT_DTYPE].dtype;
    const kt_tensor *target = call->form == KT_OUT ? call->out[0] : NULL;
    if (named && target && (kt_dtype)target->dtype != call->arg[OUT_DTYPE].dtype)
        return kt__fail_dtype(call, KT_ERR_RUNTIME, "out_dtype must match output matrix type");
    const kt_dtype to = named ? call->arg[OUT_DTYPE].dtype : (kt_dtype)(target ? target : call->arg[0].t)->dtype;
    kt_tensor     *scale = kt_mul(kt_to(call->arg[2].t, .dtype = KT_F32), kt_to(call->arg[3].t, .dtype = KT_F32));
    kt_tensor     *y = product_of_float8(call, call->arg[0].t, call->arg[1].t);
    y = kt_mul(y, kt_view(scale, KT_SCALAR));
    if (given_tensor(call, BIAS))
        y = kt_add(y, kt_to(call->arg[BIAS].t, .dtype = KT_F32));
    if (given_tensor(call, SCALE_RESULT) && named && kt__dtype_rows[to].size == 1)
        y = kt_div(y, kt_view(call->arg[SCALE_RESULT].t, KT_SCALAR));
    y = kt_to(y, .dtype = to);
    return y && kt__check_out(call, to, KT_NONE) ? kt_error_status() : kt__end(call, y);
}

/* ---- int8 @ int8 in int32 ---- */

static kt_status check_int8(const kt_call *call)
{
    static const char *const names[] = {"self", "mat2"};
    for (int i = 0; i < 2; i++)
        if (call->arg[i].t->ndim != 2)
            return kt_fail(KT_ERR_RUNTIME, "int_mm_out_cpu: Expected %s to be of dimension 2 but got %d", names[i],
                           (int)call->arg[i].t->ndim);
    const kt_tensor *a = call->arg[0].t, *b = call->arg[1].t;
    if (a->sizes[1] != b->sizes[0])
        return kt_fail(KT_ERR_RUNTIME, "int_mm_out_cpu: self.size(1) needs to match mat2.size(0) but got %lld and %lld",
                       (long long)a->sizes[1], (long long)b->sizes[0]);
    for (int i = 0; i < 2; i++)
        if (call->arg[i].t->dtype != KT_I8)
            return kt__fail_dtype(call, KT_ERR_RUNTIME, "int_mm_out_cpu: Expected %s dtype to be of type int8 but got %s",
                                  names[i], kt_dtype_c_name((kt_dtype)call->arg[i].t->dtype));
    return KT_OK;
}

/* PyTorch resizes no target here. */
static kt_status check_int32(const kt_call *call)
{
    const kt_tensor *out = call->form == KT_OUT ? call->out[0] : NULL;
    if (!out)
        return KT_OK;
    if (out->dtype != KT_I32)
        return kt__fail_dtype(call, KT_ERR_RUNTIME, "int_mm_out_cpu: Expected result dtype to be of type kInt but got %s",
                              kt_dtype_c_name((kt_dtype)out->dtype));
    if (out->ndim != 2)
        return kt_fail(KT_ERR_RUNTIME, "int_mm_out_cpu: Expected result to be of dimension 2 but got %d", (int)out->ndim);
    for (int i = 0; i < 2; i++)
        if (out->sizes[i] != call->arg[i].t->sizes[i])
            return kt_fail(KT_ERR_RUNTIME, "int_mm_out_cpu: Expected result.size(%d) to be %lld but got %lld", i,
                           (long long)call->arg[i].t->sizes[i], (long long)out->sizes[i]);
    return KT_OK;
}

kt_status kt__body_int_mm(kt_call *call)
{
    if (check_int8(call) || check_int32(call))
        return kt_error_status();
    KT_SCOPE;
    kt_tensor *a = kt__converted_inside(call->arg[0].t, KT_I32, KT_WHY_PROMOTION);
    return kt__end(call, kt_mm(a, kt__converted_inside(call->arg[1].t, KT_I32, KT_WHY_PROMOTION)));
}
