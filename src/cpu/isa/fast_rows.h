/* fast_rows.h - conversions that compilers do not vectorise by themselves, or that gain from asking for memory
 * ahead: those of dtype/rows.h, bfloat16 where the machine rounds to it, int64 to float32.
 *
 * In: dense rows. Out: whether the pair was one of these; the bits are those of dtype/convert.h. */
#ifndef KT_CPU_ISA_FAST_ROWS_H
#define KT_CPU_ISA_FAST_ROWS_H

#include "math/core.h"
#include "dtype/dtype.h"
#include "dtype/rows.h"

#if defined(__aarch64__)
#include <arm_neon.h>
#endif

/* Conversions keep the processor busy, and it then looks too little ahead: ask for what comes 2 KiB later. Asking
 * past the end of the memory does no harm. */
KT_ALWAYS void ask_ahead(const void *x)
{
    __builtin_prefetch((const char *)x + 2048);
}

/* int64 to float32 by way of int32, as most integers are small: converts n (a multiple of CHUNK) and says whether
 * all were. */
enum { CHUNK = 128 };
#if defined(__aarch64__)
/* Narrowing saturates, and the processor keeps a flag of it. */
KT_ALWAYS bool small_i64_to_f32(float *restrict y, const int64_t *restrict x, int n)
{
    const uint64_t saturated = UINT64_C(1) << 27;
    uint64_t       state;
    __asm__ volatile("mrs %0, fpsr" : "=r"(state) : : "memory");
    __asm__ volatile("msr fpsr, %0" : : "r"(state & ~saturated) : "memory");
    for (int i = 0; i < n; i += 8) {
        ask_ahead(x + i);
        const int32x4_t a = vqmovn_high_s64(vqmovn_s64(vld1q_s64(x + i)), vld1q_s64(x + i + 2));
        const int32x4_t b = vqmovn_high_s64(vqmovn_s64(vld1q_s64(x + i + 4)), vld1q_s64(x + i + 6));
        vst1q_f32(y + i, vcvtq_f32_s32(a));
        vst1q_f32(y + i + 4, vcvtq_f32_s32(b));
    }
    __asm__ volatile("mrs %0, fpsr" : "=r"(state) : : "memory"); /* after the stores, and so after what they store */
    return (state & saturated) == 0;
}
#else
KT_ALWAYS bool small_i64_to_f32(float *restrict y, const int64_t *restrict x, int n)
{
    uint64_t reach = 0;
    for (int done = 0; done < n;
         done += CHUNK) { /* inner loops index from a pointer: an int that may wrap is no good */
        const int64_t *from = x + done;
        float         *to = y + done;
        for (int j = 0; j < CHUNK; j += 8)
            ask_ahead(from + j);
        for (int j = 0; j < CHUNK; j++) {
            reach |= (uint64_t)from[j] + UINT64_C(0x80000000);
            to[j] = (float)(int32_t)from[j];
        }
    }
    return reach >> 32 == 0;
}
#endif

KT_ALWAYS void i64_row_to_f32(float *restrict y, const int64_t *restrict x, int n)
{
    const int whole = n / CHUNK * CHUNK;
    for (int i = small_i64_to_f32(y, x, whole) ? whole : 0; i < n; i++)
        y[i] = kt__to_f32_i64(x[i]);
}

#if defined(__aarch64__)
KT_ALWAYS void f32_row_to_f16(uint16_t *restrict y, const float *restrict x, int n)
{
    int i = 0;
    for (; i + 16 <= n; i += 16) {
        ask_ahead(x + i);
        const float16x4_t a = vcvt_f16_f32(vld1q_f32(x + i)), b = vcvt_f16_f32(vld1q_f32(x + i + 8));
        vst1q_u16(y + i, vreinterpretq_u16_f16(vcvt_high_f16_f32(a, vld1q_f32(x + i + 4))));
        vst1q_u16(y + i + 8, vreinterpretq_u16_f16(vcvt_high_f16_f32(b, vld1q_f32(x + i + 12))));
    }
    for (; i < n; i++)
        y[i] = kt__encode_f32_F16(x[i]);
}
#else
KT_ALWAYS void f32_row_to_f16(uint16_t *restrict y, const float *restrict x, int n)
{
    kt__encode_row_f32_F16(y, x, n);
}
#endif

