/* softmax.inc.c - softmax, log_softmax, cross entropy and their gradients in compute type T. A template: the includer defines
 * T, ID and SELF, and includes the templates of tiles.
 *
 * In: a plan whose last dim is the softmax dim, with one output and one or two inputs. Out: the output. Lines are brought into
 * the core's own cache once, as many as fill a tile, and all steps are made there. A line too long for that is read two or
 * three times, tile by tile: for the maximum, for the sum, for the results. Adjacent elements of different lines are processed
 * together, one tile per element. The order of sums depends on the sizes only.
 * Independent of: dtypes, operators. */
#include "base/alloc.h"
#include "base/error.h"
#include "base/thread.h"
#include "tables/kernels/softmax.h"
#include "cpu/isa/softmax_rows.inc.c"
#include "math/f64/logarithm.h"
#ifdef KT_FROM_HALVES
#include "cpu/isa/softmax_halves.inc.c"
#else
static void FN(halves_tops)(int kernel, FN(rows) *r)          { (void)kernel, (void)r; }
static void FN(halves_sums)(int kernel, FN(rows) *r)          { (void)kernel, (void)r; }
static void FN(halves_results)(int kernel, const FN(rows) *r) { (void)kernel, (void)r; }
#endif

enum { ABREAST = 256, ABREAST_LEAST = 64, SHORT_LINE = 32, IN_OWN_CACHE = 1 << 17, LINE_MOST = 1 << 16,
       HALVES_TOGETHER = 2 * TILE };
/* lines side by side, those that always go so; elements that stay near, and those of a line; bfloat16s that go together */

typedef struct FN(soft) {
    int            kernel, n_in;
    const kt_plan *plan;
    int64_t        length, columns, block; /* of a line; lines side by side, and how many go together */
    FN(lens)       along[3], aside[3];     /* the output, then the inputs: down a line, and across lines */
    bool           dense[3];               /* lines follow each other */
    bool           halves;                 /* bfloat16s, which are read and written where they are */
    bool           failed;
} FN(soft);

#define SOFT_NOINLINE __attribute__((noinline)) /* one call per tile costs little; inlining would multiply the code */

static bool FN(soft_forward)(const FN(soft) *s) { return s->kernel == KT_K_softmax || s->kernel == KT_K_log_softmax; }

/* A constant for other types than float32, which have no code for it. */
KT_ALWAYS bool FN(soft_halves)(const FN(soft) *s) { return SELF == KT_F32 && s->halves; }

/* ---- the steps ---- */

/* The largest values, and whether exponentials have a short form. */
static void FN(soft_tops)(const FN(soft) *s, FN(rows) *r)
{
    if (FN(soft_halves)(s)) {
        FN(halves_tops)(s->kernel, r);
    } else if (FN(soft_forward)(s)) {
        if (!BY_QUARTERS(r->n % QUARTERED == 0 && (quarters_tops(r), true)))
            FN(rows_top)(r);
        r->near = FN(exp_is_near)(r->low, 0);
    } else if (s->kernel == KT_K_log_softmax_backward) {
        r->near = FN(rows_are_near)(r);
    }
}

static void FN(soft_sums)(const FN(soft) *s, FN(rows) *r)
{
    if (FN(soft_halves)(s)) {
        FN(halves_sums)(s->kernel, r);
        return;
    }
    switch (s->kernel) {
    case KT_K_softmax:          FN(rows_sums)(r, FN(KEPT_EXPS)); return;
    case KT_K_log_softmax:      FN(rows_sums)(r, FN(EXPS)); return;
    case KT_K_softmax_backward: FN(rows_sums)(r, FN(PRODUCTS)); return;
    default:                    FN(rows_sums)(r, FN(VALUES));
    }
}

/* What the results are made with, of the sums of n lines. */
static void FN(soft_totals)(int kernel, T *total, const A *sum, int n)
{
    if (kernel == KT_K_softmax)
        for (int k = 0; k < n; k++)
            total[k] = (T)(1 / sum[k]);
    else if (kernel == KT_K_log_softmax)
        for (int k = 0; k < n; k++)
            total[k] = (T)log_f64(sum[k]);
    else
        for (int k = 0; k < n; k++)
            total[k] = (T)sum[k];
}

