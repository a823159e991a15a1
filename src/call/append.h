/* append.h - rows appended at run time: what they have in addition to the table's rows. */
#ifndef KT_CALL_APPEND_H
#define KT_CALL_APPEND_H

#include <karat/plugin/operator.h>
#include <stdatomic.h>

#include "call/row.h"

enum { KT_MOST_APPENDED = 4096 }; /* their ids follow the table's and fit the 16 bits in the resolver's key */

/* What a kernel says of one argument. */
typedef struct kt__taken {
    uint32_t dtypes;     /* bit d: it reads dtype d; 0: any */
    bool     read;       /* it is named: its memory is read, so it must be on the kernel's device */
    bool     contiguous;
} kt__taken;

/* A kernel in use: held by its row, and by each call that runs it. */
typedef struct kt__kernel {
    struct kt__kernel *next;
    atomic_int         refs;
    kt_status (*run)(kt_call *call, void *context);
    void  *context;
    void (*release)(void *context);
    char      device[24]; /* "": any */
    bool      above, program, checks; /* checks: `taken` says something */
    kt__taken taken[KT_MAX_ARGS];
} kt__kernel;

typedef struct kt__kernels { /* of one row; a lock of kernels.c guards the list */
    kt__kernel *first;
    atomic_bool withdrawn;
} kt__kernels;

typedef struct kt__appended {
    kt_status (*body)(kt_call *call);                       /* or NULL */
    kt_status (*setup)(kt_node *node, const kt_call *call); /* or NULL */
    const kt_node_type *node;                               /* or NULL */
    uint32_t            n_saved;
    bool                composite;
    uint8_t             result_kind[KT_MAX_RESULTS];        /* kt_arg_kind */
    uint8_t             optional;                           /* bit i: result i may be NULL */
    kt__kernels        *kernels;
} kt__appended;

const kt_row *kt__appended_at(int index); /* NULL past the end */

enum { KT_NODE_MOST = 1 << 26 }; /* limit of inputs, results, saved tensors and context bytes: a node's size fits 32 bits */
kt_status kt__check_node_type(const kt_node_type *type); /* is it a valid node type? */

/* kernels.c: adding, finding and running them. */
kt_status kt__run_appended(kt_call *call); /* the body of every appended row */
kt_status kt__kernel_of_body(kt_call *call, void *unused);
void      kt__kernels_clear(const kt_row *row);

#endif
