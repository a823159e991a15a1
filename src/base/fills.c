/* fills.c - see fills.h. A few places under a lock, which is let go while a block is written. Whether memory is in a block is
 * asked without the lock: a place does not change while it holds a block, so nobody overlooks one whose memory he may use. */
#include "base/fills.h"

#include <pthread.h>

kt__fill_bounds kt__fills_within = {UINTPTR_MAX, 0};

typedef struct place {
    kt__late_fill fill;
    uint64_t      since; /* the oldest is the least */
    bool          busy;  /* it is being written */
} place;

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t  written = PTHREAD_COND_INITIALIZER;
static pthread_once_t  once = PTHREAD_ONCE_INIT;
static place           places[KT__FILLS_MOST];
static uintptr_t       begins[KT__FILLS_MOST], lengths[KT__FILLS_MOST]; /* atomic; a length of 0: there is none */
static uint64_t        noted;

static void hold(void) { pthread_mutex_lock(&lock); }
static void let_go(void) { pthread_mutex_unlock(&lock); }

/* Who was writing is not there. */
static void in_child(void)
{
    pthread_mutex_init(&lock, NULL);
    pthread_cond_init(&written, NULL);
    for (int i = 0; i < KT__FILLS_MOST; i++)
        places[i].busy = false;
}

static void watch_forks(void) { pthread_atfork(hold, let_go, in_child); }

bool kt__fill_may_be_at(const void *at)
{
    for (int i = 0; i < KT__FILLS_MOST; i++) {
        const uintptr_t length = __atomic_load_n(&lengths[i], __ATOMIC_ACQUIRE);
        if ((uintptr_t)at - __atomic_load_n(&begins[i], __ATOMIC_RELAXED) < length)
            return true;
    }
    return false;
}

/* ---- under the lock ---- */

/* A bound that is set while another thread looks is right before and after for all blocks whose memory that thread may use. */
static void set_bounds(void)
{
    uintptr_t low = UINTPTR_MAX, high = 0;
    for (int i = 0; i < KT__FILLS_MOST; i++) {
        const uintptr_t begin = begins[i], end = begin + lengths[i];
        low = lengths[i] && begin < low ? begin : low;
        high = lengths[i] && end > high ? end : high;
    }
    __atomic_store_n(&kt__fills_within.low, low, __ATOMIC_RELEASE);
    __atomic_store_n(&kt__fills_within.high, high, __ATOMIC_RELEASE);
}

static place *find(const void *at)
{
    for (int i = 0; i < KT__FILLS_MOST; i++)
        if ((uintptr_t)at - begins[i] < lengths[i])
            return &places[i];
    return NULL;
}

/* Nobody writes it. */
static place *find_idle(const void *at)
{
    place *p;
    while ((p = find(at)) && p->busy)
        pthread_cond_wait(&written, &lock);
    return p;
}

static void set_place(place *p, uintptr_t begin, size_t length)
{
    const int64_t i = p - places;
    if (length)
        __atomic_store_n(&begins[i], begin, __ATOMIC_RELAXED);
    __atomic_store_n(&lengths[i], length, __ATOMIC_RELEASE); /* after what was written: who does not find it sees its bytes */
    set_bounds();
}

static void write_out(place *p)
{
    const kt__late_fill f = p->fill;
    p->busy = true;
    pthread_mutex_unlock(&lock);
    f.write(&f);
    pthread_mutex_lock(&lock);
    p->busy = false;
    set_place(p, 0, 0);
    pthread_cond_broadcast(&written);
}

static place *oldest_idle(void)
{
    place *oldest = NULL;
    for (int i = 0; i < KT__FILLS_MOST; i++)
        if (!places[i].busy && (!oldest || places[i].since < oldest->since))
            oldest = &places[i];
    return oldest;
}

static place *free_place(void)
{
    for (;;) {
        for (int i = 0; i < KT__FILLS_MOST; i++)
            if (lengths[i] == 0)
                return &places[i];
        place *oldest = oldest_idle();
        if (oldest)
            write_out(oldest);
        else
            pthread_cond_wait(&written, &lock);
    }
}

/* ---- for all ---- */

void kt__fill_note(const kt__late_fill *f)
{
    pthread_once(&once, watch_forks);
    pthread_mutex_lock(&lock);
    place *p = free_place();
    p->fill = *f;
    p->since = ++noted;
    set_place(p, (uintptr_t)f->block, f->bytes);
    pthread_mutex_unlock(&lock);
}

bool kt__fill_find(const void *at, kt__late_fill *f)
{
    pthread_mutex_lock(&lock);
    const place *p = find(at);
    if (p)
        *f = p->fill;
    pthread_mutex_unlock(&lock);
    return p != NULL;
}

void kt__fill_write(const void *at)
{
    pthread_mutex_lock(&lock);
    place *p = find_idle(at);
    if (p)
        write_out(p);
    pthread_mutex_unlock(&lock);
}

void kt__fill_forget(const void *at)
{
    pthread_mutex_lock(&lock);
    place *p = find_idle(at);
    if (p)
        set_place(p, 0, 0);
    pthread_mutex_unlock(&lock);
}
