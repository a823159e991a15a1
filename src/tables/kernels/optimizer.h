/* optimizer.h - ids of the kernels of optimizer.def, and the bits of their first parameter. */
#ifndef KT_TABLES_KERNELS_OPTIMIZER_H
#define KT_TABLES_KERNELS_OPTIMIZER_H

#include "tables/kernels/families.h"

enum {
    KT__FAMILY_BEGIN(optimizer),
#define KERNEL(name, ...) KT_K_##name,
#include "tables/kernels/optimizer.def"
#undef KERNEL
};

enum { /* of a step */
    KT__STEP_MAXIMIZES = 1,
    KT__STEP_AMSGRAD = 2,    /* adam: the maximum of the second average is kept and used */
    KT__STEP_DECOUPLED = 4,  /* adam: weights decay by themselves, not through the gradient */
    KT__STEP_MOMENTUM = 8,   /* sgd: there is a buffer */
    KT__STEP_NESTEROV = 16,
    KT__STEP_FIRST = 32,     /* sgd: the buffer holds nothing yet */
    KT__STEP_SCALED = 64,    /* an operand: what the gradient is divided by; the quotient is written back */
    KT__STEP_WATCHED = 128,  /* an operand: 1 means that the step is left out */
    KT__STEP_RATE = 256      /* an operand: the learning rate, instead of the parameter */
};

/* ---- chains ----
 * param[i].v.i of the kernel chain: a link, KT__LINK; 0 ends them. param[i].im: number i. A register is an array of the plan (an
 * input that is written becomes a temporary), a temporary, or a number. */
enum kt__link_kind {
    KT__LINK_NONE,
#define LINK(name, ...) KT__LINK_##name,
#include "tables/kernels/chain.def"
#undef LINK
    KT__NUM_LINK_KINDS
};
enum {
    KT__CHAIN_LINKS = 16,
    KT__CHAIN_ARRAYS = 6,
    KT__CHAIN_TEMPORARY = KT__CHAIN_ARRAYS,    /* the first of them */
    KT__CHAIN_REGISTERS = 9,                   /* arrays and temporaries */
    KT__CHAIN_NUMBER = 16                      /* number i is register KT__CHAIN_NUMBER + i */
};
#define KT__LINK(kind, to, a, b, c, number)                                                                                    \
    ((int64_t)(kind) | (int64_t)(to) << 8 | (int64_t)(a) << 16 | (int64_t)(b) << 24 | (int64_t)(c) << 32 | (int64_t)(number) << 40)
#define KT__LINK_PART(link, i) ((int)((link) >> 8 * (i)&0xff)) /* kind, to, a, b, c, its first parameter */

#endif
