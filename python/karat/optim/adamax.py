"""Adamax: Adam with the largest gradient instead of the average of squares."""

from ._steps import _step_adamax_
from .optimizer import (
    Optimizer,
    _check_betas,
    _check_lr,
    _check_not_negative,
    _loss_of,
    _number,
    _set_step_defaults,
    _use_grad_for_differentiable,
    _zero_step,
    _zeros_beside,
)

__all__ = ["Adamax"]


class Adamax(Optimizer):
    """Adamax."""

    def __init__(self, params, lr=2e-3, betas=(0.9, 0.999), eps=1e-8, weight_decay=0, foreach=None, *, maximize=False,
                 differentiable=False, capturable=False):
        _check_lr(lr)
        if not 0.0 <= eps:
            raise ValueError(f"Invalid epsilon value: {eps}")
        _check_betas(betas)
        _check_not_negative(weight_decay, "weight_decay")
        defaults = dict(lr=lr, betas=betas, eps=eps, weight_decay=weight_decay, foreach=foreach, maximize=maximize,
                        differentiable=differentiable, capturable=capturable)
        super().__init__(params, defaults)

    def __setstate__(self, state):
        super().__setstate__(state)
        _set_step_defaults(self, foreach=None, maximize=False, differentiable=False, capturable=False)

    def _start(self, group, p, state):
        state["step"] = _zero_step(group, p)
        state["exp_avg"] = _zeros_beside(p)
        state["exp_inf"] = _zeros_beside(p)

    @_use_grad_for_differentiable
    def step(self, closure=None):
        """Perform a single optimization step."""
        loss = _loss_of(closure)
        for group, params, grads, states in self._groups_to_step():
            _step_adamax_(params, grads, [state["exp_avg"] for state in states], [state["exp_inf"] for state in states],
                          [state["step"] for state in states], lr=_number(group["lr"]), beta1=_number(group["betas"][0]),
                          beta2=_number(group["betas"][1]), weight_decay=_number(group["weight_decay"]),
                          eps=_number(group["eps"]), maximize=group["maximize"])
        return loss
