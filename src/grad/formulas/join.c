/* join.c - derivatives of joining, repeating and rearranging: each gradient is rearranged back. */
#include "call/move.h"
#include "grad/formula.h"

/* ---- rearranged ---- */
GRAD(flip)       { dA = kt_flip(G, arg(c, 1)->ints); }
GRAD(rot90)      { dA = kt_rot90(G, .k = KT_SOME(-arg(c, 1)->i), .dims = arg(c, 2)->ints); }
GRAD(roll)
{
    kt_shape shifts = arg(c, 1)->ints, dims = arg(c, 2)->ints;
    int64_t  back[KT_MAX_DIMS] = {0}, each[KT_MAX_DIMS];
    if (dims.n == 0) {
        dA = kt_roll(G, KT_SHAPE(-shifts.d[0]));
        return;
    }
    for (int64_t i = 0; i < dims.n; i++) /* a dim may be named more than once */
        back[dims.d[i] < 0 ? dims.d[i] + G->ndim : dims.d[i]] -= shifts.d[i];
    for (int i = 0; i < G->ndim; i++)
        each[i] = i;
    dA = kt_roll(G, ((kt_shape){G->ndim, back}), .dims = ((kt_shape){G->ndim, each}));
}
GRAD(tril)       { dA = kt_tril(G, .diagonal = arg(c, 1)->i); }
GRAD(triu)       { dA = kt_triu(G, .diagonal = arg(c, 1)->i); }
GRAD(diag_embed) { dA = kt_diagonal(G, .offset = arg(c, 1)->i, .dim1 = arg(c, 2)->i, .dim2 = KT_SOME(arg(c, 3)->i)); }
GRAD(constant_pad_nd)
{
    kt_shape pad = arg(c, 1)->ints;
    int64_t  back[2 * KT_MAX_DIMS];
    for (int64_t i = 0; i < pad.n; i++)
        back[i] = -pad.d[i];
    dA = kt_constant_pad_nd(G, ((kt_shape){pad.n, back}));
}

/* ---- repetition: the gradients of all copies are summed ---- */
GRAD(repeat)
{
    kt_shape repeats = arg(c, 1)->ints, in = in_sizes(c, 0);
    int64_t  sizes[2 * KT_MAX_DIMS], dims[KT_MAX_DIMS], lead = repeats.n - in.n;
    int      n = 0, folded = 0;
    for (int64_t i = 0; i < repeats.n && n + 2 <= KT_MAX_DIMS; i++) {
        if (repeats.d[i] != 1 || i < lead) {
            dims[folded++] = n;
            sizes[n++] = repeats.d[i];
        }
        if (i >= lead)
            sizes[n++] = in.d[i - lead];
    }
    if (G && !G->numel) { /* nothing arrived */
        dA = kt_zeros(in, .dtype = kt_dtype_of(G), .device = kt_device_of(G));
        return;
    }
    dA = folded ? kt_sum_dim(kt_reshape(G, ((kt_shape){n, sizes})), ((kt_shape){folded, dims})) : G;
}
GRAD(interleave)
{
    if (!need(c, 0)) /* only the counts require grad: they have none */
        return;
    kt_shape   in = in_sizes(c, 0);
    kt_tensor *repeats = B, *back = kt_zeros(in, .dtype = kt_dtype_of(G), .device = kt_device_of(G));
    back = room_for(back, G);
    int64_t    dim = arg(c, 2)->i, start = 0, *count = repeats && back ? kt__read_ints(repeats) : NULL;
    for (int64_t i = 0; count && i < in.d[dim] && !kt__failed(); start += count[i++])
        if (count[i])
            kt_copy_(kt_narrow(back, dim, i, 1),
                     kt_sum_dim(kt_narrow(G, dim, start, count[i]), KT_SHAPE(dim), .keepdim = true));
    kt__free_ints(count, repeats);
    dA = as_new(back);
}

/* ---- joined ---- */
GRAD(stack)
{
    for (int64_t i = 0; i < c->n_inputs; i++)
        if (need(c, i))
            c->d[i] = kt_select(G, arg(c, 1)->i, i);
}

/* ---- *_scatter: a view written into a copy ---- */
GRAD(view_scatter)
{
    dB = kt__seen_alike(c, G, 1);
    if (!need(c, 0))
        return;
    kt_tensor *left = kt_clone(G), *part = kt__seen_alike(c, left, 1);
    if (part)
        kt_zero_(part);
    dA = as_new(left);
}

/* Exactly PyTorch's: overwritten elements keep their gradient and the rest gets none. */
GRAD(as_strided_scatter)
{
    kt_tensor *dense = kt_contiguous(G), *g = kt__seen_alike(c, dense, 1); /* G may be an expanded number */
    kt_tensor *left = kt_zeros_like(dense), *part = kt__seen_alike(c, left, 1);
    if (g && part)
        kt_copy_(part, g);
    dA = as_new(left);
    dB = g;
}

/* ---- split, unbind and joins ---- */

