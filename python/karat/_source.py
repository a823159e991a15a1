"""What a person would type to mend a refused call, in the words of the program's own source.

The engine asks while it explains a refusal (engine/site.c), so that the frames are those of the refused call. An answer is a
text; None: there is no source; "": the source does not show it. Nothing of the program is run: names are looked up, attributes
are read where an object keeps them, and what would have to be called is taken from the frame that it was given to, or stays
unknown. A line is only rewritten where the value that it made is the operand itself, and never one of a library."""

import ast
import dis
import functools
import itertools
import linecache
import os
import re
import sys
import sysconfig
import types
import warnings

from . import Tensor, _karat
from . import device as Device
from . import dtype as DType
from .nn.modules.module import Module
from .nn.parameter import Buffer, Parameter

_OWN = os.path.dirname(__file__) + os.sep
_LIBRARIES = tuple({sysconfig.get_path(name) + os.sep for name in ("stdlib", "platstdlib")})
_UNKNOWN = object()
_TAKE_DTYPE = frozenset("""arange as_tensor asarray empty empty_like empty_strided eye full full_like linspace logspace new_empty
    new_full new_ones new_tensor new_zeros normal ones ones_like rand rand_like randint randn randn_like randperm tensor zeros
    zeros_like""".split())
_CALLS = (ast.Call, ast.BinOp, ast.UnaryOp, ast.Compare, ast.AugAssign, ast.Subscript, ast.Attribute)
_NAMED = (ast.Name, ast.Attribute, ast.Subscript)


# ---- the source ----


class _Block:
    """The syntax tree of some lines of a file: its nodes by their places, and what each stands in."""

    def __init__(self, lines, begin, end):
        self.lines, self.places, self.above = lines, {}, {}
        self.assigned = {}  # by a function's name: statements that assign what it returns
        inside = lines[begin][:1].isspace()
        tree = _tree("if 1:\n" * inside + "".join(lines[begin:end]))
        ast.increment_lineno(tree, begin - inside)
        for node in ast.walk(tree):
            for child in ast.iter_child_nodes(node):
                self.above[child] = node
            if isinstance(node, ast.Assign) and len(node.targets) == 1 and isinstance(node.value, ast.Call):
                function = node.value.func
                self.assigned.setdefault(getattr(function, "attr", getattr(function, "id", None)), []).append(node)
            if isinstance(node, _CALLS):
                self.places.setdefault((node.lineno, node.end_lineno, node.col_offset, node.end_col_offset), node)
            if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):  # over lines: from the method's name on
                name, begin = node.func, node.func.end_col_offset - len(node.func.attr.encode())
                self.places.setdefault((name.end_lineno, node.end_lineno, begin, node.end_col_offset), node)

    def text(self, node):
        """A node of one line as it is written; None: of several lines."""
        if node.lineno != node.end_lineno:
            return None
        return self.lines[node.lineno - 1].encode()[node.col_offset:node.end_col_offset].decode()

    def operand(self, node):
        """The text of a node to which a method's call can be appended."""
        text = self.text(node)
        loose = isinstance(node, (ast.BinOp, ast.BoolOp, ast.UnaryOp, ast.Compare, ast.IfExp, ast.Lambda, ast.Await,
                                  ast.NamedExpr))
        return f"({text})" if text and loose else text

    def statement(self, node):
        while node is not None and not isinstance(node, ast.stmt):
            node = self.above.get(node)
        return node

    def alone(self, statement):
        """Does the statement have its line for itself?"""
        text = self.text(statement)
        return text is not None and self.lines[statement.lineno - 1].split("#")[0].strip() == text

    def once(self, node):
        """Is the text of the node once in its line, and no other call of its function?"""
        text, line = self.text(node), self.lines[node.lineno - 1]
        called = self.text(node.func) + "(" if isinstance(node, ast.Call) and text is not None else text
        return text is not None and line.count(text) == line.count(called) == 1

    def rewritten(self, node, new):
        """The line with another text in place of the node: the whole statement where it is one line, the new text alone where it
        is more; None: it would not be plain what it takes the place of."""
        statement = self.statement(node)
        if self.text(statement) is None:
            return new if self.once(node) else None
        if not self.alone(statement):
            return None
        line = self.lines[statement.lineno - 1].encode()
        changed = line[statement.col_offset:node.col_offset] + new.encode() + line[node.end_col_offset:statement.end_col_offset]
        return changed.decode()


def _tree(text):
    if "\\" not in text:
        return ast.parse(text)
    with warnings.catch_warnings():  # of escapes, which the program has heard of
        warnings.simplefilter("ignore")
        return ast.parse(text)


_MOST_LINES = 20_000  # more take seconds to parse
_MOST_KEPT = 1_000
_blocks = {}  # by file, first and last line: the file's lines, and the block; None: it does not parse
_nodes = {}  # by code and offset: the code, the file's lines, and what _node_at says


def _keep(table, key, value):
    if len(table) >= _MOST_KEPT:
        table.clear()
    table[key] = value
    return value


def _block(name, lines, begin, end):
    kept = _blocks.get((name, begin, end))
    if kept is None or kept[0] is not lines:
        try:
            block = _Block(lines, begin, end) if end - begin <= _MOST_LINES else None
        except (SyntaxError, ValueError, RecursionError):
            block = None
        kept = _keep(_blocks, (name, begin, end), (lines, block))
    return kept[1]


