#!/usr/bin/env python3
"""own_code.py - functions of Karat's Python package whose bodies repeat PyTorch's.

In:  the package (python/karat) and the folder of an installed torch. Without the second, the torch that KARAT_TEST_TORCH names,
     or that python3 can import; where there is none, the comparison is not made, and that is said.
Out: a line for each pair at least --limit alike; exit status 1 if there are more than --allow.

Two functions are compared as sequences of tokens, without docstrings, annotations and decorators, with local names replaced by
their order of appearance. Names, signatures, defaults and messages may be PyTorch's; bodies may not. Left out are functions of
fewer than --nodes syntax nodes and dunder methods, whose bodies the interface forces.

A function is compared with those of its own qualified name, in the file of the same path if there is one; with --any-name also
with every other function of that file, so that a new name does not hide an old body.
"""

import argparse
import ast
import collections
import copy
import difflib
import importlib.util
import os
import re
import sys

NOT_COMPARED = ("include", "share", "_inductor", "_dynamo", "onnx", "_export", "ao", "_refs", "_decomp", "_prims", "fx")


class Anonymous(ast.NodeTransformer):
    """Removes what does not belong to the body and gives local names numbers in order of appearance."""

    def __init__(self):
        self.numbers = {}

    def number(self, name):
        return self.numbers.setdefault(name, f"v{len(self.numbers)}")

    def visit_FunctionDef(self, node):
        node.decorator_list, node.returns = [], None
        if ast.get_docstring(node, clean=False) is not None:
            node.body = node.body[1:] or [ast.Pass()]
        self.generic_visit(node)
        return node

    visit_AsyncFunctionDef = visit_FunctionDef

    def visit_arg(self, node):
        node.annotation, node.arg = None, self.number(node.arg)
        return node

    def visit_AnnAssign(self, node):
        self.generic_visit(node)
        return None if node.value is None else ast.copy_location(ast.Assign([node.target], node.value), node)

    def visit_Name(self, node):
        if node.id == "karat":
            node.id = "torch"
        if node.id in self.numbers or isinstance(node.ctx, ast.Store):
            node.id = self.number(node.id)
        return node


class Function:
    def __init__(self, path, name, node):
        self.path, self.name, self.node = path, name, node
        self.size = sum(1 for _ in ast.walk(node))
        self._tokens = None

    @property
    def tokens(self):
        if self._tokens is None:
            body = Anonymous().visit(copy.deepcopy(self.node))
            body.name = "f"
            self._tokens = re.findall(r"\w+|[^\s\w]", ast.unparse(ast.fix_missing_locations(body)))
        return self._tokens

    def likeness(self, other, at_least):
        compared = difflib.SequenceMatcher(None, self.tokens, other.tokens, autojunk=False)
        if compared.real_quick_ratio() < at_least or compared.quick_ratio() < at_least:
            return 0.0
        return compared.ratio()


def functions_of(root, path):
    with open(os.path.join(root, path), encoding="utf-8", errors="replace") as file:
        try:
            tree = ast.parse(file.read())
        except SyntaxError:
            return

    def walk(node, prefix):
        for child in ast.iter_child_nodes(node):
            inner = prefix
            if isinstance(child, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):
                inner = f"{prefix}{child.name}."
                if not isinstance(child, ast.ClassDef):
                    yield Function(path, prefix + child.name, child)
            yield from walk(child, inner)

    yield from walk(tree, "")


def sources(root):
    for folder, inner, files in os.walk(root):
        inner[:] = sorted(name for name in inner if name not in NOT_COMPARED)
        if folder.endswith(os.path.join("testing", "_internal")):
            continue
        for name in sorted(files):
            if name.endswith(".py"):
                yield os.path.relpath(os.path.join(folder, name), root)


def installed_torch():
    """The folder of the torch that can be imported, without importing it."""
    named = os.environ.get("KARAT_TEST_TORCH")
    if named:
        return named
    found = importlib.util.find_spec("torch")
    folder = found.submodule_search_locations[0] if found and found.submodule_search_locations else None
    return folder if folder and os.path.isdir(os.path.join(folder, "_inductor")) else None  # Karat's own face has none


def candidates(mine, by_name, by_path, any_name):
    named = by_name.get(mine.name, [])
    same_file = [f for f in named if f.path == mine.path]
    common = mine.name.startswith("forward")  # a plain function of this name is another in each file
    found = same_file or (named[:6] if "." in mine.name or not common else [])
    return found + [f for f in by_path.get(mine.path, []) if f not in found] if any_name else found


def main():
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("package")
    options.add_argument("torch", nargs="?", default=None)
    options.add_argument("--limit", type=float, default=0.85)
    options.add_argument("--nodes", type=int, default=60)
    options.add_argument("--allow", type=int, default=0, metavar="N", help="as many pairs are no failure")
    options.add_argument("--only", default="", metavar="PREFIX", help="files whose path begins so")
    options.add_argument("--any-name", action="store_true")
    asked = options.parse_args()

    torch = asked.torch or installed_torch()
    if torch is None:
        print("own code: not compared, PyTorch is not installed (KARAT_TEST_TORCH names its folder)")
        return 0

    by_name, by_path = collections.defaultdict(list), collections.defaultdict(list)
    for path in sources(torch):
        for function in functions_of(torch, path):
            by_name[function.name].append(function)
            by_path[path].append(function)

    alike, seen = [], 0
    for path in sources(asked.package):
        if not path.startswith(asked.only):
            continue
        for mine in functions_of(asked.package, path):
            last = mine.name.rsplit(".", 1)[-1]
            if mine.size < asked.nodes or (last.startswith("__") and last.endswith("__")):
                continue
            seen += 1
            scored = ((mine.likeness(other, asked.limit), other) for other in candidates(mine, by_name, by_path, asked.any_name))
            score, other = max(scored, key=lambda pair: pair[0], default=(0.0, None))
            if score >= asked.limit:
                alike.append((mine.node.end_lineno - mine.node.lineno + 1, score, mine, other))

    for lines, score, mine, other in sorted(alike, key=lambda found: -found[0]):
        where = f"{mine.path}:{mine.node.lineno}"
        print(f"{score:.2f} {lines:4d} lines  {where:48s} {mine.name:44s} like {other.path}:{other.node.lineno}"
              f"{'' if other.name == mine.name else ' ' + other.name}")
    print(f"own code: {len(alike)} of {seen} functions are at least {asked.limit:.2f} like PyTorch's "
          f"({sum(found[0] for found in alike)} lines)")
    return 1 if len(alike) > asked.allow else 0


if __name__ == "__main__":
    sys.exit(main())
