/* order.c - sorting, ranks, medians and modes against a model that compares doubles one by one.
 *
 * In: lines of small numbers with many equals, zeros of both signs and NaNs, in every dtype and several layouts. */
#include "harness.h"

#include <karat/karat.h>
#include <math.h>
#include <stdlib.h>

#include "support/by_name.h"

/* ---- the model: a NaN is above everything, equals stay in their order ---- */

static bool above(double a, double b) { return isnan(a) ? !isnan(b) : !isnan(b) && a > b; }

static void order(const double *x, int n, bool descending, int *place)
{
    for (int i = 0; i < n; i++) {
        int to = i;
        for (; to > 0 && (descending ? above(x[i], x[place[to - 1]]) : above(x[place[to - 1]], x[i])); to--)
            place[to] = place[to - 1];
        place[to] = i;
    }
}

static bool same(double a, double b) { return (isnan(a) && isnan(b)) || a == b; }

static void fill(double *x, int n, kt_dtype dtype)
{
    const bool real = kt_dtype_category(dtype) == KT_CAT_FLOAT, sign = kt_dtype_is_signed(dtype);
    for (int i = 0; i < n; i++) {
        const int r = (int)(test_random() % 12);
        const double special[] = {NAN, -0.0, -INFINITY};
        x[i] = real && r < 3 ? special[r] : sign ? r - 5 : r % (dtype == KT_BOOL ? 2 : 12);
    }
}

static void read_row(const kt_tensor *t, double *into)
{
    KT_SCOPE;
    kt_tensor *wide = kt_contiguous(kt_to(t, .dtype = KT_F64));
    CHECK(kt_read(wide, into, sizeof(double) * (size_t)kt_numel(wide)) == KT_OK);
}

enum { ROWS = 3, MOST = 400 };

/* `dim`: rows are lines along it, so that the elements of a line lie side by side or far apart. */
static kt_tensor *lines(const double *x, int n, kt_dtype dtype, int dim)
{
    kt_tensor *t = kt_to(kt_from(x, KT_SHAPE(ROWS, n), KT_F64), .dtype = dtype);
    return dim == 1 ? t : dim == 0 ? kt_contiguous(kt_t(t)) : kt_t(kt_contiguous(kt_t(t)));
}

static kt_tensor *line_of(kt_tensor *t, int dim, int row) { return kt_select(t, dim ? 0 : 1, row); }

static void check_sorted(kt_dtype dtype, int n, int dim, bool descending)
{
    KT_SCOPE;
    double x[ROWS * MOST], seen[MOST], values[MOST], indices[MOST];
    int    place[MOST];
    fill(x, ROWS * n, dtype);
    kt_tensor      *t = lines(x, n, dtype, dim);
    kt_sort_results r = kt_sort(t, .dim = KT_SOME(dim ? 1 : 0), .descending = descending);
    CHECK_EQ_INT(kt_dtype_of(r.values), dtype);
    for (int row = 0; row < ROWS && CHECK(r.values && r.indices); row++) {
        read_row(line_of(t, dim, row), seen);
        read_row(line_of(r.values, dim, row), values);
        read_row(line_of(r.indices, dim, row), indices);
        order(seen, n, descending, place);
        int wrong = 0;
        for (int i = 0; i < n; i++)
            wrong += indices[i] != place[i] || !same(values[i], seen[place[i]]) || signbit(values[i]) != signbit(seen[place[i]]);
        CHECK_MSG(!wrong, "%s, %d elements, dim %d, %s: %d wrong", kt_dtype_name(dtype), n, dim,
                  descending ? "descending" : "ascending", wrong);
    }
}

TEST(sorted_as_the_model_does)
{
    static const kt_dtype dtypes[] = {KT_BOOL, KT_U8,  KT_I8,   KT_I16, KT_I32, KT_I64,  KT_U16,   KT_U32,
                                      KT_U64,  KT_F16, KT_BF16, KT_F32, KT_F64, KT_E4M3FN, KT_E5M2};
    static const int      lengths[] = {1, 7, 48, 49, 400};
    for (size_t d = 0; d < sizeof dtypes / sizeof *dtypes; d++)
        for (int l = 0; l < 5; l++)
            for (int dim = 0; dim < 3; dim++) {
                check_sorted(dtypes[d], lengths[l], dim, false);
                check_sorted(dtypes[d], lengths[l], dim, true);
            }
}

TEST(wide_numbers_keep_all_their_digits)
{
    KT_SCOPE;
    enum { N = 100000 };
    kt_tensor *x = kt_empty(KT_SHAPE(N), .dtype = KT_I64);
    kt_random_(x);
    kt_tensor *signs = kt_mul(x, kt_sub_s(kt_mul_s(kt_remainder_s(x, KT_INT(2)), KT_INT(2)), KT_INT(1)));
    kt_tensor *y = kt_sort(signs).values;
    CHECK_EQ_INT(kt_item(kt_all(kt_le(kt_narrow(y, 0, 0, N - 1), kt_narrow(y, 0, 1, N - 1)))), 1);
    CHECK_EQ_INT(kt_item(kt_sum(kt_ne(kt_index_select(signs, 0, kt_argsort(signs)), y))), 0);
}

/* ---- ranks ---- */

