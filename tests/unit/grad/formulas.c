/* formulas.c - every derivative against central differences in float64.
 *
 * In: the operator table (each elementwise row that records a node and has a formula) and hand-made programs for the
 * others: sums, products, views, casts, in-place writes. Joining and shaping: shapes.c. */
#include "harness.h"

#include <karat/karat.h>

#include "call/row.h"
#include "grad/grad.h"
#include "support/by_name.h"
#include "support/differences.h"

/* ---- the rows of the table ---- */
static const kt_row *row_now;
static kt_form       form_now;

static kt_tensor *call_row(kt_tensor **in)
{
    kt_tensor *first = form_now == KT_INPLACE ? kt_clone(in[0]) : in[0]; /* a leaf may not be written to */
    return by_row(row_now, form_now, NULL, row_now->operands.n == 1 ? "t" : "tt", first, in[1]);
}

/* "NotImplemented" has none, and some rows have a name that PyTorch has no derivative for. */
static bool is_derived(const kt_row *row)
{
    return row->grad && strcmp(row->name, "nextafter") != 0 && strcmp(row->name, "standard_gamma_grad") != 0;
}
/* zeta has a derivative by its second operand alone (tests/python/test_special.py). */
static bool is_half_derived(const kt_row *row) { return strcmp(row->name, "special_zeta") == 0; }

TEST(every_elementwise_row)
{
    int with = 0, without = 0;
    for (int i = 0; (row_now = kt_row_at(i)); i++) {
        const int operands = row_now->operands.n;
        if (!row_now->way->broadcasts || !row_now->node || operands > 2 || is_half_derived(row_now))
            continue;
        if (!is_derived(row_now)) {
            without++;
            continue;
        }
        const bool     acosh = strcmp(row_now->name, "acosh") == 0;
        const kt_shape full = KT_SHAPE(2, 3), row = KT_SHAPE(3), wide = KT_SHAPE(4, 1, 3);
        problem        p = {row_now->name, call_row, operands, {full, full}, acosh ? 1.2 : 0, acosh ? 3 : 0};
        const kt_form first = row_now->rule == RULE_COMPARE ? KT_INPLACE : KT_PLAIN; /* a bool has no gradient */
        for (form_now = first; form_now <= KT_INPLACE; form_now++)
            if (kt_row_has_form(row_now, form_now)) {
                check(&p);
                p.shape[1] = form_now == KT_INPLACE ? row : wide; /* broadcast */
                if (operands == 2)
                    check(&p);
                if (form_now == KT_PLAIN && operands == 2) {
                    p.shape[0] = KT_SCALAR;
                    check(&p);
                    p.shape[0] = full;
                }
                p.shape[1] = full;
            }
        with++;
    }
    printf("  %d elementwise rows with a derivative, %d that say they have none\n", with, without);
    CHECK(with >= 40);
}

TEST(a_row_without_a_derivative_says_so)
{
    for (int i = 0; (row_now = kt_row_at(i)); i++) {
        KT_SCOPE;
        if (!row_now->way->broadcasts || !row_now->node || is_derived(row_now) ||
            row_now->operands.n > 2)
            continue;
        kt_tensor *x = tensor_filled(KT_F64, KT_SHAPE(2), 0.5), *y;
        char       text[96];
        kt_set_requires_grad(x, true);
        y = by_row(row_now, KT_PLAIN, NULL, row_now->operands.n == 1 ? "t" : "tt", x, x);
        const bool named = strcmp(row_now->node, "NotImplemented") != 0;
        snprintf(text, sizeof text,
                 named ? "the derivative for '%s' is not implemented." : "derivative for aten::%s is not implemented",
                 strcmp(row_now->name, "standard_gamma_grad") == 0 ? "_standard_gamma_grad" : row_now->name);
        CHECK_STR(kt_grad_fn_name(y), row_now->node);
        CHECK_FAILS(kt_backward(kt_sum(y)), named ? KT_ERR_NOT_IMPLEMENTED : KT_ERR_RUNTIME, text);
    }
}

