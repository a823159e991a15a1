/* norm.c - norms against sums written out here, in every dtype, with and without parameters, in rows shorter and longer than a
 * tile; gradients of the parameters over many rows; the same bits with any number of threads; refusals in PyTorch's words. */
#include "harness.h"

#include <karat/karat.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "support/by_name.h"

enum { MOST = 1 << 17 };

static double *values_of(const kt_tensor *t)
{
    static double rooms[8][MOST];
    static int    next;
    KT_SCOPE;
    double    *room = rooms[next++ % 8];
    kt_tensor *wide = kt_contiguous(kt_to(t, .dtype = KT_F64));
    CHECK(kt_numel(wide) <= MOST && kt_read(wide, room, sizeof(double) * (size_t)kt_numel(wide)) == KT_OK);
    return room;
}

/* The numbers of a row: its average (0 without one) and the reciprocal of its deviation. */
static void statistics(const double *x, int64_t n, double eps, bool centred, double *mean, double *rstd)
{
    double sum = 0, squares = 0;
    for (int64_t i = 0; i < n && centred; i++)
        sum += x[i];
    *mean = sum / (double)n;
    for (int64_t i = 0; i < n; i++)
        squares += (x[i] - *mean) * (x[i] - *mean);
    *rstd = 1 / sqrt(squares / (double)n + eps);
}

static double tolerance(kt_dtype d) { return d == KT_F64 ? 1e-12 : d == KT_F32 ? 2e-5 : d == KT_F16 ? 4e-3 : 3e-2; }

static bool near(double a, double b, double tolerance_) { return fabs(a - b) <= tolerance_ * (1 + fabs(b)); }

static void check_values(kt_dtype d, kt_dtype of_weight, int64_t rows, int64_t n, bool centred)
{
    KT_SCOPE;
    kt_tensor    *x = kt_to(kt_randn(KT_SHAPE(rows, n), .dtype = KT_F64), .dtype = d);
    kt_tensor    *w = kt_to(kt_rand(KT_SHAPE(n), .dtype = KT_F64), .dtype = of_weight);
    kt_tensor    *b = kt_to(kt_rand(KT_SHAPE(n), .dtype = KT_F64), .dtype = of_weight);
    kt_tensor    *y = centred ? kt_layer_norm(x, KT_SHAPE(n), .weight = w, .bias = b, .eps = KT_SOME(0.25))
                              : kt_rms_norm(x, KT_SHAPE(n), .weight = w, .eps = KT_SOME(0.25));
    const double *from = values_of(x), *weight = values_of(w), *bias = values_of(b), *got = values_of(y);
    CHECK(kt_dtype_of(y) == d);
    for (int64_t row = 0; row < rows; row++) {
        double mean, rstd;
        statistics(from + row * n, n, 0.25, centred, &mean, &rstd);
        for (int64_t i = 0; i < n; i++) {
            const double want = (from[row * n + i] - mean) * rstd * weight[i] + (centred ? bias[i] : 0);
            CHECK(near(got[row * n + i], want, tolerance(d)));
        }
    }
}

TEST(values)
{
    static const kt_dtype dtypes[] = {KT_F32, KT_F64, KT_F16, KT_BF16};
    static const int64_t  lengths[] = {1, 3, 16, 31, 64, 100, 1025, 4100};
    for (size_t i = 0; i < 4; i++)
        for (size_t k = 0; k < sizeof lengths / sizeof *lengths; k++)
            for (int centred = 0; centred < 2; centred++) {
                check_values(dtypes[i], dtypes[i], 3, lengths[k], centred);
                if (dtypes[i] == KT_F16 || dtypes[i] == KT_BF16)
                    check_values(dtypes[i], KT_F32, 2, lengths[k], centred);
            }
}

/* Numbers far from 0 lose no digits to their average. */
TEST(far_from_zero)
{
    KT_SCOPE;
    kt_tensor *x = kt_add_s(kt_randn(KT_SHAPE(4, 2000), .dtype = KT_F64), KT_FLOAT(4096));
    kt_tensor *narrow = kt_to(x, .dtype = KT_F32), *again = kt_to(narrow, .dtype = KT_F64);
    const double *got = values_of(kt_layer_norm(narrow, KT_SHAPE(2000)));
    const double *want = values_of(kt_layer_norm(again, KT_SHAPE(2000)));
    for (int i = 0; i < 8000; i++)
        CHECK(near(got[i], want[i], 4e-4));
}

