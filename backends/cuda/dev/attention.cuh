/* attention.cuh - attention, tile by tile, forward and back: the matrix of scores is never in memory.
 *
 * In: attend_args. Out: results and the logarithms of rows' sums; or gradients. A block of 16 x 16 threads has a tile of scores,
 * R x R of a thread in registers: sums over columns of two matrices (`multiply`). Its weights go through shared memory into
 * sums of
 * rows of a third (`gather`). What flows back is made twice of the scores, by blocks of queries and by blocks of keys, so that
 * every sum has one order. Dropout's draws follow from an element's place: Philox, four keys a step.
 * Independent of: dtypes in memory, layouts. */
#ifndef KARAT_CUDA_ATTENTION_CUH
#define KARAT_CUDA_ATTENTION_CUH

#include <math.h>
#include <stddef.h>

#include "attention.h"
#include "dev/philox.cuh"
#include "dev/values.cuh"

/* ---- numbers ---- */
static __device__ __forceinline__ float  times_plus(float a, float b, float c) { return fmaf(a, b, c); }
static __device__ __forceinline__ double times_plus(double a, double b, double c) { return fma(a, b, c); }
static __device__ __forceinline__ float  exponential_of(float x) { return exp2f(x * 1.44269504f); }
static __device__ __forceinline__ double exponential_of(double x) { return exp(x); }
static __device__ __forceinline__ float  logarithm_of(float x) { return logf(x); }
static __device__ __forceinline__ double logarithm_of(double x) { return log(x); }

template <class T> struct tile_of;
template <> struct tile_of<float> {
    enum { R = 4, N = ATTEND_SIDE * R, PITCH = N + 4 };
};
template <> struct tile_of<double> {
    enum { R = 2, N = ATTEND_SIDE * R, PITCH = N + 2 };
};
template <class T, int R> struct alignas(sizeof(T) * R) several {
    T v[R];
};

static __device__ __forceinline__ uint32_t column_of_thread() { return threadIdx.x % ATTEND_SIDE; }
static __device__ __forceinline__ uint32_t row_of_thread() { return threadIdx.x / ATTEND_SIDE; }

/* ---- rows of a matrix of one batch and head ---- */
struct rows_at {
    const char *data;
    int64_t     by_row, by_column;
    uint32_t    rows, columns;
    int         is;
};
static __device__ __forceinline__ rows_at rows_of(const attend_matrices &m, uint32_t batch, uint32_t head, uint32_t rows,
                                                  uint32_t columns)
{
    return {m.data + batch * m.step[0] + head * m.step[1], m.step[2], m.step[3], rows, columns, m.is};
}

/* `n` rows from `row` on and ATTEND_DEPTH columns from `column` on, turned: to[column][row]. What is outside is 0. Lanes have 4
 * rows of 8 columns: so they meet in no bank. */
template <class T, int N, int PITCH>
static __device__ __forceinline__ void bring_turned(T *to, const rows_at &m, uint32_t row, uint32_t column)
{
    const uint32_t lane = threadIdx.x % 32, warp = threadIdx.x / 32;
#pragma unroll
    for (uint32_t i = warp; i < N / 4 * (ATTEND_DEPTH / 8); i += ARG_THREADS / 32) {
        const uint32_t c = i % (ATTEND_DEPTH / 8) * 8 + lane / 4, r = i / (ATTEND_DEPTH / 8) * 4 + lane % 4;
        const bool     inside = row + r < m.rows && column + c < m.columns;
        to[c * PITCH + r] =
            inside ? values<T>::load(m.data + (int64_t)(row + r) * m.by_row + (int64_t)(column + c) * m.by_column, m.is) : T(0);
    }
}

/* ATTEND_DEPTH rows from `row` on, WIDTH columns from `column` on: to[row][column]. */
template <class T, int WIDTH> static __device__ __forceinline__ void bring(T *to, const rows_at &m, uint32_t row, uint32_t column)
{
#pragma unroll
    for (uint32_t i = threadIdx.x; i < ATTEND_DEPTH * WIDTH; i += ARG_THREADS) {
        const uint32_t r = i / WIDTH, c = i % WIDTH;
        const bool     inside = row + r < m.rows && column + c < m.columns;
        to[i] = inside ? values<T>::load(m.data + (int64_t)(row + r) * m.by_row + (int64_t)(column + c) * m.by_column,
                m.is) : T(0);
    }
}

