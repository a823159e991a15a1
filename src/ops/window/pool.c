/* pool.c - the largest and the average of what a window sees as it moves over an image, and their gradients. In: calls of the
 * rows of tables/ops/pool.def. Out: one plan for each, or PyTorch's refusals, in its order. One dim is pooled as two, as PyTorch
 * does, whose nodes show it. */
#include "ops/window/pool.h"

#include <limits.h>
#include <string.h>

#include "base/str.h"
#include "tables/kernels/window.h"

/* ---- lists: one integer stands for all dims; a stride that was left out is the kernel's size ---- */

static const char *const numbers[] = {"", "one", "two", "three"};

static kt_status spread(kt_shape list, int dims, int64_t *to, const char *op, const char *what, const char *beginning)
{
    if (list.n != 1 && list.n != dims)
        return kt_fail(KT_ERR_RUNTIME, "%s: %s must %s a single int, or a tuple of %s ints", op, what, beginning, numbers[dims]);
    for (int i = 0; i < dims; i++)
        to[i] = list.d[list.n == 1 ? 0 : i];
    return KT_OK;
}

static kt_status within_int(const int64_t *values, int dims, int64_t least)
{
    for (int i = 0; i < dims; i++)
        if (values[i] < least || values[i] > INT_MAX)
            return kt_fail(KT_ERR_RUNTIME, "integer out of range");
    return KT_OK;
}

typedef struct lists {
    kt_shape kernel, stride, padding, dilation;
} lists;

/* Of averages two dims are asked to be positive before anything else. */
static kt_status read_lists(kt__pooling *g, int dims, const lists *l, const char *op, bool average)
{
    const char *be = average && dims == 3 ? "be" : "either be";
    const char *omitted = average && dims == 3 ? "be omitted," : "either be omitted,";
    const bool  positive = average && dims == 2;
    g->dims = dims;
    if (spread(l->kernel, dims, g->kernel, op, "kernel_size", be) || within_int(g->kernel, dims, positive ? 1 : INT_MIN))
        return kt_error_status();
    if (l->stride.n == 0)
        memcpy(g->stride, g->kernel, sizeof g->stride);
    else if (spread(l->stride, dims, g->stride, op, "stride", omitted) || within_int(g->stride, dims, positive ? 0 : INT_MIN))
        return kt_error_status();
    if (spread(l->padding, dims, g->padding, op, "padding", be) || within_int(g->padding, dims, INT_MIN))
        return kt_error_status();
    return spread(l->dilation, dims, g->dilation, op, "dilation", "be either") || within_int(g->dilation, dims, INT_MIN)
               ? kt_error_status()
               : KT_OK;
}

/* ---- sizes ---- */

static int64_t floor_of(int64_t a, int64_t b) /* a / b, rounded down */
{
    return a / b - (a % b != 0 && (a < 0) != (b < 0));
}

static kt_status count_windows(const kt__pooling *g, int d, int64_t size, bool ceil, int64_t *count)
{
    const int64_t k = g->kernel[d], s = g->stride[d], p = g->padding[d], span = g->dilation[d] * (k - 1) + 1;
    if (s == 0)
        return kt_fail(KT_ERR_RUNTIME, "stride should not be zero");
    if (p < 0)
        return kt_fail(KT_ERR_RUNTIME, "pad must be non-negative, but got pad: %lld", (long long)p);
    if (p > span / 2)
        return kt_fail(KT_ERR_RUNTIME, "pad should be at most half of effective kernel size, but got pad=%lld, kernel_size=%lld "
                       "and dilation=%lld", (long long)p, (long long)k, (long long)g->dilation[d]);
    *count = floor_of(size + 2 * p - span + (ceil ? s - 1 : 0), s) + 1;
    if (ceil && (*count - 1) * s >= size + p)
        --*count; /* the last window begins in the image or in the padding before it */
    return KT_OK;
}

/* "kT: 2 kH: 2 kW: 2" */
static const char *by_letter(char *text, size_t room, const char *prefix, const int64_t *values, int dims)
{
    kt__str s = kt__str_in(text, room);
    for (int i = 0; i < dims; i++)
        kt__str_addf(&s, "%s%s%c: %lld", i ? " " : "", prefix, "THW"[3 - dims + i], (long long)values[i]);
    return text;
}

static bool any_below(const int64_t *values, int n, int64_t least)
{
    bool below = false;
    for (int i = 0; i < n; i++)
        below |= values[i] < least;
    return below;
}

