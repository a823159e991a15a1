/* order.h - the CPU's sorting and ranking. In: plans of the kernels sort and those by rank. Out: the outputs. */
#ifndef KT_CPU_ORDER_H
#define KT_CPU_ORDER_H

#include "op/plan.h"

kt_status kt__cpu_order(const kt_plan *plan);

#endif
