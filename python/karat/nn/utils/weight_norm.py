"""karat.nn.utils.weight_norm: a weight as its direction and its length, joined before each call."""

import warnings

from ... import _karat
from ..parameter import Parameter, UninitializedParameter
from ._parameter_hook import ParameterHook

__all__ = ["WeightNorm", "weight_norm", "remove_weight_norm"]

_joined, _norm_except_dim = _karat.functions["_weight_norm"], _karat.functions["norm_except_dim"]


class WeightNorm(ParameterHook):
    """The hook: before a call it makes the weight of weight_g, its length along dim, and weight_v, its direction."""

    def __init__(self, name, dim):
        self.name, self.dim = name, -1 if dim is None else dim

    def compute_weight(self, module):
        return _joined(getattr(module, self.name + "_v"), getattr(module, self.name + "_g"), self.dim)

    def __call__(self, module, inputs):
        setattr(module, self.name, self.compute_weight(module))

    @staticmethod
    def apply(module, name, dim):
        """Puts the hook on a module."""
        if WeightNorm.on(module, name):
            raise RuntimeError(f"Cannot register two weight_norm hooks on the same parameter {name}")
        hook, weight = WeightNorm(name, dim), getattr(module, name)
        if isinstance(weight, UninitializedParameter):
            raise ValueError("The module passed to `WeightNorm` can't have uninitialized parameters. Make sure to run the dummy "
                             "forward before applying weight normalization")
        parts = {"_g": _norm_except_dim(weight, 2, hook.dim), "_v": weight}
        del module._parameters[name]
        for suffix, part in parts.items():
            module.register_parameter(name + suffix, Parameter(part.data))
        hook(module, ())  # the module has its weight before the first call too
        module.register_forward_pre_hook(hook)
        return hook

    def remove(self, module):
        """Makes the weight a parameter again."""
        joined = Parameter(self.compute_weight(module).data)
        for name in (self.name, self.name + "_g", self.name + "_v"):
            delattr(module, name)
        module.register_parameter(self.name, joined)


def weight_norm(module, name="weight", dim=0):
    """Parametrizes a weight by its direction, name_v, and its length along dim, name_g."""
    warnings.warn("`torch.nn.utils.weight_norm` is deprecated in favor of `torch.nn.utils.parametrizations.weight_norm`.",
                  FutureWarning, stacklevel=2)
    WeightNorm.apply(module, name, dim)
    return module


def remove_weight_norm(module, name="weight"):
    """Makes the weight an ordinary parameter again."""
    return WeightNorm.take_off(module, name, f"weight_norm of '{name}' not found in {module}")
