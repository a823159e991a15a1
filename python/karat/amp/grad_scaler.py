"""grad_scaler.py - a loss is multiplied by a scale, so that small float16 gradients do not become zero; gradients are divided by
it before the step; a step with a gradient that is not finite is skipped and the scale lowered.

Beyond PyTorch: `stepped` says whether the last step() stepped; `log` has every change of the scale. After a skipped step the
values of the next one are checked: which operator, forward or backward, first made a value that is not finite, on which line."""

import functools
import inspect
import operator
import warnings
from collections import defaultdict
from enum import Enum

from .. import _karat
from .._karat import Tensor
from . import _report
from ._search import Search
from .state import has_cuda

__all__ = ["OptState", "GradScaler"]


_MOST_ENTRIES = 1000  # of a log


_SETTINGS = ("growth_factor", "backoff_factor", "growth_interval")  # as states name them; attributes have a _ before


class _Copies(dict):
    """A tensor's copies by device, each made when it is first asked for."""

    def __init__(self, tensor):
        self._tensor = tensor

    def __missing__(self, device):
        made = self[device] = self._tensor.to(device=device, non_blocking=True, copy=True)
        return made


def _number(value, dtype, device):
    from .. import full

    return full((), value, dtype=_karat.dtypes[dtype], device=device)


class OptState(Enum):
    """Where an optimizer is between two calls of update()."""

    READY = 0
    UNSCALED = 1
    STEPPED = 2


_TOO_LATE_TO_UNSCALE = {
    OptState.UNSCALED: "unscale_() has already been called on this optimizer since the last update().",
    OptState.STEPPED: "unscale_() is being called after step().",
}


def _refresh_per_optimizer_state():
    """What is known of an optimizer after update(). Pickles of scalers name this function."""
    return {"stage": OptState.READY, "found_inf_per_device": {}}


def _in_any(states, device):
    """A number above 0 if a gradient of these optimizers is not finite; None if none was searched."""
    found = [one.to(device=device, non_blocking=True) for state in states for one in state["found_inf_per_device"].values()]
    return functools.reduce(operator.add, found) if found else None


