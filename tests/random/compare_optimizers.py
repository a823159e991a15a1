"""Run by hand: optimizers with random options and dtypes, 20 steps, in karat and in PyTorch, and where they differ: values,
states and their dtypes, state dicts, versions, texts, errors.

    tests/random/compare_optimizers.py /path/to/python-with-torch [first seed] [how many]

Left out: fused steps of parameters that do not lie in memory as their gradients do, which PyTorch pairs by place; foreach=True,
whose roundings are others there; fused SGD, which is wrong there for bfloat16 and float16 on some processors, and an error where
parameters get their first gradients at different times.

The package never imports torch; this tool starts it in a process of its own.
"""

import copy
import importlib
import json
import math
import random
import subprocess
import sys
import warnings

ALL = "SGD Adam AdamW Adagrad Adadelta Adamax NAdam RAdam RMSprop ASGD Rprop Adafactor Muon".split()
CAPTURABLE = {"Adam", "AdamW", "Adadelta", "Adamax", "NAdam", "RAdam", "RMSprop", "ASGD", "Rprop"}
RECORDED = CAPTURABLE | {"SGD", "Adagrad"}
DTYPES = ["float32"] * 4 + ["float64", "bfloat16", "float16", "complex64", "complex128"]
LEAST = {"float32": 2e-5, "float64": 1e-7, "bfloat16": 4e-2, "float16": 1e-2, "complex64": 2e-5, "complex128": 1e-7}
# A last digit that the steps after it carry on: PyTorch's loop for the rest of a vector rounds rsqrt's root to the dtype, its
# vector loop and Karat do not (Adafactor); large steps in 16 bits (NAdam); products in bfloat16 (Muon).
ROUGH = {("Adafactor", "float16"): 0.1, ("Adafactor", "bfloat16"): 0.4, ("NAdam", "float16"): 0.03,
         ("Muon", "float32"): 2e-3, ("Muon", "float64"): 2e-3}
# Options of one kind: name -> values, the last of which is wrong where there are several signs.
OPTIONS = {
    "SGD": {"momentum": (0.9, 0.5, -1.0), "dampening": (0.1,), "nesterov": (True,)},
    "Adam": {"amsgrad": (True,), "decoupled_weight_decay": (True,), "fused": (True,)},
    "AdamW": {"amsgrad": (True,), "fused": (True,)},
    "Adagrad": {"lr_decay": (0.1, 0.01, -1), "initial_accumulator_value": (0.1, 0, -1), "fused": (True,)},
    "Adadelta": {"rho": (0.9, 0.5, 1.5)},
    "NAdam": {"momentum_decay": (0.01, 0.004, -1), "decoupled_weight_decay": (True,)},
    "RAdam": {"decoupled_weight_decay": (True,)},
    "RMSprop": {"momentum": (0.9, 0.5), "centered": (True,), "alpha": (0.9, 0.5, -1)},
    "ASGD": {"lambd": (0.01,), "t0": (0.0, 5, 1e6), "alpha": (0.5,)},
    "Rprop": {"etas": ((0.5, 1.2), (0.3, 1.5), (1.5, 1.2)), "step_sizes": ((1e-4, 1.0),)},
    "Adafactor": {"eps": ((None, 1e-3), (1e-4, 1e-2), (-1, 1e-3)), "d": (1.0, 2.0, 0.5), "beta2_decay": (-0.5, -0.8, 0.1)},
    "Muon": {"momentum": (0.9, 0.5, -1), "nesterov": (False,), "adjust_lr_fn": ("original", "match_rms_adamw", "x"),
             "ns_steps": (3, 100)},
}


def options_of(r, kind):
    made = {"lr": r.choice([1e-3, 1e-2, 0.1, 0.5, 0.0, -1.0])} if r.random() < 0.8 else {}
    shared = {"weight_decay": (0.01, 0.1, 0, -0.1)} if kind != "Rprop" else {}
    if kind != "Muon":
        shared |= {"maximize": (True,), "foreach": (False,)}
    if kind in ("Adam", "AdamW", "Adamax", "NAdam", "RAdam"):
        shared |= {"betas": ((0.8, 0.9), (0.5, 0.999), (0.9, 0.99), (1.0, 0.9)), "eps": (1e-3, 1e-6, -1)}
    for name, values in (shared | OPTIONS.get(kind, {})).items():
        if r.random() < 0.4:
            made[name] = values[-1] if r.random() < 0.1 else r.choice(values[:-1] or values)
    made |= {"capturable": True} if kind in CAPTURABLE and r.random() < 0.05 else {}
    return made | ({"differentiable": True} if kind in RECORDED and r.random() < 0.1 else {})