/* Sums over all columns of a row of a from `row_a` on and one of b from `row_b` on: R x R of the thread's. */
template <class T, int R>
static __device__ __forceinline__ void multiply(T (&sum)[R][R], T *room, const rows_at &a, uint32_t row_a, const rows_at &b,
                                                uint32_t row_b)
{
    enum { N = tile_of<T>::N, PITCH = tile_of<T>::PITCH };
    typedef several<T, R> vector;
    T *const left = room, *const right = room + ATTEND_DEPTH * PITCH;
#pragma unroll
    for (int i = 0; i < R; i++)
#pragma unroll
        for (int j = 0; j < R; j++)
            sum[i][j] = 0;
    for (uint32_t column = 0; column < a.columns; column += ATTEND_DEPTH) {
        __syncthreads();
        bring_turned<T, N, PITCH>(left, a, row_a, column);
        bring_turned<T, N, PITCH>(right, b, row_b, column);
        __syncthreads();
#pragma unroll 8
        for (int k = 0; k < ATTEND_DEPTH; k++) {
            const vector x = *(const vector *)(left + k * PITCH + row_of_thread() * R);
            const vector y = *(const vector *)(right + k * PITCH + column_of_thread() * R);
#pragma unroll
            for (int i = 0; i < R; i++)
#pragma unroll
                for (int j = 0; j < R; j++)
                    sum[i][j] = times_plus(x.v[i], y.v[j], sum[i][j]);
        }
    }
}

/* Weights to where `gather` reads them: [column][row]. */
template <class T, int R> static __device__ __forceinline__ void put_weights(T *to, const T (&w)[R][R])
{
    enum { PITCH = tile_of<T>::PITCH };
#pragma unroll
    for (int j = 0; j < R; j++) {
        several<T, R> v;
#pragma unroll
        for (int i = 0; i < R; i++)
            v.v[i] = w[i][j];
        *(several<T, R> *)(to + (column_of_thread() * R + (uint32_t)j) * PITCH + row_of_thread() * R) = v;
    }
}

/* sum += weights times rows of m from `row` on, of its columns from `column` on those of the thread: R at a time, 16 threads
 * apart.
 * Threads wait for each other first: the weights have been put. */
template <class T, int R, int C>
static __device__ __forceinline__ void gather(T (&sum)[R][C], const T *weights, T *room, const rows_at &m, uint32_t row,
                                              uint32_t column)
{
    enum { N = tile_of<T>::N, PITCH = tile_of<T>::PITCH, WIDTH = ATTEND_SIDE * C };
    typedef several<T, R> vector;
    for (uint32_t first = 0; first < N && row + first < m.rows; first += ATTEND_DEPTH) {
        __syncthreads();
        bring<T, WIDTH>(room, m, row + first, column);
        __syncthreads();
#pragma unroll 8
        for (int k = 0; k < ATTEND_DEPTH; k++) {
            const vector w = *(const vector *)(weights + (first + (uint32_t)k) * PITCH + row_of_thread() * R);
#pragma unroll
            for (int p = 0; p < C / R; p++) {
                const vector y = *(const vector *)(room + k * WIDTH + p * ATTEND_SIDE * R + column_of_thread() * R);
#pragma unroll
                for (int i = 0; i < R; i++)
#pragma unroll
                    for (int j = 0; j < R; j++)
                        sum[i][p * R + j] = times_plus(w.v[i], y.v[j], sum[i][p * R + j]);
            }
        }
    }
}

template <class T, int R, int C>
static __device__ __forceinline__ void put_result(const T (&sum)[R][C], const attend_matrices &m, uint32_t batch, uint32_t head,
                                                  uint32_t row, uint32_t rows, uint32_t column, uint32_t columns)
{
    char *to = m.data + batch * m.step[0] + head * m.step[1];
#pragma unroll
    for (int i = 0; i < R; i++)
#pragma unroll
        for (int j = 0; j < C; j++) {
            const uint32_t r = row + row_of_thread() * R + (uint32_t)i;
            const uint32_t c = column + (uint32_t)(j / R) * ATTEND_SIDE * R + column_of_thread() * R + (uint32_t)(j % R);
            if (r < rows && c < columns)
                values<T>::store(to + (int64_t)r * m.step[2] + (int64_t)c * m.step[3], m.is, sum[i][j]);
        }
}

