/* alloc_failure.c - every allocation of many small programs is made to fail, one at a time.
 *
 * What a sweep is and asks for stands in support/sweep.h; joining and shaping have a file of their own. */
#define KT_SITES
#include "harness.h"

#include <karat/karat.h>
#include <karat/plugin/call.h>

#include "base/alloc.h"
#include "call/row.h"
#include "support/by_name.h"
#include "support/sweep.h"

/* ---- steps ---- */
STEP(from) { kt_from((float[100]){1, 2, 3}, KT_SHAPE(10, 10), KT_F32); }
STEP(from_small) { kt_from((float[]){1, 2, 3}, KT_SHAPE(3), KT_F32); }
STEP(batch)
{
    kt_tensor *t = kt_linspace(KT_INT(0), KT_INT(1), 60), *grad = NULL;
    if (kt_batch_begin(6, KT_RANDOM_DIFFERENT))
        return;
    kt_tensor *x = kt_batch_in(kt_reshape(t, KT_SHAPE(6, 10)), 0), *own = x ? kt_grad_alias(x) : NULL;
    kt_tensor *y = kt_sum(kt_mul(kt_softmax(own, 0), kt_cumsum(kt_tanh(own), 0)));
    if (y && !kt_gradients(&y, NULL, 1, &own, 1, NULL, &grad))
        kt_batch_out(kt_add(grad, kt_rand(KT_SHAPE(10))), 0);
    kt_batch_out(kt_histc(x), 0);
    kt_drop(grad);
    kt_batch_end();
}
STEP(wrap)
{
    static float memory[50];
    kt_wrap(memory, KT_SHAPE(50), KT_F32, NULL, NULL);
}
STEP(makers)
{
    kt_zeros(KT_SHAPE(30));
    kt_ones(KT_SHAPE(3, 30));
    kt_empty(KT_SHAPE(40));
    kt_eye(9);
    kt_linspace(KT_INT(0), KT_INT(1), 50);
    kt_logspace(KT_INT(0), KT_INT(1), 50);
    kt_scalar_tensor(KT_FLOAT(2));
    kt_full(KT_SHAPE(20), KT_COMPLEX(1, 2));
}
STEP(other_data)
{
    int64_t    ones[12] = {1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1};
    kt_tensor *t = kt_ones(KT_SHAPE(3)), *deep = kt_zeros(((kt_shape){12, ones}));
    if (t && deep)
        kt_set_data(t, deep);
}
STEP(activations)
{
    kt_tensor *t = kt_linspace(KT_INT(-4), KT_INT(4), 60), *m = kt_reshape(t, KT_SHAPE(6, 10));
    kt_gelu(t, .approximate = "tanh");
    kt_silu_(t);
    kt_selu(t);
    kt_relu6_(t);
    kt_softsign(t);
    kt_tanhshrink(t);
    kt_glu(m);
    kt_glu_out(kt_empty(KT_SHAPE(0)), m, .dim = KT_SOME(0));
    kt_prelu(m, kt_ones(KT_SHAPE(10)));
}
STEP(refused_activation) { kt_softshrink(kt_ones(KT_SHAPE(40)), .lambd = KT_INT(-1)); }
STEP(grad_activations)
{
    kt_tensor *t = kt_linspace(KT_INT(-4), KT_INT(4), 60), *m = kt_reshape(t, KT_SHAPE(6, 10)), *w = kt_ones(KT_SHAPE(10));
    if (!m || !w || kt_set_requires_grad(m, true) || kt_set_requires_grad(w, true))
        return;
    kt_tensor *y = kt_add(kt_prelu(m, w), kt_elu_(kt_mul_s(m, KT_INT(2))));
    y = kt_add(kt_mish(y), kt_leaky_relu(y));
    kt_backward(kt_sum(kt_glu(kt_gelu(y))), .create_graph = true);
    kt_set_grad(m, NULL); /* its graph leads back to itself */
    kt_set_grad(w, NULL);
}
STEP(random_numbers)
{
    kt_tensor *m = kt_rand(KT_SHAPE(5, 6)), *half = kt_randn(KT_SHAPE(40), .dtype = KT_F16);
    kt_randn_like(kt_t(m));
    kt_randint(9, KT_SHAPE(30), .dtype = KT_I32);
    kt_randperm(30, .dtype = KT_F32);
    kt_rand(KT_SHAPE(20), .dtype = KT_C64);
    kt_multinomial(m, 3);
    kt_multinomial(m, 3, .replacement = true);
    kt_normal_tensor_tensor(m, m);
    kt_bernoulli(m);
    kt_poisson(m);
    kt_binomial(m, m);
    kt_sample_dirichlet(m);
    kt_uniform_(half);
    kt_dropout(m, 0.5, true);
    kt_native_dropout(m, 0.5, true);
    kt_nn_dropout1d(m);
    kt_alpha_dropout(m, 0.5, true);
    kt_generator *g = kt_failed() ? NULL : kt_generator_new();
    kt_rand(KT_SHAPE(30), .generator = g);
    kt_generator_drop(g);
}
STEP(random_in_place)
{
    kt_tensor *m = kt_rand(KT_SHAPE(5, 6)), *t = kt_t(kt_zeros(KT_SHAPE(6, 5), .dtype = KT_F64));
    kt_normal_(t);
    kt_random_(t);
    kt_random_to_(t, 9);
    kt_random_from_(t, -3, 9);
    kt_exponential_(t);
    kt_cauchy_(t);
    kt_log_normal_(t);
    kt_geometric_(t, 0.3);
    kt_bernoulli_float_(t);
    kt_bernoulli_tensor_(t, m);
    kt_bernoulli_p(m, 0.3);
    kt_normal_tensor_float(m);
    kt_normal_float_tensor(0.5, m);
    kt_normal_float_float(0.5, 1.5, KT_SHAPE(5, 5));
    kt_rand_like(m);
    kt_randint_like(m, 9);
}
STEP(dropouts)
{
    kt_tensor *b = kt_reshape(big(), KT_SHAPE(2, 3, 2, 5)), *m = kt_rand(KT_SHAPE(5, 6));
    kt_feature_dropout(b, 0.5, true);
    kt_feature_alpha_dropout(b, 0.5, true);
    kt_dropout_(kt_clone(m), 0.5, true);
    kt_alpha_dropout_(kt_clone(m), 0.5, true);
    kt_nn_dropout(m, .inplace = false);
    kt_nn_dropout2d(b);
    kt_nn_dropout3d(kt_unsqueeze(b, 0));
    kt_nn_alpha_dropout(m, .training = true);
    kt_nn_feature_alpha_dropout(b, .training = true);
}
STEP(refused_chances)
{
    kt_multinomial(kt_neg(kt_ones(KT_SHAPE(30))), 3);
    kt_bernoulli(kt_full(KT_SHAPE(30), KT_FLOAT(1.5)));
}
STEP(grad_random)
{
    kt_tensor *x = kt_rand(KT_SHAPE(5, 6), .requires_grad = true), *y = kt_mul_s(x, KT_INT(2));
    kt_uniform_(y);
    kt_tensor *z = kt_add(kt_dropout(x, 0.5, true), kt_add(y, kt_normal_tensor_tensor(x, kt_abs(x))));
    if (z)
        kt_backward(kt_sum(z));
}
STEP(likes)
{
    kt_tensor *m = matrix();
    kt_empty_like(m);
    kt_zeros_like(m);
    kt_ones_like(m, .dtype = KT_F16);
    kt_full_like(m, KT_INT(3));
    kt_new_empty(m, KT_SHAPE(20));
    kt_new_zeros(m, KT_SHAPE(20));
    kt_new_ones(m, KT_SHAPE(20));
    kt_new_full(m, KT_SHAPE(9), KT_INT(1));
}
STEP(mixed_add) { kt_add(big(), kt_to(big(), .dtype = KT_F16), .alpha = KT_INT(2)); }
STEP(broadcast) { kt_mul(matrix(), kt_arange(KT_INT(0), KT_INT(10))); }
STEP(many_dims) { kt_add(deep(), kt_transpose(deep(), 1, 5)); }
STEP(refused_many_dims) { kt_add(deep(), kt_permute(deep(), KT_SHAPE(6, 5, 4, 3, 2, 1, 0))); }
STEP(in_place)
{
    kt_tensor *t = big();
    kt_exp_(t);
    kt_add_s_(t, KT_FLOAT(1.5));
    kt_mul_(t, t);
    kt_zero_(t);
    kt_fill_s_(t, KT_INT(3));
}
STEP(into_a_buffer)
{
    kt_tensor *out = kt_empty(KT_SHAPE(0));
    kt_add_out(out, big(), big());
    kt_mul_out(out, matrix(), matrix());
}
STEP(ternary)
{
    kt_tensor *b = big();
    kt_where(kt_gt_s(b, KT_INT(3)), b, kt_neg(b));
    kt_lerp_s(b, b, KT_FLOAT(0.5));
    kt_addcmul(b, b, b);
    kt_addcdiv(b, b, b);
}
STEP(clamped)
{
    kt_clamp_s(big(), .min = KT_INT(1), .max = KT_INT(9));
    kt_clamp(big(), .min = big());
}
STEP(rounded)
{
    kt_div(big(), big(), .rounding_mode = "floor");
    kt_round(big(), .decimals = 2);
    kt_nan_to_num(big());
}
STEP(sums)
{
    kt_sum(big());
    kt_sum_dim(matrix(), KT_SHAPE(0));
    kt_sum_dim(kt_transpose(matrix(), 0, 1), KT_SHAPE(1), .keepdim = true, .dtype = KT_F64);
}
STEP(folds)
{
    kt_tensor *m = matrix();
    kt_prod(m);
    kt_mean_dim(m, KT_SHAPE(1));
    kt_nansum(m);
    kt_amax(kt_t(m), .dim = KT_SHAPE(0));
    kt_any_dim(m, 0);
    kt_count_nonzero(m);
    kt_std(m);
    kt_logsumexp(m, KT_SHAPE(0, 1));
    kt_sum_to_size(m, KT_SHAPE(10));
    kt_mean_dim_out(kt_empty(KT_SHAPE(0)), m, KT_SHAPE(0));
    kt_sum_dim(kt_empty(KT_SHAPE(0, 30)), KT_SHAPE(0));
}
STEP(other_folds)
{
    kt_tensor *m = matrix();
    kt_prod_dim(m, 0);
    kt_mean(m);
    kt_nanmean(m, .dim = KT_SHAPE(1));
    kt_nansum(m, .dim = KT_SHAPE(0), .keepdim = true);
    kt_max(m);
    kt_min(m);
    kt_amin(m);
    kt_argmax(m);
    kt_argmin(kt_t(m), .dim = KT_SOME(1));
    kt_any(m);
    kt_all(m);
    kt_all_dim(m, 1);
    kt_any_dims(m, .dim = KT_SHAPE(0, 1));
    kt_count_nonzero(m, .dim = KT_SOME(0));
    kt_var(kt_to(m, .dtype = KT_BF16));
    kt_std_dim(m, KT_SHAPE(1));
    kt_var_correction(m, .dim = KT_SHAPE(0), .correction = KT_INT(0));
    kt_var(kt_full(KT_SHAPE(20), KT_COMPLEX(1, 2)));
}
STEP(folds_in_pairs)
{
    kt_tensor *m = matrix();
    kt_max_dim(m, 0);
    kt_aminmax(m);
    kt_aminmax(m, .dim = KT_SOME(1));
    kt_var_mean(m);
    kt_std_mean(m);
    kt_std_mean_dim(m, KT_SHAPE(0));
    kt_std_mean_correction(m, .correction = KT_INT(2));
    kt_min_dim_out(kt_empty(KT_SHAPE(0)), kt_empty(KT_SHAPE(0), .dtype = KT_I64), m, 1);
}
STEP(norms)
{
    kt_tensor *m = matrix();
    kt_norm(m, .p = KT_INT(3), .dim = KT_SHAPE(0));
    kt_linalg_matrix_norm(m, KT_INT(1));
    kt_linalg_norm(m);
    kt_linalg_norm_out(kt_empty(KT_SHAPE(0)), m);
    kt_norm_str(m, "fro");
    kt_linalg_vector_norm(m, .ord = KT_FLOAT(-1.0), .dim = KT_SHAPE(0));
    kt_linalg_matrix_norm_str(m);
    kt_linalg_norm_str(m, "fro");
    kt_frobenius_norm(m, KT_SHAPE(0, 1));
    kt_dist(m, m);
}
STEP(statistics)
{
    kt_tensor *m = matrix();
    kt_trace(m);
    kt_cov(m, .fweights = kt_ones(KT_SHAPE(10), .dtype = KT_I64));
    kt_cov(m, .aweights = kt_ones(KT_SHAPE(10)));
    kt_corrcoef(m);
}
STEP(refused_folds)
{
    kt_mean(kt_to(big(), .dtype = KT_I64));
    kt_max(kt_empty(KT_SHAPE(0)));
}
STEP(grad_folds)
{
    kt_tensor *x = leaf();
    backward_of(kt_add(kt_prod_dim(x, 0), kt_mul(kt_std(x), kt_amax(x, .dim = KT_SHAPE(1)))));
    backward_of(kt_add(kt_norm(x, .dim = KT_SHAPE(1)), kt_logsumexp(x, KT_SHAPE(1))));
    backward_of(kt_add(kt_trace(x), kt_dist(x, kt_mul(x, x))));
}
STEP(grad_pairs)
{
    kt_tensor              *x = leaf();
    kt_var_mean_dim_results r = kt_var_mean_dim(x, KT_SHAPE(0));
    backward_of(kt_mul(r.result_var, r.result_mean));
    backward_of(kt_max_dim(x, 1).values);
}
STEP(products)
{
    kt_tensor *m = matrix();
    kt_matmul(m, kt_t(m));
    kt_mm(kt_t(m), m);
    kt_dot(big(), big());
    kt_mv(m, kt_select(m, 0, 0));
}
STEP(batched)
{
    kt_tensor *m = kt_expand(kt_unsqueeze(matrix(), 0), KT_SHAPE(3, 6, 10));
    kt_bmm(m, kt_transpose(m, 1, 2));
    kt_matmul(m, kt_t(matrix()));
}
STEP(added_products)
{
    kt_tensor *m = matrix(), *s = kt_mm(m, kt_t(m)), *b = kt_expand(kt_unsqueeze(m, 0), KT_SHAPE(3, 6, 10));
    kt_addmm(s, m, kt_t(m), .beta = KT_FLOAT(0.5));
    kt_addmm_(s, m, kt_t(m));
    kt_addbmm(s, b, kt_transpose(b, 1, 2));
    kt_baddbmm(s, b, kt_transpose(b, 1, 2));
    kt_addmv(kt_select(m, 1, 0), m, kt_select(m, 0, 0), .alpha = KT_INT(2));
    kt_baddbmm_out(kt_empty(KT_SHAPE(0)), s, b, kt_transpose(b, 1, 2), .beta = KT_FLOAT(0.5));
    kt_addr(kt_select(m, 0, 0), kt_select(m, 1, 0), kt_select(m, 0, 1), .alpha = KT_INT(2));
    kt_mm_out(s, s, s);
    kt_linear(b, matrix(), .bias = kt_select(m, 1, 0));
}
STEP(contractions)
{
    kt_tensor *m = matrix(), *list[3] = {m, kt_t(m), m};
    kt_einsum("ij,jk,kl->li", list, 3);
    kt_einsum("...ij,...j->...", (kt_tensor *[]){m, kt_select(m, 0, 0)}, 2);
    kt_linalg_multi_dot(list, 3);
    kt_tensordot(m, m, KT_SHAPE(0), KT_SHAPE(0));
    kt_matmul_out(kt_empty(KT_SHAPE(0)), kt_unsqueeze(m, 0), kt_t(m));
    kt_kron(m, kt_select(m, 0, 0));
    kt_inner(m, m);
    kt_outer(kt_select(m, 0, 0), kt_select(m, 1, 0));
    kt_vdot(big(), big());
    kt_linalg_vecdot(m, m);
    kt_bilinear(m, m, kt_ones(KT_SHAPE(3, 10, 10)));
    kt_block_diag(list, 3);
    kt_cartesian_prod((kt_tensor *[]){kt_select(m, 0, 0), kt_select(m, 1, 0)}, 2);
    kt_linalg_matrix_power(kt_mm(m, kt_t(m)), 5);
    kt_cross(kt_narrow(m, 0, 0, 3), kt_narrow(m, 0, 3, 3));
}
STEP(backward_of_products)
{
    kt_tensor *l = leaf(), *list[2] = {l, l};
    backward_of(kt_addmm(l, l, l, .alpha = KT_INT(3)));
    backward_of(kt_einsum("ij,kj->ik", list, 2));
    backward_of(kt_matmul(l, kt_expand(kt_unsqueeze(l, 0), KT_SHAPE(2, 5, 5))));
    backward_of(kt_linear(kt_expand(l, KT_SHAPE(2, 5, 5)), l, .bias = kt_select(l, 0, 0)));
}
STEP(backward_of_contractions)
{
    kt_tensor *l = leaf(), *v = kt_select(l, 0, 0), *list[3] = {l, l, l}, *b = kt_expand(kt_unsqueeze(l, 0), KT_SHAPE(2, 5, 5));
    backward_of(kt_baddbmm(l, b, b));
    backward_of(kt_addbmm(l, b, b, .beta = KT_FLOAT(0.5)));
    backward_of(kt_addmv(v, l, v));
    backward_of(kt_addr(l, v, v));
    backward_of(kt_tensordot(l, l, KT_SHAPE(0), KT_SHAPE(1)));
    backward_of(kt_kron(l, v));
    backward_of(kt_linalg_multi_dot(list, 3));
    backward_of(kt_linalg_matrix_power(l, 3));
}
STEP(half_products)
{
    kt_tensor *m = kt_to(matrix(), .dtype = KT_BF16);
    kt_matmul(m, kt_t(m));
}
STEP(casts)
{
    kt_tensor *m = matrix();
    kt_to(m, .dtype = KT_I8);
    kt_to(m, .dtype = KT_C128);
    kt_clone(kt_t(m));
    kt_contiguous(kt_t(m));
    kt_to(m, .dtype = KT_I64, .casting = "same_value");
}
STEP(copies)
{
    kt_tensor *m = matrix();
    kt_copy_(kt_t(m), kt_t(kt_clone(m)));
    kt_copy_(kt_select(m, 0, 1), kt_to(kt_select(m, 0, 2), .dtype = KT_I16));
}
STEP(simple_views)
{
    kt_tensor *m = matrix();
    kt_select(m, 0, 1);
    kt_slice(m, .dim = 1, .start = KT_SOME(2), .end = KT_SOME(8), .step = KT_SOME(2));
    kt_narrow(m, 1, 2, 3);
    kt_unsqueeze(m, 0);
    kt_squeeze(kt_unsqueeze(m, 0));
    kt_permute(m, KT_SHAPE(1, 0));
    kt_expand(kt_unsqueeze(m, 0), KT_SHAPE(4, 6, 10));
    kt_view(m, KT_SHAPE(60));
    kt_reshape(kt_t(m), KT_SHAPE(60));
    kt_flatten(m);
    kt_diagonal(m);
    kt_unfold(m, 0, 2, 1);
    kt_as_strided(m, KT_SHAPE(2, 2), KT_SHAPE(1, 1));
    kt_view_dtype(m, KT_I32);
    kt_detach(m);
    kt_alias(m);
}
STEP(deep_views)
{
    kt_tensor *d = deep();
    kt_unsqueeze(d, 0);
    kt_permute(d, KT_SHAPE(6, 5, 4, 3, 2, 1, 0));
    kt_squeeze(d);
    kt_select(d, 3, 2);
    kt_clone(d);
}
STEP(complex_views)
{
    kt_tensor *c = kt_full(KT_SHAPE(20), KT_COMPLEX(1, 2));
    kt_real(c);
    kt_imag(kt_conj(c));
    kt_view_as_real(c);
    kt_resolve_conj(kt_conj(c));
    kt_mul(kt_conj(c), c);
    kt_resolve_neg(kt_neg_view(c));
}
STEP(lists)
{
    kt_tensor *m = matrix(), *parts[10];
    if (kt_split(m, 2, parts, 10) == 3)
        kt_cat(parts, 3);
    kt_chunk(m, 3, parts, 10, .dim = 1);
    kt_unbind(m, parts, 10);
    kt_split_sizes(m, KT_SHAPE(1, 5), parts, 10);
    parts[0] = m;
    parts[1] = kt_select(m, 0, 0);
    kt_broadcast_tensors(parts, 2, parts, 10);
}
STEP(foreach)
{
    kt_tensor *list[3] = {big(), matrix(), kt_to(big(), .dtype = KT_F64)}, *results[3];
    kt_foreach_mul(list, 3, KT_FLOAT(2), results, 3);
    kt_foreach_mul_(list, 3, KT_FLOAT(2));
}
STEP(composites)
{
    kt_tensor *b = big();
    kt_square(b);
    kt_float_power(b, b);
    kt_ldexp(b, kt_to(b, .dtype = KT_I32));
    kt_positive(b);
    kt_expand_as(kt_select(b, 0, 0), b);
}
STEP(meta)
{
    kt_tensor *m = kt_empty(KT_SHAPE(1000, 1000), .device = {KT_META, 0});
    kt_matmul(m, kt_add_s(m, KT_INT(1)));
}
STEP(printed)
{
    kt_free_string(kt_to_string(matrix()));
    kt_free_string(kt_to_string(kt_full(KT_SHAPE(4), KT_COMPLEX(1, 2))));
}
STEP(printed_summary) { kt_free_string(kt_to_string(kt_zeros(KT_SHAPE(2000)))); }
STEP(explained) { kt_free_string(kt_explain(kt_to(big(), .dtype = KT_F16))); }
STEP(read_back)
{
    double     all[60];
    kt_tensor *t = kt_to(kt_t(matrix()), .dtype = KT_F64);
    if (t)
        kt_read(t, all, sizeof all);
    kt_item(kt_sum(big()));
}
STEP(policy)
{
    KT_POLICY(KT_PERMISSIVE);
    kt_matmul(matrix(), kt_t(kt_to(matrix(), .dtype = KT_F16)));
}

