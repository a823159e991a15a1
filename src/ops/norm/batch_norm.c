/* batch_norm.c - the names of the norms of channels: what torch and torch.nn.functional check, and the rows of group_norm.c.
 *
 * In: calls of rows of tables/ops/norm.def without a node. Out: the results of the rows that have one, or PyTorch's refusals. */
#include <stdio.h>
#include <string.h>

#include "call/target.h"
#include "ops/norm/norm.h"

/* The arguments of a batch norm, whatever their order. */
typedef struct batch {
    kt_tensor *input, *weight, *bias, *mean, *variance;
    bool       training;
    double     momentum, eps;
} batch;

/* ---- the row with the node ---- */

static kt_status refuse_gradient(const kt_tensor *t, const char *name)
{
    return t && t->flags & KT_T_REQUIRES_GRAD && kt__mode() & KT_M_GRAD
               ? kt_fail(KT_ERR_RUNTIME, "The function 'native_batch_norm' is not differentiable with respect to argument '%s'. "
                         "This input cannot have requires_grad True.", name)
               : KT_OK;
}

/* In forward mode: given statistics are constants, so a tangent of theirs would be lost where the result has one. */
static kt_status refuse_tangent(const batch *b)
{
    const kt_tensor *followed[] = {b->input, b->weight, b->bias}, *constant[] = {b->mean, b->variance};
    uint32_t         of[2] = {0, 0};
    for (int i = 0; i < 3; i++)
        of[0] |= followed[i] ? followed[i]->flags : 0;
    for (int i = 0; i < 2; i++)
        of[1] |= constant[i] ? constant[i]->flags : 0;
    return !b->training && kt__are_dual(of[0]) && kt__are_dual(of[1])
               ? kt_fail(KT_ERR_RUNTIME, "batch_norm is not differentiable wrt running_mean and running_var, they cannot have "
                         "forward grad defined")
               : KT_OK;
}

/* Running statistics that training writes must have room for every example of a vmap. */
static kt_status check_room(const batch *b)
{
    const bool writes = b->training && b->mean;
    return writes && !(kt__has_levels(b->mean, b->input) && kt__has_levels(b->variance, b->input))
               ? kt_fail(KT_ERR_RUNTIME, "Batch norm got a batched tensor as input while the running_mean or running_var, which "
                         "will be updated in place, were not batched.")
               : KT_OK;
}

/* Owned by the scope; false: an error is pending. */
static bool run_batch(int node, const batch *b, kt_tensor **of)
{
    kt_tensor *running[] = {b->mean, b->variance};
    kt_call    c;
    if (refuse_gradient(b->mean, "running_mean") || refuse_gradient(b->variance, "running_var"))
        return false;
    if (!b->mean != !b->variance) {
        kt_fail(KT_ERR_VALUE, "running_mean and running_var must either both be None or neither be None");
        return false;
    }
    if (refuse_tangent(b) || check_room(b))
        return false;
    kt__open(&c, node, KT_PLAIN);
    kt__put_tensor(&c, 0, b->input);
    if (b->weight)
        kt__put_tensor(&c, 1, b->weight);
    if (b->bias)
        kt__put_tensor(&c, 2, b->bias);
    kt__put_tensors(&c, 3, running, b->mean ? 2 : 0);
    kt__put(&c, 4, b, b->training);
    kt__put(&c, 5, f, b->momentum);
    kt__put(&c, 6, f, b->eps);
    kt__close_several(&c, of, 3);
    return !kt__failed();
}

/* (input, weight, bias, running_mean, running_var, training, momentum, eps) */
static batch batch_of(const kt_call *call)
{
    return (batch){call->arg[0].t, kt__norm_given(call, 1), kt__norm_given(call, 2), kt__norm_given(call, 3),
                   kt__norm_given(call, 4), kt__arg_bool(call, 5), kt__arg(call, 6)->f, kt__arg(call, 7)->f};
}

/* (input, running_mean, running_var, weight, bias, training, momentum, eps) */
static batch batch_of_function(const kt_call *call)
{
    return (batch){call->arg[0].t, kt__norm_given(call, 3), kt__norm_given(call, 4), kt__norm_given(call, 1),
                   kt__norm_given(call, 2), kt__arg_bool(call, 5), kt__arg(call, 6)->f, kt__arg(call, 7)->f};
}

