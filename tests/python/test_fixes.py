"""Every fix that an error proposes works: failing calls are made over the whole operator table and from the recorded error
programs, the fixes are read from e.karat as data, and each is applied mechanically; the call must then go through."""

import ast
import gzip
import json
import operator
import os
import random
import subprocess
import sys
import warnings

import karat
import karat.nn.functional as F
import pytest
from test_every_operator import BOX, FAMILIES, arguments, samples

ALL = os.environ.get("KARAT_TEST_ALL") == "1"
SEED = int(os.environ.get("KARAT_TEST_SEED", random.randrange(1 << 30)))
DTYPES = [getattr(karat, name) for name in "bool uint8 int32 int64 uint16 float16 bfloat16 float32 float64 complex64".split()]
ACTIONS = {"cast", "make", "out_of_place", "dtype", "policy"}


def fresh(value):
    """The same without memory in common: a call may write into what it is given."""
    if isinstance(value, karat.Tensor):
        return value.clone()
    return type(value)(map(fresh, value)) if isinstance(value, (list, tuple)) else value


def converted(values, wanted, dtype):
    """`values` with the tensors at the places `wanted`, counted through lists, made `dtype`."""
    place = iter(range(1000))

    def convert(value):
        if isinstance(value, karat.Tensor):
            return value.to(dtype) if next(place) in wanted else value
        return type(value)(map(convert, value)) if isinstance(value, (list, tuple)) else value

    return [convert(value) for value in values]


class Call:
    """A call that can be made again: by position, out= last; `plain` is its out-of-place twin."""

    def __init__(self, function, values, options=None, plain=None):
        self.function, self.values, self.options, self.plain = function, values, dict(options or {}), plain

    def run(self, function=None, values=None, **more):
        options = {**self.options, **more}
        values = fresh(self.values) if values is None else values
        if "out" in options:
            *values, options["out"] = values
        return (function or self.function)(*values, **options)

    def apply(self, fix, mistake):
        places = [i for i, name in enumerate(o["name"] for o in mistake["operands"] if o["dtype"] is not None)
                  if name in fix["operands"]]
        assert fix["action"] in ACTIONS and len(places) == len(fix["operands"])
        if fix["action"] == "policy":
            with karat.policy(fix["policy"]):
                return self.run()
        if fix["action"] == "dtype":
            return self.run(dtype=fix["dtype"])
        if fix["action"] == "out_of_place":
            return self.run(self.plain)
        return self.run(values=converted(fresh(self.values), places, fix["dtype"]))


def whole(error, mistake):
    """Is e.karat all there?"""
    assert set(mistake) == {"op", "file", "line", "operands", "fixes", "module"}, error
    assert mistake["file"] and mistake["line"] > 0 and isinstance(mistake["op"], (str, type(None)))
    for operand in mistake["operands"]:
        assert set(operand) == {"name", "dtype", "shape", "lineage"}
        assert (operand["dtype"] is None) == (operand["shape"] is None)
    for fix in mistake["fixes"]:
        assert set(fix) == {"action", "operands", "dtype", "policy", "can_lose_values", "text"}
        assert fix["text"] in str(error)
    lossy = [fix["can_lose_values"] for fix in mistake["fixes"] if fix["action"] != "policy"]
    assert lossy == sorted(lossy), "a fix that keeps every value comes first"


def keeps_values(call, fix):
    """Where a policy that is not marked lets the call write into a tensor: does that tensor hold what the call gives?"""
    target = call.values[-1 if "out" in call.options else 0]
    with karat.policy(fix["policy"]):
        try:
            if "out" in call.options:
                given = call.function(*fresh(call.values[:-1]))
            else:
                given = call.plain(*fresh(call.values))
        except Exception:
            return True  # it takes another form: nothing to compare with
    if not isinstance(given, karat.Tensor):
        return True
    with karat.policy("safe"):
        try:
            karat.empty(given.shape, dtype=target.dtype).copy_(given)
        except TypeError:
            return False
    return True


