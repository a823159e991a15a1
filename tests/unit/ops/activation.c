/* activation.c - the activation functions: values beside their definitions in long double, dtypes, layouts, meta tensors,
 * buffers, and what PyTorch refuses, word for word.
 *
 * In: the C face. Reference: the definitions below. Derivatives: tests/unit/grad/activation.c. */
#include "harness.h"

#include <karat/karat.h>
#include <math.h>

#include "support/by_name.h"

typedef long double real;

static const double points[] = {-9, -6.5, -3, -2.25, -1, -0.5, -0.3, -0.0625, 0, 0.0625, 0.3, 0.5, 1, 2.25, 3, 6, 6.5, 25};
enum { N = sizeof points / sizeof *points };

static real between(real a, real low, real high) { return a < low ? low : a > high ? high : a; }
static real elu(real a, real alpha, real scale, real inside) { return scale * (a > 0 ? a : alpha * expm1l(a * inside)); }
static real cubic(real a) { return sqrtl(2 / acosl(-1)) * (a + 0.044715L * a * a * a); }

#define FUNCTIONS(X)                                                                                                   \
    X(kt_gelu(x), a * erfcl(-a / sqrtl(2)) / 2)                                                                        \
    X(kt_gelu(x, .approximate = "none"), a * erfcl(-a / sqrtl(2)) / 2)                                                 \
    X(kt_gelu(x, .approximate = "tanh"), a * (1 + tanhl(cubic(a))) / 2)                                                \
    X(kt_silu(x), a / (1 + expl(-a)))                                                                                  \
    X(kt_mish(x), a *tanhl(log1pl(expl(a))))                                                                           \
    X(kt_elu(x), elu(a, 1, 1, 1))                                                                                      \
    X(kt_elu(x, .alpha = KT_FLOAT(0.5), .scale = KT_INT(2), .input_scale = KT_INT(3)), elu(a, 0.5L, 2, 3))             \
    X(kt_celu(x, .alpha = KT_INT(2)), elu(a, 2, 1, 0.5L))                                                              \
    X(kt_selu(x), elu(a, 1.67326324235437728481L, 1.05070098735548049342L, 1))                                         \
    X(kt_leaky_relu(x), a > 0 ? a : a * (real)0.01)                                                                    \
    X(kt_hardtanh(x), between(a, -1, 1))                                                                               \
    X(kt_hardtanh(x, .min_val = KT_INT(0), .max_val = KT_FLOAT(2.5)), between(a, 0, 2.5L))                             \
    X(kt_relu6(x), between(a, 0, 6))                                                                                   \
    X(kt_hardsigmoid(x), between(a + 3, 0, 6) / 6)                                                                     \
    X(kt_hardswish(x), a *between(a + 3, 0, 6) / 6)                                                                    \
    X(kt_hardshrink(x), fabsl(a) <= 0.5L ? 0 : a)                                                                      \
    X(kt_softshrink(x, .lambd = KT_INT(1)), a > 1 ? a - 1 : a < -1 ? a + 1 : 0)                                        \
    X(kt_softplus(x), a > 20 ? a : log1pl(expl(a)))                                                                    \
    X(kt_softplus(x, .beta = KT_INT(2), .threshold = KT_INT(5)), 2 * a > 5 ? a : log1pl(expl(2 * a)) / 2)              \
    X(kt_log_sigmoid(x), -log1pl(expl(-a)))                                                                            \
    X(kt_softsign(x), a / (1 + fabsl(a)))                                                                              \
    X(kt_tanhshrink(x), a - tanhl(a))                                                                                  \
    X(kt_threshold(x, KT_FLOAT(0.5), KT_INT(20)), a <= 0.5L ? 20 : a)                                                  \
    X(kt_prelu(x, kt_full(KT_SHAPE(1), KT_FLOAT(0.25), .dtype = d)), a > 0 ? a : a / 4)

static void compare(const char *name, const kt_tensor *y, int i, real want, kt_dtype d)
{
    const double unit = d == KT_F64 ? 1e-14 : d == KT_F32 ? 1e-6 : d == KT_F16 ? 0x1p-10 : 0x1p-7;
    const double got = tensor_at(y, i);
    CHECK_MSG(fabsl(got - want) <= unit * (fabsl(want) + 0.25L), "%s of %g in %s: %.17g, not %.17Lg", name, points[i],
              kt_dtype_name(d), got, want);
}

