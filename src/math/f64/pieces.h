/* pieces.h - exp, log, log2, log10 of float64 by a table of 16 pieces, so that what is left for a polynomial is small.
 *
 * A function comes in parts, as math/f32/pieces.h says. tools/pieces.py made the tables and the polynomials, and says what the
 * columns are. In and out: double; bounds.def says how exact. Independent of: tensors, tiles, dtypes. */
#ifndef KT_MATH_F64_PIECES_H
#define KT_MATH_F64_PIECES_H

#include "math/f64/exponential.h"
#include "math/f64/logarithm.h"
#include "math/table.h"

enum { PIECES_F64 = 16 };

#define NEAR_BY_PIECE(name, columns)                                                                                   \
    KT_ALWAYS double name##_near_f64(double a)                                                                         \
    {                                                                                                                  \
        const int64_t piece = name##_piece_f64(a);                                                                     \
        double        c[columns];                                                                                      \
        for (int k = 0; k < (columns); k++)                                                                            \
            c[k] = name##_pieces_f64[k][piece];                                                                        \
        return name##_by_piece_f64(a, c);                                                                              \
    }

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
KT_ALWAYS double   exp_sixteenths_f64(double a) { return fma_f64(a, 0x1.71547652b82fep+4, F64_MAGIC_16); }
KT_ALWAYS uint64_t exp_beyond_f64(double a)     { return f64_beyond(a, 708); } /* 2^k is a normal number below it */
KT_ALWAYS int64_t  exp_piece_f64(double a)      { return (int64_t)(f64_bits(exp_sixteenths_f64(a)) & 15); }
KT_ALWAYS double   exp_by_piece_f64(double a, const double *c)
{
    const double t = exp_sixteenths_f64(a), n = t - F64_MAGIC_16;
    const double r = fma_f64(n, -0x1.abc9e3b39803fp-60, fma_f64(n, -0x1.62e42fefa39efp-5, a)), r2 = r * r;
    const double high = f64_p4(r, r2, 0x1.55555554e9468p-5, 0x1.11111110e10a7p-7, 0x1.6c17ed4cc4834p-10, 0x1.a01b0c2ef5c1fp-13);
    const double m = fma_f64(r2, fma_f64(r2, high, f64_p2(r, 0x1.0000000000001p-1, 0x1.5555555555556p-3)), r);
    return (c[0] + fma_f64(c[0], m, c[1])) * f64_of((f64_bits(t) >> 4) << 52);
}
NEAR_BY_PIECE(exp, 2)

/* ---- log x = k log 2 + log m + log(1 + r), where x = 2^k (m + d) and r = d / m, |r| <= 1/32: the error of log(1 + r) is 2^-61
 * of r. The sum of the first two is exact, but for what stands in the low parts. ---- */
static KT_TABLE const double log_pieces_f64[4][PIECES_F64] = {
    {0x1.6fa220p-1, 0x1.800060p-1, 0x1.8ef5e0p-1, 0x1.9f6fe0p-1,
     0x1.af4360p-1, 0x1.c0eee0p-1, 0x1.ce5860p-1, 0x1.e1e1e0p-1,
     0x1.ee1ee0p-1, 0x1.000000p+0, 0x1.0f2750p+0, 0x1.2098a0p+0,
     0x1.2f2af0p+0, 0x1.3fffb0p+0, 0x1.4f3910p+0, 0x1.5f15f0p+0},
    {0x1.648778788ec0fp+0, 0x1.5555000015555p+0, 0x1.4888a85c2c0b1p+0, 0x1.3b81000013b81p+0,
     0x1.2fed000012fedp+0, 0x1.23f69c264fdb9p+0, 0x1.1b7e69697b215p+0, 0x1.1000011000011p+0,
     0x1.09435f5a1af39p+0, 0x1.000000p+0, 0x1.e362f85086446p-1, 0x1.c62bc1ec025f3p-1,
     0x1.b0576ef68f39cp-1, 0x1.999a00001999ap-1, 0x1.86ffe1e1fa51ep-1, 0x1.755556caaaac2p-1},
    {-0x1.533039717c000p-2, -0x1.269521136e000p-2, -0x1.fee61c3470000p-3, -0x1.ac04d8a704000p-3,
     -0x1.5f73030ace000p-3, -0x1.0d360adc2a000p-3, -0x1.a1d82b10d8000p-4, -0x1.f0a32c0118000p-5,
     -0x1.232f42f828000p-5, 0x0.0p+0, 0x1.d71ac0fb18000p-5, 0x1.eae8e32cb0000p-4,
     0x1.5a55b0ce78000p-3, 0x1.c8fd7c796a000p-3, 0x1.1416cdd364000p-2, 0x1.436ef0a064000p-2},
    {0x1.db5db6b6f771bp-44, 0x1.1b77465677b87p-44, 0x1.3954033b738eap-44, 0x1.5b13f3fd9dcbdp-44,
     -0x1.212385f90de92p-44, -0x1.bb3f8fbebf9e0p-44, 0x1.a4c84dbb24e04p-44, 0x1.c599e828be3e6p-45,
     0x1.1ec16309a09d3p-45, 0x0.0p+0, 0x1.b312a1e57c015p-46, -0x1.061f3fbde3979p-48,
     0x1.5a40c56714c34p-47, -0x1.77bfa13ca2ef8p-45, 0x1.ba1f17e0adbfbp-44, -0x1.537a215726b0bp-45},
};