#if defined(__ARM_FEATURE_BF16_VECTOR_ARITHMETIC)
KT_ALWAYS void f32_row_to_bf16(uint16_t *restrict y, const float *restrict x, int n)
{
    int i = 0;
    for (; i + 16 <= n; i += 16) {
        ask_ahead(x + i);
        const bfloat16x8_t a = vcvtq_low_bf16_f32(vld1q_f32(x + i)), b = vcvtq_low_bf16_f32(vld1q_f32(x + i + 8));
        vst1q_u16(y + i, vreinterpretq_u16_bf16(vcvtq_high_bf16_f32(a, vld1q_f32(x + i + 4))));
        vst1q_u16(y + i + 8, vreinterpretq_u16_bf16(vcvtq_high_bf16_f32(b, vld1q_f32(x + i + 12))));
    }
    for (; i < n; i++)
        y[i] = kt__encode_f32_BF16(x[i]);
}
#elif defined(__aarch64__)
/* Eight numbers rounded in one vector of halves: the upper half goes up by one where the lower one is above the middle,
 * or on it and the upper one odd. Not for NaN. */
KT_ALWAYS uint16x8_t rounded_bf16(float32x4_t a, float32x4_t b)
{
    const uint16x8_t upper = vuzp2q_u16(vreinterpretq_u16_f32(a), vreinterpretq_u16_f32(b));
    const uint16x8_t lower = vuzp1q_u16(vreinterpretq_u16_f32(a), vreinterpretq_u16_f32(b));
    const uint16x8_t most = vsubq_u16(vdupq_n_u16(0x8000), vandq_u16(upper, vdupq_n_u16(1)));
    return vsubq_u16(upper, vcgtq_u16(lower, most));
}

/* NaN is looked for on the way, by maxima that it spoils, and a row that has one is done again. */
KT_ALWAYS void f32_row_to_bf16(uint16_t *restrict y, const float *restrict x, int n)
{
    float32x4_t most = vdupq_n_f32(0), other = most;
    int         i = 0;
    for (; i + 16 <= n; i += 16) {
        ask_ahead(x + i);
        const float32x4_t a = vld1q_f32(x + i), b = vld1q_f32(x + i + 4), c = vld1q_f32(x + i + 8), d = vld1q_f32(x + i + 12);
        vst1q_u16(y + i, rounded_bf16(a, b));
        vst1q_u16(y + i + 8, rounded_bf16(c, d));
        most = vmaxq_f32(most, vmaxq_f32(a, b));
        other = vmaxq_f32(other, vmaxq_f32(c, d));
    }
    const float spoiled = vmaxvq_f32(vmaxq_f32(most, other));
    for (i = spoiled != spoiled ? 0 : i; i < n; i++)
        y[i] = kt__encode_f32_BF16(x[i]);
}
#else
KT_ALWAYS void f32_row_to_bf16(uint16_t *restrict y, const float *restrict x, int n)
{
    int done = 0;
    for (; done + CHUNK <= n; done += CHUNK) {
        const float *from = x + done;
        uint16_t    *to = y + done;
        for (int j = 0; j < CHUNK; j += 16)
            ask_ahead(from + j);
        for (int j = 0; j < CHUNK; j++)
            to[j] = kt__encode_f32_BF16(from[j]);
    }
    for (; done < n; done++)
        y[done] = kt__encode_f32_BF16(x[done]);
}
#endif

/* ---- by dtype: a constant, so that one of these remains ---- */
KT_ALWAYS bool fast_load_f32(float *restrict y, const char *restrict x, int n, int dtype)
{
    switch (dtype) {
    case KT_F16: kt__decode_row_F16(y, (const uint16_t *)(const void *)x, n); return true;
    case KT_I64: i64_row_to_f32(y, (const int64_t *)(const void *)x, n); return true;
    }
    return false;
}

KT_ALWAYS bool fast_store_f32(char *restrict y, const float *restrict x, int n, int dtype)
{
    switch (dtype) {
    case KT_F16:  f32_row_to_f16((uint16_t *)(void *)y, x, n); return true;
    case KT_BF16: f32_row_to_bf16((uint16_t *)(void *)y, x, n); return true;
    case KT_I64:  kt__encode_row_f32_I64((int64_t *)(void *)y, x, n); return true;
    }
    return false;
}

#endif
