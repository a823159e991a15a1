"""karat.nn.utils.parametrize: tensors of a module that are computed from others whenever they are read.

The module's class becomes a class of its own with a property for each such tensor; the tensors that they are computed from are in
module.parametrizations[name], as `original`, or as original0, original1 where a parametrization takes several.
"""

import copy
from collections.abc import Sequence
from contextlib import ContextDecorator

from ..._karat import Tensor
from ...modes import no_grad
from ..modules.container import ModuleDict, ModuleList
from ..parameter import Parameter

__all__ = ["cached", "ParametrizationList", "register_parametrization", "is_parametrized", "remove_parametrizations",
           "type_before_parametrizations", "transfer_parametrizations_and_params"]

_cache_enabled = 0  # how many `with cached()` are open
_cache = {}


class cached(ContextDecorator):
    """Within it a parametrized tensor is computed once."""

    def __enter__(self):
        global _cache_enabled
        _cache_enabled += 1

    def __exit__(self, *error):
        global _cache_enabled
        _cache_enabled -= 1
        if _cache_enabled == 0:
            _cache.clear()


def _put(module, name, tensor):
    """Registers a parameter or a buffer."""
    register = module.register_parameter if isinstance(tensor, Parameter) else module.register_buffer
    register(name, tensor)


def _assign(dest, src):
    """Gives dest the elements of src, in its own memory where that is possible: an optimizer may hold it."""
    if dest is src:
        return
    if dest.shape == src.shape and dest.dtype == src.dtype and dest.device == src.device:
        dest.data = src.data
    else:
        dest.set_(src)


def _refuse(what, first, first_value, second, second_value):
    raise ValueError(f"{what}\n{first}: {first_value}\n{second}: {second_value}")


def _check_single(value, reference, what, first, second):
    """A tensor of the dtype and device of the other."""
    for name in ("dtype", "device"):
        if getattr(value, name) != getattr(reference, name):
            _refuse(what.format(name), f"{first}.{name}", getattr(reference, name), f"{second}.{name}", getattr(value, name))


class ParametrizationList(ModuleList):
    """The parametrizations of one tensor, from the first to the last, and what they compute it from."""

    def __init__(self, modules, original, unsafe=False):
        if len(modules) == 0:
            raise ValueError("ParametrizationList requires one or more modules.")
        super().__init__(modules)
        self.unsafe = unsafe
        shape, dtype = original.shape, original.dtype
        with no_grad():
            new = original
            for module in reversed(self):
                if hasattr(module, "right_inverse"):
                    try:
                        new = module.right_inverse(new)
                    except NotImplementedError:
                        pass
        if not isinstance(new, Tensor) and not isinstance(new, Sequence):
            raise ValueError("'right_inverse' must return a Tensor or a Sequence of tensors (list, tuple...). Got "
                             f"{type(new).__name__}")
        self.is_tensor = isinstance(new, Tensor)
        self.ntensors = 1 if self.is_tensor else len(new)
        if self.is_tensor:
            _check_single(new, original, "When `right_inverse` outputs one tensor, it may not change the {}.", "original",
                          "right_inverse(original)")
            with no_grad():
                _assign(original, new)
            _put(self, "original", original)
        else:
            for place, one in enumerate(new):
                if not isinstance(one, Tensor):
                    raise ValueError("'right_inverse' must return a Tensor or a Sequence of tensors (list, tuple...). Got "
                                     f"element {place} of the sequence with type {type(one).__name__}.")
                if isinstance(original, Parameter):
                    one = Parameter(one, original.requires_grad)
                one.requires_grad_(original.requires_grad)
                _put(self, f"original{place}", one)
        if not unsafe:
            made = self()
            if not isinstance(made, Tensor):
                raise ValueError(f"A parametrization must return a tensor. Got {type(made).__name__}.")
            what = "Registering a parametrization may not change the {} of the tensor, unless `unsafe` flag is enabled."
            for name, was, now in ("dtype", dtype, made.dtype), ("shape", shape, made.shape):
                if was != now:
                    _refuse(what.format(name), f"unparametrized {name}", was, f"parametrized {name}", now)

    def _originals(self):
        return [self.original] if self.is_tensor else [getattr(self, f"original{place}") for place in range(self.ntensors)]

    def right_inverse(self, value):
        """Sets the originals so that the tensor becomes the value, by the right_inverse of each parametrization."""
        with no_grad():
            for module in reversed(self):
                if not hasattr(module, "right_inverse"):
                    raise RuntimeError(f"parametrization {type(module).__name__} does not implement right_inverse.")
                value = module.right_inverse(value)
            for original, new in zip(self._originals(), self._new_originals(value)):
                _assign(original, new)

    def _new_originals(self, value):
        """What the last right_inverse gave, as a sequence of tensors, each of the dtype of its original."""
        if self.is_tensor:
            if not isinstance(value, Tensor):
                raise ValueError(f"`right_inverse` should return a tensor. Got {type(value).__name__}")
            value = [value]
        elif not isinstance(value, Sequence):
            raise ValueError(f"'right_inverse' must return a sequence of tensors. Got {type(value).__name__}.")
        elif len(value) != self.ntensors:
            raise ValueError("'right_inverse' must return a sequence of tensors of length "
                             f"{self.ntensors}. Got a sequence of length {len(value)}.")
        for place, (original, new) in enumerate(zip(self._originals(), value)):
            if not isinstance(new, Tensor):
                raise ValueError(f"`right_inverse` must return a sequence of tensors. Got element {place} of type "
                                 f"{type(new).__name__}")
            if new.dtype != original.dtype:
                name = "original" if self.is_tensor else f"original{place}"
                raise ValueError(f"The tensor returned by `right_inverse` has dtype {new.dtype} while `{name}` has dtype "
                                 f"{original.dtype}")
        return value

    def forward(self):
        value = self[0](*self._originals())
        for place in range(1, len(self)):
            value = self[place](value)
        return value


