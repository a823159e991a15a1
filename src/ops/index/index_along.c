/* index_along.c - elements of one dim by index: gather and scatter (an index for each element), index_select, index_add,
 * index_copy and index_fill (one for each slice), their reductions, take_along_dim. In: tensors. Out: one. Shapes and
 * dtypes are checked here, indices by the kernel. */
#include <string.h>

#include "call/check.h"
#include "call/end.h"
#include "call/refuse.h"
#include "ways/index.h"

/* ---- an index for each element ---- */

/* Dims and strides of the index; the addressed tensor lies along the others. */
static void walk_elements(kt__along *a, const kt_tensor *addressed, int at, const kt_tensor *index, int64_t dim)
{
    a->nd = kt__rank_of(index);
    for (int d = 0; d < a->nd; d++) {
        a->size[d] = kt__size_at(index, d);
        a->stride[ALONG_INDEX][d] = kt__stride_at(index, d);
        a->stride[at][d] = d == dim ? 0 : kt__stride_at(addressed, d);
    }
    a->limit = kt__size_at(addressed, (int)dim);
    a->step = kt__stride_at(addressed, (int)dim);
    a->dim = dim;
    a->says = KT_FAULT_INDEX_RUNTIME;
}

static kt_status check_gather(const kt_tensor *self, const kt_tensor *index, int64_t dim)
{
    if (index->numel == 0)
        return KT_OK;
    if (kt__rank_of(self) != kt__rank_of(index))
        return kt_fail(KT_ERR_RUNTIME, "Index tensor must have the same number of dimensions as input tensor");
    for (int d = 0; d < kt__rank_of(index); d++)
        if (d != dim && kt__size_at(index, d) > kt__size_at(self, d)) {
            return kt_fail(KT_ERR_RUNTIME,
                           "Size does not match at dimension %d expected index %s to be no larger than self %s apart from "
                           "dimension %lld",
                           d, KT__SIZES_TEXT(index), KT__SIZES_TEXT(self), (long long)dim);
        }
    return KT_OK;
}

kt_status kt__body_gather(kt_call *call)
{
    kt_tensor *self = call->arg[0].t, *index = call->arg[2].t, *from = NULL;
    int64_t    dim = call->arg[1].i;
    if (kt__wrap_dim(&dim, self->ndim) || kt__check_out(call, (kt_dtype)self->dtype, KT_NONE) ||
        kt__check_memory(call, &(kt_shape){index->ndim, index->sizes}) || kt__refuse(call, STAGE_AFTER) ||
        check_gather(self, index, dim) || kt__one_device((kt_tensor *[]){self, index}, 2) || kt__plain_of(self, &from))
        return kt_error_status();
    kt_tensor *out = kt__tensor_new((kt_dtype)self->dtype, kt__device(self), kt__sizes(index));
    kt__along  a = {.t = {out, from, index}};
    kt_status  status = out ? KT_OK : kt_error_status();
    if (!status && index->numel) {
        walk_elements(&a, from, ALONG_FROM, index, dim);
        for (int d = 0; d < a.nd; d++)
            a.stride[ALONG_OUT][d] = kt__stride_at(out, d);
        status = kt__run_along(KT_K_index_take, &a);
    }
    kt__unref(from);
    return kt__end_made(call, out, self, status);
}

