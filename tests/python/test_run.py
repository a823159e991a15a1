"""python -m karat run: an unmodified PyTorch script on Karat."""

import subprocess
import sys

import pytest

pytestmark = [pytest.mark.cpu_only("starts programs of its own"),
              pytest.mark.not_sanitized("starts programs for how they begin and end")]


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
        "print(__file__ == sys.argv[0], torch.float32, matmul is torch.linalg.matmul)\n",
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
    assert done.returncode == 2 and "usage" in done.stderr and "karat doctor" in done.stderr
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
    assert karat_run("-c").returncode == 2 and karat_run().returncode == 2
    done = karat_run("-c", "def f(:")
    assert done.returncode == 1 and done.stderr.startswith('  File "<string>", line 1\n')


def test_torch_and_karat_side_by_side():
    done = karat_run("-c", "import karat, torch\nprint(torch.__version__, karat.__version__ == karat._karat.version,\n"
                     "torch.Tensor is karat.Tensor, torch.nn is karat.nn, torch.__name__, type(torch.float32))\n"
                     "import torch.testing; print(torch.testing.assert_close.__name__, torch.backends.mps.is_available())\n"
                     "torch.q_scale")
    assert done.stdout == "2.11.0 True True True torch <class 'torch.dtype'>\nassert_close False\n"
    assert "AttributeError: module 'torch' has no attribute 'q_scale': PyTorch has it" in done.stderr


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


def in_python(*words, text=None):
    return subprocess.run([sys.executable, *words], capture_output=True, text=True, input=text)


def test_everything_but_torch_is_as_with_python(tmp_path, monkeypatch):
    """Outcome for outcome: text, errors and exit status, of scripts, modules, folders, code and standard input."""
    package = tmp_path / "package"
    package.mkdir()
    (package / "__init__.py").write_text("")
    (package / "beside.py").write_text("def fail():\n    raise ValueError('beside')\n")
    (package / "module.py").write_text("import sys\nfrom . import beside\nprint(__name__, __package__, sys.argv)\nbeside.fail()")
    folder = tmp_path / "folder"
    folder.mkdir()
    (folder / "__main__.py").write_text("import sys, other\nprint(sys.argv, __file__, sys.path[0], other)")
    (folder / "other.py").write_text("")
    (tmp_path / "empty").mkdir()
    scripts = {
        "names": "x: int = 1\nimport sys\nprint(sorted(globals()), __file__, type(__loader__), sys.argv, sys.path)\n"
                 "print(sys._getframe().f_back)",
        "failing": "def f():\n    try:\n        1 / 0\n    except ZeroDivisionError as e:\n        raise KeyError(1) from e\nf()",
        "text": "raise SystemExit('so long')", "tuple": "raise SystemExit((1, 2))", "none": "raise SystemExit",
        "interrupted": "raise KeyboardInterrupt", "group": "raise ExceptionGroup('g', [ValueError(1), TypeError(2)])",
        "syntax": "def f(:\n    pass", "indent": "if 1:\nprint(1)", "cookie": "# coding: nonesuch\n",
        "hook": "import sys\nsys.excepthook = lambda *e: print('hook', e[0])\n1 / 0",
        "exit": "import atexit\natexit.register(print, 'bye')\n1 / 0",
        "warns": "import warnings\nwarnings.warn('hm', stacklevel=2)",
        "deep": "import sys\nsys.setrecursionlimit(60)\ndef f(): f()\nf()",
        "pickles": "import pickle\nclass A: pass\nprint(type(pickle.loads(pickle.dumps(A()))) is A, A.__module__)",
    }
    for name, script in scripts.items():
        (tmp_path / f"{name}.py").write_text(script)
    monkeypatch.chdir(tmp_path)
    words = [[f"{name}.py", "a", "-b"] for name in scripts]
    words += [["-m", "package.module", "c"], ["-m", "package"], ["-m", "no_such_module"], ["folder", "d"], ["empty"],
              ["no_such.py"], ["-c", "import sys; print(sys.argv, __name__); 1 / 0", "e"], ["-c", "def f(:"],
              ["-W", "error", "warns.py"]]
    for one in words:
        ours, theirs = karat_run(*one), in_python(*one)
        assert (ours.returncode, ours.stdout, ours.stderr) == (theirs.returncode, theirs.stdout, theirs.stderr), one
    text = "import sys\nprint(sys.argv, __file__)\n1 / 0\n"
    ours, theirs = karat_run("-", "f", text=text), in_python("-", "f", text=text)
    assert (ours.returncode, ours.stdout, ours.stderr) == (theirs.returncode, theirs.stdout, theirs.stderr)


