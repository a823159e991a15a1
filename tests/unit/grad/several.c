/* several.c - nodes with several results and with any number of inputs: split, unbind, cat; which writes they refuse. */
#include "harness.h"

#include <karat/karat.h>

#include "support/by_name.h"

enum { ROOM = 64 };

static kt_tensor *counting(kt_shape shape)
{
    int64_t    n = shape.n == 1 ? shape.d[0] : shape.d[0] * shape.d[1];
    kt_tensor *t = kt_clone(kt_reshape(kt_arange(KT_INT(1), KT_INT(n + 1), .dtype = KT_F64), shape));
    kt_set_requires_grad(t, true);
    return t;
}

static void check_grad(const kt_tensor *t, int n, const double *want, int line)
{
    kt_tensor *g = kt_grad(t);
    if (!test_check(g != NULL, __FILE__, line, "there is no gradient"))
        return;
    test_equal_int(kt_numel(g), n, __FILE__, line, "numel");
    for (int i = 0; i < n; i++)
        test_near(tensor_at(g, i), want[i], 1e-12, __FILE__, line, "gradient");
}
#define CHECK_GRAD(t, ...) \
    check_grad(t, (int)(sizeof(double[]){__VA_ARGS__} / sizeof(double)), (double[]){__VA_ARGS__}, __LINE__)

/* ---- several results ---- */

TEST(every_part_has_its_gradient)
{
    KT_SCOPE;
    kt_tensor *x = counting(KT_SHAPE(3, 2)), *part[ROOM];
    CHECK_EQ_INT(kt_unbind(x, part, ROOM), 3);
    for (int i = 0; i < 3; i++)
        CHECK_STR(kt_grad_fn_name(part[i]), "UnbindBackward0");
    kt_tensor *y = kt_sum(kt_add(kt_mul(part[0], part[1]), kt_mul_s(part[2], KT_INT(5))));
    CHECK_EQ_INT(kt_backward(y), KT_OK);
    CHECK_GRAD(x, 3, 4, 1, 2, 5, 5);
}

TEST(parts_that_nobody_used_get_zeros)
{
    KT_SCOPE;
    kt_tensor *x = counting(KT_SHAPE(2, 5)), *part[ROOM];
    CHECK_EQ_INT(kt_split(x, 2, part, ROOM, .dim = 1), 3);
    CHECK_STR(kt_grad_fn_name(part[2]), "SplitBackward0");
    kt_backward(kt_sum(kt_mul_s(part[1], KT_INT(3))));
    CHECK_GRAD(x, 0, 0, 3, 3, 0, 0, 0, 3, 3, 0);
    kt_set_grad(x, NULL);
    CHECK_EQ_INT(kt_split_sizes(x, KT_SHAPE(1, 3, 1), part, ROOM, .dim = -1), 3);
    CHECK_STR(kt_grad_fn_name(part[0]), "SplitWithSizesBackward0");
    kt_backward(kt_add(kt_sum(part[2]), kt_sum(kt_mul(part[0], part[0]))));
    CHECK_GRAD(x, 2, 0, 0, 0, 1, 12, 0, 0, 0, 1);
    kt_set_grad(x, NULL);
    CHECK_EQ_INT(kt_chunk(x, 2, part, ROOM), 2);
    CHECK_STR(kt_grad_fn_name(part[1]), "SplitBackward0");
    kt_backward(kt_sum(part[1]));
    CHECK_GRAD(x, 0, 0, 0, 0, 0, 1, 1, 1, 1, 1);
}

TEST(a_second_derivative_through_parts)
{
    KT_SCOPE;
    kt_tensor *x = counting(KT_SHAPE(3)), *part[ROOM];
    kt_unbind(x, part, ROOM);
    kt_tensor *y = kt_mul(kt_mul(part[0], part[0]), part[2]); /* a^2 c */
    CHECK_EQ_INT(kt_backward(y, .create_graph = true), KT_OK);
    CHECK_GRAD(x, 6, 0, 1);
    kt_tensor *g = kt_sum(kt_mul_s(kt_grad(x), KT_INT(1)));
    kt_set_grad(x, NULL);
    CHECK_EQ_INT(kt_backward(g), KT_OK);
    CHECK_GRAD(x, 2 * 3 + 2, 0, 2);
    kt_set_grad(x, NULL);
}

TEST(integers_split_without_a_node)
{
    KT_SCOPE;
    kt_tensor *x = kt_arange(KT_INT(0), KT_INT(4)), *part[ROOM];
    CHECK_EQ_INT(kt_unbind(x, part, ROOM), 4);
    CHECK(!kt_requires_grad(part[1]) && !*kt_grad_fn_name(part[1]));
    kt_add_s_(part[1], KT_INT(7)); /* and may be written to */
    CHECK_NEAR(tensor_at(x, 1), 8, 0);
}

