/* pieces.h - exp, log, log2, log10, tanh, tan, atan of float64 by a table of 16 pieces, so that what is left for a polynomial is
 * small.
 *
 * A function comes in parts, as math/f32/pieces.h says. tools/pieces.py made the tables and the polynomials, and says what the
 * columns are. In and out: double; bounds.def says how exact. Independent of: tensors, tiles, dtypes. */
#ifndef KT_MATH_F64_PIECES_H
#define KT_MATH_F64_PIECES_H

#include "math/f64/exponential.h"
#include "math/f64/inverse.h"
#include "math/f64/logarithm.h"
#include "math/f64/trigonometric.h"
#include "math/table.h"

/* ---- e^x = 2^(n / 16) e^r, |r| < 0.0217: the error of e^r is 2^-64 ---- */
static KT_TABLE const double exp_pieces_f64[2][PIECES_F64] = {
    {0x1.000000p+0, 0x1.0b5586cf9890fp+0, 0x1.172b83c7d517bp+0, 0x1.2387a6e756238p+0,
     0x1.306fe0a31b715p+0, 0x1.3dea64c123422p+0, 0x1.4bfdad5362a27p+0, 0x1.5ab07dd485429p+0,
     0x1.6a09e667f3bcdp+0, 0x1.7a11473eb0187p+0, 0x1.8ace5422aa0dbp+0, 0x1.9c49182a3f090p+0,
     0x1.ae89f995ad3adp+0, 0x1.c199bdd85529cp+0, 0x1.d5818dcfba487p+0, 0x1.ea4afa2a490dap+0},
    {0x0.0p+0, 0x1.8a62e4adc610bp-54, -0x1.19041b9d78a76p-55, 0x1.9b07eb6c70573p-54,
     0x1.6f46ad23182e4p-55, 0x1.ada0911f09ebcp-55, 0x1.d4397afec42e2p-56, 0x1.6324c054647adp-54,
     -0x1.bdd3413b26456p-54, -0x1.41577ee04992fp-55, 0x1.6e9f156864b27p-54, 0x1.c7c46b071f2bep-56,
     0x1.7a1cd345dcc81p-54, 0x1.11065895048ddp-55, 0x1.2ed02d75b3707p-55, -0x1.e9c23179c2893p-54},
};

/* n plus sixteen times the bias of an exponent, in the low bits */
#define F64_MAGIC_16 0x1.8000000003ff0p52
KT_ALWAYS double f64_sixteenths(double x)        { return fma_f64(x, 0x1.71547652b82fep+4, F64_MAGIC_16); }
KT_ALWAYS double f64_two_to_whole(double t)      { return f64_of((f64_bits(t) >> 4) << 52); } /* 2^k of n = 16 k + j */

/* (e^r - 1 - r) / r^2 */
KT_ALWAYS double f64_exp_tail_16(double r, double r2)
{
    const double high = f64_p4(r, r2, 0x1.55555554e9468p-5, 0x1.11111110e10a7p-7, 0x1.6c17ed4cc4834p-10, 0x1.a01b0c2ef5c1fp-13);
    return fma_f64(r2, high, f64_p2(r, 0x1.0000000000001p-1, 0x1.5555555555556p-3));
}

/* e^(x + rest) - 1 of what is left of x without its sixteenths t */
KT_ALWAYS f64_pair f64_exp_left(double x, double rest, double t)
{
    const double n = t - F64_MAGIC_16, near = fma_f64(n, -F64_LN2_HI / 16, x), far = fma_f64(n, F64_LN2_LO / 16, -rest);
    const double r = near - far, r2 = r * r, tail = f64_exp_tail_16(r, r2);
    f64_pair     m;
    m.hi = fma_f64(r2, tail, r);
    m.lo = fma_f64(r2, tail, r - m.hi) + ((near - r) - far);
    return m;
}

