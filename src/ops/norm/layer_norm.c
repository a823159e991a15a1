/* layer_norm.c - norms over the last dims: layer_norm and rms_norm, their results with the statistics, and what flows back.
 *
 * In: calls of the rows of tables/ops/norm.def. Out: one plan for each, over [groups, elements of a group], or PyTorch's
 * refusals. */
#include <math.h>

#include "ops/norm/norm.h"

enum { INPUT, SHAPE, WEIGHT, BIAS, EPS, RMS_EPS = 3 };

/* ---- sizes ---- */

static bool is_shape_of(const kt_tensor *t, kt_shape shape)
{
    bool same = t->ndim == shape.n;
    for (int i = 0; same && i < t->ndim; i++)
        same = t->sizes[i] == shape.d[i];
    return same;
}

static bool ends_with(const kt_tensor *t, kt_shape shape)
{
    bool same = t->ndim >= shape.n;
    for (int64_t i = 0; same && i < shape.n; i++)
        same = t->sizes[t->ndim - shape.n + i] == shape.d[i];
    return same;
}

static kt_status check_parameter(const kt_tensor *t, kt_shape shape, const char *name)
{
    return !t || is_shape_of(t, shape)
               ? KT_OK
               : kt_fail(KT_ERR_RUNTIME, "Expected %s to be of same shape as normalized_shape, but got %s of shape %s and "
                         "normalized_shape = %s", name, name, KT__SIZES_TEXT(t), KT__SHAPE_TEXT(shape));
}

static kt_status check_shape(kt_shape shape)
{
    return shape.n > 0 ? KT_OK
                       : kt_fail(KT_ERR_RUNTIME, "Expected normalized_shape to be at least 1-dimensional, i.e., containing at "
                                 "least one element, but got normalized_shape = %s", KT__SHAPE_TEXT(shape));
}

/* PyTorch writes "[*, 3]", of rms_norm "[*3]". */
static kt_status check_input(const kt_tensor *input, kt_shape shape, const char *after_star)
{
    return ends_with(input, shape)
               ? KT_OK
               : kt_fail(KT_ERR_RUNTIME, "Given normalized_shape=%s, expected input with shape [*%s%s, but got input of size%s",
                         KT__SHAPE_TEXT(shape), after_star, KT__SHAPE_TEXT(shape) + 1, KT__SIZES_TEXT(input));
}

typedef struct groups {
    int64_t sizes[2];                 /* how many, and their elements */
    int64_t kept[KT_MAX_DIMS];        /* sizes of the statistics: 1 in the dims that are normalised */
    int     dims;
} groups;

static groups groups_of(const kt_tensor *input, kt_shape shape)
{
    groups g;
    g.sizes[0] = g.sizes[1] = 1;
    g.dims = input->ndim;
    for (int i = 0; i < input->ndim; i++) {
        const bool gone = i >= input->ndim - shape.n;
        g.sizes[gone] *= input->sizes[i];
        g.kept[i] = gone ? 1 : input->sizes[i];
    }
    return g;
}

/* ---- forward ---- */

static void add_rows(kt__norm_operands *o, kt_tensor *t, const groups *g) { kt__norm_add(o, t, g->sizes[1], 1, 0, 0); }
static void add_numbers(kt__norm_operands *o, kt_tensor *t) { kt__norm_add(o, t, 1, 0, 0, 0); }
static void add_weights(kt__norm_operands *o, kt_tensor *t) { kt__norm_add(o, t, 0, 1, 0, 0); }

/* Of groups without elements there is nothing to run. */
static kt_status fill_hollow(kt_tensor *mean, kt_tensor *rstd)
{
    return (mean && kt__fill_with(mean, KT_INT(0))) || (rstd && kt__fill_with(rstd, KT_FLOAT(NAN))) ? kt_error_status() : KT_OK;
}

enum { RMS = 1, ALONE = 2 }; /* by the root of the mean square; without statistics */

