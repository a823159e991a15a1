/* grad.h - the tape as its own files see it. A node is one recorded call: edges to where its inputs came from, what it saved
 * (with the version it saw), and the arguments that its formula needs. It is one piece of memory, as large as its inputs, saved
 * tensors, arguments and context ask for. What it does is its type's (plugin/node.h): operator.c, accumulate.c, views.c have one
 * each, and custom.c makes those of others.
 *
 * A node's sequence number is its thread's clock when it was made, and larger than that of every node its edges lead to:
 * running nodes in falling order of it is PyTorch's order, newest first, and one in which all consumers of a tensor come before
 * its producer, so backward needs no counting pass. Accumulators have none: one runs when its leaf's gradient is complete. */
#ifndef KT_GRAD_GRAD_H
#define KT_GRAD_GRAD_H

#include <karat/grad.h>

#include "base/alloc.h"
#include "call/call.h"

void kt__grad_init(void);

extern const kt_node_type kt__node_operator;   /* a row: its formula runs (operator.c) */
extern const kt_node_type kt__node_accumulate; /* a leaf: adds into .grad (accumulate.c) */
extern const kt_node_type kt__node_slices;     /* an in-place write through a view, seen from the base (views.c) */

typedef struct kt__edge {
    kt_node *to;          /* owned; NULL: nobody needs this gradient */
    int64_t *sizes;       /* of the input, inside the node's own memory: its gradient is given in that form */
    uint32_t result;      /* which of the results of `to` the input was */
    uint8_t  dtype, ndim; /* of the input */
    uint8_t  layout;      /* of a matrix, where the row is a product: a kt__matrix_layout */
} kt__edge;

/* A product's gradient for one matrix (or a batch of one) has that matrix's layout, as in PyTorch. */
typedef enum kt__matrix_layout { MATRIX_OTHER, MATRIX_ROWS, MATRIX_COLUMNS } kt__matrix_layout;

typedef struct kt__saved {
    kt_tensor *t;       /* owned, where the node's `holds` says so */
    uint32_t   version;
    uint16_t   result;    /* SAVED_RESULT: which */
    uint8_t    as;        /* the dtype that the forward kernel saw, and that the formula is handed */
    uint8_t    kind : 4;  /* a kt__saved_kind */
    uint8_t    alias : 4; /* for a tensor that was written to (cycle.c): a kt__alias_kind */
} kt__saved;
typedef enum kt__saved_kind {
    SAVED_LEAF,   /* an operand without a history of its own */
    SAVED_MADE,   /* an operand that was the result of a recorded call */
    SAVED_RESULT  /* a result of the node itself, kept without its history */
} kt__saved_kind;
typedef enum kt__alias_kind { ALIAS_NONE, ALIAS_OF_WHOLE, ALIAS_OF_VIEW } kt__alias_kind;
enum { KT_WRITER_SLICES = 0xffff, KT_WRITER_CUSTOM = 0xfffe }; /* of a storage: a part of it was written to; by no operator */

/* In `holds`: a number stands where a factor is saved. PyTorch saves it as a tensor, and it is gone with the others. */
enum { HOLDS_NUMBER = 0x8000 };
_Static_assert(SAVED_LISTED <= 15, "a node's `holds` has a bit for each place and one more");

typedef struct kt__form { /* of a result */
    int64_t  *sizes;
    kt_device device;
    uint8_t   dtype, ndim;
} kt__form;

typedef struct kt__geometry { /* how a tensor looks into its storage */
    int64_t *sizes, *strides;
    int64_t  offset; /* in elements of its dtype, as strides are */
    uint32_t bits;   /* KT_T_CONJ, KT_T_NEG */
    uint8_t  dtype, ndim;
    bool     turned; /* KT_T_TURNED */
} kt__geometry;

struct kt_node {
    _Atomic int32_t refs;
    uint8_t         released;  /* backward went through it and let go what it saved */
    uint8_t         form;
    uint16_t        holds;     /* bit i < n_fixed: place i is taken */
    _Atomic bool    busy;      /* a thread runs it */
    uint8_t         n_fixed;   /* saved places that an operator fills by what its row says; */
    bool            noted;     /* `results` are */
    bool            within;    /* it is what a kt__node_slices wrote: `outer` is meant, nothing else leads to it */
    uint32_t        n_edges;
    uint32_t        n_results;
    uint32_t        n_listed;  /* those after them: of lists, or a custom node's; a tensor there may be NULL */
    uint32_t        bytes;     /* of the whole piece of memory */
    uint32_t        site;
    uint32_t        given;     /* arguments; kt__node_slices: which input was written to */
    uint32_t        scalars;
    uint64_t        sequence;  /* larger than that of every node an edge leads to; 0: an accumulator */
    const kt_node_type *type;
    const kt_row   *row;       /* NULL: of no operator */
    kt_value       *arg;       /* those of the call that are no tensors; NULL where the formula needs none */
    kt_hook        *hooks;     /* of the results, a list; owned */
    union {
        kt_node      *inner;   /* kt__node_slices: what was written; owned. Else NULL */
        kt_node      *outer;   /* of what is `within` */
    };
    union {
        kt__form     *results; /* where `noted`, as it is of several: the form of each */
        kt_tensor    *leaf;    /* kt__node_accumulate: owned */
        kt__geometry *base;    /* kt__node_slices: of the base and, after it, of the view */
    };
    kt__edge        edge[];
};

