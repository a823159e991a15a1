/* recurrence.c - one recurrent layer in one direction, and what flows back through it. In: calls of the two rows. Out: one plan
 * for each (tables/kernels/recurrent.h); of the gradient, where the tape records it, operators step by step, whose derivatives
 * are the second ones. */
#include "base/alloc.h"
#include "ops/recurrent/recurrent.h"

/* ---- geometry ---- */

typedef struct geometry {
    int      mode;
    bool     reverse, packed;
    int64_t  steps, batch, rows, units, state, gates; /* rows: of all steps; gates: columns */
    kt_shape sizes;                                   /* of a packed sequence */
} geometry;

static bool has_cells(const geometry *g) { return g->mode == KT__LSTM; }
static int64_t kept_columns(const geometry *g) { return kt__recurrence_kept(g->mode) * g->units; }

static kt_status check_mode(int64_t mode)
{
    const bool known = mode >= KT__RNN_RELU && mode <= KT__GRU;
    return known ? KT_OK : kt_fail(KT_ERR_RUNTIME, "unknown recurrent mode %lld", (long long)mode);
}

/* Steps and rows of [steps, batch, columns], or of [rows, columns] with batch_sizes. */
static kt_status read_steps(const kt_tensor *t, geometry *g)
{
    g->packed = g->sizes.n > 0;
    if (t->ndim != (g->packed ? 2 : 3))
        return kt_fail(KT_ERR_RUNTIME, "Expected %s, but got a tensor of size %s",
                       g->packed ? "the rows of a packed sequence" : "[time, batch, feature]", KT__SIZES_TEXT(t));
    g->steps = g->packed ? g->sizes.n : t->sizes[0];
    g->batch = g->packed ? g->sizes.d[0] : t->sizes[1];
    g->rows = g->packed ? 0 : g->steps * g->batch;
    if (g->steps == 0)
        return kt_fail(KT_ERR_RUNTIME, "Expected sequence length to be larger than 0 in RNN");
    for (int64_t i = 0; i < g->sizes.n; i++) {
        const int64_t before = g->sizes.d[i ? i - 1 : 0], now = g->sizes.d[i];
        if (now > before) /* more sequences than states */
            return kt_fail(KT_ERR_RUNTIME,
                           "The size of tensor a (%lld) must match the size of tensor b (%lld) at non-singleton dimension 0",
                           (long long)g->batch, (long long)now);
        if (now <= 0)
            return kt_fail(KT_ERR_RUNTIME, "batch_sizes must be positive, but step %lld has %lld", (long long)i, (long long)now);
        if (now > t->sizes[0] - g->rows)
            return kt_fail(KT_ERR_RUNTIME, "start (%lld) + length (%lld) exceeds dimension size (%lld).", (long long)g->rows,
                           (long long)now, (long long)t->sizes[0]);
        g->rows += now;
    }
    return KT_OK;
}

static kt_status differ(int64_t a, int64_t b, int dim)
{
    return kt_fail(KT_ERR_RUNTIME,
                   "The size of tensor a (%lld) must match the size of tensor b (%lld) at non-singleton dimension %d",
                   (long long)a, (long long)b, dim);
}

