/* memory.c - memory of the mirror: the CPU's, at addresses that the host cannot read. It is freed in the order of the streams
 * that use it. */
#include "mirror.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static size_t in_use[DEVICES], most[DEVICES], limit[DEVICES] = {SIZE_MAX, SIZE_MAX};

static block *block_at(void *data)
{
    block *b;
    char  *p = (uintptr_t)data >= OFFSET ? here(data) : data;
    memcpy(&b, p - HEADER, sizeof b);
    return b;
}

static block *new_block(int index, size_t bytes)
{
    void  *memory = NULL;
    block *b = calloc(1, sizeof *b);
    if (!b) {
        host->fail(KT_ERR_MEMORY, "mirror: no memory for a block");
        return NULL;
    }
    b->index = index;
    if (host->cpu->alloc(host->cpu, 0, 0, bytes + HEADER, &memory, &b->granted)) {
        free(b);
        return NULL;
    }
    b->memory = memory;
    memcpy(b->memory, &b, sizeof b);
    return b;
}

/* The memory is overwritten, so that who still reads it gives wrong values. */
static void delete_block(block *b)
{
    if (b->index != KT_HOST)
        in_use[b->index] -= b->granted;
    memset(b->memory, 0xa5, b->granted);
    host->cpu->free(host->cpu, 0, b->memory, b->granted);
    free(b);
}

void release_one_hold(block *b)
{
    if (--b->holds == 0)
        delete_block(b);
}

void use_block(block *b, stream *s)
{
    bool known = s == b->owner;
    for (int i = 0; i < b->n_users && !known; i++)
        known = b->user[i] == s;
    if (known)
        return;
    if (b->n_users == MOST_USERS)
        drain(b->user[--b->n_users]);
    b->user[b->n_users++] = s;
}

static void queue_release(stream *s, block *b)
{
    work *w = new_work(WORK_RELEASE, 0);
    if (w) {
        w->memory = b;
        enqueue_now(s, w);
        return;
    }
    drain(s);
    release_one_hold(b);
}

/* With the lock held. */
static void free_in_order(block *b)
{
    stream *s[MOST_USERS + 1];
    int     n = 0;
    if (b->owner)
        s[n++] = b->owner;
    for (int i = 0; i < b->n_users; i++)
        s[n++] = b->user[i];
    b->holds = n;
    if (n == 0)
        delete_block(b);
    for (int i = 0; i < n; i++)
        queue_release(s[i], b);
}

void drop_block_of_graph(block *b)
{
    b->of = NULL;
    if (b->freed)
        free_in_order(b);
}

kt_status mirror_alloc(kt_backend *self, int index, kt_handle handle, size_t bytes, void **data, size_t *granted)
{
    (void)self;
    *data = NULL;
    *granted = 0;
    if (bytes == 0)
        return KT_OK;
    pthread_mutex_lock(&lock);
    if (in_use[index] + bytes > limit[index])
        drain_device(index); /* what waits to be freed is freed */
    const size_t now = in_use[index], most_bytes = limit[index];
    pthread_mutex_unlock(&lock);
    if (now + bytes > most_bytes)
        return host->fail(KT_ERR_MEMORY,
                          "mirror out of memory. Tried to allocate %.2f MiB. Device %d has a limit of %.2f MiB, of which %.2f "
                          "MiB are in use.",
                          (double)bytes / 0x1p20, index, (double)most_bytes / 0x1p20, (double)now / 0x1p20);
    block *b = new_block(index, bytes);
    if (!b)
        return KT_ERR_MEMORY;
    pthread_mutex_lock(&lock);
    b->owner = stream_of(index, handle);
    b->of = b->owner->capturing;
    if (b->of) {
        b->next = b->of->memory;
        b->of->memory = b;
    }
    in_use[index] += b->granted;
    most[index] = in_use[index] > most[index] ? in_use[index] : most[index];
    pthread_mutex_unlock(&lock);
    *data = there(b->memory + HEADER);
    *granted = b->granted - HEADER;
    return KT_OK;
}

void mirror_free(kt_backend *self, int index, void *data, size_t granted)
{
    (void)self, (void)index, (void)granted;
    block *b = block_at(data);
    pthread_mutex_lock(&lock);
    if (b->of)
        b->freed = true;
    else
        free_in_order(b);
    pthread_mutex_unlock(&lock);
}

void mirror_used_on(kt_backend *self, int index, void *data, kt_handle handle)
{
    (void)self;
    pthread_mutex_lock(&lock);
    use_block(block_at(data), stream_of(index, handle));
    pthread_mutex_unlock(&lock);
}

kt_status mirror_host_alloc(kt_backend *self, size_t bytes, void **data, size_t *granted)
{
    (void)self;
    block *b = new_block(KT_HOST, bytes);
    if (!b)
        return KT_ERR_MEMORY;
    *data = b->memory + HEADER;
    *granted = b->granted - HEADER;
    return KT_OK;
}

void mirror_host_free(kt_backend *self, void *data, size_t granted)
{
    (void)self, (void)granted;
    pthread_mutex_lock(&lock);
    free_in_order(block_at(data));
    pthread_mutex_unlock(&lock);
}

/* ---- what is known about it ---- */
static kt_status ask(kt_backend *self, int index, kt_backend_memory *out)
{
    (void)self;
    const size_t total = (size_t)sysconf(_SC_PHYS_PAGES) * (size_t)sysconf(_SC_PAGE_SIZE);
    pthread_mutex_lock(&lock);
    *out = (kt_backend_memory){.total = total, .free = total - in_use[index], .reserved = in_use[index],
                               .reserved_peak = most[index]};
    pthread_mutex_unlock(&lock);
    return KT_OK;
}

/* What is kept is what waits for its turn to be freed. */
static kt_status empty(kt_backend *self, int index)
{
    (void)self;
    pthread_mutex_lock(&lock);
    drain_device(index);
    pthread_mutex_unlock(&lock);
    return late_error(index);
}

static kt_status set_limit(kt_backend *self, int index, size_t bytes)
{
    (void)self;
    pthread_mutex_lock(&lock);
    limit[index] = bytes;
    pthread_mutex_unlock(&lock);
    return KT_OK;
}

static kt_status reset_peaks(kt_backend *self, int index)
{
    (void)self;
    pthread_mutex_lock(&lock);
    most[index] = in_use[index];
    pthread_mutex_unlock(&lock);
    return KT_OK;
}

const kt_memory_calls memory_calls = {.ask = ask, .empty = empty, .limit = set_limit, .reset_peaks = reset_peaks};
