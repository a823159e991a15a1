/* pool.cu - pooling: a thread has a window. Sums have the CPU's order, and so its bits.
 *
 * In: pool_args. Out: the numbers and the indices, or the image that numbers are put back to. Of equal numbers the first is the
 * largest; a NaN beats every number, the last beats all. */
#include "args.h"
#include "dev/fault.cuh"
#include "dev/pool.cuh"
#include "dev/values.cuh"

/* ---- what a window sees ---- */
struct sight {
    window      of[POOL_SPACE];
    int64_t     step[POOL_SPACE]; /* bytes from an element to the next */
    const char *at;               /* the first */
};
static __device__ __forceinline__ sight sight_of(const pool_args &g, const spot &s)
{
    sight see;
    for (int d = 0; d < POOL_SPACE; d++) {
        see.of[d] = window_of(g, d, s.at[d]);
        see.step[d] = see.of[d].step * g.whole.step[d];
    }
    see.at = place_in(g.whole, s, see.of[DEPTH].first, see.of[HEIGHT].first, see.of[WIDTH].first);
    return see;
}

/* Windows of one plane and at most SMALL elements each way (g.small): all elements are on their way before the first is looked
 * at. */
enum { SMALL = POOL_SMALL };
template <class T> static __device__ __forceinline__ void load_small(T (&x)[SMALL][SMALL], const sight &see, int is)
{
    with_loads<T>(is, [&](auto load) {
#pragma unroll
        for (int h = 0; h < SMALL; h++)
#pragma unroll
            for (int w = 0; w < SMALL; w++)
                if (h < see.of[HEIGHT].count && w < see.of[WIDTH].count)
                    x[h][w] = load(see.at + h * see.step[HEIGHT] + w * see.step[WIDTH]);
    });
}

/* ---- the largest ---- */
template <class T> struct lowest;
template <> struct lowest<float> {
    static __device__ float value() { return -INFINITY; }
};
template <> struct lowest<double> {
    static __device__ double value() { return -INFINITY; }
};
template <> struct lowest<int32_t> {
    static __device__ int32_t value() { return INT32_MIN; }
};
template <> struct lowest<int64_t> {
    static __device__ int64_t value() { return INT64_MIN; }
};

/* What a window has seen: the largest, and which of its elements that was. */
template <class T> struct best {
    T       top = lowest<T>::value();
    int32_t depth = -1, height = 0, width = 0; /* depth -1: nothing yet */
    __device__ __forceinline__ void see(T x, int32_t d, int32_t h, int32_t w)
    {
        if (depth < 0 || x > top || x != x) {
            top = x;
            depth = d, height = h, width = w;
        }
    }
};

template <class T> static __global__ void __launch_bounds__(ARG_THREADS, sizeof(T) == 4 ? 5 : 4) largest(ARGUMENTS(pool_args) g)
{
    spot s;
    if (!spot_of(g.n, g.by_channels, g.channels_inner, g.by_size, s))
        return;
    const sight see = sight_of(g, s);
    best<T>     found;
    if (g.small) {
        T x[SMALL][SMALL];
        load_small(x, see, g.whole.is);
#pragma unroll
        for (int h = 0; h < SMALL; h++)
#pragma unroll
            for (int w = 0; w < SMALL; w++)
                if (h < see.of[HEIGHT].count && w < see.of[WIDTH].count)
                    found.see(x[h][w], 0, h, w);
    } else {
        const char *plane = see.at;
        for (int32_t d = 0; d < see.of[DEPTH].count; d++, plane += see.step[DEPTH]) {
            const char *row = plane;
            for (int32_t h = 0; h < see.of[HEIGHT].count; h++, row += see.step[HEIGHT]) {
                const char *from = row;
                for (int32_t w = 0; w < see.of[WIDTH].count; w++, from += see.step[WIDTH])
                    found.see(values<T>::load(from, g.whole.is), d, h, w);
            }
        }
    }
    values<T>::store(place_in(g.few, s), g.few.is, found.top);
    if (!g.index.at)
        return;
    const window *of = see.of;
    const int32_t depth = found.depth < 0 ? 0 : found.depth; /* padding alone: where the window begins, which may be beyond */
    *(int64_t *)place_in(g.index, s) = number_of_place(g, of[DEPTH].first + depth * of[DEPTH].step,
                                                       of[HEIGHT].first + found.height * of[HEIGHT].step,
                                                       of[WIDTH].first + found.width * of[WIDTH].step);
}

