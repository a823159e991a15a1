/* kernels.h - names of the kernels: one enumerator a row of the kernel tables, then those with loops of their own.
 * Read by the resolver (which names one in each plan) and by the backends (which look one up). */
#ifndef KT_OP_KERNELS_H
#define KT_OP_KERNELS_H

enum kt__kernel {
    KT_K_none,
#define UN(name, ...) KT_K_##name,
#include "tables/unary.def"
#define BIN(name, ...) KT_K_##name,
#include "tables/binary.def"
#define TER(name, ...) KT_K_##name,
#include "tables/ternary.def"
    KT_K_elementwise_end,
    KT_K_copy = KT_K_elementwise_end, /* any dtype, any layout; `rounding` says how */
    KT_K_fill,                        /* param[0] into the output */
    KT_K_arange,                      /* param[0] + i * param[1] */
    KT_K_linspace,                    /* param[0] .. param[1] in size[0] steps */
    KT_K_logspace,                    /* param[2] to the power of linspace */
    KT_K_eye,
    KT_K_sum,
    KT_K_matmul,
    KT_K_count
};

#endif
