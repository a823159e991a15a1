/* alloc.c - the heaps of the threads, the lists and bins they share, and the statistics.
 *
 * In: sizes. Out: memory, or NULL. Independent of: what is stored.
 *
 * Statistics: a thread counts in its own heap and adds to the process totals on the slow path; a reader adds what the
 * heaps still hold. With no allocation in flight, live bytes and blocks are exact. The peak is exact for one thread; with
 * several it may miss what their free lists handed out and took back between two visits to the slow path. */
#include "base/alloc.h"

#include "base/env.h"
#include "base/error.h"
#include "base/system.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#if defined(__SANITIZE_ADDRESS__)
#define ALWAYS_DIRECT 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define ALWAYS_DIRECT 1
#endif
#endif
#ifndef ALWAYS_DIRECT
#define ALWAYS_DIRECT 0
#endif

enum {
    LIST_BYTES = 512 << 10, /* most bytes of one size in one thread's list ... */
    LIST_MOST  = 1024,      /* ... and most records */
    LIST_LEAST = 8,
    LINE       = 64,
    BINS       = 8 * 48     /* eighths of the powers of two from 64 KiB up */
};

/* A cached large block, written into the block itself. */
typedef struct block {
    struct block *bin_next, **bin_link;   /* those of the same size, newest first */
    struct block *older, *newer;          /* all of them, by time of release */
    size_t        bytes;
} block;

static struct {
    pthread_mutex_t lock; /* for everything down to the counters */
    kt__heap       *heaps;
    void           *small[KT__CLASSES];
    uint64_t        small_count[KT__CLASSES]; /* read without the lock as a hint */
    uint64_t        small_bytes, small_limit;
    block          *bins[BINS];
    block          *oldest, *newest;
    uint64_t        large_bytes, large_limit;
    int64_t  live, peak; /* atomics from here on: bytes */
    uint64_t gets, puts; /* of large blocks, and of heaps that no longer exist */
    uint64_t epoch;
} shared = {.lock = PTHREAD_MUTEX_INITIALIZER};

static pthread_once_t once = PTHREAD_ONCE_INIT;
static bool           direct = ALWAYS_DIRECT;

static kt__heap         no_heap;
KT__HOT_LOCAL kt__heap *kt__my_heap = &no_heap;

/* ---- start, fork ---- */

static void before_fork(void)
{
    pthread_mutex_lock(&shared.lock);
}

static void after_fork_parent(void)
{
    pthread_mutex_unlock(&shared.lock);
}

/* The other threads' heaps stay in the child's list: their memory is not reused, but it is counted. */
static void after_fork_child(void)
{
    pthread_mutex_init(&shared.lock, NULL);
}

static void start(void)
{
    const char *how = kt__env("KARAT_ALLOC");
    if (how && strcmp(how, "system") == 0)
        direct = true;
    const long pages = sysconf(_SC_PHYS_PAGES), page = sysconf(_SC_PAGESIZE);
    uint64_t   memory = pages > 0 && page > 0 ? (uint64_t)pages * (uint64_t)page : (uint64_t)4 << 30;
    uint64_t   bytes = memory / 8;
    kt__env_bytes("KARAT_CACHE_LIMIT", &bytes);
    shared.large_limit = bytes;
    shared.small_limit = bytes / 4 < (64u << 20) ? bytes / 4 : 64u << 20;
    if (kt__floor_limit() == 0 && kt__env_bytes("KARAT_MEMORY_LIMIT", &bytes))
        kt__floor_set_limit(bytes);
    pthread_atfork(before_fork, after_fork_parent, after_fork_child);
}

/* Runs at load, before there are threads, so that a fork cannot interrupt initialization. */
__attribute__((constructor)) static void ready(void)
{
    pthread_once(&once, start);
}

bool kt__alloc_is_direct(void)
{
    ready();
    return direct;
}

/* ---- counting ---- */

