"""karat.backends: features of this build, under PyTorch's names."""

import contextlib
import sys
from importlib.machinery import ModuleSpec
from types import ModuleType

from .. import _karat, _missing
from . import _attention


class _Backend(ModuleType):
    """One backend: a module of settings and functions."""

    def __init__(self, name, **contents):
        super().__init__(f"{__name__}.{name}")
        self.__file__, self.__spec__ = __file__, ModuleSpec(self.__name__, None, origin=__file__)
        self.__dict__.update(contents)
        sys.modules[self.__name__] = self

    def __repr__(self):
        return f"<module '{self.__name__}'>"

    def set_flags(self, **values):
        """Sets switches that the backend has; what they were before."""
        before = tuple(getattr(self, name) for name in values)
        self.__dict__.update(values)
        return before


def _with_flags(backend, **defaults):
    """flags(...) of a backend: a scope in which all its switches are as given, those that are not as the defaults say."""

    @contextlib.contextmanager
    def flags(**values):
        unknown = values.keys() - defaults.keys()
        if unknown:
            raise TypeError(f"flags() got an unexpected keyword argument '{unknown.pop()}'")
        before = backend.set_flags(**{**defaults, **values})
        try:
            yield
        finally:
            backend.set_flags(**dict(zip({**defaults, **values}, before)))

    backend.flags = flags
    return backend


def _no():
    """False."""
    return False


cuda = _Backend("cuda", is_built=_no, **_attention.SWITCHES)
cuda.matmul = _Backend("cuda.matmul", allow_tf32=False, allow_fp16_reduced_precision_reduction=True,
                       allow_bf16_reduced_precision_reduction=True, allow_fp16_accumulation=False)
cudnn = _Backend("cudnn", is_available=_no, enabled=True, benchmark=False, benchmark_limit=10, deterministic=False,
                 allow_tf32=True, version=lambda: None)
_with_flags(cudnn, enabled=False, benchmark=False, benchmark_limit=10, deterministic=False, allow_tf32=True)
mps = _Backend("mps", is_available=_no, is_built=_no, is_macos_or_newer=lambda major, minor: False)
mkl = _Backend("mkl", is_available=_no)
mkldnn = _Backend("mkldnn", enabled=True, deterministic=False,
                  is_available=lambda: any(name.startswith("oneDNN") for name in _karat.product_libraries()))
_with_flags(mkldnn, enabled=False, deterministic=False)
openmp = _Backend("openmp", is_available=_no)
opt_einsum = _Backend("opt_einsum", is_available=_no, enabled=False, strategy=None)
cpu = _Backend("cpu", get_cpu_capability=lambda: {"avx512": "AVX512", "avx2": "AVX2"}.get(_karat.isa, "DEFAULT"))

__getattr__ = _missing.of(__name__)
