/* special.c - rare functions, one element at a time, in double (see special.h).
 *
 * Formulas are of the Digital Library of Mathematical Functions (DLMF, dlmf.nist.gov): digamma 5.5.2, 5.5.4, 5.11.2; polygamma
 * 5.15; zeta by Euler and Maclaurin's formula 2.10.1; I 10.25.2, 10.40.1; K 10.32.9 by the trapezoidal rule (L. N. Trefethen and
 * J. A. C. Weideman, SIAM Review 56, 2014); J and Y far from zero 10.17.3 and 10.17.4, near it by Miller's recurrence 3.6(iii)
 * and Neumann's series 10.23(iii); erfcx 7.12.1. The first guess of erfinv: S. Winitzki, A handy approximation for the error
 * function and its inverse (2008). */
#include "math/special.h"

#include <math.h>
#include <stdbool.h>

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

/* The Bessel functions I0 and I1 of x >= 0 are (x / 2)^order times a power series, all of whose terms are positive; for large x
 * e^x times an asymptotic series. */
static const double SERIES_ENDS = 30;

KT__RARE_PART double bessel_series(double x, int order)
{
    const double q = 0.25 * x * x;
    double       sum = 1, term = 1;
    for (int k = 1; term > sum * 1e-17; k++) {
        term *= q / ((double)k * (k + order));
        sum += term;
    }
    return order ? 0.5 * x * sum : sum;
}

KT__RARE_PART double bessel_tail(double x, int order)
{
    double sum = 1, term = 1;
    for (int k = 1; k < 30 && fabs(term) > 1e-17; k++) {
        term *= ((2.0 * k - 1) * (2.0 * k - 1) - 4 * order) / (8.0 * k * x);
        sum += term;
    }
    return sum / sqrt(2 * pi * x);
}

KT__RARE_PART double bessel(double x, int order)
{
    if (x == INFINITY || x != x)
        return NAN; /* at infinity, as PyTorch */
    if (x > 714)
        return INFINITY;
    if (x < SERIES_ENDS)
        return bessel_series(x, order);
    const double half = exp(0.5 * x); /* squared at the end: e^x alone overflows too early */
    return half * bessel_tail(x, order) * half;
}

KT__RARE_PART double bessel_scaled(double x, int order)
{
    return x < SERIES_ENDS ? exp(-x) * bessel_series(x, order) : x == INFINITY ? 0 : x != x ? NAN : bessel_tail(x, order);
}

KT__RARE double kt__i0(double x) { return bessel(fabs(x), 0); }
KT__RARE double kt__i1(double x) { return copysign(bessel(fabs(x), 1), x); }
KT__RARE double kt__i0e(double x) { return bessel_scaled(fabs(x), 0); }
KT__RARE double kt__i1e(double x) { return copysign(bessel_scaled(fabs(x), 1), x); }

static const double EULER = 0.57721566490153286061;

#ifdef __CUDACC__
/* CUDA's own J and Y are good to 5e-12 from here on, which is less than float32 wants where they are small. */
static const double CUDAS_END = 8, HANKEL_BEGINS = 25;
static const double ROOT_TWO = 1.41421356237309504880;

/* Hankel's asymptotic series P and Q; the angle x - (order / 2 + 1 / 4) pi by sums of sine and cosine, without cancellation. */
KT__RARE_PART double bessel_far(double x, int order, bool second)
{
    double p = 0, q = 0, term = 1;
    for (int k = 0; k < 30 && fabs(term) > 1e-18; k++) {
        *(k % 2 ? &q : &p) += k % 4 < 2 ? term : -term;
        term *= (4.0 * order - (2.0 * k + 1) * (2.0 * k + 1)) / (8.0 * (k + 1) * x);
    }
    const double s = sin(x), c = cos(x), plus = (s + c) / ROOT_TWO, minus = (s - c) / ROOT_TWO;
    const double of_cos = order ? minus : plus, of_sin = order ? -plus : minus;
    return sqrt(2 / (pi * x)) * (second ? p * of_sin + q * of_cos : p * of_cos - q * of_sin);
}

