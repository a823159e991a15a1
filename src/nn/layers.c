/* layers.c - the layers that networks, convolutional networks and transformers are made of.
 *
 * In: sizes and options. Out: modules whose parameters are drawn as PyTorch draws them. Independent of: trees, hooks. */
#include "nn/module.h"

#include <karat/mode.h>
#include <karat/ops.h>
#include <math.h>
#include <stdio.h>

/* The module with its parts, or NULL: one could not be made or added. */
static kt_module *complete(kt_module *m)
{
    if (!kt_failed())
        return m;
    kt_module_drop(m);
    return NULL;
}

static kt_tensor *part(const kt_module *m, const char *name) { return kt_module_tensor(m, name); }

/* Uniform from -bound to bound. */
static void add_uniform(kt_module *m, const char *name, kt_shape shape, double bound)
{
    KT_SCOPE;
    KT_NO_GRAD;
    kt_tensor *t = kt_empty(shape);
    kt_uniform_(t, .from = -bound, .to = KT_SOME(bound));
    kt_module_add_parameter(m, name, t);
}

/* Weights and biases of linear layers and convolutions: both are uniform within 1 / sqrt(fan_in). */
static void add_affine(kt_module *m, kt_shape weight, int64_t fan_in, bool bias)
{
    const double spread = sqrt(2.0 / (1 + 5)) / sqrt((double)fan_in); /* Kaiming's, of a leaky relu with slope sqrt(5) */
    add_uniform(m, "weight", weight, sqrt(3.0) * spread);
    if (bias)
        add_uniform(m, "bias", KT_SHAPE(weight.d[0]), 1 / sqrt((double)fan_in));
}

static void add_constant(kt_module *m, const char *name, int64_t n, double value, bool parameter)
{
    KT_SCOPE;
    kt_tensor *t = kt_full(KT_SHAPE(n), KT_FLOAT(value));
    if (parameter)
        kt_module_add_parameter(m, name, t);
    else
        kt_module_add_buffer(m, name, t, true);
}

static bool are_positive(const char *layer, int64_t a, int64_t b)
{
    if (!kt_failed() && (a < 1 || b < 1))
        kt_fail(KT_ERR_VALUE, "%s: sizes must be positive", layer);
    return !kt_failed();
}

/* ---- linear ---- */

static kt_tensor *linear_forward(kt_module *m, kt_tensor *const *in, int n)
{
    (void)n;
    return kt_linear(in[0], part(m, "weight"), .bias = part(m, "bias"));
}

static void linear_describe(const kt_module *m, char *text, size_t room)
{
    const kt_shape s = kt_sizes(part(m, "weight"));
    snprintf(text, room, "in_features=%lld, out_features=%lld, bias=%s", (long long)s.d[1], (long long)s.d[0],
             part(m, "bias") ? "True" : "False");
}

kt_module *kt_make_linear(int64_t in, int64_t out, bool bias)
{
    static const kt_module_type type = {.size = sizeof type, .name = "Linear", .forward = linear_forward,
                                        .describe = linear_describe};
    kt_module *m = are_positive("Linear", in, out) ? kt_module_make(&type) : NULL;
    if (m)
        add_affine(m, KT_SHAPE(out, in), in, bias);
    return complete(m);
}

/* ---- convolution ---- */

typedef struct conv {
    int64_t in, kernel, stride, padding, dilation, groups;
} conv;

static kt_tensor *conv_forward(kt_module *m, kt_tensor *const *in, int n)
{
    (void)n;
    const conv *c = kt_module_own(m);
    return kt_conv2d(in[0], part(m, "weight"), .bias = part(m, "bias"), .stride = KT_SHAPE(c->stride),
                     .padding = KT_SHAPE(c->padding), .dilation = KT_SHAPE(c->dilation), .groups = KT_SOME(c->groups));
}

static void conv_describe(const kt_module *m, char *text, size_t room)
{
    const conv *c = kt_module_own(m);
    const int   bytes = snprintf(text, room, "%lld, %lld, kernel_size=(%lld, %lld), stride=(%lld, %lld)", (long long)c->in,
                                 (long long)kt_sizes(part(m, "weight")).d[0], (long long)c->kernel, (long long)c->kernel,
                                 (long long)c->stride, (long long)c->stride);
    if (c->padding && bytes > 0 && (size_t)bytes < room)
        snprintf(text + bytes, room - (size_t)bytes, ", padding=(%lld, %lld)", (long long)c->padding, (long long)c->padding);
}

