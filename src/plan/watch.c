/* watch.c - the list of watchers (karat/plugin/watch.h). In: registrations, and each plan that is run. Out: calls of the
 * watchers' functions. Independent of: what a plan does. */
#include <karat/plugin/watch.h>

#include <pthread.h>

#include "base/error.h"
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

kt_status kt_watch(const kt_watcher *watcher)
{
    if (!watcher || watcher->abi != KT_WATCH_ABI || watcher->size < sizeof *watcher)
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

void kt__tell_before(const kt_plan *plan)
{
    kt__unseen = true;
    for (int i = 0; i < KT_MAX_WATCHERS; i++) {
        const kt_watcher *w = acquire(&slots[i]);
        if (w && w->before)
            w->before(plan, w->context);
        release(&slots[i]);
    }
    kt__unseen = false;
}

void kt__tell_after(const kt_plan *plan, kt_status status)
{
    kt__unseen = true;
    for (int i = 0; i < KT_MAX_WATCHERS; i++) {
        const kt_watcher *w = acquire(&slots[i]);
        if (w && w->after)
            w->after(plan, status, w->context);
        release(&slots[i]);
    }
    kt__unseen = false;
}
