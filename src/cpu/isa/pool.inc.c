/* pool.inc.c - pooling in compute type T. A template: the names of T are those of types/, and INDEX is an integer as wide as T.
 *
 * In: a kt__pool. Out: the numbers of its windows, or what flows back to the image. With positions inner, the rows that a line of
 * windows sees become one row first, column by column, and the windows then look along that row; with channels inner, a
 * position's channels go together. What flows back goes the same way in reverse, one plane or one block of channels at a time,
 * so that no two threads write to one element. The largest of equal numbers is the first in row-major order; of NaNs, which
 * beat every number, the last. A window that sees padding alone gives the lowest number of the dtype, and the position where it
 * begins, which may be beyond the image. Independent of: dtypes, operators. */
#include "base/alloc.h"
#include "base/thread.h"
#include "cpu/window/pool.h"
#include "dtype/dtype.h"

#include <string.h>

#ifndef POOL_FOR_ALL_TYPES
#define POOL_FOR_ALL_TYPES
enum { GRAIN_ELEMENTS = 1 << 15, CHANNELS_BACK = 64, CHANNELS_BESIDE = 32 }; /* blocks of channels: in place,
    in memory of our own */
enum { DEPTH, HEIGHT, WIDTH, FEW_WINDOWS = 8 };
#endif
#define NOWHERE ((INDEX)(sizeof(INDEX) == 8 ? INT64_MAX : INT32_MAX)) /* the position of padding */
#define IS_NAN(v) (!KT_IS_INTEGER && __builtin_isnan((double)(v)))

typedef struct FN(pool_work) { /* one thread's */
    kt__pool *p;
    FN(lens)  whole, few;        /* along a line: positions or channels */
    T        *v, *x, *plane;     /* columns of a block; a line that was converted; what flows back, if not in place */
    INDEX    *code;              /* where each of the columns' numbers stands: counted from the block's first column */
    T         tile[TILE];
    INDEX     at[TILE];
    T         lowest;            /* of the dtype of the results */
    void     *made;
    size_t    granted;
} FN(pool_work);

/* ---- lines ---- */

static const T *FN(pool_line)(const FN(lens) *l, T *room, const char *at, int64_t n)
{
    if (l->direct)
        return (const T *)(const void *)at;
    for (int64_t i = 0; i < n; i += TILE)
        FN(load_tile)(room + i, l, at + i * l->step, (int)(n - i < TILE ? n - i : TILE));
    return room;
}

static void FN(pool_store)(const FN(lens) *l, char *at, T *from, int64_t n)
{
    for (int64_t i = 0; i < n; i += TILE)
        FN(store_tile)(at + i * l->step, l, from + i, (int)(n - i < TILE ? n - i : TILE));
}

static void FN(pool_store_index)(char *to, int64_t step, const INDEX *at, int64_t base, int64_t n)
{
    int64_t *dense = (int64_t *)(void *)to;
    if (step == (int64_t)sizeof(int64_t)) {
        KT_EACH
        for (int64_t i = 0; i < n; i++)
            dense[i] = base + at[i];
        return;
    }
    for (int64_t i = 0; i < n; i++)
        *(int64_t *)(void *)(to + i * step) = base + at[i];
}

/* ---- the largest, and sums, element by element ---- */

static void FN(pool_begin)(T *v, INDEX *code, const T *x, INDEX at, INDEX by, int64_t n)
{
    KT_EACH
    for (int64_t i = 0; i < n; i++) {
        v[i] = x[i];
        code[i] = at + (INDEX)i * by;
    }
}

/* x comes later in row-major order than what v holds. */
static void FN(pool_larger)(T *v, INDEX *code, const T *x, INDEX at, INDEX by, int64_t n)
{
    KT_EACH
    for (int64_t i = 0; i < n; i++) {
        const bool larger = (x[i] > v[i]) | IS_NAN(x[i]);
        v[i] = larger ? x[i] : v[i];
        code[i] = larger ? at + (INDEX)i * by : code[i];
    }
}

static void FN(pool_add)(T *v, const T *x, int64_t n)
{
    KT_EACH
    for (int64_t i = 0; i < n; i++)
        v[i] += x[i];
}

static void FN(pool_fill)(T *v, INDEX *code, T value, INDEX at, int64_t n)
{
    for (int64_t i = 0; i < n; i++) {
        v[i] = value;
        code[i] = at;
    }
}

KT_ALWAYS bool FN(pool_beats)(T x, INDEX at, T than, INDEX there)
{
    return (x > than) | ((x == than) & (at < there)) | (IS_NAN(x) & (!IS_NAN(than) | (at > there)));
}

/* ---- along a row: window i begins at element i * move ---- */

