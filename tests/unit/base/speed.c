/* speed.c - what the hot paths of the base layer cost, printed; nothing here can fail for being slow.
 *
 * Beside bench/ because these functions are internal: the shared library does not show them. */
#include "harness.h"

#include "base/alloc.h"
#include "base/error.h"
#include "base/scope.h"
#include "base/thread.h"

#include <time.h>

enum { REPEATS = 5 };

static void *volatile sink;

static double now_ns(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec * 1e9 + (double)t.tv_nsec;
}

static void print_best(const char *name, void (*work)(int n), int n)
{
    double best = 1e300;
    work(n / 10 + 1);
    for (int r = 0; r < REPEATS; r++) {
        const double start = now_ns();
        work(n);
        const double took = (now_ns() - start) / n;
        best = took < best ? took : best;
    }
    printf("%-36s %10.2f ns\n", name, best);
}

static void pool_pair(int n)
{
    for (int i = 0; i < n; i++) {
        void *p = kt__pool_get(256);
        sink = p;
        kt__pool_put(p, 256);
    }
}

static void block_pair(int n)
{
    for (int i = 0; i < n; i++) {
        size_t granted;
        void  *p = kt__block_get((size_t)(300 + (i & 7)), &granted);
        sink = p;
        kt__block_put(p, granted);
    }
}

static void large_pair(int n)
{
    for (int i = 0; i < n; i++) {
        size_t granted;
        char  *p = kt__block_get(16 << 20, &granted);
        if (p)
            p[granted / 2] = 1;
        kt__block_put(p, granted);
    }
}

static void scope_round(int n)
{
    for (int i = 0; i < n; i++) {
        KT_SCOPE;
        kt__scope_add((kt_tensor *)&sink);
    }
}

static void failed(int n)
{
    for (int i = 0; i < n; i++) {
        if (kt__failed())
            sink = NULL;
        __asm__ volatile("" ::: "memory");
    }
}

static void push_pop(int n)
{
    for (int i = 0; i < n; i++)
        kt_error_pop(kt_error_push());
}

static void nothing(void *ctx, int64_t begin, int64_t end)
{
    (void)ctx;
    __asm__ volatile("" ::"r"(begin), "r"(end) : "memory");
}

static void parallel_serial(int n)
{
    for (int i = 0; i < n; i++)
        kt__parallel(100, 1000, nothing, NULL);
}

static void parallel_split(int n)
{
    for (int i = 0; i < n; i++)
        kt__parallel(2000, 1000, nothing, NULL);
}

static void drop_nothing(kt_tensor *t)
{
    (void)t;
}

TEST(print)
{
    const int quick = kt__alloc_is_direct() ? 20000 : 2000000;
    kt__scope_set_drop(drop_nothing);
    print_best("pool get + put, 256 bytes", pool_pair, quick);
    print_best("block get + put, 300 bytes", block_pair, quick);
    print_best("block get + put, 16 MiB", large_pair, quick / 100);
    print_best("scope open + add + close", scope_round, quick);
    print_best("is an error pending?", failed, quick);
    print_best("error push + pop", push_pop, quick);
    print_best("parallel, below the grain", parallel_serial, quick);
    print_best("parallel, two parts", parallel_split, quick / 1000);
    CHECK(!kt_failed());
}
