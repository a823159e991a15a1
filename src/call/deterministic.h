/* deterministic.h - torch.use_deterministic_algorithms. Karat's operators are deterministic anyway; the setting fills
 * uninitialized memory with a known value, and refuses or warns about operators that PyTorch calls nondeterministic. */
#ifndef KT_CALL_DETERMINISTIC_H
#define KT_CALL_DETERMINISTIC_H

#include "tensor/tensor.h"

/* Fills a new tensor with NaN, or the largest integer, if the setting is on. */
kt_status kt__fill_unwritten(kt_tensor *t);

/* PyTorch's error or warning for an operator without a deterministic implementation. */
kt_status kt__alert_nondeterministic(const char *name);

#endif