static kt_status normalise(kt_call *call, kt_tensor *weight, kt_tensor *bias, double eps, kt_dtype statistics, int how)
{
    kt_tensor   *input = call->arg[INPUT].t;
    const groups g = groups_of(input, kt__arg_ints(call, SHAPE));
    if (kt__one_device((kt_tensor *[]){input, weight ? weight : input, bias ? bias : input}, 3) ||
        !kt__norm_parameter(call, "weight", &weight, input) || !kt__norm_parameter(call, "bias", &bias, input))
        return kt_error_status();
    kt_tensor *x = kt__norm_dense(input), *y = kt__norm_new(call, input, (kt_dtype)input->dtype, kt__sizes(input));
    const bool alone = how & ALONE, centred = !(how & RMS);
    kt_tensor *rstd = alone ? NULL : kt__norm_new(call, input, statistics, (kt_shape){g.dims, g.kept});
    kt_tensor *mean = !alone && centred ? kt__norm_new(call, input, statistics, (kt_shape){g.dims, g.kept}) : NULL;
    if (!x || !y || kt__failed())
        return kt_error_status();
    kt__norm_operands o = {.n_out = 3};
    add_rows(&o, y, &g);
    add_numbers(&o, mean);
    add_numbers(&o, rstd);
    add_rows(&o, x, &g);
    add_weights(&o, weight);
    add_weights(&o, bias);
    if (g.sizes[1] == 0 ? fill_hollow(mean, rstd)
                        : kt__norm_run(call, centred ? KT_K_layer_norm : KT_K_rms_norm, &o, g.sizes, 2, eps))
        return kt_error_status();
    if (!centred && !(y = kt_contiguous(y, .memory_format = kt__suggested_format(input)))) /* layer_norm's is row-major */
        return kt_error_status();
    if (alone)
        return kt__end(call, y);
    return centred ? kt__end_several(call, (kt_tensor *[]){y, mean, rstd}, 3)
                   : kt__end_several(call, (kt_tensor *[]){y, rstd}, 2);
}

static kt_status layer_norm_as(kt_call *call, int how)
{
    KT_SCOPE;
    kt_tensor     *input = call->arg[INPUT].t, *weight = kt__norm_given(call, WEIGHT), *bias = kt__norm_given(call, BIAS);
    const kt_shape shape = kt__arg_ints(call, SHAPE);
    kt__decision   room;
    if (kt__refuse_case(call, WEIGHT) || kt__refuse_case(call, BIAS) || check_shape(shape) ||
        check_parameter(weight, shape, "weight") || check_parameter(bias, shape, "bias") || check_input(input, shape, ", "))
        return kt_error_status();
    const kt__decision *d = kt__resolve_in_body(call, &room);
    if (!d || kt__refuse_known(call, NULL, (kt_dtype)d->result) || kt__refuse(call, STAGE_AFTER))
        return kt_error_status();
    kt_tensor *const parameters[] = {weight, bias};
    for (int i = 0; i < 2 && input->backend == KT_CUDA && kt__policy(kt__mode()) != KT_PERMISSIVE; i++)
        if (parameters[i] && parameters[i]->dtype != input->dtype) /* float32 beside a narrow input is the CPU's alone */
            return kt__norm_fail_found(call, input, parameters[i]);
    const kt_tensor *first = weight ? weight : bias;
    const bool       mixed = first && first->dtype == KT_F32 && input->dtype != KT_F64;
    return normalise(call, weight, bias, kt__arg(call, EPS)->f, mixed ? KT_F32 : (kt_dtype)input->dtype, how);
}

kt_status kt__body_native_layer_norm(kt_call *call) { return layer_norm_as(call, 0); }
kt_status kt__body_layer_norm_alone(kt_call *call) { return layer_norm_as(call, ALONE); }

/* The epsilon of the dtype that a norm is computed in. */
static double least_eps(const kt_tensor *input)
{
    const kt_compute c = kt__dtype_rows[input->dtype].compute;
    return c == KT_IN_F64 || c == KT_IN_C128 ? 0x1p-52 : 0x1p-23;
}

