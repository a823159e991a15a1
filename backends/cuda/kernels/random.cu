/* random.cu - draws: Philox4x32-10 (Salmon et al. 2011), counted as PyTorch 2.11 was seen to do: a seed gives its numbers.
 *
 * Thread t is subsequence t of the seed; in each step it draws four numbers, for the elements t, t + threads, t + 2 * threads and
 * t + 3 * threads of that step. */
#include "args.h"

static __device__ __forceinline__ uint4 philox(uint64_t seed, uint64_t subsequence, uint64_t step)
{
    uint4    c = make_uint4((uint32_t)step, (uint32_t)(step >> 32), (uint32_t)subsequence, (uint32_t)(subsequence >> 32));
    uint32_t k0 = (uint32_t)seed, k1 = (uint32_t)(seed >> 32);
#pragma unroll
    for (int round = 0; round < 10; round++) {
        const uint64_t a = (uint64_t)0xd2511f53u * c.x, b = (uint64_t)0xcd9e8d57u * c.z;
        c = make_uint4((uint32_t)(b >> 32) ^ c.y ^ k0, (uint32_t)b, (uint32_t)(a >> 32) ^ c.w ^ k1, (uint32_t)a);
        k0 += 0x9e3779b9u;
        k1 += 0xbb67ae85u;
    }
    return c;
}

static __device__ __forceinline__ float unit(uint32_t draw) { return (float)draw * 0x1p-32f + 0x1p-33f; } /* in (0, 1] */

/* ---- what a draw becomes ---- */
struct uniform_of {
    typedef float S;
    static __device__ __forceinline__ S of(uint32_t draw, const draw_args &g)
    {
        const float from = (float)g.param[0], to = (float)g.param[1], x = fmaf(unit(draw), to - from, from);
        return x == to ? from : x; /* the upper end becomes the lower one */
    }
};
struct bernoulli_of {
    typedef float S;
    static __device__ __forceinline__ S of(uint32_t draw, const draw_args &g) { return (S)(unit(draw) <= (float)g.param[0]); }
};
struct random_int_of {
    typedef int64_t S;
    static __device__ __forceinline__ S of(uint32_t draw, const draw_args &g)
    {
        return (S)((uint64_t)g.least + draw % g.many);
    }
};

template <class F> static __global__ void __launch_bounds__(DRAW_THREADS) draw(const __grid_constant__ draw_args g)
{
    const uint64_t t = (uint64_t)blockIdx.x * DRAW_THREADS + threadIdx.x;
    if (t >= g.threads)
        return;
    const uint64_t seed = g.replay ? g.replay[0] : g.seed, offset = g.offset + (g.replay ? g.replay[1] : 0);
    typename F::S *to = (typename F::S *)g.to;
    uint64_t       step = offset / DRAWS;
    for (uint64_t at = t; at < g.n; at += DRAWS * g.threads, step++) {
        const uint4    four = philox(seed, t, step);
        const uint32_t each[DRAWS] = {four.x, four.y, four.z, four.w};
#pragma unroll
        for (int k = 0; k < DRAWS; k++)
            if (at + k * g.threads < g.n)
                to[at + k * g.threads] = F::of(each[k], g);
    }
}

const void *const uniform_kernel = (const void *)draw<uniform_of>;
const void *const bernoulli_kernel = (const void *)draw<bernoulli_of>;
const void *const random_int_kernel = (const void *)draw<random_int_of>;
