"""What PyTorch 2.11.0 does, recorded (tests/conformance): a figure may rise, never fall.

Each checker runs as a user would run it; its last line begins with how many of the recorded cases hold. Raise a floor
when a figure has risen.
"""

import importlib.util
import os
import re
import subprocess
import sys

import pytest

CONFORMANCE = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "conformance")

FLOORS = {
    "facts --part dtypes": [192],
    "facts --part promote_types": [681],
    "facts --part can_cast": [441],
    "facts --part result_type": [2468],  # with the texts
    "facts --part binary": [13117],
    "facts --part binary_scalar": [3077],
    "facts --part casts": [400],
    "facts --part unary": [857],
    "facts --part reductions": [520],
    "facts --part two": [23430],
    "facts --part creation": [26],
    "facts --part messages": [15561],
    "opinfo": [349, 5558],  # operators whole, rows
    "errors": [195, 121],  # cases, texts
    "errors --dry-run": [135],
    "parity": [41],  # scripts
}


def figures(arguments):
    checker, *options = arguments.split()
    command = [sys.executable, os.path.join(CONFORMANCE, f"check_{checker}.py"), *options]
    if checker == "parity":
        command += ["--run", f"{sys.executable} -m karat run"]
    done = subprocess.run(command, capture_output=True, text=True, timeout=600)
    assert done.returncode in (0, 1), done.stderr[-2000:]
    last = done.stdout.strip().splitlines()[-1]
    return [int(n) for n in re.findall(r"(\d+) of \d+", last)]


@pytest.mark.parametrize("arguments", FLOORS)
def test_figures_do_not_fall(arguments):
    reached = figures(arguments)
    print(arguments, reached)
    assert len(reached) >= len(FLOORS[arguments])
    allowed = arguments == "errors" and importlib.util.find_spec("ml_dtypes") is not None  # then bfloat16 has an array
    for now, floor in zip(reached, (floor - allowed for floor in FLOORS[arguments])):
        assert now >= floor, f"check_{arguments}: {reached}, was {FLOORS[arguments]}"
