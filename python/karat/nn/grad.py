"""karat.nn.grad: the gradients of convolutions for their input and weight, as functions."""

from .. import _karat, _missing
from .modules.utils import _ntuple

_backward, _empty = _karat.functions["_convolution_backward"], _karat.functions["empty"]


def _of_input(dims):
    each = _ntuple(dims)

    def of_input(input_size, weight, grad_output, stride=1, padding=0, dilation=1, groups=1):
        input = _empty(1, dtype=grad_output.dtype, device=grad_output.device).expand(input_size)
        return _backward(grad_output, input, weight, None, each(stride), each(padding), each(dilation), False, [0] * dims, groups,
                         [1, 0, 0])[0]

    of_input.__name__ = of_input.__qualname__ = f"conv{dims}d_input"
    of_input.__doc__ = f"The gradient of conv{dims}d for its input, whose size is input_size."
    return of_input


def _of_weight(dims):
    each = _ntuple(dims)

    def of_weight(input, weight_size, grad_output, stride=1, padding=0, dilation=1, groups=1):
        weight = _empty(1, dtype=grad_output.dtype, device=grad_output.device).expand(weight_size)
        return _backward(grad_output, input, weight, None, each(stride), each(padding), each(dilation), False, [0] * dims, groups,
                         [0, 1, 0])[1]

    of_weight.__name__ = of_weight.__qualname__ = f"conv{dims}d_weight"
    of_weight.__doc__ = f"The gradient of conv{dims}d for its weight, whose size is weight_size."
    return of_weight


conv1d_input, conv2d_input, conv3d_input = map(_of_input, (1, 2, 3))
conv1d_weight, conv2d_weight, conv3d_weight = map(_of_weight, (1, 2, 3))

__getattr__ = _missing.of(__name__)
