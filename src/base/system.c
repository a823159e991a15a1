/* system.c - allocates memory from the system and returns it, within the limit.
 *
 * In: sizes. Out: memory, or NULL. Independent of: caches, threads' heaps. */
#include "base/system.h"

#include <karat/base.h>

#include <stdlib.h>
#include <sys/mman.h>

/* Sanitizers end the process when out of memory unless told that allocation may return NULL. */
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define SANITIZER 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
#define SANITIZER 1
#endif
#endif
#ifdef SANITIZER
KT_API const char *__asan_default_options(void);
KT_API const char *__tsan_default_options(void);

const char *__asan_default_options(void)
{
    return "allocator_may_return_null=1";
}

const char *__tsan_default_options(void)
{
    return "allocator_may_return_null=1";
}
#endif

static uint64_t in_use, granted, limit;
static int64_t  countdown = -1;

/* Is this the allocation that a test wants to fail? */
static bool injected(void)
{
    int64_t n = __atomic_load_n(&countdown, __ATOMIC_RELAXED);
    while (n >= 0 && !__atomic_compare_exchange_n(&countdown, &n, n - 1, true, __ATOMIC_RELAXED, __ATOMIC_RELAXED)) {
    }
    return n == 0;
}

void kt_memory_fail_after(int64_t n)
{
    __atomic_store_n(&countdown, n < 0 ? -1 : n, __ATOMIC_RELAXED);
}

/* Mapped blocks begin at different lines of a page: rows of operands that all began at the same one would take each other's
 * places in the caches. */
enum { HUGE_PAGE = 2 << 20, LARGEST_PAGE = 64 << 10, STAGGER = 256, PLACES = 16 };

/* mmap aligns to the page size only: map a huge page more and unmap the ends. Those are whole pages, of whatever size: where a
 * page has 64 KiB, an end that began after 4 KiB could not be unmapped. */
static void *map(size_t wanted)
{
    static unsigned blocks;
    const size_t    huge = HUGE_PAGE, bytes = wanted + LARGEST_PAGE, mapped = bytes + huge;
    const size_t    place = __atomic_fetch_add(&blocks, 5, __ATOMIC_RELAXED) % PLACES * STAGGER;
    char           *p = mmap(NULL, mapped, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (p == MAP_FAILED)
        return NULL;
    const size_t before = (huge - (uintptr_t)p % huge) % huge, after = mapped - before - bytes;
    if (before)
        munmap(p, before);
    if (after)
        munmap(p + before + bytes, after);
#ifdef MADV_HUGEPAGE
    madvise(p + before, bytes, MADV_HUGEPAGE); /* advice: a refusal costs only speed */
#endif
    return p + before + place;
}

static void unmap(void *p, size_t wanted)
{
    munmap((char *)p - (uintptr_t)p % HUGE_PAGE, wanted + LARGEST_PAGE);
}

static void *once(size_t bytes, size_t align, bool mapped)
{
    const uint64_t most = __atomic_load_n(&limit, __ATOMIC_RELAXED);
    const uint64_t now = __atomic_add_fetch(&in_use, bytes, __ATOMIC_RELAXED);
    void          *p = NULL;
    if (most == 0 || now <= most) {
        if (mapped) {
            p = map(bytes);
        } else if (posix_memalign(&p, align, bytes) != 0) {
            p = NULL;
        }
    }
    if (p) {
        __atomic_fetch_add(&granted, 1, __ATOMIC_RELAXED);
    } else {
        __atomic_fetch_sub(&in_use, bytes, __ATOMIC_RELAXED);
    }
    return p;
}

void *kt__floor_get(size_t bytes, size_t align, bool mapped, void (*trim)(void))
{
    if (injected())
        return NULL;
    void *p = once(bytes, align, mapped);
    if (!p && trim) {
        trim();
        p = once(bytes, align, mapped);
    }
    return p;
}

void kt__floor_put(void *p, size_t bytes, bool mapped)
{
    if (mapped) {
        unmap(p, bytes);
    } else {
        free(p);
    }
    __atomic_fetch_sub(&in_use, bytes, __ATOMIC_RELAXED);
}

uint64_t kt__floor_held(void)
{
    return __atomic_load_n(&in_use, __ATOMIC_RELAXED);
}

uint64_t kt__floor_allocations(void)
{
    return __atomic_load_n(&granted, __ATOMIC_RELAXED);
}

uint64_t kt__floor_limit(void)
{
    return __atomic_load_n(&limit, __ATOMIC_RELAXED);
}

void kt__floor_set_limit(uint64_t bytes)
{
    __atomic_store_n(&limit, bytes, __ATOMIC_RELAXED);
}
