/* recurrent.inc.c - a recurrent layer over a whole sequence in compute type T: rnn, LSTM, GRU. A template: the includer defines
 * T, ID and SELF, and includes the templates of tiles and vectors.
 *
 * In: plans of the family recurrent (tables/kernels/recurrent.h). Out: the states of every step. The weights are packed once
 * for all steps into panels: the columns of all gates of a few units. A step is one pass over the panels: the state before it
 * times a panel, and then the gates' functions while the sums are in L1. Threads share out the rows, since rows need nothing of
 * each other: so a thread goes through all steps without waiting. If there are too few rows for that they share out the panels of
 * each step, so that each keeps its own in its cache.
 *
 * A sum runs over the state in order, by fma, and belongs to one panel whatever the number of threads: the bits depend on
 * neither threads nor instruction set. Independent of: dtypes, operators. */
#include "base/alloc.h"
#include "base/error.h"
#include "base/thread.h"
#include "cpu/write.h"
#include "tables/kernels/recurrent.h"

enum {
    LANES = FN(lanes),
    MOST_VECS = 4,            /* vectors of a panel: an LSTM's gates */
    ROWS_AT_ONCE = 64,        /* rows of a step whose sums stay in L1 */
    LEAST_ROWS = 8,           /* of a thread: fewer do not pay for reading all weights in every step */
    PANEL_AT_ONCE = 1 << 14,  /* bytes of a panel, for the same reason */
    ROWS_TOGETHER = 4         /* whose gates are made together */
};
#if KT_VEC_BYTES == 64 || defined(__aarch64__)
enum { ACCUMULATORS = 24 }; /* of 32 registers */
#else
enum { ACCUMULATORS = 12 };
#endif

/* ---- products with packed panels ---- */

typedef struct FN(panels) {
    T      *packed; /* [panel][depth][vecs * LANES] */
    int64_t depth, panels, units; /* units: of the whole */
    int     vecs, width;          /* width: units of a panel */
} FN(panels);

/* A panel is in L2 when its turn comes: while a tile is made, the lines that follow this part of the panel are asked for, one
 * for each k, from `ahead` on. */
KT_ALWAYS void FN(row_tile)(T *sums, const T *a, int64_t lda, const T *b, int64_t depth, uintptr_t ahead, bool first,
                            const int rows, const int vecs)
{
    FN(vec) sum[ACCUMULATORS];
    const ptrdiff_t line = vecs * LANES;
#pragma GCC unroll 24
    for (int i = 0; i < rows * vecs; i++)
        if (first)
            sum[i] = (FN(vec)){0};
        else
            memcpy(&sum[i], sums + i / vecs * line + i % vecs * LANES, sizeof sum[i]);
    for (int64_t k = 0; k < depth; k++) {
        FN(vec) row[MOST_VECS];
        __builtin_prefetch((const void *)(ahead + (uintptr_t)k * CACHE_LINE), 0, 3);
#pragma GCC unroll 4
        for (int j = 0; j < vecs; j++)
            memcpy(&row[j], b + k * line + j * LANES, sizeof row[j]);
#pragma GCC unroll 24
        for (int i = 0; i < rows; i++)
#pragma GCC unroll 4
            for (int j = 0; j < vecs; j++)
                sum[i * vecs + j] = FN(fma_vec)(a[i * lda + k], row[j], sum[i * vecs + j]);
    }
#pragma GCC unroll 24
    for (int i = 0; i < rows * vecs; i++)
        memcpy(sums + i / vecs * line + i % vecs * LANES, &sum[i], sizeof sum[i]);
}

/* As few tiles as the registers allow, of nearly the same height: a low one would wait for its own sums. */
KT_ALWAYS void FN(row_tiles)(T *sums, const T *a, int64_t lda, int64_t rows, const T *b, int64_t depth, bool first,
                             const int vecs)
{
    const ptrdiff_t line = vecs * LANES;
    const int       most = ACCUMULATORS / vecs;
    uintptr_t       ahead = (uintptr_t)(b + depth * line);
    for (int64_t tiles = (rows + most - 1) / most; tiles > 0; tiles--, ahead += (uintptr_t)depth * CACHE_LINE) {
        const int64_t height = (rows + tiles - 1) / tiles;
#define HEIGHT(n)                                                                                                             \
    case n:                                                                                                                   \
        if (n <= most)                                                                                                        \
            FN(row_tile)(sums, a, lda, b, depth, ahead, first, n <= most ? n : 1, vecs);                                      \
        break;
        switch (height) {
            HEIGHT(1) HEIGHT(2) HEIGHT(3) HEIGHT(4) HEIGHT(5) HEIGHT(6) HEIGHT(7) HEIGHT(8) HEIGHT(9) HEIGHT(10) HEIGHT(11)
            HEIGHT(12)
        }
#undef HEIGHT
        sums += height * line, a += height * lda, rows -= height;
    }
}

