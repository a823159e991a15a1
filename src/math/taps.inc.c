/* taps.inc.c - which elements a resized dim reads for a result, and with which weights. A template: T is a float; T, FN and MATH
 * are defined, and math/taps.h, math/fma.h and tables/kernels/resample.h are included.
 *
 * Positions are computed as PyTorch computes them, in T, products and sums in one rounding where its build fuses them; the
 * nearest element depends on that. Elements beyond an end are the last ones: one may be named twice.
 *
 * Cubic weights: R. G. Keys, Cubic convolution interpolation for digital image processing, IEEE Transactions on Acoustics,
 * Speech, and Signal Processing 29 (1981), with a = -3/4, or -1/2 where a filter is stretched: D. Schumacher, General filtered
 * image rescaling, Graphics Gems III (1992). */

KT_ALWAYS T FN(apart)(const kt__along *a)
{
    if (a->align)
        return a->to > 1 ? (T)(a->from - 1) / (T)(a->to - 1) : 0;
    return a->scale > 0 ? (T)(1.0 / a->scale) : (T)a->from / (T)a->to;
}

/* A position as an element; what is not in the image is its first or last. */
KT_ALWAYS int64_t FN(within)(T position, int64_t size)
{
    return !(position > 0) ? 0 : position < (T)(size - 1) ? (int64_t)position : size - 1;
}

/* PyTorch's kernels differ in type, formula and short cuts, and so, at the border of two cells, in the element. */
KT_ALWAYS int64_t FN(nearest)(const kt__along *a, int64_t i)
{
    const bool exact = a->filter == KT__NEAREST_EXACT;
    if (!a->back && !a->by_channels) {
        const T apart = FN(apart)(a);
        const T at = exact ? FN(fma)(apart, (T)i + (T)0.5, (T)-0.5) + (T)0.5 : (T)i * apart;
        return FN(within)((T)floorf((float)at), a->from);
    }
    const float apart = a->scale > 0 ? (float)(1.0 / a->scale) : (float)a->from / (float)a->to;
    if (!exact && a->from == a->to)
        return i;
    if (!exact && a->to == 2 * a->from)
        return i >> 1;
    return FN(within)((T)floorf((exact ? (float)i + 0.5f : (float)i) * apart), a->from);
}

KT_ALWAYS T FN(source)(const kt__along *a, T apart, int64_t i)
{
    return a->align ? apart * (T)i : FN(fma)(apart, (T)i + (T)0.5, (T)-0.5);
}

/* ---- weights of elements by their distance ---- */

KT_ALWAYS T FN(tent)(T x)
{
    x = x < 0 ? -x : x;
    return x < 1 ? 1 - x : 0;
}

KT_ALWAYS T FN(bump)(T x, T a)
{
    x = x < 0 ? -x : x;
    return x < 1 ? ((a + 2) * x - (a + 3)) * x * x + 1 : x < 2 ? ((x - 5) * x + 8) * x * a - 4 * a : 0;
}

/* Elements with their weights for result i; returns how many. `at` and `weight` may be NULL. */
KT_ALWAYS int64_t FN(linear_taps)(const kt__along *a, T apart, int64_t i, int64_t *at, T *weight)
{
    const bool    same = a->from == a->to;
    const T       source = same ? 0 : FN(source)(a, apart, i), real = source > 0 ? source : 0;
    const int64_t first = same ? i : FN(within)(real, a->from), second = same || first == a->from - 1 ? first : first + 1;
    const T       beyond = real - (T)first, part = same || !(beyond > 0) ? 0 : beyond < 1 ? beyond : 1;
    if (at) {
        at[0] = first;
        at[1] = second;
        weight[0] = 1 - part;
        weight[1] = part;
    }
    return 2;
}

KT_ALWAYS int64_t FN(cubic_taps)(const kt__along *a, T apart, int64_t i, int64_t *at, T *weight)
{
    const T    real = FN(source)(a, apart, i), whole = MATH(floor)(real), last = (T)(a->from - 1);
    const T    first = whole < last ? whole : last, beyond = real - first, part = !(beyond > 0) ? 0 : beyond < 1 ? beyond : 1;
    for (int k = 0; at && k < 4; k++) {
        at[k] = FN(within)(first + (T)(k - 1), a->from);
        weight[k] = FN(bump)(k < 2 ? part + (T)(1 - k) : (T)(k - 1) - part, (T)-0.75);
    }
    return 4;
}

/* How many elements begin before a position, at most all. */
KT_ALWAYS int64_t FN(elements_before)(T position, int64_t size)
{
    return !(position > 0) ? 0 : position < (T)size ? (int64_t)position : size;
}

/* Antialiasing: the filter is stretched where cells of the result are wider than elements, so that each element under a cell
 * counts; elements whose middle lies under it are read, and the weights add up to one. */
KT_ALWAYS int64_t FN(wide_taps)(const kt__along *a, T apart, int64_t i, int64_t *at, T *weight)
{
    const bool    cubic = a->filter == KT__CUBIC;
    const T       stretch = apart < 1 ? 1 : apart, narrowed = 1 / stretch, reach = cubic ? 2 * stretch : stretch;
    const T       middle = apart * ((T)i + (T)0.5);
    const int64_t first = FN(elements_before)(middle - reach + (T)0.5, a->from);
    const int64_t taps = FN(elements_before)(middle + reach + (T)0.5, a->from) - first;
    if (!at || taps <= 0)
        return taps > 0 ? taps : 0;
    T total = 0;
    for (int64_t k = 0; k < taps; k++) {
        at[k] = first + k;
        const T away = ((T)at[k] - middle + (T)0.5) * narrowed;
        weight[k] = cubic ? FN(bump)(away, (T)-0.5) : FN(tent)(away);
        total += weight[k];
    }
    for (int64_t k = 0; k < taps; k++)
        weight[k] = total == 0 ? weight[k] : weight[k] / total;
    return taps;
}

KT_ALWAYS int64_t FN(taps_at)(const kt__along *a, T apart, int64_t i, int64_t *at, T *weight)
{
    if (!a->copies && a->filter >= KT__LINEAR)
        return a->antialias              ? FN(wide_taps)(a, apart, i, at, weight)
               : a->filter == KT__LINEAR ? FN(linear_taps)(a, apart, i, at, weight)
                                         : FN(cubic_taps)(a, apart, i, at, weight);
    if (at) {
        at[0] = a->copies ? i : FN(nearest)(a, i);
        weight[0] = 1;
    }
    return 1;
}
