"""storage.py - UntypedStorage: a tensor's storage as an object with address and size."""

from ._karat import Tensor, dtypes


class UntypedStorage:
    """Returned by t.untyped_storage(): keeps the memory alive and has its address and size."""

    def __init__(self, tensor):
        self._tensor = tensor.detach()

    def data_ptr(self):
        """The address of its first byte."""
        return self._tensor._storage()[0]

    def nbytes(self):
        """Its size in bytes."""
        return self._tensor._storage()[1]

    size = __len__ = nbytes

    def __bytes__(self):
        t = self._tensor
        if t.is_cpu or t.is_meta:
            return t._storage_content()
        t = t.conj() if t.is_conj() else t
        t = t._neg_view() if t.is_neg() else t
        # no element of t need lie in the storage's first byte, nor its bytes be a multiple of the element's
        return t.as_strided((0,), (1,), 0).view(dtypes["uint8"]).as_strided((self.nbytes(),), (1,), 0).cpu()._storage_content()

    def tolist(self):
        """Its bytes as a list of ints."""
        return list(bytes(self))

    def __iter__(self):
        return iter(bytes(self))

    def __getitem__(self, index):
        if not isinstance(index, int):
            raise TypeError(f"can't index a torch.UntypedStorage with {type(index).__name__}")
        if not -len(self) <= index < len(self):
            raise IndexError(f"index {index} out of range for storage of size {len(self)}")
        return bytes(self)[index]

    @property
    def device(self):
        """Its device."""
        return self._tensor.device

    @property
    def is_cuda(self):
        """Always False."""
        return False

    def __eq__(self, other):
        return isinstance(other, UntypedStorage) and self.data_ptr() == other.data_ptr() and self.nbytes() == other.nbytes()

    def __hash__(self):
        return hash(self.data_ptr())

    def __repr__(self):
        return f"[torch.storage.UntypedStorage(device={self.device}) of size {self.nbytes()}]"


def untyped_storage(self):
    """The tensor's storage."""
    return UntypedStorage(self)


Tensor.untyped_storage = untyped_storage
