/* streams.c - streams and events through the public interface, on the mirror: order within a stream, none between two but by
 * events, a current one for each thread and device. */
#include <pthread.h>

#include "support/on_mirror.h"

enum { N = 1000 };

TEST(the_cpu_has_one_idle_stream)
{
    const kt_device cpu = {KT_CPU, 0};
    kt_stream       s = {cpu, 7};
    kt_event       *e = NULL;
    bool            yes = false;
    CHECK_EQ_INT(kt_stream_new(cpu, 0, &s), KT_OK);
    CHECK_EQ_U64(s.handle, 0);
    CHECK(is_idle(s));
    CHECK_EQ_INT(kt_stream_sync(s), KT_OK);
    CHECK_EQ_INT(kt_event_new(cpu, false, &e), KT_OK);
    CHECK_EQ_INT(kt_event_record(e, s), KT_OK);
    CHECK(kt_event_done(e, &yes) == KT_OK && yes);
    CHECK_EQ_INT(kt_event_sync(e), KT_OK);
    CHECK_EQ_INT(kt_stream_after(s, s), KT_OK);
    kt_event_drop(e);
    kt_stream_drop(s);
}

TEST(wrong_arguments)
{
    if (!load_mirror())
        return;
    kt_stream s;
    kt_event *e = NULL;
    CHECK_FAILS(kt_stream_new((kt_device){99, 0}, 0, &s), KT_ERR_RUNTIME, "there is no such device");
    CHECK_FAILS(kt_stream_new((kt_device){mirror0.kind, 2}, 0, &s), KT_ERR_RUNTIME, "there is no such device");
    CHECK_FAILS(kt_stream_new(mirror0, 0, NULL), KT_ERR_TYPE, "expected a place for the result");
    CHECK_FAILS(kt_stream_idle(standard(mirror0), NULL), KT_ERR_TYPE, "expected a place for the result");
    CHECK_FAILS(kt_event_new(mirror0, false, NULL), KT_ERR_TYPE, "expected a place for the result");
    CHECK_FAILS(kt_event_record(NULL, standard(mirror0)), KT_ERR_TYPE, "expected a place for the result");
    CHECK_FAILS(kt_event_sync(NULL), KT_ERR_TYPE, "expected a place for the result");
    CHECK_FAILS(kt_used_on(NULL, standard(mirror0)), KT_ERR_TYPE, "expected a tensor");
    REQUIRE(kt_event_new(mirror0, false, &e) == KT_OK);
    CHECK_FAILS(kt_event_record(e, standard(mirror1)), KT_ERR_RUNTIME,
                "Event device mirror:0 does not match recording stream's device mirror:1.");
    kt_event_drop(e);
    kt_event_drop(NULL);
    kt_stream_drop((kt_stream){mirror0, 0});
    kt_stream_drop((kt_stream){{99, 0}, 1});
}

TEST(work_of_one_stream_is_done_in_order)
{
    if (!load_mirror())
        return;
    KT_SCOPE;
    const kt_stream s = stream_of(mirror0);
    go_to(s);
    kt_tensor *t = filled(mirror0, N, 2);
    for (int i = 0; i < 20; i++) { /* one does not commute with the other */
        kt_mul_s_(t, KT_INT(2));
        kt_sub_s_(t, KT_INT(1));
    }
    CHECK(!is_idle(s));
    CHECK_EQ_INT(kt_stream_sync(s), KT_OK);
    CHECK(is_idle(s));
    CHECK(all_are(t, (1 << 20) + 1));
    go_to(standard(mirror0));
    kt_stream_drop(s);
}

/* A short stream is done while a long one is still at work. */
TEST(streams_do_not_wait_for_each_other)
{
    if (!load_mirror())
        return;
    bool seen = false;
    for (int attempt = 0; attempt < 10 && !seen; attempt++) { /* a busy machine may let the long one win */
        KT_SCOPE;
        const kt_stream longer = stream_of(mirror0), shorter = stream_of(mirror0);
        keep_busy(longer);
        go_to(shorter);
        kt_tensor *t = filled(mirror0, N, 3);
        CHECK_EQ_INT(kt_stream_sync(shorter), KT_OK);
        seen = !is_idle(longer);
        CHECK(all_are(t, 3));
        go_to(standard(mirror0));
        CHECK_EQ_INT(kt_stream_sync(longer), KT_OK);
        kt_stream_drop(longer);
        kt_stream_drop(shorter);
    }
    CHECK(seen);
}

