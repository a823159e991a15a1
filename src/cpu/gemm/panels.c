/* panels.c - see panels.h. */
#include "cpu/gemm/panels.h"

#include "base/alloc.h"
#include "base/thread.h"

#include <string.h>

/* In elements: k of a part; a block of c, which is one task; k of a strip, a multiple of every panel's unit. In bytes: what is
 * read of a panel at a time, two of which fill L1 half; all rows of a matrix over k of a part, as much as the core's second cache
 * has; all panels of it that are packed at a time. Those need not fit there, since blocks of them are read one after the other;
 * the more they are, the seldomer the other matrix is packed again and threads wait for each other (Neoverse V1: 2048 x 2048 x
 * 2048 takes 0.97 times as long as with 1 MiB). */
enum { DEEPEST = 4096, SHALLOWEST = 512, BLOCK_M = 128, BLOCK_N = 128, PANEL_BYTES = 1 << 14, PART_BYTES = 1 << 20,
       PACKED_BYTES = 1 << 22, LEAST_TASK = 1 << 19, LEAST_PANELS = 4, STRIP = 16, LAST_COLUMNS = 4 };

typedef struct side { /* a, or b turned round: `count` rows of k elements */
    const char  *data;
    int64_t      item; /* bytes of an element */
    int64_t      count, by_row, by_k; /* elements */
    int64_t      unit;                /* rows of a panel */
    kt__pack_fn *pack;
    int64_t      first, rows;         /* of those that are packed now */
    char        *packed;
    size_t       granted;
} side;

typedef struct work {
    const kt__gemm       *g;
    const kt__cpu_panels *by;
    const kt__cpu_panel  *with;
    side                  a, b;
    side                 *packing;
    int64_t               from, k, depth, width; /* of k: the first, how many, padded; bytes of a packed element */
    int64_t               block_m, block_n, blocks_n;
} work;

static int64_t least(int64_t x, int64_t y) { return x < y ? x : y; }
static int64_t most(int64_t x, int64_t y)  { return x > y ? x : y; }

static int64_t rounded_up(int64_t x, int64_t unit) { return (x + unit - 1) / unit * unit; }

bool kt__panels_serve(const kt__cpu_panels *p, kt_dtype dtype)
{
    return p && ((dtype == KT_F32 && p->f32.tiles) || (dtype == KT_BF16 && p->bf16.tiles));
}

static kt__pack_from way_from(kt_dtype from, kt_dtype dtype)
{
    return from == dtype ? KT__PACK_SAME : from == KT_F16 ? KT__PACK_F16 : from == KT_BF16 ? KT__PACK_BF16 : KT__PACK_FROM;
}

bool kt__panels_convert(const kt__cpu_panels *p, kt_dtype from, kt_dtype dtype)
{
    const kt__pack_from way = way_from(from, dtype);
    return kt__panels_serve(p, dtype) && way < KT__PACK_FROM && (dtype == KT_F32 ? &p->f32 : &p->bf16)->pack_a[way];
}

/* ---- packing: panel after panel, or a strip of all panels after the other where rows lie side by side, since then a line of
 * the cache has parts of several panels ---- */

static void pack_panels(void *ctx, int64_t begin, int64_t end)
{
    const work   *w = ctx;
    const side   *s = w->packing;
    const int64_t bytes = s->unit * w->depth * w->width;
    const int64_t strip = s->by_row == 1 ? STRIP : w->k;
    for (int64_t k = 0; k < w->k; k += strip)
        for (int64_t i = begin; i < end; i++) {
            const int64_t row = s->first + i * s->unit;
            const char   *from = s->data + (row * s->by_row + (w->from + k) * s->by_k) * s->item;
            s->pack(s->packed + i * bytes + k * s->unit * w->width, from, s->by_row, s->by_k,
                    least(s->unit, s->first + s->rows - row), least(strip, w->k - k));
        }
}

static void pack(work *w, side *s, int64_t first, int64_t rows)
{
    const int64_t panels = (rows + s->unit - 1) / s->unit;
    s->first = first, s->rows = rows, w->packing = s;
    kt__parallel(panels, (1 << 14) / (s->unit * w->k) + 1, pack_panels, w);
}

/* k of a part: so many that all rows of both matrices are packed at a time, since what does not fit is packed again for each
 * part of the other; but no fewer than are read of a panel at a time. Sums of parts would be rounded in a bfloat16 c. */
