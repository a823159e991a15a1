/* convolution.c - convolutions and their gradients. In: calls of the rows of tables/ops/window.def. Out: one plan for each, or
 * PyTorch's refusals. The names by number of dims bring arguments into the form of `convolution`, which has the node. */
#include <string.h>

#include "base/str.h"
#include "call/refuse.h"
#include "ops/window/window.h"
#include "tables/kernels/window.h"

typedef struct geometry {
    int     dims;
    int64_t stride[KT__SPACE], padding[KT__SPACE], dilation[KT__SPACE], output_padding[KT__SPACE], groups;
    bool    transposed;
} geometry;

/* ---- the plan ---- */

static void set_geometry(kt_plan *plan, const geometry *g)
{
    kt__push_int(plan, g->dims);
    kt__push_dims(plan, g->stride, g->dims);
    kt__push_dims(plan, g->padding, g->dims);
    kt__push_dims(plan, g->dilation, g->dims);
    kt__push_int(plan, g->groups);
}

/* t: the output, then the inputs; as, why: of the inputs. */
static kt_status launch(kt_call *call, int kernel, const kt__decision *d, kt_tensor *const *t, int n, const uint8_t *as,
                        const uint8_t *why, const geometry *g)
{
    kt_plan plan;
    kt__plan_begin(&plan, kt__row_called(call), kernel, d->compute, n - 1, t[0]);
    plan.origin = d->origin;
    plan.numel = t[0]->numel;
    plan.nd = 0;
    for (int i = 0; i < n; i++) {
        kt__set_operand(&plan, i, t[i], i ? (kt_dtype)as[i - 1] : (kt_dtype)t[i]->dtype, i ? (kt_reason)why[i - 1] : KT_WHY_NONE);
        kt__plan_block(&plan, i, n, t[i]);
    }
    set_geometry(&plan, g);
    kt__trace_fold(call, t[1], d, &(kt_tensor *){t[0]}, 1);
    return kt__launch_long(&plan, t[0]);
}

bool kt__convolved_lines_end_in_channels(const kt_tensor *input, const kt_tensor *weight)
{
    const bool as_it_is = kt__is_contiguous(input) && kt__dtype_rows[input->dtype].category != KT_CAT_COMPLEX;
    return kt__lines_end_in_channels(weight) || (as_it_is && kt__lines_end_in_channels(input));
}

/* Channels last if one of the operands is; but PyTorch's kernels of three dims in float64 and integers write row-major. */
static kt_tensor *new_image(const kt_tensor *a, const kt_tensor *b, kt_dtype dtype, kt_shape sizes)
{
    if (sizes.n == 3 && kt__convolved_lines_end_in_channels(a, b)) {
        const int64_t strides[] = {sizes.d[1] * sizes.d[2], 1, sizes.d[1]};
        return kt__tensor_new_strided(dtype, kt__device(a), sizes, (kt_shape){3, strides});
    }
    const bool       plain = sizes.n == 5 && (dtype == KT_F64 || kt__dtype_rows[dtype].category == KT_CAT_INT);
    kt_memory_format format = plain ? KT_CONTIGUOUS_FORMAT : kt__suggested_format(a);
    if (format == KT_CONTIGUOUS_FORMAT && !plain)
        format = kt__suggested_format(b);
    return kt__new_in_format(a, dtype, sizes, format);
}

/* ---- checks, in PyTorch's order ---- */

static bool any_below(const int64_t *values, int n, int64_t least)
{
    bool below = false;
    for (int i = 0; i < n; i++)
        below |= values[i] < least;
    return below;
}

static kt_status check_numbers(const geometry *g)
{
    if (any_below(g->padding, g->dims, 0))
        return kt_fail(KT_ERR_RUNTIME, "negative padding is not supported");
    if (any_below(g->output_padding, g->dims, 0))
        return kt_fail(KT_ERR_RUNTIME, "negative output_padding is not supported");
    if (any_below(g->stride, g->dims, 1))
        return kt_fail(KT_ERR_RUNTIME, "non-positive stride is not supported");
    if (any_below(g->dilation, g->dims, 0))
        return kt_fail(KT_ERR_RUNTIME, "dilation should be greater than zero");
    return KT_OK;
}

static kt_status check_groups(int64_t groups)
{
    return groups > 0 ? KT_OK : kt_fail(KT_ERR_RUNTIME, "non-positive groups is not supported");
}

/* Of complex images the groups are looked at later: PyTorch compares dtypes first. */
static kt_status check_named(const kt_tensor *input, const kt_tensor *weight, int64_t groups)
{
    if (weight->ndim < 3)
        return kt_fail(KT_ERR_RUNTIME, "weight should have at least three dimensions");
    return kt__dtype_rows[input->dtype].category == KT_CAT_COMPLEX ? KT_OK : check_groups(groups);
}

