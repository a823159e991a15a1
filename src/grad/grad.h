/* grad.h - the tape's internal header. A node is one recorded call: edges to the nodes that made its inputs, saved tensors
 * with their versions, and the arguments that its formula needs. It is one allocation, sized for its inputs, saved tensors,
 * arguments and context. Its type (plugin/node.h) says what it does: operator.c, accumulate.c and views.c define one each,
 * custom.c serves types of bindings.
 *
 * A node's sequence number is its thread's clock when it was made, and larger than that of every node its edges lead to.
 * Backward runs nodes in descending order: this is PyTorch's order, newest first, and consumers of a tensor come before its
 * producer, so no counting pass is needed. Accumulators have no number: one runs when its leaf's gradient is complete. */
#ifndef KT_GRAD_GRAD_H
#define KT_GRAD_GRAD_H

#include <karat/grad.h>
#include <stddef.h>
#include <string.h>

#include "base/alloc.h"
#include "call/call.h"
#include "tensor/device.h"

void kt__grad_init(void);

extern KT__HIDDEN const kt_node_type kt__node_operator;   /* runs a row's formula (operator.c) */
extern KT__HIDDEN const kt_node_type kt__node_accumulate; /* adds to a leaf's .grad (accumulate.c) */
extern KT__HIDDEN const kt_node_type kt__node_slices;     /* an in-place write through a view, on the base (views.c) */

typedef struct kt__edge {
    kt_node *to;          /* owned; NULL: this gradient is not needed */
    int64_t *sizes;       /* of the input, in the node's memory: its gradient gets these sizes */
    uint32_t result : 30; /* the input is this result of `to` */
    uint32_t layout : 2;  /* kt__matrix_layout, for matrix products */
    uint8_t  dtype, kind, index, ndim; /* of the input, as they stand in a tensor */
} kt__edge;

/* A product's gradient for one matrix (or a batch of one) has that matrix's layout, as in PyTorch. */
typedef enum kt__matrix_layout { MATRIX_OTHER, MATRIX_ROWS, MATRIX_COLUMNS } kt__matrix_layout;

/* Under the sanitizers, and with -DKT__GRAD_CHECKS, edges without sizes are known as such, and a formula that asks for them
 * stops the program (in_edge in formula.h). */
#if (defined KT_ASAN || defined KT_UBSAN || defined KT_TSAN) && !defined KT__GRAD_CHECKS
#define KT__GRAD_CHECKS
#endif

enum { KT__FORM_BYTES = 4 }; /* dtype, device and rank are copied and compared at once */
#define KT__FORM_AT(type, field) (offsetof(type, field) - offsetof(type, dtype))
_Static_assert(sizeof(kt__edge) == 24 && KT__FORM_AT(kt__edge, ndim) == KT__FORM_BYTES - 1 &&
                   KT__FORM_AT(kt__edge, ndim) == KT__FORM_AT(kt_tensor, ndim) &&
                   KT__FORM_AT(kt__edge, kind) == KT__FORM_AT(kt_tensor, backend) &&
                   KT__FORM_AT(kt__edge, index) == KT__FORM_AT(kt_tensor, index),
               "an edge has these fields of a tensor in the same order");

typedef struct kt__saved {
    union {
        kt_tensor         *t;      /* owned, if the bit in the node's `holds` is set */
        struct kt__packed *packed; /* SAVED_PACKED */
    };
    uint32_t   version;
    uint16_t   result;    /* SAVED_RESULT: its index */
    uint8_t    as;        /* the dtype that the forward kernel saw; the formula gets the tensor in it */
    uint8_t    kind : 4;  /* a kt__saved_kind */
    uint8_t    alias : 4; /* a kt__alias_kind, for a tensor written in place (cycle.c) */
} kt__saved;
typedef enum kt__saved_kind {
    SAVED_LEAF,   /* an operand without history */
    SAVED_MADE,   /* an operand that a recorded call made */
    SAVED_RESULT, /* a result of the node itself, saved without its history */
    SAVED_PACKED  /* what hooks keep instead of a tensor: `packed` (packed.c) */
} kt__saved_kind;
typedef enum kt__alias_kind { ALIAS_NONE, ALIAS_OF_WHOLE, ALIAS_OF_VIEW } kt__alias_kind;
enum { KT_WRITER_SLICES = 0xffff, KT_WRITER_CUSTOM = 0xfffe }; /* what wrote to a storage last, if no operator */

