/* 01_first_tensor.c - make a tensor, calculate with it, print it, read the numbers back.
 *
 * Like every lesson of this course it is a complete program that checks its own results: it returns 0 when they are
 * right. README.md beside it walks through all of them. */
#define KT_SITES /* errors name file and line */
#include <karat/karat.h>

#include "lesson.h"

int main(void)
{
    /* Tensors made below belong to this scope and are released at the end of the block: nothing is freed by hand. */
    KT_SCOPE;

    /* From C memory: the elements (copied, the last dim runs fastest), the sizes, the dtype. */
    const float numbers[] = {1, 2, 3, 4, 5, 6};
    kt_tensor  *x = kt_from(numbers, KT_SHAPE(2, 3), KT_F32);
    show("x", x);

    /* Or from a rule. Options are named and may be left out. */
    kt_tensor *ones = kt_ones(KT_SHAPE(2, 3));
    kt_tensor *count = kt_arange(KT_INT(0), KT_INT(3), .dtype = KT_F32);
    show("count", count);

    /* Operators nest, because temporaries need no care. `count` has one dim: it is repeated for each row of x. */
    kt_tensor *y = kt_add(kt_mul(x, count), ones);
    show("x * count + 1", y);

    /* An operator with a plain number ends in _s; the number says what it is. */
    kt_tensor *half = kt_mul_s(y, KT_FLOAT(0.5));
    show("half of it", half);

    /* Ask a tensor about itself. */
    EXPECT(kt_ndim(y) == 2 && kt_size(y, 0) == 2 && kt_size(y, -1) == 3 && kt_numel(y) == 6);
    EXPECT(kt_dtype_of(y) == KT_F32);
    printf("y is %s with %lld elements\n", kt_dtype_name(kt_dtype_of(y)), (long long)kt_numel(y));

    /* One number out of a tensor of one element, or all of them into an array. */
    EXPECT(kt_item(kt_sum(y)) == 1 + 3 + 7 + 1 + 6 + 13);
    float got[6] = {0};
    EXPECT(kt_read(y, got, sizeof got) == KT_OK);
    EXPECT(got[0] == 1 && got[1] == 3 && got[2] == 7 && got[5] == 13);

    /* A failure anywhere above would still be pending here: one check is enough, and prints it. */
    return kt_report(stderr) || wrong;
}
