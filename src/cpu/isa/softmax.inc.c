/* softmax.inc.c - softmax, log_softmax and their gradients in compute type T. A template: the includer defines T, ID and SELF,
 * and includes the templates of tiles and reductions and exp_ID.
 *
 * In: a plan whose last dim is the softmax dim, with one output and one or two inputs. Out: the output. A line is read two or
 * three times, one tile in L1 at a time: for the maximum, for the sum, for the results. Adjacent lines are processed together,
 * one tile per element. Sums are accumulated in double, in an order that depends on the sizes only.
 * Independent of: dtypes, operators. */
#include "tables/kernels/softmax.h"

enum { KEPT = 4 * TILE, ABREAST = 256, ABREAST_LEAST = 64, SHORT_LINE = 32, IN_OWN_CACHE = 1 << 17 };
/* elements of a line whose shares stay in L1; lines side by side, those that always go so, elements that stay near */

typedef struct FN(soft) {
    int            kernel, n_in;
    const kt_plan *plan;
    int64_t        length, columns, block; /* of a line; lines side by side, and how many go together */
    FN(lens)       along[3], aside[3];     /* the output, then the inputs: down a line, and across lines */
} FN(soft);

typedef struct FN(soft_work) { /* of one line, or of lines abreast: top and total stand for each element of a tile */
    T top[TILE], total[TILE], room[3][TILE], shares[KEPT];
    A sum[ABREAST];
} FN(soft_work);

#define SOFT_NOINLINE __attribute__((noinline)) /* one call per tile costs little; inlining would multiply the code */

/* ---- tiles ---- */

static SOFT_NOINLINE void FN(exp_less)(T *z, const T *x, const T *less, int n)
{
    KT_EACH
    for (int i = 0; i < n; i++)
        z[i] = FN(exp)(x[i] - less[i]);
}

static SOFT_NOINLINE void FN(soft_mul)(T *z, const T *a, const T *b, int n)
{
    KT_EACH
    for (int i = 0; i < n; i++)
        z[i] = a[i] * b[i];
}

static SOFT_NOINLINE void FN(soft_sub)(T *z, const T *a, const T *b, int n)
{
    KT_EACH
    for (int i = 0; i < n; i++)
        z[i] = a[i] - b[i];
}

static SOFT_NOINLINE void FN(soft_max)(T *z, const T *a, const T *b, int n)
{
    KT_EACH
    for (int i = 0; i < n; i++)
        z[i] = FN(maximum)(a[i], b[i]);
}

/* What a tile adds to the sum; calculated into `shares`, unless it is there. */
static SOFT_NOINLINE const T *FN(soft_shares)(const FN(soft) *s, const FN(soft_work) *w, T *shares, const T *x, const T *y, int n)
{
    if (s->kernel == KT_K_log_softmax_backward)
        return x;
    if (s->kernel == KT_K_softmax_backward)
        FN(soft_mul)(shares, x, y, n);
    else
        FN(exp_less)(shares, x, w->top, n);
    return shares;
}

/* The results of a tile once top and total are known; `kept`: its shares, or NULL. */
static void FN(soft_results)(const FN(soft) *s, FN(soft_work) *w, T *z, const T *x, const T *y, int n, const T *kept)
{
    switch (s->kernel) {
    case KT_K_softmax:
        FN(soft_mul)(z, kept ? kept : FN(soft_shares)(s, w, w->shares, x, y, n), w->total, n);
        return;
    case KT_K_log_softmax:
        FN(soft_sub)(w->shares, x, w->top, n);
        FN(soft_sub)(z, w->shares, w->total, n);
        return;
    case KT_K_softmax_backward:
        FN(soft_sub)(w->shares, x, w->total, n);
        FN(soft_mul)(z, w->shares, y, n);
        return;
    default:
        FN(exp_less)(w->shares, y, w->top, n); /* which is 0 */
        FN(soft_mul)(w->shares, w->shares, w->total, n);
        FN(soft_sub)(z, x, w->shares, n);
    }
}

static T FN(soft_total)(int kernel, A sum)
{
    return (T)(kernel == KT_K_softmax ? 1 / sum : kernel == KT_K_log_softmax ? log(sum) : sum);
}

static bool FN(soft_forward)(const FN(soft) *s) { return s->kernel == KT_K_softmax || s->kernel == KT_K_log_softmax; }

static const T *FN(soft_tile)(const FN(lens) *l, T *room, const char *at, int n)
{
    if (l->direct)
        return (const T *)(const void *)at;
    FN(load_tile)(room, l, at, n);
    return room;
}

/* The inputs at `done` of a line, or of lines abreast, as tiles; a single one stands in for the second. */
static SOFT_NOINLINE void FN(soft_inputs)(const FN(soft) *s, FN(soft_work) *w, const FN(lens) *l, char *const *at, int64_t done,
                                      int n, const T **x)
{
    x[0] = x[1] = FN(soft_tile)(&l[1], w->room[1], at[1] + done * s->along[1].step, n);
    if (s->n_in > 1)
        x[1] = FN(soft_tile)(&l[2], w->room[2], at[2] + done * s->along[2].step, n);
}

static SOFT_NOINLINE void FN(soft_output)(const FN(soft) *s, FN(soft_work) *w, const FN(lens) *l, char *const *at, int64_t done,
                                      int n, const T *kept)
{
    const T *x[2];
    char    *z = at[0] + done * s->along[0].step;
    FN(soft_inputs)(s, w, l, at, done, n, x);
    FN(soft_results)(s, w, l[0].direct ? (T *)(void *)z : w->room[0], x[0], x[1], n, kept);
    if (!l[0].direct)
        FN(store_tile)(z, &l[0], w->room[0], n);
}

