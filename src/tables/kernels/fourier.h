/* fourier.h - ids of the kernels of fourier.def. */
#ifndef KT_TABLES_KERNELS_FOURIER_H
#define KT_TABLES_KERNELS_FOURIER_H

#include "tables/kernels/families.h"

enum {
    KT__FAMILY_BEGIN(fourier),
#define KERNEL(name, ...) KT_K_##name,
#include "tables/kernels/fourier.def"
#undef KERNEL
};

#endif
