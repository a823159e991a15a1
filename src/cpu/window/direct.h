/* direct.h - convolutions in float32 without columns: rows of the image, padded with zeros, are multiplied where they lie.
 *
 * In: how positions and taps move over the image, and weights [groups, rows, channels, taps]. Out: sums for a box of positions.
 * A box of the image is copied once, with its padding; with a stride of s its elements fall into s phases in each dim, so that
 * what one tap sees from neighbouring positions lies side by side. Positions are counted through to the ends of the padded rows:
 * one loop (kernels.h) serves any geometry, and what it makes beyond the ends is dropped. Independent of: plans, dtypes. */
#ifndef KT_CPU_WINDOW_DIRECT_H
#define KT_CPU_WINDOW_DIRECT_H

#include "cpu/window/image.h"

typedef struct kt__tiling { /* of a box */
    int64_t size[KT__SPACE_DIMS], total, tiles; /* positions, and how many are counted */
    bool    by_row;
} kt__tiling;

typedef struct kt__direct {
    const kt__cpu_direct *by;
    int64_t rows, depth;           /* channels of a group: of the result, of the image */
    int64_t taps[KT__SPACE_DIMS], move[KT__SPACE_DIMS], by_tap[KT__SPACE_DIMS]; /* reads move * position + by_tap * tap */
    int64_t box[KT__SPACE_DIMS];   /* positions, at most */
    int64_t before[KT__SPACE_DIMS]; /* elements that taps reach before the first */
    int64_t phase[KT__SPACE_DIMS]; /* elements of a phase */
    int64_t channel, padded;       /* elements of a channel; of all, with what the loop reads beyond */
    int64_t  k, *at;               /* channels and taps, and where each begins */
    int64_t  steps, together;      /* how many of k, and how many tiles, are worked on at a time */
    kt__tiling tiling;             /* of a whole box */
    float   *weights;              /* [groups, rows in blocks, k, rows of a block] */
    int64_t  by_group;
    float   *beside;               /* room for numbers of the caller */
    void    *made;
    size_t   granted;
} kt__direct;

/* Chooses the box; false: this geometry is better served by columns. count: positions in each dim. */
bool kt__direct_fits(kt__direct *d, const int64_t *count);
/* weights: [groups, rows, channels, taps], the last two dense; distances in elements. beside: numbers that need room. false: no
 * memory. */
bool kt__direct_begin(kt__direct *d, const float *weights, int64_t groups, int64_t by_group, int64_t by_row, int64_t beside);
void kt__direct_end(kt__direct *d);

/* The sums of a box of `size` positions, of rows [first, end), the first of which begins a block: row r of position p goes to
 * out[r * by_row + p * step]; step of the last dim: 1. */
void kt__direct_box(const kt__direct *d, int64_t group, int64_t first, int64_t end, const float *padded, const int64_t *size,
                    const float *bias, int64_t by_bias, float *out, int64_t by_row, const int64_t *step);

#endif
