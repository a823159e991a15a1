/* pool_back.cu - what flows back through pooling: a thread has an element of the image, or POOL_RUN of them side by side, and
 * looks for the windows that see it: no two threads write to one element, and sums have one order. That of the largest is the
 * CPU's.
 *
 * In: pool_args. Out: the image. */
#include "args.h"
#include "dev/fault.cuh"
#include "dev/pool.cuh"
#include "dev/values.cuh"

/* ---- where the largest stood ---- */

/* The sum of the windows that stand over this element and name it. */
template <class T>
static __device__ __forceinline__ T sum_of_named(const pool_args &g, const spot &s, const windows (&by)[POOL_SPACE], int64_t mine)
{
    const char *indices = place_in(g.index, s, 0, 0, by[WIDTH].first), *few = place_in(g.few, s, 0, 0, by[WIDTH].first);
    T           sum = 0;
    for (int32_t d = by[DEPTH].first; d < by[DEPTH].end; d++)
        for (int32_t h = by[HEIGHT].first; h < by[HEIGHT].end; h++) {
            const char *index = indices + d * g.index.step[DEPTH] + h * g.index.step[HEIGHT];
            const char *from = few + d * g.few.step[DEPTH] + h * g.few.step[HEIGHT];
            for (int32_t w = by[WIDTH].first; w < by[WIDTH].end; w++, index += g.index.step[WIDTH], from += g.few.step[WIDTH])
                if (*(const int64_t *)index == mine)
                    sum += values<T>::load(from, g.few.is);
        }
    return sum;
}

/* The same of one plane and at most LAP windows each way (g.laps): all are on their way before the first is looked at. */
enum { LAP = POOL_LAP };
template <class T>
static __device__ __forceinline__ T sum_of_laps(const pool_args &g, const spot &s, const windows (&by)[POOL_SPACE], int64_t mine)
{
    const char *index = place_in(g.index, s, 0, by[HEIGHT].first, by[WIDTH].first);
    const char *few = place_in(g.few, s, 0, by[HEIGHT].first, by[WIDTH].first);
    int64_t     named[LAP][LAP];
    T           x[LAP][LAP], sum = 0;
    with_loads<T>(g.few.is, [&](auto load) {
#pragma unroll
        for (int h = 0; h < LAP; h++)
#pragma unroll
            for (int w = 0; w < LAP; w++) {
                const bool there = by[HEIGHT].first + h < by[HEIGHT].end && by[WIDTH].first + w < by[WIDTH].end;
                named[h][w] = there ? *(const int64_t *)(index + h * g.index.step[HEIGHT] + w * g.index.step[WIDTH]) : -1;
                x[h][w] = there ? load(few + h * g.few.step[HEIGHT] + w * g.few.step[WIDTH]) : (T)0;
            }
    });
#pragma unroll
    for (int h = 0; h < LAP; h++)
#pragma unroll
        for (int w = 0; w < LAP; w++)
            if (named[h][w] == mine)
                sum += x[h][w];
    return sum;
}

template <class T> static __global__ void __launch_bounds__(ARG_THREADS) largest_back(ARGUMENTS(pool_args) g)
{
    spot    s;
    windows by[POOL_SPACE];
    if (!windows_at(g, s, by))
        return;
    const int64_t mine = number_of_place(g, s.at[DEPTH], s.at[HEIGHT], s.at[WIDTH]);
    const T       sum = g.laps ? sum_of_laps<T>(g, s, by, mine) : sum_of_named<T>(g, s, by, mine);
    values<T>::store(place_in(g.whole, s), g.whole.is, sum);
}

/* ---- indices that name an element which their window does not stand over: added afterwards ---- */
template <class T> static __device__ void add_at(char *at, int is, T x)
{
    if (is == KT_F32 || is == KT_I32) {
        unsigned *word = (unsigned *)at, old = *word, was;
        do {
            unsigned to;
            values<T>::store((char *)&to, is, values<T>::load((const char *)&old, is) + x);
            was = old;
            old = atomicCAS(word, was, to);
        } while (old != was);
    } else if (is == KT_F64 || is == KT_I64) {
        unsigned long long *word = (unsigned long long *)at, old = *word, was;
        do {
            unsigned long long to;
            values<T>::store((char *)&to, is, values<T>::load((const char *)&old, is) + x);
            was = old;
            old = atomicCAS(word, was, to);
        } while (old != was);
    } else if (is == KT_F16 || is == KT_BF16) {
        unsigned short *word = (unsigned short *)at, old = *word, was;
        do {
            unsigned short to;
            values<T>::store((char *)&to, is, values<T>::load((const char *)&old, is) + x);
            was = old;
            old = atomicCAS(word, was, to);
        } while (old != was);
    }
}

/* Is window `at` one of windows_of(g, d, p)? */
static __device__ __forceinline__ bool may_see(const pool_args &g, int d, int32_t at, int32_t p)
{
    if (g.adaptive) {
        const windows by = windows_of(g, d, p);
        return at >= by.first && at < by.end;
    }
    return reaches(g, d, p - start_of(g, d, at));
}

