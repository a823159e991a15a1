"""What plans say of a Python program: the operator that was called, the reason of every conversion, and the line. A test plugin
(tests/backends/plans) watches and writes each plan down as one line of text."""

import copy
import ctypes
import os
import re
import threading

import karat
from on_device import DEVICE
import numpy
import pytest

BUILD = os.path.normpath(os.path.join(os.path.dirname(karat.__file__), "..", ".."))
PLUGIN = os.path.join(BUILD, "backends", "plans.so")

if not os.path.exists(PLUGIN):
    pytest.skip("the test plugins are not built", allow_module_level=True)

ctypes.CDLL(os.path.join(BUILD, "lib", "libkarat.so.0"), ctypes.RTLD_GLOBAL)  # whose names the plugin takes
plugin = ctypes.CDLL(PLUGIN)
plugin.plans_end.restype = ctypes.c_char_p

LINE = re.compile(r"(?P<op>[\w:]+), (?P<device>\w+):(?P<out>.*?)(?: <-(?P<into>.*))?, (?P<file>[^:,]+):(?P<line>\d+)$")


def plans(run):
    """[(operator, {(dtype, seen as, reason)}, line)] of what `run` made; every plan has a row, a reason and this file's line."""
    assert plugin.plans_begin() == 0
    try:
        run()
    finally:
        text = plugin.plans_end().decode()
    found = []
    for line in text.splitlines():
        plan = LINE.match(line)
        assert plan, line
        assert plan["file"] == "test_plans.py", line
        changes = set(re.findall(r"(\w+) as (\w+) \((\w+)\)", line))
        assert all(why != "none" for _, _, why in changes), line
        found.append((plan["op"], changes, int(plan["line"])))
    return found


def line_of(function):
    return function.__code__.co_firstlineno


def only_change(run):
    """(operator, dtype, seen as, reason) of the one conversion that `run` makes, which stands on its own line."""
    changed = [(op, *change) for op, changes, line in plans(run) for change in changes if line >= line_of(run)]
    assert len(set(changed)) == 1, changed
    return changed[0]


def test_a_value_of_no_dims():
    h, value, mask, first = karat.ones(3).half(), karat.tensor(1.5).double(), karat.tensor([True, False, True]), karat.tensor([0])
    change = ("float64", "float16", "assign")
    assert only_change(lambda: h.fill_(value)) == ("fill", *change)
    assert only_change(lambda: h.masked_fill_(mask, value)) == ("masked_fill_tensor", *change)
    assert only_change(lambda: h.index_fill_(0, first, value)) == ("index_fill_tensor", *change)
    assert only_change(lambda: h.__setitem__(mask, value)) == ("index_put", *change)


def test_casts():
    x = karat.ones(3)
    assert only_change(lambda: x.to(karat.float64)) == ("to", "float32", "float64", "explicit")
    assert only_change(lambda: x.half()) == ("to", "float32", "float16", "explicit")
    assert only_change(lambda: x.sum(dtype=karat.float64)) == ("sum", "float32", "float64", "explicit")
    wide = karat.empty(0, dtype=karat.float64)
    assert only_change(lambda: karat.sum(x, 0, dtype=karat.float64, out=wide)) == ("sum_dim", "float32", "float64", "explicit")
    assert only_change(lambda: karat.sum(x, 0, out=wide)) == ("sum_dim", "float32", "float64", "result")
    assert only_change(lambda: karat.tensor(numpy.arange(3), dtype=karat.float32)) == ("to", "int64", "float32", "explicit")
    c = karat.ones(2, dtype=karat.complex64)
    assert only_change(lambda: karat.softmax(c, 0, dtype=karat.float32)) == ("softmax", "complex64", "float32", "explicit")


def test_promotion():
    x, n = karat.ones(3), karat.ones(3, dtype=karat.int64)
    assert only_change(lambda: x + n) == ("add", "int64", "float32", "promotion")
    assert only_change(lambda: karat.float_power(x, 2)) == ("float_power", "float32", "float64", "promotion")
    i, d = karat.ones(3, dtype=karat.int32), karat.ones(3, dtype=karat.float64)
    assert only_change(lambda: i.sum()) == ("sum", "int32", "int64", "promotion")
    assert only_change(lambda: karat.cat([x, d])) == ("cat", "float32", "float64", "promotion")


def test_writes():
    x, d, h = karat.ones(3), karat.ones(3, dtype=karat.float64), karat.ones(3, dtype=karat.float16)

    def item():
        h[:] = x

    assert only_change(lambda: h.copy_(x)) == ("copy", "float32", "float16", "assign")
    assert only_change(item) == ("copy", "float32", "float16", "assign")
    assert only_change(lambda: karat.add(x, x, out=d)) == ("add", "float64", "float32", "result")


