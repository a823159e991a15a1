/* default.c - the steps of optimizers as PyTorch's documentation gives their formulas, operator by operator: the same bits as its
 * default steps on the CPU.
 *
 * In: calls of the rows _step_* of tables/ops/optimizer.def. Out: parameters and states, written in place. Numbers that follow
 * from the number of a step are float64. Independent of: how a chain runs.
 *
 * SGD: I. Sutskever et al. 2013 (Nesterov's momentum); Adam and Adamax: D. P. Kingma and J. Ba 2015; AMSGrad: S. J. Reddi et al.
 * 2018; AdamW: I. Loshchilov and F. Hutter 2019; Adagrad: J. Duchi et al. 2011; Adadelta: M. D. Zeiler 2012; NAdam: T. Dozat
 * 2016; RAdam: L. Liu et al. 2020; RMSprop, centred: A. Graves 2013; ASGD: B. T. Polyak and A. B. Juditsky 1992; Rprop: M.
 * Riedmiller and H. Braun 1993. */
#include <math.h>

#include "ops/optimizer/chain.h"

enum { P = 0 }; /* the parameter's register; states follow, then the gradient */

static double number(const kt_call *call, int arg) { return kt__arg(call, arg)->f; }

/* ---- numbers that may be followed ---- */

static kt__num num(double v) { return (kt__num){v, NULL}; }

/* The option, and the tensor that `followed`, the list before the options, has for it at `place`. */
static kt__num option(const kt_call *call, int arg, int followed, int place)
{
    const kt_value *list = &call->arg[followed];
    kt_tensor      *t = place < list->ts.n ? list->ts.t[place] : NULL;
    if (t && kt__dtype_rows[t->dtype].category != KT_CAT_FLOAT)
        kt_fail(KT_ERR_TYPE, "an option by which a step is differentiated must be a floating point tensor, not %s",
                kt_dtype_torch_name((kt_dtype)t->dtype));
    return (kt__num){number(call, arg), t && t->ndim ? kt_reshape(t, KT_SCALAR) : t};
}

/* The number of a step; where the step is recorded, what follows from it is calculated in its dtype, as in PyTorch. */
static kt__num step_of(const kt_call *call, int steps, int followed, int64_t i, double step)
{
    return (kt__num){step, call->arg[followed].ts.n ? kt_clone(call->arg[steps].ts.t[i]) : NULL};
}

static kt__num scaled(kt__num a, double by) { return (kt__num){a.v * by, a.t ? kt_mul_s(a.t, KT_FLOAT(by)) : NULL}; }
static kt__num negative(kt__num a) { return (kt__num){-a.v, a.t ? kt_neg(a.t) : NULL}; }
static kt__num rest(kt__num a) { return (kt__num){1 - a.v, a.t ? kt_rsub_s(a.t, KT_INT(1)) : NULL}; }
static kt__num root_of(kt__num a) { return (kt__num){pow(a.v, 0.5), a.t ? kt_sqrt(a.t) : NULL}; }
static kt__num power(kt__num a, kt__num by)
{
    kt_tensor *t = NULL;
    if (by.t)
        t = a.t ? kt_pow(a.t, by.t) : kt_pow_base_s(KT_FLOAT(a.v), by.t);
    else if (a.t)
        t = kt_pow_s(a.t, KT_FLOAT(by.v));
    return (kt__num){pow(a.v, by.v), t};
}

static kt__num times(kt__num a, kt__num b)
{
    if (!a.t || !b.t)
        return a.t ? scaled(a, b.v) : (kt__num){a.v * b.v, b.t ? kt_mul_s(b.t, KT_FLOAT(a.v)) : NULL};
    return (kt__num){a.v * b.v, kt_mul(a.t, b.t)};
}

static kt__num quotient(kt__num a, kt__num b)
{
    kt_tensor *t = NULL;
    if (b.t)
        t = a.t ? kt_true_divide(a.t, b.t) : kt_mul_s(kt_reciprocal(b.t), KT_FLOAT(a.v));
    else if (a.t)
        t = kt_true_divide_s(a.t, KT_FLOAT(b.v));
    return (kt__num){a.v / b.v, t};
}

/* ---- links that several have ---- */

