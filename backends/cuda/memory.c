/* memory.c - the device's memory, cached: what is freed is kept for the stream that used it.
 *
 * In: sizes and streams. Out: blocks, cut from segments that the runtime gave. Independent of: what the memory is for.
 *
 * Sizes are PyTorch's, so that figures agree: blocks of multiples of 512 bytes; up to 1 MiB from segments of 2 MiB, below 10 MiB
 * from segments of 20 MiB, larger ones have a segment of their own, in multiples of 2 MiB. Neighbours that are free become one.
 *
 * A free block needs no event: only its own stream gets it again, and that works in order. A block that other streams used waits
 * for events of theirs. Memory of a capture is kept apart until its graph is dropped.
 *
 * KARAT_ALLOC=system: every block is the runtime's and goes back to it: compute-sanitizer then sees its ends. They are whole
 * words, since bytes are changed in theirs. */
#include <pthread.h>
#include <string.h>

#include "blocks.h"
#include "parts.h"

#define MIB ((size_t)1 << 20)
#define SMALL_MOST     (1 * MIB) /* blocks of at most that come from small segments */
#define SMALL_SEGMENT  (2 * MIB)
#define MIDDLE_BELOW   (10 * MIB)
#define MIDDLE_SEGMENT (20 * MIB)
#define LARGE_UNIT     (2 * MIB)
enum { UNIT = 512, SMALL_BINS = 4096 + 1, MOST_USERS = 8 }; /* SMALL_BINS: units of a small segment */

typedef struct pool pool;

typedef struct block {
    char         *data;
    size_t        size;
    pool         *of;
    struct block *before, *after;  /* neighbours in the segment */
    struct block *previous, *next; /* in the list that it is on, if it is free or waits */
    bool          is_free, small;  /* small: of a small segment */
    size_t        asked;           /* bytes that a tensor asked for; 0: it is no tensor's */
    int           n_users, n_events;
    kt_handle     user[MOST_USERS];  /* streams that used it beside its own */
    cudaEvent_t   event[MOST_USERS]; /* freed, but not before these */
} block;

/* The free blocks of one stream. */
struct pool {
    pool         *next;
    struct device_memory *in;
    kt_handle     stream;
    graph_memory *of;                             /* of a capture's graph, else NULL */
    uint64_t      filled[(SMALL_BINS + 63) / 64]; /* which of the bins have blocks */
    block        *small[SMALL_BINS];              /* by size */
    block        *large;                          /* in ascending order */
};

struct graph_memory {
    graph_memory      *next;
    int                index;
    unsigned long long capture; /* 0: it is over */
    block             *held;    /* freed, but used by several streams of the capture */
};

static struct device_memory {
    pool         *pools;
    block        *waiting; /* for events */
    graph_memory *graphs;
    block_map     in_use;
    kt_memory_pools counted;
    int64_t         splits[2][2]; /* of large and of small blocks: splits and their bytes, not counted yet */
    size_t          spared; /* of the device, by the limit: SIZE_MAX minus it, so that zero means none */
} devices[MOST_DEVICES];
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

/* ---- figures: PyTorch's ---- */
static void count(struct device_memory *m, kt_memory_kind kind, bool small, int64_t n)
{
    kt_memory_count *const counts[2] = {&m->counted.of[KT_MEMORY_ALL][kind],
                                        &m->counted.of[small ? KT_MEMORY_SMALL : KT_MEMORY_LARGE][kind]};
    for (int i = 0; i < 2; i++) {
        kt_memory_count *c = counts[i];
        *(n > 0 ? &c->came : &c->went) += n > 0 ? n : -n;
        c->now += n;
        c->most = c->now > c->most ? c->now : c->most;
    }
}

/* One more thing of so many bytes, or with sign = -1 one less. */
static void count_one(struct device_memory *m, kt_memory_kind things, kt_memory_kind bytes, bool small, size_t size, int sign)
{
    count(m, things, small, sign);
    count(m, bytes, small, sign * (int64_t)size);
}

/* b is on a list of free ones: its neighbours are not. What an allocation or a release changes in all is counted at its end. */
static void count_split(const block *b, int sign)
{
    int64_t *change = b->of->in->splits[b->small];
    if (b->before || b->after) {
        change[0] += sign;
        change[1] += sign * (int64_t)b->size;
    }
}

