/* watch.h - how a tool sees every plan that is run: audit, profiler, a test. Versioned apart from the stable headers.
 *
 * A watcher sees the plans of every thread, from those of calls that begin after kt_watch has returned until kt_unwatch
 * returns; what it wants of one thread it sorts out itself. It is called on the thread that made the call, before the plan is
 * handed to its device and after `run` has returned, with the lock of a binding held wherever the call came through one, and
 * with no lock of Karat's. Several threads may be in it at once.
 *
 * The plan is the engine's: it is read during the call, or copied. A watcher must not write to what the plan points to, and
 * leaves no error pending. Plans that it makes itself by calling operators are not watched, nor are those of calls that the
 * engine only tries in search of what would mend an error. */
#ifndef KARAT_PLUGIN_WATCH_H
#define KARAT_PLUGIN_WATCH_H

#include <karat/plugin/backend.h>

KT_BEGIN

enum { KT_WATCH_ABI = 1, KT_MAX_WATCHERS = 8 };

typedef struct kt_watcher {
    uint32_t abi, size;
    void   (*before)(const kt_plan *plan, void *context);                   /* or NULL */
    /* Or NULL. With what `run` returned: a backend that works late has taken the plan by then, not finished it. */
    void   (*after)(const kt_plan *plan, kt_status status, void *context);
    void    *context;
} kt_watcher;

KT_API kt_status kt_watch(const kt_watcher *watcher);   /* which stays where it is until it is removed */
/* Returns when no thread is in it any more; not from inside of a watcher. A plan under way may have had its `before` alone. */
KT_API kt_status kt_unwatch(const kt_watcher *watcher);

KT_END
#endif
