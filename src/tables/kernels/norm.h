/* norm.h - ids of the kernels of norm.def. */
#ifndef KT_TABLES_KERNELS_NORM_H
#define KT_TABLES_KERNELS_NORM_H

#include "tables/kernels/families.h"

enum {
    KT__FAMILY_BEGIN(norm),
#define KERNEL(name, ...) KT_K_##name,
#include "tables/kernels/norm.def"
#undef KERNEL
};

#endif
