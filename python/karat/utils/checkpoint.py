"""karat.utils.checkpoint: keeps less for backward, and computes it again there.

Two ways, as in PyTorch. use_reentrant=False: what the function's calls save is replaced by slots (saved_tensors_hooks). When
backward asks for the first of them, the function runs again; the n-th tensor that is saved then fills the n-th slot, and after
the last one that someone still needs the function is stopped. use_reentrant=True: the whole is one autograd.Function, whose
backward runs the function again and calls backward inside."""

import contextlib
import functools
import os
import sys
import warnings
import weakref

from .. import _device, _karat, _missing
from .._karat import Tensor
from ..amp import autocast, state
from ..autograd import Function, backward
from ..autograd.graph import saved_tensors_hooks
from ..modes import enable_grad, no_grad
from ..random import fork_rng
from ._selective import CheckpointPolicy, SelectiveCheckpointContext, create_selective_checkpoint_contexts  # noqa: F401

__all__ = ["checkpoint", "checkpoint_sequential", "CheckpointError", "CheckpointFunction", "check_backward_validity",
           "detach_variable", "get_device_states", "set_device_states", "noop_context_fn", "set_checkpoint_early_stop",
           "DefaultDeviceType", "set_checkpoint_debug_enabled", "CheckpointPolicy", "SelectiveCheckpointContext",
           "create_selective_checkpoint_contexts"]


class CheckpointError(RuntimeError):
    """The function did not do the same when it ran again."""


class DefaultDeviceType:
    """The device whose generators are kept beside the CPU's where no argument is on another one."""

    _default = "cuda"

    @staticmethod
    def set_device_type(device="cuda"):
        DefaultDeviceType._default = device

    @staticmethod
    def get_device_type():
        return DefaultDeviceType._default


class _Option:
    """An option that each call of checkpoint() has; for a block, a value that stands above the calls' own."""

    def __init__(self):
        self.value = None

    @contextlib.contextmanager
    def put(self, value):
        outer = self.value
        with contextlib.ExitStack() as at_its_end:
            at_its_end.callback(setattr, self, "value", outer)
            self.value = value
            yield

    def above(self, own):
        return own if self.value is None else self.value


_early_stop, _debug = _Option(), _Option()


def set_checkpoint_early_stop(enable):
    """In the block: may checkpoint() stop a function as soon as what is needed was computed again?"""
    return _early_stop.put(enable)


def set_checkpoint_debug_enabled(enabled):
    """In the block: does an error of checkpoint() name the lines where tensors were saved? None: debug= of each call says so."""
    return _debug.put(enabled)


def noop_context_fn():
    """Contexts for the function's first run and its second: none."""
    return contextlib.nullcontext(), contextlib.nullcontext()


def _tensors(args):
    return [a for a in args if isinstance(a, Tensor)]


def detach_variable(inputs):
    """The arguments, their tensors without history; they want a gradient where they did."""
    if not isinstance(inputs, tuple):
        raise RuntimeError("Only tuple of tensors is supported. Got Unsupported input type: ", type(inputs).__name__)
    return tuple(a.detach().requires_grad_(a.requires_grad) if isinstance(a, Tensor) else a for a in inputs)


def check_backward_validity(inputs):
    """Warns where backward of a reentrant checkpoint would give no gradient."""
    if not any(a.requires_grad for a in _tensors(inputs)):
        warnings.warn("None of the inputs have requires_grad=True. Gradients will be None", stacklevel=2)


def get_device_states(*args):
    """(the devices of the arguments beside the CPU, the states of their generators)."""
    drawing = _Drawing(args)
    return drawing.devices, drawing.states


def set_device_states(devices, states, *, device_type=None):
    """The way back of get_device_states."""
    kind = device_type or DefaultDeviceType.get_device_type()
    for device, state in zip(devices, states):
        _device.of(kind).set_rng_state(state, device)


# ---- random numbers: the second run draws those of the first ----

