/* exponential.h - exp, exp2, expm1, sinh, cosh, tanh, sigmoid, silu of float64. See base.h. */
#ifndef KT_MATH_F64_EXPONENTIAL_H
#define KT_MATH_F64_EXPONENTIAL_H

#include "math/f64/base.h"

/* Like F64_MAGIC, with the bias of one exponent or of two. */
#define F64_MAGIC_ONE 0x1.80000000003ffp52
#define F64_MAGIC_TWO 0x1.80000000007fep52

KT_ALWAYS double f64_two_to(double sum_one)      { return f64_of(f64_bits(sum_one) << 52); }

/* x 2^k in two factors, since 2^k may lie beyond the normal numbers. */
KT_ALWAYS double f64_scaled(double x, double sum_two)
{
    const uint64_t k = f64_bits(sum_two), half = k >> 1;
    return x * f64_of(half << 52) * f64_of((k - half) << 52);
}

/* (e^r - 1 - r - r^2 / 2) / r^3 for |r| <= ln2 / 2; the error is 2^-63 of e^r and 2^-61 of e^r - 1 */
KT_ALWAYS double f64_exp_cubic(double r, double r2)
{
    const double r4 = r2 * r2;
    const double low = f64_p4(r, r2, 0x1.5555555555559p-3, 0x1.555555555554ap-5, 0x1.111111110f644p-7, 0x1.6c16c16c1c0ccp-10);
    const double middle =
        f64_p4(r, r2, 0x1.a01a01b00ecdbp-13, 0x1.a01a01873753bp-16, 0x1.71ddf7e9c9398p-19, 0x1.27e521960cc2dp-22);
    const double high = f64_p2(r, 0x1.af5f7b3dc0dcep-26, 0x1.1f04a97a389e5p-29);
    return fma_f64(fma_f64(high, r4, middle), r4, low);
}

/* (e^r - 1 - r) / r^2 */
KT_ALWAYS double f64_exp_tail(double r, double r2) { return fma_f64(r, f64_exp_cubic(r, r2), 0.5); }

/* e^a = 2^k (1 + w), where t is k + magic: that sum is the one large rounding. */
KT_ALWAYS double f64_exp_of(double a, double magic, double *t)
{
    *t = fma_f64(a, F64_LOG2E, magic);
    const double k = *t - magic, near = fma_f64(k, -F64_LN2_HI, a), low = k * F64_LN2_LO, r = near - low, r2 = r * r;
    return near - fma_f64(-r2, f64_exp_tail(r, r2), low);
}

KT_ALWAYS double exp_f64(double a)
{
    double       t;
    const double w = f64_exp_of(a, F64_MAGIC_TWO, &t);
    return f64_ends(a, f64_scaled(1 + w, t), -746, 0.0, 710, INFINITY);
}

/* e^(x + rest) = 2^k (1 + m) for |x| <= 760; k comes with `magic` added. m to about 2^-60. */
KT_ALWAYS f64_pair f64_exp_parts(double x, double rest, double magic, double *k)
{
    const double t = fma_f64(x, F64_LOG2E, magic), n = t - magic;
    const double near = fma_f64(n, -F64_LN2_HI, x), far = fma_f64(n, F64_LN2_LO, -rest), r = near - far, r2 = r * r;
    const double m = fma_f64(0.5, r2, r), left = fma_f64(0.5, fma_f64(r, r, -r2), (near - r) - far);
    *k = t;
    return f64_sum(m, fma_f64(0.5, r2, r - m) + fma_f64(r * r2, f64_exp_cubic(r, r2), left));
}

