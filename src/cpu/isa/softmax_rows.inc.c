/* softmax_rows.inc.c - what softmax and its gradients ask of dense lines. A template: the includer defines T, A, ID and SELF, and
 * includes tile.h.
 *
 * In: a few lines in the core's own cache. Out: their largest values, exponentials, sums and results. Sums are made in T, in
 * lanes that are the same on every instruction set, and joined in A, a tile at a time. Every step goes over all lines: the end of
 * one, where lanes are joined, does not wait for that of the last. Meanwhile the memory that is next is asked for.
 * Independent of: plans, dtypes, threads. */
#include "cpu/write.h"
#include "math/exp_share.h"

enum { ROW_LANES = 128 / sizeof(T), ROWS_MOST = 32 };

#define ROWS_NOINLINE __attribute__((noinline)) /* one call for many lines costs little; inlining would multiply the code */

typedef struct FN(rows) {
    int64_t     n;                     /* values of a line */
    int         count;                 /* of lines, up to ROWS_MOST; one, if it is longer than a tile */
    const T    *x, *y;                 /* y: NULL, or the second input */
    T          *e, *z;                 /* e: exponentials, line behind line; z: the results */
    ptrdiff_t   of_x, of_y, of_z;      /* from line to line, in elements */
    bool        near;                  /* exponentials have a shorter form, which has the same bits */
    const char *soon[3];               /* asked for meanwhile: the output, the inputs of the next lines */
    ptrdiff_t   width;                 /* bytes of an element there, or 0: nothing is asked for */
    bool        later;                 /* what is asked for is the next line, which is long: it has room in the second cache */
    T           top[ROWS_MOST], total[ROWS_MOST], low;
    A           sum[ROWS_MOST];
} FN(rows);

KT_ALWAYS T FN(rows_exp)(T a, bool near)
{
    return near && sizeof(T) == 4 ? (T)exp_share_near_f32((float)a) : FN(exp_share)(a);
}
KT_ALWAYS bool FN(exp_is_near)(T low, T high) { return sizeof(T) == 4 && low > -87 && high < 87; }

/* ---- lanes of lines, joined ---- */

/* The upper half of the lanes is joined to the lower one, until one is left. Lanes are 64 bytes. */
typedef enum FN(joined) { FN(ADDED), FN(LARGEST), FN(LEAST) } FN(joined);

KT_ALWAYS T FN(join)(T a, T b, FN(joined) how)
{
    return how == FN(ADDED) ? a + b : how == FN(LARGEST) ? (b > a ? b : a) : b < a ? b : a;
}

enum { JOINED_LANES = ROW_LANES / 2 };

KT_ALWAYS T FN(line_joined)(const T *lanes, FN(joined) how)
{
    T lane[JOINED_LANES];
    memcpy(lane, lanes, sizeof lane);
    _Pragma("GCC unroll 4") for (int half = JOINED_LANES / 2; half > 0; half /= 2)
        for (int j = 0; j < half; j++)
            lane[j] = FN(join)(lane[j], lane[j + half], how);
    return lane[0];
}

#if defined(__AVX512F__) && defined(KT_FROM_HALVES)
/* Of 16 lines at once, each step for all of them, and each line in the order of above. */
KT_ALWAYS __m512 FN(vectors_join)(__m512 a, __m512 b, FN(joined) how)
{
    return how == FN(ADDED) ? _mm512_add_ps(a, b) : how == FN(LARGEST) ? _mm512_max_ps(b, a) : _mm512_min_ps(b, a);
}

KT_ALWAYS void FN(lines_16_joined)(T *to, const T (*lanes)[JOINED_LANES], FN(joined) how)
{
    __m512 v[16];
    _Pragma("GCC unroll 16") for (int i = 0; i < 8; i++) { /* the last step turns lines: they come in this order */
        const int    one = i * 2, two = one + 1;
        const __m512 a = _mm512_loadu_ps(lanes[one % 4 * 4 + one / 4]), b = _mm512_loadu_ps(lanes[two % 4 * 4 + two / 4]);
        v[i] = FN(vectors_join)(_mm512_shuffle_f32x4(a, b, 0x44), _mm512_shuffle_f32x4(a, b, 0xee), how);
    }
    _Pragma("GCC unroll 16") for (int i = 0; i < 4; i++)
        v[i] = FN(vectors_join)(_mm512_shuffle_f32x4(v[2 * i], v[2 * i + 1], 0x88),
                                _mm512_shuffle_f32x4(v[2 * i], v[2 * i + 1], 0xdd), how);
    _Pragma("GCC unroll 16") for (int i = 0; i < 2; i++)
        v[i] = FN(vectors_join)(_mm512_shuffle_ps(v[2 * i], v[2 * i + 1], 0x44),
                                _mm512_shuffle_ps(v[2 * i], v[2 * i + 1], 0xee), how);
    _mm512_storeu_ps(to, FN(vectors_join)(_mm512_shuffle_ps(v[0], v[1], 0x88), _mm512_shuffle_ps(v[0], v[1], 0xdd), how));
}
#endif