static KT_IN_REGISTERS void FN(multiply_2)(T *sums, const T *a, int64_t lda, int64_t rows, const T *b, int64_t depth, bool first)
{
    FN(row_tiles)(sums, a, lda, rows, b, depth, first, 2);
}
static KT_IN_REGISTERS void FN(multiply_3)(T *sums, const T *a, int64_t lda, int64_t rows, const T *b, int64_t depth, bool first)
{
    FN(row_tiles)(sums, a, lda, rows, b, depth, first, 3);
}
static KT_IN_REGISTERS void FN(multiply_4)(T *sums, const T *a, int64_t lda, int64_t rows, const T *b, int64_t depth, bool first)
{
    FN(row_tiles)(sums, a, lda, rows, b, depth, first, 4);
}

/* sums [rows][vecs * LANES] = a [rows][depth] times a panel. */
static void FN(multiply)(T *sums, const T *a, int64_t lda, int64_t rows, const FN(panels) *w, int64_t panel)
{
    const ptrdiff_t line = w->vecs * LANES;
    const T        *b = w->packed + panel * w->depth * line;
    if (w->depth == 0)
        memset(sums, 0, (size_t)(rows * line) * sizeof(T));
    const int64_t most = PANEL_AT_ONCE / (line * (int64_t)sizeof(T));
    for (int64_t k = 0; k < w->depth; k += most) {
        const int64_t depth = w->depth - k < most ? w->depth - k : most;
        if (w->vecs == 2)
            FN(multiply_2)(sums, a + k, lda, rows, b + k * line, depth, k == 0);
        else if (w->vecs == 3)
            FN(multiply_3)(sums, a + k, lda, rows, b + k * line, depth, k == 0);
        else
            FN(multiply_4)(sums, a + k, lda, rows, b + k * line, depth, k == 0);
    }
}

/* ---- packing ---- */

typedef struct FN(packing) {
    FN(panels) *to;
    const char *from;
    FN(lens)    lens;
    int64_t     item, line; /* bytes of an element; elements of a row of the matrix */
    bool        turned;     /* the matrix is [depth][units], not [gates][units][depth] */
} FN(packing);

static FN(panels) FN(panels_of)(int64_t units, int64_t depth, int gates)
{
    FN(panels) w = {.depth = depth, .units = units, .vecs = gates == 1 ? 2 : gates, .width = gates == 1 ? 2 * LANES : LANES};
    w.panels = (units + w.width - 1) / w.width;
    return w;
}

static int64_t FN(panels_room)(const FN(panels) *w) { return w->panels * w->depth * w->vecs * LANES; }

static int FN(width_at)(const FN(panels) *w, int64_t panel) /* units of this panel: the last may be narrower */
{
    const int64_t left = w->units - panel * w->width;
    return left < w->width ? (int)left : w->width;
}

/* n units of a gate, rows of the matrix from `from` on, become columns of a panel: some of each at a time, which stay in L1. */
static void FN(turn_units)(const FN(packing) *p, T *to, const char *from, int n)
{
    enum { SOME = 64 };
    const int64_t   depth = p->to->depth;
    const ptrdiff_t line = p->to->vecs * LANES;
    T               rows[2 * LANES][SOME];
    for (int64_t k = 0; k < depth; k += SOME) {
        const int m = depth - k < SOME ? (int)(depth - k) : SOME;
        for (int unit = 0; unit < n; unit++)
            FN(load_tile)(rows[unit], &p->lens, from + (unit * p->line + k) * p->item, m);
        for (int i = 0; i < m; i++)
            for (int unit = 0; unit < n; unit++)
                to[(k + i) * line + unit] = rows[unit][i];
    }
}

static void FN(pack_panels)(void *ctx, int64_t begin, int64_t end)
{
    const FN(packing) *p = ctx;
    const FN(panels)  *w = p->to;
    const ptrdiff_t    line = w->vecs * LANES;
    for (int64_t panel = begin; panel < end; panel++) {
        T        *to = w->packed + panel * w->depth * line;
        const int n = FN(width_at)(w, panel);
        if (n < w->width)
            memset(to, 0, (size_t)(w->depth * line) * sizeof(T));
        for (int64_t k = 0; p->turned && k < w->depth; k++)
            FN(load_tile)(to + k * line, &p->lens, p->from + (k * p->line + panel * w->width) * p->item, n);
        for (int64_t gate = 0; !p->turned && gate < line / w->width; gate++)
            FN(turn_units)(p, to + gate * w->width, p->from + (gate * w->units + panel * w->width) * p->line * p->item, n);
    }
}