static kt_status check_positive(const kt__pooling *g)
{
    char text[128];
    if (any_below(g->kernel, g->dims, 1))
        return kt_fail(KT_ERR_RUNTIME, "kernel size should be greater than zero, but got %s",
                       by_letter(text, sizeof text, "k", g->kernel, g->dims));
    if (any_below(g->stride, g->dims, 1))
        return kt_fail(KT_ERR_RUNTIME, "stride should be greater than zero, but got %s",
                       by_letter(text, sizeof text, "d", g->stride, g->dims));
    if (any_below(g->dilation, g->dims, 1))
        return kt_fail(KT_ERR_RUNTIME, "dilation should be greater than zero, but got %s",
                       by_letter(text, sizeof text, "dilation", g->dilation, g->dims));
    return KT_OK;
}

/* A batch may be empty, nothing else. */
static kt_status check_filled(const kt_tensor *input, int dims, const char *where)
{
    const bool ranked = input->ndim == dims + 1 || input->ndim == dims + 2;
    bool       empty = !ranked;
    for (int i = ranked ? input->ndim - dims - 1 : input->ndim; i < input->ndim; i++)
        empty |= input->sizes[i] == 0;
    if (!empty)
        return KT_OK;
    if (dims == 2)
        return kt_fail(KT_ERR_RUNTIME, "Expected 3D or 4D (batch mode) tensor with optional 0 dim batch size for input, but "
                       "got:%s", KT__SIZES_TEXT(input));
    return kt_fail(KT_ERR_RUNTIME, "%s(): Expected input's non-batch dimensions to have positive length, but input has a "
                   "shape of %s and non-batch dimension 0 has length zero!", where, KT__SIZES_TEXT(input));
}

static kt_status check_padding(const kt__pooling *g)
{
    const int64_t *k = g->kernel, *p = g->padding;
    bool           wide = false;
    for (int i = 0; i < g->dims; i++)
        wide |= p[i] > k[i] / 2;
    if (!wide)
        return KT_OK;
    if (g->dims == 2)
        return kt_fail(KT_ERR_RUNTIME, "pad should be smaller than or equal to half of kernel size, but got padW = %lld, "
                       "padH = %lld, kW = %lld, kH = %lld", (long long)p[1], (long long)p[0], (long long)k[1], (long long)k[0]);
    return kt_fail(KT_ERR_RUNTIME, "pad should be smaller than or equal to half of kernel size, but got kT: %lld kW: %lld "
                   "kH: %lld padT: %lld padW: %lld padH: %lld", (long long)k[0], (long long)k[2], (long long)k[1],
                   (long long)p[0], (long long)p[2], (long long)p[1]);
}

/* "2x6x6" */
static const char *by_text(char *text, size_t room, int64_t channels, const int64_t *space, int dims)
{
    kt__str s = kt__str_in(text, room);
    kt__str_addf(&s, "%lld", (long long)channels);
    for (int i = 0; i < dims; i++)
        kt__str_addf(&s, "x%lld", (long long)space[i]);
    return text;
}

static kt_status check_sizes(const kt_tensor *input, const kt__pooling *g, const int64_t *made)
{
    const int64_t *space = input->sizes + input->ndim - g->dims;
    char           have[128], want[128];
    return !any_below(made, g->dims, 1)
               ? KT_OK
               : kt_fail(KT_ERR_RUNTIME, "Given input size: (%s). Calculated output size: (%s). Output size is too small",
                         by_text(have, sizeof have, space[-1], space, g->dims), by_text(want, sizeof want, space[-1], made,
                                                                                        g->dims));
}

/* PyTorch asks whether the image holds a window where it averages volumes. */
static kt_status check_holds(const kt_tensor *input, const kt__pooling *g)
{
    const int64_t *space = input->sizes + input->ndim - g->dims;
    char           have[96], want[96];
    bool           small = false;
    for (int i = 0; i < g->dims; i++)
        small |= space[i] < g->kernel[i];
    return !small ? KT_OK
                  : kt_fail(KT_ERR_RUNTIME, "input image (%s) smaller than kernel size (%s)",
                            by_letter(have, sizeof have, "", space, g->dims), by_letter(want, sizeof want, "k", g->kernel,
                                                                                        g->dims));
}

