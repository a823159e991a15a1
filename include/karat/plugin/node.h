/* node.h - nodes of the tape. A node is one recorded call: it has an edge for each input and computes the inputs' gradients
 * from the results' gradients. The node's type says how. All operators share one type; a binding can define others, and
 * autograd.Function is built on this. Versioned apart from the stable headers: a type is refused unless its abi and size are
 * those of this header.
 *
 *   kt_node *node;
 *   kt_node_make(&my_type, inputs, n_inputs, n_saved, &node);     sets the edges to the nodes that made the inputs
 *   ... the forward computation, in no_grad mode ...
 *   kt_node_save(node, 0, x);                                     notes the version of x
 *   kt_node_attach(node, results, NULL, n_results);               the node becomes the results' grad_fn
 *   kt_node_drop(node);                                           the results keep it alive
 *
 * If no input requires grad, or grad mode is off, the same calls are allowed and attach nothing. */
#ifndef KARAT_PLUGIN_NODE_H
#define KARAT_PLUGIN_NODE_H

#include <karat/grad.h>
#include <karat/mode.h>
#include <karat/plugin/call.h>

KT_BEGIN

enum { KT_NODE_ABI = 1 };

/* One run of a node. Grad mode is on if create_graph is set: then the operators that `run` calls are recorded, for a second
 * derivative. A scope is open during the run. */
typedef struct kt_back {
    kt_node          *node;
    kt_tensor *const *grads;     /* one per result; NULL: no gradient arrived */
    const bool       *needs;     /* one per input: is its gradient needed? */
    kt_tensor       **d;         /* out, one per input: its gradient, owned (use kt_keep; the engine drops it); NULL: zero. The
                                    engine sums out broadcast dims and casts to the input's dtype */
    int64_t           n_results, n_inputs;
    bool              create_graph;
    bool              part;      /* some inputs require grad, but their gradient is not needed in this run */
    bool              whole;     /* backward adds to every leaf: none were asked for by name */
    bool              for_any;   /* the gradients stand for any: what the run gives is differentiated by them (forward mode) */
} kt_back;

enum {
    KT_NODE_ZEROS  = 1, /* grads[i] is a tensor of zeros if no gradient arrived; the node runs even if none arrived at all */
    KT_NODE_ALWAYS = 2  /* the node runs even if none arrived at all */
};

/* Must live as long as the nodes of the type. Functions may be NULL, except `run`. */
typedef struct kt_node_type {
    uint32_t    abi, size;                       /* KT_NODE_ABI, sizeof(kt_node_type) */
    uint32_t    flags;
    uint32_t    context;                         /* bytes that each node has for the type's own data, zeroed */
    const char *name;                            /* "MyFunctionBackward" */
    const char *(*name_of)(const kt_node *node); /* for types whose nodes have different names */
    kt_status (*run)(const kt_back *back);       /* failure: a nonzero status, or a pending error */
    kt_status (*check)(kt_node *node);           /* can it run? NULL: yes, if no saved tensor was freed or modified */
    void      (*forget)(kt_node *node);          /* backward without retain_graph has run it: free what it saved */
    void      (*release)(kt_node *node);         /* the node is being freed, with its context */
} kt_node_type;

/* An input may be NULL: that argument is no tensor. */
KT_API kt_status           kt_node_make(const kt_node_type *type, kt_tensor *const *inputs, int64_t n_inputs, int64_t n_saved,
                                        kt_node **node); /* owned */
/* For those who learn in the forward computation what a node is to save: it is made before, with n_saved = 0, since the
 * computation may change what the inputs are, and gets its type, with a context of the same size, and its places after it. It may
 * move: nothing refers to it before it is attached. */
KT_API kt_status           kt_node_settle(kt_node **node, const kt_node_type *type, int64_t n_saved);
KT_API const kt_node_type *kt_node_type_of(const kt_node *node); /* NULL for NULL */
KT_API const kt_node      *kt_node_of(const kt_tensor *t);       /* borrowed: what made t, as recorded; NULL: a leaf */
KT_API void               *kt_node_context(kt_node *node);       /* NULL if its type has none */
KT_API bool                kt_node_needs(const kt_node *node, int64_t input); /* is the gradient of this input needed? */
KT_API bool                kt_node_is_shared(const kt_node *node); /* does it have owners besides the caller? */

