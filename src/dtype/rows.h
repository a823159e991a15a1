/* rows.h - vectorized loops for the conversions that compilers do not vectorize.
 *
 * In: dtype/convert.h and the target's vector intrinsics, if it has them. Out: kt__decode_row_ID and kt__encode_row_F_ID;
 * each is a loop over kt__decode_ID or kt__encode_F_ID, bit for bit. Independent of: tensors, strides. */
#ifndef KT_DTYPE_ROWS_H
#define KT_DTYPE_ROWS_H

#include "dtype/convert.h"
#include "dtype/dtype.h"

#if defined(__AVX__)
#include <immintrin.h>
#elif defined(__aarch64__)
#include <arm_neon.h>
#endif

KT__INLINE void kt__decode_row_F16(float *restrict to, const uint16_t *restrict from, ptrdiff_t n)
{
    ptrdiff_t i = 0, whole = 0; /* whole: what full vectors cover */
#if defined(__AVX512F__)
    for (whole = n - n % 16; i < whole; i += 16)
        _mm512_storeu_ps(to + i, _mm512_cvtph_ps(_mm256_loadu_si256((const __m256i *)(const void *)(from + i))));
#elif defined(__F16C__)
    for (whole = n - n % 8; i < whole; i += 8)
        _mm256_storeu_ps(to + i, _mm256_cvtph_ps(_mm_loadu_si128((const __m128i *)(const void *)(from + i))));
#endif
    for (i = whole; i < n; i++)
        to[i] = kt__decode_F16(from[i]);
}

KT__INLINE void kt__encode_row_f32_F16(uint16_t *restrict to, const float *restrict from, ptrdiff_t n)
{
    ptrdiff_t i = 0, whole = 0; /* whole: what full vectors cover */
#if defined(__AVX512F__)
    for (whole = n - n % 16; i < whole; i += 16)
        _mm256_storeu_si256((__m256i *)(void *)(to + i),
                            _mm512_cvtps_ph(_mm512_loadu_ps(from + i), _MM_FROUND_TO_NEAREST_INT));
#elif defined(__F16C__)
    for (whole = n - n % 8; i < whole; i += 8)
        _mm_storeu_si128((__m128i *)(void *)(to + i),
                         _mm256_cvtps_ph(_mm256_loadu_ps(from + i), _MM_FROUND_TO_NEAREST_INT));
#elif defined(__aarch64__)
    for (whole = n - n % 4; i < whole; i += 4)
        vst1_u16(to + i, vreinterpret_u16_f16(vcvt_f16_f32(vld1q_f32(from + i))));
#endif
    for (i = whole; i < n; i++)
        to[i] = kt__encode_f32_F16(from[i]);
}

KT__INLINE void kt__encode_row_f32_I64(int64_t *restrict to, const float *restrict from, ptrdiff_t n)
{
    ptrdiff_t i = 0, whole = 0; /* whole: what full vectors cover */
#if defined(__aarch64__) /* its conversion truncates, saturates and takes NaN to 0 */
    for (whole = n - n % 4; i < whole; i += 4) {
        const float32x4_t x = vld1q_f32(from + i);
        vst1q_s64(to + i, vcvtq_s64_f64(vcvt_f64_f32(vget_low_f32(x))));
        vst1q_s64(to + i + 2, vcvtq_s64_f64(vcvt_high_f64_f32(x)));
    }
#elif defined(__AVX2__) && !defined(__AVX512DQ__)
    /* No conversion of lanes to int64: the 24 bits of the mantissa as an integer, shifted by the exponent. A shift by
     * 64 or more gives 0 in these instructions, which is what a number below 1 becomes. */
    const __m256i exponent_mask = _mm256_set1_epi64x(0xff), mantissa_mask = _mm256_set1_epi64x(0x7fffff);
    const __m256i one = _mm256_set1_epi64x(0x800000), bias = _mm256_set1_epi64x(150), zero = _mm256_setzero_si256();
    const __m256i limit = _mm256_set1_epi64x(0x5effffff), infinity = _mm256_set1_epi64x(0x7f800000);
    const __m256i most = _mm256_set1_epi64x(INT64_MAX), magnitude = _mm256_set1_epi64x(0x7fffffff);
    for (whole = n - n % 4; i < whole; i += 4) {
        const __m256i u = _mm256_cvtepu32_epi64(_mm_loadu_si128((const __m128i *)(const void *)(from + i)));
        const __m256i a = _mm256_and_si256(u, magnitude);
        const __m256i up = _mm256_sub_epi64(_mm256_and_si256(_mm256_srli_epi64(u, 23), exponent_mask), bias);
        const __m256i m = _mm256_or_si256(_mm256_and_si256(u, mantissa_mask), one);
        const __m256i left = _mm256_sllv_epi64(m, up), right = _mm256_srlv_epi64(m, _mm256_sub_epi64(zero, up));
        const __m256i scaled = _mm256_blendv_epi8(left, right, _mm256_cmpgt_epi64(zero, up));
        const __m256i minus = _mm256_sub_epi64(zero, _mm256_srli_epi64(u, 31)); /* all ones where negative */
        const __m256i within = _mm256_sub_epi64(_mm256_xor_si256(scaled, minus), minus);
        const __m256i beyond = _mm256_andnot_si256(_mm256_cmpgt_epi64(a, infinity), _mm256_xor_si256(most, minus));
        const __m256i r = _mm256_blendv_epi8(within, beyond, _mm256_cmpgt_epi64(a, limit));
        _mm256_storeu_si256((__m256i *)(void *)(to + i), r);
    }
#endif
    for (i = whole; i < n; i++)
        to[i] = kt__encode_f32_I64(from[i]);
}

#endif
