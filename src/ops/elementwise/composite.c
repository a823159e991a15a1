/* composite.c - operators composed of operators, without kernel or derivative. A body opens a frame (call.c), so that
 * errors name the operator that the user called. */
#include <string.h>

#include "call/end.h"
#include "call/refuse.h"
#include "call/target.h"
#include "call/wrap.h"

kt_status kt__body_positive(kt_call *call)
{
    return kt__end_itself(call, kt__ref(call->arg[0].t), KT_OK);
}

kt_status kt__body_square(kt_call *call)
{
    kt_call c;
    kt__open(&c, KT_OP_pow, KT_PLAIN);
    kt__put_tensor(&c, 0, call->arg[0].t);
    kt__put_either(&c, 1, KT_INT(2));
    return kt__run_as(call, &c);
}

kt_status kt__body_conj_physical(kt_call *call)
{
    kt_call    c;
    kt_tensor *self = call->arg[0].t;
    if (call->form == KT_PLAIN && kt_dtype_category((kt_dtype)self->dtype) != KT_CAT_COMPLEX)
        return kt__end_itself(call, kt__ref(self), KT_OK);
    kt__open(&c, KT_OP_conj_physical_of, KT_PLAIN);
    kt__put_tensor(&c, 0, self);
    return kt__run_as(call, &c);
}

kt_status kt__body_polygamma(kt_call *call)
{
    kt_call c;
    kt__open(&c, KT_OP_polygamma_of, KT_PLAIN);
    kt__put_tensor(&c, 0, call->arg[1].t);
    kt__put(&c, 1, i, call->arg[0].i);
    kt_status status = kt_call_run(&c);
    return kt__end_made(call, status ? NULL : c.out[0], NULL, status);
}

kt_status kt__body_special_ndtr(kt_call *call)
{
    KT_SCOPE;
    kt_tensor *z = kt_mul_s(call->arg[0].t, KT_FLOAT(0.707106781186547524401));
    return kt__end(call, kt_mul_s(kt_add_s(kt_erf(z), KT_INT(1)), KT_FLOAT(0.5)));
}

enum { MOST_DIMENSIONS = 100000 }; /* one function a dimension: more would look like a program that hangs */

kt_status kt__body_mvlgamma(kt_call *call)
{
    const int64_t p = call->arg[1].i;
    kt_tensor    *self = call->arg[0].t;
    if (p < 1)
        return kt_fail(KT_ERR_RUNTIME, "p has to be greater than or equal to 1");
    if (p > MOST_DIMENSIONS)
        return kt_fail(KT_ERR_RUNTIME, "p has to be at most %d, but got %lld", MOST_DIMENSIONS, (long long)p);
    kt__decision        room;
    const kt__decision *d = kt__resolve_in_body(call, &room);
    if (!d || kt__check_out(call, (kt_dtype)d->result, KT_NONE))
        return kt_error_status();
    KT_SCOPE;
    kt_tensor *sum = kt_lgamma(self);
    for (int64_t i = 1; i < p; i++)
        sum = kt_add(sum, kt_lgamma(kt_sub_s(self, KT_FLOAT(0.5 * (double)i))));
    sum = kt_add_s(sum, KT_FLOAT(0.286182471462350043535 * (double)(p * (p - 1)))); /* log(pi) / 4 */
    return kt__end(call, kt_contiguous(sum));
}

/* Gives up its operands; no exponent: it is the call's number. */
static kt_status powered_in_place(kt_call *call, kt_tensor *base, kt_tensor *exponent)
{
    kt_call c;
    kt__open(&c, KT_OP_pow, KT_INPLACE);
    kt__put_tensor(&c, 0, base);
    if (exponent)
        kt__put_tensor(&c, 1, exponent);
    else
        kt__put_either(&c, 1, call->arg[1].s);
    const kt_status status = kt__run_as(call, &c);
    kt__unref(base);
    kt__unref(exponent);
    return status;
}

