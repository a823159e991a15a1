"""NAdam: Adam with Nesterov momentum."""

from .. import ones
from ._steps import _step_nadam_
from .optimizer import (
    Optimizer,
    _check_betas,
    _check_lr,
    _check_not_negative,
    _get_scalar_dtype,
    _loss_of,
    _number,
    _set_step_defaults,
    _use_grad_for_differentiable,
    _zero_step,
    _zeros_beside,
)

__all__ = ["NAdam"]


class NAdam(Optimizer):
    """NAdam."""

    def __init__(self, params, lr=2e-3, betas=(0.9, 0.999), eps=1e-8, weight_decay=0, momentum_decay=4e-3,
                 decoupled_weight_decay=False, *, foreach=None, maximize=False, capturable=False,
                 differentiable=False):
        _check_lr(lr)
        if not 0.0 <= eps:
            raise ValueError(f"Invalid epsilon value: {eps}")
        _check_betas(betas)
        _check_not_negative(weight_decay, "weight_decay")
        _check_not_negative(momentum_decay, "momentum_decay")
        defaults = dict(lr=lr, betas=betas, eps=eps, weight_decay=weight_decay, momentum_decay=momentum_decay,
                        decoupled_weight_decay=decoupled_weight_decay, maximize=maximize, foreach=foreach, capturable=capturable,
                        differentiable=differentiable)
        super().__init__(params, defaults)

    def __setstate__(self, state):
        super().__setstate__(state)
        _set_step_defaults(self, maximize=False, foreach=None, capturable=False, differentiable=False,
                           decoupled_weight_decay=False)

    def _start(self, group, p, state):
        state["step"] = _zero_step(group, p)
        state["mu_product"] = ones((), dtype=_get_scalar_dtype(), device=p.device if group["capturable"] else None)
        state["exp_avg"] = _zeros_beside(p)
        state["exp_avg_sq"] = _zeros_beside(p)

    @_use_grad_for_differentiable
    def step(self, closure=None):
        """Perform a single optimization step."""
        loss = _loss_of(closure)
        for group, params, grads, states in self._groups_to_step(", mu_products and state_steps"):
            _step_nadam_(params, grads, [state["exp_avg"] for state in states], [state["exp_avg_sq"] for state in states],
                         [state["mu_product"] for state in states], [state["step"] for state in states], lr=_number(group["lr"]),
                         beta1=_number(group["betas"][0]), beta2=_number(group["betas"][1]),
                         weight_decay=_number(group["weight_decay"]), momentum_decay=_number(group["momentum_decay"]),
                         eps=_number(group["eps"]), decoupled_weight_decay=group["decoupled_weight_decay"],
                         maximize=group["maximize"])
        return loss
