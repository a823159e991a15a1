/* steps.c - steps of optimizers: the _fused functions. In: calls of the rows of tables/ops/optimizer.def. Out: parameters, states
 * and, where they are scaled, gradients, written in place. Each parameter is a plan; all run as one batch, after all have passed
 * their checks: a refused step changes nothing. Steps, learning rates and scales stay where they are: a kernel reads them, and no
 * device makes the host wait. Independent of: what a step calculates. */
#include "base/alloc.h"
#include "base/fills.h"
#include "call/made.h"
#include "call/move.h"
#include "call/target.h"
#include "plan/batch.h"
#include "tables/kernels/optimizer.h"

#define IMPROVED "(Could this error message be improved?  If so, please report an enhancement request to PyTorch.)"

enum { MOST_ARRAYS = 5, MOST_NUMBERS = 4, NOWHERE = -1 };

typedef struct step {
    int         kernel;
    const char *missing;                /* the kernel that PyTorch lacks for other dtypes */
    int64_t     flags;
    int         array[MOST_ARRAYS];     /* arguments: parameters, states, gradients */
    int         asked[MOST_ARRAYS];     /* positions in `array`, in the order in which PyTorch asks their dtypes */
    int         n_arrays, steps;        /* steps: the argument, or NOWHERE */
    kt_tensor  *number[MOST_NUMBERS];   /* learning rate, scale, infinity: those that are tensors */
    int         n_numbers;
    kt_scalar   param[KT_MAX_PARAMS];
    int         n_param;
} step;

/* ---- what the arguments say ---- */

static void add_list(step *s, int arg) { s->array[s->n_arrays++] = arg; }

static void add_float(step *s, const kt_call *call, int arg) { s->param[s->n_param++] = KT_FLOAT(kt__arg(call, arg)->f); }

static void add_flag(step *s, const kt_call *call, int arg, int64_t flag) { s->flags |= kt__arg_bool(call, arg) ? flag : 0; }

static bool has_rate(const kt_call *call, int rate) { return kt__arg_spec(call->row, rate)->kind == KT_ARG_TENSOR; }

static void add_rate(step *s, const kt_call *call, int rate)
{
    s->param[s->n_param++] = has_rate(call, rate) ? KT_FLOAT(0) : KT_FLOAT(kt__arg(call, rate)->f);
}

static kt_status check_single(const kt_tensor *t)
{
    return t->numel == 1 ? KT_OK : kt_fail(KT_ERR_RUNTIME, "a Tensor with %lld elements cannot be converted to Scalar",
                                           (long long)t->numel);
}

static kt_status add_number(step *s, const kt_call *call, int arg, int64_t flag)
{
    kt_tensor *t = kt__given(call, arg) ? call->arg[arg].t : NULL;
    if (!t || (t->numel == 0 && flag != KT__STEP_RATE))
        return KT_OK;
    if (flag == KT__STEP_RATE && check_single(t))
        return kt_error_status();
    if (flag != KT__STEP_RATE && t->dtype != KT_F32)
        return kt__fail_dtype(call, KT_ERR_RUNTIME, "expected scalar type Float but found %s",
                              kt_dtype_torch_name((kt_dtype)t->dtype));
    s->number[s->n_numbers++] = t;
    s->flags |= flag;
    return KT_OK;
}

static kt_status add_numbers(step *s, const kt_call *call, int rate, int scale)
{
    return (has_rate(call, rate) && add_number(s, call, rate, KT__STEP_RATE)) ||
                   add_number(s, call, scale, KT__STEP_SCALED) || add_number(s, call, scale + 1, KT__STEP_WATCHED)
               ? kt_error_status()
               : KT_OK;
}

/* ---- checks of lists ---- */

static kt_status check_length(const kt_call *call, int arg, int64_t n)
{
    return call->arg[arg].ts.n == n
               ? KT_OK
               : kt_fail(KT_ERR_RUNTIME, "Expected %s.size() == n_tensors to be true, but got false.  " IMPROVED,
                         kt__arg_spec(call->row, arg)->name);
}

