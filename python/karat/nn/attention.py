"""karat.nn.attention: which ways scaled_dot_product_attention may go."""

import contextlib
import enum

from .. import _karat, _missing

__all__ = ["SDPBackend", "sdpa_kernel", "WARN_FOR_UNFUSED_KERNELS"]

WARN_FOR_UNFUSED_KERNELS = False


class SDPBackend(enum.Enum):
    """PyTorch's names of the ways. MATH is products and a softmax, FLASH_ATTENTION the kernel that holds one tile of scores."""

    ERROR = -1
    MATH = 0
    FLASH_ATTENTION = 1
    EFFICIENT_ATTENTION = 2
    CUDNN_ATTENTION = 3
    OVERRIDEABLE = 4

    def __int__(self):
        return self.value

    __index__ = __int__


_ORDER = [SDPBackend.CUDNN_ATTENTION, SDPBackend.FLASH_ATTENTION, SDPBackend.EFFICIENT_ATTENTION, SDPBackend.MATH,
          SDPBackend.OVERRIDEABLE]
_priority = list(_ORDER)


def _cur_sdpa_kernel_backends(with_priority=False):
    order = _priority if with_priority else _ORDER
    return [way for way in order if _karat.attention_allowed(way.value)]


def _allow(ways):
    for way in _ORDER:
        _karat.allow_attention(way.value, way in ways)


@contextlib.contextmanager
def sdpa_kernel(backends, set_priority=False):
    """Allow these ways alone. With set_priority their order is kept, for who asks; there is one kernel to choose."""
    global _priority
    assert isinstance(backends, (list, SDPBackend)), (
        f"Backend must be an instance of SDPBackend or a list of SDPBackend instances, got {type(backends).__name__}")
    wanted = [backends] if isinstance(backends, SDPBackend) else list(dict.fromkeys(backends))
    before, order = _cur_sdpa_kernel_backends(), _priority
    try:
        if set_priority:
            _priority = [way for way in wanted if way in _ORDER] + [way for way in order if way not in wanted]
        _allow(wanted)
        yield {}
    finally:
        _allow(before)
        _priority = order


__path__ = []  # a package: flex_attention below it is refused
__getattr__ = _missing.of(__name__)