/* In `holds`: a factor is a number. PyTorch saves it as a tensor, which is freed with the others. */
enum { HOLDS_NUMBER = 0x8000 };
_Static_assert(SAVED_LISTED <= 15, "a node's `holds` has a bit for each place and one more");

typedef struct kt__form { /* of a result */
    int64_t  *sizes;
    kt_device device;
    uint8_t   dtype, ndim;
} kt__form;

typedef struct kt__geometry { /* a tensor's view of its storage */
    int64_t *sizes, *strides;
    int64_t  offset; /* in elements, like strides */
    uint32_t bits;   /* KT_T_CONJ, KT_T_NEG */
    uint8_t  dtype, ndim;
    bool     turned; /* KT_T_TURNED */
} kt__geometry;

struct kt_node {
    _Atomic int32_t refs;
    uint8_t         released;  /* backward has run it and freed its saved tensors */
    uint8_t         form;
    uint16_t        holds;     /* bit i < n_fixed: place i is used */
    _Atomic bool    busy;      /* a thread is running it */
    uint8_t         n_fixed;   /* saved places that the row's `saves` column describes */
    bool            noted : 1; /* `results` is set */
    bool            within : 1; /* it is the `inner` node of a kt__node_slices, `outer`, the only node that leads to it */
    bool            packed : 1; /* some saved places are SAVED_PACKED */
    bool            aside : 1; /* it serves forward mode (forward.c), and is not part of the graph */
    bool            streamed : 1; /* it was recorded on other streams than the default ones: kt__node_streams */
    bool            own_dtype : 1; /* kt__node_accumulate: its leaf has a grad_dtype */
    bool            asked : 1; /* an input wants a gradient, though none may flow to it (a view that nothing follows) */
    bool            moved : 1; /* a tensor that it made has got other sizes: gradients are held against those that it made */
    uint32_t        n_edges;
    uint32_t        n_results;
    uint32_t        n_listed;  /* places after n_fixed: for lists, or of a custom node; may hold NULL */
    uint32_t        bytes;     /* of the allocation */
    uint32_t        site;
    uint32_t        given;     /* bits: arguments; kt__node_slices: the input that was written to */
    uint32_t        scalars;
    uint64_t        sequence;  /* larger than those of the nodes that edges lead to; 0: an accumulator */
    const kt_node_type *type;
    const kt_row   *row;       /* NULL: not an operator's */
    kt_value       *arg;       /* the call's non-tensor arguments; NULL: the formula needs none */
    kt_hook        *hooks;     /* of the results: a linked list; owned */
    union {
        kt_node      *inner;   /* kt__node_slices: the node of the write; owned. Else NULL */
        kt_node      *outer;   /* if `within` */
    };
    union {
        kt__form     *results; /* if `noted` (several results): size and dtype of each */
        kt_tensor    *leaf;    /* kt__node_accumulate: owned */
        kt__geometry *base;    /* kt__node_slices: [0] of the base, [1] of the view */
    };
    kt__edge        edge[];
};

