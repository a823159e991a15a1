"""karat.utils.benchmark: times of statements (Timer), what is known of them (Measurement), and tables of several (Compare)."""

from time import perf_counter as timer  # noqa: F401

from ... import _missing
from . import utils  # noqa: F401
from .utils.common import (  # noqa: F401
    Measurement,
    TaskSpec,
    ordered_unique,
    select_unit,
    set_torch_threads,
    trim_sigfig,
    unit_to_english,
)
from .utils.compare import Colorize, Compare  # noqa: F401
from .utils.fuzzer import FuzzedParameter, FuzzedTensor, Fuzzer, ParameterAlias  # noqa: F401
from .utils.timer import Language, Timer  # noqa: F401

__getattr__ = _missing.of(__name__)
