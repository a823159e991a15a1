"""karat.nn.modules: the layers, losses and containers, by file as in PyTorch."""

from . import (activation, adaptive, batchnorm, channelshuffle, container, conv, distance, dropout, flatten, fold, instancenorm,
               lazy, linear, loss, normalization, padding, pixelshuffle, pooling, rnn, sparse, transformer, upsampling, utils)
from ._declared import own_constructor
from .module import Module

_files = (activation, adaptive, batchnorm, channelshuffle, container, conv, distance, dropout, flatten, fold, instancenorm,
          linear, loss, normalization, padding, pixelshuffle, pooling, rnn, sparse, transformer, upsampling)
__all__ = sorted(["Module", *(name for file in _files for name in file.__all__)])
globals().update({name: getattr(file, name) for file in _files for name in file.__all__})

# The bases whose constructors PyTorch's messages name; a class that has its constructor from another base is named itself.
_named_bases = {"_AdaptiveAvgPoolNd", "_AdaptiveMaxPoolNd", "_BatchNorm", "_DropoutNd", "_InstanceNorm", "_LPPoolNd",
                "_LazyNormBase", "_Loss", "_MaxPoolNd", "_NormBase", "_WeightedLoss"}
for _file in _files:
    for _name in _file.__all__:
        _base = getattr(_file, _name).__init__.__qualname__.split(".")[0]
        if _base.startswith("_") and _base not in _named_bases:
            own_constructor(getattr(_file, _name))
