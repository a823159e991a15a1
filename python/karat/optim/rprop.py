"""Rprop: steps by the signs of gradients."""

from .. import full_like
from ._steps import _step_rprop_
from .optimizer import (
    Optimizer,
    _check_lr,
    _loss_of,
    _number,
    _recorded_if_differentiable,
    _zero_step,
    _zeros_beside,
)

__all__ = ["Rprop"]


class Rprop(Optimizer):
    """Resilient backpropagation."""

    _later = {"foreach": None, "maximize": False, "differentiable": False, "capturable": False}

    def __init__(self, params, lr=1e-2, etas=(0.5, 1.2), step_sizes=(1e-6, 50), *, capturable=False, foreach=None, maximize=False,
                 differentiable=False):
        _check_lr(lr)
        if not 0.0 < etas[0] < 1.0 < etas[1]:
            raise ValueError(f"Invalid eta values: {etas[0]}, {etas[1]}")
        defaults = dict(lr=lr, etas=etas, step_sizes=step_sizes, foreach=foreach, maximize=maximize,
                        differentiable=differentiable, capturable=capturable)
        super().__init__(params, defaults)

    def _start(self, group, p, state):
        state["step"] = _zero_step(group, p)
        state["prev"] = _zeros_beside(p)
        size = _number(group["lr"])
        state["step_size"] = full_like(p.grad, complex(size, size) if p.is_complex() else size)

    def _state_keys(self, group):
        return "prev", "step_size", "step"

    @_recorded_if_differentiable
    def step(self, closure=None):
        """Perform a single optimization step."""
        loss = _loss_of(closure)
        for group, lists in self._groups_to_step(xla=(True, True)):
            (etaminus, etaplus), (smallest, largest) = group["etas"], group["step_sizes"]
            _step_rprop_(*lists, step_size_min=smallest, step_size_max=largest, etaminus=etaminus, etaplus=etaplus,
                         maximize=group["maximize"])
        return loss
