"""What dense tensors answer to questions about sparse, quantized, nested and named ones; layouts; old storages; set_."""

import pickle
import warnings

import pytest

import karat


def test_questions_about_other_layouts():
    x = karat.arange(6.0).view(2, 3)
    for name, layout in (("values", "sparse"), ("indices", "sparse coordinate"), ("coalesce", "sparse coordinate"),
                         ("crow_indices", "sparse row compressed"), ("row_indices", "sparse column compressed")):
        with pytest.raises(RuntimeError, match=f"^{name} expected {layout} tensor layout but got Strided$"):
            getattr(x, name)()
    assert (x.sparse_dim(), x.dense_dim()) == (0, 2) and x.to_dense() is x and x.to_dense(karat.float64).dtype is karat.float64
    with pytest.raises(NotImplementedError, match="^Could not run 'aten::q_scale' with arguments from the "):
        x.q_scale()
    assert x.int().dequantize().dtype is karat.float32 and karat.dequantize(x).tolist() == x.tolist()
    with pytest.raises(NotImplementedError, match="^karat.Tensor.to_sparse: tensors are dense here"):
        x.to_sparse()
    with pytest.raises(NotImplementedError, match="dims have no names here"):
        x.rename("a", "b")
    for make in (lambda names: karat.rand(2, 3, names=names), lambda names: karat.full((2, 3), 1.0, names=names)):
        with pytest.raises(NotImplementedError, match=r"^torch\.(rand|full): dims have no names here$"):
            make(("a", "b"))
        assert make(None).shape == (2, 3)
    assert x.rename(None).data_ptr() == x.data_ptr() and x.rename(None) is not x
    with pytest.raises(AssertionError, match="^Torch not compiled with XPU enabled$"):
        x.xpu()


def test_layouts_are_named_compared_and_refused():
    assert karat.strided is not karat.sparse_coo and repr(karat.sparse_csr) == "torch.sparse_csr"
    assert karat.ones(1).layout is karat.strided and karat.ones(1).layout != karat.sparse_coo
    assert karat.zeros(2, layout=karat.strided).tolist() == [0, 0]
    with pytest.raises(NotImplementedError, match="^torch.sparse_coo: tensors are strided here"):
        karat.zeros(2, layout=karat.sparse_coo)
    with pytest.raises(TypeError):
        karat.zeros(2, layout=3)
    assert karat.legacy_contiguous_format is karat.contiguous_format
    with pytest.raises(NotImplementedError, match="^karat.sparse_coo_tensor: tensors are dense here"):
        karat.sparse_coo_tensor([[0]], [1.0])
    with pytest.raises(NotImplementedError, match="^karat.uint4: elements smaller than a byte"):
        karat.uint4()


def test_resize_that_warns():
    x = karat.arange(6.0).view(2, 3)
    with pytest.warns(UserWarning, match="non-inplace resize is deprecated"):
        assert x.t().resize(6).tolist() == [0, 3, 1, 4, 2, 5]
    with pytest.warns(UserWarning), pytest.raises(RuntimeError, match=r"^requested resize to 7 \(7 elements in total\), but the "
                                                  r"given tensor has a size of 2x3 \(6 elements\)\. autograd's"):
        x.resize(7)
    with pytest.warns(UserWarning, match="non-inplace resize_as is deprecated"):
        assert x.resize_as(karat.ones(3, 2)).shape == (3, 2)


@pytest.mark.cpu_only("memory of the host")
def test_typed_storages():
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        t = karat.arange(4.0)
        s = t.storage()
        assert s.size() == 4 and s.tolist() == [0, 1, 2, 3] and s[-1] == 3.0 and s.nbytes() == 16
        s[1] = 7
        assert t[1] == 7 and isinstance(s, karat.FloatStorage) and not isinstance(s, karat.DoubleStorage)
        assert s.int().dtype is karat.int32 and s.type() == "torch.FloatStorage" and karat.is_storage(s)
        assert repr(karat.FloatStorage([1, 2])) == (" 1.0\n 2.0\n[torch.storage.TypedStorage(dtype=torch.float32, device=cpu) of "
                                                    "size 2]")
        with pytest.raises(IndexError, match="index 7 out of range for storage of size 4"):
            s[7]
        with pytest.raises(RuntimeError, match="slices are only supported in UntypedStorage.__getitem__"):
            s[1:2]
        with pytest.raises(RuntimeError, match="Argument 'dtype' must be specified"):
            karat.TypedStorage(3)
        s.resize_(6)
        assert len(s) == 6 and s.tolist()[:4] == [0, 7, 2, 3]
    assert pickle.loads(pickle.dumps(karat.FloatStorage)) is karat.FloatStorage
    assert karat.UntypedStorage(3).fill_(5).resize_(2).tolist() == [5, 5]


