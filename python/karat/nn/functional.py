"""karat.nn.functional: the rows of the operator table whose names begin with nn_, those names that PyTorch has both here and
in its main module, and the faces of activation functions that take inplace=."""

from .. import _karat, _missing
from ..overrides import handle_torch_function, has_torch_function_unary

_shared = """adaptive_avg_pool1d alpha_dropout avg_pool1d bilinear binary_cross_entropy_with_logits celu celu_ channel_shuffle
    conv1d conv2d conv3d conv_transpose1d conv_transpose2d conv_transpose3d conv_tbc cosine_embedding_loss cosine_similarity
    ctc_loss dropout dropout_ embedding feature_alpha_dropout grid_sample hardshrink hinge_embedding_loss instance_norm
    kl_div layer_norm log_softmax margin_ranking_loss max_pool1d native_channel_shuffle pairwise_distance pdist
    pixel_shuffle pixel_unshuffle poisson_nll_loss prelu relu relu_ rms_norm rrelu rrelu_ selu selu_ sigmoid softmax tanh
    threshold threshold_ triplet_margin_loss""".split()

globals().update({name: _karat.functions[name] for name in _shared if name in _karat.functions})
_Tensor = _karat.Tensor  # asked first: the usual argument has no __torch_function__ of its own
_rows = _karat.functions | _karat.nn_functions
_inner = "silu_ mish_ relu6_ hardsigmoid_ hardswish_ log_sigmoid glu_halves".split()
globals().update({name: row for name, row in _karat.nn_functions.items()
                  if name not in _inner and not name.endswith("_backward")})

logsigmoid = _rows["log_sigmoid"]


def relu(input, inplace=False):
    """input, or 0 where it is less."""
    if type(input) is not _Tensor and has_torch_function_unary(input):
        return handle_torch_function(relu, (input,), input, inplace=inplace)
    return _rows["relu_" if inplace else "relu"](input)


def relu6(input, inplace=False):
    """Held between 0 and 6."""
    if type(input) is not _Tensor and has_torch_function_unary(input):
        return handle_torch_function(relu6, (input,), input, inplace=inplace)
    return _rows["relu6_" if inplace else "relu6"](input)


def silu(input, inplace=False):
    """input * sigmoid(input)."""
    if type(input) is not _Tensor and has_torch_function_unary(input):
        return handle_torch_function(silu, (input,), input, inplace=inplace)
    return _rows["silu_" if inplace else "silu"](input)


def mish(input, inplace=False):
    """input * tanh(softplus(input))."""
    if type(input) is not _Tensor and has_torch_function_unary(input):
        return handle_torch_function(mish, (input,), input, inplace=inplace)
    return _rows["mish_" if inplace else "mish"](input)


def hardsigmoid(input, inplace=False):
    """input / 6 + 1 / 2, held between 0 and 1."""
    if type(input) is not _Tensor and has_torch_function_unary(input):
        return handle_torch_function(hardsigmoid, (input,), input, inplace=inplace)
    return _rows["hardsigmoid_" if inplace else "hardsigmoid"](input)


def hardswish(input, inplace=False):
    """input * hardsigmoid(input)."""
    if type(input) is not _Tensor and has_torch_function_unary(input):
        return handle_torch_function(hardswish, (input,), input, inplace=inplace)
    return _rows["hardswish_" if inplace else "hardswish"](input)


def selu(input, inplace=False):
    """elu with the alpha and the scale that keep mean 0 and variance 1."""
    if type(input) is not _Tensor and has_torch_function_unary(input):
        return handle_torch_function(selu, (input,), input, inplace=inplace)
    return _rows["selu_" if inplace else "selu"](input)


def elu(input, alpha=1.0, inplace=False):
    """input, below 0 alpha * (e^input - 1)."""
    if type(input) is not _Tensor and has_torch_function_unary(input):
        return handle_torch_function(elu, (input,), input, alpha=alpha, inplace=inplace)
    return _rows["elu_" if inplace else "elu"](input, alpha)


def celu(input, alpha=1.0, inplace=False):
    """input, below 0 alpha * (e^(input / alpha) - 1)."""
    if type(input) is not _Tensor and has_torch_function_unary(input):
        return handle_torch_function(celu, (input,), input, alpha=alpha, inplace=inplace)
    return _rows["celu_" if inplace else "celu"](input, alpha)


def leaky_relu(input, negative_slope=0.01, inplace=False):
    """input, below 0 negative_slope * input."""
    if type(input) is not _Tensor and has_torch_function_unary(input):
        return handle_torch_function(leaky_relu, (input,), input, negative_slope=negative_slope, inplace=inplace)
    return _rows["leaky_relu_" if inplace else "leaky_relu"](input, negative_slope)


def hardtanh(input, min_val=-1.0, max_val=1.0, inplace=False):
    """Held between min_val and max_val."""
    if type(input) is not _Tensor and has_torch_function_unary(input):
        return handle_torch_function(hardtanh, (input,), input, min_val=min_val, max_val=max_val, inplace=inplace)
    if min_val > max_val:
        raise ValueError("min_val cannot be greater than max_val")
    return _rows["hardtanh_" if inplace else "hardtanh"](input, min_val, max_val)


def _threshold(input, threshold, value, inplace=False):
    """input where it is over the threshold, else value."""
    if type(input) is not _Tensor and has_torch_function_unary(input):
        return handle_torch_function(_threshold, (input,), input, threshold, value, inplace=inplace)
    return _rows["threshold_" if inplace else "threshold"](input, threshold, value)


threshold = _threshold


def glu(input, dim=-1):
    """The first half of a dim times the sigmoid of the second."""
    if type(input) is not _Tensor and has_torch_function_unary(input):
        return handle_torch_function(glu, (input,), input, dim=dim)
    if input.dim() == 0:
        raise RuntimeError("glu does not support scalars because halving size must be even")
    return _rows["glu"](input, dim)

__getattr__ = _missing.of(__name__)
