/* alloc.c - the caching allocator: sizes, alignment, reuse, counts, limit, refusals, threads.
 *
 * The same tests run with the caches off in alloc_system.c; what only caches can show asks kt__alloc_is_direct. */
#include "harness.h"

#include "base/alloc.h"
#include "base/error.h"
#include "base/system.h"

#include <pthread.h>
#include <stdlib.h>

static kt_memory_stats stats(void)
{
    kt_memory_stats s = {.size = sizeof s};
    kt_memory_read(&s);
    return s;
}

static bool aligned(const void *p, size_t to)
{
    return (uintptr_t)p % to == 0;
}

TEST(size_classes_are_consistent)
{
    size_t before = 0;
    for (unsigned c = 0; c < KT__CLASSES; c++) {
        const size_t size = kt__class_bytes(c);
        CHECK(size > before);
        CHECK_EQ_INT(kt__size_class(size), c);
        CHECK_EQ_INT(kt__size_class(before + 1), c);
        CHECK(size % (size < 64 ? 16 : 64) == 0);
        CHECK(before < 256 || size * 4 <= before * 5); /* no more than a quarter is wasted */
        before = size;
    }
    CHECK_EQ_INT(before, KT__SMALL_MAX);
    CHECK_EQ_INT(kt__size_class(0), 0);
}

TEST(records_of_every_size)
{
    enum { MOST = 1100 };
    static unsigned char *records[MOST + 1];
    const kt_memory_stats before = stats();
    for (size_t n = 0; n <= MOST; n++) {
        records[n] = kt__pool_get(n);
        REQUIRE(records[n] != NULL);
        CHECK(aligned(records[n], n > 48 ? 64 : 16));
        memset(records[n], (int)n, n);
    }
    CHECK_EQ_INT(stats().live_blocks - before.live_blocks, MOST + 1);
    for (size_t n = 0; n <= MOST; n++) {
        for (size_t i = 0; i < n; i++) {
            if (records[n][i] != (unsigned char)n) {
                CHECK_MSG(false, "record of %zu bytes was overwritten at %zu", n, i);
                break;
            }
        }
        kt__pool_put(records[n], n);
    }
    kt__pool_put(NULL, 10);
    CHECK_EQ_INT(stats().live_bytes, before.live_bytes);
    CHECK_EQ_INT(stats().live_blocks, before.live_blocks);
    CHECK_EQ_INT(stats().total_allocations - before.total_allocations, MOST + 1);
}

TEST(blocks_of_many_sizes)
{
    const kt_memory_stats before = stats();
    for (size_t n = 1; n < (size_t)40 << 20; n += 1 + n / 3) {
        size_t         granted = 0, live = stats().live_bytes;
        unsigned char *p = kt__block_get(n, &granted);
        REQUIRE(p != NULL);
        CHECK(granted >= n && (granted <= 64 || granted <= n + 63 + n / 4));
        CHECK(aligned(p, granted >= KT__MAP_MIN && !kt__alloc_is_direct() ? 256 : 64));
        CHECK_EQ_INT(stats().live_bytes - live, granted);
        p[0] = p[granted / 2] = p[granted - 1] = 1;
        kt__block_put(p, n % 2 ? n : granted); /* either number will do */
        CHECK_EQ_INT(stats().live_bytes, live);
    }
    kt__block_put(NULL, 10);
    CHECK_EQ_INT(stats().live_blocks, before.live_blocks);
}

TEST(mapped_blocks_begin_at_different_lines_of_a_page)
{
    if (kt__alloc_is_direct()) {
        test_skip("blocks are not mapped");
        return;
    }
    enum { BLOCKS = 16, PAGE = 4096 };
    unsigned char *block[BLOCKS];
    size_t         granted[BLOCKS];
    for (int i = 0; i < BLOCKS; i++) {
        block[i] = kt__block_get(KT__MAP_MIN, &granted[i]);
        REQUIRE(block[i] != NULL);
        block[i][0] = block[i][granted[i] - 1] = 1;
        for (int j = 0; j < i; j++)
            CHECK((uintptr_t)block[i] % PAGE != (uintptr_t)block[j] % PAGE);
    }
    for (int i = 0; i < BLOCKS; i++)
        kt__block_put(block[i], granted[i]);
}

TEST(memory_is_reused)
{
    if (kt__alloc_is_direct()) {
        test_skip("the caches are off");
        return;
    }
    const size_t sizes[] = {16, 200, 1024, 5000, 65536, 70000, 300000, 5 << 20, 16 << 20};
    for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; i++) {
        size_t granted;
        void  *p = kt__block_get(sizes[i], &granted);
        REQUIRE(p != NULL);
        kt__block_put(p, granted);
        const uint64_t system = stats().system_allocations;
        for (int k = 0; k < 10; k++) {
            void *q = kt__block_get(sizes[i] - (size_t)k % 3, &granted);
            CHECK(q == p);
            kt__block_put(q, granted);
        }
        CHECK_EQ_INT(stats().system_allocations, system);
    }
    CHECK(stats().cached_bytes >= 21 << 20);
    kt_memory_trim();
    CHECK_EQ_INT(stats().cached_bytes, 0);
}

