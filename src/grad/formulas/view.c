/* view.c - derivatives of views. */
#include "call/move.h"
#include "grad/formula.h"

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
GRAD(squeeze)    { dA = G->ndim == in_sizes(c, 0).n ? G : kt_reshape(G, in_sizes(c, 0)); } /* no dim was removed: G itself */
GRAD(conj_lazy)  { dA = conjugate(G); }
GRAD(view_as_real)
{
    /* The strides of an empty gradient may not allow pairs, whatever its layout. */
    dA = kt_view_as_complex(G->numel ? kt_contiguous(G) : kt_clone(G, .memory_format = KT_CONTIGUOUS_FORMAT));
}
GRAD(view_as_complex) { dA = kt_view_as_real(kt_resolve_conj(G)); }

kt_tensor *kt__seen_alike(const kt_back *c, kt_tensor *t, int skip)
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

/* Zeros with g written through the same view; if the view contains an element twice, both are summed. */
GRAD(through)
{
    kt_tensor *zeros = kt_zeros(in_sizes(c, 0), .dtype = in_dtype(c, 0, G), .device = kt_device_of(G));
    zeros = room_for(zeros, G);
    kt_tensor *part = kt__seen_alike(c, zeros, 0);
    if (!part)
        return;
    if (kt__overlaps_itself(part)) /* one index of the last dim at a time, so that every occurrence of an element is added */
        for (int64_t i = 0, last = part->ndim - 1; i < part->sizes[last] && !kt__failed(); i++)
            kt_add_(kt_select(part, last, i), kt_select(G, last, i));
    else
        kt_copy_(part, G);
    dA = as_new(zeros);
}

/* ---- as_strided: may reach memory outside its input, and depends on the input's strides ---- */

typedef struct placed { /* sizes, strides and offset in a flat buffer */
    kt_shape       sizes;
    const int64_t *strides;
    int64_t        offset;
} placed;

static int64_t end_of(const placed *p) /* one past its last element; its offset if empty */
{
    int64_t last = p->offset;
    for (int64_t i = 0; i < p->sizes.n; i++) {
        if (!p->sizes.d[i])
            return p->offset;
        last += (p->sizes.d[i] - 1) * p->strides[i];
    }
    return last + 1;
}

static kt_tensor *part_of(kt_tensor *flat, const placed *p, int64_t origin)
{
    const kt_shape strides = {p->sizes.n, p->strides};
    return kt_as_strided(flat, p->sizes, strides, .storage_offset = KT_SOME(p->offset - origin));
}

/* Adds values to the buffer through the geometry: an element that occurs several times gets the sum. */
static void add_through(kt_tensor *flat, kt_tensor *values, const placed *p, int64_t origin)
{
    kt_tensor *part = part_of(flat, p, origin);
    if (!part)
        return;
    if (!kt__overlaps_itself(part)) {
        kt_add_(part, values);
        return;
    }
    kt_tensor *places = kt_arange(KT_INT(0), KT_INT(flat->numel), .dtype = KT_I64, .device = kt_device_of(flat));
    kt_index_add_(flat, 0, kt_reshape(part_of(places, p, origin), KT_SHAPE(-1)), kt_reshape(values, KT_SHAPE(-1)));
}

GRAD(as_strided)
{
    const kt__edge *e = &c->node->edge[0];
    const placed    in = {in_sizes(c, 0), kt__edge_strides(e), kt__edge_offset(e)};
    const placed    out = {kt__sizes(G), arg(c, 2)->ints.d, given(c, 3) ? arg(c, 3)->i : in.offset};
    const int64_t   first = in.offset < out.offset ? in.offset : out.offset;
    const int64_t   end_in = end_of(&in), end_out = end_of(&out), end = end_in > end_out ? end_in : end_out;
    kt_tensor      *flat = room_for(kt_zeros(KT_SHAPE(end - first), .dtype = in_dtype(c, 0, G), .device = kt_device_of(G)), G);
    add_through(flat, G, &out, first);
    kt_tensor *back = part_of(as_new(flat), &in, first);
    if (back && kt__overlaps_itself(back)) { /* elements that share memory share the gradient */
        kt_tensor *count = kt_zeros(KT_SHAPE(end - first), .dtype = in_dtype(c, 0, G), .device = kt_device_of(G));
        add_through(count, kt_ones(in.sizes, .dtype = in_dtype(c, 0, G), .device = kt_device_of(G)), &in, first);
        back = kt_div(back, part_of(count, &in, first));
    }
    dA = back;
}

/* ---- rows that share another's derivative ---- */
GRAD_AS(select, through)
GRAD_AS(slice, through)
GRAD_AS(unfold, through)
GRAD_AS(diagonal, through)
GRAD_AS(expand, same)
GRAD_AS(alias, same)
GRAD_AS(view, reshaped)
GRAD_AS(reshape_alias, reshaped)
GRAD_AS(unsafe_view, reshaped)
GRAD_AS(unsafe_squeeze, reshaped)
GRAD_AS(unsqueeze, reshaped)
GRAD_AS(squeeze_dim, squeeze)
GRAD_AS(neg_view, neg)