KT_ALWAYS void FN(pool_across)(FN(pool_work) *w, int64_t n, int64_t move, int64_t taps, int64_t apart)
{
    T     *m = w->tile;
    INDEX *at = w->at;
    for (int64_t i = 0; i < n; i++) {
        m[i] = w->v[i * move];
        at[i] = w->code[i * move];
    }
    for (int64_t k = 1; k < taps; k++) {
        const T     *v = w->v + k * apart;
        const INDEX *code = w->code + k * apart;
        KT_EACH
        for (int64_t i = 0; i < n; i++) {
            const T     x = v[i * move];
            const INDEX c = code[i * move];
            const bool  beats = FN(pool_beats)(x, c, m[i], at[i]);
            m[i] = beats ? x : m[i];
            at[i] = beats ? c : at[i];
        }
    }
}

KT_ALWAYS void FN(pool_sum_across)(FN(pool_work) *w, int64_t n, int64_t move, int64_t taps)
{
    T *m = w->tile;
    for (int64_t i = 0; i < n; i++)
        m[i] = w->v[i * move];
    for (int64_t k = 1; k < taps; k++) {
        const T *v = w->v + k;
        KT_EACH
        for (int64_t i = 0; i < n; i++)
            m[i] += v[i * move];
    }
}

/* Windows of different sizes. */
static void FN(pool_each)(FN(pool_work) *w, int64_t from, int64_t n, int64_t left)
{
    for (int64_t i = 0; i < n; i++) {
        const kt__window see = kt__pool_window(w->p, WIDTH, from + i);
        const T         *v = w->v + (see.first - left);
        const INDEX     *code = w->code + (see.first - left);
        T                m = v[0];
        INDEX            at = code[0];
        for (int64_t k = 1; k < see.count; k++) {
            const bool beats = w->p->largest && FN(pool_beats)(v[k], code[k], m, at);
            m = !w->p->largest ? m + v[k] : beats ? v[k] : m;
            at = beats ? code[k] : at;
        }
        w->tile[i] = m;
        w->at[i] = at;
    }
}

static void FN(pool_along)(FN(pool_work) *w, int64_t from, int64_t n, int64_t left)
{
    const kt__pool *p = w->p;
    const int64_t   move = p->stride[WIDTH], taps = p->kernel[WIDTH], apart = p->dilation[WIDTH];
    if (p->adaptive)
        FN(pool_each)(w, from, n, left);
    else if (p->largest && move == 1)
        FN(pool_across)(w, n, 1, taps, apart);
    else if (p->largest && move == 2)
        FN(pool_across)(w, n, 2, taps, apart);
    else if (p->largest)
        FN(pool_across)(w, n, move, taps, apart);
    else if (move == 1)
        FN(pool_sum_across)(w, n, 1, taps);
    else if (move == 2)
        FN(pool_sum_across)(w, n, 2, taps);
    else
        FN(pool_sum_across)(w, n, move, taps);
}

/* ---- averages ---- */

KT_ALWAYS T FN(pool_share)(T sum, T among)
{
#if KT_IS_INTEGER
    return among == 0 ? 0 : among == -1 ? (T)(0 - (uint64_t)sum) : sum / among;
#else
    return among != 0 ? sum / among : 0;
#endif
}

static int64_t FN(pool_counted)(const kt__pool *p, const kt__window *see) { return p->with_padding ? see->extent : see->count; }

/* Sums of windows that see as much as `see`; divided in PyTorch's order. */
static void FN(pool_divide)(const kt__pool *p, T *t, const kt__window *see, int64_t n)
{
    if (p->adaptive) {
        const T deep = (T)see[DEPTH].count, high = (T)see[HEIGHT].count, wide = (T)see[WIDTH].count;
        KT_EACH
        for (int64_t i = 0; i < n; i++)
            t[i] = t[i] / deep / high / wide;
        return;
    }
    const int64_t counted = FN(pool_counted)(p, &see[DEPTH]) * FN(pool_counted)(p, &see[HEIGHT]) *
                            FN(pool_counted)(p, &see[WIDTH]);
    const T       among = (T)(p->divisor ? p->divisor : counted);
    KT_EACH
    for (int64_t i = 0; i < n; i++)
        t[i] = FN(pool_share)(t[i], among);
}

/* Windows along a line, from `from` on; all but those at the ends have one size. */
static void FN(pool_divide_line)(const kt__pool *p, T *t, kt__window *see, int64_t from, int64_t n)
{
    for (int64_t i = 0, next; i < n; i = next) {
        see[WIDTH] = kt__pool_window(p, WIDTH, from + i);
        next = kt__pool_until(p, from + i, from + n) - from;
        FN(pool_divide)(p, t + i, see, next - i);
    }
}

