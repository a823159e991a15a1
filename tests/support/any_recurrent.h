/* any_recurrent.h - arguments for the rows of recurrent layers, of packed sequences and of CTC: one sequence of three steps, one
 * unit, one feature. Part of any_row.h. */
#ifndef KT_TEST_ANY_RECURRENT_H
#define KT_TEST_ANY_RECURRENT_H

#include <karat/karat.h>
#include <karat/plugin/call.h>
#include <string.h>

#include "call/row.h"

static inline bool any_starts(const kt_row *row, const char *with) { return strncmp(row->name, with, strlen(with)) == 0; }
static inline bool any_is_packed(const kt_row *row) { return any_starts(row, "pack_padded") || any_starts(row, "pad_packed"); }
static inline bool any_is_ctc(const kt_row *row) { return strstr(row->name, "ctc_loss") != NULL; }
static inline bool any_is_recurrent(const kt_row *row)
{
    return any_is_packed(row) || any_is_ctc(row) || any_starts(row, "recurrence") ||
           any_starts(row, "lstm") || any_starts(row, "gru") || any_starts(row, "rnn_");
}

static inline kt_tensor *any_filled(kt_dtype dtype, kt_shape shape)
{
    return kt_full(shape, kt_dtype_category(dtype) <= KT_CAT_INT ? KT_INT(1) : KT_FLOAT(0.25), .dtype = dtype);
}

static inline kt_tensor *any_whole(int64_t value, kt_shape shape) { return kt_full(shape, KT_INT(value), .dtype = KT_I64); }

/* A tensor or sizes of a packed sequence, or of CTC: one target of one label. */
static inline bool any_of_sequence(kt_call *c, int i, kt_dtype dtype)
{
    static const int64_t three[] = {3}, one[] = {1}, whole[] = {3, 1, 1};
    const kt_arg_spec   *spec = kt_row_arg(c->row, i);
    const char          *name = spec->name;
    const bool           ctc = any_is_ctc(c->row);
    if (spec->kind == KT_ARG_INT && strcmp(name, "total_length") == 0)
        c->arg[i].i = 3;
    else if (spec->kind == KT_ARG_INTS)
        c->arg[i].ints = ctc ? (kt_shape){1, strcmp(name, "input_lengths") == 0 ? three : one} : (kt_shape){3, whole};
    else if (spec->kind != KT_ARG_TENSOR)
        return false;
    else if (strstr(name, "target") || strcmp(name, "batch_sizes") == 0)
        c->arg[i].t = strcmp(name, "targets") == 0 ? any_whole(1, KT_SHAPE(1, 1))
                      : ctc                        ? any_whole(1, KT_SHAPE(1))
                                                   : any_whole(1, KT_SHAPE(3));
    else if (strstr(name, "lengths"))
        c->arg[i].t = any_whole(3, KT_SHAPE(1));
    else if (ctc)
        c->arg[i].t = any_filled(dtype, strcmp(name, "log_probs") == 0   ? KT_SHAPE(3, 1, 3)
                                        : strcmp(name, "log_alpha") == 0 ? KT_SHAPE(1, 3, 3)
                                                                         : KT_SHAPE(1));
    else
        c->arg[i].t = any_filled(dtype, strcmp(name, "input") == 0 ? KT_SHAPE(3, 1, 1) : KT_SHAPE(3, 1));
    return true;
}

/* Is argument i one of theirs? Then it is given: numbers and truths are any_row.h's, of which mode 1 is an rnn with tanh. */
static inline bool any_of_recurrent(kt_call *c, int i, kt_dtype dtype)
{
    static kt_tensor    *lists[KT_MAX_ARGS][2];
    const kt_arg_spec   *spec = kt_row_arg(c->row, i);
    const char          *name = spec->name;
    const bool           inner = any_starts(c->row, "recurrence"), cell = strstr(c->row->name, "_cell") != NULL,
                         data = strstr(c->row->name, "_data") != NULL, params = strcmp(name, "params") == 0;
    const int64_t        gates = any_starts(c->row, "lstm") ? 4 : any_starts(c->row, "gru") ? 3 : 1;
    const kt_shape       states = cell || inner ? KT_SHAPE(1, 1) : KT_SHAPE(1, 1, 1);
    if (!any_is_recurrent(c->row))
        return false;
    if (any_is_packed(c->row) || any_is_ctc(c->row)) {
        if (!any_of_sequence(c, i, dtype))
            return false;
    } else if (spec->kind == KT_ARG_INTS) {
        c->arg[i].ints = (kt_shape){0, NULL};
    } else if (spec->kind == KT_ARG_TENSORS) {
        for (int k = 0; k < 2; k++)
            lists[i][k] = params ? any_filled(dtype, KT_SHAPE(gates, 1)) : any_filled(dtype, states);
        c->arg[i].ts.t = lists[i];
        c->arg[i].ts.n = inner ? 1 : 2;
    } else if (spec->kind == KT_ARG_TENSOR) {
        c->arg[i].t = strcmp(name, "batch_sizes") == 0 ? kt_ones(KT_SHAPE(3), .dtype = KT_I64)
                      : strcmp(name, "workspace") == 0 ? any_filled(dtype, KT_SHAPE(0))
                      : strstr(name, "w_")             ? any_filled(dtype, KT_SHAPE(gates, 1))
                      : strstr(name, "b_")             ? any_filled(dtype, KT_SHAPE(gates))
                      : strstr(name, "_workspace")     ? any_filled(dtype, KT_SHAPE(0))
                      : strstr(name, "hx") || strstr(name, "_hy") || strstr(name, "_cy") ? any_filled(dtype, states)
                      : cell                           ? any_filled(dtype, KT_SHAPE(1, 1))
                      : data                           ? any_filled(dtype, KT_SHAPE(3, 1))
                                                       : any_filled(dtype, KT_SHAPE(3, 1, 1));
    } else {
        return false;
    }
    c->given |= 1u << i;
    c->scalars &= ~(1u << i);
    return true;
}

#endif
