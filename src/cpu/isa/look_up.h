/* look_up.h - one number of a table for every lane of a vector.
 *
 * to[i] = table[at[i]], of tables of 32 floats and of 16 doubles; of a place the lowest bits alone count. AVX-512 selects from
 * two registers in one instruction. NEON loads four numbers of a piece at once and turns those of four lanes round. Elsewhere a
 * loop of loads does, which the compiler may make gathers. */
#ifndef KT_CPU_ISA_LOOK_UP_H
#define KT_CPU_ISA_LOOK_UP_H

#include "cpu/isa/any_sign.h"
#include "math/core.h"
#include "math/table.h"

#if defined(__SSE2__)
#include <immintrin.h>
#elif defined(__aarch64__)
#include <arm_neon.h>
#endif

typedef int32_t piece_f32;
typedef int64_t piece_f64;

/* n: whole vectors */
KT_ALWAYS void look_up_f32(float *to, const float *table, const piece_f32 *at, int n)
{
#ifdef __AVX512F__
    for (int i = 0; i < n; i += 16)
        _mm512_storeu_ps(to + i, _mm512_permutex2var_ps(_mm512_loadu_ps(table), _mm512_loadu_si512(at + i),
                                                        _mm512_loadu_ps(table + 16)));
#else
    for (int i = 0; i < n; i++)
        to[i] = table[at[i] & (PIECES_F32 - 1)];
#endif
}

/* All columns of a table of eight, column k from to[k] on. */
KT_ALWAYS void look_up_eight_f32(float *const *to, const eight_columns_f32 table, const piece_f32 *at, int n)
{
#ifdef __aarch64__
    for (int i = 0; i < n; i += 4)
        for (int half = 0; half < 8; half += 4) {
            float32x4_t r[4];
            for (int j = 0; j < 4; j++)
                r[j] = vld1q_f32(&table[at[i + j] & (PIECES_F32 - 1)][half]);
            const float64x2_t even[2] = {(float64x2_t)vtrn1q_f32(r[0], r[1]), (float64x2_t)vtrn1q_f32(r[2], r[3])};
            const float64x2_t odd[2] = {(float64x2_t)vtrn2q_f32(r[0], r[1]), (float64x2_t)vtrn2q_f32(r[2], r[3])};
            vst1q_f32(to[half] + i, (float32x4_t)vtrn1q_f64(even[0], even[1]));
            vst1q_f32(to[half + 1] + i, (float32x4_t)vtrn1q_f64(odd[0], odd[1]));
            vst1q_f32(to[half + 2] + i, (float32x4_t)vtrn2q_f64(even[0], even[1]));
            vst1q_f32(to[half + 3] + i, (float32x4_t)vtrn2q_f64(odd[0], odd[1]));
        }
#else
    _Pragma("GCC unroll 8") for (int k = 0; k < 8; k++)
        look_up_f32(to[k], table[k], at, n);
#endif
}

KT_ALWAYS void look_up_f64(double *to, const double *table, const piece_f64 *at, int n)
{
#ifdef __AVX512F__
    for (int i = 0; i < n; i += 8)
        _mm512_storeu_pd(to + i, _mm512_permutex2var_pd(_mm512_loadu_pd(table), _mm512_loadu_si512(at + i),
                                                        _mm512_loadu_pd(table + 8)));
#else
    for (int i = 0; i < n; i++)
        to[i] = table[at[i] & (PIECES_F64 - 1)];
#endif
}

#endif
