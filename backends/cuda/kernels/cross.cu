/* cross.cu - copies of crossed layouts: the dim that is dense in the source is not the one that is dense in the target.
 *
 * A thread loads V vectors of 16 bytes along the source's dense dim, turns the V x V elements in registers, and stores V vectors
 * along the target's. No shared memory: a warp's loads and stores cover whole sectors as they are. */
#include <stddef.h>

#include "args.h"
#include "dev/raw.cuh"
#include "dev/walk.cuh"

template <class S> static __global__ void __launch_bounds__(ARG_THREADS) cross(ARGUMENTS(cross_args) g)
{
    enum { V = 16 / sizeof(S), WARP_A = 8, WARP_B = 4, WARPS = ARG_THREADS / 32 };
    const uint32_t blocks_a = (g.a + WARP_A - 1) / WARP_A, blocks_b = (g.b + WARP_B * WARPS - 1) / (WARP_B * WARPS);
    const uint32_t lane = threadIdx.x % 32, warp = threadIdx.x / 32;
    const uint32_t rest = blockIdx.x / blocks_a;
    const uint32_t a = (blockIdx.x - rest * blocks_a) * WARP_A + lane % WARP_A, above = rest / blocks_b;
    const uint32_t b = ((rest - above * blocks_b) * WARPS + warp) * WARP_B + lane / WARP_A;
    int64_t        at[2] = {0, 0};
    if (walk(above, g.nd, g.size, g.stride, at) || a >= g.a || b >= g.b)
        return;
    raw<V>      in[V];
    const char *from = g.from + at[1] + (int64_t)b * V * g.step[1] + (int64_t)a * 16;
    char       *to = g.to + at[0] + (int64_t)a * V * g.step[0] + (int64_t)b * 16;
#pragma unroll
    for (int j = 0; j < V; j++)
        load_bytes<16>(in[j], from + j * g.step[1]);
#pragma unroll
    for (int i = 0; i < V; i++) {
        raw<V> out;
#pragma unroll
        for (int j = 0; j < V; j++)
            raw_set<S>(out, j, raw_get<S>(in[j], i));
        store_bytes<16>(out, to + i * g.step[0]);
    }
}

const void *const cross_kernels[] = {NULL, (const void *)cross<uint16_t>, (const void *)cross<uint32_t>,
                                     (const void *)cross<uint64_t>, NULL};
