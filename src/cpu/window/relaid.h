/* relaid.h - convolutions on copies of their images in the other layout, where that pays. */
#ifndef KT_CPU_WINDOW_RELAID_H
#define KT_CPU_WINDOW_RELAID_H

#include "cpu/kernels.h"

typedef kt_status kt__window_fn(const kt__cpu_build *build, const kt_plan *plan);

typedef enum kt__layout { KT__LAYOUT_AS_IS, KT__LAYOUT_ROW_MAJOR, KT__LAYOUT_CHANNELS_LAST } kt__layout;

/* The layout to run a convolution in, of `groups`. */
kt__layout kt__layout_for(const kt__cpu_build *build, const kt_plan *plan, int64_t groups);
kt_status  kt__run_relaid(const kt__cpu_build *build, const kt_plan *plan, kt__window_fn *run, kt__layout layout);

#endif