/* to[k] = the lanes of line k, joined; there is room for whole groups of 16 lines. */
KT_ALWAYS void FN(lines_joined)(T *to, T (*lanes)[JOINED_LANES], int n, FN(joined) how)
{
    int k = 0;
#if defined(__AVX512F__) && defined(KT_FROM_HALVES)
    for (; n - k >= 4; k += 16) {
        for (int i = n; i < k + 16; i++)
            memset(lanes[i], 0, sizeof lanes[i]);
        FN(lines_16_joined)(to + k, lanes + k, how);
    }
#endif
    for (; k < n; k++)
        to[k] = FN(line_joined)(lanes[k], how);
}

/* Two halves of a line's lanes, kept until all lines have theirs. */
KT_ALWAYS void FN(keep_lanes)(T *to, const T *lane, FN(joined) how)
{
    KT_EACH_LANE
    for (int j = 0; j < JOINED_LANES; j++)
        to[j] = FN(join)(lane[j], lane[j + JOINED_LANES], how);
}

/* ---- the largest value of a line, and how far exponents go. NaN is passed over: it spoils the sum ---- */

typedef struct FN(span) {
    T most[ROW_LANES], least[ROW_LANES];
} FN(span);

typedef struct FN(spans) { /* of lines */
    T most[ROWS_MOST][JOINED_LANES], least[ROWS_MOST][JOINED_LANES];
} FN(spans);

KT_ALWAYS void FN(span_clear)(FN(span) *s)
{
    for (int j = 0; j < ROW_LANES; j++)
        s->most[j] = -INFINITY, s->least[j] = INFINITY;
}

KT_ALWAYS void FN(span_lanes)(FN(span) *s, const T *most, const T *least, int n)
{
    KT_EACH
    for (int j = 0; j < n; j++) {
        s->most[j] = most[j] > s->most[j] ? most[j] : s->most[j];
        s->least[j] = least[j] < s->least[j] ? least[j] : s->least[j];
    }
}

KT_ALWAYS void FN(span_keep)(FN(spans) *all, int k, const FN(span) *s)
{
    FN(keep_lanes)(all->most[k], s->most, FN(LARGEST));
    FN(keep_lanes)(all->least[k], s->least, FN(LEAST));
}

KT_ALWAYS void FN(span_more)(FN(spans) *all, int k, T x)
{
    all->most[k][0] = x > all->most[k][0] ? x : all->most[k][0];
    all->least[k][0] = x < all->least[k][0] ? x : all->least[k][0];
}

/* Of line k. Two chains, where a line has whole pairs of them: one would wait for itself. */
static ROWS_NOINLINE void FN(span_of_pairs)(FN(spans) *all, const FN(rows) *r)
{
    for (int k = 0; k < r->count; k++) {
        const T  *x = r->x + k * r->of_x;
        ptrdiff_t i = 0;
        FN(span)  s, t;
        FN(span_clear)(&s), FN(span_clear)(&t);
        do {
            FN(span_lanes)(&s, x + i, x + i, ROW_LANES);
            FN(span_lanes)(&t, x + i + ROW_LANES, x + i + ROW_LANES, ROW_LANES);
        } while ((i += 2 * ROW_LANES) < r->n);
        FN(span_lanes)(&s, t.most, t.least, ROW_LANES);
        FN(span_keep)(all, k, &s);
    }
}

