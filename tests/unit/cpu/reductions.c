/* reductions.c - every reduction kernel over every set of dims against a model that looks at one value after the
 * other in long double: dtypes, layouts, NaN and infinities, ties, empty ones; all builds and any number of threads
 * give the same bits. */
#include "plans.h"

#include <float.h>

enum { ROOM = 1 << 22, INTS = 1, REALS = 2, COMPLEXES = 4, ANY = 7 };

static char *from, *to[2], *base[2];

__attribute__((constructor)) static void make_room(void)
{
    from = calloc(1, ROOM);
    for (int k = 0; k < 2; k++)
        to[k] = calloc(1, ROOM), base[k] = calloc(1, ROOM);
}

typedef struct subject {
    int         kernel;
    const char *name;
    unsigned    kinds;
    int         n_out;
} subject;

#define S(name, kinds, n_out) {KT_K_##name, #name, kinds, n_out}
static const subject subjects[] = {
    S(sum, ANY, 1),         S(nansum, REALS | COMPLEXES, 1), S(prod, ANY, 1),
    S(mean, REALS | COMPLEXES, 1), S(nanmean, REALS | COMPLEXES, 1), S(amax, INTS | REALS, 1),
    S(amin, INTS | REALS, 1), S(argmax, INTS | REALS, 1),    S(argmin, INTS | REALS, 1),
    S(max_with_index, INTS | REALS, 2), S(min_with_index, INTS | REALS, 2), S(aminmax, INTS | REALS, 2),
    S(any, ANY, 1),         S(all, ANY, 1),                  S(count_nonzero, ANY, 1),
    S(norm, REALS | COMPLEXES, 1), S(var, REALS | COMPLEXES, 2), S(var, REALS | COMPLEXES, 1),
    S(std, REALS | COMPLEXES, 2), S(logsumexp, REALS, 1),
};
enum { NUM_SUBJECTS = sizeof subjects / sizeof *subjects };

static unsigned kind_of(kt_dtype d) { return is_complex(d) ? COMPLEXES : is_float(d) ? REALS : INTS; }

/* What the operator layer asks for: integers are summed in 64 bits, measures of complex numbers are real. */
static kt_dtype seen_as(int kernel, kt_dtype in)
{
    const bool adds = kernel == KT_K_sum || kernel == KT_K_prod;
    return adds && kind_of(in) == INTS && in != KT_U64 && in != KT_I32 ? KT_I64 : in;
}

static kt_dtype result_dtype(int kernel, int k, kt_dtype as)
{
    switch (kernel) {
    case KT_K_argmax:
    case KT_K_argmin:
    case KT_K_count_nonzero: return KT_I64;
    case KT_K_max_with_index:
    case KT_K_min_with_index:      return k == 1 ? KT_I64 : as;
    case KT_K_any:
    case KT_K_all:           return KT_BOOL;
    case KT_K_norm:
    case KT_K_var:
    case KT_K_std:           return k == 1 ? as : as == KT_C64 ? KT_F32 : as == KT_C128 ? KT_F64 : as;
    }
    return as;
}

/* ---- the model: the values of one result, in order ---- */
typedef long double complex wide;
typedef struct model {
    int64_t  n;
    wide    *x;
    int64_t *whole; /* the same, of integers */
    bool     ints, is_unsigned;
    double   param;
} model;

static bool nan_of(wide x) { return isnan(creall(x)) || isnan(cimagl(x)); }

static int64_t place(const model *m, bool least)
{
    int64_t best = 0;
    for (int64_t i = 0; i < m->n; i++) {
        if (nan_of(m->x[i]))
            return i;
        const int64_t a = m->whole[i], b = m->whole[best];
        const bool    above = !m->ints         ? creall(m->x[i]) > creall(m->x[best])
                              : m->is_unsigned ? (uint64_t)a > (uint64_t)b
                                               : a > b,
                   below = !m->ints         ? creall(m->x[i]) < creall(m->x[best])
                           : m->is_unsigned ? (uint64_t)a < (uint64_t)b
                                            : a < b;
        if (least ? below : above)
            best = i;
    }
    return best;
}

