/* image.cuh - places in images [batch, channels, three dims in space]. */
#ifndef KARAT_CUDA_IMAGE_CUH
#define KARAT_CUDA_IMAGE_CUH

#include "args.h"

enum { DEPTH, HEIGHT, WIDTH };

struct spot {
    int32_t batch, channel, at[POOL_SPACE];
};

/* The thread's element of n, in the order in which neighbours lie side by side. false: there is none. */
static __device__ __forceinline__ bool spot_of(uint64_t n, uint32_t channels, bool channels_inner, const uint32_t *size, spot &s)
{
    uint64_t i = (uint64_t)blockIdx.x * ARG_THREADS + threadIdx.x;
    if (i >= n)
        return false;
    const auto take = [&](uint32_t of) {
        const uint64_t next = i >> 32 ? i / of : (uint32_t)i / of;
        const int32_t  rest = (int32_t)(i - next * of);
        i = next;
        return rest;
    };
    if (channels_inner)
        s.channel = take(channels);
    for (int d = POOL_SPACE - 1; d >= 0; d--)
        s.at[d] = take(size[d]);
    if (!channels_inner)
        s.channel = take(channels);
    s.batch = (int32_t)i;
    return true;
}

static __device__ __forceinline__ char *place_in(const pool_image &x, const spot &s, int32_t d, int32_t h, int32_t w)
{
    return x.at + s.batch * x.by_batch + s.channel * x.by_channel + d * x.step[DEPTH] + h * x.step[HEIGHT] + w * x.step[WIDTH];
}
static __device__ __forceinline__ char *place_in(const pool_image &x, const spot &s)
{
    return place_in(x, s, s.at[DEPTH], s.at[HEIGHT], s.at[WIDTH]);
}

#endif