STEP(refused_dtypes) { kt_matmul(matrix(), kt_t(kt_to(matrix(), .dtype = KT_F16))); }
STEP(refused_shapes) { kt_add(big(), kt_zeros(KT_SHAPE(7))); }
STEP(refused_policy)
{
    KT_POLICY(KT_STRICT);
    kt_add(big(), kt_to(big(), .dtype = KT_F64));
}
STEP(refused_result) { kt_add_(kt_to(big(), .dtype = KT_I32), big()); }
STEP(refused_view) { kt_view(kt_t(matrix()), KT_SHAPE(60)); }
STEP(refused_leaf) { kt_exp_(leaf()); }

STEP(grad_arithmetic)
{
    kt_tensor *x = leaf();
    backward_of(kt_div(kt_mul(kt_add(x, x), x), kt_add_s(kt_exp(x), KT_INT(1))));
}
STEP(grad_broadcast)
{
    kt_tensor *x = leaf();
    backward_of(kt_mul(x, kt_select(x, 0, 0)));
}
STEP(grad_mixed)
{
    kt_tensor *x = leaf();
    backward_of(kt_mul(kt_to(x, .dtype = KT_F16), kt_to(x, .dtype = KT_F64)));
}
STEP(grad_product)
{
    kt_tensor *x = leaf();
    backward_of(kt_matmul(x, kt_t(x)));
}
STEP(grad_views)
{
    kt_tensor *x = leaf();
    backward_of(kt_mul(kt_diagonal(x), kt_select(kt_slice(x, .dim = 0, .start = KT_SOME(1)), 0, 0)));
}
STEP(grad_in_place)
{
    kt_tensor *y = kt_mul_s(leaf(), KT_INT(2));
    kt_mul_(kt_select(y, 0, 1), kt_clone(kt_select(y, 0, 2)));
    kt_exp_(y);
    backward_of(y);
}
STEP(grad_old_view)
{
    kt_tensor *y = kt_mul_s(leaf(), KT_INT(3)), *v = y ? kt_select(y, 0, 1) : NULL;
    kt_mul_s_(y, KT_INT(2));
    backward_of(v ? kt_exp(v) : NULL);
}
STEP(grad_twice)
{
    kt_tensor *x = leaf(), *y = kt_sum(kt_mul(kt_exp(x), x));
    if (!y)
        return;
    kt_backward(y, .retain_graph = true);
    kt_backward(y);
}
STEP(grad_of_grad)
{
    kt_tensor *x = leaf(), *y = kt_sum(kt_mul(kt_mul(x, x), x));
    if (!y || kt_backward(y, .create_graph = true)) {
        if (x)
            kt_set_grad(x, NULL);
        return;
    }
    kt_tensor *g = kt_keep(kt_grad(x));
    kt_set_grad(x, NULL);
    kt_backward(kt_sum(g));
    kt_set_grad(x, NULL);
    kt_drop(g);
}
STEP(grad_wide)
{
    kt_tensor *x = leaf(), *sum = NULL;
    for (int i = 0; i < 40; i++) {
        kt_tensor *part = kt_sum(kt_mul_s(x, KT_INT(i)));
        sum = sum ? kt_add(sum, part) : part;
    }
    if (sum)
        kt_backward(sum);
}
STEP(grad_lists)
{
    kt_tensor *x = leaf(), *part[40];
    int64_t    n = kt_unbind(x, part, 40);
    for (int64_t i = n > 0 ? n : 40; i < 40; i++)
        part[i] = kt_mul_s(part[i - n], KT_INT(i)); /* more wait at once than a small queue holds */
    if (!kt_failed())
        backward_of(kt_cat(part, 40));
}
static kt_status halve(kt_tensor *grad, void *context, kt_tensor **instead)
{
    (void)context;
    *instead = kt_keep(kt_mul_s(grad, KT_FLOAT(0.5)));
    return kt_error_status();
}
STEP(grad_named)
{
    kt_tensor *x = leaf(), *y = kt_mul(x, x), *sum = kt_sum(kt_exp(y)), *wanted[] = {x, y}, *results[2];
    if (!sum)
        return;
    kt_hook_drop(kt_hook_add(y, "halve", halve, NULL, NULL));
    kt_hook_drop(kt_hook_add(x, "halve", halve, NULL, NULL));
    kt_retain_grad(y);
    if (kt_gradients(&sum, NULL, 1, wanted, 2, KT_KW(kt_gradients_opts, .retain_graph = true), results) == KT_OK) {
        kt_drop(results[0]);
        kt_drop(results[1]);
    }
    kt_mul_s_(y, KT_INT(2));
    kt_backward(kt_sum(y), .inputs = wanted, .n_inputs = 1);
}
STEP(refused_part)
{
    kt_tensor *part[8];
    if (kt_unbind(leaf(), part, 8) == 5)
        kt_zero_(part[0]);
}
STEP(refused_stale)
{
    kt_tensor *y = kt_exp(leaf()), *z = kt_mul(y, y);
    kt_add_s_(y, KT_INT(1));
    backward_of(z);
}

