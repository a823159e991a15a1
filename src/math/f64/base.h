/* base.h - what the functions of float64 are made of: bits, selects, sums and quotients of twice the precision.
 *
 * A pair is an unevaluated sum hi + lo, where lo is small beside hi. A fused multiply-add gives exactly what a product or a
 * quotient lacks, and the same bits on every instruction set. Straight-line code with selects instead of branches, 64-bit
 * integers only shifted, added and masked: this much every instruction set can do with vectors. The polynomials are minimax
 * fits made for this folder. Independent of: tensors, tiles, dtypes.
 *
 * Exact sums and products: O. Moller, BIT 5 (1965); D. E. Knuth, The Art of Computer Programming 2, section 4.2.2; T. J. Dekker,
 * Numerische Mathematik 18 (1971). */
#ifndef KT_MATH_F64_BASE_H
#define KT_MATH_F64_BASE_H

#include <math.h>
#include <stdbool.h>
#include <string.h>

#include "math/fma.h"

#define F64_LN2    0x1.62e42fefa39efp-1
#define F64_LN2_REST 0x1.abc9e3b39803fp-56
#define F64_LN2_HI 0x1.62e42fefa3800p-1 /* 42 bits: times an exponent it is exact */
#define F64_LN2_LO 0x1.ef35793c76730p-45
#define F64_LOG2E  0x1.71547652b82fep+0
#define F64_LOG2E_LO 0x1.777d0ffda0d24p-56
#define F64_LOG10E 0x1.bcb7b1526e50ep-2
#define F64_LOG10E_LO 0x1.95355baaafad3p-57
#define F64_LOG10_2_HI 0x1.34413509f7800p-2 /* as F64_LN2_HI */
#define F64_LOG10_2_LO 0x1.fef311f12b358p-46
#define F64_MAGIC  0x1.8p52 /* adding it rounds to an integer, which then stands in the low bits */
#define F64_SIGN   UINT64_C(0x8000000000000000)

typedef struct f64_pair {
    double hi, lo;
} f64_pair;

KT_ALWAYS uint64_t f64_bits(double x)    { uint64_t u; memcpy(&u, &x, 8); return u; }
KT_ALWAYS double   f64_of(uint64_t bits) { double x; memcpy(&x, &bits, 8); return x; }

/* Its sign bit: is |a| not below this, or NaN? An addition carries into it: that vectorises everywhere. */
KT_ALWAYS uint64_t f64_beyond(double a, double most) { return (f64_bits(a) & (F64_SIGN - 1)) + (F64_SIGN - f64_bits(most)); }

KT_ALWAYS double select_f64(bool condition, double yes, double no)
{
#ifdef __aarch64__
    /* A condition as a mask stays one compare and one select, and a NaN goes the way of "no". As a < b ? x : f(a) gcc 12 would
     * turn it around, into f(a) where a is not less or not ordered, for which NEON has no compare. */
    const uint64_t mask = condition ? ~UINT64_C(0) : 0;
    return f64_of((f64_bits(yes) & mask) | (f64_bits(no) & ~mask));
#else
    return condition ? yes : no;
#endif
}

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

/* a * b exactly */
KT_ALWAYS f64_pair f64_product(double a, double b)
{
    f64_pair p;
    p.hi = a * b;
    p.lo = fma_f64(a, b, -p.hi);
    return p;
}

/* a * b to about 2^-102 */
KT_ALWAYS f64_pair f64_pair_product(f64_pair a, f64_pair b)
{
    f64_pair p = f64_product(a.hi, b.hi);
    p.lo += fma_f64(a.hi, b.lo, a.lo * b.hi);
    return p;
}

/* n / d to about 2^-102, by way of over, which is 1 / d.hi or nearly so; lo is up to 2^-50 of hi */
KT_ALWAYS f64_pair f64_quotient_by(f64_pair n, f64_pair d, double over)
{
    f64_pair q;
    q.hi = n.hi * over;
    q.lo = (fma_f64(-q.hi, d.hi, n.hi) + fma_f64(-q.hi, d.lo, n.lo)) * over;
    return q;
}
KT_ALWAYS f64_pair f64_quotient(f64_pair n, f64_pair d) { return f64_quotient_by(n, d, 1 / d.hi); }

/* The same rounded once. A zero keeps its sign: the correction, which is 0 then, is taken off. */
KT_ALWAYS double f64_divided(f64_pair n, f64_pair d)
{
    const double over = 1 / d.hi, q = n.hi * over;
    return fma_f64(-(fma_f64(q, d.hi, -n.hi) + fma_f64(q, d.lo, -n.lo)), over, q);
}

/* r from lo to hi, the limits beyond. */
KT_ALWAYS double f64_ends(double a, double r, double lo, double below, double hi, double above)
{
    r = select_f64(a < lo, below, r);
    return select_f64(a > hi, above, r);
}

/* Polynomials by halves (Estrin): short chains of dependent operations. */
KT_ALWAYS double f64_p2(double x, double a, double b) { return fma_f64(b, x, a); }
KT_ALWAYS double f64_p3(double x, double x2, double a, double b, double c) { return fma_f64(c, x2, fma_f64(b, x, a)); }
KT_ALWAYS double f64_p4(double x, double x2, double a, double b, double c, double d)
{
    return fma_f64(fma_f64(d, x, c), x2, fma_f64(b, x, a));
}
KT_ALWAYS double f64_p9(double x, double x2, double a, double b, double c, double d, double e, double f, double g, double h,
                        double i)
{
    const double x4 = x2 * x2;
    return fma_f64(x4, fma_f64(x4, i, f64_p4(x, x2, e, f, g, h)), f64_p4(x, x2, a, b, c, d));
}

#endif