TEST(lists_are_bounded)
{
    if (kt__alloc_is_direct()) {
        test_skip("the caches are off");
        return;
    }
    enum { COUNT = 20000 };
    static void *records[COUNT];
    kt_memory_trim();
    const kt_memory_stats before = stats();
    for (int i = 0; i < COUNT; i++) {
        records[i] = kt__pool_get(256);
        REQUIRE(records[i] != NULL);
    }
    CHECK_EQ_INT(stats().live_bytes - before.live_bytes, COUNT * 256);
    for (int i = 0; i < COUNT; i++)
        kt__pool_put(records[i], 256);
    CHECK_EQ_INT(stats().live_bytes, before.live_bytes);
    CHECK(kt__my_heap->lists[kt__size_class(256)].limit * 256 < COUNT * 256 / 4); /* the rest went to the shared list */
    const uint64_t system = stats().system_allocations;
    for (int i = 0; i < COUNT; i++)
        records[i] = kt__pool_get(256);
    CHECK_EQ_INT(stats().system_allocations, system); /* and came back from there */
    for (int i = 0; i < COUNT; i++)
        kt__pool_put(records[i], 256);
    kt_memory_trim();
    CHECK_EQ_INT(stats().cached_bytes, 0);
}

TEST(the_peak)
{
    size_t   a, b, c;
    uint64_t live = stats().live_bytes;
    kt_memory_reset_peak();
    CHECK_EQ_INT(stats().peak_bytes, live);
    void *p = kt__block_get(1 << 20, &a), *q = kt__block_get(3 << 20, &b);
    kt__block_put(p, a);
    void *r = kt__block_get(200, &c);
    CHECK(p && q && r);
    CHECK_EQ_INT(stats().peak_bytes, live + a + b);
    kt__block_put(q, b);
    kt__block_put(r, c);
    CHECK_EQ_INT(stats().peak_bytes, live + a + b);
    kt_memory_reset_peak();
    for (int i = 0; i < 3; i++) { /* small ones count too, from the free lists as well */
        void *s = kt__pool_get(512), *t = kt__pool_get(512);
        kt__pool_put(s, 512);
        kt__pool_put(t, 512);
    }
    CHECK_EQ_INT(stats().peak_bytes, live + 1024);
    CHECK_EQ_INT(stats().live_bytes, live);
}

TEST(an_older_caller_gets_the_fields_it_knows)
{
    kt_memory_stats s;
    memset(&s, 0xee, sizeof s);
    s.size = offsetof(kt_memory_stats, cached_bytes);
    kt_memory_read(&s);
    CHECK_EQ_INT(s.size, offsetof(kt_memory_stats, cached_bytes));
    CHECK(s.live_blocks != UINT64_C(0xeeeeeeeeeeeeeeee));
    CHECK_EQ_U64(s.cached_bytes, UINT64_C(0xeeeeeeeeeeeeeeee));
}

TEST(impossible_sizes_are_refused)
{
    const size_t sizes[] = {SIZE_MAX, SIZE_MAX - 63, SIZE_MAX / 2, (size_t)PTRDIFF_MAX / 4, (size_t)1 << 50};
    const kt_memory_stats before = stats();
    for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; i++) {
        size_t granted = 0;
        CHECK(kt__block_get(sizes[i], &granted) == NULL);
        CHECK(kt__pool_get(sizes[i]) == NULL);
    }
    CHECK_EQ_INT(stats().live_bytes, before.live_bytes);
    CHECK(!kt_failed()); /* the allocator says no; the caller says why */
}

TEST(the_limit)
{
    size_t         a, b;
    const uint64_t held = (kt_memory_trim(), kt__floor_held());
    kt_memory_limit(held + (8 << 20));
    void *p = kt__block_get(6 << 20, &a);
    CHECK(p != NULL);
    CHECK(kt__block_get(4 << 20, &b) == NULL);
    kt__block_put(p, a); /* now cached, and in the way until it is trimmed */
    void *q = kt__block_get(7 << 20, &b);
    CHECK(q != NULL);
    kt__block_put(q, b);
    kt_memory_limit(held + 4096);
    CHECK(kt__floor_held() <= held + 4096);
    CHECK(kt__block_get(7 << 20, &b) == NULL);
    kt_memory_limit(0);
    q = kt__block_get(7 << 20, &b);
    CHECK(q != NULL);
    kt__block_put(q, b);
    kt_memory_trim();
    CHECK_EQ_INT(kt__floor_held(), held);
}

