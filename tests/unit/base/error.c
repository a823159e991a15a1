/* error.c - the pending error: first failure wins, texts are cut cleanly, payloads and records are released once. */
#include "harness.h"

#include "base/error.h"
#include "base/str.h"

#include <errno.h>
#include <pthread.h>
#include <stdlib.h>

static int   released;
static void *released_last;

static void release(void *p)
{
    released++;
    released_last = p;
}

TEST(nothing_is_pending_at_first)
{
    CHECK(!kt_failed());
    CHECK_EQ_INT(kt_error_status(), KT_OK);
    CHECK_STR(kt_error(), "");
    CHECK_EQ_INT(kt_report(stderr), 0);
    kt_fail_more("nowhere to go");
    CHECK(!kt_failed());
    kt_clear();
}

TEST(the_first_failure_is_kept)
{
    CHECK_EQ_INT(kt_fail(KT_ERR_TYPE, "first %d", 1), KT_ERR_TYPE);
    CHECK_EQ_INT(kt_fail(KT_ERR_VALUE, "second"), KT_ERR_TYPE);
    CHECK(kt_failed() && kt__failed());
    CHECK_EQ_INT(kt_error_status(), KT_ERR_TYPE);
    CHECK_STR(kt_error(), "first 1");
    kt_fail_more("\n  because of %s", "that");
    CHECK_STR(kt_error(), "first 1\n  because of that");
    kt_clear();
    CHECK(!kt_failed());
    CHECK_EQ_INT(kt_fail(KT_ERR_INDEX, "anew"), KT_ERR_INDEX);
    CHECK_STR(kt_error(), "anew");
    kt_clear();
}

TEST(success_is_no_failure_code)
{
    CHECK_EQ_INT(kt_fail(KT_OK, "a bug of the caller"), KT_ERR_RUNTIME);
    kt_clear();
}

TEST(errno_survives)
{
    errno = ENOSPC;
    kt_fail(KT_ERR_OS, "disk");
    kt_fail_more(" full");
    CHECK_EQ_INT(errno, ENOSPC);
    kt_clear();
}

TEST(the_text_may_quote_the_text_before)
{
    kt_fail(KT_ERR_RUNTIME, "inner");
    const char *inner = kt_error();
    kt_fail_more(", %s", inner);
    CHECK_STR(kt_error(), "inner, inner");
    kt_clear();
    kt_fail(KT_ERR_VALUE, "outer: %s", inner);
    CHECK_STR(kt_error(), "outer: inner, inner");
    kt_clear();
}

TEST(long_texts_end_in_dots)
{
    char *x = malloc(10001);
    REQUIRE(x != NULL);
    memset(x, 'x', 10000);
    x[10000] = '\0';
    kt_fail(KT_ERR_RUNTIME, "%s", x);
    CHECK_EQ_INT(strlen(kt_error()), 4095);
    CHECK_STR(kt_error() + 4092, "...");
    kt_fail_more("lost");
    CHECK_STR(kt_error() + 4092, "...");
    kt_clear();
    kt_fail(KT_ERR_RUNTIME, "%.4090s", x);
    kt_fail_more("12345");
    CHECK_STR(kt_error() + 4090, "12345");
    kt_fail_more("6");
    CHECK_STR(kt_error() + 4090, "12...");
    kt_clear();
    free(x);
}

TEST(cuts_fall_between_characters)
{
    const char *euro = "\xe2\x82\xac"; /* three bytes */
    for (int pad = 0; pad < 4; pad++) {
        char    buf[16];
        kt__str s = kt__str_in(buf, sizeof buf);
        kt__str_addf(&s, "%.*s", pad, "abc");
        for (int i = 0; i < 8; i++)
            kt__str_add(&s, euro);
        CHECK(s.cut && s.length == strlen(buf) && s.length < sizeof buf);
        CHECK_STR(buf + s.length - 3, "...");
        CHECK_EQ_INT((s.length - 3 - (size_t)pad) % 3, 0);
        CHECK(s.length - 3 >= 10);
    }
}

TEST(report_names_the_kind)
{
    char  text[128] = {0};
    FILE *to = fmemopen(text, sizeof text, "w");
    REQUIRE(to != NULL);
    kt_fail(KT_ERR_NOT_IMPLEMENTED, "no such kernel");
    CHECK_EQ_INT(kt_report(to), 1);
    fclose(to);
    CHECK_STR(text, "NotImplementedError: no such kernel\n");
    CHECK(kt_failed());
    kt_clear();
    CHECK_STR(kt__status_name(KT_ERR_MEMORY), "MemoryError");
    CHECK_STR(kt__status_name(KT_ERR_ASSERTION), "AssertionError");
    CHECK_STR(kt__status_name(KT_ERR_ZERO_DIVISION), "ZeroDivisionError");
    CHECK_STR(kt__status_name((kt_status)-99), "Error");
}

TEST(a_device_code_goes_with_its_error)
{
    kt__error_set_device_code(7); /* of none */
    CHECK_EQ_INT(kt_error_device_code(), 0);
    kt_fail(KT_ERR_RUNTIME, "a device failed");
    CHECK_EQ_INT(kt_error_device_code(), 0);
    kt__error_set_device_code(710);
    CHECK_EQ_INT(kt_error_device_code(), 710);
    kt_error_state *state = kt_error_push();
    CHECK_EQ_INT(kt_error_device_code(), 0);
    kt_error_pop(state);
    CHECK_EQ_INT(kt_error_device_code(), 710);
    kt_clear();
    CHECK_EQ_INT(kt_error_device_code(), 0);
    kt_fail(KT_ERR_RUNTIME, "something else failed");
    CHECK_EQ_INT(kt_error_device_code(), 0);
    kt_clear();
}

