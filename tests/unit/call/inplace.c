/* inplace.c - writing into tensors that exist: the rules of in-place and out= forms and their words, overlap, resizing
 * of buffers, copies and fills; casting= and rounding= of an explicit cast; conversions with a reason, and lineage. */
#include "harness.h"

#include <karat/karat.h>
#include <karat/plugin/call.h>
#include <math.h>

#include "support/by_name.h"

#define S KT_SHAPE
static kt_tensor *ones(kt_shape shape) { return kt_ones(shape); }
static kt_tensor *typed(kt_shape shape, kt_dtype dtype) { return kt_ones(shape, .dtype = dtype); }
static kt_tensor *count(int n) { return kt_arange(KT_INT(0), KT_INT(n), .dtype = KT_F32); }

static void refusal(kt_status want, const char *text, int line)
{
    test_check(kt_error_status() == want && strcmp(error_line(), text) == 0, __FILE__, line,
               "status %d, wanted %d and \"%s\"", (int)kt_error_status(), (int)want, text);
    kt_clear();
}
#define REFUSES(expr, status, text) ((void)(expr), refusal(KT_ERR_##status, text, __LINE__))

static void values(kt_tensor *t, int n, const double *want, int line)
{
    if (!test_check(t && !kt_failed() && kt_numel(t) == n, __FILE__, line, "made: %s", kt_error()))
        return kt_clear();
    for (int i = 0; i < n; i++)
        test_check(tensor_at(t, i) == want[i], __FILE__, line, "element %d is %g, not %g", i, tensor_at(t, i), want[i]);
}
#define HOLDS(t, ...)                                                                                                  \
    values((t), (int)(sizeof((double[]){__VA_ARGS__}) / sizeof(double)), (const double[]){__VA_ARGS__}, __LINE__)

static const char *const many_at_once = "unsupported operation: more than one element of the written-to tensor refers "
                                        "to a single memory location. Please clone() the "
                                        "tensor before performing the operation.";
static const char *const shared = "unsupported operation: some elements of the input tensor and the written-to tensor "
                                  "refer to a single memory location. Please "
                                  "clone() the tensor before performing the operation.";

/* ---- shapes and dtypes of a target ---- */
TEST(the_shape_of_an_in_place_result)
{
    KT_SCOPE;
    HOLDS(kt_add_(ones(S(2, 3)), count(3)), 1, 2, 3, 1, 2, 3);
    REFUSES(kt_add_(ones(S(3)), ones(S(2, 3))), RUNTIME,
            "output with shape [3] doesn't match the broadcast shape [2, 3]");
    REFUSES(kt_add_(ones(S(2, 1)), ones(S(2, 3))), RUNTIME,
            "output with shape [2, 1] doesn't match the broadcast shape [2, 3]");
    REFUSES(kt_add_(ones(S(2)), ones(S(3))), RUNTIME,
            "The size of tensor a (2) must match the size of tensor b (3) at non-singleton dimension 0");
}

TEST(the_dtype_of_an_in_place_result)
{
    KT_SCOPE;
    REFUSES(kt_add_(typed(S(3), KT_I64), ones(S(3))), RUNTIME,
            "result type Float can't be cast to the desired output type Long");
    REFUSES(kt_add_(typed(S(3), KT_BOOL), typed(S(3), KT_I32)), RUNTIME,
            "result type Int can't be cast to the desired output type Bool");
    REFUSES(kt_add_(ones(S(3)), typed(S(3), KT_C64)), RUNTIME,
            "result type ComplexFloat can't be cast to the desired output type Float");
    REFUSES(kt_mul_s_(typed(S(3), KT_I32), KT_FLOAT(1.5)), RUNTIME,
            "result type Float can't be cast to the desired output type Int");
    REFUSES(kt_div_s_(typed(S(3), KT_I32), KT_INT(2)), RUNTIME,
            "result type Float can't be cast to the desired output type Int");
    REFUSES(kt_abs_(typed(S(3), KT_C64)), RUNTIME, "In-place abs is not supported for complex tensors.");
    CHECK_EQ_INT(kt_dtype_of(kt_add_(typed(S(3), KT_F16), typed(S(3), KT_F64))), KT_F16);
    HOLDS(kt_eq_s_(ones(S(2)), KT_INT(1)), 1, 1);
    HOLDS(kt_div_s_(kt_from((int64_t[]){7, -7}, S(2), KT_I64), KT_INT(2), .rounding_mode = "floor"), 3, -4);
    HOLDS(kt_add_s_(typed(S(2), KT_U8), KT_INT(300)), 45, 45); /* a number wraps */
    REFUSES(kt_add_s_(typed(S(3), KT_I32), KT_INT(1), .alpha = KT_FLOAT(1.5)), RUNTIME,
            "For integral input tensors, argument alpha must not be a floating point number.");
    REFUSES(kt_add_s_(ones(S(3)), KT_INT(1), .alpha = KT_FLAG(true)), RUNTIME,
            "Boolean alpha only supported for Boolean results.");
    REFUSES(kt_add_s_(ones(S(3)), KT_INT(1), .alpha = KT_COMPLEX(0, 1)), RUNTIME,
            "For non-complex input tensors, argument alpha must not be a complex number.");
    REFUSES(kt_div_s(ones(S(2)), KT_INT(2), .rounding_mode = "up"), RUNTIME,
            "div expected rounding_mode to be one of None, 'trunc', or 'floor' but found 'up'");
}

