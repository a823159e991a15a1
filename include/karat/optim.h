/* optim.h - optimizers: what changes parameters by their gradients.
 *
 *     kt_optimizer *adam = kt_optimizer_make(KT_ADAM, .lr = KT_SOME(3e-4));
 *     kt_optimizer_add(adam, parameters, n);
 *     ...
 *     kt_optimizer_zero_grad(adam);
 *     kt_backward(loss);
 *     kt_optimizer_step(adam);
 *     ...
 *     kt_optimizer_drop(adam);
 *
 * Numbers, defaults and bits are those of PyTorch's optimizers of the same names. */
#ifndef KARAT_OPTIM_H
#define KARAT_OPTIM_H

#include <karat/module.h>
#include <karat/ops.h>

KT_BEGIN

typedef struct kt_optimizer kt_optimizer;

typedef enum kt_optimizer_kind {
    KT_SGD,
    KT_ADAM,
    KT_ADAMW,
    KT_ADAGRAD,
    KT_ADADELTA,
    KT_ADAMAX,
    KT_NADAM,
    KT_RADAM,
    KT_RMSPROP,
    KT_ASGD,
    KT_RPROP,
    KT_ADAFACTOR,
    KT_MUON,
    KT_NUM_OPTIMIZERS
} kt_optimizer_kind;

/* Each kind reads those that PyTorch's optimizer has; an option that is not set has its default. betas, etas, step_sizes and
 * eps of Adafactor are two options each. */
typedef struct KT_OPTIONS kt_optimizer_opts {
    size_t      size;
    KT_BY_NAME
    kt_opt_real lr;
    KT_AFTER(lr)
    kt_opt_real weight_decay;
    KT_AFTER(weight_decay)
    kt_opt_real momentum;
    KT_AFTER(momentum)
    double      dampening;
    KT_AFTER(dampening)
    kt_opt_bool nesterov;
    KT_AFTER(nesterov)
    kt_opt_real beta1;
    KT_AFTER(beta1)
    kt_opt_real beta2;
    KT_AFTER(beta2)
    kt_opt_real eps;
    KT_AFTER(eps)
    bool        amsgrad;
    KT_AFTER(amsgrad)
    bool        decoupled_weight_decay;
    KT_AFTER(decoupled_weight_decay)
    double      lr_decay;
    KT_AFTER(lr_decay)
    double      initial_accumulator_value;
    KT_AFTER(initial_accumulator_value)
    kt_opt_real rho;
    KT_AFTER(rho)
    kt_opt_real momentum_decay;
    KT_AFTER(momentum_decay)
    kt_opt_real alpha;
    KT_AFTER(alpha)
    bool        centered;
    KT_AFTER(centered)
    kt_opt_real lambd;
    KT_AFTER(lambd)
    kt_opt_real t0;
    KT_AFTER(t0)
    kt_opt_real etaminus;
    KT_AFTER(etaminus)
    kt_opt_real etaplus;
    KT_AFTER(etaplus)
    kt_opt_real step_size_min;
    KT_AFTER(step_size_min)
    kt_opt_real step_size_max;
    KT_AFTER(step_size_max)
    kt_opt_real beta2_decay;
    KT_AFTER(beta2_decay)
    kt_opt_real eps2;
    KT_AFTER(eps2)
    kt_opt_real d;
    KT_AFTER(d)
    kt_opt_int  ns_steps;
    KT_AFTER(ns_steps)
    bool        match_rms_adamw;
    KT_AFTER(match_rms_adamw)
    bool        maximize;
    KT_AFTER(maximize)
    bool        masters;             /* parameters of 16 bits are stepped in float32, from copies that the optimizer keeps */
    KT_AFTER(masters)
    bool        stochastic_rounding; /* the same; such a parameter is rounded up or down by chance, so that small steps add up
                                        without copies too. From the default generator */
} kt_optimizer_opts;

