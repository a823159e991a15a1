/* group.cuh - threads that work at one result together: one, a warp or a block of them, by a number that the host chooses. What
 * they have is joined by halves, the lower lanes' first, so that the order depends on the number of lanes alone. */
#ifndef KARAT_CUDA_GROUP_CUH
#define KARAT_CUDA_GROUP_CUH

#include "args.h"

enum { WARP = 32 };

/* A struct of another lane, word by word: the lane so many above or below, or the first one. */
enum lane { ABOVE, BELOW, FIRST };
template <lane FROM, class S> static __device__ __forceinline__ S from_lane(const S &mine, int away)
{
    enum { WORDS = (sizeof(S) + 3) / 4 };
    uint32_t word[WORDS];
    S        other;
    memcpy(word, &mine, sizeof(S));
#pragma unroll
    for (int i = 0; i < WORDS; i++)
        word[i] = FROM == ABOVE   ? __shfl_down_sync(0xffffffffu, word[i], away)
                  : FROM == BELOW ? __shfl_up_sync(0xffffffffu, word[i], away)
                                  : __shfl_sync(0xffffffffu, word[i], 0);
    memcpy(&other, word, sizeof(S));
    return other;
}

/* The first lane of `lanes` (1, WARP or ARG_THREADS) has the whole in the end. All threads of a block come here. */
template <class S> static __device__ __forceinline__ void join_lanes(S &mine, uint32_t lanes)
{
    if (lanes == 1)
        return;
#pragma unroll
    for (int away = WARP / 2; away > 0; away /= 2) {
        const S other = from_lane<ABOVE>(mine, away);
        mine.join(other);
    }
    if (lanes == WARP)
        return;
    alignas(16) __shared__ unsigned char room[ARG_THREADS / WARP][sizeof(S)];
    __syncthreads(); /* an earlier use of the room is over */
    if (threadIdx.x % WARP == 0)
        memcpy(room[threadIdx.x / WARP], &mine, sizeof(S));
    __syncthreads();
    if (threadIdx.x == 0)
        for (int i = 1; i < ARG_THREADS / WARP; i++) {
            S other;
            memcpy(&other, room[i], sizeof(S));
            mine.join(other);
        }
}

/* What the first lane has, for all of them. */
template <class S> static __device__ __forceinline__ S to_all_lanes(const S &mine, uint32_t lanes)
{
    if (lanes == 1)
        return mine;
    if (lanes == WARP)
        return from_lane<FIRST>(mine, 0);
    alignas(16) __shared__ unsigned char room[sizeof(S)];
    __syncthreads();
    if (threadIdx.x == 0)
        memcpy(room, &mine, sizeof(S));
    __syncthreads();
    S first;
    memcpy(&first, room, sizeof(S));
    return first;
}

/* What sums alone are joined as. */
struct plain_sum {
    double s = 0;
    __device__ void join(const plain_sum &other) { s += other.s; }
};

/* The sum of a vector: three roundings in its own type, and one conversion to double instead of eight. */
template <class T, int M> static __device__ __forceinline__ T in_pairs(T (&v)[M])
{
#pragma unroll
    for (int half = M / 2; half > 0; half /= 2)
#pragma unroll
        for (int i = 0; i < half; i++)
            v[i] += v[i + half];
    return v[0];
}

#endif