TEST(a_refused_write_changes_nothing)
{
    KT_SCOPE;
    kt_tensor *t = kt_from((int32_t[]){1, 2, 3}, S(3), KT_I32);
    CHECK(kt_add_(t, ones(S(3))) == NULL);
    kt_clear();
    CHECK(kt_add_(t, ones(S(2, 3))) == NULL);
    kt_clear();
    HOLDS(t, 1, 2, 3);
    CHECK_EQ_INT(kt_tensor_version(t), 0);
}

TEST(buffers)
{
    KT_SCOPE;
    REFUSES(kt_add_out(typed(S(3), KT_I32), ones(S(3)), ones(S(3))), RUNTIME,
            "result type Float can't be cast to the desired output type Int");
    kt_tensor *out = ones(S(5));
    CHECK(kt_add_out(out, count(3), count(3)) == out);
    HOLDS(out, 0, 2, 4);
    HOLDS(kt_add_out(kt_empty(S(0)), ones(S(2, 2)), ones(S(2, 2))), 2, 2, 2, 2);
    kt_tensor *grown = kt_empty(S(2));
    kt_add_out(grown, ones(S(20, 30)), ones(S(20, 30)));
    CHECK_EQ_INT(kt_numel(grown), 600);
    CHECK_EQ_INT(kt_stride(grown, 0), 30);
    CHECK_NEAR(tensor_at(grown, 599), 2, 0);
    CHECK_EQ_INT(kt_numel(kt_add_out(ones(S(3)), kt_empty(S(0)), kt_empty(S(0)))), 0);
    kt_tensor *base = kt_zeros(S(2, 6)), *view = kt_slice(base, .dim = 1, .step = KT_SOME(2));
    kt_add_out(view, ones(S(2, 3)), count(3));
    HOLDS(base, 1, 0, 2, 0, 3, 0, 1, 0, 2, 0, 3, 0);
    kt_tensor *turned = kt_t(kt_zeros(S(2, 3)));
    kt_mul_out(turned, kt_reshape(count(6), S(3, 2)), ones(S(3, 2)));
    HOLDS(turned, 0, 1, 2, 3, 4, 5);
    CHECK_EQ_INT(kt_stride(turned, 0), 1);
    REFUSES(kt_isposinf_out(ones(S(2)), ones(S(2))), RUNTIME, "isposinf does not support non-boolean outputs.");
    REFUSES(kt_signbit_out(ones(S(2)), ones(S(2))), RUNTIME, "signbit does not support non-boolean outputs.");
    CHECK_FAILS(kt_add_out(NULL, ones(S(2)), ones(S(2))), KT_ERR_TYPE, "");
}