static bool is_dilated(const geometry *g)
{
    bool dilated = false;
    for (int i = 0; i < g->dims; i++)
        dilated |= g->dilation[i] != 1;
    return dilated;
}

/* "(4 x 4)" */
static void by_text(char *text, size_t room, const int64_t *sizes, int n)
{
    kt__str s = kt__str_in(text, room);
    kt__str_add(&s, "(");
    for (int i = 0; i < n; i++)
        kt__str_addf(&s, i ? " x %lld" : "%lld", (long long)sizes[i]);
    kt__str_add(&s, ")");
}

static kt_status check_channels(const kt_tensor *input, const kt_tensor *weight, const kt_tensor *bias, const geometry *g)
{
    const int64_t groups = g->groups, outer = weight->sizes[0], inner = weight->sizes[1];
    if (input->ndim != weight->ndim)
        return kt_fail(KT_ERR_RUNTIME, "Expected %d-dimensional input for %d-dimensional weight %s, but got %d-dimensional "
                       "input of size "
                       "%s instead", weight->ndim, weight->ndim, KT__SIZES_TEXT(weight), input->ndim, KT__SIZES_TEXT(input));
    if (outer < groups)
        return kt_fail(KT_ERR_RUNTIME, "Given groups=%lld, expected weight to be at least %lld at dimension 0, but got weight "
                       "of size %s "
                       "instead", (long long)groups, (long long)groups, KT__SIZES_TEXT(weight));
    if (outer % groups)
        return kt_fail(KT_ERR_RUNTIME, "Given groups=%lld, expected weight to be divisible by %lld at dimension 0, but got "
                       "weight of size "
                       "[%s] instead", (long long)groups, (long long)groups, KT__SIZES_TEXT(weight));
    if (!g->transposed && input->sizes[1] != inner * groups)
        return kt_fail(KT_ERR_RUNTIME, "Given groups=%lld, weight of size %s, expected input%s to have %lld channels, but got "
                       "%lld "
                       "channels instead", (long long)groups, KT__SIZES_TEXT(weight), KT__SIZES_TEXT(input),
                       (long long)(inner * groups), (long long)input->sizes[1]);
    if (g->transposed && input->sizes[1] != outer)
        return kt_fail(KT_ERR_RUNTIME, "Given transposed=1, weight of size %s, expected input%s to have %lld channels, but got "
                       "%lld "
                       "channels instead", KT__SIZES_TEXT(weight), KT__SIZES_TEXT(input), (long long)outer,
                       (long long)input->sizes[1]);
    const int64_t made = g->transposed ? inner * groups : outer;
    if (bias && (bias->ndim != 1 || bias->sizes[0] != made))
        return kt_fail(KT_ERR_RUNTIME, "Given %sweight of size %s, expected bias to be 1-dimensional with %lld elements, but "
                       "got bias of "
                       "size %s instead", g->transposed ? "transposed=1, " : "", KT__SIZES_TEXT(weight), (long long)made,
                       KT__SIZES_TEXT(bias));
    return KT_OK;
}

static kt_status check_window(const kt_tensor *input, const kt_tensor *weight, const geometry *g)
{
    int64_t padded[KT__SPACE] = {0}, kernel[KT__SPACE] = {0};
    bool    fits = true;
    char    have[96], want[96];
    for (int i = 0; i < g->dims; i++) {
        padded[i] = input->sizes[2 + i] + 2 * g->padding[i];
        kernel[i] = g->dilation[i] * (weight->sizes[2 + i] - 1) + 1;
        fits = fits && padded[i] >= kernel[i];
    }
    by_text(have, sizeof have, padded, g->dims);
    by_text(want, sizeof want, kernel, g->dims);
    return fits ? KT_OK
                : kt_fail(KT_ERR_RUNTIME, "Calculated padded input size per channel: %s. Kernel size: %s. Kernel size can't be "
                          "greater "
                                          "than actual input size", have, want);
}

static const char *const dim_names[] = {"depth", "height", "width"};

/* PyTorch runs one dim as two. */
static void name_dims(kt__str *s, const char *prefix, const int64_t *values, int dims, int64_t first, const char *between)
{
    for (int i = dims == 1 ? -1 : 0; i < dims; i++)
        kt__str_addf(s, "%s%s_%s: %lld", s->length ? between : "", prefix, dim_names[KT__SPACE - dims + i],
                     (long long)(i < 0 ? first : values[i]));
}

