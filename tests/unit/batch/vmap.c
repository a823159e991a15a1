/* vmap.c - batches from C: levels, tensors in and out of them, operators and gradients of every example, misuse. */
#include "harness.h"

#include <karat/karat.h>

#include "call/check.h"
#include "call/convert.h"
#include "plan/launch.h"

static kt_tensor *rows(void) { return kt_reshape(kt_arange(KT_INT(0), KT_INT(12), .dtype = KT_F32), KT_SHAPE(3, 4)); }

static double at(kt_tensor *t, int64_t i) { return kt_item(kt_select(kt_reshape(t, KT_SHAPE(-1)), 0, i)); }

TEST(operators_of_every_example)
{
    KT_SCOPE;
    CHECK(kt_batch_begin(3, KT_RANDOM_ERROR) == KT_OK && kt_batch_depth() == 1);
    kt_tensor *x = kt_batch_in(rows(), 0);
    CHECK(kt_is_batched(x) && kt_is_batched_here(x) && kt_ndim(x) == 1 && kt_size(x, 0) == 4 && kt_batch_level(x) == 1);
    kt_tensor *dot = kt_batch_out(kt_dot(x, x), 0), *sum = kt_batch_out(kt_sum(kt_mul_s(x, KT_INT(2))), 0);
    kt_tensor *same = kt_batch_out(kt_ones(KT_SHAPE(2)), 1);
    CHECK(kt_batch_end() == KT_OK && kt_batch_depth() == 0);
    CHECK(kt_ndim(dot) == 1 && at(dot, 0) == 14 && at(dot, 1) == 126 && at(dot, 2) == 366);
    CHECK(at(sum, 0) == 12 && at(sum, 2) == 76);
    CHECK(kt_size(same, 0) == 2 && kt_size(same, 1) == 3);
}

TEST(levels_nest)
{
    KT_SCOPE;
    kt_tensor *a = rows(), *b = rows();
    kt_batch_begin(3, KT_RANDOM_ERROR);
    kt_tensor *x = kt_batch_in(a, 0);
    kt_batch_begin(3, KT_RANDOM_ERROR);
    kt_tensor *y = kt_batch_in(b, 0);
    kt_tensor *inner = kt_dot(x, y);
    CHECK(kt_ndim(inner) == 0 && kt_batch_level(inner) == 2 && kt_batch_level(x) == 1);
    inner = kt_batch_out(inner, 0);
    kt_batch_end();
    kt_tensor *all = kt_batch_out(inner, 0);
    kt_batch_end();
    kt_tensor *want = kt_matmul(a, kt_t(b));
    for (int i = 0; i < 9; i++)
        CHECK(at(all, i) == at(want, i));
}

TEST(a_gradient_of_every_example)
{
    KT_SCOPE;
    kt_tensor *w = kt_ones(KT_SHAPE(4)), *grad = NULL;
    kt_batch_begin(3, KT_RANDOM_ERROR);
    kt_tensor *x = kt_batch_in(rows(), 0), *own = kt_grad_alias(w), *y = kt_pow_s(kt_dot(own, x), KT_INT(2));
    CHECK(kt_requires_grad(y) && !kt_depends_beyond(&y, 1, &own, 1));
    CHECK(kt_gradients(&y, NULL, 1, &own, 1, NULL, &grad) == KT_OK);
    kt_tensor *each = kt_batch_out(grad, 0);
    kt_batch_end();
    CHECK(kt_ndim(each) == 2 && at(each, 1) == 2 * 6 * 1 && at(each, 5) == 2 * 22 * 5);
    kt_drop(grad);
}

