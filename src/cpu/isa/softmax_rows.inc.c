/* softmax_rows.inc.c - what softmax and its gradients ask of dense lines. A template: the includer defines T, A, ID and SELF, and
 * includes tile.h and exp_ID.
 *
 * In: a few lines in the core's own cache. Out: their largest values, exponentials, sums and results. Sums are made in T, in
 * lanes that are the same on every instruction set, and joined in A, a tile at a time. Every step goes over all lines: the end of
 * one, where lanes are joined, does not wait for that of the last. Meanwhile the memory that is next is asked for.
 * Independent of: plans, dtypes, threads. */
#include "cpu/write.h"
#include "math/f32/exponential.h"

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
    T           top[ROWS_MOST], total[ROWS_MOST], low;
    A           sum[ROWS_MOST];
} FN(rows);

KT_ALWAYS T FN(rows_exp)(T a, bool near) { return near && sizeof(T) == 4 ? (T)exp_near_f32((float)a) : FN(exp)(a); }
KT_ALWAYS bool FN(exp_is_near)(T low, T high) { return sizeof(T) == 4 && low > -87 && high < 87; }

/* ---- the largest value of a line, and how far exponents go. NaN is passed over: it spoils the sum ---- */

KT_ALWAYS T FN(lanes_most)(const T *lane)
{
#ifdef __AVX512F__
    if (sizeof(T) == 4)
        return (T)_mm512_reduce_max_ps(_mm512_max_ps(_mm512_loadu_ps(lane), _mm512_loadu_ps(lane + ROW_LANES / 2)));
    return (T)_mm512_reduce_max_pd(_mm512_max_pd(_mm512_loadu_pd(lane), _mm512_loadu_pd(lane + ROW_LANES / 2)));
#else
    T most[ROW_LANES];
    memcpy(most, lane, sizeof most);
    _Pragma("GCC unroll 8") for (int half = ROW_LANES / 2; half > 0; half /= 2)
        for (int j = 0; j < half; j++)
            most[j] = most[j + half] > most[j] ? most[j + half] : most[j];
    return most[0];
#endif
}

typedef struct FN(span) {
    T most[ROW_LANES], least[ROW_LANES];
} FN(span);

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

static ROWS_NOINLINE void FN(span_end)(FN(span) *s, const T *x, int n) { FN(span_lanes)(s, x, x, n); }

KT_ALWAYS void FN(span_of)(FN(span) *s, const T *x, int64_t n)
{
    int64_t i = 0;
    for (; i + ROW_LANES <= n; i += ROW_LANES)
        FN(span_lanes)(s, x + i, x + i, ROW_LANES);
    if (i < n)
        FN(span_end)(s, x + i, (int)(n - i));
}

/* The largest x of each line, 0 if it is -0; r->low: the least of x less that. */
static ROWS_NOINLINE void FN(rows_top)(FN(rows) *r)
{
    T low[ROW_LANES];
    for (int j = 0; j < ROW_LANES; j++)
        low[j] = 0;
    for (int k = 0; k < r->count; k++) {
        FN(span) s;
        FN(span_clear)(&s);
        FN(span_of)(&s, r->x + k * r->of_x, r->n);
        const T top = FN(lanes_most)(s.most) + 0;
        KT_EACH
        for (int j = 0; j < ROW_LANES; j++)
            low[j] = s.least[j] - top < low[j] ? s.least[j] - top : low[j];
        r->top[k] = top;
    }
    for (int j = 0; j < ROW_LANES; j++)
        low[j] = -low[j];
    r->low = -FN(lanes_most)(low);
}

/* Are all y, of which e^y is wanted, near 0? */
static ROWS_NOINLINE bool FN(rows_are_near)(const FN(rows) *r)
{
    FN(span) s;
    FN(span_clear)(&s);
    for (int k = 0; k < r->count; k++)
        FN(span_of)(&s, r->y + k * r->of_y, r->n);
    for (int j = 0; j < ROW_LANES; j++)
        s.least[j] = -s.least[j];
    return FN(exp_is_near)(-FN(lanes_most)(s.least), FN(lanes_most)(s.most));
}

/* ---- sums ---- */

/* The upper half of 128 bytes of lanes is added to the lower one, until one is left. AVX-512: the compiler would pass halves
 * through memory. */
#ifdef __AVX512F__
#define HALVES(a, b, of) ((a) = (__typeof__(a))_mm512_castps512_ps256((__m512)(of)), \
                          (b) = (__typeof__(b))_mm512_extractf32x8_ps((__m512)(of), 1))
#else
#define HALVES(a, b, of) (memcpy(&(a), &(of), 32), memcpy(&(b), (const char *)&(of) + 32, 32))
#endif
#define SUM_OF_LANES(name, type)                                                                                       \
    KT_ALWAYS type name(const type *lane)                                                                              \
    {                                                                                                                  \
        typedef type wide __attribute__((vector_size(64)));                                                            \
        typedef type middle __attribute__((vector_size(32)));                                                          \
        typedef type narrow __attribute__((vector_size(16)));                                                          \
        wide   a, b;                                                                                                   \
        middle c, d;                                                                                                   \
        narrow e, f;                                                                                                   \
        memcpy(&a, lane, 64), memcpy(&b, (const char *)lane + 64, 64);                                                 \
        a += b;                                                                                                        \
        HALVES(c, d, a);                                                                                               \
        c += d;                                                                                                        \
        memcpy(&e, &c, 16), memcpy(&f, (const char *)&c + 16, 16);                                                     \
        e += f;                                                                                                        \
        return sizeof(type) == 8 ? e[0] + e[1]                                                                         \
                                 : (e[0] + e[2 % (16 / sizeof(type))]) + (e[1] + e[3 % (16 / sizeof(type))]);          \
    }
