/* autocast.h - autocast's part of a call, behind the mode bit KT_M_AUTOCAST. */
#ifndef KT_CALL_AUTOCAST_H
#define KT_CALL_AUTOCAST_H

#include "call/call.h"

/* The step before gathering: casts the call's tensors by the row's autocast class and runs it without autocast. Ways that
 * convert in their kernels are left to the resolver. */
kt_status kt__run_under_autocast(kt_call *call, kt_status (*run)(kt_call *call));

/* The resolver's part: the operands' dtypes under autocast, and the reasons. `mode`: kt__mode_of_call. */
kt_status kt__autocast_dtypes(const kt_call *call, kt__gathered *g, uint64_t mode, uint8_t *why);

const kt_tensor *kt__first_tensor(const kt_call *call); /* NULL: the call has none */
/* The tensor whose device decides which autocast applies: the first, but 0-dim CPU tensors follow the others to their device. */
const kt_tensor *kt__home_tensor(const kt_call *call);

/* cast_cache.c: `t` cast to `dtype`, once per entered autocast region. Owned; NULL after an error. */
kt_tensor *kt__cached_cast(kt_tensor *t, kt_dtype dtype);

#endif
