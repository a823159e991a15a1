/* real.inc.c - functions that read the same for float32 and float64. A template: T, FN and MATH(f) (the
 * compiler's own f for T) are defined by the includer. Out: FN(abs), FN(floor), ... for the expressions of
 * src/tables. */
KT_ALWAYS T FN(abs)(T a)      { return MATH(fabs)(a); }
KT_ALWAYS T FN(ceil)(T a)     { return MATH(ceil)(a); }
KT_ALWAYS T FN(floor)(T a)    { return MATH(floor)(a); }
KT_ALWAYS T FN(trunc)(T a)    { return MATH(trunc)(a); }
/* a = mantissa * 2^exponent with a mantissa from a half up to 1; of 0, infinity and NaN the exponent is 0. */
KT_ALWAYS T FN(frexp_mantissa)(T a)
{
    int exponent;
    return MATH(frexp)(a, &exponent);
}
KT_ALWAYS T FN(frexp_exponent)(T a)
{
    int exponent;
    MATH(frexp)(a, &exponent);
    return (T)exponent;
}
KT_ALWAYS T FN(round)(T a)    { return MATH(rint)(a); }
KT_ALWAYS T FN(sqrt)(T a)     { return MATH(sqrt)(a); }
/* A distance d as a loss (Huber): curved below `at`, straight beyond; and its slope. */
KT_ALWAYS T FN(huber)(T d, T at, T curve, T straight)
{
    const T z = MATH(fabs)(d);
    return z < at ? curve * z * z : straight * (z - (T)0.5 * at);
}
KT_ALWAYS T FN(huber_slope)(T d, T at, T curve, T straight)
{
    return MATH(fabs)(d) >= at ? MATH(copysign)(straight, d) : d * curve;
}
KT_ALWAYS T FN(sign)(T a)     { return (T)((a > 0) - (a < 0)); }
KT_ALWAYS T FN(signbit)(T a)  { return (T)(MATH(copysign)((T)1, a) < 0); }
KT_ALWAYS T FN(isnan)(T a)    { return (T)(a != a); }
KT_ALWAYS T FN(isinf)(T a)    { return (T)(MATH(fabs)(a) == (T)INFINITY); }
KT_ALWAYS T FN(isfinite)(T a) { return (T)(MATH(fabs)(a) < (T)INFINITY); }
KT_ALWAYS T FN(angle)(T a)    { return a != a ? a : a < 0 ? (T)3.141592653589793 : 0; }
KT_ALWAYS T FN(copysign)(T a, T b)  { return MATH(copysign)(a, b); }
KT_ALWAYS T FN(fmod)(T a, T b)      { return MATH(fmod)(a, b); }
KT_ALWAYS T FN(maximum)(T a, T b)   { return a != a ? a : b != b ? b : a < b ? b : a; } /* of 0 and -0 the first, */
KT_ALWAYS T FN(minimum)(T a, T b)   { return a != a ? a : b != b ? b : a > b ? b : a; } /* as the reference */
KT_ALWAYS T FN(fmax)(T a, T b)      { return a != a ? b : b != b ? a : a > b ? a : b; }
KT_ALWAYS T FN(fmin)(T a, T b)      { return a != a ? b : b != b ? a : a < b ? a : b; }
KT_ALWAYS T FN(heaviside)(T a, T b) { return a == 0 ? b : (T)(a > 0); }
KT_ALWAYS T FN(clamp)(T a, T lo, T hi) { return FN(minimum)(FN(maximum)(a, lo), hi); }
KT_ALWAYS T FN(xlogy)(T a, T b)     { return b != b ? b : a == 0 ? 0 : a * FN(log)(b); }

/* The quotient has the sign of the divisor. */
KT_ALWAYS T FN(remainder)(T a, T b)
{
    const T m = MATH(fmod)(a, b);
    return m != 0 && (b < 0) != (m < 0) ? m + b : m;
}

/* The floor of the quotient, which rounding a / b alone would miss next to an integer. What is left of a without the remainder is
 * a multiple of b: their quotient lies at an integer, at whole + 1/2 at the most where both are rounded. It has the sign of a /
 * b, as zero too. */
KT_ALWAYS T FN(div_floor)(T a, T b)
{
    const T rest = MATH(fmod)(a, b), below = (T)(rest != 0 && (rest < 0) != (b < 0)); /* the floor is one multiple further */
    const T multiple = (a - rest) / b - below, whole = MATH(floor)(multiple);
    const T nearest = multiple - whole > (T)0.5 ? whole + 1 : whole;
    return b == 0 ? a / b : MATH(copysign)(nearest, a / b);
}

KT_ALWAYS T FN(lerp)(T a, T b, T w)
{
    const T d = b - a;
    return MATH(fabs)(w) < (T)0.5 ? a + w * d : b - d * (1 - w);
}

/* A product that the reference rounds to a narrow float before it goes on; the factor is rounded too. */
KT_ALWAYS T FN(scale)(T factor, T a, T narrow) { return FN(fit)(FN(fit)(factor, narrow) * a, narrow); }

KT_ALWAYS T FN(logit)(T a, T eps, T given, T narrow)
{
    const T lo = FN(fit)(eps, narrow), hi = FN(fit)(1 - lo, narrow), x = given == 0 ? a : a < lo ? lo : a > hi ? hi : a;
    return FN(log)(FN(fit)(x / FN(fit)(1 - x, narrow), narrow));
}

KT_ALWAYS T FN(nan_to_num)(T a, T nan, T posinf, T neginf)
{
    return a != a ? nan : a == (T)INFINITY ? posinf : a == -(T)INFINITY ? neginf : a;
}

KT_ALWAYS T FN(round_decimals)(T a, T decimals)
{
    const T ten = MATH(pow)(10, MATH(fabs)(decimals));
    return decimals < 0 ? MATH(rint)(a / ten) * ten : MATH(rint)(a * ten) / ten;
}
