/* loss.c - the losses against numbers calculated by hand and models in double; PyTorch's dtypes, warnings and refusals. */
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

/* ---- classes ---- */

enum { ROWS = 4, CLASSES = 3 };
static const double  logits[ROWS * CLASSES] = {2, 0.5, -1, 0, 1, 0, 1, 1, 3, -2, 0.25, 0.75};
static const int64_t named[ROWS] = {0, 2, -100, 1};
static const double  weights[CLASSES] = {1, 2, 0.5};

static double log_share(int row, int k)
{
    double sum = 0;
    for (int i = 0; i < CLASSES; i++)
        sum += exp(logits[row * CLASSES + i]);
    return logits[row * CLASSES + k] - log(sum);
}

/* The loss of one row, and how much it counts. */
static double class_loss(int row, bool weighed, double smooth, double *count)
{
    double all = 0;
    *count = named[row] < 0 ? 0 : weighed ? weights[named[row]] : 1;
    for (int k = 0; k < CLASSES; k++)
        all -= (weighed ? weights[k] : 1) * log_share(row, k);
    return named[row] < 0 ? 0 : -(1 - smooth) * *count * log_share(row, (int)named[row]) + smooth / CLASSES * all;
}

TEST(classes_by_index)
{
    KT_SCOPE;
    kt_tensor *x = kt_from(logits, KT_SHAPE(ROWS, CLASSES), KT_F64), *y = kt_from(named, KT_SHAPE(ROWS), KT_I64);
    kt_tensor *w = kt_from(weights, KT_SHAPE(CLASSES), KT_F64);
    for (int weighed = 0; weighed < 2; weighed++)
        for (int s = 0; s < 2; s++) {
            double each[ROWS], sum = 0, total = 0, mean, count;
            for (int i = 0; i < ROWS; i++) {
                sum += each[i] = class_loss(i, weighed, 0.2 * s, &count);
                total += count;
            }
            mean = sum / total;
#define CE(how) kt_nn_cross_entropy(x, y, .weight = weighed ? w : NULL, .label_smoothing = 0.2 * s, .reduction = how)
            check_values(CE("none"), each, ROWS, 1e-12);
            check_values(CE("sum"), &sum, 1, 1e-12);
            check_values(CE("mean"), &mean, 1, 1e-12);
#undef CE
        }
    kt_tensor *logs = kt_log_softmax(x, 1), *kept = kt_nn_nll_loss(logs, y, .ignore_index = KT_SOME(-100), .reduction = "sum");
    check_values(kept, (double[]){-log_share(0, 0) - log_share(1, 2) - log_share(3, 1)}, 1, 1e-12);
    CHECK(isnan(tensor_at(kt_nn_cross_entropy(x, kt_full(KT_SHAPE(ROWS), KT_INT(-100))), 0)));
}

/* The same rows as the pixels of an image, of a line, and alone. */
TEST(classes_in_space)
{
    KT_SCOPE;
    kt_tensor *x = kt_from(logits, KT_SHAPE(ROWS, CLASSES), KT_F64), *y = kt_from(named, KT_SHAPE(ROWS), KT_I64);
    kt_tensor *want = kt_nn_cross_entropy(x, y, .reduction = "none");
    kt_tensor *image = kt_reshape(kt_t(x), KT_SHAPE(1, CLASSES, 2, 2)), *line = kt_reshape(kt_t(x), KT_SHAPE(1, CLASSES, ROWS));
    double     each[ROWS];
    for (int i = 0; i < ROWS; i++)
        each[i] = tensor_at(want, i);
    kt_tensor *of_image = kt_nn_cross_entropy(image, kt_reshape(y, KT_SHAPE(1, 2, 2)), .reduction = "none");
    check_values(of_image, each, ROWS, 1e-12);
    CHECK_EQ_INT(kt_ndim(of_image), 3);
    kt_tensor *of_line = kt_nn_cross_entropy(line, kt_reshape(y, KT_SHAPE(1, ROWS)), .reduction = "none");
    check_values(of_line, each, ROWS, 1e-12);
    CHECK_EQ_INT(kt_ndim(of_line), 2);
    check_values(kt_nn_cross_entropy(kt_select(x, 0, 3), kt_select(y, 0, 3)), &each[3], 1, 1e-12);
}

