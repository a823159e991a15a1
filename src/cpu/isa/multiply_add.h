/* multiply_add.h - a vector of T, and a number times a vector plus a vector with one rounding: vec_f32, times_plus_f32. And
 * larger_f32: a > b ? a : b in each lane.
 *
 * What compilers do not make of fma_f32 in a loop over lanes is written out; the numbers are those of math/fma.h.
 * Independent of: tiles, dtypes. */
#ifndef KT_CPU_ISA_MULTIPLY_ADD_H
#define KT_CPU_ISA_MULTIPLY_ADD_H

#include "cpu/isa/names.h"
#include "math/fma.h"

#if defined(__AVX__)
#include <immintrin.h>
#elif defined(__aarch64__)
#include <arm_neon.h>
#endif

typedef float  vec_f32 __attribute__((vector_size(KT_VEC_BYTES), aligned(4), may_alias));
typedef double vec_f64 __attribute__((vector_size(KT_VEC_BYTES), aligned(8), may_alias));

#if defined(__AVX512F__)
KT_ALWAYS vec_f32 times_plus_f32(float x, vec_f32 b, vec_f32 c) { return _mm512_fmadd_ps(_mm512_set1_ps(x), b, c); }
KT_ALWAYS vec_f64 times_plus_f64(double x, vec_f64 b, vec_f64 c) { return _mm512_fmadd_pd(_mm512_set1_pd(x), b, c); }
KT_ALWAYS vec_f32 larger_f32(vec_f32 a, vec_f32 b) { return _mm512_max_ps(a, b); }
KT_ALWAYS vec_f64 larger_f64(vec_f64 a, vec_f64 b) { return _mm512_max_pd(a, b); }
#elif defined(__FMA__)
KT_ALWAYS vec_f32 times_plus_f32(float x, vec_f32 b, vec_f32 c) { return _mm256_fmadd_ps(_mm256_set1_ps(x), b, c); }
KT_ALWAYS vec_f64 times_plus_f64(double x, vec_f64 b, vec_f64 c) { return _mm256_fmadd_pd(_mm256_set1_pd(x), b, c); }
KT_ALWAYS vec_f32 larger_f32(vec_f32 a, vec_f32 b) { return _mm256_max_ps(a, b); }
KT_ALWAYS vec_f64 larger_f64(vec_f64 a, vec_f64 b) { return _mm256_max_pd(a, b); }
#elif defined(__aarch64__)
KT_ALWAYS vec_f32 times_plus_f32(float x, vec_f32 b, vec_f32 c)
{
    return (vec_f32)vfmaq_n_f32((float32x4_t)c, (float32x4_t)b, x);
}
KT_ALWAYS vec_f64 times_plus_f64(double x, vec_f64 b, vec_f64 c)
{
    return (vec_f64)vfmaq_n_f64((float64x2_t)c, (float64x2_t)b, x);
}
KT_ALWAYS vec_f32 larger_f32(vec_f32 a, vec_f32 b)
{
    const float32x4_t x = (float32x4_t)a, y = (float32x4_t)b;
    return (vec_f32)vbslq_f32(vcgtq_f32(x, y), x, y);
}
KT_ALWAYS vec_f64 larger_f64(vec_f64 a, vec_f64 b)
{
    const float64x2_t x = (float64x2_t)a, y = (float64x2_t)b;
    return (vec_f64)vbslq_f64(vcgtq_f64(x, y), x, y);
}
#else
KT_ALWAYS vec_f32 times_plus_f32(float x, vec_f32 b, vec_f32 c)
{
    for (int i = 0; i < (int)(KT_VEC_BYTES / sizeof(float)); i++)
        c[i] = fma_f32(x, b[i], c[i]);
    return c;
}
KT_ALWAYS vec_f64 times_plus_f64(double x, vec_f64 b, vec_f64 c)
{
    for (int i = 0; i < (int)(KT_VEC_BYTES / sizeof(double)); i++)
        c[i] = fma_f64(x, b[i], c[i]);
    return c;
}
KT_ALWAYS vec_f32 larger_f32(vec_f32 a, vec_f32 b)
{
    for (int i = 0; i < (int)(KT_VEC_BYTES / sizeof(float)); i++)
        a[i] = a[i] > b[i] ? a[i] : b[i];
    return a;
}
KT_ALWAYS vec_f64 larger_f64(vec_f64 a, vec_f64 b)
{
    for (int i = 0; i < (int)(KT_VEC_BYTES / sizeof(double)); i++)
        a[i] = a[i] > b[i] ? a[i] : b[i];
    return a;
}
#endif

#endif