TEST(values_are_not_read)
{
    KT_SCOPE;
    kt_batch_begin(3, KT_RANDOM_ERROR);
    kt_tensor *x = kt_batch_in(rows(), 0);
    float      room[4];
    CHECK_FAILS(kt_item(kt_sum(x)), KT_ERR_RUNTIME, "vmap: It looks like you're calling .item() on a Tensor");
    CHECK_FAILS(kt_read(x, room, sizeof room), KT_ERR_RUNTIME, "vmap: It looks like you're calling .item() on a Tensor");
    CHECK_FAILS(kt_data(x), KT_ERR_RUNTIME, "Cannot access data pointer of Tensor that doesn't have storage");
    CHECK_FAILS(kt_rand(KT_SHAPE(2)), KT_ERR_RUNTIME, "vmap: called random operation while in randomness error mode");
    CHECK_FAILS(kt_sin_out(kt_ones(KT_SHAPE(4)), x), KT_ERR_RUNTIME, "Batching rule not implemented for aten::sin.out");
    kt_batch_end();
}

static void count(void *with) { *(int64_t *)with = kt_batch_depth(); }

TEST(misuse)
{
    KT_SCOPE;
    kt_tensor *t = rows();
    int64_t    depth = -1;
    CHECK_FAILS(kt_batch_end(), KT_ERR_RUNTIME, "kt_batch_end: no batch was begun");
    CHECK_FAILS(kt_batch_in(t, 0), KT_ERR_RUNTIME, "kt_batch_in: no batch was begun");
    CHECK_FAILS(kt_batch_begin(-1, KT_RANDOM_ERROR), KT_ERR_VALUE, "kt_batch_begin: a batch of -1 examples");
    CHECK_FAILS(kt_batch_begin(1, (kt_randomness)7), KT_ERR_VALUE, "kt_batch_begin: there is no randomness 7");
    kt_batch_begin(3, KT_RANDOM_SAME);
    CHECK_FAILS(kt_batch_in(t, 2), KT_ERR_INDEX, "kt_batch_in: dim 2 of a tensor with 2 dims");
    CHECK_FAILS(kt_batch_in(t, 1), KT_ERR_VALUE, "kt_batch_in: dim 1 has 4 examples, the batch 3");
    CHECK_FAILS(kt_batch_in(NULL, 0), KT_ERR_TYPE, "expected a tensor, got NULL");
    kt_tensor *x = kt_batch_in(t, 0);
    CHECK(kt_batch_randomness(x) == KT_RANDOM_SAME && kt_batch_value(x) == t && kt_batch_dim(x) == 0);
    CHECK(kt_batch_outside(x, count, &depth) == KT_OK && depth == 0 && kt_batch_depth() == 1);
    CHECK_FAILS(kt_batch_in_as(x, 0, x), KT_ERR_VALUE, "kt_batch_in_as: the value belongs to that batch");
    CHECK(kt_is_batched(kt_batch_in_as(t, 0, x)));
    kt_batch_end();
    CHECK(!kt_is_batched(t) && !kt_is_batched(NULL) && !kt_batch_value(t) && kt_batch_dim(t) == -1 && kt_batch_level(x) == 0);
}

/* What a kernel would read is the memory of all examples. */
TEST(no_kernel_is_given_an_example)
{
    KT_SCOPE;
    kt_tensor *out = kt_zeros(KT_SHAPE(4));
    kt_plan    plan;
    kt_batch_begin(3, KT_RANDOM_ERROR);
    kt_tensor *x = kt_batch_in(rows(), 0);
    CHECK_FAILS(kt__copy_into(out, x, KT_WHY_NONE, KT_ROUND_TORCH) ? NULL : out, KT_ERR_RUNTIME,
                "vmap: internal error: a kernel was given one example of many");
    CHECK(at(out, 1) == 0);
    CHECK(kt__prepare_copy(out, x, KT_WHY_NONE, &plan) == KT_OK);
    CHECK_FAILS(kt__launch_long(&plan, out) ? NULL : out, KT_ERR_RUNTIME, "vmap: internal error");
    const kt__range all = {.low = KT_FLOAT(0), .high = KT_FLOAT(11)}, less = {.low = KT_FLOAT(0), .high = KT_FLOAT(10)};
    CHECK(kt__check_range(&x, 1, &all) == KT_OK); /* values are checked of every example: 11 is the last one's */
    CHECK(kt__check_range(&x, 1, &less) != KT_OK);
    kt_clear();
    kt_batch_end();
}
