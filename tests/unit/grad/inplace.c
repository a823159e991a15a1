/* inplace.c - gradients through in-place writes: on a tensor, on a view of it, on the base of other views.
 * The expected numbers were worked out once and are written here. */
#include "harness.h"

#include <karat/karat.h>
#include <math.h>

#include "support/by_name.h"
#include "support/memory.h"

static kt_tensor *counting(kt_shape shape, kt_dtype dtype) /* 1, 2, 3, ...: a leaf */
{
    double values[16];
    for (int i = 0; i < 16; i++)
        values[i] = i + 1;
    kt_tensor *t = tensor_of(dtype, shape, values);
    kt_set_requires_grad(t, true);
    return t;
}

static void check_grad(kt_tensor *leaf, int n, const double *want)
{
    if (!CHECK_MSG(!kt_failed() && kt_grad(leaf) != NULL, "%s", kt_error())) {
        kt_clear();
        return;
    }
    CHECK_EQ_INT(kt_dtype_of(kt_grad(leaf)), kt_dtype_of(leaf));
    CHECK_EQ_INT(kt_numel(kt_grad(leaf)), n);
    for (int i = 0; i < n; i++)
        CHECK_NEAR(tensor_at(kt_grad(leaf), i), want[i], 1e-6 * fabs(want[i]));
}
#define CHECK_GRAD(leaf, ...)                                                                                          \
    check_grad(leaf, (int)(sizeof((double[]){__VA_ARGS__}) / sizeof(double)), (const double[]){__VA_ARGS__})

TEST(a_view_made_before_its_base_was_written)
{
    KT_SCOPE;
    kt_tensor *x = counting(KT_SHAPE(2, 3), KT_F32), *y = kt_mul_s(x, KT_INT(2)), *v = kt_select(y, 0, 0);
    kt_mul_s_(y, KT_INT(3));
    CHECK_STR(kt_grad_fn_name(v), "AsStridedBackward0");
    kt_backward(kt_sum(kt_mul(v, v)));
    CHECK_GRAD(x, 72, 144, 216, 0, 0, 0);
}

TEST(one_view_written_another_read)
{
    KT_SCOPE;
    kt_tensor *x = counting(KT_SHAPE(2, 3), KT_F32), *y = kt_mul_s(x, KT_INT(2));
    kt_tensor *v = kt_select(y, 0, 0), *w = kt_select(y, 1, 1);
    kt_mul_s_(v, KT_INT(5));
    CHECK_STR(kt_grad_fn_name(y), "CopySlices");
    kt_backward(kt_add(kt_sum(kt_mul(w, w)), kt_sum(y)));
    CHECK_GRAD(x, 10, 410, 10, 2, 42, 2);
}

TEST(a_view_of_a_view_of_a_transpose)
{
    KT_SCOPE;
    kt_tensor *x = counting(KT_SHAPE(2, 3), KT_F64), *y = kt_mul_s(kt_t(x), KT_INT(2));
    kt_exp_(kt_slice(kt_select(kt_t(y), 0, 1), .start = KT_SOME(1)));
    kt_backward(kt_sum(y));
    CHECK_GRAD(x, 2, 2, 2, 2, 2 * exp(10), 2 * exp(12));
}

TEST(a_plain_base_written_three_times)
{
    KT_SCOPE;
    kt_tensor *x = counting(KT_SHAPE(3), KT_F32), *b = kt_zeros(KT_SHAPE(2, 3));
    kt_copy_(kt_select(b, 0, 0), kt_mul(x, x));
    kt_add_(kt_select(b, 0, 1), x);
    kt_mul_s_(kt_select(b, 1, 0), KT_INT(2));
    CHECK_NEAR(tensor_at(b, 0), 2, 0);
    CHECK_NEAR(tensor_at(b, 5), 3, 0);
    kt_backward(kt_sum(kt_mul(b, b)));
    CHECK_GRAD(x, 24, 36, 114);
}

