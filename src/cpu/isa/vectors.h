/* vectors.h - the widest vectors of a build, of compute type T, and a * b + c of them with one rounding (math/fma.h).
 *
 * A template: T and FN are defined by the includer. Written out, because the compiler may contract nothing and has no
 * operator for it. Independent of: tiles, dtypes. */
#include "cpu/isa/names.h"
#include "math/fma.h"

#if defined(__AVX512F__) || defined(__FMA__)
#include <immintrin.h>
#elif defined(__aarch64__)
#include <arm_neon.h>
#endif

typedef T FN(vec) __attribute__((vector_size(KT_VEC_BYTES), aligned(sizeof(T)), may_alias));
enum { FN(lanes) = KT_VEC_BYTES / sizeof(T) };

/* a, the same in every lane, times b, and c */
KT_ALWAYS FN(vec) FN(fma_vec)(T a, FN(vec) b, FN(vec) c)
{
#if defined(__AVX512F__)
    if (sizeof(T) == 4)
        return (FN(vec))_mm512_fmadd_ps(_mm512_set1_ps((float)a), (__m512)b, (__m512)c);
    return (FN(vec))_mm512_fmadd_pd(_mm512_set1_pd((double)a), (__m512d)b, (__m512d)c);
#elif defined(__FMA__)
    if (sizeof(T) == 4)
        return (FN(vec))_mm256_fmadd_ps(_mm256_set1_ps((float)a), (__m256)b, (__m256)c);
    return (FN(vec))_mm256_fmadd_pd(_mm256_set1_pd((double)a), (__m256d)b, (__m256d)c);
#elif defined(__aarch64__)
    if (sizeof(T) == 4)
        return (FN(vec))vfmaq_n_f32((float32x4_t)c, (float32x4_t)b, (float)a);
    return (FN(vec))vfmaq_n_f64((float64x2_t)c, (float64x2_t)b, (double)a);
#else
    for (int i = 0; i < FN(lanes); i++)
        c[i] = FN(fma)(a, b[i], c[i]);
    return c;
#endif
}
