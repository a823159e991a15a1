"""Muon: momentum, made orthogonal by Newton and Schulz's iteration."""

from .. import preserve_format, zeros_like
from ._steps import _step_muon_
from .optimizer import Optimizer, Tensor, _loss_of, _number, no_grad

__all__ = ["Muon"]

_ADJUSTMENTS = ("original", "match_rms_adamw")


class Muon(Optimizer):
    """Muon, for matrices."""

    def __init__(self, params, lr=1e-3, weight_decay=0.1, momentum=0.95, nesterov=True, ns_coefficients=(3.4445, -4.7750, 2.0315),
                 eps=1e-7, ns_steps=5, adjust_lr_fn=None):
        if isinstance(lr, Tensor) and lr.numel() != 1:
            raise ValueError("Tensor lr must be 1-element")
        if not 0.0 <= lr:
            raise ValueError(f"Learning rate should be >= 0 but is: {lr}")
        if not 0.0 <= momentum:
            raise ValueError(f"momentum should be >= 0 but is: {momentum}")
        if not 0.0 <= weight_decay:
            raise ValueError(f"weight decay should be >= 0 but is: {weight_decay}")
        if adjust_lr_fn is not None and adjust_lr_fn not in _ADJUSTMENTS:
            raise ValueError(f"Adjust learning rate function {adjust_lr_fn} is not supported")
        super().__init__(params, dict(lr=lr, weight_decay=weight_decay, momentum=momentum, nesterov=nesterov,
                                      ns_coefficients=ns_coefficients, eps=eps, ns_steps=ns_steps, adjust_lr_fn=adjust_lr_fn))
        for group in self.param_groups:
            for p in group["params"]:
                if p.ndim != 2:
                    raise ValueError(f"Muon only supports 2D parameters whereas we found a parameter with size: {p.size()}")

    def _start(self, group, p, state):
        state["momentum_buffer"] = zeros_like(p.grad, memory_format=preserve_format)

    def _state_keys(self, group):
        return ("momentum_buffer",)

    @no_grad()
    def step(self, closure=None):
        """Perform a single optimization step."""
        loss = _loss_of(closure)
        for group in self.param_groups:
            for p in group["params"]:
                if p.grad is not None and p.is_complex():
                    raise RuntimeError("Muon does not support complex parameters")
        for group, lists in self._groups_to_step():
            if len(group["ns_coefficients"]) != 3:
                raise ValueError("Coefficients must be a tuple of exactly 3 values")
            a, b, c = group["ns_coefficients"]
            _step_muon_(*lists, lr=_number(group["lr"]), weight_decay=group["weight_decay"], momentum=group["momentum"],
                        nesterov=group["nesterov"], a=a, b=b, c=c, eps=group["eps"], ns_steps=group["ns_steps"],
                        match_rms_adamw=group["adjust_lr_fn"] == "match_rms_adamw")
        return loss
