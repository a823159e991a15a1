/* grad.c - the public questions about gradients, and backward's front door. */
#include <karat/grad.h>

#include <string.h>

#include "base/alloc.h"
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
    uint32_t result = 0;
    if (!t || kt_is_leaf(t) || kt__producer((kt_tensor *)(uintptr_t)t, &node, &result) || !node)
        return NULL;
    const char *name = kt__node_name(node);
    kt__node_unref(node);
    return name;
}

/* The gradient that a root starts with, in its dtype; owned. */
static kt_status seed_of(kt_tensor *t, kt_tensor *gradient, int64_t which, kt_tensor **seed)
{
    if (!t)
        return kt_fail(KT_ERR_TYPE, "expected a tensor, got NULL");
    if (!kt_requires_grad(t))
        return kt_fail(KT_ERR_RUNTIME, "element %lld of tensors does not require grad and does not have a grad_fn",
                       (long long)which);
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
                       "Mismatch in shape: grad_output[%lld] has a shape of torch.Size(%s) and output[%lld] has a "
                       "shape of torch.Size(%s).",
                       (long long)which, has, (long long)which, wants);
    }
    if (gradient)
        return kt_convert(gradient, (kt_dtype)t->dtype, KT_WHY_GRADIENT, seed);
    *seed = kt__tensor_new((kt_dtype)t->dtype, kt__device(t), kt__sizes(t));
    if (!*seed || kt__fill_with(*seed, KT_INT(1))) {
        kt__unref(*seed);
        *seed = NULL;
        return kt_error_status();
    }
    (*seed)->lineage = t->lineage;
    return KT_OK;
}

kt_status kt_backward_kw(kt_tensor *t, const kt_backward_opts *opts)
{
    kt__root root = {t, NULL};
    if (kt__failed())
        return kt_error_status();
    if (seed_of(t, opts ? (kt_tensor *)(uintptr_t)opts->gradient : NULL, 0, &root.grad))
        return kt_error_status();
    bool      create = opts && opts->create_graph, retain = create || (opts && opts->retain_graph);
    kt__job   job = {.root = &root, .n_roots = 1, .retain_graph = retain, .create_graph = create};
    kt_status status = kt__backward(&job);
    kt__unref(root.grad);
    return status;
}

static kt_status check_wanted(kt_tensor *const *inputs, int64_t n)
{
    for (int64_t i = 0; i < n; i++)
        if (!inputs[i])
            return kt_fail(KT_ERR_TYPE, "expected a tensor, got NULL");
    for (int64_t i = 0; i < n; i++)
        if (!kt_requires_grad(inputs[i]))
            return kt_fail(KT_ERR_RUNTIME, "One of the differentiated Tensors does not require grad");
    return KT_OK;
}

kt_status kt_gradients(kt_tensor *const *outputs, kt_tensor *const *gradients, int64_t n_outputs, kt_tensor *const *inputs,
                       int64_t n_inputs, const kt_gradients_opts *opts, kt_tensor **results)
{
    const size_t root_bytes = (size_t)n_outputs * sizeof(kt__root), bytes = root_bytes + (size_t)n_inputs * sizeof(kt__wanted);
    if (kt__failed())
        return kt_error_status();
    char *room = kt__system_get(bytes ? bytes : 1);
    if (!room)
        return kt__fail_memory(bytes);
    memset(room, 0, bytes);
    kt__root   *root = (kt__root *)(void *)room;
    kt__wanted *wanted = (kt__wanted *)(void *)(room + root_bytes);
    kt_status   status = KT_OK;
    for (int64_t i = 0; !status && i < n_outputs; i++) {
        root[i].t = outputs[i];
        status = seed_of(outputs[i], gradients ? gradients[i] : NULL, i, &root[i].grad);
    }
    if (!status)
        status = check_wanted(inputs, n_inputs);
    for (int64_t i = 0; i < n_inputs; i++)
        wanted[i].t = inputs[i];
    const bool create = opts && opts->create_graph;
    kt__job    job = {.root = root, .n_roots = n_outputs, .wanted = wanted, .n_wanted = n_inputs, .create_graph = create,
                      .retain_graph = create || (opts && opts->retain_graph)};
    if (!status)
        status = kt__backward(&job);
    for (int64_t i = 0; !status && i < n_inputs; i++)
        if (!wanted[i].grad && !(opts && opts->allow_unused))
            status = kt_fail(KT_ERR_RUNTIME, "One of the differentiated Tensors appears to not have been used in the "
                                             "graph. Set allow_unused=True if this is the desired behavior.");
    for (int64_t i = 0; i < n_inputs; i++) {
        results[i] = status ? NULL : wanted[i].grad;
        if (status)
            kt__unref(wanted[i].grad);
    }
    for (int64_t i = 0; i < n_outputs; i++)
        kt__unref(root[i].grad);
    kt__system_put(room, bytes ? bytes : 1);
    return status;
}
