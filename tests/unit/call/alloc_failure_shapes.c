/* alloc_failure_shapes.c - the same sweep over what joins, repeats, splits, rearranges and copies, and over its gradients. */
#define KT_SITES
#include "support/sweep.h"

static kt_tensor *cube(void) { return kt_reshape(big(), KT_SHAPE(3, 4, 5)); }
static kt_tensor *row(void) { return kt_arange(KT_INT(0), KT_INT(30), .dtype = KT_F32); }
static kt_tensor *counts(void) { return kt_full(KT_SHAPE(6), KT_INT(3)); }

/* ---- made ---- */
STEP(joined)
{
    kt_tensor *m = matrix(), *list[3] = {m, kt_to(m, .dtype = KT_F64), kt_mul_s(m, KT_INT(2))};
    kt_cat(list, 3);
    kt_cat(list, 3, .dim = -1);
    kt_cat_out(kt_empty(KT_SHAPE(0), .dtype = KT_F64), list, 3);
    kt_stack(list, 3, .dim = 1);
    kt_stack_out(kt_empty(KT_SHAPE(0), .dtype = KT_F64), list, 3);
    kt_hstack(list, 3);
    kt_vstack(list, 3);
    kt_dstack(list, 3);
    kt_column_stack(list, 3);
}
STEP(turned)
{
    kt_tensor *m = matrix();
    kt_flip(m, KT_SHAPE(0, 1));
    kt_fliplr(m);
    kt_flipud(m);
    kt_roll(m, KT_SHAPE(7));
    kt_roll(m, KT_SHAPE(1, -2), .dims = KT_SHAPE(0, 1));
    for (int64_t k = 0; k < 4; k++)
        kt_rot90(m, .k = KT_SOME(k));
}
STEP(repeated)
{
    kt_tensor *m = matrix();
    kt_repeat(m, KT_SHAPE(2, 3, 1));
    kt_tile(m, KT_SHAPE(2));
    kt_repeat_interleave(counts());
    kt_repeat_interleave_tensor(m, counts(), .dim = KT_SOME(0));
    kt_repeat_interleave_int(m, 3);
    kt_repeat_interleave_int(m, 2, .dim = KT_SOME(1));
}
STEP(triangles)
{
    kt_tensor *m = matrix(), *c = cube();
    kt_tril(m);
    kt_triu(kt_t(m), .diagonal = 1);
    kt_tril_(c);
    kt_triu_out(kt_empty(KT_SHAPE(0)), m);
    kt_tril_indices(9, 9);
    kt_triu_indices(9, 9, .offset = 2);
}
STEP(diagonals)
{
    kt_tensor *m = matrix();
    kt_diag(m);
    kt_diag(row());
    kt_diag_embed(m, .offset = 1);
    kt_diagflat(m);
    kt_linalg_diagonal(m);
}
STEP(padded)
{
    kt_tensor *c = cube();
    kt_constant_pad_nd(c, KT_SHAPE(1, 2, 0, -1), .value = KT_INT(4));
    kt_nn_pad(c, KT_SHAPE(1, 2));
    kt_nn_pad(c, KT_SHAPE(1, 2), .mode = "reflect");
    kt_nn_pad(c, KT_SHAPE(1, 2, 3, 1), .mode = "replicate");
    kt_nn_pad(c, KT_SHAPE(1, 2), .mode = "circular");
}
STEP(scans)
{
    kt_tensor *m = matrix(), *into = kt_empty(KT_SHAPE(0), .dtype = KT_F64);
    kt_cumsum(m, 0);
    kt_cumsum_out(into, m, 1);
    kt_cumprod_(kt_clone(m), 0);
    kt_cummax(m, 1);
    kt_logcumsumexp(m, 1);
    kt_diff(m, .n = KT_SOME(2), .append = m);
    kt_cumulative_trapezoid_x(m, m);
    kt_vander(row(), .N = KT_SOME(3));
    kt_combinations(kt_narrow(row(), 0, 0, 6), .r = KT_SOME(3));
    kt_complex(m, m);
    kt_polar(m, m);
    kt_frexp(m);
}
STEP(orders)
{
    kt_tensor *m = matrix();
    kt_sort(m);
    kt_argsort(m, .dim = KT_SOME(0));
    kt_msort(m);
    kt_topk(m, 2);
    kt_kthvalue(m, 2);
    kt_median(m);
    kt_mode(m);
}
STEP(collections)
{
    kt_tensor *x = kt_remainder_s(kt_arange(KT_INT(0), KT_INT(60)), KT_INT(7)), *m = kt_reshape(x, KT_SHAPE(30, 2));
    kt_unique(x, .return_inverse = true, .return_counts = true);
    kt_unique_dim(m, 0, .return_inverse = true);
    kt_unique_consecutive(kt_t(m), .return_counts = true, .dim = KT_SOME(1));
    kt_isin(x, kt_arange(KT_INT(3), KT_INT(50)), .assume_unique = true);
    kt_isin_number(m, KT_FLOAT(2), .invert = true);
    kt_searchsorted(kt_sort(x).values, kt_t(m), .sorter = kt_argsort(x));
    kt_bucketize_number(KT_INT(2), x);
}
STEP(counted)
{
    kt_tensor *x = kt_remainder_s(kt_arange(KT_INT(0), KT_INT(60)), KT_INT(7)), *f = kt_to(x, .dtype = KT_F32);
    kt_bincount(x, .weights = kt_to(f, .dtype = KT_F16));
    kt_histc(f, .bins = KT_SOME(40));
    kt_histogram(f, .bins = KT_SOME(40), .weight = f, .density = true);
    kt_histogram_edges_out(kt_empty(KT_SHAPE(0)), kt_empty(KT_SHAPE(0)), f, kt_sort(f).values);
    kt_quantile(kt_reshape(f, KT_SHAPE(30, 2)), kt_rand(KT_SHAPE(20)), .dim = KT_SOME(0));
    kt_nanquantile_number(f, 0.3);
}
STEP(reduced_into)
{
    kt_tensor *x = leaf(), *i = kt_remainder_s(kt_arange(KT_INT(0), KT_INT(5)), KT_INT(3)), *part[2];
    kt_tensor *at = kt_expand(i, KT_SHAPE(5, 5));
    backward_of(kt_scatter_reduce(x, 0, at, x, "prod"));
    backward_of(kt_scatter_reduce(x, 0, at, x, "mean", .include_self = KT_SOME(false)));
    backward_of(kt_index_reduce(x, 0, i, x, "amax"));
    backward_of(kt_cdist(x, kt_mul_s(x, KT_INT(2)), .p = KT_SOME(3)));
    backward_of(kt_renorm(x, KT_INT(2), 0, KT_FLOAT(0.1)));
    kt_unravel_index(i, KT_SHAPE(2, 2), part, 2);
    kt_range(KT_INT(0), KT_INT(90));
    kt_isreal(x);
}
STEP(grids)
{
    kt_tensor *list[2] = {row(), kt_select(matrix(), 0, 0)}, *results[2];
    kt_meshgrid(list, 2, results, 2, .indexing = "ij");
    kt_meshgrid(list, 2, results, 2, .indexing = "xy");
}
STEP(parts)
{
    kt_tensor *m = matrix(), *c = cube(), *part[16];
    kt_tensor_split(m, 4, part, 16);
    kt_tensor_split_indices(m, KT_SHAPE(1, 4), part, 16, .dim = 1);
    kt_tensor_split_tensor(m, kt_from((int64_t[]){1, 4}, KT_SHAPE(2), KT_I64), part, 16);
    kt_hsplit(m, 2, part, 16);
    kt_vsplit_indices(m, KT_SHAPE(1, 3), part, 16);
    kt_dsplit(c, 5, part, 16);
    kt_unsafe_split(m, 2, part, 16);
    kt_unsafe_chunk(m, 2, part, 16);
    kt_unsafe_split_with_sizes(m, KT_SHAPE(2, 4), part, 16);
    kt_split_with_sizes(m, KT_SHAPE(2, 4), part, 16);
    kt_unbind_copy(m, part, 16);
    kt_split_copy(m, 2, part, 16);
    kt_split_with_sizes_copy(m, KT_SHAPE(2, 4), part, 16);
    part[0] = m;
    part[1] = kt_sum(m);
    kt_atleast_1d_list(part, 2, part, 16);
    kt_atleast_2d_list(part, 2, part, 16);
    kt_atleast_3d_list(part, 2, part, 16);
}
STEP(other_views)
{
    kt_tensor *m = matrix(), *c = cube();
    kt_movedim(c, KT_SHAPE(0, 1), KT_SHAPE(2, 0));
    kt_moveaxis(c, KT_SHAPE(0), KT_SHAPE(-1));
    kt_swapdims(c, 0, 2);
    kt_swapaxes(c, 0, 1);
    kt_unflatten(m, 1, KT_SHAPE(2, -1));
    kt_ravel(kt_t(m));
    kt_view_as(m, big());
    kt_reshape_as(kt_t(m), big());
    kt_broadcast_to(m, KT_SHAPE(3, 6, 10));
    kt_atleast_1d(kt_sum(m));
    kt_atleast_2d(kt_sum(m));
    kt_atleast_3d(m);
    kt_adjoint(m);
}
STEP(view_copies)
{
    kt_tensor *m = matrix(), *z = kt_full(KT_SHAPE(20), KT_COMPLEX(1, 2)), *out = kt_empty(KT_SHAPE(0));
    kt_alias_copy(m);
    kt_as_strided_copy(m, KT_SHAPE(9, 9), KT_SHAPE(1, 2));
    kt_detach_copy(m);
    kt_diagonal_copy(kt_t(m));
    kt_expand_copy(m, KT_SHAPE(2, 6, 10));
    kt_permute_copy(m, KT_SHAPE(1, 0));
    kt_select_copy(m, 0, 1);
    kt_slice_copy(m, .start = KT_SOME(2));
    kt_squeeze_copy(kt_unsqueeze(m, 0));
    kt_squeeze_dim_copy(kt_unsqueeze(m, 0), KT_SHAPE(0));
    kt_t_copy(m);
    kt_transpose_copy(m, 0, 1);
    kt_unfold_copy(m, 0, 2, 1);
    kt_unsqueeze_copy(m, 0);
    kt_view_copy(m, KT_SHAPE(60));
    kt_view_dtype_copy(m, KT_I32);
    kt_narrow_copy(m, 1, 2, 3);
    kt_view_as_real_copy(z);
    kt_view_as_complex_copy(kt_view_as_real(z));
    kt_select_copy_out(out, m, 0, 1);
}
STEP(scatters)
{
    kt_tensor *m = matrix(), *r = kt_select(matrix(), 0, 0);
    kt_select_scatter(m, r, 0, 1);
    kt_slice_scatter(m, kt_narrow(m, 0, 0, 2), .start = KT_SOME(3), .end = KT_SOME(5));
    kt_diagonal_scatter(m, kt_narrow(r, 0, 0, 6));
    kt_as_strided_scatter(m, kt_narrow(r, 0, 0, 6), KT_SHAPE(6), KT_SHAPE(3));
}
STEP(resized)
{
    kt_tensor *t = kt_clone(kt_sum(big())), *deep_one = deep();
    kt_resize_(t, KT_SHAPE(100));
    kt_resize_(t, KT_SHAPE(1, 1, 5, 2, 1, 2, 1, 2));
    kt_resize_(t, KT_SHAPE(3));
    kt_resize_as_(kt_empty(KT_SHAPE(0)), deep_one);
}
STEP(becomes)
{
    kt_tensor *t = kt_clone(matrix());
    kt_t_(t);
    kt_transpose_(t, 0, 1);
    kt_squeeze_(kt_unsqueeze_(t, 0));
    kt_fill_diagonal_(t, KT_INT(1));
}