template <class T> static __global__ void __launch_bounds__(ARG_THREADS) strays(ARGUMENTS(pool_args) g)
{
    spot s;
    if (!spot_of(g.n, g.by_channels, g.channels_inner, g.by_size, s))
        return;
    const int64_t index = *(const int64_t *)place_in(g.index, s);
    if (index < 0 || (uint64_t)index >= g.volume) {
        const bool dilated = g.dilation[DEPTH] > 1 || g.dilation[HEIGHT] > 1 || g.dilation[WIDTH] > 1;
        if (index >= 0 && dilated) /* a window that saw padding alone */
            return;
        report(g.fault, kt_fault{KT_FAULT_INDEX_ELEMENTS, 0, index, (int64_t)g.volume});
        return;
    }
    const place3 p = place_of_number(g, index);
    bool         seen = true;
    for (int d = 0; d < POOL_SPACE; d++)
        seen &= may_see(g, d, s.at[d], p.at[d]);
    if (!seen)
        add_at<T>(place_in(g.whole, s, p.at[DEPTH], p.at[HEIGHT], p.at[WIDTH]), g.whole.is,
                  values<T>::load(place_in(g.few, s), g.few.is));
}

/* ---- averages ---- */
template <class T> static __global__ void __launch_bounds__(ARG_THREADS) average_back(ARGUMENTS(pool_args) g)
{
    spot    s;
    windows by[POOL_SPACE];
    if (!windows_at(g, s, by))
        return;
    T             sum = 0;
    window        see[POOL_SPACE];
    for (int32_t d = by[DEPTH].first; d < by[DEPTH].end; d++) {
        see[DEPTH] = window_of(g, DEPTH, d);
        for (int32_t h = by[HEIGHT].first; h < by[HEIGHT].end; h++) {
            see[HEIGHT] = window_of(g, HEIGHT, h);
            for (int32_t w = by[WIDTH].first; w < by[WIDTH].end; w++) {
                see[WIDTH] = window_of(g, WIDTH, w);
                sum += divided(g, values<T>::load(place_in(g.few, s, d, h, w), g.few.is), see);
            }
        }
    }
    values<T>::store(place_in(g.whole, s), g.whole.is, sum);
}

/* ---- POOL_RUN elements side by side: what is known of windows serves all of them ---- */
enum { RUN = POOL_RUN, AHEAD = 3 }; /* AHEAD: windows whose numbers are on their way before the first is looked at */

/* Elements of one row, and the windows that may see one of them. */
struct row_run {
    spot    s; /* of the first */
    windows deep, high, wide;
    int32_t past; /* the first element's distance from the beginning of the first window */
};
static __device__ __forceinline__ bool row_run_of(const pool_args &g, row_run &r)
{
    if (!spot_of(g.n, g.by_channels, false, g.by_size, r.s))
        return false;
    r.s.at[WIDTH] *= RUN;
    r.deep = windows_of(g, DEPTH, r.s.at[DEPTH]);
    r.high = windows_of(g, HEIGHT, r.s.at[HEIGHT]);
    r.wide = {windows_of(g, WIDTH, r.s.at[WIDTH]).first, windows_of(g, WIDTH, r.s.at[WIDTH] + RUN - 1).end};
    r.past = r.s.at[WIDTH] - start_of(g, WIDTH, r.wide.first);
    return true;
}

template <class T> static __device__ __forceinline__ void store_run(const pool_args &g, const spot &s, const T (&sum)[RUN])
{
    raw<RUN> r;
    values<T>::encode(r, sum, g.whole.is);
    raw_store(r, place_in(g.whole, s), g.whole_width);
}

template <class T> static __global__ void __launch_bounds__(ARG_THREADS) largest_back_row(ARGUMENTS(pool_args) g)
{
    row_run r;
    if (!row_run_of(g, r))
        return;
    const int64_t mine = number_of_place(g, r.s.at[DEPTH], r.s.at[HEIGHT], r.s.at[WIDTH]);
    const char   *indices = place_in(g.index, r.s, 0, 0, r.wide.first), *numbers = place_in(g.few, r.s, 0, 0, r.wide.first);
    T             sum[RUN] = {0};
    with_loads<T>(g.few.is, [&](auto load) {
        for (int32_t d = r.deep.first; d < r.deep.end; d++)
            for (int32_t h = r.high.first; h < r.high.end; h++) {
                const char *index = indices + d * g.index.step[DEPTH] + h * g.index.step[HEIGHT];
                const char *from = numbers + d * g.few.step[DEPTH] + h * g.few.step[HEIGHT];
                int32_t     past = r.past;
                for (int32_t w = r.wide.first; w < r.wide.end; w += AHEAD) {
                    int64_t named[AHEAD];
                    T       x[AHEAD];
#pragma unroll
                    for (int i = 0; i < AHEAD; i++, index += g.index.step[WIDTH], from += g.few.step[WIDTH]) {
                        const bool there = w + i < r.wide.end;
                        named[i] = there ? *(const int64_t *)index : -1;
                        x[i] = there ? load(from) : (T)0;
                    }
#pragma unroll
                    for (int i = 0; i < AHEAD; i++, past -= g.stride[WIDTH]) {
                        const int64_t away = named[i] - mine;
#pragma unroll
                        for (int k = 0; k < RUN; k++)
                            if (away == k && reaches(g, WIDTH, past + k))
                                sum[k] += x[i];
                    }
                }
            }
    });
    store_run(g, r.s, sum);
}

