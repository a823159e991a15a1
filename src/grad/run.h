/* run.h - the parts of the engine: fitting gradients to inputs, running one node, hooks, walks over the graph. */
#ifndef KT_GRAD_RUN_H
#define KT_GRAD_RUN_H

#include "grad/grad.h"

/* fit.c: does a gradient have the sizes, dtype and device of its input? kt__fit replaces it by one that has; on failure it is
 * unchanged. */
static inline bool kt__fits(const kt_tensor *g, const kt__edge *e)
{
    const bool same = memcmp(&g->dtype, &e->dtype, KT__FORM_BYTES) == 0;
    if (KT__UNLIKELY(!same || kt__is_integer(e->dtype)) &&
        ((kt_dtype)g->dtype != kt__gradient_dtype(e->dtype, g) || g->ndim != e->ndim || g->backend != e->kind ||
         g->index != e->index))
        return false;
    for (int i = 0; i < e->ndim; i++)
        if (g->sizes[i] != e->sizes[i])
            return false;
    return true;
}
kt_status kt__fit(kt_tensor **g, const kt_node *node, uint32_t input);
/* Of a node with the bit `moved`: can the gradient be summed to the sizes of the result that it is for? whose: as below. */
kt_status kt__fits_made(const kt_tensor *g, const kt_node *made_by, uint32_t result, const char *whose, uint32_t which);
/* Brings a 0-dim gradient to the device; another must be there. whose: the function that gave it, or NULL: the caller. */
kt_status kt__fit_device(kt_tensor **g, kt_device device, const char *whose, uint32_t which);

/* run.c: nodes of any type. Errors of the functions with _node in their name say which call was recorded, and where. */
kt_status   kt__run_failed(const kt_node *node, kt_status status); /* adds that below the pending error */
kt_status   kt__fill_in(const kt_node *node, kt_tensor **grads);   /* zeros for missing gradients */
kt_status   kt__run_formula_seen(const kt_back *b);                /* by watchers */
static inline kt_status kt__run_node(const kt_back *b, kt_tensor **grads) /* grads: b->grads, writable */
{
    const kt_node_type *type = b->node->type;
    if (KT__UNLIKELY(type->flags & KT_NODE_ZEROS) && kt__fill_in(b->node, grads))
        return kt_error_status();
    const kt_status status = KT__UNLIKELY(kt__is_watching()) ? kt__run_formula_seen(b) : type->run(b);
    return KT__UNLIKELY(status || kt__failed()) ? kt__run_failed(b->node, status) : KT_OK;
}
kt_status   kt__check_node(kt_node *node);         /* can it run? */
kt_status   kt__check(kt_node *node);
kt_status   kt__check_places(const kt_node *node); /* fails if a saved tensor was modified */
kt_status   kt__fail_freed(void);                  /* PyTorch's error: the saved tensors were freed */
const char *kt__node_display_name(const kt_node *node, char *room, size_t size); /* the operator, or the node's name */

/* accumulate.c: adds to .grad of a non-leaf with retain_grad */
kt_status kt__keep_grad(kt_tensor *t, kt_tensor *g);
uint32_t  kt__gradient_lineage(uint32_t of, const kt_tensor *g); /* of: the lineage of g's tensor */

/* hooks.c: runs the hooks on the complete gradients of a node's results. */
kt_status kt__run_hooks(kt_node *node, kt_tensor **grads);
kt_status kt__run_hooks_after(kt_tensor *leaf); /* post-accumulate-grad hooks */

/* reach.c: which nodes lead to the nodes whose gradients are wanted. */
typedef struct kt__reach {
    struct kt__reached *table; /* NULL: all nodes */
    size_t              n, capacity;
} kt__reach;
kt_status kt__reach_from(kt__reach *reach, kt_node *const *roots, int64_t n_roots, const kt__wanted *wanted, int64_t n_wanted);
bool      kt__reaches(const kt__reach *reach, const kt_node *node);
bool      kt__is_wanted(const kt__reach *reach, const kt_node *node); /* is it a wanted node itself? */
void      kt__reach_end(kt__reach *reach);

/* A walk over the graph that visits every node once, from any number of starting nodes. */
typedef struct kt__walk {
    kt__reach        *reach;
    kt__reach         seen;
    struct kt__step  *stack;
    size_t            n, capacity;
    uint64_t          lowest; /* nodes with a smaller sequence number are skipped */
    kt_status       (*visit)(kt_node *node, void *context); /* or NULL */
    void             *context;
} kt__walk;
void      kt__walk_begin(kt__walk *walk, kt_status (*visit)(kt_node *, void *), void *context);
kt_status kt__walk_from(kt__walk *walk, kt_node *node);
bool      kt__walked(const kt__walk *walk, const kt_node *node); /* has it come there? */
void      kt__walk_end(kt__walk *walk);
/* Visits the node and all that it leads to with a sequence number larger than `above`, each once. */
kt_status kt__visit_behind(kt_node *node, uint64_t above, kt_status (*visit)(kt_node *, void *), void *context);

#endif
