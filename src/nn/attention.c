/* attention.c - layers in which the places of a sequence look at one another: attention, and the layer of a transformer.
 *
 * In: widths, numbers of heads. Out: modules. Independent of: how attention is calculated. */
#include "nn/layer.h"

#include <math.h>
#include <stdio.h>

enum { MOST_WIDTH = 1 << 28 };

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
    if (!kt__are_positive("Attention", width, heads))
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
    return kt__complete(m);
}

/* ---- PyTorch's MultiheadAttention ---- */

typedef struct multihead {
    int64_t width, heads;
    double  dropout;
    bool    batch_first, causal;
} multihead;

/* [length, batch, width] of the input of rank 3, whatever its order. */
static kt_tensor *by_place(const multihead *a, kt_tensor *x)
{
    if (kt_ndim(x) != 3 || kt_size(x, 2) != a->width) {
        kt_fail(KT_ERR_RUNTIME, "attention expects an input of 3 dims with %lld elements in the last", (long long)a->width);
        return NULL;
    }
    return a->batch_first ? kt_transpose(x, 1, 0) : x;
}

/* [batch, heads, length, width of a head] */
static kt_tensor *in_heads(const multihead *a, kt_tensor *x)
{
    const int64_t    length = kt_size(x, 0), batch = kt_size(x, 1), head = a->width / a->heads;
    kt_tensor *const side = kt_transpose(kt_reshape(x, KT_SHAPE(length, batch * a->heads, head)), 0, 1);
    return kt_reshape(side, KT_SHAPE(batch, a->heads, length, head));
}

/* Queries, and keys and values: one input is all three, of two the second is keys and values. */
static kt_tensor *multihead_forward(kt_module *m, kt_tensor *const *in, int n)
{
    KT_SCOPE;
    const multihead *a = kt_module_own(m);
    kt_tensor       *x[3], *made[3] = {NULL};
    for (int i = 0; i < 3; i++) {
        const int from = i < n ? i : n - 1;
        x[i] = from < i ? x[from] : by_place(a, in[from]);
        if (!x[i])
            return NULL;
    }
    kt_tensor *weight = kt__part(m, "in_proj_weight"), *bias = kt__part(m, "in_proj_bias");
    if (n == 1) {
        kt_tensor *all = kt_linear(x[0], weight, .bias = bias);
        for (int i = 0; i < 3; i++)
            made[i] = in_heads(a, kt_contiguous(kt_narrow(all, 2, i * a->width, a->width)));
    } else {
        for (int i = 0; i < 3; i++)
            made[i] = in_heads(a, kt_linear(x[i], kt_narrow(weight, 0, i * a->width, a->width),
                                            .bias = bias ? kt_narrow(bias, 0, i * a->width, a->width) : NULL));
    }
    if (kt_failed())
        return NULL;
    const int64_t length = kt_size(x[0], 0), batch = kt_size(x[0], 1);
    kt_tensor    *mixed = kt_scaled_dot_product_attention(made[0], made[1], made[2], .is_causal = a->causal,
                                                          .dropout_p = kt_module_is_training(m) ? a->dropout : 0);
    kt_tensor    *joined = kt_reshape(kt_contiguous(kt_permute(mixed, KT_SHAPE(2, 0, 1, 3))), KT_SHAPE(length * batch, a->width));
    kt_tensor    *result = kt_module_call(kt_module_child(m, "out_proj"), joined);
    result = kt_reshape(result, KT_SHAPE(length, batch, a->width));
    return kt_escape(a->batch_first ? kt_transpose(result, 1, 0) : result);
}