static long double norm_model(const model *m)
{
    const long double p = m->param;
    long double       s = p == -INFINITY ? INFINITY : 0;
    for (int64_t i = 0; i < m->n; i++) {
        const long double a = cabsl(m->x[i]);
        if (p == INFINITY)
            s = isnan(a) || isnan(s) ? NAN : a > s ? a : s;
        else if (p == -INFINITY)
            s = isnan(a) || isnan(s) ? NAN : a < s ? a : s;
        else
            s += p == 0 ? a != 0 : powl(a, p);
    }
    return p == INFINITY || p == -INFINITY || p == 0 ? s : powl(s, 1 / p);
}

static long double spread_model(const model *m, wide mean)
{
    long double s = 0;
    for (int64_t i = 0; i < m->n; i++) {
        const long double d = cabsl(m->x[i] - mean);
        s += d * d;
    }
    const long double freedom = (long double)m->n - m->param;
    return s / (freedom > 0 ? freedom : 0);
}

static long double logsumexp_model(const model *m)
{
    long double top = -INFINITY, s = 0;
    for (int64_t i = 0; i < m->n; i++)
        top = nan_of(m->x[i]) || isnan(top) ? NAN : creall(m->x[i]) > top ? creall(m->x[i]) : top;
    if (isnan(top) || isinf(top))
        return top;
    for (int64_t i = 0; i < m->n; i++)
        s += expl(creall(m->x[i]) - top);
    return top + logl(s);
}

/* The two results; integers that wrap stand in *wrapped. `about`: how large the numbers were that went in. */
static void model_run(const model *m, int kernel, wide *want, uint64_t *wrapped, long double *about)
{
    wide        sum = 0, nansum = 0, prod = 1;
    uint64_t    usum = 0, uprod = 1;
    int64_t     nonzero = 0, numbers = 0;
    long double all = 0;
    for (int64_t i = 0; i < m->n; i++) {
        sum += m->x[i], nonzero += m->x[i] != 0;
        const bool real = cimagl(prod) == 0 && cimagl(m->x[i]) == 0;
        prod = real ? (wide)(creall(prod) * creall(m->x[i])) : prod * m->x[i];
        if (!nan_of(m->x[i]))
            nansum += m->x[i], numbers++, all += isinf(creall(m->x[i])) ? 0 : cabsl(m->x[i]);
        usum += (uint64_t)m->whole[i], uprod *= (uint64_t)m->whole[i];
    }
    const wide mean = m->n == 0 ? (wide)NAN : sum / (long double)m->n;
    *wrapped = kernel == KT_K_prod ? uprod : usum;
    *about = kernel == KT_K_sum || kernel == KT_K_nansum || m->n == 0 ? all : 1 + all / (long double)m->n;
    switch (kernel) {
    case KT_K_sum:           want[0] = sum; return;
    case KT_K_nansum:        want[0] = nansum; return;
    case KT_K_prod:          want[0] = prod; return;
    case KT_K_mean:          want[0] = mean; return;
    case KT_K_nanmean:       want[0] = numbers == 0 ? (wide)NAN : nansum / (long double)numbers; return;
    case KT_K_amax:          want[0] = m->x[place(m, false)]; return;
    case KT_K_amin:          want[0] = m->x[place(m, true)]; return;
    case KT_K_argmax:        want[0] = (long double)place(m, false); return;
    case KT_K_argmin:        want[0] = (long double)place(m, true); return;
    case KT_K_max_with_index:      want[1] = (long double)place(m, false), want[0] = m->x[place(m, false)]; return;
    case KT_K_min_with_index:      want[1] = (long double)place(m, true), want[0] = m->x[place(m, true)]; return;
    case KT_K_aminmax:       want[0] = m->x[place(m, true)], want[1] = m->x[place(m, false)]; return;
    case KT_K_any:           want[0] = nonzero > 0; return;
    case KT_K_all:           want[0] = nonzero == m->n; return;
    case KT_K_count_nonzero: want[0] = (long double)nonzero; return;
    case KT_K_norm:          want[0] = norm_model(m); return;
    case KT_K_var:           want[0] = spread_model(m, mean), want[1] = mean; return;
    case KT_K_std:           want[0] = sqrtl(spread_model(m, mean)), want[1] = mean; return;
    case KT_K_logsumexp:     want[0] = logsumexp_model(m); return;
    }
}

