"""NAdam: Adam with Nesterov momentum."""

from .. import ones
from ._steps import _step_nadam_
from .optimizer import (
    Optimizer,
    _check_betas,
    _check_lr,
    _check_not_negative,
    _followed,
    _step_dtype,
    _loss_of,
    _number,
    _numbers,
    _plain,
    _recorded_if_differentiable,
    _zero_step,
    _zeros_beside,
)

__all__ = ["NAdam"]


class NAdam(Optimizer):
    """NAdam."""

    _later = {"maximize": False, "foreach": None, "capturable": False, "differentiable": False,
              "decoupled_weight_decay": False}

    def __init__(self, params, lr=2e-3, betas=(0.9, 0.999), eps=1e-8, weight_decay=0, momentum_decay=4e-3,
                 decoupled_weight_decay=False, *, foreach=None, maximize=False, capturable=False,
                 differentiable=False):
        _check_lr(lr)
        if not 0.0 <= eps:
            raise ValueError(f"Invalid epsilon value: {eps}")
        _check_betas(betas)
        _check_not_negative(weight_decay, "weight_decay")
        _check_not_negative(momentum_decay, "momentum_decay")
        defaults = dict(lr=lr, betas=betas, eps=eps, weight_decay=weight_decay, momentum_decay=momentum_decay,
                        decoupled_weight_decay=decoupled_weight_decay, maximize=maximize, foreach=foreach, capturable=capturable,
                        differentiable=differentiable)
        super().__init__(params, defaults)

    def _start(self, group, p, state):
        state["step"] = _zero_step(group, p)
        state["mu_product"] = ones((), dtype=_step_dtype(), device=p.device if group["capturable"] else None)
        state["exp_avg"] = _zeros_beside(p)
        state["exp_avg_sq"] = _zeros_beside(p)

    def _state_keys(self, group):
        return "exp_avg", "exp_avg_sq", "mu_product", "step"

    @_recorded_if_differentiable
    def step(self, closure=None):
        """Perform a single optimization step."""
        loss = _loss_of(closure)
        for group, lists in self._groups_to_step((", mu_products and state_steps", ", mu_products, and state_steps")):
            beta1, beta2 = group["betas"]
            _step_nadam_(*lists, _followed(group["lr"]), lr=_plain(group["lr"]), beta1=_number(beta1), beta2=_number(beta2),
                         decoupled_weight_decay=group["decoupled_weight_decay"], maximize=group["maximize"],
                         **_numbers(group, "weight_decay", "momentum_decay", "eps"))
        return loss
