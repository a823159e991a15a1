/* optimizer.h - ids of the kernels of optimizer.def. */
#ifndef KT_TABLES_KERNELS_OPTIMIZER_H
#define KT_TABLES_KERNELS_OPTIMIZER_H

#include "tables/kernels/families.h"

enum {
    KT__FAMILY_BEGIN(optimizer),
#define KERNEL(name, ...) KT_K_##name,
#include "tables/kernels/optimizer.def"
#undef KERNEL
};

#endif
