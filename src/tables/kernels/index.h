/* index.h - ids of the kernels of index.def. */
#ifndef KT_TABLES_KERNELS_INDEX_H
#define KT_TABLES_KERNELS_INDEX_H

#include "tables/kernels/families.h"

enum {
    KT__FAMILY_BEGIN(index),
#define KERNEL(name, ...) KT_K_##name,
#include "tables/kernels/index.def"
#undef KERNEL
};

#endif
