"""Karat: tensors and autograd whose subject is the data type, shaped like torch.

The same names, arguments and results as PyTorch 2.11; every tensor also knows where its dtype came from (explain), and
how strictly implicit conversions are treated is a scope (policy).
"""

from . import _karat, _missing

_karat.own_package(__path__[0])
globals().update(_karat.functions)
globals().update(_karat.dtypes)

from ._karat import (  # noqa: E402
    Generator,
    Size,
    Tensor,
    can_cast,
    channels_last,
    channels_last_3d,
    contiguous_format,
    default_generator,
    device,
    dtype,
    frombuffer,
    get_default_dtype,
    get_num_threads,
    get_policy,
    get_rng_state,
    initial_seed,
    is_grad_enabled,
    lineage,
    manual_seed,
    memory_format,
    memory_stats,
    preserve_format,
    promote_types,
    seed,
    set_default_dtype,
    set_num_threads,
    set_rng_state,
    tensor,
)
from .functional import (  # noqa: E402
    block_diag,
    broadcast_tensors,
    cartesian_prod,
    chain_matmul,
    einsum,
    tensordot,
)
from .limits import finfo, iinfo  # noqa: E402
from .modes import enable_grad, no_grad, policy, set_grad_enabled  # noqa: E402
from . import autograd, cuda, fft, linalg, nn, random, special  # noqa: E402, F401

__version__ = _karat.version


def explain(t):
    """Print where the dtype of `t` came from, line by line of the program."""
    print(_karat.explain(t))


def arange(start, end=None, step=1, **options):
    """arange(end) or arange(start, end, step=1): start, start + step, ... before end."""
    if end is None:
        start, end = 0, start
    return _karat.functions["arange"](start, end, step, **options)


def is_tensor(obj):
    """Is it a Tensor?"""
    return isinstance(obj, Tensor)


__getattr__ = _missing.of(__name__)