/* Memory for the gradient of the input: zeros, unless every part will be written. */
static kt_tensor *input_gradient(const kt_back *c)
{
    bool all = true;
    for (uint32_t i = 0; i < c->node->n_results; i++)
        all &= c->grads[i] != NULL;
    kt_dtype  dtype = in_dtype(c, 0, any_grad(c));
    kt_device device = kt_device_of(any_grad(c));
    kt_tensor *memory = all ? kt_empty(in_sizes(c, 0), .dtype = dtype, .device = device)
                            : kt_zeros(in_sizes(c, 0), .dtype = dtype, .device = device);
    for (uint32_t i = 0; i < c->node->n_results; i++)
        memory = room_for(memory, c->grads[i]);
    return memory;
}

static int64_t wrapped(int64_t dim, int64_t rank) { return dim < 0 ? dim + rank : dim; }

/* The layout in which PyTorch joins the gradients of parts, where all have it; a part without one is made row-major. */
static kt_memory_format format_of_parts(const kt_back *c)
{
    kt_memory_format format = KT_CONTIGUOUS_FORMAT;
    for (uint32_t i = 0; i < c->node->n_results; i++) {
        const kt_memory_format own = c->grads[i] ? kt__suggested_format(c->grads[i]) : KT_CONTIGUOUS_FORMAT;
        if (own == KT_CONTIGUOUS_FORMAT || (i && own != format))
            return KT_CONTIGUOUS_FORMAT;
        format = own;
    }
    return format;
}

GRAD(split)
{
    const kt_memory_format format = format_of_parts(c);
    kt_tensor *all = input_gradient(c);
    if (format != KT_CONTIGUOUS_FORMAT && all)
        all = kt_clone(all, .memory_format = format);
    int64_t    dim = wrapped(arg(c, 2)->i, in_sizes(c, 0).n), start = 0;
    for (uint32_t i = 0; i < c->node->n_results && !kt__failed(); i++) {
        int64_t length = c->node->results[i].sizes[dim];
        if (c->grads[i])
            kt_copy_(kt_narrow(all, dim, start, length), c->grads[i]);
        start += length;
    }
    dA = as_new(all);
}

GRAD(unbind)
{
    kt_tensor *all = input_gradient(c);
    for (uint32_t i = 0; i < c->node->n_results && !kt__failed(); i++)
        if (c->grads[i])
            kt_copy_(kt_select(all, arg(c, 1)->i, i), c->grads[i]);
    dA = as_new(all);
}

GRAD(cat)
{
    int64_t dim = wrapped(arg(c, 1)->i, G->ndim), start = 0;
    if (dim < 0 || dim >= G->ndim) /* of empty 1-D tensors alone any dim is taken */
        dim = 0;
    for (int64_t i = 0; i < c->n_inputs && !kt__failed(); i++) {
        kt_shape sizes = in_sizes(c, i);
        int64_t  length = sizes.n == G->ndim ? sizes.d[dim] : 0; /* cat accepts empty 1-D tensors anywhere */
        if (need(c, i))
            c->d[i] = sizes.n == G->ndim ? kt_narrow(G, dim, start, length) : kt_reshape(kt_narrow(G, dim, 0, 0), sizes);
        start += length;
    }
}

/* ---- rows that share another's derivative ---- */
GRAD_AS(split_sizes, split)
GRAD_AS(unsafe_split, split)
GRAD_AS(unsafe_split_with_sizes, split)
GRAD_AS(split_copy, split)
GRAD_AS(split_with_sizes_copy, split)
GRAD_AS(unbind_copy, unbind)
GRAD_AS(alias_copy, same)
GRAD_AS(expand_copy, same)
GRAD_AS(as_strided_copy, as_strided)
GRAD_AS(diagonal_copy, through)
GRAD_AS(select_copy, through)
GRAD_AS(slice_copy, through)
GRAD_AS(unfold_copy, through)
GRAD_AS(permute_copy, permute)
GRAD_AS(squeeze_copy, squeeze)
GRAD_AS(squeeze_dim_copy, squeeze)
GRAD_AS(t_copy, t)
GRAD_AS(transpose_copy, transpose)
GRAD_AS(unsqueeze_copy, reshaped)
GRAD_AS(view_copy, reshaped)
GRAD_AS(view_as_real_copy, view_as_real)
GRAD_AS(view_as_complex_copy, view_as_complex)
GRAD_AS(select_scatter, view_scatter)
GRAD_AS(slice_scatter, view_scatter)
GRAD_AS(diagonal_scatter, view_scatter)

/* ---- channels and pixels ---- */
GRAD(pixel_shuffle)   { dA = kt_pixel_unshuffle(G, arg(c, 1)->i); }
GRAD(pixel_unshuffle) { dA = kt_pixel_shuffle(G, arg(c, 1)->i); }
GRAD(channel_shuffle) { dA = kt_channel_shuffle(G, in_sizes(c, 0).d[1] ? in_sizes(c, 0).d[1] / arg(c, 1)->i : 1); }
GRAD_MISSING(native_channel_shuffle)