kt_module *kt_make_conv2d(int64_t in, int64_t out, int64_t kernel, const kt_conv_options *options)
{
    static const kt_module_type type = {.size = sizeof type, .name = "Conv2d", .forward = conv_forward,
                                        .describe = conv_describe, .own_bytes = sizeof(conv)};
    const kt_conv_options o = options ? *options : (kt_conv_options){.size = sizeof o};
    const int64_t         groups = o.groups ? o.groups : 1;
    if (!are_positive("Conv2d", in, out) || !are_positive("Conv2d", kernel, groups))
        return NULL;
    if (in % groups || out % groups) {
        kt_fail(KT_ERR_VALUE, "%s_channels must be divisible by groups", in % groups ? "in" : "out");
        return NULL;
    }
    kt_module *m = kt_module_make(&type);
    if (m) {
        *(conv *)kt_module_own(m) = (conv){in, kernel, o.stride ? o.stride : 1, o.padding, o.dilation ? o.dilation : 1, groups};
        add_affine(m, KT_SHAPE(out, in / groups, kernel, kernel), in / groups * kernel * kernel, !o.no_bias);
    }
    return complete(m);
}

/* ---- embedding ---- */

static kt_tensor *embedding_forward(kt_module *m, kt_tensor *const *in, int n)
{
    (void)n;
    return kt_embedding(part(m, "weight"), in[0]);
}

static void embedding_describe(const kt_module *m, char *text, size_t room)
{
    const kt_shape s = kt_sizes(part(m, "weight"));
    snprintf(text, room, "%lld, %lld", (long long)s.d[0], (long long)s.d[1]);
}

kt_module *kt_make_embedding(int64_t rows, int64_t width)
{
    static const kt_module_type type = {.size = sizeof type, .name = "Embedding", .forward = embedding_forward,
                                        .describe = embedding_describe};
    kt_module *m = are_positive("Embedding", rows, width) ? kt_module_make(&type) : NULL;
    if (m) {
        KT_SCOPE;
        KT_NO_GRAD;
        kt_tensor *t = kt_empty(KT_SHAPE(rows, width));
        kt_normal_(t);
        kt_module_add_parameter(m, "weight", t);
    }
    return complete(m);
}

/* ---- norms ---- */

static kt_tensor *layer_norm_forward(kt_module *m, kt_tensor *const *in, int n)
{
    (void)n;
    kt_tensor *weight = part(m, "weight");
    return kt_layer_norm(in[0], kt_sizes(weight), .weight = weight, .bias = part(m, "bias"));
}

static void layer_norm_describe(const kt_module *m, char *text, size_t room)
{
    snprintf(text, room, "(%lld,), eps=1e-05, elementwise_affine=True", (long long)kt_sizes(part(m, "weight")).d[0]);
}

kt_module *kt_make_layer_norm(int64_t width)
{
    static const kt_module_type type = {.size = sizeof type, .name = "LayerNorm", .forward = layer_norm_forward,
                                        .describe = layer_norm_describe};
    kt_module *m = are_positive("LayerNorm", width, 1) ? kt_module_make(&type) : NULL;
    if (m) {
        add_constant(m, "weight", width, 1, true);
        add_constant(m, "bias", width, 0, true);
    }
    return complete(m);
}

static kt_tensor *batch_norm_forward(kt_module *m, kt_tensor *const *in, int n)
{
    (void)n;
    const bool training = kt_module_is_training(m);
    if (training) {
        KT_NO_GRAD;
        kt_add_s_(part(m, "num_batches_tracked"), KT_INT(1));
    }
    return kt_nn_batch_norm(in[0], part(m, "running_mean"), part(m, "running_var"), .weight = part(m, "weight"),
                            .bias = part(m, "bias"), .training = training);
}