/* The state's sizes, as the operators of a step would find them wrong. */
static kt_status check_states(const geometry *g, kt_tensor *const *hx, int64_t n_hx, kt_tensor *const *weights, int64_t n_weights)
{
    const bool cells = has_cells(g);
    if (n_hx != 1 + cells || n_weights < 1 || n_weights > 2 || (n_weights == 2 && !cells && g->mode != KT__GRU))
        return kt_fail(KT_ERR_RUNTIME, "got an incorrect number of RNN parameters");
    const kt_tensor *h = hx[0], *w = weights[0], *more = n_weights == 2 ? weights[1] : NULL;
    if (h->ndim != 2 || w->ndim != 2 || (cells && hx[1]->ndim != 2) || (more && more->ndim != 1 + cells))
        return kt_fail(KT_ERR_RUNTIME, "a recurrent layer takes matrices of states and weights, but got %s and %s",
                       KT__SIZES_TEXT(h), KT__SIZES_TEXT(w));
    if (h->sizes[1] != w->sizes[1])
        return kt_fail(KT_ERR_RUNTIME, "mat1 and mat2 shapes cannot be multiplied (%lldx%lld and %lldx%lld)",
                       (long long)h->sizes[0], (long long)h->sizes[1], (long long)w->sizes[1], (long long)w->sizes[0]);
    if (h->sizes[0] == 1 && g->batch != 1) {
        const int64_t wide = g->mode == KT__GRU ? g->units : w->sizes[0];
        return kt_fail(KT_ERR_RUNTIME, "output with shape [1, %lld] doesn't match the broadcast shape [%lld, %lld]",
                       (long long)wide, (long long)g->batch, (long long)wide);
    }
    if (h->sizes[0] != g->batch)
        return differ(h->sizes[0], g->batch, 0);
    if (w->sizes[0] != g->gates)
        return differ(w->sizes[0], g->gates, 1);
    if (cells && hx[1]->sizes[0] != g->batch)
        return differ(g->batch, hx[1]->sizes[0], 0);
    if (cells && hx[1]->sizes[1] != g->units)
        return differ(g->units, hx[1]->sizes[1], 1);
    if (more && !cells && more->sizes[0] != g->gates)
        return kt_fail(KT_ERR_RUNTIME, "The expanded size of the tensor (%lld) must match the existing size (%lld) at "
                       "non-singleton dimension 1.  Target sizes: [%lld, %lld].  Tensor sizes: [%lld]", (long long)g->gates,
                       (long long)more->sizes[0], (long long)g->batch, (long long)g->gates, (long long)more->sizes[0]);
    if (more && cells && (more->sizes[0] != g->state || more->sizes[1] != g->units))
        return kt_fail(KT_ERR_RUNTIME, "mat1 and mat2 shapes cannot be multiplied (%lldx%lld and %lldx%lld)", (long long)g->batch,
                       (long long)g->units, (long long)more->sizes[1], (long long)more->sizes[0]);
    if (g->units * kt__recurrence_gates(g->mode) != g->gates || (!(more && cells) && g->state != g->units))
        return differ(g->units, g->state, 1);
    return KT_OK;
}

/* ---- plans ---- */

typedef struct operands {
    kt_tensor *t[KT__SEQ_OPERANDS];
} operands;

static kt_tensor *steps_as_tensor(const geometry *g, const kt_tensor *beside)
{
    kt_tensor *t = kt__scoped(kt__tensor_new(KT_I64, kt__device(beside), KT_SHAPE(g->sizes.n)));
    return t && kt__fill_from(t, g->sizes.d) ? NULL : t;
}

/* Operands that are not dense become copies; all that are not NULL take part. */
static kt_status launch(const kt_call *call, int kernel, const geometry *g, operands *x, const kt_tensor *like)
{
    const bool back = kernel == KT_K_recurrence_backward;
    kt_plan    plan;
    int64_t    has = 0;
    int        n = 0, n_out = 0;
    if (g->packed && !(x->t[KT__SEQ_SIZES] = steps_as_tensor(g, like)))
        return kt_error_status();
    for (int i = 0; i < KT__SEQ_OPERANDS; i++) {
        if (!x->t[i])
            continue;
        if (!(x->t[i] = kt_contiguous(x->t[i])))
            return kt_error_status();
        has |= (int64_t)1 << i;
        n_out += i < KT__SEQ_GATES;
        n++;
    }
    kt_tensor *first = x->t[back ? KT__SEQ_GRAD_GATES : KT__SEQ_OUTPUT];
    kt__plan_begin(&plan, kt__row_called(call), kernel, kt__dtype_rows[like->dtype].compute, n - n_out, first);
    plan.n_out = (uint8_t)n_out;
    plan.numel = first->numel;
    plan.nd = 0;
    for (int i = 0, at = 0; i < KT__SEQ_OPERANDS; i++) {
        if (!x->t[i])
            continue;
        kt__set_operand(&plan, at, x->t[i], (kt_dtype)x->t[i]->dtype, KT_WHY_NONE);
        kt__plan_block(&plan, at++, n, x->t[i]);
    }
    const int64_t param[KT__SEQ_PARAMS] = {
        [KT__SEQ_HAS] = has,       [KT__SEQ_MODE] = g->mode,   [KT__SEQ_REVERSE] = g->reverse, [KT__SEQ_STEPS] = g->steps,
        [KT__SEQ_BATCH] = g->batch, [KT__SEQ_UNITS] = g->units, [KT__SEQ_STATE] = g->state};
    for (int i = 0; i < KT__SEQ_PARAMS; i++)
        plan.param[plan.n_param++] = KT_INT(param[i]);
    return kt__launch_long(&plan, first);
}

