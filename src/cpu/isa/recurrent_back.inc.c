/* recurrent_back.inc.c - what flows back through a recurrent layer, in compute type T. A template, part of recurrent.inc.c.
 *
 * In: what flowed back to each result, and what the forward pass kept. Out: the gradient of what the input gave to the gates,
 * of all steps, and of the first state. A step is one pass over panels of units, as forward: what flowed back to the gates of
 * the step after, times the weights, then the slopes of the gates. What the weights and the input get are products over all
 * steps: other operators make them from these results.
 *
 * Sequences end at different steps: rows [were, rows) of a step begin here, rows [rows, were) have reached their first state. */

enum { WIDE = 2 * LANES }; /* units of a panel */

/* ---- one row, a panel's units: from the gradient of the state (g) and of the cell to that of the gates ---- */

KT_ALWAYS void FN(keep_gates)(const FN(layer) *l, int slot, int64_t row, int64_t unit, T *d, int n)
{
    for (int i = 0; l->x[slot].data && i < l->gates; i++)
        FN(write)(&l->x[slot], l->begin[l->t] + row, i * l->units + unit, d + i * WIDE, n);
}

static void FN(next_gates)(const FN(layer) *l, int64_t row, int64_t unit, const T *d, int n)
{
    for (int i = 0; i < l->gates; i++)
        FN(copy_units)(l->h[!l->now] + row * l->h_line + i * l->units + unit, d + i * WIDE, n);
}

static void FN(read_work)(const FN(layer) *l, int slot, int64_t row, int64_t unit, T *x, int n)
{
    for (int i = 0; l->x[slot].data && i < kt__recurrence_kept(l->mode); i++)
        FN(read)(x + i * WIDE, &l->x[slot], row, i * l->units + unit, n);
}

/* The state or the cell before a step. */
static void FN(read_before)(const FN(layer) *l, int first, int later, int64_t column, int64_t row, int64_t unit, T *x, int n)
{
    const int64_t at = FN(row_before)(l, l->t, row);
    if (at >= 0)
        FN(read)(x, &l->x[later], at, column + unit, n);
    else
        FN(read)(x, &l->x[first], row, unit, n);
}

static void FN(rnn_back)(const FN(layer) *l, const T *g, int64_t row, int64_t unit, int n)
{
    T y[WIDE] = {0}, d[WIDE];
    FN(read)(y, &l->x[KT__SEQ_OUTPUT_WAS], l->begin[l->t] + row, unit, n);
    for (int i = 0; i < WIDE; i++)
        d[i] = l->mode == KT__RNN_TANH ? g[i] * FN(fma)(-y[i], y[i], 1) : y[i] <= 0 ? 0 : g[i];
    FN(next_gates)(l, row, unit, d, n);
    FN(keep_gates)(l, KT__SEQ_GRAD_GATES, row, unit, d, n);
}

/* A panel's units of a row as an array: in place where the operand has them so. */
KT_ALWAYS const T *FN(units_at)(const FN(rows) *x, int64_t row, int64_t column, T *room, int n)
{
    if (x->lens.direct && n == WIDE)
        return (const T *)(const void *)(x->data + row * x->line + column * x->item);
    FN(read)(room, x, row, column, n);
    return room;
}

/* `more`: what flows back to the workspace itself; NULL, as nearly always, for nothing. */
KT_ALWAYS void FN(lstm_slopes)(const T *const x[5], const T *more, const T *g, const T *before, const T *tan, T *flow, T *d)
{
    const T *in = x[0], *forget = x[1], *cell = x[2], *out = x[3];
    KT_EACH
    for (int i = 0; i < WIDE; i++) {
        const T to_c = flow[i] + (more ? more[4 * WIDE + i] : 0) + g[i] * out[i] * FN(fma)(-tan[i], tan[i], 1);
        d[i] = (more ? FN(fma)(to_c, cell[i], more[i]) : to_c * cell[i]) * in[i] * (1 - in[i]);
        d[WIDE + i] = (more ? FN(fma)(to_c, before[i], more[WIDE + i]) : to_c * before[i]) * forget[i] * (1 - forget[i]);
        d[2 * WIDE + i] = (more ? FN(fma)(to_c, in[i], more[2 * WIDE + i]) : to_c * in[i]) * FN(fma)(-cell[i], cell[i], 1);
        d[3 * WIDE + i] = (more ? FN(fma)(g[i], tan[i], more[3 * WIDE + i]) : g[i] * tan[i]) * out[i] * (1 - out[i]);
        flow[i] = to_c * forget[i];
    }
}