/* Groups of a row, at the places where vectors begin, that are far from all other values. */
TEST(few_far_from_the_others)
{
    enum { ROW = 1000, PLACES = 4, FEW = 32, APART = ROW / (PLACES * FEW) * FEW };
    KT_SCOPE;
    float x[ROW];
    for (int i = 0; i < ROW; i++)
        x[i] = (float)(i % 17) + (i < PLACES * APART && i % APART < FEW ? 1000 : 0);
    kt_tensor    *narrow = kt_from(x, KT_SHAPE(1, ROW), KT_F32);
    const double *got = values_of(kt_layer_norm(narrow, KT_SHAPE(ROW)));
    const double *want = values_of(kt_layer_norm(kt_to(narrow, .dtype = KT_F64), KT_SHAPE(ROW)));
    for (int i = 0; i < ROW; i++)
        CHECK(near(got[i], want[i], 1e-5));
}

/* The same as made of sums. */
static void check_back(kt_dtype d, int64_t rows, int64_t n)
{
    KT_SCOPE;
    kt_tensor *x = kt_to(kt_randn(KT_SHAPE(rows, n), .dtype = KT_F64), .dtype = d);
    kt_tensor *g = kt_to(kt_randn(KT_SHAPE(rows, n)), .dtype = d);
    kt_tensor *w = kt_to(kt_rand(KT_SHAPE(n), .dtype = KT_F64), .dtype = d);
    const kt_native_layer_norm_results          of = kt_native_layer_norm(x, KT_SHAPE(n), w, NULL, 0.25);
    const kt_native_layer_norm_backward_results to = kt_native_layer_norm_backward(
        g, x, w, (kt_tensor *[]){of.mean, of.rstd}, 2, KT_SHAPE(n), KT_SHAPE(1, 1, 1));
    const double *from = values_of(x), *grad = values_of(g), *weight = values_of(w), *dx = values_of(to.result);
    const double *dw = values_of(to.of_weight), *db = values_of(to.of_bias);
    double       *want_w = calloc((size_t)n, sizeof *want_w), *want_b = calloc((size_t)n, sizeof *want_b);
    for (int64_t row = 0; row < rows; row++) {
        double mean, rstd, sum = 0, product = 0;
        statistics(from + row * n, n, 0.25, true, &mean, &rstd);
        for (int64_t i = 0; i < n; i++) {
            const double hat = (from[row * n + i] - mean) * rstd, back = grad[row * n + i];
            want_w[i] += back * hat, want_b[i] += back, sum += back * weight[i], product += back * weight[i] * hat;
        }
        for (int64_t i = 0; i < n; i++) {
            const double hat = (from[row * n + i] - mean) * rstd, back = grad[row * n + i] * weight[i];
            CHECK(near(dx[row * n + i], rstd * (back - sum / (double)n - hat * product / (double)n), 4 * tolerance(d)));
        }
    }
    for (int64_t i = 0; i < n; i++)
        CHECK(near(dw[i], want_w[i], 8 * tolerance(d)) && near(db[i], want_b[i], 8 * tolerance(d)));
    free(want_w), free(want_b);
}

TEST(what_flows_back)
{
    check_back(KT_F64, 5, 7), check_back(KT_F64, 200, 33), check_back(KT_F64, 2, 1500);
    check_back(KT_F32, 300, 40), check_back(KT_F32, 3, 2100), check_back(KT_BF16, 20, 48);
    check_back(KT_BF16, 70, 31), check_back(KT_BF16, 70, 64), check_back(KT_BF16, 3, 2100);
}

