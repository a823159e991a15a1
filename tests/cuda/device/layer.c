/* layer.c - the CUDA backend's streams, events, memory, copies, captures and late errors, through the public C face. Skipped
 * where there is no GPU, but for the first test. */
#define KT_SITES
#include "support.h"

#include <karat/plugin/call.h>
#include <pthread.h>

#include "plan/launch.h"
#include "tensor/device.h"

TEST(it_loads_without_a_device)
{
    REQUIRE(load_cuda());
    const int n = kt_device_count("cuda");
    CHECK(n >= 0);
    CHECK(!kt_failed());
    if (n == 0)
        CHECK_FAILS(kt_device_find("cuda"), KT_ERR_RUNTIME, "device index 0 is out of range: there are 0 'cuda' devices");
    kt_clear();
}

TEST(facts)
{
    kt_device_properties p = {.size = sizeof p};
    if (!device())
        return;
    CHECK_EQ_INT(kt_device_ask(here, &p), KT_OK);
    printf("device: %s, %s, %.1f GiB, %d multiprocessors\n", p.name, p.architecture, (double)p.memory / 0x1p30,
           p.multiprocessors);
    CHECK(p.major >= 7 && p.warp == 32 && p.memory > 0 && p.multiprocessors > 0);
    CHECK(p.threads_of_block == 1024 && p.registers >= 65536 && p.shared >= p.shared_of_block_at_will &&
          p.shared_of_block_at_will >= p.shared_of_block && p.shared_of_block > 0 && p.cache > 0 && p.bus_width > 0);
}

/* ---- streams and events ---- */
static kt_tensor *slow_sum(int64_t n, int times) /* n ones, added up so often */
{
    kt_tensor *x = kt_ones(KT_SHAPE(n), .device = here), *sum = kt_zeros(KT_SHAPE(n), .device = here);
    for (int i = 0; i < times; i++)
        kt_add_(sum, x);
    return sum;
}

static double first_of(kt_tensor *t)
{
    float value = -1;
    kt_read(kt_narrow(t, 0, 0, 1), &value, sizeof value);
    return value;
}

TEST(streams_are_ordered_by_events)
{
    if (!device())
        return;
    KT_SCOPE;
    kt_stream a, b, before;
    REQUIRE(kt_stream_new(here, 0, &a) == KT_OK && kt_stream_new(here, -1, &b) == KT_OK);
    CHECK(kt_stream_current(here, &before) == KT_OK && before.handle == 0);
    kt_event *start = NULL, *done = NULL;
    REQUIRE(kt_event_new(here, true, &start) == KT_OK && kt_event_new(here, true, &done) == KT_OK);
    bool yes = false;
    CHECK(kt_event_done(done, &yes) == KT_OK && yes); /* never recorded */
    for (int turn = 0; turn < 20; turn++) {
        KT_SCOPE;
        kt_stream_set(a);
        CHECK_EQ_INT(kt_event_record(start, a), KT_OK);
        kt_tensor *sum = slow_sum(1 << 24, 20);
        CHECK_EQ_INT(kt_event_record(done, a), KT_OK);
        kt_stream_set(b);
        CHECK_EQ_INT(kt_stream_after_event(b, done), KT_OK);
        kt_tensor *twice = kt_add(sum, sum);
        CHECK_EQ_INT(kt_used_on(sum, b), KT_OK);
        CHECK_NEAR(first_of(twice), 40.0, 0.0);
        kt_stream_set(before);
    }
    double ms = -1;
    CHECK_EQ_INT(kt_event_sync(done), KT_OK);
    CHECK_EQ_INT(kt_event_elapsed(start, done, &ms), KT_OK);
    CHECK_MSG(ms > 0.1 && ms < 1000, "20 sums of 64 MiB took %g ms", ms);
    CHECK_EQ_INT(kt_stream_sync(a), KT_OK);
    CHECK(kt_stream_idle(a, &yes) == KT_OK && yes);
    kt_event_drop(start);
    kt_event_drop(done);
    kt_stream_drop(a);
    kt_stream_drop(b);
}

