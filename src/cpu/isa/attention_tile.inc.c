/* attention_tile.inc.c - what the tiles of attention are made of: products, rows of operands, masks. A template: the includer
 * defines T and ID, and includes tile.h.
 *
 * A tile of scores is [KEYS][QUERIES], so that what belongs to a query (its largest score, its sum) is a lane of a vector and
 * no sum runs across lanes. It lies as panels of COLS queries, [QUERIES / COLS][KEYS][COLS]: what a product reads at a time is
 * dense and stays in L1. Products are c[m][n] (= or +=) a[m][k] b[k][n]: an element is one chain of fused multiply-adds over k
 * in order, so its bits depend on neither the tile nor the instruction set.
 * Independent of: the order of the tiles, dtypes. */
#include "base/alloc.h"
#include "base/error.h"
#include "base/thread.h"
#include "cpu/attention/attention.h"
#include "cpu/isa/multiply_add.h"
#include "math/exp_below.h"

enum { VEC = KT_VEC_BYTES / sizeof(T) };
#if defined(__AVX512F__) || defined(__aarch64__) /* 32 registers, 16 of them sums */
enum { ROWS = VEC < 4 ? 4 : 8, VECS = 16 / ROWS };
#else
enum { ROWS = 4, VECS = 2 };
#endif
enum { COLS = VEC * VECS, QUERIES = KT__ATTENTION_QUERIES, KEYS = 64, UNIT = 8 };
/* UNIT: what lies above the diagonal is left out by so many, on every instruction set */
_Static_assert(QUERIES % COLS == 0 && KEYS % ROWS == 0 && UNIT % ROWS == 0, "tiles are whole numbers of register tiles");
_Static_assert(COLS % ROWS == 0, "the queries of a register tile are of one panel");

#define TILE_NOINLINE __attribute__((noinline))
#define TILE_PRODUCT  TILE_NOINLINE KT_IN_REGISTERS

static int64_t FN(rounded_up)(int64_t n, int64_t unit) { return (n + unit - 1) / unit * unit; }
static int64_t FN(lesser)(int64_t a, int64_t b) { return a < b ? a : b; }

/* One block of memory for n parts: where each begins is written to *at[i]. NULL: there is none. */
static T *FN(divided_room)(T **const *at, const int64_t *parts, size_t n, size_t *granted)
{
    int64_t all = 0;
    for (size_t i = 0; i < n; i++)
        all += parts[i];
    T *const room = kt__block_get((size_t)all * sizeof(T), granted), *next = room;
    for (size_t i = 0; room && i < n; i++)
        *at[i] = next, next += parts[i];
    return room;
}

/* ---- products ---- */

typedef struct FN(side) { /* element [i][l] of a: p[i * by_row + l * by_k], one of them 1; `chunk` of k, the next by_chunk on */
    const T *p;
    int64_t  by_row, by_k, chunk, by_chunk;
} FN(side);

typedef FN(vec) FN(tile_sums)[ROWS][VECS];

/* sum += a column of a, whose element i is x[i * by_row], times a row of b. */
KT_ALWAYS void FN(add_step)(FN(tile_sums) sum, const T *x, int64_t by_row, const T *b)
{
    FN(vec) row[VECS];
#pragma GCC unroll 4
    for (int j = 0; j < VECS; j++)
        row[j] = *(const FN(vec) *)(const void *)(b + j * VEC);
#pragma GCC unroll 8
    for (int i = 0; i < ROWS; i++)
#pragma GCC unroll 4
        for (int j = 0; j < VECS; j++)
            sum[i][j] = FN(times_plus)(x[i * by_row], row[j], sum[i][j]);
}

