/* grid.inc.c - the arithmetic of places that an image is sampled at, in T. A template: T, FN and MATH are defined. */

/* From what lies beyond the image back into it. The slope of a coordinate that is brought to an end is zero, at the end too. */
KT_ALWAYS T FN(clipped)(T x, T last, T *slope)
{
    *slope = x > 0 && x < last ? *slope : 0;
    const T low = x > 0 ? x : 0;
    return low < last ? low : last;
}

/* Zeros around a volume: one place stands for all at which nothing is read. Weights are finite at infinity and NaN too. */
KT_ALWAYS T FN(seen)(T x, T size) { return x >= -1 && x < size ? x : -2; }

/* Reflected at both ends: elements' centres with align_corners, their outer borders without. A coordinate so goes up and down
 * with a period of two spans; on the way down its slope is turned. */
KT_ALWAYS T FN(reflected)(T x, T size, bool align, T *slope)
{
    const T    low = align ? 0 : (T)-0.5, period = 2 * (align ? size - 1 : size);
    const T    distance = MATH(fabs)(x - low), phase = distance - MATH(floor)(distance / period) * period;
    const bool down = 2 * phase >= period;
    const bool turned = (x < low) != down;
    *slope = period == 0 ? 0 : turned ? -*slope : *slope;
    return period == 0 ? 0 : (down ? period - phase : phase) + low;
}

/* The cubic of taps.inc.c with a = -0.75, at distances below 1 and from 1 to 2, and their derivatives. */
KT_ALWAYS T FN(cubic_near)(T x) { return ((T)1.25 * x - (T)2.25) * x * x + 1; }
KT_ALWAYS T FN(cubic_far)(T x) { return (T)-0.75 * (((x - 5) * x + 8) * x - 4); }
KT_ALWAYS T FN(cubic_near_slope)(T x) { return ((T)3.75 * x - (T)4.5) * x; }
KT_ALWAYS T FN(cubic_far_slope)(T x) { return (T)-0.75 * ((3 * x - 10) * x + 8); }
