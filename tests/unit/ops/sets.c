/* sets.c - tensors as collections against models that look at every pair: every value once, membership, places in ordered rows.
 *
 * In: small numbers with many equals, zeros of both signs and NaNs, in every dtype. */
#include "harness.h"

#include <karat/karat.h>
#include <math.h>
#include <stdlib.h>

#include "support/by_name.h"

static const kt_dtype dtypes[] = {KT_BOOL, KT_U8,  KT_I8,   KT_I16, KT_I32, KT_I64,    KT_U16,  KT_U32,
                                  KT_U64,  KT_F16, KT_BF16, KT_F32, KT_F64, KT_E4M3FN, KT_E5M2};
enum { N_DTYPES = sizeof dtypes / sizeof *dtypes, MOST = 300 };

static void fill(double *x, int n, kt_dtype dtype, bool nans)
{
    const bool   real = kt_dtype_category(dtype) == KT_CAT_FLOAT, sign = kt_dtype_is_signed(dtype);
    const double special[] = {NAN, -0.0, 0.0};
    for (int i = 0; i < n; i++) {
        const int r = (int)(test_random() % 12);
        x[i] = real && r < 3 ? special[nans ? r : 2] : sign ? r - 5 : r % (dtype == KT_BOOL ? 2 : 12);
    }
}

static void read_row(const kt_tensor *t, double *into)
{
    KT_SCOPE;
    kt_tensor *wide = kt_contiguous(kt_to(t, .dtype = KT_F64));
    CHECK(kt_read(wide, into, sizeof(double) * (size_t)kt_numel(wide)) == KT_OK);
}

/* ---- every value once ---- */

static bool in_order(double a, double b) { return a < b || isnan(b); }

static void check_unique(kt_dtype dtype, int n)
{
    KT_SCOPE;
    double x[MOST], value[MOST], at[MOST], count[MOST];
    fill(x, n, dtype, true);
    kt_tensor *t = kt_to(kt_from(x, KT_SHAPE(n), KT_F64), .dtype = dtype);
    read_row(t, x);
    kt_unique_results r = kt_unique(t, .return_inverse = true, .return_counts = true);
    if (!CHECK(r.result && kt_dtype_of(r.result) == dtype))
        return;
    const int64_t k = kt_numel(r.result);
    read_row(r.result, value);
    read_row(r.result_inverse, at);
    read_row(r.result_counts, count);
    for (int64_t i = 1; i < k; i++)
        CHECK_MSG(in_order(value[i - 1], value[i]), "%s: %g before %g", kt_dtype_name(dtype), value[i - 1], value[i]);
    for (int i = 0; i < n; i++) {
        const int to = (int)at[i];
        REQUIRE(to >= 0 && to < k);
        CHECK(isnan(x[i]) ? isnan(value[to]) && count[to] == 1 : value[to] == x[i]);
        count[to]--;
    }
    for (int64_t i = 0; i < k; i++)
        CHECK_EQ_INT(count[i], 0);
}

TEST(every_value_once)
{
    static const int lengths[] = {1, 2, 16, 47, 300};
    for (int d = 0; d < N_DTYPES; d++)
        for (int l = 0; l < 5; l++)
            check_unique(dtypes[d], lengths[l]);
}

TEST(runs_shortened)
{
    KT_SCOPE;
    for (int d = 0; d < N_DTYPES; d++) {
        double x[MOST], value[MOST], at[MOST], count[MOST];
        fill(x, MOST, dtypes[d], true);
        kt_tensor *t = kt_to(kt_from(x, KT_SHAPE(MOST), KT_F64), .dtype = dtypes[d]);
        read_row(t, x);
        kt_unique_consecutive_results r = kt_unique_consecutive(t, .return_inverse = true, .return_counts = true);
        REQUIRE(r.result != NULL);
        read_row(r.result, value);
        read_row(r.result_inverse, at);
        read_row(r.result_counts, count);
        for (int i = 0, run = -1; i < MOST; i++) {
            run += i == 0 || !(x[i] == x[i - 1]);
            CHECK_EQ_INT(at[i], run);
            CHECK(value[run] == x[i] || (isnan(x[i]) && isnan(value[run])));
            count[run]--;
            CHECK(i + 1 < MOST && x[i + 1] == x[i] ? count[run] > 0 : count[run] == 0);
        }
    }
    const double pairs[] = {1, 2, 1, 2, 1, 3, 1, 2};
    kt_tensor   *z = kt_view_as_complex(kt_from(pairs, KT_SHAPE(4, 2), KT_F64)); /* PyTorch has no kernel for these */
    CHECK_EQ_INT(kt_numel(kt_unique_consecutive(z).result), 3);
}

static int rows_in_order(const double *a, const double *b, int n)
{
    for (int i = 0; i < n; i++)
        if (a[i] != b[i])
            return a[i] < b[i] ? -1 : 1;
    return 0;
}

