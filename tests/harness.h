/* harness.h - the tests' own small frame: named tests, checks that count, one summary line.
 *
 * In: a file tests/unit/<folder>/<topic>.c holding TEST(name) { ... } blocks; the build makes it one executable and one
 * ctest called <folder>/<topic>. Out: "N passed, N failed" and exit status 1 if any check failed.
 * A failed CHECK is reported and the test goes on; a failed REQUIRE leaves the test (use it in void functions only).
 * A test that ends with a pending Karat error has failed. Independent of: the rest of Karat.
 *
 *     ./test_dtype_promote             all tests of the file
 *     ./test_dtype_promote table       those whose name contains "table"
 *     KARAT_TEST_SEED=7 ./test_...     the seed of sampled sweeps (printed when used)
 *     KARAT_TEST_ALL=1 ./test_...      exhaustive sweeps instead of sampled ones: ask test_all()
 *
 * KT_TEST_SOURCE_DIR and KT_TEST_BUILD_DIR are string macros for the repository and the build directory. */
#ifndef KARAT_TESTS_HARNESS_H
#define KARAT_TESTS_HARNESS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

typedef struct test_case {
    const char       *name;
    void            (*run)(void);
    struct test_case *next;
} test_case;

void test_register(test_case *test);

#define TEST(id)                                                         \
    static void test_run_##id(void);                                     \
    __attribute__((constructor)) static void test_add_##id(void)         \
    {                                                                    \
        static test_case self = {#id, test_run_##id, NULL};              \
        test_register(&self);                                            \
    }                                                                    \
    static void test_run_##id(void)

/* Each returns whether the check held, so that `if (!CHECK(...)) return x;` works everywhere. */
bool test_check(bool held, const char *file, int line, const char *format, ...) __attribute__((format(printf, 4, 5)));
bool test_equal_int(long long got, long long want, const char *file, int line, const char *what);
bool test_equal_u64(uint64_t got, uint64_t want, const char *file, int line, const char *what);
bool test_equal_str(const char *got, const char *want, const char *file, int line, const char *what);
bool test_near(double got, double want, double tolerance, const char *file, int line, const char *what);
bool test_fails(int want_status, const char *want_prefix, const char *file, int line, const char *what);

#define CHECK(cond)              test_check((cond), __FILE__, __LINE__, "%s", #cond)
#define CHECK_MSG(cond, ...)     test_check((cond), __FILE__, __LINE__, __VA_ARGS__) /* a printf format and its arguments */
#define CHECK_EQ_INT(got, want)  test_equal_int((long long)(got), (long long)(want), __FILE__, __LINE__, #got)
#define CHECK_EQ_U64(got, want)  test_equal_u64((uint64_t)(got), (uint64_t)(want), __FILE__, __LINE__, #got) /* prints hex */
#define CHECK_STR(got, want)     test_equal_str((got), (want), __FILE__, __LINE__, #got)
#define CHECK_NEAR(got, want, tolerance) test_near((got), (want), (tolerance), __FILE__, __LINE__, #got) /* NaN equals NaN */
#define CHECK_MEM(got, want, n)  test_check(memcmp((got), (want), (n)) == 0, __FILE__, __LINE__, "%s: the bytes differ", #got)

/* Evaluates expr (any type), which must leave a pending error of that status whose text begins so; clears it. */
#define CHECK_FAILS(expr, status, prefix) ((void)(expr), test_fails((int)(status), (prefix), __FILE__, __LINE__, #expr))

#define REQUIRE(cond)           \
    do {                        \
        if (!CHECK(cond))       \
            return;             \
    } while (0)

void     test_skip(const char *why);   /* this test says nothing here; it is counted apart */
bool     test_all(void);               /* KARAT_TEST_ALL: exhaustive sweeps are wanted */
uint64_t test_seed(void);              /* KARAT_TEST_SEED, or drawn once from the clock; printed at its first use */
uint64_t test_random(void);            /* 64 random bits from that seed */
uint64_t test_below(uint64_t n);       /* uniform in [0, n) */

#endif
