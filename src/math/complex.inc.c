/* complex.inc.c - the functions of src/tables for one complex type. A template: T, R (its real type), RBITS (an
 * integer of R's size), FN and RFN (the function of R) are defined by the includer. The rare functions are the C
 * library's, in double: rounding once at the end keeps complex64 within its last bit. A real result stands in the real
 * part. */
KT_ALWAYS T FN(make)(R re, R im) { return KT__COMPLEX(T, re, im); }
KT_ALWAYS R FN(re)(T a)          { return KT__REAL(a); }
KT_ALWAYS R FN(im)(T a)          { return KT__IMAG(a); }

KT_ALWAYS T FN(conj)(T a)     { return FN(make)(FN(re)(a), -FN(im)(a)); }
KT_ALWAYS T FN(abs)(T a)      { return RFN(hypot)(FN(re)(a), FN(im)(a)); }
KT_ALWAYS T FN(angle)(T a)    { return RFN(atan2)(FN(im)(a), FN(re)(a)); }
KT_ALWAYS T FN(isnan)(T a)    { const R x = FN(re)(a), y = FN(im)(a); return (R)(x != x || y != y); }
KT_ALWAYS T FN(isinf)(T a)    { return (R)(RFN(isinf)(FN(re)(a)) != 0 || RFN(isinf)(FN(im)(a)) != 0); }
KT_ALWAYS T FN(isfinite)(T a) { return RFN(isfinite)(FN(re)(a)) * RFN(isfinite)(FN(im)(a)); }

/* -a by its bits: where a sum of products stands beside a difference of products, gcc 12 forms a fused vfmaddsub, in
 * spite of -ffp-contract=off, and the bits would depend on the instruction set. */
KT_ALWAYS R FN(minus)(R a)
{
    RBITS u;
    memcpy(&u, &a, sizeof u);
    u ^= (RBITS)1 << (8 * sizeof u - 1);
    memcpy(&a, &u, sizeof u);
    return a;
}

KT_ALWAYS T FN(mul)(T a, T b)
{
    const R x = FN(re)(a), y = FN(im)(a), u = FN(re)(b), v = FN(im)(b);
    return FN(make)(x * u + FN(minus)(y * v), x * v + y * u);
}

/* Robert L. Smith, Algorithm 116: Complex division, Communications of the ACM 5 (1962), 435: divided through by the larger part
 * of b, so that |b|^2 is never formed. The algorithm is for a larger real part; else both numbers are turned by -i first. Over
 * zero each part is divided by it. */
KT_ALWAYS T FN(div)(T a, T b)
{
    const bool turned = RFN(abs)(FN(re)(b)) < RFN(abs)(FN(im)(b));
    const R    x = turned ? FN(im)(a) : FN(re)(a), y = turned ? FN(minus)(FN(re)(a)) : FN(im)(a);
    const R    u = turned ? FN(im)(b) : FN(re)(b), v = turned ? FN(minus)(FN(re)(b)) : FN(im)(b);
    const R    ratio = v / u, scale = 1 / (u + v * ratio);
    return u == 0 && v == 0 ? FN(make)(x / RFN(abs)(u), y / RFN(abs)(u))
                            : FN(make)((x + y * ratio) * scale, (y + FN(minus)(x * ratio)) * scale);
}

KT_ALWAYS T FN(sgn)(T a)
{
    const R x = FN(re)(a), y = FN(im)(a), r = RFN(hypot)(x, y) + (x - x) + (y - y); /* an infinity leaves no direction: NaN */
    return r == 0 ? 0 : FN(make)(x / r, y / r);
}

KT_ALWAYS T FN(nan_to_num)(T a, T nan, T posinf, T neginf)
{
    return FN(make)(RFN(nan_to_num)(FN(re)(a), FN(re)(nan), FN(re)(posinf), FN(re)(neginf)),
                    RFN(nan_to_num)(FN(im)(a), FN(re)(nan), FN(re)(posinf), FN(re)(neginf)));
}

KT_ALWAYS T FN(lerp)(T a, T b, T w)
{
    const T d = b - a;
    return FN(re)(FN(abs)(w)) < (R)0.5 ? a + FN(mul)(w, d) : b - FN(mul)(d, 1 - w);
}

KT_ALWAYS T FN(acos)(T a)    { return (T)kt__complex_function(KT__CACOS, a); }
KT_ALWAYS T FN(acosh)(T a)   { return (T)kt__complex_function(KT__CACOSH, a); }
KT_ALWAYS T FN(asin)(T a)    { return (T)kt__complex_function(KT__CASIN, a); }
KT_ALWAYS T FN(asinh)(T a)   { return (T)kt__complex_function(KT__CASINH, a); }
KT_ALWAYS T FN(atan)(T a)    { return (T)kt__complex_function(KT__CATAN, a); }
KT_ALWAYS T FN(atanh)(T a)   { return (T)kt__complex_function(KT__CATANH, a); }
KT_ALWAYS T FN(cos)(T a)     { return (T)kt__complex_function(KT__CCOS, a); }
KT_ALWAYS T FN(cosh)(T a)    { return (T)kt__complex_function(KT__CCOSH, a); }
KT_ALWAYS T FN(exp)(T a)     { return (T)kt__complex_function(KT__CEXP, a); }
KT_ALWAYS T FN(exp2)(T a)    { return (T)kt__complex_function(KT__CEXP2, a); }
KT_ALWAYS T FN(expm1)(T a)   { return (T)kt__complex_function(KT__CEXPM1, a); }
KT_ALWAYS T FN(log)(T a)     { return (T)kt__complex_function(KT__CLOG, a); }
KT_ALWAYS T FN(log10)(T a)   { return (T)kt__complex_function(KT__CLOG10, a); }
KT_ALWAYS T FN(log1p)(T a)   { return (T)kt__complex_function(KT__CLOG1P, a); }
KT_ALWAYS T FN(log2)(T a)    { return (T)kt__complex_function(KT__CLOG2, a); }
KT_ALWAYS T FN(sigmoid)(T a) { return (T)kt__complex_function(KT__CSIGMOID, a); }
KT_ALWAYS T FN(sin)(T a)     { return (T)kt__complex_function(KT__CSIN, a); }
KT_ALWAYS T FN(sinc)(T a)    { return (T)kt__complex_function(KT__CSINC, a); }
KT_ALWAYS T FN(sinh)(T a)    { return (T)kt__complex_function(KT__CSINH, a); }
KT_ALWAYS T FN(sqrt)(T a)    { return (T)kt__complex_function(KT__CSQRT, a); }
KT_ALWAYS T FN(rsqrt)(T a)   { return FN(div)(1, FN(sqrt)(a)); }
KT_ALWAYS T FN(tan)(T a)     { return (T)kt__complex_function(KT__CTAN, a); }
KT_ALWAYS T FN(tanh)(T a)    { return (T)kt__complex_function(KT__CTANH, a); }
KT_ALWAYS T FN(pow)(T a, T b)       { return (T)kt__complex_pow(a, b); }
KT_ALWAYS T FN(logaddexp)(T a, T b) { return (T)kt__complex_logaddexp(a, b); }
