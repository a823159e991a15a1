"""x[...]: views by integers, slices, None, Ellipsis; index tensors, lists, arrays, masks; assignment; len, iteration, in."""

import pytest
from on_device import DEVICE

import karat


@pytest.fixture
def x():
    return karat.arange(24).reshape(2, 3, 4)


def test_integers(x):
    assert x[1].tolist() == [[12, 13, 14, 15], [16, 17, 18, 19], [20, 21, 22, 23]]
    assert x[-1, 0, 2].item() == 14
    assert x[karat.tensor(1), 2].tolist() == [20, 21, 22, 23]


def test_slices(x):
    assert x[:, 1].tolist() == [[4, 5, 6, 7], [16, 17, 18, 19]]
    assert x[0, 1:, ::2].tolist() == [[4, 6], [8, 10]]
    assert x[0, 0, -2:].tolist() == [2, 3]
    assert x[0, 0, 10:].tolist() == []


def test_ellipsis_and_none(x):
    assert x[..., 0].tolist() == [[0, 4, 8], [12, 16, 20]]
    assert x[0, ..., 3].tolist() == [3, 7, 11]
    assert x[None].shape == (1, 2, 3, 4) and x[:, None, 0].shape == (2, 1, 4)
    assert x[...].shape == (2, 3, 4) and x[...] is not x
    assert x[()].shape == (2, 3, 4)


def test_views_share_memory(x):
    x[0, 0, 0] = 100
    row = x[0, 0]
    row[1] = 200
    row += 1
    assert x[0, 0].tolist() == [101, 201, 3, 4]


def test_assignment():
    x = karat.zeros(2, 3)
    x[0] = karat.tensor([1, 2, 3])
    x[1, 1:] = 5.5
    x[:, 0] = True
    assert x.tolist() == [[1.0, 2.0, 3.0], [1.0, 5.5, 5.5]]
    with pytest.raises(TypeError):
        del x[0]
    with pytest.raises(TypeError, match="can't assign a str to a torch.FloatTensor"):
        x[0] = "a"


@pytest.mark.parametrize(
    "index, error, text",
    [
        (5, IndexError, "index 5 is out of bounds for dimension 0 with size 2"),
        (-3, IndexError, "index -3 is out of bounds for dimension 0 with size 2"),
        ((0, 7), IndexError, "index 7 is out of bounds for dimension 1 with size 3"),
        ((..., 9), IndexError, "index 9 is out of bounds for dimension 1 with size 4"),
        ((0, 0, 0, 0), IndexError, "too many indices for tensor of dimension 3"),
        (slice(None, None, -1), ValueError, "step must be greater than zero"),
        (slice(0, 1, 0), ValueError, "slice step cannot be zero"),
        (
            1.5,
            IndexError,
            "only integers, slices (`:`), ellipsis (`...`), None and long or byte Variables are valid "
            "indices (got float)",
        ),
    ],
)
def test_refusals(x, index, error, text):
    with pytest.raises(error) as e:
        x[index]
    assert str(e.value) == text


def test_no_dims():
    f = karat.tensor(1.5)
    with pytest.raises(IndexError, match="^invalid index of a 0-dim tensor. Use `tensor.item\\(\\)`"):
        f[0]
    with pytest.raises(TypeError, match="^len\\(\\) of a 0-d tensor$"):
        len(f)
    with pytest.raises(TypeError, match="^iteration over a 0-d tensor$"):
        list(f)


def test_length_and_iteration(x):
    assert len(x) == 2
    assert [row.tolist() for row in x[0]] == [[0, 1, 2, 3], [4, 5, 6, 7], [8, 9, 10, 11]]
    a, b = karat.tensor([1.0, 2.0])
    assert a.item() == 1.0 and b.item() == 2.0
    assert list(karat.ones(0)) == []


def test_gradients_go_through():
    x = karat.tensor([[1.0, 2.0], [3.0, 4.0]], requires_grad=True)
    y = sum(row[1] * 2 for row in x)
    y.backward()
    assert x.grad.tolist() == [[0.0, 2.0], [0.0, 2.0]]


