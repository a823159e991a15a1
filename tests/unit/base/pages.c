/* pages.c - blocks that are mapped: where they begin, and that all of a mapping is given back, also where pages are large. */
#include "harness.h"

#include "base/system.h"

#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

enum { BLOCKS = 40, MOST = 4 * BLOCKS, PAGE = 64 << 10 };

static uintptr_t begins[MOST];
static size_t    lengths[MOST];
static int       unmapped;

/* In place of the C library's. */
int munmap(void *p, size_t bytes)
{
    if (unmapped < MOST)
        begins[unmapped] = (uintptr_t)p, lengths[unmapped] = bytes;
    unmapped++;
    return (int)syscall(SYS_munmap, p, bytes);
}

TEST(what_follows_a_block_is_unmapped_at_a_page_of_64_KiB)
{
    const size_t bytes = KT__MAP_MIN + PAGE;
    int          ends = 0;
    for (int i = 0; i < BLOCKS; i++) {
        unmapped = 0;
        char *p = kt__floor_get(bytes, 64, true, NULL);
        CHECK(p != NULL);
        p[0] = p[bytes - 1] = 1;
        for (int k = 0; k < unmapped; k++)
            if (begins[k] > (uintptr_t)p) {
                CHECK(begins[k] % PAGE == 0 && begins[k] >= (uintptr_t)p + bytes);
                ends++;
            }
        const uintptr_t end = unmapped > 0 ? begins[unmapped - 1] : 0;
        unmapped = 0;
        kt__floor_put(p, bytes, true);
        CHECK_EQ_INT(unmapped, 1);
        CHECK(begins[0] <= (uintptr_t)p && begins[0] % PAGE == 0);
        CHECK(end < (uintptr_t)p || begins[0] + lengths[0] == end);
    }
    CHECK(ends > 0);
}

TEST(blocks_begin_at_different_lines_of_a_page)
{
    enum { PLACES = 16 };
    void *p[PLACES];
    for (int i = 0; i < PLACES; i++) {
        p[i] = kt__floor_get(KT__MAP_MIN, 64, true, NULL);
        CHECK(p[i] && (uintptr_t)p[i] % 256 == 0);
        for (int k = 0; k < i; k++)
            CHECK((uintptr_t)p[k] % 4096 != (uintptr_t)p[i] % 4096);
    }
    for (int i = 0; i < PLACES; i++)
        kt__floor_put(p[i], KT__MAP_MIN, true);
}
