/* reference.h - what float32 results are measured against: the functions in double, many at a time.
 *
 * In: a double that holds a float32. Out: the function with a relative error below 2^-37, some 0.0001 ulp of float32; with the
 * limits beyond the range of float32, whose infinity may stand for anything from 2^128 on. Straight-line code with selects, so
 * that loops over it vectorise and all 2^32 float32 are a matter of seconds. Itself checked against the C library on a sample
 * (bounds.c). Independent of: src/math, which it measures. */
#ifndef KARAT_TESTS_MATH_REFERENCE_H
#define KARAT_TESTS_MATH_REFERENCE_H

#include <math.h>
#include <stdint.h>
#include <string.h>

#define FAST static inline __attribute__((always_inline, unused))

#define REF_LN2   0x1.62e42fefa39efp-1
#define REF_LOG2E 0x1.71547652b82fep+0
#define REF_PI_2  0x1.921fb54442d18p+0
#define REF_PI_4  0x1.921fb54442d18p-1
#define REF_MAGIC 0x1.8p52 /* adding it rounds to an integer, which then stands in the low bits */

FAST uint64_t ref_bits(double x)    { uint64_t u; memcpy(&u, &x, 8); return u; }
FAST double   ref_double(uint64_t u) { double x;  memcpy(&x, &u, 8); return x; }
FAST double   ref_two_to(double magic_sum) { return ref_double((ref_bits(magic_sum) + 1023) << 52); }

/* Polynomials by halves (Estrin): short chains of dependent operations. */
FAST double ref_p2(double x, double a, double b) { return a + b * x; }
FAST double ref_p4(double x, double x2, double a, double b, double c, double d)
{
    return (a + b * x) + (c + d * x) * x2;
}

/* e^r - 1 over r, |r| <= ln2 / 2 */
FAST double ref_expm1_over(double r)
{
    const double r2 = r * r;
    return ref_p4(r, r2, 0x1.fffffffff62ffp-1, 0x1.000000001ab86p-1, 0x1.5555557e5b72fp-3, 0x1.555554f270f47p-5) +
           r2 * r2 *
               ref_p4(r, r2, 0x1.1110a62a4d9c3p-7, 0x1.6c175bb0daf21p-10, 0x1.a17e063000174p-13,
                       0x1.a019f19d1ce9ap-16);
}

/* The exponentials hold for |x| <= 700 (exp2: 1000); past the range of float32 the caller selects the limit instead. */
FAST double ref_exp(double x)
{
    const double t = x * REF_LOG2E + REF_MAGIC, r = x - (t - REF_MAGIC) * REF_LN2, s = ref_two_to(t);
    return s + s * (r * ref_expm1_over(r));
}

FAST double ref_expm1(double x)
{
    const double t = x * REF_LOG2E + REF_MAGIC, r = x - (t - REF_MAGIC) * REF_LN2, s = ref_two_to(t);
    return s * (r * ref_expm1_over(r)) + (s - 1);
}

FAST double ref_exp2(double x)
{
    const double t = x + REF_MAGIC, r = (x - (t - REF_MAGIC)) * REF_LN2, s = ref_two_to(t);
    return s + s * (r * ref_expm1_over(r));
}

/* A positive, finite, normal double as 2^k * (1 + f), with sqrt(1/2) <= 1 + f < sqrt(2). */
FAST double ref_split(double x, double *k)
{
    const uint64_t low = UINT64_C(0x3fe6a09e00000000);
    const uint64_t u = ref_bits(x) + (UINT64_C(0x3ff0000000000000) - low);
    *k = ref_double(u >> 52 | UINT64_C(0x4330000000000000)) - (0x1p52 + 1023);
    return ref_double((u & UINT64_C(0x000fffffffffffff)) + low) - 1;
}

/* log(1 + f) over the range of ref_split; relative error 2^-45 */
FAST double ref_log_near_one(double f)
{
    const double s = f / (2 + f), z = s * s, z2 = z * z;
    return s * (ref_p4(z, z2, 0x1.fffffffffff10p+0, 0x1.555555567398bp-1, 0x1.99999626da09dp-2, 0x1.24943a239868bp-2)
        + z2 * z2 * ref_p2(z, 0x1.c6204a3bea1bap-3, 0x1.919c00dc5d484p-3));
}

