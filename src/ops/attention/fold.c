/* fold.c - operands of attention with any number of dims as the kernel takes them, [batch, head, length, dim].
 * In: operands whose leading dims products would broadcast. Out: views of them, or copies where the strides of more than four
 * dims need one; the sizes of the result. Independent of: which way a call goes. */
#include <string.h>

#include "ops/attention/attention.h"

enum { DIMS = 4, HEADS = 3 }; /* HEADS: counted from the last dim */

static int64_t from_end(const kt_tensor *t, int dim) { return dim > t->ndim ? 1 : t->sizes[t->ndim - dim]; }

/* `sizes` of n dims, at least four; those before the heads become one. What is not repeated keeps its strides, and so does its
 * gradient. */
static kt_tensor *folded(kt_tensor *t, const int64_t *sizes, int n)
{
    int64_t       batch = 1;
    const int64_t area = sizes[n - 3] * sizes[n - 2] * sizes[n - 1];
    for (int d = 0; d <= n - DIMS; d++)
        batch *= sizes[d];
    if (t && t->numel != batch * area)
        t = kt_expand(t, ((kt_shape){n, sizes}));
    if (!t || (t->ndim == DIMS && n == DIMS))
        return t;
    return kt_reshape(t, KT_SHAPE(batch, sizes[n - 3], sizes[n - 2], sizes[n - 1]));
}

/* The leading dims of an operand: those of the products, but for heads that are grouped. */
static bool broadcast(const kt__attended *a, const kt_tensor *t, const int64_t *lead, int n, int64_t *sizes)
{
    for (int d = 0; d < n - 2; d++) {
        const int     dim = n - d;
        const int64_t own = from_end(t, dim);
        const bool    grouped = a->grouped && dim == HEADS;
        if (!grouped && own != 1 && own != lead[d])
            return false;
        sizes[d] = grouped ? own : lead[d];
    }
    sizes[n - 2] = t->sizes[t->ndim - 2], sizes[n - 1] = t->sizes[t->ndim - 1];
    return true;
}

/* A mask is not repeated: the dims before its heads are of size 1, or all whole. */
static bool fold_mask(kt__attended *a, const int64_t *scores, int n)
{
    kt_tensor *mask = a->mask;
    int64_t    sizes[KT_MAX_DIMS], batch = 1, whole = 1;
    for (int d = 0; d < n; d++) {
        sizes[d] = from_end(mask, n - d);
        if (sizes[d] != 1 && sizes[d] != scores[d])
            return false;
        if (d <= n - DIMS)
            batch *= sizes[d], whole *= scores[d];
    }
    if (batch != 1 && batch != whole)
        return false;
    a->mask = folded(mask, sizes, n);
    return a->mask;
}

bool kt__attention_folded(const kt__attended *a, kt__folded *f)
{
    const kt_tensor *q = a->query, *k = a->key, *v = a->value;
    const int        most = q->ndim < k->ndim ? k->ndim : q->ndim, n = most < DIMS ? DIMS : most;
    int64_t          lead[KT_MAX_DIMS], query[KT_MAX_DIMS], key[KT_MAX_DIMS], value[KT_MAX_DIMS];
    f->four = *a;
    f->n = most;
    if (v->ndim > most || (a->mask && a->mask->ndim > most) ||
        (a->grouped && (q->ndim < HEADS || k->ndim < HEADS || v->ndim < HEADS)))
        return false;
    for (int d = 0; d < n - 2; d++)
        lead[d] = from_end(q, n - d) == 1 ? from_end(k, n - d) : from_end(q, n - d);
    if (!broadcast(a, q, lead, n, query) || !broadcast(a, k, lead, n, key) || !broadcast(a, v, lead, n, value))
        return false;
    memcpy(f->sizes, query + n - most, (size_t)most * sizeof *query);
    f->sizes[most - 1] = value[n - 1];
    f->four.query = folded(a->query, query, n);
    f->four.key = folded(a->key, key, n);
    f->four.value = folded(a->value, value, n);
    query[n - 1] = key[n - 2]; /* the sizes of the scores */
    return f->four.query && f->four.key && f->four.value && (!a->mask || fold_mask(&f->four, query, n));
}