static void under_autocast(bool keeps)
{
    kt_tensor *h = kt_to(matrix(), .dtype = KT_BF16), *w = kt_ones(KT_SHAPE(10, 10), .requires_grad = true);
    KT_AUTOCAST(KT_CPU, KT_BF16);
    kt_set_autocast_cache_enabled(keeps);
    kt_tensor *y = kt_linear(kt_matmul(h, w), w), *list[2] = {y, w};
    kt_backward(kt_mse_loss(kt_cat(list, 2), kt_zeros(KT_SHAPE(16, 10))));
}
STEP(grad_autocast) { under_autocast(false); }
STEP(grad_autocast_kept) { under_autocast(true); }

/* One block of queries, and several, which share what is laid out. */
static void attend(kt_dtype dtype)
{
    for (int64_t queries = 3; queries < 100; queries += 70) {
        kt_tensor *x = kt_ones(KT_SHAPE(1, 2, queries, 8), .dtype = dtype, .requires_grad = true);
        kt_tensor *mask = kt_ones(KT_SHAPE(queries, queries), .dtype = KT_BOOL);
        backward_of(kt_scaled_dot_product_attention(x, x, x, .attn_mask = mask));
    }
}
STEP(grad_attention) { attend(KT_F32); }
STEP(grad_attention_narrow) { attend(KT_BF16); }