/* A list that this step has no use for. */
static kt_status check_no_list(const kt_call *call, int arg)
{
    return call->arg[arg].ts.n == 0 ? KT_OK
                                    : kt_fail(KT_ERR_RUNTIME, "Expected %s.empty() to be true, but got false.  " IMPROVED,
                                              kt__arg_spec(call->row, arg)->name);
}

static kt_status check_any(const kt_call *call, const char *name)
{
    bool any = false;
    for (int i = 0; i < kt__n_args(call->row); i++) {
        const int kind = kt__arg_spec(call->row, i)->kind;
        any |= kind == KT_ARG_TENSORS ? call->arg[i].ts.n > 0 : kind == KT_ARG_TENSOR && kt__given(call, i);
    }
    return any ? KT_OK
               : kt_fail(KT_ERR_NOT_IMPLEMENTED,
                         "There were no tensor arguments to this function (e.g., you passed an empty list of Tensors), but no "
                         "fallback function is registered for schema aten::%s.  This usually means that this function requires "
                         "a non-empty list of Tensors, or that you (the operator writer) forgot to register a fallback "
                         "function.", name);
}

/* ---- one parameter ---- */

static bool is_plain(kt_dtype d) { return d == KT_F32 || d == KT_F64 || d == KT_BF16 || d == KT_F16; }

static kt_status check_dtypes(const kt_call *call, const step *s, kt_tensor *const *t)
{
    const kt_dtype want = (kt_dtype)t[0]->dtype;
    if (!is_plain(want))
        return kt__fail_dtype(call, KT_ERR_NOT_IMPLEMENTED, "\"%s\" not implemented for '%s'", s->missing,
                              kt_dtype_torch_name(want));
    for (int i = 1; i < s->n_arrays; i++) {
        const kt_dtype found = (kt_dtype)t[s->asked[i]]->dtype;
        if (found != want && (kt_get_policy() != KT_PERMISSIVE || !is_plain(found)))
            return kt__fail_dtype(call, KT_ERR_RUNTIME, "expected scalar type %s but found %s", kt_dtype_torch_name(want),
                                  kt_dtype_torch_name(found));
    }
    return KT_OK;
}

/* PyTorch does not look at sizes, and reads beyond the memory of what is too short. */
static kt_status check_sizes(const step *s, const kt_call *call, kt_tensor *const *t, int n_written)
{
    for (int i = 1; i < s->n_arrays; i++) {
        if (t[i]->backend != t[0]->backend || t[i]->index != t[0]->index)
            return kt__refuse_devices(t[0], t[i]);
        if (!kt__same_sizes(t[i], t[0]))
            return kt_fail(KT_ERR_RUNTIME, "%s must have the sizes of their parameters, but got %s for a parameter of size %s",
                           kt__arg_spec(call->row, s->array[i])->name, KT__SIZES_TEXT(t[i]), KT__SIZES_TEXT(t[0]));
    }
    for (int i = 0; i < n_written; i++)
        if (kt__check_written(t[i], t, s->n_arrays))
            return kt_error_status();
    return KT_OK;
}

static void set_array(kt_plan *plan, int at, const kt_tensor *t, const kt_tensor *parameter)
{
    const bool     same = t->dtype == parameter->dtype;
    const kt_dtype seen = plan->compute == KT_IN_F64 ? KT_F64 : KT_F32; /* nothing is rounded on the way */
    kt__set_operand(plan, at, t, same ? (kt_dtype)t->dtype : seen, !same && t->dtype != seen ? KT_WHY_PROMOTION : KT_WHY_NONE);
    for (int d = 0; d < t->ndim; d++)
        plan->stride[at][d] = t->strides[d] * (int64_t)kt__itemsize(t);
}

/* A number beside a parameter: on its device, or by value from the CPU. */
static kt_status set_number(kt_plan *plan, int at, const kt_tensor *t, const kt_tensor *parameter)
{
    kt__set_operand(plan, at, t, (kt_dtype)t->dtype, KT_WHY_NONE);
    for (int d = 0; d < plan->nd; d++)
        plan->stride[at][d] = 0;
    if (t->backend == parameter->backend && t->index == parameter->index)
        return KT_OK;
    if (t->backend != KT_CPU)
        return kt__refuse_devices(parameter, t);
    kt__fill_settle(t->data);
    memcpy(plan->imm[at].bytes, t->data, kt__itemsize(t));
    plan->arg[at].data = NULL;
    plan->arg[at].immediate = 1;
    return KT_OK;
}

