/* scan.c - what carries along a dim, against a model that walks lists of numbers; PyTorch's dtypes and refusals; what is made
 * of scans and neighbours.
 *
 * In: one tensor of three dims in several layouts, every dim, every dtype. The model finds the elements of a line by index
 * arithmetic of its own and carries in long double. */
#include "harness.h"

#include <karat/karat.h>
#include <math.h>
#include <string.h>

#include "support/by_name.h"

enum { N0 = 3, N1 = 4, N2 = 5, ALL = N0 * N1 * N2 };

typedef enum which { SUM, PROD, LOG, MOST, LEAST } which;
static const char *const names[] = {"cumsum", "cumprod", "logcumsumexp", "cummax", "cummin"};

static long double carried(which w, const double *line, int k, int64_t *place)
{
    long double r = w == PROD ? 1 : 0;
    *place = 0;
    for (int i = 0; i <= k; i++) {
        const bool first = i == 0;
        if (w == SUM)
            r += line[i];
        else if (w == PROD)
            r *= line[i];
        else if (w == LOG)
            r += expl(line[i]);
        else if (first || isnan(line[i]) || (!isnan((double)r) && (w == MOST ? line[i] >= r : line[i] <= r)))
            r = line[i], *place = i;
    }
    return w == LOG ? logl(r) : r;
}

/* ---- values, over layouts and dims ---- */

static void fill(double *x, kt_dtype dtype)
{
    for (int i = 0; i < ALL; i++) {
        const int small = (int)(test_random() % 7) - 3;
        x[i] = kt_dtype_category(dtype) == KT_CAT_FLOAT ? small * 0.25 : dtype == KT_BOOL ? small > 0 : small + 3;
    }
}

/* The elements in index order as one line of doubles, in any layout. */
static void read_all(const kt_tensor *t, double *into)
{
    KT_SCOPE;
    kt_tensor *wide = kt_contiguous(kt_to(t, .dtype = KT_F64));
    CHECK(kt_read(wide, into, sizeof(double) * (size_t)kt_numel(wide)) == KT_OK);
}

static kt_tensor *laid_out(kt_tensor *t, int layout)
{
    switch (layout) {
    case 0: return t;
    case 1: return kt_contiguous(kt_permute(t, KT_SHAPE(2, 0, 1)));
    case 2: return kt_permute(t, KT_SHAPE(1, 2, 0));
    default: return kt_slice(t, .dim = 2, .start = KT_SOME(0), .step = KT_SOME(2));
    }
}

static void compare(which w, kt_dtype dtype, int layout, int dim)
{
    KT_SCOPE;
    double     x[ALL], in[ALL], got[ALL], place[ALL];
    fill(x, dtype);
    kt_tensor *t = laid_out(kt_to(kt_from(x, KT_SHAPE(N0, N1, N2), KT_F64), .dtype = dtype), layout), *y, *at = NULL;
    if (w >= MOST) {
        kt_cummax_results both;
        if (w == MOST) {
            both = kt_cummax(t, dim);
        } else {
            kt_cummin_results least = kt_cummin(t, dim);
            both = (kt_cummax_results){least.values, least.indices};
        }
        y = both.values, at = both.indices;
    } else {
        y = w == SUM ? kt_cumsum(t, dim) : w == PROD ? kt_cumprod(t, dim) : kt_logcumsumexp(t, dim);
    }
    if (!CHECK_MSG(y && !kt_failed(), "%s of %s: %s", names[w], kt_dtype_name(dtype), kt_error())) {
        kt_clear();
        return;
    }
    const bool     whole = kt_dtype_category(dtype) & (KT_CAT_BOOL | KT_CAT_INT);
    const kt_shape sizes = kt_sizes(t);
    CHECK_EQ_INT(kt_dtype_of(y), w < LOG && whole ? KT_I64 : dtype);
    CHECK(kt_is_contiguous(y));
    read_all(t, in);
    read_all(y, got);
    if (at) {
        CHECK_EQ_INT(kt_dtype_of(at), KT_I64);
        read_all(at, place);
    }
    int64_t step = 1;
    for (int d = 2; d > dim; d--)
        step *= sizes.d[d];
    const double unit = dtype == KT_F16 ? 0x1p-10 : dtype == KT_BF16 ? 0x1p-7 : dtype == KT_F32 ? 0x1p-23 : 0x1p-50;
    for (int64_t i = 0; i < kt_numel(t); i++) {
        double        line[ALL];
        const int64_t k = i / step % sizes.d[dim], first = i - k * step;
        int64_t       where;
        for (int64_t j = 0; j <= k; j++)
            line[j] = in[first + j * step];
        const long double want = carried(w, line, (int)k, &where);
        CHECK_MSG(fabsl(got[i] - want) <= fabsl(want) * unit + 1e-12L, "%s of %s, dim %d, layout %d, [%d]: %.17g, not %.17Lg",
                  names[w], kt_dtype_name(dtype), dim, layout, (int)i, got[i], want);
        CHECK(!at || place[i] == (double)where);
    }
}

