/* 05_in_place_and_out.c - writing into tensors that exist: kt_add_ into its first operand, kt_add_out into a buffer.
 *
 * The calculation is the same as without; only the result is converted to the target's dtype, if that may be. */
#define KT_SITES /* errors name file and line */
#include <karat/karat.h>

#include <string.h>

#include "lesson.h"

int main(void)
{
    KT_SCOPE;

    /* In place: the name ends in an underscore, the result is the operand itself. */
    kt_tensor *x = kt_from((float[]){1, 2, 3}, KT_SHAPE(3), KT_F32);
    EXPECT(kt_mul_s_(x, KT_INT(10)) == x);
    EXPECT(kt_add_(x, kt_ones(KT_SHAPE(3)), .alpha = KT_FLOAT(0.5)) == x); /* x += 0.5 * ones */
    show("x * 10 + 0.5", x);
    EXPECT(kt_item(kt_sum(x)) == 61.5);

    /* Every write in place is counted. The tape uses the count to notice that a value it needs is gone. */
    EXPECT(kt_tensor_version(x) == 2);

    /* The target keeps its dtype: float64 + float32 is calculated in float64 and stored as float32. */
    kt_tensor *fine = kt_full(KT_SHAPE(3), KT_FLOAT(1e-12), .dtype = KT_F64);
    kt_add_(x, fine);
    EXPECT(kt_dtype_of(x) == KT_F32);

    /* But a float never silently becomes an integer. */
    kt_tensor *n = kt_from((int64_t[]){1, 2, 3}, KT_SHAPE(3), KT_I64);
    EXPECT(kt_add_s_(n, KT_FLOAT(0.5)) == NULL);
    EXPECT(strncmp(kt_error(), "result type Float can't be cast to the desired output type Long", 63) == 0);
    printf("refused: %s\n", kt_error());
    kt_clear();
    EXPECT(kt_item(kt_sum(n)) == 6); /* nothing was written */

    /* copy_ is an assignment: it converts whatever it is given. */
    kt_copy_(n, kt_from((float[]){7.9f, -7.9f, 0}, KT_SHAPE(3), KT_F32));
    show("n after copy_ of 7.9, -7.9, 0", n);
    EXPECT(kt_item(kt_select(n, 0, 0)) == 7 && kt_item(kt_select(n, 0, 1)) == -7);

    /* Into a buffer, for loops that should not allocate. */
    kt_tensor *buffer = kt_empty(KT_SHAPE(3));
    for (int step = 0; step < 3; step++) {
        KT_SCOPE;
        EXPECT(kt_mul_out(buffer, x, kt_full(KT_SHAPE(3), KT_INT(step), .dtype = KT_F32)) == buffer);
    }
    show("buffer after the last step", buffer);
    EXPECT(kt_item(kt_sum(buffer)) == 2 * 61.5);

    /* A buffer of a wider dtype is fine, an empty one is given its shape. */
    kt_tensor *empty = kt_empty(KT_SHAPE(0), .dtype = KT_F64);
    kt_add_out(empty, x, x);
    EXPECT(kt_numel(empty) == 3 && kt_dtype_of(empty) == KT_F64 && kt_item(kt_sum(empty)) == 123);

    return kt_report(stderr) || wrong;
}
