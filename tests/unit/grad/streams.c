/* streams.c - backward on the streams of forward, seen through the mirror, whose streams run at different times: a wait that is
 * missing gives wrong values. */
#include <karat/grad.h>
#include <karat/plugin/watch.h>
#include <pthread.h>

#include "support/on_mirror.h"

enum { ROUNDS = 100, N = 64 };

/* Goes over to another stream, which waits for the one before. */
static void follow(kt_stream s)
{
    CHECK_EQ_INT(kt_stream_after(s, current(mirror1)), KT_OK);
    go_to(s);
}

static kt_tensor *leaf_of(int64_t n, double value)
{
    kt_tensor *x = filled(mirror1, n, value);
    CHECK_EQ_INT(kt_set_requires_grad(x, true), KT_OK);
    return x;
}

static kt_tensor *leaf(double value) { return leaf_of(N, value); }

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
    if (!load_mirror())
        return;
    KT_SCOPE;
    const kt_stream a = stream_of(mirror1), b = stream_of(mirror1);
    kt_tensor      *x = leaf(3);
    follow(a);
    kt_tensor *y = kt_mul(x, x);
    follow(b);
    kt_tensor *z = kt_sum(kt_mul(y, y));
    follow(standard(mirror1));
    n_plans = 0;
    CHECK_EQ_INT(kt_watch(&watcher), KT_OK);
    CHECK_EQ_INT(kt_backward(z), KT_OK);
    CHECK_EQ_INT(kt_unwatch(&watcher), KT_OK);
    CHECK(plans_on(a) > 0 && plans_on(b) > 0);
    CHECK_EQ_INT(plans_on(standard(mirror1)), 1); /* the first gradient */
    CHECK_EQ_INT(current(mirror1).handle, 0);
    CHECK(all_are(kt_grad(x), 4.0 * 27));
    kt_stream_drop(a);
    kt_stream_drop(b);
}