/* ---- plans ---- */
static void plan_reduce(kt_plan *p, const subject *s, kt_dtype in, int nd, const int64_t *size, unsigned gone)
{
    const kt_dtype as = seen_as(s->kernel, in);
    plan_dense(p, s->kernel, compute_of(as), 1, (void *[]){to[0], from}, (kt_dtype[]){in, in}, 1);
    p->n_out = (uint8_t)s->n_out;
    p->arg[s->n_out] = p->arg[1];
    p->arg[s->n_out].as = (uint8_t)as;
    for (int k = 0; k < s->n_out; k++) {
        p->arg[k].data = to[k];
        p->arg[k].is = p->arg[k].as = (uint8_t)result_dtype(s->kernel, k, as);
    }
    plan_shape(p, nd, size);
    p->contiguous = 0;
    for (int k = 0; k < s->n_out; k++) {
        int64_t step = (int64_t)size_of_dtype((kt_dtype)p->arg[k].is);
        for (int d = nd - 1; d >= 0; d--) {
            p->stride[k][d] = gone >> d & 1 ? 0 : step;
            step *= gone >> d & 1 ? 1 : size[d];
        }
    }
}

/* Layouts of the input: dense, transposed, every other element, one dim broadcast. */
static void lay_out(kt_plan *p, int layout)
{
    int64_t *stride = p->stride[p->n_out], w = (int64_t)size_of_dtype((kt_dtype)p->arg[p->n_out].is);
    if (layout == 1) {
        for (int d = 0; d < p->nd; d++)
            stride[d] = w, w *= p->size[d];
    } else if (layout == 2) {
        for (int d = 0; d < p->nd; d++)
            stride[d] *= 2;
    } else if (layout == 3 && p->nd > 0) {
        stride[test_below(p->nd)] = 0;
    }
}

static const double powers[] = {2, 1, 0, INFINITY, -INFINITY, 3, 0.5, -1};
static const double factors[] = {1, -1, 2, 0.5}, specials[] = {NAN, INFINITY, -INFINITY};

/* Few different numbers, so that ties happen; NaN and infinities where wanted; factors that stay in range. */
static void fill_values(const subject *s, kt_dtype d, int64_t n, bool special)
{
    fill_random(from, d, n);
    const int64_t w = (int64_t)size_of_dtype(d);
    for (int64_t i = 0; i < n; i++) {
        kt_scalar x = kt_scalar_load(from + i * w, d);
        if (kind_of(d) == INTS)
            x = test_below(3) ? x : KT_INT((int64_t)test_below(3));
        else if (s->kernel == KT_K_prod)
            x = KT_FLOAT(factors[test_below(4)]);
        else if (test_below(3) == 0)
            x = KT_FLOAT((double)test_below(3));
        else
            continue;
        kt_scalar_store(from + i * w, d, x);
    }
    for (int64_t i = 0; special && i < 1 + n / 40; i++)
        if (kind_of(d) == REALS)
            kt_scalar_store(from + (int64_t)test_below((uint64_t)n) * w, d, KT_FLOAT(specials[test_below(3)]));
}

static const long double OF_ABOUT = 2e-14L; /* what may be lost of numbers so large */

static bool close_enough(const kt_plan *p, int k, wide got, wide want, long double about)
{
    const kt_dtype d = (kt_dtype)p->arg[k].is;
    kt_finfo       f = {.eps = 0};
    if (kind_of(d) == INTS)
        return got == want;
    kt_dtype_finfo(d, &f);
    const long double parts[][2] = {{creall(got), creall(want)}, {cimagl(got), cimagl(want)}};
    for (int i = 0; i < 2; i++) {
        double            unit[2];
        const long double g = parts[i][0], w = parts[i][1];
        const long double tolerance = 1.01L * f.eps * cabsl(want) + OF_ABOUT * (about + cabsl(want)) + f.smallest_normal;
        kt_scalar_store(unit, d, KT_FLOAT((double)w)); /* overflow is the dtype's own */
        const double held = get_real(unit, 0, d);
        if (isnan(held) ? !isnan(g) : !(g == held) && !(fabsl(g - w) <= tolerance))
            return false;
    }
    return true;
}

