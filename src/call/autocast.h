/* autocast.h - autocast's part of a call, behind the mode bit KT_M_AUTOCAST. */
#ifndef KT_CALL_AUTOCAST_H
#define KT_CALL_AUTOCAST_H

#include "call/call.h"

/* The step before gathering: runs the call with its tensors cast as the row's class says, once, its parts without autocast. What
 * fuses conversions with its kernels is left to the resolver. */
kt_status kt__run_under_autocast(kt_call *call, kt_status (*run)(kt_call *call));

/* The resolver's part: dtypes that the call is decided with, and why. `mode` is that of the call. */
kt_status kt__autocast_dtypes(const kt_call *call, kt__gathered *g, uint64_t mode, uint8_t *why);

/* A call's device for autocast: its first tensor. NULL: it has none. */
const kt_tensor *kt__first_tensor(const kt_call *call);

/* cast_cache.c: `t` as `dtype`, made once while autocast is entered. Owned; NULL after an error. */
kt_tensor *kt__cached_cast(kt_tensor *t, kt_dtype dtype);

#endif