TEST(classes_by_probability)
{
    KT_SCOPE;
    static const double share[ROWS * CLASSES] = {0.7, 0.2, 0.1, 0, 0, 1, 0.3, 0.3, 0.4, 0.5, 0.25, 0.25};
    kt_tensor *x = kt_from(logits, KT_SHAPE(ROWS, CLASSES), KT_F64), *p = kt_from(share, KT_SHAPE(ROWS, CLASSES), KT_F64);
    kt_tensor *w = kt_from(weights, KT_SHAPE(CLASSES), KT_F64);
    double     each[ROWS] = {0}, sum = 0, mean;
    for (int i = 0; i < ROWS * CLASSES; i++)
        each[i / CLASSES] -= weights[i % CLASSES] * (0.9 * share[i] + 0.1 / CLASSES) * log_share(i / CLASSES, i % CLASSES);
    for (int i = 0; i < ROWS; i++)
        sum += each[i];
    mean = sum / ROWS;
    check_values(kt_nn_cross_entropy(x, p, .weight = w, .label_smoothing = 0.1, .reduction = "none"), each, ROWS, 1e-12);
    check_values(kt_nn_cross_entropy(x, p, .weight = w, .label_smoothing = 0.1, .reduction = "sum"), &sum, 1, 1e-12);
    check_values(kt_nn_cross_entropy(x, p, .weight = w, .label_smoothing = 0.1), &mean, 1, 1e-12);
    kt_tensor *narrow = kt_to(x, .dtype = KT_F32);
    CHECK_EQ_INT(kt_dtype_of(kt_nn_cross_entropy(narrow, p)), KT_F64);
    CHECK_EQ_INT(kt_dtype_of(kt_nn_cross_entropy(narrow, kt_from(named, KT_SHAPE(ROWS), KT_I64))), KT_F32);
}

