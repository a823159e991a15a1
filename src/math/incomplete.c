/* incomplete.c - incomplete gamma functions, and the slopes of gamma and beta variables (see incomplete.h).
 *
 * A share F(x; a) that stays constant while a changes moves x by dx/da = -(dF/da) / (dF/dx). Each F is a factor times a series
 * or a continued fraction; both are differentiated term by term along with their values.
 *
 * Series and fraction: DLMF 8.7.1 and the even part of 8.9.2, the fraction by the method of W. J. Lentz, Applied Optics 15
 * (1976), as modified by I. J. Thompson and A. R. Barnett, Journal of Computational Physics 64 (1986). Near 0 log(Gamma(1 + a)):
 * DLMF 5.7.3. Large a: N. M. Temme, SIAM Journal on Mathematical Analysis 10 (1979), and E. A. Cornish and R. A. Fisher (1938).
 * Slopes of variables: M. Figurnov, S. Mohamed and A. Mnih, Implicit Reparameterization Gradients (2018); M. Jankowiak and F.
 * Obermeyer, Pathwise Derivatives Beyond the Reparameterization Trick (2018). */
#include "math/incomplete.h"

#include <math.h>

enum { MANY_TERMS = 20000 };
static const double LARGE = 1e5; /* from here on the expansions by Temme, and Cornish and Fisher */

/* A value and its derivative by a. */
typedef struct dual {
    double v, d;
} dual;

KT__RARE_PART dual dual_of(double v, double d) /* the device's compiler has no compound literals */
{
    dual p = {v, d};
    return p;
}
KT__RARE_PART dual dual_times(dual p, dual q) { return dual_of(p.v * q.v, p.d * q.v + p.v * q.d); }
KT__RARE_PART dual dual_over(dual p, dual q) { return dual_of(p.v / q.v, (p.d - p.v / q.v * q.d) / q.v); }
KT__RARE_PART dual dual_plus(dual p, dual q) { return dual_of(p.v + q.v, p.d + q.d); }
KT__RARE_PART dual dual_away(dual p) /* not zero: Lentz's method divides by it */
{
    return fabs(p.v) < 1e-290 ? dual_of(1e-290, p.d) : p;
}

/* The sum of x^n / ((a + 1) ... (a + n)): the share below x is x^a e^-x / Gamma(a + 1) times it. */
KT__RARE_PART dual lower_series(double a, double x)
{
    dual   sum = {1, 0};
    double term = 1, harmonic = 0;
    for (int n = 1; n < MANY_TERMS; n++) {
        term *= x / (a + n);
        harmonic += 1 / (a + n);
        sum.v += term;
        sum.d -= term * harmonic;
        if (term * (1 + harmonic) < 1e-17 * fmin(sum.v, fabs(sum.d)))
            break;
    }
    return sum;
}

/* Legendre's continued fraction 1 / (x + 1 - a - 1 (1 - a) / (x + 3 - a - ...)), by Lentz's method: the integral above x is
 * x^a e^-x times it. */
KT__RARE_PART dual upper_fraction(double a, double x)
{
    dual b = {x + 1 - a, -1}, c = {1e290, 0}, d = dual_over(dual_of(1, 0), dual_away(b)), value = d;
    for (int n = 1; n < MANY_TERMS; n++) {
        const dual step = {n * (a - n), (double)n};
        b.v += 2;
        d = dual_over(dual_of(1, 0), dual_away(dual_plus(b, dual_times(step, d))));
        c = dual_away(dual_plus(b, dual_over(step, c)));
        const dual by = dual_times(c, d);
        value = dual_times(value, by);
        if (fabs(by.v - 1) < 1e-16 && fabs(by.d) <= 1e-16 * fabs(value.d / value.v))
            break;
    }
    return value;
}

