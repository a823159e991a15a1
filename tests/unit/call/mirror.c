/* mirror.c - the mirror device against the CPU: every row of the operator table that can be called with made-up
 * arguments, over dtypes and layouts, must give the same dtype, sizes, strides, bytes and errors on a device whose
 * memory the host cannot read and whose work is done late, on two streams by turns. */
#include "harness.h"

#include <karat/karat.h>
#include <karat/plugin/call.h>
#include <math.h>
#include <stdlib.h>

#include "call/row.h"
#include "support/memory.h"

#ifdef KT_ON_GPU /* tests/cuda compiles this file once more; TEST_CUDA_PLUGIN names another plugin */
#define PLUGIN (getenv("TEST_CUDA_PLUGIN") ? getenv("TEST_CUDA_PLUGIN") : KT_CUDA_PLUGIN)
#define DEVICE "cuda:0"
#else
#define PLUGIN KT_TEST_BUILD_DIR "/backends/mirror.so"
#define DEVICE "mirror:1" /* not the first: an index that gets lost shows */
#endif

static kt_device cpu = {KT_CPU, 0}, mirror;
static kt_stream streams[2];

static bool load(void)
{
    static bool loaded;
    if (!loaded && !(loaded = CHECK_EQ_INT(kt_backend_load(PLUGIN), KT_OK))) {
        kt_report(stdout);
        kt_clear();
        return false;
    }
#ifdef KT_ON_GPU
    if (kt_device_count("cuda") == 0) {
        test_skip("no CUDA device");
        return false;
    }
#endif
    mirror = kt_device_find(DEVICE);
    for (int i = 0; i < 2 && mirror.kind > KT_META && !streams[i].handle; i++)
        CHECK_EQ_INT(kt_stream_new(mirror, 0, &streams[i]), KT_OK);
    return CHECK(mirror.kind > KT_META);
}

/* Each call is on the other stream: it reads its results, so that none needs another's. */
static void change_streams(void)
{
    static int turn;
    turn = 1 - turn;
    CHECK_EQ_INT(kt_stream_set(streams[turn]), KT_OK);
}

static bool on_mirror(const kt_tensor *t)
{
    const kt_device d = kt_device_of(t);
    return d.kind == mirror.kind && d.index == mirror.index;
}

/* ---- one call, made from a recipe, on one device ---- */
typedef enum layout { DENSE, TRANSPOSED, ROW, ZERO_DIM, EMPTY, LAYOUTS } layout;

typedef struct recipe {
    const kt_row *row;
    kt_form       form;
    kt_dtype      dtype[2]; /* of the tensors by turns */
    layout        layout[2];
    bool          numbers;  /* give "Tensor|Scalar" a scalar */
    bool          by_value; /* 0-dim tensors stay on the CPU */
    kt_tensor    *out_like; /* of KT_OUT: a tensor of its dtype and sizes, on the device */
} recipe;

/* 1, 2, 3, ... in a small range: no division by zero, most functions' domains. */
static kt_tensor *make(kt_dtype dtype, layout how, kt_device device)
{
    static const int64_t sizes[LAYOUTS][2] = {[DENSE] = {3, 4}, [TRANSPOSED] = {4, 3}, [ROW] = {4}, [EMPTY] = {0, 4}};
    static const int     rank[LAYOUTS] = {[DENSE] = 2, [TRANSPOSED] = 2, [ROW] = 1, [EMPTY] = 2};
    char                 bytes[12 * 16];
    for (int i = 0; i < 12; i++)
        kt_scalar_store(bytes + i * kt_dtype_size(dtype), dtype, KT_INT(1 + i % 5));
    kt_tensor *t = kt_from(bytes, (kt_shape){rank[how], sizes[how]}, dtype);
    t = device.kind == KT_CPU ? t : kt_to(t, .device = device);
    return how == TRANSPOSED ? kt_transpose(t, 0, 1) : t;
}

