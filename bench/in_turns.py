"""What the timings of small calls share: karat and, given an interpreter that has it, PyTorch, each in a process of its own, in
turns, and the report."""

import argparse
import json
import subprocess
import sys
import time
import warnings


def seconds(call, threads):
    """The best of a few rounds of as many calls as last some milliseconds."""
    clock = time.perf_counter if threads > 1 else time.thread_time  # which does not count what other programs take away
    call()
    count, best, rounds = 1, float("inf"), 0
    while rounds < 5:
        start = clock()
        for _ in range(count):
            call()
        spent = clock() - start
        if spent < 4e-3:
            count *= 2 if spent > 1e-3 else 8
            continue
        best, rounds = min(best, spent / count), rounds + 1
    return best


def keep_best(found, again, side):
    """Seconds of a call by name of the work; a text is what it raised."""
    for work, spent in again.items():
        if isinstance(spent, str):
            if work not in found:
                print(f"{side}, {work}: {spent}")
        elif not isinstance(found.get(work), str):
            found[work] = min(spent, found.get(work, spent))
            continue
        found[work] = spent


def report(ours, theirs, compared, about):
    ratios = {work: theirs[work] / ours[work] for work in ours
              if not isinstance(ours[work], str) and not isinstance(theirs[work], str)}
    for work in sorted(ratios, key=ratios.get):
        line = f"{work:28s} {ours[work] * 1e6:10.1f} us"
        print(line + (f"   PyTorch {theirs[work] * 1e6:10.1f} us   {ratios[work]:6.2f} times as fast" if compared else ""))
    if compared:
        even = sum(ratio >= 0.97 for ratio in ratios.values())
        print(f"{even} of {len(ratios)} no slower than PyTorch, {about}")


def main(program, about, measure, **numbers):
    """measure(module, threads, only, **numbers) gives what one process finds; each of `numbers` is an option with its default."""
    parser = argparse.ArgumentParser(description=about.splitlines()[0])
    parser.add_argument("--reference", metavar="PYTHON", help="an interpreter that can import torch")
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--only", default="", metavar="REGEX")
    parser.add_argument("--measure", help=argparse.SUPPRESS)
    for name, default in numbers.items():
        parser.add_argument(f"--{name}", type=int, default=default)
    args = parser.parse_args()
    given = {name: getattr(args, name) for name in numbers}
    warnings.simplefilter("ignore")
    if args.measure:
        print(json.dumps(measure(args.measure, args.threads, args.only, **given)))
        return
    sides = [(sys.executable, "karat")] + ([(args.reference, "torch")] if args.reference else [])
    best = [{} for _ in sides]
    for _ in range(2):
        for (python, module), found in zip(sides, best):
            command = [python, program, "--measure", module, "--threads", str(args.threads), "--only", args.only]
            command += [word for name, value in given.items() for word in (f"--{name}", str(value))]
            keep_best(found, json.loads(subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True).stdout), module)
    options = [f"{args.threads} threads"] + [f"{value} {name}" for name, value in given.items()]
    report(best[0], best[-1], args.reference, ", ".join(options))