template <class T> static __global__ void __launch_bounds__(ARG_THREADS) average_back_row(ARGUMENTS(pool_args) g)
{
    row_run r;
    if (!row_run_of(g, r))
        return;
    const char *numbers = place_in(g.few, r.s, 0, 0, r.wide.first);
    window      see[POOL_SPACE];
    T           sum[RUN] = {0};
    with_loads<T>(g.few.is, [&](auto load) {
        for (int32_t d = r.deep.first; d < r.deep.end; d++) {
            see[DEPTH] = window_of(g, DEPTH, d);
            for (int32_t h = r.high.first; h < r.high.end; h++) {
                const char *from = numbers + d * g.few.step[DEPTH] + h * g.few.step[HEIGHT];
                int32_t     past = r.past;
                see[HEIGHT] = window_of(g, HEIGHT, h);
                for (int32_t w = r.wide.first; w < r.wide.end; w++, from += g.few.step[WIDTH], past -= g.stride[WIDTH]) {
                    see[WIDTH] = window_of(g, WIDTH, w);
                    const T part = divided(g, load(from), see);
#pragma unroll
                    for (int k = 0; k < RUN; k++)
                        if (reaches(g, WIDTH, past + k))
                            sum[k] += part;
                }
            }
        }
    });
    store_run(g, r.s, sum);
}

/* Channels of one position. */
static __device__ __forceinline__ bool channel_run_of(const pool_args &g, spot &s, windows (&by)[POOL_SPACE])
{
    if (!windows_at(g, s, by))
        return false;
    s.channel *= RUN;
    return true;
}

template <class T> static __device__ __forceinline__ void load_run(T (&x)[RUN], const pool_args &g, const char *from)
{
    raw<RUN> r;
    raw_load(r, from, g.few_width);
    values<T>::decode(x, r, g.few.is);
}

template <class T> static __global__ void __launch_bounds__(ARG_THREADS) largest_back_channels(ARGUMENTS(pool_args) g)
{
    spot    s;
    windows by[POOL_SPACE];
    if (!channel_run_of(g, s, by))
        return;
    const int64_t mine = number_of_place(g, s.at[DEPTH], s.at[HEIGHT], s.at[WIDTH]);
    T             sum[RUN] = {0};
    for (int32_t d = by[DEPTH].first; d < by[DEPTH].end; d++)
        for (int32_t h = by[HEIGHT].first; h < by[HEIGHT].end; h++) {
            const char *index = place_in(g.index, s, d, h, by[WIDTH].first), *from = place_in(g.few, s, d, h, by[WIDTH].first);
            for (int32_t w = by[WIDTH].first; w < by[WIDTH].end; w++, index += g.index.step[WIDTH], from += g.few.step[WIDTH]) {
                raw<RUN> named;
                T        x[RUN];
                raw_load(named, index, sizeof(int64_t));
                load_run(x, g, from);
#pragma unroll
                for (int k = 0; k < RUN; k++)
                    if (raw_get<int64_t>(named, k) == mine)
                        sum[k] += x[k];
            }
        }
    store_run(g, s, sum);
}

template <class T> static __global__ void __launch_bounds__(ARG_THREADS) average_back_channels(ARGUMENTS(pool_args) g)
{
    spot    s;
    windows by[POOL_SPACE];
    if (!channel_run_of(g, s, by))
        return;
    window see[POOL_SPACE];
    T      sum[RUN] = {0};
    for (int32_t d = by[DEPTH].first; d < by[DEPTH].end; d++) {
        see[DEPTH] = window_of(g, DEPTH, d);
        for (int32_t h = by[HEIGHT].first; h < by[HEIGHT].end; h++) {
            see[HEIGHT] = window_of(g, HEIGHT, h);
            for (int32_t w = by[WIDTH].first; w < by[WIDTH].end; w++) {
                T x[RUN];
                see[WIDTH] = window_of(g, WIDTH, w);
                load_run(x, g, place_in(g.few, s, d, h, w));
#pragma unroll
                for (int k = 0; k < RUN; k++)
                    sum[k] += divided(g, x[k], see);
            }
        }
    }
    store_run(g, s, sum);
}

/* ---- the table ---- */
#define OF_TYPE(T)                                                                                                        \
    {(const void *)largest_back<T>, (const void *)strays<T>, (const void *)average_back<T>,                                \
     {(const void *)largest_back_row<T>, (const void *)largest_back_channels<T>},                                          \
     {(const void *)average_back_row<T>, (const void *)average_back_channels<T>}}
const pool_back_table pool_back_tables[] = {OF_TYPE(float), OF_TYPE(double), OF_TYPE(int32_t), OF_TYPE(int64_t)};