/* ---- operands ---- */

typedef struct FN(rows) { /* of a dense matrix: an operand */
    char    *data; /* NULL: there is none */
    FN(lens) lens;
    int64_t  line; /* bytes of a row */
    int      item; /* of an element */
} FN(rows);

/* A panel's units: nearly always one vector or two, for which no function is called. */
KT_ALWAYS void FN(copy_units)(void *to, const void *from, int n)
{
    if (n % LANES != 0) {
        memcpy(to, from, (size_t)n * sizeof(T));
        return;
    }
    memcpy(to, from, LANES * sizeof(T));
    for (int i = LANES; i < n; i += LANES)
        memcpy((T *)to + i, (const T *)from + i, LANES * sizeof(T));
}

KT_ALWAYS void FN(read)(T *to, const FN(rows) *x, int64_t row, int64_t column, int n)
{
    const char *at = x->data + row * x->line + column * x->item;
    if (!x->lens.direct)
        FN(load_tile)(to, &x->lens, at, n);
    else
        FN(copy_units)(to, at, n);
}

/* Asks for what will be read or written once a product is made: n units of each of `blocks`. Steps are far apart in memory: the
 * processor does not foresee them. */
KT_ALWAYS void FN(ask_for)(const FN(rows) *x, int64_t row, int64_t unit, int64_t by_block, int blocks, int n, bool writes)
{
    const char *at = x->data + row * x->line + unit * x->item;
    for (int i = 0; x->data && i < blocks; i++, at += by_block * x->item)
        for (int j = 0; j < n * x->item; j += 64) {
            if (writes)
                __builtin_prefetch(at + j, 1, 2);
            else
                __builtin_prefetch(at + j, 0, 2);
        }
}

/* What was written may be rounded: `from` becomes what stands there. */
KT_ALWAYS void FN(write)(const FN(rows) *x, int64_t row, int64_t column, T *from, int n)
{
    char *at = x->data + row * x->line + column * x->item;
    if (x->lens.direct) {
        FN(copy_units)(at, from, n);
        return;
    }
    FN(store_tile)(at, &x->lens, from, n);
    FN(load_tile)(from, &x->lens, at, n);
}

typedef struct FN(layer) {
    const kt_plan *plan;
    int            mode, gates;
    bool           reverse;
    int64_t        steps, batch, units, state;
    int64_t       *begin;  /* first row of each step, and the end */
    FN(rows)       x[KT__SEQ_OPERANDS];
    FN(panels)     w, projection;
    T             *h[2];   /* [batch][state]: before and after a step; back: [batch][gates * units] */
    int64_t        h_line, whole_line; /* Ts from one row of h, of whole, to the next */
    T             *c;      /* [batch][units]: cells; back: what flows to the state before a step besides the product */
    T             *bias;   /* [gates * units] */
    T             *whole;  /* [batch][units] the state before it is projected; back: [batch][state] what flows to it after */
    int64_t        first, last; /* rows of a step: this thread's, or all */
    bool           past;        /* the workspace is written past the caches: nothing reads it before the gradient */
    /* of the step that runs */
    int64_t t, rows, were; /* rows of it, and of the step that ran before: where they end */
    int     now;           /* h[now] is read, h[!now] written */
} FN(layer);

static FN(rows) FN(operand)(const kt_plan *plan, int slot)
{
    const int64_t has = plan->param[KT__SEQ_HAS].v.i;
    if (!(has >> slot & 1))
        return (FN(rows)){NULL, {0}, 0, 0};
    int at = 0;
    for (int i = 0; i < slot; i++)
        at += has >> i & 1;
    const kt_operand *x = &plan->arg[at];
    const int         item = kt__dtype_rows[x->is].size;
    return (FN(rows)){x->data, FN(lens_of)(x, item), 0, item};
}

static int64_t FN(rows_at)(const FN(layer) *l, int64_t t) { return l->begin[t + 1] - l->begin[t]; }

/* Where the rows of step t end that are made here. */
static int64_t FN(end_at)(const FN(layer) *l, int64_t t)
{
    const int64_t rows = FN(rows_at)(l, t), least = rows < l->last ? rows : l->last;
    return least > l->first ? least : l->first;
}

