"""torch.optim.lr_scheduler: learning rates (and momenta) that change from step to step.

A schedule is a function of the step. Most give the rate as a share of the base rate (_share); step(epoch) does so. But several
may be chained, each changing the rate that the one before it left in the groups; so step() multiplies what is there by the ratio
of two shares (_ratio). In exact numbers both are one. Their last bits differ, and printed rates show them: a schedule writes its
ratio as a formula of its own where PyTorch's digits come from another one than the quotient.

LRScheduler is the driver of all of them: it counts steps, sets the groups' rates, warns, and keeps the state. It calculates with
Python's floats; a rate that is a tensor is written to.
"""

import math
import types
import warnings
from bisect import bisect_right
from collections import Counter
from functools import partial, wraps
from operator import itemgetter
from weakref import ref

from .. import Tensor
from .optimizer import Optimizer, _plain

__all__ = ["LambdaLR", "MultiplicativeLR", "StepLR", "MultiStepLR", "ConstantLR", "LinearLR", "ExponentialLR", "SequentialLR",
           "CosineAnnealingLR", "ChainedScheduler", "ReduceLROnPlateau", "CyclicLR", "CosineAnnealingWarmRestarts", "OneCycleLR",
           "PolynomialLR", "LRScheduler"]

EPOCH_DEPRECATION_WARNING = (
    "The epoch parameter in `scheduler.step()` was not necessary and is being deprecated where possible. Please use "
    "`scheduler.step()` to step the scheduler. During the deprecation, if epoch is different from None, the closed form is used "
    "instead of the new chainable form, where available. Please open an issue if you are unable to replicate your use case: "
    "https://github.com/pytorch/pytorch/issues/new/choose.")
_MORE = "See more details at https://pytorch.org/docs/stable/optim.html#how-to-adjust-learning-rate"
_EARLY = (
    "Detected call of `lr_scheduler.step()` before `optimizer.step()`. In PyTorch 1.1.0 and later, you should call them in the "
    "opposite order: `optimizer.step()` before `lr_scheduler.step()`.  Failure to do this will result in PyTorch skipping the "
    f"first value of the learning rate schedule. {_MORE}")
_REPLACED = (
    "Seems like `optimizer.step()` has been overridden after learning rate scheduler initialization. Please, make sure to call "
    f"`optimizer.step()` before `lr_scheduler.step()`. {_MORE}")
_NOT_RESUMED = (
    "This typically happens when:\n1. You're trying to resume training from a checkpoint but haven't properly loaded the "
    "optimizer state\n2. You're using last_epoch >= 0 for a fresh training run (not recommended)")


# ---- values of groups ----


def _own(value):
    """A tensor's value is kept apart: the tensor itself is written to."""
    return value.clone() if isinstance(value, Tensor) else value


def _values(optimizer, key):
    return [_own(group[key]) for group in optimizer.param_groups]


def _put(group, rate):
    """Sets a group's rate; gives what it is now: a tensor rounds."""
    held = group["lr"]
    if isinstance(held, Tensor):
        return held.fill_(_plain(rate)).clone()
    group["lr"] = rate
    return _own(rate)


def _for_groups(optimizer, given, refusal):
    """A value for each group: those of a list or tuple, or the same for all. refusal: what is said of another length."""
    groups = len(optimizer.param_groups)
    values = list(given) if isinstance(given, (list, tuple)) else [given] * groups
    if len(values) != groups:
        raise ValueError(refusal.format(given=len(values), groups=groups))
    return values


def _one_per_group(name, optimizer, value):
    return list(map(_own, _for_groups(
        optimizer, value, f"{name} must have the same length as optimizer.param_groups. {name} has {{given}} values, "
        "param_groups has {groups}.")))


def _check_optimizer(optimizer):
    if not isinstance(optimizer, Optimizer):
        raise TypeError(f"{type(optimizer).__name__} is not an Optimizer")


# ---- what a state dict holds in another form: (how it is saved, how it is loaded) ----


def _saved_functions(functions):
    """The attributes of callable objects; a function has none worth saving."""
    return [None if isinstance(one, types.FunctionType) else one.__dict__.copy() for one in functions]


def _load_functions(functions, saved):
    for i, attributes in enumerate(saved):
        if attributes is not None:
            functions[i].__dict__.update(attributes)


