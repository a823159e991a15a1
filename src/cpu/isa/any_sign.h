/* any_sign.h - is the sign bit of any flag of a group set? Independent of: what the flags say. */
#ifndef KT_CPU_ISA_ANY_SIGN_H
#define KT_CPU_ISA_ANY_SIGN_H

#include <stdbool.h>

#include "dtype/types.h"

#ifdef __AVX__
#include <immintrin.h>
#endif

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
