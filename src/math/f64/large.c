/* large.c - large arguments of sin, cos and tan (see large.h), reduced by integers after M. H. Payne and R. N. Hanek, Radian
 * reduction for trigonometric functions, SIGNUM Newsletter 18 (1983): of 2/pi only those 256 bits are multiplied
 * whose products with x lie between two turns and 2^-201 of a quarter turn. No float64 comes nearer to a multiple of pi/2 than
 * 2^-62. */
#include "math/f64/large.h"

#include "math/f64/trigonometric.h"

/* 2/pi; the first word, which is zero, lies before the point. */
static const uint64_t two_over_pi[] = {
    0,                  0xa2f9836e4e441529, 0xfc2757d1f534ddc0, 0xdb6295993c439041, 0xfe5163abdebbc561, 0xb7246e3a424dd2e0,
    0x06492eea09d1921c, 0xfe1deb1cb129a73e, 0xe88235f52ebb4484, 0xe99c7026b45f7e41, 0x3991d639835339f4, 0x9c845f8bbdf9283b,
    0x1ff897ffde05980f, 0xef2f118b5a0a6d1f, 0x6d367ecf27cb09b7, 0x4f463f669e5fea2d, 0x7527bac7ebe5f17b, 0x3d0739f78a5292ea,
    0x6bfb5fb11f8d5d08, 0x56033046fc7b6bab, 0xf0cfbc209af4361d, 0xa9e391615ee61b08};

/* The four words of m * 2^e * 2/pi from the bit of value 2 downwards, modulo 4; e >= -62 */
static void turn(uint64_t m, int e, uint64_t z[4])
{
    const int         from = e + 62, word = from / 64, bit = from % 64; /* of two_over_pi: the bit of value 2^(63 - from) */
    unsigned __int128 carry = 0;
    for (int i = 3; i >= 0; i--) {
        const uint64_t *w = two_over_pi + word + i;
        carry += (unsigned __int128)m * (bit ? w[0] << bit | w[1] >> (64 - bit) : w[0]);
        z[i] = (uint64_t)carry;
        carry >>= 64;
    }
}

/* As f64_reduce, of any number; of an infinity NaN. */
static f64_angle reduced(double x)
{
    const uint64_t u = f64_bits(x), m = (u & UINT64_C(0x000fffffffffffff)) | UINT64_C(0x0010000000000000);
    const f64_pair quarter = {0x1.921fb54442d18p0, 0x1.1a62633145c07p-54};
    f64_angle      angle = {x - x, 0, 0};
    uint64_t       z[4];
    if (!(fabs(x) < INFINITY))
        return angle;
    turn(m, (int)(u >> 52 & 0x7ff) - 1075, z);
    angle.count = z[0] >> 62;
    uint64_t   high = z[0] << 2 | z[1] >> 62, low = z[1] << 2 | z[2] >> 62, last = z[2] << 2 | z[3] >> 62;
    const bool above = high >> 63; /* half a quarter or more: count from the next one, downwards */
    if (above) {
        angle.count += 1;
        high = ~high, low = ~low, last = ~last;
    }
    const int shift = high ? __builtin_clzll(high) : 63;
    if (shift) {
        high = high << shift | low >> (64 - shift);
        low = low << shift | last >> (64 - shift);
    }
    const double   scale = f64_of((uint64_t)(1023 - shift) << 52), sign = above != (u >> 63 != 0) ? -scale : scale;
    const f64_pair part = {(double)(high >> 11) * 0x1p-53, (double)((high << 53 | low >> 11) >> 1) * 0x1p-116};
    f64_pair       r = f64_pair_product(part, quarter);
    r = f64_sum(r.hi, r.lo);
    angle.hi = r.hi * sign;
    angle.less = -r.lo * sign;
    angle.count = u >> 63 ? UINT64_C(0) - angle.count : angle.count;
    return angle;
}

double kt__sin_large(double x) { return f64_sin_in(reduced(x), 0); }
double kt__cos_large(double x) { return f64_sin_in(reduced(x), 1); }
double kt__tan_large(double x)
{
    const f64_angle r = reduced(x), left = f64_tan_left(r.hi);
    const int       piece = (int)((left.count + (r.count << 3)) & (PIECES_F64 - 1));
    const double    c[] = {tan_pieces_f64[0][piece], tan_pieces_f64[1][piece]};
    return f64_tan_of(left.hi, left.less + r.less, c);
}
