/* moments.inc.c - average and spread of dense values, and sums that a gradient through them needs. A template: T the compute
 * type, A the wider one.
 *
 * In: values in the core's own cache. Out: moments, joined to those of earlier pieces. Within a tile sums are made in T, in lanes
 * that are the same on every instruction set; tiles are joined in A. While values are worked on, memory that is wanted next is
 * asked for. Independent of: plans, threads. */
#include "base/alloc.h"
#include "base/error.h"
#include "base/thread.h"
#include "cpu/write.h"
#include "tables/kernels/norm.h"

enum { LANES = 64 / sizeof(T) };
typedef T FN(lanes) __attribute__((vector_size(64), aligned(sizeof(T)), may_alias));
typedef T FN(lanes32) __attribute__((vector_size(32)));
typedef T FN(lanes16) __attribute__((vector_size(16)));

#define WIDE(p) (*(FN(lanes) *)(uintptr_t)(p))

typedef struct FN(moments) {
    int64_t n;
    A       mean, squares; /* squares of the distances from the mean, or from 0 */
} FN(moments);

/* The upper half of the lanes is added to the lower one, until one is left. */
KT_ALWAYS T FN(across)(const FN(lanes) *lanes)
{
    FN(lanes32) a, b;
    FN(lanes16) c, d;
    memcpy(&a, lanes, 32), memcpy(&b, (const char *)lanes + 32, 32);
    a += b;
    memcpy(&c, &a, 16), memcpy(&d, (const char *)&a + 16, 16);
    c += d;
    return sizeof(T) == 8 ? c[0] + c[1] : (c[0] + c[2 % (16 / sizeof(T))]) + (c[1] + c[3 % (16 / sizeof(T))]);
}

/* What is wanted next: memory where an element has `width` bytes. 0: nothing, and `at` is any address. */
typedef struct FN(soon) {
    const char *at;
    ptrdiff_t   width;
} FN(soon);

static T FN(tile_sum)(const T *x, int n)
{
    FN(lanes) a = {0}, b = {0}, c = {0}, d = {0};
    int       i = 0;
    for (; i + 4 * LANES <= n; i += 4 * LANES)
        a += WIDE(x + i), b += WIDE(x + i + LANES), c += WIDE(x + i + 2 * LANES), d += WIDE(x + i + 3 * LANES);
    for (; i + LANES <= n; i += LANES)
        a += WIDE(x + i);
    for (int j = 0; i < n; i++, j++)
        b[j] += x[i];
    a = (a + b) + (c + d);
    return FN(across)(&a);
}

/* The sum of the distances from c, and of their squares. */
static void FN(tile_about)(const T *x, int n, T c, FN(soon) soon, T *sum, T *squares)
{
    FN(lanes) s = {0}, t = {0}, q = {0}, r = {0};
    int       i = 0;
    for (; i + 2 * LANES <= n; i += 2 * LANES) {
        const FN(lanes) u = WIDE(x + i) - c, v = WIDE(x + i + LANES) - c;
        fetch_pair_for_reading(soon.at + i * soon.width, 2 * LANES * soon.width);
        s += u, t += v, q += u * u, r += v * v;
    }
    for (int j = 0; i < n; i++, j = (j + 1) % LANES) {
        const T u = x[i] - c;
        t[j] += u, r[j] += u * u;
    }
    s += t, q += r;
    *sum = FN(across)(&s), *squares = FN(across)(&q);
}

/* Joins the n values at x, no more than a tile: about their own mean, so that no digits are lost to it. */
static void FN(moments_tile)(FN(moments) *m, const T *x, int n, bool centred, FN(soon) soon)
{
    const T about = centred ? FN(tile_sum)(x, n) / (T)n : 0;
    T       sum, squares;
    FN(tile_about)(x, n, about, soon, &sum, &squares);
    const A off = centred ? (A)sum / n : 0, mean = (A)about + off, own = (A)squares - (centred ? off * (A)sum : 0);
    if (m->n == 0) {
        *m = (FN(moments)){n, mean, own};
        return;
    }
    const A apart = mean - m->mean, share = (A)n / (A)(m->n + n);
    m->squares += own + (centred ? apart * apart * (A)m->n * share : 0);
    m->mean += centred ? apart * share : 0;
    m->n += n;
}

static void FN(moments_of)(FN(moments) *m, const T *x, int64_t n, bool centred, FN(soon) soon)
{
    for (int64_t done = 0; done < n; done += TILE, soon.at += TILE * soon.width)
        FN(moments_tile)(m, x + done, n - done < TILE ? (int)(n - done) : TILE, centred, soon);
}

/* Of g = grad * w (w may be NULL: 1) and h = (x - mean) * rstd: the sums of g and of g * h; and grad * h and grad added to to_w
 * and to_b, unless those are NULL. */
typedef struct FN(ties) {
    A sum, product;
} FN(ties);

KT_ALWAYS void FN(ties_here)(FN(ties) *ties, const T *x, const T *grad, const T *w, T mean, T rstd, T *to_w, T *to_b, int n,
                             FN(soon) soon, bool weighed, bool gathers)
{
    FN(lanes) s = {0}, p = {0}, u = {0}, q = {0};
    int       i = 0;
    for (; i + 2 * LANES <= n; i += 2 * LANES) {
        const FN(lanes) a = WIDE(grad + i), b = WIDE(grad + i + LANES);
        const FN(lanes) h = (WIDE(x + i) - mean) * rstd, k = (WIDE(x + i + LANES) - mean) * rstd;
        FN(lanes)       g = a, f = b;
        if (weighed)
            g *= WIDE(w + i), f *= WIDE(w + i + LANES);
        fetch_pair_for_reading(soon.at + i * soon.width, 2 * LANES * soon.width);
        s += g, p += g * h, u += f, q += f * k;
        if (gathers) {
            WIDE(to_w + i) += a * h, WIDE(to_w + i + LANES) += b * k;
            WIDE(to_b + i) += a, WIDE(to_b + i + LANES) += b;
        }
    }
    for (int j = 0; i < n; i++, j = (j + 1) % LANES) {
        const T h = (x[i] - mean) * rstd, g = weighed ? grad[i] * w[i] : grad[i];
        u[j] += g, q[j] += g * h;
        if (gathers)
            to_w[i] += grad[i] * h, to_b[i] += grad[i];
    }
    s += u, p += q;
    ties->sum += (A)FN(across)(&s), ties->product += (A)FN(across)(&p);
}

static void FN(ties_of)(FN(ties) *t, const T *x, const T *grad, const T *w, T mean, T rstd, T *to_w, T *to_b, int64_t n,
                        FN(soon) soon)
{
    for (int64_t i = 0; i < n; i += TILE, soon.at += TILE * soon.width) {
        const int here = n - i < TILE ? (int)(n - i) : TILE;
        if (w && to_w)
            FN(ties_here)(t, x + i, grad + i, w + i, mean, rstd, to_w + i, to_b + i, here, soon, true, true);
        else if (w)
            FN(ties_here)(t, x + i, grad + i, w + i, mean, rstd, NULL, NULL, here, soon, true, false);
        else if (to_w)
            FN(ties_here)(t, x + i, grad + i, NULL, mean, rstd, to_w + i, to_b + i, here, soon, false, true);
        else
            FN(ties_here)(t, x + i, grad + i, NULL, mean, rstd, NULL, NULL, here, soon, false, false);
    }
}