static void raise_peak(int64_t to)
{
    int64_t peak = __atomic_load_n(&shared.peak, __ATOMIC_RELAXED);
    while (to > peak && !__atomic_compare_exchange_n(&shared.peak, &peak, to, true, __ATOMIC_RELAXED, __ATOMIC_RELAXED)) {
    }
}

/* Adds the thread's counts to the process totals; only the owner may call it. */
static void flush(kt__heap *h)
{
    if (h == &no_heap)
        return;
    const uint64_t epoch = __atomic_load_n(&shared.epoch, __ATOMIC_RELAXED);
    const int64_t  live = h->live, high = h->epoch == epoch ? h->high : live;
    h->epoch = epoch;
    KT__POKE(h->live, 0);
    KT__POKE(h->high, 0);
    const int64_t before = __atomic_fetch_add(&shared.live, live, __ATOMIC_RELAXED);
    raise_peak(before + high);
}

static void count_get(size_t bytes)
{
    flush(kt__my_heap);
    __atomic_fetch_add(&shared.gets, 1, __ATOMIC_RELAXED);
    raise_peak(__atomic_add_fetch(&shared.live, (int64_t)bytes, __ATOMIC_RELAXED));
}

static void count_put(size_t bytes)
{
    flush(kt__my_heap);
    __atomic_fetch_add(&shared.puts, 1, __ATOMIC_RELAXED);
    __atomic_fetch_sub(&shared.live, (int64_t)bytes, __ATOMIC_RELAXED);
}

/* ---- sizes ---- */

static size_t large_bytes(size_t bytes) /* eighths of a power of two; 0 when no address space can hold it */
{
    if (bytes > (size_t)PTRDIFF_MAX / 4)
        return 0;
    const unsigned power = 63 - (unsigned)__builtin_clzll(bytes - 1);
    const size_t   step = (size_t)1 << (power - 3);
    return (bytes + step - 1) & ~(step - 1);
}

static unsigned large_bin(size_t rounded)
{
    const size_t   last = rounded - 1;
    const unsigned power = 63 - (unsigned)__builtin_clzll(last);
    return (power - 16) * 8 + (unsigned)(last >> (power - 3) & 7);
}

static size_t align_of(size_t bytes)
{
    return bytes <= 48 ? 16 : LINE;
}

/* ---- large blocks ---- */

static void unlink_block(block *b)
{
    *b->bin_link = b->bin_next;
    if (b->bin_next)
        b->bin_next->bin_link = b->bin_link;
    *(b->older ? &b->older->newer : &shared.oldest) = b->newer;
    *(b->newer ? &b->newer->older : &shared.newest) = b->older;
    shared.large_bytes -= b->bytes;
}

static void link_block(block *b, size_t bytes)
{
    block **bin = &shared.bins[large_bin(bytes)];
    *b = (block){.bin_next = *bin, .bin_link = bin, .older = shared.newest, .bytes = bytes};
    if (*bin)
        (*bin)->bin_link = &b->bin_next;
    *bin = b;
    *(shared.newest ? &shared.newest->newer : &shared.oldest) = b;
    shared.newest = b;
    shared.large_bytes += bytes;
}

static void *large_get(size_t bytes)
{
    pthread_mutex_lock(&shared.lock);
    block *b = shared.bins[large_bin(bytes)];
    if (b)
        unlink_block(b);
    pthread_mutex_unlock(&shared.lock);
    return b ? (void *)b : kt__floor_get(bytes, LINE, bytes >= KT__MAP_MIN, kt_memory_trim);
}

static void give_back_large(block *chain)
{
    while (chain) {
        block *next = chain->bin_next;
        kt__floor_put(chain, chain->bytes, chain->bytes >= KT__MAP_MIN);
        chain = next;
    }
}

/* Takes the oldest blocks out until `room` more bytes fit under the limit. */
static block *evict(uint64_t limit, uint64_t room)
{
    block *chain = NULL;
    while (shared.oldest && shared.large_bytes + room > limit) {
        block *b = shared.oldest;
        unlink_block(b);
        b->bin_next = chain;
        chain = b;
    }
    return chain;
}

