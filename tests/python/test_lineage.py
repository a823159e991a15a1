"""Lineage from Python: records and errors name the user's lines; frames of karat's own package are not among them."""

import os
import re
import subprocess
import sys

import pytest

import karat

HERE = os.path.basename(__file__)


def line_here():
    return sys._getframe(1).f_lineno


def test_records():
    born, line = karat.tensor([1.0]), line_here()
    cast, cast_line = born.to(karat.float16), line_here()
    records = karat.lineage(cast)
    assert [r["why"] for r in records] == ["explicit", "born"]
    assert records[0]["from"] is karat.float32 and records[0]["to"] is karat.float16 and records[0]["op"] == "to"
    assert records[0]["line"] == cast_line and records[0]["file"] == __file__
    assert records[1]["from"] is None and records[1]["line"] == line and records[1]["op"] == "tensor"


def test_results_share_the_record_of_the_operand_that_decided():
    a = karat.tensor([1.0])
    assert karat.lineage(a * 2 + a) == karat.lineage(a)


def test_promotion_is_a_record():
    i = karat.tensor([1])
    promoted, line = i / 2, line_here()
    last, *_ = karat.lineage(promoted)
    assert last["from"] is karat.int64 and last["to"] is karat.float32 and last["line"] == line


def test_every_line_of_one_function_is_told_apart():
    def two():
        a = karat.ones(1).to(karat.float16)
        b = karat.ones(1).to(karat.float16)
        return a, b

    first = two.__code__.co_firstlineno
    assert [karat.lineage(t)[0]["line"] - first for t in two()] == [1, 2]


def test_many_lines_in_one_call_expression():
    t = karat.add(
        karat.ones(1).to(karat.float16),
        1.0,
    )
    line = line_here() - 1
    assert line - karat.lineage(t)[0]["line"] == 2


def test_explain_prints(capsys):
    t = karat.tensor([1.0]).half()
    karat.explain(t)
    text = capsys.readouterr().out
    assert text.splitlines()[0] == "float16[1]"
    assert re.search(r"born as float32, tensor +" + HERE + r":\d+", text)
    assert re.search(r"cast to float16, \.half\(\) +" + HERE + r":\d+", text)


def test_a_refused_mix_is_explained_with_its_lines():
    a, a_line = karat.ones(2, 3), line_here()
    b, b_line = karat.ones(3, 2).half(), line_here()
    with pytest.raises(RuntimeError) as e:
        line = line_here() + 1
        a @ b
    text = str(e.value)
    assert text.splitlines()[0] == "expected m1 and m2 to have the same dtype, but got: float != c10::Half"
    for number in (a_line, b_line, line):
        assert f"{HERE}:{number}" in text
    assert "fix:" in text


def test_a_refused_mix_is_there_as_data():
    a, b = karat.ones(2, 3), karat.ones(3, 2).to(karat.float16)
    with pytest.raises(RuntimeError) as caught:
        a @ b
    mistake = caught.value.karat
    assert mistake["op"] == "matmul"
    assert [o["name"] for o in mistake["operands"]] == ["self", "other"]
    assert [o["dtype"] for o in mistake["operands"]] == [karat.float32, karat.float16]
    assert mistake["operands"][1]["lineage"] == karat.lineage(b)
    with pytest.raises(RuntimeError) as caught:
        a + karat.ones(5)
    assert caught.value.karat["op"] == "add" and not caught.value.karat["fixes"]  # sizes, not dtypes


def test_a_policy_refusal_is_explained_with_its_lines():
    a, b = karat.ones(2), karat.arange(2)
    with karat.policy("strict"), pytest.raises((RuntimeError, TypeError)) as e:
        line = line_here() + 1
        a + b
    assert "strict" in str(e.value).splitlines()[0] and f"{HERE}:{line}" in str(e.value)


def test_own_frames_are_skipped():
    t, line = karat.arange(3), line_here()  # arange is Python in the package
    assert karat.lineage(t)[-1]["line"] == line and karat.lineage(t)[-1]["file"] == __file__

    @karat.no_grad()
    def make():
        return karat.ones(1)

    assert karat.lineage(make())[-1]["line"] == make.__wrapped__.__code__.co_firstlineno + 2


def test_generators_comprehensions_and_exec():
    made = [karat.ones(1) for _ in range(2)]
    line = line_here() - 1
    assert {karat.lineage(t)[-1]["line"] for t in made} == {line}
    made = list(karat.ones(1) for _ in range(2))
    assert {karat.lineage(t)[-1]["line"] for t in made} == {line + 3}
    scope = {"karat": karat}
    exec(compile("\n\nt = karat.ones(1)", "script of its own.py", "exec"), scope)
    (record,) = karat.lineage(scope["t"])
    assert record["file"] == "script of its own.py" and record["line"] == 3


def test_code_that_is_gone_is_still_named():
    scope = {"karat": karat}
    exec(compile("def f():\n    return karat.ones(1)\n", "gone.py", "exec"), scope)
    t = scope.pop("f")()
    scope.clear()
    import gc

    gc.collect()
    assert karat.lineage(t)[-1]["file"] == "gone.py" and karat.lineage(t)[-1]["line"] == 2


def test_large_work_without_the_gil_has_a_site():
    big = karat.ones(300_000)
    half, line = big.to(karat.float16), line_here()
    assert karat.lineage(half)[0]["line"] == line


def test_a_loop_adds_no_records():
    def step():
        return karat.lineage(karat.tensor([1.0]).half() * 2)

    assert step() == step() and len(step()) == 2


def test_wrong_arguments():
    with pytest.raises(TypeError, match=r"^explain\(\): argument 'input' \(position 1\) must be Tensor, not int$"):
        karat.explain(3)
    with pytest.raises(TypeError):
        karat.lineage(None)


def test_an_uncaught_error_shows_everything():
    script = "import karat\na = karat.ones(2, 2)\nb = a.half()\na @ b\n"
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True)
    assert done.returncode == 1
    assert "RuntimeError: expected m1 and m2 to have the same dtype, but got: float != c10::Half" in done.stderr
    assert "<string>:4" in done.stderr and "<string>:3" in done.stderr
