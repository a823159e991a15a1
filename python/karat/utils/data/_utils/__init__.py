"""Parts of the loader that programs import by PyTorch's names."""

from . import collate  # noqa: F401
