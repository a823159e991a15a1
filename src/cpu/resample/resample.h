/* resample.h - kernels that read an image between its elements.
 *
 * In: plans of the family resample. Out: their results. A result is a sum of elements with weights; along each dim in space the
 * weights are computed once (taps.inc.c), and dims are summed one after the other. What flows back is the same sum with the
 * weights transposed. Independent of: tensors, operators; loops over floats are stamped per instruction set (cpu/isa). */
#ifndef KT_CPU_RESAMPLE_RESAMPLE_H
#define KT_CPU_RESAMPLE_RESAMPLE_H

#include "cpu/window/image.h"
#include "math/taps.h"
#include "tables/kernels/resample.h"

typedef struct kt__resizing {
    kt__image out, in;
    kt__along along[KT__SPACE_DIMS];
    bool      channels_inner; /* the channels of a position go together */
} kt__resizing;

kt__resizing kt__resizing_of(const kt_plan *plan);

kt_status kt__resample_moves(const kt__resizing *r); /* the nearest elements of a dtype of any kind */
kt_status kt__resample_bytes(const kt__resizing *r); /* sums of uint8 */

kt_status kt__cpu_resample(const kt__cpu_build *build, const kt_plan *plan);
bool      kt__cpu_resamples(kt_kernel_id kernel, kt_compute compute);

#endif
