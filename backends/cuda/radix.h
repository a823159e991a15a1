/* radix.h - pairs sorted by digits of their keys, by CUB: stable, and of the same bits at every run. */
#ifndef KARAT_CUDA_RADIX_H
#define KARAT_CUDA_RADIX_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif
/* Keys of 32 bits (narrow) or 64, whose lowest `bits` count, each with a number of 32 bits. Both lie in [0]; in the end in
 * [*at]. room: NULL: *bytes is set to what is needed of it. Out: the runtime's error, 0: none. */
int radix_sort(void *room, size_t *bytes, bool narrow, void *const keys[2], uint32_t *const from[2], uint32_t n, int bits,
               int *at, void *stream);
#ifdef __cplusplus
}
#endif
#endif
