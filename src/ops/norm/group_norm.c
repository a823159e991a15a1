/* group_norm.c - norms of groups of channels: batch, group and instance norms, running statistics, and what flows back.
 *
 * In: calls of the rows of tables/ops/norm.def. Out: one plan for each, over [outer, groups, planes, elements of a plane]: a
 * group has one mean, a plane one weight. Or PyTorch's refusals. */
#include <math.h>
#include <string.h>

#include "ops/norm/norm.h"

/* ---- geometry: sizes, and strides in elements of what is shaped like the input, of statistics and of weights ---- */

typedef struct planes {
    int64_t          size[4], image[4], number[4], weight[4];
    kt_memory_format format;
} planes;

static int64_t elements_of(const kt_tensor *t, int first)
{
    int64_t n = 1;
    for (int i = first; i < t->ndim; i++)
        n *= t->sizes[i];
    return n;
}

/* The format of a batch norm's result: row-major before channels last, whatever the strides of dims of one element suggest. */
static kt_memory_format format_of_result(const kt_tensor *input)
{
    const kt_memory_format last = input->ndim == 4 ? KT_CHANNELS_LAST : KT_CHANNELS_LAST_3D;
    int64_t                strides[KT_MAX_DIMS];
    if (kt__is_contiguous(input))
        return KT_CONTIGUOUS_FORMAT;
    if (input->ndim > KT_MAX_DIMS || !kt__format_strides(kt__sizes(input), last, strides))
        return kt__suggested_format(input);
    for (int i = 0; i < input->ndim; i++)
        if (input->sizes[i] > 1 && input->strides[i] != strides[i])
            return kt__suggested_format(input);
    return last;
}

/* A channel is a group, whose planes are those of the batch. Channels last: each is one element, beside its neighbours. */
static planes of_channels(const kt_tensor *input, kt_memory_format format)
{
    const int64_t batch = input->sizes[0], channels = input->sizes[1], each = elements_of(input, 2);
    planes        p = {{1, channels, batch, each}, {0, each, channels * each, 1}, {0, 1, 0, 0}, {0, 1, 0, 0}, format};
    if (format != KT_CONTIGUOUS_FORMAT) {
        const int64_t size[] = {1, channels, batch * each, 1}, image[] = {0, 1, channels, 0};
        memcpy(p.size, size, sizeof size);
        memcpy(p.image, image, sizeof image);
    }
    return p;
}

static planes of_groups(int64_t batch, int64_t channels, int64_t each, int64_t groups)
{
    const int64_t deep = channels / groups;
    return (planes){{batch, groups, deep, each}, {channels * each, deep * each, each, 1}, {groups, 1, 0, 0}, {0, deep, 1, 0},
                    KT_CONTIGUOUS_FORMAT};
}

static void add(kt__norm_operands *o, kt_tensor *t, const int64_t *s) { kt__norm_add(o, t, s[0], s[1], s[2], s[3]); }

/* ---- dtypes of parameters: all the input's, or all float32 beside a narrow float ---- */

static bool is_mixed(const kt_tensor *input, kt_tensor *const *t, int n)
{
    for (int i = 0; i < n; i++)
        if (t[i])
            return t[i]->dtype != input->dtype;
    return false;
}

static bool is_narrow(const kt_tensor *input)
{
    return kt__dtype_rows[input->dtype].category == KT_CAT_FLOAT && input->dtype != KT_F64 && input->dtype != KT_F32;
}

/* PyTorch on CUDA: statistics of float32 beside a narrow input whatever its parameters are, and beside float64 without any. */
static bool has_wide_statistics(const kt_tensor *input, kt_tensor *const *t, int n, int parameters)
{
    bool good = input->backend == KT_CUDA && parameters < n;
    for (int i = 0; i < n && good; i++)
        good = !t[i] || (i >= parameters ? t[i]->dtype == KT_F32 : is_narrow(input) && t[i]->dtype == input->dtype);
    return good;
}