KT_ALWAYS uint64_t exp_beyond_f64(double a) { return f64_beyond(a, 708); } /* 2^k is a normal number below it */
KT_ALWAYS int64_t  exp_piece_f64(double a)  { return (int64_t)f64_bits(f64_sixteenths(a)); }
KT_ALWAYS double   exp_by_piece_f64(double a, const double *c)
{
    const double t = f64_sixteenths(a), n = t - F64_MAGIC_16;
    const double r = fma_f64(n, -F64_LN2_REST / 16, fma_f64(n, -F64_LN2 / 16, a)), r2 = r * r;
    const double m = fma_f64(r2, f64_exp_tail_16(r, r2), r);
    return (c[0] + fma_f64(c[0], m, c[1])) * f64_two_to_whole(t);
}
NEAR_BY_PIECE_F64(exp, 2)

/* ---- tanh = (1 - e) / (1 + e) of e = e^-2x, both as pairs ---- */
#define tanh_pieces_f64 exp_pieces_f64
KT_ALWAYS uint64_t tanh_beyond_f64(double a) { return f64_beyond(a, 22); }
KT_ALWAYS int64_t  tanh_piece_f64(double a)  { return (int64_t)f64_bits(f64_sixteenths(-2 * fabs(a))); }
KT_ALWAYS double   tanh_by_piece_f64(double a, const double *c)
{
    const double   x = -2 * fabs(a), t = f64_sixteenths(x), two_to_k = f64_two_to_whole(t), s = c[0] * two_to_k;
    const f64_pair m = f64_exp_left(x, 0, t);
    const double   lo = c[1] * two_to_k, rest = fma_f64(s, m.lo, fma_f64(lo, m.hi, lo)), less = 1 - s, more = 1 + s;
    f64_pair       n, d;
    n.hi = fma_f64(-s, m.hi, less);
    n.lo = fma_f64(-s, m.hi, less - n.hi) - (rest - ((1 - less) - s));
    d.hi = fma_f64(s, m.hi, more);
    d.lo = fma_f64(s, m.hi, more - d.hi) + (rest + ((1 - more) + s));
    return copysign(f64_divided(n, d), a);
}
NEAR_BY_PIECE_F64(tanh, 2)

/* ---- log x = k log 2 - log c + log(1 + r), where x = 2^k m and r = m c - 1, below 1/29. c is so short that r is exact where
 * that counts. The error of log(1 + r) is 2^-60 of r. The sum of the first two is exact, but for their low parts. ---- */
static KT_TABLE const double log_pieces_f64[3][PIECES_F64] = {
    {0x1.680000p+0, 0x1.580000p+0, 0x1.500000p+0, 0x1.400000p+0,
     0x1.380000p+0, 0x1.280000p+0, 0x1.200000p+0, 0x1.180000p+0,
     0x1.080000p+0, 0x1.000000p+0, 0x1.f00000p-1, 0x1.d00000p-1,
     0x1.b80000p-1, 0x1.a00000p-1, 0x1.900000p-1, 0x1.780000p-1},
    {-0x1.5d1bdbf581000p-2, -0x1.2e8e2bae12000p-2, -0x1.1675cababa000p-2, -0x1.c8ff7c79aa000p-3,
     -0x1.9525a9cf46000p-3, -0x1.29552f8200000p-3, -0x1.e27076e2b0000p-4, -0x1.6f0d28ae58000p-4,
     -0x1.f829b0e780000p-6, 0x0.0p+0, 0x1.0415d89e78000p-5, 0x1.9335e5d594000p-4,
     0x1.365fcb015a000p-3, 0x1.a93ed3c8ae000p-3, 0x1.f991c6cb3c000p-3, 0x1.3c25277333000p-2},
    {0x1.8d6bdc9c7c238p-44, 0x1.67b1e99b72bd8p-45, -0x1.8380e731f55c4p-44, 0x1.7794f689f8434p-45,
     0x1.297137d9f158fp-44, 0x1.5b967f4471dfcp-44, 0x1.a342c2af0003cp-45, 0x1.4b4641b664613p-44,
     -0x1.980267c7e09e4p-45, 0x0.0p+0, -0x1.dddc7f461c516p-44, 0x1.3115c3abd47dap-45,
     -0x1.fd3a0afb9691bp-44, -0x1.8724350562169p-45, -0x1.90d04cd7cc834p-44, 0x1.83b54b606bd5cp-46},
};

