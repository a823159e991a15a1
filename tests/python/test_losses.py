"""softmax and the losses as a PyTorch user writes them."""

import warnings

import cast_first
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


def test_cross_entropy():
    logits = torch.tensor([[2.0, 0.5, -1.0], [0.0, 1.0, 0.0], [1.0, 1.0, 3.0]], requires_grad=True)
    y = torch.tensor([0, 2, 2])
    loss = F.cross_entropy(logits, y)
    assert loss.item() == pytest.approx(0.67742, abs=1e-4) and loss.grad_fn.name() == "NllLossBackward0"
    assert loss.item() == pytest.approx(F.nll_loss(F.log_softmax(logits, 1), y).item())
    assert F.cross_entropy(logits, F.one_hot(y, 3).float()).item() == pytest.approx(loss.item())
    assert F.cross_entropy(logits, y, torch.tensor([1.0, 2.0, 0.5]), reduction="sum").item() == pytest.approx(1.1368, abs=1e-4)
    loss.backward()
    assert logits.grad.sum(1).tolist() == pytest.approx([0.0] * 3, abs=1e-6)
    with pytest.raises(RuntimeError, match="expected scalar type Long but found Int"):
        F.cross_entropy(logits, y.int())
    with pytest.raises(IndexError, match="Target 3 is out of bounds."):
        F.cross_entropy(logits, y + 1)


def test_binary_cross_entropy():
    z, t = torch.tensor([2.0, -1.0, 0.5], requires_grad=True), torch.tensor([1.0, 0.0, 1.0])
    loss = F.binary_cross_entropy_with_logits(z, t, pos_weight=torch.tensor(2.0))
    assert loss.grad_fn.name() == "BinaryCrossEntropyWithLogitsBackward0"
    loss.backward()
    assert z.grad.shape == (3,)
    assert F.binary_cross_entropy(z.detach().sigmoid(), t).item() == pytest.approx(
        F.binary_cross_entropy_with_logits(z, t).item(), abs=1e-6)
    assert torch.binary_cross_entropy_with_logits(z, t).shape == (3,)
    yes, turns = torch.tensor([True] * 3), torch.ones(3, dtype=torch.complex64)
    with pytest.raises(RuntimeError, match="with a bool tensor is not supported"):  # what is said of pos_weight - 1
        F.binary_cross_entropy_with_logits(z, yes, pos_weight=yes)
    with pytest.raises(RuntimeError, match="ComplexFloat can't be cast to the desired output type Float"):
        F.binary_cross_entropy_with_logits(z, turns, pos_weight=turns)
    with pytest.raises(RuntimeError, match="result type Float can't be cast to the desired output type Long"):
        F.binary_cross_entropy_with_logits(z, t.long())
    with pytest.raises(RuntimeError, match="Found dtype Long but expected Float"):
        F.binary_cross_entropy(z.detach().sigmoid(), t.long())


def test_kl_div():
    q, p = torch.tensor([0.5, 0.5]).log(), torch.tensor([0.9, 0.1])
    assert F.kl_div(q, p, reduction="sum").item() == pytest.approx(0.3681, abs=1e-4)
    assert torch.kl_div(q, p).shape == (2,)
    with pytest.warns(UserWarning, match="'batchmean' divides only by the batch size"):
        F.kl_div(q, p)


@pytest.mark.parametrize("dtype", [torch.float32, torch.bfloat16, torch.float16])
@pytest.mark.parametrize("reduction", ["mean", "sum", "none"])
def test_cross_entropy_in_one_pass_gives_the_numbers_of_its_parts(dtype, reduction):
    """Also where log_softmax would have rounded in between; lines with gaps, ignored ones, weights, a line of one class. Sums of
    float32 may be added in another order."""
    for rows, classes in ((1, 1), (5, 7), (17, 1000), (3, 5001)):
        x = (torch.arange(rows * 2 * classes) * 37 % 101 / 9 - 5).reshape(rows * 2, classes).to(dtype)[::2]
        named = torch.arange(rows) * 5 % classes
        named[1::3] = -100
        for weight in (None, torch.linspace(0.5, 2, classes).to(dtype)):
            a, b = x.clone().requires_grad_(), x.detach().requires_grad_()
            at_once = F.cross_entropy(b, named, weight, reduction=reduction)
            parts = F.nll_loss(F.log_softmax(a, 1), named, weight, reduction=reduction)
            assert at_once.grad_fn.name() == parts.grad_fn.name() == "NllLossBackward0"
            up = torch.full_like(parts, 0.75)
            at_once.backward(up)
            parts.backward(up)
            for one, other in ((at_once, parts), (a.grad, b.grad)):
                assert torch.allclose(one, other, rtol=1e-6, atol=1e-9) if dtype == torch.float32 else torch.equal(one, other)


def test_cross_entropy_twice_differentiated():
    x = torch.tensor([[0.5, -1.0, 2.0], [1.5, 0.25, -0.75]], dtype=torch.float64, requires_grad=True)
    named, slopes = torch.tensor([2, 0]), []
    for loss in (F.cross_entropy(x, named), F.nll_loss(F.log_softmax(x, 1), named)):
        (slope,) = torch.autograd.grad(loss, x, create_graph=True)
        slopes.append((slope, *torch.autograd.grad((slope * slope).sum(), x)))
    for one, other in zip(*slopes):
        assert torch.allclose(one, other, rtol=1e-14, atol=1e-16)


