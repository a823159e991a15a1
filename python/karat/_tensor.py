"""karat._tensor: the names of PyTorch's private module that programs import."""

from . import _missing
from ._karat import Tensor  # noqa: F401
from .copying import set_state


def _rebuild_from_type_v2(build, cls, arguments, state):
    """Called by unpickling a file of torch.save: a tensor with attributes, or of a subclass."""
    made = build(*arguments)
    made = made if type(made) is cls else made.as_subclass(cls)
    if cls.__setstate__ is not Tensor.__setstate__:
        made.__setstate__(state)
        return made
    if type(state) is tuple:
        state, slots = state
        for name, value in slots.items():
            setattr(made, name, value)
    return set_state(made, state or {})


__getattr__ = _missing.of(__name__)
