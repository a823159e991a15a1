/* api.c - gradients asked for by name, several roots, hooks, retained gradients, the graph walked from outside. */
#include "harness.h"

#include <karat/karat.h>

#include "support/by_name.h"

static kt_tensor *leaf(double value)
{
    kt_tensor *t = tensor_filled(KT_F32, KT_SHAPE(2), value);
    kt_set_requires_grad(t, true);
    return t;
}

static void check_line(const char *text, int line)
{
    test_equal_str(error_line(), text, __FILE__, line, "the first line");
    kt_clear();
}
#define CHECK_LINE(expr, text) ((void)(expr), check_line(text, __LINE__))

/* ---- gradients by name ---- */

TEST(gradients_of_named_tensors)
{
    KT_SCOPE;
    kt_tensor *x = leaf(3), *y = kt_mul(x, x), *z = kt_sum(kt_mul(y, y)), *in[] = {y, x, y}, *g[3];
    CHECK_EQ_INT(kt_gradients(&z, NULL, 1, in, 3, NULL, g), KT_OK);
    CHECK_NEAR(tensor_at(g[0], 0), 18, 0);
    CHECK_NEAR(tensor_at(g[1], 1), 4 * 27, 0);
    CHECK_NEAR(tensor_at(g[2], 0), 18, 0);
    CHECK(kt_grad(x) == NULL && kt_grad(y) == NULL);
    for (int i = 0; i < 3; i++)
        kt_drop(g[i]);
}

TEST(gradients_refuse)
{
    KT_SCOPE;
    kt_tensor *x = leaf(1), *other = leaf(1), *plain = kt_ones(KT_SHAPE(2)), *g[2] = {x, x};
    kt_tensor *in[] = {x, other}, *y = kt_sum(kt_mul_s(x, KT_INT(2))), *wide = kt_mul_s(x, KT_INT(2));
    CHECK_LINE(kt_gradients(&y, NULL, 1, in, 2, KT_KW(kt_gradients_opts, .retain_graph = true), g),
               "One of the differentiated Tensors appears to not have been used in the graph. Set allow_unused=True if this "
               "is the desired behavior.");
    CHECK(g[0] == NULL && g[1] == NULL);
    CHECK_EQ_INT(kt_gradients(&y, NULL, 1, in, 2, KT_KW(kt_gradients_opts, .allow_unused = true), g), KT_OK);
    CHECK(g[1] == NULL);
    CHECK_NEAR(tensor_at(g[0], 0), 2, 0);
    kt_drop(g[0]);
    CHECK_LINE(kt_gradients(&wide, NULL, 1, &plain, 1, NULL, g), "grad can be implicitly created only for scalar outputs");
    y = kt_sum(wide);
    CHECK_LINE(kt_gradients(&y, NULL, 1, &plain, 1, NULL, g), "One of the differentiated Tensors does not require grad");
    CHECK_LINE(kt_gradients(&plain, NULL, 1, &x, 1, NULL, g),
               "element 0 of tensors does not require grad and does not have a grad_fn");
    CHECK_LINE(kt_gradients(&y, NULL, 1, in, 0, NULL, g), "grad requires non-empty inputs.");
    kt_tensor *three = kt_ones(KT_SHAPE(3)), *complex = kt_ones(KT_SHAPE(2), .dtype = KT_C64);
    CHECK_LINE(kt_gradients(&wide, &three, 1, &x, 1, NULL, g),
               "Mismatch in shape: grad_output[0] has a shape of torch.Size([3]) and output[0] has a shape of torch.Size([2]).");
    CHECK_LINE(kt_gradients(&wide, &complex, 1, &x, 1, NULL, g),
               "For complex Tensors, both grad_output and output are required to have the same dtype. Mismatch in dtype: "
               "grad_output[0] has a dtype of torch.complex64 and output[0] has a dtype of torch.float32.");
    kt_tensor *ints = kt_full(KT_SHAPE(2), KT_INT(3), .dtype = KT_I64);
    CHECK_EQ_INT(kt_gradients(&wide, &ints, 1, &x, 1, NULL, g), KT_OK);
    CHECK_EQ_INT(kt_dtype_of(g[0]), KT_F32);
    CHECK_NEAR(tensor_at(g[0], 0), 6, 0);
    kt_drop(g[0]);
}

