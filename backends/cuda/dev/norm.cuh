/* norm.cuh - layer and root-mean-square norms of rows, and what flows back through them, in one compute type. A template: the
 * includer defines COMPUTE, NORM_NAME, the table, OF_DTYPES, the dtypes of x, NARROW_GRADIENTS, the pairs of one and that of
 * narrower gradients, and IN_WARPS, the kernel whose warps have rows back, or NULL.
 *
 * In: norm_args. Out: the results and the statistics, or gradients. Forward a warp or a block works at a row, which stays in
 * registers where it is short: the mean is known before squares are summed. Back a block goes through rows, short ones side by
 * side, and each thread keeps the sums of its columns; a second kernel adds the blocks' sums in their order. Sums of rows are
 * doubles to which those of a vector are added at once. */
#include "args.h"
#include "dev/ahead.cuh"
#include "dev/early.cuh"
#include "dev/group.cuh"
#include "dev/values.cuh"

typedef COMPUTE T;

template <int D> struct width_in {
    enum { value = sizeof(typename dtype<D>::S) };
};

/* Of dtype D, or of the compute type's own. */
template <int D, int M> static __device__ __forceinline__ void load_weights(T (&w)[M], const char *from, uint32_t at, int is)
{
    raw<M> r;
    if (is == D) {
        raw_load(r, from + (uint64_t)at * width_in<D>::value, width_in<D>::value);
        decode_as<D>(w, r);
    } else {
        raw_load(r, from + (uint64_t)at * sizeof(T), sizeof(T));
        decode_as<values<T>::self>(w, r);
    }
}

/* ---- forward, rows in registers ---- */

/* What `lanes` threads (WARP or ARG_THREADS) have, in all of them; a block's uses of the room take turns. */
static __device__ __forceinline__ double sum_of_lanes(double mine, uint32_t lanes, int turn)
{
    __shared__ double room[2][ARG_THREADS / WARP];
#pragma unroll
    for (int away = WARP / 2; away > 0; away /= 2)
        mine += __shfl_xor_sync(0xffffffffu, mine, away);
    if (lanes == WARP)
        return mine;
    if (threadIdx.x % WARP == 0)
        room[turn][threadIdx.x / WARP] = mine;
    __syncthreads();
    const double *first = room[turn] + (threadIdx.x & ~(lanes - 1)) / WARP;
    double        all = first[0];
    for (uint32_t i = 1; i < lanes / WARP; i++)
        all += first[i];
    return all;
}

/* Which elements of a row a lane has: N vectors, each behind those of the other lanes. LANES threads work at a row and have all
 * of their vectors; 0: g.lanes do, and a row may end before. */
template <int D, int N, int LANES> struct lane_of_row {
    enum { W = width_in<D>::value, V = 16 / W };
    uint32_t log_lanes, lanes, length, row, lane;
    bool     mine;
    __device__ __forceinline__ explicit lane_of_row(const norm_args &g)
        : log_lanes(LANES == WARP ? 5 : LANES ? 8 : g.log_lanes), lanes(1u << log_lanes),
          length(LANES ? N * LANES * V : g.length), row(blockIdx.x * (ARG_THREADS >> log_lanes) + (threadIdx.x >> log_lanes)),
          lane(threadIdx.x & (lanes - 1)), mine(row < g.rows)
    {
    }
    __device__ __forceinline__ bool     leaves() const { return LANES == WARP && !mine; } /* nobody waits for it */
    __device__ __forceinline__ uint32_t at(int k) const { return (k * lanes + lane) * V; }
    __device__ __forceinline__ bool     has(int k) const { return LANES == WARP || (mine && (LANES || at(k) < length)); }
    __device__ __forceinline__ uint64_t bytes_to(int k) const { return ((uint64_t)row * length + at(k)) * W; }
};

/* 4096 rows of a thousand are all in work at once. Where LANES are known there are a weight and a bias of the row's dtype, and
 * nothing is asked for each vector: two thirds of the instructions. Blocks of the next launch stand ready early where the
 * registers are those of four blocks: with room for a fifth they would come unevenly to the multiprocessors. */
