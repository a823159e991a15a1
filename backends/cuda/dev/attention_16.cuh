/* attention_16.cuh - attention of bfloat16 and float16 by tensor cores, forward and back, for columns of at most DP. What is
 * multiplied has 16 bits, weights too; sums and softmax are float32.
 *
 * In: attend_args. Out: as attention.cuh's. Each of a block's 8 warps has 16 rows, whose operands stay in registers; the others
 * pass by in shared memory, 64 rows at a time. A warp's products are of 16 x 16 by 16 x 8: lane l has of the first the rows
 * l / 4 and l / 4 + 8, of the second the column l / 4, of the result those rows and the columns 2 (l % 4) and the one after it.
 * Independent of: layouts, what is masked. */
#ifndef KARAT_CUDA_ATTENTION_16_CUH
#define KARAT_CUDA_ATTENTION_16_CUH

#include "dev/attention.cuh"

enum { WARP_ROWS = 16, BLOCK_ROWS = ATTEND_ROWS_16 };
static_assert(ARG_THREADS / 32 * WARP_ROWS == BLOCK_ROWS, "a warp has 16 rows");

static __device__ __forceinline__ uint32_t lane_of_thread() { return threadIdx.x % 32; }
static __device__ __forceinline__ uint32_t warp_of_thread() { return threadIdx.x / 32; }