/* What does not lead to the inputs is not run: a branch that would fail there does no harm, and keeps what it saved. */
TEST(only_what_leads_there_is_run)
{
    KT_SCOPE;
    kt_tensor *x = leaf(2), *w = leaf(5), *bad = kt_exp(w), *z = kt_sum(kt_add(kt_mul(x, x), bad)), *g;
    kt_add_s_(bad, KT_INT(1));
    CHECK_EQ_INT(kt_gradients(&z, NULL, 1, &x, 1, NULL, &g), KT_OK);
    CHECK_NEAR(tensor_at(g, 0), 4, 0);
    kt_drop(g);
    kt_tensor *a = kt_mul(x, x), *b = kt_mul(a, w), *c = kt_sum(kt_mul(b, b)), *in[] = {b, w}, *two[2];
    CHECK_EQ_INT(kt_gradients(&c, NULL, 1, in, 2, KT_KW(kt_gradients_opts, .retain_graph = true), two), KT_OK);
    CHECK_NEAR(tensor_at(two[0], 0), 40, 0);
    CHECK_NEAR(tensor_at(two[1], 0), 160, 0);
    kt_drop(two[0]);
    kt_drop(two[1]);
    CHECK_EQ_INT(kt_gradients(&c, NULL, 1, in, 1, NULL, two), KT_OK);
    kt_drop(two[0]);
    CHECK_EQ_INT(kt_backward(kt_sum(a)), KT_OK); /* below b nothing was let go */
}

TEST(gradients_of_gradients)
{
    KT_SCOPE;
    kt_tensor *x = leaf(3), *y = kt_sum(kt_mul(kt_mul(x, x), x)), *g, *gg;
    CHECK_EQ_INT(kt_gradients(&y, NULL, 1, &x, 1, KT_KW(kt_gradients_opts, .create_graph = true), &g), KT_OK);
    CHECK(kt_requires_grad(g));
    kt_tensor *s = kt_sum(g);
    CHECK_EQ_INT(kt_gradients(&s, NULL, 1, &x, 1, NULL, &gg), KT_OK);
    CHECK_NEAR(tensor_at(gg, 0), 18, 0);
    kt_drop(g);
    kt_drop(gg);
}

/* ---- backward from several roots, for some inputs ---- */

TEST(several_roots)
{
    KT_SCOPE;
    kt_tensor *x = leaf(1), *y = kt_mul_s(x, KT_INT(2)), *roots[] = {kt_sum(y), kt_mul(y, x), y};
    kt_tensor *gradients[] = {NULL, kt_ones(KT_SHAPE(2)), kt_full(KT_SHAPE(2), KT_INT(10), .dtype = KT_F32)};
    CHECK_EQ_INT(kt_backward_many(roots, gradients, 3, NULL), KT_OK);
    CHECK_NEAR(tensor_at(kt_grad(x), 0), 2 + 4 + 20, 0);
    CHECK_LINE(kt_backward_many(roots, NULL, 3, NULL), "grad can be implicitly created only for scalar outputs");
}

TEST(backward_for_some_inputs)
{
    KT_SCOPE;
    kt_tensor *x = leaf(3), *w = leaf(2), *y = kt_mul(x, w), *z = kt_sum(kt_mul(y, y)), *in[] = {w, y};
    CHECK_EQ_INT(kt_backward(z, .inputs = in, .n_inputs = 2, .retain_graph = true), KT_OK);
    CHECK_NEAR(tensor_at(kt_grad(w), 0), 36, 0);
    CHECK_NEAR(tensor_at(kt_grad(y), 0), 12, 0);
    CHECK(kt_grad(x) == NULL);
    CHECK_EQ_INT(kt_backward(z, .inputs = in, .n_inputs = 1), KT_OK);
    CHECK_NEAR(tensor_at(kt_grad(w), 0), 72, 0);
    CHECK_LINE(kt_backward(z, .inputs = in, .n_inputs = 0), "`inputs` argument to `backward()` cannot be empty.");
    kt_tensor *plain = kt_ones(KT_SHAPE(2)), *unused = leaf(1);
    z = kt_sum(kt_mul(x, x));
    CHECK_LINE(kt_backward(z, .inputs = &plain, .n_inputs = 1), "can't retain_grad on Tensor that has requires_grad=False");
    CHECK_EQ_INT(kt_backward(z, .inputs = &unused, .n_inputs = 1), KT_OK);
    CHECK(kt_grad(unused) == NULL);
}

/* ---- hooks ---- */

