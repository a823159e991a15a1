/* recurrent.h - ids of the kernels of recurrent.def, and what their plans hold. */
#ifndef KT_TABLES_KERNELS_RECURRENT_H
#define KT_TABLES_KERNELS_RECURRENT_H

#include "tables/kernels/families.h"

enum {
    KT__FAMILY_BEGIN(recurrent),
#define KERNEL(name, ...) KT_K_##name,
#include "tables/kernels/recurrent.def"
#undef KERNEL
};

/* ---- a recurrence: PyTorch's numbers of the modes ---- */
enum { KT__RNN_RELU, KT__RNN_TANH, KT__LSTM, KT__GRU };

/* Operands of the plans of both kernels, in this order; each is dense and has its own block of dims. Those that a plan has
 * are the bits of param[KT__SEQ_HAS]. N: rows of all steps, step by step; B: sequences; H: units; K: size of the state, which
 * is H unless it is projected; G: gates (rnn 1, LSTM 4: i f g o, GRU 3: r z n). A workspace [N, W] has compute type's dtype:
 * of an LSTM the gates after their functions and the cell [5 H]; of a GRU those and what the state gave to n [4 H]. */
enum {
    /* recurrence: results */
    KT__SEQ_OUTPUT,      /* [N, K] */
    KT__SEQ_HY,          /* [B, K] */
    KT__SEQ_CY,          /* [B, H] */
    KT__SEQ_WORK,        /* [N, W] */
    /* recurrence_backward: results */
    KT__SEQ_GRAD_GATES,  /* [N, G H] */
    KT__SEQ_GRAD_HIDDEN, /* GRU: of what the state gave to the gates [N, G H]; projected: of the output, in all [N, K] */
    KT__SEQ_GRAD_STATE,  /* [B, K + H]: of hx and cx; without cells [B, K] */
    /* operands */
    KT__SEQ_GATES,       /* [N, G H]: what the input gives to the gates */
    KT__SEQ_FROM_OUTPUT, /* what flows back to each result */
    KT__SEQ_FROM_HY,
    KT__SEQ_FROM_CY,
    KT__SEQ_FROM_WORK,
    KT__SEQ_HX,          /* [B, K] */
    KT__SEQ_CX,          /* [B, H] */
    KT__SEQ_WEIGHT,      /* [G H, K] */
    KT__SEQ_BIAS,        /* [G H]: inside n of a GRU, so it is not part of the gates */
    KT__SEQ_PROJECTION,  /* [K, H] */
    KT__SEQ_OUTPUT_WAS,  /* results of the forward pass */
    KT__SEQ_WORK_WAS,
    KT__SEQ_SIZES,       /* int64 [steps]: rows of each step, none more than of the step before; absent: B each */
    KT__SEQ_OPERANDS
};

/* Parameters of the plans. */
enum { KT__SEQ_HAS, KT__SEQ_MODE, KT__SEQ_REVERSE, KT__SEQ_STEPS, KT__SEQ_BATCH, KT__SEQ_UNITS, KT__SEQ_STATE, KT__SEQ_PARAMS };

/* ---- CTC: operands are dense; out: loss [batch] and alpha [batch, steps, places], or the gradient [steps, batch, classes] ---- */
enum {
    KT__CTC_LOG_PROBS, /* [steps, batch, classes] */
    KT__CTC_TARGETS,   /* int64: all labels */
    KT__CTC_LENGTHS,   /* int64 [3, batch]: steps and labels of each sample, and where its labels begin */
    KT__CTC_LOSS,      /* of the backward kernel alone: what the other gave, */
    KT__CTC_ALPHA,
    KT__CTC_FROM       /* and what flowed back [batch] */
};
enum { KT__CTC_STEPS, KT__CTC_BATCH, KT__CTC_CLASSES, KT__CTC_PLACES, KT__CTC_BLANK, KT__CTC_FORGIVES, KT__CTC_PARAMS };

static inline int kt__recurrence_gates(int64_t mode) { return mode == KT__LSTM ? 4 : mode == KT__GRU ? 3 : 1; }
static inline int kt__recurrence_kept(int64_t mode) { return mode == KT__LSTM ? 5 : mode == KT__GRU ? 4 : 0; } /* W / H */

#endif
