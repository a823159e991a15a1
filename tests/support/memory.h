/* memory.h - how much memory tensors use now: the same before and after means that nothing was kept. */
#ifndef KT_TEST_MEMORY_H
#define KT_TEST_MEMORY_H

#include <karat/karat.h>

static inline uint64_t live_bytes(void)
{
    kt_memory_stats stats = {.size = sizeof stats};
    kt_memory_read(&stats);
    return stats.live_bytes;
}

#endif
