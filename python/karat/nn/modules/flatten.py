"""karat.nn.modules.flatten: several dims as one, and one as several."""

from ._declared import keep, shown
from .module import Module

__all__ = ["Flatten", "Unflatten"]


class Flatten(Module):
    """The dims from start_dim to end_dim as one."""

    __constants__ = ["start_dim", "end_dim"]

    def __init__(self, start_dim=1, end_dim=-1):
        super().__init__()
        keep(self, locals())

    def forward(self, input):
        return input.flatten(self.start_dim, self.end_dim)

    extra_repr = shown(start_dim=str, end_dim=str)


# What the sizes are in, what each is, and the word for it: of a dim by number, and by name.
_SIZES = ((tuple, list), int, "ints"), (tuple, tuple, "tuples")


def _check_sizes(sizes, within, of, word):
    if not isinstance(sizes, within):
        raise TypeError(f"unflattened_size must be a tuple of {word}, but found type {type(sizes).__name__}")
    for place, size in enumerate(sizes):
        if not isinstance(size, of):
            raise TypeError(f"unflattened_size must be tuple of {word}, but found element of type {type(size).__name__} at pos "
                            f"{place}")


class Unflatten(Module):
    """One dim as several."""

    __constants__ = ["dim", "unflattened_size"]

    def __init__(self, dim, unflattened_size):
        super().__init__()
        if not isinstance(dim, (int, str)):
            raise TypeError("invalid argument type for dim parameter")
        _check_sizes(unflattened_size, *_SIZES[isinstance(dim, str)])
        keep(self, locals())

    def forward(self, input):
        return input.unflatten(self.dim, self.unflattened_size)

    extra_repr = shown(dim=str, unflattened_size=str)
