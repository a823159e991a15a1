"""What an error proposes is typed into the program that failed, as a person would, and the program then runs."""

import ast
import importlib.util
import re

import karat
import pytest

PLACED = re.compile(r"^(?P<words>.*) at (?P<file>[^ ]+\.py):(?P<line>\d+)$")
BEFORE = re.compile(r"^(?P<words>.*) before (?P<file>[^ ]+\.py):(?P<line>\d+)$")
LEAVE = re.compile(r"^leave out (?P<old>.*) at (?P<file>[^ ]+\.py):(?P<line>\d+)$")
INSTEAD = re.compile(r"^(?P<new>.*) instead of (?P<old>.*) at (?P<file>[^ ]+\.py):(?P<line>\d+)$")


def run(path, source):
    path.write_text(source)
    spec = importlib.util.spec_from_file_location(path.stem, path)
    spec.loader.exec_module(importlib.util.module_from_spec(spec))


def indent(line):
    return line[:len(line) - len(line.lstrip())]


def nodes_of(source, line):
    """The expressions of the statement that the line is in; of one with a body those of its head."""
    around = [node for node in ast.walk(ast.parse(source)) if isinstance(node, ast.stmt) and node.lineno <= line <= node.end_lineno]
    statement = max(around, key=lambda node: (node.lineno, -node.end_lineno))
    parts = [part for part in ast.iter_child_nodes(statement) if not isinstance(part, ast.stmt)]
    return [node for part in parts for node in ast.walk(part) if isinstance(node, ast.expr)]


def replace(source, nodes, new):
    """The source with `new` in place of the nodes, none of which is in another."""
    begins = [0]
    for line in source.split("\n"):
        begins.append(begins[-1] + len(line) + 1)
    places = {(begins[node.lineno - 1] + node.col_offset, begins[node.end_lineno - 1] + node.end_col_offset) for node in nodes}
    for begin, end in sorted(places, reverse=True):
        source = source[:begin] + new + source[end:]
    return source


def is_like(node, new):
    """Is the node the call that `new` is, but for dtype= or a cast?"""
    return isinstance(node, ast.Call) and ast.unparse(node.func) == ast.unparse(new.func)


def typed(source, line, new):
    """`new` is an operand and a cast: written in place of each such operand; or a call: in place of the one that is like it."""
    call, nodes = ast.parse(new, mode="eval").body, nodes_of(source, line)
    old = ast.unparse(call.func.value if isinstance(call, ast.Call) and isinstance(call.func, ast.Attribute) else
                      getattr(call, "value", call))
    operands = [node for node in nodes if ast.unparse(node) == old and not isinstance(getattr(node, "ctx", None), ast.Store)]
    if isinstance(call, ast.Call) and (any(is_like(node, call) for node in nodes) or any(k.arg == "dtype" for k in call.keywords)):
        operands = [node for node in nodes if is_like(node, call)]
        assert len(operands) == 1, (source, new)
    elif isinstance(call, ast.Subscript):
        operands = [node for node in nodes if isinstance(node, ast.Subscript) and ast.unparse(node.value) == old]
        assert len(operands) == 1, (source, new)
    assert operands, (source, new)
    return replace(source, operands, new)


def edited(source, error, text):
    """The source with a proposed fix typed into it."""
    lines = source.split("\n")
    if text.startswith("run under "):
        policy = re.search(r'policy\("(\w+)"\)', text)[1]
        return f'import karat\nwith karat.policy("{policy}"):\n' + "\n".join("    " + line for line in lines)
    for pattern in LEAVE, INSTEAD:
        found = pattern.match(text)
        if found:
            at, parts = int(found["line"]) - 1, found.groupdict()
            assert lines[at].count(parts["old"]) == 1, (lines[at], text)
            lines[at] = lines[at].replace(parts["old"], parts.get("new", ""))
            return "\n".join(lines)
    found = BEFORE.match(text)
    if found:
        at = int(found["line"]) - 1
        return "\n".join(lines[:at] + [indent(lines[at]) + found["words"]] + lines[at:])
    found = PLACED.match(text)
    line, words = int(found["line"] if found else error.karat["line"]), found["words"] if found else text
    if not isinstance(ast.parse(words).body[0], ast.Expr):
        lines[line - 1] = indent(lines[line - 1]) + words
        return "\n".join(lines)
    for part in words.split(" and "):
        source = typed(source, line, part)
    return source


