/* nans.h - any NaN as one NaN: devices differ in which they make of an operation, and PyTorch's do too. */
#ifndef KT_TEST_NANS_H
#define KT_TEST_NANS_H

#include <karat/dtype.h>
#include <string.h>

/* Of parts of `width` bytes: those whose magnitude is beyond that of infinity. */
static inline void make_parts_alike(void *values, int64_t n, size_t width, uint64_t infinity)
{
    for (int64_t i = 0; i < n; i++) {
        uint64_t bits = 0;
        char    *at = (char *)values + (size_t)i * width;
        memcpy(&bits, at, width);
        bits &= ~((uint64_t)1 << (8 * width - 1));
        if (bits > infinity)
            memset(at, 0xff, width);
    }
}

static inline void make_nans_alike(void *values, kt_dtype dtype, int64_t n)
{
    switch (dtype) {
    case KT_F16:  make_parts_alike(values, n, 2, 0x7c00); break;
    case KT_BF16: make_parts_alike(values, n, 2, 0x7f80); break;
    case KT_F32:  make_parts_alike(values, n, 4, 0x7f800000); break;
    case KT_F64:  make_parts_alike(values, n, 8, UINT64_C(0x7ff0000000000000)); break;
    case KT_C32:  make_parts_alike(values, 2 * n, 2, 0x7c00); break;
    case KT_C64:  make_parts_alike(values, 2 * n, 4, 0x7f800000); break;
    case KT_C128: make_parts_alike(values, 2 * n, 8, UINT64_C(0x7ff0000000000000)); break;
    default:      break;
    }
}

#endif
