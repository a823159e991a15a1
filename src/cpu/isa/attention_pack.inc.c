/* attention_pack.inc.c - what attention in bfloat16 by tiles of the processor is made of: rows of operands, packed, and products.
 *
 * Scores lie as [keys][queries], as in attention_tile.inc.c. So keys are the left factor as they lie in memory, and what
 * becomes of the scores is the right factor of the next product as soon as two keys' are joined: no score is ever turned round.
 * A left factor is rows of 32 along k, a right factor rows of pairs along k, [k / 2][n][2]. All sizes are multiples of SPAN:
 * what is beyond an operand's is 0. Independent of: the order of the tiles, masks. */
#include <immintrin.h>

#include "base/alloc.h"
#include "base/error.h"
#include "base/thread.h"
#include "cpu/attention/attention.h"
#include "cpu/isa/amx.h"

typedef uint16_t half;

enum {
    SIDE = 16,     /* rows of a tile; float32s, or pairs, of a row */
    SPAN = 32,     /* two tiles; bfloat16s of a row */
    QUERIES = KT__ATTENTION_QUERIES,
    LINE = 64      /* bytes of a row */
};

#define NOINLINE __attribute__((noinline))

static int64_t up_to_span(int64_t n) { return (n + SPAN - 1) / SPAN * SPAN; }
static int64_t lesser(int64_t a, int64_t b) { return a < b ? a : b; }

/* One block of memory for n parts of so many bytes: where each begins is written to *at[i]. NULL: there is none. */
static char *divided_room(void **const *at, const int64_t *bytes, size_t n, size_t *granted)
{
    int64_t all = 0;
    for (size_t i = 0; i < n; i++)
        all += (bytes[i] + LINE - 1) / LINE * LINE;
    char *const room = kt__block_get((size_t)all, granted), *next = room;
    for (size_t i = 0; room && i < n; i++)
        *at[i] = next, next += (bytes[i] + LINE - 1) / LINE * LINE;
    return room;
}

/* ---- products ---- */

typedef struct side { /* bytes from row to row of a tile, to the next tile along m or n, and along k */
    const void *p;
    int64_t     row, tile, step;
} side;

static side rows_side(const half *p, int64_t ld) { return (side){p, 2 * ld, 2 * SIDE * ld, LINE}; }
static side turned_side(const half *p, int64_t m) { return (side){p, LINE, LINE * SIDE, LINE * m}; }
static side pairs_side(const half *p, int64_t n) { return (side){p, 4 * n, LINE, 4 * SIDE * n}; }

/* c[m][n] (= or +=) a[m][k] b[k][n], `steps` of 32 along k. */
static NOINLINE KT_AMX void product(float *c, int64_t ldc, side a, side b, int64_t m, int64_t n, int64_t steps, bool adds)
{
    const int64_t by_row = ldc * (int64_t)sizeof(float);
    for (int64_t j = 0; j < n; j += SPAN)
        for (int64_t i = 0; i < m; i += SPAN) {
            const char  *x = (const char *)a.p + i / SIDE * a.tile, *y = (const char *)b.p + j / SIDE * b.tile;
            float *const to = c + i * ldc + j, *const below = to + SIDE * ldc;
            if (adds) {
                _tile_loadd(0, to, by_row);
                _tile_loadd(1, to + SIDE, by_row);
                _tile_loadd(2, below, by_row);
                _tile_loadd(3, below + SIDE, by_row);
            } else {
                _tile_zero(0);
                _tile_zero(1);
                _tile_zero(2);
                _tile_zero(3);
            }
            for (int64_t l = 0; l < steps; l++, x += a.step, y += b.step) {
                _tile_loadd(4, x, a.row);
                _tile_loadd(6, y, b.row);
                _tile_dpbf16ps(0, 4, 6);
                _tile_loadd(7, y + b.tile, b.row);
                _tile_dpbf16ps(1, 4, 7);
                _tile_loadd(5, x + a.tile, a.row);
                _tile_dpbf16ps(2, 5, 6);
                _tile_dpbf16ps(3, 5, 7);
            }
            _tile_stored(0, to, by_row);
            _tile_stored(1, to + SIDE, by_row);
            _tile_stored(2, below, by_row);
            _tile_stored(3, below + SIDE, by_row);
        }
}

/* ---- squares of 16 words, turned round ---- */

