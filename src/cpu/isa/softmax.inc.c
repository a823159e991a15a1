/* softmax.inc.c - softmax, log_softmax, cross entropy and their gradients in compute type T. A template: the includer defines
 * T, ID and SELF, and includes the templates of tiles and reductions and exp_ID.
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

/* Finds top and total of a line; the shares of a short one stay. */
static SOFT_NOINLINE void FN(soft_find)(const FN(soft) *s, FN(soft_work) *w, char *const *at)
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
}

static void FN(soft_line)(const FN(soft) *s, FN(soft_work) *w, char *const *at)
{
    const int64_t length = s->length;
    const bool    kept = length <= KEPT;
    FN(soft_find)(s, w, at);
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

/* ---- cross entropy: a line's log_softmax at one place, and what flows back ---- */

typedef struct FN(entropy) {
    FN(soft)       soft; /* log_softmax of the logits */
    const kt_plan *plan;
    FN(lens)       logits, out, dense; /* dense: elements of the logits' dtype, to round by */
} FN(entropy);

static char *FN(entropy_at)(const FN(entropy) *e, int operand, int64_t line)
{
    return e->plan->arg[operand].data + line * e->plan->stride[operand][0];
}

static int64_t FN(entropy_class)(const FN(entropy) *e, int operand, int64_t line)
{
    int64_t k;
    memcpy(&k, FN(entropy_at)(e, operand, line), sizeof k);
    return k;
}

static void FN(entropy_lines)(void *ctx, int64_t begin, int64_t end)
{
    enum { TAKEN, TOP, TOTAL, LOGITS, CLASS };
    const FN(entropy) *e = ctx;
    FN(soft_work)      w;
    for (int64_t line = begin; line < end; line++) {
        char         *at[3] = {NULL, FN(entropy_at)(e, LOGITS, line), NULL};
        const int64_t k = FN(entropy_class)(e, CLASS, line);
        T             taken = 0;
        FN(soft_find)(&e->soft, &w, at);
        if (k >= 0 && k < e->soft.length) {
            FN(load_tile)(&taken, &e->logits, at[1] + k * e->logits.step, 1);
            taken = taken - w.top[0] - w.total[0];
        }
        FN(store_tile)(FN(entropy_at)(e, TAKEN, line), &e->out, &taken, 1);
        memcpy(FN(entropy_at)(e, TOP, line), w.top, sizeof(T));
        memcpy(FN(entropy_at)(e, TOTAL, line), w.total, sizeof(T));
    }
}

static SOFT_NOINLINE void FN(less_both)(T *z, const T *x, T top, T total, int n)
{
    KT_EACH
    for (int i = 0; i < n; i++)
        z[i] = x[i] - top - total;
}

static SOFT_NOINLINE void FN(flow_back)(T *z, const T *y, T g, int n)
{
    KT_EACH
    for (int i = 0; i < n; i++)
        z[i] = 0 - FN(exp)(y[i]) * g;
}

/* The log_softmax is rounded to the logits' dtype, as if it had been stored. */
static void FN(entropy_back_lines)(void *ctx, int64_t begin, int64_t end)
{
    enum { OUT, LOGITS, CLASS, TOP, TOTAL, GRAD };
    const FN(entropy) *e = ctx;
    const int64_t      length = e->soft.length;
    T                  y[TILE], z[TILE], top, total, g;
    char               raw[RAW] __attribute__((aligned(16)));
    for (int64_t line = begin; line < end; line++) {
        const int64_t k = FN(entropy_class)(e, CLASS, line);
        memcpy(&top, FN(entropy_at)(e, TOP, line), sizeof top);
        memcpy(&total, FN(entropy_at)(e, TOTAL, line), sizeof total);
        FN(load_tile)(&g, &e->dense, FN(entropy_at)(e, GRAD, line), 1);
        for (int64_t done = 0; done < length; done += TILE) {
            const int n = length - done < TILE ? (int)(length - done) : TILE;
            const T  *x = FN(soft_tile)(&e->logits, z, FN(entropy_at)(e, LOGITS, line) + done * e->logits.step, n);
            FN(less_both)(y, x, top, total, n);
            if (!e->dense.direct) {
                FN(store_tile)(raw, &e->dense, y, n);
                FN(load_tile)(y, &e->dense, raw, n);
            }
            char *to = FN(entropy_at)(e, OUT, line) + done * e->out.step;
            T    *result = e->out.direct ? (T *)(void *)to : z;
            FN(flow_back)(result, y, g, n);
            if (k >= done && k < done + n)
                result[k - done] = g - FN(exp)(y[k - done]) * g;
            if (!e->out.direct)
                FN(store_tile)(to, &e->out, z, n);
        }
    }
}

static kt_status FN(cross_entropy)(const kt_plan *plan)
{
    const bool        back = plan->kernel == KT_K_cross_entropy_backward;
    const int         logits = back ? 1 : 3;
    const kt_operand *x = &plan->arg[logits];
    FN(entropy)       e = {.plan = plan, .soft = {.kernel = KT_K_log_softmax, .n_in = 1, .plan = plan, .length = plan->size[1]}};
    e.logits = e.soft.along[1] = FN(lens_of)(x, plan->stride[logits][1]);
    e.dense = FN(lens_of)(x, (ptrdiff_t)kt__dtype_rows[x->is].size);
    e.out = FN(lens_of)(&plan->arg[0], back ? plan->stride[0][1] : (ptrdiff_t)kt__dtype_rows[x->is].size);
    kt__parallel(plan->size[0], 1 + KT__GRAIN / plan->size[1], back ? FN(entropy_back_lines) : FN(entropy_lines), &e);
    return KT_OK;
}
static kt_status FN(softmax)(const kt_plan *plan)
{
    if (plan->kernel == KT_K_cross_entropy || plan->kernel == KT_K_cross_entropy_backward)
        return FN(cross_entropy)(plan);
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