/* ---- current streams ---- */
static void *begin_on_the_default(void *side)
{
    CHECK_EQ_U64(current(mirror0).handle, 0);
    go_to(*(kt_stream *)side);
    CHECK_EQ_U64(current(mirror0).handle, ((kt_stream *)side)->handle);
    return NULL;
}

TEST(each_thread_and_device_has_a_current_stream)
{
    if (!load_mirror())
        return;
    kt_stream a = stream_of(mirror0), b = stream_of(mirror1), other = stream_of(mirror0);
    CHECK_EQ_U64(current(mirror0).handle, 0);
    go_to(a);
    go_to(b);
    CHECK_EQ_U64(current(mirror0).handle, a.handle);
    CHECK_EQ_U64(current(mirror1).handle, b.handle);
    CHECK_EQ_INT(current(mirror1).device.index, 1);
    pthread_t thread;
    REQUIRE(pthread_create(&thread, NULL, begin_on_the_default, &other) == 0);
    pthread_join(thread, NULL);
    CHECK_EQ_U64(current(mirror0).handle, a.handle);
    go_to(standard(mirror0));
    CHECK_EQ_U64(current(mirror0).handle, 0);
    CHECK_EQ_U64(current(mirror1).handle, b.handle);
    kt_stream_drop(b); /* the current one: the thread goes back to the default */
    CHECK_EQ_U64(current(mirror1).handle, 0);
    kt_stream_drop(a);
    kt_stream_drop(other);
}

TEST(a_busy_stream_may_be_dropped)
{
    if (!load_mirror())
        return;
    KT_SCOPE;
    for (int i = 0; i < 20; i++) {
        const kt_stream s = stream_of(mirror0);
        go_to(s);
        kt_tensor *t = filled(mirror0, N, i);
        kt_add_s_(t, KT_INT(1));
        kt_event *e = NULL;
        REQUIRE(kt_event_new(mirror0, false, &e) == KT_OK);
        CHECK_EQ_INT(kt_event_record(e, s), KT_OK);
        kt_stream_drop(s);
        CHECK_EQ_U64(current(mirror0).handle, 0);
        CHECK_EQ_INT(kt_stream_after_event(standard(mirror0), e), KT_OK);
        kt_event_drop(e); /* while it is queued */
        CHECK(all_are(t, i + 1));
    }
}

/* ---- events ---- */
TEST(an_event_marks_the_work_so_far)
{
    if (!load_mirror())
        return;
    KT_SCOPE;
    const kt_stream s = stream_of(mirror0);
    kt_event       *e = NULL;
    bool            done = false;
    REQUIRE(kt_event_new(mirror0, false, &e) == KT_OK);
    CHECK(kt_event_done(e, &done) == KT_OK && done); /* never recorded */
    CHECK_EQ_INT(kt_event_sync(e), KT_OK);
    CHECK_EQ_INT(kt_stream_after_event(s, e), KT_OK);
    go_to(s);
    kt_tensor *t = filled(mirror0, N, 1);
    CHECK_EQ_INT(kt_event_record(e, s), KT_OK);
    CHECK(kt_event_done(e, &done) == KT_OK && !done);
    CHECK_EQ_INT(kt_event_sync(e), KT_OK);
    CHECK(kt_event_done(e, &done) == KT_OK && done);
    kt_add_s_(t, KT_INT(1));
    CHECK(kt_event_done(e, &done) == KT_OK && done); /* later work does not count */
    CHECK_EQ_INT(kt_event_record(e, s), KT_OK);      /* again */
    CHECK(kt_event_done(e, &done) == KT_OK);
    CHECK_EQ_INT(kt_event_sync(e), KT_OK);
    CHECK(all_are(t, 2));
    go_to(standard(mirror0));
    kt_event_drop(e);
    kt_stream_drop(s);
}

/* The same two pieces of work on two streams, many times: the event makes them one order. */
TEST(a_stream_waits_for_an_event)
{
    if (!load_mirror())
        return;
    const kt_stream a = stream_of(mirror0), b = stream_of(mirror0);
    for (int i = 0; i < 20; i++) {
        KT_SCOPE;
        go_to(a);
        kt_tensor *t = filled(mirror0, N, i);
        if (i % 4 == 0)
            keep_busy(a);
        kt_mul_s_(t, KT_INT(3));
        CHECK_EQ_INT(kt_stream_after(b, a), KT_OK);
        go_to(b);
        kt_tensor *u = kt_add(t, t);
        if (!all_are(u, 6.0 * i)) /* waits for b alone */
            break;
        CHECK_EQ_INT(kt_used_on(t, b), KT_OK);
    }
    go_to(standard(mirror0));
    kt_stream_drop(a);
    kt_stream_drop(b);
}

