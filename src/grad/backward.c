/* backward.c - the entry points of backward: argument checks with PyTorch's messages. engine.c does the traversal. */
#include <string.h>

#include "base/warn.h"
#include "call/wrap.h"
#include "grad/run.h"

static kt_status check_shape(const kt_tensor *t, const kt_tensor *gradient, int64_t which)
{
    if (kt__same_sizes(gradient, t))
        return KT_OK;
    return kt_fail(KT_ERR_RUNTIME,
                   "Mismatch in shape: grad_output[%lld] has a shape of torch.Size(%s) and output[%lld] has a shape of "
                   "torch.Size(%s).",
                   (long long)which, KT__SIZES_TEXT(gradient), (long long)which, KT__SIZES_TEXT(t));
}

static kt_status check_complex(const kt_tensor *t, const kt_tensor *gradient, int64_t which)
{
    bool here = kt__dtype_rows[t->dtype].category == KT_CAT_COMPLEX;
    bool there = kt__dtype_rows[gradient->dtype].category == KT_CAT_COMPLEX;
    if (t->dtype == gradient->dtype || !(here || there))
        return KT_OK;
    char text[320];
    snprintf(text, sizeof text,
             "For complex Tensors, both grad_output and output are required to have the same dtype. Mismatch in dtype: "
             "grad_output[%lld] has a dtype of torch.%s and output[%lld] has a dtype of torch.%s.",
             (long long)which, kt_dtype_name((kt_dtype)gradient->dtype), (long long)which, kt_dtype_name((kt_dtype)t->dtype));
    return kt_refuse_dtype(KT_ERR_RUNTIME, gradient, "backward", KT_FIX_CAST, (kt_dtype)t->dtype, text);
}

static kt_status ones(const kt_tensor *t, kt_tensor **seed)
{
    if (t->numel != 1)
        return kt_fail(KT_ERR_RUNTIME, "grad can be implicitly created only for scalar outputs");
    if (kt__dtype_rows[t->dtype].category == KT_CAT_COMPLEX)
        return kt_fail(KT_ERR_RUNTIME, "grad can be implicitly created only for real scalar outputs but got torch.%s",
                       kt_dtype_name((kt_dtype)t->dtype));
    const uint8_t dtype = kt__is_integer(t->dtype) ? (uint8_t)kt_get_default_dtype() : t->dtype;
    *seed = kt__tensor_new(kt__own_gradient_dtype(t, &(kt_tensor){.dtype = dtype}), kt__device(t), kt__sizes(t));
    if (!*seed || kt__fill_with(*seed, KT_INT(1))) {
        kt__unref(*seed);
        *seed = NULL;
        return kt_error_status();
    }
    (*seed)->lineage = t->lineage;
    return KT_OK;
}

static kt_status make_seed(kt_tensor *t, kt_tensor *gradient, int64_t which, kt_tensor **seed)
{
    if (!t)
        return kt_fail(KT_ERR_TYPE, "expected a tensor, got NULL");
    if (!gradient && kt_requires_grad(t))
        return ones(t, seed);
    if (gradient && (check_shape(t, gradient, which) || check_complex(t, gradient, which)))
        return kt_error_status();
    if (!kt_requires_grad(t))
        return kt_fail(KT_ERR_RUNTIME, "element %lld of tensors does not require grad and does not have a grad_fn",
                       (long long)which);
    if (kt_convert(gradient, kt__own_gradient_dtype(t, gradient), KT_WHY_GRADIENT, seed))
        return kt_error_status();
    if (!kt__fit_device(seed, kt__device(t), NULL, (uint32_t)which))
        return KT_OK;
    kt__unref(*seed);
    *seed = NULL;
    return kt_error_status();
}