def _begins(line, indent):
    """May a statement that is indented so, or less, begin in the line?"""
    text = line.lstrip()
    depth = len(line) - len(text)
    return bool(text) and depth <= indent and text[0] not in "#)]}" and (depth < indent or not text.startswith(
        ("else:", "else ", "elif ", "except:", "except ", "finally:", "case ")))


def _around(lines, code, place):
    """Where the lines begin and end that have the place and are statements: a function's, or the file's, then more of it."""
    named = not code.co_name.startswith("<")
    begin = code.co_firstlineno - 1 if named else place[0] - 1
    indent = len(lines[begin]) - len(lines[begin].lstrip()) if named else 0
    end, more = place[1], 0
    while True:
        while begin > 0 and not named and (not _begins(lines[begin], 0) or lines[begin - 1].startswith("@")):
            begin -= 1
        while end < len(lines) and not _begins(lines[end], indent):
            end += 1
        yield begin, end
        if (begin == 0 or named) and end == len(lines):
            return
        more = 2 * more + 1
        begin, end = begin if named else max(begin - more, 0), min(end + more, len(lines))


def _found(code, offset, lines):
    place = _karat.code_place(code, offset)
    if place is None or max(place[1], code.co_firstlineno) > len(lines):
        return None, None
    for begin, end in _around(lines, code, place):
        block = _block(code.co_filename, lines, begin, end)
        node = block.places.get(place) if block else None
        if node is not None:
            return block, node
        if end - begin > _MOST_LINES:
            break
    return None, None


def _node_at(code, offset):
    """The block and the node that an instruction belongs to; (None, None): not known."""
    lines = linecache.getlines(code.co_filename)
    kept = _nodes.get((id(code), offset))
    if kept is None or kept[1] is not lines:
        kept = _keep(_nodes, (id(code), offset), (code, lines, _found(code, offset, lines) if lines else (None, None)))
    return kept[2]


def _place(code, node):
    return f"{os.path.basename(code.co_filename)}:{node.lineno}"


@functools.lru_cache(_MOST_KEPT)
def _is_library(name):
    """Is the file a library's, which is nobody's to edit?"""
    return any(os.sep + folder + os.sep in name for folder in ("site-packages", "dist-packages")) \
        or name.startswith((_OWN, *_LIBRARIES))


# ---- values, without running anything ----


def _frames():
    """The frames of the program, innermost first."""
    frame = sys._getframe(1)
    while frame:
        if not frame.f_code.co_filename.startswith(_OWN):
            yield frame
        frame = frame.f_back


def _entered(frame):
    """The frame that was called from this one; None: the engine was."""
    inner, outer = None, sys._getframe(1)
    while outer is not frame and outer:
        inner, outer = outer if outer.f_code.co_filename != __file__ else None, outer.f_back
    return inner


_mro, _names_of = type.__dict__["__mro__"].__get__, type.__dict__["__dict__"].__get__  # a metaclass may be the program's
_PROXIES = (types.MappingProxyType, type((lambda: sys._getframe().f_locals)()))  # of a class; of a frame since Python 3.13


def _item(table, name):
    """What a dictionary has under the name; methods of a dict of another class are the program's own."""
    if issubclass(type(table), dict):
        return dict.get(table, name, _UNKNOWN)
    return table.get(name, _UNKNOWN) if type(table) in _PROXIES else _UNKNOWN


def _local(frame, name):
    return _item(frame.f_locals, name)


def _attributes(thing):
    """An object's attributes; what a class says instead is the program's own."""
    kept = next((_names_of(cls)["__dict__"] for cls in _mro(type(thing)) if "__dict__" in _names_of(cls)), None)
    if isinstance(kept, (types.GetSetDescriptorType, types.MemberDescriptorType)):
        return kept.__get__(thing)
    return {}


def _is_module(thing):
    return issubclass(type(thing), Module)  # isinstance asks a proxy's __class__


def _is_tensor(thing):
    return issubclass(type(thing), Tensor)


def _kept(thing, name):
    """An attribute that an object keeps itself."""
    if _is_tensor(thing):
        return Tensor.grad.__get__(thing) if name == "grad" else _UNKNOWN
    own = _attributes(thing)
    tables = [own]
    if _is_module(thing):
        tables += (_item(own, table) for table in ("_parameters", "_buffers", "_modules"))
    return next((found for found in (_item(table, name) for table in tables) if found is not _UNKNOWN), _UNKNOWN)


def _element(thing, index):
    if _is_module(thing):
        thing, index = _item(_attributes(thing), "_modules"), str(index) if type(index) in (int, str) else _UNKNOWN
    if type(thing) not in (list, tuple, dict) or type(index) not in (int, str):
        return _UNKNOWN
    try:
        return thing[index]
    except (LookupError, TypeError):
        return _UNKNOWN


