"""t_, transpose_, squeeze_, unsqueeze_, as_strided_: self becomes a view of itself, with its memory, its history, its tangents
and its examples."""

import pytest

import karat
from karat.func import grad, jacfwd, jvp, vmap


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
    with pytest.raises(RuntimeError, match="a view of a leaf Variable that requires grad is being used in an in-place operation"):
        leaf[0].unsqueeze_(0)
    with pytest.raises(RuntimeError, match="Output 0 of UnbindBackward0 is a view and is being modified inplace"):
        (leaf * 1).unbind()[0].unsqueeze_(0)
    with karat.no_grad():
        unfollowed = (leaf * 1)[0]
    assert unfollowed.unsqueeze_(0).shape == (1, 2)
    with pytest.raises(IndexError, match="Dimension out of range"):
        karat.ones(2).unsqueeze_(3)
    with pytest.raises(RuntimeError, match=r"t_\(\) expects a tensor with <= 2 dimensions"):
        karat.ones(2, 2, 2).t_()
    assert leaf.shape == (2, 2)


WRITTEN = {  # what becomes of a tensor of sizes (1, 2, 3), in place and not
    "squeeze": (lambda x: x.squeeze_(), lambda x: x.squeeze()),
    "squeeze_dims": (lambda x: x.squeeze_((0, 1)), lambda x: x.squeeze((0, 1))),
    "unsqueeze": (lambda x: x.unsqueeze_(-1), lambda x: x.unsqueeze(-1)),
    "transpose": (lambda x: x.transpose_(0, 2), lambda x: x.transpose(0, 2)),
    "swapaxes": (lambda x: x.swapaxes_(1, 2), lambda x: x.swapaxes(1, 2)),
    "swapdims": (lambda x: x.swapdims_(0, 1), lambda x: x.swapdims(0, 1)),
    "t": (lambda x: x.squeeze_(0).t_(), lambda x: x.squeeze(0).t()),
    "several": (lambda x: x.transpose_(0, 1).mul_(2).squeeze_(), lambda x: x.transpose(0, 1).mul(2).squeeze()),
}
MADE = {
    "result": lambda w: w * 1,
    "view": lambda w: (w * 1).view(6).view(1, 2, 3),
    "part": lambda w: karat.cat([w, w])[1:],
    "turned": lambda w: (w * 1).transpose(1, 2).contiguous().transpose(1, 2),
    "complex": lambda w: karat.view_as_real(karat.complex(w, w))[..., 0],
}


def weighed(y):
    return (y * karat.arange(1.0, y.numel() + 1).view(y.shape)).sum()


@pytest.mark.parametrize("made", MADE)
@pytest.mark.parametrize("written", WRITTEN)
def test_a_followed_tensor_of_any_birth(made, written):
    in_place, plain = WRITTEN[written]
    w = karat.arange(6.0).view(1, 2, 3)
    expected = grad(lambda w: weighed(plain(MADE[made](w)) ** 2))(w)
    leaf = w.clone().requires_grad_()
    x = MADE[made](leaf)
    base, other = x._base, x[0]
    y = in_place(x)
    assert y is x and x._base is base and not x.is_leaf
    weighed(x ** 2).backward(retain_graph=True)
    assert leaf.grad.tolist() == expected.tolist()
    leaf.grad = None
    x.mul_(3)  # also through the view that is left of what it was
    weighed(x ** 2).backward(retain_graph=True)
    assert leaf.grad.tolist() == (9 * expected).tolist()
    assert other.shape == (2, 3) and other.requires_grad


@pytest.mark.parametrize("made", ("result", "view", "part"))
@pytest.mark.parametrize("written", WRITTEN)
def test_tangents_and_examples_go_along(made, written):
    in_place, plain = WRITTEN[written]
    many = karat.arange(12.0).view(2, 1, 2, 3)
    both = [lambda w, f=f: f(MADE[made](w)) ** 2 for f in (in_place, plain)]
    for transform in (lambda f: vmap(f)(many), lambda f: jvp(f, (many[0],), (karat.ones(1, 2, 3),))[1],
                      lambda f: jacfwd(f)(many[1]), lambda f: vmap(grad(lambda w: weighed(f(w))))(many),
                      lambda f: jacfwd(grad(lambda w: weighed(f(w))))(many[0])):
        one, other = transform(both[0]), transform(both[1])
        assert one.shape == other.shape and karat.equal(one, other)


