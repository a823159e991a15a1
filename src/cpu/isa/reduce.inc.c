/* reduce.inc.c - reductions over any set of dims: the walks. A template: T is the compute type, A the wider type that
 * accumulates; the operations are those of reduce_ops.inc.c.
 *
 * In: a plan whose outputs have stride 0 in the reduced dims. Out: the outputs, cast once at the end. The order of
 * combination depends on the sizes only: fixed blocks, each made of pieces, combined in pairs. So the result is the same
 * with any number of threads, and the error of a sum grows with the logarithm of the count.
 * Independent of: what an operation calculates. */
#include "base/thread.h"
#include "cpu/isa/reduce_ops.inc.c"

enum { BLOCKS = 256, MOST_OUT = 2 }; /* blocks of one result, at most */

typedef struct FN(fields) { A f[FIELDS]; } FN(fields); /* one result's */

/* Partial results join in pairs of equal age, like the digits of a binary counter. */
typedef struct FN(pairs) {
    uint64_t   count;
    FN(fields) level[64];
} FN(pairs);

static void FN(pairs_add)(FN(pairs) *p, const FN(op) *op, const FN(fields) *x)
{
    const FN(fields) *later = x;
    int               k = 0;
    for (uint64_t c = p->count++; (c & 1) != 0; c >>= 1, k++) {
        op->join(p->level[k].f, later->f, 1, 1);
        later = &p->level[k];
    }
    p->level[k] = *later;
}

static FN(fields) FN(pairs_end)(FN(pairs) *p, const FN(op) *op)
{
    FN(fields) x;
    bool       any = false;
    int        k = 0;
    memcpy(x.f, op->zero, sizeof x.f);
    for (uint64_t c = p->count; c != 0; c >>= 1, k++) {
        if ((c & 1) == 0)
            continue;
        if (any)
            op->join(p->level[k].f, x.f, 1, 1);
        x = p->level[k], any = true;
    }
    return x;
}

/* ---- a plan split in two: the dims that stay and the dims that go ---- */
typedef struct FN(reduction) {
    const FN(op) *op;
    kt_plan       kept, gone; /* operands: the outputs, then the input (kept); the input (gone) */
    kt__rows      rows;       /* of gone */
    FN(lens)      from, to[MOST_OUT];
    int           dull;       /* a byte: a tile of nothing else decides nothing for any and all; -1: there is none */
    FN(reduced)   about;
    int64_t       block;      /* elements of gone in one block */
    int64_t       blocks;
    char         *source;     /* one result's first input element, while its blocks are in work */
    FN(fields)    few[BLOCKS]; /* its blocks */
    A            *partial;    /* rows of columns, where the rows are split */
    bool          failed;
} FN(reduction);

static void FN(split_plan)(FN(reduction) *r, const kt_plan *plan)
{
    kt_plan  *kept = &r->kept, *gone = &r->gone;
    const int in = plan->n_out;
    kept->n_out = plan->n_out, kept->n_in = 1, kept->nd = 0, kept->numel = 1;
    gone->n_out = 0, gone->n_in = 1, gone->nd = 0, gone->numel = 1;
    gone->arg[0] = plan->arg[in];
    for (int i = 0; i <= in; i++)
        kept->arg[i] = plan->arg[i];
    for (int d = 0; d < plan->nd; d++) {
        const bool goes = plan->stride[0][d] == 0;
        kt_plan   *to = goes ? gone : kept;
        const int  k = to->nd++;
        to->size[k] = plan->size[d];
        to->numel *= plan->size[d];
        for (int i = 0; i <= in && !goes; i++)
            to->stride[i][k] = plan->stride[i][d];
        if (goes)
            to->stride[0][k] = plan->stride[in][d];
    }
}

/* ---- results out ---- */
typedef struct FN(places) { /* of one result, or of the first of a row of them */
    char *to[MOST_OUT];
    char *from; /* its first input element */
} FN(places);

static FN(places) FN(locate)(const FN(reduction) *r, int64_t index)
{
    const kt_plan *kept = &r->kept;
    FN(places)     at = {.from = kept->arg[kept->n_out].data};
    for (int k = 0; k < kept->n_out; k++)
        at.to[k] = kept->arg[k].data;
    for (int d = kept->nd - 1; d >= 0; d--) {
        const int64_t i = index % kept->size[d];
        index /= kept->size[d];
        at.from += i * kept->stride[kept->n_out][d];
        for (int k = 0; k < kept->n_out; k++)
            at.to[k] += i * kept->stride[k][d];
    }
    return at;
}