def _value(node, frame):
    if isinstance(node, ast.Constant):
        return node.value
    if isinstance(node, ast.UnaryOp) and isinstance(node.operand, ast.Constant):
        return -1 if node.operand.value == 1 and isinstance(node.op, ast.USub) else None
    if isinstance(node, ast.Lambda):
        return None
    if isinstance(node, ast.Name):
        found = _local(frame, node.id)
        return _item(frame.f_globals, node.id) if found is _UNKNOWN else found
    if isinstance(node, ast.NamedExpr):
        return _value(node.target, frame)
    if isinstance(node, ast.Attribute):
        return _kept(_value(node.value, frame), node.attr)
    if isinstance(node, ast.Subscript):
        return _element(_value(node.value, frame), _value(node.slice, frame))
    return _UNKNOWN


def _parts(node, statement=None):
    """The expressions whose values a call may take, in its order."""
    if isinstance(node, ast.Call):
        first = [node.func.value] if isinstance(node.func, ast.Attribute) else []
        parts = first + node.args + [keyword.value for keyword in node.keywords]
    elif isinstance(node, ast.Compare):
        parts = [node.left, *node.comparators]
    elif isinstance(node, ast.BinOp):
        parts = [node.left, node.right]
    elif isinstance(node, ast.AugAssign):
        parts = [node.target, node.value]
    elif isinstance(node, (ast.Subscript, ast.Attribute)):
        stored = isinstance(statement, ast.Assign) and any(node is target for target in statement.targets)
        parts = [node.value] + ([node.slice] if isinstance(node, ast.Subscript) else []) + [statement.value] * stored
    else:
        parts = [node.operand if isinstance(node, ast.UnaryOp) else node.value]
    for part in parts:
        yield from _flat(part)


def _flat(part):
    """What a call takes of lists, tuples and slices that are written in it."""
    if isinstance(part, (ast.List, ast.Tuple)):
        for element in part.elts:
            yield from _flat(element)
    elif isinstance(part, ast.Slice):
        yield from (end for end in (part.lower, part.upper, part.step) if end)
    else:
        yield part


@functools.lru_cache(_MOST_KEPT)
def _own_names(code):
    """The parameters of a function that it does not assign to, by their places, and the name of *args."""
    stored = {instruction.argval for instruction in dis.get_instructions(code) if instruction.opname.startswith("STORE_FAST")}
    taken = code.co_argcount + code.co_kwonlyargcount
    rest = code.co_varnames[taken] if code.co_flags & 4 else None
    names = [name if name not in stored else None for name in code.co_varnames[:taken]]
    return names, code.co_argcount, rest if rest not in stored else None


def _given(node, entry):
    """What the frame of a function or layer was given by the call, by the expressions: (part, value)."""
    if not isinstance(node, ast.Call) or entry is None:
        return
    names, positional, rest = _own_names(entry.f_code)
    held = entry.f_locals
    at = names[0] in ("self", "cls") if names else 0
    if names[:1] == ["self"] and isinstance(node.func, ast.Attribute):
        yield node.func.value, held.get("self", _UNKNOWN)
    for argument in node.args:
        if isinstance(argument, ast.Starred):
            break
        if at < positional:
            yield argument, held.get(names[at], _UNKNOWN) if names[at] else _UNKNOWN
        elif rest and at - positional < len(held.get(rest, ())):
            yield argument, held[rest][at - positional]
        at += 1
    for keyword in node.keywords:
        if keyword.arg in names:
            yield keyword.value, held.get(keyword.arg, _UNKNOWN)


class _Refused:
    """A call in a frame: its expressions, and their values as far as they are known. In backward it is past: nothing tells
    what it was given but what the frame still holds."""

    def __init__(self, frame, offset=None):
        self.frame, self.code = frame, frame.f_code
        self.block, self.node = _node_at(self.code, frame.f_lasti if offset is None else offset)
        self.past = offset not in (None, frame.f_lasti)
        self.entry = None if self.past else _entered(frame)
        if self.node is None:
            return
        self.parts = [part for part in _parts(self.node, self.block.statement(self.node)) if not isinstance(part, ast.Starred)]
        given = dict(_given(self.node, self.entry))
        self.values = []
        for part in self.parts:
            value = _value(part, frame)
            self.values.append(given.get(part, _UNKNOWN) if value is _UNKNOWN else value)

    def layer(self):
        """The module that is called; None: none is."""
        if not isinstance(self.node, ast.Call):
            return None
        called = _value(self.node.func, self.frame)
        if called is _UNKNOWN and self.entry and self.entry.f_code.co_name == "forward":
            called = _local(self.entry, "self")
        return called if _is_module(called) else None

    def part_of(self, wanted):
        """The expression that is the tensor, or of which the layer or function that was called took a view."""
        for part, value in zip(self.parts, self.values):
            if value is wanted:
                return part
        if self.entry is None and not self.past:
            return None
        alike = [part for part, value in zip(self.parts, self.values) if _is_same(value, wanted)]
        return alike[0] if alike and len({self.block.text(part) for part in alike}) == 1 else None

    def is_ours(self):
        """Does it call the engine with the values of its parts: an operator, a function of ours, a method?"""
        function = getattr(self.node, "func", None)
        if function is None:
            return True
        called = _value(function, self.frame)
        if called is _UNKNOWN:
            return isinstance(function, ast.Attribute) and not _is_super(function.value)
        home = (called if isinstance(called, types.FunctionType) else type(called)).__module__
        return isinstance(home, str) and home.split(".")[0] in ("karat", "torch", "builtins")

    def tensors(self, others):
        """The expressions that are tensors, if the engine was called with them and no others, else ()."""
        tensors = [part for part, value in zip(self.parts, self.values)
                   if value is _UNKNOWN or any(value is t for t in others)]
        return tensors if not self.entry and not self.past and len(tensors) == len(others) + 1 and self.is_ours() else ()