static KT_TABLE const double log2_pieces_f64[3][PIECES_F64] = {
    {0x1.680000p+0, 0x1.580000p+0, 0x1.500000p+0, 0x1.400000p+0,
     0x1.380000p+0, 0x1.280000p+0, 0x1.200000p+0, 0x1.180000p+0,
     0x1.080000p+0, 0x1.000000p+0, 0x1.f00000p-1, 0x1.d00000p-1,
     0x1.b80000p-1, 0x1.a00000p-1, 0x1.900000p-1, 0x1.780000p-1},
    {-0x1.f7a8568cb0000p-2, -0x1.b47ebf7388000p-2, -0x1.91bba891f1000p-2, -0x1.49a784bcd2000p-2,
     -0x1.24407ab0e0000p-2, -0x1.acf5e2db4e000p-3, -0x1.5c01a39fbe000p-3, -0x1.08c588cda8000p-3,
     -0x1.6bad3758f0000p-5, 0x0.0p+0, 0x1.77394c9d98000p-5, 0x1.22dadc2ab4000p-3,
     0x1.bfc67a8000000p-3, 0x1.32bfee370f000p-2, 0x1.6cb0f6865d000p-2, 0x1.c819dc2d46000p-2},
    {-0x1.b3b3864c60011p-44, -0x1.50520a377c7ecp-45, -0x1.c22d2cad415aep-44, 0x1.1d406db502403p-44,
     -0x1.ce60916e52e91p-44, -0x1.927dfc23d9780p-44, 0x1.2f0c0bfe9dbecp-44, 0x1.871a7610e40bdp-45,
     0x1.3c6764fc87b4ap-48, 0x0.0p+0, -0x1.395510d1e3f81p-44, -0x1.6d25a5b8a19b2p-44,
     -0x1.667f21fa8423fp-44, -0x1.979a5db68721dp-46, -0x1.c57f2495fb7fap-44, -0x1.bc76a2753b99bp-50},
};

static KT_TABLE const double log10_pieces_f64[3][PIECES_F64] = {
    {0x1.680000p+0, 0x1.580000p+0, 0x1.500000p+0, 0x1.400000p+0,
     0x1.380000p+0, 0x1.280000p+0, 0x1.200000p+0, 0x1.180000p+0,
     0x1.080000p+0, 0x1.000000p+0, 0x1.f00000p-1, 0x1.d00000p-1,
     0x1.b80000p-1, 0x1.a00000p-1, 0x1.900000p-1, 0x1.780000p-1},
    {-0x1.2f3b691c5a000p-3, -0x1.06cbd67a6c000p-3, -0x1.e3bc1ab0e0000p-4, -0x1.8cf1838864000p-4,
     -0x1.5fe80488b0000p-4, -0x1.02428c1f08000p-4, -0x1.a30a9d60a0000p-5, -0x1.3ed1199a60000p-5,
     -0x1.b5e908eb20000p-7, 0x0.0p+0, 0x1.c3d0837780000p-7, 0x1.5e3966b7e8000p-5,
     0x1.0d966cc650000p-4, 0x1.715d0ce368000p-4, 0x1.b721cd1714000p-4, 0x1.1299a4fb3e000p-3},
    {-0x1.7c697e103ceaap-56, -0x1.db2a2c6287ec0p-46, -0x1.9fe3d562a53f0p-44, -0x1.019365163f2fcp-45,
     0x1.606adb567e739p-45, -0x1.5ea6bc2bc8c2cp-52, 0x1.0163d7e67d282p-45, 0x1.bdafc8ad828b8p-45,
     0x1.90dfe0d1601cap-44, 0x0.0p+0, 0x1.310272fe17537p-45, 0x1.2951bb9cd2fb7p-45,
     0x1.f3735158d42c3p-49, -0x1.41149840eaa65p-46, 0x1.7e295f660b9dap-44, 0x1.82c6326f70b35p-46},
};

#define F64_FIRST_PIECE UINT64_C(0x3fe6100000000000)
typedef struct f64_log_parts {
    double k, r, r2;
} f64_log_parts;