enum { BLOCKS_AT_ONCE = sizeof(T) == 4 ? 4 : 1 };
template <int D, int N, int LANES>
static __global__ void __launch_bounds__(ARG_THREADS, BLOCKS_AT_ONCE) norm_kept(ARGUMENTS(norm_args) g)
{
    const lane_of_row<D, N, LANES> l(g);
    enum { V = l.V, W = l.W, FILLS = N * V == NORM_LANE };
    raw<V> r[N];
    T      x[N][V], part[V], mean = 0;
    double sum = 0, squares = 0;
    if (W == 2 && FILLS)
        let_next_come();
    after_earlier();
    if (l.leaves())
        return;
#pragma unroll
    for (int k = 0; k < N; k++)
        if (l.has(k))
            raw_load(r[k], g.x + l.bytes_to(k), W);
#pragma unroll
    for (int k = 0; k < N; k++) {
        decode_as<D>(x[k], r[k]);
        if (l.has(k)) {
            memcpy(part, x[k], sizeof part);
            sum += (double)in_pairs(part);
        }
    }
    if (g.centred)
        mean = (T)(sum_of_lanes(sum, l.lanes, 0) * g.share);
#pragma unroll
    for (int k = 0; k < N; k++)
        if (l.has(k)) {
#pragma unroll
            for (int i = 0; i < V; i++) {
                x[k][i] -= mean;
                part[i] = x[k][i] * x[k][i];
            }
            squares += (double)in_pairs(part);
        }
    const T rstd = (T)rsqrt(sum_of_lanes(squares, l.lanes, 1) * g.share + g.eps);
#pragma unroll
    for (int k = 0; k < N; k++) {
        if (!l.has(k))
            continue;
        T w[V];
#pragma unroll
        for (int i = 0; i < V; i++)
            x[k][i] *= rstd;
        if (LANES || g.weight) {
            load_weights<D>(w, g.weight, l.at(k), LANES ? D : g.weight_is);
#pragma unroll
            for (int i = 0; i < V; i++)
                x[k][i] *= w[i];
        }
        if (LANES || g.bias) {
            load_weights<D>(w, g.bias, l.at(k), LANES ? D : g.bias_is);
#pragma unroll
            for (int i = 0; i < V; i++)
                x[k][i] += w[i];
        }
        encode_as<D>(r[k], x[k], D);
        raw_store(r[k], g.y + l.bytes_to(k), W);
    }
    if (l.mine && l.lane == 0) {
        if (g.mean)
            values<T>::store(g.mean + (uint64_t)l.row * g.mean_width, g.mean_is, mean);
        if (g.rstd)
            values<T>::store(g.rstd + (uint64_t)l.row * g.rstd_width, g.rstd_is, rstd);
    }
}

/* ---- forward, any row: read three times, by a block ---- */
static __device__ __forceinline__ T x_at(const norm_args &g, const char *from, uint64_t i)
{
    return values<T>::load(from + i * g.width, g.is);
}
static __device__ __forceinline__ T grad_at(const norm_args &g, uint64_t i)
{
    return values<T>::load(g.grad + i * g.grad_width, g.grad_is);
}
static __device__ __forceinline__ T weight_at(const char *from, uint32_t i, int is, T absent)
{
    return from ? values<T>::load(from + (uint64_t)i * (is == values<T>::self ? sizeof(T) : sizeof(uint16_t)), is) : absent;
}

static __global__ void __launch_bounds__(ARG_THREADS) norm_any(ARGUMENTS(norm_args) g)
{
    const uint64_t row = blockIdx.x, begin = row * g.length;
    after_earlier();
    if (row >= g.rows) /* a small grid is rounded up */
        return;
    plain_sum      sum, squares;
    T              mean = 0;
    if (g.centred) {
        for (uint32_t i = threadIdx.x; i < g.length; i += ARG_THREADS)
            sum.s += (double)x_at(g, g.x, begin + i);
        join_lanes(sum, ARG_THREADS);
        mean = (T)(to_all_lanes(sum, ARG_THREADS).s / g.length);
    }
    for (uint32_t i = threadIdx.x; i < g.length; i += ARG_THREADS) {
        const T d = x_at(g, g.x, begin + i) - mean;
        squares.s += (double)(d * d);
    }
    join_lanes(squares, ARG_THREADS);
    const T rstd = (T)(1 / sqrt(to_all_lanes(squares, ARG_THREADS).s / g.length + g.eps));
    for (uint32_t i = threadIdx.x; i < g.length; i += ARG_THREADS) {
        T z = (x_at(g, g.x, begin + i) - mean) * rstd;
        z = g.weight ? z * weight_at(g.weight, i, g.weight_is, 1) : z;
        z = g.bias ? z + weight_at(g.bias, i, g.bias_is, 0) : z;
        values<T>::store(g.y + (begin + i) * g.width, g.is, z);
    }
    if (threadIdx.x == 0) {
        if (g.mean)
            values<T>::store(g.mean + row * g.mean_width, g.mean_is, mean);
        if (g.rstd)
            values<T>::store(g.rstd + row * g.rstd_width, g.rstd_is, rstd);
    }
}