_dtype, _base_of, _requires_grad, _is_leaf = (one.__get__ for one in (Tensor.dtype, Tensor._base, Tensor.requires_grad,
                                                                     Tensor.is_leaf))  # a subclass may say otherwise


def _base(tensor):
    base = _base_of(tensor)
    return tensor if base is None else base


def _is_wanting_leaf(tensor):
    return _requires_grad(tensor) and _is_leaf(tensor)


# ---- answers ----


def _is_super(node):
    return isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "super"


def _frame_of(code):
    return next((frame for frame in _frames() if frame.f_code is code), None)


def _refused(code, offset):
    frame = _frame_of(code)
    call = _Refused(frame, offset) if frame else None
    return call if call and call.node is not None else None


def _holds(module, tensors):
    own = {id(t) for t in _registered(module, set())}
    return all(id(t) in own for t in tensors)


def _registered(module, seen):
    """The parameters and buffers of a module and those below it, by its tables: its own methods may be the program's."""
    if not _is_module(module) or id(module) in seen:
        return
    seen.add(id(module))
    tables = _attributes(module)
    registered, buffers, children = (_item(tables, name) for name in ("_parameters", "_buffers", "_modules"))
    for table in (registered, buffers):
        yield from dict.values(table) if table is not _UNKNOWN else ()
    for child in dict.values(children) if children is not _UNKNOWN else ():
        yield from _registered(child, seen)


def _operand_part(call, wanted, others, at):
    part = call.part_of(wanted)
    if part is not None or call.past or call.entry:
        return part
    function = call.node.func if isinstance(call.node, ast.Call) else None
    if at == 0 and isinstance(function, ast.Attribute) and call.values[0] is _UNKNOWN and call.is_ours():
        return call.parts[0]  # a method's own tensor
    tensors = call.tensors(others)
    if tensors:
        return tensors[at]
    seen = all(any(t is value for value in call.values) for t in others)
    unknown = [part for part, value in zip(call.parts, call.values) if value is _UNKNOWN]
    return unknown[0] if seen and len(unknown) == 1 and call.is_ours() else None


def _is_made_there(call, part, tensor):
    """Does the expression make the tensor with a dtype=, which its birth rewrites?"""
    given = isinstance(part, ast.Call) and _takes_dtype(part) and any(keyword.arg == "dtype" for keyword in part.keywords)
    return given and len(_karat.lineage(tensor)) == 1 and call.block.rewritten(part, "") is not None


def _is_shown(code, offset):
    return bool(linecache.getlines(code.co_filename)) and _karat.code_place(code, offset) is not None


def _operand(code, offset, wanted, others, at):
    """As the refused call writes it: where the value is the operand itself, stands in its place, or is the one that is left."""
    call = _refused(code, offset)
    if call is None:
        return "" if _is_shown(code, offset) else None
    part = None if _is_library(code.co_filename) else _operand_part(call, wanted[0], others, at)
    if part is None or part is getattr(call.node, "target", None) or _is_made_there(call, part, wanted[0]):
        return ""  # a target is no place for a cast, and another dtype= is better than one
    return call.block.operand(part) or ""


def _targets(block, node):
    """What a statement makes of the value of an expression: the names that it has from then on."""
    above = block.above.get(node)
    if isinstance(above, (ast.Assign, ast.AnnAssign)) and above.value is node:
        yield from above.targets if isinstance(above, ast.Assign) else [above.target]
    elif isinstance(above, ast.NamedExpr):
        yield above.target
    elif isinstance(above, (ast.Tuple, ast.List)) and not any(isinstance(e, ast.Starred) for e in above.elts):
        at = next(i for i, element in enumerate(above.elts) if element is node)
        holder = block.above.get(above)
        if isinstance(holder, (ast.For, ast.AsyncFor)) and holder.iter is above:
            yield holder.target
        for target in _targets(block, above):
            if isinstance(target, (ast.Tuple, ast.List)):
                yield target.elts[at] if len(target.elts) == len(above.elts) else target
            else:
                yield ast.Subscript(target, ast.Constant(at))
    elif isinstance(above, ast.Dict):
        at = next((i for i, value in enumerate(above.values) if value is node), None)
        if at is not None and isinstance(above.keys[at], ast.Constant):
            yield from (ast.Subscript(target, above.keys[at]) for target in _targets(block, above))
    elif isinstance(above, ast.Call) and above.args[1:2] == [node] and isinstance(above.args[0], ast.Constant):
        if isinstance(above.func, ast.Attribute) and above.func.attr in ("register_buffer", "register_parameter"):
            yield ast.Attribute(above.func.value, above.args[0].value)
    elif isinstance(above, ast.arguments):
        names = [a.arg for a in above.posonlyargs + above.args][-len(above.defaults):] if above.defaults else []
        defaults = list(zip(names, above.defaults)) + [(a.arg, d) for a, d in zip(above.kwonlyargs, above.kw_defaults)]
        yield from (ast.Name(name) for name, default in defaults if default is node)


