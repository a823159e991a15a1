/* device_memory.c - the memory of a device whose work is late: it is freed in the order of the streams that use it, copies take
 * and bring bytes in that order too, and its use is counted. */
#include <stdlib.h>

#include "plan/launch.h"
#include "support/memory.h"
#include "support/on_mirror.h"

#include <karat/plugin/call.h>

enum { N = 20000 }; /* elements of eight bytes: large blocks, which threads share and which are reused at once */

/* Whatever memory is free of that size is overwritten. */
static void spoil(kt_stream s)
{
    KT_SCOPE;
    const kt_stream before = current(s.device);
    go_to(s);
    for (int i = 0; i < 4; i++)
        filled(s.device, N, -1);
    CHECK_EQ_INT(kt_stream_sync(s), KT_OK);
    go_to(before);
}

/* ---- freed in order ---- */
TEST(memory_is_freed_after_the_work_of_its_stream)
{
    if (!load_mirror())
        return;
    const kt_stream a = stream_of(mirror0), b = stream_of(mirror0);
    KT_SCOPE;
    go_to(a);
    kt_tensor *t = owned(mirror0, N, 3);
    CHECK_EQ_INT(kt_stream_sync(a), KT_OK);
    keep_busy(a);
    kt_tensor *u = kt_add(t, t);
    kt_drop(t);
    spoil(b);
    CHECK(all_are(u, 6));
    go_to(standard(mirror0));
    kt_stream_drop(a);
    kt_stream_drop(b);
}

/* Memory of a, used by b: b is told, or the memory would be free when a is done. */
TEST(memory_is_freed_after_the_streams_that_use_it)
{
    if (!load_mirror())
        return;
    const kt_stream a = stream_of(mirror0), b = stream_of(mirror0);
    KT_SCOPE;
    go_to(a);
    kt_tensor *t = owned(mirror0, N, 3);
    CHECK_EQ_INT(kt_stream_after(b, a), KT_OK);
    keep_busy(b);
    go_to(b);
    kt_tensor *u = kt_add(t, t);
    CHECK_EQ_INT(kt_used_on(t, b), KT_OK);
    CHECK_EQ_INT(kt_used_on(t, b), KT_OK); /* again */
    kt_drop(t);
    CHECK_EQ_INT(kt_stream_sync(a), KT_OK); /* a has released it */
    spoil(a);
    CHECK(all_are(u, 6));
    go_to(standard(mirror0));
    kt_stream_drop(a);
    kt_stream_drop(b);
}

TEST(many_streams_may_use_one_tensor)
{
    enum { MANY = 12 };
    if (!load_mirror())
        return;
    KT_SCOPE;
    kt_stream  s[MANY];
    kt_tensor *u[MANY], *t = owned(mirror0, N, 5);
    for (int i = 0; i < MANY; i++) {
        s[i] = stream_of(mirror0);
        CHECK_EQ_INT(kt_stream_after(s[i], standard(mirror0)), KT_OK);
        go_to(s[i]);
        u[i] = kt_mul_s(t, KT_INT(i));
        CHECK_EQ_INT(kt_used_on(t, s[i]), KT_OK);
    }
    kt_drop(t);
    CHECK_EQ_INT(kt_stream_sync(standard(mirror0)), KT_OK);
    spoil(standard(mirror0));
    for (int i = 0; i < MANY; i++) {
        go_to(s[i]);
        CHECK(all_are(u[i], 5.0 * i));
    }
    go_to(standard(mirror0));
    for (int i = 0; i < MANY; i++)
        kt_stream_drop(s[i]);
}

TEST(a_stream_of_another_device_cannot_use_it)
{
    if (!load_mirror())
        return;
    KT_SCOPE;
    CHECK_FAILS(kt_used_on(kt_ones(KT_SHAPE(2)), standard(mirror0)), KT_ERR_RUNTIME,
                "record_stream: the stream is of device 'mirror:0', and the tensor is on 'cpu:0'");
    CHECK_FAILS(kt_used_on(filled(mirror0, 2, 1), standard(mirror1)), KT_ERR_RUNTIME,
                "record_stream: the stream is of device 'mirror:1', and the tensor is on 'mirror:0'");
}

