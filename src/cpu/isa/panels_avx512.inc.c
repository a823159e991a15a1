/* panels_avx512.inc.c - register tiles of float32 products by packed panels (gemm/panels.h), with AVX-512. A part of panels.c.
 *
 * A panel is [k][side]. A tile is ROWS x COLUMNS sums in 16 registers: a step reads two vectors of b and ROWS numbers of a, which
 * is less than the processor reads while it multiplies them. Independent of: blocks, threads. */
#include <immintrin.h>

enum { ROWS = 8, VEC = 16, VECS = 2, COLUMNS = VECS * VEC, TURNED = 4, LINE = 64 };

/* Four numbers of four rows become four rows of them, `side` apart. */
KT_ALWAYS void turn_four(float *to, int side, const float *from, int64_t by_row)
{
    const __m128 a = _mm_loadu_ps(from), b = _mm_loadu_ps(from + by_row), c = _mm_loadu_ps(from + 2 * by_row),
                 d = _mm_loadu_ps(from + 3 * by_row);
    const __m128 ab = _mm_unpacklo_ps(a, b), cd = _mm_unpacklo_ps(c, d), ab_high = _mm_unpackhi_ps(a, b),
                 cd_high = _mm_unpackhi_ps(c, d);
    _mm_storeu_ps(to, _mm_movelh_ps(ab, cd));
    _mm_storeu_ps(to + side, _mm_movehl_ps(cd, ab));
    _mm_storeu_ps(to + 2 * side, _mm_movelh_ps(ab_high, cd_high));
    _mm_storeu_ps(to + 3 * side, _mm_movehl_ps(cd_high, ab_high));
}

/* Rows are too far apart for the processor to foresee: the same ones are asked for further on. Asking past the end of the memory
 * does no harm. */
KT_ALWAYS void ask_for(const float *from, int bytes)
{
    __builtin_prefetch((const char *)((uintptr_t)from + (uintptr_t)bytes), 0, 2);
}

KT_ALWAYS void pack_side(float *to, const float *from, int64_t by_row, int64_t by_k, int64_t rows, int64_t k, const int side)
{
    int64_t l = 0;
    for (; rows == side && by_row == 1 && l < k; l++, to += side) {
        ask_for(from + l * by_k, 2 * LINE);
        memcpy(to, from + l * by_k, (size_t)side * sizeof *to);
    }
    for (; rows == side && by_k == 1 && l + TURNED <= k; l += TURNED, to += TURNED * side)
        for (int i = 0; i < side; i += TURNED) {
            for (int j = 0; l % (LINE / (int)sizeof *from) == 0 && j < TURNED; j++)
                ask_for(from + (i + j) * by_row + l, 8 * LINE);
            turn_four(to + i, side, from + i * by_row + l, by_row);
        }
    for (; l < k; l++, to += side)
        for (int64_t i = 0; i < side; i++)
            to[i] = i < rows ? from[i * by_row + l * by_k] : 0;
}

static void pack_rows(void *panel, const void *matrix, int64_t by_row, int64_t by_k, int64_t rows, int64_t k)
{
    pack_side(panel, matrix, by_row, by_k, rows, k, ROWS);
}

static void pack_columns(void *panel, const void *matrix, int64_t by_row, int64_t by_k, int64_t rows, int64_t k)
{
    pack_side(panel, matrix, by_row, by_k, rows, k, COLUMNS);
}

static void tile_f32(float *c, int64_t ldc, const void *panel_a, const void *panel_b, int64_t k, bool adds)
{
    const float *a = panel_a, *b = panel_b;
    __m512       sum[ROWS][VECS];
#pragma GCC unroll 8
    for (int i = 0; i < ROWS; i++)
#pragma GCC unroll 2
        for (int j = 0; j < VECS; j++)
            sum[i][j] = adds ? _mm512_loadu_ps(c + i * ldc + j * VEC) : _mm512_setzero_ps();
    for (int64_t l = 0; l < k; l++, a += ROWS, b += COLUMNS) {
        const __m512 y[VECS] = {_mm512_loadu_ps(b), _mm512_loadu_ps(b + VEC)};
#pragma GCC unroll 8
        for (int i = 0; i < ROWS; i++) {
            const __m512 x = _mm512_set1_ps(a[i]);
#pragma GCC unroll 2
            for (int j = 0; j < VECS; j++)
                sum[i][j] = _mm512_fmadd_ps(x, y[j], sum[i][j]);
        }
    }
#pragma GCC unroll 8
    for (int i = 0; i < ROWS; i++)
#pragma GCC unroll 2
        for (int j = 0; j < VECS; j++)
            _mm512_storeu_ps(c + i * ldc + j * VEC, sum[i][j]);
}
TILES(tiles_f32, tile_f32, ROWS, COLUMNS)

#define F32_PANEL \
    {.rows = ROWS, .columns = COLUMNS, .unit = 1, .pack_a = {pack_rows}, .pack_b = {pack_columns}, .tiles = tiles_f32}
#define BF16_PANEL {.tiles = NULL}
