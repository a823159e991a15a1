/* print.c - tensors as text: the numbers, the layout, the suffixes, the options, and what happens without memory. */
#include "harness.h"

#include "print/print.h"
#include "tensor/tensor.h"

#include <karat/karat.h>

#include <math.h>
#include <stdlib.h>

/* Without caches every allocation can be made to fail. */
__attribute__((constructor(101))) static void allocate_directly(void)
{
    setenv("KARAT_ALLOC", "system", 1);
}

static bool check_text(const kt_tensor *t, const char *want, const char *file, int line)
{
    char      *got = kt_to_string(t);
    const bool held = test_check(got != NULL, file, line, "no text: %s", kt_error()) &&
                      test_equal_str(got, want, file, line, "the printed tensor");
    kt_free_string(got);
    return held;
}
#define PRINTS(tensor, text) check_text((tensor), (text), __FILE__, __LINE__)

static int64_t count(kt_shape shape)
{
    int64_t n = 1;
    for (int64_t i = 0; i < shape.n; i++)
        n *= shape.d[i];
    return n;
}

static kt_tensor *stored(kt_dtype dtype, kt_shape shape, const double *values, int step, double slope)
{
    const size_t  item = kt_dtype_size(dtype);
    const int64_t n = count(shape);
    const bool    whole = kt_dtype_category(dtype) == KT_CAT_INT || dtype == KT_BOOL;
    char         *elements = malloc((size_t)n * item + 1);
    if (!CHECK(elements != NULL))
        return NULL;
    for (int64_t i = 0; i < n; i++) {
        const double    re = values ? values[i * step] : (double)i * slope;
        const kt_scalar value = whole       ? KT_INT((int64_t)re)
                                : step == 2 ? KT_COMPLEX(re, values[i * 2 + 1])
                                            : KT_FLOAT(re);
        kt_scalar_store(elements + (size_t)i * item, dtype, value);
    }
    kt_tensor *t = kt_from(elements, shape, dtype);
    free(elements);
    return t;
}

static kt_tensor *reals(kt_dtype dtype, kt_shape shape, const double *values)
{
    return stored(dtype, shape, values, 1, 0);
}

/* Pairs: real part, imaginary part. */
static kt_tensor *complexes(kt_dtype dtype, kt_shape shape, const double *values)
{
    return stored(dtype, shape, values, 2, 0);
}

/* 0, slope, 2 slope, ... */
static kt_tensor *ramp(kt_dtype dtype, kt_shape shape, double slope)
{
    return stored(dtype, shape, NULL, 1, slope);
}

static kt_tensor *empty(kt_dtype dtype, kt_shape shape)
{
    return stored(dtype, shape, NULL, 1, 0);
}

static void options(int precision, int64_t threshold, int64_t edgeitems, int linewidth, int sci_mode)
{
    const kt_print_options o = {.size = sizeof o, .precision = precision, .threshold = threshold, .edgeitems = edgeitems,
                                .linewidth = linewidth, .sci_mode = sci_mode};
    CHECK_EQ_INT(kt_set_print_options(&o), KT_OK);
}

TEST(integers)
{
    KT_SCOPE;
    PRINTS(reals(KT_I64, KT_SHAPE(3), (double[]){1, 22, 333}),
           "tensor([  1,  22, 333])");
    PRINTS(reals(KT_I64, KT_SHAPE(3), (double[]){-1, 22, 333}),
           "tensor([ -1,  22, 333])");
    PRINTS(reals(KT_I64, KT_SCALAR, (double[]){5}),
           "tensor(5)");
    PRINTS(reals(KT_I64, KT_SHAPE(2), (double[]){1000000000000, 1}),
           "tensor([1000000000000,             1])");
    PRINTS(reals(KT_I8, KT_SHAPE(2), (double[]){-128, 7}),
           "tensor([-128,    7], dtype=torch.int8)");
    PRINTS(reals(KT_I16, KT_SHAPE(2, 2), (double[]){1, -1, 100, 20}),
           "tensor([[  1,  -1],\n"
           "        [100,  20]], dtype=torch.int16)");
    PRINTS(reals(KT_I32, KT_SHAPE(1), (double[]){-2000000000}),
           "tensor([-2000000000], dtype=torch.int32)");
    PRINTS(reals(KT_U8, KT_SHAPE(3), (double[]){0, 10, 255}),
           "tensor([  0,  10, 255], dtype=torch.uint8)");
    PRINTS(reals(KT_U16, KT_SHAPE(2), (double[]){0, 65535}),
           "tensor([    0, 65535], dtype=torch.uint16)");
    PRINTS(reals(KT_U32, KT_SHAPE(2), (double[]){4000000000, 1}),
           "tensor([4000000000,          1], dtype=torch.uint32)");
}

TEST(bools)
{
    KT_SCOPE;
    PRINTS(reals(KT_BOOL, KT_SHAPE(2), (double[]){1, 0}),
           "tensor([ True, False])");
    PRINTS(reals(KT_BOOL, KT_SHAPE(2), (double[]){1, 1}),
           "tensor([True, True])");
    PRINTS(reals(KT_BOOL, KT_SHAPE(2, 1), (double[]){1, 0}),
           "tensor([[ True],\n"
           "        [False]])");
    PRINTS(reals(KT_BOOL, KT_SCALAR, (double[]){0}),
           "tensor(False)");
}

