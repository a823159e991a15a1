/* reduce.inc.c - reductions over any set of dims. A template: T is the compute type, A the wider type that
 * accumulates.
 *
 * In: a plan whose output has stride 0 in the reduced dims. Out: the output, cast once at the end. The order of the
 * additions is a function of the sizes alone: fixed blocks, each summed by lanes, then joined in pairs. So the
 * result is the same with any number of threads, and its error grows with the logarithm of the count. */
#include "base/alloc.h"
#include "base/error.h"

enum {
    LANES = 16,              /* independent sums of one row */
    BLOCKS = 256,            /* of one output, at most */
    COLUMNS = TILE           /* outputs that are summed side by side */
};

/* ---- the operation: sum. Others bring their own zero, step and join ---- */
#define STEP(sum, x) ((sum) + (x))
KT_ALWAYS A FN(zero)(void)         { return 0; }
KT_ALWAYS A FN(join)(A one, A two) { return one + two; }

/* ---- dense values: lane j takes every LANES-th value. Eight rows of lanes at once, or loading and storing the
 * lanes would cost more than the additions ---- */
static A FN(reduce_dense)(const T *x, int n)
{
    A lane[LANES];
    if (n < LANES) {
        A sum = FN(zero)();
        for (int j = 0; j < n; j++)
            sum = STEP(sum, (A)x[j]);
        return sum;
    }
    for (int j = 0; j < LANES; j++)
        lane[j] = FN(zero)();
    for (; n >= 8 * LANES; n -= 8 * LANES, x += 8 * LANES)
        for (int j = 0; j < LANES; j++) {
            const A low = STEP(STEP(STEP((A)x[j], (A)x[j + LANES]), (A)x[j + 2 * LANES]), (A)x[j + 3 * LANES]);
            const A high =
                STEP(STEP(STEP((A)x[j + 4 * LANES], (A)x[j + 5 * LANES]), (A)x[j + 6 * LANES]), (A)x[j + 7 * LANES]);
            lane[j] = FN(join)(lane[j], FN(join)(low, high));
        }
    for (; n >= LANES; n -= LANES, x += LANES)
        for (int j = 0; j < LANES; j++)
            lane[j] = STEP(lane[j], (A)x[j]);
    for (int j = 0; j < n; j++)
        lane[j] = STEP(lane[j], (A)x[j]);
    for (int half = LANES / 2; half > 0; half /= 2)
        for (int j = 0; j < half; j++)
            lane[j] = FN(join)(lane[j], lane[j + half]);
    return lane[0];
}

/* Partial results join in pairs of equal age, like the digits of a binary counter. */
typedef struct FN(pairs) {
    uint64_t count;
    A        level[64];
} FN(pairs);

static void FN(pairs_add)(FN(pairs) *p, A x)
{
    int k = 0;
    for (uint64_t c = p->count++; (c & 1) != 0; c >>= 1)
        x = FN(join)(p->level[k++], x);
    p->level[k] = x;
}

static A FN(pairs_end)(const FN(pairs) *p)
{
    A   x = FN(zero)();
    int k = 0;
    for (uint64_t c = p->count; c != 0; c >>= 1, k++)
        if ((c & 1) != 0)
            x = FN(join)(p->level[k], x);
    return x;
}

/* ---- a plan split in two: the dims that stay and the dims that go ---- */
typedef struct FN(reduction) {
    kt_plan  kept, gone; /* operands: 0 the output, 1 the input (kept); 0 the input (gone) */
    kt__rows rows;       /* of gone */
    FN(lens) from, to;
    int64_t  block;      /* elements of gone in one block */
    int64_t  blocks;
    char    *source;     /* one output's first input element, while its blocks are in work */
    A        few[BLOCKS]; /* its blocks */
    A       *partial;    /* rows of columns, where the rows are split */
    bool     failed;
} FN(reduction);

static void FN(split_plan)(FN(reduction) *r, const kt_plan *plan)
{
    kt_plan *kept = &r->kept, *gone = &r->gone;
    kept->n_out = 1, kept->n_in = 1, kept->nd = 0, kept->numel = 1;
    gone->n_out = 0, gone->n_in = 1, gone->nd = 0, gone->numel = 1;
    kept->arg[0] = plan->arg[0], kept->arg[1] = gone->arg[0] = plan->arg[1];
    for (int d = 0; d < plan->nd; d++) {
        const bool goes = plan->stride[0][d] == 0;
        kt_plan   *to = goes ? gone : kept;
        const int  k = to->nd++;
        to->size[k] = plan->size[d];
        to->numel *= plan->size[d];
        to->stride[0][k] = plan->stride[goes ? 1 : 0][d];
        to->stride[1][k] = plan->stride[1][d];
    }
}