static kt_status add_parameter(kt_call *call, const step *s, int64_t i, kt__batch *batch)
{
    kt_plan    plan;
    kt_tensor *t[MOST_ARRAYS];
    const int  n_written = s->n_arrays - !(s->flags & KT__STEP_SCALED), has_steps = s->steps != NOWHERE;
    for (int k = 0; k < s->n_arrays; k++)
        t[k] = call->arg[s->array[k]].ts.t[i];
    if ((has_steps && check_single(call->arg[s->steps].ts.t[i])) || check_dtypes(call, s, t) ||
        check_sizes(s, call, t, n_written))
        return kt_error_status();
    kt__plan_begin(&plan, kt__row_called(call), s->kernel, kt__dtype_rows[t[0]->dtype].compute, 0, t[0]);
    plan.n_out = (uint8_t)n_written;
    plan.n_in = (uint8_t)(s->n_arrays - n_written + has_steps + s->n_numbers);
    plan.numel = t[0]->numel;
    plan.nd = t[0]->ndim;
    memcpy(plan.size, t[0]->sizes, t[0]->ndim * sizeof *plan.size);
    plan.n_param = (uint8_t)s->n_param;
    memcpy(plan.param, s->param, (size_t)s->n_param * sizeof *s->param);
    plan.param[0] = KT_INT(s->flags);
    int at = 0;
    for (; at < s->n_arrays; at++)
        set_array(&plan, at, t[at], t[0]);
    if (has_steps && set_number(&plan, at++, call->arg[s->steps].ts.t[i], t[0]))
        return kt_error_status();
    for (int k = 0; k < s->n_numbers; k++)
        if (set_number(&plan, at++, s->number[k], t[0]))
            return kt_error_status();
    kt__collapse(&plan, true);
    return kt__batch_add(batch, &plan, t[0]);
}

/* What a kernel wrote into views with a lazy bit; the launch has looked at the parameter. */
static kt_status apply_bits(kt_call *call, const step *s)
{
    for (int k = 1; k < s->n_arrays; k++)
        for (int64_t i = 0; i < call->arg[0].ts.n; i++) {
            kt_tensor *t = call->arg[s->array[k]].ts.t[i];
            if (t->flags & (KT_T_CONJ | KT_T_NEG) && (k + 1 < s->n_arrays || s->flags & KT__STEP_SCALED) &&
                kt__apply_lazy_bits(call->row, t))
                return kt_error_status();
        }
    return KT_OK;
}

static kt_status run(kt_call *call, const step *s)
{
    kt__batch batch = {.expected = call->arg[0].ts.n};
    kt_status status = KT_OK;
    for (int64_t i = 0; i < call->arg[0].ts.n && !status; i++)
        status = add_parameter(call, s, i, &batch);
    if (!status)
        status = kt__batch_run(&batch);
    if (!status)
        status = apply_bits(call, s);
    kt__batch_free(&batch);
    return kt__list_done(call, status);
}

/* ---- the rows ---- */

static kt_status adam(kt_call *call, const char *name, int64_t flags)
{
    enum { SELF, GRADS, AVERAGES, SQUARES, LARGEST, STEPS, RATE, BETA1, BETA2, DECAY, EPS, AMSGRAD, MAXIMIZE, SCALE };
    const int64_t n = call->arg[SELF].ts.n;
    const bool    amsgrad = kt__arg_bool(call, AMSGRAD);
    step          s = {.kernel = KT_K_adam, .missing = "fused_adam_kernel", .flags = flags, .n_param = 1, .steps = STEPS};
    if (check_any(call, name) || check_length(call, GRADS, n) || check_length(call, AVERAGES, n) ||
        check_length(call, SQUARES, n) || (amsgrad ? check_length(call, LARGEST, n) : check_no_list(call, LARGEST)) ||
        check_length(call, STEPS, n) || add_numbers(&s, call, RATE, SCALE))
        return kt_error_status();
    add_flag(&s, call, AMSGRAD, KT__STEP_AMSGRAD);
    add_flag(&s, call, MAXIMIZE, KT__STEP_MAXIMIZES);
    add_rate(&s, call, RATE);
    for (int arg = BETA1; arg <= EPS; arg++)
        add_float(&s, call, arg);
    add_list(&s, SELF);
    add_list(&s, AVERAGES);
    add_list(&s, SQUARES);
    if (amsgrad)
        add_list(&s, LARGEST);
    add_list(&s, GRADS);
    for (int i = 0; i < s.n_arrays; i++)
        s.asked[i] = i;
    return run(call, &s);
}

