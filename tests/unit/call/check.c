/* check.c - values that kernels refuse: at once on the CPU; on the mirror, which works late, at the next wait, with the CPU's
 * text and the line that launched the work. */
#define KT_SITES
#include "harness.h"

#include <dlfcn.h>
#include <karat/device.h>
#include <karat/karat.h>
#include <karat/plugin/backend.h>
#include <math.h>
#include <stdlib.h>

#include "call/check.h"
#include "dtype/fault.h"

#ifndef KT_MIRROR_PLUGIN
#define KT_MIRROR_PLUGIN KT_TEST_BUILD_DIR "/backends/mirror.so"
#endif

static const kt_device cpu = {KT_CPU, 0};
static kt_device       mirror;

static bool load(void)
{
    if (mirror.kind == 0 && CHECK_EQ_INT(kt_backend_load(KT_MIRROR_PLUGIN), KT_OK))
        mirror = kt_device_find("mirror:1");
    return CHECK(mirror.kind > KT_META);
}

/* ---- one deliberate error of each kind ---- */
static int line; /* of the call that is wrong */
#define AT(call) (line = __LINE__, (call))

#define INTS(d, ...)   ints_on(d, (const int64_t[]){__VA_ARGS__}, sizeof((const int64_t[]){__VA_ARGS__}) / sizeof(int64_t))
#define FLOATS(d, ...) floats_on(d, (const float[]){__VA_ARGS__}, sizeof((const float[]){__VA_ARGS__}) / sizeof(float))

/* Without the call macros: arguments are evaluated after the site is set, and must leave no line of their own. */
static kt_tensor *values_on(kt_device d, const void *x, size_t n, kt_dtype dtype)
{
    return kt_to_kw((kt_from)(x, KT_SHAPE((int64_t)n), dtype), KT_KW(kt_to_opts, .device = d));
}
static kt_tensor *ints_on(kt_device d, const int64_t *x, size_t n) { return values_on(d, x, n, KT_I64); }
static kt_tensor *floats_on(kt_device d, const float *x, size_t n) { return values_on(d, x, n, KT_F32); }
static kt_tensor *table(kt_device d) { return kt_ones_kw(KT_SHAPE(3, 4), KT_KW(kt_ones_opts, .device = d)); }
static kt_tensor *flat(kt_device d) { return kt_ones_kw(KT_SHAPE(3), KT_KW(kt_ones_opts, .device = d)); }

