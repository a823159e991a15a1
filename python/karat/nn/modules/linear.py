"""karat.nn.modules.linear: Identity, Linear, Bilinear."""

from .. import functional as F
from .. import init
from ..parameter import UninitializedParameter
from ._declared import SizedByChannels, keep, new_parameter, shown
from .module import Module
from .utils import draw_by_size

__all__ = ["Bilinear", "Identity", "LazyLinear", "Linear"]


class Identity(Module):
    """Returns its input; the arguments are ignored."""

    def __init__(self, *args, **kwargs):
        super().__init__()

    def forward(self, input):
        return input


def _if_there(value):
    return str(value is not None)


class Linear(Module):
    """input @ weight.T + bias."""

    __constants__ = ["in_features", "out_features"]

    def __init__(self, in_features, out_features, bias=True, device=None, dtype=None):
        super().__init__()
        self.in_features = in_features
        self.out_features = out_features
        new_parameter(self, "weight", (out_features, in_features), device, dtype)
        new_parameter(self, "bias", out_features if bias else None, device, dtype)
        self.reset_parameters()

    def reset_parameters(self):
        init._reset_weight_and_bias(self.weight, self.bias)

    def forward(self, input):
        return F.linear(input, self.weight, self.bias)

    extra_repr = shown(in_features=str, out_features=str, bias=_if_there)


class NonDynamicallyQuantizableLinear(Linear):
    """The Linear at the end of MultiheadAttention: a class of its own in PyTorch, so that quantization leaves it alone."""


class Bilinear(Module):
    """input1 @ weight[k] @ input2 + bias[k] for every output k."""

    __constants__ = ["in1_features", "in2_features", "out_features"]

    def __init__(self, in1_features, in2_features, out_features, bias=True, device=None, dtype=None):
        if in1_features <= 0:
            raise ValueError(f"in1_features must be > 0, but got ({in1_features=})")
        super().__init__()
        keep(self, locals(), but=("bias",))
        new_parameter(self, "weight", (out_features, in1_features, in2_features), device, dtype)
        new_parameter(self, "bias", out_features if bias else None, device, dtype)
        self.reset_parameters()

    def reset_parameters(self):
        draw_by_size((self.weight, self.bias), self.weight.size(1))

    def forward(self, input1, input2):
        return F.bilinear(input1, input2, self.weight, self.bias)

    extra_repr = shown(in1_features=str, in2_features=str, out_features=str, bias=_if_there)


class LazyLinear(SizedByChannels, Linear):
    """A Linear that takes in_features from its first input."""

    cls_to_become = Linear
    _counted = "in_features"

    def __init__(self, out_features, bias=True, device=None, dtype=None):
        super().__init__(0, 0, False)  # no draw for parameters that come later
        self.weight = UninitializedParameter(device=device, dtype=dtype)
        self.out_features = out_features
        if bias:
            self.bias = UninitializedParameter(device=device, dtype=dtype)

    def _count(self, input):
        return input.shape[-1]

    def _sizes_of(self, name):
        return (self.out_features, self.in_features) if name == "weight" else (self.out_features,)

    def initialize_parameters(self, input):
        super().initialize_parameters(input)
        self.in_features = self.in_features or self._count(input)  # of a state that was loaded