KT_ALWAYS void turn(__m512i *r)
{
    __m512i t[SIDE];
#pragma GCC unroll 8
    for (int i = 0; i < SIDE; i += 2) {
        t[i] = _mm512_unpacklo_epi32(r[i], r[i + 1]);
        t[i + 1] = _mm512_unpackhi_epi32(r[i], r[i + 1]);
    }
#pragma GCC unroll 4
    for (int i = 0; i < SIDE; i += 4) {
        r[i] = _mm512_unpacklo_epi64(t[i], t[i + 2]);
        r[i + 1] = _mm512_unpackhi_epi64(t[i], t[i + 2]);
        r[i + 2] = _mm512_unpacklo_epi64(t[i + 1], t[i + 3]);
        r[i + 3] = _mm512_unpackhi_epi64(t[i + 1], t[i + 3]);
    }
#pragma GCC unroll 4
    for (int i = 0; i < 4; i++) { /* quarters of columns i, 4 + i, 8 + i, 12 + i */
        const __m512i a = _mm512_shuffle_i32x4(r[i], r[4 + i], 0x88), b = _mm512_shuffle_i32x4(r[8 + i], r[12 + i], 0x88);
        const __m512i c = _mm512_shuffle_i32x4(r[i], r[4 + i], 0xdd), d = _mm512_shuffle_i32x4(r[8 + i], r[12 + i], 0xdd);
        t[i] = _mm512_shuffle_i32x4(a, b, 0x88);
        t[4 + i] = _mm512_shuffle_i32x4(c, d, 0x88);
        t[8 + i] = _mm512_shuffle_i32x4(a, b, 0xdd);
        t[12 + i] = _mm512_shuffle_i32x4(c, d, 0xdd);
    }
#pragma GCC unroll 16
    for (int i = 0; i < SIDE; i++)
        r[i] = t[i];
}

/* Of two rows, 16 columns from column 0 of each on: pairs, the first row's below. */
KT_ALWAYS __m512i pairs_of(const half *x, const half *y)
{
    const __m512i low = _mm512_cvtepu16_epi32(_mm256_loadu_si256((const __m256i *)(const void *)x));
    const __m512i high = _mm512_cvtepu16_epi32(_mm256_loadu_si256((const __m256i *)(const void *)y));
    return _mm512_or_si512(low, _mm512_slli_epi32(high, 16));
}

/* SPAN rows become a right factor of which they are columns: [columns / 2][SPAN][2]. */
static NOINLINE void pack_columns(half *to, const half *from, int64_t ld, int64_t columns)
{
    for (int64_t j = 0; j < columns; j += SPAN)
        for (int i = 0; i < SPAN; i += SIDE) {
            __m512i r[SIDE];
#pragma GCC unroll 16
            for (int k = 0; k < SIDE; k++)
                r[k] = _mm512_loadu_si512(from + (i + k) * ld + j);
            turn(r);
#pragma GCC unroll 16
            for (int k = 0; k < SIDE; k++)
                _mm512_storeu_si512(to + (j / 2 + k) * 2 * SPAN + 2 * i, r[k]);
        }
}

/* `rows` rows become a right factor of which they are rows: [rows / 2][columns][2]. */
static NOINLINE void pack_rows(half *to, const half *from, int64_t ld, int64_t rows, int64_t columns)
{
    for (int64_t i = 0; i < rows; i += 2)
        for (int64_t j = 0; j < columns; j += SIDE)
            _mm512_storeu_si512(to + i * columns + 2 * j, pairs_of(from + i * ld + j, from + (i + 1) * ld + j));
}

/* SPAN rows become a left factor of which they are columns: [columns][SPAN]. */
static NOINLINE void pack_turned(half *to, const half *from, int64_t ld, int64_t columns)
{
    for (int64_t j = 0; j < columns; j += SIDE) {
        __m512i r[SIDE];
#pragma GCC unroll 16
        for (int k = 0; k < SIDE; k++)
            r[k] = pairs_of(from + 2 * k * ld + j, from + (2 * k + 1) * ld + j);
        turn(r);
#pragma GCC unroll 16
        for (int k = 0; k < SIDE; k++)
            _mm512_storeu_si512(to + (j + k) * SPAN, r[k]);
    }
}

/* ---- rows of operands ---- */

typedef struct rows {
    const kt__matrices *m;
    int64_t             n, padded; /* columns */
    bool                dense;
} rows;

static rows rows_of(const kt__matrices *m, int64_t n)
{
    return (rows){m, n, up_to_span(n), n == 1 || m->step[3] == sizeof(half)};
}

KT_ALWAYS __mmask32 up_to(int64_t n) { return n < SPAN ? (1u << n) - 1 : ~0u; }

/* With zeros up to a multiple of SPAN. */
static void get_row(half *to, const rows *r, const char *from)
{
    if (r->dense) {
        for (int64_t j = 0; j < r->n; j += SPAN)
            _mm512_storeu_si512(to + j, _mm512_maskz_loadu_epi16(up_to(r->n - j), from + j * (int64_t)sizeof(half)));
        return;
    }
    for (int64_t j = 0; j < r->n; j++)
        memcpy(to + j, from + j * r->m->step[3], sizeof(half));
    memset(to + r->n, 0, sizeof(half) * (size_t)(r->padded - r->n));
}

static void put_row(char *to, const rows *r, const half *from)
{
    for (int64_t j = 0; r->dense && j < r->n; j += SPAN)
        _mm512_mask_storeu_epi16(to + j * (int64_t)sizeof(half), up_to(r->n - j), _mm512_loadu_si512(from + j));
    for (int64_t j = 0; !r->dense && j < r->n; j++)
        memcpy(to + j * r->m->step[3], from + j, sizeof(half));
}

