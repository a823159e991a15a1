"""karat.nn.utils.prune: parameters with elements set to zero by a mask, which a hook applies before each call."""

import math
import numbers
from abc import ABC, abstractmethod
from collections.abc import Iterable

from ... import _karat
from ..._torch_private import private_names
from ..modules._declared import own_methods
from ._parameter_hook import ParameterHook

_rows = _karat.functions


class BasePruningMethod(ParameterHook, ABC):
    """A way to choose a mask; also the hook that applies the mask before a call."""

    name_is = "_tensor_name"

    def __call__(self, module, inputs):
        setattr(module, self._tensor_name, self.apply_mask(module))

    @abstractmethod
    def compute_mask(self, t, default_mask):
        """A new mask for the tensor, which leaves out what default_mask does."""

    def apply_mask(self, module):
        """The parameter times its mask."""
        name = self._name_for(module, "has to be pruned")
        original = getattr(module, name + "_orig")
        return getattr(module, name + "_mask").to(original.dtype) * original

    def _name_for(self, module, what):
        if self._tensor_name is None:
            raise AssertionError(f"Module {module} {what}")
        return self._tensor_name

    @classmethod
    def apply(cls, module, name, *args, importance_scores=None, **kwargs):
        """Prunes a parameter of a module, on top of earlier prunings, and puts the hook there."""
        earlier = None
        for key, earlier in BasePruningMethod.on(module, name).items():
            del module._forward_pre_hooks[key]
        method = cls(*args, **kwargs)
        method._tensor_name = name
        if earlier is not None:
            container = earlier if isinstance(earlier, PruningContainer) else PruningContainer(earlier)
            container.add_pruning_method(method)
            method = container
        original = getattr(module, name) if earlier is None else getattr(module, name + "_orig")
        if importance_scores is None:
            importance_scores = original if earlier is None else getattr(module, name)
        elif importance_scores.shape != original.shape:
            raise AssertionError(f"importance_scores should have the same shape as parameter {name} of {module}, got "
                                 f"{importance_scores.shape} vs {original.shape}")
        first = earlier is None
        if first:
            module.register_parameter(name + "_orig", original)
            del module._parameters[name]
            default_mask = _rows["ones_like"](original)
        else:
            default_mask = getattr(module, name + "_mask").detach().clone(memory_format=_karat.contiguous_format)
        try:
            mask = method.compute_mask(importance_scores, default_mask=default_mask)
        except Exception:
            if first:
                module.register_parameter(name, original)
                del module._parameters[name + "_orig"]
            raise
        module.register_buffer(name + "_mask", mask)
        setattr(module, name, method.apply_mask(module))
        module.register_forward_pre_hook(method)
        return method

    def prune(self, t, default_mask=None, importance_scores=None):
        """The tensor pruned, without a module."""
        scores = t if importance_scores is None else importance_scores
        if scores.shape != t.shape:
            raise AssertionError("importance_scores should have the same shape as tensor t")
        default_mask = _rows["ones_like"](t) if default_mask is None else default_mask
        return t.mul(self.compute_mask(scores, default_mask=default_mask))

    def remove(self, module):
        """Makes the pruned parameter an ordinary one."""
        name = self._name_for(module, "has to be pruned before pruning can be removed")
        pruned = self.apply_mask(module)
        parameter = module._parameters.pop(name + "_orig")
        del module._buffers[name + "_mask"]
        parameter.data = pruned.data
        vars(module).pop(name, None)  # the product of the last call
        module.register_parameter(name, parameter)


def _checked(method):
    if not isinstance(method, BasePruningMethod):
        raise TypeError(f"{type(method)} is not a BasePruningMethod subclass")
    return method


class PruningContainer(BasePruningMethod):
    """Several prunings of one parameter, one on top of the other."""

    def __init__(self, *args):
        self._pruning_methods = ()
        if args and isinstance(args[0], BasePruningMethod):
            self._tensor_name = args[0]._tensor_name
        for method in args:
            self.add_pruning_method(method)

    def add_pruning_method(self, method):
        """Adds a pruning of the same parameter. None takes a place and prunes nothing."""
        if method is not None:
            its, ours = _checked(method)._tensor_name, self._tensor_name
            if its != ours:
                raise ValueError(f"Can only add pruning methods acting on the parameter named '{ours}' to PruningContainer "
                                 f"{self}. Found '{its}'")
        self._pruning_methods = *self._pruning_methods, method

    def __len__(self):
        return len(self._pruning_methods)

    def __iter__(self):
        return iter(self._pruning_methods)

    def __getitem__(self, idx):
        return self._pruning_methods[idx]

    def compute_mask(self, t, default_mask):
        """The latest method's mask of what the earlier ones left."""
        return _further(self._pruning_methods[-1], t, default_mask)