class _Drawing:
    """The states of the generators of the CPU and of the devices of the arguments."""

    def __init__(self, args):
        kinds = {a.device.type for a in _tensors(args)} - {"cpu", "meta"}
        self.kind = next(iter(kinds), DefaultDeviceType.get_device_type())
        self.devices = sorted({a.device.index for a in _tensors(args) if a.device.type == self.kind})
        self.state = _karat.get_rng_state()
        self.states = [_device.of(self.kind).get_rng_state(d) for d in self.devices]

    @contextlib.contextmanager
    def again(self):
        with fork_rng(devices=self.devices, device_type=self.kind):
            _karat.set_rng_state(self.state)
            set_device_states(self.devices, self.states, device_type=self.kind)
            yield


# ---- autocast: the second run is under what the first was ----

class _Casting:
    """Autocast as it is now, on the CPU and on the devices of the arguments."""

    def __init__(self, args):
        kinds = {a.device.type for a in _tensors(args)} - {"meta"} | {"cpu"}
        self.regions = [(kind, *state.get(kind), state.is_autocast_cache_enabled()) for kind in kinds]
        self.meta = _karat.get_autocast_meta()
        self.meta_dtype = state.get(self.meta)[1] if self.meta else None

    @contextlib.contextmanager
    def again(self):
        with contextlib.ExitStack() as regions:
            for kind, enabled, dtype, cached in self.regions:
                if enabled or state.get(kind)[0]:
                    regions.enter_context(autocast(kind, dtype, enabled, cached))
            regions.callback(_karat.set_autocast_meta, _karat.get_autocast_meta())
            if self.meta:
                on, dtype = state.get(self.meta)
                regions.callback(state.put, self.meta, on, dtype)
                state.put(self.meta, on, self.meta_dtype)
            _karat.set_autocast_meta(self.meta)
            yield


# ---- without reentrance ----

class _Slot:
    """Stands for one saved tensor."""

    __slots__ = ("frame", "value", "form", "__weakref__")

    def __init__(self, frame, tensor):
        self.frame, self.value, self.form = frame, None, _form(tensor)


class _Stop(Exception):
    pass


def _form(tensor):
    return {"shape": tensor.shape, "dtype": tensor.dtype, "device": tensor.device}


_HERE = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))


def _line():
    """The line of the user's program that runs."""
    frame = sys._getframe(1)
    while frame.f_back is not None and os.path.abspath(frame.f_code.co_filename).startswith(_HERE):
        frame = frame.f_back
    return f"{frame.f_code.co_filename}:{frame.f_lineno}"


_TIP = ("\n\nTip: To see a more detailed error message, either pass `debug=True` to\n`torch.utils.checkpoint.checkpoint(...)` or "
        "wrap the code block\nwith `with torch.utils.checkpoint.set_checkpoint_debug_enabled(True):` to\nenable checkpoint-debug "
        "mode globally.")


class _Arguments(Function):
    """Keeps tensors as any node does: hooks of saved tensors see them, and backward notices a write to them."""

    @staticmethod
    def forward(ctx, mark, tensors):
        ctx.save_for_backward(*tensors)
        return mark.detach()

    @staticmethod
    def backward(ctx, *grads):
        raise AssertionError("Did not expect to backward on this graph")


class _Kept:
    """The arguments of the function, for its second run."""

    def __init__(self, args):
        self.args, self.mark = args, None
        if _karat.in_transform():  # which keeps the tensors itself
            return
        self.places = [i for i, a in enumerate(args) if isinstance(a, Tensor)]
        self.args = [None if isinstance(a, Tensor) else a for a in args]
        self.mark = _Arguments.apply(_karat.functions["empty"]((0,), requires_grad=True), _tensors(args))

    def get(self):
        if self.mark is None:
            return self.args
        args = list(self.args)
        for place, tensor in zip(self.places, self.mark.grad_fn.saved_tensors):
            args[place] = tensor
        return args


