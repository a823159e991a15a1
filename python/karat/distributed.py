"""karat.distributed: importable; several processes are not supported (yet): there is one process and one device."""

from . import _refused


def is_available():
    """False: there is no backend for several processes."""
    return False


def is_initialized():
    """False: there is no process group."""
    return False


def is_nccl_available():
    """False."""
    return False


is_gloo_available = is_mpi_available = is_ucc_available = is_xccl_available = is_torchelastic_launched = is_nccl_available

__path__ = []  # a package: what lies below is refused
__getattr__ = _refused.names_of(__name__)
