"""What an error proposes is typed into the program that failed, as a person would, and the program then runs."""

import ast
import functools
import importlib.util
import re
import time

import karat
import pytest
from mistaken_programs import HEAD, programs

PLACED = re.compile(r"^(?P<words>.*) at (?P<file>[^ ]+\.py):(?P<line>\d+)$")
BEFORE = re.compile(r"^(?P<words>.*) before (?P<file>[^ ]+\.py):(?P<line>\d+)$")
LEAVE = re.compile(r"^leave out (?P<old>.*) at (?P<file>[^ ]+\.py):(?P<line>\d+)$")
INSTEAD = re.compile(r"^(?P<new>.*) instead of (?P<old>.*) at (?P<file>[^ ]+\.py):(?P<line>\d+)$")


WATCHED = """
def answer(*question):
    try:
        return real(*question)
    except Exception as error:
        raised.append(error)
        raise
"""


@pytest.fixture(autouse=True)
def every_question_is_answered(monkeypatch):
    """An exception would only leave an answer out. Those who are asked look at the frames: this one is the package's."""
    from karat import _source

    space = {"real": _source.answer, "raised": []}
    exec(compile(WATCHED, _source.__file__, "exec"), space)
    monkeypatch.setattr(_source, "answer", space["answer"])
    yield
    assert not space["raised"]


def run(path, source):
    path.write_text(source)
    spec = importlib.util.spec_from_file_location(path.stem, path)
    spec.loader.exec_module(importlib.util.module_from_spec(spec))


def indent(line):
    return line[:len(line) - len(line.lstrip())]


def nodes_of(source, line):
    """The expressions of the statements in the line; of those with a body, what is in the line of their heads."""
    found = []
    for statement in ast.walk(ast.parse(source)):
        begin = min([node.lineno for node in (statement, *getattr(statement, "decorator_list", ())) if hasattr(node, "lineno")],
                    default=0)
        if isinstance(statement, ast.stmt) and begin <= line <= statement.end_lineno:
            nodes = [node for part in ast.iter_child_nodes(statement) if not isinstance(part, ast.stmt) for node in ast.walk(part)
                     if isinstance(node, ast.expr)]
            found += [node for node in nodes if not hasattr(statement, "body") or node.lineno <= line <= node.end_lineno]
    return found


def replace(source, nodes, new):
    """The source with `new` in place of the nodes, none of which is in another."""
    lines = source.encode().split(b"\n")
    begins = [sum(len(line) + 1 for line in lines[:i]) for i in range(len(lines))]
    places = {(begins[node.lineno - 1] + node.col_offset, begins[node.end_lineno - 1] + node.end_col_offset) for node in nodes}
    text = source.encode()
    for begin, end in sorted(places, reverse=True):
        text = text[:begin] + new.encode() + text[end:]
    return text.decode()


def is_like(node, new):
    """Is the node the call that `new` is, but for dtype= or a cast?"""
    return isinstance(node, ast.Call) and ast.unparse(node.func) == ast.unparse(new.func)


def typed(source, line, new):
    """`new` is an operand and a cast: written in place of each such operand; or a call: in place of the one that is like it."""
    call, nodes = ast.parse(new, mode="eval").body, nodes_of(source, line)
    old = ast.unparse(call.func.value if isinstance(call, ast.Call) and isinstance(call.func, ast.Attribute) else
                      getattr(call, "value", call))
    operands = [node for node in nodes if ast.unparse(node) == old and not isinstance(getattr(node, "ctx", None), ast.Store)]
    if isinstance(call, ast.Call) and (any(is_like(node, call) for node in nodes) or
                                       any(k.arg == "dtype" for k in call.keywords)):
        operands = [node for node in nodes if is_like(node, call)]
        assert len(operands) == 1, (source, new)
    elif isinstance(call, ast.Subscript):
        operands = [node for node in nodes if isinstance(node, ast.Subscript) and ast.unparse(node.value) == old]
        assert len(operands) == 1, (source, new)
    assert operands, (source, new)
    return replace(source, operands, new)


