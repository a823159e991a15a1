"""karat.nn.modules.activation: nonlinearities, softmaxes, and attention of several heads."""

import warnings

from ... import _karat
from .. import functional as F
from .. import init
from .._multi_head import check_mask
from ._declared import keep, new_parameter, shown
from .linear import NonDynamicallyQuantizableLinear
from .module import Module

__all__ = ["Threshold", "ReLU", "RReLU", "Hardtanh", "ReLU6", "Sigmoid", "Hardsigmoid", "Tanh", "SiLU", "Mish", "Hardswish",
           "ELU", "CELU", "SELU", "GLU", "GELU", "Hardshrink", "LeakyReLU", "LogSigmoid", "Softplus", "Softshrink",
           "MultiheadAttention", "PReLU", "Softsign", "Tanhshrink", "Softmin", "Softmax", "Softmax2d", "LogSoftmax"]

_rows = _karat.functions


def _if_true(value):
    """Shown only where it holds."""
    return "True" if value else None


class _InPlace(Module):
    """A function that can be written over its input."""

    __constants__ = ["inplace"]

    def __init__(self, inplace=False):
        super().__init__()
        self.inplace = inplace

    extra_repr = shown(inplace=_if_true)


class Threshold(_InPlace):
    """value where the input is not above the threshold."""

    __constants__ = ["threshold", "value", "inplace"]

    def __init__(self, threshold, value, inplace=False):
        Module.__init__(self)
        keep(self, locals())

    def forward(self, input):
        return F.threshold(input, self.threshold, self.value, self.inplace)

    extra_repr = shown(threshold=str, value=str, inplace=_if_true)


class ReLU(_InPlace):
    """max(0, x)."""

    def forward(self, input):
        return F.relu(input, inplace=self.inplace)


class RReLU(_InPlace):
    """A leaky ReLU whose slope is drawn from [lower, upper) in training, and their mean otherwise."""

    __constants__ = ["lower", "upper", "inplace"]

    def __init__(self, lower=1.0 / 8, upper=1.0 / 3, inplace=False):
        Module.__init__(self)
        keep(self, locals())

    def forward(self, input):
        return F.rrelu(input, lower=self.lower, upper=self.upper, training=self.training, inplace=self.inplace)

    extra_repr = shown(lower=str, upper=str, inplace=_if_true)


class Hardtanh(_InPlace):
    """x, at least min_val and at most max_val."""

    __constants__ = ["min_val", "max_val", "inplace"]

    def __init__(self, min_val=-1.0, max_val=1.0, inplace=False, min_value=None, max_value=None):
        Module.__init__(self)
        bounds = {"min_val": min_val, "max_val": max_val}
        for name, old in ("min_val", min_value), ("max_val", max_value):
            if old is not None:
                warnings.warn(f"keyword argument `{name}ue` is deprecated and rename to `{name}`", FutureWarning, stacklevel=2)
                bounds[name] = old
        keep(self, {**bounds, "inplace": inplace})
        if not self.max_val > self.min_val:
            raise AssertionError(f"max_val ({self.max_val}) must be greater than min_val ({self.min_val})")

    def forward(self, input):
        return F.hardtanh(input, self.min_val, self.max_val, self.inplace)

    extra_repr = shown(min_val=str, max_val=str, inplace=_if_true)


class ReLU6(Hardtanh):
    """min(max(0, x), 6)."""

    def __init__(self, inplace=False):
        super().__init__(0.0, 6.0, inplace)

    extra_repr = shown(inplace=_if_true)


class Sigmoid(Module):
    """1 / (1 + exp(-x))."""

    def forward(self, input):
        return _rows["sigmoid"](input)


class Hardsigmoid(_InPlace):
    """min(max(0, x + 3), 6) / 6."""

    def forward(self, input):
        return F.hardsigmoid(input, self.inplace)

    extra_repr = Module.extra_repr  # as in PyTorch


class Tanh(Module):
    """The hyperbolic tangent."""

    def forward(self, input):
        return _rows["tanh"](input)


class SiLU(_InPlace):
    """x * sigmoid(x)."""

    def forward(self, input):
        return F.silu(input, inplace=self.inplace)


class Mish(_InPlace):
    """x * tanh(softplus(x))."""

    def forward(self, input):
        return F.mish(input, inplace=self.inplace)


class Hardswish(_InPlace):
    """x * hardsigmoid(x)."""

    def forward(self, input):
        return F.hardswish(input, self.inplace)

    extra_repr = Module.extra_repr  # as in PyTorch


class ELU(_InPlace):
    """x where it is positive, alpha * (exp(x) - 1) elsewhere."""

    __constants__ = ["alpha", "inplace"]

    def __init__(self, alpha=1.0, inplace=False):
        Module.__init__(self)
        keep(self, locals())

    def forward(self, input):
        return F.elu(input, self.alpha, self.inplace)

    extra_repr = shown(alpha=str, inplace=_if_true)


