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

static kt_tensor *once(kt_module *m, kt_tensor *x, void *context)
{
    (void)x;
    ++*(int *)context;
    return kt_module_remove_hooks(m, context) == 1 ? NULL : kt_zeros(KT_SCALAR);
}

TEST(hooks_are_removed_also_by_themselves)
{
    KT_SCOPE;
    int        first = 0, second = 0, third = 0;
    kt_module *m = kt_make_relu();
    CHECK(kt_module_before(m, once, &first) == KT_OK && kt_module_before(m, doubled, &second) == KT_OK);
    CHECK(kt_module_after(m, counted, &third) == KT_OK && kt_module_after(m, counted, &third) == KT_OK);
    CHECK(kt_module_remove_hooks(m, &third) == 2 && kt_module_remove_hooks(m, &third) == 0);
    CHECK(kt_item(kt_module_call(m, kt_ones(KT_SCALAR))) == 2 && kt_item(kt_module_call(m, kt_ones(KT_SCALAR))) == 2);
    CHECK(first == 1 && second == 2 && kt_module_remove_hooks(m, &second) == 1);
    CHECK(kt_item(kt_module_call(m, kt_ones(KT_SCALAR))) == 1 && second == 2);
    CHECK(kt_module_remove_hooks(NULL, NULL) == -1);
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

static kt_tensor *halved(kt_module *m, kt_tensor *x, void *context)
{
    (void)m, (void)context;
    return kt_to(x, .dtype = KT_F16);
}

TEST(conversions_are_kept_by_module_and_phase)
{
    KT_SCOPE;
    kt_module *m = net();
    kt_module_before(kt_module_child(m, "1"), halved, NULL);
    kt_module_to_dtype(kt_module_child(m, "2"), KT_F16);
    CHECK(kt_module_call(m, kt_ones(KT_SHAPE(1, 3))) && !kt_module_conversions(m));
    kt_conversion c = {.size = sizeof c};
    CHECK(kt_conversions_read(kt_module_conversions(kt_module_child(m, "1")), 0, &c));
    CHECK(c.phase == KT_PHASE_BEFORE && c.why == KT_WHY_EXPLICIT && c.to == KT_F16 && c.count == 1);
    CHECK(!kt_module_conversions(kt_module_child(m, "2")) && !kt_module_conversions(NULL));
    kt_module_drop(m);
}

TEST(a_pinned_module_runs_in_its_dtype_under_autocast)
{
    KT_SCOPE;
    kt_module *m = net();
    kt_tensor *x = kt_ones(KT_SHAPE(1, 3));
    KT_AUTOCAST(KT_CPU, KT_BF16);
    CHECK(kt_dtype_of(kt_module_call(m, x)) == KT_BF16);
    kt_module_pin_dtype(kt_module_child(m, "2"), true);
    CHECK(kt_dtype_of(kt_module_call(m, x)) == KT_F32 && kt_dtype_of(kt_module_call(kt_module_child(m, "0"), x)) == KT_BF16);
    kt_conversion c = {.size = sizeof c};
    CHECK(kt_conversions_read(kt_module_conversions(kt_module_child(m, "2")), 0, &c) && c.why == KT_WHY_AUTOCAST);
    kt_module_pin_dtype(kt_module_child(m, "2"), false);
    CHECK(kt_dtype_of(kt_module_call(m, x)) == KT_BF16);
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
    kt_module *grouped = kt_make_conv2d(4, 8, 3, KT_KW(kt_conv_options, .dilation = 2, .groups = 2, .no_bias = true));
    char      *line = kt_module_to_string(grouped);
    CHECK_STR(line, "Conv2d(4, 8, kernel_size=(3, 3), stride=(1, 1), dilation=(2, 2), groups=2, bias=False)");
    kt_free_string(line);
    kt_module_drop(grouped);
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

TEST(recurrent_layers_and_transformers)
{
    KT_SCOPE;
    kt_module *lstm = kt_make_lstm(3, 4, KT_KW(kt_recurrent_options, .layers = 2, .batch_first = true, .bidirectional = true));
    kt_tensor *x = kt_randn(KT_SHAPE(2, 5, 3)), *y = kt_module_call(lstm, x);
    CHECK(kt_size(y, 0) == 2 && kt_size(y, 1) == 5 && kt_size(y, 2) == 8 && kt_module_parameters(lstm, NULL, 0) == 16);
    CHECK(kt_size(kt_module_tensor(lstm, "weight_ih_l1_reverse"), 1) == 8);
    kt_tensor *with_states[] = {x, kt_zeros(KT_SHAPE(4, 2, 4)), kt_zeros(KT_SHAPE(4, 2, 4))};
    CHECK(kt_item(kt_eq(kt_sum(kt_module_call_all(lstm, with_states, 3)), kt_sum(y))) == 1);
    char *text = kt_module_to_string(lstm);
    CHECK_STR(text, "LSTM(3, 4, num_layers=2, batch_first=True, bidirectional=True)");
    kt_free_string(text);
    CHECK(!kt_module_call(lstm, kt_randn(KT_SHAPE(5, 3))) && strstr(kt_error(), "input must have 3 dimensions, got 2"));
    kt_clear();
    CHECK(!kt_module_call(lstm, kt_randn(KT_SHAPE(2, 5, 4))) && strstr(kt_error(), "Expected 3, got 4"));
    kt_clear();
    CHECK(!kt_module_call_all(lstm, with_states, 2) && strstr(kt_error(), "a sequence and 2 states"));
    kt_clear();
    kt_module *gru = kt_make_gru(3, 4, KT_KW(kt_recurrent_options, .no_bias = true));
    CHECK(kt_size(kt_module_call(gru, x), 2) == 4 && kt_module_parameters(gru, NULL, 0) == 2);
    CHECK(!kt_make_gru(3, 4, KT_KW(kt_recurrent_options, .dropout = 2)) && kt_error_status() == KT_ERR_VALUE);
    kt_clear();
    kt_module *layer = kt_make_transformer_encoder_layer(8, 2, KT_KW(kt_transformer_options, .feedforward = 16, .causal = true,
                                                                     .norm_first = true, .dropout = KT_SOME(0.0)));
    kt_tensor *long_one = kt_randn(KT_SHAPE(6, 2, 8)), *whole = kt_module_call(layer, long_one);
    kt_tensor *part = kt_module_call(layer, kt_narrow(long_one, 0, 0, 3));
    CHECK(kt_item(kt_amax(kt_abs(kt_sub(kt_narrow(whole, 0, 0, 3), part)))) < 1e-5); /* the past does not see the future */
    kt_backward(kt_sum(whole));
    CHECK(kt_grad(kt_module_tensor(layer, "self_attn.in_proj_weight")) && !kt_failed());
    kt_module *across = kt_make_multihead_attention(8, 2, KT_KW(kt_attention_options, .batch_first = true));
    kt_tensor *two[] = {kt_randn(KT_SHAPE(2, 3, 8)), kt_randn(KT_SHAPE(2, 5, 8))};
    kt_tensor *mixed = kt_module_call_all(across, two, 2);
    CHECK(kt_size(mixed, 0) == 2 && kt_size(mixed, 1) == 3 && kt_size(mixed, 2) == 8);
    CHECK(kt_item(kt_amax(kt_abs(kt_module_tensor(across, "out_proj.bias")))) == 0);
    CHECK(!kt_make_multihead_attention(8, 3, NULL) && kt_error_status() == KT_ERR_ASSERTION);
    kt_clear();
    kt_module_drop(across);
    kt_module_drop(layer);
    kt_module_drop(gru);
    kt_module_drop(lstm);
}

static double at(kt_tensor *t, int64_t i, int64_t j) { return kt_item(kt_select(kt_select(t, 0, i), 0, j)); }

/* sin or cos of 0, 1, 2, ... */
static kt_tensor *numbers(int64_t a, int64_t b, int64_t c, bool cosine)
{
    kt_tensor *all = kt_reshape(kt_arange(KT_INT(0), KT_INT(a * b * c), .dtype = KT_F32), KT_SHAPE(a, b, c));
    return cosine ? kt_cos(all) : kt_sin(all);
}

static double corner(kt_tensor *t, int64_t i, int64_t j, int64_t k) { return at(kt_select(t, 0, i), j, k); }

/* The numbers are PyTorch's: torch.manual_seed(0), then the layer of the same name. */
TEST(larger_layers_are_pytorchs)
{
    KT_SCOPE;
    KT_NO_GRAD;
    kt_manual_seed(0);
    kt_module *lstm = kt_make_lstm(2, 3, KT_KW(kt_recurrent_options, .layers = 2, .bidirectional = true));
    CHECK_NEAR(at(kt_module_tensor(lstm, "weight_hh_l1_reverse"), 0, 0), -0.4364812970161438, 0);
    CHECK_NEAR(corner(kt_module_call(lstm, numbers(3, 2, 2, false)), 2, 1, 5), -0.1625840961933136, 1e-6);
    kt_manual_seed(0);
    kt_module *gru = kt_make_gru(2, 3, NULL);
    CHECK_NEAR(at(kt_module_tensor(gru, "weight_hh_l0"), 8, 2), -0.4171738028526306, 0);
    CHECK_NEAR(corner(kt_module_call(gru, numbers(3, 2, 2, false)), 2, 1, 0), 0.7843971252441406, 1e-6);
    kt_manual_seed(0);
    kt_module *attention = kt_make_multihead_attention(4, 2, KT_KW(kt_attention_options, .batch_first = true));
    CHECK_NEAR(at(kt_module_tensor(attention, "in_proj_weight"), 0, 0), 0.22242416441440582, 0);
    CHECK_NEAR(at(kt_module_tensor(attention, "out_proj.weight"), 3, 3), 0.018521785736083984, 0);
    kt_tensor *memory = numbers(2, 3, 4, true), *three[] = {numbers(2, 2, 4, false), memory, memory};
    CHECK_NEAR(corner(kt_module_call_all(attention, three, 3), 1, 1, 3), -0.049849268049001694, 1e-6);
    CHECK_NEAR(corner(kt_module_call_all(attention, three, 2), 1, 1, 0), -0.05750688537955284, 1e-6);
    kt_manual_seed(0);
    kt_module *after = kt_make_transformer_encoder_layer(4, 2, KT_KW(kt_transformer_options, .feedforward = 8,
                                                                    .dropout = KT_SOME(0.0)));
    CHECK_NEAR(at(kt_module_tensor(after, "linear2.weight"), 3, 7), 0.22480319440364838, 0);
    CHECK_NEAR(corner(kt_module_call(after, numbers(3, 2, 4, false)), 2, 1, 3), -1.3633047342300415, 1e-5);
    kt_manual_seed(0);
    kt_module *before = kt_make_transformer_encoder_layer(4, 2, KT_KW(kt_transformer_options, .feedforward = 8, .gelu = true,
                                                                     .norm_first = true, .dropout = KT_SOME(0.0)));
    CHECK_NEAR(corner(kt_module_call(before, numbers(3, 2, 4, false)), 2, 1, 3), -1.1137669086456299, 1e-5);
    kt_module *const all[] = {lstm, gru, attention, after, before};
    for (int i = 0; i < 5; i++)
        kt_module_drop(all[i]);
}

/* ---- hooks in backward ---- */

typedef struct told {
    int    before, after, inputs;
    double grad_output, grad_input;
    bool   doubles, fails;
} told;

static kt_tensor *note_output(kt_module *m, kt_tensor *grad, void *context)
{
    told *t = context;
    (void)m;
    t->before++;
    t->grad_output = kt_item(kt_sum(grad));
    return t->doubles ? kt_mul_s(grad, KT_INT(2)) : NULL;
}

static kt_status note_inputs(kt_module *m, kt_tensor **grads, int n, kt_tensor *grad_output, void *context)
{
    told *t = context;
    (void)m;
    t->after++;
    t->inputs = n;
    t->grad_output = kt_item(kt_sum(grad_output));
    t->grad_input = grads[0] ? kt_item(kt_sum(grads[0])) : -1;
    if (t->fails)
        return kt_fail(KT_ERR_VALUE, "no gradient for you");
    if (grads[0] && t->doubles)
        grads[0] = kt_mul_s(grads[0], KT_INT(10));
    return KT_OK;
}

static kt_module *hooked(told *t)
{
    kt_module *m = kt_make_tanh();
    CHECK(kt_module_before_backward(m, note_output, t) == KT_OK && kt_module_after_backward(m, note_inputs, t) == KT_OK);
    return m;
}

TEST(hooks_in_backward_see_and_replace_gradients)
{
    KT_SCOPE;
    told       t = {.doubles = true};
    kt_module *m = hooked(&t);
    kt_tensor *x = kt_zeros(KT_SHAPE(3));
    kt_set_requires_grad(x, true);
    kt_tensor *y = kt_module_call(m, x);
    CHECK_STR(kt_grad_fn_name(y), "BackwardHookFunctionBackward");
    kt_module_drop(m); /* the graph keeps the module */
    kt_backward(kt_sum(y));
    CHECK(t.before == 1 && t.after == 1 && t.inputs == 1);
    CHECK(t.grad_output == 6 && t.grad_input == 6); /* the second hook sees what the first one gave */
    CHECK(kt_item(kt_sum(kt_grad(x))) == 60);
}

static void no_word(const char *text) { (void)text; }

TEST(without_inputs_that_want_a_gradient_hooks_run_with_the_output)
{
    KT_SCOPE;
    told       t = {.doubles = false};
    kt_module *m = kt_make_linear(2, 1, true);
    kt_module_after_backward(m, note_inputs, &t);
    kt_on_warning(no_word);
    kt_backward(kt_sum(kt_module_call(m, kt_ones(KT_SHAPE(1, 2)))));
    CHECK(t.after == 1 && t.grad_input == -1 && t.grad_output == 1 && kt_grad(kt_module_tensor(m, "weight")));
    {
        KT_NO_GRAD;
        CHECK(kt_module_call(m, kt_ones(KT_SHAPE(1, 2))) && t.after == 1);
    }
    kt_on_warning(NULL);
    kt_module_drop(m);
}

TEST(a_hook_that_fails_ends_backward)
{
    KT_SCOPE;
    told       t = {.fails = true};
    kt_module *m = hooked(&t);
    kt_tensor *x = kt_zeros(KT_SHAPE(2));
    kt_set_requires_grad(x, true);
    CHECK(kt_backward(kt_sum(kt_module_call(m, x))) != KT_OK && strstr(kt_error(), "no gradient for you"));
    kt_clear();
    CHECK(!kt_grad(x));
    CHECK(kt_module_before_backward(m, NULL, NULL) == KT_ERR_TYPE);
    kt_clear();
    CHECK(kt_module_after_backward(NULL, note_inputs, NULL) == KT_ERR_TYPE);
    kt_clear();
    kt_module_drop(m);
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
