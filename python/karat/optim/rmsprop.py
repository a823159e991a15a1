"""RMSprop: steps by the root of the average of squared gradients."""

from ._steps import _step_rmsprop_
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

__all__ = ["RMSprop"]


class RMSprop(Optimizer):
    """RMSprop."""

    def __init__(self, params, lr=1e-2, alpha=0.99, eps=1e-8, weight_decay=0, momentum=0, centered=False, capturable=False,
                 foreach=None, maximize=False, differentiable=False):
        _check_lr(lr)
        if not 0.0 <= eps:
            raise ValueError(f"Invalid epsilon value: {eps}")
        _check_not_negative(momentum, "momentum")
        _check_not_negative(weight_decay, "weight_decay")
        _check_not_negative(alpha, "alpha")
        defaults = dict(lr=lr, momentum=momentum, alpha=alpha, eps=eps, centered=centered, weight_decay=weight_decay,
                        capturable=capturable, foreach=foreach, maximize=maximize, differentiable=differentiable)
        super().__init__(params, defaults)

    def __setstate__(self, state):
        super().__setstate__(state)
        _set_step_defaults(self, momentum=0, centered=False, foreach=None, maximize=False, differentiable=False, capturable=False)

    def _start(self, group, p, state):
        state["step"] = _zero_step(group, p)
        state["square_avg"] = _zeros_beside(p)
        if group["momentum"] > 0:
            state["momentum_buffer"] = _zeros_beside(p)
        if group["centered"]:
            state["grad_avg"] = _zeros_beside(p)

    @_use_grad_for_differentiable
    def step(self, closure=None):
        """Perform a single optimization step."""
        loss = _loss_of(closure)
        for group, params, grads, states in self._groups_to_step():
            _step_rmsprop_(params, grads, [state["square_avg"] for state in states],
                           [state["grad_avg"] for state in states] if group["centered"] else [],
                           [state["momentum_buffer"] for state in states] if group["momentum"] > 0 else [],
                           [state["step"] for state in states], lr=_number(group["lr"]), alpha=_number(group["alpha"]),
                           eps=_number(group["eps"]), weight_decay=_number(group["weight_decay"]),
                           momentum=_number(group["momentum"]), centered=group["centered"], maximize=group["maximize"])
        return loss