static int64_t depth_of(const work *w)
{
    const int64_t fit = PART_BYTES / (rounded_up(most(w->g->m, w->g->n), BLOCK_M) * w->width) / SHALLOWEST * SHALLOWEST;
    return w->g->to == KT_BF16 ? w->g->k : least(w->g->k, most(SHALLOWEST, least(DEEPEST, fit)));
}

/* How many rows are packed at a time: whole blocks. */
static int64_t rows_at_once(const work *w, const side *s, int64_t block)
{
    const int64_t fit = PACKED_BYTES / (w->depth * w->width) / block * block;
    return least(rounded_up(s->count, s->unit), most(block, fit));
}

/* ---- one block of c ---- */

/* The sums of the parts before, in whole tiles. */
static void begin_with(float *sums, const float *c, int64_t ldc, int64_t m, int64_t n, int64_t rows, int64_t columns)
{
    const int64_t wide = rounded_up(n, columns);
    for (int64_t x = 0; x < rounded_up(m, rows); x++) {
        const int64_t there = x < m ? n : 0;
        memcpy(sums + x * BLOCK_N, c + (x < m ? x : 0) * ldc, (size_t)there * sizeof *sums);
        memset(sums + x * BLOCK_N + there, 0, (size_t)(wide - there) * sizeof *sums);
    }
}

/* A panel that begins with this row of those that are packed, from k on. */
static const char *panel_at(const work *w, const side *s, int64_t row, int64_t k)
{
    return s->packed + (row * w->depth + k * s->unit) * w->width;
}

typedef struct block {
    int64_t i, j; /* its first row and column */
} block;

typedef struct span {
    const char *at;
    int64_t     bytes;
} span;

/* What tiles ask for while they make the column of `now` at y and k: the next panel of b. The last ones of many columns ask for
 * the panels of a that `after` begins with, if those are others and in one piece: all tiles of its first column would wait for
 * them. */
static span read_next(const work *w, block now, block after, int64_t y, int64_t n, int64_t k, int64_t each)
{
    const int64_t columns = w->b.unit, left = (n - y + columns - 1) / columns, terms = least(each, w->depth - k);
    if (after.i != now.i && each >= w->depth && left <= LAST_COLUMNS && n / columns >= 4 * LAST_COLUMNS) {
        const int64_t rows = rounded_up(least(w->block_m, w->a.rows - after.i), w->a.unit),
                      share = rows * w->depth * w->width / LAST_COLUMNS;
        return (span){panel_at(w, &w->a, after.i, 0) + (LAST_COLUMNS - left) * share, share};
    }
    if (left > 1)
        return (span){panel_at(w, &w->b, now.j + y + columns, k), terms * columns * w->width};
    const bool    ends = k + each >= w->depth;
    const int64_t then = ends ? 0 : k + each;
    return (span){panel_at(w, &w->b, ends ? after.j : now.j, then), least(each, w->depth - then) * columns * w->width};
}

/* Parts go on from what c holds in every block, whether it is made in place or not: how c is cut into blocks depends on the
 * threads, the bits do not. `after` is the block that is made next. */
static void make_block(const work *w, float *sums, block now, block after)
{
    const kt__gemm *g = w->g;
    const int64_t   rows = w->a.unit, columns = w->b.unit, m = least(w->block_m, w->a.rows - now.i),
                    n = least(w->block_n, w->b.rows - now.j), each = PANEL_BYTES / (columns * w->width),
                    wide = g->to == KT_BF16 ? 2 : 4;
    const bool      later = w->from > 0; /* c holds the sums of the parts before */
    const float     alpha = (float)__real__ g->alpha;
    const bool      goes_on = later && alpha == 1;
    const float     beta = goes_on ? 0 : later ? 1 : (float)__real__ g->beta;
    char *const     c = g->c + ((w->a.first + now.i) * g->ldc + w->b.first + now.j) * wide;
    const bool      in_place = wide == 4 && alpha == 1 && beta == 0 && m % rows == 0 && n % columns == 0;
    float *const    to = in_place ? (float *)(void *)c : sums;
    const int64_t   ld = in_place ? g->ldc : BLOCK_N;
    if (goes_on && !in_place)
        begin_with(sums, (const float *)(const void *)c, g->ldc, m, n, rows, columns);
    for (int64_t k = 0; k < w->depth; k += each) {
        const int64_t terms = least(each, w->depth - k);
        for (int64_t y = 0; y < n; y += columns) {
            const span next = read_next(w, now, after, y, n, k, each);
            w->with->tiles(to + y, ld, panel_at(w, &w->a, now.i, k), rows * w->depth * w->width, (m + rows - 1) / rows,
                           panel_at(w, &w->b, now.j + y, k), terms, k > 0 || goes_on, next.at, next.bytes);
        }
    }
    for (int64_t x = 0; !in_place && x < m; x++)
        w->by->finish(c + x * g->ldc * wide, sums + x * ld, n, alpha, beta, wide == 2);
}

