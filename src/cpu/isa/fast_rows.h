/* fast_rows.h - the conversions to and from float32 that compilers do not vectorise by themselves: those of dtype/rows.h,
 * and int64. In: dense rows. Out: whether the pair was one of these; the bits are those of dtype/convert.h. */
#ifndef KT_CPU_ISA_FAST_ROWS_H
#define KT_CPU_ISA_FAST_ROWS_H

#include "cpu/math_core.h"
#include "dtype/rows.h"

/* By way of int32, as most integers are small; a row that is not is done again, the direct way. For machines that do not
 * convert lanes of int64 to float32. */
KT_ALWAYS void i64_row_to_f32(float *restrict y, const int64_t *restrict x, int n)
{
    uint64_t reach = 0;
    for (int i = 0; i < n; i++) {
        reach |= (uint64_t)x[i] + UINT64_C(0x80000000);
        y[i] = (float)(int32_t)x[i];
    }
    for (int i = 0; i < n && reach >> 32 != 0; i++)
        y[i] = kt__to_f32_i64(x[i]);
}

KT_ALWAYS bool fast_load(float *restrict y, const char *restrict x, int n, int dtype)
{
    if (dtype == KT_F16) {
        kt__decode_row_F16(y, (const uint16_t *)(const void *)x, n);
        return true;
    }
#if !defined(__AVX512DQ__)
    if (dtype == KT_I64) {
        i64_row_to_f32(y, (const int64_t *)(const void *)x, n);
        return true;
    }
#endif
    return false;
}

#if defined(__ARM_FEATURE_BF16_VECTOR_ARITHMETIC)
#include <arm_neon.h>
KT_ALWAYS void f32_row_to_bf16(uint16_t *restrict y, const float *restrict x, int n)
{
    int i = 0;
    for (; i + 8 <= n; i += 8) {
        const bfloat16x8_t low = vcvtq_low_bf16_f32(vld1q_f32(x + i));
        vst1q_u16(y + i, vreinterpretq_u16_bf16(vcvtq_high_bf16_f32(low, vld1q_f32(x + i + 4))));
    }
    for (; i < n; i++)
        y[i] = kt__encode_f32_BF16(x[i]);
}
#endif

KT_ALWAYS bool fast_store(char *restrict y, const float *restrict x, int n, int dtype)
{
    if (dtype == KT_F16) {
        kt__encode_row_f32_F16((uint16_t *)(void *)y, x, n);
        return true;
    }
#if defined(__ARM_FEATURE_BF16_VECTOR_ARITHMETIC)
    if (dtype == KT_BF16) {
        f32_row_to_bf16((uint16_t *)(void *)y, x, n);
        return true;
    }
#endif
    if (dtype == KT_I64) {
        kt__encode_row_f32_I64((int64_t *)(void *)y, x, n);
        return true;
    }
    return false;
}

#endif
