/* make.c - factory functions: zeros, full, arange and others. In: sizes, numbers, dtype=, device=. Out: a new tensor
 * whose lineage begins with this operator. */
#include <math.h>

#include "call/call.h"
#include "call/deterministic.h"
#include "call/end.h"
#include "call/move.h"
#include "call/refuse.h"
#include "call/wrap.h"
#include "ops/make/make.h"
#include "tables/kernels/copy.h"

typedef kt__make_options options;

kt_status kt__read_options(const kt_call *call, int at, kt_dtype fallback, const kt_tensor *like, options *o)
{
    o->dtype = kt__given(call, at) && call->arg[at].dtype ? call->arg[at].dtype : fallback;
    o->requires_grad = kt__arg_bool(call, at + 2);
    if (!kt__dtype_valid(o->dtype))
        return kt_fail(KT_ERR_TYPE, "%s: there is no dtype %d", call->row->name, (int)o->dtype);
    o->device = like ? kt__device(like) : (kt_device){KT_CPU, 0};
    return like && !kt__given(call, at + 1) ? KT_OK : kt__arg_device(call, at + 1, &o->device);
}

kt_status kt__born(kt_call *call, kt_tensor *t, const options *o, kt_status status)
{
    if (!t || status) {
        kt__unref(t);
        return kt_error_status();
    }
    if (o->requires_grad && !kt_may_require_grad(o->dtype)) { /* checked after the elements */
        kt__unref(t);
        return kt__fail_dtype(call, KT_ERR_RUNTIME, "Only Tensors of floating point and complex dtype can require gradients");
    }
    if (o->requires_grad && kt__tape.note && kt__tape.note(t)) {
        kt__unref(t);
        return kt_error_status();
    }
    if (o->requires_grad)
        t->flags |= KT_T_REQUIRES_GRAD;
    t->lineage = KT__RECORD(KT_BORN, call->row->name, KT_NONE, t->dtype, 0);
    return kt__end_itself(call, t, KT_OK);
}

/* Filling a new tensor does not count as a write. */
static kt_status unseen(kt_tensor *t, kt_status status)
{
    if (!status)
        atomic_store_explicit(t->version, 0, memory_order_relaxed);
    return status;
}

/* A value of kind 0: no fill. */
static kt_status fill_new(const kt_call *call, kt_tensor *t, kt_scalar value)
{
    if (!t)
        return kt_error_status();
    if (!value.kind)
        return kt_deterministic() ? unseen(t, kt__fill_unwritten(t)) : KT_OK;
    return kt__check_filled(call, t, value) ? kt_error_status() : unseen(t, kt__fill_new(t, value));
}

/* zeros has its own message; the others use the tensor layer's. */
static kt_status check_sizes(const kt_call *call, kt_shape size)
{
    for (int64_t i = 0; i < size.n && call->row->id == KT_OP_zeros; i++)
        if (size.d[i] < 0)
            return kt_fail(KT_ERR_RUNTIME, "zeros: Dimension size must be non-negative.");
    return KT_OK;
}

/* ---- of a size ---- */

kt_status kt__body_empty(kt_call *call)
{
    options          o;
    int64_t          strides[KT_MAX_DIMS];
    kt_shape         size = call->arg[0].ints;
    kt_memory_format format = kt__given(call, 4) ? (kt_memory_format)call->arg[4].format : KT_CONTIGUOUS_FORMAT;
    if (check_sizes(call, size) || kt__read_options(call, 1, kt_get_default_dtype(), NULL, &o))
        return kt_error_status();
    if (format == KT_PRESERVE_FORMAT)
        return kt_fail(KT_ERR_RUNTIME, "unsupported memory format option Preserve");
    if (kt__check_rank(size))
        return kt_error_status();
    if (!kt__format_strides(size, format, strides))
        return kt_fail(KT_ERR_RUNTIME, "required rank %d tensor to use channels_last%s format",
                       format == KT_CHANNELS_LAST ? 4 : 5, format == KT_CHANNELS_LAST ? "" : "_3d");
    kt_tensor *t = kt__tensor_new_strided(o.dtype, o.device, size, (kt_shape){size.n, strides});
    return kt__born(call, t, &o, fill_new(call, t, (kt_scalar){0}));
}

