/* formulas_view.c - the derivatives of casts, copies and views; a view's copy has the view's. */
#include "grad/formula.h"
#include "op/move.h"

/* ---- casts and copies: the engine casts back ---- */
GRAD(same)       { dA = G; }
GRAD(copy)       { dA = kt_zeros_like(G); dB = G; }
GRAD(fill)       { dA = kt_zeros_like(G); dB = kt_sum(G); }

/* ---- views ---- */
GRAD(transpose)  { dA = kt_transpose(G, arg(c, 1)->i, arg(c, 2)->i); }
GRAD(t)          { dA = kt_t(G); }
GRAD(permute)
{
    kt_shape dims = arg(c, 1)->ints;
    int64_t  back[KT_MAX_DIMS];
    for (int64_t i = 0; i < dims.n; i++)
        back[dims.d[i] < 0 ? dims.d[i] + dims.n : dims.d[i]] = i;
    dA = kt_permute(G, (kt_shape){dims.n, back});
}
GRAD(reshaped)   { dA = kt_reshape(G, in_sizes(c, 0)); }
GRAD(conj_lazy)  { dA = conjugate(G); }
GRAD(view_as_real)    { dA = kt_view_as_complex(kt_contiguous(G)); }
GRAD(view_as_complex) { dA = kt_view_as_real(kt_resolve_conj(G)); }

kt_tensor *kt__seen_alike(kt__back *c, kt_tensor *t, int skip)
{
    const kt_node *n = c->node;
    const int      behind = kt__view_behind(n->row->id);
    const kt_row  *row = behind < 0 ? n->row : &kt__rows[behind];
    kt_call        look;
    if (!t)
        return NULL;
    kt__open(&look, row->id, KT_PLAIN);
    kt__put_tensor(&look, 0, t);
    for (int i = 1; i < kt__n_args(row); i++)
        if (n->given >> (i + skip) & 1) {
            look.arg[i] = *arg(c, i + skip);
            look.given |= 1u << i;
        }
    if (kt_call_run(&look))
        return NULL;
    if (kt__scope_add(look.out[0])) {
        kt__unref(look.out[0]);
        return NULL;
    }
    return look.out[0];
}

/* Zeros, written with g through the view; where it shows an element twice, both add up. */
GRAD(through)
{
    kt_tensor *zeros = kt_zeros(in_sizes(c, 0), .dtype = (kt_dtype)c->node->edge[0].dtype, .device = kt_device_of(G));
    kt_tensor *part = kt__seen_alike(c, zeros, 0);
    if (!part)
        return;
    if (kt__overlaps_itself(part)) /* one index of the last dim at a time: each element collects from every place that shows it */
        for (int64_t i = 0, last = part->ndim - 1; i < part->sizes[last] && !kt__failed(); i++)
            kt_add_(kt_select(part, last, i), kt_select(G, last, i));
    else
        kt_copy_(part, G);
    dA = zeros;
}

/* ---- views made together, and what joins ---- */

/* A place for the gradient of the whole: zeros, unless every part will be written. */
static kt_tensor *whole(const kt__back *c)
{
    bool all = true;
    for (uint32_t i = 0; i < c->node->n_results; i++)
        all &= c->gs[i] != NULL;
    kt_dtype  dtype = (kt_dtype)c->node->edge[0].dtype;
    kt_device device = kt_device_of(any_grad(c));
    return all ? kt_empty(in_sizes(c, 0), .dtype = dtype, .device = device)
               : kt_zeros(in_sizes(c, 0), .dtype = dtype, .device = device);
}

static int64_t wrapped(int64_t dim, int64_t rank) { return dim < 0 ? dim + rank : dim; }

GRAD(split)
{
    kt_tensor *all = whole(c);
    int64_t    dim = wrapped(arg(c, 2)->i, in_sizes(c, 0).n), start = 0;
    for (uint32_t i = 0; i < c->node->n_results && !kt__failed(); i++) {
        int64_t length = c->node->results[i].sizes[dim];
        if (c->gs[i])
            kt_copy_(kt_narrow(all, dim, start, length), c->gs[i]);
        start += length;
    }
    dA = all;
}

GRAD(unbind)
{
    kt_tensor *all = whole(c);
    for (uint32_t i = 0; i < c->node->n_results && !kt__failed(); i++)
        if (c->gs[i])
            kt_copy_(kt_select(all, arg(c, 1)->i, i), c->gs[i]);
    dA = all;
}

GRAD(cat)
{
    int64_t dim = wrapped(arg(c, 1)->i, G->ndim), start = 0;
    for (int64_t i = 0; i < c->n && !kt__failed(); i++) {
        kt_shape sizes = in_sizes(c, i);
        int64_t  length = sizes.n == G->ndim ? sizes.d[dim] : 0; /* a 1-D tensor of no elements may stand anywhere */
        if (need(c, i))
            c->d[i] = sizes.n == G->ndim ? kt_narrow(G, dim, start, length) : kt_reshape(kt_narrow(G, dim, 0, 0), sizes);
        start += length;
    }
}

const kt__formula_row kt__formulas_view[] = {
    F(copy), F(fill), F(transpose), F(t), F(permute), F(conj_lazy), F(view_as_real), F(view_as_complex),
    AS(to_copy, same), AS(clone, same), AS(alias, same), AS(expand, same), AS(view, reshaped), AS(unsafe_view, reshaped),
    AS(squeeze, reshaped),
    AS(squeeze_dim, reshaped), AS(unsqueeze, reshaped), AS(select, through), AS(slice, through),
    F(split), F(unbind), F(cat), AS(split_sizes, split), AS(chunk, split),
    AS(unsafe_split, split), AS(unsafe_split_with_sizes, split), AS(unsafe_chunk, split),
    AS(diagonal, through), AS(unfold, through), AS(as_strided, through),
    AS(alias_copy, same), AS(expand_copy, same), AS(view_copy, reshaped), AS(squeeze_copy, reshaped),
    AS(squeeze_dim_copy, reshaped), AS(unsqueeze_copy, reshaped), AS(transpose_copy, transpose), AS(t_copy, t),
    AS(permute_copy, permute), AS(select_copy, through), AS(slice_copy, through), AS(diagonal_copy, through),
    AS(unfold_copy, through), AS(as_strided_copy, through), AS(view_as_real_copy, view_as_real),
    AS(view_as_complex_copy, view_as_complex),
    KT__NO_MORE_FORMULAS,
};