static void FN(soft_results)(const FN(soft) *s, const FN(rows) *r)
{
    if (FN(soft_halves)(s)) {
        FN(halves_results)(s->kernel, r);
        return;
    }
    if (BY_QUARTERS(quarters_results(r, quarters_result_of(s->kernel), false)))
        return;
    switch (s->kernel) {
    case KT_K_softmax:          FN(rows_scaled)(r); return;
    case KT_K_log_softmax:      FN(rows_less)(r); return;
    case KT_K_softmax_backward: FN(rows_turned)(r); return;
    default:                    FN(rows_less_exps)(r);
    }
}

/* ---- lines in the core's own cache ---- */

typedef struct FN(soft_room) { /* of one thread: as many elements as lines go together have */
    T     *x, *y, *e;
    void  *made;
    size_t granted;
} FN(soft_room);

/* Inputs and results that are not dense Ts go through a buffer; so do exponentials. */
static bool FN(soft_buffers)(const FN(soft) *s, FN(soft_room) *w)
{
    const bool   there = FN(soft_halves)(s);
    const bool   passed[] = {!there && !s->along[1].direct, !there && s->n_in > 1 && !s->along[2].direct,
                             s->kernel == KT_K_softmax || (!there && !s->along[0].direct)};
    const size_t line = (size_t)((s->block * s->length + ROW_LANES - 1) / ROW_LANES * ROW_LANES);
    T           *at[3];
    size_t       n = 0;
    for (int i = 0; i < 3; i++)
        n += passed[i];
    *w = (FN(soft_room)){0};
    if (n == 0)
        return true;
    if (!(w->made = kt__block_get(n * line * sizeof(T) + CACHE_LINE, &w->granted)))
        return false;
    T *next = (T *)(((uintptr_t)w->made + CACHE_LINE - 1) / CACHE_LINE * CACHE_LINE);
    for (int i = 0; i < 3; i++) {
        at[i] = passed[i] ? next : NULL;
        next += passed[i] ? line : 0;
    }
    w->x = at[0], w->y = at[1], w->e = at[2];
    return true;
}

/* The lines at `at` of input i as Ts: where they are, or in the room. */
static const T *FN(soft_lines)(const FN(soft) *s, int i, const char *at, int n, T *room, ptrdiff_t *stride)
{
    const FN(lens) *l = &s->along[i];
    *stride = room ? (ptrdiff_t)s->length : s->aside[i].step / (FN(soft_halves)(s) ? 2 : (ptrdiff_t)sizeof(T));
    if (!room)
        return (const T *)(const void *)at;
    if (s->dense[i])
        FN(load_line)(room, l, at, n * s->length);
    else
        for (int k = 0; k < n; k++)
            FN(load_line)(room + k * s->length, l, at + k * s->aside[i].step, s->length);
    return room;
}

/* Results that lie in the room. */
static void FN(soft_write)(const FN(soft) *s, const FN(soft_room) *w, char *to, int n)
{
    const FN(lens) *l = &s->along[0];
    if (s->dense[0])
        FN(store_line)(to, l, w->e, n * s->length);
    else
        for (int k = 0; k < n; k++)
            FN(store_line)(to + k * s->aside[0].step, l, w->e + k * s->length, s->length);
}

/* Elements of one width that follow each other are asked for before they are used. A line that all lines repeat is near. */
static void FN(soft_ask)(const FN(soft) *s, FN(rows) *r, char *const *at, int n)
{
    const ptrdiff_t width = s->along[1].step;
    for (int i = 0; i <= s->n_in; i++)
        if (!(s->dense[i] || s->aside[i].step == 0) || s->along[i].step != width)
            return;
    r->width = width;
    if (FN(soft_forward)(s)) { /* the exponentials take longer than the output needs to come */
        r->soon[0] = at[0];
        r->soon[1] = at[1] + n * s->aside[1].step;
        return;
    }
    for (int i = 0; i <= s->n_in; i++)
        r->soon[i] = at[i] + n * s->aside[i].step;
}