/* `parameters` of the n tensors are no statistics. */
static kt_status check_dtypes(const kt_call *call, const kt_tensor *input, kt_tensor *const *t, int n, int parameters)
{
    const bool mixed = is_mixed(input, t, n), narrow = is_narrow(input);
    if (kt__policy(kt__mode()) == KT_PERMISSIVE)
        return KT_OK;
    if (has_wide_statistics(input, t, n, parameters))
        return KT_OK;
    for (int i = 0; i < n && parameters == n && input->backend == KT_CUDA; i++)
        if (t[i] && t[i]->dtype != input->dtype) /* float32 beside a narrow input is the CPU's, and batch norms' */
            return kt__norm_fail_found(call, input, t[i]);
    for (int i = 0; i < n; i++) {
        if (t[i] && mixed && t[i]->dtype != KT_F32)
            return kt__fail_dtype(call, KT_ERR_RUNTIME, "mixed dtype (CPU): expect parameter to have scalar type of Float");
        if (t[i] && !mixed && t[i]->dtype != input->dtype)
            return kt__norm_fail_found(call, input, t[i]);
    }
    return !mixed || narrow ? KT_OK
                            : kt__fail_dtype(call, KT_ERR_RUNTIME, "mixed dtype (CPU): all inputs must share same datatype.");
}

static kt_dtype statistics_of(const kt_tensor *input, kt_tensor *const *t, int n)
{
    return is_mixed(input, t, n) && input->dtype != KT_F64 ? KT_F32 : (kt_dtype)input->dtype;
}

static kt_tensor *new_image(const kt_tensor *input, kt_memory_format format)
{
    kt_tensor *t = kt__scoped(kt__new_in_format(input, (kt_dtype)input->dtype, kt__sizes(input), format));
    if (t)
        t->lineage = input->lineage;
    return t;
}

/* ---- forward, with statistics of its own ---- */

typedef struct made {
    kt_tensor *y, *mean, *rstd, *variance;
} made;

static kt_status normalise(const kt_call *call, const planes *p, kt_tensor *input, kt_tensor *weight, kt_tensor *bias,
                           kt_dtype of, kt_shape sizes, double eps, made *m)
{
    kt_tensor *x = kt_contiguous(input, .memory_format = p->format);
    m->y = new_image(input, p->format);
    m->mean = kt__norm_new(call, input, of, sizes);
    m->rstd = kt__norm_new(call, input, of, sizes);
    m->variance = kt__norm_new(call, input, kt__wide_dtype(of), sizes);
    if (!x || !m->y || !m->mean || !m->rstd || !m->variance)
        return kt_error_status();
    if (input->numel == 0)
        return kt__fill_with(m->mean, KT_INT(0)) || kt__fill_with(m->rstd, KT_FLOAT(NAN)) ? kt_error_status() : KT_OK;
    kt__norm_operands o = {.n_out = 4};
    add(&o, m->y, p->image);
    add(&o, m->mean, p->number);
    add(&o, m->rstd, p->number);
    add(&o, m->variance, p->number);
    add(&o, x, p->image);
    add(&o, weight, p->weight);
    add(&o, bias, p->weight);
    return kt__norm_run(call, KT_K_group_norm, &o, p->size, 4, eps);
}

/* ---- batch norm ---- */

enum { INPUT, WEIGHT, BIAS, RUNNING, TRAINING, MOMENTUM, NODE_EPS };

/* running += momentum * (now - running). As in PyTorch its version does not count this. */
static kt_status move_running(kt_tensor *running, kt_tensor *now, double momentum)
{
    kt_tensor *wide = kt__converted_inside(running, (kt_dtype)now->dtype, KT_WHY_PROMOTION);
    kt_tensor *moved = kt_add(kt_mul_s(wide, KT_FLOAT(1 - momentum)), kt_mul_s(now, KT_FLOAT(momentum)));
    return moved ? kt__copy_into(running, moved, KT_WHY_RESULT, KT_ROUND_TORCH) : kt_error_status();
}