/* ---- products of a warp, pairs of 16 bits, ways into shared memory ---- */
#ifdef __CUDA_ARCH__
template <int D> static __device__ __forceinline__ void product_of_warp(float (&c)[4], const uint32_t (&a)[4], uint32_t b0, uint32_t b1)
{
    if constexpr (D == KT_BF16)
        asm volatile("mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32 {%0,%1,%2,%3}, {%4,%5,%6,%7}, {%8,%9}, {%0,%1,%2,%3};"
                     : "+f"(c[0]), "+f"(c[1]), "+f"(c[2]), "+f"(c[3]) : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b0), "r"(b1));
    else
        asm volatile("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0,%1,%2,%3}, {%4,%5,%6,%7}, {%8,%9}, {%0,%1,%2,%3};"
                     : "+f"(c[0]), "+f"(c[1]), "+f"(c[2]), "+f"(c[3]) : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b0), "r"(b1));
}
template <int D> static __device__ __forceinline__ uint32_t pair_of(float low, float high)
{
    uint32_t pair;
    if constexpr (D == KT_BF16)
        asm("cvt.rn.bf16x2.f32 %0, %1, %2;" : "=r"(pair) : "f"(high), "f"(low));
    else
        asm("cvt.rn.f16x2.f32 %0, %1, %2;" : "=r"(pair) : "f"(high), "f"(low));
    return pair;
}
static __device__ __forceinline__ float power_of_two(float x)
{
    float y;
    asm("ex2.approx.ftz.f32 %0, %1;" : "=f"(y) : "f"(x));
    return y;
}
static __device__ __forceinline__ uint32_t shared_address(const void *at) { return (uint32_t)__cvta_generic_to_shared(at); }
static __device__ __forceinline__ void     copy_later(void *to, const void *from, bool inside)
{
    asm volatile("cp.async.cg.shared.global [%0], [%1], 16, %2;" ::"r"(shared_address(to)), "l"(from), "r"(inside ? 16 : 0));
}
static __device__ __forceinline__ void end_copies() { asm volatile("cp.async.commit_group;"); }
template <int N> static __device__ __forceinline__ void wait_for_copies() { asm volatile("cp.async.wait_group %0;" ::"n"(N)); }
static __device__ __forceinline__ void load_four(uint32_t (&b)[4], const uint16_t *at)
{
    asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0,%1,%2,%3}, [%4];"
                 : "=r"(b[0]), "=r"(b[1]), "=r"(b[2]), "=r"(b[3]) : "r"(shared_address(at)));
}
static __device__ __forceinline__ void load_four_turned(uint32_t (&b)[4], const uint16_t *at)
{
    asm volatile("ldmatrix.sync.aligned.m8n8.x4.trans.shared.b16 {%0,%1,%2,%3}, [%4];"
                 : "=r"(b[0]), "=r"(b[1]), "=r"(b[2]), "=r"(b[3]) : "r"(shared_address(at)));
}
#else
template <int D> static __device__ float half_at(uint32_t pair, int i)
{
    return (float)dtype<D>::get((typename dtype<D>::S)(uint16_t)(pair >> 16 * i));
}
template <int D> static __device__ void product_of_warp(float (&c)[4], const uint32_t (&a)[4], uint32_t b0, uint32_t b1)
{
    const int lane = (int)lane_of_thread(), g = lane / 4, t = lane % 4;
    uint32_t  left[4][4], right[2][4][2];
    for (int i = 0; i < 4; i++) {
        for (int r = 0; r < 4; r++)
            left[i][r] = __shfl_sync(~0u, a[r], 4 * g + i);
        for (int n = 0; n < 2; n++) {
            right[n][i][0] = __shfl_sync(~0u, b0, 4 * (2 * t + n) + i);
            right[n][i][1] = __shfl_sync(~0u, b1, 4 * (2 * t + n) + i);
        }
    }
    for (int k = 0; k < 16; k++)
        for (int r = 0; r < 2; r++)
            for (int n = 0; n < 2; n++)
                c[2 * r + n] += half_at<D>(left[k % 8 / 2][k / 8 * 2 + r], k % 2) * half_at<D>(right[n][k % 8 / 2][k / 8], k % 2);
}
template <int D> static __device__ uint32_t pair_of(float low, float high)
{
    return (uint32_t)(uint16_t)dtype<D>::put(low) | (uint32_t)(uint16_t)dtype<D>::put(high) << 16;
}
static __device__ float power_of_two(float x) { return exp2f(x); }
static __device__ void  copy_later(void *to, const void *from, bool inside)
{
    if (inside)
        memcpy(to, from, 16);
    else
        memset(to, 0, 16);
}
static __device__ void                  end_copies() {}
template <int N> static __device__ void wait_for_copies() {}
static __device__ void                  load_four(uint32_t (&b)[4], const uint16_t *at)
{
    const uint64_t mine = (uint64_t)(uintptr_t)at;
    for (int i = 0; i < 4; i++)
        memcpy(&b[i], (const uint16_t *)(uintptr_t)__shfl_sync(~0u, mine, 8 * i + (int)lane_of_thread() / 4) + lane_of_thread() % 4 * 2, 4);
}
static __device__ void load_four_turned(uint32_t (&b)[4], const uint16_t *at)
{
    const uint64_t mine = (uint64_t)(uintptr_t)at;
    for (int i = 0; i < 4; i++) {
        const int       first = 8 * i + (int)lane_of_thread() % 4 * 2, column = (int)lane_of_thread() / 4;
        const uint16_t *low = (const uint16_t *)(uintptr_t)__shfl_sync(~0u, mine, first);
        const uint16_t *high = (const uint16_t *)(uintptr_t)__shfl_sync(~0u, mine, first + 1);
        b[i] = low[column] | (uint32_t)high[column] << 16;
    }
}
#endif

/* ---- tiles ---- */
static __device__ __forceinline__ bool are_vectors(const rows_at &m)
{
    return m.by_column == 2 && m.by_row % 16 == 0 && m.columns % 8 == 0 && (uintptr_t)m.data % 16 == 0;
}