/* From one result to the next, in order. */
static void FN(next_result)(const FN(reduction) *r, int64_t *index, FN(places) *at)
{
    const kt_plan *kept = &r->kept;
    for (int d = kept->nd - 1; d >= 0; d--) {
        const int64_t back = ++index[d] == kept->size[d] ? index[d] : 0;
        at->from += (1 - back) * kept->stride[kept->n_out][d];
        for (int k = 0; k < kept->n_out; k++)
            at->to[k] += (1 - back) * kept->stride[k][d];
        if (back == 0)
            return;
        index[d] = 0;
    }
}

static void FN(put_whole)(char *to, const FN(lens) *l, const A *value, int n)
{
    int64_t whole[COLUMNS];
    for (int j = 0; j < n; j++)
        whole[j] = (int64_t)value[j];
    kt__convert(to, (kt_dtype)l->is, l->step, whole, KT_I64, sizeof *whole, n);
}

static void FN(put_values)(char *to, const FN(lens) *l, const A *value, int n)
{
    T tile[COLUMNS];
    for (int j = 0; j < n; j++)
        tile[j] = (T)value[j];
    if (n == 1 && l->is == SELF && !l->rounds)
        *(T *)(void *)to = tile[0];
    else
        FN(store_tile)(to, l, tile, n);
}

static void FN(put_results)(const FN(reduction) *r, const FN(places) *at, A *f, int stride, int n)
{
    if (r->op->end != NULL)
        r->op->end(&r->about, f, stride, n);
    for (int k = 0; k < r->kept.n_out; k++) {
        if ((r->op->whole >> k & 1) != 0)
            FN(put_whole)(at->to[k], &r->to[k], f + k * stride, n);
        else
            FN(put_values)(at->to[k], &r->to[k], f + k * stride, n);
    }
}

/* ---- many values, one result ---- */
typedef struct FN(row_work) {
    const FN(reduction) *r;
    FN(fields)           kept;
    FN(pairs)            pairs;
} FN(row_work);

/* Are all bytes the same as `dull`? Bools are tested as fast as they can be read. */
static bool FN(all_dull)(const char *x, int64_t bytes, int dull)
{
    uint8_t other = 0;
    for (int64_t i = 0; i < bytes; i++)
        other |= (uint8_t)((uint8_t)x[i] ^ (uint8_t)dull);
    return other == 0;
}

static void FN(reduce_row)(void *ctx, char *const *at, int64_t n, int64_t index)
{
    FN(row_work)        *w = ctx;
    const FN(reduction) *r = w->r;
    FN(piece)            p = {.rows = 0, .power = r->about.param};
    T                    tile[TILE];
    FN(fields)           x;
    for (int64_t done = 0; done < n; done += TILE) {
        const char *from = at[0] + done * r->from.step;
        p.n = n - done < TILE ? (int)(n - done) : TILE;
        p.x[0] = r->from.direct ? (const T *)(const void *)from : tile;
        p.first = index + done;
        if (r->op->stops && w->kept.f[0] != 0)
            return;
        if (r->dull >= 0 && FN(all_dull)(from, p.n * r->from.step, r->dull))
            continue;
        if (!r->from.direct)
            FN(load_tile)(tile, &r->from, from, p.n);
        r->op->take(&p, r->op->keeps ? w->kept.f : x.f, 1);
        if (!r->op->keeps)
            FN(pairs_add)(&w->pairs, r->op, &x);
    }
}

static FN(fields) FN(reduce_block)(const FN(reduction) *r, char *source, int64_t b)
{
    FN(row_work)  work;
    const int64_t begin = b * r->block, end = begin + r->block < r->gone.numel ? begin + r->block : r->gone.numel;
    work.r = r, work.pairs.count = 0;
    memcpy(work.kept.f, r->op->zero, sizeof work.kept.f);
    if (r->gone.nd <= 1) {
        char *at[1] = {source + begin * r->from.step};
        FN(reduce_row)(&work, at, end - begin, begin);
    } else {
        kt__rows rows = r->rows;
        rows.base[0] = source;
        kt__rows_walk(&rows, begin, end, FN(reduce_row), &work);
    }
    return r->op->keeps ? work.kept : FN(pairs_end)(&work.pairs, r->op);
}