TEST(floats_without_a_fraction)
{
    KT_SCOPE;
    PRINTS(reals(KT_F32, KT_SHAPE(3), (double[]){1.0, 2.0, 3.0}),
           "tensor([1., 2., 3.])");
    PRINTS(reals(KT_F32, KT_SHAPE(2), (double[]){0.0, -0.0}),
           "tensor([0., -0.])");
    PRINTS(reals(KT_F32, KT_SHAPE(3), (double[]){1.0, INFINITY, NAN}),
           "tensor([1., inf, nan])");
    PRINTS(reals(KT_F32, KT_SHAPE(1), (double[]){100000000.0}),
           "tensor([100000000.])");
    PRINTS(reals(KT_F32, KT_SHAPE(1), (double[]){-INFINITY}),
           "tensor([-inf])");
    PRINTS(reals(KT_F32, KT_SHAPE(2), (double[]){NAN, NAN}),
           "tensor([nan, nan])");
    PRINTS(reals(KT_F32, KT_SHAPE(3), (double[]){-1.0, 0.0, 10.0}),
           "tensor([-1.,  0., 10.])");
    PRINTS(reals(KT_F32, KT_SHAPE(2), (double[]){1.0, 1000.0}),
           "tensor([   1., 1000.])");
    PRINTS(reals(KT_F32, KT_SHAPE(2), (double[]){1.0, 1001.0}),
           "tensor([1.0000e+00, 1.0010e+03])");
    PRINTS(reals(KT_F32, KT_SHAPE(1), (double[]){100000008.0}),
           "tensor([1.0000e+08])");
    PRINTS(reals(KT_F32, KT_SCALAR, (double[]){3.0}),
           "tensor(3.)");
    PRINTS(reals(KT_F32, KT_SCALAR, (double[]){NAN}),
           "tensor(nan)");
}

TEST(floats_in_fixed_notation)
{
    KT_SCOPE;
    PRINTS(reals(KT_F32, KT_SHAPE(3), (double[]){1.0, 2.5, 1000.0}),
           "tensor([   1.0000,    2.5000, 1000.0000])");
    PRINTS(reals(KT_F32, KT_SHAPE(3), (double[]){1.5, NAN, -INFINITY}),
           "tensor([1.5000,    nan,   -inf])");
    PRINTS(reals(KT_F32, KT_SHAPE(2), (double[]){0.5, -0.25}),
           "tensor([ 0.5000, -0.2500])");
    PRINTS(reals(KT_F32, KT_SCALAR, (double[]){123456.789}),
           "tensor(123456.7891)");
    PRINTS(reals(KT_F32, KT_SHAPE(1), (double[]){99999.5}),
           "tensor([99999.5000])");
    PRINTS(reals(KT_F32, KT_SHAPE(4), (double[]){0.00015, 0.00025, 0.1, 0.00035}),
           "tensor([0.0002, 0.0003, 0.1000, 0.0003])");
    PRINTS(reals(KT_F64, KT_SHAPE(1), (double[]){0.0001}),
           "tensor([0.0001], dtype=torch.float64)");
    PRINTS(reals(KT_F64, KT_SHAPE(2), (double[]){0.1, 0.2}),
           "tensor([0.1000, 0.2000], dtype=torch.float64)");
}

TEST(floats_in_scientific_notation)
{
    KT_SCOPE;
    PRINTS(reals(KT_F32, KT_SHAPE(1), (double[]){1e-05}),
           "tensor([1.0000e-05])");
    PRINTS(reals(KT_F32, KT_SHAPE(1), (double[]){0.0001}),
           "tensor([1.0000e-04])");
    PRINTS(reals(KT_F32, KT_SHAPE(2), (double[]){1e-30, 1e+30}),
           "tensor([1.0000e-30, 1.0000e+30])");
    PRINTS(reals(KT_F64, KT_SHAPE(2), (double[]){1e+300, 1.0}),
           "tensor([1.0000e+300,  1.0000e+00], dtype=torch.float64)");
    PRINTS(reals(KT_F64, KT_SHAPE(2), (double[]){1e-310, -1e-310}),
           "tensor([ 1.0000e-310, -1.0000e-310], dtype=torch.float64)");
    PRINTS(reals(KT_F32, KT_SHAPE(1), (double[]){1e-45}),
           "tensor([1.4013e-45])");
    PRINTS(reals(KT_F32, KT_SHAPE(2, 2), (double[]){1.5, -22.25, 333.125, -4444.0}),
           "tensor([[ 1.5000e+00, -2.2250e+01],\n"
           "        [ 3.3312e+02, -4.4440e+03]])");
    PRINTS(reals(KT_F32, KT_SHAPE(4), (double[]){10000000000.0, NAN, INFINITY, 0.0}),
           "tensor([1.0000e+10,        nan,        inf, 0.0000e+00])");
    PRINTS(reals(KT_F64, KT_SCALAR, (double[]){5e-324}),
           "tensor(4.9407e-324, dtype=torch.float64)");
    PRINTS(reals(KT_F32, KT_SHAPE(2), (double[]){0.5, 1000000000.0}),
           "tensor([5.0000e-01, 1.0000e+09])");
}

TEST(narrow_floats)
{
    KT_SCOPE;
    PRINTS(reals(KT_F16, KT_SHAPE(3), (double[]){0.1, 0.2, 0.3}),
           "tensor([0.1000, 0.2000, 0.3000], dtype=torch.float16)");
    PRINTS(reals(KT_F16, KT_SHAPE(2), (double[]){65504.0, 1.0}),
           "tensor([6.5504e+04, 1.0000e+00], dtype=torch.float16)");
    PRINTS(reals(KT_F16, KT_SHAPE(1), (double[]){6e-08}),
           "tensor([5.9605e-08], dtype=torch.float16)");
    PRINTS(reals(KT_BF16, KT_SHAPE(3), (double[]){0.1, 1000.0, 0.3}),
           "tensor([1.0010e-01, 1.0000e+03, 3.0078e-01], dtype=torch.bfloat16)");
    PRINTS(reals(KT_BF16, KT_SCALAR, (double[]){2.5}),
           "tensor(2.5000, dtype=torch.bfloat16)");
    PRINTS(reals(KT_E4M3FN, KT_SHAPE(3), (double[]){0.1, 448.0, NAN}),
           "tensor([1.0156e-01, 4.4800e+02,        nan], dtype=torch.float8_e4m3fn)");
    PRINTS(reals(KT_E5M2, KT_SHAPE(3), (double[]){0.25, INFINITY, -1.5}),
           "tensor([ 0.2500,     inf, -1.5000], dtype=torch.float8_e5m2)");
    PRINTS(reals(KT_E4M3FNUZ, KT_SHAPE(2), (double[]){240.0, -0.5}),
           "tensor([240.0000,  -0.5000], dtype=torch.float8_e4m3fnuz)");
    PRINTS(reals(KT_E5M2FNUZ, KT_SHAPE(2), (double[]){1.0, 57344.0}),
           "tensor([1.0000e+00, 5.7344e+04], dtype=torch.float8_e5m2fnuz)");
    PRINTS(reals(KT_E8M0FNU, KT_SHAPE(3), (double[]){1.0, 4.0, 0.5}),
           "tensor([1.0000, 4.0000, 0.5000], dtype=torch.float8_e8m0fnu)");
    PRINTS(reals(KT_E8M0FNU, KT_SHAPE(2), (double[]){0.0, 2.0}),
           "tensor([0., 2.], dtype=torch.float8_e8m0fnu)");
    PRINTS(reals(KT_E8M0FNU, KT_SHAPE(2), (double[]){NAN, 1.0}),
           "tensor([   nan, 1.0000], dtype=torch.float8_e8m0fnu)");
}