/* ---- scores and weights ---- */
struct head_at {
    uint32_t batch, head;
};

/* Minus infinity: the query does not see the key. Called, since it would be there for each of a thread's scores. */
template <class T>
static __device__ __noinline__ T score_of(T product, const attend_args &g, head_at h, uint32_t query, uint32_t key)
{
    if (query >= g.queries || key >= g.keys || (g.causal && key > query))
        return -(T)INFINITY;
    T score = product * (T)g.scale;
    if (g.mask.data) {
        const char *at = g.mask.data + h.batch * g.mask.step[0] + h.head * g.mask.step[1] + query * g.mask.step[2] +
                         key * g.mask.step[3];
        if (g.mask.is == KT_BOOL)
            score = *(const uint8_t *)at ? score : -(T)INFINITY;
        else
            score += values<T>::load(at, g.mask.is);
    }
    return score;
}

/* What the dropout of four neighbouring keys draws. */
static __device__ __forceinline__ uint4 draws_of(const uint64_t *draws, uint32_t keys, uint64_t row, uint32_t key)
{
    const uint64_t steps = (keys + 3) / 4;
    return philox(draws[0], row * steps + key / 4, draws[1] / DRAWS);
}
static __device__ __forceinline__ bool is_kept(const uint4 &d, uint32_t key, float keep)
{
    const uint32_t draw = key % 4 == 0 ? d.x : key % 4 == 1 ? d.y : key % 4 == 2 ? d.z : d.w;
    return unit(draw) <= keep;
}
static __device__ __noinline__ bool is_kept_at(const attend_args &g, head_at h, uint32_t query, uint32_t key)
{
    return is_kept(draws_of(g.draws, g.keys, ((uint64_t)h.batch * g.heads + h.head) * g.queries + query, key), key,
            (float)g.keep);
}

template <class T> static __device__ __forceinline__ T sum_at(const attend_args &g, head_at h, uint32_t query)
{
    return *(const T *)(g.sums + h.batch * g.sums_step[0] + h.head * g.sums_step[1] + query * g.sums_step[2]);
}
/* Of the three numbers of a row (attend_args.delta). */
template <class T> static __device__ __forceinline__ T row_number(const attend_args &g, head_at h, uint32_t query, uint32_t which)
{
    const uint64_t rows = (uint64_t)g.batch * g.heads * g.queries;
    return ((const T *)g.delta)[which * rows + ((uint64_t)h.batch * g.heads + h.head) * g.queries + query];
}

/* What of a result or gradient is a block's. */
struct part_at {
    head_at  h;
    uint32_t tile, part;
    bool     none;
};
static __device__ __forceinline__ part_at part_of(const attend_args &g, uint32_t heads, uint32_t tiles, bool last_first)
{
    const uint64_t block = blockIdx.x, each = (uint64_t)g.parts * g.batch * heads;
    const uint32_t head = (uint32_t)(block / g.parts % ((uint64_t)g.batch * heads)), tile = (uint32_t)(block / each);
    return {{head / heads, head % heads}, last_first ? tiles - 1 - tile : tile, (uint32_t)(block % g.parts), block >= g.blocks};
}

/* A block's N queries, whose they are, and what they see. */
struct query_tile {
    part_at  at;
    uint32_t first, end; /* the first query; behind the last key that one of them sees */
    rows_at  q, k, v;
};
template <uint32_t N> static __device__ __forceinline__ query_tile queries_of(const attend_args &g)
{
    const part_at  at = part_of(g, g.heads, (g.queries + N - 1) / N, true);
    const head_at  h = at.h;
    const uint32_t first = at.tile * N, kv = h.head / g.group;
    return {at, first, g.causal && first + N < g.keys ? first + N : g.keys,
            rows_of(g.query, h.batch, h.head, g.queries, g.depth), rows_of(g.key, h.batch, kv, g.keys, g.depth),
            rows_of(g.value, h.batch, kv, g.keys, g.width)};
}