TEST(buffers_of_sums_and_products)
{
    KT_SCOPE;
    kt_tensor *halves = kt_from((float[]){0.5, 0.5, 1.5}, S(3), KT_F32);
    HOLDS(kt_sum_dim_out(typed(KT_SCALAR, KT_I64), halves, S(0)), 1); /* each is cast before it is added */
    HOLDS(kt_sum_dim_out(typed(KT_SCALAR, KT_F16), kt_to(halves, .dtype = KT_F64), S(0)), 2.5);
    HOLDS(kt_sum_dim_out(kt_empty(S(0)), ones(S(2, 3)), S(0)), 2, 2, 2);
    HOLDS(kt_sum_dim_out(typed(KT_SCALAR, KT_F64), halves, S(0), .dtype = KT_F64), 2.5);
    REFUSES(kt_sum_dim_out(ones(KT_SCALAR), halves, S(0), .dtype = KT_F64), RUNTIME,
            "Expected out tensor to have dtype double, but got float instead");
    REFUSES(kt_mm_out(typed(S(2, 2), KT_F64), ones(S(2, 2)), ones(S(2, 2))), RUNTIME,
            "Expected out tensor to have dtype float, but got double instead");
    HOLDS(kt_mm_out(kt_empty(S(0)), ones(S(2, 3)), ones(S(3, 2))), 3, 3, 3, 3);
    HOLDS(kt_mm_out(kt_t(kt_zeros(S(2, 2))), kt_eye(2), kt_reshape(count(4), S(2, 2))), 0, 1, 2, 3);
    HOLDS(kt_mm(ones(S(2, 0)), ones(S(0, 2))), 0, 0, 0, 0);
    HOLDS(kt_sum_dim(ones(S(0, 3)), S(0)), 0, 0, 0);
    HOLDS(kt_sum_dim(ones(S(2, 3)), KT_SCALAR), 6);
    {
        KT_POLICY(KT_STRICT);
        CHECK_FAILS(kt_sum_dim_out(kt_zeros(KT_SCALAR, .dtype = KT_F64), halves, S(0)), KT_ERR_TYPE,
                    "KT_POLICY(KT_STRICT) refuses");
    }
}

TEST(shapes_of_sums_and_products)
{
    KT_SCOPE;
    REFUSES(kt_sum_dim(ones(S(2, 3)), S(0, 0)), RUNTIME, "dim 0 appears multiple times in the list of dims");
    REFUSES(kt_sum_dim(ones(S(2, 3)), S(2)), INDEX,
            "Dimension out of range (expected to be in range of [-2, 1], but got 2)");
    REFUSES(kt_mv(ones(S(2, 3)), ones(S(2))), RUNTIME, "size mismatch, got input (2), mat (2x3), vec (2)");
    REFUSES(kt_mv(ones(S(2)), ones(S(2))), RUNTIME, "vector + matrix @ vector expected, got 1, 1, 1");
    REFUSES(kt_mm(ones(S(2, 3)), ones(S(2, 3))), RUNTIME, "mat1 and mat2 shapes cannot be multiplied (2x3 and 2x3)");
    REFUSES(kt_mm(ones(S(2)), ones(S(2, 3))), RUNTIME, "self must be a matrix");
    REFUSES(kt_bmm(ones(S(1, 2, 3)), ones(S(1, 2, 3))), RUNTIME,
            "Expected size for first two dimensions of batch2 tensor to be: [1, 3] but got: [1, 2].");
    REFUSES(kt_bmm(ones(S(1, 2, 3)), ones(S(2, 3, 3))), RUNTIME,
            "Expected size for first two dimensions of batch2 tensor to be: [1, 3] but got: [2, 3].");
    REFUSES(kt_bmm(ones(S(2, 3)), ones(S(1, 2, 3))), RUNTIME, "batch1 must be a 3D tensor");
    REFUSES(kt_dot(ones(S(2)), ones(S(3))), RUNTIME,
            "inconsistent tensor size, expected tensor [2] and src [3] to have the same number of elements, but got 2 "
            "and 3 elements "
            "respectively");
    REFUSES(kt_dot(ones(S(2, 1)), ones(S(2))), RUNTIME, "1D tensors expected, but got 2D and 1D tensors");
    REFUSES(kt_matmul(ones(KT_SCALAR), ones(S(2))), RUNTIME,
            "both arguments to matmul need to be at least 1D, but they are 0D and 1D");
    REFUSES(kt_matmul(ones(S(2, 3)), ones(S(2))), RUNTIME, "size mismatch, got input (2), mat (2x3), vec (2)");
    REFUSES(kt_matmul(ones(S(2, 2, 3)), ones(S(3, 3, 2))), RUNTIME,
            "The size of tensor a (2) must match the size of tensor b (3) at non-singleton dimension 0");
    REFUSES(kt_matmul(ones(S(3)), ones(S(2, 3))), RUNTIME, "mat1 and mat2 shapes cannot be multiplied (1x3 and 2x3)");
}

