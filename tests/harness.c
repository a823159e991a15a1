/* harness.c - runs the tests of one executable and prints the summary. See harness.h.
 *
 * Karat's error functions are weak references: with them a pending error is printed and counted, without them the harness
 * still works. */
#include "harness.h"

#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <time.h>

extern bool        kt_failed(void) __attribute__((weak));
extern int         kt_error_status(void) __attribute__((weak));
extern const char *kt_error(void) __attribute__((weak));
extern void        kt_clear(void) __attribute__((weak));

enum { SHOWN_PER_TEST = 20 };

static test_case  *first, **last = &first;
static const char *current;
static int         failures; /* of the current test */
static bool        skipped;
static bool        seeded;
static uint64_t    seed, random_state;

void test_register(test_case *test)
{
    *last = test;
    last = &test->next;
}

static bool pending(void)
{
    return kt_failed && kt_failed();
}

bool test_check(bool held, const char *file, int line, const char *format, ...)
{
    if (held)
        return true;
    if (failures++ < SHOWN_PER_TEST) {
        va_list args;
        va_start(args, format);
        fprintf(stderr, "%s:%d: %s: failed: ", file, line, current);
        vfprintf(stderr, format, args);
        fputc('\n', stderr);
        va_end(args);
        if (pending() && kt_error)
            fprintf(stderr, "    pending error: %s\n", kt_error());
    } else if (failures == SHOWN_PER_TEST + 1) {
        fprintf(stderr, "%s: further failures are only counted\n", current);
    }
    return false;
}

bool test_equal_int(long long got, long long want, const char *file, int line, const char *what)
{
    return test_check(got == want, file, line, "%s is %lld, not %lld", what, got, want);
}

bool test_equal_u64(uint64_t got, uint64_t want, const char *file, int line, const char *what)
{
    return test_check(got == want, file, line, "%s is 0x%llx, not 0x%llx", what, (unsigned long long)got,
                      (unsigned long long)want);
}

bool test_equal_str(const char *got, const char *want, const char *file, int line, const char *what)
{
    bool same = got && want ? strcmp(got, want) == 0 : got == want;
    return test_check(same, file, line, "%s is \"%s\", not \"%s\"", what, got ? got : "(null)", want ? want : "(null)");
}

bool test_near(double got, double want, double tolerance, const char *file, int line, const char *what)
{
    bool near = (isnan(got) && isnan(want)) || got == want || fabs(got - want) <= tolerance;
    return test_check(near, file, line, "%s is %.17g, not %.17g (within %g)", what, got, want, tolerance);
}

bool test_fails(int want_status, const char *want_prefix, const char *file, int line, const char *what)
{
    if (!test_check(pending(), file, line, "%s did not fail; wanted \"%s\"", what, want_prefix))
        return false;
    int         status = kt_error_status();
    const char *text = kt_error();
    bool        same = status == want_status && strncmp(text, want_prefix, strlen(want_prefix)) == 0;
    test_check(same, file, line, "%s failed with status %d, not %d; wanted text \"%s\"", what, status, want_status, want_prefix);
    kt_clear();
    return same;
}

void test_skip(const char *why)
{
    printf("%s: skipped: %s\n", current, why);
    skipped = true;
}

bool test_all(void)
{
    const char *value = getenv("KARAT_TEST_ALL");
    return value && *value && strcmp(value, "0") != 0;
}

uint64_t test_seed(void)
{
    if (!seeded) {
        const char *value = getenv("KARAT_TEST_SEED");
        seed = value ? strtoull(value, NULL, 0) : (uint64_t)time(NULL);
        random_state = seed;
        seeded = true;
        printf("KARAT_TEST_SEED=%llu\n", (unsigned long long)seed);
    }
    return seed;
}

/* A Weyl sequence through a multiply-xorshift mixer: any seed is a good one. */
uint64_t test_random(void)
{
    test_seed();
    uint64_t z = random_state += 0x9e3779b97f4a7c15u;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return z ^ (z >> 31);
}

uint64_t test_below(uint64_t n)
{
    return (uint64_t)(((unsigned __int128)test_random() * n) >> 64);
}

int main(int argc, char **argv)
{
    const char *filter = argc > 1 ? argv[1] : "";
    int         passed = 0, failed = 0, skips = 0;
    setvbuf(stdout, NULL, _IOLBF, 0);
    for (test_case *test = first; test; test = test->next) {
        if (!strstr(test->name, filter))
            continue;
        current = test->name;
        failures = 0;
        skipped = false;
        test->run();
        if (pending()) {
            test_check(false, "(end of test)", 0, "an error was left pending");
            kt_clear();
        }
        if (failures)
            printf("%s: FAILED (%d checks)\n", test->name, failures), failed++;
        else if (skipped)
            skips++;
        else
            passed++;
    }
    if (skips)
        printf("%d skipped\n", skips);
    printf("%d passed, %d failed\n", passed, failed);
    return failed || passed + skips == 0;
}
