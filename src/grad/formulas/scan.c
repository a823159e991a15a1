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

/* s[i] = g[i] + f[i] s[i + 1], a recurrence from the end, of n numbers and n - 1 factors. By doubling (G. E. Blelloch, Prefix
 * Sums and Their Applications, 1990, section 1.4): s[i] has the sum of the next d terms, f[i] the product of the next d factors.
 * It has no division and no subtraction, and can be differentiated again. */
static kt_tensor *sum_ahead(kt_tensor *g, kt_tensor *f, int64_t dim)
{
    kt_tensor    *s = g;
    const int64_t n = g ? kt_size(g, dim) : 0;
    for (int64_t d = 1; d < n && !kt__failed(); d *= 2) {
        s = joined(kt_addcmul(part(s, dim, 0, n - d), f, part(s, dim, d, n - d)), part(s, dim, n - d, d), dim);
        if (2 * d < n)
            f = kt_mul(part(f, dim, 0, n - 2 * d), part(f, dim, d, n - 2 * d));
    }
    return s;
}

static int64_t length(const kt_back *c) { return G && kt_ndim(G) ? kt_size(G, DIM) : 1; }

/* The gradient of x[i] is the product of the elements before it times s[i] = g[i] + x[i + 1] s[i + 1]. */
GRAD(cumprod)
{
    kt_tensor    *s = G, *x = conjugate(A), *y = conjugate(Y);
    const int64_t dim = DIM, n = length(c);
    if (n > 1) {
        s = sum_ahead(s, part(x, dim, 1, n - 1), dim);
        s = joined(part(s, dim, 0, 1), kt_mul(part(s, dim, 1, n - 1), part(y, dim, 0, n - 1)), dim);
    }
    dA = s;
}

/* Logarithms of the gradient, as the parts of one sum. A complex number has its own. Of real ones the first part has those above
 * zero, the second those below, and elsewhere a finite number whose exp is 0, so that it can be differentiated again. */
static kt_tensor *log_parts(kt_tensor *g)
{
    if (!g || is_complex(g))
        return kt_unsqueeze(kt_log(g), 0);
    kt_finfo f = {.min = 0};
    kt_dtype_finfo(kt_dtype_of(g), &f);
    kt_tensor *signs[2] = {g, kt_neg(g)}, *parts = kt_stack(signs, 2), *above = kt_gt_s(parts, KT_INT(0));
    return kt_where_s(above, kt_log(one_unless(above, parts)), KT_FLOAT(f.min));
}

/* The slope of y[j] by x[i] is e^(x[i] - y[j]): the gradient is e^x[i] times the sum of g[j] e^-y[j] from i on, formed of
 * logarithms, because neither power need be finite. Its last digits are theirs, as PyTorch's are. */
GRAD(logcumsumexp)
{
    kt_tensor *x = conjugate(A), *y = conjugate(Y);
    if (length(c) == 1) {
        dA = kt_mul(G, kt_exp(kt_sub(x, y)));
        return;
    }
    const kt_shape along = KT_SHAPE(DIM < 0 ? DIM : DIM + 1); /* behind the parts */
    kt_tensor     *sums = kt_flip(kt_logcumsumexp(kt_flip(kt_sub(log_parts(G), y), along), along.d[0]), along);
    kt_tensor     *powers = kt_exp(kt_add(sums, x)), *first = kt_select(powers, 0, 0);
    dA = is_complex(G) ? first : kt_sub(first, kt_select(powers, 0, 1));
}

/* The gradient is scattered to the index; dim is found by name. */
GRAD(cummax)
{
    kt_tensor *none = kt_zeros(in_sizes(c, 0), .dtype = kt_dtype_of(G), .device = kt_device_of(G));
    dA = kt_scatter_add(none, arg(c, c->node->row->fold.dim)->i, Z, G);
}

/* ---- rows that share another's derivative ---- */
GRAD_AS(cummin, cummax)