/* ---- forward, positions inner ---- */

static char *FN(pool_at)(const kt__image *i, int64_t n, int64_t c, int64_t d, int64_t h, int64_t w)
{
    return i->x.data + n * i->by_batch + c * i->by_channel + d * i->step[DEPTH] + h * i->step[HEIGHT] + w * i->step[WIDTH];
}

/* The columns that results [from, from + n) of a line see, and those of them that are in the image. */
typedef struct FN(pool_columns) {
    int64_t left, low, high, span;
} FN(pool_columns);

static FN(pool_columns) FN(pool_columns_of)(const kt__pool *p, int64_t from, int64_t n)
{
    const kt__window   first = kt__pool_window(p, WIDTH, from), last = kt__pool_window(p, WIDTH, from + n - 1);
    const int64_t      start = from * p->stride[WIDTH] - p->padding[WIDTH];
    FN(pool_columns) c = {.left = p->adaptive ? first.first : start};
    const int64_t      right = p->adaptive ? last.first + last.count
                                           : start + (n - 1) * p->stride[WIDTH] + (p->kernel[WIDTH] - 1) * p->dilation[WIDTH] + 1;
    c.span = right - c.left;
    c.low = c.left < 0 ? 0 : c.left > p->whole.size[WIDTH] ? p->whole.size[WIDTH] : c.left;
    c.high = right < p->whole.size[WIDTH] ? right : p->whole.size[WIDTH];
    c.high = c.high < c.low ? c.low : c.high;
    return c;
}

/* The rows that a line of windows sees become one: the largest of each column, or its sum. */
static void FN(pool_down)(FN(pool_work) *w, int64_t n, int64_t channel, const kt__window *see, const FN(pool_columns) *c)
{
    const kt__pool *p = w->p;
    const int64_t   before = c->low - c->left, length = c->high - c->low;
    const T         none = p->largest ? w->lowest : 0;
    const bool      sees = see[DEPTH].count && see[HEIGHT].count;
    FN(pool_fill)(w->v, w->code, none, NOWHERE, sees ? before : c->span);
    if (!sees)
        return;
    FN(pool_fill)(w->v + before + length, w->code + before + length, none, NOWHERE, c->span - before - length);
    for (int64_t d = 0; d < see[DEPTH].count; d++)
        for (int64_t h = 0; h < see[HEIGHT].count; h++) {
            const int64_t deep = d * see[DEPTH].step, high = h * see[HEIGHT].step;
            const char   *at = FN(pool_at)(&p->whole, n, channel, see[DEPTH].first + deep, see[HEIGHT].first + high, c->low);
            const T      *x = FN(pool_line)(&w->whole, w->x, at, length);
            const INDEX   code = (INDEX)((deep * p->whole.size[HEIGHT] + high) * p->whole.size[WIDTH] + before);
            if (d + h == 0)
                FN(pool_begin)(w->v + before, w->code + before, x, code, 1, length);
            else if (p->largest)
                FN(pool_larger)(w->v + before, w->code + before, x, code, 1, length);
            else
                FN(pool_add)(w->v + before, x, length);
        }
}

/* Positions are counted from column `left`. */
static void FN(pool_place_hollow)(FN(pool_work) *w, int64_t from, int64_t n, int64_t left)
{
    for (int64_t i = 0; i < n; i++)
        if (w->at[i] == NOWHERE)
            w->at[i] = (INDEX)(kt__pool_window(w->p, WIDTH, from + i).first - left);
}

/* A few windows of averages: each by itself, without a row between. */
static void FN(pool_few_windows)(FN(pool_work) *w, int64_t n, int64_t channel, kt__window *see, int64_t count)
{
    const kt__pool *p = w->p;
    const int64_t   deep = see[DEPTH].step * p->whole.step[DEPTH], high = see[HEIGHT].step * p->whole.step[HEIGHT];
    const char     *line = FN(pool_at)(&p->whole, n, channel, see[DEPTH].first, see[HEIGHT].first, 0);
    for (int64_t i = 0; i < count; i++) {
        T sum = 0;
        see[WIDTH] = kt__pool_window(p, WIDTH, i);
        for (int64_t d = 0; d < see[DEPTH].count; d++)
            for (int64_t h = 0; h < see[HEIGHT].count; h++) {
                const T *x = (const T *)(const void *)(line + d * deep + h * high) + see[WIDTH].first;
                for (int64_t k = 0; k < see[WIDTH].count; k++)
                    sum += x[k];
            }
        w->tile[i] = sum;
    }
    FN(pool_divide_line)(p, w->tile, see, 0, count);
}

