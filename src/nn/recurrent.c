/* recurrent.c - layers that go along a sequence: LSTM and GRU.
 *
 * In: widths, options. Out: modules; a call gives what every step gave. Independent of: how the steps are calculated. */
#include "nn/layer.h"

#include <math.h>
#include <stdio.h>

enum { MOST_LAYERS = 64, MOST_WIDTH = 1 << 28, LSTM_GATES = 4, GRU_GATES = 3, KINDS = 4 };

typedef struct recurrent {
    int64_t in, hidden, layers;
    double  dropout;
    bool    bias, batch_first, both_ways;
} recurrent;

/* The parameters in the order of the rows lstm and gru: layer by layer, each direction, weights before biases. */
static int64_t weights_of(const kt_module *m, const recurrent *r, kt_tensor **out)
{
    static const char *const names[KINDS] = {"weight_ih", "weight_hh", "bias_ih", "bias_hh"};
    int64_t                  n = 0;
    for (int64_t layer = 0; layer < r->layers; layer++)
        for (int way = 0; way < 1 + r->both_ways; way++)
            for (int k = 0; k < (r->bias ? 4 : 2); k++) {
                char name[48];
                snprintf(name, sizeof name, "%s_l%lld%s", names[k], (long long)layer, way ? "_reverse" : "");
                out[n++] = kt__part(m, name);
            }
    return n;
}

/* h, or h and c: what the caller gave, or zeros. */
static kt_status states_of(const recurrent *r, kt_tensor *const *in, int n, int wanted, kt_tensor **state)
{
    const int64_t batch = kt_ndim(in[0]) == 3 ? kt_size(in[0], r->batch_first ? 0 : 1) : 0;
    if (kt_ndim(in[0]) != 3)
        return kt_fail(KT_ERR_RUNTIME, "input must have 3 dimensions, got %lld", (long long)kt_ndim(in[0]));
    if (kt_size(in[0], 2) != r->in)
        return kt_fail(KT_ERR_RUNTIME, "input.size(-1) must be equal to input_size. Expected %lld, got %lld", (long long)r->in,
                       (long long)kt_size(in[0], 2));
    if (n != 1 && n != 1 + wanted)
        return kt_fail(KT_ERR_VALUE, "the layer takes a sequence, or a sequence and %d states, not %d inputs", wanted, n);
    for (int i = 0; i < wanted; i++)
        state[i] = n > 1 ? in[1 + i]
                         : kt_zeros(KT_SHAPE(r->layers * (1 + r->both_ways), batch, r->hidden), .dtype = kt_dtype_of(in[0]),
                                    .device = kt_device_of(in[0]));
    return kt_failed() ? kt_error_status() : KT_OK;
}

static kt_tensor *lstm_forward(kt_module *m, kt_tensor *const *in, int n)
{
    KT_SCOPE;
    const recurrent *r = kt_module_own(m);
    kt_tensor       *state[2], *weights[2 * MOST_LAYERS * KINDS];
    if (states_of(r, in, n, 2, state))
        return NULL;
    const int64_t n_weights = weights_of(m, r, weights);
    return kt_escape(kt_lstm(in[0], state, 2, weights, n_weights, r->bias, r->layers, r->dropout, kt_module_is_training(m),
                             r->both_ways, r->batch_first).output);
}

static kt_tensor *gru_forward(kt_module *m, kt_tensor *const *in, int n)
{
    KT_SCOPE;
    const recurrent *r = kt_module_own(m);
    kt_tensor       *state[1], *weights[2 * MOST_LAYERS * KINDS];
    if (states_of(r, in, n, 1, state))
        return NULL;
    const int64_t n_weights = weights_of(m, r, weights);
    return kt_escape(kt_gru(in[0], state[0], weights, n_weights, r->bias, r->layers, r->dropout, kt_module_is_training(m),
                            r->both_ways, r->batch_first).output);
}

static void describe(const kt_module *m, char *text, size_t room)
{
    const recurrent *r = kt_module_own(m);
    char             layers[40] = "", dropout[40] = "";
    if (r->layers != 1)
        snprintf(layers, sizeof layers, ", num_layers=%lld", (long long)r->layers);
    if (r->dropout != 0)
        snprintf(dropout, sizeof dropout, ", dropout=%g", r->dropout);
    snprintf(text, room, "%lld, %lld%s%s%s%s%s", (long long)r->in, (long long)r->hidden, layers, r->bias ? "" : ", bias=False",
             r->batch_first ? ", batch_first=True" : "", dropout, r->both_ways ? ", bidirectional=True" : "");
}

/* All are uniform within 1 / sqrt(hidden). */
static void add_layer(kt_module *m, const recurrent *r, int64_t layer, const char *suffix, int64_t rows)
{
    static const char *const names[KINDS] = {"weight_ih", "weight_hh", "bias_ih", "bias_hh"};
    const int64_t            in = layer ? r->hidden * (1 + r->both_ways) : r->in;
    for (int k = 0; k < (r->bias ? 4 : 2); k++) {
        char name[48];
        snprintf(name, sizeof name, "%s_l%lld%s", names[k], (long long)layer, suffix);
        const kt_shape shape = k > 1 ? KT_SHAPE(rows) : KT_SHAPE(rows, k ? r->hidden : in);
        kt__add_uniform(m, name, shape, 1 / sqrt((double)r->hidden));
    }
}

static kt_module *make(const kt_module_type *type, int64_t in, int64_t hidden, const kt_recurrent_options *options, int64_t gates)
{
    const kt_recurrent_options o = options ? *options : (kt_recurrent_options){.size = sizeof o};
    const recurrent            r = {in, hidden, o.layers ? o.layers : 1, o.dropout, !o.no_bias, o.batch_first, o.bidirectional};
    if (!kt__are_positive(type->name, in, hidden))
        return NULL;
    if (hidden > MOST_WIDTH || r.layers < 1 || r.layers > MOST_LAYERS || !(r.dropout >= 0 && r.dropout <= 1)) {
        kt_fail(KT_ERR_VALUE, "%s: 1 to %d layers of at most %d units and a dropout from 0 to 1 are expected", type->name,
                MOST_LAYERS, MOST_WIDTH);
        return NULL;
    }
    kt_module *m = kt_module_make(type);
    if (m) {
        *(recurrent *)kt_module_own(m) = r;
        for (int64_t layer = 0; layer < r.layers; layer++)
            for (int way = 0; way < 1 + r.both_ways; way++)
                add_layer(m, &r, layer, way ? "_reverse" : "", gates * hidden);
    }
    return kt__complete(m);
}

kt_module *kt_make_lstm(int64_t in, int64_t hidden, const kt_recurrent_options *options)
{
    static const kt_module_type type = {.size = sizeof type, .name = "LSTM", .forward = lstm_forward, .describe = describe,
                                        .own_bytes = sizeof(recurrent)};
    return make(&type, in, hidden, options, LSTM_GATES);
}

kt_module *kt_make_gru(int64_t in, int64_t hidden, const kt_recurrent_options *options)
{
    static const kt_module_type type = {.size = sizeof type, .name = "GRU", .forward = gru_forward, .describe = describe,
                                        .own_bytes = sizeof(recurrent)};
    return make(&type, in, hidden, options, GRU_GATES);
}
