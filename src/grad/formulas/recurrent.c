/* recurrent.c - the derivative of a recurrent layer: what flows back through its steps is one row, and what its weights get are
 * products over all steps. */
#include "grad/formula.h"
#include "ops/recurrent/recurrent.h"

static kt_tensor *as_rows(kt_tensor *t, int64_t columns) { return t ? kt_reshape(t, KT_SHAPE(-1, columns)) : NULL; }

/* The state of an LSTM before it was projected: o tanh(c). */
static kt_tensor *unprojected(kt_tensor *work, int64_t units, kt_dtype dtype)
{
    kt_tensor *rows = as_rows(work, 5 * units);
    kt_tensor *state = kt_mul(kt_narrow(rows, 1, 3 * units, units), kt_tanh(kt_narrow(rows, 1, 4 * units, units)));
    return kt__converted_inside(state, dtype, KT_WHY_GRADIENT);
}

/* recurrence(gates, hx, weights, batch_sizes, mode, reverse, train); inputs: gates, then the tensors of both lists */
GRAD(recurrence)
{
    const int      mode = (int)arg(c, 4)->i;
    const int64_t  n_hx = mode == KT__LSTM ? 2 : 1, n_weights = c->n_inputs - 1 - n_hx;
    const kt_shape sizes = arg(c, 3)->ints;
    const bool     reverse = arg(c, 5)->b, projected = mode == KT__LSTM && n_weights == 2;
    kt_tensor     *hx[2] = {NULL, NULL}, *weights[2] = {NULL, NULL}, *output = Y, *work = RESULT(3);
    for (int64_t i = 0; i < n_hx; i++)
        hx[i] = L(i);
    for (int64_t i = 0; i < n_weights; i++)
        weights[i] = L(n_hx + i);
    if (!output || !work || !hx[0] || !weights[0])
        return;
    const int64_t state = hx[0]->sizes[1], gates = weights[0]->sizes[0];
    const kt_recurrence_backward_results d =
        kt_recurrence_backward(hx, n_hx, weights, n_weights, output, work, sizes, mode, reverse, .grad_output = c->grads[0],
                               .grad_hy = c->grads[1], .grad_cy = mode == KT__LSTM ? c->grads[2] : NULL,
                               .grad_workspace = work->numel ? c->grads[3] : NULL);
    kt_tensor *hidden = mode == KT__GRU ? d.hidden : d.gates;
    dA = d.gates;
    if (need(c, 1))
        c->d[1] = kt_narrow(d.state, 1, 0, state);
    if (n_hx == 2 && need(c, 2))
        c->d[2] = kt_narrow(d.state, 1, state, gates / 4);
    if (need(c, 1 + n_hx))
        c->d[1 + n_hx] = kt_mm(kt_t(as_rows(hidden, gates)), kt__states_before(hx[0], output, sizes, reverse));
    const bool one_step = sizes.n ? sizes.n == 1 : output->sizes[0] == 1;
    const bool idle = projected && one_step && !c->grads[0] && !c->grads[1];
    if (n_weights == 2 && need(c, 2 + n_hx) && !idle) /* the cell's last state has not been projected */
        c->d[2 + n_hx] = projected ? kt_mm(kt_t(as_rows(d.hidden, state)), unprojected(work, gates / 4, (kt_dtype)output->dtype))
                                   : kt_sum_dim(as_rows(hidden, gates), KT_SHAPE(0));
}

/* ---- packed sequences: pack_padded_sequence(input, lengths, batch_first) -> data, batch_sizes ---- */
GRAD(pack_padded_sequence) { dA = kt_pack_padded_sequence_backward(G, in_sizes(c, 0), Z, arg(c, 2)->b); }

/* ---- CTC: _ctc_loss(log_probs, targets, input_lengths, target_lengths, blank, zero_infinity) -> loss, alpha ---- */
GRAD(ctc_loss_of)
{
    if (G)
        dA = kt_ctc_loss_backward(G, A, B, arg(c, 2)->ints, arg(c, 3)->ints, Y, Z, arg(c, 4)->i, .zero_infinity = arg(c, 5)->b);
}
GRAD_MISSING(ctc_loss_backward)
