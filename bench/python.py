"""What Karat costs from Python: small operators, the tape, the import. Each figure beside its ceiling of the same run.

Times are processor times of this process, the best of many rounds, with the cost of the loop taken off and shown. The
ceiling of an operator is an empty binding of its shape: a + b of objects whose + gives a new object and does nothing.
"""

import os
import subprocess
import sys
import time

import karat
from karat import _karat

ROUNDS = 40


def best(function, n, rounds=ROUNDS):
    """Seconds of one pass of a loop of n, the best of many."""
    clock = time.process_time
    times = []
    for _ in range(rounds):
        start = clock()
        function(n)
        times.append(clock() - start)
    return min(times) / n


def pass_loop(n):
    for _ in range(n):
        pass


def loop(statement, **names):
    """A function of n that runs the statement n times, with its names local, as in a user's function."""
    arguments = ", ".join(f"{name}={name}" for name in names)
    scope = dict(names)
    exec(f"def run(n, {arguments}):\n    for _ in range(n):\n        {statement}\n", scope)
    return scope["run"]


def report(what, value, unit, beside, goal=None):
    mark = "" if goal is None else f"   goal {goal:g} {unit}: {'met' if value <= goal else 'MISSED'}"
    print(f"  {what:<40}{value:9.1f} {unit:<3} {beside}{mark}")


def reach_pace(seconds=1.0):
    """A processor that was idle takes a while to run at its full pace; the first figures would pay for it."""
    end = time.perf_counter() + seconds
    while time.perf_counter() < end:
        pass_loop(10_000)


def small_operators():
    n = 20_000
    reach_pace()
    empty_loop = best(pass_loop, n) * 1e9
    print(f"one-element float32 tensors; an empty loop costs {empty_loop:.1f} ns a pass, taken off below")

    def cost(statement, **names):
        return best(loop(statement, **names), n) * 1e9 - empty_loop

    a, b, e = karat.ones(1), karat.ones(1), _karat.Empty()
    grad = karat.ones(1, requires_grad=True)
    add_ceiling = cost("e + e", e=e)
    call_ceiling = cost("f(a, b)", f=_karat.nothing, a=a, b=b)
    over_add = f"(empty binding: {add_ceiling:.1f}; loop: {empty_loop:.1f})"
    over_call = f"(empty function: {call_ceiling:.1f}; loop: {empty_loop:.1f})"
    report("a + b", cost("a + b", a=a, b=b), "ns", over_add, 150)
    report("a * 2.0", cost("a * 2.0", a=a), "ns", over_add)
    report("a + b, recorded for backward", cost("a + b", a=a, b=grad), "ns", over_add)
    report("a += b", cost("a += b", a=a, b=b), "ns", over_add)
    report("x[i]", cost("x[i]", x=karat.ones(3, 3), i=1), "ns", over_add, 200)
    report("karat.add(a, b)", cost("f(a, b)", f=karat.add, a=a, b=b), "ns", over_call)
    report("karat.add(a, b, alpha=2)", cost("f(a, b, alpha=2)", f=karat.add, a=a, b=b), "ns", over_call, 250)
    report("a.sum(dim=0)", cost("a.sum(dim=0)", a=a), "ns", over_call)
    report("a.view(1, 1)", cost("a.view(1, 1)", a=a), "ns", over_call)
    report("a.exp()", cost("a.exp()", a=a), "ns", over_call)
    report("a.to(karat.float16): a lineage record", cost("a.to(d)", a=a, d=karat.float16), "ns", over_call)
    report("karat.tensor([1., 2., 3.])", cost("f([1., 2., 3.])", f=karat.tensor), "ns", over_call, 400)
    report("a.item()", cost("a.item()", a=a), "ns", over_call)


def chain():
    x, w, e = karat.ones(1, requires_grad=True), karat.ones(1), _karat.Empty()

    def forward_backward(n):
        for _ in range(n):
            y = x
            for _ in range(20):
                y = y * w
            y.backward()

    def forward(n):
        for _ in range(n):
            y = x
            for _ in range(20):
                y = y * w

    def ceiling(n):
        for _ in range(n):
            for _ in range(20):
                e + e

    print("20 multiplications of one element")
    empty = best(ceiling, 500) * 1e6
    report(
        "forward and backward",
        best(forward_backward, 500) * 1e6,
        "us",
        f"(20 empty bindings and their loop: {empty:.1f})",
        12,
    )
    report("forward alone", best(forward, 500) * 1e6, "us", "")


def start_up(rounds=15):
    """Wall clock, since a start waits for files too: the difference of two processes, the best of many."""

    def run(statement):
        times = []
        for _ in range(rounds):
            start = time.perf_counter()
            subprocess.run([sys.executable, "-c", statement], check=True, env=os.environ)
            times.append(time.perf_counter() - start)
        return min(times) * 1e3

    run("import karat")  # files are warm from here on
    bare = run("pass")
    print("start of a process")
    report(
        "import karat, beyond Python's own start", run("import karat") - bare, "ms", f"(python -c pass: {bare:.1f})", 60
    )


if __name__ == "__main__":
    print(f"karat {karat.__version__}, isa {_karat.isa}, Python {sys.version.split()[0]}, sites by {_karat.sites}")
    small_operators()
    chain()
    start_up()
