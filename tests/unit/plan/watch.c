/* watch.c - watchers that come and go while several threads make calls: none is called after kt_unwatch has returned, and those
 * that stay see every plan, before and after it. */
#include "harness.h"

#include <karat/karat.h>
#include <karat/plugin/watch.h>
#include <pthread.h>
#include <stdatomic.h>

enum { THREADS = 4, CALLS = 2000, ROUNDS = 200 };

typedef struct tally {
    _Atomic bool gone;
    _Atomic int  before, after, late;
} tally;

static void before(const kt_plan *plan, void *context)
{
    tally *t = context;
    (void)plan;
    atomic_fetch_add(&t->before, 1);
    atomic_fetch_add(&t->late, atomic_load(&t->gone));
}

static void after(const kt_plan *plan, kt_status status, void *context)
{
    tally *t = context;
    (void)plan, (void)status;
    atomic_fetch_add(&t->after, 1);
    atomic_fetch_add(&t->late, atomic_load(&t->gone));
}

static void *calls(void *unused)
{
    (void)unused;
    for (int i = 0; i < CALLS; i++) {
        KT_SCOPE;
        kt_tensor *x = kt_ones(KT_SHAPE(4));
        kt_add(x, x);
    }
    kt_clear();
    return NULL;
}

TEST(threads)
{
    static tally stays, comes;
    kt_watcher   all = {.abi = KT_WATCH_ABI, .size = sizeof all, .before = before, .after = after, .context = &stays};
    kt_watcher   some = {.abi = KT_WATCH_ABI, .size = sizeof some, .before = before, .after = after, .context = &comes};
    pthread_t    thread[THREADS];
    REQUIRE(kt_watch(&all) == KT_OK);
    for (int i = 0; i < THREADS; i++)
        REQUIRE(pthread_create(&thread[i], NULL, calls, NULL) == 0);
    for (int i = 0; i < ROUNDS; i++) {
        atomic_store(&comes.gone, false);
        CHECK_EQ_INT(kt_watch(&some), KT_OK);
        sched_yield();
        CHECK_EQ_INT(kt_unwatch(&some), KT_OK);
        atomic_store(&comes.gone, true);
    }
    for (int i = 0; i < THREADS; i++)
        pthread_join(thread[i], NULL);
    CHECK_EQ_INT(kt_unwatch(&all), KT_OK);
    CHECK_EQ_INT(stays.before, 2 * THREADS * CALLS);
    CHECK_EQ_INT(stays.after, 2 * THREADS * CALLS);
    CHECK_EQ_INT(comes.late, 0);
}

/* A failed plan is told with its status. */
static kt_status told;

static void keep(const kt_plan *plan, kt_status status, void *context)
{
    (void)plan, (void)context;
    told = status;
}

TEST(a_kernel_that_fails)
{
    kt_watcher w = {.abi = KT_WATCH_ABI, .size = sizeof w, .after = keep};
    KT_SCOPE;
    kt_tensor *zero = kt_zeros(KT_SHAPE(2), .dtype = KT_I32), *one = kt_ones(KT_SHAPE(2), .dtype = KT_I32);
    REQUIRE(kt_watch(&w) == KT_OK);
    CHECK_FAILS(kt_floor_divide(one, zero), KT_ERR_RUNTIME, "ZeroDivisionError");
    CHECK_EQ_INT(told, KT_ERR_RUNTIME);
    kt_add(one, one);
    CHECK_EQ_INT(told, KT_OK);
    CHECK_EQ_INT(kt_unwatch(&w), KT_OK);
}