static void neg(kt__chain *c, int to, int a) { kt__link(c, KT__LINK_neg, to, a, 0, 0, NONE); }
static void root(kt__chain *c, int to, int a) { kt__link(c, KT__LINK_sqrt, to, a, 0, 0, NONE); }
static void copy(kt__chain *c, int to, int a) { kt__link(c, KT__LINK_copy, to, a, 0, 0, NONE); }
static void mul(kt__chain *c, int to, int a, int b) { kt__link(c, KT__LINK_mul, to, a, b, 0, NONE); }
static void mul_by(kt__chain *c, int to, int a, kt__num by) { mul(c, to, a, kt__number_of(c, by)); }
static void div_by(kt__chain *c, int to, int a, kt__num by) { kt__link(c, KT__LINK_div, to, a, kt__number_of(c, by), 0, NONE); }
static void add_number(kt__chain *c, int to, int a, kt__num b) { kt__link(c, KT__LINK_add, to, a, kt__number_of(c, b), 0, NONE); }
static void add(kt__chain *c, int to, int a, int b, kt__num alpha)
{
    kt__link(c, KT__LINK_add_scaled, to, a, b, 0, kt__number_of(c, alpha));
}
static void lerp(kt__chain *c, int to, int end, kt__num weight)
{
    kt__link(c, KT__LINK_lerp, to, to, end, 0, kt__number_of(c, weight));
}
static void addcmul(kt__chain *c, int to, int a, int b, int d, kt__num value)
{
    kt__link(c, KT__LINK_addcmul, to, a, b, d, kt__number_of(c, value));
}
static void addcdiv(kt__chain *c, int to, int b, int d, kt__num value)
{
    kt__link(c, KT__LINK_addcdiv, to, to, b, d, kt__number_of(c, value));
}

/* The gradient that is followed, with the decay of weights in it. */
static void follow(kt__chain *c, int g, bool maximize, kt__num decay)
{
    if (maximize)
        neg(c, g, g);
    if (decay.v != 0)
        add(c, g, g, P, decay);
}

static void average_square(kt__chain *c, int v, int g, kt__num beta)
{
    mul_by(c, v, v, beta);
    addcmul(c, v, v, g, g, rest(beta));
}

/* The gradient, or with `decoupled` the parameter itself, decays. */
static void decay_either(kt__chain *c, int g, bool maximize, kt__num decay, bool decoupled, kt__num rate)
{
    follow(c, g, maximize, decoupled ? num(0) : decay);
    if (decoupled && decay.v != 0)
        mul_by(c, P, P, rest(times(rate, decay)));
}

/* ---- SGD ---- */

enum { SGD_BUFFERS = 2, SGD_FOLLOWED, SGD_RATE, SGD_DECAY, SGD_MOMENTUM, SGD_DAMPENING, SGD_NESTEROV, SGD_MAXIMIZE, SGD_FIRST };

static kt_status sgd(kt__chain *c, kt_call *call, int64_t i, double step)
{
    (void)i, (void)step;
    const kt__num rate = option(call, SGD_RATE, SGD_FOLLOWED, 0), decay = option(call, SGD_DECAY, SGD_FOLLOWED, 1);
    const kt__num momentum = option(call, SGD_MOMENTUM, SGD_FOLLOWED, 2);
    const int     b = 1, g = momentum.v != 0 ? 2 : 1;
    int           direction = g;
    follow(c, g, kt__arg_bool(call, SGD_MAXIMIZE), decay);
    if (momentum.v != 0) {
        if (kt__arg_bool(call, SGD_FIRST)) { /* of a recorded step, PyTorch begins with the value alone */
            c->forgets = true;
            copy(c, b, g);
        } else {
            mul_by(c, b, b, momentum);
            add(c, b, b, g, num(1 - number(call, SGD_DAMPENING)));
        }
        direction = b;
        if (kt__arg_bool(call, SGD_NESTEROV)) {
            add(c, T0, g, b, momentum);
            direction = T0;
        }
    }
    add(c, P, P, direction, negative(rate));
    return KT_OK;
}

kt_status kt__body_step_sgd(kt_call *call)
{
    const kt__stepped plain = {.arg = {0, 1}, .n = 2, .steps = -1, .links = sgd};
    const kt__stepped buffered = {.arg = {0, SGD_BUFFERS, 1}, .n = 3, .steps = -1, .links = sgd};
    return kt__run_chains(call, number(call, SGD_MOMENTUM) != 0 ? &buffered : &plain);
}

/* ---- Adam and AdamW ---- */

enum {
    ADAM_AVERAGES = 2, ADAM_SQUARES, ADAM_LARGEST, ADAM_STEPS, ADAM_FOLLOWED, ADAM_RATE, ADAM_BETA1, ADAM_BETA2, ADAM_DECAY,
    ADAM_EPS, ADAM_AMSGRAD, ADAM_MAXIMIZE, ADAM_DECOUPLED
};