def _saved_function(function):
    return None if function is None else _saved_functions([function])[0]


def _load_function(function, saved):
    _load_functions([function], [saved])


def _saved_schedulers(schedulers):
    return [one.state_dict() for one in schedulers]


def _load_schedulers(schedulers, saved):
    for i, state in enumerate(saved):
        schedulers[i].load_state_dict(state)


# ---- the driver ----


def _note_steps(optimizer):
    """Let optimizer.step leave a mark, so that a scheduler's step before it is noticed. This does not keep the optimizer."""
    if hasattr(optimizer.step, "_wrapped_by_lr_sched"):
        return
    owner, run = ref(optimizer), optimizer.step.__func__

    @wraps(run)
    def step(*args, **kwargs):
        stepped = owner()
        stepped._opt_called = True
        return run(stepped, *args, **kwargs)

    step._wrapped_by_lr_sched = True
    optimizer.step = step


class LRScheduler:
    """The base of schedulers: a subclass has get_lr, which gives the rates of the groups for self.last_epoch."""

    _apart = {"optimizer": None}  # attributes that a state dict does not hold as they are; None: not at all

    def __init__(self, optimizer, last_epoch=-1):
        _check_optimizer(optimizer)
        self.optimizer = optimizer
        if last_epoch == -1:
            for group in optimizer.param_groups:
                group.setdefault("initial_lr", _own(group["lr"]))
        else:
            for i, group in enumerate(optimizer.param_groups):
                if "initial_lr" not in group:
                    raise KeyError(f"param 'initial_lr' is not specified in param_groups[{i}] when resuming scheduler with "
                                   f"last_epoch >= 0.\n{_NOT_RESUMED}")
        self.base_lrs = _values(optimizer, "initial_lr")
        self.last_epoch = last_epoch
        _note_steps(optimizer)
        self._initial_step()

    def _initial_step(self):
        """Sets the rates of the first epoch; an epoch that is resumed has its rate in the groups."""
        self._step_count, self._is_initial = 0, True
        try:
            self.step()
        finally:
            self._is_initial = False

    def state_dict(self):
        """All attributes but the optimizer."""
        state = {name: value for name, value in vars(self).items() if name not in self._apart}
        for name, form in self._apart.items():
            if form is not None:
                state[name] = form[0](getattr(self, name))
        return state

    def load_state_dict(self, state_dict):
        """Take over what state_dict returned."""
        apart = {name: state_dict[name] for name, form in self._apart.items() if form is not None}
        vars(self).update((name, value) for name, value in state_dict.items() if name not in apart)
        for name, saved in apart.items():
            self._apart[name][1](getattr(self, name), saved)
        self._loaded()

    def _loaded(self):
        """Make again what follows from the state that was loaded."""

    def get_last_lr(self):
        """The rates that were set last."""
        return [_own(lr) for lr in self._last_lr]

    def get_lr(self):
        """The next rates."""
        raise NotImplementedError

    def step(self, epoch=None):
        """Set the rates of the next epoch."""
        if self._step_count == 1:
            self._check_order()
        self._step_count += 1
        if epoch is not None:
            warnings.warn(EPOCH_DEPRECATION_WARNING, UserWarning, stacklevel=2)
        self._update_lr(epoch)

    def _check_order(self):
        if not hasattr(self.optimizer.step, "_wrapped_by_lr_sched"):
            warnings.warn(_REPLACED, UserWarning, stacklevel=3)
        elif not getattr(self.optimizer, "_opt_called", False):
            warnings.warn(_EARLY, UserWarning, stacklevel=3)

    def _update_lr(self, epoch=None):
        """To the next epoch, or to any other: by the formula that needs no last rate, where there is one."""
        if epoch is None:
            self.last_epoch += 1
            self._set(self.get_lr)
        else:
            self.last_epoch = epoch
            self._set(getattr(self, "_get_closed_form_lr", self.get_lr))

    def _set(self, rates):
        self._get_lr_called_within_step = True
        try:
            values = rates()
        finally:
            self._get_lr_called_within_step = False
        self._last_lr = [_put(group, lr) for group, lr in zip(self.optimizer.param_groups, values, strict=True)]

    def _keep_rates(self):
        self._last_lr = _values(self.optimizer, "lr")

    def _rates(self):
        return _values(self.optimizer, "lr")

    def _asked(self):
        """get_lr outside of a step does not give the rates that are set."""
        warnings.warn("To get the last learning rate computed by the scheduler, please use `get_last_lr()`.", stacklevel=3)


