/* moments.inc.c - average and spread of dense values, and sums that a gradient through them needs. A template: T the compute
 * type, A the wider one.
 *
 * In: values in the core's own cache. Out: moments, joined to those of earlier pieces. Within a tile sums are made in T, in lanes
 * that are the same in all builds of an architecture; tiles are joined in A. While values are worked on, memory that is wanted
 * next is asked for. Independent of: plans, threads. */
#include "base/alloc.h"
#include "base/error.h"
#include "base/thread.h"
#include "cpu/isa/lanes.h"
#include "cpu/write.h"
#include "tables/kernels/norm.h"
#ifdef KT_FROM_HALVES
#include "cpu/isa/half_group.h"
#endif

typedef struct FN(moments) {
    int64_t n;
    A       mean, squares; /* squares of the distances from the mean, or from 0 */
} FN(moments);

/* What is wanted next: memory where an element has `width` bytes. 0: nothing, and `at` is any address. */
typedef struct FN(soon) {
    const char *at;
    ptrdiff_t   width;
} FN(soon);

KT_ALWAYS void FN(ask_to_read)(FN(soon) s, int64_t i) { fetch_pair_for_reading(s.at + i * s.width, 2 * LANES * s.width); }
KT_ALWAYS void FN(ask_to_write)(FN(soon) s, int64_t i) { fetch_pair_for_writing(s.at + i * s.width, 2 * LANES * s.width); }

/* ---- values: dense Ts, or (`halves`) bfloat16s where they are, of which a pair of vectors is a group (half_group.h) ---- */

typedef struct FN(pair) {
    FN(lanes) a, b;
} FN(pair);

#ifdef __aarch64__
typedef struct FN(quarters) {
    FN(quarter) a, b;
} FN(quarters);

/* Quarter k of values, and the one that follows it; quarter k of both vectors of a group of bfloat16s. */
KT_ALWAYS FN(quarters) FN(neighbours_at)(const void *x, int k)
{
    const T *at = (const T *)x + k * QUARTER;
    return (FN(quarters)){QUARTER_AT(at), QUARTER_AT(at + QUARTER)};
}

KT_ALWAYS FN(quarters) FN(quarters_at)(const void *x, int k)
{
#ifdef KT_FROM_HALVES
    const uint16_t *h = (const uint16_t *)x + 8 * k;
    return (FN(quarters)){even_halves(h), odd_halves(h)};
#else
    return FN(neighbours_at)(x, k);
#endif
}
#endif

#ifdef KT_FROM_HALVES
KT_ALWAYS FN(pair) FN(pair_at)(const void *x, int64_t i, bool halves)
{
    if (!halves)
        return (FN(pair)){LANES_AT((const T *)x + i), LANES_AT((const T *)x + i + LANES)};
#ifdef __aarch64__
    const uint16_t *h = (const uint16_t *)x + i;
    return (FN(pair)){{even_halves(h), even_halves(h + 8), even_halves(h + 16), even_halves(h + 24)},
                      {odd_halves(h), odd_halves(h + 8), odd_halves(h + 16), odd_halves(h + 24)}};
#elif defined(__AVX512F__)
    const uint16_t *h = (const uint16_t *)x + i;
    return (FN(pair)){(FN(lanes))even_halves(h), (FN(lanes))odd_halves(h)};
#else
    float group[KT__HALF_GROUP];
    load_half_group(group, (const uint16_t *)x + i, KT_BF16);
    return (FN(pair)){LANES_AT(group), LANES_AT(group + LANES)};
#endif
}

KT_ALWAYS void FN(put_pair)(void *x, int64_t i, FN(pair) p, bool halves)
{
    if (!halves) {
        LANES_TO((T *)x + i, p.a), LANES_TO((T *)x + i + LANES, p.b);
        return;
    }
#ifdef __aarch64__
    uint16_t *h = (uint16_t *)x + i;
    put_halves(h, p.a.a, p.b.a), put_halves(h + 8, p.a.b, p.b.b);
    put_halves(h + 16, p.a.c, p.b.c), put_halves(h + 24, p.a.d, p.b.d);
#elif defined(__AVX512F__)
    put_halves((uint16_t *)x + i, (__m512)p.a, (__m512)p.b);
#else
    store_half_group((uint16_t *)x + i, (const float *)(const void *)&p, KT_BF16);
#endif
}

