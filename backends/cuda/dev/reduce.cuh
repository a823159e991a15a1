/* reduce.cuh - reductions of any layout in one compute type. A template: the includer defines COMPUTE, IS_INTEGER and
 * REDUCE_NAME, the table; of a complex type IS_COMPLEX instead of IS_INTEGER.
 *
 * In: reduce_args. Out: results, or states of parts of them, which a second kernel joins: the order of joins follows from the
 * sizes alone. One thread, a warp or a block works at a part; threads of neighbouring results read neighbouring elements where
 * the layout has it so. Independent of: what is calculated (folds.cuh). */
#include <stddef.h>

#include "args.h"
#include "dev/folds_complex.cuh"
#include "dev/group.cuh"
#include "dev/values.cuh"
#include "dev/walk.cuh"

typedef COMPUTE T;
#ifdef IS_COMPLEX
enum { REDUCE_VECTOR = 1, REDUCE_ROWS = 4, AT_ONCE = 4 };
#else
enum { REDUCE_VECTOR = sizeof(T) == 4 ? 8 : 4, REDUCE_ROWS = 4, AT_ONCE = 4 };
#endif

/* Written out: by walk() the columns of sums would take more registers than two blocks of a multiprocessor have. */
static __device__ __forceinline__ int64_t gone_place(const reduce_args &g, uint64_t i)
{
    if (g.gone_nd == 1)
        return (int64_t)i * g.gone_stride[0];
    int64_t  at = 0;
    uint32_t rest = (uint32_t)i;
    for (uint32_t d = 0; d < g.gone_nd; d++) {
        const uint32_t next = rest / g.gone_size[d];
        at += (int64_t)(rest - next * g.gone_size[d]) * g.gone_stride[d];
        rest = next;
    }
    return at;
}

template <int N> static __device__ __forceinline__ void kept_places(const reduce_args &g, uint64_t i, int64_t (&at)[N])
{
#pragma unroll
    for (int k = 0; k < N; k++)
        at[k] = 0;
    walk((uint32_t)i, g.kept_nd, g.kept_size, g.kept_stride, at);
}

/* Results into memory. */
struct results {
    const reduce_args &g;
    int64_t            at[2];
    __device__ void put(int k, T v)
    {
        if (k < (int)g.n_out)
            values<T>::store(g.out[k] + at[k], g.out_is[k], v);
    }
    __device__ void whole(int k, int64_t v) { *(int64_t *)(g.out[k] + at[k]) = v; }
};

template <class F> static __device__ __forceinline__ void finish(const reduce_args &g, uint64_t result, const F &state)
{
    int64_t at[2];
    kept_places(g, result, at);
    results out = {g, {at[0], at[1]}};
    state.end(g.about, out);
}

template <class F, int V>
static __device__ __forceinline__ void take_all(F &state, const T (&v)[V], int64_t i, const fold_about &about)
{
#pragma unroll
    for (int k = 0; k < V; k++)
        state.take(v[k], i + k, about);
}
template <bool LEAST, int V>
static __device__ __forceinline__ void take_all(fold_arg<T, LEAST> &state, const T (&v)[V], int64_t i, const fold_about &)
{
    state.take_all(v, i);
}
template <bool LEAST, int V>
static __device__ __forceinline__ void take_all(fold_with_index<T, LEAST> &state, const T (&v)[V], int64_t i, const fold_about &)
{
    state.take_all(v, i);
}

/* Elements [i, end) of a result, every lanes-th vector of them. */
template <class F>
static __device__ __forceinline__ void take_vectors(F &state, const reduce_args &g, const char *from, uint64_t i, uint64_t end)
{
    enum { V = REDUCE_VECTOR };
    const uint64_t step = (uint64_t)g.lanes * V;
    for (; F::pairs && i + step + V <= end; i += 2 * step) {
        raw<V> r[2];
        T      v[V];
        raw_load(r[0], from + gone_place(g, i), g.width);
        raw_load(r[1], from + gone_place(g, i + step), g.width);
#pragma unroll
        for (int two = 0; two < 2; two++) {
            values<T>::decode(v, r[two], g.is);
            take_all(state, v, (int64_t)(i + two * step), g.about);
        }
    }
    for (; i < end; i += step) {
        const char *at = from + gone_place(g, i);
        if (i + V <= end) {
            raw<V> r;
            T      v[V];
            raw_load(r, at, g.width);
            values<T>::decode(v, r, g.is);
            take_all(state, v, (int64_t)i, g.about);
        } else {
            for (uint64_t k = i; k < end; k++)
                state.take(values<T>::load(at + (k - i) * g.width, g.is), (int64_t)k, g.about);
        }
    }
}