static char  trace[64];
static kt_status note(kt_tensor *grad, void *context, kt_tensor **instead)
{
    (void)grad, (void)instead;
    strcat(trace, context);
    return KT_OK;
}
static kt_status scale(kt_tensor *grad, void *context, kt_tensor **instead)
{
    strcat(trace, "s");
    *instead = kt_keep(kt_mul_s(grad, KT_FLOAT(*(double *)context)));
    return kt_error_status();
}
static kt_status widen(kt_tensor *grad, void *context, kt_tensor **instead)
{
    (void)context;
    *instead = kt_keep(kt_to(grad, .dtype = KT_F64));
    return KT_OK;
}
static kt_status shorten(kt_tensor *grad, void *context, kt_tensor **instead)
{
    (void)context;
    *instead = kt_keep(kt_slice(grad, .end = KT_SOME(1)));
    return KT_OK;
}
static kt_status refuse(kt_tensor *grad, void *context, kt_tensor **instead)
{
    (void)grad, (void)context, (void)instead;
    return kt_fail(KT_ERR_VALUE, "not today");
}
static void count(void *context) { ++*(int *)context; }

static void hook(kt_tensor *t, kt_hook_call call, void *context) { kt_hook_drop(kt_hook_add(t, "h", call, context, NULL)); }

TEST(hooks_run_in_order_and_may_replace)
{
    KT_SCOPE;
    double     twice = 2, thrice = 3;
    kt_tensor *x = leaf(1), *y = kt_mul_s(x, KT_INT(5));
    trace[0] = 0;
    CHECK_EQ_INT(kt_retain_grad(y), KT_OK);
    hook(y, note, "a");
    hook(y, scale, &twice);
    kt_hook *gone = kt_hook_add(y, "h", note, "b", NULL);
    hook(y, note, "c");
    kt_hook_remove(gone);
    hook(x, note, "l");
    hook(x, scale, &thrice);
    CHECK_EQ_INT(kt_backward(kt_sum(y)), KT_OK);
    CHECK_STR(trace, "ascls");
    CHECK_NEAR(tensor_at(kt_grad(y), 0), 2, 0); /* kept is what the hooks made of it */
    CHECK_NEAR(tensor_at(kt_grad(x), 0), 30, 0);
    kt_tensor *g, *z = kt_sum(kt_mul_s(x, KT_INT(7)));
    CHECK_EQ_INT(kt_gradients(&z, NULL, 1, &x, 1, NULL, &g), KT_OK);
    CHECK_NEAR(tensor_at(g, 0), 21, 0);
    kt_drop(g);
}

TEST(hooks_see_the_result_they_were_put_on)
{
    KT_SCOPE;
    double     twice = 2;
    kt_tensor *x = leaf(1), *part[2], *y = kt_mul_s(x, KT_INT(3));
    kt_unbind(y, part, 2);
    hook(part[1], scale, &twice);
    CHECK_EQ_INT(kt_backward(kt_add(part[0], part[1])), KT_OK);
    CHECK_NEAR(tensor_at(kt_grad(x), 0), 3, 0);
    CHECK_NEAR(tensor_at(kt_grad(x), 1), 6, 0);
    /* written in place, a tensor has another node; the old one keeps its hooks, the kept gradient moves on */
    y = kt_mul_s(x, KT_INT(3));
    trace[0] = 0;
    hook(y, note, "old ");
    kt_retain_grad(y);
    kt_mul_s_(y, KT_INT(2));
    hook(y, note, "new ");
    kt_set_grad(x, NULL);
    CHECK_EQ_INT(kt_backward(kt_sum(y)), KT_OK);
    CHECK_STR(trace, "new old ");
    CHECK_NEAR(tensor_at(kt_grad(y), 0), 1, 0);
    CHECK_NEAR(tensor_at(kt_grad(x), 0), 6, 0);
}

/* Shown the leaf: takes a step and forgets the gradient. */
static kt_status step(kt_tensor *shown, void *context, kt_tensor **instead)
{
    (void)instead;
    CHECK_NEAR(tensor_at(kt_grad(shown), 0), *(double *)context, 0);
    return kt_set_grad(shown, NULL);
}

