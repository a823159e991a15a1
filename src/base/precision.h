/* precision.h - to what the numbers of float32 products and convolutions may be rounded before they are multiplied.
 *
 * In: PyTorch's settings (karat/base.h), the process's. Out: what a launch may do now. Independent of: plans, devices. */
#ifndef KT_BASE_PRECISION_H
#define KT_BASE_PRECISION_H

#include <karat/base.h>

bool kt__may_be_tf32(kt_tf32_use of); /* on devices that have it: 11 bits, sums in float32 */
bool kt__products_may_be_bf16(void);  /* on the CPU */

#endif
