/* cycle.c - breaks reference cycles: a tensor must not be kept alive by its own history. In: a tensor about to be written
 * in place, and the node that becomes its history. Out: where that history saved the tensor, it now saves an alias. Its
 * version is outdated as well, so backward fails with the same message. */
#include "grad/run.h"

/* Saved views keep their base alive, and so the history: they count as the tensor itself. */
static kt_status let_go(kt_node *node, const kt_tensor *base)
{
    for (uint32_t i = 0, n = kt__n_saved(node); i < n; i++) {
        if (!kt__is_saved(node, i))
            continue;
        kt__saved *s = kt__saved_at(node, i);
        if (!s->t || s->kind >= SAVED_RESULT || (s->t != base && s->t->base != base))
            continue;
        kt_tensor *alias = kt__tensor_alias(s->t);
        if (!alias)
            return kt_error_status();
        if (KT__UNLIKELY(kt__is_dual(s->t)) && kt__share_tangents(alias, s->t)) {
            kt__unref(alias);
            return kt_error_status();
        }
        alias->flags |= s->t->autograd && s->t->autograd->node ? 0 : s->t->flags & KT_T_VIEW_MADE;
        s->alias = s->t->base ? ALIAS_OF_VIEW : ALIAS_OF_WHOLE;
        kt__replace(&s->t, alias);
    }
    return kt__inner(node) ? let_go(node->inner, base) : KT_OK;
}

static kt_status visit(kt_node *node, void *context) { return let_go(node, context); }

static bool is_held_once(const kt_tensor *t) { return atomic_load_explicit(&t->refs, memory_order_relaxed) == 1; }

kt_status kt__break_cycle(kt_node *node, kt_tensor *out)
{
    kt_tensor *base = out->base ? out->base : out;
    atomic_store_explicit(&base->storage->writer, out->base ? KT_WRITER_SLICES : node->row ? node->row->id : KT_WRITER_CUSTOM,
                          memory_order_relaxed);
    /* A tensor with one owner was not saved; a view only if it is also the only owner of its base. */
    if (is_held_once(out) && is_held_once(base))
        return KT_OK;
    /* A node that saved it since its last write has an edge to that write, and so a larger sequence number. One that
     * saved it earlier and takes part only now is not found: searching for it would traverse the whole history at each
     * write. */
    const kt_node *maker = base->autograd ? base->autograd->node : NULL;
    return kt__visit_behind(node, maker ? maker->sequence : 0, visit, base);
}
