"""run.py - public libraries, unmodified, with PyTorch and with Karat.

    build/venv/bin/python3 tests/libraries/run.py --environment build/libraries --reference VENV_WITH_TORCH/bin/python

Each program of this folder uses one library and prints numbers (README.md says how it is written). It runs once with PyTorch and
once by `karat run`, in the same environment: --environment has the libraries and no torch, and the reference interpreter, of
the same Python version, finds them there. The outputs are compared, both runs timed, a table printed. The exit
status is 1 if a program differs.

    --environment FOLDER  a virtual environment with the libraries, without torch; made with --install
    --install             makes it, or adds to it what the programs need, with pip
    --reference PYTHON    an interpreter with PyTorch; without it the programs run with Karat alone and nothing is compared
    --karat COMMAND       default: build/bin/karat
    --only NAME,NAME      programs; others keep what the results file says of them
    --results FILE        what was measured, as JSON (default: FOLDER/results.json)
    --document FILE       writes the results into the table of this Markdown file, between its two marks;
                          lines of programs that were not run stay
    --limit SECONDS       for one run (default: 300)
    --show                also prints what differs, or the end of the error
"""

import argparse
import json
import math
import os
import re
import shutil
import subprocess
import sys
import time

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(os.path.dirname(HERE))
MARKS = ("<!-- results: begin -->", "<!-- results: end -->")
NUMBER = re.compile(r"[-+]?(?:\d+\.?\d*(?:[eE][-+]?\d+)?|\.\d+(?:[eE][-+]?\d+)?|\binf\b|\bnan\b)")
TOLERANCE = 1e-4


class Program:
    """A file of this folder: what it uses, from its first lines."""

    def __init__(self, path):
        self.path, self.name = path, os.path.basename(path)[:-len(".py")]
        with open(path, encoding="utf-8") as file:
            text = file.read()
        self.about = re.match(r'"""(.*?)(?:"""|\n)', text)[1].rstrip(".")
        self.pip = self._said(text, "pip").split()
        self.but = self._said(text, "but")
        self.tolerance = float(self._said(text, "tolerance") or TOLERANCE)

    @staticmethod
    def _said(text, word):
        found = re.search(rf"^# {word}: (.*)$", text, re.MULTILINE)
        return found[1].strip() if found else ""


def programs(only):
    names = sorted(one for one in os.listdir(HERE) if one.endswith(".py") and one != "run.py")
    every = [Program(os.path.join(HERE, one)) for one in names]
    missing = set(only or ()) - {one.name for one in every}
    if missing:
        sys.exit(f"run.py: no program {', '.join(sorted(missing))}")
    return [one for one in every if not only or one.name in only]


# ---- the environment ----

def packages_of(environment):
    return os.path.join(environment, "lib", f"python{sys.version_info[0]}.{sys.version_info[1]}", "site-packages")


def install(environment, chosen, karat):
    """The libraries from pip. Karat stands for torch there by a distribution without files (karat pip-shim), so that pip fetches
    no PyTorch; the constraint makes it an error to replace it."""
    python = os.path.join(environment, "bin", "python")
    if not os.path.exists(python):
        subprocess.run([sys.executable, "-m", "venv", environment], check=True)
    subprocess.run([karat, "pip-shim", f"--python={python}", "install"], check=True)
    constraints = os.path.join(environment, "constraints.txt")
    with open(constraints, "w", encoding="utf-8") as file:
        file.write("torch==2.11.0\n")
    wanted = sorted({word for program in chosen for word in program.pip})
    failed = subprocess.run([python, "-m", "pip", "install", "-q", "-c", constraints, *wanted]).returncode
    for one in wanted if failed else ():  # together they contradict each other: one by one, so that the others are there
        if subprocess.run([python, "-m", "pip", "install", "-q", "-c", constraints, one]).returncode:
            print(f"run.py: pip could not install {one}", file=sys.stderr)


def version_of(environment, name):
    """The version of a distribution, from the names of the folders that pip leaves."""
    name = re.sub(r"[-_.]+", "_", re.split(r"[<>=!~\[;]", name)[0]).lower()
    for folder in os.listdir(packages_of(environment)):
        found = re.fullmatch(r"(.+?)-([^-]+)\.dist-info", folder)
        if found and re.sub(r"[-_.]+", "_", found[1]).lower() == name:
            return found[2]
    return ""


# ---- one run ----

class Run:
    """What a process printed, and how long it took."""

    def __init__(self, command, folder, limit, added):
        environment = {key: value for key, value in os.environ.items() if not key.startswith("PYTHON")}
        environment.update({"OMP_NUM_THREADS": "1", "HOME": folder, "HF_HUB_OFFLINE": "1", "TOKENIZERS_PARALLELISM": "false",
                            "WANDB_MODE": "disabled", "MPLBACKEND": "Agg", "YOLO_OFFLINE": "true", "CUDA_VISIBLE_DEVICES": "",
                            "PYTHONDONTWRITEBYTECODE": "1", "PYTHONHASHSEED": "0", **added})
        began = time.perf_counter()
        try:
            done = subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True, errors="replace",
                                  timeout=limit)
            self.status, self.out, self.err = done.returncode, done.stdout, done.stderr
        except subprocess.TimeoutExpired:
            self.status, self.out, self.err = -1, "", f"not finished after {limit} s"
        self.seconds = round(time.perf_counter() - began, 1)

    def error(self):
        """The line that says what went wrong: the last that names an exception."""
        lines = [line for line in self.err.strip().splitlines() if line.strip()]
        named = [line for line in lines if re.match(r"[\w.]*(Error|Exception|Interrupt|Warning|Refused)\b", line)]
        return (named or lines or [f"exit status {self.status}"])[-1].strip()


