/* hooks.c - hooks that run when a gradient is complete: the user's, and retain_grad. In: hooks registered on tensors.
 * Out: the gradient, possibly replaced. Hooks of a result are stored in its node, those of a leaf in the tensor: they
 * must run whether or not the tensor object or its graph still exists. node_hooks.c has those of nodes. */
#include "grad/hooks.h"

#include <ctype.h>
#include <string.h>

#include "base/scope.h"


void kt__hook_unref(kt_hook *h)
{
    if (h && kt__count_down(&h->refs))
        kt__pool_put(h, h->bytes);
}

static void context_unref(kt_hook *h)
{
    if (atomic_fetch_sub_explicit(&h->users, 1, memory_order_acq_rel) == 1 && h->release)
        h->release(h->context);
}

void kt__hook_end(kt_hook *h)
{
    if (!atomic_exchange_explicit(&h->removed, true, memory_order_acq_rel))
        context_unref(h);
}

kt_hook *kt__hook_new(kt__hook_kind kind, const char *name)
{
    size_t   length = strlen(name), bytes = sizeof(kt_hook) + length + 1;
    kt_hook *h = kt__pool_get(bytes);
    if (!h) {
        kt__fail_memory(bytes);
        return NULL;
    }
    memset(h, 0, sizeof *h);
    atomic_init(&h->refs, 1);
    atomic_init(&h->users, 1);
    h->bytes = (uint32_t)bytes;
    h->kind = kind;
    memcpy(h->name, name, length + 1);
    return h;
}

void kt__hooks_free(kt_hook *list)
{
    while (list) {
        kt_hook *next = list->next;
        kt__hook_end(list);
        kt__hook_unref(list);
        list = next;
    }
}

/* ---- putting them on ---- */

/* The list that holds a tensor's hooks. */
static kt_status place_of(kt_tensor *t, kt_hook ***place, uint32_t *result)
{
    kt_node            *node = NULL;
    struct kt_autograd *a = NULL;
    if (kt__producer(t, &node, result) || !(a = kt__autograd_of(t))) {
        kt__node_unref(node);
        return kt_error_status();
    }
    *place = node && !kt__is_accumulator(node) ? &node->hooks : &a->hooks;
    kt__node_unref(node); /* the tensor holds it */
    return KT_OK;
}

void kt__hook_append(kt_hook **list, kt_hook *h)
{
    while (*list) {
        kt_hook   *at = *list;
        const bool ended = at->kind == HOOK_RETAIN ? !at->keeper : atomic_load_explicit(&at->removed, memory_order_relaxed);
        if (ended) {
            *list = at->next;
            kt__hook_unref(at);
        } else {
            list = &at->next;
        }
    }
    *list = h;
}

static kt_hook *add(kt_tensor *t, const char *name, kt_hook_call call, void *context, void (*release)(void *), kt__hook_kind kind)
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
    if (kind == HOOK_AFTER_LEAF && !kt_is_leaf(t)) {
        kt_fail(KT_ERR_RUNTIME, "post accumulate grad hooks cannot be registered on non-leaf tensors");
        return NULL;
    }
    if (place_of(t, &place, &result) || !(h = kt__hook_new(kind, name ? name : "hook")))
        return NULL;
    atomic_init(&h->refs, 2);
    h->result = result;
    h->of = t->lineage;
    h->call = call;
    h->context = context;
    h->release = release;
    kt__hook_append(place, h);
    return h;
}

kt_hook *kt_hook_add(kt_tensor *t, const char *name, kt_hook_call call, void *context, void (*release)(void *))
{
    return add(t, name, call, context, release, HOOK_RESULT);
}

kt_hook *kt_hook_add_after(kt_tensor *leaf, const char *name, kt_hook_call call, void *context, void (*release)(void *))
{
    return add(leaf, name, call, context, release, HOOK_AFTER_LEAF);
}

void kt_hook_remove(kt_hook *hook)
{
    if (hook)
        kt__hook_end(hook);
    kt__hook_unref(hook);
}

void kt_hook_drop(kt_hook *hook) { kt__hook_unref(hook); }

/* ---- keeping the gradient of a result ---- */