class GradScaler:
    """Scales losses so that small gradients survive float16, and adapts the scale.

    >>> scaler = torch.amp.GradScaler("cuda")
    >>> with torch.autocast("cuda"):
    ...     loss = criterion(net(x), y)
    >>> scaler.scale(loss).backward()
    >>> scaler.step(optimizer)
    >>> scaler.update()

    stepped: did the last step() step? None before the first. log: a list of the last 1,000 changes of the scale, each a dict:
    update (the number of the call of update()), old, new, why, and after a skipped step parameters (those whose gradients were
    not finite) and first (the operator and line that first made a value that is not finite; None where the step was not searched
    or nothing was found)"""

    def __init__(self, device="cuda", init_scale=2.0**16, growth_factor=2.0, backoff_factor=0.5, growth_interval=2000,
                 enabled=True):
        self._device = device
        self._enabled = enabled
        if self._device == "cuda" and enabled and not has_cuda():
            warnings.warn("torch.cuda.amp.GradScaler is enabled, but CUDA is not available.  Disabling.", stacklevel=2)
            self._enabled = False
        if self._enabled:
            if not growth_factor > 1.0:
                raise AssertionError("The growth factor must be > 1.0.")
            if not backoff_factor < 1.0:
                raise AssertionError("The backoff factor must be < 1.0.")
            self._init_scale = init_scale
            self._scale = None
            self._growth_factor = growth_factor
            self._backoff_factor = backoff_factor
            self._growth_interval = growth_interval
            self._init_growth_tracker = 0
            self._growth_tracker = None
            self._per_optimizer_states = defaultdict(_refresh_per_optimizer_state)
        self.stepped = None
        self.log = []
        self._updates = 0
        self._known_scale = init_scale  # as last read: reading waits for the device
        self._known_tracker = 0
        self._search = None
        self._not_finite = []
        self._scaled = False  # since the last update()
        self._entered = _report.entered[0]  # how many regions of autocast were, at the last update()
        self.used_at = -1  # how many were entered when it last scaled
        self.mistakes = []  # what looks like one, as text
        if self._enabled:
            _report.scalers.add(self)

    def _check_scale_growth_tracker(self, funcname):
        for name in ("_scale", "_growth_tracker"):
            if getattr(self, name) is None:
                raise AssertionError(f"Attempted {funcname} but {name} is None.  This may indicate your script did not use "
                                     "scaler.scale(loss or outputs) earlier in the iteration.")
        return self._scale, self._growth_tracker

    def _lazy_init_scale_growth_tracker(self, dev):
        if self._growth_tracker is not None:
            raise AssertionError("_growth_tracker initialized before _scale")
        self._scale = _number(self._init_scale, "float32", dev)
        self._growth_tracker = _number(self._init_growth_tracker, "int32", dev)

    def scale(self, outputs):
        """The tensor, or each tensor of an iterable, times the scale."""
        if not self._enabled:
            return outputs
        self._scaled = True
        self.used_at = _report.entered[0]
        if isinstance(outputs, Tensor):
            if self._scale is None:
                self._lazy_init_scale_growth_tracker(outputs.device)
            return outputs * self._scale.to(device=outputs.device, non_blocking=True)
        copies = []

        def scaled(value):
            if isinstance(value, Tensor):
                if not copies:
                    if self._scale is None:
                        self._lazy_init_scale_growth_tracker(value.device)
                    copies.append(_Copies(self._scale))
                return value * copies[0][value.device]
            if hasattr(value, "__iter__"):
                made = map(scaled, value)
                return type(value)(made) if isinstance(value, (list, tuple)) else made
            raise ValueError("outputs must be a Tensor or an iterable of Tensors")

        return scaled(outputs)

    def _unscale_grads_(self, optimizer, inv_scale, found_inf, allow_fp16):
        from .. import _amp_foreach_non_finite_check_and_unscale_, no_grad

        inverses, found = _Copies(inv_scale), _Copies(found_inf)
        grads = defaultdict(lambda: defaultdict(list))
        with no_grad():
            for group in optimizer.param_groups:
                for parameter in group["params"]:
                    grad = parameter.grad
                    if grad is None:
                        continue
                    if not allow_fp16 and grad.dtype is _karat.dtypes["float16"]:
                        raise ValueError("Attempting to unscale FP16 gradients.")
                    grads[grad.device][grad.dtype].append(grad)
            for device, by_dtype in grads.items():
                for some in by_dtype.values():
                    _amp_foreach_non_finite_check_and_unscale_(some, found[device], inverses[device])
        return dict(found)

    def _search_grads(self, optimizer, factor, allow_fp16):
        """Multiplies the gradients by the factor; returns for each device whether one is not finite."""
        return self._unscale_grads_(optimizer, factor, _number(0.0, "float32", factor.device), allow_fp16)

    def unscale_(self, optimizer):
        """Divides the gradients of the optimizer's parameters by the scale; step() does it unless it was done. Call it before the
        gradients are clipped or looked at."""
        if not self._enabled:
            return
        scale, _ = self._check_scale_growth_tracker("unscale_")
        state = self._per_optimizer_states[id(optimizer)]
        if state["stage"] in _TOO_LATE_TO_UNSCALE:
            raise RuntimeError(_TOO_LATE_TO_UNSCALE[state["stage"]])
        inverse = scale.double().reciprocal().float()  # rounded once
        state["found_inf_per_device"] = self._search_grads(optimizer, inverse, allow_fp16=False)
        state["stage"] = OptState.UNSCALED

    def _maybe_opt_step(self, optimizer, optimizer_state, *args, **kwargs):
        self.stepped = not any(found.item() for found in optimizer_state["found_inf_per_device"].values())
        if not self.stepped:
            return self._note_skip(optimizer)
        return optimizer.step(*args, **kwargs)

    def step(self, optimizer, *args, **kwargs):
        """optimizer.step(), unless a gradient is not finite; returns what it returns, or None. `stepped` says which."""
        if not self._enabled:
            return optimizer.step(*args, **kwargs)
        if "closure" in kwargs:
            raise RuntimeError("Closure use is not currently supported if GradScaler is enabled.")
        self._check_scale_growth_tracker("step")
        state = self._per_optimizer_states[id(optimizer)]
        if state["stage"] is OptState.STEPPED:
            raise RuntimeError("step() has already been called since the last update().")
        if getattr(optimizer, "_step_supports_amp_scaling", False):
            return self._step_that_unscales(optimizer, state, *args, **kwargs)
        if state["stage"] is OptState.READY:
            self.unscale_(optimizer)
        if not state["found_inf_per_device"]:
            raise AssertionError("No inf checks were recorded for this optimizer.")
        result = self._maybe_opt_step(optimizer, state, *args, **kwargs)
        state["stage"] = OptState.STEPPED
        return result

    def _step_that_unscales(self, optimizer, state, *args, **kwargs):
        """Of an optimizer whose step divides by the scale and does nothing if a gradient is not finite: a fused one."""
        if "grad_scaler" in inspect.signature(optimizer.step).parameters:
            warnings.warn("GradScaler is going to stop passing itself as a keyword argument to the passed optimizer. In the near "
                          "future GradScaler registers `grad_scale: Tensor` and `found_inf: Tensor` to the passed optimizer and "
                          "let the optimizer use them directly.", FutureWarning, stacklevel=3)
            kwargs["grad_scaler"] = self
            result = optimizer.step(*args, **kwargs)
        else:
            scale = self._get_scale_async()
            if state["stage"] is OptState.READY:
                self._check_inf_per_device(optimizer)
            found = _in_any([state], scale.device)
            optimizer.grad_scale = None if state["stage"] is OptState.UNSCALED else scale * getattr(optimizer, "grad_scale", 1)
            optimizer.found_inf = 0 if found is None else found
            self.stepped = found is None or not found.item()
            if not self.stepped:
                self._note_skip(optimizer)
            result = optimizer.step(*args, **kwargs)
            del optimizer.grad_scale, optimizer.found_inf
        state["stage"] = OptState.STEPPED
        return result

    def update(self, new_scale=None):
        """Adapts the scale: lowered after a step that was skipped, raised after growth_interval steps that were not. new_scale:
        sets it instead."""
        if not self._enabled:
            return
        from .. import _amp_update_scale_

        scale, tracker = self._check_scale_growth_tracker("update")
        if new_scale is None:
            found = _in_any(self._per_optimizer_states.values(), scale.device)
            if found is None:
                raise AssertionError("No inf checks were recorded prior to update.")
            _amp_update_scale_(scale, tracker, found, self._growth_factor, self._backoff_factor, self._growth_interval)
            self._known_tracker += 1
            stages = [state["stage"] for state in self._per_optimizer_states.values()]
            event = "skipped" if self._not_finite or OptState.UNSCALED in stages and found.item() > 0 else "grown"
        else:
            number, event = isinstance(new_scale, float), "set"
            if not (number or new_scale.device.type == self._device and new_scale.numel() == 1 and not new_scale.requires_grad):
                raise AssertionError("new_scale should be a float or a 1-element torch.cuda.FloatTensor or torch.FloatTensor "
                                     "with requires_grad=False.")
            (scale.fill_ if number else scale.copy_)(new_scale)
        self._per_optimizer_states = defaultdict(_refresh_per_optimizer_state)
        self._note_update(event)

    # ---- beyond PyTorch: what happened ----

    def _note_skip(self, optimizer):
        self._not_finite += [(index, parameter) for index, parameter in enumerate(
            parameter for group in optimizer.param_groups for parameter in group["params"])
            if parameter.grad is not None and not parameter.grad.isfinite().all()]

    def is_scaled(self):
        """Are gradients of this iteration multiplied by the scale, and of no optimizer divided by it?"""
        return self._enabled and self._scaled and all(state["stage"] is OptState.READY
                                                      for state in self._per_optimizer_states.values())

    def note_mistake(self, text):
        """Adds to `mistakes`, once."""
        if text not in self.mistakes:
            self.mistakes.append(text)

    def _note_update(self, why):
        self._updates += 1
        if self._scaled and self._entered == _report.entered[0]:
            self.note_mistake("a scaler without autocast: no region was entered since the last update(); the scale does nothing "
                              "for float32 gradients")
        self._scaled, self._entered = False, _report.entered[0]
        search, self._search = self._search, None
        first = search.stop() if search else None
        skipped, self._not_finite = self._not_finite, []
        old, new = self._known_scale, self._known_scale
        if why != "grown" or self._known_tracker >= self._growth_interval:
            self._known_scale = new = self._scale.item()
            self._known_tracker = 0 if why != "set" else self._known_tracker
        if old != new or why == "skipped":
            entry = {"update": self._updates, "old": old, "new": new, "why": why}
            if why == "skipped":
                names = search.names if search else {}
                entry["parameters"] = [names.get(id(p)) or f"parameter {i}, {_karat.explain(p).split(chr(10))[0]}"
                                       for i, p in skipped]
                entry["first"] = first
            self.log.append(entry)
            del self.log[:-_MOST_ENTRIES]
        if why == "skipped":
            self._search = Search()

    # ---- the rest as PyTorch has it ----

    def _get_scale_async(self):
        return self._scale

    def get_scale(self):
        """The scale, as a float; 1.0 if the scaler is disabled."""
        if not self._enabled:
            return 1.0
        return self._init_scale if self._scale is None else self._scale.item()

    def get_growth_factor(self):
        """By what the scale is multiplied when it grows."""
        return self._growth_factor

    def set_growth_factor(self, new_factor):
        """Sets it."""
        self._growth_factor = new_factor

    def get_backoff_factor(self):
        """By what the scale is multiplied after a skipped step."""
        return self._backoff_factor

    def set_backoff_factor(self, new_factor):
        """Sets it."""
        self._backoff_factor = new_factor

    def get_growth_interval(self):
        """After how many steps without a skip the scale grows."""
        return self._growth_interval

    def set_growth_interval(self, new_interval):
        """Sets it."""
        self._growth_interval = new_interval

    def _get_growth_tracker(self):
        tracker = self._growth_tracker if self._enabled else None
        return tracker.item() if tracker is not None else getattr(self, "_init_growth_tracker", 0)

    def is_enabled(self):
        """Does it scale?"""
        return self._enabled

    def state_dict(self):
        """The scale and how it adapts; empty if the scaler is disabled."""
        if not self._enabled:
            return {}
        settings = {name: getattr(self, "_" + name) for name in _SETTINGS}
        return {"scale": self.get_scale(), **settings, "_growth_tracker": self._get_growth_tracker()}

    def load_state_dict(self, state_dict):
        """Takes what state_dict gave."""
        if not self._enabled:
            return
        if not state_dict:
            raise RuntimeError("The source state dict is empty, possibly because it was saved from a disabled instance of "
                               "GradScaler.")
        scale, *settings, tracker = (state_dict[key] for key in ("scale", *_SETTINGS, "_growth_tracker"))
        for name, value in zip(_SETTINGS, settings):
            setattr(self, "_" + name, value)
        self._init_scale = self._known_scale = scale
        self._init_growth_tracker = self._known_tracker = tracker
        for tensor, value in ((self._scale, scale), (self._growth_tracker, tracker)):
            if tensor is not None:
                tensor.fill_(value)

    def __getstate__(self):
        state = self.__dict__.copy()
        state["_search"] = None
        if self._enabled:
            if self._per_optimizer_states:
                raise AssertionError("A GradScaler instance may only be pickled at the beginning of an iteration, or at the end "
                                     "after scaler.update().")
            # tensors are made again when they are needed, on the device of the first loss
            state.update(_init_scale=self.get_scale(), _init_growth_tracker=self._get_growth_tracker(), _scale=None,
                         _growth_tracker=None)
        return state

    def __setstate__(self, state):
        self.__dict__.update(state)

    def _check_inf_per_device(self, optimizer):
        scale, _ = self._check_scale_growth_tracker("_check_inf_per_device")
        found = self._search_grads(optimizer, _number(1.0, "float32", scale.device), allow_fp16=True)
        self._per_optimizer_states[id(optimizer)]["found_inf_per_device"] = found
        return found

    def _found_inf_per_device(self, optimizer):
        return self._per_optimizer_states[id(optimizer)]["found_inf_per_device"]
