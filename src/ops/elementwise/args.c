/* args.c - what a row's own arguments change about it: alpha=, rounding_mode=, eps=, min= and max=. The column `kernel` of a row
 * lists arguments that are parameters of the kernel, or names a function kt__args_* here ("by alpha").
 * In: the call's arguments. Out: the kernel, its scalar parameters, the dtype rule. */
#include <math.h>
#include <string.h>

#include "call/call.h"
#include "call/refuse.h"
#include "call/target.h"
#include "tables/kernels/elementwise.h"

/* ---- parameters ---- */

static bool is_exact(kt_dtype d) { return kt__dtype_rows[d].category & (KT_CAT_BOOL | KT_CAT_INT); }

static void param(kt__gathered *g, kt_scalar value) { g->param[g->n_param++] = value; }

void kt__push_param(kt__gathered *g, double value) { param(g, KT_FLOAT(value)); }

/* For kernels in which PyTorch compares with the rounded element, not with the number itself. */
void kt__push_param_rounded(kt__gathered *g, kt_scalar s, kt_dtype d)
{
    unsigned char element[16] __attribute__((aligned(16)));
    kt_scalar_store(element, d, s);
    param(g, kt_scalar_load(element, d));
}

void kt__push_param_rounded_int(kt__gathered *g, kt_scalar s, kt_dtype d)
{
    if (is_exact(d))
        kt__push_param_rounded(g, s, d);
    else
        kt__push_param(g, kt__as_double(s));
}

kt_status kt__argument_fits(const kt_call *call, int at, kt_dtype d)
{
    return kt__holds(kt__arg_scalar(call, at), d) ? KT_OK : kt__fail_overflow(call, d);
}

static kt_status fit_listed(const kt_call *call, const kt__gathered *g, kt_dtype common)
{
    (void)g;
    for (int i = 0; i < call->row->n_params; i++) {
        const kt__param *one = &call->row->params[i];
        const kt_dtype   among = one->fit == PARAM_FIT_COMPUTE ? kt__arithmetic_of(common) : common;
        if (one->fit != PARAM_FIT_ANY && kt__argument_fits(call, one->at, among))
            return kt_error_status();
    }
    return KT_OK;
}

kt_status kt__args_listed(const kt_call *call, kt__gathered *g)
{
    const kt_dtype d = (kt_dtype)g->dtype[0];
    for (int i = 0; i < call->row->n_params; i++) {
        const kt__param *one = &call->row->params[i];
        if (one->at < 0)
            kt__push_param(g, one->value);
        else if (one->as == PARAM_AS_ROUNDED)
            kt__push_param_rounded(g, kt__arg_scalar(call, one->at), d);
        else if (one->as == PARAM_AS_ROUNDED_INT)
            kt__push_param_rounded_int(g, kt__arg_scalar(call, one->at), d);
        else
            kt__push_param(g, kt__as_double(kt__arg_scalar(call, one->at)));
        if (one->fit != PARAM_FIT_ANY)
            g->fit = fit_listed;
    }
    return KT_OK;
}

/* ---- functions of the rows that say `by` ---- */

static bool is_one(kt_scalar s)
{
    return s.kind == KT_SCALAR_FLOAT || s.kind == KT_SCALAR_COMPLEX ? s.v.re == 1.0 && s.im == 0.0 : s.v.i == 1;
}

kt_status kt__args_rounding_mode(const kt_call *call, kt__gathered *g)
{
    const char *mode = kt__given(call, 2) ? call->arg[2].str : NULL;
    if (!mode)
        return KT_OK;
    bool trunc = strcmp(mode, "trunc") == 0;
    if (!trunc && strcmp(mode, "floor") != 0)
        return kt_fail(KT_ERR_RUNTIME,
                       "div expected rounding_mode to be one of None, 'trunc', or 'floor' but found '%s'", mode);
    g->rule = RULE_PROMOTE;
    g->accepts &= (uint8_t)~KT_CAT_COMPLEX;
    g->kernel = trunc ? KT_K_div_trunc : KT_K_div_floor;
    g->missing = trunc ? "div_trunc_cpu" : "div_floor_cpu";
    if (trunc) /* for a number PyTorch does not round the quotient to a narrow dtype before truncating */
        param(g, KT_INT(!g->t[1] || g->t[1]->ndim == 0));
    return KT_OK;
}

