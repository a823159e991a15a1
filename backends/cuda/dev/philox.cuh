/* philox.cuh - Philox4x32-10 by seed, subsequence and step, and numbers in (0, 1] of what it gives: J. K. Salmon, M. A. Moraes,
 * R. O. Dror and D. E. Shaw, Parallel Random Numbers: As Easy as 1, 2, 3, SC11 (2011). */
#ifndef KARAT_CUDA_PHILOX_CUH
#define KARAT_CUDA_PHILOX_CUH

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

/* Where a thread's draws begin. In a graph they are those of the replay. */
template <class G> static __device__ __forceinline__ uint64_t seed_of(const G &g) { return g.replay ? g.replay[0] : g.seed; }
template <class G> static __device__ __forceinline__ uint64_t first_step(const G &g)
{
    return (g.offset + (g.replay ? g.replay[1] : 0)) / DRAWS;
}

static __device__ __forceinline__ float unit(uint32_t draw) { return (float)draw * 0x1p-32f + 0x1p-33f; } /* in (0, 1] */
static __device__ __forceinline__ double unit(uint32_t low, uint32_t high)
{
    return (double)((uint64_t)low ^ (uint64_t)high << 21) * 0x1p-53 + 0x1p-54;
}

/* Exponential of a number in (0, 1]; a draw is never 0. */
static __device__ __forceinline__ float exponential(float u, float rate)
{
    const float l = u >= 1 - 0x1p-24f ? -0x1p-24f : __logf(u);
    return -1.0f / rate * l;
}
static __device__ __forceinline__ double exponential(double u, double rate)
{
    const double l = u >= 1 - 0x1p-53 ? -0x1p-53 : log(u);
    return -1.0 / rate * l;
}

/* What element `at` of a draw of g.threads threads gets: four numbers a step, or two of 53 bits. */
template <class G> static __device__ __forceinline__ void unit_at(float &u, uint64_t at, const G &g)
{
    const uint64_t turn = at / g.threads;
    const uint4    d = philox(seed_of(g), at % g.threads, first_step(g) + turn / 4);
    u = unit(turn % 4 == 0 ? d.x : turn % 4 == 1 ? d.y : turn % 4 == 2 ? d.z : d.w);
}
template <class G> static __device__ __forceinline__ void unit_at(double &u, uint64_t at, const G &g)
{
    const uint64_t turn = at / g.threads;
    const uint4    d = philox(seed_of(g), at % g.threads, first_step(g) + turn / 2);
    u = turn % 2 ? unit(d.z, d.w) : unit(d.x, d.y);
}

#endif