/* N rows from `row` on, all columns: to[row][column], 0 outside. They arrive later, or at once. */
template <int N, int DP> static __device__ __forceinline__ void fetch(uint16_t *to, const rows_at &m, uint32_t row, bool vectors)
{
    enum { PITCH = DP + 8, EACH = DP / 8 };
    if (vectors) {
#pragma unroll
        for (uint32_t i = threadIdx.x; i < N * EACH; i += ARG_THREADS) {
            const uint32_t r = i / EACH, c = i % EACH * 8;
            const bool     inside = row + r < m.rows && c < m.columns;
            copy_later(to + r * PITCH + c, inside ? m.data + (int64_t)(row + r) * m.by_row + (int64_t)c * 2 : m.data, inside);
        }
    } else {
        for (uint32_t i = threadIdx.x; i < N * DP; i += ARG_THREADS) {
            const uint32_t r = i / DP, c = i % DP;
            const bool     inside = row + r < m.rows && c < m.columns;
            to[r * PITCH + c] = inside ? *(const uint16_t *)(m.data + (int64_t)(row + r) * m.by_row + (int64_t)c * m.by_column) : 0;
        }
    }
    end_copies();
}

/* The warp's 16 rows as first operands. */
template <int DP> static __device__ __forceinline__ void load_rows(uint32_t (&a)[DP / 16][4], const rows_at &m, uint32_t row)
{
    const uint32_t g = lane_of_thread() / 4, t = lane_of_thread() % 4;
#pragma unroll
    for (int k = 0; k < DP / 16; k++)
#pragma unroll
        for (int i = 0; i < 4; i++) {
            const uint32_t r = row + g + (uint32_t)(i % 2) * 8, c = (uint32_t)k * 16 + t * 2 + (uint32_t)(i / 2) * 8;
            const char    *at = m.data + (int64_t)r * m.by_row + (int64_t)c * m.by_column;
            const uint32_t low = r < m.rows && c < m.columns ? *(const uint16_t *)at : 0;
            const uint32_t high = r < m.rows && c + 1 < m.columns ? *(const uint16_t *)(at + m.by_column) : 0;
            a[k][i] = low | high << 16;
        }
}

/* sum += a times the tile turned: sums over columns; of N rows of the tile. */
template <int D, int DP, int N>
static __device__ __forceinline__ void products(float (&sum)[N / 8][4], const uint32_t (&a)[DP / 16][4], const uint16_t *tile)
{
    enum { PITCH = DP + 8 };
    const uint32_t  lane = lane_of_thread();
    const uint16_t *at = tile + (lane / 16 * 8 + lane % 8) * PITCH + lane / 8 % 2 * 8;
#pragma unroll
    for (int n = 0; n < N / 8; n++)
        sum[n][0] = sum[n][1] = sum[n][2] = sum[n][3] = 0;
#pragma unroll
    for (int k = 0; k < DP / 16; k++)
#pragma unroll
        for (int n = 0; n < N / 16; n++) {
            uint32_t b[4];
            load_four(b, at + n * 16 * PITCH + k * 16);
            product_of_warp<D>(sum[2 * n], a[k], b[0], b[1]);
            product_of_warp<D>(sum[2 * n + 1], a[k], b[2], b[3]);
        }
}

/* sum += w times the tile: sums over its N rows. */
template <int D, int DP, int N>
static __device__ __forceinline__ void add_rows(float (&sum)[DP / 8][4], const float (&w)[N / 8][4], const uint16_t *tile)
{
    enum { PITCH = DP + 8 };
    const uint32_t  lane = lane_of_thread();
    const uint16_t *at = tile + (lane / 8 % 2 * 8 + lane % 8) * PITCH + lane / 16 * 8;
#pragma unroll
    for (int k = 0; k < N / 16; k++) {
        const uint32_t a[4] = {pair_of<D>(w[2 * k][0], w[2 * k][1]), pair_of<D>(w[2 * k][2], w[2 * k][3]),
                               pair_of<D>(w[2 * k + 1][0], w[2 * k + 1][1]), pair_of<D>(w[2 * k + 1][2], w[2 * k + 1][3])};
#pragma unroll
        for (int n = 0; n < DP / 16; n++) {
            uint32_t b[4];
            load_four_turned(b, at + k * 16 * PITCH + n * 16);
            product_of_warp<D>(sum[2 * n], a, b[0], b[1]);
            product_of_warp<D>(sum[2 * n + 1], a, b[2], b[3]);
        }
    }
}

