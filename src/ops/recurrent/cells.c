/* cells.c - one step of an LSTM, a GRU or an rnn. In: calls of the four rows, and steps that other bodies make of dtypes which
 * the kernel of a whole sequence does not take. Out: operators, so that every dtype that they take is served.
 *
 * S. Hochreiter and J. Schmidhuber, Long Short-Term Memory (1997), with the forget gate of F. A. Gers et al. (2000); the gated
 * unit of K. Cho et al. (2014), its reset after the product; projections: H. Sak et al. (2014). */
#include "ops/recurrent/recurrent.h"

/* ---- the step ---- */

static bool split_gates(kt_tensor *gates, int n, kt_tensor **to)
{
    if (!gates)
        return false;
    const int64_t parts = kt_chunk(gates, n, to, n, .dim = 1);
    if (parts >= 0 && parts < n)
        kt_fail(KT_ERR_RUNTIME, "gates %s cannot be split into %d along dim 1", KT__SIZES_TEXT(gates), n);
    return parts == n;
}

/* PyTorch adds what the input gives to what the state gives, in place. */
static kt_tensor *both_gates(kt_tensor *from_state, kt_tensor *from_input)
{
    kt_tensor *sum = kt_add(from_state, from_input);
    if (sum && !kt__same_sizes(sum, from_state)) {
        kt_fail(KT_ERR_RUNTIME, "output with shape %s doesn't match the broadcast shape %s", KT__SIZES_TEXT(from_state),
                KT__SIZES_TEXT(sum));
        return NULL;
    }
    return sum;
}

static kt_tensor *step_lstm(kt_tensor *gates, kt_tensor **cell)
{
    kt_tensor *x[4];
    if (!split_gates(gates, 4, x))
        return NULL;
    *cell = kt_add(kt_mul(kt_sigmoid(x[1]), *cell), kt_mul(kt_sigmoid(x[0]), kt_tanh(x[2])));
    return kt_mul(kt_sigmoid(x[3]), kt_tanh(*cell));
}

static kt_tensor *step_gru(kt_tensor *from_input, kt_tensor *from_state, kt_tensor *state)
{
    kt_tensor *x[3], *h[3];
    if (!split_gates(from_input, 3, x) || !split_gates(from_state, 3, h))
        return NULL;
    kt_tensor *reset = kt_sigmoid(kt_add(h[0], x[0])), *update = kt_sigmoid(kt_add(h[1], x[1]));
    kt_tensor *new = kt_tanh(kt_add(x[2], kt_mul(h[2], reset)));
    return kt_add(kt_mul(kt_sub(state, new), update), new);
}

kt_tensor *kt__step(int mode, kt_tensor *from_input, kt_tensor *from_state, kt_tensor *state, kt_tensor **cell)
{
    if (mode == KT__GRU)
        return step_gru(from_input, from_state, state);
    kt_tensor *gates = both_gates(from_state, from_input);
    return !gates ? NULL : mode == KT__LSTM ? step_lstm(gates, cell) : mode == KT__RNN_TANH ? kt_tanh(gates) : kt_relu(gates);
}

/* ---- rows ---- */

enum { INPUT, HX, W_IH, W_HH, B_IH, B_HH };

static kt_status has_columns(const kt_tensor *t)
{
    if (t->ndim == 0)
        return kt_fail(KT_ERR_INDEX, "Dimension specified as 1 but tensor has no dimensions");
    return t->ndim > 1 ? KT_OK
                       : kt_fail(KT_ERR_INDEX, "Dimension out of range (expected to be in range of [-1, 0], but got 1)");
}

static kt_status check_input(const kt_call *call)
{
    const kt_tensor *input = call->arg[INPUT].t, *w_ih = call->arg[W_IH].t;
    if (has_columns(input) || has_columns(w_ih))
        return kt_error_status();
    if (input->sizes[1] != w_ih->sizes[1])
        return kt_fail(KT_ERR_RUNTIME, "input has inconsistent input_size: got %lld expected %lld", (long long)input->sizes[1],
                       (long long)w_ih->sizes[1]);
    return KT_OK;
}

static kt_status check_hidden(const kt_call *call, const kt_tensor *h, int which)
{
    const kt_tensor *input = call->arg[INPUT].t, *w_hh = call->arg[W_HH].t;
    if (has_columns(w_hh))
        return kt_error_status();
    if (h->ndim == 0)
        return kt_fail(KT_ERR_INDEX, "Dimension specified as 0 but tensor has no dimensions");
    if (input->sizes[0] != h->sizes[0])
        return kt_fail(KT_ERR_RUNTIME, "Input batch size %lld doesn't match hidden%d batch size %lld", (long long)input->sizes[0],
                       which, (long long)h->sizes[0]);
    if (has_columns(h))
        return kt_error_status();
    if (h->sizes[1] != w_hh->sizes[1])
        return kt_fail(KT_ERR_RUNTIME, "hidden%d has inconsistent hidden_size: got %lld, expected %lld", which,
                       (long long)h->sizes[1], (long long)w_hh->sizes[1]);
    return KT_OK;
}

