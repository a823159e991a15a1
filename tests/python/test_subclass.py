"""Subclasses of Tensor and __torch_function__: results are of the class, classes answer calls themselves."""

import copy
import gc
import pickle
import threading

import pytest

import karat
from on_device import cpu_repr


class Mine(karat.Tensor):
    pass


class Deeper(Mine):
    pass


class Other(karat.Tensor):
    pass


class Plain(karat.Tensor):
    __torch_function__ = karat._C._disabled_torch_function_impl


class Logged(karat.Tensor):
    calls = []

    @classmethod
    def __torch_function__(cls, func, types, args=(), kwargs=None):
        Logged.calls.append((func.__name__, len(args), kwargs))
        return super().__torch_function__(func, types, args, kwargs)


class Duck:
    """No tensor, but it answers."""

    @classmethod
    def __torch_function__(cls, func, types, args=(), kwargs=None):
        return func.__name__, [t.__name__ for t in types], len(args), sorted(kwargs or {})


class Silent:
    @classmethod
    def __torch_function__(cls, func, types, args=(), kwargs=None):
        return NotImplemented


def mine():
    return karat.arange(6.0).view(2, 3).as_subclass(Mine)


@pytest.mark.parametrize("call", [
    lambda x: x + 1, lambda x: 1 - x, lambda x: 2 / x, lambda x: 2**x, lambda x: 7 // x, lambda x: -x, lambda x: abs(x),
    lambda x: x == 1, lambda x: karat.ones(3) < x, lambda x: x @ x.T, lambda x: karat.ones(2, 3) * x, lambda x: x[0],
    lambda x: x[x > 1], lambda x: karat.arange(6)[x[0].long()], lambda x: x.sum(0), lambda x: karat.add(x, 1, alpha=2),
    lambda x: karat.cat([karat.ones(1, 3), x]), lambda x: x.double(), lambda x: x.to("cpu"), lambda x: x.detach(),
    lambda x: x.data, lambda x: x.mT, lambda x: x.new_tensor([1]), lambda x: x.new_zeros(2), lambda x: karat.zeros_like(x),
    lambda x: x.add_(1), lambda x: x.unbind()[1], lambda x: x.max(0).values, lambda x: list(x)[1], lambda x: x.type_as(x),
    lambda x: karat.add(x, 1, out=karat.empty(2, 3)), lambda x: copy.copy(x), lambda x: copy.deepcopy(x),
    lambda x: pickle.loads(pickle.dumps(x)), lambda x: karat.zeros(2, 3).copy_(x), lambda x: x.requires_grad_(),
])
def test_results_are_of_the_class(call):
    assert type(call(mine())) is Mine


def test_numbers_sizes_and_lists_are_what_they_are():
    x = mine()
    assert x.shape == (2, 3) and type(x.shape) is karat.Size and x.dtype is karat.float32
    assert x.tolist() == [[0, 1, 2], [3, 4, 5]] and x.sum().item() == 15 and len(x) == 2
    assert type(x._base) is karat.Tensor and type(karat.tensor([x[0, 0], 1])) is karat.Tensor
    assert cpu_repr(x.max(1)).startswith("torch.return_types.max(\nvalues=Mine([2., 5.]),\nindices=Mine([2, 2]))")


def test_in_place_and_history():
    x, leaf = mine(), karat.ones(2, requires_grad=True)
    before = x
    x += 1
    assert x is before and x.tolist() == [[1, 2, 3], [4, 5, 6]]
    view = leaf.as_subclass(Mine)
    assert view.grad_fn.name() == "AliasBackward0" and not view.is_leaf
    (view * 3).sum().backward()
    assert leaf.grad.tolist() == [3, 3] and type(leaf.grad) is karat.Tensor
    own = karat.Tensor._make_subclass(Mine, karat.ones(2), True)
    assert own.is_leaf and own.requires_grad
    (own * 2).sum().backward()
    assert type(own.grad) is karat.Tensor


def test_which_class_wins():
    x, deeper, other = mine(), mine().as_subclass(Deeper), mine().as_subclass(Other)
    assert type(x + deeper) is Deeper and type(deeper + x) is Deeper and type(karat.stack([x, deeper])) is Deeper
    assert type(other.as_subclass(Mine)) is Mine and type(x.as_subclass(karat.Tensor)) is karat.Tensor
    with pytest.raises(TypeError, match=r"unsupported operand type\(s\) for \+: 'Mine' and 'Other'"):
        x + other
    with pytest.raises(TypeError, match="Multiple dispatch failed for 'torch.add'; all __torch_function__ handlers returned"):
        karat.add(x, other)
    with pytest.raises(TypeError, match="Multiple dispatch failed for 'torch.Tensor.add'"):
        x.add(other)


