/* refine.c - what a row's own arguments change about it: alpha=, rounding_mode=, eps=, min= and max=.
 * In: the call's arguments. Out: the kernel, its scalar parameters, the dtype rule. */
#include <math.h>
#include <string.h>

#include "op/call.h"
#include "op/target.h"

kt_dtype kt__dtype_of_number(kt_scalar s)
{
    switch (s.kind) {
    case KT_SCALAR_BOOL: return KT_BOOL;
    case KT_SCALAR_INT: return KT_I64;
    case KT_SCALAR_FLOAT: return kt_get_default_dtype();
    default: return kt_dtype_complex(kt_get_default_dtype());
    }
}

static void param(kt__gathered *g, kt_scalar value) { g->param[g->n_param++] = value; }

static bool is_one(kt_scalar s)
{
    return s.kind == KT_SCALAR_FLOAT || s.kind == KT_SCALAR_COMPLEX ? s.v.re == 1.0 && s.im == 0.0 : s.v.i == 1;
}

static kt_status rounding_mode(const kt_call *call, kt__gathered *g)
{
    const char *mode = kt__given(call, 2) ? call->arg[2].str : NULL;
    if (!mode)
        return KT_OK;
    bool trunc = strcmp(mode, "trunc") == 0;
    if (!trunc && strcmp(mode, "floor") != 0)
        return kt_fail(KT_ERR_RUNTIME,
                       "div expected rounding_mode to be one of None, 'trunc', or 'floor' but found '%s'", mode);
    g->rule = RULE_PROMOTE;
    g->kernel = trunc ? KT_K_div_trunc : KT_K_div_floor;
    if (trunc) /* by a number PyTorch does not round the quotient to a narrow dtype before it cuts it off */
        param(g, KT_INT(!g->t[1] || g->t[1]->ndim == 0));
    return KT_OK;
}

bool kt__holds(kt_scalar s, kt_dtype d)
{
    kt_finfo f;
    if (!kt_scalar_fits(s, d))
        return false;
    if (kt__dtype_rows[d].category != KT_CAT_FLOAT || d == KT_F64 || kt_dtype_finfo(d, &f))
        return true;
    const double x = s.kind == KT_SCALAR_FLOAT || s.kind == KT_SCALAR_COMPLEX ? s.v.re : (double)s.v.i;
    return !isfinite(x) || fabs(x) <= f.max;
}

static bool is_complex(uint8_t d) { return kt__dtype_rows[d].category == KT_CAT_COMPLEX; }

/* Bounds that are numbers: PyTorch has an own way for them, with texts of its own; of a floating tensor they have its dtype. */
static kt_status numbers_as_bounds(const kt_call *call, const kt__gathered *g)
{
    kt_status      status = KT_OK;
    const uint64_t mode = kt__mode();
    if (!call->scalars || kt__policy(mode) == KT_PERMISSIVE)
        return KT_OK;
    const kt_dtype own = (kt_dtype)g->dtype[0];
    bool           imaginary = false;
    for (int i = 1; i < g->n; i++)
        imaginary |= !g->t[i] && g->s[i].kind == KT_SCALAR_COMPLEX && g->s[i].im != 0;
    if (imaginary && call->row->id == KT_OP_clamp && kt_dtype_category(own) == KT_CAT_FLOAT)
        return call->form == KT_OUT && kt__check_exact(call, g, own) ? kt_error_status()
                                                                     : kt__fail_overflow(call, g->n == 3 ? KT_F64 : own);
    const kt_dtype common = kt__common_dtype(g, 0, mode, &status);
    if (status || (call->row->id != KT_OP_clamp && is_complex(common)))
        return status;
    const bool over_self = call->form == KT_INPLACE || (call->form == KT_OUT && call->out[0] == call->arg[0].t);
    if (over_self && !kt_can_cast(common, (kt_dtype)call->arg[0].t->dtype))
        return kt__fail_dtype(call, KT_ERR_RUNTIME, "result type %s can't be cast to the desired output type %s",
                              kt_dtype_torch_name(common), kt_dtype_c_name((kt_dtype)call->arg[0].t->dtype));
    if (is_complex(common)) /* the resolver refuses it */
        return KT_OK;
    if (call->form == KT_OUT && !kt_can_cast(common, (kt_dtype)call->out[0]->dtype))
        return kt__fail_dtype(call, KT_ERR_RUNTIME, "Found dtype %s but expected %s",
                              kt_dtype_torch_name((kt_dtype)call->out[0]->dtype), kt_dtype_torch_name(common));
    for (int i = 1; i < 3; i++)
        if (call->given & call->scalars & 1u << i && !kt__holds(call->arg[i].s, common))
            return kt__fail_overflow(call, common);
    return KT_OK;
}

