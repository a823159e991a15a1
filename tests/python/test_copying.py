"""pickle, copy, deepcopy; device strings."""

import copy
import pickle

import pytest

import karat


@pytest.mark.parametrize("name", sorted({str(d)[6:] for d in karat._karat.dtypes.values()}))
def test_every_dtype(name):
    x = karat.arange(6.0).reshape(2, 3).to(getattr(karat, name))
    y = pickle.loads(pickle.dumps(x))
    assert y.dtype is x.dtype and y.shape == x.shape and y.tolist() == x.tolist() and y.data_ptr() != x.data_ptr()


def test_what_is_kept():
    x = karat.arange(6.0).reshape(2, 3)
    x.note = "hi"
    for again in (pickle.loads(pickle.dumps(x)), copy.deepcopy(x), copy.copy(x)):
        assert again.note == "hi" and again.tolist() == x.tolist()
    assert pickle.loads(pickle.dumps(x.T)).stride() == (1, 3) == copy.deepcopy(x.T).stride()
    assert pickle.loads(pickle.dumps(x[:, ::2])).tolist() == [[0.0, 2.0], [3.0, 5.0]]
    for odd in (karat.tensor(3), karat.ones(0, 2).bfloat16(), karat.tensor([1j]).conj(), karat.tensor([1j]).conj().imag):
        again = pickle.loads(pickle.dumps(odd))
        assert again.shape == odd.shape and again.dtype is odd.dtype and again.tolist() == odd.tolist()
    assert copy.copy(x).data_ptr() == x.data_ptr() != copy.deepcopy(x).data_ptr()
    one, two = copy.deepcopy([x, x])
    assert one is two


def test_gradients():
    g = karat.ones(2, requires_grad=True)
    g.sum().backward()
    assert copy.deepcopy(g).requires_grad and copy.deepcopy(g).is_leaf and copy.deepcopy(g).grad.tolist() == [1.0, 1.0]
    assert pickle.loads(pickle.dumps(g)).requires_grad
    with pytest.raises(RuntimeError, match="^Only Tensors created explicitly by the user .graph leaves. support the deepcopy"):
        copy.deepcopy(g * 2)


class Special(karat.Tensor):
    pass


def test_subclasses():
    s = Special(karat.ones(2))
    for again in (pickle.loads(pickle.dumps(s)), copy.copy(s), copy.deepcopy(s)):
        assert type(again) is Special and again.tolist() == [1.0, 1.0]


def test_device_strings():
    def text(name):
        with pytest.raises(RuntimeError) as caught:
            karat.ones(1).to(name)
        return str(caught.value).splitlines()[0]

    for name in ("float32", "cpu:a", "cpu:-1", "cpu:0:1", "cpu: 0", "cpu:"):
        assert text(name) == f"Invalid device string: '{name}'"
    assert text("") == "Device string must not be empty"
    assert text("foo").startswith("Expected one of cpu, cuda,") and text("foo").endswith("device string: foo")


def test_deep_copies_of_typed_storages_share_with_those_of_their_tensors():
    t = karat.zeros(3)
    for order in ([t, t.storage()], [t.storage(), t]):
        made = copy.deepcopy(order)
        assert made[0].data_ptr() == made[1].data_ptr() != t.data_ptr()
    storage = t.storage()
    one, same = copy.deepcopy([storage, storage])
    assert one is same and one.dtype is karat.float32