/* A number as the samples' dtype has it. */
template <class T> static __device__ T as_drawn(const pool_args &g, T value)
{
    alignas(8) char room[8];
    values<T>::store(room, g.samples.is, value);
    return values<T>::load(room, g.samples.is);
}

/* Windows whose places are drawn: PyTorch's sequence, in its arithmetic, which is that of the samples' dtype. */
template <class T> static __device__ int32_t drawn(const pool_args &g, int d, int32_t i, T sample)
{
    const int32_t few = (int32_t)g.few.size[d], rest = (int32_t)g.whole.size[d] - g.kernel[d];
    if (i == few - 1)
        return rest;
    const T       apart = as_drawn(g, (T)rest / (T)(few - 1)), from = as_drawn(g, (T)i + sample);
    const int64_t at = (int64_t)as_drawn(g, from * apart) - (int64_t)as_drawn(g, sample * apart);
    return at < 0 ? 0 : at < rest ? (int32_t)at : rest;
}

template <class T> static __global__ void __launch_bounds__(ARG_THREADS) fraction(ARGUMENTS(pool_args) g)
{
    spot s;
    if (!spot_of(g.n, g.by_channels, g.channels_inner, g.by_size, s))
        return;
    int32_t first[POOL_SPACE];
    T       top = 0;
    int64_t where = -1;
    for (int d = 0; d < POOL_SPACE; d++) { /* of two dims the last comes first */
        const int32_t at = g.dims == 2 ? d == WIDTH ? 0 : 1 : d;
        first[d] = drawn(g, d, s.at[d], values<T>::load(place_in(g.samples, s, 0, 0, at), g.samples.is));
    }
    for (int32_t d = 0; d < g.kernel[DEPTH]; d++)
        for (int32_t h = 0; h < g.kernel[HEIGHT]; h++)
            for (int32_t w = 0; w < g.kernel[WIDTH]; w++) {
                const int32_t at[] = {first[DEPTH] + d, first[HEIGHT] + h, first[WIDTH] + w};
                const T       x = values<T>::load(place_in(g.whole, s, at[DEPTH], at[HEIGHT], at[WIDTH]), g.whole.is);
                if (where < 0 || x > top || x != x) {
                    top = x;
                    where = number_of_place(g, at[DEPTH], at[HEIGHT], at[WIDTH]);
                }
            }
    values<T>::store(place_in(g.few, s), g.few.is, top);
    *(int64_t *)place_in(g.index, s) = where;
}

/* ---- numbers put back where they stood: of several at one place some one stays ---- */
template <class T> static __global__ void __launch_bounds__(ARG_THREADS) clear(ARGUMENTS(pool_args) g)
{
    spot s;
    if (spot_of(g.n, g.by_channels, g.channels_inner, g.by_size, s))
        values<T>::store(place_in(g.whole, s), g.whole.is, 0);
}

template <class T> static __global__ void __launch_bounds__(ARG_THREADS) put_back(ARGUMENTS(pool_args) g)
{
    spot s;
    if (!spot_of(g.n, g.by_channels, g.channels_inner, g.by_size, s))
        return;
    const int64_t index = *(const int64_t *)place_in(g.index, s);
    if (index < 0 || (uint64_t)index >= g.volume) {
        int64_t sizes = 0;
        for (int d = 0; d < POOL_SPACE; d++)
            sizes = sizes << KT_FAULT_SIZE_BITS | g.whole.size[d];
        report(g.fault, kt_fault{KT_FAULT_UNPOOL, (int32_t)g.dims, index, sizes});
        return;
    }
    const place3 p = place_of_number(g, index);
    values<T>::store(place_in(g.whole, s, p.at[DEPTH], p.at[HEIGHT], p.at[WIDTH]), g.whole.is,
                     values<T>::load(place_in(g.few, s), g.few.is));
}

