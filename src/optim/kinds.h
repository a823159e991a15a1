/* kinds.h - what an optimizer of each kind is: its options, the states of a parameter, its step.
 *
 * In: options. Out: numbers with their defaults; lists of tensors to a step. Independent of: groups, who owns tensors. */
#ifndef KT_OPTIM_KINDS_H
#define KT_OPTIM_KINDS_H

#include <karat/optim.h>

enum { KT__MOST_STATES = 4 };

typedef struct kt__settings {
    double  lr, weight_decay, momentum, dampening, beta1, beta2, eps, lr_decay, initial_accumulator_value, rho, momentum_decay,
        alpha, lambd, t0, etaminus, etaplus, step_size_min, step_size_max, beta2_decay, eps2, d;
    int64_t ns_steps;
    bool    nesterov, amsgrad, decoupled, centered, maximize, match_rms_adamw, has_eps, masters, stochastic;
} kt__settings;

typedef struct kt__lists { /* n tensors each; a state that the settings have no use for is full of NULLs */
    int64_t     n;
    kt_tensor **params, **grads, **state[KT__MOST_STATES];
    bool        first;   /* none of them has its states yet: SGD's buffers begin as the gradient */
} kt__lists;

typedef struct kt__kind {
    const char *state[KT__MOST_STATES]; /* PyTorch's names; NULL: no more */
    /* The state at the beginning, of the innermost scope; NULL without an error: the settings have no use for it. */
    kt_tensor *(*make)(const kt__settings *s, kt_tensor *param, int state);
    kt_status  (*step)(const kt__settings *s, const kt__lists *l);
} kt__kind;

extern const kt__kind kt__kinds[KT_NUM_OPTIMIZERS];

kt_status kt__settings_of(kt_optimizer_kind kind, const kt_optimizer_opts *opts, kt__settings *s);

#endif
