"""What a person would type to mend a refused call, in the words of the program's own source.

The engine asks while it explains a refusal (engine/site.c), so that the frames are those of the refused call. An answer is a
text; None: the source does not show it. Nothing of the program is run: names are looked up, attributes are read where an object
keeps them, and what would have to be called stays unknown. A line is only rewritten where the value that it made is the operand
itself."""

import ast
import dis
import itertools
import linecache
import os
import sys
import types

from . import Tensor
from . import dtype as DType
from .nn.modules.module import Module
from .nn.parameter import Parameter

_OWN = os.path.dirname(__file__) + os.sep
_UNKNOWN = object()
_TAKE_DTYPE = frozenset("""arange as_tensor asarray empty empty_like empty_strided eye full full_like linspace logspace new_empty
    new_full new_ones new_tensor new_zeros normal ones ones_like rand rand_like randint randn randn_like randperm tensor zeros
    zeros_like""".split())
_CALLS = (ast.Call, ast.BinOp, ast.UnaryOp, ast.Compare, ast.AugAssign, ast.Subscript)


# ---- the source ----


class _File:
    """The syntax tree of a file: its nodes by their places, and what each stands in."""

    def __init__(self, lines):
        self.lines, self.places, self.above = lines, {}, {}
        for node in ast.walk(ast.parse("".join(lines))):
            for child in ast.iter_child_nodes(node):
                self.above[child] = node
            if isinstance(node, _CALLS):
                self.places.setdefault((node.lineno, node.end_lineno, node.col_offset, node.end_col_offset), node)

    def text(self, node):
        """A node of one line as it is written; None: of several lines."""
        if node.lineno != node.end_lineno:
            return None
        return self.lines[node.lineno - 1].encode()[node.col_offset:node.end_col_offset].decode()

    def operand(self, node):
        """The text of a node to which a method's call can be appended."""
        text = self.text(node)
        return f"({text})" if text and isinstance(node, (ast.BinOp, ast.UnaryOp, ast.Compare, ast.IfExp, ast.Lambda)) else text

    def statement(self, node):
        while node is not None and not isinstance(node, ast.stmt):
            node = self.above.get(node)
        return node

    def alone(self, statement):
        """Does the statement have its line for itself?"""
        text = self.text(statement)
        return text is not None and self.lines[statement.lineno - 1].split("#")[0].strip() == text

    def rewritten(self, statement, node, new):
        """The statement's line with another text in place of the node; None: it is not one line."""
        if not self.alone(statement):
            return None
        line = self.lines[statement.lineno - 1].encode()
        changed = line[statement.col_offset:node.col_offset] + new.encode() + line[node.end_col_offset:statement.end_col_offset]
        return changed.decode()


_MOST_LINES = 20_000  # a longer file takes seconds to parse
_files = {}  # by name: the lines, and what they say


def _parsed(name):
    lines = linecache.getlines(name)
    if not 0 < len(lines) <= _MOST_LINES:
        return None
    if name not in _files or _files[name][0] is not lines:
        try:
            _files[name] = lines, _File(lines)
        except (SyntaxError, ValueError, RecursionError):
            _files[name] = lines, None
    return _files[name][1]


