"""karat.utils.benchmark.utils: the parts of karat.utils.benchmark."""

from . import common, compare, fuzzer, timer  # noqa: F401