static kt_status check_scatter(const kt_tensor *self, const kt_tensor *index, const kt_tensor *src, int64_t dim)
{
    char small[256], large[256];
    if (index->numel == 0)
        return KT_OK;
    if (kt__rank_of(self) != kt__rank_of(index))
        return kt_fail(KT_ERR_RUNTIME, "Index tensor must have the same number of dimensions as self tensor");
    bool fits = true;
    for (int d = 0; d < kt__rank_of(index) && fits; d++)
        fits = d == dim || kt__size_at(index, d) <= kt__size_at(self, d);
    for (int d = 0; src && d < src->ndim && d < index->ndim && fits; d++)
        fits = index->sizes[d] <= src->sizes[d];
    if (src && src->ndim && src->ndim < index->ndim && fits) /* all fits as far as src has dims */
        return kt_fail(KT_ERR_INDEX, "Dimension out of range (expected to be in range of [%d, %d], but got %d)", -src->ndim,
                       src->ndim - 1, src->ndim);
    if (src && kt__rank_of(src) != kt__rank_of(index))
        return kt_fail(KT_ERR_RUNTIME, "Index tensor must have the same number of dimensions as src tensor");
    for (int d = 0; src && d < kt__rank_of(index) && fits; d++)
        fits = kt__size_at(index, d) <= kt__size_at(src, d);
    if (fits)
        return KT_OK;
    kt__shape_text(small, sizeof small, kt__sizes(index));
    kt__shape_text(large, sizeof large, kt__sizes(self));
    if (!src)
        return kt_fail(KT_ERR_RUNTIME, "Expected index %s to be no larger than self %s apart from dimension %lld", small, large,
                       (long long)dim);
    return kt_fail(KT_ERR_RUNTIME,
                   "Expected index %s to be no larger than self %s apart from dimension %lld and to be no larger size than src "
                   "%s",
                   small, large, (long long)dim, KT__SIZES_TEXT(src));
}

/* Dims, dtypes, sizes, then what is written to; what the name of a reduction is, and whether a number fits, comes later. */
static kt_status check_scattered(const kt_call *call, const kt_tensor *src, int64_t *dim)
{
    kt_tensor       *self = call->arg[0].t, *index = call->arg[2].t;
    const kt_tensor *target = call->form == KT_OUT ? call->out[0] : self;
    *dim = call->arg[1].i;
    if (kt__wrap_dim(dim, self->ndim) || kt__refuse(call, STAGE_AFTER) || check_scatter(self, index, src, *dim))
        return kt_error_status();
    if (call->form != KT_PLAIN && (kt__check_written(target, NULL, 0) ||
                                   kt__check_sharing(call, &(kt_shape){self->ndim, self->sizes}) ||
                                   kt__check_out(call, (kt_dtype)self->dtype, KT_NONE)))
        return kt_error_status();
    return kt__one_device((kt_tensor *[]){self, index, src ? call->arg[3].t : NULL}, src ? 3 : 2);
}

/* `from`: the source, or a 0-dim value for every place. */
static kt_status put_elements(kt_call *call, kt_tensor *from, bool value, int64_t dim, int kernel)
{
    kt_tensor *index = call->arg[2].t, *work = NULL;
    kt_status status = kt__begin_write(call, false, &work);
    kt__along a = {.t = {work, from, index}};
    if (!status && index->numel) {
        walk_elements(&a, work, ALONG_OUT, index, dim);
        for (int d = 0; d < a.nd; d++)
            a.stride[ALONG_FROM][d] = value ? 0 : kt__stride_at(from, d);
        status = kt__run_along(kernel, &a);
    }
    return kt__end_write(call, work, status);
}

/* What reduce= asks for, of a row that has it; -1: refused. */
static int combining(const kt_call *call)
{
    const char *reduce = call->arg[4].str ? call->arg[4].str : "";
    if (strcmp(reduce, "add") == 0)
        return KT_K_index_add;
    if (strcmp(reduce, "multiply") == 0)
        return KT_K_index_multiply;
    kt_fail(KT_ERR_RUNTIME, "reduce argument must be either add or multiply.");
    return -1;
}

enum { AS_ASKED = -1 }; /* the kernel that reduce= names */

static kt_status scatter_source(kt_call *call, int kernel)
{
    kt_tensor *src = call->arg[3].t, *from = NULL;
    int64_t    dim;
    if (check_scattered(call, src, &dim) || (kernel == AS_ASKED && (kernel = combining(call)) < 0) || kt__plain_of(src, &from))
        return kt_error_status();
    kt_status status = put_elements(call, from, false, dim, kernel);
    kt__unref(from);
    return status;
}