/* ---- overlap ---- */
TEST(overlap)
{
    KT_SCOPE;
    kt_tensor *a = count(6), *m = kt_reshape(count(4), S(2, 2)), *wide = kt_expand(ones(S(1, 3)), S(2, 3));
    REFUSES(kt_add_(kt_narrow(a, 0, 1, 5), kt_narrow(a, 0, 0, 5)), RUNTIME, shared);
    REFUSES(kt_copy_(kt_narrow(a, 0, 1, 5), kt_narrow(a, 0, 0, 5)), RUNTIME, shared);
    REFUSES(kt_add_out(kt_narrow(a, 0, 1, 3), kt_narrow(a, 0, 0, 3), kt_narrow(a, 0, 3, 3)), RUNTIME, shared);
    REFUSES(kt_add_(m, kt_t(m)), RUNTIME, shared);
    REFUSES(kt_add_s_(wide, KT_INT(1)), RUNTIME, many_at_once);
    REFUSES(kt_add_out(wide, ones(S(2, 3)), ones(S(2, 3))), RUNTIME, many_at_once);
    REFUSES(kt_copy_(wide, ones(S(2, 3))), RUNTIME, many_at_once);
    HOLDS(a, 0, 1, 2, 3, 4, 5);
    HOLDS(kt_add_(a, a), 0, 2, 4, 6, 8, 10);
    kt_add_out(kt_narrow(a, 0, 0, 3), kt_narrow(a, 0, 0, 3), kt_narrow(a, 0, 3, 3));
    HOLDS(a, 6, 10, 14, 6, 8, 10);
    kt_tensor *pairs = kt_reshape(count(6), S(3, 2)); /* columns that share a span but no element */
    kt_add_(kt_select(pairs, 1, 0), kt_select(pairs, 1, 1));
    HOLDS(pairs, 1, 1, 5, 3, 9, 5);
    HOLDS(kt_fill_s_(wide, KT_INT(3)), 3, 3, 3, 3, 3, 3); /* one value: no harm */
    HOLDS(kt_zero_(wide), 0, 0, 0, 0, 0, 0);
    HOLDS(kt_copy_(a, a), 6, 10, 14, 6, 8, 10);
}

/* ---- copies and fills ---- */
TEST(copies_and_fills)
{
    KT_SCOPE;
    HOLDS(kt_copy_(kt_zeros(S(2, 3)), kt_arange(KT_INT(0), KT_INT(3))), 0, 1, 2, 0, 1, 2);
    HOLDS(kt_copy_(kt_zeros(S(3), .dtype = KT_BOOL), kt_from((float[]){0, 0.5, 2}, S(3), KT_F32)), 0, 1, 1);
    HOLDS(kt_fill_s_(typed(S(2), KT_I32), KT_FLOAT(2.7)), 2, 2);
    HOLDS(kt_fill_s_(ones(S(2)), KT_COMPLEX(2, 0)), 2, 2);
    HOLDS(kt_fill_(ones(S(2)), kt_scalar_tensor(KT_INT(7))), 7, 7);
    REFUSES(kt_copy_(ones(S(3)), ones(S(2))), RUNTIME,
            "The size of tensor a (3) must match the size of tensor b (2) at non-singleton dimension 0");
    REFUSES(kt_copy_(ones(S(3)), ones(S(2, 3))), RUNTIME,
            "output with shape [3] doesn't match the broadcast shape [2, 3]");
    REFUSES(kt_fill_(ones(S(3)), ones(S(1))), RUNTIME,
            "fill_ only supports 0-dimension value tensor but got tensor with 1 dimensions.");
    REFUSES(kt_fill_s_(typed(S(3), KT_U8), KT_INT(300)), RUNTIME,
            "value cannot be converted to type uint8_t without overflow");
    REFUSES(kt_fill_s_(ones(S(3)), KT_COMPLEX(0, 1)), RUNTIME,
            "value cannot be converted to type float without overflow");
    REFUSES(kt_full(S(2), KT_INT(300), .dtype = KT_U8), RUNTIME,
            "value cannot be converted to type uint8_t without overflow");
    kt_tensor *t = ones(S(2));
    kt_tensor *copy = kt_copy(t, kt_zeros(S(2)));
    HOLDS(t, 1, 1);
    HOLDS(copy, 0, 0);
}