def edited(source, error, text):
    """The source with a proposed fix typed into it."""
    parts = text.split(" and ")
    if len(parts) > 1 and all(PLACED.match(part) for part in parts):
        return functools.reduce(lambda source, part: edited(source, error, part), parts, source)
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
    with pytest.raises((RuntimeError, TypeError, NotImplementedError, ValueError, IndexError)) as caught:
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
        "leave out .half() at p.py:14", "y = net(torch.ones(4, 3, dtype=torch.float16)) at p.py:15", "x.half()"]),
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
    "two states": (IMPORT + """\
lstm = torch.nn.LSTM(3, 4)
h = torch.zeros(1, 2, 4, dtype=torch.float64)
c = torch.zeros(1, 2, 4, dtype=torch.float64)
y, _ = lstm(torch.ones(5, 2, 3), (h, c))""", [
        "h = torch.zeros(1, 2, 4, dtype=torch.float32) at p.py:3 and c = torch.zeros(1, 2, 4, dtype=torch.float32) at p.py:4",
        "h.float() and c.float()"]),
    "made in the refused call": (NET + """\
images = np.ones((4, 3), dtype=np.uint8)
y = net.fc(torch.from_numpy(images))""", [
        "y = net.fc(torch.from_numpy(images).float()) at p.py:15", 'run under torch.policy("permissive")']),
    "used before inside": (IMPORT + """\
class Low(torch.nn.Module):
    def __init__(self, base):
        super().__init__()
        self.base = base
        self.a = torch.nn.Parameter(torch.randn(3, 3))
    def forward(self, x):
        return self.base(x) + x @ self.a
low = Low(torch.nn.Linear(3, 3).bfloat16())
x = torch.randn(2, 3, dtype=torch.bfloat16)
y = low(x)""", [
        "x.float() @ self.a instead of x @ self.a at p.py:8",
        "self.a = torch.nn.Parameter(torch.randn(3, 3, dtype=torch.bfloat16)) at p.py:6"]),
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
        "leave out .double() at p.py:2", "parts = [torch.ones(2, 2, dtype=torch.float64), torch.ones(2, 2).double()] at p.py:2",
        "parts[0] = parts[0].double() before p.py:3"]),
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
        "y = net(torch.from_numpy(np.ones((4, 3))).float()) at p.py:14", "x.float()", "net.double() before p.py:14"]),
    "on several lines": (IMPORT + """\
a = torch.ones(2, 3)
b = torch.ones(
    3, 2,
    dtype=torch.float64)
c = torch.mm(a, b)""", [
        "a = torch.ones(2, 3, dtype=torch.float64) at p.py:2", "a.double()", "b.float()"]),
    "moved to a device": (NET + """\
device = torch.device("cpu")
x = torch.from_numpy(np.ones((4, 3))).to(device)
y = net(x)""", [
        "x = torch.from_numpy(np.ones((4, 3))).to(device).float() at p.py:15", "x.float()", "net.double() before p.py:16"]),
    "returned by a function": (NET + """\
def load(n):
    target = torch.ones(n)
    x = torch.from_numpy(np.ones((n, 3)))
    return x, target
x, target = load(4)
y = net(x)""", [
        "x = torch.from_numpy(np.ones((n, 3))).float() at p.py:16", "x.float()", "net.double() before p.py:19"]),
    "moved and cast at once": (NET + """\
device = torch.device("cpu")
x = torch.ones(4, 3)
x = x.to(device, torch.float64)
y = net(x)""", [
        ".to(device) instead of .to(device, torch.float64) at p.py:16", "net.double() before p.py:17"]),
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


SLY = """\
class Sly(dict):
    def get(self, *name):
        asked.append(name)
        return dict.get(self, *name)
    __contains__ = lambda self, name: asked.append(name)
    values = items = keys = lambda self: asked.append("all")
class Body(type):
    __prepare__ = classmethod(lambda *_: Sly(float=torch.ones(2), double=torch.ones(2).double()))
class Asked(type):
    __mro__ = __dict__ = property(lambda cls: asked.append("class") or ())
class Kept:
    pass
class Classed(metaclass=Asked):
    pass
class Liar(torch.Tensor):
    dtype = requires_grad = is_leaf = _base = property(lambda self: asked.append("attribute"))
class Function(torch.Tensor):
    @classmethod
    def __torch_function__(cls, function, types, args=(), kwargs=None):
        asked.append(function)
        return super().__torch_function__(function, types, args, kwargs or {})
asked, floats, double = [], torch.ones(2), torch.ones(2).double()
"""
REFUSED = {
    "a class's body": "class Made(metaclass=Body):\n    made = torch.dot(float, double)",
    "an object's names": "kept = Kept()\nkept.__dict__ = Sly(double=double)\ntorch.dot(floats, kept.double)",
    "an object's class": "kept = Classed()\nkept.double = double\ntorch.dot(floats, kept.double)",
    "a module's tables": "layer = torch.nn.Linear(2, 2)\nlayer._parameters = Sly(layer._parameters)\n"
                         "layer(double)",
    "attributes of a subclass": "liar = double.as_subclass(Liar)\ntorch.dot(floats, liar)",
    "another tensor under the name": "liar, beside = double, double.as_subclass(Liar)\nliar = beside[:]\n"
                                     "torch.dot(floats, beside[:2])",
    "a subclass's function": "double, other = floats.as_subclass(Function), double\ntorch.dot(floats, other)",
}