static void nll(kt_device d) { AT(kt_nll_loss(table(d), INTS(d, 0, -100, 7))); }
static void nll_space(kt_device d)
{
    AT(kt_nll_loss2d(kt_ones(KT_SHAPE(1, 2, 1, 3), .device = d), kt_view(INTS(d, 0, 1, 2), KT_SHAPE(1, 1, 3))));
}
static void entropy(kt_device d) { AT(kt_nn_cross_entropy(table(d), INTS(d, 0, -3, 1))); }
static void bce_input(kt_device d) { AT(kt_binary_cross_entropy(FLOATS(d, 0, 1.5f), FLOATS(d, 0, -1))); }
static void bce_target(kt_device d) { AT(kt_binary_cross_entropy(FLOATS(d, 0, NAN), FLOATS(d, 2, 1))); }
static void lookup(kt_device d) { AT(kt_embedding(table(d), INTS(d, 0, 3))); }
static void lookup_back(kt_device d)
{
    kt_tensor *w = table(d);
    kt_set_requires_grad(w, true);
    AT(kt_embedding(w, INTS(d, 0, -1)));
}
static void select_rows(kt_device d) { AT(kt_index_select(table(d), 0, INTS(d, 3))); }
static void select_columns(kt_device d) { AT(kt_index_select(table(d), 1, INTS(d, 1, 4))); }
static void select_nothing(kt_device d) { AT(kt_index_select(kt_ones(KT_SHAPE(0, 4), .device = d), 1, INTS(d, 1, 9))); }
static void gathered(kt_device d) { AT(kt_gather(flat(d), 0, INTS(d, 0, 5))); }
static void scattered(kt_device d) { AT(kt_scatter(flat(d), 0, INTS(d, 0, -1, 2), flat(d))); }
static void scatter_added(kt_device d) { AT(kt_scatter_add(flat(d), 0, INTS(d, 0, 3, 2), flat(d))); }
static void scatter_reduced(kt_device d) { AT(kt_scatter_reduce(flat(d), 0, INTS(d, 0, 3, 2), flat(d), "mean")); }
static void taken(kt_device d) { AT(kt_take(table(d), INTS(d, 0, 12))); }
static void put(kt_device d) { AT(kt_put(table(d), INTS(d, -13), FLOATS(d, 1))); }
static void indexed(kt_device d)
{
    kt_tensor *at = INTS(d, 0, 3);
    AT(kt_index(table(d), &at, 1));
}
static void indexed_twice(kt_device d)
{
    kt_tensor *at[] = {INTS(d, 0, 2), INTS(d, 3, 4)};
    AT(kt_index(table(d), at, 2));
}
static void index_put(kt_device d)
{
    kt_tensor *at = INTS(d, -4, 0);
    AT(kt_index_put(table(d), &at, 1, kt_ones(KT_SHAPE(4), .device = d)));
}
static void index_added(kt_device d) { AT(kt_index_add(flat(d), 0, INTS(d, 0, 3, 1), flat(d))); }
static void index_copied(kt_device d) { AT(kt_index_copy(flat(d), 0, INTS(d, 0, 3, 1), flat(d))); }
static void index_filled(kt_device d) { AT(kt_index_fill(flat(d), 0, INTS(d, -4), KT_INT(1))); }
static void quantile(kt_device d) { AT(kt_quantile(flat(d), FLOATS(d, 0.5f, 2))); }
static void sorter(kt_device d) { AT(kt_searchsorted(flat(d), flat(d), .sorter = INTS(d, 0, 3, 1))); }
static void class_negative(kt_device d) { AT(kt_nn_one_hot(INTS(d, 0, -1), .num_classes = KT_SOME(3))); }
static void class_large(kt_device d) { AT(kt_nn_one_hot(INTS(d, 0, 3), .num_classes = KT_SOME(3))); }
static void deviation(kt_device d) { AT(kt_normal_float_tensor(0, FLOATS(d, 1, -1))); }
static void divided(kt_device d) { AT(kt_floor_divide(INTS(d, 1, 2), INTS(d, 1, 0))); }
static void remaining(kt_device d) { AT(kt_remainder(INTS(d, 1, 2), INTS(d, 1, 0))); }
static void overflow(kt_device d)
{
    kt_tensor *bytes = kt_zeros(KT_SHAPE(2), .dtype = KT_U8, .device = d);
    kt_tensor *mask = kt_ones(KT_SHAPE(2), .dtype = KT_BOOL, .device = d);
    AT(kt_masked_fill_tensor(bytes, mask, kt_scalar_tensor(KT_INT(300), .dtype = KT_I64, .device = d)));
}
static void overflow_by_index(kt_device d)
{
    kt_tensor *half = kt_zeros(KT_SHAPE(2), .dtype = KT_F16, .device = d);
    AT(kt_index_fill_tensor(half, 0, INTS(d, 0), kt_scalar_tensor(KT_FLOAT(1e6), .dtype = KT_F32, .device = d)));
}
static void weights_negative(kt_device d) { AT(kt_cov(table(d), .aweights = FLOATS(d, 1, 1, -1, 1))); }
static void counts_negative(kt_device d) { AT(kt_cov(table(d), .fweights = INTS(d, 1, 1, -1, 1))); }
static void weights_zero(kt_device d) { AT(kt_cov(table(d), .aweights = kt_zeros(KT_SHAPE(4), .device = d))); }
static void choice(kt_device d) { AT(kt_multinomial(FLOATS(d, 1, -1), 2, .replacement = true)); }
static void choice_without(kt_device d) { AT(kt_multinomial(FLOATS(d, 1, INFINITY), 2)); }
static void chance(kt_device d) { AT(kt_bernoulli(FLOATS(d, 0.5f, 2))); }
static void rate(kt_device d) { AT(kt_poisson(FLOATS(d, 0.5f, -2))); }

/* What waits by itself reports the error in the same call. */
typedef enum when { LATE, IN_THE_CALL, DRAWN_HERE /* by the CPU, of weights that were read */ } when;