/* ---- an explicit cast ---- */
TEST(casting_levels)
{
    static const char *const names[] = {"unsafe", "same_kind", "safe", "equiv", "no"};
    for (int level = 0; level < 5; level++)
        for (int a = 1; a < KT_NUM_DTYPES; a++)
            for (int b = 1; b < KT_NUM_DTYPES; b++) {
                KT_SCOPE;
                kt_tensor *got = kt_to(typed(S(2), (kt_dtype)a), .dtype = (kt_dtype)b, .casting = names[level]);
                CHECK_MSG((got != NULL) == (a == b || kt_can_cast_level((kt_dtype)a, (kt_dtype)b, (kt_casting)level)),
                          "%s to %s, %s", kt_dtype_name((kt_dtype)a), kt_dtype_name((kt_dtype)b), names[level]);
                CHECK(got || kt_error_status() == KT_ERR_TYPE);
                kt_clear();
            }
    KT_SCOPE;
    CHECK_FAILS(kt_to(ones(S(2)), .dtype = KT_I32, .casting = "safe"), KT_ERR_TYPE,
                "Cannot cast from float32 to int32 according to the rule 'safe'");
    CHECK_FAILS(kt_to(ones(S(2)), .dtype = KT_I32, .casting = "kind"), KT_ERR_VALUE,
                "casting must be one of no, equiv, safe, same_kind, same_value, unsafe, not 'kind'");
}

TEST(casting_by_the_values_at_hand)
{
    KT_SCOPE;
    kt_tensor *whole = kt_from((float[]){1, 2, -3}, S(3), KT_F32),
              *broken = kt_from((float[]){1, 2.5, NAN}, S(3), KT_F32);
    HOLDS(kt_to(whole, .dtype = KT_I8, .casting = "same_value"), 1, 2, -3);
    CHECK_FAILS(kt_to(broken, .dtype = KT_I8, .casting = "same_value"), KT_ERR_TYPE,
                "Cannot cast from float32 to int8");
    CHECK_FAILS(kt_to(whole, .dtype = KT_U8, .casting = "same_value"), KT_ERR_TYPE,
                "Cannot cast from float32 to uint8 with casting='same_value': 1 of 3 values would change");
    kt_tensor *nan = kt_to(broken, .dtype = KT_F16, .casting = "same_value");
    CHECK(nan && isnan(tensor_at(nan, 2)));
    kt_tensor *big = kt_from((int64_t[]){(INT64_C(1) << 53) + 1}, S(1), KT_I64);
    CHECK_FAILS(kt_to(big, .dtype = KT_F64, .casting = "same_value"), KT_ERR_TYPE, "Cannot cast from int64 to float64");
    CHECK(kt_to(kt_sub_s(big, KT_INT(1)), .dtype = KT_F64, .casting = "same_value") != NULL);
}

TEST(roundings)
{
    KT_SCOPE;
    const double twice = 1 + 0x1p-11 + 0x1p-40; /* through float32 it falls on the midpoint */
    kt_tensor   *t = kt_from(&twice, S(1), KT_F64);
    CHECK_NEAR(tensor_at(kt_to(t, .dtype = KT_F16), 0), 1.0, 0);
    CHECK_NEAR(tensor_at(kt_to(t, .dtype = KT_F16, .rounding = "torch"), 0), 1.0, 0);
    CHECK_NEAR(tensor_at(kt_to(t, .dtype = KT_F16, .rounding = "once"), 0), 1 + 0x1p-10, 0);
    CHECK_FAILS(kt_to(t, .dtype = KT_F16, .rounding = "up"), KT_ERR_VALUE,
                "rounding must be one of torch, once, stochastic, not 'up'");
    enum { N = 4000 };
    kt_tensor *many =
        kt_full(S(N), KT_FLOAT(1 + 0x1p-9), .dtype = KT_F32); /* a quarter of the way between two bfloat16 */
    kt_tensor   *drawn = kt_to(many, .dtype = KT_BF16, .rounding = "stochastic");
    const double up = kt_item(kt_sum(kt_to(kt_gt_s(drawn, KT_INT(1)), .dtype = KT_F64))) / N;
    CHECK_MSG(up > 0.19 && up < 0.31, "%.3f of them rounded up, expected a quarter", up);
    CHECK_NEAR(kt_item(kt_sum(kt_to(kt_lt_s(drawn, KT_INT(1)), .dtype = KT_F64))), 0, 0);
    CHECK_NEAR(tensor_at(kt_to(kt_ones(S(3)), .dtype = KT_BF16, .rounding = "stochastic"), 2), 1,
               0); /* exact stays exact */
}

