"""karat.nn.modules.utils: sizes given as one number or one per dim, and keys of state dicts."""

import math
from collections.abc import Iterable

from .. import _pooling, init

__all__ = ["consume_prefix_in_state_dict_if_present"]


def _ntuple(n, name="parse"):
    """A function that makes a tuple of its argument: of a number n copies, of a sequence the sequence."""

    def parse(x):
        return tuple(x) if isinstance(x, Iterable) else (x,) * n

    parse.__name__ = name
    return parse


_single, _pair, _triple, _quadruple = _ntuple(1, "_single"), _ntuple(2, "_pair"), _ntuple(3, "_triple"), _ntuple(4, "_quadruple")


def _reverse_repeat_tuple(t, n):
    """The elements from the last to the first, each n times: paddings by dim as `pad` wants them."""
    return tuple(x for x in reversed(t) for _ in range(n))


def _list_with_default(out_size, defaults):
    """out_size, with the size of `defaults` where it is None."""
    return _pooling._sizes_for(out_size, defaults, len(defaults))


def draw_by_size(parameters, size):
    """Draws parameters uniformly from +-1 / sqrt(size), in their order; None is none."""
    bound = 1.0 / math.sqrt(size) if size > 0 else 0
    for parameter in parameters:
        if parameter is not None:
            init.uniform_(parameter, -bound, bound)


def consume_prefix_in_state_dict_if_present(state_dict, prefix):
    """Removes the prefix from the keys of a state dict and of its metadata, in place."""
    for key in [key for key in state_dict if key.startswith(prefix)]:
        state_dict[key[len(prefix):]] = state_dict.pop(key)
    metadata = getattr(state_dict, "_metadata", None)
    if metadata is None:
        return
    bare = prefix.rstrip(".")
    for key in list(metadata):
        if key and (key == bare or key.startswith(prefix)):
            metadata[key[len(prefix):]] = metadata.pop(key)
