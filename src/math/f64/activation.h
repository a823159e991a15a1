/* activation.h - functions of float64 made of exponentials and logarithms: softplus's log(1 + e^x), logaddexp, mish, gelu by a
 * hyperbolic tangent. See base.h. */
#ifndef KT_MATH_F64_ACTIVATION_H
#define KT_MATH_F64_ACTIVATION_H

#include "math/f64/exponential.h"

/* log(1 + e) of e = e^(x + rest), -746 <= x <= 0: twice the area tangent of s = e / (2 + e), which is s + s^3 Q(s^2) with an
 * error of 2^-59. Of e = 2^k (1 + m) the factor 2^k comes last, since e may be subnormal. */
KT_ALWAYS f64_pair f64_log1p_exp(double x, double rest)
{
    double         t;
    const f64_pair m = f64_exp_parts(x, rest, F64_MAGIC_ONE + 64, &t), one = f64_sum(1, m.hi), n = {one.hi, one.lo + m.lo};
    const double   two_to_k = f64_two_to(t) * 0x1p-64;
    f64_pair       d;
    d.hi = fma_f64(two_to_k, n.hi, 2);
    d.lo = fma_f64(two_to_k, n.hi, 2 - d.hi);
    d.lo = fma_f64(two_to_k, n.lo, d.lo);
    const f64_pair q = f64_quotient(n, d);
    const double   s = two_to_k * q.hi, z = s * s, z2 = z * z, z4 = z2 * z2;
    const double   low = f64_p4(z, z2, 0x1.5555555555535p-2, 0x1.99999999a072bp-3, 0x1.249249208e3a7p-3, 0x1.c71c741b4738ep-4);
    const double   middle = f64_p4(z, z2, 0x1.745cb430a032fp-4, 0x1.3b1dd6e8bbd79p-4, 0x1.1068062ea2cd5p-4, 0x1.efd3fac467196p-5);
    const double   high = f64_p2(z, 0x1.55c507432318p-5, 0x1.5c657bf39797ep-4);
    const double   tail = fma_f64(q.hi * z, fma_f64(fma_f64(high, z4, middle), z4, low), q.lo);
    f64_pair       l;
    l.hi = two_to_k * (2 * q.hi);
    l.lo = two_to_k * (2 * tail);
    return l;
}

/* log(1 + e^x) */
KT_ALWAYS double softplus_of_f64(double x)
{
    const f64_pair l = f64_log1p_exp(-fabs(x), 0), s = f64_any_sum(select_f64(x > 0, x, 0.0), l.hi);
    return f64_ends(x, s.hi + (s.lo + l.lo), -746, 0.0, 746, x);
}

KT_ALWAYS double logaddexp_f64(double a, double b)
{
    const f64_pair less = f64_any_sum(a, -b);
    const double   x = -fabs(less.hi), rest = select_f64(less.hi > 0, -less.lo, less.lo), hi = select_f64(a > b, a, b);
    const f64_pair l = f64_log1p_exp(x, rest), s = f64_any_sum(hi, l.hi);
    const double   r = select_f64(x < -746, hi + 0, s.hi + (s.lo + l.lo));
    return select_f64(a == b, a + F64_LN2, r); /* the difference of infinities is none */
}

KT_ALWAYS double logaddexp2_f64(double a, double b)
{
    const f64_pair less = f64_any_sum(a, -b), log2e = {F64_LOG2E, F64_LOG2E_LO};
    const double   x = -fabs(less.hi), rest = select_f64(less.hi > 0, -less.lo, less.lo), hi = select_f64(a > b, a, b);
    const f64_pair ln2 = {F64_LN2, F64_LN2_REST}, from = {x, rest}, power = f64_pair_product(from, ln2);
    const f64_pair l = f64_pair_product(f64_log1p_exp(power.hi, power.lo), log2e), s = f64_any_sum(hi, l.hi);
    const double   r = select_f64(x < -1076, hi + 0, s.hi + (s.lo + l.lo));
    return select_f64(a == b, a + 1, r);
}

/* a tanh(log(1 + n)) of n = e^a is a n (n + 2) / (n (n + 2) + 2). Of n = 2^k (1 + m) the factor 2^k comes last, since n
 * may be subnormal. */
KT_ALWAYS double mish_f64(double a)
{
    double         k;
    const f64_pair part = f64_exp_parts(a, 0, F64_MAGIC_TWO, &k), one = f64_sum(1, part.hi);
    const f64_pair m = f64_sum(one.hi, one.lo + part.lo);
    const double   two_to_k = f64_scaled(1, k);
    f64_pair       c = f64_any_sum(2, two_to_k * m.hi);
    c.lo = fma_f64(two_to_k, m.lo, c.lo);
    const f64_pair n = f64_pair_product(m, c);
    f64_pair       d = f64_any_sum(2, two_to_k * n.hi);
    d.lo = fma_f64(two_to_k, n.lo, d.lo);
    const f64_pair q = f64_quotient(n, d), v = f64_product(a, q.hi);
    return copysign(f64_ends(a, f64_scaled(v.hi + fma_f64(a, q.lo, v.lo), k), -760, a * 0.0, 22, a), a);
}

/* u = sqrt(8 / pi) (a + 0.044715 a^3), of a up to 100; further out gelu and its share have their limits. */
KT_ALWAYS f64_pair f64_gelu_cubic(double a)
{
    const double   x = select_f64(fabs(a) > 100, copysign(100.0, a), a);
    const f64_pair z = f64_product(x, x), cubic = {0x1.2444f2a4d8b4bp-4, -0x1.6c843a29d1c70p-61};
    const f64_pair more = f64_pair_product(z, cubic), inner = f64_any_sum(0x1.9884533d43651p+0, more.hi);
    f64_pair       u = f64_product(x, inner.hi);
    u.lo = fma_f64(x, inner.lo + (more.lo - 0x1.cbc0d30ebfd15p-54), u.lo);
    return u;
}

/* a / (1 + e^-u), and the share of a that this is */
KT_ALWAYS double gelu_tanh_f64(double a)
{
    const f64_pair u = f64_gelu_cubic(a);
    return f64_times_sigmoid(a, u.hi, u.lo);
}
KT_ALWAYS double gelu_tanh_share_f64(double a)
{
    const f64_pair u = f64_gelu_cubic(a);
    return f64_sigmoid(u.hi, u.lo);
}

#endif
