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

#endif