/* The bits of x beyond those of the first piece, with the bias of an exponent: there is no borrow from that of a small number. */
KT_ALWAYS uint64_t      f64_from_first(double a) { return f64_bits(a) - F64_FIRST_PIECE + (UINT64_C(1023) << 52); }
KT_ALWAYS int64_t       log_piece_f64(double a)  { return (int64_t)(f64_from_first(a) >> 48); }
KT_ALWAYS f64_log_parts f64_log_parts_of(double a, double c)
{
    const uint64_t      u = f64_from_first(a);
    const double        k = f64_of(u >> 52 | UINT64_C(0x4330000000000000)) - (0x1p52 + 1023);
    const double        r = fma_f64(f64_of((u & UINT64_C(0x000fffffffffffff)) + F64_FIRST_PIECE), c, -1);
    const f64_log_parts parts = {k, r, r * r};
    return parts;
}

/* head + r + rest, where head is 0 or the greatest */
KT_ALWAYS double f64_sum_of_three(double head, double r, double rest)
{
    const f64_pair s = f64_sum(head, r);
    return s.hi + (s.lo + rest);
}

KT_ALWAYS uint64_t log_beyond_f64(double a) /* no positive, finite, normal number? */
{
    return (f64_bits(a) + UINT64_C(0x0010000000000000)) | (f64_bits(a) - UINT64_C(0x0010000000000000));
}
KT_ALWAYS double log_by_piece_f64(double a, const double *c)
{
    const f64_log_parts x = f64_log_parts_of(a, c[0]);
    const double        tail =
        f64_p9(x.r, x.r2, -0x1p-1, 0x1.55555555554f8p-2, -0x1.fffffffffff55p-3, 0x1.9999999bb31f2p-3, -0x1.5555555742131p-3,
               0x1.24922ef22d977p-3, -0x1.ffffcff8a609bp-4, 0x1.c80e7d63016d0p-4, -0x1.9a777a9fb4749p-4);
    return f64_sum_of_three(fma_f64(x.k, F64_LN2_HI, c[1]), x.r, fma_f64(x.r2, tail, fma_f64(x.k, F64_LN2_LO, c[2])));
}
NEAR_BY_PIECE_F64(log, 3)

/* To another base: head + r factor + (r^2 tail + low) */
KT_ALWAYS double f64_log_to_base(f64_log_parts x, f64_pair factor, double head, double low, double tail)
{
    const double p = x.r * factor.hi, lost = fma_f64(x.r, factor.hi, -p);
    return f64_sum_of_three(head, p, fma_f64(x.r2, tail, fma_f64(x.r, factor.lo, lost + low)));
}

KT_ALWAYS uint64_t log2_beyond_f64(double a) { return log_beyond_f64(a); }
KT_ALWAYS int64_t  log2_piece_f64(double a)  { return log_piece_f64(a); }
KT_ALWAYS double   log2_by_piece_f64(double a, const double *c)
{
    const f64_log_parts x = f64_log_parts_of(a, c[0]);
    const f64_pair      factor = {F64_LOG2E, F64_LOG2E_LO};
    const double        tail =
        f64_p9(x.r, x.r2, -0x1.71547652b82fep-1, 0x1.ec709dc3a0377p-2, -0x1.71547652b8283p-2, 0x1.2776c5107d7d5p-2,
               -0x1.ec709dc6671ffp-3, 0x1.a6173cdc6624cp-3, -0x1.715453ad7f8bap-3, 0x1.48f9ad23720d1p-3, -0x1.2816d25611d06p-3);
    return f64_log_to_base(x, factor, x.k + c[1], c[2], tail);
}
NEAR_BY_PIECE_F64(log2, 3)

KT_ALWAYS uint64_t log10_beyond_f64(double a) { return log_beyond_f64(a); }
KT_ALWAYS int64_t  log10_piece_f64(double a)  { return log_piece_f64(a); }
KT_ALWAYS double   log10_by_piece_f64(double a, const double *c)
{
    const f64_log_parts x = f64_log_parts_of(a, c[0]);
    const f64_pair      factor = {F64_LOG10E, F64_LOG10E_LO};
    const double        tail =
        f64_p9(x.r, x.r2, -0x1.bcb7b1526e50ep-3, 0x1.287a7636f430ep-3, -0x1.bcb7b1526e47ap-4, 0x1.63c62776f7f03p-4,
               -0x1.287a7638a0334p-4, 0x1.fc3f7892dd8d0p-5, -0x1.bcb7879ad30a5p-5, 0x1.8c202fdc1b0d8p-5, -0x1.6486e03336097p-5);
    return f64_log_to_base(x, factor, fma_f64(x.k, F64_LOG10_2_HI, c[1]), fma_f64(x.k, F64_LOG10_2_LO, c[2]), tail);
}
NEAR_BY_PIECE_F64(log10, 3)

