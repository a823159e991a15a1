/* observe.h - how other layers watch calls without the operator layer knowing them by name.
 * The tape, lineage, audit and profiler each fill in hooks at start; one thread-local mode word decides which run. */
#ifndef KT_PLAN_OBSERVE_H
#define KT_PLAN_OBSERVE_H

#include <karat/plugin/call.h>

#include "base/local.h"
#include "plan/site.h"

/* ---- the tape ---- */
typedef struct kt__tape_hooks {
    /* Before the kernel: leaf, view and out= rules. May refuse. `token` is handed to `after`. Called only where an input
     * requires grad or the row writes into a tensor that has autograd state. */
    kt_status (*before)(kt_call *call, const kt_plan *plan, void **token);
    /* After it: links the results. `token` NULL: nothing to do. On failure of the kernel `cancel` gets it instead. */
    kt_status (*after)(kt_call *call, const kt_plan *plan, void *token);
    void      (*cancel)(void *token);
    kt_status (*rules)(const kt_call *call); /* the rules of `before` alone: may what the call writes to be written? */
    kt_status (*note)(kt_tensor *t); /* makes the tape's record of a new tensor, with the version that it has */
} kt__tape_hooks;
extern kt__tape_hooks kt__tape;

/* ---- lineage ---- */
enum { KT__NOTED = 12, KT__FIXES = 5, KT__FIX_WORDS = 192 }; /* most operands and fixes that one error names */

typedef struct kt__operand_note { /* one operand of a refused call, as the error explains it */
    const char      *name;
    const kt_tensor *tensor;      /* NULL for a number */
    uint8_t          dtype;
    int16_t          element;     /* which of the list `name`, counted from 1; 0: not of a list */
} kt__operand_note;

typedef struct kt__fix { /* one change after which the same call is accepted: tried, not guessed (remedy.c) */
    uint8_t  kind;       /* kt_fix_kind */
    uint8_t  dtype, policy;
    bool     loses;      /* a value may be lost on the way */
    uint16_t operands;   /* bit i: operand i of the mistake is converted, or made anew */
    char     words[KT__FIX_WORDS]; /* how the face of the caller says it; the explainer writes them */
} kt__fix;

typedef struct kt__mistake { /* a failed call, for what its error says below the first line */
    const kt_row    *row;    /* NULL: no operator */
    bool             about_dtypes; /* then lineage and fixes are worth telling */
    int              n, n_fixes;
    kt__operand_note operand[KT__NOTED];
    kt__fix          fix[KT__FIXES];
    char             op[64]; /* the operator as the caller writes it */
    const char      *file;   /* of the call, from the explainer; NULL: unknown; lives on */
    int              line;
} kt__mistake;

typedef struct kt__lineage_hooks {
    uint32_t (*record)(kt_reason why, const char *op, kt_dtype from, kt_dtype to, uint32_t parent); /* interned id */
    /* Of a gradient, in `dtype`: the chain of the tensor it belongs to, and a record that says so. `had`: what it had so far. */
    uint32_t (*gradient)(uint32_t of, uint32_t had, kt_dtype dtype);
    bool     (*site_text)(uint32_t site, char *buffer, size_t room); /* "train.py:41" */
    void     (*explain)(kt__mistake *mistake);   /* appends to the pending error; fills in words and site */
    bool     (*in_binding)(void);                /* does a binding's language make the call, or C? */
} kt__lineage_hooks;
extern kt__lineage_hooks kt__lineage;
/* The name by which a user knows a row (refusal.c): nn_cross_entropy is cross_entropy in Python, linalg_norm is linalg.norm,
 * quantile_number an overload of quantile; C has the row's own. */
const char *kt__row_display_name(const kt_row *row, bool in_binding, char *room, size_t size);

#ifdef KT_NO_LINEAGE
#define KT__RECORD(why, op, from, to, parent) ((void)(op), 0u)
#else
#define KT__RECORD(why, op, from, to, parent) \
    (kt__lineage.record ? kt__lineage.record((why), (op), (kt_dtype)(from), (kt_dtype)(to), (parent)) : 0u)
#endif

#endif
