/* check.h - kernels that look at values and write nothing: see the family "checks" of plugin/backend.h. */
#ifndef KT_CPU_CHECK_H
#define KT_CPU_CHECK_H

#include "cpu/kernels.h"

kt_status kt__cpu_check(const kt__cpu_build *build, const kt_plan *plan);
bool      kt__cpu_checks(kt_kernel_id kernel, kt_compute compute); /* is there such a kernel? */

#endif
