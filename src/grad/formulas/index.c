/* index.c - derivatives of indexing by index tensors and masks: gradients of elements read are added back at their
 * indices, overwritten elements get 0. */
#include "grad/formula.h"
#include "ops/index/bags.h"
#include "ways/index.h"

/* Zeros with the sizes of input 0, and room for the examples of what was saved: an index may have some that G lacks. */
static kt_tensor *zeros(const kt_back *c)
{
    kt_tensor *t = kt_new_zeros(G, in_sizes(c, 0));
    for (uint32_t i = 0, n = kt__n_saved(c->node); i < n; i++)
        if (kt__is_saved(c->node, i) && kt__saved_at(c->node, i)->kind != SAVED_PACKED)
            t = room_for(t, kt__saved_at(c->node, i)->t);
    return t;
}

/* Zeros that an operator adds to: in place, where it is not recorded, since nobody else has them. */
#define ADDED_BY(op, ...) (c->create_graph ? kt_##op(zeros(c), __VA_ARGS__) : kt_##op##_(zeros(c), __VA_ARGS__))

/* ---- lists of index tensors, with holes ---- */
static kt_tensor *const *listed(const kt_back *c, kt_tensor **room, int64_t n)
{
    for (int64_t i = 0; i < n; i++) {
        room[i] = L(i);
        if (room[i] && kt_dtype_of(room[i]) == KT_U8) /* a uint8 mask: its warning was given */
            room[i] = kt_ne_s(room[i], KT_INT(0));
    }
    return room;
}

GRAD(index)
{
    kt_tensor *room[KT_MAX_DIMS];
    int64_t    n = c->n_inputs - 1;
    dA = ADDED_BY(index_put, listed(c, room, n), n, G, .accumulate = true);
}

GRAD(index_put)
{
    kt_tensor        *room[KT_MAX_DIMS];
    int64_t           n = c->n_inputs - 2;
    kt_tensor *const *indices = listed(c, room, n);
    if (need(c, 0) && arg(c, 3)->b)
        c->d[0] = G;
    else if (need(c, 0))
        c->d[0] = kt_index_put(G, indices, n, kt_zeros(KT_SCALAR, .dtype = kt_dtype_of(G), .device = kt_device_of(G)));
    if (need(c, n + 1))
        c->d[n + 1] = kt_index(G, indices, n);
}

GRAD(take) { dA = kt_put(kt_zeros_like(A, .dtype = kt_dtype_of(G)), B, G, .accumulate = true); }
GRAD(put)
{
    kt_tensor *index = B;
    if (need(c, 0))
        c->d[0] = arg(c, 3)->b ? G : kt_put(G, index, kt_zeros_like(index, .dtype = kt_dtype_of(G)));
    if (need(c, 2))
        c->d[2] = kt_reshape(kt_take(G, index), in_sizes(c, 2));
}

/* ---- along one dim ---- */
#define DIM (arg(c, 1)->i)

GRAD(gather) { dA = ADDED_BY(scatter_add, DIM, B, G); }

/* Elements of src outside the index were not used; a 0-dim src counts as one element. */
static kt_tensor *with_unused(const kt_back *c, kt_tensor *g)
{
    kt_shape   in = in_sizes(c, 2);
    if (g && g->numel == 1 && g->ndim != in.n)
        g = kt_reshape(g, in.n ? KT_SHAPE(1) : in);
    bool       whole = g && g->ndim == in.n;
    for (int64_t d = 0; whole && d < in.n; d++)
        whole = g->sizes[d] == in.d[d];
    if (whole || !g)
        return g;
    kt_tensor *all = room_for(kt_zeros(in, .dtype = kt_dtype_of(G), .device = kt_device_of(G)), g), *part = all;
    for (int d = 0; part && g->numel && d < g->ndim; d++)
        part = kt_narrow(part, d, 0, g->sizes[d]);
    if (g->numel && part)
        kt_copy_(part, g);
    return as_new(all);
}
static kt_tensor *gathered_back(const kt_back *c, int64_t dim, kt_tensor *index)
{
    return with_unused(c, kt_gather(G, dim, index));
}
GRAD(scatter)
{
    kt_tensor *index = B;
    dA = kt_scatter_value(G, DIM, index, KT_INT(0));
    dC = gathered_back(c, DIM, index);
}
GRAD(scatter_value) { dA = kt_scatter_value(G, DIM, B, KT_INT(0)); }
GRAD(scatter_add)
{
    dA = G;
    dC = gathered_back(c, DIM, B);
}
GRAD(index_select) { dA = ADDED_BY(index_add, DIM, B, G); }
GRAD(index_add)
{
    dA = G;
    if (!need(c, 2))
        return;
    kt_tensor *g = kt_index_select(G, DIM, B);
    c->d[2] = given(c, 4) ? kt_mul_s(g, factor(c, 4)) : g;
}
GRAD(index_copy)
{
    kt_tensor *index = B;
    dA = kt_index_fill(G, DIM, index, KT_INT(0));
    if (need(c, 2))
        c->d[2] = kt_index_select(G, DIM, index);
}
GRAD(index_fill) { dA = kt_index_fill(G, DIM, B, KT_INT(0)); }
GRAD(index_fill_tensor)
{
    kt_tensor *index = B;
    dA = kt_index_fill(G, DIM, index, KT_INT(0));
    if (!need(c, 2))
        return;
    /* An element that occurs twice in the index is filled once. */
    kt_tensor *kept = kt_index_fill(kt_ones_like(G, .dtype = KT_BOOL), DIM, index, KT_INT(0));
    c->d[2] = kt_sum(kt_masked_fill(G, kept, KT_INT(0)));
}

