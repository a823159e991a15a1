/* rules.c - who may be written to, what backward refuses and in which words, and what a second backward finds. */
#include "harness.h"

#include <karat/karat.h>

#include "support/by_name.h"

static kt_tensor *leaf(kt_shape shape, kt_dtype dtype)
{
    kt_tensor *t = tensor_filled(dtype, shape, 1);
    kt_set_requires_grad(t, true);
    return t;
}
static kt_tensor *pair(void) { return leaf(KT_SHAPE(2), KT_F32); }

static const char *const written_leaf = "a leaf Variable that requires grad is being used in an in-place operation.";
static const char *const written_view =
    "a view of a leaf Variable that requires grad is being used in an in-place operation.";

#define NO_HINT                                                                                                        \
    " Hint: enable anomaly detection to find the operation that failed to compute its gradient, with "                 \
    "torch.autograd.set_detect_anomaly(True, check_nan=False)."
#define CHANGED "one of the variables needed for gradient computation has been modified by an inplace operation: "

/* The first line, whole. */
static void check_line(kt_status status, const char *text)
{
    CHECK_EQ_INT(kt_error_status(), status);
    CHECK_STR(error_line(), text);
    kt_clear();
}

/* ---- flags ---- */
TEST(leaves_and_results)
{
    KT_SCOPE;
    kt_tensor *x = pair(), *y = kt_mul(x, x), *plain = kt_ones(KT_SHAPE(2));
    CHECK(kt_requires_grad(x) && kt_is_leaf(x) && kt_grad_fn_name(x)[0] == 0);
    CHECK(kt_requires_grad(y) && !kt_is_leaf(y));
    CHECK_STR(kt_grad_fn_name(y), "MulBackward0");
    CHECK(!kt_requires_grad(plain) && kt_is_leaf(plain) && kt_is_leaf(kt_mul(plain, plain)));
    CHECK(!kt_requires_grad(kt_detach(y)) && kt_is_leaf(kt_detach(y)));
    CHECK(!kt_requires_grad(NULL) && !kt_is_leaf(NULL) && kt_grad(NULL) == NULL && kt_grad_fn_name(NULL)[0] == 0);
    CHECK_EQ_INT(kt_set_requires_grad(x, false), KT_OK);
    CHECK(!kt_requires_grad(x));
    CHECK_FAILS(kt_set_requires_grad(y, false), KT_ERR_RUNTIME,
                "you can only change requires_grad flags of leaf variables. If you want to use a computed variable in "
                "a subgraph "
                "that doesn't require differentiation use var_no_grad = var.detach().");
    CHECK_FAILS(kt_set_requires_grad(kt_ones(KT_SHAPE(2), .dtype = KT_I64), true), KT_ERR_RUNTIME,
                "only Tensors of floating point dtype can require gradients");
    CHECK_FAILS(kt_ones(KT_SHAPE(2), .dtype = KT_BOOL, .requires_grad = true), KT_ERR_RUNTIME,
                "Only Tensors of floating point and complex dtype can require gradients");
    CHECK(kt_requires_grad(kt_ones(KT_SHAPE(2), .dtype = KT_C64, .requires_grad = true)));
    CHECK_FAILS(kt_set_requires_grad(NULL, true), KT_ERR_TYPE, "expected a tensor");
}

TEST(without_grad_mode_nothing_is_recorded)
{
    KT_SCOPE;
    kt_tensor *x = pair();
    {
        KT_NO_GRAD;
        CHECK(!kt_grad_enabled());
        CHECK(!kt_requires_grad(kt_mul(x, x)));
        CHECK(kt_add_s_(x, KT_INT(1)) == x); /* a leaf may be written to here */
        kt_mul_s_(kt_select(x, 0, 0), KT_INT(3));
    }
    CHECK(kt_grad_enabled());
    CHECK_NEAR(tensor_at(x, 0), 6, 0);
    CHECK_NEAR(tensor_at(x, 1), 2, 0);
    CHECK_EQ_INT(kt_tensor_version(x), 2);
    CHECK(kt_requires_grad(x) && kt_is_leaf(x));
}

