/* layers.c - recurrent layers, stacked and in one or two directions: LSTM, GRU, rnn. In: calls of their rows. Out: the product of
 * the input with its weights, for the whole sequence, and the row `recurrence`, for each layer and direction. Dtypes that its
 * kernel does not take (complex, integers) go step by step. */
#include "base/alloc.h"
#include "ops/recurrent/recurrent.h"

/* ---- states, step by step ---- */

kt_tensor *kt__states_before(kt_tensor *hx, kt_tensor *output, kt_shape batch_sizes, bool reverse)
{
    if (!hx || !output)
        return NULL;
    const int64_t steps = batch_sizes.n ? batch_sizes.n : output->sizes[0], columns = output->sizes[output->ndim - 1];
    if (!batch_sizes.n) {
        kt_tensor *first = kt_unsqueeze(hx, 0), *rest = kt_narrow(output, 0, reverse, steps - 1);
        return kt_reshape(kt_cat(((kt_tensor *[]){reverse ? rest : first, reverse ? first : rest}), 2), KT_SHAPE(-1, columns));
    }
    const int64_t rows = output->sizes[0], batch = hx->sizes[0];
    size_t        granted;
    int64_t      *index = kt__block_get((size_t)rows * sizeof *index, &granted);
    if (!index) {
        kt__fail_memory((size_t)rows * sizeof *index);
        return NULL;
    }
    for (int64_t t = 0, at = 0; t < steps; at += batch_sizes.d[t++])
        for (int64_t r = 0; r < batch_sizes.d[t] && at + r < rows; r++) {
            const bool begins = reverse ? t + 1 == steps || r >= batch_sizes.d[t + 1] : t == 0;
            index[at + r] = begins ? r : batch + r + (reverse ? at + batch_sizes.d[t] : at - batch_sizes.d[t - 1]);
        }
    kt_tensor *places = kt__scoped(kt__tensor_new(KT_I64, kt__device(output), KT_SHAPE(rows)));
    if (places && kt__fill_from(places, index))
        places = NULL;
    kt__block_put(index, granted);
    return places ? kt_index_select(kt_cat(((kt_tensor *[]){hx, output}), 2), 0, places) : NULL;
}

/* ---- a call ---- */

typedef struct layers {
    const kt_call    *call;
    int               mode;
    kt_tensor        *hx, *cx; /* [layers * directions, batch, size] */
    kt_tensor *const *params;
    int64_t           n_params, per_layer, num_layers, directions;
    bool              biases, projected, train, batch_first;
    double            dropout;
    kt_shape          sizes; /* of a packed sequence */
} layers;

static bool is_numeric(const kt_tensor *t) /* a dtype of the kernel */
{
    return t->dtype == KT_F32 || t->dtype == KT_F64 || t->dtype == KT_BF16 || t->dtype == KT_F16;
}

/* Rows of a step. */
static kt_tensor *step_of(const layers *l, kt_tensor *gates, int64_t t, int64_t at)
{
    return l->sizes.n ? kt_narrow(gates, 0, at, l->sizes.d[t]) : kt_select(gates, 0, t);
}

typedef struct run { /* of one layer in one direction */
    kt_tensor *output, *hy, *cy;
} run;

/* Of whole sequences alone: PyTorch's packed ones are floats. */
static run step_by_step(const layers *l, kt_tensor *gates, kt_tensor *h, kt_tensor *c, kt_tensor *w_hh, kt_tensor *b_hh,
                        kt_tensor *w_hr, bool reverse)
{
    const int64_t steps = gates->sizes[0];
    size_t        granted;
    kt_tensor   **out = kt__block_get((size_t)steps * sizeof *out, &granted);
    if (!out) {
        kt__fail_memory((size_t)steps * sizeof *out);
        return (run){0};
    }
    for (int64_t i = 0; i < steps; i++) {
        const int64_t t = reverse ? steps - 1 - i : i;
        h = kt__step(l->mode, step_of(l, gates, t, 0), kt_linear(h, w_hh, .bias = b_hh), h, &c);
        h = w_hr ? kt_linear(h, w_hr) : h;
        out[t] = h;
    }
    run r = {kt__failed() ? NULL : kt_stack(out, steps), h, c};
    kt__block_put(out, granted);
    return r;
}

static kt_tensor *as_dtype(kt_tensor *t, kt_dtype dtype, bool promotes)
{
    return !t || t->dtype == dtype || !promotes ? t : kt__converted(t, dtype, KT_WHY_PROMOTION);
}

/* What one layer in one direction is calculated from. */
typedef struct operands {
    kt_tensor *gates, *h, *c, *w_hh, *b_hh, *w_hr;
} operands;

/* Under autocast, of a row that lowers none of its tensors by itself: PyTorch's products lower what they are given, and the sum
 * with the state before has the wider dtype of both. Here that is the dtype of the whole recurrence. float64 is not cast, and
 * not multiplied by what is. */
