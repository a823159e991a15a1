/* radix.cu - the sort of many pairs by digits (radix.h). Where kernels run on the CPU, the same by counting there. */
#include "radix.h"

#ifndef KT_ON_CPU
/* CUB's headers ask for <iostream>, for debugging alone; what that initializes would need the C++ library. */
#define _GLIBCXX_IOSTREAM 1
#include <cub/device/device_radix_sort.cuh>

template <class K>
static cudaError_t sort_pairs(void *room, size_t *bytes, void *const keys[2], uint32_t *const from[2], uint32_t n, int bits,
                              int *at, cudaStream_t stream)
{
    cub::DoubleBuffer<K>        k((K *)keys[0], (K *)keys[1]);
    cub::DoubleBuffer<uint32_t> f(from[0], from[1]);
    const cudaError_t           error = cub::DeviceRadixSort::SortPairs(room, *bytes, k, f, n, 0, bits, stream);
    *at = k.selector;
    return error;
}
#else
typedef int cudaError_t;
typedef void *cudaStream_t;

template <class K>
static cudaError_t sort_pairs(void *room, size_t *bytes, void *const keys[2], uint32_t *const from[2], uint32_t n, int bits,
                              int *at, cudaStream_t)
{
    *bytes = 1;
    for (int shift = 0; room && shift < bits; shift += 8) {
        const K  *k = (const K *)keys[*at];
        uint32_t  first[257] = {0};
        for (uint32_t i = 0; i < n; i++)
            first[(k[i] >> shift & 255) + 1]++;
        for (int digit = 0; digit < 256; digit++)
            first[digit + 1] += first[digit];
        for (uint32_t i = 0; i < n; i++) {
            const uint32_t to = first[k[i] >> shift & 255]++;
            ((K *)keys[!*at])[to] = k[i];
            from[!*at][to] = from[*at][i];
        }
        *at = !*at;
    }
    return 0;
}
#endif

extern "C" int radix_sort(void *room, size_t *bytes, bool narrow, void *const keys[2], uint32_t *const from[2], uint32_t n,
                          int bits, int *at, void *stream)
{
    *at = 0;
    return narrow ? sort_pairs<uint32_t>(room, bytes, keys, from, n, bits, at, (cudaStream_t)stream)
                  : sort_pairs<uint64_t>(room, bytes, keys, from, n, bits, at, (cudaStream_t)stream);
}