static void FN(pool_line_of_windows)(FN(pool_work) *w, int64_t n, int64_t channel, int64_t deep, int64_t high)
{
    kt__pool  *p = w->p;
    kt__window see[KT__SPACE_DIMS] = {kt__pool_window(p, DEPTH, deep), kt__pool_window(p, HEIGHT, high)};
    if (!p->largest && w->whole.direct && p->few.size[WIDTH] <= FEW_WINDOWS) {
        FN(pool_few_windows)(w, n, channel, see, p->few.size[WIDTH]);
        FN(pool_store)(&w->few, FN(pool_at)(&p->few, n, channel, deep, high, 0), w->tile, p->few.size[WIDTH]);
        return;
    }
    for (int64_t from = 0; from < p->few.size[WIDTH]; from += p->block) {
        const int64_t            rest = p->few.size[WIDTH] - from, count = rest < p->block ? rest : p->block;
        const FN(pool_columns) c = FN(pool_columns_of)(p, from, count);
        FN(pool_down)(w, n, channel, see, &c);
        FN(pool_along)(w, from, count, c.left);
        if (!p->largest)
            FN(pool_divide_line)(p, w->tile, see, from, count);
        FN(pool_store)(&w->few, FN(pool_at)(&p->few, n, channel, deep, high, from), w->tile, count);
        if (p->index.x.data && kt__pool_dilated(p))
            FN(pool_place_hollow)(w, from, count, c.left);
        if (p->index.x.data)
            FN(pool_store_index)(FN(pool_at)(&p->index, n, channel, deep, high, from), p->index.step[WIDTH], w->at,
                                 (see[DEPTH].first * p->whole.size[HEIGHT] + see[HEIGHT].first) * p->whole.size[WIDTH] + c.left,
                                 count);
    }
}

/* ---- forward, channels inner ---- */

static void FN(pool_position)(FN(pool_work) *w, int64_t n, int64_t channel, int64_t count, const kt__window *see)
{
    const kt__pool *p = w->p;
    bool            begun = false;
    for (int64_t d = 0; d < see[DEPTH].count; d++)
        for (int64_t h = 0; h < see[HEIGHT].count; h++)
            for (int64_t k = 0; k < see[WIDTH].count; k++) {
                const int64_t deep = d * see[DEPTH].step, high = h * see[HEIGHT].step, wide = k * see[WIDTH].step;
                const char   *at = FN(pool_at)(&p->whole, n, channel, see[DEPTH].first + deep, see[HEIGHT].first + high,
                                               see[WIDTH].first + wide);
                const T      *x = FN(pool_line)(&w->whole, w->x, at, count);
                const INDEX   code = (INDEX)((deep * p->whole.size[HEIGHT] + high) * p->whole.size[WIDTH] + wide);
                if (!begun)
                    FN(pool_begin)(w->tile, w->at, x, code, 0, count);
                else if (p->largest)
                    FN(pool_larger)(w->tile, w->at, x, code, 0, count);
                else
                    FN(pool_add)(w->tile, x, count);
                begun = true;
            }
    if (!begun)
        FN(pool_fill)(w->tile, w->at, p->largest ? w->lowest : 0, 0, count);
    else if (!p->largest)
        FN(pool_divide)(p, w->tile, see, count);
}

static void FN(pool_line_of_positions)(FN(pool_work) *w, int64_t n, int64_t deep, int64_t high)
{
    kt__pool  *p = w->p;
    kt__window see[KT__SPACE_DIMS] = {kt__pool_window(p, DEPTH, deep), kt__pool_window(p, HEIGHT, high)};
    for (int64_t wide = 0; wide < p->few.size[WIDTH]; wide++)
        for (int64_t c = 0; c < p->few.channels; c += TILE) {
            const int64_t count = p->few.channels - c < TILE ? p->few.channels - c : TILE;
            see[WIDTH] = kt__pool_window(p, WIDTH, wide);
            FN(pool_position)(w, n, c, count, see);
            FN(pool_store)(&w->few, FN(pool_at)(&p->few, n, c, deep, high, wide), w->tile, count);
            if (p->index.x.data)
                FN(pool_store_index)(FN(pool_at)(&p->index, n, c, deep, high, wide), p->index.by_channel, w->at,
                                     (see[DEPTH].first * p->whole.size[HEIGHT] + see[HEIGHT].first) * p->whole.size[WIDTH] +
                                         see[WIDTH].first,
                                     count);
        }
}

/* ---- back, positions inner: one plane ---- */

static bool FN(pool_found)(kt__pool *p, int64_t index)
{
    if (index >= 0 && index < p->volume)
        return true;
    if (!kt__pool_begins_beyond(p, index))
        __atomic_store_n(&p->beyond, true, __ATOMIC_RELAXED);
    return false;
}

