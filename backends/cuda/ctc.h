/* ctc.h - what a launch of CTC hands to its kernels: read by C and by nvcc. */
#ifndef KARAT_CUDA_CTC_H
#define KARAT_CUDA_CTC_H

#include "args.h"

typedef struct ctc_args { /* of one compute type, dense; tables/kernels/recurrent.h says what the operands are */
    int64_t        steps, batch, classes, places, blank;
    uint8_t        forgives;
    const int64_t *targets, *lengths; /* lengths: [3, batch] */
    const char    *log_probs, *from;
    char          *loss, *alpha, *grad;
    char          *room;  /* back [batch, 3, places]: endings of two steps, and shares */
    int32_t       *chain; /* back [batch, 2, places]: is it the first place of its label; the next of the same label, or -1 */
} ctc_args;
typedef struct ctc_kernels {
    const void *forward, *back;
    kt_dtype    self;
} ctc_kernels;

#ifdef __cplusplus
extern "C" {
#endif
extern const ctc_kernels ctc_tables[2]; /* float32, float64 */
#ifdef __cplusplus
}
#endif

#endif
