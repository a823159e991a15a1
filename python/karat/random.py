"""karat.random: the default generator's seed and state, and a scope that puts them back."""

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
    """The default generator's state is put back when the block ends. Every device draws from it."""
    if not enabled:
        yield
        return
    state = get_rng_state()
    try:
        yield
    finally:
        set_rng_state(state)


__getattr__ = _missing.of(__name__)
