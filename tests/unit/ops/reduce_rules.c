/* reduce_rules.c - what reductions refuse, in PyTorch's words, and which dtypes and shapes they give: dtype=, out=, no elements,
 * no dims; norms of matrices; cov and kin. Every line was asked of PyTorch 2.11. */
#include "harness.h"

#include <karat/karat.h>
#include <math.h>

#include "support/by_name.h"

#define S(...) KT_SHAPE(__VA_ARGS__)
#define REFUSES(expr, status, text) CHECK_FAILS(expr, KT_ERR_##status, text)

static kt_tensor *counting(kt_dtype dtype) /* 0 to 11 as 3 x 4 */
{
    return kt_reshape(kt_arange(KT_INT(0), KT_INT(12), .dtype = dtype), S(3, 4));
}
static kt_tensor *none(void) { return kt_zeros(S(0)); }
static kt_tensor *no_rows(void) { return kt_zeros(S(0, 4)); }
static kt_tensor *typed(kt_shape shape, kt_dtype dtype) { return kt_zeros(shape, .dtype = dtype); }
static kt_tensor *bools(void) { return kt_gt_s(counting(KT_I64), KT_INT(3)); }

/* dtype, rank and the first elements. */
static void holds(const char *what, kt_tensor *t, kt_dtype dtype, int rank, int n, const double *want)
{
    if (!CHECK_MSG(t != NULL && !kt_failed(), "%s: %s", what, kt_error())) {
        kt_clear();
        return;
    }
    CHECK_MSG(kt_dtype_of(t) == dtype, "%s: is %s", what, kt_dtype_name(kt_dtype_of(t)));
    CHECK_MSG(kt_ndim(t) == rank && kt_numel(t) >= n, "%s: has %d dims", what, (int)kt_ndim(t));
    for (int i = 0; i < n && i < kt_numel(t); i++) {
        const double got = tensor_at(t, i);
        CHECK_MSG((isnan(got) && isnan(want[i])) || got == want[i] || fabs(got - want[i]) <= 1e-5 * fabs(want[i]),
                  "%s, element %d: %.9g, expected %.9g", what, i, got, want[i]);
    }
}
#define HOLDS(t, dtype, rank, ...)                                                                                     \
    holds(#t, t, dtype, rank, (int)(sizeof((double[]){__VA_ARGS__}) / sizeof(double)), (double[]){__VA_ARGS__})

TEST(of_nothing)
{
    KT_SCOPE;
    static const char at_large[] = "(): Expected reduction dim to be specified for input.numel() == 0.";
    char              text[160];
    HOLDS(kt_sum(none()), KT_F32, 0, 0);
    HOLDS(kt_prod(none()), KT_F32, 0, 1);
    HOLDS(kt_mean(none()), KT_F32, 0, NAN);
    HOLDS(kt_nanmean(none()), KT_F32, 0, NAN);
    HOLDS(kt_var(none()), KT_F32, 0, NAN);
    HOLDS(kt_std_dim(no_rows(), S(0)), KT_F32, 1, NAN, NAN, NAN, NAN);
    HOLDS(kt_any(none()), KT_BOOL, 0, 0);
    HOLDS(kt_all(none()), KT_BOOL, 0, 1);
    HOLDS(kt_count_nonzero(none()), KT_I64, 0, 0);
    HOLDS(kt_logsumexp(no_rows(), S(0)), KT_F32, 1, -INFINITY, -INFINITY);
    HOLDS(kt_norm(none()), KT_F32, 0, 0);
    CHECK_EQ_INT(kt_numel(kt_max_dim(no_rows(), 1).indices), 0);
    CHECK_EQ_INT(kt_numel(kt_amax(no_rows(), .dim = S(1))), 0);
    CHECK_EQ_INT(kt_numel(kt_linalg_vector_norm(no_rows(), .ord = KT_FLOAT(-INFINITY), .dim = S(1))), 0);
    static const char *const named[] = {"max", "min", "amax", "amin"};
    for (int i = 0; i < 4; i++) {
        snprintf(text, sizeof text, "%s%s Specify the reduction dim with the 'dim' argument.", named[i], at_large);
        REFUSES(by_name(named[i], KT_PLAIN, NULL, "t", none()), RUNTIME, text);
    }
    REFUSES(kt_argmax(none()), INDEX, "argmax(): Expected reduction dim to be specified for input.numel() == 0.");
    REFUSES(kt_argmin(no_rows(), .dim = KT_SOME(0)), INDEX, "argmin(): Expected reduction dim 0 to have non-zero size.");
    REFUSES(kt_max_dim(no_rows(), 0), INDEX, "max(): Expected reduction dim 0 to have non-zero size.");
    REFUSES(kt_amin(kt_zeros(S(3, 0)), .dim = S(0, 1)), INDEX, "amin(): Expected reduction dim 1 to have non-zero size.");
    REFUSES(kt_aminmax(none()), RUNTIME,
            "aminmax(): cannot compute aminmax over an empty dimension as the operation has no identity.");
    REFUSES(kt_aminmax(no_rows(), .dim = KT_SOME(0)), INDEX, "aminmax: Expected reduction dim 0 to have non-zero size.");
    REFUSES(kt_norm(none(), .p = KT_FLOAT(INFINITY)), RUNTIME,
            "linalg.vector_norm cannot compute the inf norm on an empty tensor because the operation does not have an "
            "identity");
    REFUSES(kt_linalg_vector_norm(no_rows(), .ord = KT_INT(-1), .dim = S(0)), RUNTIME,
            "linalg.vector_norm cannot compute the -1 norm on the dimension 0because this dimension is empty and the "
            "operation does not have an identity");
}

TEST(dims)
{
    KT_SCOPE;
    kt_tensor *x = counting(KT_F32), *s = kt_full(KT_SCALAR, KT_FLOAT(3));
    int64_t    nothing[1];
    REFUSES(kt_mean_dim(x, S(2)), INDEX, "Dimension out of range (expected to be in range of [-2, 1], but got 2)");
    REFUSES(kt_argmax(x, .dim = KT_SOME(-3)), INDEX, "Dimension out of range (expected to be in range of [-2, 1], but got -3)");
    REFUSES(kt_max_dim(s, 1), INDEX, "Dimension out of range (expected to be in range of [-1, 0], but got 1)");
    REFUSES(kt_amax(x, .dim = S(0, -2)), RUNTIME, "dim 0 appears multiple times in the list of dims");
    REFUSES(kt_any_dims(x, .dim = S(1, 1)), RUNTIME, "dim 1 appears multiple times in the list of dims");
    HOLDS(kt_any_dims(x, .dim = {0, nothing}), KT_BOOL, 2, 0, 1, 1); /* an empty list folds nothing */
    HOLDS(kt_amax(x, .dim = {0, nothing}), KT_F32, 0, 11);           /* or everything */
    HOLDS(kt_nansum(x, .dim = {0, nothing}), KT_F32, 0, 66);
    HOLDS(kt_count_nonzero_dim(x, KT_SCALAR), KT_I64, 0, 11);
    HOLDS(kt_amax(x, .keepdim = true), KT_F32, 2, 11);
    HOLDS(kt_argmax(x, .keepdim = true), KT_I64, 2, 11);
    HOLDS(kt_var_correction(x, .keepdim = true), KT_F32, 2, 13);
    HOLDS(kt_max_dim(s, -1, .keepdim = true).indices, KT_I64, 0, 0);
    HOLDS(kt_var(s), KT_F32, 0, NAN);
    HOLDS(kt_var_correction(x, .dim = S(0), .correction = KT_INT(5)), KT_F32, 1, INFINITY);
    HOLDS(kt_var_correction(x, .dim = S(0), .correction = KT_FLOAT(1.5)), KT_F32, 1, 21.3333333);
    HOLDS(kt_logsumexp(kt_full(S(2), KT_FLOAT(-INFINITY)), S(0)), KT_F32, 0, -INFINITY);
}

TEST(dtypes)
{
    KT_SCOPE;
    kt_tensor *x = counting(KT_F32), *i = counting(KT_I64), *c = kt_to(x, .dtype = KT_C64);
    HOLDS(kt_prod_dim(i, 0, .dtype = KT_F16), KT_F16, 1, 0, 45, 120, 231);
    HOLDS(kt_sum_dim(kt_to(x, .dtype = KT_U32), S(0)), KT_I64, 1, 12, 15, 18, 21);
    HOLDS(kt_mean_dim(i, S(0), .dtype = KT_F64), KT_F64, 1, 4, 5, 6, 7);
    HOLDS(kt_var_dim(c, S(0)), KT_F32, 1, 16, 16, 16, 16);
    HOLDS(kt_var_mean_dim(c, S(0)).result_mean, KT_C64, 1, 4, 5, 6, 7);
    HOLDS(kt_norm(c, .dtype = KT_C128), KT_F64, 0, 22.494443758403985);
    HOLDS(kt_any(kt_to(x, .dtype = KT_U8)), KT_U8, 0, 1);
    HOLDS(kt_all_dim(kt_to(x, .dtype = KT_U8), 0), KT_U8, 1, 0, 1, 1, 1);
    HOLDS(kt_max_dim(bools(), 0).values, KT_BOOL, 1, 1, 1, 1, 1);
    HOLDS(kt_max_dim(bools(), 0).indices, KT_I64, 1, 1, 1, 1, 1);
    HOLDS(kt_logsumexp(i, S(0)), KT_F32, 1, 8.01847930, 9.01847930);
    HOLDS(kt_max_other(x, i), KT_F32, 2, 0, 1, 2);
    HOLDS(kt_dist(x, kt_to(kt_add_s(x, KT_INT(1)), .dtype = KT_F64), .p = KT_INT(1)), KT_F64, 0, 12);
    REFUSES(kt_mean(i), RUNTIME,
            "mean(): could not infer output dtype. Input dtype must be either a floating point or complex dtype. Got: Long");
    REFUSES(kt_mean_dim(x, S(0), .dtype = KT_I32), RUNTIME,
            "mean(): could not infer output dtype. Optional dtype must be either a floating point or complex dtype. Got: Int");
    REFUSES(kt_nanmean(i, .dtype = KT_F32), RUNTIME,
            "nanmean(): expected input to have floating point or complex dtype but got Long");
    REFUSES(kt_nansum(c), RUNTIME, "nansum on CPU does not support complex inputs");
    REFUSES(kt_std_dim(i, S(0)), RUNTIME, "std and var only support floating point and complex dtypes");
    REFUSES(kt_std_mean(i), RUNTIME, "std_mean only support floating point and complex dtypes");
    REFUSES(kt_argmin(bools()), RUNTIME, "argmin(): does not support bool input");
    REFUSES(kt_min_dim(c, 0), RUNTIME, "min(): does not support complex input");
    REFUSES(kt_max_other(c, c), RUNTIME, "maximum not implemented for complex tensors.");
    REFUSES(kt_max(c), NOT_IMPLEMENTED, "\"max_all\" not implemented for 'ComplexFloat'");
    REFUSES(kt_norm(i, .dtype = KT_F32), RUNTIME,
            "linalg.vector_norm: Expected a floating point or complex tensor as input. Got Long");
    REFUSES(kt_norm(x, .dtype = KT_I64), RUNTIME, "linalg.vector_norm: dtype should be floating point or complex, but got Long");
    REFUSES(kt_norm(c, .dtype = KT_F32), RUNTIME,
            "linalg.vector_norm: dtype should be complex for complex inputs, but got Float");
    REFUSES(kt_norm(x, .dtype = KT_C64), RUNTIME,
            "linalg.vector_norm: dtype should be real for real inputs, but got ComplexFloat");
    REFUSES(kt_norm(kt_to(x, .dtype = KT_F64), .dtype = KT_F32), RUNTIME,
            "linalg.vector_norm: the dtype of the input (Double) should be convertible without narrowing to the specified "
            "dtype (Float)");
    REFUSES(kt_norm(x, .p = KT_COMPLEX(0, 1)), RUNTIME,
            "linalg.vector_norm: Expected a non-complex scalar as the order of norm.");
    REFUSES(kt_dist(i, i), RUNTIME, "norm(): input dtype should be either floating point or complex. Got Long instead.");
}

TEST(into_a_buffer)
{
    KT_SCOPE;
    kt_tensor *x = counting(KT_F32), *x64 = counting(KT_F64), *i = counting(KT_I64);
    HOLDS(kt_prod_dim_out(typed(S(4), KT_I64), x, 0), KT_I64, 1, 0, 45, 120, 231);
    HOLDS(kt_mean_dim_out(typed(S(0), KT_F64), x, S(0)), KT_F64, 1, 4, 5, 6, 7); /* resized */
    HOLDS(kt_std_dim_out(typed(S(4), KT_F32), x64, S(0)), KT_F32, 1, 4, 4, 4, 4);
    HOLDS(kt_var_dim_out(typed(S(4), KT_C64), kt_to(x, .dtype = KT_C64), S(0)), KT_C64, 1, 16, 16);
    HOLDS(kt_any_dim_out(typed(S(4), KT_U8), x, 0), KT_U8, 1, 1, 1, 1, 1);
    HOLDS(kt_any_dim_out(typed(S(4), KT_BOOL), kt_to(x, .dtype = KT_U8), 0), KT_BOOL, 1, 1, 1, 1, 1);
    HOLDS(kt_logsumexp_out(typed(S(4), KT_F64), x, S(0)), KT_F64, 1, 8.01847930);
    HOLDS(kt_max_out(typed(KT_SCALAR, KT_F64), x), KT_F64, 0, 11);
    kt_tensor *values = typed(S(4), KT_F32), *indices = typed(S(0), KT_I64);
    kt_max_dim_results both = kt_max_dim_out(values, indices, x, 0);
    CHECK(both.values == values && both.indices == indices);
    HOLDS(values, KT_F32, 1, 8, 9, 10, 11);
    HOLDS(indices, KT_I64, 1, 2, 2, 2, 2);
    REFUSES(kt_prod_dim_out(typed(S(4), KT_F32), x, 0, .dtype = KT_F64), RUNTIME,
            "Expected out tensor to have dtype double, but got float instead");
    REFUSES(kt_nansum_out(typed(S(4), KT_F32), x, .dim = S(0), .dtype = KT_F64), RUNTIME,
            "nansum: provided dtype must match dtype of result. Got Float and Double.");
    REFUSES(kt_mean_dim_out(typed(S(4), KT_I64), x, S(0)), RUNTIME,
            "result type Float can't be cast to the desired output type Long");
    REFUSES(kt_mean_dim_out(typed(S(4), KT_F32), i, S(0)), RUNTIME, "mean(): could not infer output dtype. Input dtype");
    REFUSES(kt_amax_out(typed(S(4), KT_F64), x, .dim = S(0)), RUNTIME,
            "Expected the dtype for input and out to match, but got Float for input's dtype and Double for out's dtype.");
    REFUSES(kt_max_dim_out(typed(S(4), KT_F64), indices, x, 0), RUNTIME,
            "Expected out tensor to have dtype float, but got double instead");
    REFUSES(kt_max_dim_out(values, typed(S(4), KT_I32), x, 0), RUNTIME,
            "Expected out tensor to have dtype long int, but got int instead");
    REFUSES(kt_max_out(typed(KT_SCALAR, KT_I64), x), RUNTIME, "Expected canCast( typeMetaToScalarType(self.dtype()), ");
    REFUSES(kt_argmax_out(typed(S(4), KT_F32), x, .dim = KT_SOME(0)), RUNTIME,
            "Expected out tensor to have dtype long int, but got float instead");
    REFUSES(kt_aminmax_out(typed(S(4), KT_F32), typed(S(4), KT_F64), x, .dim = KT_SOME(0)), RUNTIME,
            "Expected out tensor to have dtype float, but got double instead");
    REFUSES(kt_all_out(typed(KT_SCALAR, KT_I64), x), RUNTIME, "all only supports bool tensor for result, got: Long");
    REFUSES(kt_logsumexp_out(typed(S(4), KT_I64), i, S(0)), RUNTIME,
            "logsumexp(): Expected floating point type for result tensor, but got: Long");
    REFUSES(kt_linalg_vector_norm_out(typed(S(4), KT_F64), x, .dim = S(0)), RUNTIME,
            "Expected out tensor to have dtype float, but got double instead");
    REFUSES(kt_linalg_matrix_norm_out(typed(KT_SCALAR, KT_F64), x, KT_INT(1)), RUNTIME,
            "linalg.matrix_norm expected out tensor dtype Float but got: Double");
    HOLDS(kt_linalg_norm_out(typed(S(7), KT_F32), x), KT_F32, 0, 22.4944438);
    kt_set_requires_grad(x, true);
    kt_tensor *norm = typed(KT_SCALAR, KT_F32); /* made, then copied there: the copy is recorded */
    HOLDS(kt_linalg_norm_out(norm, x), KT_F32, 0, 22.4944438);
    CHECK(kt_requires_grad(norm) && strcmp(kt_grad_fn_name(norm), "CopyBackwards") == 0);
    REFUSES(kt_norm_out(typed(KT_SCALAR, KT_F32), x), RUNTIME, "linalg_vector_norm(): functions with out=... arguments");
    REFUSES(kt_max_dim_out(values, indices, x, 0), RUNTIME, "max(): functions with out=... arguments");
}

TEST(matrix_norms)
{
    KT_SCOPE;
    kt_tensor *x = counting(KT_F32), *cube = kt_reshape(x, S(3, 2, 2));
    HOLDS(kt_linalg_matrix_norm(x, KT_INT(1)), KT_F32, 0, 21);
    HOLDS(kt_linalg_matrix_norm(x, KT_INT(-1)), KT_F32, 0, 12);
    HOLDS(kt_linalg_matrix_norm(x, KT_FLOAT(INFINITY)), KT_F32, 0, 38);
    HOLDS(kt_linalg_matrix_norm(x, KT_FLOAT(-INFINITY), .keepdim = true), KT_F32, 2, 6);
    HOLDS(kt_linalg_matrix_norm(x, KT_INT(1), .dim = S(1, 0)), KT_F32, 0, 38);
    HOLDS(kt_linalg_matrix_norm(cube, KT_INT(1)), KT_F32, 1, 4, 12, 20);
    HOLDS(kt_linalg_matrix_norm(cube, KT_INT(1), .dim = S(0, 2)), KT_F32, 1, 15, 21);
    HOLDS(kt_linalg_matrix_norm(kt_zeros(S(0, 4)), KT_FLOAT(INFINITY)), KT_F32, 0, 0);
    HOLDS(kt_linalg_matrix_norm_str(x, .dtype = KT_F64), KT_F64, 0, 22.494443758403985);
    HOLDS(kt_linalg_norm(x, .ord = KT_INT(1), .dim = S(0)), KT_F32, 1, 12, 15, 18, 21);
    HOLDS(kt_linalg_norm(x, .ord = KT_INT(1)), KT_F32, 0, 21);
    HOLDS(kt_linalg_norm(cube), KT_F32, 0, 22.4944438);
    HOLDS(kt_linalg_norm_str(x, "fro", .keepdim = true), KT_F32, 2, 22.4944438);
    HOLDS(kt_norm_str(x, "fro", .dim = S(0)), KT_F32, 1, 8.94427204);
    HOLDS(kt_frobenius_norm(x, S(0, 1)), KT_F32, 0, 22.4944438);
    REFUSES(kt_linalg_matrix_norm(x, KT_INT(3)), RUNTIME, "linalg.matrix_norm: Order 3 not supported.");
    REFUSES(kt_linalg_matrix_norm(x, KT_FLOAT(1.5)), RUNTIME, "linalg.matrix_norm: Order 1.5 not supported.");
    REFUSES(kt_linalg_matrix_norm(x, KT_COMPLEX(0, 1)), RUNTIME,
            "linalg.matrix_norm: Expected a non-complex scalar as the order of norm.");
    kt_tensor *two = kt_mul_s(kt_eye(3), KT_INT(2)); /* its singular values: 2, 2, 2 */
    HOLDS(kt_linalg_matrix_norm(two, KT_INT(2)), KT_F32, 0, 2);
    HOLDS(kt_linalg_matrix_norm(two, KT_INT(-2), .keepdim = true), KT_F32, 2, 2);
    HOLDS(kt_norm_str(two, "nuc"), KT_F32, 0, 6);
    REFUSES(kt_norm_str(x, "bad"), RUNTIME, "linalg.matrix_norm: Order bad not supported.");
    REFUSES(kt_linalg_matrix_norm_str(counting(KT_I64)), RUNTIME,
            "linalg.matrix_norm: Expected a floating point or complex tensor as input. Got Long");
    REFUSES(kt_linalg_matrix_norm(counting(KT_F64), KT_INT(1), .dtype = KT_F32), RUNTIME,
            "linalg.matrix_norm: the dtype of the input (Double) should be convertible without narrowing to the specified "
            "dtype (Float)");
    REFUSES(kt_linalg_matrix_norm(kt_select(x, 0, 0), KT_INT(1)), RUNTIME,
            "linalg.matrix_norm: The input tensor A must have at least 2 dimensions.");
    REFUSES(kt_linalg_matrix_norm(x, KT_INT(1), .dim = S(0, 0)), RUNTIME,
            "linalg.matrix_norm: dims must be different. Got (0, 0)");
    REFUSES(kt_linalg_matrix_norm(x, KT_INT(1), .dim = S(0)), RUNTIME, "linalg.matrix_norm: dim must be a 2-tuple. Got 0");
    REFUSES(kt_linalg_norm(cube, .ord = KT_INT(1)), RUNTIME,
            "linalg.norm: If dim is not specified but ord is, the input must be 1D or 2D. Got 3D.");
    REFUSES(kt_linalg_norm(x, .dim = S(0, 1, 2)), RUNTIME,
            "linalg.norm: If dim is specified, it must be of length 1 or 2. Got [0, 1, 2]");
}

TEST(statistics)
{
    KT_SCOPE;
    kt_tensor *x = kt_from((float[]){1, 2, 4, 3, 1, 5}, S(2, 3), KT_F32);
    HOLDS(kt_trace(counting(KT_I32)), KT_I64, 0, 15);
    HOLDS(kt_cov(x), KT_F32, 2, 2.33333333, 2.0, 2.0, 4.0);
    HOLDS(kt_cov(x, .correction = KT_SOME(0)), KT_F32, 2, 1.55555555, 1.33333333);
    HOLDS(kt_cov(x, .fweights = kt_from((int64_t[]){1, 2, 1}, S(3), KT_I64)), KT_F32, 2, 1.58333333, 1.5, 1.5, 3.66666667);
    HOLDS(kt_cov(x, .aweights = kt_from((float[]){1, 2, 1}, S(3), KT_F32)), KT_F32, 2, 1.9, 1.8, 1.8, 4.4);
    HOLDS(kt_cov(kt_select(x, 0, 0)), KT_F32, 0, 2.33333333);
    HOLDS(kt_corrcoef(x), KT_F32, 2, 1, 0.65465367, 0.65465367, 1);
    HOLDS(kt_corrcoef(kt_select(x, 0, 0)), KT_F32, 0, 1);
    HOLDS(kt_sum_to_size(counting(KT_F32), S(1, 4)), KT_F32, 2, 12, 15, 18, 21);
    HOLDS(kt_sum_to_size(counting(KT_F32), S(4)), KT_F32, 1, 12, 15, 18, 21);
    HOLDS(kt_sum_to_size(counting(KT_F32), KT_SCALAR), KT_F32, 0, 66);
    REFUSES(kt_sum_to_size(counting(KT_F32), S(2, 4)), RUNTIME, "size {[2, 4]} is not expandable to size {[3, 4]}.");
    REFUSES(kt_trace(kt_select(x, 0, 0)), RUNTIME, "trace: expected a matrix, but got tensor with dim 1");
    REFUSES(kt_cov(bools()), RUNTIME, "cov(): bool dtype is not supported for input");
    REFUSES(kt_corrcoef(kt_zeros(S(2, 2, 2))), RUNTIME,
            "corrcoef(): expected input to have two or fewer dimensions but got an input with 3 dimensions");
    REFUSES(kt_cov(x, .fweights = kt_from((float[]){1, 2, 1}, S(3), KT_F32)), RUNTIME,
            "cov(): expected fweights to have integral dtype but got fweights with Float dtype");
    REFUSES(kt_cov(x, .fweights = kt_from((int64_t[]){1, 2}, S(2), KT_I64)), RUNTIME,
            "cov(): expected fweights to have the same numel as there are observations in the input but got 2 != 3");
}