/* Memory that another stream still reads is not handed out again. */
TEST(memory_waits_for_the_streams_that_use_it)
{
    if (!device())
        return;
    KT_SCOPE;
    kt_stream side, before;
    REQUIRE(kt_stream_new(here, 0, &side) == KT_OK && kt_stream_current(here, &before) == KT_OK);
    const int64_t n = 1 << 22;
    for (int turn = 0; turn < 10; turn++) {
        KT_SCOPE;
        kt_tensor *x = kt_keep(kt_ones(KT_SHAPE(n), .device = here));
        kt_stream_after(side, before);
        kt_stream_set(side);
        kt_tensor *busy = slow_sum(1 << 26, 20), *late = kt_add(x, x); /* reads x long after it was dropped */
        CHECK_EQ_INT(kt_used_on(x, side), KT_OK);
        kt_stream_set(before);
        kt_drop(x);
        for (int i = 0; i < 8; i++)
            kt_full(KT_SHAPE(n), KT_FLOAT(7), .device = here);
        kt_stream_set(side);
        CHECK_NEAR(first_of(late), 2.0, 0.0);
        CHECK_NEAR(first_of(busy), 20.0, 0.0);
        kt_stream_set(before);
    }
    kt_stream_drop(side);
}

typedef struct worker {
    pthread_t thread;
    int       number;
    double    got;
} worker;

static void *work(void *argument)
{
    worker   *w = argument;
    kt_stream mine;
    if (kt_stream_new(here, 0, &mine) == KT_OK) {
        KT_SCOPE;
        kt_stream_set(mine);
        kt_tensor *x = kt_full(KT_SHAPE(1 << 16), KT_INT(w->number), .dtype = KT_F32, .device = here);
        for (int i = 0; i < 500; i++) {
            KT_SCOPE;
            kt_add_(x, kt_ones(KT_SHAPE(1 << 16), .device = here));
        }
        w->got = first_of(x);
        kt_stream_drop(mine);
    }
    return NULL;
}

TEST(threads_have_streams_of_their_own)
{
    worker w[4] = {{0}};
    if (!device())
        return;
    for (int i = 0; i < 4; i++) {
        w[i].number = i;
        pthread_create(&w[i].thread, NULL, work, &w[i]);
    }
    for (int i = 0; i < 4; i++) {
        pthread_join(w[i].thread, NULL);
        CHECK_NEAR(w[i].got, 500.0 + i, 0.0);
    }
}

/* ---- copies ---- */
TEST(copies_of_every_size_and_kind)
{
    static const int64_t sizes[] = {1, 3, 16, 17, 1000, 65536, 70001, 5000001};
    if (!device())
        return;
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        KT_SCOPE;
        int64_t    at = -1;
        kt_tensor *x = random_bits(KT_U8, sizes[i]), *there = kt_to(x, .device = here), *pinned = NULL;
        REQUIRE(there != NULL);
        CHECK_EQ_INT(differences(x, there, false, &at), 0);
        CHECK_EQ_INT(kt_pin(x, here, &pinned), KT_OK);
        CHECK(kt_is_pinned(pinned));
        kt_tensor *again = kt_empty(KT_SHAPE(sizes[i]), .dtype = KT_U8, .device = here);
        kt_tensor *back = kt__tensor_pinned(KT_U8, KT_SHAPE(sizes[i]), here.kind);
        REQUIRE(pinned && again && back);
        const uint64_t waits = kt_host_waits();
        CHECK_EQ_INT(kt__transfer(kt_row_find("copy_"), again, pinned, true), KT_OK);
        CHECK_EQ_INT(kt__transfer(kt_row_find("copy_"), back, again, true), KT_OK);
        CHECK_EQ_INT(kt_host_waits(), waits);
        kt_drop(pinned); /* the copies go on */
        CHECK_EQ_INT(kt_device_sync(here), KT_OK);
        CHECK_EQ_INT(differences(x, back, false, &at), 0);
        kt_drop(back);
    }
}

