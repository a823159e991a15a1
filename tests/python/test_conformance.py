"""What PyTorch 2.11.0 does, recorded (tests/conformance): a figure may rise, never fall.

Each checker runs as a user would run it; its last line begins with how many of the recorded cases hold. Raise a floor
when a figure has risen. On another device the figures are the same but for what LESS says.
"""

import glob
import importlib.util
import os
import re
import shutil
import subprocess
import sys

import pytest
from on_device import DEVICE

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
    "facts --part two": [25397],
    "facts --part creation": [26],
    "facts --part messages": [16527],
    "facts --part autocast": [828],
    "opinfo": [507, 7407],  # operators whole, rows
    "errors": [281, 176],  # cases, texts
    "errors --dry-run": [171],
    "parity": [87],  # scripts
}
LESS = {  # on a device that is not the CPU
    "errors": [1, 6],  # the text of numpy(), the name of a tensor's type, and cases of the CPU's autocast
    "parity": [18],  # 3 give memory to NumPy, 5 print the device or a tensor's type, 5 print before a late error, 3 are about the
                     # CPU's autocast, 1 has kernels of the CPU, 1 makes lengths that must be on the CPU
}
ON_CUDA = {
    "errors": [457, 53],  # the recorded cases of CUDA are run too, and fewer texts are compared
    "parity": [51],  # 3 more draw numbers
    "facts --part autocast": [1614],  # the cells of CUDA too; of 8 PyTorch fails there (integers in convolutions, matrix_exp)
    "facts --part two": [25391],  # 2 mixes of layer_norm are refused on CUDA, 2 of batch_norm taken, as by PyTorch
    "facts --part messages": [16525],  # of those 2
}
ELSEWHERE = ("dtypes", "promote_types", "can_cast", "--dry-run")  # these have no tensors, or tensors on meta


def on_the_device(checker, options, folder):
    """The checker there. Scripts are compared but for the device in a tensor's text and the line breaks that it causes."""
    import conformance_on_device

    runner = [sys.executable, "-W", "ignore", conformance_on_device.__file__]
    path = os.path.join(CONFORMANCE, f"check_{checker}.py")
    if checker != "parity":
        return [*runner, path, *options, *(["--device", DEVICE] if checker != "errors" else [])]
    scripts = shutil.copytree(os.path.join(CONFORMANCE, "parity"), folder / "parity")
    for name in glob.glob(f"{scripts}/*.out"):
        with open(name, encoding="utf-8") as file:
            want = conformance_on_device.plain(file.read())
        with open(name, "w", encoding="utf-8") as file:
            print(want, file=file)
    return [sys.executable, path, "--dir", str(scripts), "--run", f"{sys.executable} -m karat run {runner[-1]}"]


def figures(arguments, folder):
    checker, *options = arguments.split()
    command = [sys.executable, os.path.join(CONFORMANCE, f"check_{checker}.py"), *options]
    if DEVICE:
        command = on_the_device(checker, options, folder)
    elif checker == "parity":
        command += ["--run", f"{sys.executable} -m karat run"]
    done = subprocess.run(command, capture_output=True, text=True, timeout=600)
    assert done.returncode in (0, 1), done.stderr[-2000:]
    last = done.stdout.strip().splitlines()[-1]
    return [int(n) for n in re.findall(r"(\d+) of \d+", last)]


def marked(arguments):
    marks = []
    if arguments.endswith(ELSEWHERE):
        marks = [pytest.mark.cpu_only("no tensors, or on meta"), pytest.mark.not_sanitized("no tensors, or on meta")]
    elif arguments == "parity":
        marks = [pytest.mark.not_sanitized("90 programs, started for their texts")]
    return pytest.param(arguments, marks=marks)


@pytest.mark.parametrize("arguments", map(marked, FLOORS))
def test_figures_do_not_fall(arguments, tmp_path):
    reached = figures(arguments, tmp_path)
    print(arguments, reached)
    assert len(reached) >= len(FLOORS[arguments])
    allowed = arguments == "errors" and importlib.util.find_spec("ml_dtypes") is not None  # then bfloat16 has an array
    less = LESS.get(arguments, [0, 0]) if DEVICE else [0, 0]
    floors = [floor - lower for floor, lower in zip(FLOORS[arguments], less)]
    if DEVICE == "cuda":
        floors = ON_CUDA.get(arguments, floors)
    for now, floor in zip(reached, floors):
        assert now >= floor - allowed, f"check_{arguments}: {reached}, was {floors}"