static kt_status adam(kt__chain *c, kt_call *call, int64_t i, double step)
{
    const bool    amsgrad = kt__arg_bool(call, ADAM_AMSGRAD);
    const kt__num rate = option(call, ADAM_RATE, ADAM_FOLLOWED, 0), decay = option(call, ADAM_DECAY, ADAM_FOLLOWED, 3);
    const kt__num beta1 = option(call, ADAM_BETA1, ADAM_FOLLOWED, 1), beta2 = option(call, ADAM_BETA2, ADAM_FOLLOWED, 2);
    const kt__num now = step_of(call, ADAM_STEPS, ADAM_FOLLOWED, i, step);
    const int     m = 1, v = 2, largest = 3, g = amsgrad ? 4 : 3;
    decay_either(c, g, kt__arg_bool(call, ADAM_MAXIMIZE), decay, kt__arg_bool(call, ADAM_DECOUPLED), rate);
    lerp(c, m, g, rest(beta1));
    average_square(c, v, g, beta2);
    if (amsgrad)
        kt__link(c, KT__LINK_maximum, largest, largest, v, 0, NONE);
    root(c, T0, amsgrad ? largest : v);
    div_by(c, T0, T0, root_of(rest(power(beta2, now))));
    add_number(c, T0, T0, option(call, ADAM_EPS, ADAM_FOLLOWED, 4));
    addcdiv(c, P, m, T0, negative(quotient(rate, rest(power(beta1, now)))));
    return KT_OK;
}

kt_status kt__body_step_adam(kt_call *call)
{
    kt__stepped s = {.arg = {0, ADAM_AVERAGES, ADAM_SQUARES}, .n = 3, .steps = ADAM_STEPS, .reads_step = true, .links = adam};
    if (kt__arg_bool(call, ADAM_AMSGRAD))
        s.arg[s.n++] = ADAM_LARGEST;
    s.arg[s.n++] = 1;
    return kt__run_chains(call, &s);
}

/* ---- Adagrad ---- */

enum { ADAGRAD_SUMS = 2, ADAGRAD_STEPS, ADAGRAD_RATE, ADAGRAD_RATE_DECAY, ADAGRAD_DECAY, ADAGRAD_EPS, ADAGRAD_MAXIMIZE };

static kt_status adagrad(kt__chain *c, kt_call *call, int64_t i, double step)
{
    (void)i;
    const int sum = 1, g = 2;
    follow(c, g, kt__arg_bool(call, ADAGRAD_MAXIMIZE), num(number(call, ADAGRAD_DECAY)));
    addcmul(c, sum, sum, g, g, num(1));
    root(c, T0, sum);
    add_number(c, T0, T0, num(number(call, ADAGRAD_EPS)));
    addcdiv(c, P, g, T0, num(-(number(call, ADAGRAD_RATE) / (1 + (step - 1) * number(call, ADAGRAD_RATE_DECAY)))));
    return KT_OK;
}

kt_status kt__body_step_adagrad(kt_call *call)
{
    return kt__run_chains(call, &(kt__stepped){.arg = {0, ADAGRAD_SUMS, 1}, .n = 3, .steps = ADAGRAD_STEPS, .reads_step = true,
                                               .links = adagrad});
}

/* ---- Adadelta ---- */

enum { ADADELTA_SQUARES = 2, ADADELTA_DELTAS, ADADELTA_STEPS, ADADELTA_RATE, ADADELTA_RHO, ADADELTA_EPS, ADADELTA_DECAY,
       ADADELTA_MAXIMIZE };

static kt_status adadelta(kt__chain *c, kt_call *call, int64_t i, double step)
{
    (void)i, (void)step;
    const double rho = number(call, ADADELTA_RHO), eps = number(call, ADADELTA_EPS);
    const int    squares = 1, deltas = 2, g = 3;
    follow(c, g, kt__arg_bool(call, ADADELTA_MAXIMIZE), num(number(call, ADADELTA_DECAY)));
    average_square(c, squares, g, num(rho));
    add_number(c, T0, squares, num(eps));
    root(c, T0, T0);
    add_number(c, T1, deltas, num(eps));
    root(c, T1, T1);
    kt__link(c, KT__LINK_div, T1, T1, T0, 0, NONE);
    mul(c, T1, T1, g);
    average_square(c, deltas, T1, num(rho));
    add(c, P, P, T1, num(-number(call, ADADELTA_RATE)));
    return KT_OK;
}