@pytest.mark.parametrize("refused", REFUSED)
def test_what_a_program_says_about_its_objects_is_not_asked(refused, tmp_path):
    lines = REFUSED[refused].split("\n")
    lines.insert(-1, "    del asked[:]" if lines[-1].startswith(" ") else "del asked[:]")
    caught = "try:\n" + "".join(f"    {line}\n" for line in lines) + "except RuntimeError as e:\n    error = e\n"
    run(tmp_path / "p.py", IMPORT + SLY + caught + "assert 'fix:' in str(error)\nassert not asked, asked\n")


def test_a_call_by_super_is_not_rewritten(tmp_path):
    source = IMPORT + """\
class Method(torch.Tensor):
    def dot(self, other):
        return super().dot(other)
class Function(torch.Tensor):
    @classmethod
    def __torch_function__(cls, function, types, args=(), kwargs=None):
        return super().__torch_function__(function, types, args, kwargs or {})
"""
    for call in ("torch.ones(2).as_subclass(Method).dot(torch.ones(2).double())",
                 "torch.dot(torch.ones(2), torch.ones(2).double().as_subclass(Function))"):
        texts = [fix["text"] for fix in fails(tmp_path / "p.py", source + call).karat["fixes"]]
        assert texts and not any("super()" in text or "kwargs" in text for text in texts), texts


MISTAKEN = programs()
SAYS = {  # what the first fixes of some of them say
    "attention's mask": ["mask = torch.zeros(3, 3, dtype=torch.float32) at p.py:7", "mask.float()"],
    "transformer mask": ["mask = torch.zeros(3, 3, dtype=torch.float32) at p.py:7", "mask.float()"],
    "lstm input": ["x = torch.from_numpy(np.ones((3, 1, 4))).float() at p.py:6", "x.float()", "rnn.double() before p.py:7"],
    "lstm states": ["leave out .double() at p.py:7"],
    "gru state": ["h = torch.zeros(2, 1, 2, dtype=torch.float32) at p.py:7", "h.float()"],
    "linear without a name": ["nn.Linear(3, 4).double() at p.py:5"],
    "sequential, one layer of another dtype": ["leave out .double() at p.py:5", 'run under torch.policy("permissive")'],
    "indices": ["indices = torch.tensor([0.0, 1.0], dtype=torch.int64) at p.py:6", "indices.long()"],
    "indices computed": ["(i / 2).long()"],
    "embedding of a quotient": ["(ids / 2).long()"],
    "a float as a size": ["n = torch.tensor(3.0, dtype=torch.int64) at p.py:5", "n.long()"],
    "labels as floats": ["leave out .float() at p.py:5"],
    "addmm, one tensor twice": ["a = torch.ones(2, 2, dtype=torch.float64) at p.py:5", "a.double()"],
    "bool in place": ["c = (torch.ones(3) > 0).float() at p.py:5"],
    "integers in an item": ["i = torch.arange(6, dtype=torch.float32).reshape(2, 3) at p.py:5"],
    "augmented attribute matmul": ["box.m = torch.eye(2, dtype=torch.float64) at p.py:7", "box.m = box.m.double() before p.py:8"],
    "starred keywords": ['options = {"mat2": torch.ones(3, 2, dtype=torch.float32)} at p.py:5',
                         'options["mat2"] = options["mat2"].float() before p.py:6'],
    "annotated": ["x: torch.Tensor = torch.from_numpy(np.ones((2, 3))).float() at p.py:6"],
    "tuple": ["a, b = torch.ones(2), torch.from_numpy(np.ones(2)).float() at p.py:5"],
    "attribute": ["self.scale = torch.from_numpy(np.ones(2)).float() at p.py:7"],
    "a dictionary": ['batch = {"x": torch.from_numpy(np.ones((2, 3))).float()} at p.py:5'],
    "parameter of integers": ["torch.arange(3).float()"],
    "returned by a function": ["load().float()", "fc.double() before p.py:9"],
    "mse in backward": ["t = torch.from_numpy(np.ones((2, 1))).float() at p.py:7", "t.float()"],
    "mse layer in backward, in a function": ["step(torch.ones(2, 3), torch.from_numpy(np.ones((2, 1))).float()) at p.py:11",
                                             "target.float()"],
}
ALSO = {  # and what is among the others
    "walrus": "torch.ones(2, dtype=torch.float32) at p.py:6",
    "default of a parameter": "torch.ones(2, dtype=torch.float32) at p.py:5",
    "loop over a list": "torch.ones(3, dtype=torch.float32) at p.py:6",
    "two names": "a = b = torch.ones(2, dtype=torch.float32) at p.py:5",
}
NOT_SHOWN = {"partial", "vmap", "a starred tuple"}  # the call does not show the operand


