/* softmax_halves.inc.c - the steps of softmax_rows.inc.c for bfloat16 lines that are read and written where they are. A template
 * of softmax.inc.c for T = float: a conversion through a buffer would take as long as most of what is calculated.
 *
 * In: lines, as softmax_rows.inc.c has them, but x, y and z are bfloat16. Out: largest values, sums and results, with the bits of
 * that file. Values go by groups (half_group.h): lanes, and exponentials of whole groups, stand in the order of a group. What is
 * left at the end of a line goes one by one. Independent of: plans, threads. */
#include "cpu/isa/half_group.h"

enum { GROUP_OF_ROW = KT__HALF_GROUP }; /* as many as lanes */

KT_ALWAYS const uint16_t *FN(halves_at)(const T *x) { return (const uint16_t *)(const void *)x; }

/* ---- the largest values ---- */

/* bfloat16s are ordered as these integers are, of which a vector holds twice as many as of float32s. NaN is beyond infinity: a
 * line that has one is spoiled whatever its top is. */
KT_ALWAYS int16_t FN(half_key)(uint16_t x) { return (int16_t)(x ^ ((uint16_t)((int16_t)x >> 15) & 0x7fff)); }

/* whole: n is a multiple of the lanes, so that they stay in registers. */
KT_ALWAYS void FN(halves_span)(FN(spans) *all, int k, const uint16_t *x, int64_t n, bool whole)
{
    int16_t  most[2 * GROUP_OF_ROW], least[2 * GROUP_OF_ROW];
    int64_t  i = 0;
    FN(span) s;
    for (int j = 0; j < 2 * GROUP_OF_ROW; j++)
        most[j] = FN(half_key)(0xff80), least[j] = FN(half_key)(0x7f80); /* infinities */
    for (; i + 2 * GROUP_OF_ROW <= n; i += 2 * GROUP_OF_ROW) {
        KT_EACH_LANE
        for (int j = 0; j < 2 * GROUP_OF_ROW; j++) {
            const int16_t key = FN(half_key)(x[i + j]);
            most[j] = key > most[j] ? key : most[j];
            least[j] = key < least[j] ? key : least[j];
        }
    }
    for (; !whole && i < n; i++) {
        const int16_t key = FN(half_key)(x[i]);
        most[0] = key > most[0] ? key : most[0];
        least[0] = key < least[0] ? key : least[0];
    }
    for (int j = 0; j < GROUP_OF_ROW; j++) {
        const int16_t high = most[j] > most[j + GROUP_OF_ROW] ? most[j] : most[j + GROUP_OF_ROW];
        const int16_t low = least[j] < least[j + GROUP_OF_ROW] ? least[j] : least[j + GROUP_OF_ROW];
        s.most[j] = kt__decode_BF16((uint16_t)FN(half_key)((uint16_t)high));
        s.least[j] = kt__decode_BF16((uint16_t)FN(half_key)((uint16_t)low));
    }
    FN(span_keep)(all, k, &s);
}

static ROWS_NOINLINE void FN(halves_spans)(FN(spans) *all, const FN(rows) *r)
{
    for (int k = 0; k < r->count; k++)
        FN(halves_span)(all, k, FN(halves_at)(r->x) + k * r->of_x, r->n, false);
}

static ROWS_NOINLINE void FN(halves_spans_whole)(FN(spans) *all, const FN(rows) *r)
{
    for (int k = 0; k < r->count; k++)
        FN(halves_span)(all, k, FN(halves_at)(r->x) + k * r->of_x, r->n, true);
}

static void FN(halves_top)(FN(rows) *r)
{
    FN(spans) all;
    if (BY_QUARTERS(r->n % QUARTERED == 0 && (quarters_halves_tops(r), true)))
        return;
    (r->n % (2 * GROUP_OF_ROW) == 0 ? FN(halves_spans_whole) : FN(halves_spans))(&all, r);
    FN(span_ends)(r, &all);
}