TEST(complex_numbers)
{
    KT_SCOPE;
    PRINTS(complexes(KT_C64, KT_SHAPE(2), (double[]){1.0, 1.0, 2.5, -3.0}),
           "tensor([1.0000+1.j, 2.5000-3.j])");
    PRINTS(complexes(KT_C128, KT_SHAPE(2, 2), (double[]){0.0, 1.0, 0.0, -1.0, 0.0, 0.0, 2.0, 0.0}),
           "tensor([[0.+1.j, 0.-1.j],\n"
           "        [0.+0.j, 2.+0.j]], dtype=torch.complex128)");
    PRINTS(complexes(KT_C64, KT_SCALAR, (double[]){1.5, -0.25}),
           "tensor(1.5000-0.2500j)");
    PRINTS(complexes(KT_C64, KT_SHAPE(2), (double[]){100.0, 0.001, 0.001, 2.0}),
           "tensor([1.0000e+02+1.0000e-03j, 1.0000e-03+2.0000e+00j])");
    PRINTS(complexes(KT_C64, KT_SHAPE(2), (double[]){NAN, 1.0, INFINITY, -2.0}),
           "tensor([nan+1.j, inf-2.j])");
    PRINTS(complexes(KT_C64, KT_SHAPE(2), (double[]){1.0, NAN, -22.0, -INFINITY}),
           "tensor([  1.+nanj, -22.-infj])");
    PRINTS(complexes(KT_C64, KT_SHAPE(2), (double[]){1000000.0, 1.0, 2.0, 0.0}),
           "tensor([1.0000e+06+1.j, 2.0000e+00+0.j])");
    PRINTS(complexes(KT_C32, KT_SHAPE(2), (double[]){0.1, 0.2, -3.0, -0.0}),
           "tensor([ 0.1000+0.2000j, -3.0000-0.0000j], dtype=torch.complex32)");
    PRINTS(complexes(KT_C64, KT_SHAPE(3), (double[]){1.0, 0.5, 1.0, -100.25, -10.0, 0.0}),
           "tensor([  1.+0.5000j,   1.-100.2500j, -10.+0.0000j])");
}

TEST(empty)
{
    KT_SCOPE;
    PRINTS(empty(KT_F32, KT_SHAPE(0)),
           "tensor([])");
    PRINTS(empty(KT_F32, KT_SHAPE(2, 0)),
           "tensor([], size=(2, 0))");
    PRINTS(empty(KT_I64, KT_SHAPE(0)),
           "tensor([], dtype=torch.int64)");
    PRINTS(empty(KT_BOOL, KT_SHAPE(0, 3)),
           "tensor([], size=(0, 3), dtype=torch.bool)");
    PRINTS(empty(KT_F64, KT_SHAPE(3, 0, 2)),
           "tensor([], size=(3, 0, 2), dtype=torch.float64)");
    PRINTS(empty(KT_C64, KT_SHAPE(0)),
           "tensor([], dtype=torch.complex64)");
}

TEST(brackets)
{
    KT_SCOPE;
    PRINTS(ramp(KT_I64, KT_SHAPE(2, 3, 4), 1),
           "tensor([[[ 0,  1,  2,  3],\n"
           "         [ 4,  5,  6,  7],\n"
           "         [ 8,  9, 10, 11]],\n"
           "\n"
           "        [[12, 13, 14, 15],\n"
           "         [16, 17, 18, 19],\n"
           "         [20, 21, 22, 23]]])");
    PRINTS(ramp(KT_I32, KT_SHAPE(2, 2, 1, 2), 1),
           "tensor([[[[0, 1]],\n"
           "\n"
           "         [[2, 3]]],\n"
           "\n"
           "\n"
           "        [[[4, 5]],\n"
           "\n"
           "         [[6, 7]]]], dtype=torch.int32)");
    PRINTS(reals(KT_F32, KT_SHAPE(1, 1, 1), (double[]){0.5}),
           "tensor([[[0.5000]]])");
    PRINTS(reals(KT_I64, KT_SHAPE(2, 1), (double[]){1, -10}),
           "tensor([[  1],\n"
           "        [-10]])");
}