/* ---- copies between devices ---- */
TEST(a_copy_between_devices_waits_for_both)
{
    if (!load_mirror())
        return;
    const kt_stream a = stream_of(mirror0), b = stream_of(mirror1);
    for (int i = 0; i < 4; i++) {
        KT_SCOPE;
        go_to(a);
        go_to(b);
        kt_tensor *to = filled(mirror1, N, 100), *from = filled(mirror0, N, i);
        keep_busy(i % 2 ? a : b);
        kt_add_s_(from, KT_INT(1));
        kt_tensor *before = kt_add(to, to); /* reads what the copy overwrites */
        kt_copy_(to, from);
        kt_fill_s_(from, KT_INT(-1));       /* after the copy has read it */
        kt_tensor *moved = kt_to(to, .device = mirror0);
        if (!all_are(to, i + 1) || !all_are(before, 200) || !all_are(moved, i + 1))
            break;
    }
    go_to(standard(mirror0));
    go_to(standard(mirror1));
    kt_stream_drop(a);
    kt_stream_drop(b);
}

/* ---- pinned memory ---- */
static kt_tensor *pinned(const kt_tensor *t)
{
    kt_tensor *p = NULL;
    CHECK_EQ_INT(kt_pin((kt_tensor *)(uintptr_t)t, mirror0, &p), KT_OK);
    return p;
}

static kt_status transfer(kt_tensor *to, const kt_tensor *from, bool non_blocking)
{
    return kt__transfer(kt_row_find("copy"), to, from, non_blocking);
}

TEST(pinning)
{
    if (!load_mirror())
        return;
    KT_SCOPE;
    kt_tensor *t = kt_full(KT_SHAPE(N), KT_INT(7), .dtype = KT_F64), *p = pinned(t);
    REQUIRE(p != NULL);
    CHECK(kt_is_pinned(p) && !kt_is_pinned(t) && !kt_is_pinned(NULL));
    CHECK(kt_device_of(p).kind == KT_CPU && all_are(p, 7));
    kt_tensor *again = pinned(p);
    CHECK(again == p);
    kt_drop(again);
    kt_drop(p);
    kt_tensor *none = pinned(kt_empty(KT_SHAPE(0), .dtype = KT_F64));
    CHECK(none && kt_is_pinned(none));
    kt_drop(none);
}

/* The bytes travel when it is their turn: what changes them before that is seen. Without non_blocking they are read at once. */
TEST(a_copy_from_pinned_memory_reads_it_late)
{
    if (!load_mirror())
        return;
    KT_SCOPE;
    CHECK_EQ_INT(kt_device_sync(mirror0), KT_OK);
    kt_tensor *p = pinned(kt_full(KT_SHAPE(N), KT_INT(1), .dtype = KT_F64));
    kt_tensor *t = filled(mirror0, N, 0), *u = filled(mirror0, N, 0);
    const uint64_t waits = kt_host_waits();
    CHECK_EQ_INT(transfer(t, p, false), KT_OK);
    CHECK_EQ_INT(transfer(u, p, true), KT_OK);
    CHECK_EQ_U64(kt_host_waits(), waits);
    kt_fill_s_(p, KT_INT(2));
    CHECK(all_are(t, 1));
    CHECK(all_are(u, 2));
    kt_drop(p);
}

TEST(a_copy_to_pinned_memory_arrives_late)
{
    if (!load_mirror())
        return;
    KT_SCOPE;
    CHECK_EQ_INT(kt_device_sync(mirror0), KT_OK);
    kt_tensor *p = pinned(kt_full(KT_SHAPE(N), KT_INT(1), .dtype = KT_F64)), *t = filled(mirror0, N, 9);
    const uint64_t waits = kt_host_waits();
    CHECK_EQ_INT(transfer(p, t, true), KT_OK);
    CHECK_EQ_U64(kt_host_waits(), waits);
    CHECK(all_are(p, 1)); /* it is CPU memory: nobody waits */
    CHECK_EQ_INT(kt_stream_sync(standard(mirror0)), KT_OK);
    CHECK(all_are(p, 9));
    kt_fill_s_(t, KT_INT(10));
    CHECK_EQ_INT(transfer(p, t, false), KT_OK);
    CHECK_EQ_U64(kt_host_waits(), waits + 1);
    CHECK(all_are(p, 10));
    kt_tensor *plain = kt_full(KT_SHAPE(N), KT_INT(1), .dtype = KT_F64); /* not pinned: non_blocking changes nothing */
    CHECK_EQ_INT(transfer(plain, t, true), KT_OK);
    CHECK(all_are(plain, 10));
    kt_drop(p);
}