def _is_target(code, target, value, function=None):
    """Is what the line assigned to still the value, in a frame of that code or of its file's own names?"""
    for frame in _frames():
        same = frame.f_code.co_filename == code.co_filename
        if frame.f_code is code or (same and (not isinstance(target, ast.Name) or frame.f_code.co_name == function)):
            if _is_same(_value(target, frame), value):
                return True
        elif code.co_name == "<module>" and _item(frame.f_globals, "__file__") == code.co_filename:
            if isinstance(target, ast.Name) and _is_same(_item(frame.f_globals, target.id), value):
                return True
    return isinstance(target, ast.Attribute) and any(
        isinstance(part, ast.Attribute) and part.attr == target.attr and _is_same(given, value)
        for frame in itertools.islice(_frames(), 1) for part, given in _given_by(frame))


def _is_same(thing, tensor):
    """Is the thing the tensor, or the same memory, so that it has the dtype from where it was made?"""
    return thing is tensor or (_is_tensor(thing) and _dtype(thing) == _dtype(tensor) and _base(thing) is _base(tensor))


def _becomes(code, block, node, value):
    """Is the value of the expression the operand, by the name that it is given or by the call that it is given to?"""
    above = block.above.get(node)
    function = getattr(block.above.get(above), "name", None) if isinstance(above, ast.arguments) else None
    if any(_is_target(code, target, value, function) for target in _targets(block, node)):
        return True
    return any(frame.f_code is code and any(part is node and _is_same(given, value) for part, given in _given_by(frame))
               for frame in _frames())


def _given_by(frame):
    call = _Refused(frame)
    return zip(call.parts, call.values) if call.node is not None else ()


def _is_part(code, node):
    """Is the expression an operand of the refused call?"""
    frame = next(_frames(), None)
    call = _Refused(frame) if frame and frame.f_code is code else None
    return bool(call) and call.node is not None and any(part is node for part in call.parts)


def _whole(code, block, node):
    """The expression that only moves or wraps what the call made: made(...).reshape(2, n), made(...).to(device),
    Parameter(made(...))."""
    frame = _frame_of(code)
    while True:
        method, above = block.above.get(node), None
        if isinstance(method, ast.Attribute):
            above = block.above.get(method)
            plain = isinstance(above, ast.Call) and above.func is method and all(
                _is_plain(a, frame) for a in (*above.args, *(k.value for k in above.keywords)))
            if not plain:
                return node
        elif isinstance(method, ast.Call) and method.args[:1] == [node] and _is_parameter_class(method.func):
            above = method
        else:
            return node
        node = above


def _is_plain(argument, frame):
    """Is it a size, a device or another value that changes no dtype?"""
    if isinstance(argument, (ast.Constant, ast.UnaryOp)):
        return True
    value = _value(argument, frame) if frame else _UNKNOWN
    return value is not _UNKNOWN and not _is_tensor(value) and not issubclass(type(value), DType)


def _is_parameter_class(function):
    return (function.attr if isinstance(function, ast.Attribute) else getattr(function, "id", None)) in ("Parameter", "Buffer")


def _birth(code, offset, wanted, others, cast, dtype):
    """The line that made the operand, changed so that it makes it with the dtype."""
    block, node = _node_at(code, offset)
    if node is None or _is_library(code.co_filename) or isinstance(node, (ast.AugAssign, ast.Attribute)):
        return None
    if any(_is_same(other, wanted[0]) for other in others):
        return None  # that one stays as it is
    whole = _whole(code, block, node)
    inline = isinstance(node, ast.Call) and any(keyword.arg == "dtype" for keyword in node.keywords) \
        and _is_part(code, whole)
    passed = None
    if not inline and not _becomes(code, block, whole, wanted[0]):
        passed = _passed_on(code, block, whole, wanted[0])
        if passed is None:
            return None
    if isinstance(node, ast.Call) and _takes_dtype(node):
        part, new = node, _with_dtype(block, node, dtype)
    else:
        part = whole if not isinstance(wanted[0], (Parameter, Buffer)) else node
        new = f"{block.operand(part)}.{cast}" if block.text(part) else None
        if part is whole and any(_is_wanting_leaf(t) for t in (wanted[0], _base(wanted[0]))):
            return None  # a cast of a leaf is no leaf
    used = _was_used(code, block, whole) if passed is None else _is_used(*passed)
    line = new and not used and not _was_used_inside(code, wanted[0]) and block.rewritten(part, new)
    return line and f"{line} at {_place(code, part)}"


def _was_used(code, block, node):
    """Was the value an operand since, in a line that was not refused? That line might be, of another dtype."""
    frame, names = _frame_of(code), [target for target in _targets(block, node) if isinstance(target, (ast.Name, ast.Attribute))]
    return bool(frame and names) and _is_used(frame, block, block.statement(node), names)


