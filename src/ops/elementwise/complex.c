/* complex.c - complex numbers from two real tensors: real and imaginary part, or absolute value and angle. In: calls of
 * BODY rows with a derivative of their own, which runs below the tape. Out: one complex tensor. */
#include "call/made.h"
#include "call/target.h"

/* The dtype of the result; KT_NONE: refused, as an out= of another is. */
static kt_dtype complex_of(const kt_call *call)
{
    kt__decision        room;
    const kt__decision *d = kt__resolve_in_body(call, &room);
    return d && !kt__check_out(call, (kt_dtype)d->result, KT_NONE) ? (kt_dtype)d->result : KT_NONE;
}

/* Writes both parts of `to`; real and imag broadcast against each other. */
static kt_status write_parts(kt_tensor *to, kt_tensor *real, kt_tensor *imag)
{
    kt_tensor *parts = kt_view_as_real(to);
    if (!parts || !kt_copy_(kt_select(parts, -1, 0), real) || !kt_copy_(kt_select(parts, -1, 1), imag))
        return kt_error_status();
    return KT_OK;
}

/* The result is made where the real part is, but for a number of the CPU. */
static kt_tensor *beside(kt_tensor *real, kt_tensor *imag)
{
    return real->ndim == 0 && real->backend == KT_CPU ? kt_to(real, .device = kt_device_of(imag)) : real;
}

static kt_status join(kt_call *call, kt_dtype dtype, kt_tensor *real, kt_tensor *imag)
{
    kt_tensor *pair[2] = {real, imag}, *both[2];
    if (kt__failed() || kt_broadcast_tensors(pair, 2, both, 2) < 0)
        return kt_error_status();
    kt_tensor *made = kt__scoped(kt__output_beside(both, 2, dtype));
    return !made || write_parts(made, both[0], both[1]) ? kt_error_status() : kt__end(call, made);
}

kt_status kt__body_complex(kt_call *call)
{
    KT_SCOPE;
    const kt_dtype made = complex_of(call);
    kt_tensor     *real = call->arg[0].t, *imag = call->arg[1].t;
    return made ? join(call, made, beside(real, imag), imag) : kt_error_status();
}

kt_status kt__body_polar(kt_call *call)
{
    KT_SCOPE;
    const kt_dtype made = complex_of(call);
    kt_tensor     *length = call->arg[0].t, *angle = call->arg[1].t;
    if (!made)
        return kt_error_status();
    return join(call, made, kt_mul(length, kt_cos(angle)), kt_mul(length, kt_sin(angle)));
}

kt_status kt__body_isreal(kt_call *call)
{
    KT_SCOPE;
    kt_tensor *self = call->arg[0].t;
    return kt__end(call, kt_dtype_category((kt_dtype)self->dtype) == KT_CAT_COMPLEX ? kt_eq_s(kt_imag(self), KT_INT(0))
                                                                                     : kt_ones_like(self, .dtype = KT_BOOL));
}
