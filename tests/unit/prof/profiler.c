/* profiler.c - profiles from C: what is recorded, of which threads, what happens at the ends; the trace. */
#include "harness.h"

#include <karat/karat.h>
#include <karat/plugin/watch.h>
#include <pthread.h>
#include <stdlib.h>
#include <unistd.h>

static int64_t count_named(const kt_profile *p, const char *name)
{
    kt_profile_event e = {.size = sizeof e};
    int64_t          n = 0;
    for (int64_t i = 0; kt_profile_read(p, i, &e); i++)
        n += strcmp(e.name, name) == 0;
    return n;
}

static int64_t count_kind(const kt_profile *p, kt_profile_kind kind)
{
    kt_profile_event e = {.size = sizeof e};
    int64_t          n = 0;
    for (int64_t i = 0; kt_profile_read(p, i, &e); i++)
        n += e.kind == kind;
    return n;
}

/* An event is inside its parent, which comes before it. */
static void check_order(const kt_profile *p)
{
    kt_profile_event e = {.size = sizeof e}, outer = {.size = sizeof outer};
    for (int64_t i = 0; kt_profile_read(p, i, &e); i++) {
        CHECK(e.begin <= e.end);
        CHECK(e.parent < i);
        if (e.parent < 0 || !kt_profile_read(p, e.parent, &outer))
            continue;
        CHECK_MSG(outer.begin <= e.begin && e.end <= outer.end, "%s is not inside %s", e.name, outer.name);
        CHECK(outer.thread == e.thread);
    }
}

static _Atomic int plans;
static void count_plan(const kt_plan *plan, void *unused)
{
    (void)plan, (void)unused;
    plans++;
}

TEST(every_plan_is_an_event)
{
    KT_SCOPE;
    kt_watcher w = {.abi = KT_WATCH_ABI, .size = sizeof w, .before = count_plan};
    kt_tensor *x = kt_ones(KT_SHAPE(5, 3)), *weight = kt_ones(KT_SHAPE(2, 3)), *bias = kt_ones(KT_SHAPE(2));
    kt_set_requires_grad(weight, true);
    plans = 0;
    REQUIRE(kt_watch(&w) == KT_OK);
    REQUIRE(kt_profiler_start(.memory = true) == KT_OK);
    CHECK(kt_profiler_is_on());
    kt_backward(kt_sum(kt_linear(x, weight, .bias = bias)));
    kt_cross_entropy(x, kt_zeros(KT_SHAPE(5), .dtype = KT_I64));
    kt_profile *p = kt_profiler_stop();
    REQUIRE(kt_unwatch(&w) == KT_OK);
    REQUIRE(p != NULL);
    CHECK(!kt_failed());
    CHECK(!kt_profiler_is_on());
    CHECK(plans > 0);
    CHECK_EQ_INT(count_kind(p, KT_PROFILE_PLAN), plans);
    CHECK_EQ_INT(count_named(p, "aten::linear"), 1);
    CHECK_EQ_INT(count_named(p, "aten::addmm"), 1);
    CHECK_EQ_INT(count_named(p, "AddmmBackward0"), 1);
    CHECK_EQ_INT(count_named(p, "autograd::engine::evaluate_function: AddmmBackward0"), 1);
    CHECK(count_kind(p, KT_PROFILE_MEMORY) > 0);
    CHECK_EQ_INT(kt_profile_lost(p), 0);
    check_order(p);
    kt_profile_free(p);
}

TEST(a_fused_conversion)
{
    KT_SCOPE;
    kt_tensor *a = kt_ones(KT_SHAPE(4, 2)), *b = kt_ones(KT_SHAPE(4, 2), .dtype = KT_BF16);
    REQUIRE(kt_profiler_start(.memory = false) == KT_OK);
    kt_add(a, b);
    kt_to(b, .dtype = KT_F32);
    kt_profile      *p = kt_profiler_stop();
    kt_profile_event e = {.size = sizeof e}, found = {.size = 0};
    REQUIRE(p != NULL);
    for (int64_t i = 0; kt_profile_read(p, i, &e); i++)
        if (e.kind == KT_PROFILE_CONVERSION)
            found = e;
    CHECK_EQ_INT(count_kind(p, KT_PROFILE_CONVERSION), 1); /* what the program asked for is a call of its own */
    CHECK_EQ_INT(found.bytes, 16);
    CHECK_EQ_INT(found.dtype, KT_F32);
    CHECK_EQ_INT(found.why, KT_WHY_PROMOTION);
    REQUIRE(found.n_inputs == 5);
    CHECK_EQ_INT(found.inputs[0].dtype, KT_BF16);
    CHECK_EQ_INT(found.inputs[0].shape.n, 2);
    CHECK_EQ_INT(count_named(p, "aten::_to_copy"), 2);
    kt_profile_free(p);
}