static void FN(lstm_back)(const FN(layer) *l, const T *g, int64_t row, int64_t unit, int n)
{
    const int64_t  at = l->begin[l->t] + row, then = FN(row_before)(l, l->t, row), cells = 4 * l->units + unit;
    const FN(rows) *work = &l->x[KT__SEQ_WORK_WAS];
    T              kept[6][WIDE], more[5 * WIDE], flow[WIDE], d[4 * WIDE], tan[WIDE];
    T *const       carried = l->c + row * l->units + unit;
    const T       *x[5];
    if (n < WIDE) {
        memset(kept, 0, sizeof kept);
        memset(flow, 0, sizeof flow);
    }
    for (int i = 0; i < 5; i++)
        x[i] = FN(units_at)(work, at, i * l->units + unit, kept[i], n);
    const T *before = then >= 0 ? FN(units_at)(work, then, cells, kept[5], n)
                                : FN(units_at)(&l->x[KT__SEQ_CX], row, unit, kept[5], n);
    FN(copy_units)(flow, carried, n);
    memcpy(tan, x[4], sizeof tan);
    FN(each_tanh)(tan, WIDE);
    if (l->x[KT__SEQ_FROM_WORK].data) {
        memset(more, 0, sizeof more);
        FN(read_work)(l, KT__SEQ_FROM_WORK, at, unit, more, n);
        FN(lstm_slopes)(x, more, g, before, tan, flow, d);
    } else
        FN(lstm_slopes)(x, NULL, g, before, tan, flow, d);
    FN(copy_units)(carried, flow, n);
    FN(next_gates)(l, row, unit, d, n);
    FN(keep_gates)(l, KT__SEQ_GRAD_GATES, row, unit, d, n);
}

static void FN(gru_back)(const FN(layer) *l, const T *g, int64_t row, int64_t unit, int n)
{
    const int64_t at = l->begin[l->t] + row;
    T             x[4 * WIDE] = {0}, more[4 * WIDE] = {0}, before[WIDE] = {0}, d[3 * WIDE], hidden[3 * WIDE], flow[WIDE];
    FN(read_work)(l, KT__SEQ_WORK_WAS, at, unit, x, n);
    FN(read_work)(l, KT__SEQ_FROM_WORK, at, unit, more, n);
    FN(read_before)(l, KT__SEQ_HX, KT__SEQ_OUTPUT_WAS, 0, row, unit, before, n);
    const T *reset = x, *update = x + WIDE, *new = x + 2 * WIDE, *from = x + 3 * WIDE;
    KT_EACH
    for (int i = 0; i < WIDE; i++) {
        const T to_new = FN(fma)(g[i], 1 - update[i], more[2 * WIDE + i]) * FN(fma)(-new[i], new[i], 1);
        d[2 * WIDE + i] = to_new;
        hidden[2 * WIDE + i] = FN(fma)(to_new, reset[i], more[3 * WIDE + i]);
        hidden[i] = d[i] = FN(fma)(to_new, from[i], more[i]) * reset[i] * (1 - reset[i]);
        hidden[WIDE + i] = d[WIDE + i] = FN(fma)(g[i], before[i] - new[i], more[WIDE + i]) * update[i] * (1 - update[i]);
        flow[i] = g[i] * update[i];
    }
    FN(copy_units)(l->c + row * l->units + unit, flow, n);
    FN(next_gates)(l, row, unit, hidden, n);
    FN(keep_gates)(l, KT__SEQ_GRAD_GATES, row, unit, d, n);
    FN(keep_gates)(l, KT__SEQ_GRAD_HIDDEN, row, unit, hidden, n);
}

static void FN(gates_back)(const FN(layer) *l, const T *g, int64_t row, int64_t unit, int n)
{
    if (l->mode == KT__LSTM)
        FN(lstm_back)(l, g, row, unit, n);
    else if (l->mode == KT__GRU)
        FN(gru_back)(l, g, row, unit, n);
    else
        FN(rnn_back)(l, g, row, unit, n);
}

/* ---- what flows to the state after a step: by the product (sums), if a step came after; by hy; by the output ---- */

static void FN(state_back)(const FN(layer) *l, const T *sums, int64_t row, int64_t unit, T *g, int n)
{
    T more[WIDE] = {0};
    memset(g, 0, WIDE * sizeof(T));
    if (row < l->were)
        memcpy(g, sums, WIDE * sizeof(T));
    else if (l->x[KT__SEQ_FROM_HY].data)
        FN(read)(g, &l->x[KT__SEQ_FROM_HY], row, unit, n);
    if (row < l->were && l->mode == KT__GRU) {
        FN(copy_units)(more, l->c + row * l->units + unit, n);
        FN(each_add)(g, more, WIDE);
    }
    if (row < l->rows && l->x[KT__SEQ_FROM_OUTPUT].data) {
        FN(read)(more, &l->x[KT__SEQ_FROM_OUTPUT], l->begin[l->t] + row, unit, n);
        FN(each_add)(g, more, WIDE);
    }
}

/* A sequence begins with its cell's gradient, and ends by handing it over. */
static void FN(cell_back)(const FN(layer) *l, int64_t row, int64_t unit, int n)
{
    T flow[WIDE] = {0};
    if (l->mode != KT__LSTM || (row < l->were && row < l->rows))
        return;
    if (row >= l->rows) {
        FN(copy_units)(flow, l->c + row * l->units + unit, n);
        FN(write)(&l->x[KT__SEQ_GRAD_STATE], row, l->state + unit, flow, n);
        return;
    }
    if (l->x[KT__SEQ_FROM_CY].data)
        FN(read)(flow, &l->x[KT__SEQ_FROM_CY], row, unit, n);
    FN(copy_units)(l->c + row * l->units + unit, flow, n);
}

