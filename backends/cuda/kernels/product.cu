/* product.cu - matrix products of any dtype and layout: what the library does not take, and integers. Tiles of 32 x 32 results in
 * shared memory, four results a thread. */
#include <stddef.h>

#include "args.h"
#include "dev/values.cuh"
#include "dev/walk.cuh"

enum { SIDE = 32, ROWS = ARG_THREADS / SIDE, EACH = SIDE / ROWS };

static __device__ __forceinline__ float   times_plus(float a, float b, float c) { return fmaf(a, b, c); }
static __device__ __forceinline__ double  times_plus(double a, double b, double c) { return fma(a, b, c); }
static __device__ __forceinline__ int32_t times_plus(int32_t a, int32_t b, int32_t c)
{
    return (int32_t)((uint32_t)a * (uint32_t)b + (uint32_t)c);
}
static __device__ __forceinline__ int64_t times_plus(int64_t a, int64_t b, int64_t c)
{
    return (int64_t)((uint64_t)a * (uint64_t)b + (uint64_t)c);
}

template <class C> static __device__ __forceinline__ C complex_times_plus(C a, C b, C c)
{
    return C(times_plus(-a.im, b.im, times_plus(a.re, b.re, c.re)), times_plus(a.im, b.re, times_plus(a.re, b.im, c.im)));
}
static __device__ __forceinline__ kt__c64  times_plus(kt__c64 a, kt__c64 b, kt__c64 c) { return complex_times_plus(a, b, c); }
static __device__ __forceinline__ kt__c128 times_plus(kt__c128 a, kt__c128 b, kt__c128 c) { return complex_times_plus(a, b, c); }

/* Not by times_plus, whose 0 would take the sign of -0. */
static __device__ __forceinline__ float   times(float a, float b) { return a * b; }
static __device__ __forceinline__ double  times(double a, double b) { return a * b; }
static __device__ __forceinline__ int32_t times(int32_t a, int32_t b) { return (int32_t)((uint32_t)a * (uint32_t)b); }
static __device__ __forceinline__ int64_t times(int64_t a, int64_t b) { return (int64_t)((uint64_t)a * (uint64_t)b); }

template <class C> static __device__ __forceinline__ C complex_times(C a, C b)
{
    return C(a.re * b.re - a.im * b.im, a.re * b.im + a.im * b.re);
}
static __device__ __forceinline__ kt__c64  times(kt__c64 a, kt__c64 b) { return complex_times(a, b); }
static __device__ __forceinline__ kt__c128 times(kt__c128 a, kt__c128 b) { return complex_times(a, b); }

template <class T> static __device__ __forceinline__ T factor(const product_args &g, int i)
{
    T f;
    memcpy(&f, g.factor[i], sizeof f);
    return f;
}

template <class T> static __global__ void __launch_bounds__(ARG_THREADS) product(ARGUMENTS(product_args) g)
{
    alignas(16) __shared__ unsigned char rooms[2][SIDE * (SIDE + 1) * sizeof(T)]; /* a complex T has a constructor */
    T (*const left)[SIDE + 1] = (T (*)[SIDE + 1])rooms[0], (*const right)[SIDE + 1] = (T (*)[SIDE + 1])rooms[1];
    const uint32_t tiles_n = (g.n + SIDE - 1) / SIDE, tiles_m = (g.m + SIDE - 1) / SIDE;
    const uint32_t above = blockIdx.x / tiles_n, tile_n = blockIdx.x - above * tiles_n, tile_m = above % tiles_m;
    const uint32_t x = threadIdx.x % SIDE, y = threadIdx.x / SIDE, column = tile_n * SIDE + x;
    char          *at[4] = {g.at[0], g.at[1], g.at[2], g.at[3]};
    T              sum[EACH];
    if (walk(above / tiles_m, g.nd, g.size, g.stride, at))
        return; /* all threads of the block */
#pragma unroll
    for (int e = 0; e < EACH; e++)
        sum[e] = (T)0;
    for (uint32_t k = 0; k < g.k; k += SIDE) {
#pragma unroll
        for (int e = 0; e < EACH; e++) {
            const uint32_t row = tile_m * SIDE + y + e * ROWS, deep = k + x, deep_row = k + y + e * ROWS;
            left[y + e * ROWS][x] =
                row < g.m && deep < g.k ? values<T>::load(at[1] + row * g.row[1] + deep * g.column[1], g.is[1]) : (T)0;
            right[y + e * ROWS][x] = deep_row < g.k && column < g.n
                                         ? values<T>::load(at[2] + deep_row * g.row[2] + column * g.column[2], g.is[2])
                                         : (T)0;
        }
        __syncthreads();
#pragma unroll 8
        for (int i = 0; i < SIDE; i++)
#pragma unroll
            for (int e = 0; e < EACH; e++)
                sum[e] = times_plus(left[y + e * ROWS][i], right[i][x], sum[e]);
        __syncthreads();
    }
#pragma unroll
    for (int e = 0; e < EACH; e++) {
        const uint32_t row = tile_m * SIDE + y + e * ROWS;
        if (row >= g.m || column >= g.n)
            continue;
        T v = g.scaled && g.k ? times(factor<T>(g, 0), sum[e]) : sum[e]; /* nothing times infinity is nothing */
        if (g.added) {
            const T c = values<T>::load(at[3] + row * g.row[3] + column * g.column[3], g.is[3]);
            const T part = g.scaled ? times(factor<T>(g, 1), c) : c;
            v = g.k ? times_plus((T)1, part, v) : part;
        }
        values<T>::store(at[0] + row * g.row[0] + column * g.column[0], g.is[0], v);
    }
}

#define OF_ALL(F) F(float), F(double), F(int32_t), F(int64_t), F(none), F(kt__c64), F(kt__c128) /* by compute type */
struct none {};
template <class T> struct about {
    static const void *kernel() { return (const void *)product<T>; }
    enum : uint32_t { reads = values<T>::reads, writes = values<T>::writes };
};
template <> struct about<none> {
    static const void *kernel() { return NULL; }
    enum : uint32_t { reads = 0, writes = 0 };
};
#define KERNEL_OF(T) about<T>::kernel()
#define READS_OF(T)  about<T>::reads
#define WRITES_OF(T) about<T>::writes
const void *const product_kernels[] = {OF_ALL(KERNEL_OF)};
const uint32_t    product_reads[] = {OF_ALL(READS_OF)};
const uint32_t    product_writes[] = {OF_ALL(WRITES_OF)};
