/* values.c - the CUDA backend's kernels against the CPU's, bit for bit: every cast of random bits, dense and strided, and every
 * row of tensors alone over random bits, where any NaN is as good as another. */
#include "support.h"

#include <karat/plugin/call.h>

enum { N = 100003, N_ROWS = 3001 }; /* some rows make a matrix of a vector */

static kt_tensor *crossed(kt_tensor *x)
{
    return kt_transpose(kt_reshape(kt_narrow(x, 0, 3, 100000), KT_SHAPE(1000, 100)), 0, 1);
}

/* A NaN that the host's instructions convert (tests/cuda/on_cpu) keeps other bits than a GPU's. */
static int64_t cast_differs(kt_tensor *x, kt_tensor *there, kt_dtype to, int64_t *at)
{
    return differences(kt_to(x, .dtype = to), kt_to(there, .dtype = to), getenv("TEST_CUDA_PLUGIN") != NULL, at);
}

TEST(every_cast_gives_the_cpus_bits)
{
    if (!device())
        return;
    int pairs = 0, differing = 0;
    const uint64_t before = kt_fallbacks();
    for (int from = KT_BOOL; from < KT_NUM_DTYPES; from++) {
        KT_SCOPE;
        kt_tensor *x = random_bits((kt_dtype)from, N), *there = kt_to(x, .device = here);
        kt_tensor *slice = crossed(x), *slice_there = crossed(there);
        for (int to = KT_BOOL; to < KT_NUM_DTYPES; to++) {
            KT_SCOPE;
            int64_t       at = 0;
            const int64_t dense = cast_differs(x, there, (kt_dtype)to, &at);
            const int64_t strided = cast_differs(slice, slice_there, (kt_dtype)to, &at);
            pairs++;
            differing += !CHECK_MSG(dense == 0 && strided == 0, "%s to %s: %lld dense, %lld strided ones differ, one at %lld",
                                    kt_dtype_name((kt_dtype)from), kt_dtype_name((kt_dtype)to), (long long)dense,
                                    (long long)strided, (long long)at);
            kt_clear();
        }
    }
    printf("casts: %d pairs, %d differ from the CPU, %llu ran there\n", pairs, differing,
           (unsigned long long)(kt_fallbacks() - before));
}

static bool takes_tensors_alone(const kt_row *row, int *n)
{
    *n = 0;
    for (int i = 0; i < kt_row_n_args(row); i++) {
        const kt_arg_spec *spec = kt_row_arg(row, i);
        if (spec->kind == KT_ARG_GENERATOR)
            return false; /* the device draws other numbers */
        if (spec->has_default || spec->optional)
            continue;
        if (spec->kind != KT_ARG_TENSOR && spec->kind != KT_ARG_TENSOR_OR_SCALAR)
            return false;
        (*n)++;
    }
    return *n >= 1 && *n <= 3 && kt_row_n_results(row) == 1 && kt_row_has_form(row, KT_PLAIN) &&
           strncmp(kt_row_name(row), "empty", 5) != 0 && !strstr(kt_row_name(row), "dropout");
}

static kt_tensor *run_row(const kt_row *row, kt_tensor *const *x)
{
    kt_call call = {0};
    int     n = 0;
    kt_call_begin(&call, row, KT_PLAIN);
    for (int i = 0; i < kt_row_n_args(row); i++) {
        const kt_arg_spec *spec = kt_row_arg(row, i);
        if (spec->has_default || spec->optional)
            continue;
        call.arg[i].t = x[n++];
        call.given |= 1u << i;
    }
    return kt_call_run(&call) == KT_OK && !call.list ? call.out[0] : NULL;
}

static bool same_kind(const kt_tensor *a, const kt_tensor *b)
{
    return kt_dtype_of(a) == kt_dtype_of(b) && kt_numel(a) == kt_numel(b);
}

/* Chebyshev's polynomials of huge degrees are sines of as many times an angle: the last bit of CUDA's own acos grows with it. */
static bool may_differ(const kt_row *row, int64_t n)
{
    enum { FEW = N_ROWS / 300 };
    return n <= FEW && strstr(kt_row_name(row), "chebyshev_polynomial");
}

/* Rows that do not run on the device at all are not compared: the CPU did them. */
static void compare_row(const kt_row *row, kt_tensor *const *x, kt_tensor *const *there, const char *dtype, int *rows, int *same)
{
    const uint64_t before = kt_fallbacks();
    int64_t        at = 0;
    kt_tensor     *a = run_row(row, x), *b = a ? run_row(row, there) : NULL;
    kt_clear();
    if (a && b && kt_fallbacks() == before && kt_numel(a) == N_ROWS && CHECK(same_kind(a, b))) {
        const int64_t n = differences(a, b, true, &at);
        (*rows)++;
        *same += n == 0 || may_differ(row, n);
        if (n)
            printf("  %s of %s: %lld of %d differ, one at %lld\n", kt_row_name(row), dtype, (long long)n, N_ROWS, (long long)at);
    }
    kt_drop(a);
    kt_drop(b);
}

static void compare_rows(kt_dtype dtype, int *rows, int *same)
{
    KT_SCOPE;
    kt_tensor *x[3], *there[3];
    for (int i = 0; i < 3; i++) {
        x[i] = random_bits(dtype, N_ROWS);
        there[i] = kt_to(x[i], .device = here);
    }
    for (int i = 0, n; kt_row_at(i); i++)
        if (takes_tensors_alone(kt_row_at(i), &n)) {
            KT_SCOPE;
            compare_row(kt_row_at(i), x, there, kt_dtype_name(dtype), rows, same);
        }
    kt_device_sync(here); /* integers were divided by zero */
    kt_clear();
}

TEST(rows_give_the_cpus_bits)
{
    static const kt_dtype dtypes[] = {KT_F32, KT_BF16, KT_F16, KT_I32, KT_I64, KT_U8, KT_BOOL};
    if (!device())
        return;
    int rows = 0, same = 0;
    for (size_t d = 0; d < sizeof dtypes / sizeof *dtypes; d++)
        compare_rows(dtypes[d], &rows, &same);
    printf("rows: %d ran on the device, %d give the CPU's bits\n", rows, same);
    CHECK(rows > 200);
    CHECK_EQ_INT(same, rows);
}

/* All but the rare functions and large angles, where CUDA's own take part. */
TEST(most_rows_of_float64_give_the_cpus_bits)
{
    if (!device())
        return;
    int rows = 0, same = 0;
    compare_rows(KT_F64, &rows, &same);
    printf("rows of float64: %d ran on the device, %d give the CPU's bits\n", rows, same);
    CHECK(same > 0.8 * rows);
}