TEST(lines)
{
    KT_SCOPE;
    PRINTS(ramp(KT_I64, KT_SHAPE(40), 1),
           "tensor([ 0,  1,  2,  3,  4,  5,  6,  7,  8,  9, 10, 11, 12, 13, 14, 15, 16, 17,\n"
           "        18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30, 31, 32, 33, 34, 35,\n"
           "        36, 37, 38, 39])");
    PRINTS(ramp(KT_F32, KT_SHAPE(11), 0.1),
           "tensor([0.0000, 0.1000, 0.2000, 0.3000, 0.4000, 0.5000, 0.6000, 0.7000, 0.8000,\n"
           "        0.9000, 1.0000])");
    PRINTS(ramp(KT_F32, KT_SHAPE(2, 13), 0.25),
           "tensor([[0.0000, 0.2500, 0.5000, 0.7500, 1.0000, 1.2500, 1.5000, 1.7500, 2.0000,\n"
           "         2.2500, 2.5000, 2.7500, 3.0000],\n"
           "        [3.2500, 3.5000, 3.7500, 4.0000, 4.2500, 4.5000, 4.7500, 5.0000, 5.2500,\n"
           "         5.5000, 5.7500, 6.0000, 6.2500]])");
    PRINTS(ramp(KT_F32, KT_SHAPE(5), 1000000.0),
           "tensor([      0., 1000000., 2000000., 3000000., 4000000.])");
    PRINTS(complexes(KT_C64, KT_SHAPE(5), (double[]){1000000.0, 0.001, 2.0, 0.0, 3.0, 1.0, 4.0, 1.0, 5.0, 1.0}),
           "tensor([1.0000e+06+0.0010j, 2.0000e+00+0.0000j, 3.0000e+00+1.0000j,\n"
           "        4.0000e+00+1.0000j, 5.0000e+00+1.0000j])");
}

TEST(suffixes_wrap)
{
    KT_SCOPE;
    PRINTS(reals(KT_F64, KT_SHAPE(7), (double[]){1.25, 2.25, 3.25, 4.25, 5.25, 6.25, 7.25}),
           "tensor([1.2500, 2.2500, 3.2500, 4.2500, 5.2500, 6.2500, 7.2500],\n"
           "       dtype=torch.float64)");
    PRINTS(reals(KT_F64, KT_SHAPE(8), (double[]){1.25, 2.25, 3.25, 4.25, 5.25, 6.25, 7.25, 8.25}),
           "tensor([1.2500, 2.2500, 3.2500, 4.2500, 5.2500, 6.2500, 7.2500, 8.2500],\n"
           "       dtype=torch.float64)");
    PRINTS(reals(KT_F16, KT_SHAPE(9), (double[]){1.5, 2.5, 3.5, 4.5, 5.5, 6.5, 7.5, 8.5, 9.5}),
           "tensor([1.5000, 2.5000, 3.5000, 4.5000, 5.5000, 6.5000, 7.5000, 8.5000, 9.5000],\n"
           "       dtype=torch.float16)");
}

TEST(summaries)
{
    KT_SCOPE;
    PRINTS(ramp(KT_I64, KT_SHAPE(1001), 1),
           "tensor([   0,    1,    2,  ...,  998,  999, 1000])");
    PRINTS(ramp(KT_F32, KT_SHAPE(2000), 1),
           "tensor([0.0000e+00, 1.0000e+00, 2.0000e+00,  ..., 1.9970e+03, 1.9980e+03,\n"
           "        1.9990e+03])");
    PRINTS(ramp(KT_I64, KT_SHAPE(100, 100), 1),
           "tensor([[   0,    1,    2,  ...,   97,   98,   99],\n"
           "        [ 100,  101,  102,  ...,  197,  198,  199],\n"
           "        [ 200,  201,  202,  ...,  297,  298,  299],\n"
           "        ...,\n"
           "        [9700, 9701, 9702,  ..., 9797, 9798, 9799],\n"
           "        [9800, 9801, 9802,  ..., 9897, 9898, 9899],\n"
           "        [9900, 9901, 9902,  ..., 9997, 9998, 9999]])");
    PRINTS(ramp(KT_I64, KT_SHAPE(3, 1000), 1),
           "tensor([[   0,    1,    2,  ...,  997,  998,  999],\n"
           "        [1000, 1001, 1002,  ..., 1997, 1998, 1999],\n"
           "        [2000, 2001, 2002,  ..., 2997, 2998, 2999]])");
    PRINTS(ramp(KT_F32, KT_SHAPE(200, 3, 4), 0.125),
           "tensor([[[0.0000e+00, 1.2500e-01, 2.5000e-01, 3.7500e-01],\n"
           "         [5.0000e-01, 6.2500e-01, 7.5000e-01, 8.7500e-01],\n"
           "         [1.0000e+00, 1.1250e+00, 1.2500e+00, 1.3750e+00]],\n"
           "\n"
           "        [[1.5000e+00, 1.6250e+00, 1.7500e+00, 1.8750e+00],\n"
           "         [2.0000e+00, 2.1250e+00, 2.2500e+00, 2.3750e+00],\n"
           "         [2.5000e+00, 2.6250e+00, 2.7500e+00, 2.8750e+00]],\n"
           "\n"
           "        [[3.0000e+00, 3.1250e+00, 3.2500e+00, 3.3750e+00],\n"
           "         [3.5000e+00, 3.6250e+00, 3.7500e+00, 3.8750e+00],\n"
           "         [4.0000e+00, 4.1250e+00, 4.2500e+00, 4.3750e+00]],\n"
           "\n"
           "        ...,\n"
           "\n"
           "        [[2.9550e+02, 2.9562e+02, 2.9575e+02, 2.9588e+02],\n"
           "         [2.9600e+02, 2.9612e+02, 2.9625e+02, 2.9638e+02],\n"
           "         [2.9650e+02, 2.9662e+02, 2.9675e+02, 2.9688e+02]],\n"
           "\n"
           "        [[2.9700e+02, 2.9712e+02, 2.9725e+02, 2.9738e+02],\n"
           "         [2.9750e+02, 2.9762e+02, 2.9775e+02, 2.9788e+02],\n"
           "         [2.9800e+02, 2.9812e+02, 2.9825e+02, 2.9838e+02]],\n"
           "\n"
           "        [[2.9850e+02, 2.9862e+02, 2.9875e+02, 2.9888e+02],\n"
           "         [2.9900e+02, 2.9912e+02, 2.9925e+02, 2.9938e+02],\n"
           "         [2.9950e+02, 2.9962e+02, 2.9975e+02, 2.9988e+02]]])");
    PRINTS(ramp(KT_I64, KT_SHAPE(2, 2, 256), 1),
           "tensor([[[   0,    1,    2,  ...,  253,  254,  255],\n"
           "         [ 256,  257,  258,  ...,  509,  510,  511]],\n"
           "\n"
           "        [[ 512,  513,  514,  ...,  765,  766,  767],\n"
           "         [ 768,  769,  770,  ..., 1021, 1022, 1023]]])");
    PRINTS(ramp(KT_F16, KT_SHAPE(1200), 0.0),
           "tensor([0., 0., 0.,  ..., 0., 0., 0.], dtype=torch.float16)");
}

