/* likelihood.c - losses that are negative log likelihoods, of a normal and of a Poisson distribution and of labels. In: calls of
 * their rows. Out: each element's loss, their mean or their sum. */
#include <math.h>
#include <string.h>

#include "call/check.h"
#include "call/policy.h"
#include "ops/loss/loss.h"

/* ---- labels that are 1 or -1 ---- */

static kt_status check_spread(const kt_tensor *input, const kt_tensor *target)
{
    int64_t sizes[KT_MAX_DIMS];
    int     rank = 0;
    if (kt__broadcast((kt_tensor *[]){(kt_tensor *)(uintptr_t)input, (kt_tensor *)(uintptr_t)target}, 2, sizes, &rank))
        return kt_error_status();
    bool same = rank == input->ndim;
    for (int d = 0; d < rank && same; d++)
        same = sizes[d] == input->sizes[d];
    return same ? KT_OK
                : kt_fail(KT_ERR_RUNTIME, "output with shape %s doesn't match the broadcast shape %s", KT__SIZES_TEXT(input),
                          KT__SHAPE_TEXT((kt_shape){rank, sizes}));
}

kt_status kt__body_soft_margin_loss(kt_call *call)
{
    enum { INPUT, TARGET, REDUCTION };
    KT_SCOPE;
    kt_tensor     *x = call->arg[INPUT].t, *target = call->arg[TARGET].t, *against = kt_neg(x);
    const unsigned category = kt__dtype_rows[x->dtype].category;
    if (!against || check_spread(x, target) || kt__allow_joined(call))
        return kt_error_status();
    if (category < KT_CAT_FLOAT)
        return kt__fail_dtype(call, KT_ERR_RUNTIME, "result type Float can't be cast to the desired output type %s",
                              kt_dtype_torch_name((kt_dtype)x->dtype));
    kt_tensor *each = kt__converted_inside(kt_log1p(kt_exp(kt_mul(against, target))), (kt_dtype)x->dtype, KT_WHY_RESULT);
    return kt__end(call, kt__reduced(each, (kt__reduction)kt__arg_int(call, REDUCTION)));
}

kt_status kt__body_soft_margin_loss_backward(kt_call *call)
{
    enum { GRAD, INPUT, TARGET, REDUCTION };
    KT_SCOPE;
    kt_tensor *g = call->arg[GRAD].t, *x = call->arg[INPUT].t, *target = call->arg[TARGET].t;
    kt_tensor *z = kt_exp(kt_mul(kt_neg(target), x)), *slope = NULL;
    if (z) /* the target as it is: a uint8 has no minus */
        slope = kt_neg(kt_true_divide(kt_mul(target, z), kt_add_s(z, KT_INT(1))));
    if (kt__arg_int(call, REDUCTION) == REDUCE_MEAN)
        slope = kt_true_divide_s(slope, KT_INT(x->numel));
    return kt__end(call, kt_mul(slope, g));
}

kt_status kt__body_nn_soft_margin_loss(kt_call *call)
{
    KT_SCOPE;
    kt__reduction how;
    if (kt__reduction_of(call, (kt__reduction_args){2, 3, 4}, &how) ||
        kt__no_slope(call->arg[1].t, "soft_margin_loss", "target"))
        return kt_error_status();
    kt_tensor *loss = kt_soft_margin_loss(call->arg[0].t, call->arg[1].t, .reduction = KT_SOME((int64_t)how));
    if (kt__wants_grad(loss) && kt__dtype_rows[loss->dtype].category == KT_CAT_COMPLEX)
        return kt__fail_dtype(call, KT_ERR_RUNTIME,
                              "soft_margin_loss does not support automatic differentiation for outputs with complex dtype.");
    return kt__end(call, loss);
}

/* ---- labels that are 0 or 1 ---- */

