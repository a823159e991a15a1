/* polynomials.c - orthogonal polynomials by their recurrences (see polynomials.h): DLMF 18.9.1 with the coefficients of
 * tables 18.9.1 and 18.9.2. Between -1 and 1 Chebyshev's of higher degrees are the quotients of sines and cosines that define
 * them, 18.5.1 to 18.5.4. */
#include "math/polynomials.h"

#include <math.h>
#include <stdint.h>

KT__RARE_PART int64_t whole_degree(double degree) { return degree > -1 && degree < 0x1p63 ? (int64_t)degree : -1; }

enum {
    FEW_STEPS = 8,        /* up to here the recurrence is as good as the cosine, and exact where x and the result are short */
    MOST_STEPS = 1 << 20  /* for an element: some milliseconds. Beyond there is no value, or a formula in its place */
};

/* 0 <= x < 1. By half the angle all four have the same form. */
KT__RARE_PART double chebyshev_by_angle(double x, double n, int kind)
{
    const double half = 0.5 * acos(x);
    switch (kind) {
    case KT__FIRST_KIND: return cos(2 * n * half);
    case KT__SECOND_KIND: return sin((2 * n + 2) * half) / sin(2 * half);
    case KT__THIRD_KIND: return cos((2 * n + 1) * half) / cos(half);
    default: return sin((2 * n + 1) * half) / sin(half);
    }
}

/* x > 1: the same of hyperbolic functions. */
KT__RARE_PART double chebyshev_beyond(double x, double n, int kind)
{
    const double half = 0.5 * acosh(x);
    const double value = kind == KT__FIRST_KIND    ? cosh(2 * n * half)
                         : kind == KT__SECOND_KIND ? sinh((2 * n + 2) * half) / sinh(2 * half)
                         : kind == KT__THIRD_KIND  ? cosh((2 * n + 1) * half) / cosh(half)
                                                   : sinh((2 * n + 1) * half) / sinh(half);
    return isinf(value) ? NAN : value;
}

/* Below zero by symmetry, which makes the third kind of the fourth. A value beyond the range ends in NaN, as in PyTorch. */
KT__RARE double kt__chebyshev(double x, double degree, int kind)
{
    const int64_t n = whole_degree(degree);
    if (n < 1)
        return n == 0;
    const double sign = x < 0 && n % 2 ? -1 : 1;
    if (x < 0) {
        x = -x;
        kind = kind == KT__THIRD_KIND ? KT__FOURTH_KIND : kind == KT__FOURTH_KIND ? KT__THIRD_KIND : kind;
    }
    if (x < 1 && n > FEW_STEPS)
        return sign * chebyshev_by_angle(x, (double)n, kind);
    if (x > 1 && n > MOST_STEPS)
        return sign * chebyshev_beyond(x, (double)n, kind);
    if (x == 1)
        return sign * (kind == KT__SECOND_KIND ? (double)n + 1 : kind == KT__FOURTH_KIND ? 2 * (double)n + 1 : 1);
    const double first = kind == KT__FIRST_KIND ? x : 2 * x + (kind == KT__THIRD_KIND ? -1 : kind == KT__FOURTH_KIND ? 1 : 0);
    double       before = 1, here = first;
    for (int64_t k = 1; k < n && here == here; k++) {
        const double next = 2 * x * here - before;
        before = here, here = next;
    }
    return sign * here;
}

KT__RARE double kt__hermite(double x, double degree, double scale)
{
    const int64_t n = whole_degree(degree);
    double        before = 0, here = n >= 0;
    for (int64_t k = 0; k < n && here == here; k++) {
        const double next = scale * (x * here - (double)k * before);
        before = here, here = next;
    }
    return here;
}

KT__RARE double kt__laguerre(double x, double degree)
{
    const int64_t n = whole_degree(degree);
    double        before = 0, here = n >= 0;
    if (n > MOST_STEPS)
        return NAN;
    for (int64_t k = 0; k < n && here == here; k++) {
        const double i = (double)k, next = ((2 * i + 1 - x) * here - i * before) / (i + 1);
        before = here, here = next;
    }
    return here;
}

KT__RARE double kt__legendre(double x, double degree)
{
    const int64_t n = whole_degree(degree);
    if (fabs(x) == 1)
        return n < 0 ? 0 : x < 0 && n % 2 ? -1 : 1;
    double before = 0, here = n >= 0;
    if (n > MOST_STEPS)
        return NAN;
    for (int64_t k = 0; k < n && here == here; k++) {
        const double i = (double)k, next = ((2 * i + 1) * x * here - i * before) / (i + 1);
        before = here, here = next;
    }
    return here;
}