/* The ends of every logarithm: its value r for ordinary x, its limits elsewhere. */
FAST double ref_log_ends(double x, double r)
{
    r = x < INFINITY ? r : x;
    r = x == 0 ? -INFINITY : r;
    return x < 0 ? NAN : r;
}

/* log(x) = k * per_two + log(1 + f) * per_e, for any base */
FAST double ref_log(double x, double per_two, double per_e)
{
    double k, f = ref_split(x, &k);
    return ref_log_ends(x, k * per_two + ref_log_near_one(f) * per_e);
}

FAST double ref_log1p(double x)
{
    double k, f = ref_split(1 + x, &k);
    const double r = k * REF_LN2 + ref_log_near_one(k == 0 ? x : f);
    return x == 0 ? x : ref_log_ends(1 + x, r);
}

/* Three-part reduction by pi/2, exact enough while |x| < REF_TRIG_MAX; larger ones are the caller's business. */
#define REF_TRIG_MAX 0x1p26
FAST double ref_reduce(double x, uint64_t *quadrant)
{
    const double t = x * 0x1.45f306dc9c883p-1 + REF_MAGIC, k = t - REF_MAGIC;
    *quadrant = ref_bits(t);
    return ((x - k * 0x1.921fb50000000p+0) - k * 0x1.110b460000000p-26) - k * 0x1.1a62633145c07p-54;
}

FAST double ref_sin_near(double r)
{
    const double z = r * r, z2 = z * z;
    return r *
           (ref_p4(z, z2, 0x1.fffffffff5fc5p-1, -0x1.55555548e0c54p-3, 0x1.11110716e896dp-7, -0x1.a00ec5f4fa55bp-13) +
            z2 * z2 * 0x1.6cb0651dd571cp-19);
}

FAST double ref_cos_near(double r)
{
    const double z = r * r, z2 = z * z;
    return ref_p4(z, z2, 0x1.ffffffffffe0cp-1, -0x1.ffffffffe3778p-2, 0x1.55555544764cbp-5, -0x1.6c16b2d3a46eep-10)
        + z2 * z2 * ref_p2(z, 0x1.a00e96464bbd1p-16, -0x1.23c5b1a7f4ba2p-22);
}

/* turn 0: sin, turn 1: cos */
FAST double ref_sin(double x, uint64_t turn)
{
    uint64_t q;
    const double r = ref_reduce(x, &q), s = ref_sin_near(r), c = ref_cos_near(r);
    const double v = ((q + turn) & 1) != 0 ? c : s;
    return ref_double(ref_bits(v) ^ (((q + turn) & 2) << 62));
}

FAST double ref_tan(double x)
{
    uint64_t q;
    const double r = ref_reduce(x, &q), s = ref_sin_near(r), c = ref_cos_near(r);
    return ((q & 1) != 0 ? -c : s) / ((q & 1) != 0 ? s : c);
}

/* The angle of the point (x, y), like atan2; the signs of zeros count. Below tan(pi/8) the arc of lo/hi, above it
 * pi/4 plus that of (lo - hi) / (lo + hi), then mirrored into the right octant. */
FAST double ref_atan2(double y, double x)
{
    const double ax = fabs(x), ay = fabs(y);
    double hi = ax > ay ? ax : ay, lo = ax > ay ? ay : ax;
    hi = hi == 0 ? 1.0 : hi;              /* 0/0 is 0 */
    lo = lo == INFINITY ? 0x1p1022 : lo;  /* inf/inf is 1 */
    hi = hi == INFINITY && lo == 0x1p1022 ? 0x1p1022 : hi;
    const double cut = hi * 0x1.a827999fcef32p-2;
    const double num = lo > cut ? lo - hi : lo, den = lo > cut ? lo + hi : hi, base = lo > cut ? REF_PI_4 : 0.0;
    const double t = num / den, z = t * t, z2 = z * z;
    const double p =
        t *
        (ref_p4(z, z2, 0x1.fffffffffe661p-1, -0x1.5555554be57eap-2, 0x1.999990745649fp-3, -0x1.2490973cfa00cp-3) +
         z2 * z2 *
             ref_p4(z, z2, 0x1.c6ccee20c9171p-4, -0x1.705bdfa09a292p-4, 0x1.1dc2aa6d9b543p-4, -0x1.34c8013f0a096p-5));
    double r = base + p;
    r = ay > ax ? REF_PI_2 - r : r;
    r = ref_bits(x) >> 63 != 0 ? 2 * REF_PI_2 - r : r;
    r = ref_double(ref_bits(r) | (ref_bits(y) & UINT64_C(0x8000000000000000)));
    r = x != x ? x : r;
    return y != y ? y : r;
}