/* A factor that is repeated hundreds of times overflows on the way, however the whole comes out. */
static bool leaves_range(const model *m)
{
    for (int64_t i = 0; i < m->n && !m->ints; i++)
        if (cabsl(m->x[i]) != 1)
            return true;
    return false;
}

static void check_results(const kt_plan *p, const subject *s, const char *how)
{
    const int in = p->n_out;
    int64_t   values = 1, results = 1, bad = 0;
    for (int d = 0; d < p->nd; d++)
        *(p->stride[0][d] == 0 ? &values : &results) *= p->size[d];
    const kt_dtype as = (kt_dtype)p->arg[in].as;
    model          m = {values, malloc(sizeof(wide) * (size_t)(values + 1)), malloc(sizeof(int64_t) * (size_t)(values + 1)),
                        kind_of(as) == INTS, as == KT_U64, p->n_param ? p->param[0].v.re : 0};
    for (int64_t r = 0; r < results && bad < 3 && m.x && m.whole; r++) {
        int64_t at[3] = {0, 0, 0}, rest = r, same;
        for (int d = p->nd - 1; d >= 0; d--) {
            if (p->stride[0][d] == 0)
                continue;
            for (int i = 0; i <= in; i++)
                at[i] += rest % p->size[d] * p->stride[i][d];
            rest /= p->size[d];
        }
        for (int64_t v = 0; v < values; v++) {
            int64_t here = at[in];
            double  unit[2];
            rest = v;
            for (int d = p->nd - 1; d >= 0; d--) {
                if (p->stride[0][d] != 0)
                    continue;
                here += rest % p->size[d] * p->stride[in][d], rest /= p->size[d];
            }
            kt_scalar x = kt_scalar_load(p->arg[in].data + here, (kt_dtype)p->arg[in].is);
            kt_scalar_store(unit, as, x); /* the operator sees it so */
            x = kt_scalar_load(unit, as);
            m.x[v] = kt__scalar_c128(&x), m.whole[v] = m.ints ? x.v.i : 0;
        }
        if (s->kernel == KT_K_prod && strstr(how, "broadcast") && leaves_range(&m))
            continue;
        wide        want[2] = {0, 0};
        uint64_t    wrapped = 0;
        long double about = 0;
        model_run(&m, s->kernel, want, &wrapped, &about);
        if (s->kernel == KT_K_logsumexp && p->compute == KT_IN_F32) /* the exponentials are float32s, and so are sums of some */
            about = 4 * FLT_EPSILON / OF_ABOUT;
        for (int k = 0; k < in; k++) {
            const kt_dtype d = (kt_dtype)p->arg[k].is;
            kt_scalar      got = kt_scalar_load(to[k] + at[k], d);
            const wide     g = kt__scalar_c128(&got);
            if (m.ints && (s->kernel == KT_K_sum || s->kernel == KT_K_prod)) {
                double unit[2];
                kt_scalar_store(unit, d, KT_INT((int64_t)wrapped));
                same = memcmp(unit, to[k] + at[k], size_of_dtype(d)) == 0;
            } else if (k == 1 && (s->kernel == KT_K_var || s->kernel == KT_K_std) && !isfinite(creall(want[1]))) {
                same = true; /* a mean beside an infinity: PyTorch has NaN, the model the infinity */
            } else {
                same = close_enough(p, k, g, want[k], about);
            }
            bad += !CHECK_MSG(same,
                              "%s of %s %s, compute %d, result %d at %lld of %lld values: %.17Lg%+.17Lgi, want %.17Lg%+.17Lgi",
                              s->name, kt_dtype_name((kt_dtype)p->arg[in].is), how, p->compute, k, (long long)r,
                              (long long)values, creall(g), cimagl(g), creall(want[k]), cimagl(want[k]));
        }
    }
    free(m.x), free(m.whole);
}