static void settle_splits(struct device_memory *m)
{
    for (int small = 0; small < 2; small++)
        for (int i = 0; i < 2; i++) {
            if (m->splits[small][i])
                count(m, i ? KT_MEMORY_SPLIT_BYTES : KT_MEMORY_SPLITS, small, m->splits[small][i]);
            m->splits[small][i] = 0;
        }
}

static void count_tensor(struct device_memory *m, const block *b, int sign)
{
    count_one(m, KT_MEMORY_ALLOCATIONS, KT_MEMORY_ALLOCATED, b->small, b->size, sign);
    count(m, KT_MEMORY_REQUESTED, b->small, sign * (int64_t)b->asked);
}

static size_t reserved(const struct device_memory *m) { return (size_t)m->counted.of[KT_MEMORY_ALL][KT_MEMORY_RESERVED].now; }

/* ---- lists of blocks ---- */
static void insert(block **list, block *after, block *b)
{
    b->previous = after;
    b->next = after ? after->next : *list;
    *(after ? &after->next : list) = b;
    if (b->next)
        b->next->previous = b;
}

static void take_out(block **list, block *b)
{
    *(b->previous ? &b->previous->next : list) = b->next;
    if (b->next)
        b->next->previous = b->previous;
}

static void list_as_free(block *b)
{
    pool        *p = b->of;
    block       *after = NULL;
    const size_t bin = b->size / UNIT;
    b->is_free = true;
    count_split(b, 1);
    if (b->small) {
        insert(&p->small[bin], NULL, b);
        p->filled[bin / 64] |= (uint64_t)1 << bin % 64;
        return;
    }
    for (block *x = p->large; x && x->size < b->size; x = x->next)
        after = x;
    insert(&p->large, after, b);
}

static void unlist(block *b)
{
    pool        *p = b->of;
    const size_t bin = b->size / UNIT;
    b->is_free = false;
    count_split(b, -1);
    take_out(b->small ? &p->small[bin] : &p->large, b);
    if (b->small && !p->small[bin])
        p->filled[bin / 64] &= ~((uint64_t)1 << bin % 64);
}

/* The smallest free block that is large enough. */
static block *best_small(const pool *p, size_t size)
{
    size_t   word = size / UNIT / 64;
    uint64_t bits = p->filled[word] & ~(uint64_t)0 << size / UNIT % 64;
    while (!bits && ++word < sizeof p->filled / sizeof *p->filled)
        bits = p->filled[word];
    return bits ? p->small[word * 64 + (size_t)__builtin_ctzll(bits)] : NULL;
}

static block *best_large(const pool *p, size_t size)
{
    block *b = p->large;
    while (b && b->size < size)
        b = b->next;
    return b;
}

static block *best(const pool *p, size_t size) { return size <= SMALL_MOST ? best_small(p, size) : best_large(p, size); }

/* ---- cutting and joining ---- */

/* b becomes as large as asked for; what is left is free, if it is worth a block. */
static bool cut(block *b, size_t size)
{
    const size_t left = b->size - size;
    if (left < (b->small ? (size_t)UNIT : SMALL_MOST + 1))
        return true;
    block *rest = calloc(1, sizeof *rest);
    if (!rest)
        return false;
    *rest = (block){.data = b->data + size, .size = left, .of = b->of, .small = b->small, .before = b, .after = b->after};
    if (b->after)
        b->after->before = rest;
    b->after = rest;
    b->size = size;
    list_as_free(rest);
    return true;
}

/* b takes in the block after it, which is on no list. */
static void absorb(block *b)
{
    block *gone = b->after;
    b->size += gone->size;
    b->after = gone->after;
    if (b->after)
        b->after->before = b;
    free(gone);
}

static void make_free(block *b)
{
    b->n_users = b->n_events = 0;
    if (b->asked)
        count_one(b->of->in, KT_MEMORY_ACTIVE, KT_MEMORY_ACTIVE_BYTES, b->small, b->size, -1);
    b->asked = 0;
    if (b->after && b->after->is_free) {
        unlist(b->after);
        absorb(b);
    }
    if (b->before && b->before->is_free) {
        b = b->before;
        unlist(b);
        absorb(b);
    }
    list_as_free(b);
}

