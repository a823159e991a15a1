/* kinds.c - see kinds.h. */
#include "optim/kinds.h"

#include <string.h>

/* ---- options ---- */

static double real(kt_opt_real given, double otherwise) { return given.some ? given.v : otherwise; }

static const struct {
    double lr, weight_decay, momentum, eps, alpha;
} defaults[KT_NUM_OPTIMIZERS] = {
    [KT_SGD] = {1e-3, 0, 0, 0, 0},          [KT_ADAM] = {1e-3, 0, 0, 1e-8, 0},     [KT_ADAMW] = {1e-3, 1e-2, 0, 1e-8, 0},
    [KT_ADAGRAD] = {1e-2, 0, 0, 1e-10, 0},  [KT_ADADELTA] = {1, 0, 0, 1e-6, 0},    [KT_ADAMAX] = {2e-3, 0, 0, 1e-8, 0},
    [KT_NADAM] = {2e-3, 0, 0, 1e-8, 0},     [KT_RADAM] = {1e-3, 0, 0, 1e-8, 0},    [KT_RMSPROP] = {1e-2, 0, 0, 1e-8, 0.99},
    [KT_ASGD] = {1e-2, 0, 0, 0, 0.75},      [KT_RPROP] = {1e-2, 0, 0, 0, 0},       [KT_ADAFACTOR] = {1e-2, 0, 0, 0, 0},
    [KT_MUON] = {1e-3, 0.1, 0.95, 1e-7, 0},
};

static kt_status check(const kt__settings *s)
{
    if (!(s->lr >= 0))
        return kt_fail(KT_ERR_VALUE, "Invalid learning rate: %g", s->lr);
    if (!(s->weight_decay >= 0))
        return kt_fail(KT_ERR_VALUE, "Invalid weight_decay value: %g", s->weight_decay);
    if (!(s->momentum >= 0))
        return kt_fail(KT_ERR_VALUE, "Invalid momentum value: %g", s->momentum);
    if (!(s->eps >= 0))
        return kt_fail(KT_ERR_VALUE, "Invalid epsilon value: %g", s->eps);
    if (!(s->beta1 >= 0 && s->beta1 < 1))
        return kt_fail(KT_ERR_VALUE, "Invalid beta parameter at index 0: %g", s->beta1);
    if (!(s->beta2 >= 0 && s->beta2 < 1))
        return kt_fail(KT_ERR_VALUE, "Invalid beta parameter at index 1: %g", s->beta2);
    if (!(s->rho >= 0 && s->rho <= 1))
        return kt_fail(KT_ERR_VALUE, "Invalid rho value: %g", s->rho);
    if (!(s->etaminus > 0 && s->etaminus < 1 && s->etaplus > 1))
        return kt_fail(KT_ERR_VALUE, "Invalid eta values: %g, %g", s->etaminus, s->etaplus);
    if (!(s->beta2_decay <= 0))
        return kt_fail(KT_ERR_VALUE, "beta2_decay should be <= 0 but is: %g", s->beta2_decay);
    if (!(s->d >= 1))
        return kt_fail(KT_ERR_VALUE, "Clipping threshold d should be >= 1 but is: %g", s->d);
    return KT_OK;
}

kt_status kt__settings_of(kt_optimizer_kind kind, const kt_optimizer_opts *opts, kt__settings *s)
{
    kt_optimizer_opts o = {.size = sizeof o};
    if ((int)kind < 0 || kind >= KT_NUM_OPTIMIZERS)
        return kt_fail(KT_ERR_VALUE, "there is no optimizer %d", (int)kind);
    if (opts && opts->size != sizeof o)
        return kt_fail(KT_ERR_VALUE, "options: size is %zu: set it to the sizeof of the struct", opts->size);
    if (opts)
        o = *opts;
    *s = (kt__settings){
        .lr = real(o.lr, defaults[kind].lr),
        .weight_decay = real(o.weight_decay, defaults[kind].weight_decay),
        .momentum = real(o.momentum, defaults[kind].momentum),
        .dampening = o.dampening,
        .beta1 = real(o.beta1, 0.9),
        .beta2 = real(o.beta2, 0.999),
        .eps = real(o.eps, defaults[kind].eps),
        .has_eps = o.eps.some,
        .lr_decay = o.lr_decay,
        .initial_accumulator_value = o.initial_accumulator_value,
        .rho = real(o.rho, 0.9),
        .momentum_decay = real(o.momentum_decay, 4e-3),
        .alpha = real(o.alpha, defaults[kind].alpha),
        .lambd = real(o.lambd, 1e-4),
        .t0 = real(o.t0, 1e6),
        .etaminus = real(o.etaminus, 0.5),
        .etaplus = real(o.etaplus, 1.2),
        .step_size_min = real(o.step_size_min, 1e-6),
        .step_size_max = real(o.step_size_max, 50),
        .beta2_decay = real(o.beta2_decay, -0.8),
        .eps2 = real(o.eps2, 1e-3),
        .d = real(o.d, 1),
        .ns_steps = o.ns_steps.some ? o.ns_steps.v : 5,
        .nesterov = o.nesterov.some ? o.nesterov.v : kind == KT_MUON,
        .amsgrad = o.amsgrad,
        .decoupled = o.decoupled_weight_decay || kind == KT_ADAMW,
        .centered = o.centered,
        .maximize = o.maximize,
        .match_rms_adamw = o.match_rms_adamw,
        .masters = o.masters,
        .stochastic = o.stochastic_rounding,
    };
    if (kind == KT_SGD && s->nesterov && (s->momentum <= 0 || s->dampening != 0))
        return kt_fail(KT_ERR_VALUE, "Nesterov momentum requires a momentum and zero dampening");
    return check(s);
}

