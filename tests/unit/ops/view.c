/* view.c - operators that share storage: geometry, refusals in PyTorch's words, values read through them and written
 * through them, lazily conjugated and negated tensors, up to 64 dims. */
#include "harness.h"

#include <karat/karat.h>

#include "support/by_name.h"

static kt_tensor *counting(kt_shape shape) /* 0, 1, 2, ... */
{
    double  values[64];
    int64_t n = 1;
    for (int64_t i = 0; i < shape.n; i++)
        n *= shape.d[i];
    for (int64_t i = 0; i < n; i++)
        values[i] = (double)i;
    return tensor_of(KT_F32, shape, values);
}
static kt_tensor *block(void) { return counting(KT_SHAPE(2, 3, 4)); }
static kt_tensor *number(void) { return kt_scalar_tensor(KT_FLOAT(1)); }
static kt_tensor *ones(kt_shape shape) { return kt_ones(shape); }
static kt_tensor *phasors(void) /* 0 + 10i, 1 + 11i, ... */
{
    return kt_from((float[]){0, 10, 1, 11, 2, 12, 3, 13}, KT_SHAPE(4), KT_C64);
}

static void geometry(kt_tensor *t, kt_shape sizes, kt_shape strides, int64_t offset, int line)
{
    if (!test_check(t && !kt_failed(), __FILE__, line, "made: %s", kt_error()))
        return kt_clear();
    bool same = kt_ndim(t) == sizes.n && kt_storage_offset(t) == offset;
    for (int64_t i = 0; same && i < sizes.n; i++)
        same = kt_size(t, i) == sizes.d[i] && kt_stride(t, i) == strides.d[i];
    char *text = same ? NULL : kt_to_string(t);
    test_check(same, __FILE__, line, "geometry: %d dims, first size %d stride %d, offset %d: %s", (int)kt_ndim(t),
               kt_ndim(t) ? (int)kt_size(t, 0) : 0, kt_ndim(t) ? (int)kt_stride(t, 0) : 0, (int)kt_storage_offset(t),
               text);
    kt_free_string(text);
}
#define IS(expr, sizes, strides, offset) geometry((expr), sizes, strides, (offset), __LINE__)
#define S                                KT_SHAPE

/* The first line, whole. */
static void refusal(kt_status want, const char *text, int line)
{
    test_check(kt_error_status() == want && strcmp(error_line(), text) == 0, __FILE__, line,
               "status %d, wanted %d and \"%s\"", (int)kt_error_status(), (int)want, text);
    kt_clear();
}
#define REFUSES(expr, status, text) ((void)(expr), refusal(KT_ERR_##status, text, __LINE__))
#define OUT_OF_RANGE(low, high, got)                                                                                   \
    "Dimension out of range (expected to be in range of [" #low ", " #high "], but got " #got ")"

/* ---- geometry ---- */
TEST(select_slice_narrow)
{
    KT_SCOPE;
    kt_tensor *a = block();
    IS(kt_select(a, -1, -1), S(2, 3), S(12, 4), 3);
    IS(kt_select(a, 0, 1), S(3, 4), S(4, 1), 12);
    IS(kt_slice(a, .dim = 2, .start = KT_SOME(1), .end = KT_SOME(100), .step = KT_SOME(2)), S(2, 3, 2), S(12, 4, 2), 1);
    IS(kt_slice(a, .dim = 2, .start = KT_SOME(3), .end = KT_SOME(1)), S(2, 3, 0), S(12, 4, 1), 3);
    IS(kt_slice(a, .dim = 1, .start = KT_SOME(-2), .end = KT_SOME(-1)), S(2, 1, 4), S(12, 4, 1), 4);
    IS(kt_slice(a, .dim = 1, .start = KT_SOME(10), .end = KT_SOME(20)), S(2, 0, 4), S(12, 4, 1), 12);
    IS(kt_slice(a), S(2, 3, 4), S(12, 4, 1), 0);
    IS(kt_narrow(a, 1, 1, 2), S(2, 2, 4), S(12, 4, 1), 4);
    IS(kt_narrow(a, 1, -2, 2), S(2, 2, 4), S(12, 4, 1), 4);
    REFUSES(kt_select(a, 3, 0), INDEX, OUT_OF_RANGE(-3, 2, 3));
    REFUSES(kt_select(a, 1, 3), INDEX, "select(): index 3 out of range for tensor of size [2, 3, 4] at dimension 1");
    REFUSES(kt_select(a, 1, -4), INDEX, "select(): index -4 out of range for tensor of size [2, 3, 4] at dimension 1");
    REFUSES(kt_select(number(), 0, 0), INDEX, "select() cannot be applied to a 0-dim tensor.");
    REFUSES(kt_slice(a, .dim = 1, .step = KT_SOME(0)), RUNTIME, "slice step must be positive");
    REFUSES(kt_slice(a, .dim = 1, .step = KT_SOME(-1)), RUNTIME, "slice step must be positive");
    REFUSES(kt_slice(number()), INDEX, "slice() cannot be applied to a 0-dim tensor.");
    REFUSES(kt_slice(a, .dim = 5), INDEX, OUT_OF_RANGE(-3, 2, 5));
    REFUSES(kt_narrow(a, 1, 1, 3), RUNTIME, "start (1) + length (3) exceeds dimension size (3).");
    REFUSES(kt_narrow(a, 1, 1, -1), RUNTIME, "narrow(): length must be non-negative.");
    REFUSES(kt_narrow(a, 1, 4, 0), INDEX, "start out of range (expected to be in range of [-3, 3], but got 4)");
    REFUSES(kt_narrow(number(), 0, 0, 1), RUNTIME, "narrow() cannot be applied to a 0-dim tensor.");
}

