/* deterministic.h - what PyTorch's use_deterministic_algorithms asks of an engine whose operators all are: memory that nobody has
 * written holds a known value, and what PyTorch calls nondeterministic is refused or warned of. */
#ifndef KT_CALL_DETERMINISTIC_H
#define KT_CALL_DETERMINISTIC_H

#include "tensor/tensor.h"

/* NaN, or the largest integer, in elements that were just made; nothing unless it was asked for. */
kt_status kt__fill_unwritten(kt_tensor *t);

/* PyTorch has no deterministic implementation of the operator. */
kt_status kt__alert_nondeterministic(const char *name);

#endif
