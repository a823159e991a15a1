"""run.py - random programs beside PyTorch.

    build/venv/bin/python3 tests/random/run.py --programs 10000 --seed 7 --reference VENV_WITH_TORCH/bin/python

writes 10,000 programs from the seed, runs each under Karat and under PyTorch 2.11 in a process of its own, and compares after
every statement what can be seen: errors, warnings, and of each tensor dtype, shape, strides, values, history and gradient. A
difference is reduced to the shortest program that shows it. Differences by design are counted with their reason (known.py);
every other one is printed, and the exit status is 1. Karat is taken from PYTHONPATH or build/python.

    --family NAME   operators (write.py), autograd (write_autograd.py) or wide (write_wide.py) alone; without it a third of each
    --first N       start at program N of the seed                  --only N     one program, printed whole
    --karat PYTHON  the interpreter for Karat (default: this one)   --save FILE  the differences as JSON lines
    --jobs N        N pairs of processes at the same time
    --alone         Karat only, no PyTorch: programs are written and run; for the sanitizers
    --threads N     with --alone: N threads run programs at the same time, each operator with N threads
"""

import argparse
import collections
import json
import os
import pickle
import random
import subprocess
import sys
import threading
import time
import traceback

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, HERE)
BUILT = os.path.join(HERE, "..", "..", "build", "python")


class Worker:
    """A process that holds one module; started anew when it dies."""

    def __init__(self, python, module, limit=60):
        self.command, self.limit, self.process = [python, os.path.join(HERE, "worker.py"), module], limit, None
        self.environment = {**os.environ, "PYTHONDONTWRITEBYTECODE": "1"}
        if module == "karat":
            self.environment["KARAT_MEMORY_LIMIT"] = "2g"  # what would take more is not written, so PyTorch never sees it
            self.environment["PYTHONPATH"] = os.pathsep.join(filter(None, [os.environ.get("PYTHONPATH"), os.path.abspath(BUILT)]))

    def ask(self, *request):
        """The answer, or None when the process died or took too long."""
        if self.process is None:
            self.process = subprocess.Popen(self.command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, env=self.environment)
        watch = threading.Timer(self.limit, self.process.kill)
        watch.start()
        try:
            pickle.dump(request, self.process.stdin)
            self.process.stdin.flush()
            return pickle.load(self.process.stdout)
        except (EOFError, BrokenPipeError, pickle.UnpicklingError):
            self.process.kill()
            self.process.wait()
            self.process = None
            return None
        finally:
            watch.cancel()


class Pair:
    """Karat and PyTorch side by side."""

    def __init__(self, ours, theirs):
        self.ours, self.theirs = Worker(ours, "karat"), Worker(theirs, "torch")

    def differences(self, program, each):
        import compare
        answers = [None, None]
        side = threading.Thread(target=lambda: answers.__setitem__(1, self.theirs.ask("run", program, each)))
        side.start()
        answers[0] = self.ours.ask("run", program, each)
        side.join()
        if None in answers:
            at = len(program) - 1
            return [compare.Difference("crash", at, "", program[at], *("runs" if a else "died" for a in answers),
                                       "PyTorch crashes" if answers[0] else None)]
        found = compare.compare(program, *answers, each)
        for i, difference in enumerate(found):
            if difference.reason is None and "differed before" in difference.where:
                found[i] = self.judged(difference, compare.again(program, difference.at, answers[1]))
        return found

    def looking_changes(self, program):
        """Whether the tensors at the end are others where nobody looked before, on either side."""
        for side in (self.ours, self.theirs):
            ends = [side.ask("run", program, each) for each in (True, False)]
            if None in ends or ends[0][-1][2] != ends[1][-1][2]:
                return True
        return False

    def judged(self, difference, program):
        """A difference that may come of last digits: it does where both make the same from the same operands."""
        import compare
        telling = ("values", "raised by karat", "raised by torch", "dtype", "shape")
        if program is None or any(f.reason is None and f.kind in telling for f in self.differences(program, True)):
            return difference
        return difference._replace(reason=compare.AMPLIFIED)


