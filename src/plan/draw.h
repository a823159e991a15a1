/* draw.h - who draws the numbers of a random plan.
 *
 * In: the tensor to be filled, the generator of the call. Out: where its plan is to be made, then the plan run. Independent of:
 * distributions.
 *
 * A device that has generators of its own draws from {seed, offset}, which stand in the plan: nothing waits, and no lock is
 * held while it draws. The CPU draws from mt19937, under the generator's lock. It does so too for devices that have no
 * generators, which accept the CPU's, and for kernels that a device lacks: from a stream that {seed, offset} begin, so that the
 * device's generator alone decides the numbers. */
#ifndef KT_PLAN_DRAW_H
#define KT_PLAN_DRAW_H

#include "plan/launch.h"

typedef struct kt__draw_source {
    kt_generator *from;
    bool          on_device; /* the tensor's device draws; else the CPU, and the tensor gets a copy */
} kt__draw_source;

bool kt__draws_itself(const kt_tensor *to, int kernel, int compute); /* does its device draw this from generators of its own? */
/* given: NULL for the default generator of the tensor's device. It must be of that device. */
kt_status kt__draw_source_of(const struct kt_row *row, const kt_tensor *to, int kernel, int compute, kt_generator *given,
                             kt__draw_source *source);
kt_status kt__launch_draw(kt_plan *plan, kt_tensor *on, const kt__draw_source *source); /* on: where the source said */

#endif