static kt_tensor *new_rows(const kt_call *call, const kt_tensor *like, kt_dtype dtype, int64_t rows, int64_t columns)
{
    kt_tensor *t = kt__scoped(kt__tensor_new(dtype, kt__device(like), KT_SHAPE(rows, columns)));
    if (t)
        t->lineage = dtype == like->dtype ? like->lineage : KT__RECORD(KT_BORN, call->row->name, KT_NONE, dtype, 0);
    return t;
}

/* Rows of all steps: [steps, batch, columns] unless they are packed. */
static kt_tensor *new_sequence(const kt_call *call, const geometry *g, const kt_tensor *like, kt_dtype dtype, int64_t columns)
{
    kt_tensor *t = g->packed ? kt__tensor_new(dtype, kt__device(like), KT_SHAPE(g->rows, columns))
                             : kt__tensor_new(dtype, kt__device(like), KT_SHAPE(g->steps, g->batch, columns));
    if (t)
        t->lineage = dtype == like->dtype ? like->lineage : KT__RECORD(KT_BORN, call->row->name, KT_NONE, dtype, 0);
    return kt__scoped(t);
}

static kt_tensor *nothing(const kt_call *call, const kt_tensor *like, kt_dtype dtype)
{
    kt_tensor *t = kt__scoped(kt__tensor_new(dtype, kt__device(like), KT_SHAPE(0)));
    if (t)
        t->lineage = dtype == like->dtype ? like->lineage : KT__RECORD(KT_BORN, call->row->name, KT_NONE, dtype, 0);
    return t;
}

static kt_dtype wide_of(const kt_tensor *t) { return kt__dtype_rows[t->dtype].compute == KT_IN_F64 ? KT_F64 : KT_F32; }

/* ---- forward ---- */

enum { GATES, HX, WEIGHTS, SIZES, MODE, REVERSE, TRAIN };

static kt_status check_dtypes(const kt_call *call, const kt_tensor *gates, const kt_value *list)
{
    for (int64_t i = 0; i < list->ts.n; i++)
        if (list->ts.t[i]->dtype != gates->dtype)
            return kt__fail_dtype(call, KT_ERR_RUNTIME, "mat1 and mat2 must have the same dtype, but got %s and %s",
                                  kt_dtype_torch_name((kt_dtype)list->ts.t[i]->dtype),
                                  kt_dtype_torch_name((kt_dtype)gates->dtype));
    return list->ts.n ? kt__one_device(list->ts.t, list->ts.n) : KT_OK;
}