TEST(transpose_permute)
{
    KT_SCOPE;
    kt_tensor *a = block();
    IS(kt_transpose(a, 0, -1), S(4, 3, 2), S(1, 4, 12), 0);
    IS(kt_transpose(number(), 0, -1), KT_SCALAR, KT_SCALAR, 0);
    IS(kt_t(kt_select(a, 0, 1)), S(4, 3), S(1, 4), 12);
    IS(kt_t(ones(S(4))), S(4), S(1), 0);
    IS(kt_permute(a, S(2, 0, -2)), S(4, 2, 3), S(1, 12, 4), 0);
    REFUSES(kt_transpose(a, 0, 3), INDEX, OUT_OF_RANGE(-3, 2, 3));
    REFUSES(kt_t(a), RUNTIME, "t() expects a tensor with <= 2 dimensions, but self is 3D");
    REFUSES(kt_permute(a, S(0, 1)), RUNTIME,
            "permute(sparse_coo): number of dimensions in the tensor input does not match the length of the desired "
            "ordering of "
            "dimensions i.e. input.dim() = 3 is not equal to len(dims) = 2");
    REFUSES(kt_permute(a, S(0, 1, 1)), RUNTIME, "permute(): duplicate dims are not allowed.");
    REFUSES(kt_permute(a, S(0, 1, 3)), INDEX, OUT_OF_RANGE(-3, 2, 3));
}

TEST(expand)
{
    KT_SCOPE;
    kt_tensor *a = block();
    IS(kt_expand(ones(S(3, 1)), S(2, 3, 4)), S(2, 3, 4), S(0, 1, 0), 0);
    IS(kt_expand(ones(S(3, 1)), S(2, -1, 4)), S(2, 3, 4), S(0, 1, 0), 0);
    IS(kt_expand(ones(S(1, 3)), S(0, 3)), S(0, 3), S(0, 1), 0);
    IS(kt_expand_as(ones(S(4)), a), S(2, 3, 4), S(0, 0, 1), 0);
    REFUSES(kt_expand(a, S(2, 3, 5)), RUNTIME,
            "The expanded size of the tensor (5) must match the existing size (4) at non-singleton dimension 2.  "
            "Target sizes: [2, "
            "3, 5].  Tensor sizes: [2, 3, 4]");
    REFUSES(kt_expand(a, S(3, 4)), RUNTIME,
            "expand(torch.FloatTensor{[2, 3, 4]}, size=[3, 4]): the number of sizes provided (2) must be greater or "
            "equal to the "
            "number of dimensions in the tensor (3)");
    REFUSES(kt_expand(ones(S(3)), S(-1, 3)), RUNTIME,
            "The expanded size of the tensor (-1) isn't allowed in a leading, non-existing dimension 0");
    REFUSES(kt_expand(ones(S(3)), S(-2)), RUNTIME,
            "The expanded size of the tensor (-2) must match the existing size (3) at non-singleton dimension 0.  "
            "Target sizes: "
            "[-2].  Tensor sizes: [3]");
}

TEST(view_reshape_flatten)
{
    KT_SCOPE;
    kt_tensor *a = block();
    IS(kt_view(a, S(6, -1)), S(6, 4), S(4, 1), 0);
    IS(kt_view(kt_permute(a, S(1, 2, 0)), S(3, 2, 2, 2)), S(3, 2, 2, 2), S(4, 2, 1, 12), 0);
    IS(kt_view(ones(S(0, 3)), S(3, -1)), S(3, 0), S(1, 1), 0);
    IS(kt_view(ones(S(1)), KT_SCALAR), KT_SCALAR, KT_SCALAR, 0);
    IS(kt_reshape(kt_transpose(a, 0, 1), S(6, 4)), S(6, 4), S(4, 1), 0);
    IS(kt_flatten(a), S(24), S(1), 0);
    IS(kt_flatten(a, .start_dim = 1, .end_dim = KT_SOME(2)), S(2, 12), S(12, 1), 0);
    IS(kt_flatten(a, .start_dim = 1, .end_dim = KT_SOME(1)), S(2, 3, 4), S(12, 4, 1), 0);
    IS(kt_flatten(number()), S(1), S(1), 0);
    CHECK(kt_shares_storage(kt_reshape(a, S(24)), a));
    CHECK(kt_shares_storage(kt_flatten(a), a));
    CHECK(!kt_shares_storage(kt_reshape(kt_transpose(a, 0, 1), S(24)), a));
    REFUSES(kt_view(a, S(5, 5)), RUNTIME, "shape '[5, 5]' is invalid for input of size 24");
    REFUSES(kt_view(a, S(-1, -1)), RUNTIME, "only one dimension can be inferred");
    REFUSES(kt_view(a, S(5, -1)), RUNTIME, "shape '[5, -1]' is invalid for input of size 24");
    REFUSES(kt_view(kt_transpose(a, 0, 1), S(24)), RUNTIME,
            "view size is not compatible with input tensor's size and stride (at least one dimension spans across two "
            "contiguous "
            "subspaces). Use .reshape(...) instead.");
    REFUSES(kt_view(a, S(-2, 12)), RUNTIME, "invalid shape dimension -2 at index 0 of shape [-2, 12]");
    REFUSES(kt_view(ones(S(0, 3)), S(-1, 0)), RUNTIME,
            "cannot reshape tensor of 0 elements into shape [-1, 0] because the unspecified dimension size -1 can be "
            "any value and "
            "is ambiguous");
    REFUSES(kt_reshape(a, S(7)), RUNTIME, "shape '[7]' is invalid for input of size 24");
    REFUSES(kt_flatten(a, .start_dim = 2, .end_dim = KT_SOME(1)), RUNTIME,
            "flatten() has invalid args: start_dim cannot come after end_dim");
    REFUSES(kt_flatten(a, .end_dim = KT_SOME(3)), INDEX, OUT_OF_RANGE(-3, 2, 3));
}