def fails(path, source):
    with pytest.raises((RuntimeError, TypeError, NotImplementedError)) as caught:
        run(path, source)
    return caught.value


NET = """import numpy as np
import karat as torch
import karat.nn as nn
import karat.nn.functional as F
class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.fc = nn.Linear(3, 4)
        self.head = nn.Linear(4, 2)
        self.scale = nn.Parameter(torch.ones(3))
    def forward(self, x):
        return self.head(F.relu(self.fc(x)))
net = Net()
"""
MIDDLE = NET.replace("return self.head(F.relu(self.fc(x)))", "h = self.fc(x).double()\n        return self.head(h)")
IMPORT = "import karat as torch\n"

PROGRAMS = {  # the source, and what the first fixes say
    "numpy into a net": (NET + """\
x = torch.from_numpy(np.ones((4, 3)))
y = net(x)""", [
        "x = torch.from_numpy(np.ones((4, 3))).float() at p.py:14", "x.float()", "net.double() before p.py:15"]),
    "numbers of numpy": (NET + """\
x = torch.tensor(np.ones((4, 3)))
y = net(x)""", [
        "x = torch.tensor(np.ones((4, 3)), dtype=torch.float32) at p.py:14", "x.float()", "net.double() before p.py:15"]),
    "a net of halves": (NET + """\
net = net.half()
y = net(torch.ones(4, 3))""", [
        "leave out .half() at p.py:14", "x.half()"]),
    "a layer inside": (NET + """\
z = torch.ones(2, 4).half()
out = net.head(z)""", [
        "leave out .half() at p.py:14", "net.head.half() before p.py:15"]),
    "an operand that is computed": (NET + """\
x = torch.ones(2, 3)
out = net.head(net.fc(x).double())""", [
        "leave out .double() at p.py:15"]),
    "a loss": (NET + """\
x = torch.ones(2, 3)
t = torch.ones(2, 2, dtype=torch.float64)
loss = F.binary_cross_entropy(net(x).sigmoid(), t)""", [
        "net(x).sigmoid().double()", "t = torch.ones(2, 2, dtype=torch.float32) at p.py:15"]),
    "a matrix product": (IMPORT + """\
a = torch.ones(2, 3)
b = torch.ones(3, 2)
b = b.half()
c = a @ b""", [
        "leave out .half() at p.py:4", "a = torch.ones(2, 3, dtype=torch.float16) at p.py:2", "a.half()"]),
    "both made so": (IMPORT + """\
a = torch.ones(2, 3)
b = torch.zeros(3, 2, dtype=torch.float64)
c = torch.mm(a, b)""", [
        "a = torch.ones(2, 3, dtype=torch.float64) at p.py:2", "a.double()",
        "b = torch.zeros(3, 2, dtype=torch.float32) at p.py:3"]),
    "a leaf": (IMPORT + """\
w = torch.ones(3, 3, requires_grad=True)
v = torch.ones(3).double()
(w @ v).sum().backward()
assert w.grad is not None""", [
        "leave out .double() at p.py:3"]),
    "in place": (IMPORT + """\
i = torch.arange(3)
i += 0.5""", [
        "i = i + 0.5"]),
    "a method in place": (IMPORT + """\
i = torch.arange(3)
i.mul_(1.5)""", [
        "i = i.mul(1.5)"]),
    "a mean of integers": (IMPORT + """\
i = torch.arange(3)
m = i.mean()""", [
        "i = torch.arange(3, dtype=torch.float32) at p.py:2", "i.float()", "i.mean(dtype=torch.float32)"]),
    "integers that learn": (IMPORT + """\
w = torch.tensor([1, 2], requires_grad=True)""", [
        "torch.tensor([1, 2], requires_grad=True, dtype=torch.float32)"]),
    "an attribute": (IMPORT + """\
class Box: pass
box = Box()
box.a = torch.ones(3)
d = torch.ones(3, dtype=torch.float64)
s = torch.dot(box.a, d)""", [
        "box.a = torch.ones(3, dtype=torch.float64) at p.py:4", "box.a.double()"]),
    "an expression": (IMPORT + """\
a = torch.ones(3)
b = torch.ones(3)
d = torch.ones(3, 3, dtype=torch.float64)
s = d @ (a + b)""", [
        "(a + b).double()"]),
    "a list": (IMPORT + """\
parts = [torch.ones(2, 2), torch.ones(2, 2).double()]
c = torch.linalg.multi_dot(parts)""", [
        "parts[0] = parts[0].double() before p.py:3", "parts[1] = parts[1].float() before p.py:3"]),
    "a layer in the middle": (MIDDLE + """\
net(torch.ones(2, 3))""", [
        "leave out .double() at p.py:12", 'run under torch.policy("permissive")']),
    "two frames": (NET + """\
def step(model, batch):
    out = model(batch)
    return out.sum()
x = torch.from_numpy(np.ones((4, 3)))
step(net, x)""", [
        "x = torch.from_numpy(np.ones((4, 3))).float() at p.py:17", "x.float()", "model.double() before p.py:15"]),
    "a target": (IMPORT + """\
out = torch.empty(3, dtype=torch.int64)
torch.add(torch.ones(3), torch.ones(3), out=out)""", [
        "out = torch.empty(3, dtype=torch.float32) at p.py:2"]),
    "layers in a loop": (NET + """\
x = torch.from_numpy(np.ones((4, 3)))
layers = [net.fc, net.head]
for layer in layers:
    x = layer(x)""", [
        "x = torch.from_numpy(np.ones((4, 3))).float() at p.py:14", "x.float()"]),
    "an argument made in the call": (NET + """\
y = net(torch.from_numpy(np.ones((4, 3))))""", [
        "x.float()", "net.double() before p.py:14"]),
    "on several lines": (IMPORT + """\
a = torch.ones(2, 3)
b = torch.ones(
    3, 2,
    dtype=torch.float64)
c = torch.mm(a, b)""", [
        "a = torch.ones(2, 3, dtype=torch.float64) at p.py:2", "a.double()", "b.float()"]),
    "behind an else": (NET + """\
x = torch.from_numpy(np.ones((4, 3)))
if x is None:
    pass
elif net(x).sum() > 0:
    pass""", [
        "x = torch.from_numpy(np.ones((4, 3))).float() at p.py:14", "x.float()"]),
}