kt_status kt__body_recurrence(kt_call *call)
{
    KT_SCOPE;
    kt_tensor        *gates = call->arg[GATES].t;
    kt_tensor *const *hx = call->arg[HX].ts.t, *const *weights = call->arg[WEIGHTS].ts.t;
    const int64_t     n_hx = call->arg[HX].ts.n, n_weights = call->arg[WEIGHTS].ts.n;
    geometry          g = {.mode = (int)kt__arg_int(call, MODE), .reverse = kt__arg_bool(call, REVERSE),
                           .sizes = kt__arg_ints(call, SIZES)};
    kt__decision      room;
    if (check_mode(kt__arg_int(call, MODE)) || read_steps(gates, &g))
        return kt_error_status();
    g.gates = gates->sizes[gates->ndim - 1];
    g.units = g.gates / kt__recurrence_gates(g.mode);
    g.state = n_hx > 0 && hx[0]->ndim == 2 ? hx[0]->sizes[1] : 0;
    const kt__decision *d = check_states(&g, hx, n_hx, weights, n_weights) ? NULL : kt__resolve_in_body(call, &room);
    if (!d || check_dtypes(call, gates, &call->arg[HX]) || check_dtypes(call, gates, &call->arg[WEIGHTS]) ||
        kt__one_device((kt_tensor *[]){gates, hx[0], weights[0]}, 3))
        return kt_error_status();
    const bool     cells = has_cells(&g), keeps = kt__arg_bool(call, TRAIN) && kt__recurrence_kept(g.mode) > 0;
    const kt_dtype dtype = (kt_dtype)gates->dtype;
    operands       x = {{[KT__SEQ_OUTPUT] = new_sequence(call, &g, gates, dtype, g.state),
                         [KT__SEQ_HY] = new_rows(call, gates, dtype, g.batch, g.state),
                         [KT__SEQ_CY] = cells ? new_rows(call, gates, dtype, g.batch, g.units) : NULL,
                         [KT__SEQ_WORK] = keeps ? new_sequence(call, &g, gates, wide_of(gates), kept_columns(&g)) : NULL,
                         [KT__SEQ_GATES] = gates,
                         [KT__SEQ_HX] = hx[0],
                         [KT__SEQ_CX] = cells ? hx[1] : NULL,
                         [KT__SEQ_WEIGHT] = weights[0],
                         [KT__SEQ_BIAS] = n_weights == 2 && !cells ? weights[1] : NULL,
                         [KT__SEQ_PROJECTION] = n_weights == 2 && cells ? weights[1] : NULL}};
    if (kt__failed())
        return kt_error_status();
    kt_tensor *made[] = {x.t[KT__SEQ_OUTPUT], x.t[KT__SEQ_HY], cells ? x.t[KT__SEQ_CY] : nothing(call, gates, dtype),
                         keeps ? x.t[KT__SEQ_WORK] : nothing(call, gates, wide_of(gates))};
    if (!made[2] || !made[3] || launch(call, KT_K_recurrence, &g, &x, gates))
        return kt_error_status();
    return kt__end_several(call, made, 4);
}

/* ---- back ---- */

enum { B_HX, B_WEIGHTS, B_OUTPUT, B_WORK, B_SIZES, B_MODE, B_REVERSE, G_OUTPUT, G_HY, G_CY, G_WORK };

static kt_tensor *optional(const kt_call *call, int at) { return kt__given(call, at) ? call->arg[at].t : NULL; }

static bool is_numeric(const kt_tensor *t)
{
    return t->dtype == KT_F32 || t->dtype == KT_F64 || t->dtype == KT_BF16 || t->dtype == KT_F16;
}

static bool all_of(const kt_value *list, int dtype)
{
    bool all = true;
    for (int64_t i = 0; i < list->ts.n; i++)
        all &= list->ts.t[i]->dtype == dtype;
    return all;
}

