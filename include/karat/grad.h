/* grad.h - gradients: requires_grad, backward, hooks, and the recorded graph. */
#ifndef KARAT_GRAD_H
#define KARAT_GRAD_H

#include <karat/tensor.h>

KT_BEGIN

/* ---- who wants a gradient ---- */
KT_API kt_status   kt_set_requires_grad(kt_tensor *t, bool on); /* floating and complex leaves only */
KT_API bool        kt_requires_grad(const kt_tensor *t);
KT_API bool        kt_is_leaf(const kt_tensor *t);
KT_API kt_tensor  *kt_detach_(kt_tensor *t);                    /* t itself without its history; views refuse */

/* ---- inference mode (thread-local): nothing is recorded, and its tensors never take part in a graph ---- */
KT_API void        kt_set_inference(bool on);
KT_API bool        kt_inference(void);
KT_API bool        kt_is_inference(const kt_tensor *t);         /* made in inference mode, or a view of such a tensor */

/* ---- gradients stored in tensors ---- */
KT_API kt_tensor  *kt_grad(const kt_tensor *t);                 /* borrowed; NULL when there is none */
KT_API kt_status   kt_set_grad(kt_tensor *t, kt_tensor *grad);  /* NULL clears it */
KT_API kt_status   kt_retain_grad(kt_tensor *t);                /* a non-leaf keeps its gradient too */
KT_API bool        kt_retains_grad(const kt_tensor *t);
/* The dtype of a leaf's gradient, if it is not the leaf's own; KT_NONE: that which the gradient arrives in. */
KT_API kt_status   kt_set_grad_dtype(kt_tensor *leaf, kt_dtype dtype);
KT_API kt_dtype    kt_grad_dtype(const kt_tensor *leaf);

/* ---- backward: adds to the leaves' gradients ---- */
typedef struct KT_OPTIONS kt_backward_opts {
    size_t            size;
    KT_BY_NAME
    const kt_tensor  *gradient;     /* of t; needed unless t has one element */
    KT_AFTER(gradient)
    bool              retain_graph;
    KT_AFTER(retain_graph)
    bool              create_graph;
    KT_AFTER(create_graph)
    kt_tensor *const *inputs;       /* only these collect a gradient; NULL: every leaf */
    KT_AFTER(inputs)
    int64_t           n_inputs;
} kt_backward_opts;
KT_API kt_status kt_backward_kw(kt_tensor *t, const kt_backward_opts *opts);
#define kt_backward(t, ...) kt_backward_kw(t, KT_KW(kt_backward_opts, __VA_ARGS__))

/* From several roots at once. gradients: one per root, or NULL; its entries may be NULL too. opts->gradient is not read. */
KT_API kt_status kt_backward_many(kt_tensor *const *roots, kt_tensor *const *gradients, int64_t n,
                                  const kt_backward_opts *opts);

/* The gradients of the outputs' sum with respect to the inputs, given to the caller (owned: kt_drop them; NULL where
 * unused); the leaves' own stay as they are. gradients: one per output, or NULL; its entries may be NULL too. */
typedef struct KT_OPTIONS kt_gradients_opts {
    size_t size;
    KT_BY_NAME
    bool   retain_graph;
    bool   create_graph;
    bool   allow_unused; /* an unused input gives NULL, not an error */
} kt_gradients_opts;
KT_API kt_status kt_gradients(kt_tensor *const *outputs, kt_tensor *const *gradients, int64_t n_outputs,
                              kt_tensor *const *inputs, int64_t n_inputs, const kt_gradients_opts *opts,
                              kt_tensor **results);

/* ---- forward mode: a tensor's tangent goes along with every operator ----
 * A level is one run of forward mode; the last one that was entered is left first, and its tangents go with it. A dual tensor
 * is a view of t with that tangent, of t's sizes. What is computed from it has a tangent too, whatever the grad mode, unless
 * forward mode is off on this thread (or inference mode on). The tangents of a level are computed without those of its own and
 * higher levels, so that levels can be nested. */
KT_API int64_t     kt_dual_level_enter(void);                   /* the new level, from 0 on; -1 and an error */
KT_API kt_status   kt_dual_level_exit(int64_t level);
KT_API kt_tensor  *kt_make_dual(kt_tensor *t, kt_tensor *tangent, int64_t level);
/* primal: t without that tangent. *tangent is NULL if there is none. Both belong to the scope. */
KT_API kt_status   kt_unpack_dual(kt_tensor *t, int64_t level, kt_tensor **primal, kt_tensor **tangent);
KT_API bool        kt_forward_enabled(void);
KT_API void        kt_set_forward_enabled(bool on);
/* ---- for functions that differentiate functions (torch.func): see src/grad/transform.c ----
 * A tensor on t's memory that wants a gradient. If t wants one, it is computed from t; else it is a leaf of its own. What an
 * outer graph knows of t's examples (batch.h) stays. */
