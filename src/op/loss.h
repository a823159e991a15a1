/* loss.h - what the losses share: reduction= in its spellings.
 * For bodies: NULL and false pass an error on. */
#ifndef KT_OP_LOSS_H
#define KT_OP_LOSS_H

#include "op/made.h"

typedef enum kt__reduction { REDUCE_NONE, REDUCE_MEAN, REDUCE_SUM } kt__reduction;

/* What reduction= and the old size_average=, with reduce= behind it (-1: the row has neither), at these arguments ask for. */
kt_status  kt__reduction_of(const kt_call *call, int size_average, int reduction, kt__reduction *how);
kt_status  kt__check_reduction(int64_t given); /* of rows that take a number */
kt_tensor *kt__reduced(kt_tensor *loss, kt__reduction how);

#endif
