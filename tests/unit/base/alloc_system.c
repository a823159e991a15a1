/* alloc_system.c - the tests of alloc.c once more, with KARAT_ALLOC=system: no caches, every request reaches the system. */
#include "alloc.c"

__attribute__((constructor(101))) static void turn_caches_off(void)
{
    setenv("KARAT_ALLOC", "system", 1);
}

TEST(caches_are_off)
{
    size_t granted;
    CHECK(kt__alloc_is_direct());
    const uint64_t system = stats().system_allocations;
    for (int i = 0; i < 10; i++) {
        kt__pool_put(kt__pool_get(100), 100);
        void *p = kt__block_get(1000, &granted);
        CHECK_EQ_INT(granted, 1000);
        kt__block_put(p, granted);
    }
    CHECK_EQ_INT(stats().system_allocations - system, 20);
    CHECK_EQ_INT(stats().cached_bytes, 0);
}

TEST(every_allocation_can_be_made_to_fail)
{
    for (int n = 0; n < 6; n++) { /* warm or not: there is nothing to be warm */
        void *p[6];
        kt_memory_fail_after(n);
        for (int i = 0; i < 6; i++) {
            p[i] = kt__pool_get(64);
            CHECK_EQ_INT(p[i] == NULL, i == n);
        }
        for (int i = 0; i < 6; i++)
            kt__pool_put(p[i], 64);
    }
}
