/* values_complex.c - the rows of the kernel tables in the complex dtypes, against long double references, on finite
 * values of ordinary size; and the ends that have a rule of their own. */
#include "plans.h"

typedef long double complex number;

static const number p0 = 0.25L - 0.5L * I;

static number ref_sigmoid(number a) { return 1 / (1 + cexpl(-a)); }
static number ref_sinc(number a) { return a == 0 ? 1 : csinl(M_PIl * a) / (M_PIl * a); }
static number ref_lerp(number a, number b, number w)
{
    return cabsl(w) < 0.5L ? a + w * (b - a) : b - (b - a) * (1 - w);
}

static bool reference(int kernel, number a, number b, number c, number *r)
{
    switch (kernel) {
    case KT_K_abs: *r = cabsl(a); break;
    case KT_K_acos: *r = cacosl(a); break;
    case KT_K_acosh: *r = cacoshl(a); break;
    case KT_K_angle: *r = cargl(a); break;
    case KT_K_asin: *r = casinl(a); break;
    case KT_K_asinh: *r = casinhl(a); break;
    case KT_K_atan: *r = catanl(a); break;
    case KT_K_atanh: *r = catanhl(a); break;
    case KT_K_conj_physical: *r = conjl(a); break;
    case KT_K_cos: *r = ccosl(a); break;
    case KT_K_cosh: *r = ccoshl(a); break;
    case KT_K_exp: *r = cexpl(a); break;
    case KT_K_exp2: *r = cexpl(a * logl(2)); break;
    case KT_K_expm1: *r = cexpl(a) - 1; break;
    case KT_K_isfinite: *r = 1; break;
    case KT_K_isinf:
    case KT_K_isnan: *r = 0; break;
    case KT_K_log: *r = clogl(a); break;
    case KT_K_log10: *r = clogl(a) / logl(10); break;
    case KT_K_log1p: *r = clogl(1 + a); break;
    case KT_K_log2: *r = clogl(a) / logl(2); break;
    case KT_K_logical_not: *r = a == 0; break;
    case KT_K_nan_to_num: *r = a; break;
    case KT_K_neg: *r = -a; break;
    case KT_K_reciprocal: *r = 1 / a; break;
    case KT_K_reciprocal_square: *r = 1 / (a * a); break;
    case KT_K_cube: *r = a * a * a; break;
    case KT_K_identity: *r = a; break;
    case KT_K_rsqrt: *r = 1 / csqrtl(a); break;
    case KT_K_sgn: *r = a == 0 ? 0 : a / cabsl(a); break;
    case KT_K_sigmoid: *r = ref_sigmoid(a); break;
    case KT_K_silu: *r = a * ref_sigmoid(a); break;
    case KT_K_sin: *r = csinl(a); break;
    case KT_K_sinc: *r = ref_sinc(a); break;
    case KT_K_sinh: *r = csinhl(a); break;
    case KT_K_sqrt: *r = csqrtl(a); break;
    case KT_K_square: *r = a * a; break;
    case KT_K_tan: *r = ctanl(a); break;
    case KT_K_tanh: *r = ctanhl(a); break;
    case KT_K_add: *r = a + b; break;
    case KT_K_add_scaled: *r = a + p0 * b; break;
    case KT_K_sub: *r = a - b; break;
    case KT_K_sub_scaled: *r = a - p0 * b; break;
    case KT_K_mul: *r = a * b; break;
    case KT_K_div: *r = a / b; break;
    case KT_K_eq: *r = a == b; break;
    case KT_K_ne: *r = a != b; break;
    case KT_K_lerp_scalar: *r = ref_lerp(a, b, p0); break;
    case KT_K_logaddexp: *r = creall(a) >= creall(b) ? a + clogl(1 + cexpl(b - a)) : b + clogl(1 + cexpl(a - b)); break;
    case KT_K_logical_and: *r = a != 0 && b != 0; break;
    case KT_K_logical_or: *r = a != 0 || b != 0; break;
    case KT_K_logical_xor: *r = (a != 0) != (b != 0); break;
    case KT_K_pow: *r = a == 0 ? 0 : cexpl(b * clogl(a)); break;
    case KT_K_sigmoid_backward: *r = a * conjl((1 - b) * b); break;
    case KT_K_tanh_backward: *r = a * conjl(1 - b * b); break;
    case KT_K_addcdiv: *r = a + p0 * b / c; break;
    case KT_K_addcmul: *r = a + p0 * b * c; break;
    case KT_K_masked_scale: *r = a * b * p0; break;
    case KT_K_lerp: *r = ref_lerp(a, b, c); break;
    case KT_K_where: *r = a != 0 ? b : c; break;
    default: return false;
    }
    return true;
}

enum { N = 300 };
static char in[3][N * 16], out[N * 16];