kt_status kt__body_fused_rms_norm(kt_call *call)
{
    KT_SCOPE;
    kt_tensor     *input = call->arg[INPUT].t, *weight = kt__norm_given(call, WEIGHT);
    const kt_shape shape = kt__arg_ints(call, SHAPE);
    kt__decision   room;
    if (check_shape(shape) || check_parameter(weight, shape, "weight") || check_input(input, shape, ""))
        return kt_error_status();
    const kt__decision *d = kt__resolve_in_body(call, &room);
    if (!d || kt__refuse_known(call, NULL, (kt_dtype)d->result) || kt__refuse(call, STAGE_AFTER))
        return kt_error_status();
    const double eps = kt__given(call, RMS_EPS) ? kt__arg(call, RMS_EPS)->f : least_eps(input);
    return normalise(call, weight, NULL, eps, kt__wide_dtype((kt_dtype)input->dtype), RMS);
}

/* ---- back ---- */

enum { GRAD_OUT, OF_INPUT, OF_WEIGHT, STATISTICS, NORMALIZED, MASK };

static bool are_statistics(const kt_call *call, const groups *g, int n)
{
    const kt_shape sizes = {g->dims, g->kept};
    bool           fit = call->arg[STATISTICS].ts.n == n;
    for (int i = 0; fit && i < n; i++)
        fit = is_shape_of(call->arg[STATISTICS].ts.t[i], sizes);
    return fit;
}

/* A gradient that the engine did not cast: read as the input's dtype. */
static bool is_narrower(const kt_tensor *grad, const kt_tensor *input)
{
    return input->dtype == KT_F32 && (grad->dtype == KT_BF16 || grad->dtype == KT_F16);
}

static kt_status check_back(const kt_call *call, const kt_tensor *weight, const groups *g, int n)
{
    const kt_tensor *grad = call->arg[GRAD_OUT].t, *input = call->arg[OF_INPUT].t;
    const kt_shape   shape = kt__arg_ints(call, NORMALIZED);
    if (check_shape(shape) || check_parameter(weight, shape, "weight") || check_input(input, shape, ", "))
        return kt_error_status();
    const bool fits = kt__same_sizes(grad, input) && (grad->dtype == input->dtype || is_narrower(grad, input));
    if (!fits || !are_statistics(call, g, n) || kt__arg_ints(call, MASK).n != n + 1)
        return kt_fail(KT_ERR_RUNTIME, "%s: grad_out and statistics are not those of a norm of input", call->row->name);
    return KT_OK;
}

/* A gradient that is wanted; else, in its place, no elements. */
static kt_tensor *new_result(const kt_call *call, const kt_tensor *beside, kt_dtype dtype, kt_shape sizes, bool wanted)
{
    return kt__norm_new(call, beside, dtype, wanted ? sizes : KT_SHAPE(0));
}

/* Is empty_like of it contiguous? Of the expanded gradient of a sum, too. */
static bool is_likened_by_rows(const kt_tensor *t)
{
    int64_t strides[KT_MAX_DIMS];
    kt__preserved_strides(kt__sizes(t), (kt_shape){t->ndim, t->strides}, strides);
    return kt__is_row_major(kt__sizes(t), (kt_shape){t->ndim, strides});
}

