/* convert.c - copies, fills and conversions of dtypes, each with its reason, which policy, lineage and watchers see.
 *
 * In: tensors, a dtype, a reason. Out: elements written, or a new tensor. Independent of: which row asks for it; plans and
 * lineage name the call that runs. */
#include "call/convert.h"

#include <karat/lineage.h>
#include <string.h>

#include "base/rng.h"
#include "base/scope.h"
#include "call/policy.h"
#include "call/wrap.h"
#include "tables/kernels/copy.h"
#include "tensor/device.h"
#include "tensor/work.h"

/* ---- moving values, no tape ---- */

static bool same_device(const kt_tensor *a, const kt_tensor *b)
{
    return a->backend == b->backend && a->index == b->index;
}

void kt__warn_of_real_part(kt_dtype from, kt_dtype to)
{
    if (kt__dtype_rows[from].category == KT_CAT_COMPLEX && kt__dtype_rows[to].category != KT_CAT_COMPLEX && to != KT_BOOL)
        KT__WARN_ONCE("Casting complex values to real discards the imaginary part");
}

/* The gradient of a real tensor is the real part: no warning. */
static void warn_of_cast(const kt_tensor *to, const kt_tensor *from, kt_reason why)
{
    if (to->numel && why != KT_WHY_GRADIENT && why != KT_WHY_NONE)
        kt__warn_of_real_part((kt_dtype)from->dtype, (kt_dtype)to->dtype);
}

/* Real values copied into a lazily conjugated complex tensor: the imaginary part 0 is stored as -0. */
static kt_status copy_turned(kt_tensor *to, kt_tensor *from, kt_reason why, kt_rounding rounding)
{
    kt_tensor *complex = kt__tensor_new((kt_dtype)to->dtype, kt__device(from), kt__sizes(from));
    kt_status  status = complex ? kt__copy_into(complex, from, why, rounding) : kt_error_status();
    if (!status)
        status = kt__copy_into(to, complex, KT_WHY_NONE, rounding);
    kt__unref(complex);
    return status;
}

/* ---- between devices: bytes travel, so that layouts and dtypes are made equal before or after ---- */

enum { LAZY = KT_T_CONJ | KT_T_NEG };

static bool same_shapes(kt_shape a, kt_shape b)
{
    return a.n == b.n && (a.n == 0 || memcmp(a.d, b.d, (size_t)a.n * sizeof *a.d) == 0);
}

/* Its elements are all the bytes from the first to the last. */
static bool is_block(const kt_tensor *t)
{
    return kt__is_contiguous(t) || kt__is_dense(kt__sizes(t), kt__strides(t));
}

static bool lies_as(const kt_tensor *a, const kt_tensor *b)
{
    return same_shapes(kt__sizes(a), kt__sizes(b)) && ((kt__is_contiguous(a) && kt__is_contiguous(b)) ||
                                                       same_shapes(kt__strides(a), kt__strides(b)));
}

static kt_status send(kt_tensor *to, const kt_tensor *from, bool non_blocking)
{
    return kt__transfer(kt__row_served(KT_OP_copy), to, from, non_blocking);
}

/* Owned: the source as it travels, a block in its own dtype or, if that is narrower, in the target's. `to` is laid out as it can
 * be, so that the bytes need not be moved again. */
static kt_tensor *packed(kt_tensor *from, const kt_tensor *to, kt_reason why, kt_rounding rounding)
{
    const bool     narrows = kt__itemsize(to) < kt__itemsize(from);
    const kt_dtype dtype = (kt_dtype)(narrows ? to->dtype : from->dtype);
    if (!narrows && is_block(from) && !(from->flags & LAZY))
        return kt__ref(from);
    const bool as_to = is_block(to) && same_shapes(kt__sizes(to), kt__sizes(from));
    kt_tensor *made = as_to ? kt__tensor_new_strided(dtype, kt__device(from), kt__sizes(to), kt__strides(to))
                            : kt__tensor_new(dtype, kt__device(from), kt__sizes(from));
    if (made && kt__copy_into(made, from, narrows ? why : KT_WHY_NONE, narrows ? rounding : KT_ROUND_TORCH)) {
        kt__unref(made);
        made = NULL;
    }
    return made;
}