static kt_shape at_least_two(const int64_t *values, int dims, int64_t room[2])
{
    room[0] = 1;
    room[1] = values[0];
    return dims == 1 ? (kt_shape){2, room} : (kt_shape){dims, values};
}

/* PyTorch sees a line as an image of one row. */
static kt_status refuse_nothing(const kt_tensor *input, const geometry *g)
{
    int64_t        room[2];
    const kt_shape space = at_least_two(input->sizes + 2, g->dims, room);
    int64_t        sizes[KT__SPACE + 2] = {input->sizes[0], input->sizes[1]};
    memcpy(sizes + 2, space.d, sizeof *sizes * (size_t)space.n);
    return kt_fail(KT_ERR_RUNTIME, "Only zero batch or zero channel inputs are supported, but got input shape: %s",
                   KT__SHAPE_TEXT(((kt_shape){space.n + 2, sizes})));
}

/* Does PyTorch leave it to oneDNN? Which checks are made depends on that. It does for half and bfloat16, and for float32, of
 * which complex64 is made, unless the image is single and small. A line is an image of one row. */
static bool by_library(const kt_tensor *input, const kt_tensor *weight, const geometry *g)
{
    enum { FEW = 20480, WIDE = 3 };
    const kt_dtype d = (kt_dtype)input->dtype;
    const bool     single = d == KT_F32 || d == KT_C64, narrow = d == KT_F16 || d == KT_BF16 || d == KT_C32;
    const int64_t  plane = input->sizes[1] * input->sizes[2] * (g->dims > 1 ? input->sizes[3] : 1);
    const bool     wide = g->dims > 1 && weight->sizes[g->dims] > WIDE && weight->sizes[g->dims + 1] > WIDE;
    return narrow || (single && (input->sizes[0] > 1 || g->groups > 1 || wide || plane > FEW));
}

/* oneDNN's words, for transposed ones too, are no help; PyTorch's around it are. */
static kt_status refuse_dilation(const kt_tensor *input, const kt_tensor *weight, const geometry *g)
{
    int64_t    room[2];
    char       text[192];
    kt__str    s = kt__str_in(text, sizeof text);
    if (g->transposed) {
        name_dims(&s, "dilation", g->dilation, g->dims, 1, ", ");
        return kt_fail(KT_ERR_RUNTIME, "dilation should be greater than zero, but got %s", text);
    }
    return by_library(input, weight, g) ? kt_fail(KT_ERR_RUNTIME, "non-positive dilation is not supported")
                                        : kt_fail(KT_ERR_RUNTIME, "dilation should be greater than zero, but got %s",
                                                  KT__SHAPE_TEXT(at_least_two(g->dilation, g->dims, room)));
}

static kt_status check_kernel(const kt_tensor *input, const kt_tensor *weight, const geometry *g)
{
    const int64_t *size = weight->sizes + 2;
    int64_t        room[2];
    char           text[192];
    kt__str        s = kt__str_in(text, sizeof text);
    if (any_below(g->dilation, g->dims, 1))
        return refuse_dilation(input, weight, g);
    if (!any_below(size, g->dims, 1))
        return KT_OK;
    if (g->dims == 3 && g->transposed) {
        const int64_t group[] = {weight->sizes[0] / g->groups, weight->sizes[1], size[0], size[1], size[2]};
        return kt_fail(KT_ERR_RUNTIME, "non-empty 5D (n_output_plane x n_input_plane x kernel_depth x kernel_height x "
                       "kernel_width) tensor expected for weight, but got: %s", KT__SHAPE_TEXT(((kt_shape){5, group})));
    }
    if (is_dilated(g) && !g->transposed)
        return kt_fail(KT_ERR_RUNTIME, "kernel size should be greater than zero, but got %s",
                       KT__SHAPE_TEXT(at_least_two(size, g->dims, room)));
    if (g->dims == 3)
        return kt_fail(KT_ERR_RUNTIME, "kernel size should be greater than zero, but got: %lld x %lld x %lld (TxHxW)",
                       (long long)size[0], (long long)size[1], (long long)size[2]);
    name_dims(&s, "kernel", size, g->dims, 1, " ");
    return kt_fail(KT_ERR_RUNTIME, "kernel size should be greater than zero, but got %s", text);
}

/* ---- sizes of results ---- */

