/* streams.c - backward on the streams of forward, seen through the mirror, whose streams run at different times: a wait that is
 * missing gives wrong values. */
#include <karat/device.h>
#include <karat/grad.h>
#include <karat/karat.h>
#include <karat/plugin/watch.h>
#include <pthread.h>

#include "harness.h"

enum { ROUNDS = 100, N = 64 };

static kt_device mirror;

static bool load(void)
{
    if (mirror.kind == 0) {
        CHECK_EQ_INT(kt_backend_load(KT_TEST_BUILD_DIR "/backends/mirror.so"), KT_OK);
        mirror = kt_device_find("mirror:1");
    }
    return CHECK(mirror.kind > KT_META);
}

static kt_stream standard(void) { return (kt_stream){mirror, 0}; }

static kt_stream stream_new(void)
{
    kt_stream s = {mirror, 0};
    CHECK_EQ_INT(kt_stream_new(mirror, 0, &s), KT_OK);
    return s;
}

static uint64_t current(void)
{
    kt_stream s = {mirror, 1};
    CHECK_EQ_INT(kt_stream_current(mirror, &s), KT_OK);
    return s.handle;
}

/* Goes over to another stream, which waits for the one before. */
static void go_to(kt_stream s)
{
    CHECK_EQ_INT(kt_stream_after(s, (kt_stream){mirror, current()}), KT_OK);
    CHECK_EQ_INT(kt_stream_set(s), KT_OK);
}

static kt_tensor *leaf(double value)
{
    kt_tensor *x = kt_full(KT_SHAPE(N), KT_FLOAT(value), .dtype = KT_F64, .device = mirror);
    CHECK_EQ_INT(kt_set_requires_grad(x, true), KT_OK);
    return x;
}

static bool all_are(const kt_tensor *t, double value)
{
    double back[N];
    bool   same = t && kt_numel(t) == N && kt_read(t, back, sizeof back) == KT_OK;
    for (int i = 0; i < N && same; i++)
        same = CHECK_NEAR(back[i], value, 1e-12 * value);
    return same;
}

/* ---- which streams plans name ---- */
enum { MOST_PLANS = 256 };
static uint64_t plan_streams[MOST_PLANS];
static int      n_plans;

static void before(const kt_plan *plan, void *context)
{
    (void)context;
    if (n_plans < MOST_PLANS)
        plan_streams[n_plans++] = plan->stream;
}

static const kt_watcher watcher = {.abi = KT_WATCH_ABI, .size = sizeof watcher, .before = before};

static int plans_on(kt_stream s)
{
    int n = 0;
    for (int i = 0; i < n_plans; i++)
        n += plan_streams[i] == s.handle;
    return n;
}

TEST(each_node_runs_where_its_call_ran)
{
    if (!load())
        return;
    KT_SCOPE;
    const kt_stream a = stream_new(), b = stream_new();
    kt_tensor      *x = leaf(3);
    go_to(a);
    kt_tensor *y = kt_mul(x, x);
    go_to(b);
    kt_tensor *z = kt_sum(kt_mul(y, y));
    go_to(standard());
    n_plans = 0;
    CHECK_EQ_INT(kt_watch(&watcher), KT_OK);
    CHECK_EQ_INT(kt_backward(z), KT_OK);
    CHECK_EQ_INT(kt_unwatch(&watcher), KT_OK);
    CHECK(plans_on(a) > 0 && plans_on(b) > 0);
    CHECK_EQ_INT(plans_on(standard()), 1); /* the first gradient */
    CHECK_EQ_INT(current(), 0);
    CHECK(all_are(kt_grad(x), 4.0 * 27));
    kt_stream_drop(a);
    kt_stream_drop(b);
}