/* ---- forward ---- */
template <class T, int C> static __global__ void __launch_bounds__(ARG_THREADS) attend_forward(ARGUMENTS(attend_args) g)
{
    enum { R = tile_of<T>::R, N = tile_of<T>::N, PITCH = tile_of<T>::PITCH, WIDTH = ATTEND_SIDE * C };
    enum { TWO = 2 * ATTEND_DEPTH * PITCH, ONE = ATTEND_DEPTH * WIDTH, ROOM = TWO > ONE ? TWO : ONE };
    alignas(16) __shared__ T room[ROOM], weights[N * PITCH];
    const query_tile tile = queries_of<N>(g);
    if (tile.at.none)
        return;
    const head_at  h = tile.at.h;
    const uint32_t row = tile.first, end = tile.end, column = tile.at.part * WIDTH;
    const rows_at &q = tile.q, &k = tile.k, &v = tile.v;
    T              sum[R][C], most[R], all[R], w[R][R];
#pragma unroll
    for (int i = 0; i < R; i++) {
        most[i] = -(T)INFINITY, all[i] = 0;
#pragma unroll
        for (int j = 0; j < C; j++)
            sum[i][j] = 0;
    }
    for (uint32_t key = 0; key < end; key += N) {
        multiply<T, R>(w, room, q, row, k, key);
#pragma unroll
        for (int i = 0; i < R; i++) {
            const uint32_t query = row + row_of_thread() * R + (uint32_t)i;
            T              largest = most[i];
#pragma unroll
            for (int j = 0; j < R; j++) {
                w[i][j] = score_of(w[i][j], g, h, query, key + column_of_thread() * R + (uint32_t)j);
                largest = w[i][j] > largest ? w[i][j] : largest;
            }
#pragma unroll
            for (int away = ATTEND_SIDE / 2; away; away /= 2) {
                const T other = __shfl_xor_sync(~0u, largest, away);
                largest = other > largest ? other : largest;
            }
            const T from = largest == -(T)INFINITY ? T(0) : largest, shrink = exponential_of(most[i] - from);
            T       part = 0;
            most[i] = largest;
            uint4 d;
#pragma unroll
            for (int j = 0; j < R; j++) {
                const uint32_t at_key = key + column_of_thread() * R + (uint32_t)j;
                w[i][j] = exponential_of(w[i][j] - from);
                part += w[i][j];
                if (g.draws) {
                    if (j == 0)
                        d = draws_of(g.draws, g.keys, ((uint64_t)h.batch * g.heads + h.head) * g.queries + query, at_key);
                    w[i][j] = is_kept(d, at_key, (float)g.keep) ? w[i][j] : T(0);
                }
            }
#pragma unroll
            for (int away = ATTEND_SIDE / 2; away; away /= 2)
                part += __shfl_xor_sync(~0u, part, away);
            all[i] = all[i] * shrink + part;
#pragma unroll
            for (int j = 0; j < C; j++)
                sum[i][j] *= shrink;
        }
        put_weights<T, R>(weights, w); /* all have read the last ones: they waited in `multiply` */
        gather<T, R, C>(sum, weights, room, v, key, column);
    }
#pragma unroll
    for (int i = 0; i < R; i++) {
        const uint32_t query = row + row_of_thread() * R + (uint32_t)i;
        const T        scale = all[i] == 0 ? T(0) : 1 / (all[i] * (T)g.keep);
#pragma unroll
        for (int j = 0; j < C; j++)
            sum[i][j] *= scale;
        if (tile.at.part == 0 && column_of_thread() == 0 && query < g.queries)
            *(T *)(g.sums + h.batch * g.sums_step[0] + h.head * g.sums_step[1] + query * g.sums_step[2]) =
                all[i] == 0 ? T(0) : most[i] + logarithm_of(all[i]);
    }
    put_result<T, R, C>(sum, g.out, h.batch, h.head, row, g.queries, column, g.width);
}

/* ---- back ---- */

/* Is the logarithm of a row's sum so large that few digits of the sum are left in it? So it is where a mask of large finite
 * numbers
 * hides a whole row. Its largest score and its sum are made again then. */
static __device__ __forceinline__ bool is_rough(float sum) { return fabsf(sum) > 0x1p10f && fabsf(sum) < INFINITY; }
static __device__ __forceinline__ bool is_rough(double sum) { return fabs(sum) > 0x1p39 && fabs(sum) < INFINITY; }

