/* layers.c - the layers that networks, convolutional networks and transformers are made of.
 *
 * In: sizes and options. Out: modules whose parameters are drawn as PyTorch draws them. Independent of: trees, hooks. */
#include "base/str.h"
#include "nn/layer.h"

#include <stdio.h>

/* ---- linear ---- */

static kt_tensor *linear_forward(kt_module *m, kt_tensor *const *in, int n)
{
    (void)n;
    return kt_linear(in[0], kt__part(m, "weight"), .bias = kt__part(m, "bias"));
}

static void linear_describe(const kt_module *m, char *text, size_t room)
{
    const kt_shape s = kt_sizes(kt__part(m, "weight"));
    snprintf(text, room, "in_features=%lld, out_features=%lld, bias=%s", (long long)s.d[1], (long long)s.d[0],
             kt__part(m, "bias") ? "True" : "False");
}

kt_module *kt_make_linear(int64_t in, int64_t out, bool bias)
{
    static const kt_module_type type = {.size = sizeof type, .name = "Linear", .forward = linear_forward,
                                        .describe = linear_describe};
    kt_module *m = kt__are_positive("Linear", in, out) ? kt_module_make(&type) : NULL;
    if (m)
        kt__add_affine(m, KT_SHAPE(out, in), in, bias);
    return kt__complete(m);
}

/* ---- convolution ---- */

typedef struct conv {
    int64_t in, kernel, stride, padding, dilation, groups;
} conv;

static kt_tensor *conv_forward(kt_module *m, kt_tensor *const *in, int n)
{
    (void)n;
    const conv *c = kt_module_own(m);
    return kt_conv2d(in[0], kt__part(m, "weight"), .bias = kt__part(m, "bias"), .stride = KT_SHAPE(c->stride),
                     .padding = KT_SHAPE(c->padding), .dilation = KT_SHAPE(c->dilation), .groups = KT_SOME(c->groups));
}

static void conv_describe(const kt_module *m, char *text, size_t room)
{
    const conv *c = kt_module_own(m);
    kt__str     s = kt__str_in(text, room);
    kt__str_addf(&s, "%lld, %lld, kernel_size=(%lld, %lld), stride=(%lld, %lld)", (long long)c->in,
                 (long long)kt_sizes(kt__part(m, "weight")).d[0], (long long)c->kernel, (long long)c->kernel,
                 (long long)c->stride, (long long)c->stride);
    if (c->padding)
        kt__str_addf(&s, ", padding=(%lld, %lld)", (long long)c->padding, (long long)c->padding);
    if (c->dilation != 1)
        kt__str_addf(&s, ", dilation=(%lld, %lld)", (long long)c->dilation, (long long)c->dilation);
    if (c->groups != 1)
        kt__str_addf(&s, ", groups=%lld", (long long)c->groups);
    if (!kt__part(m, "bias"))
        kt__str_add(&s, ", bias=False");
}

kt_module *kt_make_conv2d(int64_t in, int64_t out, int64_t kernel, const kt_conv_options *options)
{
    static const kt_module_type type = {.size = sizeof type, .name = "Conv2d", .forward = conv_forward,
                                        .describe = conv_describe, .own_bytes = sizeof(conv)};
    const kt_conv_options o = options ? *options : (kt_conv_options){.size = sizeof o};
    const int64_t         groups = o.groups ? o.groups : 1;
    if (!kt__are_positive("Conv2d", in, out) || !kt__are_positive("Conv2d", kernel, groups))
        return NULL;
    if (in % groups || out % groups) {
        kt_fail(KT_ERR_VALUE, "%s_channels must be divisible by groups", in % groups ? "in" : "out");
        return NULL;
    }
    kt_module *m = kt_module_make(&type);
    if (m) {
        *(conv *)kt_module_own(m) = (conv){in, kernel, o.stride ? o.stride : 1, o.padding, o.dilation ? o.dilation : 1, groups};
        kt__add_affine(m, KT_SHAPE(out, in / groups, kernel, kernel), in / groups * kernel * kernel, !o.no_bias);
    }
    return kt__complete(m);
}