static const struct {
    const char *op, *text;
    void      (*make)(kt_device d);
    when        told;
} wrong[] = {
    {"nll_loss", "Target 7 is out of bounds.", nll, LATE},
    {"nll_loss2d", "Target 2 is out of bounds.", nll_space, LATE},
    {"nn_cross_entropy", "Target -3 is out of bounds.", entropy, LATE},
    {"binary_cross_entropy", "all elements of input should be between 0 and 1", bce_input, LATE},
    {"binary_cross_entropy", "all elements of target should be between 0 and 1", bce_target, LATE},
    {"embedding", "index out of range in self", lookup, LATE},
    {"embedding", "index out of range in self", lookup_back, LATE},
    {"index_select", "index out of range in self", select_rows, LATE},
    {"index_select", "INDICES element is out of DATA bounds, id=4 axis_dim=4", select_columns, LATE},
    {"index_select", "INDICES element is out of DATA bounds, id=9 axis_dim=4", select_nothing, LATE},
    {"gather", "index 5 is out of bounds for dimension 0 with size 3", gathered, LATE},
    {"scatter", "index -1 is out of bounds for dimension 0 with size 3", scattered, LATE},
    {"scatter_add", "index 3 is out of bounds for dimension 0 with size 3", scatter_added, LATE},
    {"scatter_reduce", "index 3 is out of bounds for dimension 0 with size 3", scatter_reduced, LATE},
    {"take", "out of range: tried to access index 12 on a tensor of 12 elements.", taken, LATE},
    {"put", "out of range: tried to access index -13 on a tensor of 12 elements.", put, LATE},
    {"index", "index 3 is out of bounds for dimension 0 with size 3", indexed, LATE},
    {"index", "index 4 is out of bounds for dimension 1 with size 4", indexed_twice, LATE},
    {"index_put", "index -4 is out of bounds for dimension 0 with size 3", index_put, LATE},
    {"index_add", "index out of range in self", index_added, LATE},
    {"index_copy", "index_copy_(): index 3 is out of bounds for dimension 0 with size 3", index_copied, LATE},
    {"index_fill", "index -4 is out of bounds for dimension 0 with size 3", index_filled, LATE},
    {"quantile", "quantile() q values must be in the range [0, 1]", quantile, LATE},
    {"searchsorted", "torch.searchsorted(): sorter index out of range", sorter, LATE},
    {"nn_one_hot", "Class values must be non-negative.", class_negative, LATE},
    {"nn_one_hot", "Class values must be smaller than num_classes.", class_large, LATE},
    {"normal_float_tensor", "normal expects all elements of std >= 0.0", deviation, LATE},
    {"floor_divide", "ZeroDivisionError", divided, LATE},
    {"remainder", "ZeroDivisionError", remaining, LATE},
    {"masked_fill_tensor", "value cannot be converted to type uint8_t without overflow", overflow, LATE},
    {"index_fill_tensor", "value cannot be converted to type c10::Half without overflow", overflow_by_index, LATE},
    {"cov", "cov(): aweights cannot be negative", weights_negative, IN_THE_CALL},
    {"cov", "cov(): fweights cannot be negative", counts_negative, IN_THE_CALL},
    {"cov", "cov(): weights sum to zero, can't be normalized", weights_zero, IN_THE_CALL},
    {"multinomial", "invalid multinomial distribution (encountering probability entry < 0)", choice, DRAWN_HERE},
    {"multinomial", "probability tensor contains either `inf`, `nan` or element < 0", choice_without, DRAWN_HERE},
    {"bernoulli", "Expected p_in >= 0 && p_in <= 1 to be true, but got false.  (Could this error message be improved?  If so, "
                  "please report an enhancement request to PyTorch.)", chance, DRAWN_HERE},
    {"poisson", "invalid Poisson rate, expected rate to be non-negative", rate, DRAWN_HERE},
};
enum { WRONG = sizeof wrong / sizeof *wrong };

typedef struct told {
    kt_status code;
    char      text[512], launched[512]; /* the first line, and the second */
} told;

static void take_error(told *t)
{
    const char *text = kt_error(), *end = strchr(text, '\n');
    t->code = kt_error_status();
    snprintf(t->text, sizeof t->text, "%.*s", end ? (int)(end - text) : (int)strlen(text), text);
    snprintf(t->launched, sizeof t->launched, "%.*s", end ? (int)strcspn(end + 1, "\n") : 0, end ? end + 1 : "");
    kt_clear();
}

