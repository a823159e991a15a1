"""run.py - the command `karat` from Python: `python -m karat ...`, and the console script of an installed package.

There is one command, the C program of tools/karat: in a package it is in _bin, in a build tree in bin. It gets the
arguments and, for `karat run`, this interpreter with its options, which is also the environment of `karat pip-shim`.
"""

import os
import sys


def find_command():
    here = os.path.dirname(os.path.abspath(__file__))
    for path in (os.path.join(here, "_bin", "karat"), os.path.join(here, "..", "..", "bin", "karat")):
        if os.access(path, os.X_OK):
            return path
    return None


def main(arguments, interpreter=sys.executable):
    """Returns only if there is no command to run."""
    from subprocess import _args_from_interpreter_flags as options_given

    command = find_command()
    if command is None:
        print("karat: the command was not built with this package", file=sys.stderr)
        return 1
    words = list(arguments)
    if words[:1] == ["run"] and len(words) > 1 and words[1] not in ("-h", "--help") and interpreter:
        words[1:1] = [f"--python={interpreter}", *options_given()]
    elif words[:1] == ["pip-shim"] and interpreter and not any(word.startswith("--python=") for word in words):
        words[1:1] = [f"--python={interpreter}"]
    sys.stdout.flush()
    os.environ["KARAT_CHECKED"] = str(os.getpid())  # warnings about environment variables were already given
    os.execv(command, ["karat", *words])


def command():
    """The console script: KARAT_PYTHON names another interpreter than the one it was installed for."""
    raise SystemExit(main(sys.argv[1:], None if os.environ.get("KARAT_PYTHON") else sys.executable))