kt_module *kt_make_multihead_attention(int64_t width, int64_t heads, const kt_attention_options *options)
{
    static const kt_module_type type = {.size = sizeof type, .name = "MultiheadAttention", .forward = multihead_forward,
                                        .own_bytes = sizeof(multihead)};
    const kt_attention_options o = options ? *options : (kt_attention_options){.size = sizeof o};
    if (kt_failed())
        return NULL;
    if (width < 1 || heads < 1 || width > MOST_WIDTH) {
        kt_fail(KT_ERR_VALUE, "embed_dim and num_heads must be greater than 0, got embed_dim=%lld and num_heads=%lld instead",
                (long long)width, (long long)heads);
        return NULL;
    }
    if (width % heads) {
        kt_fail(KT_ERR_ASSERTION, "embed_dim must be divisible by num_heads");
        return NULL;
    }
    kt_module *m = kt_module_make(&type);
    if (m) {
        *(multihead *)kt_module_own(m) = (multihead){width, heads, o.dropout, o.batch_first, o.causal};
        kt_module *out = kt_make_linear(width, width, !o.no_bias); /* drawn first, as in PyTorch, though it stands last */
        kt__add_uniform(m, "in_proj_weight", KT_SHAPE(3 * width, width), sqrt(3.0) * sqrt(2.0 / (double)(4 * width)));
        if (!o.no_bias) {
            KT_NO_GRAD;
            kt__add_constant(m, "in_proj_bias", 3 * width, 0, true);
            kt_zero_(kt_module_tensor(out, "bias"));
        }
        kt_module_add(m, "out_proj", out);
    }
    return kt__complete(m);
}

/* ---- the layer of a transformer ---- */

typedef struct encoder {
    bool norm_first, gelu;
} encoder;

static kt_tensor *through(kt_module *m, const char *child, kt_tensor *x) { return kt_module_call(kt_module_child(m, child), x); }

static kt_tensor *attend(kt_module *m, kt_tensor *x) { return through(m, "dropout1", through(m, "self_attn", x)); }

static kt_tensor *feed(kt_module *m, kt_tensor *x)
{
    const encoder *e = kt_module_own(m);
    x = through(m, "linear1", x);
    x = through(m, "dropout", e->gelu ? kt_gelu(x) : kt_relu(x));
    return through(m, "dropout2", through(m, "linear2", x));
}

/* What `inner` adds to its input, with a norm before it or after the sum. */
static kt_tensor *around(kt_module *m, const char *norm, kt_tensor *(*inner)(kt_module *, kt_tensor *), kt_tensor *x)
{
    const encoder *e = kt_module_own(m);
    return e->norm_first ? kt_add(x, inner(m, through(m, norm, x))) : through(m, norm, kt_add(x, inner(m, x)));
}

static kt_tensor *encoder_forward(kt_module *m, kt_tensor *const *in, int n)
{
    (void)n;
    KT_SCOPE;
    return kt_escape(around(m, "norm2", feed, around(m, "norm1", attend, in[0])));
}

kt_module *kt_make_transformer_encoder_layer(int64_t width, int64_t heads, const kt_transformer_options *options)
{
    static const kt_module_type type = {.size = sizeof type, .name = "TransformerEncoderLayer", .forward = encoder_forward,
                                        .own_bytes = sizeof(encoder)};
    const kt_transformer_options o = options ? *options : (kt_transformer_options){.size = sizeof o};
    const double                 dropout = o.dropout.some ? o.dropout.v : 0.1;
    const int64_t                inner = o.feedforward ? o.feedforward : 2048;
    const kt_attention_options   within = {.size = sizeof within, .dropout = dropout, .batch_first = o.batch_first,
                                           .causal = o.causal};
    if (!kt__are_positive("TransformerEncoderLayer", width, inner))
        return NULL;
    kt_module *m = kt_module_make(&type);
    if (m) {
        *(encoder *)kt_module_own(m) = (encoder){o.norm_first, o.gelu};
        kt_module_add(m, "self_attn", kt_make_multihead_attention(width, heads, &within));
        kt_module_add(m, "linear1", kt_make_linear(width, inner, true));
        kt_module_add(m, "dropout", kt_make_dropout(dropout));
        kt_module_add(m, "linear2", kt_make_linear(inner, width, true));
        kt_module_add(m, "norm1", kt_make_layer_norm(width));
        kt_module_add(m, "norm2", kt_make_layer_norm(width));
        kt_module_add(m, "dropout1", kt_make_dropout(dropout));
        kt_module_add(m, "dropout2", kt_make_dropout(dropout));
    }
    return kt__complete(m);
}