TEST(to_gives_itself_where_nothing_changes)
{
    KT_SCOPE;
    kt_tensor *t = ones(S(2));
    CHECK(kt_to(t, .dtype = KT_F32) == t);
    CHECK(kt_to(t) == t);
    kt_tensor *copy = kt_to(t, .dtype = KT_F32, .copy = true);
    CHECK(copy != t && !kt_shares_storage(copy, t));
    CHECK(kt_contiguous(t) == t);
    CHECK(kt_contiguous(kt_t(ones(S(2, 3)))) != NULL);
    CHECK_FAILS(kt_to(t, .dtype = KT_F16, .memory_format = KT_CHANNELS_LAST), KT_ERR_RUNTIME,
                "required rank 4 tensor to use channels_last format");
    CHECK_FAILS(kt_to(t, .dtype = (kt_dtype)99), KT_ERR_TYPE, "");
}

/* ---- what the user did not write, and what lineage says of it ---- */
static kt_lineage_record record_of(const kt_tensor *t)
{
    kt_lineage_record r = {.size = sizeof r};
    if (!kt_lineage_read(kt_lineage_of(t), &r))
        memset(&r, 0, sizeof r);
    return r;
}

TEST(conversions_with_a_reason)
{
    KT_SCOPE;
    kt_tensor *t = ones(S(2)), *half = NULL;
    CHECK_EQ_INT(kt_convert(t, KT_F16, KT_WHY_OPTIMIZER, &half), KT_OK);
    CHECK_EQ_INT(kt_dtype_of(half), KT_F16);
#ifndef KT_NO_LINEAGE
    const kt_lineage_record r = record_of(half);
    CHECK_EQ_INT(r.why, KT_WHY_OPTIMIZER);
    CHECK_EQ_INT(r.from, KT_F32);
    CHECK_EQ_INT(r.to, KT_F16);
    CHECK_EQ_INT(r.parent, kt_lineage_of(t));
#endif
    kt_drop(half);
    CHECK_EQ_INT(kt_convert(t, KT_F32, KT_WHY_LOADING, &half), KT_OK);
    CHECK(half == t); /* nothing to convert: one more reference */
    kt_drop(half);
    kt_tensor *ints = typed(S(2), KT_I32);
    CHECK_EQ_INT(kt_copy_why(ints, kt_full(S(2), KT_FLOAT(2.5)), KT_WHY_LOADING), KT_OK);
    HOLDS(ints, 2, 2);
    CHECK_EQ_INT(kt_tensor_version(ints), 1);
    {
        KT_POLICY(KT_STRICT);
        CHECK_FAILS(kt_convert(t, KT_F16, KT_WHY_OPTIMIZER, &half), KT_ERR_TYPE,
                    "KT_POLICY(KT_STRICT) refuses to convert a tensor from float32 to float16 in a copy (an optimizer)");
        CHECK_FAILS(kt_copy_why(ints, t, KT_WHY_LOADING), KT_ERR_TYPE,
                    "KT_POLICY(KT_STRICT) refuses to convert src from float32 to int32 in a copy (loading)");
        CHECK_EQ_INT(kt_convert(t, KT_F16, KT_WHY_EXPLICIT, &half), KT_OK);
        kt_drop(half);
    }
    CHECK_FAILS(kt_copy_why(ints, ones(S(3)), KT_WHY_LOADING), KT_ERR_RUNTIME, "The size of tensor a (2)");
}