/* A NaN's bits are the processor's own business. */
static bool same_results(const kt_plan *p, int64_t results)
{
    for (int k = 0; k < p->n_out; k++) {
        const kt_dtype d = (kt_dtype)p->arg[k].is;
        const int64_t  w = (int64_t)size_of_dtype(d);
        if (memcmp(to[k], base[k], (size_t)(results * w)) == 0)
            continue;
        for (int64_t i = 0; i < results; i++)
            if (memcmp(to[k] + i * w, base[k] + i * w, (size_t)w) != 0 &&
                !(nan_of(get_complex(to[k], i * w, d)) && nan_of(get_complex(base[k], i * w, d))))
                return false;
    }
    return true;
}

static void run_everywhere(kt_plan *p, const subject *s, const char *how)
{
    int64_t results = 1;
    for (int d = 0; d < p->nd; d++)
        results *= p->stride[0][d] == 0 ? 1 : p->size[d];
    const int threads = kt_get_num_threads();
    for (int b = 0; b < 2 * num_builds(); b++) {
        const kt__cpu_build *build = &kt__cpu_builds[b / 2];
        if (!can_run(b / 2))
            continue;
        kt_set_num_threads(b % 2 + 1);
        for (int k = 0; k < p->n_out; k++)
            memset(to[k], 0x5a, (size_t)(results * 16));
        if (!CHECK_MSG(kt__cpu_run_with(build, p) == KT_OK, "%s %s: %s", s->name, how, kt_error()))
            kt_clear();
        if (b == 0) {
            check_results(p, s, how);
            for (int k = 0; k < p->n_out; k++)
                memcpy(base[k], to[k], (size_t)(results * 16));
        }
        CHECK_MSG(same_results(p, results), "%s of %s %s: %s with %d threads differs from base", s->name,
                  kt_dtype_name((kt_dtype)p->arg[p->n_out].is), how, build->name, b % 2 + 1);
    }
    kt_set_num_threads(threads);
}

static const kt_dtype sampled[] = {KT_F32, KT_F64, KT_BF16, KT_F16, KT_I32, KT_I8, KT_BOOL,
                                   KT_I64, KT_U64, KT_U8,   KT_C64, KT_C128};
enum { NUM_SAMPLED = sizeof sampled / sizeof *sampled };

static void check(const subject *s, kt_dtype d, int nd, const int64_t *size, unsigned gone, int layout, bool special)
{
    static const char *const names[] = {"dense", "transposed", "strided", "broadcast"};
    kt_plan                  p;
    char                     how[96];
    if ((s->kinds & kind_of(d)) == 0)
        return;
    plan_reduce(&p, s, d, nd, size, gone);
    lay_out(&p, layout);
    fill_values(s, d, p.numel * 2, special);
    const double param = s->kernel == KT_K_norm ? powers[test_below(8)] : (double)test_below(3);
    if (s->kernel == KT_K_norm || s->kernel == KT_K_var || s->kernel == KT_K_std)
        plan_param(&p, KT_FLOAT(param));
    snprintf(how, sizeof how, "%s, dims %x of [%lld, %lld, %lld], param %g", names[layout], gone, (long long)size[0],
             (long long)(nd > 1 ? size[1] : 0), (long long)(nd > 2 ? size[2] : 0), param);
    run_everywhere(&p, s, how);
}

TEST(every_set_of_dims)
{
    static const int64_t shapes[][3] = {{3, 4, 5}, {2, 35, 18}, {1, 3, 700}, {37, 1, 20}, {5, 90, 3}};
    for (int k = 0; k < NUM_SUBJECTS; k++)
        for (int t = 0; t < NUM_SAMPLED; t++)
            for (int s = 0; s < 5; s++)
                for (unsigned gone = 0; gone < 8; gone++)
                    if (test_all() || test_below(12) == 0)
                        check(&subjects[k], sampled[t], 3, shapes[s], gone, (int)test_below(4), test_below(3) == 0);
}

TEST(long_rows_and_tall_columns)
{
    static const int64_t shapes[][2] = {{1, 40000}, {9, 3001}, {3000, 17}, {700, 65}, {33, 600}};
    for (int k = 0; k < NUM_SUBJECTS; k++)
        for (int t = 0; t < NUM_SAMPLED; t++)
            for (int s = 0; s < 5; s++)
                if (test_all() || test_below(16) == 0)
                    check(&subjects[k], sampled[t], 2, shapes[s], 1 + (unsigned)test_below(3), (int)test_below(3),
                          test_below(4) == 0);
}