TEST(memory_refusal_has_the_known_text)
{
    CHECK_FAILS(kt__fail_memory(4096), KT_ERR_MEMORY,
                "[enforce fail at alloc_cpu] DefaultCPUAllocator: can't allocate memory: you tried to allocate 4096 bytes.");
}

TEST(a_foreign_payload_is_released_once)
{
    int a, b;
    released = 0;
    CHECK_EQ_INT(kt_fail_foreign(&a, release), KT_ERR_FOREIGN);
    CHECK_EQ_INT(kt_fail_foreign(&b, release), KT_ERR_FOREIGN); /* too late: released at once */
    CHECK(released == 1 && released_last == &b);
    CHECK_EQ_INT(kt_error_status(), KT_ERR_FOREIGN);
    CHECK_STR(kt_error(), "");
    kt_clear();
    CHECK(released == 2 && released_last == &a);
    kt_clear();
    CHECK_EQ_INT(released, 2);

    kt_fail_foreign(&a, release);
    CHECK(kt_error_take_foreign() == &a);
    CHECK(kt_error_take_foreign() == NULL);
    CHECK(kt_failed());
    kt_clear();
    CHECK_EQ_INT(released, 2);
    CHECK(kt_error_take_foreign() == NULL);
}

TEST(a_record_goes_with_its_error)
{
    int a, b;
    released = 0;
    kt__error_set_record(&a, release); /* nothing pending: freed at once */
    CHECK(released == 1 && kt__error_record() == NULL);
    kt_fail(KT_ERR_RUNTIME, "with a record");
    kt__error_set_record(&a, release);
    CHECK(kt__error_record() == &a);
    kt__error_set_record(&b, release);
    CHECK(released == 2 && released_last == &a);
    CHECK(kt__error_take_record() == &b && kt__error_record() == NULL);
    kt__error_set_record(&a, release);
    kt_clear();
    CHECK(released == 3 && released_last == &a);
}

static void release_and_fail(void *p)
{
    release(p);
    CHECK(!kt_failed());
    kt_fail(KT_ERR_VALUE, "from the release");
    kt_clear();
}

TEST(releasing_may_itself_fail)
{
    int a;
    released = 0;
    kt_fail_foreign(&a, release_and_fail);
    kt_clear();
    CHECK(released == 1 && !kt_failed());
}

TEST(push_gives_a_fresh_state_and_pop_the_old_one)
{
    int a;
    released = 0;
    kt_fail(KT_ERR_TYPE, "outer");
    kt_error_state *one = kt_error_push();
    REQUIRE(one != NULL);
    CHECK(!kt_failed());
    kt_fail_foreign(&a, release);
    kt_error_state *two = kt_error_push();
    REQUIRE(two != NULL);
    kt_fail(KT_ERR_INDEX, "innermost");
    CHECK_STR(kt_error(), "innermost");
    kt_error_pop(two);
    CHECK_EQ_INT(kt_error_status(), KT_ERR_FOREIGN);
    CHECK_EQ_INT(released, 0);
    kt_error_pop(one);
    CHECK_EQ_INT(released, 1);
    CHECK_EQ_INT(kt_error_status(), KT_ERR_TYPE);
    CHECK_STR(kt_error(), "outer");
    kt_error_pop(one); /* popped already */
    kt_error_pop(NULL);
    CHECK_STR(kt_error(), "outer");
    kt_clear();
}

TEST(popping_an_outer_state_pops_the_inner_ones)
{
    kt_error_state *one = kt_error_push();
    kt_fail(KT_ERR_VALUE, "between");
    kt_error_state *two = kt_error_push();
    kt_fail(KT_ERR_VALUE, "inside");
    REQUIRE(one != NULL && two != NULL);
    kt_error_pop(one);
    CHECK(!kt_failed());
    kt_error_pop(two);
    CHECK(!kt_failed());
}

TEST(errors_push_deep)
{
    enum { DEPTH = 200 }; /* more than the reserved pages */
    kt_error_state *states[DEPTH];
    for (int i = 0; i < DEPTH; i++) {
        kt_fail(KT_ERR_VALUE, "level %d", i);
        states[i] = kt_error_push();
        REQUIRE(states[i] != NULL);
    }
    for (int i = DEPTH - 1; i >= 0; i--) {
        char want[32];
        snprintf(want, sizeof want, "level %d", i);
        kt_error_pop(states[i]);
        CHECK_STR(kt_error(), want);
    }
    kt_clear();
}

static void *fail_elsewhere(void *arg)
{
    CHECK(!kt_failed());
    kt_fail(KT_ERR_VALUE, "thread %d", *(int *)arg);
    kt_error_push();
    kt_fail_foreign(arg, release); /* left pending: the end of the thread releases it */
    return NULL;
}

TEST(errors_are_per_thread_and_end_with_it)
{
    enum { THREADS = 4 };
    released = 0;
    kt_fail(KT_ERR_TYPE, "mine");
    for (int round = 0; round < 40; round++) { /* more pages than there are, were they not given back */
        pthread_t threads[THREADS];
        int       ids[THREADS];
        for (int i = 0; i < THREADS; i++) {
            ids[i] = i;
            REQUIRE(pthread_create(&threads[i], NULL, fail_elsewhere, &ids[i]) == 0);
            pthread_join(threads[i], NULL);
        }
    }
    CHECK_EQ_INT(released, 40 * THREADS);
    CHECK_STR(kt_error(), "mine");
    kt_clear();
}
