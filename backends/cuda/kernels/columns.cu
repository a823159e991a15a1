/* columns.cu - sums of columns of float32, bfloat16 and float16: what flows back to a bias. A lane has a vector of columns, the
 * warps of a block take rows in turn, and several rows are on their way at once; a second kernel adds what the blocks have, in
 * their order. Sums are doubles.
 *
 * In: columns_args. Out: sums, or averages. Independent of: how the work is cut (reduce.c). */
#include "args.h"
#include "dev/early.cuh"
#include "dev/group.cuh"
#include "dev/values.cuh"

enum { V = COLUMNS_VECTOR, WARPS = ARG_THREADS / WARP };

template <int D> static __global__ void __launch_bounds__(ARG_THREADS, COLUMNS_BLOCKS) sum_columns(ARGUMENTS(columns_args) g)
{
    enum { ROWS = D == KT_F32 ? 4 : 8, BYTES = V * sizeof(typename dtype<D>::S), WORDS = BYTES / 4 };
    __shared__ double room[WARPS / 2][WARP * V];
    const uint32_t    lane = threadIdx.x % WARP, warp = threadIdx.x / WARP;
    const uint32_t    part = blockIdx.x / g.groups, column = ((blockIdx.x - part * g.groups) * WARP + lane) * V;
    const uint64_t    begin = (uint64_t)part * g.part, end = begin + g.part < g.rows ? begin + g.part : g.rows;
    const bool        mine = column < g.columns;
    const char       *from = g.in + (uint64_t)column * sizeof(typename dtype<D>::S);
    double            sum[V];
#pragma unroll
    for (int k = 0; k < V; k++)
        sum[k] = 0;
    after_earlier();
    if (part >= g.parts) /* a small grid is rounded up */
        return;
    for (uint64_t i = begin + warp; mine && i < end; i += ROWS * WARPS) {
        raw<V> r[ROWS];
#pragma unroll
        for (int row = 0; row < ROWS; row++) {
            if (i + row * WARPS < end)
                load_bytes<BYTES>(r[row], from + (int64_t)(i + row * WARPS) * g.apart);
            else
#pragma unroll
                for (int k = 0; k < WORDS; k++)
                    r[row].word[k] = 0;
        }
#pragma unroll
        for (int row = 0; row < ROWS; row++) {
            float v[V];
            decode_as<D>(v, r[row]);
#pragma unroll
            for (int k = 0; k < V; k++)
                sum[k] += (double)v[k];
        }
    }
#pragma unroll
    for (int half = WARPS / 2; half > 0; half /= 2) {
        __syncthreads();
#pragma unroll
        for (int k = 0; k < V; k++)
            if (warp >= half && warp < 2 * half)
                room[warp - half][k * WARP + lane] = sum[k];
        __syncthreads();
#pragma unroll
        for (int k = 0; k < V; k++)
            if (warp < half)
                sum[k] += room[warp][k * WARP + lane];
    }
    if (warp != 0 || !mine)
        return;
#pragma unroll
    for (int k = 0; k < V; k++)
        g.states[(uint64_t)part * g.columns + column + k] = sum[k];
}

/* The blocks' sums of a column, by WARPS threads. */
static __global__ void __launch_bounds__(ARG_THREADS) join_columns(ARGUMENTS(columns_args) g)
{
    __shared__ double room[WARPS][WARP];
    const uint32_t    lane = threadIdx.x % WARP, warp = threadIdx.x / WARP, column = blockIdx.x * WARP + lane;
    double            sum = 0;
    after_earlier();
#pragma unroll 8
    for (uint32_t part = warp; column < g.columns && part < g.parts; part += WARPS)
        sum += g.states[(uint64_t)part * g.columns + column];
    room[warp][lane] = sum;
    __syncthreads();
    if (warp != 0 || column >= g.columns)
        return;
    for (int i = 1; i < WARPS; i++)
        sum += room[i][lane];
    values<float>::store(g.out + (int64_t)column * g.out_apart, g.out_is, (float)(sum / g.divisor));
}

#define COLUMNS(D) {KT_##D, (const void *)sum_columns<KT_##D>},
const columns_kernel columns_table[] = {COLUMNS(F32) COLUMNS(BF16) COLUMNS(F16){KT_NONE, NULL}};
const void *const    join_columns_kernel = (const void *)join_columns;