TEST(lineage_is_inherited_or_recorded)
{
#ifdef KT_NO_LINEAGE
    test_skip("built without lineage");
#else
    KT_SCOPE;
    kt_tensor *a = ones(S(2)), *b = typed(S(2), KT_F16), *sum;
    CHECK_EQ_INT(record_of(a).why, KT_BORN);
    CHECK_EQ_INT(kt_lineage_of(kt_exp(a)), kt_lineage_of(a));
    CHECK_EQ_INT(kt_lineage_of(kt_select(a, 0, 0)), kt_lineage_of(a));
    CHECK_EQ_INT(kt_lineage_of(kt_add(a, b)), kt_lineage_of(a)); /* the operand that decided the dtype */
    CHECK_EQ_INT(kt_lineage_of(kt_add(b, a)), kt_lineage_of(a));
    CHECK_EQ_INT(kt_lineage_of(kt_sum(a)), kt_lineage_of(a));
    CHECK_EQ_INT(kt_lineage_of(kt_clone(a)), kt_lineage_of(a));
    sum = kt_add(b, typed(S(2), KT_BF16)); /* neither operand's */
    CHECK_EQ_INT(kt_dtype_of(sum), KT_F32);
    CHECK_EQ_INT(record_of(sum).why, KT_WHY_PROMOTION);
    CHECK_EQ_INT(record_of(sum).from, KT_F16);
    CHECK_EQ_INT(record_of(sum).parent, kt_lineage_of(b));
    CHECK_STR(record_of(sum).op, "add");
    CHECK_EQ_INT(record_of(kt_mul_s(typed(S(2), KT_I32), KT_FLOAT(1.5))).why, KT_WHY_SCALAR);
    kt_tensor *cast = kt_to(a, .dtype = KT_F64);
    CHECK_EQ_INT(record_of(cast).why, KT_WHY_EXPLICIT);
    CHECK_EQ_INT(record_of(cast).parent, kt_lineage_of(a));
    const uint32_t before = kt_lineage_of(a);
    kt_add_(a, cast); /* a write does not change where the dtype came from */
    CHECK_EQ_INT(kt_lineage_of(a), before);
    CHECK_EQ_INT(kt_lineage_of(kt_to(ones(S(2)), .dtype = KT_F64)), kt_lineage_of(kt_to(ones(S(2)), .dtype = KT_F64)));
#endif
}

TEST(a_product_may_be_written_over_its_operand)
{
    KT_SCOPE;
    kt_tensor *a = kt_from((float[]){1, 2, 3, 4}, KT_SHAPE(2, 2), KT_F32);
    CHECK(kt_mm_out(a, a, a) == a);
    const float want[] = {7, 10, 15, 22};
    CHECK_MEM(kt_data(a), want, sizeof want);
}

/* ---- rows that promote nothing want a buffer of their result's own dtype ---- */
TEST(buffers_of_another_dtype_that_are_refused)
{
    KT_SCOPE;
    kt_tensor *f = kt_ones(KT_SHAPE(2)), *d = kt_empty(KT_SHAPE(2), .dtype = KT_F64), *i = kt_ones(KT_SHAPE(2), .dtype = KT_I32);
    kt_tensor *mask = kt_gt_s(f, KT_INT(0)), *f2 = kt_empty(KT_SHAPE(2));
    CHECK_FAILS(kt_ceil_out(d, f), KT_ERR_RUNTIME, "Found dtype Double but expected Float");
    CHECK_FAILS(kt_neg_out(f2, i), KT_ERR_RUNTIME, "Found dtype Float but expected Int");
    CHECK_FAILS(kt_abs_out(d, f), KT_ERR_RUNTIME, "Found dtype Double but expected Float");
    CHECK_FAILS(kt_where_out(d, mask, f, f), KT_ERR_RUNTIME, "Expected out type to be Float but got Double");
    CHECK_FAILS(kt_nan_to_num_out(d, f), KT_ERR_RUNTIME, "nan_to_num: dtype of out: Double should be same as input: Float");
    CHECK_FAILS(kt_clamp_min_s_out(d, f, KT_INT(0)), KT_ERR_RUNTIME, "Found dtype Double but expected Float");
    CHECK(kt_clamp_min_out(d, f, f) == d);                             /* two tensors promote */
    CHECK(kt_abs_out(d, kt_ones(KT_SHAPE(2), .dtype = KT_C64)) == d); /* and so does the modulus */
    CHECK(kt_exp_out(d, f) == d && kt_ceil_out(f2, f) == f2);
    KT_POLICY(KT_PERMISSIVE);
    CHECK(kt_ceil_out(d, f) == d);
}
