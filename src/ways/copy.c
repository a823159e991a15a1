/* copy.c - the way of copies: rows that move elements without arithmetic. In: calls of to, clone, copy_, fill and the like. Out:
 * copies made by call/convert.c, after the checks of such a row. */
#include <math.h>
#include <string.h>

#include "call/convert.h"
#include "call/move.h"
#include "call/policy.h"
#include "call/target.h"
#include "call/wrap.h"
#include "dtype/fault.h"

/* ---- casting levels and roundings by name ---- */

static kt_status casting_level(const char *name, kt_casting *level)
{
    static const char *const names[] = {
        [KT_CAST_UNSAFE] = "unsafe", [KT_CAST_SAME_KIND] = "same_kind", [KT_CAST_SAFE] = "safe",
        [KT_CAST_EQUIV] = "equiv",   [KT_CAST_NO] = "no",               [KT_CAST_SAME_VALUE] = "same_value",
    };
    for (int i = 0; i < 6; i++)
        if (strcmp(name, names[i]) == 0) {
            *level = (kt_casting)i;
            return KT_OK;
        }
    return kt_fail(KT_ERR_VALUE, "casting must be one of no, equiv, safe, same_kind, same_value, unsafe, not '%s'",
                   name);
}

static kt_status rounding_of(const char *name, kt_rounding *rounding)
{
    static const char *const names[] = {
        [KT_ROUND_TORCH] = "torch", [KT_ROUND_ONCE] = "once", [KT_ROUND_STOCHASTIC] = "stochastic",
    };
    for (int i = 0; i < 3; i++)
        if (strcmp(name, names[i]) == 0) {
            *rounding = (kt_rounding)i;
            return KT_OK;
        }
    return kt_fail(KT_ERR_VALUE, "rounding must be one of torch, once, stochastic, not '%s'", name);
}

static const char *arg_text(const kt_call *c, int i) { return kt__arg(c, i)->str; }

/* casting="same_value": converting back must give the source again; NaN counts as unchanged. */
static kt_status check_same_value(const kt_call *call, kt_tensor *from, kt_tensor *to)
{
    if (kt__backend(from->backend)->stores_nothing || kt__backend(to->backend)->stores_nothing)
        return KT_OK;
    kt_tensor *back = kt__tensor_new((kt_dtype)from->dtype, kt__device(from), kt__sizes(from));
    kt_tensor *differs = NULL, *number = NULL, *wrong = NULL, *count = NULL;
    kt_status  status = back ? kt__copy_into(back, to, KT_WHY_EXPLICIT, KT_ROUND_TORCH) : kt_error_status();
    if (!status)
        status = kt__call2(KT_OP_ne, from, back, &differs);
    if (!status)
        status = kt__call2(KT_OP_eq, from, from, &number);
    if (!status)
        status = kt__call2(KT_OP_logical_and, differs, number, &wrong);
    if (!status)
        status = kt__call1(KT_OP_sum, wrong, &count);
    int64_t n = status ? 0 : kt_item_scalar(count).v.i;
    if (n)
        kt__fail_dtype(call, KT_ERR_TYPE,
                       "Cannot cast from %s to %s with casting='same_value': %lld of %lld values would change",
                       kt_dtype_name(from->dtype), kt_dtype_name(to->dtype), (long long)n, (long long)from->numel);
    kt__unref(back);
    kt__unref(differs);
    kt__unref(number);
    kt__unref(wrong);
    kt__unref(count);
    return kt_error_status();
}

/* ---- the rows of copies ---- */

static kt_status make_copy(kt_call *call, kt_tensor **out)
{
    kt_tensor  *self = call->arg[0].t;
    kt_dtype    dtype = (kt_dtype)self->dtype;
    kt_device   device = kt__device(self);
    int         format_at = 1;
    kt_casting  level = KT_CAST_UNSAFE;
    kt_rounding rounding = KT_ROUND_TORCH;
    if (call->row->id == KT_OP_to_copy) {
        format_at = 3;
        if (kt__given(call, 1))
            dtype = call->arg[1].dtype;
        if (kt__given(call, 2) && kt__arg_device(call, 2, &device))
            return kt_error_status();
        if ((kt__given(call, 4) && casting_level(call->arg[4].str, &level)) ||
            (kt__given(call, 5) && rounding_of(call->arg[5].str, &rounding)))
            return kt_error_status();
    }
    if (!kt__dtype_valid(dtype))
        return kt_fail(KT_ERR_TYPE, "%s: there is no dtype %d", call->row->name, (int)dtype);
    if (level != KT_CAST_SAME_VALUE && !kt_can_cast_level((kt_dtype)self->dtype, dtype, level))
        return kt__fail_dtype(call, KT_ERR_TYPE, "Cannot cast from %s to %s according to the rule '%s'",
                              kt_dtype_name(self->dtype), kt_dtype_name(dtype), arg_text(call, 4));
    const kt_memory_format format = (kt_memory_format)(kt__given(call, format_at) ? call->arg[format_at].format : 0);
    const bool             non_blocking = call->row->id == KT_OP_to_copy && kt__arg_bool(call, 6);
    const kt__cast         c = {dtype, device, format, rounding, KT_WHY_EXPLICIT, kt__cast_name(), non_blocking};
    kt_tensor             *made = NULL;
    if (kt__cast_as(self, &c, &made))
        return kt_error_status();
    if (level == KT_CAST_SAME_VALUE && check_same_value(call, self, made)) {
        kt__unref(made);
        return kt_error_status();
    }
    *out = made;
    return KT_OK;
}

