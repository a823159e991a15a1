"""Karat: tensors and autograd built around getting dtypes right, shaped like torch.

The same names, arguments and results as PyTorch 2.11; every tensor also knows where its dtype came from (explain), and
policy sets, for a scope, which implicit conversions are accepted.
"""

import atexit as _atexit

from . import _karat, _missing, _refused

_karat.own_package(__path__[0])
_atexit.register(_karat.devices_finish)
globals().update(_missing.functions_of(_karat.functions))
globals().update(_karat.dtypes)

from ._karat import (  # noqa: E402
    AcceleratorError,
    Event,
    Generator,
    OutOfMemoryError,
    Size,
    Stream,
    Tensor,
    _mkldnn,  # noqa: F401
    allclose,
    as_tensor,
    asarray,
    can_cast,
    channels_last,
    channels_last_3d,
    contiguous_format,
    default_generator,
    device,
    dtype,
    equal,
    from_numpy,
    frombuffer,
    get_default_dtype,
    get_num_threads,
    get_policy,
    get_rng_state,
    initial_seed,
    is_anomaly_check_nan_enabled,
    is_anomaly_enabled,
    is_grad_enabled,
    is_warn_always_enabled,
    jagged,
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
    set_warn_always,
    sparse_bsc,
    sparse_bsr,
    sparse_coo,
    sparse_csc,
    sparse_csr,
    strided,
    tensor,
)
from ._lobpcg import lobpcg  # noqa: E402
from .asking import QUESTIONS as _questions  # noqa: E402
from .asking import (  # noqa: E402
    broadcast_shapes,
    get_device,
    is_distributed,
    is_same_size,
    is_storage,
    is_tensor,
    typename,
)
from .functional import (  # noqa: E402
    atleast_1d,
    atleast_2d,
    atleast_3d,
    block_diag,
    broadcast_tensors,
    cartesian_prod,
    cdist,
    chain_matmul,
    einsum,
    lu,
    meshgrid,
    nonzero,
    split_copy,
    split_with_sizes_copy,
    tensordot,
    unbind_copy,
    unique,
    unique_consecutive,
    unravel_index,
)
from .limits import finfo, iinfo  # noqa: E402
from .legacy import CONVERSIONS as _conversions  # noqa: E402
from .legacy import NAMES as _legacy  # noqa: E402
from .legacy import set_default_tensor_type  # noqa: E402
from .modes import enable_grad, inference_mode, is_inference_mode_enabled, no_grad, policy, set_grad_enabled  # noqa: E402
from .faces import _fused_sdp_choice, scalar_tensor  # noqa: E402, F401
from .printing import get_printoptions, printoptions, set_printoptions  # noqa: E402
from . import copying, dense, storage  # noqa: E402, F401
from .storage import UntypedStorage  # noqa: E402, F401
from .typed_storage import NAMES as _storages  # noqa: E402
from .typed_storage import TypedStorage, from_file  # noqa: E402, F401
from .checking import NAMES as _checks  # noqa: E402
from .elements import NAMES as _removed  # noqa: E402
from .indices import NAMES as _of_indices  # noqa: E402
from . import _VF, autograd, cuda, fft, func, linalg, nn, random, special, utils, version  # noqa: E402, F401
from .compiler import compile  # noqa: E402, F401
from .serialization import load, save  # noqa: E402, F401
from .nn.modules._conversion import pin_dtype, unpin_dtype  # noqa: E402, F401
from ._ops import Tag, ops  # noqa: E402, F401
from .func import vmap  # noqa: E402, F401
from . import amp  # noqa: E402, F401
from .amp import GradScaler, autocast  # noqa: E402, F401
from .amp.state import NAMES as _autocast_names  # noqa: E402
from .settings import NAMES as _settings  # noqa: E402
from .symbols import NAMES as _symbols  # noqa: E402
from .utils.dlpack import from_dlpack, to_dlpack  # noqa: E402

from math import e, inf, nan, pi  # noqa: E402

newaxis = None
legacy_contiguous_format = contiguous_format
Storage = _storages["FloatStorage"]
dequantize = dense.dequantize
spmm = dsmm = hsmm = globals()["mm"]
_segment_reduce = globals()["segment_reduce"]
globals().update(_checks)
globals().update(_removed)
globals().update(_of_indices)
globals().update(_storages)
globals().update(_autocast_names)
globals().update(_conversions)
globals().update(_legacy)
globals().update(_questions)
globals().update(_settings)
globals().update(_symbols)
__version__ = _karat.version


def explain(t):
    """Print where the dtype of the tensor `t` came from, oldest first, with the lines of the program; returns None.

    >>> karat.explain(karat.ones(2).half())
    float16[2]
      born as float32, ones     train.py:1
      cast to float16, .half()  train.py:1

    lineage(t) returns the same as data. An operator's error shows it for every operand, and has it as e.karat.
    Of a module: its tree, with the same for every parameter and buffer, and bytes by dtype.
    """
    from .nn import Module, _explain

    print(_explain.text(t) if isinstance(t, Module) else _karat.explain(t))


_missing.name_methods(Tensor, globals())
_missing.mark_absent(Tensor)
_later = """__config__ __future__ _C _tensor _tensor_str _utils accelerator backends classes compiler cpu distributed
    distributions errors futures fx hub jit
    library mps mtia onnx optim overrides profiler quasirandom return_types testing torch_version types xpu""".split()
__getattr__ = _missing.of(__name__, lazy=[*_later, *_refused.TOP], inside={"Future": "futures", "GradScaler": "amp"})
