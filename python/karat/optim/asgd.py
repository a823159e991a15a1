"""Averaged stochastic gradient descent."""

from .. import as_tensor, ones, zeros
from ._steps import _step_asgd_
from .optimizer import (
    Optimizer,
    _check_lr,
    _check_not_negative,
    _get_scalar_dtype,
    _loss_of,
    _number,
    _set_step_defaults,
    _use_grad_for_differentiable,
    _zeros_beside,
)

__all__ = ["ASGD"]


class ASGD(Optimizer):
    """Averaged stochastic gradient descent."""

    def __init__(self, params, lr=1e-2, lambd=1e-4, alpha=0.75, t0=1e6, weight_decay=0, foreach=None, maximize=False,
                 differentiable=False, capturable=False):
        _check_lr(lr)
        _check_not_negative(weight_decay, "weight_decay")
        defaults = dict(lr=lr, lambd=lambd, alpha=alpha, t0=t0, weight_decay=weight_decay, foreach=foreach, maximize=maximize,
                        differentiable=differentiable, capturable=capturable)
        super().__init__(params, defaults)

    def __setstate__(self, state):
        super().__setstate__(state)
        _set_step_defaults(self, foreach=None, maximize=False, differentiable=False, capturable=False)

    def _start(self, group, p, state):
        state["step"] = zeros((), dtype=_get_scalar_dtype(), device=p.device)
        state["eta"] = as_tensor(_number(group["lr"]), dtype=_get_scalar_dtype(), device=p.device).clone()
        state["mu"] = ones((), dtype=_get_scalar_dtype(), device=p.device)
        state["ax"] = _zeros_beside(p)

    @_use_grad_for_differentiable
    def step(self, closure=None):
        """Perform a single optimization step."""
        loss = _loss_of(closure)
        for group, params, grads, states in self._groups_to_step(", mus, etas, and state_steps"):
            _step_asgd_(params, grads, [state["ax"] for state in states], [state["eta"] for state in states],
                        [state["mu"] for state in states], [state["step"] for state in states], lr=_number(group["lr"]),
                        lambd=_number(group["lambd"]), alpha=_number(group["alpha"]), t0=_number(group["t0"]),
                        weight_decay=_number(group["weight_decay"]), maximize=group["maximize"])
        return loss