template <int D, int DP>
static __device__ __forceinline__ void put_rows(const float (&sum)[DP / 8][4], const attend_matrices &m, head_at h, uint32_t row,
                                                uint32_t rows, uint32_t columns)
{
    const uint32_t g = lane_of_thread() / 4, t = lane_of_thread() % 4;
    char          *to = m.data + h.batch * m.step[0] + h.head * m.step[1];
    const bool     pairs = m.step[3] == 2 && m.step[2] % 4 == 0 && (uintptr_t)to % 4 == 0 && columns % 2 == 0;
#pragma unroll
    for (int n = 0; n < DP / 8; n++)
#pragma unroll
        for (int i = 0; i < 2; i++) {
            const uint32_t r = row + g + (uint32_t)i * 8, c = (uint32_t)n * 8 + t * 2, pair = pair_of<D>(sum[n][2 * i], sum[n][2 * i + 1]);
            char          *at = to + (int64_t)r * m.step[2] + (int64_t)c * m.step[3];
            if (r >= rows || c >= columns)
                continue;
            if (pairs) {
                *(uint32_t *)at = pair;
                continue;
            }
            *(uint16_t *)at = (uint16_t)pair;
            if (c + 1 < columns)
                *(uint16_t *)(at + m.step[3]) = (uint16_t)(pair >> 16);
        }
}

/* ---- scores, as powers of two ---- */
#define LOG2_E 1.44269504088896341f

/* Some of a tile of queries from `query` on and keys from `key` on, of so many each, are hidden, or all are to be looked at. */
static __device__ __forceinline__ bool is_hidden_somewhere(const attend_args &g, uint32_t query, uint32_t key, uint32_t keys)
{
    return g.mask.data || key + keys > g.keys || (g.causal && key + keys > query + 1);
}

static __device__ __forceinline__ float shown_score(float product, float scale, const attend_args &g, head_at h, uint32_t query,
                                                    uint32_t key)
{
    if (query >= g.queries || key >= g.keys || (g.causal && key > query))
        return -INFINITY;
    const float score = product * scale;
    if (!g.mask.data)
        return score;
    const char *at = g.mask.data + h.batch * g.mask.step[0] + h.head * g.mask.step[1] + query * g.mask.step[2] + key * g.mask.step[3];
    if (g.mask.is == KT_BOOL)
        return *(const uint8_t *)at ? score : -INFINITY;
    return fmaf(values<float>::load(at, g.mask.is), LOG2_E, score);
}

