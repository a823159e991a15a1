/* speed.c - what a hit costs, printed: a record, a site, each without any change to the tables. */
#include "harness.h"
#include "lineage/lineage.h"

#include <karat/plugin/site.h>
#include <time.h>

enum { REPEATS = 9, CALLS = 200000, SITES = 64 };

static char codes[4];
static int  turn;

static bool now(uintptr_t *code, int32_t *offset)
{
    *code = (uintptr_t)&codes[turn & 3];
    *offset = turn++ & (SITES - 1);
    return true;
}

static bool locate(uintptr_t code, int32_t offset, char *file, size_t room, int *line)
{
    (void)code, (void)offset, (void)file, (void)room, (void)line;
    return false;
}

static const kt_site_source source = {.abi = KT_SITE_ABI, .size = sizeof source, .now = now, .locate = locate};
static volatile uint32_t    sink;

static void site(void)
{
    sink = kt__site_now();
}

static void record(void)
{
    sink = kt__lineage_record(KT_WHY_PROMOTION, "add", KT_F32, KT_F64, 1);
}

static void asking(void)
{
    uintptr_t code;
    int32_t   offset;
    source.now(&code, &offset);
    sink = (uint32_t)offset;
}

static double now_ns(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec * 1e9 + (double)t.tv_nsec;
}

static void print_best(const char *name, void (*work)(void))
{
    double best = 1e300;
    for (int i = 0; i < SITES; i++)
        work();
    const uint32_t records = kt__lineage_count(), sites = kt__site_count();
    for (int r = 0; r < REPEATS; r++) {
        const double start = now_ns();
        for (int i = 0; i < CALLS; i++)
            work();
        const double took = (now_ns() - start) / CALLS;
        best = took < best ? took : best;
    }
    CHECK_EQ_INT(kt__lineage_count(), records);
    CHECK_EQ_INT(kt__site_count(), sites);
    printf("%-44s %8.2f ns\n", name, best);
}

TEST(hits)
{
    static const kt_site line = {"speed.c", 1};
    print_best("site: none", site);
    print_best("record hit, no site", record);
    kt_site_set(&line);
    print_best("site hit, in C", site);
    print_best("record hit, site in C", record);
    kt_site_set(NULL);
    REQUIRE(kt_site_register(&source) == KT_OK);
    print_best("now() of a binding, alone", asking);
    print_best("site hit, 64 lines of a binding", site);
    print_best("record hit, 64 lines of a binding", record);
}
