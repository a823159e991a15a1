/* elementwise.c - derivatives of elementwise functions. */
#include <complex.h>
#include <math.h>

#include "grad/formula.h"

/* g * the other factor, conjugated: the factor is a tensor or a number. */
KT__HOT static kt_tensor *times_other(const kt_back *c, kt_tensor *g, int other)
{
    return number(c, other) ? kt_mul_s(g, factor(c, other)) : kt_mul(g, conjugate(saved(c, other)));
}
static kt_tensor *times_alpha(const kt_back *c, int i) { return given(c, i) ? kt_mul_s(G, factor(c, i)) : G; }

/* As in PyTorch, a gradient has the layout of its first factor; a masked one is row-major, unless t is new. */
static kt_tensor *only_where(kt_tensor *t, kt_tensor *holds) { return kt_masked_fill(t, kt_logical_not(holds), KT_INT(0)); }
static kt_tensor *filled_unless(kt_tensor *holds, kt_tensor *t, double value)
{
    kt_tensor *fails = kt_logical_not(holds);
    if (KT__UNLIKELY(fails && fails->flags & KT_T_BATCHED)) /* examples that t may have no room for */
        return kt_masked_fill(t, fails, KT_FLOAT(value));
    return as_new(kt_masked_fill_(t, fails, KT_FLOAT(value)));
}
static kt_tensor *row_major_zeros(kt_tensor *like) { return kt_zeros_like(like, .memory_format = KT_CONTIGUOUS_FORMAT); }

/* ---- arithmetic ---- */
GRAD(add)        { dA = G; dB = times_alpha(c, 2); }
GRAD(sub)        { dA = G; dB = kt_neg(times_alpha(c, 2)); }
GRAD(rsub)       { dA = kt_neg(times_alpha(c, 2)); dB = G; }
KT__HOT GRAD(mul) { dA = times_other(c, G, 1); dB = times_other(c, G, 0); }
GRAD(neg)        { dA = kt_neg(G); }
GRAD(true_divide)
{
    dA = number(c, 1) ? kt_true_divide_s(G, factor(c, 1)) : kt_true_divide(G, conjugate(B));
    dB = kt_neg(kt_mul(G, conjugate(kt_true_divide(kt_true_divide(A, B), B)))); /* g / B might overflow, where A / B is 0 */
}
GRAD(div)
{
    if (!given(c, 2)) { /* rounding_mode= */
        kt__grad_true_divide(c);
        return;
    }
    dA = kt_zeros_like(G); /* a rounded quotient has derivative 0 */
    dB = kt_zeros_like(G);
}
static bool is_zero(kt_scalar s)
{
    return s.kind == KT_SCALAR_FLOAT || s.kind == KT_SCALAR_COMPLEX ? s.v.re == 0.0 && s.im == 0.0 : s.v.i == 0;
}
/* The derivative of 0 ** exponent is 0 there. */
static kt_tensor *not_negative(kt_tensor *exponent)
{
    if (!is_complex(exponent))
        return kt_ge_s(exponent, KT_INT(0));
    kt_tensor *parts = kt_resolve_conj(exponent);
    return kt_logical_and(kt_ge_s(kt_real(parts), KT_INT(0)), kt_eq_s(kt_imag(parts), KT_INT(0)));
}
GRAD(pow)
{
    if (number(c, 1)) {
        kt_scalar e = arg(c, 1)->s;
        bool      real = e.kind == KT_SCALAR_FLOAT || e.kind == KT_SCALAR_COMPLEX;
        kt_scalar less = e;
        if (real)
            less.v.re -= 1.0;
        else
            less = KT_INT(e.v.i - 1);
        dA = is_zero(e) ? row_major_zeros(G) : kt_mul(G, conjugate(kt_mul_s(kt_pow_s(A, less), e)));
        return;
    }
    dA = zero_unless(kt_ne_s(B, KT_INT(0)), kt_mul(G, conjugate(kt_mul(B, kt_pow(A, kt_sub_s(B, KT_INT(1)))))));
    if (!need(c, 1))
        return;
    kt_tensor *steep = kt_logical_not(kt_logical_and(kt_eq_s(A, KT_INT(0)), not_negative(B)));
    dB = kt_mul(G, conjugate(zero_unless(steep, kt_mul(Y, kt_log(one_unless(steep, A))))));
}