class _Frame:
    """One call of checkpoint()."""

    def __init__(self, run, early_stop, checks, debug):
        self.run, self.early_stop, self.checks = run, early_stop, checks
        self.slots = []  # weak: a slot dies with the node that needs it
        self.lines = [] if debug else None  # where the slots' tensors were saved

    def pack(self, tensor):
        slot = _Slot(self, tensor)
        self.slots.append(weakref.ref(slot))
        if self.lines is not None:
            self.lines.append(_line())
        return slot

    @staticmethod
    def unpack(slot):
        if slot.value is None:
            slot.frame.fill()
        value, slot.value = slot.value, None
        if not slot.frame.checks and value.dtype != slot.form["dtype"]:  # the node takes what it saved
            value = value.to(slot.form["dtype"])
        return value

    def fill(self):
        """Runs the function again and fills the slots that are still needed."""
        found, last = 0, max(i for i, slot in enumerate(self.slots) if slot() is not None)
        others, lines = [], []  # (place, form) that differ from those of the first run; where tensors were saved

        def refill(tensor):
            nonlocal found
            if self.lines is not None:
                lines.append(_line())
            if found >= len(self.slots):
                self.fail("trying to save more tensors during recomputation than during the original forward pass.", lines)
            slot = self.slots[found]()
            if slot is not None:
                slot.value = tensor.detach()
                if self.checks and _form(tensor) != slot.form:
                    others.append((found, slot.form, _form(tensor)))
            found += 1
            if self.early_stop and found > last:
                raise _Stop
            return tensor.detach()

        with contextlib.suppress(_Stop), saved_tensors_hooks(refill, lambda tensor: tensor), enable_grad():
            self.run()
        if found <= last or (not self.early_stop and found != len(self.slots)):
            self.fail("A different number of tensors was saved during the original forward and recomputation.\n"
                      f"Number of tensors saved during forward: {len(self.slots)}\n"
                      f"Number of tensors saved during recomputation: {found}.", lines)
        if others:
            places = "".join(f"tensor at position {place}:\nsaved metadata: {before}\nrecomputed metadata: {after}\n"
                             for place, before, after in others)
            self.fail("Recomputed values for the following tensors have different metadata than during the forward pass.\n"
                      f"{places}.", lines)

    def fail(self, text, lines):
        text = f"torch.utils.checkpoint: {text}"
        if self.lines is None:
            raise CheckpointError(text + _TIP)
        both = [(lines[i] if i < len(lines) else "not saved", self.lines[i] if i < len(self.lines) else "not saved")
                for i in range(max(len(lines), len(self.lines)))]
        saved = "".join(f"  position {i}: forward {before}, recomputation {after}\n" for i, (after, before) in enumerate(both))
        raise CheckpointError(" An error happened while unpacking tensors; dumping logs of latest computation\nbecause you "
                              "passed `debug=True` to `torch.utils.checkpoint.checkpoint()`.\nTensors were saved at:\n"
                              f"{saved}{text}")


def _not_reentrant(function, args, kwargs, preserve_rng_state, context_fn, determinism_check, early_stop, debug):
    if determinism_check not in ("default", "none"):
        raise ValueError(f"determinism_check should be one of ['default', 'none'], but got {determinism_check}")
    first, second = context_fn()
    drawing, casting = _Drawing(args) if preserve_rng_state else None, _Casting(args)
    if not _karat.is_grad_enabled():
        with first:
            return function(*args, **kwargs)
    kept = _Kept(args)

    def again():
        own = kept.get()
        with drawing.again() if drawing else contextlib.nullcontext(), casting.again(), second:
            function(*own, **kwargs)

    frame = _Frame(again, _early_stop.above(early_stop), determinism_check == "default", _debug.above(debug))
    with saved_tensors_hooks(frame.pack, frame.unpack), first:
        return function(*args, **kwargs)


# ---- with reentrance ----

