/* bounds.c - the functions of src/math against src/math/bounds.def, through the library's kernels.
 *
 * float32, one operand: all 2^32 of them with KARAT_TEST_ALL, else a sample; against reference.h, which is itself checked against
 * long double. Two operands, and float64: samples, the latter against long double. Special values always. The fastest build is
 * measured, the others must give its bits. One line a bound says the greatest error and where it is. KARAT_TEST_FUNCTION=exp:
 * that one alone. */
#include "unit/cpu/plans.h"
#include "unit/math/reference.h"

#include <float.h>
#include <pthread.h>

#include "base/thread.h"

/* All numbers take half an hour without the widest vectors of the processor. Sanitizers begin after they are chosen. */
#if defined(__x86_64__) && !defined(__clang__) && !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
#define WIDE_VECTORS __attribute__((target_clones("avx512f", "avx2", "default")))
#else
#define WIDE_VECTORS
#endif

typedef long double real;

/* ---- the functions exactly ---- */
static const real pi = 3.141592653589793238462643383279502884L;

/* An error of an exponent is a relative one of the power: where an exponent is rounded, 64 bits would not do. */
#if LDBL_MANT_DIG < 100
typedef __float128 wide;
#define WIDE(number) number##Q
#else
typedef long double wide;
#define WIDE(number) number##L
#endif
typedef struct two_parts {
    real hi, lo;
} two_parts;

static two_parts in_two(wide x)
{
    const real hi = (real)x;
    return (two_parts){hi, isfinite(hi) ? (real)(x - (wide)hi) : 0};
}

static real exact_power(wide x)
{
    const two_parts e = in_two(x);
    return expl(e.hi) * (fabsl(e.lo) < 1 ? 1 + e.lo : 1); /* beyond, it is 0 or infinite anyway */
}

static real exact_sigmoid(real x) { return 1 / (1 + expl(-x)); }
static real exact_share(real x)
{
    const two_parts e = in_two(-(wide)x * WIDE(0.707106781186547524400844362104849039));
    return (erfcl(e.hi) - 2 / sqrtl(pi) * expl(-e.hi * e.hi) * e.lo) / 2;
}
static wide exact_cubic(real x)
{
    const wide w = x;
    return WIDE(1.595769121605730711759784239737527) * (w + WIDE(0.044715) * w * w * w);
}
static real exact_cubic_share(real x) { return 1 / (1 + exact_power(-exact_cubic(x))); }
static real exact_softplus(real x) { return x > 20 ? x : (x > 0 ? x : 0) + log1pl(expl(-fabsl(x))); }
static real exact_logsigmoid(real x) { return x > 800 ? 0 : (x < 0 ? x : 0) - log1pl(expl(-fabsl(x))); }
static real exact_silu_slope(real x)
{
    const real s = exact_sigmoid(x);
    return s + x * (s * exact_sigmoid(-x));
}
static real exact_mish_slope(real x)
{
    const real t = tanhl(log1pl(expl(x)));
    return x > 50 && x < INFINITY ? 1 : t + x * (exact_sigmoid(x) * (1 - t * t));
}
static real exact_gelu_slope(real x)
{
    return exact_share(x) + x * (exact_power(-(wide)x * x / 2) / sqrtl(2 * pi));
}
static real exact_gelu_tanh_slope(real x)
{
    const real s = exact_cubic_share(x), inner = sqrtl(8 / pi) * (1 + 3 * 0.044715L * x * x);
    return fabsl(x) > 50 ? s : s + x * s * exact_cubic_share(-x) * inner;
}
static real exact_logaddexp(real x, real y)
{
    return x == y && isinf(x) ? x : (x > y ? x : y) + log1pl(expl(-fabsl(x - y)));
}
static real exact_logaddexp2(real x, real y)
{
    return x == y && isinf(x) ? x : (x > y ? x : y) + log1pl(exp2l(-fabsl(x - y))) / logl(2);
}

/* ---- the two tables ---- */
typedef enum kind { KIND_ONE, KIND_SLOPE, KIND_TWO } kind;

