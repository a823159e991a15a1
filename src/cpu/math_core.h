/* math_core.h - the transcendental functions of float32, calculated in double.
 *
 * In: a double that holds a float32 (or a function of one). Out: the function with a relative error below 2^-37 unless
 * said otherwise, so that the one rounding to float32 that follows decides the result: at most 0.51 ulp.
 * Straight-line code with selects instead of branches, so that loops over it vectorise on every instruction set; no FMA and
 * no table, so that every instruction set gives the same bits. The polynomials are minimax fits made for this file.
 * Must not know: tensors, tiles, dtypes. */
#ifndef KT_CPU_MATH_CORE_H
#define KT_CPU_MATH_CORE_H

#include <math.h>
#include <stdint.h>
#include <string.h>

#define KT_ALWAYS static inline __attribute__((always_inline, unused))

#define CORE_LN2   0x1.62e42fefa39efp-1
#define CORE_LOG2E 0x1.71547652b82fep+0
#define CORE_PI_2  0x1.921fb54442d18p+0
#define CORE_PI_4  0x1.921fb54442d18p-1
#define CORE_MAGIC 0x1.8p52 /* adding it rounds to an integer, which then stands in the low bits */

KT_ALWAYS uint64_t core_bits(double x)    { uint64_t u; memcpy(&u, &x, 8); return u; }
KT_ALWAYS double   core_double(uint64_t u) { double x;  memcpy(&x, &u, 8); return x; }
KT_ALWAYS double   core_two_to(double magic_sum) { return core_double((core_bits(magic_sum) + 1023) << 52); }
KT_ALWAYS double   core_clip(double x, double lo, double hi) { return x < lo ? lo : x > hi ? hi : x; } /* NaN passes */

/* e^r - 1 over r, |r| <= ln2 / 2 */
KT_ALWAYS double core_expm1_over(double r)
{
    return 0x1.fffffffff62ffp-1 + r * (0x1.000000001ab86p-1 + r * (0x1.5555557e5b72fp-3 + r * (0x1.555554f270f47p-5
        + r * (0x1.1110a62a4d9c3p-7 + r * (0x1.6c175bb0daf21p-10 + r * (0x1.a17e063000174p-13 + r * 0x1.a019f19d1ce9ap-16))))));
}

/* Beyond +-128 the float32 result is infinite or zero, so x is clipped there. */
KT_ALWAYS double core_exp(double x)
{
    x = core_clip(x, -128.0, 128.0);
    const double t = x * CORE_LOG2E + CORE_MAGIC, r = x - (t - CORE_MAGIC) * CORE_LN2, s = core_two_to(t);
    return s + s * (r * core_expm1_over(r));
}

KT_ALWAYS double core_expm1(double x)
{
    const double c = core_clip(x, -128.0, 128.0);
    const double t = c * CORE_LOG2E + CORE_MAGIC, r = c - (t - CORE_MAGIC) * CORE_LN2, s = core_two_to(t);
    return x == 0 ? x : s * (r * core_expm1_over(r)) + (s - 1);
}

KT_ALWAYS double core_exp2(double x)
{
    x = core_clip(x, -200.0, 200.0);
    const double t = x + CORE_MAGIC, r = (x - (t - CORE_MAGIC)) * CORE_LN2, s = core_two_to(t);
    return s + s * (r * core_expm1_over(r));
}

/* A positive, finite, normal double as 2^k * (1 + f), with sqrt(1/2) <= 1 + f < sqrt(2). */
KT_ALWAYS double core_split(double x, double *k)
{
    const uint64_t low = UINT64_C(0x3fe6a09e00000000);
    const uint64_t u = core_bits(x) + (UINT64_C(0x3ff0000000000000) - low);
    *k = core_double(u >> 52 | UINT64_C(0x4330000000000000)) - (0x1p52 + 1023);
    return core_double((u & UINT64_C(0x000fffffffffffff)) + low) - 1;
}