TEST(the_cpu_refuses_at_once)
{
    for (int i = 0; i < WRONG; i++) {
        KT_SCOPE;
        told t;
        wrong[i].make(cpu);
        CHECK_MSG(kt_failed(), "%s accepts what it must refuse with '%s'", wrong[i].op, wrong[i].text);
        take_error(&t);
        CHECK_STR(t.text, wrong[i].text);
    }
}

static bool still_works(void)
{
    float back[3] = {0};
    return CHECK_EQ_INT(kt_read(kt_add(flat(mirror), flat(mirror)), back, sizeof back), KT_OK) && CHECK_NEAR(back[2], 2, 0);
}

TEST(a_late_device_names_the_line_that_launched_it)
{
    if (!load())
        return;
    for (int i = 0; i < WRONG; i++) {
        KT_SCOPE;
        told           here, there;
        char           place[64], by[64];
        const uint64_t waits = kt_host_waits();
        wrong[i].make(cpu);
        take_error(&here);
        wrong[i].make(mirror);
        CHECK_MSG(kt_failed() == (wrong[i].told != LATE), "%s: %s", wrong[i].op, kt_failed() ? kt_error() : "late");
        CHECK_MSG(wrong[i].told != LATE || kt_host_waits() == waits, "%s waits for its check", wrong[i].op);
        if (!kt_failed())
            kt_device_sync(mirror);
        take_error(&there);
        CHECK_STR(there.text, here.text);
        CHECK_EQ_INT(there.code, here.code);
        snprintf(place, sizeof place, "check.c:%d", line);
        snprintf(by, sizeof by, "launched by %s at ", wrong[i].op);
        const bool named = strstr(there.launched, place) && strstr(there.launched, by);
        CHECK_MSG(named || wrong[i].told == DRAWN_HERE, "'%s' lacks '%s' or %s", there.launched, by, place);
        if (!still_works())
            printf("after %s\n", wrong[i].op);
    }
}

/* A check's plan goes through the fall-back too, which reports at once. */
TEST(a_device_without_the_kernel_checks_on_the_cpu)
{
    if (!load())
        return;
    KT_SCOPE;
    void *library = dlopen(KT_MIRROR_PLUGIN, RTLD_NOW | RTLD_NOLOAD);
    void (*decline)(const char *) = NULL;
    void *symbol = library ? dlsym(library, "mirror_decline") : NULL;
    REQUIRE(symbol != NULL);
    memcpy(&decline, &symbol, sizeof symbol);
    decline("check_range");
    CHECK_FAILS(kt_nll_loss(table(mirror), INTS(mirror, 0, 1, 7)), KT_ERR_INDEX, "Target 7 is out of bounds.");
    kt_tensor *loss = kt_nll_loss(table(mirror), INTS(mirror, 0, 1, 2));
    CHECK_NEAR(kt_item(loss), -1, 0);
    decline(NULL);
}

/* What a kernel on a real device reports is numbers: the engine makes the text of them. */
TEST(a_fault_becomes_the_cpus_error)
{
    if (!load())
        return;
    void *library = dlopen(KT_MIRROR_PLUGIN, RTLD_NOW | RTLD_NOLOAD);
    void (*report)(int, const kt_fault *) = NULL;
    void *symbol = library ? dlsym(library, "mirror_fault") : NULL;
    REQUIRE(symbol != NULL);
    memcpy(&report, &symbol, sizeof symbol);
    report(1, &(kt_fault){.kind = KT_FAULT_INDEX_DATA, .value = -7, .size = 4});
    CHECK_FAILS(kt_device_sync(mirror), KT_ERR_RUNTIME, "INDICES element is out of DATA bounds, id=-7 axis_dim=4");
    report(1, &(kt_fault){.kind = KT_FAULT_INDEX_COPY, .dim = 2, .value = 9, .size = 4});
    CHECK_FAILS(kt_ones(KT_SHAPE(2), .device = mirror), KT_ERR_INDEX,
                "index_copy_(): index 9 is out of bounds for dimension 2 with size 4");
    report(1, &(kt_fault){.kind = 9999});
    CHECK_FAILS(kt_device_sync(mirror), KT_ERR_RUNTIME, "a kernel refused a value");
    CHECK_EQ_INT(kt_device_sync(mirror), KT_OK);
}