kt_status kt__body_step_adadelta(kt_call *call)
{
    return kt__run_chains(call, &(kt__stepped){.arg = {0, ADADELTA_SQUARES, ADADELTA_DELTAS, 1}, .n = 4,
                                               .steps = ADADELTA_STEPS, .links = adadelta});
}

/* ---- Adamax ---- */

enum { ADAMAX_AVERAGES = 2, ADAMAX_NORMS, ADAMAX_STEPS, ADAMAX_RATE, ADAMAX_BETA1, ADAMAX_BETA2, ADAMAX_DECAY, ADAMAX_EPS,
       ADAMAX_MAXIMIZE };

static kt_status adamax(kt__chain *c, kt_call *call, int64_t i, double step)
{
    (void)i;
    const double beta1 = number(call, ADAMAX_BETA1);
    const int    m = 1, norm = 2, g = 3;
    follow(c, g, kt__arg_bool(call, ADAMAX_MAXIMIZE), num(number(call, ADAMAX_DECAY)));
    lerp(c, m, g, num(1 - beta1));
    mul_by(c, norm, norm, num(number(call, ADAMAX_BETA2)));
    kt__link(c, KT__LINK_abs, T0, g, 0, 0, NONE);
    add_number(c, T0, T0, num(number(call, ADAMAX_EPS)));
    kt__link(c, KT__LINK_maximum, norm, norm, T0, 0, NONE);
    addcdiv(c, P, m, norm, num(-(number(call, ADAMAX_RATE) / (1 - pow(beta1, step)))));
    return KT_OK;
}

kt_status kt__body_step_adamax(kt_call *call)
{
    return kt__run_chains(call, &(kt__stepped){.arg = {0, ADAMAX_AVERAGES, ADAMAX_NORMS, 1}, .n = 4, .steps = ADAMAX_STEPS,
                                               .reads_step = true, .links = adamax});
}

/* ---- NAdam ---- */

enum { NADAM_AVERAGES = 2, NADAM_SQUARES, NADAM_PRODUCTS, NADAM_STEPS, NADAM_FOLLOWED, NADAM_RATE, NADAM_BETA1, NADAM_BETA2,
       NADAM_DECAY, NADAM_MOMENTUM_DECAY, NADAM_EPS, NADAM_DECOUPLED, NADAM_MAXIMIZE };

static kt_status nadam(kt__chain *c, kt_call *call, int64_t i, double step)
{
    const kt__num rate = option(call, NADAM_RATE, NADAM_FOLLOWED, 0), decay = num(number(call, NADAM_DECAY));
    const double  beta1 = number(call, NADAM_BETA1), beta2 = number(call, NADAM_BETA2);
    const double  slowing = number(call, NADAM_MOMENTUM_DECAY);
    const double  mu = beta1 * (1 - 0.5 * pow(0.96, step * slowing)), next = beta1 * (1 - 0.5 * pow(0.96, (step + 1) * slowing));
    const int     m = 1, v = 2, g = 3;
    kt_tensor    *products = call->arg[NADAM_PRODUCTS].ts.t[i];
    if (!kt_mul_s_(products, KT_FLOAT(mu)))
        return kt_error_status();
    const double product = kt_item(products);
    decay_either(c, g, kt__arg_bool(call, NADAM_MAXIMIZE), decay, kt__arg_bool(call, NADAM_DECOUPLED), rate);
    lerp(c, m, g, num(1 - beta1));
    average_square(c, v, g, num(beta2));
    div_by(c, T0, v, num(1 - pow(beta2, step)));
    root(c, T0, T0);
    add_number(c, T0, T0, num(number(call, NADAM_EPS)));
    addcdiv(c, P, g, T0, quotient(scaled(negative(rate), 1 - mu), num(1 - product)));
    addcdiv(c, P, m, T0, quotient(scaled(negative(rate), next), num(1 - product * next)));
    return kt__failed() ? kt_error_status() : KT_OK;
}

kt_status kt__body_step_nadam(kt_call *call)
{
    return kt__run_chains(call, &(kt__stepped){.arg = {0, NADAM_AVERAGES, NADAM_SQUARES, 1}, .n = 4, .beside = {NADAM_PRODUCTS},
                                               .steps = NADAM_STEPS, .reads_step = true, .links = nadam});
}