template <class F>
static __device__ __forceinline__ void take_each(F &state, const reduce_args &g, const char *from, uint64_t i, uint64_t end)
{
    enum { N = F::heavy ? 1 : AT_ONCE };
    for (; i < end; i += (uint64_t)g.lanes * N) {
        T v[N];
#pragma unroll
        for (int k = 0; k < N; k++) {
            const uint64_t at = i + (uint64_t)k * g.lanes;
            v[k] = at < end ? values<T>::load(from + gone_place(g, at), g.is) : (T)0;
        }
#pragma unroll
        for (int k = 0; k < N; k++) {
            const uint64_t at = i + (uint64_t)k * g.lanes;
            if (at < end)
                state.take(v[k], (int64_t)at, g.about);
        }
    }
}

template <class F> static __global__ void __launch_bounds__(ARG_THREADS) fold(ARGUMENTS(reduce_args) g)
{
    const uint64_t thread = (uint64_t)blockIdx.x * ARG_THREADS + threadIdx.x, group = thread / g.lanes;
    const uint64_t result = g.lanes == 1 ? group % g.results : group / g.parts;
    const uint64_t part = g.lanes == 1 ? group / g.results : group % g.parts, lane = thread % g.lanes;
    if (g.lanes != WARP && (g.lanes == 1 ? part >= g.parts : result >= g.results))
        return; /* by blocks or alone; warps go on together */
    F          state;
    const bool mine = result < g.results && part < g.parts;
    if (mine) {
        int64_t at[3];
        kept_places(g, result, at);
        const uint64_t begin = part * g.part, end = begin + g.part < g.gone ? begin + g.part : g.gone;
        if constexpr (REDUCE_VECTOR > 1 && !F::heavy) {
            if (g.vectors)
                take_vectors(state, g, g.in + at[2], begin + lane * REDUCE_VECTOR, end);
        }
        if (REDUCE_VECTOR == 1 || F::heavy || !g.vectors)
            take_each(state, g, g.in + at[2], begin + lane, end);
    }
    join_lanes(state, g.lanes);
    if (!mine || lane != 0)
        return;
    if (g.parts > 1)
        ((F *)g.states)[result * g.result_apart + part * g.part_apart] = state;
    else
        finish(g, result, state);
}

/* Results side by side, where their elements are too: a thread has a vector of results, and takes a vector of elements at a
 * time. */
template <class F>
static __global__ void __launch_bounds__(ARG_THREADS, F::pairs ? 2 : 1) fold_columns(ARGUMENTS(reduce_args) g)
{
    enum { V = REDUCE_VECTOR, ROWS = REDUCE_ROWS };
    const uint64_t thread = (uint64_t)blockIdx.x * ARG_THREADS + threadIdx.x, groups = g.results / V;
    const uint64_t group = thread % groups, part = thread / groups;
    if (part >= g.parts)
        return;
    F       state[V];
    int64_t at[3];
    kept_places(g, group * V, at);
    const uint64_t begin = part * g.part, end = begin + g.part < g.gone ? begin + g.part : g.gone;
    const char    *from = g.in + at[2];
    uint64_t       i = begin;
    for (; i + ROWS <= end; i += ROWS) {
        raw<V> r[ROWS];
        T      v[V];
#pragma unroll
        for (int row = 0; row < ROWS; row++)
            raw_load(r[row], from + gone_place(g, i + row), g.width);
#pragma unroll
        for (int row = 0; row < ROWS; row++) {
            values<T>::decode(v, r[row], g.is);
#pragma unroll
            for (int k = 0; k < V; k++)
                state[k].take(v[k], (int64_t)(i + row), g.about);
        }
    }
    for (; i < end; i++) {
        raw<V> r;
        T      v[V];
        raw_load(r, from + gone_place(g, i), g.width);
        values<T>::decode(v, r, g.is);
#pragma unroll
        for (int k = 0; k < V; k++)
            state[k].take(v[k], (int64_t)i, g.about);
    }
#pragma unroll
    for (int k = 0; k < V; k++) {
        if (g.parts > 1)
            ((F *)g.states)[part * g.results + group * V + k] = state[k];
        else
            finish(g, group * V + k, state[k]);
    }
}

