/* fma.c - the float32 a * b + c of machines without FMA against the C library's. */
#include "harness.h"

#include "math/fma.h"

static float float_of(uint32_t u)
{
    float x;
    memcpy(&x, &u, 4);
    return x;
}

static uint32_t bits_of(float x)
{
    uint32_t u;
    memcpy(&u, &x, 4);
    return x != x ? 0x7fc00000u : u;
}

static void check(float a, float b, float c)
{
    const float got = fma_f32_in_double(a, b, c), want = fmaf(a, b, c);
    CHECK_MSG(bits_of(got) == bits_of(want), "%a * %a + %a is %a, not %a", (double)a, (double)b, (double)c, (double)got,
              (double)want);
}

/* Of every size, then sums that nearly cancel, then sums whose rest decides a tie. */
TEST(one_rounding)
{
    for (int i = 0; i < 2000000; i++) {
        const uint64_t z = test_random(), w = test_random();
        const float    a = float_of((uint32_t)z), b = float_of((uint32_t)(z >> 32));
        check(a, b, float_of((uint32_t)w));
        check(a, b, float_of(bits_of(-(a * b)) + (uint32_t)(w % 5) - 2));
        const float near = float_of(0x3f800000u | ((uint32_t)w & 0x7fffffu)), tiny = ldexpf(near, -(int)(w >> 58));
        check(near, 1 + 0x1p-12f, tiny);
        check(near, 1 + 0x1p-12f, -tiny);
    }
}

TEST(ends)
{
    static const float ends[] = {0.0f, -0.0f, 1, -1, 0x1p-149f, 0x1p-126f, 0x1.fffffep127f, INFINITY, -INFINITY, NAN};
    enum { NUM = sizeof ends / sizeof *ends };
    for (int i = 0; i < NUM * NUM * NUM; i++)
        check(ends[i % NUM], ends[i / NUM % NUM], ends[i / NUM / NUM]);
}