def test_a_class_that_has_disabled_it():
    x = karat.ones(2).as_subclass(Plain)
    assert type(x + 1) is karat.Tensor and type(x[0]) is karat.Tensor and type(x.double()) is karat.Tensor
    assert type(x + karat.ones(2).as_subclass(Mine)) is Mine and type(copy.deepcopy(x)) is Plain


def test_what_a_class_is_told():
    x = karat.ones(2, 3).as_subclass(Logged)

    def told(call):
        Logged.calls.clear()
        call()
        return list(Logged.calls)

    assert told(lambda: x + 1) == [("add", 2, None)] and told(lambda: 1 - x) == [("__rsub__", 2, None)]
    assert told(lambda: karat.sum(x, dim=0)) == [("sum", 1, {"dim": 0})]
    assert told(lambda: x.shape) == [("__get__", 1, None)] and told(lambda: x.size(0)) == [("size", 2, None)]
    assert told(lambda: x[0]) == [("__getitem__", 2, None)] and told(lambda: x.mul_(2)) == [("mul_", 2, None)]
    assert told(lambda: x.__setitem__(0, 1.0)) == [("__setitem__", 3, None)]
    assert told(lambda: x.tolist()) == [("tolist", 1, None)] and told(lambda: x.foo if hasattr(x, "foo") else 0) == []


def test_objects_that_are_no_tensors():
    a = karat.ones(2)
    assert karat.add(Duck(), 1) == ("add", ["Duck"], 2, []) == karat.add(a, Duck())
    assert karat.sum(Duck(), dim=0) == ("sum", ["Duck"], 1, ["dim"])
    assert karat.cat([a, Duck()]) == ("cat", ["Duck"], 1, []) and a + Duck() == ("add", ["Duck"], 2, [])
    assert Duck() + a == ("add", ["Duck"], 2, []) and a.mul(Duck())[0] == "mul"
    with pytest.raises(TypeError, match=r"unsupported operand type\(s\) for \+: 'Tensor' and 'Silent'"):
        a + Silent()
    with pytest.raises(TypeError, match="Multiple dispatch failed for 'torch.Tensor.__getitem__'"):
        a[Silent()]


def test_what_a_class_raises_is_raised():
    class Raises(karat.Tensor):
        @classmethod
        def __torch_function__(cls, func, types, args=(), kwargs=None):
            raise KeyError(func.__name__)

    x = karat.ones(2).as_subclass(Raises)
    for call in (lambda: x + 1, lambda: karat.add(x, 1), lambda: x[0], lambda: x.shape, lambda: x.tolist(), lambda: -x):
        with pytest.raises(KeyError):
            call()


def test_scopes_without_it():
    x = mine()
    with karat._C.DisableTorchFunctionSubclass():
        assert type(x + 1) is karat.Tensor and type(x.double()) is karat.Tensor and type(x.T) is karat.Tensor
        seen = []
        other = threading.Thread(target=lambda: seen.append(type(mine() + 1)))
        other.start()
        other.join()
    assert type(x + 1) is Mine and seen == [Mine]  # the scope is a thread's own


def test_overrides_module():
    a, x = karat.ones(2), mine()
    o = karat.overrides
    assert o.has_torch_function((a, x)) and not o.has_torch_function((a, 1)) and o.has_torch_function_unary(x)
    assert o.has_torch_function_variadic(a, Duck()) and o.is_tensor_like(Duck()) and not o.is_tensor_like(1)
    assert type(o.handle_torch_function(karat.add, (x,), x, 1)) is Mine
    assert Mine.__torch_function__(karat.add, (Other,), (x, 1)) is NotImplemented


def test_a_class_may_define_what_it_likes():
    class Own(karat.Tensor):
        def __new__(cls, data, scale):
            return karat.as_tensor(data).as_subclass(cls)

        def __init__(self, data, scale):
            self.scale = scale

        def add(self, other):
            return "own"

        @property
        def shape(self):
            return "shape"

        def __mul__(self, other):
            return "times"

    x = Own([1.0, 2.0], 3)
    assert (x.scale, x.add(1), x.shape, x * 2) == (3, "own", "shape", "times") and type(x + 1) is Own
    assert not hasattr(x + 1, "scale") and x.size() == (2,)
    with pytest.raises(TypeError, match="takes no keyword arguments"):
        class Wrong(karat.Tensor, extra=1):
            pass


def test_refusals():
    a = karat.ones(2)
    for wrong in (lambda: a.as_subclass(int), lambda: karat.Tensor._make_subclass(int, a)):
        with pytest.raises(TypeError, match="Creating a Tensor subclass from a class that does not inherit from Tensor is not"):
            wrong()
    with pytest.raises(TypeError, match=r"cls must be a type \(got int\)"):
        a.as_subclass(1)
    with pytest.raises(TypeError, match=r"_make_subclass\(\): argument 'data' \(position 2\) must be Tensor, not int"):
        karat.Tensor._make_subclass(Mine, 1)


