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
    """True: .to() and the like, and load_state_dict, make new tensors and exchange them with those of the parameters, whose
    objects stay."""
    global _swap
    _swap = value


def get_swap_module_params_on_conversion():
    """Do conversions of modules exchange the tensors of parameters?"""
    return _swap