/* ---- captures ---- */
TEST(captures_run_again)
{
    if (!device())
        return;
    KT_SCOPE;
    kt_stream s, before;
    kt_graph *graph = NULL;
    REQUIRE(kt_stream_new(here, 0, &s) == KT_OK && kt_stream_current(here, &before) == KT_OK);
    kt_tensor *x = kt_full(KT_SHAPE(1000), KT_FLOAT(3), .device = here);
    CHECK_EQ_INT(kt_device_sync(here), KT_OK);
    REQUIRE(kt_capture_begin(s) == KT_OK);
    kt_tensor *y = kt_add_s(kt_mul(x, x), KT_INT(1)), *z = kt_exp(kt_neg(kt_mul(y, y)));
    CHECK_FAILS(kt_item(kt_narrow(y, 0, 0, 1)), KT_ERR_RUNTIME, "a copy to the host makes the host wait for the device");
    kt_tensor *total = kt_sum(y);
    CHECK_FAILS(kt_inverse(kt_reshape(kt_narrow(y, 0, 0, 4), KT_SHAPE(2, 2))), KT_ERR_RUNTIME,
                "inverse cannot be captured: device 'cuda' has no kernel");
    REQUIRE(kt_capture_end(&graph) == KT_OK);
    kt_stream_set(before);
    for (int i = 1; i < 50; i++) {
        kt_fill_s_(x, KT_INT(i));
        CHECK_EQ_INT(kt_graph_replay(graph, before), KT_OK);
        CHECK_NEAR(first_of(y), (double)i * i + 1, 0.0);
        CHECK_NEAR(kt_item(total), 1000.0 * (i * i + 1), 0.0);
    }
    CHECK_NEAR(first_of(z), 0.0, 0.0);
    kt_graph_drop(graph);
    CHECK_NEAR(first_of(y), 49.0 * 49 + 1, 0.0); /* what outlives its graph keeps its memory */
    kt_stream_drop(s);
    CHECK_FAILS(kt_capture_begin(before), KT_ERR_RUNTIME, "the default stream cannot be captured");
}

typedef struct replayer {
    pthread_t thread;
    kt_graph *graph;
    int       failed;
} replayer;
enum { REPLAYERS = 4, STREAMS_OF_ONE = 5, REPLAYS = 40 }; /* more streams than a graph remembers */

static void *replay_often(void *argument)
{
    replayer *r = argument;
    kt_stream mine[STREAMS_OF_ONE];
    for (int i = 0; i < STREAMS_OF_ONE; i++)
        r->failed += kt_stream_new(here, 0, &mine[i]) != KT_OK;
    for (int i = 0; i < REPLAYS && !r->failed; i++)
        r->failed += kt_graph_replay(r->graph, mine[i % STREAMS_OF_ONE]) != KT_OK;
    for (int i = 0; i < STREAMS_OF_ONE && !r->failed; i++)
        kt_stream_drop(mine[i]);
    return NULL;
}

TEST(threads_replay_one_graph)
{
    if (!device())
        return;
    KT_SCOPE;
    kt_stream s, before;
    replayer  r[REPLAYERS] = {{0}};
    kt_graph *graph = NULL;
    REQUIRE(kt_stream_new(here, 0, &s) == KT_OK && kt_stream_current(here, &before) == KT_OK);
    kt_tensor *count = kt_zeros(KT_SHAPE(1000), .device = here);
    CHECK_EQ_INT(kt_device_sync(here), KT_OK);
    REQUIRE(kt_capture_begin(s) == KT_OK);
    kt_add_s_(count, KT_INT(1));
    REQUIRE(kt_capture_end(&graph) == KT_OK);
    kt_stream_set(before);
    for (int i = 0; i < REPLAYERS; i++) {
        r[i].graph = graph;
        pthread_create(&r[i].thread, NULL, replay_often, &r[i]);
    }
    for (int i = 0; i < REPLAYERS; i++) {
        pthread_join(r[i].thread, NULL);
        CHECK_EQ_INT(r[i].failed, 0);
    }
    CHECK_EQ_INT(kt_device_sync(here), KT_OK);
    CHECK_NEAR(first_of(count), (double)REPLAYERS * REPLAYS, 0.0);
    kt_graph_drop(graph);
    kt_stream_drop(s);
}