/* log(1 + f) over the range of core_split; relative error 2^-45 */
KT_ALWAYS double core_log_near_one(double f)
{
    const double s = f / (2 + f), z = s * s;
    return s * (0x1.fffffffffff10p+0 + z * (0x1.555555567398bp-1 + z * (0x1.99999626da09dp-2
        + z * (0x1.24943a239868bp-2 + z * (0x1.c6204a3bea1bap-3 + z * 0x1.919c00dc5d484p-3)))));
}

/* The ends of every logarithm: its value r for ordinary x, its limits elsewhere. */
KT_ALWAYS double core_log_ends(double x, double r) { return x > 0 ? (x < INFINITY ? r : x) : x == 0 ? -INFINITY : NAN; }

/* log(x) = k * per_two + log(1 + f) * per_e, for any base */
KT_ALWAYS double core_log(double x, double per_two, double per_e)
{
    double k, f = core_split(x, &k);
    return core_log_ends(x, k * per_two + core_log_near_one(f) * per_e);
}

KT_ALWAYS double core_log1p(double x)
{
    double k, f = core_split(1 + x, &k);
    const double r = k * CORE_LN2 + core_log_near_one(k == 0 ? x : f);
    return x == 0 ? x : core_log_ends(1 + x, r);
}

/* Three-part reduction by pi/2, exact enough while |x| < CORE_TRIG_MAX; larger ones are the caller's business. */
#define CORE_TRIG_MAX 0x1p26
KT_ALWAYS double core_reduce(double x, uint64_t *quadrant)
{
    const double t = x * 0x1.45f306dc9c883p-1 + CORE_MAGIC, k = t - CORE_MAGIC;
    *quadrant = core_bits(t);
    return ((x - k * 0x1.921fb50000000p+0) - k * 0x1.110b460000000p-26) - k * 0x1.1a62633145c07p-54;
}

KT_ALWAYS double core_sin_near(double r)
{
    const double z = r * r;
    return r * (0x1.fffffffff5fc5p-1 + z * (-0x1.55555548e0c54p-3 + z * (0x1.11110716e896dp-7
        + z * (-0x1.a00ec5f4fa55bp-13 + z * 0x1.6cb0651dd571cp-19))));
}

KT_ALWAYS double core_cos_near(double r)
{
    const double z = r * r;
    return 0x1.ffffffffffe0cp-1 + z * (-0x1.ffffffffe3778p-2 + z * (0x1.55555544764cbp-5
        + z * (-0x1.6c16b2d3a46eep-10 + z * (0x1.a00e96464bbd1p-16 + z * -0x1.23c5b1a7f4ba2p-22))));
}

/* turn 0: sin, turn 1: cos */
KT_ALWAYS double core_sin(double x, uint64_t turn)
{
    uint64_t q;
    const double r = core_reduce(x, &q), s = core_sin_near(r), c = core_cos_near(r);
    const double v = ((q + turn) & 1) != 0 ? c : s;
    return core_double(core_bits(v) ^ (((q + turn) & 2) << 62));
}

KT_ALWAYS double core_tan(double x)
{
    uint64_t q;
    const double r = core_reduce(x, &q), s = core_sin_near(r), c = core_cos_near(r);
    return ((q & 1) != 0 ? -c : s) / ((q & 1) != 0 ? s : c);
}