/* Saves a tensor (or NULL) at `place`. Backward fails if it was modified after being saved. Inputs, intermediate tensors and
 * results can be saved, results before or after they are attached. A result is saved without its history, so that the node
 * does not keep itself alive; kt_node_saved restores the history. The tensor it returns is owned; NULL if NULL was saved. */
KT_API kt_status kt_node_save(kt_node *node, int64_t place, kt_tensor *t);
KT_API kt_status kt_node_saved(kt_node *node, int64_t place, kt_tensor **t); /* of an operator's node, too */
KT_API int64_t   kt_node_n_saved(const kt_node *node);
KT_API void      kt_increment_version(kt_tensor *t); /* its memory was written to by other means than an operator */
KT_API kt_status kt_fail_freed(void); /* the error of kt_node_saved after backward has freed what was saved */

/* ---- keeping something else instead of what is saved: a copy in other memory, a way to compute it again ----
 * While hooks are pushed on this thread, every tensor that a node saves goes through the innermost ones. `pack` is shown the
 * tensor in no_grad mode, a result of the node without its history, and gives what is kept; it may not write to the tensor.
 * `unpack` gives a tensor of the same values, owned, when backward needs it; the engine gives it its history. `release` runs once
 * for each. */
typedef struct kt_saved_hooks {
    kt_status (*pack)(kt_tensor *t, void *context, void **kept);
    kt_status (*unpack)(void *kept, kt_tensor **t);
    void (*release)(void *kept);
} kt_saved_hooks;
KT_API kt_status kt_saved_hooks_push(const kt_saved_hooks *hooks, void *context); /* both live until they are popped */
KT_API void     *kt_saved_hooks_pop(void);                                        /* the context; NULL: there were none */
KT_API bool      kt_has_saved_hooks(void);
KT_API int64_t   kt_saved_hooks_count(void); /* how many are pushed on this thread */

/* ---- writing to saved tensors ----
 * From begin to end, what nodes save on this thread may be written to in place by operators: they copy it first, if a node still
 * needs it. Backward through such nodes belongs between the two as well; `clear` forgets what was kept so far. */
KT_API kt_status kt_mutation_begin(void); /* cannot be nested */
KT_API kt_status kt_mutation_clear(void);
KT_API void      kt_mutation_end(void);

/* ---- hooks of nodes ----
 * A hook `before` is shown the gradients of the node's results when they are complete and the node is about to run; the other
 * kind is shown the gradients of the inputs, too, once the node has computed them and they are fitted to the inputs. The first
 * may replace the gradients of the results, the second those of the inputs: it sets `replaces`, and each of instead[i] (owned:
 * kt_keep; the engine drops it; NULL: no gradient) takes the place of what was there, with the same dtype and sizes. Order,
 * removal (kt_hook_remove) and failure are those of hooks of tensors (karat/grad.h), which run first. Hooks of a leaf's
 * "AccumulateGrad" live as long as that node, which the graphs of the leaf keep alive. */
typedef struct kt_node_grads {
    kt_node          *node;
    kt_tensor *const *inputs, *const *results; /* NULL where there is no gradient; `inputs` is NULL before the node runs */
    int64_t           n_inputs, n_results;
    kt_tensor       **instead;  /* out: as many as the gradients that the hook may replace */
    bool              replaces; /* out */
} kt_node_grads;
typedef kt_status (*kt_node_hook_call)(kt_node_grads *grads, void *context);
KT_API kt_hook *kt_node_hook_add_before(kt_node *node, const char *name, kt_node_hook_call call, void *context,
                                        void (*release)(void *context)); /* owned handle */
KT_API kt_hook *kt_node_hook_add(kt_node *node, const char *name, kt_node_hook_call call, void *context,
                                 void (*release)(void *context));        /* owned handle */

/* Passes tensors through one node that changes nothing, for hooks on what flows there: what stands before and after a module with
 * backward hooks. *node is owned; NULL: no gradient is wanted, and the results are the tensors themselves. Results are owned. */
KT_API kt_status kt_node_identity(kt_tensor *const *t, int64_t n, kt_tensor **results, kt_node **node);

/* One pointer of the binding's, which lives as long as the node; NULL: none. */
KT_API void     *kt_node_data(const kt_node *node);
KT_API kt_status kt_node_set_data(kt_node *node, void *data, void (*release)(void *data));

