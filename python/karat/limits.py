"""limits.py - finfo and iinfo: the numeric limits of a dtype, as attributes."""

from . import _karat


class finfo:
    """finfo(dtype=default): bits, eps, max, min, tiny, smallest_normal, resolution of a floating dtype."""

    def __init__(self, *args, **keywords):
        self.__dict__.update(_karat.float_limits(*args, **keywords))

    def __eq__(self, other):
        return isinstance(other, finfo) and vars(self) == vars(other)

    def __hash__(self):
        return hash(self.dtype)

    def __repr__(self):
        names = ("resolution", "min", "max", "eps", "smallest_normal", "tiny")
        return "finfo(" + "".join(f"{name}={getattr(self, name):g}, " for name in names) + f"dtype={self.dtype})"


class iinfo:
    """iinfo(dtype): bits, max, min of an integer dtype."""

    def __init__(self, *args, **keywords):
        self.__dict__.update(_karat.int_limits(*args, **keywords))

    def __eq__(self, other):
        return isinstance(other, iinfo) and vars(self) == vars(other)

    def __hash__(self):
        return hash(self.dtype)

    def __repr__(self):
        return f"iinfo(min={self.min:g}, max={self.max:g}, dtype={self.dtype})"