# ---- tensors, lists, arrays and masks among the indices: NumPy says what is there, but for ints, which take no part ----


@pytest.fixture
def np():
    return pytest.importorskip("numpy")


FORMS = [
    "[[0, 1]]",
    "[[1, 0, 1]]",
    "[[0, 1], [2, 0]]",
    "[[0, -1], :, [3, 1]]",
    "[:, [0, 2]]",
    "[:, [0, 2], [1, 1]]",
    "[..., [0, 2]]",
    "[[[0, 1], [1, 0]]],",
    "[([0, 1], [1, 0]),]",
    "[None, [0, 1]]",
    "[[0, 1], None]",
    "[:, None, [2, 0]]",
    "[[0], ..., [1]]",
    "[[True, False]]",
    "[:, [True, False, True]]",
    "[True]",
    "[False]",
    "[..., True]",
    "[[]]",
    "[range(2)]",
    "[1:, [0, 1]]",
    "[:, ::2, [0, 1]]",
]


@pytest.mark.parametrize("form", FORMS)
def test_forms_against_numpy(np, form):
    a = np.arange(24).reshape(2, 3, 4)
    x = karat.from_numpy(a)
    want = eval("a" + form.rstrip(","), {"a": a}) if not form.startswith("[[]]") else a[np.zeros(0, int)]
    got = eval("x" + form.rstrip(","), {"x": x})
    if form.startswith("[[[0, 1]"):  # a list of lists is a tuple of them
        want = a[[0, 1], [1, 0]]
    assert got.shape == want.shape and got.tolist() == want.tolist()


def test_kinds_of_index(np, x):
    i = [1, 0]
    for index in (karat.tensor(i), karat.tensor(i, dtype=karat.int32), np.array(i), np.array(i, dtype=np.int32), i):
        assert x[index].tolist() == [x[1].tolist(), x[0].tolist()]
    mask = x > 20
    assert x[mask].tolist() == [21, 22, 23] and x[mask.cpu().numpy()].tolist() == [21, 22, 23]
    assert x[mask.to(karat.uint8)].tolist() == [21, 22, 23]
    assert x[x[:, :, 0] > 10, 1].tolist() == [13, 17, 21]
    assert x[karat.tensor(True)].shape == (1, 2, 3, 4) and x[karat.tensor(1, dtype=karat.uint8)].shape == (1, 2, 3, 4)
    assert x[karat.tensor(1, dtype=karat.int8)].shape == (3, 4)


def test_what_is_assigned(np):
    x = karat.zeros(3, 4)
    x[[0, 2]] = 1
    x[:, [1]] = karat.tensor([[5.0], [6.0], [7.0]])
    x[x == 0] = -1
    x[karat.tensor([0, 1]), karat.tensor([3, 3])] = karat.tensor([8.0, 9.0])
    x[[True, False, False], 0] = karat.ones(1, 1, 1)
    assert x.tolist() == [[1, 5, 1, 8], [-1, 6, -1, 9], [1, 7, 1, 1]]
    x[False] = 3
    assert x._version == 5
    x[karat.tensor([0, 0])] = karat.tensor([[1.0], [2.0]])  # the last wins, on a GPU some one
    assert x[0].tolist() == [2, 2, 2, 2] or DEVICE == "cuda"
    y = karat.zeros(3, dtype=karat.int64)
    y[[0]] = 1.75
    y[1:] = karat.tensor([2.5, 3.5])  # a copy converts, a put does not
    assert y.tolist() == [1, 2, 3]
    with pytest.raises(RuntimeError, match="^Index put requires the source and destination dtypes match, got Long for the "):
        y[[0]] = karat.tensor(1.5)


