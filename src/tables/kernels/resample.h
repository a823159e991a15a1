/* resample.h - ids of the kernels of resample.def. */
#ifndef KT_TABLES_KERNELS_RESAMPLE_H
#define KT_TABLES_KERNELS_RESAMPLE_H

#include "tables/kernels/families.h"

enum {
    KT__FAMILY_BEGIN(resample),
#define KERNEL(name, ...) KT_K_##name,
#include "tables/kernels/resample.def"
#undef KERNEL
};

/* param[1] of the kernel resample */
typedef enum kt__filter { KT__NEAREST, KT__NEAREST_EXACT, KT__LINEAR, KT__CUBIC } kt__filter;
/* param[2]: bits */
enum {
    KT__ALIGN_CORNERS = 1,
    KT__ANTIALIAS = 2,
    KT__FLOWS_BACK = 4,  /* the input is what flowed back to the result of resampling, the output what flows back to its input */
    KT__BY_CHANNELS = 8, /* nearest: PyTorch's kernel that goes by channels decides which element is nearest */
};
/* param[1] and param[2] of grid_sample; param[4] of what flows back: bits of the outputs that are there */
typedef enum kt__grid_mode { KT__GRID_LINEAR, KT__GRID_NEAREST, KT__GRID_CUBIC } kt__grid_mode;
typedef enum kt__grid_padding { KT__GRID_ZEROS, KT__GRID_BORDER, KT__GRID_REFLECTION } kt__grid_padding;
enum { KT__TO_IMAGE = 1, KT__TO_GRID = 2 };

#endif
