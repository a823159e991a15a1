/* fills.c - see fills.h. A few places under a lock. Whether memory lies between the bounds of all blocks is asked without it. */
#include "base/fills.h"

#include <pthread.h>

kt__fill_bounds kt__fills_within = {UINTPTR_MAX, 0};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_once_t  once = PTHREAD_ONCE_INIT;
static kt__late_fill   fills[KT__FILLS_MOST]; /* under the lock, the oldest first; those there are come before the others */
static int             n_fills;

static void hold(void) { pthread_mutex_lock(&lock); }
static void let_go(void) { pthread_mutex_unlock(&lock); }
static void in_child(void) { pthread_mutex_init(&lock, NULL); }
static void watch_forks(void) { pthread_atfork(hold, let_go, in_child); }

/* After what was written to a block: who does not see it between the bounds sees its bytes. A bound that is set while another
 * thread looks is right before and after for all blocks whose memory that thread may use. */
static void set_bounds(void)
{
    uintptr_t low = UINTPTR_MAX, high = 0;
    for (int i = 0; i < n_fills; i++) {
        const uintptr_t begin = (uintptr_t)fills[i].block, end = begin + fills[i].bytes;
        low = begin < low ? begin : low;
        high = end > high ? end : high;
    }
    __atomic_store_n(&kt__fills_within.low, low, __ATOMIC_RELEASE);
    __atomic_store_n(&kt__fills_within.high, high, __ATOMIC_RELEASE);
}

static int find(const void *at)
{
    int i = 0;
    while (i < n_fills && (uintptr_t)at - (uintptr_t)fills[i].block >= fills[i].bytes)
        i++;
    return i;
}

static void take_out(int place)
{
    n_fills--;
    for (int i = place; i < n_fills; i++)
        fills[i] = fills[i + 1];
}

void kt__fill_note(const kt__late_fill *f)
{
    pthread_once(&once, watch_forks);
    pthread_mutex_lock(&lock);
    if (n_fills == KT__FILLS_MOST) {
        fills[0].write(&fills[0]);
        take_out(0);
    }
    fills[n_fills++] = *f;
    set_bounds();
    pthread_mutex_unlock(&lock);
}

char *kt__fill_block(const void *at, size_t *bytes)
{
    pthread_mutex_lock(&lock);
    const int  place = find(at);
    const bool found = place < n_fills;
    char      *block = found ? fills[place].block : NULL;
    *bytes = found ? fills[place].bytes : 0;
    pthread_mutex_unlock(&lock);
    return block;
}

static void leave(const void *at, bool written)
{
    pthread_mutex_lock(&lock);
    const int place = find(at);
    if (place < n_fills) {
        if (written)
            fills[place].write(&fills[place]);
        take_out(place);
        set_bounds();
    }
    pthread_mutex_unlock(&lock);
}

void kt__fill_write(const void *at) { leave(at, true); }
void kt__fill_forget(const void *at) { leave(at, false); }
