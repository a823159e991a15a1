/* linalg.h - the CPU's kernels over batches of matrices. In: plans of the family product but for matmul. Out: the outputs. */
#ifndef KT_CPU_LINALG_LINALG_H
#define KT_CPU_LINALG_LINALG_H

#include <karat/plugin/backend.h>

kt_status kt__cpu_linalg(const kt_plan *plan);
bool      kt__cpu_has_linalg(kt_kernel_id kernel, kt_compute compute);

#endif
