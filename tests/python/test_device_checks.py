"""Values that operators refuse, and what makes the host wait: the CPU's errors come late from a device that works late, with the
line that launched the work, and a training step reads nothing from it."""

import os
import re
import subprocess
import sys

import karat as torch
import pytest
from karat.nn import functional as F

mirror = torch._device.make("mirror")


def on(device, values, **options):
    return torch.tensor(values, device=device, **options)


WRONG = {
    "nll": lambda d: F.nll_loss(torch.ones(2, 3, device=d), on(d, [0, 3])),
    "cross entropy": lambda d: F.cross_entropy(torch.ones(2, 3, device=d), on(d, [-7, 1])),
    "bce": lambda d: F.binary_cross_entropy(on(d, [0.5, 1.5]), on(d, [0.0, 1.0])),
    "bce target": lambda d: F.binary_cross_entropy(on(d, [0.5, 0.5]), on(d, [0.0, -1.0])),
    "embedding": lambda d: F.embedding(on(d, [0, 3]), torch.ones(3, 2, device=d)),
    "index": lambda d: torch.ones(3, device=d)[on(d, [0, 5])],
    "two indices": lambda d: torch.ones(3, 3, device=d)[on(d, [0, 1]), on(d, [0, -4])],
    "gather": lambda d: torch.ones(3, device=d).gather(0, on(d, [4])),
    "scatter": lambda d: torch.ones(3, device=d).scatter_(0, on(d, [4]), 1.0),
    "index_put": lambda d: torch.ones(3, device=d).index_put_((on(d, [4]),), on(d, [1.0])),
    "quantile": lambda d: torch.ones(3, device=d).quantile(on(d, [0.5, 1.5])),
    "one_hot": lambda d: F.one_hot(on(d, [0, 3]), 3),
    "division": lambda d: on(d, [1, 2]) // on(d, [1, 0]),
    "std": lambda d: torch.normal(0.0, on(d, [1.0, -1.0])),
    "multinomial": lambda d: torch.multinomial(on(d, [0.5, -1.0]), 1),
    "fill": lambda d: torch.ones(2, dtype=torch.uint8, device=d).masked_fill(on(d, [True, False]), on(d, 300)),
}


@pytest.mark.parametrize("name", WRONG)
def test_a_late_error_is_the_cpus(name):
    with pytest.raises(Exception) as here:
        WRONG[name]("cpu")
    with pytest.raises(Exception) as there:
        WRONG[name]("mirror")
        mirror.synchronize()
    assert isinstance(there.value, type(here.value))
    assert name == "multinomial" or isinstance(there.value, torch.AcceleratorError)
    assert str(there.value).split("\n")[0] == str(here.value).split("\n")[0]
    if name != "multinomial":  # the CPU draws, from weights that it reads
        line = WRONG[name].__code__.co_firstlineno
        assert re.search(rf"launched by \S+ at \S*test_device_checks.py:{line}\b", str(there.value))
    assert torch.ones(2, device="mirror").sum().item() == 2


def test_a_training_step_reads_nothing():
    torch.manual_seed(0)
    table, weight = torch.randn(10, 8), torch.randn(5, 8)
    parameters = [t.to("mirror").requires_grad_() for t in (table, weight)]
    words, classes = torch.tensor([[1, 2], [3, 9]]).to("mirror"), torch.tensor([4, -100]).to("mirror")

    def step():
        x = F.dropout(F.embedding(words, parameters[0]).mean(1), 0.1)
        x = F.layer_norm(x, (8,)) if hasattr(F, "layer_norm") else x
        loss = F.cross_entropy(F.gelu(x) @ parameters[1].t(), classes, label_smoothing=0.1)
        loss = loss + F.binary_cross_entropy(torch.sigmoid(x), torch.zeros_like(x)) + F.mse_loss(x, torch.zeros_like(x))
        loss.backward()
        with torch.no_grad():
            for p in parameters:
                p -= 0.1 * p.grad
                p.grad = None
        return loss.detach()

    step()
    before = torch._karat.host_waits()
    losses = [step() for _ in range(3)]
    assert torch._karat.host_waits() == before
    assert all(loss.isfinite().item() for loss in losses)


