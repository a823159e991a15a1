"""karat.nn.modules.instancenorm: normalisation of each channel of each example by its own mean and variance."""

import warnings

from .. import functional as F
from .batchnorm import _LazyNormBase, _NormBase

__all__ = ["InstanceNorm1d", "InstanceNorm2d", "InstanceNorm3d", "LazyInstanceNorm1d", "LazyInstanceNorm2d", "LazyInstanceNorm3d"]

_UNEXPECTED = ("Unexpected running stats buffer(s) {keys} for {layer} with track_running_stats=False. If state_dict is a "
               "checkpoint saved before 0.4.0, this may be expected because {layer} does not track running stats by default "
               "since 0.4.0. Please remove these keys from state_dict. If the running stats are actually needed, instead set "
               "track_running_stats=True in {layer} to enable them. See the documentation of {layer} for details.")


class _InstanceNorm(_NormBase):
    """_input_dims: of one example, and of a batch."""

    def __init__(self, num_features, eps=1e-5, momentum=0.1, affine=False, track_running_stats=False, device=None, dtype=None):
        super().__init__(num_features, eps, momentum, affine, track_running_stats, device, dtype)

    def forward(self, input):
        self._check_input_dim(input)
        channels = 0 if input.dim() in self._input_dims[:1] else 1
        if input.size(channels) != self.num_features:
            self._complain(channels, input.size(channels))
        batch = input if channels else input.unsqueeze(0)
        by_example = self.training or not self.track_running_stats
        made = F.instance_norm(batch, self.running_mean, self.running_var, self.weight, self.bias, by_example,
                               self.momentum or 0.0, self.eps)
        return made if channels else made.squeeze(0)

    def _get_no_batch_dim(self):
        """How many dims one example has."""
        return self._input_dims[0]

    def _complain(self, dim, size):
        """Without parameters, num_features says nothing."""
        if self.affine:
            raise ValueError(f"expected input's size at dim={dim} to match num_features ({self.num_features}), but got: {size}.")
        warnings.warn(f"input's size at dim={dim} does not match num_features. You can silence this warning by not passing in "
                      "num_features, which is not used because affine=False", stacklevel=3)

    def _load_from_state_dict(self, state_dict, prefix, local_metadata, strict, missing_keys, unexpected_keys, error_msgs):
        if not self.track_running_stats and local_metadata.get("version") is None:
            old = [key for key in (prefix + "running_mean", prefix + "running_var") if key in state_dict]
            if old:
                error_msgs.append(_UNEXPECTED.format(keys=" and ".join(f'"{key}"' for key in old), layer=type(self).__name__))
            for key in old:
                del state_dict[key]
        super()._load_from_state_dict(state_dict, prefix, local_metadata, strict, missing_keys, unexpected_keys, error_msgs)


class InstanceNorm1d(_InstanceNorm):
    """Normalises each channel of [batch, channels, length]."""

    _input_dims = (2, 3)


class InstanceNorm2d(_InstanceNorm):
    """Normalises each channel of [batch, channels, height, width]."""

    _input_dims = (3, 4)


class InstanceNorm3d(_InstanceNorm):
    """Normalises each channel of [batch, channels, depth, height, width]."""

    _input_dims = (4, 5)


class LazyInstanceNorm1d(_LazyNormBase, _InstanceNorm):
    """An InstanceNorm1d that takes num_features from its first input."""

    cls_to_become, _input_dims = InstanceNorm1d, InstanceNorm1d._input_dims


class LazyInstanceNorm2d(_LazyNormBase, _InstanceNorm):
    """An InstanceNorm2d that takes num_features from its first input."""

    cls_to_become, _input_dims = InstanceNorm2d, InstanceNorm2d._input_dims


class LazyInstanceNorm3d(_LazyNormBase, _InstanceNorm):
    """An InstanceNorm3d that takes num_features from its first input."""

    cls_to_become, _input_dims = InstanceNorm3d, InstanceNorm3d._input_dims