static kt_status check_rank(const kt_tensor *input, int dims, bool average)
{
    if (average && dims == 2 && input->ndim < 3) /* a size is asked for that is not there */
        return input->ndim ? kt_fail(KT_ERR_INDEX, "Dimension out of range (expected to be in range of [%d, %d], but got -3)",
                                     -input->ndim, input->ndim - 1)
                           : kt_fail(KT_ERR_INDEX, "Dimension specified as -3 but tensor has no dimensions");
    if ((average && dims == 2) || input->ndim == dims + 1 || input->ndim == dims + 2)
        return KT_OK;
    return kt_fail(KT_ERR_RUNTIME, "non-empty %dD or %dD (batch mode) tensor expected for input", dims + 1, dims + 2);
}

static kt_status measure(const kt_tensor *input, const kt__pooling *g, bool ceil, bool average, int64_t *made)
{
    const char *where = average ? "avg_pool3d" : "max_pool3d_with_indices_out_cpu_template";
    for (int d = 0; d < g->dims; d++)
        if (count_windows(g, d, input->sizes[input->ndim - g->dims + d], ceil, &made[d]))
            return kt_error_status();
    return check_positive(g) || check_filled(input, g->dims, where) || (average && g->dims == 3 && check_holds(input, g)) ||
                   check_padding(g) || check_sizes(input, g, made)
               ? kt_error_status()
               : KT_OK;
}

/* ---- the largest ---- */

enum { SELF, KERNEL, STRIDE, PADDING, DILATION, CEIL };

static kt_status read_max(const kt_call *call, int first, int dims, kt__pooling *g)
{
    const lists l = {kt__arg_ints(call, first), kt__arg_ints(call, first + 1), kt__arg_ints(call, first + 2),
                     kt__arg_ints(call, first + 3)};
    memset(g, 0, sizeof *g);
    return read_lists(g, dims, &l, dims == 2 ? "max_pool2d" : "max_pool3d", false);
}

static kt_status max_pool(kt_call *call, int dims)
{
    kt_tensor   *self = call->arg[SELF].t, *out[2] = {NULL, NULL};
    kt__pooling  g;
    kt__decision room;
    int64_t      made[KT__SPACE];
    if (read_max(call, KERNEL, dims, &g) || check_rank(self, dims, false) ||
        measure(self, &g, kt__arg_bool(call, CEIL), false, made) ||
        kt__pool_takes(call, self, KT__ALL_INTS, true,
                       dims == 2 ? kt__pool_kernel(self, 2, "max_pool2d", "max_pool2d_channels_last")
                                 : kt__pool_kernel(self, 3, "max_pool3d", "max_pool3d_channels_last")))
        return kt_error_status();
    const kt__decision *d = kt__resolve_in_body(call, &room);
    if (!d)
        return kt_error_status();
    KT_SCOPE;
    out[0] = kt__scoped(kt__new_pooled(self, (kt_dtype)d->result, made, dims, false));
    out[1] = kt__scoped(kt__new_pooled(self, KT_I64, made, dims, false));
    if (!out[0] || !out[1] || kt__run_pool(call, KT_K_max_pool, d, (kt_tensor *[]){out[0], out[1], self}, 2, 1, &g))
        return kt_error_status();
    return kt__end_several(call, out, 2);
}

kt_status kt__body_max_pool2d_with_indices(kt_call *call) { return max_pool(call, 2); }
kt_status kt__body_max_pool3d_with_indices(kt_call *call) { return max_pool(call, 3); }

enum { GRAD, INPUT, BACK_KERNEL, BACK_STRIDE, BACK_PADDING, BACK_DILATION, BACK_CEIL, INDICES };

static kt_status max_pool_back(kt_call *call, int dims)
{
    kt_tensor   *grad = call->arg[GRAD].t, *self = call->arg[INPUT].t, *indices = call->arg[INDICES].t;
    kt__pooling  g;
    kt__decision room;
    int64_t      made[KT__SPACE], sizes[KT_MAX_DIMS];
    if (kt__one_device((kt_tensor *[]){grad, self, indices}, 3) || read_max(call, BACK_KERNEL, dims, &g) ||
        check_rank(self, dims, false) || measure(self, &g, kt__arg_bool(call, BACK_CEIL), false, made))
        return kt_error_status();
    const kt_shape want = kt__pooled_sizes(self, made, dims, sizes);
    if (kt__check_sizes(grad, want) || kt__check_sizes(indices, want))
        return kt_error_status();
    const kt__decision *d = kt__resolve_in_body(call, &room);
    if (!d || kt__pool_takes(call, self, KT__NO_INTS, true, dims == 2 ? "max_pool2d_backward" : "max_pool3d_backward"))
        return kt_error_status();
    if (indices->dtype != KT_I64)
        return kt__fail_dtype(call, KT_ERR_RUNTIME, "expected scalar type Long but found %s",
                              kt_dtype_torch_name((kt_dtype)indices->dtype));
    kt_tensor *out = kt__new_pooled(self, (kt_dtype)d->result, self->sizes + self->ndim - dims, dims, false);
    if (!out)
        return kt_error_status();
    return kt__end_itself(call, out,
                          kt__run_pool(call, KT_K_max_pool_backward, d, (kt_tensor *[]){out, grad, indices}, 1, 2, &g));
}

