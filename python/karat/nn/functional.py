"""karat.nn.functional: the rows of the operator table whose names begin with nn_, the functions that PyTorch has both here and
in torch itself, the pooling functions (_pooling.py), resampling (_resampling.py), and the
activation functions that take inplace=."""

from .. import _karat, _missing
from ..overrides import handle_torch_function, has_torch_function, has_torch_function_unary
from . import _pooling, _resampling
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
    function.__doc__ = _rows[function.__name__.lstrip("_")].__doc__.partition("\n")[0]
    return function


@_documented
def relu(input, inplace=False):
    if type(input) is not _Tensor and has_torch_function_unary(input):
        return handle_torch_function(relu, (input,), input, inplace=inplace)
    return _rows["relu_" if inplace else "relu"](input)


@_documented
def relu6(input, inplace=False):
    if type(input) is not _Tensor and has_torch_function_unary(input):
        return handle_torch_function(relu6, (input,), input, inplace=inplace)
    return _rows["relu6_" if inplace else "relu6"](input)


@_documented
def silu(input, inplace=False):
    if type(input) is not _Tensor and has_torch_function_unary(input):
        return handle_torch_function(silu, (input,), input, inplace=inplace)
    return _rows["silu_" if inplace else "silu"](input)


@_documented
def mish(input, inplace=False):
    if type(input) is not _Tensor and has_torch_function_unary(input):
        return handle_torch_function(mish, (input,), input, inplace=inplace)
    return _rows["mish_" if inplace else "mish"](input)


@_documented
def hardsigmoid(input, inplace=False):
    if type(input) is not _Tensor and has_torch_function_unary(input):
        return handle_torch_function(hardsigmoid, (input,), input, inplace=inplace)
    return _rows["hardsigmoid_" if inplace else "hardsigmoid"](input)


@_documented
def hardswish(input, inplace=False):
    if type(input) is not _Tensor and has_torch_function_unary(input):
        return handle_torch_function(hardswish, (input,), input, inplace=inplace)
    return _rows["hardswish_" if inplace else "hardswish"](input)


@_documented
def selu(input, inplace=False):
    if type(input) is not _Tensor and has_torch_function_unary(input):
        return handle_torch_function(selu, (input,), input, inplace=inplace)
    return _rows["selu_" if inplace else "selu"](input)


@_documented
def elu(input, alpha=1.0, inplace=False):
    if type(input) is not _Tensor and has_torch_function_unary(input):
        return handle_torch_function(elu, (input,), input, alpha=alpha, inplace=inplace)
    return _rows["elu_" if inplace else "elu"](input, alpha)


@_documented
def celu(input, alpha=1.0, inplace=False):
    if type(input) is not _Tensor and has_torch_function_unary(input):
        return handle_torch_function(celu, (input,), input, alpha=alpha, inplace=inplace)
    return _rows["celu_" if inplace else "celu"](input, alpha)


@_documented
def leaky_relu(input, negative_slope=0.01, inplace=False):
    if type(input) is not _Tensor and has_torch_function_unary(input):
        return handle_torch_function(leaky_relu, (input,), input, negative_slope=negative_slope, inplace=inplace)
    return _rows["leaky_relu_" if inplace else "leaky_relu"](input, negative_slope)


@_documented
def hardtanh(input, min_val=-1.0, max_val=1.0, inplace=False):
    if type(input) is not _Tensor and has_torch_function_unary(input):
        return handle_torch_function(hardtanh, (input,), input, min_val=min_val, max_val=max_val, inplace=inplace)
    if min_val > max_val:
        raise ValueError("min_val cannot be greater than max_val")
    return _rows["hardtanh_" if inplace else "hardtanh"](input, min_val, max_val)


@_documented
def _threshold(input, threshold, value, inplace=False):
    if type(input) is not _Tensor and has_torch_function_unary(input):
        return handle_torch_function(_threshold, (input,), input, threshold, value, inplace=inplace)
    return _rows["threshold_" if inplace else "threshold"](input, threshold, value)


threshold = _threshold


@_documented
def rrelu(input, lower=1.0 / 8, upper=1.0 / 3, training=False, inplace=False):
    if type(input) is not _Tensor and has_torch_function_unary(input):
        return handle_torch_function(rrelu, (input,), input, lower=lower, upper=upper, training=training, inplace=inplace)
    return _rows["rrelu_" if inplace else "rrelu"](input, lower, upper, training)


@_documented
def glu(input, dim=-1):
    if type(input) is not _Tensor and has_torch_function_unary(input):
        return handle_torch_function(glu, (input,), input, dim=dim)
    if input.dim() == 0:
        raise RuntimeError("glu does not support scalars because halving size must be even")
    return _rows["glu"](input, dim)


def triplet_margin_with_distance_loss(anchor, positive, negative, *, distance_function=None, margin=1.0, swap=False,
                                      reduction="mean"):
    """the triplet margin loss with a distance of the caller's, or pairwise_distance"""
    tensors = (anchor, positive, negative)
    if any(type(t) is not _Tensor for t in tensors) and has_torch_function(tensors):
        return handle_torch_function(triplet_margin_with_distance_loss, tensors, *tensors, distance_function=distance_function,
                                     margin=margin, swap=swap, reduction=reduction)
    if reduction not in ("mean", "sum", "none"):
        raise ValueError(f"{reduction} is not a valid value for reduction")
    if margin <= 0:
        raise ValueError(f"margin must be greater than 0, got {margin}")
    if anchor.ndim != positive.ndim or anchor.ndim != negative.ndim:
        raise RuntimeError("The anchor, positive, and negative tensors are expected to have the same number of dimensions, but "
                           f"got: anchor {anchor.ndim}D, positive {positive.ndim}D, and negative {negative.ndim}D inputs")
    distance = _rows["pairwise_distance"] if distance_function is None else distance_function
    near, far = distance(anchor, positive), distance(anchor, negative)
    return _rows["_triplet_of_distances"](near, far, distance(positive, negative) if swap else None, margin, reduction)


__getattr__ = _missing.of(__name__)