/* ---- programs ---- */
F(add_alpha, kt_add(x[0], x[1], .alpha = KT_FLOAT(2.5)))
F(sub_alpha, kt_sub(x[0], x[1], .alpha = KT_FLOAT(2.5)))
F(rsub_alpha, kt_rsub(x[0], x[1], .alpha = KT_FLOAT(2.5)))
F(mul_number, kt_mul_s(x[0], KT_FLOAT(-3)))
F(rsub_number, kt_rsub_s(x[0], KT_INT(3)))
F(div_number, kt_div_s(x[0], KT_INT(4)))
F(mixed, kt_lerp(x[0], x[1], x[2]))
F(mixed_number, kt_lerp_s(x[0], x[1], KT_FLOAT(0.3)))
F(plus_product, kt_addcmul(x[0], x[1], x[2], .value = KT_FLOAT(1.5)))
F(plus_quotient, kt_addcdiv(x[0], x[1], x[2], .value = KT_FLOAT(-2.0)))
F(held, kt_clamp(x[0], .min = kt_mul_s(x[1], KT_FLOAT(0.7)), .max = kt_mul_s(x[2], KT_FLOAT(1.2))))
F(held_by_numbers, kt_clamp_s(x[0], .min = KT_FLOAT(0.4), .max = KT_FLOAT(0.6)))
F(held_below, kt_clamp_s(x[0], .max = KT_FLOAT(0.5)))
F(floored_by_a_number, kt_clamp_min_s(x[0], KT_FLOAT(0.5)))
F(logit_held, kt_logit(x[0], .eps = KT_SOME(0.3)))
F(signed_by_a_number, kt_copysign_s(x[0], KT_FLOAT(-1.0)))
F(log_of_a_number, kt_xlogy_s(x[0], KT_FLOAT(2.5)))
F(left_by_a_number, kt_remainder_s(x[0], KT_FLOAT(0.3)))
F(true_divide_number, kt_true_divide_s(x[0], KT_FLOAT(0.5)))
F(pow_number, kt_pow_s(x[0], KT_FLOAT(2.5)))
F(pow_integer, kt_pow_s(x[0], KT_INT(3)))
F(pow_zero, kt_pow_s(x[0], KT_INT(0)))
F(power_of_a_number, kt_pow_base_s(KT_FLOAT(2.5), x[0]))
F(power_of_a_complex_number, kt_view_as_real(kt_pow_base_s(KT_COMPLEX(1, 2), x[0])))
F(negative_number_to_complex, kt_view_as_real(kt_pow_base_s(KT_INT(-2), kt_view_as_complex(x[0]))))
F(power_of_zero, kt_pow_base_s(KT_INT(0), x[0]))
F(complex_log_of_two, kt_view_as_real(kt_logaddexp(kt_view_as_complex(x[0]), kt_view_as_complex(x[1]))))
F(scaled_by_any_power, kt_ldexp(x[0], x[1]))
F(squared, kt_square(x[0]))
F(chosen, kt_where(kt_gt(x[0], x[1]), x[0], kt_mul(x[1], x[1])))
F(chosen_number, kt_where_s(kt_gt_s(x[0], KT_FLOAT(0.5)), x[0], KT_FLOAT(0.5)))
F(total, kt_sum(x[0]))
F(total_of_one_dim, kt_sum_dim(x[0], KT_SHAPE(1)))
F(total_kept, kt_sum_dim(x[0], KT_SHAPE(-1, 0), .keepdim = true))
F(total_of_all, kt_sum_dim(x[0], KT_SCALAR))
F(product_of_all, kt_prod(x[0]))
F(product_of_one_dim, kt_prod_dim(x[0], -2))
F(product_with_a_zero, kt_prod_dim(kt_mul(x[0], kt_from((double[]){1, 0, 1, 1, 1, 1}, KT_SHAPE(2, 3), KT_F64)), 1))
F(product_with_two, kt_prod(kt_mul(x[0], kt_from((double[]){1, 0, 1, 1, 0, 1}, KT_SHAPE(2, 3), KT_F64))))
F(average, kt_mean(x[0]))
F(average_of_some, kt_mean_dim(x[0], KT_SHAPE(0, -1), .keepdim = true))
F(with_nan, kt_add(x[0], kt_from((double[]){0, NAN, 0, 0, 0, 0}, KT_SHAPE(2, 3), KT_F64)))
F(sum_of_numbers, kt_nansum(with_nan(x), .dim = KT_SHAPE(1)))
F(average_of_numbers, kt_nanmean(with_nan(x), .dim = KT_SHAPE(0)))
F(average_of_all_numbers, kt_nanmean(with_nan(x)))
F(log_of_sum, kt_logsumexp(x[0], KT_SHAPE(0, 2)))
F(complex_log_of_sum, kt_view_as_real(kt_logsumexp(kt_view_as_complex(x[0]), KT_SHAPE(0))))
F(largest, kt_max(x[0]))
F(smallest, kt_min(x[0]))
F(largest_of_a_dim, kt_max_dim(x[0], 1).values)
F(smallest_kept, kt_min_dim(x[0], -1, .keepdim = true).values)
F(largest_of_dims, kt_amax(x[0], .dim = KT_SHAPE(0, 1)))
F(smallest_of_dims, kt_amin(x[0], .dim = KT_SHAPE(1), .keepdim = true))
F(larger, kt_max_other(x[0], x[1]))
F(variance, kt_var(x[0]))
F(variance_biased, kt_var_dim(x[0], KT_SHAPE(1), .unbiased = KT_SOME(false)))
F(variance_corrected, kt_var_correction(x[0], .dim = KT_SHAPE(0, 1), .correction = KT_FLOAT(0.5), .keepdim = true))
F(complex_variance, kt_var_dim(kt_view_as_complex(x[0]), KT_SHAPE(0)))
F(deviation, kt_std_dim(x[0], KT_SHAPE(0)))
F(length, kt_norm(x[0]))
F(length_1, kt_norm(kt_sub_s(x[0], KT_FLOAT(0.5)), .p = KT_INT(1), .dim = KT_SHAPE(1)))
F(length_3, kt_linalg_vector_norm(kt_sub_s(x[0], KT_FLOAT(0.5)), .ord = KT_INT(3), .dim = KT_SHAPE(0), .keepdim = true))
F(length_1_5, kt_linalg_vector_norm(kt_sub_s(x[0], KT_FLOAT(0.5)), .ord = KT_FLOAT(1.5)))
F(length_below_0, kt_linalg_vector_norm(x[0], .ord = KT_FLOAT(-2.0), .dim = KT_SHAPE(1)))
F(length_inf, kt_linalg_vector_norm(kt_neg(x[0]), .ord = KT_FLOAT(INFINITY), .dim = KT_SHAPE(1)))
F(complex_length, kt_norm(kt_view_as_complex(x[0]), .p = KT_INT(3)))
F(matrix_length, kt_linalg_matrix_norm(x[0], KT_INT(1)))
F(distance, kt_dist(x[0], x[1], .p = KT_INT(3)))
F(diagonal_sum, kt_trace(x[0]))
F(covariance, kt_cov(x[0]))
F(correlation, kt_corrcoef(x[0]))
F(shrunk, kt_sum_to_size(x[0], KT_SHAPE(3, 1)))

