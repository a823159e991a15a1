/* 04_views_and_strides.c - several tensors, one memory.
 *
 * A tensor is a shape laid over a storage: going one step along a dim moves `stride` elements in memory. Slicing,
 * transposing, expanding change the shape and the strides and copy nothing. */
#define KT_SITES /* errors name file and line */
#include <karat/karat.h>

#include <string.h>

#include "lesson.h"

static double at(const kt_tensor *t, int64_t row, int64_t column)
{
    return kt_item(kt_select(kt_select(t, 0, row), 0, column));
}

int main(void)
{
    KT_SCOPE;

    kt_tensor *x = kt_reshape(kt_arange(KT_INT(0), KT_INT(12)), KT_SHAPE(3, 4));
    EXPECT(kt_stride(x, 0) == 4 && kt_stride(x, 1) == 1 && kt_is_contiguous(x));

    /* Transposed: the strides change places. */
    kt_tensor *t = kt_transpose(x, 0, 1);
    show("x transposed", t);
    EXPECT(kt_size(t, 0) == 4 && kt_stride(t, 0) == 1 && kt_stride(t, 1) == 4);
    EXPECT(kt_is_view(t) && kt_shares_storage(t, x) && !kt_is_contiguous(t));

    /* Every second column, without the first row: an offset and larger strides. */
    kt_tensor *part = kt_slice(kt_slice(x, .start = KT_SOME(1)), .dim = 1, .step = KT_SOME(2));
    show("every second column, without the first row", part);
    EXPECT(kt_storage_offset(part) == 4 && kt_stride(part, 1) == 2);

    /* Writing through a view writes the one memory: x and t see it too. */
    kt_fill_s_(part, KT_INT(-1));
    show("x after writing -1 through that view", x);
    EXPECT(at(x, 1, 0) == -1 && at(x, 2, 2) == -1 && at(x, 1, 1) == 5);
    EXPECT(at(t, 2, 1) == -1);

    /* Expanded: one element seen many times, a stride of 0. Writing through it is refused. */
    kt_tensor *wide = kt_expand(kt_ones(KT_SHAPE(3, 1)), KT_SHAPE(3, 1000));
    EXPECT(kt_stride(wide, 1) == 0 && kt_item(kt_sum(wide)) == 3000);
    EXPECT(kt_add_s_(wide, KT_INT(1)) == NULL);
    EXPECT(strncmp(kt_error(), "unsupported operation: more than one element of the written-to tensor", 69) == 0);
    kt_clear();

    /* Another shape over the same memory is a view where the strides allow it, and an error where not; kt_reshape
     * copies then. */
    EXPECT(kt_shares_storage(kt_view(x, KT_SHAPE(2, 6)), x));
    EXPECT(kt_view(t, KT_SHAPE(12)) == NULL);
    printf("refused: %s\n", kt_error());
    kt_clear();
    EXPECT(!kt_shares_storage(kt_reshape(t, KT_SHAPE(12)), t));

    /* A dense copy in row-major order, where one is needed: the same values, other strides. */
    kt_tensor *dense = kt_contiguous(t);
    EXPECT(kt_is_contiguous(dense) && kt_stride(dense, 0) == 3 && at(dense, 3, 2) == at(t, 3, 2));

    /* The same bytes as another dtype: 1.0f is 0x3f800000. */
    kt_tensor *bits = kt_view_dtype(kt_ones(KT_SHAPE(1)), KT_I32);
    EXPECT(kt_item(bits) == 0x3f800000);

    return kt_report(stderr) || wrong;
}