TEST(operators_without_a_derivative)
{
    KT_SCOPE;
    kt_tensor *x = pair();
    CHECK(!kt_requires_grad(kt_eq(x, x)));
    CHECK(!kt_requires_grad(kt_isnan(x)));
    CHECK(!kt_requires_grad(kt_logical_not(x)));
    CHECK(!kt_requires_grad(kt_to(x, .dtype = KT_I32)));
    CHECK(!kt_requires_grad(kt_zeros_like(x)));
    kt_tensor *ints = kt_zeros(KT_SHAPE(2), .dtype = KT_I64);
    kt_copy_(ints, x);
    CHECK(!kt_requires_grad(ints));
}

/* ---- written to ---- */
TEST(a_leaf_is_not_written_to)
{
    KT_SCOPE;
    kt_tensor *x = leaf(KT_SHAPE(2, 2), KT_F32), *plain = kt_ones(KT_SHAPE(2, 2));
    CHECK_FAILS(kt_add_s_(x, KT_INT(1)), KT_ERR_RUNTIME, written_leaf);
    CHECK_FAILS(kt_zero_(x), KT_ERR_RUNTIME, written_leaf);
    CHECK_FAILS(kt_copy_(x, plain), KT_ERR_RUNTIME, written_leaf);
    CHECK_FAILS(kt_fill_s_(x, KT_INT(1)), KT_ERR_RUNTIME, written_leaf);
    CHECK_FAILS(kt_exp_(kt_select(x, 0, 0)), KT_ERR_RUNTIME, written_view);
    CHECK_FAILS(kt_add_s_(kt_expand(kt_select(x, 0, 0), KT_SHAPE(3, 2)), KT_INT(1)), KT_ERR_RUNTIME, written_view);
    CHECK_FAILS(
        kt_add_out(plain, x, x), KT_ERR_RUNTIME,
        "add(): functions with out=... arguments don't support automatic differentiation, but one of the arguments "
        "requires grad.");
    CHECK_FAILS(kt_add_out(x, plain, plain), KT_ERR_RUNTIME, "add(): functions with out=... arguments don't support");
    CHECK_NEAR(tensor_at(x, 0), 1, 0);
    CHECK_EQ_INT(kt_tensor_version(x), 0);
}

TEST(a_plain_tensor_takes_on_history)
{
    KT_SCOPE;
    kt_tensor *a = kt_full(KT_SHAPE(4), KT_FLOAT(3)), *b = leaf(KT_SHAPE(4), KT_F32), *c = kt_ones(KT_SHAPE(4)), *v;
    kt_mul_(a, b);
    CHECK_STR(kt_grad_fn_name(a), "MulBackward0");
    CHECK(!kt_is_leaf(a));
    v = kt_select(c, 0, 0);
    kt_mul_(v, kt_select(b, 0, 1));
    CHECK(kt_requires_grad(c) && !kt_is_leaf(c));
    CHECK_STR(kt_grad_fn_name(c), "CopySlices");
    CHECK_STR(kt_grad_fn_name(v), "AsStridedBackward0");
    CHECK_EQ_INT(kt_backward(kt_add(kt_sum(a), kt_sum(c))), KT_OK);
    CHECK_NEAR(tensor_at(kt_grad(b), 0), 3, 0);
    CHECK_NEAR(tensor_at(kt_grad(b), 1), 4, 0);
}