/* The initial gradient of a root, in its dtype; owned. Made for the operator that the root comes from. */
static kt_status seed_of(kt_tensor *t, kt_tensor *gradient, int64_t which, kt_tensor **seed)
{
    const kt__naming outer = kt__node_enter(t && t->autograd && t->autograd->node ? t->autograd->node->row : NULL, 0);
    kt_status        status = make_seed(t, gradient, which, seed);
    kt__named = outer;
    return status;
}

static kt_status check_wanted(kt_tensor *const *inputs, int64_t n, const char *refusal)
{
    for (int64_t i = 0; i < n; i++)
        if (!inputs[i])
            return kt_fail(KT_ERR_TYPE, "expected a tensor, got NULL");
    for (int64_t i = 0; i < n; i++)
        if (!kt_requires_grad(inputs[i]))
            return kt_fail(KT_ERR_RUNTIME, "%s", refusal);
    return KT_OK;
}

/* Checks a C caller's list of `n` tensors. */
static kt_status check_list(kt_tensor *const *list, int64_t n, const char *what)
{
    if (n >= 0 && (uint64_t)n <= PTRDIFF_MAX / sizeof(kt__wanted) / 2 && (n == 0 || list))
        return KT_OK;
    return kt_fail(KT_ERR_TYPE, "%s: %lld tensors at %s", what, (long long)n, list ? "an address" : "NULL");
}

/* A job with space for its roots and for the wanted gradients. */
typedef struct run_of {
    kt__root   *root;
    kt__wanted *wanted;
    size_t      bytes;
    kt__job     job;
} run_of;

static kt_status job_open(run_of *r, kt_tensor *const *roots, kt_tensor *const *gradients, int64_t n_roots,
                          kt_tensor *const *inputs, int64_t n_inputs)
{
    size_t root_bytes = (size_t)n_roots * sizeof(kt__root);
    n_inputs = inputs ? n_inputs : 0;
    r->bytes = root_bytes + (size_t)n_inputs * sizeof(kt__wanted);
    r->root = kt__system_get(r->bytes ? r->bytes : 1);
    if (!r->root)
        return kt__fail_memory(r->bytes);
    memset(r->root, 0, r->bytes);
    r->wanted = inputs ? (kt__wanted *)(void *)((char *)r->root + root_bytes) : NULL;
    r->job = (kt__job){.root = r->root, .n_roots = n_roots, .wanted = r->wanted, .n_wanted = n_inputs};
    for (int64_t i = 0; i < r->job.n_wanted; i++)
        r->wanted[i].t = inputs[i];
    for (int64_t i = 0; i < n_roots; i++) {
        r->root[i].t = roots[i];
        if (seed_of(roots[i], gradients ? gradients[i] : NULL, i, &r->root[i].grad))
            return kt_error_status();
        r->root[i].given = gradients && r->root[i].grad == gradients[i];
    }
    return KT_OK;
}

static void job_close(run_of *r)
{
    for (int64_t i = 0; r->root && i < r->job.n_roots; i++)
        kt__unref(r->root[i].grad);
    for (int64_t i = 0; r->root && i < r->job.n_wanted; i++)
        kt__unref(r->wanted[i].grad);
    kt__system_put(r->root, r->bytes ? r->bytes : 1);
}