TEST(pinned_memory_outlives_the_copies_that_use_it)
{
    if (!load_mirror())
        return;
    const kt_stream s = stream_of(mirror0);
    KT_SCOPE;
    keep_busy(s);
    go_to(s);
    kt_tensor *p = pinned(kt_full(KT_SHAPE(N), KT_INT(4), .dtype = KT_F64)), *t = filled(mirror0, N, 0);
    CHECK_EQ_INT(transfer(t, p, true), KT_OK);
    kt_drop(p);
    for (int i = 0; i < 4; i++) {
        kt_tensor *other = pinned(kt_full(KT_SHAPE(N), KT_INT(-1), .dtype = KT_F64));
        kt_drop(other);
    }
    CHECK(all_are(t, 4));
    kt_tensor *back = pinned(kt_zeros(KT_SHAPE(N), .dtype = KT_F64));
    keep_busy(s);
    CHECK_EQ_INT(transfer(back, t, true), KT_OK);
    kt_drop(back); /* while the bytes are on their way there */
    CHECK_EQ_INT(kt_stream_sync(s), KT_OK);
    go_to(standard(mirror0));
    kt_stream_drop(s);
}

/* ---- figures ---- */
static kt_device_memory figures(kt_device d)
{
    kt_device_memory m = {.size = sizeof m};
    CHECK_EQ_INT(kt_device_memory_ask(d, &m), KT_OK);
    return m;
}

TEST(what_tensors_use_is_counted)
{
    if (!load_mirror())
        return;
    CHECK_EQ_INT(kt_device_sync(mirror1), KT_OK);
    CHECK_EQ_INT(kt_device_memory_reset_peaks(mirror1), KT_OK);
    CHECK_EQ_INT(kt_device_memory_reset_totals(mirror1), KT_OK);
    const kt_device_memory start = figures(mirror1), other = figures(mirror0);
    CHECK_EQ_U64(start.allocated_total, 0);
    CHECK_EQ_U64(start.allocated_peak, start.allocated);
    {
        KT_SCOPE;
        kt_empty(KT_SHAPE(N), .dtype = KT_F64, .device = mirror1);
        kt_empty(KT_SHAPE(N), .dtype = KT_F64, .device = mirror1);
        const kt_device_memory two = figures(mirror1);
        CHECK(two.allocated >= start.allocated + 16 * N && two.allocated < start.allocated + 24 * N);
        CHECK_EQ_U64(two.count, start.count + 2);
        CHECK_EQ_U64(two.allocated_peak, two.allocated);
        CHECK(two.reserved >= two.allocated && two.total >= two.free && two.free > 0);
    }
    const kt_device_memory end = figures(mirror1);
    CHECK_EQ_U64(end.allocated, start.allocated);
    CHECK_EQ_U64(end.count, start.count);
    CHECK_EQ_U64(end.count_peak, start.count + 2);
    CHECK_EQ_U64(end.count_total, 2);
    CHECK(end.allocated_peak >= start.allocated + 16 * N);
    CHECK_EQ_U64(end.allocated_total, end.freed_total);
    CHECK_EQ_U64(figures(mirror0).allocated_total, other.allocated_total);
    CHECK_EQ_INT(kt_device_memory_reset_peaks(mirror1), KT_OK);
    CHECK_EQ_U64(figures(mirror1).allocated_peak, start.allocated);
    CHECK_EQ_INT(kt_device_memory_empty(mirror1), KT_OK); /* what waited to be freed is freed */
    CHECK_EQ_INT(kt_device_memory_reset_peaks(mirror1), KT_OK);
    CHECK_EQ_U64(figures(mirror1).reserved_peak, figures(mirror1).reserved);
}

