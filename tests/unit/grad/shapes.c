/* shapes.c - the derivatives of what joins, repeats, splits, rearranges and copies, against central differences. */
#include "support/differences.h"

F(stacked, kt_exp(kt_stack(((kt_tensor *[]){x[0], kt_mul(x[1], x[1]), x[0]}), 3, .dim = -1)))
F(side_by_side, kt_exp(kt_hstack(((kt_tensor *[]){x[0], x[1]}), 2)))
F(in_depth, kt_exp(kt_dstack(((kt_tensor *[]){x[0], x[1]}), 2)))
F(as_columns, kt_exp(kt_column_stack(((kt_tensor *[]){x[0], x[1]}), 2)))
F(with_nothing, kt_exp(kt_cat(((kt_tensor *[]){x[0], kt_empty(KT_SHAPE(0), .dtype = KT_F64), x[1]}), 3)))
F(flipped, kt_exp(kt_flip(x[0], KT_SHAPE(0, -1))))
F(rolled, kt_exp(kt_roll(x[0], KT_SHAPE(2))))
F(rolled_twice, kt_exp(kt_roll(x[0], KT_SHAPE(1, -2, 3), .dims = KT_SHAPE(0, 1, 0))))
F(turned, kt_exp(kt_rot90(x[0])))
F(turned_back, kt_exp(kt_rot90(x[0], .k = KT_SOME(-3), .dims = KT_SHAPE(2, 0))))
F(turned_round, kt_exp(kt_rot90(x[0], .k = KT_SOME(2))))
F(lower, kt_mul(kt_tril(x[0], .diagonal = -1), x[0]))
F(upper, kt_mul(kt_triu(x[0], .diagonal = 1), x[0]))
F(lower_in_place, kt_mul(kt_tril_(kt_clone(x[0])), x[0]))
F(repeated, kt_exp(kt_repeat(x[0], KT_SHAPE(2, 1, 3))))
F(tiled, kt_exp(kt_tile(x[0], KT_SHAPE(2))))
F(interleaved, kt_exp(kt_repeat_interleave_int(x[0], 2, .dim = KT_SOME(1))))
F(interleaved_flat, kt_exp(kt_repeat_interleave_int(x[0], 3)))
F(interleaved_by_counts, kt_exp(kt_repeat_interleave_tensor(x[0], kt_from((int64_t[]){2, 0, 3}, KT_SHAPE(3), KT_I64),
                                                            .dim = KT_SOME(-1))))
F(on_diagonals, kt_exp(kt_diag_embed(x[0], .offset = -1)))
F(on_other_diagonals, kt_exp(kt_diag_embed(x[0], .offset = 1, .dim1 = KT_SOME(0), .dim2 = KT_SOME(2))))
F(as_a_diagonal, kt_exp(kt_diag(x[0], .diagonal = 1)))
F(its_diagonal, kt_exp(kt_diag(x[0], .diagonal = -1)))
F(flat_diagonal, kt_exp(kt_diagflat(x[0])))
F(linalg_diagonal, kt_exp(kt_linalg_diagonal(x[0], .offset = 1)))
F(padded, kt_exp(kt_constant_pad_nd(x[0], KT_SHAPE(1, 2, 2, 0), .value = KT_FLOAT(0.5))))
F(cropped, kt_exp(kt_constant_pad_nd(x[0], KT_SHAPE(-1, 2))))
F(mirrored, kt_exp(kt_nn_pad(x[0], KT_SHAPE(2, 1), .mode = "reflect")))
F(edges, kt_exp(kt_nn_pad(x[0], KT_SHAPE(2, 1), .mode = "replicate")))
F(around, kt_exp(kt_nn_pad(x[0], KT_SHAPE(2, 1), .mode = "circular")))
F(mirrored_2d, kt_exp(kt_nn_pad(x[0], KT_SHAPE(1, 2, 0, 1), .mode = "reflect")))
F(moved, kt_exp(kt_movedim(x[0], KT_SHAPE(0, 1), KT_SHAPE(2, 0))))
F(swapped, kt_exp(kt_swapdims(x[0], 0, 2)))
F(unflattened, kt_exp(kt_unflatten(x[0], 1, KT_SHAPE(2, -1))))
F(raveled, kt_exp(kt_ravel(kt_t(x[0]))))
F(spread, kt_exp(kt_broadcast_to(x[0], KT_SHAPE(2, 2, 3))))
F(deepened, kt_exp(kt_atleast_3d(x[0])))
F(adjointed, kt_exp(kt_adjoint(x[0])))

