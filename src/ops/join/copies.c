/* copies.c - views turned into tensors of their own: the *_copy family, and its other direction, the *_scatter family (a
 * copy of a tensor with one view of it overwritten). In: the arguments of the view. */
#include "call/end.h"
#include "call/move.h"
#include "call/policy.h"

/* ---- the view that a row copies or writes ---- */

int kt__view_behind(int op)
{
    switch (op) {
#define BEHIND(view) case KT_OP_##view##_copy: return KT_OP_##view;
#include "ops/join/copies.def"
#undef BEHIND
    case KT_OP_select_scatter: return KT_OP_select;
    case KT_OP_slice_scatter: return KT_OP_slice;
    case KT_OP_diagonal_scatter: return KT_OP_diagonal;
    case KT_OP_as_strided_scatter: return KT_OP_as_strided;
    default: return -1;
    }
}

/* The body of the view makes the view; the arguments are the same. */
static kt_status copied(kt_call *call)
{
    kt_call look = *call;
    look.form = KT_PLAIN;
    if (kt__rows[kt__view_behind(call->row->id)].body(&look))
        return kt_error_status();
    kt_tensor *view = look.out[0];
    kt_tensor *out = kt__tensor_new((kt_dtype)view->dtype, kt__device(view), kt__sizes(view));
    kt_status  status = out ? kt__copy_into(out, view, KT_WHY_NONE, KT_ROUND_TORCH) : kt_error_status();
    if (out)
        out->lineage = view->lineage;
    kt__unref(view);
    return kt__end_made(call, out, NULL, status);
}

#define BEHIND(view) kt_status kt__body_##view##_copy(kt_call *call) { return copied(call); }
#include "ops/join/copies.def"
#undef BEHIND

/* narrow_copy's message for a negative length, after the checks of dim and start. */
static kt_status refuse_length(const kt_tensor *t, int64_t dim, int64_t start, int64_t length)
{
    if (kt__wrap_dim(&dim, t->ndim))
        return kt_error_status();
    const int64_t size = t->sizes[dim];
    if (start < -size || start > size)
        return kt_fail(KT_ERR_INDEX, "start out of range (expected to be in range of [%lld, %lld], but got %lld)",
                       (long long)-size, (long long)size, (long long)start);
    return kt_fail(KT_ERR_RUNTIME, "start (%lld) + length (%lld) exceeds dimension size (%lld).",
                   (long long)(start < 0 ? start + size : start), (long long)length, (long long)size);
}

/* Rows that are composites themselves: the copy is a clone of their view. */
kt_status kt__body_narrow_copy(kt_call *call)
{
    kt_tensor *view = NULL, *made = NULL;
    if (call->arg[0].t->ndim && call->arg[1].i >= call->arg[0].t->ndim)
        return kt_fail(KT_ERR_RUNTIME,
                       "Expected dim < static_cast<int64_t>(self_sizes.size()) to be true, but got false.  (Could this error "
                       "message be improved?  If so, please report an enhancement request to PyTorch.)");
    if (call->arg[0].t->ndim && call->arg[3].i < 0)
        return refuse_length(call->arg[0].t, call->arg[1].i, call->arg[2].i, call->arg[3].i);
    kt_status status = kt__call_narrow(call->arg[0].t, call->arg[1].i, call->arg[2].i, call->arg[3].i, &view);
    if (!status)
        status = kt__call_clone(view, KT_CONTIGUOUS_FORMAT, &made);
    kt__unref(view);
    return kt__end_made(call, made, NULL, status);
}

/* ---- lists ---- */

static kt_status list_copied(kt_call *call, int op)
{
    kt_call c = *call;
    c.row = &kt__rows[op];
    c.list = NULL;
    c.n_list = 0;
    kt_status status = kt_call_run(&c);
    if (!status)
        status = kt__list_of(call, c.n_list);
    for (int64_t i = 0; i < c.n_list && !status; i++)
        status = kt__call_clone(c.list[i], KT_CONTIGUOUS_FORMAT, &call->list[i]);
    kt_call_free_list(&c);
    return kt__list_done(call, status);
}

kt_status kt__body_unbind_copy(kt_call *call) { return list_copied(call, KT_OP_unbind); }
kt_status kt__body_split_copy(kt_call *call) { return list_copied(call, KT_OP_split); }
kt_status kt__body_split_with_sizes_copy(kt_call *call) { return list_copied(call, KT_OP_split_with_sizes); }

/* ---- scatter ---- */

/* A copy with the strides, gaps and offset of self, so that the view's geometry is valid in it. */
static kt_tensor *copy_keeping_strides(kt_tensor *self)
{
    int64_t reach = kt__offset(self) + 1;
    if (kt__overlaps_itself(self) || self->numel == 0)
        return kt__empty_like(self, (kt_dtype)self->dtype, kt__device(self), KT_FORMAT_NONE);
    for (int i = 0; i < self->ndim; i++)
        reach += (self->sizes[i] - 1) * self->strides[i];
    kt_tensor *out = kt__tensor_new((kt_dtype)self->dtype, kt__device(self), KT_SHAPE(reach));
    if (out && kt__tensor_set_geometry(out, kt__sizes(self), kt__strides(self), kt__offset(self))) {
        kt__unref(out);
        return NULL;
    }
    return out;
}

static kt_status write_view(kt_call *call, kt_tensor *out)
{
    kt_tensor *src = call->arg[1].t;
    kt_call    look;
    kt__open(&look, kt__view_behind(call->row->id), KT_PLAIN);
    kt__put_tensor(&look, 0, out);
    for (int i = 2; i < kt__n_args(call->row); i++)
        if (kt__given(call, i)) {
            look.arg[i - 1] = call->arg[i];
            look.given |= 1u << (i - 1);
        }
    if (look.row->body(&look))
        return kt_error_status();
    kt_tensor *view = look.out[0];
    kt_status  status = KT_OK;
    if (!kt__same_sizes(view, src)) {
        char has[256], wants[256];
        kt__shape_text(has, sizeof has, kt__sizes(src));
        kt__shape_text(wants, sizeof wants, kt__sizes(view));
        status = kt_fail(KT_ERR_RUNTIME,
                         "expected src to have a size equal to the slice of self. src size = %s, slice size = %s", has, wants);
    }
    if (!status)
        status = kt__allow(kt__mode(), call, "src", src, (kt_dtype)out->dtype, KT_WHY_ASSIGN);
    if (!status)
        status = kt__copy_into(view, src, KT_WHY_ASSIGN, KT_ROUND_TORCH);
    kt__unref(view);
    return status;
}

static kt_status scattered(kt_call *call)
{
    kt_tensor *self = call->arg[0].t, *out = copy_keeping_strides(self);
    kt_status  status = out ? kt__copy_into(out, self, KT_WHY_NONE, KT_ROUND_TORCH) : kt_error_status();
    if (!status)
        status = write_view(call, out);
    return kt__end_made(call, out, self, status);
}

kt_status kt__body_select_scatter(kt_call *call) { return scattered(call); }
kt_status kt__body_slice_scatter(kt_call *call) { return scattered(call); }
kt_status kt__body_diagonal_scatter(kt_call *call) { return scattered(call); }
kt_status kt__body_as_strided_scatter(kt_call *call) { return scattered(call); }
