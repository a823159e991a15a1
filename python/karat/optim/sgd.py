"""Stochastic gradient descent, with momentum."""

from .. import _fused_sgd_, empty_like
from ._steps import _step_sgd_
from .optimizer import (
    Optimizer,
    _check_fused,
    _check_lr,
    _check_not_negative,
    _check_fused_param,
    _followed,
    _loss_of,
    _number,
    _on_device_of,
    _plain,
    _recorded_if_differentiable,
)

__all__ = ["SGD", "sgd"]


class SGD(Optimizer):
    """Stochastic gradient descent."""

    _later = {"nesterov": False, "maximize": False, "foreach": None, "differentiable": False, "fused": False}

    def __init__(self, params, lr=1e-3, momentum=0, dampening=0, weight_decay=0, nesterov=False, *, maximize=False, foreach=None,
                 differentiable=False, fused=None):
        _check_lr(lr)
        _check_not_negative(momentum, "momentum")
        _check_not_negative(weight_decay, "weight_decay")
        defaults = dict(lr=lr, momentum=momentum, dampening=dampening, weight_decay=weight_decay, nesterov=nesterov,
                        maximize=maximize, foreach=foreach, differentiable=differentiable, fused=fused)
        if nesterov and (momentum <= 0 or dampening != 0):
            raise ValueError("Nesterov momentum requires a momentum and zero dampening")
        super().__init__(params, defaults)
        if fused:
            _check_fused(self, differentiable, foreach)

    def _init_group(self, group, params, grads, momentum_buffer_list):
        """Adds what a step is given to the lists. False: no gradient is sparse."""
        momentum = group["momentum"] != 0
        for p in group["params"]:
            grad = p.grad
            if grad is not None:
                params.append(p)
                grads.append(grad)
                if momentum:
                    momentum_buffer_list.append(self.state[p].get("momentum_buffer"))
        return False

    @_recorded_if_differentiable
    def step(self, closure=None):
        """Perform a single optimization step."""
        loss = _loss_of(closure)
        for group in self.param_groups:
            params, grads, buffers = [], [], []
            self._init_group(group, params, grads, buffers)
            if not params:
                continue
            if group["momentum"] == 0:
                self._run(group, params, grads, [], False)
                continue
            if all(buffer is not None for buffer in buffers):
                self._run(group, params, grads, buffers, False)
                continue
            new = [buffer is None for buffer in buffers]
            for first in (True, False):
                chosen = [i for i, is_new in enumerate(new) if is_new is first]
                if not chosen:
                    continue
                for i in chosen:
                    if first:
                        buffers[i] = self.state[params[i]]["momentum_buffer"] = empty_like(grads[i])
                self._run(group, [params[i] for i in chosen], [grads[i] for i in chosen], [buffers[i] for i in chosen], first)
        return loss

    def _run(self, group, params, grads, buffers, first):
        lr, decay, momentum = group["lr"], group["weight_decay"], group["momentum"]
        fused = group["fused"]
        options = dict(weight_decay=_plain(decay), momentum=_plain(momentum), dampening=_number(group["dampening"]),
                       nesterov=group["nesterov"], maximize=group["maximize"], is_first_step=first)
        if not fused:
            followed = _followed(lr, decay, momentum) if group["differentiable"] else []
            _step_sgd_(params, grads, buffers, followed, lr=_plain(lr), **options)
            return
        for p in params:
            _check_fused_param(p)
        scale, found_inf = _on_device_of(params, getattr(self, "grad_scale", None), getattr(self, "found_inf", None))
        _fused_sgd_(params, grads, buffers, lr=lr, grad_scale=scale, found_inf=found_inf, **options)


def sgd(params, d_p_list, momentum_buffer_list, has_sparse_grad=False, foreach=None, fused=None, grad_scale=None, found_inf=None,
        *, weight_decay, momentum, lr, dampening, nesterov, maximize):
    """A step of SGD of lists of tensors; buffers that are None are made."""
    first = bool(momentum_buffer_list) and momentum_buffer_list[0] is None
    if momentum != 0:
        for i, buffer in enumerate(momentum_buffer_list):
            if buffer is None:
                momentum_buffer_list[i] = empty_like(d_p_list[i])
    _step_sgd_(params, d_p_list, momentum_buffer_list if momentum != 0 else [], _followed(lr, weight_decay, momentum),
               lr=_plain(lr), weight_decay=_plain(weight_decay), momentum=_plain(momentum), dampening=dampening,
               nesterov=nesterov, maximize=maximize, is_first_step=first)