def test_nothing_leaks():
    def work():
        x = mine()
        for _ in range(200):
            (x + 1).sum().item(), x[0].tolist(), x.shape, karat.add(x, 1, alpha=2), list(x), copy.deepcopy(x)
            try:
                karat.add(x, x.as_subclass(Other))
            except TypeError:
                pass

    work()
    gc.collect()
    before = karat.memory_stats()["live_bytes"]
    work()
    gc.collect()
    assert karat.memory_stats()["live_bytes"] == before


class Named(karat.Tensor):
    """Its log has PyTorch's names: of an attribute "get NAME"."""

    log = []

    @classmethod
    def __torch_function__(cls, func, types, args=(), kwargs=None):
        Named.log.append(f"get {func.__self__.__name__}" if func.__name__ == "__get__" else func.__name__)
        return super().__torch_function__(func, types, args, kwargs or {})


def _named(values):
    return karat.tensor(values).as_subclass(Named)


@pytest.mark.parametrize("told, call", [  # what PyTorch 2.11 tells a class
    ("__len__", lambda x, i: len(x)), ("__bool__", lambda x, i: bool(x[0].as_subclass(Named))),
    ("__float__", lambda x, i: float(x)), ("__int__", lambda x, i: int(i)), ("__index__", lambda x, i: [1, 2, 3][i]),
    ("__complex__", lambda x, i: complex(x)),
    ("__repr__", lambda x, i: repr(x)), ("__format__", lambda x, i: f"{x}"), ("__contains__", lambda x, i: 1.0 in x),
    ("__reversed__", lambda x, i: reversed(x)), ("positive", lambda x, i: +x), ("__invert__", lambda x, i: ~i),
    ("__dir__", lambda x, i: dir(x)), ("__deepcopy__", lambda x, i: copy.deepcopy(x)),
    ("__reduce_ex__", lambda x, i: pickle.dumps(x)), ("__rdiv__", lambda x, i: 1 / x), ("bitwise_and", lambda x, i: 1 & i),
    ("bitwise_or", lambda x, i: 1 | i), ("bitwise_xor", lambda x, i: 1 ^ i), ("__iand__", lambda x, i: i.__iand__(i)),
    ("__set__", lambda x, i: setattr(x, "requires_grad", True)), ("__set__", lambda x, i: setattr(x, "data", karat.ones(1))),
    ("__delete__", lambda x, i: delattr(x, "grad")), ("type", lambda x, i: x.type()), ("unique", lambda x, i: x.unique()),
    ("untyped_storage", lambda x, i: x.untyped_storage()), ("is_shared", lambda x, i: x.is_shared()),
    ("result_type", lambda x, i: karat.result_type(x, 1)), ("numel", lambda x, i: karat.numel(x)),
    ("is_complex", lambda x, i: karat.is_complex(x)), ("einsum", lambda x, i: karat.einsum("i->i", x)),
    ("broadcast_tensors", lambda x, i: karat.broadcast_tensors(x, x)), ("get_device", lambda x, i: karat.get_device(x)),
])
def test_python_itself_asks_the_class(told, call):
    x, i = _named([1.0]), _named(1)
    Named.log.clear()
    call(x, i)
    assert Named.log[-1] == told or Named.log[0] == told


def test_answers_of_the_class_are_what_python_gets():
    class Odd(karat.Tensor):
        @classmethod
        def __torch_function__(cls, func, types, args=(), kwargs=None):
            answers = {"__len__": 7, "__bool__": True, "__contains__": 5, "__repr__": "odd", "__float__": 2.5}
            return answers.get(func.__name__, "no")

    x = karat.zeros(3).as_subclass(Odd)
    assert len(x) == 7 and bool(x) is True and (9 in x) is True and repr(x) == "odd" and float(x) == 2.5
    with pytest.raises(TypeError, match=r"__int__ returned non-int \(type str\)"):
        int(x)
    with pytest.raises(ValueError, match=r"__len__\(\) should return >= 0"):
        len(karat.zeros(3).as_subclass(type("Less", (Odd,), {"__torch_function__": classmethod(lambda *a, **k: -1)})))
    assert (karat.ones(2).as_subclass(Named) < 2).tolist() == [True, True] and type(~_named([True])) is Named
    for wrong in (lambda: _named([1.0]) + "a", lambda: _named([1.0]) @ 1, lambda: _named([1.0]) < "a"):
        Named.log.clear()
        with pytest.raises(TypeError, match="not supported between|unsupported operand"):
            wrong()
        assert Named.log == []
