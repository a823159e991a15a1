/* step.h - kernels of the family optimizer. In: plans. Out: parameters and what belongs to them, updated. Independent of:
 * tensors, operators. */
#ifndef KT_CPU_STEP_H
#define KT_CPU_STEP_H

#include "cpu/kernels.h"
#include "tables/kernels/optimizer.h"

kt_status kt__cpu_step(const kt__cpu_build *build, const kt_plan *plan);
double    kt__operand_f64(const kt_plan *plan, int i); /* its first element */

#endif