/* False: this row takes something that the recipe cannot make up. Tensors belong to the open scope. */
static bool fill_arguments(kt_call *call, const recipe *r, kt_device device, kt_tensor *(*lists)[2])
{
    static const kt_scalar numbers[] = {{{2}, 0, KT_SCALAR_INT, 0}, {{3}, 0, KT_SCALAR_INT, 0}};
    static const int64_t two[2] = {1, 0};
    int                  tensors = 0, ints = 0;
    for (int i = 0; i < kt_row_n_args(r->row); i++) {
        const kt_arg_spec *spec = kt_row_arg(r->row, i);
        kt_value          *v = &call->arg[i];
        if (spec->kind == KT_ARG_DEVICE) {
            v->device = device;
        } else if (spec->has_default || (spec->optional && spec->kind != KT_ARG_TENSOR)) {
            continue;
        } else if (spec->kind == KT_ARG_TENSOR_OR_SCALAR && r->numbers) {
            v->s = KT_INT(2);
            call->scalars |= 1u << i;
        } else if (spec->kind == KT_ARG_TENSOR || spec->kind == KT_ARG_TENSOR_OR_SCALAR) {
            const layout how = r->layout[tensors % 2];
            v->t = make(r->dtype[tensors % 2], how, how == ZERO_DIM && r->by_value ? cpu : device);
            tensors++;
        } else if (spec->kind == KT_ARG_TENSORS) {
            lists[i][0] = make(r->dtype[0], r->layout[0], device);
            lists[i][1] = make(r->dtype[1], r->layout[1], device);
            v->ts.t = lists[i];
            v->ts.n = 2;
        } else if (spec->kind == KT_ARG_SCALAR) {
            v->s = KT_INT(2);
        } else if (spec->kind == KT_ARG_SCALARS) {
            v->ss.s = numbers;
            v->ss.n = 2;
        } else if (spec->kind == KT_ARG_INT) {
            v->i = ints++ > 0;
        } else if (spec->kind == KT_ARG_INTS) {
            v->ints = (kt_shape){2, two};
        } else if (spec->kind == KT_ARG_FLOAT) {
            v->f = 0.5;
        } else if (spec->kind == KT_ARG_BOOL) {
            v->b = true;
        } else if (spec->kind == KT_ARG_DTYPE) {
            v->dtype = r->dtype[1];
        } else {
            return false;
        }
        call->given |= 1u << i;
    }
    return true;
}

enum { MOST_RESULTS = 16 };

typedef struct outcome {
    bool       callable;
    kt_status  status;
    char       text[512]; /* first line of the error */
    int        n;
    kt_tensor *t[MOST_RESULTS]; /* owned */
    size_t     bytes[MOST_RESULTS];
    void      *values[MOST_RESULTS];
} outcome;

static void take_error(outcome *o)
{
    if (kt_failed()) {
        o->status = kt_error_status();
        snprintf(o->text, sizeof o->text, "%.*s", (int)strcspn(kt_error(), "\n"), kt_error());
        kt_clear();
    }
}

static void run(const recipe *r, kt_device device, outcome *o)
{
    KT_SCOPE;
    kt_call    call = {0};
    kt_tensor *lists[KT_MAX_ARGS][2];
    memset(o, 0, sizeof *o);
    if (device.kind != KT_CPU)
        change_streams();
    kt_call_begin(&call, r->row, r->form);
    o->callable = fill_arguments(&call, r, device, lists) && !kt_failed();
    for (int i = 0; o->callable && r->form == KT_OUT && i < kt_row_n_results(r->row); i++)
        call.out[i] = kt_empty(kt_sizes(r->out_like), .dtype = kt_dtype_of(r->out_like), .device = device);
    if (!o->callable || kt_failed()) {
        o->callable = CHECK_MSG(!kt_failed(), "%s: its arguments: %s", kt_row_name(r->row), kt_error()) && o->callable;
        kt_clear();
        return;
    }
    kt_manual_seed(1); /* both devices draw the same */
    if (kt_call_run(&call) == KT_OK) {
        for (int i = 0; i < KT_MAX_RESULTS && !call.list && call.out[i]; i++)
            o->t[o->n++] = call.out[i];
        for (int64_t i = 0; call.list && i < call.n_list && o->n < MOST_RESULTS; i++)
            o->t[o->n++] = kt_keep(call.list[i]);
        kt_call_free_list(&call);
    }
    take_error(o);
    for (int i = 0; i < o->n && o->status == KT_OK; i++) {
        o->bytes[i] = (size_t)kt_numel(o->t[i]) * kt_dtype_size(kt_dtype_of(o->t[i]));
        o->values[i] = calloc(1, o->bytes[i] + 1);
        if (o->values[i])
            kt_read(o->t[i], o->values[i], o->bytes[i]);
        take_error(o);
    }
    if (o->status != KT_OK && device.kind != KT_CPU) { /* a call may have launched more that fails: it is not the next one's */
        kt_device_sync(device);
        kt_clear();
    }
}

