/* class_entropy.c - cross entropy of rows of logits and class indices without their log_softmax in memory: one pass over the
 * logits, and one for the gradient. The numbers are those of nll_loss of log_softmax, which rounds to the logits' dtype between,
 * or with half_to_float those of float32: the kernels read narrow logits as such, and write their gradient as narrow.
 *
 * In: calls of the two rows. Out: the loss, and what the gradient needs of each row: its largest logit and the logarithm of its
 * sum. */
#include "call/check.h"
#include "ops/loss/loss.h"
#include "tables/kernels/softmax.h"

enum { INPUT, TARGET, WEIGHT, REDUCTION, IGNORE, HALF_TO_FLOAT };

static int      compute_of(const kt_tensor *t) { return kt__dtype_rows[t->dtype].compute; }
static kt_dtype wide_of(const kt_tensor *t) { return compute_of(t) == KT_IN_F64 ? KT_F64 : KT_F32; }
static bool     is_lazy(const kt_tensor *t) { return t->flags & (KT_T_CONJ | KT_T_NEG); }

static bool on_one_device(const kt_tensor *a, const kt_tensor *b) { return a->backend == b->backend && a->index == b->index; }

static bool is_row(const kt_tensor *t, kt_dtype dtype, int64_t n, const kt_tensor *beside)
{
    return t->dtype == dtype && t->ndim == 1 && t->sizes[0] == n && !is_lazy(t) && on_one_device(t, beside);
}

/* A device without the kernel would bring all to the host. */
static bool has_kernel(const kt_tensor *t)
{
    const kt_backend *backend = kt__backend(t->backend);
    return !backend->kernels || backend->kernels[KT_K_cross_entropy] >> compute_of(t) & 1;
}

bool kt__cross_entropy_takes(const kt_tensor *input, const kt_tensor *target, const kt_tensor *weight)
{
    const kt_dtype d = (kt_dtype)input->dtype;
    const bool     floats = d == KT_F32 || d == KT_F64 || d == KT_BF16 || d == KT_F16;
    const uint32_t flags = input->flags | target->flags | (weight ? weight->flags : 0);
    if (flags & KT_T_BATCHED) /* a vmap: the parts are run for all examples at once */
        return false;
    return floats && input->ndim == 2 && input->numel && !is_lazy(input) && is_row(target, KT_I64, input->sizes[0], input) &&
           (!weight || (is_row(weight, d, input->sizes[1], input) && !(weight->flags & KT_T_FOLLOWED))) &&
           has_kernel(input);
}

/* ---- plans: the dims are rows and classes. Of what a row has one of, the second stride is 0 ---- */

static void set_operand(kt_plan *plan, int at, const kt_tensor *t, kt_dtype as, kt_reason why)
{
    kt__set_operand(plan, at, t, as, as == (kt_dtype)t->dtype ? KT_WHY_NONE : why);
    for (int d = 0; d < 2; d++)
        plan->stride[at][d] = d < t->ndim ? t->strides[d] * (int64_t)kt__itemsize(t) : 0;
}

/* The logits are seen as `as`. */
static kt_status run(const kt_call *call, int kernel, const kt_tensor *input, kt_dtype as, kt_reason why,
                     kt_tensor *const *operands, int n_out, int n_in)
{
    kt_plan plan;
    kt__plan_begin(&plan, kt__row_called(call), kernel, compute_of(input), n_in, input);
    plan.n_out = (uint8_t)n_out;
    plan.numel = input->numel;
    plan.nd = 2;
    plan.size[0] = input->sizes[0];
    plan.size[1] = input->sizes[1];
    for (int i = 0; i < n_out + n_in; i++)
        set_operand(&plan, i, operands[i], operands[i] == input ? as : (kt_dtype)operands[i]->dtype, why);
    return kt__launch_long(&plan, operands[0]);
}

static kt_tensor *new_of(const kt_call *call, kt_dtype dtype, const kt_tensor *beside, int rank)
{
    kt_tensor *t = kt__scoped(kt__tensor_new(dtype, kt__device(beside), (kt_shape){rank, beside->sizes}));
    if (t)
        t->lineage = dtype == beside->dtype ? beside->lineage : KT__RECORD(KT_BORN, call->row->name, KT_NONE, dtype, 0);
    return t;
}

kt_status kt__body_cross_entropy(kt_call *call)
{
    KT_SCOPE;
    kt_tensor    *input = call->arg[INPUT].t, *target = call->arg[TARGET].t;
    kt_tensor    *weight = kt__given(call, WEIGHT) ? call->arg[WEIGHT].t : NULL;
    const int64_t ignore = kt__arg_int(call, IGNORE);
    kt__classes   of;
    if (kt__check_reduction(kt__arg_int(call, REDUCTION)))
        return kt_error_status();
    if (!kt__cross_entropy_takes(input, target, weight))
        return kt_fail(KT_ERR_RUNTIME, "cross_entropy takes rows of logits, an int64 class for each, and weights of their dtype");
    const bool     widens = kt__arg_bool(call, HALF_TO_FLOAT);
    const kt_dtype dtype = widens ? wide_of(input) : (kt_dtype)input->dtype;
    if (kt__check_classes(target, ignore, input->sizes[1]) || !kt__classes_of(target, weight, ignore, dtype, &of))
        return kt_error_status();
    kt_tensor *taken = new_of(call, dtype, input, 1), *top = new_of(call, wide_of(input), input, 1);
    kt_tensor *total = new_of(call, wide_of(input), input, 1), *index = kt_contiguous(of.index);
    if (!taken || !top || !total || !index)
        return kt_error_status();
    if (dtype != (kt_dtype)input->dtype)
        taken->lineage = KT__RECORD(KT_WHY_AUTOCAST, call->row->name, input->dtype, dtype, input->lineage);
    if (run(call, KT_K_cross_entropy, input, dtype, KT_WHY_AUTOCAST, (kt_tensor *[]){taken, top, total, input, index}, 3, 2))
        return kt_error_status();
    kt_tensor *loss = kt__nll_reduced(taken, &of, (kt__reduction)kt__arg_int(call, REDUCTION), dtype);
    return loss ? kt__end_several(call, (kt_tensor *[]){loss, top, total}, 3) : kt_error_status();
}

kt_status kt__body_cross_entropy_backward(kt_call *call)
{
    KT_SCOPE;
    kt_tensor     *grad = call->arg[0].t, *input = call->arg[1].t, *index = call->arg[2].t;
    kt_tensor     *top = call->arg[3].t, *total = call->arg[4].t;
    const bool     good = kt__cross_entropy_takes(input, index, NULL);
    const kt_dtype wide = wide_of(input), as = (kt_dtype)grad->dtype; /* that of the loss */
    if (!good || (as != wide && as != (kt_dtype)input->dtype) || !is_row(grad, as, input->sizes[0], input) ||
        !is_row(top, wide, input->sizes[0], input) ||
        !is_row(total, wide, input->sizes[0], input))
        return kt_fail(KT_ERR_RUNTIME, "cross_entropy_backward takes what cross_entropy gave, and a gradient for each row");
    kt_tensor *out = new_of(call, (kt_dtype)input->dtype, input, 2);
    index = kt_contiguous(index), top = kt_contiguous(top), total = kt_contiguous(total), grad = kt_contiguous(grad);
    if (!out || !index || !top || !total || !grad ||
        run(call, KT_K_cross_entropy_backward, input, as, KT_WHY_PROMOTION,
            (kt_tensor *[]){out, input, index, top, total, grad}, 1, 5))
        return kt_error_status();
    return kt__end(call, out);
}
