/* launch.h - the one way of a plan to its device.
 *
 * In: a plan that is complete but for what only watchers and late devices read. Out: it was run, or taken by a device that works
 * late; watchers have seen it. Independent of: operators, how a plan is made. */
#ifndef KT_PLAN_LAUNCH_H
#define KT_PLAN_LAUNCH_H

#include <karat/plugin/backend.h>

#include "base/local.h"
#include "base/rng.h"
#include "tensor/tensor.h"

/* Begins a plan with one output, whose operands, dims and parameters are still to come. */
static inline void kt__plan_begin(kt_plan *plan, const struct kt_row *row, int kernel, int compute, int n_in,
                                  const kt_tensor *on)
{
    plan->row = row;
    plan->kernel = (kt_kernel_id)kernel;
    plan->compute = (uint8_t)compute;
    plan->n_out = 1;
    plan->n_in = (uint8_t)n_in;
    plan->n_param = 0;
    plan->device_index = on->index;
    plan->contiguous = 0;
    plan->rounding = KT_ROUND_TORCH;
    plan->origin = 0xff;
    plan->seed = 0;
}

static inline void kt__set_operand(kt_plan *plan, int at, const kt_tensor *t, kt_dtype as, kt_reason why)
{
    kt_operand *o = &plan->arg[at];
    o->data = t->data;
    o->is = t->dtype;
    o->as = (uint8_t)as;
    o->why = (uint8_t)why;
    o->bits = (uint8_t)((t->flags & KT_T_CONJ ? KT_BIT_CONJ : 0) | (t->flags & KT_T_NEG ? KT_BIT_NEG : 0));
    o->immediate = 0;
}

kt_status kt__launch(kt_plan *plan, kt_tensor *on);      /* hands the plan to the device of `on`, its first output */
kt_status kt__launch_long(kt_plan *plan, kt_tensor *on); /* of what takes long though it has few elements */
kt_status kt__launch_draw(kt_plan *plan, kt_tensor *on, kt_generator *g); /* the generator is locked meanwhile */
/* What a kernel wrote into a lazy view, made what the view means: of any output but the first, which a launch sees to. */
kt_status kt__turn_written(const struct kt_row *row, kt_tensor *on);

/* The bytes of `from` to those of `to`, of the same dtype and as many, both dense, on another device. */
kt_status kt__transfer(const struct kt_row *row, kt_tensor *to, const kt_tensor *from);

/* ---- watchers (watch.c) ---- */
extern _Atomic uint32_t   kt__watchers __attribute__((visibility("hidden"))); /* how many there are; no detour by the GOT */
extern KT__HOT_LOCAL bool kt__unseen;   /* the thread's plans are not: a watcher makes them, or a call that is only tried */

static inline uint32_t kt__is_watching(void) { return atomic_load_explicit(&kt__watchers, memory_order_relaxed); }
void kt__tell_before(const kt_plan *plan);
void kt__tell_after(const kt_plan *plan, kt_status status);

#endif
