/* watch.h - how a tool (audit, profiler, a test) sees every plan that is run, and what it was run for. Versioned apart from the
 * stable headers.
 *
 * A watcher sees the plans of all threads, for every call that begins after kt_watch returned, until kt_unwatch returns. Its
 * functions run on the thread that made the call: `before` before the plan is passed to its device, `after` when `run` has
 * returned. A binding's lock is held if the call came through a binding; no lock of Karat is held. Several threads may run a
 * watcher at the same time.
 *
 * The plan belongs to the engine: read it during the call, or copy it. A watcher must not write to what the plan points to
 * and must leave no error pending. Watchers do not see the plans of operators that a watcher calls, nor the trial calls by
 * which the engine searches for fixes of an error. */
#ifndef KARAT_PLUGIN_WATCH_H
#define KARAT_PLUGIN_WATCH_H

#include <karat/plugin/call.h>

KT_BEGIN

enum { KT_WATCH_ABI = 1, KT_MAX_WATCHERS = 8 };

/* What plans are run for: spans of a thread's time, one inside the other. */
typedef enum kt_span_kind {
    KT_SPAN_CALL,    /* a call of an operator, also by another's body or by a formula */
    KT_SPAN_NODE,    /* backward has come to a node: its formula, its hooks, the sums of what it passes on */
    KT_SPAN_FORMULA, /* inside: the node's formula */
    KT_SPAN_RANGE,   /* of the program (kt_range_begin) */
    KT_SPAN_MODULE,  /* a call of a module */
    KT_SPAN_READ     /* the host reads the element of a tensor (item) */
} kt_span_kind;

typedef struct kt_span {
    kt_span_kind      kind;
    uint64_t          id;       /* of this thread; not that of another span */
    const kt_call    *call;     /* of a call; when it is left without an error it has its results */
    const char       *name;     /* of others: of the node ("AddBackward0"), the range, the module's class; valid during `enter` */
    const void       *object;   /* of a module: what the binding calls it by */
    kt_tensor *const *grads;    /* of a formula: what arrived, one per result of its call, may be NULL; of a read: the tensor */
    int64_t           n_grads;
    uint64_t          sequence; /* of a node, and of its formula: kt_node_sequence */
    uint32_t          site;     /* of a node: the line that recorded it; else 0 */
} kt_span;

typedef struct kt_watcher {
    uint32_t abi, size;
    void   (*before)(const kt_plan *plan, void *context);                   /* or NULL */
    /* Or NULL. `status` is what `run` returned: a late backend has accepted the plan by then, not finished it. */
    void   (*after)(const kt_plan *plan, kt_status status, void *context);
    void    *context;
    /* What follows may be NULL, or lie beyond `size`. Every span that was entered is left, also after an error; a watcher that
     * came in between sees only that it is left. */
    void   (*enter)(const kt_span *span, void *context);
    void   (*leave)(const kt_span *span, kt_status status, void *context); /* a range, a module: kind and id alone */
    /* A tensor's memory was allocated (bytes > 0) or freed (bytes < 0). */
    void   (*memory)(kt_device device, const void *data, int64_t bytes, void *context);
} kt_watcher;

KT_API kt_status kt_watch(const kt_watcher *watcher);   /* `watcher` must stay valid until it is removed */
/* Returns when no thread runs the watcher any more; must not be called from a watcher. A plan that is running then may have seen
 * `before` without `after`. */
KT_API kt_status kt_unwatch(const kt_watcher *watcher);

/* The floating-point operations of a call that has its results, as PyTorch's flop counter counts them, and the name that it
 * counts them under ("addmm"); `name` may be NULL. Of a call that counts, what it calls is not to be counted again. */
KT_API bool      kt_call_counts_flops(const kt_call *call);
KT_API int64_t   kt_call_flops(const kt_call *call, const char **name);

/* For bindings: the call of a module, from kt_module_begin until kt_range_end of what it returns. 0: nobody watches. */
KT_API uint64_t  kt_module_begin(const char *type, const void *object);

KT_END
#endif
