"""karat.utils.flop_counter: FlopCounterMode counts the floating-point operations of a program's matrix products, convolutions and
attention, by module.

The operations of a call are counted in C (src/prof/flops.c), forward and backward, as PyTorch counts them. A call in backward
belongs to the modules that were running when its node was recorded. Attention on the CPU is counted, too, and the steps of
recurrent layers; PyTorch leaves them out.
"""

import warnings
from collections import defaultdict

from .. import _karat
from .._karat import Tensor
from ..nn.modules.module import register_module_forward_hook, register_module_forward_pre_hook

__all__ = ["FlopCounterMode", "register_flop_formula"]

_SUFFIXES = ("", "K", "M", "B", "T")
_active = []  # modes, innermost last
_modules = []  # paths of the modules that run
_paths = {}  # id of a module: its path, of the modules seen since the outermost mode was entered
_seen = []  # those modules, kept alive so that no other gets their id
_recorded = {}  # number of a node: the paths of the modules that recorded it
_handles = []
flop_registry = {}  # an operator's packet: its formula


def _whole_name(packet):
    """"aten.mm" of torch.ops.aten.mm."""
    return str(packet)


def _row_of(packet):
    """The name by which calls of the operator are told."""
    space, _, name = _whole_name(packet).partition(".")
    return name if space == "aten" else f"{space}::{name}"


def _is_packet(target):
    return hasattr(target, "overloads") and hasattr(target, "default") or type(target).__name__ == "OpOverloadPacket"


def _shape_of(value):
    if isinstance(value, Tensor):
        return value.shape
    return tuple(_shape_of(one) for one in value) if isinstance(value, (tuple, list)) else value


def _of_shapes(formula):
    """The formula, given shapes in place of tensors."""
    def wrapped(*args, out_val=None, **kwargs):
        return formula(*map(_shape_of, args), out_shape=_shape_of(out_val),
                       **{name: _shape_of(value) for name, value in kwargs.items()})

    return wrapped


def _new_packets(targets):
    known = set(flop_registry)
    for one in targets if isinstance(targets, (list, tuple)) else [targets]:
        if not _is_packet(one):
            raise ValueError("register_flop_formula(targets): expected each target to be OpOverloadPacket (i.e. "
                             f"torch.ops.mylib.foo), or JitFunction, got {one} which is of type {type(one)}")
        if one in known:
            raise RuntimeError(f"duplicate registrations for {one}")
        known.add(one)
        yield one


def register_flop_formula(targets, get_raw=False):
    """A decorator: formula(*shapes, out_shape=shape) gives the operations of calls of the operators, for instance
    torch.ops.mylib.f; with get_raw it is given the tensors, and out_val."""
    def register(formula):
        flop_registry.update(dict.fromkeys(_new_packets(targets), formula if get_raw else _of_shapes(formula)))
        return formula

    return register


def _enter_module(module, inputs):
    if id(module) not in _paths:
        _paths[id(module)] = type(module).__name__
        _seen.append(module)
    path = _paths[id(module)]
    for name, child in module.named_children():
        if id(child) not in _paths or not _modules or _paths[id(child)] == type(child).__name__:
            _paths[id(child)] = f"{path}.{name}"
            _seen.append(child)
    _modules.append(path)


def _leave_module(module, inputs, output):
    if _modules:
        _modules.pop()


def _told(name, flops, row, backward, recorded, tensors, results):
    """Called after each call of an operator."""
    parents = _recorded.get(backward) if backward >= 0 else dict.fromkeys(_modules)
    if backward < 0 and recorded >= 0:
        _recorded[recorded] = parents
    for mode in _active:
        try:
            mode._count(name, flops, row, parents or (), tensors, results)
        except Exception as e:  # of a formula: the program goes on, and hears of it at the end
            mode._error = mode._error or e


def _watch():
    """Tells C whom to tell, and which rows' arguments are wanted."""
    if _active:
        _karat.count_flops(_told, {row for mode in _active for row in mode._formulas})
    else:
        _karat.count_flops(None, None)


def _with_suffix(number, suffix):
    return f"{number / 1000 ** _SUFFIXES.index(suffix):.3f}{suffix}"


