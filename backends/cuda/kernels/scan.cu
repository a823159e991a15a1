/* scan.cu - scans along lines: each element is made of those up to it. A long line is cut into parts: what each comes to is
 * folded first, then each part is scanned, from what those before it come to. So the order of sums follows from the sizes alone.
 * A part is a block's, or a thread's where lines lie side by side. Sums accumulate as those of reductions do (folds.cuh).
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

/* The extreme so far: of equal values the last; a NaN keeps its place against numbers. The same in any order of joins. */
template <class T, bool LEAST> struct scan_place : light {
    int64_t at = -1;
    T       v = 0;
    __device__ void take(T x, int64_t i, const fold_about &) { v = x, at = i; }
    __device__ void join(const scan_place &other)
    {
        const bool same = other.v == v || (is_nan(other.v) && is_nan(v)), better = LEAST ? other.v < v : other.v > v;
        const bool wins = at < 0 || (same ? other.at > at : is_nan(other.v) || (!is_nan(v) && better));
        v = other.at >= 0 && wins ? other.v : v, at = other.at >= 0 && wins ? other.at : at;
    }
    template <class O> __device__ void end(const fold_about &, O &out) const { out.put(0, v), out.whole(1, at); }
};

/* Elements that a thread has at once. */
template <class T, class F> struct scan_each {
    enum { N = F::heavy || sizeof(T) > 8 ? 1 : 8 };
};

template <class T, int N> struct scan_results {
    T       v[N];
    int64_t place[N];
    int     i;
    __device__ void put(int, T x) { v[i] = x; }
    __device__ void whole(int, int64_t x) { place[i] = x; }
};

/* Elements i to i + N, as many as there are before `end`. */
template <class T, int N>
static __device__ __forceinline__ void load_some(T (&x)[N], const scan_args &g, const char *line, uint64_t i, uint64_t end)
{
    if constexpr (N > 1)
        if (g.vectors & 4 && i + N <= end) {
            raw<N> r;
            raw_load(r, line + i * g.width[2], g.width[2]);
            values<T>::decode(x, r, g.is);
            return;
        }
#pragma unroll
    for (int j = 0; j < N; j++)
        x[j] = i + j < end ? values<T>::load(line + (int64_t)(i + j) * g.step[2], g.is) : T(0);
}

template <class T, int N>
static __device__ __forceinline__ void store_some(const scan_results<T, N> &x, const scan_args &g, char *const (&line)[3],
                                                  uint64_t i, uint64_t end)
{
    const bool whole = i + N <= end;
    bool       stored = false;
    if constexpr (N > 1)
        if (g.vectors & 1 && whole) {
            raw<N> r;
            values<T>::encode(r, x.v, g.out_is[0]);
            raw_store(r, line[0] + i * g.width[0], g.width[0]);
            stored = true;
        }
#pragma unroll
    for (int j = 0; j < N; j++)
        if (!stored && i + j < end)
            values<T>::store(line[0] + (int64_t)(i + j) * g.step[0], g.out_is[0], x.v[j]);
    if (!g.at[1])
        return;
    if constexpr (N > 1)
        if (g.vectors & 2 && whole) {
            raw<N> r;
#pragma unroll
            for (int j = 0; j < N; j++)
                raw_set<int64_t>(r, j, x.place[j]);
            raw_store(r, line[1] + i * sizeof(int64_t), sizeof(int64_t));
            return;
        }
#pragma unroll
    for (int j = 0; j < N; j++)
        if (i + j < end)
            *(int64_t *)(line[1] + (int64_t)(i + j) * g.step[1]) = x.place[j];
}

/* What is of one part of a line: where it begins and ends; false: there is none. */
struct scan_part {
    uint32_t line, part;
    uint64_t begin, end;
    char    *at[3];
};
static __device__ __forceinline__ bool part_of_line(const scan_args &g, uint32_t line, uint32_t part, scan_part &p)
{
    p.line = line, p.part = part;
    p.begin = (uint64_t)part * g.part, p.end = p.begin + g.part < g.length ? p.begin + g.part : g.length;
    for (int k = 0; k < 3; k++)
        p.at[k] = g.at[k];
    if (line >= g.lines || part >= g.parts)
        return false;
    walk(line, g.nd, g.size, g.stride, p.at);
    return true;
}

