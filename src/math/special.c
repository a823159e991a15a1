/* special.c - rare functions, one element at a time, in double (see special.h). */
#include "math/special.h"

#include <math.h>

static const double pi = 3.14159265358979323846;

/* Upwards by the recurrence psi(x) = psi(x + 1) - 1/x until the asymptotic series holds; below zero by reflection. */
KT__RARE double kt__digamma(double x)
{
    if (x == 0)
        return copysign(INFINITY, -x);
    double shift = 0;
    if (x < 0) {
        const double whole = rint(x);
        if (x == whole)
            return NAN;
        shift = -pi / tan(pi * (x - whole));
        x = 1 - x;
    }
    for (; x < 12; x++)
        shift -= 1 / x;
    const double i = 1 / x, z = i * i;
    const double tail = z * (1.0 / 12 - z * (1.0 / 120 - z * (1.0 / 252 - z * (1.0 / 240 - z * (1.0 / 132
        - z * (691.0 / 32760 - z / 12))))));
    return shift + log(x) - 0.5 * i - tail;
}

/* A first guess from the logarithm, then Halley's iteration on erf or, where erf is flat, on erfc. */
KT__RARE double kt__erfinv(double x)
{
    const double a = fabs(x);
    if (!(a < 1))
        return a == 1 ? copysign(INFINITY, x) : NAN;
    if (a < 1e-8)
        return x * 0.88622692545275801365; /* sqrt(pi) / 2 */
    const double rest = 1 - a, l = log(rest * (1 + a)), t = 2 / (pi * 0.147) + 0.5 * l;
    double y = sqrt(sqrt(t * t - l / 0.147) - t);
    for (int i = 0; i < 3; i++) {
        const double miss = a < 0.5 ? erf(y) - a : rest - erfc(y);
        const double u = miss / (1.12837916709551257390 * exp(-y * y)); /* 2 / sqrt(pi) */
        y -= u / (1 + y * u);
    }
    return copysign(y, x);
}

/* The power series, all of whose terms are positive; for large x the asymptotic series. */
KT__RARE double kt__i0(double x)
{
    x = fabs(x);
    if (x == INFINITY)
        return NAN; /* as PyTorch */
    if (x != x || x > 714)
        return x != x ? x : INFINITY;
    double sum = 1, term = 1;
    if (x < 30) {
        const double q = 0.25 * x * x;
        for (int k = 1; term > sum * 1e-17; k++) {
            term *= q / ((double)k * k);
            sum += term;
        }
        return sum;
    }
    for (int k = 1; k < 30 && term > 1e-17; k++) {
        term *= (2.0 * k - 1) * (2.0 * k - 1) / (8.0 * k * x);
        sum += term;
    }
    const double half = exp(0.5 * x); /* squared at the end: e^x alone overflows too early */
    return half * (sum / sqrt(2 * pi * x)) * half;
}

/* The same two series as i0's, a factor of x / 2 and a sign away. */
KT__RARE double kt__i1(double x)
{
    const double a = fabs(x);
    if (a == INFINITY || x != x)
        return NAN; /* at infinity, as PyTorch */
    if (a > 714)
        return copysign(INFINITY, x);
    double sum = 1, term = 1;
    if (a < 30) {
        const double q = 0.25 * a * a;
        for (int k = 1; term > sum * 1e-17; k++) {
            term *= q / ((double)k * (k + 1));
            sum += term;
        }
        return 0.5 * x * sum;
    }
    for (int k = 1; k < 30 && fabs(term) > 1e-17; k++) {
        term *= ((2.0 * k - 1) * (2.0 * k - 1) - 4) / (8.0 * k * a);
        sum += term;
    }
    const double half = exp(0.5 * a);
    return copysign(half * (sum / sqrt(2 * pi * a)) * half, x);
}

/* The sum of (x + k)^-s over k >= 0, x > 0: the first terms, then Euler and Maclaurin's formula for the rest. */
KT__RARE_PART double zeta(double s, double x)
{
    static const double even[] = {1.0 / 6, -1.0 / 30, 1.0 / 42, -1.0 / 30, 5.0 / 66, -691.0 / 2730, 7.0 / 6, -3617.0 / 510};
    double              sum = 0;
    for (int k = 0; k < 12 || x < 12; k++, x++)
        sum += pow(x, -s);
    const double power = pow(x, -s);
    double       rise = s / x, tail = 0; /* s (s + 1) ... / (2j)! x^(2j - 1) */
    for (int j = 0; j < 8; j++) {
        rise /= j ? (2 * j + 1) * (2 * j + 2) : 2;
        tail += even[j] * rise;
        rise *= (s + 2 * j + 1) * (s + 2 * j + 2) / (x * x);
    }
    return sum + x * power / (s - 1) + 0.5 * power + power * tail;
}

/* Of order 1 by reflection below zero: pi^2 / sin^2(pi x) is the sum of both sides. */
KT__RARE_PART double trigamma(double x)
{
    if (x != x || x == INFINITY)
        return x != x ? x : 0;
    if (x == -INFINITY)
        return NAN;
    if (x >= 0.5)
        return zeta(2, x);
    const double s = sin(pi * (x - rint(x)));
    return (s == 0 ? INFINITY : pi * pi / (s * s)) - zeta(2, 1 - x);
}

/* Higher orders: n! zeta(n + 1, x), with the sign of the order. Below zero only the terms up to zero change their sign. */
KT__RARE double kt__polygamma(double n, double x)
{
    if (n == 0)
        return kt__digamma(x);
    if (n == 1)
        return trigamma(x);
    const double s = n + 1, sign = fmod(n, 2.0) == 0 ? -1 : 1, factor = sign * tgamma(s);
    if (x != x || x == INFINITY)
        return NAN; /* at infinity, as PyTorch */
    if (x <= 0 && x == rint(x)) /* -infinity too */
        return factor * INFINITY;
    double below = 0;
    if (x < -1e5)
        x += floor(-x - 1e5); /* terms farther away than that add nothing */
    for (; x < 0; x++)
        below += pow(x, -s);
    return factor * (below + zeta(s, x));
}

KT__RARE double kt__lgamma(double x)
{
#ifdef __CUDACC__
    return lgamma(x);
#else
    int sign;
    return lgamma_r(x, &sign);
#endif
}

KT__RARE double kt__sinc(double x)
{
    if (x == 0)
        return 1;
    const double r = x - 2 * rint(0.5 * x), a = fabs(r); /* the sine has period 2: |r| <= 1, exact */
    return copysign(sin(pi * (a > 0.5 ? 1 - a : a)), r) / (pi * x);
}
