/* alloc_env.c - the limits that the environment sets: KARAT_MEMORY_LIMIT and KARAT_CACHE_LIMIT. */
#include "harness.h"

#include "base/alloc.h"
#include "base/system.h"

#include <stdlib.h>

__attribute__((constructor(101))) static void set_limits(void)
{
    setenv("KARAT_MEMORY_LIMIT", "64m", 1);
    setenv("KARAT_CACHE_LIMIT", "8m", 1);
}

static uint64_t cached(void)
{
    kt_memory_stats s = {.size = sizeof s};
    kt_memory_read(&s);
    return s.cached_bytes;
}

TEST(the_memory_limit_of_the_environment)
{
    size_t granted;
    void  *p = kt__block_get(32 << 20, &granted);
    CHECK(p != NULL);
    CHECK_EQ_INT(kt__floor_limit(), 64 << 20);
    CHECK(kt__block_get(40 << 20, &granted) == NULL);
    kt__block_put(p, 32 << 20);
}

TEST(the_cache_keeps_the_newest)
{
    enum { MIB = 1 << 20 };
    void  *p[6];
    size_t granted;
    if (kt__alloc_is_direct()) {
        test_skip("the caches are off");
        return;
    }
    kt_memory_trim();
    const size_t sizes[6] = {MIB, 2 * MIB, 3 * MIB, 4 * MIB, 2 * MIB, 32 * MIB};
    for (int i = 0; i < 6; i++) {
        p[i] = kt__block_get(sizes[i], &granted);
        REQUIRE(p[i] != NULL);
        CHECK_EQ_INT(granted, sizes[i]);
    }
    kt__block_put(p[5], sizes[5]);
    CHECK_EQ_INT(cached(), 0); /* larger than the cache */
    for (int i = 0; i < 5; i++) {
        kt__block_put(p[i], sizes[i]);
        CHECK(cached() <= 8 * MIB);
    }
    CHECK_EQ_INT(cached(), 6 * MIB); /* 4 and 2 MiB: the older ones made room */
    CHECK(kt__block_get(2 * MIB, &granted) == p[4]);
    CHECK(kt__block_get(4 * MIB, &granted) == p[3]);
    kt__block_put(p[3], 4 * MIB);
    kt__block_put(p[4], 2 * MIB);
    kt_memory_trim();
    CHECK_EQ_INT(cached(), 0);
}