/* The logarithm of a number, real or complex. */
static kt_scalar log_of(kt_scalar s, bool among_complex)
{
    const double re = s.kind == KT_SCALAR_FLOAT || s.kind == KT_SCALAR_COMPLEX ? s.v.re : (double)s.v.i;
    if (!among_complex)
        return KT_FLOAT(log(re));
    const double complex z = clog(CMPLX(re, s.im));
    return KT_COMPLEX(creal(z), cimag(z));
}
GRAD(pow_base)
{
    if (!number(c, 0)) {
        kt__grad_pow(c);
        return;
    }
    const kt_scalar base = arg(c, 0)->s;
    kt_tensor      *y = Y, *slope;
    if (is_zero(base)) {
        kt_tensor *steep = kt_logical_not(not_negative(B));
        slope = zero_unless(steep, kt_mul(y, zero_unless(steep, kt_full_like(y, log_of(base, is_complex(y))))));
    } else {
        slope = kt_mul_s(y, log_of(base, is_complex(y)));
    }
    dB = kt_mul(G, conjugate(slope));
}

/* ---- elementary functions ---- */
GRAD(exp)        { dA = kt_mul(G, conjugate(Y)); }
GRAD(exp2)       { dA = kt_mul_s(kt_mul(G, conjugate(Y)), KT_FLOAT(0.693147180559945309417)); }
GRAD(expm1)      { dA = kt_mul(G, conjugate(kt_add_s(Y, KT_INT(1)))); }
GRAD(log)        { dA = kt_true_divide(G, conjugate(A)); }
GRAD(log2)       { dA = kt_true_divide(G, conjugate(kt_mul_s(A, KT_FLOAT(0.693147180559945309417)))); }
GRAD(log10)      { dA = kt_true_divide(G, conjugate(kt_mul_s(A, KT_FLOAT(2.302585092994045684018)))); }
GRAD(log1p)      { dA = kt_true_divide(G, conjugate(kt_add_s(A, KT_INT(1)))); }
GRAD(sqrt)       { dA = kt_true_divide(G, conjugate(kt_mul_s(Y, KT_INT(2)))); }
GRAD(rsqrt)      { dA = kt_mul(kt_mul_s(G, KT_FLOAT(-0.5)), conjugate(kt_pow_s(Y, KT_INT(3)))); }
GRAD(reciprocal) { dA = kt_neg(kt_mul(G, conjugate(kt_mul(Y, Y)))); }
GRAD(sin)        { dA = kt_mul(G, conjugate(kt_cos(A))); }
GRAD(cos)        { dA = kt_neg(kt_mul(G, conjugate(kt_sin(A)))); }
GRAD(tan)        { dA = kt_mul(G, conjugate(kt_add_s(kt_mul(Y, Y), KT_INT(1)))); }
GRAD(sinh)       { dA = kt_mul(G, conjugate(kt_cosh(A))); }
GRAD(cosh)       { dA = kt_mul(G, conjugate(kt_sinh(A))); }
GRAD(asin)       { dA = kt_mul(G, conjugate(kt_rsqrt(kt_rsub_s(kt_mul(A, A), KT_INT(1))))); }
GRAD(acos)       { dA = kt_neg(kt_mul(G, conjugate(kt_rsqrt(kt_rsub_s(kt_mul(A, A), KT_INT(1)))))); }
GRAD(atan)       { dA = kt_true_divide(G, conjugate(kt_add_s(kt_mul(A, A), KT_INT(1)))); }
GRAD(asinh)      { dA = kt_mul(G, conjugate(kt_rsqrt(kt_add_s(kt_mul(A, A), KT_INT(1))))); }
GRAD(acosh)
{
    kt_tensor *x = A;
    kt_tensor *slope = !is_complex(x) ? kt_rsqrt(kt_sub_s(kt_mul(x, x), KT_INT(1))) /* complex: one root is another branch */
                                      : kt_mul(kt_rsqrt(kt_add_s(x, KT_INT(1))), kt_rsqrt(kt_sub_s(x, KT_INT(1))));
    dA = kt_mul(G, conjugate(slope));
}
GRAD(atanh)      { dA = kt_true_divide(G, conjugate(kt_rsub_s(kt_mul(A, A), KT_INT(1)))); }
GRAD(abs)        { dA = kt_mul(G, kt_sgn(A)); }
GRAD(erf)        { dA = kt_mul(kt_mul_s(kt_exp(kt_neg(kt_mul(A, A))), KT_FLOAT(1.128379167095512573896)), G); }
GRAD(erfc)       { dA = kt_mul(kt_mul_s(kt_exp(kt_neg(kt_mul(A, A))), KT_FLOAT(-1.128379167095512573896)), G); }
GRAD(erfinv)
{
    kt_tensor *y = kt_erfinv(A);
    dA = kt_mul(kt_mul_s(kt_exp(kt_mul(y, y)), KT_FLOAT(0.886226925452758013649)), G);
}
GRAD(sinc)
{
    kt_tensor *x = kt_mul_s(A, KT_FLOAT(3.141592653589793238463)); /* sinc'(a) = pi * (cos x - sin x / x) / x, and 0 at 0 */
    kt_tensor *slope = kt_true_divide(kt_sub(kt_cos(x), kt_true_divide(kt_sin(x), x)), A);
    dA = kt_mul(conjugate(zero_unless(kt_ne_s(A, KT_INT(0)), slope)), G);
}
static kt_tensor *between(kt_tensor *x, double low, double high)
{
    return kt_logical_and(kt_ge_s(x, KT_FLOAT(low)), kt_le_s(x, KT_FLOAT(high)));
}
GRAD(logit) /* with eps: 0 outside [eps, 1 - eps]; without: NaN outside (0, 1) */
{
    const double eps = given(c, 1) ? arg(c, 1)->f : -1.0;
    const bool   held = eps >= 0.0;
    kt_tensor   *inside = between(A, held ? eps : 0.0, held ? 1.0 - eps : 1.0), *x = kt_where_s(inside, A, KT_FLOAT(0.5));
    dA = filled_unless(inside, kt_true_divide(G, kt_mul(x, kt_rsub_s(x, KT_INT(1)))), held ? 0.0 : NAN);
}
GRAD(nan_to_num) { dA = filled_unless(kt_isfinite(A), kt_clone(G), 0); }
GRAD(lgamma)     { dA = kt_mul(G, kt_digamma(A)); }
GRAD(digamma)    { dA = kt_mul(G, kt_polygamma(1, A)); }
GRAD(polygamma_of) { dA = kt_mul(G, kt_polygamma(arg(c, 1)->i + 1, A)); }
GRAD(i0)         { dA = kt_mul(G, kt_special_i1(A)); }
/* I1' = I0 - I1 / x (DLMF 10.29.2), or near 0, where the quotient's own derivatives would lose their digits, the first terms of
 * its series 1/2 + 3/16 x^2 + 5/384 x^4. `scale`: of both functions; NULL: none. */