/* ---- reductions along one dim ---- */

typedef struct reduction {
    kt_tensor  *x, *y, *index, *from; /* self, the result, the index and values of each element used */
    const char *how;
    bool        own; /* the elements of self take part */
} reduction;

static kt_tensor *as(kt_tensor *truth, const kt_tensor *like)
{
    return kt__converted_inside(truth, kt_dtype_of(like), KT_WHY_GRADIENT);
}

static kt_tensor *or_one(kt_tensor *t, kt_tensor *where) { return kt_masked_fill(t, where, KT_INT(1)); }

/* The derivative of a zero factor is the product of the others, nonzero if it is the only zero. */
static void of_product(const kt_back *c, const reduction *r)
{
    if (need(c, 0)) {
        kt_tensor *filled = or_one(r->x, kt_eq_s(r->x, KT_INT(0)));
        kt_tensor *all = kt_scatter_reduce(filled, DIM, r->index, r->from, r->how, .include_self = KT_SOME(r->own));
        c->d[0] = kt_div(kt_mul(G, conjugate(all)), conjugate(filled));
    }
    if (!need(c, 2))
        return;
    kt_tensor *zero = kt_eq_s(r->from, KT_INT(0)), *none = kt_zeros_like(r->x);
    kt_tensor *zeros_there = kt_gather(kt_scatter_add(none, DIM, r->index, as(zero, r->x)), DIM, r->index);
    kt_tensor *only = kt_logical_and(zero, kt_eq_s(zeros_there, KT_INT(1)));
    kt_tensor *others =
        kt_scatter_reduce(r->x, DIM, r->index, or_one(r->from, only), r->how, .include_self = KT_SOME(r->own));
    kt_tensor *usual = kt_div(kt_gather(kt_mul(G, conjugate(r->y)), DIM, r->index), conjugate(or_one(r->from, zero)));
    c->d[2] = kt_where(only, kt_gather(kt_mul(G, conjugate(others)), DIM, r->index), usual);
}

/* Splits the gradient among the elements equal to the result, or among all that were averaged. */
static void in_shares(const kt_back *c, const reduction *r, bool mean)
{
    kt_tensor *mine = mean ? (r->own ? kt_ones_like(r->x) : kt_zeros_like(r->x)) : as(kt_eq(r->x, r->y), r->x);
    kt_tensor *theirs = mean ? kt_ones_like(r->from) : as(kt_eq(r->from, kt_gather(r->y, DIM, r->index)), r->x);
    kt_tensor *n = kt_scatter_add(mine, DIM, r->index, theirs);
    kt_tensor *share = mean ? kt_div(G, or_one(n, kt_eq_s(n, KT_INT(0)))) : kt_div(G, n); /* a NaN equals no element: 0 / 0 */
    dA = mean ? share : kt_mul(share, mine);
    if (need(c, 2))
        c->d[2] = kt_mul(kt_gather(share, DIM, r->index), theirs);
}