static void large_put(void *p, size_t bytes)
{
    if (bytes > shared.large_limit) {
        kt__floor_put(p, bytes, bytes >= KT__MAP_MIN);
        return;
    }
    pthread_mutex_lock(&shared.lock);
    block *out = evict(shared.large_limit, bytes);
    link_block(p, bytes);
    pthread_mutex_unlock(&shared.lock);
    give_back_large(out);
}

/* ---- small ones: between a thread's list and the shared one ---- */

static void give_back_small(void *chain, size_t size)
{
    while (chain) {
        void *next = *(void **)chain;
        kt__floor_put(chain, size, false);
        chain = next;
    }
}

/* Moves `n` records of the list (it has as many) to the shared list, or to the system when that is full. */
static void spill(kt__heap *h, unsigned c, int32_t n)
{
    if (n <= 0)
        return;
    kt__list    *list = &h->lists[c];
    const size_t size = kt__class_bytes(c);
    void        *first = list->head, *last = first;
    for (int32_t i = 1; i < n; i++)
        last = *(void **)last;
    list->head = *(void **)last;
    KT__POKE(list->room, list->room + n);
    pthread_mutex_lock(&shared.lock);
    const bool fits = shared.small_bytes + (uint64_t)n * size <= shared.small_limit;
    if (fits) {
        *(void **)last = shared.small[c];
        shared.small[c] = first;
        KT__POKE(shared.small_count[c], shared.small_count[c] + (uint64_t)n);
        shared.small_bytes += (uint64_t)n * size;
    }
    pthread_mutex_unlock(&shared.lock);
    if (!fits) {
        *(void **)last = NULL;
        give_back_small(first, size);
    }
}

/* Moves up to half a list from the shared one; the thread's list is empty. */
static void refill(kt__heap *h, unsigned c)
{
    kt__list *list = &h->lists[c];
    if (KT__PEEK(shared.small_count[c]) == 0)
        return;
    pthread_mutex_lock(&shared.lock);
    int32_t n = 0;
    void   *first = shared.small[c], *last = NULL;
    for (void *p = first; p && n < list->limit / 2; p = *(void **)p, n++)
        last = p;
    if (last) {
        shared.small[c] = *(void **)last;
        KT__POKE(shared.small_count[c], shared.small_count[c] - (uint64_t)n);
        shared.small_bytes -= (uint64_t)n * kt__class_bytes(c);
        *(void **)last = NULL;
        list->head = first;
        KT__POKE(list->room, list->room - n);
    }
    pthread_mutex_unlock(&shared.lock);
}

static int32_t held_by(const kt__list *list)
{
    return list->limit - KT__PEEK(list->room);
}

/* ---- a thread's heap ---- */

static void close_heap(kt__exit_hook *hook)
{
    (void)hook;
    kt__heap *h = kt__my_heap;
    kt__my_heap = &no_heap;
    for (unsigned c = 0; c < KT__CLASSES; c++)
        spill(h, c, held_by(&h->lists[c]));
    flush(h);
    pthread_mutex_lock(&shared.lock);
    __atomic_fetch_add(&shared.gets, h->gets, __ATOMIC_RELAXED);
    __atomic_fetch_add(&shared.puts, h->puts, __ATOMIC_RELAXED);
    *h->link = h->next;
    if (h->next)
        h->next->link = h->link;
    pthread_mutex_unlock(&shared.lock);
    free(h);
}

