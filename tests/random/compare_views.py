"""Run by hand: the same random programs of views and in-place writes in karat and in PyTorch, and where they differ.

    tests/random/compare_views.py /path/to/python-with-torch [first seed] [how many]

Compared after each program: what was refused and in which words, values, strides, versions, which tensor is a view of which, the
names of what made each, gradients and second derivatives. KNOWN has what is meant to differ, with its reasons: such programs are
counted, not shown. The package never imports torch; this tool starts it in a process of its own.
"""

import collections
import json
import os
import re
import subprocess
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "support"))


def number(x):
    return None if x is None else [complex(v).real for v in flat(x)] + [complex(v).imag for v in flat(x)]


def flat(x):
    return x.detach().resolve_conj().resolve_neg().reshape(-1).tolist()


def asked(question):
    try:
        return question()
    except RuntimeError as e:
        return str(e).splitlines()[0]


def described(p):
    def made_by(x):
        name = x.grad_fn.name() if x.grad_fn is not None else None
        return name and name.rpartition(":")[2]

    def base(x):
        return next((i for i, t in enumerate(p.tensors) if t is x._base), -1) if x._base is not None else None

    tensors = [{"shape": list(x.shape), "stride": list(x.stride()), "offset": x.storage_offset(), "values": number(x),
                "version": x._version, "view": x._is_view(), "base": base(x), "wants": asked(lambda: x.requires_grad),
                "leaf": asked(lambda: x.is_leaf), "made by": asked(lambda: made_by(x)), "lazy": [x.is_conj(), x.is_neg()]}
               for x in p.tensors]
    return {"refused": p.refused, "tensors": tensors, "grads": [number(g) for g in p.grads],
            "seconds": [number(g) for g in p.seconds], "mistakes": [m.split(":")[0] for m in p.mistakes], "steps": p.steps}


def run(name, first, n):
    import view_programs
    module = __import__(name)
    alias = module._karat.functions["alias"] if name == "karat" else module.ops.aten.alias
    for seed in range(first, first + n):
        print(json.dumps(described(view_programs.Program(module, seed, alias))))


def close(a, b):
    if isinstance(a, float) and isinstance(b, float):
        return a == b or (a != a and b != b) or abs(a - b) <= 1e-9 * max(1, abs(a), abs(b))
    if isinstance(a, list) and isinstance(b, list):
        return len(a) == len(b) and all(map(close, a, b))
    return a == b


def differences(ours, theirs):
    for i, (a, b) in enumerate(zip(ours["tensors"], theirs["tensors"])):
        yield from (f"t{i} {key}: karat {a[key]}, PyTorch {b[key]}" for key in a if not close(a[key], b[key]))
    for key in ("steps", "refused", "grads", "seconds"):
        if not close(ours[key], theirs[key]):
            for a, b in zip(ours[key], theirs[key]):
                if not close(a, b):
                    yield f"{key}: karat {a}, PyTorch {b}"
            if len(ours[key]) != len(theirs[key]):
                yield f"{key}: karat {ours[key]}, PyTorch {theirs[key]}"


def refused_alone(ours, theirs, words):
    """Whether `ours` refused a step that `theirs` did, and all such refusals are in these words."""
    alone = [one for one in ours["refused"] if one not in theirs["refused"]]
    return bool(alone) and all(words in one for one in alone)


def only_names_of_turned_views(ours, theirs):
    """Whether nothing differs but what made views over a conj or neg bit, or of another dtype."""
    names = [(a["made by"], b["made by"]) for a, b in zip(ours["tensors"], theirs["tensors"]) if a["made by"] != b["made by"]]
    turned = re.compile(r"^(Conj|NegView|ViewAsReal|ViewAsComplex)Backward0$")
    same = [{**one, "tensors": [{**t, "made by": None} for t in one["tensors"]]} for one in (ours, theirs)]
    return not list(differences(*same)) and all(any(turned.match(name or "") for name in pair) for pair in names)


KNOWN = [
    (lambda ours, theirs: theirs["mistakes"], "PyTorch's gradients are not those of the same steps without views"),
    (lambda ours, theirs: refused_alone(theirs, ours, "a leaf Variable that requires grad is being used in an in-place"),
     "PyTorch takes a view for a leaf if nobody has looked at it since its base was given a history"),
    (lambda ours, theirs: refused_alone(ours, theirs, "more than one element of the written-to tensor refers to a single"),
     "PyTorch writes through a view whose elements overlap in part, and counts some twice"),
    (lambda ours, theirs: refused_alone(theirs, ours, "more than one element of the written-to tensor refers to a single"),
     "one value for all elements of an expanded view over a neg or conj bit: PyTorch refuses it, Karat writes it"),
    (only_names_of_turned_views, "which of several operators stands last where a view is followed anew"),
]


def main(python, first=0, n=200):
    first, n = int(first), int(n)
    told = [subprocess.run([who, __file__, "--run", name, str(first), str(n)], stdout=subprocess.PIPE, text=True, check=True)
            for who, name in ((sys.executable, "karat"), (python, "torch"))]
    found, known = 0, collections.Counter()
    for i, (ours, theirs) in enumerate(zip(*(t.stdout.splitlines() for t in told))):
        ours, theirs = json.loads(ours), json.loads(theirs)
        differ = list(differences(ours, theirs))
        reason = differ and next((reason for holds, reason in KNOWN if holds(ours, theirs)), None)
        if reason:
            known[reason] += 1
        elif differ:
            found += 1
            print(f"seed {first + i}", *ours["steps"], *("  " + d for d in differ), sep="\n  ")
    for reason, times in known.most_common():
        print(f"known: {times} of: {reason}")
    print(f"{n} programs, {found} differ")


if __name__ == "__main__":
    if sys.argv[1] == "--run":
        run(sys.argv[2], int(sys.argv[3]), int(sys.argv[4]))
    else:
        main(*sys.argv[1:])
