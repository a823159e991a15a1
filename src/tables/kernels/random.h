/* random.h - ids of the kernels of random.def. */
#ifndef KT_TABLES_KERNELS_RANDOM_H
#define KT_TABLES_KERNELS_RANDOM_H

#include "tables/kernels/families.h"

enum {
    KT__FAMILY_BEGIN(random),
#define KERNEL(name, ...) KT_K_##name,
#include "tables/kernels/random.def"
#undef KERNEL
};

#endif