/* A wait is for the recording that was the last when it was queued. */
TEST(recording_again_does_not_move_an_earlier_wait)
{
    if (!load_mirror())
        return;
    KT_SCOPE;
    const kt_stream a = stream_of(mirror0), b = stream_of(mirror0);
    kt_event       *e = NULL;
    REQUIRE(kt_event_new(mirror0, false, &e) == KT_OK);
    go_to(a);
    kt_tensor *t = filled(mirror0, N, 4);
    CHECK_EQ_INT(kt_event_record(e, a), KT_OK);
    CHECK_EQ_INT(kt_stream_after_event(b, e), KT_OK);
    go_to(b);
    kt_tensor *u = kt_add(t, t);
    CHECK_EQ_INT(kt_stream_after(a, b), KT_OK); /* what follows on a comes after u; a wait for it would never end */
    CHECK_EQ_INT(kt_event_record(e, a), KT_OK);
    CHECK(all_are(u, 8));
    CHECK_EQ_INT(kt_event_sync(e), KT_OK);
    go_to(standard(mirror0));
    kt_event_drop(e);
    kt_stream_drop(a);
    kt_stream_drop(b);
}

TEST(events_join_devices)
{
    if (!load_mirror())
        return;
    KT_SCOPE;
    const kt_stream a = stream_of(mirror0), b = stream_of(mirror1);
    kt_event       *e = NULL;
    REQUIRE(kt_event_new(mirror0, false, &e) == KT_OK);
    keep_busy(a);
    CHECK_EQ_INT(kt_event_record(e, a), KT_OK);
    CHECK_EQ_INT(kt_stream_after_event(b, e), KT_OK);
    CHECK_EQ_INT(kt_stream_sync(b), KT_OK);
    bool done = false;
    CHECK(kt_event_done(e, &done) == KT_OK && done);
    /* another kind of device has no queue in common: the host waits in its place */
    CHECK_EQ_INT(kt_event_record(e, a), KT_OK);
    CHECK_EQ_INT(kt_stream_after_event(standard((kt_device){KT_CPU, 0}), e), KT_OK);
    CHECK(kt_event_done(e, &done) == KT_OK && done);
    kt_event_drop(e);
    kt_stream_drop(a);
    kt_stream_drop(b);
}

TEST(elapsed_time)
{
    if (!load_mirror())
        return;
    kt_event *from = NULL, *to = NULL, *untimed = NULL;
    double    ms = -1;
    REQUIRE(!kt_event_new(mirror0, true, &from) && !kt_event_new(mirror0, true, &to) && !kt_event_new(mirror0, false, &untimed));
    CHECK_FAILS(kt_event_elapsed(from, untimed, &ms), KT_ERR_VALUE,
                "Both events must be created with argument 'enable_timing=True'.");
    CHECK_FAILS(kt_event_elapsed(from, to, &ms), KT_ERR_VALUE, "Both events must be recorded before calculating elapsed time.");
    CHECK_EQ_INT(kt_event_record(from, standard(mirror0)), KT_OK);
    CHECK_EQ_INT(kt_event_sync(from), KT_OK);
    keep_busy(standard(mirror0));
    CHECK_EQ_INT(kt_event_record(to, standard(mirror0)), KT_OK);
    CHECK_FAILS(kt_event_elapsed(from, to, &ms), KT_ERR_RUNTIME,
                "Both events must be completed before calculating elapsed time.");
    CHECK_EQ_INT(kt_event_sync(to), KT_OK);
    CHECK_EQ_INT(kt_event_elapsed(from, to, &ms), KT_OK);
    CHECK(ms > 0);
    kt_event_drop(from);
    kt_event_drop(to);
    kt_event_drop(untimed);
}

