/* elementwise.h - ids of the kernels of the elementwise families. */
#ifndef KT_TABLES_KERNELS_ELEMENTWISE_H
#define KT_TABLES_KERNELS_ELEMENTWISE_H

#include "tables/kernels/families.h"

#define UN(name, ...)  KT_K_##name,
#define BIN(name, ...) KT_K_##name,
#define TER(name, ...) KT_K_##name,
enum {
    KT__FAMILY_BEGIN(arithmetic),
#include "tables/kernels/arithmetic.def"
    KT__FAMILY_BEGIN(compare),
#include "tables/kernels/compare.def"
    KT__FAMILY_BEGIN(exponential),
#include "tables/kernels/exponential.def"
    KT__FAMILY_BEGIN(trigonometric),
#include "tables/kernels/trigonometric.def"
    KT__FAMILY_BEGIN(special),
#include "tables/kernels/special.def"
    KT__FAMILY_BEGIN(rounding),
#include "tables/kernels/rounding.def"
    KT__FAMILY_BEGIN(bitwise),
#include "tables/kernels/bitwise.def"
    KT__FAMILY_BEGIN(activation),
#include "tables/kernels/activation.def"
    KT__FAMILY_BEGIN(loss),
#include "tables/kernels/loss.def"
};
#undef UN
#undef BIN
#undef TER

#endif
