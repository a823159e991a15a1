/* captures.c - a region recorded once and run again on the same memory. */
#include "support/on_mirror.h"

#include <pthread.h>

enum { N = 20000 }; /* large blocks, which are reused at once */

static kt_tensor *input;

static bool begin(kt_stream s)
{
    CHECK_EQ_INT(kt_device_sync(s.device), KT_OK);
    return CHECK_EQ_INT(kt_capture_begin(s), KT_OK) && CHECK(kt_is_capturing());
}

static kt_graph *end(void)
{
    kt_graph *g = NULL;
    CHECK_EQ_INT(kt_capture_end(&g), KT_OK);
    CHECK(!kt_is_capturing());
    return g;
}

TEST(replays_work_on_new_inputs)
{
    if (!load_mirror())
        return;
    const kt_stream s = stream_of(mirror0), other = stream_of(mirror0);
    KT_SCOPE;
    input = filled(mirror0, N, 1);
    if (!begin(s))
        return;
    CHECK_EQ_U64(current(mirror0).handle, s.handle);
    kt_tensor *out = kt_keep(kt_add_s(kt_mul(input, input), KT_INT(1)));
    kt_graph  *g = end();
    REQUIRE(g != NULL);
    CHECK_EQ_U64(current(mirror0).handle, 0);
    for (int i = 1; i < 6; i++) {
        kt_fill_s_(input, KT_INT(i));
        CHECK_EQ_INT(kt_graph_replay(g, standard(mirror0)), KT_OK);
        CHECK(all_are(out, i * i + 1));
    }
    kt_fill_s_(input, KT_INT(10)); /* on another stream, which is told when the inputs are there */
    CHECK_EQ_INT(kt_stream_after(other, standard(mirror0)), KT_OK);
    CHECK_EQ_INT(kt_graph_replay(g, other), KT_OK);
    CHECK_EQ_INT(kt_stream_after(standard(mirror0), other), KT_OK);
    CHECK(all_are(out, 101));
    CHECK_FAILS(kt_graph_replay(g, standard(mirror1)), KT_ERR_RUNTIME,
                "a graph is replayed on the device that it was captured on");
    CHECK_FAILS(kt_graph_replay(NULL, s), KT_ERR_RUNTIME, "there is no graph to replay");
    kt_graph_drop(g);
    kt_graph_drop(NULL);
    CHECK(all_are(out, 101)); /* the result outlives the graph */
    kt_drop(out);
    kt_stream_drop(s);
    kt_stream_drop(other);
}

/* What was allocated in a capture belongs to the graph, though the tensors are gone. */
TEST(memory_lives_with_the_graph)
{
    if (!load_mirror())
        return;
    const kt_stream s = stream_of(mirror0);
    KT_SCOPE;
    input = filled(mirror0, N, 1);
    kt_tensor *out = filled(mirror0, N, 0);
    if (!begin(s))
        return;
    {
        KT_SCOPE;
        kt_copy_(out, kt_mul_s(kt_add_s(input, KT_INT(1)), KT_INT(2)));
    }
    kt_graph *g = end();
    for (int i = 0; i < 5; i++) {
        KT_SCOPE;
        kt_tensor *others[8]; /* would take the memory of the temporaries */
        for (int k = 0; k < 8; k++)
            others[k] = filled(mirror0, N, -1);
        kt_fill_s_(input, KT_INT(i));
        CHECK_EQ_INT(kt_graph_replay(g, standard(mirror0)), KT_OK);
        CHECK(all_are(out, 2 * (i + 1)));
        for (int k = 0; k < 8; k++)
            if (!all_are(others[k], -1))
                break;
    }
    CHECK_EQ_INT(kt_graph_replay(g, standard(mirror0)), KT_OK);
    kt_graph_drop(g); /* while a replay is queued */
    for (int k = 0; k < 8; k++)
        filled(mirror0, N, -1);
    CHECK(all_are(out, 10));
    kt_stream_drop(s);
}

TEST(a_side_stream_takes_part)
{
    if (!load_mirror())
        return;
    const kt_stream s = stream_of(mirror0), side = stream_of(mirror0);
    KT_SCOPE;
    input = filled(mirror0, N, 1);
    if (!begin(s))
        return;
    kt_tensor *a = kt_keep(kt_mul_s(input, KT_INT(2)));
    CHECK_EQ_INT(kt_stream_after(side, s), KT_OK);
    go_to(side);
    kt_tensor *b = kt_keep(kt_add_s(a, KT_INT(1)));
    CHECK_EQ_INT(kt_stream_after(s, side), KT_OK);
    go_to(s);
    kt_tensor *c = kt_keep(kt_mul(a, b));
    kt_graph  *g = end();
    for (int i = 1; i < 4; i++) {
        kt_fill_s_(input, KT_INT(i));
        CHECK_EQ_INT(kt_graph_replay(g, standard(mirror0)), KT_OK);
        CHECK(all_are(c, 2 * i * (2 * i + 1)));
    }
    go_to(side); /* which works as before */
    CHECK(all_are(filled(mirror0, N, 3), 3));
    go_to(standard(mirror0));
    kt_graph_drop(g);
    kt_drop(a);
    kt_drop(b);
    kt_drop(c);
    kt_stream_drop(s);
    kt_stream_drop(side);
}

