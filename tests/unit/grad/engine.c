/* engine.c - the walk itself: order, sums, long chains, wide graphs, what is freed when, threads. */
#include "harness.h"

#include <karat/karat.h>
#include <pthread.h>

#include "support/by_name.h"
#include "support/memory.h"

static kt_tensor *leaf(double value)
{
    kt_tensor *t = tensor_filled(KT_F64, KT_SHAPE(1), value);
    kt_set_requires_grad(t, true);
    return t;
}

TEST(a_tensor_used_many_times)
{
    KT_SCOPE;
    kt_tensor *x = leaf(3), *a = kt_mul(x, x), *b = kt_add(a, x), *c = kt_mul(a, b),
              *d = kt_add(kt_add(c, b), kt_mul(a, x));
    CHECK_EQ_INT(kt_backward(d), KT_OK); /* x^4 + 2 x^3 + x^2 + x */
    CHECK_NEAR(tensor_at(kt_grad(x), 0), 4 * 27 + 6 * 9 + 2 * 3 + 1, 1e-9);
    kt_set_grad(x, NULL);
    kt_tensor *y = x;
    for (int i = 0; i < 20; i++)
        y = kt_add(y, y); /* a million paths, twenty nodes */
    CHECK_EQ_INT(kt_backward(y), KT_OK);
    CHECK_NEAR(tensor_at(kt_grad(x), 0), 1 << 20, 0);
}

/* A stack of 8 MiB holds no 200,000 nested calls: neither backward nor the death of the chain may recurse. */
static void chain(int length)
{
    KT_SCOPE;
    kt_tensor *x = leaf(2), *w = tensor_filled(KT_F64, KT_SHAPE(1), 1), *y = kt_keep(x);
    for (int i = 0; i < length && y; i++) {
        KT_SCOPE;
        kt_tensor *next = kt_keep(kt_mul(y, w));
        kt_drop(y);
        y = next;
    }
    CHECK_EQ_INT(kt_backward(y, .retain_graph = true), KT_OK); /* so that the chain dies as a whole, below */
    CHECK_NEAR(tensor_at(kt_grad(x), 0), 1, 0);
    kt_drop(y);
}

TEST(a_chain_of_two_hundred_thousand_nodes)
{
    chain(200);
    const uint64_t before = live_bytes();
    chain(200000);
    CHECK_EQ_INT(live_bytes(), before);
}

static void chain_of_written(int length)
{
    KT_SCOPE;
    kt_tensor *y = kt_mul_s(leaf(2), KT_INT(1));
    for (int i = 0; i < length; i++) {
        KT_SCOPE;
        kt_add_s_(kt_select(y, 0, 0), KT_INT(0)); /* CopySlices over CopySlices */
    }
    CHECK_EQ_INT(kt_backward(y), KT_OK);
}

TEST(a_long_chain_of_writes_through_views)
{
    chain_of_written(10);
    const uint64_t before = live_bytes();
    chain_of_written(50000);
    CHECK_EQ_INT(live_bytes(), before);
}

static void chain_never_used(void)
{
    KT_SCOPE;
    kt_tensor *y = kt_keep(leaf(2));
    for (int i = 0; i < 200000; i++) {
        KT_SCOPE;
        kt_tensor *next = kt_keep(kt_exp(kt_select(kt_unsqueeze(y, 0), 0, 0)));
        kt_drop(y);
        y = next;
    }
    kt_drop(y);
}

TEST(a_long_chain_of_views_dies_unused)
{
    const uint64_t before = live_bytes();
    chain_never_used();
    CHECK_EQ_INT(live_bytes(), before);
}

TEST(a_wide_graph)
{
    KT_SCOPE;
    enum { WIDE = 3000 };
    static kt_tensor *x[WIDE];
    kt_tensor        *sum = NULL;
    for (int i = 0; i < WIDE; i++) {
        x[i] = leaf(i);
        kt_tensor *part = kt_mul(x[i], x[i]);
        sum = sum ? kt_add(sum, part) : part;
    }
    CHECK_EQ_INT(kt_backward(sum), KT_OK);
    for (int i = 0; i < WIDE; i++)
        CHECK_NEAR(tensor_at(kt_grad(x[i]), 0), 2.0 * i, 0);
}

TEST(a_graph_dies_with_its_tensors)
{
    const uint64_t before = live_bytes();
    {
        KT_SCOPE;
        kt_tensor *x = leaf(3), *y = x;
        for (int i = 0; i < 100; i++)
            y = kt_mul(kt_exp(kt_mul_s(y, KT_FLOAT(0.1))), x);
        (void)y; /* never used */
    }
    CHECK_EQ_INT(live_bytes(), before);
    {
        KT_SCOPE;
        kt_tensor *x = leaf(3), *y = kt_mul(x, x);
        kt_backward(y, .create_graph = true);
        kt_set_grad(x, NULL); /* a gradient with a history holds the leaf, which holds the gradient */
    }
    CHECK_EQ_INT(live_bytes(), before);
}