def signature(difference):
    import statement
    seen = str(difference.karat or difference.torch)[:60] if "raised" in difference.kind or difference.kind in ("error type",
        ) else ""
    return difference.kind, statement.operator(difference.statement), "".join(c for c in seen if not c.isdigit())


def shrink(pair, program, each, wanted):
    """The shortest program found that shows the same difference: statements are left out, then arguments."""
    import re

    def shows(candidate):
        for found in pair.differences(candidate, each) if candidate else []:
            if found.reason is None and signature(found) == wanted:
                return found
        return None

    best = list(program)
    changed = True
    while changed:
        changed = False
        for i in reversed(range(len(best))):
            shorter = best[:i] + best[i + 1:]
            if shows(shorter):
                best, changed = shorter, True
        for i, line in enumerate(best):
            for pattern, put in ((r"^with torch\.\w+\(\w*\): ", ""), (r", requires_grad=True", ""),
                (r", \w+=[^=(),\[\]]+(?=[,)])", "")):
                shorter_line = re.sub(pattern, put, line, count=1)
                if shorter_line != line and shows(best[:i] + [shorter_line] + best[i + 1:]):
                    best, changed = best[:i] + [shorter_line] + best[i + 1:], True
                    break
    return best, shows(best)


def fault():
    """What went wrong inside: the exception at hand and the line that raised it."""
    kind, error, trace = sys.exc_info()
    last = traceback.extract_tb(trace)[-1]
    return f"{kind.__name__}: {error} ({os.path.basename(last.filename)}:{last.lineno})"


class Tally:
    """What a run has found so far; several threads add to it."""

    def __init__(self, options):
        self.options, self.lock, self.started = options, threading.Lock(), time.time()
        self.done = self.statements = self.differing = 0
        self.reasons, self.findings, self.where = collections.Counter(), collections.Counter(), collections.defaultdict(list)

    def count(self, program, found):
        with self.lock:
            self.done += 1
            self.statements += len(program)
            self.differing += bool(found)
            if self.done % 500 == 0:
                print(f"... {self.done} programs, {time.time() - self.started:.0f} s", flush=True)

    def failed(self, index, what, why):
        """A program that could not be written or compared is a difference that nobody has explained."""
        with self.lock:
            self.done += 1
            self.findings[what, f"program {index}", why] += 1
            print(f"\n== {index}: {what}: {why}", flush=True)

    def is_new(self, index, difference):
        """Counts a difference; whether it is the first of its kind, to be shrunk and shown."""
        with self.lock:
            if difference.reason:
                self.reasons[difference.reason] += 1
                return False
            kind = signature(difference)
            self.findings[kind] += 1
            self.where[kind].append(index)
            return len(self.where[kind]) == 1

    def show(self, index, difference, program):
        kind = signature(difference)
        with self.lock:
            print(f"\n== {index}: {difference.kind} ({kind[1]}) {difference.where}\n   K {str(difference.karat)[:300]}\n"
                  f"   T {str(difference.torch)[:300]}\n   " + "\n   ".join(program), flush=True)
            if self.options.save:
                with open(self.options.save, "a") as f:
                    f.write(json.dumps({"seed": self.options.seed, "index": index, "kind": kind, "program": program,
                                        "karat": str(difference.karat), "torch": str(difference.torch)}) + "\n")

    def report(self):
        print(f"\nseed {self.options.seed}: {self.done} programs, {self.statements} statements, {self.differing} "
              f"with a difference, "
              f"{time.time() - self.started:.0f} s")
        print(f"by design: {sum(self.reasons.values())}")
        for reason, count in self.reasons.most_common():
            print(f"  {count:6} {reason}")
        print(f"not explained: {sum(self.findings.values())}")
        for kind, count in self.findings.most_common():
            programs = ", ".join(map(str, self.where[kind][:5]))
            print(f"  {count:6} {' | '.join(kind)}" + (f" | programs {programs}" if programs else ""))
        return 1 if self.findings else 0