static void FN(pool_drop_line)(FN(pool_work) *w, T *plane, const char *index, const T *g, int64_t n)
{
    kt__pool     *p = w->p;
    const int64_t step = p->index.step[WIDTH];
    for (int64_t i = 0; i < n; i++) {
        const int64_t at = *(const int64_t *)(const void *)(index + i * step);
        if (FN(pool_found)(p, at))
            plane[at] = p->sets ? g[i] : plane[at] + g[i];
    }
}

/* The row of windows that begin `move` apart, and what they share of it: tile[i] for each of its taps. */
KT_ALWAYS void FN(pool_share_out)(FN(pool_work) *w, int64_t n, int64_t move, int64_t taps)
{
    for (int64_t k = 0; k < taps; k++) {
        T *v = w->v + k;
        KT_EACH
        for (int64_t i = 0; i < n; i++)
            v[i * move] += w->tile[i];
    }
}

static void FN(pool_share_out_pairs)(FN(pool_work) *w, int64_t n)
{
    KT_EACH
    for (int64_t i = 0; i < n; i++) {
        w->v[2 * i] = w->tile[i];
        w->v[2 * i + 1] = w->tile[i];
    }
}

static void FN(pool_share_out_each)(FN(pool_work) *w, int64_t from, int64_t n, int64_t left)
{
    for (int64_t i = 0; i < n; i++) {
        const kt__window across = kt__pool_window(w->p, WIDTH, from + i);
        for (int64_t k = 0; k < across.count; k++)
            w->v[across.first - left + k] += w->tile[i];
    }
}

/* Shares are collected in a row, which is then added to every row that the windows see. */
static void FN(pool_spread_line)(FN(pool_work) *w, T *plane, const kt__window *see, const FN(pool_columns) *c, int64_t from,
                                 int64_t n)
{
    const kt__pool *p = w->p;
    const int64_t   before = c->low - c->left, move = p->stride[WIDTH], taps = p->kernel[WIDTH];
    memset(w->v, 0, sizeof(T) * (size_t)c->span);
    if (p->adaptive)
        FN(pool_share_out_each)(w, from, n, c->left);
    else if (move == 2 && taps == 2)
        FN(pool_share_out_pairs)(w, n);
    else if (move == 2)
        FN(pool_share_out)(w, n, 2, taps);
    else if (move == 1)
        FN(pool_share_out)(w, n, 1, taps);
    else
        FN(pool_share_out)(w, n, move, taps);
    for (int64_t d = 0; d < see[DEPTH].count; d++)
        for (int64_t h = 0; h < see[HEIGHT].count; h++) {
            const int64_t row = (see[DEPTH].first + d) * p->whole.size[HEIGHT] + see[HEIGHT].first + h;
            FN(pool_add)(plane + row * p->whole.size[WIDTH] + c->low, w->v + before, c->high - c->low);
        }
}

static void FN(pool_fill_plane)(FN(pool_work) *w, T *plane, int64_t n, int64_t channel)
{
    kt__pool *p = w->p;
    memset(plane, 0, sizeof(T) * (size_t)p->volume);
    for (int64_t line = 0; line < p->few.size[DEPTH] * p->few.size[HEIGHT]; line++) {
        const int64_t deep = line / p->few.size[HEIGHT], high = line % p->few.size[HEIGHT];
        kt__window    see[KT__SPACE_DIMS] = {{0}};
        if (!p->largest) {
            see[DEPTH] = kt__pool_window(p, DEPTH, deep);
            see[HEIGHT] = kt__pool_window(p, HEIGHT, high);
        }
        for (int64_t from = 0; from < p->few.size[WIDTH]; from += p->block) {
            const int64_t rest = p->few.size[WIDTH] - from, count = rest < p->block ? rest : p->block;
            const char   *at = FN(pool_at)(&p->few, n, channel, deep, high, from);
            const T      *g = FN(pool_line)(&w->few, w->tile, at, count);
            if (p->largest) {
                FN(pool_drop_line)(w, plane, FN(pool_at)(&p->index, n, channel, deep, high, from), g, count);
                continue;
            }
            const FN(pool_columns) c = FN(pool_columns_of)(p, from, count);
            if (g != w->tile)
                memcpy(w->tile, g, sizeof(T) * (size_t)count);
            FN(pool_divide_line)(p, w->tile, see, from, count);
            FN(pool_spread_line)(w, plane, see, &c, from, count);
        }
    }
}

