"""x[...]: views by integers, slices, None and Ellipsis; assignment; len and iteration."""

import pytest

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
        ((..., 9), IndexError, "index 9 is out of bounds for dimension 2 with size 4"),
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