_NO_PICKLE = ("Serialization of parametrized modules is only supported through state_dict(). See:\n"
              "https://pytorch.org/tutorials/beginner/saving_loading_models.html"
              "#saving-loading-a-general-checkpoint-for-inference-and-or-resuming-training")


def _give_own_class(module):
    """Gives the module a class of its own, which can have properties."""
    cls = type(module)

    def __getstate__(self):
        raise RuntimeError(_NO_PICKLE)

    def __deepcopy__(self, memo):
        if id(self) in memo:
            return memo[id(self)]
        replica = self.__new__(type(self))
        memo[id(self)] = replica
        replica.__dict__.update(copy.deepcopy(self.__dict__, memo))
        return replica

    own = {"__getstate__": __getstate__, "__module__": __name__}
    if not hasattr(cls, "__deepcopy__"):
        own["__deepcopy__"] = __deepcopy__
    module.__class__ = type(f"Parametrized{cls.__name__}", (cls,), own)


def _compute_when_read(module, tensor_name):
    """The property that computes the tensor, and whose assignment is right_inverse."""

    def computed(self):
        if not _cache_enabled:
            return self.parametrizations[tensor_name]()
        key = id(self), tensor_name
        if key not in _cache:
            _cache[key] = self.parametrizations[tensor_name]()
        return _cache[key]

    def assigned(self, value):
        self.parametrizations[tensor_name].right_inverse(value)

    setattr(type(module), tensor_name, property(computed, assigned))