KT_ALWAYS double exp2_f64(double a)
{
    const double t = a + F64_MAGIC_TWO, r = a - (t - F64_MAGIC_TWO), r2 = r * r, r4 = r2 * r2;
    const double low = f64_p4(r, r2, 0x1.ebfbdff82c58fp-3, 0x1.c6b08d704a0c2p-5, 0x1.3b2ab6fba4cbfp-7, 0x1.5d87fe78a50a3p-10);
    const double middle =
        f64_p4(r, r2, 0x1.430912f906d86p-13, 0x1.ffcbfc67bbe2ap-17, 0x1.62c01f79b113dp-20, 0x1.b524f94b427f8p-24);
    const double high = f64_p3(r, r2, 0x1.e4da3dd1ed27cp-28, 0x1.e9d69c6468743p-32, 0x1.b456e8758c15ap-36);
    const double s = fma_f64(r, F64_LN2, 1), rest = fma_f64(r, F64_LN2_REST, fma_f64(r, F64_LN2, 1 - s));
    const double v = s + fma_f64(r2, fma_f64(fma_f64(high, r4, middle), r4, low), rest);
    return f64_ends(a, f64_scaled(v, t), -1076, 0.0, 1024.5, INFINITY);
}

/* Half of the result first: there is no 2^1024. */
KT_ALWAYS double expm1_f64(double a)
{
    double         k;
    const f64_pair m = f64_exp_parts(a, 0, F64_MAGIC_ONE - 1, &k);
    const double   half = f64_two_to(k), less = half - 0.5, s = fma_f64(half, m.hi, less);
    const double   rest = fma_f64(half, m.hi, less - s) + fma_f64(half, m.lo, (half - less) - 0.5);
    const double   v = 2 * (s + rest);
    return f64_ends(a, select_f64(fabs(a) < 0x1p-55, a, v), -60, -1.0, 709.9, INFINITY);
}

/* (1 - e) / (1 + e) of e = e^-2x */
KT_ALWAYS double tanh_f64(double a)
{
    double         k;
    const double   x = fabs(a);
    const f64_pair m = f64_exp_parts(-2 * x, 0, F64_MAGIC_ONE, &k);
    const double   s = f64_two_to(k), rest = s * m.lo, less = 1 - s, more = 1 + s;
    f64_pair       n, d;
    n.hi = fma_f64(-s, m.hi, less);
    n.lo = fma_f64(-s, m.hi, less - n.hi) - (rest - ((1 - less) - s));
    d.hi = fma_f64(s, m.hi, more);
    d.lo = fma_f64(s, m.hi, more - d.hi) + (rest + ((1 - more) + s));
    const f64_pair q = f64_quotient(n, d);
    return copysign(f64_ends(x, q.hi + q.lo, 0x1p-30, x, 22, 1.0), a);
}

/* x = k ln2 + r gives sinh(x) = (p - q) cosh(r) + (p + q) sinh(r) of p = 2^(k-1) and q = 2^(-k-1), and cosh likewise with
 * p + q and p - q. Half of both, since the result may lie above 2^1023. Nothing cancels: x >= 0. */
typedef struct f64_hyperbolic {
    double p, q, r, rest, odd, even; /* sinh(r) = r + rest + odd, cosh(r) = 1 + even, where rest is what r misses */
} f64_hyperbolic;

KT_ALWAYS f64_hyperbolic f64_hyperbolic_parts(double x)
{
    f64_hyperbolic h;
    const double   t = fma_f64(x, F64_LOG2E, F64_MAGIC_ONE), n = t - F64_MAGIC_ONE;
    const double   near = fma_f64(n, -F64_LN2_HI, x), far = n * F64_LN2_LO, r = near - far, z = r * r, z2 = z * z;
    const double   odd =
        f64_p4(z, z2, 0x1.5555555555556p-3, 0x1.111111111070cp-7, 0x1.a01a01a90166cp-13, 0x1.71de0a3fcc7c9p-19);
    const double even = f64_p4(z, z2, 0x1p-1, 0x1.5555555555556p-5, 0x1.6c16c16c15ffcp-10, 0x1.a01a01a8177c3p-16);
    const double z4 = z2 * z2;
    h.r = r;
    h.rest = (near - r) - far;
    h.odd = r * z * fma_f64(z4, 0x1.af3effe337827p-26, odd);
    h.even = z * fma_f64(z4, f64_p2(z, 0x1.27e4d81b4453p-22, 0x1.1f78db6e4c193p-29), even);
    h.p = f64_two_to(t - 2);
    h.q = select_f64(x > 30, 0.0, f64_two_to(2 * F64_MAGIC_ONE - t - 2));
    return h;
}