kt_status kt_retain_grad(kt_tensor *t)
{
    kt_hook **place = NULL, *h = NULL;
    uint32_t  result = 0;
    if (!t)
        return kt_fail(KT_ERR_TYPE, "expected a tensor, got NULL");
    if (!kt_requires_grad(t))
        return kt_fail(KT_ERR_RUNTIME, "can't retain_grad on Tensor that has requires_grad=False");
    if (kt_is_leaf(t) || (t->autograd && t->autograd->retain))
        return KT_OK;
    if (place_of(t, &place, &result) || !(h = kt__hook_new(HOOK_RETAIN, "retain_grad")))
        return kt_error_status();
    atomic_init(&h->refs, 2); /* the list's and the tensor's */
    h->result = result;
    h->keeper = t;
    kt__hook_append(place, h);
    t->autograd->retain = h;
    return KT_OK;
}

bool kt_retains_grad(const kt_tensor *t) { return t && t->autograd && (t->autograd->retain || t->autograd->retained); }

void kt__retain_end(struct kt_autograd *a)
{
    a->retain->keeper = NULL;
    kt__hook_unref(a->retain);
    a->retain = NULL;
}

/* An in-place write gives the tensor a new node: retain_grad moves to it. */
kt_status kt__retain_move(kt_tensor *t)
{
    kt__retain_end(t->autograd);
    return kt_retain_grad(t);
}

/* ---- for a binding's garbage collector ---- */

static bool is_only_owner(const kt_node *node) { return atomic_load_explicit(&node->refs, memory_order_acquire) == 1; }

/* The hooks that are freed with the tensor, if the caller is its only owner. */
static kt_hook *hooks_of(const kt_tensor *t)
{
    struct kt_autograd *a = t ? t->autograd : NULL;
    if (!a || kt_is_shared(t))
        return NULL;
    return !a->node ? a->hooks : is_only_owner(a->node) ? a->node->hooks : NULL;
}

static int visit_all(const kt_hook *list, kt_hook_visit visit, void *with)
{
    for (const kt_hook *h = visit ? list : NULL; h; h = h->next) {
        const bool held = h->release && atomic_load_explicit(&h->users, memory_order_acquire) > 0;
        const int  stop = held ? visit(h->release, h->context, with) : 0;
        if (stop)
            return stop;
    }
    return 0;
}

static void clear_all(kt_hook *list)
{
    for (kt_hook *h = list; h; h = h->next)
        kt__count_up(&h->refs); /* a context may own the tensor */
    for (kt_hook *h = list; h;) {
        kt_hook *next = h->next;
        if (h->release)
            kt__hook_end(h);
        kt__hook_unref(h);
        h = next;
    }
}

int  kt_hooks_visit(const kt_tensor *t, kt_hook_visit visit, void *with) { return visit_all(hooks_of(t), visit, with); }
void kt_hooks_clear(kt_tensor *t) { clear_all(hooks_of(t)); }

bool kt_has_hooks(const kt_tensor *t)
{
    if (!t || !t->autograd || t->flags & KT_T_PART)
        return false;
    return t->autograd->hooks || (t->autograd->node && t->autograd->node->hooks);
}

int kt_node_hooks_visit(const kt_node *node, kt_hook_visit visit, void *with)
{
    return node && is_only_owner(node) ? visit_all(node->hooks, visit, with) : 0;
}

void kt_node_hooks_clear(kt_node *node)
{
    if (node && is_only_owner(node))
        clear_all(node->hooks);
}

/* ---- running them ---- */

/* PyTorch's name of a tensor's type: the legacy class if there is one, else device and dtype. */
static const char *type_text(const kt_tensor *t, char *room, size_t size)
{
    static const uint32_t of_old = 1u << KT_F64 | 1u << KT_F32 | 1u << KT_F16 | 1u << KT_U8 | 1u << KT_I8 | 1u << KT_I16 |
                                   1u << KT_I32 | 1u << KT_I64;
    const char *dtype = kt_dtype_torch_name((kt_dtype)t->dtype), *device = kt_device_name(kt__device(t));
    const bool  legacy = of_old >> t->dtype & 1;
    if (t->backend == KT_META)
        snprintf(room, size, "Meta%sType", dtype);
    else if (t->backend == KT_CPU)
        snprintf(room, size, legacy ? "torch.%sTensor" : "CPU%sType", dtype);
    else if (legacy)
        snprintf(room, size, "torch.%s.%sTensor", device, dtype);
    else {
        snprintf(room, size, "%s%sType", device, dtype);
        for (size_t i = 0; device[i] && i < size; i++)
            room[i] = (char)toupper((unsigned char)room[i]); /* CUDABoolType */
    }
    return room;
}

