"""karat.cuda: there is no CUDA device, and every function says so."""

from . import _missing
from ._karat import OutOfMemoryError, Tensor  # noqa: F401


def is_available():
    """Always False."""
    return False


def is_initialized():
    """Always False."""
    return False


def device_count():
    """Always 0."""
    return 0


def is_bf16_supported(including_emulation=True):
    """Always False."""
    return False


def _none(name, doc):
    def refuse(*args, **keywords):
        raise AssertionError("Torch not compiled with CUDA enabled")

    refuse.__name__ = refuse.__qualname__ = name
    refuse.__doc__ = doc
    return refuse


def _nothing(name, doc, result=None):
    def nothing(*args, **keywords):
        return result

    nothing.__name__ = nothing.__qualname__ = name
    nothing.__doc__ = doc
    return nothing


for _name in """current_device current_stream default_stream device get_device_capability get_device_name
        get_device_properties get_rng_state init initial_seed mem_get_info set_device set_rng_state set_stream stream synchronize
        utilization""".split():
    globals()[_name] = _none(_name, "Needs a CUDA device: AssertionError.")
for _name in """empty_cache ipc_collect manual_seed manual_seed_all reset_accumulated_memory_stats reset_max_memory_allocated
        reset_max_memory_cached reset_peak_memory_stats seed seed_all set_rng_state_all""".split():
    globals()[_name] = _nothing(_name, "Without a CUDA device there is nothing to do.")
for _name in "max_memory_allocated max_memory_reserved memory_allocated memory_reserved".split():
    globals()[_name] = _nothing(_name, "Bytes on CUDA devices: none.", 0)


Tensor.cuda = _none("cuda", "A copy on a CUDA device: AssertionError, there is none.")
Tensor.cuda.__qualname__, Tensor.cuda.__module__ = "Tensor.cuda", "karat"


default_generators = ()


def memory_stats(device=None):
    """Memory statistics of CUDA devices: none."""
    from collections import OrderedDict

    return OrderedDict()


def get_rng_state_all():
    """The state of each CUDA device's generator: there are none."""
    return []


def is_tf32_supported():
    """Always False."""
    return False


def get_arch_list():
    """The CUDA architectures of this build: none."""
    return []


__getattr__ = _missing.of(__name__)
