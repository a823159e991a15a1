/* pool.cuh - the windows of pooling: what one sees of an image, which of them see an element, what an average is divided by. */
#ifndef KARAT_CUDA_POOL_CUH
#define KARAT_CUDA_POOL_CUH

#include "args.h"
#include "dev/image.cuh"

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

/* Where window `at` begins in dim d, padding included, and whether it reaches so far behind that; of windows that are no share of
 * the image. */
static __device__ __forceinline__ int32_t start_of(const pool_args &g, int d, int32_t at)
{
    return at * g.stride[d] - g.padding[d];
}
static __device__ __forceinline__ bool reaches(const pool_args &g, int d, int32_t past)
{
    return (uint32_t)past <= (uint32_t)(g.dilation[d] * (g.kernel[d] - 1));
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

/* ---- averages: what the sum of a window is divided by ---- */
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

#endif