static kt_status widen_under_autocast(operands *o)
{
    const bool     refused = (o->h->dtype == KT_F64) != (o->w_hh->dtype == KT_F64);
    const kt_dtype low = kt_autocast_dtype(kt_device_of(o->gates).kind);
    const kt_dtype dtype = refused ? low : kt_promote_types((kt_dtype)o->gates->dtype, (kt_dtype)(o->c ? o->c : o->h)->dtype);
    kt_tensor    **each[] = {&o->gates, &o->h, &o->c, &o->w_hh, &o->b_hh, &o->w_hr};
    for (size_t i = 0; i < sizeof each / sizeof *each; i++)
        if (*each[i] && kt__dtype_rows[(*each[i])->dtype].category & KT_CAT_FLOAT && (*each[i])->dtype != KT_F64 &&
            !(*each[i] = kt__converted_inside(*each[i], dtype, KT_WHY_AUTOCAST)))
            return kt_error_status();
    return KT_OK;
}

/* PyTorch multiplies first, and then takes any sizes that broadcast. */
static kt_status check_ranks(const layers *l, const kt_tensor *input)
{
    const int rank = l->sizes.n ? 2 : 3;
    if (input->ndim != rank)
        return kt_fail(KT_ERR_RUNTIME, "input must have %d dimensions, got %d", rank, input->ndim);
    return l->hx->ndim == 3 ? KT_OK : kt_fail(KT_ERR_RUNTIME, "Expected more hidden states in stacked_rnn");
}

static run run_one(const layers *l, kt_tensor *input, int64_t layer, int64_t direction)
{
    const int64_t     at = layer * l->directions + direction;
    kt_tensor *const *p = l->params + at * l->per_layer;
    operands o = {.h = kt_select(l->hx, 0, at), .c = l->cx ? kt_select(l->cx, 0, at) : NULL, .w_hh = p[1],
                  .b_hh = l->biases ? p[3] : NULL, .w_hr = l->projected ? p[l->per_layer - 1] : NULL};
    const bool apart = l->mode == KT__GRU; /* its b_hh stands inside a gate */
    kt_tensor *b_ih = l->biases ? p[2] : NULL, *bias = b_ih && !apart ? kt_add(b_ih, o.b_hh) : b_ih;
    o.gates = bias || !b_ih ? kt_linear(input, p[0], .bias = bias) : NULL;
    if (!o.gates || !o.h || check_ranks(l, input))
        return (run){0};
    const bool lowers = kt__mode_of_call(kt__mode(), input) & KT_M_AUTOCAST;
    if (lowers && widen_under_autocast(&o))
        return (run){0};
    const bool     permits = kt__policy(kt__mode()) == KT_PERMISSIVE;
    const kt_dtype dtype = (kt_dtype)o.gates->dtype;
    kt_tensor     *gates = o.gates, *h = as_dtype(o.h, dtype, permits), *c = as_dtype(o.c, dtype, true);
    kt_tensor     *w_hh = as_dtype(o.w_hh, dtype, permits), *b_hh = as_dtype(o.b_hh, dtype, permits);
    kt_tensor     *w_hr = as_dtype(o.w_hr, dtype, permits);
    if (kt__failed())
        return (run){0};
    if (!b_hh && h->dtype != w_hh->dtype) { /* a product of two; with a bias the recurrence's own check has addmm's words */
        kt__fail_dtype(NULL, KT_ERR_RUNTIME, "expected m1 and m2 to have the same dtype, but got: %s != %s",
                       kt_dtype_c_name((kt_dtype)h->dtype), kt_dtype_c_name((kt_dtype)w_hh->dtype));
        return (run){0};
    }
    if (!is_numeric(gates) && !l->sizes.n)
        return step_by_step(l, gates, h, c, w_hh, apart ? b_hh : NULL, w_hr, direction == 1);
    kt_tensor *hx[] = {h, c}, *weights[2] = {w_hh, apart ? b_hh : w_hr};
    const int  n_hx = c ? 2 : 1, n_weights = weights[1] ? 2 : 1;
    bool       recorded = kt__is_recorded(gates);
    for (int i = 0; i < 2; i++)
        recorded |= (i < n_hx && kt__is_recorded(hx[i])) || (i < n_weights && kt__is_recorded(weights[i]));
    const kt_recurrence_results r =
        kt_recurrence(gates, hx, n_hx, weights, n_weights, l->sizes, l->mode, direction == 1, recorded);
    if (lowers && w_hr && dtype != KT_F64) { /* a projection is a product */
        const kt_dtype low = kt_autocast_dtype(kt_device_of(gates).kind);
        kt_tensor     *output = kt__converted_inside(r.output, low, KT_WHY_AUTOCAST);
        return (run){output, kt__converted_inside(r.hy, low, KT_WHY_AUTOCAST), r.cy};
    }
    return (run){r.output, r.hy, l->cx ? r.cy : NULL};
}