/* The words of functions that are written in Python and check reduction= themselves. */
static kt_status end_checked(kt_call *call, kt_tensor *each, const char *word)
{
    if (strcmp(word, "none") == 0)
        return kt__end(call, each);
    return kt__end(call, strcmp(word, "mean") == 0 ? kt_mean(each) : kt_sum(each));
}

static kt_status check_word(const char *word)
{
    return strcmp(word, "none") == 0 || strcmp(word, "mean") == 0 || strcmp(word, "sum") == 0
               ? KT_OK
               : kt_fail(KT_ERR_VALUE, "%s is not valid", word);
}

kt_status kt__body_nn_multilabel_soft_margin_loss(kt_call *call)
{
    enum { INPUT, TARGET, WEIGHT, SIZE_AVERAGE, REDUCE, REDUCTION };
    static const char *const words[] = {[REDUCE_NONE] = "none", [REDUCE_MEAN] = "mean", [REDUCE_SUM] = "sum"};
    KT_SCOPE;
    const kt__reduction_args at = {SIZE_AVERAGE, REDUCE, REDUCTION};
    kt_tensor               *x = call->arg[INPUT].t, *target = call->arg[TARGET].t;
    const char              *word = kt__arg(call, REDUCTION)->str;
    kt__reduction            how;
    if (kt__reduction_old(call, at)) {
        if (kt__reduction_of(call, at, &how))
            return kt_error_status();
        word = words[how];
    }
    if (kt__allow_joined(call))
        return kt_error_status();
    kt_tensor *right = kt_mul(target, kt_log_sigmoid(x));
    kt_tensor *wrong = right ? kt_mul(kt_rsub_s(target, KT_INT(1)), kt_log_sigmoid(kt_neg(x))) : NULL;
    kt_tensor *loss = kt_neg(kt_add(right, wrong));
    if (kt__given(call, WEIGHT))
        loss = kt_mul(loss, call->arg[WEIGHT].t);
    if (x->ndim == 0)
        return kt_fail(KT_ERR_INDEX, "Dimension specified as -1 but tensor has no dimensions");
    loss = kt_true_divide_s(kt_sum_dim(loss, KT_SHAPE(x->ndim - 1)), KT_INT(x->sizes[x->ndim - 1]));
    return !loss || check_word(word) ? kt_error_status() : end_checked(call, loss, word);
}

/* ---- a normal distribution ---- */

/* Sizes that spread over the input's along one dim at most. */
static bool spreads_along_one(const kt_tensor *var, const kt_tensor *input)
{
    int spread = 0, apart = 0;
    for (int d = 0; d < input->ndim && var->ndim == input->ndim; d++) {
        apart += var->sizes[d] != input->sizes[d];
        spread += var->sizes[d] != input->sizes[d] && var->sizes[d] == 1;
    }
    return var->ndim == input->ndim && apart == spread && spread <= 1;
}

/* One variance for each input, for each row of them, or for all along one dim. */
static kt_tensor *spread_variance(kt_tensor *var, const kt_tensor *input)
{
    const int rank = input->ndim;
    if (spreads_along_one(var, input))
        return var;
    if (rank && var->ndim == rank - 1 && memcmp(var->sizes, input->sizes, (rank - 1) * sizeof *var->sizes) == 0)
        return kt_unsqueeze(var, -1);
    kt_fail(KT_ERR_VALUE, "var is of incorrect size");
    return NULL;
}

/* Not below eps; the gradient passes all the same. */
static kt_tensor *clamped(kt_tensor *var, double eps)
{
    var = kt_clone(var);
    KT_NO_GRAD;
    return kt_clamp_min_s_(var, KT_FLOAT(eps));
}