static kt_status scatter_number(kt_call *call, int kernel)
{
    kt_tensor *self = call->arg[0].t, *index = call->arg[2].t, *value = NULL;
    const bool nowhere = index->numel == 0; /* an empty index: the value is not checked */
    int64_t    dim;
    if (check_scattered(call, NULL, &dim) || (kernel == AS_ASKED && (kernel = combining(call)) < 0) ||
        kt__value_like(call, self, nowhere ? KT_INT(0) : call->arg[3].s, &value))
        return kt_error_status();
    kt_status status = put_elements(call, value, true, dim, kernel);
    kt__unref(value);
    return status;
}

kt_status kt__body_scatter(kt_call *call) { return scatter_source(call, KT_K_index_put); }
kt_status kt__body_scatter_value(kt_call *call) { return scatter_number(call, KT_K_index_put); }
kt_status kt__body_scatter_add(kt_call *call) { return scatter_source(call, KT_K_index_add); }
kt_status kt__body_scatter_combine(kt_call *call)
{
    KT__WARN_ONCE("The reduce argument of torch.scatter with Tensor src is deprecated and will be removed in a future PyTorch "
                  "release. Use torch.scatter_reduce instead for more reduction options.");
    return scatter_source(call, AS_ASKED);
}
kt_status kt__body_scatter_value_combine(kt_call *call) { return scatter_number(call, AS_ASKED); }

kt_status kt__body_take_along_dim(kt_call *call)
{
    kt_tensor *self = call->arg[0].t, *index = call->arg[1].t, *from = NULL, *at = NULL;
    kt_status  status = KT_OK;
    int64_t dim = kt__given(call, 2) ? call->arg[2].i : 0, sizes[KT_MAX_DIMS], spread[KT_MAX_DIMS];
    if (!kt__given(call, 2)) {
        status = kt__call_ints(KT_OP_view, self, KT_SHAPE(-1), &from);
        status = status ? status : kt__call_ints(KT_OP_view, index, KT_SHAPE(-1), &at);
    } else if (self->ndim != index->ndim) {
        return kt_fail(KT_ERR_RUNTIME,
                       "torch.take_along_dim(): input and indices should have the same number of dimensions, but got %d "
                       "dimensions for input, and %d dimensions for indices",
                       self->ndim, index->ndim);
    } else if (kt__refuse(call, STAGE_AFTER) || kt__wrap_dim(&dim, self->ndim)) {
        return kt_error_status();
    } else if (self->ndim == 0) {
        return kt_fail(KT_ERR_INDEX, "Dimension specified as 0 but tensor has no dimensions");
    } else {
        int64_t own_self = self->sizes[dim], own_index = index->sizes[dim];
        int     rank = self->ndim;
        for (int d = 0; d < rank && !status; d++) {
            int64_t a = self->sizes[d], b = index->sizes[d];
            if (d != dim && a != b && a != 1 && b != 1)
                status = kt_fail(KT_ERR_RUNTIME,
                                 "The size of tensor a (%lld) must match the size of tensor b (%lld) at non-singleton dimension "
                                 "%d",
                                 (long long)a, (long long)b, d);
            sizes[d] = spread[d] = a == 1 ? b : a;
        }
        if (!status)
            sizes[dim] = own_self, spread[dim] = own_index;
        status = status ? status : kt__call_ints(KT_OP_expand, self, (kt_shape){rank, sizes}, &from);
        status = status ? status : kt__call_ints(KT_OP_expand, index, (kt_shape){rank, spread}, &at);
    }
    if (!status && kt__size_at(from, (int)dim) && kt__given(call, 2)) { /* any integer is valid: it wraps around */
        kt_tensor *inside = NULL;
        status = kt__call2s(KT_OP_remainder, at, KT_INT(kt__size_at(from, (int)dim)), &inside);
        kt__take(&at, inside);
    }
    if (!status) {
        kt_call c;
        kt__open(&c, KT_OP_gather, KT_PLAIN);
        kt__put_tensor(&c, 0, from);
        kt__put(&c, 1, i, dim);
        kt__put_tensor(&c, 2, at);
        status = kt__run_as(call, &c);
    }
    kt__unref(from);
    kt__unref(at);
    return status;
}