static kt_status check_weights(const kt_call *call, int gates)
{
    const kt_tensor *w[] = {call->arg[W_IH].t, call->arg[W_HH].t};
    if (has_columns(w[1]))
        return kt_error_status();
    if (w[0]->ndim == 0)
        return kt_fail(KT_ERR_INDEX, "Dimension specified as 0 but tensor has no dimensions");
    const int64_t units = w[1]->sizes[1];
    for (int i = 0; i < 2; i++)
        if (w[i]->sizes[0] != gates * units)
            return kt_fail(KT_ERR_RUNTIME, "weight_%s first dim must be %d * hidden_size = %lld, but got %lld", i ? "hh" : "ih",
                           gates, (long long)(gates * units), (long long)w[i]->sizes[0]);
    return KT_OK;
}

/* Each kind of cell has an order of its own in PyTorch. */
static kt_status check_cell(const kt_call *call, int mode, const kt_tensor *h, const kt_tensor *c)
{
    const int gates = kt__recurrence_gates(mode);
    if (mode == KT__GRU)
        return check_input(call) || check_hidden(call, h, 0) || check_weights(call, gates) ? kt_error_status() : KT_OK;
    if (mode != KT__LSTM)
        return check_weights(call, gates) || check_input(call) || check_hidden(call, h, 0) ? kt_error_status() : KT_OK;
    return has_columns(call->arg[W_HH].t) || check_input(call) || check_weights(call, gates) || check_hidden(call, h, 0) ||
                   check_hidden(call, c, 1)
               ? kt_error_status()
               : KT_OK;
}

/* What the gates are made of: a product is refused if its own operands do not have one dtype, and where that is bool. */
static kt_status cast_mixes(kt_tensor **t)
{
    enum { OF_A_PRODUCT = 3, OF_BOTH = 6, ALL = 7 };
    const bool refused = kt__is_mix(t, OF_A_PRODUCT) || kt__is_mix(t + OF_A_PRODUCT, OF_A_PRODUCT) ||
                         (kt__any_is(t, OF_BOTH, KT_CAT_BOOL) && kt__is_mix(t, OF_BOTH));
    return refused ? kt__cast_together(t, ALL) : KT_OK;
}

static kt_status run_cell(kt_call *call, int mode)
{
    KT_SCOPE;
    const bool cells = mode == KT__LSTM;
    if (cells && call->arg[HX].ts.n != 2)
        return kt_fail(KT_ERR_RUNTIME, "lstm_cell expects two hidden states");
    kt_tensor *h = cells ? call->arg[HX].ts.t[0] : call->arg[HX].t, *c = cells ? call->arg[HX].ts.t[1] : NULL;
    kt_tensor *b_ih = kt__given(call, B_IH) ? call->arg[B_IH].t : NULL, *b_hh = kt__given(call, B_HH) ? call->arg[B_HH].t : NULL;
    if (check_cell(call, mode, h, c))
        return kt_error_status();
    enum { X, X_WEIGHT, X_BIAS, STATE, WEIGHT, BIAS, CELL };
    kt_tensor *t[] = {call->arg[INPUT].t, call->arg[W_IH].t, b_ih, h, call->arg[W_HH].t, b_hh, c};
    if (cast_mixes(t))
        return kt_error_status();
    /* the input's come first in a GRU's cell alone */
    kt_tensor *first = mode == KT__GRU ? kt_linear(t[X], t[X_WEIGHT], .bias = t[X_BIAS]) : NULL;
    kt_tensor *from_state = mode != KT__GRU || first ? kt_linear(t[STATE], t[WEIGHT], .bias = t[BIAS]) : NULL;
    kt_tensor *from_input = first || !from_state ? first : kt_linear(t[X], t[X_WEIGHT], .bias = t[X_BIAS]);
    c = t[CELL];
    h = from_state && from_input ? kt__step(mode, from_input, from_state, t[STATE], &c) : NULL;
    if (!h)
        return kt_error_status();
    return cells ? kt__end_several(call, (kt_tensor *[]){h, c}, 2) : kt__end(call, h);
}

kt_status kt__body_lstm_cell(kt_call *call) { return run_cell(call, KT__LSTM); }
kt_status kt__body_gru_cell(kt_call *call) { return run_cell(call, KT__GRU); }
kt_status kt__body_rnn_tanh_cell(kt_call *call) { return run_cell(call, KT__RNN_TANH); }
kt_status kt__body_rnn_relu_cell(kt_call *call) { return run_cell(call, KT__RNN_RELU); }