static kt_tensor *i1_slope(kt_tensor *x, kt_tensor *i0, kt_tensor *i1, kt_tensor *scale)
{
    kt_tensor *near = kt_lt_s(kt_abs(x), KT_FLOAT(1.0 / 128)), *far = kt_logical_not(near), *small = zero_unless(near, x);
    kt_tensor *square = kt_mul(small, small), *series = kt_add_s(kt_mul_s(square, KT_FLOAT(5.0 / 384)), KT_FLOAT(3.0 / 16));
    series = kt_add_s(kt_mul(square, series), KT_FLOAT(0.5));
    return kt_where(near, scale ? kt_mul(series, scale) : series, kt_sub(i0, kt_true_divide(i1, one_unless(far, x))));
}
GRAD(special_i1)  { dA = kt_mul(G, i1_slope(A, kt_i0(A), Y, NULL)); }
/* Both slopes go by way of e^-|x|'s, whose own has a corner at zero: there i0e's is 0, and i1e's one half. */
GRAD(special_i0e) { dA = kt_mul(G, kt_sub(kt_special_i1e(A), kt_mul(kt_sgn(A), Y))); }
GRAD(special_i1e)
{
    kt_tensor *x = A, *y = Y;
    dA = kt_mul(G, kt_sub(i1_slope(x, kt_special_i0e(x), y, kt_exp(kt_neg(kt_abs(x)))), kt_mul(kt_sgn(x), y)));
}
GRAD(special_erfcx) { dA = kt_mul(G, kt_sub_s(kt_mul(kt_mul_s(A, KT_INT(2)), Y), KT_FLOAT(1.128379167095512573896))); }
GRAD(special_log_ndtr) /* the density over the area: by erfcx where both vanish */
{
    kt_tensor *scaled = kt_special_erfcx(kt_mul_s(A, KT_FLOAT(-0.707106781186547524401)));
    dA = kt_mul(kt_true_divide(G, scaled), kt_full_like(A, KT_FLOAT(0.797884560802865355880)));
}
GRAD(special_ndtri)
{
    dA = kt_mul(G, kt_mul_s(kt_exp(kt_mul_s(kt_mul(Y, Y), KT_FLOAT(0.5))), KT_FLOAT(2.506628274631000502416)));
}
GRAD(mvlgamma)
{
    const int64_t p = arg(c, 1)->i;
    kt_tensor    *slope = kt_digamma(A);
    for (int64_t i = 1; i < p; i++)
        slope = kt_add(slope, kt_digamma(kt_sub_s(A, KT_FLOAT(0.5 * (double)i))));
    dA = kt_mul(G, slope);
}
/* For reals both are step functions. For complex numbers sgn keeps the tangential part of g, and angle is that part. */
GRAD(sgn)
{
    if (!is_complex(A)) {
        dA = row_major_zeros(G);
        return;
    }
    kt_tensor *s = kt_sgn(A), *along = kt_mul(s, kt_real(kt_mul(kt_conj(s), G)));
    dA = filled_unless(kt_ne_s(A, KT_INT(0)), kt_true_divide(kt_sub(G, along), kt_abs(A)), 0);
}
GRAD(angle)
{
    if (!is_complex(A)) {
        dA = kt_zeros_like(A);
        return;
    }
    kt_tensor *far = kt_abs(A), *turned = kt_true_divide(kt_mul_s(A, KT_COMPLEX(0, 1)), kt_mul(far, far));
    dA = zero_unless(kt_ne_s(A, KT_INT(0)), kt_mul(G, turned));
}
GRAD(deg2rad)    { dA = kt_mul_s(G, KT_FLOAT(0.017453292519943295)); }
GRAD(rad2deg)    { dA = kt_mul_s(G, KT_FLOAT(57.29577951308232)); }
GRAD(flat)       { dA = kt_zeros_like(G); }
GRAD(truth)      { dA = kt_zeros_like(G); dB = kt_zeros_like(G); } /* an in-place comparison overwrites floats with 0 or 1 */
GRAD(frac)       { dA = G; }
GRAD(ldexp)
{
    dA = need(c, 0) ? kt_ldexp(G, conjugate(B)) : NULL;
    dB = need(c, 1) ? kt_mul_s(kt_mul(G, conjugate(kt_ldexp(A, B))), KT_FLOAT(M_LN2)) : NULL;
}
GRAD(conj_physical_of) { dA = kt_conj_physical(G); }

