"""_report.py - what a region of autocast did, as text: the operators that ran, in which dtype and why, what was converted on
which line, and what looks like a mistake."""

import os
import sys
import threading
import weakref

from .. import _karat

_PACKAGE = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
_open = threading.local()  # the regions that are entered on this thread, outermost first
scalers = weakref.WeakSet()  # those that are enabled
entered = [0]  # how many regions were
_WHY = {"as it comes": "its dtypes are those of its inputs", "lower": "matrix products and the like run in the lower dtype",
        "float32": "it needs the range or the digits of float32", "widest": "its inputs are cast to the widest of them",
        "float32 result": "it accumulates in float32", "inner unchanged": "nothing inside it is cast", "refused": "it is refused",
        "pinned": "the dtype of an operand is pinned"}


def _short(dtype):
    return "-" if dtype is None else str(dtype).removeprefix("torch.")


def _place(file, line):
    return f"{os.path.basename(file)}:{line}" if file else "a line that is not known"


def clips():
    """Gradients are about to be clipped: they should not be scaled."""
    for scaler in list(scalers):
        if scaler.is_scaled():
            frame = sys._getframe(1)
            while frame.f_back and frame.f_code.co_filename.startswith(_PACKAGE):
                frame = frame.f_back
            scaler.note_mistake("clipping before unscale_: the gradients are still multiplied by the scale at "
                                f"{_place(frame.f_code.co_filename, frame.f_lineno)}; call scaler.unscale_(optimizer) first")


class Seen:
    """What the calls inside one region did, those of regions inside it included."""

    def __init__(self):
        self._own = _karat.AutocastSeen()
        self._inner = []
        self._first = None  # the number of the region when it was first entered

    def enter(self):
        entered[0] += 1
        self._first = entered[0] if self._first is None else self._first
        self._own.enter()
        regions = vars(_open).setdefault("regions", [])
        for outer in regions:
            if outer is not self and self not in outer._inner:
                outer._inner.append(self)
        regions.append(self)

    def leave(self):
        self._own.leave()
        regions = vars(_open).get("regions", [])
        if self in regions:  # else it was entered on another thread
            regions.remove(self)

    def __reduce__(self):
        return Seen, ()  # a copy of a region has seen nothing

    def _all(self):
        return [self._own, *(inner._own for inner in self._inner)]

    def operators(self):
        """{(op, dtype, class): count}"""
        counts = {}
        for seen in self._all():
            for op, class_, dtype, count, *_ in seen.operators():
                key = op, dtype, class_
                counts[key] = counts.get(key, 0) + count
        return counts

    def conversions(self):
        return [one for seen in self._all() for one in seen.conversions()]

    def mistakes(self, region):
        for seen in self._all():
            for op, _, _, count, narrow, file, line in seen.operators():
                if narrow:
                    yield (f"weights of 16 bits: {op} at {_place(file, line)} got parameters that are not float32; autocast "
                           "casts float32 weights by itself, do not call .half() or .bfloat16() on the module")
            ran = seen.backward()
            if ran:
                yield (f"backward under autocast: it ran inside the region, at {_place(*ran)}; leave the region before "
                       "backward()")
        if (region._enabled and region.fast_dtype is _karat.dtypes["float16"] and not list(scalers)
                and any(seen.recorded() for seen in self._all())):
            yield "float16 without a scaler: small gradients become zero; use torch.amp.GradScaler"
        for scaler in list(scalers):
            if self._first is not None and scaler.used_at >= self._first:
                yield from scaler.mistakes


def text(region):
    seen = region._seen
    reach = "" if region._enabled else ", of meta tensors alone" if region._meta else ", disabled"
    lines = [f"autocast on {region.device}, lowering to {_short(region.fast_dtype)}{reach}"]
    operators = sorted(seen.operators().items(), key=lambda one: (-one[1], one[0][0]))
    width = max((len(op) for (op, *_), _ in operators), default=0)
    for (op, dtype, class_), count in operators:
        lines.append(f"  {op:{width}}  {_short(dtype):9} {count:6} times  {class_}: {_WHY[class_]}")
    conversions = seen.conversions()
    if conversions:
        lines.append("converted:")
    for _, op, before, after, why, file, line, count, size in conversions:
        lines.append(f"  {_place(file, line)}  {op}: {_short(before)} to {_short(after)} ({why}), {count} times, {size} bytes")
    mistakes = list(dict.fromkeys(seen.mistakes(region)))
    if mistakes:
        lines.append("mistakes:")
    lines += [f"  {one}" for one in mistakes]
    return "\n".join(lines)