TEST(the_caller_sees_complete_gradients)
{
    if (!load_mirror())
        return;
    const kt_stream side = stream_of(mirror1);
    KT_SCOPE;
    kt_tensor *x = leaf(1);
    for (int round = 0; round < ROUNDS; round++) {
        KT_SCOPE;
        follow(side);
        kt_tensor *y = kt_sum(kt_exp(kt_mul(x, kt_full(KT_SCALAR, KT_INT(round % 3), .dtype = KT_F64, .device = mirror1))));
        follow(standard(mirror1));
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
    if (!load_mirror())
        return;
    const kt_stream a = stream_of(mirror1), b = stream_of(mirror1);
    KT_SCOPE;
    kt_tensor *x = leaf(2);
    for (int round = 0; round < ROUNDS; round++) {
        KT_SCOPE;
        follow(a);
        kt_tensor *left = kt_mul(x, x);
        follow(standard(mirror1));
        follow(b);
        kt_tensor *right = kt_mul(kt_mul(x, x), x);
        follow(standard(mirror1));
        CHECK_EQ_INT(kt_stream_after(standard(mirror1), a), KT_OK);
        CHECK_EQ_INT(kt_backward(kt_sum(kt_add(left, right))), KT_OK);
        if (round % 20 == 19 && !all_are(kt_grad(x), 16.0 * (round + 1)))
            break;
    }
    CHECK_EQ_INT(current(mirror1).handle, 0);
    kt_stream_drop(a);
    kt_stream_drop(b);
}

TEST(backward_called_on_another_stream)
{
    if (!load_mirror())
        return;
    const kt_stream side = stream_of(mirror1);
    for (int round = 0; round < ROUNDS / 4; round++) {
        KT_SCOPE;
        kt_tensor *x = leaf(5), *y = kt_sum(kt_mul(x, x)); /* on the default stream */
        follow(side);
        kt_tensor *g = NULL;
        CHECK_EQ_INT(kt_gradients(&y, NULL, 1, &x, 1, NULL, &g), KT_OK);
        CHECK_EQ_INT(current(mirror1).handle, side.handle);
        CHECK(all_are(g, 10));
        kt_drop(g);
        follow(standard(mirror1));
    }
    kt_stream_drop(side);
}

TEST(a_stream_may_be_dropped_before_backward)
{
    if (!load_mirror())
        return;
    for (int round = 0; round < 20; round++) {
        KT_SCOPE;
        const kt_stream side = stream_of(mirror1);
        kt_tensor      *x = leaf(4);
        follow(side);
        kt_tensor *y = kt_sum(kt_mul(x, x));
        follow(standard(mirror1));
        kt_stream_drop(side);
        kt_stream_drop(side); /* twice: the second does nothing */
        const kt_stream other = stream_of(mirror1);
        CHECK(other.handle != side.handle); /* the first one is still needed */
        CHECK_EQ_INT(kt_backward(y), KT_OK);
        CHECK(all_are(kt_grad(x), 8));
        kt_stream_drop(other);
    }
}

/* A gradient of one stream that another reads is dropped by the host long before: its memory must not be reused. */
TEST(gradients_outlive_the_streams_that_read_them)
{
    enum { MANY = 20000 }; /* large blocks are reused at once */
    if (!load_mirror())
        return;
    const kt_stream maker = stream_of(mirror1), reader = stream_of(mirror1);
    for (int round = 0; round < 3; round++) {
        KT_SCOPE;
        kt_tensor *x = leaf_of(MANY, 3), *three = filled(mirror1, MANY, 3), *five = filled(mirror1, MANY, 5);
        follow(reader);
        kt_tensor *y = kt_mul(x, three);
        follow(maker);
        kt_tensor *z = kt_sum(kt_mul(y, five));
        follow(standard(mirror1));
        CHECK_EQ_INT(kt_device_sync(mirror1), KT_OK);
        keep_busy(reader);
        CHECK_EQ_INT(kt_backward(z), KT_OK);
        CHECK_EQ_INT(kt_stream_sync(maker), KT_OK);
        go_to(maker);
        for (int i = 0; i < 8; i++)
            filled(mirror1, MANY, -1);
        CHECK_EQ_INT(kt_stream_sync(maker), KT_OK);
        go_to(standard(mirror1));
        CHECK(all_are(kt_grad(x), 15));
    }
    kt_stream_drop(maker);
    kt_stream_drop(reader);
}

TEST(second_derivatives)
{
    if (!load_mirror())
        return;
    const kt_stream side = stream_of(mirror1);
    for (int round = 0; round < 20; round++) {
        KT_SCOPE;
        kt_tensor *x = leaf(2), *g = NULL, *gg = NULL;
        follow(side);
        kt_tensor *y = kt_sum(kt_mul(kt_mul(x, x), x));
        follow(standard(mirror1));
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
    seen_by_hook = current(mirror1).handle;
    return KT_OK;
}

TEST(hooks_run_on_the_streams_of_their_node)
{
    if (!load_mirror())
        return;
    KT_SCOPE;
    const kt_stream side = stream_of(mirror1);
    kt_tensor      *x = leaf(2);
    follow(side);
    kt_tensor *y = kt_mul(x, x);
    kt_hook *hook = kt_hook_add(y, "look", look, NULL, NULL);
    CHECK(hook != NULL);
    CHECK_EQ_INT(kt_retain_grad(y), KT_OK);
    follow(standard(mirror1));
    CHECK_EQ_INT(kt_backward(kt_sum(y)), KT_OK);
    CHECK_EQ_U64(seen_by_hook, side.handle);
    CHECK(all_are(kt_grad(y), 1));
    CHECK(all_are(kt_grad(x), 4));
    kt_hook_remove(hook);
    kt_stream_drop(side);
}

TEST(an_error_leaves_the_thread_where_it_was)
{
    if (!load_mirror())
        return;
    KT_SCOPE;
    const kt_stream side = stream_of(mirror1);
    kt_tensor      *x = leaf(2);
    follow(side);
    kt_tensor *y = kt_sum(kt_mul(x, x));
    follow(standard(mirror1));
    CHECK_EQ_INT(kt_backward(y), KT_OK);
    CHECK_FAILS(kt_backward(y), KT_ERR_RUNTIME, "Trying to backward through the graph a second time");
    CHECK_EQ_INT(current(mirror1).handle, 0);
    CHECK(all_are(kt_grad(x), 4));
    kt_stream_drop(side);
}

/* ---- threads: each has its own current streams; graphs are walked on other threads than they were recorded on ---- */
static void *train(void *unused)
{
    (void)unused;
    const kt_stream a = stream_of(mirror1), b = stream_of(mirror1);
    for (int round = 0; round < 40; round++) {
        KT_SCOPE;
        kt_tensor *x = leaf(3);
        follow(a);
        kt_tensor *y = kt_mul(x, x);
        follow(b);
        kt_tensor *z = kt_sum(kt_mul(y, x));
        follow(standard(mirror1));
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
    if (!load_mirror())
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
    CHECK_EQ_INT(kt_stream_sync(standard(mirror1)), KT_OK);
    return NULL;
}

TEST(backward_on_another_thread)
{
    if (!load_mirror())
        return;
    KT_SCOPE;
    const kt_stream side = stream_of(mirror1);
    kt_tensor      *x = leaf(3);
    follow(side);
    kt_tensor *y = kt_sum(kt_mul(x, x));
    follow(standard(mirror1));
    pthread_t thread;
    REQUIRE(pthread_create(&thread, NULL, walk, y) == 0);
    pthread_join(thread, NULL);
    CHECK(all_are(kt_grad(x), 6));
    kt_stream_drop(side);
}