TEST(slices_once)
{
    KT_SCOPE;
    enum { ROWS = 60, COLUMNS = 3 };
    for (int d = 0; d < N_DTYPES; d++)
        for (int dim = 0; dim < 2; dim++) {
            double x[ROWS * COLUMNS], value[ROWS * COLUMNS], at[ROWS];
            for (int i = 0; i < ROWS * COLUMNS; i++)
                x[i] = (double)(test_random() % 3) - (kt_dtype_is_signed(dtypes[d]) ? 1 : 0);
            kt_tensor *t = kt_to(kt_from(x, KT_SHAPE(ROWS, COLUMNS), KT_F64), .dtype = dtypes[d]);
            read_row(t, x);
            kt_unique_dim_results r = kt_unique_dim(dim ? kt_t(t) : t, dim, .return_inverse = true, .return_counts = true);
            REQUIRE(r.result != NULL);
            const int k = (int)kt_size(r.result, dim);
            read_row(dim ? kt_t(r.result) : r.result, value);
            read_row(r.result_inverse, at);
            for (int i = 1; i < k; i++)
                CHECK(rows_in_order(value + (i - 1) * COLUMNS, value + i * COLUMNS, COLUMNS) < 0);
            for (int i = 0; i < ROWS; i++)
                CHECK(rows_in_order(x + i * COLUMNS, value + (int)at[i] * COLUMNS, COLUMNS) == 0);
            CHECK_EQ_INT(kt_item(kt_sum(r.result_counts)), ROWS);
        }
    kt_tensor *cube = kt_zeros(KT_SHAPE(2, 3, 4));
    CHECK_EQ_INT(kt_strides(kt_unique_dim(cube, 1).result).d[1], 8); /* in memory the dim comes first */
    CHECK_EQ_INT(kt_size(kt_unique_dim(kt_empty(KT_SHAPE(3, 0)), 1).result, 0), 3);
}

/* ---- membership ---- */

TEST(is_it_among_them)
{
    KT_SCOPE;
    for (int d = 1; d < N_DTYPES; d++)
        for (int m = 0; m < 200; m += 33) {
            double x[MOST], y[MOST], is[MOST];
            fill(x, MOST, dtypes[d], true);
            fill(y, m, dtypes[d], true);
            kt_tensor *t = kt_to(kt_from(x, KT_SHAPE(MOST), KT_F64), .dtype = dtypes[d]);
            kt_tensor *u = kt_to(kt_from(y, KT_SHAPE(m), KT_F64), .dtype = dtypes[d]);
            read_row(t, x);
            read_row(u, y);
            read_row(kt_isin(t, u), is);
            for (int i = 0; i < MOST; i++) {
                bool seen = false;
                for (int k = 0; k < m; k++)
                    seen |= x[i] == y[k];
                CHECK_EQ_INT(is[i], seen);
            }
            CHECK_EQ_INT(kt_item(kt_sum(kt_isin(t, u, .invert = true))), MOST - kt_item(kt_sum(kt_isin(t, u))));
        }
    kt_tensor *few = kt_arange(KT_INT(0), KT_INT(40)), *some = kt_arange(KT_INT(20), KT_INT(90));
    CHECK_EQ_INT(kt_item(kt_sum(kt_isin(few, some, .assume_unique = true))), 20);
    CHECK_EQ_INT(kt_item(kt_isin_element(KT_INT(25), some)), 1);
    CHECK_EQ_INT(kt_item(kt_sum(kt_isin_number(few, KT_FLOAT(7.0)))), 1);
    CHECK_EQ_INT(kt_item(kt_isin_number(kt_full(KT_SHAPE(1), KT_INT(44), .dtype = KT_U8), KT_INT(300))), 1); /* wraps, as there */
    CHECK_FAILS(kt_isin(kt_eq_s(few, KT_INT(1)), some), KT_ERR_RUNTIME, "Unsupported input type encountered for isin(): Bool");
    CHECK_FAILS(kt_isin_number(few, KT_COMPLEX(0, 1)), KT_ERR_RUNTIME,
                "Unsupported input type encountered for isin(): ComplexDouble");
    CHECK_FAILS(kt_isin_out(kt_empty(KT_SHAPE(40)), few, some), KT_ERR_RUNTIME,
                "Expected out tensor to have dtype bool, but got float instead");
}

/* ---- places ---- */