class CheckpointFunction(Function):
    """A call of which only the arguments are kept."""

    @staticmethod
    def forward(ctx, run_function, preserve_rng_state, *args):
        check_backward_validity(args)
        ctx.run_function = run_function
        ctx.drawing, ctx.casting = _Drawing(args) if preserve_rng_state else None, _Casting(args)
        ctx.others = [None if isinstance(a, Tensor) else a for a in args]
        ctx.places = [i for i, a in enumerate(args) if isinstance(a, Tensor)]
        ctx.save_for_backward(*_tensors(args))
        with no_grad():
            return run_function(*args)

    @staticmethod
    def backward(ctx, *grads):
        if not ctx.adds_to_all_leaves:
            raise RuntimeError("When use_reentrant=True, torch.utils.checkpoint is incompatible with .grad() or passing an "
                               "`inputs` parameter to .backward(). To resolve this error, you can either set "
                               "use_reentrant=False, or call .backward() without passing the `inputs` argument.")
        args = list(ctx.others)
        for place, tensor in zip(ctx.places, ctx.saved_tensors):
            args[place] = tensor.detach().requires_grad_(tensor.requires_grad)
        with ctx.drawing.again() if ctx.drawing else contextlib.nullcontext(), ctx.casting.again(), enable_grad():
            outputs = ctx.run_function(*args)
        outputs = outputs if isinstance(outputs, tuple) else (outputs,)
        wanted = [(o, g) for o, g in zip(outputs, grads) if isinstance(o, Tensor) and o.requires_grad]
        if not wanted:
            raise RuntimeError("none of output has requires_grad=True, this checkpoint() is not necessary")
        backward([o for o, _ in wanted], [g for _, g in wanted])
        return (None, None, *(a.grad if isinstance(a, Tensor) else None for a in args))


_TO_BE_SAID = ("{}: the use_reentrant parameter should be passed explicitly. {}. use_reentrant=False is recommended, but if you "
               "need to preserve the current default behavior, you can pass use_reentrant=True. Refer to docs for more details "
               "on the differences between the two variants.")


def _way(use_reentrant, who, threat):
    """Which of the two ways; the older one, with a warning to the program that calls, where none is said."""
    if use_reentrant is None:
        warnings.warn(_TO_BE_SAID.format(who, threat), stacklevel=3)
    return use_reentrant is None or use_reentrant


def _preserves(kwargs, alone=True):
    """Takes the option about generators from the keywords; alone: there may be no other."""
    preserve = kwargs.pop("preserve_rng_state", True)
    if alone and kwargs:
        raise ValueError(f"Unexpected keyword arguments: {','.join(kwargs)}")
    return preserve


def checkpoint(function, *args, use_reentrant=None, context_fn=noop_context_fn, determinism_check="default", debug=False,
               early_stop=True, **kwargs):
    """function(*args), of which only the arguments are kept for backward; the rest is computed again there."""
    reentrant = _way(use_reentrant, "torch.utils.checkpoint", "Starting in PyTorch 2.9, calling checkpoint without use_reentrant "
                     "will raise an exception")
    preserve = _preserves(kwargs, alone=reentrant)
    if reentrant:
        if debug or context_fn is not noop_context_fn:
            raise ValueError("Passing `context_fn` or `debug` is only supported when use_reentrant=False.")
        return CheckpointFunction.apply(function, preserve, *args)
    return _not_reentrant(function, args, kwargs, preserve, context_fn, determinism_check, early_stop, debug)


def _in_turn(functions):
    """The functions one after another, as one."""
    return lambda value: functools.reduce(lambda value, function: function(value), functions, value)


def checkpoint_sequential(functions, segments, input, use_reentrant=None, **kwargs):
    """One function after another, in so many segments of which each but the last is a checkpoint()."""
    reentrant = _way(use_reentrant, "torch.utils.checkpoint.checkpoint_sequential", "In version 2.9 we will raise an exception "
                     "if use_reentrant is not passed")
    how = {"use_reentrant": reentrant, "preserve_rng_state": _preserves(kwargs)}
    steps = list(functions.children() if hasattr(functions, "children") else functions)
    size = len(steps) // segments
    begins = range(0, size * (segments - 1), size)  # of the segments before the last
    for begin in begins:
        input = checkpoint(_in_turn(steps[begin:begin + size]), input, **how)
    return _in_turn(steps[len(begins) * size:])(input)


__getattr__ = _missing.of(__name__)
