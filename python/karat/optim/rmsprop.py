"""RMSprop: steps by the root of the average of squared gradients."""

from ._steps import _step_rmsprop_
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

__all__ = ["RMSprop"]


class RMSprop(Optimizer):
    """RMSprop."""

    _later = {"momentum": 0, "centered": False, "foreach": None, "maximize": False, "differentiable": False,
              "capturable": False}

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

    def _start(self, group, p, state):
        state["step"] = _zero_step(group, p)
        state["square_avg"] = _zeros_beside(p)
        if group["momentum"] > 0:
            state["momentum_buffer"] = _zeros_beside(p)
        if group["centered"]:
            state["grad_avg"] = _zeros_beside(p)

    def _state_keys(self, group):
        return ("square_avg", "momentum_buffer" if group["momentum"] > 0 else None,
                "grad_avg" if group["centered"] else None, "step")

    @_recorded_if_differentiable
    def step(self, closure=None):
        """Perform a single optimization step."""
        loss = _loss_of(closure)
        for group, (params, grads, squares, buffers, averages, steps) in self._groups_to_step(xla=(True, True)):
            _step_rmsprop_(params, grads, squares, averages, buffers, steps, centered=group["centered"],
                           maximize=group["maximize"],
                           **_numbers(group, "lr", "alpha", "eps", "weight_decay", "momentum"))
        return loss
