"""RAdam: Adam that waits with adapting its steps until their variance is known."""

from ._steps import _step_radam_
from .optimizer import (
    Optimizer,
    _check_betas,
    _check_lr,
    _check_not_negative,
    _followed,
    _loss_of,
    _number,
    _numbers,
    _plain,
    _recorded_if_differentiable,
    _zero_step,
    _zeros_beside,
)

__all__ = ["RAdam"]


class RAdam(Optimizer):
    """RAdam."""

    _later = {"foreach": None, "maximize": False, "differentiable": False, "decoupled_weight_decay": False,
              "capturable": False}

    def __init__(self, params, lr=1e-3, betas=(0.9, 0.999), eps=1e-8, weight_decay=0, decoupled_weight_decay=False, *,
                 foreach=None, maximize=False, capturable=False, differentiable=False):
        _check_lr(lr)
        if not 0.0 <= eps:
            raise ValueError(f"Invalid epsilon value: {eps}")
        _check_betas(betas)
        _check_not_negative(weight_decay, "weight_decay")
        defaults = dict(lr=lr, betas=betas, eps=eps, weight_decay=weight_decay, maximize=maximize, foreach=foreach,
                        capturable=capturable, decoupled_weight_decay=decoupled_weight_decay, differentiable=differentiable)
        super().__init__(params, defaults)

    def _start(self, group, p, state):
        state["step"] = _zero_step(group, p)
        state["exp_avg"] = _zeros_beside(p)
        state["exp_avg_sq"] = _zeros_beside(p)

    def _state_keys(self, group):
        return "exp_avg", "exp_avg_sq", "step"

    @_recorded_if_differentiable
    def step(self, closure=None):
        """Perform a single optimization step."""
        loss = _loss_of(closure)
        for group, lists in self._groups_to_step():
            beta1, beta2 = group["betas"]
            _step_radam_(*lists, _followed(group["lr"]), lr=_plain(group["lr"]), beta1=_number(beta1), beta2=_number(beta2),
                         decoupled_weight_decay=group["decoupled_weight_decay"], maximize=group["maximize"],
                         **_numbers(group, "weight_decay", "eps"))
        return loss
