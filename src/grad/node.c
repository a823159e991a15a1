/* node.c - allocation and release of nodes and of tensors' autograd records. In: the size of a node. Out:
 * reference-counted nodes. Independent of: how calls are recorded. */
#include "grad/grad.h"

#include <sched.h>
#include <string.h>

KT__HOT_LOCAL uint64_t kt__tape_clock;

/* Places that hooks keep become empty ones. */
static KT__COLD void release_packed(kt_node *n)
{
    for (uint32_t i = 0; i < kt__n_saved(n); i++)
        if (kt__is_saved(n, i) && kt__saved_at(n, i)->kind == SAVED_PACKED)
            kt__packed_free(kt__saved_at(n, i));
    n->packed = false;
}

KT__HOT void kt__node_release_saved(kt_node *n)
{
    if (KT__UNLIKELY(n->packed))
        release_packed(n);
    uint32_t left = n->holds;
    n->released |= left || n->n_listed; /* a node that saved nothing may run again */
    n->holds = 0;
    left &= ~(uint32_t)HOLDS_NUMBER;
    for (; left; left &= left - 1)
        kt__unref(kt__saved_at(n, (uint32_t)__builtin_ctz(left))->t);
    while (n->n_listed)
        kt__unref(kt__saved_at(n, n->n_fixed + --n->n_listed)->t);
    if (KT__UNLIKELY(n->type->forget != NULL))
        n->type->forget(n);
}

/* A leaf points at its accumulator but does not own it: a lock decides between freeing it and taking a new reference. */
static _Atomic bool leaf_locks[64];

static _Atomic bool *lock_leaf(const kt_tensor *leaf)
{
    _Atomic bool *at = &leaf_locks[((uintptr_t)leaf >> 6) % 64];
    while (!KT__ONE_THREAD && atomic_exchange_explicit(at, true, memory_order_acquire))
        sched_yield();
    return at;
}

static void unlock_leaf(_Atomic bool *at) { atomic_store_explicit(at, false, memory_order_release); }

static __attribute__((noinline)) bool last_owner_of_accumulator(kt_node *n)
{
    if (!n->leaf)
        return kt__count_down(&n->refs);
    _Atomic bool *at = lock_leaf(n->leaf);
    bool          last = kt__count_down(&n->refs);
    if (last)
        n->leaf->autograd->accumulator = NULL;
    unlock_leaf(at);
    return last;
}

static inline bool last_owner(kt_node *n)
{
    return KT__LIKELY(!kt__is_accumulator(n)) ? kt__count_down(&n->refs) : last_owner_of_accumulator(n);
}

/* Sizes and dtypes of several results: a formula may need zeros where no gradient arrived. */
kt_status kt__note_forms(kt_node *node, kt_tensor *const *out, uint32_t n)
{
    size_t bytes = n * sizeof(kt__form);
    for (uint32_t i = 0; i < n; i++)
        bytes += out[i]->ndim * sizeof(int64_t);
    kt__form *forms = kt__pool_get(bytes);
    if (!forms)
        return kt__fail_memory(bytes);
    int64_t *room = (int64_t *)(void *)(forms + n);
    for (uint32_t i = 0; i < n; i++) {
        forms[i] = (kt__form){room, kt__device(out[i]), out[i]->dtype, out[i]->ndim};
        for (int d = 0; d < out[i]->ndim; d++)
            *room++ = out[i]->sizes[d];
    }
    node->results = forms;
    node->n_results = n;
    node->noted = true;
    return KT_OK;
}

static void put_forms(kt_node *n)
{
    size_t bytes = n->n_results * sizeof(kt__form);
    for (uint32_t i = 0; i < n->n_results; i++)
        bytes += n->results[i].ndim * sizeof(int64_t);
    kt__pool_put(n->results, bytes);
}

static void put_node(kt_node *n)
{
    if (n->holds || n->n_listed)
        kt__node_release_saved(n);
    if (n->noted)
        put_forms(n);
    if (n->type->release)
        n->type->release(n);
    if (n->hooks)
        kt__hooks_free(n->hooks);
    if (KT__UNLIKELY(n->streamed))
        kt__streams_unref(kt__node_streams(n));
    kt__pool_put(n, n->bytes);
}

