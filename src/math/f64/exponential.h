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

/* (e^r - 1 - r) / r^2 for |r| <= ln2 / 2; the error is 2^-62 of e^r */
KT_ALWAYS double f64_exp_tail(double r, double r2)
{
    const double r4 = r2 * r2;
    const double low = f64_p4(r, r2, 0x1p-1, 0x1.5555555555557p-3, 0x1.5555555555552p-5, 0x1.1111111110056p-7);
    const double middle =
        f64_p4(r, r2, 0x1.6c16c16c18931p-10, 0x1.a01a01ac1a73cp-13, 0x1.a01a0197bcfeap-16, 0x1.71de01b88045bp-19);
    const double high = f64_p3(r, r2, 0x1.27e500e0a3181p-22, 0x1.af4eb2bd1e104p-26, 0x1.1f32eabba0b76p-29);
    return low + r4 * (middle + r4 * high);
}

KT_ALWAYS double exp_f64(double a)
{
    const double   t = a * F64_LOG2E + F64_MAGIC_TWO, k = t - F64_MAGIC_TWO;
    const double   near = a - k * F64_LN2_HI, far = k * F64_LN2_LO, r = near - far, r2 = r * r;
    const f64_pair s = f64_sum(1, near);
    const double   v = s.hi + ((s.lo - far) + r2 * f64_exp_tail(r, r2));
    return f64_ends(a, f64_scaled(v, t), -746, 0.0, 710, INFINITY);
}

/* e^(x + rest) = 2^k (1 + m) for |x| <= 760; k comes with `magic` added. m to about 2^-60. */
KT_ALWAYS f64_pair f64_exp_parts(double x, double rest, double magic, double *k)
{
    const double t = x * F64_LOG2E + magic, n = t - magic;
    const double near = x - n * F64_LN2_HI, far = n * F64_LN2_LO - rest, r = near - far, r2 = r * r, r4 = r2 * r2;
    const double low = f64_p4(r, r2, 0x1.5555555555556p-3, 0x1.5555555555554p-5, 0x1.111111111070dp-7, 0x1.6c16c16c179ffp-10);
    const double middle =
        f64_p4(r, r2, 0x1.a01a01a900b42p-13, 0x1.a01a019c4c2cbp-16, 0x1.71de0a421fd52p-19, 0x1.27e4f833f5935p-22);
    const double cubic = r * r2 * (low + r4 * (middle + r4 * f64_p2(r, 0x1.af3efb17e12bp-26, 0x1.1f3e408f01f15p-29)));
    const double head = f64_head(r), square = 0.5 * head * head, beside = 0.5 * (r - head) * (r + head);
    const f64_pair m = f64_sum(r, square);
    *k = t;
    return f64_sum(m.hi, m.lo + (cubic + (beside + ((near - r) - far))));
}

KT_ALWAYS double exp2_f64(double a)
{
    const double t = a + F64_MAGIC_TWO, r = a - (t - F64_MAGIC_TWO), r2 = r * r, r4 = r2 * r2;
    const double low = f64_p4(r, r2, 0x1.ebfbdff82c58fp-3, 0x1.c6b08d704a0c2p-5, 0x1.3b2ab6fba4cbfp-7, 0x1.5d87fe78a50a3p-10);
    const double middle =
        f64_p4(r, r2, 0x1.430912f906d86p-13, 0x1.ffcbfc67bbe2ap-17, 0x1.62c01f79b113dp-20, 0x1.b524f94b427f8p-24);
    const double high = f64_p3(r, r2, 0x1.e4da3dd1ed27cp-28, 0x1.e9d69c6468743p-32, 0x1.b456e8758c15ap-36);
    const f64_pair s = f64_sum(1, r * F64_LN2);
    const double   v = s.hi + (s.lo + r2 * (low + r4 * (middle + r4 * high)));
    return f64_ends(a, f64_scaled(v, t), -1076, 0.0, 1024.5, INFINITY);
}

/* Half of the result first: there is no 2^1024. */
KT_ALWAYS double expm1_f64(double a)
{
    double         k;
    const f64_pair m = f64_exp_parts(a, 0, F64_MAGIC_ONE - 1, &k);
    const double   half = f64_two_to(k);
    const f64_pair less = f64_sum(half, -0.5), s = f64_sum(less.hi, half * m.hi);
    const double   v = 2 * (s.hi + (s.lo + (less.lo + half * m.lo)));
    return f64_ends(a, select_f64(fabs(a) < 0x1p-55, a, v), -60, -1.0, 709.9, INFINITY);
}