static kt_status flow_back(kt_call *call, bool centred)
{
    KT_SCOPE;
    kt_tensor     *grad = call->arg[GRAD_OUT].t, *input = call->arg[OF_INPUT].t, *weight = kt__norm_given(call, OF_WEIGHT);
    const kt_shape shape = kt__arg_ints(call, NORMALIZED), mask = kt__arg_ints(call, MASK);
    const int      n = centred ? 2 : 1;
    kt__decision   room;
    const groups   g = groups_of(input, shape.n <= input->ndim ? shape : KT_SHAPE(0));
    if (check_back(call, weight, &g, n) || (!is_narrower(grad, input) && !kt__resolve_in_body(call, &room)))
        return kt_error_status();
    kt_tensor *const *given = call->arg[STATISTICS].ts.t;
    kt_tensor *rstd = kt__norm_dense(given[n - 1]), *mean = centred ? kt__norm_dense(given[0]) : NULL;
    if (kt__one_device((kt_tensor *[]){input, grad, given[0], given[n - 1], weight ? weight : input}, 5) ||
        !kt__norm_parameter(call, "weight", &weight, input))
        return kt_error_status();
    const kt_dtype narrow = (kt_dtype)(weight ? weight->dtype : given[0]->dtype);
    kt_tensor     *made[3] = {new_result(call, input, (kt_dtype)input->dtype, kt__sizes(input), mask.d[0]),
                              new_result(call, weight ? weight : input, narrow, shape, mask.d[1]), NULL};
    kt_tensor     *x = kt__norm_dense(input), *dy = kt__norm_dense(grad);
    if (centred)
        made[2] = new_result(call, weight ? weight : input, narrow, shape, mask.d[2]);
    if (kt__failed() || !made[0] || !made[1] || (centred && !made[2]))
        return kt_error_status();
    kt__norm_operands o = {.n_out = 3};
    add_rows(&o, mask.d[0] ? made[0] : NULL, &g);
    add_weights(&o, mask.d[1] ? made[1] : NULL);
    add_weights(&o, centred && mask.d[2] ? made[2] : NULL);
    o.as[o.n] = is_narrower(dy, input) ? (kt_dtype)input->dtype : KT_NONE;
    add_rows(&o, dy, &g);
    add_rows(&o, x, &g);
    add_numbers(&o, mean);
    add_numbers(&o, rstd);
    add_weights(&o, weight);
    kt_status status = KT_OK;
    for (int i = 1; i <= n && g.sizes[0] == 0 && !status; i++)
        status = kt__fill_with(made[i], KT_INT(0));
    if (!status && input->numel && (o.t[0] || o.t[1] || o.t[2]))
        status = kt__norm_run(call, centred ? KT_K_layer_norm_backward : KT_K_rms_norm_backward, &o, g.sizes, 2, 0);
    if (!status && !centred && mask.d[0] && !is_likened_by_rows(grad)) /* PyTorch's lies as the gradient that arrived */
        made[0] = kt_copy_(kt_empty_like(grad, .dtype = (kt_dtype)input->dtype), made[0]);
    return status ? status : kt__end_several(call, made, n + 1);
}

kt_status kt__body_native_layer_norm_backward(kt_call *call) { return flow_back(call, true); }
kt_status kt__body_fused_rms_norm_backward(kt_call *call) { return flow_back(call, false); }

bool kt__layer_norm_back(int op, kt_tensor *grad, kt_tensor *input, kt_tensor *weight, kt_tensor *const *statistics, int n,
                         kt_shape normalized, kt_shape mask, kt_tensor **of)
{
    kt_call c;
    if (kt__failed() || !grad || !input)
        return false;
    kt__open(&c, op, KT_PLAIN);
    kt__put_tensor(&c, GRAD_OUT, grad);
    kt__put_tensor(&c, OF_INPUT, input);
    if (weight)
        kt__put_tensor(&c, OF_WEIGHT, weight);
    kt__put_tensors(&c, STATISTICS, statistics, n);
    kt__put(&c, NORMALIZED, ints, normalized);
    kt__put(&c, MASK, ints, mask);
    kt__close_several(&c, of, n + 1);
    return !kt__failed();
}

/* ---- names without a node ---- */

/* Nothing is to flow back. Examples of a batch are the row's that has a rule for them. */
static bool is_alone(const kt_call *call)
{
    bool batched = false;
    for (int i = 0; i < 3; i++) {
        static const int at[3] = {INPUT, WEIGHT, BIAS};
        const kt_tensor *t = kt__norm_given(call, at[i]);
        batched |= t && t->flags & KT_T_BATCHED;
    }
    return !batched && !kt__are_followed(kt__input_flags(call));
}

static kt_status layer_norm(kt_call *call)
{
    KT_SCOPE;
    const bool alone = is_alone(call);
    kt_tensor *of[3] = {NULL};
    kt_call    c;
    kt__open(&c, alone ? KT_OP_layer_norm_alone : KT_OP_native_layer_norm, KT_PLAIN);
    for (int i = INPUT; i <= EPS; i++)
        if (kt__given(call, i) || i == EPS) {
            c.arg[i] = *kt__arg(call, i);
            c.given |= 1u << i;
        }
    kt__close_several(&c, of, alone ? 1 : 3);
    return kt__end(call, of[0]);
}

