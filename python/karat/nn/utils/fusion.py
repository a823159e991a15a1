"""karat.nn.utils.fusion: a batch normalisation in evaluation folded into the convolution or linear layer before it."""

import copy

from ... import _karat
from ..parameter import Parameter

__all__ = ["fuse_conv_bn_eval", "fuse_conv_bn_weights", "fuse_linear_bn_eval", "fuse_linear_bn_weights"]

_rows = _karat.functions


def _check_eval(layer, bn):
    if layer.training or bn.training:
        raise AssertionError("Fusion only for eval!")
    if bn.running_mean is None or bn.running_var is None:
        raise AssertionError("bn.running_mean and bn.running_var must not be None")


def _scale(bn_w, bn_rv, bn_eps):
    return bn_w.mul(bn_rv.add(bn_eps).rsqrt())


def fuse_conv_bn_eval(conv, bn, transpose=False):
    """A copy of the convolution that also does what the normalisation did."""
    _check_eval(conv, bn)
    fused = copy.deepcopy(conv)
    fused.weight, fused.bias = fuse_conv_bn_weights(fused.weight, fused.bias, bn.running_mean, bn.running_var, bn.eps, bn.weight,
                                                    bn.bias, transpose)
    return fused


def fuse_conv_bn_weights(conv_w, conv_b, bn_rm, bn_rv, bn_eps, bn_w, bn_b, transpose=False):
    """The weight and bias of the convolution that also normalises."""
    dtype, bias_dtype = conv_w.dtype, conv_w.dtype if conv_b is None else conv_b.dtype
    conv_b = _rows["zeros_like"](bn_rm) if conv_b is None else conv_b
    bn_w = _rows["ones_like"](bn_rm) if bn_w is None else bn_w
    bn_b = _rows["zeros_like"](bn_rm) if bn_b is None else bn_b
    scale = _scale(bn_w, bn_rv, bn_eps)
    shape = [1, -1] + [1] * (conv_w.dim() - 2) if transpose else [-1, 1] + [1] * (conv_w.dim() - 2)
    weight = conv_w.mul(scale.reshape(shape)).to(dtype)
    bias = conv_b.sub(bn_rm).mul(bn_rv.add(bn_eps).rsqrt()).mul(bn_w).add(bn_b).to(bias_dtype)
    return Parameter(weight, conv_w.requires_grad), Parameter(bias, conv_b.requires_grad)


def fuse_linear_bn_eval(linear, bn):
    """A copy of the linear layer that also does what the normalisation did."""
    _check_eval(linear, bn)
    if linear.out_features != bn.num_features and bn.num_features != 1:
        raise AssertionError("To fuse, linear.out_features == bn.num_features or bn.num_features == 1, got "
                             f"linear.out_features={linear.out_features} and bn.num_features={bn.num_features}")
    fused = copy.deepcopy(linear)
    fused.weight, fused.bias = fuse_linear_bn_weights(fused.weight, fused.bias, bn.running_mean, bn.running_var, bn.eps,
                                                      bn.weight, bn.bias)
    return fused


def fuse_linear_bn_weights(linear_w, linear_b, bn_rm, bn_rv, bn_eps, bn_w, bn_b):
    """The weight and bias of the linear layer that also normalises."""
    dtype, bias_dtype = linear_w.dtype, linear_w.dtype if linear_b is None else linear_b.dtype
    linear_b = _rows["zeros_like"](bn_rm) if linear_b is None else linear_b
    scale = _scale(bn_w, bn_rv, bn_eps)
    weight = linear_w.mul(scale.unsqueeze(-1)).to(dtype)
    bias = linear_b.sub(bn_rm).mul(scale).add(bn_b).to(bias_dtype)
    return Parameter(weight, linear_w.requires_grad), Parameter(bias, linear_b.requires_grad)