/* ---- what was saved has changed ---- */
TEST(a_saved_tensor_that_was_written_to)
{
    KT_SCOPE;
    kt_tensor *y = kt_exp(pair());
    kt_add_s_(y, KT_INT(1));
    kt_backward(kt_sum(y));
    check_line(KT_ERR_RUNTIME,
               CHANGED "[torch.FloatTensor [2]], which is output 0 of ExpBackward0, is at version 1; expected "
                       "version 0 instead." NO_HINT);

    kt_tensor *z, *w = kt_ones(KT_SHAPE(2));
    y = kt_mul_s(pair(), KT_INT(2));
    z = kt_mul(y, y);
    kt_add_s_(y, KT_INT(1));
    kt_backward(kt_sum(z));
    check_line(KT_ERR_RUNTIME,
               CHANGED "[torch.FloatTensor [2]], which is output 0 of AddBackward0, is at version 1; expected "
                       "version 0 instead." NO_HINT);

    z = kt_mul(pair(), w);
    kt_add_s_(w, KT_INT(1));
    kt_backward(kt_sum(z));
    check_line(KT_ERR_RUNTIME, CHANGED "[torch.FloatTensor [2]] is at version 1; expected version 0 instead." NO_HINT);

    y = kt_mul_s(leaf(KT_SHAPE(2, 2), KT_F64), KT_INT(2));
    kt_tensor *v = kt_select(y, 0, 0);
    z = kt_mul(v, v);
    kt_add_s_(y, KT_INT(1));
    kt_backward(kt_sum(z));
    check_line(KT_ERR_RUNTIME,
               CHANGED "[torch.DoubleTensor [2]], which is output 0 of AsStridedBackward0, is at version 1; "
                       "expected version 0 instead." NO_HINT);
}

TEST(a_write_that_backward_does_not_mind)
{
    KT_SCOPE;
    kt_tensor *x = pair(), *y = kt_mul_s(x, KT_INT(2)), *z = kt_add(y, y);
    kt_mul_s_(y, KT_INT(5)); /* add saves nothing */
    CHECK_EQ_INT(kt_backward(kt_sum(z)), KT_OK);
    CHECK_NEAR(tensor_at(kt_grad(x), 0), 4, 0);
    kt_tensor *w = kt_ones(KT_SHAPE(2)), *p = kt_mul(x, kt_detach(w));
    kt_set_grad(x, NULL);
    kt_add_s_(kt_clone(w), KT_INT(1));
    CHECK_EQ_INT(kt_backward(kt_sum(p)), KT_OK);
    kt_tensor *q = kt_mul(x, kt_detach(w)); /* a detached tensor shares the counter */
    kt_add_s_(w, KT_INT(1));
    CHECK_FAILS(kt_backward(kt_sum(q)), KT_ERR_RUNTIME, CHANGED "[torch.FloatTensor [2]]");
}

/* ---- backward's own rules ---- */
TEST(backward_refuses)
{
    KT_SCOPE;
    CHECK_FAILS(kt_backward(kt_sum(kt_ones(KT_SHAPE(2)))), KT_ERR_RUNTIME,
                "element 0 of tensors does not require grad and does not have a grad_fn");
    CHECK_FAILS(kt_backward(kt_mul_s(pair(), KT_INT(2))), KT_ERR_RUNTIME,
                "grad can be implicitly created only for scalar outputs");
    CHECK_FAILS(kt_backward(kt_mul_s(pair(), KT_INT(2)), .gradient = kt_ones(KT_SHAPE(3))), KT_ERR_RUNTIME,
                "Mismatch in shape: grad_output[0] has a shape of torch.Size([3]) and output[0] has a shape of "
                "torch.Size([2]).");
    CHECK_FAILS(kt_backward(kt_sum(leaf(KT_SHAPE(2), KT_C64))), KT_ERR_RUNTIME,
                "grad can be implicitly created only for real scalar outputs but got torch.complex64");
    CHECK_FAILS(kt_backward(NULL), KT_ERR_TYPE, "expected a tensor");
}