TEST(hooks_after_accumulation)
{
    KT_SCOPE;
    double     expected = 5;
    int        released = 0;
    kt_tensor *x = leaf(1), *g, *z;
    kt_hook   *h = kt_hook_add_after(x, "h", step, &expected, NULL);
    CHECK(h != NULL);
    CHECK_EQ_INT(kt_backward(kt_sum(kt_mul_s(x, KT_INT(5)))), KT_OK);
    CHECK(kt_grad(x) == NULL);
    z = kt_sum(kt_mul_s(x, KT_INT(7)));
    CHECK_EQ_INT(kt_gradients(&z, NULL, 1, &x, 1, NULL, &g), KT_OK); /* accumulates nothing */
    kt_drop(g);
    kt_hook_remove(h);
    CHECK_EQ_INT(kt_backward(kt_sum(kt_mul_s(x, KT_INT(9)))), KT_OK);
    CHECK_NEAR(tensor_at(kt_grad(x), 0), 9, 0);
    kt_hook_drop(kt_hook_add_after(x, "h", refuse, &released, count));
    CHECK_LINE(kt_backward(kt_sum(kt_mul_s(x, KT_INT(1)))), "not today");
    CHECK_NEAR(tensor_at(kt_grad(x), 0), 10, 0);
    CHECK_LINE(kt_hook_add_after(kt_mul_s(x, KT_INT(2)), "h", note, NULL, NULL),
               "post accumulate grad hooks cannot be registered on non-leaf tensors");
    CHECK_EQ_INT(released, 0);
}

TEST(hooks_that_are_refused)
{
    KT_SCOPE;
    kt_tensor *x = leaf(1), *y;
    CHECK_LINE(kt_hook_add(kt_ones(KT_SHAPE(2)), "h", note, NULL, NULL),
               "cannot register a hook on a tensor that doesn't require gradient");
    CHECK_FAILS(kt_hook_add(NULL, "h", note, NULL, NULL), KT_ERR_TYPE, "expected a tensor");
    CHECK_FAILS(kt_hook_add(x, "h", NULL, NULL, NULL), KT_ERR_TYPE, "expected a hook");
    y = kt_mul_s(x, KT_INT(2));
    hook(y, widen, NULL);
    CHECK_LINE(kt_backward(kt_sum(y)), "hook 'h' has changed the type of value (was torch.FloatTensor got torch.DoubleTensor)");
    y = kt_mul_s(x, KT_INT(2));
    hook(y, shorten, NULL);
    CHECK_LINE(kt_backward(kt_sum(y)), "hook 'h' has changed the size of value");
    y = kt_mul_s(x, KT_INT(2));
    hook(y, refuse, NULL);
    CHECK_LINE(kt_backward(kt_sum(y)), "not today");
    CHECK(kt_grad(x) == NULL && kt_grad_enabled());
}

TEST(a_hook_dies_when_it_is_removed_or_with_its_tensor)
{
    int ended = 0;
    {
        KT_SCOPE;
        kt_tensor *x = leaf(1), *y = kt_mul_s(x, KT_INT(2));
        kt_hook   *h = kt_hook_add(y, "h", note, &ended, count), *l = kt_hook_add(x, "h", note, &ended, count);
        kt_hook_drop(kt_hook_add(y, "h", note, &ended, count));
        kt_hook_remove(l);
        CHECK_EQ_INT(ended, 1);
        kt_hook_drop(h);
        CHECK_EQ_INT(ended, 1);
    }
    CHECK_EQ_INT(ended, 3);
    kt_hook *late;
    {
        KT_SCOPE;
        late = kt_hook_add(kt_mul_s(leaf(1), KT_INT(2)), "h", note, &ended, count);
    }
    CHECK_EQ_INT(ended, 4);
    kt_hook_remove(late); /* the tensor is gone: that is fine */
    CHECK_EQ_INT(ended, 4);
    kt_hook_remove(NULL);
}

/* ---- kept gradients ---- */

TEST(a_result_keeps_its_gradient_when_asked)
{
    KT_SCOPE;
    kt_tensor *x = leaf(2), *y = kt_mul(x, x), *z = kt_sum(kt_mul_s(y, KT_INT(3)));
    CHECK(!kt_retains_grad(y));
    CHECK_EQ_INT(kt_backward(z, .retain_graph = true), KT_OK);
    CHECK(kt_grad(y) == NULL);
    CHECK_EQ_INT(kt_retain_grad(y), KT_OK);
    CHECK_EQ_INT(kt_retain_grad(y), KT_OK);
    CHECK(kt_retains_grad(y));
    kt_backward(z, .retain_graph = true);
    kt_backward(z);
    CHECK_NEAR(tensor_at(kt_grad(y), 0), 6, 0);
    CHECK_EQ_INT(kt_retain_grad(x), KT_OK);
    CHECK(!kt_retains_grad(x));
    CHECK_LINE(kt_retain_grad(kt_ones(KT_SHAPE(2))), "can't retain_grad on Tensor that has requires_grad=False");
    kt_tensor *early;
    {
        KT_SCOPE;
        kt_tensor *short_lived = kt_mul(x, x);
        kt_retain_grad(short_lived);
        early = kt_escape(kt_sum(short_lived));
    }
    CHECK_EQ_INT(kt_backward(early), KT_OK);
}