class CELU(_InPlace):
    """x where it is positive, alpha * (exp(x / alpha) - 1) elsewhere."""

    __constants__ = ["alpha", "inplace"]

    def __init__(self, alpha=1.0, inplace=False):
        Module.__init__(self)
        keep(self, locals())

    def forward(self, input):
        return F.celu(input, self.alpha, self.inplace)

    extra_repr = shown(alpha=str, inplace=_if_true)


class SELU(_InPlace):
    """ELU with the scale that keeps mean and variance."""

    def forward(self, input):
        return F.selu(input, self.inplace)


class GLU(Module):
    """The first half along dim times the sigmoid of the second."""

    __constants__ = ["dim"]

    def __init__(self, dim=-1):
        super().__init__()
        self.dim = dim

    def forward(self, input):
        return F.glu(input, self.dim)

    extra_repr = shown(dim=str)


class GELU(Module):
    """x times the normal distribution function of x; approximate="tanh" is its approximation."""

    __constants__ = ["approximate"]

    def __init__(self, approximate="none"):
        super().__init__()
        self.approximate = approximate

    def forward(self, input):
        return F.gelu(input, approximate=self.approximate)

    extra_repr = shown(approximate=repr)


class Hardshrink(Module):
    """0 between -lambd and lambd, x elsewhere."""

    __constants__ = ["lambd"]

    def __init__(self, lambd=0.5):
        super().__init__()
        self.lambd = lambd

    def forward(self, input):
        return F.hardshrink(input, self.lambd)

    extra_repr = shown("lambd")


class LeakyReLU(_InPlace):
    """x where it is positive, negative_slope * x elsewhere."""

    __constants__ = ["inplace", "negative_slope"]

    def __init__(self, negative_slope=1e-2, inplace=False):
        Module.__init__(self)
        keep(self, locals())

    def forward(self, input):
        return F.leaky_relu(input, self.negative_slope, self.inplace)

    extra_repr = shown(negative_slope=str, inplace=_if_true)


class LogSigmoid(Module):
    """The logarithm of the sigmoid."""

    def forward(self, input):
        return F.logsigmoid(input)


class Softplus(Module):
    """log(1 + exp(beta x)) / beta; x itself where beta x is above the threshold."""

    __constants__ = ["beta", "threshold"]

    def __init__(self, beta=1.0, threshold=20.0):
        super().__init__()
        keep(self, locals())

    def forward(self, input):
        return F.softplus(input, self.beta, self.threshold)

    extra_repr = shown(beta=str, threshold=str)


class Softshrink(Module):
    """x brought lambd nearer to 0, and 0 within lambd."""

    __constants__ = ["lambd"]

    def __init__(self, lambd=0.5):
        super().__init__()
        self.lambd = lambd

    def forward(self, input):
        return F.softshrink(input, self.lambd)

    extra_repr = shown("lambd")


class PReLU(Module):
    """A leaky ReLU whose slope, or slope of each channel, is a parameter."""

    __constants__ = ["num_parameters"]

    def __init__(self, num_parameters=1, init=0.25, device=None, dtype=None):
        super().__init__()
        self.num_parameters = num_parameters
        self.init = init
        new_parameter(self, "weight", num_parameters, device, dtype)
        self.reset_parameters()

    def reset_parameters(self):
        init.constant_(self.weight, self.init)

    def forward(self, input):
        return F.prelu(input, self.weight)

    extra_repr = shown(num_parameters=str)


class Softsign(Module):
    """x / (1 + |x|)."""

    def forward(self, input):
        return F.softsign(input)


class Tanhshrink(Module):
    """x - tanh(x)."""

    def forward(self, input):
        return F.tanhshrink(input)


class _AlongDim(Module):
    """A softmax along dim."""

    __constants__ = ["dim"]

    def __init__(self, dim=None):
        super().__init__()
        self.dim = dim

    def __setstate__(self, state):
        super().__setstate__(state)
        self.__dict__.setdefault("dim", None)

    extra_repr = shown(dim=str)


class Softmin(_AlongDim):
    """The softmax of -x."""

    def forward(self, input):
        return F.softmin(input, self.dim, _stacklevel=5)


class Softmax(_AlongDim):
    """exp(x) over its sum along dim."""

    def forward(self, input):
        return F.softmax(input, self.dim, _stacklevel=5)


class LogSoftmax(_AlongDim):
    """The logarithm of the softmax."""

    def forward(self, input):
        return F.log_softmax(input, self.dim, _stacklevel=5)


class Softmax2d(Module):
    """The softmax over the channels of [batch, channels, height, width]."""

    def forward(self, input):
        dims = input.dim()
        if 3 <= dims <= 4:
            return F.softmax(input, -3, _stacklevel=5)
        raise ValueError(f"Softmax2d: expected input to be 3D or 4D, got {dims}D instead")