/* erfc(a) for 0.75 <= a <= 10.5, beyond which it is zero in float32 */
FAST double ref_erfc_far(double a)
{
    const double y = (a - 3) / (a + 3), y2 = y * y, y4 = y2 * y2;
    const double low =
        ref_p4(y, y2, 0x1.6e9827d22a884p-3, -0x1.4e102b9d36f7ap-2, 0x1.f6ff204133833p-3, -0x1.336ffbcae23eep-3) +
        y4 * ref_p4(y, y2, 0x1.258b138214ca7p-4, -0x1.8fa5a682950b6p-6, 0x1.17c867372ddadp-8, 0x1.732b792d1ecd9p-11);
    const double high =
        ref_p4(y, y2, -0x1.390e9d37cfcacp-11, 0x1.73be56b082a6bp-15, 0x1.0c73a189f9636p-14, -0x1.667f0df6cd558p-17) +
        y4 * -0x1.e611bac6cc01cp-18;
    return ref_exp(-a * a) * (low + y4 * y4 * high);
}

/* erf(x) for |x| <= 0.75 */
FAST double ref_erf_near(double x)
{
    const double z = x * x, z2 = z * z;
    return x *
           (ref_p4(z, z2, 0x1.20dd7504293e4p+0, -0x1.812746ae9108cp-2, 0x1.ce2f20abecfe7p-4, -0x1.b82cad0356f8cp-6) +
            z2 * z2 *
                ref_p4(z, z2, 0x1.5655e66cc68d9p-8, -0x1.bf79866ed23e8p-11, 0x1.ed9bef44339aep-14,
                        -0x1.873eff4e6bf13p-17));
}

/* C's pow for float32 operands: 2^(y log2|x|), then the signs and the exact ends. A float32 beyond 2^24 is an even
 * integer, so there the parity is that of the bound. */
FAST double ref_pow(double x, double y)
{
    const double ax = fabs(x);
    double k, f = ref_split(ax, &k);
    double log2 = k + ref_log_near_one(f) * REF_LOG2E;
    log2 = ax < INFINITY ? log2 : ax;
    log2 = ax == 0 ? -INFINITY : log2;
    const double power = y * log2;
    double r = ref_exp2(power);
    r = power > 200 ? INFINITY : r;
    r = power < -200 ? 0.0 : r;
    r = ax == 1 ? 1.0 : r;
    double bounded = fabs(y);
    bounded = bounded < 0x1p30 ? bounded : 0x1p30;
    const double half = bounded * 0.5;
    double turned = (half + REF_MAGIC) - REF_MAGIC == half ? r : -r;             /* of an odd integer, or of none */
    double left = x > -INFINITY ? NAN : r;
    left = (bounded + REF_MAGIC) - REF_MAGIC == bounded ? turned : left;
    turned = (bounded + REF_MAGIC) - REF_MAGIC == bounded ? turned : r;
    r = ref_bits(x) == UINT64_C(0x8000000000000000) ? turned : r;                 /* -0 is not below 0 */
    r = x < 0 ? left : r;
    r = x != x ? x : r;
    r = y != y ? y : r;
    r = y == 0 ? 1.0 : r;
    return x == 1 ? 1.0 : r;
}

