/* waits.c - where the host waits for a device, it says so: waits are counted, may warn or fail, and release the binding's lock;
 * launches do not. What the device declines runs on the CPU, counted and warned of once. */
#include <dlfcn.h>
#include <karat/plugin/work.h>

#include "support/on_mirror.h"

enum { N = 200000 }; /* enough for the CPU to release the lock */

/* ---- the binding's lock ---- */
static int     opened, shut, waited;
static kt_work last;

static void *open_lock(kt_work why)
{
    CHECK(opened == shut);
    opened++;
    waited += why != KT_WORK_KERNEL;
    last = why;
    return &opened;
}

static void shut_lock(void *what)
{
    CHECK(what == &opened);
    shut++;
}

static const kt_work_lock lock = {.abi = KT_WORK_ABI, .size = sizeof lock, .open = open_lock, .shut = shut_lock};

static bool openings(int all, int waits)
{
    const bool right = CHECK_EQ_INT(opened, all) & CHECK_EQ_INT(waited, waits) & CHECK_EQ_INT(shut, all);
    opened = shut = waited = 0;
    return right;
}

TEST(waits_release_the_lock_and_launches_do_not)
{
    if (!load_mirror())
        return;
    KT_SCOPE;
    CHECK_EQ_INT(kt_work_register(&lock), KT_OK);
    kt_tensor *a = kt_ones(KT_SHAPE(N), .device = mirror0), *m = kt_ones(KT_SHAPE(150, 150), .device = mirror0), *here;
    kt_event  *e = NULL;
    REQUIRE(kt_event_new(mirror0, false, &e) == KT_OK);
    opened = shut = waited = 0;
    kt_tensor *sum = kt_sum(kt_add(a, a));
    kt_matmul(m, m);
    kt_cumsum(a, 0);
    kt_index_select(a, 0, kt_arange(KT_INT(0), KT_INT(10), .device = mirror0));
    kt_to(a, .device = mirror1);
    kt_event_record(e, standard(mirror0));
    kt_stream_after_event(standard(mirror1), e);
    openings(0, 0);
    CHECK_NEAR(kt_item(sum), 2.0 * N, 0);
    openings(1, 1);
    CHECK_EQ_INT(last, KT_WORK_DEVICE); /* the tensor is in use: the binding keeps its memory */
    float first;
    CHECK_EQ_INT(kt_read(kt_select(a, 0, 0), &first, sizeof first), KT_OK);
    openings(1, 1);
    CHECK_EQ_INT(kt_event_sync(e), KT_OK);
    openings(1, 1);
    CHECK_EQ_INT(last, KT_WORK_OTHERS);
    CHECK_EQ_INT(kt_stream_sync(standard(mirror0)), KT_OK);
    openings(1, 1);
    CHECK_EQ_INT(kt_device_sync(mirror0), KT_OK);
    openings(1, 1);
    here = kt_to(a, .device = (kt_device){KT_CPU, 0});
    openings(opened, 1); /* the CPU may copy what has arrived */
    kt_to(here, .device = mirror0); /* the bytes are read at once: nobody waits for the device */
    openings(0, 0);
    kt_add(here, here); /* the CPU is at work itself, as before */
    openings(1, 0);
    kt_add(kt_narrow(here, 0, 0, 100), kt_narrow(here, 0, 0, 100));
    openings(0, 0);
    kt_event_drop(e);
}

/* ---- the end of a program ---- */
TEST(the_end_waits_for_what_was_used_and_tells_what_failed)
{
    if (!load_mirror())
        return;
    KT_SCOPE;
    CHECK_EQ_INT(kt_devices_finish(), KT_OK);
    kt_tensor *x = kt_full(KT_SHAPE(3), KT_INT(1), .device = mirror1);
    const uint64_t waits = kt_host_waits();
    CHECK(kt_floor_divide(x, kt_sub(x, x)) != NULL);
    CHECK_FAILS(kt_devices_finish(), KT_ERR_RUNTIME, "ZeroDivisionError");
    CHECK_EQ_INT(kt_devices_finish(), KT_OK);
    CHECK_EQ_U64(kt_host_waits(), waits); /* asked for */
    kt_stream s;
    kt_graph *g = NULL;
    REQUIRE(kt_stream_new(mirror0, 0, &s) == KT_OK && kt_capture_begin(s) == KT_OK);
    CHECK_EQ_INT(kt_devices_finish(), KT_OK);
    CHECK_EQ_INT(kt_capture_end(&g), KT_OK);
    kt_graph_drop(g);
    kt_stream_drop(s);
}

/* ---- the counter and the modes ---- */
static int  n_warnings;
static char warning[512];

static void note_warning(const char *text)
{
    n_warnings++;
    snprintf(warning, sizeof warning, "%s", text);
}

TEST(waits_are_counted)
{
    if (!load_mirror())
        return;
    KT_SCOPE;
    kt_tensor *t = kt_ones(KT_SHAPE(10), .device = mirror0);
    uint64_t   waits = kt_host_waits();
    float      back[10];
    kt_tensor *sum = kt_sum(kt_mul(t, t));
    CHECK_EQ_U64(kt_host_waits(), waits);
    kt_item(sum);
    CHECK_EQ_U64(kt_host_waits(), ++waits);
    kt_read(t, back, sizeof back);
    CHECK_EQ_U64(kt_host_waits(), ++waits);
    kt_nonzero(t);
    CHECK_EQ_U64(kt_host_waits(), ++waits);
    kt_device_sync(mirror0); /* asked for */
    kt_stream_sync(standard(mirror0));
    CHECK_EQ_U64(kt_host_waits(), waits);
    kt_item(kt_sum(kt_ones(KT_SHAPE(3))));
    CHECK_EQ_U64(kt_host_waits(), waits); /* the CPU's */
}

