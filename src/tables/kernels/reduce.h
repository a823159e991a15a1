/* reduce.h - ids of the kernels of reduce.def. */
#ifndef KT_TABLES_KERNELS_REDUCE_H
#define KT_TABLES_KERNELS_REDUCE_H

#include "tables/kernels/families.h"

enum {
    KT__FAMILY_BEGIN(reduce),
#define KERNEL(name, ...) KT_K_##name,
#include "tables/kernels/reduce.def"
#undef KERNEL
};

#endif
