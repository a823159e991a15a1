"""UntypedStorage: bytes as an object; parts of it; files as memory, as readers of weights use them."""

import struct

import pytest

import karat


def test_made_of_a_number_or_bytes():
    assert len(karat.UntypedStorage(10)) == 10 and len(karat.UntypedStorage()) == 0
    storage = karat.UntypedStorage([1, 2, 255])
    assert storage.tolist() == [1, 2, 255] and storage.untyped() is storage and storage.element_size() == 1
    other = storage.clone().copy_(karat.UntypedStorage([4, 5, 6]))
    assert other.tolist() == [4, 5, 6] and storage.tolist() == [1, 2, 255]


@pytest.mark.cpu_only("memory of the host")
def test_parts_share_the_memory():
    t = karat.arange(4, dtype=karat.int32)
    part = t.untyped_storage()[4:12]
    assert part.nbytes() == 8 and part.data_ptr() == t.data_ptr() + 4 and part.tolist() == [1, 0, 0, 0, 2, 0, 0, 0]
    there = karat.asarray(part, dtype=karat.uint8).view(karat.int32)
    there[0] = 7
    assert t.tolist() == [0, 7, 2, 3] and len(t.untyped_storage()[3:2]) == 0 and t.untyped_storage()[-4:].tolist() == [3, 0, 0, 0]
    with pytest.raises(RuntimeError, match="Trying to slice with a step of 2, but only a step of 1 is supported"):
        t.untyped_storage()[::2]
    with pytest.raises(TypeError, match="can't index a torch.UntypedStorage with str"):
        t.untyped_storage()["a"]


@pytest.mark.cpu_only("memory of the host")
def test_a_file_as_memory(tmp_path):
    path = str(tmp_path / "weights.bin")
    with open(path, "wb") as file:
        file.write(struct.pack("<3f", 1.0, 2.0, 3.0))
    storage = karat.UntypedStorage.from_file(path, shared=False, nbytes=12)
    values = karat.asarray(storage[4:], dtype=karat.uint8).view(karat.float32)
    assert values.tolist() == [2, 3]
    values[0] = 5
    assert karat.asarray(storage, dtype=karat.uint8).view(karat.float32).tolist() == [1, 5, 3]
    assert open(path, "rb").read() == struct.pack("<3f", 1.0, 2.0, 3.0)  # the file stays as it was
    del storage
    assert values.tolist() == [5, 3]
    shared = karat.UntypedStorage.from_file(path, shared=True, nbytes=16)
    karat.asarray(shared, dtype=karat.uint8).view(karat.float32).fill_(4)
    assert open(path, "rb").read() == struct.pack("<4f", 4, 4, 4, 4)
    with pytest.raises(RuntimeError, match="size <16> is smaller than the required mapping size <100>"):
        karat.UntypedStorage.from_file(path, False, 100)
    with pytest.raises(RuntimeError, match=r"unable to open file <.*> in read-only mode: No such file or directory \(2\)"):
        karat.UntypedStorage.from_file(str(tmp_path / "none"), False, 1)


def test_set_is_a_write():
    leaf = karat.ones(3, requires_grad=True)
    y = leaf * leaf
    with pytest.raises(RuntimeError, match="a leaf Variable that requires grad is being used in an in-place operation"):
        leaf.set_(karat.zeros(3))
    with pytest.raises(RuntimeError, match="derivative for set_ is not implemented"):
        (leaf * 1).set_(karat.zeros(3))
    with karat.no_grad():
        leaf.set_(karat.zeros(3))
    assert leaf._version == 1 and leaf.tolist() == [0, 0, 0]
    with pytest.raises(RuntimeError, match="has been modified by an inplace operation"):
        y.sum().backward()
    plain = karat.ones(3)
    for i, source in enumerate(((), (karat.ones(2),), (karat.ones(2).untyped_storage(), 0, (2,)))):
        plain.set_(*source)
        assert plain._version == i + 1
