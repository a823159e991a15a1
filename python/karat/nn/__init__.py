"""karat.nn: modules, functional, utils, and the ways of attention."""

from .. import _missing
from . import attention, functional, parameter, utils  # noqa: F401
from .modules import *  # noqa: F401,F403
from .modules import Module  # noqa: F401
from .parameter import Buffer, Parameter, UninitializedBuffer, UninitializedParameter  # noqa: F401

__getattr__ = _missing.of(__name__)