def family(options, index):
    return options.family if options.family != "all" else ("operators", "autograd", "wide")[index // 2 % 3]


def one(pair, tally, index):
    """Writes, runs and compares one program."""
    program = pair.ours.ask("write", family(tally.options, index), tally.options.seed, index)
    if program is None:
        return tally.failed(index, "not written", "the process died")
    each = index % 2 == 0
    if tally.options.only is not None:
        print("\n".join(program))
    found = pair.differences(program, each) if program else []
    if found and not each:  # the first statement after which it can be seen, where looking does not hide it
        looked = pair.differences(program, True)
        rounded = not looked and all(f.kind == "values" for f in found) and not pair.looking_changes(program)
        found, each = (looked, True) if looked or rounded else (found, each)
    for difference in found:
        if tally.is_new(index, difference):
            shortest, shown = shrink(pair, program, each, signature(difference))
            tally.show(index, shown or difference, shortest)
    tally.count(program, found)


def beside(options):
    indices = iter([options.only] if options.only is not None else range(options.first, options.first + options.programs))
    tally = Tally(options)

    def work():
        pair = Pair(options.karat, options.reference)
        while True:
            with tally.lock:
                index = next(indices, None)
            if index is None:
                return
            try:
                one(pair, tally, index)
            except Exception:
                tally.failed(index, "comparison failed", fault())

    threads = [threading.Thread(target=work) for _ in range(options.jobs)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    left = (1 if options.only is not None else options.programs) - tally.done
    if left:
        tally.findings["lost", f"{left} programs", "a thread ended before its work"] += left
    return tally.report()


def alone(options):
    """Programs in this process, under whatever sanitizer was put before it."""
    sys.path.append(os.path.abspath(BUILT))
    import karat

    import execute
    from worker import FAMILIES

    karat.set_num_threads(options.threads)
    indices, failed = iter(range(options.first, options.first + options.programs)), []
    lock = threading.Lock()

    def work():
        while True:
            with lock:
                index = next(indices, None)
            if index is None:
                return
            try:
                program = FAMILIES[family(options, index)](karat, options.seed, index)
                for error, _, _ in execute.execute(karat, program, index % 2 == 0):
                    if error and (error[0] == "SystemError" or "INTERNAL" in error[1]):
                        failed.append((index, error))
            except Exception:
                failed.append((index, fault()))

    threads = [threading.Thread(target=work) for _ in range(options.threads)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    print(f"seed {options.seed}: {options.programs} programs on {options.threads} threads; {len(failed)} internal errors")
    for index, error in failed[:20]:
        print(f"  program {index}: {error}")
    return 1 if failed else 0


def main():
    parser = argparse.ArgumentParser(description="random programs beside PyTorch")
    parser.add_argument("--programs", type=int, default=1000)
    parser.add_argument("--seed", default=None)
    parser.add_argument("--first", type=int, default=0)
    parser.add_argument("--family", choices=["all", "operators", "autograd", "wide"], default="all")
    parser.add_argument("--only", type=int)
    parser.add_argument("--reference", help="a Python that has PyTorch 2.11; --alone needs none")
    parser.add_argument("--karat", default=sys.executable)
    parser.add_argument("--save")
    parser.add_argument("--alone", action="store_true")
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--jobs", type=int, default=1)
    options = parser.parse_args()
    if not options.alone and not options.reference:
        parser.error("--reference: name a Python that has PyTorch 2.11, or run --alone")
    options.seed = options.seed or str(random.SystemRandom().randrange(10 ** 6))
    print(f"seed {options.seed}", flush=True)
    return alone(options) if options.alone else beside(options)


if __name__ == "__main__":
    sys.exit(main())
