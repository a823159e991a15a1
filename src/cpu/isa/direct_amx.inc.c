/* direct_amx.inc.c - the loops of direct_bf16.c by tiles of AMX. A word of a packed row is two terms. Numbers that are too small
 * to be normal count as 0 in the products. */
enum { SIDE = AMX_ROWS, TILE = AMX_ROWS * AMX_TERMS, WIDE = 2 * SIDE };

KT_AMX static void begin(void) { amx_begin(&amx_whole); }
KT_AMX static void end(void) { amx_end(); }

/* ---- copies ---- */

KT_ALWAYS __mmask16 first_of(int64_t n) { return n >= SIDE ? 0xffff : (__mmask16)((1u << n) - 1); }

/* 16 rows of 16 words of 32 bits: rows become columns. */
KT_ALWAYS void turn_words(__m512i x[SIDE])
{
    __m512i y[SIDE];
#pragma GCC unroll 8
    for (int i = 0; i < SIDE; i += 2) {
        y[i] = _mm512_unpacklo_epi32(x[i], x[i + 1]);
        y[i + 1] = _mm512_unpackhi_epi32(x[i], x[i + 1]);
    }
#pragma GCC unroll 4
    for (int i = 0; i < SIDE; i += 4) {
        x[i] = _mm512_unpacklo_epi64(y[i], y[i + 2]);
        x[i + 1] = _mm512_unpackhi_epi64(y[i], y[i + 2]);
        x[i + 2] = _mm512_unpacklo_epi64(y[i + 1], y[i + 3]);
        x[i + 3] = _mm512_unpackhi_epi64(y[i + 1], y[i + 3]);
    }
#pragma GCC unroll 4
    for (int i = 0; i < 4; i++) { /* x[4 q + i] holds columns i, i + 4, i + 8, i + 12 of rows 4 q on */
        const __m512i a = _mm512_shuffle_i32x4(x[i], x[i + 4], 0x88), b = _mm512_shuffle_i32x4(x[i + 8], x[i + 12], 0x88),
                      c = _mm512_shuffle_i32x4(x[i], x[i + 4], 0xdd), d = _mm512_shuffle_i32x4(x[i + 8], x[i + 12], 0xdd);
        y[i] = _mm512_shuffle_i32x4(a, b, 0x88);
        y[i + 4] = _mm512_shuffle_i32x4(c, d, 0x88);
        y[i + 8] = _mm512_shuffle_i32x4(a, b, 0xdd);
        y[i + 12] = _mm512_shuffle_i32x4(c, d, 0xdd);
    }
#pragma GCC unroll 16
    for (int i = 0; i < SIDE; i++)
        x[i] = y[i];
}

static void turn(uint16_t *to, const uint16_t *from, int64_t by_row)
{
    __m512i x[SIDE];
#pragma GCC unroll 16
    for (int i = 0; i < SIDE; i++)
        x[i] = _mm512_loadu_si512(from + i * by_row);
    turn_words(x);
#pragma GCC unroll 16
    for (int i = 0; i < SIDE; i++)
        _mm512_storeu_si512(to + i * AMX_TERMS, x[i]);
}

/* At most 16 elements of a row, side by side or every other one, as words. What follows the last is not read. */
KT_ALWAYS __m512i words(const uint16_t *row, int64_t step, int64_t n)
{
    if (row == NULL)
        return _mm512_setzero_si512();
    if (step == 1)
        return _mm512_cvtepu16_epi32(_mm256_maskz_loadu_epi16(first_of(n), row));
    const __mmask32 others = n >= SIDE ? 0x55555555u : 0x55555555u & ((1u << 2 * n) - 1);
    return _mm512_maskz_loadu_epi16(others, row);
}

/* to [n, 32]: n elements of each row */
static void gather(uint16_t *to, const uint16_t *const *rows, int64_t step, int64_t n)
{
    if (step != 1 && step != 2) {
        for (int64_t i = 0; i < n; i++)
            for (int c = 0; c < AMX_TERMS; c++)
                to[i * AMX_TERMS + c] = rows[c] ? rows[c][i * step] : 0;
        return;
    }
    for (int64_t i = 0; i < n; i += SIDE) {
        __m512i x[SIDE];
#pragma GCC unroll 16
        for (int c = 0; c < SIDE; c++) {
            const uint16_t *a = rows[2 * c], *b = rows[2 * c + 1];
            const __m512i   low = words(a ? a + i * step : a, step, n - i), high = words(b ? b + i * step : b, step, n - i);
            x[c] = _mm512_or_si512(low, _mm512_slli_epi32(high, 16));
        }
        turn_words(x);
        if (n - i >= SIDE)
#pragma GCC unroll 16
            for (int j = 0; j < SIDE; j++)
                _mm512_storeu_si512(to + (i + j) * AMX_TERMS, x[j]);
        else
#pragma GCC unroll 16
            for (int j = 0; j < SIDE; j++)
                _mm512_mask_storeu_epi32(to + (i + j) * AMX_TERMS, j < n - i ? 0xffff : 0, x[j]);
    }
}