/* The row of the step before step t in the order of the layer's direction; -1: the sequence begins here. */
static int64_t FN(row_before)(const FN(layer) *l, int64_t t, int64_t row)
{
    const int64_t before = l->reverse ? t + 1 : t - 1;
    return before < 0 || before >= l->steps || row >= FN(rows_at)(l, before) ? -1 : l->begin[before] + row;
}

/* ---- functions of gates, lane by lane ---- */

KT_ALWAYS void FN(each_sigmoid)(T *x, const int n)
{
    KT_EACH
    for (int i = 0; i < n; i++)
        x[i] = FN(sigmoid)(x[i]);
}

KT_ALWAYS void FN(each_tanh)(T *x, const int n)
{
    KT_EACH
    for (int i = 0; i < n; i++)
        x[i] = FN(tanh)(x[i]);
}

KT_ALWAYS void FN(each_add)(T *x, const T *y, const int n)
{
    for (int i = 0; i < n; i++)
        x[i] += y[i];
}

/* ---- a few rows of a step, a panel's units: `rows` of them, whose sums follow each other. What is a long chain of operations is
 * made for all of them before the next: one row alone would wait for itself ---- */

static void FN(keep_state)(const FN(layer) *l, int64_t row, int64_t unit, T *h, int n)
{
    if (l->whole) {
        FN(copy_units)(l->whole + row * l->whole_line + unit, h, n);
        return;
    }
    FN(write)(&l->x[KT__SEQ_OUTPUT], l->begin[l->t] + row, unit, h, n);
    FN(copy_units)(l->h[!l->now] + row * l->h_line + unit, h, n);
}

/* x is aligned to lines. */
static void FN(keep_work)(const FN(layer) *l, int64_t row, int64_t unit, T *x, int n, int blocks)
{
    const FN(rows) *work = &l->x[KT__SEQ_WORK];
    if (!work->data)
        return;
    char *at = work->data + (l->begin[l->t] + row) * work->line + unit * work->item;
    for (int i = 0; i < blocks; i++, at += l->units * work->item)
        if (l->past && can_write_past(at, (size_t)n * sizeof(T)))
            write_past(at, (const char *)(x + i * LANES), (size_t)n * sizeof(T));
        else
            FN(write)(work, l->begin[l->t] + row, i * l->units + unit, x + i * LANES, n);
}

static void FN(read_gates)(const FN(layer) *l, int64_t row, int64_t unit, T *x, int n, int width)
{
    for (int i = 0; i < l->gates; i++)
        FN(read)(x + i * width, &l->x[KT__SEQ_GATES], l->begin[l->t] + row, i * l->units + unit, n);
}

static void FN(rnn_rows)(const FN(layer) *l, const T *sums, int64_t row, int rows, int64_t unit, int n)
{
    T x[ROWS_TOGETHER][2 * LANES];
    memset(x, 0, (size_t)rows * sizeof *x);
    for (int r = 0; r < rows; r++) {
        FN(read_gates)(l, row + r, unit, x[r], n, 2 * LANES);
        FN(each_add)(x[r], sums + r * 2 * LANES, 2 * LANES);
    }
    for (int r = 0; r < rows; r++)
        if (l->mode == KT__RNN_TANH)
            FN(each_tanh)(x[r], 2 * LANES);
        else
            for (int i = 0; i < 2 * LANES; i++)
                x[r][i] = x[r][i] < 0 ? 0 : x[r][i]; /* a NaN stays */
    for (int r = 0; r < rows; r++)
        FN(keep_state)(l, row + r, unit, x[r], n);
}