/* ---- tan of c + d, where c is the nearest multiple of pi/16: (sin c + cos c tan d) / (cos c - sin c tan d), both as pairs. The
 * error of tan d is 2^-57. ---- */
static KT_TABLE const double tan_pieces_f64[2][PIECES_F64] = {
    {-0x0.0p+0, 0x1.8f8d647a74ebap-3, 0x1.87f602fbd75fcp-2, 0x1.1c83ac9a1c5f4p-1,
     0x1.6a09e667f3bcdp-1, 0x1.a9c2068d9c109p-1, 0x1.d92385d020506p-1, 0x1.f62bd929602e6p-1,
     0x1.000000p+0, 0x1.f62bd929602e6p-1, 0x1.d92385d020506p-1, 0x1.a9c2068d9c109p-1,
     0x1.6a09e667f3bcdp-1, 0x1.1c83ac9a1c5f4p-1, 0x1.87f602fbd75fcp-2, 0x1.8f8d647a74ebap-3},
    {0x1.000000p+0, 0x1.f62bd929602e6p-1, 0x1.d92385d020506p-1, 0x1.a9ce4a2eb2fd6p-1,
     0x1.6a09e667f3bcdp-1, 0x1.1c7b7ac4cfc8dp-1, 0x1.87f602fbd75fcp-2, 0x1.8f8d647a74ebap-3,
     0x0.0p+0, -0x1.8f8d647a74ebap-3, -0x1.87f602fbd75fcp-2, -0x1.1c7b7ac4cfc8dp-1,
     -0x1.6a09e667f3bcdp-1, -0x1.a9ce4a2eb2fd6p-1, -0x1.d92385d020506p-1, -0x1.f62bd929602e6p-1},
};

/* d of x: hi - less is exact as f64_reduce's is, and for the same reasons. */
KT_ALWAYS f64_angle f64_tan_left(double x)
{
    const double    t = fma_f64(x, 0x1.45f306dc9c883p+2, F64_MAGIC), k = t - F64_MAGIC;
    const double    near = fma_f64(k, -0x1.921fb54442d18p-3, x), hi = fma_f64(k, -0x1.1a6263p-57, near);
    const f64_angle left = {hi, fma_f64(k, 0x1.8a2e03707344ap-84, fma_f64(k, 0x1.1a6263p-57, hi - near)), f64_bits(t)};
    return left;
}
KT_ALWAYS double f64_tan_of(double d, double less, const double *c)
{
    const double z = d * d, z2 = z * z, low = f64_p2(z, 0x1.5555555555560p-2, 0x1.11111110f5e71p-3);
    const double tail = fma_f64(z2, f64_p3(z, z2, 0x1.ba1ba3195c0efp-5, 0x1.664c2e108603dp-6, 0x1.254acb4340f53p-7), low);
    const double more = fma_f64(d * z, tail, -less), t = d + more;
    f64_pair     over, under;
    over.hi = fma_f64(c[1], t, c[0]);
    over.lo = fma_f64(c[1], more, fma_f64(c[1], d, c[0] - over.hi));
    under.hi = fma_f64(-c[0], t, c[1]);
    under.lo = fma_f64(-c[0], more, fma_f64(-c[0], d, c[1] - under.hi));
    return f64_divided(over, under);
}

KT_ALWAYS uint64_t tan_beyond_f64(double a) { return f64_beyond(a, F64_TRIG_MAX); }
KT_ALWAYS int64_t  tan_piece_f64(double a)  { return (int64_t)f64_tan_left(a).count; }
KT_ALWAYS double   tan_by_piece_f64(double a, const double *c)
{
    const f64_angle left = f64_tan_left(a);
    return f64_tan_of(left.hi, left.less, c);
}
NEAR_BY_PIECE_F64(tan, 2)

