/* recurrent.h - what the bodies of recurrent layers share. All tensors belong to the caller's scope; NULL in gives NULL out, for
 * a pending error. */
#ifndef KT_OPS_RECURRENT_RECURRENT_H
#define KT_OPS_RECURRENT_RECURRENT_H

#include "call/made.h"
#include "call/move.h"
#include "tables/kernels/recurrent.h"

/* One step made of operators, which take every dtype: from what input and state give to the gates to the next state. `cell`: of
 * an LSTM, in and out. */
kt_tensor *kt__step(int mode, kt_tensor *from_input, kt_tensor *from_state, kt_tensor *state, kt_tensor **cell);

/* The same states' rows before each step of a recurrence: [N, K]. batch_sizes: empty for whole sequences. */
kt_tensor *kt__states_before(kt_tensor *hx, kt_tensor *output, kt_shape batch_sizes, bool reverse);

/* Of one example of many: the values may be, and no kernel runs of it. */
static inline bool kt__is_recorded(const kt_tensor *t) { return t && (kt__is_followed(t) || t->flags & KT_T_BATCHED); }

#endif
