/* pinned.c - pinned host memory, cached by powers of two: pinning 16 MiB takes as long as copying 600. A block that work of
 * streams reads or writes is used again when that work is done. */
#include <pthread.h>

#include "blocks.h"
#include "parts.h"

enum { CLASSES = 48, LEAST = 9, MOST_USERS = 8 };

typedef struct pinned {
    struct pinned *next;
    void          *data;
    int            size_class;
    int            n_users, n_events;
    struct { int index; kt_handle stream; } user[MOST_USERS];
    cudaEvent_t    event[MOST_USERS];
} pinned;

static pinned         *unused[CLASSES], *waiting;
static block_map       in_use;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static int class_of(size_t bytes)
{
    int c = LEAST;
    while (c < CLASSES && (size_t)1 << c < bytes)
        c++;
    return c;
}

static void push(pinned **list, pinned *p)
{
    p->next = *list;
    *list = p;
}

/* ---- the work that uses it ---- */
static bool mark_users(pinned *p)
{
    for (int i = 0; i < p->n_users; i++) {
        cudaEvent_t event = NULL;
        if (use_device(p->user[i].index) || cudaEventCreateWithFlags(&event, cudaEventDisableTiming) != cudaSuccess)
            return false;
        p->event[p->n_events++] = event;
        if (cudaEventRecord(event, stream_at(p->user[i].stream)) != cudaSuccess)
            return false;
    }
    return true;
}

static bool is_over(const pinned *p)
{
    for (int i = 0; i < p->n_events; i++)
        if (cudaEventQuery(p->event[i]) == cudaErrorNotReady) {
            cudaGetLastError();
            return false;
        }
    return true;
}

static void make_unused(pinned *p)
{
    while (p->n_events > 0)
        cudaEventDestroy(p->event[--p->n_events]);
    p->n_users = 0;
    push(&unused[p->size_class], p);
}

static void reap(void)
{
    for (pinned **at = &waiting; *at;) {
        pinned *p = *at;
        if (is_over(p)) {
            *at = p->next;
            make_unused(p);
        } else {
            at = &p->next;
        }
    }
}

/* ---- the interface ---- */
static kt_status make(int size_class, pinned **made)
{
    pinned *p = calloc(1, sizeof *p);
    if (!p)
        return host->fail(KT_ERR_MEMORY, "no memory for a block of pinned memory");
    p->size_class = size_class;
    const kt_status status = check(cudaHostAlloc(&p->data, (size_t)1 << size_class, cudaHostAllocPortable), "memory is pinned");
    if (status)
        free(p);
    else
        *made = p;
    return status;
}

kt_status pinned_alloc(kt_backend *self, size_t bytes, void **data, size_t *granted)
{
    (void)self;
    const int size_class = class_of(bytes);
    kt_status status = KT_OK;
    *data = NULL;
    *granted = 0;
    if (device_count() == 0 || size_class == CLASSES)
        return host->fail(KT_ERR_MEMORY, "%zu bytes of memory cannot be pinned", bytes);
    pthread_mutex_lock(&lock);
    reap();
    pinned *p = unused[size_class];
    if (p)
        unused[size_class] = p->next;
    else
        status = make(size_class, &p);
    if (!status && !block_map_put(&in_use, p->data, p)) {
        make_unused(p);
        status = host->fail(KT_ERR_MEMORY, "no memory for the map of pinned memory");
    }
    if (!status) {
        *data = p->data;
        *granted = (size_t)1 << size_class;
    }
    pthread_mutex_unlock(&lock);
    return status;
}

void pinned_free(kt_backend *self, void *data, size_t granted)
{
    (void)self, (void)granted;
    pthread_mutex_lock(&lock);
    pinned *p = block_map_take(&in_use, data);
    if (p && p->n_users == 0) {
        make_unused(p);
    } else if (p && mark_users(p)) {
        push(&waiting, p);
    } else if (p) {
        host->clear();
        cudaGetLastError();
        cudaDeviceSynchronize();
        make_unused(p);
    }
    pthread_mutex_unlock(&lock);
}

bool pinned_used_on(int index, void *data, kt_handle stream)
{
    pthread_mutex_lock(&lock);
    pinned *p = block_map_find(&in_use, data);
    bool    known = !p;
    for (int i = 0; !known && i < p->n_users; i++)
        known = p->user[i].stream == stream && p->user[i].index == index;
    if (!known && p->n_users == MOST_USERS && use_device(p->user[MOST_USERS - 1].index) == KT_OK)
        cudaStreamSynchronize(stream_at(p->user[--p->n_users].stream));
    if (!known) {
        p->user[p->n_users].index = index;
        p->user[p->n_users++].stream = stream;
    }
    pthread_mutex_unlock(&lock);
    return p != NULL;
}
