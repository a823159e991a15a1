"""t_, transpose_, squeeze_, unsqueeze_: self becomes a view of itself, with its memory and its history."""

import pytest

import karat


def test_sizes_change_and_memory_stays():
    x = karat.arange(6.0)
    address, other = x.data_ptr(), x.view(2, 3)
    assert x.unsqueeze_(0) is x and x.shape == (1, 6) and x.unsqueeze_(-1).shape == (1, 6, 1)
    assert x.squeeze_(0).shape == (6, 1) and x.squeeze_(0).shape == (6, 1) and x.squeeze_().shape == (6,)
    assert x.unsqueeze_(0).unsqueeze_(0).squeeze_((0, 1)).shape == (6,)
    other[0, 0] = 7
    assert x[0] == 7 and x.data_ptr() == address and x._version == 9  # eight changes of its own and one through a view
    m = karat.arange(6).view(2, 3).clone()
    assert m.t_().tolist() == [[0, 3], [1, 4], [2, 5]] and m.stride() == (1, 3) and not m.is_contiguous()
    assert m.transpose_(0, 1).shape == (2, 3) and m.is_contiguous()
    assert m.swapaxes_(0, 1).shape == (3, 2) and m.swapdims_(-1, 0).shape == (2, 3)
    part = karat.zeros(4, 3)[1:3]
    part.t_().fill_(1)
    assert part._base.sum() == 6 and part._base[0].sum() == 0


def test_the_history_goes_on():
    w = karat.tensor([1.0, 2.0, 3.0], requires_grad=True)
    y = (w * 2).unsqueeze_(0)
    assert y.grad_fn.name().startswith("Unsqueeze") and y.requires_grad and not y.is_leaf
    z = (y * karat.tensor([[1.0], [10.0]])).t_().squeeze_()
    z[:, 1].sum().backward()
    assert z.shape == (3, 2) and w.grad.tolist() == [20, 20, 20]
    kept = w * w
    other = kept.exp()  # saves its result, not kept
    kept.unsqueeze_(1)
    (kept.sum() + other.sum() * 0).backward()
    assert w.grad.tolist() == [22, 24, 26]
    with karat.no_grad():
        w.unsqueeze_(0)
    assert w.shape == (1, 3) and w.is_leaf


def test_what_was_saved_is_not_used():
    x = karat.ones(2, requires_grad=True)
    y = x * 1
    z = y * y
    y.unsqueeze_(0)
    with pytest.raises(RuntimeError, match="modified by an inplace operation"):
        z.sum().backward()


def test_what_is_refused():
    leaf = karat.ones(2, 2, requires_grad=True)
    with pytest.raises(RuntimeError, match="a leaf Variable that requires grad is being used in an in-place operation"):
        leaf.t_()
    with pytest.raises(NotImplementedError, match="unsqueeze_ of a view with a history"):
        (leaf * 1)[0].unsqueeze_(0)
    with pytest.raises(NotImplementedError, match="inside vmap"):
        karat.vmap(lambda row: row.unsqueeze_(0))(karat.ones(2, 3))
    with pytest.raises(IndexError, match="Dimension out of range"):
        karat.ones(2).unsqueeze_(3)
    with pytest.raises(RuntimeError, match=r"t\(\) expects a tensor with <= 2 dimensions"):
        karat.ones(2, 2, 2).t_()
    assert leaf.shape == (2, 2)
