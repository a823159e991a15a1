"""karat.nn.modules.batchnorm: normalisation of channels by the batch's or the running mean and variance."""

from ... import _karat
from .. import functional as F
from ..parameter import UninitializedBuffer, UninitializedParameter
from ._declared import SizedByChannels, check_dims, keep, new_parameter, own_methods, reset_to_identity, shown
from .module import Module

__all__ = ["BatchNorm1d", "LazyBatchNorm1d", "BatchNorm2d", "LazyBatchNorm2d", "BatchNorm3d", "LazyBatchNorm3d", "SyncBatchNorm"]

_INT64 = _karat.dtypes["int64"]
_zeros, _ones = _karat.functions["zeros"], _karat.functions["ones"]
_STATISTICS = {"running_mean": (_zeros, 0), "running_var": (_ones, 1), "num_batches_tracked": (_zeros, 0)}  # after no batch


class _NormBase(Module):
    """What batch and instance normalisation share: weight and bias, running statistics and their place in a state dict."""

    _version = 2  # since which num_batches_tracked is saved
    __constants__ = ["track_running_stats", "momentum", "eps", "num_features", "affine"]
    _input_dims = ()  # of the inputs that are taken

    def __init__(self, num_features, eps=1e-5, momentum=0.1, affine=True, track_running_stats=True, device=None, dtype=None):
        super().__init__()
        keep(self, locals())
        self._make_tensors(device, dtype)
        self.reset_parameters()

    def _make_tensors(self, device, dtype):
        """The parameters, the statistics and their count; what is not wanted is None under its name."""
        for name in ("weight", "bias"):
            new_parameter(self, name, self._sizes_of(name) if self.affine else None, device, dtype)
        for name, (make, _) in _STATISTICS.items():
            made = None
            if self.track_running_stats:
                made = make(self._sizes_of(name), dtype=_INT64 if name == "num_batches_tracked" else dtype, device=device)
            self.register_buffer(name, made)

    def _sizes_of(self, name):
        return () if name == "num_batches_tracked" else (self.num_features,)

    def reset_running_stats(self):
        if self.track_running_stats:
            for name, (_, first) in _STATISTICS.items():
                getattr(self, name).fill_(first)

    def reset_parameters(self):
        self.reset_running_stats()
        if self.affine:
            reset_to_identity(self)

    def _check_input_dim(self, input):
        if not self._input_dims:
            raise NotImplementedError
        check_dims(input, *self._input_dims)

    extra_repr = shown("num_features", eps=str, momentum=str, affine=str, track_running_stats=str)

    def _load_from_state_dict(self, state_dict, prefix, local_metadata, strict, missing_keys, unexpected_keys, error_msgs):
        if self.track_running_stats and (local_metadata.get("version") or 0) < 2:
            here = self.num_batches_tracked  # stays as it is, if it is anything
            known = here is not None and here.device.type != "meta"
            state_dict.setdefault(prefix + "num_batches_tracked", here if known else _karat.tensor(0, dtype=_INT64))
        super()._load_from_state_dict(state_dict, prefix, local_metadata, strict, missing_keys, unexpected_keys, error_msgs)


@own_methods("__init__")
class _BatchNorm(_NormBase):
    def forward(self, input):
        self._check_input_dim(input)
        mean, var, momentum = self.running_mean, self.running_var, self.momentum
        if self.training:
            if not self.track_running_stats:
                mean = var = None
            elif self.num_batches_tracked is not None:
                self.num_batches_tracked.add_(1)
                if momentum is None:  # the plain average of all batches
                    momentum = 1.0 / float(self.num_batches_tracked)
        by_batch = self.training or (mean is None and var is None)
        return F.batch_norm(input, mean, var, self.weight, self.bias, by_batch, 0.0 if momentum is None else momentum, self.eps)


class BatchNorm1d(_BatchNorm):
    """Normalises the channels of [batch, channels] or [batch, channels, length]."""

    _input_dims = (2, 3)


class BatchNorm2d(_BatchNorm):
    """Normalises the channels of [batch, channels, height, width]."""

    _input_dims = (4,)


class BatchNorm3d(_BatchNorm):
    """Normalises the channels of [batch, channels, depth, height, width]."""

    _input_dims = (5,)


class _LazyNormBase(SizedByChannels, _NormBase):
    """A normalisation that takes num_features from its first input."""

    _counted = "num_features"

    def __init__(self, eps=1e-5, momentum=0.1, affine=True, track_running_stats=True, device=None, dtype=None):
        super().__init__(0, eps, momentum, affine, track_running_stats, device, dtype)

    def _make_tensors(self, device, dtype):
        super()._make_tensors(device, dtype)
        for table, unsized in (self._parameters, UninitializedParameter), (self._buffers, UninitializedBuffer):
            for name, tensor in table.items():
                if tensor is not None and name != "num_batches_tracked":
                    table[name] = unsized(device=device, dtype=dtype)

    def _count(self, input):
        return input.shape[1]


class LazyBatchNorm1d(_LazyNormBase, _BatchNorm):
    """A BatchNorm1d that takes num_features from its first input."""

    cls_to_become, _input_dims = BatchNorm1d, BatchNorm1d._input_dims


class LazyBatchNorm2d(_LazyNormBase, _BatchNorm):
    """A BatchNorm2d that takes num_features from its first input."""

    cls_to_become, _input_dims = BatchNorm2d, BatchNorm2d._input_dims


class LazyBatchNorm3d(_LazyNormBase, _BatchNorm):
    """A BatchNorm3d that takes num_features from its first input."""

    cls_to_become, _input_dims = BatchNorm3d, BatchNorm3d._input_dims


@own_methods("forward")
class SyncBatchNorm(_BatchNorm):
    """Batch normalisation over the batches of all processes; there is one process, so that it is batch normalisation."""

    def __init__(self, num_features, eps=1e-5, momentum=0.1, affine=True, track_running_stats=True, process_group=None,
                 device=None, dtype=None):
        super().__init__(num_features, eps, momentum, affine, track_running_stats, device, dtype)
        self.process_group = process_group

    def _check_input_dim(self, input):
        if input.dim() < 2:
            raise ValueError(f"expected at least 2D input (got {input.dim()}D input)")
        self._check_non_zero_input_channels(input)

    def _check_non_zero_input_channels(self, input):
        if input.size(1) == 0:
            raise ValueError("SyncBatchNorm number of input channels should be non-zero")

    @classmethod
    def convert_sync_batchnorm(cls, module, process_group=None):
        """The module with a SyncBatchNorm in the place of every BatchNorm; the parameters are the same objects."""
        made = _synchronised(module, process_group) if isinstance(module, _BatchNorm) else module
        for name, child in module.named_children():
            made.add_module(name, cls.convert_sync_batchnorm(child, process_group))
        return made


def _synchronised(norm, process_group):
    """A SyncBatchNorm with the tensors of another batch normalisation."""
    arguments = (getattr(norm, name) for name in ("num_features", "eps", "momentum", "affine", "track_running_stats"))
    made = SyncBatchNorm(*arguments, process_group).train(norm.training)
    for own, given in (made._parameters, norm._parameters), (made._buffers, norm._buffers):
        own.update((name, given[name]) for name in own if name in given)
    if hasattr(norm, "qconfig"):
        made.qconfig = norm.qconfig
    return made