TEST(every_fault_has_a_text)
{
    char text[256], small[8];
    for (int kind = KT_FAULT_NONE + 1; kind < KT_NUM_FAULTS; kind++) {
        const kt_fault f = {.kind = kind, .dim = KT_I64, .value = INT64_MIN, .size = INT64_MAX};
        CHECK(kt__fault_text(&f, text, sizeof text) < KT_OK);
        CHECK_MSG(text[0] && !strchr(text, '{') && strcmp(text, "a kernel refused a value") != 0, "%d: %s", kind, text);
        kt__fault_text(&f, small, sizeof small);
        CHECK(strncmp(text, small, sizeof small - 1) == 0 && strlen(small) == sizeof small - 1);
    }
}

/* ---- the kernel ---- */
static const kt_fault_kind target = KT_FAULT_TARGET, input = KT_FAULT_BCE_INPUT, second = KT_FAULT_BCE_TARGET;

static kt_status in_range(kt_tensor *t, kt_scalar low, kt_scalar high)
{
    return kt__check_range(&t, 1, &(kt__range){.low = low, .high = high, .says = {target}});
}

/* Every dtype that is compared as itself or widened, dense and strided, of sizes around tiles and threads. */
TEST(one_element_out_of_range_is_found_wherever_it_is)
{
    static const kt_dtype dtypes[] = {KT_F32, KT_F64, KT_F16, KT_BF16, KT_I64, KT_I32, KT_I16, KT_I8, KT_U8};
    static const int64_t  sizes[] = {1, 255, 257, 513, 40000, 200000};
    for (size_t d = 0; d < sizeof dtypes / sizeof *dtypes; d++)
        for (size_t s = 0; s < sizeof sizes / sizeof *sizes; s++) {
            KT_SCOPE;
            const int64_t n = sizes[s], places[] = {0, n / 2, n - 1};
            kt_tensor    *wide = kt_zeros(KT_SHAPE(n, 2), .dtype = dtypes[d]), *t = kt_select(wide, 1, 0);
            kt_tensor    *dense = kt_zeros(KT_SHAPE(n), .dtype = dtypes[d]);
            CHECK_EQ_INT(in_range(t, KT_INT(0), KT_INT(5)), KT_OK);
            CHECK_EQ_INT(in_range(dense, KT_INT(0), KT_INT(5)), KT_OK);
            for (int i = 0; i < 3; i++) {
                kt_fill_s_(kt_select(t, 0, places[i]), KT_INT(6));
                kt_fill_s_(kt_select(dense, 0, places[i]), KT_INT(6));
                const char *text = kt_dtype_category(dtypes[d]) == KT_CAT_FLOAT ? "Target 0 is" : "Target 6 is";
                CHECK_FAILS(in_range(t, KT_INT(0), KT_INT(5)), KT_ERR_INDEX, text);
                CHECK_FAILS(in_range(dense, KT_INT(0), KT_INT(5)), KT_ERR_INDEX, text);
                kt_fill_s_(t, KT_INT(0));
                kt_fill_s_(dense, KT_INT(0));
            }
        }
}

TEST(the_first_in_row_major_order_is_reported)
{
    KT_SCOPE;
    const int64_t x[] = {0, 1, 12, 0, 11, 10};
    kt_tensor    *t = kt_transpose(kt_from(x, KT_SHAPE(3, 2), KT_I64), 0, 1); /* 0 12 11 / 1 0 10 */
    CHECK_FAILS(in_range(t, KT_INT(0), KT_INT(5)), KT_ERR_INDEX, "Target 12 is");
    CHECK_FAILS(in_range(kt_flip(t, KT_SHAPE(1)), KT_INT(0), KT_INT(5)), KT_ERR_INDEX, "Target 11 is");
    kt_tensor *many = kt_zeros(KT_SHAPE(100000), .dtype = KT_I64);
    kt_fill_s_(kt_narrow(many, 0, 70000, 30000), KT_INT(9));
    kt_fill_s_(kt_select(many, 0, 60000), KT_INT(8));
    CHECK_FAILS(in_range(many, KT_INT(0), KT_INT(5)), KT_ERR_INDEX, "Target 8 is");
}

