/* hooks.c - what runs when the gradient of a tensor is complete: the user's hooks, and retain_grad. In: hooks put on tensors.
 * Out: the gradient, perhaps another. Hooks of a result live in its node, those of a leaf in the tensor: what is called must
 * not depend on whether the tensor or its graph is still there. */
#include <karat/grad.h>
#include <string.h>

#include "base/scope.h"
#include "grad/run.h"

struct kt_hook {
    _Atomic int32_t refs; /* the list's and the handle's */
    _Atomic bool    removed;
    bool            after;  /* it is shown the leaf, once its gradient has been added to */
    uint32_t        result; /* of the node, whose gradient it sees */
    kt_hook        *next;
    kt_hook_call    call;   /* NULL: keep the gradient in `keeper` */
    kt_tensor      *keeper; /* not owned: the tensor clears it when it dies */
    void           *context;
    void          (*release)(void *context);
    uint32_t        bytes;
    char            name[];
};

static void hook_unref(kt_hook *h)
{
    if (!h || !kt__count_down(&h->refs))
        return;
    if (h->release)
        h->release(h->context);
    kt__pool_put(h, h->bytes);
}

static kt_hook *hook_new(const char *name)
{
    size_t   length = strlen(name), bytes = sizeof(kt_hook) + length + 1;
    kt_hook *h = kt__pool_get(bytes);
    if (!h) {
        kt__fail_memory(bytes);
        return NULL;
    }
    memset(h, 0, sizeof *h);
    atomic_init(&h->refs, 1);
    h->bytes = (uint32_t)bytes;
    memcpy(h->name, name, length + 1);
    return h;
}

void kt__hooks_free(kt_hook *list)
{
    while (list) {
        kt_hook *next = list->next;
        hook_unref(list);
        list = next;
    }
}

/* ---- putting them on ---- */

/* Where the hooks of a tensor hang. */
static kt_status place_of(kt_tensor *t, kt_hook ***place, uint32_t *result)
{
    kt_node            *node = NULL;
    struct kt_autograd *a = NULL;
    if (kt__producer(t, &node, result) || !(a = kt__autograd_of(t))) {
        kt__node_unref(node);
        return kt_error_status();
    }
    *place = node && node->kind != NODE_ACCUMULATE ? &node->hooks : &a->hooks;
    kt__node_unref(node); /* the tensor holds it */
    return KT_OK;
}

static void append(kt_hook **list, kt_hook *h)
{
    while (*list)
        list = &(*list)->next;
    *list = h;
}

static kt_hook *add(kt_tensor *t, const char *name, kt_hook_call call, void *context, void (*release)(void *), bool after)
{
    kt_hook **place = NULL, *h = NULL;
    uint32_t  result = 0;
    if (kt__failed())
        return NULL;
    if (!t || !call) {
        kt_fail(KT_ERR_TYPE, "expected a %s, got NULL", t ? "hook" : "tensor");
        return NULL;
    }
    if (!kt_requires_grad(t)) {
        kt_fail(KT_ERR_RUNTIME, "cannot register a hook on a tensor that doesn't require gradient");
        return NULL;
    }
    if (after && !kt_is_leaf(t)) {
        kt_fail(KT_ERR_RUNTIME, "post accumulate grad hooks cannot be registered on non-leaf tensors");
        return NULL;
    }
    if (place_of(t, &place, &result) || !(h = hook_new(name ? name : "hook")))
        return NULL;
    atomic_init(&h->refs, 2);
    h->after = after;
    h->result = result;
    h->call = call;
    h->context = context;
    h->release = release;
    append(place, h);
    return h;
}

kt_hook *kt_hook_add(kt_tensor *t, const char *name, kt_hook_call call, void *context, void (*release)(void *))
{
    return add(t, name, call, context, release, false);
}

kt_hook *kt_hook_add_after(kt_tensor *leaf, const char *name, kt_hook_call call, void *context, void (*release)(void *))
{
    return add(leaf, name, call, context, release, true);
}