static void release(outcome *o)
{
    for (int i = 0; i < o->n; i++) {
        kt_drop(o->t[i]);
        free(o->values[i]);
    }
}

/* ---- comparing ---- */
static bool same_shape(kt_shape a, kt_shape b)
{
    return a.n == b.n && (a.n == 0 || memcmp(a.d, b.d, (size_t)a.n * sizeof *a.d) == 0);
}

#ifdef KT_ON_GPU
/* Of elements that are put at one place some one stays, as in PyTorch. */
static bool is_put(const char *name)
{
    return strcmp(name, "put") == 0 || strcmp(name, "index_put") == 0 || strcmp(name, "index_copy") == 0 ||
           strncmp(name, "scatter", 7) == 0;
}

/* How far results of that dtype may lie apart: another order of sums, another library's last bit. 0: not at all. Elementwise
 * kernels are held to their bits by tests/cuda/device/values.c. */
static double tolerance(kt_dtype dtype)
{
    switch (dtype) {
    case KT_F64: case KT_C128: return 1e-12;
    case KT_F32: case KT_C64: return 1e-6;
    case KT_F16: case KT_C32: return 0x1p-10;
    case KT_BF16: return 0x1p-7;
    default: return kt_dtype_category(dtype) == KT_CAT_FLOAT ? 0x1p-2 : 0; /* of one byte */
    }
}

static bool near(double a, double b, double by) { return a == b || (a != a && b != b) || fabs(a - b) <= by * fmax(fabs(a), 1); }

static bool same_values(const outcome *here, const outcome *there, int i)
{
    const kt_dtype dtype = kt_dtype_of(here->t[i]);
    const size_t   size = kt_dtype_size(dtype);
    const char    *x = here->values[i], *y = there->values[i];
    bool           same = true;
    for (size_t at = 0; at < here->bytes[i] && same; at += size) {
        const kt_scalar a = kt_scalar_load(x + at, dtype), b = kt_scalar_load(y + at, dtype);
        if (memcmp(x + at, y + at, size) != 0)
            same = tolerance(dtype) > 0 && near(a.v.re, b.v.re, tolerance(dtype)) && near(a.im, b.im, tolerance(dtype));
    }
    return same;
}
#else
static bool is_put(const char *name)
{
    (void)name;
    return false;
}

static bool same_values(const outcome *here, const outcome *there, int i)
{
    return memcmp(here->values[i], there->values[i], here->bytes[i]) == 0;
}
#endif