/* ---- refused ---- */
STEP(refused_joints) { kt_cat(((kt_tensor *[]){matrix(), cube()}), 2); }
STEP(refused_sizes) { kt_stack(((kt_tensor *[]){matrix(), kt_t(matrix())}), 2); }
STEP(refused_pads) { kt_nn_pad(cube(), KT_SHAPE(9, 9), .mode = "reflect"); }
STEP(refused_counts) { kt_repeat_interleave_tensor(matrix(), kt_neg(counts()), .dim = KT_SOME(0)); }
STEP(refused_roll) { kt_roll(matrix(), KT_SHAPE(1, 2)); }

/* ---- gradients ---- */
STEP(grad_joined)
{
    kt_tensor *x = leaf();
    backward_of(kt_cat(((kt_tensor *[]){x, kt_mul(x, x)}), 2, .dim = 1));
    backward_of(kt_exp(kt_stack(((kt_tensor *[]){x, x, kt_mul(x, x)}), 3, .dim = -1)));
}
STEP(grad_turned)
{
    kt_tensor *x = leaf();
    backward_of(kt_add(kt_flip(x, KT_SHAPE(0)), kt_mul(kt_roll(x, KT_SHAPE(1), .dims = KT_SHAPE(1)), kt_rot90(x))));
    backward_of(kt_mul(kt_tril(x), kt_triu(x, .diagonal = 1)));
}
STEP(grad_repeated)
{
    kt_tensor *x = leaf();
    backward_of(kt_repeat(x, KT_SHAPE(2, 1, 2)));
    backward_of(kt_repeat_interleave_int(x, 3, .dim = KT_SOME(0)));
    backward_of(kt_diag_embed(x));
}
STEP(grad_padded)
{
    kt_tensor *x = kt_unsqueeze(leaf(), 0);
    backward_of(kt_nn_pad(x, KT_SHAPE(1, 1)));
    backward_of(kt_nn_pad(x, KT_SHAPE(1, 2), .mode = "reflect"));
    backward_of(kt_nn_pad(x, KT_SHAPE(1, 2, 2, 1), .mode = "replicate"));
    backward_of(kt_nn_pad(x, KT_SHAPE(1, 2), .mode = "circular"));
}
STEP(grad_copied)
{
    kt_tensor *x = leaf(), *r = kt_select(x, 0, 1);
    backward_of(kt_add(kt_select_copy(x, 0, 1), kt_diagonal_copy(x)));
    backward_of(kt_unfold_copy(x, 0, 2, 1));
    backward_of(kt_as_strided_copy(x, KT_SHAPE(3, 3), KT_SHAPE(1, 1)));
    backward_of(kt_select_scatter(x, r, 0, 2));
    backward_of(kt_slice_scatter(x, kt_unsqueeze(r, 0), .start = KT_SOME(3), .end = KT_SOME(4)));
    backward_of(kt_diagonal_scatter(x, r));
    backward_of(kt_as_strided_scatter(x, r, KT_SHAPE(5), KT_SHAPE(2)));
}
STEP(grad_parts)
{
    kt_tensor *x = leaf(), *part[8];
    if (kt_tensor_split(x, 2, part, 8) == 2)
        backward_of(kt_mul(part[0], part[0]));
    if (kt_split_copy(x, 2, part, 8) == 3)
        backward_of(kt_mul(part[0], part[1]));
    backward_of(kt_unflatten(kt_movedim(x, KT_SHAPE(0), KT_SHAPE(1)), 0, KT_SHAPE(5, 1)));
}
STEP(softmaxes)
{
    kt_tensor *m = matrix(), *wide = kt_softmax(m, 0, .dtype = KT_F64);
    kt_log_softmax_out(kt_empty(KT_SHAPE(0)), m, 1);
    kt_nn_softmin(m);
    kt_nn_log_softmax(m, .dim = KT_SOME(0));
    kt_special_softmax(m, 0);
    kt_special_log_softmax(wide, 0);
    kt_nn_softmax(m, .dtype = KT_BF16);
}
STEP(distances)
{
    kt_tensor *m = matrix(), *wide = kt_to(m, .dtype = KT_F64);
    kt_nn_mse_loss(m, wide, .reduction = "none");
    kt_nn_huber_loss(m, wide);
    kt_nn_smooth_l1_loss(m, kt_select(wide, 0, 0));
    kt_nn_mse_loss(m, m, .weight = m);
    kt_nn_huber_loss(m, m, .weight = m, .reduction = "sum");
}
STEP(entropies)
{
    kt_tensor *m = kt_reshape(kt_full(KT_SHAPE(30), KT_FLOAT(0.5)), KT_SHAPE(5, 6)), *y = kt_zeros(KT_SHAPE(5), .dtype = KT_I64);
    kt_tensor *w = kt_ones(KT_SHAPE(6));
    kt_nn_cross_entropy(m, y, .weight = w, .label_smoothing = 0.1);
    kt_nn_cross_entropy(m, m);
    kt_nn_nll_loss(kt_reshape(m, KT_SHAPE(1, 6, 5)), kt_zeros(KT_SHAPE(1, 5), .dtype = KT_I64), .reduction = "none");
    kt_nn_binary_cross_entropy(m, m, .weight = w);
    kt_nn_binary_cross_entropy_with_logits(m, m, .weight = w, .pos_weight = w);
    kt_nn_kl_div(m, m, .reduction = "batchmean");
}
STEP(refused_entropies)
{
    kt_nn_cross_entropy(matrix(), kt_full(KT_SHAPE(matrix() ? kt_size(matrix(), 0) : 1), KT_INT(99)));
}
STEP(grad_entropies)
{
    kt_tensor *x = leaf(), *y = kt_zeros(KT_SHAPE(x ? kt_size(x, 0) : 1), .dtype = KT_I64);
    backward_of(kt_nn_cross_entropy(x, y));
    backward_of(kt_nn_binary_cross_entropy_with_logits(x, kt_zeros_like(x), .pos_weight = kt_ones_like(x)));
    backward_of(kt_nn_binary_cross_entropy(kt_sigmoid(x), kt_zeros_like(x)));
}
STEP(grad_distances)
{
    kt_tensor *x = leaf();
    backward_of(kt_nn_mse_loss(x, kt_zeros_like(x)));
    backward_of(kt_nn_smooth_l1_loss(kt_zeros_like(x), x, .reduction = "none"));
    backward_of(kt_nn_huber_loss(x, kt_select(x, 0, 0)));
}
STEP(grad_softmaxes)
{
    kt_tensor *x = leaf();
    backward_of(kt_mul(kt_softmax(x, 0, .dtype = KT_F64), x));
    backward_of(kt_mul(kt_log_softmax(x, 1), x));
}

#define ALL(X)                                                                                                         \
    X(joined) X(turned) X(repeated) X(triangles) X(diagonals) X(padded) X(scans) X(orders) X(collections) X(counted) \
    X(reduced_into) X(grids) X(parts)                                                                                  \
    X(other_views)                                                                                                     \
    X(view_copies) X(scatters) X(resized) X(becomes) X(refused_joints) X(refused_sizes) X(refused_pads) \
    X(refused_counts)                                                                                                  \
    X(refused_roll) X(grad_joined) X(grad_turned) X(grad_repeated) X(grad_padded) X(grad_copied) X(grad_parts)           \
    X(softmaxes) X(grad_softmaxes) X(distances) X(grad_distances)             \
    X(entropies) X(refused_entropies) X(grad_entropies)
ALL(SWEEP)

TEST(all_of_it)
{
    printf("  %d programs, %d allocations made to fail\n", sweeps, failures_made);
    CHECK(failures_made > 500);
}
