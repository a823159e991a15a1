/* poisson.cu - counts by a rate for each element, by NVIDIA's own draw (curand_kernel.h), which PyTorch's numbers are of:
 * element i is the first count of subsequence i. */
#ifndef KT_ON_CPU
#include <curand_kernel.h>
#endif

#include "args.h"
#include "dev/fault.cuh"
#include "dev/philox.cuh"
#include "dev/values.cuh"

#ifdef KT_ON_CPU
const void *const poisson_kernels[2] = {NULL, NULL};
#else
template <class T> static __global__ void __launch_bounds__(ARG_THREADS) poisson(ARGUMENTS(each_args) g)
{
    const uint64_t at = (uint64_t)blockIdx.x * ARG_THREADS + threadIdx.x;
    if (at >= g.n)
        return;
    const double rate = (double)values<T>::load(g.from + at * g.step, g.from_is);
    if (!(rate >= 0))
        report(g.fault, kt_fault{KT_FAULT_POISSON, 0, 0, 0});
    curandStatePhilox4_32_10_t state;
    curand_init(seed_of(g), at, g.offset + (g.replay ? g.replay[1] : 0), &state);
    values<T>::store(g.to + at * g.width, g.is, (T)curand_poisson(&state, rate >= 0 ? rate : 0));
}

const void *const poisson_kernels[2] = {(const void *)poisson<float>, (const void *)poisson<double>};
#endif
