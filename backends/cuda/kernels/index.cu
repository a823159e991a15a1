/* index.cu - elements moved to and from places that index tensors name, masks, and the places where a mask holds. Any layout.
 *
 * An element is bytes of a width, but where it is combined with what is there: then atomically, so that several may meet at one
 * place, in any order. Of several that are put at one place some one stays. Where the order matters to the user, the places are
 * sorted first, and those of one place have one thread. An index out of range is reported, and its element left out. */
#include <stddef.h>

#include "args.h"
#include "dev/dtype.cuh"
#include "dev/fault.cuh"
#include "dev/walk.cuh"

/* ---- an index ---- */
static __device__ __forceinline__ int64_t number_at(const operand_arg &index, int64_t at)
{
    const char *p = memory_of(index) + at;
    return index.width == 4 ? *(const int32_t *)p : *(const int64_t *)p;
}

/* Counted from 0; -1: out of range. */
static __device__ __forceinline__ int64_t place_named(const strided_args &g, int64_t i)
{
    const int64_t  size = (int64_t)g.flat.param[0];
    const uint64_t says = g.flat.param[2];
    if ((uint64_t)i < (uint64_t)size)
        return i;
    if (INDEX_WRAPS(says) && i < 0 && i >= -size)
        return i + size;
    report(g.flat.fault, kt_fault{INDEX_FAULT(says), INDEX_DIM(says), i, size});
    return -1;
}

static __device__ __forceinline__ int64_t place_of(const strided_args &g, const operand_arg &index, int64_t at)
{
    return place_named(g, number_at(index, at));
}

/* ---- moved ---- */
template <class S> static __global__ void __launch_bounds__(ARG_THREADS) take(ARGUMENTS(strided_args) g)
{
    int64_t at[3];
    if (!place(g, at))
        return;
    const int64_t p = place_of(g, g.flat.at[2], at[2]);
    if (p >= 0)
        *(S *)(g.flat.at[0].data + at[0]) = *(const S *)(memory_of(g.flat.at[1]) + at[1] + p * (int64_t)g.flat.param[1]);
}

template <class S> static __global__ void __launch_bounds__(ARG_THREADS) put(ARGUMENTS(strided_args) g)
{
    int64_t at[3];
    if (!place(g, at))
        return;
    const int64_t p = place_of(g, g.flat.at[2], at[2]);
    if (p >= 0)
        *(S *)(g.flat.at[0].data + at[0] + p * (int64_t)g.flat.param[1]) = *(const S *)(memory_of(g.flat.at[1]) + at[1]);
}

template <class S> static __global__ void __launch_bounds__(ARG_THREADS) masked(ARGUMENTS(strided_args) g)
{
    int64_t at[3];
    if (!place(g, at))
        return;
    if (*(memory_of(g.flat.at[2]) + at[2]))
        *(S *)(g.flat.at[0].data + at[0]) = *(const S *)(memory_of(g.flat.at[1]) + at[1]);
}

static __global__ void __launch_bounds__(ARG_THREADS) offsets(ARGUMENTS(strided_args) g)
{
    int64_t at[2];
    if (!place(g, at))
        return;
    const int64_t p = place_of(g, g.flat.at[1], at[1]);
    if (p >= 0)
        *(int64_t *)(g.flat.at[0].data + at[0]) += p * (int64_t)g.flat.param[1];
}

/* ---- combined ---- */
enum how { ADD, MULTIPLY, AMAX, AMIN };

template <class C> static __device__ __forceinline__ C combined(C a, C b, int how)
{
    if (how == ADD)
        return a + b;
    if (how == MULTIPLY)
        return a * b;
    if (a != a || b != b)
        return b != b ? b : a;
    return (how == AMAX ? b > a : b < a) ? b : a;
}

/* The storage S at p becomes the combination of itself and x, whoever else is at it. */
template <int D>
static __device__ __forceinline__ typename dtype<D>::S next_of(typename dtype<D>::S was, typename dtype<D>::S x, int how)
{
    typedef typename dtype<D>::C C;
    return dtype<D>::put((C)combined<C>(dtype<D>::get(was), dtype<D>::get(x), how));
}

template <class S> static __device__ __forceinline__ uint64_t bits_of(S s)
{
    uint64_t u = 0;
    memcpy(&u, &s, sizeof s);
    return u;
}
template <class S> static __device__ __forceinline__ S of_bits(uint64_t u)
{
    S s;
    memcpy(&s, &u, sizeof s);
    return s;
}