/* ---- forward ---- */
template <int D, int DP> static __global__ void __launch_bounds__(ARG_THREADS) attend_forward_16(ARGUMENTS(attend_args) g)
{
    enum { KEYS = 64, PITCH = DP + 8 };
    alignas(16) __shared__ uint16_t keys[KEYS * PITCH], seen[KEYS * PITCH];
    const part_at at = part_of(g, g.heads, (g.queries + BLOCK_ROWS - 1) / BLOCK_ROWS, true);
    if (at.none)
        return;
    const head_at  h = at.h;
    const uint32_t first = at.tile * BLOCK_ROWS, row = first + warp_of_thread() * WARP_ROWS, kv = h.head / g.group;
    const uint32_t lane_row = lane_of_thread() / 4, lane_column = lane_of_thread() % 4 * 2;
    const rows_at  q = rows_of(g.query, h.batch, h.head, g.queries, g.depth), k = rows_of(g.key, h.batch, kv, g.keys, g.depth);
    const rows_at  v = rows_of(g.value, h.batch, kv, g.keys, g.width);
    const uint32_t end = g.causal && first + BLOCK_ROWS < g.keys ? first + BLOCK_ROWS : g.keys;
    const bool     k_vectors = are_vectors(k), v_vectors = are_vectors(v);
    const float    scale = (float)g.scale * LOG2_E;
    uint32_t       a[DP / 16][4];
    float          sum[DP / 8][4], most[2] = {-INFINITY, -INFINITY}, all[2] = {0, 0};
    load_rows<DP>(a, q, row);
#pragma unroll
    for (int n = 0; n < DP / 8; n++)
        sum[n][0] = sum[n][1] = sum[n][2] = sum[n][3] = 0;
    fetch<KEYS, DP>(keys, k, 0, k_vectors);
    for (uint32_t key = 0; key < end; key += KEYS) {
        float w[KEYS / 8][4];
        wait_for_copies<0>();
        __syncthreads(); /* the keys are here, and nobody reads the values of the last tile */
        fetch<KEYS, DP>(seen, v, key, v_vectors);
        products<D, DP, KEYS>(w, a, keys);
        __syncthreads();
        if (key + KEYS < end)
            fetch<KEYS, DP>(keys, k, key + KEYS, k_vectors);
        const bool looks = is_hidden_somewhere(g, row, key, KEYS) || row + WARP_ROWS > g.queries;
#pragma unroll
        for (int i = 0; i < 2; i++) {
            const uint32_t query = row + lane_row + (uint32_t)i * 8;
            float          largest = most[i];
#pragma unroll
            for (int n = 0; n < KEYS / 8; n++)
#pragma unroll
                for (int j = 0; j < 2; j++) {
                    float &x = w[n][2 * i + j];
                    x = looks ? shown_score(x, scale, g, h, query, key + (uint32_t)n * 8 + lane_column + (uint32_t)j) : x * scale;
                    largest = x > largest ? x : largest;
                }
#pragma unroll
            for (int away = 2; away; away /= 2) {
                const float other = __shfl_xor_sync(~0u, largest, away);
                largest = other > largest ? other : largest;
            }
            const float from = largest == -INFINITY ? 0.0f : largest, shrink = power_of_two(most[i] - from);
            float       part = 0;
            most[i] = largest;
#pragma unroll
            for (int n = 0; n < KEYS / 8; n++) {
                uint4 d;
                if (g.draws)
                    d = draws_of(g.draws, g.keys, ((uint64_t)h.batch * g.heads + h.head) * g.queries + query, key + (uint32_t)n * 8 + lane_column);
#pragma unroll
                for (int j = 0; j < 2; j++) {
                    float &x = w[n][2 * i + j];
                    x = power_of_two(x - from);
                    part += x;
                    if (g.draws)
                        x = is_kept(d, key + lane_column + (uint32_t)j, (float)g.keep) ? x : 0.0f;
                }
            }
            all[i] = fmaf(all[i], shrink, part);
#pragma unroll
            for (int n = 0; n < DP / 8; n++)
                sum[n][2 * i] *= shrink, sum[n][2 * i + 1] *= shrink;
        }
        if (key + KEYS < end)
            wait_for_copies<1>(); /* the values; not the next keys */
        else
            wait_for_copies<0>();
        __syncthreads();
        add_rows<D, DP, KEYS>(sum, w, seen);
    }
#pragma unroll
    for (int i = 0; i < 2; i++) {
        const uint32_t query = row + lane_row + (uint32_t)i * 8;
#pragma unroll
        for (int away = 2; away; away /= 2)
            all[i] += __shfl_xor_sync(~0u, all[i], away);
        const float factor = all[i] == 0 ? 0.0f : 1 / (all[i] * (float)g.keep);
#pragma unroll
        for (int n = 0; n < DP / 8; n++)
            sum[n][2 * i] *= factor, sum[n][2 * i + 1] *= factor;
        if (lane_column == 0 && query < g.queries)
            *(float *)(g.sums + h.batch * g.sums_step[0] + h.head * g.sums_step[1] + query * g.sums_step[2]) =
                all[i] == 0 ? 0.0f : fmaf(most[i], 1 / LOG2_E, logf(all[i]));
    }
    put_rows<D, DP>(sum, g.out, h, row, g.queries, g.width);
}

/* ---- back ---- */