/* ---- atan x = atan(q / p) + atan t of t = (p x - q) / (q x + p), |t| < 0.1: the error of atan t is 2^-63 ---- */
static KT_TABLE const double atan_pieces_f64[4][PIECES_F64] = {
    {0x1.000000p+0, 0x1.000000p+0, 0x1.000000p+0, 0x1.000000p+0,
     0x1.000000p+0, 0x1.000000p+0, 0x1.000000p+0, 0x0.0p+0,
     0x1.000000p+0, 0x1.000000p+0, 0x1.000000p+0, 0x1.000000p+0,
     0x1.000000p+0, 0x1.000000p+0, 0x1.000000p+0, 0x1.000000p+0},
    {0x1.24a000p+1, 0x1.a74000p+1, 0x1.2b7000p+2, 0x1.aee000p+2,
     0x1.2f3000p+3, 0x1.b2d000p+3, 0x1.312800p+4, 0x1.000000p+0,
     0x0.0p+0, 0x1.800000p-4, 0x1.7e0000p-3, 0x1.3f0000p-2,
     0x1.fa0000p-2, 0x1.7c0000p-1, 0x1.184000p+0, 0x1.990000p+0},
    {0x1.2890621cd6aa5p+0, 0x1.46f14955791b4p+0, 0x1.5c38105153edap+0, 0x1.6c5ffa1173e8cp+0,
     0x1.7734358580472p+0, 0x1.7f51450194a3ep+0, 0x1.84b6a871af9f5p+0, 0x1.921fb54442d18p+0,
     0x0.0p+0, 0x1.7ee182602f10fp-4, 0x1.79a901e03a98cp-3, 0x1.353e2974bb02bp-2,
     0x1.d5f6c2d8342f1p-2, 0x1.46e727efe4716p-1, 0x1.a942f01b15aa3p-1, 0x1.02f426db5ab0ep+0},
    {0x1.9e7442918e7e5p-54, 0x1.26a0e17f140b7p-54, 0x1.147651701d546p-54, 0x1.77a41fac587e4p-56,
     -0x1.b947fa6890affp-56, -0x1.d0a8bbe61cd35p-55, -0x1.2bc4b6ea7bed2p-54, 0x1.1a62633145c07p-54,
     0x0.0p+0, -0x1.cfb654c0c3d98p-58, -0x1.21c82ad6525c1p-57, -0x1.47c1e8bb3a91ap-56,
     -0x1.ff7ca2fe4af6ep-57, -0x1.39b9b1b844cc9p-57, -0x1.27d0e5db19832p-57, -0x1.2ca34a81839a1p-54},
};

/* A piece is half an octave of x + 1/8. In the first q is 0, in the last, from 23.9 on, p. */
KT_ALWAYS uint64_t atan_beyond_f64(double a) { return f64_beyond(a, 0x1p100); }
KT_ALWAYS int64_t  atan_piece_f64(double a)
{
    const double x = fabs(a);
    return (int64_t)(f64_bits(select_f64(x > 30, 30.0, x) + 0.125) >> 51);
}
KT_ALWAYS double atan_by_piece_f64(double a, const double *c)
{
    const double   x = fabs(a), n = fma_f64(x, c[0], -c[1]), d = fma_f64(x, c[1], c[0]), d_lo = fma_f64(x, c[1], c[0] - d);
    const double   over = 1 / d, t = n * over, z = t * t, z2 = z * z, rest = fma_f64(-t, d_lo, fma_f64(-t, d, n)) * over;
    const double   low = f64_p4(z, z2, -0x1.5555555555553p-2, 0x1.9999999993476p-3, -0x1.2492490dae24cp-3, 0x1.c71c351809365p-4);
    const double   tail = fma_f64(z2 * z2, f64_p2(z, -0x1.7438adb33121fp-4, 0x1.30f87d7f6e50ep-4), low);
    return copysign(f64_sum_of_three(c[2], t, fma_f64(t * z, tail, rest + c[3])), a);
}
NEAR_BY_PIECE_F64(atan, 4)

#endif