/* ---- RAdam ---- */

enum { RADAM_AVERAGES = 2, RADAM_SQUARES, RADAM_STEPS, RADAM_FOLLOWED, RADAM_RATE, RADAM_BETA1, RADAM_BETA2, RADAM_DECAY,
       RADAM_EPS, RADAM_DECOUPLED, RADAM_MAXIMIZE };

static kt_status radam(kt__chain *c, kt_call *call, int64_t i, double step)
{
    (void)i;
    const kt__num rate = option(call, RADAM_RATE, RADAM_FOLLOWED, 0), decay = num(number(call, RADAM_DECAY));
    const double  beta1 = number(call, RADAM_BETA1), beta2 = number(call, RADAM_BETA2);
    const double  gone = pow(beta2, step), left = 1 - gone;
    const double  longest = 2 / (1 - beta2) - 1, length = longest - 2 * step * gone / left;
    const int     m = 1, v = 2, g = 3;
    decay_either(c, g, kt__arg_bool(call, RADAM_MAXIMIZE), decay, kt__arg_bool(call, RADAM_DECOUPLED), rate);
    lerp(c, m, g, num(1 - beta1));
    average_square(c, v, g, num(beta2));
    div_by(c, T0, m, num(1 - pow(beta1, step)));
    mul_by(c, T0, T0, rate);
    if (length > 5) { /* the variance of the step is known well enough */
        root(c, T1, v);
        add_number(c, T1, T1, num(number(call, RADAM_EPS)));
        kt__link(c, KT__LINK_reciprocal, T1, T1, 0, 0, NONE);
        mul_by(c, T1, T1, num(pow(left, 0.5)));
        mul(c, T0, T0, T1);
        mul_by(c, T0, T0, num(pow((length - 4) * (length - 2) * longest / ((longest - 4) * (longest - 2) * length), 0.5)));
    }
    add(c, P, P, T0, num(-1));
    return KT_OK;
}

kt_status kt__body_step_radam(kt_call *call)
{
    return kt__run_chains(call, &(kt__stepped){.arg = {0, RADAM_AVERAGES, RADAM_SQUARES, 1}, .n = 4, .steps = RADAM_STEPS,
                                               .reads_step = true, .links = radam});
}

/* ---- RMSprop ---- */

enum { RMSPROP_SQUARES = 2, RMSPROP_AVERAGES, RMSPROP_BUFFERS, RMSPROP_STEPS, RMSPROP_RATE, RMSPROP_ALPHA, RMSPROP_EPS,
       RMSPROP_DECAY, RMSPROP_MOMENTUM, RMSPROP_CENTERED, RMSPROP_MAXIMIZE };

static kt_status rmsprop(kt__chain *c, kt_call *call, int64_t i, double step)
{
    (void)i, (void)step;
    const bool   centered = kt__arg_bool(call, RMSPROP_CENTERED);
    const double momentum = number(call, RMSPROP_MOMENTUM), alpha = number(call, RMSPROP_ALPHA);
    const double rate = number(call, RMSPROP_RATE);
    const int    v = 1, average = 2, buffer = centered ? 3 : 2, g = 2 + centered + (momentum > 0);
    follow(c, g, kt__arg_bool(call, RMSPROP_MAXIMIZE), num(number(call, RMSPROP_DECAY)));
    average_square(c, v, g, num(alpha));
    if (centered) {
        lerp(c, average, g, num(1 - alpha));
        addcmul(c, T0, v, average, average, num(-1));
    }
    root(c, T0, centered ? T0 : v);
    add_number(c, T0, T0, num(number(call, RMSPROP_EPS)));
    if (momentum > 0) {
        mul_by(c, buffer, buffer, num(momentum));
        addcdiv(c, buffer, g, T0, num(1));
        add(c, P, P, buffer, num(-rate));
    } else {
        addcdiv(c, P, g, T0, num(-rate));
    }
    return KT_OK;
}

kt_status kt__body_step_rmsprop(kt_call *call)
{
    kt__stepped s = {.arg = {0, RMSPROP_SQUARES}, .n = 2, .steps = RMSPROP_STEPS, .links = rmsprop};
    if (kt__arg_bool(call, RMSPROP_CENTERED))
        s.arg[s.n++] = RMSPROP_AVERAGES;
    if (number(call, RMSPROP_MOMENTUM) > 0)
        s.arg[s.n++] = RMSPROP_BUFFERS;
    s.arg[s.n++] = 1;
    return kt__run_chains(call, &s);
}