static kt_status sized(kt_call *call, int size_at, int options_at, kt_dtype fallback, const kt_tensor *like,
                       kt_scalar value)
{
    options o;
    if (check_sizes(call, call->arg[size_at].ints) || kt__read_options(call, options_at, fallback, like, &o))
        return kt_error_status();
    kt_tensor *t = kt__tensor_new(o.dtype, o.device, call->arg[size_at].ints);
    return kt__born(call, t, &o, fill_new(call, t, value));
}

static const kt_scalar nothing;

kt_status kt__body_zeros(kt_call *call) { return sized(call, 0, 1, kt_get_default_dtype(), NULL, KT_INT(0)); }
kt_status kt__body_ones(kt_call *call) { return sized(call, 0, 1, kt_get_default_dtype(), NULL, KT_INT(1)); }
/* The dtype that full infers: complex numbers give complex64, or complex128 if the default dtype is float64. */
static kt_dtype full_dtype(kt_scalar value)
{
    if (value.kind != KT_SCALAR_COMPLEX)
        return kt__dtype_of_number(value);
    return kt_get_default_dtype() == KT_F64 ? KT_C128 : KT_C64;
}
kt_status kt__body_full(kt_call *call)
{
    return sized(call, 0, 2, full_dtype(call->arg[1].s), NULL, call->arg[1].s);
}

kt_status kt__body_new_empty(kt_call *call)
{
    return sized(call, 1, 2, (kt_dtype)call->arg[0].t->dtype, call->arg[0].t, nothing);
}
kt_status kt__body_new_zeros(kt_call *call)
{
    return sized(call, 1, 2, (kt_dtype)call->arg[0].t->dtype, call->arg[0].t, KT_INT(0));
}
kt_status kt__body_new_ones(kt_call *call)
{
    return sized(call, 1, 2, (kt_dtype)call->arg[0].t->dtype, call->arg[0].t, KT_INT(1));
}
kt_status kt__body_new_full(kt_call *call)
{
    return sized(call, 1, 3, (kt_dtype)call->arg[0].t->dtype, call->arg[0].t, call->arg[2].s);
}

/* ---- of a size, lying in memory as asked ---- */

static kt_status spread(kt_call *call, int size_at, const kt_tensor *like)
{
    options        o;
    const kt_shape size = call->arg[size_at].ints, stride = call->arg[size_at + 1].ints;
    if (size.n != stride.n)
        return kt_fail(KT_ERR_RUNTIME, "dimensionality of sizes (%lld) must match dimensionality of strides (%lld)",
                       (long long)size.n, (long long)stride.n);
    if (kt__read_options(call, size_at + 2, like ? (kt_dtype)like->dtype : kt_get_default_dtype(), like, &o))
        return kt_error_status();
    kt_tensor *t = kt__tensor_new_spread(o.dtype, o.device, size, stride);
    return kt__born(call, t, &o, fill_new(call, t, nothing));
}

kt_status kt__body_empty_strided(kt_call *call) { return spread(call, 0, NULL); }
kt_status kt__body_new_empty_strided(kt_call *call) { return spread(call, 1, call->arg[0].t); }

/* The strides of a dense tensor whose dims lie in memory in this order, the last one closest together. */
static kt_status strides_in_order(kt_shape size, kt_shape order, int64_t *strides)
{
    uint64_t seen = 0;
    if (size.n != order.n)
        return kt_fail(KT_ERR_RUNTIME, "Number of dimensions in size does not match the length of the physical_layout; i.e. "
                       "len(size) = %lld is not equal to len(physical_layout) = %lld", (long long)size.n, (long long)order.n);
    for (int64_t i = 0; i < order.n; i++) {
        if (order.d[i] < 0 || order.d[i] >= size.n)
            return kt_fail(KT_ERR_RUNTIME, "Dimension out of range (expected to be between 0 and %lld, but got %lld at index "
                           "%lld).  NB: negative dims not currently supported; file an issue if you want it.",
                           (long long)size.n - 1, (long long)order.d[i], (long long)i);
        if (seen & UINT64_C(1) << order.d[i])
            return kt_fail(KT_ERR_RUNTIME, "Duplicate dim not allowed");
        seen |= UINT64_C(1) << order.d[i];
    }
    int64_t step = 1;
    for (int64_t i = order.n - 1; i >= 0; i--) {
        strides[order.d[i]] = step;
        if (__builtin_mul_overflow(step, size.d[order.d[i]] > 1 ? size.d[order.d[i]] : 1, &step))
            return kt_fail(KT_ERR_RUNTIME, "Storage size calculation overflowed with sizes=%s", KT__SHAPE_TEXT(size));
    }
    return KT_OK;
}

