/* observe.h - hooks by which the tape, batches and lineage take part in calls. They set the hooks at start, so that the operator
 * layer does not depend on them; the thread's mode word decides which run. */
#ifndef KT_PLAN_OBSERVE_H
#define KT_PLAN_OBSERVE_H

#include <karat/plugin/call.h>

#include "base/local.h"
#include "plan/site.h"

/* ---- the tape ---- */
typedef struct kt__tape_hooks {
    /* Before the kernel: checks the rules for leaves, views and out=, and may refuse. `token` is passed to `after`. Called
     * only if an input requires grad or the call writes to a tensor with autograd state. */
    kt_status (*before)(kt_call *call, const kt_plan *plan, void **token);
    /* After the kernel: links the results. `token` NULL: nothing to do. If the kernel failed, `cancel` is called instead. */
    kt_status (*after)(kt_call *call, const kt_plan *plan, void *token);
    void      (*cancel)(void *token);
    kt_status (*rules)(const kt_call *call); /* only the checks of `before`: may the target be written? */
    /* The same two where an input, or what is written to, has tangents that this thread sees. `records`: the tape records the
     * call. `floor`: tangents of lower levels are left to the calls that the kernel consists of. `state` is passed on like the
     * token; NULL: nothing to do for forward mode. Between the two the thread does not see the tangents. */
    kt_status (*before_dual)(kt_call *call, const kt_plan *plan, bool records, int floor, void **token, void **state);
    kt_status (*after_dual)(kt_call *call, void *token, void *state, kt_status so_far);
    kt_status (*note)(kt_tensor *t); /* creates the autograd state of a new tensor, with its current version */
    kt_status (*beside)(kt_call *call); /* results of a list that require no grad join the history of the call's tensors */
    int       (*levels)(void);       /* of forward mode that are open */
    /* self becomes what `view`, a view of it, is: its sizes and strides, its history if `history`, and its tangents */
    kt_status (*become)(kt_tensor *self, kt_tensor *view, bool history);
    /* t with the tangents of `from`, each as `changed` gives it; of the scope; NULL after an error */
    kt_tensor *(*carry)(kt_tensor *t, kt_tensor *from, kt_tensor *(*changed)(kt_tensor *tangent, int64_t with), int64_t with);
} kt__tape_hooks;
extern KT__HIDDEN kt__tape_hooks kt__tape;
/* Called before a call that writes in place or to out=, once anybody has wanted to know (grad/mutation.c); NULL: nobody has. */
typedef kt_status kt__write_watch(const kt_call *call);
extern KT__HIDDEN kt__write_watch *_Atomic kt__about_to_write;

/* ---- batches (src/batch) ---- */
typedef struct kt__batch_hooks {
    /* A call that has a tensor of a level, or is made inside one; `plain` runs it as if it had none. */
    kt_status (*run)(kt_call *call, kt_status (*plain)(kt_call *call));
    /* kt__convert_inside of such a tensor */
    kt_status (*convert)(kt_tensor *t, kt_dtype dtype, kt_reason why, kt_tensor **result);
    /* t with room for the examples of `beside`, so that these can be written into it. Each lies as t does. t itself, or owned by
     * the scope; NULL after an error */
    kt_tensor *(*room)(kt_tensor *t, const kt_tensor *beside);
} kt__batch_hooks;
extern KT__HIDDEN kt__batch_hooks kt__batching;

/* ---- lineage ---- */
/* limits of what one error names: operands, fixes that are found, fixes with those of the lines that made operands, bytes of
 * a fix's text */
enum { KT__NOTED = 12, KT__FOUND = 5, KT__FIXES = 8, KT__FIX_WORDS = 192 };

typedef struct kt__operand_note { /* one operand of a refused call, as the error explains it */
    const char      *name;
    const kt_tensor *tensor;      /* NULL for a number */
    uint8_t          dtype;
    int16_t          element;     /* position in the list `name`, from 1; 0: not in a list */
} kt__operand_note;

typedef struct kt__fix { /* a change after which the call is accepted; every fix has been tried (remedy.c) */
    uint8_t  kind;       /* kt_fix_kind */
    uint8_t  dtype, policy;
    bool     loses;      /* the conversion can lose values */
    uint16_t operands;   /* bit i: operand i of the mistake is converted, or created with another dtype */
    char     words[KT__FIX_WORDS]; /* the fix in the caller's language, written by the explainer */
} kt__fix;

typedef struct kt__mistake { /* a failed call: what the error shows below its first line */
    const kt_row    *row;    /* NULL: not an operator's call */
    bool             about_dtypes; /* then lineage and fixes are shown */
    int              n, n_fixes;
    kt__operand_note operand[KT__NOTED];
    kt__fix          fix[KT__FIXES];
    char             op[64]; /* the operator as the caller writes it */
    uint32_t         site;   /* in backward: where the operator was recorded whose node runs; 0: the call is the user's own */
    const char      *file;   /* of the call, set by the explainer; NULL: unknown; never freed */
    int              line;
} kt__mistake;

typedef struct kt__lineage_hooks {
    uint32_t (*record)(kt_reason why, const char *op, kt_dtype from, kt_dtype to, uint32_t parent); /* interned id */
    /* The lineage of a gradient with `dtype`: the chain of its tensor `of`, then a record with reason gradient. `had`: its
     * lineage now. */
    uint32_t (*gradient)(uint32_t of, uint32_t had, kt_dtype dtype);
    uint32_t (*like)(uint32_t id, uint32_t like, const char *op); /* the record, done here by op for the dtype of another's */
    const char *(*keep_text)(const char *text);  /* the same text, for good: what `record` takes as an op; NULL: no memory */
    bool     (*site_text)(uint32_t site, char *buffer, size_t room); /* "train.py:41" */
    void     (*explain)(kt__mistake *mistake);   /* appends to the pending error; sets fixes' words and the site */
    bool     (*in_binding)(void);                /* does a binding make the current call (not C)? */
    int      (*stack)(uint32_t *lines, int room); /* the lines that led to the current call, innermost first; how many */
} kt__lineage_hooks;
extern KT__HIDDEN kt__lineage_hooks kt__lineage;
/* The user's name of a row (refusal.c). In Python nn_cross_entropy is cross_entropy, linalg_norm is linalg.norm, and
 * quantile_number is an overload of quantile; in C it is the row's name. */
const char *kt__row_display_name(const kt_row *row, bool in_binding, char *room, size_t size);

#define KT__UNTRACKED UINT32_MAX /* the id of a record that did not fit into the table */

#ifdef KT_NO_LINEAGE
#define KT__RECORD(why, op, from, to, parent) ((void)(op), 0u)
#else
#define KT__RECORD(why, op, from, to, parent) \
    (kt__lineage.record ? kt__lineage.record((why), (op), (kt_dtype)(from), (kt_dtype)(to), (parent)) : 0u)
#endif

#endif
