"""torch.autograd.Function in forward mode: a tangent must be treated as forward treats its tensor; what has no tangent."""

import pytest

import karat
from karat.autograd import forward_ad


def _function(forward, jvp):
    return type("Own", (karat.autograd.Function,), {"forward": staticmethod(forward), "jvp": staticmethod(jvp),
                                                    "backward": staticmethod(lambda ctx, grad: grad)})


def _double_in_place(ctx, x):
    x.mul_(2)
    ctx.mark_dirty(x)
    return x


@pytest.mark.parametrize("grad", [True, False])
@pytest.mark.parametrize("jvp, good", [(lambda ctx, t: t.mul_(2), True), (lambda ctx, t: t, False),
                                       (lambda ctx, t: t.clone(), False), (lambda ctx, t: t * 2, False)])
def test_what_is_written_in_place_has_its_tangent_written_to(jvp, good, grad):
    own = _function(_double_in_place, jvp)
    with forward_ad.dual_level():
        dual = forward_ad.make_dual(karat.ones(2, requires_grad=grad).clone(), karat.ones(2))
        if good:
            assert forward_ad.unpack_dual(own.apply(dual)).tangent.tolist() == [2, 2]
        else:
            with pytest.raises(RuntimeError, match="jvp function must modify the corresponding gradient inplace"):
                own.apply(dual)


@pytest.mark.parametrize("jvp, text", [
    (lambda ctx, t: t[:2], None),
    (lambda ctx, t: t[:2].clone(), "returning a view .or an input as-is. but the jvp is not returning a view"),
    (lambda ctx, t: t[:2].clone().view(2), "not returning a view of the given grad input"),
])
def test_a_view_has_a_tangent_that_is_one(jvp, text):
    own = _function(lambda ctx, x: x[:2], jvp)
    with forward_ad.dual_level():
        dual = forward_ad.make_dual(karat.ones(4), karat.arange(4.))
        if text is None:
            assert forward_ad.unpack_dual(own.apply(dual)).tangent.tolist() == [0, 1]
            return
        with pytest.raises(RuntimeError, match=text):
            own.apply(dual)
        if "of the given" in text:
            with pytest.raises(RuntimeError, match="not returning a view of the same base as the given grad input"):
                own.apply(dual.view(4))


def test_what_cannot_have_a_tangent_has_none():
    seen = []

    def jvp(ctx, t, none):
        seen.append(none)
        return t, None

    own = _function(lambda ctx, x, n: (x.clone(), n.clone()), jvp)
    with forward_ad.dual_level():
        one, count = own.apply(forward_ad.make_dual(karat.ones(1), karat.ones(1)), karat.tensor(3))
        assert forward_ad.unpack_dual(count).tangent is None and seen == [None] and count.item() == 3
        assert forward_ad.unpack_dual(one).tangent.tolist() == [1]


def _mark(make):
    def forward(ctx, x):
        made = make(x)
        ctx.mark_dirty(made)
        return made

    return _function(forward, None)


def test_what_is_no_input_is_not_marked_dirty(recwarn):
    text = "received a tensor that was not an input"
    x = karat.ones(2, requires_grad=True).clone()
    with pytest.warns(UserWarning, match=text):
        _mark(lambda x: x.clone()).apply(x)
    with pytest.raises(RuntimeError, match=text):
        _mark(lambda x: x.clone().view(2)).apply(x)
    recwarn.clear()
    assert _mark(lambda x: x.clone().view(2)).apply(karat.ones(2)).tolist() == [1, 1] and not recwarn.list


def _with_a_constant(**settings):
    seen = []

    class Own(karat.autograd.Function):
        @staticmethod
        def forward(ctx, x):
            for name, value in settings.items():
                setattr(ctx, name, value)
            constant = x.clone()
            ctx.mark_non_differentiable(constant)
            return x.clone(), constant, x.clone()

        @staticmethod
        def backward(ctx, *grads):
            seen.extend(None if one is None else one.tolist() for one in grads)
            return grads[0]

    Own.apply(karat.ones(1, requires_grad=True))[0].sum().backward()
    return seen


def test_which_gradients_that_did_not_arrive_are_zeros():
    assert _with_a_constant() == [[1], [0], [0]]
    assert _with_a_constant(_materialize_non_diff_grads=False) == [[1], None, [0]]
    assert _with_a_constant(materialize_grads=False) == [[1], None, None]
    with pytest.raises(TypeError, match=r"set_materialize_non_diff_grads .* expected \(bool\)"):
        _with_a_constant(_materialize_non_diff_grads=3)


def test_an_input_that_is_returned_keeps_its_class():
    class Own(karat.Tensor):
        pass

    same = _function(lambda ctx, x: x, None)
    x = karat.ones(2).as_subclass(Own)
    assert type(same.apply(x)) is Own and same.apply(x) is not x and type(same.apply(karat.ones(2))) is karat.Tensor
    needs = karat.ones(2, requires_grad=True)
    y = same.apply(needs.as_subclass(Own))
    assert type(y) is Own and type(same.apply(karat.nn.Parameter(karat.ones(2)))) is karat.Tensor
    (y * 3).sum().backward()
    assert needs.grad.tolist() == [3, 3]

    class Strange(karat.Tensor):
        @classmethod
        def __torch_function__(cls, function, types, args=(), kwargs=None):
            return 7

    with pytest.raises(TypeError, match="view_as of a Strange gave no tensor, but a int"):
        same.apply(karat.ones(2).as_subclass(Strange))
