"""Parts of the loader that programs import by PyTorch's names."""

from importlib.util import find_spec

from .... import _missing
from . import collate  # noqa: F401

MP_STATUS_CHECK_INTERVAL = 5.0  # seconds that PyTorch waits for a worker before it looks whether it lives
HAS_NUMPY = find_spec("numpy") is not None
python_exit_status = False  # does the interpreter end?

__getattr__ = _missing.of(__name__, lazy=["pin_memory", "signal_handling", "worker"])