static kt_status end_batch(kt_call *call, int node, const batch *b)
{
    KT_SCOPE;
    kt_tensor *of[3] = {NULL};
    return run_batch(node, b, of) ? kt__end_several(call, of, 3) : kt_error_status();
}

kt_status kt__body_native_batch_norm(kt_call *call)
{
    const batch b = batch_of(call);
    return end_batch(call, KT_OP_batch_norm_node, &b);
}

kt_status kt__body_native_batch_norm_legit(kt_call *call)
{
    const batch b = batch_of(call);
    return end_batch(call, KT_OP_batch_norm_legit_node, &b);
}

/* (input, weight, bias, training, momentum, eps) */
kt_status kt__body_native_batch_norm_legit_no_stats(kt_call *call)
{
    const batch b = {call->arg[0].t, kt__norm_given(call, 1), kt__norm_given(call, 2), NULL, NULL, kt__arg_bool(call, 3),
                     kt__arg(call, 4)->f, kt__arg(call, 5)->f};
    return end_batch(call, KT_OP_batch_norm_alone_node, &b);
}

/* (input, weight, bias, running_mean, running_var, momentum, eps) */
kt_status kt__body_native_batch_norm_legit_no_training(kt_call *call)
{
    const batch b = {call->arg[0].t, kt__norm_given(call, 1), kt__norm_given(call, 2), call->arg[3].t, call->arg[4].t, false,
                     kt__arg(call, 5)->f, kt__arg(call, 6)->f};
    return end_batch(call, KT_OP_batch_norm_given_node, &b);
}

/* ---- batch_norm ---- */

static kt_status check_running(const kt_tensor *t, const char *name, int64_t channels, bool training)
{
    if (!t)
        return training ? KT_OK : kt_fail(KT_ERR_RUNTIME, "%s must be defined in evaluation mode", name);
    return t->numel == channels ? KT_OK
                                : kt_fail(KT_ERR_RUNTIME, "%s should contain %lld elements not %lld", name, (long long)channels,
                                          (long long)t->numel);
}

static kt_status check_counts(const batch *b)
{
    const int64_t channels = b->input->ndim > 1 ? b->input->sizes[1] : 0;
    return check_running(b->mean, "running_mean", channels, b->training) ||
                   check_running(b->variance, "running_var", channels, b->training) ||
                   check_running(b->weight, "weight", channels, true) || check_running(b->bias, "bias", channels, true)
               ? kt_error_status()
               : KT_OK;
}

static kt_status judge(const kt_call *call, const batch *b)
{
    return kt__norm_judge(call, b->input, "weight", b->weight) || kt__norm_judge(call, b->input, "bias", b->bias) ||
                   kt__norm_judge(call, b->input, "running_mean", b->mean) ||
                   kt__norm_judge(call, b->input, "running_var", b->variance)
               ? kt_error_status()
               : KT_OK;
}

/* Of no elements there is nothing to normalise or to check, but weight and bias get gradients. */
static kt_tensor *of_nothing(const batch *b)
{
    kt_tensor *out = kt_clone(b->input);
    out = b->weight ? kt_mul(out, kt_select(b->weight, 0, 0)) : out;
    return b->bias ? kt_add(out, kt_select(b->bias, 0, 0)) : out;
}

/* NULL: an error is pending. */
static kt_tensor *batch_normalised(const kt_call *call, const batch *b)
{
    kt_tensor *of[3] = {NULL};
    if (b->input->numel == 0)
        return of_nothing(b);
    if (check_counts(b) || judge(call, b))
        return NULL;
    return run_batch(KT_OP_batch_norm_node, b, of) ? of[0] : NULL;
}

kt_status kt__body_batch_norm(kt_call *call)
{
    KT_SCOPE;
    const batch b = batch_of(call);
    return kt__end(call, batch_normalised(call, &b));
}