/* ---- states ---- */

static kt_tensor *zeros_beside(kt_tensor *p) { return kt_zeros_like(p); }

static kt_tensor *number(double value)
{
    const kt_dtype dtype = kt_get_default_dtype() == KT_F64 ? KT_F64 : KT_F32;
    return kt_full(KT_SCALAR, KT_FLOAT(value), .dtype = dtype);
}

static kt_tensor *filled(kt_tensor *p, double value)
{
    const kt_dtype d = kt_dtype_of(p);
    return kt_full_like(p, d == KT_C32 || d == KT_C64 || d == KT_C128 ? KT_COMPLEX(value, value) : KT_FLOAT(value));
}

static kt_tensor *one_buffer(const kt__settings *s, kt_tensor *p, int state)
{
    (void)state;
    return s->momentum != 0 ? kt_empty_like(p) : NULL;
}

static kt_tensor *muons_buffer(const kt__settings *s, kt_tensor *p, int state)
{
    (void)s, (void)state;
    return zeros_beside(p);
}

static kt_tensor *adams(const kt__settings *s, kt_tensor *p, int state)
{
    return state == 3 ? number(0) : state == 2 && !s->amsgrad ? NULL : zeros_beside(p);
}

static kt_tensor *adagrads(const kt__settings *s, kt_tensor *p, int state)
{
    return state == 1 ? number(0) : filled(p, s->initial_accumulator_value);
}

static kt_tensor *two_and_step(const kt__settings *s, kt_tensor *p, int state)
{
    (void)s;
    return state == 2 ? number(0) : zeros_beside(p);
}

static kt_tensor *nadams(const kt__settings *s, kt_tensor *p, int state)
{
    (void)s;
    return state < 2 ? zeros_beside(p) : number(state == 2);
}

static kt_tensor *rmsprops(const kt__settings *s, kt_tensor *p, int state)
{
    if ((state == 1 && !s->centered) || (state == 2 && !(s->momentum > 0)))
        return NULL;
    return state == 3 ? number(0) : zeros_beside(p);
}

static kt_tensor *asgds(const kt__settings *s, kt_tensor *p, int state)
{
    return state == 0 ? zeros_beside(p) : number(state == 1 ? s->lr : state == 2);
}

static kt_tensor *rprops(const kt__settings *s, kt_tensor *p, int state)
{
    return state == 2 ? number(0) : state == 1 ? filled(p, s->lr) : zeros_beside(p);
}

static kt_tensor *adafactors(const kt__settings *s, kt_tensor *p, int state)
{
    (void)s;
    const int64_t nd = kt_ndim(p);
    if (state == 3)
        return number(0);
    if ((nd > 1) == (state == 2))
        return NULL;
    if (state == 2)
        return zeros_beside(p);
    return kt_zeros_like(kt_narrow(p, state == 0 ? -1 : -2, 0, 1));
}

/* ---- steps ---- */

static kt_status sgd(const kt__settings *s, const kt__lists *l)
{
    const int64_t n = l->n;
    return kt_step_sgd_(l->params, n, l->grads, n, l->state[0], s->momentum != 0 ? n : 0, NULL, 0, s->lr,
                        .weight_decay = s->weight_decay, .momentum = s->momentum, .dampening = s->dampening,
                        .nesterov = s->nesterov, .maximize = s->maximize, .is_first_step = l->first);
}

static kt_status adam(const kt__settings *s, const kt__lists *l)
{
    const int64_t n = l->n;
    return kt_step_adam_(l->params, n, l->grads, n, l->state[0], n, l->state[1], n, l->state[2], s->amsgrad ? n : 0,
                         l->state[3], n, NULL, 0, s->lr, s->beta1, s->beta2, s->weight_decay, s->eps, .amsgrad = s->amsgrad,
                         .maximize = s->maximize, .decoupled_weight_decay = s->decoupled);
}

static kt_status adagrad(const kt__settings *s, const kt__lists *l)
{
    const int64_t n = l->n;
    return kt_step_adagrad_(l->params, n, l->grads, n, l->state[0], n, l->state[1], n, s->lr, s->lr_decay, s->weight_decay,
                            s->eps, .maximize = s->maximize);
}

