/* chain.cuh - chains of elementwise rows over the arrays of a parameter, in one compute type. A template: the includer includes
 * dev/rows.cuh by one of its compute types, without a table, and defines CHAINS_NAME and CHAIN_DTYPES, the dtypes of arrays.
 *
 * In: chain_args. Out: arrays, each as the links one after the other leave it, in one pass. Which register a link reads is known
 * at run time only, so registers stand in shared memory, each thread's own; arrays of narrow floats are rounded after each link,
 * as the operators would round them. Independent of: plans, what a chain is for. */
#include "args.h"
#include "dev/walk.cuh"
#include "tables/kernels/optimizer.h"

template <int D, int V> struct chain_elements {
    raw<V> r;
    __device__ __forceinline__ void load(const char *from, int n)
    {
        if (n == V)
            load_bytes<V * sizeof(typename dtype<D>::S)>(r, from);
        else
            raw_gather(r, from, sizeof(typename dtype<D>::S), sizeof(typename dtype<D>::S), n);
    }
    __device__ __forceinline__ void store(char *to, int n) const
    {
        if (n == V)
            store_bytes<V * sizeof(typename dtype<D>::S)>(r, to);
        else
            raw_scatter(r, to, sizeof(typename dtype<D>::S), sizeof(typename dtype<D>::S), n);
    }
    __device__ __forceinline__ void get(T (&v)[V]) const
    {
#pragma unroll
        for (int i = 0; i < V; i++)
            v[i] = ::to<T>::of(dtype<D>::get(raw_get<typename dtype<D>::S>(r, i)));
    }
    __device__ __forceinline__ void put(const T (&v)[V])
    {
#pragma unroll
        for (int i = 0; i < V; i++)
            raw_set<typename dtype<D>::S>(r, i, dtype<D>::put(v[i]));
    }
};

/* What the dtype of the arrays can hold. */
template <int D> static __device__ __forceinline__ T rounded(T x)
{
    return D == SELF ? x : to<T>::of(dtype<D>::get(dtype<D>::put(x)));
}

template <int V> struct alignas(V * sizeof(T)) chain_vector {
    T v[V];
};
template <int V> struct chain_room {
    chain_vector<V> at[KT__CHAIN_REGISTERS][ARG_THREADS];
};

template <int D, int V>
static __device__ __forceinline__ void chain_read(T (&v)[V], const chain_room<V> &room, const chain_common &c,
                                                  const chain_link &link, int k)
{
    const int from = link.in[k];
    if (from < KT__CHAIN_NUMBER) {
        const chain_vector<V> x = room.at[from][threadIdx.x];
        memcpy(v, &x, sizeof v);
        return;
    }
    const T x = of_bits(c.number[from - KT__CHAIN_NUMBER]), number = link.rounds ? rounded<D>(x) : x;
#pragma unroll
    for (int i = 0; i < V; i++)
        v[i] = number;
}

/* A register that holds the link's result. */
template <int D, int V>
static __device__ __forceinline__ void run_link(chain_room<V> &room, const chain_common &c, const chain_link &link)
{
    T a[V], b[V], d[V], z[V], p[2] = {0, 0};
    chain_read<D>(a, room, c, link, 0);
    if (link.inputs > 1)
        chain_read<D>(b, room, c, link, 1);
    if (link.inputs > 2)
        chain_read<D>(d, room, c, link, 2);
#pragma unroll
    for (int k = 0; k < 2; k++)
        if (k < link.numbers) {
            const T x = of_bits(c.number[link.first + k]);
            p[k] = link.rounds ? rounded<D>(x) : x;
        }
    const T lacks = (T)(D == KT_F16 ? 13 : D == KT_BF16 ? 16 : 0); /* low bits: what the rows call p3 */
    switch (link.kind) {
#define LINK(name, kernel, operator_row, inputs, numbers, rounds)                                                         \
    case KT__LINK_##name:                                                                                                 \
        _Pragma("unroll") for (int i = 0; i < V; i++)                                                                     \
            z[i] = row<KT_K_##kernel>::of(a[i], inputs > 1 ? b[i] : a[i], inputs > 2 ? d[i] : a[i], p[0], p[1], 0, lacks); \
        break;
#include "tables/kernels/chain.def"
#undef LINK
    }
    chain_vector<V> x;
#pragma unroll
    for (int i = 0; i < V; i++)
        x.v[i] = rounded<D>(z[i]);
    room.at[link.to][threadIdx.x] = x;
}

/* n of V elements of each array. */
template <int D, int V>
static __device__ __forceinline__ void run_chain(const chain_common &c, char *const (&at)[CHAIN_ARRAYS], int n)
{
    __shared__ chain_room<V> room;
    chain_elements<D, V>     x[CHAIN_ARRAYS];
    chain_vector<V>          v;
#pragma unroll
    for (int k = 0; k < CHAIN_ARRAYS; k++)
        if (k < c.arrays)
            x[k].load(at[k], n);
#pragma unroll
    for (int k = 0; k < CHAIN_ARRAYS; k++)
        if (k < c.arrays) {
            x[k].get(v.v);
            room.at[k][threadIdx.x] = v;
        }
    for (uint32_t i = 0; i < c.links; i++)
        run_link<D>(room, c, c.link[i]);
#pragma unroll
    for (int k = 0; k < CHAIN_ARRAYS; k++)
        if (c.writes >> k & 1) {
            v = room.at[k][threadIdx.x];
            x[0].put(v.v);
            x[0].store(at[k], n);
        }
}

template <int D> static __global__ void __launch_bounds__(ARG_THREADS) chain_dense(ARGUMENTS(chain_args) g)
{
    enum { V = CHAIN_BYTES / sizeof(T) };
    const uint32_t which = owner_of_block(g.first_block, g.count);
    const uint64_t first = (uint64_t)(blockIdx.x - g.first_block[which]) * g.chunk, left = g.n[which] - first;
    const uint32_t mine = left < g.chunk ? (uint32_t)left : g.chunk;
    for (uint32_t i = threadIdx.x * V; i < mine; i += ARG_THREADS * V) {
        char *at[CHAIN_ARRAYS];
#pragma unroll
        for (int k = 0; k < CHAIN_ARRAYS; k++)
            at[k] = g.at[which][k] + (first + i) * sizeof(typename dtype<D>::S);
        run_chain<D, V>(g.common, at, mine - i < V ? (int)(mine - i) : (int)V);
    }
}

template <int D> static __global__ void __launch_bounds__(ARG_THREADS) chain_any(ARGUMENTS(chain_args) g)
{
    const uint64_t end = (uint64_t)(blockIdx.x + 1) * g.chunk < g.n[0] ? (uint64_t)(blockIdx.x + 1) * g.chunk : g.n[0];
    for (uint64_t i = (uint64_t)blockIdx.x * g.chunk + threadIdx.x; i < end; i += ARG_THREADS) {
        char   *at[CHAIN_ARRAYS];
        int64_t away[CHAIN_ARRAYS] = {0};
        walk((uint32_t)i, g.nd, g.size, g.stride, away);
#pragma unroll
        for (int k = 0; k < CHAIN_ARRAYS; k++)
            at[k] = g.at[0][k] + away[k];
        run_chain<D, 1>(g.common, at, 1);
    }
}

#define OF_DTYPE(ID) {KT_##ID, (const void *)chain_dense<KT_##ID>, (const void *)chain_any<KT_##ID>},
const chain_kernels CHAINS_NAME[] = {CHAIN_DTYPES(OF_DTYPE) {KT_NONE, NULL, NULL}};