KT_ALWAYS double sinh_f64(double a)
{
    const double         x = fabs(a);
    const f64_hyperbolic h = f64_hyperbolic_parts(x);
    const double         less = h.p - h.q, more = h.p + h.q, lost = (h.p - less) - h.q, s = fma_f64(more, h.r, less);
    const double         lo = fma_f64(more, h.r, less - s) + fma_f64(less, h.even, fma_f64(more, h.rest + h.odd, lost));
    return copysign(f64_ends(x, 2 * (s + lo), 0x1p-30, x, 710.5, INFINITY), a);
}

KT_ALWAYS double cosh_f64(double a)
{
    const double         x = fabs(a);
    const f64_hyperbolic h = f64_hyperbolic_parts(x);
    const double         less = h.p - h.q, more = h.p + h.q, lost = (h.p - more) + h.q, s = fma_f64(less, h.r, more);
    const double         lo = fma_f64(less, h.r, more - s) + fma_f64(more, h.even, fma_f64(less, h.rest + h.odd, lost));
    return select_f64(x > 710.5, INFINITY, 2 * (s + lo));
}

/* 2^-64 (1 + e^-(a + rest)), for -752 <= a <= 60. With -a = k ln2 + r that is 2^-64 + 2^(k - 64) e^r. */
KT_ALWAYS f64_pair f64_one_plus_exp_minus(double a, double rest)
{
    const double   t = fma_f64(a, -F64_LOG2E, F64_MAGIC_ONE - 64), k = t - (F64_MAGIC_ONE - 64), s = f64_two_to(t);
    const double   r = fma_f64(k, -F64_LN2_HI, -a) - fma_f64(k, F64_LN2_LO, rest), r2 = r * r;
    const double   tail = f64_exp_tail(r, r2), m = fma_f64(r2, tail, r), left = fma_f64(r2, tail, r - m);
    const f64_pair whole = f64_any_sum(0x1p-64, s);
    f64_pair       d;
    d.hi = fma_f64(s, m, whole.hi);
    d.lo = fma_f64(s, m, whole.hi - d.hi) + fma_f64(s, left, whole.lo);
    return d;
}

/* 1 / (1 + e^-(a + rest)), for such an a */
KT_ALWAYS double f64_sigmoid_near(double a, double rest)
{
    const f64_pair d = f64_one_plus_exp_minus(a, rest);
    const double   over = 1 / d.hi, miss = fma_f64(-over, d.lo, fma_f64(-over, d.hi, 1));
    return fma_f64(over, miss, over) * 0x1p-64;
}
KT_ALWAYS double   f64_sigmoid(double a, double rest) { return f64_ends(a, f64_sigmoid_near(a, rest), -746, 0.0, 60, 1.0); }
KT_ALWAYS double   sigmoid_f64(double a)              { return f64_sigmoid(a, 0); }
KT_ALWAYS uint64_t sigmoid_beyond_f64(double a)       { return f64_beyond(a, 60); }
KT_ALWAYS double   sigmoid_near_f64(double a)         { return f64_sigmoid_near(a, 0); }

/* x / (1 + e^-(a + rest)), where x has the sign of a */
KT_ALWAYS double f64_times_sigmoid_near(double x, double a, double rest)
{
    const f64_pair d = f64_one_plus_exp_minus(a, rest);
    const double   over = 1 / d.hi, q = x * over, miss = fma_f64(-q, d.lo, fma_f64(-q, d.hi, x));
    return fma_f64(miss, over, q) * 0x1p-64;
}
KT_ALWAYS double f64_times_sigmoid(double x, double a, double rest)
{
    return copysign(f64_ends(a, f64_times_sigmoid_near(x, a, rest), -752, x * 0.0, 60, x), x);
}
KT_ALWAYS double   silu_f64(double a)        { return f64_times_sigmoid(a, a, 0); }
KT_ALWAYS uint64_t silu_beyond_f64(double a) { return f64_beyond(a, 60); }
KT_ALWAYS double   silu_near_f64(double a)   { return copysign(f64_times_sigmoid_near(a, a, 0), a); }

#endif