class Tally:
    def __init__(self):
        self.calls = self.refused = self.fixed = self.fixes = 0
        self.wrong, self.bare = [], set()

    def look(self, name, call):
        """Makes the call; where it is refused for its dtypes, applies each fix."""
        self.calls += 1
        try:
            call.run()
            return
        except Exception as e:
            error = e
        mistake = getattr(error, "karat", None)
        assert isinstance(mistake, dict), (name, error)
        whole(error, mistake)
        if "\n    " not in str(error):  # not about dtypes: sizes, a value, an argument of the wrong kind
            assert not mistake["fixes"] or not mistake["operands"], (name, error)
            return
        self.refused += 1
        self.fixed += bool(mistake["fixes"])
        if not mistake["fixes"]:
            self.bare.add(name)
        if mistake["module"] is not None or isinstance(call.function, type):
            return  # the refused call is one inside of a layer or its constructor, and so are the operands
        for fix in mistake["fixes"]:
            self.fixes += 1
            if fix["action"] == "policy" and not fix["can_lose_values"] and (call.plain or "out" in call.options):
                assert keeps_values(call, fix), (name, mistake["operands"], fix)
            try:
                call.apply(fix, mistake)
            except Exception as e:
                if "out" in call.options and str(e).splitlines()[0] != str(error).splitlines()[0]:
                    continue  # past that error: out= has one of its own, which the binding finds afterwards
                if isinstance(e, karat.linalg.LinAlgError) or "on lu_solve would result in a division by zero" in str(e):
                    continue  # past that error: a matrix of ones is singular
                self.wrong.append((name, [o["dtype"] for o in mistake["operands"]], fix["text"], str(error).splitlines()[0],
                                   str(e).splitlines()[0]))

    def __str__(self):
        return f"{self.calls} calls, {self.refused} refused for dtypes, {self.fixed} of them with {self.fixes} fixes; seed {SEED}"


def mixed(kind, choose):
    """A sample of the kind, each tensor in it of a dtype of its own."""
    of = lambda: karat.ones(BOX).to(choose(DTYPES))  # noqa: E731
    return {"Tensor": of, "Tensor|Scalar": of, "Tensor[]": lambda: [of(), of()],
            "Tensor?[]": lambda: [karat.tensor([0, 1]).to(choose(DTYPES))]}[kind]()


def calls_of(name, functions, chance):
    function = functions[name]
    plain = functions.get(name[:-1]) if name.endswith("_") else None
    for schema in function.schemas:
        kinds = [kind for kind, has_default in arguments(schema) if not has_default]
        for _ in range(60 if ALL else 8):
            good = samples(karat.float32)
            values = [mixed(kind, chance.choice) if kind.startswith("Tensor") else good[kind] for kind in kinds]
            yield Call(function, values, plain=plain)
            if not name.endswith("_"):
                yield Call(function, values + [karat.empty(0, dtype=chance.choice(DTYPES))], {"out": None})


@pytest.mark.parametrize("family", FAMILIES)
def test_every_fix_of_the_table_works(family):
    chance, tally = random.Random(SEED), Tally()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for name in sorted(FAMILIES[family]):
            if "backward" in name:
                continue  # inner rows: their fixes are the forward's, whose gradient follows
            for call in calls_of(name, FAMILIES[family], chance):
                tally.look(family + name, call)
    print(tally)
    assert not tally.wrong, (len(tally.wrong), tally.wrong[:10], SEED)
    assert tally.fixed >= 0.75 * tally.refused, (str(tally), sorted(tally.bare))  # the others have two mistakes, or no remedy


OPERATORS = {ast.Add: operator.add, ast.Sub: operator.sub, ast.Mult: operator.mul, ast.Div: operator.truediv,
             ast.MatMult: operator.matmul, ast.LShift: operator.lshift, ast.RShift: operator.rshift, ast.BitAnd: operator.and_,
             ast.BitOr: operator.or_, ast.BitXor: operator.xor, ast.Pow: operator.pow, ast.FloorDiv: operator.floordiv,
             ast.Mod: operator.mod}