TEST(options)
{
    KT_SCOPE;
    options(2, 1000, 3, 80, -1);
    PRINTS(reals(KT_F32, KT_SHAPE(4), (double[]){3.14159265, 2.71828182, 33.3333333, -0.001}),
           "tensor([ 3.14e+00,  2.72e+00,  3.33e+01, -1.00e-03])");
    options(0, 1000, 3, 80, -1);
    PRINTS(reals(KT_F32, KT_SHAPE(4), (double[]){3.14159265, 2.71828182, 33.3333333, -0.001}),
           "tensor([ 3e+00,  3e+00,  3e+01, -1e-03])");
    PRINTS(reals(KT_F32, KT_SHAPE(2), (double[]){0.5, 1.5}),
           "tensor([0, 2])");
    options(8, 1000, 3, 80, -1);
    PRINTS(reals(KT_F64, KT_SHAPE(2), (double[]){0.1, 0.2}),
           "tensor([0.10000000, 0.20000000], dtype=torch.float64)");
    options(30, 1000, 3, 80, -1);
    PRINTS(reals(KT_F64, KT_SHAPE(1), (double[]){0.1}),
           "tensor([0.100000000000000005551115123126], dtype=torch.float64)");
    options(4, 1000, 3, 80, 1);
    PRINTS(reals(KT_F32, KT_SHAPE(2), (double[]){1.0, 2.0}),
           "tensor([1.0000e+00, 2.0000e+00])");
    PRINTS(reals(KT_F32, KT_SCALAR, (double[]){0.5}),
           "tensor(5.0000e-01)");
    PRINTS(reals(KT_F32, KT_SHAPE(2), (double[]){0.0, NAN}),
           "tensor([0., nan])");
    options(4, 1000, 3, 80, 0);
    PRINTS(reals(KT_F32, KT_SHAPE(2), (double[]){1e-07, 1.0}),
           "tensor([0.0000, 1.0000])");
    PRINTS(reals(KT_F32, KT_SHAPE(2), (double[]){10000000000.0, 0.1}),
           "tensor([10000000000.0000,           0.1000])");
    options(4, 1000, 3, 40, -1);
    PRINTS(ramp(KT_I64, KT_SHAPE(20), 1),
           "tensor([ 0,  1,  2,  3,  4,  5,  6,  7,\n"
           "         8,  9, 10, 11, 12, 13, 14, 15,\n"
           "        16, 17, 18, 19])");
    PRINTS(ramp(KT_F32, KT_SHAPE(2, 10), 0.25),
           "tensor([[0.0000, 0.2500, 0.5000, 0.7500,\n"
           "         1.0000, 1.2500, 1.5000, 1.7500,\n"
           "         2.0000, 2.2500],\n"
           "        [2.5000, 2.7500, 3.0000, 3.2500,\n"
           "         3.5000, 3.7500, 4.0000, 4.2500,\n"
           "         4.5000, 4.7500]])");
    options(4, 1000, 3, 0, -1);
    PRINTS(ramp(KT_I32, KT_SHAPE(2), 1),
           "tensor([0,\n"
           "        1],\n"
           "       dtype=torch.int32)");
    options(4, 10, 2, 80, -1);
    PRINTS(ramp(KT_I64, KT_SHAPE(6, 10), 1),
           "tensor([[ 0,  1,  ...,  8,  9],\n"
           "        [10, 11,  ..., 18, 19],\n"
           "        ...,\n"
           "        [40, 41,  ..., 48, 49],\n"
           "        [50, 51,  ..., 58, 59]])");
    PRINTS(ramp(KT_I64, KT_SHAPE(10), 1),
           "tensor([0, 1, 2, 3, 4, 5, 6, 7, 8, 9])");
    PRINTS(ramp(KT_I64, KT_SHAPE(4, 4, 4), 1),
           "tensor([[[ 0,  1,  2,  3],\n"
           "         [ 4,  5,  6,  7],\n"
           "         [ 8,  9, 10, 11],\n"
           "         [12, 13, 14, 15]],\n"
           "\n"
           "        [[16, 17, 18, 19],\n"
           "         [20, 21, 22, 23],\n"
           "         [24, 25, 26, 27],\n"
           "         [28, 29, 30, 31]],\n"
           "\n"
           "        [[32, 33, 34, 35],\n"
           "         [36, 37, 38, 39],\n"
           "         [40, 41, 42, 43],\n"
           "         [44, 45, 46, 47]],\n"
           "\n"
           "        [[48, 49, 50, 51],\n"
           "         [52, 53, 54, 55],\n"
           "         [56, 57, 58, 59],\n"
           "         [60, 61, 62, 63]]])");
    options(4, 10, 1, 80, -1);
    PRINTS(ramp(KT_I64, KT_SHAPE(4, 4, 4), 1),
           "tensor([[[ 0,  ...,  3],\n"
           "         ...,\n"
           "         [12,  ..., 15]],\n"
           "\n"
           "        ...,\n"
           "\n"
           "        [[48,  ..., 51],\n"
           "         ...,\n"
           "         [60,  ..., 63]]])");
    PRINTS(ramp(KT_I64, KT_SHAPE(21), 1),
           "tensor([ 0,  ..., 20])");
    options(4, 10, 0, 80, -1);
    PRINTS(ramp(KT_I64, KT_SHAPE(20), 1),
           "tensor([...], size=(20,))");
    PRINTS(ramp(KT_I64, KT_SHAPE(4, 5), 1),
           "tensor([...], size=(4, 5))");
    PRINTS(ramp(KT_F64, KT_SHAPE(2), 1),
           "tensor([0., 1.], size=(2,), dtype=torch.float64)");
    PRINTS(reals(KT_I64, KT_SCALAR, (double[]){1}),
           "tensor(1, size=())");
    options(4, INT64_MAX, 3, 80, -1);
    PRINTS(ramp(KT_U8, KT_SHAPE(1050), 0.0),
           "tensor([0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,\n"
           "        0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,\n"
           "        0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,\n"
           "        0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,\n"
           "        0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,\n"
           "        0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,\n"
           "        0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,\n"
           "        0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,\n"
           "        0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,\n"
           "        0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,\n"
           "        0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,\n"
           "        0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,\n"
           "        0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,\n"
           "        0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,\n"
           "        0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,\n"
           "        0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,\n"
           "        0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,\n"
           "        0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,\n"
           "        0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,\n"
           "        0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,\n"
           "        0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,\n"
           "        0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,\n"
           "        0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,\n"
           "        0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,\n"
           "        0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,\n"
           "        0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,\n"
           "        0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,\n"
           "        0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,\n"
           "        0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,\n"
           "        0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,\n"
           "        0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,\n"
           "        0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,\n"
           "        0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,\n"
           "        0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,\n"
           "        0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,\n"
           "        0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,\n"
           "        0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,\n"
           "        0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,\n"
           "        0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,\n"
           "        0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,\n"
           "        0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,\n"
           "        0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,\n"
           "        0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,\n"
           "        0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0],\n"
           "       dtype=torch.uint8)");
    options(4, -1, 3, 80, -1);
    PRINTS(reals(KT_F32, KT_SCALAR, (double[]){1.5}),
           "tensor(1.5000)");
    PRINTS(reals(KT_I64, KT_SHAPE(2), (double[]){1, 2}),
           "tensor([1, 2])");
    CHECK_EQ_INT(kt_set_print_options(NULL), KT_OK);
}
TEST(integers_at_their_ends)
{
    KT_SCOPE;
    PRINTS(kt_from((int64_t[]){INT64_MIN, INT64_MAX, 0}, KT_SHAPE(3), KT_I64),
           "tensor([-9223372036854775808,  9223372036854775807,                    0])");
    PRINTS(kt_from((uint64_t[]){UINT64_MAX, 1}, KT_SHAPE(2), KT_U64),
           "tensor([18446744073709551615,                    1], dtype=torch.uint64)");
    PRINTS(kt_from((uint64_t[]){(uint64_t)1 << 63}, KT_SCALAR, KT_U64),
           "tensor(9223372036854775808, dtype=torch.uint64)");
}

