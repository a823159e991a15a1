/* sort.cu - lines sorted by keys that order as their elements do: chunks in shared memory, then runs merged two by two, each
 * element finding its place by bisection of the other run. Stable: of equal keys the one that stood first comes first. And what
 * stands at a rank of such lines, and places in lines that are sorted.
 *
 * Chunks: K. E. Batcher, Sorting networks and their applications, AFIPS 32 (1968), the bitonic sorter. */
#include "args.h"
#include "dev/walk.cuh"

/* ---- keys: a NaN above everything, the two zeros alike ---- */
static __device__ __forceinline__ uint64_t float_key(uint64_t bits, int width, uint64_t infinity)
{
    const uint64_t sign = (uint64_t)1 << (8 * width - 1), all = sign | (sign - 1), size = bits & ~sign;
    return size > infinity ? all : size == 0 ? sign : bits & sign ? ~bits & all : bits | sign;
}

static __device__ __forceinline__ uint64_t key_of(const char *p, int is)
{
    switch (is) {
    case KT_BOOL:
    case KT_U8:   return *(const uint8_t *)p;
    case KT_U16:  return *(const uint16_t *)p;
    case KT_U32:  return *(const uint32_t *)p;
    case KT_U64:  return *(const uint64_t *)p;
    case KT_I8:   return *(const uint8_t *)p ^ 0x80u;
    case KT_I16:  return *(const uint16_t *)p ^ 0x8000u;
    case KT_I32:  return *(const uint32_t *)p ^ 0x80000000u;
    case KT_I64:  return *(const uint64_t *)p ^ (uint64_t)1 << 63;
    case KT_F16:  return float_key(*(const uint16_t *)p, 2, 0x7c00);
    case KT_BF16: return float_key(*(const uint16_t *)p, 2, 0x7f80);
    case KT_F32:  return float_key(*(const uint32_t *)p, 4, 0x7f800000);
    default:      return float_key(*(const uint64_t *)p, 8, (uint64_t)0x7ff << 52);
    }
}

/* ---- where a line is ---- */
static __device__ __forceinline__ int64_t line_at(const sort_args &g, int operand, uint32_t line)
{
    int64_t at[1] = {0};
    walk(line, g.nd, g.size, &g.stride[operand], at);
    return at[0];
}

static __device__ __forceinline__ int64_t element_at(const sort_args &g, uint32_t i)
{
    if (g.along_nd < 2)
        return (int64_t)i * g.step[2];
    int64_t at[1] = {0};
    walk(i, g.along_nd, g.along_size, &g.along_stride, at);
    return at[0];
}

static __device__ __forceinline__ void move_element(char *to, const char *from, int width)
{
    switch (width) {
    case 1:  *(uint8_t *)to = *(const uint8_t *)from; break;
    case 2:  *(uint16_t *)to = *(const uint16_t *)from; break;
    case 4:  *(uint32_t *)to = *(const uint32_t *)from; break;
    default: *(uint64_t *)to = *(const uint64_t *)from; break;
    }
}

static __global__ void __launch_bounds__(ARG_THREADS) sort_chunks(ARGUMENTS(sort_args) g)
{
    __shared__ uint64_t keys[SORT_CHUNK];
    __shared__ uint32_t from[SORT_CHUNK];
    const uint32_t chunks = (g.length + SORT_CHUNK - 1) / SORT_CHUNK, line = blockIdx.x / chunks;
    const uint32_t first = (blockIdx.x - line * chunks) * SORT_CHUNK;
    if (line >= g.lines)
        return;
    const char *in = g.at[2] + line_at(g, 2, line);
    for (uint32_t i = threadIdx.x; i < SORT_CHUNK; i += ARG_THREADS) {
        const bool here = first + i < g.length;
        keys[i] = here ? key_of(in + element_at(g, first + i), g.is) ^ g.flip : ~(uint64_t)0;
        from[i] = here ? first + i : ~0u;
    }
    for (uint32_t size = 2; size <= SORT_CHUNK; size *= 2)
        for (uint32_t apart = size / 2; apart > 0; apart /= 2) {
            __syncthreads();
            for (uint32_t i = threadIdx.x; i < SORT_CHUNK / 2; i += ARG_THREADS) {
                const uint32_t a = 2 * apart * (i / apart) + i % apart, b = a + apart;
                const bool     up = (a & size) == 0;
                const uint64_t ka = keys[a], kb = keys[b];
                const uint32_t fa = from[a], fb = from[b];
                const bool     later = ka > kb || (ka == kb && fa > fb);
                if (later == up) {
                    keys[a] = kb, keys[b] = ka;
                    from[a] = fb, from[b] = fa;
                }
            }
        }
    __syncthreads();
    for (uint32_t i = threadIdx.x; i < SORT_CHUNK && first + i < g.length; i += ARG_THREADS) {
        g.keys[0][(uint64_t)line * g.length + first + i] = keys[i];
        g.from[0][(uint64_t)line * g.length + first + i] = from[i];
    }
}

