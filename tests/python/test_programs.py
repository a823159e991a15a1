"""Programs as people write them: tests/programs has each with what PyTorch 2.11 prints, here to the tolerance of a few digits."""

import re
import subprocess
import sys
from pathlib import Path

import pytest

PROGRAMS = sorted((Path(__file__).parents[1] / "programs").glob("*.py"))
NUMBER = re.compile(r"[-+]?\d+\.?\d*(?:[eE][-+]?\d+)?")


def differs(line, want):
    """The words must be the same, the numbers close; tables of numbers may have other columns."""
    if " ".join(NUMBER.sub("#", line).split()) != " ".join(NUMBER.sub("#", want).split()):
        return True
    pairs = zip(NUMBER.findall(line), NUMBER.findall(want))
    return any(abs(float(a) - float(b)) > 2e-4 * max(1, abs(float(b))) for a, b in pairs)


@pytest.mark.cpu_only("a process of its own")
@pytest.mark.parametrize("program", PROGRAMS, ids=lambda path: path.stem)
def test_a_program_prints_what_pytorch_prints(program):
    run = subprocess.run([sys.executable, "-m", "karat", "run", "-W", "ignore", str(program)], capture_output=True, text=True)
    assert run.returncode == 0, run.stderr
    got, want = run.stdout.splitlines(), program.with_suffix(".out").read_text().splitlines()
    assert len(got) == len(want)
    assert [pair for pair in zip(got, want) if differs(*pair)] == []