/* ---- back: of d = grad * weight, dx = rstd * (d - average of d - xhat * average of d * xhat) ---- */
struct two_sums {
    double a, b;
};

/* Over LANES threads of a block, for all of them: one barrier of the block, since uses of the room alternate. */
template <int LANES> static __device__ __forceinline__ two_sums of_lanes(two_sums mine, uint32_t turn)
{
    enum { WARPS = ARG_THREADS / WARP, MINE = LANES / WARP };
    __shared__ two_sums room[2][WARPS];
#pragma unroll
    for (int away = WARP / 2; away > 0; away /= 2) {
        mine.a += __shfl_xor_sync(0xffffffffu, mine.a, away);
        mine.b += __shfl_xor_sync(0xffffffffu, mine.b, away);
    }
    if (threadIdx.x % WARP == 0)
        room[turn % 2][threadIdx.x / WARP] = mine;
    __syncthreads();
    const two_sums *first = room[turn % 2] + threadIdx.x / LANES * MINE;
    two_sums        all = first[0];
#pragma unroll
    for (int i = 1; i < MINE; i++) {
        all.a += first[i].a;
        all.b += first[i].b;
    }
    return all;
}

/* The same over a warp. */
static __device__ __forceinline__ two_sums of_warp(two_sums mine)
{
#pragma unroll
    for (int away = WARP / 2; away > 0; away /= 2) {
        mine.a += __shfl_xor_sync(0xffffffffu, mine.a, away);
        mine.b += __shfl_xor_sync(0xffffffffu, mine.b, away);
    }
    return mine;
}

template <int D, int M> static __device__ __forceinline__ void weights_or_one(T (&w)[M], const norm_args &g, uint32_t at)
{
#pragma unroll
    for (int i = 0; i < M; i++)
        w[i] = 1;
    if (g.weight)
        load_weights<D>(w, g.weight, at, g.weight_is);
}

struct row_facts {
    T mean, rstd;
};
static __device__ __forceinline__ row_facts facts_of(const norm_args &g, uint64_t row)
{
    return row_facts{g.mean ? values<T>::load(g.mean + row * g.mean_width, g.mean_is) : (T)0,
                     values<T>::load(g.rstd + row * g.rstd_width, g.rstd_is)};
}