/* PyTorch's own kernels refuse a result of no elements; oneDNN makes it. */
static kt_status check_transposed(const kt_tensor *input, const kt_tensor *weight, const geometry *g, const int64_t *made)
{
    char    text[400], have[96], want[96];
    kt__str s = kt__str_in(text, sizeof text);
    bool    small = false, wide = false;
    int64_t one[KT__SPACE] = {1}, two[KT__SPACE] = {1};
    const int64_t least = by_library(input, weight, g) ? 0 : 1;
    for (int i = 0; i < g->dims; i++) {
        wide |= g->output_padding[i] >= g->stride[i] && g->output_padding[i] >= g->dilation[i];
        small |= made[i] < least;
    }
    if (wide) {
        name_dims(&s, "output_padding", g->output_padding, g->dims, 0, " ");
        name_dims(&s, "stride", g->stride, g->dims, 1, " ");
        name_dims(&s, "dilation", g->dilation, g->dims, 1, " ");
        return kt_fail(KT_ERR_RUNTIME, "output padding must be smaller than either stride or dilation, but got %s", text);
    }
    const int lead = g->dims == 1;
    memcpy(one + lead, input->sizes + 2, sizeof *one * (size_t)g->dims);
    memcpy(two + lead, made, sizeof *two * (size_t)g->dims);
    by_text(have, sizeof have, one, g->dims + lead);
    by_text(want, sizeof want, two, g->dims + lead);
    return small ? kt_fail(KT_ERR_RUNTIME, "Given input size per channel: %s. Calculated output size per channel: %s. Output "
                           "size is "
                                           "too small", have, want)
                 : KT_OK;
}

static void sizes_of(const kt_tensor *input, const kt_tensor *weight, const geometry *g, int64_t *sizes)
{
    sizes[0] = input->sizes[0];
    sizes[1] = g->transposed ? weight->sizes[1] * g->groups : weight->sizes[0];
    for (int i = 0; i < g->dims; i++) {
        const int64_t from = input->sizes[2 + i], span = g->dilation[i] * (weight->sizes[2 + i] - 1) + 1;
        sizes[2 + i] = g->transposed ? (from - 1) * g->stride[i] - 2 * g->padding[i] + span + g->output_padding[i]
                                     : (from + 2 * g->padding[i] - span) / g->stride[i] + 1;
    }
}

/* ---- dtypes ---- */

enum { INPUT, WEIGHT, BIAS, STRIDE, PADDING, DILATION, TRANSPOSED, OUTPUT_PADDING, GROUPS };

static bool is_plain(kt_dtype d) /* a dtype that PyTorch's kernels take */
{
    const bool number = kt__dtype_rows[d].category != KT_CAT_BOOL && d != KT_U16 && d != KT_U32 && d != KT_U64;
    return number && (kt__dtype_rows[d].category != KT_CAT_FLOAT || kt__dtype_rows[d].size > 1);
}

/* Its kernels of narrow integers are the ones without dilation. */
static kt_status check_dtype(const kt_call *call, const geometry *g)
{
    const kt_dtype d = kt__seen_dtype(call, INPUT);
    const bool     dilated = is_dilated(g);
    const bool     narrow = kt__dtype_rows[d].category == KT_CAT_INT && d != KT_I64;
    if (is_plain(d) && !(narrow && (dilated || g->transposed)))
        return KT_OK;
    const char *name = g->transposed ? (g->dims == 3 ? "slow_conv_transpose3d_out_cpu" : "slow_conv_transpose2d_out_cpu")
                       : dilated     ? "slow_conv_dilated<>"
                       : g->dims == 3 ? "compute_columns3d"
                                      : "slow_conv2d_cpu";
    return kt__fail_dtype(call, KT_ERR_NOT_IMPLEMENTED, "\"%s\" not implemented for '%s'", name, kt_dtype_torch_name(d));
}

/* ---- convolution ---- */

/* A weight of more dims than there are kernels for: lists and the input do not fit it. */
static kt_status refuse_dims(const kt_call *call, const kt_tensor *weight, int dims)
{
    int64_t          any[KT_MAX_DIMS];
    const kt_tensor *input = call->arg[INPUT].t;
    return kt__per_dim(kt__arg_ints(call, STRIDE), dims, "stride", any) ||
                   kt__per_dim(kt__arg_ints(call, PADDING), dims, "padding", any) ||
                   kt__per_dim(kt__arg_ints(call, DILATION), dims, "dilation", any) ||
                   kt__per_dim(kt__arg_ints(call, OUTPUT_PADDING), dims, "output_padding", any)
               ? kt_error_status()
               : kt_fail(KT_ERR_RUNTIME, "Expected %d-dimensional input for %d-dimensional weight %s, but got %d-dimensional "
                         "input of size %s instead", weight->ndim, weight->ndim, KT__SIZES_TEXT(weight), input->ndim,
                         KT__SIZES_TEXT(input));
}