def _was_used_inside(code, value):
    """Was it an operand since in a function that it was given to, before the refused call?"""
    for frame in _frames():
        if frame.f_code is code:
            break
        names = [name for name in _own_names(frame.f_code)[0] if name and _local(frame, name) is value]
        if not names or _is_library(frame.f_code.co_filename):
            continue
        block, node = _node_at(frame.f_code, frame.f_lasti)
        function = node
        while function is not None and not isinstance(function, ast.FunctionDef):
            function = block.above.get(function)
        if function is not None:
            body = function.body[1:] if ast.get_docstring(function, clean=False) else function.body
            lines = block.lines[body[0].lineno - 1:node.lineno - 1] if body else []
            before = block.lines[node.lineno - 1].encode()[:node.col_offset].decode()
            if _has_operand([*lines, before], names):
                return True
    return False


def _is_used(frame, block, statement, targets):
    """Has a line between the statement and where the frame is now one of the names as an operand?"""
    return _has_operand(block.lines[statement.end_lineno:frame.f_lineno - 1], map(ast.unparse, targets))


def _has_operand(lines, names):
    """Has one of the lines, which were not refused, one of the names as an operand?"""
    if _in_backward():
        return False
    name = "|".join(map(re.escape, names))
    operand = re.compile(rf"(?<!len\()(?<!print\()(?<!type\()(?<![\w.])(?:{name})\s*[,)@]|@\s*(?:{name})\b")
    return any(operand.search(line) for line in lines[-_MOST_KEPT:]
               if not line.lstrip().startswith(("def ", "async def ", "class ")))


# ---- a value that a function has returned ----


def _passed_on(code, block, node, value):
    """Where a function that is past gave the value of an expression to the program, and it is the operand: the frame, the block
    and the statement that have it, and its name there; None: that is not known."""
    at, count = _place_in_return(block, node) if code.co_name.isidentifier() and not _frame_of(code) else (None, 0)
    if at is None:
        return None
    for frame in _frames():
        if _is_library(frame.f_code.co_filename):
            continue
        lines = linecache.getlines(frame.f_code.co_filename)
        whole = _block(frame.f_code.co_filename, lines, 0, len(lines)) if lines else None
        for statement in whole.assigned.get(code.co_name, ()) if whole else ():
            target = statement.targets[0]
            if count is not None:
                several = isinstance(target, (ast.Tuple, ast.List)) and len(target.elts) == count
                target = target.elts[at] if several else None
            if target is not None and _calls(statement.value.func, frame, code) and _is_same(_value(target, frame), value):
                return frame, whole, statement, [target]
    return None


def _place_in_return(block, node):
    """Which of the values that a function returns is the expression's, or has the one name that it is given: (its place, how many
    there are), (0, None) of one alone; (None, 0): it is not returned, or not always."""
    function = node
    while function is not None and not isinstance(function, ast.FunctionDef):
        function = block.above.get(function)
    nodes = list(ast.walk(function)) if function else []
    returned = [one for one in nodes if isinstance(one, ast.Return)]
    if len(returned) != 1 or any(isinstance(one, (ast.Yield, ast.YieldFrom)) for one in nodes):
        return None, 0
    names = [target.id for target in _targets(block, node) if isinstance(target, ast.Name)]
    names = [name for name in names if 1 == sum(isinstance(one, ast.Name) and one.id == name and isinstance(one.ctx, ast.Store)
                                                for one in nodes)]
    several = isinstance(returned[0].value, ast.Tuple)
    values = returned[0].value.elts if several else [returned[0].value]
    places = [i for i, one in enumerate(values) if one is node or (isinstance(one, ast.Name) and one.id in names)]
    return (places[0], len(values) if several else None) if len(places) == 1 else (None, 0)


def _calls(function, frame, code):
    """Is it the function of that code, or a method of the object's class?"""
    found = _value(function, frame)
    if found is _UNKNOWN and isinstance(function, ast.Attribute):
        owner = _value(function.value, frame)
        tables = (_names_of(cls) for cls in _mro(type(owner))) if owner is not _UNKNOWN else ()
        found = next((table[function.attr] for table in tables if function.attr in table), _UNKNOWN)
    return isinstance(found, types.FunctionType) and found.__code__ is code


def _in_backward():
    """Then the line that recorded the operator was not refused."""
    frame = next(_frames(), None)
    node = _node_at(frame.f_code, frame.f_lasti)[1] if frame else None
    return isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr in ("backward", "grad")


def _with_dtype(block, call, dtype, frame=None):
    """A call's text with another dtype, or with dtype=; None: it is not one line."""
    text = block.text(call)
    given = next((keyword.value for keyword in call.keywords if keyword.arg == "dtype"), None)
    if given is None and frame:
        given = next((argument for argument in call.args if issubclass(type(_value(argument, frame)), DType)), None)
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
    block, node = _node_at(code, offset)
    if node is None:
        return None
    if not isinstance(node, ast.Call) or not isinstance(node.func, ast.Attribute) or _is_library(code.co_filename):
        return ""
    text, receiver = block.text(node), block.text(node.func.value)
    if text is None or receiver is None:
        return ""
    if not (isinstance(wanted[0], Parameter) or _is_part(code, node) or _becomes(code, block, node, wanted[0])):
        return ""
    if node.func.attr in ("to", "type") and len(node.args) + len(node.keywords) > 1:
        return _moved_alone(code, block, node)
    line = block.lines[node.lineno - 1]
    cast = line.encode()[node.func.value.end_col_offset:node.end_col_offset].decode().lstrip(" )")
    if line.count(cast) == 1:
        return f"leave out {cast} at {_place(code, node)}"
    return f"{receiver} instead of {text} at {_place(code, node)}" if block.once(node) else ""


