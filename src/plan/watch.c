/* watch.c - who watches plans (karat/plugin/watch.h). In: watchers that come and go, plans that are told. Out: their calls. Must
 * not know: what a plan does. */
#include <karat/plugin/watch.h>

#include <pthread.h>

#include "base/error.h"
#include "plan/launch.h"
#include "tensor/work.h"

typedef struct place {
    const kt_watcher *_Atomic watcher; /* NULL: free */
    _Atomic uint32_t          inside;  /* threads that are in it, or are looking whether there is one */
} place;

static place              places[KT_MAX_WATCHERS];
static pthread_mutex_t    lock = PTHREAD_MUTEX_INITIALIZER; /* of coming and going */
_Atomic uint32_t          kt__watchers;
KT__HOT_LOCAL bool        kt__unseen;

kt_status kt_watch(const kt_watcher *watcher)
{
    if (!watcher || watcher->abi != KT_WATCH_ABI || watcher->size < sizeof *watcher)
        return kt_fail(KT_ERR_RUNTIME, "a watcher of abi %d is needed, this one has %u", KT_WATCH_ABI,
                       watcher ? (unsigned)watcher->abi : 0u);
    place *room = NULL;
    bool   known = false;
    pthread_mutex_lock(&lock);
    for (int i = KT_MAX_WATCHERS; i-- > 0;) {
        known |= atomic_load(&places[i].watcher) == watcher;
        room = atomic_load(&places[i].watcher) ? room : &places[i];
    }
    if (room && !known) {
        atomic_store(&room->watcher, watcher);
        atomic_fetch_add(&kt__watchers, 1);
    }
    pthread_mutex_unlock(&lock);
    if (known)
        return kt_fail(KT_ERR_RUNTIME, "kt_watch: that one watches already");
    return room ? KT_OK : kt_fail(KT_ERR_RUNTIME, "kt_watch: there is room for %d watchers", KT_MAX_WATCHERS);
}

kt_status kt_unwatch(const kt_watcher *watcher)
{
    place *at = NULL;
    if (kt__unseen)
        return kt_fail(KT_ERR_RUNTIME, "kt_unwatch: a watcher cannot be removed from inside of one");
    pthread_mutex_lock(&lock);
    for (int i = 0; i < KT_MAX_WATCHERS && watcher; i++)
        if (atomic_load(&places[i].watcher) == watcher)
            at = &places[i];
    if (at) {
        atomic_store(&at->watcher, NULL);
        atomic_fetch_sub(&kt__watchers, 1);
    }
    pthread_mutex_unlock(&lock);
    while (at && atomic_load(&at->inside))
        kt__wait_turn(); /* it may be waiting for the binding's lock */
    return at ? KT_OK : kt_fail(KT_ERR_RUNTIME, "kt_unwatch: that one does not watch");
}

/* The count goes up before the look and kt_unwatch looks at it after the place is empty: one of the two sees the other. */
static const kt_watcher *enter(place *p)
{
    atomic_fetch_add(&p->inside, 1);
    return atomic_load(&p->watcher);
}

static void leave(place *p) { atomic_fetch_sub(&p->inside, 1); }

void kt__tell_before(const kt_plan *plan)
{
    kt__unseen = true;
    for (int i = 0; i < KT_MAX_WATCHERS; i++) {
        const kt_watcher *w = enter(&places[i]);
        if (w && w->before)
            w->before(plan, w->context);
        leave(&places[i]);
    }
    kt__unseen = false;
}

void kt__tell_after(const kt_plan *plan, kt_status status)
{
    kt__unseen = true;
    for (int i = 0; i < KT_MAX_WATCHERS; i++) {
        const kt_watcher *w = enter(&places[i]);
        if (w && w->after)
            w->after(plan, status, w->context);
        leave(&places[i]);
    }
    kt__unseen = false;
}
