/* look_up.h - one number of a table for every lane of a vector, and whether any lane has its highest bit set.
 *
 * to[i] = table[at[i]], of tables of 32 floats and of 16 doubles; of a place the lowest bits alone count. AVX-512 selects from
 * two registers in one instruction. Elsewhere a loop of loads does, which the compiler may make gathers. */
#ifndef KT_CPU_ISA_LOOK_UP_H
#define KT_CPU_ISA_LOOK_UP_H

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

/* n: whole vectors */
KT_ALWAYS bool any_sign_f32(const uint32_t *flags, int n)
{
#if defined(__AVX512F__)
    __m512i any = _mm512_loadu_si512(flags);
    for (int i = 16; i < n; i += 16)
        any = _mm512_or_si512(any, _mm512_loadu_si512(flags + i));
    return _mm512_movepi32_mask(any) != 0;
#elif defined(__AVX__)
    __m256 any = _mm256_loadu_ps((const float *)flags);
    for (int i = 8; i < n; i += 8)
        any = _mm256_or_ps(any, _mm256_loadu_ps((const float *)(flags + i)));
    return _mm256_movemask_ps(any) != 0;
#else
    uint32_t any = 0;
    for (int i = 0; i < n; i++)
        any |= flags[i];
    return any >> 31 != 0;
#endif
}

KT_ALWAYS bool any_sign_f64(const uint64_t *flags, int n)
{
#if defined(__AVX512F__)
    __m512i any = _mm512_loadu_si512(flags);
    for (int i = 8; i < n; i += 8)
        any = _mm512_or_si512(any, _mm512_loadu_si512(flags + i));
    return _mm512_movepi64_mask(any) != 0;
#elif defined(__AVX__)
    __m256d any = _mm256_loadu_pd((const double *)flags);
    for (int i = 4; i < n; i += 4)
        any = _mm256_or_pd(any, _mm256_loadu_pd((const double *)(flags + i)));
    return _mm256_movemask_pd(any) != 0;
#else
    uint64_t any = 0;
    for (int i = 0; i < n; i++)
        any |= flags[i];
    return any >> 63 != 0;
#endif
}

#endif
