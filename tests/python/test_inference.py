"""Inference tensors take part in no graph and are not written to outside of their mode; and what else autograd says."""

import karat
import pytest


def raised(function):
    with pytest.raises(Exception) as info:
        function()
    return f"{type(info.value).__name__}: {str(info.value).splitlines()[0]}"


@pytest.fixture
def y():
    with karat.inference_mode():
        return karat.ones(2)


def test_who_is_one(y):
    x = karat.ones(2)
    with karat.inference_mode():
        view, made = x.view(-1), x * 2
        with karat.inference_mode(False):
            ordinary = x * 2
        with karat.enable_grad():
            assert not (karat.ones(1, requires_grad=True) * 2).requires_grad
    assert y.is_inference() and made.is_inference() and karat.is_inference(y)
    assert not view.is_inference() and not ordinary.is_inference() and not x.is_inference()
    assert y[0].is_inference() and y.detach().is_inference() and not y.clone().is_inference() and not (y + 1).is_inference()
    assert not karat.is_inference_mode_enabled() and not karat.ones(1).is_inference()


def test_what_they_refuse(y):
    no_write = ("RuntimeError: Inplace update to inference tensor outside InferenceMode is not allowed.You can make a clone to "
                "get a normal tensor before doing inplace update.See https://github.com/pytorch/rfcs/pull/17 for more details.")
    x = karat.ones(2, requires_grad=True)
    assert raised(lambda: y.add_(1)) == raised(lambda: y.view(-1).zero_()) == no_write
    assert raised(lambda: karat.add(karat.ones(2), 1, out=y)) == raised(lambda: y.__setitem__(0, 1)) == no_write
    assert raised(lambda: x * y).startswith("RuntimeError: Inference tensors cannot be saved for backward. Please do not")
    assert (x + y).requires_grad  # nothing is saved
    assert raised(lambda: y.requires_grad_()) == (
        "RuntimeError: Setting requires_grad=True on inference tensor outside InferenceMode is not allowed.")
    assert raised(lambda: y._version) == "RuntimeError: Inference tensors do not track version counter."
    with karat.inference_mode():
        y.add_(1)
        y[0] = 5
    assert y.tolist() == [5, 3]  # the last of the refused writes put 1 + 1 there


def test_a_refused_write_is_done_as_in_pytorch(y):
    """PyTorch refuses where it counts a version, after the write, and records nothing."""
    x = karat.ones(2, requires_grad=True)
    before = y.clone()
    for change, want in ((lambda: y.add_(x), before + 1), (lambda: y.mul_(3), (before + 1) * 3), (lambda: y.zero_(), before * 0)):
        assert raised(change).startswith("RuntimeError: Inplace update to inference tensor")
        assert y.equal(want.detach()) and not y.requires_grad and y.grad_fn is None
    assert raised(lambda: y.add_(karat.ones(3))).startswith("RuntimeError: The size of tensor a (2)")  # the operator's own first
    at = karat.empty(2, dtype=karat.int64)
    assert raised(lambda: karat.sort(karat.tensor([2.0, 1.0]), out=(y, at))).startswith("RuntimeError: Inplace update")
    assert y.tolist() == [1, 2]


def test_set_grad_enabled_as_a_decorator():
    asked = karat.set_grad_enabled(False)(karat.is_grad_enabled)
    assert karat.is_grad_enabled() and asked() is False and karat.is_grad_enabled()
    assert raised(lambda: karat.set_grad_enabled(3)) == (
        "TypeError: set_grad_enabled(): argument 'enabled' (position 1) must be bool, not int")


def test_arguments_of_grad():
    x, z = karat.ones(2, requires_grad=True), karat.ones(3, requires_grad=True)
    dx, dz = karat.autograd.grad((x * 2).sum(), [x, z], materialize_grads=True)
    assert dx.tolist() == [2, 2] and dz.tolist() == [0, 0, 0]
    assert raised(lambda: karat.autograd.grad(x.sum(), [x, z], allow_unused=False, materialize_grads=True)) == (
        "ValueError: Expected allow_unused to be True or not passed when materialize_grads=True, but got: allow_unused=False.")
    with pytest.warns(FutureWarning, match="only_inputs argument is deprecated"):
        karat.autograd.grad(x.sum(), x, only_inputs=False)


def test_detach_in_place_and_grad_of_results():
    x = karat.ones(2, requires_grad=True)
    y = x * 2
    with pytest.warns(UserWarning, match="The .grad attribute of a Tensor that is not a leaf Tensor is being accessed"):
        assert y.grad is None
    assert y.detach_() is y and y.is_leaf and not y.requires_grad
    assert raised(lambda: (x * 2)[:1].detach_()).startswith("RuntimeError: Can't detach views in-place. Use detach() instead.")
    assert str(type((x * 2).grad_fn)) == "<class 'MulBackward0'>"


def test_what_set_and_copies_make_of_the_mode():
    import copy

    x = karat.ones(3)
    with karat.inference_mode():
        made, kept = karat.ones(2), copy.copy(x)
        made.set_(karat.ones(3))
    assert kept.is_inference() and copy.deepcopy(x).is_inference() is False and not copy.copy(made).is_inference()
    assert copy.copy(x).data_ptr() == x.data_ptr() and copy.copy(x)._base is None
    for given in ((), (karat.ones(2),), (karat.ones(2).untyped_storage(),)):
        with pytest.raises(RuntimeError, match="Inplace update to inference tensor outside InferenceMode is not allowed"):
            made.set_(*given)
    assert made.shape == (3,)