static void FN(reduce_blocks)(void *ctx, int64_t begin, int64_t end)
{
    FN(reduction) *r = ctx;
    for (int64_t b = begin; b < end; b++)
        r->few[b] = FN(reduce_block)(r, r->source, b);
}

static FN(fields) FN(join_blocks)(const FN(op) *op, const FN(fields) *partial, int64_t n)
{
    FN(pairs) pairs;
    pairs.count = 0;
    for (int64_t b = 0; b < n; b++)
        FN(pairs_add)(&pairs, op, &partial[b]);
    return FN(pairs_end)(&pairs, op);
}

/* At most a tile in one row: no blocks, no pairs. */
static FN(fields) FN(reduce_short)(const FN(reduction) *r, const char *from)
{
    T          tile[TILE];
    FN(piece)  p = {.rows = 0, .n = (int)r->gone.numel, .first = 0, .power = r->about.param};
    FN(fields) x;
    memcpy(x.f, r->op->zero, sizeof x.f);
    p.x[0] = r->from.direct ? (const T *)(const void *)from : tile;
    if (!r->from.direct)
        FN(load_tile)(tile, &r->from, from, p.n);
    if (p.n > 0)
        r->op->take(&p, x.f, 1);
    return x;
}

static FN(fields) FN(reduce_long)(const FN(reduction) *r, char *from)
{
    FN(fields) partial[BLOCKS];
    for (int64_t b = 0; b < r->blocks; b++)
        partial[b] = FN(reduce_block)(r, from, b);
    return FN(join_blocks)(r->op, partial, r->blocks);
}

static void FN(reduce_results)(void *ctx, int64_t begin, int64_t end)
{
    FN(reduction) *r = ctx;
    const bool     is_short = r->gone.nd <= 1 && r->gone.numel <= TILE;
    int64_t        index[KT_MAX_DIMS], rest = begin;
    FN(places)     at = FN(locate)(r, begin);
    for (int d = r->kept.nd - 1; d >= 0; d--) {
        index[d] = rest % r->kept.size[d];
        rest /= r->kept.size[d];
    }
    for (int64_t i = begin; i < end; i++, FN(next_result)(r, index, &at)) {
        FN(fields) x = is_short ? FN(reduce_short)(r, at.from) : FN(reduce_long)(r, at.from);
        FN(put_results)(r, &at, x.f, 1, 1);
    }
}

/* Rows in the plan's order, so that an index is a place in it: the walk may otherwise take another dim for its rows. */
static void FN(rows_in_order)(kt__rows *rows, const kt_plan *gone)
{
    rows->inner = gone->nd - 1;
    rows->length = gone->size[rows->inner];
    rows->step[0] = gone->stride[0][rows->inner];
}

static kt_status FN(reduce_rows)(FN(reduction) *r)
{
    const int64_t n = r->gone.numel, least = 4 * TILE;
    r->block = (n + BLOCKS - 1) / BLOCKS;
    r->block = r->block < least ? least : (r->block + TILE - 1) / TILE * TILE;
    r->blocks = n == 0 ? 0 : (n + r->block - 1) / r->block;
    if (r->gone.nd > 1)
        kt__rows_of(&r->rows, &r->gone);
    if (r->gone.nd > 1 && r->op->whole != 0)
        FN(rows_in_order)(&r->rows, &r->gone);
    r->from = FN(lens_of)(&r->gone.arg[0], r->gone.nd == 0   ? 0
                                           : r->gone.nd == 1 ? r->gone.stride[0][0]
                                                             : r->rows.step[0]);
    const bool bytes = r->op->stops && r->from.is == KT_BOOL && r->from.step == 1;
    r->dull = bytes ? r->op->take == FN(take_all) : -1;
    if (r->kept.numel >= 8 || n <= KT__GRAIN) {
        kt__parallel(r->kept.numel, n >= KT__GRAIN ? 1 : KT__GRAIN / (n + 1) + 1, FN(reduce_results), r);
        return KT_OK;
    }
    for (int64_t i = 0; i < r->kept.numel; i++) {
        const FN(places) at = FN(locate)(r, i);
        r->source = at.from;
        kt__parallel(r->blocks, KT__GRAIN / r->block + 1, FN(reduce_blocks), r);
        FN(fields) x = FN(join_blocks)(r->op, r->few, r->blocks);
        FN(put_results)(r, &at, x.f, 1, 1);
    }
    return KT_OK;
}