SUM_OF_LANES(FN(lanes_sum), T)
SUM_OF_LANES(FN(wide_across), A)
#undef SUM_OF_LANES
#undef HALVES

/* Of ROW_LANES lanes of As, which may be twice as many bytes. */
KT_ALWAYS A FN(wide_lanes_sum)(const A *lane)
{
    const int half = 128 / sizeof(A);
    A         both[128 / sizeof(A)];
    for (int j = 0; j < half; j++)
        both[j] = ROW_LANES > half ? lane[j] + lane[(j + half) % ROW_LANES] : lane[j];
    return FN(wide_across)(both);
}

/* EXPS: their logarithm is wanted, of which digits may be left after 1: they are summed in A. */
typedef enum FN(sum_of) { FN(EXPS), FN(KEPT_EXPS), FN(PRODUCTS), FN(VALUES) } FN(sum_of);

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
        lane[j] += (A)FN(exp)(x[j] - top);
}

static ROWS_NOINLINE void FN(last_kept_exps)(T *lane, T *e, const T *x, T top, int n)
{
    KT_EACH
    for (int j = 0; j < n; j++) {
        e[j] = FN(exp)(x[j] - top);
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

/* Of lines that are no longer than a tile. */
KT_ALWAYS void FN(rows_sum)(FN(rows) *r, FN(sum_of) of, bool near)
{
    const ptrdiff_t n = r->n, of_x = r->of_x, of_y = r->of_y, ahead = ROW_LANES * r->width;
    const char     *out = r->soon[0], *in = r->soon[1];
    const T        *x = r->x, *y = of == FN(PRODUCTS) ? r->y : r->x;
    T              *e = of == FN(KEPT_EXPS) ? r->e : NULL;
    for (int k = 0; k < r->count; k++) {
        const T   top = r->top[k];
        T         lane[ROW_LANES];
        A         wide[ROW_LANES];
        ptrdiff_t i = 0;
        for (int j = 0; j < ROW_LANES; j++)
            lane[j] = 0, wide[j] = 0;
        for (; i + ROW_LANES <= n; i += ROW_LANES) {
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
        }
        if (i < n && of == FN(EXPS))
            FN(last_exps)(wide, x + i, top, (int)(n - i));
        else if (i < n && of == FN(KEPT_EXPS))
            FN(last_kept_exps)(lane, e + i, x + i, top, (int)(n - i));
        else if (i < n && of == FN(PRODUCTS))
            FN(last_products)(lane, x + i, y + i, (int)(n - i));
        else if (i < n)
            FN(last_values)(lane, x + i, (int)(n - i));
        r->sum[k] = of == FN(EXPS) ? FN(wide_lanes_sum)(wide) : (A)FN(lanes_sum)(lane);
        x += of_x, y += of == FN(PRODUCTS) ? of_y : of_x;
        e = of == FN(KEPT_EXPS) ? e + n : NULL;
    }
}

static ROWS_NOINLINE void FN(rows_exps)(FN(rows) *r)            { FN(rows_sum)(r, FN(EXPS), false); }
static ROWS_NOINLINE void FN(rows_near_exps)(FN(rows) *r)       { FN(rows_sum)(r, FN(EXPS), true); }
static ROWS_NOINLINE void FN(rows_kept_exps)(FN(rows) *r)       { FN(rows_sum)(r, FN(KEPT_EXPS), false); }
static ROWS_NOINLINE void FN(rows_near_kept_exps)(FN(rows) *r)  { FN(rows_sum)(r, FN(KEPT_EXPS), true); }
static ROWS_NOINLINE void FN(rows_products)(FN(rows) *r)        { FN(rows_sum)(r, FN(PRODUCTS), false); }
static ROWS_NOINLINE void FN(rows_values)(FN(rows) *r)          { FN(rows_sum)(r, FN(VALUES), false); }

static void FN(rows_sum_of_tiles)(FN(rows) *r, FN(sum_of) of)
{
    switch (of) {
    case FN(EXPS):      (r->near ? FN(rows_near_exps) : FN(rows_exps))(r); return;
    case FN(KEPT_EXPS): (r->near ? FN(rows_near_kept_exps) : FN(rows_kept_exps))(r); return;
    case FN(PRODUCTS):  FN(rows_products)(r); return;
    default:            FN(rows_values)(r);
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
#define FLOWS_BACK(type, value)                                                                                        \
    const ptrdiff_t ahead = ROW_LANES * r->width, n = r->n;                                                            \
    const char     *out = r->soon[0], *in = r->soon[2];                                                                \
    for (int k = 0; k < r->count; k++) {                                                                               \
        const type *x = (const type *)(const void *)r->x + k * r->of_x;                                                \
        const type *y = (const type *)(const void *)r->y + k * r->of_y;                                                \
        type       *z = (type *)(void *)r->z + k * r->of_z;                                                            \
        const T     total = r->total[k];                                                                               \
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

static ROWS_NOINLINE void FN(rows_turned)(const FN(rows) *r)         { FLOWS_BACK(T, (x[j] - total) * y[j]) }
static ROWS_NOINLINE void FN(rows_less_near_exps)(const FN(rows) *r) { FLOWS_BACK(T, x[j] - FN(rows_exp)(y[j], true) * total) }
static ROWS_NOINLINE void FN(rows_less_any_exps)(const FN(rows) *r)  { FLOWS_BACK(T, x[j] - FN(rows_exp)(y[j], false) * total) }
static void FN(rows_less_exps)(const FN(rows) *r) { (r->near ? FN(rows_less_near_exps) : FN(rows_less_any_exps))(r); }
