"""karat.nn.utils.clip_grad: gradients made smaller, together by their norm or each by its elements."""

import types
import warnings

from ... import _karat
from ...amp._report import clips
from ...modes import no_grad

__all__ = ["clip_grad_norm", "clip_grad_norm_", "clip_grad_value_"]

_rows, _Tensor = _karat.functions, _karat.Tensor


def _listed(parameters, empty_matters=False):
    """A list of the tensors; one tensor is a list of one."""
    if isinstance(parameters, _Tensor):
        return [parameters]
    made = list(parameters)
    if empty_matters and not made and isinstance(parameters, types.GeneratorType):
        warnings.warn("`parameters` is an empty generator, no gradient clipping will occur.", stacklevel=3)
    return made


def _grads(parameters):
    return [parameter.grad for parameter in parameters if parameter.grad is not None]


def _by_device_and_dtype(tensors):
    groups = {}
    for tensor in tensors:
        groups.setdefault((tensor.device, tensor.dtype), []).append(tensor)
    return groups.values()


def get_total_norm(tensors, norm_type=2.0, error_if_nonfinite=False, foreach=None):
    """The norm of all elements of the tensors, taken together."""
    norm_type = float(norm_type)
    with no_grad():
        total = _rows["_total_norm"](_listed(tensors), norm_type)
        if error_if_nonfinite and not total.isfinite():
            raise RuntimeError(f"The total norm of order {norm_type} for gradients from `parameters` is non-finite, so it cannot "
                               "be clipped. To disable this error and scale the gradients by the non-finite norm anyway, set "
                               "`error_if_nonfinite=False`")
    return total


def clip_grads_with_norm_(parameters, max_norm, total_norm, foreach=None):
    """Multiplies the gradients by max_norm / total_norm where that is below 1."""
    grads = _grads(_listed(parameters))
    if grads:
        with no_grad():
            _rows["_clip_with_norm_"](grads, total_norm, float(max_norm))


def clip_grad_norm_(parameters, max_norm, norm_type=2.0, error_if_nonfinite=False, foreach=None):
    """Scales all gradients together to a norm of at most max_norm; returns the norm before."""
    clips()
    parameters = _listed(parameters, empty_matters=True)
    total = get_total_norm(_grads(parameters), norm_type, error_if_nonfinite, foreach)
    clip_grads_with_norm_(parameters, max_norm, total, foreach)
    return total


def clip_grad_norm(parameters, max_norm, norm_type=2.0, error_if_nonfinite=False, foreach=None):
    """clip_grad_norm_'s old name."""
    warnings.warn("`torch.nn.utils.clip_grad_norm` is now deprecated in favor of `torch.nn.utils.clip_grad_norm_`.",
                  FutureWarning, stacklevel=2)
    return clip_grad_norm_(parameters, max_norm, norm_type, error_if_nonfinite, foreach)


def clip_grad_value_(parameters, clip_value, foreach=None):
    """Clamps every element of the gradients to [-clip_value, clip_value]."""
    clips()
    bound = float(clip_value)
    with no_grad():
        for group in _by_device_and_dtype(_grads(_listed(parameters))):
            _rows["_foreach_clamp_min_"](group, -bound)
            _rows["_foreach_clamp_max_"](group, bound)