/* ---- an index for each slice ---- */

/* Over the dims of `whole`, of which the indexed one is as long as the index; the operand `at` is addressed. */
static void walk_slices(kt__along *a, const kt_tensor *addressed, int at, const kt_tensor *index, int64_t dim)
{
    a->nd = kt__rank_of(addressed);
    for (int d = 0; d < a->nd; d++) {
        a->size[d] = d == dim ? index->numel : kt__size_at(addressed, d);
        a->stride[ALONG_INDEX][d] = d == dim ? kt__stride_at(index, 0) : 0;
        a->stride[at][d] = d == dim ? 0 : kt__stride_at(addressed, d);
    }
    a->limit = kt__size_at(addressed, (int)dim);
    a->step = kt__stride_at(addressed, (int)dim);
    a->dim = dim;
}

/* If no element is moved, no kernel checks the indices; PyTorch checks the first n. */
static kt_status check_unread(const kt_tensor *self, kt_tensor *index, int64_t dim, int64_t n, kt_fault_kind says)
{
    const kt__range range = {.low = KT_INT(0), .high = KT_INT(self->sizes[dim] - 1), .says = {says}};
    kt_tensor      *first = NULL;
    kt_status       status = KT_OK;
    if (n == index->numel)
        return kt__check_range(&index, 1, &range);
    status = kt__call_narrow(index, 0, 0, n, &first);
    status = status ? status : kt__check_range(&first, 1, &range);
    kt__unref(first);
    return status;
}

kt_status kt__body_index_select(kt_call *call)
{
    kt_tensor *self = call->arg[0].t, *index = call->arg[2].t, *from = NULL;
    int64_t    dim = call->arg[1].i, sizes[KT_MAX_DIMS];
    if (kt__wrap_dim(&dim, self->ndim))
        return kt_error_status();
    if (index->ndim > 1)
        return kt_fail(KT_ERR_INDEX, "index_select(): Index is supposed to be a vector");
    if (self->ndim == 0 && index->numel != 1)
        return kt_fail(KT_ERR_RUNTIME, "index_select(): Index to scalar can have only 1 value, got %lld value(s)",
                       (long long)index->numel);
    if (kt__refuse(call, STAGE_AFTER))
        return kt_error_status();
    if (self->ndim > 1 && self->sizes[dim] == 0 && index->numel)
        return kt_fail(KT_ERR_RUNTIME, "index_select(): self indexing axis dim should be positive");
    if (kt__check_out(call, (kt_dtype)self->dtype, KT_NONE) || kt__check_memory(call, NULL) ||
        kt__one_device((kt_tensor *[]){self, index}, 2) ||
        (!self->numel &&
         check_unread(self, index, dim, index->numel, self->ndim > 1 ? KT_FAULT_INDEX_DATA : KT_FAULT_INDEX_SELF)) ||
        kt__plain_of(self, &from))
        return kt_error_status();
    for (int d = 0; d < self->ndim; d++)
        sizes[d] = d == dim ? index->numel : self->sizes[d];
    kt_tensor *out = kt__tensor_new((kt_dtype)self->dtype, kt__device(self), (kt_shape){self->ndim, sizes});
    kt__along  a = {.t = {out, from, index}, .says = self->ndim > 1 && dim == 1 ? KT_FAULT_INDEX_DATA : KT_FAULT_INDEX_SELF};
    kt_status  status = out ? KT_OK : kt_error_status();
    if (!status) {
        walk_slices(&a, from, ALONG_FROM, index, dim);
        for (int d = 0; d < a.nd; d++)
            a.stride[ALONG_OUT][d] = kt__stride_at(out, d);
        status = kt__run_along(KT_K_index_take, &a);
    }
    kt__unref(from);
    return kt__end_made(call, out, self, status);
}

