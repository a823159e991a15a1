"""compare.py - what two runs of one program differ in.

In: the records of execute.py from Karat and from PyTorch. Out: differences, each with a kind, the statement, what was seen on
either side, and the reason from known.py where the difference is by design. A value may differ by as many units in the last
place as elements.py gives the operator; all that is computed from such a value afterwards is compared by size alone.
"""

from collections import namedtuple

from elements import EPSILON, LOOSE, NEAR_ZERO, ORDER, REAL_OF, ROUNDING, distance, same_but_nan, shown
from known import known, operator

Difference = namedtuple("Difference", "kind at where statement karat torch reason")

STATE = ("dtype", "shape", "requires_grad", "is_leaf", "grad_fn", "is_inference", "is_view", "strides", "offset", "conj", "neg",
    "version",
         "same object as", "shares memory with")


# A difference in one of these that is by design says nothing about the rest of the program, which is compared further.
HARMLESS = {"version", "grad_fn", "is_view", "strides"}


class Comparison:
    def __init__(self, program):
        self.settled, self.behind = set(), {}  # (tensor, key) known to differ; how many writes of a tensor PyTorch did not count
        self.program, self.loose, self.found, self.payloads, self.share = program, False, [], None, 0
        self.errors = self.seen = None  # of the statement at hand: both raised; the tensor that differs, in PyTorch

    def note(self, kind, at, where, karat, torch):
        difference = Difference(kind, at, where, self.program[at], karat, torch, None)
        self.found.append(difference._replace(reason=known(difference, self)))
        return self.found[-1]

    def values(self, at, where, dtype, a, b, direct):
        """Notes how two tensors' elements differ; whether the rest can still be compared."""
        if a == b:
            return True
        if isinstance(a, str) or isinstance(b, str) or len(a) != len(b):
            self.note("values", at, where, a if isinstance(a, str) else f"{len(a)} bytes", b
                if isinstance(b, str) else f"{len(b)} bytes")
            return False
        if same_but_nan(dtype, a, b):
            return True
        apart = distance(dtype, a, b)
        name = operator(self.program[at])
        allowed = ROUNDING.get(name) or ROUNDING.get(name.rstrip("_"))
        if apart and allowed and not self.loose and apart[0] <= allowed[0]:
            self.loose = True
            return True
        if apart and allowed and allowed[1] is ORDER and apart[1] <= 16 * EPSILON[REAL_OF.get(dtype, dtype)]:
            self.loose = True
            return True
        if apart and allowed and allowed[1] is NEAR_ZERO and apart[2] <= 32 * EPSILON[REAL_OF.get(dtype, dtype)]:
            self.loose = True
            return True
        if (self.loose or name == "backward") and apart and min(apart[1], apart[2]) <= self.share:
            self.loose = True
            return True
        if self.loose and apart is None and dtype not in LOOSE and dtype != "bfloat16":
            return True  # an integer, a bool or a float8 made from a value whose last digit differed
        if self.loose and "last digits differed before" not in where:
            where += " (last digits differed before)"
        self.payloads = (dtype, a, b)
        self.note("values", at, where, shown(dtype, a, b) + (f", {apart[0]:.3g} ulps, {apart[1]:.2g}" if apart else ""),
            shown(dtype, b, a))
        self.payloads = None
        return False

    def coarsest(self, ours):
        """The relative error that the least precise of the program's dtypes allows."""
        return max((LOOSE[p["dtype"]] for p in ours.values() if p["dtype"] in LOOSE), default=0)

    def pictures(self, at, ours, theirs):
        """Compares all named tensors; False at the first difference, since what follows comes of it."""
        self.share = self.coarsest(ours)
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
                    if key == "version" and isinstance(other, int):
                        other += self.behind.get(path + prefix, 0)
                    if mine == other or (path, prefix + key) in self.settled:
                        continue
                    if self.note(prefix + key, at, path, mine, other).reason is None or key not in HARMLESS:
                        return False
                    if key == "version" and isinstance(mine, int) and isinstance(other, int):
                        self.behind[path + prefix] = mine - y[key]
                    else:
                        self.settled.add((path, prefix + key))
                if not self.values(at, f"{path} {prefix}".strip(), x["dtype"], x["values"], y["values"], not prefix):
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
        if ours[1] != theirs[1]:
            c.note("warnings", at, "", ours[1], theirs[1])
        if ours[2] is not None:
            if not c.pictures(at, ours[2][0], theirs[2][0]):
                break
            if ours[2][1] != theirs[2][1] and not c.loose:
                c.note("other values", at, "", *[{k: v for k, v in a[2][1].items() if v != b[2][1].get(k)} for a,
                    b in ((ours, theirs), (theirs, ours))])
                break
    return c.found
