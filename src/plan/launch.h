/* launch.h - the one function that runs plans.
 *
 * In: a plan, complete but for the fields that only watchers and late devices read. Out: the plan has run, or a late device
 * (one that runs plans asynchronously) has taken it; watchers have seen it. Independent of: operators, how a plan is made. */
#ifndef KT_PLAN_LAUNCH_H
#define KT_PLAN_LAUNCH_H

#include <karat/conversions.h>
#include <karat/plugin/watch.h>

#include "base/local.h"
#include "base/rng.h"
#include "tensor/tensor.h"

/* Begins a plan with one output; the caller then sets operands, dims and parameters. */
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
    plan->tf32 = 0;
    plan->seed = 0;
}

extern KT__HOT_LOCAL kt_collecting kt__collecting[KT_NUM_COLLECTORS]; /* who wants to know of this thread's conversions */
void kt__note_conversion(const kt_plan *plan, const kt_tensor *t, kt_dtype as, kt_reason why);

static inline void kt__tell_conversion(const kt_plan *plan, const kt_tensor *t, kt_dtype as, kt_reason why)
{
    if (KT__UNLIKELY(why != KT_WHY_NONE) && (kt__collecting[KT_COLLECT_MODULE].into || kt__collecting[KT_COLLECT_REGION].into))
        kt__note_conversion(plan, t, as, why);
}

kt_status kt__fail_example(void); /* what kt__launch says of a plan with an operand of a vmap (kt__set_operand) */
extern KT__HOT_LOCAL bool kt__met_example; /* it was said since this was last cleared */

static inline void kt__set_operand(kt_plan *plan, int at, const kt_tensor *t, kt_dtype as, kt_reason why)
{
    kt_operand *o = &plan->arg[at];
    o->data = t->numel ? t->data : NULL; /* its strides may say nothing: those of an empty array of NumPy are 0 */
    o->is = t->dtype;
    o->as = (uint8_t)as;
    o->why = (uint8_t)why;
    o->bits = (uint8_t)((t->flags & KT_T_CONJ ? KT_BIT_CONJ : 0) | (t->flags & KT_T_NEG ? KT_BIT_NEG : 0));
    o->immediate = 0;
    kt__tell_conversion(plan, t, as, why);
    if (KT__UNLIKELY(t->flags & KT_T_BATCHED)) /* its memory is that of all examples: kt__launch refuses such a plan */
        plan->kernel = 0;
}

kt_status kt__launch(kt_plan *plan, kt_tensor *on);      /* runs the plan on the device of `on`, its first output */
kt_status kt__launch_long(kt_plan *plan, kt_tensor *on); /* the same for a plan that takes long though it has few elements */
kt_status kt__launch_check(kt_plan *plan, kt_tensor *on); /* the same for a plan without outputs; `on` is an input */
kt_status kt__launch_fill(kt_plan *plan, kt_tensor *on);  /* the same for a fill of a new tensor, whose address nobody has */
kt_status kt__launch_from(kt_plan *plan, kt_tensor *on, kt_generator *g); /* for draw.c: with g locked, if there is one */
/* Conjugates or negates what a kernel wrote into a view with a lazy bit. A launch does this for the first output only; call
 * it for the others. */
kt_status kt__apply_lazy_bits(const struct kt_row *row, kt_tensor *on);

/* Copies the bytes of `from` to `to` on another device. Both are dense, with the same dtype and number of elements. */
/* non_blocking: if the host's side is pinned memory, it returns before they have arrived. */
kt_status kt__transfer(const struct kt_row *row, kt_tensor *to, const kt_tensor *from, bool non_blocking);
/* Sets the fields that only watchers and devices read: line, stream, devices. `from`: where the inputs are. */
void      kt__plan_place(kt_plan *plan, const kt_tensor *on, const kt_tensor *from);

/* ---- watchers (watch.c) ---- */
extern KT__HIDDEN _Atomic uint32_t kt__watchers; /* their number */
/* this thread's plans are not shown to watchers: a watcher makes them, or the call is only a trial */
extern KT__HOT_LOCAL bool kt__unseen;

static inline uint32_t kt__is_watching(void) { return atomic_load_explicit(&kt__watchers, memory_order_relaxed); }
static inline bool     kt__is_seen(void) { return kt__is_watching() && !kt__unseen; }
void kt__tell_before(const kt_plan *plan);
void kt__tell_after(const kt_plan *plan, kt_status status);
/* Ask kt__is_seen before `enter`; then `leave`, whatever it says by then. */
void kt__tell_enter(kt_span *span); /* gives the span its id */
void kt__tell_leave(const kt_span *span, kt_status status);

#endif
