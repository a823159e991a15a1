"""karat.nn.functional: the rows of the operator table whose names begin with nn_, the functions that PyTorch has both here and
in torch itself, the pooling functions (_pooling.py), resampling (_resampling.py), and the
activation functions that take inplace=."""

from .. import _karat, _missing
from ..overrides import handle_torch_function, has_torch_function, has_torch_function_unary  # noqa: F401
from . import _pooling, _resampling
from ._asking import ask as _ask
from ._multi_head import multi_head_attention_forward  # noqa: F401

globals().update(_missing.functions_in("nn.functional", _karat.functions, _karat.nn_functions))
globals().update({name: value for name, value in vars(_pooling).items() if "pool" in name or name in ("unfold", "fold")})
globals().update({name: value for name, value in vars(_resampling).items() if not name.startswith("_") and callable(value)
                  and value.__module__ == _resampling.__name__})
_Tensor = _karat.Tensor  # tested first: plain tensors have no __torch_function__ override
_rows = _karat.functions | _karat.nn_functions

logsigmoid = _rows["log_sigmoid"]


def _documented(function):
    """The function with the first line of its row's documentation."""
    function.__doc__ = _rows[function.__name__].__doc__.partition("\n")[0]
    return function


def _activation(name):
    """An activation function without options but inplace=, which chooses one of two rows."""
    new, in_place = _rows[name], _rows[name + "_"]

    def activation(input, inplace=False):
        if type(input) is not _Tensor and has_torch_function_unary(input):
            return _ask(activation, locals(), input)
        return in_place(input) if inplace else new(input)

    activation.__name__ = activation.__qualname__ = name
    return _documented(activation)


relu, relu6, silu, mish, selu = map(_activation, ("relu", "relu6", "silu", "mish", "selu"))
hardsigmoid, hardswish = _activation("hardsigmoid"), _activation("hardswish")


@_documented
def elu(input, alpha=1.0, inplace=False):
    if type(input) is not _Tensor and has_torch_function_unary(input):
        return _ask(elu, locals(), input)
    return _rows["elu_" if inplace else "elu"](input, alpha)


@_documented
def celu(input, alpha=1.0, inplace=False):
    if type(input) is not _Tensor and has_torch_function_unary(input):
        return _ask(celu, locals(), input)
    return _rows["celu_" if inplace else "celu"](input, alpha)


@_documented
def leaky_relu(input, negative_slope=0.01, inplace=False):
    if type(input) is not _Tensor and has_torch_function_unary(input):
        return _ask(leaky_relu, locals(), input)
    return _rows["leaky_relu_" if inplace else "leaky_relu"](input, negative_slope)


@_documented
def hardtanh(input, min_val=-1.0, max_val=1.0, inplace=False):
    if type(input) is not _Tensor and has_torch_function_unary(input):
        return _ask(hardtanh, locals(), input)
    if min_val > max_val:
        raise ValueError("min_val cannot be greater than max_val")
    return _rows["hardtanh_" if inplace else "hardtanh"](input, min_val, max_val)


@_documented
def threshold(input, threshold, value, inplace=False):
    if type(input) is not _Tensor and has_torch_function_unary(input):
        return _ask(_threshold, locals(), input)
    return _rows["threshold_" if inplace else "threshold"](input, threshold, value)


threshold.__name__ = threshold.__qualname__ = "_threshold"  # as PyTorch's, which pickles show
_threshold = threshold  # by this name inside, where `threshold` is a number


@_documented
def rrelu(input, lower=1.0 / 8, upper=1.0 / 3, training=False, inplace=False):
    if type(input) is not _Tensor and has_torch_function_unary(input):
        return _ask(rrelu, locals(), input)
    return _rows["rrelu_" if inplace else "rrelu"](input, lower, upper, training)


@_documented
def glu(input, dim=-1):
    if type(input) is not _Tensor and has_torch_function_unary(input):
        return _ask(glu, locals(), input)
    if not input.shape:
        raise RuntimeError("glu does not support scalars because halving size must be even")
    return _rows["glu"](input, dim)


def triplet_margin_with_distance_loss(anchor, positive, negative, *, distance_function=None, margin=1.0, swap=False,
                                      reduction="mean"):
    """the triplet margin loss with a distance of the caller's, or pairwise_distance"""
    tensors = anchor, positive, negative
    if has_torch_function(tensors):
        return _ask(triplet_margin_with_distance_loss, locals(), *tensors)
    if reduction not in ("mean", "sum", "none"):
        raise ValueError(f"{reduction} is not a valid value for reduction")
    if margin <= 0:
        raise ValueError(f"margin must be greater than 0, got {margin}")
    dims = [t.dim() for t in tensors]
    if len(set(dims)) > 1:
        raise RuntimeError("The anchor, positive, and negative tensors are expected to have the same number of dimensions, but "
                           "got: anchor {}D, positive {}D, and negative {}D inputs".format(*dims))
    distance = distance_function or _rows["pairwise_distance"]
    near, far = distance(anchor, positive), distance(anchor, negative)
    between = distance(positive, negative) if swap else None
    return _rows["_triplet_of_distances"](near, far, between, margin, reduction)


__getattr__ = _missing.of(__name__)
