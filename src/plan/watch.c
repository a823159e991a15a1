/* watch.c - the list of watchers (karat/plugin/watch.h). In: registrations, each plan that is run, each span that is entered and
 * left. Out: calls of the watchers' functions. Independent of: what a plan does, what a span is. */
#include <karat/plugin/watch.h>

#include <karat/profiler.h>
#include <pthread.h>
#include <stddef.h>

#include "base/error.h"
#include "base/fills.h"
#include "plan/launch.h"
#include "tensor/work.h"

typedef struct slot {
    const kt_watcher *_Atomic watcher; /* NULL: the slot is free */
    _Atomic uint32_t          users;   /* threads that hold the slot: they run its watcher, or look whether it has one */
} slot;

static slot               slots[KT_MAX_WATCHERS];
static pthread_mutex_t    lock = PTHREAD_MUTEX_INITIALIZER; /* held while a watcher is registered or removed */
_Atomic uint32_t          kt__watchers;
KT__HOT_LOCAL bool        kt__unseen;
static int                of_memory; /* watchers that want to know of memory; under `lock` */

#define HAS(w, function) ((w)->size >= offsetof(kt_watcher, function) + sizeof (w)->function && (w)->function)

static void tell_memory(kt_device device, const void *data, int64_t bytes);

/* Tensors tell of their memory only while somebody wants to know. */
static void count_of_memory(const kt_watcher *w, int more)
{
    of_memory += HAS(w, memory) ? more : 0;
    __atomic_store_n(&kt__memory_seen, of_memory ? tell_memory : NULL, __ATOMIC_RELAXED);
}

kt_status kt_watch(const kt_watcher *watcher)
{
    if (!watcher || watcher->abi != KT_WATCH_ABI || watcher->size < offsetof(kt_watcher, enter))
        return kt_fail(KT_ERR_RUNTIME, "a watcher of abi %d is needed, this one has %u", KT_WATCH_ABI,
                       watcher ? (unsigned)watcher->abi : 0u);
    slot *room = NULL;
    bool  known = false;
    pthread_mutex_lock(&lock);
    for (int i = KT_MAX_WATCHERS; i-- > 0;) {
        known |= atomic_load(&slots[i].watcher) == watcher;
        room = atomic_load(&slots[i].watcher) ? room : &slots[i];
    }
    if (room && !known) {
        atomic_store(&room->watcher, watcher);
        atomic_fetch_add(&kt__watchers, 1);
        count_of_memory(watcher, 1);
    }
    pthread_mutex_unlock(&lock);
    if (known)
        return kt_fail(KT_ERR_RUNTIME, "kt_watch: this watcher is already registered");
    return room ? KT_OK : kt_fail(KT_ERR_RUNTIME, "kt_watch: at most %d watchers can be registered", KT_MAX_WATCHERS);
}

kt_status kt_unwatch(const kt_watcher *watcher)
{
    slot *at = NULL;
    if (kt__unseen)
        return kt_fail(KT_ERR_RUNTIME, "kt_unwatch: must not be called from a watcher");
    pthread_mutex_lock(&lock);
    for (int i = 0; i < KT_MAX_WATCHERS && watcher; i++)
        if (atomic_load(&slots[i].watcher) == watcher)
            at = &slots[i];
    if (at) {
        atomic_store(&at->watcher, NULL);
        atomic_fetch_sub(&kt__watchers, 1);
        count_of_memory(watcher, -1);
    }
    pthread_mutex_unlock(&lock);
    while (at && atomic_load(&at->users))
        kt__wait_turn(); /* a watcher may be waiting for the binding's lock */
    return at ? KT_OK : kt_fail(KT_ERR_RUNTIME, "kt_unwatch: this watcher is not registered");
}

/* This thread raises `users`, then reads the watcher; kt_unwatch clears the watcher, then reads `users`. So either this
 * thread sees an empty slot, or kt_unwatch sees this thread and waits. */
static const kt_watcher *acquire(slot *s)
{
    atomic_fetch_add(&s->users, 1);
    return atomic_load(&s->watcher);
}

static void release(slot *s) { atomic_fetch_sub(&s->users, 1); }

/* A slot that is seen to be empty is left alone: counting oneself in and out of all of them would cost more than a small plan.
 * NULL: nothing to release. */
static const kt_watcher *look_into(slot *s)
{
    if (!atomic_load_explicit(&s->watcher, memory_order_relaxed))
        return NULL;
    const kt_watcher *w = acquire(s);
    if (!w)
        release(s);
    return w;
}

void kt__tell_before(const kt_plan *plan)
{
    for (int i = 0; i < plan->n_out + plan->n_in; i++)
        kt__fill_settle(plan->arg[i].data); /* a watcher may read it */
    kt__unseen = true;
    for (int i = 0; i < KT_MAX_WATCHERS; i++) {
        const kt_watcher *w = look_into(&slots[i]);
        if (w && w->before)
            w->before(plan, w->context);
        if (w)
            release(&slots[i]);
    }
    kt__unseen = false;
}

void kt__tell_after(const kt_plan *plan, kt_status status)
{
    kt__unseen = true;
    for (int i = 0; i < KT_MAX_WATCHERS; i++) {
        const kt_watcher *w = look_into(&slots[i]);
        if (w && w->after)
            w->after(plan, status, w->context);
        if (w)
            release(&slots[i]);
    }
    kt__unseen = false;
}

void kt__tell_enter(kt_span *span)
{
    static KT__HOT_LOCAL uint64_t last;
    span->id = ++last;
    kt__unseen = true;
    for (int i = 0; i < KT_MAX_WATCHERS; i++) {
        const kt_watcher *w = look_into(&slots[i]);
        if (w && HAS(w, enter))
            w->enter(span, w->context);
        if (w)
            release(&slots[i]);
    }
    kt__unseen = false;
}

void kt__tell_leave(const kt_span *span, kt_status status)
{
    kt__unseen = true;
    for (int i = 0; i < KT_MAX_WATCHERS; i++) {
        const kt_watcher *w = look_into(&slots[i]);
        if (w && HAS(w, leave))
            w->leave(span, status, w->context);
        if (w)
            release(&slots[i]);
    }
    kt__unseen = false;
}

/* What a watcher allocates is its own. */
static void tell_memory(kt_device device, const void *data, int64_t bytes)
{
    if (kt__unseen)
        return;
    kt__unseen = true;
    for (int i = 0; i < KT_MAX_WATCHERS; i++) {
        const kt_watcher *w = look_into(&slots[i]);
        if (w && HAS(w, memory))
            w->memory(device, data, bytes, w->context);
        if (w)
            release(&slots[i]);
    }
    kt__unseen = false;
}

/* ---- spans of the program ---- */

static uint64_t begin(kt_span span)
{
    if (KT__LIKELY(!kt__is_seen()))
        return 0;
    kt__tell_enter(&span);
    return span.id;
}

uint64_t kt_range_begin(const char *name)
{
    return begin((kt_span){.kind = KT_SPAN_RANGE, .name = name ? name : ""});
}

uint64_t kt_module_begin(const char *type, const void *object)
{
    return begin((kt_span){.kind = KT_SPAN_MODULE, .name = type ? type : "", .object = object});
}

void kt_range_end(uint64_t range)
{
    if (range && kt__is_seen())
        kt__tell_leave(&(kt_span){.kind = KT_SPAN_RANGE, .id = range}, KT_OK);
}