/* A chain of a million nodes must not be freed by a million nested calls, whether an edge or a saved tensor keeps a node
 * alive: dead nodes go to a list, linked by `inner`, which the outermost call frees. */
static KT__HOT_LOCAL kt_node *dead_nodes;
static KT__HOT_LOCAL bool     burying;

static inline void add_dead(kt_node *n)
{
    kt_node *inner = kt__inner(n);
    n->inner = dead_nodes;
    dead_nodes = n;
    if (KT__UNLIKELY(inner != NULL) && last_owner(inner)) { /* which contains no other */
        inner->inner = dead_nodes;
        dead_nodes = inner;
    }
}

KT__HOT void kt__node_unref(kt_node *node)
{
    if (!node || !last_owner(node))
        return;
    add_dead(node);
    if (burying)
        return;
    burying = true;
    for (kt_node *n; (n = dead_nodes);) {
        dead_nodes = n->inner;
        n->inner = NULL;
        n->within = false;
        for (uint32_t i = 0; i < n->n_edges; i++) {
            kt_node *to = n->edge[i].to;
            if (to && last_owner(to))
                add_dead(to);
        }
        put_node(n);
    }
    burying = false;
}

const char *kt__node_name(const kt_node *n) { return n->type->name_of ? n->type->name_of(n) : n->type->name; }

const char *kt__title_of(const char *name)
{
    return strcmp(name, "CopySlices") == 0      ? "torch::autograd::CopySlices"
           : strcmp(name, "CopyBackwards") == 0 ? "torch::autograd::CopyBackwards"
                                                : name;
}

const char *kt__node_title(const kt_node *n) { return kt__title_of(kt__node_name(n)); }

/* ---- a tensor's part ---- */

KT__HOT struct kt_autograd *kt__autograd_new(kt_tensor *t)
{
    struct kt_autograd *a = kt__pool_get(sizeof *a);
    if (!a) {
        kt__fail_memory(sizeof *a);
        return NULL;
    }
    *a = (struct kt_autograd){.node = NULL};
    if (t->flags & KT_T_VIEW)
        a->seen_version = kt__version(t) - kt__view_stale(t); /* a stale view stays stale */
    t->autograd = a;
    return a;
}

/* A gradient may have a gradient, or depend on a leaf that has one: such a chain is freed iteratively too. */
static KT__HOT_LOCAL struct kt_autograd *grads_to_put;
static KT__HOT_LOCAL bool                putting_grads;

static void put_grad(struct kt_autograd *a)
{
    a->next = grads_to_put;
    grads_to_put = a;
    if (putting_grads)
        return;
    putting_grads = true;
    while ((a = grads_to_put)) {
        grads_to_put = a->next;
        kt__unref(a->grad);
        kt__pool_put(a, sizeof *a);
    }
    putting_grads = false;
}

KT__HOT void kt__autograd_free(kt_tensor *t)
{
    struct kt_autograd *a = t->autograd;
    t->autograd = NULL;
    if (a->retain)
        kt__retain_end(a);
    if (a->hooks)
        kt__hooks_free(a->hooks);
    if (KT__UNLIKELY(a->tangents != NULL))
        kt__tangents_free(a->tangents);
    kt__node_unref(a->node);
    if (KT__UNLIKELY(a->grad != NULL))
        put_grad(a);
    else
        kt__pool_put(a, sizeof *a);
}

kt_node *kt__accumulator_of(kt_tensor *leaf)
{
    struct kt_autograd *a = kt__autograd_of(leaf);
    if (!a)
        return NULL;
    _Atomic bool *at = lock_leaf(leaf);
    kt_node      *n = a->accumulator ? kt__node_ref(a->accumulator) : kt__node_new(&kt__node_accumulate, 0, (kt__node_parts){0});
    if (n && !a->accumulator) {
        n->leaf = kt__ref(leaf);
        n->own_dtype = a->grad_dtype != 0;
        a->accumulator = n;
    }
    unlock_leaf(at);
    return n;
}
