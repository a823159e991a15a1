/* fault.h - errors made from what a kernel found wrong in its values.
 *
 * In: kt_fault, numbers from any device. Out: PyTorch's CPU message and status. Independent of: which device or kernel. */
#ifndef KT_DTYPE_FAULT_H
#define KT_DTYPE_FAULT_H

#include <karat/plugin/fault.h>

#include "dtype/dtype.h"

kt_status kt__fault_text(const kt_fault *fault, char *text, size_t room); /* the status; `text` is the message */
kt_status kt__fail_fault(const kt_fault *fault);                          /* the same as this thread's error */

const char *kt__overflow_name(kt_dtype d); /* a dtype as overflow errors name it */

#endif