/* NULL when out of memory: the thread then works without free lists. */
static kt__heap *heap(void)
{
    kt__heap *h = kt__my_heap;
    if (h != &no_heap)
        return h;
    h = calloc(1, sizeof *h);
    if (!h || !kt__on_thread_exit(&h->at_exit, close_heap)) {
        free(h);
        return NULL;
    }
    for (unsigned c = 0; c < KT__CLASSES; c++) {
        const size_t fit = LIST_BYTES / kt__class_bytes(c);
        const size_t n = fit < LIST_LEAST ? LIST_LEAST : fit > LIST_MOST ? LIST_MOST : fit;
        h->lists[c].room = h->lists[c].limit = (int32_t)n;
    }
    h->epoch = __atomic_load_n(&shared.epoch, __ATOMIC_RELAXED);
    pthread_mutex_lock(&shared.lock);
    h->next = shared.heaps;
    h->link = &shared.heaps;
    if (h->next)
        h->next->link = &h->next;
    shared.heaps = h;
    pthread_mutex_unlock(&shared.lock);
    kt__my_heap = h;
    return h;
}

static void *small_get(unsigned c)
{
    const size_t size = kt__class_bytes(c);
    kt__heap    *h = heap();
    if (h) {
        void *p = kt__list_get(h, c, size);
        if (!p) {
            refill(h, c);
            p = kt__list_get(h, c, size);
        }
        if (p)
            return p;
    }
    void *p = kt__floor_get(size, align_of(size), false, kt_memory_trim);
    if (p)
        count_get(size);
    return p;
}

static void small_put(void *p, unsigned c)
{
    const size_t size = kt__class_bytes(c);
    kt__heap    *h = heap();
    if (!h) {
        count_put(size);
        kt__floor_put(p, size, false);
    } else if (!kt__list_put(h, c, size, p)) {
        spill(h, c, (h->lists[c].limit + 1) / 2);
        flush(h);
        kt__list_put(h, c, size, p);
    }
}

/* ---- the doors ---- */

static void *direct_get(size_t bytes, size_t align)
{
    void *p = kt__floor_get(bytes ? bytes : 1, align, false, NULL);
    if (p)
        count_get(bytes ? bytes : 1);
    return p;
}

static void direct_put(void *p, size_t bytes)
{
    count_put(bytes ? bytes : 1);
    kt__floor_put(p, bytes ? bytes : 1, false);
}

static void *any_get(size_t bytes, size_t *granted)
{
    if (bytes <= KT__SMALL_MAX) {
        const unsigned c = kt__size_class(bytes);
        *granted = kt__class_bytes(c);
        return small_get(c);
    }
    *granted = large_bytes(bytes);
    void *p = *granted ? large_get(*granted) : NULL;
    if (p)
        count_get(*granted);
    return p;
}

static void any_put(void *p, size_t bytes)
{
    if (bytes <= KT__SMALL_MAX) {
        small_put(p, kt__size_class(bytes));
    } else {
        const size_t size = large_bytes(bytes);
        count_put(size);
        large_put(p, size);
    }
}

KT__COLD void *kt__pool_get_slow(size_t bytes)
{
    size_t granted;
    ready();
    return direct ? direct_get(bytes, align_of(bytes)) : any_get(bytes, &granted);
}

KT__COLD void kt__pool_put_slow(void *p, size_t bytes)
{
    if (!p)
        return;
    if (direct) {
        direct_put(p, bytes);
    } else {
        any_put(p, bytes);
    }
}

static size_t at_least_a_line(size_t bytes) /* blocks are aligned to a cache line, so they are never smaller than one */
{
    return bytes < LINE ? LINE : bytes;
}

KT__HOT_LOCAL size_t kt__block_most;

void *kt__block_get(size_t bytes, size_t *granted)
{
    bytes = at_least_a_line(bytes);
    if (bytes <= KT__SMALL_MAX) {
        const unsigned c = kt__size_class(bytes);
        const size_t   size = kt__class_bytes(c);
        void          *p = kt__list_get(kt__my_heap, c, size);
        if (KT__LIKELY(p != NULL)) {
            *granted = size;
            return p;
        }
    }
    if (KT__UNLIKELY(kt__block_most && bytes > kt__block_most))
        return NULL;
    ready();
    if (direct) {
        *granted = bytes;
        return direct_get(bytes, LINE);
    }
    return any_get(bytes, granted);
}