/* Planes whose memory already holds dense Ts are filled in place. */
static bool FN(pool_in_place)(const kt__pool *p)
{
    const int64_t *size = p->whole.size, *step = p->whole.step;
    return p->whole.x.is == SELF && (size[WIDTH] == 1 || step[WIDTH] == (int64_t)sizeof(T)) &&
           (size[HEIGHT] == 1 || step[HEIGHT] == size[WIDTH] * (int64_t)sizeof(T)) &&
           (size[DEPTH] == 1 || step[DEPTH] == size[HEIGHT] * size[WIDTH] * (int64_t)sizeof(T));
}

static void FN(pool_plane_back)(FN(pool_work) *w, int64_t n, int64_t channel)
{
    const kt__pool *p = w->p;
    char           *to = FN(pool_at)(&p->whole, n, channel, 0, 0, 0);
    FN(pool_fill_plane)(w, w->plane ? w->plane : (T *)(void *)to, n, channel);
    if (!w->plane)
        return;
    for (int64_t d = 0; d < p->whole.size[DEPTH]; d++)
        for (int64_t h = 0; h < p->whole.size[HEIGHT]; h++)
            FN(pool_store)(&w->whole, FN(pool_at)(&p->whole, n, channel, d, h, 0),
                           w->plane + (d * p->whole.size[HEIGHT] + h) * p->whole.size[WIDTH], p->whole.size[WIDTH]);
}

/* ---- back, channels inner: a block of channels of one image ---- */

typedef struct FN(pool_target) { /* the block: where it begins, and the steps of its positions */
    char   *to;
    int64_t step[KT__SPACE_DIMS];
} FN(pool_target);

static T *FN(pool_target_at)(const FN(pool_target) *t, int64_t d, int64_t h, int64_t w)
{
    return (T *)(void *)(t->to + d * t->step[DEPTH] + h * t->step[HEIGHT] + w * t->step[WIDTH]);
}

static void FN(pool_drop_position)(kt__pool *p, const FN(pool_target) *t, const char *index, const T *g, int64_t count)
{
    const int64_t width = p->whole.size[WIDTH], height = p->whole.size[HEIGHT];
    const bool    even = t->step[HEIGHT] == t->step[WIDTH] * width && (p->whole.size[DEPTH] == 1 || t->step[DEPTH] ==
        t->step[HEIGHT] * height);
    for (int64_t c = 0; c < count; c++) {
        const int64_t at = *(const int64_t *)(const void *)(index + c * p->index.by_channel);
        if (!FN(pool_found)(p, at))
            continue;
        T *to = even ? FN(pool_target_at)(t, 0, 0, at) : FN(pool_target_at)(t, at / width / height, at / width % height,
                                                                            at % width);
        to[c] = p->sets ? g[c] : to[c] + g[c];
    }
}

static void FN(pool_fill_block)(FN(pool_work) *w, const FN(pool_target) *t, int64_t n, int64_t channel, int64_t count)
{
    kt__pool *p = w->p;
    for (int64_t at = 0; at < p->few.size[DEPTH] * p->few.size[HEIGHT]; at++) {
        const int64_t deep = at / p->few.size[HEIGHT], high = at % p->few.size[HEIGHT];
        kt__window    see[KT__SPACE_DIMS] = {{0}};
        if (!p->largest) {
            see[DEPTH] = kt__pool_window(p, DEPTH, deep);
            see[HEIGHT] = kt__pool_window(p, HEIGHT, high);
        }
        for (int64_t wide = 0; wide < p->few.size[WIDTH]; wide++) {
            const T *g = FN(pool_line)(&w->few, w->tile, FN(pool_at)(&p->few, n, channel, deep, high, wide), count);
            if (p->largest) {
                FN(pool_drop_position)(p, t, FN(pool_at)(&p->index, n, channel, deep, high, wide), g, count);
                continue;
            }
            if (g != w->tile)
                memcpy(w->tile, g, sizeof(T) * (size_t)count);
            see[WIDTH] = kt__pool_window(p, WIDTH, wide);
            FN(pool_divide)(p, w->tile, see, count);
            for (int64_t d = 0; d < see[DEPTH].count; d++)
                for (int64_t h = 0; h < see[HEIGHT].count; h++)
                    for (int64_t k = 0; k < see[WIDTH].count; k++)
                        FN(pool_add)(FN(pool_target_at)(t, see[DEPTH].first + d, see[HEIGHT].first + h, see[WIDTH].first + k),
                                     w->tile, count);
        }
    }
}

/* Every position of the block: set to zero, or written from the memory beside. */
static void FN(pool_finish_block)(FN(pool_work) *w, const FN(pool_target) *t, int64_t n, int64_t channel, int64_t count,
                                  bool begin)
{
    const kt__pool *p = w->p;
    for (int64_t d = 0; d < p->whole.size[DEPTH]; d++)
        for (int64_t h = 0; h < p->whole.size[HEIGHT]; h++)
            for (int64_t k = 0; k < p->whole.size[WIDTH]; k++)
                if (begin)
                    memset(FN(pool_target_at)(t, d, h, k), 0, sizeof(T) * (size_t)count);
                else
                    FN(pool_store)(&w->whole, FN(pool_at)(&p->whole, n, channel, d, h, k), FN(pool_target_at)(t, d, h, k), count);
}

