"""karat.nn.utils.convert_parameters: parameters as one vector, and back."""

from itertools import accumulate

from ... import _karat
from ...asking import typename


def _on_one_device(parameters):
    """The parameters as a list, all on the CPU or all on one GPU."""
    parameters = list(parameters)
    if len({parameter.get_device() if parameter.is_cuda else "host" for parameter in parameters}) > 1:
        raise TypeError("Found two parameters on different devices, this is currently not supported.")
    return parameters


def parameters_to_vector(parameters):
    """The elements of all parameters, one parameter after the other."""
    return _karat.functions["cat"]([parameter.view(-1) for parameter in _on_one_device(parameters)])


def vector_to_parameters(vec, parameters):
    """Makes views of a vector the data of the parameters. What it has more than they is left."""
    if not isinstance(vec, _karat.Tensor):
        raise TypeError(f"expected torch.Tensor, but got: {typename(vec)}")
    parameters = _on_one_device(parameters)
    for parameter, end in zip(parameters, accumulate(parameter.numel() for parameter in parameters)):
        parameter.data = vec[end - parameter.numel():end].view_as(parameter).data