static void batch_norm_describe(const kt_module *m, char *text, size_t room)
{
    snprintf(text, room, "%lld, eps=1e-05, momentum=0.1, affine=True, track_running_stats=True",
             (long long)kt_sizes(part(m, "weight")).d[0]);
}

kt_module *kt_make_batch_norm2d(int64_t channels)
{
    static const kt_module_type type = {.size = sizeof type, .name = "BatchNorm2d", .forward = batch_norm_forward,
                                        .describe = batch_norm_describe};
    kt_module *m = are_positive("BatchNorm2d", channels, 1) ? kt_module_make(&type) : NULL;
    if (m) {
        KT_SCOPE;
        add_constant(m, "weight", channels, 1, true);
        add_constant(m, "bias", channels, 0, true);
        add_constant(m, "running_mean", channels, 0, false);
        add_constant(m, "running_var", channels, 1, false);
        kt_module_add_buffer(m, "num_batches_tracked", kt_zeros(KT_SCALAR, .dtype = KT_I64), true);
    }
    return complete(m);
}

/* ---- without parameters ---- */

static kt_tensor *dropout_forward(kt_module *m, kt_tensor *const *in, int n)
{
    (void)n;
    return kt_dropout(in[0], *(const double *)kt_module_own(m), kt_module_is_training(m));
}

static void dropout_describe(const kt_module *m, char *text, size_t room)
{
    snprintf(text, room, "p=%g, inplace=False", *(const double *)kt_module_own(m));
}

kt_module *kt_make_dropout(double p)
{
    static const kt_module_type type = {.size = sizeof type, .name = "Dropout", .forward = dropout_forward,
                                        .describe = dropout_describe, .own_bytes = sizeof(double)};
    if (!(p >= 0 && p <= 1)) {
        kt_fail(KT_ERR_VALUE, "dropout probability has to be between 0 and 1, but got %g", p);
        return NULL;
    }
    kt_module *m = kt_module_make(&type);
    if (m)
        *(double *)kt_module_own(m) = p;
    return m;
}

static kt_tensor *max_pool_forward(kt_module *m, kt_tensor *const *in, int n)
{
    (void)n;
    return kt_max_pool2d(in[0], KT_SHAPE(*(const int64_t *)kt_module_own(m)));
}

static void max_pool_describe(const kt_module *m, char *text, size_t room)
{
    const long long k = *(const int64_t *)kt_module_own(m);
    snprintf(text, room, "kernel_size=%lld, stride=%lld, padding=0, dilation=1, ceil_mode=False", k, k);
}

kt_module *kt_make_max_pool2d(int64_t kernel)
{
    static const kt_module_type type = {.size = sizeof type, .name = "MaxPool2d", .forward = max_pool_forward,
                                        .describe = max_pool_describe, .own_bytes = sizeof(int64_t)};
    kt_module *m = are_positive("MaxPool2d", kernel, 1) ? kt_module_make(&type) : NULL;
    if (m)
        *(int64_t *)kt_module_own(m) = kernel;
    return m;
}

static kt_tensor *flatten_forward(kt_module *m, kt_tensor *const *in, int n)
{
    (void)m, (void)n;
    return kt_flatten(in[0], .start_dim = 1);
}

static void flatten_describe(const kt_module *m, char *text, size_t room)
{
    (void)m;
    snprintf(text, room, "start_dim=1, end_dim=-1");
}

kt_module *kt_make_flatten(void)
{
    static const kt_module_type type = {.size = sizeof type, .name = "Flatten", .forward = flatten_forward,
                                        .describe = flatten_describe};
    return kt_module_make(&type);
}

static kt_tensor *relu_forward(kt_module *m, kt_tensor *const *in, int n) { return (void)m, (void)n, kt_relu(in[0]); }
static kt_tensor *gelu_forward(kt_module *m, kt_tensor *const *in, int n) { return (void)m, (void)n, kt_gelu(in[0]); }
static kt_tensor *tanh_forward(kt_module *m, kt_tensor *const *in, int n) { return (void)m, (void)n, kt_tanh(in[0]); }

static void gelu_describe(const kt_module *m, char *text, size_t room)
{
    (void)m;
    snprintf(text, room, "approximate='none'");
}