/* J of all orders by recurrence from above, where they vanish: J0 + 2 J2 + 2 J4 + ... is 1. Y by Neumann's series of them. */
KT__RARE_PART double bessel_near(double x, int order, bool second)
{
    const int top = 2 * (int)(0.5 * x + 30);
    double    above = 0, here = 1e-290, all = 0, series = 0, zeroth = 0, first = 0;
    for (int n = top; n >= 0; n--) { /* here: J of order n, but for a factor */
        const int k = n / 2;
        if (n % 2 == 0)
            all += n ? 2 * here : here;
        if (n > 1 && n % 2 == order)
            series += (k % 2 ? -1 : 1) * here * (order ? (2.0 * k + 1) / ((double)k * (k + 1)) : 1.0 / k);
        first = n == 1 ? here : first;
        zeroth = n == 0 ? here : zeroth;
        const double below = 2 * n / x * here - above;
        above = here, here = below;
    }
    const double j = (order ? first : zeroth) / all;
    const double rest = order ? zeroth / x + series : 2 * series;
    return second ? 2 / pi * ((log(0.5 * x) + EULER - order) * j - rest / all) : j;
}

KT__RARE_PART double bessel_of(double x, int order, bool second, double cudas)
{
    const double a = fabs(x), sign = order && x < 0 ? -1 : 1;
    return a < CUDAS_END || x != x ? cudas
                                   : sign * (a < HANKEL_BEGINS ? bessel_near(a, order, second) : bessel_far(a, order, second));
}
#else
KT__RARE_PART double bessel_of(double x, int order, bool second, double librarys)
{
    (void)x, (void)order, (void)second;
    return librarys;
}
#endif

/* Of the first and second kind, the C library's; at infinity NaN, as PyTorch. */
KT__RARE double kt__bessel_j0(double x) { return fabs(x) == INFINITY ? NAN : bessel_of(x, 0, false, j0(x)); }
KT__RARE double kt__bessel_j1(double x) { return fabs(x) == INFINITY ? NAN : bessel_of(x, 1, false, j1(x)); }
KT__RARE double kt__bessel_y0(double x)
{
    return x < 0 || x == INFINITY ? NAN : x == 0 ? -INFINITY : bessel_of(x, 0, true, y0(x));
}
KT__RARE double kt__bessel_y1(double x)
{
    return x < 0 || x == INFINITY ? NAN : x == 0 ? -INFINITY : bessel_of(x, 1, true, y1(x));
}

/* e^x K(x) of order 0 or 1: the integral of e^(-x (cosh t - 1)) cosh(order t) over t > 0, by the trapezoidal rule, whose error
 * falls like e^(-pi^2 / step) here. Near zero the first term of the series: the integral would go on until cosh overflows. */
KT__RARE_PART double bessel_k_scaled(double x, int order)
{
    if (!(x > 0 && x < INFINITY))
        return x == 0 ? INFINITY : x > 0 ? 0 : NAN;
    if (x < 1e-9)
        return exp(x) * (order ? 1 / x : -log(0.5 * x) - EULER);
    const double step = fmin(0.2, 0.7 / sqrt(x));
    double       sum = 0.5;
    for (int k = 1;; k++) {
        const double half = sinh(0.5 * k * step), fall = 2 * x * half * half; /* x (cosh t - 1), without cancellation */
        const double term = exp(-fall) * (order ? cosh(k * step) : 1);
        sum += term;
        if (fall > 1 && term < 1e-18 * sum)
            return sum * step;
    }
}

KT__RARE double kt__bessel_k0e(double x) { return bessel_k_scaled(x, 0); }
KT__RARE double kt__bessel_k1e(double x) { return bessel_k_scaled(x, 1); }
KT__RARE double kt__bessel_k0(double x) { return x > 800 ? 0 : exp(-x) * bessel_k_scaled(x, 0); }
KT__RARE double kt__bessel_k1(double x) { return x > 800 ? 0 : exp(-x) * bessel_k_scaled(x, 1); }

