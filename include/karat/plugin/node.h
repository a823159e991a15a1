/* node.h - nodes of the tape. A node stands for one call that was recorded: it knows where its inputs came from and turns the
 * gradients of its results into those of its inputs. What a node does is its type's; the operators' nodes are of one type, and
 * a binding brings others: autograd.Function is built on this. Versioned apart from the stable headers: a type is refused
 * unless abi and size are those of this header.
 *
 *   kt_node *node;
 *   kt_node_make(&my_type, inputs, n_inputs, n_saved, &node);     edges to what made the inputs
 *   ... the forward computation, in no_grad mode ...
 *   kt_node_save(node, 0, x);                                     with the version that it has now
 *   kt_node_attach(node, results, NULL, n_results);               from here on the results lead to the node
 *   kt_node_drop(node);                                           the results hold it
 *
 * A node with no input that wants a gradient (or made outside of grad mode) may be used alike: nothing is attached to it. */
#ifndef KARAT_PLUGIN_NODE_H
#define KARAT_PLUGIN_NODE_H

#include <karat/grad.h>

KT_BEGIN

enum { KT_NODE_ABI = 1 };

/* One run of a node. Grad mode is as create_graph says, so that what a run calls is recorded for a second derivative. A scope is
 * open around it. */
typedef struct kt_back {
    kt_node          *node;
    kt_tensor *const *grads;     /* of each result; NULL: none arrived */
    const bool       *needs;     /* of each input: is its gradient wanted? */
    kt_tensor       **d;         /* out, of each input: its gradient, owned (kt_keep it: the engine drops it); NULL: zero. The
                                    engine sums away broadcasting and casts to the input's dtype */
    int64_t           n_results, n_inputs;
    bool              create_graph;
    bool              part;      /* some inputs want a gradient in general, and not in this run */
} kt_back;

enum {
    KT_NODE_ZEROS = 1 /* zeros stand where no gradient arrived, and it runs where none did */
};

/* Lives as long as the nodes of the type. What is NULL below is not asked. */
typedef struct kt_node_type {
    uint32_t    abi, size;                       /* KT_NODE_ABI, sizeof(kt_node_type) */
    uint32_t    flags;
    uint32_t    context;                         /* bytes that each node keeps for the type: zeros at first */
    const char *name;                            /* "MyFunctionBackward" */
    const char *(*name_of)(const kt_node *node); /* where nodes of one type have several names */
    kt_status (*run)(const kt_back *back);       /* fails by what it returns or by an error that it leaves */
    kt_status (*check)(kt_node *node);           /* could it run? NULL: where what it saved is there and as it was */
    void      (*forget)(kt_node *node);          /* backward went through it and keeps no graph: what it saved is let go */
    void      (*release)(kt_node *node);         /* it dies, and with it its context */
} kt_node_type;

/* Inputs may be NULL: no tensor stood there. */
KT_API kt_status           kt_node_make(const kt_node_type *type, kt_tensor *const *inputs, int64_t n_inputs, int64_t n_saved,
                                        kt_node **node); /* owned */
KT_API const kt_node_type *kt_node_type_of(const kt_node *node); /* NULL of NULL */
KT_API void               *kt_node_context(kt_node *node);       /* NULL where its type keeps none */
KT_API bool                kt_node_needs(const kt_node *node, int64_t input); /* does it want a gradient? */
KT_API bool                kt_node_is_shared(const kt_node *node); /* has it an owner besides the caller? */

/* Keeps a tensor, or NULL, in one of the places; whoever writes to it before backward reads it makes that fail. Inputs,
 * intermediates and results alike, before or after they are attached: a result is kept without its history, so that the node
 * does not hold itself. Reading gives it back with its history; owned, NULL where none was kept. */
KT_API kt_status kt_node_save(kt_node *node, int64_t place, kt_tensor *t);
KT_API kt_status kt_node_saved(kt_node *node, int64_t place, kt_tensor **t);
KT_API int64_t   kt_node_n_saved(const kt_node *node);

/* The results, once, in the order of their gradients. from: of each the input that it is, which was written to in place (the
 * rules for leaves and views hold), or one of those below; NULL: all were made. */
enum {
    KT_RESULT_MADE     = -1, /* a new tensor, or a view: none of the inputs itself */
    KT_RESULT_CONSTANT = -2  /* no gradient flows to it */
};
KT_API kt_status kt_node_attach(kt_node *node, kt_tensor *const *results, const int64_t *from, int64_t n);

KT_END
#endif