/* ---- what cannot be captured ---- */
TEST(waits_are_errors)
{
    if (!load_mirror())
        return;
    const kt_stream s = stream_of(mirror0);
    KT_SCOPE;
    input = filled(mirror0, N, 1);
    kt_event *e = NULL;
    REQUIRE(kt_event_new(mirror0, false, &e) == KT_OK);
    CHECK_EQ_INT(kt_event_record(e, standard(mirror0)), KT_OK);
    if (!begin(s))
        return;
    double one;
    static const char sync[] = "synchronize makes the host wait for the device, which is not possible while work is captured";
    CHECK_FAILS(kt_read(kt_select(input, 0, 0), &one, sizeof one), KT_ERR_RUNTIME, "a copy to the host makes the host wait");
    CHECK_FAILS(kt_item(kt_select(input, 0, 0)), KT_ERR_RUNTIME, "");
    CHECK_FAILS(kt_device_sync(mirror0), KT_ERR_RUNTIME, sync);
    CHECK_FAILS(kt_stream_sync(s), KT_ERR_RUNTIME, sync);
    CHECK_FAILS(kt_event_sync(e), KT_ERR_RUNTIME, sync);
    CHECK_FAILS(kt_nonzero(input), KT_ERR_RUNTIME, "");
    CHECK_FAILS(kt_device_memory_empty(mirror0), KT_ERR_RUNTIME, "empty_cache makes the host wait for the device");
    CHECK_FAILS(kt_capture_begin(stream_of(mirror0)), KT_ERR_RUNTIME, "this thread captures already");
    kt_tensor *out = kt_keep(kt_add_s(input, KT_INT(5)));
    kt_graph  *g = end();
    CHECK_EQ_INT(kt_graph_replay(g, standard(mirror0)), KT_OK); /* the errors left nothing behind */
    CHECK(all_are(out, 6));
    if (begin(s)) {
        CHECK_FAILS(kt_graph_replay(g, s), KT_ERR_RUNTIME, "a graph cannot be replayed while work is captured");
        kt_graph_drop(end());
    }
    kt_graph_drop(g);
    kt_drop(out);
    kt_event_drop(e);
    kt_stream_drop(s);
}

TEST(captures_that_cannot_begin_or_end)
{
    if (!load_mirror())
        return;
    kt_graph *g = (kt_graph *)1;
    CHECK_FAILS(kt_capture_end(&g), KT_ERR_RUNTIME, "this thread does not capture");
    CHECK(g == NULL);
    CHECK_FAILS(kt_capture_end(NULL), KT_ERR_TYPE, "expected a place for the result");
    CHECK_FAILS(kt_capture_begin(standard((kt_device){KT_CPU, 0})), KT_ERR_RUNTIME, "device 'cpu' cannot capture");
    CHECK_FAILS(kt_capture_begin((kt_stream){{99, 0}, 0}), KT_ERR_RUNTIME, "there is no such device");
    CHECK(!kt_is_capturing());
}

/* A capture of nothing, and one after the other on the same stream. */
TEST(one_capture_after_the_other)
{
    if (!load_mirror())
        return;
    const kt_stream s = stream_of(mirror1);
    for (int i = 0; i < 3; i++) {
        KT_SCOPE;
        input = filled(mirror1, N, i);
        if (!begin(s))
            return;
        kt_tensor *out = i ? kt_keep(kt_mul_s(input, KT_INT(2))) : NULL;
        kt_graph  *g = end();
        CHECK_EQ_INT(kt_graph_replay(g, standard(mirror1)), KT_OK);
        CHECK(!out || all_are(out, 2 * i));
        kt_graph_drop(g);
        kt_drop(out);
    }
    kt_stream_drop(s);
}

/* ---- threads ---- */
static void *begin_and_leave(void *stream)
{
    CHECK_EQ_INT(kt_capture_begin(*(kt_stream *)stream), KT_OK);
    return NULL;
}

TEST(a_thread_that_ends_ends_its_capture)
{
    if (!load_mirror())
        return;
    KT_SCOPE;
    kt_stream s = stream_of(mirror0);
    pthread_t thread;
    REQUIRE(pthread_create(&thread, NULL, begin_and_leave, &s) == 0);
    pthread_join(thread, NULL);
    go_to(s);
    CHECK(all_are(filled(mirror0, 3, 7), 7)); /* work of the stream is done again */
    go_to(standard(mirror0));
    kt_stream_drop(s);
}

/* The check of the engine is of the thread that captures; the device refuses the others. */
static void *waits_for_it(void *stream)
{
    const kt_stream s = *(const kt_stream *)stream;
    CHECK_FAILS(kt_stream_sync(s), KT_ERR_RUNTIME, "mirror: a stream whose work is captured cannot be waited for");
    CHECK_EQ_INT(kt_stream_set(s), KT_OK);
    KT_SCOPE;
    double back[4];
    CHECK_FAILS(kt_read(input, back, sizeof back), KT_ERR_RUNTIME,
                "mirror: a stream whose work is captured cannot be waited for");
    return NULL;
}

TEST(another_thread_cannot_wait_for_a_capture)
{
    if (!load_mirror())
        return;
    kt_stream s = stream_of(mirror0);
    KT_SCOPE;
    input = filled(mirror0, 4, 1);
    if (!begin(s))
        return;
    pthread_t thread;
    REQUIRE(pthread_create(&thread, NULL, waits_for_it, &s) == 0);
    pthread_join(thread, NULL);
    kt_graph_drop(end());
    CHECK(all_are(input, 1));
    kt_stream_drop(s);
}
