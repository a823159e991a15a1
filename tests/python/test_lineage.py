"""Lineage from Python: records and errors name the user's lines; frames of karat's own package are not among them."""

import os
import re
import subprocess
import sys
import warnings

import pytest

import karat

HERE = os.path.basename(__file__)


def line_here():
    return sys._getframe(1).f_lineno


def test_records():
    born, line = karat.tensor([1.0]), line_here()
    cast, cast_line = born.to(karat.float16), line_here()
    records = karat.lineage(cast)
    assert [r["why"] for r in records] == ["born", "explicit"]  # oldest first, as every text has it
    assert records[1]["from"] is karat.float32 and records[1]["to"] is karat.float16 and records[1]["op"] == "to"
    assert records[1]["line"] == cast_line and records[1]["file"] == __file__
    assert records[0]["from"] is None and records[0]["line"] == line and records[0]["op"] == "tensor"


def test_results_share_the_record_of_the_operand_that_decided():
    a = karat.tensor([1.0])
    assert karat.lineage(a * 2 + a) == karat.lineage(a)


def test_promotion_is_a_record():
    i = karat.tensor([1])
    promoted, line = i / 2, line_here()
    *_, last = karat.lineage(promoted)
    assert last["from"] is karat.int64 and last["to"] is karat.float32 and last["line"] == line


def test_every_line_of_one_function_is_told_apart():
    def two():
        a = karat.ones(1).to(karat.float16)
        b = karat.ones(1).to(karat.float16)
        return a, b

    first = two.__code__.co_firstlineno
    assert [karat.lineage(t)[-1]["line"] - first for t in two()] == [1, 2]


def test_many_lines_in_one_call_expression():
    t = karat.add(
        karat.ones(1).to(karat.float16),
        1.0,
    )
    line = line_here() - 1
    assert line - karat.lineage(t)[-1]["line"] == 2


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


def said(run):
    with pytest.raises(Exception) as caught:
        run()
    return caught.value


def test_e_karat_is_whole():
    a, b = karat.ones(2, 3), karat.ones(3, 2).half()
    e, line = said(lambda: a @ b), line_here()
    assert (e.karat["op"], e.karat["file"], e.karat["line"]) == ("matmul", __file__, line)
    assert [o["shape"] for o in e.karat["operands"]] == [(2, 3), (3, 2)]
    first, born, second, third = e.karat["fixes"]
    assert first == {"action": "cast", "operands": ["other"], "dtype": karat.float32, "policy": None, "can_lose_values": False,
                     "text": first["text"]}
    assert (born["action"], born["operands"], born["text"]) == (
        "cast", ["self"], f"a, b = karat.ones(2, 3, dtype=karat.float16), karat.ones(3, 2).half() at {HERE}:{line - 1}")
    assert (second["operands"], second["can_lose_values"], second["text"]) == (["self"], True, "a.half()")
    assert (third["action"], third["policy"], third["text"]) == ("policy", "permissive", 'run under karat.policy("permissive")')


@pytest.mark.parametrize("program", """a + karat.ones(5)
    a.view(7)
    a[7]
    a[1.5]
    a[karat.tensor([0.5])]
    a.sum(5)
    karat.add(a, "b")
    a.sum(no_such=1)
    karat.cat([a, karat.ones(7)])
    karat.ones("a")
    int(a)
    a.item()
    a.backward()
    ~a
    a.requires_grad_().add_(1)
    karat.tensor([1], requires_grad=True)""".splitlines())
def test_every_error_has_its_call(program):
    e, line = said(lambda: eval(program.strip(), {"karat": karat, "a": karat.ones(2, 3)})), line_here()
    assert set(e.karat) == {"op", "file", "line", "operands", "fixes", "module"}
    assert (e.karat["file"], e.karat["line"]) == ("<string>", 1) and e.karat["module"] is None


def test_names_are_the_users():
    x, target = karat.ones(2, 3), karat.zeros(2, dtype=karat.int32)
    e = said(lambda: karat.nn.functional.cross_entropy(x, target))
    assert e.karat["op"] == "cross_entropy" and "nn_" not in str(e)
    assert [fix["text"] for fix in e.karat["fixes"]][1] == "target.long()"
    assert said(lambda: karat.quantile(target, 0.5)).karat["op"] == "quantile"
    assert said(lambda: karat.linalg.norm(target)).karat["op"] == "linalg.norm"
    assert said(lambda: target.div_(2)).karat["op"] == "div_"
    assert [r["op"] for r in karat.lineage(x.double().bfloat16().type_as(x))] == ["ones", "double", "bfloat16", "type_as"]


@pytest.mark.parametrize("program, fix", [
    ("i.mean()", "self.float()"), ("b.mean()", "self.float()"), ("i.div_(2)", "div instead of div_"),
    ("karat.where(i, f, f)", "condition.bool()"), ("f.masked_fill(i, 0)", "mask.bool()"),
    ("F.binary_cross_entropy(f, b)", "target.float()"), ("f[f]", "indices[0].long()"),
    ("f.index_select(0, f[0])", "index.long()"), ("F.embedding(f, f)", "input.long()"),
    ("f.scatter(0, f, f)", "index.long()"), ("f.index_add(0, i[:, 0], f.double())", "self.double()"),
    ("i.softmax(0)", "self.float()"), ("i.requires_grad_()", "self.float()"),
    ("karat.ones(2, dtype=karat.int32, requires_grad=True)", "dtype=karat.float32"),
    ("F.linear(f, f, f[:, 0].half())", "keep bias in float32"), ("karat.einsum('ij,ij', f, i)", "tensors[1].float()"),
    ("f.add_(f.cfloat())", "add instead of add_"), ("karat.add(f, f, out=i)", "make out as float32"),
    ("F.nll_loss(f, karat.zeros(2, dtype=karat.int32))", "target.long()"), ("i.uniform_()", "make self as float32"),
    ("karat.full((2,), 300, dtype=karat.uint8)", "dtype=karat.int64"),
])
def test_the_commonest_errors_have_their_fix(program, fix):
    names = dict(karat=karat, F=karat.nn.functional, f=karat.ones(2, 3), i=karat.zeros(2, 3, dtype=karat.int64),
                 b=karat.ones(2, 3, dtype=karat.bool))
    assert fix in said(lambda: eval(program, names)).karat["fixes"][0]["text"]