TEST(ranges)
{
    KT_SCOPE;
    kt_tensor *a = kt_ones(KT_SHAPE(2));
    CHECK_EQ_U64(kt_range_begin("nobody watches"), 0);
    kt_range_end(0);
    REQUIRE(kt_profiler_start(.all_threads = false) == KT_OK);
    const uint64_t outer = kt_range_begin("outer"), inner = kt_range_begin("inner");
    kt_add(a, a);
    kt_range_end(outer); /* ends the inner one too */
    kt_range_end(inner);
    const uint64_t left = kt_range_begin(NULL); /* never ended: it ends with the profile */
    CHECK(left != 0);
    kt_profile *p = kt_profiler_stop();
    kt_range_end(left);
    REQUIRE(p != NULL);
    CHECK_EQ_INT(count_kind(p, KT_PROFILE_RANGE), 3);
    check_order(p);
    kt_profile_event e = {.size = sizeof e};
    REQUIRE(kt_profile_read(p, 2, &e));
    CHECK_STR(e.name, "aten::add");
    CHECK_EQ_INT(e.parent, 1);
    kt_profile_free(p);
}

static void *adds(void *unused)
{
    (void)unused;
    for (int i = 0; i < 100; i++) {
        KT_SCOPE;
        kt_tensor *a = kt_ones(KT_SHAPE(3));
        kt_add(a, a);
    }
    return NULL;
}

static void *starts_and_leaves(void *unused)
{
    (void)unused;
    if (kt_profiler_start(.memory = true) == KT_OK)
        adds(NULL);
    return NULL; /* the end of the thread drops it */
}

static void *profiles_itself(void *counted)
{
    if (kt_profiler_start(.memory = false))
        return NULL;
    adds(NULL);
    kt_profile *p = kt_profiler_stop();
    *(int64_t *)counted = count_named(p, "aten::add");
    kt_profile_free(p);
    return NULL;
}

TEST(threads)
{
    pthread_t one, two;
    int64_t   first = 0, second = 0;
    REQUIRE(kt_profiler_start(.memory = true) == KT_OK);
    pthread_create(&one, NULL, adds, NULL);
    pthread_join(one, NULL);
    kt_profile *p = kt_profiler_stop();
    CHECK_EQ_INT(kt_profile_count(p), 0); /* another thread's calls */
    kt_profile_free(p);

    REQUIRE(kt_profiler_start(.all_threads = true) == KT_OK);
    pthread_create(&one, NULL, adds, NULL);
    pthread_create(&two, NULL, adds, NULL);
    pthread_join(one, NULL);
    pthread_join(two, NULL);
    p = kt_profiler_stop();
    CHECK_EQ_INT(count_named(p, "aten::add"), 200);
    check_order(p);
    kt_profile_free(p);

    pthread_create(&one, NULL, profiles_itself, &first);
    pthread_create(&two, NULL, profiles_itself, &second);
    pthread_join(one, NULL);
    pthread_join(two, NULL);
    CHECK_EQ_INT(first, 100);
    CHECK_EQ_INT(second, 100);

    for (int i = 0; i < 2 * KT_MAX_WATCHERS; i++) {
        pthread_create(&one, NULL, starts_and_leaves, NULL);
        pthread_join(one, NULL);
    }
    REQUIRE(kt_profiler_start(.memory = true) == KT_OK);
    kt_profile_free(kt_profiler_stop());
}

TEST(mistakes)
{
    KT_SCOPE;
    CHECK_FAILS(kt_profiler_stop(), KT_ERR_RUNTIME, "Can't disable Kineto profiler when it's not running");
    kt_clear();
    REQUIRE(kt_profiler_start_kw(NULL) == KT_OK);
    kt_tensor *a = kt_ones(KT_SHAPE(2));
    REQUIRE(kt_profiler_start_kw(NULL) == KT_OK); /* the first is dropped */
    CHECK_FAILS(kt_add(a, kt_ones(KT_SHAPE(3))), KT_ERR_RUNTIME, "The size of tensor a (2)");
    kt_clear();
    kt_profile *p = kt_profiler_stop();
    REQUIRE(p != NULL);
    kt_profile_event e = {.size = sizeof e};
    bool             failed = false;
    for (int64_t i = 0; kt_profile_read(p, i, &e); i++)
        failed |= e.failed && strcmp(e.name, "aten::add") == 0;
    CHECK(failed);
    CHECK_EQ_INT(count_named(p, "aten::ones"), 1);
    CHECK(!kt_profile_read(p, -1, &e));
    CHECK(!kt_profile_read(p, 0, NULL));
    CHECK(!kt_profile_read(NULL, 0, &e));
    CHECK_FAILS(kt_profile_write_trace(p, NULL, NULL), KT_ERR_VALUE, "kt_profile_write_trace: expected");
    kt_clear();
    CHECK_FAILS(kt_profile_write_trace(p, "/nowhere/at/all", NULL), KT_ERR_RUNTIME, "/nowhere/at/all: No such file");
    kt_clear();
    CHECK_FAILS(kt_profile_print(NULL, stdout), KT_ERR_VALUE, "kt_profile_print: expected");
    kt_clear();
    kt_profile_free(p);
    kt_profile_free(NULL);
    CHECK_EQ_INT(kt_profile_count(NULL), 0);
}