/* ---- arguments of sin, cos and tan beyond REF_TRIG_MAX: the fraction of a turn, of which 1/(2 pi) has the bits ---- */
static double ref_far(float x, uint64_t *quadrant)
{
    static const uint64_t turn[4] = {0x28be60db9391054a, 0x7f09d5f47d4d3770, 0x36d8a5664f10e410, 0x7f9458eaf7aef158};
    uint32_t              u;
    memcpy(&u, &x, 4);
    const int      e = (int)(u >> 23 & 0xff) - 150, word = e / 64, bit = e % 64; /* |x| = m * 2^e, e >= 0 */
    const uint64_t m = (u & 0x7fffff) | 0x800000;
    unsigned __int128 part = (unsigned __int128)turn[word] << 64 | turn[word + 1];
    if (bit)
        part = part << bit | turn[word + 2] >> (64 - bit);
    part *= m;
    if (u >> 31)
        part = -part;
    const uint64_t q = (uint64_t)(part >> 125) + 1; /* in eighths, so that the quarters are rounded */
    *quadrant = q >> 1;
    const unsigned __int128 rest = (part << 2) - ((unsigned __int128)(q >> 1) << 127 << 1);
    /* by halves: libgcc takes 100 times as long over a whole one; no float lies so near to a quarter that they cancel */
    return ((double)(int64_t)(rest >> 64) * 0x1p64 + (double)(uint64_t)rest) * (REF_PI_2 * 0x1p-128);
}

static double ref_sin_far(float x, uint64_t shift)
{
    uint64_t q;
    if (!(fabsf(x) < INFINITY))
        return NAN;
    const double r = ref_far(x, &q), v = ((q + shift) & 1) != 0 ? ref_cos_near(r) : ref_sin_near(r);
    return ((q + shift) & 2) != 0 ? -v : v;
}
static double ref_tan_far(float x)
{
    uint64_t q;
    if (!(fabsf(x) < INFINITY))
        return NAN;
    const double r = ref_far(x, &q), t = ref_sin_near(r) / ref_cos_near(r);
    return (q & 1) != 0 ? -1 / t : t;
}

/* ---- the functions, by the names of bounds.def ---- */
FAST double fast_exp(double x)
{
    double r = ref_exp(x);
    r = x < -600 ? 0.0 : r;
    return x > 600 ? INFINITY : r;
}
FAST double fast_exp2(double x)
{
    double r = ref_exp2(x);
    r = x < -900 ? 0.0 : r;
    return x > 900 ? INFINITY : r;
}
FAST double fast_expm1(double x)
{
    double r = ref_expm1(x);
    r = x < -600 ? -1.0 : r;
    r = x > 600 ? INFINITY : r;
    return x == 0 ? x : r;
}
FAST double fast_log(double x) { return ref_log(x, REF_LN2, 1.0); }
FAST double fast_log2(double x) { return ref_log(x, 1.0, REF_LOG2E); }
FAST double fast_log10(double x) { return ref_log(x, 0x1.34413509f79ffp-2, 0x1.bcb7b1526e50ep-2); }
FAST double fast_log1p(double x) { return ref_log1p(x); }
FAST double fast_sin(double x) { return ref_sin(x, 0); }
FAST double fast_cos(double x) { return ref_sin(x, 1); }
FAST double fast_tan(double x) { return ref_tan(x); }
FAST double fast_atan(double x) { return ref_atan2(x, 1.0); }
FAST double fast_asin(double x) { return ref_atan2(x, sqrt((1 - x) * (1 + x))); }
FAST double fast_acos(double x) { return ref_atan2(sqrt((1 - x) * (1 + x)), x); }
FAST double fast_atan2(double y, double x) { return ref_atan2(y, x); }
FAST double fast_pow(double x, double y) { return ref_pow(x, y); }
FAST double fast_hypot(double x, double y)
{
    double r = sqrt(x * x + y * y);
    r = fabs(x) == INFINITY ? INFINITY : r;
    return fabs(y) == INFINITY ? INFINITY : r;
}

FAST double fast_sinh(double x)
{
    const double t = ref_expm1(fabs(x));
    double       r = 0.5 * (t + t / (t + 1));
    r = fabs(x) > 300 ? fabs(x) * INFINITY : r;
    return copysign(r, x);
}
FAST double fast_cosh(double x)
{
    const double e = ref_exp(fabs(x)), r = 0.5 * e + 0.5 / e;
    return fabs(x) > 300 ? fabs(x) * INFINITY : r;
}
FAST double fast_tanh(double x)
{
    const double t = ref_expm1(2 * fabs(x));
    double       r = t / (t + 2);
    r = fabs(x) > 100 ? 1.0 : r;
    return copysign(r, x);
}
FAST double fast_asinh(double x)
{
    const double z = fabs(x);
    double       r = ref_log1p(z + z * z / (1 + sqrt(1 + z * z)));
    r = z == INFINITY ? INFINITY : r;
    return copysign(r, x);
}
FAST double fast_acosh(double x)
{
    const double t = x - 1, r = ref_log1p(t + sqrt(t * (t + 2)));
    return x < 1 ? NAN : r;
}
FAST double fast_atanh(double x)
{
    const double z = fabs(x);
    return copysign(0.5 * ref_log1p(2 * z / (1 - z)), x);
}