/* ---- choices ---- */
GRAD(where)
{
    dB = zero_unless(A, G);
    dC = zero_unless(kt_logical_not(A), G);
}

/* The smaller (or larger) operand gets nothing; equal ones get one half each. With a NaN neither is excluded. */
static kt_tensor *unless_lost(kt_tensor *g, kt_tensor *lost, kt_tensor *tied)
{
    return kt_where_s(kt_logical_not(lost), kt_where(tied, kt_mul_s(g, KT_FLOAT(0.5)), g), KT_INT(0));
}
GRAD(maximum)
{
    kt_tensor *tied = kt_eq(A, B);
    dA = unless_lost(G, kt_lt(A, B), tied);
    dB = unless_lost(G, kt_gt(A, B), tied);
}
GRAD(minimum)
{
    kt_tensor *tied = kt_eq(A, B);
    dA = unless_lost(G, kt_gt(A, B), tied);
    dB = unless_lost(G, kt_lt(A, B), tied);
}

/* One operand gets the gradient, the first if they are equal. */
static void to_one(const kt_back *c, kt_tensor *first)
{
    dA = only_where(G, first);
    dB = only_where(G, kt_logical_not(first));
}
GRAD(fmax)       { to_one(c, kt_logical_or(kt_ge(A, B), kt_isnan(B))); }
GRAD(fmin)       { to_one(c, kt_logical_or(kt_le(A, B), kt_isnan(B))); }