def test_a_dual_argument_is_turned_as_it_is():
    def turned(x):
        x.t_()
        return x * 1

    x = karat.arange(1.0, 5.0).view(2, 2)
    assert karat.equal(jacfwd(turned)(x.clone()), jacfwd(lambda x: x.t())(x))


def test_the_gradient_that_is_kept_is_that_of_what_it_became():
    leaf = karat.arange(6.0).view(2, 3).requires_grad_()
    x, seen = leaf * 1, []
    x.register_hook(lambda g: seen.append(tuple(g.shape)))
    x.retain_grad()
    (x.t_() ** 2).sum().backward()
    assert x.retains_grad and x.grad.tolist() == (2 * leaf.t()).tolist() and seen == [(2, 3)]


def test_any_strides():
    leaf = karat.arange(6.0).requires_grad_()
    x = leaf * 1
    assert x.as_strided_((2, 2), (1, 3), 1) is x and x.tolist() == [[1, 4], [2, 5]]
    (x * karat.tensor([[1.0, 10.0], [100.0, 1000.0]])).sum().backward()
    assert leaf.grad.tolist() == [0, 1, 100, 0, 10, 1000]
    plain = karat.arange(4.0)
    assert plain.as_strided_((2,), (2,)).tolist() == [0, 2] and karat.as_strided_(plain, (4,), (1,)).tolist() == [0, 1, 2, 3]
    with pytest.raises(RuntimeError, match="mismatch in length of strides and shape"):
        plain.as_strided_((2,), (2, 1))
    with pytest.raises(RuntimeError, match="a leaf Variable that requires grad"):
        leaf.as_strided_((2,), (1,))
    assert leaf.shape == (6,)


def test_products_with_powers_in_place():
    leaf = karat.tensor([1.0, 2.0], requires_grad=True)
    x = leaf * 1
    assert x.ldexp_(karat.tensor([2, 3])) is x and x.tolist() == [4, 16]
    x.sum().backward()
    assert leaf.grad.tolist() == [4, 8] and karat.ldexp_(karat.ones(1), karat.tensor([3])).tolist() == [8]
    assert karat.ones(2).double().mul_(3).float_power_(2).tolist() == [9, 9]
    with pytest.raises(RuntimeError, match="ldexp can't be cast to the desired output type Long"):
        karat.tensor([1, 2]).ldexp_(karat.tensor([1, 2]))
    with pytest.raises(RuntimeError, match="the base given to float_power_ has dtype Float but the operation's result requires "
                                           "dtype Double"):
        karat.ones(2).float_power_(2)
    with pytest.raises(RuntimeError, match="requires dtype ComplexDouble"):
        karat.ones(2).double().float_power_(karat.ones(2) * 1j)


def test_the_base_of_a_power_in_place_is_kept_for_the_exponent():
    base, exponent = karat.tensor([[1.5], [2.0]], dtype=karat.float64), karat.tensor([[2.0], [3.0]], requires_grad=True)
    base = base * 1
    power = base.float_power_(exponent)
    assert power is base and power.tolist() == [[2.25], [8.0]] and power.grad_fn.name() == "PowBackward1"
    power.sum().backward()
    assert karat.allclose(exponent.grad, power.detach().float() * karat.tensor([[1.5], [2.0]]).log())


def test_a_copy_of_what_stands_there():
    one = karat.ones(1)
    shown = one.expand(3)
    for same in (shown, shown.detach(), one.expand(3)):
        assert shown.copy_(same) is shown
    with pytest.raises(RuntimeError, match="more than one element of the written-to tensor refers to a single memory location"):
        shown.copy_(one)