KT_ALWAYS T FN(value_at)(const void *x, int64_t i, bool halves)
{
    return halves ? kt__decode_BF16(((const uint16_t *)x)[i]) : ((const T *)x)[i];
}

KT_ALWAYS void FN(put_value)(void *x, int64_t i, T value, bool halves)
{
    if (halves)
        ((uint16_t *)x)[i] = ENC(BF16)(value);
    else
        ((T *)x)[i] = value;
}
#else
KT_ALWAYS FN(pair) FN(pair_at)(const void *x, int64_t i, bool halves)
{
    (void)halves;
    return (FN(pair)){LANES_AT((const T *)x + i), LANES_AT((const T *)x + i + LANES)};
}

KT_ALWAYS void FN(put_pair)(void *x, int64_t i, FN(pair) p, bool halves)
{
    (void)halves;
    LANES_TO((T *)x + i, p.a), LANES_TO((T *)x + i + LANES, p.b);
}

KT_ALWAYS T    FN(value_at)(const void *x, int64_t i, bool halves) { return (void)halves, ((const T *)x)[i]; }
KT_ALWAYS void FN(put_value)(void *x, int64_t i, T value, bool halves) { (void)halves, ((T *)x)[i] = value; }
#endif

KT_ALWAYS const void *FN(values_from)(const void *x, int64_t i, bool halves)
{
    return (const char *)x + i * (halves ? 2 : (int64_t)sizeof(T));
}

/* ---- average and spread ---- */

/* The average of a tile's first values, from which distances are measured; 0 if it is no such number. */
KT_ALWAYS T FN(tile_guess)(const void *x, int n, bool halves)
{
    T guess = 0;
    if (n >= 2 * LANES) {
        const FN(pair)  p = FN(pair_at)(x, 0, halves);
        const FN(lanes) sum = PLUS(p.a, p.b);
        guess = FN(across)(&sum) / (2 * LANES);
    } else {
        for (int i = 0; i < n; i++)
            guess += FN(value_at)(x, i, halves);
        guess /= (T)n;
    }
    return guess - guess == 0 ? guess : 0;
}

/* Sums of the distances from c, and of their squares. */
typedef struct FN(about) {
    FN(lanes) sum, squares;
    T         c;
} FN(about);

KT_ALWAYS FN(about) FN(about_guess)(const void *x, int n, bool centred, bool halves)
{
    const FN(about) none = {0};
    FN(about)       about = none;
    about.c = centred ? FN(tile_guess)(x, n, halves) : 0;
    return about;
}

/* Two vectors, one after the other: with a vector of lanes for each, the sums stay in registers beside what else a loop does. */
KT_ALWAYS void FN(about_add)(FN(about) *about, const void *x, int64_t i, bool halves)
{
    const FN(pair)  p = FN(pair_at)(x, i, halves);
    const FN(lanes) u = LESS(p.a, ALL(about->c)), v = LESS(p.b, ALL(about->c));
    about->sum = PLUS(about->sum, u), about->squares = TIMES_PLUS(u, u, about->squares);
    about->sum = PLUS(about->sum, v), about->squares = TIMES_PLUS(v, v, about->squares);
}

/* Those that are left from i on. */
KT_ALWAYS void FN(about_rest)(FN(about) *about, const void *x, int64_t i, int64_t n, bool halves)
{
    if (i >= n)
        return;
    OPENED(lane, about->sum);
    OPENED(square, about->squares);
    for (int j = 0; i < n; i++, j = (j + 1) % LANES) {
        const T u = FN(value_at)(x, i, halves) - about->c;
        lane[j] += u, square[j] = NUMBER_TIMES_PLUS(u, u, square[j]);
    }
    CLOSED(about->sum, lane), CLOSED(about->squares, square);
}