/* Every row of index.def: two index tensors, masks, what is not dense, what is in place. */
STEP(indexing)
{
    kt_tensor *x = matrix(), *i = kt_from((int64_t[]){1, 3, 0}, KT_SHAPE(3), KT_I64), *mask = kt_gt_s(x, KT_INT(30));
    kt_tensor *both[2] = {i, i}, *v = kt_zeros(KT_SHAPE(3)), *rows[2];
    kt_index(x, both, 2);
    kt_index(x, &mask, 1);
    kt_index_put(x, both, 2, v, .accumulate = true);
    kt_index_put(x, &mask, 1, kt_zeros(KT_SHAPE(1)));
    kt_take(kt_t(x), i);
    kt_put_(kt_t(x), i, v);
    kt_gather(kt_t(x), 0, kt_reshape(i, KT_SHAPE(3, 1)));
    kt_scatter(x, 1, kt_reshape(i, KT_SHAPE(3, 1)), kt_reshape(v, KT_SHAPE(3, 1)));
    kt_scatter_value_combine(x, 1, kt_reshape(i, KT_SHAPE(3, 1)), KT_INT(2), "multiply");
    kt_index_select(x, 0, i);
    kt_index_add(x, 0, i, kt_narrow(x, 0, 0, 3), .alpha = KT_INT(2));
    kt_index_copy(x, 1, i, kt_narrow(x, 1, 0, 3));
    kt_index_fill(x, 0, i, KT_INT(1));
    kt_take_along_dim(x, kt_zeros(KT_SHAPE(6, 1), .dtype = KT_I64), .dim = KT_SOME(1));
    kt_masked_fill(kt_select(x, 0, 0), mask, KT_INT(1));
    kt_masked_select(x, mask);
    kt_masked_scatter(kt_t(x), kt_t(mask), x);
    kt_nonzero_static(mask, 5);
    kt_nn_one_hot(i);
    kt_nn_embedding(i, x, .max_norm = KT_SOME(1.0));
    if (!kt_failed())
        kt_nonzero_numpy(mask, rows, 2);
}
STEP(grad_indexing)
{
    kt_tensor *x = leaf(), *i = kt_zeros(KT_SHAPE(2), .dtype = KT_I64), *part = kt_index(x, &i, 1);
    backward_of(kt_embedding(kt_reshape(x, KT_SHAPE(-1, 1)), i));
    backward_of(kt_masked_fill(kt_index_put(kt_mul_s(x, KT_INT(2)), &i, 1, part), kt_gt_s(x, KT_INT(1)), KT_INT(0)));
}
STEP(refused_indexing)
{
    kt_tensor *x = matrix(), *far = kt_full(KT_SHAPE(2), KT_INT(99));
    kt_index(x, &far, 1);
}