static void FN(pool_block_back)(FN(pool_work) *w, int64_t n, int64_t channel, int64_t count)
{
    const kt__pool   *p = w->p;
    const int64_t    *size = p->whole.size, line = count * (int64_t)sizeof(T);
    FN(pool_target) t = {.to = FN(pool_at)(&p->whole, n, channel, 0, 0, 0),
                           .step = {p->whole.step[DEPTH], p->whole.step[HEIGHT], p->whole.step[WIDTH]}};
    if (w->plane)
        t = (FN(pool_target)){(char *)w->plane, {size[HEIGHT] * size[WIDTH] * line, size[WIDTH] * line, line}};
    FN(pool_finish_block)(w, &t, n, channel, count, true);
    FN(pool_fill_block)(w, &t, n, channel, count);
    if (w->plane)
        FN(pool_finish_block)(w, &t, n, channel, count, false);
}

/* ---- forward, windows whose places are drawn: one plane ---- */

/* A number as the samples' dtype has it. */
static T FN(pool_rounded)(const FN(lens) *drawn, T value)
{
    char room[sizeof(T)];
    if (drawn->is == SELF)
        return value;
    FN(store_tile)(room, drawn, &value, 1);
    FN(load_tile)(&value, drawn, room, 1);
    return value;
}

/* Where window i of dim d begins: the sequence of B. Graham, Fractional Max-Pooling (2014), in PyTorch's arithmetic, which is
 * that of the samples' dtype. */
static int64_t FN(pool_drawn)(const kt__pool *p, int d, int64_t i, T sample, const FN(lens) *drawn)
{
    const int64_t few = p->few.size[d], rest = p->whole.size[d] - p->kernel[d];
    if (i == few - 1)
        return rest;
    const T       apart = FN(pool_rounded)(drawn, (T)rest / (T)(few - 1)), from = FN(pool_rounded)(drawn, (T)i + sample);
    const int64_t at = (int64_t)FN(pool_rounded)(drawn, from * apart) - (int64_t)FN(pool_rounded)(drawn, sample * apart);
    return at < 0 ? 0 : at < rest ? at : rest;
}

static void FN(pool_fraction)(FN(pool_work) *w, int64_t n, int64_t channel)
{
    kt__pool       *p = w->p;
    const kt__image *x = &p->whole;
    const FN(lens)   drawn = FN(lens_of)(&p->samples.x, p->samples.step[WIDTH]);
    T                sample[KT__SPACE_DIMS] = {0};
    /* the samples of two dims are in the order width, height */
    FN(load_tile)(w->x, &drawn, FN(pool_at)(&p->samples, n, channel, 0, 0, 0), (int)p->samples.size[WIDTH]);
    for (int d = 0; d < KT__SPACE_DIMS; d++)
        sample[d] = p->samples.size[WIDTH] == 2 ? w->x[d == WIDTH ? 0 : 1] : w->x[d];
    for (int64_t d = 0; d < x->size[DEPTH]; d++)
        for (int64_t h = 0; h < x->size[HEIGHT]; h++) {
            T *to = w->plane + (d * x->size[HEIGHT] + h) * x->size[WIDTH];
            const T *from = FN(pool_line)(&w->whole, to, FN(pool_at)(x, n, channel, d, h, 0), x->size[WIDTH]);
            if (from != to)
                memcpy(to, from, sizeof(T) * (size_t)x->size[WIDTH]);
        }
    for (int64_t at = 0; at < kt__volume(p->few.size); at++) {
        const int64_t o[] = {at / p->few.size[WIDTH] / p->few.size[HEIGHT], at / p->few.size[WIDTH] % p->few.size[HEIGHT],
                             at % p->few.size[WIDTH]};
        int64_t       first[KT__SPACE_DIMS], best = -1;
        T             top = w->lowest;
        for (int d = 0; d < KT__SPACE_DIMS; d++)
            first[d] = FN(pool_drawn)(p, d, o[d], sample[d], &drawn);
        for (int64_t k = 0; k < kt__volume(p->kernel); k++) {
            const int64_t d = k / p->kernel[WIDTH] / p->kernel[HEIGHT], h = k / p->kernel[WIDTH] % p->kernel[HEIGHT];
            const int64_t e = ((first[DEPTH] + d) * x->size[HEIGHT] + first[HEIGHT] + h) * x->size[WIDTH] + first[WIDTH] +
                              k % p->kernel[WIDTH];
            if (best < 0 || w->plane[e] > top || IS_NAN(w->plane[e])) {
                top = w->plane[e];
                best = e;
            }
        }
        FN(store_tile)(FN(pool_at)(&p->few, n, channel, o[DEPTH], o[HEIGHT], o[WIDTH]), &w->few, &top, 1);
        *(int64_t *)(void *)FN(pool_at)(&p->index, n, channel, o[DEPTH], o[HEIGHT], o[WIDTH]) = best;
    }
}

