/* 03_casts_and_rounding.c - asking for another dtype, and what happens to the values.
 *
 * kt_to casts. A cast that you wrote is always allowed; `casting` makes it check, `rounding` says how it rounds. */
#define KT_SITES /* errors name file and line */
#include <karat/karat.h>

#include <math.h>

#include "lesson.h"

/* One number, stored as `from`, cast to `to`. */
static double cast(double value, kt_dtype from, kt_dtype to)
{
    return kt_item(kt_to(kt_full(KT_SCALAR, KT_FLOAT(value), .dtype = from), .dtype = to));
}

int main(void)
{
    KT_SCOPE;

    /* Floats are rounded to the nearest, ties to even; what is too large becomes infinite, or NaN where a dtype has no
     * infinity. */
    EXPECT(cast(1.0 / 3, KT_F64, KT_F16) == 0.333251953125);
    EXPECT(cast(1.0 + 0x1p-8, KT_F32, KT_BF16) == 1.0); /* half way between 1 and 1.0078125 */
    EXPECT(isinf(cast(1e6, KT_F32, KT_F16)));
    EXPECT(isnan(cast(1e6, KT_F32, KT_E4M3FN)));

    /* Floats become integers by dropping the fraction. What C leaves undefined is defined here, the same everywhere:
     * the nearest end of the range, and 0 for NaN. */
    EXPECT(cast(-2.9, KT_F32, KT_I32) == -2);
    EXPECT(cast(1e10, KT_F64, KT_I32) == INT32_MAX);
    EXPECT(cast(-1e10, KT_F64, KT_I32) == INT32_MIN);
    EXPECT(cast(NAN, KT_F32, KT_I64) == 0);

    /* Integers wrap; anything but zero is true. */
    EXPECT(cast(300, KT_I64, KT_U8) == 44);
    EXPECT(cast(0.1, KT_F64, KT_BOOL) == 1 && cast(NAN, KT_F64, KT_BOOL) == 1);

    /* From float64 to a narrow float there are two roundings, as in PyTorch: first to float32. Just above the middle
     * between 1 and the next float16, the first rounding lands on the middle and the second goes down, to 1. */
    const double tricky = 1 + 0x1p-11 + 0x1p-40;
    kt_tensor   *t = kt_full(KT_SCALAR, KT_FLOAT(tricky), .dtype = KT_F64);
    EXPECT(kt_item(kt_to(t, .dtype = KT_F16)) == 1.0);
    EXPECT(kt_item(kt_to(t, .dtype = KT_F16, .rounding = "once")) == 1 + 0x1p-10);

    /* Stochastic rounding goes up or down with the right odds, so that an average keeps what a single value cannot. */
    kt_tensor *third = kt_full(KT_SHAPE(10000), KT_FLOAT(1 + 0x1p-8 / 3), .dtype = KT_F32); /* bfloat16 steps by 2^-7 */
    kt_tensor *fuzzy = kt_to(third, .dtype = KT_BF16, .rounding = "stochastic");
    const double mean = kt_item(kt_sum(fuzzy, .dtype = KT_F64)) / 10000;
    printf("1 + 2^-8/3 in bfloat16: to nearest %.6f, stochastic on average %.6f, in truth %.6f\n",
           kt_item(kt_sum(kt_to(third, .dtype = KT_BF16), .dtype = KT_F64)) / 10000, mean, 1 + 0x1p-8 / 3);
    EXPECT(fabs(mean - (1 + 0x1p-8 / 3)) < 3e-4);

    /* A cast can be told what it may lose. "same_value" looks at the values at hand. */
    kt_tensor *whole = kt_from((float[]){1, 2, 3}, KT_SHAPE(3), KT_F32);
    kt_tensor *broken = kt_from((float[]){1, 2.5f, 3}, KT_SHAPE(3), KT_F32);
    show("whole numbers as int8", kt_to(whole, .dtype = KT_I8, .casting = "same_value"));
    EXPECT(kt_to(broken, .dtype = KT_I8, .casting = "same_value") == NULL);
    printf("refused: %s\n", kt_error());
    kt_clear();
    EXPECT(kt_to(whole, .dtype = KT_I8, .casting = "safe") == NULL); /* not every float32 is an int8 */
    kt_clear();

    /* A cast to the dtype it has already gives the tensor itself; `copy` insists. */
    EXPECT(kt_shares_storage(whole, kt_to(whole, .dtype = KT_F32)));
    EXPECT(!kt_shares_storage(whole, kt_to(whole, .dtype = KT_F32, .copy = true)));

    return kt_report(stderr) || wrong;
}
