"""karat.onnx: importable; models are not exported."""

from . import _missing

__getattr__ = _missing.refusing(__name__, "models are not exported to ONNX")