void kt__block_put(void *p, size_t bytes)
{
    if (!p)
        return;
    bytes = at_least_a_line(bytes);
    if (bytes <= KT__SMALL_MAX) {
        const unsigned c = kt__size_class(bytes);
        if (KT__LIKELY(kt__list_put(kt__my_heap, c, kt__class_bytes(c), p)))
            return;
    }
    kt__pool_put_slow(p, bytes);
}

void *kt__system_get(size_t bytes)
{
    ready();
    return kt__floor_get(bytes, 16, false, direct ? NULL : kt_memory_trim);
}

void kt__system_put(void *p, size_t bytes)
{
    if (p)
        kt__floor_put(p, bytes, false);
}

/* ---- the public part ---- */

void kt_memory_read(kt_memory_stats *stats)
{
    if (!stats)
        return;
    kt_memory_stats s = {.size = stats->size};
    int64_t         live, high;
    flush(kt__my_heap);
    pthread_mutex_lock(&shared.lock);
    live = __atomic_load_n(&shared.live, __ATOMIC_RELAXED);
    high = __atomic_load_n(&shared.peak, __ATOMIC_RELAXED);
    uint64_t gets = __atomic_load_n(&shared.gets, __ATOMIC_RELAXED), puts = __atomic_load_n(&shared.puts, __ATOMIC_RELAXED);
    s.cached_bytes = shared.small_bytes + shared.large_bytes;
    for (const kt__heap *h = shared.heaps; h; h = h->next) {
        live += KT__PEEK(h->live);
        gets += KT__PEEK(h->gets);
        puts += KT__PEEK(h->puts);
        for (unsigned c = 0; c < KT__CLASSES; c++)
            s.cached_bytes += (uint64_t)held_by(&h->lists[c]) * kt__class_bytes(c);
    }
    pthread_mutex_unlock(&shared.lock);
    s.live_bytes = live > 0 ? (uint64_t)live : 0;
    s.live_blocks = gets > puts ? gets - puts : 0;
    s.peak_bytes = (uint64_t)(high > live ? high : live);
    s.total_allocations = gets;
    s.system_allocations = kt__floor_allocations();
    const size_t known = sizeof s;
    memcpy(stats, &s, stats->size && stats->size < known ? stats->size : known);
}

void kt_memory_reset_peak(void)
{
    flush(kt__my_heap);
    __atomic_fetch_add(&shared.epoch, 1, __ATOMIC_RELAXED);
    pthread_mutex_lock(&shared.lock);
    int64_t live = __atomic_load_n(&shared.live, __ATOMIC_RELAXED);
    for (const kt__heap *h = shared.heaps; h; h = h->next)
        live += KT__PEEK(h->live);
    __atomic_store_n(&shared.peak, live, __ATOMIC_RELAXED);
    pthread_mutex_unlock(&shared.lock);
}

void kt_memory_limit(uint64_t bytes)
{
    ready();
    kt__floor_set_limit(bytes);
    if (bytes && kt__floor_held() > bytes)
        kt_memory_trim();
}

bool kt__odd_memory;

void kt_memory_trim(void)
{
    void  *small[KT__CLASSES];
    ready();
    kt__heap *h = kt__my_heap;
    for (unsigned c = 0; h != &no_heap && c < KT__CLASSES; c++) {
        kt__list *list = &h->lists[c];
        give_back_small(list->head, kt__class_bytes(c));
        list->head = NULL;
        KT__POKE(list->room, list->limit);
    }
    pthread_mutex_lock(&shared.lock);
    memcpy(small, shared.small, sizeof small);
    memset(shared.small, 0, sizeof shared.small);
    for (unsigned c = 0; c < KT__CLASSES; c++)
        KT__POKE(shared.small_count[c], 0);
    shared.small_bytes = 0;
    block *large = evict(0, 0);
    pthread_mutex_unlock(&shared.lock);
    for (unsigned c = 0; c < KT__CLASSES; c++)
        give_back_small(small[c], kt__class_bytes(c));
    give_back_large(large);
}