/* (e^2x - 1) / (e^2x + 1) */
KT_ALWAYS double tanh_f64(double a)
{
    double         k;
    const double   x = fabs(a);
    const f64_pair m = f64_exp_parts(2 * x, 0, F64_MAGIC_ONE, &k);
    const double   s = f64_two_to(k), first = s * m.hi, rest = s * m.lo;
    const f64_pair less = f64_sum(s, -1), more = f64_sum(s, 1);
    f64_pair       n = f64_sum(less.hi, first), d = f64_sum(more.hi, first);
    n.lo += less.lo + rest;
    d.lo += more.lo + rest;
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
    const double   t = x * F64_LOG2E + F64_MAGIC_ONE, n = t - F64_MAGIC_ONE;
    const double   near = x - n * F64_LN2_HI, far = n * F64_LN2_LO, r = near - far, z = r * r, z2 = z * z;
    h.r = r;
    h.rest = (near - r) - far;
    h.odd = r * z *
            (f64_p4(z, z2, 0x1.5555555555556p-3, 0x1.111111111070cp-7, 0x1.a01a01a90166cp-13, 0x1.71de0a3fcc7c9p-19) +
             z2 * z2 * 0x1.af3effe337827p-26);
    h.even = z * (f64_p4(z, z2, 0x1p-1, 0x1.5555555555556p-5, 0x1.6c16c16c15ffcp-10, 0x1.a01a01a8177c3p-16) +
                  z2 * z2 * f64_p2(z, 0x1.27e4d81b4453p-22, 0x1.1f78db6e4c193p-29));
    h.p = f64_two_to(t - 2);
    h.q = select_f64(x > 30, 0.0, f64_two_to(2 * F64_MAGIC_ONE - t - 2));
    return h;
}

KT_ALWAYS double sinh_f64(double a)
{
    const double         x = fabs(a);
    const f64_hyperbolic h = f64_hyperbolic_parts(x);
    const f64_pair       less = f64_sum(h.p, -h.q), s = f64_sum(less.hi, h.p * h.r), t = f64_sum(s.hi, h.q * h.r);
    const double         v =
        t.hi + (t.lo + (s.lo + (less.lo + ((h.p + h.q) * (h.rest + h.odd) + less.hi * h.even))));
    return copysign(f64_ends(x, 2 * v, 0x1p-30, x, 710.5, INFINITY), a);
}

KT_ALWAYS double cosh_f64(double a)
{
    const double         x = fabs(a);
    const f64_hyperbolic h = f64_hyperbolic_parts(x);
    const f64_pair       more = f64_sum(h.p, h.q), s = f64_sum(more.hi, (h.p - h.q) * h.r);
    const double         v = s.hi + (s.lo + (more.lo + ((h.p - h.q) * (h.rest + h.odd) + more.hi * h.even)));
    return select_f64(x > 710.5, INFINITY, 2 * v);
}

/* A pair d and a scale for which 1 / (1 + e^-a) = scale / d, short of a factor 2^-200 where a < -600. With a = p ln2 - r
 * and w = 2^-|p| d is 1 + w plus the greater of e^r - 1, where p < 0, and w (e^r - 1). */
KT_ALWAYS f64_pair f64_one_plus_exp_minus(double a, double rest, double *scale)
{
    const double   p = (a * F64_LOG2E + F64_MAGIC) - F64_MAGIC;
    const double   near = p * F64_LN2_HI - a, far = p * F64_LN2_LO - rest, r = near + far, r2 = r * r;
    const double   m = r + (r2 * f64_exp_tail(r, r2) + ((near - r) + far));
    const double   w = f64_two_to(F64_MAGIC_ONE - (fabs(p) - select_f64(a < -600, 200.0, 0.0)));
    const f64_pair whole = f64_sum(1, w);
    f64_pair       d = f64_sum(whole.hi, select_f64(p < 0, 1.0, w) * m);
    d.lo += whole.lo;
    *scale = select_f64(p < 0, w, 1.0);
    return d;
}

/* 1 / (1 + e^-(a + rest)) */
KT_ALWAYS double f64_sigmoid(double a, double rest)
{
    double         scale;
    const f64_pair q = f64_inverse(f64_one_plus_exp_minus(a, rest, &scale));
    const double   v = (q.hi + q.lo) * scale * select_f64(a < -600, 0x1p-200, 1.0);
    return f64_ends(a, v, -746, 0.0, 60, 1.0);
}
KT_ALWAYS double sigmoid_f64(double a) { return f64_sigmoid(a, 0); }

/* x / (1 + e^-(a + rest)), where x is -0 or less once a < -600 */
KT_ALWAYS double f64_times_sigmoid(double x, double a, double rest)
{
    double         scale;
    const f64_pair q = f64_inverse(f64_one_plus_exp_minus(a, rest, &scale));
    const double   head = f64_head(x), v = head * q.hi + ((x - head) * q.hi + x * q.lo);
    return copysign(f64_ends(a, v * scale * select_f64(a < -600, 0x1p-200, 1.0), -760, x * 0.0, 60, x), x);
}
KT_ALWAYS double silu_f64(double a) { return f64_times_sigmoid(a, a, 0); }

#endif