static kt_status train(kt_call *call, const planes *p, kt_tensor *weight, kt_tensor *bias, kt_tensor *const *running, kt_dtype of)
{
    kt_tensor    *input = call->arg[INPUT].t;
    const int64_t channels[] = {input->sizes[1]};
    const double  count = (double)(input->numel / channels[0]), momentum = kt__arg(call, MOMENTUM)->f;
    made          m;
    if (normalise(call, p, input, weight, bias, of, (kt_shape){1, channels}, kt__arg(call, NODE_EPS)->f, &m))
        return kt_error_status();
    if (running[0]) {
        kt_tensor *mean = kt__converted_inside(m.mean, (kt_dtype)m.variance->dtype, KT_WHY_PROMOTION);
        kt_tensor *spread = kt_mul_s(m.variance, KT_FLOAT(count / (count - 1)));
        if (!mean || !spread || move_running(running[0], mean, momentum) || move_running(running[1], spread, momentum))
            return kt_error_status();
    }
    return kt__end_several(call, (kt_tensor *[]){m.y, m.mean, m.rstd}, 3);
}

static kt_tensor *reciprocal_deviation(kt_tensor *variance, kt_dtype wide_as, double eps)
{
    kt_tensor *wide = kt__converted_inside(variance, wide_as, KT_WHY_PROMOTION);
    return kt_rsqrt(kt_add_s(wide, KT_FLOAT(eps)));
}

static kt_status apply(kt_call *call, const planes *p, kt_tensor *weight, kt_tensor *bias, kt_tensor *const *running, kt_dtype of)
{
    kt_tensor *input = call->arg[INPUT].t, *y = new_image(input, p->format);
    kt_tensor *x = kt_contiguous(input, .memory_format = p->format);
    const bool     wider = input->dtype == KT_F64; /* than statistics of float32 */
    const kt_dtype at_least = kt__wide_dtype((kt_dtype)(wider ? input->dtype : running[1]->dtype));
    kt_tensor     *mean = kt_contiguous(wider ? kt__converted_inside(running[0], KT_F64, KT_WHY_PROMOTION) : running[0]);
    kt_tensor     *rstd = reciprocal_deviation(running[1], at_least, kt__arg(call, NODE_EPS)->f);
    kt_tensor *none[] = {kt__norm_new(call, input, of, KT_SHAPE(0)), kt__norm_new(call, input, of, KT_SHAPE(0))};
    if (!x || !y || !mean || !rstd || !none[0] || !none[1])
        return kt_error_status();
    kt__norm_operands o = {.n_out = 1};
    add(&o, y, p->image);
    add(&o, x, p->image);
    add(&o, mean, p->number);
    add(&o, rstd, p->number);
    add(&o, weight, p->weight);
    add(&o, bias, p->weight);
    return kt__norm_run(call, KT_K_group_norm_given, &o, p->size, 4, 0)
               ? kt_error_status()
               : kt__end_several(call, (kt_tensor *[]){y, none[0], none[1]}, 3);
}

static kt_status check_count(const kt_tensor *t, const char *name, int64_t channels)
{
    return !t || t->numel == channels ? KT_OK
                                      : kt_fail(KT_ERR_RUNTIME, "%s should contain %lld elements not %lld", name,
                                                (long long)channels, (long long)t->numel);
}

