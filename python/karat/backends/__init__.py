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
        self.__dict__.update(contents, __getattr__=_missing.of(self.__name__))
        sys.modules[self.__name__] = self

    def __repr__(self):
        return f"<module '{self.__name__}'>"



def _with_flags(backend, **defaults):
    """set_flags(...) sets the switches that are not None, and gives what all were; flags(...) is a scope in which they are as
    given, those that are not as the defaults say."""

    def known(name, given):
        unknown = given.keys() - defaults.keys()
        if unknown:
            raise TypeError(f"{name}() got an unexpected keyword argument '{unknown.pop()}'")

    def set_flags(*switches, **given):
        """Sets the switches that are not None; what they all were before."""
        given = {name.removeprefix("_"): value for name, value in given.items()} | dict(zip(defaults, switches))
        known("set_flags", given)
        before = tuple(getattr(backend, name) for name in defaults)
        for name, value in given.items():
            if value is not None:
                setattr(backend, name, value)
        return before

    @contextlib.contextmanager
    def flags(*switches, **given):
        """A scope in which the switches are as given."""
        given |= dict(zip(defaults, switches))
        known("flags", given)
        before = set_flags(**{**defaults, **given})
        try:
            yield
        finally:
            set_flags(*before)

    backend.set_flags, backend.flags = set_flags, flags
    return backend


@contextlib.contextmanager
def _unbracketed():
    """A scope in which switches are set as attributes: they always may be."""
    yield


globals()["__allow_nonbracketed_mutation"] = _unbracketed  # PyTorch's name, which a class body would mangle


class _Verbose:
    """A scope in which a library would print what it does: no effect."""

    def __init__(self, enable):
        self.enable = enable

    def __enter__(self):
        return self

    def __exit__(self, *error):
        return False


def _precision_of(backend, op):
    """To what float32 numbers may be rounded before they are multiplied there; "none": as the backend, or all of them, say."""

    def precision(self):
        return _karat.get_fp32_precision(backend, op)

    def set_precision(self, name):
        if not isinstance(name, str):
            raise RuntimeError(f"Unknown precision: {name}")
        _karat.set_fp32_precision(backend, op, name)

    return property(precision, set_precision)


def _tf32_of(use):
    """May GPUs round float32 to TF32? The older setting, of products or of convolutions."""

    def allowed(self):
        return _karat.tf32_allowed(use)

    def allow(self, allowed):
        if not isinstance(allowed, bool):  # PyTorch says this of both
            raise RuntimeError(f"set_allow_tf32_cublas expects a bool, but got {type(allowed).__name__}")
        _karat.allow_tf32(use, allowed)

    return property(allowed, allow)


def _precise(backend, op, kind=_Backend, **settings):
    """A class of backends whose precision is the engine's."""
    return type(kind.__name__, (kind,), {"fp32_precision": _precision_of(backend, op), "__module__": __name__, **settings})


class _Operation:
    """One operation of a backend."""


def _no():
    """False."""
    return False


def _preferred(name, *allowed):
    """A function that takes, and gives, the library that is preferred; Karat's own choice does not change."""
    held = [allowed[0]]

    def prefer(backend=None):
        if backend is not None:
            if backend not in allowed:
                raise RuntimeError(f"Unknown input value. Choose from: {', '.join(allowed)}.")
            held[0] = backend
        return held[0]

    prefer.__name__ = prefer.__qualname__ = name
    prefer.__doc__ = "The library that is preferred, by name; Karat chooses by itself."
    return prefer


cuda = _Backend("cuda", is_built=_no, can_use_cudnn_attention=lambda params, debug=False: False,
                can_use_efficient_attention=lambda params, debug=False: False,
                can_use_flash_attention=lambda params, debug=False: False,
                preferred_linalg_library=_preferred("preferred_linalg_library", "default", "cusolver", "magma"),
                preferred_blas_library=_preferred("preferred_blas_library", "cublas", "default", "cublaslt", "hipblaslt", "ck"),
                preferred_rocm_fa_library=_preferred("preferred_rocm_fa_library", "default", "aotriton", "ck"),
                **_attention.SWITCHES)
cuda.matmul = _precise("cuda", "matmul", allow_tf32=_tf32_of(0))(
    "cuda.matmul", allow_tf32=None, allow_fp16_reduced_precision_reduction=True, allow_bf16_reduced_precision_reduction=True,
    allow_fp16_accumulation=False, fp32_precision=None)
cudnn = _precise("cuda", "all", allow_tf32=_tf32_of(1))(
    "cudnn", is_available=_no, enabled=True, benchmark=False, benchmark_limit=10, deterministic=False, allow_tf32=None,
    fp32_precision=None, conv=_precise("cuda", "conv", _Operation)(), version=lambda: None)
_with_flags(cudnn, enabled=False, benchmark=False, benchmark_limit=10, deterministic=False, allow_tf32=True,
            fp32_precision="none")
cudnn.rnn = _precise("cuda", "rnn")("cudnn.rnn", fp32_precision=None)
mps = _Backend("mps", is_available=_no, is_built=_no, is_macos_or_newer=lambda major, minor: False, is_macos13_or_newer=_no)
mkl = _Backend("mkl", is_available=_no, VERBOSE_OFF=0, VERBOSE_ON=1, verbose=_Verbose)
mkldnn = _precise("mkldnn", "all")(
    "mkldnn", enabled=True, deterministic=False, allow_tf32=None, fp32_precision=None, is_acl_available=_no,
    VERBOSE_OFF=0, VERBOSE_ON=1, VERBOSE_ON_CREATION=2, verbose=_Verbose,
    is_available=lambda: any(name.startswith("oneDNN") for name in _karat.product_libraries()),
    **{op: _precise("mkldnn", op, _Operation)() for op in ("matmul", "conv", "rnn")})
_with_flags(mkldnn, enabled=False, deterministic=False, allow_tf32=True, fp32_precision="none")
openmp = _Backend("openmp", is_available=_no)
opt_einsum = _Backend("opt_einsum", is_available=_no, enabled=False, strategy=None, get_opt_einsum=lambda: None)
_with_flags(opt_einsum, enabled=None, strategy=None)
cpu = _Backend("cpu", get_cpu_capability=lambda: {"avx512": "AVX512", "avx2": "AVX2"}.get(_karat.isa, "DEFAULT"))
quantized = _Backend("quantized", engine="none", supported_engines=["none"])
xnnpack = _Backend("xnnpack", enabled=False)
miopen = _with_flags(_Backend("miopen", immediate=False), immediate=False)
nnpack = _with_flags(_Backend("nnpack", is_available=_no, enabled=False), enabled=False)
kleidiai = _Backend("kleidiai", is_available=_no)
cusparselt = _Backend("cusparselt", is_available=_no, version=lambda: None, get_max_alg_id=lambda: None)
mha = _Backend("mha", _is_fastpath_enabled=True)


def get_fastpath_enabled():
    """Was it asked for? Encoders take the same way either way."""
    return mha._is_fastpath_enabled


def set_fastpath_enabled(value):
    """Asks for it."""
    mha._is_fastpath_enabled = value


mha.get_fastpath_enabled, mha.set_fastpath_enabled = get_fastpath_enabled, set_fastpath_enabled
del get_fastpath_enabled, set_fastpath_enabled

__getattr__ = _missing.of(__name__)
sys.modules[__name__].__class__ = _precise("generic", "all", ModuleType)