template <class F> static __device__ __forceinline__ F state_at(const scan_args &g, uint32_t line, uint32_t part)
{
    F state;
    memcpy(&state, g.states + ((uint64_t)line * g.parts + part) * sizeof(F), sizeof(F));
    return state;
}
template <class F> static __device__ __forceinline__ void put_state(const scan_args &g, const scan_part &p, const F &state)
{
    memcpy(g.states + ((uint64_t)p.line * g.parts + p.part) * sizeof(F), &state, sizeof(F));
}

/* ---- a block has a part of a line ---- */

/* What a part comes to. */
template <class T, class F> static __global__ void __launch_bounds__(ARG_THREADS) fold_part(ARGUMENTS(scan_args) g)
{
    enum { N = scan_each<T, F>::N };
    const fold_about about = {0, 0};
    scan_part        p;
    F                mine;
    if (!part_of_line(g, blockIdx.x / g.parts, blockIdx.x % g.parts, p))
        return;
    for (uint64_t i = p.begin + threadIdx.x * N; i < p.end; i += ARG_THREADS * N) {
        T x[N];
        load_some(x, g, p.at[2], i, p.end);
#pragma unroll
        for (int j = 0; j < N; j++) {
            F one;
            one.take(x[j], (int64_t)i + j, about);
            if (i + j < p.end)
                mine.join(one);
        }
    }
    join_lanes(mine, ARG_THREADS);
    if (threadIdx.x == 0)
        put_state(g, p, mine);
}

template <class F> static __device__ __forceinline__ F parts_before(const scan_args &g, const scan_part &p)
{
    F before;
    if (p.part == 0)
        return before;
    for (uint32_t part = threadIdx.x; part < p.part; part += ARG_THREADS)
        before.join(state_at<F>(g, p.line, part));
    join_lanes(before, ARG_THREADS);
    return to_all_lanes(before, ARG_THREADS);
}

/* What the threads before this one have, after `before`, which becomes what all of them have. */
template <class F> static __device__ __forceinline__ F threads_before(const F &mine, F &before)
{
    alignas(16) __shared__ unsigned char room[ARG_THREADS / WARP][sizeof(F)];
    const uint32_t lane = threadIdx.x % WARP, warp = threadIdx.x / WARP;
    F              sum = mine;
#pragma unroll
    for (int away = 1; away < WARP; away *= 2) {
        F earlier = from_lane<BELOW>(sum, away);
        earlier.join(sum);
        if (lane >= (uint32_t)away)
            sum = earlier;
    }
    F ahead = from_lane<BELOW>(sum, 1);
    if (lane == 0)
        ahead = F();
    __syncthreads();
    if (lane == WARP - 1)
        memcpy(room[warp], &sum, sizeof sum);
    __syncthreads();
    for (uint32_t w = 0; w < ARG_THREADS / WARP; w++) {
        F of_warp;
        if (w == warp) {
            F whole = before;
            whole.join(ahead);
            ahead = whole;
        }
        memcpy(&of_warp, room[w], sizeof of_warp);
        before.join(of_warp);
    }
    return ahead;
}

/* The last parts first: those were read last, and may be in the cache still. The next elements are on their way meanwhile. */
template <class T, class F> static __global__ void __launch_bounds__(ARG_THREADS) scan_part_of_line(ARGUMENTS(scan_args) g)
{
    enum { N = scan_each<T, F>::N };
    const fold_about about = {0, 0};
    const uint32_t   line = blockIdx.x / g.parts;
    scan_part        p;
    T                next[N];
    if (!part_of_line(g, line, g.parts - 1 - (blockIdx.x - line * g.parts), p))
        return;
    load_some(next, g, p.at[2], p.begin + threadIdx.x * N, p.end);
    F before = parts_before<F>(g, p);
    for (uint64_t first = p.begin; first < p.end; first += ARG_THREADS * N) {
        const uint64_t     i = first + threadIdx.x * N;
        scan_results<T, N> out;
        T                  x[N];
        F                  mine;
#pragma unroll
        for (int j = 0; j < N; j++)
            x[j] = next[j];
        load_some(next, g, p.at[2], i + ARG_THREADS * N, p.end);
#pragma unroll
        for (int j = 0; j < N; j++)
            if (i + j < p.end) {
                F one;
                one.take(x[j], (int64_t)i + j, about);
                mine.join(one);
            }
        F running = threads_before(mine, before);
#pragma unroll
        for (int j = 0; j < N; j++)
            if (i + j < p.end) {
                F one;
                one.take(x[j], (int64_t)i + j, about);
                running.join(one);
                out.i = j;
                running.end(about, out);
            }
        store_some(out, g, p.at, i, p.end);
    }
}

