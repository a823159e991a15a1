/* random.c - elementwise distributions: samples are drawn into a tile of float32, float64 or int64 and cast to the
 * output's dtype.
 *
 * In: a plan with a generator; at most two inputs, which give each element's own parameters. Out: the output, its elements
 * drawn one after another in the order of the plan's dims. Single-threaded: the order of draws is part of the result.
 * Independent of: tensors, operators, whose generator it is.
 *
 * Distributions by inversion: L. Devroye, Non-Uniform Random Variate Generation (1986), chapter II.2. */
#include "cpu/random/random.h"

#include <math.h>

#include "base/error.h"
#include "dtype/fault.h"
#include "dtype/value.h"
#include "tables/kernels/random.h"

typedef struct drawing drawing;
typedef void sampler(const drawing *d, void *tile, const void *each, int n); /* each: this tile's inputs, or NULL */

struct drawing {
    const kt__cpu_build *build;
    kt_generator        *g;
    sampler             *sample;
    kt_dtype             tile_dtype, each_dtype; /* what samples are made in, and what the input is seen as */
    double               a, b;                   /* the parameters of the distribution; of gamma its smallest result */
    int64_t              least;
    uint64_t             count;
    bool                 wide;
    kt__uniform          uniform;
};

/* ---- the samplers ---- */

kt__uniform kt__uniform_for(kt_dtype dtype, double from, double to)
{
    const int bits = dtype == KT_F16 ? 11 : dtype == KT_BF16 ? 8 : 24;
    float     low = (float)from, high = (float)to, range;
    uint16_t  narrow[3];
    if (bits == 24)
        return (kt__uniform){0xffffff, high - low, low};
    kt__convert(narrow, dtype, 2, (float[]){low, high}, KT_F32, 4, 2); /* bounds and their distance in the dtype itself */
    kt__convert(&low, KT_F32, 4, narrow, dtype, 2, 1);
    kt__convert(&high, KT_F32, 4, narrow + 1, dtype, 2, 1);
    range = high - low;
    kt__convert(narrow + 2, dtype, 2, &range, KT_F32, 4, 1);
    kt__convert(&range, KT_F32, 4, narrow + 2, dtype, 2, 1);
    return (kt__uniform){(1u << bits) - 1, range, low};
}

static void sample_uniform_f32(const drawing *d, void *tile, const void *each, int n)
{
    (void)each;
    kt__draw_uniform(d->build, d->g, &d->uniform, tile, n);
}

static void sample_uniform_f64(const drawing *d, void *tile, const void *each, int n)
{
    (void)each;
    double *to = tile;
    for (int i = 0; i < n; i++)
        to[i] = fma(kt__rng_uniform(d->g), d->b - d->a, d->a);
}

static void sample_normal(const drawing *d, void *tile, const void *each, int n)
{
    (void)each;
    double *to = tile;
    for (int i = 0; i < n; i++)
        to[i] = fma(kt__rng_normal(d->g), d->b, d->a);
}

static void sample_int(const drawing *d, void *tile, const void *each, int n)
{
    (void)each;
    int64_t *to = tile;
    for (int i = 0; i < n; i++) {
        const uint64_t x = d->wide ? kt__rng_u64(d->g) : kt__rng_u32(d->g);
        to[i] = (int64_t)((d->count ? x % d->count : x) + (uint64_t)d->least);
    }
}

static void sample_bernoulli(const drawing *d, void *tile, const void *each, int n)
{
    (void)each;
    float *to = tile;
    for (int i = 0; i < n; i++)
        to[i] = kt__rng_uniform(d->g) < d->a;
}

static void sample_bernoulli_f32(const drawing *d, void *tile, const void *each, int n)
{
    const float *p = each;
    float       *to = tile;
    sample_uniform_f32(d, to, NULL, n);
    for (int i = 0; i < n; i++)
        to[i] = to[i] < p[i];
}

static void sample_bernoulli_f64(const drawing *d, void *tile, const void *each, int n)
{
    const double *p = each;
    float        *to = tile;
    for (int i = 0; i < n; i++)
        to[i] = kt__rng_uniform(d->g) < p[i];
}

