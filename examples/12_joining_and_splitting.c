/* 12_joining_and_splitting.c - many tensors made one, and one made many.
 *
 * Joining copies, since the parts lie in different places; splitting only looks. Lists are C arrays: a pointer and a
 * count go in, an array with room comes back filled. */
#define KT_SITES /* errors name file and line */
#include <karat/karat.h>

#include <string.h>

#include "lesson.h"

static void join(void)
{
    KT_SCOPE;
    kt_tensor *a = kt_zeros(KT_SHAPE(1, 3)), *b = kt_ones(KT_SHAPE(2, 3)), *list[] = {a, b};
    kt_tensor *rows = kt_cat(list, 2);
    show("a above b", rows);
    EXPECT(kt_size(rows, 0) == 3 && kt_item(kt_sum(rows)) == 6);

    /* Along another dim the other sizes must agree. */
    EXPECT(kt_cat(list, 2, .dim = 1) == NULL);
    printf("refused: %s\n", kt_error());
    kt_clear();

    /* The result has the common dtype: an int64 and a float16 column make a float16 matrix. */
    kt_tensor *mixed[] = {kt_ones(KT_SHAPE(2, 1), .dtype = KT_I64), kt_ones(KT_SHAPE(2, 1), .dtype = KT_F16)};
    EXPECT(kt_dtype_of(kt_cat(mixed, 2, .dim = 1)) == KT_F16);
}

static void split(void)
{
    KT_SCOPE;
    kt_tensor *x = kt_arange(KT_INT(0), KT_INT(10), .dtype = KT_F32), *part[4];
    int64_t    n = kt_split(x, 4, part, 4); /* how many there are */
    EXPECT(n == 3 && kt_numel(part[0]) == 4 && kt_numel(part[2]) == 2);

    /* They are views: what is written to a part is written to the whole. */
    kt_mul_s_(part[2], KT_INT(100));
    show("x after its third part was multiplied by 100", x);
    EXPECT(kt_item(kt_select(x, 0, 9)) == 900);

    EXPECT(kt_split_sizes(x, KT_SHAPE(1, 9), part, 4) == 2 && kt_numel(part[1]) == 9);
    EXPECT(kt_chunk(x, 3, part, 4) == 3 && kt_numel(part[0]) == 4);

    /* unbind takes a dim apart entirely: a matrix gives its rows. */
    kt_tensor *row[2];
    EXPECT(kt_unbind(kt_reshape(x, KT_SHAPE(2, 5)), row, 2) == 2 && kt_ndim(row[0]) == 1);
}

/* One record for all parts: a gradient for each of them comes back as one for the whole, zero where none was used. */
static void gradients(void)
{
    KT_SCOPE;
    kt_tensor *x = kt_ones(KT_SHAPE(3), .requires_grad = true), *part[3];
    kt_unbind(x, part, 3);
    printf("%s\n", kt_grad_fn_name(part[0]));
    kt_backward(kt_add(kt_mul_s(part[0], KT_INT(5)), part[2]));
    show("gradient of x", kt_grad(x));
    EXPECT(kt_item(kt_select(kt_grad(x), 0, 0)) == 5 && kt_item(kt_select(kt_grad(x), 0, 1)) == 0);

    /* On the record a part is not written to: its history would have to be that of all its sisters. */
    EXPECT(kt_mul_s_(part[0], KT_INT(2)) == NULL);
    EXPECT(strncmp(kt_error(), "Output 0 of UnbindBackward0 is a view and is being modified inplace.", 68) == 0);
    printf("refused: %s\n", kt_error());
    kt_clear();
}

int main(void)
{
    join();
    split();
    gradients();
    return kt_report(stderr) || wrong;
}