/* How scores and powers go: U::score of a product, U::power, U::logarithm, U::of (of a natural logarithm). */
struct by_e {
    template <class T>
    static __device__ __forceinline__ T score(T product, const attend_args &g, head_at h, uint32_t query, uint32_t key)
    {
        return score_of(product, g, h, query, key);
    }
    template <class T> static __device__ __forceinline__ T power(T x) { return exponential_of(x); }
    template <class T> static __device__ __forceinline__ T logarithm(T x) { return logarithm_of(x); }
    template <class T> static __device__ __forceinline__ T of(T x) { return x; }
};

/* A warp has a row. */
template <class T, class U> static __global__ void __launch_bounds__(ARG_THREADS) attend_delta(ARGUMENTS(attend_args) g)
{
    const uint64_t row = (uint64_t)blockIdx.x * (ARG_THREADS / 32) + threadIdx.x / 32,
            rows = (uint64_t)g.batch * g.heads * g.queries;
    if (row >= rows)
        return; /* all of the warp */
    const uint32_t query = (uint32_t)(row % g.queries), lane = threadIdx.x % 32;
    const head_at  h = {(uint32_t)(row / g.queries / g.heads), (uint32_t)(row / g.queries % g.heads)};
    const rows_at  x = rows_of(g.out, h.batch, h.head, g.queries, g.width), y = rows_of(g.grad, h.batch, h.head, g.queries,
            g.width);
    T              sum = 0, most = sum_at<T>(g, h, query), rest = 0;
    for (uint32_t c = lane; c < g.width; c += 32)
        sum = times_plus(values<T>::load(x.data + (int64_t)query * x.by_row + (int64_t)c * x.by_column, x.is),
                         values<T>::load(y.data + (int64_t)query * y.by_row + (int64_t)c * y.by_column, y.is), sum);
#pragma unroll
    for (int away = 16; away; away /= 2)
        sum += __shfl_xor_sync(~0u, sum, away);
    const bool rough = is_rough(most);
    most = U::of(most);
    if (rough) {
        const rows_at q = rows_of(g.query, h.batch, h.head, g.queries, g.depth);
        const rows_at k = rows_of(g.key, h.batch, h.head / g.group, g.keys, g.depth);
        T             largest = -(T)INFINITY, all = 0;
        for (uint32_t key = lane; key < g.keys; key += 32) {
            T product = 0;
            for (uint32_t c = 0; c < g.depth; c++)
                product = times_plus(values<T>::load(q.data + (int64_t)query * q.by_row + (int64_t)c * q.by_column, q.is),
                                     values<T>::load(k.data + (int64_t)key * k.by_row + (int64_t)c * k.by_column, k.is), product);
            const T score = U::score(product, g, h, query, key), was = largest;
            if (score == -(T)INFINITY)
                continue;
            largest = score > largest ? score : largest;
            all = all * U::power(was - largest) + U::power(score - largest);
        }
        most = largest;
#pragma unroll
        for (int away = 16; away; away /= 2) {
            const T other = __shfl_xor_sync(~0u, most, away);
            most = other > most ? other : most;
        }
        all *= largest == -(T)INFINITY ? T(0) : U::power(largest - most);
#pragma unroll
        for (int away = 16; away; away /= 2)
            all += __shfl_xor_sync(~0u, all, away);
        rest = U::logarithm(all);
    }
    if (lane == 0) {
        ((T *)g.delta)[row] = sum;
        ((T *)g.delta)[rows + row] = most;
        ((T *)g.delta)[2 * rows + row] = rest;
    }
}

/* Of products: the weight, and what flows back to its score, as if it were multiplied by no scale. used: the weight as it is
 * multiplied with a value. */
template <class T>
static __device__ __forceinline__ T slope_of(T product, T flow, T &used, const attend_args &g, head_at h, uint32_t query,
        uint32_t key)
{
    const T score = score_of(product, g, h, query, key);
    used = 0;
    if (score == -(T)INFINITY)
        return 0;
    const T weight = exponential_of(score - row_number<T>(g, h, query, 1) - row_number<T>(g, h, query, 2));
    used = weight;
    if (g.draws) {
        const T factor = is_kept_at(g, h, query, key) ? 1 / (T)g.keep : T(0);
        used *= factor;
        flow *= factor;
    }
    return weight * (flow - row_number<T>(g, h, query, 0));
}