template <int D> static __device__ void change(char *p, typename dtype<D>::S x, int how)
{
    typedef typename dtype<D>::S S;
    if (sizeof(S) == 8) {
        unsigned long long *word = (unsigned long long *)p, was = *word, seen;
        do {
            seen = was;
            was = atomicCAS(word, seen, (unsigned long long)bits_of(next_of<D>(of_bits<S>(seen), x, how)));
        } while (was != seen);
        return;
    }
    if (sizeof(S) == 2) {
        unsigned short *word = (unsigned short *)p, was = *word, seen;
        do {
            seen = was;
            was = atomicCAS(word, seen, (unsigned short)bits_of(next_of<D>(of_bits<S>(seen), x, how)));
        } while (was != seen);
        return;
    }
    /* the word that contains it */
    unsigned      *word = (unsigned *)((uintptr_t)p & ~(uintptr_t)3), was = *word, seen;
    const unsigned shift = 8 * (unsigned)((uintptr_t)p & 3),
                   mask = sizeof(S) == 4 ? ~0u : ((1u << 8 * (sizeof(S) & 3)) - 1) << shift;
    do {
        seen = was;
        const unsigned next = (unsigned)bits_of(next_of<D>(of_bits<S>((seen & mask) >> shift), x, how));
        was = atomicCAS(word, seen, (seen & ~mask) | next << shift);
    } while (was != seen);
}

/* Sums that the machine can make by itself. */
template <int D> static __device__ __forceinline__ bool add_at(char *p, typename dtype<D>::S x) { return false; }
template <> __device__ __forceinline__ bool add_at<KT_F32>(char *p, dtype<KT_F32>::S x) { return atomicAdd((float *)p, x), true; }
template <> __device__ __forceinline__ bool add_at<KT_F64>(char *p, dtype<KT_F64>::S x)
{
    return atomicAdd((double *)p, x), true;
}
template <> __device__ __forceinline__ bool add_at<KT_I32>(char *p, dtype<KT_I32>::S x)
{
    return atomicAdd((unsigned *)p, (unsigned)x), true;
}
template <> __device__ __forceinline__ bool add_at<KT_I64>(char *p, dtype<KT_I64>::S x)
{
    return atomicAdd((unsigned long long *)p, (unsigned long long)x), true;
}
#if __CUDA_ARCH__ >= 900
template <> __device__ __forceinline__ bool add_at<KT_BF16>(char *p, dtype<KT_BF16>::S x)
{
    asm volatile("red.global.add.noftz.bf16 [%0], %1;" ::"l"(p), "h"((uint16_t)x) : "memory");
    return true;
}
template <> __device__ __forceinline__ bool add_at<KT_F16>(char *p, dtype<KT_F16>::S x)
{
    asm volatile("red.global.add.noftz.f16 [%0], %1;" ::"l"(p), "h"((uint16_t)x) : "memory");
    return true;
}
#endif

template <int HOW> static __global__ void __launch_bounds__(ARG_THREADS) combine(ARGUMENTS(strided_args) g)
{
    int64_t at[3];
    if (!place(g, at))
        return;
    const int64_t p = place_of(g, g.flat.at[2], at[2]);
    if (p < 0)
        return;
    char       *to = g.flat.at[0].data + at[0] + p * (int64_t)g.flat.param[1];
    const char *from = memory_of(g.flat.at[1]) + at[1];
    switch (g.flat.at[0].is) {
#define EACH(ID)                                                                                                          \
    case KT_##ID: {                                                                                                       \
        const dtype<KT_##ID>::S x = *(const dtype<KT_##ID>::S *)from;                                                     \
        if (HOW != ADD || !add_at<KT_##ID>(to, x))                                                                        \
            change<KT_##ID>(to, x, HOW);                                                                                  \
        break;                                                                                                            \
    }
        COMBINED(EACH)
#undef EACH
    }
}

/* One integer, added once for each index: a block counts them by itself, so that the few places are not waited for. */
static __global__ void __launch_bounds__(ARG_THREADS) tally(ARGUMENTS(tally_args) all)
{
    enum { AHEAD = 4 };
    __shared__ uint32_t counts[TALLY_PLACES];
    const strided_args &g = all.of;
    const uint32_t      places = (uint32_t)g.flat.param[0];
    const uint64_t      first = blockIdx.x * all.block, last = first + all.block < all.n ? first + all.block : all.n;
    for (uint32_t i = threadIdx.x; i < places; i += ARG_THREADS)
        counts[i] = 0;
    __syncthreads();
    for (uint64_t i = first + threadIdx.x; i < last; i += AHEAD * ARG_THREADS) {
        int64_t named[AHEAD];
#pragma unroll
        for (int k = 0; k < AHEAD; k++)
            named[k] = i + k * ARG_THREADS < last ? number_at(g.flat.at[2], (int64_t)(i + k * ARG_THREADS) * all.step) : 0;
#pragma unroll
        for (int k = 0; k < AHEAD; k++) {
            const int64_t p = i + k * ARG_THREADS < last ? place_named(g, named[k]) : -1;
            if (p >= 0)
                atomicAdd(&counts[p], 1u);
        }
    }
    __syncthreads();
    const char *from = memory_of(g.flat.at[1]);
    for (uint32_t i = threadIdx.x; i < places; i += ARG_THREADS) {
        char *to = g.flat.at[0].data + i * (int64_t)g.flat.param[1];
        if (counts[i] && g.flat.at[0].is == KT_I32)
            add_at<KT_I32>(to, (int32_t)(counts[i] * *(const uint32_t *)from));
        else if (counts[i])
            add_at<KT_I64>(to, (int64_t)(counts[i] * *(const uint64_t *)from));
    }
}

