/* error.h - erf, erfc, gelu and its slope of float64. See base.h.
 *
 * Near zero a polynomial of x^2. Beyond, erfc(x) = e^(-x^2) G(y) / (1 + 2 x) with y = (x - 4) / (x + 4): G lies between 1
 * and 1.3, a polynomial of y holds it, and an error of y hardly counts. The polynomials interpolate at Chebyshev's nodes. */
#ifndef KT_MATH_F64_ERROR_H
#define KT_MATH_F64_ERROR_H

#include "math/f64/exponential.h"

/* erf(x) / x - 1 of z = x^2, |x| <= 0.75; the error is 2^-60 */
KT_ALWAYS double f64_erf_near(double z)
{
    const double z2 = z * z, z4 = z2 * z2;
    const double a = f64_p4(z, z2, 0x1.06eba8214db69p-3, -0x1.812746b0379e0p-2, 0x1.ce2f21a0424c0p-4, -0x1.b82ce312572fap-6);
    const double b = f64_p4(z, z2, 0x1.565bcd0362164p-8, -0x1.c02db1214bed9p-11, 0x1.f9a2af89af017p-14, -0x1.f4c5dc976c85cp-17);
    const double c = f64_p3(z, z2, 0x1.b90eb1bb738ebp-20, -0x1.564eaf2b300b8p-23, 0x1.8a2ca05725a4dp-27);
    return a + z4 * (b + z4 * c);
}

/* G for 0.75 <= x <= 6; the error is 2^-58 */
KT_ALWAYS f64_pair f64_erf_far(double y)
{
    const double y2 = y * y, y4 = y2 * y2;
    const double a = f64_p4(y, y2, -0x1.1df1ad154a291p-3, 0x1.f7f5df66fd8e7p-7, 0x1.16ecefcfa5b88p-4, -0x1.9ddb23c3e8fd0p-4);
    const double b = f64_p4(y, y2, 0x1.7fee004ddd19ap-4, -0x1.0fb06dff046bcp-4, 0x1.3079ee062b69ep-5, -0x1.096237b09303dp-6);
    const double c = f64_p4(y, y2, 0x1.49c67089d9d1cp-8, -0x1.8d4cf306e38afp-11, -0x1.a1fae317d75b3p-13, 0x1.3bf58f2ed1761p-13);
    const double d = f64_p4(y, y2, -0x1.8efe9702918ccp-16, -0x1.3cc21c82aabd2p-17, 0x1.198f4a29c0449p-17, 0x1.529d77b37e192p-19);
    return f64_sum(0x1.3ba5916e9fd7fp+0, y * ((a + y4 * b) + y4 * y4 * (c + y4 * d)));
}

KT_ALWAYS double erf_f64(double a)
{
    const double   x = fabs(a), head = f64_head(x), square = -head * head, rest = -(x - head) * (x + head);
    const double   t = square * F64_LOG2E + F64_MAGIC_ONE, n = t - F64_MAGIC_ONE;
    const double   near = square - n * F64_LN2_HI, far = n * F64_LN2_LO - rest, r = near - far, r2 = r * r;
    const double   m = r + r2 * f64_exp_tail(r, r2);
    const f64_pair v = f64_quotient(f64_erf_far((x - 4) / (x + 4)), f64_sum(2 * x, 1));
    const double   above = 1 - f64_two_to(t) * (v.hi + (v.lo + (v.hi + v.lo) * m)), below = x + x * f64_erf_near(x * x);
    return copysign(f64_ends(x, above, 0.75, below, 6, 1.0), a);
}

/* G for 0.6 <= x <= 27.3; the error is 2^-58 */
KT_ALWAYS f64_pair f64_erfc_far(double y)
{
    const double y2 = y * y, y4 = y2 * y2;
    const double a = f64_p4(y, y2, -0x1.1df1ad154a28ep-3, 0x1.f7f5df66fd600p-7, 0x1.16ecefcfa534ep-4, -0x1.9ddb23c3e8143p-4);
    const double b = f64_p4(y, y2, 0x1.7fee004e134dep-4, -0x1.0fb06dfe64980p-4, 0x1.3079edf652c09p-5, -0x1.0962387eef72ap-6);
    const double c = f64_p4(y, y2, 0x1.49c67299fa4c6p-8, -0x1.8d4aa053f0ffdp-11, -0x1.a1df38fb42aecp-13, 0x1.3be0c31a9852fp-13);
    const double d = f64_p4(y, y2, -0x1.99563920caa96p-16, -0x1.78a0957c72157p-17, 0x1.7f01894000d1ep-18, 0x1.41067cb74ced4p-22);
    const double e = f64_p4(y, y2, -0x1.b8892f0cd85dbp-21, 0x1.220e2f1a47c86p-24, 0x1.bf166760bcca9p-24, -0x1.aa88e03af9d2ap-27);
    const double f = -0x1.5579b96316405p-27;
    const double p = (a + y4 * b) + y4 * y4 * (c + y4 * (d + y4 * (e + y4 * f)));
    f64_pair     g = f64_sum(0x1.3ba5916e9fd7fp+0, y * p);
    g.lo += -0x1.9a4b6d4e160f6p-55;
    return g;
}

