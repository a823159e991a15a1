/* weight_norm.c - a weight as a direction v and lengths g. In: calls of rows of tables/ops/norm.def. Out: tensors made of other
 * operators, or PyTorch's refusals. */
#include "ops/norm/norm.h"

enum { V, LENGTHS, DIM };

/* ---- norm_except_dim(v, pow, dim) ---- */

static kt_tensor *norm_of_slices(kt_tensor *v, int64_t p, bool last)
{
    int64_t       sizes[KT_MAX_DIMS];
    const int64_t n = last ? v->sizes[v->ndim - 1] : v->sizes[0];
    for (int i = 0; i < v->ndim; i++)
        sizes[i] = 1;
    sizes[last ? v->ndim - 1 : 0] = n;
    kt_tensor *matrix = kt_view(kt_contiguous(v), last ? KT_SHAPE(-1, n) : KT_SHAPE(n, -1));
    return kt_view(kt_norm_along(matrix, KT_INT(p), KT_SHAPE(last ? 0 : 1)), ((kt_shape){v->ndim, sizes}));
}

static kt_tensor *norm_except(const kt_call *call, kt_tensor *v, int64_t p, int64_t dim)
{
    int64_t at = dim;
    if (v->ndim == 0) {
        kt_fail(KT_ERR_INDEX, "Dimension specified as %lld but tensor has no dimensions", (long long)dim);
        return NULL;
    }
    if (kt__wrap_dim(&at, v->ndim) || kt__refuse(call, STAGE_AFTER))
        return NULL;
    if (dim == -1)
        return kt_norm_along(v, KT_INT(p), ((kt_shape){0, NULL}));
    if (dim == 0 || dim == v->ndim - 1)
        return norm_of_slices(v, p, dim != 0);
    kt_tensor *turned = kt_transpose(v, 0, dim);
    return turned ? kt_transpose(norm_of_slices(turned, p, false), 0, dim) : NULL;
}

kt_status kt__body_norm_except_dim(kt_call *call)
{
    KT_SCOPE;
    return kt__end(call, norm_except(call, call->arg[0].t, kt__arg_int(call, 1), kt__arg_int(call, 2)));
}

/* ---- (v, g, dim) ---- */

kt_status kt__body_weight_norm_interface(kt_call *call)
{
    KT_SCOPE;
    kt_tensor    *v = call->arg[V].t, *g = call->arg[LENGTHS].t;
    const int64_t dim = kt__arg_int(call, DIM);
    int64_t       beside[KT_MAX_DIMS], dims[KT_MAX_DIMS], n = 0;
    kt__decision  room;
    if (v->ndim == 0)
        return kt_fail(KT_ERR_INDEX, "Dimension specified as %lld but tensor has no dimensions", (long long)dim);
    if (dim != 0 && dim != v->ndim - 1)
        return kt_fail(KT_ERR_RUNTIME, "fused kernels can only be applied for first or last dim");
    const kt__decision *d = kt__resolve_in_body(call, &room);
    if (!d || kt__refuse_known(call, NULL, (kt_dtype)d->result) || kt__refuse(call, STAGE_AFTER) ||
        kt__one_device((kt_tensor *[]){v, g}, 2))
        return kt_error_status();
    if (g->numel != v->sizes[dim])
        return kt_fail(KT_ERR_RUNTIME, "weight_norm: g has %lld elements, but dim %lld of v has size %lld", (long long)g->numel,
                       (long long)dim, (long long)v->sizes[dim]);
    for (int i = 0; i < v->ndim; i++) {
        beside[i] = i == dim ? v->sizes[i] : 1;
        if (i != dim)
            dims[n++] = i;
    }
    const kt_dtype wide = kt__wide_dtype((kt_dtype)v->dtype);
    kt_tensor     *x = kt__converted_inside(kt_contiguous(v), wide, KT_WHY_PROMOTION);
    kt_tensor     *norms = n ? kt_linalg_vector_norm(x, .dim = ((kt_shape){n, dims}), .keepdim = true) : kt_abs(x);
    kt_tensor     *lengths = kt_reshape(kt__converted(g, (kt_dtype)v->dtype, KT_WHY_PROMOTION), ((kt_shape){v->ndim, beside}));
    kt_tensor     *scale = kt_div(kt__converted_inside(lengths, wide, KT_WHY_PROMOTION), norms);
    kt_tensor     *of[] = {kt__converted_inside(kt_mul(x, scale), (kt_dtype)v->dtype, KT_WHY_RESULT),
                           kt_reshape(norms, kt__sizes(g))};
    return of[0] && of[1] ? kt__end_several(call, of, 2) : kt_error_status();
}

kt_status kt__body_weight_norm(kt_call *call)
{
    KT_SCOPE;
    kt_tensor    *v = kt_contiguous(call->arg[V].t), *g = kt_contiguous(call->arg[LENGTHS].t);
    const int64_t dim = kt__arg_int(call, DIM);
    if (!v || !g)
        return kt_error_status();
    if (dim == 0 || dim == v->ndim - 1)
        return kt__end(call, kt_weight_norm_interface(v, g, .dim = dim).result);
    kt_tensor *norms = norm_except(call, v, 2, dim);
    return norms ? kt__end(call, kt_mul(v, kt_div(g, norms))) : kt_error_status();
}
