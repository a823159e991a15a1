/* copy.h - ids of the kernels of copy.def. */
#ifndef KT_TABLES_KERNELS_COPY_H
#define KT_TABLES_KERNELS_COPY_H

#include "tables/kernels/families.h"

enum {
    KT__FAMILY_BEGIN(copy),
#define KERNEL(name, ...) KT_K_##name,
#include "tables/kernels/copy.def"
#undef KERNEL
};

#endif
