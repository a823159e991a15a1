/* composite.c - operators made of operators: no kernel and no derivative of their own. A body opens a frame (call.c), so
 * errors name the operator that the user wrote. */
#include <string.h>

#include "op/call.h"
#include "op/wrap.h"

kt_status kt__body_positive(kt_call *call)
{
    if (call->arg[0].t->dtype == KT_BOOL)
        return kt__fail_dtype(call, KT_ERR_RUNTIME, "The `+` operator, on a bool tensor is not supported.");
    call->out[0] = kt__ref(call->arg[0].t);
    return KT_OK;
}

kt_status kt__body_square(kt_call *call) { return kt__call2s(KT_OP_pow, call->arg[0].t, KT_INT(2), &call->out[0]); }

/* Always in the widest type: float64, or complex128 where an operand is complex. */
kt_status kt__body_float_power(kt_call *call)
{
    bool number = call->scalars >> 1 & 1;
    int  categories = kt_dtype_category((kt_dtype)call->arg[0].t->dtype);
    if (number)
        categories |= call->arg[1].s.kind == KT_SCALAR_COMPLEX ? KT_CAT_COMPLEX : 0;
    else
        categories |= kt_dtype_category((kt_dtype)call->arg[1].t->dtype);
    kt_dtype   wide = categories & KT_CAT_COMPLEX ? KT_C128 : KT_F64;
    kt_tensor *base = NULL, *exponent = NULL;
    kt_status  status = kt_convert(call->arg[0].t, wide, KT_WHY_PROMOTION, &base);
    if (!status && number)
        status = kt__call2s(KT_OP_pow, base, call->arg[1].s, &call->out[0]);
    if (!status && !number)
        status = kt_convert(call->arg[1].t, wide, KT_WHY_PROMOTION, &exponent);
    if (!status && !number)
        status = kt__call2(KT_OP_pow, base, exponent, &call->out[0]);
    kt__unref(base);
    kt__unref(exponent);
    return status;
}

/* A float times 2 to an integer keeps its dtype. In float64 between: neither the power nor the product can overflow there
 * where the result does not. */
static kt_status scale_exactly(kt_call *call)
{
    kt_tensor *self = call->arg[0].t, *wide = NULL, *exponent = NULL, *power = NULL, *product = NULL;
    kt_status  status = kt_convert(self, KT_F64, KT_WHY_EXPLICIT, &wide);
    if (!status)
        status = kt_convert(call->arg[1].t, KT_F64, KT_WHY_PROMOTION, &exponent);
    if (!status)
        status = kt__call1(KT_OP_exp2, exponent, &power);
    if (!status)
        status = kt__call2(KT_OP_mul, wide, power, &product);
    if (!status)
        status = kt_convert(product, (kt_dtype)self->dtype, KT_WHY_EXPLICIT, &call->out[0]);
    if (!status)
        call->out[0]->lineage = self->lineage;
    kt__unref(wide);
    kt__unref(exponent);
    kt__unref(power);
    kt__unref(product);
    return status;
}

kt_status kt__body_ldexp(kt_call *call)
{
    if (kt_dtype_category((kt_dtype)call->arg[0].t->dtype) == KT_CAT_FLOAT &&
        kt_dtype_category((kt_dtype)call->arg[1].t->dtype) == KT_CAT_INT)
        return scale_exactly(call);
    kt_call c;
    kt__open(&c, KT_OP_pow_base, KT_PLAIN);
    kt__put_either(&c, 0, KT_FLOAT(2.0));
    kt__put_tensor(&c, 1, call->arg[1].t);
    if (kt_call_run(&c))
        return kt_error_status();
    kt_status status = kt__call2(KT_OP_mul, call->arg[0].t, c.out[0], &call->out[0]);
    kt__unref(c.out[0]);
    return status;
}

/* ---- matmul: which product it is depends on the ranks ---- */

static kt_status call_ints(int op, kt_tensor *t, kt_shape ints, kt_tensor **result)
{
    kt_call c;
    kt__open(&c, op, KT_PLAIN);
    kt__put_tensor(&c, 0, t);
    kt__put(&c, 1, ints, ints);
    if (kt_call_run(&c))
        return kt_error_status();
    *result = c.out[0];
    return KT_OK;
}

static kt_status call_int(int op, kt_tensor *t, int64_t i, kt_tensor **result)
{
    kt_call c;
    kt__open(&c, op, KT_PLAIN);
    kt__put_tensor(&c, 0, t);
    kt__put(&c, 1, i, i);
    if (kt_call_run(&c))
        return kt_error_status();
    *result = c.out[0];
    return KT_OK;
}

/* Replaces *t by op(*t); on failure *t is gone and the status says so. */
static kt_status then_ints(kt_tensor **t, int op, kt_shape ints)
{
    kt_tensor *next = NULL;
    kt_status  status = call_ints(op, *t, ints, &next);
    kt__unref(*t);
    *t = next;
    return status;
}