TEST(lengths)
{
    for (int64_t n = 1; n < 3000; n = n * 5 / 3 + 1)
        for (int k = 0; k < NUM_SUBJECTS; k++)
            for (int t = 0; t < NUM_SAMPLED; t++)
                if (test_all() || test_below(6) == 0)
                    check(&subjects[k], sampled[t], 1, &n, 1, 0, false);
}

/* Threads split the blocks of one result. */
TEST(one_long_row)
{
    const int64_t n = 70001;
    for (int k = 0; k < NUM_SUBJECTS; k++)
        check(&subjects[k], subjects[k].kinds & REALS && k % 4 ? KT_F32 : KT_I16, 1, &n, 1, 0, false);
}

TEST(no_dims)
{
    for (int k = 0; k < NUM_SUBJECTS; k++)
        check(&subjects[k], KT_F32, 0, (int64_t[]){0}, 0, 0, false);
}

TEST(empty)
{
    static const struct { int kernel, n_out; double want; } rows[] = {
        {KT_K_sum, 1, 0},  {KT_K_nansum, 1, 0}, {KT_K_norm, 1, 0}, {KT_K_prod, 1, 1},        {KT_K_all, 1, 1},
        {KT_K_any, 1, 0},  {KT_K_mean, 1, NAN}, {KT_K_var, 2, NAN}, {KT_K_std, 1, NAN},      {KT_K_nanmean, 1, NAN},
        {KT_K_count_nonzero, 1, 0}, {KT_K_logsumexp, 1, -INFINITY}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        const subject s = {rows[i].kernel, "empty", ANY, rows[i].n_out};
        kt_plan       p;
        plan_reduce(&p, &s, KT_F32, 2, (int64_t[]){3, 0}, 2);
        plan_param(&p, KT_FLOAT(3));
        memset(to[0], 0x44, 64), memset(to[1], 0x44, 64);
        CHECK_EQ_INT(run_plan(&p), KT_OK);
        const kt_dtype d = (kt_dtype)p.arg[0].is;
        const int64_t  w = (int64_t)size_of_dtype(d);
        for (int j = 0; j < 3; j++) {
            CHECK_NEAR(get_real(to[0], j * w, d), rows[i].want, 0);
            if (rows[i].n_out == 2)
                CHECK_NEAR(get_real(to[1], j * w, d), NAN, 0);
        }
        CHECK_EQ_INT(to[0][3 * w], 0x44);
    }
}

static double one_var(const double *x, int64_t n, double correction)
{
    const subject s = {KT_K_var, "var", ANY, 1};
    kt_plan       p;
    memcpy(from, x, (size_t)n * sizeof *x);
    plan_reduce(&p, &s, KT_F64, 1, &n, 1);
    plan_param(&p, KT_FLOAT(correction));
    CHECK_EQ_INT(run_plan(&p), KT_OK);
    return get_real(to[0], 0, KT_F64);
}

TEST(degrees_of_freedom)
{
    CHECK_NEAR(one_var((double[]){1}, 1, 1), NAN, 0);
    CHECK_NEAR(one_var((double[]){1, 2}, 2, 3), INFINITY, 0);
    CHECK_NEAR(one_var((double[]){1, 1}, 2, 3), NAN, 0);
    CHECK_NEAR(one_var((double[]){1, 2}, 2, 2), INFINITY, 0);
    CHECK_NEAR(one_var((double[]){1, 2}, 2, 0.5), 0.5 / 1.5, 1e-16);
}

/* A large mean beside a small spread: one pass over squares would lose it. */
TEST(variance_far_from_zero)
{
    enum { N = 50000 };
    double *x = malloc(N * sizeof *x);
    for (int i = 0; i < N; i++)
        x[i] = 1e9 + (i % 2 ? 0.5 : -0.5);
    CHECK_NEAR(one_var(x, N, 0), 0.25, 1e-9);
    free(x);
}