/* ---- segments ---- */
static bool is_whole_segment(const block *b) { return b->is_free && !b->before && !b->after; }

static void give_back(struct device_memory *m, block *b)
{
    unlist(b);
    cudaFree(b->data);
    m->counted.given++;
    count_one(m, KT_MEMORY_SEGMENTS, KT_MEMORY_RESERVED, b->small, b->size, -1);
    free(b);
}

static void give_back_free_segments(struct device_memory *m)
{
    for (pool *p = m->pools; p; p = p->next) {
        if (p->of)
            continue;
        for (block *b = p->large, *next; b; b = next) {
            next = b->next;
            if (is_whole_segment(b))
                give_back(m, b);
        }
        for (block *b = p->small[SMALL_BINS - 1], *next; b; b = next) {
            next = b->next;
            give_back(m, b); /* a small block of that size is a whole segment */
        }
    }
}

static size_t segment_size(size_t size)
{
    if (size <= SMALL_MOST)
        return SMALL_SEGMENT;
    return size < MIDDLE_BELOW ? MIDDLE_SEGMENT : (size + LARGE_UNIT - 1) / LARGE_UNIT * LARGE_UNIT;
}

/* While a stream of this thread captures the runtime refuses to allocate, unless it is told that this is not of the capture. */
static cudaError_t allocate(void **data, size_t size)
{
    enum cudaStreamCaptureMode mode = cudaStreamCaptureModeRelaxed;
    cudaThreadExchangeStreamCaptureMode(&mode);
    const cudaError_t error = cudaMalloc(data, size);
    cudaThreadExchangeStreamCaptureMode(&mode);
    if (error != cudaSuccess)
        cudaGetLastError();
    return error;
}

static void *get_segment(struct device_memory *m, size_t size)
{
    void *data = NULL;
    if (size > SIZE_MAX - m->spared || reserved(m) > SIZE_MAX - m->spared - size)
        return NULL;
    return allocate(&data, size) == cudaSuccess ? data : NULL;
}

static void wait_for_users(struct device_memory *m);

static block *new_segment(struct device_memory *m, pool *p, size_t wanted)
{
    const size_t size = segment_size(wanted);
    block       *b = calloc(1, sizeof *b);
    void        *data = b ? get_segment(m, size) : NULL;
    if (b && !data) {
        m->counted.retries++;
        wait_for_users(m);
        give_back_free_segments(m);
        data = get_segment(m, size);
    }
    if (!data) {
        free(b);
        return NULL;
    }
    *b = (block){.data = data, .size = size, .of = p, .small = wanted <= SMALL_MOST};
    m->counted.taken++;
    count_one(m, KT_MEMORY_SEGMENTS, KT_MEMORY_RESERVED, b->small, size, 1);
    list_as_free(b);
    return b;
}

/* ---- blocks that other streams used ---- */
static void drop_events(block *b)
{
    while (b->n_events > 0)
        cudaEventDestroy(b->event[--b->n_events]);
}

/* False: an event could not be had; the caller waits instead. */
static bool mark_users(block *b)
{
    for (int i = 0; i < b->n_users; i++) {
        cudaEvent_t event = NULL;
        if (captures_run() && capture_of(b->user[i])) /* recorded work is not done now: nothing to wait for */
            continue;
        if (cudaEventCreateWithFlags(&event, cudaEventDisableTiming) != cudaSuccess)
            return false;
        b->event[b->n_events++] = event;
        if (cudaEventRecord(event, stream_at(b->user[i])) != cudaSuccess)
            return false;
    }
    return true;
}

static bool is_over(const block *b)
{
    bool over = true;
    for (int i = 0; i < b->n_events && over; i++)
        over = cudaEventQuery(b->event[i]) != cudaErrorNotReady;
    if (!over)
        cudaGetLastError();
    return over;
}

static void reap(struct device_memory *m)
{
    for (block *b = m->waiting, *next; b; b = next) {
        next = b->next;
        if (!is_over(b))
            continue;
        take_out(&m->waiting, b);
        drop_events(b);
        make_free(b);
    }
}