TEST(what_is_exempt_passes_and_nan_does_not)
{
    KT_SCOPE;
    const int64_t   x[] = {-100, 3, -100};
    const float     y[] = {0, NAN, 1}, z[] = {0, INFINITY, 1};
    const kt_scalar exempt = KT_INT(-100);
    kt_tensor      *t = kt_from(x, KT_SHAPE(3), KT_I64);
    const kt__range r = {.low = KT_INT(0), .high = KT_INT(3), .says = {target}, .exempt = &exempt};
    CHECK_EQ_INT(kt__check_range(&t, 1, &r), KT_OK);
    CHECK_FAILS(in_range(t, KT_INT(0), KT_INT(3)), KT_ERR_INDEX, "Target -100 is");
    CHECK_FAILS(in_range(kt_from(y, KT_SHAPE(3), KT_F32), KT_FLOAT(0), KT_FLOAT(1)), KT_ERR_INDEX, "");
    CHECK_FAILS(kt__check_not_negative(kt_from(y, KT_SHAPE(3), KT_F32), input), KT_ERR_RUNTIME, "all elements of input");
    CHECK_EQ_INT(kt__check_not_negative(kt_from(z, KT_SHAPE(3), KT_F32), input), KT_OK);
    CHECK_FAILS(in_range(kt_zeros(KT_SHAPE(2), .dtype = KT_I64), KT_INT(0), KT_INT(-1)), KT_ERR_INDEX, "Target 0 is");
    CHECK_EQ_INT(kt__check_not_negative(kt_full(KT_SHAPE(2), KT_INT(-1), .dtype = KT_U64), input), KT_OK);
}

TEST(two_operands_are_broadcast_and_the_earlier_element_counts)
{
    KT_SCOPE;
    const float     column[] = {0, 2}, row[] = {0, 0, 3};
    kt_tensor      *both[] = {kt_from(column, KT_SHAPE(2, 1), KT_F32), kt_from(row, KT_SHAPE(3), KT_F32)};
    const kt__range r = {.low = KT_FLOAT(0), .high = KT_FLOAT(1), .says = {input, second}};
    CHECK_FAILS(kt__check_range(both, 2, &r), KT_ERR_RUNTIME, "all elements of target");
    kt_tensor *turned[] = {both[1], both[0]};
    CHECK_FAILS(kt__check_range(turned, 2, &r), KT_ERR_RUNTIME, "all elements of input");
}

TEST(lazy_negation_is_seen_and_not_applied)
{
    KT_SCOPE;
    const float z[] = {1, 1, 2, 2};
    kt_tensor  *t = kt_imag(kt_conj(kt_from(z, KT_SHAPE(2), KT_C64))); /* -1, -2 */
    REQUIRE(t != NULL);
    CHECK_EQ_INT(in_range(t, KT_FLOAT(-2), KT_FLOAT(-1)), KT_OK);
    CHECK_FAILS(in_range(t, KT_FLOAT(0), KT_FLOAT(3)), KT_ERR_INDEX, "");
    CHECK_NEAR(kt_item(kt_select(t, 0, 1)), -2, 0);
}

TEST(meta_and_empty_tensors_have_no_wrong_values)
{
    KT_SCOPE;
    kt_tensor *t = kt_empty(KT_SHAPE(3), .dtype = KT_I64, .device = kt_device_find("meta"));
    CHECK_EQ_INT(in_range(t, KT_INT(1), KT_INT(0)), KT_OK);
    CHECK_EQ_INT(in_range(kt_zeros(KT_SHAPE(0, 2)), KT_INT(1), KT_INT(0)), KT_OK);
    CHECK_EQ_INT(kt__check_fits(kt_full(KT_SHAPE(2), KT_INT(255), .dtype = KT_I64), KT_U8), KT_OK);
    CHECK_FAILS(kt__check_fits(kt_full(KT_SHAPE(2), KT_INT(256), .dtype = KT_I64), KT_U8), KT_ERR_RUNTIME,
                "value cannot be converted to type uint8_t without overflow");
    CHECK_EQ_INT(kt__check_fits(kt_full(KT_SHAPE(2), KT_FLOAT(INFINITY)), KT_F16), KT_OK);
}