/* As Python writes a float. */
static const char *float_text(double value, char *room, size_t size)
{
    snprintf(room, size, "%.12g", value);
    if (strcspn(room, ".ein") == strlen(room))
        strncat(room, ".0", size - strlen(room) - 1);
    return room;
}

static kt_status check_more_than_one(int64_t first, kt_shape rest, const char *prefix, kt_shape shown, const char *suffix)
{
    int64_t n = first;
    for (int64_t i = 0; i < rest.n; i++)
        n *= rest.d[i];
    return n != 1 ? KT_OK
                  : kt_fail(KT_ERR_VALUE, "Expected more than 1 value per channel when training, got input size %s%s%s", prefix,
                            KT__SHAPE_TEXT(shown), suffix);
}

static kt_shape after_two(const kt_tensor *t)
{
    return t->ndim > 2 ? (kt_shape){t->ndim - 2, t->sizes + 2} : (kt_shape){0, NULL};
}

kt_status kt__body_nn_batch_norm(kt_call *call)
{
    KT_SCOPE;
    const batch      b = batch_of_function(call);
    const kt_tensor *x = b.input;
    char             text[64];
    if (b.training && x->ndim == 0)
        return kt_fail(KT_ERR_INDEX, "tuple index out of range");
    if (b.training && check_more_than_one(x->sizes[0], after_two(x), "torch.Size(", kt__sizes(x), ")"))
        return kt_error_status();
    if (b.eps <= 0)
        return kt_fail(KT_ERR_VALUE, "batch_norm eps must be positive, but got %s", float_text(b.eps, text, sizeof text));
    return kt__end(call, batch_normalised(call, &b));
}

/* ---- group_norm(input, num_groups, weight, bias, eps) ---- */

static kt_status group_norm(kt_call *call)
{
    kt_tensor    *input = call->arg[0].t;
    const int64_t groups = kt__arg_int(call, 1);
    if (input->ndim == 0)
        return kt_fail(KT_ERR_INDEX, "Dimension specified as 0 but tensor has no dimensions");
    if (input->ndim == 1)
        return kt_fail(KT_ERR_INDEX, "Dimension out of range (expected to be in range of [-1, 0], but got 1)");
    int64_t        each = 1;
    const kt_shape rest = after_two(input);
    for (int64_t i = 0; i < rest.n; i++)
        each *= rest.d[i];
    return kt__end(call, kt_native_group_norm(input, kt__norm_given(call, 2), kt__norm_given(call, 3), input->sizes[0],
                                              input->sizes[1], each, groups, kt__arg(call, 4)->f).result);
}

kt_status kt__body_group_norm(kt_call *call)
{
    KT_SCOPE;
    return group_norm(call);
}

kt_status kt__body_nn_group_norm(kt_call *call)
{
    KT_SCOPE;
    const kt_tensor *input = call->arg[0].t;
    const int64_t    groups = kt__arg_int(call, 1);
    int64_t          shown[KT_MAX_DIMS];
    if (input->ndim < 2)
        return kt_fail(KT_ERR_RUNTIME, "Expected at least 2 dimensions for input tensor but received %d", input->ndim);
    if (groups == 0)
        return kt_fail(KT_ERR_ZERO_DIVISION, "integer division or modulo by zero");
    memcpy(shown, input->sizes, sizeof *shown * (size_t)input->ndim);
    const int64_t all = shown[0] * shown[1], share = all / groups - (all % groups != 0 && (all < 0) != (groups < 0));
    shown[0] = share, shown[1] = groups;
    return check_more_than_one(share, after_two(input), "", (kt_shape){input->ndim, shown}, "") ? kt_error_status()
                                                                                               : group_norm(call);
}

/* ---- instance_norm: a batch norm in which each element of the batch has channels of its own ---- */

static kt_tensor *repeated(kt_tensor *t, int64_t times) { return t ? kt_repeat(t, KT_SHAPE(times)) : NULL; }