TEST(view_dtype)
{
    KT_SCOPE;
    kt_tensor *a = block();
    IS(kt_view_dtype(a, KT_I16), S(2, 3, 8), S(24, 8, 1), 0);
    IS(kt_view_dtype(a, KT_F64), S(2, 3, 2), S(6, 2, 1), 0);
    IS(kt_view_dtype(kt_slice(ones(S(2, 6)), .dim = 1, .step = KT_SOME(2)), KT_I32), S(2, 3), S(6, 2), 0);
    IS(kt_view_dtype(number(), KT_I32), KT_SCALAR, KT_SCALAR, 0);
    IS(kt_view_dtype(ones(S(2, 2)), KT_C64), S(2, 1), S(1, 1), 0);
    IS(kt_view_dtype(kt_permute(a, S(2, 0, 1)), KT_I32), S(4, 2, 3), S(1, 12, 4), 0);
    REFUSES(kt_view_dtype(ones(S(3)), KT_F64), RUNTIME,
            "self.size(-1) must be divisible by 2 to view Float as Double (different element sizes), but got 3");
    REFUSES(kt_view_dtype(number(), KT_I16), RUNTIME,
            "self.dim() cannot be 0 to view Float as Short (different element sizes)");
    REFUSES(
        kt_view_dtype(kt_narrow(ones(S(6)), 0, 1, 4), KT_F64), RUNTIME,
        "self.storage_offset() must be divisible by 2 to view Float as Double (different element sizes), but got 1");
    REFUSES(kt_view_dtype(kt_narrow(ones(S(2, 3)), 1, 0, 2), KT_F64), RUNTIME,
            "self.stride(0) must be divisible by 2 to view Float as Double (different element sizes), but got 3");
    REFUSES(kt_view_dtype(kt_conj(phasors()), KT_F32), RUNTIME,
            "torch.Tensor.view is not supported for conjugate view tensors when converting to a different dtype.");
    REFUSES(kt_view_dtype(kt_permute(a, S(2, 0, 1)), KT_I16), RUNTIME,
            "self.stride(-1) must be 1 to view Float as Short (different element sizes), but got 4");
    int32_t bits[24];
    CHECK_EQ_INT(kt_read(kt_view_dtype(a, KT_I32), bits, sizeof bits), KT_OK);
    CHECK_EQ_INT(bits[1], 0x3f800000); /* 1.0f */
    kt_fill_s_(kt_view_dtype(a, KT_I32), KT_INT(0x40000000));
    CHECK_NEAR(tensor_at(a, 5), 2.0, 0);
}

TEST(unfold_diagonal_as_strided)
{
    KT_SCOPE;
    kt_tensor *a = block();
    IS(kt_unfold(a, 2, 2, 1), S(2, 3, 3, 2), S(12, 4, 1, 1), 0);
    IS(kt_unfold(a, 1, 2, 1), S(2, 2, 4, 2), S(12, 4, 1, 4), 0);
    IS(kt_unfold(number(), 0, 1, 1), S(1), S(1), 0);
    IS(kt_diagonal(a, .offset = 1, .dim1 = 1, .dim2 = KT_SOME(2)), S(2, 3), S(12, 5), 1);
    IS(kt_diagonal(a, .offset = 10), S(4, 0), S(1, 16), 0);
    IS(kt_diagonal(a, .offset = -1), S(4, 1), S(1, 16), 12);
    IS(kt_diagonal(a, .offset = 1, .dim1 = 2, .dim2 = KT_SOME(0)), S(3, 1), S(4, 13), 12);
    IS(kt_as_strided(a, S(2, 2), S(1, 2), .storage_offset = KT_SOME(3)), S(2, 2), S(1, 2), 3);
    IS(kt_as_strided(kt_select(a, 0, 1), S(2), S(1)), S(2), S(1), 12);
    REFUSES(kt_unfold(a, 2, 5, 1), RUNTIME, "maximum size for tensor at dimension 2 is 4 but size is 5");
    REFUSES(kt_unfold(a, 2, 2, 0), RUNTIME, "step is 0 but must be > 0");
    REFUSES(kt_unfold(a, 2, -1, 1), RUNTIME, "size is -1 but must be >= 0");
    REFUSES(kt_unfold(number(), 0, 2, 1), RUNTIME, "maximum size for tensor at dimension 0 is 1 but size is 2");
    REFUSES(kt_unfold(a, 3, 1, 1), INDEX, OUT_OF_RANGE(-3, 2, 3));
    REFUSES(kt_diagonal(a, .dim1 = 1, .dim2 = KT_SOME(1)), RUNTIME, "diagonal dimensions cannot be identical 1, 1");
    REFUSES(kt_diagonal(ones(S(3))), INDEX, OUT_OF_RANGE(-1, 0, 1));
    REFUSES(kt_as_strided(a, S(5, 5), S(5, 1)), RUNTIME,
            "setStorage: sizes [5, 5], strides [5, 1], storage offset 0, and itemsize 4 requiring a storage size of "
            "100 are out of "
            "bounds for storage of size 96");
    REFUSES(kt_as_strided(a, S(2, 2), S(1, 1), .storage_offset = KT_SOME(30)), RUNTIME,
            "setStorage: sizes [2, 2], strides [1, 1], storage offset 30, and itemsize 4 requiring a storage size of "
            "132 are out of "
            "bounds for storage of size 96");
    REFUSES(kt_as_strided(a, S(2, 2), S(-1, 1)), RUNTIME,
            "as_strided: Negative strides are not supported at the moment, got strides: [-1, 1]");
    REFUSES(kt_as_strided(a, S(2, 2), S(1)), RUNTIME, "mismatch in length of strides and shape");
    REFUSES(kt_as_strided(a, S(2), S(1), .storage_offset = KT_SOME(-1)), RUNTIME, "Tensor: invalid storage offset -1");
    REFUSES(kt_as_strided(a, S(-1), S(1)), RUNTIME,
            "Storage size calculation overflowed with sizes=[-1] and strides=[1]");
    CHECK(kt_as_strided(a, S(INT64_C(1) << 40, INT64_C(1) << 40), S(1, 1)) == NULL);
    kt_clear();
    CHECK(kt_as_strided(a, S(2), S(INT64_MAX)) == NULL);
    kt_clear();
}