/* A number that is chosen becomes a tensor of the result's dtype. */
static kt_status numbers_to_choose(const kt_call *call, const kt__gathered *g)
{
    kt_status      status = KT_OK;
    const uint64_t mode = kt__mode();
    if (!call->scalars || kt__policy(mode) == KT_PERMISSIVE)
        return KT_OK;
    const kt_dtype common = kt__common_dtype(g, 1, mode, &status);
    for (int i = 1; i < 3 && !status; i++)
        if (!g->t[i] && !kt_scalar_fits(g->s[i], common))
            return kt__fail_overflow(call, common);
    return status;
}

static kt_status clamp(const kt_call *call, kt__gathered *g)
{
    bool min = kt__given(call, 1), max = kt__given(call, 2);
    if (!min && !max)
        return kt_fail(KT_ERR_RUNTIME, "torch.clamp: At least one of 'min' or 'max' must not be None");
    g->kernel = min && max ? KT_K_clamp_tensor : min ? KT_K_maximum : KT_K_minimum;
    return numbers_as_bounds(call, g);
}

/* self and end must match; a weight of no dims is promoted with them, one of more must match too, and a number must fit. */
static kt_status lerp(const kt_call *call, kt__gathered *g)
{
    const bool real = kt__dtype_rows[g->dtype[0]].category == KT_CAT_FLOAT;
    g->exact = 2;
    if (g->t[2] && g->rank[2] != RANK_DIM && g->dtype[0] == g->dtype[1])
        g->rule = RULE_PROMOTE;
    if (!g->t[2] && real && g->dtype[0] == g->dtype[1] && g->s[2].kind == KT_SCALAR_COMPLEX && g->s[2].im != 0.0)
        return kt__fail_overflow(call, g->dtype[0] == KT_F64 ? KT_F64 : KT_F32);
    return KT_OK;
}

static void nan_to_num(const kt_call *call, kt__gathered *g)
{
    kt_finfo f = {.max = 0};
    if (kt__dtype_rows[g->dtype[0]].category & (KT_CAT_FLOAT | KT_CAT_COMPLEX))
        kt_dtype_finfo((kt_dtype)g->dtype[0], &f);
    const double defaults[3] = {0.0, f.max, f.min};
    for (int i = 0; i < 3; i++)
        param(g, KT_FLOAT(kt__given(call, 1 + i) ? call->arg[1 + i].f : defaults[i]));
}

/* A number with an imaginary part does not fit among reals: it would be lost without a word. */
static bool fits_reals(kt_scalar s, kt_dtype among)
{
    return s.kind != KT_SCALAR_COMPLEX || s.im == 0 || kt__dtype_rows[among].category == KT_CAT_COMPLEX;
}

/* The type that PyTorch takes a number as beside a tensor: narrow floats compute in float. */
static kt_dtype taken_as(kt_dtype d)
{
    return kt__dtype_rows[d].category == KT_CAT_FLOAT && kt_dtype_size(d) < 4 ? KT_F32 : d;
}

/* Powers that have a function of their own, exact where pow is not quite. Those of a bool or an integer go the usual way,
 * but for the square; roots of float16 too, so that -0 and -inf have that of 0 and inf there. */