/* Operand 0 and a bound, a tensor or a number. Comparisons with NaN are false: neither gets the gradient. */
#define BESIDE(name, compare)                                                                                          \
    static kt_tensor *name(const kt_back *c, int bound)                                                                     \
    {                                                                                                                  \
        return number(c, bound) ? kt_##compare##_s(A, arg(c, bound)->s) : kt_##compare(A, saved(c, bound));            \
    }
BESIDE(below, lt)
BESIDE(above, gt)
BESIDE(from, ge)
BESIDE(up_to, le)
GRAD(clamp_min)  { dA = zero_unless(from(c, 1), G); dB = zero_unless(below(c, 1), G); }
GRAD(clamp_max)  { dA = zero_unless(up_to(c, 1), G); dB = zero_unless(above(c, 1), G); }

/* For min > max the result is max. At least one bound is a tensor. */
static kt_tensor *in_order(const kt_back *c)
{
    return number(c, 1) ? kt_gt_s(C, arg(c, 1)->s) : number(c, 2) ? kt_lt_s(B, arg(c, 2)->s) : kt_lt(B, C);
}
static kt_tensor *crossed(const kt_back *c)
{
    return number(c, 1) ? kt_lt_s(C, arg(c, 1)->s) : number(c, 2) ? kt_gt_s(B, arg(c, 2)->s) : kt_lt(C, B);
}
GRAD(clamp)
{
    const bool low = c->node->given >> 1 & 1, high = c->node->given >> 2 & 1;
    dA = zero_unless(!low ? up_to(c, 2) : !high ? from(c, 1) : kt_logical_and(from(c, 1), up_to(c, 2)), G);
    dB = zero_unless(high ? kt_logical_and(below(c, 1), in_order(c)) : below(c, 1), G);
    dC = zero_unless(low ? kt_logical_or(above(c, 2), crossed(c)) : above(c, 2), G);
}

/* ---- two and three operands ---- */
GRAD(remainder)  { dA = G; dB = kt_neg(kt_mul(G, kt_div(A, B, .rounding_mode = "floor"))); }
GRAD(fmod)       { dA = G; dB = kt_neg(kt_mul(G, kt_div(A, B, .rounding_mode = "trunc"))); }
/* One over the sum of squares as PyTorch rounds it; where that is lost to range, by way of the length. At the origin the gradient
 * is 0. */