kt_status kt__body_nn_gaussian_nll_loss(kt_call *call)
{
    enum { INPUT, TARGET, VAR, FULL, EPS, REDUCTION };
    KT_SCOPE;
    kt_tensor   *x = call->arg[INPUT].t, *target = call->arg[TARGET].t, *var;
    const char  *word = kt__arg(call, REDUCTION)->str;
    const bool   number = call->scalars >> VAR & 1;
    const double half_log = 0.5 * log(2 * 3.14159265358979323846);
    if (number) {
        const kt_scalar s = call->arg[VAR].s;
        if (kt__as_double(s) < 0)
            return kt_fail(KT_ERR_VALUE, "var has negative entry/entries");
        var = kt_mul_s(kt_ones_like(x), s);
    } else {
        kt_tensor *below = kt_lt_s(call->arg[VAR].t, KT_INT(0));
        var = call->arg[VAR].t;
        if (!below || kt__check_range(&below, 1, &(kt__range){.low = KT_INT(0), .high = KT_INT(0), .says = {KT_FAULT_VARIANCE}}))
            return kt_error_status();
    }
    if (!var || !(var = spread_variance(var, x)) || check_word(word) || kt__allow_joined(call))
        return kt_error_status();
    kt_tensor *t[] = {x, target, var}; /* a difference of bools is refused, and a bound in what is no float */
    const bool refused = kt__any_is(t, 2, KT_CAT_BOOL) || kt__any_is(t + 2, 1, KT_CAT_BOOL | KT_CAT_INT);
    if (refused && kt__is_mix(t, 3) && kt__cast_together(t, 3))
        return kt_error_status();
    x = t[0], target = t[1], var = t[2];
    var = clamped(var, kt__arg(call, EPS)->f);
    kt_tensor *loss = kt_add(kt_log(var), kt_true_divide(kt_pow_s(kt_sub(x, target), KT_INT(2)), var));
    loss = kt_mul_s(loss, KT_FLOAT(0.5));
    return end_checked(call, kt__arg_bool(call, FULL) ? kt_add_s(loss, KT_FLOAT(half_log)) : loss, word);
}

/* ---- a Poisson distribution ---- */

kt_status kt__body_poisson_nll_loss(kt_call *call)
{
    enum { INPUT, TARGET, LOG_INPUT, FULL, EPS, REDUCTION };
    KT_SCOPE;
    kt_tensor *x = call->arg[INPUT].t, *n = call->arg[TARGET].t;
    kt_tensor *loss = kt__arg_bool(call, LOG_INPUT)
                          ? kt_sub(kt_exp(x), kt_mul(n, x))
                          : kt_sub(x, kt_mul(n, kt_log(kt_add_s(x, KT_FLOAT(kt__arg(call, EPS)->f)))));
    if (kt__arg_bool(call, FULL)) { /* Stirling's approximation of log(n!) */
        kt_tensor *most = kt_sub(kt_mul(n, kt_log(n)), n);
        kt_tensor *rest = kt_mul_by_number_s(kt_log(kt_mul_by_number_s(n, KT_FLOAT(2 * 3.14159265358979323846))), KT_FLOAT(0.5));
        kt_tensor *more = kt_masked_fill(kt_add(most, rest), kt_le_s(n, KT_INT(1)), KT_INT(0));
        loss = loss && more ? kt_add_(loss, more) : NULL; /* which keeps the loss's dtype */
    }
    const int64_t how = kt__arg_int(call, REDUCTION);
    return kt__end(call, kt__reduced(loss, how == REDUCE_MEAN || how == REDUCE_SUM ? (kt__reduction)how : REDUCE_NONE));
}

kt_status kt__body_nn_poisson_nll_loss(kt_call *call)
{
    enum { INPUT, TARGET, LOG_INPUT, FULL, SIZE_AVERAGE, EPS, REDUCE, REDUCTION };
    KT_SCOPE;
    kt__reduction how;
    if (kt__reduction_of(call, (kt__reduction_args){SIZE_AVERAGE, REDUCE, REDUCTION}, &how))
        return kt_error_status();
    return kt__end(call, kt_poisson_nll_loss(call->arg[INPUT].t, call->arg[TARGET].t, kt__arg_bool(call, LOG_INPUT),
                                             kt__arg_bool(call, FULL), kt__arg(call, EPS)->f, (int64_t)how));
}
