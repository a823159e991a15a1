/* dropout.c - the dropout family: made of bernoulli_ and products, so that their derivatives follow.
 *
 * In: a tensor, a probability, whether to train. Out: the input itself where nothing is dropped, else the input times a
 * noise that is 0 or 1 / (1 - p), of each element or of each channel; the alpha kind keeps mean and variance. A device that
 * draws by itself does it in one pass, as native_dropout. */
#include <math.h>

#include "call/end.h"
#include "call/wrap.h"
#include "dtype/format.h"
#include "ops/random/random.h"
#include "tables/kernels/elementwise.h"

static int compute_of(const kt_tensor *t) { return kt__dtype_rows[t->dtype].compute; }

static kt_status run2(int op, kt_form form, kt_tensor *a, kt_tensor *b, kt_scalar s, kt_tensor **result)
{
    kt_call c;
    kt__open(&c, op, form);
    kt__put_tensor(&c, 0, a);
    if (b)
        kt__put_tensor(&c, 1, b);
    else
        kt__put_either(&c, 1, s);
    if (kt_call_run(&c))
        return kt_error_status();
    if (result)
        *result = c.out[0];
    else
        kt__unref(c.out[0]);
    return KT_OK;
}

static kt_status change(int op, kt_tensor *t, double by) { return run2(op, KT_INPLACE, t, NULL, KT_FLOAT(by), NULL); }

/* Is a batch open (vmap)? It says whether every example draws, so an operator has to be called. */
static bool in_batch(void) { return kt__mode() & KT_M_LEVELS; }

static kt_status draw_in_batch(kt_tensor *like, double p, kt_tensor **noise)
{
    KT_SCOPE;
    KT_NO_GRAD;
    kt_tensor *drawn = kt_bernoulli_p(kt_detach(like), 1 - p); /* it may be one for all examples */
    drawn = kt_clone(drawn, .memory_format = KT_CONTIGUOUS_FORMAT);
    *noise = drawn ? kt__ref(drawn) : NULL;
    return drawn ? KT_OK : kt_error_status();
}

/* The mask: 1 where an element, or a channel, is kept. */
static kt_status draw_noise(const kt_call *call, kt_tensor *input, double p, bool channels, kt_tensor **noise)
{
    int64_t sizes[KT_MAX_DIMS];
    if (in_batch() && !channels)
        return draw_in_batch(input, p, noise);
    if (channels) {
        for (int i = 0; i < input->ndim; i++)
            sizes[i] = i < 2 ? input->sizes[i] : 1;
        if (in_batch()) {
            KT_SCOPE;
            return draw_in_batch(kt_new_empty(input, ((kt_shape){input->ndim, sizes})), p, noise);
        }
        *noise = kt__tensor_new((kt_dtype)input->dtype, kt__device(input), (kt_shape){input->ndim, sizes});
    } else {
        *noise = kt__empty_like(input, (kt_dtype)input->dtype, kt__device(input), KT_FORMAT_NONE);
    }
    if (!*noise)
        return kt_error_status();
    (*noise)->lineage = input->lineage;
    return kt__draw_bernoulli_into(call, *noise, 1 - p, NULL);
}

/* The map of alpha dropout, G. Klambauer et al., Self-Normalizing Neural Networks (2017): what is dropped becomes selu's value
 * far below zero; times a, plus b, mean and variance are what they were. */
typedef struct alpha_map {
    double dropped, a, b;
} alpha_map;

static alpha_map alpha_map_of(double p)
{
    const double lambda = 1.0507009873554804934193349852946, alpha = 1.6732632423543772848170429916717;
    const double dropped = -lambda * alpha, a = 1 / sqrt((1 - p) * (1 + p * (dropped * dropped)));
    return (alpha_map){dropped, a, -a * dropped * p};
}

/* Turns the mask into a factor; for alpha dropout `moved` is the addend. */
static kt_status shape_noise(kt_tensor *noise, double p, bool alpha, kt_tensor **moved)
{
    if (!alpha)
        return p == 1 ? KT_OK : change(KT_OP_div, noise, 1 - p);
    const alpha_map map = alpha_map_of(p);
    kt_status       status = run2(KT_OP_add, KT_PLAIN, noise, NULL, KT_INT(-1), moved); /* -1 where an element is dropped */
    if (!status)
        status = change(KT_OP_mul, *moved, -map.a * map.dropped);
    if (!status)
        status = change(KT_OP_add, *moved, map.b);
    return status ? status : change(KT_OP_mul, noise, map.a);
}

