"""karat.mtia: Meta's devices; there is none here. Questions and figures have empty answers, and what needs a device says so."""

from . import _device, _missing

globals().update({name: value for name, value in _device.names("mtia").items() if name in _missing.names_of("mtia")})

__getattr__ = _missing.of(__name__)
