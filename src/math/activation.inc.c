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

/* sigmoid(a), and its slope sigmoid(a) * sigmoid(-a) without the cancellation that 1 - sigmoid(a) would be. */
KT_ALWAYS T FN(sigmoid_bell)(T a, T *bell)
{
    const T e = FN(exp)(-FN(abs)(a)), over = 1 / (1 + e);
    *bell = e * over * over;
    return a < 0 ? e * over : over;
}

KT_ALWAYS T FN(silu_slope)(T a)
{
    T       bell;
    const T s = FN(sigmoid_bell)(a, &bell);
    return s + a * bell;
}

/* log(1 + e^x) / beta of x = a * beta; beta = -1 makes it log(sigmoid(a)), whose zero is not to be negative. */
KT_ALWAYS T FN(softplus)(T a, T beta, T threshold)
{
    const T x = a * beta, r = ((x > 0 ? x : 0) + FN(log1p_exp)(FN(abs)(x))) / beta + 0;
    return x > threshold ? a : r;
}

KT_ALWAYS T FN(softshrink)(T a, T lambda)
{
    const T nearer = a > lambda ? a - lambda : a * 0;
    return a < -lambda ? a + lambda : nearer;
}

/* (1 + tanh u) / 2 of a cubic u, which comes near to the share of a normal distribution. It is sigmoid(2 u): that is exact in the
 * tails too. */
KT_ALWAYS T FN(gelu_cubic)(T a) { return (T)1.5957691216057308 * (a + (T)0.044715 * a * a * a); }
KT_ALWAYS T FN(gelu_tanh_slope)(T a)
{
    T       bell;
    const T s = FN(sigmoid_bell)(FN(gelu_cubic)(a), &bell), inner = (T)1.5957691216057308 * (1 + 3 * (T)0.044715 * a * a);
    return s + (bell == 0 ? 0 : a * bell * inner); /* far out that is 0 times infinity */
}