static void FN(soft_together)(const FN(soft) *s, FN(soft_room) *w, char *const *at, int n)
{
    FN(rows) r;
    r.n = s->length, r.count = n, r.near = r.later = false, r.width = 0;
    r.x = FN(soft_lines)(s, 1, at[1], n, w->x, &r.of_x);
    r.y = s->n_in > 1 ? FN(soft_lines)(s, 2, at[2], n, w->y, &r.of_y) : r.x;
    r.of_y = s->n_in > 1 ? r.of_y : r.of_x;
    r.e = w->e;
    const bool there = s->along[0].direct || FN(soft_halves)(s);
    r.z = there ? (T *)(void *)at[0] : w->e;
    r.of_z = there ? s->aside[0].step / (FN(soft_halves)(s) ? 2 : (ptrdiff_t)sizeof(T)) : (ptrdiff_t)s->length;
    r.soon[0] = r.soon[1] = r.soon[2] = (const char *)r.x;
    FN(soft_ask)(s, &r, at, n);
    for (int k = 0; k < n; k++)
        r.top[k] = 0;
    FN(soft_tops)(s, &r);
    FN(soft_sums)(s, &r);
    FN(soft_totals)(s->kernel, r.total, r.sum, n);
    FN(soft_results)(s, &r);
    if (!there)
        FN(soft_write)(s, w, at[0], n);
}

/* ---- a line that is longer, tile by tile ---- */

typedef struct FN(soft_tiles) {
    FN(rows)    r;    /* one line, of a tile */
    const char *next; /* a dense line that is read after this one and asked for meanwhile, or NULL */
    T           room[3][TILE];
} FN(soft_tiles);

static const T *FN(soft_tile)(const FN(lens) *l, T *room, const char *at, int n)
{
    if (l->direct)
        return (const T *)(const void *)at;
    FN(load_tile)(room, l, at, n);
    return room;
}

/* The inputs at `done` of a line as tiles. */
static void FN(soft_inputs)(const FN(soft) *s, FN(soft_tiles) *w, char *const *at, int64_t done)
{
    FN(rows) *r = &w->r;
    r->n = s->length - done < TILE ? s->length - done : TILE;
    r->x = r->y = FN(soft_tile)(&s->along[1], w->room[0], at[1] + done * s->along[1].step, (int)r->n);
    if (s->n_in > 1)
        r->y = FN(soft_tile)(&s->along[2], w->room[1], at[2] + done * s->along[2].step, (int)r->n);
    r->soon[0] = r->soon[1] = r->soon[2] = (const char *)r->x;
}

/* Finds top and total of a line. */
static SOFT_NOINLINE void FN(soft_find)(const FN(soft) *s, FN(soft_tiles) *w, char *const *at)
{
    FN(rows) *r = &w->r;
    T         top = FN(soft_forward)(s) ? -INFINITY : 0, low = 0;
    bool      near = true;
    A         sum = 0;
    r->count = 1, r->width = 0, r->later = true, r->of_x = r->of_y = r->of_z = 0, r->e = w->room[2], r->top[0] = 0;
    for (int64_t done = 0; s->kernel != KT_K_softmax_backward && done < s->length; done += TILE) {
        FN(soft_inputs)(s, w, at, done);
        FN(soft_tops)(s, r);
        near = near && r->near;
        if (FN(soft_forward)(s)) { /* r->low is less the tile's own top */
            const T least = r->top[0] + r->low;
            low = done == 0 || least < low ? least : low;
            top = r->top[0] > top ? r->top[0] : top;
        }
    }
    r->top[0] = top;
    r->near = FN(soft_forward)(s) ? FN(exp_is_near)(low - top - 1, 0) : near;
    for (int64_t done = 0; done < s->length; done += TILE) {
        FN(soft_inputs)(s, w, at, done);
        if (w->next)
            r->soon[1] = w->next + done * s->along[1].step, r->width = s->along[1].step;
        FN(soft_sums)(s, r);
        sum += r->sum[0];
    }
    FN(soft_totals)(s->kernel, r->total, &sum, 1);
}