def test_a_backward_refusal_is_mended_in_the_forward():
    x, target = karat.ones(2, requires_grad=True), karat.ones(2, dtype=karat.float64)
    loss, line = karat.nn.functional.mse_loss(x, target), line_here()
    e = said(loss.backward)
    assert f"in the backward of mse_loss, recorded at {HERE}:{line}" in str(e)
    fixes = e.karat["fixes"]
    assert [f["operands"] for f in fixes if f["action"] == "cast"] == [["input"], ["target"]]  # no gradient is named
    assert [f["text"] for f in fixes[:2]] == ["x.double()", "target.float()"] and e.karat["line"] == line
    karat.nn.functional.mse_loss(x.double(), target).backward()
    karat.nn.functional.mse_loss(x, target.float()).backward()


def test_a_policy_refusal_says_what_and_where():
    i, f = karat.arange(2), karat.ones(2)
    with karat.policy("strict"):
        e, line = said(lambda: f + i), line_here()
        assert str(e).splitlines()[0] == \
            'karat.policy("strict") refuses to convert other from int64 to float32 in add (promotion)'
        assert f", or i.float() at {HERE}:{line} (can lose values), or run under karat.policy(\"torch\")" in str(e)
        assert "(promotion)" in str(said(lambda: i / 2))  # true division, not the number
        assert "(promotion by a number)" in str(said(lambda: i + 1.5))
        assert "number" not in said(lambda: i / 2).args[0].splitlines()[0]


def test_nothing_is_left_by_what_was_tried():
    a, b = karat.ones(3), karat.zeros(3, dtype=karat.int64)
    karat.manual_seed(3)
    state = karat.get_rng_state()
    with warnings.catch_warnings():
        warnings.simplefilter("error")  # what is tried warns nobody
        for run in (lambda: b.div_(a), lambda: b.bernoulli_(a.cfloat()), lambda: karat.add(a, a, out=b[:2]), lambda: a[a]):
            said(run)
    assert karat.equal(karat.get_rng_state(), state) and karat.is_grad_enabled() and karat.get_policy() == "torch"
    assert b.tolist() == [0, 0, 0] and b.dtype is karat.int64 and b._version == 0


def test_own_frames_are_skipped():
    t, line = karat.arange(3), line_here()  # arange is Python in the package
    assert karat.lineage(t)[0]["line"] == line and karat.lineage(t)[0]["file"] == __file__

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
    assert karat.lineage(half)[-1]["line"] == line


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


# ---- gradients ----


def chain(t):
    """Newest first."""
    return [(r["why"], r["op"], r["from"], r["to"]) for r in reversed(karat.lineage(t))]


def test_a_gradient_belongs_to_its_tensor():
    half = karat.ones(3, dtype=karat.float16).requires_grad_()
    wide = karat.ones(3, dtype=karat.float64).float().requires_grad_()
    (half.float() * wide).sum().backward()
    own = ("gradient", "backward", karat.float32, karat.float32)
    assert chain(wide.grad) == [own, *chain(wide)] and chain(wide)
    assert chain(half.grad) == [("gradient", "backward", karat.float32, karat.float16), *chain(half)]
    assert chain(karat.autograd.grad((wide * half).sum(), wide)[0]) == [own, *chain(wide)]
    before = karat.lineage(half.grad)
    (half * 2).sum().backward()
    assert karat.lineage(half.grad) == before


def test_a_gradient_of_several_tensors_has_the_history_of_the_first_and_a_given_one_its_own():
    a, b = karat.ones((), requires_grad=True), karat.ones((), dtype=karat.float64).float().requires_grad_()
    da, db = karat.autograd.grad(a + b, (a, b))
    assert da is db and chain(da)[1:] == chain(a) != chain(b)
    given = karat.ones(())
    was = chain(given)
    da, db = karat.autograd.grad(a + b, (a, b), given)
    assert da is db is given and chain(given) == was


def test_hooks_and_kept_gradients_see_it_too():
    x, seen = karat.ones(2, dtype=karat.float64, requires_grad=True), []
    y = x.float() * 2
    y.retain_grad()
    y.register_hook(lambda g: seen.append(chain(g)))
    x.register_hook(lambda g: seen.append(chain(g)))
    y.sum().backward()
    assert seen[0][1:] == chain(y) and chain(y.grad)[1:] == chain(y)
    assert seen[1] == [("gradient", "backward", karat.float32, karat.float64), *chain(x)]


def test_explain_says_gradient_of_it(capsys):
    x = karat.ones(2, dtype=karat.float16, requires_grad=True)
    x.float().sum().backward()
    karat.explain(x.grad)
    text = capsys.readouterr().out
    assert "born as float16" in text and "gradient of it, cast from float32 to float16, backward" in text


def test_a_training_loop_adds_no_records():
    w = karat.ones(3, requires_grad=True)

    def step():
        w.grad = None
        (w * w).sum().backward()
        return karat.lineage(w.grad)

    assert step() == step()
