/* keywords.h - CUDA's words in C++, for kernels that run on the CPU: read before every .cu file. A kernel is a function of its
 * launch's arguments, which runtime.cpp calls once a thread; threads of a block take turns where they wait for each other. */
#ifndef KARAT_ON_CPU_KEYWORDS_H
#define KARAT_ON_CPU_KEYWORDS_H

#include <complex> /* which has words of the compiler's own that are CUDA's below */
#include <math.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#define __CUDACC__ 1
#ifndef KT_ON_CPU
#define KT_ON_CPU 1 /* and not by instructions of a GPU */
#endif
#define __device__
#define __host__
#define __global__
#define __forceinline__ inline __attribute__((always_inline))
#define __noinline__ __attribute__((noinline))
#define __shared__ static
#define __launch_bounds__(...)
#define ARGUMENTS(type) const type &

struct on_cpu_dim {
    unsigned x, y, z;
};
extern on_cpu_dim threadIdx, blockIdx, gridDim;

/* ---- vectors ---- */
struct alignas(8) uint2 {
    unsigned x, y;
};
struct alignas(16) uint4 {
    unsigned x, y, z, w;
};
static inline uint2 make_uint2(unsigned x, unsigned y) { return {x, y}; }
static inline uint4 make_uint4(unsigned x, unsigned y, unsigned z, unsigned w) { return {x, y, z, w}; }

static inline double rsqrt(double x) { return 1 / sqrt(x); }

/* ---- threads that wait ---- */
void     __syncthreads();
uint64_t on_cpu_exchange(uint64_t mine, unsigned lane); /* what that lane of the warp has */
unsigned on_cpu_votes(bool mine);

template <class S> static inline S on_cpu_lane(S mine, unsigned lane)
{
    uint64_t bits = 0;
    memcpy(&bits, &mine, sizeof mine);
    bits = on_cpu_exchange(bits, lane);
    memcpy(&mine, &bits, sizeof mine);
    return mine;
}
static inline unsigned on_cpu_me() { return threadIdx.x % 32; }
template <class S> static inline S __shfl_sync(unsigned, S x, int lane) { return on_cpu_lane(x, (unsigned)lane % 32); }
template <class S> static inline S __shfl_xor_sync(unsigned, S x, int away)
{
    return on_cpu_lane(x, on_cpu_me() ^ (unsigned)away);
}
template <class S> static inline S __shfl_down_sync(unsigned, S x, int away)
{
    return on_cpu_lane(x, on_cpu_me() + (unsigned)away < 32 ? on_cpu_me() + (unsigned)away : on_cpu_me());
}
template <class S> static inline S __shfl_up_sync(unsigned, S x, int away)
{
    return on_cpu_lane(x, on_cpu_me() >= (unsigned)away ? on_cpu_me() - (unsigned)away : on_cpu_me());
}
static inline unsigned __reduce_add_sync(unsigned, unsigned x)
{
    for (int away = 16; away; away /= 2)
        x += __shfl_xor_sync(~0u, x, away);
    return x;
}
static inline unsigned __ballot_sync(unsigned, bool x) { return on_cpu_votes(x); }
static inline void     __threadfence_system() {}
static inline void     __threadfence() {}

/* ---- one at a time ---- */
template <class S> static inline S atomicExch(S *at, S x)
{
    const S was = *at;
    *at = x;
    return was;
}
template <class S> static inline S atomicCAS(S *at, S seen, S x)
{
    const S was = *at;
    *at = was == seen ? x : was;
    return was;
}
template <class S> static inline S atomicMax(S *at, S x)
{
    const S was = *at;
    *at = was > x ? was : x;
    return was;
}
template <class S> static inline S atomicAdd(S *at, S x)
{
    const S was = *at;
    *at = was + x;
    return was;
}

static inline void sincospi(double x, double *sine, double *cosine) { *sine = sin(M_PI * x), *cosine = cos(M_PI * x); }

/* less exact on a GPU */
#define __logf    on_cpu_log
#define __expf    expf
#define __tanf    tanf
#define __sincosf on_cpu_sincos
static inline float on_cpu_log(float x) { return logf(x); }
static inline void  on_cpu_sincos(float x, float *sine, float *cosine) { *sine = sinf(x), *cosine = cosf(x); }

template <class S> static inline S __ldg(const S *at) { return *at; }
template <class S> static inline S    __ldcs(const S *at) { return *at; }
template <class S> static inline void __stcs(S *at, S x) { *at = x; }
static inline unsigned             __umulhi(unsigned a, unsigned b) { return (unsigned)((uint64_t)a * b >> 32); }
static inline int                  __ffs(int x) { return __builtin_ffs(x); }
static inline int                  __popc(unsigned x) { return __builtin_popcount(x); }

#endif