TEST(every_dtype_dim_and_layout)
{
    static const kt_dtype dtypes[] = {KT_BOOL, KT_U8, KT_I8, KT_I32, KT_I64, KT_U64, KT_F16, KT_BF16, KT_F32, KT_F64};
    for (size_t d = 0; d < sizeof dtypes / sizeof *dtypes; d++)
        for (int w = SUM; w <= LEAST; w++)
            for (int layout = 0; layout < 4; layout++)
                for (int dim = 0; dim < 3 && !(w == LOG && kt_dtype_category(dtypes[d]) != KT_CAT_FLOAT); dim++)
                    compare((which)w, dtypes[d], layout, dim);
}

static bool all_equal(const kt_tensor *a, const kt_tensor *b) { return kt_item(kt_all(kt_eq(a, b))) == 1; }

/* More than a tile, more than a block of lines, more than one thread's share. */
TEST(large_ones_agree_with_small_steps)
{
    static const int64_t shapes[][2] = {{3, 70000}, {70000, 3}, {700, 300}};
    for (int s = 0; s < 3; s++)
        for (int dim = 0; dim < 2; dim++) {
            KT_SCOPE;
            kt_tensor *x = kt_remainder_s(kt_arange(KT_INT(0), KT_INT(shapes[s][0] * shapes[s][1])), KT_INT(1000));
            x = kt_reshape(x, KT_SHAPE(shapes[s][0], shapes[s][1]));
            kt_tensor *y = kt_cumsum(x, dim), *last = kt_select(y, dim, -1);
            kt_tensor *steps = kt_sub(kt_narrow(y, dim, 1, shapes[s][dim] - 1), kt_narrow(y, dim, 0, shapes[s][dim] - 1));
            CHECK(all_equal(last, kt_sum_dim(x, KT_SHAPE(dim))));
            CHECK(all_equal(steps, kt_narrow(x, dim, 1, shapes[s][dim] - 1)));
        }
}

/* float32 is carried in float64: a sum of many small numbers does not stand still. */
TEST(what_is_carried_is_wide)
{
    KT_SCOPE;
    kt_tensor *y = kt_cumsum(kt_full(KT_SHAPE(1 << 20), KT_FLOAT(0.1f), .dtype = KT_F32), 0);
    CHECK_NEAR(kt_item(kt_select(y, 0, -1)), (double)0.1f * (1 << 20), 0.01);
    kt_tensor *bytes = kt_cumsum_(kt_full(KT_SHAPE(300), KT_INT(1), .dtype = KT_U8), 0);
    CHECK_EQ_INT(kt_item(kt_select(bytes, 0, 299)), 300 - 256); /* in place the dtype stays, and wraps */
}

TEST(a_nan_stays_and_equals_are_passed_on)
{
    KT_SCOPE;
    const float       x[] = {1, 3, 2, 3, NAN, 5, NAN};
    int64_t           place[7];
    kt_cummax_results r = kt_cummax(kt_from(x, KT_SHAPE(7), KT_F32), 0);
    static const int64_t want[] = {0, 1, 1, 3, 4, 4, 6};
    CHECK(kt_read(r.indices, place, sizeof place) == KT_OK);
    CHECK_MEM(place, want, sizeof want);
    CHECK(isnan(kt_item(kt_select(r.values, 0, 5))));
}

