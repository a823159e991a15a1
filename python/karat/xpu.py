"""karat.xpu: Intel's devices; there is none here. Questions and figures have empty answers, and what needs a device says so."""

from . import _device, _missing

globals().update({name: value for name, value in _device.names("xpu").items() if name in _missing.names_of("xpu")})


def is_bf16_supported(including_emulation=True):
    """False: there is no device."""
    return False


def is_tf32_supported():
    """False: there is no device."""
    return False


def get_arch_list():
    """Empty: there is no device."""
    return []


def get_gencode_flags():
    """Empty: there is no device."""
    return ""


__getattr__ = _device.lazily(_device.of("xpu"), _missing.of(__name__))
