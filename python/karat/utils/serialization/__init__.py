"""karat.utils.serialization: settings of torch.save and torch.load."""

from . import config  # noqa: F401