TEST(a_default_dtype_goes_unsaid)
{
    KT_SCOPE;
    kt_tensor *single = reals(KT_F32, KT_SHAPE(1), (double[]){1});
    kt_tensor *twice = reals(KT_F64, KT_SHAPE(1), (double[]){1});
    kt_tensor *z = complexes(KT_C64, KT_SCALAR, (double[]){1, 2});
    kt_tensor *zz = complexes(KT_C128, KT_SCALAR, (double[]){1, 2});
    PRINTS(single, "tensor([1.])");
    PRINTS(twice, "tensor([1.], dtype=torch.float64)");
    PRINTS(zz, "tensor(1.+2.j, dtype=torch.complex128)");
    REQUIRE(kt_set_default_dtype(KT_F64) == KT_OK);
    PRINTS(single, "tensor([1.], dtype=torch.float32)");
    PRINTS(twice, "tensor([1.])");
    PRINTS(z, "tensor(1.+2.j, dtype=torch.complex64)");
    PRINTS(zz, "tensor(1.+2.j)");
    PRINTS(empty(KT_F64, KT_SHAPE(0)), "tensor([])");
    PRINTS(empty(KT_F32, KT_SHAPE(0)), "tensor([], dtype=torch.float32)");
    REQUIRE(kt_set_default_dtype(KT_F16) == KT_OK);
    PRINTS(z, "tensor(1.+2.j)");
    PRINTS(reals(KT_F16, KT_SCALAR, (double[]){0.5}), "tensor(0.5000)");
    REQUIRE(kt_set_default_dtype(KT_F32) == KT_OK);
}

static const char *said; /* by the hook that stands in for the tape */
static const char *say_grad(const kt_tensor *t)
{
    return t ? said : NULL;
}

TEST(gradient_suffixes)
{
    KT_SCOPE;
    const char *(*before)(const kt_tensor *) = kt__print_grad;
    kt_tensor *x = reals(KT_F32, KT_SHAPE(2), (double[]){2, 4}), *h = reals(KT_F64, KT_SCALAR, (double[]){0.1});
    kt__print_grad = say_grad;
    said = "MulBackward0";
    PRINTS(x, "tensor([2., 4.], grad_fn=<MulBackward0>)");
    PRINTS(h, "tensor(0.1000, dtype=torch.float64, grad_fn=<MulBackward0>)");
    said = "";
    PRINTS(x, "tensor([2., 4.], requires_grad=True)");
    PRINTS(empty(KT_F32, KT_SHAPE(0, 2)), "tensor([], size=(0, 2), requires_grad=True)");
    options(4, 1000, 3, 30, -1);
    PRINTS(h, "tensor(0.1000,\n       dtype=torch.float64,\n       requires_grad=True)");
    said = NULL;
    PRINTS(x, "tensor([2., 4.])");
    kt__print_grad = NULL;
    PRINTS(x, "tensor([2., 4.])");
    kt__print_grad = before;
    CHECK_EQ_INT(kt_set_print_options(NULL), KT_OK);
}

TEST(a_leaf_says_that_it_requires_a_gradient)
{
    KT_SCOPE;
    kt_tensor *x = reals(KT_F32, KT_SHAPE(2), (double[]){1, 2});
    REQUIRE(kt_set_requires_grad(x, true) == KT_OK);
    PRINTS(x, "tensor([1., 2.], requires_grad=True)");
    PRINTS(kt_mul_s(x, KT_INT(2)), "tensor([2., 4.], grad_fn=<MulBackward0>)");
    PRINTS(kt_detach(x), "tensor([1., 2.])");
}