TEST(squeeze_unsqueeze)
{
    KT_SCOPE;
    kt_tensor *a = block(), *thin = ones(S(1, 2, 1));
    IS(kt_squeeze(thin), S(2), S(1), 0);
    IS(kt_squeeze_dim(thin, S(0)), S(2, 1), S(1, 1), 0);
    IS(kt_squeeze_dim(thin, S(1)), S(1, 2, 1), S(2, 1, 1), 0);
    IS(kt_squeeze_dim(thin, S(0, -1)), S(2), S(1), 0);
    IS(kt_squeeze_dim(number(), S(0)), KT_SCALAR, KT_SCALAR, 0);
    IS(kt_unsqueeze(a, 1), S(2, 1, 3, 4), S(12, 12, 4, 1), 0);
    IS(kt_unsqueeze(a, -1), S(2, 3, 4, 1), S(12, 4, 1, 1), 0);
    IS(kt_unsqueeze(number(), 0), S(1), S(1), 0);
    IS(kt_unsqueeze(kt_transpose(a, 0, 2), 1), S(4, 1, 3, 2), S(1, 12, 4, 12), 0);
    REFUSES(kt_squeeze_dim(thin, S(0, 0)), RUNTIME, "dim 0 appears multiple times in the list of dims");
    REFUSES(kt_squeeze_dim(thin, S(3)), INDEX, OUT_OF_RANGE(-3, 2, 3));
    REFUSES(kt_unsqueeze(a, 4), INDEX, OUT_OF_RANGE(-4, 3, 4));
}

/* ---- lists ---- */
TEST(chunk_split_unbind)
{
    KT_SCOPE;
    kt_tensor *a = block(), *five = ones(S(5)), *part[8];
    CHECK_EQ_INT(kt_chunk(a, 2, part, 8, .dim = 2), 2);
    IS(part[1], S(2, 3, 2), S(12, 4, 1), 2);
    CHECK_EQ_INT(kt_chunk(five, 4, part, 8), 3);
    IS(part[2], S(1), S(1), 4);
    CHECK_EQ_INT(kt_chunk(ones(S(0)), 3, part, 8), 3);
    CHECK_EQ_INT(kt_split(five, 2, part, 8), 3);
    IS(part[1], S(2), S(1), 2);
    CHECK_EQ_INT(kt_split(ones(S(0)), 0, part, 8), 1);
    CHECK_EQ_INT(kt_split_sizes(five, S(1, 4), part, 8), 2);
    IS(part[1], S(4), S(1), 1);
    CHECK_EQ_INT(kt_unbind(a, part, 8, .dim = -1), 4);
    IS(part[3], S(2, 3), S(12, 4), 3);
    kt_fill_s_(part[3], KT_INT(-1));
    CHECK_NEAR(tensor_at(a, 7), -1, 0); /* views, not copies */
    CHECK_EQ_INT(kt_broadcast_tensors(((kt_tensor *[]){a, ones(S(3, 1))}), 2, part, 8), 2);
    IS(part[1], S(2, 3, 4), S(0, 1, 0), 0);
    REFUSES(kt_chunk(a, 0, part, 8), RUNTIME, "chunk expects `chunks` to be greater than 0, got: 0");
    REFUSES(kt_chunk(number(), 1, part, 8), RUNTIME, "chunk expects at least a 1-dimensional tensor");
    REFUSES(kt_chunk(a, 2, part, 8, .dim = 3), INDEX, OUT_OF_RANGE(-3, 2, 3));
    REFUSES(kt_split(five, 0, part, 8), RUNTIME,
            "split_size can only be 0 if dimension size is 0, but got dimension size of 5");
    REFUSES(kt_split(five, -1, part, 8), RUNTIME, "split expects split_size be non-negative, but got split_size=-1");
    REFUSES(kt_split(number(), 1, part, 8), RUNTIME, "split expects at least a 1-dimensional tensor");
    REFUSES(kt_split_sizes(five, S(1, 3), part, 8), RUNTIME,
            "split_with_sizes expects split_sizes to sum exactly to 5 (input tensor's size at dimension 0), but got "
            "split_sizes=[1, 3]");
    REFUSES(kt_split_sizes(five, S(6, -1), part, 8), RUNTIME,
            "split_with_sizes expects split_sizes have only non-negative entries, but got split_sizes=[6, -1]");
    REFUSES(kt_split_sizes(number(), S(1), part, 8), RUNTIME, "split expects at least a 1-dimensional tensor");
    REFUSES(kt_unbind(number(), part, 8), INDEX, "Dimension specified as 0 but tensor has no dimensions");
    REFUSES(kt_unbind(a, part, 8, .dim = 3), INDEX, OUT_OF_RANGE(-3, 2, 3));
    REFUSES(kt_broadcast_tensors(((kt_tensor *[]){a, ones(S(2))}), 2, part, 8), RUNTIME,
            "The size of tensor a (4) must match the size of tensor b (2) at non-singleton dimension 2");
    CHECK_FAILS(kt_split(five, 1, part, 2), KT_ERR_VALUE, "split gives 5 tensors, there is room for 2");
}