/* ---- many results side by side: bands of rows of the input become rows of results ---- */
enum { BANDS_A_LEVEL = 16, PLANES = FIELDS * COLUMNS };

typedef struct FN(column_work) {
    A    band[PLANES];     /* the last band */
    A    level[2][PLANES]; /* the last bands, and all before: two levels keep the error of a sum small */
    bool begun[2];
    T    tile[BAND][COLUMNS];
} FN(column_work);

static void FN(copy_planes)(const FN(op) *op, A *to, const A *from, int n)
{
    for (int k = 0; k < op->fields; k++)
        memcpy(to + k * COLUMNS, from + k * COLUMNS, (size_t)n * sizeof *to);
}

static void FN(into_level)(const FN(op) *op, FN(column_work) *w, int k, const A *from, int n)
{
    if (w->begun[k])
        op->join(w->level[k], from, COLUMNS, n);
    else
        FN(copy_planes)(op, w->level[k], from, n);
    w->begun[k] = true;
}

static void FN(start_columns)(const FN(op) *op, FN(column_work) *w, int n)
{
    w->begun[0] = w->begun[1] = false;
    for (int k = 0; k < op->fields && op->keeps; k++)
        for (int j = 0; j < n; j++)
            w->band[k * COLUMNS + j] = op->zero[k];
}

/* Rows [begin, end) of gone, for n columns from `source`. The result is left in level[1]. */
static void FN(reduce_columns)(const FN(reduction) *r, FN(column_work) *w, char *source, int64_t begin, int64_t end,
                               int n)
{
    const kt_plan *gone = &r->gone;
    FN(piece)      p = {.rows = 0, .n = n, .first = begin, .power = r->about.param};
    int64_t        index[KT_MAX_DIMS], rest = begin, bands = 0;
    FN(start_columns)(r->op, w, n);
    for (int d = gone->nd - 1; d >= 0; d--) {
        index[d] = rest % gone->size[d];
        rest /= gone->size[d];
        source += index[d] * gone->stride[0][d];
    }
    for (int64_t i = begin; i < end; i++) {
        p.x[p.rows] = r->from.direct ? (const T *)(const void *)source : w->tile[p.rows];
        if (!r->from.direct)
            FN(load_tile)(w->tile[p.rows], &r->from, source, n);
        if (++p.rows == BAND || i + 1 == end) {
            r->op->take(&p, w->band, COLUMNS);
            p.first = i + 1, p.rows = 0;
            if (!r->op->keeps)
                FN(into_level)(r->op, w, 0, w->band, n);
            if (++bands % BANDS_A_LEVEL == 0 && !r->op->keeps)
                FN(into_level)(r->op, w, 1, w->level[0], n), w->begun[0] = false;
        }
        for (int d = gone->nd - 1; d >= 0; d--) {
            const bool carry = ++index[d] == gone->size[d];
            source += carry ? -(gone->size[d] - 1) * gone->stride[0][d] : gone->stride[0][d];
            if (!carry)
                break;
            index[d] = 0;
        }
    }
    if (r->op->keeps || w->begun[0])
        FN(into_level)(r->op, w, 1, r->op->keeps ? w->band : w->level[0], n);
}

/* A unit of work is one block of rows of one group of columns of one outer index. */
static void FN(column_units)(void *ctx, int64_t begin, int64_t end)
{
    FN(reduction)   *r = ctx;
    size_t           granted;
    FN(column_work) *w = kt__block_get(sizeof *w, &granted);
    if (w == NULL) {
        __atomic_store_n(&r->failed, true, __ATOMIC_RELAXED);
        return;
    }
    const int     last = r->kept.nd - 1;
    const int64_t width = r->kept.size[last], groups = (width + COLUMNS - 1) / COLUMNS;
    for (int64_t u = begin; u < end; u++) {
        const int64_t    group = u / r->blocks, b = u % r->blocks, first = group % groups * COLUMNS;
        const int        n = width - first < COLUMNS ? (int)(width - first) : COLUMNS;
        const FN(places) at = FN(locate)(r, group / groups * width + first);
        const int64_t    row = b * r->block, stop = row + r->block < r->gone.numel ? row + r->block : r->gone.numel;
        FN(reduce_columns)(r, w, at.from, row, stop, n);
        if (r->blocks > 1)
            FN(copy_planes)(r->op, r->partial + u * PLANES, w->level[1], n);
        else
            FN(put_results)(r, &at, w->level[1], COLUMNS, n);
    }
    kt__block_put(w, sizeof *w);
}