/* ---- a step ---- */

/* As ask_step. */
static void FN(ask_back)(const FN(layer) *l, const FN(part) *part, int64_t r)
{
    const int64_t row = part->first + r, unit = part->unit;
    const int     n = part->n;
    if (r >= ROWS_AT_ONCE || row >= l->rows)
        return;
    const int64_t at = l->begin[l->t] + row, before = FN(row_before)(l, l->t, row);
    FN(ask_for)(&l->x[KT__SEQ_WORK_WAS], at, unit, l->units, kt__recurrence_kept(l->mode), n, false);
    FN(ask_for)(&l->x[KT__SEQ_FROM_OUTPUT], at, unit, 0, 1, n, false);
    FN(ask_for)(&l->x[KT__SEQ_GRAD_GATES], at, unit, l->units, l->gates, n, true);
    if (before >= 0 && l->mode == KT__LSTM)
        FN(ask_for)(&l->x[KT__SEQ_WORK_WAS], before, 4 * l->units + unit, 0, 1, n, false);
}

static void FN(back_panels)(void *ctx, int64_t begin, int64_t end)
{
    const FN(layer) *l = ctx;
    const int64_t    top = l->rows > l->were ? l->rows : l->were, blocks = FN(row_blocks)(l, top);
    T                sums[ROWS_AT_ONCE * WIDE], g[WIDE];
    FN(part)         part = FN(part_at)(l, &l->w, blocks, begin), next = part;
    for (int64_t r = 0; r < ROWS_AT_ONCE; r++)
        FN(ask_back)(l, &part, r);
    for (int64_t i = begin; i < end; i++, part = next) {
        const int64_t panel = part.panel, first = part.first, unit = part.unit;
        const int64_t last = top - first < ROWS_AT_ONCE ? top : first + ROWS_AT_ONCE, known = l->were < last ? l->were : last;
        const int     n = part.n;
        if (known > first)
            FN(multiply)(sums, l->h[l->now] + first * l->h_line, l->h_line, known - first, &l->w, panel);
        if (i + 1 < end)
            next = FN(part_at)(l, &l->w, blocks, i + 1);
        for (int64_t row = first; row < last; row++) {
            if (i + 1 < end)
                FN(ask_back)(l, &next, row - first);
            if (!l->whole)
                FN(cell_back)(l, row, unit, n);
            FN(state_back)(l, sums + (row - first) * WIDE, row, unit, g, n);
            if (row >= l->rows)
                FN(write)(&l->x[KT__SEQ_GRAD_STATE], row, unit, g, n);
            else if (!l->whole)
                FN(gates_back)(l, g, row, unit, n);
            else {
                FN(copy_units)(l->whole + row * l->whole_line + unit, g, n);
                FN(write)(&l->x[KT__SEQ_GRAD_HIDDEN], l->begin[l->t] + row, unit, g, n);
            }
        }
    }
}

/* Of a layer whose states are projected: from them to the states before. */
static void FN(whole_panels)(void *ctx, int64_t begin, int64_t end)
{
    const FN(layer) *l = ctx;
    const int64_t    top = l->rows > l->were ? l->rows : l->were, blocks = FN(row_blocks)(l, top);
    T                sums[ROWS_AT_ONCE * WIDE];
    for (int64_t i = begin; i < end; i++) {
        const FN(part) part = FN(part_at)(l, &l->projection, blocks, i);
        const int64_t  panel = part.panel, first = part.first, unit = part.unit;
        const int64_t last = top - first < ROWS_AT_ONCE ? top : first + ROWS_AT_ONCE, known = l->rows < last ? l->rows : last;
        const int     n = part.n;
        if (known > first)
            FN(multiply)(sums, l->whole + first * l->whole_line, l->whole_line, known - first, &l->projection, panel);
        for (int64_t row = first; row < last; row++) {
            FN(cell_back)(l, row, unit, n);
            if (row < l->rows)
                FN(gates_back)(l, sums + (row - first) * WIDE, row, unit, n);
        }
    }
}

static void FN(run_back)(FN(layer) *l)
{
    l->were = l->first;
    for (int64_t s = 0; s <= l->steps; s++) { /* the last one ends all sequences */
        l->t = l->reverse ? s : l->steps - 1 - s;
        l->rows = s < l->steps ? FN(end_at)(l, l->t) : l->first;
        const int64_t top = l->rows > l->were ? l->rows : l->were;
        FN(share)(&l->w, top, FN(back_panels), l);
        if (l->whole)
            FN(share)(&l->projection, top, FN(whole_panels), l);
        l->were = l->rows;
        l->now = !l->now;
    }
}