TEST(cat)
{
    KT_SCOPE;
    kt_tensor *a = block(), *none[1] = {NULL};
    IS(kt_cat(((kt_tensor *[]){a, a}), 2, .dim = 1), S(2, 6, 4), S(24, 4, 1), 0);
    IS(kt_cat(((kt_tensor *[]){ones(S(0)), a}), 2), S(2, 3, 4), S(12, 4, 1), 0);
    kt_tensor          *joined = kt_cat(((kt_tensor *[]){kt_t(counting(S(2, 3))), counting(S(1, 2))}), 2);
    static const double want[] = {0, 3, 1, 4, 2, 5, 0, 1};
    for (int i = 0; i < 8; i++)
        CHECK_NEAR(tensor_at(joined, i), want[i], 0);
    REFUSES(kt_cat(((kt_tensor *[]){a, ones(S(2, 2))}), 2), RUNTIME,
            "Tensors must have same number of dimensions: got 3 and 2");
    REFUSES(kt_cat(((kt_tensor *[]){a, ones(S(2, 3, 5))}), 2, .dim = 1), RUNTIME,
            "Sizes of tensors must match except in dimension 1. Expected size 4 but got size 5 for tensor number 1 in "
            "the list.");
    REFUSES(kt_cat(((kt_tensor *[]){a, a}), 2, .dim = 3), INDEX, OUT_OF_RANGE(-3, 2, 3));
    REFUSES(kt_cat(none, 0), VALUE, "torch.cat(): expected a non-empty list of Tensors");
    REFUSES(kt_cat(((kt_tensor *[]){number(), number()}), 2), RUNTIME,
            "zero-dimensional tensor (at position 0) cannot be concatenated");
}

/* ---- complex, conjugated, negated ---- */
TEST(real_imag)
{
    KT_SCOPE;
    kt_tensor *c = phasors(), *a = block();
    IS(kt_real(c), S(4), S(2), 0);
    IS(kt_imag(c), S(4), S(2), 1);
    CHECK_EQ_INT(kt_dtype_of(kt_imag(c)), KT_F32);
    IS(kt_real(a), S(2, 3, 4), S(12, 4, 1), 0);
    IS(kt_view_as_complex(ones(S(3, 2))), S(3), S(1), 0);
    kt_fill_s_(kt_imag(c), KT_INT(5));
    float all[8];
    CHECK_EQ_INT(kt_read(c, all, sizeof all), KT_OK);
    CHECK(all[0] == 0 && all[1] == 5 && all[6] == 3 && all[7] == 5);
    REFUSES(kt_imag(a), RUNTIME, "imag is not implemented for tensors with non-complex dtypes.");
    REFUSES(kt_view_as_real(a), RUNTIME, "view_as_real is only supported for complex tensors");
    REFUSES(kt_view_as_complex(ones(S(3))), RUNTIME, "Tensor must have a last dimension of size 2");
    REFUSES(kt_view_as_complex(number()), RUNTIME, "Input tensor must have one or more dimensions");
    REFUSES(
        kt_view_as_complex(kt_ones(S(2, 2), .dtype = KT_I32)), RUNTIME,
        "view_as_complex is only supported for half, float and double tensors, but got a tensor of scalar type: Int");
    REFUSES(kt_view_as_complex(kt_t(ones(S(2, 3)))), RUNTIME, "Tensor must have a last dimension with stride 1");
    REFUSES(kt_view_as_complex(kt_view(kt_narrow(ones(S(7)), 0, 1, 6), S(3, 2))), RUNTIME,
            "Tensor must have a storage_offset divisible by 2");
    REFUSES(kt_view_as_complex(kt_narrow(ones(S(3, 3)), 1, 0, 2)), RUNTIME,
            "Tensor must have a stride divisible by 2 for all but last dimension");
    REFUSES(kt_view_as_real(kt_conj(c)), RUNTIME,
            "view_as_real doesn't work on unresolved conjugated tensors.  To resolve the conjugate tensor so you can "
            "view it as "
            "real, use self.resolve_conj(); however, be warned that the resulting tensor will NOT alias the original.");
}