def read_call(source, scope):
    """The call that a program of one expression, `r = ...`, is made of; None: it is something else."""
    try:
        tree = ast.parse(source).body
        value = tree[-1].value if len(tree) == 1 and isinstance(tree[-1], ast.Assign) else None
        of = lambda node: eval(compile(ast.Expression(node), "program", "eval"), scope)  # noqa: E731
        if isinstance(value, ast.BinOp):
            return Call(OPERATORS[type(value.op)], [of(value.left), of(value.right)])
        if isinstance(value, ast.Subscript):
            return Call(operator.getitem, [of(value.value), of(value.slice)])
        if not isinstance(value, ast.Call) or any(isinstance(a, ast.Starred) for a in value.args):
            return None
        options = {k.arg: of(k.value) for k in value.keywords}
        values = [of(a) for a in value.args]
        function = value.func
        if isinstance(function, ast.Attribute) and isinstance(of(function.value), karat.Tensor):
            values.insert(0, of(function.value))
            called = getattr(karat.Tensor, function.attr)
            plain = getattr(karat.Tensor, function.attr[:-1], None) if function.attr.endswith("_") else None
        else:
            called, plain = of(function), None
        if "out" in options:
            values.append(options["out"])
        elif any(isinstance(option, karat.Tensor) for option in options.values()):
            return None  # a tensor by name: its place is not known
        return Call(called, values, options, plain)
    except Exception:
        return None  # refused while its arguments are made


def test_every_fix_of_the_recorded_programs_works():
    path = os.path.join(os.path.dirname(__file__), "..", "conformance", "error_texts.json.gz")
    cases = json.load(gzip.open(path))["cases"]
    tally = Tally()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for case in cases:
            if case["raises"] and "cuda" not in case["source"]:
                call = read_call(case["source"], {"torch": karat, "nn": karat.nn, "F": F})
                if call:
                    tally.look(case["name"], call)
    print(tally)
    assert not tally.wrong, tally.wrong
    assert tally.refused > 50 and tally.fixed >= 0.75 * tally.refused, (str(tally), tally.bare)


def texts_of(call):
    with pytest.raises((TypeError, RuntimeError)) as refused:
        call()
    return [fix["text"] for fix in refused.value.karat["fixes"]]


def test_a_refusal_for_values_is_mended_on_values():
    x = karat.tensor([0.1, 70000.0])
    assert texts_of(lambda: x.to(karat.float16, casting="same_value")) == ["x.to(karat.float32, casting=\"same_value\")"]
    assert texts_of(lambda: x.to(karat.float16, casting="safe")) == ["x.to(karat.float32, casting=\"safe\")"]
    assert texts_of(lambda: karat.ones(5000).mul(0.1).to(karat.float16, casting="same_value")) == []  # too much to try


def fixes_of(call):
    with pytest.raises((TypeError, RuntimeError)) as refused:
        call()
    assert str(refused.value).count("(can lose values)") == sum(f["can_lose_values"] for f in refused.value.karat["fixes"])
    return [(fix["text"], fix["can_lose_values"]) for fix in refused.value.karat["fixes"]]


def test_a_policy_under_which_values_are_lost_says_so():
    under = 'run under karat.policy("permissive")'
    whole = lambda: karat.tensor([1, 2, 3])  # noqa: E731
    for call in (lambda: whole().div_(2), lambda: karat.ones(2).add_(karat.tensor([1 + 2j, 3 + 4j])), lambda: whole().add_(1.5),
                 lambda: karat.add(karat.ones(3), 1.5, out=whole()), lambda: whole().sqrt_(),
                 lambda: karat.cat([karat.ones(3)], out=whole()),
                 lambda: karat.nonzero(karat.ones(3), out=karat.empty(0, dtype=karat.uint8)),
                 lambda: whole().byte().clamp_(0, 300)):
        for _ in range(2):  # what was decided before is decided again
            assert fixes_of(call)[-1] == (under, True)
            text, loses = fixes_of(call)[0]
            assert not loses or text.endswith((".real", ".long()"))  # what was made within the line cannot be made anew
        with karat.policy("permissive"):
            call()
    assert fixes_of(lambda: karat.ones(2, 2) @ karat.ones(2, 2).half())[-1] == (under, False)
    assert fixes_of(lambda: karat.ones(2, 2) @ karat.ones(2, 2, dtype=karat.int64))[-1] == (under, True)
    with karat.policy("safe"):
        assert fixes_of(lambda: karat.ones(2, dtype=karat.uint8) + 300)[-1] == ('run under karat.policy("torch")', True)
    with karat.policy("strict"):
        assert fixes_of(lambda: karat.ones(2) + karat.ones(2).half())[-1] == ('run under karat.policy("safe")', False)


