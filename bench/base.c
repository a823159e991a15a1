/* base.c - what the public part of the base layer costs: scopes, the pending error, the error stack.
 *
 * In: nothing. Out: "name value unit" lines. The internal hot paths (free lists, adding to a scope) are printed by
 * tests/unit/base/speed.c, which can see them. */
#include <karat/base.h>

#include <time.h>

enum { REPEATS = 7 };

static double now_ns(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec * 1e9 + (double)t.tv_nsec;
}

static void print_best(const char *name, void (*work)(int n), int n)
{
    double best = 1e300;
    for (int r = 0; r < REPEATS; r++) {
        const double start = now_ns();
        work(n);
        const double took = (now_ns() - start) / n;
        best = took < best ? took : best;
    }
    printf("%-36s %10.2f ns\n", name, best);
}

static void scopes(int n)
{
    for (int i = 0; i < n; i++) {
        KT_SCOPE;
    }
}

static void failed(int n)
{
    for (int i = 0; i < n && !kt_failed(); i++) {
    }
}

static void push_pop(int n)
{
    for (int i = 0; i < n; i++)
        kt_error_pop(kt_error_push());
}

static void fail_clear(int n)
{
    for (int i = 0; i < n; i++) {
        kt_fail(KT_ERR_VALUE, "no");
        kt_clear();
    }
}

int main(void)
{
    print_best("scope open + close", scopes, 2000000);
    print_best("is an error pending?", failed, 2000000);
    print_best("error push + pop", push_pop, 2000000);
    print_best("fail + clear", fail_clear, 200000);
    return kt_report(stderr);
}