TEST(a_wide_unbind)
{
    KT_SCOPE;
    enum { WIDE = 5000 };
    static kt_tensor *part[WIDE];
    kt_tensor        *x = kt_ones(KT_SHAPE(WIDE), .dtype = KT_F64, .requires_grad = true), *sum = NULL;
    CHECK_EQ_INT(kt_unbind(x, part, WIDE), WIDE);
    for (int i = 0; i < WIDE; i += 2) {
        kt_tensor *weighted = kt_mul_s(part[i], KT_INT(i));
        sum = sum ? kt_add(sum, weighted) : weighted;
    }
    CHECK_EQ_INT(kt_backward(sum), KT_OK);
    for (int i = 0; i < WIDE; i++)
        CHECK_NEAR(tensor_at(kt_grad(x), i), i % 2 ? 0 : i, 0);
}

/* ---- any number of inputs ---- */

TEST(cat_of_many)
{
    KT_SCOPE;
    enum { MANY = 40 };
    kt_tensor *x[MANY];
    for (int i = 0; i < MANY; i++) {
        x[i] = tensor_filled(i % 3 ? KT_F64 : KT_F32, KT_SHAPE(1, 1 + i % 2), i);
        kt_set_requires_grad(x[i], i % 5 != 1);
    }
    kt_tensor *y = kt_cat(x, MANY, .dim = 1);
    CHECK_STR(kt_grad_fn_name(y), "CatBackward0");
    CHECK_EQ_INT(kt_dtype_of(y), KT_F64);
    CHECK_EQ_INT(kt_backward(kt_sum(kt_mul(y, y))), KT_OK);
    for (int i = 0; i < MANY; i++) {
        kt_tensor *g = kt_grad(x[i]);
        CHECK_EQ_INT(g != NULL, i % 5 != 1);
        if (!g)
            continue;
        CHECK_EQ_INT(kt_dtype_of(g), kt_dtype_of(x[i]));
        CHECK_EQ_INT(kt_size(g, 1), 1 + i % 2);
        CHECK_NEAR(tensor_at(g, kt_numel(g) - 1), 2 * i, 0);
    }
}

TEST(cat_lets_an_empty_vector_stand_anywhere)
{
    KT_SCOPE;
    kt_tensor *empty = kt_empty(KT_SHAPE(0), .requires_grad = true), *a = counting(KT_SHAPE(2, 2));
    kt_tensor *list[] = {empty, a, empty, a};
    CHECK_EQ_INT(kt_backward(kt_sum(kt_mul_s(kt_cat(list, 4), KT_INT(3)))), KT_OK);
    CHECK_GRAD(a, 6, 6, 6, 6);
    CHECK(kt_grad(empty) && kt_numel(kt_grad(empty)) == 0);
}

TEST(cat_twice_derived)
{
    KT_SCOPE;
    kt_tensor *a = counting(KT_SHAPE(2)), *list[] = {a, kt_mul(a, a)};
    kt_tensor *y = kt_cat(list, 2);
    CHECK_EQ_INT(kt_backward(kt_sum(kt_mul(y, y)), .create_graph = true), KT_OK); /* a^2 + a^4 */
    CHECK_GRAD(a, 6, 2 * 2 + 4 * 8);
    kt_tensor *g = kt_sum(kt_mul_s(kt_grad(a), KT_INT(1)));
    kt_set_grad(a, NULL);
    CHECK_EQ_INT(kt_backward(g), KT_OK);
    CHECK_GRAD(a, 2 + 12, 2 + 12 * 4);
    kt_set_grad(a, NULL);
}

/* ---- which views may be written to ---- */

#define MANY_VIEWS                                                                                                     \
    " This view is the output of a function that returns multiple views. Such functions do not allow the output "      \
    "views to be modified inplace. You should replace the inplace operation by an out-of-place one."
#define NO_GRAD_VIEW                                                                                                   \
    " Given that this use case is ambiguous and error-prone, it is forbidden. You can clarify your code by moving "    \
    "both the view and the inplace either both inside the no_grad block (if you don't want the inplace to be "         \
    "tracked) or both outside (if you want the inplace to be tracked)."

static void check_refused(const kt_tensor *result, const char *text, int line)
{
    test_check(result == NULL, __FILE__, line, "nothing was refused");
    test_equal_str(error_line(), text, __FILE__, line, "the first line");
    kt_clear();
}
#define CHECK_REFUSED(expr, text) check_refused(expr, text, __LINE__)

