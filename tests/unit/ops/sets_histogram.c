/* sets_histogram.c - counts, bins and quantiles against models that look at every element. */
#include "harness.h"

#include <karat/karat.h>
#include <math.h>
#include <stdlib.h>

#include "support/by_name.h"

enum { N = 250 }; /* counts that bfloat16 holds */

static void read_row(const kt_tensor *t, double *into)
{
    KT_SCOPE;
    kt_tensor *wide = kt_contiguous(kt_to(t, .dtype = KT_F64));
    CHECK(kt_read(wide, into, sizeof(double) * (size_t)kt_numel(wide)) == KT_OK);
}

/* ---- counts ---- */

TEST(numbers_counted)
{
    static const kt_dtype dtypes[] = {KT_U8, KT_I8, KT_I16, KT_I32, KT_I64, KT_U16, KT_U32, KT_U64};
    for (int d = 0; d < 8; d++) {
        KT_SCOPE;
        double x[N], w[N], seen[40], count[40] = {0}, sum[40] = {0};
        for (int i = 0; i < N; i++) {
            x[i] = (double)(test_random() % 30);
            w[i] = (double)(test_random() % 64) / 8;
            count[(int)x[i]]++;
            sum[(int)x[i]] += w[i];
        }
        kt_tensor *t = kt_to(kt_from(x, KT_SHAPE(N), KT_F64), .dtype = dtypes[d]), *weight = kt_from(w, KT_SHAPE(N), KT_F64);
        kt_tensor *n = kt_bincount(t, .minlength = 40);
        REQUIRE(n && kt_dtype_of(n) == KT_I64 && kt_numel(n) == 40);
        read_row(n, seen);
        CHECK_MEM(seen, count, sizeof count);
        kt_tensor *sums = kt_bincount(t, .weights = kt_to(weight, .dtype = d % 2 ? KT_F32 : KT_F16), .minlength = 40);
        REQUIRE(sums && kt_dtype_of(sums) == (d % 2 ? KT_F32 : KT_F64));
        read_row(sums, seen);
        CHECK_MEM(seen, sum, sizeof sum); /* eighths are exact */
    }
}

/* ---- bins ---- */

static void check_bins(kt_dtype dtype, int bins)
{
    KT_SCOPE;
    double x[N], seen[40], count[40] = {0};
    for (int i = 0; i < N; i++) /* eighths: calculated exactly in every float */
        x[i] = i % 50 ? ((double)(test_random() % 129) - 64) / 8 : NAN;
    kt_tensor *t = kt_to(kt_from(x, KT_SHAPE(5, N / 5), KT_F64), .dtype = dtype);
    for (int i = 0; i < N; i++)
        if (x[i] >= -4 && x[i] <= 4) {
            const int at = (int)((x[i] + 4) * bins / 8);
            count[at < bins ? at : bins - 1]++;
        }
    kt_tensor *n = kt_histc(t, .bins = KT_SOME(bins), .min = KT_INT(-4), .max = KT_FLOAT(4));
    REQUIRE(n && kt_dtype_of(n) == dtype && kt_numel(n) == bins);
    read_row(n, seen);
    CHECK_MEM(seen, count, sizeof *count * (size_t)bins);
    kt_histogram_results h = kt_histogram(t, .bins = KT_SOME(bins), .low = KT_SOME(-4), .high = KT_SOME(4));
    REQUIRE(h.hist && kt_dtype_of(h.hist) == dtype && kt_numel(h.bin_edges) == bins + 1);
    read_row(h.hist, seen);
    CHECK_MEM(seen, count, sizeof *count * (size_t)bins);
    read_row(h.bin_edges, seen);
    for (int i = 0; i <= bins; i++)
        CHECK_NEAR(seen[i], -4 + 8.0 * i / bins, 0);
}

TEST(elements_in_bins)
{
    static const kt_dtype dtypes[] = {KT_F16, KT_BF16, KT_F32, KT_F64};
    for (int d = 0; d < 4; d++)
        for (int bins = 1; bins <= 32; bins *= 2)
            check_bins(dtypes[d], bins);
}