struct kt_autograd {
    union {
        kt_node            *node; /* that made the tensor; owned; NULL for a leaf */
        struct kt_autograd *next; /* of a dead tensor: the next one whose gradient waits to be let go */
    };
    kt_node   *accumulator;  /* of a leaf; not owned: the node clears it when it dies */
    kt_tensor *grad;         /* owned */
    uint32_t   seen_version; /* of a view: the version when `node` was made */
    uint32_t   result;       /* which of the node's results */
    kt_hook   *hooks;        /* of a leaf, a list; owned */
    kt_hook   *retain;       /* of a result that keeps its gradient; owned */
};

/* node.c */
typedef struct kt__node_parts {
    uint32_t edges, saved, values; /* how many of each */
    uint32_t context;              /* bytes at the end of the node's memory, a multiple of 16 */
    int64_t  ints;                 /* integers before them */
} kt__node_parts;
void        kt__node_unref(kt_node *node);
void        kt__node_release_saved(kt_node *node);
const char *kt__node_name(const kt_node *node);
kt_status   kt__note_forms(kt_node *node, kt_tensor *const *results, uint32_t n); /* sizes and dtypes of the results */
struct kt_autograd *kt__autograd_new(kt_tensor *t); /* NULL and an error without memory */
void        kt__autograd_free(kt_tensor *t);
kt_node    *kt__accumulator_of(kt_tensor *leaf);    /* owned */

/* Counts the nodes that the thread made; a node behind which another thread's lies sets it forward. */
extern KT__HOT_LOCAL uint64_t kt__tape_clock;

static inline kt__saved *kt__saved_at(const kt_node *n, uint32_t place)
{
    return (kt__saved *)(uintptr_t)(n->edge + n->n_edges) + place;
}

static inline kt_node *kt__inner(const kt_node *n) { return n->within ? NULL : n->inner; }

/* Edges, saved tensors, arguments, integers and context follow the node in one piece. `sequence`: ++kt__tape_clock, or 0. */
static inline __attribute__((always_inline)) kt_node *kt__node_new(const kt_node_type *type, uint64_t sequence,
                                                                   kt__node_parts p)
{
    size_t bytes = sizeof(kt_node) + p.edges * sizeof(kt__edge) + p.saved * sizeof(kt__saved) +
                   p.values * sizeof(kt_value) + (size_t)p.ints * sizeof(int64_t);
    if (p.context)
        bytes = ((bytes + 15) & ~(size_t)15) + p.context;
    kt_node *n = KT__LIKELY(bytes <= UINT32_MAX) ? kt__pool_get(bytes) : NULL;
    if (KT__UNLIKELY(!n)) {
        kt__fail_memory(bytes);
        return NULL;
    }
    atomic_init(&n->refs, 1);
    n->released = 0;
    n->form = KT_PLAIN;
    n->holds = 0;
    atomic_init(&n->busy, false);
    n->n_fixed = 0;
    n->noted = n->within = false;
    n->n_edges = p.edges;
    n->n_results = 1;
    n->n_listed = 0;
    n->bytes = (uint32_t)bytes;
    n->site = KT__SITE();
    n->given = n->scalars = 0;
    n->sequence = sequence;
    n->type = type;
    n->row = NULL;
    n->arg = p.values ? (kt_value *)(void *)kt__saved_at(n, p.saved) : NULL;
    n->hooks = NULL;
    n->inner = NULL;
    n->results = NULL;
    for (uint32_t i = 0; i < p.edges; i++)
        n->edge[i].to = NULL;
    return n;
}

static inline int64_t *kt__node_ints(kt_node *n, kt__node_parts p)
{
    return (int64_t *)(void *)((kt_value *)(void *)kt__saved_at(n, p.saved) + p.values);
}

/* Under `permissive` integers may require grad (kt_may_require_grad). Their gradient stays in the floating type it arrives in. */
static inline bool kt__is_integer(uint8_t dtype) { return kt__dtype_rows[dtype].category == KT_CAT_INT; }

/* The dtype of the gradient of a tensor of `dtype` that g arrived for. */
kt_dtype               kt__gradient_of_integer(const kt_tensor *g); /* fit.c */
static inline kt_dtype kt__gradient_dtype(uint8_t dtype, const kt_tensor *g)
{
    return KT__LIKELY(!kt__is_integer(dtype)) ? (kt_dtype)dtype : kt__gradient_of_integer(g);
}

/* The one type whose gradients arrive in another way: they are collected until the leaf's is complete. */
static inline bool kt__is_accumulator(const kt_node *n) { return n->sequence == 0; }

