/* reduce_into.c - reductions into named places, distances and lengths against models that look at every element; and what is
 * small beside them: unravel_index, range, isreal. */
#include "harness.h"

#include <karat/karat.h>
#include <math.h>
#include <string.h>

#include "plan/mode.h"
#include "support/by_name.h"

static void read_row(const kt_tensor *t, double *into)
{
    KT_SCOPE;
    kt_tensor *wide = kt_contiguous(kt_to(t, .dtype = KT_F64));
    CHECK(kt_read(wide, into, sizeof(double) * (size_t)kt_numel(wide)) == KT_OK);
}

/* ---- reductions into places ---- */

static const char *const hows[] = {"sum", "prod", "mean", "amax", "amin"};
enum { SUM, PROD, MEAN, AMAX, AMIN, N_HOWS, PLACES = 5, BROUGHT = 12, COLUMNS = 3 };

static double joined(double a, double b, int how)
{
    if (how == SUM || how == MEAN)
        return a + b;
    if (how == PROD)
        return a * b;
    return isnan(a) || isnan(b) ? NAN : (how == AMAX) == (a > b) ? a : b;
}

/* Down the columns of x what y brings to the rows that `at` names: one place a column. */
static void model(double *x, const double *y, const int64_t *at, int how, bool own, bool whole)
{
    for (int c = 0; c < COLUMNS; c++)
        for (int p = 0; p < PLACES; p++) {
            double total = x[p * COLUMNS + c];
            int    n = own;
            for (int i = 0; i < BROUGHT; i++)
                if (at[i * COLUMNS + c] == p) {
                    const double next = y[i * COLUMNS + c];
                    total = n ? joined(total, next, how) : next;
                    n++;
                }
            if (how == MEAN && n)
                total = whole ? floor(total / n) : total / n;
            x[p * COLUMNS + c] = total;
        }
}

static void check_reduced(kt_dtype dtype, int how, bool own, bool slices)
{
    KT_SCOPE;
    double     x[PLACES * COLUMNS], y[BROUGHT * COLUMNS], seen[PLACES * COLUMNS];
    int64_t    at[BROUGHT * COLUMNS], one[BROUGHT];
    const bool real = kt_dtype_category(dtype) == KT_CAT_FLOAT;
    for (int i = 0; i < PLACES * COLUMNS; i++)
        x[i] = (double)(test_random() % 3);
    for (int i = 0; i < BROUGHT * COLUMNS; i++) {
        y[i] = real && i == 7 ? NAN : how == PROD ? 1 + (i % 7 == 3) : 1 + (double)(test_random() % 2); /* products fit int8 */
        at[i] = slices && i % COLUMNS ? at[i - 1] : (int64_t)(test_random() % (PLACES - 1)); /* the last place stays */
        one[i / COLUMNS] = at[i];
    }
    kt_tensor *t = kt_to(kt_from(x, KT_SHAPE(PLACES, COLUMNS), KT_F64), .dtype = dtype);
    kt_tensor *from = kt_to(kt_from(y, KT_SHAPE(BROUGHT, COLUMNS), KT_F64), .dtype = dtype);
    kt_tensor *index = slices ? kt_from(one, KT_SHAPE(BROUGHT), KT_I64) : kt_from(at, KT_SHAPE(BROUGHT, COLUMNS), KT_I64);
    index = how % 2 ? kt_to(index, .dtype = KT_I32) : index;
    kt_tensor *r = slices ? kt_index_reduce(t, 0, index, from, hows[how], .include_self = KT_SOME(own))
                          : kt_scatter_reduce(t, 0, index, from, hows[how], .include_self = KT_SOME(own));
    if (!CHECK(r && kt_dtype_of(r) == dtype))
        return;
    read_row(r, seen);
    model(x, y, at, how, own, !real);
    for (int i = 0; i < PLACES * COLUMNS; i++)
        CHECK_NEAR(seen[i], x[i], dtype == KT_BF16 ? 0.5 : dtype == KT_F16 ? 0.1 : 1e-5);
    if (slices)
        kt_index_reduce_(t, 0, index, from, hows[how], .include_self = KT_SOME(own));
    else
        kt_scatter_reduce_(t, 0, index, from, hows[how], .include_self = KT_SOME(own));
    CHECK_EQ_INT(kt_item(kt_sum(kt_ne(kt_nan_to_num(t), kt_nan_to_num(r)))), 0);
}