kt_status kt__body_max_pool2d_with_indices_backward(kt_call *call) { return max_pool_back(call, 2); }
kt_status kt__body_max_pool3d_with_indices_backward(kt_call *call) { return max_pool_back(call, 3); }

/* ---- the average ---- */

enum { AVG_CEIL = 4, WITH_PADDING, DIVISOR };

static kt_status read_avg(const kt_call *call, int first, int dims, kt__pooling *g)
{
    static const int64_t one[] = {1};
    const lists          l = {kt__arg_ints(call, first), kt__arg_ints(call, first + 1), kt__arg_ints(call, first + 2), {1, one}};
    memset(g, 0, sizeof *g);
    g->with_padding = kt__arg_bool(call, first + 4);
    g->divisor = kt__given(call, first + 5) ? kt__arg_int(call, first + 5) : 0;
    if (read_lists(g, dims, &l, dims == 2 ? "avg_pool2d" : "avg_pool3d", true))
        return kt_error_status();
    return kt__given(call, first + 5) && g->divisor == 0 ? kt_fail(KT_ERR_RUNTIME, "divisor must be not zero") : KT_OK;
}

static kt_status avg_pool(kt_call *call, int dims)
{
    kt_tensor   *self = call->arg[SELF].t;
    kt__pooling  g;
    kt__decision room;
    int64_t      made[KT__SPACE];
    if (read_avg(call, KERNEL, dims, &g) || check_rank(self, dims, true) ||
        measure(self, &g, kt__arg_bool(call, AVG_CEIL), true, made) ||
        kt__pool_takes(call, self, KT__LONG, dims == 2,
                       dims == 2 ? kt__pool_kernel(self, 2, "avg_pool2d", "avg_pool2d_channels_last") : "avg_pool3d_out_frame"))
        return kt_error_status();
    const kt__decision *d = kt__resolve_in_body(call, &room);
    if (!d)
        return kt_error_status();
    kt_tensor *out = kt__new_pooled(self, (kt_dtype)d->result, made, dims, dims == 3);
    if (!out)
        return kt_error_status();
    return kt__end_made(call, out, NULL, kt__run_pool(call, KT_K_avg_pool, d, (kt_tensor *[]){out, self}, 1, 1, &g));
}

kt_status kt__body_avg_pool2d(kt_call *call) { return avg_pool(call, 2); }
kt_status kt__body_avg_pool3d(kt_call *call) { return avg_pool(call, 3); }

static kt_status avg_pool_back(kt_call *call, int dims)
{
    kt_tensor   *grad = call->arg[GRAD].t, *self = call->arg[INPUT].t;
    kt__pooling  g;
    kt__decision room;
    int64_t      made[KT__SPACE], sizes[KT_MAX_DIMS];
    if (kt__one_device((kt_tensor *[]){grad, self}, 2) || read_avg(call, BACK_KERNEL, dims, &g) || check_rank(self, dims, true) ||
        measure(self, &g, kt__arg_bool(call, BACK_KERNEL + 3), true, made) ||
        kt__check_sizes(grad, kt__pooled_sizes(self, made, dims, sizes)))
        return kt_error_status();
    const kt__decision *d = kt__resolve_in_body(call, &room);
    if (!d || kt__pool_takes(call, self, KT__LONG, dims == 2, dims == 2 ? "avg_pool2d_backward"
                             : "avg_pool3d_backward_out_frame"))
        return kt_error_status();
    kt_tensor *out = kt__new_pooled(self, (kt_dtype)d->result, self->sizes + self->ndim - dims, dims, dims == 3);
    if (!out)
        return kt_error_status();
    return kt__end_itself(call, out, kt__run_pool(call, KT_K_avg_pool_backward, d, (kt_tensor *[]){out, grad}, 1, 1, &g));
}

kt_status kt__body_avg_pool2d_backward(kt_call *call) { return avg_pool_back(call, 2); }
kt_status kt__body_avg_pool3d_backward(kt_call *call) { return avg_pool_back(call, 3); }