static kt_status read_geometry(const kt_call *call, const kt_tensor *weight, geometry *g)
{
    g->dims = weight->ndim - 2;
    g->transposed = kt__arg_bool(call, TRANSPOSED);
    g->groups = kt__arg_int(call, GROUPS);
    if (g->dims < 1)
        return kt_fail(KT_ERR_RUNTIME, "weight should have at least three dimensions");
    if (g->dims > KT__SPACE)
        return refuse_dims(call, weight, g->dims);
    return kt__per_dim(kt__arg_ints(call, STRIDE), g->dims, "stride", g->stride) ||
                   kt__per_dim(kt__arg_ints(call, PADDING), g->dims, "padding", g->padding) ||
                   kt__per_dim(kt__arg_ints(call, DILATION), g->dims, "dilation", g->dilation) ||
                   kt__per_dim(kt__arg_ints(call, OUTPUT_PADDING), g->dims, "output_padding", g->output_padding)
               ? kt_error_status()
               : KT_OK;
}

/* The result of no channels or no batch, of which PyTorch makes no window. */
static bool is_hollow(const kt_tensor *input) { return input->sizes[0] == 0 || input->sizes[1] == 0; }

kt_status kt__body_convolution(kt_call *call)
{
    KT_SCOPE;
    kt_tensor   *input = call->arg[INPUT].t, *weight = call->arg[WEIGHT].t;
    kt_tensor   *bias = kt__given(call, BIAS) ? call->arg[BIAS].t : NULL;
    geometry     g;
    int64_t      sizes[KT_MAX_DIMS];
    kt__decision room;
    if (kt__one_device((kt_tensor *[]){input, weight, bias ? bias : input}, 3))
        return kt_error_status();
    if (kt__dtype_rows[input->dtype].category == KT_CAT_COMPLEX && !kt__resolve_in_body(call, &room)) /* asked first */
        return kt_error_status();
    if (check_groups(kt__arg_int(call, GROUPS)) || read_geometry(call, weight, &g) || check_numbers(&g) ||
        check_channels(input, weight, bias, &g) || (!g.transposed && check_window(input, weight, &g)))
        return kt_error_status();
    if (input->numel == 0 && !is_hollow(input))
        return refuse_nothing(input, &g);
    sizes_of(input, weight, &g, sizes);
    sizes[1] = input->sizes[1] == 0 ? 0 : sizes[1];
    if (!is_hollow(input) && (check_kernel(input, weight, &g) ||
                              (g.transposed && check_transposed(input, weight, &g, sizes + 2)) ||
                              check_dtype(call, &g)))
        return kt_error_status();
    const kt__decision *d = kt__resolve_in_body(call, &room);
    if (!d || kt__refuse(call, STAGE_AFTER))
        return kt_error_status();
    if (bias && !(bias = kt__converted(bias, (kt_dtype)d->common, KT_WHY_PROMOTION))) /* a transposed one takes any */
        return kt_error_status();
    kt_tensor *out = new_image(input, weight, (kt_dtype)d->result, (kt_shape){g.dims + 2, sizes});
    if (!out)
        return kt_error_status();
    const uint8_t    as[] = {d->as[0], d->as[1], d->common}, why[] = {d->why[0], d->why[1], KT_WHY_NONE};
    kt_tensor *const t[] = {out, input, weight, bias};
    kt_status status = launch(call, g.transposed ? KT_K_convolution_input : KT_K_convolution, d, t, bias ? 4 : 3, as, why, &g);
    return kt__end_itself(call, out, status);
}

/* PyTorch's other name: the flags behind the same nine arguments change nothing. */
kt_status kt__body_convolution_of(kt_call *call) { return kt__body_convolution(call); }

/* ---- gradients ---- */

enum { FIRST, SECOND, SIZE, BACK_STRIDE, BACK_PADDING, BACK_DILATION, BACK_TRANSPOSED, BACK_GROUPS };

static kt_status read_back(const kt_call *call, geometry *g)
{
    const kt_tensor *grad = call->arg[FIRST].t, *other = call->arg[SECOND].t;
    const kt_shape   size = kt__arg_ints(call, SIZE);
    memset(g, 0, sizeof *g);
    g->dims = grad->ndim - 2;
    g->transposed = kt__arg_bool(call, BACK_TRANSPOSED);
    g->groups = kt__arg_int(call, BACK_GROUPS);
    if (g->dims < 1 || g->dims > KT__SPACE || other->ndim != grad->ndim || size.n != grad->ndim)
        return kt_fail(KT_ERR_RUNTIME, "Expected input and grad_output to have the same number of dimensions, but got: %lld "
                       "and %d",
                       (long long)(other->ndim == grad->ndim ? size.n : other->ndim), grad->ndim);
    if (kt__per_dim(kt__arg_ints(call, BACK_STRIDE), g->dims, "stride", g->stride) ||
        kt__per_dim(kt__arg_ints(call, BACK_PADDING), g->dims, "padding", g->padding) ||
        kt__per_dim(kt__arg_ints(call, BACK_DILATION), g->dims, "dilation", g->dilation))
        return kt_error_status();
    if (check_groups(g->groups) || check_numbers(g))
        return kt_error_status();
    return any_below(g->dilation, g->dims, 1) ? kt_fail(KT_ERR_RUNTIME, "dilation should be greater than zero") : KT_OK;
}