TEST(reduced_into_places)
{
    static const kt_dtype dtypes[] = {KT_U8,  KT_I8,  KT_I16, KT_I32,  KT_I64, KT_U16,
                                      KT_U32, KT_U64, KT_F16, KT_BF16, KT_F32, KT_F64};
    for (size_t d = 0; d < sizeof dtypes / sizeof *dtypes; d++)
        for (int how = 0; how < N_HOWS; how++)
            for (int own = 0; own < 2; own++) {
                check_reduced(dtypes[d], how, own, false);
                if (how != SUM)
                    check_reduced(dtypes[d], how, own, true);
            }
}

TEST(refusals_of_reductions)
{
    KT_SCOPE;
    kt_tensor *x = kt_ones(KT_SHAPE(3)), *z = kt_to(x, .dtype = KT_C64), *b = kt_gt_s(x, KT_INT(0));
    kt_tensor *i = kt_zeros(KT_SHAPE(3), .dtype = KT_I64), *far = kt_full(KT_SHAPE(3), KT_INT(9));
    CHECK_FAILS(kt_scatter_reduce(x, 0, i, x, "add"), KT_ERR_RUNTIME,
                "reduce argument must be either sum, prod, mean, amax or amin, got add");
    CHECK_FAILS(kt_scatter_reduce(z, 0, i, z, "amax"), KT_ERR_NOT_IMPLEMENTED,
                "\"scatter_gather_tensor_cpu_reduce_amax\" not implemented for 'ComplexFloat'");
    CHECK_FAILS(kt_scatter_reduce(b, 0, i, b, "mean"), KT_ERR_NOT_IMPLEMENTED,
                "\"scatter_gather_tensor_cpu_reduce_mean\" not implemented for 'Bool'");
    CHECK_FAILS(kt_scatter_reduce(x, 0, i, b, "sum"), KT_ERR_RUNTIME, "scatter(): Expected self.dtype to be equal to src.dtype");
    kt_tensor *kept = kt_clone(x);
    CHECK_FAILS(kt_scatter_reduce_(kept, 0, far, x, "sum", .include_self = KT_SOME(false)), KT_ERR_RUNTIME,
                "index 9 is out of bounds for dimension 0 with size 3");
    kt_clear();
    CHECK_EQ_INT(kt_item(kt_sum(kept)), 3); /* nothing was written */
    CHECK_FAILS(kt_index_reduce(x, 0, far, x, "prod"), KT_ERR_INDEX, "index out of range in self");
    CHECK_FAILS(kt_index_reduce(x, 0, i, x, "sum"), KT_ERR_RUNTIME,
                "index_reduce(): Expected reduce to be one of prod, mean, amax or amin but got sum.");
    CHECK_FAILS(kt_index_reduce(x, 0, x, x, "mean"), KT_ERR_RUNTIME,
                "index_reduce_(): Expected dtype int32/int64 for index but got: Float");
}

/* ---- places, ranges ---- */

TEST(places_row_by_row)
{
    KT_SCOPE;
    kt_tensor *at = kt_arange(KT_INT(0), KT_INT(24), .step = KT_INT(1)), *found[3];
    double     seen[3][24];
    REQUIRE(kt_unravel_index(at, KT_SHAPE(2, 3, 4), found, 3) == 3);
    for (int d = 0; d < 3; d++)
        read_row(found[d], seen[d]);
    for (int i = 0; i < 24; i++)
        CHECK(seen[0][i] == i / 12 && seen[1][i] == i / 4 % 3 && seen[2][i] == i % 4);
    CHECK_EQ_INT(kt_unravel_index(at, KT_SCALAR, found, 3), 0);
    CHECK_FAILS(kt_unravel_index(at, KT_SHAPE(3, -4), found, 3), KT_ERR_VALUE,
                "'shape' cannot have negative values, but got (3, -4)");
    CHECK_FAILS(kt_unravel_index(kt_ones(KT_SHAPE(1)), KT_SHAPE(3), found, 3), KT_ERR_TYPE,
                "expected 'indices' to be integer dtype, but got torch.float32");
}

