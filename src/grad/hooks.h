/* hooks.h - what hangs on a node or a leaf besides the graph: hooks of tensors and of nodes, retain_grad, a binding's data. One
 * linked list holds all of them, since few nodes have any: a node without them pays for one pointer. */
#ifndef KT_GRAD_HOOKS_H
#define KT_GRAD_HOOKS_H

#include <karat/plugin/node.h>

#include "grad/run.h"

typedef enum kt__hook_kind {
    HOOK_RESULT,     /* of a tensor's gradient */
    HOOK_AFTER_LEAF, /* called with the leaf after its gradient was accumulated */
    HOOK_RETAIN,     /* keeps the gradient in `keeper` */
    HOOK_BEFORE,     /* of a node: before it runs */
    HOOK_AFTER,      /* of a node: after it has run */
    HOOK_DATA,       /* no hook: a binding's data of the node */
    HOOK_PARENT      /* no hook: the node in whose run this one was made (anomaly.c) */
} kt__hook_kind;

struct kt_hook {
    _Atomic int32_t refs;  /* owners: the list, the handle, and running backwards */
    _Atomic int32_t users; /* users of the context: the list until the hook is removed, and runs that took it before */
    _Atomic bool    removed;
    uint8_t         kind;   /* a kt__hook_kind */
    uint32_t        result; /* of the node, whose gradient it sees */
    uint32_t        of;     /* the lineage of the tensor it was registered on */
    kt_hook        *next;
    union {
        kt_hook_call      call;
        kt_node_hook_call node_call; /* HOOK_BEFORE, HOOK_AFTER */
        kt_tensor        *keeper;    /* HOOK_RETAIN; not owned: the tensor clears it when it dies */
    };
    void           *context;
    void          (*release)(void *context);
    uint32_t        bytes;
    char            name[];
};

kt_hook  *kt__hook_new(kt__hook_kind kind, const char *name); /* with one owner */
void      kt__hook_unref(kt_hook *h);
void      kt__hook_end(kt_hook *h);                     /* it runs no more; its context is released once */
/* Drops removed hooks first, so that adding and removing in a loop does not grow the list. */
void      kt__hook_append(kt_hook **list, kt_hook *h);
kt_status kt__hook_check(const kt_hook *h, const kt_tensor *was, const kt_tensor *now); /* may it replace the gradient? */
/* A hook fails by its status or by a pending error; either ends backward with an error. */
kt_status kt__hook_outcome(const kt_hook *h, kt_status returned);

/* A snapshot of the hooks: one that another removes still runs, one that is added waits for the next backward. */
typedef struct kt__hooks_now {
    kt_hook **hook;
    size_t    n, capacity;
    kt_hook  *few[8];
} kt__hooks_now;
kt_status kt__hooks_snapshot(kt__hooks_now *s, kt_hook *list, kt__hook_kind kind);
void      kt__hooks_snapshot_end(kt__hooks_now *s);

/* node_hooks.c: they may replace the gradients in the array that they are for. */
kt_status kt__run_hooks_before(kt_node *node, kt_tensor **grads);
kt_status kt__run_hooks_of_node(kt_node *node, kt_tensor **grads, kt_tensor **d);
/* The first entry of a kind that has not ended; NULL: there is none. */
kt_hook  *kt__hook_find(const kt_node *node, kt__hook_kind kind);

#endif