/* ---- many values, one output ---- */
typedef struct FN(row_sum) {
    const FN(lens) *from;
    FN(pairs)       pairs;
} FN(row_sum);

static void FN(reduce_row)(void *ctx, char *const *at, int64_t n, int64_t index)
{
    (void)index;
    FN(row_sum) *s = ctx;
    T            tile[TILE];
    for (int64_t done = 0; done < n; done += TILE) {
        const int   m = n - done < TILE ? (int)(n - done) : TILE;
        const char *x = at[0] + done * s->from->step;
        if (!s->from->direct)
            FN(load_tile)(tile, s->from, x, m);
        FN(pairs_add)(&s->pairs, FN(reduce_dense)(s->from->direct ? (const T *)(const void *)x : tile, m));
    }
}

static A FN(reduce_block)(const FN(reduction) *r, char *source, int64_t b)
{
    FN(row_sum)   sum;
    const int64_t begin = b * r->block, end = begin + r->block < r->gone.numel ? begin + r->block : r->gone.numel;
    sum.from = &r->from, sum.pairs.count = 0;
    if (r->gone.nd <= 1) {
        char *at[1] = {source + begin * r->from.step};
        FN(reduce_row)(&sum, at, end - begin, begin);
    } else {
        kt__rows rows = r->rows;
        rows.base[0] = source;
        kt__rows_walk(&rows, begin, end, FN(reduce_row), &sum);
    }
    return FN(pairs_end)(&sum.pairs);
}

static void FN(reduce_blocks)(void *ctx, int64_t begin, int64_t end)
{
    FN(reduction) *r = ctx;
    for (int64_t b = begin; b < end; b++)
        r->few[b] = FN(reduce_block)(r, r->source, b);
}

static A FN(join_blocks)(const A *partial, int64_t n)
{
    FN(pairs) pairs;
    pairs.count = 0;
    for (int64_t b = 0; b < n; b++)
        FN(pairs_add)(&pairs, partial[b]);
    return FN(pairs_end)(&pairs);
}

static void FN(finish)(const FN(reduction) *r, char *to, A value)
{
    T t = (T)value;
    if (r->to.is == SELF && !r->to.rounds)
        *(T *)(void *)to = t;
    else
        FN(store_tile)(to, &r->to, &t, 1);
}

/* The address of one output and of its first input element. */
static void FN(locate)(const FN(reduction) *r, int64_t index, char **to, char **from)
{
    *to = r->kept.arg[0].data, *from = r->kept.arg[1].data;
    for (int d = r->kept.nd - 1; d >= 0; d--) {
        const int64_t i = index % r->kept.size[d];
        index /= r->kept.size[d];
        *to += i * r->kept.stride[0][d], *from += i * r->kept.stride[1][d];
    }
}

/* From one output to the next, in order. */
static void FN(next_output)(const FN(reduction) *r, int64_t *index, char **to, char **from)
{
    for (int d = r->kept.nd - 1; d >= 0; d--) {
        const int64_t back = ++index[d] == r->kept.size[d] ? index[d] : 0;
        *to += (1 - back) * r->kept.stride[0][d], *from += (1 - back) * r->kept.stride[1][d];
        if (back == 0)
            return;
        index[d] = 0;
    }
}

static void FN(reduce_outputs)(void *ctx, int64_t begin, int64_t end)
{
    FN(reduction) *r = ctx;
    const bool     short_row = r->gone.nd <= 1 && r->gone.numel <= TILE;
    int64_t        index[KT_MAX_DIMS], rest = begin;
    char          *to, *from;
    FN(locate)(r, begin, &to, &from);
    for (int d = r->kept.nd - 1; d >= 0; d--) {
        index[d] = rest % r->kept.size[d];
        rest /= r->kept.size[d];
    }
    for (int64_t i = begin; i < end; i++, FN(next_output)(r, index, &to, &from)) {
        if (short_row) {
            T         tile[TILE];
            const int n = (int)r->gone.numel;
            if (!r->from.direct)
                FN(load_tile)(tile, &r->from, from, n);
            FN(finish)(r, to, FN(reduce_dense)(r->from.direct ? (const T *)(const void *)from : tile, n));
            continue;
        }
        A partial[BLOCKS];
        for (int64_t b = 0; b < r->blocks; b++)
            partial[b] = FN(reduce_block)(r, from, b);
        FN(finish)(r, to, FN(join_blocks)(partial, r->blocks));
    }
}