/* log(1 + m) - m, without cancellation near zero. */
KT__RARE_PART double log1p_less(double m)
{
    if (fabs(m) > 0.1)
        return log1p(m) - m;
    double sum = 0, power = -m * m;
    for (int n = 2; n < 30 && fabs(power) > 1e-18 * fabs(sum); n++, power *= -m)
        sum += power / n;
    return sum;
}

/* x^a e^-x / Gamma(a + 1). */
KT__RARE_PART double density_factor(double a, double x)
{
    if (a < 20 || fabs(x - a) > 0.7 * a)
        return exp(a * log(x) - x - kt__lgamma(a + 1));
    const double i = 1 / (a * a), stirling = (1.0 / 12 - i * (1.0 / 360 - i * (1.0 / 1260 - i / 1680))) / a;
    return exp(a * log1p_less((x - a) / a) - stirling) / sqrt(2 * 3.14159265358979323846 * a);
}

/* The share above x for large a: the normal distribution's, and the first terms of Temme's expansion (DLMF 8.12). */
KT__RARE_PART double large_share(double a, double x, int above)
{
    const double half = -log1p_less((x - a) / a), eta = copysign(sqrt(2 * half), x - a);
    const double fourth = 1.0 / 864 + eta * (1.0 / 2835 - eta * 139.0 / 777600);
    const double first = -1.0 / 3 + eta * (1.0 / 12 - eta * (2.0 / 135 - eta * fourth));
    const double second = -1.0 / 540 - eta * (1.0 / 288 - eta * (1.0 / 378 - eta * 77.0 / 77760));
    const double rest = exp(-a * half) / sqrt(2 * 3.14159265358979323846 * a) * (first + second / a);
    const double z = eta * sqrt(a / 2);
    return above ? 0.5 * erfc(z) + rest : 0.5 * erfc(-z) - rest;
}

/* log(Gamma(1 + a)) of a < 1: near zero by its series, since 1 + a has lost a's digits. The coefficients are 1 less Euler's
 * constant, and (zeta(n) - 1) / n with changing signs. */
KT__RARE_PART double log_gamma1(double a)
{
    if (a > 0.1)
        return kt__lgamma(1 + a);
    const double rest = 0.42278433509846713939 + a * (0.32246703342411321824 + a * (-0.067352301053198095133 + a *
        (0.020580808427784547879 + a * (-0.0073855510286739852663 + a * (0.0028905103307415232858 + a *
        (-0.0011927539117032609771 + a * (0.00050966952474304242234 + a * (-0.00022315475845357937976 + a *
        (0.000099457512781808533715 + a * (-0.0000449262367381331417 + a * (0.000020507212775670691553 + a *
        (-9.439488275268395904e-6 + a * 4.3748667899074878042e-6))))))))))));
    return a * rest - log1p(a);
}

/* The share above x < 1 without subtracting from 1, which a small a would leave no digits of. */
KT__RARE_PART double small_above(double a, double x)
{
    double term = 1, sum = 0;
    for (int n = 1; n < 40; n++) {
        term *= -x / n;
        sum += term / (a + n);
    }
    const double log_factor = a * log(x) - log_gamma1(a);
    return -expm1(log_factor) - exp(log_factor) * a * sum;
}

KT__RARE_PART double gamma_share(double a, double x, int above)
{
    if (!(a >= 0 && x >= 0) || (a == 0 && x == 0) || (a == INFINITY && x == INFINITY))
        return NAN;
    if (a == 0 || x == INFINITY)
        return !above;
    if (x == 0 || a == INFINITY)
        return above;
    if (a >= LARGE && fabs(x - a) < 0.3 * a)
        return large_share(a, x, above);
    if (above && x < 1 && a < 1)
        return small_above(a, x);
    if (x < a + 1) {
        const double below = density_factor(a, x) * lower_series(a, x).v;
        return above ? 1 - below : below;
    }
    const double beyond = density_factor(a, x) * a * upper_fraction(a, x).v;
    return above ? beyond : 1 - beyond;
}

KT__RARE double kt__igamma(double a, double x) { return gamma_share(a, x, 0); }
KT__RARE double kt__igammac(double a, double x) { return gamma_share(a, x, 1); }