/* ---- names without indices ---- */

static kt_status max_pool_alone(kt_call *call, int op)
{
    KT_SCOPE;
    kt_call c = *call;
    c.row = kt_row_at(op);
    memset(c.out, 0, sizeof c.out);
    if (kt_call_run(&c))
        return kt_error_status();
    kt__scoped(c.out[1]);
    return kt__end(call, kt__scoped(c.out[0]));
}

kt_status kt__body_max_pool2d(kt_call *call) { return max_pool_alone(call, KT_OP_max_pool2d_with_indices); }
kt_status kt__body_max_pool3d(kt_call *call) { return max_pool_alone(call, KT_OP_max_pool3d_with_indices); }

/* ---- one dim ---- */

kt_status kt__pool_one_list(kt_shape list, bool may_be_empty, const char *op, const char *what)
{
    return list.n == 1 || (may_be_empty && list.n == 0)
               ? KT_OK
               : kt_fail(KT_ERR_RUNTIME, "%s() argument '%s' should contain one int (got %lld)", op, what, (long long)list.n);
}

kt_status kt__pool_one_rank(const kt_tensor *self, const char *op)
{
    return self->ndim == 2 || self->ndim == 3
               ? KT_OK
               : kt_fail(KT_ERR_RUNTIME, "Expected 2 to 3 dimensions, but got %d-dimensional tensor for argument #1 'self' "
                         "(while "
                         "checking arguments for %s)", self->ndim, op);
}

/* [1, value], or nothing. */
static kt_shape beside_one(kt_shape list, int64_t first, int64_t *room)
{
    room[0] = first;
    room[1] = list.n ? list.d[0] : 0;
    return list.n ? (kt_shape){2, room} : list;
}

static kt_status run_one(const kt_call *call, kt_tensor **made)
{
    int64_t    room[4][2];
    kt_call    c;
    kt_tensor *self = kt_unsqueeze(call->arg[SELF].t, -2);
    if (!self)
        return kt_error_status();
    kt__open(&c, KT_OP_max_pool2d_with_indices, KT_PLAIN);
    kt__put_tensor(&c, SELF, self);
    kt__put(&c, KERNEL, ints, beside_one(kt__arg_ints(call, KERNEL), 1, room[0]));
    kt__put(&c, STRIDE, ints, beside_one(kt__arg_ints(call, STRIDE), 1, room[1]));
    kt__put(&c, PADDING, ints, beside_one(kt__arg_ints(call, PADDING), 0, room[2]));
    kt__put(&c, DILATION, ints, beside_one(kt__arg_ints(call, DILATION), 1, room[3]));
    kt__put(&c, CEIL, b, kt__arg_bool(call, CEIL));
    if (kt_call_run(&c))
        return kt_error_status();
    for (int i = 0; i < 2; i++)
        made[i] = kt__scoped(c.out[i]);
    for (int i = 0; i < 2; i++)
        made[i] = kt_squeeze_dim(made[i], KT_SHAPE(-2));
    return made[0] && made[1] ? KT_OK : kt_error_status();
}

kt_status kt__body_max_pool1d_with_indices(kt_call *call)
{
    KT_SCOPE;
    kt_tensor *made[2] = {NULL, NULL};
    if (kt__pool_one_rank(call->arg[SELF].t, "max_pool1d") ||
        kt__pool_one_list(kt__arg_ints(call, KERNEL), false, "max_pool1d", "kernel_size") ||
        kt__pool_one_list(kt__arg_ints(call, STRIDE), true, "max_pool1d", "stride") ||
        kt__pool_one_list(kt__arg_ints(call, PADDING), false, "max_pool1d", "padding") ||
        kt__pool_one_list(kt__arg_ints(call, DILATION), false, "max_pool1d", "dilation") || run_one(call, made))
        return kt_error_status();
    return kt__end_several(call, made, 2);
}

static kt_status one_of(kt_shape list, bool may_be_empty, const char *what, const char *kind)
{
    return list.n == 1 || (may_be_empty && list.n == 0)
               ? KT_OK
               : kt_fail(KT_ERR_RUNTIME, "max_pool1d() %s must be %s or tuple of ints of size 1 but got size %lld", what, kind,
                         (long long)list.n);
}

