/* loss_softmax.c - softmax and log_softmax against a model in long double: every dim, layouts, floats of every width, lines
 * longer than any tile; what there is at infinity; PyTorch's dtypes and refusals. */
#include "harness.h"

#include <karat/karat.h>
#include <math.h>
#include <string.h>

#include "support/by_name.h"

enum { MOST = 1 << 17 };

static void read_all(const kt_tensor *t, double *into)
{
    KT_SCOPE;
    kt_tensor *wide = kt_contiguous(kt_to(t, .dtype = KT_F64));
    CHECK(kt_read(wide, into, sizeof(double) * (size_t)kt_numel(wide)) == KT_OK);
}

static bool same(kt_tensor *a, kt_tensor *b)
{
    KT_SCOPE;
    kt_tensor *all = kt_all(kt_eq(a, b));
    return all && tensor_at(all, 0) == 1;
}

/* The largest of `n` elements of x at distance `step`, and the sum of the powers of what they lie below it. */
typedef struct line { long double top, sum; } line;

static line line_of(const double *x, int64_t step, int64_t n)
{
    line l = {-INFINITY, 0};
    for (int64_t i = 0; i < n; i++)
        l.top = x[i * step] > l.top ? x[i * step] : l.top;
    for (int64_t i = 0; i < n; i++)
        l.sum += expl(x[i * step] - l.top);
    return l;
}

static double model(line l, double x, bool logs) { return (double)(logs ? x - l.top - logl(l.sum) : expl(x - l.top) / l.sum); }

/* Some units: the distance from the largest is rounded before it becomes a power, and that, the sum and its inverse are rounded
 * too; the smallest float16s are 6e-8 apart. */
static double slack(kt_dtype d, double want, bool logs)
{
    const double unit = d == KT_F64 ? 9e-16 : d == KT_F32 ? 3e-7 : d == KT_F16 ? 5e-4 : 4e-3;
    return logs ? unit * (1 + fabs(want)) : unit * want * (1 - 0.7 * log(want)) + (d == KT_F16 ? 6e-8 : 1e-38);
}

static void compare(kt_tensor *t, int64_t dim, kt_dtype wanted, bool logs)
{
    static double x[MOST], y[MOST];
    kt_tensor    *got = logs ? kt_log_softmax(t, dim, .dtype = wanted) : kt_softmax(t, dim, .dtype = wanted);
    const char   *name = kt_dtype_name(kt_dtype_of(t));
    if (!CHECK_MSG(got && !kt_failed(), "%s: %s", name, kt_error())) {
        kt_clear();
        return;
    }
    CHECK_EQ_INT(kt_dtype_of(got), wanted ? wanted : kt_dtype_of(t));
    CHECK(kt_is_contiguous(got));
    read_all(t, x), read_all(got, y);
    const int64_t n = kt_size(t, dim);
    int64_t       step = 1;
    for (int64_t i = dim + 1; i < kt_ndim(t); i++)
        step *= kt_size(t, i);
    for (int64_t first = 0; first < kt_numel(t); first++) {
        if (first / step % n != 0)
            continue;
        const line l = line_of(x + first, step, n);
        for (int64_t i = first; i < first + n * step; i += step) {
            const double want = model(l, x[i], logs);
            if (!CHECK_MSG(fabs(y[i] - want) <= slack(kt_dtype_of(got), want, logs),
                           "%s of %s along %d at %d: %.9g, not %.9g", logs ? "log_softmax" : "softmax", name, (int)dim, (int)i,
                           y[i], want))
                return;
        }
    }
}

static kt_tensor *drawn(kt_shape shape, kt_dtype dtype, double spread)
{
    static double x[MOST];
    int64_t       n = 1;
    for (int64_t i = 0; i < shape.n; i++)
        n *= shape.d[i];
    for (int64_t i = 0; i < n; i++)
        x[i] = spread * ((double)test_below(2001) / 1000.0 - 1);
    return kt_to(kt_from(x, shape, KT_F64), .dtype = dtype);
}

TEST(values)
{
    static const kt_dtype floats[] = {KT_F64, KT_F32, KT_F16, KT_BF16};
    for (int d = 0; d < 4; d++)
        for (int logs = 0; logs < 2; logs++)
            for (int64_t dim = 0; dim < 3; dim++) {
                KT_SCOPE;
                kt_tensor *t = drawn(KT_SHAPE(3, 21, 70), floats[d], 5);
                compare(t, dim, KT_NONE, logs);
                compare(kt_permute(t, KT_SHAPE(2, 0, 1)), dim, KT_NONE, logs);
                compare(kt_slice(t, .dim = 2, .step = KT_SOME(3)), dim, KT_NONE, logs);
                compare(kt_expand(kt_narrow(t, 1, 2, 1), KT_SHAPE(3, 5, 70)), dim, KT_NONE, logs);
            }
}