static KT_TABLE const double log2_pieces_f64[4][PIECES_F64] = {
    {0x1.6fa220p-1, 0x1.800060p-1, 0x1.8ef5e0p-1, 0x1.9f6fe0p-1,
     0x1.af4360p-1, 0x1.c0eee0p-1, 0x1.ce5860p-1, 0x1.e1e1e0p-1,
     0x1.ee1ee0p-1, 0x1.000000p+0, 0x1.0f2750p+0, 0x1.2098a0p+0,
     0x1.2f2af0p+0, 0x1.3fffb0p+0, 0x1.4f3910p+0, 0x1.5f15f0p+0},
    {0x1.648778788ec0fp+0, 0x1.5555000015555p+0, 0x1.4888a85c2c0b1p+0, 0x1.3b81000013b81p+0,
     0x1.2fed000012fedp+0, 0x1.23f69c264fdb9p+0, 0x1.1b7e69697b215p+0, 0x1.1000011000011p+0,
     0x1.09435f5a1af39p+0, 0x1.000000p+0, 0x1.e362f85086446p-1, 0x1.c62bc1ec025f3p-1,
     0x1.b0576ef68f39cp-1, 0x1.999a00001999ap-1, 0x1.86ffe1e1fa51ep-1, 0x1.755556caaaac2p-1},
    {-0x1.e9586b6540000p-2, -0x1.a8fe25c3c8000p-2, -0x1.70891f25fe000p-2, -0x1.34c019da2e000p-2,
     -0x1.fb08bb9026000p-3, -0x1.8463b7d0d0000p-3, -0x1.2d69391108000p-3, -0x1.663f86c1d8000p-4,
     -0x1.a417319f88000p-5, 0x0.0p+0, 0x1.53d47f57e8000p-4, 0x1.621dd361f6000p-3,
     0x1.f3a7c80b06000p-3, 0x1.49a613682d000p-2, 0x1.8e4ff5c4f6000p-2, 0x1.d29d9ebbca000p-2},
    {-0x1.102e9b4dc8d17p-44, -0x1.f6c1a8d171f29p-44, -0x1.9c455db372885p-48, 0x1.6446f615b9045p-48,
     -0x1.9210308aff3bcp-45, -0x1.358479b373f07p-48, 0x1.c71af107be29dp-44, -0x1.443be6fb2e43cp-45,
     -0x1.f361aa587088cp-46, 0x0.0p+0, -0x1.45911ae5ad84cp-47, 0x1.895e7b41cdf7dp-45,
     0x1.ed87c5c1ab456p-44, 0x1.db09c4b2cc9bap-45, -0x1.ca97aafeef7adp-47, -0x1.44aef1af3bd54p-44},
};

static KT_TABLE const double log10_pieces_f64[4][PIECES_F64] = {
    {0x1.6fa220p-1, 0x1.800060p-1, 0x1.8ef5e0p-1, 0x1.9f6fe0p-1,
     0x1.af4360p-1, 0x1.c0eee0p-1, 0x1.ce5860p-1, 0x1.e1e1e0p-1,
     0x1.ee1ee0p-1, 0x1.000000p+0, 0x1.0f2750p+0, 0x1.2098a0p+0,
     0x1.2f2af0p+0, 0x1.3fffb0p+0, 0x1.4f3910p+0, 0x1.5f15f0p+0},
    {0x1.648778788ec0fp+0, 0x1.5555000015555p+0, 0x1.4888a85c2c0b1p+0, 0x1.3b81000013b81p+0,
     0x1.2fed000012fedp+0, 0x1.23f69c264fdb9p+0, 0x1.1b7e69697b215p+0, 0x1.1000011000011p+0,
     0x1.09435f5a1af39p+0, 0x1.000000p+0, 0x1.e362f85086446p-1, 0x1.c62bc1ec025f3p-1,
     0x1.b0576ef68f39cp-1, 0x1.999a00001999ap-1, 0x1.86ffe1e1fa51ep-1, 0x1.755556caaaac2p-1},
    {-0x1.269d8305b8000p-3, -0x1.ffbe06044c000p-4, -0x1.bbc2d8a55c000p-4, -0x1.73c5c3d8dc000p-4,
     -0x1.3143d3f6cc000p-4, -0x1.d3aae6f0a8000p-5, -0x1.6aef5ed280000p-5, -0x1.af5fae7b90000p-6,
     -0x1.f9d6e8a0c0000p-7, 0x0.0p+0, 0x1.9932389250000p-6, 0x1.aa66154280000p-5,
     0x1.2cd290e620000p-4, 0x1.8cefc6d07c000p-4, 0x1.df9da88470000p-4, 0x1.18ee3ed604000p-3},
    {-0x1.b4f2e9db09249p-44, -0x1.c4b5edd06f622p-44, 0x1.f67fa6ee73c22p-45, 0x1.87b512ba56b21p-44,
     -0x1.3027c5a754131p-44, -0x1.4781132dd902fp-44, 0x1.0e9be0d51b5bdp-45, 0x1.9efe3bdf53ce2p-44,
     0x1.a846c2e388f9bp-44, 0x0.0p+0, 0x1.cce9cc7344028p-46, -0x1.5a66d10eaeda4p-45,
     -0x1.97e62c8c91ac7p-48, -0x1.a29031ed0d7bap-46, -0x1.1d62cbe13aa3ap-44, 0x1.159a27f2c4e73p-44},
};