/* ---- in order ---- */

/* Where each element goes, as an address: operand 1 is an array of these. */
static __global__ void __launch_bounds__(ARG_THREADS) targets(ARGUMENTS(strided_args) g)
{
    int64_t at[3];
    if (!place(g, at))
        return;
    const int64_t p = place_of(g, g.flat.at[2], at[2]);
    *(int64_t *)(g.flat.at[1].data + at[1]) =
        p < 0 ? NOWHERE : (int64_t)(intptr_t)(g.flat.at[0].data + at[0] + p * (int64_t)g.flat.param[1]);
}

/* Of this thread: which of the sorted places, and the bytes to its inner element in what is written and in `from`. */
static __device__ __forceinline__ bool ordered_place(const ordered_args &g, uint64_t &k, int64_t (&inside)[2])
{
    const uint64_t thread = (uint64_t)blockIdx.x * ARG_THREADS + threadIdx.x;
    k = thread / g.inner;
    inside[0] = inside[1] = 0;
    if (k >= g.n || g.to[k] == NOWHERE)
        return false;
    walk((uint32_t)(thread - k * g.inner), g.inner_nd, g.inner_size, g.inner_stride, inside);
    return true;
}

static __device__ __forceinline__ const char *ordered_from(const ordered_args &g, uint64_t k, int64_t inside)
{
    int64_t at[1] = {inside};
    walk((uint32_t)g.which[k], g.nd, g.size, g.stride, at);
    return g.from + at[0];
}

template <class S> static __global__ void __launch_bounds__(ARG_THREADS) put_last(ARGUMENTS(ordered_args) g)
{
    uint64_t k;
    int64_t  inside[2];
    if (!ordered_place(g, k, inside) || (k + 1 < g.n && g.to[k + 1] == g.to[k]))
        return;
    *(S *)((char *)(intptr_t)g.to[k] + inside[0]) = *(const S *)ordered_from(g, k, inside[1]);
}

template <int D> static __device__ void combine_all(const ordered_args &g, uint64_t k, const int64_t (&inside)[2], int how)
{
    typedef typename dtype<D>::S S;
    const int64_t to = g.to[k];
    S            *p = (S *)((char *)(intptr_t)to + inside[0]);
    S             sum = *p;
    for (; k < g.n && g.to[k] == to; k++)
        sum = next_of<D>(sum, *(const S *)ordered_from(g, k, inside[1]), how);
    *p = sum;
}

template <int HOW> static __global__ void __launch_bounds__(ARG_THREADS) combine_ordered(ARGUMENTS(ordered_args) g)
{
    uint64_t k;
    int64_t  inside[2];
    if (!ordered_place(g, k, inside) || (k > 0 && g.to[k - 1] == g.to[k]))
        return;
    switch (g.is) {
#define EACH(ID) case KT_##ID: combine_all<KT_##ID>(g, k, inside, HOW); break;
        COMBINED(EACH)
#undef EACH
    }
}

/* ---- where a mask holds: counted by blocks, then written; each block adds up those before it ---- */

/* Of the elements i to i + MASK_EACH that there are before `end`: a bit for each that holds. */
static __device__ __forceinline__ uint32_t mask_bits(const nonzero_args &g, uint64_t i, uint64_t end)
{
    uint32_t bits = 0;
    if (g.aligned && i + MASK_EACH <= end) {
        const uint4    four = *(const uint4 *)(g.mask + i);
        const uint32_t word[4] = {four.x, four.y, four.z, four.w};
#pragma unroll
        for (int w = 0; w < 4; w++) {
            const uint32_t some = ((word[w] & 0x7f7f7f7fu) + 0x7f7f7f7fu | word[w]) >> 7 & 0x01010101u;
            bits |= (some * 0x01020408u >> 24) << 4 * w; /* each byte's lowest bit in its order */
        }
        return bits;
    }
#pragma unroll
    for (int j = 0; j < MASK_EACH; j++)
        bits |= (uint32_t)(i + j < end && g.mask[i + j] != 0) << j;
    return bits;
}