static void FN(lstm_rows)(const FN(layer) *l, const T *sums, int64_t row, int rows, int64_t unit, int n)
{
    T x[ROWS_TOGETHER][5 * LANES] __attribute__((aligned(CACHE_LINE))); /* i f g o c */
    T h[ROWS_TOGETHER][LANES];
    memset(x, 0, (size_t)rows * sizeof *x);
    for (int r = 0; r < rows; r++) {
        FN(read_gates)(l, row + r, unit, x[r], n, LANES);
        FN(copy_units)(x[r] + 4 * LANES, l->c + (row + r) * l->units + unit, n);
        FN(each_add)(x[r], sums + r * 4 * LANES, 4 * LANES);
    }
    for (int r = 0; r < rows; r++) {
        FN(each_sigmoid)(x[r], 2 * LANES);
        FN(each_sigmoid)(x[r] + 3 * LANES, LANES);
    }
    for (int r = 0; r < rows; r++)
        FN(each_tanh)(x[r] + 2 * LANES, LANES);
    for (int r = 0; r < rows; r++) {
        T *const c = x[r] + 4 * LANES;
        for (int i = 0; i < LANES; i++)
            h[r][i] = c[i] = FN(fma)(x[r][LANES + i], c[i], x[r][i] * x[r][2 * LANES + i]);
    }
    for (int r = 0; r < rows; r++)
        FN(each_tanh)(h[r], LANES);
    for (int r = 0; r < rows; r++) {
        for (int i = 0; i < LANES; i++)
            h[r][i] *= x[r][3 * LANES + i];
        FN(copy_units)(l->c + (row + r) * l->units + unit, x[r] + 4 * LANES, n);
        FN(keep_work)(l, row + r, unit, x[r], n, 5);
        FN(keep_state)(l, row + r, unit, h[r], n);
    }
}

static void FN(gru_rows)(const FN(layer) *l, const T *sums, int64_t row, int rows, int64_t unit, int n)
{
    T x[ROWS_TOGETHER][4 * LANES] __attribute__((aligned(CACHE_LINE))); /* r z n, and what the state gives to n */
    T h[ROWS_TOGETHER][LANES];
    memset(x, 0, (size_t)rows * sizeof *x);
    memset(h, 0, (size_t)rows * sizeof *h);
    for (int r = 0; r < rows; r++) {
        T from[3 * LANES] = {0};
        FN(read_gates)(l, row + r, unit, x[r], n, LANES);
        FN(copy_units)(h[r], l->h[l->now] + (row + r) * l->h_line + unit, n);
        for (int i = 0; i < 3; i++)
            FN(copy_units)(from + i * LANES, l->bias + i * l->units + unit, n);
        FN(each_add)(from, sums + r * 3 * LANES, 3 * LANES);
        FN(each_add)(x[r], from, 2 * LANES);
        memcpy(x[r] + 3 * LANES, from + 2 * LANES, LANES * sizeof(T));
    }
    for (int r = 0; r < rows; r++)
        FN(each_sigmoid)(x[r], 2 * LANES);
    for (int r = 0; r < rows; r++) {
        for (int i = 0; i < LANES; i++)
            x[r][2 * LANES + i] = FN(fma)(x[r][i], x[r][3 * LANES + i], x[r][2 * LANES + i]);
        FN(each_tanh)(x[r] + 2 * LANES, LANES);
    }
    for (int r = 0; r < rows; r++) {
        for (int i = 0; i < LANES; i++)
            h[r][i] = FN(fma)(h[r][i] - x[r][2 * LANES + i], x[r][LANES + i], x[r][2 * LANES + i]);
        FN(keep_work)(l, row + r, unit, x[r], n, 4);
        FN(keep_state)(l, row + r, unit, h[r], n);
    }
}

/* ---- a step ---- */

static int64_t FN(row_blocks)(const FN(layer) *l, int64_t end) { return (end - l->first + ROWS_AT_ONCE - 1) / ROWS_AT_ONCE; }

/* A part of a step: a block of rows of a panel. It is found once, since a division costs as much as some gates. */
typedef struct FN(part) {
    int64_t panel, first, unit; /* first: row; unit: the panel's first */
    int     n;                  /* units */
} FN(part);

static FN(part) FN(part_at)(const FN(layer) *l, const FN(panels) *w, int64_t blocks, int64_t i)
{
    const int64_t panel = i / blocks;
    return (FN(part)){panel, l->first + (i - panel * blocks) * ROWS_AT_ONCE, panel * w->width, FN(width_at)(w, panel)};
}

/* Asks for what the gates of row r of a part need. */
static void FN(ask_step)(const FN(layer) *l, const FN(part) *part, int64_t r)
{
    const int64_t row = part->first + r, at = l->begin[l->t] + row;
    if (r >= ROWS_AT_ONCE || row >= l->rows)
        return;
    FN(ask_for)(&l->x[KT__SEQ_GATES], at, part->unit, l->units, l->gates, part->n, false);
    if (!l->past)
        FN(ask_for)(&l->x[KT__SEQ_WORK], at, part->unit, l->units, kt__recurrence_kept(l->mode), part->n, true);
    if (!l->whole)
        FN(ask_for)(&l->x[KT__SEQ_OUTPUT], at, part->unit, 0, 1, part->n, true);
}

