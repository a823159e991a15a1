/* beside.h - results that nothing flows to, in the history of what they were made beside. */
#ifndef KT_GRAD_BESIDE_H
#define KT_GRAD_BESIDE_H

#include "grad/grad.h"

/* Results that require no grad get a history that leads to the inputs, if one of these requires grad; a NULL is left out. `name`:
 * of the node, a constant. */
kt_status kt__place_beside(const char *name, kt_tensor *const *results, int64_t n, kt_tensor *const *inputs, int64_t n_inputs);
kt_status kt__place_list_beside(kt_call *call); /* the results of a list, beside all tensors of the call */

#endif