/* PyTorch checks one dim in words of its own. */
static kt_status check_one(const kt_call *call)
{
    const kt_tensor *self = call->arg[SELF].t;
    const kt_shape   kernel = kt__arg_ints(call, KERNEL), stride = kt__arg_ints(call, STRIDE), padding = kt__arg_ints(call,
                                                                                          PADDING),
                   dilation = kt__arg_ints(call, DILATION);
    const bool ranked = self->ndim == 2 || self->ndim == 3;
    if (!ranked || self->sizes[self->ndim - 1] == 0 || self->sizes[self->ndim - 2] == 0)
        return kt_fail(KT_ERR_RUNTIME, "max_pool1d: Expected 2D or 3D (batch mode) tensor with optional 0 dim batch size for "
                       "input, "
                       "but got:%s", KT__SIZES_TEXT(self));
    if (one_of(kernel, false, "kernel_size", "an int, list of ints") || one_of(stride, true, "stride",
                                                                               "None, an int, list of ints,") ||
        one_of(padding, false, "padding", "an int, list of ints,") || one_of(dilation, false, "dilation", "an int, list of ints"))
        return kt_error_status();
    const int64_t k = kernel.d[0], s = stride.n ? stride.d[0] : k, p = padding.d[0], d = dilation.d[0];
    if (k <= 0)
        return kt_fail(KT_ERR_RUNTIME, "max_pool1d() kernel_size must be greater than zero, but got %lld", (long long)k);
    if (s <= 0)
        return kt_fail(KT_ERR_RUNTIME, "max_pool1d() stride must be greater than zero, but got %lld", (long long)s);
    if (p < 0)
        return kt_fail(KT_ERR_RUNTIME, "max_pool1d() padding must be non-negative, but got %lld", (long long)p);
    if (p > k / 2)
        return kt_fail(KT_ERR_RUNTIME, "max_pool1d() padding should be at most half of kernel size, but got padding=%lld and "
                       "kernel_size=%lld", (long long)p, (long long)k);
    if (d <= 0)
        return kt_fail(KT_ERR_RUNTIME, "max_pool1d() dilation must be greater than zero, but got %lld", (long long)d);
    if (k > INT_MAX || s > INT_MAX || d > INT_MAX)
        return kt_fail(KT_ERR_RUNTIME, "integer out of range");
    int64_t           made = 0;
    const kt__pooling g = {.dims = 1, .kernel = {k}, .stride = {s}, .padding = {p}, .dilation = {d}};
    if (count_windows(&g, 0, self->sizes[self->ndim - 1], kt__arg_bool(call, CEIL), &made))
        return kt_error_status();
    return made > 0 ? KT_OK : kt_fail(KT_ERR_RUNTIME, "max_pool1d() Invalid computed output size: %lld", (long long)made);
}

kt_status kt__body_max_pool1d(kt_call *call)
{
    KT_SCOPE;
    kt_tensor *self = call->arg[SELF].t, *made[2] = {NULL, NULL};
    const bool recorded = kt__is_followed(self);
    if (check_one(call) || (!recorded && kt__pool_takes(call, self, KT__NO_INTS, true, "max_pool1d_impl")) || run_one(call, made))
        return kt_error_status();
    if (recorded || !made[0])
        return kt__end(call, made[0]);
    return kt__end(call, kt_unsafe_view(kt_contiguous(made[0]), kt__sizes(made[0]))); /* PyTorch's kernel without a node */
}

kt_status kt__body_avg_pool1d(kt_call *call)
{
    KT_SCOPE;
    int64_t        room[3][2];
    const kt_shape kernel = kt__arg_ints(call, KERNEL), stride = kt__arg_ints(call, STRIDE), padding = kt__arg_ints(call,
                                                                                          PADDING);
    if (kt__pool_one_rank(call->arg[SELF].t, "avg_pool1d") || kt__pool_one_list(kernel, false, "avg_pool1d", "kernel_size") ||
        kt__pool_one_list(stride, true, "avg_pool1d", "stride") || kt__pool_one_list(padding, false, "avg_pool1d", "padding"))
        return kt_error_status();
    kt_tensor *made = kt_avg_pool2d(kt_unsqueeze(call->arg[SELF].t, -2), beside_one(kernel, 1, room[0]),
                                    .stride = beside_one(stride, 1, room[1]), .padding = beside_one(padding, 0, room[2]),
                                    .ceil_mode = kt__arg_bool(call, AVG_CEIL),
                                    .count_include_pad = KT_SOME(kt__arg_bool(call, WITH_PADDING)));
    return kt__end(call, kt_squeeze_dim(made, KT_SHAPE(-2)));
}