KT__RARE double kt__spherical_j0(double x) { return x == 0 ? 1 : fabs(x) == INFINITY ? 0 : sin(x) / x; }

/* e^(x^2) erfc(x): below zero by reflection; the square is taken in two parts, since its rounding would be multiplied by e; for
 * large x the asymptotic series. */
KT__RARE double kt__erfcx(double x)
{
    if (x < -27)
        return INFINITY;
    if (x < 10) {
        const double square = x * x, rest = fma(x, x, -square);
        return exp(square) * (1 + rest) * erfc(x);
    }
    double sum = 1, term = 1;
    for (int k = 1; k < 30 && fabs(term) > 1e-17; k++) {
        term *= -(2 * k - 1) / (2 * x * x);
        sum += term;
    }
    return sum / (x * sqrt(pi));
}

static const double ROOT_HALF = 0.70710678118654752440;

/* The logarithm of the normal distribution's share below x. */
KT__RARE double kt__log_ndtr(double x)
{
    return x < -1 ? log(0.5 * kt__erfcx(-x * ROOT_HALF)) - 0.5 * x * x : log1p(-0.5 * erfc(x * ROOT_HALF));
}

/* Where the normal distribution's share is p: in the middle by erfinv, in a tail a first guess (Abramowitz and Stegun 26.2.23),
 * then Newton's iteration on the logarithm. */
KT__RARE double kt__ndtri(double p)
{
    if (!(p > 0 && p < 1))
        return p == 0 ? -INFINITY : p == 1 ? INFINITY : NAN;
    if (p > 0.25 && p < 0.75)
        return kt__erfinv(2 * p - 1) / ROOT_HALF;
    const double tail = p < 0.5 ? p : 1 - p, log_tail = log(tail), t = sqrt(-2 * log_tail);
    double y = (2.515517 + t * (0.802853 + t * 0.010328)) / (1 + t * (1.432788 + t * (0.189269 + t * 0.001308))) - t;
    for (int i = 0; i < 4; i++) {
        const double at = kt__log_ndtr(y);
        y -= (at - log_tail) * exp(at + 0.5 * y * y) * sqrt(2 * pi);
    }
    return p < 0.5 ? y : -y;
}

/* The sum of (x + k)^-s over k >= 0, x > 0: the first terms, then Euler and Maclaurin's formula for the rest. */
KT__RARE_PART double zeta(double s, double x)
{
    static const double even[] = {1.0 / 6, -1.0 / 30, 1.0 / 42, -1.0 / 30, 5.0 / 66, -691.0 / 2730, 7.0 / 6, -3617.0 / 510};
    double              sum = 0;
    for (int k = 0; k < 12 || x < 12; k++, x++)
        sum += pow(x, -s);
    const double power = pow(x, -s);
    if (power == 0)
        return sum;
    double       rise = s / x, tail = 0; /* s (s + 1) ... / (2j)! x^(2j - 1) */
    for (int j = 0; j < 8; j++) {
        rise /= j ? (2 * j + 1) * (2 * j + 2) : 2;
        tail += even[j] * rise;
        rise *= (s + 2 * j + 1) * (s + 2 * j + 2) / (x * x);
    }
    return sum + x * power / (s - 1) + 0.5 * power + power * tail;
}

KT__RARE double kt__zeta(double s, double x)
{
    if (s == 1)
        return INFINITY;
    if (!(s > 1) || x != x)
        return NAN;
    if (x <= 0 && x == rint(x))
        return INFINITY;
    if (x == INFINITY || s == INFINITY)
        return x < 1 ? INFINITY : x == 1 ? 1 : 0;
    if (x < 0 && s != rint(s))
        return NAN;
    double below = 0;
    if (x < -1e5)
        x += floor(-x - 1e5); /* terms farther away than that add nothing */
    for (; x < 0; x++)
        below += pow(x, -s);
    return below + zeta(s, x);
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
