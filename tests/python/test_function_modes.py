"""torch.overrides.TorchFunctionMode: it sees calls of functions, methods, operators and attributes, and may answer them."""

import threading

import karat as torch
import pytest
from karat.overrides import BaseTorchFunctionMode, TorchFunctionMode, _get_current_function_mode_stack


class Names(TorchFunctionMode):
    def __init__(self):
        super().__init__()
        self.seen = []

    def __torch_function__(self, func, types, args=(), kwargs=None):
        self.seen.append(getattr(func, "__name__", str(func)))
        return func(*args, **(kwargs or {}))


def test_it_sees_functions_methods_operators_and_attributes():
    x = torch.ones(2, 3)
    with Names() as names:
        torch.add(x, x)
        x.sum()
        x + 1
        1 - x
        -x
        x += 1
        x[0]
        x[0] = 2
        x.shape
        torch.zeros(3)
        torch.nn.functional.softmax(x, dim=1)
        x.numel()
    before = list(names.seen)
    torch.add(x, x)
    assert names.seen == before
    for name in ("add", "sum", "__get__", "__getitem__", "__setitem__", "zeros", "softmax", "numel"):
        assert name in before, name
    assert any("sub" in name for name in before) and any("neg" in name for name in before)


def test_the_innermost_is_first_and_is_out_of_sight_while_it_answers():
    order = []

    class Tagged(TorchFunctionMode):
        def __init__(self, tag):
            self.tag = tag

        def __torch_function__(self, func, types, args=(), kwargs=None):
            order.append(self.tag)
            return func(*args, **(kwargs or {}))

    with Tagged("outer"), Tagged("inner"):
        assert [one.tag for one in _get_current_function_mode_stack()] == ["outer", "inner"]
        torch.add(torch.ones(1), 1)
    assert order[-2:] == ["inner", "outer"] and not _get_current_function_mode_stack()


def test_it_may_answer_and_may_fail():
    class Answers(TorchFunctionMode):
        def __torch_function__(self, func, types, args=(), kwargs=None):
            if func is torch.add:
                return "answer"
            if func is torch.mul:
                raise ValueError("no products")
            return func(*args, **(kwargs or {}))

    x = torch.ones(2)
    with Answers():
        assert torch.add(x, x) == "answer"
        with pytest.raises(ValueError, match="no products"):
            torch.mul(x, x)
        assert torch.sub(x, x).tolist() == [0, 0]
    assert torch.mul(x, x).tolist() == [1, 1]


def test_declining_and_a_mode_without_an_answer():
    class Declines(TorchFunctionMode):
        def __torch_function__(self, func, types, args=(), kwargs=None):
            return NotImplemented

    x = torch.ones(2)
    with Declines(), pytest.raises(TypeError, match="mode object"):
        torch.add(x, x)
    with TorchFunctionMode(), pytest.raises(NotImplementedError):
        torch.add(x, x)
    with BaseTorchFunctionMode():
        assert torch.add(x, x).tolist() == [2, 2]


def test_a_subclass_is_asked_after_the_mode():
    order = []

    class Sub(torch.Tensor):
        @classmethod
        def __torch_function__(cls, func, types, args=(), kwargs=None):
            order.append("class")
            return super().__torch_function__(func, types, args, kwargs or {})

    class Mode(TorchFunctionMode):
        def __torch_function__(self, func, types, args=(), kwargs=None):
            order.append("mode")
            assert Sub in types or not types
            return func(*args, **(kwargs or {}))

    x = torch.ones(2).as_subclass(Sub)
    with Mode():
        torch.add(x, x)
    assert order[:2] == ["mode", "class"]


def test_another_thread_has_its_own():
    found = []

    def there():
        found.append((len(_get_current_function_mode_stack()), torch.add(torch.ones(1), 1).tolist()))

    with Names() as names:
        thread = threading.Thread(target=there)
        thread.start()
        thread.join()
        assert "add" not in names.seen
    assert found == [(0, [2.0])]


def test_training_inside_gives_the_same_numbers():
    def train():
        torch.manual_seed(0)
        net = torch.nn.Sequential(torch.nn.Linear(3, 4), torch.nn.ReLU(), torch.nn.Linear(4, 1))
        optimizer = torch.optim.Adam(net.parameters(), lr=0.1)
        x = torch.randn(5, 3)
        for _ in range(3):
            optimizer.zero_grad()
            loss = net(x).pow(2).mean()
            loss.backward()
            optimizer.step()
        return loss.item()

    alone = train()
    with Names():
        assert train() == alone
