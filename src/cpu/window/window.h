/* window.h - kernels in which a window moves over an image: convolutions and pooling.
 *
 * In: plans of the family window. Out: their results. Independent of: tensors, operators. */
#ifndef KT_CPU_WINDOW_WINDOW_H
#define KT_CPU_WINDOW_WINDOW_H

#include "cpu/kernels.h"

kt_status kt__cpu_window(const kt__cpu_build *build, const kt_plan *plan);

#endif