/* `from` has the slices, or is one 0-dim value (also for index_copy's scalar source). */
static kt_status put_slices(kt_call *call, kt_tensor *from, int64_t dim, int kernel, bool keep_layout, kt__along a)
{
    kt_tensor *work = NULL, *index = call->arg[2].t;
    kt_status  status = kt__begin_write(call, keep_layout, &work);
    if (!status) {
        a.t[ALONG_OUT] = work;
        a.t[ALONG_FROM] = from;
        a.t[ALONG_INDEX] = index;
        walk_slices(&a, work, ALONG_OUT, index, dim);
        for (int d = 0; d < a.nd; d++)
            a.stride[ALONG_FROM][d] = from->ndim ? from->strides[d] : 0;
        status = kt__run_along(kernel, &a);
    }
    return kt__end_write(call, work, status);
}

/* `op`: as texts name it. */
static kt_status check_source(const kt_call *call, const char *op, int64_t dim)
{
    kt_tensor *self = call->arg[0].t, *index = call->arg[2].t, *source = call->arg[3].t;
    if (index->ndim > 1) {
        return kt_fail(KT_ERR_INDEX, "%s(): Index is supposed to be a vector, but got dim: %d with type: %s and size: %s", op,
                       index->ndim, kt_dtype_torch_name(index->dtype), KT__SIZES_TEXT(index));
    }
    if (kt__refuse(call, STAGE_AFTER))
        return kt_error_status();
    if (dim && dim >= source->ndim)
        return kt_fail(KT_ERR_RUNTIME, "%s(): Indexing dim %lld is out of bounds of the source tensor with dim %d", op,
                       (long long)dim, source->ndim);
    if (index->numel != 1 && source->ndim == 0)
        return kt_fail(KT_ERR_INDEX, "Dimension specified as %lld but tensor has no dimensions", (long long)dim);
    if (index->numel != kt__size_at(source, (int)dim))
        return kt_fail(KT_ERR_RUNTIME,
                       "%s(): Number of indices (%lld) should be equal to source.size(dim): (%lld), for dim: %lld", op,
                       (long long)index->numel, (long long)kt__size_at(source, (int)dim), (long long)dim);
    bool same = self->ndim == source->ndim;
    for (int d = 0; d < self->ndim && same; d++)
        same = d == dim || self->sizes[d] == source->sizes[d];
    if (same)
        return kt__check_out(call, (kt_dtype)self->dtype, KT_NONE) ||
                       kt__check_memory(call, &(kt_shape){self->ndim, self->sizes})
                   ? kt_error_status()
                   : kt__one_device((kt_tensor *[]){self, index, source}, 3);
    return kt_fail(KT_ERR_RUNTIME,
                   "source tensor shape must match self tensor shape, excluding the specified dimension. Got self.shape = %s "
                   "source.shape = %s",
                   KT__SIZES_TEXT(self), KT__SIZES_TEXT(source));
}

