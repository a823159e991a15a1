/* vectors.c - outer, addr, kron, cross, block_diag and cartesian_prod. In: calls of their rows. Out: results of mul and
 * others. */
#include <string.h>

#include "call/made.h"
#include "call/refuse.h"
#include "call/target.h"

kt_status kt__body_outer(kt_call *call);

/* The common dtype of the tensors of a list, those without dims being weaker, in whatever order they stand. */
static kt_status list_common(kt_tensor *const *t, int64_t n, kt_dtype *common)
{
    kt_status    status = KT_OK;
    kt__gathered g = {.n = 0};
    for (int rank = RANK_DIM; rank <= RANK_ZERO; rank++) {
        const int at = g.n;
        for (int64_t k = 0; k < n && !status; k++) {
            if ((t[k]->ndim == 0) != (rank == RANK_ZERO))
                continue;
            g.dtype[g.n] = t[k]->dtype;
            g.rank[g.n] = (uint8_t)rank;
            g.n++;
            g.dtype[at] = (uint8_t)kt__common_dtype(&g, at, kt__mode(), &status);
            g.n = (uint8_t)(at + 1);
        }
    }
    if (g.n && !status)
        *common = kt__common_dtype(&g, 0, kt__mode(), &status);
    return status;
}

/* ---- outer ---- */

static kt_status one_dim(const char *op, const char *name, const kt_tensor *t)
{
    return t->ndim == 1 ? KT_OK
                        : kt_fail(KT_ERR_RUNTIME, "%s: Expected 1-D argument %s, but got %d-D", op, name, t->ndim);
}

kt_status kt__body_outer(kt_call *call)
{
    kt_tensor *a = call->arg[0].t, *b = call->arg[1].t;
    if (one_dim("outer", "self", a) || one_dim("outer", "vec2", b))
        return kt_error_status();
    KT_SCOPE;
    kt_tensor *column = kt_unsqueeze(a, 1);
    kt_call    c;
    kt__open(&c, KT_OP_mul, KT_PLAIN);
    kt__put_tensor(&c, 0, column);
    kt__put_tensor(&c, 1, b);
    return column ? kt__run_as(call, &c) : kt_error_status();
}

kt_status kt__body_ger(kt_call *call)
{
    if (call->form == KT_OUT)
        kt__warn("torch.ger is deprecated and will be removed in a future PyTorch release. Use torch.outer instead.");
    return kt__body_outer(call);
}

/* ---- addr ---- */

static kt_status addr_sizes(const kt_call *call)
{
    const kt_tensor *self = call->arg[0].t, *a = call->arg[1].t, *b = call->arg[2].t;
    if (one_dim("addr", "vec1", a) || one_dim("addr", "vec2", b))
        return kt_error_status();
    if (call->form != KT_INPLACE)
        return KT_OK;
    if (self->ndim != 2)
        return kt_fail(KT_ERR_RUNTIME, "2D tensor expected, got %dD tensor for input", self->ndim);
    if (self->sizes[0] != a->sizes[0] || self->sizes[1] != b->sizes[0])
        return kt_fail(KT_ERR_RUNTIME, "size mismatch, input: [%lld, %lld], v1: [%lld], v2: [%lld]",
                       (long long)self->sizes[0], (long long)self->sizes[1], (long long)a->sizes[0],
                       (long long)b->sizes[0]);
    return KT_OK;
}

static kt_status addr_scale(const kt_call *call, kt_scalar scale, kt_dtype common)
{
    return kt_scalar_fits(scale, common) || common == KT_BOOL ? KT_OK : kt__fail_overflow(call, common);
}

static bool is(kt_scalar s, double value)
{
    return s.kind == KT_SCALAR_FLOAT || s.kind == KT_SCALAR_COMPLEX ? s.v.re == value && s.im == 0
                                                                    : (double)s.v.i == value;
}

/* A scale in the dtype of the result, as PyTorch multiplies by it. */
static kt_tensor *scaled(kt_tensor *t, kt_scalar scale)
{
    if (is(scale, 1))
        return t;
    return kt_mul(t, kt_scalar_tensor(scale, .dtype = (kt_dtype)t->dtype, .device = kt__device(t)));
}

/* Rounded to the dtype after every step. beta = 0: self is not read, so that its NaNs vanish. */
static kt_tensor *addr(kt_tensor *self, kt_tensor *column, kt_tensor *row, kt_scalar beta, kt_scalar alpha)
{
    kt_tensor *product = kt_mul(scaled(column, alpha), row);
    return is(beta, 0) ? product : kt_add(scaled(self, beta), product);
}