TEST(a_limit)
{
    if (!load_mirror())
        return;
    KT_SCOPE;
    CHECK_EQ_INT(kt_device_sync(mirror1), KT_OK);
    const kt_device_memory start = figures(mirror1);
    CHECK_EQ_INT(kt_device_memory_limit(mirror1, start.reserved + 100000), KT_OK);
    CHECK_FAILS(kt_empty(KT_SHAPE(1000000), .device = mirror1), KT_ERR_MEMORY,
                "mirror out of memory. Tried to allocate 3.81 MiB.");
    CHECK_EQ_U64(figures(mirror1).out_of_memory, start.out_of_memory + 1);
    CHECK_EQ_U64(figures(mirror1).allocated, start.allocated);
    for (int i = 0; i < 20; i++) { /* memory that only waits to be freed is not in the way */
        KT_SCOPE;
        CHECK(kt_empty(KT_SHAPE(10000), .dtype = KT_F64, .device = mirror1) != NULL);
    }
    CHECK_EQ_INT(kt_device_memory_limit(mirror1, SIZE_MAX), KT_OK);
    CHECK(kt_empty(KT_SHAPE(1000000), .device = mirror1) != NULL);
    CHECK_EQ_INT(kt_device_memory_reset_totals(mirror1), KT_OK);
    CHECK_EQ_U64(figures(mirror1).out_of_memory, 0);
}

TEST(older_and_shorter_structs)
{
    if (!load_mirror())
        return;
    kt_device_memory m;
    memset(&m, 0x55, sizeof m);
    m.size = offsetof(kt_device_memory, allocated_peak);
    CHECK_EQ_INT(kt_device_memory_ask(mirror0, &m), KT_OK);
    CHECK(m.allocated != 0x5555555555555555u && m.allocated_peak == 0x5555555555555555u);
    CHECK_FAILS(kt_device_memory_ask(mirror0, NULL), KT_ERR_TYPE, "expected a place for the figures");
    kt_memory_pools pools = {.size = sizeof pools, .known = true, .taken = 7};
    CHECK_EQ_INT(kt_device_memory_pools(mirror0, &pools), KT_OK); /* which has none */
    CHECK(!pools.known && pools.taken == 0 && pools.size == sizeof pools);
    CHECK_FAILS(kt_device_memory_pools(mirror0, NULL), KT_ERR_TYPE, "expected a place for the figures");
    CHECK_FAILS(kt_device_memory_pools((kt_device){KT_CPU, 0}, &pools), KT_ERR_RUNTIME,
                "the memory of device 'cpu' is not counted");
    CHECK_FAILS(kt_device_memory_ask((kt_device){KT_CPU, 0}, &m), KT_ERR_RUNTIME, "the memory of device 'cpu' is not counted");
    CHECK_FAILS(kt_device_memory_limit((kt_device){KT_CPU, 0}, 1), KT_ERR_RUNTIME, "the memory of device 'cpu' is not counted");
}

TEST(facts)
{
    if (!load_mirror())
        return;
    kt_device_properties p = {.size = sizeof p};
    CHECK_EQ_INT(kt_device_ask(mirror1, &p), KT_OK);
    CHECK_STR(p.name, "Mirror of the CPU");
    CHECK_STR(p.architecture, "mirror");
    CHECK(p.major == 1 && p.memory > 0 && p.multiprocessors == 1 && p.threads == 2048 && p.size == sizeof p);
    CHECK(p.shared == (size_t)3 << 30 && p.pci_bus == 3 && p.integrated && !p.shares_board && p.uuid[15] == 0xa1);
    kt_device_properties before = {.size = offsetof(kt_device_properties, threads_of_block), .pci_bus = -1};
    CHECK_EQ_INT(kt_device_ask(mirror1, &before), KT_OK); /* by a program that was built before there were more */
    CHECK(before.threads == 2048 && before.pci_bus == -1 && before.size == offsetof(kt_device_properties, threads_of_block));
    CHECK_FAILS(kt_device_ask(mirror1, NULL), KT_ERR_TYPE, "expected a place for the properties");
    CHECK_FAILS(kt_device_ask((kt_device){mirror0.kind, 5}, &p), KT_ERR_RUNTIME, "device 'mirror' has no properties");
    CHECK_FAILS(kt_device_ask((kt_device){KT_CPU, 0}, &p), KT_ERR_RUNTIME, "device 'cpu' has no properties");
}
