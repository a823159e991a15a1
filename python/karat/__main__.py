"""python -m karat run script.py [arguments]: an unmodified PyTorch script on Karat; any other word is the command's too."""

import sys

from .run import main

if __name__ == "__main__":
    raise SystemExit(main(sys.argv[1:]))