static kt_status read_back(const kt_call *call, geometry *g)
{
    const kt_tensor *output = call->arg[B_OUTPUT].t, *work = call->arg[B_WORK].t;
    const kt_value  *hx = &call->arg[B_HX], *weights = &call->arg[B_WEIGHTS];
    *g = (geometry){.mode = (int)kt__arg_int(call, B_MODE), .reverse = kt__arg_bool(call, B_REVERSE),
                    .sizes = kt__arg_ints(call, B_SIZES)};
    if (check_mode(kt__arg_int(call, B_MODE)) || read_steps(output, g))
        return kt_error_status();
    if (weights->ts.n < 1 || weights->ts.t[0]->ndim != 2 || hx->ts.n < 1)
        return kt_fail(KT_ERR_RUNTIME, "got an incorrect number of RNN parameters");
    g->gates = weights->ts.t[0]->sizes[0];
    g->units = g->gates / kt__recurrence_gates(g->mode);
    g->state = output->sizes[output->ndim - 1];
    if (check_states(g, hx->ts.t, hx->ts.n, weights->ts.t, weights->ts.n))
        return kt_error_status();
    const int kept = kt__recurrence_kept(g->mode);
    if (!is_numeric(output) || !all_of(hx, output->dtype) || !all_of(weights, output->dtype) ||
        hx->ts.t[0]->sizes[1] != g->state ||
        (kept && (work->dtype != wide_of(output) || work->ndim < 1 || work->numel != g->rows * kept * g->units)))
        return kt_fail(KT_ERR_RUNTIME, "recurrence_backward takes what recurrence gave with train=True");
    const int64_t wanted[] = {g->rows * g->state, g->batch * g->state, g->batch * g->units, g->rows * kept * g->units};
    for (int i = 0; i < 4; i++)
        if (kt__given(call, G_OUTPUT + i) && (call->arg[G_OUTPUT + i].t->numel != wanted[i] ||
                                              call->arg[G_OUTPUT + i].t->dtype != (i < 3 ? output->dtype : wide_of(output))))
            return kt_fail(KT_ERR_RUNTIME, "a gradient of %s does not fit a recurrence with output %s",
                           KT__SIZES_TEXT(call->arg[G_OUTPUT + i].t), KT__SIZES_TEXT(output));
    return KT_OK;
}

static bool is_traced(const kt_call *call)
{
    bool traced = false;
    for (int i = G_OUTPUT; i <= G_WORK; i++)
        traced |= kt__given(call, i) && kt__is_recorded(call->arg[i].t);
    for (int i = B_HX; i <= B_WEIGHTS; i++)
        for (int64_t k = 0; k < call->arg[i].ts.n; k++)
            traced |= kt__is_recorded(call->arg[i].ts.t[k]);
    return traced || kt__is_recorded(call->arg[B_OUTPUT].t) || kt__is_recorded(call->arg[B_WORK].t);
}

/* ---- back by operators, so that the tape sees each step. The mathematics are those of cpu/isa/recurrent_back.inc.c ---- */

typedef struct trace {
    const geometry *g;
    kt_tensor      *from[4];                /* what flows back to each result, as rows; NULL: nothing */
    kt_tensor      *hx, *cx, *weight, *projection, *output, *work;
    int64_t         at, n;                  /* rows of the step */
    kt_tensor      *before, *cell_before;   /* its state and cell before */
    kt_tensor      *to_state, *to_cell;     /* what flows to its state and cell after; then to those before */
    kt_tensor      *gates, *hidden;         /* what flows to its gates; and to what its state gave to them */
} trace;

static kt_tensor *rows_of(kt_tensor *t, int64_t begin, int64_t n) { return t ? kt_narrow(t, 0, begin, n) : NULL; }

/* t + more, where either may be absent. */
static kt_tensor *plus(kt_tensor *t, kt_tensor *more) { return !t ? more : !more ? t : kt_add(t, more); }

static kt_tensor *kept(const trace *s, kt_tensor *of, int block)
{
    return of ? kt_narrow(rows_of(of, s->at, s->n), 1, block * s->g->units, s->g->units) : NULL;
}

static kt_tensor *sigmoid_slope(kt_tensor *y) { return kt_mul(y, kt_rsub_s(y, KT_INT(1))); }
static kt_tensor *tanh_slope(kt_tensor *y) { return kt_rsub_s(kt_mul(y, y), KT_INT(1)); }

