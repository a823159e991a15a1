"""_pip_shim.py - `karat pip-shim`: an environment in which pip takes Karat for torch.

A library's `install_requires: torch` would fetch PyTorch, some gigabytes, although `karat run` serves torch. The shim is a
distribution named torch without a file to import: pip finds the requirement satisfied, `import torch` finds nothing but under
`karat run`. It is installed only where it is asked for, not beside a PyTorch, and `pip uninstall torch` removes it, too.

It requires the packages that PyTorch's distribution requires and that are Python alone: libraries import them without a
requirement of their own, because they come with torch. pip fetches them with the first library that requires torch.

This file is run by the environment's interpreter, which need not have the package karat: it imports nothing of it.
"""

import base64
import hashlib
import os
import sys
from importlib.machinery import PathFinder
from importlib.metadata import DistributionFinder, MetadataPathFinder
from sysconfig import get_path

VERSION = "2.11.0+karat"
FOLDER = f"torch-{VERSION}.dist-info"
REQUIRED = ("filelock", "typing-extensions>=4.10.0", "setuptools<82", "sympy>=1.13.3", "networkx>=2.5.1", "jinja2",
            "fsspec>=0.8.5")
FILES = {
    "METADATA": f"Metadata-Version: 2.1\nName: torch\nVersion: {VERSION}\n"
                "Summary: stands for PyTorch in pip; `karat run` serves it\n"
                + "".join(f"Requires-Dist: {one}\n" for one in REQUIRED),
    "WHEEL": "Wheel-Version: 1.0\nGenerator: karat\nRoot-Is-Purelib: true\nTag: py3-none-any\n",
    "INSTALLER": "karat\n",
}
USAGE = """usage: karat pip-shim [--python=PATH] install|remove|status
Makes pip of that interpreter's environment take Karat for torch, so that libraries that require torch are installed without it.
"""


def _distributions():
    """Those named torch on the interpreter's path, whoever serves torch in this process."""
    return list(MetadataPathFinder.find_distributions(DistributionFinder.Context(name="torch", path=sys.path)))


def _is_shim(distribution):
    return (distribution.read_text("INSTALLER") or "").strip() == "karat"


def found():
    """"shim", the version of a PyTorch that is there, or None."""
    others = [one.version for one in _distributions() if not _is_shim(one)]
    if others or PathFinder.find_spec("torch", [one for one in sys.path if one]):
        return others[0] if others else "without metadata"
    return "shim" if _distributions() else None


def _recorded(name, text):
    digest = base64.urlsafe_b64encode(hashlib.sha256(text.encode()).digest()).rstrip(b"=").decode()
    return f"{FOLDER}/{name},sha256={digest},{len(text.encode())}\n"


def install():
    """Writes the distribution. Refused beside a PyTorch: what is installed for it must stay so."""
    there = found()
    if there == "shim":
        print(f"torch {VERSION} is there already: {sys.prefix}")
        return 0
    if there:
        print(f"karat pip-shim: {sys.prefix} has PyTorch ({there}); use an environment without it", file=sys.stderr)
        return 1
    folder = os.path.join(get_path("purelib"), FOLDER)
    record = "".join(_recorded(name, text) for name, text in FILES.items()) + f"{FOLDER}/RECORD,,\n"
    os.makedirs(folder, exist_ok=True)
    for name, text in {**FILES, "RECORD": record}.items():
        with open(os.path.join(folder, name), "w", encoding="utf-8", newline="") as file:
            file.write(text)
    print(f"torch {VERSION} stands for PyTorch in {sys.prefix}: libraries that require torch are installed without it")
    return 0


def remove():
    """Takes it out again; a PyTorch is left alone."""
    folder = os.path.join(get_path("purelib"), FOLDER)
    if not os.path.isdir(folder):
        print(f"karat pip-shim: it is not in {sys.prefix}", file=sys.stderr)
        return 1
    for name in os.listdir(folder):  # pip may have added a file
        os.remove(os.path.join(folder, name))
    os.rmdir(folder)
    print(f"removed from {sys.prefix}")
    return 0


def status():
    """What stands for torch there."""
    there = found()
    said = f"karat's shim, torch {VERSION}" if there == "shim" else f"PyTorch {there}" if there else "no torch"
    print(f"{sys.prefix}: {said}")
    return 0


def main(words):
    """The command's words to its exit status."""
    parts = {"install": install, "remove": remove, "status": status}
    if words in (["-h"], ["--help"]):
        print(USAGE, end="")
        return 0
    if len(words) != 1 or words[0] not in parts:
        print(USAGE, end="", file=sys.stderr)
        return 2
    try:
        return parts[words[0]]()
    except OSError as error:
        print(f"karat pip-shim: {error}", file=sys.stderr)
        return 1


if __name__ == "__main__":
    raise SystemExit(main(sys.argv[1:]))