static kt_status apply(kt_call *call, kt_tensor *noise, kt_tensor *moved)
{
    kt_tensor *input = call->arg[0].t, *product = NULL;
    kt_form    form = (kt_form)call->form;
    if (run2(KT_OP_mul, form, input, noise, KT_INT(0), &product))
        return kt_error_status();
    if (!moved)
        return kt__end_itself(call, product, KT_OK);
    kt_tensor *sum = NULL;
    kt_status  status = run2(KT_OP_add, form, product, moved, KT_INT(0), &sum);
    kt__unref(product);
    return kt__end_itself(call, sum, status);
}

/* Times a zero tensor of the input's dtype: a number would promote bool. */
static kt_status drop_all(kt_call *call, kt_tensor *input)
{
    kt_tensor *zero = kt__tensor_new((kt_dtype)input->dtype, kt__device(input), (kt_shape){0, NULL}), *product = NULL;
    kt_status  status = zero ? kt__fill_with(zero, KT_INT(0)) : kt_error_status();
    if (!status) {
        zero->lineage = input->lineage;
        status = run2(KT_OP_mul, (kt_form)call->form, input, zero, KT_INT(0), &product);
    }
    kt__unref(zero);
    return kt__end_itself(call, product, status);
}

/* As PyTorch does it on a device that draws. */
static kt_status drop_with_mask(kt_call *call, double p)
{
    kt_call c;
    kt__open(&c, KT_OP_native_dropout, KT_PLAIN);
    kt__put_tensor(&c, 0, call->arg[0].t);
    kt__put(&c, 1, f, p);
    kt__put(&c, 2, b, true);
    if (kt_call_run(&c))
        return kt_error_status();
    kt__unref(c.out[1]);
    return kt__end_itself(call, c.out[0], KT_OK);
}

static kt_status drop(kt_call *call, bool channels, bool alpha)
{
    kt_tensor   *input = call->arg[0].t, *noise = NULL, *moved = NULL;
    const double p = call->arg[1].f;
    if (!(p >= 0 && p <= 1))
        return kt_fail(KT_ERR_RUNTIME, "dropout probability has to be between 0 and 1, but got %g", p);
    if (p == 0 || !call->arg[2].b || input->numel == 0)
        return kt__end_itself(call, kt__ref(input), KT_OK);
    if (p == 1)
        return drop_all(call, input);
    if (!channels && !alpha && call->form == KT_PLAIN && !in_batch() && kt__draws_itself(input, KT_K_dropout, compute_of(input)))
        return drop_with_mask(call, p);
    if (channels && input->ndim < 2)
        return kt_fail(KT_ERR_RUNTIME, "Feature dropout requires at least 2 dimensions in the input");
    kt_status status = draw_noise(call, input, p, channels, &noise);
    if (!status)
        status = shape_noise(noise, p, alpha, &moved);
    if (!status)
        status = apply(call, noise, moved);
    kt__unref(noise);
    kt__unref(moved);
    return status;
}

kt_status kt__body_dropout(kt_call *call) { return drop(call, false, false); }
kt_status kt__body_feature_dropout(kt_call *call) { return drop(call, true, false); }
kt_status kt__body_alpha_dropout(kt_call *call) { return drop(call, false, true); }
kt_status kt__body_feature_alpha_dropout(kt_call *call) { return drop(call, true, true); }

/* ---- with its mask: one node, and one pass where the device has the kernel ---- */

/* PyTorch's CUDA keeps the factor of what is left in the compute type; its CPU has it as an element of the tensor's dtype. */
static double drop_factor(const kt_tensor *t, double scale)
{
    unsigned char element[16] __attribute__((aligned(16)));
    if (kt__draws_itself(t, KT_K_dropout, compute_of(t)))
        return scale;
    kt_scalar_store(element, (kt_dtype)t->dtype, KT_FLOAT(scale));
    return kt_scalar_load(element, (kt_dtype)t->dtype).v.re;
}

kt_status kt__args_drop_scale(const kt_call *call, kt__gathered *g)
{
    if (kt__given(call, 2)) {
        g->kernel = KT_K_masked_scale;
        kt__push_param(g, call->arg[2].f);
    }
    return KT_OK;
}

/* Other tensors are multiplied by a mask that was drawn. */
static bool drops_at_once(const kt_tensor *t)
{
    const bool there = t->backend == KT_CPU || kt__draws_itself(t, KT_K_dropout, compute_of(t));
    return there && kt_dtype_category((kt_dtype)t->dtype) == KT_CAT_FLOAT && compute_of(t) <= KT_IN_F64 &&
           !(t->flags & (KT_T_CONJ | KT_T_NEG)) && kt__is_dense(kt__sizes(t), (kt_shape){t->ndim, t->strides});
}

