/* 06_policies.c - how much may be converted without being asked: a ladder of four rungs.
 *
 *     strict      no implicit conversion at all (plain numbers never force a conversion)
 *     safe        only those that cannot lose a value
 *     torch       PyTorch's rules; the default
 *     permissive  also where PyTorch refuses a mix
 *
 * What one policy accepts, the next accepts with the same result. A cast that you write is allowed under every policy. */
#define KT_SITES /* errors name file and line */
#include <karat/karat.h>

#include "lesson.h"

/* Does this policy let a and b be added? KT_POLICY holds until the end of the block. */
static bool adds(kt_policy policy, const kt_tensor *a, const kt_tensor *b)
{
    KT_POLICY(policy);
    const bool accepted = kt_add(a, b) != NULL;
    kt_clear();
    return accepted;
}

static void row(const char *what, const kt_tensor *a, const kt_tensor *b, const bool want[4])
{
    printf("%-20s", what);
    for (int policy = KT_STRICT; policy <= KT_PERMISSIVE; policy++) {
        const bool accepted = adds((kt_policy)policy, a, b);
        printf("  %s: %-7s", kt_policy_name((kt_policy)policy), accepted ? "yes" : "refused");
        EXPECT(accepted == want[policy]);
    }
    printf("\n");
}

int main(void)
{
    KT_SCOPE;
    EXPECT(kt_get_policy() == KT_TORCH || kt_get_policy() == (kt_policy)kt_policy_find("torch"));

    kt_tensor *f32 = kt_ones(KT_SHAPE(2)), *f16 = kt_ones(KT_SHAPE(2), .dtype = KT_F16);
    kt_tensor *i64 = kt_ones(KT_SHAPE(2), .dtype = KT_I64), *i32 = kt_ones(KT_SHAPE(2), .dtype = KT_I32);
    kt_tensor *u16 = kt_ones(KT_SHAPE(2), .dtype = KT_U16);

    row("float32 + float32", f32, f32, (bool[]){true, true, true, true});
    row("float16 + float32", f16, f32, (bool[]){false, true, true, true});  /* every float16 is a float32 */
    row("int64 + float32", i64, f32, (bool[]){false, false, true, true});   /* 2^24 + 1 is not a float32 */
    row("uint16 + int32", u16, i32, (bool[]){false, false, false, true});   /* PyTorch has no rule for it */

    /* Matrix products: PyTorch wants one dtype. */
    kt_tensor *a = kt_ones(KT_SHAPE(2, 3)), *b = kt_ones(KT_SHAPE(3, 2), .dtype = KT_F16);
    EXPECT(kt_matmul(a, b) == NULL);
    printf("\n%s\n\n", kt_error());
    kt_clear();
    {
        KT_POLICY(KT_PERMISSIVE);
        kt_tensor *product = kt_matmul(a, b);
        EXPECT(kt_dtype_of(product) == KT_F32 && kt_item(kt_sum(product)) == 12);
    }
    EXPECT(kt_get_policy() == KT_TORCH); /* the block has ended */

    /* Strict: write what you mean. Numbers without a dtype are no conversion. */
    {
        KT_POLICY(KT_STRICT);
        EXPECT(kt_add(i64, f32) == NULL);
        kt_clear();
        EXPECT(kt_add(kt_to(i64, .dtype = KT_F32), f32) != NULL);
        EXPECT(kt_mul_s(f16, KT_FLOAT(0.5)) != NULL);
    }

    return kt_report(stderr) || wrong;
}