def test_a_policy_under_which_integers_require_grad_is_offered():
    offered = ('run under karat.policy("permissive")', False)
    assert fixes_of(lambda: karat.tensor([1, 2], requires_grad=True)) == [
        ("karat.tensor([1, 2], requires_grad=True, dtype=karat.float32)", True), offered]
    assert fixes_of(lambda: karat.tensor([1, 2]).requires_grad_()) == [("karat.tensor([1, 2]).float()", True), offered]
    assert fixes_of(lambda: karat.tensor([True], requires_grad=True)) == [
        ("karat.tensor([True], requires_grad=True, dtype=karat.float32)", False)]


@pytest.mark.parametrize("imports, dtype, policy", [
    ("import torch", "torch.float32", 'karat.policy("permissive") (import karat)'),
    ("import torch as t", "t.float32", 'karat.policy("permissive") (import karat)'),
    ("import torch, karat", "karat.float32", 'karat.policy("permissive")'),
    ("import karat as kt", "kt.float32", 'kt.policy("permissive")'),
    ("from torch import tensor", "torch.float32", 'karat.policy("permissive") (import karat)'),
])
def test_a_fix_is_written_in_the_names_of_the_script(imports, dtype, policy):
    module = "" if "from" in imports else imports.replace(",", "").split()[-1 if "as" in imports else 1] + "."
    script = f"{imports}\ntry:\n    {module}tensor([1], requires_grad=True)\nexcept RuntimeError as e:\n    print(e)\n"
    done = subprocess.run([sys.executable, "-m", "karat", "run", "-c", script], capture_output=True, text=True)
    assert done.stdout.endswith(f"(can lose values), or run under {policy}\n") and f"fix: dtype={dtype} at" in done.stdout


def test_a_kind_is_given_up_only_where_no_other_cast_mends():
    hidden = karat.tensor([True, False])
    assert texts_of(lambda: karat.tensor([1, 2]).masked_fill(hidden, float("-inf"))) == ["karat.tensor([1, 2]).float()"]
    assert texts_of(lambda: karat.ones(2, 2) @ karat.ones(2, 2, dtype=karat.int64))[0] == (
        "karat.ones(2, 2, dtype=karat.int64).float()")
    assert not any(text.endswith(".long()") for text in texts_of(lambda: karat.ones(2, 2) @ karat.ones(2, 2, dtype=karat.int64)))
    assert texts_of(lambda: karat.tensor([1]) & karat.tensor([1.0])) == ["karat.tensor([1.0]).long()"]
    with karat.policy("safe"):
        few = karat.ones(2, dtype=karat.uint8)
        assert texts_of(lambda: few + 300)[0].startswith("few = karat.ones(2, dtype=karat.int64) at ")  # an integer stays one


@pytest.mark.parametrize("dtype", [karat.bfloat16, karat.float32, karat.float64])
def test_a_fix_is_sought_without_memory_to_speak_of(dtype):
    """Of infinity as an integer bincount would make as many counts as the dtype has numbers."""
    before = karat.memory_stats()["peak_bytes"]
    with pytest.raises(NotImplementedError, match="bincount"):
        karat.bincount(karat.tensor([float("inf"), 2.0], dtype=dtype))
    assert karat.memory_stats()["peak_bytes"] - before < 1 << 24


def refused(error, call, *given):
    with pytest.raises(error) as info:
        call(*given)
    return info.value.karat


def set_item(x, index, value):
    x[index] = value


@pytest.mark.parametrize("number", [1j, 2.5 + 1j, 1e300j, 1e300, float("inf"), 300, 2**40])
@pytest.mark.parametrize("dtype", [karat.uint8, karat.int32, karat.float16, karat.float32, karat.float64])
def test_a_dtype_that_is_proposed_for_a_number_holds_it(number, dtype):
    for make in (lambda d: karat.full((2,), number, dtype=d), lambda d: karat.scalar_tensor(number, dtype=d),
                 lambda d: karat.ones(2).new_full((2,), number, dtype=d),
                 lambda d: karat.full_like(karat.ones(2), number, dtype=d)):
        try:
            make(dtype)
        except RuntimeError as error:
            fixes = [fix for fix in error.karat["fixes"] if fix["action"] == "dtype"]
            assert fixes, error
            for fix in fixes:
                made = make(fix["dtype"]).flatten()[0].item()
                assert type(made) is not bool and (made == number or abs(made - number) < 1e-3 * abs(number)), fix


