/* grid.h - a plan of sampling at the places of a grid, read. */
#ifndef KT_CPU_RESAMPLE_GRID_H
#define KT_CPU_RESAMPLE_GRID_H

#include "cpu/resample/resample.h"

/* [batch, three dims in space, coordinates] */
typedef struct kt__grid {
    kt_operand x;
    int64_t    size[KT__SPACE_DIMS], step[KT__SPACE_DIMS], by_batch, by_coordinate;
} kt__grid;

typedef struct kt__sampling {
    int              dims;
    kt__grid_mode    mode;
    kt__grid_padding padding;
    bool             align;
    kt__image        image, samples;    /* what is sampled; the samples, or what flowed back to them */
    kt__grid         grid;
    kt__image        to_image;          /* what flows back, where there is data */
    kt__grid         to_grid;
    int64_t          positions;         /* samples of a channel */
    bool             failed;            /* no memory */
} kt__sampling;

kt__sampling kt__sampling_of(const kt_plan *plan);

#endif
