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

#endif