TEST(refused_classes)
{
    KT_SCOPE;
    kt_tensor *x = kt_ones(KT_SHAPE(3, 3)), *y = kt_arange(KT_INT(0), KT_INT(3)), *far = kt_add_s(y, KT_INT(1));
    kt_tensor *image = kt_ones(KT_SHAPE(2, 3, 4, 4)), *wide = kt_ones(KT_SHAPE(3), .dtype = KT_F64);
    CHECK_FAILS(kt_nn_cross_entropy(x, far), KT_ERR_INDEX, "Target 3 is out of bounds.");
    CHECK_FAILS(kt_nn_cross_entropy(x, far, .weight = kt_ones(KT_SHAPE(3))), KT_ERR_INDEX, "Target 3 is out of bounds.");
    CHECK_FAILS(kt_nll_loss(image, y), KT_ERR_RUNTIME, "input tensor should be 1D or 2D");
    CHECK_FAILS(kt_nll_loss(x, kt_zeros(KT_SHAPE(2), .dtype = KT_I64)), KT_ERR_RUNTIME,
                "size mismatch (got input: [3, 3], target: [2])");
    CHECK_FAILS(kt_nll_loss2d(x, kt_zeros(KT_SHAPE(1, 1, 1), .dtype = KT_I64)), KT_ERR_RUNTIME,
                "only batches of spatial inputs supported (4D tensors), but got input of dimension: 2");
    CHECK_FAILS(kt_nn_cross_entropy(x, kt_to(y, .dtype = KT_I32)), KT_ERR_RUNTIME, "expected scalar type Long but found Int");
    CHECK_FAILS(kt_nn_nll_loss(x, kt_to(y, .dtype = KT_F32)), KT_ERR_RUNTIME, "expected scalar type Long but found Float");
    CHECK(kt_nn_cross_entropy(x, kt_to(y, .dtype = KT_U8)) != NULL);
    CHECK_FAILS(kt_nn_cross_entropy(x, y, .weight = wide), KT_ERR_RUNTIME, "expected scalar type Float but found Double");
    CHECK_FAILS(kt_nn_cross_entropy(x, kt_ones(KT_SHAPE(3, 3), .dtype = KT_I64)), KT_ERR_RUNTIME,
                "Expected floating point type for target with class probabilities, got Long");
    CHECK_FAILS(kt_nn_cross_entropy(kt_ones(KT_SHAPE(3, 3), .dtype = KT_I64), y), KT_ERR_NOT_IMPLEMENTED,
                "\"log_softmax_lastdim_kernel_impl\" not implemented for 'Long'");
    CHECK_FAILS(kt_nn_cross_entropy(x, kt_narrow(y, 0, 0, 2)), KT_ERR_VALUE,
                "Expected input batch_size (3) to match target batch_size (2).");
    CHECK_FAILS(kt_nn_nll_loss(x, y, .weight = kt_ones(KT_SHAPE(2))), KT_ERR_RUNTIME,
                "weight tensor should be defined either for all 3 classes or no classes but got weight tensor of shape: [2]");
    CHECK_FAILS(kt_nn_nll_loss(x, kt_unsqueeze(y, 1)), KT_ERR_RUNTIME, "0D or 1D target tensor expected, multi-target not");
    CHECK_FAILS(kt_nn_nll_loss(image, kt_zeros(KT_SHAPE(2, 4, 5), .dtype = KT_I64)), KT_ERR_RUNTIME,
                "size mismatch (got input: [2, 3, 4, 4] , target: [2, 4, 5]");
    CHECK_FAILS(kt_nn_nll_loss(kt_select(image, 3, 0), kt_zeros(KT_SHAPE(2, 5), .dtype = KT_I64)), KT_ERR_RUNTIME,
                "Expected target size [2, 4], got [2, 5]");
    CHECK_FAILS(kt_nn_cross_entropy(x, y, .label_smoothing = 2), KT_ERR_RUNTIME,
                "label_smoothing must be between 0.0 and 1.0. Got: 2");
    CHECK_FAILS(kt_nn_cross_entropy(x, x, .ignore_index = KT_SOME(1)), KT_ERR_RUNTIME,
                "ignore_index is not supported for floating point target");
    kt_tensor *w = kt_ones(KT_SHAPE(3));
    kt_set_requires_grad(w, true);
    CHECK_FAILS(kt_nn_nll_loss(x, y, .weight = w), KT_ERR_RUNTIME,
                "The function 'nll_loss_forward' is not differentiable with respect to argument 'weight'.");
    KT_POLICY(KT_PERMISSIVE);
    CHECK(kt_nn_cross_entropy(x, kt_to(y, .dtype = KT_I32), .weight = wide) != NULL);
}

/* ---- probabilities ---- */

TEST(binary)
{
    KT_SCOPE;
    static const double p[3] = {0.9, 0.2, 0.6}, z[3] = {2, -1, 0.5}, t[3] = {1, 0, 0.25}, w[3] = {0.5, 2, 1}, q[3] = {3, 1, 2};
    double              plain[3], of_logits[3];
    for (int i = 0; i < 3; i++) {
        plain[i] = -w[i] * (t[i] * log(p[i]) + (1 - t[i]) * log(1 - p[i]));
        of_logits[i] = w[i] * ((1 - t[i]) * z[i] + (1 + (q[i] - 1) * t[i]) * log1p(exp(-z[i])));
    }
    kt_tensor *tp = kt_from(p, KT_SHAPE(3), KT_F64), *tz = kt_from(z, KT_SHAPE(3), KT_F64), *tt = kt_from(t, KT_SHAPE(3), KT_F64);
    kt_tensor *tw = kt_from(w, KT_SHAPE(3), KT_F64), *tq = kt_from(q, KT_SHAPE(3), KT_F64);
    check_values(kt_nn_binary_cross_entropy(tp, tt, .weight = tw, .reduction = "none"), plain, 3, 1e-12);
    check_values(kt_nn_binary_cross_entropy_with_logits(tz, tt, .weight = tw, .pos_weight = tq, .reduction = "none"), of_logits,
                 3, 1e-12);
    const double mean = (of_logits[0] + of_logits[1] + of_logits[2]) / 3;
    check_values(kt_nn_binary_cross_entropy_with_logits(tz, tt, .weight = tw, .pos_weight = tq), &mean, 1, 1e-12);
    const float ends[] = {0, 1}, ones[] = {1, 1}, huge[] = {100, -100};
    check_values(kt_nn_binary_cross_entropy(kt_from(ends, KT_SHAPE(2), KT_F32), kt_from(ones, KT_SHAPE(2), KT_F32),
                                            .reduction = "none"),
                 (double[]){100, 0}, 2, 0);
    check_values(kt_nn_binary_cross_entropy_with_logits(kt_from(huge, KT_SHAPE(2), KT_F32), kt_zeros(KT_SHAPE(2)),
                                                        .reduction = "none"),
                 (double[]){100, 0}, 2, 0);
}