/* The parts of each result. */
template <class F> static __global__ void __launch_bounds__(ARG_THREADS) join_parts(ARGUMENTS(reduce_args) g)
{
    const uint64_t thread = (uint64_t)blockIdx.x * ARG_THREADS + threadIdx.x, result = thread / g.lanes;
    F              state;
    if (g.lanes != WARP && result >= g.results)
        return;
    if (result < g.results)
        for (uint64_t i = thread % g.lanes; i < g.parts; i += g.lanes)
            state.join(((const F *)g.states)[result * g.result_apart + i * g.part_apart]);
    join_lanes(state, g.lanes);
    if (result < g.results && thread % g.lanes == 0)
        finish(g, result, state);
}

#define REDUCTION(name, ...)                                                                                                   \
    {name, (const void *)fold<__VA_ARGS__>, NULL, (const void *)join_parts<__VA_ARGS__>, sizeof(__VA_ARGS__)},
#ifdef IS_COMPLEX
#define COLUMNS_TOO    REDUCTION /* elements are read one by one */
#define FOLD(name)     fold_complex_##name<T>
#define OF_SIZES(name) fold_of_sizes<T, fold_##name<double>>
#else
#define COLUMNS_TOO(name, ...)                                                                                                 \
    {name, (const void *)fold<__VA_ARGS__>, (const void *)fold_columns<__VA_ARGS__>, (const void *)join_parts<__VA_ARGS__>,    \
     sizeof(__VA_ARGS__)},
#define FOLD(name)     fold_##name<T>
#define OF_SIZES(name) fold_##name<T>
#endif
static const reduce_kernels table[] = {
    COLUMNS_TOO("sum", FOLD(sum))
    REDUCTION("prod", FOLD(prod))
    REDUCTION("any", FOLD(any))
    REDUCTION("all", FOLD(all))
    REDUCTION("count_nonzero", FOLD(count))
#if !IS_INTEGER
    COLUMNS_TOO("mean", FOLD(mean))
    COLUMNS_TOO("var", FOLD(var))
    REDUCTION("std", FOLD(std))
    REDUCTION("norm", OF_SIZES(normp))
#endif
#ifndef IS_COMPLEX
    COLUMNS_TOO("amax", FOLD(amax))
    REDUCTION("amin", FOLD(amin))
    REDUCTION("aminmax", FOLD(aminmax))
    REDUCTION("argmax", fold_arg<T, false>)
    REDUCTION("argmin", fold_arg<T, true>)
    REDUCTION("max_with_index", fold_with_index<T, false>)
    REDUCTION("min_with_index", fold_with_index<T, true>)
#if !IS_INTEGER
    REDUCTION("nansum", FOLD(nansum))
    REDUCTION("nanmean", FOLD(nanmean))
    REDUCTION("logsumexp", FOLD(logsumexp))
#endif
#endif
    {NULL, NULL, NULL, NULL, 0},
};
#if !IS_INTEGER
static const reduce_kernels norms[NORMS] = {
    REDUCTION("norm", OF_SIZES(norm0)) REDUCTION("norm", OF_SIZES(norm1)) REDUCTION("norm", FOLD(norm2))
    REDUCTION("norm", OF_SIZES(norm_largest)) REDUCTION("norm", OF_SIZES(norm_smallest))};
#define NORMS_OF norms
#else
#define NORMS_OF NULL
#endif
const reduce_table REDUCE_NAME = {table, NORMS_OF, (kt_dtype)values<T>::self, REDUCE_VECTOR, values<T>::reads, values<T>::writes};