/* Before there is no memory left: blocks that wait for work of other streams are free when it is done. */
static void wait_for_users(struct device_memory *m)
{
    for (const block *b = m->waiting; b; b = b->next)
        for (int i = 0; i < b->n_events; i++)
            if (cudaEventSynchronize(b->event[i]) != cudaSuccess)
                cudaGetLastError();
    reap(m);
}

static void free_block(struct device_memory *m, block *b)
{
    if (b->n_users == 0) {
        make_free(b);
    } else if (b->of->of && b->of->of->capture) {
        insert(&b->of->of->held, NULL, b);
    } else if (mark_users(b)) {
        insert(&m->waiting, NULL, b);
    } else {
        cudaGetLastError();
        cudaDeviceSynchronize();
        drop_events(b);
        make_free(b);
    }
}

/* ---- pools ---- */
static pool *pool_of(struct device_memory *m, kt_handle stream, graph_memory *of)
{
    for (pool **at = &m->pools; *at; at = &(*at)->next)
        if ((*at)->stream == stream && (*at)->of == of) {
            pool *p = *at; /* the latest one is found first */
            *at = p->next;
            p->next = m->pools;
            return m->pools = p;
        }
    pool *p = calloc(1, sizeof *p);
    if (!p)
        return NULL;
    p->in = m;
    p->stream = stream;
    p->of = of;
    p->next = m->pools;
    return m->pools = p;
}

static pool *pool_for(struct device_memory *m, kt_handle stream)
{
    const unsigned long long capture = captures_run() ? capture_of(stream) : 0;
    graph_memory            *g = capture ? m->graphs : NULL;
    while (g && g->capture != capture)
        g = g->next;
    return pool_of(m, stream, g);
}

/* ---- the interface ---- */
static kt_status out_of_memory(const struct device_memory *m, int index, size_t bytes)
{
    size_t free_now = 0, total = 0;
    cudaMemGetInfo(&free_now, &total);
    return host->fail(KT_ERR_MEMORY,
                      "CUDA out of memory. Tried to allocate %.2f MiB. GPU %d has a total capacity of %.2f GiB of which %.2f "
                      "GiB is free. Of its memory %.2f GiB is reserved here, in use or kept for later%s",
                      (double)bytes / 0x1p20, index, (double)total / 0x1p30, (double)free_now / 0x1p30,
                      (double)reserved(m) / 0x1p30, m->spared ? "; a limit is set." : ".");
}

static kt_status find_block(struct device_memory *m, int index, kt_handle stream, size_t bytes, block **found)
{
    const size_t size = (bytes + UNIT - 1) / UNIT * UNIT;
    pool        *p = pool_for(m, stream);
    if (!p)
        return host->fail(KT_ERR_MEMORY, "no memory for the free blocks of a stream");
    if (m->waiting)
        reap(m);
    block *b = best(p, size);
    b = b ? b : new_segment(m, p, size);
    b = b ? b : best(p, size); /* one that has waited, if its segment is in use */
    if (!b)
        return out_of_memory(m, index, bytes);
    if (!block_map_put(&m->in_use, b->data, b))
        return host->fail(KT_ERR_MEMORY, "no memory for the map of blocks");
    unlist(b);
    if (!cut(b, size)) {
        block_map_take(&m->in_use, b->data);
        list_as_free(b);
        return host->fail(KT_ERR_MEMORY, "no memory for a block");
    }
    *found = b;
    return KT_OK;
}

static bool is_plain(void)
{
    static int known;
    int        is = __atomic_load_n(&known, __ATOMIC_RELAXED);
    if (!is) {
        const char *asked = getenv("KARAT_ALLOC");
        is = asked && strcmp(asked, "system") == 0 ? 1 : -1;
        __atomic_store_n(&known, is, __ATOMIC_RELAXED);
    }
    return is > 0;
}