static kt_status adadelta(const kt__settings *s, const kt__lists *l)
{
    const int64_t n = l->n;
    return kt_step_adadelta_(l->params, n, l->grads, n, l->state[0], n, l->state[1], n, l->state[2], n, s->lr, s->rho, s->eps,
                             s->weight_decay, .maximize = s->maximize);
}

static kt_status adamax(const kt__settings *s, const kt__lists *l)
{
    const int64_t n = l->n;
    return kt_step_adamax_(l->params, n, l->grads, n, l->state[0], n, l->state[1], n, l->state[2], n, s->lr, s->beta1, s->beta2,
                           s->weight_decay, s->eps, .maximize = s->maximize);
}

static kt_status nadam(const kt__settings *s, const kt__lists *l)
{
    const int64_t n = l->n;
    return kt_step_nadam_(l->params, n, l->grads, n, l->state[0], n, l->state[1], n, l->state[2], n, l->state[3], n, NULL, 0,
                          s->lr, s->beta1, s->beta2, s->weight_decay, s->momentum_decay, s->eps,
                          .decoupled_weight_decay = s->decoupled, .maximize = s->maximize);
}

static kt_status radam(const kt__settings *s, const kt__lists *l)
{
    const int64_t n = l->n;
    return kt_step_radam_(l->params, n, l->grads, n, l->state[0], n, l->state[1], n, l->state[2], n, NULL, 0, s->lr, s->beta1,
                          s->beta2, s->weight_decay, s->eps, .decoupled_weight_decay = s->decoupled, .maximize = s->maximize);
}

static kt_status rmsprop(const kt__settings *s, const kt__lists *l)
{
    const int64_t n = l->n;
    return kt_step_rmsprop_(l->params, n, l->grads, n, l->state[0], n, l->state[1], s->centered ? n : 0,
                            l->state[2], s->momentum > 0 ? n : 0, l->state[3], n, s->lr, s->alpha, s->eps, s->weight_decay,
                            s->momentum, .centered = s->centered, .maximize = s->maximize);
}

static kt_status asgd(const kt__settings *s, const kt__lists *l)
{
    const int64_t n = l->n;
    return kt_step_asgd_(l->params, n, l->grads, n, l->state[0], n, l->state[1], n, l->state[2], n, l->state[3], n, s->lr,
                         s->lambd, s->alpha, s->t0, s->weight_decay, .maximize = s->maximize);
}

static kt_status rprop(const kt__settings *s, const kt__lists *l)
{
    const int64_t n = l->n;
    return kt_step_rprop_(l->params, n, l->grads, n, l->state[0], n, l->state[1], n, l->state[2], n, s->step_size_min,
                          s->step_size_max, s->etaminus, s->etaplus, .maximize = s->maximize);
}

static kt_status adafactor(const kt__settings *s, const kt__lists *l)
{
    const int64_t n = l->n;
    return kt_step_adafactor_(l->params, n, l->grads, n, l->state[0], n, l->state[1], n, l->state[2], n, l->state[3], n, s->lr,
                              s->beta2_decay, .eps1 = {s->has_eps, s->eps}, .eps2 = KT_SOME(s->eps2), .d = KT_SOME(s->d),
                              .weight_decay = s->weight_decay, .maximize = s->maximize);
}

static kt_status muon(const kt__settings *s, const kt__lists *l)
{
    const int64_t n = l->n;
    return kt_step_muon_(l->params, n, l->grads, n, l->state[0], n, s->lr, s->weight_decay, s->momentum,
                         .nesterov = KT_SOME(s->nesterov), .eps = KT_SOME(s->eps), .ns_steps = KT_SOME(s->ns_steps),
                         .match_rms_adamw = s->match_rms_adamw);
}

#define ADAM {{"exp_avg", "exp_avg_sq", "max_exp_avg_sq", "step"}, adams, adam}
const kt__kind kt__kinds[KT_NUM_OPTIMIZERS] = {
    [KT_SGD] = {{"momentum_buffer"}, one_buffer, sgd},
    [KT_ADAM] = ADAM,
    [KT_ADAMW] = ADAM,
    [KT_ADAGRAD] = {{"sum", "step"}, adagrads, adagrad},
    [KT_ADADELTA] = {{"square_avg", "acc_delta", "step"}, two_and_step, adadelta},
    [KT_ADAMAX] = {{"exp_avg", "exp_inf", "step"}, two_and_step, adamax},
    [KT_NADAM] = {{"exp_avg", "exp_avg_sq", "mu_product", "step"}, nadams, nadam},
    [KT_RADAM] = {{"exp_avg", "exp_avg_sq", "step"}, two_and_step, radam},
    [KT_RMSPROP] = {{"square_avg", "grad_avg", "momentum_buffer", "step"}, rmsprops, rmsprop},
    [KT_ASGD] = {{"ax", "eta", "mu", "step"}, asgds, asgd},
    [KT_RPROP] = {{"prev", "step_size", "step"}, rprops, rprop},
    [KT_ADAFACTOR] = {{"row_var", "col_var", "variance", "step"}, adafactors, adafactor},
    [KT_MUON] = {{"momentum_buffer"}, muons_buffer, muon},
};