/* Both results of one call. */
static kt_tensor *variance_and_mean(kt_tensor **x)
{
    kt_var_mean_dim_results r = kt_var_mean_dim(x[0], KT_SHAPE(1));
    return kt_mul(r.result_var, kt_exp(r.result_mean));
}
static kt_tensor *deviation_and_mean(kt_tensor **x)
{
    kt_std_mean_correction_results r = kt_std_mean_correction(x[0], .correction = KT_INT(0));
    return kt_mul(r.result_std, kt_exp(r.result_mean));
}
F(mean_alone, kt_var_mean_dim(x[0], KT_SHAPE(0)).result_mean)
static kt_tensor *both_ends(kt_tensor **x)
{
    kt_aminmax_results r = kt_aminmax(x[0], .dim = KT_SOME(1));
    return kt_mul(r.min, kt_exp(r.max));
}
F(matrix_product, kt_matmul(x[0], x[1]))
F(product_of_transposed, kt_mm(kt_t(x[0]), x[1]))
F(product_with_itself, kt_matmul(x[0], kt_t(x[0])))
F(inner, kt_dot(x[0], x[1]))
F(matrix_vector, kt_mv(x[0], x[1]))
F(batches, kt_bmm(x[0], x[1]))
F(conjugated_inner, kt_vdot(x[0], x[1]))
F(plus_matrix, kt_addmm(x[0], x[1], x[2], .beta = KT_FLOAT(0.5), .alpha = KT_FLOAT(-2)))
F(plus_matrix_plainly, kt_addmm(x[0], x[1], x[2]))
F(plus_matrix_in_place, kt_addmm_(kt_clone(x[0]), x[1], x[2], .beta = KT_FLOAT(0.5)))
F(plus_vector, kt_addmv(x[0], x[1], x[2], .beta = KT_FLOAT(0.5), .alpha = KT_FLOAT(-2)))
F(plus_batches, kt_baddbmm(x[0], x[1], x[2], .beta = KT_FLOAT(0.5), .alpha = KT_FLOAT(-2)))
F(plus_sum_of_batches, kt_addbmm(x[0], x[1], x[2], .beta = KT_FLOAT(0.5), .alpha = KT_FLOAT(-2)))
F(plus_outer, kt_addr(x[0], x[1], x[2], .beta = KT_FLOAT(0.5), .alpha = KT_FLOAT(-2)))
F(outer_product, kt_outer(x[0], x[1]))
F(last_dims, kt_inner(x[0], x[1]))
F(contracted, kt_tensordot(x[0], x[1], KT_SHAPE(0, 2), KT_SHAPE(1, 0)))
F(kronecker, kt_kron(x[0], x[1]))
F(layer, kt_linear(x[0], x[1], .bias = x[2]))
F(layer_without_bias, kt_linear(x[0], x[1]))
F(bilinear_layer, kt_bilinear(x[0], x[1], x[2]))
F(summed_by_subscripts, kt_einsum("bij,jk,bk->ib", ((kt_tensor *[]){x[0], x[1], x[2]}), 3))
F(diagonal_by_subscripts, kt_einsum("ii,ij->j", ((kt_tensor *[]){x[0], x[1]}), 2))
F(chained, kt_linalg_multi_dot(((kt_tensor *[]){x[0], x[1], x[2]}), 3))
F(fifth_power, kt_linalg_matrix_power(x[0], 5))
F(along_a_dim, kt_linalg_vecdot(x[0], x[1], .dim = KT_SOME(0)))
F(crossed, kt_linalg_cross(x[0], x[1]))
F(blocks, kt_block_diag(((kt_tensor *[]){x[0], x[1]}), 2))
F(combinations, kt_cartesian_prod(((kt_tensor *[]){x[0], x[1]}), 2))
F(selected, kt_select(x[0], 1, -1))
F(sliced, kt_slice(x[0], .dim = 1, .start = KT_SOME(1), .end = KT_SOME(4), .step = KT_SOME(2)))
F(narrowed, kt_narrow(x[0], 0, 1, 1))
F(transposed, kt_mul(kt_transpose(x[0], 0, 1), kt_transpose(x[0], 0, 1)))
F(permuted, kt_exp(kt_permute(x[0], KT_SHAPE(2, 0, -2))))
F(expanded, kt_mul(kt_expand(x[0], KT_SHAPE(4, 2, 3)), x[1]))
F(viewed, kt_exp(kt_view(x[0], KT_SHAPE(3, -1))))
F(reshaped, kt_exp(kt_reshape(kt_t(x[0]), KT_SHAPE(6))))
F(flattened, kt_exp(kt_flatten(x[0])))
F(squeezed, kt_exp(kt_squeeze(x[0])))
F(squeezed_dim, kt_exp(kt_squeeze_dim(x[0], KT_SHAPE(1))))
F(unsqueezed, kt_mul(kt_unsqueeze(x[0], 1), x[1]))
F(windows, kt_exp(kt_unfold(x[0], 0, 3, 1)))
F(windows_apart, kt_exp(kt_unfold(x[0], 0, 2, 3)))
F(on_the_diagonal, kt_exp(kt_diagonal(x[0], .offset = 1)))
F(strided, kt_exp(kt_as_strided(x[0], KT_SHAPE(2, 2), KT_SHAPE(1, 2), .storage_offset = KT_SOME(1))))
F(strided_overlap, kt_exp(kt_as_strided(x[0], KT_SHAPE(3, 3), KT_SHAPE(1, 1))))
F(cast_and_back, kt_exp(kt_to(kt_to(x[0], .dtype = KT_C128), .dtype = KT_F64)))
F(cloned, kt_mul(kt_clone(x[0]), kt_contiguous(kt_t(kt_t(x[0])))))
F(negated_view, kt_exp(kt_neg_view(x[0])))
F(complex_product, kt_real(kt_mul(kt_view_as_complex(x[0]), kt_view_as_complex(x[1]))))
F(complex_exp, kt_view_as_real(kt_exp(kt_conj(kt_view_as_complex(x[0])))))
F(complex_matrix, kt_view_as_real(kt_matmul(kt_conj(kt_view_as_complex(x[0])), kt_view_as_complex(x[1]))))
F(complex_quotient, kt_view_as_real(kt_div(kt_view_as_complex(x[0]), kt_view_as_complex(x[1]))))
F(imaginary, kt_imag(kt_mul(kt_view_as_complex(x[0]), kt_view_as_complex(x[0]))))
F(magnitude, kt_exp(kt_abs(x[0])))
F(filled, kt_mul(kt_fill(x[0], kt_sum(x[1])), x[0]))
F(copied, kt_mul(kt_copy(x[0], x[1]), x[0]))
F(scaled_by_power, kt_ldexp(x[0], kt_arange(KT_INT(0), KT_INT(3))))
F(long_way, kt_sum(kt_sigmoid(kt_matmul(kt_tanh(kt_matmul(x[0], x[1])), kt_t(x[1])))))

