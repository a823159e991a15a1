/* work.h - kernels that take long run, and threads wait for one another, while a binding's lock is open (karat/plugin/work.h).
 *
 * In: a plan and its backend. Out: the plan is run. Must not know: whose lock it is, operators. */
#ifndef KT_TENSOR_WORK_H
#define KT_TENSOR_WORK_H

#include "base/rng.h"
#include "tensor/tensor.h"

enum { KT__LONG_NUMEL = 100 * 1000, KT__LONG_PRODUCTS = 1000 * 1000 }; /* worth opening and shutting a lock */

/* A generator to draw from (NULL: none) is locked inside: who waits for it may hold the binding's lock. */
kt_status kt__run_open(kt_backend *backend, const kt_plan *plan, kt_generator *draws);

/* For loops that wait until another thread is done with something that may run the binding's code. */
void kt__wait_turn(void);

#endif