struct kt_autograd {
    union {
        kt_node            *node; /* the node that made the tensor; owned; NULL: a leaf */
        struct kt_autograd *next; /* a dead tensor: the next one whose gradient is to be freed */
    };
    kt_node   *accumulator;  /* a leaf's; not owned: the node clears it when it is freed */
    kt_tensor *grad;         /* owned */
    uint32_t   seen_version; /* a view: the version when `node` was made */
    union {
        uint32_t result;     /* the tensor is this result of `node` */
        uint32_t grad_dtype; /* a leaf: 0: its gradient has its own dtype; else 1 + the gradient's, of KT_NONE if it has any */
    };
    kt_hook   *hooks;        /* a leaf's: a linked list; owned */
    bool       retained;     /* it kept its gradient before detach_(), and says so after it */
    kt_hook   *retain;       /* retain_grad of a non-leaf; owned */
    struct kt__tangent *tangents; /* a linked list, highest level first; owned (tangents.c) */
};

/* node.c */
typedef struct kt__node_parts {
    uint32_t edges, saved, values; /* numbers of each */
    uint32_t context;              /* bytes at the end of the node's memory, a multiple of 16 */
    int64_t  ints;                 /* number of integers before the context */
} kt__node_parts;
void        kt__node_unref(kt_node *node);
void        kt__node_release_saved(kt_node *node);
const char *kt__node_name(const kt_node *node);
const char *kt__title_of(const char *name);
const char *kt__node_title(const kt_node *node); /* as PyTorch's messages have it: with its namespace, if written by hand */
kt_status   kt__note_forms(kt_node *node, kt_tensor *const *results, uint32_t n); /* sizes and dtypes of the results */
kt_status   kt__note_form_of(kt_node *node, const kt_tensor *t);  /* of the only result, t, if it is not noted (graph.c) */
kt_status   kt__note_form_at(kt_node *node, const kt__edge *edge); /* the same by an edge that leads to it */
struct kt_autograd *kt__autograd_new(kt_tensor *t); /* NULL and an error without memory */
void        kt__autograd_free(kt_tensor *t);
kt_node    *kt__accumulator_of(kt_tensor *leaf);    /* owned */

/* Counts the nodes that this thread made; an edge to another thread's node moves it past that node's number. */
extern KT__HOT_LOCAL uint64_t kt__tape_clock;

static inline kt__saved *kt__saved_at(const kt_node *n, uint32_t place)
{
    return (kt__saved *)(uintptr_t)(n->edge + n->n_edges) + place;
}

static inline kt_node *kt__inner(const kt_node *n) { return n->within ? NULL : n->inner; }

/* The streams that were current when the node was made, and on which it is run; they stand at its very end. */
enum { KT__STREAMS_ROOM = 16 }; /* which keeps the context aligned */
static inline kt__streams *kt__node_streams(const kt_node *n)
{
    return n->streamed ? *(kt__streams *const *)(const void *)((const char *)n + n->bytes - KT__STREAMS_ROOM) : NULL;
}
void kt__node_keep_streams(kt_node *n); /* streams.c */

/* Edges, saved tensors, arguments, integers and context follow the node in one allocation. `sequence`: ++kt__tape_clock, or 0. */
static inline __attribute__((always_inline)) kt_node *kt__node_new(const kt_node_type *type, uint64_t sequence,
                                                                   kt__node_parts p)
{
    const bool streamed = kt__streams_differ() && kt__streams_now;
    size_t     bytes = sizeof(kt_node) + p.edges * sizeof(kt__edge) + p.saved * sizeof(kt__saved) +
                   p.values * sizeof(kt_value) + (size_t)p.ints * sizeof(int64_t);
    if (p.context)
        bytes = ((bytes + 15) & ~(size_t)15) + p.context;
    bytes += streamed ? KT__STREAMS_ROOM : 0;
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
    n->noted = n->within = n->packed = n->aside = n->streamed = n->own_dtype = n->asked = n->moved = false;
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
    if (KT__UNLIKELY(streamed))
        kt__node_keep_streams(n);
    for (uint32_t i = 0; i < p.edges; i++) {
        n->edge[i].to = NULL;
#ifdef KT__GRAD_CHECKS
        n->edge[i].sizes = NULL;
#endif
    }
    return n;
}

