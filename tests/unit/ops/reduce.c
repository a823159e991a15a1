/* reduce.c - reductions against a model that knows only lists of numbers, and PyTorch's shapes, dtypes and refusals.
 *
 * In: one tensor of three dims in several layouts, every set of dims. The model gathers the elements that fall together by
 * index arithmetic of its own and folds them in long double. */
#include "harness.h"

#include <karat/karat.h>
#include <math.h>
#include <stdlib.h>

#include "support/by_name.h"

#define S(...) KT_SHAPE(__VA_ARGS__)

/* ---- the model ---- */
enum { N0 = 3, N1 = 4, N2 = 5, ALL = N0 * N1 * N2 };
static const int64_t size[3] = {N0, N1, N2};

typedef double model(const double *v, int n);

static double sum_of(const double *v, int n)
{
    long double s = 0;
    for (int i = 0; i < n; i++)
        s += v[i];
    return (double)s;
}
static double prod_of(const double *v, int n)
{
    long double p = 1;
    for (int i = 0; i < n; i++)
        p *= v[i];
    return (double)p;
}
static double nansum_of(const double *v, int n)
{
    long double s = 0;
    for (int i = 0; i < n; i++)
        s += isnan(v[i]) ? 0 : v[i];
    return (double)s;
}
static double numbers_in(const double *v, int n)
{
    int k = 0;
    for (int i = 0; i < n; i++)
        k += !isnan(v[i]);
    return k;
}
static double mean_of(const double *v, int n) { return sum_of(v, n) / n; }
static double nanmean_of(const double *v, int n) { return nansum_of(v, n) / numbers_in(v, n); }
static double least(const double *v, int n)
{
    double m = v[0];
    for (int i = 1; i < n; i++)
        m = isnan(m) || isnan(v[i]) ? NAN : v[i] < m ? v[i] : m;
    return m;
}
static double greatest(const double *v, int n)
{
    double m = v[0];
    for (int i = 1; i < n; i++)
        m = isnan(m) || isnan(v[i]) ? NAN : v[i] > m ? v[i] : m;
    return m;
}
static double where_is(const double *v, int n, double what)
{
    for (int i = 0; i < n; i++)
        if (v[i] == what || (isnan(v[i]) && isnan(what)))
            return i;
    return -1;
}
static double first_least(const double *v, int n) { return where_is(v, n, least(v, n)); }
static double first_greatest(const double *v, int n) { return where_is(v, n, greatest(v, n)); }
static double any_of(const double *v, int n)
{
    int k = 0;
    for (int i = 0; i < n; i++)
        k |= v[i] != 0;
    return k;
}
static double not_zero(const double *v, int n)
{
    int k = 0;
    for (int i = 0; i < n; i++)
        k += v[i] != 0;
    return k;
}
static double all_of(const double *v, int n) { return not_zero(v, n) == n; }
static double squares_away(const double *v, int n)
{
    long double s = 0, m = mean_of(v, n);
    for (int i = 0; i < n; i++)
        s += (v[i] - m) * (v[i] - m);
    return (double)s;
}
static double over(double a, double b) { return b > 0 ? a / b : a / 0.0; }
static double var_of(const double *v, int n) { return over(squares_away(v, n), n - 1.0); }
static double var_of_all(const double *v, int n) { return squares_away(v, n) / n; }
static double var_by_half(const double *v, int n) { return over(squares_away(v, n), n - 0.5); }
static double std_of(const double *v, int n) { return sqrt(var_of(v, n)); }
static double log_of_sum(const double *v, int n)
{
    long double s = 0;
    for (int i = 0; i < n; i++)
        s += expl(v[i]);
    return (double)logl(s);
}
static double power_sum(const double *v, int n, double p)
{
    long double s = 0;
    for (int i = 0; i < n; i++)
        s += powl(fabsl((long double)v[i]), p);
    return (double)powl(s, 1 / p);
}
static double norm_1(const double *v, int n) { return power_sum(v, n, 1); }
static double norm_2(const double *v, int n) { return power_sum(v, n, 2); }
static double norm_3(const double *v, int n) { return power_sum(v, n, 3); }
static double norm_below_0(const double *v, int n) { return power_sum(v, n, -1.5); }
static double norm_inf(const double *v, int n) { return fmax(greatest(v, n), -least(v, n)); }
static double norm_minus_inf(const double *v, int n)
{
    double m = INFINITY;
    for (int i = 0; i < n; i++)
        m = fmin(m, fabs(v[i]));
    return m;
}