/* to[c * by_channel + i] = from[i * step + c], of n positions with at most 32 channels */
static void spread(uint16_t *to, int64_t by_channel, const uint16_t *from, int64_t step, int64_t n, int64_t channels)
{
    const __mmask32 read = channels >= AMX_TERMS ? 0xffffffffu : (1u << channels) - 1;
    for (int64_t i = 0; i < n; i += SIDE) {
        const __mmask16 made = first_of(n - i);
        __m512i         x[SIDE];
#pragma GCC unroll 16
        for (int j = 0; j < SIDE; j++)
            x[j] = j < n - i ? _mm512_maskz_loadu_epi16(read, from + (i + j) * step) : _mm512_setzero_si512();
        turn_words(x);
#pragma GCC unroll 16
        for (int c = 0; c < SIDE; c++) {
            if (2 * c < channels)
                _mm256_mask_storeu_epi16(to + 2 * c * by_channel + i, made, _mm512_cvtepi32_epi16(x[c]));
            if (2 * c + 1 < channels)
                _mm256_mask_storeu_epi16(to + (2 * c + 1) * by_channel + i, made,
                                         _mm512_cvtepi32_epi16(_mm512_srli_epi32(x[c], 16)));
        }
    }
}

/* ---- an image times weights ---- */

/* positions, rows: tiles, 1 or 2 each */
KT_AMX KT_ALWAYS void multiply_tiles(float *sums, const char *image, const int64_t *at, const uint16_t *weights, int64_t k,
                                     int positions, int rows)
{
    const int64_t line = AMX_BYTES, wide = WIDE * (int64_t)sizeof *sums;
    _tile_zero(0);
    _tile_zero(1);
    _tile_zero(2);
    _tile_zero(3);
    for (int64_t l = 0; l < k; l++, weights += rows * TILE) {
        _tile_loadd(4, image + at[l], line);
        _tile_loadd(6, weights, line);
        _tile_dpbf16ps(0, 4, 6);
        if (rows == 2) {
            _tile_loadd(7, weights + TILE, line);
            _tile_dpbf16ps(1, 4, 7);
        }
        if (positions == 2) {
            _tile_loadd(5, image + at[l] + SIDE * AMX_BYTES, line);
            _tile_dpbf16ps(2, 5, 6);
        }
        if (rows == 2 && positions == 2)
            _tile_dpbf16ps(3, 5, 7);
    }
    _tile_stored(0, sums, wide);
    _tile_stored(1, sums + SIDE, wide);
    _tile_stored(2, sums + SIDE * WIDE, wide);
    _tile_stored(3, sums + SIDE * WIDE + SIDE, wide);
}

KT_AMX static void multiply(float *sums, const char *image, const int64_t *at, const uint16_t *weights, int64_t k, int positions,
                            int rows)
{
    if (rows == 2 && positions == 2)
        multiply_tiles(sums, image, at, weights, k, 2, 2);
    else if (rows == 2)
        multiply_tiles(sums, image, at, weights, k, 1, 2);
    else if (positions == 2)
        multiply_tiles(sums, image, at, weights, k, 2, 1);
    else
        multiply_tiles(sums, image, at, weights, k, 1, 1);
}

/* ---- sums [32 positions, 32 rows] become results ---- */

/* In the upper half of each word: to the nearest, ties to even; a NaN stays one. */
KT_ALWAYS __m512i rounded(__m512 x)
{
    const __m512i bits = _mm512_castps_si512(x), odd = _mm512_and_si512(_mm512_srli_epi32(bits, 16), _mm512_set1_epi32(1));
    const __m512i up = _mm512_add_epi32(bits, _mm512_add_epi32(odd, _mm512_set1_epi32(0x7fff)));
    return _mm512_mask_mov_epi32(up, _mm512_cmp_ps_mask(x, x, _CMP_UNORD_Q), _mm512_set1_epi32(0x7fc00000));
}

KT_ALWAYS __m512 bias_of(const float *bias, int64_t rows)
{
    return bias ? _mm512_maskz_loadu_ps(first_of(rows), bias) : _mm512_setzero_ps();
}