void kt_hook_remove(kt_hook *hook)
{
    if (hook)
        atomic_store_explicit(&hook->removed, true, memory_order_relaxed);
    hook_unref(hook);
}

void kt_hook_drop(kt_hook *hook) { hook_unref(hook); }

/* ---- keeping the gradient of a result ---- */

kt_status kt_retain_grad(kt_tensor *t)
{
    kt_hook **place = NULL, *h = NULL;
    uint32_t  result = 0;
    if (!t)
        return kt_fail(KT_ERR_TYPE, "expected a tensor, got NULL");
    if (!kt_requires_grad(t))
        return kt_fail(KT_ERR_RUNTIME, "can't retain_grad on Tensor that has requires_grad=False");
    if (kt_is_leaf(t) || kt_retains_grad(t))
        return KT_OK;
    if (place_of(t, &place, &result) || !(h = hook_new("retain_grad")))
        return kt_error_status();
    atomic_init(&h->refs, 2); /* the list's and the tensor's */
    h->result = result;
    h->keeper = t;
    append(place, h);
    t->autograd->retain = h;
    return KT_OK;
}

bool kt_retains_grad(const kt_tensor *t) { return t && t->autograd && t->autograd->retain; }

void kt__retain_end(struct kt_autograd *a)
{
    a->retain->keeper = NULL;
    hook_unref(a->retain);
    a->retain = NULL;
}

/* Written in place, a tensor has another node: its gradient is kept there from now on, where the user will look for it. */
kt_status kt__retain_move(kt_tensor *t)
{
    kt__retain_end(t->autograd);
    return kt_retain_grad(t);
}

/* ---- running them ---- */

static kt_status check(const kt_hook *h, const kt_tensor *was, const kt_tensor *now)
{
    if (was->dtype != now->dtype || was->backend != now->backend)
        return kt_fail(KT_ERR_RUNTIME, "hook '%s' has changed the type of value (was torch.%sTensor got torch.%sTensor)",
                       h->name, kt_dtype_torch_name(was->dtype), kt_dtype_torch_name(now->dtype));
    if (!kt__same_sizes(was, now))
        return kt_fail(KT_ERR_RUNTIME, "hook '%s' has changed the size of value", h->name);
    return KT_OK;
}

static kt_status run_hook(const kt_hook *h, kt_tensor **grad)
{
    kt_tensor *instead = NULL;
    KT_SCOPE;
    kt_status status = h->call(*grad, h->context, &instead);
    if (!status && kt__failed())
        status = kt_error_status();
    if (!status && instead)
        status = check(h, *grad, instead);
    if (status || !instead) {
        kt__unref(instead);
        return status;
    }
    kt__unref(*grad);
    *grad = instead;
    return KT_OK;
}

static bool runs(const kt_hook *h, bool after)
{
    return h->call && h->after == after && !atomic_load_explicit(&h->removed, memory_order_relaxed);
}

/* The user's first, in their order; then what is kept is what they made of it. A hook may add or remove hooks. */
kt_status kt__run_hooks(kt_node *node, kt_tensor **grads, bool history)
{
    kt_hook *list = node->kind == NODE_ACCUMULATE ? node->leaf->autograd->hooks : node->hooks;
    for (kt_hook *h = list; h; h = h->next)
        if (runs(h, false) && grads[h->result] && run_hook(h, &grads[h->result]))
            return kt_error_status();
    for (kt_hook *h = list; h; h = h->next)
        if (h->keeper && grads[h->result] && kt__accumulate(h->keeper, grads[h->result], history))
            return kt_error_status();
    return KT_OK;
}

kt_status kt__run_hooks_after(kt_tensor *leaf)
{
    for (kt_hook *h = leaf->autograd->hooks; h; h = h->next) {
        kt_tensor *unused = NULL;
        if (!runs(h, true))
            continue;
        KT_SCOPE;
        kt_status status = h->call(leaf, h->context, &unused);
        kt__unref(unused);
        if (status || kt__failed())
            return kt_error_status();
    }
    return KT_OK;
}
