/* move.cu - bytes: a pattern over dense memory, pieces of one width in any layout, and a few bytes to the host. */
#include <stddef.h>

#include "args.h"
#include "dev/walk.cuh"

/* `to` is aligned to the pattern's period, which divides 16: so each thread writes the pattern turned as its place asks. */
static __global__ void __launch_bounds__(ARG_THREADS) fill(ARGUMENTS(fill_args) g)
{
    const uint64_t i = ((uint64_t)blockIdx.x * ARG_THREADS + threadIdx.x) * 16;
    if (i >= g.bytes)
        return;
    if (((uintptr_t)g.to & 15) == 0 && i + 16 <= g.bytes) {
        *(uint4 *)(g.to + i) = *(const uint4 *)g.pattern;
        return;
    }
    for (uint64_t k = i; k < i + 16 && k < g.bytes; k++)
        g.to[k] = (char)g.pattern[k % 16];
}

/* Pieces that both operands have whole, as one element each. */
template <class S> static __global__ void __launch_bounds__(ARG_THREADS) move_any(ARGUMENTS(strided_args) g)
{
    int64_t at[2];
    if (place(g, at))
        *(S *)(g.flat.at[0].data + at[0]) = *(const S *)(g.flat.at[1].data + at[1]);
}

static __global__ void __launch_bounds__(ARG_THREADS) read(ARGUMENTS(read_args) g)
{
    if (threadIdx.x < g.bytes)
        g.slot->bytes[threadIdx.x] = (unsigned char)g.from[threadIdx.x];
    __threadfence_system();
    __syncthreads();
    if (threadIdx.x == 0)
        g.slot->turn = g.turn;
}

/* By the logarithm of the width. */
const void *const move_any_kernels[] = {NULL, NULL, (const void *)move_any<uint32_t>, (const void *)move_any<uint2>,
                                        (const void *)move_any<uint4>};
const void *const fill_kernel = (const void *)fill;
const void *const read_kernel = (const void *)read;