TEST(the_caller_sees_complete_gradients)
{
    if (!load())
        return;
    const kt_stream side = stream_new();
    KT_SCOPE;
    kt_tensor *x = leaf(1);
    for (int round = 0; round < ROUNDS; round++) {
        KT_SCOPE;
        go_to(side);
        kt_tensor *y = kt_sum(kt_exp(kt_mul(x, kt_full(KT_SCALAR, KT_INT(round % 3), .dtype = KT_F64, .device = mirror))));
        go_to(standard());
        CHECK_EQ_INT(kt_backward(y), KT_OK);
        static const double want[3] = {0, 2.718281828459045, 2 * 7.38905609893065};
        if (!all_are(kt_grad(x), want[round % 3]))
            break;
        CHECK_EQ_INT(kt_set_grad(x, NULL), KT_OK);
    }
    kt_stream_drop(side);
}

/* Two branches on streams of their own, summed into one leaf, again and again. */
TEST(branches_and_sums)
{
    if (!load())
        return;
    const kt_stream a = stream_new(), b = stream_new();
    KT_SCOPE;
    kt_tensor *x = leaf(2);
    for (int round = 0; round < ROUNDS; round++) {
        KT_SCOPE;
        go_to(a);
        kt_tensor *left = kt_mul(x, x);
        go_to(standard());
        go_to(b);
        kt_tensor *right = kt_mul(kt_mul(x, x), x);
        go_to(standard());
        CHECK_EQ_INT(kt_stream_after(standard(), a), KT_OK);
        CHECK_EQ_INT(kt_backward(kt_sum(kt_add(left, right))), KT_OK);
        if (round % 20 == 19 && !all_are(kt_grad(x), 16.0 * (round + 1)))
            break;
    }
    CHECK_EQ_INT(current(), 0);
    kt_stream_drop(a);
    kt_stream_drop(b);
}

TEST(backward_called_on_another_stream)
{
    if (!load())
        return;
    const kt_stream side = stream_new();
    for (int round = 0; round < ROUNDS / 4; round++) {
        KT_SCOPE;
        kt_tensor *x = leaf(5), *y = kt_sum(kt_mul(x, x)); /* on the default stream */
        go_to(side);
        kt_tensor *g = NULL;
        CHECK_EQ_INT(kt_gradients(&y, NULL, 1, &x, 1, NULL, &g), KT_OK);
        CHECK_EQ_INT(current(), side.handle);
        CHECK(all_are(g, 10));
        kt_drop(g);
        go_to(standard());
    }
    kt_stream_drop(side);
}

TEST(a_stream_may_be_dropped_before_backward)
{
    if (!load())
        return;
    for (int round = 0; round < 20; round++) {
        KT_SCOPE;
        const kt_stream side = stream_new();
        kt_tensor      *x = leaf(4);
        go_to(side);
        kt_tensor *y = kt_sum(kt_mul(x, x));
        go_to(standard());
        kt_stream_drop(side);
        kt_stream_drop(side); /* twice: the second does nothing */
        const kt_stream other = stream_new();
        CHECK(other.handle != side.handle); /* the first one is still needed */
        CHECK_EQ_INT(kt_backward(y), KT_OK);
        CHECK(all_are(kt_grad(x), 8));
        kt_stream_drop(other);
    }
}

TEST(second_derivatives)
{
    if (!load())
        return;
    const kt_stream side = stream_new();
    for (int round = 0; round < 20; round++) {
        KT_SCOPE;
        kt_tensor *x = leaf(2), *g = NULL, *gg = NULL;
        go_to(side);
        kt_tensor *y = kt_sum(kt_mul(kt_mul(x, x), x));
        go_to(standard());
        const kt_gradients_opts recorded = {.size = sizeof recorded, .create_graph = true};
        REQUIRE(!kt_gradients(&y, NULL, 1, &x, 1, &recorded, &g));
        kt_tensor *s = kt_sum(g);
        REQUIRE(!kt_gradients(&s, NULL, 1, &x, 1, NULL, &gg));
        CHECK(all_are(g, 12));
        CHECK(all_are(gg, 12));
        kt_drop(g);
        kt_drop(gg);
    }
    kt_stream_drop(side);
}