kt_status kt__body_batch_norm_node(kt_call *call)
{
    KT_SCOPE;
    kt_tensor *input = call->arg[INPUT].t, *weight = kt__norm_given(call, WEIGHT), *bias = kt__norm_given(call, BIAS);
    const bool has = call->arg[RUNNING].ts.n == 2, training = kt__arg_bool(call, TRAINING);
    kt_tensor *const *given = call->arg[RUNNING].ts.t;
    kt_tensor  *t[] = {weight, bias, has ? given[0] : NULL, has ? given[1] : NULL};
    int64_t     dim = 1;
    if (kt__refuse_known(call, NULL, (kt_dtype)input->dtype) || kt__wrap_dim(&dim, input->ndim) || (!has && !training))
        return kt__failed() ? kt_error_status() : kt_fail(KT_ERR_RUNTIME, "running_mean must be defined in evaluation mode");
    if (input->numel == 0)
        return kt_fail(KT_ERR_RUNTIME, "input tensor must have at least one element, but got input_sizes = %s",
                       KT__SIZES_TEXT(input));
    static const char *const names[] = {"weight", "bias", "running_mean", "running_var"};
    for (int i = 0; i < 4; i++)
        if (check_count(t[i], names[i], input->sizes[1]))
            return kt_error_status();
    if (kt__one_device((kt_tensor *[]){input, weight ? weight : input, bias ? bias : input, t[2] ? t[2] : input,
                                       t[3] ? t[3] : input}, 5) || check_dtypes(call, input, t, 4, 2) ||
        kt__norm_judge(call, input, names[2], t[2]) || kt__norm_judge(call, input, names[3], t[3]))
        return kt_error_status();
    const kt_dtype of = statistics_of(input, t, 4);
    const planes   p = of_channels(input, format_of_result(input));
    if (!kt__norm_parameter(call, "weight", &weight, input) || !kt__norm_parameter(call, "bias", &bias, input))
        return kt_error_status();
    return training ? train(call, &p, weight, bias, t + 2, of) : apply(call, &p, weight, bias, t + 2, of);
}

kt_status kt__body_batch_norm_legit_node(kt_call *call) { return kt__body_batch_norm_node(call); }
kt_status kt__body_batch_norm_alone_node(kt_call *call) { return kt__body_batch_norm_node(call); }
kt_status kt__body_batch_norm_given_node(kt_call *call) { return kt__body_batch_norm_node(call); }

/* (input, running_mean, running_var, momentum) */
kt_status kt__body_batch_norm_update_stats(kt_call *call)
{
    KT_SCOPE;
    kt_tensor *input = call->arg[0].t, *t[] = {kt__norm_given(call, 1), kt__norm_given(call, 2)};
    int64_t    dim = 1, dims[KT_MAX_DIMS], n = 0;
    if (kt__refuse_known(call, NULL, (kt_dtype)input->dtype) || kt__wrap_dim(&dim, input->ndim))
        return kt_error_status();
    if (input->numel == 0)
        return kt_fail(KT_ERR_RUNTIME, "input tensor must have at least one element, but got input_sizes = %s",
                       KT__SIZES_TEXT(input));
    if (check_count(t[0], "running_mean", input->sizes[1]) || check_count(t[1], "running_var", input->sizes[1]) ||
        kt__one_device((kt_tensor *[]){input, t[0] ? t[0] : input, t[1] ? t[1] : input}, 3) ||
        check_dtypes(call, input, t, 2, 0) ||
        kt__norm_judge(call, input, "running_mean", t[0]) || kt__norm_judge(call, input, "running_var", t[1]))
        return kt_error_status();
    for (int i = 0; i < input->ndim; i++)
        if (i != 1)
            dims[n++] = i;
    const kt_dtype of = statistics_of(input, t, 2);
    const double   count = (double)(input->numel / input->sizes[1]), momentum = kt__arg(call, 3)->f;
    kt_tensor     *wide = kt__converted_inside(input, kt__wide_dtype(of), KT_WHY_PROMOTION);
    const kt_var_mean_correction_results m =
        kt_var_mean_correction(wide, .dim = (kt_shape){n, dims}, .correction = KT_INT(0));
    if (!m.result_mean || (t[0] && move_running(t[0], m.result_mean, momentum)) ||
        (t[1] && move_running(t[1], kt_mul_s(m.result_var, KT_FLOAT(count / (count - 1))), momentum)))
        return kt_error_status();
    kt_tensor *two[] = {kt__converted_inside(m.result_mean, of, KT_WHY_RESULT),
                        kt__converted_inside(m.result_var, of, KT_WHY_RESULT)};
    return two[0] && two[1] ? kt__end_several(call, two, 2) : kt_error_status();
}

/* ---- group norm ---- */

enum { BATCH = 3, CHANNELS, EACH, GROUPS, GROUP_EPS };