static kt_status drop_at_once(const kt_call *call, double p, double scale, kt_tensor *result, kt_tensor *mask)
{
    kt_plan         plan;
    kt__draw_source source;
    kt_tensor      *input = call->arg[0].t, *operands[] = {result, mask, input};
    const kt_row   *row = kt__row_called(call);
    if (!(p >= 0 && p <= 1)) /* in the words of the draw */
        return kt_fail(KT_ERR_RUNTIME, "bernoulli_ expects p to be in [0, 1], but got p=%g", 1 - p);
    if (!input->numel)
        return KT_OK;
    if (kt__draw_source_of(row, result, KT_K_dropout, compute_of(input), NULL, &source))
        return kt_error_status();
    kt__plan_begin(&plan, row, KT_K_dropout, compute_of(input), 1, result);
    plan.n_out = 2;
    plan.n_param = 2;
    plan.param[0] = KT_FLOAT(1 - p);
    plan.param[1] = KT_FLOAT(drop_factor(input, scale));
    plan.numel = input->numel;
    plan.nd = input->ndim;
    for (int i = 0; i < 3; i++) {
        kt__set_operand(&plan, i, operands[i], (kt_dtype)operands[i]->dtype, KT_WHY_NONE);
        kt__draw_dims(&plan, i, operands[i]);
    }
    kt__collapse(&plan, true);
    return kt__launch_draw(&plan, result, &source);
}

/* The mask as a factor in the input's dtype. */
static kt_status as_factor(kt_tensor *input, kt_tensor *mask, double scale, kt_tensor **factor)
{
    *factor = kt__empty_like(input, (kt_dtype)input->dtype, kt__device(input), KT_FORMAT_NONE);
    if (!*factor || kt__copy_into(*factor, mask, KT_WHY_PROMOTION, KT_ROUND_TORCH))
        return kt_error_status();
    (*factor)->lineage = input->lineage;
    return change(KT_OP_mul, *factor, scale);
}

static kt_status drop_by_product(const kt_call *call, kt_tensor *mask, double p, bool train, double scale, kt_tensor **result)
{
    kt_tensor *input = call->arg[0].t, *factor = NULL;
    kt_status  status = train ? kt__draw_bernoulli_into(call, mask, 1 - p, NULL) : kt__fill_with(mask, KT_INT(1));
    if (!status)
        status = as_factor(input, mask, scale, &factor);
    if (!status)
        status = run2(KT_OP_mul, KT_PLAIN, input, factor, KT_INT(0), result);
    kt__unref(factor);
    return status;
}

kt_status kt__body_native_dropout(kt_call *call)
{
    kt_tensor   *input = call->arg[0].t, *result = NULL;
    const double p = call->arg[1].f;
    const bool   train = !kt__given(call, 2) || call->arg[2].b;
    const double scale = !train ? 1 : p == 1 ? 0 : 1 / (1 - p);
    kt_tensor   *mask = kt__empty_like(input, KT_BOOL, kt__device(input), KT_FORMAT_NONE);
    if (!mask)
        return kt_error_status();
    mask->lineage = KT__RECORD(KT_BORN, call->row->name, KT_NONE, KT_BOOL, 0);
    kt_status status = KT_OK;
    if (train && drops_at_once(input)) {
        result = kt__empty_like(input, (kt_dtype)input->dtype, kt__device(input), KT_FORMAT_NONE);
        status = result ? drop_at_once(call, p, scale, result, mask) : kt_error_status();
        if (result)
            result->lineage = input->lineage;
    } else {
        status = drop_by_product(call, mask, p, train, scale, &result);
    }
    if (!status)
        status = kt__end_several(call, (kt_tensor *[]){result, mask}, 2);
    kt__unref(result);
    kt__unref(mask);
    return status;
}

/* ---- nn.functional: training=, inplace=, optional batch dim ---- */

/* The number is a scalar since the message shows it as it was given. */
static kt_status check_p(const kt_call *call)
{
    char            text[KT__FORMAT_MAX];
    const kt_scalar given = kt__arg_scalar(call, 1);
    const double    p = kt__as_double(given);
    if (!(p < 0 || p > 1)) /* NaN is for the operator to refuse */
        return KT_OK;
    kt__format_scalar(text, given);
    return kt_fail(KT_ERR_VALUE, "dropout probability has to be between 0 and 1, but got %s", text);
}

/* Adds or removes a batch dim of size 1. */
static kt_status turn(int op, kt_tensor *t, kt_tensor **out)
{
    const int64_t first = 0;
    kt_call       c;
    kt__open(&c, op, KT_PLAIN);
    kt__put_tensor(&c, 0, t);
    if (op == KT_OP_unsqueeze)
        kt__put(&c, 1, i, first);
    else
        kt__put(&c, 1, ints, ((kt_shape){1, &first}));
    if (kt_call_run(&c))
        return kt_error_status();
    *out = c.out[0];
    return KT_OK;
}