/* ---- work: lines of results, planes, or blocks of channels ---- */

static int64_t FN(pool_channels)(const kt__pool *p) /* of a block, on the way back */
{
    const bool in_place = p->whole.x.is == SELF && p->whole.by_channel == (int64_t)sizeof(T);
    return in_place ? CHANNELS_BACK : CHANNELS_BESIDE;
}

static T FN(pool_lowest)(const kt__pool *p)
{
#if KT_IS_INTEGER
    int64_t  least = 0;
    uint64_t most;
    kt__int_range((kt_dtype)p->few.x.is, &least, &most);
    return (T)least;
#else
    (void)p;
    return (T)-INFINITY;
#endif
}

static bool FN(pool_work_begin)(FN(pool_work) *w, kt__pool *p)
{
    const bool    inner = p->channels_inner;
    const bool    in_place = inner ? FN(pool_channels)(p) == CHANNELS_BACK : FN(pool_in_place)(p);
    const int64_t line = inner || p->span < TILE ? TILE : p->span;
    const bool    beside = p->samples.x.data || (p->back && !in_place);
    const int64_t plane = !beside ? 0 : p->volume * (inner ? CHANNELS_BESIDE : 1);
    const size_t  bytes = sizeof(T) * (size_t)(3 * line + plane);
    w->p = p;
    w->lowest = FN(pool_lowest)(p);
    w->whole = FN(lens_of)(&p->whole.x, inner ? p->whole.by_channel : p->whole.step[WIDTH]);
    w->few = FN(lens_of)(&p->few.x, inner ? p->few.by_channel : p->few.step[WIDTH]);
    w->v = w->made = kt__block_get(bytes, &w->granted);
    if (!w->made) {
        __atomic_store_n(&p->failed, true, __ATOMIC_RELAXED);
        return false;
    }
    w->x = w->v + line;
    w->code = (INDEX *)(w->x + line);
    w->plane = plane ? w->x + 2 * line : NULL;
    return true;
}

static void FN(pool_item)(FN(pool_work) *w, int64_t i)
{
    kt__pool     *p = w->p;
    const int64_t lines = p->few.size[DEPTH] * p->few.size[HEIGHT], channels = p->whole.channels;
    const int64_t block = FN(pool_channels)(p), blocks = (channels + block - 1) / block, first = i % blocks * block;
    if (p->samples.x.data)
        FN(pool_fraction)(w, i / channels, i % channels);
    else if (p->back && p->channels_inner)
        FN(pool_block_back)(w, i / blocks, first, channels - first < block ? channels - first : block);
    else if (p->back)
        FN(pool_plane_back)(w, i / channels, i % channels);
    else if (p->channels_inner)
        FN(pool_line_of_positions)(w, i / lines, i % lines / p->few.size[HEIGHT], i % p->few.size[HEIGHT]);
    else
        FN(pool_line_of_windows)(w, i / lines / channels, i / lines % channels, i % lines / p->few.size[HEIGHT],
                                 i % p->few.size[HEIGHT]);
}

static void FN(pool_items)(void *ctx, int64_t begin, int64_t end)
{
    FN(pool_work) w;
    if (!FN(pool_work_begin)(&w, ctx))
        return;
    for (int64_t i = begin; i < end; i++)
        FN(pool_item)(&w, i);
    kt__block_put(w.made, w.granted);
}

void SHARED(pool)(kt__pool *p)
{
    const int64_t block = FN(pool_channels)(p), blocks = (p->whole.channels + block - 1) / block;
    const int64_t lines = p->few.size[DEPTH] * p->few.size[HEIGHT], channels = p->whole.channels;
    const int64_t items = p->whole.batch * (p->samples.x.data ? channels
                                            : p->back         ? (p->channels_inner ? blocks : channels)
                                                              : lines * (p->channels_inner ? 1 : channels));
    const int64_t work = items ? p->whole.batch * channels * p->volume / items + 1 : 1;
    kt__parallel(items, GRAIN_ELEMENTS / work + 1, FN(pool_items), p);
}
#undef NOWHERE
#undef IS_NAN