/* ---- views, copied ---- */
F(alias_copied, kt_exp(kt_alias_copy(x[0])))
F(strided_copy, kt_exp(kt_as_strided_copy(x[0], KT_SHAPE(2, 2), KT_SHAPE(1, 2), .storage_offset = KT_SOME(1))))
F(strided_overlap_copy, kt_exp(kt_as_strided_copy(x[0], KT_SHAPE(3, 3), KT_SHAPE(1, 1))))
F(diagonal_copied, kt_exp(kt_diagonal_copy(x[0], .offset = 1)))
F(expanded_copy, kt_exp(kt_expand_copy(x[0], KT_SHAPE(2, 2, 3))))
F(permuted_copy, kt_exp(kt_permute_copy(x[0], KT_SHAPE(2, 0, -2))))
F(selected_copy, kt_exp(kt_select_copy(x[0], 1, -1)))
F(sliced_copy, kt_exp(kt_slice_copy(x[0], .dim = 1, .start = KT_SOME(1), .end = KT_SOME(4), .step = KT_SOME(2))))
F(squeezed_copy, kt_exp(kt_squeeze_copy(x[0])))
F(squeezed_dim_copy, kt_exp(kt_squeeze_dim_copy(x[0], KT_SHAPE(1))))
F(t_copied, kt_exp(kt_t_copy(x[0])))
F(transposed_copy, kt_exp(kt_transpose_copy(x[0], 0, 1)))
F(windows_copied, kt_exp(kt_unfold_copy(x[0], 0, 3, 1)))
F(unsqueezed_copy, kt_exp(kt_unsqueeze_copy(x[0], 1)))
F(viewed_copy, kt_exp(kt_view_copy(x[0], KT_SHAPE(3, -1))))
F(narrowed_copy, kt_exp(kt_narrow_copy(x[0], 1, 1, 1)))
F(complex_copies, kt_exp(kt_view_as_real_copy(kt_mul(kt_view_as_complex_copy(x[0]), kt_view_as_complex(x[0])))))

/* ---- views, written into a copy ---- */
F(select_written, kt_exp(kt_select_scatter(x[0], x[1], 0, 1)))
F(slice_written, kt_exp(kt_slice_scatter(x[0], x[1], .dim = 1, .start = KT_SOME(1), .step = KT_SOME(2))))
F(diagonal_written, kt_exp(kt_diagonal_scatter(x[0], x[1], .offset = 1)))

/* ---- parts ---- */
static kt_tensor *cut(kt_tensor **x)
{
    kt_tensor *part[3];
    return kt_tensor_split_indices(x[0], KT_SHAPE(2, 4), part, 3) == 3 ? kt_mul(part[0], kt_exp(part[1])) : NULL;
}
static kt_tensor *copied_parts(kt_tensor **x)
{
    kt_tensor *part[2];
    return kt_split_copy(x[0], 2, part, 2) == 2 ? kt_mul(part[0], kt_exp(part[1])) : NULL;
}
static kt_tensor *copied_rows(kt_tensor **x)
{
    kt_tensor *part[4];
    return kt_unbind_copy(x[0], part, 4) == 4 ? kt_mul(part[0], kt_exp(part[2])) : NULL;
}
static kt_tensor *copied_sizes(kt_tensor **x)
{
    kt_tensor *part[2];
    return kt_split_with_sizes_copy(x[0], KT_SHAPE(1, 3), part, 2) == 2 ? kt_mul(part[0], part[1]) : NULL;
}
static kt_tensor *safe_or_not(kt_tensor **x)
{
    kt_tensor *part[2];
    return kt_unsafe_chunk(x[0], 2, part, 2) == 2 ? kt_mul(kt_exp(part[0]), part[1]) : NULL;
}
static kt_tensor *grid(kt_tensor **x)
{
    kt_tensor *part[2];
    return kt_meshgrid(((kt_tensor *[]){x[0], x[1]}), 2, part, 2, .indexing = "xy") == 2 ? kt_mul(part[0], kt_exp(part[1]))
                                                                                       : NULL;
}