TEST(a_view_written_with_a_broadcast_value)
{
    KT_SCOPE;
    kt_tensor *x = counting(KT_SHAPE(4), KT_F32), *y = kt_view(kt_mul(x, x), KT_SHAPE(2, 2));
    kt_mul_(kt_t(y), tensor_of(KT_F32, KT_SHAPE(2, 2), (double[]){1, 2, 3, 4}));
    kt_backward(kt_sum(y));
    CHECK_GRAD(x, 2, 12, 12, 32);
    kt_tensor *s = counting(KT_SHAPE(1), KT_F32), *z = kt_zeros(KT_SHAPE(2, 3));
    kt_add_(kt_select(z, 0, 0), s);
    kt_backward(kt_sum(z));
    CHECK_GRAD(s, 3);
}

TEST(overwritten_values_get_no_gradient)
{
    KT_SCOPE;
    kt_tensor *x = counting(KT_SHAPE(3), KT_F32), *y = kt_mul(x, x);
    kt_zero_(y);
    kt_backward(kt_sum(y));
    CHECK_GRAD(x, 0, 0, 0);
    x = counting(KT_SHAPE(3), KT_F32);
    y = kt_mul(x, x);
    kt_fill_s_(kt_slice(y, .start = KT_SOME(1)), KT_INT(7));
    kt_backward(kt_sum(y));
    CHECK_GRAD(x, 2, 0, 0);
    x = counting(KT_SHAPE(3), KT_F32);
    y = kt_mul_s(x, KT_INT(1));
    kt_copy_(y, tensor_of(KT_F32, KT_SHAPE(3), (double[]){4, 5, 6}));
    kt_mul_(y, x);
    kt_backward(kt_sum(y));
    CHECK_GRAD(x, 4, 5, 6);
}

TEST(a_narrower_target)
{
    KT_SCOPE;
    kt_tensor *x = counting(KT_SHAPE(2), KT_F64), *y = kt_zeros(KT_SHAPE(2));
    kt_add_(y, x);
    kt_backward(kt_sum(y));
    CHECK_EQ_INT(kt_dtype_of(y), KT_F32);
    CHECK_GRAD(x, 1, 1);
    kt_tensor *h = counting(KT_SHAPE(2), KT_BF16),
              *z = kt_to(counting(KT_SHAPE(2), KT_F16), .dtype = KT_F16, .copy = true);
    kt_mul_(z, h); /* float16 *= bfloat16: computed in float32 */
    kt_backward(kt_sum(z));
    CHECK_GRAD(h, 1, 2);
}

TEST(a_row_that_saves_its_result_or_its_first_operand)
{
    KT_SCOPE;
    kt_tensor *x = counting(KT_SHAPE(3), KT_F64), *y = kt_mul_s(x, KT_INT(2));
    kt_exp_(y); /* keeps the result, which is the target itself */
    kt_backward(kt_sum(y));
    CHECK_GRAD(x, 2 * exp(2), 2 * exp(4), 2 * exp(6));
    x = counting(KT_SHAPE(3), KT_F64);
    y = kt_mul_s(x, KT_INT(2));
    kt_log_(y); /* keeps the operand, which is written over: a copy */
    kt_backward(kt_sum(y));
    CHECK_GRAD(x, 1, 0.5, 1.0 / 3);
    x = counting(KT_SHAPE(3), KT_F64);
    y = kt_mul_s(x, KT_INT(2));
    kt_exp_(y);
    kt_exp_(y);
    CHECK_FAILS(kt_backward(kt_sum(y)), KT_ERR_RUNTIME,
                "one of the variables needed for gradient computation has been modified");
}

