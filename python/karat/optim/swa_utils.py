"""torch.optim.swa_utils: averages of a model's weights along its training."""

import itertools
import math
from contextlib import contextmanager
from copy import deepcopy

from .. import Tensor, long, no_grad, tensor
from ._steps import _ema_average, _ema_update_, _swa_average, _swa_update_
from .lr_scheduler import LRScheduler, _one_per_group
from ..nn.modules.module import Module

__all__ = ["AveragedModel", "update_bn", "SWALR", "get_ema_multi_avg_fn", "get_swa_multi_avg_fn", "get_ema_avg_fn",
           "get_swa_avg_fn"]


def _check_decay(decay):
    if decay < 0.0 or decay > 1.0:
        raise ValueError(f"Invalid decay value {decay} provided. Please provide a value in [0,1] range.")


def get_ema_multi_avg_fn(decay=0.999):
    """Moves the tensors of a list towards those of another, by 1 - decay."""
    _check_decay(decay)

    @no_grad()
    def ema_update(ema_param_list, current_param_list, _):
        _ema_update_(ema_param_list, current_param_list, decay)

    return ema_update


def get_swa_multi_avg_fn():
    """Each tensor of a list becomes the average of all that came so far."""

    @no_grad()
    def swa_update(averaged_param_list, current_param_list, num_averaged):
        _swa_update_(averaged_param_list, current_param_list, float(num_averaged), isinstance(num_averaged, Tensor))

    return swa_update


def get_ema_avg_fn(decay=0.999):
    """decay times the average, and the rest of the current one."""
    _check_decay(decay)

    @no_grad()
    def ema_update(ema_param, current_param, num_averaged):
        return _ema_average(ema_param, current_param, decay)

    return ema_update


def get_swa_avg_fn():
    """The average of all that came so far."""

    @no_grad()
    def swa_update(averaged_param, current_param, num_averaged):
        return _swa_average(averaged_param, current_param, num_averaged)

    return swa_update


class AveragedModel(Module):
    """A copy of a model whose parameters are averages; update_parameters takes the model's current ones in."""

    def __init__(self, model, device=None, avg_fn=None, multi_avg_fn=None, use_buffers=False):
        super().__init__()
        if avg_fn is not None and multi_avg_fn is not None:
            raise AssertionError("Only one of avg_fn and multi_avg_fn should be provided")
        self.module = deepcopy(model)
        if device is not None:
            self.module = self.module.to(device)
        self.register_buffer("n_averaged", tensor(0, dtype=long, device=device))
        self.avg_fn = avg_fn
        self.multi_avg_fn = multi_avg_fn
        self.use_buffers = use_buffers

    def forward(self, *args, **kwargs):
        return self.module(*args, **kwargs)

    def _values(self, model):
        return itertools.chain(model.parameters(), model.buffers()) if self.use_buffers else model.parameters()

    def update_parameters(self, model):
        """Take the current parameters of the model in."""
        pairs = [(average.detach(), current.detach().to(average.device))
                 for average, current in zip(self._values(self.module), self._values(model))]
        if self.n_averaged == 0:
            for average, current in pairs:
                average.copy_(current)
        elif self.avg_fn is not None:
            for average, current in pairs:
                average.copy_(self.avg_fn(average, current, self.n_averaged.to(average.device)))
        else:
            self._update_many(pairs)
        if not self.use_buffers:
            for average, current in zip(self.module.buffers(), model.buffers()):
                average.detach().copy_(current.detach().to(average.device))
        self.n_averaged.add_(1)

    def _update_many(self, pairs):
        groups = {}
        for average, current in pairs:
            groups.setdefault((average.device, average.dtype), ([], []))
            for values, one in zip(groups[average.device, average.dtype], (average, current)):
                values.append(one)
        for (device, dtype), (averages, currents) in groups.items():
            count = self.n_averaged.to(device)
            if self.multi_avg_fn is None and not (dtype.is_floating_point or dtype.is_complex):
                for average, current in zip(averages, currents):  # a number that counts is rounded down
                    average.copy_(_swa_average(average, current, count))
            else:
                (self.multi_avg_fn or get_swa_multi_avg_fn())(averages, currents, count)


@contextmanager
def _counted_anew(model):
    """The batch norms of a model forget their statistics, and weigh all batches alike: they have no momentum meanwhile."""
    from ..nn.modules.batchnorm import _BatchNorm

    norms = {module: module.momentum for module in model.modules() if isinstance(module, _BatchNorm)}
    for module in norms:
        module.reset_running_stats()
        module.momentum = None
    was_training = model.training
    try:
        yield norms
    finally:
        for module, momentum in norms.items():
            module.momentum = momentum
        model.train(was_training)


@no_grad()
def update_bn(loader, model, device=None):
    """Let the batch norms of a model see all batches of the loader, and average their statistics."""
    with _counted_anew(model) as norms:
        if not norms:
            return
        model.train()
        for batch in loader:
            inputs = batch[0] if isinstance(batch, (list, tuple)) else batch
            model(inputs if device is None else inputs.to(device))


class SWALR(LRScheduler):
    """From the current rate to swa_lr in anneal_epochs, then constant."""

    def __init__(self, optimizer, swa_lr, anneal_epochs=10, anneal_strategy="cos", last_epoch=-1):
        for rate, group in zip(_one_per_group("swa_lr", optimizer, swa_lr), optimizer.param_groups):
            group["swa_lr"] = rate
        if anneal_strategy not in ("cos", "linear"):
            raise ValueError(f"anneal_strategy must by one of 'cos' or 'linear', instead got {anneal_strategy}")
        self._anneal_strategy = anneal_strategy
        if not isinstance(anneal_epochs, int) or anneal_epochs < 0:
            raise ValueError(f"anneal_epochs must be equal or greater than 0, got {anneal_epochs}")
        self.anneal_epochs = anneal_epochs
        super().__init__(optimizer, last_epoch)

    def anneal_func(self, t):
        """How far the rate has gone to swa_lr at part t of the epochs."""
        return t if self._anneal_strategy == "linear" else (1 - math.cos(math.pi * t)) / 2

    def _share(self, step):
        return self.anneal_func(max(0, min(1, step / max(1, self.anneal_epochs))))

    def get_lr(self):
        """The next rates."""
        if not self._get_lr_called_within_step:
            self._asked()
        step = self._step_count - 1
        if self.anneal_epochs == 0:
            step = max(1, step)
        before, now, rates = self._share(step - 1), self._share(step), []
        for group in self.optimizer.param_groups:
            swa = group["swa_lr"]
            start = swa if before == 1 else (group["lr"] - before * swa) / (1 - before)
            rates.append(swa * now + start * (1 - now))
        return rates