/* The first of the sorted keys in [low, high) that is not below this one; past: that is above it. */
static __device__ __forceinline__ uint32_t bound_of(const uint64_t *keys, uint32_t low, uint32_t high, uint64_t key, bool past)
{
    while (low < high) {
        const uint32_t half = low + (high - low) / 2;
        if (past ? keys[half] <= key : keys[half] < key)
            low = half + 1;
        else
            high = half;
    }
    return low;
}

/* Runs of g.run elements become runs of twice as many. */
static __global__ void __launch_bounds__(ARG_THREADS) merge_runs(ARGUMENTS(sort_args) g)
{
    const uint64_t i = (uint64_t)blockIdx.x * ARG_THREADS + threadIdx.x, line = i / g.length;
    if (line >= g.lines)
        return;
    const uint64_t *keys = g.keys[0] + line * g.length, key = keys[i - line * g.length];
    const uint32_t  at = (uint32_t)(i - line * g.length), pair = at / (2 * g.run) * 2 * g.run;
    const bool      right = at - pair >= g.run;
    const uint32_t  middle = pair + g.run < g.length ? pair + g.run : g.length;
    const uint32_t  end = middle + g.run < g.length ? middle + g.run : g.length;
    const uint32_t  other = right ? pair : middle;
    const uint32_t  before = bound_of(keys, other, right ? middle : end, key, right) - other; /* elements of the other run */
    const uint64_t to = line * g.length + pair + (at - (right ? middle : pair)) + before;
    g.keys[1][to] = key;
    g.from[1][to] = g.from[0][i];
}

static __global__ void __launch_bounds__(ARG_THREADS) put_sorted(ARGUMENTS(sort_args) g)
{
    const uint64_t i = (uint64_t)blockIdx.x * ARG_THREADS + threadIdx.x, line = i / g.length, at = i - line * g.length;
    if (line >= g.lines)
        return;
    const uint32_t from = g.from[0][i];
    const char    *in = g.at[2] + line_at(g, 2, (uint32_t)line) + element_at(g, from);
    move_element(g.at[0] + line_at(g, 0, (uint32_t)line) + (int64_t)at * g.step[0], in, g.width);
    *(int64_t *)(g.at[1] + line_at(g, 1, (uint32_t)line) + (int64_t)at * g.step[1]) = from;
}

/* ---- ranks ---- */
static __device__ __forceinline__ uint64_t nan_key(int is)
{
    return is == KT_F64 ? ~(uint64_t)0 : is == KT_F32 ? 0xffffffffu : 0xffffu;
}
static __device__ __forceinline__ bool has_nans(int is) { return is == KT_F64 || is == KT_F32 || is == KT_F16 || is == KT_BF16; }
static __device__ __forceinline__ bool is_nan(uint64_t key, int is) { return has_nans(is) && key == nan_key(is); }