/* Without a backend: for a kernel's own use, which the figures of tensors do not have. */
kt_status memory_alloc(kt_backend *self, int index, kt_handle stream, size_t bytes, void **data, size_t *granted)
{
    block *b = NULL;
    *data = NULL;
    *granted = 0;
    if (bytes == 0)
        return KT_OK;
    if (use_device(index))
        return KT_ERR_RUNTIME;
    if (bytes > SIZE_MAX / 2)
        return host->fail(KT_ERR_MEMORY, "CUDA out of memory. Tried to allocate %zu bytes.", bytes);
    const size_t words = (bytes + 3) / 4 * 4;
    if (is_plain() && !captures_run() && allocate(data, words) == cudaSuccess) {
        *granted = words;
        return KT_OK;
    }
    pthread_mutex_lock(&lock);
    const kt_status status = find_block(&devices[index], index, stream, bytes, &b);
    settle_splits(&devices[index]);
    if (!status) {
        *data = b->data;
        *granted = b->size;
        if (self) {
            b->asked = bytes;
            count_tensor(&devices[index], b, 1);
            count_one(&devices[index], KT_MEMORY_ACTIVE, KT_MEMORY_ACTIVE_BYTES, b->small, b->size, 1);
        }
    }
    pthread_mutex_unlock(&lock);
    return status;
}

void memory_free(kt_backend *self, int index, void *data, size_t granted)
{
    (void)self, (void)granted;
    if (!data || use_device(index)) {
        host->clear();
        return;
    }
    pthread_mutex_lock(&lock);
    block *b = block_map_take(&devices[index].in_use, data);
    if (b && b->asked)
        count_tensor(&devices[index], b, -1);
    if (b)
        free_block(&devices[index], b);
    settle_splits(&devices[index]);
    pthread_mutex_unlock(&lock);
    if (!b && is_plain())
        cudaFree(data); /* waits for the device */
}

void memory_used_on(int index, void *data, kt_handle stream)
{
    pthread_mutex_lock(&lock);
    block *b = block_map_find(&devices[index].in_use, data);
    bool   known = !b || b->of->stream == stream;
    for (int i = 0; !known && i < b->n_users; i++)
        known = b->user[i] == stream;
    if (!known && b->n_users == MOST_USERS && use_device(index) == KT_OK)
        cudaStreamSynchronize(stream_at(b->user[--b->n_users]));
    if (!known)
        b->user[b->n_users++] = stream;
    pthread_mutex_unlock(&lock);
}

/* ---- captures ---- */
graph_memory *memory_of_capture(int index, unsigned long long capture)
{
    graph_memory *g = calloc(1, sizeof *g);
    if (!g) {
        host->fail(KT_ERR_MEMORY, "no memory for a graph");
        return NULL;
    }
    g->index = index;
    g->capture = capture;
    pthread_mutex_lock(&lock);
    g->next = devices[index].graphs;
    devices[index].graphs = g;
    pthread_mutex_unlock(&lock);
    return g;
}

void memory_capture_ends(graph_memory *g)
{
    pthread_mutex_lock(&lock);
    g->capture = 0;
    pthread_mutex_unlock(&lock);
}

/* The free blocks of a graph's pool become its stream's; those in use will. */
static void hand_over(struct device_memory *m, pool *from, pool *to)
{
    for (size_t bin = 0; bin < SMALL_BINS; bin++)
        while (from->small[bin]) {
            block *b = from->small[bin];
            unlist(b);
            b->of = to;
            list_as_free(b);
        }
    while (from->large) {
        block *b = from->large;
        unlist(b);
        b->of = to;
        list_as_free(b);
    }
    for (size_t i = 0; i < m->in_use.room; i++) {
        block *b = m->in_use.at[i].value;
        if (b && b->of == from)
            b->of = to;
    }
    for (block *b = m->waiting; b; b = b->next)
        if (b->of == from)
            b->of = to;
}

/* The streams that own the memory go on after the last replay. */
static void order_after(const kt_handle *replayed_on, int n, kt_handle owner)
{
    for (int i = 0; i < n; i++) {
        cudaEvent_t event = NULL;
        const bool  ordered = replayed_on[i] == owner ||
                             (cudaEventCreateWithFlags(&event, cudaEventDisableTiming) == cudaSuccess &&
                              cudaEventRecord(event, stream_at(replayed_on[i])) == cudaSuccess &&
                              cudaStreamWaitEvent(stream_at(owner), event, 0) == cudaSuccess);
        if (!ordered) {
            cudaGetLastError();
            cudaDeviceSynchronize();
        }
        if (event)
            cudaEventDestroy(event);
    }
}

