/* activation.inc.c - activation functions that read the same for float32 and float64, and the slopes of some. A template: T
 * and FN are defined by the includer, after math/real.inc.c. Out: FN(elu), FN(softplus), ... for the expressions of src/tables.
 * A NaN passes through all. */
KT_ALWAYS T FN(elu)(T a, T below, T above, T inside)
{
    const T low = FN(expm1)(a * inside) * below, high = a * above; /* both at once: a branch would not vectorise */
    return a < 0 ? low : high;
}
KT_ALWAYS T FN(elu_backward)(T g, T a, T below, T above, T inside)
{
    const T low = g * inside * below * FN(exp)(a * inside), high = g * above;
    return a <= 0 ? low : high;
}

/* The slope of a F(a), where F(-a) = 1 - F(a): F(a) + a F'(a). Of x = |a| and `share` = F(-x) it is 1 minus itself at -a. */
KT_ALWAYS T FN(share_slope)(T a, T share, T x_slope)
{
    const T rest = 1 - share, below = FN(fma)(-share, x_slope, share);
    const T above = rest + FN(fma)(share, x_slope, (1 - rest) - share);
    return a < 0 ? below : above;
}

KT_ALWAYS T FN(silu_slope)(T a)
{
    const T x = FN(abs)(a), share = FN(sigmoid)(-x);
    return FN(share_slope)(a, share, x * (1 - share));
}

/* tanh(log(1 + n)) of n = e^a is w / (w + 2) of w = n (n + 2); its slope times a is 4 a n (n + 1) / (w + 2)^2. Above 0 all is
 * divided by powers of n, so that nothing overflows. */
KT_ALWAYS T FN(mish_slope)(T a)
{
    const T e = FN(exp)(-FN(abs)(a)), w = a < 0 ? e * (e + 2) : 1 + 2 * e, d = a < 0 ? w + 2 : w + 2 * e * e;
    const T less = e * (1 + e), steep = a < 0 ? less : less * e;
    return w / d + a * (4 * (steep / d) / d);
}

/* log(1 + e^x) / beta of x = a * beta; beta = -1 makes it log(sigmoid(a)), whose zero is not to be negative. */
KT_ALWAYS T FN(softplus)(T a, T beta, T threshold)
{
    const T x = a * beta, r = FN(softplus_of)(x) / beta + 0;
    return x > threshold ? a : r;
}

KT_ALWAYS T FN(softshrink)(T a, T lambda)
{
    const T nearer = a > lambda ? a - lambda : a * 0;
    return a < -lambda ? a + lambda : nearer;
}

/* Far out a share of zero would meet an infinity. */
KT_ALWAYS T FN(gelu_tanh_slope)(T a)
{
    const T x = FN(abs)(a), share = FN(gelu_tanh_share)(-x);
    const T inner = FN(fma)((T)0.21406444881780073 * x, x, (T)1.5957691216057308);
    return FN(share_slope)(a, share, share == 0 ? 0 : x * (1 - share) * inner);
}