/* Lines of several tiles, more lines than one thread takes, far from zero. */
TEST(long_and_many_lines)
{
    for (int logs = 0; logs < 2; logs++) {
        KT_SCOPE;
        compare(drawn(KT_SHAPE(2, 9973), KT_F32, 30), 1, KT_NONE, logs);
        compare(drawn(KT_SHAPE(1, 70001), KT_F32, 30), 1, KT_NONE, logs); /* more than a core's own cache is given */
        compare(drawn(KT_SHAPE(300, 64), KT_F32, 30), 1, KT_NONE, logs);
        compare(drawn(KT_SHAPE(2, 3001), KT_F64, 30), 1, KT_NONE, logs);
        compare(drawn(KT_SHAPE(9973, 2), KT_F32, 30), 0, KT_NONE, logs);
        compare(drawn(KT_SHAPE(3, 6007), KT_BF16, 3), 1, KT_F32, logs);
        compare(drawn(KT_SHAPE(19, 1013), KT_F32, 100), 0, KT_NONE, logs);
        compare(kt_add_s(drawn(KT_SHAPE(100, 10), KT_F32, 1), KT_INT(1000)), 1, KT_NONE, logs);
    }
}

/* Of bfloat16 the same as of its float32s, rounded: lines with and without an end that fills no group, and more than a tile. */
static void compare_bfloat16(int64_t lines, int64_t n, double spread, bool nan)
{
    KT_SCOPE;
    static uint16_t got[MOST], want[MOST];
    kt_tensor      *x = drawn(KT_SHAPE(lines, n), KT_BF16, spread), *g = drawn(KT_SHAPE(lines, n), KT_BF16, 1);
    if (nan)
        kt_fill_s_(kt_select(kt_select(x, 0, lines / 2), 0, n / 2), KT_FLOAT(NAN));
    kt_tensor *wide = kt_to(x, .dtype = KT_F32), *back = kt_to(g, .dtype = KT_F32);
    for (int logs = 0; logs < 2; logs++) {
        kt_tensor *y = logs ? kt_log_softmax(x, 1) : kt_softmax(x, 1);
        kt_tensor *z = logs ? kt_log_softmax(wide, 1) : kt_softmax(wide, 1);
        kt_tensor *both[][2] = {
            {y, kt_to(z, .dtype = KT_BF16)},
            {logs ? kt_log_softmax_backward_data(g, y, 1, KT_BF16) : kt_softmax_backward_data(g, y, 1, KT_BF16),
             kt_to(logs ? kt_log_softmax_backward_data(back, kt_to(y, .dtype = KT_F32), 1, KT_F32)
                        : kt_softmax_backward_data(back, kt_to(y, .dtype = KT_F32), 1, KT_F32), .dtype = KT_BF16)}};
        for (int i = 0; i < 2; i++) {
            const size_t bytes = (size_t)(lines * n) * sizeof *got;
            CHECK(kt_read(both[i][0], got, bytes) == KT_OK && kt_read(both[i][1], want, bytes) == KT_OK);
            CHECK_MSG(memcmp(got, want, bytes) == 0, "%d lines of %d, logs %d, back %d", (int)lines, (int)n, logs, i);
        }
    }
}

TEST(bfloat16_lines)
{
    static const int64_t lengths[] = {1, 31, 32, 33, 63, 64, 65, 96, 128, 250, 1000, 1024, 1025, 2080};
    for (size_t i = 0; i < sizeof lengths / sizeof *lengths; i++)
        for (int64_t lines = 1; lines < 40; lines += 19) {
            compare_bfloat16(lines, lengths[i], 5, false);
            compare_bfloat16(lines, lengths[i], 200, false); /* beyond the exponentials' short form */
            compare_bfloat16(lines, lengths[i], 5, true);
        }
}

/* The same bits, however many threads share the lines. */
TEST(threads_change_nothing)
{
    KT_SCOPE;
    kt_tensor *t = kt_randn(KT_SHAPE(40, 17, 150)), *g = kt_randn(KT_SHAPE(40, 17, 150));
    const int  before = kt_get_num_threads();
    for (int64_t dim = 0; dim < 3; dim++) {
        kt_set_num_threads(1);
        kt_tensor *one = kt_softmax(t, dim), *back = kt_softmax_backward_data(g, one, dim, KT_F32);
        kt_set_num_threads(3);
        CHECK(same(one, kt_softmax(t, dim)) && same(back, kt_softmax_backward_data(g, one, dim, KT_F32)));
    }
    kt_set_num_threads(before);
}

static bool all_nan(const kt_tensor *t, int n)
{
    double y[4];
    read_all(t, y);
    for (int i = 0; i < n; i++)
        if (!isnan(y[i]))
            return false;
    return true;
}

TEST(at_infinity)
{
    KT_SCOPE;
    const float inf[] = {INFINITY, 1}, lost[] = {-INFINITY, -INFINITY}, nan[] = {1, NAN}, one[] = {-INFINITY, 1};
    for (int64_t dim = 0; dim < 2; dim++) { /* lines, and lines side by side */
        const kt_shape shape = dim ? KT_SHAPE(1, 2) : KT_SHAPE(2, 1);
        CHECK(all_nan(kt_softmax(kt_from(inf, shape, KT_F32), dim), 2));
        CHECK(all_nan(kt_log_softmax(kt_from(lost, shape, KT_F32), dim), 2));
        CHECK(all_nan(kt_softmax(kt_from(nan, shape, KT_F32), dim), 2));
        double y[2];
        read_all(kt_softmax(kt_from(one, shape, KT_F32), dim), y);
        CHECK(y[0] == 0 && y[1] == 1);
        read_all(kt_log_softmax(kt_from(one, shape, KT_F32), dim), y);
        CHECK(y[0] == -INFINITY && y[1] == 0);
    }
}

