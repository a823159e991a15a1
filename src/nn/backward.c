/* backward.c - the hooks of modules in backward: what is shown the gradient of the output before the module's gradients are
 * computed, and the gradients of the inputs when they are there.
 *
 * In: a call's inputs and output. Out: the same values, with a node of the tape on each side. Independent of: forward hooks,
 * layers.
 *
 * An identity stands before the module's inputs and another after its output. What flows to the second is the gradient of the
 * output; what flows through the first are the gradients of the inputs. The hooks are those that the module had at the call. */
#include "base/scope.h"
#include "base/warn.h"
#include "nn/module.h"

#include <karat/ops.h>
#include <karat/plugin/node.h>
#include <stdlib.h>
#include <string.h>

struct kt__watch {
    int              refs; /* of the two nodes, and of the call while it runs */
    kt_module       *module;
    int              n_inputs;
    bool             has_inputs;  /* an input wants a gradient */
    kt_tensor       *grad_output; /* kept: from the output's node to the inputs' */
    int64_t          n;
    kt__module_hook *hook;
};

/* ---- the identity ---- */

static kt_status pass_gradients(const kt_back *back)
{
    for (int64_t i = 0; i < back->n_inputs; i++)
        back->d[i] = kt_keep(back->grads[i]); /* also of inputs that want none: the hooks are shown zeros for them */
    return KT_OK;
}

static const kt_node_type identity = {.abi = KT_NODE_ABI, .size = sizeof identity, .flags = KT_NODE_ZEROS,
                                      .name = "BackwardHookFunctionBackward", .run = pass_gradients};

static bool wants_gradient(kt_tensor *const *t, int64_t n)
{
    for (int64_t i = 0; i < n; i++)
        if (kt_requires_grad(t[i]))
            return kt_grad_enabled();
    return false;
}

kt_status kt_node_identity(kt_tensor *const *t, int64_t n, kt_tensor **results, kt_node **made)
{
    enum { MOST = 1 << 16 };
    if (kt_failed())
        return kt_error_status();
    if (!results || !made || n < 0 || n > MOST || (n && !t))
        return kt_fail(KT_ERR_VALUE, "tensors pass through a node in arrays of up to %d", MOST);
    for (int64_t i = 0; i < n; i++)
        if (!t[i])
            return kt_fail(KT_ERR_TYPE, "expected a tensor, got NULL");
    *made = NULL;
    if (!wants_gradient(t, n)) {
        for (int64_t i = 0; i < n; i++)
            results[i] = kt_keep(t[i]);
        return KT_OK;
    }
    kt_node *node = NULL;
    int64_t *from = malloc((size_t)n * sizeof *from);
    if (!from)
        return kt_fail(KT_ERR_MEMORY, "no memory for the hooks of a module");
    kt_status status = kt_node_make(&identity, t, n, 0, &node);
    KT_SCOPE;
    for (int64_t i = 0; i < n && !status; i++) {
        KT_NO_GRAD;
        from[i] = kt_requires_grad(t[i]) ? KT_RESULT_MADE : KT_RESULT_CONSTANT;
        results[i] = kt_alias(t[i]);
        status = results[i] ? KT_OK : kt_error_status();
    }
    if (!status)
        status = kt_node_attach(node, results, from, n);
    for (int64_t i = 0; i < n; i++)
        results[i] = status ? NULL : kt_keep(results[i]);
    free(from);
    if (status)
        kt_node_drop(node);
    else
        *made = node;
    return status;
}

/* The tensors are replaced by what belongs to the innermost scope. */
static kt_status pass_through(kt_tensor **t, int n, kt_node **node)
{
    kt_tensor *made[KT_MODULE_INPUTS];
    if (kt_node_identity(t, n, made, node))
        return kt_error_status();
    kt_status status = KT_OK;
    for (int i = 0; i < n; i++) {
        t[i] = made[i];
        if (status || (status = kt__scope_add(made[i])))
            kt_drop(made[i]);
    }
    if (status) {
        kt_node_drop(*node);
        *node = NULL;
    }
    return status;
}

/* ---- what the hooks are shown ---- */

static void release(void *context)
{
    kt__watch *w = context;
    if (--w->refs)
        return;
    kt_drop(w->grad_output);
    kt_module_drop(w->module);
    free(w->hook);
    free(w);
}

/* The hooks `after`: they may put others into `grads`. */
static kt_status tell(kt__watch *w, kt_tensor **grads)
{
    for (int64_t i = 0; i < w->n; i++)
        if (w->hook[i].after_backward) {
            const kt__module_hook *h = &w->hook[i];
            const kt_status        status = h->after_backward(w->module, grads, w->n_inputs, w->grad_output, h->context);
            if (status || kt_failed())
                return kt_failed() ? kt_error_status() : status;
        }
    kt_drop(w->grad_output);
    w->grad_output = NULL;
    return KT_OK;
}