#ifdef __aarch64__
/* VEC steps at once. A lane of a register is multiplied as fast as a whole one, so that a is read by vectors, along k. */
KT_ALWAYS void FN(add_steps)(FN(tile_sums) sum, const T *x, int64_t by_row, const T *b, int64_t ldb)
{
    FN(vec) a[ROWS];
#pragma GCC unroll 8
    for (int i = 0; i < ROWS; i++)
        a[i] = *(const FN(vec) *)(const void *)(x + i * by_row);
#pragma GCC unroll 4
    for (int l = 0; l < VEC; l++) {
        FN(vec) row[VECS];
#pragma GCC unroll 4
        for (int j = 0; j < VECS; j++)
            row[j] = *(const FN(vec) *)(const void *)(b + l * ldb + j * VEC);
#pragma GCC unroll 8
        for (int i = 0; i < ROWS; i++)
#pragma GCC unroll 4
            for (int j = 0; j < VECS; j++)
                sum[i][j] = FN(times_plus)(a[i][l], row[j], sum[i][j]);
    }
}

/* One step; a is read by vectors along its rows, which lie side by side. */
KT_ALWAYS void FN(add_dense_step)(FN(tile_sums) sum, const T *x, const T *b)
{
    FN(vec) a[ROWS / VEC], row[VECS];
#pragma GCC unroll 4
    for (int i = 0; i < ROWS / VEC; i++)
        a[i] = *(const FN(vec) *)(const void *)(x + i * VEC);
#pragma GCC unroll 4
    for (int j = 0; j < VECS; j++)
        row[j] = *(const FN(vec) *)(const void *)(b + j * VEC);
#pragma GCC unroll 8
    for (int i = 0; i < ROWS; i++)
#pragma GCC unroll 4
        for (int j = 0; j < VECS; j++)
            sum[i][j] = FN(times_plus)(a[i / VEC][i % VEC], row[j], sum[i][j]);
}
#endif

KT_ALWAYS void FN(register_tile)(T *c, int64_t ldc, FN(side) a, const T *b, int64_t ldb, int64_t k, bool adds)
{
    FN(tile_sums) sum;
#pragma GCC unroll 8
    for (int i = 0; i < ROWS; i++)
#pragma GCC unroll 4
        for (int j = 0; j < VECS; j++)
            sum[i][j] = adds ? *(const FN(vec) *)(const void *)(c + i * ldc + j * VEC) : (FN(vec)){0};
    for (int64_t done = 0; done < k; done += a.chunk, a.p += a.by_chunk) {
        const T      *from = a.p;
        const int64_t n = k - done < a.chunk ? k - done : a.chunk;
        int64_t       l = 0;
#ifdef __aarch64__
        if (a.by_row == 1)
            for (; l < n; l++, b += ldb, from += a.by_k)
                FN(add_dense_step)(sum, from, b);
        else
            for (; l + VEC <= n; l += VEC, b += VEC * ldb, from += VEC)
                FN(add_steps)(sum, from, a.by_row, b, ldb);
#endif
        for (; l < n; l++, b += ldb, from += a.by_k)
            FN(add_step)(sum, from, a.by_row, b);
    }
#pragma GCC unroll 8
    for (int i = 0; i < ROWS; i++)
#pragma GCC unroll 4
        for (int j = 0; j < VECS; j++)
            *(FN(vec) *)(void *)(c + i * ldc + j * VEC) = sum[i][j];
}

/* A panel of a tile: [m keys][COLS] = a b, over k. a is row by row, lda apart; b is a panel too. */
static TILE_PRODUCT void FN(panel_product)(T *panel, const T *a, int64_t lda, const T *b, int64_t m, int64_t k)
{
    for (int64_t i = 0; i < m; i += ROWS)
        FN(register_tile)(panel + i * COLS, COLS, (FN(side)){a + i * lda, lda, 1, k, 0}, b, COLS, k, false);
}