/* What all threads of a block have, and those before this one. */
static __device__ __forceinline__ uint32_t block_sum(uint32_t mine, uint32_t *before)
{
    __shared__ uint32_t warps[ARG_THREADS / 32];
    const uint32_t      lane = threadIdx.x % 32, warp = threadIdx.x / 32;
    uint32_t            upto = mine, all = 0;
#pragma unroll
    for (int away = 1; away < 32; away *= 2) {
        const uint32_t other = __shfl_up_sync(0xffffffffu, upto, away);
        upto += lane >= (uint32_t)away ? other : 0;
    }
    __syncthreads();
    if (lane == 31)
        warps[warp] = upto;
    __syncthreads();
    *before = upto - mine;
    for (uint32_t w = 0; w < ARG_THREADS / 32; w++) {
        *before += w < warp ? warps[w] : 0;
        all += warps[w];
    }
    return all;
}

static __global__ void __launch_bounds__(ARG_THREADS) count_true(ARGUMENTS(nonzero_args) g)
{
    const uint64_t begin = (uint64_t)blockIdx.x * g.block, end = begin + g.block < g.n ? begin + g.block : g.n;
    uint32_t       mine = 0, before;
    if (begin >= g.n)
        return;
    for (uint64_t i = begin + threadIdx.x * MASK_EACH; i < end; i += ARG_THREADS * MASK_EACH)
        mine += __popc(mask_bits(g, i, end));
    const uint32_t all = block_sum(mine, &before);
    if (threadIdx.x == 0)
        g.counts[blockIdx.x] = all;
}

template <class I> static __device__ __forceinline__ void write_place(const nonzero_args &g, uint64_t i, uint64_t k)
{
    I rest = (I)i;
    for (int d = (int)g.nd - 1; d >= 0; d--) {
        const I next = d ? rest / (I)g.size[d] : 0;
        *(int64_t *)(g.to + (int64_t)d * g.step + (int64_t)k * 8) = (int64_t)(d ? rest - next * (I)g.size[d] : rest);
        rest = next;
    }
}

/* At most as many as there is room for: the mask may have changed since it was counted, and places that were not found are 0. */
static __global__ void __launch_bounds__(ARG_THREADS) write_true(ARGUMENTS(nonzero_args) g)
{
    const uint64_t begin = (uint64_t)blockIdx.x * g.block, end = begin + g.block < g.n ? begin + g.block : g.n;
    __shared__ uint64_t before_block;
    __shared__ uint16_t found[ARG_THREADS * MASK_EACH]; /* so that neighbours write side by side */
    if (begin >= g.n)
        return;
    if (threadIdx.x == 0)
        before_block = 0;
    __syncthreads();
    unsigned long long mine = 0;
    for (uint32_t b = threadIdx.x; b < blockIdx.x; b += ARG_THREADS)
        mine += g.counts[b];
    if (mine)
        atomicAdd((unsigned long long *)&before_block, mine);
    __syncthreads();
    uint64_t k = before_block;
    for (uint64_t first = begin; first < end; first += ARG_THREADS * MASK_EACH) {
        uint32_t       bits = mask_bits(g, first + threadIdx.x * MASK_EACH, end), at;
        const uint32_t all = block_sum(__popc(bits), &at);
        for (; bits; bits &= bits - 1)
            found[at++] = (uint16_t)(threadIdx.x * MASK_EACH + __ffs((int)bits) - 1);
        __syncthreads();
        for (uint32_t j = threadIdx.x; j < all && k + j < g.most; j += ARG_THREADS) {
            if (g.n <= UINT32_MAX)
                write_place<uint32_t>(g, first + found[j], k + j);
            else
                write_place<uint64_t>(g, first + found[j], k + j);
        }
        k += all;
    }
    for (k += threadIdx.x; end == g.n && k < g.most; k += ARG_THREADS)
        write_place<uint32_t>(g, 0, k);
}

#define BY_WIDTH(kernel)                                                                                                  \
    {(const void *)kernel<uint8_t>, (const void *)kernel<uint16_t>, (const void *)kernel<uint32_t>,                       \
     (const void *)kernel<uint64_t>, (const void *)kernel<uint4>}
const void *const take_kernels[] = BY_WIDTH(take);
const void *const put_kernels[] = BY_WIDTH(put);
const void *const masked_kernels[] = BY_WIDTH(masked);
const void *const combine_kernels[] = {(const void *)combine<ADD>, (const void *)combine<MULTIPLY>, (const void *)combine<AMAX>,
                                       (const void *)combine<AMIN>};
const void *const ordered_kernels[] = {(const void *)combine_ordered<ADD>, (const void *)combine_ordered<MULTIPLY>};
const void *const put_last_kernels[] = BY_WIDTH(put_last);
const void *const targets_kernel = (const void *)targets, *const tally_kernel = (const void *)tally;
const void *const offsets_kernel = (const void *)offsets;
const void *const count_true_kernel = (const void *)count_true, *const write_true_kernel = (const void *)write_true;
