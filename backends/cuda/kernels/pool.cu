/* pool.cu - pooling: a thread has a window, or, of what flows back, an element of the image, which looks for the windows that see
 * it: no two threads write to one element, and sums have one order. Sums have the CPU's order, and so its bits, but for those of
 * an average that flows back.
 *
 * In: pool_args. Out: the numbers, the indices, or the image. Of equal numbers the first is the largest; a NaN beats every
 * number, the last beats all. */
#include "args.h"
#include "dev/fault.cuh"
#include "dev/image.cuh"
#include "dev/values.cuh"
#include "dev/walk.cuh"

/* ---- windows ---- */
struct window {
    int32_t first, count, step, extent;
};

/* What window `at` sees in dim d. */
static __device__ __forceinline__ window window_of(const pool_args &g, int d, int32_t at)
{
    const int32_t size = (int32_t)g.whole.size[d], few = (int32_t)g.few.size[d];
    if (POOL_SPACE - d > (int)g.dims)
        return {0, 1, 1, 1};
    if (g.adaptive) {
        const int32_t first = (int32_t)((int64_t)at * size / few);
        const int32_t end = (int32_t)((((int64_t)at + 1) * size + few - 1) / few);
        return {first, end - first, 1, end - first};
    }
    const int32_t apart = g.dilation[d], start = at * g.stride[d] - g.padding[d];
    const int32_t skipped = start >= 0 ? 0 : apart == 1 ? -start : (apart - 1 - start) / apart;
    const int32_t within = start >= size ? 0 : apart == 1 ? size - start : (size - start + apart - 1) / apart;
    const int32_t taps = within < g.kernel[d] ? within : g.kernel[d];
    const int32_t end = start + g.kernel[d], most = size + g.padding[d];
    return {start + skipped * apart, taps > skipped ? taps - skipped : 0, apart, (end < most ? end : most) - start};
}

/* The windows that may see position p of dim d: from .first to .end, not included. */
struct windows {
    int32_t first, end;
};
static __device__ __forceinline__ windows windows_of(const pool_args &g, int d, int32_t p)
{
    const int32_t size = (int32_t)g.whole.size[d], few = (int32_t)g.few.size[d];
    if (size == 1 && few == 1)
        return {0, 1};
    if (g.adaptive)
        return {(int32_t)((int64_t)p * few / size), (int32_t)((((int64_t)p + 1) * few + size - 1) / size)};
    const int32_t from = p + g.padding[d], reach = g.dilation[d] * (g.kernel[d] - 1);
    const int32_t first = from > reach ? (int32_t)quotient_of((uint32_t)(from - reach + g.stride[d] - 1), g.by_stride[d]) : 0;
    const int32_t end = (int32_t)quotient_of((uint32_t)from, g.by_stride[d]) + 1;
    return {first, end < few ? end : few};
}

/* The thread's element of the image and the windows that may see it. false: there is none. */
static __device__ __forceinline__ bool windows_at(const pool_args &g, spot &s, windows (&by)[POOL_SPACE])
{
    if (!spot_of(g.n, g.by_channels, g.channels_inner, g.by_size, s))
        return false;
    for (int d = 0; d < POOL_SPACE; d++)
        by[d] = windows_of(g, d, s.at[d]);
    return true;
}

/* The place with that number, which is below g.volume. */
struct place3 {
    int32_t at[POOL_SPACE];
};
static __device__ __forceinline__ place3 place_of_number(const pool_args &g, int64_t number)
{
    if (g.volume > INT32_MAX) {
        const int64_t row = number / g.whole.size[WIDTH];
        return {{(int32_t)(row / g.whole.size[HEIGHT]), (int32_t)(row % g.whole.size[HEIGHT]),
                 (int32_t)(number % g.whole.size[WIDTH])}};
    }
    const uint32_t row = quotient_of((uint32_t)number, g.by_whole[1]), deep = quotient_of(row, g.by_whole[0]);
    return {{(int32_t)deep, (int32_t)(row - deep * g.whole.size[HEIGHT]),
             (int32_t)((uint32_t)number - row * g.whole.size[WIDTH])}};
}

static __device__ __forceinline__ int64_t number_of_place(const pool_args &g, int32_t d, int32_t h, int32_t w)
{
    return ((int64_t)d * g.whole.size[HEIGHT] + h) * g.whole.size[WIDTH] + w;
}

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

