"""all.py - every family of random programs beside PyTorch, with one figure at the end.

    build/venv/bin/python3 tests/random/all.py --programs 20000 --seed 7 --reference VENV_WITH_TORCH/bin/python

Four fifths of the programs are of operators and derivatives (run.py), compared after every statement; the rest are nests of
transforms, optimizers, layers and views (compare_*.py), which are compared as a whole. Karat is taken from PYTHONPATH or
build/python. What each tool finds is printed as it comes; the last line is the number of programs and of differences that no
table explains.
"""

import argparse
import os
import random
import re
import subprocess
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
BUILT = os.path.abspath(os.path.join(HERE, "..", "..", "build", "python"))
SHARES = {"compare_layers.py": 0.08, "compare_transforms.py": 0.06, "compare_optimizers.py": 0.04, "compare_views.py": 0.02}


def told(command):
    """The last lines that a tool printed; all of them go on to our output."""
    lines = []
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, [os.environ.get("PYTHONPATH"), BUILT]))}
    with subprocess.Popen([sys.executable, *command], stdout=subprocess.PIPE, text=True, env=environment) as tool:
        for line in tool.stdout:
            print(line, end="", flush=True)
            lines.append(line)
    return "".join(lines[-200:])


def unexplained(text):
    """How many differences a tool's report counts, or None where it made none."""
    found = re.findall(r"^not explained: (\d+)$|, (\d+) differ$", text, re.MULTILINE)
    if found:
        return int(found[-1][0] or found[-1][1])
    counts = re.findall(r"'only karat refuses': (\d+).*'differ': (\d+)", text)
    return sum(map(int, counts[-1])) if counts else None


def main():
    parser = argparse.ArgumentParser(description="all families of random programs beside PyTorch")
    parser.add_argument("--programs", type=int, default=20000)
    parser.add_argument("--seed", type=int, default=random.SystemRandom().randrange(10 ** 6))
    parser.add_argument("--reference", required=True, help="a Python that has PyTorch 2.11")
    parser.add_argument("--jobs", type=int, default=1)
    options = parser.parse_args()
    print(f"seed {options.seed}", flush=True)
    numbers = {tool: round(share * options.programs) for tool, share in SHARES.items()}
    runs = {"run.py": ["--programs", str(options.programs - sum(numbers.values())), "--seed", str(options.seed), "--reference",
                       options.reference, "--jobs", str(options.jobs)]}
    runs |= {tool: [options.reference, str(options.seed), str(n)] for tool, n in numbers.items()}
    counts = {}
    for tool, arguments in runs.items():
        print(f"\n---- {tool}", flush=True)
        counts[tool] = unexplained(told([os.path.join(HERE, tool), *arguments]))
    print("\n" + "\n".join(f"{tool}: {'no report' if n is None else n}" for tool, n in counts.items()))
    print(f"seed {options.seed}: {options.programs} programs, differing unexplained: {sum(n or 0 for n in counts.values())}")
    return any(n != 0 for n in counts.values())


if __name__ == "__main__":
    sys.exit(main())