static bool is_complex(uint8_t d) { return kt__dtype_rows[d].category == KT_CAT_COMPLEX; }

/* Scalar bounds: PyTorch handles them on a separate path with its own messages; for a floating tensor they have its dtype. */
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
        return kt__check_out(call, own, KT_NONE) ? kt_error_status() : kt__fail_overflow(call, g->n == 3 ? KT_F64 : own);
    const kt_dtype common = kt__common_dtype(g, 0, mode, &status);
    if (status)
        return status;
    if (kt__refuse_known(call, g, common))
        return kt_error_status();
    for (int i = 1; i < 3 && !is_complex(common); i++) /* complex ones are refused by the resolver */
        if (call->given & call->scalars & 1u << i && !kt__holds(call->arg[i].s, common))
            return kt__fail_overflow(call, common);
    return KT_OK;
}

/* A scalar choice of `where` becomes a tensor of the result's dtype. */
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

kt_status kt__args_bounds(const kt_call *call, kt__gathered *g)
{
    bool min = kt__given(call, 1), max = kt__given(call, 2);
    if (!min && !max)
        return kt_fail(KT_ERR_RUNTIME, "torch.clamp: At least one of 'min' or 'max' must not be None");
    g->kernel = min && max ? KT_K_clamp_tensor : min ? KT_K_maximum : KT_K_minimum;
    /* As in PyTorch, one bound that is a NaN by number is none; clamp_min and clamp_max, and two bounds, take it for one. */
    if (g->n == 2 && !g->t[1] && g->s[1].kind == KT_SCALAR_FLOAT && isnan(g->s[1].v.re))
        g->kernel = min ? KT_K_fmax : KT_K_fmin;
    if (g->n == 2 && g->t[1])
        g->missing = min ? "maximum_cpu" : "minimum_cpu";
    return numbers_as_bounds(call, g);
}

kt_status kt__args_bound(const kt_call *call, kt__gathered *g)
{
    if (g->t[1])
        g->missing = g->kernel == KT_K_maximum ? "maximum_cpu" : "minimum_cpu";
    return numbers_as_bounds(call, g);
}

/* self and end must have one dtype; a 0-dim weight is promoted with them, one with dims must match too, and a number must fit. */
kt_status kt__args_weight(const kt_call *call, kt__gathered *g)
{
    const bool real = kt__dtype_rows[g->dtype[0]].category == KT_CAT_FLOAT;
    if (g->t[2]) {
        g->missing = "lerp_kernel_tensor";
        g->exact = 0xff; /* PyTorch rounds a 0-dim weight to the dtype of self */
    }
    if (g->t[2] && g->rank[2] != RANK_DIM && g->dtype[0] == g->dtype[1])
        g->rule = RULE_PROMOTE;
    const kt_dtype arithmetic = kt__arithmetic_of((kt_dtype)g->dtype[0]);
    if (!g->t[2] && real && g->dtype[0] == g->dtype[1] && !kt__holds(g->s[2], arithmetic))
        return kt__fail_overflow(call, arithmetic);
    return KT_OK;
}

kt_status kt__args_replacements(const kt_call *call, kt__gathered *g)
{
    kt_finfo f = {.max = 0};
    if (kt__dtype_rows[g->dtype[0]].category & (KT_CAT_FLOAT | KT_CAT_COMPLEX))
        kt_dtype_finfo((kt_dtype)g->dtype[0], &f);
    const double defaults[3] = {0.0, f.max, f.min};
    for (int i = 0; i < 3; i++)
        kt__push_param(g, kt__given(call, 1 + i) ? call->arg[1 + i].f : defaults[i]);
    return KT_OK;
}

