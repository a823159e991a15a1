/* direct.c - the inner loop of convolutions in float32: weights times rows of an image, which lie at given distances, so that
 * nothing is copied into columns.
 *
 * In: packed weights [k, ROWS], an image, and the distance in it of each of the k rows. Out: added to sums [ROWS, COLUMNS],
 * each over k in order, by fused multiply-add; and the loops of convolutions whose groups have one channel, where channels lie
 * side by side. An instruction set without fused multiply-add has no such loops.
 * Independent of: geometry, dtypes. */
#include "cpu/isa/names.h"
#include "cpu/kernels.h"
#include "math/fma.h"

#if defined(__AVX512F__) || defined(__FMA__)
#include <immintrin.h>
#elif defined(__aarch64__)
#include <arm_neon.h>
#endif

#if defined(__AVX512F__)
enum { LANES = 16, ROWS = 8, VECTORS = 3 };
typedef __m512 vector;
KT_ALWAYS vector load(const float *x) { return _mm512_loadu_ps(x); }
typedef const float *weights_at;
KT_ALWAYS weights_at weights_of(const float *w) { return w; }
KT_ALWAYS vector fused(weights_at w, int i, vector b, vector c) { return _mm512_fmadd_ps(_mm512_set1_ps(w[i]), b, c); }
KT_ALWAYS void   store(float *y, vector v) { _mm512_storeu_ps(y, v); }
KT_ALWAYS vector times(float w, vector b, vector c) { return _mm512_fmadd_ps(_mm512_set1_ps(w), b, c); }
KT_ALWAYS vector both(vector a, vector b, vector c) { return _mm512_fmadd_ps(a, b, c); }
#elif defined(__FMA__)
enum { LANES = 8, ROWS = 4, VECTORS = 3 };
typedef __m256 vector;
KT_ALWAYS vector load(const float *x) { return _mm256_loadu_ps(x); }
typedef const float *weights_at;
KT_ALWAYS weights_at weights_of(const float *w) { return w; }
KT_ALWAYS vector fused(weights_at w, int i, vector b, vector c) { return _mm256_fmadd_ps(_mm256_broadcast_ss(w + i), b, c); }
KT_ALWAYS void   store(float *y, vector v) { _mm256_storeu_ps(y, v); }
KT_ALWAYS vector times(float w, vector b, vector c) { return _mm256_fmadd_ps(_mm256_set1_ps(w), b, c); }
KT_ALWAYS vector both(vector a, vector b, vector c) { return _mm256_fmadd_ps(a, b, c); }
#elif defined(__aarch64__)
enum { LANES = 4, ROWS = 8, VECTORS = 2 };
typedef float32x4_t vector;
KT_ALWAYS vector load(const float *x) { return vld1q_f32(x); }
typedef float32x4x2_t weights_at; /* a lane of a register is multiplied as fast as a whole one */
KT_ALWAYS weights_at weights_of(const float *w) { return (weights_at){{vld1q_f32(w), vld1q_f32(w + LANES)}}; }
KT_ALWAYS vector fused(weights_at w, int i, vector b, vector c) { return vfmaq_n_f32(c, b, w.val[i / LANES][i % LANES]); }
KT_ALWAYS void   store(float *y, vector v) { vst1q_f32(y, v); }
KT_ALWAYS vector times(float w, vector b, vector c) { return vfmaq_n_f32(c, b, w); }
KT_ALWAYS vector both(vector a, vector b, vector c) { return vfmaq_f32(c, a, b); }
#endif

#if defined(__FMA__) || defined(__aarch64__)
typedef struct step {
    weights_at w;
    vector     row[VECTORS];
} step;

KT_ALWAYS step step_of(const float *weights, const float *x)
{
    step s = {.w = weights_of(weights)};
#pragma GCC unroll 4
    for (int j = 0; j < VECTORS; j++)
        s.row[j] = load(x + j * LANES);
    return s;
}

KT_ALWAYS void add_step(vector sum[ROWS][VECTORS], step s)
{
#pragma GCC unroll 16
    for (int i = 0; i < ROWS; i++)
#pragma GCC unroll 4
        for (int j = 0; j < VECTORS; j++)
            sum[i][j] = fused(s.w, i, s.row[j], sum[i][j]);
}

static void tile(float *sums, const float *weights, const float *image, const int64_t *at, int64_t k)
{
    vector sum[ROWS][VECTORS];
#pragma GCC unroll 16
    for (int i = 0; i < ROWS; i++)
#pragma GCC unroll 4
        for (int j = 0; j < VECTORS; j++)
            sum[i][j] = load(sums + (i * VECTORS + j) * LANES);
    int64_t l = 0;
#ifdef __aarch64__
    /* A step is loaded before the one ahead of it is multiplied: sums that wait for memory fill the processor's queue. */
    step one = step_of(weights, image + at[0]);
    for (; l + 2 < k; l += 2) {
        const step two = step_of(weights + (l + 1) * ROWS, image + at[l + 1]);
        add_step(sum, one);
        one = step_of(weights + (l + 2) * ROWS, image + at[l + 2]);
        add_step(sum, two);
    }
#endif
    for (; l < k; l++)
        add_step(sum, step_of(weights + l * ROWS, image + at[l]));
#pragma GCC unroll 16
    for (int i = 0; i < ROWS; i++)
#pragma GCC unroll 4
        for (int j = 0; j < VECTORS; j++)
            store(sums + (i * VECTORS + j) * LANES, sum[i][j]);
}

/* ---- one row of weights, as of depthwise convolutions: more columns ---- */

enum { LONG = LANES < 16 ? 8 : 4 };

