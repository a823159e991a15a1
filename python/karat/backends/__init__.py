"""karat.backends: features of this build, under PyTorch's names."""

from .. import _karat, _missing
from . import _attention


class _Backend:
    """One backend: settings and functions."""

    def __init__(self, name, *, is_available=False, is_built=None, **switches):
        self.__name__ = f"{__name__}.{name}"
        self.is_available = lambda: is_available
        if is_built is not None:
            self.is_built = lambda: is_built
        self.__dict__.update(switches)

    def __repr__(self):
        return f"<module '{self.__name__}'>"


cuda = _Backend("cuda", is_built=False, matmul=_Backend("cuda.matmul", allow_tf32=False), **_attention.SWITCHES)
del cuda.is_available, cuda.matmul.is_available
cudnn = _Backend("cudnn", enabled=True, benchmark=False, deterministic=False, allow_tf32=True, version=lambda: None)
mps = _Backend("mps", is_built=False)
mkl = _Backend("mkl")
mkldnn = _Backend("mkldnn", enabled=True)
mkldnn.is_available = lambda: any(name.startswith("oneDNN") for name in _karat.product_libraries())
openmp = _Backend("openmp")
cpu = _Backend("cpu", get_cpu_capability=lambda: {"avx512": "AVX512", "avx2": "AVX2"}.get(_karat.isa, "DEFAULT"))
del cpu.is_available

__getattr__ = _missing.of(__name__)