def test_a_call_that_was_refused_leaves_no_error_behind():
    edges, order = on("mirror", [3.0, 1.0, 2.0]), on("mirror", [9, 0, 1])
    with pytest.raises(RuntimeError, match="dtype"):
        torch.searchsorted(edges, edges, sorter=order, out=torch.ones(3, device="mirror"))
    mirror.synchronize()
    torch.searchsorted(edges, edges, sorter=order)
    with pytest.raises(RuntimeError, match="sorter index out of range"):
        mirror.synchronize()


def test_two_devices_are_refused_by_name_and_index():
    a, b, here = torch.ones(2, 2, device="mirror:0"), torch.ones(2, 2, device="mirror:1"), torch.ones(2, 2)
    for call in (lambda x, y: x @ y, lambda x, y: torch.cat([x, y]), lambda x, y: torch.searchsorted(x, y),
                 lambda x, y: x.clone().bernoulli_(y)):
        with pytest.raises(RuntimeError, match="at least two devices, mirror:0 and mirror:1!"):
            call(a, b)
        with pytest.raises(RuntimeError, match="at least two devices, mirror:0 and cpu!"):
            call(a, here)
    mirror.synchronize()


def test_a_mask_of_the_cpu_does_not_wait_for_the_device():
    x, mask = torch.arange(6.0, device="mirror").reshape(2, 3), torch.tensor([[True, False, True], [False, False, True]])
    waits = torch._karat.host_waits()
    y, rows = x[mask], x[mask[:, 0]]
    x[mask] = -1.0
    x[mask[:, 0]] = on("mirror", [7.0, 8.0, 9.0])
    assert torch._karat.host_waits() == waits
    assert y.tolist() == [0.0, 2.0, 5.0] and rows.tolist() == [[0.0, 1.0, 2.0]]
    assert x.tolist() == [[7.0, 8.0, 9.0], [3.0, 4.0, -1.0]]


# ---- at the end of the program ----

BAD = "import torch, sys\nx = torch.ones(3, dtype=torch.int64, device='mirror')\ny = x // (x - 1)\n"
ENDINGS = {
    "end": (BAD, True, 0),
    "exit": (BAD + "sys.exit(3)\n", True, 3),
    "read": (BAD + "try: y.cpu()\nexcept RuntimeError: pass\n", False, 0),
    "late": ("import atexit, torch\natexit.register(lambda: print(len(y)))\n" + BAD, True, 0),
    "capture": (BAD + "s = torch.Stream('mirror')\ntorch.accelerator.set_stream(s)\n"
                "g = torch.get_device_module('mirror').CUDAGraph()\ng.capture_begin()\n", False, 0),
    "fork": ("import os, torch\nx = torch.ones(3, device='mirror')\nif os.fork() == 0: raise SystemExit\nos.wait()\n", False, 0),
}


@pytest.mark.parametrize("name", ENDINGS)
def test_an_error_that_nobody_reads_is_told_at_the_end(name, tmp_path):
    text, expected, status = ENDINGS[name]
    script = tmp_path / "ends.py"
    script.write_text(text)
    for command in (["-m", "karat", "run", str(script)], ["-c", "import sys, karat\nsys.modules['torch'] = karat\n" + text]):
        done = subprocess.run([sys.executable, *command], capture_output=True, text=True, timeout=60)
        told = "AcceleratorError: ZeroDivisionError\n  launched by floor_divide at " in done.stderr
        assert told == expected and done.returncode == status, done.stderr


def test_what_happens_when_a_kernel_is_missing():
    program = """
import warnings
import karat
with warnings.catch_warnings(record=True) as heard:
    warnings.simplefilter("always")
    x = karat.ones(2, device="mirror")
    try:
        print((x * x).tolist(), len(heard))
    except RuntimeError as error:
        print(str(error).splitlines()[0])
"""
    said = {}
    for how in ("", "warn", "quiet", "error"):
        environment = dict(os.environ, MIRROR_LACKS="mul", KARAT_FALLBACK=how)
        done = subprocess.run([sys.executable, "-c", program], env=environment, capture_output=True, text=True)
        assert done.returncode == 0, done.stderr
        said[how] = done.stdout.strip()
    assert said[""] == said["warn"] == "[1.0, 1.0] 1" and said["quiet"] == "[1.0, 1.0] 0"
    assert said["error"].endswith("cannot run: device 'mirror' has no kernel 'mul' for it, and KARAT_FALLBACK=error")
