/* sort.cu - lines sorted by keys that order as their elements do: short ones within a block, long ones all at once, both by
 * digits (radix.h); where a key and the number of a line have too many, by chunks sorted in shared memory and runs merged two by
 * two, each element finding its place by bisection of the other run. Stable: of equal keys the one that stood first comes first.
 * And the first of each line, what stands at a rank, and places in lines that are sorted.
 *
 * Chunks: K. E. Batcher, Sorting networks and their applications, AFIPS 32 (1968), the bitonic sorter. */
#ifdef KT_ON_CPU
#include <algorithm>
#else
#include <cub/block/block_radix_sort.cuh>
#endif

#include "args.h"
#include "dev/walk.cuh"
#include "radix.h"

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

/* The element that has this key; false: several have, and which it was is not known. */
static __device__ __forceinline__ bool element_of(uint64_t key, int is, int width, char *to)
{
    const uint64_t sign = (uint64_t)1 << (8 * width - 1), all = sign | (sign - 1);
    const bool     floats = is == KT_F64 || is == KT_F32 || is == KT_F16 || is == KT_BF16;
    const bool     counts = is == KT_I8 || is == KT_I16 || is == KT_I32 || is == KT_I64;
    if (floats && (key == all || key == sign))
        return false;
    const uint64_t bits = floats ? key & sign ? key & ~sign : ~key & all : counts ? key ^ sign : key;
    switch (width) {
    case 1:  *(uint8_t *)to = (uint8_t)bits; break;
    case 2:  *(uint16_t *)to = (uint16_t)bits; break;
    case 4:  *(uint32_t *)to = (uint32_t)bits; break;
    default: *(uint64_t *)to = bits; break;
    }
    return true;
}

/* ---- keys of lines, sorted or not ---- */
static __device__ __forceinline__ uint64_t key_at(const sort_args &g, int which, uint64_t i)
{
    return (g.narrow ? ((const uint32_t *)g.keys[which])[i] : ((const uint64_t *)g.keys[which])[i]) & g.mask;
}
static __device__ __forceinline__ void set_key(const sort_args &g, int which, uint64_t i, uint64_t key)
{
    if (g.narrow)
        ((uint32_t *)g.keys[which])[i] = (uint32_t)key;
    else
        ((uint64_t *)g.keys[which])[i] = key;
}

/* The first of the sorted keys in [low, high) that is not below this one; past: that is above it. */
struct line_keys {
    const sort_args &g;
    uint64_t         begin; /* of the line */
    __device__ __forceinline__ uint64_t operator[](uint32_t i) const { return key_at(g, 0, begin + i); }
};
static __device__ __forceinline__ uint32_t bound_of(const line_keys &keys, uint32_t low, uint32_t high, uint64_t key, bool past)
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

/* ---- where a line is ---- */
static __device__ __forceinline__ int64_t line_at(const sort_args &g, int operand, uint32_t line)
{
    int64_t at[1] = {0};
    walk(line, g.nd, g.size, &g.stride[operand], at);
    return at[0];
}

