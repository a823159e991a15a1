/* forked.c - a forked child cannot use the devices of its parent: the threads and the driver that work for them stayed behind,
 * and locks may be held by threads that are gone. So everything there that would reach a backend is an error, and what is freed
 * stays allocated. A parent that has used none is not concerned. */
#include <pthread.h>

#include "base/error.h"
#include "tensor/device.h"

static _Atomic bool used;
bool                kt__devices_lost;

static void in_child(void)
{
    kt__streams_release();
    kt__devices_lost = atomic_load_explicit(&used, memory_order_relaxed);
}

static void watch_forks(void) { pthread_atfork(kt__streams_hold, kt__streams_release, in_child); }

void kt__device_used(void)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    if (atomic_load_explicit(&used, memory_order_relaxed))
        return;
    pthread_once(&once, watch_forks);
    atomic_store_explicit(&used, true, memory_order_relaxed);
}

kt_status kt__fail_lost(const kt_backend *b)
{
    char name[32] = "";
    for (size_t i = 0; b->name[i] && i + 1 < sizeof name; i++)
        name[i] = (char)(b->name[i] >= 'a' && b->name[i] <= 'z' ? b->name[i] - 'a' + 'A' : b->name[i]);
    return kt_fail(KT_ERR_RUNTIME,
                   "Cannot re-initialize %s in forked subprocess. To use %s with multiprocessing, you must use the 'spawn' "
                   "start method",
                   name, name);
}
