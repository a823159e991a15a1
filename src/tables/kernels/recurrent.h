/* recurrent.h - ids of the kernels of recurrent.def. */
#ifndef KT_TABLES_KERNELS_RECURRENT_H
#define KT_TABLES_KERNELS_RECURRENT_H

#include "tables/kernels/families.h"

enum {
    KT__FAMILY_BEGIN(recurrent),
#define KERNEL(name, ...) KT_K_##name,
#include "tables/kernels/recurrent.def"
#undef KERNEL
};

#endif
