/* run.h - what the engine is made of: gradients brought into form, and nodes run one at a time. */
#ifndef KT_GRAD_RUN_H
#define KT_GRAD_RUN_H

#include "grad/grad.h"

/* fit.c: both replace *g; on failure the old one stays. */
static inline bool kt__fits(const kt_tensor *g, const kt__edge *e)
{
    if ((kt_dtype)g->dtype != kt__gradient_dtype(e->dtype, g) || g->ndim != e->ndim)
        return false;
    for (int i = 0; i < e->ndim; i++)
        if (g->sizes[i] != e->sizes[i])
            return false;
    return true;
}
kt_status kt__fit(kt_tensor **g, const kt__edge *e);
kt_status kt__unbroadcast(kt_tensor **g, const kt__edge *e);

/* run.c: the gradients of a node's inputs. gs: of its results; d: NULLs on entry, owned on return. */
kt_status kt__check_node(kt_node *node); /* could it be run? */
kt_status kt__check_all_saved(kt_node *node); /* is all that it saved as it was? */
kt_status kt__run_node(kt_node *node, kt_tensor *const *gs, const bool *needs, bool history, kt_tensor **d);
kt_status kt__run_formula(kt_node *node, kt_tensor *const *gs, const bool *needs, bool history, kt_tensor **d);

/* accumulate.c: into .grad, of a leaf and of a result that keeps its own */
kt_status kt__accumulate(kt_tensor *leaf, kt_tensor *g, bool history);
kt_status kt__keep_grad(kt_tensor *t, kt_tensor *g);
uint32_t  kt__gradient_lineage(uint32_t of, const kt_tensor *g); /* of: the lineage of the tensor that g belongs to */

/* views.c: a write through a view, seen from the base. */
kt_status kt__run_slices(kt_node *node, kt_tensor *g, const bool *needs, bool history, kt_tensor **d);

/* hooks.c: what the gradients of a node's results go through when they are complete. */
kt_status kt__run_hooks(kt_node *node, kt_tensor **grads);
kt_status kt__run_hooks_after(kt_tensor *leaf); /* those that wait until the leaf's own gradient has been added to */

/* reach.c: which nodes lead to those that the caller asked for. */
typedef struct kt__reach {
    struct kt__reached *table; /* NULL: every node is wanted */
    size_t              n, capacity;
} kt__reach;
kt_status kt__reach_from(kt__reach *reach, kt_node *const *roots, int64_t n_roots, const kt__wanted *wanted, int64_t n_wanted);
bool      kt__reaches(const kt__reach *reach, const kt_node *node);
bool      kt__is_wanted(const kt__reach *reach, const kt_node *node); /* itself */
void      kt__reach_end(kt__reach *reach);

/* A walk over graphs that visits every node once, however many it starts from. */
typedef struct kt__walk {
    kt__reach        *reach;
    kt__reach         seen;
    struct kt__step  *stack;
    size_t            n, capacity;
    uint64_t          lowest; /* nodes with a smaller sequence number are left out */
    kt_status       (*visit)(kt_node *node, void *context); /* or NULL */
    void             *context;
} kt__walk;
void      kt__walk_begin(kt__walk *walk, kt_status (*visit)(kt_node *, void *), void *context);
kt_status kt__walk_from(kt__walk *walk, kt_node *node);
void      kt__walk_end(kt__walk *walk);
/* The node and all behind it whose sequence number is larger than `above`, each once. */
kt_status kt__visit_behind(kt_node *node, uint64_t above, kt_status (*visit)(kt_node *, void *), void *context);

#endif