@pytest.mark.parametrize("classes", [1, 5, 16, 47, 1024, 1040, 2055])
@pytest.mark.parametrize("far", [0, 120, float("inf")])
def test_what_flows_back_from_cross_entropy_near_and_far(classes, far):
    torch.manual_seed(classes)
    x, t = torch.randn(6, classes), torch.randint(0, classes, (6,))
    x[2, classes // 2] -= far
    ours, exact = (x.detach().to(d).requires_grad_() for d in (torch.float32, torch.float64))
    for leaf in (ours, exact):
        F.cross_entropy(leaf, t, reduction="sum").backward()
    assert torch.allclose(ours.grad.double(), exact.grad, rtol=1e-5, atol=1e-7, equal_nan=True)


def test_a_nan_among_logits_spoils_its_line_alone():
    x = torch.randn(3, 100)
    x[1, 7] = float("nan")
    x.requires_grad_()
    F.cross_entropy(x, torch.tensor([1, 2, 3])).backward()
    assert x.grad.isnan().all(1).tolist() == [False, True, False] and not x.grad[::2].isnan().any()


def test_multilabel_margin_gradients_are_row_major():
    x = torch.randn(7, 4).t().requires_grad_()
    (g,) = torch.autograd.grad(F.multilabel_margin_loss(x, torch.zeros(4, 7, dtype=torch.int64)), x)
    assert g.stride() == (7, 1)


@pytest.mark.parametrize("weight", [None, torch.ones(5, 4)])
def test_binary_cross_entropy_lies_as_the_input(weight):
    dense, turned = torch.rand(5, 4), torch.rand(4, 5).t()
    for x, t, strides in (dense, turned, (4, 1)), (turned, dense, (1, 5)), (torch.rand(4).expand(5, 4), turned, (4, 1)):
        assert F.binary_cross_entropy(x, t, weight, reduction="none").stride() == strides


@pytest.mark.cpu_only("a device takes other dtypes")
@pytest.mark.parametrize("log_target", [False, True])
@pytest.mark.parametrize("exact", [torch.bool, torch.uint8, torch.int64])
@pytest.mark.parametrize("other", [torch.bool, torch.int64, torch.bfloat16, torch.float32, torch.float64, torch.complex64])
def test_permissive_takes_integers_for_kl_div(exact, other, log_target):
    if exact == other:
        return
    whole, parts = torch.tensor([0, 1, 1, 0]).to(exact), torch.tensor([0.2, 0.3, 1.5, 0.0]).to(other)
    for reduction in "none", "batchmean":
        run = lambda x, y: F.kl_div(x, y, reduction=reduction, log_target=log_target)
        cast_first.is_as_cast_first(run, whole, parts)
        cast_first.is_as_cast_first(run, parts, whole)


NARROW = (torch.float16, torch.bfloat16)


@pytest.mark.parametrize("dtype", NARROW)
@pytest.mark.parametrize("shape", [(5,), (3, 5), (1, 5), (0, 5), (3, 5, 2), (2, 5, 2, 2), (2, 5, 1, 2, 2)])
@pytest.mark.parametrize("reduction", ["mean", "sum", "none"])
def test_class_losses_of_narrow_floats_have_gradients_in_every_rank(dtype, shape, reduction):
    """Beside the same loss of the same numbers in float32: the gradient has the input's dtype and the loss's value."""
    torch.manual_seed(len(shape))
    scores, weight = torch.randn(shape).to(dtype), torch.tensor([1.0, 0.5, 2.0, 0.25, 1.5])
    target = torch.randint(0, 5, shape[:1] + shape[2:] if len(shape) > 1 else ())
    for weighted in (False, True):
        for options in ({}, {"ignore_index": 1}, {"label_smoothing": 0.1}, {"nll": True}):
            options = dict(options)
            loss = F.nll_loss if options.pop("nll", False) else F.cross_entropy
            seen = []
            for given in (dtype, torch.float32):
                x = scores.clone().to(given).detach().requires_grad_()
                y = loss(x, target, weight.to(given) if weighted else None, reduction=reduction, **options)
                y.sum().backward()
                assert y.dtype is x.grad.dtype is given
                seen.append(x.grad.float())
            torch.testing.assert_close(seen[0], seen[1], rtol=0.1, atol=0.02, equal_nan=True)


@pytest.mark.parametrize("narrow", NARROW)
def test_a_narrow_loss_of_wide_logits_has_wide_slopes(narrow):
    """The loss has the target's dtype; its share of each element is divided in the logits'."""
    x, y = torch.linspace(-2, 2, 5, requires_grad=True), torch.tensor([0.0, 1.0, 0.5, 0.25, 1.0], dtype=narrow)
    F.binary_cross_entropy_with_logits(x, y).backward()
    want = (x.detach().double().sigmoid() - y.double()) / 5
    torch.testing.assert_close(x.grad.double(), want, rtol=1e-6, atol=1e-8)