static void FN(soft_line)(const FN(soft) *s, FN(soft_tiles) *w, char *const *at)
{
    FN(rows) *r = &w->r;
    FN(soft_find)(s, w, at);
    for (int64_t done = 0; done < s->length; done += TILE) {
        char *z = at[0] + done * s->along[0].step;
        FN(soft_inputs)(s, w, at, done);
        if (s->kernel == KT_K_softmax)
            FN(soft_sums)(s, r);
        r->z = s->along[0].direct ? (T *)(void *)z : w->room[2];
        FN(soft_results)(s, r);
        if (!s->along[0].direct)
            FN(store_tile)(z, &s->along[0], w->room[2], (int)r->n);
    }
}

/* ---- n lines side by side, an element of each at a time ---- */

typedef struct FN(soft_work) { /* top and total stand for each element of a tile */
    T top[ABREAST], total[ABREAST], room[3][ABREAST], shares[ABREAST];
    A sum[ABREAST];
} FN(soft_work);

static SOFT_NOINLINE void FN(exp_less)(T *z, const T *x, const T *less, int n)
{
    KT_EACH
    for (int i = 0; i < n; i++)
        z[i] = FN(exp_share)(x[i] - less[i]);
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

/* What an element of each line adds to its sum. */
static SOFT_NOINLINE const T *FN(abreast_shares)(const FN(soft) *s, FN(soft_work) *w, const T *x, const T *y, int n)
{
    if (s->kernel == KT_K_log_softmax_backward)
        return x;
    if (s->kernel == KT_K_softmax_backward)
        FN(soft_mul)(w->shares, x, y, n);
    else
        FN(exp_less)(w->shares, x, w->top, n);
    return w->shares;
}

static void FN(abreast_results)(const FN(soft) *s, FN(soft_work) *w, T *z, const T *x, const T *y, int n)
{
    switch (s->kernel) {
    case KT_K_softmax:
        FN(soft_mul)(z, FN(abreast_shares)(s, w, x, y, n), w->total, n);
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

/* Element k of each line, of all inputs; a single one stands in for the second. */
static SOFT_NOINLINE void FN(abreast_inputs)(const FN(soft) *s, FN(soft_work) *w, char *const *at, int64_t k, int n, const T **x)
{
    x[0] = x[1] = FN(soft_tile)(&s->aside[1], w->room[1], at[1] + k * s->along[1].step, n);
    if (s->n_in > 1)
        x[1] = FN(soft_tile)(&s->aside[2], w->room[2], at[2] + k * s->along[2].step, n);
}

static SOFT_NOINLINE void FN(abreast_output)(const FN(soft) *s, FN(soft_work) *w, char *const *at, int64_t k, int n)
{
    const FN(lens) *l = &s->aside[0];
    const T        *x[2];
    char           *z = at[0] + k * s->along[0].step;
    FN(abreast_inputs)(s, w, at, k, n, x);
    FN(abreast_results)(s, w, l->direct ? (T *)(void *)z : w->room[0], x[0], x[1], n);
    if (!l->direct)
        FN(store_tile)(z, l, w->room[0], n);
}

static SOFT_NOINLINE void FN(soft_abreast)(const FN(soft) *s, FN(soft_work) *w, char *const *at, int n)
{
    const T *x[2];
    for (int j = 0; j < n; j++)
        w->top[j] = FN(soft_forward)(s) ? -INFINITY : 0, w->sum[j] = 0;
    for (int64_t k = 0; FN(soft_forward)(s) && k < s->length; k++) {
        FN(abreast_inputs)(s, w, at, k, n, x);
        FN(soft_max)(w->top, w->top, x[0], n);
    }
    for (int64_t k = 0; k < s->length; k++) {
        FN(abreast_inputs)(s, w, at, k, n, x);
        const T *shares = FN(abreast_shares)(s, w, x[0], x[1], n);
        KT_EACH
        for (int j = 0; j < n; j++)
            w->sum[j] += (A)shares[j];
    }
    FN(soft_totals)(s->kernel, w->total, w->sum, n);
    for (int64_t k = 0; k < s->length; k++)
        FN(abreast_output)(s, w, at, k, n);
}

/* ---- all lines ---- */

static int64_t FN(lesser)(int64_t a, int64_t b) { return a < b ? a : b; }

/* Where a line is: the dims before the last count them. */
static void FN(soft_place)(const FN(soft) *s, int64_t line, char **at)
{
    const kt_plan *plan = s->plan;
    int64_t        row = line / s->columns;
    for (int i = 0; i <= s->n_in; i++)
        at[i] = plan->arg[i].data + line % s->columns * s->aside[i].step;
    for (int d = plan->nd - 3; d >= 0; d--) {
        for (int i = 0; i <= s->n_in; i++)
            at[i] += row % plan->size[d] * plan->stride[i][d];
        row /= plan->size[d];
    }
}

static void FN(part_abreast)(void *ctx, int64_t begin, int64_t end)
{
    const FN(soft) *s = ctx;
    FN(soft_work)   w;
    char           *at[3];
    for (int64_t n; begin < end; begin += n) {
        n = FN(lesser)(FN(lesser)(s->columns - begin % s->columns, end - begin), s->block);
        FN(soft_place)(s, begin, at);
        FN(soft_abreast)(s, &w, at, (int)n);
    }
}

static void FN(part_together)(void *ctx, int64_t begin, int64_t end)
{
    FN(soft)     *s = ctx;
    FN(soft_room) w;
    if (!FN(soft_buffers)(s, &w)) {
        __atomic_store_n(&s->failed, true, __ATOMIC_RELAXED);
        return;
    }
    while (begin < end) { /* lines side by side */
        const int64_t run = FN(lesser)(s->columns - begin % s->columns, end - begin);
        char         *first[3], *at[3];
        FN(soft_place)(s, begin, first);
        for (int64_t done = 0, n; done < run; done += n) {
            n = FN(lesser)(run - done, s->block);
            for (int i = 0; i <= s->n_in; i++)
                at[i] = first[i] + done * s->aside[i].step;
            FN(soft_together)(s, &w, at, (int)n);
        }
        begin += run;
    }
    kt__block_put(w.made, w.granted);
}

static void FN(part_by_tiles)(void *ctx, int64_t begin, int64_t end)
{
    const FN(soft) *s = ctx;
    FN(soft_tiles)  w;
    char           *at[3];
    w.next = NULL;
    for (; begin < end; begin++) {
        FN(soft_place)(s, begin, at);
        FN(soft_line)(s, &w, at);
    }
}

/* Which way lines go, and how many together: abreast where they are not dense or too short to pay for themselves, as many as a
 * core's own cache keeps; else as many as make a tile. */
static kt__range_fn *FN(soft_way)(FN(soft) *s)
{
    const ptrdiff_t along = s->along[s->n_in].step, aside = s->aside[s->n_in].step; /* the result's: a gradient may repeat */
    const bool      dense = aside == 0 || (aside < 0 ? -aside : aside) >= (along < 0 ? -along : along);
    if (s->columns > 1 && !(dense && s->length >= SHORT_LINE)) {
        const int64_t fit = IN_OWN_CACHE / s->length;
        s->block = fit < ABREAST_LEAST ? ABREAST_LEAST : FN(lesser)(fit, ABREAST);
        return FN(part_abreast);
    }
    if (s->length > LINE_MOST)
        return FN(part_by_tiles);
    s->halves = SELF == KT_F32;
    for (int i = 0; i <= s->n_in; i++) {
        const FN(lens) *l = &s->along[i];
        s->dense[i] = l->step == kt__dtype_rows[l->is].size && s->aside[i].step == s->length * l->step;
        s->halves = s->halves && l->is == KT_BF16 && l->step == 2 && !l->rounds && l->bits == 0;
    }
    const int64_t together = s->halves ? HALVES_TOGETHER : TILE;
    s->block = s->length < together ? FN(lesser)(together / s->length, ROWS_MOST) : 1;
    s->block = FN(lesser)(s->block, s->columns);
    return FN(part_together);
}

/* ---- cross entropy: a line's log_softmax at one place, and what flows back ---- */

typedef struct FN(entropy) {
    FN(soft)       soft; /* log_softmax of the logits */
    const kt_plan *plan;
    FN(lens)       logits, out, dense; /* dense: elements of the dtype that the logits are seen in, to round by */
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
    const ptrdiff_t    width = (ptrdiff_t)kt__dtype_rows[e->logits.is].size;
    FN(soft_tiles)     w;
    for (int64_t line = begin; line < end; line++) {
        char         *at[3] = {NULL, FN(entropy_at)(e, LOGITS, line), NULL};
        const int64_t k = FN(entropy_class)(e, CLASS, line);
        T             taken = 0;
        w.next = line + 1 < end && e->logits.step == width ? FN(entropy_at)(e, LOGITS, line + 1) : NULL;
        FN(soft_find)(&e->soft, &w, at);
        if (k >= 0 && k < e->soft.length) {
            FN(load_tile)(&taken, &e->logits, at[1] + k * e->logits.step, 1);
            taken = taken - w.r.top[0] - w.r.total[0];
        }
        FN(store_tile)(FN(entropy_at)(e, TAKEN, line), &e->out, &taken, 1);
        memcpy(FN(entropy_at)(e, TOP, line), w.r.top, sizeof(T));
        memcpy(FN(entropy_at)(e, TOTAL, line), w.r.total, sizeof(T));
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
        z[i] = 0 - FN(exp_share)(y[i]) * g;
}

/* The log_softmax is rounded to the dtype that the logits are seen in, as if it had been stored. */
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
            char     *to = FN(entropy_at)(e, OUT, line) + done * e->out.step;
            T        *result = e->out.direct ? (T *)(void *)to : z;
            int       made = 0; /* by a quicker form of the same bits */
            if (e->dense.direct && x != result)
                (void)BY_QUARTERS((made = quarters_flow(result, x, top, total, g, n)) != 0);
            FN(less_both)(y + made, x + made, top, total, n - made);
            if (!e->dense.direct) {
                FN(store_tile)(raw, &e->dense, y, n);
                FN(load_tile)(y, &e->dense, raw, n);
            }
            FN(flow_back)(result + made, y + made, g, n - made);
            if (k >= done && k < done + n)
                result[k - done] = g - FN(exp_share)(k - done < made ? x[k - done] - top - total : y[k - done]) * g;
            if (!e->out.direct)
                FN(store_tile)(to, &e->out, z, n);
        }
    }
}

static kt_status FN(cross_entropy)(const kt_plan *plan)
{
    const bool        back = plan->kernel == KT_K_cross_entropy_backward;
    const int         logits = back ? 1 : 3, loss = back ? 5 : 0;
    const kt_operand *x = &plan->arg[logits], *of_line = &plan->arg[loss];
    FN(entropy)       e = {.plan = plan, .soft = {.kernel = KT_K_log_softmax, .n_in = 1, .plan = plan, .length = plan->size[1]}};
    e.logits = e.soft.along[1] = FN(lens_of)(x, plan->stride[logits][1]);
    e.dense = FN(lens_of)(of_line, (ptrdiff_t)kt__dtype_rows[of_line->is].size);
    e.out = FN(lens_of)(&plan->arg[0], back ? plan->stride[0][1] : e.dense.step);
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
    kt__range_fn *part = FN(soft_way)(&s);
    const int64_t lines = plan->numel / s.length;
    const int64_t grain = KT__GRAIN / 4; /* an exponential weighs as much as four sums */
    if (plan->numel <= grain)
        part(&s, 0, lines);
    else
        kt__parallel(lines, 1 + grain / s.length, part, &s);
    return s.failed ? kt__fail_memory((size_t)(s.block * s.length) * 3 * sizeof(T)) : KT_OK;
}
#undef SOFT_NOINLINE
#undef ROWS_NOINLINE
#undef FLOWS_BACK
#undef BY_QUARTERS