kt_status kt__body_empty_permuted(kt_call *call)
{
    options        o;
    int64_t        strides[KT_MAX_DIMS];
    const kt_shape size = call->arg[0].ints;
    if (kt__check_rank(size) || strides_in_order(size, call->arg[1].ints, strides) ||
        kt__read_options(call, 2, kt_get_default_dtype(), NULL, &o))
        return kt_error_status();
    kt_tensor *t = kt__tensor_new_spread(o.dtype, o.device, size, (kt_shape){size.n, strides});
    return kt__born(call, t, &o, fill_new(call, t, nothing));
}

/* ---- like another ---- */

static kt_status like(kt_call *call, int options_at, kt_scalar value)
{
    options    o;
    kt_tensor *self = call->arg[0].t;
    int        format_at = options_at + 3;
    if (kt__read_options(call, options_at, (kt_dtype)self->dtype, self, &o))
        return kt_error_status();
    kt_tensor *t = kt__empty_like(self, o.dtype, o.device,
                                  (kt_memory_format)(kt__given(call, format_at) ? call->arg[format_at].format : 0));
    return kt__born(call, t, &o, fill_new(call, t, value));
}

kt_status kt__body_empty_like(kt_call *call) { return like(call, 1, nothing); }
kt_status kt__body_zeros_like(kt_call *call) { return like(call, 1, KT_INT(0)); }
kt_status kt__body_ones_like(kt_call *call) { return like(call, 1, KT_INT(1)); }
kt_status kt__body_full_like(kt_call *call) { return like(call, 2, call->arg[1].s); }

kt_status kt__body_scalar_tensor(kt_call *call)
{
    options o;
    if (kt__read_options(call, 1, kt__dtype_of_number(call->arg[0].s), NULL, &o))
        return kt_error_status();
    kt_tensor *t = kt__tensor_new(o.dtype, o.device, KT_SCALAR);
    return kt__born(call, t, &o, fill_new(call, t, call->arg[0].s));
}

/* ---- ranges ---- */

static double as_double(kt_scalar s)
{
    return s.kind == KT_SCALAR_FLOAT || s.kind == KT_SCALAR_COMPLEX ? s.v.re : (double)s.v.i;
}

static bool is_integral(kt_scalar s) { return s.kind == KT_SCALAR_BOOL || s.kind == KT_SCALAR_INT; }

/* A kernel over the indices of a fresh dense tensor. */
static kt_status run_range(kt_tensor *t, int kernel, const kt_scalar *param, int n)
{
    kt_plan plan;
    kt__plan_begin(&plan, kt__row_served(KT_OP_arange), kernel, kt__dtype_rows[t->dtype].compute, 0, t);
    plan.n_param = (uint8_t)n;
    plan.contiguous = t->ndim == 1;
    plan.numel = t->numel;
    plan.nd = t->ndim;
    for (int i = 0; i < n; i++)
        plan.param[i] = param[i];
    kt__set_operand(&plan, 0, t, (kt_dtype)t->dtype, KT_WHY_NONE);
    for (int d = 0; d < t->ndim; d++) {
        plan.size[d] = t->sizes[d];
        plan.stride[0][d] = t->strides[d] * (int64_t)kt__itemsize(t);
    }
    return kt__launch(&plan, t);
}

/* `in`: what the ends are converted to, in PyTorch's words. */
static kt_status check_ends(kt_scalar start, kt_scalar end, kt_scalar step, const char *in)
{
    const double first = as_double(start), last = as_double(end), by = as_double(step);
    if (start.im != 0 || end.im != 0 || step.im != 0)
        return kt_fail(KT_ERR_RUNTIME, "value cannot be converted to type %s without overflow", in);
    if (by == 0 || isnan(by))
        return kt_fail(KT_ERR_RUNTIME, "step must be nonzero");
    if (!isfinite(first) || !isfinite(last))
        return kt_fail(KT_ERR_RUNTIME, "unsupported range: %g -> %g", first, last);
    return (by > 0 && last < first) || (by < 0 && last > first)
               ? kt_fail(KT_ERR_RUNTIME, "upper bound and lower bound inconsistent with step sign")
               : KT_OK;
}

