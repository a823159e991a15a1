/* range.cu - values that follow from their index: ranges, unit matrices, bands of matrices. The arithmetic is that of
 * cpu/isa/cast.inc.c, fused where it is there. */
#include <math.h>
#include <stddef.h>

#include "args.h"
#include "dev/values.cuh"
#include "dev/walk.cuh"

/* ---- ranges ---- */
template <class T> static __device__ __forceinline__ T linear(const range_args &g, uint64_t i)
{
    const double  a = g.first, b = g.second, last = (double)g.n - 1, by = g.n > 1 ? (b - a) / last : 0;
    const bool    near = g.n < 2 || i < g.n / 2;
    return to<T>::of(near ? fma(by, (double)i, a) : fma(-by, last - (double)i, b));
}
/* Narrow floats step in themselves. */
template <int D> static __device__ __forceinline__ float narrow_linear(const range_args &g, uint64_t i)
{
    const auto  fit = [](float x) { return (float)dtype<D>::get(dtype<D>::put(x)); };
    const float a = fit((float)g.first), b = fit((float)g.second), last = fit((float)(g.n - 1)), by = fit(fit(b - a) / last);
    return g.n < 2 ? a : i < g.n / 2 ? a + fit(by * fit((float)i)) : b - fit(by * fit((float)(g.n - 1 - i)));
}
template <> __device__ __forceinline__ float linear<float>(const range_args &g, uint64_t i)
{
    if (g.is == KT_F16 || g.is == KT_BF16)
        return g.is == KT_F16 ? narrow_linear<KT_F16>(g, i) : narrow_linear<KT_BF16>(g, i);
    const float a = (float)g.first, b = (float)g.second, by = g.n > 1 ? (b - a) / (float)(g.n - 1) : 0;
    if (g.n < 2)
        return a;
    return (float)(i < g.n / 2 ? fma((double)by, (double)i, (double)a) : fma(-(double)by, (double)(g.n - 1 - i), (double)b));
}

template <class T> static __global__ void __launch_bounds__(ARG_THREADS) linspace(ARGUMENTS(range_args) g)
{
    const uint64_t i = (uint64_t)blockIdx.x * ARG_THREADS + threadIdx.x;
    if (i < g.n)
        values<T>::store(g.to + (int64_t)i * g.step, g.is, linear<T>(g, i));
}

template <class T> static __global__ void __launch_bounds__(ARG_THREADS) arange(ARGUMENTS(range_args) g)
{
    const uint64_t i = (uint64_t)blockIdx.x * ARG_THREADS + threadIdx.x;
    if (i >= g.n)
        return;
    const T v = (T)0.5 != 0 ? to<T>::of(g.first + (double)i * g.second)
                              : (T)((uint64_t)g.first_int + i * (uint64_t)g.second_int);
    values<T>::store(g.to + (int64_t)i * g.step, g.is, v);
}

/* ---- matrices: the last two dims are row and column ---- */
static __device__ __forceinline__ int64_t diagonal_of(const strided_args &g)
{
    const uint32_t i = thread_number(), row = i / g.size[0];
    return (int64_t)(i - row * g.size[0]) - (int64_t)(row % g.size[1]);
}

/* param: the diagonals from and to which elements stay. */
template <class S> static __global__ void __launch_bounds__(ARG_THREADS) band(ARGUMENTS(strided_args) g)
{
    int64_t at[2];
    if (!place(g, at))
        return;
    const int64_t d = diagonal_of(g);
    S             zero;
    memset(&zero, 0, sizeof zero);
    *(S *)(g.flat.at[0].data + at[0]) =
        d >= (int64_t)g.flat.param[0] && d <= (int64_t)g.flat.param[1] ? *(const S *)(memory_of(g.flat.at[1]) + at[1]) : zero;
}

/* The second operand is one; param: its diagonal. */
template <class S> static __global__ void __launch_bounds__(ARG_THREADS) eye(ARGUMENTS(strided_args) g)
{
    int64_t at[1];
    if (!place(g, at))
        return;
    S v;
    memset(&v, 0, sizeof v);
    if (diagonal_of(g) == (int64_t)g.flat.param[0])
        memcpy(&v, g.flat.at[1].value, sizeof v);
    *(S *)(g.flat.at[0].data + at[0]) = v;
}

#define BY_COMPUTE(kernel)                                                                                                \
    {(const void *)kernel<float>, (const void *)kernel<double>, (const void *)kernel<int32_t>, (const void *)kernel<int64_t>}
const void *const arange_kernels[] = BY_COMPUTE(arange), *const linspace_kernels[] = BY_COMPUTE(linspace);
const uint32_t range_dtypes[] = {values<float>::writes, values<double>::writes, values<int32_t>::writes,
                                 values<int64_t>::writes};
#define BY_WIDTH(kernel)                                                                                                  \
    {(const void *)kernel<uint8_t>, (const void *)kernel<uint16_t>, (const void *)kernel<uint32_t>,                       \
     (const void *)kernel<uint64_t>, (const void *)kernel<uint4>}
const void *const band_kernels[] = BY_WIDTH(band), *const eye_kernels[] = BY_WIDTH(eye);