/* PyTorch shows the weight's sizes, of a bias too. */
static kt_status check_channels(const kt_tensor *t, const kt_tensor *shown, const char *name, const kt_tensor *input,
                                int64_t channels)
{
    return !t || (t->ndim == 1 && t->numel == channels)
               ? KT_OK
               : kt_fail(KT_ERR_RUNTIME, "Expected %s to be a vector of size equal to the number of channels in input, but got "
                         "%s of shape %s and input of shape %s", name, name, shown ? KT__SIZES_TEXT(shown) : "[0]",
                         KT__SIZES_TEXT(input));
}

static kt_status check_groups(const kt_tensor *input, kt_tensor *weight, kt_tensor *bias, int64_t channels, int64_t groups)
{
    if (groups <= 0)
        return kt_fail(KT_ERR_RUNTIME, "Expected num groups to be greater than 0, got %lld", (long long)groups);
    if (channels % groups)
        return kt_fail(KT_ERR_RUNTIME, "Expected number of channels in input to be divisible by num_groups, but got input of "
                       "shape %s and num_groups=%lld", KT__SIZES_TEXT(input), (long long)groups);
    return check_channels(weight, weight, "weight", input, channels) || check_channels(bias, weight, "bias", input, channels)
               ? kt_error_status()
               : KT_OK;
}

kt_status kt__body_native_group_norm(kt_call *call)
{
    KT_SCOPE;
    kt_tensor    *input = call->arg[INPUT].t, *weight = kt__norm_given(call, WEIGHT), *bias = kt__norm_given(call, BIAS);
    kt_tensor    *t[] = {weight, bias};
    const int64_t batch = kt__arg_int(call, BATCH), channels = kt__arg_int(call, CHANNELS), each = kt__arg_int(call, EACH);
    const int64_t groups = kt__arg_int(call, GROUPS), kept[] = {batch, groups};
    kt__decision  room;
    made          m;
    if (check_groups(input, weight, bias, channels, groups))
        return kt_error_status();
    if (batch < 0 || channels < 0 || each < 0 || input->numel != batch * channels * each)
        return kt_fail(KT_ERR_RUNTIME, "Expected X.numel() == N * C * HxW to be true, but got false.  (Could this error message "
                       "be improved?  If so, please report an enhancement request to PyTorch.)");
    if (check_dtypes(call, input, t, 2, 2))
        return kt_error_status();
    const kt__decision *d = kt__resolve_in_body(call, &room);
    if (!d || kt__refuse_known(call, NULL, (kt_dtype)d->result) ||
        kt__one_device((kt_tensor *[]){input, weight ? weight : input, bias ? bias : input}, 3))
        return kt_error_status();
    const kt_dtype of = statistics_of(input, t, 2);
    const planes   p = of_groups(batch, channels, each, groups);
    if (!kt__norm_parameter(call, "weight", &weight, input) || !kt__norm_parameter(call, "bias", &bias, input) ||
        normalise(call, &p, input, weight, bias, of, (kt_shape){2, kept}, kt__arg(call, GROUP_EPS)->f, &m))
        return kt_error_status();
    kt_tensor *y = kt_contiguous(m.y, .memory_format = kt__suggested_format(input));
    return y ? kt__end_several(call, (kt_tensor *[]){y, m.mean, m.rstd}, 3) : kt_error_status();
}

/* ---- back: (grad_out, input, weight, statistics, train or group, output_mask) ---- */

enum { GRAD_OUT, OF_INPUT, OF_WEIGHT, STATISTICS, HOW, MASK };

static bool statistics_fit(const kt_call *call, int64_t count)
{
    bool fit = call->arg[STATISTICS].ts.n == 2 && kt__arg_ints(call, MASK).n == 3;
    for (int i = 0; i < 2 && fit; i++)
        fit = call->arg[STATISTICS].ts.t[i]->numel == count;
    return fit;
}