/* Are all y near enough to 0 that e^y has a shorter form? The bits of bfloat16s below 87 are below 0x42ae. */
static ROWS_NOINLINE bool FN(halves_are_near)(const FN(rows) *r)
{
    const bool    dense = r->of_y == r->n; /* one line as good as many: the end of each would take its time */
    const int     lines = dense ? 1 : r->count;
    const int64_t n = dense ? r->n * r->count : r->n;
    uint16_t      most = 0;
    for (int k = 0; k < lines; k++) {
        const uint16_t *y = FN(halves_at)(r->y) + k * r->of_y;
        for (int64_t i = 0; i < n; i++) {
            const uint16_t size = y[i] & 0x7fff;
            most = size > most ? size : most;
        }
    }
    return FN(exp_is_near)(0, 0) && most < 0x42ae;
}

static void FN(halves_tops)(int kernel, FN(rows) *r)
{
    if (kernel == KT_K_softmax || kernel == KT_K_log_softmax) {
        FN(halves_top)(r);
        r->near = FN(exp_is_near)(r->low, 0);
    } else if (kernel == KT_K_log_softmax_backward) {
        r->near = FN(halves_are_near)(r);
    }
}

/* ---- sums ---- */

KT_ALWAYS A FN(group_wide_sum)(const A *lane)
{
    A ordered[GROUP_OF_ROW];
    for (int j = 0; j < GROUP_OF_ROW; j++)
        ordered[j] = lane[place_in_group(j)];
    return FN(wide_lanes_sum)(ordered);
}

/* The last values of a tile: kept exponentials stand in their order. */
static ROWS_NOINLINE void FN(halves_last)(T *e, const uint16_t *x, const uint16_t *y, int n, T top, T *lane, A *wide,
                                          FN(sum_of) of)
{
    for (int j = 0; j < n; j++) {
        const T a = kt__decode_BF16(x[j]), b = of == FN(PRODUCTS) ? (T)kt__decode_BF16(y[j]) : 0;
        const T value = FN(term)(e ? e + j : NULL, &a, &b, 0, top, of, false);
        if (of == FN(EXPS))
            wide[place_in_group(j)] += (A)value;
        else
            lane[place_in_group(j)] += value;
    }
}

/* The sums of softmax_rows.inc.c, of lanes in the order of a group: each half is joined for itself, then the two. */
KT_ALWAYS T FN(group_sum)(const T *lane)
{
    return FN(line_joined)(lane, FN(ADDED)) + FN(line_joined)(lane + JOINED_LANES, FN(ADDED));
}

/* Of lines of any length. whole: as in softmax_rows.inc.c, and no line is longer than a tile. */
KT_ALWAYS void FN(halves_sum)(FN(rows) *r, FN(sum_of) of, bool near, bool whole)
{
    const ptrdiff_t n = r->n, ahead = GROUP_OF_ROW * r->width;
    const char     *out = r->soon[0], *in = r->soon[1];
    T               lanes[2 * ROWS_MOST][JOINED_LANES], sums[2 * ROWS_MOST];
    for (int k = 0; k < r->count; k++) {
        const uint16_t *x = FN(halves_at)(r->x) + k * r->of_x, *y = FN(halves_at)(r->y) + k * r->of_y;
        const T         top = r->top[k];
        T              *e = of == FN(KEPT_EXPS) ? r->e + k * n : NULL;
        A               sum = 0;
        ptrdiff_t       i = 0, stop;
        do {
            T lane[GROUP_OF_ROW];
            A wide[GROUP_OF_ROW];
            for (int j = 0; j < GROUP_OF_ROW; j++)
                lane[j] = 0, wide[j] = 0;
            stop = whole || n - i < TILE ? n : i + TILE;
            if (whole || stop - i >= GROUP_OF_ROW)
                do {
                    T a[GROUP_OF_ROW], b[GROUP_OF_ROW];
                    fetch_pair_for_reading(in, ahead);
                    in += ahead;
                    if (of == FN(EXPS) || of == FN(KEPT_EXPS)) {
                        fetch_pair_for_writing(out, ahead);
                        out += ahead;
                    }
                    load_half_group(a, x + i, KT_BF16);
                    if (of == FN(PRODUCTS))
                        load_half_group(b, y + i, KT_BF16);
                    KT_EACH_LANE
                    for (int j = 0; j < GROUP_OF_ROW; j++) {
                        const T value = FN(term)(of == FN(KEPT_EXPS) ? e + i : NULL, a, b, j, top, of, near);
                        if (of == FN(EXPS))
                            wide[j] += (A)value;
                        else
                            lane[j] += value;
                    }
                } while ((i += GROUP_OF_ROW) + GROUP_OF_ROW <= stop);
            if (!whole && i < stop)
                FN(halves_last)(e ? e + i : NULL, x + i, y + i, (int)(stop - i), top, lane, wide, of);
            if (whole && of != FN(EXPS))
                memcpy(lanes[2 * k], lane, sizeof lane);
            else
                sum += of == FN(EXPS) ? FN(group_wide_sum)(wide) : (A)FN(group_sum)(lane);
            i = stop;
        } while (!whole && i < n);
        r->sum[k] = sum;
    }
    if (!whole || of == FN(EXPS))
        return;
    FN(lines_joined)(sums, lanes, 2 * r->count, FN(ADDED));
    for (int k = 0; k < r->count; k++)
        r->sum[k] = (A)(sums[2 * k] + sums[2 * k + 1]);
}