kt_status kt__body_index_add(kt_call *call)
{
    kt_tensor *self = call->arg[0].t, *source = call->arg[3].t, *from = NULL;
    int64_t    dim = call->arg[1].i;
    kt_scalar  alpha = kt__arg_scalar(call, 4);
    if (kt__wrap_dim(&dim, self->ndim) || check_source(call, "index_add_", dim))
        return kt_error_status();
    if (kt__given(call, 4) && !(alpha.kind == KT_SCALAR_INT && alpha.v.i == 1)) {
        kt_tensor *factor = NULL;
        kt_status  status = kt__value_like(call, self, alpha, &factor);
        status = status ? status : kt__call2(KT_OP_mul, source, factor, &from);
        kt__unref(factor);
        if (status)
            return status;
    } else if (kt__plain_of(source, &from)) {
        return kt_error_status();
    }
    const bool outer = dim == 0 || dim == self->ndim - 1, scaled = from != source;
    kt__along  a = {.says = self->ndim > 1 && outer && !scaled ? KT_FAULT_INDEX_RUNTIME : KT_FAULT_INDEX_SELF};
    kt_status status = put_slices(call, from, dim, KT_K_index_add, false, a);
    kt__unref(from);
    return status;
}

/* The sizes of a tensor without one dim, as index_copy_() prints them: "4 2". */
static void slice_text(char *text, size_t room, const kt_tensor *t, int64_t dim)
{
    size_t at = 0;
    text[0] = 0;
    for (int d = 0; d < t->ndim && at < room; d++)
        if (d != dim)
            at += (size_t)snprintf(text + at, room - at, "%s%lld", at ? " " : "", (long long)t->sizes[d]);
}

static kt_status check_index_copy(const kt_call *call, int64_t dim)
{
    kt_tensor *self = call->arg[0].t, *index = call->arg[2].t, *source = call->arg[3].t;
    if (kt__check_out(call, (kt_dtype)self->dtype, KT_NONE) || kt__check_memory(call, &(kt_shape){self->ndim, self->sizes}))
        return kt_error_status();
    if (index->ndim > 1)
        return kt_fail(KT_ERR_INDEX, "index_copy_(): Index should have dimension 1 or 0 (got %d)", index->ndim);
    if (source->ndim == 0 && index->numel != 1)
        return kt_fail(KT_ERR_INDEX, "index_copy_(): When source is scalar, index should have one element (got %lld)",
                       (long long)index->numel);
    if (source->ndim && self->ndim && source->ndim != self->ndim)
        return kt_fail(KT_ERR_INDEX,
                       "index_copy_(): When source and destination are not scalars, their dimensionality must match. Source "
                       "dimensionality (%d), destination dimensionality (%d)",
                       source->ndim, self->ndim);
    if (kt__refuse(call, STAGE_AFTER))
        return kt_error_status();
    if (source->ndim && index->numel != source->sizes[dim])
        return kt_fail(KT_ERR_INDEX, "index_copy_(): Number of indices (%lld) should be equal to source.size(dim) (%lld)",
                       (long long)index->numel, (long long)source->sizes[dim]);
    bool same = kt__rank_of(self) == kt__rank_of(source); /* one element counts as a row of one */
    for (int d = 0; d < self->ndim && d < source->ndim && same; d++)
        same = d == dim || self->sizes[d] == source->sizes[d];
    if (same)
        return KT_OK;
    char mine[256], theirs[256];
    slice_text(mine, sizeof mine, self, dim);
    slice_text(theirs, sizeof theirs, source, dim);
    return kt_fail(KT_ERR_RUNTIME,
                   "index_copy_(): Source/destination tensor must have same slice shapes. Destination slice shape: %s at "
                   "dimension %lld and source slice shape: %s at dimension 0.",
                   mine, (long long)dim, theirs);
}

kt_status kt__body_index_copy(kt_call *call)
{
    kt_tensor *self = call->arg[0].t, *from = NULL;
    int64_t    dim = call->arg[1].i;
    if (kt__wrap_dim(&dim, self->ndim) || check_index_copy(call, dim) ||
        kt__one_device((kt_tensor *[]){self, call->arg[2].t, call->arg[3].t}, 3) || kt__plain_of(call->arg[3].t, &from))
        return kt_error_status();
    kt_status status = put_slices(call, from, dim, KT_K_index_put, false, (kt__along){.says = KT_FAULT_INDEX_COPY});
    kt__unref(from);
    return status;
}