kt_status kt__body_addr(kt_call *call)
{
    kt_tensor *const in[3] = {call->arg[0].t, call->arg[1].t, call->arg[2].t};
    kt_scalar        beta = kt__arg_scalar(call, 3), alpha = kt__arg_scalar(call, 4);
    kt__decision     room;
    if (call->form == KT_INPLACE && kt__check_written(in[0], NULL, 0))
        return kt_error_status();
    if (addr_sizes(call))
        return kt_error_status();
    KT_SCOPE;
    kt_tensor *self = kt_expand(in[0], KT_SHAPE(in[1]->sizes[0], in[2]->sizes[0]));
    if (!self)
        return kt_error_status();
    kt_call expanded = *call; /* a 0-dim self has the say of a matrix */
    expanded.arg[0].t = self;
    const kt__decision *d = kt__resolve_in_body(&expanded, &room);
    const kt_dtype      common = d ? (kt_dtype)d->common : KT_NONE;
    if (!d || (call->form == KT_INPLACE && kt__check_out(call, common, KT_NONE)) || kt__refuse_known(call, NULL, common) ||
        addr_scale(call, beta, common) || addr_scale(call, alpha, common))
        return kt_error_status();
    self = kt__converted(self, common, (kt_reason)d->why[0]);
    kt_tensor *column = kt_unsqueeze(kt__converted(in[1], common, (kt_reason)d->why[1]), 1);
    kt_tensor *row = kt__converted(in[2], common, (kt_reason)d->why[2]);
    return kt__end(call, self && column && row ? addr(self, column, row, beta, alpha) : NULL);
}

/* ---- kron ---- */

/* Inserts a dim of size 1 after (or before) every dim, with leading ones up to `rank` dims. */
static kt_tensor *spread(kt_tensor *t, int rank, bool led)
{
    int64_t sizes[KT_MAX_DIMS];
    for (int i = 0; i < rank; i++) {
        int at = i - (rank - t->ndim);
        sizes[2 * i + led] = at < 0 ? 1 : t->sizes[at];
        sizes[2 * i + !led] = 1;
    }
    return kt_reshape(t, (kt_shape){2 * (int64_t)rank, sizes});
}

kt_status kt__body_kron(kt_call *call)
{
    kt_tensor *a = call->arg[0].t, *b = call->arg[1].t;
    int        rank = a->ndim > b->ndim ? a->ndim : b->ndim;
    int64_t    sizes[KT_MAX_DIMS];
    if (2 * rank > KT_MAX_DIMS)
        return kt_fail(KT_ERR_RUNTIME, "kron: at most %d dimensions, but got %d", KT_MAX_DIMS / 2, rank);
    for (int i = 0; i < rank; i++) {
        int x = i - (rank - a->ndim), y = i - (rank - b->ndim);
        sizes[i] = (x < 0 ? 1 : a->sizes[x]) * (y < 0 ? 1 : b->sizes[y]);
    }
    KT_SCOPE;
    const kt_shape shape = {rank, sizes};
    int64_t        strides[KT_MAX_DIMS];
    kt_tensor     *product = kt_mul(spread(a, rank, false), spread(b, rank, true));
    if (product && (call->form == KT_OUT || !kt__view_strides(kt__sizes(product), kt__strides(product), shape, strides)))
        product = kt_contiguous(product);
    return kt__end(call, kt_unsafe_view(product, shape));
}

/* ---- cross ---- */

/* The three elements turned on by one: y[i] = x[i + 1]. */
static kt_tensor *turned(kt_tensor *t, int64_t dim)
{
    if (!t)
        return NULL;
    kt_tensor *parts[2] = {kt_narrow(t, dim, 1, 2), kt_narrow(t, dim, 0, 1)};
    return parts[0] && parts[1] ? kt_cat(parts, 2, .dim = dim) : NULL;
}

kt_status kt__body_linalg_cross(kt_call *call)
{
    kt_tensor *a = call->arg[0].t, *b = call->arg[1].t;
    int64_t    given = kt__arg_int(call, 2), dim = given;
    if (a->ndim != b->ndim)
        return kt_fail(KT_ERR_RUNTIME, "linalg.cross: inputs must have the same number of dimensions.");
    if (a->ndim == 0)
        return kt_fail(KT_ERR_INDEX, "Dimension specified as %lld but tensor has no dimensions", (long long)given);
    if (kt__wrap_dim(&dim, a->ndim))
        return kt_error_status();
    if (a->sizes[dim] != 3 || b->sizes[dim] != 3)
        return kt_fail(KT_ERR_RUNTIME, "linalg.cross: inputs dimension %lld must have length 3. Got %lld and %lld",
                       (long long)given, (long long)a->sizes[dim], (long long)b->sizes[dim]);
    kt_tensor *both[2] = {a, b};
    int64_t    sizes[KT_MAX_DIMS];
    int        rank = 0;
    if (kt__broadcast(both, 2, sizes, &rank))
        return kt_error_status();
    kt__decision room;
    if (kt__check_out(call, (kt_dtype)a->dtype, KT_NONE) || !kt__resolve_in_body(call, &room))
        return kt_error_status();
    KT_SCOPE;
    kt_tensor *a1 = turned(a, dim), *a2 = turned(a1, dim), *b1 = turned(b, dim), *b2 = turned(b1, dim);
    return kt__end(call, kt_sub(kt_mul(a1, b2), kt_mul(a2, b1)));
}