TEST(meta_tensors_have_no_values)
{
    KT_SCOPE;
    const kt_device meta = {KT_META, 0};
    PRINTS(kt_empty(KT_SHAPE(2, 3), .device = meta), "tensor(..., device='meta', size=(2, 3))");
    PRINTS(kt_empty(KT_SHAPE(4), .device = meta, .dtype = KT_I64),
           "tensor(..., device='meta', size=(4,), dtype=torch.int64)");
    PRINTS(kt_empty(KT_SCALAR, .device = meta, .dtype = KT_C64),
           "tensor(..., device='meta', size=(), dtype=torch.complex64)");
    PRINTS(kt_empty(KT_SHAPE(0), .device = meta), "tensor(..., device='meta', size=(0,))");
}

TEST(views)
{
    KT_SCOPE;
    kt_tensor *x = ramp(KT_I64, KT_SHAPE(2, 3), 1);
    PRINTS(kt_transpose(x, 0, 1), "tensor([[0, 3],\n        [1, 4],\n        [2, 5]])");
    PRINTS(kt_select(x, 1, -1), "tensor([2, 5])");
    PRINTS(kt_slice(x, .dim = 1, .step = KT_SOME(2)), "tensor([[0, 2],\n        [3, 5]])");
    PRINTS(kt_conj(complexes(KT_C64, KT_SHAPE(2), (double[]){1, 2, 3, -4})), "tensor([1.-2.j, 3.+4.j])");
    PRINTS(kt_neg_view(reals(KT_F32, KT_SHAPE(2), (double[]){1, -2})), "tensor([-1.,  2.])");
    kt_tensor *big = ramp(KT_I64, KT_SHAPE(40, 50), 1);
    PRINTS(kt_transpose(big, 0, 1), "tensor([[   0,   50,  100,  ..., 1850, 1900, 1950],\n"
                                    "        [   1,   51,  101,  ..., 1851, 1901, 1951],\n"
                                    "        [   2,   52,  102,  ..., 1852, 1902, 1952],\n"
                                    "        ...,\n"
                                    "        [  47,   97,  147,  ..., 1897, 1947, 1997],\n"
                                    "        [  48,   98,  148,  ..., 1898, 1948, 1998],\n"
                                    "        [  49,   99,  149,  ..., 1899, 1949, 1999]])");
    PRINTS(kt_conj(ramp(KT_C64, KT_SHAPE(1001), 1)),
           "tensor([   0.-0.j,    1.-0.j,    2.-0.j,  ...,  998.-0.j,  999.-0.j, 1000.-0.j])");
}

TEST(only_the_edges_are_fetched)
{
    KT_SCOPE;
    const int64_t n = (int64_t)1 << 20;
    PRINTS(kt_expand(ramp(KT_I64, KT_SHAPE(1, 7, 1), 1), KT_SHAPE(n, 7, n)),
           "tensor([[[0, 0, 0,  ..., 0, 0, 0],\n"
           "         [1, 1, 1,  ..., 1, 1, 1],\n"
           "         [2, 2, 2,  ..., 2, 2, 2],\n"
           "         ...,\n"
           "         [4, 4, 4,  ..., 4, 4, 4],\n"
           "         [5, 5, 5,  ..., 5, 5, 5],\n"
           "         [6, 6, 6,  ..., 6, 6, 6]],\n\n"
           "        [[0, 0, 0,  ..., 0, 0, 0],\n"
           "         [1, 1, 1,  ..., 1, 1, 1],\n"
           "         [2, 2, 2,  ..., 2, 2, 2],\n"
           "         ...,\n"
           "         [4, 4, 4,  ..., 4, 4, 4],\n"
           "         [5, 5, 5,  ..., 5, 5, 5],\n"
           "         [6, 6, 6,  ..., 6, 6, 6]],\n\n"
           "        [[0, 0, 0,  ..., 0, 0, 0],\n"
           "         [1, 1, 1,  ..., 1, 1, 1],\n"
           "         [2, 2, 2,  ..., 2, 2, 2],\n"
           "         ...,\n"
           "         [4, 4, 4,  ..., 4, 4, 4],\n"
           "         [5, 5, 5,  ..., 5, 5, 5],\n"
           "         [6, 6, 6,  ..., 6, 6, 6]],\n\n"
           "        ...,\n\n"
           "        [[0, 0, 0,  ..., 0, 0, 0],\n"
           "         [1, 1, 1,  ..., 1, 1, 1],\n"
           "         [2, 2, 2,  ..., 2, 2, 2],\n"
           "         ...,\n"
           "         [4, 4, 4,  ..., 4, 4, 4],\n"
           "         [5, 5, 5,  ..., 5, 5, 5],\n"
           "         [6, 6, 6,  ..., 6, 6, 6]],\n\n"
           "        [[0, 0, 0,  ..., 0, 0, 0],\n"
           "         [1, 1, 1,  ..., 1, 1, 1],\n"
           "         [2, 2, 2,  ..., 2, 2, 2],\n"
           "         ...,\n"
           "         [4, 4, 4,  ..., 4, 4, 4],\n"
           "         [5, 5, 5,  ..., 5, 5, 5],\n"
           "         [6, 6, 6,  ..., 6, 6, 6]],\n\n"
           "        [[0, 0, 0,  ..., 0, 0, 0],\n"
           "         [1, 1, 1,  ..., 1, 1, 1],\n"
           "         [2, 2, 2,  ..., 2, 2, 2],\n"
           "         ...,\n"
           "         [4, 4, 4,  ..., 4, 4, 4],\n"
           "         [5, 5, 5,  ..., 5, 5, 5],\n"
           "         [6, 6, 6,  ..., 6, 6, 6]]])");
}

