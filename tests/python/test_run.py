"""python -m karat run: an unmodified PyTorch script on Karat."""

import subprocess
import sys


def run(tmp_path, text, *arguments):
    script = tmp_path / "script.py"
    script.write_text(text)
    return subprocess.run(
        [sys.executable, "-m", "karat", "run", str(script), *arguments], capture_output=True, text=True
    ), str(script)


def test_script_is_main(tmp_path):
    (tmp_path / "beside.py").write_text("import torch\nvalue = torch.ones(2)\n")
    done, script = run(
        tmp_path,
        "import sys, torch, torch.nn.functional as F\nfrom torch.linalg import matmul\nimport beside\n"
        "print(__name__, sys.argv[1:], torch.__version__, F.relu(torch.tensor([-1., 1.])), type(beside.value))\n"
        "print(__file__ == sys.argv[0], torch.float32, matmul is torch.matmul)\n",
        "a", "--b",
    )
    assert done.stderr == ""
    assert done.stdout == (
        "__main__ ['a', '--b'] 2.11.0 tensor([0., 1.]) <class 'torch.Tensor'>\nTrue torch.float32 True\n"
    )


def test_exit_and_traceback(tmp_path):
    done, _ = run(tmp_path, "import sys\nsys.exit(3)\n")
    assert done.returncode == 3
    done, script = run(tmp_path, "import torch\ndef f():\n    return torch.ones(2) + torch.ones(3)\nf()\n")
    lines = done.stderr.splitlines()
    assert done.returncode == 1 and lines[0] == "Traceback (most recent call last):"
    assert lines[1] == f'  File "{script}", line 4, in <module>'
    assert "RuntimeError: The size of tensor a (2) must match the size of tensor b (3)" in done.stderr
    done, _ = run(tmp_path, "import torch.no_such_module\n")
    assert done.returncode == 1 and "No module named 'torch.no_such_module'" in done.stderr


def test_usage():
    done = subprocess.run([sys.executable, "-m", "karat"], capture_output=True, text=True)
    assert done.returncode == 2 and "usage" in done.stderr
    done = subprocess.run([sys.executable, "-m", "karat", "run", "/no/such.py"], capture_output=True, text=True)
    assert done.returncode == 2 and "can't open file" in done.stderr
