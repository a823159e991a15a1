/* check.h - values checked where they are.
 *
 * In: tensors, what their values must be, and the fault that says otherwise. Out: an error at once where the CPU holds them; on
 * a device that works late the next launch or wait reports it, and the host does not wait. Of the meta device and of no elements
 * nothing is checked. Independent of: which operator asks. */
#ifndef KT_CALL_CHECK_H
#define KT_CALL_CHECK_H

#include <karat/plugin/fault.h>

#include "call/call.h"

/* Both ends belong to it. They are integers for integer tensors. */
typedef struct kt__range {
    kt_scalar        low, high;
    kt_fault_kind    says[2]; /* for each tensor */
    const kt_scalar *exempt;  /* NULL, or a value that passes */
} kt__range;

/* Every element of one or two real tensors; two are broadcast. The first in row-major order that is out of range is reported. */
kt_status kt__check_range(kt_tensor *const *t, int n, const kt__range *range);
kt_status kt__check_fits(const kt_tensor *t, kt_dtype d); /* `d` holds every value */

/* Every element is at least 0, and none is NaN. */
kt_status kt__check_not_negative(kt_tensor *t, kt_fault_kind says);

#endif
