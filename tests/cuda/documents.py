"""Programs of documents (the Python blocks of *.txt in a folder) under `karat run` and under PyTorch, on a machine with a GPU:
each must end as it ends there. Compared are the exit status, the error, and what is printed but for the digits of times and of
random numbers. A program that differs is printed.

    documents.py FOLDER        with PyTorch in the same interpreter
"""
import concurrent.futures
import glob
import os
import re
import subprocess
import sys
import tempfile

RANDOM = re.compile(r"\d+\.\d+|\d+(us|ms|s)\b|[-]{3,}.*", re.S)


def ending(command, code):
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "block.py")
        with open(path, "w", encoding="utf-8") as file:
            file.write(code)
        return subprocess.run([sys.executable, *command, path], capture_output=True, text=True, timeout=300)


def error_of(done):
    """The exception's first line: Karat explains below it."""
    lines = [line for line in done.stderr.splitlines() if re.match(r"[A-Za-z_.]*(Error|Exception)\b", line)]
    return lines[0].replace("torch.", "") if done.returncode and lines else None


def printed(done, code):
    """A table of a profiler has figures and names of its own: only what stands behind it is compared."""
    text = done.stdout
    if "profiler" in code:
        text = text.splitlines()[-1] if text else ""
    return RANDOM.sub("#", text) if "rand" in code else text


def one(job):
    name, code = job
    ours, theirs = ending(["-m", "karat", "run"], code), ending([], code)
    same = (ours.returncode == theirs.returncode and error_of(ours) == error_of(theirs)
            and printed(ours, code) == printed(theirs, code))
    return name, same, ours, theirs


def main():
    jobs = []
    for path in sorted(glob.glob(os.path.join(sys.argv[1], "*.txt"))):
        with open(path, encoding="utf-8") as file:
            codes = re.findall(r"```python\n(.*?)```", file.read(), re.S)
        jobs += [(f"{os.path.basename(path)[:3]} program {i}", code) for i, code in enumerate(codes)]
    failed = 0
    with concurrent.futures.ThreadPoolExecutor(8) as pool:
        for name, same, ours, theirs in pool.map(one, jobs):
            failed += not same
            print(f"{name}: {'as PyTorch' if same else 'DIFFERS'}, exit {ours.returncode}, {error_of(ours) or 'no error'}")
            if not same:
                print(f"--- Karat\n{ours.stdout[-1500:]}{ours.stderr[-1500:]}\n--- PyTorch\n{theirs.stdout[-1500:]}"
                      f"{theirs.stderr[-1500:]}")
    print(f"{len(jobs)} programs, {failed} end otherwise")
    return failed > 0 or not jobs


if __name__ == "__main__":
    sys.exit(main())