/* While the gates of a part are made, the memory of the next is asked for, row by row: all at once would wait. */
static void FN(step_panels)(void *ctx, int64_t begin, int64_t end)
{
    const FN(layer) *l = ctx;
    const int64_t    blocks = FN(row_blocks)(l, l->rows);
    T                sums[ROWS_AT_ONCE * MOST_VECS * LANES];
    FN(part)         part = FN(part_at)(l, &l->w, blocks, begin), next = part;
    for (int64_t r = 0; r < ROWS_AT_ONCE; r++)
        FN(ask_step)(l, &part, r);
    for (int64_t i = begin; i < end; i++, part = next) {
        const int64_t first = part.first, rows = l->rows - first < ROWS_AT_ONCE ? l->rows - first : ROWS_AT_ONCE;
        FN(multiply)(sums, l->h[l->now] + first * l->h_line, l->h_line, rows, &l->w, part.panel);
        if (i + 1 < end)
            next = FN(part_at)(l, &l->w, blocks, i + 1);
        for (int64_t r = 0; r < rows; r += ROWS_TOGETHER) {
            const T  *at = sums + r * l->w.vecs * LANES;
            const int few = rows - r < ROWS_TOGETHER ? (int)(rows - r) : ROWS_TOGETHER;
            for (int k = 0; i + 1 < end && k < few; k++)
                FN(ask_step)(l, &next, r + k);
            if (l->mode == KT__LSTM)
                FN(lstm_rows)(l, at, first + r, few, part.unit, part.n);
            else if (l->mode == KT__GRU)
                FN(gru_rows)(l, at, first + r, few, part.unit, part.n);
            else
                FN(rnn_rows)(l, at, first + r, few, part.unit, part.n);
        }
    }
    if (l->past)
        write_past_end();
}

/* The states of a step, projected. */
static void FN(project_panels)(void *ctx, int64_t begin, int64_t end)
{
    const FN(layer) *l = ctx;
    const int64_t    blocks = FN(row_blocks)(l, l->rows);
    T                sums[ROWS_AT_ONCE * MOST_VECS * LANES];
    for (int64_t i = begin; i < end; i++) {
        const FN(part) part = FN(part_at)(l, &l->projection, blocks, i);
        const int64_t  first = part.first, rows = l->rows - first < ROWS_AT_ONCE ? l->rows - first : ROWS_AT_ONCE;
        FN(multiply)(sums, l->whole + first * l->whole_line, l->whole_line, rows, &l->projection, part.panel);
        for (int64_t r = 0; r < rows; r++) {
            T *h = sums + r * l->projection.vecs * LANES;
            FN(write)(&l->x[KT__SEQ_OUTPUT], l->begin[l->t] + first + r, part.unit, h, part.n);
            memcpy(l->h[!l->now] + (first + r) * l->h_line + part.unit, h, (size_t)part.n * sizeof(T));
        }
    }
}

enum { LEAST_PART = 1 << 17 }; /* multiplications that are worth a thread */

/* All panels, of the rows up to `end`. */
static void FN(share)(const FN(panels) *w, int64_t end, kt__range_fn *fn, FN(layer) *l)
{
    const int64_t rows = end - l->first, block = rows < ROWS_AT_ONCE ? rows : ROWS_AT_ONCE,
                  work = block * (w->depth + 16) * w->vecs * LANES + 1;
    kt__parallel(w->panels * FN(row_blocks)(l, end), LEAST_PART / work + 1, fn, l);
}

/* Rows of n Ts, `line` apart, to an operand, or from it; in pieces, as tiles go. */
static void FN(put_rows)(const FN(rows) *x, const T *from, int64_t line, int64_t begin, int64_t end, int64_t n)
{
    T tile[TILE];
    for (int64_t r = begin; x->data && r < end; r++)
        for (int64_t j = 0; j < n; j += TILE) {
            const int m = n - j < TILE ? (int)(n - j) : TILE;
            memcpy(tile, from + r * line + j, (size_t)m * sizeof(T));
            FN(write)(x, r, j, tile, m);
        }
}

static void FN(get_rows)(T *to, int64_t line, const FN(rows) *x, int64_t rows, int64_t n)
{
    for (int64_t r = 0; !x->data && r < rows; r++)
        memset(to + r * line, 0, (size_t)n * sizeof(T));
    for (int64_t r = 0; x->data && r < rows; r++)
        for (int64_t j = 0; j < n; j += TILE)
            FN(read)(to + r * line + j, x, r, j, n - j < TILE ? (int)(n - j) : TILE);
}