/* The longest run of equal keys, of several the one of the smallest key. A NaN equals none. */
static __global__ void __launch_bounds__(ARG_THREADS) longest_runs(ARGUMENTS(sort_args) g)
{
    const uint64_t i = (uint64_t)blockIdx.x * ARG_THREADS + threadIdx.x, line = i / g.length;
    if (line >= g.lines)
        return;
    const uint64_t *keys = g.keys[0] + line * g.length;
    const uint32_t  at = (uint32_t)(i - line * g.length);
    const bool      nan = is_nan(keys[at], g.is);
    if (at && keys[at] == keys[at - 1] && !nan)
        return;
    const uint64_t run = nan ? 1 : bound_of(keys, at, g.length, keys[at], true) - at;
    atomicMax((unsigned long long *)&g.longest[line], (unsigned long long)(run << 32 | (g.length - at)));
}

static __device__ __forceinline__ uint32_t place_of_rank(const sort_args &g, const uint64_t *keys, const uint32_t *from,
                                                         uint32_t line)
{
    const uint32_t numbers = has_nans(g.is) ? bound_of(keys, 0, g.length, nan_key(g.is), false) : g.length;
    if (g.rank == RANK_MODE) {
        const uint32_t run = (uint32_t)(g.longest[line] >> 32), begin = g.length - (uint32_t)g.longest[line];
        return run == 1 && numbers < g.length && from[numbers] == 0 ? numbers : begin + run - 1;
    }
    const bool nothing = numbers == 0 || g.rank == RANK_MEDIAN;
    if (g.rank != RANK_GIVEN && numbers < g.length && nothing)
        return numbers;
    const uint32_t rank = g.rank == RANK_GIVEN ? g.given : (numbers - 1) / 2;
    return bound_of(keys, 0, rank, keys[rank], false);
}

static __global__ void __launch_bounds__(ARG_THREADS) put_ranked(ARGUMENTS(sort_args) g)
{
    const uint32_t line = thread_number();
    if (line >= g.lines)
        return;
    const uint64_t *keys = g.keys[0] + (uint64_t)line * g.length;
    const uint32_t *order = g.from[0] + (uint64_t)line * g.length, from = order[place_of_rank(g, keys, order, line)];
    move_element(g.at[0] + line_at(g, 0, line), g.at[2] + line_at(g, 2, line) + element_at(g, from), g.width);
    if (g.at[1])
        *(int64_t *)(g.at[1] + line_at(g, 1, line)) = from;
}

/* ---- searches: the middle is always begin + (end - begin) / 2, so that unsorted lines give the CPU's places ---- */
static __global__ void __launch_bounds__(ARG_THREADS) search(ARGUMENTS(search_args) g)
{
    const uint64_t i = (uint64_t)blockIdx.x * ARG_THREADS + threadIdx.x;
    if (i >= g.n)
        return;
    const uint64_t line = i / g.line, key = key_of(g.values + i * g.width, g.is);
    const char    *lines = g.lines + (int64_t)line * g.lines_by;
    const int64_t *order = g.order ? (const int64_t *)(g.order + (int64_t)line * g.order_by) : NULL;
    const bool     nowhere = !g.nan_is_last && is_nan(key, g.is);
    int64_t        begin = 0, end = g.length;
    while (begin < end) {
        const int64_t  middle = begin + (end - begin) / 2, place = order ? order[middle] : middle;
        const uint64_t there = key_of(lines + (place < 0 || place >= g.length ? 0 : place) * g.width, g.is);
        const bool     known = !nowhere && (g.nan_is_last || !is_nan(there, g.is));
        if (known && (g.past ? there > key : there >= key))
            end = middle;
        else
            begin = middle + 1;
    }
    if (g.narrow)
        ((int32_t *)g.to)[i] = (int32_t)begin;
    else
        ((int64_t *)g.to)[i] = begin;
}

const void *const search_kernel = (const void *)search;
const void *const sort_chunks_kernel = (const void *)sort_chunks, *const merge_runs_kernel = (const void *)merge_runs;
const void *const put_sorted_kernel = (const void *)put_sorted;
const void *const longest_runs_kernel = (const void *)longest_runs, *const put_ranked_kernel = (const void *)put_ranked;