KT_ALWAYS void FN(tile_about)(FN(about) *about, const void *x, int n, FN(soon) soon, bool halves)
{
    int i = 0;
    for (; i + 2 * LANES <= n; i += 2 * LANES) {
        FN(ask_to_read)(soon, i);
        FN(about_add)(about, x, i, halves);
    }
    FN(about_rest)(about, x, i, n, halves);
}

/* Of a few values: from the first one, so that equal ones have no spread. */
KT_ALWAYS FN(moments) FN(moments_few)(const void *x, int64_t n, bool halves)
{
    const A first = (A)FN(value_at)(x, 0, halves), origin = first - first == 0 ? first : 0;
    A       sum = 0, squares = 0;
    for (int64_t i = 0; i < n; i++)
        sum += (A)FN(value_at)(x, i, halves) - origin;
    const A mean = origin + sum / (A)n;
    for (int64_t i = 0; i < n; i++)
        squares += ((A)FN(value_at)(x, i, halves) - mean) * ((A)FN(value_at)(x, i, halves) - mean);
    return (FN(moments)){n, mean, squares};
}

/* Of values whose sum or squares a T does not hold. */
static __attribute__((noinline, cold)) FN(moments) FN(moments_beyond)(const void *x, int n, bool halves)
{
    return FN(moments_few)(x, n, halves);
}

/* Joins n values, whose sums about a guess of their mean are known (T. F. Chan, G. H. Golub and R. J. LeVeque, Algorithms for
 * computing the sample variance, The American Statistician 37, 1983). Where that was so far off that digits are lost to it, they
 * are summed again about their mean. */
KT_ALWAYS void FN(moments_settle)(FN(moments) *m, FN(about) about, const void *x, int n, bool centred, bool halves)
{
    T sum = FN(across)(&about.sum), squares = FN(across)(&about.squares);
    A off = centred ? (A)sum / n : 0;
    if (__builtin_expect(off * (A)sum > (A)squares / 4, 0)) {
        const FN(lanes) none = {0};
        about = (FN(about)){none, none, (T)((A)about.c + off)};
        FN(tile_about)(&about, x, n, (FN(soon)){x, 0}, halves);
        sum = FN(across)(&about.sum), squares = FN(across)(&about.squares), off = (A)sum / n;
    }
    FN(moments) own = {n, (A)about.c + off, (A)squares - (centred ? off * (A)sum : 0)};
    if (__builtin_expect(centred && own.squares - own.squares != 0, 0))
        own = FN(moments_beyond)(x, n, halves);
    if (m->n == 0) {
        *m = own;
        return;
    }
    const A apart = own.mean - m->mean, share = (A)n / (A)(m->n + n);
    m->squares += own.squares + (centred ? apart * apart * (A)m->n * share : 0);
    if (centred) /* an infinite average stays, whatever joins it */
        m->mean = __builtin_expect(apart - apart == 0, 1) ? m->mean + apart * share : m->mean + own.mean;
    m->n += n;
}

/* Joins the n values at x, no more than a tile. */
KT_ALWAYS void FN(moments_join)(FN(moments) *m, const void *x, int n, bool centred, FN(soon) soon, bool halves)
{
    FN(about) about = FN(about_guess)(x, n, centred, halves);
    FN(tile_about)(&about, x, n, soon, halves);
    FN(moments_settle)(m, about, x, n, centred, halves);
}

static void FN(moments_tile)(FN(moments) *m, const T *x, int n, bool centred)
{
    FN(moments_join)(m, x, n, centred, (FN(soon)){(const char *)x, 0}, false);
}

KT_ALWAYS void FN(moments_of)(FN(moments) *m, const void *x, int64_t n, bool centred, FN(soon) soon, bool halves)
{
    for (int64_t done = 0; done < n; done += TILE, soon.at += TILE * soon.width)
        FN(moments_join)(m, FN(values_from)(x, done, halves), n - done < TILE ? (int)(n - done) : TILE, centred, soon, halves);
}

/* ---- sums for a gradient ---- */

/* Of g = grad * w (w may be NULL: 1) and h = (x - mean) * rstd: the sums of g and of g * h; and grad * h and grad added to to_w
 * and to_b, unless those are NULL. */
