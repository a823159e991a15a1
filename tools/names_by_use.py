"""names_by_use.py - counts again which names of a census of public code are there.

    karat run tools/names_by_use.py CENSUS.md [--missing]

The census is Markdown: tables with rows "| # | `torch.nn.Linear` | files | repositories |", and lists "`torch.nn.GRU` 4/8"
(repositories/files), "`Module.train` 310" (files) and, in a paragraph that begins "Tensor:" or "torch:", "`values` 300". A
name is built if it resolves to a value, refused if it can be imported and says by name why it is not there, missing
otherwise. Under PyTorch itself (python tools/names_by_use.py) every name that 2.11 has is built.
"""

import argparse
import importlib
import re
from collections import defaultdict

import torch

OWNERS = ("Tensor", "Module", "Optimizer")


def read(path):
    """{name: files}; a name of several lists has its largest count."""
    uses = {}
    for line in open(path, encoding="utf-8"):
        home = re.match(r"([a-zA-Z.]+): `", line)
        prefix = f"{home[1]}." if home else ""
        if prefix and prefix.partition(".")[0] not in (*OWNERS, "torch"):
            prefix = "torch." + prefix
        found = re.findall(r"^\| \d+ \| `([\w.]+)` \| (\d+) \|", line)
        found += [(name, files or count) for name, count, files in re.findall(r"`([\w.]+)` (\d+)(?:/(\d+))?", line)]
        for name, count in found:
            uses[prefix + name] = max(int(count), uses.get(prefix + name, 0))
    return uses


def owner_of(name):
    if name == "Optimizer":
        return torch.optim.SGD([torch.ones(1)], lr=1.0)  # state and param_groups are an instance's
    return torch.Tensor if name == "Tensor" else torch.nn.Module


def resolve(name):
    """What the name means: modules are imported, then attributes followed."""
    first, *parts = name.split(".")
    if first in OWNERS:
        return getattr(owner_of(first), parts[0])
    value, path = torch, "torch"
    for part in parts:
        path += "." + part
        try:
            value = getattr(value, part)
        except AttributeError:
            value = importlib.import_module(path)
    return value


def state_of(name):
    try:
        value = resolve(name)
    except (AttributeError, ImportError):
        return "missing"
    told = value.__doc__ if callable(value) or isinstance(value, type(re)) else None
    return "refused" if told and told.startswith(("Refused: ", "Importable; refused")) else "built"


def group_of(name):
    parts = name.split(".")
    if parts[0] in OWNERS:
        return parts[0] + " members"
    return "torch" if len(parts) < 3 else ".".join(parts[1:-1])


def main():
    options = argparse.ArgumentParser()
    options.add_argument("census")
    options.add_argument("--missing", action="store_true", help="print the names that are not built")
    options = options.parse_args()
    uses = read(options.census)
    counts = defaultdict(lambda: defaultdict(lambda: [0, 0]))
    states = {name: state_of(name) for name in uses}
    for name, state in states.items():
        for group in (group_of(name), "all"):
            counts[group][state][0] += 1
            counts[group][state][1] += uses[name]
    print(f"{'group':<34}{'names':>7}{'built':>7}{'refused':>9}{'missing':>9}{'uses':>8}{'refused':>9}{'missing':>9}")
    for group, of in sorted(counts.items(), key=lambda item: -sum(one[1] for one in item[1].values())):
        names, files = [{state: of[state][i] for state in ("built", "refused", "missing")} for i in (0, 1)]
        print(f"{group:<34}{sum(names.values()):>7}{names['built']:>7}{names['refused']:>9}{names['missing']:>9}"
              f"{sum(files.values()):>8}{files['refused']:>9}{files['missing']:>9}")
    if options.missing:
        for state in ("missing", "refused"):
            own = sorted((name for name in uses if states[name] == state), key=lambda name: -uses[name])
            print(f"{state}: " + ", ".join(f"{name} {uses[name]}" for name in own))


if __name__ == "__main__":
    main()