static void trace_lstm(trace *s)
{
    kt_tensor *x[5], *more[5];
    for (int i = 0; i < 5; i++) {
        x[i] = kept(s, s->work, i);
        more[i] = kept(s, s->from[3], i);
    }
    kt_tensor *bend = kt_tanh(x[4]), *g = s->to_state;
    if (s->projection) {
        s->hidden = g;
        g = kt_mm(g, s->projection);
    }
    kt_tensor *to_c = plus(plus(s->to_cell, more[4]), kt_mul(kt_mul(g, x[3]), tanh_slope(bend)));
    kt_tensor *d[] = {kt_mul(plus(more[0], kt_mul(to_c, x[2])), sigmoid_slope(x[0])),
                      kt_mul(plus(more[1], kt_mul(to_c, s->cell_before)), sigmoid_slope(x[1])),
                      kt_mul(plus(more[2], kt_mul(to_c, x[0])), tanh_slope(x[2])),
                      kt_mul(plus(more[3], kt_mul(g, bend)), sigmoid_slope(x[3]))};
    s->to_cell = kt_mul(to_c, x[1]);
    s->gates = kt_cat(d, 4, .dim = 1);
    s->to_state = kt_mm(s->gates, s->weight);
}

static void trace_gru(trace *s)
{
    kt_tensor *x[4], *more[4], *g = s->to_state;
    for (int i = 0; i < 4; i++) {
        x[i] = kept(s, s->work, i);
        more[i] = kept(s, s->from[3], i);
    }
    kt_tensor *to_new = kt_mul(plus(more[2], kt_mul(g, kt_rsub_s(x[1], KT_INT(1)))), tanh_slope(x[2]));
    kt_tensor *d[] = {kt_mul(plus(more[0], kt_mul(to_new, x[3])), sigmoid_slope(x[0])),
                      kt_mul(plus(more[1], kt_mul(g, kt_sub(s->before, x[2]))), sigmoid_slope(x[1])), to_new};
    s->gates = kt_cat(d, 3, .dim = 1);
    d[2] = plus(more[3], kt_mul(to_new, x[0]));
    s->hidden = kt_cat(d, 3, .dim = 1);
    s->to_state = kt_add(kt_mm(s->hidden, s->weight), kt_mul(g, x[1]));
}

static void trace_rnn(trace *s)
{
    kt_tensor *y = rows_of(s->output, s->at, s->n);
    s->gates = s->g->mode == KT__RNN_TANH ? kt_mul(s->to_state, tanh_slope(y)) : kt_threshold_backward(s->to_state, y, KT_INT(0));
    s->to_state = kt_mm(s->gates, s->weight);
}

/* `first` and the rows [n_first, n) of `last`, of which there may be none. */
static kt_tensor *with_more_rows(kt_tensor *first, int64_t n_first, kt_tensor *last, int64_t n)
{
    if (!n_first)
        return rows_of(last, 0, n);
    if (n <= n_first)
        return rows_of(first, 0, n);
    return kt_cat(((kt_tensor *[]){first, rows_of(last, n_first, n - n_first)}), 2);
}

static kt_tensor *zeros(const trace *s, int64_t rows, int64_t columns)
{
    if (!s->work)
        return NULL;
    return kt_zeros(KT_SHAPE(rows, columns), .dtype = (kt_dtype)s->work->dtype, .device = kt__device(s->work));
}

static int64_t rows_at(const geometry *g, int64_t t) { return g->packed ? g->sizes.d[t] : g->batch; }

/* The states, or the cells, before each step: the first ones, and rows of all steps. */
static kt_tensor *before_each(const geometry *g, kt_tensor *first, kt_tensor *rows)
{
    const bool whole = !g->packed && rows;
    return kt__states_before(first, whole ? kt_reshape(rows, KT_SHAPE(g->steps, g->batch, rows->sizes[1])) : rows, g->sizes,
                             g->reverse);
}