#define F64_FIRST_PIECE UINT64_C(0x3fe6800000000000)
KT_ALWAYS int64_t log_piece_f64(double a) { return (int64_t)((f64_bits(a) - F64_FIRST_PIECE) >> 48 & 15); }

typedef struct f64_log_parts {
    double k, r, lost, tail; /* r + lost = d / m; tail: log(1 + r) - r */
} f64_log_parts;

KT_ALWAYS f64_log_parts f64_log_parts_of(double a, const double *c)
{
    const uint64_t u = f64_bits(a) - F64_FIRST_PIECE + (UINT64_C(1023) << 52); /* no borrow from the exponent of a small number */
    const double   k = f64_of(u >> 52 | UINT64_C(0x4330000000000000)) - (0x1p52 + 1023);
    const double   d = f64_of((u & UINT64_C(0x000fffffffffffff)) + F64_FIRST_PIECE) - c[0];
    const double   r = d * c[1], r2 = r * r, r4 = r2 * r2;
    const double   low = f64_p4(r, r2, -0x1.0000000000000p-1, 0x1.5555555555521p-2, -0x1.fffffffffffa0p-3, 0x1.9999999af751bp-3);
    const double   high = f64_p4(r, r2, -0x1.5555555695eaap-3, 0x1.2492357975d4ep-3, -0x1.ffffdbf0c52e0p-4, 0x1.c7ee28ac92c02p-4);
    const f64_log_parts parts = {k, r, fma_f64(d, c[1], -r), r2 * fma_f64(r4, fma_f64(r4, -0x1.9a59d75fe5885p-4, high), low)};
    return parts;
}

/* head + r + rest, where head is 0 or the greatest */
KT_ALWAYS double f64_log_sum(double head, double r, double rest)
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
    const f64_log_parts x = f64_log_parts_of(a, c);
    return f64_log_sum(fma_f64(x.k, F64_LN2_HI, c[2]), x.r, fma_f64(x.k, F64_LN2_LO, c[3]) + (x.lost + x.tail));
}
NEAR_BY_PIECE(log, 4)

/* To another base: (r + lost + tail) factor + head + low */
KT_ALWAYS double f64_log_to_base(f64_log_parts x, f64_pair factor, double head, double low)
{
    const double p = x.r * factor.hi, p_lost = fma_f64(x.r, factor.hi, -p) + x.r * factor.lo;
    return f64_log_sum(head, p, fma_f64(x.lost + x.tail, factor.hi, p_lost + low));
}

KT_ALWAYS uint64_t log2_beyond_f64(double a) { return log_beyond_f64(a); }
KT_ALWAYS int64_t  log2_piece_f64(double a)  { return log_piece_f64(a); }
KT_ALWAYS double   log2_by_piece_f64(double a, const double *c)
{
    const f64_log_parts x = f64_log_parts_of(a, c);
    const f64_pair      factor = {F64_LOG2E, F64_LOG2E_LO};
    return f64_log_to_base(x, factor, x.k + c[2], c[3]);
}
NEAR_BY_PIECE(log2, 4)

KT_ALWAYS uint64_t log10_beyond_f64(double a) { return log_beyond_f64(a); }
KT_ALWAYS int64_t  log10_piece_f64(double a)  { return log_piece_f64(a); }
KT_ALWAYS double   log10_by_piece_f64(double a, const double *c)
{
    const f64_log_parts x = f64_log_parts_of(a, c);
    const f64_pair      factor = {0x1.bcb7b1526e50ep-2, 0x1.95355baaafad3p-57};
    return f64_log_to_base(x, factor, fma_f64(x.k, 0x1.34413509f78p-2, c[2]), fma_f64(x.k, 0x1.fef311f12b358p-46, c[3]));
}
NEAR_BY_PIECE(log10, 4)

#undef NEAR_BY_PIECE

#endif
