/* order.h - ids of the kernels of order.def. */
#ifndef KT_TABLES_KERNELS_ORDER_H
#define KT_TABLES_KERNELS_ORDER_H

#include "tables/kernels/families.h"

enum {
    KT__FAMILY_BEGIN(order),
#define KERNEL(name, ...) KT_K_##name,
#include "tables/kernels/order.def"
#undef KERNEL
};

#endif