/* `given`: a 0-dim tensor; NULL: the number counts. */
static kt_status fill_slices(kt_call *call, kt_tensor *given, kt_scalar value)
{
    kt_tensor *self = call->arg[0].t, *index = call->arg[2].t, *from = NULL;
    int64_t    dim = call->arg[1].i;
    if (kt__check_sharing(call, NULL))
        return kt_error_status();
    if (call->form == KT_INPLACE)
        kt__warn_if_expanded(self, "index_fill_", "tensor[mask] = scalar");
    if (kt__refuse(call, STAGE_AFTER) || kt__wrap_dim(&dim, self->ndim))
        return kt_error_status();
    if (index->ndim > 1)
        return kt_fail(KT_ERR_RUNTIME, "Index has to be a vector/scalar");
    if (kt__one_device((kt_tensor *[]){self, index}, 2) ||
        (given ? kt__value_of(call, self, given, &from) : kt__value_like(call, self, value, &from)))
        return kt_error_status();
    kt_status status =
        put_slices(call, from, dim, KT_K_index_put, true, (kt__along){.wraps = true, .says = KT_FAULT_INDEX});
    kt__unref(from);
    return status;
}

kt_status kt__body_index_fill(kt_call *call) { return fill_slices(call, NULL, call->arg[3].s); }

kt_status kt__body_index_fill_tensor(kt_call *call)
{
    kt_tensor *value = call->arg[3].t;
    return kt__check_value("index_fill_", value) ? kt_error_status() : fill_slices(call, value, KT_INT(0));
}

/* ---- reductions into indexed elements ---- */

enum { REDUCE = 4, INCLUDE_SELF };
typedef enum how { SUM, PROD, MEAN, AMAX, AMIN, N_HOWS } how;

static how how_of(const char *name)
{
    static const char *const names[N_HOWS] = {"sum", "prod", "mean", "amax", "amin"};
    int                      i = 0;
    while (i < N_HOWS && strcmp(name ? name : "", names[i]) != 0)
        i++;
    return (how)i;
}

/* A call that writes to `target` what another would write to its own. */
static kt_status put_into(const kt_call *call, kt_tensor *target, kt_tensor *from, int64_t dim, int kernel)
{
    const bool slices = call->row->id == KT_OP_index_reduce;
    kt_call    c = *call;
    c.form = KT_INPLACE;
    c.arg[0].t = target;
    const int  says = kernel == KT_K_index_put ? KT_FAULT_INDEX : KT_FAULT_INDEX_SELF;
    kt_status  status = slices ? put_slices(&c, from, dim, kernel, false, (kt__along){.says = says})
                               : put_elements(&c, from, from->ndim < kt__rank_of(call->arg[2].t), dim, kernel);
    if (!status)
        kt__unref(c.out[0]);
    return status;
}

/* How many elements each place is made of, in the dtype of `work`. */
static kt_status put_counts(const kt_call *call, kt_tensor *work, kt_tensor *zero, int64_t dim, bool own, kt_tensor **counts)
{
    kt_tensor *one = NULL;
    *counts = kt__empty_like(work, (kt_dtype)work->dtype, kt__device(work), KT_FORMAT_NONE);
    kt_status status = *counts ? kt__fill_with(*counts, KT_INT(1)) : kt_error_status();
    status = status || own ? status : put_into(call, *counts, zero, dim, KT_K_index_put);
    status = status ? status : kt__value_like(call, work, KT_INT(1), &one);
    status = status ? status : put_into(call, *counts, one, dim, KT_K_index_add);
    kt__unref(one);
    return status;
}

static kt_status divide(kt_tensor *work, kt_tensor *counts)
{
    kt_call c;
    kt__open(&c, KT_OP_div, KT_INPLACE);
    kt__put_tensor(&c, 0, work);
    kt__put_tensor(&c, 1, counts);
    if (kt__dtype_rows[work->dtype].category == KT_CAT_INT)
        kt__put(&c, 2, str, "floor");
    kt_status status = kt_call_run(&c);
    if (!status)
        kt__unref(c.out[0]);
    return status;
}

