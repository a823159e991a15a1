"""The lessons that train networks: C and Python print the same models and the same losses, to the printed digit."""

import os
import re
import subprocess
import sys
from pathlib import Path

import karat
import pytest

pytestmark = [pytest.mark.cpu_only("starts programs of its own"),
              pytest.mark.not_sanitized("the lessons of test_examples, and of the C examples, once more")]

examples = Path(__file__).resolve().parents[2] / "examples"
build = Path(os.path.dirname(karat.__file__)).parents[1]
pairs = {"18_training_an_mlp": "09_training_an_mlp", "19_training_a_cnn": "10_training_a_cnn",
         "20_training_an_lstm": "11_training_an_lstm", "21_training_a_small_gpt": "12_training_a_small_gpt"}


def printed(command):
    done = subprocess.run(command, env=dict(os.environ, KARAT_POLICY="torch"), text=True, stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT, timeout=300)
    assert done.returncode == 0, done.stdout
    return done.stdout


@pytest.mark.skipif(not (build / "examples").exists(), reason="an installed package: the programs need the build's folder")
@pytest.mark.parametrize("in_c", pairs)
def test_c_and_python_print_the_same(in_c):
    there = printed([str(build / "examples" / in_c)])
    here = printed([sys.executable, "-m", "karat", "run", str(examples / "python" / f"{pairs[in_c]}.py")])
    assert there == here
    losses = [float(loss) for loss in re.findall(r"^step +\d+  loss (\S+)$", here, re.MULTILINE)]
    assert len(losses) == 50 and sum(losses[-5:]) < sum(losses[:5])