/* sums[m keys][n] += tile[m][queries from `begin` on] b[queries][n]. */
static TILE_PRODUCT void FN(product_by_key)(T *sums, int64_t ldc, const T *tile, const T *b, int64_t ldb, int64_t m, int64_t n,
                                             int64_t queries)
{
    for (int64_t j = 0; j < n; j += COLS)
        for (int64_t i = 0; i < m; i += ROWS)
            FN(register_tile)(sums + i * ldc + j, ldc, (FN(side)){tile + i * COLS, COLS, 1, COLS, KEYS * COLS}, b + j, ldb,
                              queries, true);
}

/* sums[m queries][n] (+)= tile[keys][m], turned round, b[keys][n]. Query i sees `seen` + i keys; the others' scores are 0. */
static TILE_PRODUCT void FN(product_by_query)(T *sums, int64_t ldc, const T *tile, const T *b, int64_t ldb, int64_t m, int64_t n,
                                               int64_t keys, int64_t seen, bool adds)
{
    for (int64_t j = 0; j < n; j += COLS)
        for (int64_t i = 0; i < m; i += ROWS) {
            const int64_t  k = FN(lesser)(keys, seen + i / UNIT * UNIT + UNIT - 1);
            const FN(side) a = {tile + i / COLS * KEYS * COLS + i % COLS, 1, COLS, k, 0};
            if (adds)
                FN(register_tile)(sums + i * ldc + j, ldc, a, b + j, ldb, k, true);
            else
                FN(register_tile)(sums + i * ldc + j, ldc, a, b + j, ldb, k, false);
        }
}

/* ---- operands ---- */

typedef struct FN(rows) { /* of one operand */
    const kt__matrices *m;
    FN(lens)            lens;   /* along a row */
    int64_t             n;      /* columns */
    bool                direct; /* rows are dense Ts */
    bool                padded; /* and there are zeros up to whole register tiles */
} FN(rows);

static FN(rows) FN(rows_of)(const kt__matrices *m, int64_t n)
{
    const FN(lens) lens = FN(lens_of)(&m->x, n == 1 ? kt__dtype_rows[m->x.is].size : m->step[3]);
    return (FN(rows)){m, lens, n, lens.direct, false};
}

static void FN(load_row)(T *to, const FN(rows) *r, const char *from) { FN(load_line)(to, &r->lens, from, r->n); }
static void FN(store_row)(char *to, const FN(rows) *r, T *from)      { FN(store_line)(to, &r->lens, from, r->n); }

/* `count` rows as dense Ts, `ld` from row to row: where they lie, if that serves, else in `room`, padded with zeros to whole
 * register tiles. `wide`: they are read as vectors, COLS at a time. */
static const T *FN(block_of)(const FN(rows) *r, int64_t batch, int64_t head, int64_t first, int64_t count, bool wide, T *room,
                             int64_t *ld)
{
    const char   *from = kt__row_at(r->m, batch, head, first);
    const int64_t padded = FN(rounded_up)(r->n, COLS), all = FN(rounded_up)(count, ROWS);
    if (r->padded || (r->direct && count == all && (!wide || padded == r->n))) {
        *ld = r->m->step[2] / (int64_t)sizeof(T);
        return (const T *)(const void *)from;
    }
    *ld = padded;
    for (int64_t i = 0; i < count; i++) {
        FN(load_row)(room + i * padded, r, from + i * r->m->step[2]);
        memset(room + i * padded + r->n, 0, sizeof(T) * (size_t)(padded - r->n));
    }
    memset(room + count * padded, 0, sizeof(T) * (size_t)((all - count) * padded));
    return room;
}

/* Rows turned round and multiplied, as panels [column][COLS]; what is beyond `count` rows is 0. */
static TILE_NOINLINE void FN(turn_block)(T *to, const FN(rows) *r, int64_t batch, int64_t head, int64_t first, int64_t count,
                                         T factor, T *room)
{
    const char *from = kt__row_at(r->m, batch, head, first);
    for (int64_t i = 0; i < QUERIES; i++) {
        const T *row = r->direct ? (const T *)(const void *)(from + i * r->m->step[2]) : room;
        if (i < count && !r->direct)
            FN(load_row)(room, r, from + i * r->m->step[2]);
        T *const panel = to + i / COLS * r->n * COLS + i % COLS;
        for (int64_t l = 0; l < r->n; l++)
            panel[l * COLS] = i < count ? row[l] * factor : 0;
    }
}