/* ---- the operators: over a list of dims ---- */
typedef kt_tensor *fold(const kt_tensor *x, kt_shape dim, bool keepdim);
#define FOLD(name, ...)                                                                                                \
    static kt_tensor *name(const kt_tensor *x, kt_shape dim, bool keepdim) { return __VA_ARGS__; }
#define NORM(name, order)                                                                                              \
    FOLD(name, kt_linalg_vector_norm(x, .ord = KT_FLOAT(order), .dim = dim, .keepdim = keepdim))
FOLD(f_sum, kt_sum_dim(x, dim, .keepdim = keepdim))
FOLD(f_nansum, kt_nansum(x, .dim = dim, .keepdim = keepdim))
FOLD(f_mean, kt_mean_dim(x, dim, .keepdim = keepdim))
FOLD(f_nanmean, kt_nanmean(x, .dim = dim, .keepdim = keepdim))
FOLD(f_amax, kt_amax(x, .dim = dim, .keepdim = keepdim))
FOLD(f_amin, kt_amin(x, .dim = dim, .keepdim = keepdim))
FOLD(f_any, kt_any_dims(x, .dim = dim, .keepdim = keepdim))
FOLD(f_all, kt_all_dims(x, .dim = dim, .keepdim = keepdim))
FOLD(f_var, kt_var_dim(x, dim, .keepdim = keepdim))
FOLD(f_var_all, kt_var_dim(x, dim, .unbiased = KT_SOME(false), .keepdim = keepdim))
FOLD(f_var_half, kt_var_correction(x, .dim = dim, .correction = KT_FLOAT(0.5), .keepdim = keepdim))
FOLD(f_var_of_pair, kt_var_mean_dim(x, dim, .keepdim = keepdim).result_var)
FOLD(f_mean_of_pair, kt_var_mean_dim(x, dim, .keepdim = keepdim).result_mean)
FOLD(f_std, kt_std_correction(x, .dim = dim, .keepdim = keepdim))
FOLD(f_std_of_pair, kt_std_mean_correction(x, .dim = dim, .keepdim = keepdim).result_std)
FOLD(f_logsumexp, kt_logsumexp(x, dim, .keepdim = keepdim))
FOLD(f_norm, kt_norm(x, .dim = dim, .keepdim = keepdim))
NORM(f_norm_1, 1)
NORM(f_norm_3, 3)
NORM(f_norm_below_0, -1.5)
NORM(f_norm_inf, INFINITY)
NORM(f_norm_minus_inf, -INFINITY)

/* One dim alone, or all of them. */
FOLD(f_prod, dim.n ? kt_prod_dim(x, dim.d[0], .keepdim = keepdim) : kt_prod(x))
FOLD(f_max, dim.n ? kt_max_dim(x, dim.d[0], .keepdim = keepdim).values : kt_max(x))
FOLD(f_min, dim.n ? kt_min_dim(x, dim.d[0], .keepdim = keepdim).values : kt_min(x))
FOLD(f_where_max, dim.n ? kt_max_dim(x, dim.d[0], .keepdim = keepdim).indices : kt_argmax(x))
FOLD(f_where_min, dim.n ? kt_min_dim(x, dim.d[0], .keepdim = keepdim).indices : kt_argmin(x))
FOLD(f_any_dim, dim.n ? kt_any_dim(x, dim.d[0], .keepdim = keepdim) : kt_any(x))
FOLD(f_all_dim, dim.n ? kt_all_dim(x, dim.d[0], .keepdim = keepdim) : kt_all(x))
static kt_tensor *f_argmax(const kt_tensor *x, kt_shape dim, bool keepdim)
{
    return dim.n ? kt_argmax(x, .dim = KT_SOME(dim.d[0]), .keepdim = keepdim) : kt_argmax(x);
}
static kt_tensor *f_argmin(const kt_tensor *x, kt_shape dim, bool keepdim)
{
    return dim.n ? kt_argmin(x, .dim = KT_SOME(dim.d[0]), .keepdim = keepdim) : kt_argmin(x);
}
static kt_tensor *f_least(const kt_tensor *x, kt_shape dim, bool keepdim)
{
    return dim.n ? kt_aminmax(x, .dim = KT_SOME(dim.d[0]), .keepdim = keepdim).min : kt_aminmax(x).min;
}
static kt_tensor *f_greatest(const kt_tensor *x, kt_shape dim, bool keepdim)
{
    return dim.n ? kt_aminmax(x, .dim = KT_SOME(dim.d[0]), .keepdim = keepdim).max : kt_aminmax(x).max;
}
FOLD(f_count, (void)keepdim, kt_count_nonzero_dim(x, dim))

typedef struct subject {
    const char *name;
    fold       *f;
    model      *m;
    bool        one_dim, no_keepdim;
} subject;