/* Of rows of dtype D and gradients of dtype DG; R rows of a block side by side, N vectors of each a thread. */
template <int D, int DG, int N, int R>
static __global__ void __launch_bounds__(ARG_THREADS, R > 1 ? 2 : 1) norm_back_kept(ARGUMENTS(norm_args) g)
{
    enum { V = NORM_BACK_VECTOR, W = width_in<D>::value, WG = width_in<DG>::value, LANES = ARG_THREADS / R };
    const uint64_t first = blockIdx.x * g.block_rows, last = first + g.block_rows < g.rows ? first + g.block_rows : g.rows;
    const uint32_t lane = threadIdx.x % LANES, beside = threadIdx.x / LANES;
    after_earlier();
    if (first >= g.rows) /* a small grid is rounded up */
        return;
    raw<V>         rx[N], rg[N];
    T              w[N][V], to_w[N][V], to_b[N][V];
    row_facts      next = {0, 0};
    const bool     any = first + beside < last;
#pragma unroll
    for (int k = 0; k < N; k++) {
        const uint32_t at = (k * LANES + lane) * V;
#pragma unroll
        for (int i = 0; i < V; i++)
            w[k][i] = 1, to_w[k][i] = 0, to_b[k][i] = 0;
        if (at >= g.length || !any)
            continue;
        if (g.weight)
            load_weights<D>(w[k], g.weight, at, g.weight_is);
        raw_load(rx[k], g.x + ((first + beside) * g.length + at) * W, W);
        raw_load(rg[k], g.grad + ((first + beside) * g.length + at) * WG, WG);
    }
    if (any)
        next = facts_of(g, first + beside);
    for (uint64_t base = first; base < last; base += R) {
        const uint64_t  row = base + beside;
        const bool      mine = row < last, more = row + R < last;
        const row_facts f = next;
        T               x[N][V], d[N][V];
        two_sums        sums = {0, 0};
#pragma unroll
        for (int k = 0; k < N; k++) {
            const uint32_t at = (k * LANES + lane) * V;
            if (at >= g.length || !mine)
                continue;
            decode_as<D>(x[k], rx[k]);
            decode_as<DG>(d[k], rg[k]);
            if (more) { /* the next row is on its way while this one is calculated */
                raw_load(rx[k], g.x + ((row + R) * g.length + at) * W, W);
                raw_load(rg[k], g.grad + ((row + R) * g.length + at) * WG, WG);
            }
            T a[V], b[V];
#pragma unroll
            for (int i = 0; i < V; i++) {
                x[k][i] = (x[k][i] - f.mean) * f.rstd;
                to_w[k][i] += d[k][i] * x[k][i];
                to_b[k][i] += d[k][i];
                d[k][i] *= w[k][i];
                a[i] = d[k][i];
                b[i] = d[k][i] * x[k][i];
            }
            sums.a += (double)in_pairs(a);
            sums.b += (double)in_pairs(b);
        }
        if (more)
            next = facts_of(g, row + R);
        if (!g.y)
            continue;
        sums = of_lanes<LANES>(sums, (uint32_t)((base - first) / R));
        const T lift = g.centred ? (T)(sums.a / g.length) : (T)0, turn = (T)(sums.b / g.length);
#pragma unroll
        for (int k = 0; k < N; k++) {
            const uint32_t at = (k * LANES + lane) * V;
            if (at >= g.length || !mine)
                continue;
            raw<V> r;
#pragma unroll
            for (int i = 0; i < V; i++)
                d[k][i] = f.rstd * (d[k][i] - lift - x[k][i] * turn);
            encode_as<D>(r, d[k], D);
            raw_store(r, g.y + (row * g.length + at) * W, W);
        }
    }
    if (!g.partial)
        return;
    T *to = (T *)g.partial + (uint64_t)blockIdx.x * 2 * g.length;
    if constexpr (R > 1) { /* rows side by side have sums of their own, which are added in their order */
        __shared__ T room[2][N * LANES * V];
        for (uint32_t turn = 0; turn < R; turn++) {
#pragma unroll
            for (int k = 0; k < N; k++)
#pragma unroll
                for (int i = 0; i < V && turn == beside; i++) {
                    const uint32_t at = (k * LANES + lane) * V + i;
                    room[0][at] = to_w[k][i] = turn ? room[0][at] + to_w[k][i] : to_w[k][i];
                    room[1][at] = to_b[k][i] = turn ? room[1][at] + to_b[k][i] : to_b[k][i];
                }
            __syncthreads();
        }
    }
#pragma unroll
    for (int k = 0; k < N; k++) {
        const uint32_t at = (k * LANES + lane) * V;
        if (at >= g.length || beside + 1 < R)
            continue;
#pragma unroll
        for (int i = 0; i < V; i++) {
            to[at + i] = to_w[k][i];
            to[g.length + at + i] = to_b[k][i];
        }
    }
}

/* The same of short rows whose vectors are N of each lane of a warp, which has a row by itself: nobody waits for another. The
 * next row is on its way to shared memory, where a lane's vectors are its own alone. */
