/* look_up.h - one number of a table for every lane of a vector.
 *
 * to[i] = table[at[i]], of tables of 32 floats and of 16 doubles; of a place the lowest bits alone count. AVX-512 selects from
 * two registers in one instruction. Elsewhere a loop of loads does, which the compiler may make gathers. */
#ifndef KT_CPU_ISA_LOOK_UP_H
#define KT_CPU_ISA_LOOK_UP_H

#include "cpu/isa/any_sign.h"
#include "math/core.h"
#include "math/table.h"

#ifdef __SSE2__
#include <immintrin.h>
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