/* Running statistics may have any dtype: the copies get that of the parameters, or one that the kernel takes. */
static kt_dtype dtype_of_copies(const batch *b, const kt_tensor *running)
{
    const kt_tensor *parameter = b->weight ? b->weight : b->bias;
    const bool       narrow = b->input->dtype == KT_F16 || b->input->dtype == KT_BF16;
    if (parameter && kt__policy(kt__mode()) != KT_PERMISSIVE)
        return (kt_dtype)parameter->dtype;
    return running->dtype == KT_F32 && narrow ? KT_F32 : (kt_dtype)b->input->dtype;
}

static kt_tensor *repeated_for(kt_tensor *running, const batch *b, int64_t times)
{
    kt_tensor *t = repeated(running, times);
    return t ? kt__converted_inside(t, dtype_of_copies(b, running), KT_WHY_PROMOTION) : t;
}

/* A running statistic is written in training, from its copies. */
static kt_status judge_written(const kt_call *call, const batch *b, const kt_tensor *t)
{
    return t && b->training ? kt__allow_result(call, dtype_of_copies(b, t), t) : KT_OK;
}

/* Copies hide from the policy whose tensors they were. */
static kt_status judge_before_copies(const kt_call *call, const batch *b)
{
    return judge(call, b) || judge_written(call, b, b->mean) || judge_written(call, b, b->variance) ? kt_error_status() : KT_OK;
}

/* The average over the batch becomes the running statistic. */
static kt_status take_back(kt_tensor *running, kt_tensor *many, int64_t times)
{
    const int64_t sizes[] = {times, many->numel / (times ? times : 1)};
    kt_tensor    *mean = kt_mean_dim(kt_reshape(many, ((kt_shape){2, sizes})), KT_SHAPE(0));
    if (!mean)
        return kt_error_status();
    if (running->flags & KT_T_BATCHED)
        return kt_copy_(running, mean) ? KT_OK : kt_error_status();
    if (kt__copy_into(running, mean, KT_WHY_RESULT, KT_ROUND_TORCH))
        return kt_error_status();
    kt__wrote(running);
    return KT_OK;
}

static kt_status instance_norm(kt_call *call, const batch *b)
{
    kt_tensor *input = b->input;
    int64_t    dim = 1, sizes[KT_MAX_DIMS];
    if (!b->training && (!b->mean || !b->variance))
        return kt_fail(KT_ERR_RUNTIME, "Expected running_mean and running_var to be defined when use_input_stats is false");
    if (kt__wrap_dim(&dim, input->ndim) || judge_before_copies(call, b))
        return kt_error_status();
    const int64_t times = input->sizes[0];
    memcpy(sizes, input->sizes, sizeof *sizes * (size_t)input->ndim);
    sizes[1] *= times, sizes[0] = 1;
    batch many = *b;
    many.input = kt_reshape(kt_contiguous(input), ((kt_shape){input->ndim, sizes}));
    many.weight = repeated(b->weight, times), many.bias = repeated(b->bias, times);
    many.mean = repeated_for(b->mean, b, times), many.variance = repeated_for(b->variance, b, times);
    if (kt__failed())
        return kt_error_status();
    kt_tensor *y = batch_normalised(call, &many), *written[] = {b->training ? b->mean : NULL, b->training ? b->variance : NULL};
    for (int i = 0; i < 2; i++)
        if (written[i] && kt__check_written(written[i], NULL, 0))
            return kt_error_status();
    if (!y || (written[0] && take_back(written[0], many.mean, times)) ||
        (written[1] && take_back(written[1], many.variance, times)))
        return kt_error_status();
    return kt__end(call, kt_view(y, kt__sizes(input)));
}

kt_status kt__body_instance_norm(kt_call *call)
{
    KT_SCOPE;
    const batch b = batch_of(call);
    return instance_norm(call, &b);
}

kt_status kt__body_nn_instance_norm(kt_call *call)
{
    KT_SCOPE;
    const batch    b = batch_of_function(call);
    const kt_shape rest = after_two(b.input);
    int64_t        each = 1;
    for (int64_t i = 0; i < rest.n; i++)
        each *= rest.d[i];
    if (b.training && each == 1)
        return kt_fail(KT_ERR_VALUE, "Expected more than 1 spatial element when training, got input size torch.Size(%s)",
                       KT__SIZES_TEXT(b.input));
    return instance_norm(call, &b);
}