kt_status kt__body_layer_norm(kt_call *call) { return layer_norm(call); }
kt_status kt__body_nn_layer_norm(kt_call *call) { return layer_norm(call); }

/* Complex numbers, and a weight whose dtype is not the input's: as operators, like PyTorch. */
static kt_tensor *rms_norm_in_parts(kt_tensor *input, kt_tensor *weight, kt_shape shape, double eps)
{
    const kt_dtype own = (kt_dtype)input->dtype, wide = own == KT_F16 || own == KT_BF16 ? KT_F32 : own;
    int64_t        dims[KT_MAX_DIMS];
    for (int64_t i = 0; i < shape.n; i++)
        dims[i] = input->ndim - shape.n + i;
    kt_tensor *x = kt__converted_inside(input, wide, KT_WHY_PROMOTION);
    kt_tensor *square = kt_mean_dim(kt_pow_s(x, KT_INT(2)), ((kt_shape){shape.n, dims}), .keepdim = true);
    kt_tensor *y = kt_mul(x, kt_rsqrt(kt_add_s(square, KT_FLOAT(eps))));
    kt_tensor *z = kt__converted_inside(weight ? kt_mul(y, weight) : y, own, KT_WHY_RESULT);
    return z ? kt_contiguous(z, .memory_format = kt__suggested_format(input)) : NULL;
}

/* The weight alone wants a gradient: what it multiplies is saved, and the input may be written to, as in PyTorch. */
static bool for_weight(const kt_tensor *input, const kt_tensor *weight)
{
    return weight && kt__is_followed(weight) && !kt__is_followed(input) && !(input->flags & KT_T_BATCHED);
}

static kt_status rms_norm(kt_call *call)
{
    KT_SCOPE;
    kt_tensor     *input = call->arg[INPUT].t, *weight = kt__norm_given(call, WEIGHT), *of[2] = {NULL};
    const kt_shape shape = kt__arg_ints(call, SHAPE);
    const double   eps = kt__given(call, RMS_EPS) ? kt__arg(call, RMS_EPS)->f : least_eps(input);
    if (check_shape(shape) || check_parameter(weight, shape, "weight"))
        return kt_error_status();
    if (input->ndim < shape.n)
        return kt_fail(KT_ERR_VALUE, "Input tensor must have at least %lld dimensions, but got %d", (long long)shape.n,
                       input->ndim);
    if (check_input(input, shape, "") || kt__refuse(call, STAGE_AFTER) || kt__norm_judge(call, input, "weight", weight))
        return kt_error_status();
    if (weight && weight->dtype != input->dtype)
        KT__WARN_ONCE("Mismatch dtype between input and weight: input dtype = %s, weight dtype = %s, Cannot dispatch to fused "
                      "implementation.", kt_dtype_c_name((kt_dtype)input->dtype), kt_dtype_c_name((kt_dtype)weight->dtype));
    const bool real = kt__dtype_rows[input->dtype].category == KT_CAT_FLOAT;
    const bool mixed = weight && weight->dtype != input->dtype && (weight->dtype != KT_F32 || input->dtype == KT_F64);
    if (!real || mixed || for_weight(input, weight))
        return kt__end(call, rms_norm_in_parts(input, weight, shape, eps));
    kt_call c;
    kt__open(&c, KT_OP_fused_rms_norm, KT_PLAIN);
    kt__put_tensor(&c, INPUT, input);
    kt__put(&c, SHAPE, ints, shape);
    if (weight)
        kt__put_tensor(&c, WEIGHT, weight);
    kt__put(&c, RMS_EPS, f, eps);
    kt__close_several(&c, of, 2);
    return kt__end(call, of[0]);
}

kt_status kt__body_rms_norm(kt_call *call) { return rms_norm(call); }
kt_status kt__body_nn_rms_norm(kt_call *call) { return rms_norm(call); }