static void check_complex(kt_tensor *t, const float *want, int line)
{
    float all[8] = {0};
    if (!test_check(t && !kt_read(t, all, sizeof all), __FILE__, line, "read: %s", kt_error()))
        return kt_clear();
    for (int i = 0; i < 8; i++)
        test_check(all[i] == want[i], __FILE__, line, "part %d is %g, not %g", i, (double)all[i], (double)want[i]);
}
#define PARTS(t, ...) check_complex((t), (const float[8]){__VA_ARGS__}, __LINE__)

TEST(lazy_conjugation)
{
    KT_SCOPE;
    kt_tensor *c = phasors(), *k = kt_conj(c);
    CHECK(kt_is_conj(k) && kt_shares_storage(k, c) && !kt_is_conj(kt_conj(k)));
    CHECK(kt_conj(block()) != NULL && !kt_is_conj(kt_conj(block())));
    PARTS(k, 0, -10, 1, -11, 2, -12, 3, -13);
    PARTS(kt_resolve_conj(k), 0, -10, 1, -11, 2, -12, 3, -13);
    CHECK(!kt_is_conj(kt_resolve_conj(k)) && !kt_shares_storage(kt_resolve_conj(k), c));
    PARTS(kt_clone(k), 0, -10, 1, -11, 2, -12, 3, -13);
    PARTS(kt_add(k, c), 0, 0, 2, 0, 4, 0, 6, 0);
    PARTS(kt_mul_s(k, KT_INT(2)), 0, -20, 2, -22, 4, -24, 6, -26);
    PARTS(kt_conj_physical(k), 0, 10, 1, 11, 2, 12, 3, 13);
    kt_tensor *imag = kt_imag(k);
    CHECK(kt_is_neg(imag));
    CHECK_NEAR(tensor_at(imag, 1), -11, 0);
    CHECK(!kt_is_conj(kt_real(k)) && !kt_is_neg(kt_real(k)));
    kt_copy_(k, kt_full(S(4), KT_COMPLEX(1, 2))); /* written through the flag */
    PARTS(k, 1, 2, 1, 2, 1, 2, 1, 2);
    PARTS(c, 1, -2, 1, -2, 1, -2, 1, -2);
    kt_fill_s_(kt_slice(k, .start = KT_SOME(2)), KT_COMPLEX(5, 6));
    PARTS(c, 1, -2, 1, -2, 5, -6, 5, -6);
    PARTS(kt_resolve_conj(kt_copy_(k, kt_conj(kt_full(S(4), KT_COMPLEX(3, 4))))), 3, -4, 3, -4, 3, -4, 3, -4);
    PARTS(c, 3, 4, 3, 4, 3, 4, 3, 4);
    kt_copy_(k, kt_arange(KT_INT(0), KT_INT(4))); /* a real source has nothing to conjugate */
    PARTS(c, 0, 0, 1, 0, 2, 0, 3, 0);
    kt_copy_(c, kt_from((float[]){-2, -1, -2, -1, -6, -5, -6, -5}, S(4), KT_C64));
    kt_tensor *wide = kt_to(kt_conj(c), .dtype = KT_C128);
    CHECK(!kt_is_conj(wide));
    PARTS(kt_to(wide, .dtype = KT_C64), -2, 1, -2, 1, -6, 5, -6, 5);
    kt_tensor *product = kt_matmul(kt_reshape(kt_conj(c), S(2, 2)), kt_reshape(c, S(2, 2)));
    CHECK_NEAR(tensor_at(kt_real(product), 0), 22, 0); /* (-2+i)(-2-i) + (-2+i)(-6-5i) = 5 + (17+4i) */
    CHECK_NEAR(tensor_at(kt_imag(product), 0), 4, 0);
    CHECK_NEAR(tensor_at(kt_real(kt_sum(kt_conj(c))), 0), -16, 0);
    CHECK_NEAR(tensor_at(kt_imag(kt_sum(kt_conj(c))), 0), 12, 0);
}

TEST(lazy_negation)
{
    KT_SCOPE;
    kt_tensor *a = counting(S(4)), *n = kt_neg_view(a);
    CHECK(kt_is_neg(n) && kt_shares_storage(n, a) && !kt_is_neg(kt_neg_view(n)));
    CHECK_NEAR(tensor_at(n, 3), -3, 0);
    CHECK_NEAR(tensor_at(kt_exp(kt_neg_view(n)), 0), 1, 0);
    CHECK_NEAR(tensor_at(kt_add(n, a), 2), 0, 0);
    CHECK_NEAR(tensor_at(kt_sum(n), 0), -6, 0);
    CHECK_NEAR(kt_item(kt_select(n, 0, 2)), -2, 0);
    CHECK(!kt_is_neg(kt_resolve_neg(n)));
    CHECK_NEAR(tensor_at(kt_resolve_neg(n), 1), -1, 0);
    kt_fill_s_(n, KT_INT(7));
    CHECK_NEAR(tensor_at(a, 0), -7, 0);
    kt_tensor *c = phasors(), *both = kt_neg_view(kt_conj(c));
    CHECK(kt_is_conj(both) && kt_is_neg(both));
    PARTS(both, 0, 10, -1, 11, -2, 12, -3, 13);
    PARTS(kt_mul_s(both, KT_INT(1)), 0, 10, -1, 11, -2, 12, -3, 13);
}