/* The expansion by Cornish and Fisher of x by a normal variable g, solved for g and differentiated by a. */
KT__RARE_PART double large_slope(double a, double x)
{
    const double r = sqrt(a);
    double       g = (x - a) / r;
    for (int i = 0; i < 6; i++) {
        const double g2 = g * g;
        const double at = a + g * r + (g2 - 1) / 3 + g * (g2 - 7) / (36 * r) - (3 * g2 * g2 + 7 * g2 - 16) / (810 * a);
        const double by = r + 2 * g / 3 + (3 * g2 - 7) / (36 * r);
        g -= (at - x) / by;
    }
    const double g2 = g * g;
    return 1 + g / (2 * r) - g * (g2 - 7) / (72 * a * r) + (3 * g2 * g2 + 7 * g2 - 16) / (810 * a * a);
}

KT__RARE double kt__gamma_slope(double a, double x)
{
    if (!(a > 0 && x >= 0 && a < INFINITY && x < INFINITY))
        return NAN;
    if (x == 0)
        return 0;
    if (a >= LARGE && fabs(x - a) < 0.05 * a)
        return large_slope(a, x);
    if (x < a + 1) {
        const dual s = lower_series(a, x);
        return -x / a * (s.v * (log(x) - kt__digamma(a + 1)) + s.d);
    }
    const dual u = upper_fraction(a, x);
    return x * (u.v * (log(x) - kt__digamma(a)) + u.d);
}

/* The continued fraction of the incomplete beta function (DLMF 8.17.22) by Lentz's method: the share below x is
 * x^a (1 - x)^b / (a B(a, b)) times it. Of a and b the one that is differentiated by has the derivative 1. */
KT__RARE_PART dual beta_fraction(double x, dual a, dual b)
{
    const dual one = {1, 0};
    dual       c = one, d, value;
    const dual sum = dual_plus(a, b), next = dual_plus(a, one);
    d = dual_over(dual_of(-x * sum.v, -x * sum.d), next);
    d = value = dual_over(one, dual_away(dual_plus(one, d)));
    for (int m = 1; m < MANY_TERMS; m++) {
        const dual at = {a.v + 2 * m, a.d}, before = {at.v - 1, a.d}, after = {at.v + 1, a.d}, wide = {(double)m, 0};
        dual       step = {m * (b.v - m) * x, m * b.d * x}, by;
        step = dual_over(step, dual_times(before, at));
        d = dual_over(one, dual_away(dual_plus(one, dual_times(step, d))));
        c = dual_away(dual_plus(one, dual_over(step, c)));
        value = dual_times(value, dual_times(c, d));
        step = dual_times(dual_plus(a, wide), dual_plus(sum, wide));
        step = dual_over(dual_of(-x * step.v, -x * step.d), dual_times(at, after));
        d = dual_over(one, dual_away(dual_plus(one, dual_times(step, d))));
        c = dual_away(dual_plus(one, dual_over(step, c)));
        by = dual_times(c, d);
        value = dual_times(value, by);
        if (fabs(by.v - 1) < 1e-16 && fabs(by.d) <= 1e-16 * (1 + fabs(value.d)))
            break;
    }
    return value;
}

KT__RARE double kt__beta_slope(double x, double a, double total)
{
    const double b = total - a, y = 1 - x;
    if (!(x >= 0 && x <= 1 && a > 0 && b > 0 && total < INFINITY))
        return NAN;
    if (x == 0)
        return 0;
    const double by_log = log(x) - kt__digamma(a) + kt__digamma(total);
    if (x * (total + 2) < a + 1) {
        const dual f = beta_fraction(x, dual_of(a, 1), dual_of(b, 0));
        return -x / a * (f.v * (by_log - 1 / a) + f.d);
    }
    const dual f = beta_fraction(y, dual_of(b, 0), dual_of(a, 1));
    return x / b * (f.v * by_log + f.d);
}
