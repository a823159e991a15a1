/* convert.h - a tensor in another dtype, layout or on another device, recorded with its reason. What every file needs of it
 * (kt__copy_into, kt__fill_with, kt__convert_inside) is declared in call.h. */
#ifndef KT_CALL_CONVERT_H
#define KT_CALL_CONVERT_H

#include "call/call.h"

typedef struct kt__cast {
    kt_dtype         dtype;
    kt_device        device;
    kt_memory_format format;
    kt_rounding      rounding;
    kt_reason        why;
    const char      *op; /* that lineage names */
    bool             non_blocking;
} kt__cast;

/* As kt__copy_into. non_blocking: between a device and pinned memory it returns before the elements have arrived. */
kt_status   kt__copy_late(kt_tensor *to, kt_tensor *from, kt_reason why, kt_rounding rounding, bool non_blocking);

kt_status   kt__cast_as(kt_tensor *self, const kt__cast *c, kt_tensor **out); /* owned; no tape */
const char *kt__cast_name(void);                                              /* the user's spelling of the current cast */

#endif
