"""Adagrad: steps shrink with the sum of squared gradients."""

from .. import _foreach_add_, _foreach_sub_, _fused_adagrad_, full_like, preserve_format
from ._steps import _step_adagrad_
from .optimizer import (
    Optimizer,
    _check_fused,
    _check_lr,
    _check_not_negative,
    _check_fused_param,
    _loss_of,
    _number,
    _numbers,
    _on_device_of,
    _recorded_if_differentiable,
    _zero_step,
)

__all__ = ["Adagrad"]


class Adagrad(Optimizer):
    """Adagrad."""

    _later = {"foreach": None, "maximize": False, "differentiable": False, "fused": None}

    def __init__(self, params, lr=1e-2, lr_decay=0, weight_decay=0, initial_accumulator_value=0, eps=1e-10, foreach=None, *,
                 maximize=False, differentiable=False, fused=None):
        _check_lr(lr)
        _check_not_negative(lr_decay, "lr_decay")
        _check_not_negative(weight_decay, "weight_decay")
        _check_not_negative(initial_accumulator_value, "initial_accumulator_value")
        if not 0.0 <= eps:
            raise ValueError(f"Invalid epsilon value: {eps}")
        defaults = dict(lr=lr, lr_decay=lr_decay, eps=eps, weight_decay=weight_decay,
                        initial_accumulator_value=initial_accumulator_value, foreach=foreach, maximize=maximize,
                        differentiable=differentiable, fused=fused)
        super().__init__(params, defaults)
        if fused:
            _check_fused(self, differentiable, foreach, unscales=False)
        for group in self.param_groups:
            for p in group["params"]:
                self._start(group, p, self.state[p])

    def _start(self, group, p, state):
        state["step"] = _zero_step(group, p)
        start = group["initial_accumulator_value"]
        state["sum"] = full_like(p, complex(start, start) if p.is_complex() else start, memory_format=preserve_format)

    def _state_keys(self, group):
        return "sum", "step"

    def _init_group(self, group, params_with_grad, grads, state_sums, state_steps):
        """The same as of others; (whether a gradient is sparse, whether a parameter is complex)."""
        return False, super()._init_group(group, params_with_grad, grads, state_sums, state_steps)

    def share_memory(self):
        """Move the state into memory that processes share."""
        for state in self.state.values():
            state["sum"].share_memory_()

    @_recorded_if_differentiable
    def step(self, closure=None):
        """Perform a single optimization step."""
        loss = _loss_of(closure)
        for group, (params, grads, sums, steps) in self._groups_to_step():
            options = dict(maximize=group["maximize"], **_numbers(group, "lr_decay", "weight_decay", "eps"))
            if not group["fused"]:
                _step_adagrad_(params, grads, sums, steps, lr=_number(group["lr"]), **options)
                continue
            for p in params:
                _check_fused_param(p, cuda_unsupported=True)
            scale, found_inf = _on_device_of(params, getattr(self, "grad_scale", None), getattr(self, "found_inf", None))
            _foreach_add_(steps, 1)
            _fused_adagrad_(params, grads, sums, steps, lr=group["lr"], grad_scale=scale, found_inf=found_inf, **options)
            if found_inf is not None:
                _foreach_sub_(steps, [found_inf] * len(steps))
        return loss