def test_gradients():
    x = karat.tensor([1.0, 2.0, 3.0], requires_grad=True)
    y = x[[0, 2, 2]]
    assert y.grad_fn.name() == "IndexBackward0"
    (y * y).sum().backward()
    assert x.grad.tolist() == [2, 0, 12]
    z = x * 1
    z[[1]] = 5
    assert z.grad_fn.name() == "IndexPutBackward0"
    x.grad = None
    z.sum().backward()
    assert x.grad.tolist() == [1, 0, 1]


@pytest.mark.parametrize(
    "index, error, text",
    [
        ("x[karat.tensor([5])]", IndexError, "index 5 is out of bounds for dimension 0 with size 2"),
        ("x[karat.tensor([0.5])]", IndexError, "tensors used as indices must be long, int, byte or bool tensors"),
        (
            "x[[0, 1], [0, 1, 2]]",
            IndexError,
            "shape mismatch: indexing tensors could not be broadcast together with shapes [2], [3]",
        ),
        ("x[0, 0, 0, [1]]", IndexError, "too many indices for tensor of dimension 3"),
        ("x['a']", TypeError, "new(): invalid data type 'str'"),
        ("x[2 ** 70]", ValueError, "Overflow when unpacking long long"),
        (
            "x[[True]]",
            IndexError,
            "The shape of the mask [1] at index 0 does not match the shape of the indexed tensor [2, 3, 4] at index 0",
        ),
        (
            "x.__setitem__([0], karat.ones(5, dtype=karat.int64))",
            RuntimeError,
            "shape mismatch: value tensor of shape [5] cannot be broadcast to indexing result of shape [1, 3, 4]",
        ),
        (
            "x.__setitem__(0, karat.ones(5))",
            RuntimeError,
            "The expanded size of the tensor (4) must match the existing size (5) at non-singleton dimension 1.  Target sizes: "
            "[3, 4].  Tensor sizes: [5]",
        ),
    ],
)
def test_refusals_of_index_tensors(x, index, error, text):
    with pytest.raises(error) as e:
        eval(index, {"x": x, "karat": karat})
    assert str(e.value).split("\n")[0] == text


def test_contains(x):
    assert 7 in x and 99 not in x and karat.tensor(3) in x
    with pytest.raises(RuntimeError, match="^Tensor.__contains__ only supports Tensor or scalar, but you passed in a <class"):
        "a" in x


def test_nonzero():
    m = karat.tensor([[0, 1], [2, 0]])
    assert karat.nonzero(m).tolist() == [[0, 1], [1, 0]] and m.nonzero().stride() == (1, 2)
    assert [t.tolist() for t in m.nonzero(as_tuple=True)] == [[0, 1], [1, 0]]
    assert [t.tolist() for t in karat.where(m)] == [[0, 1], [1, 0]]
    assert [t.tolist() for t in karat.tensor(1).nonzero(as_tuple=True)] == [[0]]
    with pytest.raises(NotImplementedError, match="^The register_meta function for torch.nonzero"):
        m.to("meta").nonzero()


def test_rows_of_the_table():
    x = karat.arange(6.0).reshape(2, 3)
    i = karat.tensor([[0, 2], [1, 1]])
    assert karat.gather(x, 1, i).tolist() == [[0, 2], [4, 4]]
    assert x.scatter(1, i, 9.0).tolist() == [[9, 1, 9], [3, 9, 5]]
    assert x.scatter(1, i, value=1, reduce="add").tolist() == [[1, 1, 3], [3, 6, 5]]
    assert x.scatter_add(1, i, karat.ones(2, 2)).tolist() == [[1, 1, 3], [3, 6, 5]]
    assert karat.index_select(x, 1, karat.tensor([2, 0])).tolist() == [[2, 0], [5, 3]]
    assert x.index_fill(0, karat.tensor([-1]), 8).tolist() == [[0, 1, 2], [8, 8, 8]]
    assert x.masked_fill(x > 3, -1).tolist() == [[0, 1, 2], [3, -1, -1]]
    assert x.masked_fill(x > 3, karat.tensor(-1)).tolist() == [[0, 1, 2], [3, -1, -1]]
    assert karat.masked_select(x, x > 3).tolist() == [4, 5]
    assert karat.take(x, karat.tensor([-1, 0])).tolist() == [5, 0]
    assert karat.take_along_dim(x, karat.tensor([[-1], [4]]), 1).tolist() == [[2], [4]]
    assert x.index_put_((karat.tensor([0]), karat.tensor([1])), karat.tensor(7.0)) is x and x[0, 1] == 7


