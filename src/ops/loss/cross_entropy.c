/* cross_entropy.c - cross_entropy of logits: with class indices (nll_loss of log_softmax, or both at once) or class
 * probabilities; both support label smoothing. In: calls of nn_cross_entropy. Out: the loss, or PyTorch's refusals. A composite:
 * its parts are recorded. */
#include "call/autocast.h"
#include "call/policy.h"
#include "call/refuse.h"
#include "ops/loss/loss.h"

typedef struct problem {
    kt_tensor    *input, *target, *weight; /* weight: or NULL */
    kt__reduction how;
    int64_t       ignore, classes, dim;    /* dim: of the classes */
    double        smooth;
    bool          widens;                  /* the kernel reads narrow logits as float32 */
} problem;

static double of_each(const problem *p) { return p->smooth / (double)p->classes; }

/* Weights, shaped to broadcast along the class dim. */
static kt_tensor *aligned(const problem *p)
{
    int64_t sizes[KT_MAX_DIMS];
    for (int i = 0; i < p->input->ndim; i++)
        sizes[i] = i == p->dim ? p->classes : 1;
    return p->input->ndim > 1 ? kt_view(p->weight, (kt_shape){p->input->ndim, sizes}) : p->weight;
}

static kt_tensor *log_softmax(const problem *p)
{
    return kt_log_softmax(p->input, p->dim, .dtype = (kt_dtype)p->input->dtype);
}

/* ---- probabilities ---- */

static kt_status check_probabilities(const kt_call *call, const problem *p)
{
    if (kt__refuse(call, STAGE_AFTER))
        return kt_error_status();
    if (p->ignore >= 0)
        return kt_fail(KT_ERR_RUNTIME, "ignore_index is not supported for floating point target");
    if (p->input->ndim == 0)
        return kt_fail(KT_ERR_INDEX, "Dimension specified as %lld but tensor has no dimensions", (long long)p->dim);
    if (!p->weight || (p->weight->ndim == 1 && p->weight->numel == p->classes))
        return KT_OK;
    return kt_fail(KT_ERR_RUNTIME,
                   "cross_entropy: weight tensor should be defined either for all %lld classes or no classes but got weight "
                   "tensor of shape: %s",
                   (long long)p->classes, KT__SIZES_TEXT(p->weight));
}

static kt_tensor *by_probability(const problem *p)
{
    kt_tensor *logs = log_softmax(p), *target = p->target;
    if (p->smooth > 0)
        target = kt_add_s(kt_mul_s(target, KT_FLOAT(1 - p->smooth)), KT_FLOAT(of_each(p)));
    if (p->weight)
        logs = kt_mul(logs, aligned(p));
    kt_tensor *parts = kt_mul(logs, target);
    if (p->how == REDUCE_NONE)
        return kt_neg(kt_sum_dim(parts, KT_SHAPE(p->dim)));
    kt_tensor *loss = kt_neg(kt_sum(parts));
    const double lines = p->classes ? (double)(p->input->numel / p->classes) : 0;
    return p->how == REDUCE_SUM ? loss : kt_div_by_number_s(loss, KT_FLOAT(lines));
}

/* ---- class indices with label smoothing ---- */

static kt_tensor *of_all_classes(const problem *p, kt_tensor *logs)
{
    kt_tensor *each = kt_neg(kt_sum_dim(p->weight ? kt_mul(logs, aligned(p)) : logs, KT_SHAPE(p->dim)));
    kt_tensor *ignored = kt_eq_s(p->target, KT_INT(p->ignore));
    if (each && p->target->ndim == 1 && each->ndim == 0)
        ignored = kt_reshape(ignored, KT_SCALAR);
    each = kt_masked_fill(each, ignored, KT_INT(0));
    if (p->how == REDUCE_NONE)
        return each;
    kt_tensor *sum = kt_sum(each);
    if (p->how == REDUCE_SUM)
        return sum;
    kt__classes c;
    if (!kt__classes_of(p->target, p->weight, p->ignore, (kt_dtype)p->input->dtype, &c))
        return NULL;
    return kt_true_divide(sum, kt_sum(c.count));
}

static kt_tensor *smoothed(const problem *p)
{
    kt_tensor *logs = log_softmax(p), *named = kt__nll_of(logs, p->target, p->weight, p->how, p->ignore);
    if (!named)
        return NULL;
    return kt_add(kt_mul_s(named, KT_FLOAT(1 - p->smooth)), kt_mul_s(of_all_classes(p, logs), KT_FLOAT(of_each(p))));
}

/* ---- class indices alone ---- */

static kt_tensor *at_once(const problem *p)
{
    const kt_cross_entropy_opts opts = {.size = sizeof opts, .weight = p->weight, .reduction = KT_SOME((int64_t)p->how),
                                        .ignore_index = KT_SOME(p->ignore), .half_to_float = p->widens};
    const uint64_t before = kt__mode_word;
    kt__mode_word = p->widens ? kt__without_autocast(before) : before;
    kt_tensor *loss = kt_cross_entropy_kw(p->input, p->target, &opts).loss;
    kt__mode_word = before;
    return loss;
}

/* The logits as they are: a large vocabulary's are the largest tensor of a step, which a cast would make half as large again. */
static bool reads_narrow(const kt_call *call)
{
    return !kt__given(call, 2) && kt__arg(call, 7)->f == 0 && kt__cross_entropy_takes(call->arg[0].t, call->arg[1].t, NULL);
}

kt_status kt__body_nn_cross_entropy(kt_call *call)
{
    KT_SCOPE;
    const kt_dtype wants = kt__autocast_wants(call);
    if (wants && !reads_narrow(call))
        return kt__run_cast(call, kt__body_nn_cross_entropy);
    if (wants && kt__allow(kt__mode(), call, "input", call->arg[0].t, wants, KT_WHY_AUTOCAST))
        return kt_error_status();
    problem p = {.input = call->arg[0].t, .target = call->arg[1].t, .weight = kt__given(call, 2) ? call->arg[2].t : NULL,
                 .ignore = kt__arg_int(call, 4), .smooth = kt__arg(call, 7)->f, .widens = wants != KT_NONE};
    p.dim = p.input->ndim != 1;
    p.classes = p.input->ndim ? p.input->sizes[p.dim] : 1;
    if (kt__reduction_of(call, (kt__reduction_args){3, 5, 6}, &p.how))
        return kt_error_status();
    const bool probable = kt__same_sizes(p.input, p.target);
    if (probable && check_probabilities(call, &p))
        return kt_error_status();
    if (p.smooth > 1)
        return kt_fail(KT_ERR_RUNTIME, "label_smoothing must be between 0.0 and 1.0. Got: %g", p.smooth);
    if (probable)
        return kt__end(call, by_probability(&p));
    if (p.smooth > 0)
        return kt__end(call, smoothed(&p));
    if (kt__cross_entropy_takes(p.input, p.target, p.weight))
        return kt__end(call, at_once(&p));
    return kt__end(call, kt__nll_of(log_softmax(&p), p.target, p.weight, p.how, p.ignore));
}