def _suffix_of(number):
    at = 0
    while at + 1 < len(_SUFFIXES) and number >= 1000 ** (at + 1) * 10:
        at += 1
    return _SUFFIXES[at]


def _percent(part, whole):
    return f"{part / whole:.2%}" if whole else "0%"


def _table(rows, head):
    """Columns as wide as their content, the first one to the left."""
    widths = [max(len(name) + 2, *(len(row[i]) for row in rows)) for i, name in enumerate(head)]

    def line(cells):
        return "  ".join([cells[0].ljust(widths[0]), *(cell.rjust(width) for cell, width in zip(cells[1:], widths[1:]))]).rstrip()

    return "\n".join([line(head), "  ".join("-" * width for width in widths), *map(line, rows)])


class FlopCounterMode:
    """with FlopCounterMode() as counter: counts; get_total_flops(), get_flop_counts() and get_table() tell. At the end it prints
    the table, unless display is False."""

    def __init__(self, mods=None, depth=2, display=True, custom_mapping=None):
        if mods is not None:
            warnings.warn("mods argument is not needed anymore, you can stop passing it", stacklevel=2)
        self.flop_counts = defaultdict(lambda: defaultdict(int))
        self.depth, self.display = depth, display
        custom = {packet: formula if getattr(formula, "_get_raw", False) else _of_shapes(formula)
                  for packet, formula in (custom_mapping or {}).items()}
        self.flop_registry = {**flop_registry, **custom}
        self._formulas = {_row_of(packet): (packet, formula) for packet, formula in self.flop_registry.items()}

    def _count(self, name, flops, row, parents, tensors, results):
        key = None
        if row in self._formulas:
            packet, formula = self._formulas[row]
            value = results[0] if results is not None and len(results) == 1 else tuple(results or ())
            key, flops = packet, formula(*(tensors or ()), out_val=value)
        elif flops:
            from .. import ops

            key = getattr(ops.aten, name, f"aten.{name}")
        if key is not None:
            for path in ("Global", *parents):
                self.flop_counts[path][key] += flops

    def get_total_flops(self):
        """The operations so far."""
        return sum(self.flop_counts["Global"].values())

    def get_flop_counts(self):
        """{path of a module, or "Global": {operator: operations}}."""
        return {path: dict(counts) for path, counts in self.flop_counts.items()}

    def get_table(self, depth=None):
        """The operations by module, down to a depth, as a table."""
        depth = 999999 if (depth := self.depth if depth is None else depth) is None else depth
        total = self.get_total_flops()
        suffix = _suffix_of(total)

        def lines(path, level):
            counts = self.flop_counts[path]
            own = sum(counts.values())
            indent = " " * level
            return [[indent + path, _with_suffix(own, suffix), _percent(own, total)],
                    *([f"{indent} - {packet}", _with_suffix(flops, suffix), _percent(flops, total)]
                      for packet, flops in counts.items())]

        rows, whole = [], False
        for path in sorted(self.flop_counts):
            level = path.count(".") + 1
            if path == "Global" or level > depth:
                continue
            here = lines(path, level - 1)
            whole = whole or sum(self.flop_counts[path].values()) >= total
            rows += here
        if "Global" in self.flop_counts and not whole:
            rows = [[" " + row[0], *row[1:]] for row in rows]
            rows = lines("Global", 0) + rows
        if not rows:
            rows = [["Global", "0.000", "0%"]]
        return _table(rows, ["Module", "FLOP", "% Total"])

    def __enter__(self):
        self.flop_counts.clear()
        self._error = None
        if not _active:
            _handles[:] = register_module_forward_pre_hook(_enter_module), register_module_forward_hook(_leave_module,
                                                                                                       always_call=True)
        _active.append(self)
        _watch()
        return self

    def __exit__(self, *error):
        _active.remove(self)
        _watch()
        if not _active:
            for handle in _handles:
                handle.remove()
            for kept in (_modules, _paths, _seen, _recorded, _handles):
                kept.clear()
        if self._error and error == (None, None, None):
            raise self._error
        if self.display:
            print(self.get_table(self.depth))
