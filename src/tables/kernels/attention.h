/* attention.h - ids of the kernels of attention.def. */
#ifndef KT_TABLES_KERNELS_ATTENTION_H
#define KT_TABLES_KERNELS_ATTENTION_H

#include "tables/kernels/families.h"

enum {
    KT__FAMILY_BEGIN(attention),
#define KERNEL(name, ...) KT_K_##name,
#include "tables/kernels/attention.def"
#undef KERNEL
};

#endif