TEST(between_edges)
{
    KT_SCOPE;
    const double    edge[] = {0, 1, 1, 4}, x[] = {-1, 0, 0.5, 1, 3, 4, 5, NAN}, weight[] = {9, 1, 2, 4, 8, 16, 9, 9};
    double          seen[3];
    kt_tensor      *t = kt_from(x, KT_SHAPE(8), KT_F64), *edges = kt_from(edge, KT_SHAPE(4), KT_F64);
    kt_histogram_edges_results h = kt_histogram_edges(t, edges, .weight = kt_from(weight, KT_SHAPE(2, 4), KT_F64));
    read_row(h.hist, seen);
    CHECK(seen[0] == 3 && seen[1] == 0 && seen[2] == 28); /* an edge belongs to what is above it, the last to what is below */
    const double parts[] = {0, 1, 4};
    edges = kt_from(parts, KT_SHAPE(3), KT_F64);
    read_row(kt_histogram_edges(t, edges, .density = true).hist, seen);
    CHECK(seen[0] == 2 / 5.0 && seen[1] == 3 / 5.0 / 3);
    kt_tensor *many = kt_histc(kt_ones(KT_SHAPE(1000), .dtype = KT_BF16), .bins = KT_SOME(1));
    CHECK_EQ_INT(kt_item(many), 1000); /* counted as integers: bfloat16 alone would stop at 256 */
    CHECK_EQ_INT(kt_item(kt_select(kt_histc(kt_arange(KT_INT(0), KT_INT(10), .step = KT_INT(1)), .bins = KT_SOME(3)), 0, 2)), 4);
    kt_tensor *ones = kt_ones(KT_SHAPE(5), .dtype = KT_I32);
    kt_tensor *close = kt_histc(ones, .bins = KT_SOME(2), .min = KT_FLOAT(0.2), .max = KT_FLOAT(0.7));
    CHECK_EQ_INT(kt_item(kt_select(close, 0, 1)), 5); /* bounds that are one integer are none: from 0 to 2 */
    kt_tensor *meta = kt_empty(KT_SHAPE(3), .device = (kt_device){KT_META, 0});
    CHECK_EQ_INT(kt_numel(kt_histc(meta, .bins = KT_SOME(7))), 7);
    CHECK_FAILS(kt_histogram(meta).hist, KT_ERR_NOT_IMPLEMENTED, "aten::histogram.bin_ct: attempted to run this operator");
}

TEST(refusals)
{
    KT_SCOPE;
    kt_tensor *x = kt_ones(KT_SHAPE(3)), *i = kt_ones(KT_SHAPE(3), .dtype = KT_I64), *nans = kt_full(KT_SHAPE(2), KT_FLOAT(NAN));
    CHECK_FAILS(kt_bincount(x), KT_ERR_NOT_IMPLEMENTED, "\"bincount_cpu\" not implemented for 'Float'");
    CHECK_FAILS(kt_bincount(kt_neg(i)), KT_ERR_RUNTIME, "bincount only supports 1-d non-negative integral inputs.");
    CHECK_FAILS(kt_bincount(i, .minlength = -1), KT_ERR_RUNTIME, "minlength should be >= 0");
    CHECK_FAILS(kt_bincount(i, .weights = kt_ones(KT_SHAPE(4))), KT_ERR_RUNTIME, "weights should be 1-d and have the same");
    CHECK_FAILS(kt_bincount(kt_full(KT_SHAPE(1), KT_INT(INT64_MAX))), KT_ERR_RUNTIME, "maximum value of input overflowed");
    CHECK_FAILS(kt_histc(x, .bins = KT_SOME(0)), KT_ERR_RUNTIME, "torch.histogram(): bins must be > 0, but got 0");
    CHECK_FAILS(kt_histc(x, .min = KT_INT(2), .max = KT_INT(1)), KT_ERR_RUNTIME, "torch.histc: max must be larger than min");
    CHECK_FAILS(kt_histc(nans), KT_ERR_RUNTIME, "torch.histc: range of [nan, nan] is not finite");
    CHECK_FAILS(kt_histogram(nans).hist, KT_ERR_RUNTIME, "torch.histogramdd: dimension 0's range [nan, nan] is not finite");
    CHECK_FAILS(kt_histogram_edges(x, i).hist, KT_ERR_RUNTIME, "torch.histogramdd: input tensor and bins tensors should have");
    CHECK_FAILS(kt_quantile_number(i, 0.5), KT_ERR_RUNTIME, "quantile() input tensor must be either float or double dtype");
    CHECK_FAILS(kt_quantile_number(x, 1.5), KT_ERR_RUNTIME, "quantile() q must be in the range [0, 1] but got 1.5");
    CHECK_FAILS(kt_quantile(x, nans), KT_ERR_RUNTIME, "quantile() q values must be in the range [0, 1]");
    CHECK_FAILS(kt_quantile(x, x, .interpolation = "up"), KT_ERR_RUNTIME, "quantile() interpolation must be one of linear,");
}

