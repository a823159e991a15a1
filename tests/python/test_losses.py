"""softmax and the losses as a PyTorch user writes them."""

import warnings

import pytest

import karat as torch
import karat.nn.functional as F


def test_softmax_has_four_names():
    x = torch.tensor([[1.0, 2.0, 3.0], [1.0, 1.0, 1.0]])
    want = torch.softmax(x, 1)
    assert want.sum(1).tolist() == pytest.approx([1.0, 1.0])
    for other in (x.softmax(1), F.softmax(x, 1), torch.special.softmax(x, 1), torch.softmax(input=x, dim=-1)):
        assert other.tolist() == want.tolist()
    assert x.log_softmax(dim=1).exp().tolist()[0] == pytest.approx(want.tolist()[0])
    assert F.softmin(-x, dim=1).tolist() == want.tolist()


def test_softmax_dtypes():
    whole = torch.tensor([1, 2])
    assert F.softmax(whole, 0, dtype=torch.float64).dtype is torch.float64
    assert torch.softmax(torch.ones(2).half(), 0, torch.float32).dtype is torch.float32
    with pytest.raises(NotImplementedError, match="\"softmax_lastdim_kernel_impl\" not implemented for 'Long'"):
        F.softmax(whole, -1)
    x = torch.ones(2, 2).half().requires_grad_()
    y = torch.log_softmax(x, 0, dtype=torch.float32)
    assert y.grad_fn.name() == "LogSoftmaxBackward0"
    y.sum().backward()
    assert x.grad.dtype is torch.float16


def test_softmax_without_a_dim():
    with warnings.catch_warnings(record=True) as said:
        warnings.simplefilter("always")
        assert F.softmax(torch.zeros(2, 4)).tolist() == [[0.25] * 4] * 2
        assert F.softmin(torch.zeros(2, 4, 1)).tolist() == [[[0.5]] * 4] * 2
    assert [str(w.message) for w in said] == [
        f"Implicit dimension choice for {name} has been deprecated. Change the call to include dim=X as an argument."
        for name in ("softmax", "softmin")]
    with pytest.raises(TypeError, match="softmax\\(\\) received an invalid combination of arguments"):
        torch.softmax(torch.ones(2))


def test_distances_warn_of_sizes_and_old_words():
    x, y = torch.ones(2, 3), torch.zeros(3)
    with warnings.catch_warnings(record=True) as said:
        warnings.simplefilter("always")
        assert F.mse_loss(x, y).item() == 1.0
        assert F.l1_loss(x, x, size_average=False).item() == 0.0
        assert F.smooth_l1_loss(x, x, reduce=False).shape == (2, 3)
    assert [str(w.message) for w in said] == [
        "Using a target size (torch.Size([3])) that is different to the input size (torch.Size([2, 3])). This will likely lead "
        "to incorrect results due to broadcasting. Please ensure they have the same size.",
        "size_average and reduce args will be deprecated, please use reduction='sum' instead.",
        "size_average and reduce args will be deprecated, please use reduction='none' instead."]


def test_distances_find_mixed_dtypes_on_the_way_back():
    x = torch.ones(3).half().requires_grad_()
    loss = F.mse_loss(x, torch.ones(3))
    assert loss.dtype is torch.float32 and loss.grad_fn.name() == "MseLossBackward0"
    with pytest.raises(RuntimeError, match="Found dtype Float but expected Half"):
        loss.backward()
    F.l1_loss(x, torch.zeros(3)).backward()
    assert x.grad.dtype is torch.float16
    assert not hasattr(torch.Tensor, "mse_loss")
