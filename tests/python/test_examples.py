"""The Python lessons: each is a program that checks its own results and ends without an error."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

pytestmark = pytest.mark.cpu_only("starts programs of its own")

lessons = sorted((Path(__file__).resolve().parents[2] / "examples" / "python").glob("*.py"))


@pytest.mark.parametrize("path", lessons, ids=lambda path: path.stem)
def test_lesson(path):
    done = subprocess.run([sys.executable, "-m", "karat", "run", str(path)], env=dict(os.environ, KARAT_POLICY="torch"),
                          text=True, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, timeout=300)
    assert done.returncode == 0, done.stdout
    assert "Traceback" not in done.stdout and len(done.stdout.splitlines()) >= 2


def test_every_lesson_stands_in_the_course():
    course = (lessons[0].parents[1] / "README.md").read_text()
    assert [path.name for path in lessons if path.name not in course] == []
