"""karat.onnx: importable; models are not exported."""

from . import _refused


def is_in_onnx_export():
    """False: nothing is exported."""
    return False


__path__ = []  # a package: what lies below is refused
__getattr__ = _refused.names_of(__name__)
