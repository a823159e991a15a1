/* watch.h - how a tool (audit, profiler, a test) sees every plan that is run. Versioned apart from the stable headers.
 *
 * A watcher sees the plans of all threads, for every call that begins after kt_watch returned, until kt_unwatch returns. Its
 * functions run on the thread that made the call: `before` before the plan is passed to its device, `after` when `run` has
 * returned. A binding's lock is held if the call came through a binding; no lock of Karat is held. Several threads may run a
 * watcher at the same time.
 *
 * The plan belongs to the engine: read it during the call, or copy it. A watcher must not write to what the plan points to
 * and must leave no error pending. Watchers do not see the plans of operators that a watcher calls, nor the trial calls by
 * which the engine searches for fixes of an error. */
#ifndef KARAT_PLUGIN_WATCH_H
#define KARAT_PLUGIN_WATCH_H

#include <karat/plugin/backend.h>

KT_BEGIN

enum { KT_WATCH_ABI = 1, KT_MAX_WATCHERS = 8 };

typedef struct kt_watcher {
    uint32_t abi, size;
    void   (*before)(const kt_plan *plan, void *context);                   /* or NULL */
    /* Or NULL. `status` is what `run` returned: a late backend has accepted the plan by then, not finished it. */
    void   (*after)(const kt_plan *plan, kt_status status, void *context);
    void    *context;
} kt_watcher;

KT_API kt_status kt_watch(const kt_watcher *watcher);   /* `watcher` must stay valid until it is removed */
/* Returns when no thread runs the watcher any more; must not be called from a watcher. A plan that is running then may have seen
 * `before` without `after`. */
KT_API kt_status kt_unwatch(const kt_watcher *watcher);

KT_END
#endif