static bool compare(const recipe *r, const outcome *here, const outcome *there)
{
    const char *name = kt_row_name(r->row), *a = kt_dtype_name(r->dtype[0]), *b = kt_dtype_name(r->dtype[1]);
#define SAME(cond, what)                                                                                              \
    if (!CHECK_MSG(cond, "%s (form %d, layouts %d %d, %s and %s): %s differs: cpu [%s], mirror [%s]", name, r->form,  \
                   r->layout[0], r->layout[1], a, b, what, here->text, there->text))                                  \
    return false
    if (strncmp(here->text, "pivots passed to lu_unpack", 26) == 0)
        return true; /* a device's are not looked at, as in PyTorch */
    SAME(here->status == there->status, "the status");
    /* lengths of packed sequences must be on the CPU, and the text says where they are; a device does not say which index it
     * was */
    SAME(strcmp(here->text, there->text) == 0 || strncmp(there->text, "'lengths' argument", 18) == 0 ||
             strncmp(there->text, "An index of input", 17) == 0,
         "the error");
    /* what works late finds a wrong index late: the result is there before the error */
    SAME(here->n == there->n || here->status != KT_OK, "the number of results");
    for (int i = 0; i < here->n && here->status == KT_OK; i++) {
        const kt_tensor *x = here->t[i], *y = there->t[i];
        SAME(on_mirror(y), "the device");
        SAME(kt_dtype_of(x) == kt_dtype_of(y), "the dtype");
        SAME(same_shape(kt_sizes(x), kt_sizes(y)), "the shape");
        SAME(same_shape(kt_strides(x), kt_strides(y)), "the layout");
        SAME(strncmp(name, "empty", 5) == 0 || strncmp(name, "new_empty", 9) == 0 ||
             is_put(name) || same_values(here, there, i), "a value");
    }
#undef SAME
    return true;
}

/* A mirror with generators of its own draws other numbers: the same ones again for the same seed. */
static bool draws(const kt_row *row)
{
    bool takes_generator = false;
    for (int i = 0; i < kt_row_n_args(row); i++)
        takes_generator |= kt_row_arg(row, i)->kind == KT_ARG_GENERATOR;
    const char *name = kt_row_name(row);
    return takes_generator || strstr(name, "dropout") || strstr(name, "gumbel") || strstr(name, "lowrank");
}

static bool has_generators(void)
{
#ifdef KT_ON_GPU
    return true;
#else
    return getenv("MIRROR_DRAWS") != NULL;
#endif
}

static bool compare_draws(const recipe *r, outcome *here, outcome *there)
{
    outcome again;
    run(r, mirror, &again);
    bool good = here->n == again.n && here->n == there->n;
    for (int i = 0; i < again.n && good; i++) {
        free(here->values[i]);
        here->values[i] = again.values[i];
        good = here->bytes[i] == again.bytes[i];
        again.values[i] = NULL;
    }
    release(&again);
    return CHECK_MSG(good, "%s: the results of the second call differ", kt_row_name(r->row)) && compare(r, here, there);
}

static int compared, worked;

/* One recipe in all the forms its row has. False stops the sweep over a row: one complaint each is enough. */
static bool try_recipe(recipe r)
{
    outcome here, there;
    bool    good = true;
    r.form = KT_PLAIN;
    run(&r, cpu, &here);
    if (!here.callable)
        return false;
    for (int form = KT_PLAIN; form <= KT_OUT && good; form++) {
        if (!kt_row_has_form(r.row, (kt_form)form) || (form == KT_OUT && here.n != 1))
            continue;
        outcome again;
        r.form = (kt_form)form;
        r.out_like = here.n == 1 ? here.t[0] : NULL;
        run(&r, cpu, &again);
        run(&r, mirror, &there);
        const bool anew = draws(r.row) && has_generators() && again.status == KT_OK && there.status == KT_OK;
        good = anew ? compare_draws(&r, &again, &there) : compare(&r, &again, &there);
        compared++;
        worked += good && again.status == KT_OK;
        release(&again);
        release(&there);
    }
    release(&here);
    return good;
}