TEST(parts_are_not_written_to)
{
    KT_SCOPE;
    kt_tensor *leaf = counting(KT_SHAPE(4, 2)), *y = kt_mul_s(leaf, KT_INT(2)), *part[ROOM];
    kt_tensor *bases[] = {leaf, y};
    for (int i = 0; i < 2; i++) {
        kt_unbind(bases[i], part, ROOM);
        CHECK_REFUSED(kt_mul_s_(part[1], KT_INT(2)),
                      "Output 1 of UnbindBackward0 is a view and is being modified inplace." MANY_VIEWS);
        CHECK_REFUSED(kt_zero_(kt_view(part[1], KT_SHAPE(2))),
                      "Output 0 of ViewBackward0 is a view and is being modified inplace." MANY_VIEWS);
        kt_split(bases[i], 2, part, ROOM);
        CHECK_REFUSED(kt_mul_s_(part[0], KT_INT(2)),
                      "Output 0 of SplitBackward0 is a view and is being modified inplace." MANY_VIEWS);
        kt_split_sizes(bases[i], KT_SHAPE(1, 3), part, ROOM);
        CHECK_REFUSED(kt_mul_s_(part[1], KT_INT(2)),
                      "Output 1 of SplitWithSizesBackward0 is a view and is being modified inplace." MANY_VIEWS);
    }
    kt_tensor *plain = kt_ones(KT_SHAPE(4, 2), .dtype = KT_F64), *v;
    kt_unbind(plain, part, ROOM);
    CHECK(kt_mul_s_(part[0], KT_INT(2)) != NULL); /* nothing to record */
    kt_unbind(leaf, part + 8, ROOM - 8);
    v = part[8];
    CHECK_REFUSED(kt_mul_(part[0], v),
                  "A view was created in no_grad mode and is being modified inplace with grad mode enabled." MANY_VIEWS);
    {
        KT_NO_GRAD;
        CHECK(kt_mul_s_(part[8], KT_INT(2)) != NULL);
    }
    CHECK_REFUSED(kt_mul_s(part[9], KT_INT(2)),
                  "Output 1 of UnbindBackward0 is a view and its base or another view of its base has been modified inplace."
                  MANY_VIEWS);
}

TEST(views_made_without_grad_mode)
{
    KT_SCOPE;
    kt_tensor *leaf = counting(KT_SHAPE(4)), *y = kt_mul_s(leaf, KT_INT(2)), *plain = kt_ones(KT_SHAPE(4), .dtype = KT_F64);
    kt_tensor *bases[] = {leaf, y};
    for (int i = 0; i < 2; i++) {
        kt_tensor *v, *part[ROOM];
        {
            KT_NO_GRAD;
            v = kt_slice(bases[i], .start = KT_SOME(1));
            kt_unbind(bases[i], part, ROOM);
        }
        CHECK(kt_requires_grad(v) && kt_is_leaf(v) && !*kt_grad_fn_name(v));
        kt_tensor *z = kt_sum(kt_mul(v, v)); /* recorded, but nothing flows back through v */
        CHECK_STR(kt_grad_fn_name(z), "SumBackward0");
        CHECK_EQ_INT(kt_backward(z), KT_OK);
        CHECK(kt_grad(leaf) == NULL && kt_grad(v) == NULL);
        CHECK_REFUSED(kt_mul_s_(v, KT_INT(2)),
                      "A view was created in no_grad mode and is being modified inplace with grad mode enabled." NO_GRAD_VIEW);
        CHECK_REFUSED(kt_mul_s_(part[0], KT_INT(2)),
                      "A view was created in no_grad mode and is being modified inplace with grad mode enabled." NO_GRAD_VIEW);
        {
            KT_NO_GRAD;
            CHECK(kt_mul_s_(v, KT_INT(1)) != NULL);
        }
        CHECK_REFUSED(kt_mul_s(v, KT_INT(2)),
                      "A view was created in no_grad mode and its base or another view of its base has been modified inplace "
                      "with grad mode enabled." NO_GRAD_VIEW);
    }
    kt_tensor *v;
    {
        KT_NO_GRAD;
        v = kt_slice(plain, .start = KT_SOME(1));
    }
    CHECK(!kt_requires_grad(v) && kt_mul_s_(v, KT_INT(2)) != NULL);
    CHECK_REFUSED(kt_mul_(v, kt_slice(leaf, .start = KT_SOME(1))),
                  "A view was created in no_grad mode and is being modified inplace with grad mode enabled." NO_GRAD_VIEW);
}
