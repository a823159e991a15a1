"""Adafactor: Adam's second average by rows and columns."""

from .. import zeros_like
from ._steps import _step_adafactor_
from .optimizer import Optimizer, _check_lr, _step_dtype, _loss_of, _number, no_grad, tensor

__all__ = ["Adafactor"]


class Adafactor(Optimizer):
    """Adafactor."""

    _later = {"foreach": None}

    def __init__(self, params, lr=1e-2, beta2_decay=-0.8, eps=(None, 1e-3), d=1.0, weight_decay=0.0, *, foreach=None,
                 maximize=False):
        _check_lr(lr, "Learning rate should be >= 0 but is: ")
        if not 0.0 >= beta2_decay:
            raise ValueError(f"beta2_decay should be <= 0 but is: {beta2_decay}")
        if eps[0] is not None and not 0.0 <= eps[0]:
            raise ValueError(f"epsilon1 should be >= 0 but is: {eps[0]}")
        if not 0.0 <= eps[1]:
            raise ValueError(f"epsilon2 should be >= 0 but is: {eps[1]}")
        if not 1.0 <= d:
            raise ValueError(f"Clipping threshold d should be >= 1 but is: {d}")
        if not 0.0 <= weight_decay:
            raise ValueError(f"weight_decay should be >= 0 but is: {weight_decay}")
        super().__init__(params, dict(lr=lr, beta2_decay=beta2_decay, eps=eps, d=d, weight_decay=weight_decay, foreach=foreach,
                                      maximize=maximize))

    def _start(self, group, p, state):
        state["step"] = tensor(0.0, dtype=_step_dtype())
        grad = p.grad
        if grad.dim() > 1:
            state["row_var"] = grad.new_zeros((*grad.shape[:-1], 1))
            state["col_var"] = grad.new_zeros((*grad.shape[:-2], 1, grad.shape[-1]))
        else:
            state["variance"] = zeros_like(grad)

    def _state_keys(self, group):
        return "row_var", "col_var", "variance", "step"

    @no_grad()
    def step(self, closure=None):
        """Perform a single optimization step."""
        loss = _loss_of(closure)
        for group in self.param_groups:
            for p in group["params"]:
                if p.grad is not None and p.is_complex():
                    raise RuntimeError("Adafactor does not support complex parameters")
        for group, lists in self._groups_to_step():
            eps1, eps2 = group["eps"]
            _step_adafactor_(*lists, lr=_number(group["lr"]), beta2_decay=group["beta2_decay"], eps1=eps1, eps2=eps2,
                             d=group["d"], weight_decay=group["weight_decay"], maximize=group["maximize"])
        return loss
