/* fallback.h - plans that a device cannot run, run on the CPU: operands to the host, the CPU's kernel, results back. */
#ifndef KT_PLAN_FALLBACK_H
#define KT_PLAN_FALLBACK_H

#include <karat/plugin/backend.h>

/* In a capture it is an error that names the operator. */
kt_status kt__fall_back(kt_backend *backend, const kt_plan *plan);
void kt__count_fallback(const kt_backend *backend, kt_kernel_id kernel); /* and warns, once for each kernel */

/* The memory that operand `at` of a plan may reach, in bytes from its address: [low, high). Empty: low == high. */
void kt__plan_span(const kt_plan *plan, int at, int64_t *low, int64_t *high);

#endif
