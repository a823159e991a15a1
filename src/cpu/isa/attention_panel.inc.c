/* attention_panel.inc.c - panels of scores, [keys][SPAN queries] of float32: what masks, dropout and rounding make of them.
 * Includes follow attention_pack.inc.c. Independent of: products, which way the gradients flow. */

/* Where the panel's queries and keys are. Keys are computed up to a multiple of SPAN, `count` of them are there. */
typedef struct place {
    int64_t batch, head, query, queries, first, count;
} place;

/* A NaN as pairs_of_floats takes it. */
KT_ALWAYS __m512 plain_nan(__m512 x)
{
    return _mm512_mask_mov_ps(x, _mm512_cmp_ps_mask(x, x, _CMP_UNORD_Q), _mm512_set1_ps(NAN));
}

/* ---- masks: scores become -inf where a query does not see a key ---- */

KT_ALWAYS __m512 masked(__m512 score, __m512 mask, bool truth)
{
    if (!truth)
        return plain_nan(_mm512_add_ps(score, mask));
    const __mmask16 seen = _mm512_cmp_ps_mask(mask, _mm512_setzero_ps(), _CMP_NEQ_UQ);
    return _mm512_mask_mov_ps(plain_nan(_mm512_add_ps(score, _mm512_set1_ps(-INFINITY))), seen, score);
}

/* One line for all queries. */
static NOINLINE void add_line(float *panel, const float *line, int64_t keys, bool truth)
{
    for (int64_t l = 0; l < keys; l++)
        for (int i = 0; i < SPAN; i += SIDE) {
            float *x = panel + l * SPAN + i;
            _mm512_storeu_ps(x, masked(_mm512_loadu_ps(x), _mm512_set1_ps(line[l]), truth));
        }
}

/* A line for each of 16 queries, `ld` apart, turned round. */
static NOINLINE void add_lines(float *panel, const float *lines, int64_t ld, int64_t keys, bool truth)
{
    for (int64_t l = 0; l < keys; l += SIDE) {
        __m512i r[SIDE];
#pragma GCC unroll 16
        for (int k = 0; k < SIDE; k++)
            r[k] = _mm512_loadu_si512(lines + k * ld + l);
        turn(r);
#pragma GCC unroll 16
        for (int k = 0; k < SIDE; k++) {
            float *x = panel + (l + k) * SPAN;
            _mm512_storeu_ps(x, masked(_mm512_loadu_ps(x), _mm512_castsi512_ps(r[k]), truth));
        }
    }
}

/* Of the queries of a panel, those that do not see a key so many places after the first of them. */
KT_ALWAYS __mmask32 blind_to(int64_t later) { return later > 0 ? up_to(later) : 0; }

/* lines: room for SIDE of them. */
static void add_mask(float *panel, const kt__attention *a, place at, int64_t keys, float *lines)
{
    const kt__matrices *m = &a->mask;
    const bool          truth = m->x.as == KT_BOOL;
    const FN(lens)      lens = FN(lens_of)(&m->x, m->step[3]);
    const int64_t       wanted = m->step[2] ? at.queries : 1, there = lesser(keys, at.count);
    for (int64_t i = 0; i < wanted; i += SIDE) {
        const int64_t some = lesser(wanted - i, SIDE);
        for (int64_t k = 0; k < some; k++) {
            const char *from = kt__row_at(m, at.batch, at.head, at.query + i + k) + at.first * m->step[3];
            FN(load_tile)(lines + k * keys, &lens, from, (int)there);
        }
        memset(lines + some * keys, 0, sizeof(float) * (size_t)((SIDE - some) * keys));
        if (m->step[2])
            add_lines(panel + i, lines, keys, keys, truth);
        else
            add_line(panel, lines, there, truth);
    }
}

static NOINLINE void scale_scores(float *panel, float scale, int64_t keys)
{
    for (int64_t i = 0; i < keys * SPAN; i += SIDE)
        _mm512_storeu_ps(panel + i, plain_nan(_mm512_mul_ps(_mm512_loadu_ps(panel + i), _mm512_set1_ps(scale))));
}

static NOINLINE void mask_future(float *panel, place at, int64_t keys)
{
    for (int64_t l = at.query < at.first ? 0 : at.query - at.first + 1; l < keys; l++) {
        const __mmask32 blind = blind_to(at.first + l - at.query);
        _mm512_mask_storeu_ps(panel + l * SPAN, (__mmask16)blind, _mm512_set1_ps(-INFINITY));
        _mm512_mask_storeu_ps(panel + l * SPAN + SIDE, (__mmask16)(blind >> SIDE), _mm512_set1_ps(-INFINITY));
    }
}

/* Multiplies and masks the panel if there is need. What is left to multiply by is returned: it is above 0. */
static float settle(float *panel, const kt__attention *a, place at, int64_t keys, float *lines)
{
    const float scale = (float)a->scale;
    const bool  future = a->causal && at.first + keys - 1 > at.query, short_of = at.count < keys;
    if (!a->mask.x.data && !future && !short_of && scale > 0 && scale < INFINITY)
        return scale;
    scale_scores(panel, scale, keys);
    if (a->mask.x.data)
        add_mask(panel, a, at, keys, lines);
    if (future)
        mask_future(panel, at, keys);
    for (int64_t i = lesser(at.count, keys) * SPAN; i < keys * SPAN; i++)
        panel[i] = -INFINITY;
    return 1;
}

/* How many of `count` keys from `first` on are computed: those that one of the SPAN queries from `query` on sees, and the rest of
 * a span. */
static int64_t panel_keys(const kt__attention *a, int64_t query, int64_t first, int64_t count)
{
    const int64_t all = up_to_span(count), seen = up_to_span(kt__keys_until(a, query + SPAN) - first);
    return seen > all ? all : seen > 0 ? seen : 0;
}

/* ---- dropout ---- */

/* The bits of a block of queries, drawn again; NULL without dropout. */
static const uint64_t *draw_block(const kt__attention *a, int64_t batch, int64_t head, int64_t query, int64_t queries,
                                  uint64_t *room)
{
    const int64_t blocks = (a->queries + QUERIES - 1) / QUERIES, block = (batch * a->heads + head) * blocks + query / QUERIES;
    if (!a->draws)
        return NULL;
    kt__attention_kept(a->draws + block * KT__ATTENTION_STATE, a->keep, queries, a->keys, room);
    return room;
}

static int64_t draw_bytes(const kt__attention *a) { return a->draws ? up_to_span(a->keys) * (int64_t)sizeof(uint64_t) : 0; }

/* ---- rounding ---- */

/* The first number's below; halves away from 0. NaNs are those of bfloat16s or NAN: what is rounded away of them is 0. */
KT_ALWAYS __m512i pairs_of_floats(__m512 x, __m512 y)
{
    const __m512i half_up = _mm512_set1_epi32(0x8000);
    const __m512i a = _mm512_add_epi32(_mm512_castps_si512(x), half_up), b = _mm512_add_epi32(_mm512_castps_si512(y), half_up);
    return _mm512_mask_blend_epi16(0xaaaaaaaau, _mm512_srli_epi32(a, 16), b);
}

/* 32 columns of two panels' halves: the first key's, and the second's. */
KT_ALWAYS __m512i low_halves(__m512i x, __m512i y)
{
    return _mm512_inserti64x4(_mm512_castsi256_si512(_mm512_cvtepi32_epi16(x)), _mm512_cvtepi32_epi16(y), 1);
}
KT_ALWAYS __m512i high_halves(__m512i x, __m512i y) { return low_halves(_mm512_srli_epi32(x, 16), _mm512_srli_epi32(y, 16)); }
