/* direct_bfmmla.inc.c - the loops of direct_bf16.c by BFMMLA: two rows of four terms times two others are four sums. A word of a
 * packed row is four terms. Sums are made 8 by 8 in registers. The instruction rounds to odd, and takes numbers that are too
 * small to be normal for 0. */
#include <arm_neon.h>
#include <string.h>

enum { SIDE = 16, TERMS = 4, ROW = 32, TILE = SIDE * ROW, WIDE = 2 * SIDE };
enum { LANES = 8, PART = 8, PAIRS = PART / 2, WORDS = ROW / TERMS, WORD = SIDE * TERMS }; /* of registers, of tiles */

static void begin(void) {}
static void end(void) {}

/* ---- copies ---- */

/* 8 rows of 8 elements: rows become columns. */
KT_ALWAYS void turn_elements(uint16x8_t x[LANES])
{
    uint16x8_t y[LANES];
#pragma GCC unroll 4
    for (int i = 0; i < LANES; i += 2) {
        y[i] = vtrn1q_u16(x[i], x[i + 1]);
        y[i + 1] = vtrn2q_u16(x[i], x[i + 1]);
    }
#pragma GCC unroll 2
    for (int i = 0; i < LANES; i += 4)
#pragma GCC unroll 2
        for (int j = 0; j < 2; j++) {
            const uint32x4_t a = vreinterpretq_u32_u16(y[i + j]), b = vreinterpretq_u32_u16(y[i + j + 2]);
            x[i + j] = vreinterpretq_u16_u32(vtrn1q_u32(a, b));
            x[i + j + 2] = vreinterpretq_u16_u32(vtrn2q_u32(a, b));
        }
#pragma GCC unroll 4
    for (int i = 0; i < LANES / 2; i++) {
        const uint64x2_t a = vreinterpretq_u64_u16(x[i]), b = vreinterpretq_u64_u16(x[i + 4]);
        x[i] = vreinterpretq_u16_u64(vtrn1q_u64(a, b));
        x[i + 4] = vreinterpretq_u16_u64(vtrn2q_u64(a, b));
    }
}

/* 16 rows of 8 words become columns. */
static void turn(uint16_t *to, const uint16_t *from, int64_t by_row)
{
    for (int r = 0; r < SIDE; r += 2)
#pragma GCC unroll 4
        for (int i = 0; i < WORDS; i += 2) {
            const uint64x2_t a = vreinterpretq_u64_u16(vld1q_u16(from + r * by_row + i * TERMS)),
                             b = vreinterpretq_u64_u16(vld1q_u16(from + (r + 1) * by_row + i * TERMS));
            vst1q_u16(to + i * WORD + r * TERMS, vreinterpretq_u16_u64(vtrn1q_u64(a, b)));
            vst1q_u16(to + (i + 1) * WORD + r * TERMS, vreinterpretq_u16_u64(vtrn2q_u64(a, b)));
        }
}

/* At most 8 elements of a row. What follows the last is not read. */
KT_ALWAYS uint16x8_t elements(const uint16_t *row, int64_t step, int64_t n)
{
    uint16_t some[LANES] = {0};
    if (row == NULL)
        return vdupq_n_u16(0);
    if (step == 1 && n >= LANES)
        return vld1q_u16(row);
    if (step == 2 && n > LANES)
        return vld2q_u16(row).val[0];
    for (int64_t i = 0; i < n && i < LANES; i++)
        some[i] = row[i * step];
    return vld1q_u16(some);
}

/* to [n, 32]: n elements of each row */
static void gather(uint16_t *to, const uint16_t *const *rows, int64_t step, int64_t n)
{
    for (int64_t i = 0; i < n; i += LANES)
        for (int first = 0; first < ROW; first += LANES) {
            uint16x8_t x[LANES];
#pragma GCC unroll 8
            for (int c = 0; c < LANES; c++) {
                const uint16_t *row = rows[first + c];
                x[c] = elements(row ? row + i * step : NULL, step, n - i);
            }
            turn_elements(x);
#pragma GCC unroll 8
            for (int j = 0; j < LANES; j++)
                if (j < n - i)
                    vst1q_u16(to + (i + j) * ROW + first, x[j]);
        }
}

/* to[c * by_channel + i] = from[i * step + c], of n positions with at most 32 channels */
static void spread(uint16_t *to, int64_t by_channel, const uint16_t *from, int64_t step, int64_t n, int64_t channels)
{
    int64_t whole = n / LANES * LANES, c = 0;
    for (; c + LANES <= channels; c += LANES)
        for (int64_t i = 0; i < whole; i += LANES) {
            uint16x8_t x[LANES];
#pragma GCC unroll 8
            for (int j = 0; j < LANES; j++)
                x[j] = vld1q_u16(from + (i + j) * step + c);
            turn_elements(x);
#pragma GCC unroll 8
            for (int j = 0; j < LANES; j++)
                vst1q_u16(to + (c + j) * by_channel + i, x[j]);
        }
    for (int64_t i = 0; i < n; i++)
        for (int64_t j = i < whole ? c : 0; j < channels; j++)
            to[j * by_channel + i] = from[i * step + j];
}