static kt_status run_layers(kt_call *call, layers *l, kt_tensor *x)
{
    const int64_t n = l->num_layers * l->directions;
    size_t        granted;
    kt_tensor   **last = kt__block_get(2 * (size_t)n * sizeof *last, &granted);
    if (!last)
        return kt__fail_memory(2 * (size_t)n * sizeof *last);
    for (int64_t i = 0; i < l->num_layers && !kt__failed(); i++) {
        run r[2] = {{0}, {0}};
        for (int64_t d = 0; d < l->directions; d++) {
            r[d] = run_one(l, x, i, d);
            last[i * l->directions + d] = r[d].hy;
            last[n + i * l->directions + d] = r[d].cy;
        }
        x = l->directions == 2 && !kt__failed() ? kt_cat(((kt_tensor *[]){r[0].output, r[1].output}), 2, .dim = -1) : r[0].output;
        if (l->dropout != 0 && l->train && i + 1 < l->num_layers)
            x = kt_dropout(x, l->dropout, true);
    }
    kt_tensor *hy = kt__failed() ? NULL : kt_stack(last, n), *cy = l->cx && !kt__failed() ? kt_stack(last + n, n) : NULL;
    kt__block_put(last, granted);
    if (l->batch_first)
        x = kt_transpose(x, 0, 1);
    return kt__failed() ? kt_error_status() : kt__end_several(call, (kt_tensor *[]){x, hy, cy}, l->cx ? 3 : 2);
}

/* ---- checks, in PyTorch's order ---- */

static kt_status dim_missing(const kt_tensor *t, int dim)
{
    const int rank = t->ndim ? t->ndim : 1;
    return kt_fail(KT_ERR_INDEX, "Dimension out of range (expected to be in range of [-%d, %d], but got %d)", rank, rank - 1,
                   dim);
}

/* All tensors where the input is. */
static kt_status check_place(const kt_tensor *input, const kt_tensor *t, const char *what)
{
    char here[32], there[32];
    if (t->backend == input->backend && t->index == input->index)
        return KT_OK;
    return kt_fail(KT_ERR_RUNTIME,
                   "Input and %s tensors are not at the same device, found input tensor at %s and %s tensor at %s", what,
                   kt__device_text(input, here, sizeof here), what, kt__device_text(t, there, sizeof there));
}

static kt_status check_places(const layers *l, const kt_tensor *input)
{
    if (check_place(input, l->hx, "hidden") || (l->cx && check_place(input, l->cx, "hidden")))
        return kt_error_status();
    for (int64_t i = 0; i < l->n_params; i++)
        if (check_place(input, l->params[i], "parameter"))
            return kt_error_status();
    return KT_OK;
}

static kt_status check_layers(layers *l, const kt_tensor *input)
{
    const kt_tensor *hx = l->hx;
    if (l->batch_first && input->ndim < 2)
        return dim_missing(input, 1);
    if (l->cx && (hx->ndim < 3 || l->cx->ndim < 3))
        return dim_missing(hx->ndim < 3 ? hx : l->cx, 2);
    l->projected = l->cx && hx->sizes[2] != l->cx->sizes[2];
    l->per_layer = (l->biases ? 4 : 2) + l->projected;
    if (l->n_params % l->per_layer)
        return kt_fail(KT_ERR_RUNTIME, "got an incorrect number of RNN parameters");
    const int64_t given = l->n_params / l->per_layer;
    if (l->directions == 2 && (given % 2 || (hx->ndim && hx->sizes[0] % 2)))
        return kt_fail(KT_ERR_RUNTIME, "Odd number of params or hiddens given to a bidirectional RNN");
    if (hx->ndim < 1 || hx->sizes[0] != l->num_layers * l->directions || (l->cx && l->cx->sizes[0] != hx->sizes[0]))
        return kt_fail(KT_ERR_RUNTIME, "Expected more hidden states in stacked_rnn");
    if (given != l->num_layers * l->directions)
        return kt_fail(KT_ERR_RUNTIME, "Expected more weights in stacked_rnn");
    if (l->num_layers == 0)
        return kt_fail(KT_ERR_RUNTIME, "stack expects a non-empty TensorList");
    return KT_OK;
}

/* The arguments from the parameters on, which stand at `at`. */
static layers layers_of(const kt_call *call, int mode, int at)
{
    return (layers){.call = call, .mode = mode, .params = call->arg[at].ts.t, .n_params = call->arg[at].ts.n,
                    .biases = kt__arg_bool(call, at + 1), .num_layers = kt__arg_int(call, at + 2),
                    .dropout = kt__arg(call, at + 3)->f, .train = kt__arg_bool(call, at + 4),
                    .directions = kt__arg_bool(call, at + 5) ? 2 : 1};
}

