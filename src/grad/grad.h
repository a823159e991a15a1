/* grad.h - the tape as its own files see it. A node is one recorded call: edges to where its inputs came from, what the row
 * says it saves (with the version it saw), and the arguments that its formula needs.
 *
 * A node's sequence number is larger than that of every node its edges lead to: running nodes in falling order of it is an
 * order in which all consumers of a tensor come before its producer, so backward needs no counting pass. */
#ifndef KT_GRAD_GRAD_H
#define KT_GRAD_GRAD_H

#include "op/call.h"

void kt__grad_init(void);

enum { KT_MAX_EDGES = 4 };

typedef enum kt__node_kind {
    NODE_OP,         /* a row: its formula runs */
    NODE_ACCUMULATE, /* a leaf: adds into .grad */
    NODE_SLICES,     /* an in-place write through a view, seen from the base */
    NODE_RESTRIDED   /* a view made again after its base was written to */
} kt__node_kind;

typedef struct kt_node kt_node;

typedef struct kt__edge {
    kt_node *to;   /* owned; NULL: nobody needs this gradient */
    uint8_t  dtype, ndim; /* of the input: its gradient is given in that form */
    int64_t *sizes; /* inside the node's own memory */
} kt__edge;

typedef struct kt__saved {
    kt_tensor *t;       /* owned, where the node's `holds` says so */
    uint32_t   version;
    uint8_t    as;      /* the dtype that the forward kernel saw, and that the formula is handed */
    uint8_t    output;  /* the result itself, kept without its history */
} kt__saved;

typedef struct kt__geometry { /* of a view over its storage */
    int64_t *sizes, *strides;
    int64_t  offset;
    uint8_t  ndim;
} kt__geometry;

struct kt_node {
    _Atomic int32_t refs;
    uint8_t         kind;
    uint8_t         n_edges;
    uint8_t         released; /* backward went through it and let go what it saved */
    uint8_t         form;
    uint8_t         holds;    /* bit i: saved[i] is there */
    uint32_t        bytes;    /* of the whole piece of memory */
    uint32_t        site;
    uint64_t        sequence; /* one more than the largest among the edges' nodes */
    const kt_row   *row;
    uint32_t        given, scalars;
    kt_value       *arg;      /* those of the call that are no tensors; NULL where the formula needs none */
    kt_tensor      *leaf;     /* NODE_ACCUMULATE: owned */
    kt_node        *inner;    /* NODE_SLICES: what was written */
    kt__geometry    base, view; /* NODE_SLICES, NODE_RESTRIDED */
    kt__edge        edge[KT_MAX_EDGES];
    kt__saved       saved[4]; /* operands A, B, C and the result Y */
};

struct kt_autograd {
    kt_node   *node;         /* that made the tensor; owned; NULL for a leaf */
    kt_node   *accumulator;  /* of a leaf; not owned: the node clears it when it dies */
    kt_tensor *grad;         /* owned */
    uint32_t   seen_version; /* of a view: the version when `node` was made */
};

/* tape.c */
struct kt_autograd *kt__autograd_of(kt_tensor *t);           /* made on demand; NULL and an error without memory */
kt_status           kt__producer(kt_tensor *t, kt_node **node); /* owned: where a gradient for t must go; NULL: nowhere */
void                kt__node_unref(kt_node *node);
void                kt__node_release_saved(kt_node *node);
const char         *kt__node_name(const kt_node *node);
/* A saved tensor in its `as` dtype. *borrowed: the node's own; else owned. */
kt_status           kt__unpack(kt_node *node, int which, bool history, kt_tensor **t, bool *borrowed);

/* engine.c */
kt_status kt__backward(kt_tensor *root, kt_tensor *gradient, bool retain_graph, bool create_graph);

/* formulas.c */
typedef struct kt__back { /* what a formula sees; tensors are borrowed from the engine's scope */
    kt_node   *node;
    kt_tensor *g;
    uint32_t   need;    /* bit i: the gradient of input i is wanted */
    bool       history; /* create_graph */
    kt_tensor *d[KT_MAX_EDGES];
} kt__back;
typedef void      kt__formula(kt__back *c);
typedef struct kt__formula_row {
    uint16_t     op;
    kt__formula *formula;
} kt__formula_row;
extern kt__formula *kt__formulas[KT_NUM_OPS]; /* NULL: not derived */
void                kt__formulas_init(void);

#endif