GRAD(atan2)
{
    kt_tensor *squares = kt_add(kt_mul(A, A), kt_mul(B, B)), *inverse = kt_reciprocal(squares);
    kt_tensor *in_range = kt_logical_and(kt_isfinite(inverse), kt_ne_s(inverse, KT_INT(0))), *far = kt_hypot(A, B);
    inverse = kt_reciprocal(one_unless(in_range, squares));
    far = one_unless(kt_ne_s(far, KT_INT(0)), far);
    dA = kt_where(in_range, kt_mul(kt_mul(G, B), inverse), kt_mul(G, kt_true_divide(kt_true_divide(B, far), far)));
    dB = kt_where(in_range, kt_mul(kt_mul(G, kt_neg(A)), inverse),
                  kt_neg(kt_mul(G, kt_true_divide(kt_true_divide(A, far), far))));
}
GRAD(hypot)      { dA = kt_mul(G, kt_true_divide(A, Y)); dB = kt_mul(G, kt_true_divide(B, Y)); }
GRAD(copysign) /* times 1 or -1, as a quotient that depends on the operands for the graph */
{
    if (need(c, 0))
        c->d[0] = kt_mul(G, zero_unless(kt_ne_s(A, KT_INT(0)), kt_true_divide(Y, A)));
    dB = kt_zeros_like(G);
}
GRAD(logaddexp)
{
    dA = kt_true_divide(G, conjugate(kt_add_s(kt_exp(kt_sub(B, A)), KT_INT(1))));
    dB = kt_true_divide(G, conjugate(kt_add_s(kt_exp(kt_sub(A, B)), KT_INT(1))));
}
GRAD(logaddexp2)
{
    dA = kt_true_divide(G, kt_add_s(kt_exp2(kt_sub(B, A)), KT_INT(1)));
    dB = kt_true_divide(G, kt_add_s(kt_exp2(kt_sub(A, B)), KT_INT(1)));
}
GRAD(special_entr) { dA = kt_mul(G, kt_sub_s(kt_neg(kt_log(A)), KT_INT(1))); }
GRAD(xlogy)
{
    kt_tensor *b = number(c, 1) ? kt_full_like(A, arg(c, 1)->s) : B;
    /* a gradient of 0 gives 0 for any logarithm; so does self == 0 where the logarithm is undefined. As in PyTorch, NaN
     * counts as undefined only if it is a number */
    if (need(c, 0)) {
        kt_tensor *none = number(c, 1) ? kt_logical_not(kt_gt_s(b, KT_INT(0))) : kt_le_s(b, KT_INT(0));
        kt_tensor *steep = kt_logical_not(kt_logical_and(kt_eq_s(A, KT_INT(0)), none));
        kt_tensor *slope = kt_xlogy(G, one_unless(steep, b));
        c->d[0] = number(c, 1) ? filled_unless(steep, slope, 0) : only_where(slope, steep);
    }
    dB = kt_true_divide(kt_mul(G, A), b);
}
GRAD(special_xlog1py)
{
    kt_tensor *b = number(c, 1) ? kt_full_like(A, arg(c, 1)->s) : B;
    if (need(c, 0)) { /* as in PyTorch: 0 where self is 0 and the logarithm is undefined; of a number NaN counts as undefined */
        kt_tensor *undefined = number(c, 1) ? kt_logical_not(kt_gt_s(b, KT_INT(-1))) : kt_le_s(b, KT_INT(-1));
        kt_tensor *steep = kt_logical_not(kt_logical_and(kt_eq_s(A, KT_INT(0)), undefined));
        c->d[0] = zero_unless(steep, kt_special_xlog1py(G, one_unless(steep, b)));
    }
    dB = kt_mul(G, kt_true_divide(A, kt_add_s(b, KT_INT(1))));
}
GRAD(special_zeta)
{
    if (need(c, 0)) {
        kt__lacks_derivative = true;
        kt_fail(KT_ERR_NOT_IMPLEMENTED, "the derivative for 'zeta' is not implemented.");
        return;
    }
    dB = kt_neg(kt_mul(G, kt_mul(A, kt_special_zeta(kt_add_s(A, KT_INT(1)), B))));
}
/* The density of Gamma(a) at x, by x; the derivative by a follows from how samples move with a. */
static kt_tensor *gamma_density(kt_tensor *a, kt_tensor *x)
{
    return kt_exp(kt_sub(kt_sub(kt_xlogy(kt_sub_s(a, KT_INT(1)), x), x), kt_lgamma(a)));
}
static void by_gamma_share(const kt_back *c, kt_tensor *g)
{
    kt_tensor *flow = kt_mul(g, gamma_density(A, B));
    dA = kt_neg(kt_mul(flow, kt_standard_gamma_grad(A, B)));
    dB = flow;
}
GRAD(igamma)  { by_gamma_share(c, G); }
GRAD(igammac) { by_gamma_share(c, kt_neg(G)); }
static kt_scalar one_less(kt_scalar s)
{
    return s.kind == KT_SCALAR_COMPLEX ? KT_COMPLEX(1 - s.v.re, -s.im)
                                       : KT_FLOAT(1 - (s.kind == KT_SCALAR_FLOAT ? s.v.re : (double)s.v.i));
}
GRAD(lerp)
{
    dA = number(c, 2) ? kt_mul_s(G, one_less(factor(c, 2))) : kt_mul(G, conjugate(kt_rsub_s(saved(c, 2), KT_INT(1))));
    dB = times_other(c, G, 2);
    dC = kt_mul(G, conjugate(kt_sub(B, A)));
}
GRAD(addcmul)    { dA = G; dB = kt_mul(times_alpha(c, 3), conjugate(C)); dC = kt_mul(times_alpha(c, 3), conjugate(B)); }
GRAD(addcdiv)
{
    dA = G;
    dB = kt_true_divide(times_alpha(c, 3), conjugate(C));
    dC = kt_neg(kt_mul(times_alpha(c, 3), conjugate(kt_true_divide(B, kt_mul(C, C)))));
}