static ROWS_NOINLINE void FN(span_of_any)(FN(spans) *all, int k, const T *x, int64_t n)
{
    int64_t  i = 0;
    FN(span) s;
    FN(span_clear)(&s);
    for (; i + ROW_LANES <= n; i += ROW_LANES)
        FN(span_lanes)(&s, x + i, x + i, ROW_LANES);
    FN(span_keep)(all, k, &s);
    for (; i < n; i++)
        FN(span_more)(all, k, x[i]);
}

/* Into r: the largest value of each line, 0 if it is -0; the least of all values less that. */
KT_ALWAYS void FN(span_ends)(FN(rows) *r, FN(spans) *all)
{
    T least[ROWS_MOST], low = 0;
    FN(lines_joined)(r->top, all->most, r->count, FN(LARGEST));
    FN(lines_joined)(least, all->least, r->count, FN(LEAST));
    for (int k = 0; k < r->count; k++) {
        r->top[k] += 0;
        low = least[k] - r->top[k] < low ? least[k] - r->top[k] : low;
    }
    r->low = low;
}

static void FN(rows_top)(FN(rows) *r)
{
    FN(spans) all;
    if (r->n % (2 * ROW_LANES) == 0)
        FN(span_of_pairs)(&all, r);
    else
        for (int k = 0; k < r->count; k++)
            FN(span_of_any)(&all, k, r->x + k * r->of_x, r->n);
    FN(span_ends)(r, &all);
}

/* Are all y, of which e^y is wanted, near 0? */
static ROWS_NOINLINE bool FN(rows_are_near)(const FN(rows) *r)
{
    FN(spans) all;
    T         most[ROWS_MOST], least[ROWS_MOST];
    bool      near = true;
    for (int k = 0; k < r->count; k++)
        FN(span_of_any)(&all, k, r->y + k * r->of_y, r->n);
    FN(lines_joined)(most, all.most, r->count, FN(LARGEST));
    FN(lines_joined)(least, all.least, r->count, FN(LEAST));
    for (int k = 0; k < r->count; k++)
        near = near && FN(exp_is_near)(least[k], most[k]);
    return near;
}

/* ---- sums ---- */

/* Of ROW_LANES lanes of As, which may be twice as many bytes: halves are added, until one is left. */
KT_ALWAYS A FN(wide_lanes_sum)(const A *lane)
{
    A both[ROW_LANES];
    memcpy(both, lane, sizeof both);
    _Pragma("GCC unroll 5") for (int half = ROW_LANES / 2; half > 0; half /= 2)
        for (int j = 0; j < half; j++)
            both[j] += both[j + half];
    return both[0];
}

/* EXPS: their logarithm is wanted, of which digits may be left after 1: they are summed in A. */
typedef enum FN(sum_of) { FN(EXPS), FN(KEPT_EXPS), FN(PRODUCTS), FN(VALUES) } FN(sum_of);

#if defined(__aarch64__) && defined(KT_FROM_HALVES)
#include "cpu/isa/softmax_quarters.inc.c"
#define BY_QUARTERS(call) (call)
#else
#define BY_QUARTERS(call) false
#endif

/* What value i adds. */
KT_ALWAYS T FN(term)(T *e, const T *x, const T *y, int i, T top, FN(sum_of) of, bool near)
{
    if (of == FN(PRODUCTS))
        return x[i] * y[i];
    if (of == FN(VALUES))
        return x[i];
    const T value = FN(rows_exp)(x[i] - top, near);
    if (of == FN(KEPT_EXPS))
        e[i] = value;
    return value;
}

/* The last values of a line, apart: so the loop over lines keeps its constants in registers. */
static ROWS_NOINLINE void FN(last_exps)(A *lane, const T *x, T top, int n)
{
    KT_EACH
    for (int j = 0; j < n; j++)
        lane[j] += (A)FN(exp_share)(x[j] - top);
}

static ROWS_NOINLINE void FN(last_kept_exps)(T *lane, T *e, const T *x, T top, int n)
{
    KT_EACH
    for (int j = 0; j < n; j++) {
        e[j] = FN(exp_share)(x[j] - top);
        lane[j] += e[j];
    }
}

static ROWS_NOINLINE void FN(last_products)(T *lane, const T *x, const T *y, int n)
{
    KT_EACH
    for (int j = 0; j < n; j++)
        lane[j] += x[j] * y[j];
}

static ROWS_NOINLINE void FN(last_values)(T *lane, const T *x, int n)
{
    KT_EACH
    for (int j = 0; j < n; j++)
        lane[j] += x[j];
}