static void of_reduction(const kt_back *c, kt_tensor *index, kt_tensor *from)
{
    reduction r = {.x = A, .y = Y, .index = index, .from = from, .how = arg(c, 4)->str, .own = arg(c, 5)->b};
    if (kt__failed())
        return;
    if (r.how[0] == 's') {
        dA = G;
        dC = kt_gather(G, DIM, index);
    } else if (r.how[0] == 'p') {
        of_product(c, &r);
    } else {
        in_shares(c, &r, r.how[0] == 'm');
    }
    if (need(c, 0) && !r.own)
        c->d[0] = kt_scatter_value(c->d[0], DIM, index, KT_INT(0));
}

GRAD(scatter_reduce)
{
    kt_tensor *index = B, *from = C;
    if (index && index->numel == 0) { /* of any number of dims */
        dA = arg(c, 4)->str[0] == 's' ? G : kt_clone(G, .memory_format = KT_CONTIGUOUS_FORMAT);
        const bool none = from && !from->numel && c->create_graph; /* it still depends on G */
        dC = none ? kt_reshape(kt_narrow(kt_flatten(G), 0, 0, 0), kt_sizes(from)) : kt_zeros_like(from);
        return;
    }
    for (int d = 0; index && from && d < index->ndim && from->ndim; d++)
        from = kt_narrow(from, d, 0, index->sizes[d]);
    of_reduction(c, index, from);
    if (need(c, 2) && c->d[2])
        c->d[2] = with_unused(c, c->d[2]);
}
GRAD(index_reduce)
{
    kt_tensor *index = B, *from = C;
    int64_t    sizes[KT_MAX_DIMS], dim = DIM;
    if (kt__failed() || kt__wrap_dim(&dim, from->ndim))
        return;
    for (int d = 0; d < from->ndim; d++)
        sizes[d] = d == dim ? index->numel : 1;
    of_reduction(c, kt_expand(kt_reshape(index, ((kt_shape){from->ndim, sizes})), kt_sizes(from)), from);
}

/* ---- masks ---- */
GRAD(masked_fill) { dA = kt_masked_fill(G, B, KT_INT(0)); }
GRAD(masked_fill_tensor)
{
    kt_tensor *mask = B;
    dA = kt_masked_fill(G, mask, KT_INT(0));
    dC = kt_sum(kt_where(mask, G, kt_zeros(KT_SHAPE(1), .dtype = kt_dtype_of(G), .device = kt_device_of(G))));
}
/* Zeros with the broadcast size of self and mask; the engine sums out the broadcast dims. */
GRAD(masked_select)
{
    kt_tensor *mask = B, *whole = kt_zeros_like(A, .dtype = kt_dtype_of(G));
    if (mask && whole && !kt__same_sizes(mask, whole)) {
        whole = kt_where(mask, whole, whole);
        dA = kt_masked_scatter(whole, mask, G);
    } else {
        dA = as_new(kt_masked_scatter_(room_for(room_for(whole, mask), G), mask, G));
    }
}
/* The elements at the mask, in their order, then zeros: `total` in all. Which they are differs by example: each goes where its
 * count is, the others to one place more. */
static kt_tensor *used_by_example(kt_tensor *g, kt_tensor *mask, int64_t total)
{
    kt_tensor *on = kt_reshape(kt_expand(mask, kt__sizes(g)), KT_SHAPE(-1));
    kt_tensor *to = kt_masked_fill(kt_sub_s(kt_cumsum(on, 0), KT_INT(1)), kt_logical_not(on), KT_INT(total));
    kt_tensor *none = g ? kt_zeros(KT_SHAPE(total + 1), .dtype = kt_dtype_of(g), .device = kt_device_of(g)) : NULL;
    return kt_narrow(kt_scatter(none, 0, to, kt_reshape(g, KT_SHAPE(-1))), 0, 0, total);
}

GRAD(masked_scatter)
{
    kt_tensor *mask = B;
    dA = kt_masked_fill(G, mask, KT_INT(0));
    if (!need(c, 2))
        return;
    kt_shape in = in_sizes(c, 2);
    int64_t  total = 1;
    for (int64_t d = 0; d < in.n; d++)
        total *= in.d[d];
    if (KT__UNLIKELY((G->flags | mask->flags) & KT_T_BATCHED)) {
        c->d[2] = kt_reshape(used_by_example(G, mask, total), in);
        return;
    }
    kt_tensor *used = kt_masked_select(G, mask);
    kt_tensor *all = used ? kt_zeros(KT_SHAPE(total), .dtype = kt_dtype_of(G), .device = kt_device_of(G)) : NULL;
    if (all)
        kt_copy_(kt_narrow(all, 0, 0, used->numel), used);
    c->d[2] = kt_reshape(as_new(all), in);
}