def test_tables_of_rows():
    f = karat.nn.functional
    w = (karat.arange(12.0).reshape(4, 3)).requires_grad_()
    i = karat.tensor([[1, 2], [1, 0]])
    y = f.embedding(i, w, padding_idx=0)
    assert y.shape == (2, 2, 3) and y[0, 1].tolist() == [6, 7, 8] and y.grad_fn.name() == "EmbeddingBackward0"
    y.sum().backward()
    assert w.grad.tolist() == [[0] * 3, [2] * 3, [1] * 3, [0] * 3]
    w.grad = None
    f.embedding(i, w, scale_grad_by_freq=True).sum().backward()
    assert w.grad.tolist() == [[1] * 3, [1] * 3, [1] * 3, [0] * 3]
    short = w.detach().clone()
    f.embedding(karat.tensor([1]), short, max_norm=1.0)
    assert abs(short[1].norm().item() - 1) < 1e-6 and short[2].tolist() == [6, 7, 8]
    with pytest.raises(IndexError, match="^index out of range in self"):
        f.embedding(karat.tensor([4]), w)
    with pytest.raises(RuntimeError, match="^Expected tensor for argument #1 'indices' to have one of the following"):
        f.embedding(karat.zeros(2), w)


def test_one_hot_and_static():
    one_hot = karat.nn.functional.one_hot
    assert one_hot(karat.tensor([0, 2])).tolist() == [[1, 0, 0], [0, 0, 1]]
    assert one_hot(karat.tensor(1), 2).tolist() == [0, 1]
    for classes, text in ((-1, "Class values must be non-negative."), (1, "Class values must be non-negative.")):
        with pytest.raises(RuntimeError, match=text):
            one_hot(karat.tensor([-1]), classes)
    with pytest.raises(RuntimeError, match="^Class values must be smaller than num_classes."):
        one_hot(karat.tensor([3]), 2)
    assert karat.nonzero_static(karat.tensor([0, 3, 4]), size=3).tolist() == [[1], [2], [-1]]


@pytest.mark.parametrize("index", [(None, ..., ..., ..., 1), (..., ..., 0),
                                   (0, ..., ..., slice(1)), (..., ..., karat.tensor([0]))])
def test_an_ellipsis_too_many_reaches_no_dim(index):
    x = karat.zeros(2, 3, 4)
    with pytest.raises(IndexError, match="Dimension out of range"):
        x[index]
    with pytest.raises(IndexError, match="Dimension out of range"):
        x[index] = 1


def test_putting_without_an_index():
    x = karat.tensor([2])
    for values, text in ((karat.tensor([1]), "at least one index must be provided"),
                         (karat.tensor([1, 2]), "shape mismatch: value tensor of shape [2] cannot be broadcast to indexing "
                                                "result of shape [1]"),
                         (karat.tensor(1.0), "Index put requires the source and destination dtypes match, got Long for the "
                                             "destination and Float for the source.")):
        with pytest.raises(RuntimeError) as caught:
            x.index_put_((), values)
        assert str(caught.value).splitlines()[0] == text
    assert x.tolist() == [2] and karat.zeros(0).index_put_((), karat.zeros(0)).shape == (0,)
    with pytest.raises(TypeError, match="^expected Tensor as element 0 in argument 0, but got NoneType"):
        x.index_put_((None,), karat.tensor([1]))