static bool sweep_row(const kt_row *row)
{
    static const kt_dtype pairs[][2] = {{KT_F32, KT_F32}, {KT_F64, KT_F64}, {KT_F16, KT_F16},   {KT_BF16, KT_BF16},
                                        {KT_I32, KT_I32}, {KT_I64, KT_I64}, {KT_U8, KT_U8},     {KT_BOOL, KT_BOOL},
                                        {KT_C64, KT_C64}, {KT_C128, KT_C128}, {KT_F32, KT_BF16}, {KT_I64, KT_F32},
                                        {KT_U16, KT_U16}, {KT_E5M2, KT_E5M2}};
    static const layout layouts[][2] = {{DENSE, DENSE}, {TRANSPOSED, DENSE}, {DENSE, ROW}, {ZERO_DIM, ZERO_DIM},
                                        {EMPTY, EMPTY}, {DENSE, ZERO_DIM}};
    for (size_t p = 0; p < sizeof pairs / sizeof *pairs; p++) {
        for (size_t l = 0; l < sizeof layouts / sizeof *layouts; l++) {
            recipe r = {.row = row, .dtype = {pairs[p][0], pairs[p][1]}, .layout = {layouts[l][0], layouts[l][1]}};
            if (!try_recipe(r))
                return false;
            r.numbers = true;
            if (l == 0 && !try_recipe(r))
                return false;
        }
    }
    return true;
}

static uint64_t live_when_done(void)
{
    CHECK_EQ_INT(kt_device_sync(mirror), KT_OK);
    return live_bytes();
}

/* MIRROR_PART=k/n: one row of n, for tools that take too long for all. */
static bool is_part(void) { return getenv("MIRROR_PART") != NULL; }
static bool in_part(int row)
{
    int k = 0, n = 1;
    if (is_part() && sscanf(getenv("MIRROR_PART"), "%d/%d", &k, &n) == 2 && n > 0)
        return row % n == k;
    return true;
}

TEST(every_row_gives_what_the_cpu_gives)
{
    if (!load())
        return;
    int rows = 0;
    for (int i = 0; kt_row_at(i); i++) {
        if (!in_part(i))
            continue;
        const uint64_t before = live_when_done();
        rows += sweep_row(kt_row_at(i));
        const int64_t leaked = (int64_t)(live_when_done() - before);
        CHECK_MSG(leaked == 0, "%s leaks %lld bytes", kt_row_name(kt_row_at(i)), (long long)leaked);
    }
    printf("mirror: %d rows, %d calls compared, %d of them with results\n", rows, compared, worked);
    CHECK(rows >= 60 || is_part());
    CHECK(worked > 10 * rows);
}

/* Also run with MIRROR_DRAWS=1. */
TEST(rows_that_draw)
{
    if (!load())
        return;
    int rows = 0;
    for (int i = 0; kt_row_at(i); i++)
        if (in_part(i) && draws(kt_row_at(i)))
            rows += sweep_row(kt_row_at(i));
    CHECK(rows >= 30 || is_part());
}

/* ---- 0-dim tensors of the CPU beside the mirror's ---- */
extern const kt__way kt__way_elementwise;
static int           by_value, elementwise;

/* Elementwise rows take them by value, and give what they give for tensors on one device; others may refuse them. */
static bool try_by_value(const kt_row *row, layout first, layout second, kt_dtype a, kt_dtype b, kt_form form)
{
    recipe  r = {.row = row, .form = form, .dtype = {a, b}, .layout = {first, second}, .by_value = true};
    outcome here, there;
    run(&r, cpu, &here);
    if (!here.callable)
        return false;
    run(&r, mirror, &there);
    const bool straight = row->way == &kt__way_elementwise;
    const bool refused = there.status == KT_ERR_RUNTIME && strstr(there.text, "device");
    bool       good = true;
    CHECK_MSG(!(straight && refused), "%s: %s", kt_row_name(row), there.text);
    if (here.status == KT_OK && there.status == KT_OK && there.n && on_mirror(there.t[0])) {
        good = draws(row) && has_generators() ? compare_draws(&r, &here, &there) : compare(&r, &here, &there);
        by_value++;
        elementwise += straight;
    }
    release(&here);
    release(&there);
    return good;
}

