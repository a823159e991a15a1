/* grad.c - the public questions about gradients, and backward's front door. */
#include <karat/grad.h>

#include "grad/grad.h"
#include "op/wrap.h"

bool kt_requires_grad(const kt_tensor *t) { return t && kt__grad_flags(t) & KT_T_REQUIRES_GRAD; }
bool kt_is_leaf(const kt_tensor *t)
{
    return t && (!kt_requires_grad(t) || (t->flags & KT_T_LEAF && !(t->autograd && t->autograd->node)));
}

kt_status kt_set_requires_grad(kt_tensor *t, bool on)
{
    if (!t)
        return kt_fail(KT_ERR_TYPE, "expected a tensor, got NULL");
    if (!on && !kt_is_leaf(t))
        return kt_fail(KT_ERR_RUNTIME,
                       "you can only change requires_grad flags of leaf variables. If you want to use a computed "
                       "variable in a subgraph that doesn't require differentiation use var_no_grad = var.detach().");
    if (on && !(kt_dtype_category((kt_dtype)t->dtype) & (KT_CAT_FLOAT | KT_CAT_COMPLEX)))
        return kt_fail(KT_ERR_RUNTIME, "only Tensors of floating point dtype can require gradients");
    if (on)
        t->flags |= KT_T_REQUIRES_GRAD;
    else
        t->flags &= ~(uint32_t)KT_T_REQUIRES_GRAD;
    return KT_OK;
}

kt_tensor *kt_grad(const kt_tensor *t) { return t && t->autograd ? t->autograd->grad : NULL; }

kt_status kt_set_grad(kt_tensor *t, kt_tensor *grad)
{
    if (!t)
        return kt_fail(KT_ERR_TYPE, "expected a tensor, got NULL");
    if (grad && grad->dtype != t->dtype)
        return kt_fail(KT_ERR_RUNTIME,
                       "attempting to assign a gradient with dtype '%s' to a tensor with grad_dtype '%s'. The gradient "
                       "must match the "
                       "tensor's grad_dtype (defaults to the tensor's dtype). You can set the tensor's grad_dtype "
                       "attribute with a "
                       "specific dtype, or None to allow any dtype. Set grad_dtype with caution. Diverging the dtypes "
                       "of a tensor and "
                       "its gradient may break downstream systems that assume they match.",
                       kt_dtype_c_name(grad->dtype), kt_dtype_torch_name(t->dtype));
    if (grad && !kt__same_sizes(grad, t)) {
        char has[256], wants[256];
        kt__shape_text(has, sizeof has, kt__sizes(grad));
        kt__shape_text(wants, sizeof wants, kt__sizes(t));
        return kt_fail(KT_ERR_RUNTIME,
                       "attempting to assign a gradient of size '%s' to a tensor of size '%s'. Please ensure that the "
                       "gradient and the "
                       "tensor are the same size",
                       has, wants);
    }
    struct kt_autograd *a = grad ? kt__autograd_of(t) : t->autograd;
    if (grad && !a)
        return kt_error_status();
    if (!a)
        return KT_OK;
    if (grad)
        kt__ref(grad);
    kt__unref(a->grad);
    a->grad = grad;
    return KT_OK;
}

const char *kt_grad_fn_name(const kt_tensor *t)
{
    kt_node *node = NULL;
    if (!t || kt_is_leaf(t) || kt__producer((kt_tensor *)(uintptr_t)t, &node) || !node)
        return NULL;
    const char *name = kt__node_name(node);
    kt__node_unref(node);
    return name;
}

kt_status kt_backward_kw(kt_tensor *t, const kt_backward_opts *opts)
{
    if (kt__failed())
        return kt_error_status();
    if (!t)
        return kt_fail(KT_ERR_TYPE, "expected a tensor, got NULL");
    if (!kt_requires_grad(t))
        return kt_fail(KT_ERR_RUNTIME, "element 0 of tensors does not require grad and does not have a grad_fn");
    kt_tensor *gradient = opts && opts->gradient ? (kt_tensor *)(uintptr_t)opts->gradient : NULL, *seed = NULL;
    if (!gradient && t->numel != 1)
        return kt_fail(KT_ERR_RUNTIME, "grad can be implicitly created only for scalar outputs");
    if (!gradient && kt_dtype_category((kt_dtype)t->dtype) == KT_CAT_COMPLEX)
        return kt_fail(KT_ERR_RUNTIME, "grad can be implicitly created only for real scalar outputs but got torch.%s",
                       kt_dtype_name((kt_dtype)t->dtype));
    if (gradient && !kt__same_sizes(gradient, t)) {
        char has[256], wants[256];
        kt__shape_text(has, sizeof has, kt__sizes(gradient));
        kt__shape_text(wants, sizeof wants, kt__sizes(t));
        return kt_fail(KT_ERR_RUNTIME,
                       "Mismatch in shape: grad_output[0] has a shape of torch.Size(%s) and output[0] has a shape of "
                       "torch.Size(%s).",
                       has, wants);
    }
    if (gradient) {
        if (kt_convert(gradient, (kt_dtype)t->dtype, KT_WHY_GRADIENT, &seed))
            return kt_error_status();
    } else {
        seed = kt__tensor_new((kt_dtype)t->dtype, kt__device(t), kt__sizes(t));
        if (!seed || kt__fill_with(seed, KT_INT(1))) {
            kt__unref(seed);
            return kt_error_status();
        }
        seed->lineage = t->lineage;
    }
    bool      create = opts && opts->create_graph, retain = create || (opts && opts->retain_graph);
    kt_status status = kt__backward(t, seed, retain, create);
    kt__unref(seed);
    return status;
}
