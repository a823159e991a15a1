/* order.h - the CPU's sorting, ranking and searching. In: plans of their kernels. Out: the outputs. */
#ifndef KT_CPU_ORDER_H
#define KT_CPU_ORDER_H

#include "op/plan.h"

kt_status kt__cpu_order(const kt_plan *plan);
kt_status kt__cpu_search(const kt_plan *plan);    /* search.c */
kt_status kt__cpu_sort_rows(const kt_plan *plan); /* order_rows.c */

/* An unsigned key that orders as the element does: a NaN above everything, the two zeros alike. */
uint64_t kt__order_key(const char *x, kt_dtype dtype);
/* The key of a NaN. Of a dtype that has none: no key is compared with it, ask first. */
bool kt__order_nan(kt_dtype dtype, uint64_t *key);

#endif