typedef struct function {
    const char *name;
    int         kernel;
    kind        kind;
    double      p[3];
    void (*fast)(double *z, const float *x, const float *y, int n);
    real (*exact)(real x, real y);
} function;

#define ONE(name, kernel, exact)   ROW(name, kernel, KIND_ONE, exact, fast_##name(x), r, 0, 0, 0)
#define ONE_(name, kernel, ...)    ROW_WITH(name, kernel, KIND_ONE, fast_##name(x), __VA_ARGS__)
#define SLOPE(name, kernel, exact) ROW(name, kernel, KIND_SLOPE, exact, fast_##name(x), r, 0, 0, 0)
#define SLOPE_(name, kernel, ...)  ROW_WITH(name, kernel, KIND_SLOPE, fast_##name(x), __VA_ARGS__)
#define TWO(name, kernel, exact)   ROW(name, kernel, KIND_TWO, exact, fast_##name(x, y), r, 0, 0, 0)
#define FAR(name, kernel, exact)   ROW(name, kernel, KIND_ONE, exact, fast_##name(x), far_##name(xs[i], r), 0, 0, 0)
#define ROW_WITH(name, kernel, kind, fast, exact, p0, p1, p2) ROW(name, kernel, kind, exact, fast, r, p0, p1, p2)

static double far_sin(float x, double r) { return fabsf(x) < (float)REF_TRIG_MAX ? r : ref_sin_far(x, 0); }
static double far_cos(float x, double r) { return fabsf(x) < (float)REF_TRIG_MAX ? r : ref_sin_far(x, 1); }
static double far_tan(float x, double r) { return fabsf(x) < (float)REF_TRIG_MAX ? r : ref_tan_far(x); }

#define ROW(name, kernel, kind, exact, fast, mended, ...)                                                              \
    WIDE_VECTORS                                                                                                       \
    static void fast_row_##name(double *restrict z, const float *restrict xs, const float *restrict ys, int n)         \
    {                                                                                                                  \
        for (int i = 0; i < n; i++) {                                                                                  \
            const double x = (double)xs[i], y = (double)ys[i];                                                         \
            (void)y;                                                                                                   \
            z[i] = fast;                                                                                               \
        }                                                                                                              \
        for (int i = 0; i < n; i++) {                                                                                  \
            const double r = z[i];                                                                                     \
            z[i] = mended;                                                                                             \
        }                                                                                                              \
    }                                                                                                                  \
    static real exact_row_##name(real x, real y)                                                                       \
    {                                                                                                                  \
        (void)y;                                                                                                       \
        return exact;                                                                                                  \
    }
#include "unit/math/functions.def"
#undef ROW

enum {
#define ROW(name, ...) FUNCTION_##name,
#include "unit/math/functions.def"
#undef ROW
    NUM_FUNCTIONS
};