kt_status kt__hook_check(const kt_hook *h, const kt_tensor *was, const kt_tensor *now)
{
    char before[96], after[96];
    if (!was && now)
        return kt_fail(KT_ERR_RUNTIME, "can't replace a None gradient with a non-None value");
    if (!now)
        return KT_OK;
    if (was->dtype != now->dtype || was->backend != now->backend)
        return kt_fail(KT_ERR_RUNTIME, "hook '%s' has changed the type of value (was %s got %s)", h->name,
                       type_text(was, before, sizeof before), type_text(now, after, sizeof after));
    if (!kt__same_sizes(was, now))
        return kt_fail(KT_ERR_RUNTIME, "hook '%s' has changed the size of value", h->name);
    return KT_OK;
}

/* A hook fails by its status or by a pending error; either ends backward with an error. */
kt_status kt__hook_outcome(const kt_hook *h, kt_status returned)
{
    if (returned && !kt__failed())
        return kt_fail(returned, "the hook '%s' failed", h->name);
    return kt__failed() ? kt_error_status() : KT_OK;
}

static kt_status run_hook(const kt_hook *h, kt_tensor **grad)
{
    kt_tensor *instead = NULL;
    KT_SCOPE;
    if (*grad && !kt_is_shared(*grad)) /* a gradient shared by two tensors keeps its lineage */
        (*grad)->lineage = kt__gradient_lineage(h->of, *grad);
    kt_status status = kt__hook_outcome(h, h->call(*grad, h->context, &instead));
    if (!status)
        status = kt__hook_check(h, *grad, instead);
    if (status || !instead) {
        kt__unref(instead);
        return status;
    }
    kt__unref(*grad);
    *grad = instead;
    return KT_OK;
}

static kt_status run_after(const kt_hook *h, kt_tensor *leaf)
{
    kt_tensor *instead = NULL;
    KT_SCOPE;
    kt_status status = kt__hook_outcome(h, h->call(leaf, h->context, &instead));
    if (!status)
        status = kt__hook_check(h, leaf, instead);
    if (!status && instead && instead != leaf)
        status = kt_fail(KT_ERR_RUNTIME, "Tensor post accumulate grad hooks should return None.");
    kt__unref(instead);
    return status;
}

static bool take(kt_hook *h)
{
    int32_t users = atomic_load_explicit(&h->users, memory_order_relaxed);
    while (users > 0 && !atomic_compare_exchange_weak_explicit(&h->users, &users, users + 1, memory_order_acq_rel,
                                                               memory_order_relaxed))
        continue;
    if (users > 0)
        kt__count_up(&h->refs);
    return users > 0;
}

kt_status kt__hooks_snapshot(kt__hooks_now *s, kt_hook *list, kt__hook_kind kind)
{
    size_t n = 0;
    for (kt_hook *h = list; h; h = h->next)
        n += h->kind == kind;
    s->n = 0;
    s->capacity = n;
    s->hook = n <= sizeof s->few / sizeof *s->few ? s->few : kt__system_get(n * sizeof *s->hook);
    if (!s->hook)
        return kt__fail_memory(n * sizeof *s->hook);
    for (kt_hook *h = list; h; h = h->next)
        if (h->kind == kind && take(h))
            s->hook[s->n++] = h;
    return KT_OK;
}

void kt__hooks_snapshot_end(kt__hooks_now *s)
{
    for (size_t i = 0; i < s->n; i++) {
        context_unref(s->hook[i]);
        kt__hook_unref(s->hook[i]);
    }
    if (s->hook != s->few)
        kt__system_put(s->hook, s->capacity * sizeof *s->hook);
}

/* The user's hooks in order, then retain_grad with their result. */
kt_status kt__run_hooks(kt_node *node, kt_tensor **grads)
{
    kt_hook **list = kt__is_accumulator(node) ? &node->leaf->autograd->hooks : &node->hooks;
    kt__hooks_now s;
    kt_status status = kt__hooks_snapshot(&s, *list, HOOK_RESULT);
    if (status)
        return status;
    for (size_t i = 0; i < s.n && !status; i++)
        status = run_hook(s.hook[i], &grads[s.hook[i]->result]);
    kt__hooks_snapshot_end(&s);
    for (kt_hook *h = *list; h && !status; h = h->next)
        if (h->kind == HOOK_RETAIN && h->keeper && grads[h->result])
            status = kt__keep_grad(h->keeper, grads[h->result]);
    return status;
}

kt_status kt__run_hooks_after(kt_tensor *leaf)
{
    kt__hooks_now s;
    kt_status status = kt__hooks_snapshot(&s, leaf->autograd->hooks, HOOK_AFTER_LEAF);
    if (status)
        return status;
    for (size_t i = 0; i < s.n && !status; i++)
        status = run_after(s.hook[i], leaf);
    kt__hooks_snapshot_end(&s);
    return status;
}