class _LRScheduler(LRScheduler):
    """The old name."""


# ---- by functions ----


class _ByFunctions(LRScheduler):
    """Rates by functions of the epoch, one for each group."""

    _apart = {"optimizer": None, "lr_lambdas": (_saved_functions, _load_functions)}

    def __init__(self, optimizer, lr_lambda, last_epoch=-1):
        self.optimizer = optimizer
        self.lr_lambdas = _for_groups(optimizer, lr_lambda, "Expected {groups} lr_lambdas, but got {given}")
        self._check_functions()
        super().__init__(optimizer, last_epoch)

    def _check_functions(self):
        """Any will do that can be called when the time comes."""

    def _multiplied(self, rates):
        return [rate * function(self.last_epoch) for function, rate in zip(self.lr_lambdas, rates, strict=True)]


class LambdaLR(_ByFunctions):
    """The initial rate times a function of the epoch."""

    def get_lr(self):
        if not self._get_lr_called_within_step:
            self._asked()
        return self._multiplied(self.base_lrs)


class MultiplicativeLR(_ByFunctions):
    """The last rate times a function of the epoch."""

    def _check_functions(self):
        for one in self.lr_lambdas:
            if not callable(one):
                raise TypeError(f"lr_lambda should be a function, but got {type(one).__name__}")

    def get_lr(self):
        if not self._get_lr_called_within_step:
            self._asked()
        return self._rates() if self._is_initial else self._multiplied(group["lr"] for group in self.optimizer.param_groups)


# ---- by shares of the base rate ----


class _Shares(LRScheduler):
    """_share(n): which share of the way from a floor to the base rate the rate has at step n."""

    _floor = 0

    def _from_base(self):
        share, floor = self._share(self.last_epoch), self._floor
        return [floor + (base - floor) * share if floor else base * share for base in self.base_lrs]


class _Ratios(_Shares):
    """_ratio(n): what the rate's height above the floor is multiplied by from step n - 1 to n; None: it stays.

    A ratio looks at _is_initial where a resumed epoch has its rate already."""

    def _ratio(self, n):
        return None if self._is_initial else self._share(n) / self._share(n - 1)

    def get_lr(self):
        if not self._get_lr_called_within_step:
            self._asked()
        ratio, floor, groups = self._ratio(self.last_epoch), self._floor, self.optimizer.param_groups
        if ratio is None:
            return self._rates()
        return [ratio * (group["lr"] - floor) + floor if floor else group["lr"] * ratio for group in groups]

    def _get_closed_form_lr(self):
        return self._from_base()