static void FN(join_units)(FN(reduction) *r, int64_t width, int64_t groups)
{
    const int64_t per_row = groups / (r->kept.numel / width);
    for (int64_t g = 0; g < groups; g++) {
        const int64_t    first = g % per_row * COLUMNS;
        const int        n = width - first < COLUMNS ? (int)(width - first) : COLUMNS;
        A               *f = r->partial + g * r->blocks * PLANES;
        const FN(places) at = FN(locate)(r, g / per_row * width + first);
        for (int64_t reach = 1; reach < r->blocks; reach *= 2)
            for (int64_t b = 0; b + reach < r->blocks; b += 2 * reach)
                r->op->join(f + b * PLANES, f + (b + reach) * PLANES, COLUMNS, n);
        FN(put_results)(r, &at, f, COLUMNS, n);
    }
}

static kt_status FN(reduce_side_by_side)(FN(reduction) *r)
{
    const int     last = r->kept.nd - 1;
    const int64_t width = r->kept.size[last], groups = (width + COLUMNS - 1) / COLUMNS * (r->kept.numel / width);
    const int64_t rows = r->gone.numel;
    r->from = FN(lens_of)(&r->gone.arg[0], r->kept.stride[r->kept.n_out][last]);
    for (int k = 0; k < r->kept.n_out; k++)
        r->to[k].step = r->kept.stride[k][last];
    r->blocks = groups < 8 && rows * width > 4 * KT__GRAIN && rows >= 8 ? 8 : 1; /* few groups: split the rows as well */
    r->block = (rows + r->blocks - 1) / r->blocks;
    r->blocks = (rows + r->block - 1) / r->block;
    const size_t bytes = r->blocks == 1 ? 0 : (size_t)(groups * r->blocks) * PLANES * sizeof(A);
    size_t       granted;
    r->partial = bytes == 0 ? NULL : kt__block_get(bytes, &granted);
    if (bytes != 0 && r->partial == NULL)
        return kt__fail_memory(bytes);
    const int64_t per_unit = r->block * (width < COLUMNS ? width : COLUMNS);
    kt__parallel(groups * r->blocks, per_unit >= KT__GRAIN ? 1 : KT__GRAIN / per_unit + 1, FN(column_units), r);
    if (r->blocks > 1 && !r->failed)
        FN(join_units)(r, width, groups);
    kt__block_put(r->partial, bytes);
    return r->failed ? kt__fail_memory(sizeof(FN(column_work))) : KT_OK;
}

/* Where the kept dim is the dense one and wide enough to pay for a row, or results have so few values each that a call
 * for every one would cost more than collecting them. */
static bool FN(pays_side_by_side)(const FN(reduction) *r)
{
    const int last = r->kept.nd - 1;
    if (last < 0 || r->kept.size[last] < 16 || r->gone.nd == 0 || r->gone.numel < 2)
        return false;
    return r->gone.numel <= BAND || r->kept.stride[r->kept.n_out][last] < r->gone.stride[0][r->gone.nd - 1];
}

static kt_status FN(reduce)(const kt_plan *plan)
{
    FN(reduction) r;
    if (!FN(reduces)(plan->kernel))
        return kt_fail(KT_ERR_NOT_IMPLEMENTED, "the CPU has no kernel %d in this type", (int)plan->kernel);
    r.op = &FN(ops)[KT__PLACE_OF(plan->kernel)];
    r.failed = false;
    FN(split_plan)(&r, plan);
    r.about = (FN(reduced)){(double)r.gone.numel, plan->n_param > 0 ? kt__scalar_f64(&plan->param[0]) : 0};
#if !KT_IS_INTEGER
    if (plan->kernel == KT_K_norm)
        r.op = FN(norm_of)(r.about.param);
#endif
    if (r.kept.numel == 0)
        return KT_OK;
    for (int k = 0; k < plan->n_out; k++)
        r.to[k] = FN(lens_of)(&plan->arg[k], 0);
    return FN(pays_side_by_side)(&r) ? FN(reduce_side_by_side)(&r) : FN(reduce_rows)(&r);
}