/* What has arrived in another layout or dtype is written to the target there. */
static kt_status send_and_unpack(kt_tensor *to, kt_tensor *sent, kt_reason why, kt_rounding rounding, bool non_blocking)
{
    kt_tensor *there = kt__tensor_new_strided((kt_dtype)sent->dtype, kt__device(to), kt__sizes(sent), kt__strides(sent));
    kt_status  status = there ? send(there, sent, non_blocking && !kt__backend(to->backend)->addressable) : kt_error_status();
    if (!status)
        status = kt__copy_into(to, there, sent->dtype == to->dtype ? KT_WHY_NONE : why, rounding);
    kt__unref(there);
    return status;
}

static kt_status copy_between(kt_tensor *to, kt_tensor *from, kt_reason why, kt_rounding rounding, bool non_blocking)
{
    if (kt__backend(to->backend)->stores_nothing)
        return KT_OK;
    if (kt__backend(from->backend)->stores_nothing)
        return kt_fail(KT_ERR_NOT_IMPLEMENTED, "Cannot copy out of meta tensor; no data!");
    if (to->dtype == from->dtype && lies_as(to, from) && is_block(to) && !((to->flags ^ from->flags) & LAZY))
        return send(to, from, non_blocking);
    kt_tensor *sent = packed(from, to, why, rounding);
    if (!sent)
        return kt_error_status();
    const bool      lands = sent->dtype == to->dtype && lies_as(to, sent) && is_block(to) && !(to->flags & LAZY);
    const kt_status status = lands ? send(to, sent, non_blocking) : send_and_unpack(to, sent, why, rounding, non_blocking);
    kt__unref(sent);
    return status;
}

kt_status kt__copy_late(kt_tensor *to, kt_tensor *from, kt_reason why, kt_rounding rounding, bool non_blocking)
{
    if (KT__LIKELY(!non_blocking) || same_device(to, from) || to->flags & KT_T_CONJ)
        return kt__copy_into(to, from, why, rounding);
    return copy_between(to, from, why, rounding, true);
}

KT__HOT kt_status kt__copy_into(kt_tensor *to, kt_tensor *from, kt_reason why, kt_rounding rounding)
{
    kt_plan plan;
    if (KT__UNLIKELY(to->flags & KT_T_CONJ && kt_dtype_category((kt_dtype)from->dtype) != KT_CAT_COMPLEX))
        return copy_turned(to, from, why, rounding);
    if (!same_device(to, from))
        return copy_between(to, from, why, rounding, false);
    if (kt__prepare_copy(to, from, why, &plan))
        return kt_error_status();
    if (KT__UNLIKELY(to->dtype != from->dtype))
        warn_of_cast(to, from, why);
    plan.arg[1].bits ^= plan.arg[0].bits; /* a write through a lazy view is inverted in the base */
    plan.arg[0].bits = 0;
    plan.rounding = (uint8_t)rounding;
    if (rounding == KT_ROUND_STOCHASTIC) {
        kt_generator *g = kt_default_generator();
        kt__rng_lock(g);
        plan.seed = kt__rng_u64(g);
        kt__rng_unlock(g);
    }
    return kt__launch(&plan, to);
}

/* The stored value for a value shown by a lazy view. */
static kt_scalar behind(const kt_tensor *view, kt_scalar value)
{
    const bool     is_int = value.kind != KT_SCALAR_FLOAT && value.kind != KT_SCALAR_COMPLEX;
    const uint32_t category = kt__dtype_rows[view->dtype].category;
    if (is_int && !(category & (KT_CAT_FLOAT | KT_CAT_COMPLEX)))
        return KT_INT((int64_t)(0 - (uint64_t)value.v.i)); /* integers can only be lazily negated */
    double sign = view->flags & KT_T_NEG ? -1 : 1, turn = view->flags & KT_T_CONJ ? -sign : sign;
    double re = !is_int ? value.v.re : value.is_unsigned ? (double)(uint64_t)value.v.i : (double)value.v.i;
    double im = value.kind == KT_SCALAR_COMPLEX ? value.im : 0;
    return category & KT_CAT_COMPLEX ? KT_COMPLEX(sign * re, turn * im) : KT_FLOAT(sign * re);
}