void memory_of_graph_drop(graph_memory *g, const kt_handle *replayed_on, int n)
{
    struct device_memory *m = &devices[g->index];
    if (use_device(g->index))
        host->clear();
    pthread_mutex_lock(&lock);
    for (block *b = g->held, *next; b; b = next) {
        next = b->next;
        make_free(b);
    }
    for (pool **at = &m->pools; *at;) {
        pool *p = *at;
        if (p->of != g) {
            at = &p->next;
            continue;
        }
        *at = p->next;
        pool *to = pool_of(m, p->stream, NULL);
        order_after(replayed_on, n, p->stream);
        if (to) {
            hand_over(m, p, to);
            free(p);
        } else { /* no memory for another: this one is the stream's from now on */
            p->of = NULL;
            p->next = m->pools;
            m->pools = p;
        }
        at = &m->pools; /* the list was moved about */
    }
    for (graph_memory **at = &m->graphs; *at; at = &(*at)->next)
        if (*at == g) {
            *at = g->next;
            break;
        }
    free(g);
    pthread_mutex_unlock(&lock);
}

/* ---- what is known about it ---- */
static kt_status ask(kt_backend *self, int index, kt_backend_memory *out)
{
    (void)self;
    *out = (kt_backend_memory){0};
    if (use_device(index) || check(cudaMemGetInfo(&out->free, &out->total), "the device's memory is asked for"))
        return KT_ERR_RUNTIME;
    pthread_mutex_lock(&lock);
    out->reserved = reserved(&devices[index]);
    out->reserved_peak = (size_t)devices[index].counted.of[KT_MEMORY_ALL][KT_MEMORY_RESERVED].most;
    pthread_mutex_unlock(&lock);
    return KT_OK;
}

static kt_status empty(kt_backend *self, int index)
{
    (void)self;
    if (use_device(index) || check(cudaDeviceSynchronize(), "the host waits for the device"))
        return KT_ERR_RUNTIME;
    pthread_mutex_lock(&lock);
    devices[index].counted.waits++;
    reap(&devices[index]);
    give_back_free_segments(&devices[index]);
    pthread_mutex_unlock(&lock);
    return fault_take(index);
}

static kt_status set_limit(kt_backend *self, int index, size_t bytes)
{
    (void)self;
    pthread_mutex_lock(&lock);
    devices[index].spared = SIZE_MAX - bytes;
    pthread_mutex_unlock(&lock);
    return KT_OK;
}

static kt_status reset_peaks(kt_backend *self, int index)
{
    (void)self;
    pthread_mutex_lock(&lock);
    for (int i = 0; i < KT_MEMORY_POOLS * KT_MEMORY_KINDS; i++) {
        kt_memory_count *c = &devices[index].counted.of[i / KT_MEMORY_KINDS][i % KT_MEMORY_KINDS];
        c->most = c->now;
    }
    pthread_mutex_unlock(&lock);
    return KT_OK;
}

static kt_status ask_pools(kt_backend *self, int index, kt_memory_pools *out)
{
    (void)self;
    pthread_mutex_lock(&lock);
    settle_splits(&devices[index]);
    memcpy(out->of, devices[index].counted.of, sizeof out->of);
    out->retries = devices[index].counted.retries, out->waits = devices[index].counted.waits;
    out->taken = devices[index].counted.taken, out->given = devices[index].counted.given;
    pthread_mutex_unlock(&lock);
    return KT_OK;
}

static void reset_totals(kt_backend *self, int index)
{
    (void)self;
    pthread_mutex_lock(&lock);
    for (int i = 0; i < KT_MEMORY_POOLS * KT_MEMORY_KINDS; i++) {
        kt_memory_count *c = &devices[index].counted.of[i / KT_MEMORY_KINDS][i % KT_MEMORY_KINDS];
        c->came = c->went = 0;
    }
    devices[index].counted.retries = 0;
    pthread_mutex_unlock(&lock);
}

const kt_memory_calls memory_calls = {.ask = ask, .empty = empty, .limit = set_limit, .reset_peaks = reset_peaks,
                                      .pools = ask_pools, .reset_totals = reset_totals};
