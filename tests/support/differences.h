/* differences.h - gradients as backward gives them beside central differences in float64.
 *
 * In: a function of up to three tensors and their shapes. The scalar differentiated is sum(w * f(x)) with random w. */
#ifndef KT_TEST_DIFFERENCES_H
#define KT_TEST_DIFFERENCES_H

#include <float.h>
#include <karat/karat.h>
#include <math.h>

#include "harness.h"
#include "support/by_name.h"

enum { MOST_INPUTS = 3, MOST_ELEMENTS = 64 };

typedef kt_tensor *function(kt_tensor **in);

typedef struct problem {
    const char *name;
    function   *f;
    int         n;
    kt_shape    shape[MOST_INPUTS];
    double      low, high; /* of the random inputs; both 0: 0.2 to 0.8 */
} problem;

static double uniform(double low, double high)
{
    return low + (high - low) * ((double)(test_random() >> 11) * 0x1p-53);
}

static int64_t elements(kt_shape s)
{
    int64_t n = 1;
    for (int64_t i = 0; i < s.n; i++)
        n *= s.d[i];
    return n;
}

/* size: the sum of the terms' sizes, of which a rounding is a share */
static double weighted(const problem *p, double values[][MOST_ELEMENTS], const double *weights, double *size)
{
    KT_SCOPE;
    KT_NO_GRAD;
    kt_tensor *in[MOST_INPUTS];
    double     out[MOST_ELEMENTS * 8], sum = 0;
    for (int i = 0; i < p->n; i++)
        in[i] = kt_from(values[i], p->shape[i], KT_F64);
    kt_tensor *y = p->f(in);
    if (!y || kt_read(kt_to(y, .dtype = KT_F64), out, sizeof(double) * (size_t)kt_numel(y)))
        return NAN;
    *size = 0;
    for (int64_t i = 0; i < kt_numel(y); i++)
        sum += weights[i] * out[i], *size += fabs(weights[i] * out[i]);
    return sum;
}

/* An input that alone needs a gradient gets the one it has among others: of those a formula knows no sizes then. */
static void check_alone(const problem *p, double values[][MOST_ELEMENTS], const double *weights, kt_tensor *const *all)
{
    for (int i = 0; i < p->n && p->n > 1; i++) {
        KT_SCOPE;
        kt_tensor *in[MOST_INPUTS];
        for (int k = 0; k < p->n; k++)
            in[k] = kt_from(values[k], p->shape[k], KT_F64);
        kt_set_requires_grad(in[i], true);
        kt_tensor *y = p->f(in);
        if (!y || kt_failed() || !kt_requires_grad(y)) { /* a program that differentiates by another input itself */
            kt_clear();
            continue;
        }
        if (!CHECK_MSG(!kt_backward(y, .gradient = kt_from(weights, kt_sizes(y), KT_F64)), "%s, input %d alone: %s", p->name, i,
                       kt_error())) {
            kt_clear();
            return;
        }
        for (int64_t k = 0; k < elements(p->shape[i]); k++) {
            const double want = kt_grad(all[i]) ? tensor_at(kt_grad(all[i]), k) : 0.0;
            const double got = kt_grad(in[i]) ? tensor_at(kt_grad(in[i]), k) : 0.0;
            CHECK_MSG(fabs(got - want) <= 1e-12 + 1e-12 * fabs(want), "%s, input %d alone, element %d: %.17g, among others %.17g",
                      p->name, i, (int)k, got, want);
        }
    }
}

/* The gradients that backward gives, beside those that differences give. */
static void check(const problem *p)
{
    KT_SCOPE;
    double       values[MOST_INPUTS][MOST_ELEMENTS], weights[MOST_ELEMENTS * 8];
    const double low = p->low == p->high ? 0.2 : p->low, high = p->low == p->high ? 0.8 : p->high, h = 1e-6;
    kt_tensor   *in[MOST_INPUTS];
    for (int i = 0; i < p->n; i++) {
        for (int64_t k = 0; k < elements(p->shape[i]); k++)
            values[i][k] = floor(uniform(low, high) * 1024) / 1024 + (i + 1) / 4096.0 + (double)k / 262144.0; /* no two meet */
        in[i] = kt_from(values[i], p->shape[i], KT_F64);
        kt_set_requires_grad(in[i], true);
    }
    kt_tensor *y = p->f(in);
    if (!CHECK_MSG(y != NULL && !kt_failed(), "%s: %s", p->name, kt_error())) {
        kt_clear();
        return;
    }
    if (!CHECK_MSG(kt_numel(y) <= MOST_ELEMENTS * 8 && kt_requires_grad(y), "%s: requires grad", p->name))
        return;
    for (int64_t i = 0; i < kt_numel(y); i++)
        weights[i] = uniform(-1, 1);
    if (!CHECK_MSG(!kt_backward(y, .gradient = kt_from(weights, kt_sizes(y), KT_F64)), "%s: %s", p->name, kt_error())) {
        kt_clear();
        return;
    }
    check_alone(p, values, weights, in);
    for (int i = 0; i < p->n; i++)
        for (int64_t k = 0; k < elements(p->shape[i]); k++) {
            const double at = values[i][k];
            double       size;
            values[i][k] = at + h;
            const double above = weighted(p, values, weights, &size);
            values[i][k] = at - h;
            const double below = weighted(p, values, weights, &size);
            values[i][k] = at;
            const double want = (above - below) / (2 * h), got = kt_grad(in[i]) ? tensor_at(kt_grad(in[i]), k) : 0.0;
            CHECK_MSG(fabs(got - want) <= 1e-7 + 1e-6 * fabs(want) + 4 * DBL_EPSILON * size / h,
                      "%s, input %d, element %d: %.12g, differences give %.12g", p->name, i, (int)k, got, want);
        }
}

#define F(name, body)                                                                                                  \
    static kt_tensor *name(kt_tensor **x) { return body; }
#define ONE(f, ...)          {#f, f, 1, {KT_SHAPE(__VA_ARGS__)}, 0, 0}
#define TWO(f, first, other) {#f, f, 2, {first, other}, 0, 0}
#define THREE(f, first, second, third) {#f, f, 3, {first, second, third}, 0, 0}

#endif
