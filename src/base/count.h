/* count.h - reference counts. In: a counter. Out: whether the last reference was dropped. Independent of: what is counted.
 *
 * An atomic read-modify-write costs several times a load and a store. It is used only where needed: not for the last
 * reference, and not in a single-threaded process (the C library knows). */
#ifndef KT_BASE_COUNT_H
#define KT_BASE_COUNT_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#if defined(__has_include)
#if __has_include(<sys/single_threaded.h>)
#include <sys/single_threaded.h>
#define KT__ONE_THREAD __libc_single_threaded
#endif
#endif
#ifndef KT__ONE_THREAD
#define KT__ONE_THREAD 0
#endif

static inline void kt__count_up(_Atomic int32_t *count)
{
    if (KT__ONE_THREAD)
        atomic_store_explicit(count, atomic_load_explicit(count, memory_order_relaxed) + 1, memory_order_relaxed);
    else
        atomic_fetch_add_explicit(count, 1, memory_order_relaxed);
}

/* True: that was the last reference. The count is then no longer updated. */
static inline bool kt__count_down(_Atomic int32_t *count)
{
    int32_t now = atomic_load_explicit(count, memory_order_acquire);
    if (now == 1)
        return true;
    if (KT__ONE_THREAD) {
        atomic_store_explicit(count, now - 1, memory_order_relaxed);
        return false;
    }
    return atomic_fetch_sub_explicit(count, 1, memory_order_acq_rel) == 1;
}

#endif