static kt_status known_power(const kt_call *call, kt__gathered *g)
{
    kt_scalar e = call->arg[1].s;
    int       category = kt__dtype_rows[g->dtype[0]].category;
    if (!(call->scalars >> 1 & 1) || (e.kind == KT_SCALAR_COMPLEX && (e.im != 0 || category != KT_CAT_COMPLEX)))
        return KT_OK;
    double    power = e.kind == KT_SCALAR_FLOAT || e.kind == KT_SCALAR_COMPLEX ? e.v.re : (double)e.v.i;
    bool      inexact = category & (KT_CAT_FLOAT | KT_CAT_COMPLEX), roots = g->dtype[0] != KT_F16;
    if (!inexact && e.kind == KT_SCALAR_INT && !e.is_unsigned && e.v.i < 0)
        return kt__fail_dtype(call, KT_ERR_RUNTIME, "Integers to negative integer powers are not allowed.");
    int       kernel = power == 2.0    ? KT_K_square
                       : !inexact      ? 0
                       : power == -1.0 ? KT_K_reciprocal
                       : power == 1.0  ? KT_K_itself
                       : power == 3.0  ? KT_K_cube
                       : power == -2.0 ? KT_K_over_square
                       : !roots        ? 0
                       : power == 0.5  ? KT_K_sqrt
                       : power == -0.5 ? KT_K_rsqrt
                                       : 0;
    if (kernel) {
        g->kernel = (uint16_t)kernel;
        g->alone = 1;
    }
    return KT_OK;
}

/* The nearest number that a float type has. */
static double held(double x, kt_dtype d)
{
    char room[16];
    if (kt__dtype_rows[d].category != KT_CAT_FLOAT)
        return x;
    kt_scalar_store(room, d, KT_FLOAT(x));
    return kt_scalar_load(room, d).v.re;
}

/* Where a distance stops counting by its square: p0; what the square is multiplied by, or the distance in its slope: p1; and the
 * straight part: p2. Of mse nothing is straight. What flows back from a mean is shared by the elements. */
static void bend(const kt_call *call, kt__gathered *g)
{
    const int    id = call->row->id;
    const bool   back = g->n == 3, square = id == KT_OP_mse_loss_backward;
    const bool   smooth = id == KT_OP_smooth_l1_loss || id == KT_OP_smooth_l1_loss_backward;
    const bool   mean = back && kt__arg_int(call, 3) == 1;
    const kt_dtype narrow = (kt_dtype)g->dtype[back]; /* PyTorch holds the factors of what flows back in the input's dtype */
    const double at = square ? INFINITY : kt__arg(call, 3 + back)->f;
    const double share = mean ? 1.0 / (double)g->t[1]->numel : 1;
    const double curve = square ? 2 : (smooth ? 1 / at : 1) * (back ? 1 : 0.5);
    const double straight = square ? INFINITY : smooth ? 1 : at;
    param(g, KT_FLOAT(at));
    param(g, KT_FLOAT(back ? held(curve * share, narrow) : curve));
    param(g, KT_FLOAT(back ? held(straight * share, narrow) : straight));
}