def _moved_alone(code, block, node):
    """x.to(device, dtype) without the dtype. "": the source does not show which argument that is."""
    frame = _frame_of(code)
    given = [(a, None, a) for a in node.args] + [(k, k.arg, k.value) for k in node.keywords]
    values = [_value(value, frame) if frame else _UNKNOWN for *_, value in given]
    dtypes = [part for (part, name, _), value in zip(given, values) if name == "dtype" or issubclass(type(value), DType)]
    moves = any(name == "device" or (name is None and issubclass(type(value), (str, Device)))
                for (_, name, _), value in zip(given, values))
    rest = [block.text(part) for part, *_ in given if part not in dtypes]
    text, receiver = block.text(node), block.text(node.func.value)
    if len(dtypes) != 1 or not moves or None in rest or not block.once(node):
        return ""
    old = text.encode()[len(receiver.encode()):].decode().lstrip(" )")
    return f".{node.func.attr}({', '.join(rest)}) instead of {old} at {_place(code, node)}"


def _holder(code, offset, wanted, others, cast):
    """What holds the operands, changed before the call: a list of the program's, or the module of these parameters. "": a layer
    holds them, and what it is given comes from inside of a module, so that one layer alone would only move the error."""
    frame = _frame_of(code)
    if frame is None or frame.f_lasti != offset:
        return None
    if len(wanted) == 1 and isinstance(_node_at(code, offset)[1], ast.AugAssign):
        return _in_target(code, offset, wanted, cast)
    answer = _in_table(frame, wanted, cast) or _given_to_library(frame, wanted, cast) or _in_module(frame, wanted, others, cast)
    return _in_one_place(frame, wanted, cast) if answer is None else answer


def _in_target(code, offset, wanted, cast):
    target, frame = _node_at(code, offset)[1].target, _frame_of(code)
    return _again(code, offset, wanted, cast) if _is_same(_value(target, frame), wanted[0]) else None


def _tables(node):
    """The expressions that are lists or dictionaries of what a call is given."""
    for argument in node.args:
        yield argument.value if isinstance(argument, ast.Starred) else argument
    for keyword in node.keywords:
        yield keyword.value


def _in_table(frame, wanted, cast):
    block, node = _node_at(frame.f_code, frame.f_lasti)
    for part in _tables(node) if isinstance(node, ast.Call) and not _is_library(frame.f_code.co_filename) else ():
        value = _value(part, frame)
        items = list(enumerate(value)) if type(value) is list else list(value.items()) if type(value) is dict else []
        known = items and block.text(part) and _is_known_before(frame.f_code, part)
        if known and all(any(t is element for _, element in items) for t in wanted):
            found = [f"{block.text(part)}[{_quoted(key)}]" for key, element in items if any(t is element for t in wanted)]
            return _before(frame.f_code, block, node, "; ".join(f"{e} = {e}.{cast}" for e in found))
    return None


def _in_one_place(frame, wanted, cast):
    """The refused call anew, where its line has given the operand to another call before, which was not refused."""
    call = _Refused(frame) if len(wanted) == 1 and not _is_library(frame.f_code.co_filename) else None
    part = call.part_of(wanted[0]) if call and call.node is not None else None
    if not isinstance(part, ast.Name):
        return None
    before = any(isinstance(node, ast.Name) and node.id == part.id and isinstance(node.ctx, ast.Load)
                 and node.lineno == part.lineno and node.col_offset < call.node.col_offset
                 for node in ast.walk(call.block.statement(part)))
    old, new = call.block.text(call.node), _with_cast(call, part, cast)
    if not before or not new or call.block.lines[call.node.lineno - 1].count(old) != 1:
        return None
    return f"{new} instead of {old} at {_place(call.code, call.node)}"


def _with_cast(call, part, cast):
    """The text of a call with a cast of one of its operands; None: it is not one line."""
    text, operand = call.block.text(call.node), call.block.operand(part)
    if text is None or not operand:
        return None
    begin, end = part.col_offset - call.node.col_offset, part.end_col_offset - call.node.col_offset
    return (text.encode()[:begin] + f"{operand}.{cast}".encode() + text.encode()[end:]).decode()


def _quoted(key):
    return f'"{key}"' if type(key) is str and key.isidentifier() else repr(key)


def _given_to_library(frame, wanted, cast):
    """The operand where the program gave it to a library."""
    while frame and _is_library(frame.f_code.co_filename):
        frame = frame.f_back
    if frame is None or frame is next(_frames(), None) or len(wanted) != 1:
        return None
    call = _Refused(frame)
    part = call.part_of(wanted[0]) if call.node is not None else None
    text = part is not None and call.block.operand(part)
    return f"{text}.{cast} at {_place(call.code, call.node)}" if text else None


