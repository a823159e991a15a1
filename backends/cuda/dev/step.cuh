/* step.cuh - steps of optimizers in one compute type. A template: the includer includes dev/values.cuh and defines T, FN and
 * MATH, STEPS_NAME, the table, and STEP_DTYPES, the dtypes of arrays.
 *
 * In: step_args, as far as a kind has arrays. Out: parameters, states and, where they are unscaled, gradients, updated in one
 * pass. A block has a chunk of one parameter; its first thread calculates the numbers of the step. What happens to an element
 * stands in math/step.inc.c. Independent of: plans, lists of tensors. */
#include "args.h"
#include "dev/walk.cuh"
#include "math/fma.h"
#include "tables/kernels/optimizer.h"

#include "math/step.inc.c"

typedef FN(step_numbers) step_numbers;

enum { STEP_BLOCKS = sizeof(T) == 4 ? 3 : 1 }; /* on a multiprocessor, at least */

static __device__ double number_at(const char *p, int is)
{
    switch (is) {
#define NUMBER(ID)                                                                                                        \
    case KT_##ID:                                                                                                         \
        return to<double>::of(dtype<KT_##ID>::get(*(const dtype<KT_##ID>::S *)p));
        NUMBER(F32) NUMBER(F64) NUMBER(F16) NUMBER(BF16) NUMBER(I64) NUMBER(I32)
#undef NUMBER
    }
    return 0;
}

static __device__ double number_of(const step_number &x) { return x.at ? number_at(x.at, (int)x.is) : x.value; }

template <int KIND> struct step_kind_of {
    enum {
        gradient = KIND == STEP_ADAM ? 3 : KIND == STEP_AMSGRAD ? 4 : KIND == STEP_UNSCALE ? 0 : KIND == STEP_SGD ? 1 : 2,
        arrays = gradient + 1
    };
};

template <int KIND> struct step_args_of { /* the beginning of step_args */
    step_list list;
    char     *at[step_kind_of<KIND>::arrays][STEP_MOST];
};

/* By one thread of a block. false: the step is left out. */
template <int KIND> static __device__ bool make_numbers(step_numbers &by, const step_list &g, uint32_t which)
{
    const step_common &c = g.common;
    const double       rate = number_of(c.rate);
    if (KIND == STEP_UNSCALE) {
        by.scale = (T)rate;
        return true;
    }
    by.scale = c.flags & KT__STEP_SCALED ? (T)number_of(c.scale) : (T)1;
    by.sign = c.flags & KT__STEP_MAXIMIZES ? (T)-1 : (T)1;
    if (c.flags & KT__STEP_WATCHED && number_of(c.found) == 1)
        return false;
    double step;
    memcpy(&step, &g.own[which], sizeof step);
    if (c.step_is != KT_NONE)
        step = number_at((const char *)g.own[which], c.step_is);
    if (KIND == STEP_ADAM || KIND == STEP_AMSGRAD)
        FN(adam_numbers)(&by, (c.flags & KT__STEP_DECOUPLED) != 0, rate, c.param[0], c.param[1], pow(c.param[0], step),
                         pow(c.param[1], step), c.param[2], c.param[3]);
    else if (KIND == STEP_ADAGRAD)
        FN(adagrad_numbers)(&by, rate, step, c.param[0], c.param[1], c.param[2]);
    else
        FN(sgd_numbers)(&by, rate, c.param[0], c.param[1], c.param[2]);
    return true;
}

/* One element of each array; `g` is the gradient. */
template <int KIND, int N>
static __device__ __forceinline__ void step_of(T (&x)[N], T g, const step_numbers &by, uint32_t flags)
{
    const bool decoupled = (flags & KT__STEP_DECOUPLED) != 0;
    const T    follow = FN(followed)(g, x[0], by.sign, by.decay, by.decays && !decoupled);
    if constexpr (KIND == STEP_ADAM || KIND == STEP_AMSGRAD) {
        const T parameter = by.decays && decoupled ? x[0] * by.decay : x[0];
        x[1] = FN(adam_mean)(x[1], follow, by.weight, by.from_gradient);
        x[2] = FN(adam_variance)(x[2], follow, by.square, by.square_rest);
        T variance = x[2];
        if constexpr (KIND == STEP_AMSGRAD)
            variance = x[3] = FN(adam_largest)(x[3], variance);
        x[0] = FN(adam_parameter)(parameter, x[1], variance, by.rate, by.root, by.eps);
    } else if constexpr (KIND == STEP_ADAGRAD) {
        x[1] = FN(adagrad_sum)(x[1], follow);
        x[0] = FN(adagrad_parameter)(x[0], follow, x[1], by.rate, by.eps);
    } else if constexpr (KIND == STEP_BUFFERED) {
        x[1] = FN(sgd_buffer)(x[1], follow, by.momentum, by.share, (flags & KT__STEP_FIRST) != 0);
        x[0] = FN(sgd_parameter)(x[0], FN(sgd_direction)(x[1], follow, by.momentum, (flags & KT__STEP_NESTEROV) != 0), by.rate);
    } else if constexpr (KIND == STEP_SGD) {
        x[0] = FN(sgd_parameter)(x[0], follow, by.rate);
    }
}

/* V elements of an array in memory: dense, and whole or the first n of them; or one, anywhere. Arrays are of T's width or of half
 * of it. */
template <int V> static __device__ __forceinline__ void load_some(raw<V> &r, const char *from, int width, int n)
{
    if (n != V)
        raw_gather(r, from, width, width, n);
    else if (width == sizeof(T))
        load_bytes<V * sizeof(T)>(r, from);
    else
        load_bytes<V * sizeof(T) / 2>(r, from);
}
template <int V> static __device__ __forceinline__ void store_some(const T (&v)[V], char *to, int is, int width, int n)
{
    raw<V> r;
    values<T>::encode(r, v, is);
    if (n != V)
        raw_scatter(r, to, width, width, n);
    else if (width == sizeof(T))
        store_bytes<V * sizeof(T)>(r, to);
    else
        store_bytes<V * sizeof(T) / 2>(r, to);
}

/* V elements of each array that a step has. */
template <int KIND, int V> struct step_vectors {
    raw<V> of[step_kind_of<KIND>::arrays];
};

/* Where all arrays are of T's own dtype (OWN), nothing is asked for each vector. */
template <bool OWN> static __device__ __forceinline__ int width_of(const step_common &c, int k)
{
    return OWN ? (int)sizeof(T) : c.width[k];
}
template <bool OWN> static __device__ __forceinline__ int is_of(const step_common &c, int k)
{
    return OWN ? (int)values<T>::self : c.is[k];
}

/* n of them; at(k): where those of array k lie. */
template <bool OWN, int KIND, int V, class P>
static __device__ __forceinline__ void load_vectors(step_vectors<KIND, V> &x, const step_common &c, P at, int n)
{
#pragma unroll
    for (int k = 0; k < step_kind_of<KIND>::arrays; k++)
        load_some(x.of[k], at(k), width_of<OWN>(c, k), n);
}

template <bool OWN, int KIND, int V, class P>
static __device__ __forceinline__ void step_some(const step_list &g, const step_vectors<KIND, V> &x, P at, int n,
                                                 const step_numbers &by, uint32_t which)
{
    enum { G = step_kind_of<KIND>::gradient, N = step_kind_of<KIND>::arrays };
    const step_common &c = g.common;
    T                  v[N][V];
#pragma unroll
    for (int k = 0; k < N; k++)
        values<T>::decode(v[k], x.of[k], is_of<OWN>(c, k));
    if constexpr (KIND == STEP_UNSCALE) {
        bool endless = false;
#pragma unroll
        for (int i = 0; i < V; i++) {
            endless |= i < n && FN(is_endless)(v[0][i]);
            v[0][i] *= by.scale;
        }
        if (endless)
            *(float *)g.own[which] = 1;
        if (by.scale != 1)
            store_some(v[0], at(0), is_of<OWN>(c, 0), width_of<OWN>(c, 0), n);
        return;
    }
    if (c.flags & KT__STEP_SCALED) {
#pragma unroll
        for (int i = 0; i < V; i++)
            v[G][i] /= by.scale;
        store_some(v[G], at(G), is_of<OWN>(c, G), width_of<OWN>(c, G), n);
    }
#pragma unroll
    for (int i = 0; i < V; i++) {
        T x[N];
#pragma unroll
        for (int k = 0; k < N; k++)
            x[k] = v[k][i];
        step_of<KIND>(x, x[G], by, c.flags);
#pragma unroll
        for (int k = 0; k < G; k++)
            v[k][i] = x[k];
    }
#pragma unroll
    for (int k = 0; k < G; k++)
        store_some(v[k], at(k), is_of<OWN>(c, k), width_of<OWN>(c, k), n);
}

/* The numbers for all threads of a block; false: there is nothing to do. */
template <int KIND> static __device__ bool begin_step(step_numbers &by, const step_list &g, uint32_t which)
{
    __shared__ step_numbers made;
    __shared__ bool         goes;
    if (threadIdx.x == 0)
        goes = make_numbers<KIND>(made, g, which);
    __syncthreads();
    by = made;
    return goes;
}

/* The next vectors are on their way while a step is made, the first ones while its numbers are. */
template <int KIND, bool OWN>
static __global__ void __launch_bounds__(ARG_THREADS, STEP_BLOCKS) step_dense(ARGUMENTS(step_args_of<KIND>) all)
{
    enum { V = STEP_VECTOR, ALL = ARG_THREADS * V };
    const step_list &g = all.list;
    const uint32_t which = owner_of_block(g.first_block, g.count);
    const uint64_t first = (uint64_t)(blockIdx.x - g.first_block[which]) * g.chunk, left = g.n[which] - first;
    const uint32_t mine = left < g.chunk ? (uint32_t)left : g.chunk;
    const auto     from = [&](uint32_t i) {
        return [&, i](int k) { return all.at[k][which] + (first + i) * width_of<OWN>(g.common, k); };
    };
    const auto many = [&](uint32_t i) { return i >= mine ? 0 : mine - i < V ? (int)(mine - i) : (int)V; };
    step_numbers          by;
    step_vectors<KIND, V> here, ahead;
    uint32_t              i = threadIdx.x * V;
    if (many(i))
        load_vectors<OWN>(here, g.common, from(i), many(i));
    if (!begin_step<KIND>(by, g, which))
        return;
    for (; many(i); i += ALL) {
        if (many(i + ALL))
            load_vectors<OWN>(ahead, g.common, from(i + ALL), many(i + ALL));
        step_some<OWN>(g, here, from(i), many(i), by, which);
        here = ahead;
    }
}

template <int KIND> static __global__ void __launch_bounds__(ARG_THREADS) step_any(ARGUMENTS(step_args_of<KIND>) all)
{
    enum { N = step_kind_of<KIND>::arrays };
    const step_list &g = all.list;
    step_numbers     by;
    if (!begin_step<KIND>(by, g, 0))
        return;
    const uint64_t end = (uint64_t)(blockIdx.x + 1) * g.chunk < g.n[0] ? (uint64_t)(blockIdx.x + 1) * g.chunk : g.n[0];
    for (uint64_t i = (uint64_t)blockIdx.x * g.chunk + threadIdx.x; i < end; i += ARG_THREADS) {
        step_vectors<KIND, 1> x;
        int64_t               away[N] = {0};
        walk((uint32_t)i, g.nd, g.size, g.stride, away);
        const auto at = [&](int k) { return all.at[k][0] + away[k]; };
        load_vectors<false>(x, g.common, at, 1);
        step_some<false>(g, x, at, 1, by, 0);
    }
}

#define DENSE(KIND) (const void *)step_dense<KIND, false>
#define OWN(KIND)   (const void *)step_dense<KIND, true>
#define ANY(KIND)   (const void *)step_any<KIND>
#define OF_KINDS(F) {F(STEP_ADAM), F(STEP_AMSGRAD), F(STEP_SGD), F(STEP_BUFFERED), F(STEP_ADAGRAD), F(STEP_UNSCALE)}
#define ARRAY_BIT(ID) | 1u << KT_##ID
const step_table STEPS_NAME = {OF_KINDS(DENSE), OF_KINDS(OWN), OF_KINDS(ANY), 0 STEP_DTYPES(ARRAY_BIT), 0 STEP_DTYPES(ARRAY_BIT)};