TEST(binary_dtypes)
{
    KT_SCOPE;
    kt_tensor *x = kt_full(KT_SHAPE(3), KT_FLOAT(0.5)), *d = kt_to(x, .dtype = KT_F64);
    kt_tensor *i = kt_ones(KT_SHAPE(3), .dtype = KT_I64);
    CHECK_FAILS(kt_nn_binary_cross_entropy(x, d), KT_ERR_RUNTIME, "Found dtype Double but expected Float");
    CHECK_FAILS(kt_nn_binary_cross_entropy(x, i), KT_ERR_RUNTIME, "Found dtype Long but expected Float");
    CHECK_FAILS(kt_nn_binary_cross_entropy(i, i), KT_ERR_NOT_IMPLEMENTED, "\"binary_cross_entropy\" not implemented for 'Long'");
    CHECK_EQ_INT(kt_dtype_of(kt_nn_binary_cross_entropy(x, x, .weight = d)), KT_F32);
    CHECK_EQ_INT(kt_dtype_of(kt_nn_binary_cross_entropy_with_logits(x, d)), KT_F64);
    CHECK_EQ_INT(kt_dtype_of(kt_nn_binary_cross_entropy_with_logits(d, x)), KT_F32);
    CHECK_FAILS(kt_nn_binary_cross_entropy_with_logits(x, i), KT_ERR_RUNTIME,
                "result type Float can't be cast to the desired output type Long");
    CHECK_FAILS(kt_nn_binary_cross_entropy_with_logits(i, x), KT_ERR_NOT_IMPLEMENTED,
                "\"log_sigmoid_cpu\" not implemented for 'Long'");
    CHECK_FAILS(kt_nn_binary_cross_entropy(kt_add_s(x, KT_INT(1)), x), KT_ERR_RUNTIME,
                "all elements of input should be between 0 and 1");
    CHECK_FAILS(kt_nn_binary_cross_entropy(x, kt_ones(KT_SHAPE(2))), KT_ERR_VALUE,
                "Using a target size (torch.Size([2])) that is different to the input size (torch.Size([3])) is deprecated.");
    CHECK_FAILS(kt_nn_binary_cross_entropy_with_logits(x, kt_ones(KT_SHAPE(2))), KT_ERR_VALUE,
                "Target size (torch.Size([2])) must be the same as input size (torch.Size([3]))");
    CHECK_FAILS(kt_nn_kl_div(x, i), KT_ERR_RUNTIME, "kl_div: Integral inputs not supported.");
    CHECK_FAILS(kt_bce_logits(&x, 1), KT_ERR_VALUE, "_bce_logits: input, target, weight and pos_weight are wanted");
}

TEST(divergence)
{
    KT_SCOPE;
    static const double x[4] = {-1, -2, -0.5, -3}, t[4] = {0.5, 0, 0.25, 1};
    double              each[4], logs[4], sum = 0;
    for (int i = 0; i < 4; i++) {
        sum += each[i] = (t[i] > 0 ? t[i] * log(t[i]) : 0) - t[i] * x[i];
        logs[i] = exp(t[i]) * (t[i] - x[i]);
    }
    kt_tensor *tx = kt_from(x, KT_SHAPE(2, 2), KT_F64), *tt = kt_from(t, KT_SHAPE(2, 2), KT_F64);
    check_values(kt_nn_kl_div(tx, tt, .reduction = "none"), each, 4, 1e-12);
    check_values(kt_nn_kl_div(tx, tt, .reduction = "none", .log_target = true), logs, 4, 1e-12);
    check_values(kt_nn_kl_div(tx, tt, .reduction = "batchmean"), (double[]){sum / 2}, 1, 1e-12);
    check_values(kt_nn_kl_div(tx, tt), (double[]){sum / 4}, 1, 1e-12);
}
