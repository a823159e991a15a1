"""compare.py - what two runs of one program differ in.

In: the records of execute.py from Karat and from PyTorch. Out: differences, each with a kind, the statement, what was seen on
either side, and the reason from known.py where the difference is by design. A value may differ by as many units in the last
place as rounding.py gives the operator; all that is computed from such a value afterwards is compared by size alone, and where
that is not enough, by running the statement again on the same operands (again).
"""

import re
from collections import namedtuple

import numpy as np

import rounding
from elements import EPSILON, REAL_OF, Gap, decoded
from known import known
from statement import call_inside, mentioned, numbers, operator

Difference = namedtuple("Difference", "kind at where statement karat torch reason")
AFTER = " (last digits differed before)"
AMPLIFIED = "last digits differed before: from the same operands the statement makes the same"

STATE = ("dtype", "shape", "requires_grad", "is_leaf", "retains_grad", "grad_fn", "is_inference", "is_view", "base", "strides",
         "offset", "conj", "neg", "version", "same object as", "shares memory with")


# A difference in one of these that is by design says nothing about the rest of the program, which is compared further.
HARMLESS = {"version", "grad_fn", "is_view", "base", "strides"}


class Comparison:
    def __init__(self, program):
        self.settled, self.behind = set(), {}  # (tensor, key) known to differ; how many writes of a tensor PyTorch did not count
        self.program, self.loose, self.found = program, False, []
        self.said = set()  # warnings that both sides have given
        self.errors = self.seen = None  # of the statement at hand: both raised; the tensor that differs, in PyTorch
        self.gap = self.odd = None  # the elements that differ, and which of them by more than rounding
        self.before, self.operands, self.kin = {}, [], {}  # PyTorch's tensors before the statement, those in it; both sides' now
        self.accepted = {}  # tensor -> payloads that have been found near enough

    def note(self, kind, at, where, karat, torch, reason=None):
        difference = Difference(kind, at, where, self.program[at], karat, torch, None)
        self.found.append(difference._replace(reason=known(difference, self) or reason))
        return self.found[-1]

    def values(self, at, where, dtype, a, b):
        """Notes how two tensors' elements differ; whether the rest can still be compared."""
        if a == b or self.accepted.get(where) == (a, b):
            return True
        if isinstance(a, str) or isinstance(b, str) or len(a) != len(b):
            self.note("values", at, where, *(p if isinstance(p, str) else f"{len(p)} bytes" for p in (a, b)))
            return False
        gap, statement = Gap(dtype, a, b), self.program[at]
        name = operator(statement)
        bound = rounding.bound(name, dtype, statement) if gap.is_float else None
        if bound and (inside := call_inside(statement)):  # a transform is as near as what it calls
            bound = self.farther(bound, rounding.bound(operator(inside), dtype, inside))
        odd = gap.beyond(bound.ulps, self.allowed(bound, dtype, gap)) if bound else gap.beyond(0)
        if not np.any(gap.differs):
            return True
        if not np.any(odd):
            self.loose = True
        elif (self.loose or name == "backward") and gap.is_float and self.within(gap):
            self.loose = True
        else:
            self.gap, self.odd = gap, odd
            reason = self.elsewhere(at, dtype)
            far = f", {float(np.max(gap.ulps() * gap.differs)):.3g} ulps, {gap.share():.2g}" if gap.is_float else ""
            self.note("values", at, where + (AFTER if self.loose else ""),
                      gap.shown(0, odd) + far, gap.shown(1, odd), reason)
            self.gap = self.odd = None
            return False
        self.accepted[where] = (a, b)
        return True

    @staticmethod
    def farther(bound, other):
        return bound if other is None or other.ulps * max(other.terms, 1) <= bound.ulps * max(bound.terms, 1) else other

    def within(self, gap):
        """Whether elements are as near as numbers can be whose last digits differed some statements ago."""
        return not np.any(gap.beyond(0, self.share * max(gap.largest(), 1.0)))

    def allowed(self, bound, dtype, gap):
        """How far elements may be apart whatever their size: by the terms, and by the dtype that was computed in."""
        unit = EPSILON[self.narrowest(dtype)]
        size = max(gap.largest(), 1.0) if bound.by == "one" else self.size(gap)
        wider = unit > EPSILON[REAL_OF.get(dtype, dtype)]
        return np.maximum(bound.terms * unit * size, bound.ulps * unit * gap.size if wider else 0.0)

    def size(self, gap):
        """The size of the terms that a statement adds: that of its largest operand, or of the product of all."""
        largest, product = gap.largest(), 1.0
        for path in self.operands:
            values = self.before[path]["values"]
            x = None if isinstance(values, str) else decoded(self.before[path]["dtype"], values)
            most = float(np.max(np.abs(x[np.isfinite(x)]), initial=0)) if x is not None else 0.0
            largest, product = max(largest, most), product * max(most, 1.0)
        for number in numbers(self.program[self.at]):
            largest, product = max(largest, number), product * max(number, 1.0)
        return max(largest, product)

    def narrowest(self, dtype):
        """The least precise dtype that a statement may have computed in: out= may be wider than the operands."""
        seen = [REAL_OF.get(d, d) for d in (self.before[path]["dtype"] for path in self.operands)] + [REAL_OF.get(dtype, dtype)]
        if re.search("out=|dtype=", self.program[self.at]):  # of integers PyTorch makes the default dtype
            seen = [d if d in EPSILON else "float32" for d in seen]
        if scope := re.match(r"with torch\.autocast\('cpu'(?:, torch\.(\w+))?\)", self.program[self.at]):
            seen.append(scope.group(1) or "bfloat16")
        return max((d for d in seen if d in EPSILON), key=EPSILON.get)

    def elsewhere(self, at, dtype):
        """Why a tensor of another dtype in the same memory differs: the reason for what differs there is the reason here."""
        mine = self.seen.get("shares memory with")
        for x, y in self.kin:
            if not mine or y["shares memory with"] != mine or y["dtype"] == dtype or x["values"] == y["values"]:
                continue
            other = Comparison(self.program)
            other.share, other.at, other.before, other.operands = self.share, at, self.before, self.operands
            other.seen, other.loose, other.errors = y, self.loose, self.errors
            if other.values(at, "", x["dtype"], x["values"], y["values"]):
                return "the same memory as another dtype, in which it differs by rounding or by the bits of a NaN"
            if other.found[0].reason:
                return other.found[0].reason
        return None

    def left_out(self, path, prefix, theirs):
        """How many writes Karat does not count of a tensor that both have seen before, under this name or another."""
        if path + prefix in self.behind:
            return self.behind[path + prefix]
        for key in ("same object as", "shares memory with") if not prefix else ():
            for name, other in theirs.items():
                if name in self.behind and other[key] and other[key] == theirs[path][key]:
                    return self.behind[name]
        return 0

    def coarsest(self, ours):
        """The relative error that the least precise of the program's dtypes allows."""
        return max((rounding.LOOSE.get(p["dtype"], rounding.LOOSE["float32"]) for p in ours.values()), default=0)

    def pictures(self, at, ours, theirs):
        """Compares all named tensors; False at the first difference, since what follows comes of it."""
        self.share, self.at = self.coarsest(ours), at
        named = mentioned(self.program[at])
        self.operands = [path for path in self.before if re.match(r"t\d+", path) and re.match(r"t\d+", path).group(0) in named]
        self.kin = [(ours[path], theirs[path]) for path in ours if path in theirs]
        for path in sorted(set(ours) | set(theirs), key=lambda p: (len(p), p)):
            if path not in ours or path not in theirs:
                self.note("made by one side", at, path, path in ours, path in theirs)
                return False
            a, b = ours[path], theirs[path]
            for pair, prefix in (((a, b), ""), ((a.get("grad"), b.get("grad")), "grad.")):
                x, y = pair
                if not (isinstance(x, dict) and isinstance(y, dict)):
                    if prefix and x != y:
                        self.note("grad", at, path, brief(x), brief(y))
                        return False
                    continue
                self.seen = y
                for key in STATE:
                    mine, other = x.get(key), y.get(key)
                    if mine == other or (path, prefix + key) in self.settled:
                        continue
                    if key == "version" and isinstance(other, int):
                        other += self.left_out(path, prefix, theirs)
                        if mine == other:
                            continue
                    where = path + (AFTER if self.loose and key == "shape" else "")
                    if self.note(prefix + key, at, where, mine, other).reason is None or key not in HARMLESS:
                        return False
                    if key == "version" and isinstance(mine, int) and isinstance(other, int):
                        self.behind[path + prefix] = mine - y[key]
                    else:
                        self.settled.add((path, prefix + key))
                if not self.values(at, f"{path} {prefix}".strip(), x["dtype"], x["values"], y["values"]):
                    return False
        return True