def _further(method, t, mask):
    """The mask, with what the method leaves out of what it has kept."""
    new = mask.to(dtype=t.dtype, copy=True)
    if method.PRUNING_TYPE == "unstructured":
        chosen = new.eq(1)
    elif method.PRUNING_TYPE == "structured":
        others = _other_dims(t, method.dim)
        kept = new.sum(others).ne(0)
        chosen = tuple(slice(None) if d in others else kept for d in range(t.dim()))
    elif method.PRUNING_TYPE == "global":
        chosen = slice(None)
    else:
        raise ValueError(f"Unrecognized PRUNING_TYPE {method.PRUNING_TYPE}")
    new[chosen] = method.compute_mask(t[chosen], default_mask=new[chosen]).to(dtype=new.dtype)
    return new


class Identity(BasePruningMethod):
    """Prunes nothing, so that there is a mask."""

    PRUNING_TYPE = "unstructured"

    def compute_mask(self, t, default_mask):
        return default_mask

    @classmethod
    def apply(cls, module, name):
        return super().apply(module, name)


def _check_amount(amount):
    """Is it a share or a number?"""
    if not isinstance(amount, numbers.Real):
        raise TypeError(f"Invalid type for amount: {amount}. Must be int or float.")
    if not 0 <= amount <= (math.inf if isinstance(amount, numbers.Integral) else 1):
        raise ValueError(f"amount={amount} should either be a float in the range [0, 1] or a non-negative integer")


def _check_fits(amount, tensor_size):
    """Are there as many?"""
    if isinstance(amount, numbers.Integral) and amount > tensor_size:
        raise ValueError(f"amount={amount} should be smaller than the number of parameters to prune={tensor_size}")


def _how_many(amount, tensor_size):
    """A share of so many, or the number itself."""
    return amount if isinstance(amount, numbers.Integral) else round(amount * tensor_size)


class _OfAmount(BasePruningMethod):
    """A method that prunes a share, a float of [0, 1], or a number of something."""

    def __init__(self, amount):
        _check_amount(amount)
        self.amount = amount

    def _count(self, size):
        """How many of `size` are pruned."""
        _check_fits(self.amount, size)
        return _how_many(self.amount, size)


class _Unstructured(_OfAmount):
    """A method that prunes elements: those that _chosen names."""

    PRUNING_TYPE = "unstructured"

    def compute_mask(self, t, default_mask):
        count = self._count(t.nelement())
        mask = default_mask.clone(memory_format=_karat.contiguous_format)
        if count != 0:
            mask.view(-1)[self._chosen(t, count)] = 0
        return mask


@own_methods("__init__")
class RandomUnstructured(_Unstructured):
    """Prunes elements at random."""

    def _chosen(self, t, count):
        return _rows["rand_like"](t).view(-1).topk(k=count).indices

    @classmethod
    def apply(cls, module, name, amount):
        return super().apply(module, name, amount)


@own_methods("__init__")
class L1Unstructured(_Unstructured):
    """Prunes the elements that are smallest in size."""

    def _chosen(self, t, count):
        return t.abs().view(-1).topk(k=count, largest=False).indices

    @classmethod
    def apply(cls, module, name, amount, importance_scores=None):
        return super().apply(module, name, amount, importance_scores=importance_scores)


def _other_dims(t, dim):
    return [other for other in range(t.dim()) if other != dim % t.dim()]


class _Structured(_OfAmount):
    """A method that prunes channels along dim: all but those that _kept names."""

    PRUNING_TYPE = "structured"

    def compute_mask(self, t, default_mask):
        if t.dim() < 2:
            raise ValueError("Structured pruning can only be applied to multidimensional tensors. Found tensor of shape "
                             f"{t.shape} with {t.dim()} dims")
        if self.dim >= t.dim():
            raise IndexError(f"Invalid index {self.dim} for tensor of size {t.shape}")
        channels = t.shape[self.dim]
        count = self._count(channels)
        if count == 0:
            return default_mask
        mask, kept = _rows["zeros_like"](t), self._kept(t, channels, count)
        others = _other_dims(t, self.dim)
        mask[tuple(slice(None) if d in others else kept for d in range(t.dim()))] = 1
        return mask.mul(default_mask.to(dtype=mask.dtype))