/* With include_self=False an element starts with the neutral element, or for amax and amin with one of its sources. */
static kt_status reduce_into(const kt_call *call, kt_tensor *work, kt_tensor *from, int64_t dim, how h)
{
    static const int kernels[N_HOWS] = {KT_K_index_add, KT_K_index_multiply, KT_K_index_add, KT_K_index_amax, KT_K_index_amin};
    const bool       own = kt__arg_bool(call, INCLUDE_SELF), chosen = h == AMAX || h == AMIN;
    kt_tensor       *first = NULL, *counts = NULL;
    kt_status        status = kt__value_like(call, work, KT_INT(h == PROD), &first);
    status = status || own ? status : put_into(call, work, chosen ? from : first, dim, KT_K_index_put);
    status = status ? status : put_into(call, work, from, dim, kernels[h]);
    if (!status && h == MEAN)
        status = put_counts(call, work, first, dim, own, &counts);
    status = status || !counts ? status : divide(work, counts);
    kt__unref(first);
    kt__unref(counts);
    return status;
}

static kt_status reduce(kt_call *call, int64_t dim, how h)
{
    kt_tensor *index = call->arg[2].t, *src = call->arg[3].t, *from = NULL, *work = NULL;
    kt_status  status = kt__plain_of(src, &from);
    status = status ? status : kt__begin_write(call, false, &work);
    if (!status && index->numel)
        status = reduce_into(call, work, from, dim, h);
    kt__unref(from);
    return kt__end_write(call, work, status);
}

kt_status kt__body_scatter_reduce(kt_call *call)
{
    const char *name = call->arg[REDUCE].str;
    const how   h = how_of(name);
    int64_t     dim;
    if (check_scattered(call, call->arg[3].t, &dim))
        return kt_error_status();
    if (h == N_HOWS)
        return kt_fail(KT_ERR_RUNTIME, "reduce argument must be either sum, prod, mean, amax or amin, got %s", name ? name : "");
    return kt__refuse_case(call, 0) ? kt_error_status() : reduce(call, dim, h);
}

kt_status kt__body_index_reduce(kt_call *call)
{
    kt_tensor  *self = call->arg[0].t, *index = call->arg[2].t;
    const char *name = call->arg[REDUCE].str;
    const how   h = how_of(name);
    int64_t     dim = call->arg[1].i;
    if (h == N_HOWS || h == SUM)
        return kt_fail(KT_ERR_RUNTIME, "index_reduce(): Expected reduce to be one of prod, mean, amax or amin but got %s.",
                       name ? name : "");
    if (kt__wrap_dim(&dim, self->ndim) || check_source(call, "index_reduce_", dim))
        return kt_error_status();
    if (!kt__backend(self->backend)->stores_nothing && kt__row_called(call) == call->row) /* not to who called embedding_bag */
        KT__WARN_ONCE("index_reduce() is in beta and the API may change at any time.");
    /* PyTorch combines whole slices by binary operators one by one, which look at the dtype behind the index. */
    const bool slices = kt__arg_bool(call, INCLUDE_SELF) && self->ndim > 1;
    const bool kernel = kt__dtype_rows[self->dtype].category & (KT_CAT_INT | KT_CAT_FLOAT);
    const int64_t first = h == MEAN ? index->numel : index->numel > 0;
    if (slices && !kernel && check_unread(self, index, dim, first, KT_FAULT_INDEX_SELF))
        return kt_error_status();
    if (kt__refuse_case(call, 0) || (!self->numel && check_unread(self, index, dim, index->numel, KT_FAULT_INDEX_SELF)))
        return kt_error_status();
    return reduce(call, dim, h);
}
