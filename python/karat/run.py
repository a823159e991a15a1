"""run.py - `karat run`: a script, a module or a line of code with `import torch`, and every torch.* that Karat has, served
by Karat.

Python itself runs it, started anew: sys.argv, tracebacks and exit codes are Python's own. That torch is served is
_start/sitecustomize.py's work, which Python finds through PYTHONPATH.
"""

import sys

USAGE = """usage: karat run script.py [arguments]
       karat run -m module [arguments]
       karat run -c code [arguments]
       karat run - [arguments]           the script comes from standard input
Python's own options may stand before them."""


def run(words):
    """What follows `karat run`; returns only where there is nothing to run."""
    import os
    from subprocess import _args_from_interpreter_flags as options_given

    if not words or words[0] in ("-h", "--help"):
        print(USAGE, file=sys.stderr)
        return 0 if words else 2
    start = os.path.join(os.path.dirname(os.path.abspath(__file__)), "_start")
    path = os.environ.get("PYTHONPATH")
    os.environ["PYTHONPATH"] = f"{start}:{path}" if path else start
    sys.stdout.flush()
    os.execv(sys.executable, [sys.executable, *options_given(), *words])


def main(arguments):
    if not arguments or arguments[0] != "run":
        print(USAGE, file=sys.stderr)
        return 2
    return run(arguments[1:])


def command():
    """The console script `karat` of an installed package."""
    raise SystemExit(main(sys.argv[1:]))