static kt_status sgd(kt_call *call)
{
    enum { SELF, GRADS, BUFFERS, DECAY, MOMENTUM, RATE, DAMPENING, NESTEROV, MAXIMIZE, FIRST, SCALE };
    const int64_t n = call->arg[SELF].ts.n;
    const bool    has_momentum = kt__arg(call, MOMENTUM)->f != 0;
    step          s = {.kernel = KT_K_sgd, .missing = "fused_sgd_kernel", .n_param = 1, .steps = NOWHERE};
    if (check_any(call, "_fused_sgd_") || check_length(call, GRADS, n) ||
        (has_momentum ? check_length(call, BUFFERS, n) : check_no_list(call, BUFFERS)) || add_numbers(&s, call, RATE, SCALE))
        return kt_error_status();
    s.flags |= has_momentum ? KT__STEP_MOMENTUM : 0;
    add_flag(&s, call, NESTEROV, KT__STEP_NESTEROV);
    add_flag(&s, call, MAXIMIZE, KT__STEP_MAXIMIZES);
    add_flag(&s, call, FIRST, KT__STEP_FIRST);
    add_rate(&s, call, RATE);
    add_float(&s, call, DECAY);
    add_float(&s, call, MOMENTUM);
    add_float(&s, call, DAMPENING);
    add_list(&s, SELF);
    if (has_momentum)
        add_list(&s, BUFFERS);
    add_list(&s, GRADS);
    s.asked[1] = s.n_arrays - 1; /* gradients first */
    s.asked[2] = 1;
    return run(call, &s);
}

static kt_status adagrad(kt_call *call)
{
    enum { SELF, GRADS, SUMS, STEPS, RATE, RATE_DECAY, DECAY, EPS, MAXIMIZE, SCALE };
    const int64_t n = call->arg[SELF].ts.n;
    step          s = {.kernel = KT_K_adagrad, .missing = "fused_adagrad_kernel", .n_param = 1, .steps = STEPS};
    if (check_any(call, "_fused_adagrad_") || check_length(call, GRADS, n) || check_length(call, SUMS, n) ||
        check_length(call, STEPS, n) || add_numbers(&s, call, RATE, SCALE))
        return kt_error_status();
    add_flag(&s, call, MAXIMIZE, KT__STEP_MAXIMIZES);
    add_rate(&s, call, RATE);
    for (int arg = RATE_DECAY; arg <= EPS; arg++)
        add_float(&s, call, arg);
    add_list(&s, SELF);
    add_list(&s, SUMS);
    add_list(&s, GRADS);
    s.asked[1] = 2;
    s.asked[2] = 1;
    return run(call, &s);
}

kt_status kt__body_fused_adam(kt_call *call) { return adam(call, "_fused_adam_", 0); }
kt_status kt__body_fused_adam_tensor_lr(kt_call *call) { return adam(call, "_fused_adam_", 0); }
kt_status kt__body_fused_adamw(kt_call *call) { return adam(call, "_fused_adamw_", KT__STEP_DECOUPLED); }
kt_status kt__body_fused_adamw_tensor_lr(kt_call *call) { return adam(call, "_fused_adamw_", KT__STEP_DECOUPLED); }
kt_status kt__body_fused_sgd(kt_call *call) { return sgd(call); }
kt_status kt__body_fused_sgd_tensor_lr(kt_call *call) { return sgd(call); }
kt_status kt__body_fused_adagrad(kt_call *call) { return adagrad(call); }
kt_status kt__body_fused_adagrad_tensor_lr(kt_call *call) { return adagrad(call); }