TEST(ranges_that_reach_their_end)
{
    KT_SCOPE;
    CHECK_EQ_INT(kt_numel(kt_range(KT_INT(0), KT_INT(3))), 4);
    CHECK_EQ_INT(kt_dtype_of(kt_range(KT_INT(0), KT_INT(3))), KT_F32);
    CHECK_EQ_INT(kt_numel(kt_range(KT_FLOAT(0.5), KT_FLOAT(3.4), .dtype = KT_I64)), 4); /* 0 to 3 */
    CHECK_NEAR(kt_item(kt_select(kt_range(KT_INT(1), KT_INT(0), .step = KT_FLOAT(-0.25)), 0, 4)), 0, 0);
    CHECK_FAILS(kt_range(KT_INT(0), KT_INT(1), .step = KT_FLOAT(0.25), .dtype = KT_I64), KT_ERR_RUNTIME,
                "step must be nonzero");
    CHECK_FAILS(kt_range(KT_INT(0), KT_INT(3), .dtype = KT_BOOL), KT_ERR_NOT_IMPLEMENTED,
                "\"range_cpu\" not implemented for 'Bool'");
    const float z[] = {1, 0, 1, 2, 1, -0.0f};
    CHECK_EQ_INT(kt_item(kt_sum(kt_isreal(kt_view_as_complex(kt_from(z, KT_SHAPE(3, 2), KT_F32))))), 2);
    CHECK_EQ_INT(kt_item(kt_sum(kt_isreal(kt_full(KT_SHAPE(3), KT_FLOAT(NAN))))), 3);
}

/* ---- distances and lengths ---- */

static double norm(const double *x, int n, double p)
{
    double sum = 0, most = 0;
    for (int i = 0; i < n; i++) {
        sum += p == 0 ? x[i] != 0 : isinf(p) ? 0 : pow(fabs(x[i]), p);
        most = fmax(most, fabs(x[i]));
    }
    return isinf(p) ? most : p == 0 ? sum : pow(sum, 1 / p);
}

static void check_distances(kt_dtype dtype, int rows, int others, double p, int64_t mode)
{
    KT_SCOPE;
    enum { M = 4 };
    kt_tensor *x = kt_rand(KT_SHAPE(rows, M), .dtype = dtype), *y = kt_rand(KT_SHAPE(2, others, M), .dtype = dtype);
    kt_tensor *d = kt_cdist(x, y, .p = KT_SOME(p), .compute_mode = KT_SOME(mode));
    double     a[40 * M], b[80 * M], seen[2 * 40 * 40];
    if (!CHECK(d && kt_dtype_of(d) == dtype && kt_ndim(d) == 3))
        return;
    read_row(x, a);
    read_row(y, b);
    read_row(d, seen);
    for (int i = 0; i < 2 * rows * others; i++) {
        double        apart[M];
        const double *u = a + i / others % rows * M, *v = b + (i / others / rows * others + i % others) * M;
        for (int k = 0; k < M; k++)
            apart[k] = u[k] - v[k];
        CHECK_NEAR(seen[i], norm(apart, M, p), dtype == KT_F64 ? 1e-6 : dtype == KT_F32 ? 2e-3 : 0.1);
    }
}