TEST(the_nth_allocation_fails)
{
    size_t granted;
    for (int n = 0; n < 5; n++) {
        kt_memory_trim(); /* cold caches: each request below reaches the system */
        kt_memory_fail_after(n);
        for (int i = 0; i < 5; i++) {
            void *p = i % 2 ? kt__pool_get(100 + 128 * (size_t)i) : kt__block_get(100000 << i, &granted);
            CHECK_EQ_INT(p == NULL, i == n);
            if (i % 2) {
                kt__pool_put(p, 100 + 128 * (size_t)i);
            } else {
                kt__block_put(p, granted);
            }
        }
    }
    kt_memory_trim();
    kt_memory_fail_after(0);
    kt_memory_fail_after(-1);
    void *p = kt__block_get(70000, &granted);
    CHECK(p != NULL);
    kt__block_put(p, granted);
}

enum { PASSED = 5000 };

static void *free_all(void *arg)
{
    void **records = arg;
    for (int i = 0; i < PASSED; i++)
        kt__pool_put(records[i], 320);
    return NULL;
}

TEST(released_on_another_thread)
{
    static void *records[PASSED];
    const kt_memory_stats before = stats();
    for (int round = 0; round < 3; round++) {
        for (int i = 0; i < PASSED; i++) {
            records[i] = kt__pool_get(320);
            REQUIRE(records[i] != NULL);
            memset(records[i], round, 320);
        }
        pthread_t thread;
        REQUIRE(pthread_create(&thread, NULL, free_all, records) == 0);
        pthread_join(thread, NULL);
        CHECK_EQ_INT(stats().live_bytes, before.live_bytes);
        CHECK_EQ_INT(stats().live_blocks, before.live_blocks);
    }
    if (!kt__alloc_is_direct()) { /* what the threads held when they ended was there to be taken again */
        CHECK(stats().system_allocations - before.system_allocations <= PASSED);
    }
}

static void *make_and_keep(void *arg)
{
    void **out = arg;
    size_t granted;
    for (int i = 0; i < 100; i++) {
        out[i] = kt__pool_get(640);
        void *p = kt__block_get(3000, &granted);
        kt__block_put(p, granted);
    }
    return NULL;
}

TEST(memory_outlives_its_thread)
{
    void                 *records[100];
    const kt_memory_stats before = stats();
    pthread_t             thread;
    REQUIRE(pthread_create(&thread, NULL, make_and_keep, records) == 0);
    pthread_join(thread, NULL);
    CHECK_EQ_INT(stats().live_bytes - before.live_bytes, 64000);
    for (int i = 0; i < 100; i++) {
        REQUIRE(records[i] != NULL);
        memset(records[i], i, 640);
        kt__pool_put(records[i], 640);
    }
    CHECK_EQ_INT(stats().live_bytes, before.live_bytes);
    CHECK_EQ_INT(stats().total_allocations - before.total_allocations, 200);
}

/* Each slot is taken and filled by whoever comes; memory wanders between the threads. */
enum { SLOTS = 64, ROUNDS = 20000, WORKERS = 3 };

static struct slot {
    pthread_mutex_t lock;
    unsigned char  *p;
    size_t          bytes;
} slots[SLOTS];

static void *wander(void *arg)
{
    uint64_t x = (uint64_t)(uintptr_t)arg * 2654435761u + 1;
    for (int i = 0; i < ROUNDS; i++) {
        x = x * 6364136223846793005u + 1442695040888963407u;
        struct slot *s = &slots[x >> 58];
        size_t       bytes = (x >> 30 & 7) ? (x >> 33) % 2000 + 1 : (x >> 33) % 200000 + 1, granted;
        pthread_mutex_lock(&s->lock);
        if (s->p) {
            if (s->p[0] != (unsigned char)s->bytes || s->p[s->bytes - 1] != (unsigned char)s->bytes)
                CHECK_MSG(false, "a block of %zu bytes changed", s->bytes);
            kt__block_put(s->p, s->bytes);
        }
        s->bytes = bytes;
        s->p = kt__block_get(bytes, &granted);
        if (s->p)
            s->p[0] = s->p[bytes - 1] = (unsigned char)bytes;
        pthread_mutex_unlock(&s->lock);
        if (i % 5000 == 4999) {
            kt_memory_stats now = {.size = sizeof now};
            kt_memory_read(&now);
            kt_memory_trim();
        }
    }
    return NULL;
}

TEST(blocks_wander_between_threads)
{
    const kt_memory_stats before = stats();
    pthread_t             threads[WORKERS];
    for (int i = 0; i < SLOTS; i++)
        pthread_mutex_init(&slots[i].lock, NULL);
    for (uintptr_t i = 0; i < WORKERS; i++)
        REQUIRE(pthread_create(&threads[i], NULL, wander, (void *)(i + 1)) == 0);
    for (int i = 0; i < WORKERS; i++)
        pthread_join(threads[i], NULL);
    for (int i = 0; i < SLOTS; i++) {
        kt__block_put(slots[i].p, slots[i].bytes);
        slots[i].p = NULL;
    }
    CHECK_EQ_INT(stats().live_bytes, before.live_bytes);
    CHECK_EQ_INT(stats().live_blocks, before.live_blocks);
    CHECK_EQ_INT(stats().total_allocations - before.total_allocations, WORKERS * ROUNDS);
    kt_memory_trim();
    CHECK_EQ_INT(stats().cached_bytes, 0);
}