typedef struct FN(ties) {
    A sum, product;
} FN(ties);

typedef struct FN(ties_lanes) {
    FN(lanes) sum, product;
} FN(ties_lanes);

#ifdef __aarch64__
/* Of two quarters, whose weights and sums are `apart`. All that is read is read before anything is written, so that the compiler
 * joins neighbours to one load. */
KT_ALWAYS void FN(ties_two)(FN(quarter) *sum, FN(quarter) *more_sum, FN(quarter) *product, FN(quarter) *more_product,
                            FN(quarters) from, FN(quarters) back, const T *w, T mean, T rstd, T *to_w, T *to_b, int apart,
                            bool weighed, bool gathers)
{
    const FN(quarter) g = back.a * (from.a - mean), f = back.b * (from.b - mean);
    if (weighed) {
        *sum = FN(fused)(back.a, QUARTER_AT(w), *sum), *product = FN(fused)(g, QUARTER_AT(w), *product);
        *more_sum = FN(fused)(back.b, QUARTER_AT(w + apart), *more_sum);
        *more_product = FN(fused)(f, QUARTER_AT(w + apart), *more_product);
    } else {
        *sum += back.a, *product += g;
        *more_sum += back.b, *more_product += f;
    }
    if (!gathers)
        return;
    const FN(quarter) by = rstd - (FN(quarter)){0};
    const FN(quarter) a = FN(fused)(g, by, QUARTER_AT(to_w)), b = FN(fused)(f, by, QUARTER_AT(to_w + apart));
    const FN(quarter) c = QUARTER_AT(to_b) + back.a, d = QUARTER_AT(to_b + apart) + back.b;
    QUARTER_AT(to_w) = a, QUARTER_AT(to_w + apart) = b;
    QUARTER_AT(to_b) = c, QUARTER_AT(to_b + apart) = d;
}

/* The whole groups of n; returns how many values that was. A vector of lanes for each sum: more would not fit into registers
 * beside what is loaded. Addresses move, since loads are joined if they differ by a constant. Memory is not asked for: beside the
 * processor's own prefetch that makes it slower. */
KT_ALWAYS int FN(ties_groups)(FN(ties_lanes) *t, const void *x, const void *grad, const T *w, T mean, T rstd, T *to_w, T *to_b,
                              int n, bool weighed, bool gathers, bool halves)
{
    const int   group = halves ? 2 * LANES : LANES, whole = n / group * group;
    const char *from = x, *back = grad, *const end = (const char *)FN(values_from)(x, whole, halves);
    FN(lanes)   s = {0}, p = {0};
#define TIES_TWO(k, l, values, number, apart)                                                                                   \
    FN(ties_two)(&s.k, &s.l, &p.k, &p.l, FN(values)(from, number), FN(values)(back, number), weighed ? w + (number) * QUARTER   \
                 : NULL, mean, rstd, gathers ? to_w + (number) * QUARTER : NULL, gathers ? to_b + (number) * QUARTER : NULL,    \
                 apart, weighed, gathers)
    for (; from < end; from += group * (halves ? 2 : (int)sizeof(T)), back += group * (halves ? 2 : (int)sizeof(T))) {
        if (halves) {
            TIES_TWO(a, a, quarters_at, 0, LANES);
            TIES_TWO(b, b, quarters_at, 1, LANES);
            TIES_TWO(c, c, quarters_at, 2, LANES);
            TIES_TWO(d, d, quarters_at, 3, LANES);
        } else {
            TIES_TWO(a, b, neighbours_at, 0, QUARTER);
            TIES_TWO(c, d, neighbours_at, 2, QUARTER);
        }
        if (weighed)
            w += group;
        if (gathers)
            to_w += group, to_b += group;
        __asm__ volatile("" ::: "memory");
    }
#undef TIES_TWO
    t->sum = s, t->product = p;
    return whole;
}
#else
KT_ALWAYS int FN(ties_groups)(FN(ties_lanes) *t, const void *x, const void *grad, const T *w, T mean, T rstd, T *to_w, T *to_b,
                              int n, FN(soon) soon, FN(soon) more, bool weighed, bool gathers, bool halves)
{
    FN(lanes) s = {0}, p = {0}, u = {0}, q = {0};
    int       i = 0;
    for (; i + 2 * LANES <= n; i += 2 * LANES) {
        FN(ask_to_read)(soon, i), FN(ask_to_read)(more, i);
        const FN(pair)  from = FN(pair_at)(x, i, halves), back = FN(pair_at)(grad, i, halves);
        const FN(lanes) h = LESS(from.a, ALL(mean)), k = LESS(from.b, ALL(mean));
        FN(lanes)       g = back.a, f = back.b;
        if (weighed)
            g = TIMES(g, LANES_AT(w + i)), f = TIMES(f, LANES_AT(w + i + LANES));
        s = PLUS(s, g), p = TIMES_PLUS(g, h, p), u = PLUS(u, f), q = TIMES_PLUS(f, k, q);
        if (gathers) {
            LANES_TO(to_w + i, TIMES_PLUS(TIMES(back.a, ALL(rstd)), h, LANES_AT(to_w + i)));
            LANES_TO(to_w + i + LANES, TIMES_PLUS(TIMES(back.b, ALL(rstd)), k, LANES_AT(to_w + i + LANES)));
            LANES_TO(to_b + i, PLUS(LANES_AT(to_b + i), back.a));
            LANES_TO(to_b + i + LANES, PLUS(LANES_AT(to_b + i + LANES), back.b));
        }
    }
    t->sum = PLUS(s, u), t->product = PLUS(p, q);
    return i;
}
#endif