@pytest.mark.cpu_only("NumPy's data lies on the CPU")
@pytest.mark.parametrize("name", PROGRAMS)
def test_each_fix_mends_the_program(name, tmp_path):
    source, expected = PROGRAMS[name]
    error = fails(tmp_path / "p.py", source)
    texts = [fix["text"] for fix in error.karat["fixes"]]
    assert texts[:len(expected)] == expected, str(error)
    assert "self." not in " ".join(texts) or "self." in source
    for i, text in enumerate(texts):
        run(tmp_path / f"q{i}.py", edited(source, error, text))


def test_numpys_float64_is_told(tmp_path):
    numpys = str(fails(tmp_path / "p.py", PROGRAMS["numpy into a net"][0]))
    assert "\n  x is float64 because NumPy's numbers are; the default dtype is float32\n" in numpys
    for name in ("both made so", "a net of halves", "in place"):
        assert "NumPy" not in str(fails(tmp_path / f"{name[0]}.py", PROGRAMS[name][0]))


def test_a_line_that_made_something_else_is_not_rewritten(tmp_path):
    """The operand is a sum: another dtype for one of the two leaves it what it is."""
    source = IMPORT + """\
a = torch.ones(3).double()
b = torch.zeros(3, dtype=torch.float64)
x = b + a
y = torch.dot(x, torch.ones(3))"""
    error = fails(tmp_path / "p.py", source)
    texts = [fix["text"] for fix in error.karat["fixes"]]
    assert "x.float()" in texts and not any("p.py:3" in text or "p.py:2" in text for text in texts), texts


def test_without_the_source_the_signature_names_the_operands():
    with pytest.raises(RuntimeError) as caught:
        exec(compile("import karat\nkarat.mm(karat.ones(2, 2), karat.ones(2, 2).half())", "<nowhere>", "exec"), {})
    assert "keep mat2 in float32 (<nowhere>:2), or self.half()" in str(caught.value)


def test_a_name_that_would_have_to_be_called_is_left_alone(tmp_path):
    source = IMPORT + """\
class Sly:
    @property
    def weight(self):
        raise SystemExit("called")
    def __getattribute__(self, name):
        raise SystemExit("asked")
sly, halves = Sly(), torch.ones(2, 2).half()
try:
    torch.mm(torch.ones(2, 2), sly.weight if False else halves)
except RuntimeError as e:
    assert "fix:" in str(e)
"""
    run(tmp_path / "p.py", source)