TEST(backward_gives_back_what_was_saved)
{
    KT_SCOPE;
    kt_tensor *x = tensor_filled(KT_F32, KT_SHAPE(1000), 2);
    kt_set_requires_grad(x, true);
    kt_tensor     *y;
    const uint64_t before = live_bytes();
    {
        KT_SCOPE;
        y = kt_keep(kt_sum(kt_mul(kt_exp(x), kt_sin(x))));
    }
    const uint64_t recorded = live_bytes();
    CHECK(recorded > before + 8000); /* exp(x), sin(x) at least */
    kt_backward(y);
    kt_set_grad(x, NULL);
    CHECK(live_bytes() < before + 4000);
    kt_drop(y);
}

TEST(a_failing_backward_leaves_no_half_result)
{
    KT_SCOPE;
    kt_tensor *x = leaf(1), *bad = kt_exp(x), *sum = kt_add(kt_mul(x, x), bad);
    kt_add_s_(bad, KT_INT(1));
    CHECK_FAILS(kt_backward(sum), KT_ERR_RUNTIME, "one of the variables needed for gradient computation");
    CHECK(kt_grad_enabled());
    kt_set_grad(x, NULL);
    CHECK_EQ_INT(kt_backward(kt_mul(x, x)), KT_OK);
    CHECK_NEAR(tensor_at(kt_grad(x), 0), 2, 0);
}

static void *work(void *result)
{
    bool *ok = result;
    KT_SCOPE;
    for (int i = 0; i < 200; i++) {
        KT_SCOPE;
        kt_tensor *x = leaf(i), *y = kt_mul(kt_mul(x, x), x);
        *ok = *ok && kt_backward(y) == KT_OK && tensor_at(kt_grad(x), 0) == 3.0 * i * i;
    }
    return NULL;
}

TEST(each_thread_its_own_graph)
{
    pthread_t threads[4];
    bool      ok[4] = {true, true, true, true};
    for (int i = 0; i < 4; i++)
        CHECK_EQ_INT(pthread_create(&threads[i], NULL, work, &ok[i]), 0);
    for (int i = 0; i < 4; i++) {
        pthread_join(threads[i], NULL);
        CHECK(ok[i]);
    }
}

/* ---- threads that share a graph ---- */

enum { TURNS = 200 };
static kt_tensor *shared_leaf, *shared_root;

static void *walk_shared(void *result)
{
    bool *ok = result;
    for (int i = 0; i < TURNS; i++)
        *ok = *ok && kt_backward(shared_root, .retain_graph = true) == KT_OK;
    return NULL;
}

TEST(threads_walk_one_graph)
{
    KT_SCOPE;
    pthread_t threads[4];
    bool      ok[4] = {true, true, true, true};
    kt_tensor *a, *part[3];
    shared_leaf = tensor_filled(KT_F64, KT_SHAPE(3), 1);
    kt_set_requires_grad(shared_leaf, true);
    a = kt_mul(shared_leaf, shared_leaf);
    kt_unbind(a, part, 3);
    shared_root = kt_add(kt_add(part[0], part[1]), kt_mul(part[1], part[2]));
    for (int i = 0; i < 4; i++)
        CHECK_EQ_INT(pthread_create(&threads[i], NULL, walk_shared, &ok[i]), 0);
    for (int i = 0; i < 4; i++) {
        pthread_join(threads[i], NULL);
        CHECK(ok[i]);
    }
    CHECK_NEAR(tensor_at(kt_grad(shared_leaf), 0), 2.0 * 4 * TURNS, 0);
    CHECK_NEAR(tensor_at(kt_grad(shared_leaf), 1), 4.0 * 4 * TURNS, 0);
}

static void *train_shared(void *result)
{
    bool *ok = result;
    for (int i = 0; i < TURNS; i++) {
        KT_SCOPE;
        kt_tensor *y = kt_sum(kt_mul_s(shared_leaf, KT_INT(3)));
        *ok = *ok && kt_backward(y) == KT_OK;
    }
    return NULL;
}

TEST(threads_share_a_leaf)
{
    KT_SCOPE;
    pthread_t threads[4];
    bool      ok[4] = {true, true, true, true};
    shared_leaf = kt_ones(KT_SHAPE(2), .dtype = KT_F64, .requires_grad = true);
    for (int i = 0; i < 4; i++)
        CHECK_EQ_INT(pthread_create(&threads[i], NULL, train_shared, &ok[i]), 0);
    for (int i = 0; i < 4; i++) {
        pthread_join(threads[i], NULL);
        CHECK(ok[i]);
    }
    CHECK_NEAR(tensor_at(kt_grad(shared_leaf), 1), 3.0 * 4 * TURNS, 0);
}