TEST(distances)
{
    const double ps[] = {0, 0.5, 1, 2, 3, INFINITY};
    for (int i = 0; i < 6; i++) {
        check_distances(KT_F64, 5, 3, ps[i], 0);
        check_distances(KT_F32, 30, 7, ps[i], 0);
    }
    for (int i = 0; i < 6; i++) {
        KT_POLICY(KT_PERMISSIVE); /* the others refuse it, as PyTorch does */
        check_distances(KT_BF16, 3, 2, ps[i], 2);
    }
    KT_SCOPE;
    kt_tensor *x = kt_rand(KT_SHAPE(600, 40)), *y = kt_rand(KT_SHAPE(60, 40)); /* in pieces, against the whole at once */
    kt_tensor *d = kt_cdist(x, y, .compute_mode = KT_SOME(2)), *all = kt_cdist(x, y, .compute_mode = KT_SOME(1));
    CHECK(kt_item(kt_max(kt_abs(kt_sub(d, all)))) < 1e-3);
    CHECK_EQ_INT(kt_item(kt_sum(kt_cdist(kt_ones(KT_SHAPE(3, 0)), kt_ones(KT_SHAPE(2, 0)), .p = KT_SOME(INFINITY)))), 0);
    CHECK_FAILS(kt_cdist(x, kt_to(y, .dtype = KT_F64)), KT_ERR_RUNTIME, "expected scalar type Float but found Double");
    CHECK_FAILS(kt_cdist(x, kt_rand(KT_SHAPE(3, 2))), KT_ERR_RUNTIME,
                "X1 and X2 must have the same number of columns. X1: 40 X2: 2");
    CHECK_FAILS(kt_cdist(x, y, .p = KT_SOME(-1)), KT_ERR_RUNTIME, "cdist only supports non-negative p values");
}

TEST(slices_held_to_a_length)
{
    KT_SCOPE;
    const double x[] = {3, 4, 0.3, 0.4, 0, 0};
    kt_tensor   *t = kt_from(x, KT_SHAPE(3, 2), KT_F64), *r = kt_renorm(t, KT_INT(2), 0, KT_FLOAT(1));
    double       seen[6];
    read_row(r, seen);
    CHECK_NEAR(seen[0], 0.6, 1e-6);
    CHECK_NEAR(seen[1], 0.8, 1e-6);
    CHECK(seen[2] == 0.3 && seen[3] == 0.4 && seen[5] == 0);
    kt_tensor *column = kt_select(kt_renorm(t, KT_INT(3), -1, KT_INT(2)), 1, 1);
    CHECK_NEAR(kt_item(kt_linalg_vector_norm(column, .ord = KT_INT(3))), 2, 1e-6);
    kt_renorm_(t, KT_FLOAT(INFINITY), 0, KT_INT(1));
    CHECK_NEAR(tensor_at(t, 0), 0.75, 1e-6);
    CHECK_EQ_INT(kt_dtype_of(kt_renorm(kt_to(t, .dtype = KT_F16), KT_INT(2), 0, KT_INT(1))), KT_F16);
    CHECK_FAILS(kt_renorm(t, KT_INT(0), 0, KT_INT(1)), KT_ERR_RUNTIME, "renorm: non-positive-norm not supported");
    CHECK_FAILS(kt_renorm(kt_ones(KT_SHAPE(3)), KT_INT(2), 0, KT_INT(1)), KT_ERR_RUNTIME,
                "renorm: input needs at least 2 dimensions, got 1 dimensions");
}

/* What asks for float32 gets it before its own rules are asked: quantile refuses bfloat16 otherwise. */
TEST(autocast)
{
    KT_SCOPE;
    kt_tensor     *m = kt_rand(KT_SHAPE(30, 3), .dtype = KT_BF16), *q = kt_full(KT_SHAPE(2), KT_FLOAT(0.5), .dtype = KT_BF16);
    kt_mode_guard on = kt_autocast_open(KT_CPU, KT_BF16);
    CHECK_EQ_INT(kt_dtype_of(kt_cdist(m, m)), KT_F32);
    CHECK_EQ_INT(kt_dtype_of(kt_cdist(m, m, .p = KT_SOME(1))), KT_F32);
    CHECK_EQ_INT(kt_dtype_of(kt_renorm(m, KT_INT(2), 0, KT_INT(1))), KT_BF16);
    CHECK_EQ_INT(kt_dtype_of(kt_quantile(m, q)), KT_F32);
    CHECK_EQ_INT(kt_dtype_of(kt_nanquantile_number(m, 0.5)), KT_F32);
    kt_autocast_close(&on);
    CHECK_FAILS(kt_quantile(m, q), KT_ERR_RUNTIME, "quantile() input tensor must be either float or double dtype");
}