class StepLR(_Ratios):
    """Times gamma every step_size epochs."""

    def __init__(self, optimizer, step_size, gamma=0.1, last_epoch=-1):
        self.step_size = step_size
        self.gamma = gamma
        super().__init__(optimizer, last_epoch)

    def _share(self, n):
        return self.gamma ** (n // self.step_size)

    def _ratio(self, n):
        return self.gamma if n != 0 and n % self.step_size == 0 else None


class MultiStepLR(_Ratios):
    """Times gamma at each milestone."""

    def __init__(self, optimizer, milestones, gamma=0.1, last_epoch=-1):
        self.milestones = Counter(milestones)
        self.gamma = gamma
        super().__init__(optimizer, last_epoch)

    def _share(self, n):
        return self.gamma ** sum(times for at, times in self.milestones.items() if at <= n)

    def _ratio(self, n):
        return self.gamma ** self.milestones[n] if n in self.milestones else None


class ConstantLR(_Ratios):
    """Times a factor until total_iters."""

    def __init__(self, optimizer, factor=1.0 / 3, total_iters=5, last_epoch=-1):
        if factor > 1.0 or factor < 0:
            raise ValueError("Constant multiplicative factor expected to be between 0 and 1.")
        self.factor = factor
        self.total_iters = total_iters
        super().__init__(optimizer, last_epoch)

    def _share(self, n):
        return self.factor if n < self.total_iters else 1.0

    def _ratio(self, n):
        if n == 0:
            return self.factor
        return 1.0 / self.factor if n == self.total_iters else None


class LinearLR(_Ratios):
    """Times a factor that goes in a line from start_factor to end_factor."""

    def __init__(self, optimizer, start_factor=1.0 / 3, end_factor=1.0, total_iters=5, last_epoch=-1):
        if start_factor > 1.0 or start_factor <= 0:
            raise ValueError("Starting multiplicative factor expected to be greater than 0 and less or equal to 1.")
        if end_factor > 1.0 or end_factor < 0:
            raise ValueError("Ending multiplicative factor expected to be between 0 and 1.")
        self.start_factor = start_factor
        self.end_factor = end_factor
        self.total_iters = total_iters
        super().__init__(optimizer, last_epoch)

    def _share(self, n):
        return self.start_factor + (self.end_factor - self.start_factor) * min(self.total_iters, n) / self.total_iters

    def _ratio(self, n):
        if n == 0:
            return self.start_factor
        if self._is_initial or n > self.total_iters:
            return None
        rise = self.end_factor - self.start_factor
        return 1.0 + rise / (self.total_iters * self.start_factor + (n - 1) * rise)


class ExponentialLR(_Ratios):
    """Times gamma every epoch."""

    def __init__(self, optimizer, gamma, last_epoch=-1):
        self.gamma = gamma
        super().__init__(optimizer, last_epoch)

    def _share(self, n):
        return self.gamma ** n

    def _ratio(self, n):
        return None if self._is_initial else self.gamma


class PolynomialLR(_Ratios):
    """Down to zero by a power of the epochs that are left."""

    def __init__(self, optimizer, total_iters=5, power=1.0, last_epoch=-1):
        self.total_iters = total_iters
        self.power = power
        super().__init__(optimizer, last_epoch)

    def _left(self, n):
        return 1.0 - n / self.total_iters

    def _share(self, n):
        return self._left(min(self.total_iters, n)) ** self.power

    def _ratio(self, n):
        return None if self._is_initial or n > self.total_iters else (self._left(n) / self._left(n - 1)) ** self.power


def _half_cosine(n, length):
    """From 1 down to 0 in `length` steps, and up again."""
    return (1 + math.cos(math.pi * n / length)) / 2


class CosineAnnealingLR(_Ratios):
    """Down to eta_min in half a cosine of T_max epochs, and up again."""

    def __init__(self, optimizer, T_max, eta_min=0.0, last_epoch=-1):
        self.T_max = T_max
        self.eta_min = eta_min
        super().__init__(optimizer, last_epoch)

    @property
    def _floor(self):
        return self.eta_min

    def _share(self, n):
        return _half_cosine(n, self.T_max)

    def get_lr(self):
        n = self.last_epoch
        if not self._is_initial and n > 0 and self._step_count == 1:  # a count that was set back: no rate to go on from
            return self._from_base()
        if self._is_initial or (n - 1 - self.T_max) % (2 * self.T_max) != 0:
            return super().get_lr()
        if not self._get_lr_called_within_step:
            self._asked()
        rise = 1 - math.cos(math.pi / self.T_max)  # no ratio leads up from the floor
        return [group["lr"] + (base - self.eta_min) * rise / 2
                for base, group in zip(self.base_lrs, self.optimizer.param_groups, strict=True)]


class CosineAnnealingWarmRestarts(_Shares):
    """Down to eta_min in half a cosine of T_0 epochs, then from the top again, each time T_mult times as long."""

    def __init__(self, optimizer, T_0, T_mult=1, eta_min=0.0, last_epoch=-1):
        if T_0 <= 0 or not isinstance(T_0, int):
            raise ValueError(f"Expected positive integer T_0, but got {T_0}")
        if T_mult < 1 or not isinstance(T_mult, int):
            raise ValueError(f"Expected integer T_mult >= 1, but got {T_mult}")
        if not isinstance(eta_min, (float, int)):
            raise ValueError(f"Expected float or int eta_min, but got {eta_min} of type {type(eta_min)}")
        self.T_0 = T_0
        self.T_i = T_0
        self.T_mult = T_mult
        self.eta_min = eta_min
        self.T_cur = last_epoch
        super().__init__(optimizer, last_epoch)

    @property
    def _floor(self):
        return self.eta_min

    def _share(self, n):
        return _half_cosine(self.T_cur, self.T_i)

    def get_lr(self):
        if not self._get_lr_called_within_step:
            self._asked()
        return self._from_base()

    def _place(self, epoch):
        """(epochs since the last restart, epochs from it to the next one), by the sum of the geometric series of the cycles."""
        first, grows = self.T_0, self.T_mult
        if epoch < first:
            return epoch, first
        if grows == 1:
            return epoch % first, first
        cycle = int(math.log(epoch / first * (grows - 1) + 1, grows))
        return epoch - first * (grows ** cycle - 1) / (grows - 1), first * grows ** cycle

    def step(self, epoch=None):
        """Set the rates of the next epoch, or of `epoch`, which may be a fraction."""
        if epoch is not None and epoch < 0:
            raise ValueError(f"Expected non-negative epoch, but got {epoch}")
        if epoch is None and self.last_epoch >= 0:  # a fraction that was given goes on
            cycles, place = divmod(self.T_cur + 1, self.T_i)
            self.T_cur, self.T_i = place, self.T_i * self.T_mult if cycles > 0 else self.T_i
            self.last_epoch += 1
        else:
            self.last_epoch = math.floor(epoch or 0)
            self.T_cur, self.T_i = self._place(epoch or 0)
        self._set(self.get_lr)


# ---- schedulers of schedulers ----


def _check_schedulers(name, schedulers, optimizer):
    for i, scheduler in enumerate(schedulers):
        if name == "SequentialLR" and not hasattr(scheduler, "optimizer"):
            raise TypeError(f"{name} at index {i} should have `optimizer` as its attribute.")
        if isinstance(scheduler, ReduceLROnPlateau):
            raise ValueError(f"{name} does not support `ReduceLROnPlateau` scheduler as it requires additional kwargs to be "
                             f"specified when calling `step`, but got one at index {i} in the given schedulers sequence.")
        if optimizer != scheduler.optimizer:
            raise ValueError(f"{name} expects all schedulers to belong to the same optimizer, but got scheduler "
                             f"{scheduler.__class__.__name__} at index {i} has {scheduler.optimizer}, which is different from "
                             f"{optimizer.__class__.__name__}.")


class _OfSchedulers(LRScheduler):
    _apart = {"optimizer": None, "_schedulers": (_saved_schedulers, _load_schedulers)}


def _innermost(scheduler):
    """The schedulers inside, at any depth, that have none inside."""
    if not hasattr(scheduler, "_schedulers"):
        yield scheduler
        return
    for one in scheduler._schedulers:
        yield from _innermost(one)


class SequentialLR(_OfSchedulers):
    """One scheduler after the other, changing at milestones."""

    def __init__(self, optimizer, schedulers, milestones, last_epoch=-1):
        if len(schedulers) < 1:
            raise ValueError("SequentialLR expects at least one scheduler, but got no scheduler.")
        _check_schedulers("SequentialLR", schedulers, optimizer)
        if len(milestones) != len(schedulers) - 1:
            raise ValueError("Sequential Schedulers expects number of schedulers provided to be one more than the number of "
                             f"milestone points, but got number of schedulers {len(schedulers)} and the number of milestones to "
                             f"be equal to {len(milestones)}")
        self._schedulers = schedulers
        self._milestones = milestones
        self.last_epoch = last_epoch + 1
        self.optimizer = optimizer
        for group in optimizer.param_groups:
            _put(group, group["initial_lr"])
        self.recursive_undo()
        schedulers[0]._initial_step()
        self._last_lr = schedulers[0].get_last_lr()

    def recursive_undo(self, sched=None):
        """Take back the first step of all schedulers, those inside others too."""
        for scheduler in _innermost(self if sched is None else sched):
            if hasattr(scheduler, "last_epoch"):
                scheduler.last_epoch -= 1

    def step(self):
        """Step the scheduler whose turn it is; one whose turn begins starts from its first epoch."""
        self.last_epoch = now = self.last_epoch + 1
        begun = bisect_right(self._milestones, now)
        current = self._schedulers[begun]
        current._update_lr(0) if begun and self._milestones[begun - 1] == now else current.step()
        self._last_lr = current.get_last_lr()


class ChainedScheduler(_OfSchedulers):
    """Several schedulers at once: each changes what the one before it has set."""

    def __init__(self, schedulers, optimizer=None):
        if len(schedulers) < 1:
            raise ValueError("ChainedScheduler expects at least one scheduler to be chained, but got no scheduler.")
        optimizer = optimizer or schedulers[0].optimizer
        _check_schedulers("ChainedScheduler", schedulers, optimizer)
        self._schedulers = schedulers
        self.optimizer = optimizer
        self._keep_rates()

    def step(self):
        """Step all schedulers."""
        for one in self._schedulers:
            one.step()
        self._keep_rates()


# ---- by a measurement ----


class ReduceLROnPlateau(LRScheduler):
    """Times a factor when a measurement has stopped improving."""

    def __init__(self, optimizer, mode="min", factor=0.1, patience=10, threshold=1e-4, threshold_mode="rel", cooldown=0, min_lr=0,
                 eps=1e-8):
        if factor >= 1.0:
            raise ValueError("Factor should be < 1.0.")
        self.factor = factor
        _check_optimizer(optimizer)
        self.optimizer = optimizer
        min_lrs = _for_groups(optimizer, min_lr, "expected {groups} min_lrs, got {given}")
        self.default_min_lr = None if isinstance(min_lr, (list, tuple)) else min_lr
        self.min_lrs = min_lrs
        self.patience = patience
        self.cooldown = cooldown
        self.eps = eps
        self.last_epoch = 0
        self._keep_rates()
        self._init_is_better(mode, threshold, threshold_mode)
        self._reset()

    def _init_is_better(self, mode, threshold, threshold_mode):
        for what, given, known in (("mode", mode, ("min", "max")), ("threshold mode", threshold_mode, ("rel", "abs"))):
            if given not in known:
                raise ValueError(f"{what} {given} is unknown!")
        self.mode_worse = math.inf if mode == "min" else -math.inf
        self.mode, self.threshold, self.threshold_mode = mode, threshold, threshold_mode

    def _loaded(self):
        self._init_is_better(self.mode, self.threshold, self.threshold_mode)

    def _reset(self):
        self.best, self.cooldown_counter, self.num_bad_epochs = self.mode_worse, 0, 0

    def step(self, metrics, epoch=None):
        """Take the measurement of an epoch."""
        measured = float(metrics)
        if epoch is not None:
            warnings.warn(EPOCH_DEPRECATION_WARNING, UserWarning, stacklevel=2)
        self.last_epoch = self.last_epoch + 1 if epoch is None else epoch
        improved = self.is_better(measured, self.best)
        if improved:
            self.best = measured
        waiting = self.cooldown_counter
        if waiting > 0:
            self.cooldown_counter = waiting - 1
        self.num_bad_epochs = 0 if improved or waiting > 0 else self.num_bad_epochs + 1
        if self.num_bad_epochs > self.patience:
            self._reduce_lr(self.last_epoch)
            self.num_bad_epochs, self.cooldown_counter = 0, self.cooldown
        self._last_lr = [_own(group["lr"]) for group in self.optimizer.param_groups]

    def _reduce_lr(self, epoch):
        """Lower the rates of all groups, none below its least one, nor by less than eps."""
        for group, least in zip(self.optimizer.param_groups, self._least_rates()):
            rate = float(group["lr"])
            reduced = max(rate * self.factor, least)
            if rate - reduced > self.eps:
                _put(group, reduced)

    def _least_rates(self):
        groups = len(self.optimizer.param_groups)
        if len(self.min_lrs) == groups:
            return self.min_lrs
        if self.default_min_lr is None:
            raise RuntimeError(f"The number of param groups in the `optimizer` ({groups}) differs from when `ReduceLROnPlateau` "
                               f"was initialized ({len(self.min_lrs)}), usually due to a new param group being added to "
                               "the optimizer. Please modify the `min_lrs` field to match the length of the `optimizer` param "
                               "groups.")
        self.min_lrs = [self.default_min_lr] * groups
        return self.min_lrs

    @property
    def in_cooldown(self):
        return self.cooldown_counter > 0

    def is_better(self, a, best):
        """Is measurement a an improvement?"""
        relative, by = self.threshold_mode == "rel", self.threshold
        if self.mode == "min":
            return a < (best * (1.0 - by) if relative else best - by)
        return a > (best * (1.0 + by) if relative else best + by)


# ---- rates and momenta together ----


class _Cycled(LRScheduler):
    """A momentum, or Adam's first beta, moves against the rate.

    _leg(n): height, scale, and for each group two ends of the rate and two of the momentum. A value lies height * scale of the
    way from its first end to its second."""

    def _take_momenta(self, base_momentum, max_momentum, fresh):
        defaults = self.optimizer.defaults
        if "momentum" not in defaults and "betas" not in defaults:
            raise ValueError("optimizer must support momentum or beta1 with `cycle_momentum` option enabled")
        self.use_beta1 = "betas" in defaults
        low, high = (_one_per_group(name, self.optimizer, value)
                     for name, value in (("base_momentum", base_momentum), ("max_momentum", max_momentum)))
        if fresh:
            for group, least, most in zip(self.optimizer.param_groups, low, high):
                self._set_momentum(group, most)
                group.update(max_momentum=most, base_momentum=least)
        return low, high

    def _set_momentum(self, group, value):
        if self.use_beta1:
            group["betas"] = (value, *group["betas"][1:])
        else:
            group["momentum"] = value

    def get_lr(self):
        if not self._get_lr_called_within_step:
            self._asked()
        height, scale, ends = self._leg(self.last_epoch)
        rates, moving = [], self.cycle_momentum
        for group, (foot, top, lightest, heaviest) in zip(self.optimizer.param_groups, ends):
            rates.append(foot + (top - foot) * height * scale)
            if moving:
                self._set_momentum(group, lightest + (heaviest - lightest) * height * scale)
        return rates


class CyclicLR(_Cycled):
    """Up and down between two rates."""

    _apart = {"optimizer": None, "_scale_fn_ref": None, "_scale_fn_custom": (_saved_function, _load_function)}
    _modes = {"triangular": "cycle", "triangular2": "cycle", "exp_range": "iterations"}  # what a scale is a function of

    def __init__(self, optimizer, base_lr, max_lr, step_size_up=2000, step_size_down=None, mode="triangular", gamma=1.0,
                 scale_fn=None, scale_mode="cycle", cycle_momentum=True, base_momentum=0.8, max_momentum=0.9, last_epoch=-1):
        _check_optimizer(optimizer)
        self.optimizer = optimizer
        base_lrs = _one_per_group("base_lr", optimizer, base_lr)
        if last_epoch == -1:
            for lr, group in zip(base_lrs, optimizer.param_groups):
                _put(group, lr)
        self.max_lrs = _one_per_group("max_lr", optimizer, max_lr)
        up = float(step_size_up)
        down = up if step_size_down is None else float(step_size_down)
        self.total_size = up + down
        self.step_ratio = up / self.total_size
        if mode not in self._modes and scale_fn is None:
            raise ValueError("mode is invalid and scale_fn is None")
        self.mode = mode
        self.gamma = gamma
        self._scale_fn_custom = scale_fn
        self.scale_mode = scale_mode
        self._loaded()
        self.cycle_momentum = cycle_momentum
        if cycle_momentum:
            self.base_momentums, self.max_momentums = self._take_momenta(base_momentum, max_momentum, last_epoch == -1)
        super().__init__(optimizer, last_epoch)
        self.base_lrs = base_lrs

    # pickles name these functions

    @staticmethod
    def _triangular_scale_fn(x):
        return 1.0

    @staticmethod
    def _triangular2_scale_fn(x):
        return 1 / 2.0 ** (x - 1)

    @staticmethod
    def _exp_range_scale_fn(gamma, x):
        return gamma ** x

    def _loaded(self):
        if self._scale_fn_custom is None and self.mode in self._modes:
            self.scale_mode, scale = self._modes[self.mode], getattr(self, f"_{self.mode}_scale_fn")
            self._scale_fn_ref = partial(scale, self.gamma) if self.mode == "exp_range" else scale

    def scale_fn(self, x):
        """How much of the way up is left in cycle or iteration x."""
        custom = self._scale_fn_custom
        return self._scale_fn_ref(x) if custom is None else custom(x)

    def _leg(self, n):
        cycle = math.floor(1 + n / self.total_size)
        x = 1.0 + n / self.total_size - cycle
        height = x / self.step_ratio if x <= self.step_ratio else (x - 1) / (self.step_ratio - 1)
        scale = self.scale_fn(cycle if self.scale_mode == "cycle" else n)
        low, high = self.base_lrs, self.max_lrs
        momenta = (self.max_momentums, self.base_momentums) if self.cycle_momentum else (low, high)
        return height, scale, zip(low, high, *momenta)


_FROM_START = itemgetter("start_lr", "end_lr", "start_momentum", "end_momentum")
_FROM_END = itemgetter("end_lr", "start_lr", "end_momentum", "start_momentum")


class OneCycleLR(_Cycled):
    """Up to max_lr, down to where it began, and on to almost nothing."""

    def __init__(self, optimizer, max_lr, total_steps=None, epochs=None, steps_per_epoch=None, pct_start=0.3,
                 anneal_strategy="cos", cycle_momentum=True, base_momentum=0.85, max_momentum=0.95, div_factor=25.0,
                 final_div_factor=1e4, three_phase=False, last_epoch=-1):
        _check_optimizer(optimizer)
        self.optimizer = optimizer
        if total_steps is not None:
            if total_steps <= 0 or not isinstance(total_steps, int):
                raise ValueError(f"Expected positive integer total_steps, but got {total_steps}")
            self.total_steps = total_steps
        elif epochs is not None and steps_per_epoch is not None:
            for name, given in (("epochs", epochs), ("steps_per_epoch", steps_per_epoch)):
                if not isinstance(given, int) or given <= 0:
                    raise ValueError(f"Expected positive integer {name}, but got {given}")
            self.total_steps = epochs * steps_per_epoch
        else:
            raise ValueError("You must define either total_steps OR (epochs AND steps_per_epoch)")
        self._schedule_phases = self._phases(pct_start, three_phase)
        if pct_start < 0 or pct_start > 1 or not isinstance(pct_start, float):
            raise ValueError(f"Expected float between 0 and 1 pct_start, but got {pct_start}")
        if anneal_strategy not in ("cos", "linear"):
            raise ValueError(f"anneal_strategy must be one of 'cos' or 'linear', instead got {anneal_strategy}")
        self._anneal_func_type = anneal_strategy
        max_lrs = _one_per_group("max_lr", optimizer, max_lr)
        if last_epoch == -1:
            for group, most in zip(optimizer.param_groups, max_lrs):
                first = most / div_factor
                group.update(initial_lr=first, max_lr=most, min_lr=first / final_div_factor)
        self.cycle_momentum = cycle_momentum
        if cycle_momentum:
            self._take_momenta(base_momentum, max_momentum, last_epoch == -1)
        super().__init__(optimizer, last_epoch)

    def _phases(self, pct_start, three_phase):
        def phase(end, rates, momenta):
            return {"end_step": end, "start_lr": rates[0], "end_lr": rates[1], "start_momentum": momenta[0],
                    "end_momentum": momenta[1]}

        turn, last = float(pct_start * self.total_steps) - 1, self.total_steps - 1
        up, down = ("max_momentum", "base_momentum"), ("base_momentum", "max_momentum")
        if not three_phase:
            return [phase(turn, ("initial_lr", "max_lr"), up), phase(last, ("max_lr", "min_lr"), down)]
        return [phase(turn, ("initial_lr", "max_lr"), up),
                phase(float(2 * pct_start * self.total_steps) - 2, ("max_lr", "initial_lr"), down),
                phase(last, ("initial_lr", "min_lr"), ("max_momentum", "max_momentum"))]

    def _leg(self, n):
        if n > self.total_steps:
            raise ValueError(f"Tried to step {n} times. The specified number of total steps is {self.total_steps}")
        begin, phases = 0.0, self._schedule_phases
        for phase in phases:
            end = phase["end_step"]
            if n <= end or phase is phases[-1]:
                break
            begin = end
        height, names = (n - begin) / (end - begin), _FROM_START
        if self._anneal_func_type == "cos":
            height, names = (math.cos(math.pi * height) + 1) / 2.0, _FROM_END
        ends = names(phase)
        return height, 1.0, map(itemgetter(*(ends if self.cycle_momentum else ends[:2] * 2)), self.optimizer.param_groups)