TEST(joined_and_rearranged)
{
    const problem problems[] = {
        TWO(stacked, KT_SHAPE(2, 3), KT_SHAPE(2, 3)),
        TWO(side_by_side, KT_SHAPE(2, 3), KT_SHAPE(2, 2)),
        TWO(in_depth, KT_SHAPE(2, 3), KT_SHAPE(2, 3)),
        TWO(as_columns, KT_SHAPE(3), KT_SHAPE(3, 2)),
        TWO(with_nothing, KT_SHAPE(2, 3), KT_SHAPE(1, 3)),
        ONE(flipped, 2, 3, 2),
        ONE(rolled, 2, 3),
        ONE(rolled_twice, 2, 3),
        ONE(turned, 2, 3),
        ONE(turned_back, 2, 3, 2),
        ONE(turned_round, 2, 3),
        ONE(lower, 3, 4),
        ONE(upper, 2, 3, 3),
        ONE(lower_in_place, 3, 4),
        ONE(repeated, 2, 3),
        ONE(tiled, 2, 3),
        ONE(interleaved, 2, 3),
        ONE(interleaved_flat, 2, 3),
        ONE(interleaved_by_counts, 2, 3),
        ONE(on_diagonals, 2, 3),
        ONE(on_other_diagonals, 2, 3),
        ONE(as_a_diagonal, 3),
        ONE(its_diagonal, 3, 4),
        ONE(flat_diagonal, 2, 2),
        ONE(linalg_diagonal, 2, 3, 3),
        ONE(padded, 2, 3),
        ONE(cropped, 2, 3),
        ONE(mirrored, 2, 4),
        ONE(edges, 2, 4),
        ONE(around, 2, 4),
        ONE(mirrored_2d, 2, 2, 3),
        ONE(moved, 2, 3, 2),
        ONE(swapped, 2, 3, 2),
        ONE(unflattened, 2, 4),
        ONE(raveled, 2, 3),
        ONE(spread, 2, 3),
        ONE(deepened, 2, 3),
        ONE(adjointed, 2, 3, 2),
    };
    for (size_t i = 0; i < sizeof problems / sizeof *problems; i++)
        check(&problems[i]);
}

TEST(copied_and_written)
{
    const problem problems[] = {
        ONE(alias_copied, 2, 3),
        ONE(strided_copy, 3, 2),
        ONE(strided_overlap_copy, 6),
        ONE(diagonal_copied, 3, 4),
        ONE(expanded_copy, 2, 3),
        ONE(permuted_copy, 2, 3, 2),
        ONE(selected_copy, 2, 3),
        ONE(sliced_copy, 2, 5),
        ONE(squeezed_copy, 2, 1, 3),
        ONE(squeezed_dim_copy, 2, 1, 3),
        ONE(t_copied, 2, 3),
        ONE(transposed_copy, 2, 3, 2),
        ONE(windows_copied, 5),
        ONE(unsqueezed_copy, 2, 3),
        ONE(viewed_copy, 2, 3),
        ONE(narrowed_copy, 2, 3),
        ONE(complex_copies, 3, 2),
        TWO(select_written, KT_SHAPE(2, 3), KT_SHAPE(3)),
        TWO(slice_written, KT_SHAPE(2, 5), KT_SHAPE(2, 2)),
        TWO(diagonal_written, KT_SHAPE(3, 4), KT_SHAPE(3)),
        ONE(cut, 5, 2),
        ONE(copied_parts, 4, 2),
        ONE(copied_rows, 4, 2),
        ONE(copied_sizes, 4, 2),
        ONE(safe_or_not, 4, 2),
        TWO(grid, KT_SHAPE(2), KT_SHAPE(3)),
    };
    for (size_t i = 0; i < sizeof problems / sizeof *problems; i++)
        check(&problems[i]);
}