static kt_status set_states(layers *l, const kt_call *call, int at)
{
    if (l->mode != KT__LSTM) {
        l->hx = call->arg[at].t;
        return KT_OK;
    }
    if (call->arg[at].ts.n != 2)
        return kt_fail(KT_ERR_RUNTIME, "lstm expects two hidden states");
    l->hx = call->arg[at].ts.t[0], l->cx = call->arg[at].ts.t[1];
    return KT_OK;
}

/* ---- a sequence for each element of the batch ---- */

static kt_status run_input(kt_call *call, int mode)
{
    KT_SCOPE;
    layers     l = layers_of(call, mode, 2);
    kt_tensor *input = call->arg[0].t;
    l.batch_first = kt__arg_bool(call, 8);
    if (set_states(&l, call, 1) || check_places(&l, input) || check_layers(&l, input))
        return kt_error_status();
    input = l.batch_first ? kt_transpose(input, 0, 1) : input;
    if (input && input->ndim && input->sizes[0] == 0)
        return kt_fail(KT_ERR_RUNTIME, "Expected sequence length to be larger than 0 in RNN");
    return input ? run_layers(call, &l, input) : kt_error_status();
}

/* Autocast lowers all of its tensors where PyTorch's kernel takes the layers, else those of the products alone. */
static bool has_one_kernel(const kt_call *call)
{
    const kt_tensor *input = call->arg[0].t, *const *hx = (const kt_tensor *const *)call->arg[1].ts.t;
    return (input->dtype == KT_F32 || input->dtype == KT_BF16) && input->numel &&
           call->arg[1].ts.n == 2 && hx[0]->ndim == 3 && hx[1]->ndim == 3 && hx[0]->sizes[2] == hx[1]->sizes[2];
}

kt_status kt__body_lstm(kt_call *call)
{
    enum { INPUT, HX, PARAMS, BIASES, LAYERS, DROPOUT, TRAIN, BIDIRECTIONAL, BATCH_FIRST };
    KT_SCOPE;
    if (!has_one_kernel(call))
        return run_input(call, KT__LSTM);
    const kt_value *hx = &call->arg[HX], *params = &call->arg[PARAMS];
    const kt_lstm_layers_results r =
        kt_lstm_layers(call->arg[INPUT].t, hx->ts.t, hx->ts.n, params->ts.t, params->ts.n, call->arg[BIASES].b,
                       call->arg[LAYERS].i, call->arg[DROPOUT].f, call->arg[TRAIN].b, call->arg[BIDIRECTIONAL].b,
                       call->arg[BATCH_FIRST].b);
    return r.output ? kt__end_several(call, (kt_tensor *[]){r.output, r.hy, r.cy}, 3) : kt_error_status();
}
kt_status kt__body_lstm_layers(kt_call *call) { return run_input(call, KT__LSTM); }
kt_status kt__body_gru(kt_call *call) { return run_input(call, KT__GRU); }
kt_status kt__body_rnn_tanh(kt_call *call) { return run_input(call, KT__RNN_TANH); }
kt_status kt__body_rnn_relu(kt_call *call) { return run_input(call, KT__RNN_RELU); }

/* ---- packed sequences ---- */

static kt_status run_data(kt_call *call, int mode)
{
    KT_SCOPE;
    layers     l = layers_of(call, mode, 3);
    kt_tensor *data = call->arg[0].t, *batch_sizes = call->arg[1].t;
    if (set_states(&l, call, 2) || check_layers(&l, data))
        return kt_error_status();
    if (batch_sizes->dtype != KT_I64)
        return kt__fail_dtype(call, KT_ERR_RUNTIME, "expected scalar type Long but found %s",
                              kt_dtype_torch_name((kt_dtype)batch_sizes->dtype));
    if (batch_sizes->numel == 0)
        return kt_fail(KT_ERR_VALUE, "torch.cat(): expected a non-empty list of Tensors");
    int64_t *sizes = kt__read_ints(batch_sizes);
    if (!sizes)
        return kt_error_status();
    l.sizes = (kt_shape){batch_sizes->numel, sizes};
    run_layers(call, &l, data);
    kt__free_ints(sizes, batch_sizes);
    return kt__failed() ? kt_error_status() : KT_OK;
}

kt_status kt__body_lstm_data(kt_call *call) { return run_data(call, KT__LSTM); }
kt_status kt__body_gru_data(kt_call *call) { return run_data(call, KT__GRU); }
kt_status kt__body_rnn_tanh_data(kt_call *call) { return run_data(call, KT__RNN_TANH); }
kt_status kt__body_rnn_relu_data(kt_call *call) { return run_data(call, KT__RNN_RELU); }