template <int D, int DG, int N>
static __global__ void __launch_bounds__(ARG_THREADS, 2) norm_back_warps(ARGUMENTS(norm_args) g)
{
    enum { V = NORM_BACK_VECTOR, W = width_in<D>::value, WG = width_in<DG>::value, ROW = N * WARP * V };
    enum { WARPS = ARG_THREADS / WARP };
    alignas(16) __shared__ char room[WARPS][ROW * (W + WG)];
    const uint32_t lane = threadIdx.x % WARP, warp = threadIdx.x / WARP;
    const uint64_t first = blockIdx.x * g.block_rows, last = first + g.block_rows < g.rows ? first + g.block_rows : g.rows;
    T              to_w[N][V], to_b[N][V];
    char *const    ahead_x = room[warp] + lane * V * W, *const ahead_g = room[warp] + ROW * W + lane * V * WG;
    const auto     fetch = [&](uint64_t row) {
        const uint64_t at = row * ROW + lane * V;
#pragma unroll
        for (int k = 0; k < N; k++) {
            copy_ahead<V * W>(ahead_x + k * WARP * V * W, g.x + (at + k * WARP * V) * W);
            copy_ahead<V * WG>(ahead_g + k * WARP * V * WG, g.grad + (at + k * WARP * V) * WG);
        }
    };
#pragma unroll
    for (int k = 0; k < N; k++)
#pragma unroll
        for (int i = 0; i < V; i++)
            to_w[k][i] = 0, to_b[k][i] = 0;
    after_earlier();
    if (first >= g.rows) /* a small grid is rounded up */
        return;
    row_facts next = {0, 0};
    if (first + warp < last) {
        fetch(first + warp);
        next = facts_of(g, first + warp);
    }
    for (uint64_t row = first + warp; row < last; row += WARPS) {
        const row_facts f = next;
        T               x[N][V], w[V];
        raw<V>          rx, rg[N];
        two_sums        sums = {0, 0};
        wait_for_copies();
#pragma unroll
        for (int k = 0; k < N; k++) {
            T d[V], a[V], b[V];
            raw_load(rx, ahead_x + k * WARP * V * W, W);
            raw_load(rg[k], ahead_g + k * WARP * V * WG, WG);
            decode_as<D>(x[k], rx);
            decode_as<DG>(d, rg[k]);
            weights_or_one<D>(w, g, k * WARP * V + lane * V);
#pragma unroll
            for (int i = 0; i < V; i++) {
                x[k][i] = (x[k][i] - f.mean) * f.rstd;
                to_w[k][i] += d[i] * x[k][i];
                to_b[k][i] += d[i];
                a[i] = d[i] * w[i];
                b[i] = a[i] * x[k][i];
            }
            sums.a += (double)in_pairs(a);
            sums.b += (double)in_pairs(b);
        }
        if (row + WARPS < last) {
            fetch(row + WARPS);
            next = facts_of(g, row + WARPS);
        }
        if (!g.y)
            continue;
        sums = of_warp(sums);
        const T lift = g.centred ? (T)(sums.a * g.share) : (T)0, turn = (T)(sums.b * g.share);
#pragma unroll
        for (int k = 0; k < N; k++) {
            T d[V];
            decode_as<DG>(d, rg[k]);
            weights_or_one<D>(w, g, k * WARP * V + lane * V);
#pragma unroll
            for (int i = 0; i < V; i++)
                d[i] = f.rstd * (d[i] * w[i] - lift - x[k][i] * turn);
            encode_as<D>(rx, d, D);
            raw_store(rx, g.y + (row * ROW + (k * WARP + lane) * V) * W, W);
        }
    }
    if (!g.partial)
        return;
    T *const sum = (T *)room; /* [2][ROW]: the warps' sums, which are added in their order */
    for (uint32_t turn = 0; turn < WARPS; turn++) {
        __syncthreads();
#pragma unroll
        for (int k = 0; k < N; k++)
#pragma unroll
            for (int i = 0; i < V && turn == warp; i++) {
                const uint32_t at = (k * WARP + lane) * V + i;
                sum[at] = turn ? sum[at] + to_w[k][i] : to_w[k][i];
                sum[ROW + at] = turn ? sum[ROW + at] + to_b[k][i] : to_b[k][i];
            }
    }
    __syncthreads();
    T *const to = (T *)g.partial + (uint64_t)blockIdx.x * 2 * ROW;
    for (uint32_t i = threadIdx.x; i < 2 * ROW; i += ARG_THREADS)
        to[i] = sum[i];
}