TEST(waits_may_warn_or_fail)
{
    if (!load_mirror())
        return;
    KT_SCOPE;
    kt_tensor *t = kt_ones(KT_SHAPE(1), .device = mirror0);
    CHECK_EQ_INT(kt_get_wait_mode(), KT_WAIT_SILENT);
    kt_on_warning(note_warning);
    kt_set_wait_mode(KT_WAIT_WARNS);
    n_warnings = 0;
    CHECK_NEAR(kt_item(t), 1, 0);
    CHECK_EQ_INT(n_warnings, 1);
    CHECK(strncmp(warning, "called a synchronizing operation", 32) == 0);
    kt_device_sync(mirror0);
    CHECK_EQ_INT(n_warnings, 1);
    kt_set_wait_mode(KT_WAIT_FAILS);
    CHECK_EQ_INT(kt_get_wait_mode(), KT_WAIT_FAILS);
    CHECK_FAILS(kt_item(t), KT_ERR_RUNTIME, "called a synchronizing operation");
    CHECK(kt_add(t, t) != NULL);
    CHECK_EQ_INT(kt_device_sync(mirror0), KT_OK);
    kt_set_wait_mode(KT_WAIT_SILENT);
    CHECK_NEAR(kt_item(t), 1, 0);
    kt_on_warning(NULL);
}

/* ---- plans that the device declines ---- */
typedef void decline_fn(const char *kernel);

static decline_fn *find_decline(void)
{
    decline_fn *decline = NULL;
    void       *library = dlopen(KT_TEST_BUILD_DIR "/backends/mirror.so", RTLD_NOW | RTLD_NOLOAD);
    void       *symbol = library ? dlsym(library, "mirror_decline") : NULL;
    memcpy(&decline, &symbol, sizeof symbol);
    if (library)
        dlclose(library);
    return decline;
}

TEST(a_declined_plan_runs_on_the_cpu)
{
    if (!load_mirror())
        return;
    KT_SCOPE;
    decline_fn *decline = find_decline();
    REQUIRE(decline != NULL);
    kt_tensor *t = filled(mirror0, 100, 3), *u = kt_transpose(kt_reshape(t, KT_SHAPE(10, 10)), 0, 1);
    kt_on_warning(note_warning);
    n_warnings = 0;
    const uint64_t falls = kt_fallbacks(), waits = kt_host_waits();
    decline("mul");
    kt_tensor *product = kt_mul(u, u);
    kt_add(t, t);
    CHECK_EQ_U64(kt_fallbacks(), falls + 1);
    CHECK_EQ_U64(kt_host_waits(), waits + 1);
    CHECK_EQ_INT(n_warnings, 1);
    CHECK_STR(warning, "device 'mirror' has no kernel 'mul' for this call: it runs on the CPU, "
                       "and its operands travel there and back");
    kt_mul_(t, kt_full(KT_SCALAR, KT_INT(2), .dtype = KT_F64)); /* a value of the CPU among its operands */
    CHECK_EQ_U64(kt_fallbacks(), falls + 2);
    CHECK_EQ_INT(n_warnings, 1); /* once */
    const kt_stream s = stream_of(mirror0);
    CHECK_EQ_INT(kt_device_sync(mirror0), KT_OK);
    REQUIRE(kt_capture_begin(s) == KT_OK);
    CHECK_FAILS(kt_mul(t, t), KT_ERR_RUNTIME, "mul cannot be captured: device 'mirror' has no kernel 'mul' for it");
    kt_graph *g = NULL;
    CHECK_EQ_INT(kt_capture_end(&g), KT_OK);
    kt_graph_drop(g);
    decline(NULL);
    const uint64_t end = kt_fallbacks();
    kt_mul(t, t);
    CHECK_EQ_U64(kt_fallbacks(), end);
    CHECK(all_are(product, 9) && all_are(t, 6));
    kt_on_warning(NULL);
    kt_stream_drop(s);
}

/* The elements of two outputs alternate in one tensor: neither overwrites the other's when they are brought back. */
TEST(outputs_may_share_memory)
{
    if (!load_mirror())
        return;
    KT_SCOPE;
    decline_fn *decline = find_decline();
    REQUIRE(decline != NULL);
    kt_tensor *t = kt_to(kt_reshape(kt_arange(KT_FLOAT(0), KT_FLOAT(12), .dtype = KT_F64), KT_SHAPE(4, 3)), .device = mirror0);
    kt_tensor *both = kt_zeros(KT_SHAPE(3, 2), .dtype = KT_F64, .device = mirror0);
    decline("aminmax");
    const uint64_t falls = kt_fallbacks();
    kt_aminmax_out(kt_select(both, 1, 0), kt_select(both, 1, 1), t, .dim = KT_SOME(0));
    decline(NULL);
    CHECK_EQ_U64(kt_fallbacks(), falls + 1);
    double back[6];
    CHECK_EQ_INT(kt_read(both, back, sizeof back), KT_OK);
    CHECK_MEM(back, ((const double[]){0, 9, 1, 10, 2, 11}), sizeof back);
}
