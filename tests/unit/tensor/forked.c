/* forked.c - a forked child and the devices of its parent. */
#include "support/on_mirror.h"

#include <pthread.h>
#include <stdatomic.h>
#include <sys/wait.h>
#include <unistd.h>

enum { LONGEST = 60 }; /* seconds: a child that waits for threads that stayed behind would wait for ever */

static bool is_refused(bool failed)
{
    static const char text[] = "Cannot re-initialize MIRROR in forked subprocess. To use MIRROR with multiprocessing, you must "
                               "use the 'spawn' start method";
    const bool refused = failed && strncmp(kt_error(), text, sizeof text - 1) == 0;
    kt_clear();
    return refused;
}

/* What a child of a process with a busy device may do: nothing with the device, all with the CPU. */
static bool is_safe_child(kt_tensor *t, kt_tensor *pinned, kt_stream s, kt_event *e, kt_graph *g)
{
    double           back[100];
    bool             done = false;
    kt_tensor       *other = NULL;
    kt_event        *made = NULL;
    kt_device_memory memory = {.size = sizeof memory};
    bool ok = is_refused(!kt_add(t, t)) && is_refused(kt_read(t, back, sizeof back)) && is_refused(!filled(mirror0, 3, 1));
    ok = ok && is_refused(!kt_to(kt_ones(KT_SHAPE(2)), .device = mirror1)) && is_refused(!kt_fill_s_(t, KT_INT(2)));
    ok = ok && is_refused(kt_device_sync(mirror0)) && is_refused(kt_stream_sync(s)) && is_refused(kt_stream_idle(s, &done));
    ok = ok && is_refused(kt_event_sync(e)) && is_refused(kt_event_done(e, &done));
    ok = ok && is_refused(kt_event_new(mirror0, false, &made));
    ok = ok && is_refused(kt_used_on(t, s)) && is_refused(kt_graph_replay(g, s)) && is_refused(kt_capture_begin(s));
    ok = ok && is_refused(kt_device_memory_ask(mirror0, &memory)) && is_refused(kt_pin(kt_ones(KT_SHAPE(2)), mirror0, &other));
    kt_drop(t);
    kt_drop(pinned);
    kt_graph_drop(g);
    kt_event_drop(e);
    kt_stream_drop(s);
    return ok && kt_item(kt_sum(kt_ones(KT_SHAPE(10)))) == 10 && !kt_failed();
}

TEST(a_forked_child_cannot_use_the_devices_of_its_parent)
{
    if (!load_mirror())
        return;
    KT_SCOPE;
    const kt_stream s = stream_of(mirror0);
    kt_tensor      *t = owned(mirror0, 100, 1), *pinned = NULL;
    kt_event       *e = NULL;
    kt_graph       *g = NULL;
    REQUIRE(kt_pin(kt_ones(KT_SHAPE(3)), mirror0, &pinned) == KT_OK);
    REQUIRE(kt_event_new(mirror0, false, &e) == KT_OK && kt_event_record(e, s) == KT_OK);
    REQUIRE(kt_capture_begin(s) == KT_OK && kt_capture_end(&g) == KT_OK);
    keep_busy(s);
    const pid_t child = fork();
    if (child == 0) {
        alarm(LONGEST);
        _exit(is_safe_child(t, pinned, s, e, g) ? 0 : 1);
    }
    int status = -1;
    CHECK(child > 0 && waitpid(child, &status, 0) == child);
    CHECK_EQ_INT(status, 0);
    CHECK(all_are(kt_add(t, t), 2)); /* the parent goes on */
    kt_drop(t);
    kt_drop(pinned);
    kt_graph_drop(g);
    kt_event_drop(e);
    kt_stream_drop(s);
}

/* ---- the lock of the streams ---- */
static _Atomic bool over;

static void *change_streams(void *unused)
{
    while (!atomic_load(&over)) {
        kt_stream s;
        if (kt_stream_new(mirror1, 0, &s) == KT_OK && kt_stream_set(s) == KT_OK)
            kt_stream_drop(s);
    }
    return unused;
}

TEST(a_fork_while_another_thread_changes_streams_leaves_the_lock_free)
{
    if (!load_mirror())
        return;
    pthread_t       thread;
    const kt_stream s = stream_of(mirror0);
    REQUIRE(pthread_create(&thread, NULL, change_streams, NULL) == 0);
    for (int i = 0; i < 200; i++) {
        const pid_t child = fork();
        if (child == 0) {
            alarm(LONGEST / 20);
            kt_stream_drop(s);
            _exit(0);
        }
        int status = -1;
        CHECK(child > 0 && waitpid(child, &status, 0) == child);
        CHECK_EQ_INT(status, 0);
    }
    atomic_store(&over, true);
    pthread_join(thread, NULL);
    kt_stream_drop(s);
}
