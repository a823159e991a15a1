"""karat.nn.utils.convert_parameters: parameters as one vector, and back."""

from ... import _karat
from ...asking import typename


def _check_param_device(param, old_param_device):
    """All parameters are on one device: a GPU's number, or -1 for the CPU."""
    device = param.get_device() if param.is_cuda else -1
    if old_param_device is not None and device != old_param_device:
        raise TypeError("Found two parameters on different devices, this is currently not supported.")
    return device


def parameters_to_vector(parameters):
    """The elements of all parameters, one parameter after the other."""
    device, parts = None, []
    for parameter in parameters:
        device = _check_param_device(parameter, device)
        parts.append(parameter.view(-1))
    return _karat.functions["cat"](parts)


def vector_to_parameters(vec, parameters):
    """Makes views of a vector the data of the parameters."""
    if not isinstance(vec, _karat.Tensor):
        raise TypeError(f"expected torch.Tensor, but got: {typename(vec)}")
    device, begin = None, 0
    for parameter in parameters:
        device = _check_param_device(parameter, device)
        end = begin + parameter.numel()
        parameter.data = vec[begin:end].view_as(parameter).data
        begin = end