/* The sizes of the three operands must belong to one convolution. */
static kt_status check_back(const kt_tensor *grad, kt_shape input, kt_shape weight, const geometry *g)
{
    const int64_t channels[2] = {g->transposed ? weight.d[1] * g->groups : weight.d[0],
                                 g->transposed ? weight.d[0] : weight.d[1] * g->groups};
    const bool    none = input.d[1] == 0 && grad->sizes[1] == 0; /* of no channels forward makes none, as PyTorch does */
    bool          fits = grad->sizes[0] == input.d[0] && (none || grad->sizes[1] == channels[0]) && input.d[1] == channels[1] &&
                weight.d[0] % g->groups == 0;
    for (int i = 0; i < g->dims && fits; i++) {
        const int64_t span = g->dilation[i] * (weight.d[2 + i] - 1) + 1,
    large = g->transposed ? grad->sizes[2 + i] : input.d[2 + i],
                      few = g->transposed ? input.d[2 + i] : grad->sizes[2 + i], whole = large + 2 * g->padding[i] - span;
        fits = weight.d[2 + i] > 0 && (few == 0 || (whole >= 0 && few <= whole / g->stride[i] + 1));
    }
    return fits ? KT_OK
                : kt_fail(KT_ERR_RUNTIME, "a convolution of input %s with weight %s does not give grad_output %s",
                          KT__SHAPE_TEXT(input),
                          KT__SHAPE_TEXT(weight), KT__SIZES_TEXT(grad));
}

static kt_status flow_back(kt_call *call, bool to_weight)
{
    kt_tensor     *grad = call->arg[FIRST].t, *other = call->arg[SECOND].t;
    const kt_shape size = kt__arg_ints(call, SIZE);
    geometry       g;
    kt__decision   room;
    if (kt__one_device((kt_tensor *[]){grad, other}, 2) || read_back(call, &g) ||
        check_back(grad, to_weight ? kt__sizes(other) : size, to_weight ? size : kt__sizes(other), &g))
        return kt_error_status();
    const kt__decision *d = kt__resolve_in_body(call, &room);
    if (!d)
        return kt_error_status();
    kt_tensor *out = to_weight || size.n == 3 ? kt__tensor_new((kt_dtype)d->result, kt__device(grad), size)
                                              : new_image(grad, other, (kt_dtype)d->result, size);
    if (!out)
        return kt_error_status();
    /* transposed: what flowed back is the image that the window moved over */
    const bool       turned = to_weight && g.transposed;
    kt_tensor *const t[] = {out, turned ? other : grad, turned ? grad : other};
    const uint8_t    as[] = {d->as[turned], d->as[!turned]}, why[] = {d->why[turned], d->why[!turned]};
    const int        kernel = to_weight ? KT_K_convolution_weight : g.transposed ? KT_K_convolution : KT_K_convolution_input;
    return kt__end_itself(call, out, launch(call, kernel, d, t, 3, as, why, &g));
}

kt_status kt__body_convolution_input(kt_call *call) { return flow_back(call, false); }
kt_status kt__body_convolution_weight(kt_call *call) { return flow_back(call, true); }

/* ---- by number of dims ---- */

kt_tensor *kt__convolved(kt_tensor *input, kt_tensor *weight, kt_tensor *bias, kt_shape stride, kt_shape padding,
                         kt_shape dilation, bool transposed, kt_shape output_padding, int64_t groups)
{
    kt_call c;
    if (!input || !weight)
        return NULL;
    kt__open(&c, KT_OP_convolution, KT_PLAIN);
    kt__put_tensor(&c, INPUT, input);
    kt__put_tensor(&c, WEIGHT, weight);
    if (bias)
        kt__put_tensor(&c, BIAS, bias);
    kt__put(&c, STRIDE, ints, stride);
    kt__put(&c, PADDING, ints, padding);
    kt__put(&c, DILATION, ints, dilation);
    kt__put(&c, TRANSPOSED, b, transposed);
    kt__put(&c, OUTPUT_PADDING, ints, output_padding);
    kt__put(&c, GROUPS, i, groups);
    return kt_call_run(&c) ? NULL : kt__scoped(c.out[0]);
}

