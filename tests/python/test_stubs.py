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
    assert known["zeros"][1].args.vararg.arg == "size"


def test_families():
    assert "norm" in functions(tree("linalg.pyi").body)
    assert "relu" in functions(tree(os.path.join("nn", "functional.pyi")).body)


def test_docstrings_say_what_and_how():
    assert inspect.getdoc(karat.add).splitlines()[1].startswith("add(Tensor input, ")
    assert inspect.getdoc(karat.Tensor.sum).count("\n") >= 2
    assert not [name for name, value in karat._karat.functions.items() if len(value.__doc__.splitlines()) < 2]
