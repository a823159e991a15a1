/* attention_warp.cuh - attention by tensor cores, forward and back, for columns of at most DP. Sums and softmax are float32.
 * Numbers
 * of 16 bits are multiplied as they are, weights rounded to such; a float32 is multiplied as two numbers of 11 bits each, whose
 * three larger products are added: its own precision, but for the last bit.
 *
 * In: attend_args. Out: as attention.cuh's. Each of a block's 8 warps has 16 rows, whose operands stay in registers; the others
 * pass by in shared memory. A warp's products are of 16 rows by 8 columns: lane l has of the first operand the rows l / 4 and
 * l / 4 + 8, of the second the column l / 4, of the result those rows and the columns 2 (l % 4) and the one after it.
 * Independent of: layouts, what is masked. */
#ifndef KARAT_CUDA_ATTENTION_WARP_CUH
#define KARAT_CUDA_ATTENTION_WARP_CUH

#include "dev/attention.cuh"

enum { WARP_ROWS = 16, BLOCK_ROWS = ATTEND_ROWS };
static_assert(ARG_THREADS / 32 * WARP_ROWS == BLOCK_ROWS, "a warp has 16 rows");

static __device__ __forceinline__ uint32_t lane_of_thread() { return threadIdx.x % 32; }
static __device__ __forceinline__ uint32_t warp_of_thread() { return threadIdx.x / 32; }