class RandomStructured(_Structured):
    """Prunes channels along dim at random."""

    def __init__(self, amount, dim=-1):
        super().__init__(amount)
        self.dim = dim

    def _kept(self, t, channels, count):
        drawn = _rows["rand"](channels)
        return drawn.gt(drawn.kthvalue(k=count).values).to(t.device)

    @classmethod
    def apply(cls, module, name, amount, dim=-1):
        return super().apply(module, name, amount, dim)


class LnStructured(_Structured):
    """Prunes the channels along dim of the smallest n-norm."""

    def __init__(self, amount, n, dim=-1):
        super().__init__(amount)
        self.n = n
        self.dim = dim

    def _kept(self, t, channels, count):
        lengths = t.norm(p=self.n, dim=_other_dims(t, self.dim))
        return lengths.topk(channels - count).indices

    @classmethod
    def apply(cls, module, name, amount, n, dim, importance_scores=None):
        return super().apply(module, name, amount, n, dim, importance_scores=importance_scores)


class CustomFromMask(BasePruningMethod):
    """Prunes by a mask of the caller's."""

    PRUNING_TYPE = "global"

    def __init__(self, mask):
        self.mask = mask

    def compute_mask(self, t, default_mask):
        given, wanted = self.mask.shape, default_mask.shape
        if given != wanted:
            raise AssertionError(f"default_mask shape {wanted} must match self.mask shape {given}")
        return default_mask * self.mask.to(default_mask.dtype)

    @classmethod
    def apply(cls, module, name, mask):
        return super().apply(module, name, mask)


def _pruned(module, method, *args, **kwargs):
    """The module, after method.apply(module, ...)."""
    method.apply(module, *args, **kwargs)
    return module


def identity(module, name):
    """Gives a parameter a mask of ones."""
    return _pruned(module, Identity, name)


def random_unstructured(module, name, amount):
    """Prunes a share or a number of elements, at random."""
    return _pruned(module, RandomUnstructured, name, amount)


def l1_unstructured(module, name, amount, importance_scores=None):
    """Prunes a share or a number of elements, the smallest first."""
    return _pruned(module, L1Unstructured, name, amount, importance_scores)


def random_structured(module, name, amount, dim):
    """Prunes a share or a number of channels along dim, at random."""
    return _pruned(module, RandomStructured, name, amount, dim)


def ln_structured(module, name, amount, n, dim, importance_scores=None):
    """Prunes a share or a number of channels along dim, those of the smallest n-norm first."""
    return _pruned(module, LnStructured, name, amount, n, dim, importance_scores)


def global_unstructured(parameters, pruning_method, importance_scores=None, **kwargs):
    """Prunes a share or a number of the elements of several parameters, (module, name) each, taken together."""
    if not isinstance(parameters, Iterable):
        raise TypeError("global_unstructured(): parameters is not an Iterable")
    importance_scores = {} if importance_scores is None else importance_scores
    if not isinstance(importance_scores, dict):
        raise TypeError("global_unstructured(): importance_scores must be of type dict")
    parameters = [(module, name, getattr(module, name)) for module, name in parameters]
    scores = [importance_scores.get((module, name), tensor).reshape(-1) for module, name, tensor in parameters]
    masks = [getattr(module, name + "_mask", _rows["ones_like"](tensor)).reshape(-1) for module, name, tensor in parameters]
    method = pruning_method(**kwargs)
    if method.PRUNING_TYPE != "unstructured":
        raise TypeError('Only "unstructured" PRUNING_TYPE supported for the `pruning_method`. Found method '
                        f"{pruning_method} of type {method.PRUNING_TYPE}")
    whole = _further(_checked(method), _rows["cat"](scores), _rows["cat"](masks))
    for (module, name, tensor), mask in zip(parameters, whole.split([tensor.numel() for *_, tensor in parameters])):
        custom_from_mask(module, name, mask=mask.view_as(tensor))


def custom_from_mask(module, name, mask):
    """Prunes a parameter by a mask."""
    return _pruned(module, CustomFromMask, name, mask)


def remove(module, name):
    """Makes a pruned parameter an ordinary one, with the zeros it has."""
    return BasePruningMethod.take_off(
        module, name, f"Parameter '{name}' of module {module} has to be pruned before pruning can be removed")


def is_pruned(module):
    """Is a parameter of the module, or of one below it, pruned?"""
    return any(isinstance(hook, BasePruningMethod) for one in module.modules() for hook in one._forward_pre_hooks.values())


__getattr__ = private_names(__name__, globals())
