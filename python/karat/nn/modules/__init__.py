"""karat.nn.modules: the layers, losses and containers, by file as in PyTorch."""

from . import (activation, adaptive, batchnorm, channelshuffle, container, conv, distance, dropout, flatten, fold, instancenorm,
               lazy, linear, loss, normalization, padding, pixelshuffle, pooling, rnn, sparse, transformer, upsampling, utils)
from ._declared import own_methods
from .module import Module

_files = (activation, adaptive, batchnorm, channelshuffle, container, conv, distance, dropout, flatten, fold, instancenorm,
          linear, loss, normalization, padding, pixelshuffle, pooling, rnn, sparse, transformer, upsampling)
__all__ = sorted(["Module", *(name for file in _files for name in file.__all__)])
globals().update({name: getattr(file, name) for file in _files for name in file.__all__})

# The bases that PyTorch's messages of wrong arguments name; where another base has the method, they name the class.
_named_bases = {"__init__": {"_AdaptiveAvgPoolNd", "_AdaptiveMaxPoolNd", "_BatchNorm", "_DropoutNd", "_InstanceNorm", "_LPPoolNd",
                             "_LazyNormBase", "_Loss", "_MaxPoolNd", "_NormBase", "_WeightedLoss"},
                "forward": {"_BatchNorm", "_CircularPadNd", "_ConstantPadNd", "_InstanceNorm", "_ReflectionPadNd",
                            "_ReplicationPadNd"}}
for _layer in (getattr(file, name) for file in _files for name in file.__all__):
    for _method, _bases in _named_bases.items():
        _base, _, _of_class = getattr(_layer, _method).__qualname__.partition(".")
        if _of_class and _base.startswith("_") and _base not in _bases:
            own_methods(_method)(_layer)
