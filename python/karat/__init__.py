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
    as_tensor,
    asarray,
    can_cast,
    channels_last,
    channels_last_3d,
    contiguous_format,
    default_generator,
    device,
    dtype,
    from_numpy,
    frombuffer,
    get_default_dtype,
    get_num_threads,
    get_policy,
    get_rng_state,
    initial_seed,
    is_grad_enabled,
    lineage,
    layout,
    manual_seed,
    memory_format,
    memory_stats,
    preserve_format,
    promote_types,
    result_type,
    seed,
    set_default_dtype,
    set_num_threads,
    set_rng_state,
    strided,
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
from .legacy import NAMES as _legacy  # noqa: E402
from .legacy import set_default_tensor_type  # noqa: E402
from .modes import enable_grad, no_grad, policy, set_grad_enabled  # noqa: E402
from .printing import get_printoptions, printoptions, set_printoptions  # noqa: E402
from . import autograd, cuda, fft, linalg, nn, random, special, utils  # noqa: E402, F401
from .utils.dlpack import from_dlpack, to_dlpack  # noqa: E402

from math import e, inf, nan, pi  # noqa: E402

newaxis = None
globals().update(_legacy)
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


def _question(name):
    """A method that asks, as a function: torch.is_complex(t)."""

    def ask(input):
        if not isinstance(input, Tensor):
            raise TypeError(f"{name}(): argument 'input' (position 1) must be Tensor, not {type(input).__name__}")
        return getattr(input, name)()

    ask.__name__ = ask.__qualname__ = name
    return ask


globals().update({name: _question(name) for name in (
    "is_complex", "is_conj", "is_floating_point", "is_inference", "is_neg", "is_nonzero", "is_signed", "numel")})

__getattr__ = _missing.of(__name__)
