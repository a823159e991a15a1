/* lists.c - operators over lists: each tensor's result is that of its own call, bit for bit, whether the tensors run together or
 * one after the other; a refused list is unchanged. */
#include "harness.h"

#include <karat/karat.h>
#include <math.h>

enum { MOST = 40 };

static kt_tensor *numbers(int64_t n, kt_dtype dtype, double from)
{
    return kt_to(kt_add_s(kt_mul_s(kt_arange(KT_INT(0), KT_INT(n), .dtype = KT_F64), KT_FLOAT(0.37)), KT_FLOAT(from)),
                 .dtype = dtype);
}

static bool same(kt_tensor *a, kt_tensor *b)
{
    return CHECK_MSG(a && b, "%s", kt_error()) && kt_dtype_of(a) == kt_dtype_of(b) && kt_numel(a) == kt_numel(b) &&
           kt_item(kt_all(kt_eq(a, b))) == 1;
}

/* Sizes from none to what is split by its own kernel; dtypes in turn. */
static int64_t size_of(int i) { return i == 3 ? 0 : i == 7 ? 200000 : i % 5 == 0 ? 5000 + i : 17 * i + 1; }

static void fill(kt_tensor **list, int n, double from)
{
    static const kt_dtype dtypes[] = {KT_F32, KT_F64, KT_BF16, KT_F16, KT_F32};
    for (int i = 0; i < n; i++)
        list[i] = numbers(size_of(i), dtypes[i % 5], from + i);
}

TEST(each_tensor_is_as_alone)
{
    KT_SCOPE;
    kt_tensor *a[MOST], *b[MOST], *sums[MOST], *roots[MOST], *mixed[MOST];
    fill(a, MOST, 1);
    fill(b, MOST, 2);
    CHECK_EQ_INT(kt_foreach_add_list(a, MOST, b, MOST, sums, MOST, .alpha = KT_INT(3)), MOST);
    CHECK_EQ_INT(kt_foreach_sqrt(a, MOST, roots, MOST), MOST);
    CHECK_EQ_INT(kt_foreach_addcmul(a, MOST, a, MOST, b, MOST, mixed, MOST, .value = KT_FLOAT(0.5)), MOST);
    for (int i = 0; i < MOST; i++) {
        KT_SCOPE;
        CHECK(same(sums[i], kt_add(a[i], b[i], .alpha = KT_INT(3))));
        CHECK(same(roots[i], kt_sqrt(a[i])));
        CHECK(same(mixed[i], kt_addcmul(a[i], a[i], b[i], .value = KT_FLOAT(0.5))));
    }
}

TEST(in_place_each_is_written_once)
{
    KT_SCOPE;
    kt_tensor *a[MOST], *b[MOST], *want[MOST];
    uint32_t   version[MOST];
    kt_scalar  each[MOST];
    fill(a, MOST, 1);
    fill(b, MOST, 1);
    for (int i = 0; i < MOST; i++) {
        each[i] = KT_FLOAT(1 + 0.25 * i);
        want[i] = kt_mul_s(b[i], each[i]);
        version[i] = kt_tensor_version(a[i]);
    }
    CHECK_EQ_INT(kt_foreach_mul_scalars_(a, MOST, each, MOST), KT_OK);
    for (int i = 0; i < MOST; i++) {
        CHECK(same(a[i], want[i]));
        CHECK_EQ_INT(kt_tensor_version(a[i]), version[i] + 1);
    }
}

/* One tensor twice, and a part of it: what comes later sees what came before, however large they are. */
TEST(what_overlaps_keeps_its_order)
{
    KT_SCOPE;
    kt_tensor *x = kt_zeros(KT_SHAPE(70000)), *other = kt_zeros(KT_SHAPE(70000));
    kt_tensor *list[] = {x, other, x, kt_narrow(x, 0, 100, 60000)};
    const kt_scalar add[] = {KT_INT(1), KT_INT(5), KT_INT(10), KT_INT(100)};
    CHECK_EQ_INT(kt_foreach_add_scalars_(list, 4, add, 4), KT_OK);
    CHECK(kt_item(kt_select(x, 0, 0)) == 11 && kt_item(kt_select(x, 0, 100)) == 111 && kt_item(kt_select(x, 0, 69999)) == 11);
    CHECK(kt_item(kt_min(other)) == 5 && kt_item(kt_max(other)) == 5);
    kt_tensor *to[] = {kt_zeros(KT_SHAPE(40000)), kt_zeros(KT_SHAPE(40000))}, *from[] = {to[1], to[0]};
    CHECK_EQ_INT(kt_foreach_add_(to, 2, KT_INT(1)), KT_OK);
    CHECK_EQ_INT(kt_foreach_add_list_(to, 2, from, 2), KT_OK); /* the second reads what the first has written */
    CHECK(kt_item(kt_max(to[0])) == 2 && kt_item(kt_max(to[1])) == 3);
}