/* ---- products of 8 rows of terms and 8 packed rows ---- */

KT_ALWAYS bfloat16x8_t as_terms(uint64x2_t x) { return vreinterpretq_bf16_u64(x); }

/* sum[i][j] holds rows 2i and 2i + 1 of a, packed rows 2j and 2j + 1. a: rows of 32 terms, by_row bytes apart. */
KT_ALWAYS void add_step(float32x4_t sum[PAIRS][PAIRS], const char *a, int64_t by_row, const uint16_t *packed)
{
#pragma GCC unroll 4
    for (int w = 0; w < WORDS; w += 2, a += 2 * sizeof(uint64_t)) {
        uint64x2_t   x[PART];
        bfloat16x8_t y[2][PAIRS];
#pragma GCC unroll 8
        for (int i = 0; i < PART; i++)
            x[i] = vreinterpretq_u64_u8(vld1q_u8((const uint8_t *)a + i * by_row));
#pragma GCC unroll 2
        for (int h = 0; h < 2; h++)
#pragma GCC unroll 4
            for (int j = 0; j < PAIRS; j++)
                y[h][j] = vreinterpretq_bf16_u16(vld1q_u16(packed + (w + h) * WORD + j * LANES));
#pragma GCC unroll 4
        for (int i = 0; i < PAIRS; i++) {
            const bfloat16x8_t low = as_terms(vtrn1q_u64(x[2 * i], x[2 * i + 1])),
                               high = as_terms(vtrn2q_u64(x[2 * i], x[2 * i + 1]));
#pragma GCC unroll 4
            for (int j = 0; j < PAIRS; j++)
                sum[i][j] = vbfmmlaq_f32(sum[i][j], low, y[0][j]);
#pragma GCC unroll 4
            for (int j = 0; j < PAIRS; j++)
                sum[i][j] = vbfmmlaq_f32(sum[i][j], high, y[1][j]);
        }
    }
}

KT_ALWAYS void store_sums(float *to, int64_t by_row, float32x4_t sum[PAIRS][PAIRS])
{
#pragma GCC unroll 4
    for (int i = 0; i < PAIRS; i++)
#pragma GCC unroll 2
        for (int j = 0; j < PAIRS; j += 2) {
            const float64x2_t a = vreinterpretq_f64_f32(sum[i][j]), b = vreinterpretq_f64_f32(sum[i][j + 1]);
            vst1q_f32(to + 2 * i * by_row + 2 * j, vreinterpretq_f32_f64(vtrn1q_f64(a, b)));
            vst1q_f32(to + (2 * i + 1) * by_row + 2 * j, vreinterpretq_f32_f64(vtrn2q_f64(a, b)));
        }
}

KT_ALWAYS void load_sums(float32x4_t sum[PAIRS][PAIRS], const float *from, int64_t by_row)
{
#pragma GCC unroll 4
    for (int i = 0; i < PAIRS; i++)
#pragma GCC unroll 2
        for (int j = 0; j < PAIRS; j += 2) {
            const float64x2_t a = vreinterpretq_f64_f32(vld1q_f32(from + 2 * i * by_row + 2 * j)),
                              b = vreinterpretq_f64_f32(vld1q_f32(from + (2 * i + 1) * by_row + 2 * j));
            sum[i][j] = vreinterpretq_f32_f64(vtrn1q_f64(a, b));
            sum[i][j + 1] = vreinterpretq_f32_f64(vtrn2q_f64(a, b));
        }
}

/* ---- an image times weights ---- */

KT_ALWAYS void multiply_part(float *sums, const char *image, const int64_t *at, const uint16_t *weights, int64_t by_step,
                             int64_t k)
{
    float32x4_t sum[PAIRS][PAIRS];
#pragma GCC unroll 4
    for (int i = 0; i < PAIRS; i++)
#pragma GCC unroll 4
        for (int j = 0; j < PAIRS; j++)
            sum[i][j] = vdupq_n_f32(0);
    for (int64_t l = 0; l < k; l++, weights += by_step)
        add_step(sum, image + at[l], ROW * (int64_t)sizeof(uint16_t), weights);
    store_sums(sums, WIDE, sum);
}