static inline int64_t *kt__node_ints(kt_node *n, kt__node_parts p)
{
    return (int64_t *)(void *)((kt_value *)(void *)kt__saved_at(n, p.saved) + p.values);
}

/* Under `permissive` integers may require grad (kt_may_require_grad). Their gradient stays in the floating type it arrives in. */
static inline bool kt__is_integer(uint8_t dtype) { return kt__dtype_rows[dtype].category == KT_CAT_INT; }

/* The dtype of a tensor's gradient; g: a gradient that arrived for it. */
kt_dtype               kt__gradient_of_integer(const kt_tensor *g); /* fit.c */
static inline kt_dtype kt__gradient_dtype(uint8_t dtype, const kt_tensor *g)
{
    return KT__LIKELY(!kt__is_integer(dtype)) ? (kt_dtype)dtype : kt__gradient_of_integer(g);
}

/* The same of a leaf, or of any tensor that backward starts from. */
static inline kt_dtype kt__own_gradient_dtype(const kt_tensor *t, const kt_tensor *g)
{
    const uint32_t own = t->autograd && !t->autograd->node ? t->autograd->grad_dtype : 0;
    if (KT__LIKELY(!own))
        return kt__gradient_dtype(t->dtype, g);
    return own - 1 == KT_NONE ? (kt_dtype)g->dtype : (kt_dtype)(own - 1);
}

/* Gradients for an accumulator are collected until the leaf's is complete (leaves.h). */
static inline bool kt__is_accumulator(const kt_node *n) { return n->sequence == 0; }

static inline kt_node *kt__node_ref(kt_node *n)
{
    kt__count_up(&n->refs);
    return n;
}

static inline void kt__set_edge(kt_node *n, uint32_t i, kt_node *to, uint32_t result) /* takes over the reference */
{
    n->edge[i].to = to;
    n->edge[i].result = result & 0x3fffffff;
    n->edge[i].layout = MATRIX_OTHER;
    if (to && n->sequence <= to->sequence)
        n->sequence = kt__tape_clock = to->sequence + 1;
}

static inline void kt__edge_form(kt__edge *e, const kt_tensor *t, int64_t *room)
{
    memcpy(&e->dtype, &t->dtype, KT__FORM_BYTES);
    e->sizes = room;
    for (int i = 0; i < t->ndim; i++)
        room[i] = t->sizes[i];
}

/* Strides and offset of the first input of a row that saves G; they are stored before its sizes. */
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
/* Was the base written to after the view's history was made? A view without autograd state was made when the base had no
 * history. If the base has one now, it was written to, unless it is a leaf whose requires_grad was set. */
static inline bool kt__view_stale(const kt_tensor *t)
{
    if (!(t->flags & KT_T_VIEW && t->base->flags & KT_T_REQUIRES_GRAD))
        return false;
    return t->autograd ? t->autograd->seen_version != kt__version(t) : !(t->base->flags & KT_T_LEAF);
}
kt_status kt__restride(kt_tensor *view);
kt_status kt__part_history(kt_tensor *view); /* of a KT_T_PART */
kt_status kt__become_view(kt_tensor *self, kt_tensor *view, bool history); /* as plan/observe.h says */
kt_status kt__write_over(int op, kt_tensor *to, kt_tensor *from); /* an operator of one or two tensors, in place */
kt_status kt__seen_as_view(kt_tensor *like, const kt_tensor *view, kt_tensor **out); /* like: of the base's geometry; owned */
kt_status kt__written_with_history(kt_node *inner, kt_tensor *written, kt_tensor **out); /* owned */
kt_status kt__value_with_history(kt_node *inner, kt_tensor *value, kt_tensor **out); /* the same of a copy of what was written */
/* takes over the reference; input: the input that was written to */
kt_status kt__rebase(kt_tensor *view, kt_node *inner, uint32_t input);
kt_status kt__view_rules(const kt_tensor *t, bool written); /* refuses in-place writes to views that the tape cannot follow */