/* The sequences that ended with the step before: rows [begin, end). */
static void FN(end_rows)(const FN(layer) *l, int64_t begin, int64_t end)
{
    FN(put_rows)(&l->x[KT__SEQ_HY], l->h[l->now], l->h_line, begin, end, l->state);
    if (l->c)
        FN(put_rows)(&l->x[KT__SEQ_CY], l->c, l->units, begin, end, l->units);
}

static void FN(begin_steps)(FN(layer) *l)
{
    for (int i = 0; i < 2; i++) /* sequences begin at different steps, in either */
        FN(get_rows)(l->h[i], l->h_line, &l->x[KT__SEQ_HX], l->batch, l->state);
    if (l->c)
        FN(get_rows)(l->c, l->units, &l->x[KT__SEQ_CX], l->batch, l->units);
    if (l->bias)
        FN(get_rows)(l->bias, 0, &l->x[KT__SEQ_BIAS], 1, l->gates * l->units);
}

static void FN(run_steps)(FN(layer) *l)
{
    l->were = l->reverse ? l->first : l->last;
    for (int64_t s = 0; s < l->steps; s++) {
        l->t = l->reverse ? l->steps - 1 - s : s;
        l->rows = FN(end_at)(l, l->t);
        FN(end_rows)(l, l->rows, l->were);
        FN(share)(&l->w, l->rows, FN(step_panels), l);
        if (l->whole)
            FN(share)(&l->projection, l->rows, FN(project_panels), l);
        l->were = l->rows;
        l->now = !l->now;
    }
    FN(end_rows)(l, l->first, l->were);
}

#include "cpu/isa/recurrent_back.inc.c"

/* ---- plans ---- */

static void FN(lay)(FN(layer) *l)
{
    static const int states[] = {KT__SEQ_OUTPUT,  KT__SEQ_HY, KT__SEQ_FROM_OUTPUT,
                                 KT__SEQ_FROM_HY, KT__SEQ_HX, KT__SEQ_OUTPUT_WAS},
                     cells[] = {KT__SEQ_CY, KT__SEQ_CX, KT__SEQ_FROM_CY},
                     works[] = {KT__SEQ_WORK, KT__SEQ_FROM_WORK, KT__SEQ_WORK_WAS},
                     gates[] = {KT__SEQ_GATES, KT__SEQ_GRAD_GATES, KT__SEQ_GRAD_HIDDEN, KT__SEQ_BIAS};
    for (int i = 0; i < KT__SEQ_OPERANDS; i++)
        l->x[i] = FN(operand)(l->plan, i);
    for (size_t i = 0; i < sizeof states / sizeof *states; i++)
        l->x[states[i]].line = l->state * l->x[states[i]].item;
    for (size_t i = 0; i < sizeof cells / sizeof *cells; i++)
        l->x[cells[i]].line = l->units * l->x[cells[i]].item;
    for (size_t i = 0; i < sizeof works / sizeof *works; i++)
        l->x[works[i]].line = kt__recurrence_kept(l->mode) * l->units * l->x[works[i]].item;
    for (size_t i = 0; i < sizeof gates / sizeof *gates; i++)
        l->x[gates[i]].line = l->gates * l->units * l->x[gates[i]].item;
    FN(rows) *hidden = &l->x[KT__SEQ_GRAD_HIDDEN], *state = &l->x[KT__SEQ_GRAD_STATE];
    if (l->mode == KT__LSTM)
        hidden->line = l->state * hidden->item;
    state->line = (l->state + (l->mode == KT__LSTM ? l->units : 0)) * state->item;
}

static void FN(count_rows)(FN(layer) *l)
{
    const int64_t *sizes = (const int64_t *)(const void *)l->x[KT__SEQ_SIZES].data;
    l->begin[0] = 0;
    for (int64_t t = 0; t < l->steps; t++)
        l->begin[t + 1] = l->begin[t] + (sizes ? sizes[t] : l->batch);
}

static void FN(pack)(FN(panels) *w, const FN(rows) *from, int64_t line, bool turned)
{
    FN(packing) p = {w, from->data, from->lens, from->item, line, turned};
    p.lens.direct = false;
    kt__parallel(w->panels, LEAST_PART / (w->depth * w->vecs * LANES + 1) + 1, FN(pack_panels), &p);
}

/* Memory for everything that a run needs besides its operands: sizes in Ts, each rounded up to whole cache lines. */
static int64_t FN(rounded)(int64_t n) { return (n + LANES - 1) / LANES * LANES; }

/* Will the last cache not keep what a forward pass reads and writes? Where a panel's units are less than a line it makes no
 * difference. */
