/* scan.c - derivatives of scans: an element contributes to all results from its index on, so its gradient is a scan from
 * the end. */
#include <math.h>

#include "grad/formula.h"

#define DIM (arg(c, 1)->i)

static kt_tensor *turned(const kt_back *c, kt_tensor *t)
{
    return t && kt_ndim(t) ? kt_flip(t, KT_SHAPE(DIM)) : t;
}

static kt_tensor *sums_from(const kt_back *c, kt_tensor *t) { return turned(c, kt_cumsum(turned(c, t), DIM)); }

GRAD(cumsum) { dA = kt_ndim(G) && kt_size(G, DIM) != 1 ? sums_from(c, G) : G; } /* for one element G itself */

static kt_tensor *part(kt_tensor *t, int64_t dim, int64_t start, int64_t n) { return kt_narrow(t, dim, start, n); }
static kt_tensor *joined(kt_tensor *first, kt_tensor *second, int64_t dim)
{
    kt_tensor *parts[2] = {first, second};
    return first && second ? kt_cat(parts, 2, .dim = dim) : NULL;
}

/* The gradient of x[i] is the product of the elements before it times s[i] = g[i] + x[i + 1] s[i + 1], a recurrence from
 * the end, evaluated by doubling. It has no division, so zeros need no special case and it can be differentiated again.
 * `s` holds the sums of the next `d` terms, `x` the products of the next `d` factors. */
GRAD(cumprod)
{
    kt_tensor *s = G, *x = conjugate(A), *y = conjugate(Y);
    const int64_t dim = DIM, n = s && kt_ndim(s) ? kt_size(s, dim) : 0;
    if (n > 1) {
        x = part(x, dim, 1, n - 1);
        for (int64_t d = 1; d < n && !kt__failed(); d *= 2) {
            s = joined(kt_addcmul(part(s, dim, 0, n - d), x, part(s, dim, d, n - d)), part(s, dim, n - d, d), dim);
            if (2 * d < n)
                x = kt_mul(part(x, dim, 0, n - 2 * d), part(x, dim, d, n - 2 * d));
        }
        kt_tensor *first = part(s, dim, 0, 1);
        s = joined(first, kt_mul(part(s, dim, 1, n - 1), part(y, dim, 0, n - 1)), dim);
    }
    dA = s;
}

/* exp(x) times the sum of g / exp(y) from here on. Positive and negative gradients are summed separately as logarithms,
 * without overflow. */
static kt_tensor *exp_sums(const kt_back *c, kt_tensor *log_g, kt_tensor *x, kt_tensor *y)
{
    kt_tensor *logs = turned(c, kt_logcumsumexp(turned(c, kt_sub(log_g, y)), DIM));
    return kt_exp(kt_add(logs, x));
}

/* log(g) where g > 0; elsewhere a finite number whose exp is 0, so that it can be differentiated again. */
static kt_tensor *log_above(kt_tensor *g)
{
    kt_finfo f = {.min = 0};
    if (g)
        kt_dtype_finfo(kt_dtype_of(g), &f);
    kt_tensor *above = kt_gt_s(g, KT_INT(0));
    return kt_where_s(above, kt_log(one_unless(above, g)), KT_FLOAT(f.min));
}

GRAD(logcumsumexp)
{
    kt_tensor *x = conjugate(A), *y = conjugate(Y);
    if (is_complex(G)) {
        dA = exp_sums(c, kt_log(G), x, y);
        return;
    }
    dA = kt_sub(exp_sums(c, log_above(G), x, y), exp_sums(c, log_above(kt_neg(G)), x, y));
}

/* The gradient is scattered to the index; dim is found by name. */
GRAD(cummax)
{
    kt_tensor *none = kt_zeros(in_sizes(c, 0), .dtype = kt_dtype_of(G), .device = kt_device_of(G));
    dA = kt_scatter_add(none, arg(c, c->node->row->fold.dim)->i, Z, G);
}

/* ---- rows that share another's derivative ---- */
GRAD_AS(cummin, cummax)