template <class T, int C> static __global__ void __launch_bounds__(ARG_THREADS) attend_query(ARGUMENTS(attend_args) g)
{
    enum { R = tile_of<T>::R, N = tile_of<T>::N, PITCH = tile_of<T>::PITCH, WIDTH = ATTEND_SIDE * C };
    enum { TWO = 2 * ATTEND_DEPTH * PITCH, ONE = ATTEND_DEPTH * WIDTH, ROOM = TWO > ONE ? TWO : ONE };
    alignas(16) __shared__ T room[ROOM], weights[N * PITCH];
    const query_tile tile = queries_of<N>(g);
    if (tile.at.none)
        return;
    const head_at  h = tile.at.h;
    const uint32_t row = tile.first, end = tile.end, column = tile.at.part * WIDTH;
    const rows_at &q = tile.q, &k = tile.k, &v = tile.v;
    const rows_at  f = rows_of(g.grad, h.batch, h.head, g.queries, g.width);
    T              sum[R][C], w[R][R], flow[R][R];
#pragma unroll
    for (int i = 0; i < R; i++)
#pragma unroll
        for (int j = 0; j < C; j++)
            sum[i][j] = 0;
    for (uint32_t key = 0; key < end; key += N) {
        multiply<T, R>(w, room, q, row, k, key);
        multiply<T, R>(flow, room, f, row, v, key);
#pragma unroll
        for (int i = 0; i < R; i++)
#pragma unroll
            for (int j = 0; j < R; j++) {
                T used;
                w[i][j] = (T)g.scale * slope_of(w[i][j], flow[i][j], used, g, h, row + row_of_thread() * R + (uint32_t)i,
                                                key + column_of_thread() * R + (uint32_t)j);
            }
        put_weights<T, R>(weights, w);
        gather<T, R, C>(sum, weights, room, k, key, column);
    }
    put_result<T, R, C>(sum, g.to_query, h.batch, h.head, row, g.queries, column, g.depth);
}

/* Rows of the tile are keys, its columns queries. */
template <class T, int C> static __global__ void __launch_bounds__(ARG_THREADS) attend_key(ARGUMENTS(attend_args) g)
{
    enum { R = tile_of<T>::R, N = tile_of<T>::N, PITCH = tile_of<T>::PITCH, WIDTH = ATTEND_SIDE * C };
    enum { TWO = 2 * ATTEND_DEPTH * PITCH, ONE = ATTEND_DEPTH * WIDTH, ROOM = TWO > ONE ? TWO : ONE };
    alignas(16) __shared__ T room[ROOM], weights[N * PITCH];
    const uint32_t heads = g.heads / g.group;
    const part_at  at = part_of(g, heads, (g.keys + N - 1) / N, false);
    if (at.none)
        return;
    const uint32_t row = at.tile * N, column = at.part * WIDTH;
    const rows_at  k = rows_of(g.key, at.h.batch, at.h.head, g.keys, g.depth);
    const rows_at  v = rows_of(g.value, at.h.batch, at.h.head, g.keys, g.width);
    T              to_key[R][C], to_value[R][C], w[R][R], flow[R][R];
#pragma unroll
    for (int i = 0; i < R; i++)
#pragma unroll
        for (int j = 0; j < C; j++)
            to_key[i][j] = to_value[i][j] = 0;
    for (uint32_t head = at.h.head * g.group; head < (at.h.head + 1) * g.group; head++) {
        const head_at h = {at.h.batch, head};
        const rows_at q = rows_of(g.query, h.batch, head, g.queries, g.depth), f = rows_of(g.grad, h.batch, head, g.queries,
                g.width);
        for (uint32_t query = g.causal ? row : 0; query < g.queries; query += N) {
            T used[R][R];
            multiply<T, R>(w, room, k, row, q, query);
            multiply<T, R>(flow, room, v, row, f, query);
#pragma unroll
            for (int i = 0; i < R; i++)
#pragma unroll
                for (int j = 0; j < R; j++)
                    w[i][j] = (T)g.scale * slope_of(w[i][j], flow[i][j], used[i][j], g, h,
                            query + column_of_thread() * R + (uint32_t)j,
                                                    row + row_of_thread() * R + (uint32_t)i);
            put_weights<T, R>(weights, used);
            gather<T, R, C>(to_value, weights, room, f, query, column);
            __syncthreads();
            put_weights<T, R>(weights, w);
            gather<T, R, C>(to_key, weights, room, q, query, column);
        }
    }
    put_result<T, R, C>(to_key, g.to_key, at.h.batch, at.h.head, row, g.keys, column, g.depth);
    put_result<T, R, C>(to_value, g.to_value, at.h.batch, at.h.head, row, g.keys, column, g.width);
}

