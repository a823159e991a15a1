/* direct_bf16.h - the loops of convolutions in bfloat16 without columns, by tiles of 16 rows: what a build has of them.
 *
 * In: positions of 32 channels, or channels of many positions, as padded.h lays them; packed weights. Out: sums in float32, two
 * by two tiles at a time, and results. Run only where the processor has what they need. Independent of: plans, geometry. */
#ifndef KT_CPU_WINDOW_DIRECT_BF16_H
#define KT_CPU_WINDOW_DIRECT_BF16_H

#include "cpu/kernels.h"

typedef struct kt__cpu_direct_bf16 { /* multiply NULL: the build has none */
    uint32_t needs; /* of the processor: KT__CPU_AMX_BF16 or KT__CPU_NEON_BF16 */
    int      terms; /* of a word: elements that lie side by side in packed tiles, [32 / terms words, 16 rows, terms] */
    void (*begin)(void), (*end)(void); /* of a thread's use of tiles */
    /* to [n, 32] = element i * step of each of 32 rows; NULL: zeros */
    void (*gather)(uint16_t *to, const uint16_t *const *rows, int64_t step, int64_t n);
    /* to[c * by_channel + i] = from[i * step + c]: n positions of at most 32 channels */
    void (*spread)(uint16_t *to, int64_t by_channel, const uint16_t *from, int64_t step, int64_t n, int64_t channels);
    /* 16 rows of 32 elements become a packed tile */
    void (*turn)(uint16_t *to, const uint16_t *from, int64_t by_row);
    /* sums [32 positions, 32 rows] = over k: positions of 32 channels from image + at[k] on, bytes, times weights [k, tiles of
     * channels and rows]; positions and rows: how many tiles of 16 */
    void (*multiply)(float *sums, const char *image, const int64_t *at, const uint16_t *weights, int64_t k, int positions,
                     int rows);
    /* of position s.from + j to out[r * by_row + s.to + j] */
    void (*write_rows)(const float *sums, const kt__stretch *s, int n, const float *bias, int64_t rows, uint16_t *out,
                       int64_t by_row);
    /* the same with the rows innermost: to out[s.to + j * by_position + r] */
    void (*write_positions)(const float *sums, const kt__stretch *s, int n, const float *bias, int64_t rows, uint16_t *out,
                            int64_t by_position);
    /* sums [2, 2, 16 channels, 16 rows] += over k: channels from image + at[k] on times back [k, tiles of positions and
     * rows], of which the second tile begins at by_block */
    void (*add)(float *sums, const char *image, int64_t by_channel, const int64_t *at, const uint16_t *back, int64_t by_block,
                int64_t k, int channels, int rows);
} kt__cpu_direct_bf16;

#endif