/* ---- ASGD ---- */

enum { ASGD_AVERAGES = 2, ASGD_ETAS, ASGD_MUS, ASGD_STEPS, ASGD_RATE, ASGD_LAMBD, ASGD_ALPHA, ASGD_T0, ASGD_DECAY,
       ASGD_MAXIMIZE };

/* Numbers become tensors of the default dtype, and as such go into the states, whatever dtype these were loaded in. */
static kt_scalar as_scalar(double value) { return KT_FLOAT(kt_get_default_dtype() == KT_F64 ? value : (double)(float)value); }

static kt_status asgd(kt__chain *c, kt_call *call, int64_t i, double step)
{
    kt_tensor   *etas = call->arg[ASGD_ETAS].ts.t[i], *mus = call->arg[ASGD_MUS].ts.t[i];
    const double eta = kt_item(etas), mu = kt_item(mus), rate = number(call, ASGD_RATE), lambd = number(call, ASGD_LAMBD);
    const double late = step - number(call, ASGD_T0);
    const int    average = 1, g = 2;
    follow(c, g, kt__arg_bool(call, ASGD_MAXIMIZE), num(number(call, ASGD_DECAY)));
    mul_by(c, P, P, num(1 - lambd * eta));
    add(c, P, P, g, num(-eta));
    if (mu == 1) {
        copy(c, average, P);
    } else {
        kt__link(c, KT__LINK_sub, T0, P, average, 0, NONE);
        mul_by(c, T0, T0, num(mu));
        kt__link(c, KT__LINK_add, average, average, T0, 0, NONE);
    }
    if (!kt_fill_s_(etas, as_scalar(rate / pow(1 + lambd * rate * step, number(call, ASGD_ALPHA)))) ||
        !kt_fill_s_(mus, as_scalar(1 / (late > 1 ? late : 1))))
        return kt_error_status();
    return KT_OK;
}

kt_status kt__body_step_asgd(kt_call *call)
{
    return kt__run_chains(call, &(kt__stepped){.arg = {0, ASGD_AVERAGES, 1}, .n = 3, .beside = {ASGD_ETAS, ASGD_MUS},
                                               .steps = ASGD_STEPS, .reads_step = true, .links = asgd});
}

/* ---- Rprop ---- */

enum { RPROP_PREVIOUS = 2, RPROP_SIZES, RPROP_STEPS, RPROP_SMALLEST, RPROP_LARGEST, RPROP_SHRINK, RPROP_GROW, RPROP_MAXIMIZE };

/* The number where the sign of `of` is that, with a mask that says so. */
static void choose(kt__chain *c, int kind, int mask, int of, double value)
{
    kt__link(c, kind, mask, of, kt__number(c, 0), 0, NONE);
    kt__link(c, KT__LINK_where, of, mask, kt__number(c, value), of, NONE);
}

/* A step grows while its gradient keeps its sign, and shrinks, without being made, where that has changed. */
static kt_status rprop(kt__chain *c, kt_call *call, int64_t i, double step)
{
    (void)i, (void)step;
    const int previous = 1, sizes = 2, g = 3;
    follow(c, g, kt__arg_bool(call, RPROP_MAXIMIZE), num(0));
    mul(c, T0, g, previous);
    kt__link(c, KT__LINK_sign, T0, T0, 0, 0, NONE);
    choose(c, KT__LINK_gt, T2, T0, number(call, RPROP_GROW));
    choose(c, KT__LINK_lt, T1, T0, number(call, RPROP_SHRINK));
    choose(c, KT__LINK_eq, T2, T0, 1);
    mul(c, sizes, sizes, T0);
    const int smallest = kt__number(c, number(call, RPROP_SMALLEST));
    kt__number(c, number(call, RPROP_LARGEST));
    kt__link(c, KT__LINK_clamp, sizes, sizes, 0, 0, smallest);
    kt__link(c, KT__LINK_where, g, T1, kt__number(c, 0), g, NONE);
    kt__link(c, KT__LINK_sign, T0, g, 0, 0, NONE);
    addcmul(c, P, P, T0, sizes, num(-1));
    copy(c, previous, g);
    return KT_OK;
}

kt_status kt__body_step_rprop(kt_call *call)
{
    return kt__run_chains(call, &(kt__stepped){.arg = {0, RPROP_PREVIOUS, RPROP_SIZES, 1}, .n = 4, .steps = RPROP_STEPS,
                                               .links = rprop});
}