FAST double fast_erf(double x)
{
    const double z = fabs(x);
    double       r = 1 - ref_erfc_far(z);
    r = z > 8 ? 1.0 : r;
    r = z < 0.75 ? ref_erf_near(z) : r;
    return copysign(r, x);
}
FAST double fast_erfc(double x)
{
    const double z = fabs(x);
    double       far = ref_erfc_far(z);
    far = z > 10.5 ? 0.0 : far;
    const double r = x < 0 ? 2 - far : far;
    return z < 0.75 ? 1 - ref_erf_near(x) : r;
}

/* The share of a normal distribution below x, and its density there. */
FAST double ref_share(double x)
{
    return 0.5 * fast_erfc(x * -0x1.6a09e667f3bcdp-1);
}
FAST double ref_bell(double x)
{
    const double z = fabs(x);
    return z > 30 ? 0.0 : ref_exp(-0.5 * z * z) * 0x1.9884533d43651p-2;
}
FAST double fast_gelu(double x) { return x * ref_share(x); }
FAST double fast_gelu_slope(double x)
{
    return ref_share(x) + x * ref_bell(x);
}

FAST double fast_sigmoid(double x) { return 1 / (1 + fast_exp(-x)); }
FAST double fast_silu(double x) { return x / (1 + fast_exp(-x)); }
FAST double fast_silu_slope(double x)
{
    const double s = fast_sigmoid(x);
    return s + x * (s * fast_sigmoid(-x));
}
FAST double fast_softplus_slope(double x) { return fast_sigmoid(x); }
FAST double ref_cubic(double x) { return 0x1.9884533d43651p+0 * (x + 0.044715 * x * x * x); }
FAST double fast_gelu_tanh(double x) { return x * fast_sigmoid(ref_cubic(x)); }
FAST double fast_gelu_tanh_slope(double x)
{
    const double u = ref_cubic(x), s = fast_sigmoid(u), inner = 0x1.9884533d43651p+0 * (1 + 3 * 0.044715 * x * x);
    const double r = s + x * s * fast_sigmoid(-u) * inner;
    return fabs(x) > 30 ? s : r;
}
FAST double fast_mish(double x)
{
    const double n = fast_exp(x), w = n * (n + 2);
    return x > 60 ? x : x * (w / (w + 2));
}
FAST double fast_mish_slope(double x)
{
    const double n = fast_exp(x), w = n * (n + 2), t = w / (w + 2), r = t + x * (4 * n * (n + 1) / (w + 2) / (w + 2));
    return x > 60 && x < INFINITY ? 1.0 : r;
}
FAST double fast_softplus(double x)
{
    const double r = (x > 0 ? x : 0) + ref_log1p(fast_exp(-fabs(x)));
    return x > 20 ? x : r;
}
/* Its zero is positive. */
FAST double fast_logsigmoid(double x)
{
    const double r = (x < 0 ? x : 0) - ref_log1p(fast_exp(-fabs(x)));
    return x > 130 ? 0.0 : r;
}
FAST double fast_elu(double x) { return x > 0 ? x : fast_expm1(x); }
FAST double fast_elu_slope(double x) { return x <= 0 ? fast_exp(x) : 1.0; }
FAST double fast_logaddexp(double a, double b)
{
    const double r = (a > b ? a : b) + ref_log1p(fast_exp(-fabs(a - b)));
    return a == b && fabs(a) == INFINITY ? a : r;
}
FAST double fast_logaddexp2(double a, double b)
{
    const double r = (a > b ? a : b) + ref_log1p(fast_exp2(-fabs(a - b))) * REF_LOG2E;
    return a == b && fabs(a) == INFINITY ? a : r;
}

#endif
