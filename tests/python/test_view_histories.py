"""The history of views whose base was written to, detached, or given other memory, and the writes that they count."""

import pytest

import karat


def moved(tensor):
    tensor.data = karat.tensor([5.0, 6.0, 7.0]) if tensor.numel() == 3 else karat.tensor([8.0, 9.0])


def set_elsewhere(tensor):
    with karat.no_grad():
        tensor.set_(karat.full_like(tensor, 4.0))


AFTERWARDS = {
    "detach_": lambda base, view: base.detach_(),
    "data of the base": lambda base, view: moved(base),
    "data of the view": lambda base, view: moved(view),
    "set_ of the base": lambda base, view: set_elsewhere(base),
    "both": lambda base, view: (moved(base), moved(view), base.detach_()),
    "the base is dropped": lambda base, view: None,
}


@pytest.mark.parametrize("afterwards", AFTERWARDS.values(), ids=AFTERWARDS)
@pytest.mark.parametrize("plain", [False, True])
@pytest.mark.parametrize("writes", [1, 2])
def test_a_view_that_was_written_through_keeps_the_history_of_the_write(afterwards, plain, writes):
    x, factor = karat.tensor([1.0, 2.0, 3.0], requires_grad=True), karat.tensor(2.0, requires_grad=True)
    base = karat.tensor([1.0, 2.0, 3.0]) if plain else x * 1
    view = base[1:][:2]
    for _ in range(writes):
        view.mul_(factor)
    afterwards(base, view)
    del base
    assert view.requires_grad and not view.is_leaf
    assert view.grad_fn.name() == "AsStridedBackward0"
    view.sum().backward()
    assert factor.grad.item() == {1: 5.0, 2: 20.0}[writes]
    assert x.grad is None if plain else x.grad.tolist() == [0.0, 2.0 ** writes, 2.0 ** writes]


def test_the_history_of_a_write_is_made_in_any_mode_and_of_complex_and_negated_parts():
    x = karat.tensor([1 + 2j, 3 - 1j], requires_grad=True)
    base = x * 1
    view = base.conj().imag[1:]
    view.mul_(3.0)
    base.detach_()
    with karat.no_grad():
        assert view.grad_fn.name() == "AsStridedBackward0"
    view.sum().backward()
    assert x.grad.tolist() == [0j, -3j]


def test_hooks_of_the_base_are_not_those_of_the_view_that_was_written_through():
    x, seen = karat.ones(3, requires_grad=True), []
    base = x * 1
    view = base[1:]
    view.mul_(2)
    base.register_hook(lambda g: seen.append("base"))
    view.register_hook(lambda g: seen.append("view"))
    view.sum().backward(retain_graph=True)
    assert seen == ["view", "base"]
    base.sum().backward()
    assert seen == ["view", "base", "base"]


def changed(tensor, how):
    if how == "data":
        tensor.data = karat.zeros(tensor.shape)
    elif how == "resize_":
        tensor.resize_(100)
    else:
        with karat.no_grad():
            tensor.set_(karat.zeros(tensor.shape))


@pytest.mark.parametrize("elements", [3, 50])
@pytest.mark.parametrize("how", ["data", "set_", "resize_"])
def test_views_count_the_writes_of_a_tensor_that_got_other_memory(how, elements):
    base = karat.ones(elements)
    view, detached = base[1:], base.detach()
    changed(base, how)
    before = base._version
    assert view._version == detached._version == before == (0 if how == "data" else 1)
    base.add_(1)
    assert view._version == detached._version == base[:1]._version == before + 1
    view.add_(1)
    assert base._version == before + 2
    part = base[:2]
    del base, detached
    view.add_(1)
    assert part._version == before + 3


def test_a_write_to_a_tensor_that_got_other_memory_is_seen_by_what_saved_its_view():
    x = karat.ones(3, requires_grad=True)
    base = karat.ones(3)
    view = base[1:]
    product = view * x[1:]
    base.data = karat.zeros(3)
    base.add_(1)
    with pytest.raises(RuntimeError, match="modified by an inplace operation"):
        product.sum().backward()


def test_a_view_follows_its_base_to_other_memory():
    x = karat.ones(3, requires_grad=True)
    base = x * 1
    view = base[1:]
    base.data = karat.tensor([5.0, 6.0, 7.0])
    base.mul_(2)
    assert view.grad_fn.name() == "AsStridedBackward0"
    view.sum().backward()
    assert x.grad.tolist() == [0.0, 2.0, 2.0]