#define ALL(X)                                                                                                         \
    X(from) X(from_small) X(activations) X(grad_activations) X(refused_activation)                                     \
    X(random_numbers) X(random_in_place) X(dropouts) X(refused_chances) X(grad_random) X(wrap) X(batch)                        \
    X(makers) X(likes) X(mixed_add) X(broadcast) X(many_dims) X(refused_many_dims) X(in_place) X(into_a_buffer)        \
    X(ternary) X(clamped) X(rounded) X(sums) X(products) X(batched) X(added_products) X(contractions)                  \
    X(backward_of_products) X(backward_of_contractions) X(half_products) X(casts) X(copies) X(simple_views)            \
    X(deep_views) X(complex_views) X(lists) X(foreach) X(composites) X(meta) X(printed) X(printed_summary)             \
    X(explained) X(read_back) X(policy) X(refused_dtypes) X(refused_shapes) X(refused_policy) X(refused_result)        \
    X(refused_view) X(refused_leaf) X(grad_arithmetic) X(grad_broadcast) X(grad_mixed) X(grad_product) X(grad_views)   \
    X(grad_in_place) X(grad_old_view) X(grad_twice) X(grad_of_grad) X(grad_wide) X(grad_lists) X(grad_named)           \
    X(refused_part) X(refused_stale) X(other_data) X(indexing) X(grad_indexing) X(refused_indexing)                    \
    X(grad_autocast) X(grad_autocast_kept) X(grad_attention) X(grad_attention_narrow)