TEST(a_detached_tensor_shares_values_but_no_history)
{
    KT_SCOPE;
    kt_tensor *x = counting(KT_SHAPE(3), KT_F32), *y = kt_mul_s(x, KT_INT(2)), *d = kt_detach(y);
    kt_add_s_(d, KT_INT(1));
    CHECK_NEAR(tensor_at(y, 0), 3, 0);
    CHECK_EQ_INT(kt_tensor_version(y), 1);
    CHECK_STR(kt_grad_fn_name(y), "MulBackward0");
    kt_backward(kt_sum(y));
    CHECK_GRAD(x, 2, 2, 2);
}

TEST(create_graph_through_a_written_view)
{
    KT_SCOPE;
    kt_tensor *x = counting(KT_SHAPE(3), KT_F64),
              *y = kt_mul(x, x); /* y = x^2, then y[1] *= x[1]: x0^2 + x1^3 + x2^2 */
    kt_mul_(kt_select(y, 0, 1), kt_select(x, 0, 1));
    CHECK_EQ_INT(kt_backward(kt_sum(y), .create_graph = true), KT_OK);
    CHECK_GRAD(x, 2, 12, 6);
    kt_tensor *g = kt_mul_s(kt_grad(x), KT_INT(1));
    kt_set_grad(x, NULL);
    CHECK_EQ_INT(kt_backward(kt_sum(g)), KT_OK);
    CHECK_GRAD(x, 2, 12, 2);
    kt_set_grad(x, NULL);
}

/* ---- across dtypes and lazy bits: the way to the view is taken in the gradient too ---- */

TEST(through_a_view_of_another_dtype)
{
    KT_SCOPE;
    kt_tensor *x = counting(KT_SHAPE(2, 2, 2), KT_F64), *b = kt_clone(x), *pairs = kt_view_as_complex(b);
    kt_mul_s_(pairs, KT_INT(2));
    CHECK_STR(kt_grad_fn_name(b), "CopySlices");
    CHECK_STR(kt_grad_fn_name(pairs), "ViewAsComplexBackward0");
    kt_backward(kt_sum(b));
    CHECK_GRAD(x, 2, 2, 2, 2, 2, 2, 2, 2);

    x = counting(KT_SHAPE(8), KT_F64); /* the second row of pairs times i, which turns (3, 4) into (-4, 3) */
    b = kt_clone(x);
    kt_mul_s_(kt_select(kt_view_as_complex(kt_view(b, KT_SHAPE(2, 2, 2))), 0, 1), KT_COMPLEX(0, 1));
    kt_backward(kt_sum(kt_mul(b, tensor_of(KT_F64, KT_SHAPE(8), (double[]){1, 2, 3, 4, 5, 6, 7, 8}))));
    CHECK_GRAD(x, 1, 2, 3, 4, 6, -5, 8, -7);
}

TEST(through_the_parts_of_complex_numbers)
{
    KT_SCOPE;
    kt_tensor *x = counting(KT_SHAPE(2, 2), KT_F64), *b = kt_clone(kt_view_as_complex(x));
    kt_mul_s_(kt_real(b), KT_INT(3));
    kt_mul_s_(kt_imag(kt_conj(b)), KT_INT(5));
    kt_tensor *parts = kt_view_as_real(b);
    kt_add_s_(kt_conj(b), KT_COMPLEX(0, 1));
    CHECK_STR(kt_grad_fn_name(parts), "ViewAsRealBackward0");
    kt_backward(kt_sum(kt_mul(parts, parts)));
    CHECK_GRAD(x, 18, 5 * 2 * (10 - 1), 54, 5 * 2 * (20 - 1));
}

TEST(lazy_bits_that_cancel_each_other)
{
    KT_SCOPE;
    kt_tensor *x = counting(KT_SHAPE(2, 3, 2), KT_F64), *b = kt_clone(kt_view_as_complex(x));
    kt_tensor *part = kt_neg_view(kt_real(kt_neg_view(b))), *pairs = kt_neg_view(kt_neg_view(kt_view_as_real(b)));
    kt_mul_s_(part, KT_INT(3));
    kt_mul_s_(b, KT_INT(2));
    kt_backward(kt_add(kt_sum(part), kt_sum(pairs)));
    CHECK_GRAD(x, 12, 2, 12, 2, 12, 2, 12, 2, 12, 2, 12, 2);
}

