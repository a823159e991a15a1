"""Optimizer: groups of parameters with their options, the state of each parameter, hooks, and what a state dict holds.

A subclass has `step`. Those of this package gather the tensors of a group into lists and call one operator, which updates
all: `_start` makes the states of a parameter, `_state_keys` names those that the operator takes.
"""

import functools
import warnings
from collections import OrderedDict, defaultdict
from itertools import chain
from typing import Any

from .. import (
    Tensor,
    _foreach_zero_,
    _karat,
    enable_grad,
    float32,
    float64,
    get_default_dtype,
    is_grad_enabled,
    no_grad,  # noqa: F401
    preserve_format,
    set_grad_enabled,
    tensor,
    typename,
    zeros,
    zeros_like,
)
from .._torch_private import private_names
from ..utils.hooks import RemovableHandle

__all__ = ["Optimizer", "register_optimizer_step_pre_hook", "register_optimizer_step_post_hook"]

_before_any_step = OrderedDict()
_after_any_step = OrderedDict()
ParamsT = "Iterable[Tensor] | Iterable[dict[str, Any]] | Iterable[tuple[str, Tensor]]"


class _Required:
    """An option that has no default."""

    def __repr__(self):
        return "<required parameter>"


required = _Required()


def _add_hook(table, hook, prepend=False):
    handle = RemovableHandle(table)
    table[handle.id] = hook
    table.move_to_end(handle.id, last=not prepend)
    return handle


def register_optimizer_step_pre_hook(hook):
    """Before each step of every optimizer: hook(optimizer, args, kwargs), which may return new (args, kwargs)."""
    return _add_hook(_before_any_step, hook)


def register_optimizer_step_post_hook(hook):
    """After each step of every optimizer: hook(optimizer, args, kwargs)."""
    return _add_hook(_after_any_step, hook)


# ---- what steps share ----


def _recorded_if_differentiable(func):
    """The step is recorded if the optimizer is differentiable, and only then."""

    @functools.wraps(func)
    def step(*args, **kwargs):
        before = is_grad_enabled()
        set_grad_enabled(args[0].defaults["differentiable"])
        try:
            return func(*args, **kwargs)
        finally:
            set_grad_enabled(before)

    return step


def _loss_of(closure):
    if closure is None:
        return None
    with enable_grad():
        return closure()


def _step_dtype(is_fused=None):
    return float32 if is_fused else float64 if get_default_dtype() == float64 else float32


StateDict = dict[str, Any]
DeviceDict = dict[_karat.device | None, Tensor]
DeviceDtypeDict = dict[tuple[_karat.device, _karat.dtype] | None, Tensor]


def _as_it_is(single_tensor_fn=None):
    """A decorator that changes nothing: nothing is compiled."""
    return lambda function: function


def _stacked(x):
    """The tensor itself: nothing is compiled."""
    return x


def _seen_as_real(params, *state_and_grads):
    """In place of complex parameters, and of what belongs to them in the other lists, their views as pairs of numbers."""
    for i, parameter in enumerate(params):
        if parameter.is_complex():
            for one in (params, *state_and_grads):
                one[i] = _karat.functions["view_as_real"](one[i])


def _plain(x):
    """A tensor's number."""
    return x.item() if isinstance(x, Tensor) else x


def _is_followed(x):
    return isinstance(x, Tensor) and x.requires_grad and is_grad_enabled()


def _followed(*options):
    """The options that are tensors whose gradient the step records, None for the others; empty if there is none."""
    return [x if _is_followed(x) else None for x in options] if any(map(_is_followed, options)) else []


def _number(x):
    """A number that a step calculates with."""
    if not isinstance(x, Tensor):
        return x
    if _is_followed(x):
        raise TypeError("karat: this step is not differentiated by this option: it must be Number, not Tensor")
    return x.item()


def _numbers(group, *names):
    return {name: _number(group[name]) for name in names}


def _check_lr(lr, text="Invalid learning rate: "):
    if isinstance(lr, Tensor) and lr.numel() != 1:
        raise ValueError("Tensor lr must be 1-element")
    if not 0.0 <= lr:
        raise ValueError(f"{text}{lr}")