@pytest.mark.cpu_only("memory of the host")
def test_set_moves_a_tensor_into_other_memory():
    x, t = karat.arange(5.0), karat.empty(0)
    assert t.set_(x) is t and t.data_ptr() == x.data_ptr()
    assert t.set_(x.untyped_storage(), 1, (2,), (2,)).tolist() == [1, 3] and t.set_(x, 1, (2,)).tolist() == [1, 2]
    assert t.set_().shape == (0,)
    assert karat.empty(0, dtype=karat.int32).set_(karat.ones(2).untyped_storage()).tolist() == [1065353216] * 2
    with pytest.raises(RuntimeError, match="^Could not set tensor of type long int to a tensor of type float$"):
        t.set_(karat.arange(3))
    with pytest.raises(TypeError, match="invalid combination of arguments"):
        t.set_(3)


@pytest.mark.cpu_only("a file is the host's memory")
def test_a_tensor_that_is_a_file(tmp_path):
    path = str(tmp_path / "x.bin")
    x = karat.from_file(path, shared=True, size=3)
    x[1] = 2.5
    assert karat.from_file(path, size=3).tolist() == [0, 2.5, 0]
    assert karat.from_file(path, size=2, dtype=karat.int32, requires_grad=False).shape == (2,)
    with pytest.raises(RuntimeError, match="size <12> is smaller than the required mapping size <16>"):
        karat.from_file(path, size=4)
    with pytest.raises(RuntimeError, match="unable to open file .* in read-only mode: No such file or directory"):
        karat.from_file(path + "x", size=1)
    with pytest.raises(NotImplementedError, match="a file's memory is the CPU's"):
        karat.from_file(path, size=1, device="meta")


def test_two_tensors_are_swapped():
    from karat.utils import swap_tensors

    a, b = karat.nn.Parameter(karat.ones(2)), karat.zeros(3)
    a.mark, held = 1, {id(a), id(b)}
    a.sum().backward()
    swap_tensors(a, b)
    assert {id(a), id(b)} == held and type(a) is karat.Tensor and type(b) is karat.nn.Parameter
    assert a.shape == (3,) and b.mark == 1 and not hasattr(a, "mark") and b.grad.tolist() == [1, 1] and a.grad is None
    assert b.requires_grad and not a.requires_grad
    swap_tensors(a, a)
    assert a.shape == (3,)
    import gc
    import weakref

    reference = weakref.ref(a)
    with pytest.raises(RuntimeError, match="^Cannot swap t1 because it has weakref associated with it$"):
        swap_tensors(a, b)
    with pytest.raises(TypeError):
        swap_tensors(b, 3)
    del a, b, reference
    gc.collect()


def test_checks_of_arguments():
    karat._check(True)
    for call, kind, text in ((lambda: karat._check(False), RuntimeError, "Expected cond to be True, but got False"),
                             (lambda: karat._check(False, lambda: "hi"), RuntimeError, "^hi$"),
                             (lambda: karat._check(False, "hi"), TypeError, "message must be a callable"),
                             (lambda: karat._check(1), TypeError, "cond must be a bool, but got <class 'int'>"),
                             (lambda: karat._check_index(False), IndexError, "Expected cond"),
                             (lambda: karat._assert(karat.tensor(False), "m"), AssertionError, "^m$"),
                             (lambda: karat._check_tensor_all(karat.tensor([True, False])), RuntimeError, "Expected cond"),
                             (lambda: karat._check_tensor_all(True), TypeError, "must be a tensor, but got <class 'bool'>"),
                             (lambda: karat._check_tensor_all_with(IndexError, karat.tensor(False)), IndexError, "Expected cond"),
                             (lambda: karat._check_tensor_all(karat.ones(1)), TypeError, "must have dtype torch.bool")):
        with pytest.raises(kind, match=text):
            call()
    x = karat.ones(2)
    assert karat.cond(x.sum() > 1, lambda a: a + 1, lambda a: a - 1, (x,)).tolist() == [2, 2]
    with pytest.raises(RuntimeError, match="Expected pred to be bool or single-element tensor"):
        karat.cond(x > 0, lambda: 1, lambda: 2)
    assert karat.while_loop(lambda i: i < 3, lambda i: (i + 1,), (karat.tensor(0),))[0].item() == 3
    with pytest.raises(RuntimeError, match="^body_fn should return the same number of elements"):
        karat.while_loop(lambda i: i < 3, lambda i: (i + 1, i), (0,))
    assert not isinstance(3, karat.SymInt) and karat.GradScaler is karat.amp.GradScaler
    assert karat._as_tensor_fullprec(1.5).dtype is karat.float64