static kt_status run_trace(trace *s, kt_tensor **gates, kt_tensor **hidden, kt_tensor **state)
{
    const geometry *g = s->g;
    kt_tensor      *states = g->mode == KT__GRU ? before_each(g, s->hx, s->output) : NULL;
    kt_tensor      *cells = has_cells(g) ? before_each(g, s->cx, kt_narrow(s->work, 1, 4 * g->units, g->units)) : NULL;
    kt_tensor      *first = NULL, *first_cell = NULL; /* of sequences that have reached their first state: the last rows */
    kt_tensor      *no_state = s->from[1] ? s->from[1] : zeros(s, g->batch, g->state);
    kt_tensor      *no_cell = s->from[2] ? s->from[2] : zeros(s, g->batch, g->units);
    int64_t         were = 0, n_first = 0;
    s->at = g->reverse ? 0 : g->rows;
    for (int64_t i = 0; i < g->steps && !kt__failed(); i++) {
        const int64_t t = g->reverse ? i : g->steps - 1 - i;
        s->n = rows_at(g, t);
        s->at -= g->reverse ? 0 : s->n;
        if (were > s->n) { /* only in reverse */
            kt_tensor *done = rows_of(s->to_state, s->n, were - s->n), *cell = rows_of(s->to_cell, s->n, were - s->n);
            first = first ? kt_cat(((kt_tensor *[]){done, first}), 2) : done;
            first_cell = first_cell ? kt_cat(((kt_tensor *[]){cell, first_cell}), 2) : cell;
            n_first += were - s->n;
        }
        s->to_state = plus(with_more_rows(s->to_state, were, no_state, s->n), rows_of(s->from[0], s->at, s->n));
        s->to_cell = has_cells(g) ? with_more_rows(s->to_cell, were, no_cell, s->n) : NULL;
        s->before = rows_of(states, s->at, s->n);
        s->cell_before = rows_of(cells, s->at, s->n);
        if (has_cells(g))
            trace_lstm(s);
        else if (g->mode == KT__GRU)
            trace_gru(s);
        else
            trace_rnn(s);
        gates[t] = s->gates, hidden[t] = s->hidden;
        s->at += g->reverse ? s->n : 0;
        were = s->n;
    }
    kt_tensor *to_state = n_first ? kt_cat(((kt_tensor *[]){s->to_state, first}), 2) : s->to_state;
    kt_tensor *to_cell = n_first && has_cells(g) ? kt_cat(((kt_tensor *[]){s->to_cell, first_cell}), 2) : s->to_cell;
    *state = has_cells(g) ? kt_cat(((kt_tensor *[]){to_state, to_cell}), 2, .dim = 1) : to_state;
    return kt__failed() ? kt_error_status() : KT_OK;
}

/* What flows back is calculated in the workspace's dtype, as the kernel does, and rounded at the end. */
static kt_tensor *as_wide_rows(kt_tensor *t, kt_dtype wide, int64_t columns)
{
    return t ? kt__converted_inside(kt_reshape(t, KT_SHAPE(-1, columns)), wide, KT_WHY_PROMOTION) : NULL;
}

static kt_tensor *joined(const geometry *g, kt_tensor **steps, kt_dtype dtype)
{
    kt_tensor *all = kt__converted_inside(kt_cat(steps, g->steps), dtype, KT_WHY_RESULT);
    return g->packed || !all ? all : kt_reshape(all, KT_SHAPE(g->steps, g->batch, all->sizes[1]));
}