def brief(gradient):
    return f"{gradient['dtype']} {gradient['shape']}" if isinstance(gradient, dict) else gradient


def compare(program, karat, torch, each=True):
    """The differences. Without a look after each statement nobody knows where last digits began to differ: values are then
    compared by size from the start, and to the digit when the program is run again with a look after each."""
    c = Comparison(program)
    c.loose = not each
    for at, (ours, theirs) in enumerate(zip(karat, torch)):
        c.errors = ours[0] and theirs[0]
        if bool(ours[0]) != bool(theirs[0]):
            c.note("raised by karat" if ours[0] else "raised by torch", at, "", ours[0], theirs[0])
            break
        if ours[0] and ours[0][0] != theirs[0][0]:
            c.note("error type", at, "", ours[0], theirs[0])
        elif ours[0] and ours[0] != theirs[0]:
            c.note("error text", at, "", ours[0][1], theirs[0][1])
        heard = [sorted(set(side[1])) for side in (ours, theirs)]  # which ones: an operator's parts say them again, in some order
        if heard[0] != heard[1]:
            c.note("warnings", at, "", *heard)
        c.said.update(text for text in heard[0] if text in heard[1])
        if ours[2] is not None:
            if not c.pictures(at, ours[2][0], theirs[2][0]):
                break
            c.before = theirs[2][0]
            if ours[2][1] != theirs[2][1] and not c.loose:
                c.note("other values", at, "", *[{k: v for k, v in a[2][1].items() if v != b[2][1].get(k)} for a,
                    b in ((ours, theirs), (theirs, ours))])
                break
    return c.found


def again(program, at, torch):
    """A program that runs one statement on PyTorch's operands, or None where they cannot be written down."""
    if at == 0 or torch[at - 1][2] is None or operator(program[at]) == "backward":
        return None
    lines, parts = [], {}
    for path, seen in torch[at - 1][2][0].items():
        found = re.fullmatch(r"(t\d+)(?:\[(\d+)\])?", path)
        if not found or found.group(1) not in mentioned(program[at]):
            continue
        if isinstance(seen["values"], str):
            return None
        empty = 0 in seen["shape"]
        made = f"torch.zeros({list(seen['shape'])}, dtype=torch.{seen['dtype']})" if empty else (
            f"torch.frombuffer(bytearray({seen['values']!r}), dtype=torch.uint8).view(torch.{seen['dtype']})"
            f".reshape({list(seen['shape'])})")
        if found.group(2):
            parts.setdefault(found.group(1), []).append(made)
        else:
            lines.append(f"{path} = {made}")
    lines += [f"{name} = [{', '.join(made)}]" for name, made in parts.items()]
    return lines + [program[at]]