kt_status kt_gradients(kt_tensor *const *outputs, kt_tensor *const *gradients, int64_t n_outputs, kt_tensor *const *inputs,
                       int64_t n_inputs, const kt_gradients_opts *opts, kt_tensor **results)
{
    run_of r;
    if (kt__failed())
        return kt_error_status();
    if (n_inputs <= 0 || !inputs)
        return kt_fail(KT_ERR_VALUE, "grad requires non-empty inputs.");
    if (check_list(outputs, n_outputs, "outputs") || check_list(inputs, n_inputs, "inputs") ||
        check_list(results, n_inputs, "results"))
        return kt_error_status();
    kt_gradients_opts own;
    opts = kt__options(opts, &own, sizeof own);
    if (kt__failed())
        return kt_error_status();
    kt_status status = job_open(&r, outputs, gradients, n_outputs, inputs, n_inputs);
    if (!status)
        status = check_wanted(inputs, n_inputs, "One of the differentiated Tensors does not require grad");
    r.job.create_graph = opts && opts->create_graph;
    r.job.retain_graph = r.job.create_graph || (opts && opts->retain_graph);
    if (!status)
        status = kt__backward(&r.job);
    for (int64_t i = 0; !status && i < n_inputs; i++)
        if (!r.wanted[i].grad && !(opts && opts->allow_unused))
            status = kt_fail(KT_ERR_RUNTIME, "One of the differentiated Tensors appears to not have been used in the "
                                             "graph. Set allow_unused=True if this is the desired behavior.");
    for (int64_t i = 0; i < n_inputs; i++) {
        results[i] = status ? NULL : r.wanted[i].grad;
        if (!status)
            r.wanted[i].grad = NULL;
    }
    job_close(&r);
    return status;
}

/* A leaf accumulates as usual; a result retains its gradient from now on. */
static kt_status keep_wanted(kt_tensor *const *inputs, int64_t n)
{
    kt_status status = check_wanted(inputs, n, "can't retain_grad on Tensor that has requires_grad=False");
    for (int64_t i = 0; i < n && !status; i++)
        status = kt_retain_grad(inputs[i]);
    return status;
}

static void warn_of_cycle(const kt_backward_opts *opts)
{
    if (opts && opts->create_graph)
        KT__WARN_ONCE("Using backward() with create_graph=True will create a reference cycle between the parameter and its "
                      "gradient which can cause a memory leak. We recommend using autograd.grad when creating the graph to "
                      "avoid this. If you have to use this function, make sure to reset the .grad fields of your parameters "
                      "to None after use to break the cycle and avoid the leak.");
}

kt_status kt_backward_many(kt_tensor *const *roots, kt_tensor *const *gradients, int64_t n, const kt_backward_opts *opts)
{
    run_of r;
    kt_backward_opts own;
    opts = kt__options(opts, &own, sizeof own);
    if (kt__failed() || check_list(roots, n, "roots"))
        return kt_error_status();
    if (opts && opts->inputs && opts->n_inputs > 0 && check_list(opts->inputs, opts->n_inputs, "inputs"))
        return kt_error_status();
    if (opts && opts->inputs && opts->n_inputs <= 0)
        return kt_fail(KT_ERR_RUNTIME, "`inputs` argument to `backward()` cannot be empty.");
    kt_status status = job_open(&r, roots, gradients, n, opts ? opts->inputs : NULL, opts ? opts->n_inputs : 0);
    if (!status && opts && opts->inputs)
        status = keep_wanted(opts->inputs, opts->n_inputs);
    r.job.adds = true;
    if (!status)
        warn_of_cycle(opts);
    r.job.create_graph = opts && opts->create_graph;
    r.job.retain_graph = r.job.create_graph || (opts && opts->retain_graph);
    if (!status)
        status = kt__backward(&r.job);
    job_close(&r);
    return status;
}

kt_status kt_backward_kw(kt_tensor *t, const kt_backward_opts *opts)
{
    kt_backward_opts own;
    opts = kt__options(opts, &own, sizeof own);
    kt_tensor *gradient = opts ? (kt_tensor *)(uintptr_t)opts->gradient : NULL;
    if (opts && opts->inputs)
        return kt_backward_many(&t, &gradient, 1, opts);
    kt__root root = {.t = t}; /* the usual case: no allocation */
    if (kt__failed() || seed_of(t, gradient, 0, &root.grad))
        return kt_error_status();
    kt__job job = {.root = &root, .n_roots = 1, .adds = true, .create_graph = opts && opts->create_graph};
    job.retain_graph = job.create_graph || (opts && opts->retain_graph);
    warn_of_cycle(opts);
    kt_status status = kt__backward(&job);
    kt__unref(root.grad);
    return status;
}
