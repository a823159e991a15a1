/* batch.h - vmap: calls of tensors that stand for one example of many (kt__example).
 *
 * In: a call with such an operand. Out: the same call of the values that hold all examples, and its results as one example each.
 * The tape is above: a call is recorded with the sizes of one example, then its values are called, which is recorded again if an
 * outer graph wants it. So derivatives know nothing of batches.
 *
 *   call -> run.c: level, tape -> the row's rule (tables/batch.def) -> kt_call_run of the values -> results */
#ifndef KT_BATCH_BATCH_H
#define KT_BATCH_BATCH_H

#include <karat/batch.h>

#include "call/call.h"
#include "call/wrap.h"

/* ---- levels ---- */
typedef struct kt__level {
    struct kt__level *outer;
    int64_t           size; /* examples */
    uint32_t          id;   /* never used twice; an inner level has a higher one */
    uint8_t           randomness;
    uint8_t           floor; /* levels of forward mode that were open when it began: their tangents belong to the values */
} kt__level;
extern KT__HOT_LOCAL kt__level *kt__innermost; /* NULL: no level is open */

/* What is called until kt__level_return runs outside of the level `id`. Gives what to return to. */
kt__level *kt__level_leave(uint32_t id);
void       kt__level_return(kt__level *to);
kt__level *kt__level_of(uint32_t id); /* NULL: it has ended, or is another thread's */
int        kt__level_floor(uint32_t id);

void kt__batch_init(void);

/* ---- one call ---- */
typedef struct kt__lift {
    kt_call *call;  /* as the user wrote it: its tensors show one example */
    kt_call  inner; /* the call of the values, which the rule makes: its results are the rule's */
    uint32_t level;
    int64_t  size;  /* examples */
    int      dim;   /* where the results have them */
    uint8_t  randomness;
    kt_tensor **listed; /* room for the lists of the inner call; freed with the call */
    int64_t     n_listed, n_used;
} kt__lift;

/* A rule runs inside a scope, which owns what it makes on the way. */
typedef kt_status (*kt__batch_rule)(kt__lift *l);
#define BATCH_RULE(NAME, name, draws) kt_status kt__batch_##name(kt__lift *l);
#include "tables/batch_rules.def"

typedef struct kt__batch_line { /* of tables/batch.def */
    uint8_t  rule;
    uint8_t  rank[2]; /* of the first two operands; 0: any */
    uint16_t row;     /* that the rule calls: the row itself, or another */
} kt__batch_line;
kt__batch_line kt__batch_line_of(const kt_row *row);

static inline bool kt__at_level(const kt_tensor *t, uint32_t level)
{
    return t && t->flags & KT_T_BATCHED && kt__example_of(t)->level == level;
}

kt_status kt__batch_joined(kt__lift *l); /* of CONVOLUTION: images that join the batch */

/* ---- values (values.c). NULL after an error; owned by the scope ---- */
/* The value of t with its examples in dim 0, then as many dims of size 1 as one example lacks to have `rank`. What is not of the
 * level is given back as it is. */
kt_tensor *kt__lifted(const kt__lift *l, kt_tensor *t, int rank);
kt_tensor *kt__lifted_all(const kt__lift *l, kt_tensor *t); /* the same; what is not of the level is repeated */
/* Puts the lifted tensors into the inner call; `all`: every tensor gets the examples. Lists, too. */
kt_status  kt__lift_tensors(kt__lift *l, int rank, bool all);
/* How many of the call's tensors are of the level, lists counted by element; `first`: the argument of the first. */
int        kt__count_lifted(const kt__lift *l, int *first);

#endif
