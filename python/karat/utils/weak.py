"""karat.utils.weak: dictionaries whose keys are tensors, by identity, and do not keep them alive."""

import weakref
from collections.abc import MutableMapping

from .._karat import Tensor

__all__ = ["TensorWeakRef", "WeakIdRef", "WeakIdKeyDictionary", "WeakTensorKeyDictionary"]


class WeakIdRef(weakref.ref):
    """A weak reference that is hashed and compared by the identity of what it refers to."""

    __slots__ = ["_id"]

    def __init__(self, key, callback=None):
        self._id = id(key)
        super().__init__(key, callback)

    def __hash__(self):
        return self._id

    def __eq__(self, other):
        own, others = self(), other() if isinstance(other, WeakIdRef) else None
        return own is others if own is not None and others is not None else self is other


class WeakIdKeyDictionary(MutableMapping):
    """A dictionary by identity of its keys; an entry goes when its key does."""

    def __init__(self, dict=None, ref_type=WeakIdRef):
        self.data, self.ref_type = {}, ref_type
        own = weakref.ref(self)

        def remove(key):
            there = own()
            if there is not None:
                there.data.pop(key, None)

        self._remove = remove
        if dict is not None:
            self.update(dict)

    def __getitem__(self, key):
        return self.data[self.ref_type(key)]

    def __setitem__(self, key, value):
        self.data[self.ref_type(key, self._remove)] = value

    def __delitem__(self, key):
        del self.data[self.ref_type(key)]

    def __contains__(self, key):
        try:
            return self.ref_type(key) in self.data
        except TypeError:
            return False

    def __iter__(self):
        return iter([key for key in (reference() for reference in list(self.data)) if key is not None])

    def __len__(self):
        return len(self.data)

    def __repr__(self):
        return f"<{type(self).__name__} at {id(self):#x}>"

    def keyrefs(self):
        """The weak references of its keys."""
        return list(self.data)

    def copy(self):
        """Another one with the same entries."""
        return type(self)(dict(self.items()), self.ref_type)


WeakTensorKeyDictionary = WeakIdKeyDictionary


class TensorWeakRef:
    """A weak reference to a tensor: called, it gives the tensor or None."""

    def __init__(self, tensor):
        if not isinstance(tensor, Tensor):
            raise AssertionError(f"expected torch.Tensor, got {type(tensor)}.")
        self.ref = weakref.ref(tensor)

    def __call__(self):
        return self.ref()
