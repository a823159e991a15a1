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


def karat_run(*words, text=None):
    return subprocess.run([sys.executable, "-m", "karat", "run", *words], capture_output=True, text=True, input=text)


def test_code_module_and_standard_input(tmp_path, monkeypatch):
    done = karat_run("-c", "import sys, torch; print(torch.ones(1), sys.argv, __name__)", "a")
    assert (done.stdout, done.stderr) == ("tensor([1.]) ['-c', 'a'] __main__\n", "")
    done = karat_run("-", "b", text="import sys, torch\nprint(torch.zeros(1), sys.argv)\n")
    assert done.stdout == "tensor([0.]) ['-', 'b']\n"
    (tmp_path / "some_module.py").write_text("import sys, torch\nprint(__name__, sys.argv[1:], torch.ones(2).dtype)\n")
    monkeypatch.chdir(tmp_path)
    assert karat_run("-m", "some_module", "c").stdout == "__main__ ['c'] torch.float32\n"
    assert karat_run("-c").returncode == 2
    done = karat_run("-c", "def f(:")
    assert done.returncode == 1 and done.stderr.startswith('  File "<string>", line 1\n')


def test_torch_and_karat_side_by_side():
    done = karat_run("-c", "import karat, torch\nprint(torch.__version__, karat.__version__ == karat._karat.version,\n"
                     "torch.Tensor is karat.Tensor, torch.nn is karat.nn, torch.__name__, type(torch.float32))\n"
                     "import torch.testing; print(torch.testing.assert_close.__name__, torch.backends.mps.is_available())\n"
                     "torch.vmap")
    assert done.stdout == "2.11.0 True True True torch <class 'torch.dtype'>\nassert_close False\n"
    assert "AttributeError: module 'torch' has no attribute 'vmap': PyTorch has it" in done.stderr


def test_libraries_that_probe_are_left_alone(tmp_path):
    (tmp_path / "pandas.py").write_text("try:\n    import torch\nexcept ImportError:\n    torch = None\n")
    (tmp_path / "users.py").write_text("import torch\n")
    done, _ = run(tmp_path, "import pandas, users\nimport torch\nprint(pandas.torch, users.torch is torch)\n")
    assert done.stdout == "None True\n", done.stderr


def test_the_command(tmp_path):
    import os

    import karat

    command = os.path.join(os.path.dirname(karat.__path__[0]), "..", "bin", "karat")
    if not os.path.exists(command):
        import pytest

        pytest.skip("not a build tree")
    env = {k: v for k, v in os.environ.items() if k != "PYTHONPATH"}
    env["KARAT_PYTHON"] = sys.executable
    code = ["run", "-c", "import sys, torch; print(torch.ones(1), sys.argv[1:]); sys.exit(7)", "x y"]
    done = subprocess.run([command, *code], capture_output=True, text=True, env=env)
    assert (done.returncode, done.stdout) == (7, "tensor([1.]) ['x y']\n"), done.stderr
    env["KARAT_PYTHON"] = "/no/such/python"
    done = subprocess.run([command, *code], capture_output=True, text=True, env=env)
    assert done.returncode == 127 and "KARAT_PYTHON" in done.stderr