static bool FN(exceeds_caches)(const FN(layer) *l)
{
    const int64_t   rows = l->begin[l->steps];
    const FN(rows) *work = &l->x[KT__SEQ_WORK];
    return LANES * sizeof(T) % CACHE_LINE == 0 && work->data && work->lens.direct &&
           kt__writing_by_bytes(rows * work->line, rows * (work->line + l->x[KT__SEQ_GATES].line +
                                                           l->x[KT__SEQ_OUTPUT].line)) == KT__WRITE_PAST;
}

/* Rows that a product reads side by side: if they were a multiple of 4 KiB apart, they would share a few places of L1. */
static int64_t FN(line_of)(int64_t n) { return FN(rounded)(n) + CACHE_LINE / (int64_t)sizeof(T); }

/* Rows [begin, end) through all steps. */
static void FN(run_rows)(void *ctx, int64_t begin, int64_t end)
{
    FN(layer) l = *(const FN(layer) *)ctx;
    l.first = begin, l.last = end;
    if (l.plan->kernel == KT_K_recurrence_backward)
        FN(run_back)(&l);
    else
        FN(run_steps)(&l);
}

/* Sequences of different lengths would not be shared out evenly. */
static void FN(share_rows)(FN(layer) *l)
{
    const int64_t threads = kt_get_num_threads();
    if (threads > 1 && l->batch >= threads * LEAST_ROWS && !l->x[KT__SEQ_SIZES].data && !kt__in_parallel())
        kt__parallel(l->batch, (l->batch + threads - 1) / threads, FN(run_rows), l);
    else
        FN(run_rows)(l, 0, l->batch);
}

static kt_status FN(recur)(const kt_plan *plan)
{
    const bool    back = plan->kernel == KT_K_recurrence_backward;
    const int64_t has = plan->param[KT__SEQ_HAS].v.i;
    const bool    projected = has >> KT__SEQ_PROJECTION & 1;
    FN(layer)     l = {.plan = plan, .mode = (int)plan->param[KT__SEQ_MODE].v.i, .reverse = plan->param[KT__SEQ_REVERSE].v.i != 0,
                       .steps = plan->param[KT__SEQ_STEPS].v.i, .batch = plan->param[KT__SEQ_BATCH].v.i,
                       .units = plan->param[KT__SEQ_UNITS].v.i, .state = plan->param[KT__SEQ_STATE].v.i};
    l.gates = kt__recurrence_gates(l.mode);
    l.w = back ? FN(panels_of)(l.state, l.gates * l.units, 1) : FN(panels_of)(l.units, l.state, l.gates);
    l.projection = !projected ? (FN(panels)){0} : back ? FN(panels_of)(l.units, l.state, 1) : FN(panels_of)(l.state, l.units, 1);
    FN(lay)(&l);
    l.h_line = FN(line_of)(back ? l.gates * l.units : l.state);
    l.whole_line = FN(line_of)(back ? l.state : l.units);
    const int64_t state = l.batch * l.h_line, cell = FN(rounded)(l.batch * l.units), bias = FN(rounded)(l.gates * l.units),
                  whole = projected ? l.batch * l.whole_line : 0, packed = FN(panels_room)(&l.w),
                  more = FN(panels_room)(&l.projection);
    const size_t  bytes = (size_t)(2 * state + cell + bias + whole + packed + more) * sizeof(T) +
                         (size_t)(l.steps + 1) * sizeof(int64_t);
    size_t granted;
    T     *room = kt__block_get(bytes, &granted);
    if (!room)
        return kt__fail_memory(bytes);
    l.h[0] = room, l.h[1] = l.h[0] + state;
    l.c = back || l.mode == KT__LSTM ? l.h[1] + state : NULL;
    l.bias = l.mode == KT__GRU ? l.h[1] + state + cell : NULL;
    l.whole = projected ? l.h[1] + state + cell + bias : NULL;
    l.w.packed = l.h[1] + state + cell + bias + whole;
    l.projection.packed = l.w.packed + packed;
    l.begin = (int64_t *)(void *)(l.projection.packed + more);
    FN(count_rows)(&l);
    l.past = FN(exceeds_caches)(&l);
    FN(pack)(&l.w, &l.x[KT__SEQ_WEIGHT], l.state, back);
    if (projected)
        FN(pack)(&l.projection, &l.x[KT__SEQ_PROJECTION], l.units, back);
    if (!back)
        FN(begin_steps)(&l);
    FN(share_rows)(&l);
    kt__block_put(room, granted);
    return KT_OK;
}
