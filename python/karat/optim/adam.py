"""Adam, and AdamW by decoupled_weight_decay."""

from .. import Tensor, _foreach_add_, _foreach_sub_, _fused_adam_, _fused_adamw_
from ._steps import _step_adam_
from .optimizer import (
    Optimizer,
    _check_capturable,
    _check_foreach,
    _check_fused,
    _check_lr,
    _check_not_negative,
    _check_fused_param,
    _loss_of,
    _on_device_of,
    _plain,
    _recorded_if_differentiable,
    _zero_step,
    _zeros_beside,
)

__all__ = ["Adam", "adam"]


def _check_betas(betas, foreach, capturable):
    for i in range(2):
        if not 0.0 <= betas[i] < 1.0:
            raise ValueError(f"Invalid beta parameter at index {i}: {betas[i]}")
    tensors = [isinstance(beta, Tensor) for beta in betas]
    if tensors[0] != tensors[1]:
        raise ValueError("betas must be either both floats or both Tensors")
    for i in range(2):
        if tensors[i] and foreach and not capturable:
            raise ValueError(f"betas[{i}] as a Tensor is not supported for capturable=False and foreach=True")
        if tensors[i] and betas[i].numel() != 1:
            raise ValueError(f"Tensor betas[{i}] must be 1-element")


class Adam(Optimizer):
    """Adam: averages of the gradient and of its square."""

    _later = {"amsgrad": False, "maximize": False, "foreach": None, "capturable": False, "differentiable": False,
              "fused": None, "decoupled_weight_decay": False}

    def __init__(self, params, lr=1e-3, betas=(0.9, 0.999), eps=1e-8, weight_decay=0, amsgrad=False, *, foreach=None,
                 maximize=False, capturable=False, differentiable=False, fused=None, decoupled_weight_decay=False):
        if isinstance(lr, Tensor):
            if foreach and not capturable:
                raise ValueError("lr as a Tensor is not supported for capturable=False and foreach=True")
        _check_lr(lr)
        if not 0.0 <= eps:
            raise ValueError(f"Invalid epsilon value: {eps}")
        _check_betas(betas, foreach, capturable)
        _check_not_negative(weight_decay, "weight_decay")
        defaults = dict(lr=lr, betas=betas, eps=eps, weight_decay=weight_decay, amsgrad=amsgrad, maximize=maximize,
                        foreach=foreach, capturable=capturable, differentiable=differentiable, fused=fused,
                        decoupled_weight_decay=decoupled_weight_decay)
        super().__init__(params, defaults)
        if fused:
            _check_fused(self, differentiable, foreach)

    def _start(self, group, p, state):
        if group["fused"]:
            _check_fused_param(p)
        state["step"] = _zero_step(group, p)
        state["exp_avg"] = _zeros_beside(p)
        state["exp_avg_sq"] = _zeros_beside(p)
        if group["amsgrad"]:
            state["max_exp_avg_sq"] = _zeros_beside(p)

    def _state_keys(self, group):
        return "exp_avg", "exp_avg_sq", "max_exp_avg_sq" if group["amsgrad"] else None, "step"

    @_recorded_if_differentiable
    def step(self, closure=None):
        """Perform a single optimization step."""
        loss = _loss_of(closure)
        for group in self.param_groups:
            lists = self._lists(group)
            if lists[0]:
                _run(group, *lists, getattr(self, "grad_scale", None), getattr(self, "found_inf", None))
        return loss


def _run(group, params, grads, averages, squares, largest, steps, grad_scale=None, found_inf=None):
    beta1, beta2 = group["betas"]
    # A recorded step calculates with tensors, as in PyTorch, and tensors among the options keep their dtype.
    tensors = (group["lr"], beta1, beta2, group["weight_decay"], group["eps"]) if group["differentiable"] else ()
    followed = [x if isinstance(x, Tensor) and x.is_floating_point() else None for x in tensors]
    options = dict(beta1=_plain(beta1), beta2=_plain(beta2), weight_decay=_plain(group["weight_decay"]),
                   eps=_plain(group["eps"]), amsgrad=group["amsgrad"], maximize=group["maximize"])
    decoupled = group["decoupled_weight_decay"]
    if group["fused"] or group["capturable"]:
        if not group["fused"]:
            _check_capturable(" and state_steps", params, not group["foreach"])
        grad_scale, found_inf = _on_device_of(params, grad_scale, found_inf)
        _foreach_add_(steps, 1)
        (_fused_adamw_ if decoupled else _fused_adam_)(params, grads, averages, squares, largest, steps, lr=group["lr"],
                                                      grad_scale=grad_scale, found_inf=found_inf, **options)
        if found_inf is not None:
            _foreach_sub_(steps, [found_inf] * len(steps))
        return
    _check_foreach(group)
    _step_adam_(params, grads, averages, squares, largest, steps, followed, lr=_plain(group["lr"]),
                decoupled_weight_decay=decoupled, **options)


def adam(params, grads, exp_avgs, exp_avg_sqs, max_exp_avg_sqs, state_steps, foreach=None, capturable=False, differentiable=False,
         fused=None, grad_scale=None, found_inf=None, has_complex=False, decoupled_weight_decay=False, *, amsgrad, beta1, beta2,
         lr, weight_decay, eps, maximize):
    """A step of Adam of lists of tensors."""
    group = dict(lr=lr, betas=(beta1, beta2), eps=eps, weight_decay=weight_decay, amsgrad=amsgrad, maximize=maximize,
                 foreach=foreach, capturable=capturable, differentiable=differentiable, fused=fused,
                 decoupled_weight_decay=decoupled_weight_decay)
    _run(group, params, grads, exp_avgs, exp_avg_sqs, max_exp_avg_sqs, state_steps, grad_scale, found_inf)
