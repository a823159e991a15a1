/* late.c - what plans bear that go to a device which works late, whether somebody watches or not; and transfers between devices,
 * which watchers see as the copies that they are. The device is the CPU under another name, its memory not for the host. */
#define KT_SITES
#include "harness.h"

#include <karat/karat.h>
#include <karat/plugin/call.h>
#include <karat/plugin/watch.h>

#include "cpu/backend.h"
#include "plan/launch.h"
#include "support/plan_text.h"

static kt_plan last; /* that the device was handed */
static int     runs;

static int count(kt_backend *self)
{
    (void)self;
    return 2;
}

static kt_status take(kt_backend *self, int index, kt_handle stream, size_t bytes, void **data, size_t *granted)
{
    kt_backend *cpu = kt__cpu_backend();
    (void)self, (void)index, (void)stream;
    return cpu->alloc(cpu, 0, 0, bytes, data, granted);
}

static void give(kt_backend *self, int index, void *data, size_t granted)
{
    kt_backend *cpu = kt__cpu_backend();
    (void)self, (void)index;
    cpu->free(cpu, 0, data, granted);
}

static kt_status run(kt_backend *self, const kt_plan *plan)
{
    kt_backend *cpu = kt__cpu_backend();
    (void)self;
    memcpy(&last, plan, offsetof(kt_plan, arg));
    runs++;
    return cpu->run(cpu, plan);
}

static kt_status copy(kt_backend *self, const kt_transfer *c)
{
    (void)self;
    memcpy(c->to, c->from, c->bytes);
    return KT_OK;
}

static kt_status wait_for(kt_backend *self, int index)
{
    (void)self, (void)index;
    return KT_OK;
}

static bool has(kt_backend *self, kt_kernel_id kernel, kt_compute compute)
{
    (void)self, (void)kernel, (void)compute;
    return true;
}

static kt_backend late = {.layout = KT_LAYOUT, .name = "late", .count = count, .alloc = take, .free = give, .run = run,
                          .copy = copy, .sync = wait_for, .has = has, .late = 1};

static kt_device device(void)
{
    static bool known;
    if (!known)
        CHECK_EQ_INT(kt_backend_register(&late), KT_OK);
    known = true;
    return kt_device_find("late:1");
}

static void check_last(const char *op, int line)
{
    int         at = 0;
    const char *file = kt_site_file(last.site, &at);
    CHECK_STR(kt_row_name(last.row), op);
    CHECK(strstr(file, "late.c") != NULL);
    CHECK_EQ_INT(at, line);
}

TEST(a_plan_that_runs_late_bears_its_line)
{
    KT_SCOPE;
    const kt_device there = device();
    kt_tensor *x = kt_ones(KT_SHAPE(3), .device = there); check_last("ones", __LINE__);
    kt_add(x, x); check_last("add", __LINE__);
    CHECK_EQ_INT(last.device_kind, there.kind);
    CHECK_EQ_INT(last.device_index, 1);
    CHECK_EQ_INT(last.from_kind, there.kind);
    kt_to(x, .dtype = KT_F64); check_last("to", __LINE__);
    runs = 0;
    kt_transpose(kt_ones(KT_SHAPE(3, 3)), 0, 1);
    CHECK_EQ_INT(runs, 0);
}

/* ---- transfers ---- */
enum { MOST = 16 };
static char told[MOST][256];
static int  n_told, ends[MOST];

static void before(const kt_plan *plan, void *context)
{
    (void)context;
    if (n_told < MOST) {
        plan_text(plan, told[n_told], sizeof told[0]);
        ends[n_told++] = plan->from_kind != plan->device_kind;
    }
}

static const kt_watcher watcher = {.abi = KT_WATCH_ABI, .size = sizeof watcher, .before = before};

TEST(transfers_are_seen)
{
    KT_SCOPE;
    const kt_device there = device();
    kt_tensor      *x = kt_ones(KT_SHAPE(2, 3)), *y = kt_ones(KT_SHAPE(2, 3), .device = there);
    REQUIRE(kt_watch(&watcher) == KT_OK);
    n_told = 0;
    kt_to(x, .device = there);
    CHECK_EQ_INT(n_told, 1); /* the bytes alone: they go where they belong */
    CHECK(strncmp(told[0], "to, late: float32 <- float32, late.c:", 37) == 0);
    CHECK_EQ_INT(ends[0], 1);
    n_told = 0;
    kt_copy_(x, kt_transpose(kt_ones(KT_SHAPE(3, 2), .dtype = KT_F64, .device = there), 0, 1));
    CHECK(strncmp(told[n_told - 2], "copy, late: float32 <- float64 as float32 (assign), late.c:", 59) == 0);
    CHECK_EQ_INT(ends[n_told - 2], 0);
    CHECK(strncmp(told[n_told - 1], "copy, cpu: float32 <- float32, late.c:", 38) == 0);
    CHECK_EQ_INT(ends[n_told - 1], 1);
    n_told = 0;
    kt_to(y, .device = kt_device_find("late:0"));
    CHECK(n_told > 0);
    CHECK_EQ_INT(kt_unwatch(&watcher), KT_OK);
    CHECK(!kt_failed());
}
