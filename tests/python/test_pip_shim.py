"""karat pip-shim: a distribution named torch that satisfies requirements, and no file to import."""

import os
import shutil
import subprocess
import sys
import venv

import pytest

pytestmark = [pytest.mark.cpu_only("no tensors"), pytest.mark.not_sanitized("no tensors")]
KARAT = [sys.executable, "-m", "karat", "pip-shim"]


# What PyTorch's distribution requires and is Python alone, in versions that it takes.
BESIDE = {"filelock": "3.0", "typing_extensions": "4.10.0", "setuptools": "65.0", "sympy": "1.13.3", "networkx": "2.5.1",
          "jinja2": "3.0", "fsspec": "0.8.5"}


def pretend(packages, name, version):
    os.makedirs(f"{packages}/{name}-{version}.dist-info")
    with open(f"{packages}/{name}-{version}.dist-info/METADATA", "w") as file:
        file.write(f"Metadata-Version: 2.1\nName: {name}\nVersion: {version}\n")


@pytest.fixture(scope="module")
def python(tmp_path_factory):
    folder = tmp_path_factory.mktemp("environment")
    venv.create(folder, with_pip=True)
    python = folder / "bin" / "python"
    has = run(python, "from importlib.metadata import distributions as d; print([one.name for one in d()])").stdout
    for name, version in BESIDE.items():
        if name not in has:
            pretend(packages_of(python), name, version)
    return python


def shim(python, *words):
    return subprocess.run([*KARAT, f"--python={python}", *words], capture_output=True, text=True)


def run(python, code):
    return subprocess.run([python, "-c", code], capture_output=True, text=True)


def packages_of(python):
    return run(python, "import sysconfig; print(sysconfig.get_path('purelib'))").stdout.strip()


def test_it_requires_what_comes_with_pytorch(python):
    packages = packages_of(python)
    shutil.rmtree(f"{packages}/networkx-{BESIDE['networkx']}.dist-info")
    try:
        shim(python, "install")
        said = subprocess.run([python, "-m", "pip", "check"], capture_output=True, text=True).stdout.splitlines()
        assert said == ["torch 2.11.0+karat requires networkx, which is not installed."]
    finally:
        pretend(packages, "networkx", BESIDE["networkx"])
        shim(python, "remove")


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
        pretend(packages, "torch", "2.4.0")
        done = shim(python, "install")
        assert done.returncode == 1 and "has PyTorch (2.4.0)" in done.stderr
        assert shim(python, "remove").returncode == 1 and os.path.exists(f"{packages}/torch-2.4.0.dist-info/METADATA")
    finally:
        shutil.rmtree(f"{packages}/torch")
        shutil.rmtree(f"{packages}/torch-2.4.0.dist-info", ignore_errors=True)


def test_wrong_words(python):
    assert shim(python).returncode == 2 and shim(python, "instal").returncode == 2
    assert "usage: karat pip-shim" in shim(python, "--help").stdout