/* ---- errors of queued work ---- */
TEST(whoever_waits_or_queues_next_is_told_once)
{
    if (!load_mirror())
        return;
    KT_SCOPE;
    const kt_stream s = stream_of(mirror0);
    kt_event       *e = NULL;
    REQUIRE(kt_event_new(mirror0, false, &e) == KT_OK);
    kt_tensor *ones = kt_ones(KT_SHAPE(3), .dtype = KT_I32, .device = mirror0);
    kt_tensor *zeros = kt_zeros(KT_SHAPE(3), .dtype = KT_I32, .device = mirror0);
    CHECK_EQ_INT(kt_stream_sync(standard(mirror0)), KT_OK);
    go_to(s);
    CHECK(kt_floor_divide(ones, zeros) != NULL);
    CHECK_EQ_INT(kt_event_record(e, s), KT_OK);
    CHECK_FAILS(kt_event_sync(e), KT_ERR_RUNTIME, "ZeroDivisionError");
    CHECK_EQ_INT(kt_event_sync(e), KT_OK);
    kt_floor_divide(ones, zeros);
    CHECK_FAILS(kt_stream_sync(s), KT_ERR_RUNTIME, "ZeroDivisionError");
    kt_floor_divide(ones, zeros);
    CHECK_FAILS(kt_device_sync(mirror0), KT_ERR_RUNTIME, "ZeroDivisionError");
    kt_floor_divide(ones, zeros);
    while (!is_idle(s)) /* done, and nobody has been told */
        ;
    CHECK(!kt_failed());
    CHECK_FAILS(kt_add(ones, ones), KT_ERR_RUNTIME, "ZeroDivisionError");
    CHECK(kt_add(ones, ones) != NULL);
    CHECK_EQ_INT(kt_device_sync(mirror1), KT_OK); /* another device's work is not concerned */
    CHECK_EQ_INT(kt_stream_sync(s), KT_OK); /* it reads the standard stream's memory, which the scope frees */
    go_to(standard(mirror0));
    kt_event_drop(e);
    kt_stream_drop(s);
}

/* ---- many streams ---- */
enum { THREADS = 4, STEPS = 300 };

static uint32_t draw(uint32_t *state) { return *state = *state * 1664525u + 1013904223u, *state >> 16; }

static kt_tensor *step(uint32_t *state, kt_tensor *t)
{
    switch (draw(state) % 10) {
    case 0: return kt_add(t, t);
    case 1: return kt_mul_s(t, KT_FLOAT(0.5));
    case 2: return kt_sin(t);
    case 3: return kt_transpose(t, 0, 1);
    case 4: return kt_matmul(t, kt_mul_s(t, KT_FLOAT(0.01)));
    case 5: return kt_softmax(t, 1);
    case 6: return kt_sub(t, kt_mean_dim(t, KT_SHAPE(1), .keepdim = true));
    case 7: return kt_cumsum(t, 0);
    case 8: return kt_where(kt_gt_s(t, KT_INT(0)), t, kt_neg(t));
    default: return kt_tanh(t);
    }
}

static void *work_randomly(void *argument)
{
    const uintptr_t which = (uintptr_t)argument;
    const kt_device d = which % 2 ? mirror1 : mirror0;
    uint32_t        state = 17 + (uint32_t)which, same = state;
    const kt_stream s = stream_of(d);
    go_to(s);
    KT_SCOPE;
    double     start[64], here[64], there[64];
    for (int i = 0; i < 64; i++)
        start[i] = (double)(draw(&state) % 100) / 50 - 1;
    same = state;
    kt_tensor *a = kt_keep(kt_from(start, KT_SHAPE(8, 8), KT_F64)), *b = kt_keep(kt_to(a, .device = d));
    for (int i = 0; i < STEPS; i++) {
        KT_SCOPE;
        kt_tensor *x = kt_keep(step(&state, a)), *y = kt_keep(step(&same, b));
        kt_drop(a);
        kt_drop(b);
        a = x;
        b = y;
        if (i % 50 == 49) {
            CHECK_EQ_INT(kt_read(a, here, sizeof here), KT_OK);
            CHECK_EQ_INT(kt_read(b, there, sizeof there), KT_OK);
            if (!CHECK_MEM(there, here, sizeof here))
                break;
        }
    }
    CHECK(!kt_failed());
    kt_drop(a);
    kt_drop(b);
    go_to(standard(d));
    kt_stream_drop(s);
    return NULL;
}

TEST(four_threads_with_a_stream_each_give_what_the_cpu_gives)
{
    if (!load_mirror())
        return;
    pthread_t threads[THREADS];
    for (uintptr_t i = 0; i < THREADS; i++)
        REQUIRE(pthread_create(&threads[i], NULL, work_randomly, (void *)i) == 0);
    for (int i = 0; i < THREADS; i++)
        pthread_join(threads[i], NULL);
}

TEST(streams_without_memory)
{
    if (!load_mirror())
        return;
    const kt_stream s = stream_of(mirror0);
    kt_stream       made, now;
    kt_memory_fail_after(0);
    CHECK_EQ_INT(kt_stream_new(mirror0, 0, &made), KT_ERR_MEMORY);
    kt_clear();
    kt_memory_fail_after(0);
    CHECK_EQ_INT(kt_stream_set(s), KT_ERR_MEMORY);
    kt_memory_fail_after(-1);
    kt_clear();
    CHECK(kt_stream_current(mirror0, &now) == KT_OK && now.handle == 0);
    kt_stream_drop(s);
}