kt_status kt__fail_overflow(const kt_call *call, kt_dtype d)
{
    return kt__fail_dtype(call, KT_ERR_RUNTIME, "value cannot be converted to type %s without overflow", kt__overflow_name(d));
}

/* Is a number within the range of a float narrower than float32? float8_e8m0fnu has neither 0 nor negative numbers, which
 * PyTorch checks for floats only; infinities fit formats that have them, NaN always fits. */
static bool within_narrow(kt_scalar s, kt_dtype d)
{
    kt_finfo   f;
    const bool is_int = s.kind != KT_SCALAR_FLOAT && s.kind != KT_SCALAR_COMPLEX;
    if (kt_dtype_finfo(d, &f))
        return false;
    if (is_int)
        return kt__holds(s, d);
    if (!isfinite(s.v.re))
        return isnan(s.v.re) || kt__dtype_rows[d].specials == KT__IEEE;
    return s.v.re >= f.min && s.v.re <= f.max;
}

kt_status kt__check_filled(const kt_call *call, const kt_tensor *to, kt_scalar value)
{
    const kt_dtype d = (kt_dtype)to->dtype;
    const bool     narrow = kt_dtype_category(d) == KT_CAT_FLOAT && kt_dtype_size(d) < 4;
    const bool     imaginary = value.kind == KT_SCALAR_COMPLEX && value.im != 0;
    if (to->numel == 1 && narrow)
        return imaginary ? kt__fail_overflow(call, KT_F64) : KT_OK;
    if (narrow)
        return imaginary || !within_narrow(value, d) ? kt__fail_overflow(call, d) : KT_OK;
    const kt_dtype as = d == KT_C32 && to->numel != 1 ? KT_C64 : d;
    return kt_scalar_fits(value, as) ? KT_OK : kt__fail_overflow(call, as);
}

static kt_status fill_checked(kt_call *call, kt_tensor *to)
{
    kt_scalar value = KT_INT(0);
    if (call->row->id == KT_OP_fill) {
        if (!(call->scalars >> 1 & 1)) {
            kt_tensor *source = call->arg[1].t;
            if (source->ndim)
                return kt_fail(KT_ERR_RUNTIME,
                               "fill_ only supports 0-dimension value tensor but got tensor with %d dimensions.",
                               source->ndim);
            if (kt__allow(kt__mode(), call, "value", source, (kt_dtype)to->dtype, KT_WHY_ASSIGN))
                return kt_error_status();
            return kt__copy_into(to, source, KT_WHY_ASSIGN, KT_ROUND_TORCH);
        }
        value = call->arg[1].s;
    }
    return kt__check_filled(call, to, value) ? kt_error_status() : kt__fill_with(to, value);
}

/* Whether each element of a copy stands where it is copied to; then several may share a place. */
static bool stands_there(const kt_tensor *to, const kt_tensor *from)
{
    return to->dtype == from->dtype && !((to->flags ^ from->flags) & (KT_T_CONJ | KT_T_NEG)) &&
           kt__overlap_of(to, from) == KT_OVERLAP_FULL;
}

static kt_status write_copy(kt_call *call, kt_tensor *to, kt_reason why)
{
    if (call->row->id != KT_OP_copy)
        return fill_checked(call, to);
    kt_tensor *from = call->arg[1].t;
    if (kt__allow(kt__mode(), call, "src", from, (kt_dtype)to->dtype, why))
        return kt_error_status();
    if (stands_there(to, from))
        return KT_OK;
    return kt__copy_late(to, from, why, KT_ROUND_TORCH, kt__arg_bool(call, 2));
}