TEST(a_second_derivative_across_dtypes)
{
    KT_SCOPE;
    kt_tensor *x = counting(KT_SHAPE(2), KT_F64), *b = kt_mul(x, x);
    kt_mul_(kt_real(kt_view_as_complex(b)), kt_select(x, 0, 0)); /* x0^3, x1^2 */
    CHECK_EQ_INT(kt_backward(kt_sum(b), .create_graph = true), KT_OK);
    CHECK_GRAD(x, 3, 4);
    kt_tensor *g = kt_mul_s(kt_grad(x), KT_INT(1));
    kt_set_grad(x, NULL);
    kt_backward(kt_sum(g));
    CHECK_GRAD(x, 6, 2);
    kt_set_grad(x, NULL);
}

/* ---- views that show an element twice, or what their input does not ---- */

TEST(an_expanded_view_whose_base_was_written)
{
    KT_SCOPE;
    kt_tensor *x = counting(KT_SHAPE(2), KT_F64), *a = kt_mul_s(x, KT_INT(1)), *e = kt_expand(a, KT_SHAPE(2, 3, 2));
    kt_mul_s_(a, KT_INT(2));
    kt_backward(kt_sum(e));
    CHECK_GRAD(x, 12, 12);
    x = counting(KT_SHAPE(4), KT_F64);
    a = kt_mul_s(x, KT_INT(1));
    e = kt_unfold(a, 0, 2, 1);
    kt_mul_s_(a, KT_INT(2));
    kt_backward(kt_sum(e));
    CHECK_GRAD(x, 2, 4, 4, 2);
}

TEST(as_strided_knows_how_its_input_lies)
{
    KT_SCOPE;
    kt_tensor *x = counting(KT_SHAPE(3, 4), KT_F64);
    kt_backward(kt_sum(kt_as_strided(kt_t(kt_mul_s(x, KT_INT(1))), KT_SHAPE(2), KT_SHAPE(1), .storage_offset = KT_SOME(3))));
    CHECK_GRAD(x, 0, 0, 0, 1, 1, 0, 0, 0, 0, 0, 0, 0);
    x = counting(KT_SHAPE(4), KT_F64); /* beyond its input: what lies there is not the input's */
    kt_tensor *part = kt_slice(kt_clone(x), .start = KT_SOME(1), .end = KT_SOME(3));
    kt_tensor *more = kt_as_strided(part, KT_SHAPE(4), KT_SHAPE(1), .storage_offset = KT_SOME(0)), *sum = kt_sum(more);
    kt_backward(sum);
    CHECK_GRAD(x, 0, 1, 1, 0);
    CHECK_EQ_INT(kt_backward(sum), KT_OK); /* it kept no tensor that could be gone */
    x = counting(KT_SHAPE(1), KT_F64); /* three elements that are one */
    kt_backward(kt_sum(kt_as_strided(kt_expand(x, KT_SHAPE(3)), KT_SHAPE(2), KT_SHAPE(0))));
    CHECK_GRAD(x, 2);
}

/* ---- parts that count as no views ---- */

TEST(unsafe_parts_count_their_own_writes)
{
    KT_SCOPE;
    kt_tensor *x = counting(KT_SHAPE(3, 3), KT_F64), *y = kt_mul_s(x, KT_INT(1)), *part[3];
    CHECK_EQ_INT(kt_unsafe_split(y, 1, part, 3, .dim = 1), 3);
    kt_mul_s_(kt_view(part[1], KT_SHAPE(3)), KT_INT(2)); /* a base with gaps between its elements */
    kt_mul_(part[1], part[2]);
    CHECK_EQ_INT(kt_tensor_version(part[0]), 0);
    CHECK_EQ_INT(kt_tensor_version(part[1]), 2);
    CHECK_EQ_INT(kt_tensor_version(y), 0);
    kt_backward(kt_sum(part[1]));
    CHECK_GRAD(x, 0, 6, 4, 0, 12, 10, 0, 18, 16);
}