TEST(a_trace)
{
    KT_SCOPE;
    char path[] = "/tmp/karat_trace_XXXXXX", text[4096] = "";
    REQUIRE(kt_profiler_start(.memory = true) == KT_OK);
    const uint64_t range = kt_range_begin("a \"name\" \\ of\ntwo lines");
    kt_matmul(kt_ones(KT_SHAPE(3, 2)), kt_ones(KT_SHAPE(2, 3)));
    kt_range_end(range);
    kt_profile *p = kt_profiler_stop();
    const int   fd = mkstemp(path);
    REQUIRE(p != NULL && fd >= 0);
    CHECK_EQ_INT(kt_profile_write_trace(p, path, "\"mine\": [1, 2]"), KT_OK);
    CHECK(read(fd, text, sizeof text - 1) > 0);
    CHECK(strstr(text, "\"mine\": [1, 2],") != NULL);
    CHECK(strstr(text, "\"a \\\"name\\\" \\\\ of\\u000atwo lines\"") != NULL);
    CHECK(strstr(text, "aten::mm") != NULL || strlen(text) == sizeof text - 1);
    close(fd);
    unlink(path);
    FILE *to = tmpfile();
    REQUIRE(to != NULL);
    CHECK_EQ_INT(kt_profile_print(p, to), KT_OK);
    rewind(to);
    CHECK(fgets(text, sizeof text, to) && strncmp(text, "Name", 4) == 0);
    fclose(to);
    kt_profile_free(p);
}

/* Of starting and of stopping, every allocation fails in its turn. */
__attribute__((constructor(101))) static void turn_caches_off(void) { setenv("KARAT_ALLOC", "system", 1); }

static uint64_t live(void)
{
    kt_memory_stats s = {.size = sizeof s};
    kt_memory_read(&s);
    return s.live_blocks;
}

TEST(no_memory)
{
    int      failures = 0;
    bool     done = false;
    uint64_t blocks = 0;
    for (int n = -1; n < 200 && !done; n++) { /* -1: undisturbed, for what is interned once for all */
        KT_SCOPE;
        kt_memory_fail_after(n);
        kt_status status = kt_profiler_start(.memory = true);
        kt_memory_fail_after(-1);
        kt_profile *p = NULL;
        if (!status) {
            kt_add(kt_ones(KT_SHAPE(20)), kt_ones(KT_SHAPE(20), .dtype = KT_F16));
            kt_memory_fail_after(n);
            p = kt_profiler_stop();
            kt_memory_fail_after(-1);
            status = kt_error_status();
        }
        CHECK_EQ_INT((p == NULL), status != KT_OK);
        CHECK(status == KT_OK || status == KT_ERR_MEMORY);
        CHECK(!kt_profiler_is_on());
        failures += status != KT_OK;
        done = n >= 0 && !status;
        kt_clear();
        kt_profile_free(p);
    }
    CHECK(done && failures > 3);
    blocks = live();
    kt_memory_fail_after(2);
    kt_profiler_start(.memory = true);
    kt_memory_fail_after(-1);
    kt_clear();
    if (kt_profiler_is_on())
        kt_profile_free(kt_profiler_stop());
    CHECK_EQ_U64(live(), blocks);
}

TEST(reading_an_element)
{
    KT_SCOPE;
    kt_tensor *a = kt_ones(KT_SCALAR);
    REQUIRE(kt_profiler_start(.memory = false) == KT_OK);
    CHECK_NEAR(kt_item(a), 1, 0);
    kt_profile *p = kt_profiler_stop();
    CHECK_EQ_INT(count_kind(p, KT_PROFILE_READ), 1);
    CHECK_EQ_INT(count_named(p, "aten::_local_scalar_dense"), 1);
    kt_profile_free(p);
}