static void check_row(int kernel, const char *name, int arity, kt_dtype d)
{
    kt_backend   *cpu = kt__cpu_backend();
    const int64_t w = (int64_t)size_of_dtype(d);
    const double  tolerance = d == KT_C128 ? 1e-13 : d == KT_C64 ? 4e-6 : 3e-3;
    kt_plan       p;
    number        want;
    int           bad = 0;
    if (!cpu->has(cpu, (kt_kernel_id)kernel, compute_of(d)))
        return;
    for (int i = 0; i < N; i++)
        for (int k = 0; k < 3; k++) {
            const double re = (double)((int64_t)test_below(801) - 400) / 128,
                         im = (double)((int64_t)test_below(801) - 400) / 128;
            kt_scalar_store(in[k] + i * w, d, KT_COMPLEX(re, im == 0 ? 0.125 : im));
        }
    plan_dense(&p, kernel, compute_of(d), arity, (void *[]){out, in[0], in[1], in[2]}, (kt_dtype[]){d, d, d, d}, N);
    plan_param(&p, KT_COMPLEX((double)creall(p0), (double)cimagl(p0)));
    if (!CHECK_EQ_INT(run_plan(&p), KT_OK))
        return;
    for (int i = 0; i < N && bad < 3; i++) {
        const number a = get_complex(in[0], i * w, d), b = get_complex(in[1], i * w, d),
                     c = get_complex(in[2], i * w, d);
        const number got = get_complex(out, i * w, d);
        if (!CHECK_MSG(reference(kernel, a, b, c, &want), "%s has no reference", name))
            return;
        if (d == KT_C32 && cabsl(want) > 10000)
            continue;
        const double scale = 1 + (double)cabsl(want) + (arity > 1 ? (double)(cabsl(a) + cabsl(b)) : 0);
        if (!(cabsl(got - want) <= tolerance * scale))
            bad +=
                !CHECK_MSG(false, "%s in %s at (%g%+gi, %g%+gi): got %g%+gi, want %Lg%+Lgi", name, kt_dtype_name(d),
                           creal(a), cimag(a), creal(b), cimag(b), creal(got), cimag(got), creall(want), cimagl(want));
    }
}

TEST(rows)
{
    static const kt_dtype types[] = {KT_C128, KT_C64, KT_C32};
    for (int k = 0; k < 3; k++) {
#define UN(name, ...)  check_row(KT_K_##name, #name, 1, types[k]);
#define BIN(name, ...) check_row(KT_K_##name, #name, 2, types[k]);
#define TER(name, ...) check_row(KT_K_##name, #name, 3, types[k]);
#include "tables/kernels/elementwise.def"
    }
}

static double complex one(int kernel, int arity, double complex a, double complex b)
{
    double complex z = 0;
    kt_plan        p;
    plan_dense(&p, kernel, KT_IN_C128, arity, (void *[]){&z, &a, &b}, (kt_dtype[]){KT_C128, KT_C128, KT_C128}, 1);
    CHECK_EQ_INT(run_plan(&p), KT_OK);
    return z;
}

TEST(ends)
{
    CHECK_NEAR(creal(one(KT_K_abs, 1, pair(3e300, 4e300), 0)), 5e300, 1e285); /* no overflow on the way */
    CHECK_NEAR(creal(one(KT_K_abs, 1, pair(-INFINITY, NAN), 0)), INFINITY, 0);
    CHECK_NEAR(creal(one(KT_K_div, 2, pair(1e300, 1e300), pair(1e300, 1e300))), 1, 1e-12);
    CHECK_NEAR(creal(one(KT_K_div, 2, pair(1e-300, 0), pair(1e-300, 0))), 1, 1e-12);
    CHECK(isinf(creal(one(KT_K_div, 2, pair(1, 1), pair(0, 0)))));
    CHECK(creal(one(KT_K_sgn, 1, 0, 0)) == 0 && creal(one(KT_K_pow, 2, 0, 0)) == 1 &&
          creal(one(KT_K_pow, 2, 0, 2)) == 0);
    CHECK_NEAR(cimag(one(KT_K_sqrt, 1, pair(-4, 0.0), 0)), 2, 1e-15); /* both sides of the cut */
    CHECK_NEAR(cimag(one(KT_K_sqrt, 1, pair(-4, -0.0), 0)), -2, 1e-15);
    CHECK_NEAR(cimag(one(KT_K_log, 1, pair(-1, 0.0), 0)), M_PI, 1e-15);
    CHECK_NEAR(cimag(one(KT_K_log, 1, pair(-1, -0.0), 0)), -M_PI, 1e-15);
    CHECK_NEAR(creal(one(KT_K_expm1, 1, pair(1e-20, 0), 0)), 1e-20, 1e-33); /* small ones do not cancel */
    CHECK_NEAR(creal(one(KT_K_log1p, 1, pair(1e-20, 0), 0)), 1e-20, 1e-33);
    CHECK(creal(one(KT_K_isnan, 1, pair(0, NAN), 0)) == 1 && creal(one(KT_K_isinf, 1, pair(NAN, -INFINITY), 0)) == 1);
    CHECK(creal(one(KT_K_isfinite, 1, pair(NAN, 0), 0)) == 0 && creal(one(KT_K_isfinite, 1, pair(1, 2), 0)) == 1);
}