static kt_status tell_without_inputs(kt__watch *w)
{
    kt_tensor *none[KT_MODULE_INPUTS] = {NULL};
    kt__warn("Full backward hook is firing when gradients are computed with respect to module outputs since no inputs require "
             "gradients. See https://docs.pytorch.org/docs/main/generated/torch.nn.Module.html#"
             "torch.nn.Module.register_full_backward_hook for more details.");
    if (tell(w, none))
        return kt_error_status();
    for (int i = 0; i < w->n_inputs; i++)
        if (none[i])
            return kt_fail(KT_ERR_RUNTIME, "Backward hook for Modules where no input requires gradient should always return "
                                           "None or None for all gradients.");
    return KT_OK;
}

static kt_status before_output(kt_node_grads *grads, void *context)
{
    kt__watch *w = context;
    kt_tensor *g = grads->results[0];
    for (int64_t i = 0; i < w->n; i++)
        if (w->hook[i].before_backward) {
            kt_tensor *given = w->hook[i].before_backward(w->module, g, w->hook[i].context);
            if (kt_failed())
                return kt_error_status();
            g = given ? given : g;
        }
    kt_drop(w->grad_output);
    w->grad_output = kt_keep(g);
    if (g != grads->results[0]) {
        grads->instead[0] = kt_keep(g);
        grads->replaces = true;
    }
    return w->has_inputs ? KT_OK : tell_without_inputs(w);
}

static kt_status after_inputs(kt_node_grads *grads, void *context)
{
    kt__watch *w = context;
    kt_tensor *d[KT_MODULE_INPUTS];
    if (!w->grad_output) /* no gradient came to the output: nothing to tell */
        return KT_OK;
    memcpy(d, grads->inputs, (size_t)w->n_inputs * sizeof *d);
    if (tell(w, d))
        return kt_error_status();
    grads->replaces = memcmp(d, grads->inputs, (size_t)w->n_inputs * sizeof *d) != 0;
    for (int i = 0; grads->replaces && i < w->n_inputs; i++)
        grads->instead[i] = kt_keep(d[i]);
    return KT_OK;
}

/* ---- around a call ---- */

static bool is_watched(const kt_module *m)
{
    for (int64_t i = 0; i < m->n_hooks; i++)
        if (m->hook[i].before_backward || m->hook[i].after_backward)
            return true;
    return false;
}

static kt__watch *watch_of(kt_module *m, int n)
{
    const size_t     bytes = (size_t)m->n_hooks * sizeof *m->hook;
    kt__watch       *w = calloc(1, sizeof *w);
    kt__module_hook *hook = malloc(bytes);
    if (!w || !hook) {
        free(w);
        free(hook);
        kt_fail(KT_ERR_MEMORY, "no memory for the hooks of a module");
        return NULL;
    }
    memcpy(hook, m->hook, bytes);
    *w = (kt__watch){.refs = 1, .module = kt_module_keep(m), .n_inputs = n, .n = m->n_hooks, .hook = hook};
    return w;
}

static kt_status hang(kt__watch *w, kt_node *node, bool before)
{
    w->refs++;
    kt_hook *handle = before ? kt_node_hook_add_before(node, "a module's backward hook", before_output, w, release)
                             : kt_node_hook_add(node, "a module's backward hook", after_inputs, w, release);
    if (!handle)
        w->refs--;
    kt_hook_drop(handle);
    kt_node_drop(node);
    return handle ? KT_OK : kt_error_status();
}

kt_status kt__watch_inputs(kt_module *m, kt_tensor **in, int n, kt__watch **watch)
{
    kt_node *node = NULL;
    *watch = NULL;
    if (!is_watched(m))
        return KT_OK;
    kt__watch *w = watch_of(m, n);
    if (!w || pass_through(in, n, &node) || (node && hang(w, node, false))) {
        if (w)
            release(w);
        return kt_error_status();
    }
    w->has_inputs = node != NULL;
    *watch = w;
    return KT_OK;
}

kt_tensor *kt__watch_output(kt__watch *w, kt_tensor *result)
{
    kt_node *node = NULL;
    if (!w)
        return result;
    if (!result || pass_through(&result, 1, &node) || (node && hang(w, node, true)))
        result = NULL;
    release(w);
    return result;
}

kt_status kt_module_before_backward(kt_module *m, kt_before_backward *hook, void *context)
{
    return kt__add_hook(m, (kt__module_hook){.before_backward = hook, .context = context});
}

kt_status kt_module_after_backward(kt_module *m, kt_after_backward *hook, void *context)
{
    return kt__add_hook(m, (kt__module_hook){.after_backward = hook, .context = context});
}