/* ---- the graph ---- */

TEST(the_graph_walked)
{
    KT_SCOPE;
    kt_tensor *x = leaf(2), *part[2], *y = kt_mul(x, kt_ones(KT_SHAPE(2)));
    kt_unbind(y, part, 2);
    CHECK_EQ_INT(kt_output_nr(part[1]), 1);
    CHECK_EQ_INT(kt_output_nr(x), 0);
    kt_node *add = kt_grad_fn(kt_add(part[1], part[0]));
    int64_t  result = -1;
    CHECK_STR(kt_node_name(add), "AddBackward0");
    CHECK_EQ_INT(kt_node_inputs(add), 2);
    kt_node *unbind = kt_node_input(add, 0, &result);
    CHECK_STR(kt_node_name(unbind), "UnbindBackward0");
    CHECK_EQ_INT(result, 1);
    kt_node *mul = kt_node_input(unbind, 0, NULL), *end = kt_node_input(mul, 0, &result);
    CHECK_STR(kt_node_name(end), "AccumulateGrad");
    CHECK(kt_node_leaf(end) == x && kt_node_leaf(mul) == NULL);
    CHECK(kt_node_input(mul, 1, &result) == NULL && result == 0);
    CHECK(kt_node_input(mul, 2, NULL) == NULL && kt_node_input(mul, -1, NULL) == NULL);
    CHECK(kt_grad_fn(x) == NULL && kt_grad_fn(NULL) == NULL && kt_node_name(NULL)[0] == 0);
    kt_node *nodes[] = {add, unbind, mul, end};
    for (int i = 0; i < 4; i++)
        kt_node_drop(nodes[i]);
}

static int shown;
static double shown_value;
static kt_status show(kt_tensor *g, void *context, kt_tensor **instead)
{
    (void)context, (void)instead;
    shown++;
    shown_value = tensor_at(g, 0);
    return KT_OK;
}

TEST(a_leaf_that_is_a_root_several_times)
{
    KT_SCOPE;
    kt_tensor *x = leaf(2), *y = kt_mul_s(x, KT_INT(10)), *g = NULL;
    kt_tensor *one = kt_ones_like(x), *two = kt_mul_s(one, KT_INT(2)), *three = kt_mul_s(one, KT_INT(3));
    kt_tensor *roots[] = {x, y, x}, *grads[] = {one, two, three};
    CHECK_EQ_INT(kt_gradients(roots, grads, 3, &x, 1, KT_KW(kt_gradients_opts, .retain_graph = true), &g), KT_OK);
    CHECK_NEAR(tensor_at(g, 0), 24, 0);
    kt_drop(g);
    kt_hook *hook = kt_hook_add(x, "show", show, NULL, NULL);
    CHECK_EQ_INT(kt_backward_many(roots, grads, 3, NULL), KT_OK);
    CHECK_EQ_INT(shown, 1);
    CHECK_NEAR(shown_value, 24, 0);
    CHECK_NEAR(tensor_at(kt_grad(x), 0), 24, 0);
    kt_hook_remove(hook);
}

TEST(detached_in_place)
{
    KT_SCOPE;
    kt_tensor *x = leaf(2), *y = kt_mul(x, x);
    CHECK(kt_detach_(y) == y && kt_is_leaf(y) && !kt_requires_grad(y) && !*kt_grad_fn_name(y));
    CHECK(kt_detach_(x) == x && !kt_requires_grad(x));
    kt_tensor *z = kt_mul(leaf(1), y);
    CHECK_LINE(kt_detach_(kt_select(z, 0, 0)),
               "Can't detach views in-place. Use detach() instead. If you are using DistributedDataParallel (DDP) for "
               "training, and gradient_as_bucket_view is set as True, gradients are views of DDP buckets, and hence detach_() "
               "cannot be called on these gradients. To fix this error, please refer to the Optimizer.zero_grad() function in "
               "torch/optim/optimizer.py as the solution.");
}

TEST(assigning_a_gradient_of_another_device_or_itself)
{
    KT_SCOPE;
    kt_tensor *x = leaf(1), *meta = kt_ones(KT_SHAPE(2), .device = {KT_META, 0}, .requires_grad = true);
    CHECK_LINE(kt_set_grad(x, x), "can't assign Variable as its own grad");
    CHECK_LINE(kt_set_grad(meta, kt_ones(KT_SHAPE(2))),
               "attempting to assign a gradient with device type 'cpu' to a tensor with device type 'meta'. Please ensure that "
               "the gradient and the tensor are on the same device");
}