static int by_double(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static void check_places(kt_dtype dtype, int n, bool right)
{
    KT_SCOPE;
    enum { LINES = 2, VALUES = 40 };
    double line[LINES * MOST], x[LINES * VALUES], at[LINES * VALUES];
    fill(line, LINES * n, dtype, false);
    fill(x, LINES * VALUES, dtype, true);
    for (int i = 0; i < LINES; i++)
        qsort(line + i * n, (size_t)n, sizeof *line, by_double);
    kt_tensor *lines = kt_to(kt_from(line, KT_SHAPE(LINES, n), KT_F64), .dtype = dtype);
    kt_tensor *values = kt_to(kt_from(x, KT_SHAPE(LINES, VALUES), KT_F64), .dtype = dtype);
    read_row(values, x);
    kt_tensor *found = kt_searchsorted(lines, values, .right = right, .out_int32 = n % 2);
    if (!CHECK(found && kt_dtype_of(found) == (n % 2 ? KT_I32 : KT_I64)))
        return;
    read_row(found, at);
    for (int i = 0; i < LINES * VALUES; i++) {
        int before = 0;
        for (int k = 0; k < n; k++)
            before += !(right ? line[i / VALUES * n + k] > x[i] : line[i / VALUES * n + k] >= x[i]);
        CHECK_EQ_INT(at[i], before); /* a NaN comes after all */
    }
    kt_tensor *first = kt_select(lines, 0, 0), *turned = n ? kt_flip(first, KT_SHAPE(0)) : first;
    kt_tensor *order = kt_arange(KT_INT(n - 1), KT_INT(-1), .step = KT_INT(-1));
    CHECK_EQ_INT(kt_item(kt_sum(kt_ne(kt_searchsorted(turned, values, .right = right, .sorter = n ? order : NULL),
                                      kt_bucketize(values, first, .right = right)))), 0);
}

TEST(places_in_ordered_rows)
{
    for (int d = 0; d < N_DTYPES; d++)
        for (int n = 0; n < 60; n += 7) {
            check_places(dtypes[d], n, false);
            check_places(dtypes[d], n, true);
        }
}

TEST(refusals)
{
    KT_SCOPE;
    kt_tensor *x = kt_ones(KT_SHAPE(3)), *m = kt_ones(KT_SHAPE(2, 3)), *z = kt_to(x, .dtype = KT_C64);
    kt_tensor *none = kt_empty(KT_SHAPE(2, 0)), *order = kt_full(KT_SHAPE(3), KT_INT(3));
    CHECK_FAILS(kt_unique(z).result, KT_ERR_NOT_IMPLEMENTED, "\"unique\" not implemented for 'ComplexFloat'");
    CHECK_FAILS(kt_unique_dim(m, 2).result, KT_ERR_INDEX, "Dimension out of range");
    CHECK_FAILS(kt_unique_dim(none, 0).result, KT_ERR_RUNTIME, "There are 0 sized dimensions, and they aren't selected");
    CHECK_FAILS(kt_unique_consecutive(kt_ones(KT_SCALAR), .dim = KT_SOME(0)).result, KT_ERR_INDEX,
                "Dimension specified as 0 but tensor has no dimensions");
    CHECK_FAILS(kt_unique(kt_empty(KT_SHAPE(2), .device = (kt_device){KT_META, 0})).result, KT_ERR_NOT_IMPLEMENTED,
                "aten::_unique2: attempted to run this operator with Meta tensors");
    CHECK_FAILS(kt_searchsorted(m, x), KT_ERR_RUNTIME, "torch.searchsorted(): boundaries tensor should be 1 dimension or");
    CHECK_FAILS(kt_searchsorted(x, x, .side = "up"), KT_ERR_RUNTIME,
                "torch.searchsorted(): side can only be 'left' or 'right' but got up");
    CHECK_FAILS(kt_searchsorted(x, x, .side = "left", .right = true), KT_ERR_RUNTIME,
                "torch.searchsorted(): side and right can't be set to opposites");
    CHECK_FAILS(kt_searchsorted(x, x, .sorter = order), KT_ERR_RUNTIME, "torch.searchsorted(): sorter index out of range");
    CHECK_FAILS(kt_searchsorted(x, z), KT_ERR_NOT_IMPLEMENTED, "\"searchsorted_out_cpu\" not implemented for 'ComplexFloat'");
    CHECK_FAILS(kt_bucketize(x, m), KT_ERR_RUNTIME, "boundaries tensor must be 1 dimension, but got dim(2)");
    CHECK_FAILS(kt_searchsorted_out(kt_empty(KT_SHAPE(3)), x, x), KT_ERR_RUNTIME,
                "torch.searchsorted(): output tensor's dtype is wrong");
}

TEST(no_derivative)
{
    KT_SCOPE;
    kt_tensor *x = kt_ones(KT_SHAPE(3));
    kt_set_requires_grad(x, true);
    kt_tensor *y = kt_sum(kt_unique(x).result);
    CHECK(kt_requires_grad(y));
    CHECK_FAILS(kt_backward(y), KT_ERR_NOT_IMPLEMENTED, "the derivative for '_unique2' is not implemented.");
}