/* One integer stands for as many as the name says. */
static kt_shape spread(kt_shape list, int dims, int64_t *room)
{
    for (int i = 0; i < dims && list.n == 1; i++)
        room[i] = list.d[0];
    return list.n == 1 ? (kt_shape){dims, room} : list;
}

static kt_tensor *convolve(kt_tensor *input, const kt_call *call, int dims, kt_shape stride, kt_shape padding, kt_shape dilation,
                           bool transposed, kt_shape output_padding, int64_t groups)
{
    int64_t    room[4][KT__SPACE];
    kt_tensor *bias = kt__given(call, BIAS) ? call->arg[BIAS].t : NULL;
    return kt__convolved(input, call->arg[WEIGHT].t, bias, spread(stride, dims, room[0]), spread(padding, dims, room[1]),
                          spread(dilation, dims, room[2]), transposed, spread(output_padding, dims, room[3]), groups);
}

static kt_status end_image(kt_call *call, kt_tensor *out, bool unbatched)
{
    return kt__end(call, unbatched ? kt_squeeze_dim(out, KT_SHAPE(0)) : out);
}

enum { BY_STRIDE = 3, BY_PADDING, BY_DILATION, BY_GROUPS };

static kt_status by_dims(kt_call *call, int dims, const char *op)
{
    KT_SCOPE;
    if (kt__refuse(call, STAGE_AFTER)) /* a bias of another dtype comes before everything else */
        return kt_error_status();
    bool       unbatched;
    kt_tensor *input = kt__batched(call->arg[INPUT].t, dims, op, &unbatched);
    if (!input || check_named(input, call->arg[WEIGHT].t, kt__arg_int(call, BY_GROUPS)))
        return kt_error_status();
    return end_image(call,
                     convolve(input, call, dims, kt__arg_ints(call, BY_STRIDE), kt__arg_ints(call, BY_PADDING),
                              kt__arg_ints(call, BY_DILATION), false, KT_SHAPE(0), kt__arg_int(call, BY_GROUPS)),
                     unbatched);
}

kt_status kt__body_conv1d(kt_call *call) { return by_dims(call, 1, "conv1d"); }
kt_status kt__body_conv2d(kt_call *call) { return by_dims(call, 2, "conv2d"); }
kt_status kt__body_conv3d(kt_call *call) { return by_dims(call, 3, "conv3d"); }

/* ---- padding by name ---- */

static kt_status broadcast(kt_shape list, int dims, const char *what, int64_t *to)
{
    return list.n == 1 || list.n == dims ? kt__per_dim(list, dims, what, to)
                                         : kt_fail(KT_ERR_RUNTIME, "%s cannot broadcast to %d dimensions", what, dims);
}

/* What 'same' adds on both sides; what it adds on the right alone becomes a padded copy of the input. */
static kt_tensor *padded_same(kt_tensor *input, const kt_tensor *weight, kt_shape stride, kt_shape dilation, int64_t *both)
{
    const int dims = weight->ndim - 2;
    int64_t   steps[KT__SPACE], apart[KT__SPACE], more[2 * KT__SPACE] = {0};
    bool      uneven = false;
    if (input->ndim != weight->ndim) {
        kt_fail(KT_ERR_RUNTIME, "Expected %d-dimensional input for %d-dimensional weight%s, but got %d-dimensional "
                "input of size %s instead", weight->ndim, weight->ndim, KT__SIZES_TEXT(weight), input->ndim,
                KT__SIZES_TEXT(input));
        return NULL;
    }
    if (dims > KT__SPACE) {
        kt_fail(KT_ERR_RUNTIME, "a window of %d dims, of which there are up to %d", dims, KT__SPACE);
        return NULL;
    }
    if (broadcast(stride, dims, "stride", steps) || broadcast(dilation, dims, "dilation", apart))
        return NULL;
    for (int i = 0; i < dims; i++)
        if (steps[i] != 1) {
            kt_fail(KT_ERR_RUNTIME, "padding='same' is not supported for strided convolutions");
            return NULL;
        }
    for (int i = 0; i < dims; i++) {
        const int64_t total = apart[i] * (weight->sizes[2 + i] - 1);
        both[i] = total / 2;
        more[2 * (dims - 1 - i) + 1] = total - 2 * both[i]; /* the last dim comes first */
        uneven |= total % 2 != 0;
    }
    if (!uneven)
        return input;
    KT__WARN_ONCE("Using padding='same' with even kernel lengths and odd dilation may require a zero-padded copy of the input be "
                  "created");
    return kt_constant_pad_nd(input, ((kt_shape){2 * dims, more}));
}