/* use(load): the dtypes that a compute type most often reads are known at compile time. */
template <class T, class F> static __device__ __forceinline__ void with_loads(int is, F use)
{
    if (is == values<T>::self)
        use([](const char *p) { return *(const T *)p; });
    else if (values<T>::self == KT_F32 && is == KT_BF16)
        use([](const char *p) { return to<T>::of(dtype<KT_BF16>::get(*(const dtype<KT_BF16>::S *)p)); });
    else
        use([is](const char *p) { return values<T>::load(p, is); });
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
    *(int64_t *)place_in(g.index, s) =
        found.depth < 0 ? -1
                        : number_of_place(g, of[DEPTH].first + found.depth * of[DEPTH].step,
                                          of[HEIGHT].first + found.height * of[HEIGHT].step,
                                          of[WIDTH].first + found.width * of[WIDTH].step);
}

/* Windows whose places are drawn: PyTorch's sequence, in its arithmetic. */
template <class T> static __device__ int32_t drawn(const pool_args &g, int d, int32_t i, T sample)
{
    const int32_t few = (int32_t)g.few.size[d], rest = (int32_t)g.whole.size[d] - g.kernel[d];
    if (i == few - 1)
        return rest;
    const T       apart = (T)rest / (T)(few - 1);
    const int64_t at = (int64_t)(((T)i + sample) * apart) - (int64_t)(sample * apart);
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

static __device__ __forceinline__ bool is_among(const windows &by, int32_t at) { return at >= by.first && at < by.end; }

template <class T> static __global__ void __launch_bounds__(ARG_THREADS) strays(ARGUMENTS(pool_args) g)
{
    spot s;
    if (!spot_of(g.n, g.by_channels, g.channels_inner, g.by_size, s))
        return;
    const int64_t index = *(const int64_t *)place_in(g.index, s);
    if (index == -1) /* a window that saw padding alone */
        return;
    if (index < 0 || (uint64_t)index >= g.volume) {
        report(g.fault, kt_fault{KT_FAULT_INDEX_ELEMENTS, 0, index, (int64_t)g.volume});
        return;
    }
    const place3 p = place_of_number(g, index);
    bool         seen = true;
    for (int d = 0; d < POOL_SPACE; d++)
        seen &= is_among(windows_of(g, d, p.at[d]), s.at[d]);
    if (!seen)
        add_at<T>(place_in(g.whole, s, p.at[DEPTH], p.at[HEIGHT], p.at[WIDTH]), g.whole.is,
                  values<T>::load(place_in(g.few, s), g.few.is));
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
template <class T> static __device__ __forceinline__ T share_of(T sum, T among)
{
    if constexpr ((T)0.5 == 0)
        return among == 0 ? 0 : among == -1 ? (T)(0 - (uint64_t)sum) : sum / among;
    else
        return among != 0 ? sum / among : 0;
}

/* In PyTorch's order. */
template <class T> static __device__ __forceinline__ T divided(const pool_args &g, T sum, const window (&see)[POOL_SPACE])
{
    if (g.adaptive)
        return sum / (T)see[DEPTH].count / (T)see[HEIGHT].count / (T)see[WIDTH].count;
    int64_t counted = 1;
    for (int d = 0; d < POOL_SPACE; d++)
        counted *= g.with_padding ? see[d].extent : see[d].count;
    return share_of(sum, (T)(g.divisor ? g.divisor : counted));
}

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

/* ---- the table ---- */
#define OF_REALS(T)                                                                                                       \
    {(const void *)largest<T>,      (const void *)average<T>,  (const void *)largest_back<T>, (const void *)strays<T>,     \
     (const void *)average_back<T>, (const void *)fraction<T>, (const void *)clear<T>, (const void *)put_back<T>,          \
     values<T>::reads, values<T>::writes}
#define OF_INTS(T)                                                                                                        \
    {(const void *)largest<T>,      (const void *)average<T>, (const void *)largest_back<T>, (const void *)strays<T>,      \
     (const void *)average_back<T>, NULL, (const void *)clear<T>, (const void *)put_back<T>,                               \
     values<T>::reads, values<T>::writes}
const pool_table pool_tables[] = {OF_REALS(float), OF_REALS(double), OF_INTS(int32_t), OF_INTS(int64_t)};
