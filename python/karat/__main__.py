"""python -m karat run script.py [arguments]: runs an unmodified PyTorch script on Karat; the other subcommands of karat
work too."""

import sys

from .run import main

if __name__ == "__main__":
    raise SystemExit(main(sys.argv[1:]))