TEST(assigning_a_gradient)
{
    KT_SCOPE;
    kt_tensor *x = pair();
    CHECK_FAILS(kt_set_grad(x, kt_ones(KT_SHAPE(3))), KT_ERR_RUNTIME,
                "attempting to assign a gradient of size '[3]' to a tensor of size '[2]'. Please ensure that the "
                "gradient and the "
                "tensor are the same size");
    CHECK_FAILS(kt_set_grad(x, kt_ones(KT_SHAPE(2), .dtype = KT_F64)), KT_ERR_RUNTIME,
                "attempting to assign a gradient with dtype 'double' to a tensor with grad_dtype 'Float'. The gradient "
                "must match "
                "the tensor's grad_dtype (defaults to the tensor's dtype). You can set the tensor's grad_dtype "
                "attribute with a "
                "specific dtype, or None to allow any dtype. Set grad_dtype with caution. Diverging the dtypes of a "
                "tensor and its "
                "gradient may break downstream systems that assume they match.");
    CHECK_EQ_INT(kt_set_grad(x, kt_full(KT_SHAPE(2), KT_FLOAT(5))), KT_OK);
    CHECK_EQ_INT(kt_backward(kt_sum(kt_mul(x, x))), KT_OK); /* adds up */
    CHECK_NEAR(tensor_at(kt_grad(x), 0), 7, 0);
    CHECK_EQ_INT(kt_set_grad(x, NULL), KT_OK);
    CHECK(kt_grad(x) == NULL);
}

TEST(a_graph_is_used_once_unless_retained)
{
    KT_SCOPE;
    kt_tensor *x = pair(), *y = kt_sum(kt_mul(x, x)), *z = kt_sum(kt_add_s(x, KT_INT(1)));
    CHECK_EQ_INT(kt_backward(y, .retain_graph = true), KT_OK);
    CHECK_EQ_INT(kt_backward(y), KT_OK);
    CHECK_NEAR(tensor_at(kt_grad(x), 0), 4, 0);
    kt_backward(y);
    check_line(KT_ERR_RUNTIME, "Trying to backward through the graph a second time (or directly access saved tensors "
                               "after they have already been "
                               "freed). Saved intermediate values of the graph are freed when you call .backward() or "
                               "autograd.grad(). Specify "
                               "retain_graph=True if you need to backward through the graph a second time or if you "
                               "need to access saved tensors "
                               "after calling backward.");
    CHECK_NEAR(tensor_at(kt_grad(x), 0), 4, 0);
    CHECK_EQ_INT(kt_backward(z), KT_OK); /* nothing was saved, nothing is missing */
    CHECK_EQ_INT(kt_backward(z), KT_OK);
    CHECK_NEAR(tensor_at(kt_grad(x), 0), 6, 0);
}

TEST(a_pending_error_stops_backward)
{
    KT_SCOPE;
    kt_tensor *x = pair(), *y = kt_sum(kt_mul(x, x));
    kt_fail(KT_ERR_VALUE, "mine");
    CHECK_EQ_INT(kt_backward(y), KT_ERR_VALUE);
    kt_clear();
    CHECK(kt_grad(x) == NULL);
    CHECK_EQ_INT(kt_backward(y), KT_OK);
}

/* ---- the dtype and form of a gradient ---- */
TEST(a_gradient_has_its_tensors_dtype)
{
    static const kt_dtype dtypes[] = {KT_F16, KT_BF16, KT_F32, KT_F64, KT_C64, KT_C128};
    for (size_t i = 0; i < sizeof dtypes / sizeof *dtypes; i++)
        for (size_t k = 0; k < sizeof dtypes / sizeof *dtypes; k++) {
            KT_SCOPE;
            kt_tensor *a = leaf(KT_SHAPE(2, 3), dtypes[i]), *b = leaf(KT_SHAPE(3), dtypes[k]), *y = kt_mul(a, b);
            CHECK_EQ_INT(kt_dtype_of(y), kt_promote_types(dtypes[i], dtypes[k]));
            CHECK_EQ_INT(kt_backward(y, .gradient = kt_ones_like(y)), KT_OK);
            CHECK_EQ_INT(kt_dtype_of(kt_grad(a)), dtypes[i]);
            CHECK_EQ_INT(kt_dtype_of(kt_grad(b)), dtypes[k]);
            CHECK_EQ_INT(kt_ndim(kt_grad(b)), 1);
            CHECK_NEAR(tensor_at(kt_grad(b), 2), 2, 0);
            CHECK_NEAR(tensor_at(kt_grad(a), 5), 1, 0);
        }
}