/* ---- masks: scores become -inf where a query does not see a key ---- */

/* Keys from `first` on of the panel whose queries begin at `query`. */
static TILE_NOINLINE void FN(mask_future)(T *panel, int64_t query, int64_t first, int64_t keys)
{
    for (int64_t l = query < first ? 0 : query - first + 1; l < keys; l++) {
        const int64_t later = FN(lesser)(first + l - query, COLS);
        for (int64_t i = 0; i < later; i++)
            panel[l * COLS + i] = -INFINITY;
    }
}

KT_ALWAYS T FN(masked)(T score, T mask, bool truth)
{
    return !truth ? score + mask : mask != 0 ? score : score - INFINITY; /* NaN stays */
}

static TILE_NOINLINE void FN(add_mask)(T *panel, const kt__attention *a, int64_t batch, int64_t head, int64_t query,
                                       int64_t queries, int64_t first, int64_t keys)
{
    const kt__matrices *m = &a->mask;
    const bool          truth = m->x.as == KT_BOOL;
    const FN(lens)      lens = FN(lens_of)(&m->x, m->step[3]);
    const int64_t       rows = m->step[2] ? queries : 1;
    T                   line[KEYS];
    for (int64_t i = 0; i < rows; i++) {
        FN(load_tile)(line, &lens, kt__row_at(m, batch, head, query + i) + first * m->step[3], (int)keys);
        for (int64_t l = 0; m->step[2] && l < keys; l++)
            panel[l * COLS + i] = FN(masked)(panel[l * COLS + i], line[l], truth);
    }
    for (int64_t l = 0; !m->step[2] && l < keys; l++)
        for (int64_t i = 0; i < COLS; i++)
            panel[l * COLS + i] = FN(masked)(panel[l * COLS + i], line[l], truth);
}

/* How many of `count` keys from `first` on are seen by one of the COLS queries from `query` on: the panel's others are not
 * computed, and count as 0. */
static int64_t FN(panel_keys)(const kt__attention *a, int64_t query, int64_t first, int64_t count)
{
    const int64_t seen = FN(rounded_up)(kt__keys_until(a, query + COLS) - first, UNIT);
    return seen > count ? count : seen > 0 ? seen : 0;
}

/* The scores of a panel: keys times queries, which are multiplied by the scale already, and masked. */
static void FN(scores)(T *panel, const kt__attention *a, const T *keys, int64_t ld, const T *turned, int64_t batch, int64_t head,
                       int64_t query, int64_t first, int64_t count)
{
    FN(panel_product)(panel, keys, ld, turned, count, a->depth);
    if (a->mask.x.data)
        FN(add_mask)(panel, a, batch, head, query, FN(lesser)(a->queries - query, COLS), first, count);
    if (a->causal && first + count - 1 > query)
        FN(mask_future)(panel, query, first, count);
}

/* ---- dropout ---- */

/* The bits of a block of queries, drawn again; NULL without dropout. */
static const uint64_t *FN(draw_block)(const kt__attention *a, int64_t batch, int64_t head, int64_t query, int64_t queries,
                                      T *room)
{
    const int64_t blocks = (a->queries + QUERIES - 1) / QUERIES, block = (batch * a->heads + head) * blocks + query / QUERIES;
    if (!a->draws)
        return NULL;
    kt__attention_kept(a->draws + block * KT__ATTENTION_STATE, a->keep, queries, a->keys, (uint64_t *)(void *)room);
    return (const uint64_t *)(const void *)room;
}

