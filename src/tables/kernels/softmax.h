/* softmax.h - ids of the kernels of softmax.def. */
#ifndef KT_TABLES_KERNELS_SOFTMAX_H
#define KT_TABLES_KERNELS_SOFTMAX_H

#include "tables/kernels/families.h"

enum {
    KT__FAMILY_BEGIN(softmax),
#define KERNEL(name, ...) KT_K_##name,
#include "tables/kernels/softmax.def"
#undef KERNEL
};

#endif
