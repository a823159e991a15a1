/* padded.h - a box of a bfloat16 image with its padding: rows that loops (kernels.h) read where they lie.
 *
 * In: a pass, and how many positions a box has. Out: planes, one for each channel, or for each 32 of them with the channels of a
 * position side by side. With a stride of s the elements of a plane fall into phases, as in direct.h. Of few channels
 * the taps of all dims but the last make channels of their own, which see the same rows shifted: tiles have room for 32 channels,
 * and would be multiplied mostly empty. Independent of: what is multiplied. */
#ifndef KT_CPU_WINDOW_PADDED_H
#define KT_CPU_WINDOW_PADDED_H

#include "base/cpu.h"
#include "cpu/window/direct_bf16.h"
#include "cpu/window/pass.h"

enum { SIDE = 16, TERMS = 32, TILE = SIDE * TERMS }; /* of a tile: rows; elements of a row of bfloat16, and of all */

typedef struct padded {
    int64_t lanes;                                         /* channels of a plane: 1 or TERMS */
    int64_t joined, channels;                              /* taps that make channels; channels with them */
    int64_t box[SPACE];                                    /* positions, at most */
    int64_t before[SPACE], phases[SPACE], extent[SPACE];   /* elements that taps reach before the first; of a phase */
    int64_t taps, planes, plane, image;                    /* steps of a channel; elements of a plane and of an image's planes */
} padded;

/* Are there loops for bfloat16, and can the processor run them? */
static inline bool has_bf16(const pass *p)
{
    return p->build->direct_bf16->multiply && (kt__cpu_bits() & p->build->direct_bf16->needs);
}

static inline bool plain_bf16(const kt_operand *x) { return x->is == KT_BF16 && x->as == KT_BF16 && x->bits == 0; }

/* d->lanes, d->box and `channels`, which are multiples of it, are given. */
void    kt__padded_lay_out(padded *d, const pass *p, int64_t channels);
/* Whole rows, as many as have room. */
void    kt__padded_cut(padded *d, const pass *p, int64_t channels, int64_t bytes);
int64_t kt__padded_flat(const padded *d, const int64_t *size); /* positions of a box, to the ends of padded rows */
int64_t kt__padded_tap(const padded *d, const pass *p, int64_t tap); /* where it begins, in a plane */
/* The channels from `channel` on; those beyond all are zeros. */
void    kt__padded_fill(const padded *d, const pass *p, const box *b, int64_t n, int64_t group, int64_t channel, uint16_t *to);

/* places [channels, taps]: where each of them lies in the weight, in bytes from row 0 of the group. */
void    kt__padded_weight(const padded *d, const pass *p, const packing *k, int64_t *places);

#endif
