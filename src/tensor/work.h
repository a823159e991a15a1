/* work.h - releases a binding's lock (the GIL) around long kernels and waits (karat/plugin/work.h).
 *
 * In: a plan and its backend. Out: the plan is run. Must not know: whose lock it is, operators. */
#ifndef KT_TENSOR_WORK_H
#define KT_TENSOR_WORK_H

#include "base/rng.h"
#include "tensor/tensor.h"

enum { KT__LONG_NUMEL = 100 * 1000, KT__LONG_PRODUCTS = 1000 * 1000 }; /* from here on releasing the lock pays */

/* The generator (NULL: none) is locked after the binding's lock is released: a thread waiting for it may hold that one. */
kt_status kt__run_open(kt_backend *backend, const kt_plan *plan, kt_generator *draws);

/* For loops that wait for another thread which may run the binding's code. */
void kt__wait_turn(void);

#endif