/* ---- averages ---- */

/* The sum of what a window sees, by load(d, h, w): with channels inner element by element, else columns first. */
template <class T, class F> static __device__ __forceinline__ T sum_of(const sight &see, bool channels_inner, F load)
{
    T    sum = 0;
    bool any = false;
    if (channels_inner) {
        for (int32_t d = 0; d < see.of[DEPTH].count; d++)
            for (int32_t h = 0; h < see.of[HEIGHT].count; h++)
                for (int32_t w = 0; w < see.of[WIDTH].count; w++, any = true)
                    sum = any ? sum + load(d, h, w) : load(d, h, w);
    } else {
        for (int32_t w = 0; w < see.of[WIDTH].count; w++) {
            T    column = 0;
            bool begun = false;
            for (int32_t d = 0; d < see.of[DEPTH].count; d++)
                for (int32_t h = 0; h < see.of[HEIGHT].count; h++, begun = true)
                    column = begun ? column + load(d, h, w) : load(d, h, w);
            sum = any ? sum + column : column;
            any |= begun;
        }
    }
    return sum;
}

/* The same of a small window. */
template <class T> static __device__ __forceinline__ T sum_of_small(const sight &see, bool channels_inner, int is)
{
    T x[SMALL][SMALL], sum = 0;
    load_small(x, see, is);
    if (channels_inner) {
#pragma unroll
        for (int h = 0; h < SMALL; h++)
#pragma unroll
            for (int w = 0; w < SMALL; w++)
                if (h < see.of[HEIGHT].count && w < see.of[WIDTH].count)
                    sum = h || w ? sum + x[h][w] : x[h][w];
    } else {
#pragma unroll
        for (int w = 0; w < SMALL; w++) {
            T column = x[0][w];
#pragma unroll
            for (int h = 1; h < SMALL; h++)
                if (h < see.of[HEIGHT].count)
                    column += x[h][w];
            if (w < see.of[WIDTH].count)
                sum = w ? sum + column : column;
        }
    }
    return sum;
}

template <class T> static __global__ void __launch_bounds__(ARG_THREADS) average(ARGUMENTS(pool_args) g)
{
    spot s;
    if (!spot_of(g.n, g.by_channels, g.channels_inner, g.by_size, s))
        return;
    const sight see = sight_of(g, s);
    const bool  any = see.of[DEPTH].count && see.of[HEIGHT].count && see.of[WIDTH].count;
    T           sum = 0;
    if (g.small && any)
        sum = sum_of_small<T>(see, g.channels_inner, g.whole.is);
    else if (any)
        sum = sum_of<T>(see, g.channels_inner, [&](int32_t d, int32_t h, int32_t w) {
            return values<T>::load(see.at + d * see.step[DEPTH] + h * see.step[HEIGHT] + w * see.step[WIDTH], g.whole.is);
        });
    values<T>::store(place_in(g.few, s), g.few.is, any ? divided(g, sum, see.of) : (T)0);
}

/* ---- the table ---- */
#define OF_REALS(T)                                                                                                       \
    {(const void *)largest<T>,  (const void *)average<T>, (const void *)fraction<T>, (const void *)clear<T>,               \
     (const void *)put_back<T>, values<T>::reads, values<T>::writes}
#define OF_INTS(T)                                                                                                        \
    {(const void *)largest<T>,  (const void *)average<T>, NULL, (const void *)clear<T>,                                    \
     (const void *)put_back<T>, values<T>::reads, values<T>::writes}
const pool_table pool_tables[] = {OF_REALS(float), OF_REALS(double), OF_INTS(int32_t), OF_INTS(int64_t)};
