"""karat.amp.lists: the class of each operator under autocast, on the CPU ("cpu") and on other devices ("cuda"). Printable, and
editable for the thread that edits:

>>> print(karat.amp.lists)
>>> karat.amp.lists["cpu"]["softmax"] = "float32"

The classes: "as it comes" (dtypes as the inputs have them), "lower", "float32", "widest"; some operators have others, which
cannot be set: "float32 result", "inner unchanged", "refused"."""

from collections.abc import Mapping, MutableMapping

from .. import _karat

_CLASSES = ("lower", "float32", "widest", "float32 result", "inner unchanged", "refused")


class _List(MutableMapping):
    """The classes on one kind of device, by operator; those that have one."""

    def __init__(self, device):
        self.device = device

    def __getitem__(self, op):
        if op not in _karat.autocast_operators():
            raise KeyError(op)
        return _karat.autocast_class(op, self.device)

    def __setitem__(self, op, class_):
        _karat.set_autocast_class(op, self.device, class_)

    def __delitem__(self, op):
        self[op] = "as it comes"

    def __iter__(self):
        return (op for op in _karat.autocast_operators() if _karat.autocast_class(op, self.device) != "as it comes")

    def __contains__(self, op):
        return isinstance(op, str) and _karat.autocast_class(op, self.device) != "as it comes"

    def __len__(self):
        return sum(1 for _ in self)

    def __repr__(self):
        of = {class_: [] for class_ in _CLASSES}
        for op in self:
            of[_karat.autocast_class(op, self.device)].append(op)
        return "\n".join(f"{self.device}, {class_}: {' '.join(ops)}" for class_, ops in of.items() if ops)


class _Lists(Mapping):
    """The two lists."""

    _lists = {device: _List(device) for device in ("cpu", "cuda")}

    def __getitem__(self, device):
        return self._lists[device]

    def __iter__(self):
        return iter(self._lists)

    def __len__(self):
        return len(self._lists)

    def __repr__(self):
        return "\n\n".join(repr(one) for one in self.values())


lists = _Lists()
