"""tools/own_code.py: whose bodies it reports, and what it says where PyTorch is not installed."""

import os
import pathlib
import subprocess
import sys

import pytest

pytestmark = [pytest.mark.cpu_only("no tensors"), pytest.mark.not_sanitized("no tensors")]
TOOL = pathlib.Path(__file__).parents[2] / "tools" / "own_code.py"

THEIRS = '''
class Clock:
    def advance(self, hours: int, minutes: int = 0) -> int:
        """Moves the clock."""
        total = self.minutes + hours * 60 + minutes
        if total < 0:
            raise ValueError("before the beginning")
        self.minutes = total % (24 * 60)
        self.days += total // (24 * 60)
        return self.days

def wait(): return torch.zeros(1)
'''
RENAMED = '''
class Clock:
    def advance(self, h, m=0):
        """Other words."""
        t = self.minutes + h * 60 + m
        if t < 0:
            raise ValueError("before the beginning")
        self.minutes = t % (24 * 60)
        self.days += t // (24 * 60)
        return self.days

def wait(): return karat.zeros(1)
'''
OWN = '''
class Clock:
    def advance(self, hours, minutes=0):
        days, rest = divmod(self.minutes + 60 * hours + minutes, DAY)
        if self.days + days < 0:
            raise ValueError("before the beginning")
        self.days, self.minutes = self.days + days, rest
        return self.days
'''


@pytest.fixture
def compared(tmp_path):
    def compare(mine, *options, torch=True):
        for folder, text in (("mine", mine), ("torch", THEIRS)):
            (tmp_path / folder / "time").mkdir(parents=True)
            (tmp_path / folder / "time" / "clock.py").write_text(text)
        asked = [tmp_path / "mine", tmp_path / "torch"] if torch else [tmp_path / "mine"]
        environment = {name: value for name, value in os.environ.items() if name != "KARAT_TEST_TORCH"}
        return subprocess.run([sys.executable, "-I", "-S", TOOL, *asked, *options], capture_output=True, text=True,
                              env=environment)

    return compare


def test_renamed_locals_hide_no_body(compared):
    done = compared(RENAMED)
    assert done.returncode == 1 and "own code: 1 of 1 functions" in done.stdout
    assert "1.00" in done.stdout and "time/clock.py:3" in done.stdout and "Clock.advance" in done.stdout


def test_bodies_of_our_own_pass(compared):
    done = compared(OWN)
    assert (done.returncode, done.stdout) == (0, "own code: 0 of 1 functions are at least 0.85 like PyTorch's (0 lines)\n")


def test_another_name_hides_a_body_only_without_any_name(compared, tmp_path):
    renamed = RENAMED.replace("advance", "go_on")
    assert compared(renamed).returncode == 0
    for folder in ("mine", "torch"):
        (tmp_path / folder / "time" / "clock.py").unlink()
        (tmp_path / folder / "time").rmdir()
    done = compared(renamed, "--any-name")
    assert done.returncode == 1 and "Clock.go_on" in done.stdout and "Clock.advance" in done.stdout


@pytest.mark.parametrize("options, seen, status", [
    (("--nodes", "5"), "2 of 2", 1), (("--nodes", "500"), "0 of 0", 0), (("--allow", "1"), "1 of 1", 0),
    (("--only", "time/"), "1 of 1", 1), (("--only", "space/"), "0 of 0", 0), (("--limit", "1.01"), "0 of 1", 0)])
def test_options(compared, options, seen, status):
    done = compared(RENAMED, *options)
    assert done.returncode == status and f"own code: {seen} functions" in done.stdout


def test_it_says_when_there_is_no_torch(compared):
    done = compared(RENAMED, torch=False)
    assert done.returncode == 0 and "own code: not compared, PyTorch is not installed" in done.stdout