def _check_not_negative(value, name):
    if not 0.0 <= value:
        raise ValueError(f"Invalid {name} value: {value}")


def _check_betas(betas):
    for i in range(2):
        if not 0.0 <= betas[i] < 1.0:
            raise ValueError(f"Invalid beta parameter at index {i}: {betas[i]}")


def _check_fused(optimizer, differentiable, foreach, unscales=True):
    if differentiable:
        raise RuntimeError("`fused` does not support `differentiable`")
    if foreach:
        raise RuntimeError("`fused` and `foreach` cannot be `True` together.")
    if unscales:
        optimizer._step_supports_amp_scaling = True
    optimizer._need_device_dtype_check_for_fused = True


def _other_passes(params, differentiable, use_fused=False):
    """What PyTorch chooses on other devices than the CPU; a step is one pass here, whatever is chosen."""
    return False, False


def _capturable_devices(supports_xla=True):
    return ["cuda", "xpu", "hpu", "privateuseone"] + (["xla"] if supports_xla else [])


def _fused_devices():
    return ["mps", "cuda", "xpu", "hpu", "cpu", "mtia", "privateuseone"]


def _check_fused_param(p, cuda_unsupported=False):
    if not p.dtype.is_floating_point or p.is_meta:
        devices = [one for one in _fused_devices() if not (cuda_unsupported and one == "cuda")]
        raise RuntimeError("`fused=True` requires all the params to be floating point Tensors of supported devices: "
                           f"{devices} but {p.dtype} and {p.device.type}")


def _check_capturable(what, params, supports_xla=True):
    if any(p.device.type == "cpu" for p in params):
        devices = _capturable_devices(supports_xla)
        raise AssertionError(f"If capturable=True, params{what} must be on supported devices: {devices}.")


def _check_foreach(group):
    if group["foreach"] and group.get("differentiable"):
        raise AssertionError("_foreach ops don't support autograd")


def _on_device_of(params, *numbers):
    """What a GradScaler gave to the optimizer, its scale and whether a gradient is infinite, beside the parameters."""
    return [one if one is None or one.device == params[0].device else one.to(params[0].device) for one in numbers]


def _zero_step(group, p):
    """How many steps were made: on the CPU, unless the device counts them itself."""
    fused = group.get("fused")
    if fused or group.get("capturable"):
        return zeros((), dtype=_step_dtype(fused), device=p.device)
    return tensor(0.0, dtype=_step_dtype())


def _zeros_beside(p):
    return zeros_like(p, memory_format=preserve_format)


def _members(given):
    """What a group is given, as its entries: the parameters, and their names if they are pairs."""
    if isinstance(given, Tensor):
        return {"params": [given]}
    if isinstance(given, set):
        raise TypeError("optimizer parameters need to be organized in ordered collections, but the ordering of tensors in "
                        "sets will change between runs. Please use a list instead.")
    members = list(given)
    pairs = [one for one in members if isinstance(one, tuple)]
    if not pairs:
        return {"params": members}
    if len(pairs) < len(members):
        raise ValueError("all optimizer params should be with/without names. Some param names are missing")
    return {"params": [pair[1] for pair in pairs], "param_names": [pair[0] for pair in pairs]}