@pytest.mark.cpu_only("NumPy's data lies on the CPU")
@pytest.mark.parametrize("name", MISTAKEN)
def test_each_fix_of_a_mistaken_program_mends_it(name, tmp_path):
    source = MISTAKEN[name]
    error = fails(tmp_path / "p.py", source)
    texts = [fix["text"] for fix in error.karat["fixes"]]
    expected = SAYS.get(name, [])
    assert texts[:len(expected)] == expected, str(error)
    assert ALSO.get(name) in [None, *texts], str(error)
    told = [text for text in texts if text.startswith("cast ")]
    assert len(set(texts)) == len(texts) and bool(told) == (name in NOT_SHOWN), str(error)
    for i, text in enumerate(text for text in texts if text not in told):
        run(tmp_path / f"q{i}.py", edited(source, error, text))


@pytest.mark.cpu_only("NumPy's data lies on the CPU")
def test_a_refusal_in_backward_names_the_recorded_line(tmp_path):
    source = HEAD + """\
net = nn.Linear(3, 1)
t = torch.from_numpy(np.ones((2, 1)))
loss = F.mse_loss(net(torch.ones(2, 3)), t)
print()
loss.backward()"""
    error = fails(tmp_path / "p.py", source)
    assert error.karat["line"] == 7 and "p.py:9" not in str(error)
    assert str(error).endswith("\n  in the backward of mse_loss, recorded at p.py:7")
    assert "\n  t is float64 because NumPy's numbers are" in str(error)


def test_what_a_hook_computes_in_backward_is_the_programs(tmp_path):
    """Of a node, of a gradient, or one that unpacks what was saved: its own line is named."""
    start = IMPORT + "x, w = torch.ones(3, requires_grad=True), torch.ones(3).double()\ny = x.exp()\n"
    for source in ("y.register_hook(lambda grad: torch.dot(grad, w))\ny.sum().backward()",
                   "y.grad_fn.register_prehook(lambda grads: torch.dot(grads[0], w))\ny.sum().backward()",
                   "with torch.autograd.graph.saved_tensors_hooks(lambda t: t, lambda t: torch.dot(t, w)):\n    z = x * x\n"
                   "z.sum().backward()"):
        error = fails(tmp_path / f"p{abs(hash(source))}.py", start + source)
        assert error.karat["op"] == "dot" and error.karat["line"] == 4, str(error)


def test_a_librarys_lines_are_left_alone(tmp_path, monkeypatch):
    """What the program gave to the library is mended where it gave it."""
    folder = tmp_path / "site-packages"
    folder.mkdir()
    (folder / "mylib_of_layers.py").write_text(IMPORT + """\
class Layer(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.fc = torch.nn.Linear(3, 2)
        self.scale = torch.ones(2).double()

    def forward(self, x):
        return self.fc(x)

    def scaled(self, x):
        return torch.dot(x, self.scale)
""")
    monkeypatch.syspath_prepend(str(folder))
    start = IMPORT + "from mylib_of_layers import Layer\nnet = Layer()\n"
    for k, (source, expected) in enumerate((
            ("x = torch.ones(1, 3).double()\ny = net(x)", ["leave out .double() at p0.py:4", "net.double() before p0.py:5"]),
            ("x = torch.ones(1, 3) / torch.ones(1).double()\ny = net(x)",
             ["net.double() before p1.py:5", "x.float() at p1.py:5"]),
            ("y = net.scaled(torch.ones(2))", []))):
        error = fails(tmp_path / f"p{k}.py", start + source)
        texts = [fix["text"] for fix in error.karat["fixes"]]
        assert texts[:len(expected)] == expected and not any("mylib" in text for text in texts), str(error)
        for i, text in enumerate(texts):
            run(tmp_path / f"q{k}{i}.py", edited(start + source, error, text))


