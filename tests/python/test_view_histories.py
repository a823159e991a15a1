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


# ---- sizes that change without a record ----

def elsewhere(tensor, *sizes, dtype=None):
    tensor.data = karat.ones(*sizes, dtype=dtype)
    return tensor


def test_a_gradient_must_fit_what_the_node_made_not_what_became_of_it():
    x = karat.ones(3, 2, requires_grad=True)
    with pytest.raises(RuntimeError, match=r"Function SumBackward0 returned an invalid gradient at index 0 - got \[2\] but "
                                           r"expected shape compatible with \[3, 2\]"):
        elsewhere(x.sin(), 2).sum().backward()
    with pytest.raises(RuntimeError, match=r"^invalid gradient at index 0 - got \[2\] but expected shape compatible with \[3, "):
        elsewhere(x.sin(), 2).backward(karat.ones(2))
    assert x.grad is None
    with pytest.raises(RuntimeError, match="Function torch::autograd::CopySlices returned an invalid gradient"):
        y = elsewhere(x.sin(), 2)
        y[:1] = 4.0
        y.sum().backward()
    narrow = karat.ones(3, 1, requires_grad=True)
    elsewhere(narrow * 3, 3, 2).sum().backward()  # sums to the old sizes
    assert narrow.grad.tolist() == [[6.0]] * 3
    elsewhere(x * 2, 3, 2, dtype=karat.float64).sum().backward()
    assert x.grad.dtype is karat.float32 and x.grad.tolist() == [[2.0, 2.0]] * 3
    several = karat.ones(4, 2, requires_grad=True).topk(2, dim=0)[0]
    with pytest.raises(RuntimeError, match="invalid gradient"):
        elsewhere(several, 3).sum().backward()


def test_a_view_larger_than_the_memory_that_its_base_got_has_a_history_too():
    x = karat.ones(2, requires_grad=True)
    base = karat.ones(3, 3)
    view = base[:]
    base.data = (x * 1).data
    base.mul_(x)
    assert not view.is_leaf and view.grad_fn.name() == "AsStridedBackward0"


# ---- what may be written to ----

@pytest.mark.parametrize("refused", ["leaf", "one of several views"])
def test_a_list_is_refused_before_its_first_tensor_is_written_to(refused):
    first, x = karat.ones(2), karat.ones(2, requires_grad=True)
    second = x if refused == "leaf" else (x * 1).split(1)[0]
    with pytest.raises(RuntimeError, match="in-place|inplace"):
        karat._foreach_add_([first, second], 1.0)
    assert first.tolist() == [1.0, 1.0] and first._version == 0


def test_requires_grad_is_set_of_leaves_alone():
    y = karat.ones(2, requires_grad=True) * 1
    for value in (True, False):
        with pytest.raises(RuntimeError, match="you can only change requires_grad flags of leaf variables"):
            y.requires_grad = value
    assert y.requires_grad_() is y


@pytest.mark.parametrize("change", [lambda t: t.unsqueeze_(0), lambda t: t.t_(), lambda t: t.transpose_(0, 1),
                                    lambda t: t.squeeze_(), lambda t: t.as_strided_((1,), (1,)),
                                    lambda t: t.swapaxes_(0, 1), lambda t: t.resize_(1)])
def test_a_tensor_of_inference_mode_does_not_become_a_view_of_itself(change):
    with karat.inference_mode():
        t = karat.ones(2, 2)
        inside = karat.ones(2, 2)
        change(inside)
    with pytest.raises(RuntimeError, match="Inplace update to inference tensor outside InferenceMode is not allowed"):
        change(t)
    assert t.shape == (2, 2) and t.stride() == (2, 1)


class Doubled(karat.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        return x * 2

    @staticmethod
    def backward(ctx, g):
        return g * 2


class Part(karat.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        return x[:1]

    @staticmethod
    def backward(ctx, g):
        return karat.cat([g, g * 0])


def test_views_of_a_view_that_a_function_gave_are_refused_in_its_words():
    part = Part.apply(karat.ones(2, requires_grad=True) * 1)
    for view in (part, part[:], part[0]):
        with pytest.raises(RuntimeError, match="is a view and is being modified inplace. This view was created inside a custom"):
            view.mul_(2)


def test_a_function_of_a_view_that_nothing_follows_asks_for_a_gradient_all_the_same():
    base = karat.ones(2)
    view = base[:]
    base.requires_grad_()
    y = Doubled.apply(view)
    assert view.requires_grad and y.requires_grad and y.grad_fn.name() == "DoubledBackward"
    y.sum().backward()
    assert base.grad is None


def test_set_names_dtypes_as_it_does_elsewhere():
    with pytest.raises(RuntimeError, match=r"type c10::complex<float> to a tensor of type float$"):
        karat.ones(2).set_(karat.ones(2) * 1j)