/* cycle.c */
kt_status kt__break_cycle(kt_node *node, kt_tensor *out);

/* saved.c */
static inline __attribute__((always_inline)) void kt__save_input(kt_node *n, uint32_t place, kt_tensor *t, uint8_t as)
{
    *kt__saved_at(n, place) =
        (kt__saved){{kt__ref(t)}, kt__version(t), 0, as, t->flags & KT_T_LEAF ? SAVED_LEAF : SAVED_MADE, ALIAS_NONE};
    if (place < n->n_fixed)
        n->holds |= (uint16_t)(1 << place);
}
kt_status kt__refuse_inference(void); /* PyTorch's error: an inference tensor cannot be saved */
kt_status kt__save_copy(kt_node *n, uint32_t place, kt_tensor *t, uint8_t as);
kt_status kt__save_output(kt_node *n, uint32_t place, kt_tensor *out, uint32_t result);
kt_status kt__check_saved(const kt_node *node, uint32_t place); /* fails if it was modified after being saved */
/* A saved tensor in its `as` dtype. *borrowed: the node owns it; else the caller. NULL without an error: a list had NULL
 * there. */
kt_status kt__unpack(kt_node *node, uint32_t place, bool history, kt_tensor **t, bool *borrowed);
kt_status kt__unpack_as_saved(kt_node *node, uint32_t place, bool history, kt_tensor **t); /* owned; NULL: it was not saved */
/* Another handle of t, owned, whose history is this result of the node. */
kt_status kt__with_history(kt_tensor *t, kt_node *node, uint32_t result, kt_tensor **out);

/* The number of places; kt__is_saved says which are used. */
static inline uint32_t kt__n_saved(const kt_node *n) { return n->n_fixed + n->n_listed; }
static inline bool kt__is_saved(const kt_node *n, uint32_t place)
{
    return place >= n->n_fixed || n->holds >> place & 1;
}

/* packed.c: what hooks keep of saved tensors. kt__packs: are there hooks on this thread? */
extern KT__HOT_LOCAL struct kt__pack_level *kt__packs;
/* Is there anything to do for a node besides linking it: hooks of saved tensors, or a run that it is made in? */
extern KT__HOT_LOCAL bool kt__records_more;
kt_status kt__pack(kt_node *node, uint32_t place); /* of a place that holds a tensor */
kt_status kt__pack_all(kt_node *node);
void      kt__packed_free(kt__saved *s);
kt_status kt__packed_tensor(kt_node *node, const kt__saved *s, bool history, kt_tensor **t); /* owned */
/* A formula may ask for a place several times: for a run all are unpacked once. */
kt_status kt__unpack_all(kt_node *node, bool history);
void      kt__unpack_end(kt_node *node);

/* anomaly.c: the process looks for anomalies. kt__inducer: then, the node whose run records others, on this thread; or NULL. */
typedef struct kt__anomaly { bool on, check_nan; } kt__anomaly;
kt__anomaly kt__anomaly_now(void);
extern KT__HOT_LOCAL kt_node *kt__inducer;
void      kt__induce(kt_node *node);                  /* sets it */
kt_status kt__note_inducer(kt_node *made);            /* the new node keeps it */
kt_status kt__check_nan(const kt_node *node, kt_tensor *const *d);
void      kt__warn_of_anomaly(const kt_node *node);   /* an error is pending: from where */

/* tape.c */
/* owned: the node that takes the gradient of t; or NULL */
kt_status kt__producer(kt_tensor *t, kt_node **node, uint32_t *result);
kt_status kt__link_result(kt_tensor *out, kt_node *node, uint32_t result); /* takes over the reference */

/* The same where forward mode follows the call: inputs that have tangents count as wanting a derivative. links false: the tape
 * does not record, and the node stands aside. NULL without an error: the call has no derivative. */