TEST(zero_dim_tensors_of_the_cpu_travel_by_value)
{
    static const kt_dtype pairs[][2] = {{KT_F32, KT_F32}, {KT_BF16, KT_F64}, {KT_I32, KT_I32}, {KT_I32, KT_F64},
                                        {KT_F32, KT_I64}, {KT_C64, KT_C128}, {KT_BOOL, KT_BOOL}, {KT_U8, KT_U64}};
    if (!load())
        return;
    for (int i = 0; kt_row_at(i); i++) {
        const kt_row  *row = kt_row_at(i);
        const uint64_t before = live_when_done();
        bool           good = row->inputs.n > 1 && in_part(i);
        for (size_t p = 0; p < sizeof pairs / sizeof *pairs && good; p++) {
            good = try_by_value(row, DENSE, ZERO_DIM, pairs[p][0], pairs[p][1], KT_PLAIN) &&
                   try_by_value(row, ZERO_DIM, DENSE, pairs[p][0], pairs[p][1], KT_PLAIN) &&
                   try_by_value(row, TRANSPOSED, ZERO_DIM, pairs[p][0], pairs[p][1], KT_PLAIN);
            if (good && kt_row_has_form(row, KT_INPLACE))
                good = try_by_value(row, DENSE, ZERO_DIM, pairs[p][0], pairs[p][1], KT_INPLACE);
        }
        const int64_t leaked = (int64_t)(live_when_done() - before);
        CHECK_MSG(leaked == 0, "%s leaks %lld bytes", kt_row_name(row), (long long)leaked);
    }
    printf("by value: %d calls, %d of them elementwise\n", by_value, elementwise);
    CHECK(elementwise > 500 || is_part());
}

/* ---- what the sweep does not say ---- */
#ifndef KT_ON_GPU
TEST(a_plugin_is_loaded_once)
{
    if (!load())
        return;
    CHECK_FAILS(kt_backend_load(PLUGIN), KT_ERR_RUNTIME, "a backend named 'mirror' is registered already");
    CHECK_FAILS(kt_backend_load("no/such/plugin.so"), KT_ERR_OS, "cannot load the backend no/such/plugin.so");
    CHECK_FAILS(kt_device_find("mirror:2"), KT_ERR_RUNTIME, "device index 2 is out of range");
    CHECK_STR(kt_device_name(mirror), "mirror");
}
#endif

TEST(the_host_gets_no_address)
{
    if (!load())
        return;
    KT_SCOPE;
    kt_tensor *t = kt_ones(KT_SHAPE(2), .device = mirror);
    REQUIRE(t != NULL);
    void *data = kt_data(t);
    CHECK(data == NULL);
    CHECK(kt_failed());
    kt_clear();
    CHECK_NEAR(kt_item(kt_sum(t)), 2.0, 0.0);
}

/* Sources may change or go while the copy waits in the queue. */
TEST(a_copy_takes_its_bytes_at_once)
{
    if (!load())
        return;
    KT_SCOPE;
    float      values[4] = {1, 2, 3, 4}, back[4];
    kt_tensor *here = kt_from(values, KT_SHAPE(4), KT_F32);
    kt_tensor *t = kt_to(here, .device = mirror);
    kt_mul_s_(here, KT_INT(100));
    kt_tensor *doubled = kt_add(t, t);
    kt_add_s_(t, KT_INT(10));
    CHECK_EQ_INT(kt_read(doubled, back, sizeof back), KT_OK);
    CHECK_MEM(back, ((float[]){2, 4, 6, 8}), sizeof back);
    CHECK_EQ_INT(kt_read(t, back, sizeof back), KT_OK);
    CHECK_MEM(back, ((float[]){11, 12, 13, 14}), sizeof back);
    kt_tensor *home = kt_to(kt_transpose(kt_reshape(t, KT_SHAPE(2, 2)), 0, 1), .device = cpu);
    CHECK_EQ_INT(kt_device_of(home).kind, KT_CPU);
    CHECK_EQ_INT(kt_read(home, back, sizeof back), KT_OK);
    CHECK_MEM(back, ((float[]){11, 13, 12, 14}), sizeof back);
}

