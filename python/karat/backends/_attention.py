"""The switches of torch.backends.cuda for scaled_dot_product_attention. They hold for every device, as PyTorch's do."""

import contextlib
import warnings

from .. import _karat
from ..nn.attention import SDPBackend


def _switch(way, setter):
    def enabled():
        return _karat.attention_allowed(way.value)

    def enable(enabled):
        if not isinstance(enabled, bool):
            raise RuntimeError(f"{setter} expects a bool, but got {type(enabled).__name__}")
        _karat.allow_attention(way.value, enabled)

    return enabled, enable


flash_sdp_enabled, enable_flash_sdp = _switch(SDPBackend.FLASH_ATTENTION, "set_sdp_use_math")
math_sdp_enabled, enable_math_sdp = _switch(SDPBackend.MATH, "set_sdp_use_math")
mem_efficient_sdp_enabled, enable_mem_efficient_sdp = _switch(SDPBackend.EFFICIENT_ATTENTION, "set_sdp_use_math")
cudnn_sdp_enabled, enable_cudnn_sdp = _switch(SDPBackend.CUDNN_ATTENTION, "set_sdp_use_cudnn")
_reduced = [False]


def fp16_bf16_reduction_math_sdp_allowed():
    return _reduced[0]


def allow_fp16_bf16_reduction_math_sdp(enabled):
    """Kept for who asks: sums of float16 and bfloat16 products are always made in float32."""
    _reduced[0] = enabled


def is_flash_attention_available():
    return True


@contextlib.contextmanager
def sdp_kernel(enable_flash=True, enable_math=True, enable_mem_efficient=True, enable_cudnn=True):
    """The older form of torch.nn.attention.sdpa_kernel."""
    warnings.warn("`torch.backends.cuda.sdp_kernel()` is deprecated. In the future, this context manager will be removed. Please "
                  "see `torch.nn.attention.sdpa_kernel()` for the new context manager, with updated signature.", FutureWarning,
                  stacklevel=3)
    switches = [(enable_flash_sdp, flash_sdp_enabled(), enable_flash), (enable_math_sdp, math_sdp_enabled(), enable_math),
                (enable_mem_efficient_sdp, mem_efficient_sdp_enabled(), enable_mem_efficient),
                (enable_cudnn_sdp, cudnn_sdp_enabled(), enable_cudnn)]
    try:
        for enable, _, wanted in switches:
            enable(wanted)
        yield {}
    finally:
        for enable, before, _ in switches:
            enable(before)


SWITCHES = {name: value for name, value in globals().items() if "sdp" in name or name == "is_flash_attention_available"}