/* The line in each operand. */
struct line_place {
    char *at[3];
};
static __device__ __forceinline__ line_place place_of(const sort_args &g, uint32_t line)
{
    line_place p = {{g.at[0], g.at[1], g.at[2]}};
    walk(line, g.nd, g.size, g.stride, p.at);
    return p;
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

/* Pairs in shared memory, so many as a power of two, by key and then by where they are from. */
static __device__ __forceinline__ void sort_shared(uint64_t *keys, uint32_t *from, uint32_t n)
{
    for (uint32_t size = 2; size <= n; size *= 2)
        for (uint32_t apart = size / 2; apart > 0; apart /= 2) {
            __syncthreads();
            for (uint32_t i = threadIdx.x; i < n / 2; i += ARG_THREADS) {
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
    sort_shared(keys, from, SORT_CHUNK);
    for (uint32_t i = threadIdx.x; i < SORT_CHUNK && first + i < g.length; i += ARG_THREADS) {
        set_key(g, 0, (uint64_t)line * g.length + first + i, keys[i]);
        g.from[0][(uint64_t)line * g.length + first + i] = from[i];
    }
}

/* What the sort by digits is given. */
static __global__ void __launch_bounds__(ARG_THREADS) make_keys(ARGUMENTS(sort_args) g)
{
    const uint64_t i = (uint64_t)blockIdx.x * ARG_THREADS + threadIdx.x, line = i / g.length, at = i - line * g.length;
    if (line >= g.lines)
        return;
    const uint64_t key = key_of(g.at[2] + line_at(g, 2, (uint32_t)line) + element_at(g, (uint32_t)at), g.is) ^ g.flip;
    set_key(g, 0, i, g.lines == 1 ? key : line << g.bits | key);
    g.from[0][i] = (uint32_t)at;
}

/* Runs of g.run elements become runs of twice as many. */
static __global__ void __launch_bounds__(ARG_THREADS) merge_runs(ARGUMENTS(sort_args) g)
{
    const uint64_t i = (uint64_t)blockIdx.x * ARG_THREADS + threadIdx.x, line = i / g.length;
    if (line >= g.lines)
        return;
    const line_keys keys = {g, line * g.length};
    const uint64_t  key = key_at(g, 0, i);
    const uint32_t  at = (uint32_t)(i - line * g.length), pair = at / (2 * g.run) * 2 * g.run;
    const bool      right = at - pair >= g.run;
    const uint32_t  middle = pair + g.run < g.length ? pair + g.run : g.length;
    const uint32_t  end = middle + g.run < g.length ? middle + g.run : g.length;
    const uint32_t  other = right ? pair : middle;
    const uint32_t  before = bound_of(keys, other, right ? middle : end, key, right) - other; /* elements of the other run */
    const uint64_t to = line * g.length + pair + (at - (right ? middle : pair)) + before;
    set_key(g, 1, to, key);
    g.from[1][to] = g.from[0][i];
}

static __device__ __forceinline__ void put_element(const sort_args &g, const line_place &line, uint32_t at, uint64_t key,
                                                   uint32_t from)
{
    char *to = line.at[0] + (int64_t)at * g.step[0];
    if (!element_of((key ^ g.flip) & g.mask, g.is, g.width, to))
        move_element(to, line.at[2] + element_at(g, from), g.width);
    *(int64_t *)(line.at[1] + (int64_t)at * g.step[1]) = from;
}

static __global__ void __launch_bounds__(ARG_THREADS) put_sorted(ARGUMENTS(sort_args) g)
{
    const uint64_t i = (uint64_t)blockIdx.x * ARG_THREADS + threadIdx.x, line = i / g.first, at = i - line * g.first;
    if (line >= g.lines)
        return;
    const uint64_t place = line * g.length + at;
    put_element(g, place_of(g, (uint32_t)line), (uint32_t)at, key_at(g, 0, place), g.from[0][place]);
}

/* ---- short lines: a block has some of them, told apart by bits above their keys ---- */
enum { WARP_BANKS = 32 };

#ifdef KT_ON_CPU
/* As CUB's, from N in a row of each thread to N that are ARG_THREADS apart. */
template <class K, int N> struct block_sort {
    struct TempStorage {
        K        key[ARG_THREADS * N];
        uint32_t from[ARG_THREADS * N], order[ARG_THREADS * N];
    } &room;
    explicit block_sort(TempStorage &r) : room(r) {}
    void SortBlockedToStriped(K (&key)[N], uint32_t (&from)[N], int, int bits)
    {
        for (int j = 0; j < N; j++) {
            const uint32_t i = threadIdx.x * N + j;
            room.key[i] = key[j], room.from[i] = from[j], room.order[i] = i;
        }
        __syncthreads();
        const K mask = (K)(~(K)0 >> (8 * sizeof(K) - bits));
        if (threadIdx.x == 0)
            std::stable_sort(room.order, room.order + ARG_THREADS * N,
                             [this, mask](uint32_t a, uint32_t b) { return (room.key[a] & mask) < (room.key[b] & mask); });
        __syncthreads();
        for (int j = 0; j < N; j++) {
            const uint32_t i = room.order[threadIdx.x + j * ARG_THREADS];
            key[j] = room.key[i], from[j] = room.from[i];
        }
    }
};
#else
template <class K, int N> using block_sort = cub::BlockRadixSort<K, ARG_THREADS, N, uint32_t>;
#endif

/* Element i of those of a block: neighbours are read side by side, and are neighbours of one thread afterwards. */
static __device__ __forceinline__ uint32_t spread(uint32_t i) { return i + i / WARP_BANKS; }

template <class K, int N> static __global__ void __launch_bounds__(ARG_THREADS) sort_short(ARGUMENTS(short_args) g)
{
    enum { ROOM = ARG_THREADS * N + ARG_THREADS * N / WARP_BANKS };
    __shared__ union {
        typename block_sort<K, N>::TempStorage sort;
        K                                      key[ROOM];
    } room;
    const sort_args &s = g.sort;
    const uint32_t   first = blockIdx.x * g.lines, length = s.length;
    K                key[N];
    uint32_t         from[N];
    if (first >= s.lines)
        return;
    const bool       one = g.lines == 1; /* then lines need not be told apart */
    const line_place place = place_of(s, first);
    const uint32_t   n = (s.lines - first < g.lines ? s.lines - first : g.lines) * length;
#pragma unroll
    for (int j = 0; j < N; j++) {
        const uint32_t i = threadIdx.x + j * ARG_THREADS, line = one ? 0 : i / length, at = i - line * length;
        K              mine = ~(K)0; /* behind all others, since it stands behind them */
        if (i < n) {
            const char *in = one ? place.at[2] : s.at[2] + line_at(s, 2, first + line);
            mine = (K)((one ? 0 : (uint64_t)line << s.bits) | (key_of(in + element_at(s, at), s.is) ^ s.flip));
        }
        room.key[spread(i)] = mine;
    }
    __syncthreads();
#pragma unroll
    for (int j = 0; j < N; j++) {
        const uint32_t i = threadIdx.x * N + j;
        key[j] = room.key[spread(i)];
        from[j] = one ? i : i % length;
    }
    __syncthreads();
    block_sort<K, N>(room.sort).SortBlockedToStriped(key, from, 0, g.bits);
#pragma unroll
    for (int j = 0; j < N; j++) {
        const uint32_t i = threadIdx.x + j * ARG_THREADS, line = one ? 0 : i / length, at = i - line * length;
        if (i >= n)
            continue;
        if (!g.puts) {
            set_key(s, 0, (uint64_t)(first + line) * length + at, key[j] & s.mask);
            s.from[0][(uint64_t)(first + line) * length + at] = from[j];
        } else if (at < s.first) {
            put_element(s, one ? place : place_of(s, first + line), at, key[j] & s.mask, from[j]);
        }
    }
}

/* ---- the first of a line: a block finds the key of the last of them, digit by digit, and sorts those before it ---- */

/* Of all threads what they count; before: the threads before this one. */
static __device__ __forceinline__ uint32_t count_threads(bool mine, uint32_t *warps, uint32_t *before)
{
    const uint32_t votes = __ballot_sync(0xffffffffu, mine), lane = threadIdx.x % 32;
    uint32_t       all = 0;
    __syncthreads();
    if (lane == 0)
        warps[threadIdx.x / 32] = __popc(votes);
    __syncthreads();
    *before = __popc(votes & ((1u << lane) - 1));
    for (uint32_t w = 0; w < ARG_THREADS / 32; w++) {
        *before += w < threadIdx.x / 32 ? warps[w] : 0;
        all += warps[w];
    }
    return all;
}

/* The key of the element that stands at place g.first - 1 of the sorted line; *below: how many keys are less. */
static __device__ __forceinline__ uint64_t last_key(const sort_args &g, const char *in, uint32_t *below)
{
    __shared__ uint32_t counts[TOP_DIGITS], before_digit, digit;
    uint64_t            prefix = 0, known = 0; /* the digits that are known */
    uint32_t            before = 0;
    for (int shift = g.bits - 8; shift >= 0; shift -= 8) {
        __syncthreads();
        counts[threadIdx.x] = 0;
        __syncthreads();
        for (uint32_t i = threadIdx.x; i < g.length; i += ARG_THREADS) {
            const uint64_t key = key_of(in + (int64_t)i * g.step[2], g.is) ^ g.flip;
            if ((key & known) == prefix)
                atomicAdd(&counts[key >> shift & 255], 1u);
        }
        __syncthreads();
        uint32_t lower = before;
        for (uint32_t d = 0; d < threadIdx.x; d++)
            lower += counts[d];
        if (lower < g.first && lower + counts[threadIdx.x] >= g.first)
            digit = threadIdx.x, before_digit = lower;
        __syncthreads();
        before = before_digit;
        prefix |= (uint64_t)digit << shift;
        known |= (uint64_t)255 << shift;
    }
    *below = before;
    return prefix;
}

static __global__ void __launch_bounds__(ARG_THREADS) put_top(ARGUMENTS(sort_args) g)
{
    __shared__ uint64_t keys[TOP_MOST];
    __shared__ uint32_t from[TOP_MOST], warps[ARG_THREADS / 32];
    static_assert((int)TOP_DIGITS == (int)ARG_THREADS, "a thread has a digit");
    const uint32_t line = blockIdx.x;
    if (line >= g.lines)
        return;
    const line_place place = place_of(g, line);
    const char      *in = place.at[2];
    uint32_t         below, room = 1, less = 0, equal = 0;
    const uint64_t   last = last_key(g, in, &below);
    while (room < below)
        room *= 2;
    for (uint32_t i = below + threadIdx.x; i < room; i += ARG_THREADS)
        keys[i] = ~(uint64_t)0, from[i] = ~0u;
    for (uint32_t first = 0; first < g.length; first += ARG_THREADS) { /* in order, so that of equal ones the first are taken */
        const uint32_t i = first + threadIdx.x;
        const uint64_t key = i < g.length ? key_of(in + (int64_t)i * g.step[2], g.is) ^ g.flip : ~(uint64_t)0;
        const bool     is_less = i < g.length && key < last, is_equal = i < g.length && key == last;
        uint32_t       before;
        const uint32_t all_less = count_threads(is_less, warps, &before);
        if (is_less)
            keys[less + before] = key, from[less + before] = i;
        less += all_less;
        if (below + equal >= g.first)
            continue;
        const uint32_t all_equal = count_threads(is_equal, warps, &before);
        if (is_equal && below + equal + before < g.first)
            put_element(g, place, below + equal + before, key, i);
        equal += all_equal;
    }
    sort_shared(keys, from, room);
    for (uint32_t i = threadIdx.x; i < below; i += ARG_THREADS)
        put_element(g, place, i, keys[i], from[i]);
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
    const line_keys keys = {g, line * g.length};
    const uint32_t  at = (uint32_t)(i - line * g.length);
    const bool      nan = is_nan(keys[at], g.is);
    if (at && keys[at] == keys[at - 1] && !nan)
        return;
    const uint64_t run = nan ? 1 : bound_of(keys, at, g.length, keys[at], true) - at;
    atomicMax((unsigned long long *)&g.longest[line], (unsigned long long)(run << 32 | (g.length - at)));
}

static __device__ __forceinline__ uint32_t place_of_rank(const sort_args &g, const line_keys &keys, const uint32_t *from,
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
    const line_keys keys = {g, (uint64_t)line * g.length};
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

const void *const short_narrow_kernels[] = {(const void *)sort_short<uint32_t, SHORT_LEAST>,
                                            (const void *)sort_short<uint32_t, 2 * SHORT_LEAST>,
                                            (const void *)sort_short<uint32_t, 4 * SHORT_LEAST>};
const void *const short_wide_kernels[] = {(const void *)sort_short<uint64_t, SHORT_LEAST>,
                                          (const void *)sort_short<uint64_t, 2 * SHORT_LEAST>};
const void *const search_kernel = (const void *)search;
const void *const sort_chunks_kernel = (const void *)sort_chunks, *const merge_runs_kernel = (const void *)merge_runs;
const void *const put_sorted_kernel = (const void *)put_sorted, *const make_keys_kernel = (const void *)make_keys;
const void *const put_top_kernel = (const void *)put_top;
const void *const longest_runs_kernel = (const void *)longest_runs, *const put_ranked_kernel = (const void *)put_ranked;
