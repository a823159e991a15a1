/* formulas_elementwise.c - the derivatives of functions of one to three elements. */
#include <complex.h>
#include <math.h>

#include "grad/formula.h"

/* g * the other factor, conjugated: the factor is a tensor or a number. */
KT__HOT static kt_tensor *times_other(kt__back *c, kt_tensor *g, int other)
{
    if (!number(c, other))
        return kt_mul(g, conjugate(saved(c, other)));
    kt_scalar s = arg(c, other)->s;
    s.im = -s.im;
    return kt_mul_s(g, s);
}
static kt_tensor *times_alpha(kt__back *c, int i)
{
    return given(c, i) ? kt_mul_s(G, arg(c, i)->s) : G;
}

/* ---- arithmetic ---- */
GRAD(add)        { dA = G; dB = times_alpha(c, 2); }
GRAD(sub)        { dA = G; dB = kt_neg(times_alpha(c, 2)); }
GRAD(rsub)       { dA = kt_neg(times_alpha(c, 2)); dB = G; }
GRAD(mul)        { dA = times_other(c, G, 1); dB = times_other(c, G, 0); }
GRAD(neg)        { dA = kt_neg(G); }
GRAD(true_divide)
{
    kt_tensor *over = number(c, 1) ? kt_true_divide_s(G, arg(c, 1)->s) : kt_true_divide(G, conjugate(B));
    dA = over;
    dB = kt_neg(kt_mul(over, conjugate(kt_true_divide(A, B))));
}
GRAD(div)
{
    if (!given(c, 2)) { /* rounding_mode= */
        grad_true_divide(c);
        return;
    }
    dA = kt_zeros_like(G); /* a rounded quotient is flat */
    dB = kt_zeros_like(G);
}
static bool is_zero(kt_scalar s)
{
    return s.kind == KT_SCALAR_FLOAT || s.kind == KT_SCALAR_COMPLEX ? s.v.re == 0.0 && s.im == 0.0 : s.v.i == 0;
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
        dA = is_zero(e) ? kt_zeros_like(G) : kt_mul(G, conjugate(kt_mul_s(kt_pow_s(A, less), e)));
        return;
    }
    dA = kt_where_s(kt_ne_s(B, KT_INT(0)), kt_mul(G, conjugate(kt_mul(B, kt_pow(A, kt_sub_s(B, KT_INT(1)))))), KT_INT(0));
    dB = kt_where_s(kt_ne_s(A, KT_INT(0)), kt_mul(G, conjugate(kt_mul(Y, kt_log(A)))), KT_INT(0));
}