/* Of a product: the weight as it is multiplied, in `used`, and what flows back to the product. */
static __device__ __forceinline__ float slope_of_16(float product, float flow, float &used, float scale, float sums, float delta, bool looks,
                                                    const attend_args &g, head_at h, uint32_t query, uint32_t key)
{
    const float score = looks ? shown_score(product, scale, g, h, query, key) : product * scale;
    const float weight = power_of_two(score - sums);
    used = weight;
    if (g.draws) {
        const float factor = query < g.queries && key < g.keys && is_kept_at(g, h, query, key) ? 1 / (float)g.keep : 0.0f;
        used *= factor;
        flow *= factor;
    }
    return weight * (flow - delta) * (float)g.scale;
}

template <int D, int DP> static __global__ void __launch_bounds__(ARG_THREADS) attend_query_16(ARGUMENTS(attend_args) g)
{
    enum { KEYS = DP > 64 ? 32 : 64, PITCH = DP + 8 };
    alignas(16) __shared__ uint16_t keys[KEYS * PITCH], seen[KEYS * PITCH];
    const part_at at = part_of(g, g.heads, (g.queries + BLOCK_ROWS - 1) / BLOCK_ROWS, true);
    if (at.none)
        return;
    const head_at  h = at.h;
    const uint32_t first = at.tile * BLOCK_ROWS, row = first + warp_of_thread() * WARP_ROWS, kv = h.head / g.group;
    const uint32_t lane_row = lane_of_thread() / 4, lane_column = lane_of_thread() % 4 * 2;
    const rows_at  q = rows_of(g.query, h.batch, h.head, g.queries, g.depth), f = rows_of(g.grad, h.batch, h.head, g.queries, g.width);
    const rows_at  k = rows_of(g.key, h.batch, kv, g.keys, g.depth), v = rows_of(g.value, h.batch, kv, g.keys, g.width);
    const uint32_t end = g.causal && first + BLOCK_ROWS < g.keys ? first + BLOCK_ROWS : g.keys;
    const bool     k_vectors = are_vectors(k), v_vectors = are_vectors(v);
    const float    scale = (float)g.scale * LOG2_E;
    uint32_t       a[DP / 16][4], b[DP / 16][4];
    float          sum[DP / 8][4], sums[2], delta[2];
    load_rows<DP>(a, q, row);
    load_rows<DP>(b, f, row);
#pragma unroll
    for (int i = 0; i < 2; i++) {
        const uint32_t query = row + lane_row + (uint32_t)i * 8;
        sums[i] = query < g.queries ? sum_at<float>(g, h, query) * LOG2_E : INFINITY;
        delta[i] = query < g.queries ? delta_at<float>(g, h, query) : 0.0f;
    }
#pragma unroll
    for (int n = 0; n < DP / 8; n++)
        sum[n][0] = sum[n][1] = sum[n][2] = sum[n][3] = 0;
    fetch<KEYS, DP>(keys, k, 0, k_vectors);
    for (uint32_t key = 0; key < end; key += KEYS) {
        float w[KEYS / 8][4], flow[KEYS / 8][4];
        fetch<KEYS, DP>(seen, v, key, v_vectors);
        wait_for_copies<0>();
        __syncthreads();
        products<D, DP, KEYS>(flow, b, seen);
        products<D, DP, KEYS>(w, a, keys);
        const bool looks = is_hidden_somewhere(g, row, key, KEYS) || row + WARP_ROWS > g.queries;
#pragma unroll
        for (int n = 0; n < KEYS / 8; n++)
#pragma unroll
            for (int i = 0; i < 4; i++) {
                float used;
                w[n][i] = slope_of_16(w[n][i], flow[n][i], used, scale, sums[i / 2], delta[i / 2], looks, g, h,
                                      row + lane_row + (uint32_t)(i / 2) * 8, key + (uint32_t)n * 8 + lane_column + (uint32_t)(i % 2));
            }
        add_rows<D, DP, KEYS>(sum, w, keys);
        __syncthreads();
        if (key + KEYS < end)
            fetch<KEYS, DP>(keys, k, key + KEYS, k_vectors);
    }
    put_rows<D, DP>(sum, g.to_query, h, row, g.queries, g.depth);
}