static kt_status back_by_operators(kt_call *call, const geometry *g)
{
    kt_tensor        *output = call->arg[B_OUTPUT].t;
    kt_tensor *const *hx = call->arg[B_HX].ts.t, *const *weights = call->arg[B_WEIGHTS].ts.t;
    const kt_dtype    dtype = (kt_dtype)output->dtype, wide = wide_of(output);
    const int64_t     columns[] = {g->state, g->state, g->units, kt__recurrence_kept(g->mode) * g->units};
    const bool        projected = call->arg[B_WEIGHTS].ts.n == 2 && has_cells(g), two = projected || g->mode == KT__GRU;
    trace             s = {.g = g};
    for (int i = 0; i < 4; i++)
        s.from[i] = as_wide_rows(optional(call, G_OUTPUT + i), wide, columns[i]);
    s.hx = kt__converted_inside(hx[0], wide, KT_WHY_PROMOTION);
    s.cx = has_cells(g) ? kt__converted_inside(hx[1], wide, KT_WHY_PROMOTION) : NULL;
    s.weight = kt__converted_inside(weights[0], wide, KT_WHY_PROMOTION);
    s.projection = projected ? kt__converted_inside(weights[1], wide, KT_WHY_PROMOTION) : NULL;
    s.output = as_wide_rows(output, wide, g->state);
    s.work = columns[3] ? as_wide_rows(call->arg[B_WORK].t, wide, columns[3]) : s.output;
    size_t       granted;
    const size_t bytes = 2 * (size_t)g->steps * sizeof(kt_tensor *);
    kt_tensor  **steps = kt__block_get(bytes, &granted), *state = NULL;
    if (!steps)
        return kt__fail_memory(bytes);
    kt_status  status = run_trace(&s, steps, steps + g->steps, &state);
    kt_tensor *gates = status ? NULL : joined(g, steps, dtype);
    kt_tensor *hidden = status ? NULL : two ? joined(g, steps + g->steps, dtype) : nothing(call, output, dtype);
    kt__block_put(steps, granted);
    state = status ? NULL : kt__converted_inside(state, dtype, KT_WHY_RESULT);
    return gates && hidden && state ? kt__end_several(call, (kt_tensor *[]){gates, hidden, state}, 3) : kt_error_status();
}

kt_status kt__body_recurrence_backward(kt_call *call)
{
    KT_SCOPE;
    geometry g;
    if (read_back(call, &g))
        return kt_error_status();
    if (is_traced(call))
        return back_by_operators(call, &g);
    kt_tensor        *output = call->arg[B_OUTPUT].t;
    kt_tensor *const *hx = call->arg[B_HX].ts.t, *const *weights = call->arg[B_WEIGHTS].ts.t;
    const bool        cells = has_cells(&g), gru = g.mode == KT__GRU, projected = call->arg[B_WEIGHTS].ts.n == 2 && cells;
    const kt_dtype    dtype = (kt_dtype)output->dtype;
    kt_tensor *hidden = gru         ? new_sequence(call, &g, output, dtype, g.gates)
                        : projected ? new_sequence(call, &g, output, dtype, g.state)
                                    : NULL;
    operands   x = {{[KT__SEQ_GRAD_GATES] = new_sequence(call, &g, output, dtype, g.gates),
                     [KT__SEQ_GRAD_HIDDEN] = hidden,
                     [KT__SEQ_GRAD_STATE] = new_rows(call, output, dtype, g.batch, g.state + (cells ? g.units : 0)),
                     [KT__SEQ_FROM_OUTPUT] = optional(call, G_OUTPUT),
                     [KT__SEQ_FROM_HY] = optional(call, G_HY),
                     [KT__SEQ_FROM_CY] = cells ? optional(call, G_CY) : NULL,
                     [KT__SEQ_FROM_WORK] = kt__recurrence_kept(g.mode) ? optional(call, G_WORK) : NULL,
                     [KT__SEQ_HX] = gru ? hx[0] : NULL,
                     [KT__SEQ_CX] = cells ? hx[1] : NULL,
                     [KT__SEQ_WEIGHT] = weights[0],
                     [KT__SEQ_PROJECTION] = projected ? weights[1] : NULL,
                     [KT__SEQ_OUTPUT_WAS] = cells ? NULL : output,
                     [KT__SEQ_WORK_WAS] = kt__recurrence_kept(g.mode) ? call->arg[B_WORK].t : NULL}};
    kt_tensor *const gates = x.t[KT__SEQ_GRAD_GATES], *const state = x.t[KT__SEQ_GRAD_STATE];
    if (!hidden)
        hidden = nothing(call, output, dtype);
    if (!gates || !state || !hidden || launch(call, KT_K_recurrence_backward, &g, &x, output))
        return kt_error_status();
    return kt__end_several(call, (kt_tensor *[]){gates, hidden, state}, 3);
}
