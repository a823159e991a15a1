/* radix.h - pairs sorted by digits of their keys, by CUB: many at once, and short lines within a block. Stable, and of the same
 * bits at every run. */
#ifndef KARAT_CUDA_RADIX_H
#define KARAT_CUDA_RADIX_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "args.h"

/* A block sorts as many whole lines as there is room for. */
enum { SHORT_EACH_NARROW = 3, SHORT_EACH_WIDE = 2, SHORT_LEAST = 4 }; /* kernels; elements of a thread of the first; twice each */
typedef struct short_args {
    sort_args sort;
    uint32_t  lines; /* of a block */
    uint8_t   bits;  /* of a key and of the number of a line within a block */
    uint8_t   puts;  /* the results are written, not keys and where they are from */
} short_args;

#ifdef __cplusplus
extern "C" {
#endif
extern const void *const short_narrow_kernels[SHORT_EACH_NARROW], *const short_wide_kernels[SHORT_EACH_WIDE];
/* Keys of 32 bits (narrow) or 64, whose lowest `bits` count, each with a number of 32 bits. Both lie in [0]; in the end in
 * [*at]. room: NULL: *bytes is set to what is needed of it. Out: the runtime's error, 0: none. */
int radix_sort(void *room, size_t *bytes, bool narrow, void *const keys[2], uint32_t *const from[2], uint32_t n, int bits,
               int *at, void *stream);
#ifdef __cplusplus
}
#endif
#endif