static kt_status fill(kt_tensor *to, kt_scalar value, bool is_new)
{
    kt_plan    plan;
    const bool lazy = to->flags & (KT_T_CONJ | KT_T_NEG) && kt__overlaps_itself(to);
    if (KT__UNLIKELY(lazy)) /* inverted now: an element that occurs twice in the view would be inverted twice later */
        value = behind(to, value);
    kt__plan_begin(&plan, kt__row_served(KT_OP_fill), KT_K_fill, kt__dtype_rows[to->dtype].compute, 0, to);
    plan.n_param = 1;
    plan.param[0] = value;
    plan.numel = to->numel;
    plan.nd = to->ndim;
    kt__set_operand(&plan, 0, to, (kt_dtype)to->dtype, KT_WHY_NONE);
    for (int d = 0; d < to->ndim; d++) {
        plan.size[d] = to->sizes[d];
        plan.stride[0][d] = to->strides[d] * (int64_t)kt__itemsize(to);
    }
    if (KT__UNLIKELY(lazy))
        plan.arg[0].bits = 0;
    kt__collapse(&plan, true);
    return is_new ? kt__launch_fill(&plan, to) : kt__launch(&plan, to);
}

kt_status kt__fill_with(kt_tensor *to, kt_scalar value) { return fill(to, value, false); }

kt_status kt__fill_new(kt_tensor *to, kt_scalar value)
{
    return fill(to, value, to->numel > KT__LONG_NUMEL);
}

/* ---- a tensor in another form ---- */

KT__HOT kt_tensor *kt__empty_like(kt_tensor *like, kt_dtype dtype, kt_device device, kt_memory_format format)
{
    int64_t strides[KT_MAX_DIMS];
    if (format == KT_FORMAT_NONE || format == KT_PRESERVE_FORMAT) {
        kt__preserved_strides(kt__sizes(like), kt__strides(like), strides);
    } else if (!kt__format_strides(kt__sizes(like), format, strides)) {
        kt_fail(KT_ERR_RUNTIME, "required rank %d tensor to use channels_last%s format",
                format == KT_CHANNELS_LAST ? 4 : 5, format == KT_CHANNELS_LAST ? "" : "_3d");
        return NULL;
    }
    return kt__tensor_new_strided(dtype, device, kt__sizes(like), (kt_shape){like->ndim, strides});
}

static KT__HOT_LOCAL const char *display_name; /* the user's spelling of the current cast */

void kt_call_set_display_name(const char *name) { display_name = name; }

/* A copy to the host that nobody waits for goes to pinned memory, as PyTorch's does. */
static bool arrives_late(const kt_tensor *self, const kt__cast *c)
{
    return KT__UNLIKELY(c->non_blocking) && c->device.kind == KT_CPU && kt__backend(self->backend)->host_alloc &&
           (c->format == KT_CONTIGUOUS_FORMAT || (c->format <= KT_PRESERVE_FORMAT && kt__is_contiguous(self)));
}

KT__HOT kt_status kt__cast_as(kt_tensor *self, const kt__cast *c, kt_tensor **out)
{
    kt_tensor *made = arrives_late(self, c) ? kt__tensor_pinned(c->dtype, kt__sizes(self), self->backend)
                                            : kt__empty_like(self, c->dtype, c->device, c->format);
    if (!made)
        return kt_error_status();
    if (kt__copy_late(made, self, c->why, c->rounding, c->non_blocking)) {
        kt__unref(made);
        return kt_error_status();
    }
    made->lineage = made->dtype == self->dtype ? self->lineage : KT__RECORD(c->why, c->op, self->dtype, c->dtype, self->lineage);
    *out = made;
    return KT_OK;
}

const char *kt__cast_name(void)
{
    const kt_row *row = kt__frame ? kt__frame->row : NULL;
    return display_name ? display_name : row && row->id != KT_OP_to_copy ? row->name : "to";
}

