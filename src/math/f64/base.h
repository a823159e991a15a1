/* base.h - what the functions of float64 are made of: bits, sums and quotients of twice the precision.
 *
 * A pair is an unevaluated sum hi + lo, where lo is small beside hi. There is no FMA, since the bits must be the same on
 * every instruction set: an exact product comes from factors of 26 bits (f64_head). Straight-line code with selects
 * instead of branches, 64-bit integers only shifted, added and masked: this much every instruction set can do with
 * vectors. Independent of: tensors, tiles, dtypes. */
#ifndef KT_MATH_F64_BASE_H
#define KT_MATH_F64_BASE_H

#include <math.h>
#include <string.h>

#include "math/select.h"

#define F64_LN2    0x1.62e42fefa39efp-1
#define F64_LN2_HI 0x1.62e42fefa3800p-1 /* 42 bits: times an exponent it is exact */
#define F64_LN2_LO 0x1.ef35793c76730p-45
#define F64_LOG2E  0x1.71547652b82fep+0
#define F64_MAGIC  0x1.8p52 /* adding it rounds to an integer, which then stands in the low bits */
#define F64_SIGN   UINT64_C(0x8000000000000000)

typedef struct f64_pair {
    double hi, lo;
} f64_pair;

KT_ALWAYS uint64_t f64_bits(double x)    { uint64_t u; memcpy(&u, &x, 8); return u; }
KT_ALWAYS double   f64_of(uint64_t bits) { double x; memcpy(&x, &bits, 8); return x; }

KT_ALWAYS double f64_masked(uint64_t mask, double yes, double no)
{
    return f64_of((f64_bits(yes) & mask) | (f64_bits(no) & ~mask));
}

/* The first 26 bits of x; x - f64_head(x) is exact and has 27. */
KT_ALWAYS double f64_head(double x) { return f64_of(f64_bits(x) & UINT64_C(0xfffffffff8000000)); }

/* a + b exactly, for |a| >= |b| or a == 0 */
KT_ALWAYS f64_pair f64_sum(double a, double b)
{
    f64_pair s;
    s.hi = a + b;
    s.lo = (a - s.hi) + b;
    return s;
}

/* a + b exactly */
KT_ALWAYS f64_pair f64_any_sum(double a, double b)
{
    f64_pair     s;
    s.hi = a + b;
    const double part = s.hi - a;
    s.lo = (a - (s.hi - part)) + (b - part);
    return s;
}

/* a * b to about 2^-78 */
KT_ALWAYS f64_pair f64_product(double a, double b)
{
    const double ah = f64_head(a), al = a - ah, bh = f64_head(b), bl = b - bh;
    f64_pair     p;
    p.hi = ah * bh;
    p.lo = ah * bl + al * b;
    return f64_sum(p.hi, p.lo);
}

/* 1 / d to about 2^-70, for d within the range of float32. hi is a float32, whose division is cheap and whose product with
 * 26 bits is exact; lo, up to 2^-23 of it, is what is missing: 1 / (1 - miss) = 1 + miss + miss^2 + ... */
KT_ALWAYS f64_pair f64_inverse(f64_pair d)
{
    const double dh = f64_head(d.hi), dl = (d.hi - dh) + d.lo, over = 1.0f / (float)dh;
    const double miss = (1 - dh * over) - dl * over;
    f64_pair     q;
    q.hi = over;
    q.lo = over * (miss + miss * miss);
    return q;
}

/* n / d, likewise; hi is exact, lo up to 2^-22 of it. */
KT_ALWAYS f64_pair f64_quotient(f64_pair n, f64_pair d)
{
    const f64_pair over = f64_inverse(d);
    const double   nh = f64_head(n.hi), nl = (n.hi - nh) + n.lo;
    f64_pair       q;
    q.hi = nh * over.hi;
    q.lo = nl * over.hi + n.hi * over.lo;
    return q;
}

/* r from lo to hi, the limits beyond. */
KT_ALWAYS double f64_ends(double a, double r, double lo, double below, double hi, double above)
{
    r = select_f64(a < lo, below, r);
    return select_f64(a > hi, above, r);
}

/* Polynomials by halves (Estrin): short chains of dependent operations. */
KT_ALWAYS double f64_p2(double x, double a, double b) { return a + b * x; }
KT_ALWAYS double f64_p3(double x, double x2, double a, double b, double c) { return (a + b * x) + c * x2; }
KT_ALWAYS double f64_p4(double x, double x2, double a, double b, double c, double d)
{
    return (a + b * x) + (c + d * x) * x2;
}

#endif
