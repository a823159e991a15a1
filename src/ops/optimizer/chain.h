/* chain.h - a step of an optimizer as a chain of elementwise operators (tables/kernels/chain.def).
 *
 * In: what the links are, for each parameter of a list. Out: parameters and states, written in place. Where nothing follows the
 * step (no tape, no forward mode), all arrays have one dtype and the device has the kernel, each parameter is one plan, and all
 * are one batch; a refused list is unchanged. Else the links are calls of their operators, each with its dtype rule, and the tape
 * records them. Both give the same bits. Independent of: which optimizer it is. */
#ifndef KT_OPS_OPTIMIZER_CHAIN_H
#define KT_OPS_OPTIMIZER_CHAIN_H

#include "call/made.h"
#include "tables/kernels/optimizer.h"

/* A number of a step. Where an option is a tensor whose gradient is recorded, what follows from it is one, too. */
typedef struct kt__num {
    double     v;
    kt_tensor *t; /* 0-dim, of the scope; NULL: a number alone */
} kt__num;

typedef struct kt__chain {
    int        n, n_numbers;
    int64_t    link[KT__CHAIN_LINKS];
    double     number[KT__CHAIN_LINKS];
    kt_tensor *followed[KT__CHAIN_LINKS]; /* the number as a tensor; NULL: none */
    bool       follows;                   /* there is such a number, or a recorded array: no link writes */
    bool       forgets;                   /* what a link copies is copied without its history */
} kt__chain;

/* Registers: the arrays in the order of the list, then temporaries, then numbers. */
enum { T0 = KT__CHAIN_TEMPORARY, T1, T2, NONE = 0 };

static inline int kt__number_of(kt__chain *c, kt__num value) /* a register */
{
    c->number[c->n_numbers] = value.v;
    c->followed[c->n_numbers] = value.t;
    c->follows |= value.t != NULL;
    return KT__CHAIN_NUMBER + c->n_numbers++;
}

static inline int kt__number(kt__chain *c, double value) { return kt__number_of(c, (kt__num){value, NULL}); }

/* to = kind(a, b, c); `by`: the register of the kernel's first parameter, NONE where it has none. */
static inline void kt__link(kt__chain *c, int kind, int to, int a, int b, int third, int by)
{
    c->link[c->n++] = KT__LINK(kind, to, a, b, third, by ? by - KT__CHAIN_NUMBER : 0);
}

typedef struct kt__stepped {
    int arg[KT__CHAIN_ARRAYS]; /* lists: parameters, states, gradients. The last alone is not written */
    int n;
    int beside[2];             /* lists of numbers that `links` reads, one for each parameter; 0: none */
    int steps;                 /* the list of how many steps were made, which are counted here; -1: none */
    bool reads_step;           /* the links depend on it */
    /* The links of parameter i; step: the number of this one, from 1 on. */
    kt_status (*links)(kt__chain *c, kt_call *call, int64_t i, double step);
} kt__stepped;

kt_status kt__run_chains(kt_call *call, const kt__stepped *s);

#endif