def _node_at(code, offset):
    """The file and the node that an instruction belongs to; (None, None): not known."""
    place = next(itertools.islice(code.co_positions(), offset // 2, None), None)
    file = _parsed(code.co_filename) if place and None not in place else None
    node = file.places.get(place) if file else None
    return (file, node) if node is not None else (None, None)


def _place(code, node):
    return f"{os.path.basename(code.co_filename)}:{node.lineno}"


# ---- values, without running anything ----


def _frames():
    """The frames of the program, innermost first."""
    frame = sys._getframe(1)
    while frame:
        if not frame.f_code.co_filename.startswith(_OWN):
            yield frame
        frame = frame.f_back


def _attributes(thing):
    """An object's attributes; what a class says instead is the program's own."""
    kept = next((vars(cls)["__dict__"] for cls in type(thing).__mro__ if "__dict__" in vars(cls)), None)
    if isinstance(kept, (types.GetSetDescriptorType, types.MemberDescriptorType)):
        return kept.__get__(thing)
    return {}


def _is_module(thing):
    return issubclass(type(thing), Module)  # isinstance asks a proxy's __class__


def _kept(thing, name):
    """An attribute that an object keeps itself."""
    if issubclass(type(thing), Tensor):
        return Tensor.grad.__get__(thing) if name == "grad" else _UNKNOWN
    own = _attributes(thing)
    tables = [own]
    if _is_module(thing):
        tables += (own.get(table, {}) for table in ("_parameters", "_buffers", "_modules"))
    return next((table[name] for table in tables if name in table), _UNKNOWN)


def _element(thing, index):
    if _is_module(thing):
        thing, index = _attributes(thing).get("_modules"), str(index) if type(index) in (int, str) else _UNKNOWN
    if type(thing) not in (list, tuple, dict) or type(index) not in (int, str):
        return _UNKNOWN
    try:
        return thing[index]
    except (LookupError, TypeError):
        return _UNKNOWN


def _value(node, frame):
    if isinstance(node, ast.Constant):
        return node.value
    if isinstance(node, ast.Name):
        return frame.f_locals.get(node.id, frame.f_globals.get(node.id, _UNKNOWN))
    if isinstance(node, ast.Attribute):
        return _kept(_value(node.value, frame), node.attr)
    if isinstance(node, ast.Subscript):
        return _element(_value(node.value, frame), _value(node.slice, frame))
    return _UNKNOWN


def _parts(node):
    """The expressions whose values a call may take."""
    if isinstance(node, ast.Call):
        first = [node.func.value] if isinstance(node.func, ast.Attribute) else []
        parts = first + node.args + [keyword.value for keyword in node.keywords]
    elif isinstance(node, ast.Compare):
        parts = [node.left, *node.comparators]
    elif isinstance(node, ast.BinOp):
        parts = [node.left, node.right]
    elif isinstance(node, ast.AugAssign):
        parts = [node.target, node.value]
    else:
        parts = [getattr(node, "operand", None) or node.value]
    for part in parts:
        if isinstance(part, (ast.List, ast.Tuple)):
            yield from part.elts
        else:
            yield part


def _is_ours(node, frame):
    """Does the node call the engine with the values of its parts: an operator, a function or layer of ours, a method?"""
    if not isinstance(node, ast.Call):
        return True
    called = _value(node.func, frame)
    if called is _UNKNOWN:
        return isinstance(node.func, ast.Attribute)
    home = (called if isinstance(called, types.FunctionType) else type(called)).__module__
    return isinstance(home, str) and home.split(".")[0] in ("karat", "torch", "builtins")


# ---- answers ----


def _frame_of(code):
    return next((frame for frame in _frames() if frame.f_code is code), None)


def _holds(module, tensors):
    own = {id(t) for t in _registered(module, set())}
    return all(id(t) in own for t in tensors)


def _registered(module, seen):
    """The parameters and buffers of a module and those below it, by its tables: its own methods may be the program's."""
    if not _is_module(module) or id(module) in seen:
        return
    seen.add(id(module))
    tables = _attributes(module)
    for name in ("_parameters", "_buffers"):
        yield from tables.get(name, {}).values()
    for child in tables.get("_modules", {}).values():
        yield from _registered(child, seen)


def _operand(code, offset, wanted, others, at):
    """As the refused call writes it: where the value is the operand itself, stands in its place, or is the one that is left."""
    file, node = _node_at(code, offset)
    frame = _frame_of(code)
    if node is None or frame is None:
        return None  # "", below: the call does not show it
    parts = [part for part in _parts(node) if not isinstance(part, ast.Starred)]
    values = [_value(part, frame) for part in parts]
    for part, value in zip(parts, values):
        if value is wanted[0]:
            return file.operand(part) or ""
    layer = _value(node.func, frame) if isinstance(node, ast.Call) else None
    tensors = [part for part, value in zip(parts, values) if value is _UNKNOWN or any(value is t for t in others)]
    if at == 0 and layer is _UNKNOWN and values[0] is _UNKNOWN and isinstance(node.func, ast.Attribute):
        return file.operand(parts[0]) or ""  # a method's own tensor
    if not _is_module(layer) and len(tensors) == len(others) + 1 and _is_ours(node, frame):
        return file.operand(tensors[at]) or ""
    seen = [t for t in others if any(t is value for value in values) or (_is_module(layer) and _holds(layer, [t]))]
    open_ones = [part for part, value in zip(parts, values) if value is _UNKNOWN]
    if len(open_ones) == 1 and len(seen) == len(others) and _is_ours(node, frame):
        return file.operand(open_ones[0]) or ""
    return ""


def _birth(code, offset, wanted, cast, dtype):
    """The line that made the operand, changed so that it makes it with the dtype."""
    file, node = _node_at(code, offset)
    statement = file.statement(node) if file else None
    if not isinstance(statement, ast.Assign) or len(statement.targets) != 1 or not file.alone(statement):
        return None
    inner = statement.value  # name = made(...).moved(...)
    while inner is not node:
        if not isinstance(inner, ast.Call) or not isinstance(inner.func, ast.Attribute) or not all(
                isinstance(a, ast.Constant) for a in (*inner.args, *(k.value for k in inner.keywords))):
            return None
        inner = inner.func.value
    if not isinstance(node, ast.Call) or not _is_target(code, statement.targets[0], wanted[0]):
        return None
    if _takes_dtype(node):
        part, new = node, _with_dtype(file, node, dtype)
    else:
        part, new = statement.value, f"{file.operand(statement.value)}.{cast}"
    if new is None or (part is not node and wanted[0].requires_grad and wanted[0].is_leaf):  # a cast of a leaf is no leaf
        return None
    line = file.rewritten(statement, part, new)
    return line and f"{line} at {_place(code, statement)}"


def _is_target(code, target, value):
    """Is what the line assigned to still the value, in a frame of that code or of its file's own names?"""
    for frame in _frames():
        if frame.f_code is code or (frame.f_code.co_filename == code.co_filename and not isinstance(target, ast.Name)):
            if _value(target, frame) is value:
                return True
        elif code.co_name == "<module>" and frame.f_globals.get("__file__") == code.co_filename:
            if isinstance(target, ast.Name) and frame.f_globals.get(target.id) is value:
                return True
    return False


def _with_dtype(file, call, dtype, frame=None):
    """A call's text with another dtype, or with dtype=; None: it is not one line."""
    text = file.text(call)
    given = next((keyword.value for keyword in call.keywords if keyword.arg == "dtype"), None)
    if given is None and frame:
        given = next((argument for argument in call.args if isinstance(_value(argument, frame), DType)), None)
    if text is None or any(keyword.arg is None for keyword in call.keywords):
        return None
    if given is not None:
        at, end = given.col_offset - call.col_offset, given.end_col_offset - call.col_offset
        return (text.encode()[:at] + dtype.encode() + text.encode()[end:]).decode()
    return f"{text[:-1].rstrip().rstrip(',')}{', ' if call.args or call.keywords else ''}dtype={dtype})"


def _takes_dtype(call):
    name = call.func.attr if isinstance(call.func, ast.Attribute) else getattr(call.func, "id", None)
    return name in _TAKE_DTYPE or any(keyword.arg == "dtype" for keyword in call.keywords)


def _dropped(code, offset, wanted):
    """The cast of a line that should not be there: its value is the operand itself, or the operand is a parameter of what was
    cast. "": it is another's."""
    file, node = _node_at(code, offset)
    if node is None:
        return None
    if not isinstance(node, ast.Call) or not isinstance(node.func, ast.Attribute) or file.text(node) is None:
        return ""
    if node.func.attr in ("to", "type") and (len(node.args) + len(node.keywords) > 1):
        return ""  # it moves, too
    statement = file.statement(node)
    assigned = isinstance(statement, ast.Assign) and statement.value is node and _is_target(code, statement.targets[0], wanted[0])
    if not (assigned or isinstance(wanted[0], Parameter) or _is_part_of_call(node)):
        return ""
    receiver = file.text(node.func.value)
    return receiver and f"leave out {file.text(node)[len(receiver):]} at {_place(code, node)}"


def _is_part_of_call(node):
    frame = next(_frames(), None)
    call = frame and _node_at(frame.f_code, frame.f_lasti)[1]
    return bool(call) and any(part is node for part in _parts(call))


def _holder(code, offset, wanted, others, cast):
    """What holds the operands, changed before the call: a list of the program's, or the module of these parameters. "": a layer
    holds them, and what it is given comes from inside of a module, so that one layer alone would only move the error."""
    frame = _frame_of(code)
    if frame is None:
        return None
    return _in_list(frame, wanted, cast) or _in_module(frame, wanted, others, cast)


def _in_list(frame, wanted, cast):
    file, node = _node_at(frame.f_code, frame.f_lasti)
    for part in _parts(node) if isinstance(node, ast.Call) else ():
        value = _value(part, frame)
        if type(value) is list and all(any(t is element for element in value) for t in wanted) and file.text(part):
            head = _head_of_line(file, node)
            elements = [f"{file.text(part)}[{i}]" for i, element in enumerate(value) if any(t is element for t in wanted)]
            return head and "; ".join(f"{e} = {e}.{cast}" for e in elements) + f" before {_place(frame.f_code, head)}"
    return None


def _in_module(frame, wanted, others, cast):
    """The outermost module that was given the other operands as they are."""
    answer, given = None, True
    while frame and given:
        if not frame.f_code.co_filename.startswith(_OWN):
            file, node = _node_at(frame.f_code, frame.f_lasti)
            layer = _value(node.func, frame) if isinstance(node, ast.Call) else None
            if _is_module(layer):
                if not _holds(layer, wanted):
                    return answer
                head = _head_of_line(file, node)
                answer = f"{file.text(node.func)}.{cast} before {_place(frame.f_code, head)}" if head else ""
            given = not _is_forward(frame) or all(_is_argument(frame, t) or _holds(frame.f_locals["self"], [t]) for t in others)
        frame = frame.f_back
    return answer if given or answer is None else ""


def _is_forward(frame):
    return frame.f_code.co_varnames[:1] == ("self",) and _is_module(frame.f_locals.get("self"))


def _is_argument(frame, value):
    """Was the value given to the frame's function?"""
    code = frame.f_code
    names = code.co_varnames[:code.co_argcount + code.co_kwonlyargcount]
    stored = {instruction.argval for instruction in dis.get_instructions(code) if instruction.opname == "STORE_FAST"}
    return any(frame.f_locals.get(name) is value and name not in stored for name in names)


def _head_of_line(file, node):
    """The statement before which a line can be put; None: there is none, as within a line."""
    statement = file.statement(node)
    while isinstance(statement, ast.If) and file.lines[statement.lineno - 1].lstrip().startswith("elif"):
        statement = file.above[statement]
    before = file.lines[statement.lineno - 1].encode()[:statement.col_offset].decode()
    return None if before.strip() else statement


def _call(code, offset, dtype):
    """The refused call with dtype=."""
    file, node = _node_at(code, offset)
    return _with_dtype(file, node, dtype, _frame_of(code)) if isinstance(node, ast.Call) else None


def _out_of_place(code, offset):
    """The refused statement with a new tensor: a += b, or a.add_(b), where a is a variable."""
    file, node = _node_at(code, offset)
    statement = file.statement(node) if file else None
    if statement is None or not file.alone(statement):
        return None
    if node is statement and isinstance(node, ast.AugAssign):
        target, value = file.text(node.target), file.operand(node.value)
        sign = file.text(node)[len(target):].split("=", 1)[0].strip()
        return f"{target} = {target} {sign} {value}" if isinstance(node.target, (ast.Name, ast.Attribute)) else None
    method = node.func if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) else None
    if method is None or statement.__class__ is not ast.Expr or statement.value is not node or not method.attr.endswith("_"):
        return None
    if not isinstance(method.value, (ast.Name, ast.Attribute)):
        return None
    target = file.text(method.value)
    return f"{target} = {target}.{method.attr[:-1]}{file.text(node)[len(target) + 1 + len(method.attr):]}"


def answer(about, code, offset, wanted, others, at, cast, dtype):
    """The answer to a question of karat/plugin/site.h."""
    if about == "operand":
        return _operand(code, offset, wanted, others, at)
    if about == "birth":
        return _birth(code, offset, wanted, cast, dtype)
    if about == "holder":
        return _holder(code, offset, wanted, others, cast)
    return {"cast": lambda: _dropped(code, offset, wanted), "call": lambda: _call(code, offset, dtype),
            "new": lambda: _out_of_place(code, offset)}[about]()