/* Of lines that are no longer than a tile. whole: they have no end that does not fill the lanes. Without it lanes, and what is
 * constant, stay in registers from line to line. */
KT_ALWAYS void FN(rows_sum)(FN(rows) *r, FN(sum_of) of, bool near, bool whole)
{
    const ptrdiff_t n = r->n, of_x = r->of_x, of_y = r->of_y, ahead = ROW_LANES * r->width;
    const char     *out = r->soon[0], *in = r->soon[1];
    const T        *x = r->x, *y = of == FN(PRODUCTS) ? r->y : r->x;
    T              *e = of == FN(KEPT_EXPS) ? r->e : NULL, lanes[ROWS_MOST][JOINED_LANES], sum[ROWS_MOST];
    for (int k = 0; k < r->count; k++) {
        const T   top = r->top[k];
        T         lane[ROW_LANES];
        A         wide[ROW_LANES];
        ptrdiff_t i = 0;
        for (int j = 0; j < ROW_LANES; j++)
            lane[j] = 0, wide[j] = 0;
        if (whole || n >= ROW_LANES)
            do {
                fetch_pair_for_reading(in, ahead);
                in += ahead;
                if (of == FN(EXPS) || of == FN(KEPT_EXPS)) {
                    fetch_pair_for_writing(out, ahead);
                    out += ahead;
                }
                KT_EACH_LANE
                for (int j = 0; j < ROW_LANES; j++) {
                    const T value = FN(term)(of == FN(KEPT_EXPS) ? e + i : NULL, x + i, y + i, j, top, of, near);
                    if (of == FN(EXPS))
                        wide[j] += (A)value;
                    else
                        lane[j] += value;
                }
            } while ((i += ROW_LANES) + ROW_LANES <= n);
        if (whole)
            i = n;
        if (i < n && of == FN(EXPS))
            FN(last_exps)(wide, x + i, top, (int)(n - i));
        else if (i < n && of == FN(KEPT_EXPS))
            FN(last_kept_exps)(lane, e + i, x + i, top, (int)(n - i));
        else if (i < n && of == FN(PRODUCTS))
            FN(last_products)(lane, x + i, y + i, (int)(n - i));
        else if (i < n)
            FN(last_values)(lane, x + i, (int)(n - i));
        if (of == FN(EXPS))
            r->sum[k] = FN(wide_lanes_sum)(wide);
        else
            FN(keep_lanes)(lanes[k], lane, FN(ADDED));
        x += of_x, y += of == FN(PRODUCTS) ? of_y : of_x;
        e = of == FN(KEPT_EXPS) ? e + n : NULL;
    }
    if (of == FN(EXPS))
        return;
    FN(lines_joined)(sum, lanes, r->count, FN(ADDED));
    for (int k = 0; k < r->count; k++)
        r->sum[k] = (A)sum[k];
}

