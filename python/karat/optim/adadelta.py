"""Adadelta: steps by the ratio of two averages."""

from ._steps import _step_adadelta_
from .optimizer import (
    Optimizer,
    _check_lr,
    _check_not_negative,
    _loss_of,
    _number,
    _set_step_defaults,
    _use_grad_for_differentiable,
    _zero_step,
    _zeros_beside,
)

__all__ = ["Adadelta"]


class Adadelta(Optimizer):
    """Adadelta."""

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

    def __setstate__(self, state):
        super().__setstate__(state)
        _set_step_defaults(self, foreach=None, maximize=False, differentiable=False, capturable=False)

    def _start(self, group, p, state):
        state["step"] = _zero_step(group, p)
        state["square_avg"] = _zeros_beside(p)
        state["acc_delta"] = _zeros_beside(p)

    @_use_grad_for_differentiable
    def step(self, closure=None):
        """Perform a single optimization step."""
        loss = _loss_of(closure)
        for group, params, grads, states in self._groups_to_step(" and state_steps", supports_xla=False):
            _step_adadelta_(params, grads, [state["square_avg"] for state in states], [state["acc_delta"] for state in states],
                            [state["step"] for state in states], lr=_number(group["lr"]), rho=_number(group["rho"]),
                            eps=_number(group["eps"]), weight_decay=_number(group["weight_decay"]), maximize=group["maximize"])
        return loss
