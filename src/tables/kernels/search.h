/* search.h - ids of the kernels of search.def. */
#ifndef KT_TABLES_KERNELS_SEARCH_H
#define KT_TABLES_KERNELS_SEARCH_H

#include "tables/kernels/families.h"

enum {
    KT__FAMILY_BEGIN(search),
#define KERNEL(name, ...) KT_K_##name,
#include "tables/kernels/search.def"
#undef KERNEL
};

#endif
