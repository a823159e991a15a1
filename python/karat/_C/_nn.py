"""karat._C._nn: the functions of torch.nn.functional that are the engine's own, the operators that PyTorch has there too, and
what reads the arguments of Module.to."""

from .. import _karat, _missing

globals().update(_karat.nn_functions)
_parse_to = _karat.parse_to

_OPERATORS = frozenset(
    """_upsample_bicubic2d_aa _upsample_bilinear2d_aa _upsample_nearest_exact1d _upsample_nearest_exact2d
    _upsample_nearest_exact3d adaptive_max_pool2d adaptive_max_pool3d col2im cross_entropy_loss fractional_max_pool2d
    fractional_max_pool3d gelu_ im2col max_pool2d_with_indices max_pool3d_with_indices max_unpool2d max_unpool3d nll_loss2d
    nll_loss_nd pad_sequence reflection_pad1d reflection_pad2d reflection_pad3d replication_pad1d replication_pad2d
    replication_pad3d upsample_bicubic2d upsample_bilinear2d upsample_linear1d upsample_nearest1d upsample_nearest2d
    upsample_nearest3d upsample_trilinear3d""".split())
_missing_name = _missing.of(__name__)


def __getattr__(name):
    """An operator of torch.ops.aten."""
    if name not in _OPERATORS:
        return _missing_name(name)
    from .._ops import ops

    return getattr(ops.aten, name)