/* The logarithm of a number, among real or complex ones. */
static kt_scalar log_of(kt_scalar s, bool among_complex)
{
    const double re = s.kind == KT_SCALAR_FLOAT || s.kind == KT_SCALAR_COMPLEX ? s.v.re : (double)s.v.i;
    if (!among_complex)
        return KT_FLOAT(log(re));
    const double complex z = clog(CMPLX(re, s.im));
    return KT_COMPLEX(creal(z), cimag(z));
}
static bool is_complex(const kt_tensor *t) { return t && kt_dtype_category(kt_dtype_of(t)) == KT_CAT_COMPLEX; }
GRAD(pow_base)
{
    if (!number(c, 0)) {
        grad_pow(c);
        return;
    }
    const kt_scalar base = arg(c, 0)->s;
    kt_tensor      *slope = kt_mul(G, conjugate(kt_mul_s(Y, log_of(base, is_complex(Y)))));
    if (is_zero(base)) /* 0 to any power from 0 on is flat */
        slope = kt_where_s(kt_lt_s(is_complex(B) ? kt_real(B) : B, KT_INT(0)), slope, KT_INT(0));
    dB = slope;
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
GRAD(rsqrt)      { dA = kt_mul_s(kt_mul(G, conjugate(kt_pow_s(Y, KT_INT(3)))), KT_FLOAT(-0.5)); }
GRAD(reciprocal) { dA = kt_neg(kt_mul(G, conjugate(kt_mul(Y, Y)))); }
GRAD(sin)        { dA = kt_mul(G, conjugate(kt_cos(A))); }
GRAD(cos)        { dA = kt_neg(kt_mul(G, conjugate(kt_sin(A)))); }
GRAD(tan)        { dA = kt_mul(G, conjugate(kt_add_s(kt_mul(Y, Y), KT_INT(1)))); }
GRAD(sinh)       { dA = kt_mul(G, conjugate(kt_cosh(A))); }
GRAD(cosh)       { dA = kt_mul(G, conjugate(kt_sinh(A))); }
GRAD(tanh)       { dA = kt_mul(G, conjugate(kt_rsub_s(kt_mul(Y, Y), KT_INT(1)))); }
GRAD(sigmoid)    { dA = kt_mul(G, conjugate(kt_mul(Y, kt_rsub_s(Y, KT_INT(1))))); }
GRAD(asin)       { dA = kt_mul(G, conjugate(kt_rsqrt(kt_rsub_s(kt_mul(A, A), KT_INT(1))))); }
GRAD(acos)       { dA = kt_neg(kt_mul(G, conjugate(kt_rsqrt(kt_rsub_s(kt_mul(A, A), KT_INT(1)))))); }
GRAD(atan)       { dA = kt_true_divide(G, conjugate(kt_add_s(kt_mul(A, A), KT_INT(1)))); }
GRAD(asinh)      { dA = kt_mul(G, conjugate(kt_rsqrt(kt_add_s(kt_mul(A, A), KT_INT(1))))); }
GRAD(acosh)      { dA = kt_mul(G, conjugate(kt_rsqrt(kt_sub_s(kt_mul(A, A), KT_INT(1))))); }
GRAD(atanh)      { dA = kt_true_divide(G, conjugate(kt_rsub_s(kt_mul(A, A), KT_INT(1)))); }
GRAD(abs)        { dA = kt_mul(G, kt_sgn(A)); }
GRAD(erf)        { dA = kt_mul(G, kt_mul_s(kt_exp(kt_neg(kt_mul(A, A))), KT_FLOAT(1.128379167095512573896))); }
GRAD(erfc)       { dA = kt_mul(G, kt_mul_s(kt_exp(kt_neg(kt_mul(A, A))), KT_FLOAT(-1.128379167095512573896))); }
GRAD(erfinv)
{
    kt_tensor *y = kt_erfinv(A);
    dA = kt_mul(G, kt_mul_s(kt_exp(kt_mul(y, y)), KT_FLOAT(0.886226925452758013649)));
}
GRAD(sinc)
{
    kt_tensor *x = kt_mul_s(A, KT_FLOAT(3.141592653589793238463)); /* sinc'(a) = pi * (cos x - sin x / x) / x, and 0 at 0 */
    kt_tensor *slope = kt_true_divide(kt_sub(kt_cos(x), kt_true_divide(kt_sin(x), x)), A);
    dA = kt_mul(G, conjugate(kt_where_s(kt_ne_s(A, KT_INT(0)), slope, KT_INT(0))));
}
GRAD(logit)
{
    kt_tensor *inside = kt_true_divide(G, kt_mul(A, kt_rsub_s(A, KT_INT(1))));
    double     eps = given(c, 1) ? arg(c, 1)->f : -1.0;
    if (eps >= 0.0) /* held at the ends: flat */
        inside = kt_where_s(kt_logical_and(kt_ge_s(A, KT_FLOAT(eps)), kt_le_s(A, KT_FLOAT(1.0 - eps))), inside, KT_INT(0));
    dA = inside;
}
GRAD(nan_to_num) { dA = kt_where_s(kt_isfinite(A), G, KT_INT(0)); }
GRAD(lgamma)     { dA = kt_mul(G, kt_digamma(A)); }
GRAD(digamma)    { dA = kt_mul(G, kt_polygamma(1, A)); }
GRAD(polygamma_of) { dA = kt_mul(G, kt_polygamma(arg(c, 1)->i + 1, A)); }
GRAD(i0)         { dA = kt_mul(G, kt_special_i1(A)); }
GRAD(special_i1) /* i0 - i1 / x, which is one half at zero */
{
    kt_tensor *slope = kt_sub(kt_i0(A), kt_true_divide(Y, A));
    dA = kt_mul(G, kt_where_s(kt_ne_s(A, KT_INT(0)), slope, KT_FLOAT(0.5)));
}
/* Of a real number both are steps. Of a complex one sgn keeps the part of g that turns, angle is that part. */
GRAD(sgn)
{
    if (!is_complex(A)) {
        dA = kt_zeros_like(G);
        return;
    }
    kt_tensor *s = kt_sgn(A), *along = kt_mul(s, kt_real(kt_mul(kt_conj(s), G)));
    dA = kt_where_s(kt_ne_s(A, KT_INT(0)), kt_true_divide(kt_sub(G, along), kt_abs(A)), KT_INT(0));
}
GRAD(angle)
{
    if (!is_complex(A)) {
        dA = kt_zeros_like(G);
        return;
    }
    kt_tensor *far = kt_abs(A), *turned = kt_true_divide(kt_mul_s(A, KT_COMPLEX(0, 1)), kt_mul(far, far));
    dA = kt_where_s(kt_ne_s(A, KT_INT(0)), kt_mul(G, turned), KT_INT(0));
}
GRAD(deg2rad)    { dA = kt_mul_s(G, KT_FLOAT(0.017453292519943295)); }
GRAD(rad2deg)    { dA = kt_mul_s(G, KT_FLOAT(57.29577951308232)); }
GRAD(flat)       { dA = kt_zeros_like(G); }
GRAD(frac)       { dA = G; }
GRAD(conj_physical) { dA = conjugate(G); }

/* ---- choices ---- */
GRAD(where)
{
    dB = kt_where_s(A, G, KT_INT(0));
    dC = kt_where_s(kt_logical_not(A), G, KT_INT(0));
}

/* Equal elements share the gradient. */
static kt_tensor *share(kt_tensor *g, kt_tensor *wins, kt_tensor *ties)
{
    kt_dtype dtype = kt_dtype_of(g);
    return kt_mul(g, kt_add(kt_to(wins, .dtype = dtype), kt_mul_s(kt_to(ties, .dtype = dtype), KT_FLOAT(0.5))));
}
GRAD(maximum)    { dA = share(G, kt_gt(A, B), kt_eq(A, B)); dB = share(G, kt_lt(A, B), kt_eq(A, B)); }
GRAD(minimum)    { dA = share(G, kt_lt(A, B), kt_eq(A, B)); dB = share(G, kt_gt(A, B), kt_eq(A, B)); }

GRAD(fmax)       { kt_tensor *a = kt_logical_or(kt_ge(A, B), kt_isnan(B));
                   dA = kt_where_s(a, G, KT_INT(0)); dB = kt_where_s(kt_logical_not(a), G, KT_INT(0)); }
GRAD(fmin)       { kt_tensor *a = kt_logical_or(kt_le(A, B), kt_isnan(B));
                   dA = kt_where_s(a, G, KT_INT(0)); dB = kt_where_s(kt_logical_not(a), G, KT_INT(0)); }

/* Where operand 0 lies beyond a bound that is a tensor or a number. */
static kt_tensor *under(kt__back *c, int bound)
{
    return number(c, bound) ? kt_lt_s(A, arg(c, bound)->s) : kt_lt(A, saved(c, bound));
}
static kt_tensor *over(kt__back *c, int bound)
{
    return number(c, bound) ? kt_gt_s(A, arg(c, bound)->s) : kt_gt(A, saved(c, bound));
}
static kt_tensor *only(kt_tensor *where, kt_tensor *g) { return kt_where_s(where, g, KT_INT(0)); }
GRAD(clamp_min)  { kt_tensor *held = under(c, 1); dA = only(kt_logical_not(held), G); dB = only(held, G); }
GRAD(clamp_max)  { kt_tensor *held = over(c, 1); dA = only(kt_logical_not(held), G); dB = only(held, G); }
/* Where max lies under min, and so has the last word. At least one of them is a tensor. */
static kt_tensor *crossed(kt__back *c)
{
    return number(c, 1) ? kt_lt_s(C, arg(c, 1)->s) : number(c, 2) ? kt_gt_s(B, arg(c, 2)->s) : kt_lt(C, B);
}
GRAD(clamp)
{
    bool       low = c->node->given >> 1 & 1, high = c->node->given >> 2 & 1;
    kt_tensor *below = low ? under(c, 1) : NULL, *above = high ? over(c, 2) : NULL;
    dA = only(kt_logical_not(low && high ? kt_logical_or(below, above) : low ? below : above), G);
    dB = only(high ? kt_logical_and(below, kt_logical_not(crossed(c))) : below, G);
    dC = only(low ? kt_logical_or(above, crossed(c)) : above, G);
}

/* ---- two and three operands ---- */
GRAD(remainder)  { dA = G; dB = kt_neg(kt_mul(G, kt_div(A, B, .rounding_mode = "floor"))); }
GRAD(fmod)       { dA = G; dB = kt_neg(kt_mul(G, kt_div(A, B, .rounding_mode = "trunc"))); }
GRAD(atan2)
{
    kt_tensor *over_square = kt_true_divide(G, kt_add(kt_mul(A, A), kt_mul(B, B)));
    dA = kt_mul(over_square, B);
    dB = kt_neg(kt_mul(over_square, A));
}
GRAD(hypot)      { kt_tensor *over_y = kt_true_divide(G, kt_hypot(A, B)); dA = kt_mul(over_y, A); dB = kt_mul(over_y, B); }
GRAD(copysign)
{
    kt_tensor *turned = number(c, 1) ? kt_copysign_s(A, arg(c, 1)->s) : kt_copysign(A, B);
    dA = kt_where_s(kt_ne_s(A, KT_INT(0)), kt_mul(G, kt_true_divide(turned, A)), KT_INT(0));
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
GRAD(xlogy)
{
    if (number(c, 1)) {
        dA = kt_mul(G, kt_log(kt_full_like(A, arg(c, 1)->s)));
        return;
    }
    dA = kt_where_s(kt_logical_or(kt_ne_s(A, KT_INT(0)), kt_gt_s(B, KT_INT(0))), kt_mul(G, kt_log(B)), KT_INT(0));
    dB = kt_mul(G, kt_true_divide(A, B));
}
GRAD(lerp)
{
    kt_tensor *part = number(c, 2) ? kt_mul_s(G, arg(c, 2)->s) : kt_mul(G, conjugate(C));
    dA = kt_sub(G, part);
    dB = part;
    dC = kt_mul(G, conjugate(kt_sub(B, A)));
}
static kt_tensor *times_value(kt__back *c) { return given(c, 3) ? kt_mul_s(G, arg(c, 3)->s) : G; }
GRAD(addcmul)    { dA = G; dB = kt_mul(times_value(c), conjugate(C)); dC = kt_mul(times_value(c), conjugate(B)); }
GRAD(addcdiv)
{
    dA = G;
    dB = kt_true_divide(times_value(c), conjugate(C));
    dC = kt_neg(kt_mul(times_value(c), conjugate(kt_true_divide(B, kt_mul(C, C)))));
}

GRAD(frexp) { dA = kt_true_divide(G, kt_exp2(kt_to(Z, .dtype = kt_dtype_of(G)))); }

/* ---- of complex numbers by their parts ---- */
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

const kt__formula_row kt__formulas_elementwise[] = {
    F(add), F(sub), F(rsub), F(mul), F(neg), F(div), F(true_divide), F(pow), F(pow_base), F(exp), F(exp2), F(expm1), F(log),
    F(log2), F(log10), F(log1p), F(sqrt), F(rsqrt), F(reciprocal), F(sin), F(cos), F(tan), F(sinh), F(cosh), F(tanh),
    F(sigmoid), F(asin), F(acos), F(atan), F(abs), F(erf), F(lgamma), F(digamma), F(polygamma_of),
    F(i0), F(special_i1), F(sgn), F(angle), F(deg2rad), F(rad2deg), F(frac),
    F(conj_physical), F(where), F(maximum), F(minimum), F(asinh), F(acosh), F(atanh), F(erfc), F(erfinv), F(sinc),
    F(logit), F(nan_to_num), F(fmax), F(fmin), F(clamp_min), F(clamp_max), F(clamp), F(remainder), F(fmod), F(atan2),
    F(hypot), F(copysign), F(logaddexp), F(logaddexp2), F(xlogy), F(lerp), F(addcmul), F(addcdiv), AS(ceil, flat),
    AS(floor, flat), AS(trunc, flat), AS(round, flat), AS(sign, flat), AS(zero, flat), AS(neg_view, neg),
    AS(max_other, maximum), AS(min_other, minimum),
    F(complex), F(polar), F(frexp),
    KT__NO_MORE_FORMULAS,
};