static kt_status inner(kt_call *call, int op, kt_tensor *input, kt_tensor **out)
{
    kt_call c;
    kt__open(&c, op, kt__arg_bool(call, 3) ? KT_INPLACE : KT_PLAIN);
    kt__put_tensor(&c, 0, input);
    kt__put(&c, 1, f, kt__as_double(kt__arg_scalar(call, 1)));
    kt__put(&c, 2, b, kt__arg_bool(call, 2));
    if (kt_call_run(&c))
        return kt_error_status();
    *out = c.out[0];
    return KT_OK;
}

/* In place the batch dim is added to the input itself even if nothing is dropped: PyTorch checks whether that may be
 * written. */
static kt_status may_turn(kt_tensor *input)
{
    kt_call write;
    kt__open(&write, KT_OP_mul, KT_INPLACE);
    kt__put_tensor(&write, 0, input);
    const bool watched = kt__tape.rules && kt__mode() & KT_M_GRAD && !kt__born_flags;
    return watched && kt__grad_flags(input) & KT_T_REQUIRES_GRAD ? kt__tape.rules(&write) : KT_OK;
}

static kt_status of_module(kt_call *call, int op, bool batched)
{
    kt_tensor *input = call->arg[0].t, *batch = NULL, *dropped = NULL, *result = NULL;
    if (check_p(call))
        return kt_error_status();
    if (batched) {
        const kt_status status = inner(call, op, input, &result);
        return kt__end_itself(call, result, status);
    }
    const bool here = kt__arg_bool(call, 3);
    kt_status  status = here ? may_turn(input) : KT_OK;
    if (!status)
        status = turn(KT_OP_unsqueeze, input, &batch);
    if (!status)
        status = inner(call, op, batch, &dropped);
    if (!status && here) { /* the input itself with a batch dim added and removed: two more in-place steps */
        result = kt__ref(input);
        kt__bump_version(input);
        kt__bump_version(input);
    } else if (!status) {
        status = turn(KT_OP_squeeze_dim, dropped, &result);
    }
    kt__unref(batch);
    kt__unref(dropped);
    return kt__end_itself(call, result, status);
}

kt_status kt__body_nn_dropout(kt_call *call) { return of_module(call, KT_OP_dropout, true); }
kt_status kt__body_nn_alpha_dropout(kt_call *call) { return of_module(call, KT_OP_alpha_dropout, true); }
kt_status kt__body_nn_feature_alpha_dropout(kt_call *call) { return of_module(call, KT_OP_feature_alpha_dropout, true); }

/* PyTorch accepts other ranks with a deprecation warning. */
static void warn_of_rank(const kt_call *call, int spatial)
{
    const int rank = call->arg[0].t->ndim;
    if (rank != spatial + 1 && rank != spatial + 2)
        kt__warn("dropout%dd: Received a %d-D input to dropout%dd, which is deprecated and will result in an error in a future "
                 "release. To retain the behavior and silence this warning, please use dropout instead. Note that dropout%dd "
                 "exists to provide channel-wise dropout on inputs with %d spatial dimensions, a channel dimension, and an "
                 "optional batch dimension (i.e. %dD or %dD inputs).",
                 spatial, rank, spatial, spatial, spatial, spatial + 1, spatial + 2);
}

kt_status kt__body_nn_dropout2d(kt_call *call)
{
    if (check_p(call))
        return kt_error_status();
    warn_of_rank(call, 2);
    if (call->arg[0].t->ndim == 3)
        kt__warn("dropout2d: Received a 3D input to dropout2d and assuming that channel-wise 1D dropout behavior is desired - "
                 "input is interpreted as shape (N, C, L), where C is the channel dim. This behavior will change in a future "
                 "release to interpret the input as one without a batch dimension, i.e. shape (C, H, W). To maintain the 1D "
                 "channel-wise dropout behavior, please switch to using dropout1d instead.");
    return of_module(call, KT_OP_feature_dropout, true);
}

kt_status kt__body_nn_dropout3d(kt_call *call)
{
    if (check_p(call))
        return kt_error_status();
    warn_of_rank(call, 3);
    return of_module(call, KT_OP_feature_dropout, call->arg[0].t->ndim == 5);
}

kt_status kt__body_nn_dropout1d(kt_call *call)
{
    const int rank = call->arg[0].t->ndim;
    if (check_p(call))
        return kt_error_status();
    if (rank != 2 && rank != 3)
        return kt_fail(KT_ERR_RUNTIME,
                       "dropout1d: Expected 2D or 3D input, but received a %dD input. Note that dropout1d exists to "
                       "provide channel-wise dropout on inputs with 1 spatial dimension, a channel dimension, and an "
                       "optional batch dimension (i.e. 2D or 3D inputs).",
                       rank);
    return of_module(call, KT_OP_feature_dropout, rank == 3);
}