static kt_tensor *joined(kt_tensor **x)
{
    return kt_exp(kt_cat(((kt_tensor *[]){x[0], kt_mul(x[1], x[1]), x[0]}), 3, .dim = 1));
}
static kt_tensor *split_up(kt_tensor **x)
{
    kt_tensor *part[3];
    return kt_split(x[0], 2, part, 3) == 2 ? kt_mul(kt_sum_dim(part[0], KT_SHAPE(0)), kt_sum_dim(part[1], KT_SHAPE(0)))
                                           : NULL;
}
static kt_tensor *unbound(kt_tensor **x)
{
    kt_tensor *part[3];
    return kt_unbind(x[0], part, 3) == 3 ? kt_mul(kt_mul(part[0], part[1]), part[2]) : NULL;
}

TEST(programs)
{
    const problem problems[] = {
        TWO(add_alpha, KT_SHAPE(2, 3), KT_SHAPE(3)),
        TWO(sub_alpha, KT_SHAPE(2, 3), KT_SHAPE(2, 1)),
        TWO(rsub_alpha, KT_SHAPE(3), KT_SHAPE(2, 3)),
        ONE(mul_number, 2, 3),
        ONE(rsub_number, 2, 3),
        ONE(div_number, 2, 3),
        {"mixed", mixed, 3, {KT_SHAPE(2, 3), KT_SHAPE(3), KT_SHAPE(2, 1)}, 0, 0},
        TWO(mixed_number, KT_SHAPE(2, 3), KT_SHAPE(2, 3)),
        {"plus_product", plus_product, 3, {KT_SHAPE(2, 3), KT_SHAPE(3), KT_SHAPE(2, 1)}, 0, 0},
        {"plus_quotient", plus_quotient, 3, {KT_SHAPE(3), KT_SHAPE(2, 3), KT_SHAPE(2, 3)}, 0, 0},
        {"held", held, 3, {KT_SHAPE(4, 3), KT_SHAPE(4, 3), KT_SHAPE(3)}, 0, 0},
        ONE(held_by_numbers, 4, 3),
        ONE(held_below, 4, 3),
        ONE(floored_by_a_number, 4, 3),
        ONE(logit_held, 4, 3),
        ONE(signed_by_a_number, 4),
        ONE(log_of_a_number, 4),
        ONE(left_by_a_number, 4),
        ONE(true_divide_number, 2, 3),
        ONE(pow_number, 2, 3),
        ONE(pow_integer, 2, 3),
        ONE(pow_zero, 2, 3),
        ONE(power_of_a_number, 2, 3),
        ONE(power_of_a_complex_number, 2, 3),
        ONE(negative_number_to_complex, 3, 2),
        ONE(power_of_zero, 2, 3),
        TWO(complex_log_of_two, KT_SHAPE(3, 2), KT_SHAPE(3, 2)),
        TWO(scaled_by_any_power, KT_SHAPE(2, 3), KT_SHAPE(3)),
        ONE(squared, 2, 3),
        TWO(chosen, KT_SHAPE(2, 3), KT_SHAPE(3)),
        ONE(chosen_number, 2, 3),
        ONE(total, 2, 3),
        ONE(total_of_one_dim, 2, 3, 2),
        ONE(total_kept, 2, 3, 2),
        ONE(total_of_all, 2, 3),
        ONE(product_of_all, 2, 3),
        ONE(product_of_one_dim, 2, 3, 2),
        ONE(product_with_a_zero, 2, 3),
        ONE(product_with_two, 2, 3),
        ONE(average, 2, 3),
        ONE(average_of_some, 2, 3, 2),
        ONE(sum_of_numbers, 2, 3),
        ONE(average_of_numbers, 2, 3),
        ONE(average_of_all_numbers, 2, 3),
        ONE(log_of_sum, 2, 3, 2),
        ONE(complex_log_of_sum, 3, 2),
        ONE(largest, 2, 3),
        ONE(smallest, 2, 3),
        ONE(largest_of_a_dim, 2, 3, 2),
        ONE(smallest_kept, 2, 3),
        ONE(largest_of_dims, 2, 3, 2),
        ONE(smallest_of_dims, 2, 3, 2),
        TWO(larger, KT_SHAPE(2, 3), KT_SHAPE(3)),
        ONE(variance, 2, 3),
        ONE(variance_biased, 2, 3, 2),
        ONE(variance_corrected, 2, 3, 2),
        ONE(complex_variance, 3, 2, 2),
        ONE(deviation, 3, 2),
        ONE(length, 2, 3),
        ONE(length_1, 2, 3),
        ONE(length_3, 2, 3),
        ONE(length_1_5, 2, 3),
        ONE(length_below_0, 2, 3),
        ONE(length_inf, 2, 3),
        ONE(complex_length, 3, 2),
        ONE(matrix_length, 2, 3),
        TWO(distance, KT_SHAPE(2, 3), KT_SHAPE(3)),
        ONE(diagonal_sum, 3, 4),
        ONE(covariance, 2, 4),
        ONE(correlation, 2, 4),
        ONE(shrunk, 2, 3, 2),
        ONE(variance_and_mean, 2, 3),
        ONE(deviation_and_mean, 2, 3),
        ONE(mean_alone, 2, 3),
        ONE(both_ends, 2, 3),
        TWO(matrix_product, KT_SHAPE(2, 3), KT_SHAPE(3, 4)),
        TWO(matrix_product, KT_SHAPE(2, 3), KT_SHAPE(3)),
        TWO(matrix_product, KT_SHAPE(3), KT_SHAPE(3, 2)),
        TWO(matrix_product, KT_SHAPE(3), KT_SHAPE(3)),
        TWO(matrix_product, KT_SHAPE(2, 2, 3), KT_SHAPE(3, 4)),
        TWO(matrix_product, KT_SHAPE(2, 3), KT_SHAPE(2, 3, 2)),
        TWO(matrix_product, KT_SHAPE(2, 1, 2, 3), KT_SHAPE(3, 3, 2)),
        TWO(product_of_transposed, KT_SHAPE(3, 2), KT_SHAPE(3, 4)),
        ONE(product_with_itself, 2, 3),
        TWO(inner, KT_SHAPE(5), KT_SHAPE(5)),
        TWO(matrix_vector, KT_SHAPE(2, 3), KT_SHAPE(3)),
        TWO(batches, KT_SHAPE(2, 2, 3), KT_SHAPE(2, 3, 2)),
        TWO(matrix_product, KT_SHAPE(3), KT_SHAPE(2, 3, 2)),
        TWO(matrix_product, KT_SHAPE(3), KT_SHAPE(2, 2, 3, 2)),
        TWO(matrix_product, KT_SHAPE(2, 2, 3), KT_SHAPE(3)),
        TWO(matrix_product, KT_SHAPE(2, 3), KT_SHAPE(2, 2, 3, 2)),
        TWO(matrix_product, KT_SHAPE(1, 2, 3), KT_SHAPE(2, 3, 2)),
        TWO(conjugated_inner, KT_SHAPE(5), KT_SHAPE(5)),
        THREE(plus_matrix, KT_SHAPE(2, 4), KT_SHAPE(2, 3), KT_SHAPE(3, 4)),
        THREE(plus_matrix, KT_SHAPE(4), KT_SHAPE(2, 3), KT_SHAPE(3, 4)),
        THREE(plus_matrix_plainly, KT_SHAPE(2, 1), KT_SHAPE(2, 3), KT_SHAPE(3, 4)),
        THREE(plus_matrix_in_place, KT_SHAPE(2, 4), KT_SHAPE(2, 3), KT_SHAPE(3, 4)),
        THREE(plus_vector, KT_SHAPE(2), KT_SHAPE(2, 3), KT_SHAPE(3)),
        THREE(plus_batches, KT_SHAPE(2, 1, 2), KT_SHAPE(2, 2, 3), KT_SHAPE(2, 3, 2)),
        THREE(plus_sum_of_batches, KT_SHAPE(2, 2), KT_SHAPE(2, 2, 3), KT_SHAPE(2, 3, 2)),
        THREE(plus_outer, KT_SHAPE(2, 3), KT_SHAPE(2), KT_SHAPE(3)),
        TWO(outer_product, KT_SHAPE(2), KT_SHAPE(3)),
        TWO(last_dims, KT_SHAPE(2, 3), KT_SHAPE(2, 2, 3)),
        TWO(contracted, KT_SHAPE(2, 3, 2), KT_SHAPE(2, 2, 3)),
        TWO(kronecker, KT_SHAPE(2, 2), KT_SHAPE(3)),
        THREE(layer, KT_SHAPE(2, 3), KT_SHAPE(4, 3), KT_SHAPE(4)),
        THREE(layer, KT_SHAPE(2, 2, 3), KT_SHAPE(4, 3), KT_SHAPE(4)),
        THREE(layer, KT_SHAPE(3), KT_SHAPE(4, 3), KT_SHAPE(4)),
        TWO(layer_without_bias, KT_SHAPE(2, 2, 3), KT_SHAPE(4, 3)),
        THREE(bilinear_layer, KT_SHAPE(2, 3), KT_SHAPE(2, 2), KT_SHAPE(4, 3, 2)),
        THREE(summed_by_subscripts, KT_SHAPE(2, 3, 2), KT_SHAPE(2, 4), KT_SHAPE(2, 4)),
        TWO(diagonal_by_subscripts, KT_SHAPE(3, 3), KT_SHAPE(3, 2)),
        THREE(chained, KT_SHAPE(2, 4), KT_SHAPE(4, 2), KT_SHAPE(2)),
        ONE(fifth_power, 2, 2),
        TWO(along_a_dim, KT_SHAPE(3, 2), KT_SHAPE(3, 2)),
        TWO(crossed, KT_SHAPE(2, 3), KT_SHAPE(1, 3)),
        TWO(blocks, KT_SHAPE(2, 2), KT_SHAPE(3)),
        TWO(combinations, KT_SHAPE(2), KT_SHAPE(3)),
        ONE(selected, 2, 3),
        ONE(sliced, 2, 5),
        ONE(narrowed, 3, 2),
        ONE(transposed, 2, 3),
        ONE(permuted, 2, 3, 2),
        TWO(expanded, KT_SHAPE(2, 1), KT_SHAPE(2, 3)),
        ONE(viewed, 2, 3),
        ONE(reshaped, 2, 3),
        ONE(flattened, 2, 3),
        ONE(squeezed, 2, 1, 3, 1),
        ONE(squeezed_dim, 2, 1, 3, 1),
        TWO(unsqueezed, KT_SHAPE(2, 3), KT_SHAPE(2, 2, 3)),
        ONE(windows, 5),
        ONE(windows_apart, 5),
        ONE(on_the_diagonal, 3, 4),
        ONE(strided, 3, 2),
        ONE(strided_overlap, 6),
        ONE(cast_and_back, 2, 3),
        ONE(cloned, 2, 3),
        ONE(negated_view, 4),
        TWO(complex_product, KT_SHAPE(3, 2), KT_SHAPE(3, 2)),
        ONE(complex_exp, 3, 2),
        TWO(complex_matrix, KT_SHAPE(2, 3, 2), KT_SHAPE(3, 2, 2)),
        TWO(complex_quotient, KT_SHAPE(3, 2), KT_SHAPE(3, 2)),
        ONE(imaginary, 3, 2),
        {"magnitude", magnitude, 1, {KT_SHAPE(2, 3)}, -2, -1},
        TWO(filled, KT_SHAPE(2, 3), KT_SHAPE(2)),
        TWO(copied, KT_SHAPE(2, 3), KT_SHAPE(3)),
        ONE(scaled_by_power, 2, 3),
        TWO(long_way, KT_SHAPE(2, 3), KT_SHAPE(3, 4)),
        TWO(joined, KT_SHAPE(2, 3), KT_SHAPE(2, 2)),
        ONE(split_up, 4, 2),
        ONE(unbound, 3, 2),
    };
    for (size_t i = 0; i < sizeof problems / sizeof *problems; i++)
        check(&problems[i]);
}