kt_status kt__refine(const kt_call *call, kt__gathered *g)
{
    switch (call->row->id) {
    case KT_OP_rsub: g->swap = 1; __attribute__((fallthrough));
    case KT_OP_add:
    case KT_OP_sub:
        if (kt__given(call, 2) && !(is_one(call->arg[2].s) && call->arg[2].s.kind == KT_SCALAR_INT)) {
            g->kernel = call->row->id == KT_OP_add ? KT_K_add_scaled : KT_K_sub_scaled;
            param(g, call->arg[2].s);
        }
        return KT_OK;
    case KT_OP_mul:
    case KT_OP_true_divide:
    case KT_OP_div_by_number:
    case KT_OP_mul_by_number:
    case KT_OP_floor_divide: g->exact = 1; return KT_OK;
    case KT_OP_lerp: return lerp(call, g);
    case KT_OP_div: g->exact = 1; return rounding_mode(call, g);
    case KT_OP_pow: return known_power(call, g);
    case KT_OP_clamp: return clamp(call, g);
    case KT_OP_clamp_min:
    case KT_OP_clamp_max: return numbers_as_bounds(call, g);
    case KT_OP_round:
        if (kt__arg_int(call, 1)) {
            g->kernel = KT_K_round_decimals;
            param(g, KT_INT(kt__arg_int(call, 1)));
        }
        return KT_OK;
    case KT_OP_logit:
        param(g, KT_FLOAT(kt__given(call, 1) ? call->arg[1].f : 0.0));
        param(g, KT_INT(kt__given(call, 1)));
        return KT_OK;
    case KT_OP_polygamma_of:
        if (kt__arg_int(call, 1) < 0)
            return kt_fail(KT_ERR_RUNTIME, "polygamma(n, x) does not support negative n.");
        param(g, KT_INT(kt__arg_int(call, 1)));
        return KT_OK;
    case KT_OP_nan_to_num: nan_to_num(call, g); return KT_OK;
    case KT_OP_addcmul:
    case KT_OP_addcdiv: param(g, kt__arg_scalar(call, 3)); return KT_OK;
    case KT_OP_smooth_l1_loss:
    case KT_OP_huber_loss:
    case KT_OP_mse_loss_backward:
    case KT_OP_smooth_l1_loss_backward:
    case KT_OP_huber_loss_backward: bend(call, g); return KT_OK;
    case KT_OP_where:
        if (g->dtype[0] == KT_U8)
            KT__WARN_ONCE("where received a uint8 condition tensor. This behavior is deprecated and will be removed in a future "
                          "version of PyTorch. Use a boolean condition instead.");
        return numbers_to_choose(call, g);
    case KT_OP_abs:
        if (call->form == KT_INPLACE && kt__dtype_rows[g->dtype[0]].category == KT_CAT_COMPLEX)
            return kt__fail_dtype(call, KT_ERR_RUNTIME, "In-place abs is not supported for complex tensors.");
        if (call->form == KT_OUT && call->out[0]->dtype != g->dtype[0] &&
            kt__dtype_rows[g->dtype[0]].category == KT_CAT_COMPLEX &&
            kt__dtype_rows[call->out[0]->dtype].category == KT_CAT_COMPLEX)
            return kt__fail_dtype(call, KT_ERR_RUNTIME, "Found dtype %s but expected %s",
                                  kt_dtype_torch_name((kt_dtype)call->out[0]->dtype), kt_dtype_torch_name((kt_dtype)g->dtype[0]));
        return KT_OK;
    case KT_OP_heaviside:
        if (call->form == KT_OUT && (is_complex(call->out[0]->dtype) || is_complex(g->dtype[0]) || is_complex(g->dtype[1])))
            return kt__fail_dtype(call, KT_ERR_RUNTIME, "heaviside is not yet implemented for complex tensors.");
        if (call->form == KT_OUT && call->out[0]->dtype != g->dtype[0])
            return kt__fail_dtype(call, KT_ERR_RUNTIME, "heaviside is not yet implemented for tensors with different dtypes.");
        return KT_OK;
    case KT_OP_isposinf:
    case KT_OP_isneginf:
    case KT_OP_signbit:
        if (call->form == KT_OUT && call->out[0]->dtype != KT_BOOL && kt__dtype_rows[g->dtype[0]].category != KT_CAT_COMPLEX)
            return kt__fail_dtype(call, KT_ERR_RUNTIME, "%s does not support non-boolean outputs.", call->row->name);
        return KT_OK;
    default: return kt__refine_activation(call, g);
    }
}

kt_status kt__check_params(const kt_call *call, const kt__gathered *g, const kt__decision *d)
{
    const bool factor = call->row->id == KT_OP_addcmul || call->row->id == KT_OP_addcdiv;
    const bool whole = kt__dtype_rows[d->common].category == KT_CAT_INT;
    if (factor && (!fits_reals(g->param[0], (kt_dtype)d->common) || (whole && !kt_scalar_fits(g->param[0], (kt_dtype)d->common))))
        return kt__check_shapes(call, g) ? kt_error_status() : kt__fail_overflow(call, taken_as((kt_dtype)d->common));
    if (!g->n_param || (g->kernel != KT_K_add_scaled && g->kernel != KT_K_sub_scaled))
        return kt__check_activation(call, (kt_dtype)d->common);
    uint32_t kind = g->param[0].kind;
    int      category = kt__dtype_rows[d->common].category;
    if (kind == KT_SCALAR_BOOL && category != KT_CAT_BOOL)
        return kt__fail_dtype(call, KT_ERR_RUNTIME, "Boolean alpha only supported for Boolean results.");
    if ((kind == KT_SCALAR_FLOAT || kind == KT_SCALAR_COMPLEX) && (category & (KT_CAT_BOOL | KT_CAT_INT)))
        return kt__fail_dtype(call, KT_ERR_RUNTIME,
                              "For integral input tensors, argument alpha must not be a floating point number.");
    if (kind == KT_SCALAR_COMPLEX && category != KT_CAT_COMPLEX)
        return kt__fail_dtype(call, KT_ERR_RUNTIME,
                              "For non-complex input tensors, argument alpha must not be a complex number.");
    return KT_OK;
}