KT__HOT kt_status kt__run_copy(kt_call *call, kt_reason why)
{
    kt__taping taping;
    kt_tensor *self = call->arg[0].t, *out = NULL;
    bool       writes = call->row->forms & 1 << KT_INPLACE;
    /* Filling overlapping elements with a number is harmless: only tensor sources are checked. */
    const bool from_tensor = writes && call->row->id != KT_OP_zero && !(call->scalars >> 1 & 1);
    const uint32_t flags = kt__grad_flags(self) | (from_tensor ? kt__grad_flags(call->arg[1].t) : 0);
    if (KT__UNLIKELY(flags & KT_T_BATCHED)) /* a body writes its result */
        return kt_call_run(call);
    const bool copies = call->row->id == KT_OP_copy; /* fill reads its value before it writes */
    const bool stays = call->form == KT_INPLACE && copies && stands_there(self, call->arg[1].t);
    if (call->form == KT_INPLACE && copies && !stays && kt__overlap_of(self, call->arg[1].t) == KT_OVERLAP_SOME)
        return kt__run_apart(call);
    if (kt__tape_before(call, NULL, flags & KT_T_FOLLOWED, &taping))
        return kt_error_status();
    kt_status status = KT_OK;
    if (call->form == KT_INPLACE) {
        out = kt__ref(self);
        status = from_tensor && !stays ? kt__check_written(self, &call->arg[1].t, copies) : KT_OK;
        if (!status)
            status = write_copy(call, self, why);
        if (!status)
            kt__wrote(self);
    } else if (writes) {
        out = kt__empty_like(self, (kt_dtype)self->dtype, kt__device(self), KT_FORMAT_NONE);
        status = out ? write_copy(call, out, why) : kt_error_status();
        if (out)
            out->lineage = self->lineage;
    } else {
        status = make_copy(call, &out);
    }
    call->out[0] = out;
    call->n_out = 1;
    status = kt__tape_after(call, NULL, &taping, status);
    if (status) {
        kt__unref(out);
        call->out[0] = NULL;
    }
    return status;
}

static kt_status run_copy(kt_call *call) { return kt__run_copy(call, KT_WHY_ASSIGN); }

/* ---- composites of copies ---- */

KT__HOT kt_status kt__body_to(kt_call *call)
{
    kt_tensor *self = call->arg[0].t;
    kt_device  device = kt__device(self);
    if (kt__given(call, 2) && kt__arg_device(call, 2, &device))
        return kt_error_status();
    bool same = (!kt__given(call, 1) || call->arg[1].dtype == (kt_dtype)self->dtype) && device.kind == self->backend &&
                device.index == self->index && !kt__arg_bool(call, 3) &&
                (!kt__given(call, 4) || call->arg[4].format == KT_PRESERVE_FORMAT ||
                 (kt_memory_format)call->arg[4].format == kt__suggested_format(self)); /* the suggested format decides, not the
                                                                                        * exact strides */
    if (same) {
        call->out[0] = kt__ref(self);
        return KT_OK;
    }
    kt_call c;
    kt__open(&c, KT_OP_to_copy, KT_PLAIN);
    static const uint8_t from[] = {0, 1, 2, 4, 5, 6, 7}; /* `to` has copy= at 3 */
    for (int i = 0; i < 7; i++)
        if (kt__given(call, from[i])) {
            c.arg[i] = call->arg[from[i]];
            c.given |= 1u << i;
        }
    if (kt_call_run(&c))
        return kt_error_status();
    call->out[0] = c.out[0];
    return KT_OK;
}

kt_status kt__body_contiguous(kt_call *call)
{
    kt_tensor       *self = call->arg[0].t;
    kt_memory_format format =
        kt__given(call, 1) && call->arg[1].format ? (kt_memory_format)call->arg[1].format : KT_CONTIGUOUS_FORMAT;
    if (format == KT_PRESERVE_FORMAT)
        return kt_fail(KT_ERR_RUNTIME, "preserve memory format is unsupported by the contiguous operator");
    if (kt_is_contiguous_as(self, format)) {
        call->out[0] = kt__ref(self);
        return KT_OK;
    }
    kt_call c;
    kt__open(&c, KT_OP_clone, KT_PLAIN);
    kt__put_tensor(&c, 0, self);
    kt__put(&c, 1, format, (int32_t)format);
    if (kt_call_run(&c))
        return kt_error_status();
    call->out[0] = c.out[0];
    return KT_OK;
}

static kt_status resolve_bit(kt_call *call, uint32_t bit)
{
    kt_tensor *self = call->arg[0].t;
    if (self->flags & bit)
        return kt__call1(KT_OP_clone, self, &call->out[0]);
    call->out[0] = kt__ref(self);
    return KT_OK;
}

kt_status kt__body_resolve_conj(kt_call *call) { return resolve_bit(call, KT_T_CONJ); }
kt_status kt__body_resolve_neg(kt_call *call) { return resolve_bit(call, KT_T_NEG); }

const kt__way kt__way_copy = {.run = run_copy};