#define ROWS_SUM(name, of, near)                                                                                       \
    static ROWS_NOINLINE void FN(name)(FN(rows) *r)         { FN(rows_sum)(r, FN(of), near, false); }                 \
    static ROWS_NOINLINE void FN(name##_whole)(FN(rows) *r) { FN(rows_sum)(r, FN(of), near, true); }
ROWS_SUM(rows_near_exps, EXPS, true)
ROWS_SUM(rows_near_kept_exps, KEPT_EXPS, true)
ROWS_SUM(rows_products, PRODUCTS, false)
ROWS_SUM(rows_values, VALUES, false)
#undef ROWS_SUM
static ROWS_NOINLINE void FN(rows_exps)(FN(rows) *r)      { FN(rows_sum)(r, FN(EXPS), false, false); }
static ROWS_NOINLINE void FN(rows_kept_exps)(FN(rows) *r) { FN(rows_sum)(r, FN(KEPT_EXPS), false, false); }

static void FN(rows_sum_of_tiles)(FN(rows) *r, FN(sum_of) of)
{
    const bool whole = r->n % ROW_LANES == 0;
    if (BY_QUARTERS(quarters_sums(r, of, false)))
        return;
    switch (of) {
    case FN(EXPS):
        (!r->near ? FN(rows_exps) : whole ? FN(rows_near_exps_whole) : FN(rows_near_exps))(r);
        return;
    case FN(KEPT_EXPS):
        (!r->near ? FN(rows_kept_exps) : whole ? FN(rows_near_kept_exps_whole) : FN(rows_near_kept_exps))(r);
        return;
    case FN(PRODUCTS):  (whole ? FN(rows_products_whole) : FN(rows_products))(r); return;
    default:            (whole ? FN(rows_values_whole) : FN(rows_values))(r);
    }
}

/* Into r->sum: of e^(x - top), which may be kept; of x y; or of x. */
static void FN(rows_sums)(FN(rows) *r, FN(sum_of) of)
{
    if (r->n <= TILE) {
        FN(rows_sum_of_tiles)(r, of);
        return;
    }
    const FN(rows) whole = {.n = r->n, .x = r->x, .y = r->y, .e = r->e, .soon = {r->soon[0], r->soon[1], r->soon[2]}};
    A              sum = 0;
    for (int64_t i = 0; i < whole.n; i += TILE) {
        r->n = whole.n - i < TILE ? whole.n - i : TILE;
        r->x = whole.x + i, r->y = whole.y ? whole.y + i : NULL, r->e = whole.e ? whole.e + i : NULL;
        for (int k = 0; k < 3; k++)
            r->soon[k] = whole.soon[k] + i * r->width;
        FN(rows_sum_of_tiles)(r, of);
        sum += r->sum[0];
    }
    r->n = whole.n, r->x = whole.x, r->y = whole.y, r->e = whole.e;
    memcpy(r->soon, whole.soon, sizeof r->soon);
    r->sum[0] = sum;
}

/* ---- results, once top and total are known ---- */

static ROWS_NOINLINE void FN(rows_scaled)(const FN(rows) *r)
{
    for (int k = 0; k < r->count; k++) {
        const T *e = r->e + k * r->n, total = r->total[k];
        T       *z = r->z + k * r->of_z;
        KT_EACH
        for (int64_t i = 0; i < r->n; i++)
            z[i] = e[i] * total;
    }
}

static ROWS_NOINLINE void FN(rows_less)(const FN(rows) *r)
{
    for (int k = 0; k < r->count; k++) {
        const T *x = r->x + k * r->of_x, top = r->top[k], total = r->total[k];
        T       *z = r->z + k * r->of_z;
        KT_EACH
        for (int64_t i = 0; i < r->n; i++)
            z[i] = x[i] - top - total;
    }
}

/* What flows back: little is calculated, so memory is asked for here too. */
#define FLOWS_BACK(value)                                                                                              \
    const ptrdiff_t ahead = ROW_LANES * r->width, n = r->n;                                                            \
    const char     *out = r->soon[0], *in = r->soon[2];                                                                \
    for (int k = 0; k < r->count; k++) {                                                                               \
        const T *x = r->x + k * r->of_x, *y = r->y + k * r->of_y, total = r->total[k];                                 \
        T       *z = r->z + k * r->of_z;                                                                               \
        for (ptrdiff_t i = 0; i < n; i += ROW_LANES, x += ROW_LANES, y += ROW_LANES, z += ROW_LANES) {                 \
            fetch_pair_for_reading(in, ahead), fetch_pair_for_writing(out, ahead);                                     \
            in += ahead, out += ahead;                                                                                 \
            if (n - i >= ROW_LANES) {                                                                                  \
                KT_EACH_LANE                                                                                           \
                for (int j = 0; j < ROW_LANES; j++)                                                                    \
                    z[j] = (value);                                                                                    \
            } else {                                                                                                   \
                KT_EACH                                                                                                \
                for (int j = 0; j < n - i; j++)                                                                        \
                    z[j] = (value);                                                                                    \
            }                                                                                                          \
        }                                                                                                              \
    }

static ROWS_NOINLINE void FN(rows_turned)(const FN(rows) *r)         { FLOWS_BACK((x[j] - total) * y[j]) }
static ROWS_NOINLINE void FN(rows_less_near_exps)(const FN(rows) *r) { FLOWS_BACK(x[j] - FN(rows_exp)(y[j], true) * total) }
static ROWS_NOINLINE void FN(rows_less_any_exps)(const FN(rows) *r)  { FLOWS_BACK(x[j] - FN(rows_exp)(y[j], false) * total) }
static void FN(rows_less_exps)(const FN(rows) *r) { (r->near ? FN(rows_less_near_exps) : FN(rows_less_any_exps))(r); }