/* ---- reading and writing through views ---- */
TEST(a_write_through_a_view_is_seen_in_the_base)
{
    KT_SCOPE;
    kt_tensor *a = block();
    kt_fill_s_(kt_select(kt_transpose(a, 0, 2), 0, 3), KT_INT(-1)); /* a[:, :, 3] */
    CHECK_NEAR(tensor_at(a, 3), -1, 0);
    CHECK_NEAR(tensor_at(a, 23), -1, 0);
    CHECK_NEAR(tensor_at(a, 22), 22, 0);
    kt_add_s_(kt_slice(a, .dim = 1, .start = KT_SOME(1), .step = KT_SOME(2)), KT_INT(100)); /* a[:, 1::2] */
    CHECK_NEAR(tensor_at(a, 4), 104, 0);
    CHECK_NEAR(tensor_at(a, 8), 8, 0);
    kt_zero_(kt_diagonal(kt_select(a, 0, 0)));
    CHECK_NEAR(tensor_at(a, 0), 0, 0);
    CHECK_NEAR(tensor_at(a, 5), 0, 0);
    CHECK_NEAR(tensor_at(a, 10), 0, 0);
    CHECK_NEAR(tensor_at(a, 6), 106, 0);
    CHECK_EQ_INT(kt_tensor_version(a), 3);
    CHECK_EQ_INT(kt_tensor_version(kt_flatten(a)), 3);
    CHECK(kt_is_view(kt_select(a, 0, 0)) && !kt_is_view(a) && !kt_is_view(kt_clone(a)));
    kt_copy_(kt_as_strided(a, S(2), S(1), .storage_offset = KT_SOME(22)), counting(S(2)));
    CHECK_NEAR(tensor_at(a, 23), 1, 0);
}

TEST(a_view_of_an_expanded_tensor_is_not_written_to)
{
    KT_SCOPE;
    kt_tensor *e = kt_expand(ones(S(3, 1)), S(3, 4));
    REFUSES(kt_add_s_(e, KT_INT(1)), RUNTIME,
            "unsupported operation: more than one element of the written-to tensor refers to a single memory location. "
            "Please "
            "clone() the tensor before performing the operation.");
    CHECK(kt_add_s_(kt_select(e, 1, 0), KT_INT(1)) != NULL);
    CHECK_NEAR(tensor_at(e, 11), 2, 0);
}

/* ---- many dims ---- */
TEST(sixty_four_dims)
{
    KT_SCOPE;
    int64_t        sizes[65], turned[64];
    const kt_shape many = {64, sizes}, too_many = {65, sizes}, order = {64, turned};
    for (int i = 0; i < 65; i++)
        sizes[i] = i == 10 || i == 40 || i == 63 ? 2 : 1;
    for (int i = 0; i < 64; i++)
        turned[i] = 63 - i;
    kt_tensor *t = kt_reshape(counting(S(8)), many);
    REQUIRE(t != NULL);
    CHECK_EQ_INT(kt_ndim(t), 64);
    kt_tensor *p = kt_permute(t, order), *sum = kt_add(t, t);
    CHECK_EQ_INT(kt_size(p, 0), 2);
    CHECK_EQ_INT(kt_stride(p, 53), 4);
    CHECK_NEAR(tensor_at(sum, 7), 14, 0);
    static const double want[] = {0, 4, 2, 6, 1, 5, 3, 7};
    for (int i = 0; i < 8; i++) {
        CHECK_NEAR(tensor_at(p, i), want[i], 0);
        CHECK_NEAR(tensor_at(kt_mul_s(p, KT_INT(3)), i), 3 * want[i], 0);
        CHECK_NEAR(tensor_at(kt_contiguous(p), i), want[i], 0);
    }
    CHECK_NEAR(tensor_at(kt_sum_dim(p, S(0, 63)), 0), 1, 0);
    CHECK_NEAR(tensor_at(kt_sum_dim(p, S(0, 23)), 1), 4 + 5 + 6 + 7, 0);
    CHECK_EQ_INT(kt_ndim(kt_sum_dim(p, S(0, 63))), 62);
    CHECK_EQ_INT(kt_ndim(kt_squeeze(t)), 3);
    CHECK_FAILS(kt_unsqueeze(t, 0), KT_ERR_RUNTIME, "");
    CHECK_FAILS(kt_ones(too_many), KT_ERR_RUNTIME, "");
    CHECK_FAILS(kt_expand(t, too_many), KT_ERR_RUNTIME, "");
    CHECK_FAILS(kt_unfold(t, 0, 1, 1), KT_ERR_RUNTIME, "");
    CHECK_FAILS(kt_view(t, too_many), KT_ERR_RUNTIME, "");
    CHECK_FAILS(kt_view_as_real(kt_to(t, .dtype = KT_C64)), KT_ERR_RUNTIME, "");
    CHECK_FAILS(kt_as_strided(t, too_many, too_many), KT_ERR_RUNTIME, "");
}