static kt_status FN(reduce_rows)(FN(reduction) *r)
{
    const int64_t n = r->gone.numel, least = 4 * TILE;
    r->block = (n + BLOCKS - 1) / BLOCKS;
    r->block = r->block < least ? least : (r->block + TILE - 1) / TILE * TILE;
    r->blocks = n == 0 ? 0 : (n + r->block - 1) / r->block;
    if (r->gone.nd > 1)
        kt__rows_of(&r->rows, &r->gone);
    r->from = FN(lens_of)(&r->kept.arg[1], r->gone.nd == 0   ? 0
                                           : r->gone.nd == 1 ? r->gone.stride[0][0]
                                                             : r->rows.step[0]);
    if (r->kept.numel >= 8 || n <= KT__GRAIN) {
        kt__parallel(r->kept.numel, n >= KT__GRAIN ? 1 : KT__GRAIN / (n + 1) + 1, FN(reduce_outputs), r);
        return KT_OK;
    }
    for (int64_t i = 0; i < r->kept.numel; i++) {
        char *to;
        FN(locate)(r, i, &to, &r->source);
        kt__parallel(r->blocks, KT__GRAIN / r->block + 1, FN(reduce_blocks), r);
        FN(finish)(r, to, FN(join_blocks)(r->few, r->blocks));
    }
    return KT_OK;
}

/* ---- many outputs side by side: rows of the input are added to a row of sums ---- */
enum { ROWS_AT_ONCE = 4, ROWS_A_LEVEL = 256 };

typedef struct FN(column_sums) {
    A sum[2][COLUMNS]; /* the last rows, and all before: two levels keep the error small */
    T tile[ROWS_AT_ONCE][TILE];
} FN(column_sums);

static void FN(add_rows)(A *sum, const T *const *x, int rows, int n)
{
    const T *x0 = x[0], *x1 = x[1], *x2 = x[2], *x3 = x[3];
    if (rows == ROWS_AT_ONCE) {
        KT_EACH
        for (int j = 0; j < n; j++)
            sum[j] = STEP(STEP(STEP(STEP(sum[j], (A)x0[j]), (A)x1[j]), (A)x2[j]), (A)x3[j]);
        return;
    }
    for (int r = 0; r < rows; r++)
        for (int j = 0; j < n; j++)
            sum[j] = STEP(sum[j], (A)x[r][j]);
}

static void FN(join_row)(A *sum, A *other, int n)
{
    KT_EACH
    for (int j = 0; j < n; j++) {
        sum[j] = FN(join)(sum[j], other[j]);
        other[j] = FN(zero)();
    }
}

/* Rows [begin, end) of gone, for n columns from `source`. */
static void FN(reduce_columns)(const FN(reduction) * r, FN(column_sums) * s, char *source, int64_t begin, int64_t end,
                               int n)
{
    const kt_plan *gone = &r->gone;
    int64_t        index[KT_MAX_DIMS], rest = begin;
    const T       *x[ROWS_AT_ONCE] = {s->tile[0], s->tile[0], s->tile[0], s->tile[0]};
    int            rows = 0;
    for (int d = gone->nd - 1; d >= 0; d--) {
        index[d] = rest % gone->size[d];
        rest /= gone->size[d];
        source += index[d] * gone->stride[0][d];
    }
    for (int j = 0; j < n; j++)
        s->sum[0][j] = s->sum[1][j] = FN(zero)();
    for (int64_t i = begin; i < end; i++) {
        x[rows] = r->from.direct ? (const T *)(const void *)source : s->tile[rows];
        if (!r->from.direct)
            FN(load_tile)(s->tile[rows], &r->from, source, n);
        if (++rows == ROWS_AT_ONCE || i + 1 == end) {
            FN(add_rows)(s->sum[0], x, rows, n);
            rows = 0;
        }
        if ((i - begin) % ROWS_A_LEVEL == ROWS_A_LEVEL - 1)
            FN(join_row)(s->sum[1], s->sum[0], n);
        for (int d = gone->nd - 1; d >= 0; d--) {
            const bool carry = ++index[d] == gone->size[d];
            source += carry ? -(gone->size[d] - 1) * gone->stride[0][d] : gone->stride[0][d];
            if (!carry)
                break;
            index[d] = 0;
        }
    }
    FN(join_row)(s->sum[1], s->sum[0], n);
}

