/* multiply_add.h - a vector of T, and a number times a vector plus a vector with one rounding: vec_f32, times_plus_f32.
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
#elif defined(__FMA__)
KT_ALWAYS vec_f32 times_plus_f32(float x, vec_f32 b, vec_f32 c) { return _mm256_fmadd_ps(_mm256_set1_ps(x), b, c); }
KT_ALWAYS vec_f64 times_plus_f64(double x, vec_f64 b, vec_f64 c) { return _mm256_fmadd_pd(_mm256_set1_pd(x), b, c); }
#elif defined(__aarch64__)
KT_ALWAYS vec_f32 times_plus_f32(float x, vec_f32 b, vec_f32 c)
{
    return (vec_f32)vfmaq_n_f32((float32x4_t)c, (float32x4_t)b, x);
}
KT_ALWAYS vec_f64 times_plus_f64(double x, vec_f64 b, vec_f64 c)
{
    return (vec_f64)vfmaq_n_f64((float64x2_t)c, (float64x2_t)b, x);
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
#endif

#endif
