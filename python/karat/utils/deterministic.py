"""karat.utils.deterministic: fill_uninitialized_memory, whether use_deterministic_algorithms fills what empty gives."""

import sys
from types import ModuleType

from .. import _karat


class _Settings(ModuleType):
    @property
    def fill_uninitialized_memory(self):
        return _karat.get_fill_unwritten()

    @fill_uninitialized_memory.setter
    def fill_uninitialized_memory(self, mode):
        _karat.set_fill_unwritten(mode)


sys.modules[__name__].__class__ = _Settings
