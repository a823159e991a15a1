"""karat pip-shim: a distribution named torch that satisfies requirements, and no file to import."""

import os
import shutil
import subprocess
import sys
import venv

import pytest

KARAT = [sys.executable, "-m", "karat", "pip-shim"]


@pytest.fixture(scope="module")
def python(tmp_path_factory):
    folder = tmp_path_factory.mktemp("environment")
    venv.create(folder, with_pip=True)
    return folder / "bin" / "python"


def shim(python, *words):
    return subprocess.run([*KARAT, f"--python={python}", *words], capture_output=True, text=True)


def run(python, code):
    return subprocess.run([python, "-c", code], capture_output=True, text=True)


def packages_of(python):
    return run(python, "import sysconfig; print(sysconfig.get_path('purelib'))").stdout.strip()


def test_pip_finds_it_and_import_does_not(python):
    assert "no torch" in shim(python, "status").stdout
    assert shim(python, "install").returncode == 0
    assert "2.11.0+karat" in shim(python, "status").stdout
    assert "already" in shim(python, "install").stdout
    wanted = subprocess.run([python, "-m", "pip", "install", "--no-index", "torch>=2.2,<3"], capture_output=True, text=True)
    assert wanted.returncode == 0 and "already satisfied" in wanted.stdout
    exact = subprocess.run([python, "-m", "pip", "install", "--no-index", "torch==2.11.0"], capture_output=True, text=True)
    assert exact.returncode == 0
    assert "ModuleNotFoundError: No module named 'torch'" in run(python, "import torch").stderr
    assert subprocess.run([python, "-m", "pip", "check"], capture_output=True).returncode == 0
    assert shim(python, "remove").returncode == 0
    assert "no torch" in shim(python, "status").stdout
    assert shim(python, "remove").returncode == 1


def test_pip_removes_it(python):
    shim(python, "install")
    done = subprocess.run([python, "-m", "pip", "uninstall", "-y", "torch"], capture_output=True, text=True)
    assert done.returncode == 0 and "no torch" in shim(python, "status").stdout


def test_it_is_not_put_beside_a_pytorch(python, tmp_path):
    packages = packages_of(python)
    os.makedirs(f"{packages}/torch")
    try:
        done = shim(python, "install")
        assert done.returncode == 1 and "has PyTorch" in done.stderr
        os.makedirs(f"{packages}/torch-2.4.0.dist-info")
        with open(f"{packages}/torch-2.4.0.dist-info/METADATA", "w") as file:
            file.write("Metadata-Version: 2.1\nName: torch\nVersion: 2.4.0\n")
        done = shim(python, "install")
        assert done.returncode == 1 and "has PyTorch (2.4.0)" in done.stderr
        assert shim(python, "remove").returncode == 1 and os.path.exists(f"{packages}/torch-2.4.0.dist-info/METADATA")
    finally:
        shutil.rmtree(f"{packages}/torch")
        shutil.rmtree(f"{packages}/torch-2.4.0.dist-info", ignore_errors=True)


def test_wrong_words(python):
    assert shim(python).returncode == 2 and shim(python, "instal").returncode == 2
    assert "usage: karat pip-shim" in shim(python, "--help").stdout
