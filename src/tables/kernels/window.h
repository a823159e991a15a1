/* window.h - ids of the kernels of window.def. */
#ifndef KT_TABLES_KERNELS_WINDOW_H
#define KT_TABLES_KERNELS_WINDOW_H

#include "tables/kernels/families.h"

enum {
    KT__FAMILY_BEGIN(window),
#define KERNEL(name, ...) KT_K_##name,
#include "tables/kernels/window.def"
#undef KERNEL
};

#endif