/* A unit of work is one block of rows of one group of columns of one outer index. */
static void FN(column_units)(void *ctx, int64_t begin, int64_t end)
{
    FN(reduction)   *r = ctx;
    size_t           granted;
    FN(column_sums) *s = kt__block_get(sizeof *s, &granted);
    if (s == NULL) {
        __atomic_store_n(&r->failed, true, __ATOMIC_RELAXED);
        return;
    }
    const int     last = r->kept.nd - 1;
    const int64_t width = r->kept.size[last], groups = (width + COLUMNS - 1) / COLUMNS;
    for (int64_t u = begin; u < end; u++) {
        const int64_t group = u / r->blocks, b = u % r->blocks, first = group % groups * COLUMNS;
        const int     n = width - first < COLUMNS ? (int)(width - first) : COLUMNS;
        char         *to, *from;
        FN(locate)(r, group / groups * width + first, &to, &from);
        const int64_t row = b * r->block, stop = row + r->block < r->gone.numel ? row + r->block : r->gone.numel;
        FN(reduce_columns)(r, s, from, row, stop, n);
        if (r->blocks > 1) {
            memcpy(r->partial + u * COLUMNS, s->sum[1], (size_t)n * sizeof(A));
            continue;
        }
        for (int j = 0; j < n; j++)
            s->tile[0][j] = (T)s->sum[1][j];
        FN(store_tile)(to, &r->to, s->tile[0], n);
    }
    kt__block_put(s, sizeof *s);
}

static kt_status FN(reduce_side_by_side)(FN(reduction) *r)
{
    const int     last = r->kept.nd - 1;
    const int64_t width = r->kept.size[last], groups = (width + COLUMNS - 1) / COLUMNS * (r->kept.numel / width);
    const int64_t rows = r->gone.numel, share = rows / 8;
    r->from = FN(lens_of)(&r->kept.arg[1], r->kept.stride[1][last]);
    r->to.step = r->kept.stride[0][last];
    r->blocks =
        groups < 8 && rows * width > 4 * KT__GRAIN && share > 0 ? 8 : 1; /* few groups: split the rows as well */
    r->block = r->blocks == 1 ? rows : (rows + r->blocks - 1) / r->blocks;
    const size_t bytes = r->blocks == 1 ? 0 : (size_t)(groups * r->blocks) * COLUMNS * sizeof(A);
    size_t granted;
    r->partial = bytes == 0 ? NULL : kt__block_get(bytes, &granted);
    if (bytes != 0 && r->partial == NULL)
        return kt__fail_memory(bytes);
    const int64_t per_unit = r->block * (width < COLUMNS ? width : COLUMNS);
    kt__parallel(groups * r->blocks, per_unit >= KT__GRAIN ? 1 : KT__GRAIN / per_unit + 1, FN(column_units), r);
    for (int64_t g = 0; g < groups && r->blocks > 1 && !r->failed; g++) {
        const int64_t per_row = groups / (r->kept.numel / width), first = g % per_row * COLUMNS;
        const int     n = width - first < COLUMNS ? (int)(width - first) : COLUMNS;
        A            *sums = r->partial + g * r->blocks * COLUMNS;
        T             tile[TILE];
        char         *to, *from;
        for (int half = (int)r->blocks / 2; half > 0; half /= 2)
            for (int b = 0; b < half; b++)
                FN(join_row)(sums + b * COLUMNS, sums + (b + half) * COLUMNS, n);
        for (int j = 0; j < n; j++)
            tile[j] = (T)sums[j];
        FN(locate)(r, g / per_row * width + first, &to, &from);
        FN(store_tile)(to, &r->to, tile, n);
    }
    kt__block_put(r->partial, bytes);
    return r->failed ? kt__fail_memory(sizeof(FN(column_sums))) : KT_OK;
}

static kt_status FN(sum)(const kt_plan *plan)
{
    FN(reduction) r;
    r.failed = false;
    FN(split_plan)(&r, plan);
    if (r.kept.numel == 0)
        return KT_OK;
    r.to = FN(lens_of)(&plan->arg[0], 0);
    const int last = r.kept.nd - 1;
    /* Side by side where the kept dim is the dense one and wide enough to pay for a row. */
    if (last >= 0 && r.gone.numel > 1 && r.kept.size[last] >= 16 && r.gone.nd > 0
        && r.kept.stride[1][last] < r.gone.stride[0][r.gone.nd - 1])
        return FN(reduce_side_by_side)(&r);
    return FN(reduce_rows)(&r);
}