TEST(data_has_a_version_of_its_own)
{
    KT_SCOPE;
    kt_tensor *x = kt_zeros(KT_SHAPE(3)), *y = kt_ones(KT_SHAPE(2)), *data = NULL, *view;
    kt_add_s_(kt_add_s_(x, KT_INT(1)), KT_INT(1));
    CHECK_EQ_INT(kt_get_data(x, &data), KT_OK);
    view = kt_slice(data, .end = KT_SOME(2));
    kt_add_s_(view, KT_INT(5));
    CHECK_NEAR(tensor_at(x, 1), 7, 0);
    CHECK_EQ_INT(kt_tensor_version(x), 2);
    CHECK_EQ_INT(kt_tensor_version(data), 1);
    kt_tensor *again = kt_detach(view); /* shares the count, which outlives the tensor that it began with */
    kt_drop(data);
    kt_add_s_(again, KT_INT(1));
    CHECK_EQ_INT(kt_tensor_version(view), 2);
    kt_add_s_(y, KT_INT(1));
    CHECK_EQ_INT(kt_set_data(x, y), KT_OK);
    CHECK_EQ_INT(kt_tensor_version(x), 2);
    kt_add_s_(y, KT_INT(1));
    CHECK_EQ_INT(kt_tensor_version(x), 2);
    kt_add_s_(x, KT_INT(1));
    CHECK_EQ_INT(kt_tensor_version(x), 3);
    CHECK_EQ_INT(kt_tensor_version(y), 2);
    CHECK_FAILS(kt_get_data(NULL, &data), KT_ERR_TYPE, "expected a tensor, got NULL");
}

/* ---- what was saved and then cut off from its history ---- */

TEST(detached_in_place_after_it_was_saved)
{
    KT_SCOPE;
    kt_tensor *x = counting(KT_SHAPE(2), KT_F64), *a = kt_mul_s(x, KT_INT(1)), *b = kt_sin(a);
    kt_detach_(a);
    CHECK_FAILS(kt_backward(kt_sum(b)), KT_ERR_RUNTIME,
                "Trying to use a saved tensor that has been detached in-place, i.e. with .detach_().This is not supported, "
                "please use out-of-place `.detach()` instead");
    kt_set_requires_grad(a, true); /* from here on it is a leaf like any other */
    kt_backward(kt_sum(kt_mul(a, a)));
    CHECK_GRAD(a, 2, 4);
    b = kt_mul(x, x);
    kt_detach_(x); /* nobody asks for its gradient any more */
    kt_backward(kt_sum(b));
    CHECK(kt_grad(x) == NULL);
}

TEST(many_writes_one_after_the_other)
{
    KT_SCOPE;
    kt_tensor *x = counting(KT_SHAPE(2), KT_F64), *y = kt_mul_s(x, KT_INT(1));
    for (int i = 0; i < 1000; i++)
        kt_mul_s_(i % 2 ? y : kt_slice(y, .start = KT_SOME(1)), KT_FLOAT(i % 4 < 2 ? 2 : 0.5));
    CHECK_EQ_INT(kt_tensor_version(y), 1000);
    kt_backward(kt_sum(y));
    CHECK_GRAD(x, 1, 1);
}

/* ---- a tensor that its own history saved does not hold itself ---- */