ALL(SWEEP)
#define FOLDS(X)                                                                                                       \
    X(folds) X(other_folds) X(folds_in_pairs) X(norms) X(statistics) X(refused_folds) X(grad_folds) X(grad_pairs)
FOLDS(SWEEP)

/* ---- every elementwise row, in its three forms ---- */
static const kt_row *row_now;
static kt_form       form_now;
static const char   *kinds_now;

STEP(one_row)
{
    kt_tensor *a = kt_full(KT_SHAPE(5, 5), KT_FLOAT(0.5)), *b = kt_t(kt_full(KT_SHAPE(5, 5), KT_FLOAT(0.25))),
              *c = kt_clone(b);
    kt_tensor *out = form_now == KT_OUT ? kt_empty(KT_SHAPE(0)) : NULL;
    if (a && b && c && (out || form_now != KT_OUT))
        by_row(row_now, form_now, out, kinds_now, a, b, c);
}

TEST(every_elementwise_row)
{
    CHECK(kt__alloc_is_direct());
    for (int i = 0; (row_now = kt_row_at(i)); i++) {
        static char kinds[KT_MAX_ARGS + 1];
        int         n = 0;
        for (; n < kt_row_n_args(row_now) && !kt_row_arg(row_now, n)->keyword_only; n++)
            kinds[n] = kt_row_arg(row_now, n)->kind <= KT_ARG_TENSOR_OR_SCALAR ? 't' : '_';
        kinds[n] = 0;
        kinds_now = kinds;
        if (!row_now->way->broadcasts)
            continue;
        for (int form = KT_PLAIN; form <= KT_OUT; form++) {
            form_now = (kt_form)form;
            if (kt_row_has_form(row_now, form_now))
                sweep(kt_row_name(row_now), one_row, true);
        }
    }
    printf("  %d programs, %d allocations made to fail\n", sweeps, failures_made);
    CHECK(sweeps > 200);
}
