"""Adamax: Adam with the largest gradient instead of the average of squares."""

from ._steps import _step_adamax_
from .optimizer import (
    Optimizer,
    _check_betas,
    _check_lr,
    _check_not_negative,
    _loss_of,
    _number,
    _numbers,
    _recorded_if_differentiable,
    _zero_step,
    _zeros_beside,
)

__all__ = ["Adamax"]


class Adamax(Optimizer):
    """Adamax."""

    _later = {"foreach": None, "maximize": False, "differentiable": False, "capturable": False}

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

    def _start(self, group, p, state):
        state["step"] = _zero_step(group, p)
        state["exp_avg"] = _zeros_beside(p)
        state["exp_inf"] = _zeros_beside(p)

    def _state_keys(self, group):
        return "exp_avg", "exp_inf", "step"

    @_recorded_if_differentiable
    def step(self, closure=None):
        """Perform a single optimization step."""
        loss = _loss_of(closure)
        for group, lists in self._groups_to_step():
            beta1, beta2 = group["betas"]
            _step_adamax_(*lists, beta1=_number(beta1), beta2=_number(beta2), maximize=group["maximize"],
                          **_numbers(group, "lr", "weight_decay", "eps"))
        return loss