TEST(complex_numbers_and_lazy_ones)
{
    KT_SCOPE;
    const float x[] = {1, 2, 3, -1, 0.5f, 0};
    float       got[6];
    kt_tensor  *z = kt_from(x, KT_SHAPE(3), KT_C64);
    CHECK(kt_read(kt_cumprod(kt_conj(z), 0), got, sizeof got) == KT_OK);
    CHECK_NEAR(got[2], 5, 1e-6);  /* (1 - 2i)(3 + i) = 5 - 5i */
    CHECK_NEAR(got[3], -5, 1e-6);
    CHECK_NEAR(got[4], 2.5, 1e-6);
    CHECK_NEAR(kt_item(kt_select(kt_cumsum(kt_imag(kt_conj(z)), 0), 0, 1)), -1, 1e-6); /* the negative of a view */
    kt_tensor *logs = kt_logcumsumexp(z, 0), *sums = kt_log(kt_cumsum(kt_exp(z), 0));
    CHECK(kt_item(kt_amax(kt_abs(kt_sub(logs, sums)))) < 1e-5);
}

TEST(forms)
{
    KT_SCOPE;
    kt_tensor *x = kt_arange(KT_INT(1), KT_INT(5), .dtype = KT_I32), *into = kt_empty(KT_SHAPE(0), .dtype = KT_F16);
    CHECK_EQ_INT(kt_dtype_of(kt_cumsum(x, 0, .dtype = KT_F64)), KT_F64);
    CHECK_EQ_INT(kt_dtype_of(kt_cumsum_out(into, x, 0)), KT_F16);
    CHECK_EQ_INT(kt_item(kt_select(into, 0, 3)), 10);
    CHECK_EQ_INT(kt_item(kt_cumprod(kt_select(x, 0, 2), 0)), 3);
    CHECK_EQ_INT(kt_numel(kt_cumsum(kt_empty(KT_SHAPE(0, 3)), 0)), 0);
    CHECK_EQ_INT(kt_ndim(kt_cumsum(kt_empty(KT_SHAPE(2, 0)), 1)), 2);
    CHECK_EQ_INT(kt_item(kt_select(kt_cumsum_(x, -1), 0, 3)), 10);
}

TEST(refusals)
{
    KT_SCOPE;
    kt_tensor *x = kt_arange(KT_INT(0), KT_INT(4), .dtype = KT_I32), *f = kt_ones(KT_SHAPE(4)), *z = kt_to(f, .dtype = KT_C64);
    CHECK_FAILS(kt_cumsum(x, 1), KT_ERR_INDEX, "Dimension out of range (expected to be in range of [-1, 0], but got 1)");
    CHECK_FAILS(kt_cumsum_(x, 0, .dtype = KT_I64), KT_ERR_RUNTIME,
                "Bad in-place call: input tensor dtype int and output tensor dtype long int should match");
    CHECK_FAILS(kt_cumsum_out(kt_empty(KT_SHAPE(4)), x, 0, .dtype = KT_I64), KT_ERR_RUNTIME,
                "Expected out tensor to have dtype long int, but got float instead");
    CHECK_FAILS(kt_logcumsumexp(x, 0), KT_ERR_NOT_IMPLEMENTED, "\"logcumsumexp_out_cpu\" not implemented for 'Int'");
    CHECK_FAILS(kt_logcumsumexp_out(kt_empty(KT_SHAPE(4), .dtype = KT_F64), f, 0), KT_ERR_RUNTIME,
                "expected scalar_type Float but found Double");
    CHECK_FAILS(kt_cummax(z, 0).values, KT_ERR_NOT_IMPLEMENTED, "\"cummax_cpu\" not implemented for 'ComplexFloat'");
    CHECK_FAILS(kt_cummax_out(f, kt_empty(KT_SHAPE(4), .dtype = KT_I32), f, 0), KT_ERR_RUNTIME,
                "expected scalar_type Long but found Int");
    CHECK_FAILS(kt_cumsum_(kt_expand(kt_ones(KT_SHAPE(1)), KT_SHAPE(4)), 0), KT_ERR_RUNTIME,
                "unsupported operation: more than one element of the written-to tensor refers to a single memory location.");
}

/* ---- made of scans and neighbours ---- */

