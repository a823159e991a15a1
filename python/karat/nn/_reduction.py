"""karat.nn._reduction: the names of reductions, and what size_average and reduce meant before there were names."""

import warnings

_NUMBERS = {"none": 0, "mean": 1, "elementwise_mean": 1, "sum": 2}


def get_enum(reduction):
    """The number of a reduction."""
    number = _NUMBERS.get(reduction)
    if number is None:
        raise ValueError(f"{reduction} is not a valid value for reduction")
    if reduction == "elementwise_mean":
        warnings.warn("reduction='elementwise_mean' is deprecated. Please use reduction='mean' instead.", stacklevel=2)
    return number


def legacy_get_string(size_average, reduce, emit_warning=True):
    """The reduction that size_average and reduce stand for; None counts as True."""
    averaged, reduced = size_average is None or size_average, reduce is None or reduce
    name = "none" if not reduced else "mean" if averaged else "sum"
    if emit_warning:
        warnings.warn(f"size_average and reduce args will be deprecated, please use reduction='{name}' instead.", stacklevel=2)
    return name


def legacy_get_enum(size_average, reduce, emit_warning=True):
    """The number of the reduction that size_average and reduce stand for."""
    return get_enum(legacy_get_string(size_average, reduce, emit_warning))
