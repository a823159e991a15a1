/* order.h - the CPU's sorting, ranking and searching. In: plans of their kernels. Out: the outputs. */
#ifndef KT_CPU_ORDER_ORDER_H
#define KT_CPU_ORDER_ORDER_H

#include <karat/plugin/backend.h>

#include <string.h>

#include "dtype/value.h"
#include "math/core.h"

kt_status kt__cpu_order(const kt_plan *plan);
kt_status kt__cpu_search(const kt_plan *plan);    /* search.c */
kt_status kt__cpu_sort_rows(const kt_plan *plan); /* order/rows.c */

/* ---- keys ---- */

KT_ALWAYS uint64_t kt__float_key(uint64_t bits, int width, uint64_t infinity)
{
    const uint64_t sign = UINT64_C(1) << (8 * width - 1), all = sign | (sign - 1), size = bits & ~sign;
    if (size > infinity)
        return all;
    if (size == 0)
        return sign;
    return bits & sign ? ~bits & all : bits | sign;
}

KT_ALWAYS uint64_t kt__key_bits(const char *x, int width)
{
    uint64_t bits = 0;
    memcpy(&bits, x, (size_t)width); /* little-endian, as everything that Karat runs on */
    return bits;
}

/* An unsigned key that orders as the element does: a NaN above everything, the two zeros alike. Inline for loops over a dtype
 * that is known. */
KT_ALWAYS uint64_t kt__order_key_of(const char *x, kt_dtype dtype)
{
    float f;
    switch (dtype) {
    case KT_BOOL:
    case KT_U8:
    case KT_U16:
    case KT_U32:
    case KT_U64:  return kt__key_bits(x, kt__dtype_rows[dtype].size);
    case KT_I8:   return kt__key_bits(x, 1) ^ 0x80;
    case KT_I16:  return kt__key_bits(x, 2) ^ 0x8000;
    case KT_I32:  return kt__key_bits(x, 4) ^ 0x80000000u;
    case KT_I64:  return kt__key_bits(x, 8) ^ UINT64_C(1) << 63;
    case KT_F16:  return kt__float_key(kt__key_bits(x, 2), 2, 0x7c00);
    case KT_BF16: return kt__float_key(kt__key_bits(x, 2), 2, 0x7f80);
    case KT_F32:  return kt__float_key(kt__key_bits(x, 4), 4, 0x7f800000);
    case KT_F64:  return kt__float_key(kt__key_bits(x, 8), 8, UINT64_C(0x7ff) << 52);
    default: /* floats of one byte have NaNs and infinities of many kinds */
        kt__convert(&f, KT_F32, 4, x, dtype, 1, 1);
        return kt__float_key(kt__key_bits((const char *)&f, 4), 4, 0x7f800000);
    }
}

uint64_t kt__order_key(const char *x, kt_dtype dtype);
/* The key of a NaN. Of a dtype that has none: no key is compared with it, ask first. */
bool kt__order_nan(kt_dtype dtype, uint64_t *key);

#endif