TEST(a_gradient_given_in_another_dtype_is_converted)
{
    KT_SCOPE;
    kt_tensor *x = pair();
    CHECK_EQ_INT(kt_backward(kt_mul_s(x, KT_INT(2)), .gradient = kt_ones(KT_SHAPE(2), .dtype = KT_F64)), KT_OK);
    CHECK_EQ_INT(kt_dtype_of(kt_grad(x)), KT_F32);
    kt_tensor *wide = kt_zeros(KT_SHAPE(2), .dtype = KT_F64), *y = pair();
    kt_copy_(wide, y);
    CHECK_STR(kt_grad_fn_name(wide), "CopyBackwards");
    CHECK_EQ_INT(kt_backward(kt_sum(wide)), KT_OK);
    CHECK_EQ_INT(kt_dtype_of(kt_grad(y)), KT_F32);
    {
        KT_POLICY(KT_STRICT); /* the mirror of a cast that the user wrote */
        kt_tensor *z = pair();
        CHECK_EQ_INT(kt_backward(kt_sum(kt_to(z, .dtype = KT_F64))), KT_OK);
        CHECK_EQ_INT(kt_dtype_of(kt_grad(z)), KT_F32);
    }
}

TEST(names_of_nodes)
{
    KT_SCOPE;
    kt_tensor *x = leaf(KT_SHAPE(2, 2), KT_F32);
    CHECK_STR(kt_grad_fn_name(kt_add(x, x)), "AddBackward0");
    CHECK_STR(kt_grad_fn_name(kt_exp(x)), "ExpBackward0");
    CHECK_STR(kt_grad_fn_name(kt_sum(x)), "SumBackward0");
    CHECK_STR(kt_grad_fn_name(kt_sum_dim(x, KT_SHAPE(0))), "SumBackward1");
    CHECK_STR(kt_grad_fn_name(kt_matmul(x, x)), "MmBackward0");
    CHECK_STR(kt_grad_fn_name(kt_select(x, 0, 0)), "SelectBackward0");
    CHECK_STR(kt_grad_fn_name(kt_to(x, .dtype = KT_F16)), "ToCopyBackward0");
    CHECK_STR(kt_grad_fn_name(kt_t(x)), "TBackward0");
    CHECK_STR(kt_grad_fn_name(kt_reshape(x, KT_SHAPE(4))), "ViewBackward0");
    CHECK_STR(kt_grad_fn_name(kt_add_s_(kt_mul_s(x, KT_INT(2)), KT_INT(1))), "AddBackward0");
    CHECK(kt_to(x, .dtype = KT_F32) == x || kt_is_leaf(kt_to(x, .dtype = KT_F32)));
}

/* ---- complex numbers that only turn; values from the definition ---- */
TEST(sgn_and_angle)
{
    KT_SCOPE;
    const double z[] = {3, 4, 0, 0, -1, 0, 1, -1}, turn[] = {-0.064, 0.048, 0, 0, 0, 2, 1.06066017177982, 1.06066017177982},
                 angle[] = {-0.16, 0.12, 0, 0, 0, -1, 0.5, 0.5};
    for (int which = 0; which < 2; which++) {
        kt_tensor *x = kt_from(z, KT_SHAPE(4), KT_C128), *g = kt_full(KT_SHAPE(4), KT_COMPLEX(1, 2), .dtype = KT_C128);
        kt_set_requires_grad(x, true);
        kt_tensor *y = which ? kt_angle(x) : kt_sgn(x);
        CHECK_EQ_INT(kt_backward(y, .gradient = which ? kt_ones(KT_SHAPE(4), .dtype = KT_F64) : g), KT_OK);
        kt_tensor *pairs = kt_view_as_real(kt_grad(x));
        for (int i = 0; i < 8; i++)
            CHECK_NEAR(tensor_at(pairs, i), (which ? angle : turn)[i], 1e-13);
    }
    kt_tensor *r = pair();
    kt_backward(kt_sum(kt_add(kt_sgn(r), kt_angle(r))));
    CHECK_NEAR(tensor_at(kt_grad(r), 0), 0, 0);
}