#define HALVES_SUM(name, of, near)                                                                                     \
    static ROWS_NOINLINE void FN(name)(FN(rows) *r)         { FN(halves_sum)(r, FN(of), near, false); }               \
    static ROWS_NOINLINE void FN(name##_whole)(FN(rows) *r) { FN(halves_sum)(r, FN(of), near, true); }
HALVES_SUM(halves_near_exps, EXPS, true)
HALVES_SUM(halves_near_kept_exps, KEPT_EXPS, true)
HALVES_SUM(halves_products, PRODUCTS, false)
HALVES_SUM(halves_values, VALUES, false)
#undef HALVES_SUM
static ROWS_NOINLINE void FN(halves_exps)(FN(rows) *r)      { FN(halves_sum)(r, FN(EXPS), false, false); }
static ROWS_NOINLINE void FN(halves_kept_exps)(FN(rows) *r) { FN(halves_sum)(r, FN(KEPT_EXPS), false, false); }

static void FN(halves_sums)(int kernel, FN(rows) *r)
{
    const bool whole = r->n % GROUP_OF_ROW == 0 && r->n <= TILE;
    if (BY_QUARTERS(quarters_sums(r, quarters_sum_of(kernel), true)))
        return;
    switch (kernel) {
    case KT_K_softmax:
        (!r->near ? FN(halves_kept_exps) : whole ? FN(halves_near_kept_exps_whole) : FN(halves_near_kept_exps))(r);
        return;
    case KT_K_log_softmax:
        (!r->near ? FN(halves_exps) : whole ? FN(halves_near_exps_whole) : FN(halves_near_exps))(r);
        return;
    case KT_K_softmax_backward: (whole ? FN(halves_products_whole) : FN(halves_products))(r); return;
    default:                    (whole ? FN(halves_values_whole) : FN(halves_values))(r);
    }
}

/* ---- results ---- */

/* Of value x, and y, which is the second input or an exponential. */
KT_ALWAYS T FN(half_result)(T x, T y, T top, T total, int kernel, bool near)
{
    switch (kernel) {
    case KT_K_softmax:          return y * total;
    case KT_K_log_softmax:      return x - top - total;
    case KT_K_softmax_backward: return (x - total) * y;
    default:                    return x - FN(rows_exp)(y, near) * total;
    }
}

/* Of a group, by kernels that have no exponential to calculate. */
#ifdef __AVX512F__
KT_ALWAYS __m512 FN(vector_result)(__m512 x, __m512 y, T top, T total, int kernel)
{
    return kernel == KT_K_softmax ? y * total : kernel == KT_K_log_softmax ? x - top - total : (x - total) * y;
}

KT_ALWAYS void FN(group_made)(uint16_t *z, const uint16_t *x, const uint16_t *y, const T *e, T top, T total, int kernel)
{
    __m512 a = {0}, b = {0}, c = {0}, d = {0};
    if (kernel != KT_K_softmax)
        a = even_halves(x), b = odd_halves(x);
    if (kernel == KT_K_softmax)
        c = _mm512_loadu_ps(e), d = _mm512_loadu_ps(e + HALF_WORDS);
    else if (kernel == KT_K_softmax_backward)
        c = even_halves(y), d = odd_halves(y);
    put_halves(z, FN(vector_result)(a, c, top, total, kernel), FN(vector_result)(b, d, top, total, kernel));
}
#else
KT_ALWAYS void FN(group_made)(uint16_t *z, const uint16_t *x, const uint16_t *y, const T *e, T top, T total, int kernel)
{
    T a[GROUP_OF_ROW], b[GROUP_OF_ROW];
    if (kernel != KT_K_softmax)
        load_half_group(a, x, KT_BF16);
    if (kernel == KT_K_softmax_backward)
        load_half_group(b, y, KT_BF16);
    KT_EACH_LANE
    for (int j = 0; j < GROUP_OF_ROW; j++)
        b[j] = FN(half_result)(e ? 0 : a[j], e ? e[j] : kernel == KT_K_softmax_backward ? b[j] : 0, top, total, kernel, false);
    store_half_group(z, b, KT_BF16);
}
#endif

KT_ALWAYS void FN(halves_made)(const FN(rows) *r, int kernel, bool near)
{
    const bool      back = kernel == KT_K_softmax_backward || kernel == KT_K_log_softmax_backward;
    const ptrdiff_t ahead = GROUP_OF_ROW * r->width, n = r->n;
    const char     *out = r->soon[0], *in = r->soon[2];
    for (int k = 0; k < r->count; k++) {
        const uint16_t *x = FN(halves_at)(r->x) + k * r->of_x, *y = FN(halves_at)(r->y) + k * r->of_y;
        const T        *e = kernel == KT_K_softmax ? r->e + k * n : NULL, top = r->top[k], total = r->total[k];
        uint16_t       *z = (uint16_t *)(void *)r->z + k * r->of_z;
        ptrdiff_t       i = 0;
        for (; i + GROUP_OF_ROW <= n; i += GROUP_OF_ROW) {
            if (back) { /* little is calculated, so memory is asked for here too */
                fetch_pair_for_reading(in, ahead), fetch_pair_for_writing(out, ahead);
                in += ahead, out += ahead;
            }
            if (kernel != KT_K_log_softmax_backward) {
                FN(group_made)(z + i, x + i, y + i, e ? e + i : NULL, top, total, kernel);
                continue;
            }
            T a[GROUP_OF_ROW], b[GROUP_OF_ROW];
            load_half_group(a, x + i, KT_BF16), load_half_group(b, y + i, KT_BF16);
            KT_EACH_LANE
            for (int j = 0; j < GROUP_OF_ROW; j++)
                b[j] = FN(half_result)(a[j], b[j], top, total, kernel, near);
            store_half_group(z + i, b, KT_BF16);
        }
        for (; i < n; i++) {
            const T a = kt__decode_BF16(x[i]), b = e ? e[i] : (T)kt__decode_BF16(y[i]);
            z[i] = ENC(BF16)(FN(half_result)(a, b, top, total, kernel, near));
        }
    }
}

static ROWS_NOINLINE void FN(halves_scaled)(const FN(rows) *r)         { FN(halves_made)(r, KT_K_softmax, false); }
static ROWS_NOINLINE void FN(halves_less)(const FN(rows) *r)           { FN(halves_made)(r, KT_K_log_softmax, false); }
static ROWS_NOINLINE void FN(halves_turned)(const FN(rows) *r)         { FN(halves_made)(r, KT_K_softmax_backward, false); }
static ROWS_NOINLINE void FN(halves_less_near_exps)(const FN(rows) *r) { FN(halves_made)(r, KT_K_log_softmax_backward, true); }
static ROWS_NOINLINE void FN(halves_less_any_exps)(const FN(rows) *r)  { FN(halves_made)(r, KT_K_log_softmax_backward, false); }

static void FN(halves_results)(int kernel, const FN(rows) *r)
{
    if (BY_QUARTERS(quarters_results(r, quarters_result_of(kernel), true)))
        return;
    switch (kernel) {
    case KT_K_softmax:          FN(halves_scaled)(r); return;
    case KT_K_log_softmax:      FN(halves_less)(r); return;
    case KT_K_softmax_backward: FN(halves_turned)(r); return;
    default:                    (r->near ? FN(halves_less_near_exps) : FN(halves_less_any_exps))(r);
    }
}
