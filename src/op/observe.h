/* observe.h - how other layers watch calls without the operator layer knowing them by name.
 * The tape, lineage, audit and profiler each fill in hooks at start; one thread-local mode word decides which run. */
#ifndef KT_OP_OBSERVE_H
#define KT_OP_OBSERVE_H

#include <karat/plugin/call.h>

#include "base/local.h"
#include "op/plan.h"

/* ---- the tape ---- */
typedef struct kt__tape_hooks {
    /* Before the kernel: leaf, view and out= rules. May refuse. `token` is handed to `after`. Called only where an input
     * requires grad or the row writes into a tensor that has autograd state. */
    kt_status (*before)(kt_call *call, const kt_plan *plan, void **token);
    /* After it: links the results. `token` NULL: nothing to do. On failure of the kernel `cancel` gets it instead. */
    kt_status (*after)(kt_call *call, const kt_plan *plan, void *token);
    void      (*cancel)(void *token);
    kt_status (*note)(kt_tensor *t); /* makes the tape's record of a new tensor, with the version that it has */
} kt__tape_hooks;
extern kt__tape_hooks kt__tape;

/* ---- lineage ---- */
typedef struct kt__operand_note { /* one operand of a refused call, as the error explains it */
    const char      *name;
    const kt_tensor *tensor;      /* NULL for a scalar */
    uint8_t          dtype;
} kt__operand_note;

typedef struct kt__mistake { /* a dtype error, for its explanation below the first line */
    const kt_row    *row;
    int              n;
    kt__operand_note operand[KT_MAX_ARGS];
    const char      *fix;    /* one line, or NULL: the explainer may find its own */
} kt__mistake;

typedef struct kt__lineage_hooks {
    uint32_t (*record)(kt_reason why, const char *op, kt_dtype from, kt_dtype to, uint32_t parent); /* interned id */
    uint32_t (*site)(void);                      /* interned id of the line that runs now; 0: unknown */
    bool     (*site_text)(uint32_t site, char *buffer, size_t room); /* "train.py:41" */
    void     (*explain)(const kt__mistake *mistake); /* appends to the pending error */
} kt__lineage_hooks;
extern kt__lineage_hooks kt__lineage;
/* The thread's C site as an id, from when it was first asked for until it changes; 0: ask `site`. Every node of the tape keeps
 * one, and a call through the hook is dear beside the rest of a small node. */
extern KT__HOT_LOCAL uint32_t kt__site_known;

#ifdef KT_NO_LINEAGE
#define KT__RECORD(why, op, from, to, parent) ((void)(op), 0u)
#define KT__SITE()                            0u
#else
#define KT__RECORD(why, op, from, to, parent) \
    (kt__lineage.record ? kt__lineage.record((why), (op), (kt_dtype)(from), (kt_dtype)(to), (parent)) : 0u)
#define KT__SITE() (kt__site_known ? kt__site_known : kt__lineage.site ? kt__lineage.site() : 0u)
#endif

#endif