@pytest.mark.parametrize("dtype, number, wanted", [
    (karat.float32, 1j, karat.complex64), (karat.float64, 1j, karat.complex128), (karat.int64, 1j, karat.complex64),
    (karat.int32, float("nan"), karat.float32), (karat.float16, 1j, karat.complex32), (karat.float32, 1e300j, karat.complex128),
])
def test_a_number_assigned_to_elements_that_cannot_hold_it(dtype, number, wanted):
    for index in (0, ..., karat.tensor([True, False]), karat.tensor([1])):
        x = karat.ones(2, dtype=dtype)
        told = refused(RuntimeError, set_item, x, index, number)
        assert told["op"] == "__setitem__" and [o["name"] for o in told["operands"]] == ["self"]
        assert told["operands"][0]["dtype"] is dtype and told["operands"][0]["lineage"][0]["op"] == "ones"
        fix, = told["fixes"]
        assert (fix["action"], fix["dtype"], fix["operands"]) == ("make", wanted, ["self"])
        assert fix["can_lose_values"] == (not dtype.is_floating_point)
        x = x.to(wanted)
        x[index] = number
        assert x.tolist() != [1, 1]


def test_a_complex_tensor_put_among_floats_wants_a_complex_target():
    x = karat.ones(2)
    fixes = refused(RuntimeError, set_item, x, x > 0, karat.tensor(1j, device="cpu"))["fixes"]
    assert (fixes[0]["action"], fixes[0]["dtype"], fixes[0]["can_lose_values"]) == ("make", karat.complex64, False)
    assert all(fix["can_lose_values"] for fix in fixes[1:])


@pytest.mark.parametrize("error, call, t, op, method", [
    (RuntimeError, float, karat.tensor(1j), "float", "real"),
    (RuntimeError, int, karat.tensor(1j, dtype=karat.complex128), "int", "real"),
    (TypeError, range, karat.tensor(1.0), "__index__", "long"),
    (TypeError, [1, 2, 3].__getitem__, karat.tensor(1.0), "__index__", "long"),
    (TypeError, karat.LongTensor, karat.ones(2), "LongTensor", "long"),
    (TypeError, karat.ones(2).new, karat.ones(2, dtype=karat.int64), "new", "float"),
    (RuntimeError, karat.view_as_complex, karat.ones(2, 2, dtype=karat.int64), "view_as_complex", "float"),
    (RuntimeError, karat.view_as_real, karat.ones(2, 2), "view_as_real", "cfloat"),
])
def test_a_dtype_that_is_refused_outside_of_operators_is_told_too(error, call, t, op, method):
    told = refused(error, call, t)
    assert told["op"] == op and [o["dtype"] for o in told["operands"]] == [t.dtype] and told["operands"][0]["lineage"]
    assert told["fixes"][0]["text"].startswith("cast self to ")  # the line of the call does not show the tensor
    assert told["fixes"][0]["dtype"] == getattr(t, method)().dtype if method != "real" else t.real.dtype
    assert told["fixes"][0]["can_lose_values"] == (method != "cfloat")
    call(getattr(t, method)() if method != "real" else t.real)


def test_refusals_that_no_cast_mends_show_the_tensor():
    x = karat.ones(2, requires_grad=True)
    for error, call, op in ((RuntimeError, x.numpy, "numpy"), (ValueError, lambda: x.type("foo"), "type"),
                            (ValueError, lambda: x.type(int), "type"), (TypeError, lambda: [1][x], "__index__")):
        told = refused(error, call)
        assert told["op"] == op and told["operands"][0]["dtype"] is karat.float32 and told["fixes"] == []
        assert told["operands"][0]["lineage"][0]["op"] == "ones"