def _check_appended(module, tensor_name, parametrization):
    """Another parametrization behind those that the tensor has: it keeps dtype and shape, and so does its right_inverse."""
    with no_grad():
        before = getattr(module, tensor_name)
        after = parametrization(before)
        if not isinstance(after, Tensor):
            raise ValueError(f"A parametrization must return a tensor. Got {type(after).__name__}.")
        what = "Registering a parametrization may not change the {} of the tensor, unless the `unsafe` flag is enabled."
        for name in ("dtype", "shape"):
            if getattr(after, name) != getattr(before, name):
                _refuse(what.format(name), f"module.{tensor_name}.{name}", getattr(before, name),
                        f"parametrization(module.{tensor_name}).{name}", getattr(after, name))
        if not hasattr(parametrization, "right_inverse"):
            return
        try:
            back = parametrization.right_inverse(after)
        except NotImplementedError:
            return
        if not isinstance(back, Tensor):
            raise ValueError(f"parametrization.right_inverse must return a tensor. Got: {type(back).__name__}")
        what = ("The tensor returned by parametrization.right_inverse must have the same {} as module.{}, unless the `unsafe` "
                "flag is enabled.")
        for name in ("dtype", "shape"):
            if getattr(back, name) != getattr(before, name):
                _refuse(what.format(name, tensor_name), f"module.{tensor_name}.{name}", getattr(before, name),
                        f"returned {name}", getattr(back, name))


def register_parametrization(module, tensor_name, parametrization, *, unsafe=False):
    """Has a tensor of the module computed by the parametrization, a module, of the tensor there was; unsafe=True: it may change
    dtype and shape."""
    parametrization.train(module.training)
    if is_parametrized(module, tensor_name):
        if not unsafe:
            _check_appended(module, tensor_name, parametrization)
        module.parametrizations[tensor_name].append(parametrization)
        module.parametrizations[tensor_name].unsafe |= unsafe
        return module
    if tensor_name not in module._buffers and tensor_name not in module._parameters:
        raise ValueError(f"Module '{module}' does not have a parameter, a buffer, or a parametrized element with name "
                         f"'{tensor_name}'")
    original = getattr(module, tensor_name)
    made = ParametrizationList([parametrization], original, unsafe=unsafe)
    delattr(module, tensor_name)
    if not is_parametrized(module):
        _give_own_class(module)
        module.parametrizations = ModuleDict()
    _compute_when_read(module, tensor_name)
    module.parametrizations[tensor_name] = made
    return module


def is_parametrized(module, tensor_name=None):
    """Has the module a parametrization, of this tensor or of any?"""
    known = getattr(module, "parametrizations", ())
    return isinstance(known, ModuleDict) and (len(known) > 0 if tensor_name is None else tensor_name in known)


def remove_parametrizations(module, tensor_name, leave_parametrized=True):
    """Makes the tensor an ordinary one again: with the value it has now, or with leave_parametrized=False the original's."""
    if not is_parametrized(module, tensor_name):
        raise ValueError(f"Module {module} does not have a parametrization on {tensor_name}")
    parametrizations = module.parametrizations[tensor_name]
    if parametrizations.is_tensor:
        original = parametrizations.original
        if leave_parametrized:
            with no_grad():
                _assign(original, getattr(module, tensor_name))
    elif leave_parametrized:
        value = getattr(module, tensor_name)
        original = Parameter(value) if value.requires_grad else value
    else:
        raise ValueError("Cannot leave unparametrized (`leave_parametrized=False`) a tensor that is parametrized in terms of a "
                         "sequence of tensors.")
    delattr(type(module), tensor_name)
    del module.parametrizations[tensor_name]
    _put(module, tensor_name, original)
    if not is_parametrized(module):
        delattr(module, "parametrizations")
        module.__class__ = type(module).__bases__[0]
    return module


def type_before_parametrizations(module):
    """The module's class, without parametrizations."""
    return type(module).__bases__[0] if is_parametrized(module) else type(module)


def transfer_parametrizations_and_params(from_module, to_module, tensor_name=None):
    """Gives to_module the parametrizations of from_module, of one tensor or of all, and the values of what they compute from."""
    if not is_parametrized(from_module):
        return to_module
    assert isinstance(from_module.parametrizations, ModuleDict)
    for name in list(from_module.parametrizations) if tensor_name is None else [tensor_name]:
        if not hasattr(to_module, name):
            setattr(to_module, name, Parameter(getattr(from_module, name)))
        for parametrization in from_module.parametrizations[name]:
            register_parametrization(to_module, name, parametrization)
        for mine, its in zip(to_module.parametrizations[name]._originals(), from_module.parametrizations[name]._originals()):
            with no_grad():
                mine.copy_(its)
    return to_module