def _in_module(frame, wanted, others, cast):
    """The outermost module that was given the other operands as they are."""
    answer, given = None, True
    while frame and given:
        if not frame.f_code.co_filename.startswith(_OWN):
            call = _Refused(frame)
            layer = call.layer()
            if layer is not None:
                if not _holds(layer, wanted):
                    return answer
                if not _is_library(frame.f_code.co_filename):
                    answer = _module_cast(call, cast)
            given = not _is_forward(frame) or all(_is_argument(frame, t) or _holds(_local(frame, "self"), [t]) for t in others)
        frame = frame.f_back
    return answer if given or answer is None else ""


def _module_cast(call, cast):
    function = call.node.func
    if isinstance(function, ast.Attribute) and function.attr == "forward":
        function = function.value
    text = call.block.operand(function)
    if text and _is_known_before(call.code, function):
        return _before(call.code, call.block, call.node, f"{text}.{cast}")
    return f"{text}.{cast} at {_place(call.code, call.node)}" if text else ""


def _is_forward(frame):
    return frame.f_code.co_varnames[:1] == ("self",) and _is_module(_local(frame, "self"))


def _is_argument(frame, value):
    """Was the value given to the frame's function?"""
    names = _own_names(frame.f_code)[0]
    return any(name and _local(frame, name) is value for name in names)


def _head_of_line(block, node):
    """The statement before which a line can be put; None: there is none, as within a line."""
    statement = block.statement(node)
    while isinstance(statement, ast.If) and block.lines[statement.lineno - 1].lstrip().startswith("elif"):
        statement = block.above[statement]
    before = block.lines[statement.lineno - 1].encode()[:statement.col_offset].decode()
    return None if before.strip() or isinstance(statement, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)) else statement


def _is_known_before(code, part):
    """Does a line before the statement know the expression's name? That of a lambda's parameter it does not."""
    while isinstance(part, (ast.Attribute, ast.Subscript)):
        part = part.value
    inner = code.co_name.startswith("<") and code.co_name != "<module>"
    return isinstance(part, ast.Name) and not (inner and part.id in code.co_varnames + code.co_cellvars)


def _before(code, block, node, lines):
    head = _head_of_line(block, node)
    return f"{lines} before {_place(code, head)}" if head else ""


def _again(code, offset, wanted, cast):
    """The operand made anew before the call, under the name that the call has for it or for what it is a part of."""
    call = _refused(code, offset)
    if call is None:
        return None
    if _is_library(code.co_filename) or _is_wanting_leaf(wanted[0]):  # a cast of a leaf is no leaf
        return ""
    for part in call.parts:
        while isinstance(part, _NAMED):
            value = _value(part, call.frame)
            if _is_same(value, wanted[0]):
                name = call.block.text(part)
                known = name and _is_known_before(code, part)
                return _before(code, call.block, call.node, f"{name} = {name}.{cast}") if known else ""
            part = getattr(part, "value", None)
    return ""


def _call(code, offset, wanted, others, at, cast, dtype):
    """The refused call with dtype=, or with a cast of one operand that is others of it, too."""
    call = _refused(code, offset)
    if call is None or call.past or _is_library(code.co_filename):
        return None
    if not wanted:
        return _with_dtype(call.block, call.node, dtype, call.frame) if isinstance(call.node, ast.Call) else None
    part = next(iter(call.tensors(others)[at:]), None)
    return part is not None and _with_cast(call, part, cast) or ""


def _out_of_place(code, offset):
    """The refused statement with a new tensor: a += b, or a.add_(b), where a is a variable."""
    block, node = _node_at(code, offset)
    if node is None:
        return None
    statement = block.statement(node)
    if not block.alone(statement) or _is_library(code.co_filename):
        return ""
    if node is statement and isinstance(node, ast.AugAssign):
        target, value = block.text(node.target), block.operand(node.value)
        sign = block.text(node)[len(target):].split("=", 1)[0].strip()
        return f"{target} = {target} {sign} {value}" if isinstance(node.target, (ast.Name, ast.Attribute)) else ""
    method = node.func if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) else None
    if method is None or not isinstance(statement, ast.Expr) or statement.value is not node or not method.attr.endswith("_"):
        return ""
    if not isinstance(method.value, (ast.Name, ast.Attribute)):
        return ""
    target = block.text(method.value)
    return f"{target} = {target}.{method.attr[:-1]}{block.text(node)[len(target) + 1 + len(method.attr):]}"


def answer(*question):
    """The answer to a question of karat/plugin/site.h."""
    _karat.override_off()  # a subclass would be asked for the attributes of its tensors
    try:
        return _answer(*question)
    finally:
        _karat.override_on()


def _answer(about, code, offset, wanted, others, at, cast, dtype):
    if about == "operand":
        return _operand(code, offset, wanted, others, at)
    if about == "birth":
        return _birth(code, offset, wanted, others, cast, dtype)
    if about == "holder":
        return _holder(code, offset, wanted, others, cast)
    if about == "call":
        return _call(code, offset, wanted, others, at, cast, dtype)
    return {"cast": lambda: _dropped(code, offset, wanted), "again": lambda: _again(code, offset, wanted, cast),
            "new": lambda: _out_of_place(code, offset)}[about]()
