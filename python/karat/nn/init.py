"""karat.nn.init: first values of parameters, written in place without a gradient; PyTorch's draws for the same seed.

Most schemes are a standard deviation, made of a layer's fans and its nonlinearity's gain, and a law of that deviation: the normal
one, or the uniform one, which reaches sqrt(3) deviations to both sides. Glorot and Bengio, "Understanding the difficulty of
training deep feedforward neural networks" (2010); He and others, "Delving deep into rectifiers" (2015); Saxe and others, "Exact
solutions to the nonlinear dynamics of learning in deep linear neural networks" (2013); Martens, "Deep learning via Hessian-free
optimization" (2010)."""

import math
import warnings

from .. import _karat, _missing
from .._torch_private import private_names as _private_names
from ..modes import no_grad
from ..overrides import handle_torch_function
from ._asking import overridden as _overridden

__all__ = ["calculate_gain", "uniform_", "normal_", "trunc_normal_", "constant_", "ones_", "zeros_", "eye_", "dirac_",
           "xavier_uniform_", "xavier_normal_", "kaiming_uniform_", "kaiming_normal_", "orthogonal_", "sparse_", "uniform",
           "normal", "constant", "eye", "dirac", "xavier_uniform", "xavier_normal", "kaiming_uniform", "kaiming_normal",
           "orthogonal", "sparse"]

_randperm, _stack = _karat.functions["randperm"], _karat.functions["stack"]
_qr = _karat.linalg_functions["qr"]
_GAINS = {"linear": 1, "conv1d": 1, "conv2d": 1, "conv3d": 1, "conv_transpose1d": 1, "conv_transpose2d": 1, "conv_transpose3d": 1,
          "sigmoid": 1, "tanh": 5.0 / 3, "relu": math.sqrt(2.0), "selu": 3.0 / 4}


def _unrecorded(write, *args, **named):
    """An in-place method, without a gradient."""
    with no_grad():
        return write(*args, **named)


# ---- gains, fans and laws ----


def calculate_gain(nonlinearity, param=None):
    """The gain that keeps the variance through a nonlinearity; param is the slope of a leaky ReLU."""
    if nonlinearity in _GAINS:
        return _GAINS[nonlinearity]
    if nonlinearity != "leaky_relu":
        raise ValueError(f"Unsupported nonlinearity {nonlinearity}")
    slope = 0.01 if param is None else param
    if isinstance(slope, bool) or not isinstance(slope, (int, float)):
        raise ValueError(f"negative_slope {param} not a valid number")
    return math.sqrt(2.0 / (1 + slope**2))


def _fans(tensor):
    """How many inputs an output of the layer has, and how many outputs an input: the channels times the kernel's elements."""
    if tensor.dim() < 2:
        raise ValueError("Fan in and fan out can not be computed for tensor with fewer than 2 dimensions")
    outputs, inputs, *kernel = tensor.shape
    each = math.prod(kernel)
    return inputs * each, outputs * each


def _fan(tensor, mode):
    """The fan that a name says, in any case of letters."""
    names = ["fan_in", "fan_out"]
    try:
        which = names.index(mode.lower())
    except ValueError:
        raise ValueError(f"Mode {mode.lower()} not supported, please use one of {names}") from None
    return _fans(tensor)[which]


def _draw_uniform(tensor, a, b, generator=None):
    return _unrecorded(tensor.uniform_, a, b, generator=generator)


def _draw_normal(tensor, mean, std, generator=None):
    return _unrecorded(tensor.normal_, mean, std, generator=generator)


def _draw_uniform_of(tensor, std, generator):
    reach = math.sqrt(3.0) * std
    return _draw_uniform(tensor, -reach, reach, generator)


# ---- plain laws and constants ----


def uniform_(tensor, a=0.0, b=1.0, generator=None):
    """Numbers drawn from [a, b)."""
    if _overridden(tensor):
        return handle_torch_function(uniform_, (tensor,), **locals())
    return _draw_uniform(tensor, a, b, generator)


def normal_(tensor, mean=0.0, std=1.0, generator=None):
    """Numbers of the normal distribution."""
    if _overridden(tensor):
        return handle_torch_function(normal_, (tensor,), **locals())
    return _draw_normal(tensor, mean, std, generator)


def trunc_normal_(tensor, mean=0.0, std=1.0, a=-2.0, b=2.0, generator=None):
    """Numbers of the normal distribution between a and b."""
    if not a - 2 * std <= mean <= b + 2 * std:
        warnings.warn("mean is more than 2 std from [a, b] in nn.init.trunc_normal_. The distribution of values may be "
                      "incorrect.", stacklevel=2)
    # Uniform between the parts of the law below a and below b, and back by the inverse of (1 + erf(x / sqrt(2))) / 2.
    parts = [0.5 * (1.0 + math.erf((edge - mean) / std / math.sqrt(2.0))) for edge in (a, b)]
    _draw_uniform(tensor, *(2 * part - 1 for part in parts), generator)
    with no_grad():
        return tensor.erfinv_().mul_(std * math.sqrt(2.0)).add_(mean).clamp_(a, b)


def constant_(tensor, val):
    """One value everywhere."""
    if _overridden(tensor):
        return handle_torch_function(constant_, (tensor,), **locals())
    return _unrecorded(tensor.fill_, val)


def ones_(tensor):
    """1 everywhere."""
    return _unrecorded(tensor.fill_, 1.0)


def zeros_(tensor):
    """0 everywhere."""
    return _unrecorded(tensor.zero_)


# ---- layers that keep what they get ----


