/* scan.cu - scans along lines: each element is made of those up to it. A block works at a line, ARG_THREADS elements at a time;
 * sums accumulate as those of reductions do (folds.cuh). Any layout.
 *
 * Within a warp: W. D. Hillis and G. L. Steele, Data parallel algorithms, Communications of the ACM 29 (1986). */
#include <stddef.h>

#include "args.h"
#include "dev/complex.cuh"
#include "dev/folds_complex.cuh"
#include "dev/group.cuh"
#include "dev/values.cuh"
#include "dev/walk.cuh"
#include "math/special_complex.c"

/* log(exp(...) + ...) of complex numbers */
template <class T> struct fold_complex_log_sum : weighty {
    kt__c128 s = kt__c128(-INFINITY, 0);
    __device__ void take(T x, int64_t, const fold_about &) { s = kt__c128(x.re, x.im); }
    __device__ void join(const fold_complex_log_sum &later)
    {
        s = later.s.re == -INFINITY ? s : s.re == -INFINITY ? later.s : kt__complex_logaddexp(later.s, s);
    }
    template <class O> __device__ void end(const fold_about &, O &out) const { out.put(0, complex_of<T>::make(s.re, s.im)); }
};

/* The extreme so far: of equal values the last; a NaN keeps its place against numbers. */
template <class T, bool LEAST> struct scan_place : light {
    int64_t at = -1;
    T       v = 0;
    __device__ void take(T x, int64_t i, const fold_about &) { v = x, at = i; }
    __device__ void join(const scan_place &later)
    {
        const bool wins = later.at >= 0 && (at < 0 || is_nan(later.v) || (LEAST ? later.v <= v : later.v >= v));
        v = wins ? later.v : v, at = wins ? later.at : at;
    }
    template <class O> __device__ void end(const fold_about &, O &out) const { out.put(0, v), out.whole(1, at); }
};

template <class T> struct scan_results {
    const scan_args &g;
    char            *at[2];
    __device__ void put(int k, T v) { values<T>::store(at[k], g.out_is[k], v); }
    __device__ void whole(int k, int64_t v) { *(int64_t *)at[k] = v; }
};

template <class T, class F> static __global__ void __launch_bounds__(ARG_THREADS) scan(ARGUMENTS(scan_args) g)
{
    alignas(16) __shared__ unsigned char room[ARG_THREADS / WARP + 1][sizeof(F)];
    const uint32_t lane = threadIdx.x % WARP, warp = threadIdx.x / WARP;
    char          *at[3] = {g.at[0], g.at[1], g.at[2]};
    if (walk(blockIdx.x, g.nd, g.size, g.stride, at))
        return;
    const fold_about about = {0, 0};
    F                before; /* of all elements before these */
    for (uint64_t first = 0; first < g.length; first += ARG_THREADS) {
        const uint64_t i = first + threadIdx.x;
        F              mine;
        if (i < g.length)
            mine.take(values<T>::load(at[2] + (int64_t)i * g.step[2], g.is), (int64_t)i, about);
#pragma unroll
        for (int away = 1; away < WARP; away *= 2) {
            F earlier = from_lane<BELOW>(mine, away);
            earlier.join(mine);
            if (lane >= (uint32_t)away)
                mine = earlier;
        }
        __syncthreads();
        if (lane == WARP - 1)
            memcpy(room[warp], &mine, sizeof mine);
        __syncthreads();
        F all = before, part;
        for (uint32_t w = 0; w < ARG_THREADS / WARP; w++) {
            if (w == warp) {
                F whole = all;
                whole.join(mine);
                mine = whole;
            }
            memcpy(&part, room[w], sizeof part);
            all.join(part);
        }
        before = all;
        if (i < g.length) {
            scan_results<T> out = {g, {at[0] + (int64_t)i * g.step[0], at[1] + (int64_t)i * g.step[1]}};
            mine.end(about, out);
        }
    }
}

#define SCAN(T, F) (const void *)scan<T, F>
#define SCANS(T, LOG)                                                                                                     \
    {SCAN(T, fold_sum<T>), SCAN(T, fold_prod<T>), (const void *)scan<T, scan_place<T, false>>,                            \
     (const void *)scan<T, scan_place<T, true>>, LOG}
#define COMPLEX_SCANS(T)                                                                                                  \
    {SCAN(T, fold_complex_sum<T>), SCAN(T, fold_complex_prod<T>), NULL, NULL, SCAN(T, fold_complex_log_sum<T>)}
const void *const scan_kernels[][SCAN_KINDS] = {SCANS(float, SCAN(float, fold_logsumexp<float>)),
                                                SCANS(double, SCAN(double, fold_logsumexp<double>)), SCANS(int32_t, NULL),
                                                SCANS(int64_t, NULL), {NULL, NULL, NULL, NULL, NULL}, COMPLEX_SCANS(kt__c64),
                                                COMPLEX_SCANS(kt__c128)};
const uint32_t scan_reads[] = {values<float>::reads, values<double>::reads, values<int32_t>::reads, values<int64_t>::reads, 0,
                               values<kt__c64>::reads, values<kt__c128>::reads};
const uint32_t scan_writes[] = {values<float>::writes, values<double>::writes, values<int32_t>::writes, values<int64_t>::writes,
                                0, values<kt__c64>::writes, values<kt__c128>::writes};