class Optimizer:
    """The base of all optimizers.

    `_later`: options that older state dicts lack, with the values they had then.

    params: tensors, pairs of a name and a tensor, or dicts: groups, whose other entries are options. defaults: the options of
    groups that do not give them. param_groups, a list of dicts, may be changed at any time; state[p] is what a step keeps for p.
    """

    _later = {}

    def __init__(self, params, defaults):
        self.defaults = defaults
        self._make_hook_tables()
        self._hook_steps()
        if isinstance(params, Tensor):
            raise TypeError("params argument given to the optimizer should be an iterable of Tensors or dicts, but got "
                            + typename(params))
        self.state = defaultdict(dict)
        self.param_groups = []
        groups = list(params)
        if not groups:
            raise ValueError("optimizer got an empty parameter list")
        if not isinstance(groups[0], dict):
            groups = [{"params": groups}]
        for group in groups:
            self.add_param_group(group)

    def _make_hook_tables(self):
        for name in ("step_pre", "step_post", "state_dict_pre", "state_dict_post", "load_state_dict_pre", "load_state_dict_post"):
            if f"_optimizer_{name}_hooks" not in self.__dict__:
                setattr(self, f"_optimizer_{name}_hooks", OrderedDict())

    def __getstate__(self):
        return {"defaults": self.defaults, "state": self.state, "param_groups": self.param_groups}

    def __setstate__(self, state):
        self.__dict__.update(state)
        self._make_hook_tables()
        self._hook_steps()
        self.defaults.setdefault("differentiable", False)
        if self._later:
            self._fill_in()

    def _fill_in(self):
        """Groups of older state dicts lack newer options; their numbers of steps are not tensors."""
        for group in self.param_groups:
            for name, value in self._later.items():
                group.setdefault(name, value)
            for p in group["params"]:
                state = self.state.get(p, ())
                if "step" in state and not isinstance(state["step"], Tensor):
                    step = float(state["step"])
                    state["step"] = _zero_step(group, p).fill_(step)

    def __repr__(self):
        text = self.__class__.__name__ + " ("
        for i, group in enumerate(self.param_groups):
            text += f"\nParameter Group {i}\n"
            for key in sorted(group):
                if key != "params":
                    text += f"    {key}: {group[key]}\n"
        return text + ")"

    # ---- steps ----

    def step(self, closure=None):
        """Update the parameters by their gradients. closure, if given, computes the loss again and returns it."""
        raise NotImplementedError

    def zero_grad(self, set_to_none=True):
        """Forget all gradients; with set_to_none=False fill them with zeros."""
        span = _karat.range_begin(f"Optimizer.zero_grad#{self.__class__.__name__}.zero_grad")
        try:
            self._forget_gradients(set_to_none)
        finally:
            _karat.range_end(span)

    def _forget_gradients(self, set_to_none):
        filled = []
        for group in self.param_groups:
            for p in group["params"]:
                grad = p.grad
                if grad is None:
                    continue
                if set_to_none:
                    p.grad = None
                    continue
                if grad.grad_fn is not None:
                    grad.detach_()
                else:
                    grad.requires_grad_(False)
                filled.append(grad)
        if filled:
            _foreach_zero_(filled)

    @staticmethod
    def profile_hook_step(func):
        """Makes of a step one that runs the hooks."""

        def given(optimizer, call):
            """The (args, kwargs) of the call, as the hooks before it leave them."""
            for hook in [*_before_any_step.values(), *optimizer._optimizer_step_pre_hooks.values()]:
                answer = hook(optimizer, *call)
                if answer is not None:
                    call = answer
                    if not isinstance(call, tuple) or len(call) != 2:
                        raise RuntimeError(f"{func} must return None or a tuple of (new_args, new_kwargs), but got {call}.")
            return call

        @functools.wraps(func)
        def step(*args, **kwargs):
            optimizer = args[0]
            span = _karat.range_begin(f"Optimizer.step#{optimizer.__class__.__name__}.step")
            try:
                args, kwargs = given(optimizer, (args, kwargs))
                result = func(*args, **kwargs)
                for hook in [*optimizer._optimizer_step_post_hooks.values(), *_after_any_step.values()]:
                    hook(optimizer, args, kwargs)
            finally:
                _karat.range_end(span)
            return result

        return step

    def _hook_steps(self):
        """Once for each class: its step becomes one that runs the hooks."""
        kind = type(self)
        if not getattr(kind.step, "hooked", False):
            kind.step = self.profile_hook_step(kind.step)
            kind.step.hooked = True

    def register_step_pre_hook(self, hook):
        """Before each step: hook(optimizer, args, kwargs), which may return new (args, kwargs)."""
        return _add_hook(self._optimizer_step_pre_hooks, hook)

    def register_step_post_hook(self, hook):
        """After each step: hook(optimizer, args, kwargs)."""
        return _add_hook(self._optimizer_step_post_hooks, hook)

    def _accelerator_graph_capture_health_check(self):
        """Captures are checked by the device."""

    def _gather(self, group):
        """The parameters that have a gradient, the gradients, and the states; those that are empty are filled by _start."""
        params, grads = [], []
        for p in group["params"]:
            grad = p.grad
            if grad is not None:
                params.append(p)
                grads.append(grad)
        state = self.state
        states = [state[p] for p in params]
        if not all(states):
            for p, one in zip(params, states):
                if not one:
                    self._start(group, p, one)
        return params, grads, states

    def _init_group(self, group, params_with_grad, grads, *states):
        """Adds what a step is given to the lists: parameters, gradients, and the states that _state_keys names (None: none).
        States that are missing are made. A subclass may override it. True: one of the parameters is complex."""
        params, gradients, held = self._gather(group)
        params_with_grad.extend(params)
        grads.extend(gradients)
        for key, values in zip(self._state_keys(group), states):
            if key is not None:
                values.extend([one.get(key) for one in held])
        return any(p.is_complex() for p in params)

    def _lists(self, group):
        """What a step is given, as _init_group gathers it."""
        lists = [[] for _ in range(2 + len(self._state_keys(group)))]
        self._init_group(group, *lists)
        return lists

    def _groups_to_step(self, beside=(" and state_steps",) * 2, xla=(True, False)):
        """(group, lists of a step) of each group with gradients. What the error about capturable says, with foreach second: what
        else must lie on a device, and whether PyTorch's list of devices has XLA."""
        for group in self.param_groups:
            lists = self._lists(group)
            if lists[0]:
                if "foreach" in group:
                    _check_foreach(group)
                if group.get("capturable"):
                    foreach = bool(group["foreach"])
                    _check_capturable(beside[foreach], lists[0], xla[foreach])
                yield group, lists

    # ---- groups ----

    @staticmethod
    def _group_tensors_by_device_and_dtype(tensorlistlist, with_indices=False):
        """Lists that belong together by position, in parts: one for each device and dtype in the first of them."""
        parts = {}
        for at, first in enumerate(tensorlistlist[0]):
            lists, places = parts.setdefault((first.device, first.dtype), ([[] for _ in tensorlistlist], []))
            for gathered, tensors in zip(lists, tensorlistlist):
                if tensors:
                    gathered.append(tensors[at])
            if with_indices:
                places.append(at)
        return parts

    def add_param_group(self, param_group):
        """Add a group: a dict with "params" and the options that differ from the defaults."""
        if not isinstance(param_group, dict):
            raise TypeError(f"param_group must be a dict, but got {type(param_group)}")
        param_group.update(_members(param_group["params"]))
        params, named = param_group["params"], "param_names" in param_group
        recorded = self.defaults.get("differentiable")
        for p in params:
            if not isinstance(p, Tensor):
                raise TypeError("optimizer can only optimize Tensors, but one of the params is " + typename(p))
            if not (recorded or p.is_leaf or p.retains_grad):
                raise ValueError("can't optimize a non-leaf Tensor")
        options = {name: value for name, value in self.defaults.items() if name not in param_group}
        lacking = [name for name, value in options.items() if value is required]
        if lacking:
            raise ValueError(f"parameter group didn't specify a value of required optimization parameter {lacking[0]}")
        param_group.update(options)
        distinct = set(params)
        if len(distinct) < len(params):
            warnings.warn("optimizer contains a parameter group with duplicate parameters; in future, this will cause an error; "
                          "see github.com/pytorch/pytorch/issues/40967 for more information", stacklevel=3)
        if (not named) in ["param_names" in group for group in self.param_groups]:
            raise ValueError("all optimizer param groups should be with/without names. cannot add param group "
                             f"{'with' if named else 'without'} names to the optimizer")
        if not distinct.isdisjoint(chain.from_iterable([group["params"] for group in self.param_groups])):
            raise ValueError("some parameters appear in more than one parameter group")
        self.param_groups.append(param_group)

    # ---- state dicts ----

    def state_dict(self):
        """The state by the numbers of parameters, and the groups with those numbers instead of the parameters."""
        for hook in tuple(self._optimizer_state_dict_pre_hooks.values()):
            hook(self)
        numbers, groups = {}, []
        for group in self.param_groups:
            for p in group["params"]:
                numbers.setdefault(id(p), len(numbers))
            packed = {key: value for key, value in group.items() if key != "params"}
            packed["params"] = [numbers[id(p)] for p in group["params"]]
            groups.append(packed)
        state = {numbers[id(key)] if isinstance(key, Tensor) else key: value for key, value in self.state.items()}
        result = {"state": state, "param_groups": groups}
        for hook in tuple(self._optimizer_state_dict_post_hooks.values()):
            changed = hook(self, result)
            result = result if changed is None else changed
        return result

    @staticmethod
    def _fitted(param, value, param_id, param_groups, key=None):
        """A loaded state goes to the parameter's device and dtype; the number of steps stays, but where the device counts."""
        if key == "step":
            group = next((group for group in param_groups or () if param_id in group["params"]), {})
            return value.to(dtype=float32, device=param.device) if group.get("fused") or group.get("capturable") else value
        if param.is_floating_point():
            what = "Optimizer.load_state_dict()" if key is None else f"Optimizer.load_state_dict() of {key}"
            return _karat.load_state(value.to(device=param.device), param, what)
        return value.to(device=param.device)

    def load_state_dict(self, state_dict):
        """Take over what state_dict returned: the groups' options, and the states, cast to the dtypes of the parameters."""
        state_dict = state_dict.copy()
        for hook in tuple(self._optimizer_load_state_dict_pre_hooks.values()):
            changed = hook(self, state_dict)
            state_dict = state_dict if changed is None else changed
        groups, saved = self.param_groups, [dict(group) for group in state_dict["param_groups"]]
        if len(groups) != len(saved):
            raise ValueError("loaded state dict has a different number of parameter groups")
        if any(len(a["params"]) != len(b["params"]) for a, b in zip(groups, saved)):
            raise ValueError("loaded state dict contains a parameter group that doesn't match the size of optimizer's group")
        by_number = dict(zip(chain.from_iterable(group["params"] for group in saved),
                             chain.from_iterable(group["params"] for group in groups)))

        def cast(param, value, number, key=None):
            if isinstance(value, Tensor):
                return Optimizer._fitted(param, value, number, state_dict["param_groups"], key)
            if isinstance(value, dict):
                return {one: cast(param, item, number, one) for one, item in value.items()}
            if isinstance(value, (list, tuple)):
                return type(value)(cast(param, item, number) for item in value)
            return value

        state = defaultdict(dict)
        for key, value in state_dict["state"].items():
            if key in by_number:
                state[by_number[key]] = cast(by_number[key], value, key)
            else:
                state[key] = value

        merged = []
        for ours, theirs in zip(groups, saved):
            names = {name: ours[name] for name in ("param_names",) if name in ours and name not in theirs}
            merged.append({**theirs, **names, "params": ours["params"]})
        self.__setstate__({"state": state, "param_groups": merged})
        for hook in tuple(self._optimizer_load_state_dict_post_hooks.values()):
            hook(self)

    def register_state_dict_pre_hook(self, hook, prepend=False):
        """Before state_dict: hook(optimizer)."""
        return _add_hook(self._optimizer_state_dict_pre_hooks, hook, prepend)

    def register_state_dict_post_hook(self, hook, prepend=False):
        """After state_dict: hook(optimizer, state_dict), which may return another one."""
        return _add_hook(self._optimizer_state_dict_post_hooks, hook, prepend)

    def register_load_state_dict_pre_hook(self, hook, prepend=False):
        """Before load_state_dict: hook(optimizer, state_dict), which may return another one."""
        return _add_hook(self._optimizer_load_state_dict_pre_hooks, hook, prepend)

    def register_load_state_dict_post_hook(self, hook, prepend=False):
        """After load_state_dict: hook(optimizer)."""
        return _add_hook(self._optimizer_load_state_dict_post_hooks, hook, prepend)


__getattr__ = private_names(__name__, globals())