static const subject subjects[] = {{"sum", f_sum, sum_of, false, false},
                                   {"nansum", f_nansum, nansum_of, false, false},
                                   {"mean", f_mean, mean_of, false, false},
                                   {"nanmean", f_nanmean, nanmean_of, false, false},
                                   {"amax", f_amax, greatest, false, false},
                                   {"amin", f_amin, least, false, false},
                                   {"any", f_any, any_of, false, false},
                                   {"all", f_all, all_of, false, false},
                                   {"var", f_var, var_of, false, false},
                                   {"var, biased", f_var_all, var_of_all, false, false},
                                   {"var, correction", f_var_half, var_by_half, false, false},
                                   {"var_mean, var", f_var_of_pair, var_of, false, false},
                                   {"var_mean, mean", f_mean_of_pair, mean_of, false, false},
                                   {"std", f_std, std_of, false, false},
                                   {"std_mean, std", f_std_of_pair, std_of, false, false},
                                   {"logsumexp", f_logsumexp, log_of_sum, false, false},
                                   {"norm", f_norm, norm_2, false, false},
                                   {"norm 1", f_norm_1, norm_1, false, false},
                                   {"norm 3", f_norm_3, norm_3, false, false},
                                   {"norm -1.5", f_norm_below_0, norm_below_0, false, false},
                                   {"norm inf", f_norm_inf, norm_inf, false, false},
                                   {"norm -inf", f_norm_minus_inf, norm_minus_inf, false, false},
                                   {"count_nonzero", f_count, not_zero, false, true},
                                   {"prod", f_prod, prod_of, true, false},
                                   {"max", f_max, greatest, true, false},
                                   {"min", f_min, least, true, false},
                                   {"max, indices", f_where_max, first_greatest, true, false},
                                   {"min, indices", f_where_min, first_least, true, false},
                                   {"any, one dim", f_any_dim, any_of, true, false},
                                   {"all, one dim", f_all_dim, all_of, true, false},
                                   {"argmax", f_argmax, first_greatest, true, false},
                                   {"argmin", f_argmin, first_least, true, false},
                                   {"aminmax, min", f_least, least, true, false},
                                   {"aminmax, max", f_greatest, greatest, true, false}};

/* ---- one comparison ---- */
typedef struct groups {
    int    n, each;
    double v[ALL][ALL];
} groups;

/* Elements that fall together, both in row-major order. */
static void gather(const double *x, int mask, groups *g)
{
    int filled[ALL] = {0};
    g->n = g->each = 1;
    for (int d = 0; d < 3; d++)
        *(mask >> d & 1 ? &g->each : &g->n) *= (int)size[d];
    for (int i = 0; i < ALL; i++) {
        const int at[3] = {i / (N1 * N2), i / N2 % N1, i % N2};
        int       to = 0;
        for (int d = 0; d < 3; d++)
            to = mask >> d & 1 ? to : to * (int)size[d] + at[d];
        g->v[to][filled[to]++] = x[i];
    }
}

static void compare(const subject *s, const kt_tensor *t, const double *x, int mask, bool keepdim)
{
    static groups g;
    int64_t       dims[3], n = 0, rank = 0;
    for (int d = 0; d < 3; d++)
        if (mask >> d & 1)
            dims[n++] = d == 1 ? d : d - 3; /* some are named from the end */
    const bool whole = mask == 7;
    kt_tensor *y = s->f(t, whole ? KT_SCALAR : (kt_shape){n, dims}, keepdim);
    if (!CHECK_MSG(y != NULL, "%s, dims %d: %s", s->name, mask, kt_error())) {
        kt_clear();
        return;
    }
    gather(x, mask, &g);
    const bool kept = keepdim && !s->no_keepdim && !(whole && s->one_dim);
    for (int d = 0; d < 3; d++)
        if (kept || !(mask >> d & 1)) {
            const int64_t want = mask >> d & 1 ? 1 : size[d];
            CHECK_MSG(rank < kt_ndim(y) && kt_size(y, rank) == want, "%s, dims %d: size", s->name, mask);
            rank++;
        }
    CHECK_MSG(kt_ndim(y) == rank && kt_numel(y) == g.n && kt_is_contiguous(y), "%s, dims %d: shape", s->name, mask);
    for (int i = 0; i < g.n; i++) {
        const double want = s->m(g.v[i], g.each), got = tensor_at(y, i);
        CHECK_MSG((isnan(want) && isnan(got)) || want == got || fabs(got - want) <= 1e-12 * fmax(1, fabs(want)),
                  "%s, dims %d, element %d: %.17g, expected %.17g", s->name, mask, i, got, want);
    }
}

