"""Code as people write it about dtypes: each block runs under `karat run` to the outcome that PyTorch has.

Own blocks, with what PyTorch 2.11 prints written down; and, where a checkout has ../shared/seeds, the blocks of the
documents there that need no module, loss or mixed precision: they must end as PyTorch ends.
"""

import glob
import os
import re
import subprocess
import sys

import pytest

pytestmark = pytest.mark.cpu_only("starts programs of its own")

HERE = os.path.dirname(os.path.abspath(__file__))
SEEDS = sorted(glob.glob(os.path.join(os.environ.get("KARAT_TEST_TEXTS", os.path.join(HERE, "..", "..", "..", "shared", "seeds")),
                                      "*.txt")))

OWN = {
    "a cast makes a new tensor": (
        """
import torch
def area(sides):
    as_float = sides.float()
    print(sides.dtype, as_float.dtype, as_float is sides)
    return (as_float * as_float).mean()
sides = torch.tensor([3, 4, 5])
print(area(sides), sides.dtype)
sides.type(torch.float64)
print(sides.dtype, sides.type(), sides.type(torch.float64).type())
""",
        "torch.int64 torch.float32 False\ntensor(16.6667) torch.int64\n"
        "torch.int64 torch.LongTensor torch.DoubleTensor\n",
    ),
    "integers cannot require a gradient": (
        """
import torch
try:
    torch.tensor([1, 2], requires_grad=True)
except RuntimeError as e:
    print(str(e).splitlines()[0])  # Karat explains below it
""",
        "Only Tensors of floating point and complex dtype can require gradients\n",
    ),
    "a product of two dtypes": (
        """
import torch
a, b = torch.ones(2, 3), torch.ones(3, 2, dtype=torch.float16)
try:
    torch.matmul(a, b)
except RuntimeError as e:
    print(str(e).splitlines()[0])  # Karat explains below it
print(torch.matmul(a.to(torch.float16), b).dtype, torch.matmul(a, b.float()).sum())
""",
        "expected m1 and m2 to have the same dtype, but got: float != c10::Half\ntorch.float16 tensor(12.)\n",
    ),
    "implicit promotion": (
        """
import torch
i, f = torch.tensor([1, 2, 3], dtype=torch.int32), torch.tensor([1.5, 2.5, 3.5])
print((i + f).dtype, i + f)
print((i * f).dtype, i * f, (i * 2).dtype, (i * 2.0).dtype, (f.half() + 1).dtype)
""",
        "torch.float32 tensor([2.5000, 4.5000, 6.5000])\ntorch.float32 tensor([ 1.5000,  5.0000, 10.5000]) torch.int32 "
        "torch.float32 torch.float16\n",
    ),
    "arrays come with their dtype": (
        """
import numpy as np
import torch
rows = np.array([[1, 2], [3, 4]], dtype=np.int32)
print(torch.from_numpy(rows).dtype, torch.from_numpy(rows).float().dtype, torch.from_numpy(rows.astype(np.float64)).dtype)
wide = torch.from_numpy(np.ones(2))
if wide.dtype != torch.float32:
    wide = wide.to(torch.float32)
print(wide.numpy().dtype)
""",
        "torch.int32 torch.float32 torch.float64\nfloat32\n",
    ),
    "a check at the door": (
        """
import torch
def step(x: torch.Tensor):
    assert x.dtype == torch.float32, "Input tensor must be float32"
    return x * 0.5
x = torch.ones(3, requires_grad=True)
step(x).sum().backward()
print(x.grad, step(x).dtype)
step(x.double())
""",
        "tensor([0.5000, 0.5000, 0.5000]) torch.float32\n",
    ),
    "half values in place": (
        """
import torch
x = torch.tensor([0.1, 1000.0], dtype=torch.float16)
y = x.add_(1)
print(y is x, x.dtype, x)
print(torch.cuda.is_available(), torch.randn(10).relu().dtype)
""",
        "True torch.float16 tensor([   1.0996, 1001.0000], dtype=torch.float16)\nFalse torch.float32\n",
    ),
}

NEEDS_MORE = re.compile(r"nn\.Module|mse_loss|\bamp\b|profiler")


def run(code, tmp_path):
    script = tmp_path / "block.py"
    script.write_text(code, encoding="utf-8")
    return subprocess.run([sys.executable, "-m", "karat", "run", str(script)], capture_output=True, text=True)


@pytest.mark.parametrize("name", OWN)
def test_own_block(name, tmp_path):
    code, printed = OWN[name]
    done = run(code, tmp_path)
    assert done.stdout == printed, done.stderr
    if "must be float32" in code:
        assert done.returncode == 1 and done.stderr.endswith("AssertionError: Input tensor must be float32\n")
    else:
        assert (done.returncode, done.stderr) == (0, "")


def blocks():
    """(document, number, code) of every block that needs no more than there is."""
    found = []
    for path in SEEDS:
        with open(path, encoding="utf-8") as file:
            codes = re.findall(r"```python\n(.*?)```", file.read(), re.S)
        found += [(os.path.basename(path)[:3], i, code) for i, code in enumerate(codes) if not NEEDS_MORE.search(code)]
    return found


# How a block of the documents ends with PyTorch 2.11 where it does not end well: (document, block): the error.
ENDINGS = {
    ("001", 0): "RuntimeError: expected m1 and m2 to have the same dtype, but got: float != c10::Half",
    ("001", 1): "RuntimeError: expected m1 and m2 to have the same dtype, but got: float != c10::Half",
}


@pytest.mark.skipif(not SEEDS, reason="the documents are not part of the project")
@pytest.mark.parametrize("document, number, code", blocks(), ids=lambda v: str(v) if len(str(v)) < 9 else "")
def test_block_of_a_document(document, number, code, tmp_path):
    done = run(code, tmp_path)
    ending = ENDINGS.get((document, number))
    if ending:
        assert done.returncode == 1 and ending in done.stderr.splitlines()
    else:
        assert (done.returncode, done.stderr) == (0, "")
    for value in re.findall(r"print\([^\n]*?\) *# *Output: ([^\n]*)", code):  # where the document says what is printed
        assert value.startswith("tensor") or value in done.stdout
