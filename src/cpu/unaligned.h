/* unaligned.h - operands in memory of others that is not aligned for their elements. In: plans. Out: their results. */
#ifndef KT_CPU_UNALIGNED_H
#define KT_CPU_UNALIGNED_H

#include "cpu/kernels.h"

bool      kt__is_unaligned(const kt_plan *plan); /* does its kernel need another address for some operand? */
kt_status kt__run_aligned(const kt__cpu_build *build, const kt_plan *plan);

#endif