/* ---- conversions with a reason ---- */

/* The tape records it as a copy. */
kt_status kt__convert_inside(kt_tensor *t, kt_dtype dtype, kt_reason why, kt_tensor **result)
{
    kt_call       call;
    kt__taping    taping;
    kt_tensor    *made = NULL;
    const kt_row *outer = kt__named.plans;
    if ((kt_dtype)t->dtype == dtype) {
        *result = kt__ref(t);
        return KT_OK;
    }
    if (KT__UNLIKELY(t->flags & KT_T_BATCHED))
        return kt__batching.convert(t, dtype, why, result);
    kt__open(&call, KT_OP_to_copy, KT_PLAIN);
    kt__put_tensor(&call, 0, t);
    kt__put(&call, 1, dtype, dtype);
    const char *op = why == KT_WHY_EXPLICIT ? kt__cast_name() : kt__frame ? kt__frame->row->name : "convert";
    const kt__cast c = {dtype, kt__device(t), KT_FORMAT_NONE, KT_ROUND_TORCH, why, op, false};
    kt_status   status = kt__tape_before(&call, NULL, kt__grad_flags(t) & KT_T_FOLLOWED, &taping);
    if (!status) {
        kt__named.plans = outer ? outer : call.row;
        status = kt__cast_as(t, &c, &made);
        kt__named.plans = outer;
        status = kt__finish(&call, NULL, &taping, made, status);
    }
    if (status)
        kt__explain_failure(&call);
    else
        *result = call.out[0];
    return status;
}

kt_status kt_convert(kt_tensor *t, kt_dtype dtype, kt_reason why, kt_tensor **result)
{
    if (!t || !result)
        return kt_fail(KT_ERR_TYPE, t ? "the pointer for the result is NULL" : "expected a tensor, got NULL");
    if (!kt__dtype_valid(dtype))
        return kt_fail(KT_ERR_TYPE, "there is no dtype %d", (int)dtype);
    if (kt__allow(kt__mode(), NULL, "a tensor", t, dtype, why))
        return kt_error_status();
    return kt__convert_inside(t, dtype, why, result);
}

void kt_lineage_say(kt_tensor *t, const char *op)
{
    kt_lineage_record r = {.size = sizeof r};
    const char       *kept = t && op && kt__lineage.keep_text ? kt__lineage.keep_text(op) : NULL;
    if (kept && t->lineage != KT__UNTRACKED && kt_lineage_read(t->lineage, &r))
        t->lineage = KT__RECORD(r.why, kept, r.from, r.to, r.parent);
}

void kt_lineage_like(kt_tensor *t, const kt_tensor *like, const char *op)
{
    if (t && like && op && kt__lineage.like)
        t->lineage = kt__lineage.like(t->lineage, like->lineage, op);
}

void kt_lineage_born(kt_tensor *t, kt_reason why, const char *op)
{
    const char *kept = t && op && kt__lineage.keep_text ? kt__lineage.keep_text(op) : NULL;
    if (kept && why >= KT_BORN && why < KT_NUM_REASONS)
        t->lineage = KT__RECORD(why, kept, KT_NONE, t->dtype, 0);
}

kt_tensor *kt__as_index(kt_tensor *t)
{
    kt_tensor *index = NULL;
    if (!t || t->dtype == KT_I64)
        return t;
    if (kt__convert_inside(t, KT_I64, KT_WHY_INDEX, &index))
        return NULL;
    if (kt__scope_add(index)) {
        kt__unref(index);
        return NULL;
    }
    return index;
}

kt_status kt_copy_why(kt_tensor *to, kt_tensor *from, kt_reason why)
{
    if (!to || !from)
        return kt_fail(KT_ERR_TYPE, "expected a tensor, got NULL");
    if (kt__allow(kt__mode(), NULL, "src", from, (kt_dtype)to->dtype, why) ||
        kt__copy_into(to, from, why, KT_ROUND_TORCH))
        return kt_error_status();
    kt__wrote(to);
    return KT_OK;
}