KT_API kt_tensor  *kt_grad_alias(kt_tensor *t);
/* The same value for a caller whose graph it is not part of: without a history, of its value too (batch.h), but with tangents. */
KT_API kt_tensor  *kt_grad_constant(kt_tensor *t);
/* The function is called now: until kt_transform_end, on this thread, writes in place to tensors that were there before are
 * refused, as in PyTorch, but for those that it was given. Transforms nest. */
KT_API kt_status   kt_transform_begin(kt_tensor *const *given, int64_t n);
KT_API kt_status   kt_transform_end(void); /* the innermost; an error if there is none */
/* Would a graph of the gradients lead anywhere but to these inputs? False if the outputs depend on no other leaf. */
KT_API bool        kt_depends_beyond(kt_tensor *const *outputs, int64_t n_outputs, kt_tensor *const *inputs, int64_t n_inputs);

/* ---- hooks: called when a tensor's gradient is complete, in the order in which they were added ----
 * A hook may put a tensor of the same dtype and sizes into *instead (kt_keep it: the engine drops it), which replaces the
 * gradient. A hook that fails ends backward. `name` appears in errors. The list of hooks is fixed when the gradient is
 * complete: a hook removed by another still runs, one added waits for the next backward. `grad` is NULL where the tensor was
 * part of the graph but received no gradient. */
typedef struct kt_hook kt_hook;
typedef kt_status (*kt_hook_call)(kt_tensor *grad, void *context, kt_tensor **instead);
KT_API kt_hook *kt_hook_add(kt_tensor *t, const char *name, kt_hook_call call, void *context,
                            void (*release)(void *context)); /* owned handle; release(context) runs with the hook's end */
KT_API kt_hook *kt_hook_add_after(kt_tensor *leaf, const char *name, kt_hook_call call, void *context,
                                  void (*release)(void *context)); /* is shown the leaf itself, after backward has added to
                                                                      its gradient: the place for an optimizer's step;
                                                                      it leaves *instead alone */
KT_API void     kt_hook_remove(kt_hook *hook);               /* removes the hook and releases the handle */
KT_API void     kt_hook_drop(kt_hook *hook);                 /* releases the handle; the hook stays */

/* ---- anomalies (of the process): looking for what fails, or gives NaN, in backward ----
 * An error in backward is preceded by a warning that names the line of the forward call, and for a derivative of a derivative
 * the calls that led to it. check_nan: a gradient with NaN is an error. */
KT_API void kt_set_anomaly(bool on, bool check_nan);
KT_API bool kt_anomaly(void);
KT_API bool kt_anomaly_checks_nan(void); /* true at the start; it counts while kt_anomaly is on */

/* While it is on, the values that this thread's calls and nodes of backward give are looked at, which waits for devices: which
 * gave the first that is not finite, though what it got was? Turning it on begins anew. */
typedef struct kt_not_finite {
    size_t      size;     /* of this struct, set by the caller */
    const char *op;       /* "exp", or in backward a node's name: "MulBackward0" */
    const char *file;     /* of the call, in backward of the forward call; NULL where it is unknown */
    int         line;
    bool        backward;
    bool        nan;      /* a NaN is among the values; else an infinity */
} kt_not_finite;
KT_API void kt_search_not_finite(bool on);
KT_API bool kt_first_not_finite(kt_not_finite *out); /* false: there was none so far */

/* ---- the graph ---- */
typedef struct kt_node kt_node;
KT_API const char *kt_grad_fn_name(const kt_tensor *t);         /* "MulBackward0"; "" for a leaf */
KT_API kt_node    *kt_grad_fn(const kt_tensor *t);              /* what made t; owned: kt_node_drop; NULL for a leaf */
KT_API int64_t     kt_output_nr(const kt_tensor *t);            /* which of its results t is */
KT_API const char *kt_node_name(const kt_node *node);
KT_API int64_t     kt_node_inputs(const kt_node *node);         /* number of inputs */
KT_API kt_node    *kt_node_input(const kt_node *node, int64_t i, int64_t *result); /* owned: what made input i; or NULL */
KT_API kt_tensor  *kt_node_leaf(const kt_node *node);           /* of "AccumulateGrad": borrowed; else NULL */
KT_API void        kt_node_drop(kt_node *node);

KT_END
#endif
