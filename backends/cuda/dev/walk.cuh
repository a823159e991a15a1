/* walk.cuh - from the number of an element to its place in each operand of a strided launch. */
#ifndef KARAT_CUDA_WALK_CUH
#define KARAT_CUDA_WALK_CUH

#include "args.h"

template <int N> static __device__ __forceinline__ void places(const strided_args &g, uint32_t i, int64_t (&at)[N])
{
#pragma unroll
    for (int k = 0; k < N; k++)
        at[k] = 0;
    for (uint32_t d = 0; d < g.nd; d++) {
        const uint32_t next = i / g.size[d], here = i - next * g.size[d];
#pragma unroll
        for (int k = 0; k < N; k++)
            at[k] += here * g.stride[k][d];
        i = next;
    }
}

/* An operand's memory: what is immediate stands in the arguments. */
static __device__ __forceinline__ const char *memory_of(const operand_arg &x)
{
    return x.data ? x.data : (const char *)x.value;
}

#endif