KT_ALWAYS double erfc_f64(double a)
{
    double         k;
    const double   x = fabs(a), head = f64_head(x);
    const f64_pair m = f64_exp_parts(-head * head, -(x - head) * (x + head), F64_MAGIC_TWO, &k), e = f64_sum(1, m.hi);
    const f64_pair v = f64_quotient(f64_erfc_far((x - 4) / (x + 4)), f64_sum(2 * x, 1));
    const double   eh = f64_head(e.hi), el = (e.hi - eh) + (e.lo + m.lo), vh = f64_head(v.hi), vl = (v.hi - vh) + v.lo;
    const double   far = select_f64(x > 27.3, 0.0, f64_scaled(eh * vh + (el * vh + e.hi * vl), k));
    const f64_pair s = f64_sum(1, -a);
    const double   near = s.hi + (s.lo - a * f64_erf_near(a * a));
    return select_f64(x < 0.6, near, select_f64(a < 0, 2 - far, far));
}

/* The share of a normal distribution beyond x >= 0 is e^(-x^2 / 2) N(y) / (1 + x), with y = (x - 5) / (x + 5); the error
 * of N is 2^-56. It and the bell e^(-x^2 / 2) come short of a factor 2^k. */
KT_ALWAYS f64_pair f64_normal_beyond(double x, double *bell, double *k)
{
    const double head = f64_head(x), square = -0.5 * head * head, rest = -0.5 * (x - head) * (x + head);
    const double t = square * F64_LOG2E + F64_MAGIC_TWO, n = t - F64_MAGIC_TWO;
    const double near = square - n * F64_LN2_HI, far = n * F64_LN2_LO - rest, r = near - far, r2 = r * r;
    const double m = r + (r2 * f64_exp_tail(r, r2) + ((near - r) - far));
    const double y = (x - 5) / (x + 5), y2 = y * y, y4 = y2 * y2;
    const double a = f64_p4(y, y2, -0x1.76ff86859eb0bp-4, 0x1.fc66cc64a144dp-6, 0x1.47c1d03052affp-7, -0x1.b08e0007b6b9bp-6);
    const double b = f64_p4(y, y2, 0x1.92037bab66223p-6, -0x1.f11aab029cdcap-7, 0x1.ab6d0385e766bp-8, -0x1.b75f4fb23871ap-10);
    const double c = f64_p4(y, y2, 0x1.05721e2631b57p-17, 0x1.7e61edf9d1baap-13, -0x1.c1b262a42fa71p-15, -0x1.4c12054032717p-17);
    const double d = f64_p4(y, y2, 0x1.300b2a4475b10p-17, -0x1.282ad7636928cp-24, -0x1.5fa721853f404p-20, 0x1.0bd25b68f0d02p-23);
    const double e = f64_p4(y, y2, 0x1.ab44b280bef68p-23, -0x1.793cd01221cbfp-26, -0x1.139d524431f51p-25, 0x1.83eccc918fd7ap-32);
    const double f = f64_p2(y, 0x1.1577042e5d7b7p-28, 0x1.a861c75e7695fp-31);
    const double p = (a + y4 * b) + y4 * y4 * (c + y4 * (d + y4 * (e + y4 * f)));
    f64_pair     g = f64_sum(0x1.d8979b0f2b39dp-2, y * p);
    g.lo += 0x1.bb045286c3cafp-56;
    const f64_pair v = f64_quotient(g, f64_any_sum(1, x));
    *k = t;
    *bell = 1 + m;
    return f64_sum(v.hi, v.lo + (v.hi + v.lo) * m);
}

KT_ALWAYS double gelu_f64(double a)
{
    double         bell, k;
    const f64_pair v = f64_normal_beyond(fabs(a), &bell, &k);
    const double   head = f64_head(a), vh = f64_head(v.hi), vl = (v.hi - vh) + v.lo;
    const double   below = f64_scaled(head * vh + (head * vl + (a - head) * v.hi), k);
    return copysign(f64_ends(a, select_f64(a > 0, a - below, below), -39, a * 0.0, 39, a), a);
}

/* share + a * density; of an infinity NaN */
KT_ALWAYS double gelu_slope_f64(double a)
{
    double         bell, k;
    const f64_pair v = f64_normal_beyond(fabs(a), &bell, &k);
    const double   beyond = f64_scaled(v.hi, k), density = a * (0x1.9884533d43651p-2 * f64_scaled(bell, k));
    return f64_ends(a, select_f64(a < 0, beyond, 1 - beyond) + density, -39, 0 + a * 0.0, 39, 1 + a * 0.0);
}

#endif