static __global__ void __launch_bounds__(ARG_THREADS) norm_back_any(ARGUMENTS(norm_args) g)
{
    const uint64_t first = blockIdx.x * g.block_rows, last = first + g.block_rows < g.rows ? first + g.block_rows : g.rows;
    if (first >= g.rows)
        return;
    for (uint64_t row = first; g.y && row < last; row++) {
        const row_facts f = facts_of(g, row);
        const uint64_t  begin = row * g.length;
        two_sums        sums = {0, 0};
        for (uint32_t i = threadIdx.x; i < g.length; i += ARG_THREADS) {
            const T d = grad_at(g, begin + i) * weight_at(g.weight, i, g.weight_is, 1);
            sums.a += (double)d;
            sums.b += (double)(d * ((x_at(g, g.x, begin + i) - f.mean) * f.rstd));
        }
        sums = of_lanes<ARG_THREADS>(sums, (uint32_t)(row - first));
        const T lift = g.centred ? (T)(sums.a / g.length) : (T)0, turn = (T)(sums.b / g.length);
        for (uint32_t i = threadIdx.x; i < g.length; i += ARG_THREADS) {
            const T d = grad_at(g, begin + i) * weight_at(g.weight, i, g.weight_is, 1);
            const T xhat = (x_at(g, g.x, begin + i) - f.mean) * f.rstd;
            values<T>::store(g.y + (begin + i) * g.width, g.is, f.rstd * (d - lift - xhat * turn));
        }
    }
    T *to = (T *)g.partial + (uint64_t)blockIdx.x * 2 * g.length;
    for (uint32_t i = threadIdx.x; g.partial && i < g.length; i += ARG_THREADS) {
        T to_w = 0, to_b = 0;
        for (uint64_t row = first; row < last; row++) {
            const row_facts f = facts_of(g, row);
            const T         d = grad_at(g, row * g.length + i);
            to_w += d * ((x_at(g, g.x, row * g.length + i) - f.mean) * f.rstd);
            to_b += d;
        }
        to[i] = to_w;
        to[g.length + i] = to_b;
    }
}

/* The blocks' sums of a column, by NORM_TOTAL_ROWS threads. */
static __global__ void __launch_bounds__(ARG_THREADS) norm_total(ARGUMENTS(norm_args) g)
{
    enum { ROWS = NORM_TOTAL_ROWS, COLUMNS = ARG_THREADS / ROWS };
    __shared__ double room[2][ROWS][COLUMNS];
    const uint32_t    column = blockIdx.x * COLUMNS + threadIdx.x % COLUMNS, part = threadIdx.x / COLUMNS;
    double            sum[2] = {0, 0};
    after_earlier();
#pragma unroll 8
    for (uint32_t b = part; column < g.length && b < g.blocks; b += ROWS) {
        const T *from = (const T *)g.partial + (uint64_t)b * 2 * g.length + column;
        sum[0] += (double)from[0];
        sum[1] += (double)from[g.length];
    }
    room[0][part][threadIdx.x % COLUMNS] = sum[0];
    room[1][part][threadIdx.x % COLUMNS] = sum[1];
    __syncthreads();
    if (part > 1 || column >= g.length || !g.to[part])
        return;
    double all = 0;
    for (int i = 0; i < ROWS; i++)
        all += room[part][i][threadIdx.x % COLUMNS];
    const int is = g.to_is[part];
    values<T>::store(g.to[part] + (uint64_t)column * (is == values<T>::self ? sizeof(T) : sizeof(uint16_t)), is, (T)all);
}

#define KEPT(D, N, LANES) (const void *)norm_kept<KT_##D, (N) * width_in<KT_##D>::value / 16, LANES>
#define WHOLE(D, LANES)                                                                                                   \
    {KEPT(D, NORM_LANE / 4, LANES), KEPT(D, NORM_LANE / 2, LANES), KEPT(D, NORM_LANE * 3 / 4, LANES), KEPT(D, NORM_LANE, LANES)}
#define NORM(D) {KT_##D, KEPT(D, NORM_LANE, 0), {WHOLE(D, WARP), WHOLE(D, ARG_THREADS)}},
#define SHORT(D, DG, N) (const void *)norm_back_kept<KT_##D, KT_##DG, N, NORM_BACK_ROWS>
#define BACK(D, DG)                                                                                                       \
    {KT_##D, KT_##DG, {SHORT(D, DG, 1), SHORT(D, DG, 2), SHORT(D, DG, 3), SHORT(D, DG, 4)},                              \
     (const void *)norm_back_kept<KT_##D, KT_##DG, NORM_BACK_MOST, 1>,                                                    \
     {NULL, IN_WARPS(D, DG, 2), IN_WARPS(D, DG, 3), IN_WARPS(D, DG, 4), NULL, IN_WARPS(D, DG, 6)}},
#define BACK_OF_OWN(D) BACK(D, D)
static const norm_kernels kernels[] = {OF_DTYPES(NORM){KT_NONE, NULL, {{NULL}, {NULL}}}};
static const norm_back_kernels backs[] = {OF_DTYPES(BACK_OF_OWN) NARROW_GRADIENTS {KT_NONE, KT_NONE, {NULL}, NULL}};
const norm_table NORM_NAME = {kernels, backs, (kt_dtype)values<T>::self, (const void *)norm_any, (const void *)norm_back_any,
                              (const void *)norm_total};
