/* grad.c - the public accessors of gradients and of the recorded graph. */
#include "grad/grad.h"

bool kt_requires_grad(const kt_tensor *t) { return t && kt__grad_flags(t) & KT_T_REQUIRES_GRAD; }
bool kt_is_leaf(const kt_tensor *t)
{
    if (!t || !kt_requires_grad(t))
        return t != NULL;
    const kt_node *node = t->autograd ? t->autograd->node : NULL; /* a leaf that hooks kept has its accumulator */
    return t->flags & KT_T_LEAF && !(node && !kt__is_accumulator(node)) && !kt__view_stale(t);
}

kt_status kt_set_requires_grad(kt_tensor *t, bool on)
{
    if (!t)
        return kt_fail(KT_ERR_TYPE, "expected a tensor, got NULL");
    if (!on && !kt_is_leaf(t))
        return kt_fail(KT_ERR_RUNTIME,
                       "you can only change requires_grad flags of leaf variables. If you want to use a computed "
                       "variable in a subgraph that doesn't require differentiation use var_no_grad = var.detach().");
    if (on && !kt_may_require_grad((kt_dtype)t->dtype))
        return kt_refuse_grad(t, "requires_grad_", KT_FIX_CAST,
                              "only Tensors of floating point dtype can require gradients");
    if (on && t->flags & KT_T_INFERENCE && !kt__born_flags)
        return kt_fail(KT_ERR_RUNTIME, "Setting requires_grad=True on inference tensor outside InferenceMode is not allowed.");
    if (on)
        t->flags |= KT_T_REQUIRES_GRAD;
    else
        t->flags &= ~(uint32_t)KT_T_REQUIRES_GRAD;
    return on && !kt__autograd_of(t) ? kt_error_status() : KT_OK; /* allocated before threads share the leaf */
}

kt_tensor *kt_detach_(kt_tensor *t)
{
    if (kt__failed())
        return NULL;
    if (!t || t->flags & KT_T_VIEW) {
        if (t)
            kt_fail(KT_ERR_RUNTIME,
                    "Can't detach views in-place. Use detach() instead. If you are using DistributedDataParallel (DDP) for "
                    "training, and gradient_as_bucket_view is set as True, gradients are views of DDP buckets, and hence "
                    "detach_() cannot be called on these gradients. To fix this error, please refer to the "
                    "Optimizer.zero_grad() function in torch/optim/optimizer.py as the solution.");
        else
            kt_fail(KT_ERR_TYPE, "expected a tensor, got NULL");
        return NULL;
    }
    if (t->autograd && t->autograd->retain) {
        t->autograd->retained = true;
        kt__retain_end(t->autograd);
    }
    if (t->autograd) {
        kt__node_unref(t->autograd->node);
        t->autograd->node = NULL;
        t->autograd->result = 0;
    }
    if (KT__UNLIKELY(kt__is_dual(t)))
        kt__drop_tangents(t);
    t->flags = (t->flags | KT_T_LEAF) & ~(uint32_t)KT_T_REQUIRES_GRAD;
    return t;
}

kt_tensor *kt_grad(const kt_tensor *t) { return t && t->autograd ? t->autograd->grad : NULL; }

static uint32_t own_dtype(const kt_tensor *t) { return t->autograd && !t->autograd->node ? t->autograd->grad_dtype : 0; }

kt_dtype kt_grad_dtype(const kt_tensor *t)
{
    if (!t || !kt_is_leaf(t)) {
        kt_fail(t ? KT_ERR_RUNTIME : KT_ERR_TYPE,
                t ? "grad_dtype can only be accessed on leaf tensors." : "expected a tensor, got NULL");
        return KT_NONE;
    }
    return own_dtype(t) ? (kt_dtype)(own_dtype(t) - 1) : (kt_dtype)t->dtype;
}

kt_status kt_set_grad_dtype(kt_tensor *t, kt_dtype dtype)
{
    if (!t)
        return kt_fail(KT_ERR_TYPE, "expected a tensor, got NULL");
    if (!kt_is_leaf(t))
        return kt_fail(KT_ERR_RUNTIME, "grad_dtype can only be set on leaf tensors.");
    if (dtype != KT_NONE && !kt__dtype_valid(dtype))
        return kt_fail(KT_ERR_TYPE, "there is no dtype %d", (int)dtype);
    const kt_tensor *grad = kt_grad(t);
    if (grad && dtype != KT_NONE && (kt_dtype)grad->dtype != dtype)
        return kt_fail(KT_ERR_RUNTIME,
                       "Cannot set grad_dtype to '%s' because there is already a gradient with dtype '%s'. Please clear the "
                       "gradient (.grad = None) before changing grad_dtype, or ensure the new grad_dtype matches the existing "
                       "gradient's dtype.",
                       kt_dtype_torch_name(dtype), kt_dtype_c_name(grad->dtype));
    struct kt_autograd *a = kt__autograd_of(t);
    if (!a)
        return kt_error_status();
    a->grad_dtype = 1 + (uint32_t)dtype;
    if (a->accumulator)
        a->accumulator->own_dtype = true;
    return KT_OK;
}

