"""karat.nn.modules: the layers, losses and containers, by file as in PyTorch."""

from . import (activation, adaptive, batchnorm, channelshuffle, container, conv, distance, dropout, flatten, fold, instancenorm,
               lazy, linear, loss, normalization, padding, pixelshuffle, pooling, rnn, sparse, transformer, upsampling, utils)
from .module import Module

_files = (activation, adaptive, batchnorm, channelshuffle, container, conv, distance, dropout, flatten, fold, instancenorm,
          linear, loss, normalization, padding, pixelshuffle, pooling, rnn, sparse, transformer, upsampling)
__all__ = sorted(["Module", *(name for file in _files for name in file.__all__)])
globals().update({name: getattr(file, name) for file in _files for name in file.__all__})