/* `format`: of what flows back to the input. */
static kt_status flow_back(kt_call *call, const planes *p, bool constant, kt_memory_format format)
{
    kt_tensor     *grad = call->arg[GRAD_OUT].t, *input = call->arg[OF_INPUT].t, *weight = kt__norm_given(call, OF_WEIGHT);
    const kt_shape mask = kt__arg_ints(call, MASK);
    const int64_t  channels[] = {input->ndim > 1 ? input->sizes[1] : 0};
    kt__decision   room;
    if (!kt__same_sizes(grad, input) || grad->dtype != input->dtype || !statistics_fit(call, p->size[0] * p->size[1]) ||
        (weight && weight->numel != channels[0]))
        return kt_fail(KT_ERR_RUNTIME, "%s: grad_out and statistics are not those of a norm of input", call->row->name);
    kt_tensor *const *given = call->arg[STATISTICS].ts.t;
    if (!kt__resolve_in_body(call, &room) || !kt__norm_parameter(call, "weight", &weight, input) ||
        kt__one_device((kt_tensor *[]){input, grad, given[0], given[1], weight ? weight : input}, 5))
        return kt_error_status();
    const kt_dtype of = (kt_dtype)(weight ? weight->dtype : given[0]->dtype);
    kt_tensor     *x = kt_contiguous(input, .memory_format = p->format);
    kt_tensor     *dy = kt_contiguous(grad, .memory_format = p->format);
    kt_tensor     *mean = kt_contiguous(given[0]), *rstd = kt_contiguous(given[1]), *to[3];
    to[0] = mask.d[0] ? new_image(input, p->format) : kt__norm_new(call, input, (kt_dtype)input->dtype, KT_SHAPE(0));
    for (int i = 1; i < 3; i++)
        to[i] = kt__norm_new(call, weight ? weight : input, of, mask.d[i] ? (kt_shape){1, channels} : KT_SHAPE(0));
    if (kt__failed() || !x || !dy || !mean || !rstd || !to[0] || !to[1] || !to[2])
        return kt_error_status();
    kt__norm_operands o = {.n_out = 3, .constant = constant};
    add(&o, mask.d[0] ? to[0] : NULL, p->image);
    add(&o, mask.d[1] ? to[1] : NULL, p->weight);
    add(&o, mask.d[2] ? to[2] : NULL, p->weight);
    add(&o, dy, p->image);
    add(&o, x, p->image);
    add(&o, mean, p->number);
    add(&o, rstd, p->number);
    add(&o, weight, p->weight);
    kt_status status = KT_OK;
    for (int i = 1; i < 3 && input->numel == 0 && !status; i++)
        status = kt__fill_with(to[i], KT_INT(0));
    if (!status && input->numel && (mask.d[0] || mask.d[1] || mask.d[2]))
        status = kt__norm_run(call, KT_K_group_norm_backward, &o, p->size, 4, 0);
    if (!status && mask.d[0] && !(to[0] = kt_contiguous(to[0], .memory_format = format)))
        return kt_error_status();
    return status ? status : kt__end_several(call, to, 3);
}

kt_status kt__body_native_batch_norm_backward(kt_call *call)
{
    KT_SCOPE;
    kt_tensor *input = call->arg[OF_INPUT].t;
    int64_t    dim = 1;
    if (kt__wrap_dim(&dim, input->ndim))
        return kt_error_status();
    const planes p = of_channels(input, kt__suggested_format(input));
    return flow_back(call, &p, !kt__arg_bool(call, HOW), p.format);
}

kt_status kt__body_native_group_norm_backward(kt_call *call)
{
    KT_SCOPE;
    kt_tensor    *input = call->arg[OF_INPUT].t;
    const int64_t groups = kt__arg_int(call, HOW);
    int64_t       dim = 1;
    if (kt__wrap_dim(&dim, input->ndim) || check_groups(input, NULL, NULL, input->sizes[1], groups))
        return kt_error_status();
    const planes p = of_groups(input->sizes[0], input->sizes[1], elements_of(input, 2), groups);
    return flow_back(call, &p, false, kt__suggested_format(input));
}