/* The first of equal values, the first NaN, over a transposed pair of dims: the index counts in the plan's order. */
TEST(indices)
{
    const subject s = {KT_K_argmax, "argmax", ANY, 1};
    kt_plan       p;
    int32_t      *x = (int32_t *)(void *)from;
    memset(from, 0, 3 * 40 * 4);
    plan_reduce(&p, &s, KT_I32, 2, (int64_t[]){40, 3}, 3);
    p.stride[1][0] = 4, p.stride[1][1] = 160; /* element (i, j) at j * 40 + i */
    x[1 * 40 + 7] = x[0 * 40 + 8] = x[2 * 40 + 7] = 5;
    CHECK_EQ_INT(run_plan(&p), KT_OK);
    CHECK_EQ_INT(get_real(to[0], 0, KT_I64), 7 * 3 + 1);
}

TEST(exps_out_of_range)
{
    static const double rows[][4] = {{1000, 1000, -1000, 0},
                                     {-1e30, -1e30, -1e30, -1e30},
                                     {-INFINITY, -INFINITY, -INFINITY, -INFINITY},
                                     {INFINITY, 0, -INFINITY, 1},
                                     {NAN, INFINITY, 0, 0},
                                     {-800, -INFINITY, -800, -INFINITY}};
    static const double want[] = {1000.6931471805599, -1e30, -INFINITY, INFINITY, NAN, -799.30685281944005};
    const subject       s = {KT_K_logsumexp, "logsumexp", ANY, 1};
    for (int t = 0; t < 2; t++)
        for (int wide_rows = 0; wide_rows < 2; wide_rows++) {
            const kt_dtype d = t ? KT_F64 : KT_F32;
            const int64_t  w = (int64_t)size_of_dtype(d), copies = 20;
            kt_plan        p;
            for (int r = 0; r < 6; r++)
                for (int64_t i = 0; i < 4 * copies; i++) /* columns: results side by side, or one after the other */
                    kt_scalar_store(from + (wide_rows ? r * 4 * copies + i : i / 4 * 24 + r * 4 + i % 4) * w, d,
                                    KT_FLOAT(rows[r][wide_rows ? i / copies : i % 4]));
            if (wide_rows)
                plan_reduce(&p, &s, d, 3, (int64_t[]){6, 4, copies}, 2);
            else
                plan_reduce(&p, &s, d, 3, (int64_t[]){copies, 6, 4}, 4);
            CHECK_EQ_INT(run_plan(&p), KT_OK);
            for (int64_t i = 0; i < 6 * copies; i++)
                CHECK_NEAR(get_real(to[0], i * w, d), want[wide_rows ? i / copies : i % 6],
                           fabs(want[wide_rows ? i / copies : i % 6]) * (t ? 1e-15 : 1e-7));
        }
}

/* What has no meaning has no kernel: order of complex numbers, averages of integers. */
TEST(refused)
{
    kt_backend *cpu = kt__cpu_backend();
    for (int k = 0; k < NUM_SUBJECTS; k++)
        for (int t = 0; t < NUM_SAMPLED; t++) {
            const bool has = cpu->has(cpu, (kt_kernel_id)subjects[k].kernel, compute_of(sampled[t]));
            kt_plan    p;
            CHECK_EQ_INT(has, (subjects[k].kinds & kind_of(sampled[t])) != 0);
            if (has)
                continue;
            plan_reduce(&p, &subjects[k], sampled[t], 1, (int64_t[]){4}, 1);
            CHECK_FAILS(run_plan(&p), KT_ERR_NOT_IMPLEMENTED, "the CPU has no kernel");
        }
}

TEST(without_memory)
{
    for (int k = 0; k < NUM_SUBJECTS; k++) {
        kt_plan p;
        if ((subjects[k].kinds & REALS) == 0)
            continue;
        fill_random(from, KT_F32, 8000 * 32);
        plan_reduce(&p, &subjects[k], KT_F32, 2, (int64_t[]){8000, 32}, 1);
        plan_param(&p, KT_FLOAT(1));
        kt_memory_trim();
        for (int64_t n = 0; n < 4; n++) {
            kt_memory_fail_after(n);
            const kt_status status = run_plan(&p);
            kt_memory_fail_after(-1);
            CHECK(status == KT_OK || status == KT_ERR_MEMORY);
            kt_clear();
        }
    }
}
