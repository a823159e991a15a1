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


def _typed(values, dtype, **keywords):
    return karat.TypedStorage(values, dtype=dtype, **keywords)


@pytest.mark.filterwarnings("ignore:TypedStorage is deprecated")
@pytest.mark.parametrize("make", [lambda: karat.UntypedStorage([1, 2], device="meta"),
                                  lambda: _typed([1, 2], karat.int8, device="meta")])
def test_what_has_no_content_is_not_read(make):
    storage = make()
    assert len(storage) == storage.nbytes() == 2 and storage.data_ptr() == 0
    for read in (lambda: storage[0], lambda: storage[7], storage.tolist, lambda: list(storage)):
        with pytest.raises(NotImplementedError, match="Not available for 'meta' device type"):
            read()
    assert repr(storage).startswith("...\n[torch.storage.")
    storage[0] = 1
    assert storage.fill_(3).nbytes() == storage.clone().nbytes() == 2


@pytest.mark.cpu_only("memory of the host")
@pytest.mark.filterwarnings("ignore:TypedStorage is deprecated")
def test_copies_sizes_and_texts():
    import copy
    import sys

    storage = karat.UntypedStorage([1, 2, 3])
    assert repr(storage) == " 1\n 2\n 3\n[torch.storage.UntypedStorage(device=cpu) of size 3]"
    typed = karat.FloatStorage(3).fill_(2)
    for one in (storage, typed):
        other = copy.copy(one)
        other[0] = 9
        assert other._cdata != one._cdata and one.tolist()[0] != 9 and other.tolist()[1:] == one.tolist()[1:]
        both = copy.deepcopy([one, one])
        assert both[0]._cdata == both[1]._cdata != one._cdata
        assert one.resizable() and sys.getsizeof(one) > one.nbytes()
    t = karat.arange(3.)
    copied, memory = copy.deepcopy([t, t.untyped_storage()])
    assert copied.untyped_storage()._cdata == memory._cdata


@pytest.mark.cpu_only("memory of the host")
@pytest.mark.parametrize("dtype, wanted", [(karat.uint8, [0, 1, 2, 3, 4, 5, 6, 7]), (karat.int16, [1, 0, 3, 2, 5, 4, 7, 6]),
                                           (karat.complex64, [3, 2, 1, 0, 7, 6, 5, 4]),
                                           (karat.float64, [7, 6, 5, 4, 3, 2, 1, 0])])
def test_byteswap(dtype, wanted):
    storage = karat.UntypedStorage(list(range(8)))
    assert storage.byteswap(dtype) is None and storage.tolist() == wanted
    if dtype is karat.int16:
        with pytest.raises(RuntimeError, match="the length of data is not a multiple of 2"):
            karat.UntypedStorage(3).byteswap(dtype)


@pytest.mark.cpu_only("memory of the host")
@pytest.mark.filterwarnings("ignore:TypedStorage is deprecated")
def test_from_buffer():
    memory = bytearray([1, 2, 3, 4])
    made = karat.ShortStorage.from_buffer(memory, "big")
    memory[0] = 0
    assert made.tolist() == [258, 772] and made.dtype is karat.int16
    assert karat.ShortStorage.from_buffer(bytes(range(8)), "little", 2, 1).tolist() == [0x0201, 0x0403]
    assert karat.BoolStorage.from_buffer(b"\1\0\7", offset=1).tolist() == [False, True]
    assert karat.TypedStorage.from_buffer(b"abc", dtype=karat.int8).tolist() == [97, 98, 99]
    assert karat.UntypedStorage.from_buffer(b"", dtype=karat.uint8).tolist() == []
    assert karat.DoubleStorage.from_buffer(struct.pack(">d", 1.5), "big").tolist() == [1.5]


@pytest.mark.cpu_only("memory of the host")
@pytest.mark.filterwarnings("ignore:TypedStorage is deprecated")
@pytest.mark.parametrize("arguments, kind, text", [
    ((b"abcd",), RuntimeError, r"function missing required argument 'byte_order' \(pos 2\)"),
    ((b"abcd", "odd"), ValueError, "invalid byte_order 'odd'"),
    ((b"abc", "big"), ValueError, r"buffer size \(3\) must be a multiple of element size \(2\)"),
    ((b"abcd", "big", 3), ValueError, "buffer has only 4 elements after offset 0, but specified a size of 3"),
    ((b"abcd", "big", 0, 5), ValueError, r"no greater than buffer length \(4\) , but got 5"),
    ((3, "big"), TypeError, "a bytes-like object is required, not 'int'"),
    ((b"ab", "big", -1, 0, karat.int8), RuntimeError, "'dtype' can only be specified in UntypedStorage.from_buffer"),
])
def test_from_buffer_refuses(arguments, kind, text):
    with pytest.raises(kind, match=text):
        karat.ShortStorage.from_buffer(*arguments)


@pytest.mark.cpu_only("memory of the host")
@pytest.mark.filterwarnings("ignore:TypedStorage is deprecated")
def test_the_name_of_the_file(tmp_path):
    path = str(tmp_path / "memory")
    t = karat.from_file(path, shared=True, size=2)
    assert t.untyped_storage().filename == t.storage().filename == path
    assert karat.from_file(path, shared=False, size=2).untyped_storage().filename is None
    assert karat.zeros(2).untyped_storage().filename is None
    typed = karat.FloatStorage.from_file(path, True, 2)
    assert typed.filename == path and typed.tolist() == [0.0, 0.0]
    typed[1] = 2.5
    assert t.tolist() == [0.0, 2.5]
    with pytest.raises(RuntimeError, match="from_file can only be called on derived classes"):
        karat.TypedStorage.from_file(path, True, 2)


def test_bytes_as_elements_of_a_dtype():
    storage = karat.tensor([1, 2], dtype=karat.int16).untyped_storage()
    dtypes = {"byte": "uint8", "float": "float32", "complex_double": "complex128", "float8_e5m2": "float8_e5m2"}
    for name, dtype in dtypes.items():
        made = getattr(storage, name)()
        assert type(made) is karat.TypedStorage and made.dtype is getattr(karat, dtype) and len(made) == 4
        assert made.nbytes() == 4 * made.dtype.itemsize
    assert storage.bool().tolist() == [True, False, True, False]
    assert storage.type() == "torch.storage.UntypedStorage" and storage.new().nbytes() == 0
    assert not storage.is_sparse and not storage.is_sparse_csr and not storage.is_hpu


def test_storages_in_shared_memory():
    storage = karat.tensor([1.0, 2.0], device="cpu").untyped_storage()
    assert not storage.is_shared() and storage.share_memory_() is storage and storage.is_shared()
    assert storage.share_memory_() is storage and bytes(storage) == struct.pack("2f", 1, 2)
    typed = karat.tensor([3.0], device="cpu").storage()
    assert typed.share_memory_() is typed and typed.is_shared() and typed.tolist() == [3.0] and typed.get_device() == -1
