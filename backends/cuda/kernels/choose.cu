/* choose.cu - draws that look at tensors: a probability for each element, and categories by their weights.
 *
 * Without replacement weights are divided by exponential draws and the largest quotients win; with it a draw is looked up in the
 * sums of the weights before. Independent of: how lines are sorted. */
#include "args.h"
#include "dev/fault.cuh"
#include "dev/group.cuh"
#include "dev/philox.cuh"
#include "dev/values.cuh"

/* ---- bernoulli: a thread draws for four elements that lie side by side ---- */
template <class W> static __global__ void __launch_bounds__(ARG_THREADS) bernoulli_each(ARGUMENTS(each_args) g)
{
    const uint64_t t = (uint64_t)blockIdx.x * ARG_THREADS + threadIdx.x;
    if (t * DRAWS >= g.n)
        return;
    const uint4    d = philox(seed_of(g), t, first_step(g));
    const uint32_t draw[DRAWS] = {d.x, d.y, d.z, d.w};
#pragma unroll
    for (int k = 0; k < DRAWS; k++) {
        const uint64_t at = t * DRAWS + k;
        if (at >= g.n)
            break;
        const char  *from = g.from + at * g.step;
        const double p = g.from_is == KT_F64 ? values<double>::load(from, KT_F64) : (double)values<float>::load(from, g.from_is);
        if (!(p >= 0 && p <= 1))
            report(g.fault, kt_fault{KT_FAULT_BERNOULLI, 0, 0, 0});
        values<W>::store(g.to + at * g.width, g.is, (W)((double)unit(draw[k]) <= p));
    }
}

/* ---- categories ---- */

/* x as an element of that dtype holds it. */
static __device__ __forceinline__ float  rounded(float x, int is)
{
    return is == KT_BF16  ? dtype<KT_BF16>::get(dtype<KT_BF16>::put(x))
           : is == KT_F16 ? dtype<KT_F16>::get(dtype<KT_F16>::put(x))
                          : x;
}
static __device__ __forceinline__ double rounded(double x, int) { return x; }

/* A block has a row. */
template <class T> static __global__ void __launch_bounds__(ARG_THREADS) weigh(ARGUMENTS(choose_args) g)
{
    const uint64_t row = blockIdx.x;
    if (row >= g.rows)
        return;
    plain_sum sum;
    for (uint64_t i = threadIdx.x; i < g.categories; i += ARG_THREADS) {
        const T w = values<T>::load(g.weights + row * g.row_apart + i * g.apart, g.is);
        T       u;
        if (!(w >= 0 && w < (T)INFINITY))
            report(g.fault, kt_fault{KT_FAULT_WEIGHT, 0, 0, 0});
        unit_at(u, row * g.categories + i, g);
        ((T *)g.room)[row * g.categories + i] = rounded(w / rounded(exponential(u, (T)1), g.is), g.is);
        sum.s += (double)w;
    }
    join_lanes(sum, ARG_THREADS);
    if (threadIdx.x == 0 && sum.s == 0)
        report(g.fault, kt_fault{KT_FAULT_WEIGHT_SUM, 0, 0, 0});
}

static __global__ void __launch_bounds__(ARG_THREADS) take_first(ARGUMENTS(choose_args) g)
{
    const uint64_t i = (uint64_t)blockIdx.x * ARG_THREADS + threadIdx.x, row = i / g.samples;
    if (row < g.rows)
        g.to[i] = g.order[row * g.categories + i % g.samples];
}

/* Sums of a row's weights up to each: a thread has those that lie side by side, the sums of the threads before it first. */
template <class T> static __global__ void __launch_bounds__(ARG_THREADS) sum_up(ARGUMENTS(choose_args) g)
{
    const uint64_t row = blockIdx.x, each = (g.categories + ARG_THREADS - 1) / ARG_THREADS, begin = threadIdx.x * each;
    const uint64_t end = begin + each < g.categories ? begin + each : g.categories;
    if (row >= g.rows)
        return;
    __shared__ double before[ARG_THREADS];
    double           *to = (double *)g.room + row * g.categories, sum = 0;
    for (uint64_t i = begin; i < end; i++) {
        const double w = (double)values<T>::load(g.weights + row * g.row_apart + i * g.apart, g.is);
        if (!(w >= 0))
            report(g.fault, kt_fault{KT_FAULT_WEIGHT_NEGATIVE, 0, 0, 0});
        else if (w == INFINITY)
            report(g.fault, kt_fault{KT_FAULT_WEIGHT_INFINITE, 0, 0, 0});
        sum += w >= 0 && w < INFINITY ? w : 0;
        to[i] = sum;
    }
    before[threadIdx.x] = sum;
    __syncthreads();
    if (threadIdx.x == 0) {
        double all = 0;
        for (int i = 0; i < ARG_THREADS; i++) {
            const double own = before[i];
            before[i] = all;
            all += own;
        }
        if (!(all > 0))
            report(g.fault, kt_fault{KT_FAULT_WEIGHT_SUM, 0, 0, 0});
    }
    __syncthreads();
    for (uint64_t i = begin; i < end; i++)
        to[i] += before[threadIdx.x];
}

/* The first category whose sum reaches the draw. A thread of its own draws each sample, in blocks of CHOOSE_ACROSS a row. */
static __global__ void __launch_bounds__(ARG_THREADS) pick(ARGUMENTS(choose_args) g)
{
    const uint64_t i = (uint64_t)blockIdx.x * ARG_THREADS + threadIdx.x, row = i / g.samples;
    if (row >= g.rows)
        return;
    const uint64_t across = (g.samples + CHOOSE_ACROSS - 1) / CHOOSE_ACROSS * CHOOSE_ACROSS;
    const double  *sums = (const double *)g.room + row * g.categories;
    const uint32_t draw = philox(seed_of(g), row * across + i % g.samples, first_step(g)).x;
    const double   wanted = (double)unit(draw) * sums[g.categories - 1];
    uint64_t       left = 0, right = g.categories - 1;
    while (left < right) {
        const uint64_t middle = left + (right - left) / 2;
        if (sums[middle] < wanted)
            left = middle + 1;
        else
            right = middle;
    }
    g.to[i] = (int64_t)left;
}

const each_kernels each_table[] = {{values<float>::writes, (const void *)bernoulli_each<float>},
                                   {values<int64_t>::writes, (const void *)bernoulli_each<int64_t>},
                                   {1u << KT_F64, (const void *)bernoulli_each<double>},
                                   {0, NULL}};
const choose_kernels choose_table[2] = {
    {(const void *)weigh<float>, (const void *)sum_up<float>}, {(const void *)weigh<double>, (const void *)sum_up<double>}};
const void *const pick_kernel = (const void *)pick, *const take_first_kernel = (const void *)take_first;
