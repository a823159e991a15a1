/* image.cuh - places in images [batch, channels, three dims in space]. */
#ifndef KARAT_CUDA_IMAGE_CUH
#define KARAT_CUDA_IMAGE_CUH

#include "args.h"

enum { DEPTH, HEIGHT, WIDTH };

struct spot {
    int32_t batch, channel, at[POOL_SPACE];
};

static __device__ __forceinline__ uint32_t quotient_of(uint32_t x, const divider &d)
{
    return (__umulhi(x, d.factor) + x) >> d.shift;
}

/* The thread's element of n, in the order in which neighbours lie side by side. false: there is none. */
static __device__ __forceinline__ bool spot_of(uint64_t n, const divider &channels, bool channels_inner, const divider *size,
                                                   spot &s)
{
    const uint64_t number = (uint64_t)blockIdx.x * ARG_THREADS + threadIdx.x;
    if (number >= n)
        return false;
    uint32_t   i = (uint32_t)number;
    const auto take = [&](const divider &of) {
        const uint32_t next = quotient_of(i, of), rest = i - next * of.by;
        i = next;
        return (int32_t)rest;
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
