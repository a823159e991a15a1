/* norms.c - norms made of reductions: matrix norms, norms by name, dist. In: calls of BODY rows.
 * Out: results, or PyTorch's refusals. It knows no kernel: linalg_vector_norm and linalg_svdvals do
 * the work. */
#include <math.h>
#include <string.h>

#include "call/made.h"
#include "call/refuse.h"
#include "dtype/dtype.h"

/* ---- arguments: self, ord, dim, keepdim, dtype, in this order in every row here ---- */
enum { ORD = 1, DIM, KEEPDIM, DTYPE };

static kt_tensor *vector_norm(const kt_call *call, kt_tensor *t, double order, kt_shape dims)
{
    return kt_linalg_vector_norm(t, .ord = KT_FLOAT(order), .dim = dims, .keepdim = kt__arg_bool(call, KEEPDIM),
                                 .dtype = kt__arg_dtype(call, DTYPE));
}

static double real_of(kt_scalar s) { return s.kind == KT_SCALAR_FLOAT ? s.v.re : (double)s.v.i; }

/* ---- matrix norms ---- */

static kt_status has_matrices(const kt_tensor *t)
{
    return t->ndim >= 2 ? KT_OK
                        : kt_fail(KT_ERR_RUNTIME, "linalg.matrix_norm: The input tensor A must have at least 2 dimensions.");
}

static kt_status check_matrix(const kt_call *call, const kt_tensor *t, kt_shape dims, int64_t *dim)
{
    if (kt__refuse(call, STAGE_BEFORE) || kt__refuse_case(call, 0))
        return kt_error_status();
    if (dims.n != 2) {
        char   got[256] = "";
        size_t end = 0;
        for (int64_t i = 0; i < dims.n && end < sizeof got; i++)
            end += (size_t)snprintf(got + end, sizeof got - end, i ? " %lld" : "%lld", (long long)dims.d[i]);
        return kt_fail(KT_ERR_RUNTIME, "linalg.matrix_norm: dim must be a 2-tuple. Got %s", got);
    }
    for (int i = 0; i < 2; i++) {
        dim[i] = dims.d[i];
        if (kt__wrap_dim(&dim[i], t->ndim))
            return kt_error_status();
    }
    if (dim[0] == dim[1])
        return kt_fail(KT_ERR_RUNTIME, "linalg.matrix_norm: dims must be different. Got (%lld, %lld)", (long long)dims.d[0],
                       (long long)dims.d[1]);
    kt__decision room;
    return kt__refuse(call, STAGE_AFTER) || !kt__resolve_in_body(call, &room) ? kt_error_status() : KT_OK;
}

/* Singular values of the matrices in two dims, as the last dim. */
static kt_tensor *values_of(const kt_call *call, kt_tensor *t, const int64_t *dim)
{
    const kt_dtype dtype = kt__arg_dtype(call, DTYPE);
    if (dtype)
        t = kt__converted_inside(t, dtype, KT_WHY_EXPLICIT);
    return kt_linalg_svdvals(kt_movedim(t, KT_SHAPE(dim[0], dim[1]), KT_SHAPE(-2, -1)));
}

/* What was made of the last dim, which is one of the two and stands there still; both stand again where they were. */
static kt_tensor *kept(const kt_call *call, kt_tensor *t, const int64_t *dim)
{
    if (!kt__arg_bool(call, KEEPDIM))
        return t;
    return kt_movedim(kt_unsqueeze(t, -1), KT_SHAPE(-2, -1), KT_SHAPE(dim[0], dim[1]));
}

/* The largest or smallest sum of absolute values among the columns (1) or the rows (infinity). */
static kt_tensor *extreme_sum(const kt_call *call, kt_tensor *t, double order, const int64_t *dim)
{
    bool    rows = isinf(order), keep = kt__arg_bool(call, KEEPDIM);
    int64_t along = dim[rows], across = dim[!rows];
    if (t->sizes[across] == 0 && order > 0) /* of an empty matrix a 0 without a gradient, as in PyTorch */
        return kt_zeros_like(vector_norm(call, t, 1.0, KT_SHAPE(along, across)));
    kt_tensor *sums = vector_norm(call, t, 1.0, KT_SHAPE(along));
    across -= !keep && across > along;
    return order > 0 ? kt_amax(sums, .dim = KT_SHAPE(across), .keepdim = keep)
                     : kt_amin(sums, .dim = KT_SHAPE(across), .keepdim = keep);
}

static kt_tensor *matrix_norm(const kt_call *call, kt_tensor *t, kt_scalar ord, kt_shape dims)
{
    int64_t dim[2];
    if (ord.kind == KT_SCALAR_COMPLEX)
        kt_fail(KT_ERR_RUNTIME, "linalg.matrix_norm: Expected a non-complex scalar as the order of norm.");
    if (kt__failed())
        return NULL;
    double order = real_of(ord), size = fabs(order);
    char   text[32];
    snprintf(text, sizeof text, "%g", order);
    if (size != 1.0 && size != 2.0 && !isinf(size))
        kt_fail(KT_ERR_RUNTIME, "linalg.matrix_norm: Order %s not supported.", text);
    if (kt__failed() || has_matrices(t) || check_matrix(call, t, dims, dim))
        return NULL;
    if (size != 2.0)
        return extreme_sum(call, t, order, dim);
    const bool keep = kt__arg_bool(call, KEEPDIM);
    kt_tensor *values = values_of(call, t, dim);
    if (values && values->sizes[values->ndim - 1] == 0 && order > 0)
        values = kt_zeros_like(kt_sum_dim(values, KT_SHAPE(-1), .keepdim = keep));
    else
        values = order > 0 ? kt_amax(values, .dim = KT_SHAPE(-1), .keepdim = keep)
                           : kt_amin(values, .dim = KT_SHAPE(-1), .keepdim = keep);
    return kept(call, values, dim);
}