TEST(shapes_and_forms)
{
    KT_SCOPE;
    kt_tensor *x = drawn(KT_SHAPE(4, 5), KT_F32, 2), *out = kt_empty(KT_SHAPE(0));
    kt_tensor *whole = kt_ones(KT_SHAPE(0, 3), .dtype = KT_I64);
    CHECK(kt_softmax_out(out, x, -1) == out);
    CHECK(same(out, kt_softmax(x, 1)));
    CHECK(same(out, kt_softmax_along(x, 1, false)));
    CHECK(same(out, kt_special_softmax(x, 1)));
    CHECK(same(kt_nn_softmin(x, .dim = KT_SOME(1)), kt_softmax(kt_neg(x), 1)));
    CHECK_EQ_INT(kt_dtype_of(kt_softmax(whole, 0)), KT_I64); /* of nothing */
    CHECK(tensor_at(kt_softmax(kt_full(KT_SCALAR, KT_FLOAT(3)), 0), 0) == 1);
    CHECK_EQ_INT(kt_dtype_of(kt_softmax(kt_ones(KT_SHAPE(2), .dtype = KT_I64), 0, .dtype = KT_F16)), KT_F16);
    kt_tensor *seen = kt_softmax(kt_ones(KT_SHAPE(2), .dtype = KT_E5M2), 0); /* PyTorch lacks a kernel */
    CHECK(seen && tensor_at(seen, 1) == 0.5);
    CHECK(!kt_failed());
}

/* Where no dim is named: 0 for ranks 0, 1 and 3. */
TEST(chosen_dims)
{
    static const int64_t want[] = {0, 0, 1, 0, 1};
    const int64_t        sizes[] = {2, 3, 2, 3};
    for (int rank = 0; rank <= 4; rank++) {
        KT_SCOPE;
        kt_tensor *x = drawn((kt_shape){rank, sizes}, KT_F32, 2);
        CHECK(same(kt_nn_softmax(x), kt_softmax(x, want[rank])));
        CHECK(same(kt_nn_log_softmax(x), kt_log_softmax(x, want[rank])));
    }
}

TEST(refusals)
{
    KT_SCOPE;
    kt_tensor *x = kt_ones(KT_SHAPE(2, 3)), *i = kt_ones(KT_SHAPE(2, 3), .dtype = KT_I64), *h = kt_to(x, .dtype = KT_F16);
    CHECK_FAILS(kt_softmax(i, -1), KT_ERR_NOT_IMPLEMENTED, "\"softmax_lastdim_kernel_impl\" not implemented for 'Long'");
    CHECK_FAILS(kt_log_softmax(i, 0), KT_ERR_NOT_IMPLEMENTED, "\"log_softmax_kernel_impl\" not implemented for 'Long'");
    CHECK_FAILS(kt_softmax(x, 0, .dtype = KT_I32), KT_ERR_NOT_IMPLEMENTED, "\"softmax_kernel_impl\" not implemented for 'Int'");
    CHECK_FAILS(kt_softmax(x, 2), KT_ERR_INDEX, "Dimension out of range (expected to be in range of [-2, 1], but got 2)");
    CHECK_FAILS(kt_softmax_along(h, 1, true), KT_ERR_RUNTIME, "softmax with half to float conversion is not supported on CPU");
    CHECK_FAILS(kt_softmax_out(h, x, 1), KT_ERR_RUNTIME, "Expected out tensor to have dtype float, but got c10::Half instead");
    CHECK_FAILS(kt_softmax_out(x, x, 1, .dtype = KT_F64), KT_ERR_RUNTIME,
            "Expected out tensor to have dtype double, but got float instead");
    CHECK_FAILS(kt_softmax_backward_data(x, h, 1, KT_F32), KT_ERR_RUNTIME, "expected scalar type Float but found Half");
    CHECK_FAILS(kt_softmax_backward_data(x, kt_t(x), 1, KT_F32), KT_ERR_RUNTIME,
            "Expected tensor for argument #1 'grad' to have same size as tensor for argument #2 'output'; but [2, 3] does not "
            "equal [3, 2] (while checking arguments for softmax_backward)");
    CHECK_FAILS(kt_log_softmax_backward_data(i, i, 1, KT_I64), KT_ERR_NOT_IMPLEMENTED,
            "\"log_softmax_backward_lastdim_kernel_impl\" not implemented for 'Long'");
    kt_set_requires_grad(x, true);
    kt_tensor *out = kt_softmax_out(kt_empty(KT_SHAPE(2, 3)), x, 1); /* as in PyTorch: recorded, and refused in backward */
    CHECK_FAILS(kt_backward(kt_sum(out)), KT_ERR_RUNTIME, "derivative for aten::softmax is not implemented");
}
