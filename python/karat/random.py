"""karat.random: the default generator's seed and state, and fork_rng."""

import contextlib

from . import _device, _missing
from ._karat import (  # noqa: F401
    Generator,
    default_generator,
    get_rng_state,
    initial_seed,
    manual_seed,
    seed,
    set_rng_state,
)


@contextlib.contextmanager
def fork_rng(devices=None, enabled=True, device_type="cuda"):
    """Restores the states of the default generators at the end of the block: the CPU's and those of the devices."""
    if not enabled:
        yield
        return
    functions = _device.of(device_type)
    devices = functions._all() if devices is None else list(devices)
    state, states = get_rng_state(), [functions.get_rng_state(device) for device in devices]
    try:
        yield
    finally:
        set_rng_state(state)
        for device, kept in zip(devices, states):
            functions.set_rng_state(kept, device)


__getattr__ = _missing.of(__name__)
