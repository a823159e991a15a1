/* activation.h - functions of float64 made of exponentials and logarithms: softplus's log(1 + e^-a), logaddexp, mish, gelu
 * by a hyperbolic tangent. See base.h. */
#ifndef KT_MATH_F64_ACTIVATION_H
#define KT_MATH_F64_ACTIVATION_H

#include "math/f64/exponential.h"
#include "math/f64/logarithm.h"

/* log(1 + e^-a) of a >= 0 */
KT_ALWAYS double log1p_exp_f64(double a)
{
    double         k;
    const f64_pair m = f64_exp_parts(-a, 0, F64_MAGIC_TWO, &k), e = f64_sum(1, m.hi);
    return select_f64(a > 746, 0.0, f64_log1p(f64_scaled(e.hi, k), f64_scaled(e.lo + m.lo, k), 0));
}

KT_ALWAYS double logaddexp_f64(double a, double b)
{
    const double hi = select_f64(a > b, a, b), r = hi + log1p_exp_f64(fabs(a - b));
    return select_f64(a == b, a + F64_LN2, r); /* the difference of infinities is none */
}

KT_ALWAYS double logaddexp2_f64(double a, double b)
{
    const double hi = select_f64(a > b, a, b), r = hi + log1p_exp_f64(fabs(a - b) * F64_LN2) * F64_LOG2E;
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
    c.lo += two_to_k * m.lo;
    f64_pair n = f64_product(m.hi, c.hi);
    n.lo += m.hi * c.lo + m.lo * c.hi;
    f64_pair d = f64_any_sum(2, two_to_k * n.hi);
    d.lo += two_to_k * n.lo;
    const f64_pair q = f64_quotient(n, d);
    const double   head = f64_head(a), qh = f64_head(q.hi), ql = (q.hi - qh) + q.lo;
    const double   v = f64_scaled(head * qh + (head * ql + (a - head) * (q.hi + q.lo)), k);
    return copysign(f64_ends(a, v, -760, a * 0.0, 22, a), a);
}

/* a / (1 + e^-u) of u = sqrt(8 / pi) (a + 0.044715 a^3). From |a| = 100 on the limits hold. */
KT_ALWAYS double gelu_tanh_f64(double a)
{
    const double   x = select_f64(fabs(a) > 100, copysign(100.0, a), a);
    const f64_pair z = f64_product(x, x), cubic = f64_product(z.hi, 0x1.2444f2a4d8b4bp-4);
    f64_pair       inner = f64_any_sum(0x1.9884533d43651p+0, cubic.hi);
    inner.lo += -0x1.cbc0d30ebfd15p-54 + (cubic.lo + (z.lo * 0x1.2444f2a4d8b4bp-4 + z.hi * -0x1.6c843a29d1c70p-61));
    const f64_pair u = f64_product(x, inner.hi);
    return f64_times_sigmoid(a, u.hi, u.lo + x * inner.lo);
}

#endif