/* ---- hooks are part of the node's work ---- */
static uint64_t seen_by_hook;

static kt_status look(kt_tensor *grad, void *context, kt_tensor **instead)
{
    (void)grad, (void)context, (void)instead;
    seen_by_hook = current();
    return KT_OK;
}

TEST(hooks_run_on_the_streams_of_their_node)
{
    if (!load())
        return;
    KT_SCOPE;
    const kt_stream side = stream_new();
    kt_tensor      *x = leaf(2);
    go_to(side);
    kt_tensor *y = kt_mul(x, x);
    kt_hook *hook = kt_hook_add(y, "look", look, NULL, NULL);
    CHECK(hook != NULL);
    CHECK_EQ_INT(kt_retain_grad(y), KT_OK);
    go_to(standard());
    CHECK_EQ_INT(kt_backward(kt_sum(y)), KT_OK);
    CHECK_EQ_U64(seen_by_hook, side.handle);
    CHECK(all_are(kt_grad(y), 1));
    CHECK(all_are(kt_grad(x), 4));
    kt_hook_remove(hook);
    kt_stream_drop(side);
}

TEST(an_error_leaves_the_thread_where_it_was)
{
    if (!load())
        return;
    KT_SCOPE;
    const kt_stream side = stream_new();
    kt_tensor      *x = leaf(2);
    go_to(side);
    kt_tensor *y = kt_sum(kt_mul(x, x));
    go_to(standard());
    CHECK_EQ_INT(kt_backward(y), KT_OK);
    CHECK_FAILS(kt_backward(y), KT_ERR_RUNTIME, "Trying to backward through the graph a second time");
    CHECK_EQ_INT(current(), 0);
    CHECK(all_are(kt_grad(x), 4));
    kt_stream_drop(side);
}

/* ---- threads: each has its own current streams; graphs are walked on other threads than they were recorded on ---- */
static void *train(void *unused)
{
    (void)unused;
    const kt_stream a = stream_new(), b = stream_new();
    for (int round = 0; round < 40; round++) {
        KT_SCOPE;
        kt_tensor *x = leaf(3);
        go_to(a);
        kt_tensor *y = kt_mul(x, x);
        go_to(b);
        kt_tensor *z = kt_sum(kt_mul(y, x));
        go_to(standard());
        CHECK_EQ_INT(kt_backward(z), KT_OK);
        if (!all_are(kt_grad(x), 27))
            break;
    }
    kt_stream_drop(a);
    CHECK_EQ_INT(kt_stream_set(b), KT_OK); /* a thread may end on a stream of its own */
    kt_stream_drop(b);
    kt_clear();
    return NULL;
}

TEST(four_threads_with_two_streams_each)
{
    if (!load())
        return;
    pthread_t threads[4];
    for (int i = 0; i < 4; i++)
        REQUIRE(pthread_create(&threads[i], NULL, train, NULL) == 0);
    for (int i = 0; i < 4; i++)
        pthread_join(threads[i], NULL);
}

static void *walk(void *graph)
{
    CHECK_EQ_INT(kt_backward((kt_tensor *)graph), KT_OK);
    CHECK_EQ_INT(kt_stream_sync(standard()), KT_OK);
    return NULL;
}

TEST(backward_on_another_thread)
{
    if (!load())
        return;
    KT_SCOPE;
    const kt_stream side = stream_new();
    kt_tensor      *x = leaf(3);
    go_to(side);
    kt_tensor *y = kt_sum(kt_mul(x, x));
    go_to(standard());
    pthread_t thread;
    REQUIRE(pthread_create(&thread, NULL, walk, y) == 0);
    pthread_join(thread, NULL);
    CHECK(all_are(kt_grad(x), 6));
    kt_stream_drop(side);
}