static kt_status check_padding_name(const char *padding)
{
    return strcmp(padding, "same") == 0 || strcmp(padding, "valid") == 0
               ? KT_OK
               : kt_fail(KT_ERR_RUNTIME, "Invalid padding string: '%s'", padding);
}

static kt_status by_name(kt_call *call, int dims, const char *op)
{
    KT_SCOPE;
    bool           unbatched;
    int64_t        both[KT__SPACE] = {0};
    const char    *padding = kt__arg(call, BY_PADDING)->str;
    const kt_shape stride = kt__arg_ints(call, BY_STRIDE), dilation = kt__arg_ints(call, BY_DILATION);
    kt_tensor     *weight = call->arg[WEIGHT].t, *input = kt__batched(call->arg[INPUT].t, dims, op, &unbatched);
    const bool     same = strcmp(padding, "same") == 0;
    if (!input || check_padding_name(padding) || check_named(input, call->arg[WEIGHT].t, kt__arg_int(call, BY_GROUPS)))
        return kt_error_status();
    input = same ? padded_same(input, weight, stride, dilation, both) : input;
    if (!input)
        return kt_error_status();
    const int given = weight->ndim - 2 > 0 && weight->ndim - 2 <= KT__SPACE ? weight->ndim - 2 : 1;
    return end_image(call,
                     convolve(input, call, dims, stride, (kt_shape){given, both}, dilation, false, KT_SHAPE(0),
                              kt__arg_int(call, BY_GROUPS)),
                     unbatched);
}

kt_status kt__body_conv1d_padding(kt_call *call) { return by_name(call, 1, "conv1d"); }
kt_status kt__body_conv2d_padding(kt_call *call) { return by_name(call, 2, "conv2d"); }
kt_status kt__body_conv3d_padding(kt_call *call) { return by_name(call, 3, "conv3d"); }

/* Images of any number of dims, with a batch. */
kt_status kt__body_convolution_mode(kt_call *call)
{
    KT_SCOPE;
    int64_t        both[KT__SPACE] = {0};
    const char    *padding = kt__arg(call, BY_PADDING)->str;
    const kt_shape stride = kt__arg_ints(call, BY_STRIDE), dilation = kt__arg_ints(call, BY_DILATION);
    kt_tensor     *input = call->arg[INPUT].t, *weight = call->arg[WEIGHT].t;
    kt_tensor     *bias = kt__given(call, BIAS) ? call->arg[BIAS].t : NULL;
    const int64_t  groups = kt__arg_int(call, BY_GROUPS);
    if (check_padding_name(padding) || check_named(input, weight, groups))
        return kt_error_status();
    if (strcmp(padding, "valid") == 0)
        return kt__end(call, kt__convolved(input, weight, bias, stride, KT_SHAPE(0), dilation, false, KT_SHAPE(0), groups));
    input = padded_same(input, weight, stride, dilation, both);
    const kt_shape spread_both = {weight->ndim - 2, both};
    return kt__end(call, kt__convolved(input, weight, bias, stride, spread_both, dilation, false, KT_SHAPE(0), groups));
}

/* ---- transposed ---- */

enum { TURNED_STRIDE = 3, TURNED_PADDING, TURNED_OUTPUT_PADDING, TURNED_GROUPS, TURNED_DILATION };

static kt_status turned(kt_call *call, int dims, const char *op)
{
    KT_SCOPE;
    bool       unbatched;
    kt_tensor *input = kt__batched(call->arg[INPUT].t, dims, op, &unbatched);
    if (!input || check_named(input, call->arg[WEIGHT].t, kt__arg_int(call, TURNED_GROUPS)))
        return kt_error_status();
    return end_image(call,
                     convolve(input, call, dims, kt__arg_ints(call, TURNED_STRIDE),
                              kt__arg_ints(call, TURNED_PADDING), kt__arg_ints(call, TURNED_DILATION), true,
                              kt__arg_ints(call, TURNED_OUTPUT_PADDING), kt__arg_int(call, TURNED_GROUPS)),
                     unbatched);
}

kt_status kt__body_conv_transpose1d(kt_call *call) { return turned(call, 1, "conv_transpose1d"); }
kt_status kt__body_conv_transpose2d(kt_call *call) { return turned(call, 2, "conv_transpose2d"); }
kt_status kt__body_conv_transpose3d(kt_call *call) { return turned(call, 3, "conv_transpose3d"); }
