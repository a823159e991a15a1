/* 10_matrix_products.c - one operator for every product of matrices, and the dtype rule that all of them share.
 *
 * kt_matmul looks at the number of dims: vector, matrix or a batch of matrices. Unlike + and *, a product does not mix
 * dtypes: too much arithmetic hangs on it to let the types decide themselves. */
#define KT_SITES /* errors name file and line */
#include <karat/karat.h>

#include <string.h>

#include "lesson.h"

/* a[i, j] of a matrix */
static double at(const kt_tensor *t, int64_t i, int64_t j) { return kt_item(kt_select(kt_select(t, 0, i), 0, j)); }

static void shapes(void)
{
    KT_SCOPE;
    kt_tensor *a = kt_from((float[]){1, 2, 3, 4, 5, 6}, KT_SHAPE(2, 3), KT_F32);
    kt_tensor *b = kt_from((float[]){1, 0, 0, 1, 1, 1}, KT_SHAPE(3, 2), KT_F32);
    kt_tensor *v = kt_from((float[]){1, 1, 1}, KT_SHAPE(3), KT_F32);

    kt_tensor *ab = kt_matmul(a, b); /* (2, 3) times (3, 2) */
    show("a @ b", ab);
    EXPECT(kt_size(ab, 0) == 2 && kt_size(ab, 1) == 2 && at(ab, 0, 0) == 4 && at(ab, 1, 1) == 11);

    show("a @ v", kt_matmul(a, v));          /* matrix times vector: a vector */
    EXPECT(kt_item(kt_matmul(v, v)) == 3);      /* vector times vector: a number */
    EXPECT(at(kt_matmul(kt_t(a), a), 0, 0) == 17); /* a transposed view is as good as a matrix: nothing is copied for it */

    /* More dims: the last two are the matrix, those before it count, and are broadcast. */
    kt_tensor *batch = kt_expand(kt_unsqueeze(a, 0), KT_SHAPE(4, 2, 3));
    kt_tensor *each = kt_matmul(batch, b);
    EXPECT(kt_ndim(each) == 3 && kt_size(each, 0) == 4 && kt_size(each, 2) == 2);
    EXPECT(at(kt_select(each, 0, 3), 0, 0) == 4);

    EXPECT(kt_matmul(a, a) == NULL); /* (2, 3) and (2, 3) */
    printf("refused: %s\n", kt_error());
    kt_clear();
}

static void dtypes(void)
{
    KT_SCOPE;
    kt_tensor *a = kt_ones(KT_SHAPE(2, 3)), *b = kt_ones(KT_SHAPE(3, 2), .dtype = KT_F64);
    EXPECT(kt_dtype_of(kt_mul(a, kt_t(b))) == KT_F64); /* an elementwise product promotes ... */
    EXPECT(kt_matmul(a, b) == NULL);                   /* ... a matrix product refuses, and says where the types came from */
    EXPECT(strncmp(kt_error(), "expected m1 and m2 to have the same dtype, but got: float != double", 67) == 0);
    printf("refused: %s\n", kt_error());
    kt_clear();

    /* Narrow types are added up in float32 and rounded once, at the end: 4096 ones are 4096, not stuck at 256. */
    kt_tensor *row = kt_ones(KT_SHAPE(1, 4096), .dtype = KT_BF16), *column = kt_t(row);
    kt_tensor *sum = kt_matmul(row, column);
    EXPECT(kt_dtype_of(sum) == KT_BF16 && at(sum, 0, 0) == 4096);
}

/* The two halves of every layer's backward: d(xw)/dw is x transposed times what arrives, d(xw)/dx the other way round. */
static void gradients(void)
{
    KT_SCOPE;
    kt_tensor *x = kt_from((float[]){1, 2, 3, 4}, KT_SHAPE(2, 2), KT_F32);
    kt_tensor *w = kt_ones(KT_SHAPE(2, 1), .requires_grad = true);
    kt_backward(kt_sum(kt_matmul(x, w)));
    show("gradient of w", kt_grad(w));
    EXPECT(at(kt_grad(w), 0, 0) == 1 + 3 && at(kt_grad(w), 1, 0) == 2 + 4);
}

int main(void)
{
    shapes();
    dtypes();
    gradients();
    return kt_report(stderr) || wrong;
}