/* Rows are keys, and queries pass by. */
template <int D, int DP> static __global__ void __launch_bounds__(ARG_THREADS) attend_key_16(ARGUMENTS(attend_args) g)
{
    enum { QUERIES = DP > 64 ? 32 : 64, PITCH = DP + 8 };
    alignas(16) __shared__ uint16_t asked[QUERIES * PITCH], flows[QUERIES * PITCH];
    __shared__ float sums[QUERIES], delta[QUERIES];
    const uint32_t heads = g.heads / g.group;
    const part_at  at = part_of(g, heads, (g.keys + BLOCK_ROWS - 1) / BLOCK_ROWS, false);
    if (at.none)
        return;
    const uint32_t first = at.tile * BLOCK_ROWS, row = first + warp_of_thread() * WARP_ROWS;
    const uint32_t lane_row = lane_of_thread() / 4, lane_column = lane_of_thread() % 4 * 2;
    const rows_at  k = rows_of(g.key, at.h.batch, at.h.head, g.keys, g.depth);
    const rows_at  v = rows_of(g.value, at.h.batch, at.h.head, g.keys, g.width);
    const float    scale = (float)g.scale * LOG2_E;
    uint32_t       a[DP / 16][4], b[DP / 16][4];
    float          to_key[DP / 8][4], to_value[DP / 8][4];
    load_rows<DP>(a, k, row);
    load_rows<DP>(b, v, row);
#pragma unroll
    for (int n = 0; n < DP / 8; n++)
#pragma unroll
        for (int i = 0; i < 4; i++)
            to_key[n][i] = to_value[n][i] = 0;
    for (uint32_t head = at.h.head * g.group; head < (at.h.head + 1) * g.group; head++) {
        const head_at h = {at.h.batch, head};
        const rows_at q = rows_of(g.query, h.batch, head, g.queries, g.depth), f = rows_of(g.grad, h.batch, head, g.queries, g.width);
        const bool    q_vectors = are_vectors(q), f_vectors = are_vectors(f);
        for (uint32_t query = g.causal ? first : 0; query < g.queries; query += QUERIES) {
            float w[QUERIES / 8][4], flow[QUERIES / 8][4];
            __syncthreads();
            fetch<QUERIES, DP>(asked, q, query, q_vectors);
            fetch<QUERIES, DP>(flows, f, query, f_vectors);
            if (threadIdx.x < QUERIES) {
                const uint32_t i = query + threadIdx.x;
                sums[threadIdx.x] = i < g.queries ? sum_at<float>(g, h, i) * LOG2_E : INFINITY;
                delta[threadIdx.x] = i < g.queries ? delta_at<float>(g, h, i) : 0.0f;
            }
            wait_for_copies<0>();
            __syncthreads();
            products<D, DP, QUERIES>(w, a, asked);
            products<D, DP, QUERIES>(flow, b, flows);
            const bool looks = is_hidden_somewhere(g, query, row, WARP_ROWS) || query + QUERIES > g.queries;
#pragma unroll
            for (int n = 0; n < QUERIES / 8; n++)
#pragma unroll
                for (int i = 0; i < 4; i++) {
                    const uint32_t column = (uint32_t)n * 8 + lane_column + (uint32_t)(i % 2);
                    float          used;
                    flow[n][i] = slope_of_16(w[n][i], flow[n][i], used, scale, sums[column], delta[column], looks, g, h, query + column,
                                             row + lane_row + (uint32_t)(i / 2) * 8);
                    w[n][i] = used;
                }
            add_rows<D, DP, QUERIES>(to_value, w, flows);
            add_rows<D, DP, QUERIES>(to_key, flow, asked);
        }
    }
    put_rows<D, DP>(to_key, g.to_key, at.h, row, g.keys, g.depth);
    put_rows<D, DP>(to_value, g.to_value, at.h, row, g.keys, g.width);
}

#define ATTEND_16(D, DP)                                                                                                          \
    {(const void *)attend_forward_16<D, DP>, (const void *)attend_query_16<D, DP>, (const void *)attend_key_16<D, DP>, DP}

#endif
