/* exp_share.c - softmax's exponentials (math/exp_share.h) of float32: how far they are from e^x, in double, and that the short
 * form has the bits of the long one. A share of all numbers, with KARAT_TEST_ALL a larger one: all of them take an hour where the
 * compiler may not count on the processor's fma. */
#include "harness.h"

#include <math.h>

#include "math/exp_share.h"

static double ulp_of(double y)
{
    int exponent;
    frexp(y, &exponent);
    return ldexp(1, (exponent < -125 ? -125 : exponent) - 24);
}

TEST(of_all_numbers)
{
    const uint64_t step = test_all() ? 17 : 257;
    double         worst = 0;
    float          worst_at = 0;
    uint64_t       other_bits = 0, tried = 0;
    for (uint64_t n = 0; n <= UINT32_MAX; n += step) {
        const float x = of_bits_f32((uint32_t)n);
        if (!(x > -104 && x < 88.7f))
            continue;
        const float  y = exp_share_f32(x);
        const double want = exp((double)x), off = fabs((double)y - want) / ulp_of(want);
        if (off > worst)
            worst = off, worst_at = x;
        other_bits += fabsf(x) < 87 && bits_f32(exp_share_near_f32(x)) != bits_f32(y);
        tried++;
    }
    printf("%.4f ulp at %a, of %llu numbers\n", worst, (double)worst_at, (unsigned long long)tried);
    CHECK(worst <= 0.9 && worst > 0.5);
    CHECK_EQ_U64(other_bits, 0);
}

TEST(at_the_ends)
{
    CHECK(exp_share_f32(0) == 1 && exp_share_f32(-0.0f) == 1 && exp_share_near_f32(-0.0f) == 1);
    CHECK(exp_share_f32(-INFINITY) == 0 && exp_share_f32(-104) == 0 && exp_share_f32(-103) > 0);
    CHECK(exp_share_f32(INFINITY) == INFINITY && exp_share_f32(89) == INFINITY && exp_share_f32(88) < INFINITY);
    CHECK(isnan(exp_share_f32(NAN)) && isnan(exp_share_f64((double)NAN)));
}