static SOFT_NOINLINE void FN(soft_spread)(T *tile, T value, int n)
{
    for (int i = 0; i < n; i++)
        tile[i] = value;
}

/* ---- one line ---- */

static SOFT_NOINLINE void FN(soft_line)(const FN(soft) *s, FN(soft_work) *w, char *const *at)
{
    const int64_t length = s->length;
    const int     wide = length < TILE ? (int)length : TILE;
    const T      *x[2];
    const bool    kept = length <= KEPT;
    T             top = FN(soft_forward)(s) ? -INFINITY : 0;
    A             sum = 0;
    for (int64_t done = 0; FN(soft_forward)(s) && done < length; done += TILE) {
        FN(piece) p = {.n = length - done < TILE ? (int)(length - done) : TILE};
        FN(soft_inputs)(s, w, s->along, at, done, p.n, x);
        p.x[0] = x[0];
        const T most = FN(dense_max)(&p, 0);
        top = NAN_OR(top, most < top ? top : most); /* a NaN takes the place and keeps it */
    }
    FN(soft_spread)(w->top, top, wide);
    for (int64_t done = 0; done < length; done += TILE) {
        FN(piece) p = {.n = length - done < TILE ? (int)(length - done) : TILE};
        FN(soft_inputs)(s, w, s->along, at, done, p.n, x);
        p.x[0] = FN(soft_shares)(s, w, w->shares + (kept ? done : 0), x[0], x[1], p.n);
        sum += FN(dense_sum)(&p, 0);
    }
    FN(soft_spread)(w->total, FN(soft_total)(s->kernel, sum), wide);
    for (int64_t done = 0; done < length; done += TILE)
        FN(soft_output)(s, w, s->along, at, done, length - done < TILE ? (int)(length - done) : TILE,
                        kept ? w->shares + done : NULL);
}

/* ---- n lines side by side, an element of each at a time ---- */

static SOFT_NOINLINE void FN(soft_abreast)(const FN(soft) *s, FN(soft_work) *w, char *const *at, int n)
{
    const T *x[2];
    FN(soft_spread)(w->top, FN(soft_forward)(s) ? -INFINITY : 0, n);
    for (int j = 0; j < n; j++)
        w->sum[j] = 0;
    for (int64_t k = 0; FN(soft_forward)(s) && k < s->length; k++) {
        FN(soft_inputs)(s, w, s->aside, at, k, n, x);
        FN(soft_max)(w->top, w->top, x[0], n);
    }
    for (int64_t k = 0; k < s->length; k++) {
        FN(soft_inputs)(s, w, s->aside, at, k, n, x);
        const T *shares = FN(soft_shares)(s, w, w->shares, x[0], x[1], n);
        KT_EACH
        for (int j = 0; j < n; j++)
            w->sum[j] += (A)shares[j];
    }
    for (int j = 0; j < n; j++)
        w->total[j] = FN(soft_total)(s->kernel, w->sum[j]);
    for (int64_t k = 0; k < s->length; k++)
        FN(soft_output)(s, w, s->aside, at, k, n, NULL);
}

/* ---- all lines ---- */

/* Lines [begin, end): the dims before the last count them, and the last of those lies beside. */
static void FN(soft_part)(void *ctx, int64_t begin, int64_t end)
{
    const FN(soft) *s = ctx;
    const kt_plan  *plan = s->plan;
    FN(soft_work)   w;
    while (begin < end) {
        char   *at[3];
        int64_t column = begin % s->columns, row = begin / s->columns, n = s->columns - column;
        n = n < end - begin ? n : end - begin;
        n = n < s->block ? n : s->block;
        for (int i = 0; i <= s->n_in; i++)
            at[i] = plan->arg[i].data + column * s->aside[i].step;
        for (int d = plan->nd - 3; d >= 0; d--) {
            for (int i = 0; i <= s->n_in; i++)
                at[i] += row % plan->size[d] * plan->stride[i][d];
            row /= plan->size[d];
        }
        if (s->block > 1)
            FN(soft_abreast)(s, &w, at, (int)n);
        else
            FN(soft_line)(s, &w, at);
        begin += n;
    }
}

/* How many lines go together: one where lines are dense and long enough to pay for themselves, else as many as a core's own
 * cache keeps. */
static int64_t FN(soft_together)(const FN(soft) *s)
{
    const ptrdiff_t along = s->along[1].step, aside = s->aside[1].step;
    const bool      dense = (aside < 0 ? -aside : aside) >= (along < 0 ? -along : along);
    if (s->columns == 1 || (dense && s->length > SHORT_LINE))
        return 1;
    const int64_t fit = IN_OWN_CACHE / s->length;
    return fit < ABREAST_LEAST ? ABREAST_LEAST : fit > ABREAST ? ABREAST : fit;
}

static kt_status FN(softmax)(const kt_plan *plan)
{
    const int last = plan->nd - 1;
    FN(soft)  s = {.plan = plan, .kernel = (int)plan->kernel, .n_in = plan->n_in == 1 ? 1 : 2, .length = plan->size[last]};
    s.columns = last ? plan->size[last - 1] : 1;
    for (int i = 0; i <= s.n_in; i++) {
        s.along[i] = FN(lens_of)(&plan->arg[i], plan->stride[i][last]);
        s.aside[i] = FN(lens_of)(&plan->arg[i], last ? plan->stride[i][last - 1] : 0);
    }
    s.block = FN(soft_together)(&s);
    const int64_t lines = plan->numel / s.length;
    if (plan->numel <= KT__GRAIN)
        FN(soft_part)(&s, 0, lines);
    else
        kt__parallel(lines, 1 + KT__GRAIN / s.length, FN(soft_part), &s);
    return KT_OK;
}
#undef SOFT_NOINLINE