GRAD(frexp) { dA = kt_true_divide(G, kt_exp2(kt__converted_inside(Z, kt_dtype_of(G), KT_WHY_GRADIENT))); }

/* ---- complex numbers from parts ---- */
GRAD(complex)
{
    dA = kt_real(G);
    dB = kt_imag(kt_resolve_conj(G));
}
GRAD(polar)
{
    kt_tensor *length = A, *angle = B, *real = kt_real(G), *imag = kt_imag(kt_resolve_conj(G));
    kt_tensor *cosine = kt_cos(angle), *sine = kt_sin(angle);
    dA = kt_add(kt_mul(real, cosine), kt_mul(imag, sine));
    dB = kt_mul(length, kt_sub(kt_mul(imag, cosine), kt_mul(real, sine)));
}

/* ---- rectified ---- */
GRAD(relu) { dA = kt_threshold_backward(G, Y, KT_INT(0)); }

/* ---- not differentiable in PyTorch either, which names a node ---- */
GRAD_MISSING(nextafter)

/* ---- rows that share another's derivative ---- */
GRAD_AS(eq, truth)
GRAD_AS(ne, truth)
GRAD_AS(lt, truth)
GRAD_AS(le, truth)
GRAD_AS(gt, truth)
GRAD_AS(ge, truth)
GRAD_AS(sign, flat)
GRAD_AS(ceil, flat)
GRAD_AS(floor, flat)
GRAD_AS(trunc, flat)
GRAD_AS(round, flat)