/* The angle of the point (x, y), like atan2; the signs of zeros count. */
KT_ALWAYS double core_atan2(double y, double x)
{
    const double ax = fabs(x), ay = fabs(y), hi = ax > ay ? ax : ay, lo = ax > ay ? ay : ax;
    const int    wide = lo > hi * 0x1.a827999fcef32p-2; /* tan(pi/8) */
    const int    both = lo == INFINITY;
    const double num = both ? 0.0 : wide ? lo - hi : lo, den = wide ? lo + hi : hi == 0 ? 1.0 : hi;
    const double t = num / den, z = t * t;
    const double p = t * (0x1.fffffffffe661p-1 + z * (-0x1.5555554be57eap-2 + z * (0x1.999990745649fp-3
        + z * (-0x1.2490973cfa00cp-3 + z * (0x1.c6ccee20c9171p-4 + z * (-0x1.705bdfa09a292p-4
        + z * (0x1.1dc2aa6d9b543p-4 + z * -0x1.34c8013f0a096p-5)))))));
    double r = wide | both ? CORE_PI_4 + p : p;
    r = ax > ay ? r : ax == ay ? CORE_PI_4 : CORE_PI_2 - r;
    r = ax == 0 && ay == 0 ? 0.0 : r;
    r = core_bits(x) >> 63 != 0 ? 2 * CORE_PI_2 - r : r;
    r = core_double(core_bits(r) | (core_bits(y) & UINT64_C(0x8000000000000000)));
    return x != x || y != y ? NAN : r;
}

/* erfc(a) for 0.75 <= a; zero in float32 beyond 10.5 */
KT_ALWAYS double core_erfc_far(double a)
{
    a = a > 10.5 ? 10.5 : a;
    const double y = (a - 3) / (a + 3);
    const double r = 0x1.6e9827d22a884p-3 + y * (-0x1.4e102b9d36f7ap-2 + y * (0x1.f6ff204133833p-3
        + y * (-0x1.336ffbcae23eep-3 + y * (0x1.258b138214ca7p-4 + y * (-0x1.8fa5a682950b6p-6 + y * (0x1.17c867372ddadp-8
        + y * (0x1.732b792d1ecd9p-11 + y * (-0x1.390e9d37cfcacp-11 + y * (0x1.73be56b082a6bp-15
        + y * (0x1.0c73a189f9636p-14 + y * (-0x1.667f0df6cd558p-17 + y * -0x1.e611bac6cc01cp-18)))))))))));
    return core_exp(-a * a) * r;
}

/* erf(x) for |x| <= 0.75 */
KT_ALWAYS double core_erf_near(double x)
{
    const double z = x * x;
    return x * (0x1.20dd7504293e4p+0 + z * (-0x1.812746ae9108cp-2 + z * (0x1.ce2f20abecfe7p-4 + z * (-0x1.b82cad0356f8cp-6
        + z * (0x1.5655e66cc68d9p-8 + z * (-0x1.bf79866ed23e8p-11 + z * (0x1.ed9bef44339aep-14 + z * -0x1.873eff4e6bf13p-17)))))));
}

KT_ALWAYS double core_erf(double x)
{
    const double a = fabs(x), far = 1 - core_erfc_far(a);
    return a < 0.75 ? core_erf_near(x) : x < 0 ? -far : far; /* a NaN goes through `far` */
}

KT_ALWAYS double core_erfc(double x)
{
    const double a = fabs(x), far = core_erfc_far(a);
    return a < 0.75 ? 1 - core_erf_near(x) : x < 0 ? 2 - far : far;
}

/* C's pow for float32 operands: 2^(y log2|x|), then the signs and the exact ends. */
KT_ALWAYS double core_pow(double x, double y)
{
    const double ax = fabs(x), bounded = core_clip(y, -0x1p30, 0x1p30); /* beyond 2^24 a float32 is an even integer */
    double k, f = core_split(ax, &k);
    const double log2 = ax == 0 ? -INFINITY : ax < INFINITY ? k + core_log_near_one(f) * CORE_LOG2E : ax;
    const double near_int = (bounded + CORE_MAGIC) - CORE_MAGIC, half = bounded * 0.5;
    const int    whole = near_int == bounded, odd = whole & ((half + CORE_MAGIC) - CORE_MAGIC != half);
    double r = core_exp2(y * log2);
    r = ax == 1 ? 1.0 : r;
    r = x < 0 && ax < INFINITY && !whole ? NAN : r;
    r = core_bits(x) >> 63 != 0 && odd ? -r : r;
    r = x != x || y != y ? NAN : r;
    return y == 0 || x == 1 ? 1.0 : r;
}

#endif