static kt_status row_times_matrix(kt_tensor *a, kt_tensor *b, kt_tensor **out)
{
    kt_tensor *row = NULL, *product = NULL;
    kt_status  status = call_int(KT_OP_unsqueeze, a, 0, &row);
    if (!status)
        status = kt__call2(KT_OP_mm, row, b, &product);
    kt__unref(row);
    if (!status)
        status = call_ints(KT_OP_squeeze_dim, product, KT_SHAPE(0), out);
    kt__unref(product);
    return status;
}

/* A batch times one matrix or vector is one larger product. */
static kt_status folded(kt_tensor *a, kt_tensor *b, kt_tensor **out)
{
    int64_t    sizes[KT_MAX_DIMS], rows = 1, n = a->ndim - 1, k = a->sizes[a->ndim - 1];
    kt_tensor *flat = NULL;
    for (int i = 0; i < n; i++)
        rows *= sizes[i] = a->sizes[i];
    kt_status status = call_ints(KT_OP_reshape, a, KT_SHAPE(rows, k), &flat);
    if (status)
        return status;
    status = kt__call2(b->ndim == 2 ? KT_OP_mm : KT_OP_mv, flat, b, out);
    kt__unref(flat);
    if (b->ndim == 2)
        sizes[n++] = b->sizes[1];
    return status ? status : then_ints(out, KT_OP_view, (kt_shape){n, sizes});
}

static kt_status batched(kt_tensor *a, kt_tensor *b, kt_tensor **out)
{
    int64_t    batch[KT_MAX_DIMS], full[KT_MAX_DIMS];
    int        rank = 0;
    bool       row = a->ndim == 1, column = b->ndim == 1;
    int64_t    m = row ? 1 : a->sizes[a->ndim - 2], k = a->sizes[a->ndim - 1];
    int64_t    kb = column ? b->sizes[0] : b->sizes[b->ndim - 2], p = column ? 1 : b->sizes[b->ndim - 1];
    kt_tensor *x = NULL, *y = NULL;
    kt_tensor  lead[2]; /* stand-ins that carry the leading sizes alone */
    kt_tensor *leads[2] = {&lead[0], &lead[1]};
    lead[0].ndim = (uint8_t)(row ? 0 : a->ndim - 2);
    lead[0].sizes = a->sizes;
    lead[1].ndim = (uint8_t)(column ? 0 : b->ndim - 2);
    lead[1].sizes = b->sizes;
    if (kt__broadcast(leads, 2, batch, &rank))
        return kt_error_status();
    int64_t count = 1;
    for (int i = 0; i < rank; i++)
        count *= full[i] = batch[i];
    kt_status status = row ? call_int(KT_OP_unsqueeze, a, 0, &x) : (x = kt__ref(a), KT_OK);
    if (!status)
        status = column ? call_int(KT_OP_unsqueeze, b, 1, &y) : (y = kt__ref(b), KT_OK);
    full[rank] = m;
    full[rank + 1] = k;
    if (!status)
        status = then_ints(&x, KT_OP_expand, (kt_shape){rank + 2, full});
    if (!status)
        status = then_ints(&x, KT_OP_reshape, KT_SHAPE(count, m, k));
    full[rank] = kb;
    full[rank + 1] = p;
    if (!status)
        status = then_ints(&y, KT_OP_expand, (kt_shape){rank + 2, full});
    if (!status)
        status = then_ints(&y, KT_OP_reshape, KT_SHAPE(count, kb, p));
    if (!status)
        status = kt__call2(KT_OP_bmm, x, y, out);
    kt__unref(x);
    kt__unref(y);
    if (!row)
        full[rank++] = m;
    if (!column)
        full[rank++] = p;
    return status ? status : then_ints(out, KT_OP_view, (kt_shape){rank, full});
}

kt_status kt__body_matmul(kt_call *call)
{
    kt_tensor *a = call->arg[0].t, *b = call->arg[1].t, **out = &call->out[0];
    if (a->ndim == 0 || b->ndim == 0)
        return kt_fail(KT_ERR_RUNTIME, "both arguments to matmul need to be at least 1D, but they are %dD and %dD",
                       a->ndim, b->ndim);
    if (a->ndim == 1 && b->ndim == 1)
        return kt__call2(KT_OP_dot, a, b, out);
    if (a->ndim == 2 && b->ndim == 1)
        return kt__call2(KT_OP_mv, a, b, out);
    if (a->ndim == 1 && b->ndim == 2)
        return row_times_matrix(a, b, out);
    if (a->ndim == 2 && b->ndim == 2)
        return kt__call2(KT_OP_mm, a, b, out);
    if (a->ndim >= 3 && b->ndim <= 2)
        return folded(a, b, out);
    return batched(a, b, out);
}