/* ---- quantiles ---- */

static int by_double(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static double between(const double *x, int n, double q, int way)
{
    const double rank = q * (n - 1), low = x[(int)floor(rank)], high = x[(int)ceil(rank)], part = rank - floor(rank);
    const double found[] = {low + (high - low) * part, low, high, (low + high) / 2, x[(int)rint(rank)]};
    return found[way];
}

TEST(quantiles)
{
    static const char *const ways[] = {"linear", "lower", "higher", "midpoint", "nearest"};
    const double             q[] = {0, 0.1, 0.25, 0.6, 1};
    enum { ROWS = 4, LENGTH = 9, QS = 5 };
    for (int way = 0; way < 5; way++)
        for (int dim = 0; dim < 2; dim++) {
            KT_SCOPE;
            double     x[ROWS * LENGTH], seen[QS * ROWS], without[QS * ROWS];
            kt_tensor *t, *qs = kt_from(q, KT_SHAPE(QS), KT_F64);
            for (int i = 0; i < ROWS * LENGTH; i++)
                x[i] = i == 3 ? NAN : (double)(test_random() % 1000);
            t = kt_from(x, KT_SHAPE(ROWS, LENGTH), KT_F64);
            t = dim ? t : kt_t(t);
            read_row(kt_quantile(t, qs, .dim = KT_SOME(dim), .interpolation = ways[way]), seen);
            read_row(kt_nanquantile(t, qs, .dim = KT_SOME(dim - 2), .keepdim = true, .interpolation = ways[way]), without);
            for (int row = 0; row < ROWS; row++) {
                double *line = x + row * LENGTH;
                if (row == 0)
                    line[3] = INFINITY; /* past the numbers, of which there is one less */
                qsort(line, LENGTH, sizeof *line, by_double);
                for (int i = 0; i < QS; i++) {
                    CHECK_NEAR(seen[i * ROWS + row], row ? between(line, LENGTH, q[i], way) : NAN, 1e-9);
                    CHECK_NEAR(without[i * ROWS + row], between(line, LENGTH - (row == 0), q[i], way), 1e-9);
                }
            }
        }
    KT_SCOPE;
    kt_tensor *cube = kt_rand(KT_SHAPE(2, 3, 4)), *some = kt_full(KT_SHAPE(5), KT_FLOAT(0.5));
    CHECK_EQ_INT(kt_ndim(kt_quantile_number(cube, 0.5, .keepdim = true)), 3);
    CHECK_EQ_INT(kt_strides(kt_quantile(cube, some, .dim = KT_SOME(1), .keepdim = true)).d[0], 1); /* q lies last */
    kt_tensor *out = kt_empty(KT_SHAPE(0));
    CHECK_EQ_INT(kt_numel(kt_quantile_out(out, cube, some)), 5);
}