TEST(many_dims)
{
    KT_SCOPE;
    int64_t sizes[64];
    for (int i = 0; i < 64; i++)
        sizes[i] = i % 16 == 3 ? 7 : 1;
    kt_tensor *t = ramp(KT_I64, (kt_shape){64, sizes}, 1);
    char      *text = kt_to_string(t);
    REQUIRE(text != NULL);
    CHECK_EQ_INT(strncmp(text, "tensor([[[[[[[", 14), 0);
    CHECK(strstr(text, "...,") != NULL && strstr(text, "2400") != NULL);
    int open = 0, shut = 0;
    for (const char *c = text; *c; c++) {
        open += *c == '[';
        shut += *c == ']';
    }
    CHECK_EQ_INT(open, shut);
    kt_free_string(text);
}

TEST(option_structs)
{
    kt_print_options o = {.size = sizeof o};
    kt_get_print_options(&o);
    CHECK_EQ_INT(o.precision, 4);
    CHECK_EQ_INT(o.threshold, 1000);
    CHECK_EQ_INT(o.edgeitems, 3);
    CHECK_EQ_INT(o.linewidth, 80);
    CHECK_EQ_INT(o.sci_mode, -1);

    /* A caller that knows fewer fields changes, and is told, only those. */
    const kt_print_options brief = {.size = offsetof(kt_print_options, threshold), .precision = 7, .threshold = 5};
    CHECK_EQ_INT(kt_set_print_options(&brief), KT_OK);
    kt_get_print_options(&o);
    CHECK_EQ_INT(o.precision, 7);
    CHECK_EQ_INT(o.threshold, 1000);
    kt_print_options short_read = {.size = offsetof(kt_print_options, threshold), .threshold = 99};
    kt_get_print_options(&short_read);
    CHECK_EQ_INT(short_read.precision, 7);
    CHECK_EQ_INT(short_read.threshold, 99);
    CHECK_EQ_INT(kt_set_print_options(NULL), KT_OK);
    kt_get_print_options(&o);
    CHECK_EQ_INT(o.precision, 4);
}

TEST(option_errors)
{
    kt_print_options o = {.size = sizeof o};
    kt_get_print_options(&o);
    kt_print_options bad = o;
    bad.precision = -1;
    CHECK_FAILS(kt_set_print_options(&bad), KT_ERR_VALUE, "print options: precision must be in [0, ");
    bad = o;
    bad.precision = INT32_MAX;
    CHECK_FAILS(kt_set_print_options(&bad), KT_ERR_VALUE, "print options: precision must be in [0, ");
    bad = o;
    bad.edgeitems = -1;
    CHECK_FAILS(kt_set_print_options(&bad), KT_ERR_VALUE, "print options: edgeitems must not be negative, but got -1");
    bad = o;
    bad.sci_mode = 2;
    CHECK_FAILS(kt_set_print_options(&bad), KT_ERR_VALUE, "print options: sci_mode must be -1 (decide), 0 or 1, but");
    bad = o;
    bad.size = 0;
    CHECK_FAILS(kt_set_print_options(&bad), KT_ERR_VALUE, "print options: size is not set");
    kt_get_print_options(&bad);
    CHECK(bad.precision == o.precision && bad.edgeitems == o.edgeitems && bad.sci_mode == o.sci_mode);
}

TEST(to_a_file)
{
    KT_SCOPE;
    char  *text = NULL;
    size_t n = 0;
    FILE  *to = open_memstream(&text, &n);
    REQUIRE(to != NULL);
    CHECK_EQ_INT(kt_print(reals(KT_F32, KT_SHAPE(2), (double[]){1, 2.5}), to), KT_OK);
    CHECK_EQ_INT(fclose(to), 0);
    CHECK_STR(text, "tensor([1.0000, 2.5000])\n");
    free(text);
}

TEST(errors)
{
    KT_SCOPE;
    kt_tensor *t = reals(KT_F32, KT_SHAPE(1), (double[]){1});
    CHECK_FAILS(kt_to_string(NULL), KT_ERR_TYPE, "expected a tensor, got NULL");
    CHECK_FAILS(kt_print(NULL, stdout), KT_ERR_TYPE, "expected a tensor, got NULL");
    CHECK_FAILS(kt_print(t, NULL), KT_ERR_VALUE, "expected a file to print to, got NULL");
    FILE *full = fopen("/dev/full", "w");
    if (full) {
        setvbuf(full, NULL, _IONBF, 0);
        CHECK_FAILS(kt_print(t, full), KT_ERR_OS, "could not write the text of a tensor");
        fclose(full);
    }
    kt_fail(KT_ERR_INDEX, "an earlier failure");
    CHECK_STR(kt_to_string(t), "(no text: see kt_error())"); /* text is never NULL: puts(kt_to_string(t)) */
    CHECK_FAILS(kt_print(t, stdout), KT_ERR_INDEX, "an earlier failure");
    kt_free_string(NULL);
}

TEST(without_memory_an_error_and_no_leak)
{
    KT_SCOPE;
    kt_tensor *tensors[] = {ramp(KT_F32, KT_SHAPE(300), 0.25), ramp(KT_F64, KT_SHAPE(30, 40), 0.25),
                            complexes(KT_C64, KT_SHAPE(2), (double[]){1, 2, 3, 4})};
    for (size_t i = 0; i < sizeof tensors / sizeof *tensors; i++) {
        kt_memory_stats before = {.size = sizeof before}, after = {.size = sizeof after};
        kt_memory_read(&before);
        int  failures = 0;
        bool done = false;
        for (int n = 0; n < 200 && !done; n++) {
            kt_memory_fail_after(n);
            char *text = kt_to_string(tensors[i]);
            kt_memory_fail_after(-1);
            done = !kt_failed();
            kt_free_string(text);
            if (done)
                continue;
            failures++;
            CHECK_EQ_INT(kt_error_status(), KT_ERR_MEMORY);
            kt_clear();
        }
        kt_memory_read(&after);
        CHECK(done);
        CHECK_MSG(failures >= 3, "only %d allocations could fail", failures);
        CHECK_EQ_U64(after.live_bytes, before.live_bytes);
    }
}