/* ---- products of a warp, pairs of 16 bits, ways into shared memory ---- */
#ifdef __CUDA_ARCH__
template <int D> static __device__ __forceinline__ void product_of_warp(float (&c)[4], const uint32_t (&a)[4], uint32_t b0,
        uint32_t b1)
{
    if constexpr (D == KT_BF16)
        asm("mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32 {%0,%1,%2,%3}, {%4,%5,%6,%7}, {%8,%9}, {%0,%1,%2,%3};"
                     : "+f"(c[0]), "+f"(c[1]), "+f"(c[2]), "+f"(c[3]) : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b0),
                             "r"(b1));
    else
        asm("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0,%1,%2,%3}, {%4,%5,%6,%7}, {%8,%9}, {%0,%1,%2,%3};"
                     : "+f"(c[0]), "+f"(c[1]), "+f"(c[2]), "+f"(c[3]) : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b0),
                             "r"(b1));
}
static __device__ __forceinline__ void product_of_parts(float (&c)[4], const uint32_t (&a)[4], uint32_t b0, uint32_t b1)
{
    asm("mma.sync.aligned.m16n8k8.row.col.f32.tf32.tf32.f32 {%0,%1,%2,%3}, {%4,%5,%6,%7}, {%8,%9}, {%0,%1,%2,%3};"
        : "+f"(c[0]), "+f"(c[1]), "+f"(c[2]), "+f"(c[3]) : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b0), "r"(b1));
}
static __device__ __forceinline__ uint32_t part_of_11(float x)
{
    uint32_t part;
    asm("cvt.rna.tf32.f32 %0, %1;" : "=r"(part) : "f"(x));
    return part;
}
static __device__ __forceinline__ float number_from(uint32_t bits) { return __uint_as_float(bits); }
static __device__ __forceinline__ uint32_t bits_from(float x) { return __float_as_uint(x); }
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
static __device__ float number_from(uint32_t bits)
{
    float x;
    memcpy(&x, &bits, sizeof x);
    return x;
}
static __device__ uint32_t bits_from(float x)
{
    uint32_t bits;
    memcpy(&bits, &x, sizeof x);
    return bits;
}
static __device__ uint32_t part_of_11(float x) { return bits_from(x) & 0xffffe000u; }
static __device__ void product_of_parts(float (&c)[4], const uint32_t (&a)[4], uint32_t b0, uint32_t b1)
{
    const int lane = (int)lane_of_thread(), g = lane / 4, t = lane % 4;
    float     left[2][8], right[2][8];
    for (int i = 0; i < 4; i++)
        for (int r = 0; r < 2; r++) {
            left[r][i] = number_from(__shfl_sync(~0u, a[r], 4 * g + i));
            left[r][i + 4] = number_from(__shfl_sync(~0u, a[r + 2], 4 * g + i));
            right[r][i] = number_from(__shfl_sync(~0u, b0, 4 * (2 * t + r) + i));
            right[r][i + 4] = number_from(__shfl_sync(~0u, b1, 4 * (2 * t + r) + i));
        }
    for (int k = 0; k < 8; k++)
        for (int r = 0; r < 2; r++)
            for (int n = 0; n < 2; n++)
                c[2 * r + n] += left[r][k] * right[n][k];
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
        memcpy(&b[i], (const uint16_t *)(uintptr_t)__shfl_sync(~0u, mine,
                8 * i + (int)lane_of_thread() / 4) + lane_of_thread() % 4 * 2, 4);
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

/* Of a dtype: its elements in memory, of how many columns a first operand is, the distance of rows in shared memory, at which
 * lanes
 * meet in no bank; how many rows pass by at once. */
template <int D> struct elements {
    typedef uint16_t S;
    enum { COLUMNS = 16, MORE = 8 };
};
template <> struct elements<KT_F32> {
    typedef float S;
    enum { COLUMNS = 8, MORE = 4 };
};
template <int D, int DP> struct sizes_of {
    enum { PITCH = DP + elements<D>::MORE, FIRST = DP / elements<D>::COLUMNS, WIDTH = sizeof(typename elements<D>::S) };
    enum { AHEAD = WIDTH == 2 || DP == 64 ? 64 : 32, BACK = DP == 64 ? 64 / (WIDTH / 2) : 32 / (WIDTH / 2) };
    enum { BLOCKS = WIDTH == 2 && DP == 64 ? 2 : 1 }; /* that a multiprocessor is to have at once */
    enum { KEYS_BACK = BLOCKS == 2 ? 32 : BACK };
};

template <int WIDTH> static __device__ __forceinline__ bool are_vectors(const rows_at &m)
{
    return m.by_column == WIDTH && m.by_row % 16 == 0 && m.columns % (16 / WIDTH) == 0 && (uintptr_t)m.data % 16 == 0;
}

/* N rows from `row` on, all columns: to[row][column], 0 outside. They arrive later, or at once. */
template <int D, int N, int DP>
static __device__ __forceinline__ void fetch(typename elements<D>::S *to, const rows_at &m, uint32_t row, bool vectors)
{
    typedef typename elements<D>::S S;
    enum { PITCH = sizes_of<D, DP>::PITCH, WIDTH = sizeof(S), VECTOR = 16 / WIDTH, EACH = DP / VECTOR };
    if (vectors) {
#pragma unroll
        for (uint32_t i = threadIdx.x; i < N * EACH; i += ARG_THREADS) {
            const uint32_t r = i / EACH, c = i % EACH * VECTOR;
            const bool     inside = row + r < m.rows && c < m.columns;
            copy_later(to + r * PITCH + c, inside ? m.data + (int64_t)(row + r) * m.by_row + (int64_t)c * WIDTH : m.data, inside);
        }
    } else {
#pragma unroll 1
        for (uint32_t i = threadIdx.x; i < N * DP; i += ARG_THREADS) {
            const uint32_t r = i / DP, c = i % DP;
            const bool     inside = row + r < m.rows && c < m.columns;
            to[r * PITCH + c] = inside ? *(const S *)(m.data + (int64_t)(row + r) * m.by_row + (int64_t)c * m.by_column) : S(0);
        }
    }
    end_copies();
}

static __device__ __forceinline__ uint32_t element_bits(const rows_at &m, uint32_t row, uint32_t column, int width)
{
    const char *at = m.data + (int64_t)row * m.by_row + (int64_t)column * m.by_column;
    return row < m.rows && column < m.columns ? width == 2 ? *(const uint16_t *)at : *(const uint32_t *)at : 0;
}

/* The warp's 16 rows as first operands. */
template <int D, int DP>
static __device__ __forceinline__ void load_rows(uint32_t (&a)[sizes_of<D, DP>::FIRST][4], const rows_at &m, uint32_t row)
{
    const uint32_t g = lane_of_thread() / 4, t = lane_of_thread() % 4;
#pragma unroll
    for (int k = 0; k < sizes_of<D, DP>::FIRST; k++)
#pragma unroll
        for (int i = 0; i < 4; i++) {
            const uint32_t r = row + g + (uint32_t)(i % 2) * 8;
            if constexpr (D == KT_F32) {
                a[k][i] = element_bits(m, r, (uint32_t)k * 8 + t + (uint32_t)(i / 2) * 4, 4);
            } else {
                const uint32_t c = (uint32_t)k * 16 + t * 2 + (uint32_t)(i / 2) * 8;
                a[k][i] = element_bits(m, r, c, 2) | element_bits(m, r, c + 1, 2) << 16;
            }
        }
}

static __device__ __forceinline__ void split(uint32_t &large, uint32_t &small, float x)
{
    large = part_of_11(x);
    small = part_of_11(x - number_from(large));
}
static __device__ __forceinline__ void split_four(uint32_t (&large)[4], uint32_t (&small)[4], const float (&x)[4])
{
#pragma unroll
    for (int i = 0; i < 4; i++)
        split(large[i], small[i], x[i]);
}
static __device__ __forceinline__ void product_of_floats(float (&c)[4], const uint32_t (&large)[4],
        const uint32_t (&small)[4], float x, float y)
{
    uint32_t b[2], rest[2];
    split(b[0], rest[0], x);
    split(b[1], rest[1], y);
    product_of_parts(c, small, b[0], b[1]);
    product_of_parts(c, large, rest[0], rest[1]);
    product_of_parts(c, large, b[0], b[1]);
}

/* sum += a times the tile turned: sums over columns; of N rows of the tile. */
template <int D, int DP, int N>
static __device__ __forceinline__ void products(float (&sum)[N / 8][4], const uint32_t (&a)[sizes_of<D, DP>::FIRST][4],
                                                const typename elements<D>::S *tile)
{
    enum { PITCH = sizes_of<D, DP>::PITCH };
    const uint32_t lane = lane_of_thread();
#pragma unroll
    for (int n = 0; n < N / 8; n++)
        sum[n][0] = sum[n][1] = sum[n][2] = sum[n][3] = 0;
    if constexpr (D == KT_F32) {
        const float *at = tile + lane / 4 * PITCH + lane % 4;
#pragma unroll
        for (int k = 0; k < DP / 8; k++) {
            const float x[4] = {number_from(a[k][0]), number_from(a[k][1]), number_from(a[k][2]), number_from(a[k][3])};
            uint32_t    large[4], small[4];
            split_four(large, small, x);
#pragma unroll
            for (int n = 0; n < N / 8; n++)
                product_of_floats(sum[n], large, small, at[n * 8 * PITCH + k * 8], at[n * 8 * PITCH + k * 8 + 4]);
        }
    } else {
        const uint16_t *at = tile + (lane / 16 * 8 + lane % 8) * PITCH + lane / 8 % 2 * 8;
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
}

/* sum += w times the tile: sums over its N rows. Of float32s a lane has the columns 2 t and 2 t + 1 of w where a first operand
 * has
 * t and t + 4: rows of the tile are taken in that order. */
template <int D, int DP, int N>
static __device__ __forceinline__ void add_rows(float (&sum)[DP / 8][4], const float (&w)[N / 8][4],
        const typename elements<D>::S *tile)
{
    enum { PITCH = sizes_of<D, DP>::PITCH };
    const uint32_t lane = lane_of_thread();
    if constexpr (D == KT_F32) {
        const float *at = tile + lane % 4 * 2 * PITCH + lane / 4;
#pragma unroll
        for (int k = 0; k < N / 8; k++) {
            const float x[4] = {w[k][0], w[k][2], w[k][1], w[k][3]};
            uint32_t    large[4], small[4];
            split_four(large, small, x);
#pragma unroll
            for (int n = 0; n < DP / 8; n++)
                product_of_floats(sum[n], large, small, at[k * 8 * PITCH + n * 8], at[(k * 8 + 1) * PITCH + n * 8]);
        }
    } else {
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
}

template <int D, int DP>
static __device__ __forceinline__ void put_rows(const float (&sum)[DP / 8][4], const attend_matrices &m, head_at h, uint32_t row,
                                                uint32_t rows, uint32_t columns)
{
    enum { WIDTH = sizes_of<D, DP>::WIDTH };
    const uint32_t g = lane_of_thread() / 4, t = lane_of_thread() % 4;
    char          *to = m.data + h.batch * m.step[0] + h.head * m.step[1];
    const bool     pairs = m.step[3] == WIDTH && m.step[2] % (2 * WIDTH) == 0 && (uintptr_t)to % (2 * WIDTH) == 0 &&
            columns % 2 == 0;
#pragma unroll
    for (int n = 0; n < DP / 8; n++)
#pragma unroll
        for (int i = 0; i < 2; i++) {
            const uint32_t r = row + g + (uint32_t)i * 8, c = (uint32_t)n * 8 + t * 2;
            const float    x = sum[n][2 * i], y = sum[n][2 * i + 1];
            char          *at = to + (int64_t)r * m.step[2] + (int64_t)c * m.step[3];
            if (r >= rows || c >= columns)
                continue;
            if constexpr (D == KT_F32) {
                *(float *)at = x;
                if (c + 1 < columns)
                    *(float *)(at + m.step[3]) = y;
            } else {
                const uint32_t pair = pair_of<D>(x, y);
                if (pairs) {
                    *(uint32_t *)at = pair;
                    continue;
                }
                *(uint16_t *)at = (uint16_t)pair;
                if (c + 1 < columns)
                    *(uint16_t *)(at + m.step[3]) = (uint16_t)(pair >> 16);
            }
        }
}

/* ---- scores, as powers of two ---- */
#define LOG2_E 1.44269504088896341f

/* Some of a tile of queries from `query` on and keys from `key` on, of so many each, are hidden, or all are to be looked at. */
static __device__ __forceinline__ bool is_hidden_somewhere(const attend_args &g, uint32_t query, uint32_t queries,
        uint32_t key, uint32_t keys)
{
    return g.mask.data || query + queries > g.queries || key + keys > g.keys || (g.causal && key + keys > query + 1);
}

/* The least of numbers does not become infinite, which would hide what it does not. */
static __device__ __forceinline__ float with_mask(float score, float mask)
{
    const float least = -0x1p127f;
    return fmaf(mask < least && mask > -INFINITY ? least : mask, LOG2_E, score);
}

struct by_two { /* as by_e */
    static __device__ __forceinline__ float score(float product, const attend_args &g, head_at h, uint32_t query, uint32_t key)
    {
        if (g.causal && key > query)
            return -INFINITY;
        const float score = product * ((float)g.scale * LOG2_E);
        const char *at = g.mask.data + h.batch * g.mask.step[0] + h.head * g.mask.step[1];
        at += query * g.mask.step[2] + key * g.mask.step[3];
        if (!g.mask.data)
            return score;
        if (g.mask.is == KT_BOOL)
            return *(const uint8_t *)at ? score : -INFINITY;
        return with_mask(score, values<float>::load(at, g.mask.is));
    }
    static __device__ __forceinline__ float power(float x) { return power_of_two(x); }
    static __device__ __forceinline__ float logarithm(float x) { return log2f(x); }
    static __device__ __forceinline__ float of(float x) { return x * LOG2_E; }
};

/* Adds the mask to a lane's scores, from `at` on: rows and columns are 8 and 1 apart, and so are queries and keys, or the other
 * way round. show: of a score and the place of its mask. What is outside is hidden already, and its mask is not read. */
template <int N, bool TURNED, class F>
static __device__ __forceinline__ void add_mask(float (&w)[N / 8][4], const char *at, int64_t by_query, int64_t by_key, F show)
{
#pragma unroll
    for (int n = 0; n < N / 8; n++)
#pragma unroll
        for (int i = 0; i < 4; i++) {
            const int64_t query = TURNED ? n * 8 + i % 2 : i / 2 * 8, key = TURNED ? i / 2 * 8 : n * 8 + i % 2;
            if (w[n][i] != -INFINITY)
                w[n][i] = show(w[n][i], at + query * by_query + key * by_key);
        }
}
template <int N, bool TURNED>
static __device__ __forceinline__ void show_scores(float (&w)[N / 8][4], const attend_args &g, head_at h, uint32_t query,
        uint32_t key)
{
    const int64_t by_query = g.mask.step[2], by_key = g.mask.step[3];
    const char   *at = g.mask.data + h.batch * g.mask.step[0] + h.head * g.mask.step[1] + query * by_query + key * by_key;
    if (g.mask.is == KT_BOOL)
        add_mask<N, TURNED>(w, at, by_query, by_key, [](float x, const char *m) { return *(const uint8_t *)m ? x : -INFINITY; });
    else if (g.mask.is == KT_F32)
        add_mask<N, TURNED>(w, at, by_query, by_key, [](float x, const char *m) { return with_mask(x, *(const float *)m); });
    else if (g.mask.is == KT_BF16)
        add_mask<N, TURNED>(w, at, by_query, by_key, [](float x, const char *m) {
            return with_mask(x, (float)dtype<KT_BF16>::get(*(const dtype<KT_BF16>::S *)m));
        });
    else
        add_mask<N, TURNED>(w, at, by_query, by_key, [](float x, const char *m) {
            return with_mask(x, (float)dtype<KT_F16>::get(*(const dtype<KT_F16>::S *)m));
        });
}
static __device__ __noinline__ uint4 draws_at(const uint64_t *draws, uint32_t keys, uint64_t row, uint32_t key)
{
    return draws_of(draws, keys, row, key);
}

/* A lane's scores of a tile, whose columns are the keys: rows l / 4 and 8 after it. */
template <int N>
static __device__ __forceinline__ void scale_scores(float (&w)[N / 8][4], float scale, const attend_args &g, head_at h,
        uint32_t query,
                                                    uint32_t key, bool looks)
{
#pragma unroll
    for (int n = 0; n < N / 8; n++)
#pragma unroll
        for (int i = 0; i < 4; i++)
            w[n][i] *= scale;
    if (!looks)
        return;
#pragma unroll
    for (int i = 0; i < 2; i++) { /* keys that are later, or none */
        const uint32_t at = query + (uint32_t)i * 8, after = g.causal && at + 1 < g.keys ? at + 1 : g.keys;
        const uint32_t end = at < g.queries ? after : 0;
#pragma unroll
        for (int n = 0; n < N / 8; n++)
#pragma unroll
            for (int j = 0; j < 2; j++)
                w[n][2 * i + j] = key + (uint32_t)(n * 8 + j) < end ? w[n][2 * i + j] : -INFINITY;
    }
    if (g.mask.data)
        show_scores<N, false>(w, g, h, query, key);
}
/* The same of a tile whose rows are the keys. */
template <int N>
static __device__ __forceinline__ void scale_scores_turned(float (&w)[N / 8][4], float scale, const attend_args &g, head_at h,
                                                           uint32_t query, uint32_t key, bool looks)
{
#pragma unroll
    for (int n = 0; n < N / 8; n++)
#pragma unroll
        for (int i = 0; i < 4; i++)
            w[n][i] *= scale;
    if (!looks)
        return;
#pragma unroll
    for (int i = 0; i < 2; i++) {
        const uint32_t at = key + (uint32_t)i * 8, begin = at < g.keys ? g.causal ? at : 0 : g.queries;
#pragma unroll
        for (int n = 0; n < N / 8; n++)
#pragma unroll
            for (int j = 0; j < 2; j++) {
                const uint32_t q = query + (uint32_t)(n * 8 + j);
                w[n][2 * i + j] = q >= begin && q < g.queries ? w[n][2 * i + j] : -INFINITY;
            }
    }
    if (g.mask.data)
        show_scores<N, true>(w, g, h, query, key);
}

/* Whether dropout keeps a lane's weights, a bit for each: bit 4 n + i. Two lanes have the four keys of a step, and each draws for
 * one of their rows. */
template <int N>
static __device__ __forceinline__ uint32_t kept_of(const attend_args &g, head_at h, uint32_t query, uint32_t key)
{
    const bool     second = lane_of_thread() % 2;
    const uint64_t row = ((uint64_t)h.batch * g.heads + h.head) * g.queries + query + (second ? 8 : 0);
    const float    keep = (float)g.keep;
    uint32_t       kept = 0;
#pragma unroll
    for (int n = 0; n < N / 8; n++) {
        const uint4    d = draws_at(g.draws, g.keys, row, key + (uint32_t)n * 8);
        const uint32_t x = __shfl_xor_sync(~0u, second ? d.x : d.z, 1), y = __shfl_xor_sync(~0u, second ? d.y : d.w, 1);
        const uint32_t mine[4] = {second ? x : d.x, second ? y : d.y, second ? d.z : x, second ? d.w : y};
#pragma unroll
        for (int i = 0; i < 4; i++)
            kept |= (uint32_t)(unit(mine[i]) <= keep) << (4 * n + i);
    }
    return kept;
}
/* Of a tile whose rows are keys: four lanes have the keys of a step, and each draws for a query and a row. */
template <int N>
static __device__ __forceinline__ uint32_t kept_of_turned(const attend_args &g, head_at h, uint32_t query, uint32_t key)
{
    const uint32_t me = lane_of_thread() / 4 % 4;
    const uint64_t row = ((uint64_t)h.batch * g.heads + h.head) * g.queries + query + me % 2;
    const float    keep = (float)g.keep;
    uint32_t       kept = 0;
#pragma unroll
    for (int n = 0; n < N / 8; n++) {
        const uint4    d = draws_at(g.draws, g.keys, row + (uint64_t)n * 8, key + me / 2 * 8);
        const uint32_t mine[4] = {d.x, d.y, d.z, d.w};
#pragma unroll
        for (uint32_t away = 0; away < 4; away++) { /* word `me` of the lane that drew for its combination */
            const uint32_t to = me ^ away;
            const uint32_t sent = to == 0 ? mine[0] : to == 1 ? mine[1] : to == 2 ? mine[2] : mine[3];
            const uint32_t got = away ? __shfl_xor_sync(~0u, sent, (int)(away * 4)) : sent;
            kept |= (uint32_t)(unit(got) <= keep) << (4 * n + (int)to); /* the sender is `to`: row to / 2, query to % 2 */
        }
    }
    return kept;
}

/* ---- forward ---- */
template <int D, int DP> static __global__ void __launch_bounds__(ARG_THREADS, sizes_of<D, DP>::BLOCKS)
attend_forward_warp(ARGUMENTS(attend_args) g)
{
    typedef typename elements<D>::S S;
    enum { KEYS = sizes_of<D, DP>::AHEAD, PITCH = sizes_of<D, DP>::PITCH, FIRST = sizes_of<D, DP>::FIRST, WIDTH = sizeof(S) };
    alignas(16) __shared__ S keys[KEYS * PITCH], seen[KEYS * PITCH];
    const query_tile tile = queries_of<BLOCK_ROWS>(g);
    if (tile.at.none)
        return;
    const head_at  h = tile.at.h;
    const uint32_t row = tile.first + warp_of_thread() * WARP_ROWS, end = tile.end;
    const uint32_t lane_row = lane_of_thread() / 4, lane_column = lane_of_thread() % 4 * 2;
    const rows_at &q = tile.q, &k = tile.k, &v = tile.v;
    const bool     k_vectors = are_vectors<WIDTH>(k), v_vectors = are_vectors<WIDTH>(v);
    const float    scale = (float)g.scale * LOG2_E;
    uint32_t       a[FIRST][4];
    float          sum[DP / 8][4], most[2] = {-INFINITY, -INFINITY}, all[2] = {0, 0};
    load_rows<D, DP>(a, q, row);
#pragma unroll
    for (int n = 0; n < DP / 8; n++)
        sum[n][0] = sum[n][1] = sum[n][2] = sum[n][3] = 0;
    fetch<D, KEYS, DP>(keys, k, 0, k_vectors);
#pragma unroll 1
    for (uint32_t key = 0; key < end; key += KEYS) {
        float w[KEYS / 8][4];
        wait_for_copies<0>();
        __syncthreads(); /* the keys are here, and nobody reads the values of the last tile */
        fetch<D, KEYS, DP>(seen, v, key, v_vectors);
        products<D, DP, KEYS>(w, a, keys);
        __syncthreads();
        if (key + KEYS < end)
            fetch<D, KEYS, DP>(keys, k, key + KEYS, k_vectors);
        scale_scores<KEYS>(w, scale, g, h, row + lane_row, key + lane_column, is_hidden_somewhere(g, row, WARP_ROWS, key, KEYS));
#pragma unroll
        for (int i = 0; i < 2; i++) {
            float largest = most[i];
#pragma unroll
            for (int n = 0; n < KEYS / 8; n++)
                largest = fmaxf(largest, fmaxf(w[n][2 * i], w[n][2 * i + 1]));
#pragma unroll
            for (int away = 2; away; away /= 2)
                largest = fmaxf(largest, __shfl_xor_sync(~0u, largest, away));
            const float from = largest == -INFINITY ? 0.0f : largest, shrink = power_of_two(most[i] - from);
            float       part = 0;
            most[i] = largest;
#pragma unroll
            for (int n = 0; n < KEYS / 8; n++)
#pragma unroll
                for (int j = 0; j < 2; j++) {
                    w[n][2 * i + j] = power_of_two(w[n][2 * i + j] - from);
                    part += w[n][2 * i + j];
                }
            all[i] = fmaf(all[i], shrink, part);
#pragma unroll
            for (int n = 0; n < DP / 8; n++)
                sum[n][2 * i] *= shrink, sum[n][2 * i + 1] *= shrink;
        }
        if (g.draws) {
            const uint32_t kept = kept_of<KEYS>(g, h, row + lane_row, key + lane_column);
#pragma unroll
            for (int n = 0; n < KEYS / 8; n++)
#pragma unroll
                for (int i = 0; i < 4; i++)
                    w[n][i] = kept >> (4 * n + i) & 1 ? w[n][i] : 0.0f;
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

/* Of scores and what flows to weights: weights as they are multiplied, in w, and what flows to the products, in flow. most,
 * rest and
 * deltas are the numbers of a lane's two rows, or of its two columns in each eight. */
template <int N, bool TURNED>
static __device__ __forceinline__ void slopes(float (&w)[N / 8][4], float (&flow)[N / 8][4], const float *most, const float *rest,
                                              const float *deltas,
                                              const attend_args &g, head_at h, uint32_t query, uint32_t key)
{
    uint32_t kept = ~0u;
    if (g.draws)
        kept = TURNED ? kept_of_turned<N>(g, h, query, key) : kept_of<N>(g, h, query, key);
    const float share = 1 / (float)g.keep, scale = (float)g.scale;
#pragma unroll
    for (int n = 0; n < N / 8; n++)
#pragma unroll
        for (int i = 0; i < 4; i++) {
            const int   at = TURNED ? n * 8 + i % 2 : i / 2;
            const float weight = power_of_two(w[n][i] - most[at] - rest[at]), factor = kept >> (4 * n + i) & 1 ? share : 0.0f;
            flow[n][i] = weight * (flow[n][i] * factor - deltas[at]) * scale;
            w[n][i] = weight * factor;
        }
}

template <int D, int DP> static __global__ void __launch_bounds__(ARG_THREADS, sizes_of<D, DP>::BLOCKS)
attend_query_warp(ARGUMENTS(attend_args) g)
{
    typedef typename elements<D>::S S;
    enum { KEYS = sizes_of<D, DP>::KEYS_BACK, PITCH = sizes_of<D, DP>::PITCH, FIRST = sizes_of<D, DP>::FIRST, WIDTH = sizeof(S) };
    alignas(16) __shared__ S keys[KEYS * PITCH], seen[KEYS * PITCH];
    const query_tile tile = queries_of<BLOCK_ROWS>(g);
    if (tile.at.none)
        return;
    const head_at  h = tile.at.h;
    const uint32_t row = tile.first + warp_of_thread() * WARP_ROWS, end = tile.end;
    const uint32_t lane_row = lane_of_thread() / 4, lane_column = lane_of_thread() % 4 * 2;
    const rows_at &q = tile.q, &k = tile.k, &v = tile.v;
    const rows_at  f = rows_of(g.grad, h.batch, h.head, g.queries, g.width);
    const bool     k_vectors = are_vectors<WIDTH>(k), v_vectors = are_vectors<WIDTH>(v);
    const float    scale = (float)g.scale * LOG2_E;
    uint32_t       a[FIRST][4], b[FIRST][4];
    float          sum[DP / 8][4], most[2], rest[2], delta[2];
    load_rows<D, DP>(a, q, row);
    load_rows<D, DP>(b, f, row);
#pragma unroll
    for (int i = 0; i < 2; i++) {
        const uint32_t query = row + lane_row + (uint32_t)i * 8;
        most[i] = query < g.queries ? row_number<float>(g, h, query, 1) : INFINITY;
        rest[i] = query < g.queries ? row_number<float>(g, h, query, 2) : 0.0f;
        delta[i] = query < g.queries ? row_number<float>(g, h, query, 0) : 0.0f;
    }
#pragma unroll
    for (int n = 0; n < DP / 8; n++)
        sum[n][0] = sum[n][1] = sum[n][2] = sum[n][3] = 0;
    fetch<D, KEYS, DP>(keys, k, 0, k_vectors);
#pragma unroll 1
    for (uint32_t key = 0; key < end; key += KEYS) {
        float w[KEYS / 8][4], flow[KEYS / 8][4];
        fetch<D, KEYS, DP>(seen, v, key, v_vectors);
        wait_for_copies<1>(); /* the keys */
        __syncthreads();
        products<D, DP, KEYS>(w, a, keys);
        wait_for_copies<0>();
        __syncthreads();
        products<D, DP, KEYS>(flow, b, seen);
        scale_scores<KEYS>(w, scale, g, h, row + lane_row, key + lane_column, is_hidden_somewhere(g, row, WARP_ROWS, key, KEYS));
        slopes<KEYS, false>(w, flow, most, rest, delta, g, h, row + lane_row, key + lane_column);
        add_rows<D, DP, KEYS>(sum, flow, keys);
        __syncthreads();
        if (key + KEYS < end)
            fetch<D, KEYS, DP>(keys, k, key + KEYS, k_vectors);
    }
    put_rows<D, DP>(sum, g.to_query, h, row, g.queries, g.depth);
}

/* Rows are keys, and queries pass by. */
template <int D, int DP> static __global__ void __launch_bounds__(ARG_THREADS) attend_key_warp(ARGUMENTS(attend_args) g)
{
    typedef typename elements<D>::S S;
    enum { QUERIES = sizes_of<D, DP>::BACK, PITCH = sizes_of<D, DP>::PITCH, FIRST = sizes_of<D, DP>::FIRST, WIDTH = sizeof(S) };
    alignas(16) __shared__ S asked[QUERIES * PITCH], flows[QUERIES * PITCH];
    __shared__ float most[QUERIES], rest[QUERIES], delta[QUERIES];
    const uint32_t heads = g.heads / g.group;
    const part_at  at = part_of(g, heads, (g.keys + BLOCK_ROWS - 1) / BLOCK_ROWS, false);
    if (at.none)
        return;
    const uint32_t first = at.tile * BLOCK_ROWS, row = first + warp_of_thread() * WARP_ROWS;
    const uint32_t lane_row = lane_of_thread() / 4, lane_column = lane_of_thread() % 4 * 2;
    const rows_at  k = rows_of(g.key, at.h.batch, at.h.head, g.keys, g.depth);
    const rows_at  v = rows_of(g.value, at.h.batch, at.h.head, g.keys, g.width);
    const float    scale = (float)g.scale * LOG2_E;
    uint32_t       a[FIRST][4], b[FIRST][4];
    float          to_key[DP / 8][4], to_value[DP / 8][4];
    load_rows<D, DP>(a, k, row);
    load_rows<D, DP>(b, v, row);
#pragma unroll
    for (int n = 0; n < DP / 8; n++)
#pragma unroll
        for (int i = 0; i < 4; i++)
            to_key[n][i] = to_value[n][i] = 0;
#pragma unroll 1
    for (uint32_t head = at.h.head * g.group; head < (at.h.head + 1) * g.group; head++) {
        const head_at h = {at.h.batch, head};
        const rows_at q = rows_of(g.query, h.batch, head, g.queries, g.depth), f = rows_of(g.grad, h.batch, head, g.queries,
                g.width);
        const bool    q_vectors = are_vectors<WIDTH>(q), f_vectors = are_vectors<WIDTH>(f);
#pragma unroll 1
        for (uint32_t query = g.causal ? first : 0; query < g.queries; query += QUERIES) {
            float w[QUERIES / 8][4], flow[QUERIES / 8][4];
            __syncthreads();
            fetch<D, QUERIES, DP>(asked, q, query, q_vectors);
            fetch<D, QUERIES, DP>(flows, f, query, f_vectors);
            if (threadIdx.x < QUERIES) {
                const uint32_t i = query + threadIdx.x;
                most[threadIdx.x] = i < g.queries ? row_number<float>(g, h, i, 1) : INFINITY;
                rest[threadIdx.x] = i < g.queries ? row_number<float>(g, h, i, 2) : 0.0f;
                delta[threadIdx.x] = i < g.queries ? row_number<float>(g, h, i, 0) : 0.0f;
            }
            wait_for_copies<1>();
            __syncthreads();
            products<D, DP, QUERIES>(w, a, asked);
            wait_for_copies<0>();
            __syncthreads();
            products<D, DP, QUERIES>(flow, b, flows);
            scale_scores_turned<QUERIES>(w, scale, g, h, query + lane_column, row + lane_row,
                                         is_hidden_somewhere(g, query, QUERIES, row, WARP_ROWS));
            slopes<QUERIES, true>(w, flow, most + lane_column, rest + lane_column, delta + lane_column, g, h,
                    query + lane_column, row + lane_row);
            add_rows<D, DP, QUERIES>(to_value, w, flows);
            add_rows<D, DP, QUERIES>(to_key, flow, asked);
        }
    }
    put_rows<D, DP>(to_key, g.to_key, at.h, row, g.keys, g.depth);
    put_rows<D, DP>(to_value, g.to_value, at.h, row, g.keys, g.width);
}

#define ATTEND_BY_WARPS(D, DP)                                                                                           \
    {(const void *)attend_forward_warp<D, DP>, (const void *)attend_query_warp<D, DP>, (const void *)attend_key_warp<D, DP>, \
     (const void *)attend_delta<float, by_two>, DP}

#endif