static void every_fold(const double *x, kt_dtype dtype, bool exact_only)
{
    for (int layout = 0; layout < 4; layout++) {
        KT_SCOPE;
        double     y[ALL];
        kt_tensor *t = tensor_of(dtype, S(N0, N1, N2), x);
        if (layout == 1) /* the same tensor, other strides */
            t = kt_permute(kt_contiguous(kt_permute(t, S(2, 0, 1))), S(1, 2, 0));
        if (layout == 2) {
            kt_tensor *wide = kt_zeros(S(N0, 2 * N1, N2 + 1), .dtype = dtype);
            kt_tensor *part = kt_slice(kt_slice(wide, .dim = 1, .step = KT_SOME(2)), .dim = 2, .start = KT_SOME(1));
            kt_copy_(part, t);
            t = part;
        }
        if (layout == 3) { /* stride 0: one row for all */
            t = kt_expand(kt_slice(t, .dim = 1, .end = KT_SOME(1)), S(N0, N1, N2));
            for (int i = 0; i < ALL; i++)
                y[i] = x[i / (N1 * N2) * (N1 * N2) + i % N2];
        }
        for (size_t k = 0; k < sizeof subjects / sizeof *subjects; k++)
            for (int mask = 1; mask < 8; mask++)
                for (int keepdim = 0; keepdim < 2; keepdim++)
                    if ((!subjects[k].one_dim || mask == 7 || !(mask & (mask - 1))) &&
                        (!exact_only || subjects[k].m == sum_of || subjects[k].m == prod_of || subjects[k].m == least ||
                         subjects[k].m == greatest || subjects[k].m == first_least || subjects[k].m == first_greatest ||
                         subjects[k].m == any_of || subjects[k].m == all_of || subjects[k].m == not_zero))
                        compare(&subjects[k], t, layout == 3 ? y : x, mask, keepdim);
    }
}

TEST(values)
{
    double x[ALL];
    for (int i = 0; i < ALL; i++)
        x[i] = (double)(int64_t)(test_random() % 4001) / 1000.0 - 2.0;
    every_fold(x, KT_F64, false);
    for (int i = 0; i < ALL; i += 7) /* ties and zeros */
        x[i] = x[(i + 11) % ALL], x[(i + 3) % ALL] = 0;
    every_fold(x, KT_F64, false);
}

TEST(not_a_number)
{
    double x[ALL];
    for (int i = 0; i < ALL; i++)
        x[i] = i % 9 == 4 ? NAN : i % 13 - 6;
    every_fold(x, KT_F64, true);
    for (size_t k = 0; k < sizeof subjects / sizeof *subjects; k++)
        if (subjects[k].m == nansum_of || subjects[k].m == nanmean_of) {
            KT_SCOPE;
            for (int mask = 1; mask < 8; mask++)
                compare(&subjects[k], tensor_of(KT_F64, S(N0, N1, N2), x), x, mask, false);
        }
}

TEST(integers)
{
    static const kt_dtype dtypes[] = {KT_I8, KT_I16, KT_I32, KT_I64};
    double                x[ALL];
    for (int i = 0; i < ALL; i++)
        x[i] = (double)(int)(test_random() % 3) - 1 + (i % 11 == 0) * 7;
    for (size_t i = 0; i < sizeof dtypes / sizeof *dtypes; i++)
        every_fold(x, dtypes[i], true);
}

/* ---- one bool among many decides, wherever it stands ---- */
TEST(any_and_all_of_long_rows_of_bools)
{
    static unsigned char bools[3 * 70001];
    static const int64_t at[] = {0, 1, 1023, 1024, 40000, 70000};
    for (int i = 0; i < 6; i++)
        for (int one = 0; one < 2; one++) {
            KT_SCOPE;
            memset(bools, 1 - one, sizeof bools);
            bools[70001 + at[i]] = (unsigned char)one;
            kt_tensor *rows = kt_from(bools, KT_SHAPE(3, 70001), KT_BOOL), *row = kt_select(rows, 0, 1);
            kt_tensor *each = one ? kt_any_dim(rows, 1) : kt_all_dim(rows, 1);
            CHECK_EQ_INT(kt_item(kt_any(row)), 1);
            CHECK_EQ_INT(kt_item(kt_all(row)), 0);
            for (int r = 0; r < 3; r++)
                CHECK_EQ_INT(kt_item(kt_select(each, 0, r)), one ? r == 1 : r != 1);
            CHECK_EQ_INT(kt_item(kt_any(kt_select(rows, 0, 0))), 1 - one);
            CHECK_EQ_INT(kt_item(kt_all(kt_slice(row, .start = KT_SOME(at[i] + 1)))), one ? at[i] == 70000 : 1);
        }
}