static KT_IN_REGISTERS void multiply(float *sums, const char *image, const int64_t *at, const uint16_t *weights, int64_t k,
                                     int positions, int rows)
{
    const int64_t line = ROW * (int64_t)sizeof(uint16_t);
    for (int r = 0; r < rows * SIDE; r += PART)
        for (int i = 0; i < positions * SIDE; i += PART)
            multiply_part(sums + i * WIDE + r, image + i * line, at, weights + r / SIDE * TILE + r % SIDE * TERMS, rows * TILE,
                          k);
}

/* ---- sums [32 positions, 32 rows] become results ---- */

/* To the nearest, ties to even; a NaN stays one. */
KT_ALWAYS uint16x8_t rounded(float32x4_t low, float32x4_t high)
{
    const uint16x8_t bits = vreinterpretq_u16_bf16(vcvtq_high_bf16_f32(vcvtq_low_bf16_f32(low), high)),
                     numbers = vcombine_u16(vmovn_u32(vceqq_f32(low, low)), vmovn_u32(vceqq_f32(high, high)));
    return vbslq_u16(numbers, bits, vdupq_n_u16(0x7fc0));
}

KT_ALWAYS uint16x8_t rounded_row(const float *sums, const float *bias, int64_t rows)
{
    float32x4_t low = vld1q_f32(sums), high = vld1q_f32(sums + 4);
    if (bias) {
        float some[LANES] = {0};
        memcpy(some, bias, (size_t)(rows < LANES ? rows : LANES) * sizeof *some);
        low = vaddq_f32(low, vld1q_f32(some)), high = vaddq_f32(high, vld1q_f32(some + 4));
    }
    return rounded(low, high);
}

static void write_rows(const float *sums, const kt__stretch *s, int n, const float *bias, int64_t rows, uint16_t *out,
                       int64_t by_row)
{
    const int64_t end = n ? s[n - 1].from + s[n - 1].length : 0;
    for (int64_t first = 0; first < rows; first += LANES, sums += LANES) {
        uint16_t turned[LANES][WIDE] __attribute__((aligned(64)));
        for (int64_t p = 0; p < end; p += LANES) {
            uint16x8_t x[LANES];
#pragma GCC unroll 8
            for (int i = 0; i < LANES; i++)
                x[i] = rounded_row(sums + (p + i) * WIDE, bias ? bias + first : NULL, rows - first);
            turn_elements(x);
#pragma GCC unroll 8
            for (int i = 0; i < LANES; i++)
                vst1q_u16(turned[i] + p, x[i]);
        }
        for (int64_t r = 0; r < LANES && first + r < rows; r++)
            for (int i = 0; i < n; i++)
                memcpy(out + (first + r) * by_row + s[i].to, turned[r] + s[i].from, (size_t)s[i].length * sizeof *out);
    }
}

static void write_positions(const float *sums, const kt__stretch *s, int n, const float *bias, int64_t rows, uint16_t *out,
                            int64_t by_position)
{
    for (int i = 0; i < n; i++)
        for (int64_t j = 0; j < s[i].length; j++)
            for (int64_t first = 0; first < rows; first += LANES) {
                const uint16x8_t x = rounded_row(sums + (s[i].from + j) * WIDE + first, bias ? bias + first : NULL, rows - first);
                uint16_t *const  to = out + s[i].to + j * by_position + first;
                if (rows - first >= LANES)
                    vst1q_u16(to, x);
                else
                    for (int64_t r = 0; r < rows - first; r++)
                        to[r] = ((const uint16_t *)(const void *)&x)[r];
            }
}

/* ---- an image times what flowed back ---- */

KT_ALWAYS void add_part(float *sums, const char *image, int64_t by_channel, const int64_t *at, const uint16_t *back, int64_t k)
{
    float32x4_t sum[PAIRS][PAIRS];
    load_sums(sum, sums, SIDE);
    for (int64_t l = 0; l < k; l++, back += TILE)
        add_step(sum, image + at[l], by_channel, back);
    store_sums(sums, SIDE, sum);
}

static KT_IN_REGISTERS void add(float *sums, const char *image, int64_t by_channel, const int64_t *at, const uint16_t *back,
                                int64_t by_block, int64_t k, int channels, int rows)
{
    for (int c = 0; c < channels * SIDE; c += PART)
        for (int r = 0; r < rows * SIDE; r += PART)
            add_part(sums + ((c / SIDE * 2 + r / SIDE) * SIDE + c % SIDE) * SIDE + r % SIDE, image + c * by_channel, by_channel,
                     at, back + r / SIDE * by_block + r % SIDE * TERMS, k);
}

const kt__cpu_direct_bf16 KT__CPU_SYMBOL(direct_bf16, KT_ISA) = {
    .needs = KT__CPU_NEON_BF16, .terms = TERMS, .begin = begin, .end = end, .gather = gather, .spread = spread, .turn = turn,
    .multiply = multiply, .write_rows = write_rows, .write_positions = write_positions, .add = add};