static const function functions[] = {
#define ROW(name, kernel, kind, exact, fast, mended, ...)                                                              \
    {#name, KT_K_##kernel, kind, {__VA_ARGS__}, fast_row_##name, exact_row_##name},
#include "unit/math/functions.def"
#undef ROW
};

typedef struct bound {
    int      function;
    kt_dtype dtype;
    double   ulps, least, from, to;
} bound;

static const bound bounds[] = {
#define BOUND(name, dtype, ulps, least, from, to) {FUNCTION_##name, KT_##dtype, ulps, least, from, to},
#include "math/bounds.def"
#undef BOUND
};
enum { NUM_BOUNDS = sizeof bounds / sizeof *bounds };

/* ---- distances ---- */

/* |got - want| in units of float32's last place at `want`, or at `least` where that is greater. A NaN is equal to a NaN; zeros
 * have signs; infinity is 2^128. */
FAST double ulps_f32(float got, double want, double least)
{
    const double end = 0x1p128, g = (double)got;
    double       w = want > end ? end : want;
    w = w < -end ? -end : w;
    double near = g > end ? end : g;
    near = near < -end ? -end : near;
    double size = fabs(w) > least ? fabs(w) : least;
    size = size > 0x1p-126 ? size : 0x1p-126;
    size = size < FLT_MAX ? size : FLT_MAX;
    const double per_unit = ref_double((UINT64_C(2046) << 52) - (ref_bits(size) & UINT64_C(0x7ff0000000000000))) * 0x1p23;
    double       r = fabs(near - w) * per_unit;
    const double wrong_sign = (int64_t)(ref_bits(g) ^ ref_bits(want)) < 0 ? INFINITY : r;
    r = want == 0 ? wrong_sign : r;
    const double one_nan = want != want ? 0.0 : INFINITY, other = want != want ? INFINITY : r;
    return g != g ? one_nan : other;
}

/* The same in a third of the time for results as they ought to be: not below the normal numbers, and not infinite beside a finite
 * one. Elsewhere it is more, or NaN. Below a half of what is nearest, whatever it is. */
FAST double ulps_f32_at_most(float got, double want, double least)
{
    const double   g = (double)got, nearest = (double)(float)want, a = fabs(want), size = a > least ? a : least;
    const uint64_t exponent = ref_bits(size) & UINT64_C(0x7ff0000000000000);
    double         r = fabs(g - want) * (ref_double((UINT64_C(2046) << 52) - exponent) * 0x1p23);
    r = ref_bits(g) == ref_bits(nearest) ? 0.4999 : r;
    r = g != g && want != want ? 0.0 : r;
    return r;
}

static double ulps_f64(double got, real want, double least)
{
    if (isnan(got) || isnan(want))
        return isnan(got) && isnan(want) ? 0 : INFINITY;
    if (want == 0 && !signbit(got) != !signbit(want))
        return INFINITY;
    const real end = 0x1p1024L, w = want > end ? end : want < -end ? -end : want;
    const real near = isinf(got) ? copysignl(end, got) : (real)got;
    real       size = fmaxl(fabsl(w), fmaxl((real)least, DBL_MIN));
    int        e;
    frexpl(fminl(size, DBL_MAX), &e);
    return (double)ldexpl(fabsl(near - w), 53 - e);
}

/* ---- operands ---- */
static uint64_t mixed(uint64_t seed, uint64_t count) /* as test_random, at any place of its sequence */
{
    uint64_t z = seed + count * 0x9e3779b97f4a7c15u;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return z ^ (z >> 31);
}

/* Where something begins or ends in one function or another, in float32 or float64; the neighbours count too. */
static const double ends[] = {
    0,     0x1p-149, 0x1p-126, 0x1p-1074, 0x1p-1022, 0x1p-24, 0x1p-12, 0.25,    0.40625, 0.5,     0.693147181, 0.7071068, 0.75,
    0.838, 1,        1.4142,   1.5,       2,         3,       4,       5.54,    8,       9,       9.0105,      10,        10.05,
    10.5,  13,       14.17,    16.6355,   18.7,      19.0615, 20,      26.5433, 37.5,    44.0148, 87.33,       88.3763,   88.7228,
    89.41, 103.278,  103.972,  104,       126,       127,     128,     145,     149,     150,     708.396,     709.783,   710.476,
    745.13, 1022,    1024,     1074,      8192,      105615,  16777216, 0x1p26, 0x1p31,  0x1p63,  0x1p64,      FLT_MAX,   DBL_MAX,
    0x1.6ac5b262ca1ffp849, /* no float64 is nearer to a multiple of pi/2 */
    INFINITY};
enum { NUM_ENDS = sizeof ends / sizeof *ends, NEIGHBOURS = 16, CHUNK = 4096 };

static float end_f32(uint64_t k)
{
    const int32_t step = (int32_t)(k % (2 * NEIGHBOURS)) - NEIGHBOURS;
    const float   at = (float)ends[k / 2 / NEIGHBOURS / 2 % NUM_ENDS], sign = k / 2 / NEIGHBOURS % 2 ? -1.0f : 1.0f;
    uint32_t      u;
    float         x = fabsf(at);
    memcpy(&u, &x, 4);
    u += (uint32_t)step;
    memcpy(&x, &u, 4);
    return sign * x; /* past infinity: NaN; before zero: a negative NaN */
}

static double end_f64(uint64_t k)
{
    const int64_t step = (int64_t)(k % (2 * NEIGHBOURS)) - NEIGHBOURS;
    const double  at = ends[k / 2 / NEIGHBOURS / 2 % NUM_ENDS], sign = k / 2 / NEIGHBOURS % 2 ? -1.0 : 1.0;
    return sign * ref_double(ref_bits(at) + (uint64_t)step);
}

static double uniform(uint64_t z) { return (double)(int64_t)z * 0x1p-63; } /* from -1 to 1 */

/* Not far from an end, at any distance. */
static double near_end(uint64_t z, uint64_t w)
{
    const double at = ends[z % NUM_ENDS] * (1 + uniform(w) * exp2(-(double)(w % 48)));
    return z >> 63 ? -at : at;
}

/* Ordinary operands of the i-th kind: of all sizes, small ones, and pairs whose power is within the range of the dtype. */
static void ordinary(uint64_t z, uint64_t w, double reach, double *x, double *y)
{
    *x = uniform(z) * 20, *y = uniform(w) * 20;
    if (z % 4 == 1)
        *x = (double)((int64_t)(z >> 58) - 32) / 2, *y = (double)((int64_t)(w >> 58) - 32) / 2;
    if (z % 4 >= 2) {
        const double power = uniform(z) * (z % 4 == 2 ? 1 : reach);
        *x = exp2(power), *y = uniform(w) * reach / power;
    }
}

WIDE_VECTORS
static void numbers_from(float *x, uint32_t first) /* by their bits */
{
    for (uint32_t i = 0; i < CHUNK; i++) {
        const uint32_t u = first + i;
        memcpy(&x[i], &u, 4);
    }
}

static void operands_f32(float *x, float *y, uint64_t seed, uint64_t chunk)
{
    for (uint64_t i = 0; i < CHUNK; i++) {
        const uint64_t z = mixed(seed, 2 * (chunk * CHUNK + i)), w = mixed(seed, 2 * (chunk * CHUNK + i) + 1);
        uint32_t       u = (uint32_t)z, v = (uint32_t)w;
        double         a, b;
        memcpy(&x[i], &u, 4), memcpy(&y[i], &v, 4);
        if (chunk == 0)
            x[i] = end_f32(i), y[i] = end_f32(w);
        else if (i % 4) {
            ordinary(z, w, 150, &a, &b);
            x[i] = (float)a, y[i] = (float)b;
        }
    }
}

/* Within a few last places of a multiple of pi/2, of which trigonometric functions leave few bits. */
static double near_quarter(uint64_t z)
{
    const double multiple = (double)(z >> 32 >> (z % 32)) * 0x1.921fb54442d18p0;
    return multiple * (1 + (double)((int)(z >> 8 & 7) - 4) * 0x1p-52);
}

static void operands_f64(double *x, double *y, uint64_t seed, uint64_t chunk)
{
    for (uint64_t i = 0; i < CHUNK; i++) {
        const uint64_t z = mixed(seed, 2 * (chunk * CHUNK + i)), w = mixed(seed, 2 * (chunk * CHUNK + i) + 1);
        x[i] = ref_double(z), y[i] = ref_double(w);
        if (chunk == 0)
            x[i] = end_f64(i), y[i] = end_f64(w);
        else if (i % 8 == 0)
            x[i] = near_end(z, w), y[i] = near_end(w, z);
        else if (i % 16 == 4)
            x[i] = near_quarter(z);
        else if (i % 4)
            ordinary(z, w, 1100, &x[i], &y[i]);
    }
}

/* ---- one function ---- */
typedef struct tally { /* of one bound */
    double worst, x, y;
} tally;

typedef struct sweep {
    const function *f;
    kt_dtype        dtype;
    bool            every; /* all 2^32 */
    uint64_t        seed;
    double          least;
    int             num_rows, rows[NUM_BOUNDS]; /* its bounds, */
    tally           of[NUM_BOUNDS];             /* and how they hold */
    const char     *differs; /* a build that has other bits, */
    double          at_x, at_y;
    kt_status       status;
    pthread_mutex_t lock;
} sweep;

typedef struct chunk {
    union {
        float  f32[CHUNK];
        double f64[CHUNK];
    } x, y, one, out, other;
    double want[CHUNK], off[CHUNK];
} chunk;

static kt_status run_chunk(const sweep *s, chunk *c, int build, void *out)
{
    const kt_dtype d = s->dtype;
    kt_plan        p;
    void *const    first = s->f->kind == KIND_SLOPE ? (void *)&c->one : (void *)&c->x;
    void *const    second = s->f->kind == KIND_SLOPE ? (void *)&c->x : (void *)&c->y;
    plan_dense(&p, s->f->kernel, compute_of(d), s->f->kind == KIND_ONE ? 1 : 2, (void *[]){out, first, second},
               (kt_dtype[]){d, d, d}, CHUNK);
    for (int i = 0; i < 3; i++)
        plan_param(&p, KT_FLOAT(s->f->p[i]));
    return kt__cpu_run_with(&kt__cpu_builds[build], &p);
}

static double x_of(const sweep *s, const chunk *c, int i) { return s->dtype == KT_F32 ? (double)c->x.f32[i] : c->x.f64[i]; }
static double y_of(const sweep *s, const chunk *c, int i) { return s->dtype == KT_F32 ? (double)c->y.f32[i] : c->y.f64[i]; }

/* The first place where another build differs, or -1. */
static int difference(const sweep *s, const chunk *c)
{
    if (memcmp(&c->out, &c->other, CHUNK * size_of_dtype(s->dtype)) == 0)
        return -1;
    for (int i = 0; i < CHUNK; i++) {
        const double a = s->dtype == KT_F32 ? (double)c->out.f32[i] : c->out.f64[i];
        const double b = s->dtype == KT_F32 ? (double)c->other.f32[i] : c->other.f64[i];
        if (ref_bits(a) != ref_bits(b) && !(isnan(a) && isnan(b)))
            return i;
    }
    return -1;
}

/* The greatest of errors, as bits: of numbers that are not negative they are ordered as the numbers are, and NaN is greater. */
FAST uint64_t greatest(const double *off)
{
    uint64_t most = 0;
    for (int i = 0; i < CHUNK; i++)
        most = ref_bits(off[i]) > most ? ref_bits(off[i]) : most;
    return most;
}

static bool is_news(const sweep *s, uint64_t most)
{
    bool news = false;
    for (int k = 0; k < s->num_rows; k++)
        news |= !(ref_double(most) <= s->of[s->rows[k]].worst);
    return news;
}

WIDE_VECTORS
static void measure(const sweep *s, chunk *c)
{
    double *off = c->off;
    if (s->dtype == KT_F32) {
        const double least = s->least;
        s->f->fast(c->want, c->x.f32, c->y.f32, CHUNK);
        for (int i = 0; i < CHUNK; i++)
            off[i] = ulps_f32_at_most(c->out.f32[i], c->want[i], least);
        if (!is_news(s, greatest(off)))
            return;
        for (int i = 0; i < CHUNK; i++)
            off[i] = ulps_f32(c->out.f32[i], c->want[i], least);
    } else
        for (int i = 0; i < CHUNK; i++)
            off[i] = ulps_f64(c->out.f64[i], s->f->exact((real)c->x.f64[i], (real)c->y.f64[i]), s->least);
}

/* The greatest error among those x that a bound is about and no bound before it. */
static void keep_worst(sweep *s, chunk *c)
{
    const bool news = is_news(s, greatest(c->off));
    for (int i = 0; i < CHUNK && news; i++)
        for (int k = 0; k < s->num_rows; k++) {
            const int    b = s->rows[k];
            const double x = x_of(s, c, i);
            if (x < bounds[b].from || x > bounds[b].to)
                continue;
            if (c->off[i] > s->of[b].worst)
                s->of[b] = (tally){c->off[i], x, y_of(s, c, i)};
            break;
        }
}

/* The slowest build calls a function for every fused multiply-add: of all numbers it takes one chunk of so many. */
enum { SHARE_OF_SLOWEST = 16 };

static int fastest_build(void)
{
    int b = num_builds() - 1;
    while (!can_run(b))
        b--;
    return b;
}

static void sweep_part(void *ctx, int64_t begin, int64_t end)
{
    sweep    *s = ctx, mine;
    const int fastest = fastest_build();
    chunk *c = calloc(1, sizeof *c);
    pthread_mutex_lock(&s->lock); /* another part may be at its end */
    mine = *s;
    pthread_mutex_unlock(&s->lock);
    if (!c)
        mine.status = KT_ERR_MEMORY, end = begin;
    for (int i = 0; c && i < CHUNK; i++)
        if (s->dtype == KT_F32)
            c->one.f32[i] = 1;
        else
            c->one.f64[i] = 1;
    for (int64_t k = begin; k < end; k++) {
        if (s->every)
            numbers_from(c->x.f32, (uint32_t)(k * CHUNK));
        else if (s->dtype == KT_F32)
            operands_f32(c->x.f32, c->y.f32, s->seed, (uint64_t)k);
        else
            operands_f64(c->x.f64, c->y.f64, s->seed, (uint64_t)k);
        const kt_status status = run_chunk(s, c, fastest, &c->out);
        mine.status = status != KT_OK ? status : mine.status;
        measure(&mine, c);
        keep_worst(&mine, c);
        for (int b = 0; b < fastest; b++) {
            if (!can_run(b) || mine.differs || (s->every && b == 0 && k % SHARE_OF_SLOWEST))
                continue;
            run_chunk(s, c, b, &c->other);
            const int at = difference(s, c);
            if (at >= 0)
                mine.differs = kt__cpu_builds[b].name, mine.at_x = x_of(s, c, at), mine.at_y = y_of(s, c, at);
        }
    }
    free(c);
    pthread_mutex_lock(&s->lock);
    for (int b = 0; b < NUM_BOUNDS; b++)
        s->of[b] = mine.of[b].worst > s->of[b].worst ? mine.of[b] : s->of[b];
    s->status = mine.status != KT_OK ? mine.status : s->status;
    if (mine.differs)
        s->differs = mine.differs, s->at_x = mine.at_x, s->at_y = mine.at_y;
    pthread_mutex_unlock(&s->lock);
}

static double least_of(int f, kt_dtype d)
{
    for (int b = 0; b < NUM_BOUNDS; b++)
        if (bounds[b].function == f && bounds[b].dtype == d)
            return bounds[b].least;
    return 0;
}

static void check_function(int f, kt_dtype d, int64_t chunks, bool every)
{
    static sweep s;
    const char  *only = getenv("KARAT_TEST_FUNCTION");
    if (only && strcmp(only, functions[f].name) != 0)
        return;
    s = (sweep){.f = &functions[f], .dtype = d, .every = every, .seed = test_seed(), .least = least_of(f, d)};
    for (int b = 0; b < NUM_BOUNDS; b++) {
        s.of[b].worst = -1;
        if (bounds[b].function == f && bounds[b].dtype == d)
            s.rows[s.num_rows++] = b;
    }
    pthread_mutex_init(&s.lock, NULL);
    kt__parallel(chunks, 1, sweep_part, &s);
    pthread_mutex_destroy(&s.lock);
    CHECK_MSG(s.status == KT_OK, "%s: status %d", s.f->name, (int)s.status);
    CHECK_MSG(!s.differs, "%s: %s differs at (%a, %a)", s.f->name, s.differs, s.at_x, s.at_y);
    for (int k = 0; k < s.num_rows; k++) {
        const int b = s.rows[k];
        char      at[128];
        snprintf(at, sizeof at, s.f->kind == KIND_TWO ? "(%.9g, %.9g)" : "%.9g", s.of[b].x, s.of[b].y);
        printf("%-16s %s [%g, %g]: %.4f ulp at %s; bound %g\n", s.f->name, kt_dtype_name(d), bounds[b].from, bounds[b].to,
               s.of[b].worst, at, bounds[b].ulps);
        fflush(stdout);
        CHECK_MSG(s.of[b].worst <= bounds[b].ulps, "%s(%s) is %g ulp off; bound %g", s.f->name, at, s.of[b].worst,
                  bounds[b].ulps);
    }
}

static int64_t f64_chunks(void) { return test_all() ? 1 << 10 : 3; } /* 2^22 operands: a rare excess is seen too */

static void one_operand(kt_dtype d)
{
    for (int f = 0; f < NUM_FUNCTIONS; f++)
        if (functions[f].kind != KIND_TWO)
            check_function(f, d, d == KT_F32 ? 256 : f64_chunks(), false);
}

TEST(float32_sample) { one_operand(KT_F32); }

TEST(float64_sample) { one_operand(KT_F64); }

TEST(float32_all)
{
    if (!test_all()) {
        test_skip("KARAT_TEST_ALL=1 runs it");
        return;
    }
    for (int f = 0; f < NUM_FUNCTIONS; f++)
        if (functions[f].kind != KIND_TWO)
            check_function(f, KT_F32, ((int64_t)1 << 32) / CHUNK, true);
}

TEST(two_operands)
{
    for (int f = 0; f < NUM_FUNCTIONS; f++) {
        if (functions[f].kind != KIND_TWO)
            continue;
        const int64_t pairs = (int64_t)1 << (test_all() ? (f == FUNCTION_pow ? 28 : 26) : 20);
        check_function(f, KT_F32, pairs / CHUNK, false);
        check_function(f, KT_F64, f64_chunks(), false);
    }
}

/* The fast references are right: within a thousandth of float32's last place of the exact ones. */
TEST(references)
{
    static float  x[CHUNK], y[CHUNK];
    static double z[CHUNK];
    for (int f = 0; f < NUM_FUNCTIONS; f++) {
        double worst = 0, at[2] = {0, 0};
        for (uint64_t k = 0; k < (test_all() ? 64 : 3); k++) {
            operands_f32(x, y, test_seed(), k);
            functions[f].fast(z, x, y, CHUNK);
            for (int i = 0; i < CHUNK; i++) {
                const real   want = functions[f].exact((real)x[i], (real)y[i]);
                const real   end = 0x1p128L, w = want > end ? end : want < -end ? -end : want;
                const double size = fmax(fmax(fabs((double)w), least_of(f, KT_F32)), 0x1p-126);
                const real   got = z[i] > 0x1p128 ? end : z[i] < -0x1p128 ? -end : (real)z[i];
                double       off = (double)(fabsl(got - w) / size) * 0x1p23;
                if (isnan(want) || isnan(z[i]))
                    off = isnan(want) && isnan(z[i]) ? 0 : INFINITY;
                if (off > worst)
                    worst = off, at[0] = (double)x[i], at[1] = (double)y[i];
            }
        }
        CHECK_MSG(worst < 1e-3, "the fast reference of %s is %g ulp off at (%a, %a)", functions[f].name, worst, at[0], at[1]);
    }
}

TEST(every_function_has_a_bound)
{
    static const kt_dtype both[] = {KT_F32, KT_F64};
    for (int f = 0; f < NUM_FUNCTIONS; f++)
        for (int k = 0; k < 2; k++) {
            bool known = false;
            for (int b = 0; b < NUM_BOUNDS; b++)
                known |= bounds[b].function == f && bounds[b].dtype == both[k];
            CHECK_MSG(known, "%s has no bound in %s", functions[f].name, kt_dtype_name(both[k]));
        }
}
