"""The text of karat.explain(module): the tree with dtypes, bytes, and where each dtype came from; what the calls of each module
converted, in a hook before forward, in forward, or in a hook after it."""

import os

from .. import _karat
from .parameter import is_lazy


def _bytes(n):
    for unit in ("bytes", "KiB", "MiB", "GiB"):
        if n < 10000 or unit == "GiB":
            return f"{n} {unit}" if unit == "bytes" else f"{n:.1f} {unit}"
        n /= 1024


def _own(module):
    """(name, tensor, what it is) of the module's own parameters and buffers."""
    for name, parameter in module._parameters.items():
        if parameter is not None:
            yield name, parameter, "" if parameter.requires_grad else ", frozen"
    for name, buffer in module._buffers.items():
        if buffer is not None:
            yield name, buffer, ", buffer" if name not in module._non_persistent_buffers_set else ", buffer, not saved"


_PHASES = "pre-hook", "forward", "hook"


def _conversions(module):
    for phase, op, before, after, why, file, line, count, size in sorted(_karat.module_conversions(module), key=lambda c: c[0]):
        place = f" at {os.path.basename(file)}:{line}" if file else ""
        times = f"{count} time{'s' * (count != 1)}"
        yield f"{_PHASES[phase]}: {op} converted {_short(before)} to {_short(after)} ({why}){place}, {times}, {_bytes(size)}"


def _short(dtype):
    return str(dtype).removeprefix("torch.")


def _pinned(thing):
    return ", pinned" if thing.__dict__.get("_pinned_dtype") else ""


def _lines(module, name, depth, seen):
    indent = "  " * depth
    known = id(module) in seen
    called = f"{name}: {type(module).__name__}" if name else type(module).__name__
    yield f"{indent}{called}{_pinned(module)}{', the same as above' if known else ''}", ()
    if known:
        return
    seen.add(id(module))
    for own, t, what in _own(module):
        if is_lazy(t):
            yield f"{indent}  {own}  not initialized yet{what}", ()
            continue
        first, *chain = _karat.explain(t).split("\n")
        yield f"{indent}  {own}  {first}  {_bytes(t.numel() * t.element_size())}{what}{_pinned(t)}", chain
    for conversion in _conversions(module):
        yield f"{indent}  {conversion}", ()
    for child, below in module._modules.items():
        if below is not None:
            yield from _lines(below, child, depth + 1, seen)


def _totals(module):
    """Bytes by dtype of all parameters and buffers, each once."""
    totals, seen = {}, set()
    for t in (*module.parameters(), *module.buffers()):
        if t not in seen and not is_lazy(t):
            seen.add(t)
            count, size = totals.get(t.dtype, (0, 0))
            totals[t.dtype] = count + 1, size + t.numel() * t.element_size()
    return "; ".join(f"{_short(dtype)}: {count} tensor{'s' * (count != 1)}, {_bytes(size)}"
                     for dtype, (count, size) in totals.items())


def text(module):
    result = []
    for line, chain in _lines(module, "", 0, set()):
        result.append(line)
        result.extend(" " * (len(line) - len(line.lstrip())) + "  " + one for one in chain)
    totals = _totals(module)
    return "\n".join(result + ([totals] if totals else []))