/* A block has a tile of the mask, and goes through all scores that it is added to. */
template <class T> static __global__ void __launch_bounds__(ARG_THREADS) attend_mask(ARGUMENTS(attend_args) g)
{
    enum { R = tile_of<T>::R, N = tile_of<T>::N, PITCH = tile_of<T>::PITCH };
    alignas(16) __shared__ T room[2 * ATTEND_DEPTH * PITCH], sums[N * PITCH];
    const bool     one_row = g.mask_size[2] == 1, one_column = g.mask_size[3] == 1;
    const uint32_t rows = one_row ? 1 : (g.queries + N - 1) / N, columns = one_column ? 1 : (g.keys + N - 1) / N;
    const uint64_t block = blockIdx.x, above = block / columns / rows;
    if (block >= g.blocks)
        return;
    const uint32_t batch = (uint32_t)(above / g.mask_size[1]), head = (uint32_t)(above % g.mask_size[1]);
    const uint32_t first_row = (uint32_t)(block / columns % rows) * N, first_column = (uint32_t)(block % columns) * N;
    const uint32_t last_batch = g.mask_size[0] == 1 ? g.batch : batch + 1, last_head = g.mask_size[1] == 1 ? g.heads : head + 1;
    const uint32_t last_row = one_row ? g.queries : first_row + 1, last_column = one_column ? g.keys : first_column + 1;
    T              sum[R][R], w[R][R], flow[R][R];
#pragma unroll
    for (int i = 0; i < R; i++)
#pragma unroll
        for (int j = 0; j < R; j++)
            sum[i][j] = 0;
    for (uint32_t b = batch; b < last_batch; b++)
        for (uint32_t a = head; a < last_head; a++) {
            const head_at h = {b, a};
            const rows_at q = rows_of(g.query, b, a, g.queries, g.depth), f = rows_of(g.grad, b, a, g.queries, g.width);
            const rows_at k = rows_of(g.key, b, a / g.group, g.keys, g.depth), v = rows_of(g.value, b, a / g.group, g.keys,
                    g.width);
            for (uint32_t row = first_row; row < last_row; row += N)
                for (uint32_t key = first_column; key < last_column; key += N) {
                    multiply<T, R>(w, room, q, row, k, key);
                    multiply<T, R>(flow, room, f, row, v, key);
#pragma unroll
                    for (int i = 0; i < R; i++)
#pragma unroll
                        for (int j = 0; j < R; j++) {
                            T used;
                            sum[i][j] += slope_of(w[i][j], flow[i][j], used, g, h, row + row_of_thread() * R + (uint32_t)i,
                                                  key + column_of_thread() * R + (uint32_t)j);
                        }
                }
        }
    put_weights<T, R>(sums, sum);
    __syncthreads();
    const uint32_t tall = one_row ? 1 : N, wide = one_column ? 1 : N;
    for (uint32_t i = threadIdx.x; i < tall * wide; i += ARG_THREADS) {
        const uint32_t r = i / wide, c = i % wide;
        T              all = 0;
        for (uint32_t y = r; y < (one_row ? (uint32_t)N : r + 1); y++)
            for (uint32_t x = c; x < (one_column ? (uint32_t)N : c + 1); x++)
                all += sums[x * PITCH + y];
        if (first_row + r < g.mask_size[2] && first_column + c < g.mask_size[3])
            values<T>::store(g.to_mask.data + batch * g.to_mask.step[0] + head * g.to_mask.step[1] +
                                 (int64_t)(first_row + r) * g.to_mask.step[2] + (int64_t)(first_column + c) * g.to_mask.step[3],
                             g.to_mask.is, all);
    }
}

#define ATTEND_OF(T, C)                                                                                                  \
    {(const void *)attend_forward<T, C>, (const void *)attend_query<T, C>, (const void *)attend_key<T, C>,               \
     (const void *)attend_delta<T, by_e>, 16 * C}

#endif