static kt_status refuse_dtype_of(const kt_tensor *grad, kt_dtype wanted)
{
    char text[640];
    snprintf(text, sizeof text,
             "attempting to assign a gradient with dtype '%s' to a tensor with grad_dtype '%s'. The gradient must match the "
             "tensor's grad_dtype (defaults to the tensor's dtype). You can set the tensor's grad_dtype attribute with a "
             "specific dtype, or None to allow any dtype. Set grad_dtype with caution. Diverging the dtypes of a tensor and "
             "its gradient may break downstream systems that assume they match.",
             kt_dtype_c_name(grad->dtype), kt_dtype_torch_name(wanted));
    return kt_refuse_dtype(KT_ERR_RUNTIME, grad, "grad", KT_FIX_CAST, wanted, text);
}

kt_status kt_set_grad(kt_tensor *t, kt_tensor *grad)
{
    if (!t)
        return kt_fail(KT_ERR_TYPE, "expected a tensor, got NULL");
    if (grad == t)
        return kt_fail(KT_ERR_RUNTIME, "can't assign Variable as its own grad");
    const bool     any = own_dtype(t) ? own_dtype(t) - 1 == KT_NONE : kt__is_integer(t->dtype) && kt_requires_grad(t);
    const kt_dtype wanted = own_dtype(t) ? (kt_dtype)(own_dtype(t) - 1) : (kt_dtype)t->dtype;
    if (grad && (kt_dtype)grad->dtype != wanted && !any)
        return refuse_dtype_of(grad, wanted);
    if (grad && grad->backend != t->backend)
        return kt_fail(KT_ERR_RUNTIME,
                       "attempting to assign a gradient with device type '%s' to a tensor with device type '%s'. Please "
                       "ensure that the gradient and the tensor are on the same device",
                       kt__backend(grad->backend)->name, kt__backend(t->backend)->name);
    if (grad && !kt__same_sizes(grad, t)) {
        return kt_fail(KT_ERR_RUNTIME,
                       "attempting to assign a gradient of size '%s' to a tensor of size '%s'. Please ensure that the "
                       "gradient and the "
                       "tensor are the same size",
                       KT__SIZES_TEXT(grad), KT__SIZES_TEXT(t));
    }
    struct kt_autograd *a = grad ? kt__autograd_of(t) : t->autograd;
    if (grad && !a)
        return kt_error_status();
    if (!a)
        return KT_OK;
    if (grad)
        kt__ref(grad);
    kt__replace(&a->grad, grad);
    return KT_OK;
}

/* ---- the graph ---- */

kt_node *kt_grad_fn(const kt_tensor *t)
{
    kt_node *node = NULL;
    uint32_t result = 0;
    if (!t || kt_is_leaf(t) || kt__producer((kt_tensor *)(uintptr_t)t, &node, &result))
        return NULL;
    if (kt__note_form_of(node, t)) {
        kt__node_unref(node);
        return NULL;
    }
    return node;
}

const char *kt_grad_fn_name(const kt_tensor *t)
{
    kt_node *node = NULL;
    uint32_t result = 0;
    if (!t || kt_is_leaf(t) || kt__producer((kt_tensor *)(uintptr_t)t, &node, &result))
        return "";
    const char *name = kt__node_name(node); /* the tensor keeps the node alive; the name is the row's */
    kt__node_unref(node);
    return name;
}

int64_t kt_output_nr(const kt_tensor *t) { return t && t->autograd && t->autograd->node ? t->autograd->result : 0; }

const char *kt_node_name(const kt_node *node) { return node ? kt__node_name(node) : ""; }
int64_t     kt_node_inputs(const kt_node *node) { return node ? node->n_edges : 0; }

kt_node *kt_node_input(const kt_node *node, int64_t i, int64_t *result)
{
    kt_node *to = node && i >= 0 && i < node->n_edges ? node->edge[i].to : NULL;
    if (result)
        *result = to ? node->edge[i].result : 0;
    return to && !kt__note_form_at(to, &node->edge[i]) ? kt__node_ref(to) : NULL;
}

kt_tensor *kt_node_leaf(const kt_node *node) { return node && kt__is_accumulator(node) ? node->leaf : NULL; }
void       kt_node_drop(kt_node *node) { kt__node_unref(node); }