/* As kt_hooks_visit and kt_hooks_clear (plugin/call.h), with the node's data, if the caller is the node's only owner. */
KT_API int  kt_node_hooks_visit(const kt_node *node, kt_hook_visit visit, void *with);
KT_API void kt_node_hooks_clear(kt_node *node);

/* ---- looking at a graph ---- */
KT_API kt_node *kt_node_keep(kt_node *node);                /* one more owner: you; NULL passes through */
/* What takes the gradient of t: its grad_fn, or of a leaf its "AccumulateGrad". NULL: it requires none. */
KT_API kt_node *kt_gradient_node(kt_tensor *t, int64_t *result); /* owned */
KT_API uint64_t kt_node_sequence(const kt_node *node);      /* backward runs larger numbers first; UINT64_MAX: a leaf's */
KT_API int64_t  kt_node_results(const kt_node *node);       /* number of results that a gradient may reach */
/* Form of a result. false: it is not known, since the node was reached neither from a tensor nor through an input. */
KT_API bool     kt_node_result(const kt_node *node, int64_t i, kt_dtype *dtype, kt_device *device, kt_shape *sizes);
/* A tensor that stands for a result of the node where a function takes a tensor for its history: kt_gradients,
 * kt_backward_many. For a leaf's node it is the leaf. Its elements are not defined. */
KT_API kt_status kt_node_tensor(kt_node *node, int64_t result, kt_tensor **t); /* owned */
/* Runs the node alone, without hooks: results[i] is the gradient of input i, owned or NULL, not fitted to it. What it saved
 * stays. In grad mode it is recorded. */
KT_API kt_status kt_node_run(kt_node *node, kt_tensor *const *grads, int64_t n_grads, kt_tensor **results, int64_t n_inputs);

/* What an operator's node keeps, under PyTorch's names: tensors (kt_node_saved, from `place` on; n of them if it is a list),
 * other arguments, and sizes of inputs ("self_sym_sizes"), which stand in `own` and last as long as this and the node. */
typedef struct kt_kept {
    const char     *name;  /* "self", "result", "dim" */
    int64_t         place; /* -1: `value` */
    int64_t         n;     /* of a list; -1: one tensor, or a value */
    const kt_value *value; /* of the kind `kind` */
    uint8_t         kind;  /* kt_arg_kind */
    bool            wrapped; /* a number that PyTorch keeps as a tensor */
    bool            absent;  /* the argument is None */
    kt_value        own;     /* what `value` points to, if it is no argument of the call */
    int64_t         room[3];
} kt_kept;
KT_API bool kt_node_kept(const kt_node *node, int64_t i, kt_kept *kept); /* false: there are not so many */
/* Gives what is saved at a place to these hooks, as if they had been pushed when it was saved. */
KT_API kt_status kt_node_pack(kt_node *node, int64_t place, const kt_saved_hooks *hooks, void *context);

/* The run of backward that this thread is in: a number that no other has, and whether it runs (or has run) a node. */
KT_API uint64_t kt_backward_id(void); /* 0: none */
KT_API bool     kt_backward_runs(const kt_node *node);
/* ---- tangents of a node of one's own: for each level that an input has, from the lowest, compute those of the results with the
 * levels from that one on out of sight, and set them after the results were attached ---- */
KT_API uint64_t      kt_dual_levels(const kt_tensor *t); /* bit l: t has a tangent of level l, and this thread sees it */
KT_API kt_status     kt_tangent_of(kt_tensor *t, int64_t level, kt_tensor **tangent); /* owned; NULL if it has none */
KT_API kt_status     kt_tangent_set(kt_tensor *t, kt_tensor *tangent, int64_t level, bool written); /* written: in place */
KT_API kt_mode_guard kt_below_level_open(int64_t level); /* until kt_mode_close */

/* Attaches the results, once, in the order of their gradients. from[i]: the input that result i is, if that was written in
 * place (the rules for leaves and views apply), or one of the values below. from NULL: all are KT_RESULT_MADE. */
enum {
    KT_RESULT_MADE     = -1, /* a new tensor or a view, not an input itself */
    KT_RESULT_CONSTANT = -2  /* no gradient flows to it */
};
KT_API kt_status kt_node_attach(kt_node *node, kt_tensor *const *results, const int64_t *from, int64_t n);

KT_END
#endif