WRONG_OTHERWISE = """T(2, 3) @ T(2, 3)
T(2, 3) @ T(2, 3).double()
T(2, 3) + T(4).double()
T(3)[5]
T(3)[torch.tensor([7])]
T(3).sum(4)
T(2, 3).view(7)
torch.cat([T(2, 3), T(3, 2).double()])
torch.nn.Linear(3, 2)(T(2, 4).double())
torch.nn.functional.cross_entropy(T(2, 3), torch.tensor([0, 7]))
torch.linalg.cholesky(-torch.eye(2))
T(2).item()
T(2).backward()
torch.add(T(2), None)
T(2) + "x"
torch.dot(T(2), T(3).double())
torch.nn.LSTM(4, 2)(T(3, 1, 5))
torch.nn.LSTM(4, 2)(T(3, 1, 4), (T(1, 1, 3), T(1, 1, 2)))
torch.multinomial(-T(3), 1)
torch.where(T(2), T(3), T(2))
torch.bincount(T(2, 2))
torch.quantile(T(3), 2.0)
T(3).index_add(0, torch.tensor([0]), T(2))
torch.einsum("ij,jk", T(2, 3), T(2, 3))
torch.full((2,), "x")
torch.cdist(T(2, 3), T(2, 4).double())""".split("\n")


@pytest.mark.parametrize("source", WRONG_OTHERWISE)
def test_no_dtype_is_proposed_where_none_would_help(source):
    with pytest.raises(Exception) as caught:
        eval(source, {"torch": karat, "T": karat.ones})
    assert "fix:" not in str(caught.value) and not getattr(caught.value, "karat", {}).get("fixes")


LOOP = """
def caught(a, b, n):
    for _ in range(n):
        try:
            a @ b
        except RuntimeError as error:
            said = error
    return said
"""


def seconds_each(path, lines, at_its_end=""):
    """Of a mistake that is caught again and again, in a file of so many lines."""
    functions = "".join(f"def f{i}(x, y=1):\n    if x > y:\n        return [x, {i}]\n    return '{i}'\n"
                        for i in range(lines // 4))
    path.write_text(IMPORT + functions + LOOP + at_its_end)
    spec = importlib.util.spec_from_file_location(path.stem, path)
    module = importlib.util.module_from_spec(spec)
    begin = time.process_time()
    spec.loader.exec_module(module)
    loaded = time.process_time() - begin
    a, b = karat.ones(2, 2), karat.ones(2, 2).double()
    begin = time.process_time()
    said = module.caught(a, b, 1)
    first = time.process_time() - begin
    assert " a.double() at " in str(said)
    begin = time.process_time()
    module.caught(a, b, 100)
    return loaded, first, (time.process_time() - begin) / 100


def test_a_mistake_in_a_large_file_is_explained_fast(tmp_path):
    small, large = seconds_each(tmp_path / "small.py", 40), seconds_each(tmp_path / "large.py", 40_000)
    assert large[1] < 0.5 * large[0]  # not the whole file is read and parsed again
    assert large[2] < 4 * small[2]


def test_a_block_is_found_in_a_file_of_odd_lines(tmp_path):
    """Strings that look like statements, brackets at the first column, decorators."""
    source = IMPORT + '''\
TEXT = """
def caught(a, b):
    a @ b
"""
import functools
@functools.cache
def name(
):
    """
class A:
    """
    return TEXT
class A:
    text = """
x = 1
"""
    @staticmethod
    def f(a, b):
        """
no = indent
        """
        if a is None:
            pass
        elif a @ b is None:
            pass
    g = lambda a, b: [
a @ b
]
'''
    for call, line in ("A.f(a, b)", 25), ("A.g(a, b)", 28):
        error = fails(tmp_path / f"{call[2]}.py", source + f"a, b = torch.ones(2, 2), torch.ones(2, 2).double()\n{call}\n")
        assert error.karat["line"] == line and "a.double()" in [fix["text"] for fix in error.karat["fixes"]], str(error)


def test_a_function_at_the_end_of_a_longer_statement_is_found(tmp_path):
    """The word that continues the statement is further out than the function."""
    heads = {"try:\n": "except ImportError:\n    pass\n", "if a is None:\n    pass\nelse:\n": "",
             "try:\n    pass\nexcept ImportError:\n    pass\nelse:\n": "finally:\n    pass\n"}
    for number, (head, tail) in enumerate(heads.items()):
        source = IMPORT + "a, b = torch.ones(2), torch.ones(2).double()\n" + head + "    def f(a, b):\n        return a @ b\n"
        error = fails(tmp_path / f"p{number}.py", source + tail + "f(a, b)\n")
        assert "a.double()" in [fix["text"] for fix in error.karat["fixes"]], str(error)
