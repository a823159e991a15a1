/* alloc.h - memory: small records and tensor data, both cached; both can fail.
 *
 * In: sizes. Out: memory, or NULL (never an abort). Independent of: what is stored.
 *
 * Up to 64 KiB a request is rounded up to one of 43 sizes, each with a free list in the heap of the thread: a hit takes
 * no lock and no atomic operation. A list is bounded: the surplus goes to lists shared by all threads, which a thread
 * with an empty list asks first. Memory may be released on another thread than the one that allocated it. Larger blocks
 * are cached in bins behind a mutex. Sizes are a function of the request alone, so the release needs only the number of
 * bytes asked for or granted.
 *
 * Alignment: 64 bytes; records of up to 48 bytes: 16.
 *
 * KARAT_ALLOC=system, and every build with the address sanitizer, turns all caches off: each request then reaches the
 * system. Tests that let the n-th allocation fail (kt_memory_fail_after) run that way: the failure is injected below the
 * caches, where a cache hit would never arrive. */
#ifndef KT_BASE_ALLOC_H
#define KT_BASE_ALLOC_H

#include "base/local.h"

#include <karat/base.h>

enum {
    KT__RECORD_MAX = 1024,  /* the inline path of kt__pool_get */
    KT__SMALL_MAX  = 65536, /* the free lists */
    KT__CLASSES    = 43     /* 16, 32, 48; 64 to 1024 by 64; to 64 KiB in quarters of a power of two */
};

typedef struct kt__list {
    void   *head;  /* each free record begins with the pointer to the next */
    int32_t room;  /* how many more it may hold */
    int32_t limit; /* room of the empty list */
} kt__list;

typedef struct kt__heap {
    kt__list         lists[KT__CLASSES];
    int64_t          live;  /* bytes handed out less bytes taken back since the last flush to the process's count */
    uint64_t         epoch; /* of kt_memory_reset_peak, when `high` was last begun */
    int64_t          high;  /* the most of `live` */
    struct kt__heap *next;
    uint64_t         gets;
    struct kt__heap **link;
    uint64_t         puts;
    kt__exit_hook    at_exit;
} kt__heap;

/* Never NULL: a thread without a heap points at an empty one whose lists have no room. */
extern KT__HOT_LOCAL kt__heap *kt__my_heap;

/* ---- what belongs to a size ---- */
static inline unsigned kt__size_class(size_t bytes) /* bytes <= KT__SMALL_MAX */
{
    if (bytes <= 48)
        return bytes ? (unsigned)(bytes - 1) / 16 : 0;
    if (bytes <= 1024)
        return 3 + (unsigned)(bytes - 1) / 64;
    const unsigned last = (unsigned)bytes - 1, power = 31 - (unsigned)__builtin_clz(last);
    return 19 + (power - 10) * 4 + (last >> (power - 2) & 3);
}

static inline size_t kt__class_bytes(unsigned c)
{
    return c < 3 ? (c + 1) * 16 : c < 19 ? (c - 2) * (size_t)64 : (size_t)(5 + (c - 19) % 4) << (8 + (c - 19) / 4);
}

/* ---- records: tensor records, tape nodes ---- */
void *kt__pool_get_slow(size_t bytes);
void  kt__pool_put_slow(void *p, size_t bytes);

static inline void *kt__list_get(kt__heap *h, unsigned c, size_t size)
{
    kt__list *list = &h->lists[c];
    void     *p = list->head;
    if (KT__LIKELY(p != NULL)) {
        const int64_t live = h->live + (int64_t)size;
        list->head = *(void **)p;
        KT__POKE(list->room, list->room + 1);
        KT__POKE(h->gets, h->gets + 1);
        KT__POKE(h->live, live);
        if (live > h->high)
            KT__POKE(h->high, live);
    }
    return p;
}

static inline bool kt__list_put(kt__heap *h, unsigned c, size_t size, void *p)
{
    kt__list *list = &h->lists[c];
    if (KT__UNLIKELY(list->room <= 0))
        return false;
    *(void **)p = list->head;
    list->head = p;
    KT__POKE(list->room, list->room - 1);
    KT__POKE(h->puts, h->puts + 1);
    KT__POKE(h->live, h->live - (int64_t)size);
    return true;
}

static inline void *kt__pool_get(size_t bytes)
{
    if (KT__LIKELY(bytes <= KT__RECORD_MAX)) {
        const unsigned c = kt__size_class(bytes);
        void          *p = kt__list_get(kt__my_heap, c, kt__class_bytes(c));
        if (KT__LIKELY(p != NULL))
            return p;
    }
    return kt__pool_get_slow(bytes);
}

static inline void kt__pool_put(void *p, size_t bytes) /* the bytes asked for; NULL is fine */
{
    if (KT__LIKELY(bytes <= KT__RECORD_MAX && p != NULL)) {
        const unsigned c = kt__size_class(bytes);
        if (KT__LIKELY(kt__list_put(kt__my_heap, c, kt__class_bytes(c), p)))
            return;
    }
    kt__pool_put_slow(p, bytes);
}

/* ---- blocks: tensor data ---- */
void *kt__block_get(size_t bytes, size_t *granted); /* NULL without memory; *granted >= bytes */
void  kt__block_put(void *p, size_t bytes);         /* the bytes asked for or granted; NULL is fine */
extern KT__HOT_LOCAL size_t kt__block_most;         /* largest block of this thread; above KT__SMALL_MAX, or 0: no bound */

/* ---- bookkeeping memory of the base layer: can fail and be made to fail, not part of the live bytes ---- */
void *kt__system_get(size_t bytes);
void  kt__system_put(void *p, size_t bytes);

bool kt__alloc_is_direct(void); /* are caches off? */

/* Has unaligned foreign memory (not at a multiple of 8 bytes) been wrapped? Until then no kernel checks addresses. */
extern KT__HIDDEN bool kt__odd_memory; /* atomic */

#endif
