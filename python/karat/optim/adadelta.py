"""Adadelta: steps by the ratio of two averages."""

from ._steps import _step_adadelta_
from .optimizer import (
    Optimizer,
    _check_lr,
    _check_not_negative,
    _loss_of,
    _numbers,
    _recorded_if_differentiable,
    _zero_step,
    _zeros_beside,
)

__all__ = ["Adadelta"]


class Adadelta(Optimizer):
    """Adadelta."""

    _later = {"foreach": None, "maximize": False, "differentiable": False, "capturable": False}

    def __init__(self, params, lr=1.0, rho=0.9, eps=1e-6, weight_decay=0, foreach=None, *, capturable=False, maximize=False,
                 differentiable=False):
        _check_lr(lr)
        if not 0.0 <= rho <= 1.0:
            raise ValueError(f"Invalid rho value: {rho}")
        if not 0.0 <= eps:
            raise ValueError(f"Invalid epsilon value: {eps}")
        _check_not_negative(weight_decay, "weight_decay")
        defaults = dict(lr=lr, rho=rho, eps=eps, weight_decay=weight_decay, maximize=maximize, capturable=capturable,
                        foreach=foreach, differentiable=differentiable)
        super().__init__(params, defaults)

    def _start(self, group, p, state):
        state["step"] = _zero_step(group, p)
        state["square_avg"] = _zeros_beside(p)
        state["acc_delta"] = _zeros_beside(p)

    def _state_keys(self, group):
        return "square_avg", "acc_delta", "step"

    @_recorded_if_differentiable
    def step(self, closure=None):
        """Perform a single optimization step."""
        loss = _loss_of(closure)
        for group, lists in self._groups_to_step(xla=(False, False)):
            _step_adadelta_(*lists, maximize=group["maximize"], **_numbers(group, "lr", "rho", "eps", "weight_decay"))
        return loss
