"""karat.mps: Apple's devices; there is none here, and what needs one says so."""

from . import _missing


def is_available():
    """False."""
    return False


def device_count():
    """0."""
    return 0


def _needing(name, does, doc):
    def function(*args, **keywords):
        raise RuntimeError(f"Cannot execute {does}() without MPS backend.")

    function.__name__ = function.__qualname__ = name
    function.__doc__ = f"{doc}: there is no device."
    return function


synchronize = _needing("synchronize", "deviceSynchronize", "Waits for the device")
empty_cache = _needing("empty_cache", "emptyCache", "Gives memory back")
current_allocated_memory = _needing("current_allocated_memory", "getCurrentAllocatedMemory", "Bytes of tensors")
driver_allocated_memory = _needing("driver_allocated_memory", "getDriverAllocatedMemory", "Bytes taken from the system")
recommended_max_memory = _needing("recommended_max_memory", "getRecommendedMaxMemory", "The most bytes to use")
set_per_process_memory_fraction = _needing("set_per_process_memory_fraction", "setMemoryFraction", "Limits the memory")
get_rng_state = _needing("get_rng_state", "getDefaultGenerator", "The state of the generator")
set_rng_state = _needing("set_rng_state", "getDefaultGenerator", "Sets the state of the generator")
manual_seed = _needing("manual_seed", "getDefaultGenerator", "Seeds the generator")
seed = _needing("seed", "getDefaultGenerator", "Seeds the generator from the system")

__getattr__ = _missing.of(__name__)
