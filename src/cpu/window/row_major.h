/* row_major.h - convolutions of few channels a group on row-major copies of their images. */
#ifndef KT_CPU_WINDOW_ROW_MAJOR_H
#define KT_CPU_WINDOW_ROW_MAJOR_H

#include "cpu/kernels.h"

typedef kt_status kt__window_fn(const kt__cpu_build *build, const kt_plan *plan);

bool      kt__runs_row_major(const kt_plan *plan, int64_t groups);
kt_status kt__run_row_major(const kt__cpu_build *build, const kt_plan *plan, kt__window_fn *run);

#endif
