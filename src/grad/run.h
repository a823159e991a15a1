/* run.h - what the engine is made of: gradients brought into form, and nodes run one at a time. */
#ifndef KT_GRAD_RUN_H
#define KT_GRAD_RUN_H

#include "grad/grad.h"

/* fit.c: does a gradient have the form of that input; and replaced by one that has. On failure the old one stays. */
static inline bool kt__fits(const kt_tensor *g, const kt__edge *e)
{
    if ((kt_dtype)g->dtype != kt__gradient_dtype(e->dtype, g) || g->ndim != e->ndim)
        return false;
    for (int i = 0; i < e->ndim; i++)
        if (g->sizes[i] != e->sizes[i])
            return false;
    return true;
}
kt_status kt__fit(kt_tensor **g, const kt_node *node, uint32_t input);

/* run.c: nodes, whatever their type. The engine asks those with _node: their errors say which call was recorded, and where. */
kt_status   kt__run_failed(const kt_node *node, kt_status status); /* says so below the pending error */
kt_status   kt__fill_in(const kt_node *node, kt_tensor **grads);   /* zeros where no gradient arrived */
static inline kt_status kt__run_node(const kt_back *b, kt_tensor **grads) /* grads: those of `b` */
{
    const kt_node_type *type = b->node->type;
    if (KT__UNLIKELY(type->flags & KT_NODE_ZEROS) && kt__fill_in(b->node, grads))
        return kt_error_status();
    kt_status status = type->run(b);
    return KT__UNLIKELY(status || kt__failed()) ? kt__run_failed(b->node, status) : KT_OK;
}
kt_status   kt__check_node(kt_node *node);         /* could it run? */
kt_status   kt__check(kt_node *node);
kt_status   kt__check_places(const kt_node *node); /* is all that it saved as it was? */
kt_status   kt__fail_freed(void);                  /* what it saved is gone */
const char *kt__node_said(const kt_node *node, char *room, size_t size); /* the operator, or what else the node is called */

/* accumulate.c: into .grad of a result that keeps its own */
kt_status kt__keep_grad(kt_tensor *t, kt_tensor *g);
uint32_t  kt__gradient_lineage(uint32_t of, const kt_tensor *g); /* of: the lineage of the tensor that g belongs to */

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
