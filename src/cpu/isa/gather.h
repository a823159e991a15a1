/* gather.h - vectors of T read from places that are given as numbers of elements. A template: vectors.h is included before.
 *
 * Written out: the compiler makes no such loads for processors that it does not know. Independent of: tiles, dtypes. */

/* x[at[0]], x[at[1]], ... */
KT_ALWAYS FN(vec) FN(gather)(const T *x, const int32_t *at)
{
#if defined(__AVX512F__)
    if (sizeof(T) == 4)
        return (FN(vec))_mm512_i32gather_ps(_mm512_loadu_si512(at), x, 4);
    return (FN(vec))_mm512_i32gather_pd(_mm256_loadu_si256((const void *)at), x, 8);
#elif defined(__AVX2__)
    if (sizeof(T) == 4)
        return (FN(vec))_mm256_i32gather_ps((const float *)(const void *)x, _mm256_loadu_si256((const void *)at), 4);
    return (FN(vec))_mm256_i32gather_pd((const double *)(const void *)x, _mm_loadu_si128((const void *)at), 8);
#else
    FN(vec) v;
    for (int i = 0; i < FN(lanes); i++)
        v[i] = x[at[i]];
    return v;
#endif
}

KT_ALWAYS T FN(read_or_zero)(const T *x, int32_t line, int32_t at) { return (line | at) < 0 ? 0 : x[line + at]; }

/* x[line[0] + at[0]], ..., and zeros where one of the two is negative: nothing is read there. */
KT_ALWAYS FN(vec) FN(gather_or_zero)(const T *x, const int32_t *line, const int32_t *at)
{
#if defined(__AVX512F__)
    if (sizeof(T) == 4) {
        const __m512i   a = _mm512_loadu_si512(line), b = _mm512_loadu_si512(at);
        const __mmask16 there = _mm512_cmpge_epi32_mask(_mm512_or_si512(a, b), _mm512_setzero_si512());
        return (FN(vec))_mm512_mask_i32gather_ps(_mm512_setzero_ps(), there, _mm512_add_epi32(a, b), x, 4);
    }
    const __m256i  a = _mm256_loadu_si256((const void *)line), b = _mm256_loadu_si256((const void *)at);
    const __mmask8 there = _mm256_cmpge_epi32_mask(_mm256_or_si256(a, b), _mm256_setzero_si256());
    return (FN(vec))_mm512_mask_i32gather_pd(_mm512_setzero_pd(), there, _mm256_add_epi32(a, b), x, 8);
#else
    FN(vec) v;
    for (int i = 0; i < FN(lanes); i++)
        v[i] = FN(read_or_zero)(x, line[i], at[i]);
    return v;
#endif
}

KT_ALWAYS FN(vec) FN(vec_at)(const T *x) { return *(const FN(vec) *)(const void *)x; }
KT_ALWAYS void    FN(put_vec)(T *x, FN(vec) v) { *(FN(vec) *)(void *)x = v; }