/* Of a narrow float the argument is what it holds, and a composite rounds at every step. */
TEST(values)
{
    static const kt_dtype floats[] = {KT_F32, KT_F64, KT_F16, KT_BF16};
    for (int k = 0; k < 4; k++) {
        KT_SCOPE;
        const kt_dtype d = floats[k];
        kt_tensor     *x = tensor_of(d, KT_SHAPE(N), points);
#define COMPARE(call, definition)                                                                                      \
    {                                                                                                                  \
        kt_tensor *y = call;                                                                                           \
        if (CHECK_MSG(y && kt_dtype_of(y) == d, #call " in %s: %s", kt_dtype_name(d), kt_error()))                     \
            for (int i = 0; i < N; i++) {                                                                              \
                const real a = tensor_at(x, i);                                                                        \
                compare(#call, y, i, definition, d);                                                                   \
            }                                                                                                          \
        kt_clear();                                                                                                    \
    }
        FUNCTIONS(COMPARE)
    }
}

/* Every length up to a few vectors: what is left over at the end is no special case for the reader. */
TEST(every_length)
{
    for (int64_t n = 0; n < 70; n++) {
        KT_SCOPE;
        kt_tensor *x = kt_linspace(KT_INT(-4), KT_INT(4), n), *g = kt_gelu(x), *l = kt_leaky_relu_(kt_clone(x));
        for (int64_t i = 0; i < n; i++) {
            const real a = tensor_at(x, i);
            CHECK_NEAR(tensor_at(g, i), (double)(a * erfcl(-a / sqrtl(2)) / 2), 1e-6);
            CHECK_NEAR(tensor_at(l, i), (double)(a > 0 ? a : a * (real)0.01), 1e-6);
        }
    }
}

TEST(integers)
{
    KT_SCOPE;
    kt_tensor *x = kt_from((int16_t[]){-300, -2, 0, 1, 5, 9}, KT_SHAPE(6), KT_I16);
    kt_tensor *held = kt_hardtanh(x, .min_val = KT_FLOAT(-1.9), .max_val = KT_FLOAT(5.9)), *six = kt_relu6(x);
    kt_tensor *over = kt_threshold(x, KT_FLOAT(0.7), KT_FLOAT(-7.9));
    const int  want[3][6] = {{-1, -1, 0, 1, 5, 5}, {0, 0, 0, 1, 5, 6}, {-7, -7, -7, 1, 5, 9}};
    for (int i = 0; i < 6; i++) {
        CHECK_EQ_INT(tensor_at(held, i), want[0][i]);
        CHECK_EQ_INT(tensor_at(six, i), want[1][i]);
        CHECK_EQ_INT(tensor_at(over, i), want[2][i]);
    }
    CHECK(kt_dtype_of(held) == KT_I16 && kt_dtype_of(over) == KT_I16 && kt_dtype_of(kt_softsign(x)) == KT_F32);
    kt_tensor *u = kt_from((uint8_t[]){0, 200}, KT_SHAPE(2), KT_U8);
    CHECK_EQ_INT(tensor_at(kt_threshold(u, KT_INT(-1), KT_INT(3)), 1), 3); /* -1 is 255 there, as in PyTorch */
    CHECK_FAILS(kt_hardtanh(u), KT_ERR_RUNTIME, "cannot do hardtanh on an unsigned type with negative limits");
    CHECK_FAILS(kt_threshold(x, KT_INT(70000), KT_INT(1)), KT_ERR_RUNTIME,
                "value cannot be converted to type int16_t without overflow");
    CHECK_FAILS(kt_hardtanh(x, .min_val = KT_FLOAT(-INFINITY)), KT_ERR_RUNTIME,
                "value cannot be converted to type int64_t without overflow");
}

/* A narrow float is compared with the number that it would hold. */
TEST(bounds_in_narrow_floats)
{
    KT_SCOPE;
    kt_tensor *x = tensor_of(KT_F16, KT_SHAPE(2), (double[]){0.3, -0.3});
    CHECK_EQ_INT(tensor_at(kt_hardshrink(x, .lambd = KT_FLOAT(0.3)), 0), 0);
    CHECK(tensor_at(kt_softshrink(x, .lambd = KT_FLOAT(0.3)), 0) > 0);
    CHECK_FAILS(kt_hardshrink(x, .lambd = KT_INT(70000)), KT_ERR_RUNTIME,
                "value cannot be converted to type c10::Half without overflow");
    CHECK_FAILS(kt_softshrink(x, .lambd = KT_INT(70000)), KT_ERR_RUNTIME,
                "lambda must be in range [0, 65504] for input dtype Half, but found 70000");
    CHECK(kt_elu(x, .alpha = KT_INT(70000)) != NULL);
    CHECK_FAILS(kt_elu(x, .alpha = KT_FLOAT(1e39)), KT_ERR_RUNTIME,
                "value cannot be converted to type float without overflow");
}

TEST(dtypes_without_a_meaning)
{
    KT_SCOPE;
    kt_tensor *i = kt_ones(KT_SHAPE(4), .dtype = KT_I64), *b = kt_ones(KT_SHAPE(4), .dtype = KT_BOOL);
    kt_tensor *z = kt_ones(KT_SHAPE(4), .dtype = KT_C64);
    CHECK_FAILS(kt_gelu(i), KT_ERR_NOT_IMPLEMENTED, "\"GeluKernelImpl\" not implemented for 'Long'");
    CHECK_FAILS(kt_silu(i), KT_ERR_NOT_IMPLEMENTED, "\"silu_cpu\" not implemented for 'Long'");
    CHECK_FAILS(kt_selu_(i), KT_ERR_NOT_IMPLEMENTED, "\"elu_cpu\" not implemented for 'Long'");
    CHECK_FAILS(kt_celu(z), KT_ERR_NOT_IMPLEMENTED, "\"elu_cpu\" not implemented for 'ComplexFloat'");
    CHECK_FAILS(kt_softshrink(b), KT_ERR_NOT_IMPLEMENTED, "\"softshrink_check\" not implemented for 'Bool'");
    CHECK_FAILS(kt_log_sigmoid(i), KT_ERR_NOT_IMPLEMENTED, "\"log_sigmoid_cpu\" not implemented for 'Long'");
    CHECK_FAILS(kt_glu(i), KT_ERR_NOT_IMPLEMENTED, "\"glu_cpu\" not implemented for 'Long'");
    CHECK_FAILS(kt_prelu(i, i), KT_ERR_RUNTIME, "Mismatch of parameter numbers");
    CHECK_FAILS(kt_prelu(i, kt_ones(KT_SHAPE(1), .dtype = KT_I64)), KT_ERR_NOT_IMPLEMENTED,
                "\"prelu_cpu\" not implemented for 'Long'");
    CHECK_FAILS(kt_relu6(b), KT_ERR_RUNTIME, "Bool inputs not supported for hardtanh");
    CHECK_FAILS(kt_hardtanh(z), KT_ERR_NOT_IMPLEMENTED, "clamp is not supported for complex types");
    CHECK_FAILS(kt_threshold(b, KT_INT(0), KT_INT(0)), KT_ERR_NOT_IMPLEMENTED, "\"threshold_cpu\" not implemented for 'Bool'");
    CHECK_FAILS(kt_tanhshrink(b), KT_ERR_RUNTIME, "Subtraction, the `-` operator, with a bool tensor is not supported.");
    CHECK(kt_dtype_of(kt_silu(z)) == KT_C64 && kt_dtype_of(kt_softsign(z)) == KT_C64);
}

TEST(numbers_that_are_refused)
{
    KT_SCOPE;
    kt_tensor *x = kt_ones(KT_SHAPE(4));
    CHECK_FAILS(kt_gelu(x, .approximate = "no"), KT_ERR_RUNTIME, "approximate argument must be either none or tanh.");
    CHECK_FAILS(kt_celu(x, .alpha = KT_FLOAT(0)), KT_ERR_RUNTIME, "ZeroDivisionError: alpha cannot be 0 for CELU");
    CHECK_FAILS(kt_celu(x, .alpha = KT_COMPLEX(0, 1)), KT_ERR_RUNTIME,
                "value cannot be converted to type double without overflow");
    CHECK_FAILS(kt_softshrink(x, .lambd = KT_FLOAT(-0.25)), KT_ERR_RUNTIME,
                "lambda must be in range [0, 3.40282e+38] for input dtype Float, but found -0.25");
    CHECK_FAILS(kt_leaky_relu(x, .negative_slope = KT_COMPLEX(0, 1)), KT_ERR_RUNTIME,
                "value cannot be converted to type float without overflow");
}

TEST(shapes_that_are_refused)
{
    KT_SCOPE;
    kt_tensor *x = kt_ones(KT_SHAPE(2, 3)), *zero = kt_ones(KT_SCALAR);
    CHECK_FAILS(kt_glu(x), KT_ERR_RUNTIME, "Halving dimension must be even, but dimension 1 is size 3");
    CHECK_FAILS(kt_glu(x, .dim = KT_SOME(2)), KT_ERR_INDEX,
                "Dimension out of range (expected to be in range of [-2, 1], but got 2)");
    CHECK_FAILS(kt_glu(zero), KT_ERR_RUNTIME, "glu does not support 0-dimensional tensors");
    CHECK_FAILS(kt_prelu(x, kt_ones(KT_SHAPE(2))), KT_ERR_RUNTIME,
                "Mismatch of parameter numbers and input channel size. Found parameter numbers = 2 and channel size = 3.");
    CHECK_FAILS(kt_prelu(zero, kt_ones(KT_SHAPE(3))), KT_ERR_RUNTIME, "Not allow zero-dim input tensor.");
    CHECK_FAILS(kt_prelu(x, kt_ones(KT_SHAPE(1, 3))), KT_ERR_RUNTIME,
                "prelu: Expected `weight` to be a scalar or 1D tensor, but got: ndim = 2");
    CHECK_FAILS(kt_prelu(x, kt_ones(KT_SHAPE(3), .dtype = KT_F64)), KT_ERR_RUNTIME,
                "prelu: Type promoting not supported. Got Float and Double");
    kt_tensor *big = kt_to(x, .dtype = KT_F64);
    CHECK_FAILS(kt_gelu_out(big, x), KT_ERR_RUNTIME, "Found dtype Double but expected Float");
    CHECK_FAILS(kt_log_sigmoid_out(big, x), KT_ERR_RUNTIME, "expected scalar type Float but found Double");
    CHECK(kt_threshold_out(big, x, KT_INT(0), KT_INT(0)) == big);
}

/* Half a dim, whichever way the tensor lies; and a meta tensor has what the CPU would give. */
TEST(layouts)
{
    KT_SCOPE;
    const kt_device meta = {KT_META, 0};
    kt_tensor      *x = kt_linspace(KT_INT(-3), KT_INT(3), 24), *m = kt_reshape(x, KT_SHAPE(2, 4, 3));
    kt_tensor      *y = kt_glu(m, .dim = KT_SOME(1)), *turned = kt_glu(kt_transpose(m, 1, 2));
    for (int i = 0; i < 12; i++) {
        const int    at = i / 6 * 12 + i % 6;
        const double a = tensor_at(x, at), b = tensor_at(x, at + 6);
        CHECK_NEAR(tensor_at(y, i), a / (1 + exp(-b)), 1e-6);
    }
    CHECK_NEAR(tensor_at(turned, 1), tensor_at(y, 3), 0);
    kt_tensor *far = kt_empty(KT_SHAPE(4, 6), .device = meta), *near = kt_empty(KT_SHAPE(4, 6));
    kt_tensor *const pairs[][2] = {{kt_gelu(kt_t(far)), kt_gelu(kt_t(near))},
                                   {kt_glu(kt_t(far)), kt_glu(kt_t(near))},
                                   {kt_softplus(far), kt_softplus(near)},
                                   {kt_prelu(kt_t(far), kt_empty(KT_SHAPE(4), .device = meta)),
                                    kt_prelu(kt_t(near), kt_empty(KT_SHAPE(4)))}};
    for (size_t i = 0; i < sizeof pairs / sizeof *pairs; i++)
        for (int d = 0; d < 2; d++) {
            CHECK_EQ_INT(kt_size(pairs[i][0], d), kt_size(pairs[i][1], d));
            CHECK_EQ_INT(kt_strides(pairs[i][0]).d[d], kt_strides(pairs[i][1]).d[d]);
        }
    CHECK_FAILS(kt_gelu(kt_empty(KT_SHAPE(2), .dtype = KT_I64, .device = meta)), KT_ERR_NOT_IMPLEMENTED,
                "\"GeluKernelImpl\" not implemented for 'Long'");
}

/* Where 0 meets -0 the element stays, as in PyTorch. */
TEST(zeros_keep_their_sign)
{
    KT_SCOPE;
    for (int64_t n = 1; n < 40; n += 13) {
        kt_tensor *x = kt_full(KT_SHAPE(n), KT_FLOAT(-0.0)), *y = kt_full(KT_SHAPE(n), KT_FLOAT(0.0));
        CHECK(signbit(tensor_at(kt_relu(x), n - 1)) && signbit(tensor_at(kt_relu6(x), n - 1)));
        CHECK(signbit(tensor_at(kt_clamp_min_s(x, KT_INT(0)), n - 1)));
        CHECK(!signbit(tensor_at(kt_clamp_max_s(y, KT_FLOAT(-0.0)), n - 1)));
        CHECK(signbit(tensor_at(kt_maximum(x, y), n - 1)) && !signbit(tensor_at(kt_minimum(y, x), n - 1)));
    }
}