def test_futures():
    from karat.futures import Future, collect_all, wait_all

    assert karat.Future is Future
    f, seen = Future(), []
    g = f.then(lambda done: done.value() + 1)
    f.add_done_callback(lambda done: seen.append(done.value()))
    assert not f.done()
    f.set_result(3)
    assert g.wait() == 4 and seen == [3] and f.value() == f.wait() == 3
    with pytest.raises(RuntimeError, match="^Attempting to mark a completed Future as complete again"):
        f.set_result(4)
    failed = Future()
    failed.set_exception(ValueError("x"))
    with pytest.raises(ValueError, match="^x$"):
        failed.wait()
    with pytest.raises(RuntimeError, match="^Got the following error when running the callback: ValueError: x"):
        failed.then(lambda done: done.wait()).wait()
    pair = [Future(), Future()]
    together = collect_all(pair)
    for i, one in enumerate(pair):
        one.set_result(i)
    assert [one.value() for one in together.wait()] == wait_all(pair) == [0, 1] and wait_all([]) == []
    with pytest.raises(AssertionError, match="3 is of type <class 'int'>, not an Exception"):
        Future().set_exception(3)


def test_a_function_for_each_element():
    x = karat.eye(2)
    assert x.apply_(lambda v: v + 1) is x and x.tolist() == [[2, 1], [1, 2]]
    assert x.map_(x, lambda a, b: a * 2 + b).tolist() == [[6, 3], [3, 6]]
    assert x.map2_(karat.ones(2, 2), karat.ones(1, 2), lambda a, b, c: a + b + c).tolist() == [[8, 5], [5, 8]]
    assert x.int().apply_(lambda v: v * 2.7).tolist() == [[21, 13], [13, 21]]
    x.t().apply_(lambda v: v / 2)
    assert x[0, 0] == 4 and (x + 1j).apply_(lambda v: v * 1j)[0, 0].item() == -1 + 4j
    for call, kind, text in ((lambda: karat.ones(2, requires_grad=True).apply_(abs), RuntimeError, "^Can't call apply_"),
                             (lambda: x.map_(karat.ones(2, requires_grad=True), max), RuntimeError, "^Can't call map_"),
                             (lambda: x.map2_(x, karat.ones(2, requires_grad=True), max), RuntimeError, "^Can't call map2_"),
                             (lambda: x.apply_(3), TypeError, "^'int' object is not callable$"),
                             (lambda: x.apply_(lambda v: "a"), TypeError, "must be real number, not str"),
                             (lambda: x.long().apply_(lambda v: "3"), TypeError, "^'str' object cannot be interpreted as an int"),
                             (lambda: x.bool().apply_(lambda v: "x"), TypeError, "^'str' object cannot be interpreted as an int"),
                             (lambda: (x + 1j).apply_(lambda v: "3"), TypeError, "must be real number, not str"),
                             (lambda: x.map_(x.double(), max), TypeError,
                              r"^map_: expected torch\..*FloatTensor for 'other' \(got torch\..*DoubleTensor\)$"),
                             (lambda: x.map_(3, max), TypeError, r"^map_\(\): argument 'other' \(position 1\) must be Tensor"),
                             (lambda: x.map_(karat.ones(3), max), RuntimeError, "^The expanded size of the tensor")):
        with pytest.raises(kind, match=text):
            call()


def test_functions_that_were_removed_name_their_successor():
    for name in ("symeig", "eig", "solve", "lstsq", "matrix_rank"):
        with pytest.raises(RuntimeError, match=r"(?s)^This function was deprecated since version 1\.9 and is now.*linalg"):
            getattr(karat, name)(karat.eye(2))
    with pytest.raises(RuntimeError, match="now removed"):
        karat.eye(2).symeig()