class MultiheadAttention(Module):
    """Attention of num_heads heads: projections of query, key and value, attention of each head, and a projection back."""

    __constants__ = ["batch_first"]

    def __init__(self, embed_dim, num_heads, dropout=0.0, bias=True, add_bias_kv=False, add_zero_attn=False, kdim=None, vdim=None,
                 batch_first=False, device=None, dtype=None):
        if embed_dim <= 0 or num_heads <= 0:
            raise ValueError(f"embed_dim and num_heads must be greater than 0, got embed_dim={embed_dim} and "
                             f"num_heads={num_heads} instead")
        super().__init__()
        self.embed_dim = embed_dim
        self.kdim = embed_dim if kdim is None else kdim
        self.vdim = embed_dim if vdim is None else vdim
        self._qkv_same_embed_dim = self.kdim == embed_dim and self.vdim == embed_dim
        self.num_heads = num_heads
        self.dropout = dropout
        self.batch_first = batch_first
        self.head_dim = embed_dim // num_heads
        if self.head_dim * num_heads != embed_dim:
            raise AssertionError("embed_dim must be divisible by num_heads")
        where = {"device": device, "dtype": dtype}
        packed = self._qkv_same_embed_dim  # one tensor projects all three
        sizes = {"q_proj_weight": embed_dim, "k_proj_weight": self.kdim, "v_proj_weight": self.vdim}
        sizes = {name: None if packed else (embed_dim, size) for name, size in sizes.items()}
        first = {"in_proj_weight": (3 * embed_dim, embed_dim) if packed else None}
        for name, size in ({**first, **sizes} if packed else {**sizes, **first}).items():
            new_parameter(self, name, size, **where)
        new_parameter(self, "in_proj_bias", 3 * embed_dim if bias else None, **where)
        self.out_proj = NonDynamicallyQuantizableLinear(embed_dim, embed_dim, bias=bias, **where)
        for name in ("bias_k", "bias_v"):
            if add_bias_kv:
                new_parameter(self, name, (1, 1, embed_dim), **where)
            else:
                setattr(self, name, None)
        self.add_zero_attn = add_zero_attn
        self._reset_parameters()

    def _reset_parameters(self):
        weights = (self.in_proj_weight, self.q_proj_weight, self.k_proj_weight, self.v_proj_weight)
        for weight in weights:
            if weight is not None:
                init.xavier_uniform_(weight)
        if self.in_proj_bias is not None:
            init.constant_(self.in_proj_bias, 0.0)
            init.constant_(self.out_proj.bias, 0.0)
        for bias in (self.bias_k, self.bias_v):
            if bias is not None:
                init.xavier_normal_(bias)

    def __setstate__(self, state):
        state.setdefault("_qkv_same_embed_dim", True)  # states from before 1.1 have no other
        super().__setstate__(state)

    def forward(self, query, key, value, key_padding_mask=None, need_weights=True, attn_mask=None, average_attn_weights=True,
                is_causal=False):
        for name, mask in ("key_padding_mask", key_padding_mask), ("attn_mask", attn_mask):  # before sizes are looked at
            if mask is not None:
                check_mask(mask, name)
        turned = self.batch_first and query.dim() == 3
        if turned:  # one of each, by identity: a shared input is projected once
            across = {id(t): t.transpose(1, 0) for t in (query, key, value)}
            query, key, value = (across[id(t)] for t in (query, key, value))
        separate = {} if self._qkv_same_embed_dim else {
            "use_separate_proj_weight": True, "q_proj_weight": self.q_proj_weight, "k_proj_weight": self.k_proj_weight,
            "v_proj_weight": self.v_proj_weight}
        output, weights = F.multi_head_attention_forward(
            query, key, value, self.embed_dim, self.num_heads, self.in_proj_weight, self.in_proj_bias, self.bias_k, self.bias_v,
            self.add_zero_attn, self.dropout, self.out_proj.weight, self.out_proj.bias, training=self.training,
            key_padding_mask=key_padding_mask, need_weights=need_weights, attn_mask=attn_mask,
            average_attn_weights=average_attn_weights, is_causal=is_causal, **separate)
        return (output.transpose(1, 0) if turned else output), weights

    def merge_masks(self, attn_mask, key_padding_mask, query):
        """One mask of both, and its kind: 0 of attention, 1 of padding, 2 of both, [batch, heads, length, length]."""
        if attn_mask is None:
            return key_padding_mask, None if key_padding_mask is None else 1
        if key_padding_mask is None and query.dim() != 3:
            return attn_mask, 0
        batch, length = query.shape[:2]
        if attn_mask.dim() == 3:
            merged = attn_mask.view(batch, -1, length, length)
        else:
            merged = attn_mask.view(1, 1, length, length).expand(batch, self.num_heads, -1, -1)
        if key_padding_mask is not None:
            merged = merged.add(key_padding_mask.view(batch, 1, 1, length).expand(-1, self.num_heads, -1, -1))
        return merged, 2