/* ---- a thread has a part of a line: of lines side by side, and of short ones ---- */
enum { SCAN_AHEAD = 4 }; /* elements that are on their way at once */

template <class T, class F, bool WRITES>
static __device__ __forceinline__ void go_along(const scan_args &g, const scan_part &p, F &running)
{
    const fold_about about = {0, 0};
    for (uint64_t i = p.begin; i < p.end; i += SCAN_AHEAD) {
        T x[SCAN_AHEAD];
#pragma unroll
        for (int j = 0; j < SCAN_AHEAD; j++)
            x[j] = i + j < p.end ? values<T>::load(p.at[2] + (int64_t)(i + j) * g.step[2], g.is) : T(0);
#pragma unroll
        for (int j = 0; j < SCAN_AHEAD; j++)
            if (i + j < p.end) {
                F one;
                one.take(x[j], (int64_t)i + j, about);
                running.join(one);
                if constexpr (WRITES) {
                    scan_results<T, 1> out;
                    out.i = 0;
                    running.end(about, out);
                    store_some(out, g, p.at, i + j, p.end);
                }
            }
    }
}

static __device__ __forceinline__ bool part_of_thread(const scan_args &g, scan_part &p)
{
    const uint64_t thread = (uint64_t)blockIdx.x * ARG_THREADS + threadIdx.x;
    return part_of_line(g, (uint32_t)(thread % g.lines), (uint32_t)(thread / g.lines), p);
}
template <class T, class F> static __global__ void __launch_bounds__(ARG_THREADS) fold_abreast(ARGUMENTS(scan_args) g)
{
    scan_part p;
    F         running;
    if (!part_of_thread(g, p))
        return;
    go_along<T, F, false>(g, p, running);
    put_state(g, p, running);
}
template <class T, class F> static __global__ void __launch_bounds__(ARG_THREADS) scan_abreast(ARGUMENTS(scan_args) g)
{
    scan_part p;
    F         running;
    if (!part_of_thread(g, p))
        return;
    for (uint32_t part = 0; part < p.part; part++)
        running.join(state_at<F>(g, p.line, part));
    go_along<T, F, true>(g, p, running);
}

#define SCAN(T, F)                                                                                                        \
    {{(const void *)fold_part<T, F>, (const void *)fold_abreast<T, F>},                                                   \
     {(const void *)scan_part_of_line<T, F>, (const void *)scan_abreast<T, F>}, sizeof(F), scan_each<T, F>::N}
#define LEAST_OF(T) scan_place<T, true>
#define MOST_OF(T)  scan_place<T, false>
#define NO_SCAN     {{NULL, NULL}, {NULL, NULL}, 0, 0}
#define SCANS(T, LOG)                                                                                                     \
    {SCAN(T, fold_sum<T>), SCAN(T, fold_prod<T>), SCAN(T, MOST_OF(T)), SCAN(T, LEAST_OF(T)), LOG}
#define COMPLEX_SCANS(T)                                                                                                  \
    {SCAN(T, fold_complex_sum<T>), SCAN(T, fold_complex_prod<T>), NO_SCAN, NO_SCAN, SCAN(T, fold_complex_log_sum<T>)}
const scan_way scan_kernels[][SCAN_KINDS] = {SCANS(float, SCAN(float, fold_logsumexp<float>)),
                                             SCANS(double, SCAN(double, fold_logsumexp<double>)), SCANS(int32_t, NO_SCAN),
                                             SCANS(int64_t, NO_SCAN), {NO_SCAN, NO_SCAN, NO_SCAN, NO_SCAN, NO_SCAN},
                                             COMPLEX_SCANS(kt__c64), COMPLEX_SCANS(kt__c128)};
const uint32_t scan_reads[] = {values<float>::reads, values<double>::reads, values<int32_t>::reads, values<int64_t>::reads, 0,
                               values<kt__c64>::reads, values<kt__c128>::reads};
const uint32_t scan_writes[] = {values<float>::writes, values<double>::writes, values<int32_t>::writes, values<int64_t>::writes,
                                0, values<kt__c64>::writes, values<kt__c128>::writes};