static block block_at(const work *w, int64_t u)
{
    return (block){u / w->blocks_n * w->block_m, u % w->blocks_n * w->block_n};
}

static void make_blocks(void *ctx, int64_t begin, int64_t end)
{
    const work *w = ctx;
    float       sums[BLOCK_M * BLOCK_N] __attribute__((aligned(64)));
    for (int64_t u = begin; u < end; u++)
        make_block(w, sums, block_at(w, u), block_at(w, least(u + 1, end - 1)));
}

/* Blocks are halved while there are too few for the threads. */
static void make_part(work *w)
{
    w->block_m = BLOCK_M, w->block_n = BLOCK_N;
    const int64_t threads = kt_get_num_threads();
    int64_t       tasks;
    for (;;) {
        const int64_t blocks_m = (w->a.rows + w->block_m - 1) / w->block_m;
        w->blocks_n = (w->b.rows + w->block_n - 1) / w->block_n;
        tasks = blocks_m * w->blocks_n;
        const bool wide = w->block_n > w->block_m && w->block_n > LEAST_PANELS * w->b.unit;
        int64_t   *halved = wide ? &w->block_n : &w->block_m;
        if (threads == 1 || tasks >= 4 * threads || *halved <= LEAST_PANELS * (wide ? w->b.unit : w->a.unit) ||
            w->block_m * w->block_n * w->k / 2 < LEAST_TASK)
            break;
        *halved /= 2;
    }
    kt__parallel(tasks, 1, make_blocks, w);
}

bool kt__panels_gemm(const kt__gemm *g)
{
    const kt__cpu_panels *by = g->panels;
    if (!kt__panels_convert(by, g->a_is, g->dtype) || !kt__panels_convert(by, g->b_is, g->dtype) || g->batch != 1)
        return false;
    const kt__cpu_panel *with = g->dtype == KT_F32 ? &by->f32 : &by->bf16;
    work w = {.g = g, .by = by, .with = with, .width = g->dtype == KT_F32 ? 4 : 2,
              .a = {.data = g->a, .item = kt__dtype_rows[g->a_is].size, .count = g->m, .by_row = g->ta ? 1 : g->lda,
                    .by_k = g->ta ? g->lda : 1, .unit = with->rows, .pack = with->pack_a[way_from(g->a_is, g->dtype)]},
              .b = {.data = g->b, .item = kt__dtype_rows[g->b_is].size, .count = g->n, .by_row = g->tb ? g->ldb : 1,
                    .by_k = g->tb ? 1 : g->ldb, .unit = with->columns, .pack = with->pack_b[way_from(g->b_is, g->dtype)]}};
    const int64_t deepest = depth_of(&w);
    w.depth = rounded_up(deepest, with->unit);
    const int64_t at_once_a = rows_at_once(&w, &w.a, BLOCK_M), at_once_b = rows_at_once(&w, &w.b, BLOCK_N);
    const size_t  row = (size_t)(w.depth * w.width);
    w.a.packed = kt__block_get((size_t)at_once_a * row, &w.a.granted);
    w.b.packed = kt__block_get((size_t)at_once_b * row, &w.b.granted);
    const bool ok = w.a.packed && w.b.packed;
    for (; ok && w.from < g->k; w.from += w.k) {
        w.k = least(deepest, g->k - w.from), w.depth = rounded_up(w.k, with->unit);
        for (int64_t j = 0; j < g->n; j += at_once_b) {
            pack(&w, &w.b, j, least(at_once_b, g->n - j));
            for (int64_t i = 0; i < g->m; i += at_once_a) {
                if (j == 0 || at_once_a < g->m)
                    pack(&w, &w.a, i, least(at_once_a, g->m - i));
                make_part(&w);
            }
        }
    }
    kt__block_put(w.a.packed, w.a.granted);
    kt__block_put(w.b.packed, w.b.granted);
    return ok;
}