/* ---- tables of rows ---- */
/* How often each index is there, at each of them; what is not kept does not count. */
static kt_tensor *frequencies(kt_tensor *index, kt_tensor *kept, int64_t rows, kt_dtype dtype)
{
    kt_tensor *one = kt__converted_inside(kept, dtype, KT_WHY_GRADIENT);
    kt_tensor *none = one ? kt_zeros(KT_SHAPE(rows), .dtype = dtype, .device = kt_device_of(one)) : NULL;
    return kt_clamp_min_s(kt_index_select(kt_index_add(none, 0, index, one), 0, index), KT_INT(1));
}

/* Bags: weight, indices, the weights of each index; results: rows, bag of each index, indices of each bag, largest. */
GRAD(embedding_bag_of)
{
    kt_tensor     *weight = A, *indices = B, *bag = Z, *count = RESULT(2);
    const int64_t  mode = arg(c, 5)->i, padding = arg(c, 7)->i;
    const kt_dtype dtype = kt_dtype_of(G);
    if (!weight || !indices || !bag || !count)
        return;
    const int64_t rows = weight->sizes[0], bags = count->numel;
    kt_tensor    *none = need(c, 0) ? kt_zeros(in_sizes(c, 0), .dtype = dtype, .device = kt_device_of(G)) : NULL;
    if (mode == BAG_MAX) {
        dA = kt_scatter_add(none, 0, RESULT(3), kt_masked_fill(G, kt_unsqueeze(kt_eq_s(count, KT_INT(0)), 1), KT_INT(0)));
        return;
    }
    if (!bags || !indices->numel) {
        dA = none;
        dC = kt_zeros(in_sizes(c, 2), .dtype = dtype, .device = kt_device_of(G));
        return;
    }
    indices = kt__as_index(indices);
    kt_tensor *kept = kt__bag_kept(indices, bag, bags, padding), *at = kt_clamp_max_s(bag, KT_INT(bags - 1));
    kt_tensor *left = kt_logical_not(kept), *each = kt_masked_fill(kt_index_select(G, 0, at), kt_unsqueeze(left, 1), KT_INT(0));
    if (mode == BAG_MEAN)
        each = kt_true_divide(each, kt_unsqueeze(kt_clamp_min_s(kt_index_select(count, 0, at), KT_INT(1)), 1));
    if (given(c, 2)) /* what is left out may be infinite */
        dC = kt_masked_fill(kt_sum_dim(kt_mul(each, kt_index_select(weight, 0, indices)), KT_SHAPE(1)), left, KT_INT(0));
    if (!need(c, 0))
        return;
    if (given(c, 2))
        each = kt_masked_fill(kt_mul(each, kt_unsqueeze(C, 1)), kt_unsqueeze(left, 1), KT_INT(0));
    if (arg(c, 4)->b)
        each = kt_true_divide(each, kt_unsqueeze(frequencies(indices, kept, rows, dtype), 1));
    dA = kt_index_add(none, 0, indices, each);
}

GRAD(embedding)
{
    kt_shape   in = in_sizes(c, 0);
    kt_tensor *indices = B, *row = indices ? kt_reshape(indices, KT_SHAPE(indices->numel)) : NULL;
    kt_tensor *g = row ? kt_reshape(G, KT_SHAPE(row->numel, in.d[1])) : NULL;
    if (g && arg(c, 3)->b) { /* each row is divided by its frequency */
        kt_tensor *ones = kt_ones(KT_SHAPE(row->numel), .dtype = kt_dtype_of(G), .device = kt_device_of(G));
        kt_tensor *none = kt_zeros(KT_SHAPE(in.d[0]), .dtype = kt_dtype_of(G), .device = kt_device_of(G));
        kt_tensor *often = kt_index_select(kt_index_add(none, 0, row, ones), 0, row);
        g = kt_div(g, kt_unsqueeze(often, 1));
    }
    kt_tensor *all = ADDED_BY(index_add, 0, row, g);
    if (arg(c, 2)->i >= 0)
        all = kt_index_fill_(all, 0, kt_full(KT_SHAPE(1), KT_INT(arg(c, 2)->i), .device = kt_device_of(G)), KT_INT(0));
    dA = all;
}
GRAD_MISSING(embedding_renorm)
