"""karat.version: of Karat, and of what it was built with."""

from . import _karat

__version__ = _karat.version
debug = False
cuda = hip = rocm = xpu = git_version = None