TEST(differences_and_areas)
{
    KT_SCOPE;
    const double squares[] = {0, 1, 4, 9, 16};
    kt_tensor   *x = kt_arange(KT_INT(0), KT_INT(5), .dtype = KT_F64), *y = kt_from(squares, KT_SHAPE(5), KT_F64);
    CHECK_EQ_INT(kt_item(kt_select(kt_diff(y, .n = KT_SOME(2)), 0, 1)), 2);
    CHECK_EQ_INT(kt_numel(kt_diff(y, .n = KT_SOME(9))), 0);
    CHECK_EQ_INT(kt_numel(kt_diff(y, .n = KT_SOME(0), .append = y)), 5);
    CHECK_EQ_INT(kt_item(kt_select(kt_diff(y, .prepend = kt_full(KT_SHAPE(1), KT_INT(7), .dtype = KT_F64)), 0, 0)), -7);
    CHECK_EQ_INT(kt_dtype_of(kt_diff(kt_gt_s(y, KT_INT(3)))), KT_BOOL);
    CHECK_NEAR(kt_item(kt_trapezoid_x(y, x)), 22, 1e-12);
    CHECK_NEAR(kt_item(kt_trapezoid_dx(y, .dx = KT_FLOAT(0.5))), 11, 1e-12);
    CHECK_NEAR(kt_item(kt_trapz_dx(y, .dx = KT_SOME(2))), 44, 1e-12);
    CHECK_NEAR(kt_item(kt_select(kt_cumulative_trapezoid_x(y, x), 0, 1)), 3, 1e-12);
    CHECK_FAILS(kt_diff(kt_full(KT_SCALAR, KT_INT(1))), KT_ERR_RUNTIME, "diff expects input to be at least one-dimensional");
    CHECK_FAILS(kt_diff(y, .n = KT_SOME(-1)), KT_ERR_RUNTIME, "order must be non-negative but got -1");
    CHECK_FAILS(kt_trapezoid_x(y, kt_ones(KT_SHAPE(4))), KT_ERR_RUNTIME,
                "trapezoid: There must be one `x` value for each sample point");
}

TEST(powers_choices_and_complex_pairs)
{
    KT_SCOPE;
    kt_tensor *x = kt_arange(KT_INT(1), KT_INT(5)), *f = kt_to(x, .dtype = KT_F32), *v = kt_vander(x, .N = KT_SOME(3));
    CHECK_EQ_INT(kt_item(kt_select(kt_select(v, 0, 2), 0, 0)), 9);
    CHECK_EQ_INT(kt_item(kt_select(kt_select(kt_vander(x, .increasing = true), 0, 1), 0, 3)), 8);
    CHECK_EQ_INT(kt_size(kt_linalg_vander(kt_full(KT_SCALAR, KT_FLOAT(2)), .N = KT_SOME(2)), 1), 2);
    CHECK_FAILS(kt_vander(x, .N = KT_SOME(-1)), KT_ERR_RUNTIME, "N must be non-negative.");
    kt_tensor *c = kt_combinations(x, .r = KT_SOME(2)), *again = kt_combinations(x, .r = KT_SOME(3), .with_replacement = true);
    CHECK_EQ_INT(kt_size(c, 0), 6);
    CHECK_EQ_INT(kt_item(kt_select(kt_select(c, 0, 5), 0, 0)), 3);
    CHECK_EQ_INT(kt_size(again, 0), 20);
    CHECK_EQ_INT(kt_size(kt_combinations(x, .r = KT_SOME(9)), 0), 0);
    CHECK_FAILS(kt_combinations(kt_arange(KT_INT(0), KT_INT(1000)), .r = KT_SOME(40)), KT_ERR_MEMORY,
                "combinations: there are too many");
    CHECK_EQ_INT(kt_size(kt_combinations(kt_ones(KT_SHAPE(1)), .r = KT_SOME(100000), .with_replacement = true), 1), 100000);
    CHECK_FAILS(kt_combinations(x, .r = KT_SOME(INT64_MAX), .with_replacement = true), KT_ERR_MEMORY,
                "combinations: there are too many");
    kt_tensor *z = kt_polar(f, f);
    CHECK(kt_item(kt_amax(kt_abs(kt_sub(kt_abs(z), f)))) < 1e-6);
    CHECK_EQ_INT(kt_dtype_of(kt_complex(kt_to(f, .dtype = KT_F64), kt_ones(KT_SHAPE(2, 1), .dtype = KT_F64))), KT_C128);
    CHECK_FAILS(kt_complex(f, kt_to(f, .dtype = KT_F64)), KT_ERR_RUNTIME,
                "Expected object of scalar type Float but got scalar type Double for second argument");
    CHECK_FAILS(kt_complex(x, x), KT_ERR_RUNTIME,
                "Expected both inputs to be Half, Float or Double tensors but got Long and Long");
    kt_frexp_results parts = kt_frexp(f);
    CHECK_EQ_INT(kt_dtype_of(parts.exponent), KT_I32);
    CHECK(all_equal(kt_mul(parts.mantissa, kt_exp2(kt_to(parts.exponent, .dtype = KT_F32))), f));
}
