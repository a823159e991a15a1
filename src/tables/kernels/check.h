/* check.h - ids of the kernels of check.def. */
#ifndef KT_TABLES_KERNELS_CHECK_H
#define KT_TABLES_KERNELS_CHECK_H

#include "tables/kernels/families.h"

enum {
    KT__FAMILY_BEGIN(check),
#define KERNEL(name, ...) KT_K_##name,
#include "tables/kernels/check.def"
#undef KERNEL
};

#endif