/* ---- late errors ---- */
TEST(a_late_error_names_its_line)
{
    if (!device())
        return;
    KT_SCOPE;
    kt_tensor *zeros = kt_zeros(KT_SHAPE(3), .dtype = KT_I32, .device = here);
    kt_tensor *ones = kt_ones(KT_SHAPE(3), .dtype = KT_I32, .device = here);
    const int  line = __LINE__ + 1;
    kt_tensor *bad = kt_floor_divide(ones, zeros);
    CHECK(bad != NULL && !kt_failed());
    char want[64];
    snprintf(want, sizeof want, "layer.c:%d", line);
    CHECK(kt_device_sync(here) == KT_ERR_RUNTIME);
    CHECK_EQ_INT(kt_error_device_code(), 710); /* "device-side assert triggered" */
    printf("late error: %s\n", kt_error());
    CHECK(strncmp(kt_error(), "ZeroDivisionError", 17) == 0 && strstr(kt_error(), "floor_divide") && strstr(kt_error(), want));
    kt_clear();
    int32_t back[3] = {0};
    CHECK_EQ_INT(kt_read(kt_add(ones, ones), back, sizeof back), KT_OK); /* the device goes on */
    CHECK_MEM(back, ((int32_t[]){2, 2, 2}), sizeof back);
}

TEST(a_check_does_not_wait)
{
    if (!device())
        return;
    KT_SCOPE;
    kt_tensor     *x = kt_full(KT_SHAPE(5), KT_FLOAT(2), .device = here), *y = kt_ones(KT_SHAPE(5), .device = here);
    const uint64_t waits = kt_host_waits();
    kt_nn_binary_cross_entropy(x, y, .reduction = "none"); /* its next kernel may find that the check has failed already */
    CHECK_EQ_INT(kt_host_waits(), waits);
    if (!kt_failed())
        kt_device_sync(here);
    CHECK_FAILS(kt_failed(), KT_ERR_RUNTIME, "all elements of input should be between 0 and 1");
    CHECK_EQ_INT(kt_device_sync(here), KT_OK); /* five elements, one error */
}

TEST(a_captured_kernel_fails_at_every_replay)
{
    if (!device())
        return;
    KT_SCOPE;
    kt_stream s, before;
    kt_graph *graph = NULL;
    REQUIRE(kt_stream_new(here, 0, &s) == KT_OK && kt_stream_current(here, &before) == KT_OK);
    kt_tensor *x = kt_ones(KT_SHAPE(1000), .dtype = KT_I32, .device = here), *y = kt_clone(x);
    CHECK_EQ_INT(kt_device_sync(here), KT_OK);
    REQUIRE(kt_capture_begin(s) == KT_OK);
    kt_tensor *z = kt_floor_divide(x, y);
    CHECK(z != NULL);
    REQUIRE(kt_capture_end(&graph) == KT_OK);
    kt_stream_set(before);
    for (int i = 0; i < 4; i++) {
        kt_fill_s_(y, KT_INT(i % 2));
        CHECK_EQ_INT(kt_graph_replay(graph, before), KT_OK);
        if (i % 2 == 0)
            CHECK_FAILS(kt_device_sync(here), KT_ERR_RUNTIME, "ZeroDivisionError");
        CHECK_EQ_INT(kt_device_sync(here), KT_OK);
    }
    kt_graph_drop(graph);
    kt_stream_drop(s);
}

/* ---- draws ---- */
static bool draws_are(kt_tensor *t, const float *want)
{
    float got[8] = {0};
    return CHECK_EQ_INT(kt_read(t, got, sizeof got), KT_OK) && memcmp(got, want, sizeof got) == 0;
}

/* As PyTorch 2.11 prints them on a GPU after manual_seed(42): the first call, and the second. */
TEST(draws_are_pytorchs)
{
    static const float first[8] = {0x1.39d5e0p-1f, 0x1.499bb4p-7f, 0x1.97f9c2p-2f, 0x1.4a34d6p-5f,
                                   0x1.4008c8p-3f, 0x1.ee0d6cp-2f, 0x1.78f568p-1f, 0x1.9fb9bcp-2f};
    static const float second[8] = {0x1.f9b642p-1f, 0x1.07fc8ap-3f, 0x1.1fcc1ep-1f, 0x1.0b51bep-1f,
                                    0x1.7d2c2cp-1f, 0x1.30e258p-1f, 0x1.edee12p-1f, 0x1.cbbbd2p-1f};
    if (!device())
        return;
    KT_SCOPE;
    kt_stream s, before;
    kt_graph *graph = NULL;
    REQUIRE(kt_stream_new(here, 0, &s) == KT_OK && kt_stream_current(here, &before) == KT_OK);
    kt_manual_seed(42);
    CHECK(draws_are(kt_rand(KT_SHAPE(8), .device = here), first));
    CHECK(draws_are(kt_rand(KT_SHAPE(8), .device = here), second));
    REQUIRE(kt_capture_begin(s) == KT_OK);
    kt_tensor *x = kt_rand(KT_SHAPE(8), .device = here);
    REQUIRE(kt_capture_end(&graph) == KT_OK);
    kt_stream_set(before);
    kt_manual_seed(42);
    CHECK(kt_graph_replay(graph, before) == KT_OK && draws_are(x, first));
    CHECK(kt_graph_replay(graph, before) == KT_OK && draws_are(x, second));
    kt_graph_drop(graph);
    kt_stream_drop(s);
}