/* ---- second derivatives: the gradient of sum(gradient of sum(f)) ---- */
static function  *inner_function;
static kt_tensor *gradient_of(kt_tensor **x)
{
    const bool was = kt_grad_enabled();
    kt_set_grad_enabled(true);
    kt_tensor *leaf = was ? x[0] : kt_detach(x[0]), *g = NULL;
    if (!was)
        kt_set_requires_grad(leaf, true);
    if (!kt_backward(kt_sum(inner_function(&leaf)), .create_graph = true))
        g = kt_mul_s(kt_grad(leaf), KT_INT(1));
    kt_set_grad(leaf, NULL);
    kt_set_grad_enabled(was);
    return g;
}

F(cube, kt_mul(kt_mul(x[0], x[0]), x[0]))
F(exp_of, kt_exp(x[0]))
F(tanh_of, kt_tanh(x[0]))
F(square_of_sum, kt_mul(kt_sum(x[0]), kt_sum(x[0])))
F(own_product, kt_matmul(kt_matmul(x[0], kt_t(x[0])), x[0]))
F(order_two, kt_polygamma(2, x[0]))
F(bessel, kt_i0(x[0]))
F(quotient, kt_div(kt_sin(x[0]), x[0]))
F(variance_of_exp, kt_var(kt_exp(x[0])))
F(deviation_of_square, kt_std_dim(kt_mul(x[0], x[0]), KT_SHAPE(1)))
F(log_of_sum_of, kt_logsumexp(x[0], KT_SHAPE(1)))
F(product_of, kt_prod_dim(x[0], 1))
F(length_of, kt_norm(x[0], .p = KT_INT(3)))
F(selected_cube, kt_mul(kt_mul(kt_select(x[0], 0, 1), kt_select(x[0], 0, 0)), kt_select(x[0], 0, 1)))

TEST(second_derivatives)
{
    static const struct {
        const char *name;
        function   *f;
    } all[] = {{"cube", cube},
               {"exp_of", exp_of},
               {"tanh_of", tanh_of},
               {"square_of_sum", square_of_sum},
               {"own_product", own_product},
               {"order_two", order_two},
               {"bessel", bessel},
               {"quotient", quotient},
               {"variance_of_exp", variance_of_exp},
               {"deviation_of_square", deviation_of_square},
               {"log_of_sum_of", log_of_sum_of},
               {"product_of", product_of},
               {"length_of", length_of},
               {"selected_cube", selected_cube}};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
        inner_function = all[i].f;
        check(&(problem){all[i].name, gradient_of, 1, {KT_SHAPE(2, 3)}, 0, 0});
    }
}
