"""torch.__future__: two settings of Module's conversions."""

_overwrite = False
_swap = False


def set_overwrite_module_params_on_conversion(value):
    """True: .to() and the like make new parameters instead of changing those there are."""
    global _overwrite
    _overwrite = value


def get_overwrite_module_params_on_conversion():
    """Do conversions of modules make new parameters?"""
    return _overwrite


def set_swap_module_params_on_conversion(value):
    """PyTorch's exchange of the contents of parameters: the results are the same here, with or without it."""
    global _swap
    _swap = value


def get_swap_module_params_on_conversion():
    """What set_swap_module_params_on_conversion was given last."""
    return _swap