static void write_rows(const float *sums, const kt__stretch *s, int n, const float *bias, int64_t rows, uint16_t *out,
                       int64_t by_row)
{
    for (int64_t first = 0; first < rows; first += SIDE, sums += SIDE) {
        const __m512 add = bias_of(bias ? bias + first : NULL, rows - first);
        __m512i      x[SIDE];
#pragma GCC unroll 16
        for (int i = 0; i < SIDE; i++) {
            const __m512 a = _mm512_loadu_ps(sums + 2 * i * WIDE), b = _mm512_loadu_ps(sums + (2 * i + 1) * WIDE);
            const __m512i low = rounded(bias ? _mm512_add_ps(a, add) : a), high = rounded(bias ? _mm512_add_ps(b, add) : b);
            x[i] = _mm512_or_si512(_mm512_srli_epi32(low, 16), _mm512_and_si512(high, _mm512_set1_epi32(-0x10000)));
        }
        turn_words(x);
        uint16_t turned[SIDE][WIDE] __attribute__((aligned(64)));
#pragma GCC unroll 16
        for (int i = 0; i < SIDE; i++)
            _mm512_store_si512(turned[i], x[i]);
        for (int64_t r = 0; r < SIDE && first + r < rows; r++) {
            const __m512i row = _mm512_load_si512(turned[r]);
            for (int i = 0; i < n; i++) {
                const __mmask32 m = (__mmask32)((((uint64_t)1 << s[i].length) - 1) << s[i].from);
                _mm512_mask_storeu_epi16(out + (first + r) * by_row + s[i].to - s[i].from, m, row);
            }
        }
    }
}

static void write_positions(const float *sums, const kt__stretch *s, int n, const float *bias, int64_t rows, uint16_t *out,
                            int64_t by_position)
{
    for (int i = 0; i < n; i++)
        for (int64_t j = 0; j < s[i].length; j++)
            for (int64_t first = 0; first < rows; first += SIDE) {
                const __m512 x = _mm512_loadu_ps(sums + (s[i].from + j) * WIDE + first),
                             y = bias ? _mm512_add_ps(x, bias_of(bias + first, rows - first)) : x;
                _mm256_mask_storeu_epi16(out + s[i].to + j * by_position + first, first_of(rows - first),
                                         _mm512_cvtepi32_epi16(_mm512_srli_epi32(rounded(y), 16)));
            }
}

/* ---- an image times what flowed back ---- */

KT_AMX KT_ALWAYS void add_tiles(float *sums, const char *image, int64_t by_channel, const int64_t *at, const uint16_t *back,
                                int64_t by_block, int64_t k, int channels, int rows)
{
    const int64_t line = AMX_BYTES;
    _tile_loadd(0, sums, line);
    _tile_loadd(1, sums + SIDE * SIDE, line);
    _tile_loadd(2, sums + 2 * SIDE * SIDE, line);
    _tile_loadd(3, sums + 3 * SIDE * SIDE, line);
    for (int64_t l = 0; l < k; l++, back += TILE) {
        _tile_loadd(4, image + at[l], by_channel);
        _tile_loadd(6, back, line);
        _tile_dpbf16ps(0, 4, 6);
        if (channels == 2) {
            _tile_loadd(5, image + at[l] + SIDE * by_channel, by_channel);
            _tile_dpbf16ps(2, 5, 6);
        }
        if (rows == 2) {
            _tile_loadd(7, back + by_block, line);
            _tile_dpbf16ps(1, 4, 7);
        }
        if (channels == 2 && rows == 2)
            _tile_dpbf16ps(3, 5, 7);
    }
    _tile_stored(0, sums, line);
    _tile_stored(1, sums + SIDE * SIDE, line);
    _tile_stored(2, sums + 2 * SIDE * SIDE, line);
    _tile_stored(3, sums + 3 * SIDE * SIDE, line);
}

KT_AMX static void add(float *sums, const char *image, int64_t by_channel, const int64_t *at, const uint16_t *back,
                       int64_t by_block, int64_t k, int channels, int rows)
{
    if (channels == 2 && rows == 2)
        add_tiles(sums, image, by_channel, at, back, by_block, k, 2, 2);
    else if (channels == 2)
        add_tiles(sums, image, by_channel, at, back, by_block, k, 2, 1);
    else if (rows == 2)
        add_tiles(sums, image, by_channel, at, back, by_block, k, 1, 2);
    else
        add_tiles(sums, image, by_channel, at, back, by_block, k, 1, 1);
}

const kt__cpu_direct_bf16 KT__CPU_SYMBOL(direct_bf16, KT_ISA) = {
    .needs = AMX_NEEDS, .terms = 2, .begin = begin, .end = end, .gather = gather, .spread = spread, .turn = turn,
    .multiply = multiply, .write_rows = write_rows, .write_positions = write_positions, .add = add};