static void row_tile(float *sums, const float *weights, const float *image, const int64_t *at, int64_t k)
{
    vector sum[LONG];
#pragma GCC unroll 8
    for (int j = 0; j < LONG; j++)
        sum[j] = load(sums + j * LANES);
    for (int64_t l = 0; l < k; l++)
#pragma GCC unroll 8
        for (int j = 0; j < LONG; j++)
            sum[j] = times(weights[l], load(image + at[l] + j * LANES), sum[j]);
#pragma GCC unroll 8
    for (int j = 0; j < LONG; j++)
        store(sums + j * LANES, sum[j]);
}

/* ---- sums become results ---- */

/* A few numbers: less than what a call of memcpy costs. */
#ifdef __AVX512F__
KT_ALWAYS void put(float *to, const float *from, int64_t n, vector more, const bool adds)
{
    for (; n > 0; n -= LANES, to += LANES, from += LANES) {
        const __mmask16 there = (__mmask16)(n < LANES ? (1u << n) - 1 : 0xffff);
        const vector    x = _mm512_maskz_loadu_ps(there, from);
        _mm512_mask_storeu_ps(to, there, adds ? _mm512_add_ps(x, more) : x);
    }
}
#else
KT_ALWAYS void put(float *to, const float *from, int64_t n, vector more, const bool adds)
{
    for (; n >= LANES; n -= LANES, to += LANES, from += LANES) {
        const vector x = load(from);
        store(to, adds ? (vector)(x + more) : x);
    }
    for (int i = 0; i < LANES - 1 && i < n; i++)
        to[i] = adds ? from[i] + more[i] : from[i];
}
#endif

KT_ALWAYS void write_any(const float *sums, const kt__stretch *s, int n, const float *bias, int64_t by_bias, int64_t rows,
                         float *out, int64_t by_row, const int columns)
{
    for (int64_t r = 0; r < rows; r++, sums += columns, out += by_row)
        for (int i = 0; i < n; i++) {
            if (bias)
                put(out + s[i].to, sums + s[i].from, s[i].length, (vector){0} + bias[r * by_bias], true);
            else
                put(out + s[i].to, sums + s[i].from, s[i].length, (vector){0}, false);
        }
}

static void write_rows(const float *sums, const kt__stretch *s, int n, const float *bias, int64_t by_bias, int64_t rows,
                       float *out, int64_t by_row)
{
    write_any(sums, s, n, bias, by_bias, rows, out, by_row, LANES * VECTORS);
}

static void write_row(const float *sums, const kt__stretch *s, int n, const float *bias, int64_t by_bias, int64_t rows,
                      float *out, int64_t by_row)
{
    write_any(sums, s, n, bias, by_bias, rows, out, by_row, LANES * LONG);
}

/* ---- channels side by side ---- */

enum { FEW = 4 }; /* vectors that are worked on together */

KT_ALWAYS void make_vectors(float *out, const float *bias, const float *const *weights, const float *const *seen, int64_t taps,
                            int64_t c, int vectors)
{
    vector sum[FEW];
#pragma GCC unroll 4
    for (int j = 0; j < vectors; j++)
        sum[j] = bias ? load(bias + c + j * LANES) : (vector){0};
    for (int64_t t = 0; t < taps; t++)
#pragma GCC unroll 4
        for (int j = 0; j < vectors; j++)
            sum[j] = both(load(weights[t] + c + j * LANES), load(seen[t] + c + j * LANES), sum[j]);
#pragma GCC unroll 4
    for (int j = 0; j < vectors; j++)
        store(out + c + j * LANES, sum[j]);
}

static void make(float *out, const float *bias, const float *const *weights, const float *const *seen, int64_t taps, int64_t n)
{
    int64_t c = 0;
    for (; c + FEW * LANES <= n; c += FEW * LANES)
        make_vectors(out, bias, weights, seen, taps, c, FEW);
    for (; c + LANES <= n; c += LANES)
        make_vectors(out, bias, weights, seen, taps, c, 1);
    for (; c < n; c++) {
        float sum = bias ? bias[c] : 0;
        for (int64_t t = 0; t < taps; t++)
            sum = fma_f32(weights[t][c], seen[t][c], sum);
        out[c] = sum;
    }
}

static void add(float *const *sums, const float *back, const float *const *seen, int64_t taps, int64_t n)
{
    int64_t c = 0;
    for (; c + LANES <= n; c += LANES) {
        const vector b = load(back + c);
        for (int64_t t = 0; t < taps; t++)
            store(sums[t] + c, both(b, load(seen[t] + c), load(sums[t] + c)));
    }
    for (; c < n; c++)
        for (int64_t t = 0; t < taps; t++)
            sums[t][c] = fma_f32(back[c], seen[t][c], sums[t][c]);
}

const kt__cpu_direct KT__CPU_SYMBOL(direct, KT_ISA) = {
    .rows = ROWS, .columns = LANES * VECTORS, .tile = tile, .write_rows = write_rows};
const kt__cpu_direct KT__CPU_SYMBOL(direct_row, KT_ISA) = {
    .rows = 1, .columns = LANES * LONG, .tile = row_tile, .write_rows = write_row};
const kt__cpu_beside KT__CPU_SYMBOL(beside, KT_ISA) = {.make = make, .add = add};
#else
const kt__cpu_direct KT__CPU_SYMBOL(direct, KT_ISA) = {.tile = NULL};
const kt__cpu_direct KT__CPU_SYMBOL(direct_row, KT_ISA) = {.tile = NULL};
const kt__cpu_beside KT__CPU_SYMBOL(beside, KT_ISA) = {.make = NULL};
#endif
