"""karat._guards: what PyTorch's compiler assumes while it runs. It never runs here."""

from . import _refused


def active_fake_mode():
    """None: there are no fake tensors; meta tensors have no data either."""
    return None


def detect_fake_mode(inputs=None):
    """None: there are no fake tensors."""
    return None


__getattr__ = _refused.names_of(__name__)