def eye_(tensor):
    """The identity matrix."""
    if tensor.dim() != 2:
        raise ValueError("Only tensors with 2 dimensions are supported")
    with no_grad():
        tensor.zero_().diagonal().fill_(1)
    return tensor


def dirac_(tensor, groups=1):
    """The weight of a convolution that keeps as many channels as it can."""
    if tensor.dim() not in (3, 4, 5):
        raise ValueError("Only tensors with 3, 4, or 5 dimensions are supported")
    if tensor.size(0) % groups:
        raise ValueError("dim 0 must be divisible by groups")
    centre = tuple(size // 2 for size in tensor.shape[2:])
    with no_grad():
        channels = tensor.zero_()[(slice(None), slice(None), *centre)]  # a matrix: of each group the top is to be the identity
        for group in channels.chunk(groups):
            group.diagonal().fill_(1)
    return tensor


def orthogonal_(tensor, gain=1, generator=None):
    """An orthogonal matrix, or rows or columns of one, times gain; further dims count as columns."""
    if tensor.dim() < 2:
        raise ValueError("Only tensors with 2 or more dimensions are supported")
    if tensor.numel() == 0:
        return tensor
    drawn = tensor.new_empty((tensor.size(0), tensor[0].numel())).normal_(0, 1, generator=generator)
    wide = drawn.size(0) < drawn.size(1)
    with no_grad():
        basis, r = _qr(drawn.t() if wide else drawn)
        basis.mul_(r.diagonal().sign())  # a decomposition is unique up to signs: these make the distribution uniform
        return tensor.copy_((basis.t() if wide else basis).reshape(tensor.shape)).mul_(gain)


# ---- deviations by the fans ----


def _xavier_std(tensor, gain):
    """Between what keeps the variance of values and what keeps that of gradients."""
    return gain * math.sqrt(2.0 / sum(_fans(tensor)))


def xavier_uniform_(tensor, gain=1.0, generator=None):
    """Uniform numbers with the variance 2 gain^2 / (fan_in + fan_out)."""
    return _draw_uniform_of(tensor, _xavier_std(tensor, gain), generator)


def xavier_normal_(tensor, gain=1.0, generator=None):
    """Normal numbers with the variance 2 gain^2 / (fan_in + fan_out)."""
    return _draw_normal(tensor, 0.0, _xavier_std(tensor, gain), generator)


def _kaiming_std(tensor, a, mode, nonlinearity):
    """None where there is nothing to draw, which is said."""
    if 0 in tensor.shape:
        warnings.warn("Initializing zero-element tensors is a no-op", stacklevel=3)
        return None
    fan = _fan(tensor, mode)
    return calculate_gain(nonlinearity, a) / math.sqrt(fan)


def kaiming_uniform_(tensor, a=0, mode="fan_in", nonlinearity="leaky_relu", generator=None):
    """Uniform numbers with the variance gain^2 / fan; a is the slope of the leaky ReLU behind."""
    if _overridden(tensor):
        return handle_torch_function(kaiming_uniform_, (tensor,), **locals())
    std = _kaiming_std(tensor, a, mode, nonlinearity)
    return tensor if std is None else _draw_uniform_of(tensor, std, generator)


def kaiming_normal_(tensor, a=0, mode="fan_in", nonlinearity="leaky_relu", generator=None):
    """Normal numbers with the variance gain^2 / fan; a is the slope of the leaky ReLU behind."""
    std = _kaiming_std(tensor, a, mode, nonlinearity)
    return tensor if std is None else _draw_normal(tensor, 0, std, generator)


def sparse_(tensor, sparsity, std=0.01, generator=None):
    """A matrix of normal numbers, of which a part of each column, `sparsity`, is zero."""
    if tensor.dim() != 2:
        raise ValueError("Only tensors with 2 dimensions are supported")
    rows, columns = tensor.shape
    zeros = math.ceil(sparsity * rows)
    _draw_normal(tensor, 0, std, generator)
    places = [_randperm(rows, device=tensor.device)[:zeros] for _ in range(columns)]
    return _unrecorded(tensor.scatter_, 0, _stack(places, 1), 0) if places else tensor


def _reset_weight_and_bias(weight, bias):
    """The first values of Linear and of convolutions: both uniform in 1 / sqrt(fan_in), the weight first."""
    kaiming_uniform_(weight, a=math.sqrt(5))
    if bias is not None:
        fan_in = _fan(weight, "fan_in")
        reach = 1 / math.sqrt(fan_in) if fan_in > 0 else 0
        uniform_(bias, -reach, reach)


# ---- names without _ at the end ----


def _by_old_name(function):
    new = function.__name__
    text = f"`nn.init.{new[:-1]}` is now deprecated in favor of `nn.init.{new}`."

    def old(*args, **kwargs):
        warnings.warn(text, FutureWarning, stacklevel=2)
        return function(*args, **kwargs)

    old.__name__ = old.__qualname__ = new[:-1]
    old.__doc__ = f"{new[:-1]}(...): {new}'s old name."
    return old


uniform, normal, constant, eye, dirac = map(_by_old_name, (uniform_, normal_, constant_, eye_, dirac_))
xavier_uniform, xavier_normal = _by_old_name(xavier_uniform_), _by_old_name(xavier_normal_)
kaiming_uniform, kaiming_normal = _by_old_name(kaiming_uniform_), _by_old_name(kaiming_normal_)
orthogonal, sparse = _by_old_name(orthogonal_), _by_old_name(sparse_)

__getattr__ = _private_names(__name__, globals(), _missing.of(__name__))