static void write_over_what_was_saved(int which)
{
    KT_SCOPE;
    kt_tensor *x = counting(KT_SHAPE(4), KT_F64), *ones = kt_ones(KT_SHAPE(4), .dtype = KT_F64);
    kt_tensor *y = which == 3 ? ones : kt_mul_s(x, KT_INT(2)), *v = which == 1 ? kt_slice(y, .start = KT_SOME(2)) : y;
    kt_tensor *z = kt_mul(v, which == 3 ? x : v);
    if (which == 2)
        kt_mul_(kt_slice(y, .end = KT_SOME(2)), kt_slice(z, .end = KT_SOME(2)));
    else
        kt_mul_(v, z);
    kt_backward(kt_sum(y));
    CHECK_EQ_INT(kt_error_status(), KT_ERR_RUNTIME);
    CHECK(strstr(kt_error(), which == 1   ? "which is output 0 of AsStridedBackward0, is at version 1; expected version 0"
                             : which == 2 ? "of torch::autograd::CopySlices, is at version 1; expected version 0"
                                          : "which is output 0 of MulBackward0, is at version 1; expected version 0"));
    kt_clear();
}

static kt_tensor *only_holder_of_its_base(kt_tensor *x)
{
    KT_SCOPE;
    return kt_escape(kt_view(kt_mul_s(x, KT_INT(2)), KT_SHAPE(2, 2)));
}

/* 0: by itself; 1: by what was saved of it; 2: by another view of its base. */
static void write_through_a_view(int which)
{
    KT_SCOPE;
    kt_tensor *v = only_holder_of_its_base(counting(KT_SHAPE(4), KT_F64));
    kt_mul_(v, which == 0 ? v : which == 1 ? kt_mul(v, v) : kt_view(v, KT_SHAPE(2, 2)));
    kt_backward(kt_sum(v));
    CHECK_EQ_INT(kt_error_status(), KT_ERR_RUNTIME);
    CHECK(strstr(kt_error(), "has been modified by an inplace operation"));
    kt_clear();
}

TEST(no_tensor_holds_itself)
{
    for (int which = 0; which < 7; which++) {
        void (*write)(int) = which < 4 ? write_over_what_was_saved : write_through_a_view;
        write(which % 4);
        const uint64_t before = live_bytes();
        write(which % 4);
        CHECK_EQ_INT(live_bytes(), before);
    }
}

/* A function that is differentiated writes to what it has made or was given, to nothing else. */
TEST(captured_tensors_are_not_written)
{
    KT_SCOPE;
    static const char says[] = "During a grad (vjp, jvp, grad, etc) transform, the function provided attempted to call in-place "
                               "operation (aten::add_.Tensor) that would mutate a captured Tensor.";
    kt_tensor *before = kt_ones(KT_SHAPE(2)), *given = kt_ones(KT_SHAPE(2));
    CHECK(kt_transform_begin(&given, 1) == KT_OK);
    kt_tensor *made = kt_ones(KT_SHAPE(2));
    CHECK_FAILS(kt_add_(before, made), KT_ERR_RUNTIME, says);
    CHECK_FAILS(kt_add_(kt_select(kt_detach(before), 0, 1), kt_sum(made)), KT_ERR_RUNTIME, says);
    CHECK(kt_add_(made, before) && kt_add_(kt_select(given, 0, 0), kt_sum(made)) && kt_item(kt_sum(given)) == 6);
    CHECK(kt_transform_begin(NULL, 0) == KT_OK);
    CHECK_FAILS(kt_add_(made, before), KT_ERR_RUNTIME, says);
    CHECK(kt_transform_end() == KT_OK && kt_add_(made, before) && kt_transform_end() == KT_OK);
    CHECK(kt_add_(before, made) && kt_item(kt_sum(before)) == 8);
    CHECK_FAILS(kt_transform_end(), KT_ERR_RUNTIME, "kt_transform_end: no transform was begun");
    CHECK_FAILS(kt_transform_begin(NULL, 1), KT_ERR_VALUE, "kt_transform_begin: 1 tensors at NULL");
    kt_tensor *none = NULL;
    CHECK_FAILS(kt_transform_begin(&none, 1), KT_ERR_TYPE, "kt_transform_begin: tensor 0 is NULL");
}