/* `count` rows, copied; rows of zeros up to a multiple of SPAN. */
static void copy_rows(half *to, const rows *r, int64_t batch, int64_t head, int64_t first, int64_t count)
{
    const char *from = kt__row_at(r->m, batch, head, first);
    for (int64_t i = 0; i < count; i++)
        get_row(to + i * r->padded, r, from + i * r->m->step[2]);
    memset(to + count * r->padded, 0, sizeof(half) * (size_t)((up_to_span(count) - count) * r->padded));
}

/* The same, `ld` from row to row: where they lie, if that serves, else in `room`. */
static const half *block_of(const rows *r, int64_t batch, int64_t head, int64_t first, int64_t count, half *room, int64_t *ld)
{
    if (r->dense && r->n == r->padded && count % SPAN == 0) {
        *ld = r->m->step[2] / (int64_t)sizeof(half);
        return (const half *)(const void *)kt__row_at(r->m, batch, head, first);
    }
    *ld = r->padded;
    copy_rows(room, r, batch, head, first, count);
    return room;
}

KT_ALWAYS __m512 floats_of(const half *x)
{
    const __m256i words = _mm256_loadu_si256((const __m256i *)(const void *)x);
    return _mm512_castsi512_ps(_mm512_slli_epi32(_mm512_cvtepu16_epi32(words), 16));
}

/* ---- results ---- */

/* To nearest, ties to even; NaN stays. */
KT_ALWAYS __m256i bf16_of(__m512 x)
{
    const __m512i bits = _mm512_castps_si512(x), odd = _mm512_and_si512(_mm512_srli_epi32(bits, 16), _mm512_set1_epi32(1));
    const __m512i up = _mm512_add_epi32(_mm512_add_epi32(bits, _mm512_set1_epi32(0x7fff)), odd);
    const __m512i quiet = _mm512_or_si512(bits, _mm512_set1_epi32(0x400000));
    return _mm512_cvtepi32_epi16(
        _mm512_srli_epi32(_mm512_mask_mov_epi32(up, _mm512_cmp_ps_mask(x, x, _CMP_UNORD_Q), quiet), 16));
}

/* Sums [columns][SPAN queries], times the queries' factors, as SPAN rows of bfloat16. */
static NOINLINE void finish_rows(half *to, const float *sums, const float *factor, int64_t columns)
{
    for (int i = 0; i < SPAN; i += SIDE)
        for (int64_t j = 0; j < columns; j += SIDE) {
            const __m512 times = _mm512_loadu_ps(factor + i);
            __m512i      r[SIDE];
#pragma GCC unroll 16
            for (int k = 0; k < SIDE; k++)
                r[k] = _mm512_castps_si512(_mm512_mul_ps(_mm512_loadu_ps(sums + (j + k) * SPAN + i), times));
            turn(r);
#pragma GCC unroll 16
            for (int k = 0; k < SIDE; k++)
                _mm256_storeu_si256((__m256i *)(void *)(to + (i + k) * columns + j), bf16_of(_mm512_castsi512_ps(r[k])));
        }
}

/* ---- exponentials ---- */

/* exp_below_f32 (math/exp_below.h) of 16 numbers. */
KT_ALWAYS __m512 exp_below_16(__m512 a)
{
    const __m512 big = _mm512_set1_ps(ROUND_F32(127)), t = _mm512_fmadd_ps(a, _mm512_set1_ps(LOG2E_F32), big);
    const __m512 k = _mm512_sub_ps(t, big), near = _mm512_fmadd_ps(k, _mm512_set1_ps(-EXP_LN2_F32), a);
    const __m512 r = _mm512_fmadd_ps(k, _mm512_set1_ps(-EXP_LN2_LOW_F32), near), r2 = _mm512_mul_ps(r, r);
    const __m512 s = _mm512_castsi512_ps(_mm512_slli_epi32(_mm512_castps_si512(t), 23));
    const __m512 last = _mm512_fmadd_ps(r, _mm512_set1_ps(0x1.123abcp-7f), _mm512_set1_ps(0x1.55589ep-5f));
    const __m512 high = _mm512_fmadd_ps(r2, _mm512_set1_ps(0x1.6a624cp-10f), last);
    const __m512 low = _mm512_fmadd_ps(r, _mm512_set1_ps(0x1.55549p-3f), _mm512_set1_ps(0x1.fffffcp-2f));
    const __m512 tail = _mm512_fmadd_ps(r2, high, low), e = _mm512_fmadd_ps(s, _mm512_fmadd_ps(r2, tail, r), s);
    return _mm512_maskz_mov_ps(_mm512_cmp_ps_mask(a, _mm512_set1_ps(-87.0f), _CMP_NLT_UQ), e);
}
