/* walk.cuh - from the number of an element, or of a line, to its place in each operand. */
#ifndef KARAT_CUDA_WALK_CUH
#define KARAT_CUDA_WALK_CUH

#include "args.h"

/* Adds to `at` where number i of dims of these sizes, inner to outer, lies in each of N operands. What is left of i: 0, or it
 * lies beyond the last. */
template <int N, class P>
static __device__ __forceinline__ uint32_t walk(uint32_t i, uint32_t nd, const uint32_t *size, const int64_t (*stride)[ARG_DIMS],
                                                P (&at)[N])
{
    for (uint32_t d = 0; d < nd; d++) {
        const uint32_t next = i / size[d], here = i - next * size[d];
#pragma unroll
        for (int k = 0; k < N; k++)
            at[k] += here * stride[k][d];
        i = next;
    }
    return i;
}

static __device__ __forceinline__ uint32_t thread_number() { return blockIdx.x * ARG_THREADS + threadIdx.x; }

/* Of several launches in one: whose block this is. */
static __device__ __forceinline__ uint32_t owner_of_block(const uint32_t *first_block, uint32_t count)
{
    uint32_t which = 0;
    for (uint32_t end = count; end - which > 1;) {
        const uint32_t middle = (which + end) / 2;
        if (first_block[middle] <= blockIdx.x)
            which = middle;
        else
            end = middle;
    }
    return which;
}

/* The element of this thread in a strided launch; false: there is none. */
template <int N> static __device__ __forceinline__ bool place(const strided_args &g, int64_t (&at)[N])
{
#pragma unroll
    for (int k = 0; k < N; k++)
        at[k] = 0;
    if (thread_number() >= g.flat.n)
        return false;
    walk(thread_number(), g.nd, g.size, g.stride, at);
    return true;
}

/* An operand's memory: what is immediate stands in the arguments. */
static __device__ __forceinline__ const char *memory_of(const operand_arg &x)
{
    return x.data ? x.data : (const char *)x.value;
}

#endif
