/* lookup.cu - elements of 16 bits become what a table of 65,536 entries has for them, or are multiplied by it. The table is read
 * through the read-only cache: what is used of it stays there, and the elements themselves pass by. */
#include "args.h"
#include "dev/dtype.cuh"

static __device__ __forceinline__ uint32_t looked_up(const uint16_t *results, uint32_t two)
{
    return __ldg(results + (two & 0xffff)) | (uint32_t)__ldg(results + (two >> 16)) << 16;
}

static __global__ void __launch_bounds__(ARG_THREADS) lookup(ARGUMENTS(lookup_args) g)
{
    enum { V = LOOKUP_VECTOR, U = LOOKUP_STEPS };
    const uint64_t  first = ((uint64_t)blockIdx.x * (ARG_THREADS * U) + threadIdx.x) * V;
    const uint16_t *results = (const uint16_t *)g.table;
    uint4           in[U];
#pragma unroll
    for (int u = 0; u < U; u++) {
        const uint64_t at = first + (uint64_t)u * (ARG_THREADS * V);
        if (at + V <= g.n)
            in[u] = __ldcs((const uint4 *)(g.from + at * 2));
    }
#pragma unroll
    for (int u = 0; u < U; u++) {
        const uint64_t at = first + (uint64_t)u * (ARG_THREADS * V);
        if (at + V <= g.n)
            __stcs((uint4 *)(g.to + at * 2), make_uint4(looked_up(results, in[u].x), looked_up(results, in[u].y),
                                                        looked_up(results, in[u].z), looked_up(results, in[u].w)));
        else
            for (uint64_t i = at; i < g.n; i++)
                ((uint16_t *)g.to)[i] = results[((const uint16_t *)g.from)[i]];
    }
}

/* ---- products ---- */
template <int D> static __device__ __forceinline__ uint16_t product(uint16_t times, uint16_t from, const float *factors)
{
    return dtype<D>::put(dtype<D>::get(times) * __ldg(factors + from));
}
template <int D> static __device__ __forceinline__ uint32_t products(uint32_t times, uint32_t from, const float *factors)
{
    const uint32_t low = product<D>((uint16_t)times, (uint16_t)from, factors);
    return low | (uint32_t)product<D>((uint16_t)(times >> 16), (uint16_t)(from >> 16), factors) << 16;
}

template <int D> static __global__ void __launch_bounds__(ARG_THREADS) lookup_factors(ARGUMENTS(lookup_args) g)
{
    enum { V = LOOKUP_VECTOR };
    const float *factors = (const float *)g.table;
#pragma unroll
    for (int u = 0; u < LOOKUP_STEPS; u++) {
        const uint64_t at = ((uint64_t)blockIdx.x * (ARG_THREADS * LOOKUP_STEPS) + u * ARG_THREADS + threadIdx.x) * V;
        if (at + V <= g.n) {
            const uint4 x = __ldcs((const uint4 *)(g.from + at * 2)), y = __ldcs((const uint4 *)(g.times + at * 2));
            __stcs((uint4 *)(g.to + at * 2), make_uint4(products<D>(y.x, x.x, factors), products<D>(y.y, x.y, factors),
                                                        products<D>(y.z, x.z, factors), products<D>(y.w, x.w, factors)));
        } else {
            for (uint64_t i = at; i < g.n; i++)
                ((uint16_t *)g.to)[i] = product<D>(((const uint16_t *)g.times)[i], ((const uint16_t *)g.from)[i], factors);
        }
    }
}

const void *const lookup_kernel = (const void *)lookup;
const void *const factors_kernels[2] = {(const void *)lookup_factors<KT_BF16>, (const void *)lookup_factors<KT_F16>};
