/* scan.h - ids of the kernels of scan.def. */
#ifndef KT_TABLES_KERNELS_SCAN_H
#define KT_TABLES_KERNELS_SCAN_H

#include "tables/kernels/families.h"

enum {
    KT__FAMILY_BEGIN(scan),
#define KERNEL(name, ...) KT_K_##name,
#include "tables/kernels/scan.def"
#undef KERNEL
};

#endif
