/* recurrent.c - an LSTM's steps and the CTC loss against loops written out here; what the inner rows refuse. Derivatives and the
 * other kinds are in tests/python/test_recurrent.py. */
#include "harness.h"

#include <karat/karat.h>
#include <math.h>

#include "support/by_name.h"

enum { TIME = 3, BATCH = 5, UNITS = 21, GATES = 4 * UNITS };

static const kt_shape NONE = {0, NULL}; /* batch_sizes of whole sequences */

static double sigmoid(double x) { return 1 / (1 + exp(-x)); }

static kt_tensor *some(kt_shape shape) { return kt_mul_s(kt_randn(shape, .dtype = KT_F64), KT_FLOAT(0.5)); }

TEST(steps_of_an_lstm)
{
    KT_SCOPE;
    static double gates[TIME][BATCH][GATES], w[GATES][UNITS], h[BATCH][UNITS], c[BATCH][UNITS], next[BATCH][UNITS];
    static double got[TIME][BATCH][UNITS];
    kt_manual_seed(1);
    kt_tensor *g = some(KT_SHAPE(TIME, BATCH, GATES)), *weight = some(KT_SHAPE(GATES, UNITS));
    kt_tensor *hx[] = {some(KT_SHAPE(BATCH, UNITS)), some(KT_SHAPE(BATCH, UNITS))};
    REQUIRE(!kt_read(g, gates, sizeof gates) && !kt_read(weight, w, sizeof w));
    for (int reverse = 0; reverse < 2; reverse++) {
        REQUIRE(!kt_read(hx[0], h, sizeof h) && !kt_read(hx[1], c, sizeof c));
        const kt_recurrence_results r = kt_recurrence(g, hx, 2, &weight, 1, NONE, 2, reverse, true);
        REQUIRE(r.output && !kt_read(r.output, got, sizeof got));
        for (int s = 0; s < TIME; s++) {
            const int t = reverse ? TIME - 1 - s : s;
            for (int b = 0; b < BATCH; b++)
                for (int u = 0; u < UNITS; u++) {
                    double x[4];
                    for (int k = 0; k < 4; k++) {
                        x[k] = gates[t][b][k * UNITS + u];
                        for (int i = 0; i < UNITS; i++)
                            x[k] += h[b][i] * w[k * UNITS + u][i];
                    }
                    c[b][u] = sigmoid(x[1]) * c[b][u] + sigmoid(x[0]) * tanh(x[2]);
                    next[b][u] = sigmoid(x[3]) * tanh(c[b][u]);
                    CHECK_NEAR(got[t][b][u], next[b][u], 1e-12);
                }
            memcpy(h, next, sizeof h);
        }
        REQUIRE(!kt_read(r.hy, next, sizeof next));
        CHECK_NEAR(next[BATCH - 1][UNITS - 1], h[BATCH - 1][UNITS - 1], 1e-12);
    }
}

static void refused(const char *text)
{
    CHECK_MSG(kt_failed() && strncmp(kt_error(), text, strlen(text)) == 0, "wanted \"%s\", got \"%s\"", text, kt_error());
    kt_clear();
}

TEST(what_a_recurrence_refuses)
{
    KT_SCOPE;
    kt_tensor *g = kt_zeros(KT_SHAPE(2, 3, 4)), *w = kt_zeros(KT_SHAPE(4, 4)), *h = kt_zeros(KT_SHAPE(3, 4)), *one[] = {w, w};
    kt_tensor *narrow = kt_zeros(KT_SHAPE(3, 3)), *few = kt_zeros(KT_SHAPE(2, 4));
    kt_tensor *wide = kt_zeros(KT_SHAPE(3, 4), .dtype = KT_F64);
    kt_recurrence(g, &h, 1, &w, 1, NONE, 7, false, false);
    refused("unknown recurrent mode 7");
    kt_recurrence(g, &h, 1, &w, 1, NONE, 2, false, false);
    refused("got an incorrect number of RNN parameters");
    kt_recurrence(g, &h, 1, one, 2, NONE, 1, false, false);
    refused("got an incorrect number of RNN parameters");
    kt_recurrence(g, &narrow, 1, &w, 1, NONE, 1, false, false);
    refused("mat1 and mat2 shapes cannot be multiplied (3x3 and 4x4)");
    kt_recurrence(g, &few, 1, &w, 1, NONE, 1, false, false);
    refused("The size of tensor a (2) must match the size of tensor b (3) at non-singleton dimension 0");
    kt_recurrence(g, &wide, 1, &w, 1, NONE, 1, false, false);
    refused("mat1 and mat2 must have the same dtype, but got Double and Float");
    kt_recurrence(w, &h, 1, &w, 1, KT_SHAPE(3, 2), 1, false, false);
    refused("start (3) + length (2) exceeds dimension size (4).");
    kt_recurrence(w, &h, 1, &w, 1, KT_SHAPE(3, 0), 1, false, false);
    refused("batch_sizes must be positive");
    kt_recurrence_backward(&h, 1, &w, 1, g, w, NONE, 3, false);
    refused("The size of tensor a");
    kt_recurrence_backward(&h, 1, &w, 1, g, w, NONE, 1, false, .grad_output = h);
    refused("a gradient of [3, 4] does not fit a recurrence with output [2, 3, 4]");
}

/* Two frames, one label: label then blank, blank then label, or the label twice. */
TEST(ctc_of_two_frames)
{
    KT_SCOPE;
    const double p[2][3] = {{0.2, 0.5, 0.3}, {0.6, 0.3, 0.1}};
    double       logs[6], loss;
    for (int i = 0; i < 6; i++)
        logs[i] = log(p[i / 3][i % 3]);
    kt_tensor *x = tensor_of(KT_F64, KT_SHAPE(2, 1, 3), logs), *target = kt_ones(KT_SHAPE(1, 1), .dtype = KT_I64);
    kt_tensor *y = kt_ctc_loss(x, target, KT_SHAPE(2), KT_SHAPE(1));
    REQUIRE(y && !kt_read(y, &loss, sizeof loss));
    CHECK_NEAR(loss, -log(0.5 * 0.6 + 0.2 * 0.3 + 0.5 * 0.3), 1e-12);
    kt_ctc_loss(x, target, KT_SHAPE(3), KT_SHAPE(1));
    refused("Expected input_lengths to have value at most 2, but got value 3");
}