static kt_tensor *matrix_norm_named(const kt_call *call, kt_tensor *t, const char *name, kt_shape dims)
{
    int64_t dim[2];
    bool    nuclear = strcmp(name, "nuc") == 0;
    if (!nuclear && strcmp(name, "fro") != 0)
        kt_fail(KT_ERR_RUNTIME, "linalg.matrix_norm: Order %s not supported.", name);
    if (kt__failed() || has_matrices(t) || check_matrix(call, t, dims, dim))
        return NULL;
    if (nuclear)
        return kept(call, kt_sum_dim(values_of(call, t, dim), KT_SHAPE(-1), .keepdim = kt__arg_bool(call, KEEPDIM)), dim);
    return vector_norm(call, t, 2.0, KT_SHAPE(dim[0], dim[1]));
}

kt_status kt__body_linalg_matrix_norm(kt_call *call)
{
    KT_SCOPE;
    return kt__end(call, matrix_norm(call, call->arg[0].t, call->arg[ORD].s, kt__arg_ints(call, DIM)));
}

kt_status kt__body_linalg_matrix_norm_str(kt_call *call)
{
    KT_SCOPE;
    return kt__end(call, matrix_norm_named(call, call->arg[0].t, kt__arg(call, ORD)->str, kt__arg_ints(call, DIM)));
}

/* The matrix norm of another row's arguments. */
static kt_tensor *as_matrix(const kt_call *call, int op, kt_shape dims)
{
    kt_call c;
    kt__open(&c, op, KT_PLAIN);
    c.arg[0] = call->arg[0];
    c.arg[ORD] = call->arg[ORD];
    kt__put(&c, DIM, ints, dims);
    kt__put(&c, KEEPDIM, b, kt__arg_bool(call, KEEPDIM));
    kt__put(&c, DTYPE, dtype, kt__arg_dtype(call, DTYPE));
    c.given |= 1u << 0 | 1u << ORD;
    return kt_call_run(&c) ? NULL : kt__scoped(c.out[0]);
}

/* ---- linalg.norm: which norm it is depends on the dims ---- */

static kt_status check_norm_dims(const kt_call *call, bool ordered)
{
    int rank = call->arg[0].t->ndim;
    if (kt__given(call, DIM) && call->arg[DIM].ints.n != 1 && call->arg[DIM].ints.n != 2) {
        return kt_fail(KT_ERR_RUNTIME, "linalg.norm: If dim is specified, it must be of length 1 or 2. Got %s",
                       KT__SHAPE_TEXT(call->arg[DIM].ints));
    }
    return kt__given(call, DIM) || !ordered || rank == 1 || rank == 2
               ? KT_OK
               : kt_fail(KT_ERR_RUNTIME,
                         "linalg.norm: If dim is not specified but ord is, the input must be 1D or 2D. Got %dD.", rank);
}

kt_status kt__body_linalg_norm(kt_call *call)
{
    KT_SCOPE;
    kt_tensor *self = call->arg[0].t;
    kt_scalar  ord = kt__arg_scalar(call, ORD);
    bool       chosen = kt__given(call, DIM);
    kt_shape   dims = chosen ? call->arg[DIM].ints : KT_SCALAR;
    if (check_norm_dims(call, ord.kind))
        return kt_error_status();
    if (!ord.kind)
        return kt__end(call, vector_norm(call, self, 2.0, dims));
    if (chosen ? dims.n == 2 : self->ndim == 2)
        return kt__end(call, as_matrix(call, KT_OP_linalg_matrix_norm, chosen ? dims : KT_SHAPE(0, 1)));
    return kt__end(call, kt_linalg_vector_norm(self, .ord = ord, .dim = dims, .keepdim = kt__arg_bool(call, KEEPDIM),
                                               .dtype = kt__arg_dtype(call, DTYPE)));
}

kt_status kt__body_linalg_norm_str(kt_call *call)
{
    KT_SCOPE;
    kt_shape dims = kt__given(call, DIM) ? call->arg[DIM].ints : KT_SHAPE(-2, -1);
    if (check_norm_dims(call, true))
        return kt_error_status();
    return kt__end(call, as_matrix(call, KT_OP_linalg_matrix_norm_str, dims));
}

/* ---- the older names ---- */

kt_status kt__body_norm_str(kt_call *call)
{
    KT_SCOPE;
    kt_shape dims = kt__given(call, DIM) ? call->arg[DIM].ints : KT_SCALAR;
    if (strcmp(call->arg[ORD].str, "fro") == 0 && dims.n <= 2)
        return kt__end(call, vector_norm(call, call->arg[0].t, 2.0, dims));
    return kt__end(call, as_matrix(call, KT_OP_linalg_matrix_norm_str, dims.n ? dims : KT_SHAPE(-2, -1)));
}

kt_status kt__body_frobenius_norm(kt_call *call)
{
    KT_SCOPE;
    return kt__end(call, kt_linalg_vector_norm(call->arg[0].t, .dim = call->arg[1].ints, .keepdim = kt__arg_bool(call, 2)));
}

kt_status kt__body_dist(kt_call *call)
{
    KT_SCOPE;
    kt_tensor *apart = kt_sub(call->arg[0].t, call->arg[1].t);
    if (!apart || kt__refuse_known(call, NULL, (kt_dtype)apart->dtype))
        return kt_error_status();
    return kt__end(call, kt_linalg_vector_norm(apart, .ord = kt__arg_scalar(call, 2)));
}