def difference(ours, theirs, tolerance):
    """The first line that differs; None: equal but for the last bits of numbers."""
    ours, theirs = ours.splitlines(), theirs.splitlines()
    for at, (one, other) in enumerate(zip(ours, theirs)):
        if NUMBER.sub("#", one) != NUMBER.sub("#", other):
            return f"line {at + 1}: {one!r}, PyTorch {other!r}"
        for mine, its in zip(map(float, NUMBER.findall(one)), map(float, NUMBER.findall(other))):
            same = mine == its or (math.isnan(mine) and math.isnan(its))
            if not same and not abs(mine - its) <= tolerance * max(1, abs(its)):
                return f"line {at + 1}: {one!r}, PyTorch {other!r}"
    if len(ours) != len(theirs):
        return f"{len(ours)} lines, PyTorch {len(theirs)}"
    return None


def measure(program, options):
    folder = os.path.join(options.environment, "run", program.name)
    shutil.rmtree(folder, ignore_errors=True)
    os.makedirs(folder)
    script = shutil.copy(program.path, os.path.join(folder, "program.py"))  # here it would be found in place of its library
    python = os.path.join(options.environment, "bin", "python")
    ours = Run([options.karat, "run", f"--python={python}", script], folder, options.limit, {})
    theirs = options.reference and Run([options.reference, script], folder, options.limit,
                                       {"PYTHONPATH": packages_of(options.environment)})
    said = {"version": version_of(options.environment, program.pip[0]) if program.pip else "", "about": program.about,
            "karat": ours.seconds, "torch": theirs.seconds if theirs else None, "why": program.but}
    if theirs and theirs.status:
        said.update(result="not compared", why=f"PyTorch: {theirs.error()}")
    elif ours.status:
        said.update(result="refused", why=ours.error())
    elif not theirs:
        said.update(result="not compared", why="no PyTorch was given")
    elif different := difference(ours.out, theirs.out, program.tolerance):
        said.update(result="differs", why=different)
    else:
        said.update(result="works but" if program.but else "works")
    if options.show and said["result"] in ("refused", "differs", "not compared"):
        print(*ours.err.strip().splitlines()[-25:], sep="\n")
        print(*(theirs.err.strip().splitlines()[-12:] if theirs and theirs.status else ()), sep="\n")
        print(said["why"])
    return said


# ---- the table ----

def row_of(name, said):
    seconds = [f"{value:.1f}" if value is not None else "" for value in (said["karat"], said["torch"])]
    return [name, said["version"], said["result"], *seconds, said["about"], said["why"]]


HEAD = ["library", "version", "result", "Karat, s", "PyTorch, s", "program", "why"]


def in_columns(rows):
    widths = [max(len(row[i]) for row in [HEAD, *rows]) for i in range(5)]
    return "\n".join("  ".join([*(cell.ljust(width) for cell, width in zip(row, widths)), row[6]]).rstrip()
                     for row in [HEAD, *rows])


def as_line(row):
    """A row of the Markdown table."""
    return "| " + " | ".join(cell.replace("|", "\\|").replace("<", "&lt;") for cell in row) + " |"


def lines_by_name(table):
    """The lines of a Markdown table by their first cell, without its head."""
    lines = [line for line in table.splitlines() if line.startswith("| ")]
    return {line.split(" | ")[0][2:]: line for line in lines[2:]}


def write_document(path, rows, measured):
    """Writes the rows of the programs just measured, and keeps the document's lines of the others that still exist."""
    with open(path, encoding="utf-8") as file:
        text = file.read()
    begin, end = (text.index(mark) for mark in MARKS)
    lines = {row[0]: as_line(row) for row in rows}
    for name, line in lines_by_name(text[begin:end]).items():
        if name not in measured and os.path.exists(os.path.join(HERE, name + ".py")):
            lines[name] = line
    table = [as_line(HEAD), as_line(["---"] * len(HEAD)), *(lines[name] for name in sorted(lines))]
    with open(path, "w", encoding="utf-8") as file:
        file.write("\n".join([text[:begin] + MARKS[0], *table, text[end:]]))


def arguments():
    parser = argparse.ArgumentParser(description="Public libraries with PyTorch and with Karat.")
    parser.add_argument("--environment", required=True, type=os.path.abspath)
    parser.add_argument("--install", action="store_true")
    parser.add_argument("--reference")
    parser.add_argument("--karat", type=lambda text: os.path.abspath(text) if os.sep in text else text,
                        default=os.path.join(ROOT, "build", "bin", "karat"))
    parser.add_argument("--only", type=lambda text: text.split(","))
    parser.add_argument("--results")
    parser.add_argument("--document")
    parser.add_argument("--limit", type=float, default=300)
    parser.add_argument("--show", action="store_true")
    return parser.parse_args()


def main():
    options = arguments()
    chosen = programs(options.only)
    if options.install:
        install(options.environment, chosen, options.karat)
    results_file = options.results or os.path.join(options.environment, "results.json")
    results = {}
    if os.path.exists(results_file):
        with open(results_file, encoding="utf-8") as file:
            results = json.load(file)
    for program in chosen:
        results[program.name] = said = measure(program, options)
        print(f"{program.name}: {said['result']} {said['why']}".rstrip(), flush=True)
        with open(results_file, "w", encoding="utf-8") as file:
            json.dump(results, file, indent=1, sort_keys=True)
    rows = [row_of(name, results[name]) for name in sorted(results)]
    print()
    print(in_columns(rows))
    good = sum(said["result"].startswith("works") for said in results.values())
    print(f"{good} of {len(rows)} programs give what PyTorch gives")
    if options.document:
        write_document(options.document, rows, {one.name for one in chosen})
    return int(any(results[one.name]["result"] == "differs" for one in chosen))


if __name__ == "__main__":
    sys.exit(main())
