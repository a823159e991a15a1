/* accumulate.c - accumulates complete gradients: into .grad of a leaf, or of a result with retain_grad. In: the gradient,
 * with the tensor's sizes and dtype. Out: .grad, in the layout that PyTorch documents: the leaf's if that is dense, else
 * row-major; an existing .grad keeps its layout. */
#include "grad/lanes.h"
#include "grad/run.h"

#include "call/wrap.h"

/* A gradient has the dtype of its tensor, and its lineage: the tensor's chain, then one record with reason gradient and
 * the dtype it was cast from, if any. */
uint32_t kt__gradient_lineage(uint32_t of, const kt_tensor *g)
{
    return kt__lineage.gradient ? kt__lineage.gradient(of, g->lineage, (kt_dtype)g->dtype) : g->lineage;
}

static kt_status replace(kt_tensor *t, kt_tensor *grad) /* steals the reference */
{
    if (!t->autograd->grad || t->autograd->grad->dtype != grad->dtype)
        grad->lineage = kt__gradient_lineage(t->lineage, grad);
    else
        grad->lineage = t->autograd->grad->lineage;
    kt__lane_hand_out(grad);
    kt__replace(&t->autograd->grad, grad);
    return KT_OK;
}

static kt_status sum_of(kt_tensor *t, kt_tensor *g)
{
    kt_tensor *sum = NULL;
    return kt__call2(KT_OP_add, t->autograd->grad, g, &sum) ? kt_error_status() : replace(t, sum);
}

static kt_status write(int op, kt_tensor *to, kt_tensor *from)
{
    kt__lane_hand_out(to);
    kt_call c;
    kt__open(&c, op, KT_INPLACE);
    kt__put_tensor(&c, 0, to);
    kt__put_tensor(&c, 1, from);
    if (kt_call_run(&c))
        return kt_error_status();
    kt__unref(c.out[0]);
    return KT_OK;
}

/* ---- the layout of a first gradient ---- */

static bool has_layout_of(const kt_tensor *g, const kt_tensor *leaf)
{
    for (int i = 0; i < g->ndim; i++)
        if (g->strides[i] == 0 && leaf->strides[i] != 0) /* strides of an expansion are not kept, even of one element */
            return false;
    if ((kt__is_contiguous(leaf) && leaf->numel) || !kt__is_dense(kt__sizes(leaf), kt__strides(leaf)))
        return kt__is_contiguous(g);
    for (int i = 0; i < g->ndim; i++)
        if (g->sizes[i] != 1 && g->strides[i] != leaf->strides[i])
            return false;
    return true;
}

/* Is the gradient's memory unshared, so that it may be added to in place? A view is unshared if it is the only owner of
 * its base. */
static bool is_alone(const kt_tensor *g)
{
    const bool view = g->flags & KT_T_VIEW;
    return !kt_is_shared(g) && !(view && kt_is_shared(g->base)) &&
           atomic_load_explicit(&g->storage->refs, memory_order_acquire) == (view ? 2 : 1);
}

static kt_status take_over(kt_tensor *leaf, kt_tensor *g)
{
    kt_tensor *own = g->flags & KT_T_VIEW ? kt__tensor_alias(g) : kt__ref(g);
    if (own && own != g && KT__UNLIKELY(kt__is_dual(g)) && kt__share_tangents(own, g)) {
        kt__unref(own);
        return kt_error_status();
    }
    return own ? replace(leaf, own) : kt_error_status();
}

static kt_status copy_of(kt_tensor *leaf, kt_tensor *g)
{
    int64_t  strides[KT_MAX_DIMS];
    kt_shape sizes = kt__sizes(leaf), layout = kt__strides(leaf);
    if (!kt__is_dense(sizes, layout)) {
        kt__dense_strides(sizes, strides);
        layout.d = strides;
    }
    kt_tensor *copy = kt__tensor_new_strided((kt_dtype)g->dtype, kt__device(g), sizes, layout);
    if (!copy || write(KT_OP_copy, copy, g)) {
        kt__unref(copy);
        return kt_error_status();
    }
    copy->lineage = g->lineage;
    kt__count_anew(copy);
    return replace(leaf, copy);
}

/* Integer and bool gradients, which a caller may pass for an integer leaf, cannot hold the sum. */
static bool holds_sums(const kt_tensor *grad)
{
    return kt__dtype_rows[grad->dtype].category & (KT_CAT_FLOAT | KT_CAT_COMPLEX);
}

static kt_status accumulate(kt_tensor *leaf, kt_tensor *g, bool history)
{
    struct kt_autograd *a = kt__autograd_of(leaf);
    if (!a)
        return kt_error_status();
    if (KT__UNLIKELY(!(kt__grad_flags(leaf) & KT_T_REQUIRES_GRAD))) /* requires_grad was cleared meanwhile */
        return KT_OK;
    if (KT__UNLIKELY(!kt__same_sizes(leaf, g))) { /* `data` of other sizes was set meanwhile */
        int64_t sizes[KT_MAX_DIMS];
        int     ndim;
        return kt__broadcast((kt_tensor *[]){leaf, g}, 2, sizes, &ndim) ? kt_error_status()
                                                                         : kt_fail(KT_ERR_RUNTIME, "a leaf has got other sizes "
                                                                                   "than those that its gradient has");
    }
    if (a->grad)
        return history || !holds_sums(a->grad) ? sum_of(leaf, g) : write(KT_OP_add, a->grad, g);
    return !history && has_layout_of(g, leaf) && is_alone(g) ? take_over(leaf, g) : copy_of(leaf, g);
}

kt_status kt__keep_grad(kt_tensor *t, kt_tensor *g)
{
    kt_call c;
    if (!kt__autograd_of(t))
        return kt_error_status();
    if (t->autograd->grad)
        return sum_of(t, g);
    kt__open(&c, KT_OP_clone, KT_PLAIN);
    kt__put_tensor(&c, 0, g);
    kt__put(&c, 1, format, KT_CONTIGUOUS_FORMAT);
    return kt_call_run(&c) ? kt_error_status() : replace(t, c.out[0]);
}

/* ---- the node of a leaf ---- */

KT__HOT static kt_status run(const kt_back *b) { return accumulate(b->node->leaf, b->grads[0], b->create_graph); }

static void release(kt_node *node) { kt__unref(node->leaf); }

const kt_node_type kt__node_accumulate = {
    .abi = KT_NODE_ABI, .size = sizeof(kt_node_type), .name = "AccumulateGrad",
    .run = run, .release = release,
};