/* A number with an imaginary part does not fit real operands: the part would be lost silently. */
static bool fits_reals(kt_scalar s, kt_dtype among)
{
    return s.kind != KT_SCALAR_COMPLEX || s.im == 0 || kt__dtype_rows[among].category == KT_CAT_COMPLEX;
}

/* Exponents with a kernel of their own, more accurate than pow. Bools and integers use pow except for the square; float16
 * square roots use pow too, so that -0 and -inf give 0 and inf. */
kt_status kt__args_exponent(const kt_call *call, kt__gathered *g)
{
    kt_scalar e = call->arg[1].s;
    int       category = kt__dtype_rows[g->dtype[0]].category;
    if (!(call->scalars >> 1 & 1) || (e.kind == KT_SCALAR_COMPLEX && (e.im != 0 || category != KT_CAT_COMPLEX)))
        return KT_OK;
    double    power = e.kind == KT_SCALAR_FLOAT || e.kind == KT_SCALAR_COMPLEX ? e.v.re : (double)e.v.i;
    bool      inexact = category & (KT_CAT_FLOAT | KT_CAT_COMPLEX), roots = g->dtype[0] != KT_F16;
    if (!inexact && e.kind == KT_SCALAR_INT && !e.is_unsigned && e.v.i < 0)
        return kt__fail_dtype(call, KT_ERR_RUNTIME, "Integers to negative integer powers are not allowed.");
    const bool narrow = category == KT_CAT_FLOAT && kt_dtype_size((kt_dtype)g->dtype[0]) < 4;
    const bool counts = category & KT_CAT_INT && e.kind == KT_SCALAR_INT;
    if ((narrow || counts) && !kt__holds(e, (kt_dtype)g->dtype[0]))
        return kt__fail_overflow(call, (kt_dtype)g->dtype[0]);
    int       kernel = power == 2.0    ? KT_K_square
                       : !inexact      ? 0
                       : power == -1.0 ? KT_K_reciprocal
                       : power == 1.0  ? KT_K_identity
                       : power == 3.0  ? KT_K_cube
                       : power == -2.0 ? KT_K_reciprocal_square
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

/* x rounded to the dtype. */
static double rounded_to(double x, kt_dtype d)
{
    char room[16];
    if (kt__dtype_rows[d].category != KT_CAT_FLOAT)
        return x;
    kt_scalar_store(room, d, KT_FLOAT(x));
    return kt_scalar_load(room, d).v.re;
}

/* p0: where a loss turns from quadratic to linear; p1: the factor of the square, or of the difference in its gradient;
 * p2: that of the linear part, which mse does not have. The gradient of a mean is divided by the number of elements. */
kt_status kt__args_bend(const kt_call *call, kt__gathered *g)
{
    const int    id = call->row->id;
    const bool   back = g->n == 3, square = id == KT_OP_mse_loss_backward;
    const bool   smooth = id == KT_OP_smooth_l1_loss || id == KT_OP_smooth_l1_loss_backward;
    const bool   mean = back && kt__arg_int(call, 3) == 1;
    const kt_dtype narrow = (kt_dtype)g->dtype[back]; /* PyTorch rounds the factors of the gradient to the input's dtype */
    const double at = square ? INFINITY : kt__arg(call, 3 + back)->f;
    const double share = mean ? 1.0 / (double)g->t[1]->numel : 1;
    const double curve = square ? 2 : (smooth ? 1 / at : 1) * (back ? 1 : 0.5);
    const double straight = square ? INFINITY : smooth ? 1 : at;
    kt__push_param(g, at);
    kt__push_param(g, back ? rounded_to(curve * share, narrow) : curve);
    kt__push_param(g, back ? rounded_to(straight * share, narrow) : straight);
    return KT_OK;
}

static bool is_float(kt_dtype d) { return kt__dtype_rows[d].category == KT_CAT_FLOAT; }

/* Size mismatches are reported first. */
static kt_status fail_overflow_of_shaped(const kt_call *call, const kt__gathered *g, kt_dtype d)
{
    return kt__check_shapes(call, g) ? kt_error_status() : kt__fail_overflow(call, d);
}

static kt_status fit_alpha(const kt_call *call, const kt__gathered *g, kt_dtype common)
{
    if (kt__refuse_known(call, g, common))
        return kt_error_status();
    const bool fits = kt__dtype_rows[common].category == KT_CAT_COMPLEX || kt__holds(g->param[0], common);
    return fits ? KT_OK : fail_overflow_of_shaped(call, g, common);
}

kt_status kt__args_alpha(const kt_call *call, kt__gathered *g)
{
    if (!kt__given(call, 2) || (is_one(call->arg[2].s) && call->arg[2].s.kind == KT_SCALAR_INT))
        return KT_OK;
    g->kernel = g->kernel == KT_K_add ? KT_K_add_scaled : KT_K_sub_scaled;
    g->fit = fit_alpha;
    param(g, call->arg[2].s);
    return KT_OK;
}

static kt_status fit_factor(const kt_call *call, const kt__gathered *g, kt_dtype common)
{
    const bool is_int = kt__dtype_rows[common].category == KT_CAT_INT;
    const bool fits = fits_reals(g->param[0], common) && (!is_int || kt_scalar_fits(g->param[0], common)) &&
                      (!is_float(common) || kt__holds(g->param[0], kt__arithmetic_of(common)));
    return fits ? KT_OK : fail_overflow_of_shaped(call, g, kt__arithmetic_of(common));
}

kt_status kt__args_factor(const kt_call *call, kt__gathered *g)
{
    param(g, kt__arg_scalar(call, 3));
    g->fit = fit_factor;
    return KT_OK;
}

kt_status kt__args_decimals(const kt_call *call, kt__gathered *g)
{
    if (!kt__arg_int(call, 1))
        return KT_OK;
    g->kernel = KT_K_round_decimals;
    g->missing = "round_cpu";
    param(g, KT_INT(kt__arg_int(call, 1)));
    return KT_OK;
}

kt_status kt__args_eps(const kt_call *call, kt__gathered *g)
{
    kt__push_param(g, kt__given(call, 1) ? call->arg[1].f : 0.0);
    param(g, KT_INT(kt__given(call, 1)));
    return KT_OK;
}

kt_status kt__args_order(const kt_call *call, kt__gathered *g)
{
    const int64_t n = kt__arg_int(call, 1);
    if (n < 0)
        return kt_fail(KT_ERR_RUNTIME, "polygamma(n, x) does not support negative n.");
    if (n < 2)
        g->missing = n ? "trigamma" : "digamma";
    param(g, KT_INT(n));
    return KT_OK;
}

/* PyTorch asks of out= first, then of the condition. */
kt_status kt__args_condition(const kt_call *call, kt__gathered *g)
{
    kt_status status = KT_OK;
    if (call->form == KT_OUT) {
        const kt_dtype common = kt__common_dtype(g, 1, kt__mode(), &status);
        if (status || kt__refuse_known(call, g, common))
            return kt_error_status();
    }
    if (g->dtype[0] == KT_U8)
        KT__WARN_ONCE("where received a uint8 condition tensor. This behavior is deprecated and will be removed in a future "
                      "version of PyTorch. Use a boolean condition instead.");
    return numbers_to_choose(call, g);
}

/* The bits of a bool are one. */
kt_status kt__args_truth(const kt_call *call, kt__gathered *g)
{
    (void)call;
    if (g->dtype[0] == KT_BOOL)
        g->kernel = KT_K_logical_not;
    return KT_OK;
}