TEST(threads_do_not_change_the_bits)
{
    KT_SCOPE;
    kt_tensor *x = kt_randn(KT_SHAPE(2000, 96)), *g = kt_randn(KT_SHAPE(2000, 96)), *w = kt_randn(KT_SHAPE(96)), *of[2][3];
    const int  was = kt_get_num_threads();
    for (int k = 0; k < 2; k++) {
        kt_set_num_threads(k ? 4 : 1);
        const kt_native_layer_norm_results          y = kt_native_layer_norm(x, KT_SHAPE(96), w, w, 1e-5);
        const kt_native_layer_norm_backward_results to = kt_native_layer_norm_backward(
            g, x, w, (kt_tensor *[]){y.mean, y.rstd}, 2, KT_SHAPE(96), KT_SHAPE(1, 1, 1));
        of[k][0] = to.result, of[k][1] = to.of_weight, of[k][2] = y.result;
    }
    kt_set_num_threads(was);
    for (int i = 0; i < 3; i++)
        CHECK(tensor_at(kt_all(kt_eq(of[0][i], of[1][i])), 0) == 1);
}

TEST(no_elements)
{
    KT_SCOPE;
    const kt_native_layer_norm_results of = kt_native_layer_norm(kt_ones(KT_SHAPE(2, 0)), KT_SHAPE(0), NULL, NULL, 1e-5);
    CHECK(kt_numel(of.result) == 0 && tensor_at(of.mean, 1) == 0 && isnan(tensor_at(of.rstd, 1)));
    kt_tensor *x = kt_ones(KT_SHAPE(0, 3), .requires_grad = true), *w = kt_ones(KT_SHAPE(3), .requires_grad = true);
    CHECK(!kt_backward(kt_sum(kt_layer_norm(x, KT_SHAPE(3), .weight = w))));
    CHECK(tensor_at(kt_grad(w), 2) == 0);
    kt_set_grad(x, NULL), kt_set_grad(w, NULL);
}

TEST(refusals)
{
    KT_SCOPE;
    kt_tensor *x = kt_ones(KT_SHAPE(2, 3, 4)), *half = kt_to(x, .dtype = KT_BF16);
#define FAILS(call, text) CHECK_FAILS(call, KT_ERR_RUNTIME, text)
    FAILS(kt_layer_norm(x, KT_SCALAR),
          "Expected normalized_shape to be at least 1-dimensional, i.e., containing at least one element");
    FAILS(kt_layer_norm(x, KT_SHAPE(3)),
          "Given normalized_shape=[3], expected input with shape [*, 3], but got input of size[2, 3, 4]");
    FAILS(kt_layer_norm(x, KT_SHAPE(4), .weight = kt_ones(KT_SHAPE(3))),
          "Expected weight to be of same shape as normalized_shape, but got weight of shape [3] and normalized_shape = [4]");
    FAILS(kt_layer_norm(x, KT_SHAPE(4), .weight = kt_ones(KT_SHAPE(4), .dtype = KT_F64)),
          "mixed dtype (CPU): expect parameter to have scalar type of Float");
    FAILS(kt_layer_norm(kt_to(x, .dtype = KT_F64), KT_SHAPE(4), .weight = kt_ones(KT_SHAPE(4))),
          "mixed dtype (CPU): all inputs must share same datatype.");
    FAILS(kt_layer_norm(half, KT_SHAPE(4), .weight = kt_ones(KT_SHAPE(4), .dtype = KT_BF16), .bias = kt_ones(KT_SHAPE(4))),
          "expected scalar type BFloat16 but found Float");
    FAILS(kt_rms_norm(x, KT_SHAPE(3)),
          "Given normalized_shape=[3], expected input with shape [*3], but got input of size[2, 3, 4]");
    CHECK_FAILS(kt_rms_norm(x, KT_SHAPE(1, 2, 3, 4)), KT_ERR_VALUE, "Input tensor must have at least 4 dimensions, but got 3");
    CHECK_FAILS(kt_layer_norm(kt_to(x, .dtype = KT_I64), KT_SHAPE(4)), KT_ERR_NOT_IMPLEMENTED,
                "\"LayerNormKernelImpl\" not implemented for 'Long'");
    FAILS(kt_native_layer_norm_backward(x, x, NULL, (kt_tensor *[]){x, x}, 2, KT_SHAPE(4), KT_SHAPE(1, 0, 0)).result,
          "native_layer_norm_backward: grad_out and statistics are not those of a norm of input");
}
