/* on_mirror.h - the mirror for tests of streams: loading it, streams of it, work that takes long. */
#ifndef KT_TEST_ON_MIRROR_H
#define KT_TEST_ON_MIRROR_H

#include "harness.h"

#include <karat/device.h>
#include <karat/karat.h>
#include <karat/plugin/backend.h>

static kt_device mirror0, mirror1;

static inline bool load_mirror(void)
{
    if (mirror0.kind == 0) {
        CHECK_EQ_INT(kt_backend_load(KT_TEST_BUILD_DIR "/backends/mirror.so"), KT_OK);
        mirror0 = kt_device_find("mirror:0");
        mirror1 = kt_device_find("mirror:1");
    }
    return CHECK(mirror0.kind > KT_META && mirror1.index == 1);
}

static inline kt_stream standard(kt_device d) { return (kt_stream){d, 0}; }

static inline kt_stream stream_of(kt_device d)
{
    kt_stream s = {d, 0};
    CHECK_EQ_INT(kt_stream_new(d, 0, &s), KT_OK);
    return s;
}

static inline void go_to(kt_stream s) { CHECK_EQ_INT(kt_stream_set(s), KT_OK); }

static inline kt_stream current(kt_device d)
{
    kt_stream s = {d, 1};
    CHECK_EQ_INT(kt_stream_current(d, &s), KT_OK);
    return s;
}

static inline bool is_idle(kt_stream s)
{
    bool idle = false;
    CHECK_EQ_INT(kt_stream_idle(s, &idle), KT_OK);
    return idle;
}

/* The stream has work for tens of milliseconds. The host does not wait. */
static inline void keep_busy(kt_stream s)
{
    enum { SIDE = 160, TIMES = 40 };
    KT_SCOPE;
    const kt_stream before = current(s.device);
    go_to(s);
    kt_tensor *a = kt_ones(KT_SHAPE(SIDE, SIDE), .dtype = KT_I64, .device = s.device); /* our own kernel: slow */
    for (int i = 0; i < TIMES; i++)
        kt_matmul(a, a);
    go_to(before);
}

/* Is every element of the tensor this number? Waits for the current stream of its device alone. */
static inline bool all_are(const kt_tensor *t, double value)
{
    enum { MOST = 1 << 16 };
    static _Thread_local double back[MOST];
    const int64_t               n = t ? kt_numel(t) : 0;
    if (!CHECK(t && kt_dtype_of(t) == KT_F64 && n > 0 && n <= MOST) ||
        !CHECK_EQ_INT(kt_read(t, back, (size_t)n * sizeof *back), KT_OK))
        return false;
    for (int64_t i = 0; i < n; i++)
        if (!CHECK_NEAR(back[i], value, 0))
            return false;
    return true;
}

static inline kt_tensor *filled(kt_device d, int64_t n, double value)
{
    return kt_full(KT_SHAPE(n), KT_FLOAT(value), .dtype = KT_F64, .device = d);
}

/* The same, owned by the caller alone: kt_drop frees it. */
static inline kt_tensor *owned(kt_device d, int64_t n, double value)
{
    KT_SCOPE;
    return kt_keep(filled(d, n, value));
}

#endif
