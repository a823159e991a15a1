/* module.c - modules from C: trees, calls and hooks, conversion and pins, loading, text, training, misuse. */
#include "harness.h"

#include <karat/karat.h>
#include <string.h>

static kt_module *net(void)
{
    return kt_make_sequential(kt_make_linear(3, 4, true), kt_make_relu(), kt_make_linear(4, 2, true));
}

static kt_status count(const char *path, kt_tensor *t, void *context)
{
    (void)t;
    strcat(strcat((char *)context, path), " ");
    return KT_OK;
}

TEST(a_tree_names_its_parts_once)
{
    KT_SCOPE;
    kt_module *m = net();
    char       paths[256] = "";
    CHECK(kt_module_each(m, KT_PARAMETERS | KT_BUFFERS, count, paths) == KT_OK);
    CHECK(!strcmp(paths, "0.weight 0.bias 2.weight 2.bias "));
    CHECK(kt_module_n_children(m) == 3 && kt_module_parameters(m, NULL, 0) == 4);
    CHECK(kt_module_tensor(m, "2.weight") && !kt_module_tensor(m, "2") && !kt_module_tensor(m, "2.weight.x"));
    CHECK(!strcmp(kt_module_name(kt_module_child(m, "1")), "ReLU") && !kt_module_child(m, "9") && !kt_failed());
    CHECK(kt_module_add(m, "again", kt_module_keep(kt_module_child(m, "0"))) == KT_OK);
    CHECK(kt_module_parameters(m, NULL, 0) == 4);
    kt_module_drop(m);
}

TEST(parameters_are_drawn_as_pytorch_draws_them)
{
    KT_SCOPE;
    kt_manual_seed(0);
    kt_module *m = kt_make_linear(2, 1, true); /* torch.manual_seed(0); torch.nn.Linear(2, 1) */
    CHECK_NEAR(kt_item(kt_select(kt_select(kt_module_tensor(m, "weight"), 0, 0), 0, 0)), -0.005293981172144413, 0);
    CHECK_NEAR(kt_item(kt_select(kt_module_tensor(m, "bias"), 0, 0)), -0.5819807648658752, 0);
    kt_module_drop(m);
}

TEST(a_call_gives_gradients_to_all_parameters)
{
    KT_SCOPE;
    kt_module *m = net();
    kt_tensor *y = kt_module_call(m, kt_ones(KT_SHAPE(5, 3)));
    CHECK(kt_size(y, 0) == 5 && kt_size(y, 1) == 2);
    kt_backward(kt_sum(y));
    CHECK(kt_grad(kt_module_tensor(m, "0.weight")) && kt_item(kt_sum(kt_grad(kt_module_tensor(m, "2.bias")))) == 10);
    kt_module_zero_grad(m);
    CHECK(!kt_grad(kt_module_tensor(m, "2.bias")));
    kt_module_drop(m);
}

static kt_tensor *doubled(kt_module *m, kt_tensor *x, void *context)
{
    (void)m;
    ++*(int *)context;
    return kt_mul_s(x, KT_INT(2));
}

static kt_tensor *counted(kt_module *m, kt_tensor *x, kt_tensor *result, void *context)
{
    (void)m, (void)x, (void)result;
    *(int *)context *= 10;
    return NULL;
}

TEST(hooks_run_in_order_and_replace)
{
    KT_SCOPE;
    int        order = 0;
    kt_module *m = kt_make_relu();
    CHECK(kt_module_before(m, doubled, &order) == KT_OK && kt_module_after(m, counted, &order) == KT_OK);
    CHECK(kt_item(kt_module_call(m, kt_ones(KT_SCALAR))) == 2 && order == 10);
    CHECK(kt_module_before(m, NULL, NULL) == KT_ERR_TYPE);
    kt_clear();
    kt_module_drop(m);
}

TEST(conversion_keeps_tensors_and_pins)
{
    KT_SCOPE;
    kt_module *m = net();
    kt_tensor *w = kt_module_tensor(m, "0.weight");
    kt_backward(kt_sum(kt_module_call(m, kt_ones(KT_SHAPE(1, 3)))));
    kt_module_pin_dtype(kt_module_child(m, "2"), true);
    CHECK(kt_module_to_dtype(m, KT_F16) == KT_OK);
    CHECK(kt_module_tensor(m, "0.weight") == w && kt_dtype_of(w) == KT_F16 && kt_dtype_of(kt_grad(w)) == KT_F16);
    CHECK(kt_dtype_of(kt_module_tensor(m, "2.weight")) == KT_F32);
    char *text = kt_explain(w);
    CHECK(strstr(text, "cast to float16, kt_module_to_dtype of 0.weight"));
    kt_free_string(text);
    CHECK(kt_module_to_dtype(m, KT_I32) == KT_ERR_TYPE);
    kt_clear();
    kt_module_drop(m);
}

TEST(an_error_names_the_layer)
{
    KT_SCOPE;
    kt_module *m = kt_make_sequential(kt_make_sequential(kt_make_relu(), kt_make_linear(3, 2, true)));
    kt_module_to_dtype(kt_module_child(m, "0.1"), KT_F16);
    CHECK(!kt_module_call(m, kt_ones(KT_SHAPE(1, 3))));
    CHECK(strstr(kt_error(), "mat1 and mat2 must have the same dtype, but got Float and Half") == kt_error());
    CHECK(strstr(kt_error(), "in \"0.1\", Linear(in_features=3, out_features=2, bias=True)"));
    kt_clear();
    kt_module_drop(m);
}