/* Thousands of steps whose operands are dropped before their work is done. */
TEST(memory_outlives_the_work_that_needs_it)
{
    if (!load())
        return;
    KT_SCOPE;
    kt_tensor *sum = kt_keep(kt_zeros(KT_SHAPE(100), .dtype = KT_F64, .device = mirror));
    for (int i = 0; i < 2000; i++) {
        KT_SCOPE;
        kt_tensor *next = kt_keep(kt_add(sum, kt_full(KT_SHAPE(100), KT_INT(i), .dtype = KT_I32, .device = mirror)));
        kt_drop(sum);
        sum = next;
    }
    double back[100] = {0};
    CHECK_EQ_INT(kt_read(sum, back, sizeof back), KT_OK);
    CHECK_NEAR(back[0], 1999.0 * 1000.0, 0.0);
    CHECK_NEAR(back[99], 1999.0 * 1000.0, 0.0);
    kt_drop(sum);
    const uint64_t before = live_when_done();
    {
        KT_SCOPE;
        for (int i = 0; i < 100; i++)
            kt_mul(kt_ones(KT_SHAPE(1000), .device = mirror), kt_ones(KT_SHAPE(1000), .device = mirror));
    }
    CHECK_EQ_INT(live_when_done(), before);
}

TEST(devices_do_not_mix)
{
    if (!load())
        return;
    KT_SCOPE;
    kt_tensor *a = kt_ones(KT_SHAPE(2), .device = mirror), *b = kt_ones(KT_SHAPE(2));
    CHECK_FAILS(kt_add(a, b), KT_ERR_RUNTIME, "Expected all tensors to be on the same device");
#ifndef KT_ON_GPU
    kt_tensor *c = kt_ones(KT_SHAPE(2), .device = kt_device_find("mirror:0"));
    CHECK_FAILS(kt_add(a, c), KT_ERR_RUNTIME, "Expected all tensors to be on the same device");
#endif
}

/* The kernel refuses when it runs, which is after the call: whoever waits first is told, once. */
TEST(late_errors_surface_at_the_next_wait)
{
    if (!load())
        return;
#ifdef KT_ON_GPU
    if (getenv("TEST_CUDA_PLUGIN")) {
        test_skip("kernels that run on the CPU are not late");
        return;
    }
#endif
    KT_SCOPE;
    kt_tensor *zeros = kt_zeros(KT_SHAPE(3), .dtype = KT_I32, .device = mirror);
    kt_tensor *ones = kt_ones(KT_SHAPE(3), .dtype = KT_I32, .device = mirror);
    kt_tensor *bad = kt_floor_divide(ones, zeros), *good = kt_add(ones, ones);
    CHECK(bad != NULL && good != NULL && !kt_failed());
    int32_t back[3] = {0};
    CHECK_FAILS(kt_read(good, back, sizeof back), KT_ERR_RUNTIME, "ZeroDivisionError");
    CHECK_EQ_INT(kt_read(good, back, sizeof back), KT_OK);
    CHECK_MEM(back, ((int32_t[]){2, 2, 2}), sizeof back);
    kt_floor_divide_(ones, zeros);
    CHECK_FAILS(kt_device_sync(mirror), KT_ERR_RUNTIME, "ZeroDivisionError");
    CHECK_EQ_INT(kt_device_sync(mirror), KT_OK);
}

TEST(gradients)
{
    if (!load())
        return;
    KT_SCOPE;
    float      values[3] = {1, 2, 3}, back[3] = {0};
    kt_tensor *x = kt_to(kt_from(values, KT_SHAPE(3), KT_F32), .device = mirror);
    REQUIRE(kt_set_requires_grad(x, true) == KT_OK);
    kt_tensor *y = kt_sum(kt_mul(kt_mul(x, x), x));
    CHECK_EQ_INT(kt_backward(y), KT_OK);
    REQUIRE(kt_grad(x) != NULL);
    CHECK(on_mirror(kt_grad(x)));
    CHECK_EQ_INT(kt_read(kt_grad(x), back, sizeof back), KT_OK);
    CHECK_MEM(back, ((float[]){3, 12, 27}), sizeof back);
}
