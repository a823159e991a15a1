/* run.c - runs one node of any type, checks whether it can run, and adds the forward call to its errors. Independent of:
 * order, accumulation and fitting of gradients. */
#include "grad/run.h"

#include "base/scope.h"
#include "call/wrap.h"

kt_status kt__fail_freed(void)
{
    return kt_fail(
        KT_ERR_RUNTIME,
        "Trying to backward through the graph a second time (or directly access saved tensors after they have already "
        "been freed). Saved intermediate values of the graph are freed when you call .backward() or autograd.grad(). "
        "Specify retain_graph=True if you need to backward through the graph a second time or if you need to access "
        "saved tensors after calling backward.");
}

const char *kt__node_display_name(const kt_node *node, char *room, size_t size)
{
    return node->row ? kt__row_display_name(node->row, kt__lineage.in_binding && kt__lineage.in_binding(), room, size)
                     : kt__node_name(node);
}

/* An error in backward shows the operator and line of the forward call, an exception of a binding beside its own text. */
KT__COLD kt_status kt__run_failed(const kt_node *node, kt_status status)
{
    char site[128], op[64];
    if (!kt__failed())
        kt_fail(status, "the backward of %s failed", kt__node_display_name(node, op, sizeof op));
    if (kt__lineage.site_text && kt__lineage.site_text(node->site, site, sizeof site))
        kt_fail_more("\n  in the backward of %s, recorded at %s", kt__node_display_name(node, op, sizeof op), site);
    return kt_error_status();
}

KT__COLD kt_status kt__run_formula_seen(const kt_back *b)
{
    kt_span span = {.kind = KT_SPAN_FORMULA, .name = kt__node_name(b->node), .grads = b->grads, .n_grads = b->node->n_results,
                    .sequence = kt_node_sequence(b->node)};
    if (!kt__is_seen())
        return b->node->type->run(b);
    kt__tell_enter(&span);
    const kt_status status = b->node->type->run(b);
    kt__tell_leave(&span, status);
    return status;
}

kt_status kt__check_places(const kt_node *node)
{
    for (uint32_t place = 0, n = kt__n_saved(node); place < n; place++)
        if (kt__is_saved(node, place) && kt__check_saved(node, place))
            return kt_error_status();
    return KT_OK;
}

kt_status kt__check(kt_node *node)
{
    if (node->type->check)
        return node->type->check(node);
    return node->released ? kt__fail_freed() : kt__check_places(node);
}

kt_status kt__check_node(kt_node *node)
{
    kt_status status = kt__check(node);
    return KT__UNLIKELY(status) ? kt__run_failed(node, status) : KT_OK;
}

kt_status kt__fill_in(const kt_node *node, kt_tensor **grads)
{
    for (uint32_t i = 0; i < node->n_results; i++) {
        const kt__form *form = &node->results[i];
        if (grads[i])
            continue;
        grads[i] = kt__tensor_new((kt_dtype)form->dtype, form->device, (kt_shape){form->ndim, form->sizes});
        if (!grads[i] || kt__fill_new(grads[i], KT_INT(0)))
            return kt_error_status(); /* the queue owns and drops them */
    }
    return KT_OK;
}