kt_status kt__body_float_power(kt_call *call)
{
    kt__decision        room;
    const kt__decision *d = kt__resolve_in_body(call, &room);
    const bool          number = call->scalars >> 1 & 1;
    kt_tensor          *base = NULL, *exponent = NULL, *power = NULL;
    if (!d)
        return kt_error_status();
    const kt_dtype wide = (kt_dtype)d->common;
    kt_status      status = kt_convert(call->arg[0].t, wide, KT_WHY_PROMOTION, &base);
    if (!status && !number)
        status = kt_convert(call->arg[1].t, wide, KT_WHY_PROMOTION, &exponent);
    if (!status && call->form == KT_INPLACE && base == call->arg[0].t) /* as it was is what the exponent's gradient reads */
        return powered_in_place(call, base, exponent);
    if (!status && number)
        status = kt__call2s(KT_OP_pow, base, call->arg[1].s, &power);
    if (!status && !number)
        status = kt__call2(KT_OP_pow, base, exponent, &power);
    kt__unref(base);
    kt__unref(exponent);
    return kt__end_made(call, power, NULL, status);
}

/* ldexp with an integer exponent has the row's rule; else its dtype is that of a product with a power. Computed in float64 or
 * complex128: neither power nor product overflows where the result does not. */
static kt_status scale_exactly(kt_call *call)
{
    kt__decision        room;
    const kt__decision *d;
    int64_t             sizes[KT_MAX_DIMS];
    int                 rank;
    if (!(d = kt__resolve_in_body(call, &room)) || kt__check_out(call, (kt_dtype)d->result, KT_NONE) ||
        kt__broadcast((kt_tensor *[]){call->arg[0].t, call->arg[1].t}, 2, sizes, &rank) || kt__refuse(call, STAGE_AFTER))
        return kt_error_status();
    kt_tensor *self = call->arg[0].t, *wide = NULL, *exponent = NULL, *power = NULL, *product = NULL, *scaled = NULL;
    const bool real = kt_dtype_category((kt_dtype)self->dtype) == KT_CAT_FLOAT;
    kt_status  status = kt__convert_inside(self, real ? KT_F64 : KT_C128, KT_WHY_PROMOTION, &wide);
    if (!status)
        status = kt__convert_inside(call->arg[1].t, KT_F64, KT_WHY_PROMOTION, &exponent); /* no policy: no promotion of self */
    if (!status)
        status = kt__call1(KT_OP_exp2, exponent, &power);
    if (!status)
        status = kt__call2(KT_OP_mul, wide, power, &product);
    if (!status)
        status = kt__convert_inside(product, (kt_dtype)d->result, KT_WHY_RESULT, &scaled);
    kt__unref(wide);
    kt__unref(exponent);
    kt__unref(power);
    kt__unref(product);
    return kt__end_made(call, scaled, self, status);
}

kt_status kt__body_ldexp(kt_call *call)
{
    const int base = kt_dtype_category((kt_dtype)call->arg[0].t->dtype);
    const int by = kt_dtype_category((kt_dtype)call->arg[1].t->dtype);
    if ((base & (KT_CAT_FLOAT | KT_CAT_COMPLEX) && by == KT_CAT_INT) || (base == KT_CAT_FLOAT && by == KT_CAT_BOOL))
        return scale_exactly(call);
    kt_call c;
    kt__open(&c, KT_OP_pow_base, KT_PLAIN);
    kt__put_either(&c, 0, KT_FLOAT(2.0));
    kt__put_tensor(&c, 1, call->arg[1].t);
    if (kt_call_run(&c))
        return kt_error_status();
    kt_tensor *product = NULL;
    kt_status  status = kt__call2(KT_OP_mul, call->arg[0].t, c.out[0], &product);
    kt__unref(c.out[0]);
    if (!status && call->form == KT_INPLACE)
        status = kt__check_out(call, (kt_dtype)product->dtype, KT_NONE);
    return kt__end_made(call, product, NULL, status);
}

kt_status kt__body_frexp(kt_call *call)
{
    kt_tensor *self = call->arg[0].t, *mantissa = NULL, *exponent = NULL;
    kt_status status = kt__call1(KT_OP_frexp_mantissa, self, &mantissa);
    status = status ? status : kt__call1(KT_OP_frexp_exponent, self, &exponent);
    if (!status) {
        kt_tensor *whole = NULL;
        status = kt_convert(exponent, KT_I32, KT_WHY_RESULT, &whole);
        kt__unref(exponent);
        exponent = whole;
    }
    if (!status && kt__is_contiguous(self)) { /* made like self, down to the strides of dims of one element */
        memcpy(mantissa->strides, self->strides, self->ndim * sizeof *self->strides);
        memcpy(exponent->strides, self->strides, self->ndim * sizeof *self->strides);
    }
    status = status ? status : kt__end_several(call, (kt_tensor *[]){mantissa, exponent}, 2);
    kt__unref(mantissa);
    kt__unref(exponent);
    return status;
}
