/* norms.cu - norms of the tensors of a list, of all elements of each, in two launches: what the blocks have, then that together;
 * copies of the tensors of a list.
 *
 * In: norms_args: dense tensors of one dtype; copies_args. Out: a number each; bytes. Sums are doubles, added in an order that
 * follows from the sizes. Independent of: plans. */
#include "args.h"
#include "dev/early.cuh"
#include "dev/folds.cuh"
#include "dev/group.cuh"
#include "dev/values.cuh"
#include "dev/walk.cuh"

enum { V = NORMS_VECTOR, AHEAD = 4 };

struct norms_out {
    char *to;
    int   is;
    __device__ void put(int, float v) { values<float>::store(to, is, v); }
};

template <class F, int D> static __global__ void __launch_bounds__(ARG_THREADS) fold_list(ARGUMENTS(norms_args) g)
{
    enum { W = sizeof(typename dtype<D>::S), ALL = ARG_THREADS * V };
    const uint32_t which = owner_of_block(g.first_block, g.count);
    const uint64_t first = (uint64_t)(blockIdx.x - g.first_block[which]) * g.chunk, left = g.n[which] - first;
    const uint32_t mine = left < g.chunk ? (uint32_t)left : g.chunk;
    const char    *from = g.in[which] + first * W;
    const fold_about about = {(double)g.n[which], 0};
    F              state;
    after_earlier();
    uint32_t i = threadIdx.x * V;
    for (; i + (AHEAD - 1) * ALL + V <= mine; i += AHEAD * ALL) {
        raw<V> r[AHEAD];
#pragma unroll
        for (int k = 0; k < AHEAD; k++)
            load_bytes<V * W>(r[k], from + (uint64_t)(i + k * ALL) * W);
#pragma unroll
        for (int k = 0; k < AHEAD; k++) {
            float v[V];
            decode_as<D>(v, r[k]);
#pragma unroll
            for (int j = 0; j < V; j++)
                state.take(v[j], 0, about);
        }
    }
    for (; i < mine; i += ALL)
        for (uint32_t j = i; j < i + V && j < mine; j++)
            state.take(values<float>::load(from + (uint64_t)j * W, D), 0, about);
    join_lanes(state, ARG_THREADS);
    if (threadIdx.x == 0)
        ((F *)g.states)[blockIdx.x] = state;
}

/* A block has a tensor. */
template <class F> static __global__ void __launch_bounds__(ARG_THREADS) end_list(ARGUMENTS(norms_args) g)
{
    const uint32_t   which = blockIdx.x;
    const fold_about about = {which < g.count ? (double)g.n[which] : 0, 0};
    F                state;
    after_earlier();
    if (which >= g.count) /* a small grid is rounded up */
        return;
    const uint32_t end = which + 1 < g.count ? g.first_block[which + 1] : g.blocks;
    for (uint32_t i = g.first_block[which] + threadIdx.x; i < end; i += ARG_THREADS)
        state.join(((const F *)g.states)[i]);
    join_lanes(state, ARG_THREADS);
    norms_out out = {g.out[which], g.out_is};
    if (threadIdx.x == 0)
        state.end(about, out);
}

/* ---- copies ---- */
template <class S> static __device__ __forceinline__ uint64_t copy_as(char *to, const char *from, uint64_t i, uint64_t n)
{
    if (((uintptr_t)to | (uintptr_t)from) % sizeof(S) != 0)
        return i;
    for (uint64_t at = i / sizeof(S) + threadIdx.x; at < n / sizeof(S); at += ARG_THREADS)
        ((S *)to)[at] = ((const S *)from)[at];
    return n / sizeof(S) * sizeof(S);
}

static __global__ void __launch_bounds__(ARG_THREADS) copy_list(ARGUMENTS(copies_args) g)
{
    const uint32_t which = owner_of_block(g.first_block, g.count);
    const uint64_t first = (uint64_t)(blockIdx.x - g.first_block[which]) * COPIES_CHUNK, left = g.bytes[which] - first;
    const uint64_t n = left < COPIES_CHUNK ? left : COPIES_CHUNK;
    const char    *from = g.from[which] + first;
    char          *to = g.to[which] + first;
    after_earlier();
    copy_as<uint8_t>(to, from, copy_as<uint32_t>(to, from, copy_as<uint4>(to, from, 0, n), n), n);
}

const void *const copies_kernel = (const void *)copy_list;

#define NORMS_OF(F)                                                                                                       \
    {{(const void *)fold_list<F, KT_F32>, (const void *)fold_list<F, KT_BF16>, (const void *)fold_list<F, KT_F16>},      \
     (const void *)end_list<F>, sizeof(F)}
const norms_kernels norms_table[NORMS_KINDS] = {NORMS_OF(fold_norm1<float>), NORMS_OF(fold_norm2<float>),
                                                NORMS_OF(fold_norm_largest<float>)};
