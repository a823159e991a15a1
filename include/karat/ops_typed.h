/* ops_typed.h - what the list of ops.h stands for: option structs, results, functions, call macros. Written by
 * tools/gen_ops.c from src/tables/ops.def: do not edit. */
#ifndef KARAT_OPS_TYPED_H
#define KARAT_OPS_TYPED_H

#include <karat/lineage.h>
#include <karat/random.h>
#include <karat/tensor.h>

KT_BEGIN

typedef struct kt_opt_int { bool some; int64_t v; } kt_opt_int;
typedef struct kt_opt_real { bool some; double v; } kt_opt_real;
typedef struct kt_opt_bool { bool some; bool v; } kt_opt_bool;
#define KT_SOME(x) {true, (x)}
#ifdef KT_SITES /* every call says where it stands, for lineage */
#define KT_AT __extension__({ static const kt_site kt_here_ = {__FILE__, __LINE__}; kt_site_set(&kt_here_); }),
#else
#define KT_AT
#endif

typedef struct KT_OPTIONS kt_add_opts { size_t size; KT_BY_NAME kt_scalar alpha; } kt_add_opts;
typedef struct KT_OPTIONS kt_add_s_opts { size_t size; KT_BY_NAME kt_scalar alpha; } kt_add_s_opts;
typedef struct KT_OPTIONS kt_sub_opts { size_t size; KT_BY_NAME kt_scalar alpha; } kt_sub_opts;
typedef struct KT_OPTIONS kt_sub_s_opts { size_t size; KT_BY_NAME kt_scalar alpha; } kt_sub_s_opts;
typedef struct KT_OPTIONS kt_rsub_opts { size_t size; KT_BY_NAME kt_scalar alpha; } kt_rsub_opts;
typedef struct KT_OPTIONS kt_rsub_s_opts { size_t size; KT_BY_NAME kt_scalar alpha; } kt_rsub_s_opts;
typedef struct KT_OPTIONS kt_div_opts { size_t size; KT_BY_NAME const char *rounding_mode; } kt_div_opts;
typedef struct KT_OPTIONS kt_div_s_opts { size_t size; KT_BY_NAME const char *rounding_mode; } kt_div_s_opts;
typedef struct KT_OPTIONS kt_isclose_opts { size_t size; KT_BY_NAME kt_opt_real rtol; KT_AFTER(rtol) kt_opt_real atol; KT_AFTER(atol) bool equal_nan; } kt_isclose_opts;
typedef struct KT_OPTIONS kt_clamp_opts { size_t size; KT_BY_NAME const kt_tensor *min; KT_AFTER(min) const kt_tensor *max; } kt_clamp_opts;
typedef struct KT_OPTIONS kt_clamp_s_opts { size_t size; KT_BY_NAME kt_scalar min; KT_AFTER(min) kt_scalar max; } kt_clamp_s_opts;
typedef struct KT_OPTIONS kt_round_opts { size_t size; KT_BY_NAME int64_t decimals; } kt_round_opts;
typedef struct KT_OPTIONS kt_polygamma_of_opts { size_t size; KT_BY_NAME kt_opt_int n; } kt_polygamma_of_opts;
typedef struct kt_frexp_results { kt_tensor *mantissa, *exponent; } kt_frexp_results;
typedef struct KT_OPTIONS kt_logit_opts { size_t size; KT_BY_NAME kt_opt_real eps; } kt_logit_opts;
typedef struct KT_OPTIONS kt_nan_to_num_opts { size_t size; KT_BY_NAME kt_opt_real nan; KT_AFTER(nan) kt_opt_real posinf; KT_AFTER(posinf) kt_opt_real neginf; } kt_nan_to_num_opts;
typedef struct KT_OPTIONS kt_addcmul_opts { size_t size; KT_BY_NAME kt_scalar value; } kt_addcmul_opts;
typedef struct KT_OPTIONS kt_addcdiv_opts { size_t size; KT_BY_NAME kt_scalar value; } kt_addcdiv_opts;
typedef struct KT_OPTIONS kt_gelu_opts { size_t size; KT_BY_NAME const char *approximate; } kt_gelu_opts;
typedef struct KT_OPTIONS kt_elu_opts { size_t size; KT_BY_NAME kt_scalar alpha; KT_AFTER(alpha) kt_scalar scale; KT_AFTER(scale) kt_scalar input_scale; } kt_elu_opts;
typedef struct KT_OPTIONS kt_celu_opts { size_t size; KT_BY_NAME kt_scalar alpha; } kt_celu_opts;
typedef struct KT_OPTIONS kt_leaky_relu_opts { size_t size; KT_BY_NAME kt_scalar negative_slope; } kt_leaky_relu_opts;
typedef struct KT_OPTIONS kt_hardtanh_opts { size_t size; KT_BY_NAME kt_scalar min_val; KT_AFTER(min_val) kt_scalar max_val; } kt_hardtanh_opts;
typedef struct KT_OPTIONS kt_hardshrink_opts { size_t size; KT_BY_NAME kt_scalar lambd; } kt_hardshrink_opts;
typedef struct KT_OPTIONS kt_softshrink_opts { size_t size; KT_BY_NAME kt_scalar lambd; } kt_softshrink_opts;
typedef struct KT_OPTIONS kt_softplus_opts { size_t size; KT_BY_NAME kt_scalar beta; KT_AFTER(beta) kt_scalar threshold; } kt_softplus_opts;
typedef struct KT_OPTIONS kt_glu_opts { size_t size; KT_BY_NAME kt_opt_int dim; } kt_glu_opts;
typedef struct KT_OPTIONS kt_gelu_backward_opts { size_t size; KT_BY_NAME const char *approximate; } kt_gelu_backward_opts;
typedef struct kt_prelu_kernel_backward_results { kt_tensor *input, *weight; } kt_prelu_kernel_backward_results;
typedef struct KT_OPTIONS kt_sum_opts { size_t size; KT_BY_NAME kt_dtype dtype; } kt_sum_opts;
typedef struct KT_OPTIONS kt_sum_dim_opts { size_t size; KT_BY_NAME bool keepdim; KT_AFTER(keepdim) kt_dtype dtype; } kt_sum_dim_opts;
typedef struct KT_OPTIONS kt_nansum_opts { size_t size; KT_BY_NAME kt_shape dim; KT_AFTER(dim) bool keepdim; KT_AFTER(keepdim) kt_dtype dtype; } kt_nansum_opts;
typedef struct KT_OPTIONS kt_prod_opts { size_t size; KT_BY_NAME kt_dtype dtype; } kt_prod_opts;
typedef struct KT_OPTIONS kt_prod_dim_opts { size_t size; KT_BY_NAME bool keepdim; KT_AFTER(keepdim) kt_dtype dtype; } kt_prod_dim_opts;
typedef struct KT_OPTIONS kt_mean_opts { size_t size; KT_BY_NAME kt_dtype dtype; } kt_mean_opts;
typedef struct KT_OPTIONS kt_mean_dim_opts { size_t size; KT_BY_NAME bool keepdim; KT_AFTER(keepdim) kt_dtype dtype; } kt_mean_dim_opts;
typedef struct KT_OPTIONS kt_nanmean_opts { size_t size; KT_BY_NAME kt_shape dim; KT_AFTER(dim) bool keepdim; KT_AFTER(keepdim) kt_dtype dtype; } kt_nanmean_opts;
typedef struct KT_OPTIONS kt_logsumexp_opts { size_t size; KT_BY_NAME bool keepdim; } kt_logsumexp_opts;
typedef struct KT_OPTIONS kt_count_nonzero_opts { size_t size; KT_BY_NAME kt_opt_int dim; } kt_count_nonzero_opts;
typedef struct KT_OPTIONS kt_var_opts { size_t size; KT_BY_NAME kt_opt_bool unbiased; } kt_var_opts;
typedef struct KT_OPTIONS kt_var_dim_opts { size_t size; KT_BY_NAME kt_opt_bool unbiased; KT_AFTER(unbiased) bool keepdim; } kt_var_dim_opts;
typedef struct KT_OPTIONS kt_var_correction_opts { size_t size; KT_BY_NAME kt_shape dim; KT_AFTER(dim) kt_scalar correction; KT_AFTER(correction) bool keepdim; } kt_var_correction_opts;
typedef struct KT_OPTIONS kt_std_opts { size_t size; KT_BY_NAME kt_opt_bool unbiased; } kt_std_opts;
typedef struct KT_OPTIONS kt_std_dim_opts { size_t size; KT_BY_NAME kt_opt_bool unbiased; KT_AFTER(unbiased) bool keepdim; } kt_std_dim_opts;
typedef struct KT_OPTIONS kt_std_correction_opts { size_t size; KT_BY_NAME kt_shape dim; KT_AFTER(dim) kt_scalar correction; KT_AFTER(correction) bool keepdim; } kt_std_correction_opts;
typedef struct KT_OPTIONS kt_var_mean_opts { size_t size; KT_BY_NAME kt_opt_bool unbiased; } kt_var_mean_opts;
typedef struct kt_var_mean_results { kt_tensor *result_var, *result_mean; } kt_var_mean_results;
typedef struct KT_OPTIONS kt_var_mean_dim_opts { size_t size; KT_BY_NAME kt_opt_bool unbiased; KT_AFTER(unbiased) bool keepdim; } kt_var_mean_dim_opts;
typedef struct kt_var_mean_dim_results { kt_tensor *result_var, *result_mean; } kt_var_mean_dim_results;
typedef struct KT_OPTIONS kt_var_mean_correction_opts { size_t size; KT_BY_NAME kt_shape dim; KT_AFTER(dim) kt_scalar correction; KT_AFTER(correction) bool keepdim; } kt_var_mean_correction_opts;
typedef struct kt_var_mean_correction_results { kt_tensor *result_var, *result_mean; } kt_var_mean_correction_results;
typedef struct KT_OPTIONS kt_std_mean_opts { size_t size; KT_BY_NAME kt_opt_bool unbiased; } kt_std_mean_opts;
typedef struct kt_std_mean_results { kt_tensor *result_std, *result_mean; } kt_std_mean_results;
typedef struct KT_OPTIONS kt_std_mean_dim_opts { size_t size; KT_BY_NAME kt_opt_bool unbiased; KT_AFTER(unbiased) bool keepdim; } kt_std_mean_dim_opts;
typedef struct kt_std_mean_dim_results { kt_tensor *result_std, *result_mean; } kt_std_mean_dim_results;
typedef struct KT_OPTIONS kt_std_mean_correction_opts { size_t size; KT_BY_NAME kt_shape dim; KT_AFTER(dim) kt_scalar correction; KT_AFTER(correction) bool keepdim; } kt_std_mean_correction_opts;
typedef struct kt_std_mean_correction_results { kt_tensor *result_std, *result_mean; } kt_std_mean_correction_results;
typedef struct KT_OPTIONS kt_max_dim_opts { size_t size; KT_BY_NAME bool keepdim; } kt_max_dim_opts;
typedef struct kt_max_dim_results { kt_tensor *values, *indices; } kt_max_dim_results;
typedef struct KT_OPTIONS kt_min_dim_opts { size_t size; KT_BY_NAME bool keepdim; } kt_min_dim_opts;
typedef struct kt_min_dim_results { kt_tensor *values, *indices; } kt_min_dim_results;
typedef struct KT_OPTIONS kt_amax_opts { size_t size; KT_BY_NAME kt_shape dim; KT_AFTER(dim) bool keepdim; } kt_amax_opts;
typedef struct KT_OPTIONS kt_amin_opts { size_t size; KT_BY_NAME kt_shape dim; KT_AFTER(dim) bool keepdim; } kt_amin_opts;
typedef struct KT_OPTIONS kt_aminmax_opts { size_t size; KT_BY_NAME kt_opt_int dim; KT_AFTER(dim) bool keepdim; } kt_aminmax_opts;
typedef struct kt_aminmax_results { kt_tensor *min, *max; } kt_aminmax_results;
typedef struct KT_OPTIONS kt_argmax_opts { size_t size; KT_BY_NAME kt_opt_int dim; KT_AFTER(dim) bool keepdim; } kt_argmax_opts;
typedef struct KT_OPTIONS kt_argmin_opts { size_t size; KT_BY_NAME kt_opt_int dim; KT_AFTER(dim) bool keepdim; } kt_argmin_opts;
typedef struct KT_OPTIONS kt_any_dim_opts { size_t size; KT_BY_NAME bool keepdim; } kt_any_dim_opts;
typedef struct KT_OPTIONS kt_any_dims_opts { size_t size; KT_BY_NAME kt_shape dim; KT_AFTER(dim) bool keepdim; } kt_any_dims_opts;
typedef struct KT_OPTIONS kt_all_dim_opts { size_t size; KT_BY_NAME bool keepdim; } kt_all_dim_opts;
typedef struct KT_OPTIONS kt_all_dims_opts { size_t size; KT_BY_NAME kt_shape dim; KT_AFTER(dim) bool keepdim; } kt_all_dims_opts;
typedef struct KT_OPTIONS kt_linalg_vector_norm_opts { size_t size; KT_BY_NAME kt_scalar ord; KT_AFTER(ord) kt_shape dim; KT_AFTER(dim) bool keepdim; KT_AFTER(keepdim) kt_dtype dtype; } kt_linalg_vector_norm_opts;
typedef struct KT_OPTIONS kt_norm_opts { size_t size; KT_BY_NAME kt_scalar p; KT_AFTER(p) kt_shape dim; KT_AFTER(dim) bool keepdim; KT_AFTER(keepdim) kt_dtype dtype; } kt_norm_opts;
typedef struct KT_OPTIONS kt_norm_str_opts { size_t size; KT_BY_NAME kt_shape dim; KT_AFTER(dim) bool keepdim; KT_AFTER(keepdim) kt_dtype dtype; } kt_norm_str_opts;
typedef struct KT_OPTIONS kt_linalg_matrix_norm_opts { size_t size; KT_BY_NAME kt_shape dim; KT_AFTER(dim) bool keepdim; KT_AFTER(keepdim) kt_dtype dtype; } kt_linalg_matrix_norm_opts;
typedef struct KT_OPTIONS kt_linalg_matrix_norm_str_opts { size_t size; KT_BY_NAME const char *ord; KT_AFTER(ord) kt_shape dim; KT_AFTER(dim) bool keepdim; KT_AFTER(keepdim) kt_dtype dtype; } kt_linalg_matrix_norm_str_opts;
typedef struct KT_OPTIONS kt_linalg_norm_opts { size_t size; KT_BY_NAME kt_scalar ord; KT_AFTER(ord) kt_shape dim; KT_AFTER(dim) bool keepdim; KT_AFTER(keepdim) kt_dtype dtype; } kt_linalg_norm_opts;
typedef struct KT_OPTIONS kt_linalg_norm_str_opts { size_t size; KT_BY_NAME kt_shape dim; KT_AFTER(dim) bool keepdim; KT_AFTER(keepdim) kt_dtype dtype; } kt_linalg_norm_str_opts;
typedef struct KT_OPTIONS kt_frobenius_norm_opts { size_t size; KT_BY_NAME bool keepdim; } kt_frobenius_norm_opts;
typedef struct KT_OPTIONS kt_dist_opts { size_t size; KT_BY_NAME kt_scalar p; } kt_dist_opts;
typedef struct KT_OPTIONS kt_cov_opts { size_t size; KT_BY_NAME kt_opt_int correction; KT_AFTER(correction) const kt_tensor *fweights; KT_AFTER(fweights) const kt_tensor *aweights; } kt_cov_opts;
typedef struct KT_OPTIONS kt_cumsum_opts { size_t size; KT_BY_NAME kt_dtype dtype; } kt_cumsum_opts;
typedef struct KT_OPTIONS kt_cumprod_opts { size_t size; KT_BY_NAME kt_dtype dtype; } kt_cumprod_opts;
typedef struct kt_cummax_results { kt_tensor *values, *indices; } kt_cummax_results;
typedef struct kt_cummin_results { kt_tensor *values, *indices; } kt_cummin_results;
typedef struct KT_OPTIONS kt_diff_opts { size_t size; KT_BY_NAME kt_opt_int n; KT_AFTER(n) kt_opt_int dim; KT_AFTER(dim) const kt_tensor *prepend; KT_AFTER(prepend) const kt_tensor *append; } kt_diff_opts;
typedef struct KT_OPTIONS kt_trapezoid_x_opts { size_t size; KT_BY_NAME kt_opt_int dim; } kt_trapezoid_x_opts;
typedef struct KT_OPTIONS kt_trapezoid_dx_opts { size_t size; KT_BY_NAME kt_scalar dx; KT_AFTER(dx) kt_opt_int dim; } kt_trapezoid_dx_opts;
typedef struct KT_OPTIONS kt_trapz_dx_opts { size_t size; KT_BY_NAME kt_opt_real dx; KT_AFTER(dx) kt_opt_int dim; } kt_trapz_dx_opts;
typedef struct KT_OPTIONS kt_trapz_x_opts { size_t size; KT_BY_NAME kt_opt_int dim; } kt_trapz_x_opts;
typedef struct KT_OPTIONS kt_cumulative_trapezoid_x_opts { size_t size; KT_BY_NAME kt_opt_int dim; } kt_cumulative_trapezoid_x_opts;
typedef struct KT_OPTIONS kt_cumulative_trapezoid_dx_opts { size_t size; KT_BY_NAME kt_scalar dx; KT_AFTER(dx) kt_opt_int dim; } kt_cumulative_trapezoid_dx_opts;
typedef struct KT_OPTIONS kt_vander_opts { size_t size; KT_BY_NAME kt_opt_int N; KT_AFTER(N) bool increasing; } kt_vander_opts;
typedef struct KT_OPTIONS kt_linalg_vander_opts { size_t size; KT_BY_NAME kt_opt_int N; } kt_linalg_vander_opts;
typedef struct KT_OPTIONS kt_sort_stable_opts { size_t size; KT_BY_NAME kt_opt_int dim; KT_AFTER(dim) bool descending; } kt_sort_stable_opts;
typedef struct kt_sort_stable_results { kt_tensor *values, *indices; } kt_sort_stable_results;
typedef struct KT_OPTIONS kt_sort_opts { size_t size; KT_BY_NAME kt_opt_int dim; KT_AFTER(dim) bool descending; } kt_sort_opts;
typedef struct kt_sort_results { kt_tensor *values, *indices; } kt_sort_results;
typedef struct KT_OPTIONS kt_argsort_stable_opts { size_t size; KT_BY_NAME kt_opt_int dim; KT_AFTER(dim) bool descending; } kt_argsort_stable_opts;
typedef struct KT_OPTIONS kt_argsort_opts { size_t size; KT_BY_NAME kt_opt_int dim; KT_AFTER(dim) bool descending; } kt_argsort_opts;
typedef struct KT_OPTIONS kt_topk_opts { size_t size; KT_BY_NAME kt_opt_int dim; KT_AFTER(dim) kt_opt_bool largest; KT_AFTER(largest) kt_opt_bool sorted; } kt_topk_opts;
typedef struct kt_topk_results { kt_tensor *values, *indices; } kt_topk_results;
typedef struct KT_OPTIONS kt_kthvalue_opts { size_t size; KT_BY_NAME kt_opt_int dim; KT_AFTER(dim) bool keepdim; } kt_kthvalue_opts;
typedef struct kt_kthvalue_results { kt_tensor *values, *indices; } kt_kthvalue_results;
typedef struct KT_OPTIONS kt_median_dim_opts { size_t size; KT_BY_NAME bool keepdim; } kt_median_dim_opts;
typedef struct kt_median_dim_results { kt_tensor *values, *indices; } kt_median_dim_results;
typedef struct KT_OPTIONS kt_nanmedian_dim_opts { size_t size; KT_BY_NAME bool keepdim; } kt_nanmedian_dim_opts;
typedef struct kt_nanmedian_dim_results { kt_tensor *values, *indices; } kt_nanmedian_dim_results;
typedef struct KT_OPTIONS kt_mode_opts { size_t size; KT_BY_NAME kt_opt_int dim; KT_AFTER(dim) bool keepdim; } kt_mode_opts;
typedef struct kt_mode_results { kt_tensor *values, *indices; } kt_mode_results;
typedef struct KT_OPTIONS kt_unique_opts { size_t size; KT_BY_NAME kt_opt_bool sorted; KT_AFTER(sorted) bool return_inverse; KT_AFTER(return_inverse) bool return_counts; } kt_unique_opts;
typedef struct kt_unique_results { kt_tensor *result, *result_inverse, *result_counts; } kt_unique_results;
typedef struct KT_OPTIONS kt_unique_dim_opts { size_t size; KT_BY_NAME kt_opt_bool sorted; KT_AFTER(sorted) bool return_inverse; KT_AFTER(return_inverse) bool return_counts; } kt_unique_dim_opts;
typedef struct kt_unique_dim_results { kt_tensor *result, *result_inverse, *result_counts; } kt_unique_dim_results;
typedef struct KT_OPTIONS kt_unique_consecutive_opts { size_t size; KT_BY_NAME bool return_inverse; KT_AFTER(return_inverse) bool return_counts; KT_AFTER(return_counts) kt_opt_int dim; } kt_unique_consecutive_opts;
typedef struct kt_unique_consecutive_results { kt_tensor *result, *result_inverse, *result_counts; } kt_unique_consecutive_results;
typedef struct KT_OPTIONS kt_isin_opts { size_t size; KT_BY_NAME bool assume_unique; KT_AFTER(assume_unique) bool invert; } kt_isin_opts;
typedef struct KT_OPTIONS kt_isin_element_opts { size_t size; KT_BY_NAME bool assume_unique; KT_AFTER(assume_unique) bool invert; } kt_isin_element_opts;
typedef struct KT_OPTIONS kt_isin_number_opts { size_t size; KT_BY_NAME bool assume_unique; KT_AFTER(assume_unique) bool invert; } kt_isin_number_opts;
typedef struct KT_OPTIONS kt_searchsorted_opts { size_t size; KT_BY_NAME bool out_int32; KT_AFTER(out_int32) bool right; KT_AFTER(right) const char *side; KT_AFTER(side) const kt_tensor *sorter; } kt_searchsorted_opts;
typedef struct KT_OPTIONS kt_searchsorted_number_opts { size_t size; KT_BY_NAME bool out_int32; KT_AFTER(out_int32) bool right; KT_AFTER(right) const char *side; KT_AFTER(side) const kt_tensor *sorter; } kt_searchsorted_number_opts;
typedef struct KT_OPTIONS kt_bucketize_opts { size_t size; KT_BY_NAME bool out_int32; KT_AFTER(out_int32) bool right; } kt_bucketize_opts;
typedef struct KT_OPTIONS kt_bucketize_number_opts { size_t size; KT_BY_NAME bool out_int32; KT_AFTER(out_int32) bool right; } kt_bucketize_number_opts;
typedef struct KT_OPTIONS kt_bincount_opts { size_t size; KT_BY_NAME const kt_tensor *weights; KT_AFTER(weights) int64_t minlength; } kt_bincount_opts;
typedef struct KT_OPTIONS kt_histc_opts { size_t size; KT_BY_NAME kt_opt_int bins; KT_AFTER(bins) kt_scalar min; KT_AFTER(min) kt_scalar max; } kt_histc_opts;
typedef struct KT_OPTIONS kt_histogram_edges_opts { size_t size; KT_BY_NAME const kt_tensor *weight; KT_AFTER(weight) bool density; } kt_histogram_edges_opts;
typedef struct kt_histogram_edges_results { kt_tensor *hist, *bin_edges; } kt_histogram_edges_results;
typedef struct KT_OPTIONS kt_histogram_opts { size_t size; KT_BY_NAME kt_opt_int bins; KT_AFTER(bins) kt_opt_real low; KT_AFTER(low) kt_opt_real high; KT_AFTER(high) const kt_tensor *weight; KT_AFTER(weight) bool density; } kt_histogram_opts;
typedef struct kt_histogram_results { kt_tensor *hist, *bin_edges; } kt_histogram_results;
typedef struct KT_OPTIONS kt_quantile_opts { size_t size; KT_BY_NAME kt_opt_int dim; KT_AFTER(dim) bool keepdim; KT_AFTER(keepdim) const char *interpolation; } kt_quantile_opts;
typedef struct KT_OPTIONS kt_quantile_number_opts { size_t size; KT_BY_NAME kt_opt_int dim; KT_AFTER(dim) bool keepdim; KT_AFTER(keepdim) const char *interpolation; } kt_quantile_number_opts;
typedef struct KT_OPTIONS kt_nanquantile_opts { size_t size; KT_BY_NAME kt_opt_int dim; KT_AFTER(dim) bool keepdim; KT_AFTER(keepdim) const char *interpolation; } kt_nanquantile_opts;
typedef struct KT_OPTIONS kt_nanquantile_number_opts { size_t size; KT_BY_NAME kt_opt_int dim; KT_AFTER(dim) bool keepdim; KT_AFTER(keepdim) const char *interpolation; } kt_nanquantile_number_opts;
typedef struct KT_OPTIONS kt_addmm_opts { size_t size; KT_BY_NAME kt_scalar beta; KT_AFTER(beta) kt_scalar alpha; } kt_addmm_opts;
typedef struct KT_OPTIONS kt_addmv_opts { size_t size; KT_BY_NAME kt_scalar beta; KT_AFTER(beta) kt_scalar alpha; } kt_addmv_opts;
typedef struct KT_OPTIONS kt_baddbmm_opts { size_t size; KT_BY_NAME kt_scalar beta; KT_AFTER(beta) kt_scalar alpha; } kt_baddbmm_opts;
typedef struct KT_OPTIONS kt_addbmm_opts { size_t size; KT_BY_NAME kt_scalar beta; KT_AFTER(beta) kt_scalar alpha; } kt_addbmm_opts;
typedef struct KT_OPTIONS kt_addr_opts { size_t size; KT_BY_NAME kt_scalar beta; KT_AFTER(beta) kt_scalar alpha; } kt_addr_opts;
typedef struct KT_OPTIONS kt_linear_opts { size_t size; KT_BY_NAME const kt_tensor *bias; } kt_linear_opts;
typedef struct KT_OPTIONS kt_bilinear_opts { size_t size; KT_BY_NAME const kt_tensor *bias; } kt_bilinear_opts;
typedef struct KT_OPTIONS kt_linalg_vecdot_opts { size_t size; KT_BY_NAME kt_opt_int dim; } kt_linalg_vecdot_opts;
typedef struct KT_OPTIONS kt_linalg_cross_opts { size_t size; KT_BY_NAME kt_opt_int dim; } kt_linalg_cross_opts;
typedef struct KT_OPTIONS kt_cross_opts { size_t size; KT_BY_NAME kt_opt_int dim; } kt_cross_opts;
typedef struct KT_OPTIONS kt_cdist_opts { size_t size; KT_BY_NAME kt_opt_real p; KT_AFTER(p) kt_opt_int compute_mode; } kt_cdist_opts;
typedef struct KT_OPTIONS kt_to_opts { size_t size; KT_BY_NAME kt_dtype dtype; KT_AFTER(dtype) kt_device device; KT_AFTER(device) bool copy; KT_AFTER(copy) kt_memory_format memory_format; KT_AFTER(memory_format) const char *casting; KT_AFTER(casting) const char *rounding; } kt_to_opts;
typedef struct KT_OPTIONS kt_to_copy_opts { size_t size; KT_BY_NAME kt_dtype dtype; KT_AFTER(dtype) kt_device device; KT_AFTER(device) kt_memory_format memory_format; KT_AFTER(memory_format) const char *casting; KT_AFTER(casting) const char *rounding; } kt_to_copy_opts;
typedef struct KT_OPTIONS kt_clone_opts { size_t size; KT_BY_NAME kt_memory_format memory_format; } kt_clone_opts;
typedef struct KT_OPTIONS kt_contiguous_opts { size_t size; KT_BY_NAME kt_memory_format memory_format; } kt_contiguous_opts;
typedef struct KT_OPTIONS kt_empty_opts { size_t size; KT_BY_NAME kt_dtype dtype; KT_AFTER(dtype) kt_device device; KT_AFTER(device) bool requires_grad; KT_AFTER(requires_grad) kt_memory_format memory_format; } kt_empty_opts;
typedef struct KT_OPTIONS kt_zeros_opts { size_t size; KT_BY_NAME kt_dtype dtype; KT_AFTER(dtype) kt_device device; KT_AFTER(device) bool requires_grad; } kt_zeros_opts;
typedef struct KT_OPTIONS kt_ones_opts { size_t size; KT_BY_NAME kt_dtype dtype; KT_AFTER(dtype) kt_device device; KT_AFTER(device) bool requires_grad; } kt_ones_opts;
typedef struct KT_OPTIONS kt_full_opts { size_t size; KT_BY_NAME kt_dtype dtype; KT_AFTER(dtype) kt_device device; KT_AFTER(device) bool requires_grad; } kt_full_opts;
typedef struct KT_OPTIONS kt_eye_opts { size_t size; KT_BY_NAME kt_opt_int m; KT_AFTER(m) kt_dtype dtype; KT_AFTER(dtype) kt_device device; KT_AFTER(device) bool requires_grad; } kt_eye_opts;
typedef struct KT_OPTIONS kt_arange_opts { size_t size; KT_BY_NAME kt_scalar step; KT_AFTER(step) kt_dtype dtype; KT_AFTER(dtype) kt_device device; KT_AFTER(device) bool requires_grad; } kt_arange_opts;
typedef struct KT_OPTIONS kt_range_opts { size_t size; KT_BY_NAME kt_scalar step; KT_AFTER(step) kt_dtype dtype; KT_AFTER(dtype) kt_device device; KT_AFTER(device) bool requires_grad; } kt_range_opts;
typedef struct KT_OPTIONS kt_linspace_opts { size_t size; KT_BY_NAME kt_dtype dtype; KT_AFTER(dtype) kt_device device; KT_AFTER(device) bool requires_grad; } kt_linspace_opts;
typedef struct KT_OPTIONS kt_logspace_opts { size_t size; KT_BY_NAME kt_opt_real base; KT_AFTER(base) kt_dtype dtype; KT_AFTER(dtype) kt_device device; KT_AFTER(device) bool requires_grad; } kt_logspace_opts;
typedef struct KT_OPTIONS kt_scalar_tensor_opts { size_t size; KT_BY_NAME kt_dtype dtype; KT_AFTER(dtype) kt_device device; KT_AFTER(device) bool requires_grad; } kt_scalar_tensor_opts;
typedef struct KT_OPTIONS kt_empty_like_opts { size_t size; KT_BY_NAME kt_dtype dtype; KT_AFTER(dtype) kt_device device; KT_AFTER(device) bool requires_grad; KT_AFTER(requires_grad) kt_memory_format memory_format; } kt_empty_like_opts;
typedef struct KT_OPTIONS kt_zeros_like_opts { size_t size; KT_BY_NAME kt_dtype dtype; KT_AFTER(dtype) kt_device device; KT_AFTER(device) bool requires_grad; KT_AFTER(requires_grad) kt_memory_format memory_format; } kt_zeros_like_opts;
typedef struct KT_OPTIONS kt_ones_like_opts { size_t size; KT_BY_NAME kt_dtype dtype; KT_AFTER(dtype) kt_device device; KT_AFTER(device) bool requires_grad; KT_AFTER(requires_grad) kt_memory_format memory_format; } kt_ones_like_opts;
typedef struct KT_OPTIONS kt_full_like_opts { size_t size; KT_BY_NAME kt_dtype dtype; KT_AFTER(dtype) kt_device device; KT_AFTER(device) bool requires_grad; KT_AFTER(requires_grad) kt_memory_format memory_format; } kt_full_like_opts;
typedef struct KT_OPTIONS kt_new_empty_opts { size_t size; KT_BY_NAME kt_dtype dtype; KT_AFTER(dtype) kt_device device; KT_AFTER(device) bool requires_grad; } kt_new_empty_opts;
typedef struct KT_OPTIONS kt_new_zeros_opts { size_t size; KT_BY_NAME kt_dtype dtype; KT_AFTER(dtype) kt_device device; KT_AFTER(device) bool requires_grad; } kt_new_zeros_opts;
typedef struct KT_OPTIONS kt_new_ones_opts { size_t size; KT_BY_NAME kt_dtype dtype; KT_AFTER(dtype) kt_device device; KT_AFTER(device) bool requires_grad; } kt_new_ones_opts;
typedef struct KT_OPTIONS kt_new_full_opts { size_t size; KT_BY_NAME kt_dtype dtype; KT_AFTER(dtype) kt_device device; KT_AFTER(device) bool requires_grad; } kt_new_full_opts;
typedef struct KT_OPTIONS kt_slice_opts { size_t size; KT_BY_NAME int64_t dim; KT_AFTER(dim) kt_opt_int start; KT_AFTER(start) kt_opt_int end; KT_AFTER(end) kt_opt_int step; } kt_slice_opts;
typedef struct KT_OPTIONS kt_expand_opts { size_t size; KT_BY_NAME bool implicit; } kt_expand_opts;
typedef struct KT_OPTIONS kt_flatten_opts { size_t size; KT_BY_NAME int64_t start_dim; KT_AFTER(start_dim) kt_opt_int end_dim; } kt_flatten_opts;
typedef struct KT_OPTIONS kt_diagonal_opts { size_t size; KT_BY_NAME int64_t offset; KT_AFTER(offset) int64_t dim1; KT_AFTER(dim1) kt_opt_int dim2; } kt_diagonal_opts;
typedef struct KT_OPTIONS kt_as_strided_opts { size_t size; KT_BY_NAME kt_opt_int storage_offset; } kt_as_strided_opts;
typedef struct KT_OPTIONS kt_linalg_diagonal_opts { size_t size; KT_BY_NAME int64_t offset; KT_AFTER(offset) kt_opt_int dim1; KT_AFTER(dim1) kt_opt_int dim2; } kt_linalg_diagonal_opts;
typedef struct KT_OPTIONS kt_resize__opts { size_t size; KT_BY_NAME kt_memory_format memory_format; } kt_resize__opts;
typedef struct KT_OPTIONS kt_resize_as__opts { size_t size; KT_BY_NAME kt_memory_format memory_format; } kt_resize_as__opts;
typedef struct KT_OPTIONS kt_split_opts { size_t size; KT_BY_NAME int64_t dim; } kt_split_opts;
typedef struct KT_OPTIONS kt_split_sizes_opts { size_t size; KT_BY_NAME int64_t dim; } kt_split_sizes_opts;
typedef struct KT_OPTIONS kt_chunk_opts { size_t size; KT_BY_NAME int64_t dim; } kt_chunk_opts;
typedef struct KT_OPTIONS kt_unbind_opts { size_t size; KT_BY_NAME int64_t dim; } kt_unbind_opts;
typedef struct KT_OPTIONS kt_cat_opts { size_t size; KT_BY_NAME int64_t dim; } kt_cat_opts;
typedef struct KT_OPTIONS kt_concat_opts { size_t size; KT_BY_NAME int64_t dim; } kt_concat_opts;
typedef struct KT_OPTIONS kt_concatenate_opts { size_t size; KT_BY_NAME int64_t dim; } kt_concatenate_opts;
typedef struct KT_OPTIONS kt_stack_opts { size_t size; KT_BY_NAME int64_t dim; } kt_stack_opts;
typedef struct KT_OPTIONS kt_split_with_sizes_opts { size_t size; KT_BY_NAME int64_t dim; } kt_split_with_sizes_opts;
typedef struct KT_OPTIONS kt_unsafe_split_opts { size_t size; KT_BY_NAME int64_t dim; } kt_unsafe_split_opts;
typedef struct KT_OPTIONS kt_unsafe_split_with_sizes_opts { size_t size; KT_BY_NAME int64_t dim; } kt_unsafe_split_with_sizes_opts;
typedef struct KT_OPTIONS kt_unsafe_chunk_opts { size_t size; KT_BY_NAME int64_t dim; } kt_unsafe_chunk_opts;
typedef struct KT_OPTIONS kt_tensor_split_opts { size_t size; KT_BY_NAME int64_t dim; } kt_tensor_split_opts;
typedef struct KT_OPTIONS kt_tensor_split_indices_opts { size_t size; KT_BY_NAME int64_t dim; } kt_tensor_split_indices_opts;
typedef struct KT_OPTIONS kt_tensor_split_tensor_opts { size_t size; KT_BY_NAME int64_t dim; } kt_tensor_split_tensor_opts;
typedef struct KT_OPTIONS kt_meshgrid_opts { size_t size; KT_BY_NAME const char *indexing; } kt_meshgrid_opts;
typedef struct KT_OPTIONS kt_unbind_copy_opts { size_t size; KT_BY_NAME int64_t dim; } kt_unbind_copy_opts;
typedef struct KT_OPTIONS kt_split_copy_opts { size_t size; KT_BY_NAME int64_t dim; } kt_split_copy_opts;
typedef struct KT_OPTIONS kt_split_with_sizes_copy_opts { size_t size; KT_BY_NAME int64_t dim; } kt_split_with_sizes_copy_opts;
typedef struct KT_OPTIONS kt_roll_opts { size_t size; KT_BY_NAME kt_shape dims; } kt_roll_opts;
typedef struct KT_OPTIONS kt_rot90_opts { size_t size; KT_BY_NAME kt_opt_int k; KT_AFTER(k) kt_shape dims; } kt_rot90_opts;
typedef struct KT_OPTIONS kt_repeat_interleave_opts { size_t size; KT_BY_NAME kt_opt_int output_size; } kt_repeat_interleave_opts;
typedef struct KT_OPTIONS kt_repeat_interleave_tensor_opts { size_t size; KT_BY_NAME kt_opt_int dim; KT_AFTER(dim) kt_opt_int output_size; } kt_repeat_interleave_tensor_opts;
typedef struct KT_OPTIONS kt_repeat_interleave_int_opts { size_t size; KT_BY_NAME kt_opt_int dim; KT_AFTER(dim) kt_opt_int output_size; } kt_repeat_interleave_int_opts;
typedef struct KT_OPTIONS kt_tril_opts { size_t size; KT_BY_NAME int64_t diagonal; } kt_tril_opts;
typedef struct KT_OPTIONS kt_triu_opts { size_t size; KT_BY_NAME int64_t diagonal; } kt_triu_opts;
typedef struct KT_OPTIONS kt_tril_indices_opts { size_t size; KT_BY_NAME int64_t offset; KT_AFTER(offset) kt_dtype dtype; KT_AFTER(dtype) kt_device device; } kt_tril_indices_opts;
typedef struct KT_OPTIONS kt_triu_indices_opts { size_t size; KT_BY_NAME int64_t offset; KT_AFTER(offset) kt_dtype dtype; KT_AFTER(dtype) kt_device device; } kt_triu_indices_opts;
typedef struct KT_OPTIONS kt_diag_opts { size_t size; KT_BY_NAME int64_t diagonal; } kt_diag_opts;
typedef struct KT_OPTIONS kt_diag_embed_opts { size_t size; KT_BY_NAME int64_t offset; KT_AFTER(offset) kt_opt_int dim1; KT_AFTER(dim1) kt_opt_int dim2; } kt_diag_embed_opts;
typedef struct KT_OPTIONS kt_diagflat_opts { size_t size; KT_BY_NAME int64_t offset; } kt_diagflat_opts;
typedef struct KT_OPTIONS kt_constant_pad_nd_opts { size_t size; KT_BY_NAME kt_scalar value; } kt_constant_pad_nd_opts;
typedef struct KT_OPTIONS kt_nn_pad_opts { size_t size; KT_BY_NAME const char *mode; KT_AFTER(mode) kt_opt_real value; } kt_nn_pad_opts;
typedef struct KT_OPTIONS kt_as_strided_copy_opts { size_t size; KT_BY_NAME kt_opt_int storage_offset; } kt_as_strided_copy_opts;
typedef struct KT_OPTIONS kt_diagonal_copy_opts { size_t size; KT_BY_NAME int64_t offset; KT_AFTER(offset) int64_t dim1; KT_AFTER(dim1) kt_opt_int dim2; } kt_diagonal_copy_opts;
typedef struct KT_OPTIONS kt_expand_copy_opts { size_t size; KT_BY_NAME bool implicit; } kt_expand_copy_opts;
typedef struct KT_OPTIONS kt_slice_copy_opts { size_t size; KT_BY_NAME int64_t dim; KT_AFTER(dim) kt_opt_int start; KT_AFTER(start) kt_opt_int end; KT_AFTER(end) kt_opt_int step; } kt_slice_copy_opts;
typedef struct KT_OPTIONS kt_slice_scatter_opts { size_t size; KT_BY_NAME int64_t dim; KT_AFTER(dim) kt_opt_int start; KT_AFTER(start) kt_opt_int end; KT_AFTER(end) kt_opt_int step; } kt_slice_scatter_opts;
typedef struct KT_OPTIONS kt_diagonal_scatter_opts { size_t size; KT_BY_NAME int64_t offset; KT_AFTER(offset) int64_t dim1; KT_AFTER(dim1) kt_opt_int dim2; } kt_diagonal_scatter_opts;
typedef struct KT_OPTIONS kt_as_strided_scatter_opts { size_t size; KT_BY_NAME kt_opt_int storage_offset; } kt_as_strided_scatter_opts;
typedef struct KT_OPTIONS kt_combinations_opts { size_t size; KT_BY_NAME kt_opt_int r; KT_AFTER(r) bool with_replacement; } kt_combinations_opts;
typedef struct KT_OPTIONS kt_rand_opts { size_t size; KT_BY_NAME kt_generator *generator; KT_AFTER(generator) kt_dtype dtype; KT_AFTER(dtype) kt_device device; KT_AFTER(device) bool requires_grad; } kt_rand_opts;
typedef struct KT_OPTIONS kt_rand_like_opts { size_t size; KT_BY_NAME kt_generator *generator; KT_AFTER(generator) kt_dtype dtype; KT_AFTER(dtype) kt_device device; KT_AFTER(device) bool requires_grad; KT_AFTER(requires_grad) kt_memory_format memory_format; } kt_rand_like_opts;
typedef struct KT_OPTIONS kt_randn_opts { size_t size; KT_BY_NAME kt_generator *generator; KT_AFTER(generator) kt_dtype dtype; KT_AFTER(dtype) kt_device device; KT_AFTER(device) bool requires_grad; } kt_randn_opts;
typedef struct KT_OPTIONS kt_randn_like_opts { size_t size; KT_BY_NAME kt_generator *generator; KT_AFTER(generator) kt_dtype dtype; KT_AFTER(dtype) kt_device device; KT_AFTER(device) bool requires_grad; KT_AFTER(requires_grad) kt_memory_format memory_format; } kt_randn_like_opts;
typedef struct KT_OPTIONS kt_randint_opts { size_t size; KT_BY_NAME kt_generator *generator; KT_AFTER(generator) kt_dtype dtype; KT_AFTER(dtype) kt_device device; KT_AFTER(device) bool requires_grad; } kt_randint_opts;
typedef struct KT_OPTIONS kt_randint_low_opts { size_t size; KT_BY_NAME kt_generator *generator; KT_AFTER(generator) kt_dtype dtype; KT_AFTER(dtype) kt_device device; KT_AFTER(device) bool requires_grad; } kt_randint_low_opts;
typedef struct KT_OPTIONS kt_randint_like_opts { size_t size; KT_BY_NAME kt_generator *generator; KT_AFTER(generator) kt_dtype dtype; KT_AFTER(dtype) kt_device device; KT_AFTER(device) bool requires_grad; KT_AFTER(requires_grad) kt_memory_format memory_format; } kt_randint_like_opts;
typedef struct KT_OPTIONS kt_randint_like_low_opts { size_t size; KT_BY_NAME kt_generator *generator; KT_AFTER(generator) kt_dtype dtype; KT_AFTER(dtype) kt_device device; KT_AFTER(device) bool requires_grad; KT_AFTER(requires_grad) kt_memory_format memory_format; } kt_randint_like_low_opts;
typedef struct KT_OPTIONS kt_randperm_opts { size_t size; KT_BY_NAME kt_generator *generator; KT_AFTER(generator) kt_dtype dtype; KT_AFTER(dtype) kt_device device; KT_AFTER(device) bool requires_grad; } kt_randperm_opts;
typedef struct KT_OPTIONS kt_normal_tensor_float_opts { size_t size; KT_BY_NAME kt_opt_real std; KT_AFTER(std) kt_generator *generator; } kt_normal_tensor_float_opts;
typedef struct KT_OPTIONS kt_normal_float_tensor_opts { size_t size; KT_BY_NAME kt_generator *generator; } kt_normal_float_tensor_opts;
typedef struct KT_OPTIONS kt_normal_tensor_tensor_opts { size_t size; KT_BY_NAME kt_generator *generator; } kt_normal_tensor_tensor_opts;
typedef struct KT_OPTIONS kt_normal_float_float_opts { size_t size; KT_BY_NAME kt_generator *generator; KT_AFTER(generator) kt_dtype dtype; KT_AFTER(dtype) kt_device device; KT_AFTER(device) bool requires_grad; } kt_normal_float_float_opts;
typedef struct KT_OPTIONS kt_normal_opts { size_t size; KT_BY_NAME double mean; KT_AFTER(mean) kt_opt_real std; KT_AFTER(std) kt_generator *generator; } kt_normal_opts;
typedef struct KT_OPTIONS kt_uniform_opts { size_t size; KT_BY_NAME double from; KT_AFTER(from) kt_opt_real to; KT_AFTER(to) kt_generator *generator; } kt_uniform_opts;
typedef struct KT_OPTIONS kt_random_opts { size_t size; KT_BY_NAME kt_generator *generator; } kt_random_opts;
typedef struct KT_OPTIONS kt_random_to_opts { size_t size; KT_BY_NAME kt_generator *generator; } kt_random_to_opts;
typedef struct KT_OPTIONS kt_random_from_opts { size_t size; KT_BY_NAME kt_generator *generator; } kt_random_from_opts;
typedef struct KT_OPTIONS kt_exponential_opts { size_t size; KT_BY_NAME kt_opt_real lambd; KT_AFTER(lambd) kt_generator *generator; } kt_exponential_opts;
typedef struct KT_OPTIONS kt_cauchy_opts { size_t size; KT_BY_NAME double median; KT_AFTER(median) kt_opt_real sigma; KT_AFTER(sigma) kt_generator *generator; } kt_cauchy_opts;
typedef struct KT_OPTIONS kt_log_normal_opts { size_t size; KT_BY_NAME kt_opt_real mean; KT_AFTER(mean) kt_opt_real std; KT_AFTER(std) kt_generator *generator; } kt_log_normal_opts;
typedef struct KT_OPTIONS kt_geometric_opts { size_t size; KT_BY_NAME kt_generator *generator; } kt_geometric_opts;
typedef struct KT_OPTIONS kt_bernoulli_opts { size_t size; KT_BY_NAME kt_generator *generator; } kt_bernoulli_opts;
typedef struct KT_OPTIONS kt_bernoulli_p_opts { size_t size; KT_BY_NAME kt_generator *generator; } kt_bernoulli_p_opts;
typedef struct KT_OPTIONS kt_bernoulli_tensor_opts { size_t size; KT_BY_NAME kt_generator *generator; } kt_bernoulli_tensor_opts;
typedef struct KT_OPTIONS kt_bernoulli_float_opts { size_t size; KT_BY_NAME kt_opt_real p; KT_AFTER(p) kt_generator *generator; } kt_bernoulli_float_opts;
typedef struct KT_OPTIONS kt_poisson_opts { size_t size; KT_BY_NAME kt_generator *generator; } kt_poisson_opts;
typedef struct KT_OPTIONS kt_multinomial_opts { size_t size; KT_BY_NAME bool replacement; KT_AFTER(replacement) kt_generator *generator; } kt_multinomial_opts;
typedef struct kt_native_dropout_results { kt_tensor *result, *mask; } kt_native_dropout_results;
typedef struct KT_OPTIONS kt_nn_dropout_opts { size_t size; KT_BY_NAME kt_opt_real p; KT_AFTER(p) kt_opt_bool training; KT_AFTER(training) bool inplace; } kt_nn_dropout_opts;
typedef struct KT_OPTIONS kt_nn_dropout1d_opts { size_t size; KT_BY_NAME kt_opt_real p; KT_AFTER(p) kt_opt_bool training; KT_AFTER(training) bool inplace; } kt_nn_dropout1d_opts;
typedef struct KT_OPTIONS kt_nn_dropout2d_opts { size_t size; KT_BY_NAME kt_opt_real p; KT_AFTER(p) kt_opt_bool training; KT_AFTER(training) bool inplace; } kt_nn_dropout2d_opts;
typedef struct KT_OPTIONS kt_nn_dropout3d_opts { size_t size; KT_BY_NAME kt_opt_real p; KT_AFTER(p) kt_opt_bool training; KT_AFTER(training) bool inplace; } kt_nn_dropout3d_opts;
typedef struct KT_OPTIONS kt_nn_alpha_dropout_opts { size_t size; KT_BY_NAME kt_opt_real p; KT_AFTER(p) bool training; KT_AFTER(training) bool inplace; } kt_nn_alpha_dropout_opts;
typedef struct KT_OPTIONS kt_nn_feature_alpha_dropout_opts { size_t size; KT_BY_NAME kt_opt_real p; KT_AFTER(p) bool training; KT_AFTER(training) bool inplace; } kt_nn_feature_alpha_dropout_opts;
typedef struct KT_OPTIONS kt_index_put_opts { size_t size; KT_BY_NAME bool accumulate; } kt_index_put_opts;
typedef struct KT_OPTIONS kt_put_opts { size_t size; KT_BY_NAME bool accumulate; } kt_put_opts;
typedef struct KT_OPTIONS kt_gather_opts { size_t size; KT_BY_NAME bool sparse_grad; } kt_gather_opts;
typedef struct KT_OPTIONS kt_index_add_opts { size_t size; KT_BY_NAME kt_scalar alpha; } kt_index_add_opts;
typedef struct KT_OPTIONS kt_scatter_reduce_opts { size_t size; KT_BY_NAME kt_opt_bool include_self; } kt_scatter_reduce_opts;
typedef struct KT_OPTIONS kt_index_reduce_opts { size_t size; KT_BY_NAME kt_opt_bool include_self; } kt_index_reduce_opts;
typedef struct KT_OPTIONS kt_take_along_dim_opts { size_t size; KT_BY_NAME kt_opt_int dim; } kt_take_along_dim_opts;
typedef struct KT_OPTIONS kt_nonzero_static_opts { size_t size; KT_BY_NAME kt_opt_int fill_value; } kt_nonzero_static_opts;
typedef struct KT_OPTIONS kt_embedding_opts { size_t size; KT_BY_NAME kt_opt_int padding_idx; KT_AFTER(padding_idx) bool scale_grad_by_freq; KT_AFTER(scale_grad_by_freq) bool sparse; } kt_embedding_opts;
typedef struct KT_OPTIONS kt_nn_embedding_opts { size_t size; KT_BY_NAME kt_opt_int padding_idx; KT_AFTER(padding_idx) kt_opt_real max_norm; KT_AFTER(max_norm) kt_opt_real norm_type; KT_AFTER(norm_type) bool scale_grad_by_freq; KT_AFTER(scale_grad_by_freq) bool sparse; } kt_nn_embedding_opts;
typedef struct KT_OPTIONS kt_nn_one_hot_opts { size_t size; KT_BY_NAME kt_opt_int num_classes; } kt_nn_one_hot_opts;
typedef struct KT_OPTIONS kt_softmax_opts { size_t size; KT_BY_NAME kt_dtype dtype; } kt_softmax_opts;
typedef struct KT_OPTIONS kt_log_softmax_opts { size_t size; KT_BY_NAME kt_dtype dtype; } kt_log_softmax_opts;
typedef struct KT_OPTIONS kt_special_softmax_opts { size_t size; KT_BY_NAME kt_dtype dtype; } kt_special_softmax_opts;
typedef struct KT_OPTIONS kt_special_log_softmax_opts { size_t size; KT_BY_NAME kt_dtype dtype; } kt_special_log_softmax_opts;
typedef struct KT_OPTIONS kt_nn_softmax_opts { size_t size; KT_BY_NAME kt_opt_int dim; KT_AFTER(dim) kt_opt_int _stacklevel; KT_AFTER(_stacklevel) kt_dtype dtype; } kt_nn_softmax_opts;
typedef struct KT_OPTIONS kt_nn_log_softmax_opts { size_t size; KT_BY_NAME kt_opt_int dim; KT_AFTER(dim) kt_opt_int _stacklevel; KT_AFTER(_stacklevel) kt_dtype dtype; } kt_nn_log_softmax_opts;
typedef struct KT_OPTIONS kt_nn_softmin_opts { size_t size; KT_BY_NAME kt_opt_int dim; KT_AFTER(dim) kt_opt_int _stacklevel; KT_AFTER(_stacklevel) kt_dtype dtype; } kt_nn_softmin_opts;
typedef struct KT_OPTIONS kt_mse_loss_opts { size_t size; KT_BY_NAME kt_opt_int reduction; } kt_mse_loss_opts;
typedef struct KT_OPTIONS kt_smooth_l1_loss_opts { size_t size; KT_BY_NAME kt_opt_int reduction; KT_AFTER(reduction) kt_opt_real beta; } kt_smooth_l1_loss_opts;
typedef struct KT_OPTIONS kt_huber_loss_opts { size_t size; KT_BY_NAME kt_opt_int reduction; KT_AFTER(reduction) kt_opt_real delta; } kt_huber_loss_opts;
typedef struct KT_OPTIONS kt_mse_loss_backward_opts { size_t size; KT_BY_NAME int64_t reduction; } kt_mse_loss_backward_opts;
typedef struct KT_OPTIONS kt_smooth_l1_loss_backward_opts { size_t size; KT_BY_NAME int64_t reduction; KT_AFTER(reduction) kt_opt_real beta; } kt_smooth_l1_loss_backward_opts;
typedef struct KT_OPTIONS kt_huber_loss_backward_opts { size_t size; KT_BY_NAME int64_t reduction; KT_AFTER(reduction) kt_opt_real delta; } kt_huber_loss_backward_opts;
typedef struct KT_OPTIONS kt_nn_mse_loss_opts { size_t size; KT_BY_NAME kt_opt_bool size_average; KT_AFTER(size_average) kt_opt_bool reduce; KT_AFTER(reduce) const char *reduction; KT_AFTER(reduction) const kt_tensor *weight; } kt_nn_mse_loss_opts;
typedef struct KT_OPTIONS kt_nn_l1_loss_opts { size_t size; KT_BY_NAME kt_opt_bool size_average; KT_AFTER(size_average) kt_opt_bool reduce; KT_AFTER(reduce) const char *reduction; KT_AFTER(reduction) const kt_tensor *weight; } kt_nn_l1_loss_opts;
typedef struct KT_OPTIONS kt_nn_smooth_l1_loss_opts { size_t size; KT_BY_NAME kt_opt_bool size_average; KT_AFTER(size_average) kt_opt_bool reduce; KT_AFTER(reduce) const char *reduction; KT_AFTER(reduction) kt_opt_real beta; } kt_nn_smooth_l1_loss_opts;
typedef struct KT_OPTIONS kt_nn_huber_loss_opts { size_t size; KT_BY_NAME const char *reduction; KT_AFTER(reduction) kt_opt_real delta; KT_AFTER(delta) const kt_tensor *weight; } kt_nn_huber_loss_opts;
typedef struct KT_OPTIONS kt_nll_loss_opts { size_t size; KT_BY_NAME const kt_tensor *weight; KT_AFTER(weight) kt_opt_int reduction; KT_AFTER(reduction) kt_opt_int ignore_index; } kt_nll_loss_opts;
typedef struct KT_OPTIONS kt_nll_loss2d_opts { size_t size; KT_BY_NAME const kt_tensor *weight; KT_AFTER(weight) kt_opt_int reduction; KT_AFTER(reduction) kt_opt_int ignore_index; } kt_nll_loss2d_opts;
typedef struct KT_OPTIONS kt_nn_nll_loss_opts { size_t size; KT_BY_NAME const kt_tensor *weight; KT_AFTER(weight) kt_opt_bool size_average; KT_AFTER(size_average) kt_opt_int ignore_index; KT_AFTER(ignore_index) kt_opt_bool reduce; KT_AFTER(reduce) const char *reduction; } kt_nn_nll_loss_opts;
typedef struct KT_OPTIONS kt_nn_cross_entropy_opts { size_t size; KT_BY_NAME const kt_tensor *weight; KT_AFTER(weight) kt_opt_bool size_average; KT_AFTER(size_average) kt_opt_int ignore_index; KT_AFTER(ignore_index) kt_opt_bool reduce; KT_AFTER(reduce) const char *reduction; KT_AFTER(reduction) double label_smoothing; } kt_nn_cross_entropy_opts;
typedef struct KT_OPTIONS kt_binary_cross_entropy_opts { size_t size; KT_BY_NAME const kt_tensor *weight; KT_AFTER(weight) kt_opt_int reduction; } kt_binary_cross_entropy_opts;
typedef struct KT_OPTIONS kt_bce_logits_opts { size_t size; KT_BY_NAME int64_t reduction; } kt_bce_logits_opts;
typedef struct KT_OPTIONS kt_binary_cross_entropy_with_logits_opts { size_t size; KT_BY_NAME const kt_tensor *weight; KT_AFTER(weight) const kt_tensor *pos_weight; KT_AFTER(pos_weight) int64_t reduction; } kt_binary_cross_entropy_with_logits_opts;
typedef struct KT_OPTIONS kt_kl_div_opts { size_t size; KT_BY_NAME int64_t reduction; KT_AFTER(reduction) bool log_target; } kt_kl_div_opts;
typedef struct KT_OPTIONS kt_nn_binary_cross_entropy_opts { size_t size; KT_BY_NAME const kt_tensor *weight; KT_AFTER(weight) kt_opt_bool size_average; KT_AFTER(size_average) kt_opt_bool reduce; KT_AFTER(reduce) const char *reduction; } kt_nn_binary_cross_entropy_opts;
typedef struct KT_OPTIONS kt_nn_binary_cross_entropy_with_logits_opts { size_t size; KT_BY_NAME const kt_tensor *weight; KT_AFTER(weight) kt_opt_bool size_average; KT_AFTER(size_average) kt_opt_bool reduce; KT_AFTER(reduce) const char *reduction; KT_AFTER(reduction) const kt_tensor *pos_weight; } kt_nn_binary_cross_entropy_with_logits_opts;
typedef struct KT_OPTIONS kt_nn_kl_div_opts { size_t size; KT_BY_NAME kt_opt_bool size_average; KT_AFTER(size_average) kt_opt_bool reduce; KT_AFTER(reduce) const char *reduction; KT_AFTER(reduction) bool log_target; } kt_nn_kl_div_opts;

KT_API kt_tensor *kt_add_kw(const kt_tensor *self, const kt_tensor *other, const kt_add_opts *opts); /* self + alpha * other */
KT_API kt_tensor *kt_add__kw(kt_tensor *self, const kt_tensor *other, const kt_add_opts *opts); /* self + alpha * other */
KT_API kt_tensor *kt_add_out_kw(kt_tensor *out, const kt_tensor *self, const kt_tensor *other, const kt_add_opts *opts); /* self + alpha * other */
KT_API kt_tensor *kt_add_s_kw(const kt_tensor *self, kt_scalar other, const kt_add_s_opts *opts); /* self + alpha * other */
KT_API kt_tensor *kt_add_s__kw(kt_tensor *self, kt_scalar other, const kt_add_s_opts *opts); /* self + alpha * other */
KT_API kt_tensor *kt_add_s_out_kw(kt_tensor *out, const kt_tensor *self, kt_scalar other, const kt_add_s_opts *opts); /* self + alpha * other */
KT_API kt_tensor *kt_sub_kw(const kt_tensor *self, const kt_tensor *other, const kt_sub_opts *opts); /* self - alpha * other */
KT_API kt_tensor *kt_sub__kw(kt_tensor *self, const kt_tensor *other, const kt_sub_opts *opts); /* self - alpha * other */
KT_API kt_tensor *kt_sub_out_kw(kt_tensor *out, const kt_tensor *self, const kt_tensor *other, const kt_sub_opts *opts); /* self - alpha * other */
KT_API kt_tensor *kt_sub_s_kw(const kt_tensor *self, kt_scalar other, const kt_sub_s_opts *opts); /* self - alpha * other */
KT_API kt_tensor *kt_sub_s__kw(kt_tensor *self, kt_scalar other, const kt_sub_s_opts *opts); /* self - alpha * other */
KT_API kt_tensor *kt_sub_s_out_kw(kt_tensor *out, const kt_tensor *self, kt_scalar other, const kt_sub_s_opts *opts); /* self - alpha * other */
KT_API kt_tensor *kt_rsub_kw(const kt_tensor *self, const kt_tensor *other, const kt_rsub_opts *opts); /* other - alpha * self */
KT_API kt_tensor *kt_rsub_s_kw(const kt_tensor *self, kt_scalar other, const kt_rsub_s_opts *opts); /* other - alpha * self */
KT_API kt_tensor *kt_mul(const kt_tensor *self, const kt_tensor *other); /* self * other */
KT_API kt_tensor *kt_mul_(kt_tensor *self, const kt_tensor *other); /* self * other */
KT_API kt_tensor *kt_mul_out(kt_tensor *out, const kt_tensor *self, const kt_tensor *other); /* self * other */
KT_API kt_tensor *kt_mul_s(const kt_tensor *self, kt_scalar other); /* self * other */
KT_API kt_tensor *kt_mul_s_(kt_tensor *self, kt_scalar other); /* self * other */
KT_API kt_tensor *kt_mul_s_out(kt_tensor *out, const kt_tensor *self, kt_scalar other); /* self * other */
KT_API kt_tensor *kt_div_kw(const kt_tensor *self, const kt_tensor *other, const kt_div_opts *opts); /* self / other, rounded as asked (trunc or floor) */
KT_API kt_tensor *kt_div__kw(kt_tensor *self, const kt_tensor *other, const kt_div_opts *opts); /* self / other, rounded as asked (trunc or floor) */
KT_API kt_tensor *kt_div_out_kw(kt_tensor *out, const kt_tensor *self, const kt_tensor *other, const kt_div_opts *opts); /* self / other, rounded as asked (trunc or floor) */
KT_API kt_tensor *kt_div_s_kw(const kt_tensor *self, kt_scalar other, const kt_div_s_opts *opts); /* self / other, rounded as asked (trunc or floor) */
KT_API kt_tensor *kt_div_s__kw(kt_tensor *self, kt_scalar other, const kt_div_s_opts *opts); /* self / other, rounded as asked (trunc or floor) */
KT_API kt_tensor *kt_div_s_out_kw(kt_tensor *out, const kt_tensor *self, kt_scalar other, const kt_div_s_opts *opts); /* self / other, rounded as asked (trunc or floor) */
KT_API kt_tensor *kt_true_divide(const kt_tensor *self, const kt_tensor *other); /* self / other */
KT_API kt_tensor *kt_true_divide_(kt_tensor *self, const kt_tensor *other); /* self / other */
KT_API kt_tensor *kt_true_divide_out(kt_tensor *out, const kt_tensor *self, const kt_tensor *other); /* self / other */
KT_API kt_tensor *kt_true_divide_s(const kt_tensor *self, kt_scalar other); /* self / other */
KT_API kt_tensor *kt_true_divide_s_(kt_tensor *self, kt_scalar other); /* self / other */
KT_API kt_tensor *kt_true_divide_s_out(kt_tensor *out, const kt_tensor *self, kt_scalar other); /* self / other */
KT_API kt_tensor *kt_floor_divide(const kt_tensor *self, const kt_tensor *other); /* self / other rounded towards minus infinity */
KT_API kt_tensor *kt_floor_divide_(kt_tensor *self, const kt_tensor *other); /* self / other rounded towards minus infinity */
KT_API kt_tensor *kt_floor_divide_out(kt_tensor *out, const kt_tensor *self, const kt_tensor *other); /* self / other rounded towards minus infinity */
KT_API kt_tensor *kt_floor_divide_s(const kt_tensor *self, kt_scalar other); /* self / other rounded towards minus infinity */
KT_API kt_tensor *kt_floor_divide_s_(kt_tensor *self, kt_scalar other); /* self / other rounded towards minus infinity */
KT_API kt_tensor *kt_floor_divide_s_out(kt_tensor *out, const kt_tensor *self, kt_scalar other); /* self / other rounded towards minus infinity */
KT_API kt_tensor *kt_remainder(const kt_tensor *self, const kt_tensor *other); /* modulus of floor division: the sign of other (Python %) */
KT_API kt_tensor *kt_remainder_(kt_tensor *self, const kt_tensor *other); /* modulus of floor division: the sign of other (Python %) */
KT_API kt_tensor *kt_remainder_out(kt_tensor *out, const kt_tensor *self, const kt_tensor *other); /* modulus of floor division: the sign of other (Python %) */
KT_API kt_tensor *kt_remainder_s(const kt_tensor *self, kt_scalar other); /* modulus of floor division: the sign of other (Python %) */
KT_API kt_tensor *kt_remainder_s_(kt_tensor *self, kt_scalar other); /* modulus of floor division: the sign of other (Python %) */
KT_API kt_tensor *kt_remainder_s_out(kt_tensor *out, const kt_tensor *self, kt_scalar other); /* modulus of floor division: the sign of other (Python %) */
KT_API kt_tensor *kt_fmod(const kt_tensor *self, const kt_tensor *other); /* remainder of truncated division: the sign of self (C fmod) */
KT_API kt_tensor *kt_fmod_(kt_tensor *self, const kt_tensor *other); /* remainder of truncated division: the sign of self (C fmod) */
KT_API kt_tensor *kt_fmod_out(kt_tensor *out, const kt_tensor *self, const kt_tensor *other); /* remainder of truncated division: the sign of self (C fmod) */
KT_API kt_tensor *kt_fmod_s(const kt_tensor *self, kt_scalar other); /* remainder of truncated division: the sign of self (C fmod) */
KT_API kt_tensor *kt_fmod_s_(kt_tensor *self, kt_scalar other); /* remainder of truncated division: the sign of self (C fmod) */
KT_API kt_tensor *kt_fmod_s_out(kt_tensor *out, const kt_tensor *self, kt_scalar other); /* remainder of truncated division: the sign of self (C fmod) */
KT_API kt_tensor *kt_pow(const kt_tensor *self, const kt_tensor *exponent); /* self to the power of the exponent */
KT_API kt_tensor *kt_pow_(kt_tensor *self, const kt_tensor *exponent); /* self to the power of the exponent */
KT_API kt_tensor *kt_pow_out(kt_tensor *out, const kt_tensor *self, const kt_tensor *exponent); /* self to the power of the exponent */
KT_API kt_tensor *kt_pow_s(const kt_tensor *self, kt_scalar exponent); /* self to the power of the exponent */
KT_API kt_tensor *kt_pow_s_(kt_tensor *self, kt_scalar exponent); /* self to the power of the exponent */
KT_API kt_tensor *kt_pow_s_out(kt_tensor *out, const kt_tensor *self, kt_scalar exponent); /* self to the power of the exponent */
KT_API kt_tensor *kt_pow_base(const kt_tensor *self, const kt_tensor *exponent); /* a number to the power of a tensor */
KT_API kt_tensor *kt_pow_base_out(kt_tensor *out, const kt_tensor *self, const kt_tensor *exponent); /* a number to the power of a tensor */
KT_API kt_tensor *kt_pow_base_s(kt_scalar self, const kt_tensor *exponent); /* a number to the power of a tensor */
KT_API kt_tensor *kt_pow_base_s_out(kt_tensor *out, kt_scalar self, const kt_tensor *exponent); /* a number to the power of a tensor */
KT_API kt_tensor *kt_float_power(const kt_tensor *self, const kt_tensor *exponent); /* pow in float64 or complex128 */
KT_API kt_tensor *kt_float_power_out(kt_tensor *out, const kt_tensor *self, const kt_tensor *exponent); /* pow in float64 or complex128 */
KT_API kt_tensor *kt_float_power_s(const kt_tensor *self, kt_scalar exponent); /* pow in float64 or complex128 */
KT_API kt_tensor *kt_float_power_s_out(kt_tensor *out, const kt_tensor *self, kt_scalar exponent); /* pow in float64 or complex128 */
KT_API kt_tensor *kt_ldexp(const kt_tensor *self, const kt_tensor *other); /* self * 2 ** other */
KT_API kt_tensor *kt_ldexp_out(kt_tensor *out, const kt_tensor *self, const kt_tensor *other); /* self * 2 ** other */
KT_API kt_tensor *kt_atan2(const kt_tensor *self, const kt_tensor *other); /* arc tangent of self / other, in the right quadrant */
KT_API kt_tensor *kt_atan2_(kt_tensor *self, const kt_tensor *other); /* arc tangent of self / other, in the right quadrant */
KT_API kt_tensor *kt_atan2_out(kt_tensor *out, const kt_tensor *self, const kt_tensor *other); /* arc tangent of self / other, in the right quadrant */
KT_API kt_tensor *kt_copysign(const kt_tensor *self, const kt_tensor *other); /* self with the sign of other */
KT_API kt_tensor *kt_copysign_(kt_tensor *self, const kt_tensor *other); /* self with the sign of other */
KT_API kt_tensor *kt_copysign_out(kt_tensor *out, const kt_tensor *self, const kt_tensor *other); /* self with the sign of other */
KT_API kt_tensor *kt_copysign_s(const kt_tensor *self, kt_scalar other); /* self with the sign of other */
KT_API kt_tensor *kt_copysign_s_(kt_tensor *self, kt_scalar other); /* self with the sign of other */
KT_API kt_tensor *kt_copysign_s_out(kt_tensor *out, const kt_tensor *self, kt_scalar other); /* self with the sign of other */
KT_API kt_tensor *kt_hypot(const kt_tensor *self, const kt_tensor *other); /* sqrt(self^2 + other^2) without overflow */
KT_API kt_tensor *kt_hypot_(kt_tensor *self, const kt_tensor *other); /* sqrt(self^2 + other^2) without overflow */
KT_API kt_tensor *kt_hypot_out(kt_tensor *out, const kt_tensor *self, const kt_tensor *other); /* sqrt(self^2 + other^2) without overflow */
KT_API kt_tensor *kt_logaddexp(const kt_tensor *self, const kt_tensor *other); /* log(exp(self) + exp(other)) without overflow */
KT_API kt_tensor *kt_logaddexp_(kt_tensor *self, const kt_tensor *other); /* log(exp(self) + exp(other)) without overflow */
KT_API kt_tensor *kt_logaddexp_out(kt_tensor *out, const kt_tensor *self, const kt_tensor *other); /* log(exp(self) + exp(other)) without overflow */
KT_API kt_tensor *kt_logaddexp2(const kt_tensor *self, const kt_tensor *other); /* log2(2^self + 2^other) without overflow */
KT_API kt_tensor *kt_logaddexp2_(kt_tensor *self, const kt_tensor *other); /* log2(2^self + 2^other) without overflow */
KT_API kt_tensor *kt_logaddexp2_out(kt_tensor *out, const kt_tensor *self, const kt_tensor *other); /* log2(2^self + 2^other) without overflow */
KT_API kt_tensor *kt_nextafter(const kt_tensor *self, const kt_tensor *other); /* the next value of the dtype towards other */
KT_API kt_tensor *kt_nextafter_(kt_tensor *self, const kt_tensor *other); /* the next value of the dtype towards other */
KT_API kt_tensor *kt_nextafter_out(kt_tensor *out, const kt_tensor *self, const kt_tensor *other); /* the next value of the dtype towards other */
KT_API kt_tensor *kt_xlogy(const kt_tensor *self, const kt_tensor *other); /* self * log(other), 0 where self is 0 */
KT_API kt_tensor *kt_xlogy_(kt_tensor *self, const kt_tensor *other); /* self * log(other), 0 where self is 0 */
KT_API kt_tensor *kt_xlogy_out(kt_tensor *out, const kt_tensor *self, const kt_tensor *other); /* self * log(other), 0 where self is 0 */
KT_API kt_tensor *kt_xlogy_s(const kt_tensor *self, kt_scalar other); /* self * log(other), 0 where self is 0 */
KT_API kt_tensor *kt_xlogy_s_(kt_tensor *self, kt_scalar other); /* self * log(other), 0 where self is 0 */
KT_API kt_tensor *kt_xlogy_s_out(kt_tensor *out, const kt_tensor *self, kt_scalar other); /* self * log(other), 0 where self is 0 */
KT_API kt_tensor *kt_heaviside(const kt_tensor *self, const kt_tensor *values); /* 0, values or 1 by the sign of self */
KT_API kt_tensor *kt_heaviside_(kt_tensor *self, const kt_tensor *values); /* 0, values or 1 by the sign of self */
KT_API kt_tensor *kt_heaviside_out(kt_tensor *out, const kt_tensor *self, const kt_tensor *values); /* 0, values or 1 by the sign of self */
KT_API kt_tensor *kt_gcd(const kt_tensor *self, const kt_tensor *other); /* greatest common divisor */
KT_API kt_tensor *kt_gcd_(kt_tensor *self, const kt_tensor *other); /* greatest common divisor */
KT_API kt_tensor *kt_gcd_out(kt_tensor *out, const kt_tensor *self, const kt_tensor *other); /* greatest common divisor */
KT_API kt_tensor *kt_lcm(const kt_tensor *self, const kt_tensor *other); /* least common multiple */
KT_API kt_tensor *kt_lcm_(kt_tensor *self, const kt_tensor *other); /* least common multiple */
KT_API kt_tensor *kt_lcm_out(kt_tensor *out, const kt_tensor *self, const kt_tensor *other); /* least common multiple */
KT_API kt_tensor *kt_maximum(const kt_tensor *self, const kt_tensor *other); /* elementwise maximum; NaN if either is */
KT_API kt_tensor *kt_maximum_(kt_tensor *self, const kt_tensor *other); /* elementwise maximum; NaN if either is */
KT_API kt_tensor *kt_maximum_out(kt_tensor *out, const kt_tensor *self, const kt_tensor *other); /* elementwise maximum; NaN if either is */
KT_API kt_tensor *kt_minimum(const kt_tensor *self, const kt_tensor *other); /* elementwise minimum; NaN if either is */
KT_API kt_tensor *kt_minimum_(kt_tensor *self, const kt_tensor *other); /* elementwise minimum; NaN if either is */
KT_API kt_tensor *kt_minimum_out(kt_tensor *out, const kt_tensor *self, const kt_tensor *other); /* elementwise minimum; NaN if either is */
KT_API kt_tensor *kt_fmax(const kt_tensor *self, const kt_tensor *other); /* elementwise maximum; the other one where one is NaN */
KT_API kt_tensor *kt_fmax_(kt_tensor *self, const kt_tensor *other); /* elementwise maximum; the other one where one is NaN */
KT_API kt_tensor *kt_fmax_out(kt_tensor *out, const kt_tensor *self, const kt_tensor *other); /* elementwise maximum; the other one where one is NaN */
KT_API kt_tensor *kt_fmin(const kt_tensor *self, const kt_tensor *other); /* elementwise minimum; the other one where one is NaN */
KT_API kt_tensor *kt_fmin_(kt_tensor *self, const kt_tensor *other); /* elementwise minimum; the other one where one is NaN */
KT_API kt_tensor *kt_fmin_out(kt_tensor *out, const kt_tensor *self, const kt_tensor *other); /* elementwise minimum; the other one where one is NaN */
KT_API kt_tensor *kt_eq(const kt_tensor *self, const kt_tensor *other); /* self == other */
KT_API kt_tensor *kt_eq_(kt_tensor *self, const kt_tensor *other); /* self == other */
KT_API kt_tensor *kt_eq_out(kt_tensor *out, const kt_tensor *self, const kt_tensor *other); /* self == other */
KT_API kt_tensor *kt_eq_s(const kt_tensor *self, kt_scalar other); /* self == other */
KT_API kt_tensor *kt_eq_s_(kt_tensor *self, kt_scalar other); /* self == other */
KT_API kt_tensor *kt_eq_s_out(kt_tensor *out, const kt_tensor *self, kt_scalar other); /* self == other */
KT_API kt_tensor *kt_ne(const kt_tensor *self, const kt_tensor *other); /* self != other */
KT_API kt_tensor *kt_ne_(kt_tensor *self, const kt_tensor *other); /* self != other */
KT_API kt_tensor *kt_ne_out(kt_tensor *out, const kt_tensor *self, const kt_tensor *other); /* self != other */
KT_API kt_tensor *kt_ne_s(const kt_tensor *self, kt_scalar other); /* self != other */
KT_API kt_tensor *kt_ne_s_(kt_tensor *self, kt_scalar other); /* self != other */
KT_API kt_tensor *kt_ne_s_out(kt_tensor *out, const kt_tensor *self, kt_scalar other); /* self != other */
KT_API kt_tensor *kt_lt(const kt_tensor *self, const kt_tensor *other); /* self < other */
KT_API kt_tensor *kt_lt_(kt_tensor *self, const kt_tensor *other); /* self < other */
KT_API kt_tensor *kt_lt_out(kt_tensor *out, const kt_tensor *self, const kt_tensor *other); /* self < other */
KT_API kt_tensor *kt_lt_s(const kt_tensor *self, kt_scalar other); /* self < other */
KT_API kt_tensor *kt_lt_s_(kt_tensor *self, kt_scalar other); /* self < other */
KT_API kt_tensor *kt_lt_s_out(kt_tensor *out, const kt_tensor *self, kt_scalar other); /* self < other */
KT_API kt_tensor *kt_le(const kt_tensor *self, const kt_tensor *other); /* self <= other */
KT_API kt_tensor *kt_le_(kt_tensor *self, const kt_tensor *other); /* self <= other */
KT_API kt_tensor *kt_le_out(kt_tensor *out, const kt_tensor *self, const kt_tensor *other); /* self <= other */
KT_API kt_tensor *kt_le_s(const kt_tensor *self, kt_scalar other); /* self <= other */
KT_API kt_tensor *kt_le_s_(kt_tensor *self, kt_scalar other); /* self <= other */
KT_API kt_tensor *kt_le_s_out(kt_tensor *out, const kt_tensor *self, kt_scalar other); /* self <= other */
KT_API kt_tensor *kt_gt(const kt_tensor *self, const kt_tensor *other); /* self > other */
KT_API kt_tensor *kt_gt_(kt_tensor *self, const kt_tensor *other); /* self > other */
KT_API kt_tensor *kt_gt_out(kt_tensor *out, const kt_tensor *self, const kt_tensor *other); /* self > other */
KT_API kt_tensor *kt_gt_s(const kt_tensor *self, kt_scalar other); /* self > other */
KT_API kt_tensor *kt_gt_s_(kt_tensor *self, kt_scalar other); /* self > other */
KT_API kt_tensor *kt_gt_s_out(kt_tensor *out, const kt_tensor *self, kt_scalar other); /* self > other */
KT_API kt_tensor *kt_ge(const kt_tensor *self, const kt_tensor *other); /* self >= other */
KT_API kt_tensor *kt_ge_(kt_tensor *self, const kt_tensor *other); /* self >= other */
KT_API kt_tensor *kt_ge_out(kt_tensor *out, const kt_tensor *self, const kt_tensor *other); /* self >= other */
KT_API kt_tensor *kt_ge_s(const kt_tensor *self, kt_scalar other); /* self >= other */
KT_API kt_tensor *kt_ge_s_(kt_tensor *self, kt_scalar other); /* self >= other */
KT_API kt_tensor *kt_ge_s_out(kt_tensor *out, const kt_tensor *self, kt_scalar other); /* self >= other */
KT_API kt_tensor *kt_isclose_kw(const kt_tensor *self, const kt_tensor *other, const kt_isclose_opts *opts); /* equal, or apart by no more than atol + rtol * |other| */
KT_API kt_tensor *kt_clamp_kw(const kt_tensor *self, const kt_clamp_opts *opts); /* clipped to [min, max] */
KT_API kt_tensor *kt_clamp__kw(kt_tensor *self, const kt_clamp_opts *opts); /* clipped to [min, max] */
KT_API kt_tensor *kt_clamp_out_kw(kt_tensor *out, const kt_tensor *self, const kt_clamp_opts *opts); /* clipped to [min, max] */
KT_API kt_tensor *kt_clamp_s_kw(const kt_tensor *self, const kt_clamp_s_opts *opts); /* clipped to [min, max] */
KT_API kt_tensor *kt_clamp_s__kw(kt_tensor *self, const kt_clamp_s_opts *opts); /* clipped to [min, max] */
KT_API kt_tensor *kt_clamp_s_out_kw(kt_tensor *out, const kt_tensor *self, const kt_clamp_s_opts *opts); /* clipped to [min, max] */
KT_API kt_tensor *kt_clamp_min(const kt_tensor *self, const kt_tensor *min); /* clipped from below */
KT_API kt_tensor *kt_clamp_min_(kt_tensor *self, const kt_tensor *min); /* clipped from below */
KT_API kt_tensor *kt_clamp_min_out(kt_tensor *out, const kt_tensor *self, const kt_tensor *min); /* clipped from below */
KT_API kt_tensor *kt_clamp_min_s(const kt_tensor *self, kt_scalar min); /* clipped from below */
KT_API kt_tensor *kt_clamp_min_s_(kt_tensor *self, kt_scalar min); /* clipped from below */
KT_API kt_tensor *kt_clamp_min_s_out(kt_tensor *out, const kt_tensor *self, kt_scalar min); /* clipped from below */
KT_API kt_tensor *kt_clamp_max(const kt_tensor *self, const kt_tensor *max); /* clipped from above */
KT_API kt_tensor *kt_clamp_max_(kt_tensor *self, const kt_tensor *max); /* clipped from above */
KT_API kt_tensor *kt_clamp_max_out(kt_tensor *out, const kt_tensor *self, const kt_tensor *max); /* clipped from above */
KT_API kt_tensor *kt_clamp_max_s(const kt_tensor *self, kt_scalar max); /* clipped from above */
KT_API kt_tensor *kt_clamp_max_s_(kt_tensor *self, kt_scalar max); /* clipped from above */
KT_API kt_tensor *kt_clamp_max_s_out(kt_tensor *out, const kt_tensor *self, kt_scalar max); /* clipped from above */
KT_API kt_tensor *kt_logical_and(const kt_tensor *self, const kt_tensor *other); /* logical and */
KT_API kt_tensor *kt_logical_and_(kt_tensor *self, const kt_tensor *other); /* logical and */
KT_API kt_tensor *kt_logical_and_out(kt_tensor *out, const kt_tensor *self, const kt_tensor *other); /* logical and */
KT_API kt_tensor *kt_logical_or(const kt_tensor *self, const kt_tensor *other); /* logical or */
KT_API kt_tensor *kt_logical_or_(kt_tensor *self, const kt_tensor *other); /* logical or */
KT_API kt_tensor *kt_logical_or_out(kt_tensor *out, const kt_tensor *self, const kt_tensor *other); /* logical or */
KT_API kt_tensor *kt_logical_xor(const kt_tensor *self, const kt_tensor *other); /* logical exclusive or */
KT_API kt_tensor *kt_logical_xor_(kt_tensor *self, const kt_tensor *other); /* logical exclusive or */
KT_API kt_tensor *kt_logical_xor_out(kt_tensor *out, const kt_tensor *self, const kt_tensor *other); /* logical exclusive or */
KT_API kt_tensor *kt_logical_not(const kt_tensor *self); /* logical not: true where zero */
KT_API kt_tensor *kt_logical_not_(kt_tensor *self); /* logical not: true where zero */
KT_API kt_tensor *kt_logical_not_out(kt_tensor *out, const kt_tensor *self); /* logical not: true where zero */
KT_API kt_tensor *kt_bitwise_and(const kt_tensor *self, const kt_tensor *other); /* bitwise and */
KT_API kt_tensor *kt_bitwise_and_(kt_tensor *self, const kt_tensor *other); /* bitwise and */
KT_API kt_tensor *kt_bitwise_and_out(kt_tensor *out, const kt_tensor *self, const kt_tensor *other); /* bitwise and */
KT_API kt_tensor *kt_bitwise_and_s(const kt_tensor *self, kt_scalar other); /* bitwise and */
KT_API kt_tensor *kt_bitwise_and_s_(kt_tensor *self, kt_scalar other); /* bitwise and */
KT_API kt_tensor *kt_bitwise_and_s_out(kt_tensor *out, const kt_tensor *self, kt_scalar other); /* bitwise and */
KT_API kt_tensor *kt_bitwise_or(const kt_tensor *self, const kt_tensor *other); /* bitwise or */
KT_API kt_tensor *kt_bitwise_or_(kt_tensor *self, const kt_tensor *other); /* bitwise or */
KT_API kt_tensor *kt_bitwise_or_out(kt_tensor *out, const kt_tensor *self, const kt_tensor *other); /* bitwise or */
KT_API kt_tensor *kt_bitwise_or_s(const kt_tensor *self, kt_scalar other); /* bitwise or */
KT_API kt_tensor *kt_bitwise_or_s_(kt_tensor *self, kt_scalar other); /* bitwise or */
KT_API kt_tensor *kt_bitwise_or_s_out(kt_tensor *out, const kt_tensor *self, kt_scalar other); /* bitwise or */
KT_API kt_tensor *kt_bitwise_xor(const kt_tensor *self, const kt_tensor *other); /* bitwise exclusive or */
KT_API kt_tensor *kt_bitwise_xor_(kt_tensor *self, const kt_tensor *other); /* bitwise exclusive or */
KT_API kt_tensor *kt_bitwise_xor_out(kt_tensor *out, const kt_tensor *self, const kt_tensor *other); /* bitwise exclusive or */
KT_API kt_tensor *kt_bitwise_xor_s(const kt_tensor *self, kt_scalar other); /* bitwise exclusive or */
KT_API kt_tensor *kt_bitwise_xor_s_(kt_tensor *self, kt_scalar other); /* bitwise exclusive or */
KT_API kt_tensor *kt_bitwise_xor_s_out(kt_tensor *out, const kt_tensor *self, kt_scalar other); /* bitwise exclusive or */
KT_API kt_tensor *kt_bitwise_not(const kt_tensor *self); /* bitwise complement */
KT_API kt_tensor *kt_bitwise_not_(kt_tensor *self); /* bitwise complement */
KT_API kt_tensor *kt_bitwise_not_out(kt_tensor *out, const kt_tensor *self); /* bitwise complement */
KT_API kt_tensor *kt_bitwise_left_shift(const kt_tensor *self, const kt_tensor *other); /* self << other */
KT_API kt_tensor *kt_bitwise_left_shift_(kt_tensor *self, const kt_tensor *other); /* self << other */
KT_API kt_tensor *kt_bitwise_left_shift_out(kt_tensor *out, const kt_tensor *self, const kt_tensor *other); /* self << other */
KT_API kt_tensor *kt_bitwise_left_shift_s(const kt_tensor *self, kt_scalar other); /* self << other */
KT_API kt_tensor *kt_bitwise_left_shift_s_(kt_tensor *self, kt_scalar other); /* self << other */
KT_API kt_tensor *kt_bitwise_left_shift_s_out(kt_tensor *out, const kt_tensor *self, kt_scalar other); /* self << other */
KT_API kt_tensor *kt_bitwise_right_shift(const kt_tensor *self, const kt_tensor *other); /* self >> other */
KT_API kt_tensor *kt_bitwise_right_shift_(kt_tensor *self, const kt_tensor *other); /* self >> other */
KT_API kt_tensor *kt_bitwise_right_shift_out(kt_tensor *out, const kt_tensor *self, const kt_tensor *other); /* self >> other */
KT_API kt_tensor *kt_bitwise_right_shift_s(const kt_tensor *self, kt_scalar other); /* self >> other */
KT_API kt_tensor *kt_bitwise_right_shift_s_(kt_tensor *self, kt_scalar other); /* self >> other */
KT_API kt_tensor *kt_bitwise_right_shift_s_out(kt_tensor *out, const kt_tensor *self, kt_scalar other); /* self >> other */
KT_API kt_tensor *kt_abs(const kt_tensor *self); /* absolute value; of a complex number its modulus */
KT_API kt_tensor *kt_abs_(kt_tensor *self); /* absolute value; of a complex number its modulus */
KT_API kt_tensor *kt_abs_out(kt_tensor *out, const kt_tensor *self); /* absolute value; of a complex number its modulus */
KT_API kt_tensor *kt_isnan(const kt_tensor *self); /* true where NaN */
KT_API kt_tensor *kt_isinf(const kt_tensor *self); /* true where infinite */
KT_API kt_tensor *kt_isfinite(const kt_tensor *self); /* true where finite */
KT_API kt_tensor *kt_isposinf(const kt_tensor *self); /* true where +infinity */
KT_API kt_tensor *kt_isposinf_out(kt_tensor *out, const kt_tensor *self); /* true where +infinity */
KT_API kt_tensor *kt_isneginf(const kt_tensor *self); /* true where -infinity */
KT_API kt_tensor *kt_isneginf_out(kt_tensor *out, const kt_tensor *self); /* true where -infinity */
KT_API kt_tensor *kt_signbit(const kt_tensor *self); /* true where the sign bit is set */
KT_API kt_tensor *kt_signbit_out(kt_tensor *out, const kt_tensor *self); /* true where the sign bit is set */
KT_API kt_tensor *kt_sign(const kt_tensor *self); /* -1, 0 or 1 */
KT_API kt_tensor *kt_sign_(kt_tensor *self); /* -1, 0 or 1 */
KT_API kt_tensor *kt_sign_out(kt_tensor *out, const kt_tensor *self); /* -1, 0 or 1 */
KT_API kt_tensor *kt_sgn(const kt_tensor *self); /* sign; of a complex number, its direction */
KT_API kt_tensor *kt_sgn_(kt_tensor *self); /* sign; of a complex number, its direction */
KT_API kt_tensor *kt_sgn_out(kt_tensor *out, const kt_tensor *self); /* sign; of a complex number, its direction */
KT_API kt_tensor *kt_neg(const kt_tensor *self); /* -self */
KT_API kt_tensor *kt_neg_(kt_tensor *self); /* -self */
KT_API kt_tensor *kt_neg_out(kt_tensor *out, const kt_tensor *self); /* -self */
KT_API kt_tensor *kt_positive(const kt_tensor *self); /* self */
KT_API kt_tensor *kt_square(const kt_tensor *self); /* self * self */
KT_API kt_tensor *kt_square_(kt_tensor *self); /* self * self */
KT_API kt_tensor *kt_square_out(kt_tensor *out, const kt_tensor *self); /* self * self */
KT_API kt_tensor *kt_ceil(const kt_tensor *self); /* rounded up to an integer */
KT_API kt_tensor *kt_ceil_(kt_tensor *self); /* rounded up to an integer */
KT_API kt_tensor *kt_ceil_out(kt_tensor *out, const kt_tensor *self); /* rounded up to an integer */
KT_API kt_tensor *kt_floor(const kt_tensor *self); /* rounded down to an integer */
KT_API kt_tensor *kt_floor_(kt_tensor *self); /* rounded down to an integer */
KT_API kt_tensor *kt_floor_out(kt_tensor *out, const kt_tensor *self); /* rounded down to an integer */
KT_API kt_tensor *kt_trunc(const kt_tensor *self); /* rounded towards zero */
KT_API kt_tensor *kt_trunc_(kt_tensor *self); /* rounded towards zero */
KT_API kt_tensor *kt_trunc_out(kt_tensor *out, const kt_tensor *self); /* rounded towards zero */
KT_API kt_tensor *kt_round_kw(const kt_tensor *self, const kt_round_opts *opts); /* to nearest, ties to even */
KT_API kt_tensor *kt_round__kw(kt_tensor *self, const kt_round_opts *opts); /* to nearest, ties to even */
KT_API kt_tensor *kt_round_out_kw(kt_tensor *out, const kt_tensor *self, const kt_round_opts *opts); /* to nearest, ties to even */
KT_API kt_tensor *kt_frac(const kt_tensor *self); /* self - trunc(self) */
KT_API kt_tensor *kt_frac_(kt_tensor *self); /* self - trunc(self) */
KT_API kt_tensor *kt_frac_out(kt_tensor *out, const kt_tensor *self); /* self - trunc(self) */
KT_API kt_tensor *kt_relu(const kt_tensor *self); /* max(self, 0) */
KT_API kt_tensor *kt_relu_(kt_tensor *self); /* max(self, 0) */
KT_API kt_tensor *kt_relu_out(kt_tensor *out, const kt_tensor *self); /* max(self, 0) */
KT_API kt_tensor *kt_reciprocal(const kt_tensor *self); /* 1 / self */
KT_API kt_tensor *kt_reciprocal_(kt_tensor *self); /* 1 / self */
KT_API kt_tensor *kt_reciprocal_out(kt_tensor *out, const kt_tensor *self); /* 1 / self */
KT_API kt_tensor *kt_sqrt(const kt_tensor *self); /* square root */
KT_API kt_tensor *kt_sqrt_(kt_tensor *self); /* square root */
KT_API kt_tensor *kt_sqrt_out(kt_tensor *out, const kt_tensor *self); /* square root */
KT_API kt_tensor *kt_rsqrt(const kt_tensor *self); /* 1 / sqrt(self) */
KT_API kt_tensor *kt_rsqrt_(kt_tensor *self); /* 1 / sqrt(self) */
KT_API kt_tensor *kt_rsqrt_out(kt_tensor *out, const kt_tensor *self); /* 1 / sqrt(self) */
KT_API kt_tensor *kt_exp(const kt_tensor *self); /* e^self */
KT_API kt_tensor *kt_exp_(kt_tensor *self); /* e^self */
KT_API kt_tensor *kt_exp_out(kt_tensor *out, const kt_tensor *self); /* e^self */
KT_API kt_tensor *kt_exp2(const kt_tensor *self); /* 2^self */
KT_API kt_tensor *kt_exp2_(kt_tensor *self); /* 2^self */
KT_API kt_tensor *kt_exp2_out(kt_tensor *out, const kt_tensor *self); /* 2^self */
KT_API kt_tensor *kt_expm1(const kt_tensor *self); /* e^self - 1, exact near 0 */
KT_API kt_tensor *kt_expm1_(kt_tensor *self); /* e^self - 1, exact near 0 */
KT_API kt_tensor *kt_expm1_out(kt_tensor *out, const kt_tensor *self); /* e^self - 1, exact near 0 */
KT_API kt_tensor *kt_log(const kt_tensor *self); /* natural logarithm */
KT_API kt_tensor *kt_log_(kt_tensor *self); /* natural logarithm */
KT_API kt_tensor *kt_log_out(kt_tensor *out, const kt_tensor *self); /* natural logarithm */
KT_API kt_tensor *kt_log2(const kt_tensor *self); /* logarithm to base 2 */
KT_API kt_tensor *kt_log2_(kt_tensor *self); /* logarithm to base 2 */
KT_API kt_tensor *kt_log2_out(kt_tensor *out, const kt_tensor *self); /* logarithm to base 2 */
KT_API kt_tensor *kt_log10(const kt_tensor *self); /* logarithm to base 10 */
KT_API kt_tensor *kt_log10_(kt_tensor *self); /* logarithm to base 10 */
KT_API kt_tensor *kt_log10_out(kt_tensor *out, const kt_tensor *self); /* logarithm to base 10 */
KT_API kt_tensor *kt_log1p(const kt_tensor *self); /* log(1 + self), exact near 0 */
KT_API kt_tensor *kt_log1p_(kt_tensor *self); /* log(1 + self), exact near 0 */
KT_API kt_tensor *kt_log1p_out(kt_tensor *out, const kt_tensor *self); /* log(1 + self), exact near 0 */
KT_API kt_tensor *kt_sin(const kt_tensor *self); /* sine */
KT_API kt_tensor *kt_sin_(kt_tensor *self); /* sine */
KT_API kt_tensor *kt_sin_out(kt_tensor *out, const kt_tensor *self); /* sine */
KT_API kt_tensor *kt_cos(const kt_tensor *self); /* cosine */
KT_API kt_tensor *kt_cos_(kt_tensor *self); /* cosine */
KT_API kt_tensor *kt_cos_out(kt_tensor *out, const kt_tensor *self); /* cosine */
KT_API kt_tensor *kt_tan(const kt_tensor *self); /* tangent */
KT_API kt_tensor *kt_tan_(kt_tensor *self); /* tangent */
KT_API kt_tensor *kt_tan_out(kt_tensor *out, const kt_tensor *self); /* tangent */
KT_API kt_tensor *kt_asin(const kt_tensor *self); /* arc sine */
KT_API kt_tensor *kt_asin_(kt_tensor *self); /* arc sine */
KT_API kt_tensor *kt_asin_out(kt_tensor *out, const kt_tensor *self); /* arc sine */
KT_API kt_tensor *kt_acos(const kt_tensor *self); /* arc cosine */
KT_API kt_tensor *kt_acos_(kt_tensor *self); /* arc cosine */
KT_API kt_tensor *kt_acos_out(kt_tensor *out, const kt_tensor *self); /* arc cosine */
KT_API kt_tensor *kt_atan(const kt_tensor *self); /* arc tangent */
KT_API kt_tensor *kt_atan_(kt_tensor *self); /* arc tangent */
KT_API kt_tensor *kt_atan_out(kt_tensor *out, const kt_tensor *self); /* arc tangent */
KT_API kt_tensor *kt_sinh(const kt_tensor *self); /* hyperbolic sine */
KT_API kt_tensor *kt_sinh_(kt_tensor *self); /* hyperbolic sine */
KT_API kt_tensor *kt_sinh_out(kt_tensor *out, const kt_tensor *self); /* hyperbolic sine */
KT_API kt_tensor *kt_cosh(const kt_tensor *self); /* hyperbolic cosine */
KT_API kt_tensor *kt_cosh_(kt_tensor *self); /* hyperbolic cosine */
KT_API kt_tensor *kt_cosh_out(kt_tensor *out, const kt_tensor *self); /* hyperbolic cosine */
KT_API kt_tensor *kt_tanh(const kt_tensor *self); /* hyperbolic tangent */
KT_API kt_tensor *kt_tanh_(kt_tensor *self); /* hyperbolic tangent */
KT_API kt_tensor *kt_tanh_out(kt_tensor *out, const kt_tensor *self); /* hyperbolic tangent */
KT_API kt_tensor *kt_asinh(const kt_tensor *self); /* inverse of sinh */
KT_API kt_tensor *kt_asinh_(kt_tensor *self); /* inverse of sinh */
KT_API kt_tensor *kt_asinh_out(kt_tensor *out, const kt_tensor *self); /* inverse of sinh */
KT_API kt_tensor *kt_acosh(const kt_tensor *self); /* inverse of cosh */
KT_API kt_tensor *kt_acosh_(kt_tensor *self); /* inverse of cosh */
KT_API kt_tensor *kt_acosh_out(kt_tensor *out, const kt_tensor *self); /* inverse of cosh */
KT_API kt_tensor *kt_atanh(const kt_tensor *self); /* inverse of tanh */
KT_API kt_tensor *kt_atanh_(kt_tensor *self); /* inverse of tanh */
KT_API kt_tensor *kt_atanh_out(kt_tensor *out, const kt_tensor *self); /* inverse of tanh */
KT_API kt_tensor *kt_sigmoid(const kt_tensor *self); /* 1 / (1 + e^-self) */
KT_API kt_tensor *kt_sigmoid_(kt_tensor *self); /* 1 / (1 + e^-self) */
KT_API kt_tensor *kt_sigmoid_out(kt_tensor *out, const kt_tensor *self); /* 1 / (1 + e^-self) */
KT_API kt_tensor *kt_sinc(const kt_tensor *self); /* sin(pi x) / (pi x) */
KT_API kt_tensor *kt_sinc_(kt_tensor *self); /* sin(pi x) / (pi x) */
KT_API kt_tensor *kt_sinc_out(kt_tensor *out, const kt_tensor *self); /* sin(pi x) / (pi x) */
KT_API kt_tensor *kt_erf(const kt_tensor *self); /* error function */
KT_API kt_tensor *kt_erf_(kt_tensor *self); /* error function */
KT_API kt_tensor *kt_erf_out(kt_tensor *out, const kt_tensor *self); /* error function */
KT_API kt_tensor *kt_erfc(const kt_tensor *self); /* 1 - erf */
KT_API kt_tensor *kt_erfc_(kt_tensor *self); /* 1 - erf */
KT_API kt_tensor *kt_erfc_out(kt_tensor *out, const kt_tensor *self); /* 1 - erf */
KT_API kt_tensor *kt_erfinv(const kt_tensor *self); /* inverse of erf */
KT_API kt_tensor *kt_erfinv_(kt_tensor *self); /* inverse of erf */
KT_API kt_tensor *kt_erfinv_out(kt_tensor *out, const kt_tensor *self); /* inverse of erf */
KT_API kt_tensor *kt_digamma(const kt_tensor *self); /* derivative of lgamma */
KT_API kt_tensor *kt_digamma_(kt_tensor *self); /* derivative of lgamma */
KT_API kt_tensor *kt_digamma_out(kt_tensor *out, const kt_tensor *self); /* derivative of lgamma */
KT_API kt_tensor *kt_lgamma(const kt_tensor *self); /* log of |gamma| */
KT_API kt_tensor *kt_lgamma_(kt_tensor *self); /* log of |gamma| */
KT_API kt_tensor *kt_lgamma_out(kt_tensor *out, const kt_tensor *self); /* log of |gamma| */
KT_API kt_tensor *kt_i0(const kt_tensor *self); /* modified Bessel function of order 0 */
KT_API kt_tensor *kt_i0_(kt_tensor *self); /* modified Bessel function of order 0 */
KT_API kt_tensor *kt_i0_out(kt_tensor *out, const kt_tensor *self); /* modified Bessel function of order 0 */
KT_API kt_tensor *kt_special_i1(const kt_tensor *self); /* modified Bessel function of order 1 */
KT_API kt_tensor *kt_special_i1_out(kt_tensor *out, const kt_tensor *self); /* modified Bessel function of order 1 */
KT_API kt_tensor *kt_polygamma(int64_t n, const kt_tensor *self); /* the n-th derivative of digamma */
KT_API kt_tensor *kt_polygamma_out(kt_tensor *out, int64_t n, const kt_tensor *self); /* the n-th derivative of digamma */
KT_API kt_tensor *kt_polygamma_of_kw(const kt_tensor *self, const kt_polygamma_of_opts *opts); /* polygamma, its tensor first */
KT_API kt_tensor *kt_polygamma_of_out_kw(kt_tensor *out, const kt_tensor *self, const kt_polygamma_of_opts *opts); /* polygamma, its tensor first */
KT_API kt_frexp_results kt_frexp(const kt_tensor *self); /* mantissa from a half up to 1, and exponent of 2 */
KT_API kt_frexp_results kt_frexp_out(kt_tensor *mantissa, kt_tensor *exponent, const kt_tensor *self); /* mantissa from a half up to 1, and exponent of 2 */
KT_API kt_tensor *kt_frexp_mantissa(const kt_tensor *self); /* the mantissa that frexp gives */
KT_API kt_tensor *kt_frexp_exponent(const kt_tensor *self); /* the exponent that frexp gives, as a float */
KT_API kt_tensor *kt_logit_kw(const kt_tensor *self, const kt_logit_opts *opts); /* log(p / (1 - p)), p held eps from 0 and 1 where eps is given */
KT_API kt_tensor *kt_logit__kw(kt_tensor *self, const kt_logit_opts *opts); /* log(p / (1 - p)), p held eps from 0 and 1 where eps is given */
KT_API kt_tensor *kt_logit_out_kw(kt_tensor *out, const kt_tensor *self, const kt_logit_opts *opts); /* log(p / (1 - p)), p held eps from 0 and 1 where eps is given */
KT_API kt_tensor *kt_deg2rad(const kt_tensor *self); /* degrees to radians */
KT_API kt_tensor *kt_deg2rad_(kt_tensor *self); /* degrees to radians */
KT_API kt_tensor *kt_deg2rad_out(kt_tensor *out, const kt_tensor *self); /* degrees to radians */
KT_API kt_tensor *kt_rad2deg(const kt_tensor *self); /* radians to degrees */
KT_API kt_tensor *kt_rad2deg_(kt_tensor *self); /* radians to degrees */
KT_API kt_tensor *kt_rad2deg_out(kt_tensor *out, const kt_tensor *self); /* radians to degrees */
KT_API kt_tensor *kt_angle(const kt_tensor *self); /* angle of a complex number; pi for negative reals */
KT_API kt_tensor *kt_angle_out(kt_tensor *out, const kt_tensor *self); /* angle of a complex number; pi for negative reals */
KT_API kt_tensor *kt_nan_to_num_kw(const kt_tensor *self, const kt_nan_to_num_opts *opts); /* NaN and infinities replaced */
KT_API kt_tensor *kt_nan_to_num__kw(kt_tensor *self, const kt_nan_to_num_opts *opts); /* NaN and infinities replaced */
KT_API kt_tensor *kt_nan_to_num_out_kw(kt_tensor *out, const kt_tensor *self, const kt_nan_to_num_opts *opts); /* NaN and infinities replaced */
KT_API kt_tensor *kt_conj_physical(const kt_tensor *self); /* conjugate, computed now; of a real tensor the tensor itself */
KT_API kt_tensor *kt_conj_physical_(kt_tensor *self); /* conjugate, computed now; of a real tensor the tensor itself */
KT_API kt_tensor *kt_conj_physical_out(kt_tensor *out, const kt_tensor *self); /* conjugate, computed now; of a real tensor the tensor itself */
KT_API kt_tensor *kt_conj_physical_of(const kt_tensor *self); /* conjugate, computed now; of a real tensor a copy */
KT_API kt_tensor *kt_conj_physical_of_(kt_tensor *self); /* conjugate, computed now; of a real tensor a copy */
KT_API kt_tensor *kt_conj_physical_of_out(kt_tensor *out, const kt_tensor *self); /* conjugate, computed now; of a real tensor a copy */
KT_API kt_tensor *kt_complex(const kt_tensor *real, const kt_tensor *imag); /* complex numbers of their parts */
KT_API kt_tensor *kt_complex_out(kt_tensor *out, const kt_tensor *real, const kt_tensor *imag); /* complex numbers of their parts */
KT_API kt_tensor *kt_polar(const kt_tensor *abs, const kt_tensor *angle); /* complex numbers of their lengths and angles */
KT_API kt_tensor *kt_polar_out(kt_tensor *out, const kt_tensor *abs, const kt_tensor *angle); /* complex numbers of their lengths and angles */
KT_API kt_tensor *kt_where(const kt_tensor *condition, const kt_tensor *self, const kt_tensor *other); /* self where condition holds, else other */
KT_API kt_tensor *kt_where_out(kt_tensor *out, const kt_tensor *condition, const kt_tensor *self, const kt_tensor *other); /* self where condition holds, else other */
KT_API kt_tensor *kt_where_s(const kt_tensor *condition, const kt_tensor *self, kt_scalar other); /* self where condition holds, else other */
KT_API kt_tensor *kt_where_s_out(kt_tensor *out, const kt_tensor *condition, const kt_tensor *self, kt_scalar other); /* self where condition holds, else other */
KT_API kt_tensor *kt_where_ss(const kt_tensor *condition, kt_scalar self, kt_scalar other); /* self where condition holds, else other */
KT_API kt_tensor *kt_where_ss_out(kt_tensor *out, const kt_tensor *condition, kt_scalar self, kt_scalar other); /* self where condition holds, else other */
KT_API kt_tensor *kt_lerp(const kt_tensor *self, const kt_tensor *end, const kt_tensor *weight); /* self + weight * (end - self) */
KT_API kt_tensor *kt_lerp_(kt_tensor *self, const kt_tensor *end, const kt_tensor *weight); /* self + weight * (end - self) */
KT_API kt_tensor *kt_lerp_out(kt_tensor *out, const kt_tensor *self, const kt_tensor *end, const kt_tensor *weight); /* self + weight * (end - self) */
KT_API kt_tensor *kt_lerp_s(const kt_tensor *self, const kt_tensor *end, kt_scalar weight); /* self + weight * (end - self) */
KT_API kt_tensor *kt_lerp_s_(kt_tensor *self, const kt_tensor *end, kt_scalar weight); /* self + weight * (end - self) */
KT_API kt_tensor *kt_lerp_s_out(kt_tensor *out, const kt_tensor *self, const kt_tensor *end, kt_scalar weight); /* self + weight * (end - self) */
KT_API kt_tensor *kt_addcmul_kw(const kt_tensor *self, const kt_tensor *tensor1, const kt_tensor *tensor2, const kt_addcmul_opts *opts); /* self + value * tensor1 * tensor2 */
KT_API kt_tensor *kt_addcmul__kw(kt_tensor *self, const kt_tensor *tensor1, const kt_tensor *tensor2, const kt_addcmul_opts *opts); /* self + value * tensor1 * tensor2 */
KT_API kt_tensor *kt_addcmul_out_kw(kt_tensor *out, const kt_tensor *self, const kt_tensor *tensor1, const kt_tensor *tensor2, const kt_addcmul_opts *opts); /* self + value * tensor1 * tensor2 */
KT_API kt_tensor *kt_addcdiv_kw(const kt_tensor *self, const kt_tensor *tensor1, const kt_tensor *tensor2, const kt_addcdiv_opts *opts); /* self + value * tensor1 / tensor2 */
KT_API kt_tensor *kt_addcdiv__kw(kt_tensor *self, const kt_tensor *tensor1, const kt_tensor *tensor2, const kt_addcdiv_opts *opts); /* self + value * tensor1 / tensor2 */
KT_API kt_tensor *kt_addcdiv_out_kw(kt_tensor *out, const kt_tensor *self, const kt_tensor *tensor1, const kt_tensor *tensor2, const kt_addcdiv_opts *opts); /* self + value * tensor1 / tensor2 */
KT_API kt_tensor *kt_isreal(const kt_tensor *self); /* true where the imaginary part is 0 */
KT_API kt_tensor *kt_gelu_kw(const kt_tensor *self, const kt_gelu_opts *opts); /* Gaussian error linear unit, x * Phi(x): exact (erf), or approximate='tanh' */
KT_API kt_tensor *kt_gelu_out_kw(kt_tensor *out, const kt_tensor *self, const kt_gelu_opts *opts); /* Gaussian error linear unit, x * Phi(x): exact (erf), or approximate='tanh' */
KT_API kt_tensor *kt_silu(const kt_tensor *self); /* sigmoid linear unit (swish): self * sigmoid(self) */
KT_API kt_tensor *kt_silu_(kt_tensor *self); /* sigmoid linear unit (swish): self * sigmoid(self) */
KT_API kt_tensor *kt_silu_out(kt_tensor *out, const kt_tensor *self); /* sigmoid linear unit (swish): self * sigmoid(self) */
KT_API kt_tensor *kt_mish(const kt_tensor *self); /* self * tanh(softplus(self)) */
KT_API kt_tensor *kt_mish_(kt_tensor *self); /* self * tanh(softplus(self)) */
KT_API kt_tensor *kt_mish_out(kt_tensor *out, const kt_tensor *self); /* self * tanh(softplus(self)) */
KT_API kt_tensor *kt_elu_kw(const kt_tensor *self, const kt_elu_opts *opts); /* exponential linear unit: self, below 0 alpha * (e^self - 1); times scale */
KT_API kt_tensor *kt_elu__kw(kt_tensor *self, const kt_elu_opts *opts); /* exponential linear unit: self, below 0 alpha * (e^self - 1); times scale */
KT_API kt_tensor *kt_elu_out_kw(kt_tensor *out, const kt_tensor *self, const kt_elu_opts *opts); /* exponential linear unit: self, below 0 alpha * (e^self - 1); times scale */
KT_API kt_tensor *kt_celu_kw(const kt_tensor *input, const kt_celu_opts *opts); /* input, below 0 alpha * (e^(input / alpha) - 1) */
KT_API kt_tensor *kt_celu__kw(kt_tensor *input, const kt_celu_opts *opts); /* input, below 0 alpha * (e^(input / alpha) - 1) */
KT_API kt_tensor *kt_selu(const kt_tensor *input); /* scaled exponential linear unit (self-normalizing) */
KT_API kt_tensor *kt_selu_(kt_tensor *input); /* scaled exponential linear unit (self-normalizing) */
KT_API kt_tensor *kt_leaky_relu_kw(const kt_tensor *self, const kt_leaky_relu_opts *opts); /* self, below 0 negative_slope * self */
KT_API kt_tensor *kt_leaky_relu__kw(kt_tensor *self, const kt_leaky_relu_opts *opts); /* self, below 0 negative_slope * self */
KT_API kt_tensor *kt_leaky_relu_out_kw(kt_tensor *out, const kt_tensor *self, const kt_leaky_relu_opts *opts); /* self, below 0 negative_slope * self */
KT_API kt_tensor *kt_hardtanh_kw(const kt_tensor *self, const kt_hardtanh_opts *opts); /* clipped to [min_val, max_val] */
KT_API kt_tensor *kt_hardtanh__kw(kt_tensor *self, const kt_hardtanh_opts *opts); /* clipped to [min_val, max_val] */
KT_API kt_tensor *kt_hardtanh_out_kw(kt_tensor *out, const kt_tensor *self, const kt_hardtanh_opts *opts); /* clipped to [min_val, max_val] */
KT_API kt_tensor *kt_relu6(const kt_tensor *self); /* clipped to [0, 6] */
KT_API kt_tensor *kt_relu6_(kt_tensor *self); /* clipped to [0, 6] */
KT_API kt_tensor *kt_hardsigmoid(const kt_tensor *self); /* self / 6 + 1 / 2, clipped to [0, 1] */
KT_API kt_tensor *kt_hardsigmoid_(kt_tensor *self); /* self / 6 + 1 / 2, clipped to [0, 1] */
KT_API kt_tensor *kt_hardsigmoid_out(kt_tensor *out, const kt_tensor *self); /* self / 6 + 1 / 2, clipped to [0, 1] */
KT_API kt_tensor *kt_hardswish(const kt_tensor *self); /* self * hardsigmoid(self) */
KT_API kt_tensor *kt_hardswish_(kt_tensor *self); /* self * hardsigmoid(self) */
KT_API kt_tensor *kt_hardswish_out(kt_tensor *out, const kt_tensor *self); /* self * hardsigmoid(self) */
KT_API kt_tensor *kt_hardshrink_kw(const kt_tensor *self, const kt_hardshrink_opts *opts); /* hard thresholding: 0 between -lambd and lambd, else self */
KT_API kt_tensor *kt_hardshrink_out_kw(kt_tensor *out, const kt_tensor *self, const kt_hardshrink_opts *opts); /* hard thresholding: 0 between -lambd and lambd, else self */
KT_API kt_tensor *kt_softshrink_kw(const kt_tensor *self, const kt_softshrink_opts *opts); /* soft thresholding: shrunk towards 0 by lambd */
KT_API kt_tensor *kt_softshrink_out_kw(kt_tensor *out, const kt_tensor *self, const kt_softshrink_opts *opts); /* soft thresholding: shrunk towards 0 by lambd */
KT_API kt_tensor *kt_softplus_kw(const kt_tensor *self, const kt_softplus_opts *opts); /* log(1 + e^(beta * self)) / beta, self where beta * self is over the threshold */
KT_API kt_tensor *kt_softplus_out_kw(kt_tensor *out, const kt_tensor *self, const kt_softplus_opts *opts); /* log(1 + e^(beta * self)) / beta, self where beta * self is over the threshold */
KT_API kt_tensor *kt_log_sigmoid(const kt_tensor *self); /* log(sigmoid(self)) without underflow */
KT_API kt_tensor *kt_log_sigmoid_out(kt_tensor *out, const kt_tensor *self); /* log(sigmoid(self)) without underflow */
KT_API kt_tensor *kt_softsign(const kt_tensor *self); /* self / (1 + |self|) */
KT_API kt_tensor *kt_tanhshrink(const kt_tensor *self); /* self - tanh(self) */
KT_API kt_tensor *kt_threshold(const kt_tensor *input, kt_scalar threshold, kt_scalar value); /* input where it is over the threshold, else value */
KT_API kt_tensor *kt_threshold_(kt_tensor *input, kt_scalar threshold, kt_scalar value); /* input where it is over the threshold, else value */
KT_API kt_tensor *kt_threshold_out(kt_tensor *out, const kt_tensor *input, kt_scalar threshold, kt_scalar value); /* input where it is over the threshold, else value */
KT_API kt_tensor *kt_prelu(const kt_tensor *self, const kt_tensor *weight); /* parametric relu: self, below 0 weight * self (one weight, or one for each channel) */
KT_API kt_tensor *kt_prelu_kernel(const kt_tensor *self, const kt_tensor *weight); /* prelu of a weight that broadcasts */
KT_API kt_tensor *kt_glu_kw(const kt_tensor *self, const kt_glu_opts *opts); /* gated linear unit: the first half of a dim times the sigmoid of the second */
KT_API kt_tensor *kt_glu_out_kw(kt_tensor *out, const kt_tensor *self, const kt_glu_opts *opts); /* gated linear unit: the first half of a dim times the sigmoid of the second */
KT_API kt_tensor *kt_glu_halves(const kt_tensor *first, const kt_tensor *second); /* glu of its halves: first * sigmoid(second) */
KT_API kt_tensor *kt_gelu_backward_kw(const kt_tensor *grad_output, const kt_tensor *self, const kt_gelu_backward_opts *opts); /* grad_output times the slope of gelu */
KT_API kt_tensor *kt_silu_backward(const kt_tensor *grad_output, const kt_tensor *self); /* grad_output times the slope of silu */
KT_API kt_tensor *kt_elu_backward(const kt_tensor *grad_output, const kt_tensor *self_or_result, kt_scalar alpha, kt_scalar scale, kt_scalar input_scale, bool is_result); /* grad_output times the slope of elu, which its result tells too where alpha is not negative */
KT_API kt_tensor *kt_leaky_relu_backward(const kt_tensor *grad_output, const kt_tensor *self, kt_scalar negative_slope, bool self_is_result); /* grad_output times the slope of leaky_relu */
KT_API kt_tensor *kt_threshold_backward(const kt_tensor *grad_output, const kt_tensor *self, kt_scalar threshold); /* grad_output where self is over the threshold, else 0 */
KT_API kt_tensor *kt_hardtanh_backward(const kt_tensor *grad_output, const kt_tensor *self, kt_scalar min_val, kt_scalar max_val); /* grad_output where self is between min_val and max_val, else 0 */
KT_API kt_tensor *kt_hardsigmoid_backward(const kt_tensor *grad_output, const kt_tensor *self); /* grad_output times the slope of hardsigmoid */
KT_API kt_tensor *kt_hardswish_backward(const kt_tensor *grad_output, const kt_tensor *self); /* grad_output times the slope of hardswish */
KT_API kt_tensor *kt_hardshrink_backward(const kt_tensor *grad_out, const kt_tensor *self, kt_scalar lambd); /* grad_out where self is not between -lambd and lambd, else 0 */
KT_API kt_tensor *kt_softshrink_backward(const kt_tensor *grad_output, const kt_tensor *self, kt_scalar lambd); /* grad_output where self is not between -lambd and lambd, else 0 */
KT_API kt_tensor *kt_softplus_backward(const kt_tensor *grad_output, const kt_tensor *self, kt_scalar beta, kt_scalar threshold); /* grad_output times the slope of softplus */
KT_API kt_tensor *kt_log_sigmoid_backward(const kt_tensor *grad_output, const kt_tensor *self); /* grad_output times the slope of log_sigmoid */
KT_API kt_prelu_kernel_backward_results kt_prelu_kernel_backward(const kt_tensor *grad_output, const kt_tensor *self, const kt_tensor *weight); /* grad_output times the slopes of prelu in its input and its weight */
KT_API kt_tensor *kt_glu_backward(const kt_tensor *grad_output, const kt_tensor *self, int64_t dim); /* grad_output times the slope of glu */
KT_API kt_tensor *kt_sum_kw(const kt_tensor *self, const kt_sum_opts *opts); /* sum of all elements */
KT_API kt_tensor *kt_sum_dim_kw(const kt_tensor *self, kt_shape dim, const kt_sum_dim_opts *opts); /* sum over some dims */
KT_API kt_tensor *kt_sum_dim_out_kw(kt_tensor *out, const kt_tensor *self, kt_shape dim, const kt_sum_dim_opts *opts); /* sum over some dims */
KT_API kt_tensor *kt_nansum_kw(const kt_tensor *self, const kt_nansum_opts *opts); /* sum, NaN counted as 0 */
KT_API kt_tensor *kt_nansum_out_kw(kt_tensor *out, const kt_tensor *self, const kt_nansum_opts *opts); /* sum, NaN counted as 0 */
KT_API kt_tensor *kt_prod_kw(const kt_tensor *self, const kt_prod_opts *opts); /* product of all elements */
KT_API kt_tensor *kt_prod_dim_kw(const kt_tensor *self, int64_t dim, const kt_prod_dim_opts *opts); /* product over a dim */
KT_API kt_tensor *kt_prod_dim_out_kw(kt_tensor *out, const kt_tensor *self, int64_t dim, const kt_prod_dim_opts *opts); /* product over a dim */
KT_API kt_tensor *kt_mean_kw(const kt_tensor *self, const kt_mean_opts *opts); /* mean of all elements */
KT_API kt_tensor *kt_mean_out_kw(kt_tensor *out, const kt_tensor *self, const kt_mean_opts *opts); /* mean of all elements */
KT_API kt_tensor *kt_mean_dim_kw(const kt_tensor *self, kt_shape dim, const kt_mean_dim_opts *opts); /* mean over some dims */
KT_API kt_tensor *kt_mean_dim_out_kw(kt_tensor *out, const kt_tensor *self, kt_shape dim, const kt_mean_dim_opts *opts); /* mean over some dims */
KT_API kt_tensor *kt_nanmean_kw(const kt_tensor *self, const kt_nanmean_opts *opts); /* mean, NaN left out */
KT_API kt_tensor *kt_nanmean_out_kw(kt_tensor *out, const kt_tensor *self, const kt_nanmean_opts *opts); /* mean, NaN left out */
KT_API kt_tensor *kt_logsumexp_kw(const kt_tensor *self, kt_shape dim, const kt_logsumexp_opts *opts); /* log of the sum of exponentials, without overflow */
KT_API kt_tensor *kt_logsumexp_out_kw(kt_tensor *out, const kt_tensor *self, kt_shape dim, const kt_logsumexp_opts *opts); /* log of the sum of exponentials, without overflow */
KT_API kt_tensor *kt_count_nonzero_kw(const kt_tensor *self, const kt_count_nonzero_opts *opts); /* number of elements that are not 0 */
KT_API kt_tensor *kt_count_nonzero_dim(const kt_tensor *self, kt_shape dim); /* number of elements that are not 0, over some dims */
KT_API kt_tensor *kt_var_kw(const kt_tensor *self, const kt_var_opts *opts); /* variance of all elements */
KT_API kt_tensor *kt_var_dim_kw(const kt_tensor *self, kt_shape dim, const kt_var_dim_opts *opts); /* variance over some dims */
KT_API kt_tensor *kt_var_dim_out_kw(kt_tensor *out, const kt_tensor *self, kt_shape dim, const kt_var_dim_opts *opts); /* variance over some dims */
KT_API kt_tensor *kt_var_correction_kw(const kt_tensor *self, const kt_var_correction_opts *opts); /* variance with the count corrected by any number */
KT_API kt_tensor *kt_var_correction_out_kw(kt_tensor *out, const kt_tensor *self, const kt_var_correction_opts *opts); /* variance with the count corrected by any number */
KT_API kt_tensor *kt_std_kw(const kt_tensor *self, const kt_std_opts *opts); /* standard deviation of all elements */
KT_API kt_tensor *kt_std_dim_kw(const kt_tensor *self, kt_shape dim, const kt_std_dim_opts *opts); /* standard deviation over some dims */
KT_API kt_tensor *kt_std_dim_out_kw(kt_tensor *out, const kt_tensor *self, kt_shape dim, const kt_std_dim_opts *opts); /* standard deviation over some dims */
KT_API kt_tensor *kt_std_correction_kw(const kt_tensor *self, const kt_std_correction_opts *opts); /* standard deviation with the count corrected by any number */
KT_API kt_tensor *kt_std_correction_out_kw(kt_tensor *out, const kt_tensor *self, const kt_std_correction_opts *opts); /* standard deviation with the count corrected by any number */
KT_API kt_var_mean_results kt_var_mean_kw(const kt_tensor *self, const kt_var_mean_opts *opts); /* variance and mean of all elements */
KT_API kt_var_mean_dim_results kt_var_mean_dim_kw(const kt_tensor *self, kt_shape dim, const kt_var_mean_dim_opts *opts); /* variance and mean over some dims */
KT_API kt_var_mean_correction_results kt_var_mean_correction_kw(const kt_tensor *self, const kt_var_mean_correction_opts *opts); /* variance, the count corrected by any number, and mean */
KT_API kt_std_mean_results kt_std_mean_kw(const kt_tensor *self, const kt_std_mean_opts *opts); /* standard deviation and mean of all elements */
KT_API kt_std_mean_dim_results kt_std_mean_dim_kw(const kt_tensor *self, kt_shape dim, const kt_std_mean_dim_opts *opts); /* standard deviation and mean over some dims */
KT_API kt_std_mean_correction_results kt_std_mean_correction_kw(const kt_tensor *self, const kt_std_mean_correction_opts *opts); /* standard deviation, the count corrected by any number, and mean */
KT_API kt_tensor *kt_max(const kt_tensor *self); /* maximum of all elements */
KT_API kt_tensor *kt_max_out(kt_tensor *out, const kt_tensor *self); /* maximum of all elements */
KT_API kt_tensor *kt_max_other(const kt_tensor *self, const kt_tensor *other); /* elementwise maximum; NaN if either is */
KT_API kt_tensor *kt_max_other_out(kt_tensor *out, const kt_tensor *self, const kt_tensor *other); /* elementwise maximum; NaN if either is */
KT_API kt_max_dim_results kt_max_dim_kw(const kt_tensor *self, int64_t dim, const kt_max_dim_opts *opts); /* maximum along a dim, and the index of the first */
KT_API kt_max_dim_results kt_max_dim_out_kw(kt_tensor *values, kt_tensor *indices, const kt_tensor *self, int64_t dim, const kt_max_dim_opts *opts); /* maximum along a dim, and the index of the first */
KT_API kt_tensor *kt_min(const kt_tensor *self); /* minimum of all elements */
KT_API kt_tensor *kt_min_out(kt_tensor *out, const kt_tensor *self); /* minimum of all elements */
KT_API kt_tensor *kt_min_other(const kt_tensor *self, const kt_tensor *other); /* elementwise minimum; NaN if either is */
KT_API kt_tensor *kt_min_other_out(kt_tensor *out, const kt_tensor *self, const kt_tensor *other); /* elementwise minimum; NaN if either is */
KT_API kt_min_dim_results kt_min_dim_kw(const kt_tensor *self, int64_t dim, const kt_min_dim_opts *opts); /* minimum along a dim, and the index of the first */
KT_API kt_min_dim_results kt_min_dim_out_kw(kt_tensor *values, kt_tensor *indices, const kt_tensor *self, int64_t dim, const kt_min_dim_opts *opts); /* minimum along a dim, and the index of the first */
KT_API kt_tensor *kt_amax_kw(const kt_tensor *self, const kt_amax_opts *opts); /* maximum over some dims */
KT_API kt_tensor *kt_amax_out_kw(kt_tensor *out, const kt_tensor *self, const kt_amax_opts *opts); /* maximum over some dims */
KT_API kt_tensor *kt_amin_kw(const kt_tensor *self, const kt_amin_opts *opts); /* minimum over some dims */
KT_API kt_tensor *kt_amin_out_kw(kt_tensor *out, const kt_tensor *self, const kt_amin_opts *opts); /* minimum over some dims */
KT_API kt_aminmax_results kt_aminmax_kw(const kt_tensor *self, const kt_aminmax_opts *opts); /* minimum and maximum */
KT_API kt_aminmax_results kt_aminmax_out_kw(kt_tensor *min, kt_tensor *max, const kt_tensor *self, const kt_aminmax_opts *opts); /* minimum and maximum */
KT_API kt_tensor *kt_argmax_kw(const kt_tensor *self, const kt_argmax_opts *opts); /* index of the first maximum */
KT_API kt_tensor *kt_argmax_out_kw(kt_tensor *out, const kt_tensor *self, const kt_argmax_opts *opts); /* index of the first maximum */
KT_API kt_tensor *kt_argmin_kw(const kt_tensor *self, const kt_argmin_opts *opts); /* index of the first minimum */
KT_API kt_tensor *kt_argmin_out_kw(kt_tensor *out, const kt_tensor *self, const kt_argmin_opts *opts); /* index of the first minimum */
KT_API kt_tensor *kt_any(const kt_tensor *self); /* true if any element is */
KT_API kt_tensor *kt_any_out(kt_tensor *out, const kt_tensor *self); /* true if any element is */
KT_API kt_tensor *kt_any_dim_kw(const kt_tensor *self, int64_t dim, const kt_any_dim_opts *opts); /* true if any element along a dim is */
KT_API kt_tensor *kt_any_dim_out_kw(kt_tensor *out, const kt_tensor *self, int64_t dim, const kt_any_dim_opts *opts); /* true if any element along a dim is */
KT_API kt_tensor *kt_any_dims_kw(const kt_tensor *self, const kt_any_dims_opts *opts); /* true if any element over some dims is; an empty list reduces none */
KT_API kt_tensor *kt_any_dims_out_kw(kt_tensor *out, const kt_tensor *self, const kt_any_dims_opts *opts); /* true if any element over some dims is; an empty list reduces none */
KT_API kt_tensor *kt_all(const kt_tensor *self); /* true if all elements are */
KT_API kt_tensor *kt_all_out(kt_tensor *out, const kt_tensor *self); /* true if all elements are */
KT_API kt_tensor *kt_all_dim_kw(const kt_tensor *self, int64_t dim, const kt_all_dim_opts *opts); /* true if all elements along a dim are */
KT_API kt_tensor *kt_all_dim_out_kw(kt_tensor *out, const kt_tensor *self, int64_t dim, const kt_all_dim_opts *opts); /* true if all elements along a dim are */
KT_API kt_tensor *kt_all_dims_kw(const kt_tensor *self, const kt_all_dims_opts *opts); /* true if all elements over some dims are; an empty list reduces none */
KT_API kt_tensor *kt_all_dims_out_kw(kt_tensor *out, const kt_tensor *self, const kt_all_dims_opts *opts); /* true if all elements over some dims are; an empty list reduces none */
KT_API kt_tensor *kt_linalg_vector_norm_kw(const kt_tensor *self, const kt_linalg_vector_norm_opts *opts); /* norm of order ord over some dims */
KT_API kt_tensor *kt_linalg_vector_norm_out_kw(kt_tensor *out, const kt_tensor *self, const kt_linalg_vector_norm_opts *opts); /* norm of order ord over some dims */
KT_API kt_tensor *kt_norm_kw(const kt_tensor *self, const kt_norm_opts *opts); /* norm of order p (2) over some dims */
KT_API kt_tensor *kt_norm_out_kw(kt_tensor *out, const kt_tensor *self, const kt_norm_opts *opts); /* norm of order p (2) over some dims */
KT_API kt_tensor *kt_norm_str_kw(const kt_tensor *self, const char *p, const kt_norm_str_opts *opts); /* norm by name: 'fro' */
KT_API kt_tensor *kt_norm_str_out_kw(kt_tensor *out, const kt_tensor *self, const char *p, const kt_norm_str_opts *opts); /* norm by name: 'fro' */
KT_API kt_tensor *kt_linalg_matrix_norm_kw(const kt_tensor *self, kt_scalar ord, const kt_linalg_matrix_norm_opts *opts); /* norm of matrices: order 1, -1, inf, -inf */
KT_API kt_tensor *kt_linalg_matrix_norm_out_kw(kt_tensor *out, const kt_tensor *self, kt_scalar ord, const kt_linalg_matrix_norm_opts *opts); /* norm of matrices: order 1, -1, inf, -inf */
KT_API kt_tensor *kt_linalg_matrix_norm_str_kw(const kt_tensor *self, const kt_linalg_matrix_norm_str_opts *opts); /* norm of matrices: 'fro' */
KT_API kt_tensor *kt_linalg_matrix_norm_str_out_kw(kt_tensor *out, const kt_tensor *self, const kt_linalg_matrix_norm_str_opts *opts); /* norm of matrices: 'fro' */
KT_API kt_tensor *kt_linalg_norm_kw(const kt_tensor *self, const kt_linalg_norm_opts *opts); /* a vector or a matrix norm, by the number of dims */
KT_API kt_tensor *kt_linalg_norm_out_kw(kt_tensor *out, const kt_tensor *self, const kt_linalg_norm_opts *opts); /* a vector or a matrix norm, by the number of dims */
KT_API kt_tensor *kt_linalg_norm_str_kw(const kt_tensor *self, const char *ord, const kt_linalg_norm_str_opts *opts); /* the matrix norm of this name */
KT_API kt_tensor *kt_linalg_norm_str_out_kw(kt_tensor *out, const kt_tensor *self, const char *ord, const kt_linalg_norm_str_opts *opts); /* the matrix norm of this name */
KT_API kt_tensor *kt_frobenius_norm_kw(const kt_tensor *self, kt_shape dim, const kt_frobenius_norm_opts *opts); /* Frobenius norm: root of the sum of squares */
KT_API kt_tensor *kt_dist_kw(const kt_tensor *self, const kt_tensor *other, const kt_dist_opts *opts); /* norm of self - other */
KT_API kt_tensor *kt_trace(const kt_tensor *self); /* sum of the diagonal */
KT_API kt_tensor *kt_cov_kw(const kt_tensor *self, const kt_cov_opts *opts); /* covariance of the rows */
KT_API kt_tensor *kt_corrcoef(const kt_tensor *self); /* correlation of the rows */
KT_API kt_tensor *kt_cumsum_kw(const kt_tensor *self, int64_t dim, const kt_cumsum_opts *opts); /* cumulative sum along a dim */
KT_API kt_tensor *kt_cumsum__kw(kt_tensor *self, int64_t dim, const kt_cumsum_opts *opts); /* cumulative sum along a dim */
KT_API kt_tensor *kt_cumsum_out_kw(kt_tensor *out, const kt_tensor *self, int64_t dim, const kt_cumsum_opts *opts); /* cumulative sum along a dim */
KT_API kt_tensor *kt_cumprod_kw(const kt_tensor *self, int64_t dim, const kt_cumprod_opts *opts); /* cumulative product along a dim */
KT_API kt_tensor *kt_cumprod__kw(kt_tensor *self, int64_t dim, const kt_cumprod_opts *opts); /* cumulative product along a dim */
KT_API kt_tensor *kt_cumprod_out_kw(kt_tensor *out, const kt_tensor *self, int64_t dim, const kt_cumprod_opts *opts); /* cumulative product along a dim */
KT_API kt_tensor *kt_logcumsumexp(const kt_tensor *self, int64_t dim); /* cumulative log of the sum of exponentials, without overflow */
KT_API kt_tensor *kt_logcumsumexp_out(kt_tensor *out, const kt_tensor *self, int64_t dim); /* cumulative log of the sum of exponentials, without overflow */
KT_API kt_cummax_results kt_cummax(const kt_tensor *self, int64_t dim); /* cumulative maximum along a dim, and the index of the last; NaN wins */
KT_API kt_cummax_results kt_cummax_out(kt_tensor *values, kt_tensor *indices, const kt_tensor *self, int64_t dim); /* cumulative maximum along a dim, and the index of the last; NaN wins */
KT_API kt_cummin_results kt_cummin(const kt_tensor *self, int64_t dim); /* cumulative minimum along a dim, and the index of the last; NaN wins */
KT_API kt_cummin_results kt_cummin_out(kt_tensor *values, kt_tensor *indices, const kt_tensor *self, int64_t dim); /* cumulative minimum along a dim, and the index of the last; NaN wins */
KT_API kt_tensor *kt_diff_kw(const kt_tensor *self, const kt_diff_opts *opts); /* differences of neighbours along a dim, n times over */
KT_API kt_tensor *kt_diff_out_kw(kt_tensor *out, const kt_tensor *self, const kt_diff_opts *opts); /* differences of neighbours along a dim, n times over */
KT_API kt_tensor *kt_trapezoid_x_kw(const kt_tensor *y, const kt_tensor *x, const kt_trapezoid_x_opts *opts); /* the integral along a dim by trapezoids over x */
KT_API kt_tensor *kt_trapezoid_dx_kw(const kt_tensor *y, const kt_trapezoid_dx_opts *opts); /* the integral along a dim by trapezoids dx wide */
KT_API kt_tensor *kt_trapz_dx_kw(const kt_tensor *y, const kt_trapz_dx_opts *opts); /* trapezoid under NumPy's old name */
KT_API kt_tensor *kt_trapz_x_kw(const kt_tensor *y, const kt_tensor *x, const kt_trapz_x_opts *opts); /* trapezoid under NumPy's old name */
KT_API kt_tensor *kt_cumulative_trapezoid_x_kw(const kt_tensor *y, const kt_tensor *x, const kt_cumulative_trapezoid_x_opts *opts); /* the integral up to each place along a dim by trapezoids over x */
KT_API kt_tensor *kt_cumulative_trapezoid_dx_kw(const kt_tensor *y, const kt_cumulative_trapezoid_dx_opts *opts); /* the integral up to each place along a dim by trapezoids dx wide */
KT_API kt_tensor *kt_vander_kw(const kt_tensor *x, const kt_vander_opts *opts); /* powers of a vector's elements as columns */
KT_API kt_tensor *kt_linalg_vander_kw(const kt_tensor *x, const kt_linalg_vander_opts *opts); /* powers of the elements along a new last dim */
KT_API kt_sort_stable_results kt_sort_stable_kw(const kt_tensor *self, bool stable, const kt_sort_stable_opts *opts); /* sorted along a dim, and the indices; equal elements keep their order */
KT_API kt_sort_stable_results kt_sort_stable_out_kw(kt_tensor *values, kt_tensor *indices, const kt_tensor *self, bool stable, const kt_sort_stable_opts *opts); /* sorted along a dim, and the indices; equal elements keep their order */
KT_API kt_sort_results kt_sort_kw(const kt_tensor *self, const kt_sort_opts *opts); /* sorted along a dim, and the indices */
KT_API kt_sort_results kt_sort_out_kw(kt_tensor *values, kt_tensor *indices, const kt_tensor *self, const kt_sort_opts *opts); /* sorted along a dim, and the indices */
KT_API kt_tensor *kt_argsort_stable_kw(const kt_tensor *self, bool stable, const kt_argsort_stable_opts *opts); /* indices that sort a dim; equal elements keep their order */
KT_API kt_tensor *kt_argsort_stable_out_kw(kt_tensor *out, const kt_tensor *self, bool stable, const kt_argsort_stable_opts *opts); /* indices that sort a dim; equal elements keep their order */
KT_API kt_tensor *kt_argsort_kw(const kt_tensor *self, const kt_argsort_opts *opts); /* indices that sort a dim */
KT_API kt_tensor *kt_msort(const kt_tensor *self); /* sorted along the first dim */
KT_API kt_tensor *kt_msort_out(kt_tensor *out, const kt_tensor *self); /* sorted along the first dim */
KT_API kt_topk_results kt_topk_kw(const kt_tensor *self, int64_t k, const kt_topk_opts *opts); /* k largest or smallest elements along a dim, and their indices */
KT_API kt_topk_results kt_topk_out_kw(kt_tensor *values, kt_tensor *indices, const kt_tensor *self, int64_t k, const kt_topk_opts *opts); /* k largest or smallest elements along a dim, and their indices */
KT_API kt_kthvalue_results kt_kthvalue_kw(const kt_tensor *self, int64_t k, const kt_kthvalue_opts *opts); /* k-th smallest element along a dim, and its index */
KT_API kt_kthvalue_results kt_kthvalue_out_kw(kt_tensor *values, kt_tensor *indices, const kt_tensor *self, int64_t k, const kt_kthvalue_opts *opts); /* k-th smallest element along a dim, and its index */
KT_API kt_tensor *kt_median(const kt_tensor *self); /* median of all elements, the lower of two; NaN if there is one */
KT_API kt_median_dim_results kt_median_dim_kw(const kt_tensor *self, int64_t dim, const kt_median_dim_opts *opts); /* median along a dim, the lower of two, and its index */
KT_API kt_median_dim_results kt_median_dim_out_kw(kt_tensor *values, kt_tensor *indices, const kt_tensor *self, int64_t dim, const kt_median_dim_opts *opts); /* median along a dim, the lower of two, and its index */
KT_API kt_tensor *kt_nanmedian(const kt_tensor *self); /* median, NaN left out */
KT_API kt_nanmedian_dim_results kt_nanmedian_dim_kw(const kt_tensor *self, int64_t dim, const kt_nanmedian_dim_opts *opts); /* median along a dim, NaN left out, and its index */
KT_API kt_nanmedian_dim_results kt_nanmedian_dim_out_kw(kt_tensor *values, kt_tensor *indices, const kt_tensor *self, int64_t dim, const kt_nanmedian_dim_opts *opts); /* median along a dim, NaN left out, and its index */
KT_API kt_mode_results kt_mode_kw(const kt_tensor *self, const kt_mode_opts *opts); /* most frequent value along a dim, the smallest of several, and its last index */
KT_API kt_mode_results kt_mode_out_kw(kt_tensor *values, kt_tensor *indices, const kt_tensor *self, const kt_mode_opts *opts); /* most frequent value along a dim, the smallest of several, and its last index */
KT_API kt_unique_results kt_unique_kw(const kt_tensor *self, const kt_unique_opts *opts); /* sorted unique values; inverse indices and counts */
KT_API kt_unique_dim_results kt_unique_dim_kw(const kt_tensor *self, int64_t dim, const kt_unique_dim_opts *opts); /* sorted unique slices along a dim; inverse indices and counts */
KT_API kt_unique_consecutive_results kt_unique_consecutive_kw(const kt_tensor *self, const kt_unique_consecutive_opts *opts); /* consecutive duplicates removed; inverse indices and counts */
KT_API kt_tensor *kt_isin_kw(const kt_tensor *elements, const kt_tensor *test_elements, const kt_isin_opts *opts); /* which elements occur among the others */
KT_API kt_tensor *kt_isin_out_kw(kt_tensor *out, const kt_tensor *elements, const kt_tensor *test_elements, const kt_isin_opts *opts); /* which elements occur among the others */
KT_API kt_tensor *kt_isin_element_kw(kt_scalar element, const kt_tensor *test_elements, const kt_isin_element_opts *opts); /* does the number occur among the elements? */
KT_API kt_tensor *kt_isin_element_out_kw(kt_tensor *out, kt_scalar element, const kt_tensor *test_elements, const kt_isin_element_opts *opts); /* does the number occur among the elements? */
KT_API kt_tensor *kt_isin_number_kw(const kt_tensor *elements, kt_scalar test_element, const kt_isin_number_opts *opts); /* which elements equal the number */
KT_API kt_tensor *kt_isin_number_out_kw(kt_tensor *out, const kt_tensor *elements, kt_scalar test_element, const kt_isin_number_opts *opts); /* which elements equal the number */
KT_API kt_tensor *kt_searchsorted_kw(const kt_tensor *sorted_sequence, const kt_tensor *self, const kt_searchsorted_opts *opts); /* indices at which values are inserted into a sorted last dim to keep it sorted */
KT_API kt_tensor *kt_searchsorted_out_kw(kt_tensor *out, const kt_tensor *sorted_sequence, const kt_tensor *self, const kt_searchsorted_opts *opts); /* indices at which values are inserted into a sorted last dim to keep it sorted */
KT_API kt_tensor *kt_searchsorted_number_kw(const kt_tensor *sorted_sequence, kt_scalar self, const kt_searchsorted_number_opts *opts); /* index at which a number is inserted into a sorted vector to keep it sorted */
KT_API kt_tensor *kt_searchsorted_number_out_kw(kt_tensor *out, const kt_tensor *sorted_sequence, kt_scalar self, const kt_searchsorted_number_opts *opts); /* index at which a number is inserted into a sorted vector to keep it sorted */
KT_API kt_tensor *kt_bucketize_kw(const kt_tensor *self, const kt_tensor *boundaries, const kt_bucketize_opts *opts); /* index of the bucket of each value, by sorted boundaries */
KT_API kt_tensor *kt_bucketize_out_kw(kt_tensor *out, const kt_tensor *self, const kt_tensor *boundaries, const kt_bucketize_opts *opts); /* index of the bucket of each value, by sorted boundaries */
KT_API kt_tensor *kt_bucketize_number_kw(kt_scalar self, const kt_tensor *boundaries, const kt_bucketize_number_opts *opts); /* index of the bucket of a number, by sorted boundaries */
KT_API kt_tensor *kt_bincount_kw(const kt_tensor *self, const kt_bincount_opts *opts); /* number of occurrences of each non-negative integer, or the sum of its weights */
KT_API kt_tensor *kt_histc_kw(const kt_tensor *self, const kt_histc_opts *opts); /* histogram of equal bins between min and max */
KT_API kt_tensor *kt_histc_out_kw(kt_tensor *out, const kt_tensor *self, const kt_histc_opts *opts); /* histogram of equal bins between min and max */
KT_API kt_histogram_edges_results kt_histogram_edges_kw(const kt_tensor *self, const kt_tensor *bins, const kt_histogram_edges_opts *opts); /* histogram of given bin edges: counts or weights */
KT_API kt_histogram_edges_results kt_histogram_edges_out_kw(kt_tensor *hist, kt_tensor *bin_edges, const kt_tensor *self, const kt_tensor *bins, const kt_histogram_edges_opts *opts); /* histogram of given bin edges: counts or weights */
KT_API kt_histogram_results kt_histogram_kw(const kt_tensor *self, const kt_histogram_opts *opts); /* histogram of equal bins: counts or weights, and the bin edges */
KT_API kt_histogram_results kt_histogram_out_kw(kt_tensor *hist, kt_tensor *bin_edges, const kt_tensor *self, const kt_histogram_opts *opts); /* histogram of equal bins: counts or weights, and the bin edges */
KT_API kt_tensor *kt_quantile_kw(const kt_tensor *self, const kt_tensor *q, const kt_quantile_opts *opts); /* q-th quantile along a dim; NaN if there is one */
KT_API kt_tensor *kt_quantile_out_kw(kt_tensor *out, const kt_tensor *self, const kt_tensor *q, const kt_quantile_opts *opts); /* q-th quantile along a dim; NaN if there is one */
KT_API kt_tensor *kt_quantile_number_kw(const kt_tensor *self, double q, const kt_quantile_number_opts *opts); /* q-th quantile along a dim; NaN if there is one */
KT_API kt_tensor *kt_quantile_number_out_kw(kt_tensor *out, const kt_tensor *self, double q, const kt_quantile_number_opts *opts); /* q-th quantile along a dim; NaN if there is one */
KT_API kt_tensor *kt_nanquantile_kw(const kt_tensor *self, const kt_tensor *q, const kt_nanquantile_opts *opts); /* q-th quantile along a dim, NaN left out */
KT_API kt_tensor *kt_nanquantile_out_kw(kt_tensor *out, const kt_tensor *self, const kt_tensor *q, const kt_nanquantile_opts *opts); /* q-th quantile along a dim, NaN left out */
KT_API kt_tensor *kt_nanquantile_number_kw(const kt_tensor *self, double q, const kt_nanquantile_number_opts *opts); /* q-th quantile along a dim, NaN left out */
KT_API kt_tensor *kt_nanquantile_number_out_kw(kt_tensor *out, const kt_tensor *self, double q, const kt_nanquantile_number_opts *opts); /* q-th quantile along a dim, NaN left out */
KT_API kt_tensor *kt_matmul(const kt_tensor *self, const kt_tensor *other); /* matrix product; batch dims broadcast */
KT_API kt_tensor *kt_matmul_out(kt_tensor *out, const kt_tensor *self, const kt_tensor *other); /* matrix product; batch dims broadcast */
KT_API kt_tensor *kt_matmul_batched(const kt_tensor *self, const kt_tensor *other); /* the part of matmul whose leading dims broadcast */
KT_API kt_tensor *kt_mm(const kt_tensor *self, const kt_tensor *mat2); /* product of two matrices */
KT_API kt_tensor *kt_mm_out(kt_tensor *out, const kt_tensor *self, const kt_tensor *mat2); /* product of two matrices */
KT_API kt_tensor *kt_bmm(const kt_tensor *self, const kt_tensor *mat2); /* batched matrix product */
KT_API kt_tensor *kt_bmm_out(kt_tensor *out, const kt_tensor *self, const kt_tensor *mat2); /* batched matrix product */
KT_API kt_tensor *kt_mv(const kt_tensor *self, const kt_tensor *vec); /* matrix-vector product */
KT_API kt_tensor *kt_mv_out(kt_tensor *out, const kt_tensor *self, const kt_tensor *vec); /* matrix-vector product */
KT_API kt_tensor *kt_dot(const kt_tensor *self, const kt_tensor *tensor); /* dot product of two vectors */
KT_API kt_tensor *kt_dot_out(kt_tensor *out, const kt_tensor *self, const kt_tensor *tensor); /* dot product of two vectors */
KT_API kt_tensor *kt_vdot(const kt_tensor *self, const kt_tensor *other); /* dot product of two vectors, the first conjugated */
KT_API kt_tensor *kt_vdot_out(kt_tensor *out, const kt_tensor *self, const kt_tensor *other); /* dot product of two vectors, the first conjugated */
KT_API kt_tensor *kt_addmm_kw(const kt_tensor *self, const kt_tensor *mat1, const kt_tensor *mat2, const kt_addmm_opts *opts); /* beta * self + alpha * (mat1 @ mat2) */
KT_API kt_tensor *kt_addmm__kw(kt_tensor *self, const kt_tensor *mat1, const kt_tensor *mat2, const kt_addmm_opts *opts); /* beta * self + alpha * (mat1 @ mat2) */
KT_API kt_tensor *kt_addmm_out_kw(kt_tensor *out, const kt_tensor *self, const kt_tensor *mat1, const kt_tensor *mat2, const kt_addmm_opts *opts); /* beta * self + alpha * (mat1 @ mat2) */
KT_API kt_tensor *kt_addmv_kw(const kt_tensor *self, const kt_tensor *mat, const kt_tensor *vec, const kt_addmv_opts *opts); /* beta * self + alpha * (mat @ vec) */
KT_API kt_tensor *kt_addmv__kw(kt_tensor *self, const kt_tensor *mat, const kt_tensor *vec, const kt_addmv_opts *opts); /* beta * self + alpha * (mat @ vec) */
KT_API kt_tensor *kt_addmv_out_kw(kt_tensor *out, const kt_tensor *self, const kt_tensor *mat, const kt_tensor *vec, const kt_addmv_opts *opts); /* beta * self + alpha * (mat @ vec) */
KT_API kt_tensor *kt_baddbmm_kw(const kt_tensor *self, const kt_tensor *batch1, const kt_tensor *batch2, const kt_baddbmm_opts *opts); /* beta * self + alpha * (batch1 @ batch2), batched */
KT_API kt_tensor *kt_baddbmm__kw(kt_tensor *self, const kt_tensor *batch1, const kt_tensor *batch2, const kt_baddbmm_opts *opts); /* beta * self + alpha * (batch1 @ batch2), batched */
KT_API kt_tensor *kt_baddbmm_out_kw(kt_tensor *out, const kt_tensor *self, const kt_tensor *batch1, const kt_tensor *batch2, const kt_baddbmm_opts *opts); /* beta * self + alpha * (batch1 @ batch2), batched */
KT_API kt_tensor *kt_addbmm_kw(const kt_tensor *self, const kt_tensor *batch1, const kt_tensor *batch2, const kt_addbmm_opts *opts); /* beta * self + alpha * the sum over a batch of batch1 @ batch2 */
KT_API kt_tensor *kt_addbmm__kw(kt_tensor *self, const kt_tensor *batch1, const kt_tensor *batch2, const kt_addbmm_opts *opts); /* beta * self + alpha * the sum over a batch of batch1 @ batch2 */
KT_API kt_tensor *kt_addbmm_out_kw(kt_tensor *out, const kt_tensor *self, const kt_tensor *batch1, const kt_tensor *batch2, const kt_addbmm_opts *opts); /* beta * self + alpha * the sum over a batch of batch1 @ batch2 */
KT_API kt_tensor *kt_addr_kw(const kt_tensor *self, const kt_tensor *vec1, const kt_tensor *vec2, const kt_addr_opts *opts); /* beta * self + alpha * outer product of vec1 and vec2 */
KT_API kt_tensor *kt_addr__kw(kt_tensor *self, const kt_tensor *vec1, const kt_tensor *vec2, const kt_addr_opts *opts); /* beta * self + alpha * outer product of vec1 and vec2 */
KT_API kt_tensor *kt_addr_out_kw(kt_tensor *out, const kt_tensor *self, const kt_tensor *vec1, const kt_tensor *vec2, const kt_addr_opts *opts); /* beta * self + alpha * outer product of vec1 and vec2 */
KT_API kt_tensor *kt_linear_kw(const kt_tensor *input, const kt_tensor *weight, const kt_linear_opts *opts); /* input @ weight.T + bias */
KT_API kt_tensor *kt_linear_out_kw(kt_tensor *out, const kt_tensor *input, const kt_tensor *weight, const kt_linear_opts *opts); /* input @ weight.T + bias */
KT_API kt_tensor *kt_bilinear_kw(const kt_tensor *input1, const kt_tensor *input2, const kt_tensor *weight, const kt_bilinear_opts *opts); /* input1 @ weight @ input2 for each of the outer weights, + bias */
KT_API kt_tensor *kt_outer(const kt_tensor *self, const kt_tensor *vec2); /* outer product of two vectors */
KT_API kt_tensor *kt_outer_out(kt_tensor *out, const kt_tensor *self, const kt_tensor *vec2); /* outer product of two vectors */
KT_API kt_tensor *kt_ger(const kt_tensor *self, const kt_tensor *vec2); /* outer, by its old name */
KT_API kt_tensor *kt_ger_out(kt_tensor *out, const kt_tensor *self, const kt_tensor *vec2); /* outer, by its old name */
KT_API kt_tensor *kt_inner(const kt_tensor *self, const kt_tensor *other); /* sum of products over the last dims (inner product) */
KT_API kt_tensor *kt_inner_out(kt_tensor *out, const kt_tensor *self, const kt_tensor *other); /* sum of products over the last dims (inner product) */
KT_API kt_tensor *kt_tensordot(const kt_tensor *self, const kt_tensor *other, kt_shape dims_self, kt_shape dims_other); /* tensor contraction over pairs of dims */
KT_API kt_tensor *kt_tensordot_out(kt_tensor *out, const kt_tensor *self, const kt_tensor *other, kt_shape dims_self, kt_shape dims_other); /* tensor contraction over pairs of dims */
KT_API kt_tensor *kt_kron(const kt_tensor *self, const kt_tensor *other); /* Kronecker product */
KT_API kt_tensor *kt_kron_out(kt_tensor *out, const kt_tensor *self, const kt_tensor *other); /* Kronecker product */
KT_API kt_tensor *kt_einsum(const char *equation, kt_tensor *const *tensors, int64_t n_tensors); /* Einstein summation: "ij,jk->ik" */
KT_API kt_tensor *kt_linalg_multi_dot(kt_tensor *const *tensors, int64_t n_tensors); /* product of several matrices in the cheapest order */
KT_API kt_tensor *kt_linalg_multi_dot_out(kt_tensor *out, kt_tensor *const *tensors, int64_t n_tensors); /* product of several matrices in the cheapest order */
KT_API kt_tensor *kt_chain_matmul(kt_tensor *const *matrices, int64_t n_matrices); /* linalg_multi_dot, by its old name */
KT_API kt_tensor *kt_chain_matmul_out(kt_tensor *out, kt_tensor *const *matrices, int64_t n_matrices); /* linalg_multi_dot, by its old name */
KT_API kt_tensor *kt_linalg_vecdot_kw(const kt_tensor *x, const kt_tensor *y, const kt_linalg_vecdot_opts *opts); /* dot product along a dim, x conjugated */
KT_API kt_tensor *kt_linalg_vecdot_out_kw(kt_tensor *out, const kt_tensor *x, const kt_tensor *y, const kt_linalg_vecdot_opts *opts); /* dot product along a dim, x conjugated */
KT_API kt_tensor *kt_linalg_matrix_power(const kt_tensor *self, int64_t n); /* square matrices to an integer power */
KT_API kt_tensor *kt_linalg_matrix_power_out(kt_tensor *out, const kt_tensor *self, int64_t n); /* square matrices to an integer power */
KT_API kt_tensor *kt_matrix_power(const kt_tensor *self, int64_t n); /* linalg_matrix_power, by its old name */
KT_API kt_tensor *kt_matrix_power_out(kt_tensor *out, const kt_tensor *self, int64_t n); /* linalg_matrix_power, by its old name */
KT_API kt_tensor *kt_linalg_cross_kw(const kt_tensor *self, const kt_tensor *other, const kt_linalg_cross_opts *opts); /* cross products of vectors of three */
KT_API kt_tensor *kt_linalg_cross_out_kw(kt_tensor *out, const kt_tensor *self, const kt_tensor *other, const kt_linalg_cross_opts *opts); /* cross products of vectors of three */
KT_API kt_tensor *kt_cross_kw(const kt_tensor *self, const kt_tensor *other, const kt_cross_opts *opts); /* linalg_cross along the first dim of three */
KT_API kt_tensor *kt_cross_out_kw(kt_tensor *out, const kt_tensor *self, const kt_tensor *other, const kt_cross_opts *opts); /* linalg_cross along the first dim of three */
KT_API kt_tensor *kt_block_diag(kt_tensor *const *tensors, int64_t n_tensors); /* block diagonal matrix of the tensors */
KT_API kt_tensor *kt_cartesian_prod(kt_tensor *const *tensors, int64_t n_tensors); /* Cartesian product of vectors, a combination a row */
KT_API kt_tensor *kt_cdist_kw(const kt_tensor *x1, const kt_tensor *x2, const kt_cdist_opts *opts); /* pairwise p-norm distance of the rows of x1 and x2 */
KT_API kt_tensor *kt_renorm(const kt_tensor *self, kt_scalar p, int64_t dim, kt_scalar maxnorm); /* slices along a dim scaled to a p-norm of at most maxnorm */
KT_API kt_tensor *kt_renorm_(kt_tensor *self, kt_scalar p, int64_t dim, kt_scalar maxnorm); /* slices along a dim scaled to a p-norm of at most maxnorm */
KT_API kt_tensor *kt_renorm_out(kt_tensor *out, const kt_tensor *self, kt_scalar p, int64_t dim, kt_scalar maxnorm); /* slices along a dim scaled to a p-norm of at most maxnorm */
KT_API kt_tensor *kt_to_kw(const kt_tensor *self, const kt_to_opts *opts); /* cast to a dtype or moved to a device; self where nothing changes */
KT_API kt_tensor *kt_to_copy_kw(const kt_tensor *self, const kt_to_copy_opts *opts); /* the copy that to makes */
KT_API kt_tensor *kt_clone_kw(const kt_tensor *self, const kt_clone_opts *opts); /* a copy */
KT_API kt_tensor *kt_contiguous_kw(const kt_tensor *self, const kt_contiguous_opts *opts); /* self where contiguous, else a contiguous copy */
KT_API kt_tensor *kt_copy(const kt_tensor *self, const kt_tensor *src); /* self with the values of src; in place: written over */
KT_API kt_tensor *kt_copy_(kt_tensor *self, const kt_tensor *src); /* self with the values of src; in place: written over */
KT_API kt_tensor *kt_fill(const kt_tensor *self, const kt_tensor *value); /* filled with a value */
KT_API kt_tensor *kt_fill_(kt_tensor *self, const kt_tensor *value); /* filled with a value */
KT_API kt_tensor *kt_fill_s(const kt_tensor *self, kt_scalar value); /* filled with a value */
KT_API kt_tensor *kt_fill_s_(kt_tensor *self, kt_scalar value); /* filled with a value */
KT_API kt_tensor *kt_zero(const kt_tensor *self); /* filled with zeros */
KT_API kt_tensor *kt_zero_(kt_tensor *self); /* filled with zeros */
KT_API kt_tensor *kt_resolve_conj(const kt_tensor *self); /* conjugation carried out where it was lazy */
KT_API kt_tensor *kt_resolve_neg(const kt_tensor *self); /* negation carried out where it was lazy */
KT_API kt_tensor *kt_empty_kw(kt_shape size, const kt_empty_opts *opts); /* uninitialized */
KT_API kt_tensor *kt_zeros_kw(kt_shape size, const kt_zeros_opts *opts); /* filled with zeros */
KT_API kt_tensor *kt_ones_kw(kt_shape size, const kt_ones_opts *opts); /* filled with ones */
KT_API kt_tensor *kt_full_kw(kt_shape size, kt_scalar fill_value, const kt_full_opts *opts); /* filled with a value, which gives the dtype */
KT_API kt_tensor *kt_eye_kw(int64_t n, const kt_eye_opts *opts); /* identity matrix */
KT_API kt_tensor *kt_arange_kw(kt_scalar start, kt_scalar end, const kt_arange_opts *opts); /* start, start + step, ... before end */
KT_API kt_tensor *kt_range_kw(kt_scalar start, kt_scalar end, const kt_range_opts *opts); /* start, start + step, ... up to end */
KT_API kt_tensor *kt_linspace_kw(kt_scalar start, kt_scalar end, int64_t steps, const kt_linspace_opts *opts); /* evenly spaced from start to end, both included */
KT_API kt_tensor *kt_logspace_kw(kt_scalar start, kt_scalar end, int64_t steps, const kt_logspace_opts *opts); /* logarithmically spaced: base to the powers of linspace */
KT_API kt_tensor *kt_scalar_tensor_kw(kt_scalar s, const kt_scalar_tensor_opts *opts); /* a number as a 0-dim tensor */
KT_API kt_tensor *kt_empty_like_kw(const kt_tensor *self, const kt_empty_like_opts *opts); /* like self, uninitialized */
KT_API kt_tensor *kt_zeros_like_kw(const kt_tensor *self, const kt_zeros_like_opts *opts); /* like self, zeros */
KT_API kt_tensor *kt_ones_like_kw(const kt_tensor *self, const kt_ones_like_opts *opts); /* like self, ones */
KT_API kt_tensor *kt_full_like_kw(const kt_tensor *self, kt_scalar fill_value, const kt_full_like_opts *opts); /* like self, one value */
KT_API kt_tensor *kt_new_empty_kw(const kt_tensor *self, kt_shape size, const kt_new_empty_opts *opts); /* of self's dtype and device, uninitialized */
KT_API kt_tensor *kt_new_zeros_kw(const kt_tensor *self, kt_shape size, const kt_new_zeros_opts *opts); /* of self's dtype and device, zeros */
KT_API kt_tensor *kt_new_ones_kw(const kt_tensor *self, kt_shape size, const kt_new_ones_opts *opts); /* of self's dtype and device, ones */
KT_API kt_tensor *kt_new_full_kw(const kt_tensor *self, kt_shape size, kt_scalar fill_value, const kt_new_full_opts *opts); /* of self's dtype and device, one value */
KT_API kt_tensor *kt_select(const kt_tensor *self, int64_t dim, int64_t index); /* index along a dim (the dim goes) */
KT_API kt_tensor *kt_slice_kw(const kt_tensor *self, const kt_slice_opts *opts); /* slice start:end:step along a dim */
KT_API kt_tensor *kt_narrow(const kt_tensor *self, int64_t dim, int64_t start, int64_t length); /* slice of length elements from start along a dim */
KT_API kt_tensor *kt_narrow_tensor(const kt_tensor *self, int64_t dim, const kt_tensor *start, int64_t length); /* the same, from a start that a 0-dim tensor holds */
KT_API kt_tensor *kt_transpose(const kt_tensor *self, int64_t dim0, int64_t dim1); /* two dims swapped */
KT_API kt_tensor *kt_t(const kt_tensor *self); /* matrix transpose */
KT_API kt_tensor *kt_permute(const kt_tensor *self, kt_shape dims); /* dims reordered */
KT_API kt_tensor *kt_expand_kw(const kt_tensor *self, kt_shape size, const kt_expand_opts *opts); /* broadcast to a size without copying */
KT_API kt_tensor *kt_expand_as(const kt_tensor *self, const kt_tensor *other); /* expanded to the size of other */
KT_API kt_tensor *kt_view(const kt_tensor *self, kt_shape size); /* the same elements in another shape */
KT_API kt_tensor *kt_reshape_alias(const kt_tensor *self, kt_shape size, kt_shape stride); /* the view that reshape makes of what is not dense */
KT_API kt_tensor *kt_unsafe_view(const kt_tensor *self, kt_shape size); /* view of a tensor that nobody else has: not counted as one */
KT_API kt_tensor *kt_view_dtype(const kt_tensor *self, kt_dtype dtype); /* the same bytes as another dtype */
KT_API kt_tensor *kt_reshape(const kt_tensor *self, kt_shape shape); /* another shape: a view where possible, else a copy */
KT_API kt_tensor *kt_flatten_kw(const kt_tensor *self, const kt_flatten_opts *opts); /* a range of dims merged into one */
KT_API kt_tensor *kt_squeeze(const kt_tensor *self); /* dims of size 1 removed */
KT_API kt_tensor *kt_squeeze_dim(const kt_tensor *self, kt_shape dim); /* these dims removed where they have size 1 */
KT_API kt_tensor *kt_unsafe_squeeze(const kt_tensor *self, int64_t dim); /* squeeze of a tensor that nobody else has: not counted as a view */
KT_API kt_tensor *kt_unsqueeze(const kt_tensor *self, int64_t dim); /* a dim of size 1 inserted */
KT_API kt_tensor *kt_unfold(const kt_tensor *self, int64_t dimension, int64_t size, int64_t step); /* sliding windows of a dim as a new last dim */
KT_API kt_tensor *kt_diagonal_kw(const kt_tensor *self, const kt_diagonal_opts *opts); /* a diagonal of two dims as the last dim */
KT_API kt_tensor *kt_as_strided_kw(const kt_tensor *self, kt_shape size, kt_shape stride, const kt_as_strided_opts *opts); /* a view of any size, stride and offset */
KT_API kt_tensor *kt_real(const kt_tensor *self); /* real parts */
KT_API kt_tensor *kt_imag(const kt_tensor *self); /* imaginary parts */
KT_API kt_tensor *kt_view_as_real(const kt_tensor *self); /* complex as a last dim of two reals */
KT_API kt_tensor *kt_view_as_complex(const kt_tensor *self); /* a last dim of two reals as complex */
KT_API kt_tensor *kt_conj(const kt_tensor *self); /* conjugate; lazy for complex */
KT_API kt_tensor *kt_conj_lazy(const kt_tensor *self); /* the lazy conjugate that conj gives */
KT_API kt_tensor *kt_neg_view(const kt_tensor *self); /* the lazy negation of a view */
KT_API kt_tensor *kt_detach(const kt_tensor *self); /* the same values without history */
KT_API kt_tensor *kt_alias(const kt_tensor *self); /* the same tensor as a view of itself */
KT_API kt_tensor *kt_movedim(const kt_tensor *self, kt_shape source, kt_shape destination); /* dims moved to other positions */
KT_API kt_tensor *kt_moveaxis(const kt_tensor *self, kt_shape source, kt_shape destination); /* movedim by another name */
KT_API kt_tensor *kt_swapaxes(const kt_tensor *self, int64_t axis0, int64_t axis1); /* transpose by another name */
KT_API kt_tensor *kt_swapdims(const kt_tensor *self, int64_t dim0, int64_t dim1); /* transpose by another name */
KT_API kt_tensor *kt_unflatten(const kt_tensor *self, int64_t dim, kt_shape sizes); /* a dim split into several */
KT_API kt_tensor *kt_ravel(const kt_tensor *self); /* flattened to one dim */
KT_API kt_tensor *kt_view_as(const kt_tensor *self, const kt_tensor *other); /* a view of the size of other */
KT_API kt_tensor *kt_reshape_as(const kt_tensor *self, const kt_tensor *other); /* reshaped to the size of other */
KT_API kt_tensor *kt_broadcast_to(const kt_tensor *self, kt_shape size); /* expand by another name */
KT_API kt_tensor *kt_atleast_1d(const kt_tensor *self); /* of at least 1 dims */
KT_API kt_tensor *kt_atleast_2d(const kt_tensor *self); /* of at least 2 dims */
KT_API kt_tensor *kt_atleast_3d(const kt_tensor *self); /* of at least 3 dims */
KT_API kt_tensor *kt_adjoint(const kt_tensor *self); /* matrices transposed and conjugated */
KT_API kt_tensor *kt_linalg_diagonal_kw(const kt_tensor *A, const kt_linalg_diagonal_opts *opts); /* a diagonal of the last two dims */
KT_API kt_tensor *kt_sum_to_size(const kt_tensor *self, kt_shape size); /* broadcasting undone by sums */
KT_API kt_tensor *kt_resize__kw(const kt_tensor *self, kt_shape size, const kt_resize__opts *opts); /* self with another size; memory is kept, and grows where it must */
KT_API kt_tensor *kt_resize_as__kw(const kt_tensor *self, const kt_tensor *the_template, const kt_resize_as__opts *opts); /* self with the size of another */
KT_API int64_t kt_split_kw(const kt_tensor *self, int64_t split_size, kt_tensor **results, int64_t room, const kt_split_opts *opts); /* views of split_size along a dim; the last may be smaller */
KT_API int64_t kt_split_sizes_kw(const kt_tensor *self, kt_shape split_sizes, kt_tensor **results, int64_t room, const kt_split_sizes_opts *opts); /* views of given sizes along a dim */
KT_API int64_t kt_chunk_kw(const kt_tensor *self, int64_t chunks, kt_tensor **results, int64_t room, const kt_chunk_opts *opts); /* split into about equal views */
KT_API int64_t kt_unbind_kw(const kt_tensor *self, kt_tensor **results, int64_t room, const kt_unbind_opts *opts); /* a list of the slices along a dim */
KT_API int64_t kt_broadcast_tensors(kt_tensor *const *tensors, int64_t n_tensors, kt_tensor **results, int64_t room); /* all broadcast to their common shape */
KT_API kt_tensor *kt_cat_kw(kt_tensor *const *tensors, int64_t n_tensors, const kt_cat_opts *opts); /* concatenated along a dim */
KT_API kt_tensor *kt_cat_out_kw(kt_tensor *out, kt_tensor *const *tensors, int64_t n_tensors, const kt_cat_opts *opts); /* concatenated along a dim */
KT_API kt_tensor *kt_concat_kw(kt_tensor *const *tensors, int64_t n_tensors, const kt_concat_opts *opts); /* cat by another name */
KT_API kt_tensor *kt_concat_out_kw(kt_tensor *out, kt_tensor *const *tensors, int64_t n_tensors, const kt_concat_opts *opts); /* cat by another name */
KT_API kt_tensor *kt_concatenate_kw(kt_tensor *const *tensors, int64_t n_tensors, const kt_concatenate_opts *opts); /* cat by another name */
KT_API kt_tensor *kt_concatenate_out_kw(kt_tensor *out, kt_tensor *const *tensors, int64_t n_tensors, const kt_concatenate_opts *opts); /* cat by another name */
KT_API kt_tensor *kt_stack_kw(kt_tensor *const *tensors, int64_t n_tensors, const kt_stack_opts *opts); /* stacked along a new dim */
KT_API kt_tensor *kt_stack_out_kw(kt_tensor *out, kt_tensor *const *tensors, int64_t n_tensors, const kt_stack_opts *opts); /* stacked along a new dim */
KT_API kt_tensor *kt_hstack(kt_tensor *const *tensors, int64_t n_tensors); /* stacked horizontally (along columns) */
KT_API kt_tensor *kt_hstack_out(kt_tensor *out, kt_tensor *const *tensors, int64_t n_tensors); /* stacked horizontally (along columns) */
KT_API kt_tensor *kt_vstack(kt_tensor *const *tensors, int64_t n_tensors); /* stacked vertically (along rows) */
KT_API kt_tensor *kt_vstack_out(kt_tensor *out, kt_tensor *const *tensors, int64_t n_tensors); /* stacked vertically (along rows) */
KT_API kt_tensor *kt_row_stack(kt_tensor *const *tensors, int64_t n_tensors); /* vstack by another name */
KT_API kt_tensor *kt_row_stack_out(kt_tensor *out, kt_tensor *const *tensors, int64_t n_tensors); /* vstack by another name */
KT_API kt_tensor *kt_dstack(kt_tensor *const *tensors, int64_t n_tensors); /* stacked along the third dim */
KT_API kt_tensor *kt_dstack_out(kt_tensor *out, kt_tensor *const *tensors, int64_t n_tensors); /* stacked along the third dim */
KT_API kt_tensor *kt_column_stack(kt_tensor *const *tensors, int64_t n_tensors); /* stacked horizontally, vectors as columns */
KT_API kt_tensor *kt_column_stack_out(kt_tensor *out, kt_tensor *const *tensors, int64_t n_tensors); /* stacked horizontally, vectors as columns */
KT_API int64_t kt_foreach_mul(kt_tensor *const *self, int64_t n_self, kt_scalar scalar, kt_tensor **results, int64_t room); /* each tensor times a number */
KT_API kt_status kt_foreach_mul_(kt_tensor *const *self, int64_t n_self, kt_scalar scalar); /* each tensor times a number */
KT_API int64_t kt_split_with_sizes_kw(const kt_tensor *self, kt_shape split_sizes, kt_tensor **results, int64_t room, const kt_split_with_sizes_opts *opts); /* views of given sizes along a dim */
KT_API int64_t kt_unsafe_split_kw(const kt_tensor *self, int64_t split_size, kt_tensor **results, int64_t room, const kt_unsafe_split_opts *opts); /* split by another name */
KT_API int64_t kt_unsafe_split_with_sizes_kw(const kt_tensor *self, kt_shape split_sizes, kt_tensor **results, int64_t room, const kt_unsafe_split_with_sizes_opts *opts); /* split_with_sizes by another name */
KT_API int64_t kt_unsafe_chunk_kw(const kt_tensor *self, int64_t chunks, kt_tensor **results, int64_t room, const kt_unsafe_chunk_opts *opts); /* chunk by another name */
KT_API int64_t kt_tensor_split_kw(const kt_tensor *self, int64_t sections, kt_tensor **results, int64_t room, const kt_tensor_split_opts *opts); /* split into so many views, the first ones larger by one */
KT_API int64_t kt_tensor_split_indices_kw(const kt_tensor *self, kt_shape indices, kt_tensor **results, int64_t room, const kt_tensor_split_indices_opts *opts); /* split at these indices */
KT_API int64_t kt_tensor_split_tensor_kw(const kt_tensor *self, const kt_tensor *tensor_indices_or_sections, kt_tensor **results, int64_t room, const kt_tensor_split_tensor_opts *opts); /* the same, the indices or their number in a tensor */
KT_API int64_t kt_hsplit(const kt_tensor *self, int64_t sections, kt_tensor **results, int64_t room); /* split by columns into equal views */
KT_API int64_t kt_hsplit_indices(const kt_tensor *self, kt_shape indices, kt_tensor **results, int64_t room); /* split by columns at these indices */
KT_API int64_t kt_vsplit(const kt_tensor *self, int64_t sections, kt_tensor **results, int64_t room); /* split by rows into equal views */
KT_API int64_t kt_vsplit_indices(const kt_tensor *self, kt_shape indices, kt_tensor **results, int64_t room); /* split by rows at these indices */
KT_API int64_t kt_dsplit(const kt_tensor *self, int64_t sections, kt_tensor **results, int64_t room); /* split along the third dim into equal views */
KT_API int64_t kt_dsplit_indices(const kt_tensor *self, kt_shape indices, kt_tensor **results, int64_t room); /* split along the third dim at these indices */
KT_API int64_t kt_meshgrid_kw(kt_tensor *const *tensors, int64_t n_tensors, kt_tensor **results, int64_t room, const kt_meshgrid_opts *opts); /* coordinate grids of vectors */
KT_API int64_t kt_atleast_1d_list(kt_tensor *const *tensors, int64_t n_tensors, kt_tensor **results, int64_t room); /* each of at least 1 dims */
KT_API int64_t kt_atleast_2d_list(kt_tensor *const *tensors, int64_t n_tensors, kt_tensor **results, int64_t room); /* each of at least 2 dims */
KT_API int64_t kt_atleast_3d_list(kt_tensor *const *tensors, int64_t n_tensors, kt_tensor **results, int64_t room); /* each of at least 3 dims */
KT_API int64_t kt_unbind_copy_kw(const kt_tensor *self, kt_tensor **results, int64_t room, const kt_unbind_copy_opts *opts); /* unbind, copied */
KT_API int64_t kt_split_copy_kw(const kt_tensor *self, int64_t split_size, kt_tensor **results, int64_t room, const kt_split_copy_opts *opts); /* split, copied */
KT_API int64_t kt_split_with_sizes_copy_kw(const kt_tensor *self, kt_shape split_sizes, kt_tensor **results, int64_t room, const kt_split_with_sizes_copy_opts *opts); /* split_with_sizes, copied */
KT_API kt_tensor *kt_flip(const kt_tensor *self, kt_shape dims); /* reversed along some dims */
KT_API kt_tensor *kt_fliplr(const kt_tensor *self); /* columns reversed */
KT_API kt_tensor *kt_flipud(const kt_tensor *self); /* rows reversed */
KT_API kt_tensor *kt_roll_kw(const kt_tensor *self, kt_shape shifts, const kt_roll_opts *opts); /* shifted along dims, wrapping around */
KT_API kt_tensor *kt_rot90_kw(const kt_tensor *self, const kt_rot90_opts *opts); /* rotated by 90 degrees in a plane of two dims */
KT_API kt_tensor *kt_repeat(const kt_tensor *self, kt_shape repeats); /* repeated along each dim */
KT_API kt_tensor *kt_tile(const kt_tensor *self, kt_shape dims); /* repeated along each dim, as NumPy tile */
KT_API kt_tensor *kt_repeat_interleave_kw(const kt_tensor *repeats, const kt_repeat_interleave_opts *opts); /* indices repeated as counts say */
KT_API kt_tensor *kt_repeat_interleave_tensor_kw(const kt_tensor *self, const kt_tensor *repeats, const kt_repeat_interleave_tensor_opts *opts); /* elements repeated as counts say */
KT_API kt_tensor *kt_repeat_interleave_int_kw(const kt_tensor *self, int64_t repeats, const kt_repeat_interleave_int_opts *opts); /* each element repeated */
KT_API kt_tensor *kt_interleave(const kt_tensor *self, const kt_tensor *repeats, int64_t dim, int64_t output_size); /* what repeat_interleave makes of a tensor of counts */
KT_API kt_tensor *kt_tril_kw(const kt_tensor *self, const kt_tril_opts *opts); /* lower triangle, zeros above */
KT_API kt_tensor *kt_tril__kw(kt_tensor *self, const kt_tril_opts *opts); /* lower triangle, zeros above */
KT_API kt_tensor *kt_tril_out_kw(kt_tensor *out, const kt_tensor *self, const kt_tril_opts *opts); /* lower triangle, zeros above */
KT_API kt_tensor *kt_triu_kw(const kt_tensor *self, const kt_triu_opts *opts); /* upper triangle, zeros below */
KT_API kt_tensor *kt_triu__kw(kt_tensor *self, const kt_triu_opts *opts); /* upper triangle, zeros below */
KT_API kt_tensor *kt_triu_out_kw(kt_tensor *out, const kt_tensor *self, const kt_triu_opts *opts); /* upper triangle, zeros below */
KT_API kt_tensor *kt_tril_indices_kw(int64_t row, int64_t col, const kt_tril_indices_opts *opts); /* row and column indices of the lower triangle */
KT_API kt_tensor *kt_triu_indices_kw(int64_t row, int64_t col, const kt_triu_indices_opts *opts); /* row and column indices of the upper triangle */
KT_API kt_tensor *kt_diag_kw(const kt_tensor *self, const kt_diag_opts *opts); /* diagonal matrix of a vector, or the diagonal of a matrix */
KT_API kt_tensor *kt_diag_out_kw(kt_tensor *out, const kt_tensor *self, const kt_diag_opts *opts); /* diagonal matrix of a vector, or the diagonal of a matrix */
KT_API kt_tensor *kt_diag_embed_kw(const kt_tensor *self, const kt_diag_embed_opts *opts); /* diagonal matrices of the last dim */
KT_API kt_tensor *kt_diagflat_kw(const kt_tensor *self, const kt_diagflat_opts *opts); /* diagonal matrix of all elements */
KT_API kt_tensor *kt_constant_pad_nd_kw(const kt_tensor *self, kt_shape pad, const kt_constant_pad_nd_opts *opts); /* padded with a constant; negative widths crop */
KT_API kt_tensor *kt_nn_pad_kw(const kt_tensor *input, kt_shape pad, const kt_nn_pad_opts *opts); /* padded, filled as mode says */
KT_API kt_tensor *kt_alias_copy(const kt_tensor *self); /* alias, copied */
KT_API kt_tensor *kt_alias_copy_out(kt_tensor *out, const kt_tensor *self); /* alias, copied */
KT_API kt_tensor *kt_as_strided_copy_kw(const kt_tensor *self, kt_shape size, kt_shape stride, const kt_as_strided_copy_opts *opts); /* as_strided, copied */
KT_API kt_tensor *kt_as_strided_copy_out_kw(kt_tensor *out, const kt_tensor *self, kt_shape size, kt_shape stride, const kt_as_strided_copy_opts *opts); /* as_strided, copied */
KT_API kt_tensor *kt_detach_copy(const kt_tensor *self); /* detach, copied */
KT_API kt_tensor *kt_detach_copy_out(kt_tensor *out, const kt_tensor *self); /* detach, copied */
KT_API kt_tensor *kt_diagonal_copy_kw(const kt_tensor *self, const kt_diagonal_copy_opts *opts); /* diagonal, copied */
KT_API kt_tensor *kt_diagonal_copy_out_kw(kt_tensor *out, const kt_tensor *self, const kt_diagonal_copy_opts *opts); /* diagonal, copied */
KT_API kt_tensor *kt_expand_copy_kw(const kt_tensor *self, kt_shape size, const kt_expand_copy_opts *opts); /* expand, copied */
KT_API kt_tensor *kt_expand_copy_out_kw(kt_tensor *out, const kt_tensor *self, kt_shape size, const kt_expand_copy_opts *opts); /* expand, copied */
KT_API kt_tensor *kt_permute_copy(const kt_tensor *self, kt_shape dims); /* permute, copied */
KT_API kt_tensor *kt_permute_copy_out(kt_tensor *out, const kt_tensor *self, kt_shape dims); /* permute, copied */
KT_API kt_tensor *kt_select_copy(const kt_tensor *self, int64_t dim, int64_t index); /* select, copied */
KT_API kt_tensor *kt_select_copy_out(kt_tensor *out, const kt_tensor *self, int64_t dim, int64_t index); /* select, copied */
KT_API kt_tensor *kt_slice_copy_kw(const kt_tensor *self, const kt_slice_copy_opts *opts); /* slice, copied */
KT_API kt_tensor *kt_slice_copy_out_kw(kt_tensor *out, const kt_tensor *self, const kt_slice_copy_opts *opts); /* slice, copied */
KT_API kt_tensor *kt_squeeze_copy(const kt_tensor *self); /* squeeze, copied */
KT_API kt_tensor *kt_squeeze_copy_out(kt_tensor *out, const kt_tensor *self); /* squeeze, copied */
KT_API kt_tensor *kt_squeeze_dim_copy(const kt_tensor *self, kt_shape dim); /* squeeze, copied */
KT_API kt_tensor *kt_squeeze_dim_copy_out(kt_tensor *out, const kt_tensor *self, kt_shape dim); /* squeeze, copied */
KT_API kt_tensor *kt_t_copy(const kt_tensor *self); /* t, copied */
KT_API kt_tensor *kt_t_copy_out(kt_tensor *out, const kt_tensor *self); /* t, copied */
KT_API kt_tensor *kt_transpose_copy(const kt_tensor *self, int64_t dim0, int64_t dim1); /* transpose, copied */
KT_API kt_tensor *kt_transpose_copy_out(kt_tensor *out, const kt_tensor *self, int64_t dim0, int64_t dim1); /* transpose, copied */
KT_API kt_tensor *kt_unfold_copy(const kt_tensor *self, int64_t dimension, int64_t size, int64_t step); /* unfold, copied */
KT_API kt_tensor *kt_unfold_copy_out(kt_tensor *out, const kt_tensor *self, int64_t dimension, int64_t size, int64_t step); /* unfold, copied */
KT_API kt_tensor *kt_unsqueeze_copy(const kt_tensor *self, int64_t dim); /* unsqueeze, copied */
KT_API kt_tensor *kt_unsqueeze_copy_out(kt_tensor *out, const kt_tensor *self, int64_t dim); /* unsqueeze, copied */
KT_API kt_tensor *kt_view_copy(const kt_tensor *self, kt_shape size); /* view, copied */
KT_API kt_tensor *kt_view_copy_out(kt_tensor *out, const kt_tensor *self, kt_shape size); /* view, copied */
KT_API kt_tensor *kt_view_dtype_copy(const kt_tensor *self, kt_dtype dtype); /* view, copied */
KT_API kt_tensor *kt_view_dtype_copy_out(kt_tensor *out, const kt_tensor *self, kt_dtype dtype); /* view, copied */
KT_API kt_tensor *kt_view_as_real_copy(const kt_tensor *self); /* view_as_real, copied */
KT_API kt_tensor *kt_view_as_real_copy_out(kt_tensor *out, const kt_tensor *self); /* view_as_real, copied */
KT_API kt_tensor *kt_view_as_complex_copy(const kt_tensor *self); /* view_as_complex, copied */
KT_API kt_tensor *kt_view_as_complex_copy_out(kt_tensor *out, const kt_tensor *self); /* view_as_complex, copied */
KT_API kt_tensor *kt_narrow_copy(const kt_tensor *self, int64_t dim, int64_t start, int64_t length); /* narrow, copied */
KT_API kt_tensor *kt_narrow_copy_out(kt_tensor *out, const kt_tensor *self, int64_t dim, int64_t start, int64_t length); /* narrow, copied */
KT_API kt_tensor *kt_select_scatter(const kt_tensor *self, const kt_tensor *src, int64_t dim, int64_t index); /* a copy with one index of a dim written */
KT_API kt_tensor *kt_slice_scatter_kw(const kt_tensor *self, const kt_tensor *src, const kt_slice_scatter_opts *opts); /* a copy with a range of a dim written */
KT_API kt_tensor *kt_slice_scatter_out_kw(kt_tensor *out, const kt_tensor *self, const kt_tensor *src, const kt_slice_scatter_opts *opts); /* a copy with a range of a dim written */
KT_API kt_tensor *kt_diagonal_scatter_kw(const kt_tensor *self, const kt_tensor *src, const kt_diagonal_scatter_opts *opts); /* a copy with a diagonal written */
KT_API kt_tensor *kt_as_strided_scatter_kw(const kt_tensor *self, const kt_tensor *src, kt_shape size, kt_shape stride, const kt_as_strided_scatter_opts *opts); /* a copy with any geometry of it written */
KT_API kt_tensor *kt_combinations_kw(const kt_tensor *self, const kt_combinations_opts *opts); /* combinations of r elements of a vector, a row each */
KT_API kt_tensor *kt_rand_kw(kt_shape size, const kt_rand_opts *opts); /* uniform in [0, 1) */
KT_API kt_tensor *kt_rand_like_kw(const kt_tensor *self, const kt_rand_like_opts *opts); /* like self, uniform in [0, 1) */
KT_API kt_tensor *kt_randn_kw(kt_shape size, const kt_randn_opts *opts); /* standard normal */
KT_API kt_tensor *kt_randn_like_kw(const kt_tensor *self, const kt_randn_like_opts *opts); /* like self, standard normal */
KT_API kt_tensor *kt_randint_kw(int64_t high, kt_shape size, const kt_randint_opts *opts); /* integers in [0, high) */
KT_API kt_tensor *kt_randint_low_kw(int64_t low, int64_t high, kt_shape size, const kt_randint_low_opts *opts); /* integers in [low, high) */
KT_API kt_tensor *kt_randint_like_kw(const kt_tensor *self, int64_t high, const kt_randint_like_opts *opts); /* like self, integers in [0, high) */
KT_API kt_tensor *kt_randint_like_low_kw(const kt_tensor *self, int64_t low, int64_t high, const kt_randint_like_low_opts *opts); /* like self, integers in [low, high) */
KT_API kt_tensor *kt_randperm_kw(int64_t n, const kt_randperm_opts *opts); /* random permutation of 0 to n - 1 */
KT_API kt_tensor *kt_normal_tensor_float_kw(const kt_tensor *mean, const kt_normal_tensor_float_opts *opts); /* normal, a mean for each element */
KT_API kt_tensor *kt_normal_tensor_float_out_kw(kt_tensor *out, const kt_tensor *mean, const kt_normal_tensor_float_opts *opts); /* normal, a mean for each element */
KT_API kt_tensor *kt_normal_float_tensor_kw(double mean, const kt_tensor *std, const kt_normal_float_tensor_opts *opts); /* normal, a standard deviation for each element */
KT_API kt_tensor *kt_normal_float_tensor_out_kw(kt_tensor *out, double mean, const kt_tensor *std, const kt_normal_float_tensor_opts *opts); /* normal, a standard deviation for each element */
KT_API kt_tensor *kt_normal_tensor_tensor_kw(const kt_tensor *mean, const kt_tensor *std, const kt_normal_tensor_tensor_opts *opts); /* normal, a mean and standard deviation for each element */
KT_API kt_tensor *kt_normal_tensor_tensor_out_kw(kt_tensor *out, const kt_tensor *mean, const kt_tensor *std, const kt_normal_tensor_tensor_opts *opts); /* normal, a mean and standard deviation for each element */
KT_API kt_tensor *kt_normal_float_float_kw(double mean, double std, kt_shape size, const kt_normal_float_float_opts *opts); /* normal of a mean and standard deviation */
KT_API kt_tensor *kt_normal__kw(kt_tensor *self, const kt_normal_opts *opts); /* filled with normal samples */
KT_API kt_tensor *kt_uniform__kw(kt_tensor *self, const kt_uniform_opts *opts); /* filled with uniform samples of [from, to) */
KT_API kt_tensor *kt_random__kw(kt_tensor *self, const kt_random_opts *opts); /* filled with random integers of the range of the dtype */
KT_API kt_tensor *kt_random_to__kw(kt_tensor *self, int64_t to, const kt_random_to_opts *opts); /* filled with random integers of [0, to) */
KT_API kt_tensor *kt_random_from__kw(kt_tensor *self, int64_t from, int64_t to, const kt_random_from_opts *opts); /* filled with random integers of [from, to) */
KT_API kt_tensor *kt_exponential__kw(kt_tensor *self, const kt_exponential_opts *opts); /* filled with exponential samples of rate lambd */
KT_API kt_tensor *kt_cauchy__kw(kt_tensor *self, const kt_cauchy_opts *opts); /* filled with Cauchy samples */
KT_API kt_tensor *kt_log_normal__kw(kt_tensor *self, const kt_log_normal_opts *opts); /* filled with log-normal samples */
KT_API kt_tensor *kt_geometric__kw(kt_tensor *self, double p, const kt_geometric_opts *opts); /* filled with geometric samples */
KT_API kt_tensor *kt_bernoulli_kw(const kt_tensor *self, const kt_bernoulli_opts *opts); /* Bernoulli samples: 1 with the probability that self gives */
KT_API kt_tensor *kt_bernoulli_out_kw(kt_tensor *out, const kt_tensor *self, const kt_bernoulli_opts *opts); /* Bernoulli samples: 1 with the probability that self gives */
KT_API kt_tensor *kt_bernoulli_p_kw(const kt_tensor *self, double p, const kt_bernoulli_p_opts *opts); /* Bernoulli samples like self: 1 with probability p */
KT_API kt_tensor *kt_bernoulli_tensor__kw(kt_tensor *self, const kt_tensor *p, const kt_bernoulli_tensor_opts *opts); /* filled with Bernoulli samples, a probability for each element */
KT_API kt_tensor *kt_bernoulli_float__kw(kt_tensor *self, const kt_bernoulli_float_opts *opts); /* filled with Bernoulli samples of probability p */
KT_API kt_tensor *kt_poisson_kw(const kt_tensor *self, const kt_poisson_opts *opts); /* Poisson samples of the rates that self gives */
KT_API kt_tensor *kt_multinomial_kw(const kt_tensor *self, int64_t num_samples, const kt_multinomial_opts *opts); /* indices sampled from the weights of each row */
KT_API kt_tensor *kt_multinomial_out_kw(kt_tensor *out, const kt_tensor *self, int64_t num_samples, const kt_multinomial_opts *opts); /* indices sampled from the weights of each row */
KT_API kt_tensor *kt_dropout(const kt_tensor *input, double p, bool train); /* elements zeroed with probability p, the others scaled by 1 / (1 - p) */
KT_API kt_tensor *kt_dropout_(kt_tensor *input, double p, bool train); /* elements zeroed with probability p, the others scaled by 1 / (1 - p) */
KT_API kt_tensor *kt_feature_dropout(const kt_tensor *input, double p, bool train); /* dropout of whole channels */
KT_API kt_tensor *kt_feature_dropout_(kt_tensor *input, double p, bool train); /* dropout of whole channels */
KT_API kt_tensor *kt_alpha_dropout(const kt_tensor *input, double p, bool train); /* dropout that keeps mean and variance of what selu gives */
KT_API kt_tensor *kt_alpha_dropout_(kt_tensor *input, double p, bool train); /* dropout that keeps mean and variance of what selu gives */
KT_API kt_tensor *kt_feature_alpha_dropout(const kt_tensor *input, double p, bool train); /* alpha_dropout of whole channels */
KT_API kt_tensor *kt_feature_alpha_dropout_(kt_tensor *input, double p, bool train); /* alpha_dropout of whole channels */
KT_API kt_native_dropout_results kt_native_dropout(const kt_tensor *input, double p, bool train); /* dropout, and the mask */
KT_API kt_tensor *kt_nn_dropout_kw(const kt_tensor *input, const kt_nn_dropout_opts *opts); /* dropout as modules call it */
KT_API kt_tensor *kt_nn_dropout1d_kw(const kt_tensor *input, const kt_nn_dropout1d_opts *opts); /* dropout of whole channels of one dim */
KT_API kt_tensor *kt_nn_dropout2d_kw(const kt_tensor *input, const kt_nn_dropout2d_opts *opts); /* dropout of whole channels of two dims */
KT_API kt_tensor *kt_nn_dropout3d_kw(const kt_tensor *input, const kt_nn_dropout3d_opts *opts); /* dropout of whole channels of three dims */
KT_API kt_tensor *kt_nn_alpha_dropout_kw(const kt_tensor *input, const kt_nn_alpha_dropout_opts *opts); /* alpha_dropout as modules call it */
KT_API kt_tensor *kt_nn_feature_alpha_dropout_kw(const kt_tensor *input, const kt_nn_feature_alpha_dropout_opts *opts); /* feature_alpha_dropout as modules call it */
KT_API kt_tensor *kt_index(const kt_tensor *self, kt_tensor *const *indices, int64_t n_indices); /* elements by index tensors, one a dim; NULL leaves a dim as it is */
KT_API kt_tensor *kt_index_put_kw(const kt_tensor *self, kt_tensor *const *indices, int64_t n_indices, const kt_tensor *values, const kt_index_put_opts *opts); /* self with values at the places that indices name */
KT_API kt_tensor *kt_index_put__kw(kt_tensor *self, kt_tensor *const *indices, int64_t n_indices, const kt_tensor *values, const kt_index_put_opts *opts); /* self with values at the places that indices name */
KT_API kt_tensor *kt_take(const kt_tensor *self, const kt_tensor *index); /* elements by index into the flattened tensor */
KT_API kt_tensor *kt_take_out(kt_tensor *out, const kt_tensor *self, const kt_tensor *index); /* elements by index into the flattened tensor */
KT_API kt_tensor *kt_put_kw(const kt_tensor *self, const kt_tensor *index, const kt_tensor *source, const kt_put_opts *opts); /* self with source at indices into the flattened tensor */
KT_API kt_tensor *kt_put__kw(kt_tensor *self, const kt_tensor *index, const kt_tensor *source, const kt_put_opts *opts); /* self with source at indices into the flattened tensor */
KT_API kt_tensor *kt_gather_kw(const kt_tensor *self, int64_t dim, const kt_tensor *index, const kt_gather_opts *opts); /* elements along a dim, by an index each */
KT_API kt_tensor *kt_gather_out_kw(kt_tensor *out, const kt_tensor *self, int64_t dim, const kt_tensor *index, const kt_gather_opts *opts); /* elements along a dim, by an index each */
KT_API kt_tensor *kt_scatter(const kt_tensor *self, int64_t dim, const kt_tensor *index, const kt_tensor *src); /* self with the elements of src written along a dim, at an index each */
KT_API kt_tensor *kt_scatter_(kt_tensor *self, int64_t dim, const kt_tensor *index, const kt_tensor *src); /* self with the elements of src written along a dim, at an index each */
KT_API kt_tensor *kt_scatter_out(kt_tensor *out, const kt_tensor *self, int64_t dim, const kt_tensor *index, const kt_tensor *src); /* self with the elements of src written along a dim, at an index each */
KT_API kt_tensor *kt_scatter_value(const kt_tensor *self, int64_t dim, const kt_tensor *index, kt_scalar value); /* self with a value written along a dim, at an index each */
KT_API kt_tensor *kt_scatter_value_(kt_tensor *self, int64_t dim, const kt_tensor *index, kt_scalar value); /* self with a value written along a dim, at an index each */
KT_API kt_tensor *kt_scatter_value_out(kt_tensor *out, const kt_tensor *self, int64_t dim, const kt_tensor *index, kt_scalar value); /* self with a value written along a dim, at an index each */
KT_API kt_tensor *kt_scatter_combine(const kt_tensor *self, int64_t dim, const kt_tensor *index, const kt_tensor *src, const char *reduce); /* self with src added or multiplied in */
KT_API kt_tensor *kt_scatter_combine_(kt_tensor *self, int64_t dim, const kt_tensor *index, const kt_tensor *src, const char *reduce); /* self with src added or multiplied in */
KT_API kt_tensor *kt_scatter_combine_out(kt_tensor *out, const kt_tensor *self, int64_t dim, const kt_tensor *index, const kt_tensor *src, const char *reduce); /* self with src added or multiplied in */
KT_API kt_tensor *kt_scatter_value_combine(const kt_tensor *self, int64_t dim, const kt_tensor *index, kt_scalar value, const char *reduce); /* self with a value added or multiplied in */
KT_API kt_tensor *kt_scatter_value_combine_(kt_tensor *self, int64_t dim, const kt_tensor *index, kt_scalar value, const char *reduce); /* self with a value added or multiplied in */
KT_API kt_tensor *kt_scatter_value_combine_out(kt_tensor *out, const kt_tensor *self, int64_t dim, const kt_tensor *index, kt_scalar value, const char *reduce); /* self with a value added or multiplied in */
KT_API kt_tensor *kt_scatter_add(const kt_tensor *self, int64_t dim, const kt_tensor *index, const kt_tensor *src); /* self with the elements of src added along a dim, at an index each */
KT_API kt_tensor *kt_scatter_add_(kt_tensor *self, int64_t dim, const kt_tensor *index, const kt_tensor *src); /* self with the elements of src added along a dim, at an index each */
KT_API kt_tensor *kt_scatter_add_out(kt_tensor *out, const kt_tensor *self, int64_t dim, const kt_tensor *index, const kt_tensor *src); /* self with the elements of src added along a dim, at an index each */
KT_API kt_tensor *kt_index_select(const kt_tensor *self, int64_t dim, const kt_tensor *index); /* slices along a dim, by index */
KT_API kt_tensor *kt_index_select_out(kt_tensor *out, const kt_tensor *self, int64_t dim, const kt_tensor *index); /* slices along a dim, by index */
KT_API kt_tensor *kt_index_add_kw(const kt_tensor *self, int64_t dim, const kt_tensor *index, const kt_tensor *source, const kt_index_add_opts *opts); /* self with alpha times the slices of source added at index */
KT_API kt_tensor *kt_index_add__kw(kt_tensor *self, int64_t dim, const kt_tensor *index, const kt_tensor *source, const kt_index_add_opts *opts); /* self with alpha times the slices of source added at index */
KT_API kt_tensor *kt_index_add_out_kw(kt_tensor *out, const kt_tensor *self, int64_t dim, const kt_tensor *index, const kt_tensor *source, const kt_index_add_opts *opts); /* self with alpha times the slices of source added at index */
KT_API kt_tensor *kt_index_copy(const kt_tensor *self, int64_t dim, const kt_tensor *index, const kt_tensor *source); /* self with the slices of source at index */
KT_API kt_tensor *kt_index_copy_(kt_tensor *self, int64_t dim, const kt_tensor *index, const kt_tensor *source); /* self with the slices of source at index */
KT_API kt_tensor *kt_index_copy_out(kt_tensor *out, const kt_tensor *self, int64_t dim, const kt_tensor *index, const kt_tensor *source); /* self with the slices of source at index */
KT_API kt_tensor *kt_index_fill_tensor(const kt_tensor *self, int64_t dim, const kt_tensor *index, const kt_tensor *value); /* self with a 0-dim value in the slices at index */
KT_API kt_tensor *kt_index_fill_tensor_(kt_tensor *self, int64_t dim, const kt_tensor *index, const kt_tensor *value); /* self with a 0-dim value in the slices at index */
KT_API kt_tensor *kt_index_fill(const kt_tensor *self, int64_t dim, const kt_tensor *index, kt_scalar value); /* self with a value in the slices at index */
KT_API kt_tensor *kt_index_fill_(kt_tensor *self, int64_t dim, const kt_tensor *index, kt_scalar value); /* self with a value in the slices at index */
KT_API kt_tensor *kt_scatter_reduce_kw(const kt_tensor *self, int64_t dim, const kt_tensor *index, const kt_tensor *src, const char *reduce, const kt_scatter_reduce_opts *opts); /* self with the elements of src reduced in along a dim, at an index each (sum, prod, mean, amax, amin) */
KT_API kt_tensor *kt_scatter_reduce__kw(kt_tensor *self, int64_t dim, const kt_tensor *index, const kt_tensor *src, const char *reduce, const kt_scatter_reduce_opts *opts); /* self with the elements of src reduced in along a dim, at an index each (sum, prod, mean, amax, amin) */
KT_API kt_tensor *kt_scatter_reduce_out_kw(kt_tensor *out, const kt_tensor *self, int64_t dim, const kt_tensor *index, const kt_tensor *src, const char *reduce, const kt_scatter_reduce_opts *opts); /* self with the elements of src reduced in along a dim, at an index each (sum, prod, mean, amax, amin) */
KT_API kt_tensor *kt_index_reduce_kw(const kt_tensor *self, int64_t dim, const kt_tensor *index, const kt_tensor *source, const char *reduce, const kt_index_reduce_opts *opts); /* self with the slices of source reduced in at index (prod, mean, amax, amin) */
KT_API kt_tensor *kt_index_reduce__kw(kt_tensor *self, int64_t dim, const kt_tensor *index, const kt_tensor *source, const char *reduce, const kt_index_reduce_opts *opts); /* self with the slices of source reduced in at index (prod, mean, amax, amin) */
KT_API kt_tensor *kt_index_reduce_out_kw(kt_tensor *out, const kt_tensor *self, int64_t dim, const kt_tensor *index, const kt_tensor *source, const char *reduce, const kt_index_reduce_opts *opts); /* self with the slices of source reduced in at index (prod, mean, amax, amin) */
KT_API kt_tensor *kt_take_along_dim_kw(const kt_tensor *self, const kt_tensor *indices, const kt_take_along_dim_opts *opts); /* gather, other dims broadcast */
KT_API kt_tensor *kt_take_along_dim_out_kw(kt_tensor *out, const kt_tensor *self, const kt_tensor *indices, const kt_take_along_dim_opts *opts); /* gather, other dims broadcast */
KT_API int64_t kt_unravel_index(const kt_tensor *indices, kt_shape shape, kt_tensor **results, int64_t room); /* coordinates of flat indices */
KT_API kt_tensor *kt_masked_fill_tensor(const kt_tensor *self, const kt_tensor *mask, const kt_tensor *value); /* self with a 0-dim value where mask is true */
KT_API kt_tensor *kt_masked_fill_tensor_(kt_tensor *self, const kt_tensor *mask, const kt_tensor *value); /* self with a 0-dim value where mask is true */
KT_API kt_tensor *kt_masked_fill(const kt_tensor *self, const kt_tensor *mask, kt_scalar value); /* self with a value where mask is true */
KT_API kt_tensor *kt_masked_fill_(kt_tensor *self, const kt_tensor *mask, kt_scalar value); /* self with a value where mask is true */
KT_API kt_tensor *kt_masked_select(const kt_tensor *self, const kt_tensor *mask); /* elements where mask is true, as a vector */
KT_API kt_tensor *kt_masked_select_out(kt_tensor *out, const kt_tensor *self, const kt_tensor *mask); /* elements where mask is true, as a vector */
KT_API kt_tensor *kt_masked_scatter(const kt_tensor *self, const kt_tensor *mask, const kt_tensor *source); /* self with the elements of source, in order, where mask is true */
KT_API kt_tensor *kt_masked_scatter_(kt_tensor *self, const kt_tensor *mask, const kt_tensor *source); /* self with the elements of source, in order, where mask is true */
KT_API kt_tensor *kt_nonzero(const kt_tensor *self); /* indices of nonzero elements, a row each */
KT_API kt_tensor *kt_nonzero_out(kt_tensor *out, const kt_tensor *self); /* indices of nonzero elements, a row each */
KT_API kt_tensor *kt_argwhere(const kt_tensor *self); /* nonzero by another name */
KT_API int64_t kt_nonzero_numpy(const kt_tensor *self, kt_tensor **results, int64_t room); /* indices of nonzero elements, a tensor for each dim */
KT_API int64_t kt_where_self(const kt_tensor *condition, kt_tensor **results, int64_t room); /* nonzero_numpy by another name */
KT_API kt_tensor *kt_nonzero_static_kw(const kt_tensor *self, int64_t size, const kt_nonzero_static_opts *opts); /* indices of nonzero elements, a fixed number of rows */
KT_API kt_tensor *kt_nonzero_static_out_kw(kt_tensor *out, const kt_tensor *self, int64_t size, const kt_nonzero_static_opts *opts); /* indices of nonzero elements, a fixed number of rows */
KT_API kt_tensor *kt_embedding_kw(const kt_tensor *weight, const kt_tensor *indices, const kt_embedding_opts *opts); /* rows of weight by index (lookup table) */
KT_API kt_tensor *kt_nn_embedding_kw(const kt_tensor *input, const kt_tensor *weight, const kt_nn_embedding_opts *opts); /* rows of weight by index (lookup table), renormalized to max_norm where given */
KT_API kt_tensor *kt_nn_one_hot_kw(const kt_tensor *self, const kt_nn_one_hot_opts *opts); /* one-hot encoding of class indices */
KT_API kt_tensor *kt_softmax_kw(const kt_tensor *self, int64_t dim, const kt_softmax_opts *opts); /* softmax along a dim */
KT_API kt_tensor *kt_softmax_out_kw(kt_tensor *out, const kt_tensor *self, int64_t dim, const kt_softmax_opts *opts); /* softmax along a dim */
KT_API kt_tensor *kt_log_softmax_kw(const kt_tensor *self, int64_t dim, const kt_log_softmax_opts *opts); /* log of softmax along a dim, without overflow */
KT_API kt_tensor *kt_log_softmax_out_kw(kt_tensor *out, const kt_tensor *self, int64_t dim, const kt_log_softmax_opts *opts); /* log of softmax along a dim, without overflow */
KT_API kt_tensor *kt_softmax_along(const kt_tensor *self, int64_t dim, bool half_to_float); /* softmax in the operand's dtype */
KT_API kt_tensor *kt_log_softmax_along(const kt_tensor *self, int64_t dim, bool half_to_float); /* log_softmax in the operand's dtype */
KT_API kt_tensor *kt_softmax_backward_data(const kt_tensor *grad_output, const kt_tensor *output, int64_t dim, kt_dtype input_dtype); /* gradient of softmax */
KT_API kt_tensor *kt_log_softmax_backward_data(const kt_tensor *grad_output, const kt_tensor *output, int64_t dim, kt_dtype input_dtype); /* gradient of log_softmax */
KT_API kt_tensor *kt_special_softmax_kw(const kt_tensor *self, int64_t dim, const kt_special_softmax_opts *opts); /* softmax under its second name */
KT_API kt_tensor *kt_special_log_softmax_kw(const kt_tensor *self, int64_t dim, const kt_special_log_softmax_opts *opts); /* log_softmax under its second name */
KT_API kt_tensor *kt_nn_softmax_kw(const kt_tensor *input, const kt_nn_softmax_opts *opts); /* softmax along a dim (chosen by rank where none is given) */
KT_API kt_tensor *kt_nn_log_softmax_kw(const kt_tensor *input, const kt_nn_log_softmax_opts *opts); /* log of softmax along a dim (chosen by rank where none is given) */
KT_API kt_tensor *kt_nn_softmin_kw(const kt_tensor *input, const kt_nn_softmin_opts *opts); /* softmax of the negated operand */
KT_API kt_tensor *kt_mse_loss_kw(const kt_tensor *input, const kt_tensor *target, const kt_mse_loss_opts *opts); /* squared error */
KT_API kt_tensor *kt_smooth_l1_loss_kw(const kt_tensor *input, const kt_tensor *target, const kt_smooth_l1_loss_opts *opts); /* smooth L1 loss */
KT_API kt_tensor *kt_huber_loss_kw(const kt_tensor *input, const kt_tensor *target, const kt_huber_loss_opts *opts); /* Huber loss */
KT_API kt_tensor *kt_mse_loss_backward_kw(const kt_tensor *grad_output, const kt_tensor *input, const kt_tensor *target, const kt_mse_loss_backward_opts *opts); /* gradient of mse_loss */
KT_API kt_tensor *kt_smooth_l1_loss_backward_kw(const kt_tensor *grad_output, const kt_tensor *input, const kt_tensor *target, const kt_smooth_l1_loss_backward_opts *opts); /* gradient of smooth_l1_loss */
KT_API kt_tensor *kt_huber_loss_backward_kw(const kt_tensor *grad_output, const kt_tensor *input, const kt_tensor *target, const kt_huber_loss_backward_opts *opts); /* gradient of huber_loss */
KT_API kt_tensor *kt_nn_mse_loss_kw(const kt_tensor *input, const kt_tensor *target, const kt_nn_mse_loss_opts *opts); /* mean squared error; reduction='sum' or 'none' */
KT_API kt_tensor *kt_nn_l1_loss_kw(const kt_tensor *input, const kt_tensor *target, const kt_nn_l1_loss_opts *opts); /* mean absolute error; reduction='sum' or 'none' */
KT_API kt_tensor *kt_nn_smooth_l1_loss_kw(const kt_tensor *input, const kt_tensor *target, const kt_nn_smooth_l1_loss_opts *opts); /* smooth L1 loss: squared below beta, absolute above */
KT_API kt_tensor *kt_nn_huber_loss_kw(const kt_tensor *input, const kt_tensor *target, const kt_nn_huber_loss_opts *opts); /* Huber loss: squared up to delta, absolute above */
KT_API kt_tensor *kt_nll_loss_kw(const kt_tensor *input, const kt_tensor *target, const kt_nll_loss_opts *opts); /* negative log likelihood; input holds log-probabilities, target int64 class indices */
KT_API kt_tensor *kt_nll_loss2d_kw(const kt_tensor *input, const kt_tensor *target, const kt_nll_loss2d_opts *opts); /* nll_loss of images */
KT_API kt_tensor *kt_nn_nll_loss_kw(const kt_tensor *input, const kt_tensor *target, const kt_nn_nll_loss_opts *opts); /* negative log likelihood; input holds log-probabilities, target int64 class indices */
KT_API kt_tensor *kt_nn_cross_entropy_kw(const kt_tensor *input, const kt_tensor *target, const kt_nn_cross_entropy_opts *opts); /* cross entropy of logits and targets: int64 class indices, or class probabilities */
KT_API kt_tensor *kt_div_by_number(const kt_tensor *input, const kt_tensor *other); /* input / other, under the name that a division by a number has in a graph that PyTorch's own operators made */
KT_API kt_tensor *kt_div_by_number_s(const kt_tensor *input, kt_scalar other); /* input / other, under the name that a division by a number has in a graph that PyTorch's own operators made */
KT_API kt_tensor *kt_mul_by_number(const kt_tensor *input, const kt_tensor *other); /* input * other, under the name that a product with a number has in a graph that PyTorch's own operators made */
KT_API kt_tensor *kt_mul_by_number_s(const kt_tensor *input, kt_scalar other); /* input * other, under the name that a product with a number has in a graph that PyTorch's own operators made */
KT_API kt_tensor *kt_binary_cross_entropy_kw(const kt_tensor *input, const kt_tensor *target, const kt_binary_cross_entropy_opts *opts); /* binary cross entropy of probabilities and targets in [0, 1] */
KT_API kt_tensor *kt_bce_logits_kw(kt_tensor *const *tensors, int64_t n_tensors, const kt_bce_logits_opts *opts); /* cross entropy of logits, targets, weights and weights of the positive; the last two may be absent */
KT_API kt_tensor *kt_binary_cross_entropy_with_logits_kw(const kt_tensor *input, const kt_tensor *target, const kt_binary_cross_entropy_with_logits_opts *opts); /* binary cross entropy of logits and targets in [0, 1] */
KT_API kt_tensor *kt_kl_div_kw(const kt_tensor *input, const kt_tensor *target, const kt_kl_div_opts *opts); /* Kullback-Leibler divergence, pointwise; input holds log-probabilities */
KT_API kt_tensor *kt_nn_binary_cross_entropy_kw(const kt_tensor *input, const kt_tensor *target, const kt_nn_binary_cross_entropy_opts *opts); /* mean binary cross entropy of probabilities and targets in [0, 1] */
KT_API kt_tensor *kt_nn_binary_cross_entropy_with_logits_kw(const kt_tensor *input, const kt_tensor *target, const kt_nn_binary_cross_entropy_with_logits_opts *opts); /* mean binary cross entropy of logits and targets in [0, 1] */
KT_API kt_tensor *kt_nn_kl_div_kw(const kt_tensor *input, const kt_tensor *target, const kt_nn_kl_div_opts *opts); /* Kullback-Leibler divergence; reduction='batchmean' is the mathematical one */

#define kt_add(self, other, ...) (KT_AT kt_add_kw(self, other, KT_KW(kt_add_opts, __VA_ARGS__)))
#define kt_add_(self, other, ...) (KT_AT kt_add__kw(self, other, KT_KW(kt_add_opts, __VA_ARGS__)))
#define kt_add_out(out, self, other, ...) (KT_AT kt_add_out_kw(out, self, other, KT_KW(kt_add_opts, __VA_ARGS__)))
#define kt_add_s(self, other, ...) (KT_AT kt_add_s_kw(self, other, KT_KW(kt_add_s_opts, __VA_ARGS__)))
#define kt_add_s_(self, other, ...) (KT_AT kt_add_s__kw(self, other, KT_KW(kt_add_s_opts, __VA_ARGS__)))
#define kt_add_s_out(out, self, other, ...) (KT_AT kt_add_s_out_kw(out, self, other, KT_KW(kt_add_s_opts, __VA_ARGS__)))
#define kt_sub(self, other, ...) (KT_AT kt_sub_kw(self, other, KT_KW(kt_sub_opts, __VA_ARGS__)))
#define kt_sub_(self, other, ...) (KT_AT kt_sub__kw(self, other, KT_KW(kt_sub_opts, __VA_ARGS__)))
#define kt_sub_out(out, self, other, ...) (KT_AT kt_sub_out_kw(out, self, other, KT_KW(kt_sub_opts, __VA_ARGS__)))
#define kt_sub_s(self, other, ...) (KT_AT kt_sub_s_kw(self, other, KT_KW(kt_sub_s_opts, __VA_ARGS__)))
#define kt_sub_s_(self, other, ...) (KT_AT kt_sub_s__kw(self, other, KT_KW(kt_sub_s_opts, __VA_ARGS__)))
#define kt_sub_s_out(out, self, other, ...) (KT_AT kt_sub_s_out_kw(out, self, other, KT_KW(kt_sub_s_opts, __VA_ARGS__)))
#define kt_rsub(self, other, ...) (KT_AT kt_rsub_kw(self, other, KT_KW(kt_rsub_opts, __VA_ARGS__)))
#define kt_rsub_s(self, other, ...) (KT_AT kt_rsub_s_kw(self, other, KT_KW(kt_rsub_s_opts, __VA_ARGS__)))
#define kt_div(self, other, ...) (KT_AT kt_div_kw(self, other, KT_KW(kt_div_opts, __VA_ARGS__)))
#define kt_div_(self, other, ...) (KT_AT kt_div__kw(self, other, KT_KW(kt_div_opts, __VA_ARGS__)))
#define kt_div_out(out, self, other, ...) (KT_AT kt_div_out_kw(out, self, other, KT_KW(kt_div_opts, __VA_ARGS__)))
#define kt_div_s(self, other, ...) (KT_AT kt_div_s_kw(self, other, KT_KW(kt_div_s_opts, __VA_ARGS__)))
#define kt_div_s_(self, other, ...) (KT_AT kt_div_s__kw(self, other, KT_KW(kt_div_s_opts, __VA_ARGS__)))
#define kt_div_s_out(out, self, other, ...) (KT_AT kt_div_s_out_kw(out, self, other, KT_KW(kt_div_s_opts, __VA_ARGS__)))
#define kt_isclose(self, other, ...) (KT_AT kt_isclose_kw(self, other, KT_KW(kt_isclose_opts, __VA_ARGS__)))
#define kt_clamp(self, ...) (KT_AT kt_clamp_kw(self, KT_KW(kt_clamp_opts, __VA_ARGS__)))
#define kt_clamp_(self, ...) (KT_AT kt_clamp__kw(self, KT_KW(kt_clamp_opts, __VA_ARGS__)))
#define kt_clamp_out(out, self, ...) (KT_AT kt_clamp_out_kw(out, self, KT_KW(kt_clamp_opts, __VA_ARGS__)))
#define kt_clamp_s(self, ...) (KT_AT kt_clamp_s_kw(self, KT_KW(kt_clamp_s_opts, __VA_ARGS__)))
#define kt_clamp_s_(self, ...) (KT_AT kt_clamp_s__kw(self, KT_KW(kt_clamp_s_opts, __VA_ARGS__)))
#define kt_clamp_s_out(out, self, ...) (KT_AT kt_clamp_s_out_kw(out, self, KT_KW(kt_clamp_s_opts, __VA_ARGS__)))
#define kt_round(self, ...) (KT_AT kt_round_kw(self, KT_KW(kt_round_opts, __VA_ARGS__)))
#define kt_round_(self, ...) (KT_AT kt_round__kw(self, KT_KW(kt_round_opts, __VA_ARGS__)))
#define kt_round_out(out, self, ...) (KT_AT kt_round_out_kw(out, self, KT_KW(kt_round_opts, __VA_ARGS__)))
#define kt_polygamma_of(self, ...) (KT_AT kt_polygamma_of_kw(self, KT_KW(kt_polygamma_of_opts, __VA_ARGS__)))
#define kt_polygamma_of_out(out, self, ...) (KT_AT kt_polygamma_of_out_kw(out, self, KT_KW(kt_polygamma_of_opts, __VA_ARGS__)))
#define kt_logit(self, ...) (KT_AT kt_logit_kw(self, KT_KW(kt_logit_opts, __VA_ARGS__)))
#define kt_logit_(self, ...) (KT_AT kt_logit__kw(self, KT_KW(kt_logit_opts, __VA_ARGS__)))
#define kt_logit_out(out, self, ...) (KT_AT kt_logit_out_kw(out, self, KT_KW(kt_logit_opts, __VA_ARGS__)))
#define kt_nan_to_num(self, ...) (KT_AT kt_nan_to_num_kw(self, KT_KW(kt_nan_to_num_opts, __VA_ARGS__)))
#define kt_nan_to_num_(self, ...) (KT_AT kt_nan_to_num__kw(self, KT_KW(kt_nan_to_num_opts, __VA_ARGS__)))
#define kt_nan_to_num_out(out, self, ...) (KT_AT kt_nan_to_num_out_kw(out, self, KT_KW(kt_nan_to_num_opts, __VA_ARGS__)))
#define kt_addcmul(self, tensor1, tensor2, ...) (KT_AT kt_addcmul_kw(self, tensor1, tensor2, KT_KW(kt_addcmul_opts, __VA_ARGS__)))
#define kt_addcmul_(self, tensor1, tensor2, ...) (KT_AT kt_addcmul__kw(self, tensor1, tensor2, KT_KW(kt_addcmul_opts, __VA_ARGS__)))
#define kt_addcmul_out(out, self, tensor1, tensor2, ...) (KT_AT kt_addcmul_out_kw(out, self, tensor1, tensor2, KT_KW(kt_addcmul_opts, __VA_ARGS__)))
#define kt_addcdiv(self, tensor1, tensor2, ...) (KT_AT kt_addcdiv_kw(self, tensor1, tensor2, KT_KW(kt_addcdiv_opts, __VA_ARGS__)))
#define kt_addcdiv_(self, tensor1, tensor2, ...) (KT_AT kt_addcdiv__kw(self, tensor1, tensor2, KT_KW(kt_addcdiv_opts, __VA_ARGS__)))
#define kt_addcdiv_out(out, self, tensor1, tensor2, ...) (KT_AT kt_addcdiv_out_kw(out, self, tensor1, tensor2, KT_KW(kt_addcdiv_opts, __VA_ARGS__)))
#define kt_gelu(self, ...) (KT_AT kt_gelu_kw(self, KT_KW(kt_gelu_opts, __VA_ARGS__)))
#define kt_gelu_out(out, self, ...) (KT_AT kt_gelu_out_kw(out, self, KT_KW(kt_gelu_opts, __VA_ARGS__)))
#define kt_elu(self, ...) (KT_AT kt_elu_kw(self, KT_KW(kt_elu_opts, __VA_ARGS__)))
#define kt_elu_(self, ...) (KT_AT kt_elu__kw(self, KT_KW(kt_elu_opts, __VA_ARGS__)))
#define kt_elu_out(out, self, ...) (KT_AT kt_elu_out_kw(out, self, KT_KW(kt_elu_opts, __VA_ARGS__)))
#define kt_celu(input, ...) (KT_AT kt_celu_kw(input, KT_KW(kt_celu_opts, __VA_ARGS__)))
#define kt_celu_(input, ...) (KT_AT kt_celu__kw(input, KT_KW(kt_celu_opts, __VA_ARGS__)))
#define kt_leaky_relu(self, ...) (KT_AT kt_leaky_relu_kw(self, KT_KW(kt_leaky_relu_opts, __VA_ARGS__)))
#define kt_leaky_relu_(self, ...) (KT_AT kt_leaky_relu__kw(self, KT_KW(kt_leaky_relu_opts, __VA_ARGS__)))
#define kt_leaky_relu_out(out, self, ...) (KT_AT kt_leaky_relu_out_kw(out, self, KT_KW(kt_leaky_relu_opts, __VA_ARGS__)))
#define kt_hardtanh(self, ...) (KT_AT kt_hardtanh_kw(self, KT_KW(kt_hardtanh_opts, __VA_ARGS__)))
#define kt_hardtanh_(self, ...) (KT_AT kt_hardtanh__kw(self, KT_KW(kt_hardtanh_opts, __VA_ARGS__)))
#define kt_hardtanh_out(out, self, ...) (KT_AT kt_hardtanh_out_kw(out, self, KT_KW(kt_hardtanh_opts, __VA_ARGS__)))
#define kt_hardshrink(self, ...) (KT_AT kt_hardshrink_kw(self, KT_KW(kt_hardshrink_opts, __VA_ARGS__)))
#define kt_hardshrink_out(out, self, ...) (KT_AT kt_hardshrink_out_kw(out, self, KT_KW(kt_hardshrink_opts, __VA_ARGS__)))
#define kt_softshrink(self, ...) (KT_AT kt_softshrink_kw(self, KT_KW(kt_softshrink_opts, __VA_ARGS__)))
#define kt_softshrink_out(out, self, ...) (KT_AT kt_softshrink_out_kw(out, self, KT_KW(kt_softshrink_opts, __VA_ARGS__)))
#define kt_softplus(self, ...) (KT_AT kt_softplus_kw(self, KT_KW(kt_softplus_opts, __VA_ARGS__)))
#define kt_softplus_out(out, self, ...) (KT_AT kt_softplus_out_kw(out, self, KT_KW(kt_softplus_opts, __VA_ARGS__)))
#define kt_glu(self, ...) (KT_AT kt_glu_kw(self, KT_KW(kt_glu_opts, __VA_ARGS__)))
#define kt_glu_out(out, self, ...) (KT_AT kt_glu_out_kw(out, self, KT_KW(kt_glu_opts, __VA_ARGS__)))
#define kt_gelu_backward(grad_output, self, ...) (KT_AT kt_gelu_backward_kw(grad_output, self, KT_KW(kt_gelu_backward_opts, __VA_ARGS__)))
#define kt_sum(self, ...) (KT_AT kt_sum_kw(self, KT_KW(kt_sum_opts, __VA_ARGS__)))
#define kt_sum_dim(self, dim, ...) (KT_AT kt_sum_dim_kw(self, dim, KT_KW(kt_sum_dim_opts, __VA_ARGS__)))
#define kt_sum_dim_out(out, self, dim, ...) (KT_AT kt_sum_dim_out_kw(out, self, dim, KT_KW(kt_sum_dim_opts, __VA_ARGS__)))
#define kt_nansum(self, ...) (KT_AT kt_nansum_kw(self, KT_KW(kt_nansum_opts, __VA_ARGS__)))
#define kt_nansum_out(out, self, ...) (KT_AT kt_nansum_out_kw(out, self, KT_KW(kt_nansum_opts, __VA_ARGS__)))
#define kt_prod(self, ...) (KT_AT kt_prod_kw(self, KT_KW(kt_prod_opts, __VA_ARGS__)))
#define kt_prod_dim(self, dim, ...) (KT_AT kt_prod_dim_kw(self, dim, KT_KW(kt_prod_dim_opts, __VA_ARGS__)))
#define kt_prod_dim_out(out, self, dim, ...) (KT_AT kt_prod_dim_out_kw(out, self, dim, KT_KW(kt_prod_dim_opts, __VA_ARGS__)))
#define kt_mean(self, ...) (KT_AT kt_mean_kw(self, KT_KW(kt_mean_opts, __VA_ARGS__)))
#define kt_mean_out(out, self, ...) (KT_AT kt_mean_out_kw(out, self, KT_KW(kt_mean_opts, __VA_ARGS__)))
#define kt_mean_dim(self, dim, ...) (KT_AT kt_mean_dim_kw(self, dim, KT_KW(kt_mean_dim_opts, __VA_ARGS__)))
#define kt_mean_dim_out(out, self, dim, ...) (KT_AT kt_mean_dim_out_kw(out, self, dim, KT_KW(kt_mean_dim_opts, __VA_ARGS__)))
#define kt_nanmean(self, ...) (KT_AT kt_nanmean_kw(self, KT_KW(kt_nanmean_opts, __VA_ARGS__)))
#define kt_nanmean_out(out, self, ...) (KT_AT kt_nanmean_out_kw(out, self, KT_KW(kt_nanmean_opts, __VA_ARGS__)))
#define kt_logsumexp(self, dim, ...) (KT_AT kt_logsumexp_kw(self, dim, KT_KW(kt_logsumexp_opts, __VA_ARGS__)))
#define kt_logsumexp_out(out, self, dim, ...) (KT_AT kt_logsumexp_out_kw(out, self, dim, KT_KW(kt_logsumexp_opts, __VA_ARGS__)))
#define kt_count_nonzero(self, ...) (KT_AT kt_count_nonzero_kw(self, KT_KW(kt_count_nonzero_opts, __VA_ARGS__)))
#define kt_var(self, ...) (KT_AT kt_var_kw(self, KT_KW(kt_var_opts, __VA_ARGS__)))
#define kt_var_dim(self, dim, ...) (KT_AT kt_var_dim_kw(self, dim, KT_KW(kt_var_dim_opts, __VA_ARGS__)))
#define kt_var_dim_out(out, self, dim, ...) (KT_AT kt_var_dim_out_kw(out, self, dim, KT_KW(kt_var_dim_opts, __VA_ARGS__)))
#define kt_var_correction(self, ...) (KT_AT kt_var_correction_kw(self, KT_KW(kt_var_correction_opts, __VA_ARGS__)))
#define kt_var_correction_out(out, self, ...) (KT_AT kt_var_correction_out_kw(out, self, KT_KW(kt_var_correction_opts, __VA_ARGS__)))
#define kt_std(self, ...) (KT_AT kt_std_kw(self, KT_KW(kt_std_opts, __VA_ARGS__)))
#define kt_std_dim(self, dim, ...) (KT_AT kt_std_dim_kw(self, dim, KT_KW(kt_std_dim_opts, __VA_ARGS__)))
#define kt_std_dim_out(out, self, dim, ...) (KT_AT kt_std_dim_out_kw(out, self, dim, KT_KW(kt_std_dim_opts, __VA_ARGS__)))
#define kt_std_correction(self, ...) (KT_AT kt_std_correction_kw(self, KT_KW(kt_std_correction_opts, __VA_ARGS__)))
#define kt_std_correction_out(out, self, ...) (KT_AT kt_std_correction_out_kw(out, self, KT_KW(kt_std_correction_opts, __VA_ARGS__)))
#define kt_var_mean(self, ...) (KT_AT kt_var_mean_kw(self, KT_KW(kt_var_mean_opts, __VA_ARGS__)))
#define kt_var_mean_dim(self, dim, ...) (KT_AT kt_var_mean_dim_kw(self, dim, KT_KW(kt_var_mean_dim_opts, __VA_ARGS__)))
#define kt_var_mean_correction(self, ...) (KT_AT kt_var_mean_correction_kw(self, KT_KW(kt_var_mean_correction_opts, __VA_ARGS__)))
#define kt_std_mean(self, ...) (KT_AT kt_std_mean_kw(self, KT_KW(kt_std_mean_opts, __VA_ARGS__)))
#define kt_std_mean_dim(self, dim, ...) (KT_AT kt_std_mean_dim_kw(self, dim, KT_KW(kt_std_mean_dim_opts, __VA_ARGS__)))
#define kt_std_mean_correction(self, ...) (KT_AT kt_std_mean_correction_kw(self, KT_KW(kt_std_mean_correction_opts, __VA_ARGS__)))
#define kt_max_dim(self, dim, ...) (KT_AT kt_max_dim_kw(self, dim, KT_KW(kt_max_dim_opts, __VA_ARGS__)))
#define kt_max_dim_out(values, indices, self, dim, ...) (KT_AT kt_max_dim_out_kw(values, indices, self, dim, KT_KW(kt_max_dim_opts, __VA_ARGS__)))
#define kt_min_dim(self, dim, ...) (KT_AT kt_min_dim_kw(self, dim, KT_KW(kt_min_dim_opts, __VA_ARGS__)))
#define kt_min_dim_out(values, indices, self, dim, ...) (KT_AT kt_min_dim_out_kw(values, indices, self, dim, KT_KW(kt_min_dim_opts, __VA_ARGS__)))
#define kt_amax(self, ...) (KT_AT kt_amax_kw(self, KT_KW(kt_amax_opts, __VA_ARGS__)))
#define kt_amax_out(out, self, ...) (KT_AT kt_amax_out_kw(out, self, KT_KW(kt_amax_opts, __VA_ARGS__)))
#define kt_amin(self, ...) (KT_AT kt_amin_kw(self, KT_KW(kt_amin_opts, __VA_ARGS__)))
#define kt_amin_out(out, self, ...) (KT_AT kt_amin_out_kw(out, self, KT_KW(kt_amin_opts, __VA_ARGS__)))
#define kt_aminmax(self, ...) (KT_AT kt_aminmax_kw(self, KT_KW(kt_aminmax_opts, __VA_ARGS__)))
#define kt_aminmax_out(min, max, self, ...) (KT_AT kt_aminmax_out_kw(min, max, self, KT_KW(kt_aminmax_opts, __VA_ARGS__)))
#define kt_argmax(self, ...) (KT_AT kt_argmax_kw(self, KT_KW(kt_argmax_opts, __VA_ARGS__)))
#define kt_argmax_out(out, self, ...) (KT_AT kt_argmax_out_kw(out, self, KT_KW(kt_argmax_opts, __VA_ARGS__)))
#define kt_argmin(self, ...) (KT_AT kt_argmin_kw(self, KT_KW(kt_argmin_opts, __VA_ARGS__)))
#define kt_argmin_out(out, self, ...) (KT_AT kt_argmin_out_kw(out, self, KT_KW(kt_argmin_opts, __VA_ARGS__)))
#define kt_any_dim(self, dim, ...) (KT_AT kt_any_dim_kw(self, dim, KT_KW(kt_any_dim_opts, __VA_ARGS__)))
#define kt_any_dim_out(out, self, dim, ...) (KT_AT kt_any_dim_out_kw(out, self, dim, KT_KW(kt_any_dim_opts, __VA_ARGS__)))
#define kt_any_dims(self, ...) (KT_AT kt_any_dims_kw(self, KT_KW(kt_any_dims_opts, __VA_ARGS__)))
#define kt_any_dims_out(out, self, ...) (KT_AT kt_any_dims_out_kw(out, self, KT_KW(kt_any_dims_opts, __VA_ARGS__)))
#define kt_all_dim(self, dim, ...) (KT_AT kt_all_dim_kw(self, dim, KT_KW(kt_all_dim_opts, __VA_ARGS__)))
#define kt_all_dim_out(out, self, dim, ...) (KT_AT kt_all_dim_out_kw(out, self, dim, KT_KW(kt_all_dim_opts, __VA_ARGS__)))
#define kt_all_dims(self, ...) (KT_AT kt_all_dims_kw(self, KT_KW(kt_all_dims_opts, __VA_ARGS__)))
#define kt_all_dims_out(out, self, ...) (KT_AT kt_all_dims_out_kw(out, self, KT_KW(kt_all_dims_opts, __VA_ARGS__)))
#define kt_linalg_vector_norm(self, ...) (KT_AT kt_linalg_vector_norm_kw(self, KT_KW(kt_linalg_vector_norm_opts, __VA_ARGS__)))
#define kt_linalg_vector_norm_out(out, self, ...) (KT_AT kt_linalg_vector_norm_out_kw(out, self, KT_KW(kt_linalg_vector_norm_opts, __VA_ARGS__)))
#define kt_norm(self, ...) (KT_AT kt_norm_kw(self, KT_KW(kt_norm_opts, __VA_ARGS__)))
#define kt_norm_out(out, self, ...) (KT_AT kt_norm_out_kw(out, self, KT_KW(kt_norm_opts, __VA_ARGS__)))
#define kt_norm_str(self, p, ...) (KT_AT kt_norm_str_kw(self, p, KT_KW(kt_norm_str_opts, __VA_ARGS__)))
#define kt_norm_str_out(out, self, p, ...) (KT_AT kt_norm_str_out_kw(out, self, p, KT_KW(kt_norm_str_opts, __VA_ARGS__)))
#define kt_linalg_matrix_norm(self, ord, ...) (KT_AT kt_linalg_matrix_norm_kw(self, ord, KT_KW(kt_linalg_matrix_norm_opts, __VA_ARGS__)))
#define kt_linalg_matrix_norm_out(out, self, ord, ...) (KT_AT kt_linalg_matrix_norm_out_kw(out, self, ord, KT_KW(kt_linalg_matrix_norm_opts, __VA_ARGS__)))
#define kt_linalg_matrix_norm_str(self, ...) (KT_AT kt_linalg_matrix_norm_str_kw(self, KT_KW(kt_linalg_matrix_norm_str_opts, __VA_ARGS__)))
#define kt_linalg_matrix_norm_str_out(out, self, ...) (KT_AT kt_linalg_matrix_norm_str_out_kw(out, self, KT_KW(kt_linalg_matrix_norm_str_opts, __VA_ARGS__)))
#define kt_linalg_norm(self, ...) (KT_AT kt_linalg_norm_kw(self, KT_KW(kt_linalg_norm_opts, __VA_ARGS__)))
#define kt_linalg_norm_out(out, self, ...) (KT_AT kt_linalg_norm_out_kw(out, self, KT_KW(kt_linalg_norm_opts, __VA_ARGS__)))
#define kt_linalg_norm_str(self, ord, ...) (KT_AT kt_linalg_norm_str_kw(self, ord, KT_KW(kt_linalg_norm_str_opts, __VA_ARGS__)))
#define kt_linalg_norm_str_out(out, self, ord, ...) (KT_AT kt_linalg_norm_str_out_kw(out, self, ord, KT_KW(kt_linalg_norm_str_opts, __VA_ARGS__)))
#define kt_frobenius_norm(self, dim, ...) (KT_AT kt_frobenius_norm_kw(self, dim, KT_KW(kt_frobenius_norm_opts, __VA_ARGS__)))
#define kt_dist(self, other, ...) (KT_AT kt_dist_kw(self, other, KT_KW(kt_dist_opts, __VA_ARGS__)))
#define kt_cov(self, ...) (KT_AT kt_cov_kw(self, KT_KW(kt_cov_opts, __VA_ARGS__)))
#define kt_cumsum(self, dim, ...) (KT_AT kt_cumsum_kw(self, dim, KT_KW(kt_cumsum_opts, __VA_ARGS__)))
#define kt_cumsum_(self, dim, ...) (KT_AT kt_cumsum__kw(self, dim, KT_KW(kt_cumsum_opts, __VA_ARGS__)))
#define kt_cumsum_out(out, self, dim, ...) (KT_AT kt_cumsum_out_kw(out, self, dim, KT_KW(kt_cumsum_opts, __VA_ARGS__)))
#define kt_cumprod(self, dim, ...) (KT_AT kt_cumprod_kw(self, dim, KT_KW(kt_cumprod_opts, __VA_ARGS__)))
#define kt_cumprod_(self, dim, ...) (KT_AT kt_cumprod__kw(self, dim, KT_KW(kt_cumprod_opts, __VA_ARGS__)))
#define kt_cumprod_out(out, self, dim, ...) (KT_AT kt_cumprod_out_kw(out, self, dim, KT_KW(kt_cumprod_opts, __VA_ARGS__)))
#define kt_diff(self, ...) (KT_AT kt_diff_kw(self, KT_KW(kt_diff_opts, __VA_ARGS__)))
#define kt_diff_out(out, self, ...) (KT_AT kt_diff_out_kw(out, self, KT_KW(kt_diff_opts, __VA_ARGS__)))
#define kt_trapezoid_x(y, x, ...) (KT_AT kt_trapezoid_x_kw(y, x, KT_KW(kt_trapezoid_x_opts, __VA_ARGS__)))
#define kt_trapezoid_dx(y, ...) (KT_AT kt_trapezoid_dx_kw(y, KT_KW(kt_trapezoid_dx_opts, __VA_ARGS__)))
#define kt_trapz_dx(y, ...) (KT_AT kt_trapz_dx_kw(y, KT_KW(kt_trapz_dx_opts, __VA_ARGS__)))
#define kt_trapz_x(y, x, ...) (KT_AT kt_trapz_x_kw(y, x, KT_KW(kt_trapz_x_opts, __VA_ARGS__)))
#define kt_cumulative_trapezoid_x(y, x, ...) (KT_AT kt_cumulative_trapezoid_x_kw(y, x, KT_KW(kt_cumulative_trapezoid_x_opts, __VA_ARGS__)))
#define kt_cumulative_trapezoid_dx(y, ...) (KT_AT kt_cumulative_trapezoid_dx_kw(y, KT_KW(kt_cumulative_trapezoid_dx_opts, __VA_ARGS__)))
#define kt_vander(x, ...) (KT_AT kt_vander_kw(x, KT_KW(kt_vander_opts, __VA_ARGS__)))
#define kt_linalg_vander(x, ...) (KT_AT kt_linalg_vander_kw(x, KT_KW(kt_linalg_vander_opts, __VA_ARGS__)))
#define kt_sort_stable(self, stable, ...) (KT_AT kt_sort_stable_kw(self, stable, KT_KW(kt_sort_stable_opts, __VA_ARGS__)))
#define kt_sort_stable_out(values, indices, self, stable, ...) (KT_AT kt_sort_stable_out_kw(values, indices, self, stable, KT_KW(kt_sort_stable_opts, __VA_ARGS__)))
#define kt_sort(self, ...) (KT_AT kt_sort_kw(self, KT_KW(kt_sort_opts, __VA_ARGS__)))
#define kt_sort_out(values, indices, self, ...) (KT_AT kt_sort_out_kw(values, indices, self, KT_KW(kt_sort_opts, __VA_ARGS__)))
#define kt_argsort_stable(self, stable, ...) (KT_AT kt_argsort_stable_kw(self, stable, KT_KW(kt_argsort_stable_opts, __VA_ARGS__)))
#define kt_argsort_stable_out(out, self, stable, ...) (KT_AT kt_argsort_stable_out_kw(out, self, stable, KT_KW(kt_argsort_stable_opts, __VA_ARGS__)))
#define kt_argsort(self, ...) (KT_AT kt_argsort_kw(self, KT_KW(kt_argsort_opts, __VA_ARGS__)))
#define kt_topk(self, k, ...) (KT_AT kt_topk_kw(self, k, KT_KW(kt_topk_opts, __VA_ARGS__)))
#define kt_topk_out(values, indices, self, k, ...) (KT_AT kt_topk_out_kw(values, indices, self, k, KT_KW(kt_topk_opts, __VA_ARGS__)))
#define kt_kthvalue(self, k, ...) (KT_AT kt_kthvalue_kw(self, k, KT_KW(kt_kthvalue_opts, __VA_ARGS__)))
#define kt_kthvalue_out(values, indices, self, k, ...) (KT_AT kt_kthvalue_out_kw(values, indices, self, k, KT_KW(kt_kthvalue_opts, __VA_ARGS__)))
#define kt_median_dim(self, dim, ...) (KT_AT kt_median_dim_kw(self, dim, KT_KW(kt_median_dim_opts, __VA_ARGS__)))
#define kt_median_dim_out(values, indices, self, dim, ...) (KT_AT kt_median_dim_out_kw(values, indices, self, dim, KT_KW(kt_median_dim_opts, __VA_ARGS__)))
#define kt_nanmedian_dim(self, dim, ...) (KT_AT kt_nanmedian_dim_kw(self, dim, KT_KW(kt_nanmedian_dim_opts, __VA_ARGS__)))
#define kt_nanmedian_dim_out(values, indices, self, dim, ...) (KT_AT kt_nanmedian_dim_out_kw(values, indices, self, dim, KT_KW(kt_nanmedian_dim_opts, __VA_ARGS__)))
#define kt_mode(self, ...) (KT_AT kt_mode_kw(self, KT_KW(kt_mode_opts, __VA_ARGS__)))
#define kt_mode_out(values, indices, self, ...) (KT_AT kt_mode_out_kw(values, indices, self, KT_KW(kt_mode_opts, __VA_ARGS__)))
#define kt_unique(self, ...) (KT_AT kt_unique_kw(self, KT_KW(kt_unique_opts, __VA_ARGS__)))
#define kt_unique_dim(self, dim, ...) (KT_AT kt_unique_dim_kw(self, dim, KT_KW(kt_unique_dim_opts, __VA_ARGS__)))
#define kt_unique_consecutive(self, ...) (KT_AT kt_unique_consecutive_kw(self, KT_KW(kt_unique_consecutive_opts, __VA_ARGS__)))
#define kt_isin(elements, test_elements, ...) (KT_AT kt_isin_kw(elements, test_elements, KT_KW(kt_isin_opts, __VA_ARGS__)))
#define kt_isin_out(out, elements, test_elements, ...) (KT_AT kt_isin_out_kw(out, elements, test_elements, KT_KW(kt_isin_opts, __VA_ARGS__)))
#define kt_isin_element(element, test_elements, ...) (KT_AT kt_isin_element_kw(element, test_elements, KT_KW(kt_isin_element_opts, __VA_ARGS__)))
#define kt_isin_element_out(out, element, test_elements, ...) (KT_AT kt_isin_element_out_kw(out, element, test_elements, KT_KW(kt_isin_element_opts, __VA_ARGS__)))
#define kt_isin_number(elements, test_element, ...) (KT_AT kt_isin_number_kw(elements, test_element, KT_KW(kt_isin_number_opts, __VA_ARGS__)))
#define kt_isin_number_out(out, elements, test_element, ...) (KT_AT kt_isin_number_out_kw(out, elements, test_element, KT_KW(kt_isin_number_opts, __VA_ARGS__)))
#define kt_searchsorted(sorted_sequence, self, ...) (KT_AT kt_searchsorted_kw(sorted_sequence, self, KT_KW(kt_searchsorted_opts, __VA_ARGS__)))
#define kt_searchsorted_out(out, sorted_sequence, self, ...) (KT_AT kt_searchsorted_out_kw(out, sorted_sequence, self, KT_KW(kt_searchsorted_opts, __VA_ARGS__)))
#define kt_searchsorted_number(sorted_sequence, self, ...) (KT_AT kt_searchsorted_number_kw(sorted_sequence, self, KT_KW(kt_searchsorted_number_opts, __VA_ARGS__)))
#define kt_searchsorted_number_out(out, sorted_sequence, self, ...) (KT_AT kt_searchsorted_number_out_kw(out, sorted_sequence, self, KT_KW(kt_searchsorted_number_opts, __VA_ARGS__)))
#define kt_bucketize(self, boundaries, ...) (KT_AT kt_bucketize_kw(self, boundaries, KT_KW(kt_bucketize_opts, __VA_ARGS__)))
#define kt_bucketize_out(out, self, boundaries, ...) (KT_AT kt_bucketize_out_kw(out, self, boundaries, KT_KW(kt_bucketize_opts, __VA_ARGS__)))
#define kt_bucketize_number(self, boundaries, ...) (KT_AT kt_bucketize_number_kw(self, boundaries, KT_KW(kt_bucketize_number_opts, __VA_ARGS__)))
#define kt_bincount(self, ...) (KT_AT kt_bincount_kw(self, KT_KW(kt_bincount_opts, __VA_ARGS__)))
#define kt_histc(self, ...) (KT_AT kt_histc_kw(self, KT_KW(kt_histc_opts, __VA_ARGS__)))
#define kt_histc_out(out, self, ...) (KT_AT kt_histc_out_kw(out, self, KT_KW(kt_histc_opts, __VA_ARGS__)))
#define kt_histogram_edges(self, bins, ...) (KT_AT kt_histogram_edges_kw(self, bins, KT_KW(kt_histogram_edges_opts, __VA_ARGS__)))
#define kt_histogram_edges_out(hist, bin_edges, self, bins, ...) (KT_AT kt_histogram_edges_out_kw(hist, bin_edges, self, bins, KT_KW(kt_histogram_edges_opts, __VA_ARGS__)))
#define kt_histogram(self, ...) (KT_AT kt_histogram_kw(self, KT_KW(kt_histogram_opts, __VA_ARGS__)))
#define kt_histogram_out(hist, bin_edges, self, ...) (KT_AT kt_histogram_out_kw(hist, bin_edges, self, KT_KW(kt_histogram_opts, __VA_ARGS__)))
#define kt_quantile(self, q, ...) (KT_AT kt_quantile_kw(self, q, KT_KW(kt_quantile_opts, __VA_ARGS__)))
#define kt_quantile_out(out, self, q, ...) (KT_AT kt_quantile_out_kw(out, self, q, KT_KW(kt_quantile_opts, __VA_ARGS__)))
#define kt_quantile_number(self, q, ...) (KT_AT kt_quantile_number_kw(self, q, KT_KW(kt_quantile_number_opts, __VA_ARGS__)))
#define kt_quantile_number_out(out, self, q, ...) (KT_AT kt_quantile_number_out_kw(out, self, q, KT_KW(kt_quantile_number_opts, __VA_ARGS__)))
#define kt_nanquantile(self, q, ...) (KT_AT kt_nanquantile_kw(self, q, KT_KW(kt_nanquantile_opts, __VA_ARGS__)))
#define kt_nanquantile_out(out, self, q, ...) (KT_AT kt_nanquantile_out_kw(out, self, q, KT_KW(kt_nanquantile_opts, __VA_ARGS__)))
#define kt_nanquantile_number(self, q, ...) (KT_AT kt_nanquantile_number_kw(self, q, KT_KW(kt_nanquantile_number_opts, __VA_ARGS__)))
#define kt_nanquantile_number_out(out, self, q, ...) (KT_AT kt_nanquantile_number_out_kw(out, self, q, KT_KW(kt_nanquantile_number_opts, __VA_ARGS__)))
#define kt_addmm(self, mat1, mat2, ...) (KT_AT kt_addmm_kw(self, mat1, mat2, KT_KW(kt_addmm_opts, __VA_ARGS__)))
#define kt_addmm_(self, mat1, mat2, ...) (KT_AT kt_addmm__kw(self, mat1, mat2, KT_KW(kt_addmm_opts, __VA_ARGS__)))
#define kt_addmm_out(out, self, mat1, mat2, ...) (KT_AT kt_addmm_out_kw(out, self, mat1, mat2, KT_KW(kt_addmm_opts, __VA_ARGS__)))
#define kt_addmv(self, mat, vec, ...) (KT_AT kt_addmv_kw(self, mat, vec, KT_KW(kt_addmv_opts, __VA_ARGS__)))
#define kt_addmv_(self, mat, vec, ...) (KT_AT kt_addmv__kw(self, mat, vec, KT_KW(kt_addmv_opts, __VA_ARGS__)))
#define kt_addmv_out(out, self, mat, vec, ...) (KT_AT kt_addmv_out_kw(out, self, mat, vec, KT_KW(kt_addmv_opts, __VA_ARGS__)))
#define kt_baddbmm(self, batch1, batch2, ...) (KT_AT kt_baddbmm_kw(self, batch1, batch2, KT_KW(kt_baddbmm_opts, __VA_ARGS__)))
#define kt_baddbmm_(self, batch1, batch2, ...) (KT_AT kt_baddbmm__kw(self, batch1, batch2, KT_KW(kt_baddbmm_opts, __VA_ARGS__)))
#define kt_baddbmm_out(out, self, batch1, batch2, ...) (KT_AT kt_baddbmm_out_kw(out, self, batch1, batch2, KT_KW(kt_baddbmm_opts, __VA_ARGS__)))
#define kt_addbmm(self, batch1, batch2, ...) (KT_AT kt_addbmm_kw(self, batch1, batch2, KT_KW(kt_addbmm_opts, __VA_ARGS__)))
#define kt_addbmm_(self, batch1, batch2, ...) (KT_AT kt_addbmm__kw(self, batch1, batch2, KT_KW(kt_addbmm_opts, __VA_ARGS__)))
#define kt_addbmm_out(out, self, batch1, batch2, ...) (KT_AT kt_addbmm_out_kw(out, self, batch1, batch2, KT_KW(kt_addbmm_opts, __VA_ARGS__)))
#define kt_addr(self, vec1, vec2, ...) (KT_AT kt_addr_kw(self, vec1, vec2, KT_KW(kt_addr_opts, __VA_ARGS__)))
#define kt_addr_(self, vec1, vec2, ...) (KT_AT kt_addr__kw(self, vec1, vec2, KT_KW(kt_addr_opts, __VA_ARGS__)))
#define kt_addr_out(out, self, vec1, vec2, ...) (KT_AT kt_addr_out_kw(out, self, vec1, vec2, KT_KW(kt_addr_opts, __VA_ARGS__)))
#define kt_linear(input, weight, ...) (KT_AT kt_linear_kw(input, weight, KT_KW(kt_linear_opts, __VA_ARGS__)))
#define kt_linear_out(out, input, weight, ...) (KT_AT kt_linear_out_kw(out, input, weight, KT_KW(kt_linear_opts, __VA_ARGS__)))
#define kt_bilinear(input1, input2, weight, ...) (KT_AT kt_bilinear_kw(input1, input2, weight, KT_KW(kt_bilinear_opts, __VA_ARGS__)))
#define kt_linalg_vecdot(x, y, ...) (KT_AT kt_linalg_vecdot_kw(x, y, KT_KW(kt_linalg_vecdot_opts, __VA_ARGS__)))
#define kt_linalg_vecdot_out(out, x, y, ...) (KT_AT kt_linalg_vecdot_out_kw(out, x, y, KT_KW(kt_linalg_vecdot_opts, __VA_ARGS__)))
#define kt_linalg_cross(self, other, ...) (KT_AT kt_linalg_cross_kw(self, other, KT_KW(kt_linalg_cross_opts, __VA_ARGS__)))
#define kt_linalg_cross_out(out, self, other, ...) (KT_AT kt_linalg_cross_out_kw(out, self, other, KT_KW(kt_linalg_cross_opts, __VA_ARGS__)))
#define kt_cross(self, other, ...) (KT_AT kt_cross_kw(self, other, KT_KW(kt_cross_opts, __VA_ARGS__)))
#define kt_cross_out(out, self, other, ...) (KT_AT kt_cross_out_kw(out, self, other, KT_KW(kt_cross_opts, __VA_ARGS__)))
#define kt_cdist(x1, x2, ...) (KT_AT kt_cdist_kw(x1, x2, KT_KW(kt_cdist_opts, __VA_ARGS__)))
#define kt_to(self, ...) (KT_AT kt_to_kw(self, KT_KW(kt_to_opts, __VA_ARGS__)))
#define kt_to_copy(self, ...) (KT_AT kt_to_copy_kw(self, KT_KW(kt_to_copy_opts, __VA_ARGS__)))
#define kt_clone(self, ...) (KT_AT kt_clone_kw(self, KT_KW(kt_clone_opts, __VA_ARGS__)))
#define kt_contiguous(self, ...) (KT_AT kt_contiguous_kw(self, KT_KW(kt_contiguous_opts, __VA_ARGS__)))
#define kt_empty(size, ...) (KT_AT kt_empty_kw(size, KT_KW(kt_empty_opts, __VA_ARGS__)))
#define kt_zeros(size, ...) (KT_AT kt_zeros_kw(size, KT_KW(kt_zeros_opts, __VA_ARGS__)))
#define kt_ones(size, ...) (KT_AT kt_ones_kw(size, KT_KW(kt_ones_opts, __VA_ARGS__)))
#define kt_full(size, fill_value, ...) (KT_AT kt_full_kw(size, fill_value, KT_KW(kt_full_opts, __VA_ARGS__)))
#define kt_eye(n, ...) (KT_AT kt_eye_kw(n, KT_KW(kt_eye_opts, __VA_ARGS__)))
#define kt_arange(start, end, ...) (KT_AT kt_arange_kw(start, end, KT_KW(kt_arange_opts, __VA_ARGS__)))
#define kt_range(start, end, ...) (KT_AT kt_range_kw(start, end, KT_KW(kt_range_opts, __VA_ARGS__)))
#define kt_linspace(start, end, steps, ...) (KT_AT kt_linspace_kw(start, end, steps, KT_KW(kt_linspace_opts, __VA_ARGS__)))
#define kt_logspace(start, end, steps, ...) (KT_AT kt_logspace_kw(start, end, steps, KT_KW(kt_logspace_opts, __VA_ARGS__)))
#define kt_scalar_tensor(s, ...) (KT_AT kt_scalar_tensor_kw(s, KT_KW(kt_scalar_tensor_opts, __VA_ARGS__)))
#define kt_empty_like(self, ...) (KT_AT kt_empty_like_kw(self, KT_KW(kt_empty_like_opts, __VA_ARGS__)))
#define kt_zeros_like(self, ...) (KT_AT kt_zeros_like_kw(self, KT_KW(kt_zeros_like_opts, __VA_ARGS__)))
#define kt_ones_like(self, ...) (KT_AT kt_ones_like_kw(self, KT_KW(kt_ones_like_opts, __VA_ARGS__)))
#define kt_full_like(self, fill_value, ...) (KT_AT kt_full_like_kw(self, fill_value, KT_KW(kt_full_like_opts, __VA_ARGS__)))
#define kt_new_empty(self, size, ...) (KT_AT kt_new_empty_kw(self, size, KT_KW(kt_new_empty_opts, __VA_ARGS__)))
#define kt_new_zeros(self, size, ...) (KT_AT kt_new_zeros_kw(self, size, KT_KW(kt_new_zeros_opts, __VA_ARGS__)))
#define kt_new_ones(self, size, ...) (KT_AT kt_new_ones_kw(self, size, KT_KW(kt_new_ones_opts, __VA_ARGS__)))
#define kt_new_full(self, size, fill_value, ...) (KT_AT kt_new_full_kw(self, size, fill_value, KT_KW(kt_new_full_opts, __VA_ARGS__)))
#define kt_slice(self, ...) (KT_AT kt_slice_kw(self, KT_KW(kt_slice_opts, __VA_ARGS__)))
#define kt_expand(self, size, ...) (KT_AT kt_expand_kw(self, size, KT_KW(kt_expand_opts, __VA_ARGS__)))
#define kt_flatten(self, ...) (KT_AT kt_flatten_kw(self, KT_KW(kt_flatten_opts, __VA_ARGS__)))
#define kt_diagonal(self, ...) (KT_AT kt_diagonal_kw(self, KT_KW(kt_diagonal_opts, __VA_ARGS__)))
#define kt_as_strided(self, size, stride, ...) (KT_AT kt_as_strided_kw(self, size, stride, KT_KW(kt_as_strided_opts, __VA_ARGS__)))
#define kt_linalg_diagonal(A, ...) (KT_AT kt_linalg_diagonal_kw(A, KT_KW(kt_linalg_diagonal_opts, __VA_ARGS__)))
#define kt_resize_(self, size, ...) (KT_AT kt_resize__kw(self, size, KT_KW(kt_resize__opts, __VA_ARGS__)))
#define kt_resize_as_(self, the_template, ...) (KT_AT kt_resize_as__kw(self, the_template, KT_KW(kt_resize_as__opts, __VA_ARGS__)))
#define kt_split(self, split_size, results, room, ...) (KT_AT kt_split_kw(self, split_size, results, room, KT_KW(kt_split_opts, __VA_ARGS__)))
#define kt_split_sizes(self, split_sizes, results, room, ...) (KT_AT kt_split_sizes_kw(self, split_sizes, results, room, KT_KW(kt_split_sizes_opts, __VA_ARGS__)))
#define kt_chunk(self, chunks, results, room, ...) (KT_AT kt_chunk_kw(self, chunks, results, room, KT_KW(kt_chunk_opts, __VA_ARGS__)))
#define kt_unbind(self, results, room, ...) (KT_AT kt_unbind_kw(self, results, room, KT_KW(kt_unbind_opts, __VA_ARGS__)))
#define kt_cat(tensors, n_tensors, ...) (KT_AT kt_cat_kw(tensors, n_tensors, KT_KW(kt_cat_opts, __VA_ARGS__)))
#define kt_cat_out(out, tensors, n_tensors, ...) (KT_AT kt_cat_out_kw(out, tensors, n_tensors, KT_KW(kt_cat_opts, __VA_ARGS__)))
#define kt_concat(tensors, n_tensors, ...) (KT_AT kt_concat_kw(tensors, n_tensors, KT_KW(kt_concat_opts, __VA_ARGS__)))
#define kt_concat_out(out, tensors, n_tensors, ...) (KT_AT kt_concat_out_kw(out, tensors, n_tensors, KT_KW(kt_concat_opts, __VA_ARGS__)))
#define kt_concatenate(tensors, n_tensors, ...) (KT_AT kt_concatenate_kw(tensors, n_tensors, KT_KW(kt_concatenate_opts, __VA_ARGS__)))
#define kt_concatenate_out(out, tensors, n_tensors, ...) (KT_AT kt_concatenate_out_kw(out, tensors, n_tensors, KT_KW(kt_concatenate_opts, __VA_ARGS__)))
#define kt_stack(tensors, n_tensors, ...) (KT_AT kt_stack_kw(tensors, n_tensors, KT_KW(kt_stack_opts, __VA_ARGS__)))
#define kt_stack_out(out, tensors, n_tensors, ...) (KT_AT kt_stack_out_kw(out, tensors, n_tensors, KT_KW(kt_stack_opts, __VA_ARGS__)))
#define kt_split_with_sizes(self, split_sizes, results, room, ...) (KT_AT kt_split_with_sizes_kw(self, split_sizes, results, room, KT_KW(kt_split_with_sizes_opts, __VA_ARGS__)))
#define kt_unsafe_split(self, split_size, results, room, ...) (KT_AT kt_unsafe_split_kw(self, split_size, results, room, KT_KW(kt_unsafe_split_opts, __VA_ARGS__)))
#define kt_unsafe_split_with_sizes(self, split_sizes, results, room, ...) (KT_AT kt_unsafe_split_with_sizes_kw(self, split_sizes, results, room, KT_KW(kt_unsafe_split_with_sizes_opts, __VA_ARGS__)))
#define kt_unsafe_chunk(self, chunks, results, room, ...) (KT_AT kt_unsafe_chunk_kw(self, chunks, results, room, KT_KW(kt_unsafe_chunk_opts, __VA_ARGS__)))
#define kt_tensor_split(self, sections, results, room, ...) (KT_AT kt_tensor_split_kw(self, sections, results, room, KT_KW(kt_tensor_split_opts, __VA_ARGS__)))
#define kt_tensor_split_indices(self, indices, results, room, ...) (KT_AT kt_tensor_split_indices_kw(self, indices, results, room, KT_KW(kt_tensor_split_indices_opts, __VA_ARGS__)))
#define kt_tensor_split_tensor(self, tensor_indices_or_sections, results, room, ...) (KT_AT kt_tensor_split_tensor_kw(self, tensor_indices_or_sections, results, room, KT_KW(kt_tensor_split_tensor_opts, __VA_ARGS__)))
#define kt_meshgrid(tensors, n_tensors, results, room, ...) (KT_AT kt_meshgrid_kw(tensors, n_tensors, results, room, KT_KW(kt_meshgrid_opts, __VA_ARGS__)))
#define kt_unbind_copy(self, results, room, ...) (KT_AT kt_unbind_copy_kw(self, results, room, KT_KW(kt_unbind_copy_opts, __VA_ARGS__)))
#define kt_split_copy(self, split_size, results, room, ...) (KT_AT kt_split_copy_kw(self, split_size, results, room, KT_KW(kt_split_copy_opts, __VA_ARGS__)))
#define kt_split_with_sizes_copy(self, split_sizes, results, room, ...) (KT_AT kt_split_with_sizes_copy_kw(self, split_sizes, results, room, KT_KW(kt_split_with_sizes_copy_opts, __VA_ARGS__)))
#define kt_roll(self, shifts, ...) (KT_AT kt_roll_kw(self, shifts, KT_KW(kt_roll_opts, __VA_ARGS__)))
#define kt_rot90(self, ...) (KT_AT kt_rot90_kw(self, KT_KW(kt_rot90_opts, __VA_ARGS__)))
#define kt_repeat_interleave(repeats, ...) (KT_AT kt_repeat_interleave_kw(repeats, KT_KW(kt_repeat_interleave_opts, __VA_ARGS__)))
#define kt_repeat_interleave_tensor(self, repeats, ...) (KT_AT kt_repeat_interleave_tensor_kw(self, repeats, KT_KW(kt_repeat_interleave_tensor_opts, __VA_ARGS__)))
#define kt_repeat_interleave_int(self, repeats, ...) (KT_AT kt_repeat_interleave_int_kw(self, repeats, KT_KW(kt_repeat_interleave_int_opts, __VA_ARGS__)))
#define kt_tril(self, ...) (KT_AT kt_tril_kw(self, KT_KW(kt_tril_opts, __VA_ARGS__)))
#define kt_tril_(self, ...) (KT_AT kt_tril__kw(self, KT_KW(kt_tril_opts, __VA_ARGS__)))
#define kt_tril_out(out, self, ...) (KT_AT kt_tril_out_kw(out, self, KT_KW(kt_tril_opts, __VA_ARGS__)))
#define kt_triu(self, ...) (KT_AT kt_triu_kw(self, KT_KW(kt_triu_opts, __VA_ARGS__)))
#define kt_triu_(self, ...) (KT_AT kt_triu__kw(self, KT_KW(kt_triu_opts, __VA_ARGS__)))
#define kt_triu_out(out, self, ...) (KT_AT kt_triu_out_kw(out, self, KT_KW(kt_triu_opts, __VA_ARGS__)))
#define kt_tril_indices(row, col, ...) (KT_AT kt_tril_indices_kw(row, col, KT_KW(kt_tril_indices_opts, __VA_ARGS__)))
#define kt_triu_indices(row, col, ...) (KT_AT kt_triu_indices_kw(row, col, KT_KW(kt_triu_indices_opts, __VA_ARGS__)))
#define kt_diag(self, ...) (KT_AT kt_diag_kw(self, KT_KW(kt_diag_opts, __VA_ARGS__)))
#define kt_diag_out(out, self, ...) (KT_AT kt_diag_out_kw(out, self, KT_KW(kt_diag_opts, __VA_ARGS__)))
#define kt_diag_embed(self, ...) (KT_AT kt_diag_embed_kw(self, KT_KW(kt_diag_embed_opts, __VA_ARGS__)))
#define kt_diagflat(self, ...) (KT_AT kt_diagflat_kw(self, KT_KW(kt_diagflat_opts, __VA_ARGS__)))
#define kt_constant_pad_nd(self, pad, ...) (KT_AT kt_constant_pad_nd_kw(self, pad, KT_KW(kt_constant_pad_nd_opts, __VA_ARGS__)))
#define kt_nn_pad(input, pad, ...) (KT_AT kt_nn_pad_kw(input, pad, KT_KW(kt_nn_pad_opts, __VA_ARGS__)))
#define kt_as_strided_copy(self, size, stride, ...) (KT_AT kt_as_strided_copy_kw(self, size, stride, KT_KW(kt_as_strided_copy_opts, __VA_ARGS__)))
#define kt_as_strided_copy_out(out, self, size, stride, ...) (KT_AT kt_as_strided_copy_out_kw(out, self, size, stride, KT_KW(kt_as_strided_copy_opts, __VA_ARGS__)))
#define kt_diagonal_copy(self, ...) (KT_AT kt_diagonal_copy_kw(self, KT_KW(kt_diagonal_copy_opts, __VA_ARGS__)))
#define kt_diagonal_copy_out(out, self, ...) (KT_AT kt_diagonal_copy_out_kw(out, self, KT_KW(kt_diagonal_copy_opts, __VA_ARGS__)))
#define kt_expand_copy(self, size, ...) (KT_AT kt_expand_copy_kw(self, size, KT_KW(kt_expand_copy_opts, __VA_ARGS__)))
#define kt_expand_copy_out(out, self, size, ...) (KT_AT kt_expand_copy_out_kw(out, self, size, KT_KW(kt_expand_copy_opts, __VA_ARGS__)))
#define kt_slice_copy(self, ...) (KT_AT kt_slice_copy_kw(self, KT_KW(kt_slice_copy_opts, __VA_ARGS__)))
#define kt_slice_copy_out(out, self, ...) (KT_AT kt_slice_copy_out_kw(out, self, KT_KW(kt_slice_copy_opts, __VA_ARGS__)))
#define kt_slice_scatter(self, src, ...) (KT_AT kt_slice_scatter_kw(self, src, KT_KW(kt_slice_scatter_opts, __VA_ARGS__)))
#define kt_slice_scatter_out(out, self, src, ...) (KT_AT kt_slice_scatter_out_kw(out, self, src, KT_KW(kt_slice_scatter_opts, __VA_ARGS__)))
#define kt_diagonal_scatter(self, src, ...) (KT_AT kt_diagonal_scatter_kw(self, src, KT_KW(kt_diagonal_scatter_opts, __VA_ARGS__)))
#define kt_as_strided_scatter(self, src, size, stride, ...) (KT_AT kt_as_strided_scatter_kw(self, src, size, stride, KT_KW(kt_as_strided_scatter_opts, __VA_ARGS__)))
#define kt_combinations(self, ...) (KT_AT kt_combinations_kw(self, KT_KW(kt_combinations_opts, __VA_ARGS__)))
#define kt_rand(size, ...) (KT_AT kt_rand_kw(size, KT_KW(kt_rand_opts, __VA_ARGS__)))
#define kt_rand_like(self, ...) (KT_AT kt_rand_like_kw(self, KT_KW(kt_rand_like_opts, __VA_ARGS__)))
#define kt_randn(size, ...) (KT_AT kt_randn_kw(size, KT_KW(kt_randn_opts, __VA_ARGS__)))
#define kt_randn_like(self, ...) (KT_AT kt_randn_like_kw(self, KT_KW(kt_randn_like_opts, __VA_ARGS__)))
#define kt_randint(high, size, ...) (KT_AT kt_randint_kw(high, size, KT_KW(kt_randint_opts, __VA_ARGS__)))
#define kt_randint_low(low, high, size, ...) (KT_AT kt_randint_low_kw(low, high, size, KT_KW(kt_randint_low_opts, __VA_ARGS__)))
#define kt_randint_like(self, high, ...) (KT_AT kt_randint_like_kw(self, high, KT_KW(kt_randint_like_opts, __VA_ARGS__)))
#define kt_randint_like_low(self, low, high, ...) (KT_AT kt_randint_like_low_kw(self, low, high, KT_KW(kt_randint_like_low_opts, __VA_ARGS__)))
#define kt_randperm(n, ...) (KT_AT kt_randperm_kw(n, KT_KW(kt_randperm_opts, __VA_ARGS__)))
#define kt_normal_tensor_float(mean, ...) (KT_AT kt_normal_tensor_float_kw(mean, KT_KW(kt_normal_tensor_float_opts, __VA_ARGS__)))
#define kt_normal_tensor_float_out(out, mean, ...) (KT_AT kt_normal_tensor_float_out_kw(out, mean, KT_KW(kt_normal_tensor_float_opts, __VA_ARGS__)))
#define kt_normal_float_tensor(mean, std, ...) (KT_AT kt_normal_float_tensor_kw(mean, std, KT_KW(kt_normal_float_tensor_opts, __VA_ARGS__)))
#define kt_normal_float_tensor_out(out, mean, std, ...) (KT_AT kt_normal_float_tensor_out_kw(out, mean, std, KT_KW(kt_normal_float_tensor_opts, __VA_ARGS__)))
#define kt_normal_tensor_tensor(mean, std, ...) (KT_AT kt_normal_tensor_tensor_kw(mean, std, KT_KW(kt_normal_tensor_tensor_opts, __VA_ARGS__)))
#define kt_normal_tensor_tensor_out(out, mean, std, ...) (KT_AT kt_normal_tensor_tensor_out_kw(out, mean, std, KT_KW(kt_normal_tensor_tensor_opts, __VA_ARGS__)))
#define kt_normal_float_float(mean, std, size, ...) (KT_AT kt_normal_float_float_kw(mean, std, size, KT_KW(kt_normal_float_float_opts, __VA_ARGS__)))
#define kt_normal_(self, ...) (KT_AT kt_normal__kw(self, KT_KW(kt_normal_opts, __VA_ARGS__)))
#define kt_uniform_(self, ...) (KT_AT kt_uniform__kw(self, KT_KW(kt_uniform_opts, __VA_ARGS__)))
#define kt_random_(self, ...) (KT_AT kt_random__kw(self, KT_KW(kt_random_opts, __VA_ARGS__)))
#define kt_random_to_(self, to, ...) (KT_AT kt_random_to__kw(self, to, KT_KW(kt_random_to_opts, __VA_ARGS__)))
#define kt_random_from_(self, from, to, ...) (KT_AT kt_random_from__kw(self, from, to, KT_KW(kt_random_from_opts, __VA_ARGS__)))
#define kt_exponential_(self, ...) (KT_AT kt_exponential__kw(self, KT_KW(kt_exponential_opts, __VA_ARGS__)))
#define kt_cauchy_(self, ...) (KT_AT kt_cauchy__kw(self, KT_KW(kt_cauchy_opts, __VA_ARGS__)))
#define kt_log_normal_(self, ...) (KT_AT kt_log_normal__kw(self, KT_KW(kt_log_normal_opts, __VA_ARGS__)))
#define kt_geometric_(self, p, ...) (KT_AT kt_geometric__kw(self, p, KT_KW(kt_geometric_opts, __VA_ARGS__)))
#define kt_bernoulli(self, ...) (KT_AT kt_bernoulli_kw(self, KT_KW(kt_bernoulli_opts, __VA_ARGS__)))
#define kt_bernoulli_out(out, self, ...) (KT_AT kt_bernoulli_out_kw(out, self, KT_KW(kt_bernoulli_opts, __VA_ARGS__)))
#define kt_bernoulli_p(self, p, ...) (KT_AT kt_bernoulli_p_kw(self, p, KT_KW(kt_bernoulli_p_opts, __VA_ARGS__)))
#define kt_bernoulli_tensor_(self, p, ...) (KT_AT kt_bernoulli_tensor__kw(self, p, KT_KW(kt_bernoulli_tensor_opts, __VA_ARGS__)))
#define kt_bernoulli_float_(self, ...) (KT_AT kt_bernoulli_float__kw(self, KT_KW(kt_bernoulli_float_opts, __VA_ARGS__)))
#define kt_poisson(self, ...) (KT_AT kt_poisson_kw(self, KT_KW(kt_poisson_opts, __VA_ARGS__)))
#define kt_multinomial(self, num_samples, ...) (KT_AT kt_multinomial_kw(self, num_samples, KT_KW(kt_multinomial_opts, __VA_ARGS__)))
#define kt_multinomial_out(out, self, num_samples, ...) (KT_AT kt_multinomial_out_kw(out, self, num_samples, KT_KW(kt_multinomial_opts, __VA_ARGS__)))
#define kt_nn_dropout(input, ...) (KT_AT kt_nn_dropout_kw(input, KT_KW(kt_nn_dropout_opts, __VA_ARGS__)))
#define kt_nn_dropout1d(input, ...) (KT_AT kt_nn_dropout1d_kw(input, KT_KW(kt_nn_dropout1d_opts, __VA_ARGS__)))
#define kt_nn_dropout2d(input, ...) (KT_AT kt_nn_dropout2d_kw(input, KT_KW(kt_nn_dropout2d_opts, __VA_ARGS__)))
#define kt_nn_dropout3d(input, ...) (KT_AT kt_nn_dropout3d_kw(input, KT_KW(kt_nn_dropout3d_opts, __VA_ARGS__)))
#define kt_nn_alpha_dropout(input, ...) (KT_AT kt_nn_alpha_dropout_kw(input, KT_KW(kt_nn_alpha_dropout_opts, __VA_ARGS__)))
#define kt_nn_feature_alpha_dropout(input, ...) (KT_AT kt_nn_feature_alpha_dropout_kw(input, KT_KW(kt_nn_feature_alpha_dropout_opts, __VA_ARGS__)))
#define kt_index_put(self, indices, n_indices, values, ...) (KT_AT kt_index_put_kw(self, indices, n_indices, values, KT_KW(kt_index_put_opts, __VA_ARGS__)))
#define kt_index_put_(self, indices, n_indices, values, ...) (KT_AT kt_index_put__kw(self, indices, n_indices, values, KT_KW(kt_index_put_opts, __VA_ARGS__)))
#define kt_put(self, index, source, ...) (KT_AT kt_put_kw(self, index, source, KT_KW(kt_put_opts, __VA_ARGS__)))
#define kt_put_(self, index, source, ...) (KT_AT kt_put__kw(self, index, source, KT_KW(kt_put_opts, __VA_ARGS__)))
#define kt_gather(self, dim, index, ...) (KT_AT kt_gather_kw(self, dim, index, KT_KW(kt_gather_opts, __VA_ARGS__)))
#define kt_gather_out(out, self, dim, index, ...) (KT_AT kt_gather_out_kw(out, self, dim, index, KT_KW(kt_gather_opts, __VA_ARGS__)))
#define kt_index_add(self, dim, index, source, ...) (KT_AT kt_index_add_kw(self, dim, index, source, KT_KW(kt_index_add_opts, __VA_ARGS__)))
#define kt_index_add_(self, dim, index, source, ...) (KT_AT kt_index_add__kw(self, dim, index, source, KT_KW(kt_index_add_opts, __VA_ARGS__)))
#define kt_index_add_out(out, self, dim, index, source, ...) (KT_AT kt_index_add_out_kw(out, self, dim, index, source, KT_KW(kt_index_add_opts, __VA_ARGS__)))
#define kt_scatter_reduce(self, dim, index, src, reduce, ...) (KT_AT kt_scatter_reduce_kw(self, dim, index, src, reduce, KT_KW(kt_scatter_reduce_opts, __VA_ARGS__)))
#define kt_scatter_reduce_(self, dim, index, src, reduce, ...) (KT_AT kt_scatter_reduce__kw(self, dim, index, src, reduce, KT_KW(kt_scatter_reduce_opts, __VA_ARGS__)))
#define kt_scatter_reduce_out(out, self, dim, index, src, reduce, ...) (KT_AT kt_scatter_reduce_out_kw(out, self, dim, index, src, reduce, KT_KW(kt_scatter_reduce_opts, __VA_ARGS__)))
#define kt_index_reduce(self, dim, index, source, reduce, ...) (KT_AT kt_index_reduce_kw(self, dim, index, source, reduce, KT_KW(kt_index_reduce_opts, __VA_ARGS__)))
#define kt_index_reduce_(self, dim, index, source, reduce, ...) (KT_AT kt_index_reduce__kw(self, dim, index, source, reduce, KT_KW(kt_index_reduce_opts, __VA_ARGS__)))
#define kt_index_reduce_out(out, self, dim, index, source, reduce, ...) (KT_AT kt_index_reduce_out_kw(out, self, dim, index, source, reduce, KT_KW(kt_index_reduce_opts, __VA_ARGS__)))
#define kt_take_along_dim(self, indices, ...) (KT_AT kt_take_along_dim_kw(self, indices, KT_KW(kt_take_along_dim_opts, __VA_ARGS__)))
#define kt_take_along_dim_out(out, self, indices, ...) (KT_AT kt_take_along_dim_out_kw(out, self, indices, KT_KW(kt_take_along_dim_opts, __VA_ARGS__)))
#define kt_nonzero_static(self, size, ...) (KT_AT kt_nonzero_static_kw(self, size, KT_KW(kt_nonzero_static_opts, __VA_ARGS__)))
#define kt_nonzero_static_out(out, self, size, ...) (KT_AT kt_nonzero_static_out_kw(out, self, size, KT_KW(kt_nonzero_static_opts, __VA_ARGS__)))
#define kt_embedding(weight, indices, ...) (KT_AT kt_embedding_kw(weight, indices, KT_KW(kt_embedding_opts, __VA_ARGS__)))
#define kt_nn_embedding(input, weight, ...) (KT_AT kt_nn_embedding_kw(input, weight, KT_KW(kt_nn_embedding_opts, __VA_ARGS__)))
#define kt_nn_one_hot(self, ...) (KT_AT kt_nn_one_hot_kw(self, KT_KW(kt_nn_one_hot_opts, __VA_ARGS__)))
#define kt_softmax(self, dim, ...) (KT_AT kt_softmax_kw(self, dim, KT_KW(kt_softmax_opts, __VA_ARGS__)))
#define kt_softmax_out(out, self, dim, ...) (KT_AT kt_softmax_out_kw(out, self, dim, KT_KW(kt_softmax_opts, __VA_ARGS__)))
#define kt_log_softmax(self, dim, ...) (KT_AT kt_log_softmax_kw(self, dim, KT_KW(kt_log_softmax_opts, __VA_ARGS__)))
#define kt_log_softmax_out(out, self, dim, ...) (KT_AT kt_log_softmax_out_kw(out, self, dim, KT_KW(kt_log_softmax_opts, __VA_ARGS__)))
#define kt_special_softmax(self, dim, ...) (KT_AT kt_special_softmax_kw(self, dim, KT_KW(kt_special_softmax_opts, __VA_ARGS__)))
#define kt_special_log_softmax(self, dim, ...) (KT_AT kt_special_log_softmax_kw(self, dim, KT_KW(kt_special_log_softmax_opts, __VA_ARGS__)))
#define kt_nn_softmax(input, ...) (KT_AT kt_nn_softmax_kw(input, KT_KW(kt_nn_softmax_opts, __VA_ARGS__)))
#define kt_nn_log_softmax(input, ...) (KT_AT kt_nn_log_softmax_kw(input, KT_KW(kt_nn_log_softmax_opts, __VA_ARGS__)))
#define kt_nn_softmin(input, ...) (KT_AT kt_nn_softmin_kw(input, KT_KW(kt_nn_softmin_opts, __VA_ARGS__)))
#define kt_mse_loss(input, target, ...) (KT_AT kt_mse_loss_kw(input, target, KT_KW(kt_mse_loss_opts, __VA_ARGS__)))
#define kt_smooth_l1_loss(input, target, ...) (KT_AT kt_smooth_l1_loss_kw(input, target, KT_KW(kt_smooth_l1_loss_opts, __VA_ARGS__)))
#define kt_huber_loss(input, target, ...) (KT_AT kt_huber_loss_kw(input, target, KT_KW(kt_huber_loss_opts, __VA_ARGS__)))
#define kt_mse_loss_backward(grad_output, input, target, ...) (KT_AT kt_mse_loss_backward_kw(grad_output, input, target, KT_KW(kt_mse_loss_backward_opts, __VA_ARGS__)))
#define kt_smooth_l1_loss_backward(grad_output, input, target, ...) (KT_AT kt_smooth_l1_loss_backward_kw(grad_output, input, target, KT_KW(kt_smooth_l1_loss_backward_opts, __VA_ARGS__)))
#define kt_huber_loss_backward(grad_output, input, target, ...) (KT_AT kt_huber_loss_backward_kw(grad_output, input, target, KT_KW(kt_huber_loss_backward_opts, __VA_ARGS__)))
#define kt_nn_mse_loss(input, target, ...) (KT_AT kt_nn_mse_loss_kw(input, target, KT_KW(kt_nn_mse_loss_opts, __VA_ARGS__)))
#define kt_nn_l1_loss(input, target, ...) (KT_AT kt_nn_l1_loss_kw(input, target, KT_KW(kt_nn_l1_loss_opts, __VA_ARGS__)))
#define kt_nn_smooth_l1_loss(input, target, ...) (KT_AT kt_nn_smooth_l1_loss_kw(input, target, KT_KW(kt_nn_smooth_l1_loss_opts, __VA_ARGS__)))
#define kt_nn_huber_loss(input, target, ...) (KT_AT kt_nn_huber_loss_kw(input, target, KT_KW(kt_nn_huber_loss_opts, __VA_ARGS__)))
#define kt_nll_loss(input, target, ...) (KT_AT kt_nll_loss_kw(input, target, KT_KW(kt_nll_loss_opts, __VA_ARGS__)))
#define kt_nll_loss2d(input, target, ...) (KT_AT kt_nll_loss2d_kw(input, target, KT_KW(kt_nll_loss2d_opts, __VA_ARGS__)))
#define kt_nn_nll_loss(input, target, ...) (KT_AT kt_nn_nll_loss_kw(input, target, KT_KW(kt_nn_nll_loss_opts, __VA_ARGS__)))
#define kt_nn_cross_entropy(input, target, ...) (KT_AT kt_nn_cross_entropy_kw(input, target, KT_KW(kt_nn_cross_entropy_opts, __VA_ARGS__)))
#define kt_binary_cross_entropy(input, target, ...) (KT_AT kt_binary_cross_entropy_kw(input, target, KT_KW(kt_binary_cross_entropy_opts, __VA_ARGS__)))
#define kt_bce_logits(tensors, n_tensors, ...) (KT_AT kt_bce_logits_kw(tensors, n_tensors, KT_KW(kt_bce_logits_opts, __VA_ARGS__)))
#define kt_binary_cross_entropy_with_logits(input, target, ...) (KT_AT kt_binary_cross_entropy_with_logits_kw(input, target, KT_KW(kt_binary_cross_entropy_with_logits_opts, __VA_ARGS__)))
#define kt_kl_div(input, target, ...) (KT_AT kt_kl_div_kw(input, target, KT_KW(kt_kl_div_opts, __VA_ARGS__)))
#define kt_nn_binary_cross_entropy(input, target, ...) (KT_AT kt_nn_binary_cross_entropy_kw(input, target, KT_KW(kt_nn_binary_cross_entropy_opts, __VA_ARGS__)))
#define kt_nn_binary_cross_entropy_with_logits(input, target, ...) (KT_AT kt_nn_binary_cross_entropy_with_logits_kw(input, target, KT_KW(kt_nn_binary_cross_entropy_with_logits_opts, __VA_ARGS__)))
#define kt_nn_kl_div(input, target, ...) (KT_AT kt_nn_kl_div_kw(input, target, KT_KW(kt_nn_kl_div_opts, __VA_ARGS__)))

#ifdef KT_SITES
#define kt_mul(...) (KT_AT kt_mul(__VA_ARGS__))
#define kt_mul_(...) (KT_AT kt_mul_(__VA_ARGS__))
#define kt_mul_out(...) (KT_AT kt_mul_out(__VA_ARGS__))
#define kt_mul_s(...) (KT_AT kt_mul_s(__VA_ARGS__))
#define kt_mul_s_(...) (KT_AT kt_mul_s_(__VA_ARGS__))
#define kt_mul_s_out(...) (KT_AT kt_mul_s_out(__VA_ARGS__))
#define kt_true_divide(...) (KT_AT kt_true_divide(__VA_ARGS__))
#define kt_true_divide_(...) (KT_AT kt_true_divide_(__VA_ARGS__))
#define kt_true_divide_out(...) (KT_AT kt_true_divide_out(__VA_ARGS__))
#define kt_true_divide_s(...) (KT_AT kt_true_divide_s(__VA_ARGS__))
#define kt_true_divide_s_(...) (KT_AT kt_true_divide_s_(__VA_ARGS__))
#define kt_true_divide_s_out(...) (KT_AT kt_true_divide_s_out(__VA_ARGS__))
#define kt_floor_divide(...) (KT_AT kt_floor_divide(__VA_ARGS__))
#define kt_floor_divide_(...) (KT_AT kt_floor_divide_(__VA_ARGS__))
#define kt_floor_divide_out(...) (KT_AT kt_floor_divide_out(__VA_ARGS__))
#define kt_floor_divide_s(...) (KT_AT kt_floor_divide_s(__VA_ARGS__))
#define kt_floor_divide_s_(...) (KT_AT kt_floor_divide_s_(__VA_ARGS__))
#define kt_floor_divide_s_out(...) (KT_AT kt_floor_divide_s_out(__VA_ARGS__))
#define kt_remainder(...) (KT_AT kt_remainder(__VA_ARGS__))
#define kt_remainder_(...) (KT_AT kt_remainder_(__VA_ARGS__))
#define kt_remainder_out(...) (KT_AT kt_remainder_out(__VA_ARGS__))
#define kt_remainder_s(...) (KT_AT kt_remainder_s(__VA_ARGS__))
#define kt_remainder_s_(...) (KT_AT kt_remainder_s_(__VA_ARGS__))
#define kt_remainder_s_out(...) (KT_AT kt_remainder_s_out(__VA_ARGS__))
#define kt_fmod(...) (KT_AT kt_fmod(__VA_ARGS__))
#define kt_fmod_(...) (KT_AT kt_fmod_(__VA_ARGS__))
#define kt_fmod_out(...) (KT_AT kt_fmod_out(__VA_ARGS__))
#define kt_fmod_s(...) (KT_AT kt_fmod_s(__VA_ARGS__))
#define kt_fmod_s_(...) (KT_AT kt_fmod_s_(__VA_ARGS__))
#define kt_fmod_s_out(...) (KT_AT kt_fmod_s_out(__VA_ARGS__))
#define kt_pow(...) (KT_AT kt_pow(__VA_ARGS__))
#define kt_pow_(...) (KT_AT kt_pow_(__VA_ARGS__))
#define kt_pow_out(...) (KT_AT kt_pow_out(__VA_ARGS__))
#define kt_pow_s(...) (KT_AT kt_pow_s(__VA_ARGS__))
#define kt_pow_s_(...) (KT_AT kt_pow_s_(__VA_ARGS__))
#define kt_pow_s_out(...) (KT_AT kt_pow_s_out(__VA_ARGS__))
#define kt_pow_base(...) (KT_AT kt_pow_base(__VA_ARGS__))
#define kt_pow_base_out(...) (KT_AT kt_pow_base_out(__VA_ARGS__))
#define kt_pow_base_s(...) (KT_AT kt_pow_base_s(__VA_ARGS__))
#define kt_pow_base_s_out(...) (KT_AT kt_pow_base_s_out(__VA_ARGS__))
#define kt_float_power(...) (KT_AT kt_float_power(__VA_ARGS__))
#define kt_float_power_out(...) (KT_AT kt_float_power_out(__VA_ARGS__))
#define kt_float_power_s(...) (KT_AT kt_float_power_s(__VA_ARGS__))
#define kt_float_power_s_out(...) (KT_AT kt_float_power_s_out(__VA_ARGS__))
#define kt_ldexp(...) (KT_AT kt_ldexp(__VA_ARGS__))
#define kt_ldexp_out(...) (KT_AT kt_ldexp_out(__VA_ARGS__))
#define kt_atan2(...) (KT_AT kt_atan2(__VA_ARGS__))
#define kt_atan2_(...) (KT_AT kt_atan2_(__VA_ARGS__))
#define kt_atan2_out(...) (KT_AT kt_atan2_out(__VA_ARGS__))
#define kt_copysign(...) (KT_AT kt_copysign(__VA_ARGS__))
#define kt_copysign_(...) (KT_AT kt_copysign_(__VA_ARGS__))
#define kt_copysign_out(...) (KT_AT kt_copysign_out(__VA_ARGS__))
#define kt_copysign_s(...) (KT_AT kt_copysign_s(__VA_ARGS__))
#define kt_copysign_s_(...) (KT_AT kt_copysign_s_(__VA_ARGS__))
#define kt_copysign_s_out(...) (KT_AT kt_copysign_s_out(__VA_ARGS__))
#define kt_hypot(...) (KT_AT kt_hypot(__VA_ARGS__))
#define kt_hypot_(...) (KT_AT kt_hypot_(__VA_ARGS__))
#define kt_hypot_out(...) (KT_AT kt_hypot_out(__VA_ARGS__))
#define kt_logaddexp(...) (KT_AT kt_logaddexp(__VA_ARGS__))
#define kt_logaddexp_(...) (KT_AT kt_logaddexp_(__VA_ARGS__))
#define kt_logaddexp_out(...) (KT_AT kt_logaddexp_out(__VA_ARGS__))
#define kt_logaddexp2(...) (KT_AT kt_logaddexp2(__VA_ARGS__))
#define kt_logaddexp2_(...) (KT_AT kt_logaddexp2_(__VA_ARGS__))
#define kt_logaddexp2_out(...) (KT_AT kt_logaddexp2_out(__VA_ARGS__))
#define kt_nextafter(...) (KT_AT kt_nextafter(__VA_ARGS__))
#define kt_nextafter_(...) (KT_AT kt_nextafter_(__VA_ARGS__))
#define kt_nextafter_out(...) (KT_AT kt_nextafter_out(__VA_ARGS__))
#define kt_xlogy(...) (KT_AT kt_xlogy(__VA_ARGS__))
#define kt_xlogy_(...) (KT_AT kt_xlogy_(__VA_ARGS__))
#define kt_xlogy_out(...) (KT_AT kt_xlogy_out(__VA_ARGS__))
#define kt_xlogy_s(...) (KT_AT kt_xlogy_s(__VA_ARGS__))
#define kt_xlogy_s_(...) (KT_AT kt_xlogy_s_(__VA_ARGS__))
#define kt_xlogy_s_out(...) (KT_AT kt_xlogy_s_out(__VA_ARGS__))
#define kt_heaviside(...) (KT_AT kt_heaviside(__VA_ARGS__))
#define kt_heaviside_(...) (KT_AT kt_heaviside_(__VA_ARGS__))
#define kt_heaviside_out(...) (KT_AT kt_heaviside_out(__VA_ARGS__))
#define kt_gcd(...) (KT_AT kt_gcd(__VA_ARGS__))
#define kt_gcd_(...) (KT_AT kt_gcd_(__VA_ARGS__))
#define kt_gcd_out(...) (KT_AT kt_gcd_out(__VA_ARGS__))
#define kt_lcm(...) (KT_AT kt_lcm(__VA_ARGS__))
#define kt_lcm_(...) (KT_AT kt_lcm_(__VA_ARGS__))
#define kt_lcm_out(...) (KT_AT kt_lcm_out(__VA_ARGS__))
#define kt_maximum(...) (KT_AT kt_maximum(__VA_ARGS__))
#define kt_maximum_(...) (KT_AT kt_maximum_(__VA_ARGS__))
#define kt_maximum_out(...) (KT_AT kt_maximum_out(__VA_ARGS__))
#define kt_minimum(...) (KT_AT kt_minimum(__VA_ARGS__))
#define kt_minimum_(...) (KT_AT kt_minimum_(__VA_ARGS__))
#define kt_minimum_out(...) (KT_AT kt_minimum_out(__VA_ARGS__))
#define kt_fmax(...) (KT_AT kt_fmax(__VA_ARGS__))
#define kt_fmax_(...) (KT_AT kt_fmax_(__VA_ARGS__))
#define kt_fmax_out(...) (KT_AT kt_fmax_out(__VA_ARGS__))
#define kt_fmin(...) (KT_AT kt_fmin(__VA_ARGS__))
#define kt_fmin_(...) (KT_AT kt_fmin_(__VA_ARGS__))
#define kt_fmin_out(...) (KT_AT kt_fmin_out(__VA_ARGS__))
#define kt_eq(...) (KT_AT kt_eq(__VA_ARGS__))
#define kt_eq_(...) (KT_AT kt_eq_(__VA_ARGS__))
#define kt_eq_out(...) (KT_AT kt_eq_out(__VA_ARGS__))
#define kt_eq_s(...) (KT_AT kt_eq_s(__VA_ARGS__))
#define kt_eq_s_(...) (KT_AT kt_eq_s_(__VA_ARGS__))
#define kt_eq_s_out(...) (KT_AT kt_eq_s_out(__VA_ARGS__))
#define kt_ne(...) (KT_AT kt_ne(__VA_ARGS__))
#define kt_ne_(...) (KT_AT kt_ne_(__VA_ARGS__))
#define kt_ne_out(...) (KT_AT kt_ne_out(__VA_ARGS__))
#define kt_ne_s(...) (KT_AT kt_ne_s(__VA_ARGS__))
#define kt_ne_s_(...) (KT_AT kt_ne_s_(__VA_ARGS__))
#define kt_ne_s_out(...) (KT_AT kt_ne_s_out(__VA_ARGS__))
#define kt_lt(...) (KT_AT kt_lt(__VA_ARGS__))
#define kt_lt_(...) (KT_AT kt_lt_(__VA_ARGS__))
#define kt_lt_out(...) (KT_AT kt_lt_out(__VA_ARGS__))
#define kt_lt_s(...) (KT_AT kt_lt_s(__VA_ARGS__))
#define kt_lt_s_(...) (KT_AT kt_lt_s_(__VA_ARGS__))
#define kt_lt_s_out(...) (KT_AT kt_lt_s_out(__VA_ARGS__))
#define kt_le(...) (KT_AT kt_le(__VA_ARGS__))
#define kt_le_(...) (KT_AT kt_le_(__VA_ARGS__))
#define kt_le_out(...) (KT_AT kt_le_out(__VA_ARGS__))
#define kt_le_s(...) (KT_AT kt_le_s(__VA_ARGS__))
#define kt_le_s_(...) (KT_AT kt_le_s_(__VA_ARGS__))
#define kt_le_s_out(...) (KT_AT kt_le_s_out(__VA_ARGS__))
#define kt_gt(...) (KT_AT kt_gt(__VA_ARGS__))
#define kt_gt_(...) (KT_AT kt_gt_(__VA_ARGS__))
#define kt_gt_out(...) (KT_AT kt_gt_out(__VA_ARGS__))
#define kt_gt_s(...) (KT_AT kt_gt_s(__VA_ARGS__))
#define kt_gt_s_(...) (KT_AT kt_gt_s_(__VA_ARGS__))
#define kt_gt_s_out(...) (KT_AT kt_gt_s_out(__VA_ARGS__))
#define kt_ge(...) (KT_AT kt_ge(__VA_ARGS__))
#define kt_ge_(...) (KT_AT kt_ge_(__VA_ARGS__))
#define kt_ge_out(...) (KT_AT kt_ge_out(__VA_ARGS__))
#define kt_ge_s(...) (KT_AT kt_ge_s(__VA_ARGS__))
#define kt_ge_s_(...) (KT_AT kt_ge_s_(__VA_ARGS__))
#define kt_ge_s_out(...) (KT_AT kt_ge_s_out(__VA_ARGS__))
#define kt_clamp_min(...) (KT_AT kt_clamp_min(__VA_ARGS__))
#define kt_clamp_min_(...) (KT_AT kt_clamp_min_(__VA_ARGS__))
#define kt_clamp_min_out(...) (KT_AT kt_clamp_min_out(__VA_ARGS__))
#define kt_clamp_min_s(...) (KT_AT kt_clamp_min_s(__VA_ARGS__))
#define kt_clamp_min_s_(...) (KT_AT kt_clamp_min_s_(__VA_ARGS__))
#define kt_clamp_min_s_out(...) (KT_AT kt_clamp_min_s_out(__VA_ARGS__))
#define kt_clamp_max(...) (KT_AT kt_clamp_max(__VA_ARGS__))
#define kt_clamp_max_(...) (KT_AT kt_clamp_max_(__VA_ARGS__))
#define kt_clamp_max_out(...) (KT_AT kt_clamp_max_out(__VA_ARGS__))
#define kt_clamp_max_s(...) (KT_AT kt_clamp_max_s(__VA_ARGS__))
#define kt_clamp_max_s_(...) (KT_AT kt_clamp_max_s_(__VA_ARGS__))
#define kt_clamp_max_s_out(...) (KT_AT kt_clamp_max_s_out(__VA_ARGS__))
#define kt_logical_and(...) (KT_AT kt_logical_and(__VA_ARGS__))
#define kt_logical_and_(...) (KT_AT kt_logical_and_(__VA_ARGS__))
#define kt_logical_and_out(...) (KT_AT kt_logical_and_out(__VA_ARGS__))
#define kt_logical_or(...) (KT_AT kt_logical_or(__VA_ARGS__))
#define kt_logical_or_(...) (KT_AT kt_logical_or_(__VA_ARGS__))
#define kt_logical_or_out(...) (KT_AT kt_logical_or_out(__VA_ARGS__))
#define kt_logical_xor(...) (KT_AT kt_logical_xor(__VA_ARGS__))
#define kt_logical_xor_(...) (KT_AT kt_logical_xor_(__VA_ARGS__))
#define kt_logical_xor_out(...) (KT_AT kt_logical_xor_out(__VA_ARGS__))
#define kt_logical_not(...) (KT_AT kt_logical_not(__VA_ARGS__))
#define kt_logical_not_(...) (KT_AT kt_logical_not_(__VA_ARGS__))
#define kt_logical_not_out(...) (KT_AT kt_logical_not_out(__VA_ARGS__))
#define kt_bitwise_and(...) (KT_AT kt_bitwise_and(__VA_ARGS__))
#define kt_bitwise_and_(...) (KT_AT kt_bitwise_and_(__VA_ARGS__))
#define kt_bitwise_and_out(...) (KT_AT kt_bitwise_and_out(__VA_ARGS__))
#define kt_bitwise_and_s(...) (KT_AT kt_bitwise_and_s(__VA_ARGS__))
#define kt_bitwise_and_s_(...) (KT_AT kt_bitwise_and_s_(__VA_ARGS__))
#define kt_bitwise_and_s_out(...) (KT_AT kt_bitwise_and_s_out(__VA_ARGS__))
#define kt_bitwise_or(...) (KT_AT kt_bitwise_or(__VA_ARGS__))
#define kt_bitwise_or_(...) (KT_AT kt_bitwise_or_(__VA_ARGS__))
#define kt_bitwise_or_out(...) (KT_AT kt_bitwise_or_out(__VA_ARGS__))
#define kt_bitwise_or_s(...) (KT_AT kt_bitwise_or_s(__VA_ARGS__))
#define kt_bitwise_or_s_(...) (KT_AT kt_bitwise_or_s_(__VA_ARGS__))
#define kt_bitwise_or_s_out(...) (KT_AT kt_bitwise_or_s_out(__VA_ARGS__))
#define kt_bitwise_xor(...) (KT_AT kt_bitwise_xor(__VA_ARGS__))
#define kt_bitwise_xor_(...) (KT_AT kt_bitwise_xor_(__VA_ARGS__))
#define kt_bitwise_xor_out(...) (KT_AT kt_bitwise_xor_out(__VA_ARGS__))
#define kt_bitwise_xor_s(...) (KT_AT kt_bitwise_xor_s(__VA_ARGS__))
#define kt_bitwise_xor_s_(...) (KT_AT kt_bitwise_xor_s_(__VA_ARGS__))
#define kt_bitwise_xor_s_out(...) (KT_AT kt_bitwise_xor_s_out(__VA_ARGS__))
#define kt_bitwise_not(...) (KT_AT kt_bitwise_not(__VA_ARGS__))
#define kt_bitwise_not_(...) (KT_AT kt_bitwise_not_(__VA_ARGS__))
#define kt_bitwise_not_out(...) (KT_AT kt_bitwise_not_out(__VA_ARGS__))
#define kt_bitwise_left_shift(...) (KT_AT kt_bitwise_left_shift(__VA_ARGS__))
#define kt_bitwise_left_shift_(...) (KT_AT kt_bitwise_left_shift_(__VA_ARGS__))
#define kt_bitwise_left_shift_out(...) (KT_AT kt_bitwise_left_shift_out(__VA_ARGS__))
#define kt_bitwise_left_shift_s(...) (KT_AT kt_bitwise_left_shift_s(__VA_ARGS__))
#define kt_bitwise_left_shift_s_(...) (KT_AT kt_bitwise_left_shift_s_(__VA_ARGS__))
#define kt_bitwise_left_shift_s_out(...) (KT_AT kt_bitwise_left_shift_s_out(__VA_ARGS__))
#define kt_bitwise_right_shift(...) (KT_AT kt_bitwise_right_shift(__VA_ARGS__))
#define kt_bitwise_right_shift_(...) (KT_AT kt_bitwise_right_shift_(__VA_ARGS__))
#define kt_bitwise_right_shift_out(...) (KT_AT kt_bitwise_right_shift_out(__VA_ARGS__))
#define kt_bitwise_right_shift_s(...) (KT_AT kt_bitwise_right_shift_s(__VA_ARGS__))
#define kt_bitwise_right_shift_s_(...) (KT_AT kt_bitwise_right_shift_s_(__VA_ARGS__))
#define kt_bitwise_right_shift_s_out(...) (KT_AT kt_bitwise_right_shift_s_out(__VA_ARGS__))
#define kt_abs(...) (KT_AT kt_abs(__VA_ARGS__))
#define kt_abs_(...) (KT_AT kt_abs_(__VA_ARGS__))
#define kt_abs_out(...) (KT_AT kt_abs_out(__VA_ARGS__))
#define kt_isnan(...) (KT_AT kt_isnan(__VA_ARGS__))
#define kt_isinf(...) (KT_AT kt_isinf(__VA_ARGS__))
#define kt_isfinite(...) (KT_AT kt_isfinite(__VA_ARGS__))
#define kt_isposinf(...) (KT_AT kt_isposinf(__VA_ARGS__))
#define kt_isposinf_out(...) (KT_AT kt_isposinf_out(__VA_ARGS__))
#define kt_isneginf(...) (KT_AT kt_isneginf(__VA_ARGS__))
#define kt_isneginf_out(...) (KT_AT kt_isneginf_out(__VA_ARGS__))
#define kt_signbit(...) (KT_AT kt_signbit(__VA_ARGS__))
#define kt_signbit_out(...) (KT_AT kt_signbit_out(__VA_ARGS__))
#define kt_sign(...) (KT_AT kt_sign(__VA_ARGS__))
#define kt_sign_(...) (KT_AT kt_sign_(__VA_ARGS__))
#define kt_sign_out(...) (KT_AT kt_sign_out(__VA_ARGS__))
#define kt_sgn(...) (KT_AT kt_sgn(__VA_ARGS__))
#define kt_sgn_(...) (KT_AT kt_sgn_(__VA_ARGS__))
#define kt_sgn_out(...) (KT_AT kt_sgn_out(__VA_ARGS__))
#define kt_neg(...) (KT_AT kt_neg(__VA_ARGS__))
#define kt_neg_(...) (KT_AT kt_neg_(__VA_ARGS__))
#define kt_neg_out(...) (KT_AT kt_neg_out(__VA_ARGS__))
#define kt_positive(...) (KT_AT kt_positive(__VA_ARGS__))
#define kt_square(...) (KT_AT kt_square(__VA_ARGS__))
#define kt_square_(...) (KT_AT kt_square_(__VA_ARGS__))
#define kt_square_out(...) (KT_AT kt_square_out(__VA_ARGS__))
#define kt_ceil(...) (KT_AT kt_ceil(__VA_ARGS__))
#define kt_ceil_(...) (KT_AT kt_ceil_(__VA_ARGS__))
#define kt_ceil_out(...) (KT_AT kt_ceil_out(__VA_ARGS__))
#define kt_floor(...) (KT_AT kt_floor(__VA_ARGS__))
#define kt_floor_(...) (KT_AT kt_floor_(__VA_ARGS__))
#define kt_floor_out(...) (KT_AT kt_floor_out(__VA_ARGS__))
#define kt_trunc(...) (KT_AT kt_trunc(__VA_ARGS__))
#define kt_trunc_(...) (KT_AT kt_trunc_(__VA_ARGS__))
#define kt_trunc_out(...) (KT_AT kt_trunc_out(__VA_ARGS__))
#define kt_frac(...) (KT_AT kt_frac(__VA_ARGS__))
#define kt_frac_(...) (KT_AT kt_frac_(__VA_ARGS__))
#define kt_frac_out(...) (KT_AT kt_frac_out(__VA_ARGS__))
#define kt_relu(...) (KT_AT kt_relu(__VA_ARGS__))
#define kt_relu_(...) (KT_AT kt_relu_(__VA_ARGS__))
#define kt_relu_out(...) (KT_AT kt_relu_out(__VA_ARGS__))
#define kt_reciprocal(...) (KT_AT kt_reciprocal(__VA_ARGS__))
#define kt_reciprocal_(...) (KT_AT kt_reciprocal_(__VA_ARGS__))
#define kt_reciprocal_out(...) (KT_AT kt_reciprocal_out(__VA_ARGS__))
#define kt_sqrt(...) (KT_AT kt_sqrt(__VA_ARGS__))
#define kt_sqrt_(...) (KT_AT kt_sqrt_(__VA_ARGS__))
#define kt_sqrt_out(...) (KT_AT kt_sqrt_out(__VA_ARGS__))
#define kt_rsqrt(...) (KT_AT kt_rsqrt(__VA_ARGS__))
#define kt_rsqrt_(...) (KT_AT kt_rsqrt_(__VA_ARGS__))
#define kt_rsqrt_out(...) (KT_AT kt_rsqrt_out(__VA_ARGS__))
#define kt_exp(...) (KT_AT kt_exp(__VA_ARGS__))
#define kt_exp_(...) (KT_AT kt_exp_(__VA_ARGS__))
#define kt_exp_out(...) (KT_AT kt_exp_out(__VA_ARGS__))
#define kt_exp2(...) (KT_AT kt_exp2(__VA_ARGS__))
#define kt_exp2_(...) (KT_AT kt_exp2_(__VA_ARGS__))
#define kt_exp2_out(...) (KT_AT kt_exp2_out(__VA_ARGS__))
#define kt_expm1(...) (KT_AT kt_expm1(__VA_ARGS__))
#define kt_expm1_(...) (KT_AT kt_expm1_(__VA_ARGS__))
#define kt_expm1_out(...) (KT_AT kt_expm1_out(__VA_ARGS__))
#define kt_log(...) (KT_AT kt_log(__VA_ARGS__))
#define kt_log_(...) (KT_AT kt_log_(__VA_ARGS__))
#define kt_log_out(...) (KT_AT kt_log_out(__VA_ARGS__))
#define kt_log2(...) (KT_AT kt_log2(__VA_ARGS__))
#define kt_log2_(...) (KT_AT kt_log2_(__VA_ARGS__))
#define kt_log2_out(...) (KT_AT kt_log2_out(__VA_ARGS__))
#define kt_log10(...) (KT_AT kt_log10(__VA_ARGS__))
#define kt_log10_(...) (KT_AT kt_log10_(__VA_ARGS__))
#define kt_log10_out(...) (KT_AT kt_log10_out(__VA_ARGS__))
#define kt_log1p(...) (KT_AT kt_log1p(__VA_ARGS__))
#define kt_log1p_(...) (KT_AT kt_log1p_(__VA_ARGS__))
#define kt_log1p_out(...) (KT_AT kt_log1p_out(__VA_ARGS__))
#define kt_sin(...) (KT_AT kt_sin(__VA_ARGS__))
#define kt_sin_(...) (KT_AT kt_sin_(__VA_ARGS__))
#define kt_sin_out(...) (KT_AT kt_sin_out(__VA_ARGS__))
#define kt_cos(...) (KT_AT kt_cos(__VA_ARGS__))
#define kt_cos_(...) (KT_AT kt_cos_(__VA_ARGS__))
#define kt_cos_out(...) (KT_AT kt_cos_out(__VA_ARGS__))
#define kt_tan(...) (KT_AT kt_tan(__VA_ARGS__))
#define kt_tan_(...) (KT_AT kt_tan_(__VA_ARGS__))
#define kt_tan_out(...) (KT_AT kt_tan_out(__VA_ARGS__))
#define kt_asin(...) (KT_AT kt_asin(__VA_ARGS__))
#define kt_asin_(...) (KT_AT kt_asin_(__VA_ARGS__))
#define kt_asin_out(...) (KT_AT kt_asin_out(__VA_ARGS__))
#define kt_acos(...) (KT_AT kt_acos(__VA_ARGS__))
#define kt_acos_(...) (KT_AT kt_acos_(__VA_ARGS__))
#define kt_acos_out(...) (KT_AT kt_acos_out(__VA_ARGS__))
#define kt_atan(...) (KT_AT kt_atan(__VA_ARGS__))
#define kt_atan_(...) (KT_AT kt_atan_(__VA_ARGS__))
#define kt_atan_out(...) (KT_AT kt_atan_out(__VA_ARGS__))
#define kt_sinh(...) (KT_AT kt_sinh(__VA_ARGS__))
#define kt_sinh_(...) (KT_AT kt_sinh_(__VA_ARGS__))
#define kt_sinh_out(...) (KT_AT kt_sinh_out(__VA_ARGS__))
#define kt_cosh(...) (KT_AT kt_cosh(__VA_ARGS__))
#define kt_cosh_(...) (KT_AT kt_cosh_(__VA_ARGS__))
#define kt_cosh_out(...) (KT_AT kt_cosh_out(__VA_ARGS__))
#define kt_tanh(...) (KT_AT kt_tanh(__VA_ARGS__))
#define kt_tanh_(...) (KT_AT kt_tanh_(__VA_ARGS__))
#define kt_tanh_out(...) (KT_AT kt_tanh_out(__VA_ARGS__))
#define kt_asinh(...) (KT_AT kt_asinh(__VA_ARGS__))
#define kt_asinh_(...) (KT_AT kt_asinh_(__VA_ARGS__))
#define kt_asinh_out(...) (KT_AT kt_asinh_out(__VA_ARGS__))
#define kt_acosh(...) (KT_AT kt_acosh(__VA_ARGS__))
#define kt_acosh_(...) (KT_AT kt_acosh_(__VA_ARGS__))
#define kt_acosh_out(...) (KT_AT kt_acosh_out(__VA_ARGS__))
#define kt_atanh(...) (KT_AT kt_atanh(__VA_ARGS__))
#define kt_atanh_(...) (KT_AT kt_atanh_(__VA_ARGS__))
#define kt_atanh_out(...) (KT_AT kt_atanh_out(__VA_ARGS__))
#define kt_sigmoid(...) (KT_AT kt_sigmoid(__VA_ARGS__))
#define kt_sigmoid_(...) (KT_AT kt_sigmoid_(__VA_ARGS__))
#define kt_sigmoid_out(...) (KT_AT kt_sigmoid_out(__VA_ARGS__))
#define kt_sinc(...) (KT_AT kt_sinc(__VA_ARGS__))
#define kt_sinc_(...) (KT_AT kt_sinc_(__VA_ARGS__))
#define kt_sinc_out(...) (KT_AT kt_sinc_out(__VA_ARGS__))
#define kt_erf(...) (KT_AT kt_erf(__VA_ARGS__))
#define kt_erf_(...) (KT_AT kt_erf_(__VA_ARGS__))
#define kt_erf_out(...) (KT_AT kt_erf_out(__VA_ARGS__))
#define kt_erfc(...) (KT_AT kt_erfc(__VA_ARGS__))
#define kt_erfc_(...) (KT_AT kt_erfc_(__VA_ARGS__))
#define kt_erfc_out(...) (KT_AT kt_erfc_out(__VA_ARGS__))
#define kt_erfinv(...) (KT_AT kt_erfinv(__VA_ARGS__))
#define kt_erfinv_(...) (KT_AT kt_erfinv_(__VA_ARGS__))
#define kt_erfinv_out(...) (KT_AT kt_erfinv_out(__VA_ARGS__))
#define kt_digamma(...) (KT_AT kt_digamma(__VA_ARGS__))
#define kt_digamma_(...) (KT_AT kt_digamma_(__VA_ARGS__))
#define kt_digamma_out(...) (KT_AT kt_digamma_out(__VA_ARGS__))
#define kt_lgamma(...) (KT_AT kt_lgamma(__VA_ARGS__))
#define kt_lgamma_(...) (KT_AT kt_lgamma_(__VA_ARGS__))
#define kt_lgamma_out(...) (KT_AT kt_lgamma_out(__VA_ARGS__))
#define kt_i0(...) (KT_AT kt_i0(__VA_ARGS__))
#define kt_i0_(...) (KT_AT kt_i0_(__VA_ARGS__))
#define kt_i0_out(...) (KT_AT kt_i0_out(__VA_ARGS__))
#define kt_special_i1(...) (KT_AT kt_special_i1(__VA_ARGS__))
#define kt_special_i1_out(...) (KT_AT kt_special_i1_out(__VA_ARGS__))
#define kt_polygamma(...) (KT_AT kt_polygamma(__VA_ARGS__))
#define kt_polygamma_out(...) (KT_AT kt_polygamma_out(__VA_ARGS__))
#define kt_frexp(...) (KT_AT kt_frexp(__VA_ARGS__))
#define kt_frexp_out(...) (KT_AT kt_frexp_out(__VA_ARGS__))
#define kt_frexp_mantissa(...) (KT_AT kt_frexp_mantissa(__VA_ARGS__))
#define kt_frexp_exponent(...) (KT_AT kt_frexp_exponent(__VA_ARGS__))
#define kt_deg2rad(...) (KT_AT kt_deg2rad(__VA_ARGS__))
#define kt_deg2rad_(...) (KT_AT kt_deg2rad_(__VA_ARGS__))
#define kt_deg2rad_out(...) (KT_AT kt_deg2rad_out(__VA_ARGS__))
#define kt_rad2deg(...) (KT_AT kt_rad2deg(__VA_ARGS__))
#define kt_rad2deg_(...) (KT_AT kt_rad2deg_(__VA_ARGS__))
#define kt_rad2deg_out(...) (KT_AT kt_rad2deg_out(__VA_ARGS__))
#define kt_angle(...) (KT_AT kt_angle(__VA_ARGS__))
#define kt_angle_out(...) (KT_AT kt_angle_out(__VA_ARGS__))
#define kt_conj_physical(...) (KT_AT kt_conj_physical(__VA_ARGS__))
#define kt_conj_physical_(...) (KT_AT kt_conj_physical_(__VA_ARGS__))
#define kt_conj_physical_out(...) (KT_AT kt_conj_physical_out(__VA_ARGS__))
#define kt_conj_physical_of(...) (KT_AT kt_conj_physical_of(__VA_ARGS__))
#define kt_conj_physical_of_(...) (KT_AT kt_conj_physical_of_(__VA_ARGS__))
#define kt_conj_physical_of_out(...) (KT_AT kt_conj_physical_of_out(__VA_ARGS__))
#define kt_complex(...) (KT_AT kt_complex(__VA_ARGS__))
#define kt_complex_out(...) (KT_AT kt_complex_out(__VA_ARGS__))
#define kt_polar(...) (KT_AT kt_polar(__VA_ARGS__))
#define kt_polar_out(...) (KT_AT kt_polar_out(__VA_ARGS__))
#define kt_where(...) (KT_AT kt_where(__VA_ARGS__))
#define kt_where_out(...) (KT_AT kt_where_out(__VA_ARGS__))
#define kt_where_s(...) (KT_AT kt_where_s(__VA_ARGS__))
#define kt_where_s_out(...) (KT_AT kt_where_s_out(__VA_ARGS__))
#define kt_where_ss(...) (KT_AT kt_where_ss(__VA_ARGS__))
#define kt_where_ss_out(...) (KT_AT kt_where_ss_out(__VA_ARGS__))
#define kt_lerp(...) (KT_AT kt_lerp(__VA_ARGS__))
#define kt_lerp_(...) (KT_AT kt_lerp_(__VA_ARGS__))
#define kt_lerp_out(...) (KT_AT kt_lerp_out(__VA_ARGS__))
#define kt_lerp_s(...) (KT_AT kt_lerp_s(__VA_ARGS__))
#define kt_lerp_s_(...) (KT_AT kt_lerp_s_(__VA_ARGS__))
#define kt_lerp_s_out(...) (KT_AT kt_lerp_s_out(__VA_ARGS__))
#define kt_isreal(...) (KT_AT kt_isreal(__VA_ARGS__))
#define kt_silu(...) (KT_AT kt_silu(__VA_ARGS__))
#define kt_silu_(...) (KT_AT kt_silu_(__VA_ARGS__))
#define kt_silu_out(...) (KT_AT kt_silu_out(__VA_ARGS__))
#define kt_mish(...) (KT_AT kt_mish(__VA_ARGS__))
#define kt_mish_(...) (KT_AT kt_mish_(__VA_ARGS__))
#define kt_mish_out(...) (KT_AT kt_mish_out(__VA_ARGS__))
#define kt_selu(...) (KT_AT kt_selu(__VA_ARGS__))
#define kt_selu_(...) (KT_AT kt_selu_(__VA_ARGS__))
#define kt_relu6(...) (KT_AT kt_relu6(__VA_ARGS__))
#define kt_relu6_(...) (KT_AT kt_relu6_(__VA_ARGS__))
#define kt_hardsigmoid(...) (KT_AT kt_hardsigmoid(__VA_ARGS__))
#define kt_hardsigmoid_(...) (KT_AT kt_hardsigmoid_(__VA_ARGS__))
#define kt_hardsigmoid_out(...) (KT_AT kt_hardsigmoid_out(__VA_ARGS__))
#define kt_hardswish(...) (KT_AT kt_hardswish(__VA_ARGS__))
#define kt_hardswish_(...) (KT_AT kt_hardswish_(__VA_ARGS__))
#define kt_hardswish_out(...) (KT_AT kt_hardswish_out(__VA_ARGS__))
#define kt_log_sigmoid(...) (KT_AT kt_log_sigmoid(__VA_ARGS__))
#define kt_log_sigmoid_out(...) (KT_AT kt_log_sigmoid_out(__VA_ARGS__))
#define kt_softsign(...) (KT_AT kt_softsign(__VA_ARGS__))
#define kt_tanhshrink(...) (KT_AT kt_tanhshrink(__VA_ARGS__))
#define kt_threshold(...) (KT_AT kt_threshold(__VA_ARGS__))
#define kt_threshold_(...) (KT_AT kt_threshold_(__VA_ARGS__))
#define kt_threshold_out(...) (KT_AT kt_threshold_out(__VA_ARGS__))
#define kt_prelu(...) (KT_AT kt_prelu(__VA_ARGS__))
#define kt_prelu_kernel(...) (KT_AT kt_prelu_kernel(__VA_ARGS__))
#define kt_glu_halves(...) (KT_AT kt_glu_halves(__VA_ARGS__))
#define kt_silu_backward(...) (KT_AT kt_silu_backward(__VA_ARGS__))
#define kt_elu_backward(...) (KT_AT kt_elu_backward(__VA_ARGS__))
#define kt_leaky_relu_backward(...) (KT_AT kt_leaky_relu_backward(__VA_ARGS__))
#define kt_threshold_backward(...) (KT_AT kt_threshold_backward(__VA_ARGS__))
#define kt_hardtanh_backward(...) (KT_AT kt_hardtanh_backward(__VA_ARGS__))
#define kt_hardsigmoid_backward(...) (KT_AT kt_hardsigmoid_backward(__VA_ARGS__))
#define kt_hardswish_backward(...) (KT_AT kt_hardswish_backward(__VA_ARGS__))
#define kt_hardshrink_backward(...) (KT_AT kt_hardshrink_backward(__VA_ARGS__))
#define kt_softshrink_backward(...) (KT_AT kt_softshrink_backward(__VA_ARGS__))
#define kt_softplus_backward(...) (KT_AT kt_softplus_backward(__VA_ARGS__))
#define kt_log_sigmoid_backward(...) (KT_AT kt_log_sigmoid_backward(__VA_ARGS__))
#define kt_prelu_kernel_backward(...) (KT_AT kt_prelu_kernel_backward(__VA_ARGS__))
#define kt_glu_backward(...) (KT_AT kt_glu_backward(__VA_ARGS__))
#define kt_count_nonzero_dim(...) (KT_AT kt_count_nonzero_dim(__VA_ARGS__))
#define kt_max(...) (KT_AT kt_max(__VA_ARGS__))
#define kt_max_out(...) (KT_AT kt_max_out(__VA_ARGS__))
#define kt_max_other(...) (KT_AT kt_max_other(__VA_ARGS__))
#define kt_max_other_out(...) (KT_AT kt_max_other_out(__VA_ARGS__))
#define kt_min(...) (KT_AT kt_min(__VA_ARGS__))
#define kt_min_out(...) (KT_AT kt_min_out(__VA_ARGS__))
#define kt_min_other(...) (KT_AT kt_min_other(__VA_ARGS__))
#define kt_min_other_out(...) (KT_AT kt_min_other_out(__VA_ARGS__))
#define kt_any(...) (KT_AT kt_any(__VA_ARGS__))
#define kt_any_out(...) (KT_AT kt_any_out(__VA_ARGS__))
#define kt_all(...) (KT_AT kt_all(__VA_ARGS__))
#define kt_all_out(...) (KT_AT kt_all_out(__VA_ARGS__))
#define kt_trace(...) (KT_AT kt_trace(__VA_ARGS__))
#define kt_corrcoef(...) (KT_AT kt_corrcoef(__VA_ARGS__))
#define kt_logcumsumexp(...) (KT_AT kt_logcumsumexp(__VA_ARGS__))
#define kt_logcumsumexp_out(...) (KT_AT kt_logcumsumexp_out(__VA_ARGS__))
#define kt_cummax(...) (KT_AT kt_cummax(__VA_ARGS__))
#define kt_cummax_out(...) (KT_AT kt_cummax_out(__VA_ARGS__))
#define kt_cummin(...) (KT_AT kt_cummin(__VA_ARGS__))
#define kt_cummin_out(...) (KT_AT kt_cummin_out(__VA_ARGS__))
#define kt_msort(...) (KT_AT kt_msort(__VA_ARGS__))
#define kt_msort_out(...) (KT_AT kt_msort_out(__VA_ARGS__))
#define kt_median(...) (KT_AT kt_median(__VA_ARGS__))
#define kt_nanmedian(...) (KT_AT kt_nanmedian(__VA_ARGS__))
#define kt_matmul(...) (KT_AT kt_matmul(__VA_ARGS__))
#define kt_matmul_out(...) (KT_AT kt_matmul_out(__VA_ARGS__))
#define kt_matmul_batched(...) (KT_AT kt_matmul_batched(__VA_ARGS__))
#define kt_mm(...) (KT_AT kt_mm(__VA_ARGS__))
#define kt_mm_out(...) (KT_AT kt_mm_out(__VA_ARGS__))
#define kt_bmm(...) (KT_AT kt_bmm(__VA_ARGS__))
#define kt_bmm_out(...) (KT_AT kt_bmm_out(__VA_ARGS__))
#define kt_mv(...) (KT_AT kt_mv(__VA_ARGS__))
#define kt_mv_out(...) (KT_AT kt_mv_out(__VA_ARGS__))
#define kt_dot(...) (KT_AT kt_dot(__VA_ARGS__))
#define kt_dot_out(...) (KT_AT kt_dot_out(__VA_ARGS__))
#define kt_vdot(...) (KT_AT kt_vdot(__VA_ARGS__))
#define kt_vdot_out(...) (KT_AT kt_vdot_out(__VA_ARGS__))
#define kt_outer(...) (KT_AT kt_outer(__VA_ARGS__))
#define kt_outer_out(...) (KT_AT kt_outer_out(__VA_ARGS__))
#define kt_ger(...) (KT_AT kt_ger(__VA_ARGS__))
#define kt_ger_out(...) (KT_AT kt_ger_out(__VA_ARGS__))
#define kt_inner(...) (KT_AT kt_inner(__VA_ARGS__))
#define kt_inner_out(...) (KT_AT kt_inner_out(__VA_ARGS__))
#define kt_tensordot(...) (KT_AT kt_tensordot(__VA_ARGS__))
#define kt_tensordot_out(...) (KT_AT kt_tensordot_out(__VA_ARGS__))
#define kt_kron(...) (KT_AT kt_kron(__VA_ARGS__))
#define kt_kron_out(...) (KT_AT kt_kron_out(__VA_ARGS__))
#define kt_einsum(...) (KT_AT kt_einsum(__VA_ARGS__))
#define kt_linalg_multi_dot(...) (KT_AT kt_linalg_multi_dot(__VA_ARGS__))
#define kt_linalg_multi_dot_out(...) (KT_AT kt_linalg_multi_dot_out(__VA_ARGS__))
#define kt_chain_matmul(...) (KT_AT kt_chain_matmul(__VA_ARGS__))
#define kt_chain_matmul_out(...) (KT_AT kt_chain_matmul_out(__VA_ARGS__))
#define kt_linalg_matrix_power(...) (KT_AT kt_linalg_matrix_power(__VA_ARGS__))
#define kt_linalg_matrix_power_out(...) (KT_AT kt_linalg_matrix_power_out(__VA_ARGS__))
#define kt_matrix_power(...) (KT_AT kt_matrix_power(__VA_ARGS__))
#define kt_matrix_power_out(...) (KT_AT kt_matrix_power_out(__VA_ARGS__))
#define kt_block_diag(...) (KT_AT kt_block_diag(__VA_ARGS__))
#define kt_cartesian_prod(...) (KT_AT kt_cartesian_prod(__VA_ARGS__))
#define kt_renorm(...) (KT_AT kt_renorm(__VA_ARGS__))
#define kt_renorm_(...) (KT_AT kt_renorm_(__VA_ARGS__))
#define kt_renorm_out(...) (KT_AT kt_renorm_out(__VA_ARGS__))
#define kt_copy(...) (KT_AT kt_copy(__VA_ARGS__))
#define kt_copy_(...) (KT_AT kt_copy_(__VA_ARGS__))
#define kt_fill(...) (KT_AT kt_fill(__VA_ARGS__))
#define kt_fill_(...) (KT_AT kt_fill_(__VA_ARGS__))
#define kt_fill_s(...) (KT_AT kt_fill_s(__VA_ARGS__))
#define kt_fill_s_(...) (KT_AT kt_fill_s_(__VA_ARGS__))
#define kt_zero(...) (KT_AT kt_zero(__VA_ARGS__))
#define kt_zero_(...) (KT_AT kt_zero_(__VA_ARGS__))
#define kt_resolve_conj(...) (KT_AT kt_resolve_conj(__VA_ARGS__))
#define kt_resolve_neg(...) (KT_AT kt_resolve_neg(__VA_ARGS__))
#define kt_select(...) (KT_AT kt_select(__VA_ARGS__))
#define kt_narrow(...) (KT_AT kt_narrow(__VA_ARGS__))
#define kt_narrow_tensor(...) (KT_AT kt_narrow_tensor(__VA_ARGS__))
#define kt_transpose(...) (KT_AT kt_transpose(__VA_ARGS__))
#define kt_t(...) (KT_AT kt_t(__VA_ARGS__))
#define kt_permute(...) (KT_AT kt_permute(__VA_ARGS__))
#define kt_expand_as(...) (KT_AT kt_expand_as(__VA_ARGS__))
#define kt_view(...) (KT_AT kt_view(__VA_ARGS__))
#define kt_reshape_alias(...) (KT_AT kt_reshape_alias(__VA_ARGS__))
#define kt_unsafe_view(...) (KT_AT kt_unsafe_view(__VA_ARGS__))
#define kt_view_dtype(...) (KT_AT kt_view_dtype(__VA_ARGS__))
#define kt_reshape(...) (KT_AT kt_reshape(__VA_ARGS__))
#define kt_squeeze(...) (KT_AT kt_squeeze(__VA_ARGS__))
#define kt_squeeze_dim(...) (KT_AT kt_squeeze_dim(__VA_ARGS__))
#define kt_unsafe_squeeze(...) (KT_AT kt_unsafe_squeeze(__VA_ARGS__))
#define kt_unsqueeze(...) (KT_AT kt_unsqueeze(__VA_ARGS__))
#define kt_unfold(...) (KT_AT kt_unfold(__VA_ARGS__))
#define kt_real(...) (KT_AT kt_real(__VA_ARGS__))
#define kt_imag(...) (KT_AT kt_imag(__VA_ARGS__))
#define kt_view_as_real(...) (KT_AT kt_view_as_real(__VA_ARGS__))
#define kt_view_as_complex(...) (KT_AT kt_view_as_complex(__VA_ARGS__))
#define kt_conj(...) (KT_AT kt_conj(__VA_ARGS__))
#define kt_conj_lazy(...) (KT_AT kt_conj_lazy(__VA_ARGS__))
#define kt_neg_view(...) (KT_AT kt_neg_view(__VA_ARGS__))
#define kt_detach(...) (KT_AT kt_detach(__VA_ARGS__))
#define kt_alias(...) (KT_AT kt_alias(__VA_ARGS__))
#define kt_movedim(...) (KT_AT kt_movedim(__VA_ARGS__))
#define kt_moveaxis(...) (KT_AT kt_moveaxis(__VA_ARGS__))
#define kt_swapaxes(...) (KT_AT kt_swapaxes(__VA_ARGS__))
#define kt_swapdims(...) (KT_AT kt_swapdims(__VA_ARGS__))
#define kt_unflatten(...) (KT_AT kt_unflatten(__VA_ARGS__))
#define kt_ravel(...) (KT_AT kt_ravel(__VA_ARGS__))
#define kt_view_as(...) (KT_AT kt_view_as(__VA_ARGS__))
#define kt_reshape_as(...) (KT_AT kt_reshape_as(__VA_ARGS__))
#define kt_broadcast_to(...) (KT_AT kt_broadcast_to(__VA_ARGS__))
#define kt_atleast_1d(...) (KT_AT kt_atleast_1d(__VA_ARGS__))
#define kt_atleast_2d(...) (KT_AT kt_atleast_2d(__VA_ARGS__))
#define kt_atleast_3d(...) (KT_AT kt_atleast_3d(__VA_ARGS__))
#define kt_adjoint(...) (KT_AT kt_adjoint(__VA_ARGS__))
#define kt_sum_to_size(...) (KT_AT kt_sum_to_size(__VA_ARGS__))
#define kt_broadcast_tensors(...) (KT_AT kt_broadcast_tensors(__VA_ARGS__))
#define kt_hstack(...) (KT_AT kt_hstack(__VA_ARGS__))
#define kt_hstack_out(...) (KT_AT kt_hstack_out(__VA_ARGS__))
#define kt_vstack(...) (KT_AT kt_vstack(__VA_ARGS__))
#define kt_vstack_out(...) (KT_AT kt_vstack_out(__VA_ARGS__))
#define kt_row_stack(...) (KT_AT kt_row_stack(__VA_ARGS__))
#define kt_row_stack_out(...) (KT_AT kt_row_stack_out(__VA_ARGS__))
#define kt_dstack(...) (KT_AT kt_dstack(__VA_ARGS__))
#define kt_dstack_out(...) (KT_AT kt_dstack_out(__VA_ARGS__))
#define kt_column_stack(...) (KT_AT kt_column_stack(__VA_ARGS__))
#define kt_column_stack_out(...) (KT_AT kt_column_stack_out(__VA_ARGS__))
#define kt_foreach_mul(...) (KT_AT kt_foreach_mul(__VA_ARGS__))
#define kt_foreach_mul_(...) (KT_AT kt_foreach_mul_(__VA_ARGS__))
#define kt_hsplit(...) (KT_AT kt_hsplit(__VA_ARGS__))
#define kt_hsplit_indices(...) (KT_AT kt_hsplit_indices(__VA_ARGS__))
#define kt_vsplit(...) (KT_AT kt_vsplit(__VA_ARGS__))
#define kt_vsplit_indices(...) (KT_AT kt_vsplit_indices(__VA_ARGS__))
#define kt_dsplit(...) (KT_AT kt_dsplit(__VA_ARGS__))
#define kt_dsplit_indices(...) (KT_AT kt_dsplit_indices(__VA_ARGS__))
#define kt_atleast_1d_list(...) (KT_AT kt_atleast_1d_list(__VA_ARGS__))
#define kt_atleast_2d_list(...) (KT_AT kt_atleast_2d_list(__VA_ARGS__))
#define kt_atleast_3d_list(...) (KT_AT kt_atleast_3d_list(__VA_ARGS__))
#define kt_flip(...) (KT_AT kt_flip(__VA_ARGS__))
#define kt_fliplr(...) (KT_AT kt_fliplr(__VA_ARGS__))
#define kt_flipud(...) (KT_AT kt_flipud(__VA_ARGS__))
#define kt_repeat(...) (KT_AT kt_repeat(__VA_ARGS__))
#define kt_tile(...) (KT_AT kt_tile(__VA_ARGS__))
#define kt_interleave(...) (KT_AT kt_interleave(__VA_ARGS__))
#define kt_alias_copy(...) (KT_AT kt_alias_copy(__VA_ARGS__))
#define kt_alias_copy_out(...) (KT_AT kt_alias_copy_out(__VA_ARGS__))
#define kt_detach_copy(...) (KT_AT kt_detach_copy(__VA_ARGS__))
#define kt_detach_copy_out(...) (KT_AT kt_detach_copy_out(__VA_ARGS__))
#define kt_permute_copy(...) (KT_AT kt_permute_copy(__VA_ARGS__))
#define kt_permute_copy_out(...) (KT_AT kt_permute_copy_out(__VA_ARGS__))
#define kt_select_copy(...) (KT_AT kt_select_copy(__VA_ARGS__))
#define kt_select_copy_out(...) (KT_AT kt_select_copy_out(__VA_ARGS__))
#define kt_squeeze_copy(...) (KT_AT kt_squeeze_copy(__VA_ARGS__))
#define kt_squeeze_copy_out(...) (KT_AT kt_squeeze_copy_out(__VA_ARGS__))
#define kt_squeeze_dim_copy(...) (KT_AT kt_squeeze_dim_copy(__VA_ARGS__))
#define kt_squeeze_dim_copy_out(...) (KT_AT kt_squeeze_dim_copy_out(__VA_ARGS__))
#define kt_t_copy(...) (KT_AT kt_t_copy(__VA_ARGS__))
#define kt_t_copy_out(...) (KT_AT kt_t_copy_out(__VA_ARGS__))
#define kt_transpose_copy(...) (KT_AT kt_transpose_copy(__VA_ARGS__))
#define kt_transpose_copy_out(...) (KT_AT kt_transpose_copy_out(__VA_ARGS__))
#define kt_unfold_copy(...) (KT_AT kt_unfold_copy(__VA_ARGS__))
#define kt_unfold_copy_out(...) (KT_AT kt_unfold_copy_out(__VA_ARGS__))
#define kt_unsqueeze_copy(...) (KT_AT kt_unsqueeze_copy(__VA_ARGS__))
#define kt_unsqueeze_copy_out(...) (KT_AT kt_unsqueeze_copy_out(__VA_ARGS__))
#define kt_view_copy(...) (KT_AT kt_view_copy(__VA_ARGS__))
#define kt_view_copy_out(...) (KT_AT kt_view_copy_out(__VA_ARGS__))
#define kt_view_dtype_copy(...) (KT_AT kt_view_dtype_copy(__VA_ARGS__))
#define kt_view_dtype_copy_out(...) (KT_AT kt_view_dtype_copy_out(__VA_ARGS__))
#define kt_view_as_real_copy(...) (KT_AT kt_view_as_real_copy(__VA_ARGS__))
#define kt_view_as_real_copy_out(...) (KT_AT kt_view_as_real_copy_out(__VA_ARGS__))
#define kt_view_as_complex_copy(...) (KT_AT kt_view_as_complex_copy(__VA_ARGS__))
#define kt_view_as_complex_copy_out(...) (KT_AT kt_view_as_complex_copy_out(__VA_ARGS__))
#define kt_narrow_copy(...) (KT_AT kt_narrow_copy(__VA_ARGS__))
#define kt_narrow_copy_out(...) (KT_AT kt_narrow_copy_out(__VA_ARGS__))
#define kt_select_scatter(...) (KT_AT kt_select_scatter(__VA_ARGS__))
#define kt_dropout(...) (KT_AT kt_dropout(__VA_ARGS__))
#define kt_dropout_(...) (KT_AT kt_dropout_(__VA_ARGS__))
#define kt_feature_dropout(...) (KT_AT kt_feature_dropout(__VA_ARGS__))
#define kt_feature_dropout_(...) (KT_AT kt_feature_dropout_(__VA_ARGS__))
#define kt_alpha_dropout(...) (KT_AT kt_alpha_dropout(__VA_ARGS__))
#define kt_alpha_dropout_(...) (KT_AT kt_alpha_dropout_(__VA_ARGS__))
#define kt_feature_alpha_dropout(...) (KT_AT kt_feature_alpha_dropout(__VA_ARGS__))
#define kt_feature_alpha_dropout_(...) (KT_AT kt_feature_alpha_dropout_(__VA_ARGS__))
#define kt_native_dropout(...) (KT_AT kt_native_dropout(__VA_ARGS__))
#define kt_index(...) (KT_AT kt_index(__VA_ARGS__))
#define kt_take(...) (KT_AT kt_take(__VA_ARGS__))
#define kt_take_out(...) (KT_AT kt_take_out(__VA_ARGS__))
#define kt_scatter(...) (KT_AT kt_scatter(__VA_ARGS__))
#define kt_scatter_(...) (KT_AT kt_scatter_(__VA_ARGS__))
#define kt_scatter_out(...) (KT_AT kt_scatter_out(__VA_ARGS__))
#define kt_scatter_value(...) (KT_AT kt_scatter_value(__VA_ARGS__))
#define kt_scatter_value_(...) (KT_AT kt_scatter_value_(__VA_ARGS__))
#define kt_scatter_value_out(...) (KT_AT kt_scatter_value_out(__VA_ARGS__))
#define kt_scatter_combine(...) (KT_AT kt_scatter_combine(__VA_ARGS__))
#define kt_scatter_combine_(...) (KT_AT kt_scatter_combine_(__VA_ARGS__))
#define kt_scatter_combine_out(...) (KT_AT kt_scatter_combine_out(__VA_ARGS__))
#define kt_scatter_value_combine(...) (KT_AT kt_scatter_value_combine(__VA_ARGS__))
#define kt_scatter_value_combine_(...) (KT_AT kt_scatter_value_combine_(__VA_ARGS__))
#define kt_scatter_value_combine_out(...) (KT_AT kt_scatter_value_combine_out(__VA_ARGS__))
#define kt_scatter_add(...) (KT_AT kt_scatter_add(__VA_ARGS__))
#define kt_scatter_add_(...) (KT_AT kt_scatter_add_(__VA_ARGS__))
#define kt_scatter_add_out(...) (KT_AT kt_scatter_add_out(__VA_ARGS__))
#define kt_index_select(...) (KT_AT kt_index_select(__VA_ARGS__))
#define kt_index_select_out(...) (KT_AT kt_index_select_out(__VA_ARGS__))
#define kt_index_copy(...) (KT_AT kt_index_copy(__VA_ARGS__))
#define kt_index_copy_(...) (KT_AT kt_index_copy_(__VA_ARGS__))
#define kt_index_copy_out(...) (KT_AT kt_index_copy_out(__VA_ARGS__))
#define kt_index_fill_tensor(...) (KT_AT kt_index_fill_tensor(__VA_ARGS__))
#define kt_index_fill_tensor_(...) (KT_AT kt_index_fill_tensor_(__VA_ARGS__))
#define kt_index_fill(...) (KT_AT kt_index_fill(__VA_ARGS__))
#define kt_index_fill_(...) (KT_AT kt_index_fill_(__VA_ARGS__))
#define kt_unravel_index(...) (KT_AT kt_unravel_index(__VA_ARGS__))
#define kt_masked_fill_tensor(...) (KT_AT kt_masked_fill_tensor(__VA_ARGS__))
#define kt_masked_fill_tensor_(...) (KT_AT kt_masked_fill_tensor_(__VA_ARGS__))
#define kt_masked_fill(...) (KT_AT kt_masked_fill(__VA_ARGS__))
#define kt_masked_fill_(...) (KT_AT kt_masked_fill_(__VA_ARGS__))
#define kt_masked_select(...) (KT_AT kt_masked_select(__VA_ARGS__))
#define kt_masked_select_out(...) (KT_AT kt_masked_select_out(__VA_ARGS__))
#define kt_masked_scatter(...) (KT_AT kt_masked_scatter(__VA_ARGS__))
#define kt_masked_scatter_(...) (KT_AT kt_masked_scatter_(__VA_ARGS__))
#define kt_nonzero(...) (KT_AT kt_nonzero(__VA_ARGS__))
#define kt_nonzero_out(...) (KT_AT kt_nonzero_out(__VA_ARGS__))
#define kt_argwhere(...) (KT_AT kt_argwhere(__VA_ARGS__))
#define kt_nonzero_numpy(...) (KT_AT kt_nonzero_numpy(__VA_ARGS__))
#define kt_where_self(...) (KT_AT kt_where_self(__VA_ARGS__))
#define kt_softmax_along(...) (KT_AT kt_softmax_along(__VA_ARGS__))
#define kt_log_softmax_along(...) (KT_AT kt_log_softmax_along(__VA_ARGS__))
#define kt_softmax_backward_data(...) (KT_AT kt_softmax_backward_data(__VA_ARGS__))
#define kt_log_softmax_backward_data(...) (KT_AT kt_log_softmax_backward_data(__VA_ARGS__))
#define kt_div_by_number(...) (KT_AT kt_div_by_number(__VA_ARGS__))
#define kt_div_by_number_s(...) (KT_AT kt_div_by_number_s(__VA_ARGS__))
#define kt_mul_by_number(...) (KT_AT kt_mul_by_number(__VA_ARGS__))
#define kt_mul_by_number_s(...) (KT_AT kt_mul_by_number_s(__VA_ARGS__))
#define kt_from(...) (KT_AT kt_from(__VA_ARGS__))
#define kt_wrap(...) (KT_AT kt_wrap(__VA_ARGS__))
#endif

KT_END
#endif
