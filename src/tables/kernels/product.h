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

/* A third parameter of matmul, behind alpha and beta: what is made of each result, after it was rounded or before. */
enum { KT__THEN_NOTHING, KT__THEN_RELU, KT__THEN_GELU, KT__THEN_GELU_TANH };

#endif