kt_module *kt_make_relu(void)
{
    static const kt_module_type type = {.size = sizeof type, .name = "ReLU", .forward = relu_forward};
    return kt_module_make(&type);
}

kt_module *kt_make_gelu(void)
{
    static const kt_module_type type = {.size = sizeof type, .name = "GELU", .forward = gelu_forward, .describe = gelu_describe};
    return kt_module_make(&type);
}

kt_module *kt_make_tanh(void)
{
    static const kt_module_type type = {.size = sizeof type, .name = "Tanh", .forward = tanh_forward};
    return kt_module_make(&type);
}

/* ---- attention of a sequence to itself ---- */

typedef struct attention {
    int64_t heads;
    bool    causal;
} attention;

static kt_tensor *attention_forward(kt_module *m, kt_tensor *const *in, int n)
{
    (void)n;
    KT_SCOPE;
    const attention *a = kt_module_own(m);
    kt_tensor       *all = kt_module_call(kt_module_child(m, "qkv"), in[0]), *head[3] = {NULL};
    if (!all)
        return NULL;
    const kt_shape s = kt_sizes(all);
    if (s.n != 3) {
        kt_fail(KT_ERR_RUNTIME, "attention expects an input of 3 dims (N, T, width), got %lld", (long long)s.n);
        return NULL;
    }
    const int64_t batch = s.d[0], length = s.d[1], width = s.d[2] / 3;
    for (int i = 0; i < 3; i++) {
        kt_tensor *third = kt_narrow(all, 2, i * width, width);
        head[i] = kt_transpose(kt_reshape(third, KT_SHAPE(batch, length, a->heads, width / a->heads)), 1, 2);
    }
    kt_tensor *mixed = kt_scaled_dot_product_attention(head[0], head[1], head[2], .is_causal = a->causal);
    kt_tensor *joined = kt_reshape(kt_transpose(mixed, 1, 2), KT_SHAPE(batch, length, width));
    return kt_escape(kt_module_call(kt_module_child(m, "out"), joined));
}

static void attention_describe(const kt_module *m, char *text, size_t room)
{
    const attention *a = kt_module_own(m);
    snprintf(text, room, "heads=%lld, causal=%s", (long long)a->heads, a->causal ? "True" : "False");
}

kt_module *kt_make_attention(int64_t width, int64_t heads, bool causal)
{
    static const kt_module_type type = {.size = sizeof type, .name = "Attention", .forward = attention_forward,
                                        .describe = attention_describe, .own_bytes = sizeof(attention)};
    if (!are_positive("Attention", width, heads))
        return NULL;
    if (width % heads) {
        kt_fail(KT_ERR_VALUE, "Attention: the width (%lld) must be divisible by the number of heads (%lld)", (long long)width,
                (long long)heads);
        return NULL;
    }
    kt_module *m = kt_module_make(&type);
    if (m) {
        *(attention *)kt_module_own(m) = (attention){heads, causal};
        kt_module_add(m, "qkv", kt_make_linear(width, 3 * width, true));
        kt_module_add(m, "out", kt_make_linear(width, width, true));
    }
    return complete(m);
}

/* ---- one after the other ---- */

static kt_tensor *sequence_forward(kt_module *m, kt_tensor *const *in, int n)
{
    (void)n;
    kt_tensor *x = in[0];
    for (int64_t i = 0; i < m->n && x; i++)
        x = kt_module_call(m->entry[i].child, x);
    return x;
}

kt_module *kt_make_sequence(kt_module *const *modules, int64_t n)
{
    static const kt_module_type type = {.size = sizeof type, .name = "Sequential", .forward = sequence_forward};
    if (n < 0 || n > KT__MOST_ENTRIES || (n && !modules)) {
        kt_fail(KT_ERR_VALUE, "Sequential: a pointer and a number of modules are expected");
        return NULL;
    }
    kt_module *m = kt_module_make(&type);
    for (int64_t i = 0; i < n; i++) {
        char name[24];
        snprintf(name, sizeof name, "%lld", (long long)i);
        if (m && !kt_failed())
            kt_module_add(m, name, modules[i]);
        else
            kt_module_drop(modules[i]);
    }
    return complete(m);
}