static void check_ranks(kt_dtype dtype, int n)
{
    KT_SCOPE;
    double x[MOST], seen[MOST];
    int    place[MOST], numbers = 0;
    fill(x, n, dtype);
    kt_tensor *t = kt_to(kt_from(x, KT_SHAPE(n), KT_F64), .dtype = dtype);
    read_row(t, seen);
    order(seen, n, false, place);
    while (numbers < n && !isnan(seen[place[numbers]]))
        numbers++;
    const double middle = numbers < n ? NAN : seen[place[(n - 1) / 2]];
    const double without = numbers ? seen[place[(numbers - 1) / 2]] : NAN;
    CHECK(same(kt_item(kt_median(t)), middle) && same(kt_item(kt_median_dim(t, 0).values), middle));
    CHECK(same(kt_item(kt_nanmedian(t)), without) && same(kt_item(kt_nanmedian_dim(t, 0).values), without));
    const int            k = 1 + (int)(test_random() % (unsigned)n);
    kt_kthvalue_results  kth = kt_kthvalue(t, k);
    CHECK(same(kt_item(kth.values), seen[place[k - 1]]));
    CHECK(same(seen[(int)kt_item(kth.indices)], seen[place[k - 1]]));
    kt_topk_results top = kt_topk(t, k), low = kt_topk(t, k, .dim = KT_SOME(0), .largest = KT_SOME(false));
    CHECK(same(kt_item(kt_select(top.values, 0, k - 1)), seen[place[n - k]]));
    CHECK(same(kt_item(kt_select(low.values, 0, k - 1)), seen[place[k - 1]]));
}

TEST(ranks_as_the_model_finds_them)
{
    static const kt_dtype dtypes[] = {KT_I8, KT_I64, KT_F16, KT_F32, KT_F64};
    for (int d = 0; d < 5; d++)
        for (int n = 1; n < 70; n += 3)
            check_ranks(dtypes[d], n);
}

TEST(the_most_frequent)
{
    KT_SCOPE;
    const int64_t   x[] = {5, 2, 7, 2, 5, 9};
    kt_mode_results r = kt_mode(kt_from(x, KT_SHAPE(6), KT_I64));
    CHECK_EQ_INT(kt_item(r.values), 2);
    CHECK_EQ_INT(kt_item(r.indices), 3);
    const kt_tensor *m = kt_reshape(kt_from(x, KT_SHAPE(6), KT_I64), KT_SHAPE(2, 3));
    CHECK_EQ_INT(kt_size(kt_mode(m, .dim = KT_SOME(0), .keepdim = true).values, 0), 1);
    CHECK_EQ_INT(kt_item(kt_median(kt_t(m))), 5); /* of all elements, however they lie */
}

TEST(layouts_and_forms)
{
    KT_SCOPE;
    kt_tensor *x = kt_t(kt_rand(KT_SHAPE(3, 4))), *v = kt_empty(KT_SHAPE(0)), *i = kt_empty(KT_SHAPE(0), .dtype = KT_I64);
    CHECK_EQ_INT(kt_strides(kt_sort(x, .dim = KT_SOME(0)).values).d[0], 1); /* as it lay */
    CHECK(kt_is_contiguous(kt_topk(x, 2, .dim = KT_SOME(0)).values));
    kt_sort_out(v, i, x);
    CHECK_EQ_INT(kt_item(kt_all(kt_eq(v, kt_sort(x).values))), 1);
    kt_tensor *own = kt_rand(KT_SHAPE(100)), *copy = kt_clone(own);
    kt_sort_out(own, i, own); /* over itself */
    CHECK_EQ_INT(kt_item(kt_all(kt_eq(own, kt_sort(copy).values))), 1);
    CHECK_EQ_INT(kt_item(kt_sort(kt_full(KT_SCALAR, KT_INT(4))).values), 4);
    CHECK_EQ_INT(kt_numel(kt_sort(kt_empty(KT_SHAPE(0, 3)), .dim = KT_SOME(0)).values), 0);
}

TEST(refusals)
{
    KT_SCOPE;
    kt_tensor *x = kt_ones(KT_SHAPE(3)), *z = kt_to(x, .dtype = KT_C64), *b = kt_gt_s(x, KT_INT(0));
    CHECK_FAILS(kt_sort(z).values, KT_ERR_RUNTIME, " Sort does not support complex dtypes on CPU");
    CHECK_FAILS(kt_sort(x, .dim = KT_SOME(1)).values, KT_ERR_INDEX, "Dimension out of range");
    CHECK_FAILS(kt_topk(x, 4).values, KT_ERR_RUNTIME, "selected index k out of range");
    CHECK_FAILS(kt_topk(b, 1).values, KT_ERR_RUNTIME, "topk does not support bool dtypes on CPU");
    CHECK_FAILS(kt_kthvalue(x, 0).values, KT_ERR_RUNTIME, "kthvalue(): selected number k out of range for dimension 0");
    CHECK_FAILS(kt_kthvalue(kt_empty(KT_SHAPE(0)), 1).values, KT_ERR_INDEX,
                "kthvalue(): Expected reduction dim 0 to have non-zero size.");
    CHECK_FAILS(kt_median(b), KT_ERR_NOT_IMPLEMENTED, "\"median_cpu\" not implemented for 'Bool'");
    CHECK_FAILS(kt_sort_out(kt_empty(KT_SHAPE(3)), kt_empty(KT_SHAPE(3)), x).values, KT_ERR_RUNTIME,
                "Expected out tensor to have dtype long int, but got float instead");
}