TEST(a_refused_list_is_unchanged)
{
    KT_SCOPE;
    kt_tensor *list[] = {kt_ones(KT_SHAPE(3)), kt_ones(KT_SHAPE(3), .dtype = KT_I64)}, *results[2];
    CHECK_EQ_INT(kt_foreach_add_(list, 2, KT_FLOAT(1.5)), KT_ERR_RUNTIME);
    CHECK(strstr(kt_error(), "result type Float can't be cast to the desired output type Long") != NULL);
    kt_clear();
    CHECK(kt_item(kt_max(list[0])) == 1);
    CHECK_EQ_INT(kt_tensor_version(list[0]), 0);
    CHECK_EQ_INT(kt_foreach_exp(list, 0, results, 2), -1);
    CHECK(strstr(kt_error(), "Tensor list must have at least one tensor.") != NULL);
    kt_clear();
    CHECK_EQ_INT(kt_foreach_mul_list(list, 2, list, 1, results, 2), -1);
    CHECK(strstr(kt_error(), "Tensor lists must have the same number of tensors, got 2 and 1") != NULL);
    kt_clear();
    const kt_scalar none[1] = {{{0}, 0, 0, 0}};
    CHECK_EQ_INT(kt_foreach_mul_scalars(list, 1, none, 1, results, 2), -1);
    CHECK(strstr(kt_error(), "is no number") != NULL);
    kt_clear();
    CHECK_EQ_INT(kt_foreach_mul_scalars(list, 1, NULL, 1, results, 2), -1);
    kt_clear();
}

TEST(gradients_flow_through_lists)
{
    KT_SCOPE;
    kt_tensor *a[] = {kt_ones(KT_SHAPE(3), .requires_grad = true), kt_ones(KT_SHAPE(2))};
    kt_tensor *b[] = {kt_full(KT_SHAPE(3), KT_FLOAT(2)), kt_full(KT_SHAPE(2), KT_FLOAT(2), .requires_grad = true)}, *y[2];
    CHECK_EQ_INT(kt_foreach_mul_list(a, 2, b, 2, y, 2), 2);
    CHECK_EQ_INT(kt_backward(kt_add(kt_sum(y[0]), kt_sum(kt_mul(y[1], y[1])))), KT_OK);
    CHECK(kt_item(kt_max(kt_grad(a[0]))) == 2 && kt_item(kt_max(kt_grad(b[1]))) == 4);
    CHECK_EQ_INT(kt_foreach_add_(a, 2, KT_INT(1)), KT_ERR_RUNTIME);
    CHECK(strstr(kt_error(), "a leaf Variable that requires grad") != NULL);
    kt_clear();
}

TEST(norms_and_maxima)
{
    KT_SCOPE;
    kt_tensor *list[] = {numbers(7, KT_F32, 1), numbers(4, KT_F64, -3)}, *results[2];
    CHECK_EQ_INT(kt_foreach_norm(list, 2, results, 2, .ord = KT_INT(1)), 2);
    for (int i = 0; i < 2; i++)
        CHECK(same(results[i], kt_linalg_vector_norm(list[i], .ord = KT_INT(1))));
    CHECK_EQ_INT(kt_foreach_powsum(list, 2, results, 2, .ord = KT_INT(3)), 2);
    for (int i = 0; i < 2; i++)
        CHECK(same(results[i], kt_sum(kt_pow_s(kt_abs(list[i]), KT_INT(3)))));
    CHECK_EQ_INT(kt_foreach_max(list, 2, results, 2), 2);
    for (int i = 0; i < 2; i++)
        CHECK(same(results[i], kt_max(list[i])));
    list[1] = kt_ones(KT_SHAPE(0));
    CHECK_EQ_INT(kt_foreach_norm(list, 2, results, 2, .ord = KT_FLOAT(INFINITY)), -1);
    CHECK(strstr(kt_error(), "_foreach_norm cannot compute the infinity norm on an empty tensor") != NULL);
    kt_clear();
}

TEST(numbers_in_one_tensor)
{
    KT_SCOPE;
    kt_tensor *a[] = {kt_ones(KT_SHAPE(2)), kt_ones(KT_SHAPE(3))}, *y[2];
    const float two[] = {2, -3};
    CHECK_EQ_INT(kt_foreach_addcmul_tensor(a, 2, a, 2, a, 2, kt_from(two, KT_SHAPE(2), KT_F32), y, 2), 2);
    CHECK(kt_item(kt_max(y[0])) == 3 && kt_item(kt_max(y[1])) == -2);
    CHECK_EQ_INT(kt_foreach_addcmul_tensor(a, 2, a, 2, a, 2, kt_ones(KT_SHAPE(3)), y, 2), -1);
    CHECK(strstr(kt_error(), "Expected length of scalars to match input of length 2 but got 3 instead.") != NULL);
    kt_clear();
    CHECK_EQ_INT(kt_foreach_mul_tensor(a, 2, kt_ones(KT_SHAPE(1)), y, 2), -1);
    CHECK(strstr(kt_error(), "scalar tensor expected to be 0 dim but it has 1 dimensions and 1 elements.") != NULL);
    kt_clear();
}