static inline kt_node *kt__node_ref(kt_node *n)
{
    kt__count_up(&n->refs);
    return n;
}

static inline void kt__set_edge(kt_node *n, uint32_t i, kt_node *to, uint32_t result) /* takes over the reference */
{
    n->edge[i].to = to;
    n->edge[i].result = result;
    if (to && n->sequence <= to->sequence)
        n->sequence = kt__tape_clock = to->sequence + 1;
}

static inline void kt__edge_form(kt__edge *e, const kt_tensor *t, int64_t *room)
{
    e->dtype = t->dtype;
    e->ndim = t->ndim;
    e->sizes = room;
    for (int i = 0; i < t->ndim; i++)
        room[i] = t->sizes[i];
}

/* Of the first input of a row that saves G, before its sizes. */
static inline const int64_t *kt__edge_strides(const kt__edge *e) { return e->sizes - e->ndim; }
static inline int64_t        kt__edge_offset(const kt__edge *e) { return e->sizes[-e->ndim - 1]; }

static inline struct kt_autograd *kt__autograd_of(kt_tensor *t) /* made on demand */
{
    return t->autograd ? t->autograd : kt__autograd_new(t);
}

/* hooks.c */
void      kt__hooks_free(kt_hook *list);
void      kt__retain_end(struct kt_autograd *a);
kt_status kt__retain_move(kt_tensor *t);

/* views.c */
/* Was the base written to since the view's history was made? A view without a record was made when the base had no history:
 * if that has one now it was written to, unless it is a leaf that only began to ask for a gradient. */
static inline bool kt__view_stale(const kt_tensor *t)
{
    if (!(t->flags & KT_T_VIEW && t->base->flags & KT_T_REQUIRES_GRAD))
        return false;
    return t->autograd ? t->autograd->seen_version != kt__version(t) : !(t->base->flags & KT_T_LEAF);
}
kt_status kt__restride(kt_tensor *view);
kt_status kt__written_with_history(kt_node *inner, kt_tensor *written, kt_tensor **out); /* owned */
kt_status kt__rebase(kt_tensor *view, kt_node *inner, uint32_t input); /* takes over the reference; input: the one written to */
kt_status kt__view_rules(const kt_tensor *t, bool written); /* views that the tape cannot follow */

/* cycle.c */
kt_status kt__break_cycle(kt_node *node, kt_tensor *out);

/* saved.c */
static inline __attribute__((always_inline)) void kt__save_input(kt_node *n, uint32_t place, kt_tensor *t, uint8_t as)
{
    *kt__saved_at(n, place) =
        (kt__saved){kt__ref(t), kt__version(t), 0, as, t->flags & KT_T_LEAF ? SAVED_LEAF : SAVED_MADE, ALIAS_NONE};
    if (place < n->n_fixed)
        n->holds |= (uint16_t)(1 << place);
}
kt_status kt__refuse_inference(void); /* a tensor that cannot be saved */
kt_status kt__save_copy(kt_node *n, uint32_t place, kt_tensor *t, uint8_t as);
kt_status kt__save_output(kt_node *n, uint32_t place, kt_tensor *out, uint32_t result);
kt_status kt__check_saved(const kt_node *node, uint32_t place); /* was it not written to since? */
/* A saved tensor in its `as` dtype. *borrowed: the node's own; else owned. NULL and no error: a NULL among a list's. */
kt_status kt__unpack(kt_node *node, uint32_t place, bool history, kt_tensor **t, bool *borrowed);

/* How many places there are: each is empty (kt__is_saved) or was saved. */
static inline uint32_t kt__n_saved(const kt_node *n) { return n->n_fixed + n->n_listed; }
static inline bool kt__is_saved(const kt_node *n, uint32_t place)
{
    return place >= n->n_fixed || n->holds >> place & 1;
}

/* tape.c */
kt_status kt__producer(kt_tensor *t, kt_node **node, uint32_t *result); /* owned: where a gradient for t must go; or NULL */
kt_status kt__link_result(kt_tensor *out, kt_node *node, uint32_t result); /* takes over the reference */

/* engine.c */
typedef struct kt__root { /* a tensor that gradients start from */
    kt_tensor *t, *grad; /* borrowed */
    bool       given;    /* the caller brought that very gradient */
} kt__root;
typedef struct kt__wanted { /* a tensor whose gradient goes to the caller */
    kt_tensor *t;
    kt_tensor *grad;   /* out: owned; NULL: it had no part in the roots */
    kt_node   *node;   /* the engine's own */
    uint32_t   result;
} kt__wanted;
typedef struct kt__job {
    const kt__root *root;
    kt__wanted     *wanted; /* NULL: every leaf behind the roots */
    int64_t         n_roots, n_wanted;
    bool            retain_graph, create_graph;
    bool            adds; /* to the .grad of leaves: of all, or of those wanted */
} kt__job;
kt_status kt__backward(const kt__job *job);

#endif