@pytest.mark.parametrize("name", ["scatter", "scatter_add"])
def test_scattered_elements_without_a_dim_have_a_gradient(name):
    for shape, index, source, want in (((), [0], (), 2.0), ((2,), [1], (), 2.0), ((), 0, (2,), [2.0, 0.0]), ((2,), 0, (), 2.0),
                                       ((2,), 0, (2,), [2.0, 0.0]), ((), [], (), 0.0)):
        x, src = karat.ones(shape), karat.ones(source, requires_grad=True)
        y = getattr(karat, name)(x, 0, karat.tensor(index, dtype=karat.int64), src)
        assert karat.autograd.grad(y, src, karat.full_like(y, 2.0))[0].tolist() == want


@pytest.mark.parametrize("dtype", [karat.float32, karat.float64, karat.bfloat16, karat.int32, karat.int8], ids=str)
def test_rows_added_to_a_large_table_are_added_in_order(dtype):
    """Tables beyond the caches are added to part by part; duplicates in the order of the indices."""
    rows, width, n = 20_000, 300, 700
    karat.manual_seed(5)
    at = karat.cat([karat.randint(0, rows, (n - 100,)), karat.full((100,), 17)])[karat.randperm(n)]
    what = karat.randint(-9, 9, (n, width)).to(dtype)
    table = karat.zeros(rows, width, dtype=dtype).index_add_(0, at, what)
    for row in (17, int(at[0]), int(at[-1])):
        want = karat.zeros(width, dtype=dtype)
        for i in (at == row).nonzero().flatten().tolist():
            want += what[i]
        assert karat.equal(table[row], want)
    assert int((table != 0).any(1).sum()) <= at.unique().numel()


def test_gradient_of_rows_taken_from_a_large_table():
    karat.manual_seed(6)
    table = karat.randn(20_000, 256, requires_grad=True)
    at = karat.randint(0, 20_000, (3, 200))
    taken = karat.nn.functional.embedding(at, table, padding_idx=int(at[0, 0]))
    assert karat.equal(taken, table.detach()[at])
    taken.backward(karat.ones_like(taken))
    counts = karat.bincount(at.flatten(), minlength=20_000).float()
    counts[at[0, 0]] = 0
    assert karat.equal(table.grad, counts[:, None].expand(-1, 256))
    with pytest.raises(IndexError, match="index out of range in self"):
        karat.nn.functional.embedding(karat.tensor([[1, 20_000]]), table)


def test_the_diagonal_is_filled_in_place():
    assert karat.zeros(2, 3).fill_diagonal_(2).tolist() == [[2, 0, 0], [0, 2, 0]]
    assert karat.zeros(5, 2).fill_diagonal_(1, wrap=True).tolist() == [[1, 0], [0, 1], [0, 0], [1, 0], [0, 1]]
    assert karat.zeros(5, 2).fill_diagonal_(1).sum() == 2 and karat.zeros(3, 3, 3).fill_diagonal_(1).sum() == 3
    assert karat.zeros(2, 2, dtype=karat.int64).fill_diagonal_(2.5).tolist() == [[2, 0], [0, 2]]
    t = karat.zeros(4, 4)
    assert t.t()[::2].fill_diagonal_(1).sum() == 2 and t.nonzero().tolist() == [[0, 0], [1, 2]] and t._version == 1
    x = karat.ones(3, 3, requires_grad=True)
    y = (x * 2).fill_diagonal_(5)
    y.sum().backward()
    assert x.grad.tolist() == [[0, 2, 2], [2, 0, 2], [2, 2, 0]] and y.diagonal().tolist() == [5, 5, 5]
    assert karat.zeros(0, 0).fill_diagonal_(1).shape == (0, 0)
    for call, text in ((lambda: karat.zeros(3).fill_diagonal_(1), "dimensions must larger than 1"),
                       (lambda: karat.zeros(2, 3, 3).fill_diagonal_(1), "all dimensions of input must be of equal length"),
                       (lambda: karat.zeros(2, 2, dtype=karat.uint8).fill_diagonal_(300), "cannot be converted to type uint8_t"),
                       (lambda: x.fill_diagonal_(1), "a view of a leaf Variable that requires grad")):
        with pytest.raises(RuntimeError, match=text):
            call()