/* Room for them, in Ts. */
static int64_t FN(draw_room)(const kt__attention *a)
{
    return a->draws ? FN(rounded_up)(a->keys * (int64_t)(sizeof(uint64_t) / sizeof(T)), VEC) : 0;
}

/* A panel of queries from `query` of its block on: what is kept is multiplied, the rest is 0. */
static TILE_NOINLINE void FN(drop)(T *restrict panel, const uint64_t *restrict kept, int64_t query, T factor, int64_t keys)
{
    for (int64_t l = 0; l < keys; l++) {
        const uint32_t bits = (uint32_t)(kept[l] >> query);
        KT_EACH
        for (int i = 0; i < COLS; i++)
            panel[l * COLS + i] *= bits >> i & 1 ? factor : 0;
    }
}

/* Keys that the queries of a block see: those after its last query are not computed, but for the rest of a register tile. */
static int64_t FN(keys_seen)(const kt__attention *a, int64_t query, int64_t queries)
{
    return FN(lesser)(FN(rounded_up)(kt__keys_until(a, query + queries), UNIT), a->keys);
}

/* ---- a copy of keys or values as dense Ts, padded to whole register tiles: for operands that are converted, if several blocks
 * of queries read them ---- */

typedef struct FN(layout) {
    FN(rows)     from, to; /* to: its matrices are `laid` */
    kt__matrices laid;
    int64_t      heads, count;
    void        *made;
    size_t       granted;
} FN(layout);

/* How many rows from `row` on lie behind each other as those of the copy will: they are converted as one line. */
static int64_t FN(rows_in_line)(const FN(layout) *x, int64_t row, int64_t most)
{
    const int64_t left = x->count - row, line = x->from.n * x->from.lens.step;
    const bool    dense = x->from.n % COLS == 0 && x->from.lens.step == kt__dtype_rows[x->from.lens.is].size;
    return !dense || left < 1 || (x->count > 1 && x->from.m->step[2] != line) ? 1 : FN(lesser)(left, most);
}

static void FN(lay_rows)(void *ctx, int64_t begin, int64_t end)
{
    const FN(layout) *x = ctx;
    const int64_t     padded = FN(rounded_up)(x->from.n, COLS), all = FN(rounded_up)(x->count, ROWS);
    for (int64_t i = begin, rows; i < end; i += rows) {
        const int64_t row = i % all, head = i / all % x->heads, batch = i / all / x->heads;
        T            *to = (T *)(void *)kt__row_at(&x->laid, batch, head, row);
        const int64_t there = row < x->count ? x->from.n : 0;
        rows = FN(rows_in_line)(x, row, end - i);
        if (there)
            FN(load_line)(to, &x->from.lens, kt__row_at(x->from.m, batch, head, row), rows * there);
        if (rows == 1)
            memset(to + there, 0, sizeof(T) * (size_t)(padded - there));
    }
}

/* Copies only if that pays. The rows to read are x->to; false: no memory. */
static bool FN(lay_out)(FN(layout) *x, const kt__matrices *m, const kt__attention *a, int64_t columns)
{
    const int64_t padded = FN(rounded_up)(columns, COLS), all = FN(rounded_up)(a->keys, ROWS), heads = a->heads / a->group;
    const int64_t line = padded * (int64_t)sizeof(T), lines = a->batch * heads * all;
    memset(x, 0, sizeof *x);
    x->from = x->to = FN(rows_of)(m, columns);
    x->heads = heads, x->count = a->keys;
    if (x->from.direct || a->queries <= QUERIES)
        return true;
    if (!(x->made = kt__block_get((size_t)(lines * line), &x->granted)))
        return false;
    x->laid = (kt__matrices){{.data = x->made, .is = SELF, .as = SELF}, {heads * all * line, all * line, line, sizeof(T)}};
    x->to = FN(rows_of)(&x->laid, columns);
    x->to.direct = x->to.padded = true;
    kt__parallel(lines, KT__GRAIN / padded + 1, FN(lay_rows), x);
    return true;
}