KT_ALWAYS void FN(ties_here)(FN(ties) *ties, const void *x, const void *grad, const T *w, T mean, T rstd, T *to_w, T *to_b, int n,
                             FN(soon) soon, FN(soon) more, bool weighed, bool gathers, bool halves)
{
    FN(ties_lanes) t;
#ifdef __aarch64__
    (void)soon, (void)more;
    int i = FN(ties_groups)(&t, x, grad, w, mean, rstd, to_w, to_b, n, weighed, gathers, halves);
#else
    int i = FN(ties_groups)(&t, x, grad, w, mean, rstd, to_w, to_b, n, soon, more, weighed, gathers, halves);
#endif
    if (i < n) {
        OPENED(lane, t.sum);
        OPENED(product, t.product);
        for (int j = 0; i < n; i++, j = (j + 1) % LANES) {
            const T h = FN(value_at)(x, i, halves) - mean, a = FN(value_at)(grad, i, halves), g = weighed ? a * w[i] : a;
            lane[j] += g, product[j] = NUMBER_TIMES_PLUS(g, h, product[j]);
            if (gathers)
                to_w[i] = NUMBER_TIMES_PLUS(a * rstd, h, to_w[i]), to_b[i] += a;
        }
        CLOSED(t.sum, lane), CLOSED(t.product, product);
    }
    ties->sum += (A)FN(across)(&t.sum), ties->product += (A)FN(across)(&t.product) * (A)rstd;
}

KT_ALWAYS void FN(ties_of)(FN(ties) *t, const void *x, const void *grad, const T *w, T mean, T rstd, T *to_w, T *to_b, int64_t n,
                           FN(soon) soon, FN(soon) more, bool halves)
{
    for (int64_t i = 0; i < n; i += TILE, soon.at += TILE * soon.width, more.at += TILE * more.width) {
        const int   here = n - i < TILE ? (int)(n - i) : TILE;
        const void *a = FN(values_from)(x, i, halves), *g = FN(values_from)(grad, i, halves);
        if (w && to_w)
            FN(ties_here)(t, a, g, w + i, mean, rstd, to_w + i, to_b + i, here, soon, more, true, true, halves);
        else if (w)
            FN(ties_here)(t, a, g, w + i, mean, rstd, NULL, NULL, here, soon, more, true, false, halves);
        else if (to_w)
            FN(ties_here)(t, a, g, NULL, mean, rstd, to_w + i, to_b + i, here, soon, more, false, true, halves);
        else
            FN(ties_here)(t, a, g, NULL, mean, rstd, NULL, NULL, here, soon, more, false, false, halves);
    }
}
