/* int.inc.c - the functions of src/tables for one integer type. A template: T and FN are defined by the includer.
 * Arithmetic wraps (-fwrapv). The divisions are never given a zero divisor. */
enum { FN(bits) = 8 * sizeof(T), FN(is_signed) = (T)-1 < (T)1 };

KT_ALWAYS bool FN(negative)(T a) { return FN(is_signed) && a >> (FN(bits) - 1) != 0; }
KT_ALWAYS T FN(abs)(T a)  { return FN(negative)(a) ? -a : a; }
KT_ALWAYS T FN(sign)(T a) { return FN(negative)(a) ? (T)-1 : (T)(a != 0); }
KT_ALWAYS T FN(maximum)(T a, T b)      { return a > b ? a : b; }
KT_ALWAYS T FN(minimum)(T a, T b)      { return a < b ? a : b; }
KT_ALWAYS T FN(clamp)(T a, T lo, T hi) { return FN(minimum)(FN(maximum)(a, lo), hi); }
KT_ALWAYS T FN(heaviside)(T a, T b)    { return a == 0 ? b : (T)!FN(negative)(a); }

/* A shift by a negative count or by the whole width moves every bit out. */
KT_ALWAYS T FN(shift_left)(T a, T b)
{
    return FN(negative)(b) || b >= (T)FN(bits) ? 0 : (T)((uint64_t)a << (unsigned)b);
}
KT_ALWAYS T FN(shift_right)(T a, T b)
{
    if (FN(negative)(b) || b >= (T)FN(bits))
        return FN(negative)(a) ? (T)-1 : 0;
    return a >> (unsigned)b;
}

/* The least signed value over -1 wraps to itself; the processor would trap. */
KT_ALWAYS T FN(div_trunc)(T a, T b) { return FN(is_signed) && b == (T)-1 ? -a : a / b; }
KT_ALWAYS T FN(fmod)(T a, T b)      { return FN(is_signed) && b == (T)-1 ? 0 : a % b; }
KT_ALWAYS T FN(div_floor)(T a, T b)
{
    const T q = FN(div_trunc)(a, b), m = FN(fmod)(a, b);
    return m != 0 && FN(negative)(m ^ b) ? q - 1 : q;
}
KT_ALWAYS T FN(remainder)(T a, T b)
{
    const T m = FN(fmod)(a, b);
    return m != 0 && FN(negative)(m ^ b) ? m + b : m;
}

/* The smallest number of a signed type is its own absolute value, and what comes of it may be negative: as the reference.
 * `smallest`: that of a type narrower than T, or 0. */
KT_ALWAYS T FN(gcd)(T a, T b, T smallest)
{
    a = a == smallest ? a : FN(abs)(a), b = b == smallest ? b : FN(abs)(b);
    while (a != 0) {
        const T m = FN(fmod)(b, a);
        b = a, a = m;
    }
    return b;
}
KT_ALWAYS T FN(lcm)(T a, T b)
{
    const T g = FN(gcd)(a, b, 0);
    return g == 0 ? 0 : FN(abs)(FN(div_trunc)(a, g) * b);
}

/* A negative power of anything but 1 and -1 truncates to 0. */
KT_ALWAYS T FN(pow)(T a, T b)
{
    if (FN(negative)(b))
        return a == 1 ? 1 : a == (T)-1 ? ((b & 1) != 0 ? a : 1) : 0;
    T r = 1;
    for (; b != 0; b = (T)((uint64_t)b >> 1), a *= a)
        r = (b & 1) != 0 ? r * a : r;
    return r;
}