TEST(loading_names_everything_that_does_not_fit)
{
    KT_SCOPE;
    kt_module     *m = kt_make_linear(3, 2, true);
    const kt_named good[] = {{"weight", kt_full(KT_SHAPE(2, 3), KT_INT(7), .dtype = KT_F64)}, {"bias", kt_zeros(KT_SHAPE(2))}};
    const kt_named bad[] = {{"weight", kt_zeros(KT_SHAPE(3, 3))}, {"more", kt_zeros(KT_SCALAR)}};
    CHECK(kt_module_load(m, good, 2, true) == KT_OK);
    CHECK(kt_dtype_of(kt_module_tensor(m, "weight")) == KT_F32 && kt_item(kt_sum(kt_module_tensor(m, "weight"))) == 42);
    CHECK(kt_module_load(m, bad, 2, true) == KT_ERR_RUNTIME);
    CHECK(!strcmp(kt_error(), "Error(s) in loading state_dict for Linear:\n\tMissing key(s) in state_dict: \"bias\". "
                              "\n\tUnexpected key(s) in state_dict: \"more\". "
                              "\n\tsize mismatch for weight: copying a param with shape "
                              "torch.Size([3, 3]) from checkpoint, the shape in current model is torch.Size([2, 3])."));
    kt_clear();
    CHECK(kt_item(kt_sum(kt_module_tensor(m, "weight"))) == 42);
    CHECK(kt_module_load(m, good, 1, false) == KT_OK);
    CHECK(kt_module_load(m, NULL, 1, false) == KT_ERR_VALUE);
    kt_clear();
    kt_module_drop(m);
}

TEST(text_is_pytorchs)
{
    kt_module *m = kt_make_sequential(kt_make_conv2d(1, 8, 3, KT_KW(kt_conv_options, .padding = 1)), kt_make_batch_norm2d(8),
                                      kt_make_max_pool2d(2), kt_make_flatten(), kt_make_dropout(0.5));
    char      *text = kt_module_to_string(m);
    CHECK(!strcmp(text, "Sequential(\n  (0): Conv2d(1, 8, kernel_size=(3, 3), stride=(1, 1), padding=(1, 1))\n"
                        "  (1): BatchNorm2d(8, eps=1e-05, momentum=0.1, affine=True, track_running_stats=True)\n"
                        "  (2): MaxPool2d(kernel_size=2, stride=2, padding=0, dilation=1, ceil_mode=False)\n"
                        "  (3): Flatten(start_dim=1, end_dim=-1)\n  (4): Dropout(p=0.5, inplace=False)\n)"));
    kt_free_string(text);
    kt_module_drop(m);
}

TEST(layers_of_a_convolutional_network_and_of_a_transformer)
{
    KT_SCOPE;
    kt_module *cnn = kt_make_sequential(kt_make_conv2d(1, 4, 3, KT_KW(kt_conv_options, .padding = 1, .stride = 2)),
                                        kt_make_batch_norm2d(4), kt_make_relu(), kt_make_max_pool2d(2), kt_make_flatten(),
                                        kt_make_linear(16, 3, true));
    CHECK(kt_size(kt_module_call(cnn, kt_randn(KT_SHAPE(2, 1, 8, 8))), 1) == 3);
    CHECK(kt_item(kt_module_tensor(cnn, "1.num_batches_tracked")) == 1);
    kt_module_train(cnn, false);
    kt_module_call(cnn, kt_randn(KT_SHAPE(2, 1, 8, 8)));
    CHECK(kt_item(kt_module_tensor(cnn, "1.num_batches_tracked")) == 1 && !kt_failed());
    kt_module *block = kt_make_sequential(kt_make_embedding(10, 8), kt_make_layer_norm(8), kt_make_attention(8, 2, true),
                                          kt_make_gelu(), kt_make_tanh());
    kt_tensor *y = kt_module_call(block, kt_zeros(KT_SHAPE(2, 5), .dtype = KT_I64));
    CHECK(kt_ndim(y) == 3 && kt_size(y, 2) == 8);
    kt_backward(kt_sum(y));
    CHECK(kt_grad(kt_module_tensor(block, "2.qkv.weight")) && kt_grad(kt_module_tensor(block, "0.weight")));
    kt_module_drop(block);
    kt_module_drop(cnn);
}

TEST(misuse_is_refused)
{
    KT_SCOPE;
    kt_module *m = kt_make_relu();
    CHECK(kt_module_add_parameter(m, "a.b", kt_ones(KT_SCALAR)) == KT_ERR_VALUE);
    CHECK_STR(kt_error(), "parameter name can't contain \".\", got: a.b");
    kt_clear();
    CHECK(kt_module_add_buffer(m, "", kt_ones(KT_SCALAR), true) == KT_ERR_VALUE);
    kt_clear();
    CHECK(kt_module_add_parameter(m, "w", NULL) == KT_ERR_TYPE);
    kt_clear();
    CHECK(kt_module_add(m, "me", kt_module_keep(m)) == KT_ERR_VALUE && strstr(kt_error(), "a child of itself"));
    kt_clear();
    CHECK(!kt_make_linear(0, 2, true) && kt_error_status() == KT_ERR_VALUE);
    kt_clear();
    CHECK(!kt_make_conv2d(3, 4, 3, KT_KW(kt_conv_options, .groups = 2)) && strstr(kt_error(), "divisible by groups"));
    kt_clear();
    CHECK(!kt_make_dropout(2) && !kt_make_sequential(kt_make_relu(), NULL));
    kt_clear();
    CHECK(!kt_make_attention(6, 4, false) && strstr(kt_error(), "divisible"));
    kt_clear();
    CHECK(!kt_module_call(NULL, kt_ones(KT_SCALAR)) && !kt_module_call(m, NULL));
    kt_clear();
    kt_module_drop(m);
}