static kt_scalar truncated(kt_scalar s) { return is_integral(s) ? KT_INT(s.v.i) : KT_INT((int64_t)s.v.re); }

kt_status kt__body_arange(kt_call *call)
{
    options   o;
    kt_scalar start = call->arg[0].s, end = call->arg[1].s, step = kt__arg_scalar(call, 2);
    bool      ints = is_integral(start) && is_integral(end) && is_integral(step);
    if (kt__read_options(call, 3, ints ? KT_I64 : kt_get_default_dtype(), NULL, &o))
        return kt_error_status();
    if (check_ends(start, end, step, "double"))
        return kt_error_status();
    double count = 0; /* PyTorch rounds it so: beyond 2 ** 53 only an error shows it */
    if (o.dtype == KT_I64 && !ints) { /* counted in the dtype of the result; a step that becomes 0 makes none */
        start = truncated(start), end = truncated(end), step = truncated(step);
        ints = true;
    }
    if (ints && step.v.i) {
        __int128 span = (__int128)end.v.i - start.v.i, stride = step.v.i;
        count = (double)((span + stride - (stride > 0 ? 1 : -1)) / stride);
    } else if (!ints) {
        count = ceil((as_double(end) - as_double(start)) / as_double(step));
    }
    if (count >= 0x1p63)
        return kt_fail(KT_ERR_RUNTIME, "invalid size, possible overflow?");
    kt_tensor *t = kt__tensor_new(o.dtype, o.device, KT_SHAPE((int64_t)count));
    return kt__born(call, t, &o, t ? run_range(t, KT_K_arange, (kt_scalar[]){start, step}, 2) : KT_OK);
}

kt_status kt__body_range(kt_call *call)
{
    options   o;
    kt_scalar start = call->arg[0].s, end = call->arg[1].s, step = kt__arg_scalar(call, 2);
    kt__decision room;
    kt__warn("torch.range is deprecated and will be removed in a future release because its behavior is inconsistent with "
             "Python's range builtin. Instead, use torch.arange, which produces values in [start, end).");
    if (kt__read_options(call, 3, kt_get_default_dtype(), NULL, &o))
        return kt_error_status();
    if (!kt__resolve_in_body(call, &room))
        return kt_error_status();
    const char *in = kt_dtype_category(o.dtype) == KT_CAT_INT      ? "int64_t"
                     : o.dtype == KT_F16 || o.dtype == KT_BF16 ? "float"
                                                               : "double";
    if (check_ends(start, end, step, in))
        return kt_error_status();
    if (kt_dtype_category(o.dtype) == KT_CAT_INT) {
        start = truncated(start), end = truncated(end), step = truncated(step);
        if (check_ends(start, end, step, in))
            return kt_error_status();
    }
    const double count = floor((as_double(end) - as_double(start)) / as_double(step)) + 1;
    kt_tensor   *t = kt__tensor_new(o.dtype, o.device, KT_SHAPE(count >= 0x1p62 ? INT64_MAX : (int64_t)count));
    return kt__born(call, t, &o, t ? run_range(t, KT_K_arange, (kt_scalar[]){start, step}, 2) : KT_OK);
}

/* A negative end of an unsigned range wraps: -1 is the largest value. */
static kt_scalar whole_end(kt_scalar s, kt_dtype d)
{
    const int64_t  i = s.kind == KT_SCALAR_FLOAT ? (int64_t)s.v.re : s.v.i;
    const unsigned bits = 8 * (unsigned)kt_dtype_size(d);
    return i < 0 && bits < 64 && !kt_dtype_is_signed(d) ? KT_INT(i + ((int64_t)1 << bits)) : KT_INT(i);
}

/* Integers are spaced between integers, and one power of an integer dtype is filled in as a number is. */
static kt_status fit_ends(const kt_call *call, kt_dtype d, kt_scalar *start, kt_scalar *end, kt_scalar base, int64_t steps)
{
    if (kt_dtype_category(d) != KT_CAT_INT || steps == 0)
        return KT_OK;
    if (base.kind && steps == 1)
        return kt__holds(KT_FLOAT(pow(base.v.re, as_double(*start))), d) ? KT_OK : kt__fail_overflow(call, d);
    if (!kt_scalar_fits(*start, d) || !kt_scalar_fits(*end, d))
        return kt__fail_overflow(call, d);
    *start = whole_end(*start, d);
    *end = whole_end(*end, d);
    return KT_OK;
}