kt_status kt__record_dual(kt_call *call, const kt_plan *plan, bool links, kt_node **made); /* owned */
kt_status kt__link_dual(kt_call *call, kt_node *node);
/* Does a derivative flow to result i? */
static inline bool kt__has_slope(const kt_row *row, uint32_t i)
{
    return row->saves & SAVES_S ? i >= 1 : row->saves & SAVES_F ? i < 1 : row->saves & SAVES_P ? i < 2 : true;
}

extern KT__HOT_LOCAL bool kt__lacks_derivative; /* operator.c sets it: the pending error is that a derivative is missing */

/* forward.c */
kt_status kt__before_dual(kt_call *call, const kt_plan *plan, bool records, int floor, void **token, void **state);
kt_status kt__after_dual(kt_call *call, void *token, void *state, kt_status so_far);

/* tangents.c: the tangents of tensors. `levels`: bit l for level l. */
int        kt__open_levels(void);
void       kt__tangents_free(struct kt__tangent *list);
uint64_t   kt__levels_of(const kt_tensor *t, uint64_t mode); /* those that are seen in this mode */
uint64_t   kt__levels_lacked(const kt_tensor *t); /* of a view: it lacks these, whatever its base has */
kt_status  kt__lack_levels(kt_tensor *t, uint64_t levels);
kt_status  kt__tangent_at(kt_tensor *t, int level, kt_tensor **tangent); /* owned; NULL without an error: it has none */
kt_status  kt__set_tangent(kt_tensor *t, kt_tensor *tangent, int level); /* of a result: t has none of this level */
/* *tangent, which is t's, with room for the examples of `beside`; views of the same tensor see it too. Replaced. */
kt_status  kt__widen_tangent(kt_tensor *t, const kt_tensor *beside, int level, kt_tensor **tangent);
kt_status  kt__write_tangent(kt_tensor *t, kt_tensor *tangent, int level); /* of what was written in place */
/* The node's saved alias of a result gets the result's tangents: a derivative may be taken of its formula. */
kt_status  kt__tell_saved(kt_node *node, uint32_t result, const kt_tensor *t);
void       kt__drop_tangents(kt_tensor *t);
kt_status  kt__share_tangents(kt_tensor *to, const kt_tensor *from); /* `to` is an alias of `from` */
kt_status  kt__exchange_tangents(kt_tensor *a, kt_tensor *b); /* where both have some, or their bases */
kt_tensor *kt__carry_tangents(kt_tensor *t, kt_tensor *from, kt_tensor *(*changed)(kt_tensor *tangent, int64_t with),
                              int64_t with); /* kt__tape_hooks.carry */
kt_tensor *kt__tangent_shown(const kt_tensor *t); /* of the lowest level that is seen; owned; NULL: none */
/* A tensor of zeros of those sizes, that takes no memory: its strides are 0. */
kt_status  kt__zeros_of(const kt_tensor *like, kt_dtype dtype, kt_tensor **zeros); /* owned */
static inline bool kt__is_dual(const kt_tensor *t) { return t->flags & KT_T_DUAL; }

/* engine.c */
typedef struct kt__root { /* a tensor that backward starts from */
    kt_tensor *t, *grad; /* borrowed */
    bool       given;    /* the caller passed this gradient */
    uint32_t   result;   /* used by the engine: which of its node's */
} kt__root;
typedef struct kt__wanted { /* a tensor whose gradient is returned to the caller */
    kt_tensor *t;
    kt_tensor *grad;   /* out: owned; NULL: the roots do not depend on it */
    kt_node   *node;   /* used by the engine */
    uint32_t   result;
} kt__wanted;
typedef struct kt__job {
    kt__root       *root;
    kt__wanted     *wanted; /* NULL: every leaf that the roots depend on */
    int64_t         n_roots, n_wanted;
    bool            retain_graph, create_graph;
    bool            adds; /* adds to .grad of leaves: of all, or of the wanted ones */
} kt__job;
kt_status kt__backward(const kt__job *job);

#endif