/* ---- embedding ---- */

static kt_tensor *embedding_forward(kt_module *m, kt_tensor *const *in, int n)
{
    (void)n;
    return kt_embedding(kt__part(m, "weight"), in[0]);
}

static void embedding_describe(const kt_module *m, char *text, size_t room)
{
    const kt_shape s = kt_sizes(kt__part(m, "weight"));
    snprintf(text, room, "%lld, %lld", (long long)s.d[0], (long long)s.d[1]);
}

kt_module *kt_make_embedding(int64_t rows, int64_t width)
{
    static const kt_module_type type = {.size = sizeof type, .name = "Embedding", .forward = embedding_forward,
                                        .describe = embedding_describe};
    kt_module *m = kt__are_positive("Embedding", rows, width) ? kt_module_make(&type) : NULL;
    if (m) {
        KT_SCOPE;
        KT_NO_GRAD;
        kt_tensor *t = kt_empty(KT_SHAPE(rows, width));
        kt_normal_(t);
        kt_module_add_parameter(m, "weight", t);
    }
    return kt__complete(m);
}

/* ---- norms ---- */

static kt_tensor *layer_norm_forward(kt_module *m, kt_tensor *const *in, int n)
{
    (void)n;
    kt_tensor *weight = kt__part(m, "weight");
    return kt_layer_norm(in[0], kt_sizes(weight), .weight = weight, .bias = kt__part(m, "bias"));
}

static void layer_norm_describe(const kt_module *m, char *text, size_t room)
{
    snprintf(text, room, "(%lld,), eps=1e-05, elementwise_affine=True", (long long)kt_sizes(kt__part(m, "weight")).d[0]);
}

kt_module *kt_make_layer_norm(int64_t width)
{
    static const kt_module_type type = {.size = sizeof type, .name = "LayerNorm", .forward = layer_norm_forward,
                                        .describe = layer_norm_describe};
    kt_module *m = kt__are_positive("LayerNorm", width, 1) ? kt_module_make(&type) : NULL;
    if (m) {
        kt__add_constant(m, "weight", width, 1, true);
        kt__add_constant(m, "bias", width, 0, true);
    }
    return kt__complete(m);
}

static kt_tensor *batch_norm_forward(kt_module *m, kt_tensor *const *in, int n)
{
    (void)n;
    const bool training = kt_module_is_training(m);
    if (training) {
        KT_NO_GRAD;
        kt_add_s_(kt__part(m, "num_batches_tracked"), KT_INT(1));
    }
    return kt_nn_batch_norm(in[0], kt__part(m, "running_mean"), kt__part(m, "running_var"), .weight = kt__part(m, "weight"),
                            .bias = kt__part(m, "bias"), .training = training);
}

static void batch_norm_describe(const kt_module *m, char *text, size_t room)
{
    snprintf(text, room, "%lld, eps=1e-05, momentum=0.1, affine=True, track_running_stats=True",
             (long long)kt_sizes(kt__part(m, "weight")).d[0]);
}

kt_module *kt_make_batch_norm2d(int64_t channels)
{
    static const kt_module_type type = {.size = sizeof type, .name = "BatchNorm2d", .forward = batch_norm_forward,
                                        .describe = batch_norm_describe};
    kt_module *m = kt__are_positive("BatchNorm2d", channels, 1) ? kt_module_make(&type) : NULL;
    if (m) {
        KT_SCOPE;
        kt__add_constant(m, "weight", channels, 1, true);
        kt__add_constant(m, "bias", channels, 0, true);
        kt__add_constant(m, "running_mean", channels, 0, false);
        kt__add_constant(m, "running_var", channels, 1, false);
        kt_module_add_buffer(m, "num_batches_tracked", kt_zeros(KT_SCALAR, .dtype = KT_I64), true);
    }
    return kt__complete(m);
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
    kt_module *m = kt__are_positive("MaxPool2d", kernel, 1) ? kt_module_make(&type) : NULL;
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
    return kt__complete(m);
}