def told(T, x):
    """A value as plain data, with what is to be the same."""
    if isinstance(x, T.Tensor):
        real = T.view_as_real(x.detach()) if x.is_complex() else x.detach()
        return [str(x.dtype).rpartition(".")[2], list(x.shape), list(x.stride()), real.double().flatten().tolist()]
    if isinstance(x, dict):
        return {str(key): told(T, value) for key, value in x.items()}
    return [told(T, one) for one in x] if isinstance(x, (list, tuple)) else x


def drawn(T, shape, dtype):
    narrow = dtype in (T.bfloat16, T.float16)
    return T.randn(shape, dtype=T.float32 if narrow else dtype).to(dtype)


def steps(T, r, kind, options, dtype):
    shapes = [(4, 3), (3, 5)] if kind == "Muon" else [(4, 3), (5,), ()]
    leaves = [drawn(T, shape, dtype).requires_grad_() for shape in shapes]
    params = [leaf.clone() for leaf in leaves] if options.get("differentiable") else leaves
    groups = params if r.random() < 0.7 else [{"params": params[:1]}, {"params": params[1:], "lr": 0.02}]
    optimizer = getattr(T.optim, kind)(groups, **options)
    for step in range(20):
        for p in params:
            p.grad = None if r.random() < 0.1 else drawn(T, p.shape, dtype)
        optimizer.step()
        if step == 10 and r.random() < 0.5:
            optimizer.load_state_dict(copy.deepcopy(optimizer.state_dict()))
    return {"text": repr(optimizer), "params": told(T, params), "state": told(T, optimizer.state_dict()),
            "versions": [p._version for p in params]}


def execute(name, first, n):
    T = importlib.import_module(name)
    warnings.simplefilter("ignore")
    for seed in range(first, first + n):
        r = random.Random(seed)
        T.manual_seed(seed)
        kind, dtype = r.choice(ALL), r.choice(DTYPES)
        options = options_of(r, kind)
        try:
            answer = steps(T, r, kind, options, getattr(T, dtype))
        except Exception as e:
            answer = [type(e).__name__, str(e).split("\n")[0]]
        print(json.dumps([f"seed {seed}: {kind} {options} {dtype}", dtype, answer]), flush=True)


def difference(a, b, least, path="", unit=0.1):
    """Where two answers differ first, or None. Numbers below `unit` are compared as if they were as large."""
    if isinstance(a, dict) and isinstance(b, dict):
        pairs = [(f"{path}.{key}", a.get(key, "nothing"), b.get(key, "nothing")) for key in a | b]
    elif isinstance(a, list) and isinstance(b, list) and len(a) == len(b):
        pairs = [(f"{path}[{i}]", x, y) for i, (x, y) in enumerate(zip(a, b))]
    elif isinstance(a, float) and isinstance(b, float):
        same = a == b or (math.isnan(a) and math.isnan(b)) or abs(a - b) <= least * max(unit, abs(a), abs(b))
        return None if same else f"{path}: {a} and {b}"
    else:
        return None if a == b else f"{path}: {str(a)[:200]} and {str(b)[:200]}"
    return next((found for place, x, y in pairs if (found := difference(x, y, least, place, unit))), None)


def main():
    first, n = (int(sys.argv[2]) if len(sys.argv) > 2 else 0), (int(sys.argv[3]) if len(sys.argv) > 3 else 1000)

    def lines(python, name):
        done = subprocess.run([python, __file__, "--execute", name, str(first), str(n)], stdout=subprocess.PIPE, text=True)
        return [json.loads(line) for line in done.stdout.splitlines()]

    ours, theirs, differ, refused = lines(sys.executable, "karat"), lines(sys.argv[1], "torch"), 0, 0
    for (what, dtype, a), (_, _, b) in zip(ours, theirs):
        found = difference(a, b, ROUGH.get((what.split()[2], dtype), LEAST[dtype]))
        refused += isinstance(b, list)
        differ += found is not None
        if found:
            print(f"{what}\n  {found}")
    print(f"{len(ours)} of {n} cases, {refused} of them errors, {differ} differ")
    return differ > 0 or len(ours) != n or len(theirs) != n


if __name__ == "__main__":
    if sys.argv[1] == "--execute":
        execute(sys.argv[2], int(sys.argv[3]), int(sys.argv[4]))
    else:
        sys.exit(main())
