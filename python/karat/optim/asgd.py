"""Averaged stochastic gradient descent."""

from .. import as_tensor, ones, zeros
from ._steps import _step_asgd_
from .optimizer import (
    Optimizer,
    _check_lr,
    _check_not_negative,
    _step_dtype,
    _loss_of,
    _number,
    _numbers,
    _recorded_if_differentiable,
    _zeros_beside,
)

__all__ = ["ASGD"]


class ASGD(Optimizer):
    """Averaged stochastic gradient descent."""

    _later = {"foreach": None, "maximize": False, "differentiable": False, "capturable": False}

    def __init__(self, params, lr=1e-2, lambd=1e-4, alpha=0.75, t0=1e6, weight_decay=0, foreach=None, maximize=False,
                 differentiable=False, capturable=False):
        _check_lr(lr)
        _check_not_negative(weight_decay, "weight_decay")
        defaults = dict(lr=lr, lambd=lambd, alpha=alpha, t0=t0, weight_decay=weight_decay, foreach=foreach, maximize=maximize,
                        differentiable=differentiable, capturable=capturable)
        super().__init__(params, defaults)

    def _start(self, group, p, state):
        state["step"] = zeros((), dtype=_step_dtype(), device=p.device)
        state["eta"] = as_tensor(_number(group["lr"]), dtype=_step_dtype(), device=p.device).clone()
        state["mu"] = ones((), dtype=_step_dtype(), device=p.device)
        state["ax"] = _zeros_beside(p)

    def _state_keys(self, group):
        return "mu", "ax", "eta", "step"

    @_recorded_if_differentiable
    def step(self, closure=None):
        """Perform a single optimization step."""
        loss = _loss_of(closure)
        for group, (params, grads, mus, axs, etas, steps) in self._groups_to_step((", mus, etas, and state_steps",) * 2):
            _step_asgd_(params, grads, axs, etas, mus, steps, maximize=group["maximize"],
                        **_numbers(group, "lr", "lambd", "alpha", "t0", "weight_decay"))
        return loss