/* The distributions by inversion, in double. */
static double by_exponential(const drawing *d, double u) { return -1.0 / d->a * log1p(-u); }
static double by_cauchy(const drawing *d, double u) { return fma(d->b, tan(M_PI * (u - 0.5)), d->a); }
static double by_geometric(const drawing *d, double u) { return ceil(log(u) / log1p(-d->a)); }

#define INVERTED(name)                                                                    \
    static void sample_##name(const drawing *d, void *tile, const void *each, int n)      \
    {                                                                                     \
        (void)each;                                                                       \
        invert(d, tile, n, by_##name);                                                    \
    }
static inline __attribute__((always_inline)) void invert(const drawing *d, double *to, int n,
                                                         double (*by)(const drawing *, double))
{
    for (int i = 0; i < n; i++)
        to[i] = by(d, kt__rng_uniform(d->g));
}
INVERTED(exponential)
INVERTED(cauchy)
INVERTED(geometric)

static void sample_log_normal(const drawing *d, void *tile, const void *each, int n)
{
    (void)each;
    double *to = tile;
    for (int i = 0; i < n; i++)
        to[i] = exp(fma(kt__rng_normal(d->g), d->b, d->a));
}

static void sample_poisson(const drawing *d, void *tile, const void *each, int n)
{
    const double *rate = each;
    double       *to = tile;
    for (int i = 0; i < n; i++)
        to[i] = kt__poisson(d->g, rate[i]);
}

static void sample_gamma(const drawing *d, void *tile, const void *each, int n)
{
    const double *concentration = each;
    double       *to = tile;
    for (int i = 0; i < n; i++) {
        const double x = kt__gamma(d->g, concentration[i], !d->wide);
        to[i] = x < d->a ? d->a : x;
    }
}

static void sample_binomial(const drawing *d, void *tile, const void *each, int n)
{
    const double *count = each, *p = count + KT__DRAW_TILE;
    double       *to = tile;
    for (int i = 0; i < n; i++)
        to[i] = kt__binomial(d->g, count[i], p[i]);
}

/* ---- rows of the plan, in order ---- */

/* Checks every element of the input against the distribution's bounds before drawing, so that a refused call leaves the
 * generator unchanged. */
static kt_status check_each(const drawing *d, int kernel, const void *each, int n)
{
    for (int i = 0; i < n; i++) {
        const double x = d->each_dtype == KT_F64 ? ((const double *)each)[i] : (double)((const float *)each)[i];
        if (kernel == KT_K_bernoulli_tensor && !(x >= 0 && x <= 1))
            return kt__fail_fault(&(kt_fault){.kind = KT_FAULT_BERNOULLI});
        if (kernel == KT_K_poisson && !(x >= 0))
            return kt__fail_fault(&(kt_fault){.kind = KT_FAULT_POISSON});
    }
    return KT_OK;
}

static kt_status draw_row(const drawing *d, const kt_plan *plan, char *const at[3], int64_t n, bool check)
{
    const int       last = plan->nd - 1;
    const ptrdiff_t out_step = plan->nd ? plan->stride[0][last] : 0;
    double          tile[KT__DRAW_TILE], each[2 * KT__DRAW_TILE]; /* room for any of the three types */
    for (int64_t done = 0; done < n; done += KT__DRAW_TILE) {
        const int m = n - done < KT__DRAW_TILE ? (int)(n - done) : KT__DRAW_TILE;
        for (int i = 1; i <= plan->n_in; i++) {
            const ptrdiff_t step = plan->nd ? plan->stride[i][last] : 0;
            kt__convert(each + (i - 1) * KT__DRAW_TILE, d->each_dtype, (ptrdiff_t)kt_dtype_size(d->each_dtype),
                        at[i] + done * step, (kt_dtype)plan->arg[i].is, step, m);
        }
        if (check) {
            if (check_each(d, plan->kernel, each, m))
                return kt_error_status();
            continue;
        }
        char *to = at[0] + done * out_step;
        if ((kt_dtype)plan->arg[0].is == d->tile_dtype && out_step == (ptrdiff_t)kt_dtype_size(d->tile_dtype)) {
            d->sample(d, to, each, m);
            continue;
        }
        d->sample(d, tile, each, m);
        kt__convert(to, (kt_dtype)plan->arg[0].is, out_step, tile, d->tile_dtype,
                    (ptrdiff_t)kt_dtype_size(d->tile_dtype), m);
    }
    return KT_OK;
}

static kt_status draw_rows(const drawing *d, const kt_plan *plan, bool check)
{
    const int64_t length = plan->nd ? plan->size[plan->nd - 1] : 1;
    int64_t       index[KT_MAX_DIMS] = {0};
    char         *at[3] = {NULL};
    for (int i = 0; i <= plan->n_in; i++)
        at[i] = plan->arg[i].data;
    for (int64_t left = plan->numel; left > 0; left -= length) {
        if (draw_row(d, plan, at, length, check))
            return kt_error_status();
        for (int dim = plan->nd - 2; dim >= 0; dim--) {
            const bool    carry = ++index[dim] == plan->size[dim];
            const int64_t by = carry ? 1 - plan->size[dim] : 1;
            for (int i = 0; i <= plan->n_in; i++)
                at[i] += by * plan->stride[i][dim];
            if (!carry)
                break;
            index[dim] = 0;
        }
    }
    return KT_OK;
}

static void choose_sampler(drawing *d, const kt_plan *plan)
{
    const bool wide_float = plan->arg[0].is == KT_F64;
    kt_finfo   f;
    d->tile_dtype = KT_F64;
    d->each_dtype = plan->n_in && plan->arg[1].is != KT_F64 && plan->kernel == KT_K_bernoulli_tensor ? KT_F32 : KT_F64;
    switch (plan->kernel) {
    case KT_K_uniform:
        d->sample = wide_float ? sample_uniform_f64 : sample_uniform_f32;
        d->tile_dtype = wide_float ? KT_F64 : KT_F32;
        d->uniform = kt__uniform_for((kt_dtype)plan->arg[0].is, d->a, d->b);
        break;
    case KT_K_random_int:
        d->sample = sample_int;
        d->tile_dtype = KT_I64;
        d->least = plan->param[0].v.i;
        d->count = (uint64_t)plan->param[1].v.i;
        d->wide = plan->param[2].v.i != 0;
        break;
    case KT_K_bernoulli:
        d->sample = sample_bernoulli;
        d->tile_dtype = KT_F32;
        break;
    case KT_K_bernoulli_tensor:
        d->sample = d->each_dtype == KT_F64 ? sample_bernoulli_f64 : sample_bernoulli_f32;
        d->tile_dtype = KT_F32;
        d->uniform = kt__uniform_for(KT_F32, 0, 1);
        break;
    case KT_K_normal:      d->sample = sample_normal; break;
    case KT_K_exponential: d->sample = sample_exponential; break;
    case KT_K_cauchy:      d->sample = sample_cauchy; break;
    case KT_K_log_normal:  d->sample = sample_log_normal; break;
    case KT_K_geometric:   d->sample = sample_geometric; break;
    case KT_K_binomial:    d->sample = sample_binomial; break;
    case KT_K_standard_gamma:
        d->sample = sample_gamma;
        d->wide = wide_float;
        d->a = kt_dtype_finfo((kt_dtype)plan->arg[0].is, &f) ? 0 : f.smallest_normal;
        break;
    default:               d->sample = sample_poisson; break;
    }
}

kt_status kt__cpu_random(const kt__cpu_build *build, const kt_plan *plan)
{
    if (plan->kernel == KT_K_randperm)
        return kt__cpu_randperm(plan);
    if (plan->kernel == KT_K_multinomial)
        return kt__cpu_multinomial(plan);
    if (plan->kernel == KT_K_dropout)
        return kt__cpu_dropout(plan);
    if (plan->kernel == KT_K_normal && plan->param[2].v.i)
        return kt__cpu_normal_by_sixteens(build, plan);
    drawing d = {.build = build, .g = plan->generator};
    d.a = plan->n_param > 0 ? kt__scalar_f64(&plan->param[0]) : 0;
    d.b = plan->n_param > 1 ? kt__scalar_f64(&plan->param[1]) : 0;
    choose_sampler(&d, plan);
    if (plan->n_in && draw_rows(&d, plan, true))
        return kt_error_status();
    return draw_rows(&d, plan, false);
}
