"""karat.random: the default generator's seed and state, and fork_rng."""

import contextlib

from . import _missing
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
    """Restores the default generator's state at the end of the block. Every device uses it."""
    if not enabled:
        yield
        return
    state = get_rng_state()
    try:
        yield
    finally:
        set_rng_state(state)


__getattr__ = _missing.of(__name__)