/* ---- sizes that no memory holds ---- */
TEST(absurd_sizes)
{
    KT_SCOPE;
    REFUSES(kt_zeros(S(-1)), RUNTIME, "zeros: Dimension size must be non-negative.");
    REFUSES(kt_ones(S(-1)), RUNTIME, "Trying to create tensor with negative dimension -1: [-1]");
    REFUSES(kt_full(S(2, -1), KT_INT(1)), RUNTIME, "Trying to create tensor with negative dimension -1: [2, -1]");
    REFUSES(kt_zeros(S(INT64_C(1) << 62, 4)), RUNTIME,
            "Storage size calculation overflowed with sizes=[4611686018427387904, 4]");
    CHECK(kt_zeros(S(INT64_C(1) << 60)) == NULL); /* counts, but no bytes for it */
    CHECK(kt_failed());
    kt_clear();
    kt_tensor *wide = kt_expand(number(), S(INT64_C(1) << 40)); /* no bytes needed */
    CHECK_EQ_INT(kt_numel(wide), INT64_C(1) << 40);
    CHECK(kt_expand(number(), S(INT64_C(1) << 40, INT64_C(1) << 40)) == NULL);
    kt_clear();
    CHECK_EQ_INT(kt_numel(kt_zeros(S(0, INT64_C(1) << 40))), 0);
}

TEST(operators_write_through_lazy_views)
{
    KT_SCOPE;
    kt_tensor *c = phasors(), *k = kt_conj(c), *a = counting(S(4)), *n = kt_neg_view(a);
    kt_mul_s_(k, KT_COMPLEX(0, 1)); /* conj(c) * i = 10 + 0i, 11 + i, ...: the base holds the conjugate */
    PARTS(k, 10, 0, 11, 1, 12, 2, 13, 3);
    PARTS(c, 10, 0, 11, -1, 12, -2, 13, -3);
    kt_add_out(k, c, c);
    PARTS(k, 20, 0, 22, -2, 24, -4, 26, -6);
    PARTS(c, 20, 0, 22, 2, 24, 4, 26, 6);
    kt_add_s_(n, KT_INT(-1)); /* -a - 1 */
    CHECK_NEAR(tensor_at(n, 3), -4, 0);
    CHECK_NEAR(tensor_at(a, 3), 4, 0);
    kt_exp_out(n, kt_zeros(S(4)));
    CHECK_NEAR(tensor_at(a, 2), -1, 0);
    kt_mm_out(kt_neg_view(kt_reshape(a, S(2, 2))), kt_eye(2), kt_eye(2));
    CHECK_NEAR(tensor_at(a, 0), -1, 0);
    kt_sum_dim_out(n, kt_ones(S(3, 4)), S(0));
    CHECK_NEAR(tensor_at(a, 1), -3, 0);
}

TEST(a_tensor_becomes_a_view_of_itself)
{
    KT_SCOPE;
    kt_tensor *t = kt_clone(counting(S(6))), *m = kt_view(t, S(2, 3)), *w = kt_ones(S(2, 3));
    CHECK(kt_unsqueeze_(t, 0) == t);
    CHECK_EQ_INT(kt_ndim(t), 2);
    CHECK_EQ_INT(kt_size(t, 1), 6);
    CHECK(kt_squeeze_(t) == t && kt_ndim(t) == 1);
    CHECK(kt_squeeze_dim_(kt_unsqueeze_(t, 1), S(0, 1)) == t && kt_ndim(t) == 1);
    CHECK(kt_t_(m) == m && kt_size(m, 0) == 3);
    CHECK_NEAR(tensor_at(m, 1), 3, 0); /* the memory is shared as before */
    kt_fill_diagonal_(kt_transpose_(m, 0, 1), KT_INT(9));
    CHECK_NEAR(tensor_at(t, 0), 9, 0);
    CHECK_NEAR(tensor_at(t, 4), 9, 0);
    kt_set_requires_grad(w, true);
    CHECK_FAILS(kt_t_(w), KT_ERR_RUNTIME, "a leaf Variable that requires grad is being used in an in-place operation.");
    CHECK_FAILS(kt_unsqueeze_(kt_select(w, 0, 0), 0), KT_ERR_RUNTIME,
                "a view of a leaf Variable that requires grad is being used in an in-place operation.");
    CHECK_FAILS(kt_t_(kt_zeros(S(1, 2, 3))), KT_ERR_RUNTIME, "t_() expects a tensor with <= 2 dimensions, but self is 3D");
    CHECK(kt_as_strided_(t, S(2), S(2), .storage_offset = KT_SOME(1)) == t && kt_ndim(t) == 1);
    CHECK_NEAR(tensor_at(t, 1), 3, 0);
    kt_tensor *y = kt_t_(kt_mul_s(w, KT_INT(2)));
    kt_backward(kt_sum(kt_select(y, 0, 1)));
    CHECK_NEAR(tensor_at(kt_grad(w), 1), 2, 0);
    CHECK_NEAR(tensor_at(kt_grad(w), 0), 0, 0);
    kt_tensor *whole = kt_mul_s(w, KT_INT(3)), *row = kt_select(whole, 0, 1); /* a view that is followed */
    CHECK(kt_mul_s_(kt_unsqueeze_(row, 1), KT_INT(5)) == row && kt_base(row) == whole);
    kt_backward(kt_sum(whole));
    CHECK_NEAR(tensor_at(kt_grad(w), 0), 3, 0);
    CHECK_NEAR(tensor_at(kt_grad(w), 4), 2 + 15, 0);
}
