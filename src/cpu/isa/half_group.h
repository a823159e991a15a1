/* half_group.h - dense 16-bit floats as float32s and back, a group of KT__HALF_GROUP at a time: a line of memory.
 *
 * Of bfloat16 a group is 16 words, whose lower halves make the first half of the float32s, and the upper ones the second:
 * elements 0, 2, .. 30, 1, 3, .. 31. The bits are those of dtype/convert.h. Independent of: tensors, operators. */
#ifndef KT_CPU_ISA_HALF_GROUP_H
#define KT_CPU_ISA_HALF_GROUP_H

#include "cpu/isa/any_sign.h"
#include "cpu/isa/names.h"
#include "cpu/loops.h"
#include "dtype/rows.h"
#include "math/f32/bits.h"

#ifdef __aarch64__
#include <arm_neon.h>
#endif

enum { HALF_WORDS = KT__HALF_GROUP / 2 };

/* Which float32 of a group of bfloat16s element i is. */
KT_ALWAYS int place_in_group(int i) { return i / 2 + i % 2 * HALF_WORDS; }

KT_ALWAYS void load_half_group(float *x, const uint16_t *from, int dtype)
{
    if (dtype == KT_F16) {
        kt__decode_row_F16(x, from, KT__HALF_GROUP);
        return;
    }
    KT_EACH_LANE
    for (int i = 0; i < HALF_WORDS; i++) {
        uint32_t word;
        memcpy(&word, from + 2 * i, sizeof word);
        x[i] = of_bits_f32(word << 16);
        x[HALF_WORDS + i] = of_bits_f32(word & 0xffff0000u);
    }
}

KT_ALWAYS uint32_t to_even_bf16(float x) { return bits_f32(x) + 0x7fff + (bits_f32(x) >> 16 & 1); }

/* NaN is rare, and rounds to what another number does. */
#ifdef __AVX512F__
KT_ALWAYS __m512i rounded_bf16(__m512i x, __m512i bias, __m512i odd)
{
    const __m512i up = _mm512_add_epi32(x, bias);
    return _mm512_mask_sub_epi32(up, _mm512_test_epi32_mask(x, odd), up, _mm512_set1_epi32(-1));
}

/* Halves of a group that are in registers; on the stack they would wait for themselves. */
KT_ALWAYS __m512 even_halves(const uint16_t *from)
{
    return _mm512_castsi512_ps(_mm512_slli_epi32(_mm512_loadu_si512(from), 16));
}

KT_ALWAYS __m512 odd_halves(const uint16_t *from)
{
    return _mm512_castsi512_ps(_mm512_and_si512(_mm512_loadu_si512(from), _mm512_set1_epi32((int)0xffff0000u)));
}

KT_ALWAYS void put_halves(uint16_t *to, __m512 even, __m512 odd)
{
    const __m512i bias = _mm512_set1_epi32(0x7fff), lowest = _mm512_set1_epi32(0x10000), quiet = _mm512_set1_epi32(0x400000);
    const __m512i a = _mm512_castps_si512(even), b = _mm512_castps_si512(odd);
    __m512i       low = rounded_bf16(a, bias, lowest), high = rounded_bf16(b, bias, lowest);
    if (__builtin_expect(_mm512_cmp_ps_mask(even, odd, _CMP_UNORD_Q) != 0, 0)) {
        low = _mm512_mask_or_epi32(low, _mm512_cmp_ps_mask(even, even, _CMP_UNORD_Q), a, quiet);
        high = _mm512_mask_or_epi32(high, _mm512_cmp_ps_mask(odd, odd, _CMP_UNORD_Q), b, quiet);
    }
    _mm512_storeu_si512(to, _mm512_mask_blend_epi16(0xaaaaaaaau, _mm512_srli_epi32(low, 16), high));
}

KT_ALWAYS void store_bf16_group(uint16_t *to, const float *x)
{
    put_halves(to, _mm512_loadu_ps(x), _mm512_loadu_ps(x + HALF_WORDS));
}
#else
KT_ALWAYS void store_bf16_group(uint16_t *to, const float *x)
{
    uint32_t nan[KT__HALF_GROUP];
    KT_EACH_LANE
    for (int i = 0; i < KT__HALF_GROUP; i++)
        nan[i] = beyond_f32(x[i], 0x7f800001u);
    KT_EACH_LANE
    for (int i = 0; i < HALF_WORDS; i++) {
        const uint32_t word = to_even_bf16(x[i]) >> 16 | (to_even_bf16(x[HALF_WORDS + i]) & 0xffff0000u);
        memcpy(to + 2 * i, &word, sizeof word);
    }
    if (__builtin_expect(any_sign_f32(nan, KT__HALF_GROUP), 0))
        for (int i = 0; i < KT__HALF_GROUP; i++)
            to[i] = kt__encode_f32_BF16(x[place_in_group(i)]);
}
#endif

#ifdef __aarch64__
/* The first, and the second, of 4 pairs of bfloat16s: quarters of the halves of a group. */
KT_ALWAYS float32x4_t even_halves(const uint16_t *from)
{
    return vreinterpretq_f32_u32(vshlq_n_u32(vreinterpretq_u32_u16(vld1q_u16(from)), 16));
}

KT_ALWAYS float32x4_t odd_halves(const uint16_t *from)
{
    return vreinterpretq_f32_u32(vandq_u32(vreinterpretq_u32_u16(vld1q_u16(from)), vdupq_n_u32(0xffff0000u)));
}

#ifdef __ARM_FEATURE_BF16_VECTOR_ARITHMETIC
KT_ALWAYS void put_halves(uint16_t *to, float32x4_t even, float32x4_t odd)
{
    const uint16x8_t a = vreinterpretq_u16_bf16(vcvtq_low_bf16_f32(even)), b = vreinterpretq_u16_bf16(vcvtq_low_bf16_f32(odd));
    vst1q_u16(to, vzip1q_u16(a, b));
}
#else
KT_ALWAYS uint32x4_t rounded_bf16(float32x4_t x)
{
    const uint32x4_t u = vreinterpretq_u32_f32(x), odd = vandq_u32(vshrq_n_u32(u, 16), vdupq_n_u32(1));
    const uint32x4_t up = vaddq_u32(vaddq_u32(u, odd), vdupq_n_u32(0x7fff));
    return vbslq_u32(vceqq_f32(x, x), up, vorrq_u32(u, vdupq_n_u32(0x400000)));
}

KT_ALWAYS void put_halves(uint16_t *to, float32x4_t even, float32x4_t odd)
{
    vst1q_u16(to, vreinterpretq_u16_u32(vsriq_n_u32(rounded_bf16(odd), rounded_bf16(even), 16)));
}
#endif
#endif

KT_ALWAYS void store_half_group(uint16_t *to, const float *x, int dtype)
{
    if (dtype == KT_F16)
        kt__encode_row_f32_F16(to, x, KT__HALF_GROUP);
    else
        store_bf16_group(to, x);
}

#endif
