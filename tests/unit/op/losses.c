/* losses.c - the losses against numbers calculated by hand and models in double; PyTorch's dtypes, warnings and refusals. */
#include "harness.h"

#include <karat/karat.h>
#include <math.h>
#include <string.h>

#include "support/by_name.h"

enum { N = 6 };
static const double in[N] = {0.5, -1, 2, 8, 0.25, -3}, to[N] = {0, 0, 2.5, 3, 0.25, 1};

static void check_values(kt_tensor *t, const double *want, int n, double tolerance)
{
    if (!CHECK_MSG(t && kt_numel(t) == n, "%s", kt_failed() ? kt_error() : "another size")) {
        kt_clear();
        return;
    }
    for (int i = 0; i < n; i++)
        CHECK_NEAR(tensor_at(t, i), want[i], tolerance);
}

/* ---- distances of each element ---- */

typedef enum kind { MSE, L1, SMOOTH, HUBER } kind;

static double distance(kind k, double d, double bend)
{
    const double z = fabs(d);
    switch (k) {
    case MSE: return d * d;
    case L1: return z;
    case SMOOTH: return z < bend ? 0.5 * z * z / bend : z - 0.5 * bend;
    default: return z <= bend ? 0.5 * z * z : bend * (z - 0.5 * bend);
    }
}

static kt_tensor *loss(kind k, kt_tensor *x, kt_tensor *y, const char *reduction, double bend)
{
    switch (k) {
    case MSE: return kt_nn_mse_loss(x, y, .reduction = reduction);
    case L1: return kt_nn_l1_loss(x, y, .reduction = reduction);
    case SMOOTH: return kt_nn_smooth_l1_loss(x, y, .reduction = reduction, .beta = KT_SOME(bend));
    default: return kt_nn_huber_loss(x, y, .reduction = reduction, .delta = KT_SOME(bend));
    }
}

TEST(distances)
{
    static const kt_dtype floats[] = {KT_F64, KT_F32, KT_F16, KT_BF16};
    static const double   bends[] = {1, 0.5, 4};
    for (int k = MSE; k <= HUBER; k++)
        for (int d = 0; d < 4; d++)
            for (int b = 0; b < 3; b++) {
                KT_SCOPE;
                double     want[N], sum = 0, mean;
                kt_tensor *x = kt_to(kt_from(in, KT_SHAPE(2, 3), KT_F64), .dtype = floats[d]);
                kt_tensor *y = kt_to(kt_from(to, KT_SHAPE(2, 3), KT_F64), .dtype = floats[d]);
                for (int i = 0; i < N; i++)
                    sum += want[i] = distance((kind)k, in[i] - to[i], bends[b]);
                mean = sum / N;
                const double tolerance = d == 3 ? 0.06 : d == 2 ? 0.01 : 1e-6;
                check_values(loss((kind)k, x, y, "none", bends[b]), want, N, tolerance);
                check_values(loss((kind)k, kt_t(x), kt_t(y), "sum", bends[b]), &sum, 1, 4 * tolerance);
                check_values(loss((kind)k, x, y, "mean", bends[b]), &mean, 1, tolerance);
                CHECK_EQ_INT(kt_dtype_of(loss((kind)k, x, y, "mean", bends[b])), floats[d]);
            }
}

/* The common dtype of both, but for huber, which keeps the input's. A 0-dim target counts as one with dims. */
TEST(dtypes)
{
    KT_SCOPE;
    kt_tensor *f = kt_ones(KT_SHAPE(2)), *d = kt_ones(KT_SHAPE(2), .dtype = KT_F64), *i = kt_ones(KT_SHAPE(2), .dtype = KT_I64);
    kt_tensor *h = kt_ones(KT_SHAPE(2), .dtype = KT_F16), *zero = kt_ones(KT_SCALAR, .dtype = KT_F64);
    CHECK_EQ_INT(kt_dtype_of(kt_nn_mse_loss(f, d)), KT_F64);
    CHECK_EQ_INT(kt_dtype_of(kt_nn_mse_loss(h, i)), KT_F16);
    CHECK_EQ_INT(kt_dtype_of(kt_nn_mse_loss(f, zero)), KT_F64);
    CHECK_EQ_INT(kt_dtype_of(kt_nn_smooth_l1_loss(h, f)), KT_F32);
    CHECK_EQ_INT(kt_dtype_of(kt_nn_huber_loss(h, d)), KT_F16);
    CHECK_EQ_INT(kt_dtype_of(kt_nn_huber_loss(f, i, .reduction = "none")), KT_F32);
    CHECK_FAILS(kt_nn_mse_loss(i, i), KT_ERR_NOT_IMPLEMENTED, "\"mse_cpu\" not implemented for 'Long'");
    CHECK_FAILS(kt_nn_smooth_l1_loss(i, i), KT_ERR_NOT_IMPLEMENTED, "\"smooth_l1_cpu\" not implemented for 'Long'");
    CHECK_FAILS(kt_nn_huber_loss(i, f), KT_ERR_RUNTIME, "result type Float can't be cast to the desired output type Long");
    CHECK_FAILS(kt_nn_l1_loss(i, i), KT_ERR_RUNTIME, "mean(): could not infer output dtype.");
}

TEST(arguments_of_distances)
{
    KT_SCOPE;
    kt_tensor *x = kt_ones(KT_SHAPE(2, 3)), *w = kt_ones(KT_SHAPE(3));
    CHECK_FAILS(kt_nn_mse_loss(x, x, .reduction = "avg"), KT_ERR_VALUE, "avg is not a valid value for reduction");
    CHECK_FAILS(kt_nn_mse_loss(x, x, .weight = w), KT_ERR_VALUE, "Weights and input must have the same size.");
    CHECK_FAILS(kt_nn_l1_loss(x, x, .weight = x, .reduction = "x"), KT_ERR_VALUE,
                "Invalid reduction mode: x. Expected one of 'none', 'mean', 'sum'.");
    CHECK_FAILS(kt_nn_smooth_l1_loss(x, x, .beta = KT_SOME(-1.0)), KT_ERR_RUNTIME,
                "smooth_l1_loss does not support negative values for beta.");
    CHECK_FAILS(kt_nn_huber_loss(x, x, .delta = KT_SOME(0.0)), KT_ERR_RUNTIME,
                "huber_loss does not support non-positive values for delta.");
    CHECK_FAILS(kt_nn_mse_loss(x, kt_ones(KT_SHAPE(4))), KT_ERR_RUNTIME,
                "The size of tensor a (3) must match the size of tensor b (4) at non-singleton dimension 1");
    CHECK_FAILS(kt_mse_loss(x, x, .reduction = KT_SOME(7)), KT_ERR_VALUE, "reduction is 0 (none), 1 (mean) or 2 (sum), not 7");
    CHECK_EQ_INT(kt_numel(kt_nn_mse_loss(x, x, .reduce = KT_SOME(false))), 6);
    CHECK(isnan(tensor_at(kt_nn_mse_loss(kt_ones(KT_SHAPE(0)), kt_ones(KT_SHAPE(0))), 0)));
    CHECK(tensor_at(kt_nn_huber_loss(kt_ones(KT_SHAPE(0)), kt_ones(KT_SHAPE(0)), .reduction = "sum"), 0) == 0);
}