static kt_status spaced(kt_call *call, int kernel, int options_at, kt_scalar base)
{
    options   o;
    kt_scalar start = call->arg[0].s, end = call->arg[1].s;
    int64_t   steps = call->arg[2].i;
    bool      complex = start.kind == KT_SCALAR_COMPLEX || end.kind == KT_SCALAR_COMPLEX;
    kt_dtype  fallback = kt_get_default_dtype();
    if (steps < 0)
        return kt_fail(KT_ERR_RUNTIME, "number of steps must be non-negative");
    if (kt__read_options(call, options_at, complex ? kt_dtype_complex(fallback) : fallback, NULL, &o))
        return kt_error_status();
    if (kt__refuse(call, STAGE_AFTER) || fit_ends(call, o.dtype, &start, &end, base, steps))
        return kt_error_status();
    kt_tensor *t = kt__tensor_new(o.dtype, o.device, KT_SHAPE(steps));
    if (steps == 1 && o.dtype == KT_BOOL) /* filled with the number, not with the integer that is a step */
        return kt__born(call, t, &o, fill_new(call, t, base.kind ? KT_FLOAT(pow(base.v.re, as_double(start))) : start));
    return kt__born(call, t, &o, t ? run_range(t, kernel, (kt_scalar[]){start, end, base}, 3) : KT_OK);
}

/* The ends may be tensors without dims: their elements are read, and nothing is recorded, as in PyTorch. */
static kt_status between_elements(kt_call *call, int op)
{
    kt_call          c = *call;
    const kt_tensor *start = call->scalars & 1 ? NULL : call->arg[0].t, *end = call->scalars & 2 ? NULL : call->arg[1].t;
    c.row = &kt__rows[op];
    if (start && end && (start->ndim || end->ndim))
        return kt_fail(KT_ERR_RUNTIME, "%s only supports 0-dimensional start and end tensors, but got start with %d dimension(s) "
                       "and end with %d dimension(s).", c.row->name, start->ndim, end->ndim);
    for (int i = 0; i < 2; i++) {
        const kt_tensor *t = call->arg[i].t;
        if (call->scalars >> i & 1)
            continue;
        if (t->ndim)
            return kt_fail(KT_ERR_RUNTIME,
                           "%s only supports 0-dimensional start and end tensors, but got %s with %lld dimension(s).",
                           c.row->name, i ? "end" : "start", (long long)t->ndim);
        c.arg[i].s = kt_item_scalar(t);
        if (!c.arg[i].s.kind)
            return kt_error_status();
    }
    c.scalars = 0;
    if (kt_call_run(&c))
        return kt_error_status();
    call->out[0] = c.out[0];
    return KT_OK;
}

kt_status kt__body_linspace_ends(kt_call *call) { return between_elements(call, KT_OP_linspace); }
kt_status kt__body_logspace_ends(kt_call *call) { return between_elements(call, KT_OP_logspace); }

kt_status kt__body_linspace(kt_call *call) { return spaced(call, KT_K_linspace, 3, nothing); }
kt_status kt__body_logspace(kt_call *call) { return spaced(call, KT_K_logspace, 4, KT_FLOAT(kt__arg(call, 3)->f)); }

kt_status kt__body_eye(kt_call *call)
{
    options o;
    int64_t n = call->arg[0].i, m = kt__given(call, 1) ? call->arg[1].i : n;
    if (n < 0 || m < 0)
        return kt_fail(KT_ERR_RUNTIME, "%s must be greater or equal to 0, got %lld", n < 0 ? "n" : "m",
                       (long long)(n < 0 ? n : m));
    if (kt__read_options(call, 2, kt_get_default_dtype(), NULL, &o))
        return kt_error_status();
    int64_t numel;
    if (kt__count_view(KT_SHAPE(n, m), &numel))
        return kt_error_status();
    kt_tensor *t = kt__tensor_new(o.dtype, o.device, KT_SHAPE(n, m));
    return kt__born(call, t, &o, t ? run_range(t, KT_K_eye, NULL, 0) : KT_OK);
}
