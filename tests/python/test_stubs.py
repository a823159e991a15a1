"""The stubs made at build time: they parse, and say of every operator what the operator itself says."""

import ast
import inspect
import os

import karat
import pytest

FOLDER = karat.__path__[0]


def tree(name):
    path = os.path.join(FOLDER, name)
    if not os.path.exists(path):
        pytest.skip("this build has no stubs")  # a sanitized one
    with open(path, encoding="utf-8") as file:
        return ast.parse(file.read())


def functions(body):
    found = {}
    for node in body:
        if isinstance(node, ast.FunctionDef):
            found.setdefault(node.name, []).append(node)
    return found


def test_every_operator_is_there():
    module = tree("__init__.pyi")
    known = functions(module.body)
    hidden = [name for name in karat._karat.functions if name not in known]  # names of C, and methods: PyTorch has them not
    assert "slice" in hidden and not [name for name in hidden if hasattr(karat, name) and not name.startswith("_")]
    tensor = next(node for node in module.body if isinstance(node, ast.ClassDef) and node.name == "Tensor")
    methods = functions(tensor.body)
    rows = [name for name, value in vars(karat.Tensor).items() if hasattr(value, "schemas")]
    assert len(rows) > 300 and not [name for name in rows if not name.startswith("_") and name not in methods]
    assert os.path.exists(os.path.join(FOLDER, "py.typed"))


def test_arguments_of_some():
    known = functions(tree("__init__.pyi").body)
    (add,) = known["add"]
    assert [a.arg for a in add.args.args] == ["input", "other"] and [a.arg for a in add.args.kwonlyargs] == ["alpha", "out"]
    assert ast.get_docstring(add)
    assert len(known["max"]) == 3 and ast.unparse(known["max"][2].returns) == "_max_results"
    assert {z.args.vararg.arg if z.args.vararg else z.args.args[0].arg for z in known["zeros"]} == {"size"}
    assert len(known["zeros"]) == 2 and len(known["arange"]) == 3
    assert "Number" in ast.unparse(add.args.args[1].annotation)  # torch.add(t, 1)


def names_in(body):
    for node in body:
        if isinstance(node, (ast.FunctionDef, ast.ClassDef)):
            yield node.name
        elif isinstance(node, ast.AnnAssign):
            yield node.target.id
        elif isinstance(node, ast.Assign):
            yield node.targets[0].id
        elif isinstance(node, ast.ImportFrom):
            yield from (one.asname or one.name for one in node.names)


INSIDE = {"asking", "checking", "copying", "dense", "drawing", "elements", "faces", "indices", "legacy", "limits", "modes",
          "printing", "settings", "symbols", "typed_storage"}  # modules of no interest


def test_every_public_name_is_there():
    refused = set(karat._refused.TOP)  # modules that are made when somebody imports them
    assert not {n for n in dir(karat) if not n.startswith("_")} - INSIDE - refused - set(names_in(tree("__init__.pyi").body))
    for module in ("cuda", "autograd", "random", "linalg", "testing", "jit"):
        known = set(names_in(tree(f"{module}.pyi").body))
        assert not {n for n in vars(getattr(karat, module)) if not n.startswith("_")} - known - {"contextlib", "math"}, module


def test_a_type_checker_accepts_what_people_write(tmp_path):
    pytest.importorskip("mypy")
    import subprocess
    import sys

    script = tmp_path / "script.py"
    script.write_text("""
import karat as torch
import karat.nn.functional as F
from karat import Tensor

def step(x: Tensor, scale: float = 2.0) -> Tensor:
    w = torch.zeros(2, 3, dtype=torch.float32, device="cpu", requires_grad=True)
    values, places = torch.max(w, dim=1)
    rows: int = w.size(0)
    with torch.no_grad():
        w -= 0.1 * w
    w[w > 0] = 0.5
    total = torch.cat([w, w.to("cpu").half()], dim=0).sum(dim=0, keepdim=True) + 1
    for row in w:
        total = total + torch.add(row, 3) * scale
    if w.grad is not None:
        w.grad.zero_()
    return F.relu(total).view(-1, rows).reshape(torch.arange(10).shape)
""")
    tree("__init__.pyi")
    done = subprocess.run([sys.executable, "-m", "mypy", "--cache-dir", str(tmp_path / "cache"), str(script)],
                          capture_output=True, text=True, env={**os.environ, "MYPYPATH": os.path.dirname(FOLDER)})
    assert done.returncode == 0, done.stdout


def test_families():
    assert "norm" in functions(tree("linalg.pyi").body)
    assert "relu" in functions(tree(os.path.join("nn", "functional.pyi")).body)


def test_docstrings_say_what_and_how():
    assert inspect.getdoc(karat.add).splitlines()[1].startswith("add(Tensor input, ")
    assert inspect.getdoc(karat.Tensor.sum).count("\n") >= 2
    assert not [name for name, value in karat._karat.functions.items() if len(value.__doc__.splitlines()) < 2]
    assert inspect.getdoc(karat.exp).splitlines()[-1] == (
        "Result dtype: the common dtype of the operands; of integers and bools the default float.")
    assert inspect.getdoc(karat.eq).splitlines()[-1] == "Result dtype: bool, from the common dtype of the operands."
    public = [n for n in dir(karat) if not n.startswith("_") and callable(getattr(karat, n))]
    assert not [n for n in public if not (getattr(karat, n).__doc__ or "").strip()]
    assert not [n for n, v in vars(karat.Tensor).items()
                if not n.startswith("_") and v is not None and type(v).__name__ != "_Absent" and not (v.__doc__ or "").strip()]


def test_what_pytorch_has_not_is_precise():
    module = tree("__init__.pyi")
    known = functions(module.body)
    for name in ("explain", "lineage", "get_policy"):
        assert "Any" not in ast.unparse(known[name][0])
    policy = next(node for node in module.body if isinstance(node, ast.ClassDef) and node.name == "policy")
    assert "Literal['strict'" in ast.unparse(policy) and "Any" not in ast.unparse(policy)
    for documented in (karat.explain, karat.lineage, karat.policy, karat.errors, karat.errors.Mistake, karat.errors.Fix):
        assert len(documented.__doc__) > 5