kt_status kt__body_cross(kt_call *call)
{
    const kt_tensor *a = call->arg[0].t;
    kt_call          c = *call;
    c.row = &kt__rows[KT_OP_linalg_cross];
    if (!kt__given(call, 2)) {
        if (call->form == KT_PLAIN)
            KT__WARN_ONCE("Using torch.cross without specifying the dim arg is deprecated.");
        int64_t dim = 0;
        while (dim < a->ndim && a->sizes[dim] != 3)
            dim++;
        if (dim == a->ndim)
            return kt_fail(KT_ERR_RUNTIME, "no dimension of size 3 in input");
        kt__put(&c, 2, i, dim);
    }
    return kt__run_as(call, &c);
}

/* ---- several tensors ---- */

kt_status kt__body_block_diag(kt_call *call)
{
    kt_tensor *const *t = call->arg[0].ts.t;
    int64_t           n = call->arg[0].ts.n, rows = 0, columns = 0;
    kt_dtype          common = kt_get_default_dtype();
    if (list_common(t, n, &common))
        return kt_error_status();
    for (int64_t i = 0; i < n; i++)
        if (t[i]->ndim > 2)
            return kt_fail(
                KT_ERR_RUNTIME,
                "torch.block_diag: Input tensors must have 2 or fewer dimensions. Input %lld has %d dimensions",
                (long long)i, t[i]->ndim);
    KT_SCOPE;
    for (int64_t i = 0; i < n; i++) {
        rows += t[i]->ndim == 2 ? t[i]->sizes[0] : 1;
        columns += t[i]->ndim ? t[i]->sizes[t[i]->ndim - 1] : 1;
    }
    kt_tensor *out = n ? kt_zeros(KT_SHAPE(rows, columns), .dtype = common, .device = kt__device(t[0]))
                       : kt_zeros(KT_SHAPE(1, 0), .dtype = common);
    for (int64_t i = 0, row = 0, column = 0; i < n && out; i++) {
        int64_t    h = t[i]->ndim == 2 ? t[i]->sizes[0] : 1, w = t[i]->ndim ? t[i]->sizes[t[i]->ndim - 1] : 1;
        kt_tensor *place = kt_narrow(kt_narrow(out, 0, row, h), 1, column, w);
        if (!kt_copy_(place, kt__converted(t[i], common, KT_WHY_PROMOTION)))
            return kt_error_status();
        row += h;
        column += w;
    }
    return kt__end(call, out);
}

kt_status kt__body_cartesian_prod(kt_call *call)
{
    kt_tensor *const *t = call->arg[0].ts.t;
    int64_t           n = call->arg[0].ts.n, sizes[KT_MAX_DIMS], count = 1;
    kt_tensor        *columns[KT_MAX_DIMS];
    for (int64_t i = 0; i < n; i++)
        if (t[i]->ndim != 1)
            return kt_fail(KT_ERR_RUNTIME, "Expect a 1D vector, but got shape %s", KT__SIZES_TEXT(t[i]));
    if (n == 0)
        return kt_fail(KT_ERR_RUNTIME, "meshgrid expects a non-empty TensorList");
    if (n == 1)
        return kt__end(call, t[0]);
    if (n > KT_MAX_DIMS)
        return kt_fail(KT_ERR_RUNTIME, "cartesian_prod: at most %d tensors, but got %lld", KT_MAX_DIMS, (long long)n);
    if (kt__refuse(call, STAGE_AFTER))
        return kt_error_status();
    for (int64_t i = 0; i < n; i++)
        count *= sizes[i] = t[i]->sizes[0];
    KT_SCOPE;
    for (int64_t i = 0; i < n; i++) {
        int64_t own[KT_MAX_DIMS];
        for (int64_t d = 0; d < n; d++)
            own[d] = d == i ? sizes[i] : 1;
        columns[i] =
            kt_reshape(kt_expand(kt_view(t[i], (kt_shape){n, own}), ((kt_shape){n, sizes})), KT_SHAPE(count));
        if (!columns[i])
            return kt_error_status();
    }
    return kt__end(call, kt_stack(columns, n, .dim = 1));
}
