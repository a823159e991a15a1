/* product.h - ids of the kernels of product.def. */
#ifndef KT_TABLES_KERNELS_PRODUCT_H
#define KT_TABLES_KERNELS_PRODUCT_H

#include "tables/kernels/families.h"

enum {
    KT__FAMILY_BEGIN(product),
#define KERNEL(name, ...) KT_K_##name,
#include "tables/kernels/product.def"
#undef KERNEL
};

#endif
