/* brief.inc.c - loops over dense bfloat16s of the rows that have a form for them (math/f32/brief.h). A template of loops.inc.c,
 * for the instruction set that selects from a table in one instruction; elsewhere cpu/lookup.c is faster. Groups are those of
 * half_group.h. One with an operand that the form does not take goes through the row's loop of float32. */
#include "math/f32/brief.h"

/* The constants of a loop. The compiler makes them anew in every turn, by instructions that the selections wait for, unless it
 * does not know them: then it keeps them in registers or on the stack. */
typedef struct brief_words {
    __m512i size, minus_one, most, least, upper, half;
} brief_words;

KT_ALWAYS __m512i unknown_to_the_compiler(__m512i v)
{
    __asm__("" : "+v"(v));
    return v;
}

KT_ALWAYS brief_words brief_words_of(int most, int least)
{
    return (brief_words){
        .size = unknown_to_the_compiler(_mm512_set1_epi16(0x7fff)),
        .minus_one = unknown_to_the_compiler(_mm512_set1_epi16(-1)),
        .most = unknown_to_the_compiler(_mm512_set1_epi16((short)most)),
        .least = unknown_to_the_compiler(_mm512_set1_epi16((short)(least - 1))),
        .upper = unknown_to_the_compiler(_mm512_set1_epi32((int)0xffff0000u)),
        .half = unknown_to_the_compiler(_mm512_set1_epi32(0x8000)),
    };
}

/* Is there an operand whose size is above `most`, or below `least` and not 0? */
KT_ALWAYS bool any_outside_bf16(__m512i a, const brief_words *w, bool has_least)
{
    const __m512i   size = _mm512_and_si512(a, w->size);
    const __mmask32 above = _mm512_cmpgt_epu16_mask(size, w->most);
    if (!has_least)
        return !_kortestz_mask32_u8(above, above);
    return !_kortestz_mask32_u8(above, _mm512_cmplt_epu16_mask(_mm512_add_epi16(size, w->minus_one), w->least));
}

KT_ALWAYS void split_bf16(float *x, __m512i a, const brief_words *w)
{
    _mm512_storeu_si512(x, _mm512_slli_epi32(a, 16));
    _mm512_storeu_si512(x + HALF_WORDS, _mm512_and_si512(a, w->upper));
}

/* Half up. */
KT_ALWAYS __m512i round_and_join_bf16(const float *x, const brief_words *w)
{
    const __m512i low = _mm512_add_epi32(_mm512_loadu_si512(x), w->half);
    const __m512i high = _mm512_add_epi32(_mm512_loadu_si512(x + HALF_WORDS), w->half);
    return _mm512_or_si512(_mm512_srli_epi32(low, 16), _mm512_and_si512(high, w->upper));
}

typedef ptrdiff_t brief_fn(uint16_t *z, const uint16_t *a, ptrdiff_t n); /* stops before a group that it does not take */

static void brief_whole(uint16_t *z, const uint16_t *a, kt__loop_fn *loop, const void *p)
{
    float x[KT__HALF_GROUP];
    load_half_group(x, a, KT_BF16);
    loop(x, x, x, x, KT__HALF_GROUP, p);
    store_half_group(z, x, KT_BF16);
}

static void __attribute__((noinline, unused)) in_brief(uint16_t *z, const uint16_t *a, ptrdiff_t n, brief_fn *brief,
                                                       kt__loop_fn *loop, const void *p)
{
    for (ptrdiff_t done = brief(z, a, n); done < n; done += brief(z + done, a + done, n - done)) {
        brief_whole(z + done, a + done, loop, p);
        done += KT__HALF_GROUP;
    }
}

#define BRIEF(name, columns)                                                                                           \
    static ptrdiff_t __attribute__((unused)) brief_groups_##name(uint16_t *z, const uint16_t *a, ptrdiff_t n)          \
    {                                                                                                                  \
        const brief_words w = brief_words_of(name##_most_bf16, name##_least_bf16);                                     \
        ptrdiff_t         done = 0;                                                                                    \
        for (; done < n; done += KT__HALF_GROUP) {                                                                     \
            const __m512i words = _mm512_loadu_si512(a + done);                                                        \
            piece_f32     at[KT__HALF_GROUP];                                                                          \
            float         x[KT__HALF_GROUP], c[columns][KT__HALF_GROUP], to[KT__HALF_GROUP];                           \
            fetch_ahead(a + done, z + done);                                                                           \
            if (__builtin_expect(any_outside_bf16(words, &w, name##_least_bf16 != 0), 0))                              \
                break;                                                                                                 \
            split_bf16(x, words, &w);                                                                                  \
            KT_EACH_LANE                                                                                               \
            for (int i = 0; i < KT__HALF_GROUP; i++)                                                                   \
                at[i] = name##_piece_bf16(x[i]);                                                                       \
            _Pragma("GCC unroll 6") for (int k = 0; k < (columns); k++)                                                \
                look_up_f32(c[k], name##_pieces_bf16[k], at, KT__HALF_GROUP);                                          \
            KT_EACH_LANE                                                                                               \
            for (int i = 0; i < KT__HALF_GROUP; i++) {                                                                 \
                float of[columns];                                                                                     \
                _Pragma("GCC unroll 6") for (int k = 0; k < (columns); k++) of[k] = c[k][i];                           \
                to[i] = name##_by_piece_bf16(x[i], of);                                                                \
            }                                                                                                          \
            _mm512_storeu_si512(z + done, round_and_join_bf16(to, &w));                                                \
        }                                                                                                              \
        return done;                                                                                                   \
    }
BRIEF_FORMS(BRIEF)
#undef BRIEF

#define BRIEF_OF(name)                                                                                                 \
    static void FN(bf16_##name)(uint16_t *z, const kt__halves *in, ptrdiff_t n, const void *p)                         \
    {                                                                                                                  \
        in_brief(z, in->at[0], n, brief_groups_##name, FN(loop_##name), p);                                            \
    }