def test_gradients():
    x, d = karat.ones(3, requires_grad=True), karat.ones(3, dtype=karat.float64)
    loss = (x * d).sum()
    assert only_change(lambda: loss.backward()) == ("mul", "float64", "float32", "gradient")
    y = x * karat.ones(3, dtype=karat.float16)
    assert only_change(lambda: y.sum().backward()) == ("mul", "float16", "float32", "gradient")


def names(run):
    return {op for op, _, _ in plans(run)}


def test_backward_names_the_node():
    x, t = karat.ones(3, 3, requires_grad=True), karat.zeros(3, dtype=karat.int64)
    loss = karat.nn.functional.cross_entropy(x, t)
    assert names(lambda: loss.backward()) == {"cross_entropy"}
    b = karat.ones(3, requires_grad=True)
    total = (karat.ones(3, 3) + b).sum()
    assert names(lambda: total.backward()) == {"sum", "add"}
    again = b.exp().sum()
    assert names(lambda: again.backward()) == {"sum", "exp", "add"}  # the leaf's accumulator adds


def test_hooks_name_themselves():
    x = karat.ones(3, requires_grad=True)
    y = x * 2
    x.register_hook(lambda g: g.sin())
    y.register_hook(lambda g: g.double().cos().float())
    loss = y.sum()
    seen = plans(lambda: loss.backward())
    assert [op for op, _, _ in seen] == ["sum", "to", "cos", "to", "mul", "sin"]
    assert all(why == "explicit" for _, changes, _ in seen for _, _, why in changes)


def test_reading_has_a_line():
    """Copies that printing and numbers need; the line is the user's, not the standard library's."""
    x, c = karat.ones(3, 4), karat.ones(2, dtype=karat.complex64)
    for run in (
        lambda: str(x.t()),
        lambda: x.t().tolist(),
        lambda: c.conj().tolist(),
        lambda: float(c.conj().imag[0]),
        lambda: c.conj().imag[0].item(),
        lambda: bool(c.conj().imag[0]),
    ):
        assert {(op, line) for op, _, line in plans(run)} == {("copy", line_of(run))}
    assert names(lambda: copy.deepcopy({"x": [x]})) == {"clone"}


def test_python_functions_made_of_operators():
    x = karat.ones(3)
    read = {"copy"} if DEVICE else set()  # of the answer, which is on the device
    assert names(lambda: karat.equal(x, x)) == {"ne", "sum"} | read
    assert names(lambda: karat.allclose(x, x)) == {"isclose", "logical_not", "sum"} | read


def test_indices():
    x = karat.ones(3)
    assert only_change(lambda: x[numpy.array([0, 1], dtype=numpy.int16)]) == ("to_copy", "int16", "int64", "index")
    ops = [op for op, _, _ in plans(lambda: x[karat.tensor([True, False, True])])]
    assert ops and set(ops) <= {"index", "tensor", "scalar_tensor"} | ({"to"} if DEVICE else set())  # the mask goes there


def test_draws():
    x = karat.ones(20)
    assert {op for op, _, _ in plans(lambda: x.normal_())} == {"normal"}
    assert {op for op, _, _ in plans(lambda: karat.nn.functional.dropout(x))} == {"nn_dropout"}
    assert {op for op, _, _ in plans(lambda: karat.rand(3))} == {"rand"}


def test_lines():
    x = karat.ones(3)

    def program():
        y = x + x
        z = y * y
        return karat.exp(z)

    first = line_of(program)
    assert [(op, line - first) for op, _, line in plans(program)] == [("add", 1), ("mul", 2), ("exp", 3)]


def test_large_and_threads():
    """The line is known of what runs without the GIL, and of what other threads run."""
    x = karat.ones(200_000)

    def work():
        return x + x

    assert {(op, line) for op, _, line in plans(work)} == {("add", line_of(work) + 1)}

    def together():
        threads = [threading.Thread(target=lambda: [work() for _ in range(20)]) for _ in range(4)]
        for t in threads:
            t.start()
        for t in threads:
            t.join()

    seen = plans(together)
    assert len(seen) == 80 and {op for op, _, _ in seen} == {"add"}


def test_nothing_is_seen_without_a_watcher():
    x = karat.ones(3)
    assert plans(lambda: None) == []
    assert x + x is not None
    assert plugin.plans_begin() == 0
    assert plugin.plans_end() == b""


def test_operators_of_torch_library():
    """Plans name the operator that was called, and the line in its kernel."""
    @karat.library.custom_op("test_plans::product", mutates_args=())
    @karat.library.takes("*: float32", dtypes="PROMOTE")
    def product(a: karat.Tensor, b: karat.Tensor) -> karat.Tensor:
        return a * b

    a, b = karat.ones(3), karat.ones(3).half()
    found = plans(lambda: product(a, b))
    assert [op for op, _, _ in found] == ["test_plans::product"] * 2
    assert found[0][1] == {("float16", "float32", "promotion")}
    kernel = line_of(product._init_fn)
    assert kernel < found[1][2] <= kernel + 4