def test_processes_that_the_program_starts_are_served_too(tmp_path):
    for start in ("fork", "spawn", "forkserver"):
        done, _ = run(tmp_path, "import multiprocessing, torch\n"
                      "def work(x):\n    import torch\n    return torch.__version__, torch.full((300_000,), x).sum().item()\n"
                      "if __name__ == '__main__':\n"
                      "    torch.ones(300_000).sum()\n"
                      f"    with multiprocessing.get_context({start!r}).Pool(2) as pool: print(pool.map(work, [1, 2]))\n")
        assert done.stdout == "[('2.11.0', 300000), ('2.11.0', 600000)]\n", (start, done.stderr)
    done, _ = run(tmp_path, "import subprocess, sys\n"
                  "subprocess.run([sys.executable, '-c', 'import torch; print(torch.__version__)'])\n")
    assert done.stdout == "2.11.0\n"


def test_the_users_own_sitecustomize_runs(tmp_path, monkeypatch):
    (tmp_path / "sitecustomize.py").write_text("import sys\nsys.own = 3\n")
    import os

    path = os.pathsep.join(filter(None, [os.environ.get("PYTHONPATH"), str(tmp_path)]))
    monkeypatch.setenv("PYTHONPATH", path)
    done = karat_run("-c", "import sys, torch; print(sys.own, sys.modules['sitecustomize'].__file__)")
    assert done.stdout == f"3 {tmp_path}/sitecustomize.py\n", done.stderr


def test_what_asks_whether_torch_is_there():
    done = karat_run("-c", "import sys, importlib.util as u, importlib.metadata as m\n"
                     "print(u.find_spec('torch').name, 'torch' in sys.modules, m.version('torch'), m.metadata('torch')['Name'])\n"
                     "import torch\n"
                     "print(u.find_spec('torch.nn') is not None, u.find_spec('torch.no_such'), u.find_spec('torch.faces'))\n"
                     "print(sys.modules['torch'] is torch, sys.modules['torch.nn'] is torch.nn, torch.version.__version__)\n"
                     "print(hasattr(torch, 'add'), hasattr(torch, 'add_'), hasattr(torch, 'limits'), torch.__spec__.name)\n")
    assert done.stdout == (
        "torch False 2.11.0 torch\nTrue None None\nTrue True 2.11.0\nTrue False False torch\n"), done.stderr


def test_the_version_is_compared_as_one():
    done = karat_run("-c", "import torch\nv = torch.__version__\n"
                     "print(v >= '2.9', v < '2.9', v >= (2, 9), v == '2.11', v > '2.11.0rc1', v < '2.11.0.post1')\n"
                     "print(v > '1.13.1+cu117')\n"
                     "print(v == 'parrot', v == None, isinstance(v, str), v.split('.'), type(v))\n"
                     "try: v < 2.0\nexcept TypeError: print('no number')\n")
    assert done.stdout == ("True False True True True True\nTrue\nFalse False True ['2', '11', '0'] "
                           "<class 'torch.torch_version.TorchVersion'>\nno number\n"), done.stderr


def test_tests_run_under_it(tmp_path, monkeypatch):
    (tmp_path / "test_it.py").write_text("import torch\ndef test_it():\n    assert torch.ones(2).sum() == 2\n")
    monkeypatch.chdir(tmp_path)
    done = karat_run("-m", "pytest", "-q", "-p", "no:cacheprovider", "test_it.py")
    assert done.returncode == 0 and "1 passed" in done.stdout
    (tmp_path / "documented.py").write_text('"""\n>>> import torch\n>>> torch.ones(2)\ntensor([1., 1.])\n"""\n')
    assert karat_run("-m", "doctest", "documented.py").returncode == 0
    (tmp_path / "unit.py").write_text("import torch, unittest\nclass T(unittest.TestCase):\n"
                                      "    def test_it(self): self.assertEqual(torch.ones(2).sum().item(), 2)\n")
    assert karat_run("-m", "unittest", "unit").returncode == 0


def test_modules_of_karat_have_their_names_in_torch():
    done = karat_run("-c", "import torch.types, torch.testing; from torch.types import Number; print(torch.types.__name__)")
    assert (done.stdout, done.stderr) == ("karat.types\n", "")