KT_API kt_optimizer *kt_optimizer_make_kw(kt_optimizer_kind kind, const kt_optimizer_opts *opts); /* owned: kt_optimizer_drop */
#define kt_optimizer_make(kind, ...) kt_optimizer_make_kw(kind, KT_KW(kt_optimizer_opts, __VA_ARGS__))
KT_API void          kt_optimizer_drop(kt_optimizer *o);

/* A group of parameters, which are kept; its options are the optimizer's, or its own where `opts` is not NULL. */
KT_API kt_status     kt_optimizer_add_kw(kt_optimizer *o, kt_tensor *const *params, int64_t n, const kt_optimizer_opts *opts);
#define kt_optimizer_add(o, params, n) kt_optimizer_add_kw(o, params, n, NULL)
KT_API int64_t       kt_optimizer_groups(const kt_optimizer *o);

KT_API kt_status     kt_optimizer_zero_grad(kt_optimizer *o);   /* the parameters have no gradient afterwards */
/* of every parameter that has a gradient; nothing if an error is pending */
KT_API kt_status     kt_optimizer_step(kt_optimizer *o);

KT_API double        kt_optimizer_lr(const kt_optimizer *o, int64_t group); /* NaN and an error if there is no such group */
KT_API kt_status     kt_optimizer_set_lr(kt_optimizer *o, int64_t group, double lr);

/* All parameters of a module, as one group. */
KT_API kt_status     kt_optimizer_add_module(kt_optimizer *o, const kt_module *m);

KT_API int64_t       kt_optimizer_parameters(const kt_optimizer *o, kt_tensor **out, int64_t room); /* how many there are */

/* ---- gradients made smaller: returns the norm of all gradients before, or NULL and an error ---- */
KT_API kt_tensor    *kt_clip_grad_norm(kt_tensor *const *params, int64_t n, double max_norm, double norm_type);
KT_API kt_status     kt_clip_grad_value(kt_tensor *const *params, int64_t n, double most); /* of each element */

/* ---- L-BFGS, which evaluates the loss several times in a step ----
 * The function sets the parameters' gradients anew and gives the loss; grad mode is on while it runs. */
typedef kt_status kt_evaluate(void *context, double *loss);
typedef struct kt_lbfgs_options {
    size_t  size;
    KT_BY_NAME
    double  lr, tolerance_grad, tolerance_change; /* PyTorch's defaults: 1, 1e-7, 1e-9 */
    int64_t max_iter, max_eval, history_size;     /* 20, 25, 100 */
    bool    strong_wolfe;                         /* search along the line; else every step goes lr far */
} KT_OPTIONS kt_lbfgs_options;
#define KT_LBFGS_DEFAULTS \
    .size = sizeof(kt_lbfgs_options), .lr = 1, .tolerance_grad = 1e-7, .tolerance_change = 1e-9, .max_iter = 20, \
    .max_eval = 25, .history_size = 100

/* What is kept from step to step; all zero (but size) at first, with room for history_size tensors in each list. The tensors
 * are kept: kt_lbfgs_forget drops them. */
typedef struct kt_lbfgs_state {
    size_t      size;
    int64_t     func_evals, n_iter;
    double      t, prev_loss;
    kt_tensor  *d, *prev_flat_grad, *diagonal; /* the direction; the gradient before it; NULL: 1 */
    kt_tensor **dirs, **steps, **ro;
    int64_t     n; /* how many the lists have */
} kt_lbfgs_state;
KT_API kt_status     kt_lbfgs_step(kt_lbfgs_state *state, const kt_lbfgs_options *options, kt_tensor *const *params, int64_t n,
                                   kt_evaluate *evaluate, void *context);
KT_API void          kt_lbfgs_forget(kt_lbfgs_state *state);

/* What the optimizer keeps for a parameter, by PyTorch's name: "exp_avg", "momentum_buffer", "step"; "float32_master", of
 * `masters`. Borrowed; NULL where there is none (yet). */
KT_API kt_tensor    *kt_optimizer_state(const kt_optimizer *o, const kt_tensor *param, const char *name);

KT_END
#endif