/* ---- memory ---- */
static kt_device_memory figures(void)
{
    kt_device_memory m = {.size = sizeof m};
    CHECK_EQ_INT(kt_device_memory_ask(here, &m), KT_OK);
    return m;
}

TEST(memory_is_counted_and_limited)
{
    if (!device())
        return;
    KT_SCOPE;
    CHECK_EQ_INT(kt_device_memory_empty(here), KT_OK);
    const kt_device_memory before = figures();
    {
        KT_SCOPE;
        kt_empty(KT_SHAPE(1000), .device = here);
        CHECK_EQ_INT(figures().allocated - before.allocated, 4096);
        CHECK_EQ_INT(figures().reserved - before.reserved, 2 << 20);
    }
    CHECK_EQ_INT(figures().allocated, before.allocated);
    CHECK_EQ_INT(figures().reserved - before.reserved, 2 << 20); /* kept */
    CHECK_EQ_INT(kt_device_memory_empty(here), KT_OK);
    CHECK_EQ_INT(figures().reserved, before.reserved);
    CHECK_EQ_INT(kt_device_memory_limit(here, before.reserved + (32 << 20)), KT_OK);
    CHECK_FAILS(kt_empty(KT_SHAPE(100 << 20), .device = here), KT_ERR_MEMORY,
                "CUDA out of memory. Tried to allocate 400.00 MiB.");
    CHECK(kt_empty(KT_SHAPE(1 << 20), .device = here) != NULL);
    CHECK_EQ_INT(kt_device_memory_limit(here, SIZE_MAX), KT_OK);
    CHECK(kt_empty(KT_SHAPE(100 << 20), .device = here) != NULL);
    CHECK_EQ_INT(figures().out_of_memory - before.out_of_memory, 1);
}

static int64_t now(kt_memory_pool pool, kt_memory_kind kind)
{
    kt_memory_pools m = {.size = sizeof m};
    CHECK_EQ_INT(kt_device_memory_pools(here, &m), KT_OK);
    CHECK(m.known && m.taken >= m.of[KT_MEMORY_ALL][KT_MEMORY_SEGMENTS].now + m.given);
    return m.of[pool][kind].now;
}

TEST(pools_are_counted_apart)
{
    if (!device())
        return;
    const int64_t small = now(KT_MEMORY_SMALL, KT_MEMORY_ALLOCATED), large = now(KT_MEMORY_LARGE, KT_MEMORY_ALLOCATED);
    const int64_t asked = now(KT_MEMORY_ALL, KT_MEMORY_REQUESTED), count = now(KT_MEMORY_ALL, KT_MEMORY_ALLOCATIONS);
    {
        KT_SCOPE;
        CHECK(kt_empty(KT_SHAPE(150), .device = here) && kt_empty(KT_SHAPE(1 << 20), .device = here));
        CHECK_EQ_INT(now(KT_MEMORY_SMALL, KT_MEMORY_ALLOCATED) - small, 1024); /* 600 bytes in units of 512 */
        CHECK_EQ_INT(now(KT_MEMORY_LARGE, KT_MEMORY_ALLOCATED) - large, 4 << 20);
        CHECK_EQ_INT(now(KT_MEMORY_ALL, KT_MEMORY_REQUESTED) - asked, 600 + (4 << 20));
        CHECK_EQ_INT(now(KT_MEMORY_ALL, KT_MEMORY_ALLOCATIONS) - count, 2);
        CHECK(now(KT_MEMORY_ALL, KT_MEMORY_RESERVED) >= now(KT_MEMORY_ALL, KT_MEMORY_ACTIVE_BYTES));
    }
    CHECK_EQ_INT(now(KT_MEMORY_ALL, KT_MEMORY_ALLOCATIONS), count);
}
