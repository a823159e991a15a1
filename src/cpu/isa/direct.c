/* direct.c - the inner loop of convolutions in float32: weights times rows of an image, which lie at given distances, so that
 * nothing is copied into columns.
 *
 * In: packed weights [k, ROWS], an image, and the distance in it of each of the k rows. Out: added to sums [ROWS, COLUMNS],
 * each over k in order, by fused multiply-add. An instruction set without that has no such loop.
 * Independent of: geometry, dtypes. */
#include "cpu/isa/names.h"
#include "cpu/kernels.h"

#if defined(__AVX512F__) || defined(__FMA__)
#include <immintrin.h>
#elif defined(__aarch64__)
#include <arm_neon.h>
#endif

#if defined(__AVX512F__)
enum { LANES = 16, ROWS = 8, VECTORS = 3 };
typedef __m512 vector;
KT_ALWAYS vector load(const float *x) { return _mm512_loadu_ps(x); }
KT_ALWAYS vector spread(const float *x) { return _mm512_set1_ps(*x); }
KT_ALWAYS vector fused(vector a, vector b, vector c) { return _mm512_fmadd_ps(a, b, c); }
KT_ALWAYS void   store(float *y, vector v) { _mm512_storeu_ps(y, v); }
#elif defined(__FMA__)
enum { LANES = 8, ROWS = 4, VECTORS = 3 };
typedef __m256 vector;
KT_ALWAYS vector load(const float *x) { return _mm256_loadu_ps(x); }
KT_ALWAYS vector spread(const float *x) { return _mm256_broadcast_ss(x); }
KT_ALWAYS vector fused(vector a, vector b, vector c) { return _mm256_fmadd_ps(a, b, c); }
KT_ALWAYS void   store(float *y, vector v) { _mm256_storeu_ps(y, v); }
#elif defined(__aarch64__)
enum { LANES = 4, ROWS = 8, VECTORS = 3 };
typedef float32x4_t vector;
KT_ALWAYS vector load(const float *x) { return vld1q_f32(x); }
KT_ALWAYS vector spread(const float *x) { return vld1q_dup_f32(x); }
KT_ALWAYS vector fused(vector a, vector b, vector c) { return vfmaq_f32(c, a, b); }
KT_ALWAYS void   store(float *y, vector v) { vst1q_f32(y, v); }
#endif

#if defined(__FMA__) || defined(__aarch64__)
static void tile(float *sums, const float *weights, const float *image, const int64_t *at, int64_t k)
{
    vector sum[ROWS][VECTORS];
#pragma GCC unroll 16
    for (int i = 0; i < ROWS; i++)
#pragma GCC unroll 4
        for (int j = 0; j < VECTORS; j++)
            sum[i][j] = load(sums + (i * VECTORS + j) * LANES);
    for (int64_t l = 0; l < k; l++, weights += ROWS) {
        const float *x = image + at[l];
        vector       row[VECTORS];
#pragma GCC unroll 4
        for (int j = 0; j < VECTORS; j++)
            row[j] = load(x + j * LANES);
#pragma GCC unroll 16
        for (int i = 0; i < ROWS; i++) {
            const vector w = spread(weights + i);
#pragma GCC unroll 4
            for (int j = 0; j < VECTORS; j++)
                sum[i][j] = fused(w, row[j], sum[i][j]);
        }
    }
#pragma GCC unroll 16
    for (int i = 0; i < ROWS; i++)
#pragma GCC unroll 4
        for (int j = 0; j < VECTORS; j++)
            store(sums + (i * VECTORS + j) * LANES, sum[i][j]);
}
const kt__cpu_direct KT__CPU_SYMBOL(direct, KT_ISA) = {.rows = ROWS, .columns = LANES * VECTORS, .tile = tile};
#else
const kt__cpu_direct KT__CPU_SYMBOL(direct, KT_ISA) = {.tile = NULL};
#endif
